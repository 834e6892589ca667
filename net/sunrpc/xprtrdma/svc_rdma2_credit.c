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
 * K4. A reverse Call that was sent holds a credit until a message arrives that
 *     ends it, even if its caller gives it up before.
 */

#include <linux/sunrpc/xprt.h>

#include "svc_rdma2.h"

/**
 * svc_rdma2_recv_extra - Receives that no credit accounts for
 * @rdma: connection
 *
 * Return: a number of Receives
 */
u32 svc_rdma2_recv_extra(const struct svcxprt_rdma *rdma)
{
	return RPCRDMA2_CTRL_RECVS;
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
 * reverse transport allows; before there is one, none can be sent. A request
 * that waits for a credit keeps one from them.
 */
static void svc_rdma2_reverse_grant(struct svcxprt_rdma *rdma, u32 credits)
{
	struct rpc_xprt *xprt = READ_ONCE(rdma->sc_xprt.xpt_bc_xprt);

	WRITE_ONCE(rdma->sc_v2->sv_conn.cn_reverse_grant, credits);
	if (!xprt)
		return;
	spin_lock(&xprt->transport_lock);
	if (credits > 1 && rdma->sc_v2->sv_credit.cr_wanted)
		credits--;
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
 * Context: receive handler or service thread
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

/*
 * Section: reverse Calls that hold a credit (K4)
 */

/**
 * svc_rdma2_bc_find - find a reverse Call that was sent
 * @v2: connection
 * @xid: its xid
 *
 * Return: its entry, or NULL
 */
static struct svc_rdma2_reverse *svc_rdma2_bc_find(struct svc_rdma2 *v2,
						   __be32 xid)
{
	u32 i;

	for (i = 0; i < v2->sv_reverse_count; i++)
		if (v2->sv_reverse[i].re_xid == xid)
			return &v2->sv_reverse[i];
	return NULL;
}

/**
 * svc_rdma2_bc_sent - a reverse Call is about to be sent
 * @rdma: connection
 * @xprt: its reverse transport
 * @xid: xid of the Call, which holds a credit
 */
void svc_rdma2_bc_sent(struct svcxprt_rdma *rdma, struct rpc_xprt *xprt,
		       __be32 xid)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct svc_rdma2_reverse *re;

	spin_lock(&xprt->transport_lock);
	re = svc_rdma2_bc_find(v2, xid);
	if (!re && v2->sv_reverse_count < SVC_RDMA2_MAX_REVERSE) {
		re = &v2->sv_reverse[v2->sv_reverse_count++];
		re->re_xid = xid;
		re->re_given_up = false;
	}
	rpcrdma2_conn_reverse_used(&v2->sv_conn, v2->sv_reverse_count);
	spin_unlock(&xprt->transport_lock);
}

/**
 * svc_rdma2_bc_put_credit - return the credit of a Call that was given up
 * @v2: connection
 * @xprt: its reverse transport, transport_lock held
 *
 * The request that took it is gone, so another one stands in for it.
 */
static void svc_rdma2_bc_put_credit(struct svc_rdma2 *v2,
				    struct rpc_xprt *xprt)
{
	v2->sv_given_up--;
	rpcrdma2_credit_return(&v2->sv_returned, xprt);
	rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_REVERSE_LATE);
}

/**
 * svc_rdma2_bc_ended - a reverse Call does not hold its credit any more
 * @rdma: connection
 * @xprt: its reverse transport
 * @xid: xid of a message from the peer, or of a Call that could not be sent
 *
 * Return: true if that Call was sent, and its caller has not given it up
 */
bool svc_rdma2_bc_ended(struct svcxprt_rdma *rdma, struct rpc_xprt *xprt,
			__be32 xid)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct svc_rdma2_reverse *re;
	bool awaited = false;

	spin_lock(&xprt->transport_lock);
	re = svc_rdma2_bc_find(v2, xid);
	if (re) {
		awaited = !re->re_given_up;
		*re = v2->sv_reverse[--v2->sv_reverse_count];
		rpcrdma2_conn_reverse_used(&v2->sv_conn, v2->sv_reverse_count);
		if (!awaited)
			svc_rdma2_bc_put_credit(v2, xprt);
	}
	spin_unlock(&xprt->transport_lock);
	return awaited;
}

/**
 * svc_rdma2_bc_stuck - do Calls that were given up block all others?
 * @v2: connection
 * @rqst: reverse Call that comes to its end
 *
 * Return: true if @rqst was never sent because the peer has not answered
 * earlier Calls for longer than it had time
 */
static bool svc_rdma2_bc_stuck(const struct svc_rdma2 *v2,
			       const struct rpc_rqst *rqst)
{
	return !rqst->rq_ntrans && v2->sv_given_up &&
	       v2->sv_given_up << RPC_CWNDSHIFT >= rqst->rq_xprt->cwnd &&
	       time_after_eq(jiffies, v2->sv_stuck_since + rqst->rq_timeout);
}

/**
 * svc_rdma2_bc_release - the upper layer is done with a reverse Call
 * @task: its task
 *
 * A Call that was not replied to leaves its credit behind. Otherwise a request
 * may have waited for it.
 *
 * Context: the reverse transport's transport_lock is held
 */
void svc_rdma2_bc_release(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;
	struct svcxprt_rdma *rdma = container_of(rqst->rq_xprt->bc_xprt,
						 struct svcxprt_rdma, sc_xprt);
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct svc_rdma2_reverse *re;

	re = v2 ? svc_rdma2_bc_find(v2, rqst->rq_xid) : NULL;
	if (re && !re->re_given_up) {
		re->re_given_up = true;
		v2->sv_given_up++;
		v2->sv_stuck_since = jiffies;
		rqst->rq_cong = 0;
	} else if (v2 && svc_rdma2_bc_stuck(v2, rqst)) {
		svc_rdma_xprt_deferred_close(rdma);
	}
	xprt_release_rqst_cong(task);
	if (v2)
		svc_rdma2_flush(v2);
}
