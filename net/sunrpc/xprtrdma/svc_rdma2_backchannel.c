// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: reverse Calls and what comes back.
 *
 * Reverse Calls are RDMA2_MSG with empty chunk lists, whatever more the peer
 * would support. Their replies have to be the same.
 */

#include <linux/mm.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/xprt.h>

#include "svc_rdma2.h"
#include <trace/events/rpcrdma2.h>

/**
 * svc_rdma2_bc_allowed - may this reverse Call be sent to this peer?
 * @v2: connection
 * @rqst: reverse Call
 *
 * Sizes that would leave no room for a header are never in force (N-93).
 *
 * Return: false if the peer takes none, or if this one is too long for
 * it (D-27, S-13)
 */
static bool svc_rdma2_bc_allowed(struct svc_rdma2 *v2,
				 const struct rpc_rqst *rqst)
{
	struct rpcrdma2_conn *conn = &v2->sv_conn;

	return rpcrdma2_conn_peer_value(conn, RPCRDMA2_BRS) != RDMA2_BRS_NONE &&
	       rqst->rq_snd_buf.len <=
	       rpcrdma2_conn_send_limit(conn) - RPCRDMA2_HDRLEN_MIN;
}

/**
 * svc_rdma2_bc_encode - write the transport header of a reverse Call
 * @rdma: connection
 * @sctxt: Send context for the Call
 * @rqst: the Call
 *
 * Serves D-21, D-22, D-37.
 *
 * Return: 0 or -EMSGSIZE
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
		return -EMSGSIZE;
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
 * Return: 0 or a negative errno
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
		return ret;
	get_page(page);
	sctxt->sc_pages[sctxt->sc_page_count++] = page;
	return 0;
}

/**
 * svc_rdma2_bc_send_request - send a reverse Call
 * @rdma: connection of version 2
 * @rqst: the Call, encoded
 *
 * Only a lost connection is a reason to close it: everything else concerns
 * this one Call. A Call that may not be sent is withheld, and fails when it
 * times out. If it failed at once, nfsd would try again at once, and so on for
 * as long as it has something to tell.
 *
 * Context: may sleep
 *
 * Return: 0, -ENOTCONN if the connection is lost, -ENOMEM if the Call can be
 * tried again, or another negative errno to fail it with
 */
int svc_rdma2_bc_send_request(struct svcxprt_rdma *rdma,
			      struct rpc_rqst *rqst)
{
	struct svc_rdma_send_ctxt *sctxt;
	int ret;

	if (!svc_rdma2_bc_allowed(rdma->sc_v2, rqst)) {
		rpcrdma2_count(&rdma->sc_v2->sv_conn,
			       RPCRDMA2_CNT_RPCS_FAILED);
		return 0;
	}
	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (!sctxt)
		return -ENOMEM;

	ret = svc_rdma2_bc_encode(rdma, sctxt, rqst);
	if (ret)
		goto out_put;
	ret = svc_rdma2_bc_map(rdma, sctxt, rqst);
	if (ret)
		goto out_put;

	rqst->rq_xtime = ktime_get();
	sctxt->sc_send_wr.opcode = IB_WR_SEND;
	ret = svc_rdma_post_send(rdma, sctxt);
	if (ret)
		goto out_put;
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_REVERSE_CALLS);
	return 0;

out_put:
	svc_rdma_send_ctxt_put(rdma, sctxt);
	return ret;
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
 * @msg: message that is no reply to it, but has its xid
 *
 * Context: service thread
 *
 * Return: false if there is no such Call
 */
bool svc_rdma2_bc_fail(struct svcxprt_rdma *rdma,
		       const struct rpcrdma2_msg *msg)
{
	struct rpc_xprt *xprt = rdma->sc_xprt.xpt_bc_xprt;
	struct rpc_rqst *rqst = NULL;

	if (xprt) {
		spin_lock(&xprt->queue_lock);
		rqst = xprt_lookup_rqst(xprt, msg->xid);
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
 * svc_rdma2_error - deal with RDMA2_ERROR
 * @rdma: connection
 * @rv: received RDMA2_ERROR, header sound
 *
 * INVAL_OPTION is about a message of RDMA2_OPTIONAL, never about a reverse
 * Call (A-12, N-49). A peer that does not know the version that was agreed is
 * beyond help (N-45).
 *
 * Context: service thread
 */
void svc_rdma2_error(struct svcxprt_rdma *rdma,
		     const struct svc_rdma2_recv *rv)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	const struct rpcrdma2_msg *msg = &rv->rv_msg;
	bool matched = rv->rv_matched;

	rpcrdma2_count_error(conn, msg->error.code, false);
	trace_rpcrdma2_error_received(conn, msg->xid, &msg->error);
	if (!matched && msg->error.code != RDMA2_ERR_INVAL_OPTION)
		matched = svc_rdma2_bc_fail(rdma, msg);
	if (!matched)
		svc_rdma2_drop(rdma, msg);
	else if (msg->error.code == RDMA2_ERR_VERS)
		svc_rdma_xprt_deferred_close(rdma);
}

/**
 * svc_rdma2_bc_reply - deal with the reply to a reverse Call
 * @rqstp: request being received; its rq_arg is used up
 * @ctxt: received RDMA2_MSG or RDMA2_NOMSG in REPLY direction, header sound
 *
 * No chunks were offered, so none can have been used (N-26, N-27). A reply
 * that is too long for its Call fails it; one that belongs to no Call is
 * dropped (D-02, N-30).
 *
 * Context: service thread. @ctxt stays with the caller.
 */
void svc_rdma2_bc_reply(struct svc_rqst *rqstp,
			struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;

	if (msg->proc == RDMA2_MSG && !msg->lists.write_chunks &&
	    !msg->lists.reply_present && rdma->sc_xprt.xpt_bc_xprt) {
		svc_rdma2_build_arg(rqstp, ctxt);
		svc_rdma_handle_bc_reply(rqstp, ctxt);
		if (!rqstp->rq_arg.len) {
			rpcrdma2_count(&rdma->sc_v2->sv_conn,
				       RPCRDMA2_CNT_REVERSE_REPLIES);
			svc_rdma2_take_credit(rdma, msg);
			return;
		}
	}
	if (!svc_rdma2_bc_fail(rdma, msg))
		svc_rdma2_drop(rdma, msg);
}
