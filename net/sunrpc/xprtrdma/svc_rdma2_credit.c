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
 * K4. A reverse Call that was sent holds a credit for each of its transmissions
 *     until a message arrives that ends it, even if its caller gives it up
 *     before.
 * K5. A reverse Call holds no credits while it waits for more (C-25).
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
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;

	if (READ_ONCE(conn->cn_grant) != rdma->sc_max_requests)
		WRITE_ONCE(conn->cn_grant, rdma->sc_max_requests);
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
 * Section: reverse Calls that hold credits (K4)
 */

/**
 * svc_rdma2_bc_get_credits - get the credits that a reverse Call needs
 * @rdma: connection
 * @rqst: reverse Call that holds one credit
 * @xmts: transmissions it takes
 *
 * If there are not enough, it gives its own back: two Calls might be waiting
 * for each other's. It is tried again when another Call returns some. Those
 * that only the peer can bring back are not waited for: all other Calls would
 * have to wait, too.
 *
 * Context: the sender of the reverse transport
 *
 * Return: 0, -EBADSLT if it has to wait, or 1 if there is nobody to wait for
 */
int svc_rdma2_bc_get_credits(struct svcxprt_rdma *rdma, struct rpc_rqst *rqst,
			     u32 xmts)
{
	struct rpc_xprt *xprt = rqst->rq_xprt;
	struct svc_rdma2 *v2 = rdma->sc_v2;
	unsigned long stuck, extra;
	int ret = 0;

	if (xmts == 1)
		return 0;
	spin_lock(&xprt->transport_lock);
	extra = rpcrdma2_calls_more(&v2->sv_reverse, rqst->rq_xid, xmts);
	extra <<= RPC_CWNDSHIFT;
	if (!extra)
		goto out;
	if (xprt->cong + extra <= xprt->cwnd) {
		xprt->cong += extra;
		goto out;
	}
	xprt_release_rqst_cong(rqst->rq_task);
	stuck = v2->sv_reverse.given_up + v2->sv_reverse.debt;
	stuck <<= RPC_CWNDSHIFT;
	ret = -EBADSLT;
	if (xprt->cong > stuck)
		set_bit(XPRT_CWND_WAIT, &xprt->state);
	else if (stuck)
		ret = 1;
out:
	spin_unlock(&xprt->transport_lock);
	return ret;
}

/**
 * svc_rdma2_bc_sent - a reverse Call is about to be sent
 * @rdma: connection
 * @xprt: its reverse transport
 * @xid: xid of the Call
 * @xmts: transmissions it takes; it holds a credit for each of them, and goes by
 *	ROPT_XMTREQ if there are several
 */
void svc_rdma2_bc_sent(struct svcxprt_rdma *rdma, struct rpc_xprt *xprt,
		       __be32 xid, u32 xmts)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_call call = {
		.xid		= xid,
		.opt		= xmts > 1,
		.credits	= xmts,
	};

	spin_lock(&xprt->transport_lock);
	call.order = rpcrdma2_calls_next(&v2->sv_reverse);
	rpcrdma2_calls_sent(&v2->sv_reverse, &call);
	rpcrdma2_conn_reverse_used(&v2->sv_conn, v2->sv_reverse.count);
	spin_unlock(&xprt->transport_lock);
}

/**
 * svc_rdma2_bc_unsent - a reverse Call could not be sent after all
 * @rdma: connection
 * @xprt: its reverse transport
 * @xid: xid of the Call, which keeps one credit
 */
void svc_rdma2_bc_unsent(struct svcxprt_rdma *rdma, struct rpc_xprt *xprt,
			 __be32 xid)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	unsigned long credits;

	spin_lock(&xprt->transport_lock);
	credits = rpcrdma2_calls_unsent(&v2->sv_reverse, xid);
	xprt->cong -= credits << RPC_CWNDSHIFT;
	rpcrdma2_conn_reverse_used(&v2->sv_conn, v2->sv_reverse.count);
	spin_unlock(&xprt->transport_lock);
}

/**
 * svc_rdma2_bc_settle - return what a reverse Call held
 * @v2: connection
 * @xprt: its reverse transport, transport_lock held
 * @call: the Call
 * @refused: the message that ends it is no reply
 *
 * If somebody waits for it, its first credit is returned, and whoever waits for
 * credits is woken, when it is released. If nobody does, the request that took it
 * is gone, and another one stands in for it.
 */
static void svc_rdma2_bc_settle(struct svc_rdma2 *v2, struct rpc_xprt *xprt,
				const struct rpcrdma2_call *call, bool refused)
{
	unsigned long credits;

	credits = rpcrdma2_calls_settle(&v2->sv_reverse, call->order,
					call->credits - 1, refused);
	xprt->cong -= credits << RPC_CWNDSHIFT;
	if (refused)
		WRITE_ONCE(v2->sv_stuck_since, jiffies);
	if (call->given_up) {
		rpcrdma2_conn_given_up(&v2->sv_conn, v2->sv_reverse.given_up);
		rpcrdma2_credit_return(&v2->sv_returned, xprt);
		rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_REVERSE_LATE);
	}
}

/**
 * svc_rdma2_bc_ended - a reverse Call does not hold its credits any more
 * @rdma: connection
 * @xprt: its reverse transport
 * @xid: xid of a message from the peer
 * @refused: the message is no reply
 *
 * Return: true if that Call was sent, and its caller has not given it up
 */
bool svc_rdma2_bc_ended(struct svcxprt_rdma *rdma, struct rpc_xprt *xprt,
			__be32 xid, bool refused)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	const struct rpcrdma2_ending end = {
		.xid		= xid,
		.refused	= refused,
	};
	enum rpcrdma2_call_was was;
	struct rpcrdma2_call call;

	spin_lock(&xprt->transport_lock);
	was = rpcrdma2_calls_ended(&v2->sv_reverse, &end, &call);
	if (was != RPCRDMA2_CALL_UNKNOWN)
		svc_rdma2_bc_settle(v2, xprt, &call, refused);
	rpcrdma2_conn_reverse_used(&v2->sv_conn, v2->sv_reverse.count);
	spin_unlock(&xprt->transport_lock);
	return was == RPCRDMA2_CALL_AWAITED;
}

/**
 * svc_rdma2_bc_lookup_sent - is there a reverse Call that was not replied to?
 * @rdma: connection
 * @xid: its xid
 * @only_opt: only if it went by ROPT_XMTREQ
 *
 * Return: false if there is none
 */
static bool svc_rdma2_bc_lookup_sent(struct svcxprt_rdma *rdma, __be32 xid,
				     bool only_opt)
{
	struct rpc_xprt *xprt = READ_ONCE(rdma->sc_xprt.xpt_bc_xprt);
	bool known;

	if (!xprt)
		return false;
	spin_lock(&xprt->transport_lock);
	known = rpcrdma2_calls_known(&rdma->sc_v2->sv_reverse, xid, only_opt);
	spin_unlock(&xprt->transport_lock);
	return known;
}

/**
 * svc_rdma2_bc_known - is there a reverse Call that was not replied to?
 * @rdma: connection
 * @xid: its xid
 *
 * Return: false if there is none
 */
bool svc_rdma2_bc_known(struct svcxprt_rdma *rdma, __be32 xid)
{
	return svc_rdma2_bc_lookup_sent(rdma, xid, false);
}

/**
 * svc_rdma2_bc_by_xmtreq - did a reverse Call go by ROPT_XMTREQ?
 * @rdma: connection
 * @xid: its xid
 *
 * Return: false if it did not, or there is none
 */
bool svc_rdma2_bc_by_xmtreq(struct svcxprt_rdma *rdma, __be32 xid)
{
	return svc_rdma2_bc_lookup_sent(rdma, xid, true);
}

/*
 * Section: reverse credits that do not come back
 */

/**
 * svc_rdma2_ctrl_credit - take a reverse credit for a request of this end
 * @rdma: connection
 * @insist: the caller is going to try again until there is one
 *
 * Context: sv_ctrl_mutex is held
 *
 * Return: false if there is none
 */
bool svc_rdma2_ctrl_credit(struct svcxprt_rdma *rdma, bool insist)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	if (!rpcrdma2_credit_get(&v2->sv_credit,
				 READ_ONCE(rdma->sc_xprt.xpt_bc_xprt),
				 &v2->sv_conn.cn_reverse_grant, insist))
		return false;
	WRITE_ONCE(v2->sv_stuck_since, jiffies);
	return true;
}

/**
 * svc_rdma2_bc_stuck - do credits that were left behind block all others?
 * @rdma: connection
 * @rqst: reverse Call that comes to its end
 *
 * A request of this end that was not answered holds a credit like a Call that
 * was given up does.
 *
 * Return: true if @rqst was never sent because the peer has not answered
 * earlier Calls for longer than it had time
 */
static bool svc_rdma2_bc_stuck(struct svcxprt_rdma *rdma,
			       const struct rpc_rqst *rqst)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	return !rqst->rq_ntrans && svc_rdma2_active(rdma) &&
	       rpcrdma2_calls_stuck(&v2->sv_reverse,
				    v2->sv_credit.cr_rqst.rq_cong,
				    max(svc_rdma2_bc_xmts(rdma, rqst), 1U),
				    rqst->rq_xprt->cwnd >> RPC_CWNDSHIFT) &&
	       time_after_eq(jiffies, READ_ONCE(v2->sv_stuck_since) +
				      rqst->rq_timeout);
}

/**
 * svc_rdma2_bc_nudge - have those who wait for credits look again
 * @v2: connection
 * @xprt: its reverse transport, transport_lock held
 *
 * They may be waiting for a Call that does not return any now, or behind one
 * that does not wait any more.
 */
static void svc_rdma2_bc_nudge(struct svc_rdma2 *v2, struct rpc_xprt *xprt)
{
	xprt->cong += RPC_CWNDSCALE;
	rpcrdma2_credit_return(&v2->sv_returned, xprt);
}

/**
 * svc_rdma2_bc_release - the upper layer is done with a reverse Call
 * @task: its task
 *
 * A Call that was not replied to leaves its credits behind. Otherwise a request
 * may have waited for one.
 *
 * Context: the reverse transport's transport_lock is held
 */
void svc_rdma2_bc_release(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;
	struct svcxprt_rdma *rdma = container_of(rqst->rq_xprt->bc_xprt,
						 struct svcxprt_rdma, sc_xprt);
	struct svc_rdma2 *v2 = rdma->sc_v2;

	if (v2 && rpcrdma2_calls_give_up(&v2->sv_reverse, rqst->rq_xid)) {
		rpcrdma2_conn_given_up(&v2->sv_conn, v2->sv_reverse.given_up);
		WRITE_ONCE(v2->sv_stuck_since, jiffies);
		rqst->rq_cong = 0;
	} else if (v2 && svc_rdma2_bc_stuck(rdma, rqst)) {
		rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_CREDITS_STUCK);
		svc_rdma_xprt_deferred_close(rdma);
	}
	if (!rqst->rq_cong && svc_rdma2_active(rdma))
		svc_rdma2_bc_nudge(v2, rqst->rq_xprt);
	xprt_release_rqst_cong(task);
	if (v2)
		svc_rdma2_flush(v2);
}
