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
 * K4. A reverse Call that was sent holds a credit for each of its transmissions
 *     until a message arrives that ends it, even if its caller gives it up
 *     before.
 * K5. A reverse Call holds no credits while it waits for more (C-25).
 */

#include <linux/sunrpc/xprt.h>

#include "svc.h"

/**
 * svc_rdma2_grant_begin - how many Calls the peer may have outstanding
 * @rdma: connection
 * @rv: message that is answered; gives back the credits that it holds
 * @gone: empty list for svc_rdma2_grant_end()
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
			  struct list_head *gone)
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
void svc_rdma2_grant_end(struct svcxprt_rdma *rdma, struct list_head *gone)
	__releases(&rdma->sc_v2->sv_grant_lock)
{
	spin_unlock(&rdma->sc_v2->sv_grant_lock);
	svc_rdma2_forget(rdma, gone);
}

/* Let reverse Calls use what is granted. There may have been a grant before there
 * was a reverse transport. @xprt: that, transport_lock held.
 */
static void svc_rdma2_use_reverse_grant(struct svc_rdma2 *v2, struct rpc_xprt *xprt)
{
	struct rpcrdma2_ledger *l = &v2->sv_ledger;

	l->granted = READ_ONCE(v2->sv_conn.cn_reverse_grant);
	rpcrdma2_cong_window(xprt, rpcrdma2_ledger_window(l));
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
	svc_rdma2_use_reverse_grant(v2, xprt);
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

/* Section: reverse Calls that hold credits (K4) */

/**
 * svc_rdma2_bc_get_credits - get the credits that a reverse Call needs
 * @rdma: connection
 * @rqst: reverse Call that holds one credit
 * @xmts: transmissions it takes
 *
 * If there are not enough, it gives its own back: two Calls might be waiting
 * for each other's. It is tried again when another Call returns some. Those
 * that only the peer can bring back are not waited for: all other Calls would
 * have to wait, too. Nor is there a wait if none is in use: nobody would end it.
 *
 * Context: the sender of the reverse transport
 * Return: 0, -EBADSLT if it has to wait, or 1 if there is nobody to wait for
 */
int svc_rdma2_bc_get_credits(struct svcxprt_rdma *rdma, struct rpc_rqst *rqst,
			     u32 xmts)
{
	struct rpcrdma2_outstanding *out = &rdma->sc_v2->sv_ledger.out;
	struct rpc_xprt *xprt = rqst->rq_xprt;
	int ret = 0;
	u32 more;

	if (xmts == 1)
		return 0;
	spin_lock(&xprt->transport_lock);
	svc_rdma2_use_reverse_grant(rdma->sc_v2, xprt);
	more = rpcrdma2_outstanding_more(out, rqst->rq_xid, xmts);
	if (!more || rpcrdma2_cong_get(xprt, more))
		goto out;
	xprt_release_rqst_cong(rqst->rq_task);
	ret = 1;
	if (rpcrdma2_cong_used(xprt) > out->given_up + out->debt) {
		set_bit(XPRT_CWND_WAIT, &xprt->state);
		ret = -EBADSLT;
	}
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
	struct rpcrdma2_outstanding_call call = {
		.xid		= xid,
		.opt		= xmts > 1,
		.credits	= xmts,
	};

	spin_lock(&xprt->transport_lock);
	call.order = rpcrdma2_outstanding_next(&v2->sv_ledger.out);
	rpcrdma2_outstanding_sent(&v2->sv_ledger.out, &call);
	rpcrdma2_conn_reverse_used(&v2->sv_conn, v2->sv_ledger.out.count);
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
	u32 credits;

	spin_lock(&xprt->transport_lock);
	credits = rpcrdma2_outstanding_unsent(&v2->sv_ledger.out, xid);
	rpcrdma2_cong_put(xprt, credits);
	rpcrdma2_conn_reverse_used(&v2->sv_conn, v2->sv_ledger.out.count);
	spin_unlock(&xprt->transport_lock);
}

/* Return what a reverse Call held. @xprt: its reverse transport, transport_lock
 * held. If somebody waits for it, its first credit is returned when it is released.
 */
static void svc_rdma2_bc_repay(struct svc_rdma2 *v2, struct rpc_xprt *xprt,
			       const struct rpcrdma2_outstanding_call *call,
			       bool refused)
{
	struct rpcrdma2_outstanding *out = &v2->sv_ledger.out;
	u32 credits;

	credits = rpcrdma2_outstanding_repay(out, call->order,
					     call->credits - 1, refused);
	if (refused)
		WRITE_ONCE(v2->sv_stuck_since, jiffies);
	if (call->given_up) {
		credits++;
		WRITE_ONCE(v2->sv_conn.cn_given_up, out->given_up);
		rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_REVERSE_LATE);
	}
	rpcrdma2_cong_put(xprt, credits);
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
	struct rpcrdma2_outstanding_call call;

	spin_lock(&xprt->transport_lock);
	was = rpcrdma2_outstanding_ended(&v2->sv_ledger.out, &end, &call);
	if (was != RPCRDMA2_CALL_UNKNOWN)
		svc_rdma2_bc_repay(v2, xprt, &call, refused);
	rpcrdma2_conn_reverse_used(&v2->sv_conn, v2->sv_ledger.out.count);
	spin_unlock(&xprt->transport_lock);
	return was == RPCRDMA2_CALL_AWAITED;
}

/**
 * svc_rdma2_bc_known - is there a reverse Call that was not replied to?
 * @rdma: connection
 * @xid: its xid
 * @only_opt: it has to have gone by ROPT_XMTREQ
 *
 * Return: false if there is none
 */
bool svc_rdma2_bc_known(struct svcxprt_rdma *rdma, __be32 xid, bool only_opt)
{
	struct rpc_xprt *xprt = READ_ONCE(rdma->sc_xprt.xpt_bc_xprt);
	bool known;

	if (!xprt)
		return false;
	spin_lock(&xprt->transport_lock);
	known = rpcrdma2_outstanding_known(&rdma->sc_v2->sv_ledger.out, xid, only_opt);
	spin_unlock(&xprt->transport_lock);
	return known;
}

/* Section: reverse credits that do not come back */

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

/**
 * svc_rdma2_bc_left - does a reverse Call leave its credits behind?
 * @v2: connection
 * @rqst: the Call, which comes to its end; its reverse transport's
 *	transport_lock is held
 *
 * Return: false if it was replied to, or never sent
 */
bool svc_rdma2_bc_left(struct svc_rdma2 *v2, struct rpc_rqst *rqst)
{
	if (!rpcrdma2_outstanding_give_up(&v2->sv_ledger.out, rqst->rq_xid))
		return false;
	WRITE_ONCE(v2->sv_conn.cn_given_up, v2->sv_ledger.out.given_up);
	WRITE_ONCE(v2->sv_stuck_since, jiffies);
	rpcrdma2_cong_keep(rqst);
	return true;
}

/**
 * svc_rdma2_bc_stuck - do credits that were left behind block all others?
 * @rdma: connection of version 2
 * @rqst: reverse Call that comes to its end, never sent
 * @xmts: transmissions it takes
 *
 * A request of this end that was not answered holds a credit like a Call that
 * was given up does.
 *
 * Return: true if the peer has not answered earlier Calls for longer than @rqst
 * had time
 */
bool svc_rdma2_bc_stuck(struct svcxprt_rdma *rdma,
			const struct rpc_rqst *rqst, u32 xmts)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	return rpcrdma2_ledger_stuck(&v2->sv_ledger, xmts) &&
	       time_after_eq(jiffies, READ_ONCE(v2->sv_stuck_since) +
				      rqst->rq_timeout);
}
