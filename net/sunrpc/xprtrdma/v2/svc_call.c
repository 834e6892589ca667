// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: Calls that come by RDMA2_MSG or RDMA2_NOMSG.
 *
 * The receive handler has decoded the header. Here the chunk lists, now known to
 * be sound, go to the parsed chunk lists of version 1.
 */

#include <linux/slab.h>
#include <linux/sunrpc/svc.h>

#include "svc.h"
#include <trace/events/rpcrdma2.h>

/* Forget Read segments that name no bytes. An RDMA Read of nothing cannot be posted.
 * The peer may offer one (N-15).
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

/* Parse the chunk lists of a Call. @ctxt: gets the parsed lists, which are empty so
 * far. The parsers skip entries of the Read list that are not theirs, so that each
 * of them has to see as many as there are in all. A header of the least length has
 * none. Returns false if memory is exhausted.
 */
static bool svc_rdma2_parse_lists(struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	const struct rpcrdma2_lists *lists = &msg->lists;
	void *buf = ctxt->rc_recv_buf;

	ctxt->rc_call_pcl.cl_count = lists->read_segs;
	ctxt->rc_read_pcl.cl_count = lists->read_segs;
	ctxt->rc_write_pcl.cl_count = lists->write_chunks;
	ctxt->rc_reply_pcl.cl_count = lists->reply_present;
	ctxt->rc_cur_result_payload = NULL;
	if (msg->hdrlen == RPCRDMA2_HDRLEN_MIN)
		return true;
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

/* Can these Read chunks be put together? The round-up of a Read chunk that is the
 * only one is added when the Call is put together. Among several, each has to bring
 * its own. With a position-zero chunk, no other may begin beyond the length of that
 * one. Returns false if the Call cannot be taken as it is.
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

/* Let rq_arg be what came inline of an RPC message. @ctxt: its buffer is referred to
 * as long as rq_arg is used. What follows the header of RDMA2_NOMSG is not part of
 * the message (N-25).
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
 * svc_rdma2_take_msg - receive a Call
 * @rqstp: request being received
 * @ctxt: received Call, header sound
 *
 * Context: service thread, may sleep
 * Return: what is left to do
 */
enum svc_rdma2_outcome svc_rdma2_take_msg(struct svc_rqst *rqstp,
					  struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);

	svc_rdma2_build_arg(rqstp, ctxt);
	if (!svc_rdma2_parse_lists(ctxt))
		return SVC_RDMA2_O_CLOSE;
	if (!svc_rdma2_reads_supported(ctxt))
		return SVC_RDMA2_O_BAD_XDR;

	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_CALLS_RECEIVED);
	svc_rdma2_take_credit(rdma, &ctxt->rc_v2->rv_msg);
	return svc_rdma2_has_reads(ctxt) ? SVC_RDMA2_O_READLIST : SVC_RDMA2_O_CALL;
}
