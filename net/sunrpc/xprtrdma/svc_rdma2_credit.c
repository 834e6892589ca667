// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: credits and posted Receives.
 *
 * Invariants:
 *
 * K1. As many Receives are posted as messages may come: a Call for each
 *     forward credit, an answer to each reverse Call, and the control
 *     messages that hold no credit (D-19, A-41). A Receive is replaced before
 *     the message it held is looked at.
 * K2. A grant is never more than K1 counts on.
 * K3. Values received in CALL direction are requests, those in REPLY direction
 *     are grants, and nothing is taken from a message whose direction is not
 *     certain (D-10, D-11).
 */

#include <linux/sunrpc/xprt.h>

#include "svc_rdma2.h"

/**
 * svc_rdma2_recv_extra - Receives needed beyond one for each forward credit
 * @rdma: connection
 *
 * Return: a number of Receives
 */
u32 svc_rdma2_recv_extra(const struct svcxprt_rdma *rdma)
{
	return rdma->sc_max_bc_requests + RPCRDMA2_CTRL_RECVS;
}

/**
 * svc_rdma2_grant - how many Calls the peer may have outstanding
 * @rdma: connection
 *
 * Return: the value for rdma_credit in what is sent in REPLY direction
 */
u32 svc_rdma2_grant(struct svcxprt_rdma *rdma)
{
	WRITE_ONCE(rdma->sc_v2->sv_conn.cn_grant, rdma->sc_max_requests);
	return rdma->sc_max_requests;
}

/**
 * svc_rdma2_reverse_request - how many reverse Calls there may be at once
 * @rdma: connection
 *
 * Return: the value for rdma_credit in what is sent in CALL direction
 */
u32 svc_rdma2_reverse_request(const struct svcxprt_rdma *rdma)
{
	return rdma->sc_max_bc_requests;
}

/**
 * svc_rdma2_reverse_grant - obey a grant of reverse credits
 * @rdma: connection
 * @credits: the grant, clamped
 *
 * sunrpc lets as many reverse Calls out as the congestion window of the
 * reverse transport allows; before there is one, none can be sent.
 */
static void svc_rdma2_reverse_grant(struct svcxprt_rdma *rdma, u32 credits)
{
	struct rpc_xprt *xprt = rdma->sc_xprt.xpt_bc_xprt;

	WRITE_ONCE(rdma->sc_v2->sv_conn.cn_reverse_grant, credits);
	if (!xprt)
		return;
	spin_lock(&xprt->transport_lock);
	xprt->cwnd = credits << RPC_CWNDSHIFT;
	spin_unlock(&xprt->transport_lock);
}

/**
 * svc_rdma2_take_credit - make use of the credit value of a message
 * @rdma: connection
 * @msg: message whose direction is certain
 *
 * A peer's request for forward credits makes no difference here: the grant is
 * always the same. Zero counts as one (D-14, N-07).
 *
 * Context: service thread
 */
void svc_rdma2_take_credit(struct svcxprt_rdma *rdma,
			   const struct rpcrdma2_msg *msg)
{
	u32 credits;

	credits = rpcrdma2_clamp_credit(&rdma->sc_v2->sv_conn, msg->credit,
					svc_rdma2_reverse_request(rdma));
	if (msg->dir == RDMA2_REPLY)
		svc_rdma2_reverse_grant(rdma, credits);
}
