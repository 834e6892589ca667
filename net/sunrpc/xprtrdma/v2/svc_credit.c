// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: credits and posted Receives.
 *
 * Invariants:
 *
 * K1. As many Receives are posted as messages may come: a Call for each
 *     forward credit, an answer to each reverse Call, and the control
 *     messages that hold no credit (D-19, A-41). A Receive is replaced before
 *     the message it held is looked at; or, where memory follows use, its credit
 *     comes back only if there is another one.
 * K2. A grant is never more than K1 counts on. Grants that differ are posted in
 *     the order in which they were settled.
 * K3. Values received in CALL direction are requests, those in REPLY direction
 *     are grants, and nothing is taken from a message whose direction is not
 *     certain (D-10, D-11).
 */

#include <linux/sunrpc/xprt.h>

#include "svc.h"

/**
 * svc_rdma2_grant_begin - how many Calls the peer may have outstanding
 * @rdma: connection
 * @rv: message that is answered; gives back the credits that it holds
 * @gone: empty, for svc_rdma2_grant_end()
 *
 * The answer is put together but for this. Were another one to overtake it that
 * grants less, the peer would act on more than was counted on. So
 * svc_rdma2_grant_end() has to follow when it is posted, or cannot be, and
 * nothing that takes time may come between.
 *
 * Context: process context; sv_grant_lock is held until svc_rdma2_grant_end(). It is
 * no mutex: whoever posts may wake others, who would then run while all answers wait.
 * Return: the value for rdma_credit in what is sent in REPLY direction
 */
u32 svc_rdma2_grant_begin(struct svcxprt_rdma *rdma, struct svc_rdma2_recv *rv,
			  struct rpcrdma2_gone *gone)
	__acquires(&rdma->sc_v2->sv_grant_lock)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	u32 credits;

	spin_lock(&rdma->sc_v2->sv_grant_lock);
	credits = svc_rdma2_memory_grant(rdma, rv, gone) ?: rdma->sc_max_requests;
	if (READ_ONCE(conn->cn_grant) != credits)
		WRITE_ONCE(conn->cn_grant, credits);
	return credits;
}

/**
 * svc_rdma2_grant_end - what svc_rdma2_grant_begin() was for was posted, or cannot be
 * @rdma: connection
 * @gone: buffers that are not needed any more, freed here
 *
 * Context: process context, may sleep
 */
void svc_rdma2_grant_end(struct svcxprt_rdma *rdma, struct rpcrdma2_gone *gone)
	__releases(&rdma->sc_v2->sv_grant_lock)
{
	spin_unlock(&rdma->sc_v2->sv_grant_lock);
	if (rpcrdma2_gone_any(gone))
		svc_rdma2_forget(&rdma->sc_v2->sv_memory, gone);
}

/* Obey a grant of reverse credits. @credits: the grant, clamped. sunrpc lets as many
 * reverse Calls out as the congestion window of the reverse transport allows; before
 * there is one, none can be sent. A request that waits for a credit keeps one from
 * them.
 */
static void svc_rdma2_reverse_grant(struct svcxprt_rdma *rdma, u32 credits)
{
	struct rpc_xprt *xprt = READ_ONCE(rdma->sc_xprt.xpt_bc_xprt);
	struct svc_rdma2 *v2 = rdma->sc_v2;

	WRITE_ONCE(v2->sv_conn.cn_reverse_grant, credits);
	if (!xprt)
		return;
	spin_lock(&xprt->transport_lock);
	/* Another one may have come since. */
	v2->sv_ledger.granted = READ_ONCE(v2->sv_conn.cn_reverse_grant);
	rpcrdma2_cong_window(xprt, rpcrdma2_ledger_window(&v2->sv_ledger));
	spin_unlock(&xprt->transport_lock);
}

/**
 * svc_rdma2_take_credit - make use of the credit value of a message
 * @rdma: connection
 * @msg: message whose direction is certain
 *
 * A peer's request for forward credits makes no difference here: the grant is
 * always the same. Zero counts as one (D-14, N-07). What VERS says is no grant
 * (B-76).
 *
 * Context: receive handler or service thread
 */
void svc_rdma2_take_credit(struct svcxprt_rdma *rdma,
			   const struct rpcrdma2_msg *msg)
{
	u32 credits;

	if (msg->proc == RDMA2_ERROR && msg->error.code == RDMA2_ERR_VERS)
		return;
	credits = rpcrdma2_clamp_credit(&rdma->sc_v2->sv_conn, msg->credit,
					rdma->sc_max_bc_requests);
	if (msg->dir == RDMA2_REPLY)
		svc_rdma2_reverse_grant(rdma, credits);
}

/**
 * svc_rdma2_ctrl_get_credit - take a reverse credit for a request of this end
 * @rdma: connection
 * @insist: the caller is going to try again until there is one
 *
 * There may have been a grant before there was a reverse transport. Without one
 * nobody else takes any.
 *
 * Context: sv_ctrl_mutex is held
 * Return: false if there is none
 */
bool svc_rdma2_ctrl_get_credit(struct svcxprt_rdma *rdma, bool insist)
{
	struct rpc_xprt *xprt = READ_ONCE(rdma->sc_xprt.xpt_bc_xprt);
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_ledger *l = &v2->sv_ledger;
	bool taken = true;

	if (xprt) {
		spin_lock(&xprt->transport_lock);
		l->granted = READ_ONCE(v2->sv_conn.cn_reverse_grant);
		taken = rpcrdma2_ledger_control_get(l, rpcrdma2_cong_used(xprt),
						    insist);
		rpcrdma2_cong_window(xprt, rpcrdma2_ledger_window(l));
		if (taken)
			rpcrdma2_cong_get(xprt, 1);
		spin_unlock(&xprt->transport_lock);
	}
	if (taken)
		WRITE_ONCE(v2->sv_stuck_since, jiffies);
	return taken;
}

/**
 * svc_rdma2_ctrl_unwanted - no request of ours waits for a credit any more
 * @v2: connection
 *
 * Context: process context
 */
void svc_rdma2_ctrl_unwanted(struct svc_rdma2 *v2)
{
	struct rpc_xprt *xprt = READ_ONCE(v2->sv_rdma->sc_xprt.xpt_bc_xprt);

	if (xprt)
		rpcrdma2_cong_unwanted(xprt, &v2->sv_ledger);
}

/**
 * svc_rdma2_ctrl_put_credit - our request is answered, or was not sent
 * @v2: connection
 *
 * Wakes whoever waits for the credit. One that was sent before there was a
 * reverse transport has taken none.
 *
 * Context: process context
 */
void svc_rdma2_ctrl_put_credit(struct svc_rdma2 *v2)
{
	struct rpc_xprt *xprt = READ_ONCE(v2->sv_rdma->sc_xprt.xpt_bc_xprt);

	if (!xprt)
		return;
	spin_lock(&xprt->transport_lock);
	rpcrdma2_cong_put(xprt, rpcrdma2_ledger_control_put(&v2->sv_ledger));
	spin_unlock(&xprt->transport_lock);
}
