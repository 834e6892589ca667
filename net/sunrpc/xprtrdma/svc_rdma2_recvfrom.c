// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: what a service thread makes of a message.
 *
 * The receive handler has decoded the header. Here a sound Call is made ready
 * for the upper layer; everything else is dealt with on the spot: answered,
 * matched with a reverse Call, or dropped. Sound replies to reverse Calls, and
 * errors, do not get here.
 */

#include <linux/slab.h>
#include <linux/sunrpc/svc.h>

#include "svc_rdma2.h"
#include <trace/events/rpcrdma2.h>

/* xid, msg_type, rpcvers, prog, vers, proc */
enum {
	SVC_RDMA2_CALL_MIN	= 6 * XDR_UNIT,
};

/**
 * svc_rdma2_drop - discard a message without an answer
 * @rdma: connection
 * @msg: the message
 */
void svc_rdma2_drop(struct svcxprt_rdma *rdma, const struct rpcrdma2_msg *msg)
{
	trace_rpcrdma2_drop(&rdma->sc_v2->sv_conn, msg);
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_DROPPED);
}

/*
 * Section: Calls
 */

/**
 * svc_rdma2_drop_empty - forget Read segments that name no bytes
 * @pcl: parsed Read chunks
 *
 * An RDMA Read of nothing cannot be posted. The peer may offer one (N-15).
 */
static void svc_rdma2_drop_empty(struct svc_rdma_pcl *pcl)
{
	struct svc_rdma_chunk *chunk, *next;
	unsigned int from, to;

	list_for_each_entry_safe(chunk, next, &pcl->cl_chunks, ch_list) {
		for (from = to = 0; from < chunk->ch_segcount; from++)
			if (chunk->ch_segments[from].rs_length)
				chunk->ch_segments[to++] =
					chunk->ch_segments[from];
		chunk->ch_segcount = to;
		if (to)
			continue;
		list_del(&chunk->ch_list);
		kfree(chunk);
		pcl->cl_count--;
	}
}

/**
 * svc_rdma2_parse_lists - parse the chunk lists of a Call
 * @ctxt: received Call, header sound; gets the parsed lists
 *
 * The parsers skip entries of the Read list that are not theirs, so that each
 * of them has to see as many as there are in all.
 *
 * Return: false if memory is exhausted
 */
static bool svc_rdma2_parse_lists(struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_lists *lists = &ctxt->rc_v2->rv_msg.lists;
	void *buf = ctxt->rc_recv_buf;

	ctxt->rc_call_pcl.cl_count = lists->read_segs;
	ctxt->rc_read_pcl.cl_count = lists->read_segs;
	ctxt->rc_write_pcl.cl_count = lists->write_chunks;
	ctxt->rc_reply_pcl.cl_count = lists->reply_present;
	if (!pcl_alloc_call(ctxt, buf + lists->read_off) ||
	    !pcl_alloc_read(ctxt, buf + lists->read_off) ||
	    !pcl_alloc_write(ctxt, &ctxt->rc_write_pcl,
			     buf + lists->write_off) ||
	    !pcl_alloc_write(ctxt, &ctxt->rc_reply_pcl,
			     buf + lists->reply_off))
		return false;

	svc_rdma2_drop_empty(&ctxt->rc_call_pcl);
	svc_rdma2_drop_empty(&ctxt->rc_read_pcl);
	ctxt->rc_cur_result_payload = pcl_first_chunk(&ctxt->rc_write_pcl);
	return true;
}

/**
 * svc_rdma2_reads_supported - can these Read chunks be put together?
 * @ctxt: received Call with parsed lists
 *
 * The round-up of a Read chunk that is the only one is added when the Call is
 * put together. Among several, each has to bring its own. With a position-zero
 * chunk, no other may begin beyond the length of that one.
 *
 * Return: false if the Call cannot be taken as it is
 */
static bool svc_rdma2_reads_supported(const struct svc_rdma_recv_ctxt *ctxt)
{
	const struct svc_rdma_chunk *call = pcl_first_chunk(&ctxt->rc_call_pcl);
	const struct svc_rdma_chunk *chunk;

	if (!call && ctxt->rc_read_pcl.cl_count < 2)
		return true;
	pcl_for_each_chunk(chunk, &ctxt->rc_read_pcl) {
		if (chunk->ch_length % XDR_UNIT)
			return false;
		if (call && chunk->ch_position > call->ch_length)
			return false;
	}
	return true;
}

/**
 * svc_rdma2_build_arg - let rq_arg be what came inline of an RPC message
 * @rqstp: request being received
 * @ctxt: received message; its buffer is referred to as long as rq_arg is used
 *
 * What follows the header of RDMA2_NOMSG is not part of the message (N-25).
 */
static void svc_rdma2_build_arg(struct svc_rqst *rqstp,
				struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	struct xdr_buf *arg = &rqstp->rq_arg;
	u32 payload = 0;

	if (msg->proc == RDMA2_MSG)
		payload = msg->length - msg->hdrlen;
	svc_rdma_build_arg_xdr(rqstp, ctxt);
	arg->head[0].iov_base += msg->hdrlen;
	arg->head[0].iov_len = payload;
	arg->buflen = payload;
	arg->len = payload;
}

/**
 * svc_rdma2_call_whole - is a Call one that the upper layer can look at?
 * @rqstp: request with the whole Call in rq_arg
 * @msg: received message that conveyed it
 *
 * For one that ends before it says what is called, the upper layer would close
 * the connection. It is dropped instead (N-35).
 *
 * Return: false if the Call was dropped
 */
bool svc_rdma2_call_whole(struct svc_rqst *rqstp,
			  const struct rpcrdma2_msg *msg)
{
	if (rqstp->rq_arg.len >= SVC_RDMA2_CALL_MIN)
		return true;
	svc_rdma2_drop(svc_rdma_rqst_rdma(rqstp), msg);
	return false;
}

/**
 * svc_rdma2_call - receive a Call
 * @rqstp: request being received
 * @ctxt: received Call, header sound
 *
 * Return: what is left to do
 */
static enum svc_rdma2_next svc_rdma2_call(struct svc_rqst *rqstp,
					  struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;

	svc_rdma2_build_arg(rqstp, ctxt);
	if (!svc_rdma2_parse_lists(ctxt)) {
		/* The peer sends the Call again when it has reconnected. */
		svc_rdma_xprt_deferred_close(rdma);
		return SVC_RDMA2_DONE;
	}
	if (!svc_rdma2_reads_supported(ctxt)) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_BAD_HEADERS);
		svc_rdma2_send_error(rdma, ctxt->rc_v2, RDMA2_ERR_BAD_XDR);
		return SVC_RDMA2_DONE;
	}

	rpcrdma2_count(conn, RPCRDMA2_CNT_CALLS_RECEIVED);
	svc_rdma2_take_credit(rdma, msg);
	if (!pcl_is_empty(&ctxt->rc_read_pcl) ||
	    !pcl_is_empty(&ctxt->rc_call_pcl))
		return SVC_RDMA2_READLIST;
	return svc_rdma2_call_whole(rqstp, msg) ? SVC_RDMA2_CALL :
						  SVC_RDMA2_DONE;
}

/**
 * svc_rdma2_refuse_reads - refuse a Call that cannot be pulled
 * @rdma: connection
 * @rv: the Call; there are not the pages for its Read chunks, or there would be
 *	more RDMA Reads than one Call may take of the Send Queue
 *
 * Serves A-20.
 *
 * Context: service thread, may sleep
 */
void svc_rdma2_refuse_reads(struct svcxprt_rdma *rdma,
			    const struct svc_rdma2_recv *rv)
{
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_BAD_HEADERS);
	svc_rdma2_send_error(rdma, rv, RDMA2_ERR_BAD_XDR);
}

/**
 * svc_rdma2_read_complete - look at a Call that was pulled by RDMA Read
 * @rqstp: request with the whole Call in rq_arg
 * @ctxt: received message that offered it
 *
 * What came inline was checked on arrival; of a Call that begins in the peer's
 * memory the first words are here for the first time (N-20).
 *
 * Context: service thread, may sleep. @ctxt stays with the caller.
 *
 * Return: false if the Call was answered with an error, or dropped
 */
bool svc_rdma2_read_complete(struct svc_rqst *rqstp,
			     struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	const struct svc_rdma2_xmt *xmt = ctxt->rc_v2->rv_xmt;
	const struct kvec *head = &rqstp->rq_arg.head[0];
	bool remote = msg->proc == RDMA2_NOMSG || (xmt && xmt->xm_remote);

	if (!remote ||
	    rpcrdma2_payload_sound(head->iov_base, head->iov_len, msg->xid,
				   msg->dir))
		return svc_rdma2_call_whole(rqstp, msg);
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_BAD_HEADERS);
	svc_rdma2_send_error(rdma, ctxt->rc_v2, RDMA2_ERR_BAD_XDR);
	return false;
}

/*
 * Section: everything else
 */

/**
 * svc_rdma2_sound - deal with a message whose header is sound
 * @rqstp: request being received
 * @ctxt: the message
 *
 * Return: what is left to do
 */
static enum svc_rdma2_next svc_rdma2_sound(struct svc_rqst *rqstp,
					   struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;

	if (msg->proc == RDMA2_OPTIONAL && msg->opt.type >= ROPT_XMTREQ)
		return svc_rdma2_transmission(rqstp, ctxt);
	if (msg->proc != RDMA2_MSG && msg->length > msg->hdrlen)
		rpcrdma2_count(&rdma->sc_v2->sv_conn,
			       RPCRDMA2_CNT_TRAILING_BYTES);
	if (msg->proc != RDMA2_OPTIONAL)
		return svc_rdma2_call(rqstp, ctxt);
	svc_rdma2_option(rdma, ctxt->rc_v2);
	return SVC_RDMA2_DONE;
}

/**
 * svc_rdma2_bad_answer - deal with a control message that answers, but is bad
 * @rdma: connection
 * @msg: RDMA2_OPTIONAL in REPLY direction
 *
 * It is not answered: errors go from responder to requester. Of a
 * bad INITXCH the header still counts (N-92).
 */
static void svc_rdma2_bad_answer(struct svcxprt_rdma *rdma,
				 const struct rpcrdma2_msg *msg)
{
	if (msg->opt.info_off && msg->opt.type == ROPT_INITXCH)
		svc_rdma2_take_credit(rdma, msg);
	svc_rdma2_drop(rdma, msg);
}

/**
 * svc_rdma2_bad_version - deal with a message of some other version
 * @rdma: connection
 * @rv: the message
 *
 * rdma_proc is in its place whatever the version; errors are never answered
 * (A-13, B-02, B-74).
 */
static void svc_rdma2_bad_version(struct svcxprt_rdma *rdma,
				  const struct svc_rdma2_recv *rv)
{
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_BAD_VERSION);
	if (rv->rv_msg.proc == RDMA2_ERROR)
		svc_rdma2_drop(rdma, &rv->rv_msg);
	else
		svc_rdma2_send_error(rdma, rv, RDMA2_ERR_VERS);
}

/**
 * svc_rdma2_recvfrom - deal with a received message
 * @rqstp: request being received
 * @ctxt: message that has been through svc_rdma2_receive()
 *
 * Context: service thread, may sleep. @ctxt stays with the caller, who puts it
 * unless it carries a Call.
 *
 * Return: what is left to do
 */
enum svc_rdma2_next svc_rdma2_recvfrom(struct svc_rqst *rqstp,
				       struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	const struct svc_rdma2_recv *rv = ctxt->rc_v2;

	if (rv->rv_fault.which) {
		svc_rdma2_send_report(rdma, &rv->rv_fault);
		svc_rdma2_drop(rdma, &rv->rv_msg);
		return SVC_RDMA2_DONE;
	}
	switch (rv->rv_msg.verdict) {
	case RPCRDMA2_OK:
		return svc_rdma2_sound(rqstp, ctxt);
	case RPCRDMA2_BAD_VERS:
		svc_rdma2_bad_version(rdma, rv);
		break;
	case RPCRDMA2_BAD_PROC:
		rpcrdma2_count(conn, RPCRDMA2_CNT_BAD_HEADERS);
		svc_rdma2_send_error(rdma, rv, RDMA2_ERR_INVAL_PROC);
		break;
	case RPCRDMA2_BAD_OPTION:
		rpcrdma2_count(conn, RPCRDMA2_CNT_BAD_OPTIONS);
		svc_rdma2_send_error(rdma, rv, RDMA2_ERR_INVAL_OPTION);
		break;
	case RPCRDMA2_BAD_XDR:
		rpcrdma2_count(conn, RPCRDMA2_CNT_BAD_HEADERS);
		if (rv->rv_msg.dir == RDMA2_REPLY)
			svc_rdma2_bad_answer(rdma, &rv->rv_msg);
		else
			svc_rdma2_send_error(rdma, rv, RDMA2_ERR_BAD_XDR);
		break;
	case RPCRDMA2_SHORT:
		/* Never queued */
		break;
	}
	return SVC_RDMA2_DONE;
}
