// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: whatever arrives once the version is known.
 *
 * One message at a time, in the order of arrival. Each ends in one of four
 * ways: its buffer goes with the RPC it completes, or to the callback
 * service, or it is answered, or dropped; and in all of them the Receive that
 * it used up is replaced.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "xprt_rdma.h"
#include "xprt_rdma2_place.h"
#include <trace/events/rpcrdma.h>
#include <trace/events/rpcrdma2.h>

/**
 * xprt_rdma2_decode - decode the transport header of a received message
 * @rep: received message
 *
 * The verdict covers all lengths and counts of the header, measured against
 * what was received; what comes later relies on it.
 *
 * Return: what the codec has to say
 */
enum rpcrdma2_verdict xprt_rdma2_decode(struct rpcrdma_rep *rep)
{
	struct rpcrdma2_limits limits = {
		.max_message		= RPCRDMA_MAX_DATA_SEGS << PAGE_SHIFT,
		.max_read_segs		= RPCRDMA_MAX_HDR_SEGS,
		.max_write_chunks	= RPCRDMA_MAX_HDR_SEGS,
		.max_segs		= RPCRDMA_MAX_SEGS,
		.opttypes		= BIT(ROPT_INITXCH) |
					  BIT(ROPT_REQXCH) |
					  BIT(ROPT_RESPXCH) |
					  BIT(ROPT_UPDXCH),
	};
	const struct xprt_rdma2_place *vp =
		rep->rr_rxprt->rx_ep->re_v2->ve_place;
	struct rpcrdma2_msg *msg = &rep->rr_v2;
	struct rpcrdma2_conn *conn = &rep->rr_rxprt->rx_v2.vx_conn;

	if (vp)
		limits.opttypes |= BIT(ROPT_XMTRESP) | BIT(ROPT_REPTERR);
	if (vp && vp->vp_cont)
		limits.opttypes |= BIT(ROPT_XMTREQ) | BIT(ROPT_XMTCONT);
	rpcrdma2_decode(rdmab_data(rep->rr_rdmabuf), rep->rr_hdrbuf.len,
			&limits, msg);
	rep->rr_xid = msg->xid;
	rep->rr_vers = cpu_to_be32(msg->vers);
	rep->rr_proc = cpu_to_be32(msg->proc);
	rep->rr_v2_failed = false;
	rep->rr_v2_again = false;
	rep->rr_v2_xmts = 1;
	if (msg->verdict == RPCRDMA2_OK)
		trace_rpcrdma2_receive(conn, msg);
	else
		trace_rpcrdma2_bad_message(conn, msg);
	return msg->verdict;
}

/**
 * xprt_rdma2_drop - discard a message without an answer
 * @rep: received message; released
 *
 * Context: receive handler
 */
void xprt_rdma2_drop(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;

	trace_rpcrdma2_drop(&r_xprt->rx_v2.vx_conn, &rep->rr_v2);
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_DROPPED);
	rpcrdma_rep_put(&r_xprt->rx_buf, rep);
}

/**
 * xprt_rdma2_awaited - does a Call wait for an answer?
 * @rqst: the Call
 *
 * sunrpc knows a Call by its xid before it is sent and until it is released.
 * Only once it was posted, and over this connection, can a message be about it
 * (N-30).
 *
 * Context: the Call is not taken back meanwhile: queue_lock is held, or its task
 * is done with it
 *
 * Return: true until there is an answer; how the Call was sent is known then
 */
bool xprt_rdma2_awaited(const struct rpc_rqst *rqst)
{
	const struct rpcrdma_req *req = rpcr_to_rdmar(rqst);

	/* Pairs with the release in frwr_send() */
	return smp_load_acquire(&req->rl_posted) &&
	       req->rl_v2_xid == rqst->rq_xid;
}

/**
 * xprt_rdma2_take - have a message be the answer to a Call
 * @rqst: Call that is known by the message's xid
 * @only_xmt: the message is about none that was not sent by ROPT_XMTREQ
 *
 * A server that answers early, or twice, must not get at the memory regions of
 * a Call while they are being registered or invalidated. xprt_rdma2_begin()
 * cannot take the Call back from here on.
 *
 * Return: true the first time after the Call was posted
 */
static bool xprt_rdma2_take(struct rpc_rqst *rqst, bool only_xmt)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);

	lockdep_assert_held(&rqst->rq_xprt->queue_lock);

	if (!xprt_rdma2_awaited(rqst) || (only_xmt && !req->rl_v2_xmt))
		return false;
	req->rl_posted = false;
	return true;
}

/**
 * xprt_rdma2_pin_rqst - find the Call that a message is about
 * @rep: received message
 * @only_xmt: it is about none that was not sent by ROPT_XMTREQ
 *
 * Context: receive handler
 *
 * Return: %RPCRDMA2_CALL_AWAITED if @rep is attached to one, which stays pinned
 * until rpcrdma_complete_rqst() or rpcrdma_unpin_rqst(); or why it is not
 */
enum rpcrdma2_call_was xprt_rdma2_pin_rqst(struct rpcrdma_rep *rep,
					   bool only_xmt)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;
	const struct rpcrdma2_ending end = {
		.xid		= rep->rr_xid,
		.only_opt	= only_xmt,
		.refused	= rpcrdma2_is_refusal(&rep->rr_v2),
	};
	struct rpcrdma_req *req;
	struct rpc_rqst *rqst;

	spin_lock(&xprt->queue_lock);
	rqst = xprt_lookup_rqst(xprt, rep->rr_xid);
	if (rqst && !xprt_rdma2_take(rqst, only_xmt))
		rqst = NULL;
	if (rqst)
		xprt_pin_rqst(rqst);
	spin_unlock(&xprt->queue_lock);
	if (!rqst)
		return xprt_rdma2_late(r_xprt, &end);

	req = rpcr_to_rdmar(rqst);
	xprt_rdma2_call_ended(r_xprt, req, end.refused);
	if (req->rl_reply)
		rpcrdma_rep_put(&r_xprt->rx_buf, req->rl_reply);
	req->rl_reply = rep;
	rep->rr_rqst = rqst;
	rpcrdma2_conn_confirm(&r_xprt->rx_v2.vx_conn, req->rl_v2_epoch);
	return RPCRDMA2_CALL_AWAITED;
}

/**
 * xprt_rdma2_remote_inv - account for memory that the server invalidated
 * @rep: received message, attached to its Call
 * @req: that Call
 *
 * An rkey that is not of this Call is counted, and all of the Call's own
 * handles are invalidated locally (N-29).
 */
static void xprt_rdma2_remote_inv(struct rpcrdma_rep *rep,
				  struct rpcrdma_req *req)
{
	struct rpcrdma2_conn *conn = &rep->rr_rxprt->rx_v2.vx_conn;
	struct rpcrdma_mr *mr;

	if (!(rep->rr_wc_flags & IB_WC_WITH_INVALIDATE))
		return;
	list_for_each_entry(mr, &req->rl_registered, mr_list) {
		if (mr->mr_handle == rep->rr_inv_rkey) {
			rpcrdma2_count(conn, RPCRDMA2_CNT_REMOTE_INVALIDATIONS);
			frwr_reminv(rep, &req->rl_registered);
			return;
		}
	}
	rpcrdma2_count(conn, RPCRDMA2_CNT_FOREIGN_INV);
}

/**
 * xprt_rdma2_complete - end the Call that a message is attached to
 * @rep: received message, pinning its Call; goes with it
 *
 * No memory of the Call is accessible to the server any more when the upper
 * layer sees it (S-02).
 *
 * Context: receive handler
 */
void xprt_rdma2_complete(struct rpcrdma_rep *rep)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rep->rr_rqst);

	xprt_rdma2_remote_inv(rep, req);
	rep->rr_v2_inv = !list_empty(&req->rl_registered);
	if (rep->rr_v2_inv)
		frwr_unmap_async(rep->rr_rxprt, req);
	else
		rpcrdma_complete_rqst(rep);
}

/**
 * xprt_rdma2_fail - end the RPC that a bad message belongs to
 * @rep: received message; goes with the Call, or is released
 *
 * Context: receive handler
 */
void xprt_rdma2_fail(struct rpcrdma_rep *rep)
{
	struct rpcrdma2_conn *conn = &rep->rr_rxprt->rx_v2.vx_conn;

	if (xprt_rdma2_pin_rqst(rep, false) != RPCRDMA2_CALL_AWAITED) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_UNMATCHED);
		xprt_rdma2_drop(rep);
		return;
	}
	rpcrdma2_count(conn, RPCRDMA2_CNT_RPCS_FAILED);
	rep->rr_v2_failed = true;
	xprt_rdma2_complete(rep);
}

/**
 * xprt_rdma2_granted - take the grant of a non-error reply
 * @r_xprt: transport
 * @msg: the reply
 *
 * The first one ends the time of one RPC at a time (B-82).
 */
void xprt_rdma2_granted(struct rpcrdma_xprt *r_xprt,
			const struct rpcrdma2_msg *msg)
{
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;

	xprt_rdma2_take_grant(r_xprt, msg->credit);
	if (ve->ve_state == XPRT_RDMA2_ONE)
		WRITE_ONCE(ve->ve_state, XPRT_RDMA2_OPEN);
}

/**
 * xprt_rdma2_reply - process a reply
 * @rep: received RDMA2_MSG or RDMA2_NOMSG in REPLY direction, header sound;
 *	goes with the Call, or is released
 */
static void xprt_rdma2_reply(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpcrdma2_msg *msg = &rep->rr_v2;
	struct rpcrdma_req *req;

	if (xprt_rdma2_pin_rqst(rep, false) != RPCRDMA2_CALL_AWAITED) {
		rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_UNMATCHED);
		trace_xprtrdma_reply_rqst_err(rep);
		xprt_rdma2_drop(rep);
		return;
	}
	xprt_rdma2_granted(r_xprt, msg);

	req = rpcr_to_rdmar(rep->rr_rqst);
	trace_xprtrdma_reply(rep->rr_rqst->rq_task, rep,
			     r_xprt->rx_buf.rb_credits);
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_REPLIES_RECEIVED);
	if (!xprt_rdma2_msg_will_do(r_xprt, req) ||
	    !rpcrdma2_reply_fits(rdmab_data(req->rl_rdmabuf),
				 req->rl_hdrbuf.len,
				 rdmab_data(rep->rr_rdmabuf), msg)) {
		rpcrdma2_count(&r_xprt->rx_v2.vx_conn,
			       RPCRDMA2_CNT_RPCS_FAILED);
		rep->rr_v2_failed = true;
	}
	xprt_rdma2_complete(rep);
}

/**
 * xprt_rdma2_expected - does an RPC of this connection wait for a message?
 * @r_xprt: transport
 * @xid: xid of the message
 *
 * Return: true if there is one
 */
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

/**
 * xprt_rdma2_stranger - does the server speak some other version 2?
 * @r_xprt: transport
 * @msg: received RDMA2_ERROR
 *
 * There is more than one protocol of this number. A server that has not
 * understood the probe, and does not know the header type of the first RPC
 * either, is left to version 1: that is what the RPC is sent again by, over
 * another connection. An error about an RPC that was not sent says nothing of
 * the kind.
 *
 * Return: true if the connection has been ended for that
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
 * @rep: received RDMA2_ERROR, header sound; goes with the Call, or is released
 *
 * INVAL_OPTION is about a message of RDMA2_OPTIONAL, never about an RPC that
 * went by RDMA2_MSG (A-12, N-49). ERR_VERS after negotiation costs the
 * connection (N-45).
 */
static void xprt_rdma2_error(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;
	const struct rpcrdma2_msg *msg = &rep->rr_v2;

	rpcrdma2_count_error(ve->ve_conn, msg->error.code, false);
	trace_rpcrdma2_error_received(ve->ve_conn, msg->xid, &msg->error);

	if (msg->error.code == RDMA2_ERR_VERS) {
		rpcrdma_force_disconnect(r_xprt->rx_ep);
		xprt_rdma2_fail(rep);
		return;
	}
	if (ve->ve_probe_open && msg->xid == ve->ve_probe_xid) {
		ve->ve_probe_open = false;
		rpcrdma_rep_put(&r_xprt->rx_buf, rep);
		return;
	}
	if (xprt_rdma2_ctrl_error(rep)) {
		rpcrdma_rep_put(&r_xprt->rx_buf, rep);
		return;
	}
	if (xprt_rdma2_stranger(r_xprt, msg)) {
		xprt_rdma2_drop(rep);
		return;
	}
	switch (msg->error.code) {
	case RDMA2_ERR_INVAL_OPTION:
		if (!xprt_rdma2_xmt_refused(rep))
			xprt_rdma2_drop(rep);
		return;
	default:
		if (ve->ve_state == XPRT_RDMA2_OPEN)
			xprt_rdma2_take_grant(r_xprt, msg->credit);
	}
	xprt_rdma2_fail(rep);
}

/**
 * xprt_rdma2_has_payload - may something follow the header of a message?
 * @msg: message, its header sound
 *
 * Return: true if it may
 */
static bool xprt_rdma2_has_payload(const struct rpcrdma2_msg *msg)
{
	return msg->proc == RDMA2_MSG ||
	       (msg->proc == RDMA2_OPTIONAL &&
		(msg->opt.type == ROPT_XMTREQ ||
		 msg->opt.type == ROPT_XMTRESP));
}

/**
 * xprt_rdma2_sound - process a message whose header is sound
 * @rep: received message; ownership ends here
 */
static void xprt_rdma2_sound(struct rpcrdma_rep *rep)
{
	const struct rpcrdma2_msg *msg = &rep->rr_v2;

	if (msg->length > msg->hdrlen && !xprt_rdma2_has_payload(msg))
		rpcrdma2_count(&rep->rr_rxprt->rx_v2.vx_conn,
			       RPCRDMA2_CNT_TRAILING_BYTES);
	switch (msg->proc) {
	case RDMA2_ERROR:
		xprt_rdma2_error(rep);
		break;
	case RDMA2_OPTIONAL:
		xprt_rdma2_option(rep);
		break;
	default:
		if (msg->dir == RDMA2_CALL)
			xprt_rdma2_bc_call(rep);
		else
			xprt_rdma2_reply(rep);
	}
}

/**
 * xprt_rdma2_answer - answer a message with RDMA2_ERROR
 * @rep: received message; released
 * @code: rdma_err
 */
void xprt_rdma2_answer(struct rpcrdma_rep *rep, u32 code)
{
	xprt_rdma2_send_error(rep, code);
	rpcrdma_rep_put(&rep->rr_rxprt->rx_buf, rep);
}

/**
 * xprt_rdma2_garbled - process a message whose header does not parse
 * @rep: received message; ownership ends here
 *
 * Errors go from responder to requester: what came in REPLY direction is not
 * answered, but ends the RPC it is about (A-11, N-02). RDMA2_ERROR is never
 * answered (A-13, N-41).
 */
static void xprt_rdma2_garbled(struct rpcrdma_rep *rep)
{
	const struct rpcrdma2_msg *msg = &rep->rr_v2;

	rpcrdma2_count(&rep->rr_rxprt->rx_v2.vx_conn, RPCRDMA2_CNT_BAD_HEADERS);
	xprt_rdma2_group_garbled(rep);
	if (msg->proc == RDMA2_ERROR) {
		xprt_rdma2_fail(rep);
		return;
	}
	if (msg->dir != RDMA2_REPLY) {
		xprt_rdma2_answer(rep, RDMA2_ERR_BAD_XDR);
		return;
	}
	if (msg->proc == RDMA2_OPTIONAL && msg->opt.typed &&
	    msg->opt.type == ROPT_RESPXCH)
		xprt_rdma2_respxch(rep);
	if (rpcrdma2_ends_rpc(msg))
		xprt_rdma2_fail(rep);
	else
		xprt_rdma2_drop(rep);
}

/**
 * xprt_rdma2_judge - process a message that is not part of a group
 * @rep: received message, decoded; ownership ends here
 */
static void xprt_rdma2_judge(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;

	switch (rep->rr_v2.verdict) {
	case RPCRDMA2_OK:
		xprt_rdma2_sound(rep);
		break;
	case RPCRDMA2_SHORT:
		rpcrdma2_count(conn, RPCRDMA2_CNT_TOO_SHORT);
		xprt_rdma2_drop(rep);
		rpcrdma_force_disconnect(r_xprt->rx_ep);
		break;
	case RPCRDMA2_BAD_VERS:
		rpcrdma2_count(conn, RPCRDMA2_CNT_BAD_VERSION);
		xprt_rdma2_drop(rep);
		break;
	case RPCRDMA2_BAD_PROC:
		rpcrdma2_count(conn, RPCRDMA2_CNT_BAD_HEADERS);
		xprt_rdma2_answer(rep, RDMA2_ERR_INVAL_PROC);
		break;
	case RPCRDMA2_BAD_XDR:
		xprt_rdma2_garbled(rep);
		break;
	case RPCRDMA2_BAD_OPTION:
		rpcrdma2_count(conn, RPCRDMA2_CNT_BAD_OPTIONS);
		xprt_rdma2_answer(rep, RDMA2_ERR_INVAL_OPTION);
		break;
	}
}

/**
 * xprt_rdma2_process - process a decoded message
 * @rep: received message; ownership ends here
 *
 * Context: receive handler
 */
void xprt_rdma2_process(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;

	if (!xprt_rdma2_group_step(rep))
		xprt_rdma2_judge(rep);
	xprt_rdma2_post_recvs(r_xprt);
	xprt_rdma2_progress(r_xprt);
}

/**
 * xprt_rdma2_receive - consume a message of a version 2 connection
 * @rep: received message
 *
 * Context: receive handler
 */
static void xprt_rdma2_receive(struct rpcrdma_rep *rep)
{
	struct rpc_xprt *xprt = &rep->rr_rxprt->rx_xprt;

	/* The server is alive: the next reconnect need not be delayed. */
	if (xprt->reestablish_timeout)
		xprt->reestablish_timeout = 0;

	xprt_rdma2_decode(rep);
	xprt_rdma2_process(rep);
}

/**
 * xprt_rdma2_decode_reply - hand the content of a reply to its Call
 * @r_xprt: transport
 * @rep: received reply that was found sound and to fit the Call, or marked as
 *	failed, or marked as no reply; or ROPT_XMTRESP
 * @rqst: the Call, pinned
 *
 * Return: length of the RPC message, in bytes, -EIO, or -EAGAIN if the Call is
 * to be sent again
 */
static int xprt_rdma2_decode_reply(struct rpcrdma_xprt *r_xprt,
				   struct rpcrdma_rep *rep,
				   struct rpc_rqst *rqst)
{
	const struct rpcrdma2_msg *msg = &rep->rr_v2;
	u32 inline_len, placed;
	char *payload;

	if (rep->rr_v2_failed)
		return -EIO;
	if (rep->rr_v2_again)
		return -EAGAIN;
	if (msg->proc == RDMA2_OPTIONAL)
		return xprt_rdma2_place_reply(r_xprt, rep, rqst);
	if (msg->proc == RDMA2_NOMSG) {
		r_xprt->rx_stats.total_rdma_reply += msg->lists.reply_bytes;
		return msg->lists.reply_bytes;
	}

	payload = rdmab_data(rep->rr_rdmabuf) + msg->hdrlen;
	inline_len = msg->length - msg->hdrlen;
	placed = msg->lists.write_bytes;
	r_xprt->rx_stats.fixup_copy_count +=
		rpcrdma_inline_fixup(rqst, payload, inline_len, placed);
	r_xprt->rx_stats.total_rdma_reply += placed;
	return inline_len + xdr_align_size(placed);
}

const struct rpcrdma_version_ops xprt_rdma2_ops = {
	.hdrlen			= RPCRDMA2_HDRLEN_MIN,
	.bc_maxmsg		= RPCRDMA_MAX_INLINE_THRESH,
	.receive		= xprt_rdma2_receive,
	.marshal_req		= xprt_rdma2_marshal_req,
	.decode_reply		= xprt_rdma2_decode_reply,
	.bc_marshal_reply	= xprt_rdma2_bc_marshal_reply,
};
