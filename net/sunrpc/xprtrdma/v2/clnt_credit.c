// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: credits and posted Receives.
 *
 * Forward credits are the transport's congestion window: sunrpc lets as many
 * Calls out as the server has granted. What must be ready to be received is
 * a reply to each of these, as many reverse Calls as this end has granted,
 * and the control messages that need no credit (D-18).
 *
 * sunrpc returns the one credit that it knows of when it releases an RPC. What a
 * Call has reserved comes back when it is answered; if the server has refused it,
 * its credits are owed until a later one is answered.
 *
 * A Call whose task was killed, or timed out, is still going to be answered, with
 * as many transmissions as it has set Receives aside for. All that it holds
 * remains taken until then, or until the connection ends. If there is nothing
 * left for others, and they have waited for as long as an RPC has time, the
 * connection is closed, as it is if an RPC that is waited for is not answered.
 *
 * The numbers are in vx_ledger, which has the invariants, and starts anew with
 * each connection. The transport_lock protects it and the congestion value.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "clnt_place.h"

/* Is there no credit left that an RPC could get? @r_xprt: transport, transport_lock
 * held. Our own ROPT_REQXCH holds a credit like a Call that was given up does.
 * Nobody waits for more than one. Returns true if only late answers can bring one.
 */
static bool xprt_rdma2_stuck(const struct rpcrdma_xprt *r_xprt)
{
	lockdep_assert_held(&r_xprt->rx_xprt.transport_lock);

	return rpcrdma2_ledger_stuck(&r_xprt->rx_v2.vx_ledger, 1);
}

/* If only late answers can bring a credit, wait for them. @r_xprt: an RPC waits for
 * a credit. @timeout: for how long to wait, in jiffies. A wait that has begun is not
 * made longer by others who come to wait.
 */
static void xprt_rdma2_watch(struct rpcrdma_xprt *r_xprt, unsigned long timeout)
{
	if (xprt_rdma2_stuck(r_xprt))
		queue_delayed_work(xprtiod_workqueue,
				   &r_xprt->rx_v2.vx_stuck_work, timeout);
}

/* A late answer has come: is it enough? @r_xprt: transport, transport_lock held. */
static void xprt_rdma2_unwatch(struct rpcrdma_xprt *r_xprt)
{
	if (!xprt_rdma2_stuck(r_xprt))
		cancel_delayed_work(&r_xprt->rx_v2.vx_stuck_work);
}

/* Is there anybody who waits to send? Returns true if something is in the transmit
 * queue.
 */
static bool xprt_rdma2_kept_waiting(struct rpc_xprt *xprt)
{
	bool waiting;

	spin_lock(&xprt->queue_lock);
	waiting = !list_empty(&xprt->xmit_queue);
	spin_unlock(&xprt->queue_lock);
	return waiting;
}

/* Close a connection that RPCs cannot use any more. The connection may be another
 * one by now: then nothing is stuck. It may also have more credits by now: whoever
 * waits for one looks again.
 */
static void xprt_rdma2_stuck_worker(struct work_struct *work)
{
	struct rpcrdma_xprt *r_xprt = container_of(work, struct rpcrdma_xprt,
						   rx_v2.vx_stuck_work.work);
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;
	bool stuck;

	spin_lock(&xprt->transport_lock);
	stuck = xprt_rdma2_stuck(r_xprt);
	if (!stuck)
		rpcrdma2_cong_nudge(xprt);
	spin_unlock(&xprt->transport_lock);
	if (!stuck || !xprt_rdma2_kept_waiting(xprt))
		return;
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_CREDITS_STUCK);
	xprt_force_disconnect(xprt);
}

/**
 * xprt_rdma2_credit_init - prepare a transport
 * @r_xprt: transport that is being set up
 */
void xprt_rdma2_credit_init(struct rpcrdma_xprt *r_xprt)
{
	INIT_DELAYED_WORK(&r_xprt->rx_v2.vx_stuck_work, xprt_rdma2_stuck_worker);
}

/**
 * xprt_rdma2_credit_reset - start with the credits of a new connection
 * @r_xprt: transport that is about to connect
 *
 * Reverse Calls of the connection before that are still under way do not count
 * any more. rpcrdma_reset_cwnd() takes back the forward credits themselves.
 *
 * Context: connect worker, which steps the connect cookie when it is done
 */
void xprt_rdma2_credit_reset(struct rpcrdma_xprt *r_xprt)
{
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;

	spin_lock(&xprt->transport_lock);
	rpcrdma2_ledger_reset(&r_xprt->rx_v2.vx_ledger, xprt->connect_cookie + 1);
	cancel_delayed_work(&r_xprt->rx_v2.vx_stuck_work);
	spin_unlock(&xprt->transport_lock);
}

/**
 * xprt_rdma2_no_credit - a Call has to wait for a credit
 * @rqst: the Call
 *
 * Context: the transport's send lock is held
 */
void xprt_rdma2_no_credit(struct rpc_rqst *rqst)
{
	struct rpc_xprt *xprt = rqst->rq_xprt;

	spin_lock(&xprt->transport_lock);
	xprt_rdma2_watch(rpcx_to_rdmax(xprt), rqst->rq_timeout);
	spin_unlock(&xprt->transport_lock);
	xprt_rdma2_memory_waiting(rpcx_to_rdmax(xprt));
}

/**
 * xprt_rdma2_credit_get - take a credit for our own request, if there is one
 * @r_xprt: transport
 * @insist: the caller is going to try again until there is one
 *
 * Context: process context
 * Return: false if all are in use, or our request holds one
 */
bool xprt_rdma2_credit_get(struct rpcrdma_xprt *r_xprt, bool insist)
{
	struct rpcrdma2_ledger *l = &r_xprt->rx_v2.vx_ledger;
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;
	bool taken;

	spin_lock(&xprt->transport_lock);
	taken = rpcrdma2_ledger_control_get(l, rpcrdma2_cong_used(xprt), insist);
	rpcrdma2_cong_window(xprt, rpcrdma2_ledger_window(l));
	if (taken)
		WARN_ON_ONCE(!rpcrdma2_cong_get(xprt, 1));
	spin_unlock(&xprt->transport_lock);
	return taken;
}

/**
 * xprt_rdma2_credit_unwanted - no request of ours waits for a credit any more
 * @r_xprt: transport
 *
 * Context: process context
 */
void xprt_rdma2_credit_unwanted(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_ledger *l = &r_xprt->rx_v2.vx_ledger;

	/* Changes under the lock; only the caller, and a new connection, do that */
	if (data_race(READ_ONCE(l->control_wanted)))
		rpcrdma2_cong_unwanted(&r_xprt->rx_xprt, l);
}

/**
 * xprt_rdma2_credit_put - our own request is answered, or was not sent
 * @r_xprt: transport
 *
 * Context: process context
 */
void xprt_rdma2_credit_put(struct rpcrdma_xprt *r_xprt)
{
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;

	spin_lock(&xprt->transport_lock);
	rpcrdma2_cong_put(xprt, rpcrdma2_ledger_control_put(&r_xprt->rx_v2.vx_ledger));
	xprt_rdma2_unwatch(r_xprt);
	spin_unlock(&xprt->transport_lock);
}

/**
 * xprt_rdma2_credits_covered - is no more in use than the server grants?
 * @r_xprt: transport
 *
 * Somebody may have got a credit before the grant was lowered, and not have sent his Call
 * yet.
 *
 * Context: process context
 * Return: false if there is more
 */
bool xprt_rdma2_credits_covered(struct rpcrdma_xprt *r_xprt)
{
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;
	bool covered;

	spin_lock(&xprt->transport_lock);
	covered = rpcrdma2_cong_used(xprt) <= r_xprt->rx_v2.vx_ledger.granted;
	spin_unlock(&xprt->transport_lock);
	return covered;
}

/* Section: what long messages reserve */

/* A Call was not sent, or is not going to be. @r_xprt: transport, transport_lock
 * held.
 */
static void __xprt_rdma2_reservation_undo(struct rpcrdma_xprt *r_xprt,
					  struct rpcrdma_req *req)
{
	struct rpcrdma2_ledger *l = &r_xprt->rx_v2.vx_ledger;
	struct rpcrdma2_reservation left;

	rpcrdma2_reservation_leave(l, &req->rl_v2.vq_reservation, &left);
	rpcrdma2_unreserve(l, left.credits, left.recvs);
	rpcrdma2_cong_put(&r_xprt->rx_xprt, left.credits);
}

/**
 * xprt_rdma2_reservation_begin - a Call is about to be prepared
 * @r_xprt: transport
 * @req: the Call
 *
 * Context: the transport's send lock is held: Calls are sent in the order in
 * which this is called
 */
void xprt_rdma2_reservation_begin(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req)
{
	struct rpcrdma2_outstanding *out = &r_xprt->rx_v2.vx_ledger.out;
	struct rpcrdma2_reservation *res = &req->rl_v2.vq_reservation;
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;

	/* Mostly there is nothing to undo. No message can be about this Call, and one
	 * that comes meanwhile might as well have come later.
	 */
	if (res->credits || res->recvs || data_race(READ_ONCE(out->nmissed))) {
		spin_lock(&xprt->transport_lock);
		__xprt_rdma2_reservation_undo(r_xprt, req);
		rpcrdma2_outstanding_begin(out, req->rl_slot.rq_xid);
		spin_unlock(&xprt->transport_lock);
	}
	rpcrdma2_reservation_begin(xprt->connect_cookie,
				   rpcrdma2_outstanding_next(out), res);
}

/**
 * xprt_rdma2_reserve - reserve all that a Call needs, or nothing
 * @r_xprt: transport
 * @req: the Call, which holds a credit
 * @credits: how many more it needs
 * @recvs: how many Receives more than one its reply may take
 *
 * Context: the transport's send lock is held
 * Return: RPCRDMA2_RESERVED, or why not
 */
enum rpcrdma2_refusal xprt_rdma2_reserve(struct rpcrdma_xprt *r_xprt,
					 struct rpcrdma_req *req, u32 credits,
					 u32 recvs)
{
	struct rpcrdma2_ledger *l = &r_xprt->rx_v2.vx_ledger;
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;
	enum rpcrdma2_refusal why;

	spin_lock(&xprt->transport_lock);
	why = rpcrdma2_reserve(l, rpcrdma2_cong_used(xprt), credits, recvs,
			       &req->rl_v2.vq_reservation);
	if (why == RPCRDMA2_RESERVED && credits)
		WARN_ON_ONCE(!rpcrdma2_cong_get(xprt, credits));
	spin_unlock(&xprt->transport_lock);
	return why;
}

/**
 * xprt_rdma2_reservation_undo - a Call is not going to be sent as it was planned
 * @r_xprt: transport
 * @req: the Call
 *
 * Context: the transport's send lock is held
 */
void xprt_rdma2_reservation_undo(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req)
{
	spin_lock(&r_xprt->rx_xprt.transport_lock);
	__xprt_rdma2_reservation_undo(r_xprt, req);
	spin_unlock(&r_xprt->rx_xprt.transport_lock);
}

/* Section: what comes back */

/* Take back what a Call has reserved. @r_xprt: transport, its transport_lock held.
 * @left: what it has reserved, on this connection. @behind: more of the reply may be
 * coming, and is going to be discarded.
 */
static void xprt_rdma2_repay(struct rpcrdma_xprt *r_xprt,
			     const struct rpcrdma2_reservation *left, bool refused,
			     bool behind)
{
	u32 credits;

	credits = rpcrdma2_ledger_repay(&r_xprt->rx_v2.vx_ledger, left, refused,
					behind);
	rpcrdma2_cong_put(&r_xprt->rx_xprt, credits);
	xprt_rdma2_unwatch(r_xprt);
}

/* Take back what a Call has reserved that has ended, but for the Receives of the rest of
 * its reply: they stay with it until they are posted again. @rep: the message that has
 * ended it. Not inline: most replies do not need it, nor room on the stack for it.
 */
static noinline void xprt_rdma2_call_repay(const struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpcrdma2_reservation left, *res =
		&rpcr_to_rdmar(rep->rr_rqst)->rl_v2.vq_reservation;
	bool behind = xprt_rdma2_draining(r_xprt);

	spin_lock(&r_xprt->rx_xprt.transport_lock);
	if (rpcrdma2_reservation_leave(&r_xprt->rx_v2.vx_ledger, res, &left)) {
		if (!behind) {
			res->recvs = left.recvs;
			left.recvs = 0;
		}
		xprt_rdma2_repay(r_xprt, &left,
				 rpcrdma2_is_refusal(&rep->rr_v2.vr_msg), behind);
	}
	spin_unlock(&r_xprt->rx_xprt.transport_lock);
}

/**
 * xprt_rdma2_call_ended - a message has come that ends a Call
 * @rep: the message, attached to the Call, whose task waits for it
 * @granted: it is a reply, so that what it grants counts
 *
 * The first credit of the Call stays with the RPC.
 *
 * Context: receive handler
 */
void xprt_rdma2_call_ended(const struct rpcrdma_rep *rep, bool granted)
{
	const struct rpcrdma2_reservation *res =
		&rpcr_to_rdmar(rep->rr_rqst)->rl_v2.vq_reservation;
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	u32 debt;

	/* Changes under the lock; of one that this look misses, the next answer
	 * takes care. What it has reserved is as it was when the Call was posted.
	 */
	debt = data_race(READ_ONCE(r_xprt->rx_v2.vx_ledger.out.debt));
	if (res->credits || res->recvs || debt)
		xprt_rdma2_call_repay(rep);
	if (granted)
		xprt_rdma2_take_grant(r_xprt, rep->rr_v2.vr_msg.credit);
}

/**
 * xprt_rdma2_late_reply - a message has come that no RPC waits for
 * @r_xprt: transport
 * @end: the message
 *
 * Returns what a Call has left behind that was given up. One that is about to be
 * given up has to know that this has come.
 *
 * Context: receive handler
 * Return: %RPCRDMA2_CALL_GIVEN_UP or %RPCRDMA2_CALL_UNKNOWN
 */
enum rpcrdma2_call_was xprt_rdma2_late_reply(struct rpcrdma_xprt *r_xprt,
					     const struct rpcrdma2_ending *end)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;
	struct rpcrdma2_reservation left = { };
	enum rpcrdma2_call_was was;
	struct rpcrdma2_outstanding_call call;

	spin_lock(&xprt->transport_lock);
	was = rpcrdma2_outstanding_ended(&vx->vx_ledger.out, end, &call);
	if (was == RPCRDMA2_CALL_GIVEN_UP) {
		left.order = call.order;
		left.credits = call.credits - 1;
		left.recvs = call.recvs;
		rpcrdma2_cong_put(&r_xprt->rx_xprt, 1);
		/* Its Receives are posted again before others may count on them. */
		xprt_rdma2_repay(r_xprt, &left, end->refused, true);
		WRITE_ONCE(vx->vx_conn.cn_given_up, vx->vx_ledger.out.given_up);
		rpcrdma2_count(&vx->vx_conn, RPCRDMA2_CNT_FORWARD_LATE);
	} else {
		rpcrdma2_outstanding_miss(&vx->vx_ledger.out, end);
	}
	spin_unlock(&xprt->transport_lock);
	return was;
}

/* Section: what is left behind */

/* A Call leaves behind what it holds. @r_xprt: transport, transport_lock held.
 * @rqst: has no credit any more.
 */
static void xprt_rdma2_leave(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			     const struct rpcrdma2_reservation *left)
{
	const struct rpcrdma2_outstanding_call call = {
		.xid		= rqst->rq_xid,
		.opt		= rpcr_to_rdmar(rqst)->rl_v2.vq_by_xmtreq,
		.order		= left->order,
		.credits	= 1 + left->credits,
		.recvs		= left->recvs,
	};
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;

	rpcrdma2_outstanding_leave(&vx->vx_ledger.out, &call);
	WRITE_ONCE(vx->vx_conn.cn_given_up, vx->vx_ledger.out.given_up);
	if (left->credits || left->recvs)
		rpcrdma2_count(&vx->vx_conn, RPCRDMA2_CNT_GROUPS_GIVEN_UP);
	rpcrdma2_cong_keep(rqst);
}

/* A task is done with a Call that nobody has answered. @r_xprt: transport,
 * transport_lock held. The answer may have come when the receive queue did not have
 * the Call any more. What comes behind that, if anything, is not known here.
 */
static void xprt_rdma2_give_up(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	const struct rpcrdma2_ending *end;
	struct rpcrdma2_reservation left;

	rpcrdma2_reservation_leave(&vx->vx_ledger, &req->rl_v2.vq_reservation,
				   &left);
	end = rpcrdma2_outstanding_missed(&vx->vx_ledger.out, rqst->rq_xid,
					  req->rl_v2.vq_by_xmtreq);
	if (end)
		xprt_rdma2_repay(r_xprt, &left, end->refused, true);
	else
		xprt_rdma2_leave(r_xprt, rqst, &left);
}

/**
 * xprt_rdma2_release - a task is done with its Call
 * @rqst: the Call; no message can be about it any more
 *
 * If it was not answered, what it holds stays behind; if it was not sent, it
 * is returned.
 *
 * Context: transport_lock is held; the caller returns what @rqst still holds
 */
void xprt_rdma2_release(struct rpc_rqst *rqst)
{
	struct rpcrdma_xprt *r_xprt = rpcx_to_rdmax(rqst->rq_xprt);

	if (bc_prealloc(rqst))
		return;
	/* It holds a credit of this connection, was posted, and no message about it has
	 * found it.
	 */
	if (rqst->rq_cong &&
	    READ_ONCE(r_xprt->rx_v2.vx_conn.cn_version) == RPCRDMA2_VERSION &&
	    xprt_rdma2_awaited(rqst))
		xprt_rdma2_give_up(r_xprt, rqst);
	else
		__xprt_rdma2_reservation_undo(r_xprt, rpcr_to_rdmar(rqst));
	if (test_bit(XPRT_CWND_WAIT, &r_xprt->rx_xprt.state))
		xprt_rdma2_watch(r_xprt, rqst->rq_timeout);
}

/* Section: reverse credits
 *
 * They have nothing to do with the congestion window. What is granted is what
 * the server has asked for last, as far as Receives have been posted for it.
 */

/* How many reverse Calls are prepared for. Returns a number of Calls, at least 1. */
static u32 xprt_rdma2_reverse_limit(const struct rpcrdma_xprt *r_xprt)
{
	return max_t(u32, r_xprt->rx_buf.rb_bc_srv_max_requests, 1);
}

/**
 * xprt_rdma2_reverse_grant - how many reverse Calls the server may send
 * @r_xprt: transport
 *
 * Return: the value for rdma_credit in what is sent in REPLY direction; never
 * zero
 */
u32 xprt_rdma2_reverse_grant(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	u32 grant;

	spin_lock(&r_xprt->rx_xprt.transport_lock);
	grant = rpcrdma2_ledger_peer_grant(&vx->vx_ledger);
	spin_unlock(&r_xprt->rx_xprt.transport_lock);

	WRITE_ONCE(vx->vx_conn.cn_reverse_grant, grant);
	return grant;
}

/**
 * xprt_rdma2_bc_begin - account for a reverse Call
 * @r_xprt: transport
 * @wanted: rdma_credit of the Call, as received
 * @count: transmissions that it takes
 *
 * Context: receive handler
 * Return: false if the server has no credit left (A-28, D-15)
 */
bool xprt_rdma2_bc_begin(struct rpcrdma_xprt *r_xprt, u32 wanted, u32 count)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	bool covered;

	wanted = rpcrdma2_clamp_credit(&vx->vx_conn, wanted,
				       xprt_rdma2_reverse_limit(r_xprt));
	spin_lock(&r_xprt->rx_xprt.transport_lock);
	covered = rpcrdma2_ledger_peer_begin(&vx->vx_ledger, wanted, count);
	rpcrdma2_conn_reverse_used(&vx->vx_conn, vx->vx_ledger.peer_used);
	spin_unlock(&r_xprt->rx_xprt.transport_lock);
	return covered;
}

/* Release reverse credits. @r_xprt: transport, transport_lock held. */
static void __xprt_rdma2_bc_unused(struct rpcrdma_xprt *r_xprt, u32 cookie,
				   u32 count)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;

	rpcrdma2_ledger_peer_end(&vx->vx_ledger, cookie, count);
	rpcrdma2_conn_reverse_used(&vx->vx_conn, vx->vx_ledger.peer_used);
}

/**
 * xprt_rdma2_bc_end - a reverse Call does not hold its credit any more
 * @r_xprt: transport
 * @req: the Call; its reply is about to be posted, or it never will be
 *
 * Context: process context
 */
void xprt_rdma2_bc_end(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req)
{
	spin_lock(&r_xprt->rx_xprt.transport_lock);
	if (req->rl_v2.vq_bc_credits)
		__xprt_rdma2_bc_unused(r_xprt, req->rl_bc_cookie,
				       req->rl_v2.vq_bc_credits);
	req->rl_v2.vq_bc_credits = 0;
	spin_unlock(&r_xprt->rx_xprt.transport_lock);
}

/**
 * xprt_rdma2_bc_unused - a reverse Call has come to nothing
 * @r_xprt: transport
 * @count: transmissions that it takes
 *
 * Context: receive handler
 */
void xprt_rdma2_bc_unused(struct rpcrdma_xprt *r_xprt, u32 count)
{
	spin_lock(&r_xprt->rx_xprt.transport_lock);
	__xprt_rdma2_bc_unused(r_xprt, r_xprt->rx_v2.vx_ledger.cookie, count);
	spin_unlock(&r_xprt->rx_xprt.transport_lock);
}

/* Section: forward credits and Receives */

/* Post Receives. @credits: forward credits in force, or about to be. A grant that was
 * lowered does not call back the Calls under way, and one of reverse credits may be raised
 * with the next reply (D-18). The limit to reverse Calls is raised when somebody serves
 * them, which may be long after the connection was made. What is granted follows the
 * Receives. Context: receive handler, in which alone @peer_posted changes. Returns how
 * many Receives are missing, for want of memory.
 */
static u32 xprt_rdma2_post_for(struct rpcrdma_xprt *r_xprt, u32 credits)
{
	u32 outstanding, reverse = xprt_rdma2_reverse_limit(r_xprt);
	struct rpcrdma2_ledger *l = &r_xprt->rx_v2.vx_ledger;
	int needed, missing;

	/* sunrpc changes it under the transport_lock. It goes beyond @credits
	 * only where a grant was lowered by this very context, and then it only
	 * falls: a look that is late asks for too many Receives.
	 */
	outstanding = data_race(READ_ONCE(r_xprt->rx_xprt.cong)) >>
		      RPC_CWNDSHIFT;
	needed = max(credits, outstanding) + reverse + RPCRDMA2_CTRL_RECVS;
	rpcrdma_post_recvs(r_xprt, needed);
	missing = needed - r_xprt->rx_ep->re_receive_count;
	if (missing > 0)
		return missing;
	if (l->peer_posted != reverse) {
		spin_lock(&r_xprt->rx_xprt.transport_lock);
		l->peer_posted = reverse;
		spin_unlock(&r_xprt->rx_xprt.transport_lock);
	}
	return 0;
}

/* Let RPCs use what is granted, as far as it is covered. The Receives for the
 * replies are posted before the first Call can leave that makes use of a grant. If
 * some cannot be, that much of the grant is left alone until they can. Context:
 * receive handler, in which alone the two numbers change.
 */
static void xprt_rdma2_use_grant(struct rpcrdma_xprt *r_xprt, u32 granted)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	struct rpcrdma2_ledger *l = &r_xprt->rx_v2.vx_ledger;
	u32 missing;

	if (xprt_rdma2_memory(r_xprt)) {
		xprt_rdma2_memory_arrived(r_xprt, granted);
		return;
	}
	missing = xprt_rdma2_post_for(r_xprt, granted);
	if (missing)
		rpcrdma2_count(conn, RPCRDMA2_CNT_RECVS_MISSING);
	if (granted == l->granted && missing == l->missing)
		return;
	spin_lock(&r_xprt->rx_xprt.transport_lock);
	l->granted = granted;
	l->missing = missing;
	r_xprt->rx_buf.rb_credits = rpcrdma2_ledger_limit(l);
	rpcrdma2_cong_window(&r_xprt->rx_xprt, rpcrdma2_ledger_window(l));
	spin_unlock(&r_xprt->rx_xprt.transport_lock);
	WRITE_ONCE(conn->cn_grant, r_xprt->rx_buf.rb_credits);
}

/**
 * xprt_rdma2_post_recvs - replace consumed Receives, and use what they allow
 * @r_xprt: transport
 *
 * If no more of a reply comes that was to be discarded, what that had reserved is
 * posted again before others may reserve it (V4).
 *
 * Context: receive handler; every message ends with this, whatever its
 * direction
 */
void xprt_rdma2_post_recvs(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_ledger *l = &r_xprt->rx_v2.vx_ledger;

	xprt_rdma2_use_grant(r_xprt, l->granted);
	/* Changes under the lock, mostly in this context. What a task leaves
	 * behind meanwhile the next message takes care of.
	 */
	if (!data_race(READ_ONCE(l->behind)) || xprt_rdma2_draining(r_xprt))
		return;
	spin_lock(&r_xprt->rx_xprt.transport_lock);
	rpcrdma2_reserve_drained(l);
	spin_unlock(&r_xprt->rx_xprt.transport_lock);
}

/**
 * xprt_rdma2_take_grant - obey a credit grant
 * @r_xprt: transport
 * @credit: rdma_credit of a message in REPLY direction, as received
 *
 * Context: receive handler
 */
void xprt_rdma2_take_grant(struct rpcrdma_xprt *r_xprt, u32 credit)
{
	u32 grant = rpcrdma2_clamp_credit(&r_xprt->rx_v2.vx_conn, credit,
					  r_xprt->rx_ep->re_max_requests);

	if (grant != r_xprt->rx_v2.vx_ledger.granted)
		xprt_rdma2_use_grant(r_xprt, grant);
}
