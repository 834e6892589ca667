// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: what Calls hold, and how it comes back.
 *
 * sunrpc returns the one credit that it knows of when it releases an RPC. What a
 * Call has borrowed (xprt_rdma2_loan.c) comes back when it is answered; if the
 * server has refused it, its credits are owed until a later one is answered.
 *
 * A Call whose task was killed, or timed out, is still going to be answered, with
 * as many transmissions as it has set Receives aside for. All that it holds
 * remains taken until then, or until the connection ends. If there is nothing
 * left for others, and they have waited for as long as an RPC has time, the
 * connection is closed, as it is if an RPC that is waited for is not answered.
 *
 * All of this is protected by the transport_lock, and starts anew with each
 * connection.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "xprt_rdma.h"
#include "xprt_rdma2_place.h"

/*
 * Section: is anything left?
 */

/**
 * xprt_rdma2_stuck - is there no credit left that an RPC could get?
 * @r_xprt: transport, transport_lock held
 *
 * Our own ROPT_REQXCH holds a credit like a Call that was given up does. Nobody
 * waits for more than one.
 *
 * Return: true if only late answers can bring one
 */
static bool xprt_rdma2_stuck(const struct rpcrdma_xprt *r_xprt)
{
	const struct xprt_rdma2 *vx = &r_xprt->rx_v2;

	lockdep_assert_held(&r_xprt->rx_xprt.transport_lock);

	return rpcrdma2_calls_stuck(&vx->vx_calls,
				    vx->vx_credit.cr_rqst.rq_cong, 1,
				    r_xprt->rx_xprt.cwnd >> RPC_CWNDSHIFT);
}

/**
 * xprt_rdma2_watch - if only late answers can bring a credit, wait for them
 * @r_xprt: transport, transport_lock held; an RPC waits for a credit
 * @timeout: for how long to wait, in jiffies
 *
 * A wait that has begun is not made longer by others who come to wait.
 */
static void xprt_rdma2_watch(struct rpcrdma_xprt *r_xprt, unsigned long timeout)
{
	if (xprt_rdma2_stuck(r_xprt))
		queue_delayed_work(xprtiod_workqueue,
				   &r_xprt->rx_v2.vx_stuck_work, timeout);
}

/**
 * xprt_rdma2_unwatch - a late answer has come: is it enough?
 * @r_xprt: transport, transport_lock held
 */
static void xprt_rdma2_unwatch(struct rpcrdma_xprt *r_xprt)
{
	if (!xprt_rdma2_stuck(r_xprt))
		cancel_delayed_work(&r_xprt->rx_v2.vx_stuck_work);
}

/**
 * xprt_rdma2_kept_waiting - is there anybody who waits to send?
 * @xprt: transport
 *
 * Return: true if something is in the transmit queue
 */
static bool xprt_rdma2_kept_waiting(struct rpc_xprt *xprt)
{
	bool waiting;

	spin_lock(&xprt->queue_lock);
	waiting = !list_empty(&xprt->xmit_queue);
	spin_unlock(&xprt->queue_lock);
	return waiting;
}

/**
 * xprt_rdma2_stuck_worker - close a connection that RPCs cannot use any more
 * @work: work item of a transport
 *
 * The connection may be another one by now: then nothing is stuck.
 */
static void xprt_rdma2_stuck_worker(struct work_struct *work)
{
	struct rpcrdma_xprt *r_xprt = container_of(work, struct rpcrdma_xprt,
						   rx_v2.vx_stuck_work.work);
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;
	bool stuck;

	spin_lock(&xprt->transport_lock);
	stuck = xprt_rdma2_stuck(r_xprt);
	spin_unlock(&xprt->transport_lock);
	if (!stuck || !xprt_rdma2_kept_waiting(xprt))
		return;
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_CREDITS_STUCK);
	xprt_force_disconnect(xprt);
}

/**
 * xprt_rdma2_calls_init - prepare a transport
 * @r_xprt: transport that is being set up
 */
void xprt_rdma2_calls_init(struct rpcrdma_xprt *r_xprt)
{
	INIT_DELAYED_WORK(&r_xprt->rx_v2.vx_stuck_work,
			  xprt_rdma2_stuck_worker);
}

/**
 * xprt_rdma2_calls_destroy - undo xprt_rdma2_calls_init()
 * @r_xprt: transport without a connection, and without RPCs
 */
void xprt_rdma2_calls_destroy(struct rpcrdma_xprt *r_xprt)
{
	cancel_delayed_work_sync(&r_xprt->rx_v2.vx_stuck_work);
}

/**
 * xprt_rdma2_calls_reset - start with the forward credits of a new connection
 * @r_xprt: transport that is about to connect
 *
 * rpcrdma_reset_cwnd() takes back the credits themselves.
 *
 * Context: connect worker, which steps the connect cookie when it is done
 */
void xprt_rdma2_calls_reset(struct rpcrdma_xprt *r_xprt)
{
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;

	spin_lock(&xprt->transport_lock);
	vx->vx_grant = 1;
	rpcrdma2_calls_reset(&vx->vx_calls);
	rpcrdma2_lender_reset(&vx->vx_lender, xprt->connect_cookie + 1);
	vx->vx_credit.cr_rqst.rq_cong = 0;
	vx->vx_credit.cr_wanted = false;
	cancel_delayed_work(&vx->vx_stuck_work);
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

	rpcrdma2_credit_put(&r_xprt->rx_v2.vx_credit);
	spin_lock(&xprt->transport_lock);
	xprt_rdma2_unwatch(r_xprt);
	spin_unlock(&xprt->transport_lock);
}

/*
 * Section: what comes back
 */

/**
 * xprt_rdma2_release_credits - give back credits
 * @r_xprt: transport, its transport_lock held
 * @credits: how many
 *
 * Wakes whoever waits for one.
 */
void xprt_rdma2_release_credits(struct rpcrdma_xprt *r_xprt, u32 credits)
{
	while (credits--)
		rpcrdma2_credit_return(&r_xprt->rx_v2.vx_returned,
				       &r_xprt->rx_xprt);
}

/**
 * xprt_rdma2_settle - take back what a Call has borrowed
 * @r_xprt: transport, its transport_lock held
 * @loan: what it has borrowed, on this connection
 * @refused: the message that ends it is no reply
 * @behind: more of the reply may be coming, and is going to be discarded
 *
 * As long as it is coming, the Receives that it needs are not for others.
 */
static void xprt_rdma2_settle(struct rpcrdma_xprt *r_xprt,
			      const struct rpcrdma2_loan *loan, bool refused,
			      bool behind)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	u32 credits;

	credits = rpcrdma2_calls_settle(&vx->vx_calls, loan->order,
					loan->credits, refused);
	rpcrdma2_lend_back(&vx->vx_lender, credits, behind ? 0 : loan->recvs);
	if (behind)
		rpcrdma2_lend_behind(&vx->vx_lender, loan->recvs);
	xprt_rdma2_release_credits(r_xprt, credits);
	xprt_rdma2_unwatch(r_xprt);
}

/**
 * xprt_rdma2_call_ended - a message has come that ends a Call
 * @r_xprt: transport
 * @req: the Call; its task waits for it
 * @refused: the message is no reply
 *
 * Its first credit stays with the RPC. Serves C-19, C-22.
 *
 * Context: receive handler
 */
void xprt_rdma2_call_ended(struct rpcrdma_xprt *r_xprt,
			   struct rpcrdma_req *req, bool refused)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	struct rpcrdma2_loan loan;
	u32 debt;

	/* Changes under the lock; of one that this look misses, the next answer
	 * takes care. The loan is as it was when the Call was posted.
	 */
	debt = data_race(READ_ONCE(vx->vx_calls.debt));
	if (!req->rl_v2_loan.credits && !req->rl_v2_loan.recvs && !debt)
		return;
	spin_lock(&r_xprt->rx_xprt.transport_lock);
	if (rpcrdma2_loan_leave(&vx->vx_lender, &req->rl_v2_loan, &loan))
		xprt_rdma2_settle(r_xprt, &loan, refused,
				  xprt_rdma2_draining(r_xprt));
	spin_unlock(&r_xprt->rx_xprt.transport_lock);
}

/**
 * xprt_rdma2_late - a message has come that no RPC waits for
 * @r_xprt: transport
 * @end: the message
 *
 * Returns what a Call has left behind that was given up. One that is about to be
 * given up has to know that this has come.
 *
 * Context: receive handler
 *
 * Return: %RPCRDMA2_CALL_GIVEN_UP or %RPCRDMA2_CALL_UNKNOWN
 */
enum rpcrdma2_call_was xprt_rdma2_late(struct rpcrdma_xprt *r_xprt,
				       const struct rpcrdma2_ending *end)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;
	struct rpcrdma2_loan loan = { };
	enum rpcrdma2_call_was was;
	struct rpcrdma2_call call;

	spin_lock(&xprt->transport_lock);
	was = rpcrdma2_calls_ended(&vx->vx_calls, end, &call);
	if (was == RPCRDMA2_CALL_GIVEN_UP) {
		loan.order = call.order;
		loan.credits = call.credits - 1;
		loan.recvs = call.recvs;
		xprt_rdma2_release_credits(r_xprt, 1);
		xprt_rdma2_settle(r_xprt, &loan, end->refused,
				  xprt_rdma2_draining(r_xprt));
		rpcrdma2_conn_given_up(&vx->vx_conn, vx->vx_calls.given_up);
		rpcrdma2_count(&vx->vx_conn, RPCRDMA2_CNT_FORWARD_LATE);
	} else {
		rpcrdma2_calls_miss(&vx->vx_calls, end);
	}
	spin_unlock(&xprt->transport_lock);
	return was;
}

/*
 * Section: what is left behind
 */

/**
 * xprt_rdma2_unanswered_call - does a Call end without an answer?
 * @r_xprt: transport, transport_lock held
 * @rqst: Call that its task is done with; the receive queue does not have it
 *	any more
 *
 * Return: true if it holds a credit of this connection, was posted, and no
 * message about it has found it
 */
static bool xprt_rdma2_unanswered_call(const struct rpcrdma_xprt *r_xprt,
				       struct rpc_rqst *rqst)
{
	return rqst->rq_cong &&
	       READ_ONCE(r_xprt->rx_v2.vx_conn.cn_version) ==
	       RPCRDMA2_VERSION &&
	       xprt_rdma2_awaited(rqst);
}

/**
 * xprt_rdma2_leave - a Call leaves behind what it holds
 * @r_xprt: transport, transport_lock held
 * @rqst: the Call; has no credit any more
 * @loan: what it has borrowed
 */
static void xprt_rdma2_leave(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			     const struct rpcrdma2_loan *loan)
{
	const struct rpcrdma2_call call = {
		.xid		= rqst->rq_xid,
		.opt		= rpcr_to_rdmar(rqst)->rl_v2_xmt,
		.order		= loan->order,
		.credits	= 1 + loan->credits,
		.recvs		= loan->recvs,
	};
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;

	rpcrdma2_calls_leave(&vx->vx_calls, &call);
	rpcrdma2_conn_given_up(&vx->vx_conn, vx->vx_calls.given_up);
	if (loan->credits || loan->recvs)
		rpcrdma2_count(&vx->vx_conn, RPCRDMA2_CNT_GROUPS_GIVEN_UP);
	rqst->rq_cong = 0;
}

/**
 * xprt_rdma2_give_up - a task is done with a Call that nobody has answered
 * @r_xprt: transport, transport_lock held
 * @rqst: the Call
 *
 * The answer may have come when the receive queue did not have the Call any
 * more. What comes behind that, if anything, is not known here.
 */
static void xprt_rdma2_give_up(struct rpcrdma_xprt *r_xprt,
			       struct rpc_rqst *rqst)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	const struct rpcrdma2_ending *end;
	struct rpcrdma2_loan loan;

	rpcrdma2_loan_leave(&vx->vx_lender, &req->rl_v2_loan, &loan);
	end = rpcrdma2_calls_missed(&vx->vx_calls, rqst->rq_xid,
				    req->rl_v2_xmt);
	if (end)
		xprt_rdma2_settle(r_xprt, &loan, end->refused, true);
	else
		xprt_rdma2_leave(r_xprt, rqst, &loan);
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

	if (xprt_rdma2_unanswered_call(r_xprt, rqst))
		xprt_rdma2_give_up(r_xprt, rqst);
	else
		__xprt_rdma2_loan_undo(r_xprt, rpcr_to_rdmar(rqst));
	if (test_bit(XPRT_CWND_WAIT, &r_xprt->rx_xprt.state))
		xprt_rdma2_watch(r_xprt, rqst->rq_timeout);
}
