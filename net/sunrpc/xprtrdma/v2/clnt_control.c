// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: requests, announcements, errors and reports.
 *
 * What the server says takes effect in the receive handler. What this end has
 * to say goes out from wherever it is noticed: from the receive handler, from a
 * task that is about to send a Call, or from a work item of the connection.
 * Thresholds and the message that they go with change under ve_ctrl_lock. A
 * task that prepares a Call reads thresholds without it, and holds
 * ve_marshalling until the Call is posted.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "clnt_place.h"
#include <trace/events/rpcrdma.h>
#include <trace/events/rpcrdma2.h>

/* How long an answer waits for credits to come back that are not granted any more */
#define XPRT_RDMA2_ANSWER_TO	HZ
/* How soon to try again what could not be sent */
#define XPRT_RDMA2_CTRL_RETRY	(max_t(unsigned long, HZ / 50, 1))

/* Context: work item of a connection */
static void xprt_rdma2_ctrl_worker(struct work_struct *work);

/**
 * xprt_rdma2_xchar_init - get a connection ready for characteristics
 * @ep: connection that is being prepared, its re_v2 set
 */
void xprt_rdma2_xchar_init(struct rpcrdma_ep *ep)
{
	struct xprt_rdma2_ep *ve = ep->re_v2;

	spin_lock_init(&ve->ve_ctrl_lock);
	spin_lock_init(&ve->ve_post_lock);
	INIT_DELAYED_WORK(&ve->ve_ctrl_work, xprt_rdma2_ctrl_worker);
	xprt_rdma2_xchar_state(ep);
}

/* Section: what this end has to say */

/* Send a control message, if it can be sent now. @ctrl: the message; its
 * consequences hold. ROPT_REQXCH holds a forward credit until it is answered.
 * An empty one does not insist: where there are Calls, there are replies. One that
 * asks for shorter Receives must not overtake a Call that was prepared with the
 * longer ones in mind. Returns true if it was posted.
 */
static bool xprt_rdma2_post_ctrl(struct rpcrdma_xprt *r_xprt,
				 const struct rpcrdma2_ctrl *ctrl)
{
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;
	bool marshalling;

	if (ctrl->opttype == ROPT_UPDXCH)
		return xprt_rdma2_send_xch(r_xprt, ctrl);
	/* ORDER: thresholds before ve_marshalling. Pairs with the barrier in
	 * xprt_rdma2_begin_send(): a Call sees the new threshold, or is seen
	 * here.
	 */
	smp_mb();
	/* Pairs with the release in xprt_rdma2_end_send(): what was prepared with
	 * the old threshold is posted before this request.
	 */
	marshalling = smp_load_acquire(&ve->ve_marshalling);
	if (marshalling && ctrl->values.present & RPCRDMA2_HAS_RBSIZ)
		return false;
	if (!xprt_rdma2_credit_get(r_xprt, ctrl->values.present))
		return false;
	if (xprt_rdma2_send_xch(r_xprt, ctrl))
		return true;
	xprt_rdma2_credit_put(r_xprt);
	return false;
}

/* Has whoever used credits that the server does not grant any more sent his Call? A
 * Call that is being prepared is sent whatever the server does. Of those that wait
 * to be prepared, and of others that are not answered, only their sum is known, so
 * that this ends after a while. Context: ve_ctrl_lock is held.
 */
static bool xprt_rdma2_obeys_grant(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;

	/* ORDER: the grant before ve_marshalling. Pairs with the barrier in
	 * xprt_rdma2_begin_send(): a Call sees the new grant, or is seen here.
	 */
	smp_mb();
	/* Pairs with the release in xprt_rdma2_end_send(): the Call is posted. */
	if (smp_load_acquire(&ve->ve_marshalling))
		return false;
	return xprt_rdma2_credits_covered(r_xprt) ||
	       time_after(jiffies, ve->ve_answer_by);
}

/* Answer a request of the server's. From then on it counts on this end to obey the
 * grant that was received last. Nobody waits for that: whoever sends the next Call
 * comes by here, or the work item does. @insist: there is another answer behind
 * this. Context: ve_ctrl_lock is held. Returns false if the answer has to wait.
 */
static bool xprt_rdma2_answer(struct rpcrdma_xprt *r_xprt, bool insist)
{
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;

	if (!ve->ve_answer_due)
		return true;
	if (!insist && !xprt_rdma2_obeys_grant(r_xprt))
		return false;
	if (!xprt_rdma2_send_respxch(r_xprt, ve->ve_answer_xid, &ve->ve_answer)) {
		if (!insist)
			return false;
		rpcrdma2_count(ve->ve_conn, RPCRDMA2_CNT_ERRORS_UNSENT);
	}
	ve->ve_answer_due = false;
	rpcrdma2_conn_answered(ve->ve_conn);
	return true;
}

/* Send the control messages that are due. Context: process context. */
static void xprt_rdma2_control_send(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_ep *ve = ep->re_v2;
	struct rpcrdma2_ctrl ctrl;
	bool sent;

	spin_lock(&ve->ve_ctrl_lock);
	sent = xprt_rdma2_answer(r_xprt, false);
	while (sent && rpcrdma2_conn_due(ve->ve_conn) &&
	       rpcrdma2_conn_next(ve->ve_conn,
				  xprt_rdma2_next_xid(&r_xprt->rx_xprt),
				  &ctrl)) {
		__xprt_rdma2_set_sizes(ep);
		sent = xprt_rdma2_post_ctrl(r_xprt, &ctrl);
		rpcrdma2_conn_sent(ve->ve_conn, &ctrl, sent);
	}
	__xprt_rdma2_set_sizes(ep);
	if (sent)
		xprt_rdma2_credit_unwanted(r_xprt);
	WRITE_ONCE(ve->ve_due, !sent);
	spin_unlock(&ve->ve_ctrl_lock);
	if (!sent)
		xprt_rdma2_queue(ve, &ve->ve_ctrl_work, XPRT_RDMA2_CTRL_RETRY);
}

/* Send control messages when nobody else comes by. */
static void xprt_rdma2_ctrl_worker(struct work_struct *work)
{
	struct xprt_rdma2_ep *ve = container_of(work, struct xprt_rdma2_ep,
						ve_ctrl_work.work);

	xprt_rdma2_control_send(xprt_rdma2_conn_xprt(ve->ve_conn));
}

/**
 * xprt_rdma2_kick - have the work item run
 * @conn: record of a connection
 *
 * Context: cn_lock is held
 */
void xprt_rdma2_kick(struct rpcrdma2_conn *conn)
{
	struct xprt_rdma2_ep *ve = xprt_rdma2_conn_xprt(conn)->rx_ep->re_v2;

	mod_delayed_work(xprtiod_workqueue, &ve->ve_ctrl_work, 0);
}

/**
 * xprt_rdma2_progress - see whether there is anything to tell the server
 * @r_xprt: transport
 *
 * Context: receive handler, after each message
 */
void xprt_rdma2_progress(struct rpcrdma_xprt *r_xprt)
{
	const struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	u32 size = me ? me->me_plain : READ_ONCE(rpcrdma2_client_recv_size);

	if (rpcrdma2_conn_progress(conn, size))
		xprt_rdma2_control_send(r_xprt);
	else if (!rpcrdma2_conn_unchanged(conn,
					  READ_ONCE(r_xprt->rx_ep->re_v2->ve_seen)))
		xprt_rdma2_set_sizes(r_xprt->rx_ep);
}

/**
 * xprt_rdma2_announce - tell the server what it has to know before the next Call
 * @r_xprt: transport
 *
 * That the callback service is there has to be known before the Call that makes
 * use of it (X-83, D-32).
 *
 * Context: the transport's send lock is held
 */
void xprt_rdma2_announce(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	u32 brs = xprt_rdma2_own_brs(&r_xprt->rx_xprt);
	bool due = READ_ONCE(r_xprt->rx_ep->re_v2->ve_due);

	if (READ_ONCE(conn->cn_xch.xc_local.brs) != brs) {
		rpcrdma2_conn_change_begin(conn);
		rpcrdma2_xch_own_value(&conn->cn_xch, RPCRDMA2_BRS, brs);
		rpcrdma2_conn_change_end(conn);
		due = true;
	}
	if (due)
		xprt_rdma2_control_send(r_xprt);
}

/* Section: requests and answers
 *
 * Each returns XPRT_RDMA2_O_UNSOUND if the content does not parse, or answers
 * nothing (N-101, N-103). Thresholds follow in xprt_rdma2_progress().
 */

/* The server answers, or pretends to. @rep: received INITXCH in REPLY direction. The
 * answer to the probe carries the first grant, even if its content is garbled
 * (N-92). Where nobody asked, characteristics are taken if they are the first
 * (N-91).
 */
static void xprt_rdma2_initxch_reply(const struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;

	if (!ve->ve_probe_open || rep->rr_v2.vr_msg.xid != ve->ve_probe_xid)
		return;
	ve->ve_probe_open = false;
	xprt_rdma2_take_grant(r_xprt, rep->rr_v2.vr_msg.credit);
	xprt_rdma2_granted(ve);
}

/**
 * xprt_rdma2_initxch - process INITXCH
 * @rep: received INITXCH, header sound
 *
 * One in CALL direction is accepted and answered, but grants nothing.
 *
 * Context: receive handler
 * Return: what is left to do
 */
enum xprt_rdma2_outcome xprt_rdma2_initxch(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	bool sound;

	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_CONTROL_RECEIVED);
	sound = rpcrdma2_conn_initxch(&r_xprt->rx_v2.vx_conn,
				      rdmab_data(rep->rr_rdmabuf), &rep->rr_v2.vr_msg);
	if (rep->rr_v2.vr_msg.dir == RDMA2_REPLY) {
		xprt_rdma2_initxch_reply(rep);
	} else if (sound) {
		xprt_rdma2_post_recvs(r_xprt);
		xprt_rdma2_send_initxch(r_xprt, rep->rr_v2.vr_msg.xid, RDMA2_REPLY,
					xprt_rdma2_reverse_grant(r_xprt));
	}
	return sound ? XPRT_RDMA2_O_DONE : XPRT_RDMA2_O_UNSOUND;
}

/**
 * xprt_rdma2_reqxch - process ROPT_REQXCH
 * @rep: received message in CALL direction, header sound
 *
 * The answer goes out before anything else can be announced, and before that
 * to a later request.
 *
 * Context: receive handler
 * Return: what is left to do
 */
enum xprt_rdma2_outcome xprt_rdma2_reqxch(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;
	bool sound, sent = true;

	rpcrdma2_count(ve->ve_conn, RPCRDMA2_CNT_CONTROL_RECEIVED);
	xprt_rdma2_post_recvs(r_xprt);
	spin_lock(&ve->ve_ctrl_lock);
	xprt_rdma2_answer(r_xprt, true);
	sound = rpcrdma2_conn_reqxch(ve->ve_conn, rdmab_data(rep->rr_rdmabuf),
				     &rep->rr_v2.vr_msg, &ve->ve_answer);
	if (sound) {
		ve->ve_answer_xid = rep->rr_v2.vr_msg.xid;
		ve->ve_answer_by = jiffies + XPRT_RDMA2_ANSWER_TO;
		ve->ve_answer_due = true;
		sent = xprt_rdma2_answer(r_xprt, false);
	}
	if (!sent)
		WRITE_ONCE(ve->ve_due, true);
	spin_unlock(&ve->ve_ctrl_lock);
	if (!sent)
		xprt_rdma2_queue(ve, &ve->ve_ctrl_work, XPRT_RDMA2_CTRL_RETRY);
	return sound ? XPRT_RDMA2_O_DONE : XPRT_RDMA2_O_UNSOUND;
}

/* Let ROPT_RESPXCH take effect. @rep: received message in REPLY direction, perhaps
 * not sound (N-104). One with the xid of a request that is being sent must not take back
 * the credit before that has it. Returns false if it answers nothing (N-103).
 */
static bool xprt_rdma2_take_respxch(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;
	bool answers;

	spin_lock(&ve->ve_ctrl_lock);
	answers = rpcrdma2_conn_respxch(ve->ve_conn, rdmab_data(rep->rr_rdmabuf),
					&rep->rr_v2.vr_msg);
	if (answers)
		xprt_rdma2_credit_put(r_xprt);
	spin_unlock(&ve->ve_ctrl_lock);
	if (answers)
		xprt_rdma2_take_grant(r_xprt, rep->rr_v2.vr_msg.credit);
	return answers;
}

/**
 * xprt_rdma2_respxch - process ROPT_RESPXCH
 * @rep: received message in REPLY direction, header sound
 *
 * Context: receive handler
 * Return: what is left to do
 */
enum xprt_rdma2_outcome xprt_rdma2_respxch(struct rpcrdma_rep *rep)
{
	rpcrdma2_count(&rep->rr_rxprt->rx_v2.vx_conn,
		       RPCRDMA2_CNT_CONTROL_RECEIVED);
	return xprt_rdma2_take_respxch(rep) ? XPRT_RDMA2_O_DONE :
					      XPRT_RDMA2_O_UNSOUND;
}

/**
 * xprt_rdma2_bad_respxch - process ROPT_RESPXCH that does not parse
 * @rep: received message in REPLY direction
 *
 * It is an answer all the same (N-104).
 *
 * Context: receive handler
 */
void xprt_rdma2_bad_respxch(struct rpcrdma_rep *rep)
{
	xprt_rdma2_take_respxch(rep);
}

/**
 * xprt_rdma2_updxch - process ROPT_UPDXCH
 * @rep: received message, header sound
 *
 * Context: receive handler
 * Return: what is left to do
 */
enum xprt_rdma2_outcome xprt_rdma2_updxch(struct rpcrdma_rep *rep)
{
	struct rpcrdma2_conn *conn = &rep->rr_rxprt->rx_v2.vx_conn;

	rpcrdma2_count(conn, RPCRDMA2_CNT_CONTROL_RECEIVED);
	return rpcrdma2_conn_updxch(conn, rdmab_data(rep->rr_rdmabuf),
				    &rep->rr_v2.vr_msg) ? XPRT_RDMA2_O_DONE :
						   XPRT_RDMA2_O_UNSOUND;
}

/* Section: errors and reports */

/* See whether RDMA2_ERROR is about a control message. @rep: received RDMA2_ERROR,
 * header sound. It grants credits as any other does (B-76). Returns false if it is
 * not.
 */
static bool xprt_rdma2_ctrl_error(struct rpcrdma_rep *rep)
{
	struct xprt_rdma2_ep *ve = rep->rr_rxprt->rx_ep->re_v2;
	u32 about;

	spin_lock(&ve->ve_ctrl_lock);
	about = rpcrdma2_conn_error(ve->ve_conn, &rep->rr_v2.vr_msg);
	if (about == ROPT_REQXCH)
		xprt_rdma2_credit_put(rep->rr_rxprt);
	spin_unlock(&ve->ve_ctrl_lock);
	if (about && ve->ve_state == XPRT_RDMA2_OPEN)
		xprt_rdma2_take_grant(rep->rr_rxprt, rep->rr_v2.vr_msg.credit);
	return about;
}

/**
 * xprt_rdma2_repterr - process ROPT_REPTERR
 * @rep: received message, header sound; may go with the Call it is about
 *
 * One about a response is about none of ours: reverse Calls are answered by
 * plain messages. One that names the beginning of a group is about the group.
 *
 * Context: receive handler
 * Return: what is left to do
 */
enum xprt_rdma2_outcome xprt_rdma2_repterr(struct rpcrdma_rep *rep)
{
	struct rpcrdma2_conn *conn = &rep->rr_rxprt->rx_v2.vx_conn;
	const struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;
	struct rpcrdma2_repterr report;
	struct rpcrdma2_xmsid about;

	if (rpcrdma2_decode_repterr(rdmab_data(rep->rr_rdmabuf), msg, &report))
		return XPRT_RDMA2_O_DROP;
	rpcrdma2_count(conn, RPCRDMA2_CNT_REPTERR_RECEIVED);
	rpcrdma2_conn_reported(conn, &report, false);
	if (!rpcrdma2_repterr_about(msg, &report, &about) ||
	    about.dir != RDMA2_CALL)
		return XPRT_RDMA2_O_DROP;
	rep->rr_xid = about.xid;
	return xprt_rdma2_send_again(rep, "off: server reported an error");
}

/* Does an RPC of this connection wait for a message? */
static bool xprt_rdma2_expected(struct rpcrdma_xprt *r_xprt, __be32 xid)
{
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;
	struct rpc_rqst *rqst;
	bool expected;

	spin_lock(&xprt->queue_lock);
	rqst = xprt_lookup_rqst(xprt, xid);
	expected = rqst && xprt_rdma2_awaited(rqst);
	spin_unlock(&xprt->queue_lock);
	return expected;
}

/* Does the server speak some other version 2? @msg: received RDMA2_ERROR. There is
 * more than one protocol of this number. A server that has not understood the probe,
 * and does not know the header type of the first RPC either, is left to version 1:
 * that is what the RPC is sent again by, over another connection. An error about an
 * RPC that was not sent says nothing of the kind. Returns true if the connection has
 * been ended for that.
 */
static bool xprt_rdma2_stranger(struct rpcrdma_xprt *r_xprt,
				const struct rpcrdma2_msg *msg)
{
	if (msg->error.code != RDMA2_ERR_INVAL_PROC ||
	    r_xprt->rx_ep->re_v2->ve_state != XPRT_RDMA2_ONE ||
	    !xprt_rdma2_expected(r_xprt, msg->xid))
		return false;
	WRITE_ONCE(r_xprt->rx_v2.vx_stranger, true);
	rpcrdma_force_disconnect(r_xprt->rx_ep);
	return true;
}

/**
 * xprt_rdma2_error - process RDMA2_ERROR
 * @rep: received RDMA2_ERROR, header sound; may go with a Call
 *
 * INVAL_OPTION is about a message of RDMA2_OPTIONAL, never about an RPC that
 * went by RDMA2_MSG (A-12, A-69, N-49). ERR_VERS after negotiation costs the
 * connection (N-45).
 *
 * Context: receive handler
 * Return: what is left to do
 */
enum xprt_rdma2_outcome xprt_rdma2_error(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;
	const struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;

	rpcrdma2_count_error(ve->ve_conn, msg->error.code, false);
	trace_rpcrdma2_error_received(ve->ve_conn, msg->xid, &msg->error);

	if (msg->error.code == RDMA2_ERR_VERS) {
		rpcrdma_force_disconnect(r_xprt->rx_ep);
		return XPRT_RDMA2_O_FAIL;
	}
	if (ve->ve_probe_open && msg->xid == ve->ve_probe_xid) {
		ve->ve_probe_open = false;
		return XPRT_RDMA2_O_DONE;
	}
	if (xprt_rdma2_ctrl_error(rep))
		return XPRT_RDMA2_O_DONE;
	if (xprt_rdma2_stranger(r_xprt, msg))
		return XPRT_RDMA2_O_DROP;
	if (msg->error.code == RDMA2_ERR_INVAL_OPTION)
		return xprt_rdma2_send_again(rep, "off: server refused it");
	if (ve->ve_state == XPRT_RDMA2_OPEN)
		xprt_rdma2_take_grant(r_xprt, msg->credit);
	return XPRT_RDMA2_O_FAIL;
}
