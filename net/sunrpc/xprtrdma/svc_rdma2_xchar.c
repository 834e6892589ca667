// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: transport characteristics.
 *
 * What the peer says takes effect in the receive handler, so that it holds for
 * everything that arrives later. Answers are left to service threads, and what
 * this end has to say unasked to a work item of the connection. They post one
 * at a time: were ROPT_RESPXCH about a lower RBSIZ to overtake ROPT_UPDXCH about
 * an earlier and higher one, the peer would take the wrong one for the last.
 */

#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/xprt.h>

#include "svc_rdma2.h"
#include <trace/events/rpcrdma2.h>

/*
 * Section: what this end is like
 */

/**
 * svc_rdma2_max_recv - how long Receives may become
 * @xch: characteristics of a connection
 *
 * Return: a length in bytes
 */
static u32 svc_rdma2_max_recv(const struct rpcrdma2_xch *xch)
{
	return max(READ_ONCE(rpcrdma2_server_max_recv_size),
		   READ_ONCE(rpcrdma2_server_recv_size));
}

/* Replies to reverse Calls are short, so that any Receive will do for them. A
 * client with Calls under way cannot be asked to take shorter replies.
 */
static const struct rpcrdma2_xch_ops svc_rdma2_xch_ops = {
	.max_recv	= svc_rdma2_max_recv,
	.end		= RPCRDMA2_STATED_BY_SERVER,
	.asks_lower	= false,
};

/**
 * svc_rdma2_state_placement - set what is to be said of placement
 * @pl: placement of a connection
 * @local: what this end says of itself
 *
 * A peer may have been told of the structure of Receives, so that it never
 * changes. Their length may.
 */
static void svc_rdma2_state_placement(const struct svc_rdma2_placement *pl,
				      struct rpcrdma2_xchars *local)
{
	if (!pl->pl_offered)
		return;
	rpcrdma2_xchar_set(local, RPCRDMA2_RTRSUPP,
			   RDMA2_RTRSUPP_XREQ | RDMA2_RTRSUPP_XRESP);
	local->nochg |= RPCRDMA2_HAS_RTRSUPP;
	if (!pl->pl_pages)
		return;
	local->rbstruct = pl->pl_rb;
	local->present |= RPCRDMA2_HAS_RBSTRUCT;
	local->nochg |= RPCRDMA2_HAS_RBSTRUCT;
}

/**
 * svc_rdma2_state_groups - set what is to be said of groups
 * @ra: reassembly of a connection
 * @local: what this end says of itself
 *
 * Serves.
 */
static void svc_rdma2_state_groups(const struct svc_rdma2_reassembly *ra,
				   struct rpcrdma2_xchars *local)
{
	rpcrdma2_xchar_set(local, RPCRDMA2_RTRSUPP,
			   local->rtrsupp | RDMA2_RTRSUPP_XCONT);
	rpcrdma2_xchar_set(local, RPCRDMA2_REQRXLIM, ra->ra_requests);
	rpcrdma2_xchar_set(local, RPCRDMA2_RESPSXLIM, ra->ra_replies);
	local->nochg |= RPCRDMA2_HAS_REQRXLIM | RPCRDMA2_HAS_RESPSXLIM;
}

/**
 * svc_rdma2_state - set what this end is going to say of itself
 * @rdma: connection being accepted, its limits set; or one whose first message
 *	has arrived
 *
 * Reverse Calls carry no chunks, so there is never anything of this end's
 * that the peer could invalidate. BRS is for clients to state.
 */
void svc_rdma2_state(struct svcxprt_rdma *rdma)
{
	const struct svc_rdma2_placement *pl = &rdma->sc_v2->sv_place;
	u32 length = pl->pl_pages ? pl->pl_rb.length : 0;
	struct rpcrdma2_xchars local;

	rpcrdma2_xchars_default(&local);
	rpcrdma2_xchar_set(&local, RPCRDMA2_RBSIZ,
			   max3(length, (u32)rdma->sc_max_req_size,
				READ_ONCE(rpcrdma2_server_recv_size)));
	rpcrdma2_xchar_set(&local, RPCRDMA2_REQREMINV, false);
	local.nochg = RPCRDMA2_HAS_REQREMINV;
	svc_rdma2_state_placement(pl, &local);
	if (svc_rdma2_takes_groups(rdma->sc_v2))
		svc_rdma2_state_groups(&rdma->sc_v2->sv_groups, &local);
	rpcrdma2_conn_state(&rdma->sc_v2->sv_conn, &svc_rdma2_xch_ops, &local);
}

/*
 * Section: what arrives, in the receive handler
 */

/**
 * svc_rdma2_apply_reply - take the answer to a request
 * @v2: connection
 * @ctxt: received ROPT_RESPXCH in REPLY direction, perhaps not sound (N-104)
 */
static void svc_rdma2_apply_reply(struct svc_rdma2 *v2,
				  struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2_recv *rv = ctxt->rc_v2;

	rv->rv_matched = rpcrdma2_conn_respxch(&v2->sv_conn, ctxt->rc_recv_buf,
					       &rv->rv_msg);
	if (rv->rv_matched)
		rpcrdma2_credit_put(&v2->sv_credit);
}

/**
 * svc_rdma2_apply_option - let a control message take effect
 * @v2: connection
 * @ctxt: received RDMA2_OPTIONAL, header sound; its verdict becomes BAD_XDR if
 *	its content is not
 *
 * Only a request is a Call that can be answered, and only an answer a reply
 * (N-101, N-106).
 */
static void svc_rdma2_apply_option(struct svc_rdma2 *v2,
				   struct svc_rdma_recv_ctxt *ctxt)
{
	struct rpcrdma2_conn *conn = &v2->sv_conn;
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	struct rpcrdma2_msg *msg = &rv->rv_msg;
	bool sound = true;

	switch (msg->opt.type) {
	case ROPT_INITXCH:
		sound = rpcrdma2_conn_initxch(conn, ctxt->rc_recv_buf, msg);
		break;
	case ROPT_REQXCH:
		if (msg->dir == RDMA2_CALL)
			sound = rpcrdma2_conn_reqxch(conn, ctxt->rc_recv_buf,
						     msg, &rv->rv_answer);
		break;
	case ROPT_RESPXCH:
		sound = msg->dir == RDMA2_REPLY;
		break;
	case ROPT_UPDXCH:
		sound = rpcrdma2_conn_updxch(conn, ctxt->rc_recv_buf, msg);
		break;
	}
	if (!sound)
		msg->verdict = RPCRDMA2_BAD_XDR;
}

/**
 * svc_rdma2_is_respxch - does a message answer a request of this end?
 * @msg: message that is sound, or whose rdma_optinfo is not
 *
 * Return: true if it does
 */
static bool svc_rdma2_is_respxch(const struct rpcrdma2_msg *msg)
{
	return msg->proc == RDMA2_OPTIONAL && msg->opt.typed &&
	       msg->opt.type == ROPT_RESPXCH && msg->dir == RDMA2_REPLY;
}

/**
 * svc_rdma2_apply - let a message take effect that is about the connection
 * @v2: connection
 * @ctxt: received message of any kind, decoded
 *
 * Context: receive handler
 */
void svc_rdma2_apply(struct svc_rdma2 *v2, struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	const struct rpcrdma2_msg *msg = &rv->rv_msg;
	u32 about;

	rv->rv_matched = false;
	if (msg->verdict == RPCRDMA2_OK && msg->proc == RDMA2_OPTIONAL)
		svc_rdma2_apply_option(v2, ctxt);
	if ((msg->verdict == RPCRDMA2_OK || msg->verdict == RPCRDMA2_BAD_XDR) &&
	    svc_rdma2_is_respxch(msg))
		svc_rdma2_apply_reply(v2, ctxt);
	if (msg->verdict != RPCRDMA2_OK || msg->proc != RDMA2_ERROR)
		return;
	about = rpcrdma2_conn_error(&v2->sv_conn, msg);
	rv->rv_matched = about;
	if (about == ROPT_REQXCH)
		rpcrdma2_credit_put(&v2->sv_credit);
}

/**
 * svc_rdma2_progress - see whether there is anything to tell the peer
 * @v2: connection
 *
 * Context: receive handler, after each message
 */
void svc_rdma2_progress(struct svc_rdma2 *v2)
{
	if (rpcrdma2_conn_progress(&v2->sv_conn,
				   READ_ONCE(rpcrdma2_server_recv_size)))
		queue_work(svcrdma_wq, &v2->sv_ctrl_work);
}

/**
 * svc_rdma2_flush - have sent what there may be to tell the peer
 * @v2: connection
 *
 * Context: process context
 */
void svc_rdma2_flush(struct svc_rdma2 *v2)
{
	if (rpcrdma2_conn_due(&v2->sv_conn))
		queue_work(svcrdma_wq, &v2->sv_ctrl_work);
}

/*
 * Section: answers, by service threads
 */

/**
 * svc_rdma2_send_initxch - state this end's characteristics
 * @rdma: connection
 * @msg: received INITXCH in CALL direction
 *
 * Context: service thread, sv_ctrl_mutex is held
 */
static void svc_rdma2_send_initxch(struct svcxprt_rdma *rdma,
				   const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	struct rpcrdma2_hdr hdr = {
		.xid	= msg->xid,
		.credit	= svc_rdma2_grant(rdma),
		.dir	= RDMA2_REPLY,
	};
	struct svc_rdma_send_ctxt *sctxt;
	struct rpcrdma2_xchars local;
	int len;

	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (!sctxt)
		return;
	rpcrdma2_conn_local(conn, &local);
	len = rpcrdma2_encode_initxch(sctxt->sc_xprt_buf,
				      RPCRDMA2_FIRST_MSG_MAX, &hdr, &local);
	if (len < 0) {
		svc_rdma_send_ctxt_put(rdma, sctxt);
		return;
	}
	if (!svc_rdma2_post_header(rdma, sctxt, len))
		rpcrdma2_count(conn, RPCRDMA2_CNT_CONTROL_SENT);
}

/**
 * svc_rdma2_answer_initxch - answer the peer's INITXCH with our own
 * @rdma: connection
 * @msg: received INITXCH in CALL direction
 *
 * The answer completes negotiation and carries the forward grant (A-30, X-37,
 * If it cannot be sent, the peer will take its silence for what it is.
 *
 * Context: service thread, may sleep
 */
static void svc_rdma2_answer_initxch(struct svcxprt_rdma *rdma,
				     const struct rpcrdma2_msg *msg)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	mutex_lock(&v2->sv_ctrl_mutex);
	svc_rdma2_send_initxch(rdma, msg);
	mutex_unlock(&v2->sv_ctrl_mutex);
	svc_rdma2_flush(v2);
}

/**
 * svc_rdma2_send_respxch - tell the peer what became of its request
 * @rdma: connection
 * @rv: received REQXCH in CALL direction, decided about
 *
 * The peer keeps a credit for the answer. Without memory for one it gets that
 * back with the next connection.
 *
 * Serves.
 *
 * Context: service thread, sv_ctrl_mutex is held
 */
static void svc_rdma2_send_respxch(struct svcxprt_rdma *rdma,
				   const struct svc_rdma2_recv *rv)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	struct rpcrdma2_hdr hdr = {
		.xid	= rv->rv_msg.xid,
		.credit	= svc_rdma2_grant(rdma),
		.dir	= RDMA2_REPLY,
	};
	struct svc_rdma_send_ctxt *sctxt;
	int len;

	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (!sctxt) {
		svc_rdma_xprt_deferred_close(rdma);
		return;
	}
	len = rpcrdma2_encode_respxch(sctxt->sc_xprt_buf, RPCRDMA2_MAX_CTRL,
				      &hdr, &rv->rv_answer);
	if (!svc_rdma2_post_header(rdma, sctxt, len))
		rpcrdma2_count(conn, RPCRDMA2_CNT_CONTROL_SENT);
}

/**
 * svc_rdma2_answer_reqxch - answer the peer's request
 * @rdma: connection
 * @rv: received REQXCH in CALL direction, decided about
 *
 * Context: service thread, may sleep
 */
static void svc_rdma2_answer_reqxch(struct svcxprt_rdma *rdma,
				    const struct svc_rdma2_recv *rv)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	mutex_lock(&v2->sv_ctrl_mutex);
	svc_rdma2_send_respxch(rdma, rv);
	mutex_unlock(&v2->sv_ctrl_mutex);
	rpcrdma2_conn_answered(&v2->sv_conn);
	svc_rdma2_flush(v2);
}

/**
 * svc_rdma2_option - deal with a control message that has taken effect
 * @rdma: connection
 * @rv: received RDMA2_OPTIONAL, sound
 *
 * An INITXCH in REPLY direction answers nothing of ours and is not answered
 * (N-91).
 *
 * Context: service thread, may sleep
 */
void svc_rdma2_option(struct svcxprt_rdma *rdma,
		      const struct svc_rdma2_recv *rv)
{
	const struct rpcrdma2_msg *msg = &rv->rv_msg;

	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_CONTROL_RECEIVED);
	if ((msg->opt.type == ROPT_REQXCH && msg->dir == RDMA2_REPLY) ||
	    (msg->opt.type == ROPT_RESPXCH && !rv->rv_matched)) {
		svc_rdma2_drop(rdma, msg);
		return;
	}
	svc_rdma2_take_credit(rdma, msg);
	if (msg->dir != RDMA2_CALL)
		return;
	if (msg->opt.type == ROPT_INITXCH)
		svc_rdma2_answer_initxch(rdma, msg);
	else if (msg->opt.type == ROPT_REQXCH)
		svc_rdma2_answer_reqxch(rdma, rv);
}

/*
 * Section: what this end has to say unasked, by a work item
 */

/**
 * svc_rdma2_next_xid - take an xid for a message of the transport's own
 * @rdma: connection
 *
 * Return: an xid that no reverse Call will use
 */
static __be32 svc_rdma2_next_xid(struct svcxprt_rdma *rdma)
{
	struct rpc_xprt *xprt = READ_ONCE(rdma->sc_xprt.xpt_bc_xprt);
	__be32 xid;

	if (!xprt)
		return cpu_to_be32(++rdma->sc_v2->sv_ctrl_xid);
	spin_lock(&xprt->reserve_lock);
	xid = (__force __be32)xprt->xid++;
	spin_unlock(&xprt->reserve_lock);
	return xid;
}

/**
 * svc_rdma2_post_ctrl - send a control message
 * @rdma: connection
 * @ctrl: the message
 *
 * Return: true if it was posted
 */
static bool svc_rdma2_post_ctrl(struct svcxprt_rdma *rdma,
				const struct rpcrdma2_ctrl *ctrl)
{
	struct svc_rdma_send_ctxt *sctxt;
	int len;

	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (!sctxt)
		return false;
	len = rpcrdma2_xch_encode(ctrl, svc_rdma2_reverse_request(rdma),
				  sctxt->sc_xprt_buf, RPCRDMA2_MAX_CTRL);
	if (len < 0) {
		svc_rdma_send_ctxt_put(rdma, sctxt);
		return false;
	}
	return !svc_rdma2_post_header(rdma, sctxt, len);
}

/**
 * svc_rdma2_send_ctrl - send the next control message that is due
 * @rdma: connection
 *
 * ROPT_REQXCH holds a reverse credit until it is answered. An empty one
 * does not insist: where there are reverse Calls, there are replies.
 *
 * Context: sv_ctrl_mutex is held
 *
 * Return: true if there may be another one
 */
static bool svc_rdma2_send_ctrl(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_ctrl ctrl;
	bool request, sent;

	if (!rpcrdma2_conn_due(&v2->sv_conn) ||
	    !rpcrdma2_conn_next(&v2->sv_conn, svc_rdma2_next_xid(rdma), &ctrl))
		return false;
	request = ctrl.opttype == ROPT_REQXCH;
	sent = !request || svc_rdma2_ctrl_credit(rdma, ctrl.values.present);
	if (sent) {
		sent = svc_rdma2_post_ctrl(rdma, &ctrl);
		if (!sent && request)
			rpcrdma2_credit_put(&v2->sv_credit);
	}
	rpcrdma2_conn_sent(&v2->sv_conn, &ctrl, sent);
	return sent;
}

/**
 * svc_rdma2_ctrl_worker - send what is due
 * @work: work item of a connection
 *
 * What cannot be sent now is tried again when the next message arrives, or a
 * reverse Call returns its credit. While the Send Queue is full nothing is added
 * to what waits for room there; svc_rdma_sq_resume() queues this again. It must
 * not wait itself: other connections wait for svcrdma_wq when they are freed.
 *
 * Context: svcrdma_wq; over when svc_rdma2_closing() returns
 */
void svc_rdma2_ctrl_worker(struct work_struct *work)
{
	struct svc_rdma2 *v2 = container_of(work, struct svc_rdma2,
					    sv_ctrl_work);

	mutex_lock(&v2->sv_ctrl_mutex);
	while (!svc_rdma_sq_full(v2->sv_rdma) &&
	       svc_rdma2_send_ctrl(v2->sv_rdma))
		;
	mutex_unlock(&v2->sv_ctrl_mutex);
}

/**
 * svc_rdma2_kick - have the work item run
 * @conn: record of a connection
 *
 * Context: cn_lock is held
 */
void svc_rdma2_kick(struct rpcrdma2_conn *conn)
{
	struct svc_rdma2 *v2 = container_of(conn, struct svc_rdma2, sv_conn);

	queue_work(svcrdma_wq, &v2->sv_ctrl_work);
}
