// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: reverse Calls and what comes back.
 *
 * Reverse Calls are RDMA2_MSG with empty chunk lists, whatever more the peer
 * would support, unless they are too long for that. Their replies have to be the
 * same, or to be ROPT_XMTRESP without items.
 */

#include <linux/mm.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/xprt.h>

#include "svc_rdma2.h"
#include <trace/events/rpcrdma2.h>

/**
 * svc_rdma2_bc_supported - can there be reverse Calls over a connection?
 * @sxprt: connection
 *
 * Where there cannot, the upper layer has to know it before it relies on them:
 * nfsd delegates nothing to a client that it cannot call.
 *
 * Return: false if the peer has said that it takes none
 */
bool svc_rdma2_bc_supported(struct svc_xprt *sxprt)
{
	struct svcxprt_rdma *rdma = container_of(sxprt, struct svcxprt_rdma,
						 sc_xprt);

	return !svc_rdma2_active(rdma) ||
	       rpcrdma2_conn_peer_value(&rdma->sc_v2->sv_conn, RPCRDMA2_BRS) !=
	       RDMA2_BRS_NONE;
}

/**
 * svc_rdma2_bc_maxmsg - how long can a reverse Call be at most?
 * @sxprt: connection
 *
 * Return: the size that a buffer may have, in bytes; what fits the peer, which
 * may have changed by then, is looked at when the Call is sent
 */
size_t svc_rdma2_bc_maxmsg(struct svc_xprt *sxprt)
{
	struct svcxprt_rdma *rdma = container_of(sxprt, struct svcxprt_rdma,
						 sc_xprt);

	return svc_rdma2_active(rdma) ? SVC_RDMA2_LONG_REVERSE : PAGE_SIZE;
}

/**
 * svc_rdma2_bc_allowed - may this reverse Call be sent to this peer?
 * @rdma: connection of version 2
 * @rqst: reverse Call
 *
 * A Call that may not is withheld: it holds no credit, and fails when it times
 * out. If it failed at once, nfsd would try again at once, and so on for as
 * long as it has something to tell.
 *
 * Return: false if the peer takes none, or if this one is too long for
 * it (D-27, S-13)
 */
bool svc_rdma2_bc_allowed(struct svcxprt_rdma *rdma,
			  const struct rpc_rqst *rqst)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_conn *conn = &v2->sv_conn;

	if (rpcrdma2_conn_peer_value(conn, RPCRDMA2_BRS) != RDMA2_BRS_NONE &&
	    svc_rdma2_bc_xmts(rdma, rqst))
		return true;
	rpcrdma2_count(conn, RPCRDMA2_CNT_REVERSE_WITHHELD);
	return false;
}

/**
 * svc_rdma2_bc_encode - write the transport header of a reverse Call
 * @rdma: connection
 * @sctxt: Send context for the Call
 * @rqst: the Call
 *
 * Serves D-21, D-22, D-37.
 *
 * Return: 0, or -ENOMEM if a Send context is too small for a header
 */
static int svc_rdma2_bc_encode(struct svcxprt_rdma *rdma,
			       struct svc_rdma_send_ctxt *sctxt,
			       const struct rpc_rqst *rqst)
{
	const struct rpcrdma2_hdr hdr = {
		.xid	= rqst->rq_xid,
		.credit	= svc_rdma2_reverse_request(rdma),
		.dir	= RDMA2_CALL,
	};
	__be32 *p;

	p = xdr_reserve_space(&sctxt->sc_stream, RPCRDMA2_HDRLEN_MIN);
	if (!p)
		return -ENOMEM;
	rpcrdma2_encode_bare_msg(p, &hdr);
	return 0;
}

/**
 * svc_rdma2_bc_map - add an encoded Call to a Send
 * @rdma: connection
 * @sctxt: Send context that begins with the transport header
 * @rqst: the Call
 *
 * The Send may outlive the Call, which may also be sent again: the Send
 * completion puts the page reference that is taken here.
 *
 * Return: 0, or -ENOMEM if it could not be mapped
 */
static int svc_rdma2_bc_map(struct svcxprt_rdma *rdma,
			    struct svc_rdma_send_ctxt *sctxt,
			    const struct rpc_rqst *rqst)
{
	struct page *page = virt_to_page(rqst->rq_buffer);
	struct svc_rdma_pcl empty;
	int ret;

	pcl_init(&empty);
	ret = svc_rdma_map_reply_msg(rdma, sctxt, &empty, &empty,
				     &rqst->rq_snd_buf);
	if (ret < 0)
		return -ENOMEM;
	get_page(page);
	sctxt->sc_pages[sctxt->sc_page_count++] = page;
	return 0;
}

/**
 * svc_rdma2_bc_send_msg - send a reverse Call by RDMA2_MSG
 * @rdma: connection of version 2
 * @rqst: the Call
 * @sctxt: Send context for it
 *
 * Return: 0, -ENOTCONN if the connection is lost, or -ENOMEM if the Call is to
 * be tried again; @sctxt stays with the caller unless 0 is returned
 */
static int svc_rdma2_bc_send_msg(struct svcxprt_rdma *rdma,
				 struct rpc_rqst *rqst,
				 struct svc_rdma_send_ctxt *sctxt)
{
	int ret;

	ret = svc_rdma2_bc_encode(rdma, sctxt, rqst);
	if (ret)
		return ret;
	ret = svc_rdma2_bc_map(rdma, sctxt, rqst);
	if (ret)
		return ret;
	sctxt->sc_send_wr.opcode = IB_WR_SEND;
	return svc_rdma_post_send(rdma, sctxt);
}

/**
 * svc_rdma2_bc_send_request - send a reverse Call
 * @rdma: connection of version 2
 * @rqst: the Call, encoded, allowed, and holding a credit
 *
 * Only a lost connection is a reason to close it. Other errors must be such
 * that the Call is tried again: whichever task transmits gets to see them.
 *
 * Context: may sleep
 *
 * Return: 0, -ENOTCONN if the connection is lost, -EBADSLT if the Call has to
 * wait for more credits, or -ENOMEM if it is to be tried again
 */
int svc_rdma2_bc_send_request(struct svcxprt_rdma *rdma,
			      struct rpc_rqst *rqst)
{
	u32 xmts = svc_rdma2_bc_xmts(rdma, rqst);
	struct svc_rdma_send_ctxt *sctxt;
	int ret;

	/* The peer has thought better of it. */
	if (!xmts)
		return 0;
	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (!sctxt)
		return -ENOMEM;
	ret = svc_rdma2_bc_get_credits(rdma, rqst, xmts);
	if (ret > 0) {
		/* It ends like one that has waited. */
		rqst->rq_ntrans = 0;
		rpcrdma2_count(&rdma->sc_v2->sv_conn,
			       RPCRDMA2_CNT_REVERSE_WITHHELD);
		ret = 0;
		goto out_put;
	}
	if (ret)
		goto out_put;

	rqst->rq_xtime = ktime_get();
	svc_rdma2_bc_sent(rdma, rqst->rq_xprt, rqst->rq_xid, xmts);
	if (xmts > 1)
		ret = svc_rdma2_bc_send_group(rdma, rqst, sctxt, xmts);
	else
		ret = svc_rdma2_bc_send_msg(rdma, rqst, sctxt);
	if (ret)
		goto out_unsent;
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_REVERSE_CALLS);
	return 0;

out_unsent:
	svc_rdma2_bc_unsent(rdma, rqst->rq_xprt, rqst->rq_xid);
out_put:
	svc_rdma_send_ctxt_put(rdma, sctxt);
	return ret;
}

/**
 * svc_rdma2_bc_lookup - find the reverse Call that a message is about
 * @rdma: connection
 * @xprt: its reverse transport, queue_lock held
 * @xid: rdma_xid of the message
 * @refused: the message is no reply
 *
 * sunrpc knows a Call before it is sent, too, but nothing can be about it
 * then (D-02).
 *
 * Return: the Call, or NULL
 */
static struct rpc_rqst *svc_rdma2_bc_lookup(struct svcxprt_rdma *rdma,
					    struct rpc_xprt *xprt, __be32 xid,
					    bool refused)
{
	if (!svc_rdma2_bc_ended(rdma, xprt, xid, refused))
		return NULL;
	return xprt_lookup_rqst(xprt, xid);
}

/**
 * svc_rdma2_bc_give_up - have a reverse Call fail
 * @rqst: the Call; the reverse transport's queue_lock is held
 *
 * Its task may still be on its way from sending to sleeping, where tk_status is
 * cleared. If it is, it takes one word for a reply, which cannot be one, and
 * has no other try.
 */
static void svc_rdma2_bc_give_up(struct rpc_rqst *rqst)
{
	struct rpc_task *task = rqst->rq_task;

	lockdep_assert_held(&rqst->rq_xprt->queue_lock);

	rqst->rq_private_buf = rqst->rq_rcv_buf;
	task->tk_status = -EIO;
	task->tk_garb_retry = 0;
	xprt_complete_rqst(task, XDR_UNIT);
}

/**
 * svc_rdma2_bc_fail - end the reverse Call that a message is about
 * @rdma: connection
 * @msg: message with its xid that is no reply, or no good one
 *
 * Context: receive handler
 *
 * Return: false if there is no such Call
 */
bool svc_rdma2_bc_fail(struct svcxprt_rdma *rdma,
		       const struct rpcrdma2_msg *msg)
{
	struct rpc_xprt *xprt = READ_ONCE(rdma->sc_xprt.xpt_bc_xprt);
	struct rpc_rqst *rqst = NULL;

	if (xprt) {
		spin_lock(&xprt->queue_lock);
		rqst = svc_rdma2_bc_lookup(rdma, xprt, msg->xid,
					   rpcrdma2_is_refusal(msg));
		if (rqst)
			svc_rdma2_bc_give_up(rqst);
		spin_unlock(&xprt->queue_lock);
	}
	rpcrdma2_count(&rdma->sc_v2->sv_conn,
		       rqst ? RPCRDMA2_CNT_RPCS_FAILED :
			      RPCRDMA2_CNT_UNMATCHED);
	return rqst;
}

/**
 * svc_rdma2_bc_error - deal with RDMA2_ERROR
 * @rdma: connection
 * @rv: received RDMA2_ERROR, header sound
 *
 * INVAL_OPTION is about a message of RDMA2_OPTIONAL, and about a reverse Call
 * only if that went by ROPT_XMTREQ (A-12, N-49). A peer that does not know the
 * version that was agreed is beyond help (N-45).
 *
 * Context: receive handler
 */
static void svc_rdma2_bc_error(struct svcxprt_rdma *rdma,
			       const struct svc_rdma2_recv *rv)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	const struct rpcrdma2_msg *msg = &rv->rv_msg;
	bool matched = rv->rv_matched;

	if (msg->length > msg->hdrlen)
		rpcrdma2_count(conn, RPCRDMA2_CNT_TRAILING_BYTES);
	rpcrdma2_count_error(conn, msg->error.code, false);
	trace_rpcrdma2_error_received(conn, msg->xid, &msg->error);
	if (!matched && msg->error.code == RDMA2_ERR_INVAL_OPTION)
		matched = svc_rdma2_bc_refused(rdma, msg, msg->xid);
	else if (!matched)
		matched = svc_rdma2_bc_fail(rdma, msg);
	if (!matched)
		svc_rdma2_drop(rdma, msg);
	else if (msg->error.code == RDMA2_ERR_VERS)
		svc_rdma_xprt_deferred_close(rdma);
}

/**
 * svc_rdma2_bc_fill - hand a reply to its Call
 * @rqst: reverse Call
 * @reply: the RPC message
 * @len: its length, in bytes
 *
 * Return: false if it is longer than the Call has room for
 */
static bool svc_rdma2_bc_fill(struct rpc_rqst *rqst, const void *reply,
			      u32 len)
{
	struct xdr_buf *buf = &rqst->rq_private_buf;

	*buf = rqst->rq_rcv_buf;
	if (len > buf->head[0].iov_len)
		return false;
	memcpy(buf->head[0].iov_base, reply, len);
	return true;
}

/**
 * svc_rdma2_bc_complete - end the reverse Call that a reply is for
 * @rdma: connection
 * @msg: header of the reply
 * @reply: the RPC message
 * @len: its length, in bytes
 *
 * The grant is in force before the Call returns its own credit.
 *
 * Context: receive handler
 *
 * Return: false if there is no such Call
 */
bool svc_rdma2_bc_complete(struct svcxprt_rdma *rdma,
			   const struct rpcrdma2_msg *msg, const void *reply,
			   u32 len)
{
	struct rpc_xprt *xprt = READ_ONCE(rdma->sc_xprt.xpt_bc_xprt);
	struct rpc_rqst *rqst;
	bool filled = false;

	if (!xprt)
		return false;
	spin_lock(&xprt->queue_lock);
	rqst = svc_rdma2_bc_lookup(rdma, xprt, msg->xid, false);
	if (rqst) {
		svc_rdma2_take_credit(rdma, msg);
		filled = svc_rdma2_bc_fill(rqst, reply, len);
		if (filled)
			xprt_complete_rqst(rqst->rq_task, len);
		else
			svc_rdma2_bc_give_up(rqst);
	}
	spin_unlock(&xprt->queue_lock);
	if (rqst)
		rpcrdma2_count(&rdma->sc_v2->sv_conn, filled ?
			       RPCRDMA2_CNT_REVERSE_REPLIES :
			       RPCRDMA2_CNT_RPCS_FAILED);
	return rqst;
}

/**
 * svc_rdma2_bc_reply - deal with the reply to a reverse Call
 * @rdma: connection
 * @ctxt: received RDMA2_MSG or RDMA2_NOMSG in REPLY direction, header sound
 *
 * No chunks were offered, so none can have been used (N-26, N-27). A reply
 * that is too long for its Call fails it; one that belongs to no Call is
 * dropped (D-02, N-30).
 *
 * Context: receive handler. @ctxt stays with the caller.
 */
static void svc_rdma2_bc_reply(struct svcxprt_rdma *rdma,
			       const struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;

	if (msg->proc == RDMA2_MSG && !msg->lists.write_chunks &&
	    !msg->lists.reply_present) {
		if (svc_rdma2_bc_complete(rdma, msg,
					  ctxt->rc_recv_buf + msg->hdrlen,
					  msg->length - msg->hdrlen))
			return;
		rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_UNMATCHED);
	} else if (svc_rdma2_bc_fail(rdma, msg)) {
		return;
	}
	svc_rdma2_drop(rdma, msg);
}

/**
 * svc_rdma2_bc_bad_reply - deal with a reply that is bad
 * @rdma: connection
 * @msg: RDMA2_MSG, RDMA2_NOMSG or RDMA2_ERROR in REPLY direction
 *
 * It is not answered: errors go from responder to requester. What
 * can be told to belong to a reverse Call ends it (N-02, N-12, N-41), unless
 * its payload is about something else (N-18).
 */
static void svc_rdma2_bc_bad_reply(struct svcxprt_rdma *rdma,
				   const struct rpcrdma2_msg *msg)
{
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_BAD_HEADERS);
	if (!rpcrdma2_ends_rpc(msg) || !svc_rdma2_bc_fail(rdma, msg))
		svc_rdma2_drop(rdma, msg);
}

/**
 * svc_rdma2_bc_report - deal with a report, which may be about a reverse Call
 * @rdma: connection
 * @ctxt: received ROPT_REPTERR, header sound
 *
 * Context: receive handler. @ctxt stays with the caller.
 */
static void svc_rdma2_bc_report(struct svcxprt_rdma *rdma,
				const struct svc_rdma_recv_ctxt *ctxt)
{
	if (!svc_rdma2_reported(rdma, ctxt))
		svc_rdma2_drop(rdma, &ctxt->rc_v2->rv_msg);
}

/**
 * svc_rdma2_bc_receive - deal with what may end a reverse Call
 * @rdma: connection
 * @ctxt: received message of any kind
 *
 * None of that is left to a service thread. All of these may be busy with
 * forward Calls, some even waiting for what a reply says. And of an error and
 * a reply to the same Call, the one that came first counts (D-02, N-30).
 *
 * Context: receive handler. @ctxt stays with the caller.
 *
 * Return: false if it is something else
 */
bool svc_rdma2_bc_receive(struct svcxprt_rdma *rdma,
			  const struct svc_rdma_recv_ctxt *ctxt)
{
	const struct svc_rdma2_recv *rv = ctxt->rc_v2;
	const struct rpcrdma2_msg *msg = &rv->rv_msg;

	if (msg->verdict == RPCRDMA2_OK && msg->proc == RDMA2_ERROR)
		svc_rdma2_bc_error(rdma, rv);
	else if (msg->verdict == RPCRDMA2_OK && rpcrdma2_is_refusal(msg))
		svc_rdma2_bc_report(rdma, ctxt);
	else if (msg->dir != RDMA2_REPLY || msg->proc == RDMA2_OPTIONAL)
		return false;
	else if (msg->verdict == RPCRDMA2_OK)
		svc_rdma2_bc_reply(rdma, ctxt);
	else if (msg->verdict == RPCRDMA2_BAD_XDR)
		svc_rdma2_bc_bad_reply(rdma, msg);
	else
		return false;
	percpu_counter_inc(&svcrdma_stat_recv);
	return true;
}
