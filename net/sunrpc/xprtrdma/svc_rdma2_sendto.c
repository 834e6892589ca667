// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: replies.
 *
 * A reply goes inline if header and body are not longer than what the peer
 * can receive, whether it offered a Reply chunk or not; otherwise by the Reply
 * chunk; otherwise it cannot be conveyed, and the peer is told so. The body is
 * the RPC message without what goes by Write chunks. Which way a reply takes
 * is known before anything is encoded, mapped or written.
 */

#include <linux/mm.h>
#include <linux/sunrpc/svc.h>

#include "svc_rdma2.h"
#include <trace/events/rpcrdma2.h>

/*
 * Section: replies that cannot be conveyed
 */

/**
 * svc_rdma2_segment_index - number of a chunk's last segment
 * @rctxt: received Call
 * @chunk: one of its Write chunks, or its Reply chunk
 *
 * Return: the number, counted from 1 through all Write chunks and then the
 * Reply chunk (B-68)
 */
static u32 svc_rdma2_segment_index(const struct svc_rdma_recv_ctxt *rctxt,
				   const struct svc_rdma_chunk *chunk)
{
	const struct svc_rdma_chunk *pos;
	u32 index = 0;

	pcl_for_each_chunk(pos, &rctxt->rc_write_pcl) {
		index += pos->ch_segcount;
		if (pos == chunk)
			return index;
	}
	return index + chunk->ch_segcount;
}

/**
 * svc_rdma2_cant_reply - note that a reply cannot be conveyed
 * @rctxt: received Call; the first reason is kept
 * @chunk: chunk that is too small, or NULL if there is none to name
 * @length: what would have to fit, in bytes
 *
 * Segments are filled in order, so it is the last one that is too short
 * . Without a segment to name the length is that of the reply.
 * Serves B-65..B-69, N-32.
 */
void svc_rdma2_cant_reply(struct svc_rdma_recv_ctxt *rctxt,
			  const struct svc_rdma_chunk *chunk, u32 length)
{
	struct rpcrdma2_error *err = &rctxt->rc_v2->rv_cant_reply;
	const struct svc_rdma_segment *last;

	if (err->code)
		return;
	err->code = RDMA2_ERR_CANT_REPLY;
	err->processed = true;
	err->segment_index = 0;
	err->length_needed = length;
	if (!chunk || !chunk->ch_segcount)
		return;
	last = &chunk->ch_segments[chunk->ch_segcount - 1];
	err->segment_index = svc_rdma2_segment_index(rctxt, chunk);
	err->length_needed = length - (chunk->ch_length - last->rs_length);
}

/**
 * svc_rdma2_short_payload - note that a result does not fit its Write chunk
 * @rctxt: received Call
 * @chunk: the Write chunk, shorter than @length
 * @length: length of the result, in bytes
 *
 * The upper layer goes on, since the peer is told by the transport.
 *
 * Return: 0
 */
int svc_rdma2_short_payload(struct svc_rdma_recv_ctxt *rctxt,
			    const struct svc_rdma_chunk *chunk, u32 length)
{
	svc_rdma2_cant_reply(rctxt, chunk, length);
	return 0;
}

/*
 * Section: how a reply is to go
 */

/**
 * svc_rdma2_is_counted - does the length of a result stand in front of it?
 * @xdr: the reply
 * @position: where the result is said to be, in bytes
 * @length: its length, in bytes
 *
 * Return: false if it does not, or if the reply ends before the result does
 */
static bool svc_rdma2_is_counted(const struct xdr_buf *xdr, u32 position,
				 u32 length)
{
	u32 count;

	if (position > xdr->len ||
	    xdr_align_size(length) > xdr->len - position)
		return false;
	return !xdr_decode_word(xdr, position - XDR_UNIT, &count) &&
	       count == length;
}

/**
 * svc_rdma2_locate - find where a result is in the reply
 * @xdr: the reply
 * @position: where it was announced to be, in bytes; set right
 * @length: its length, in bytes
 *
 * For READLINK of NFSv4 the position is that of the count in front of the
 * result.
 *
 * Return: false if the result is not there
 */
bool svc_rdma2_locate(const struct xdr_buf *xdr, u32 *position, u32 length)
{
	if (svc_rdma2_is_counted(xdr, *position, length))
		return true;
	*position += XDR_UNIT;
	return svc_rdma2_is_counted(xdr, *position, length);
}

/**
 * svc_rdma2_reply_wrapped - was a reply wrapped for integrity or privacy?
 * @rqstp: request with its reply
 *
 * Return: true if results are not where they were, and stay in the message
 * (A-88)
 */
bool svc_rdma2_reply_wrapped(const struct svc_rqst *rqstp)
{
	return rqstp->rq_cred.cr_flavor == RPC_AUTH_GSS_KRB5I ||
	       rqstp->rq_cred.cr_flavor == RPC_AUTH_GSS_KRB5P;
}

/**
 * svc_rdma2_check_payloads - withdraw results that are no longer in the reply
 * @rqstp: request with its reply
 * @rctxt: received Call
 *
 * A result that was announced may have been truncated since.
 */
static void svc_rdma2_check_payloads(struct svc_rqst *rqstp,
				     struct svc_rdma_recv_ctxt *rctxt)
{
	const struct xdr_buf *xdr = &rqstp->rq_res;
	struct svc_rdma_chunk *chunk;
	bool withdraw = svc_rdma2_reply_wrapped(rqstp);

	pcl_for_each_chunk(chunk, &rctxt->rc_write_pcl) {
		if (!chunk->ch_payload_length)
			break;
		if (withdraw ||
		    !svc_rdma2_locate(xdr, &chunk->ch_position,
				      chunk->ch_payload_length)) {
			withdraw = true;
			chunk->ch_payload_length = 0;
		}
	}
}

/**
 * svc_rdma2_body_length - length of what does not go by Write chunks
 * @rctxt: received Call
 * @xdr: the reply
 *
 * Results fill Write chunks from the first one on.
 *
 * Return: the length, in bytes
 */
static u32 svc_rdma2_body_length(const struct svc_rdma_recv_ctxt *rctxt,
				 const struct xdr_buf *xdr)
{
	const struct svc_rdma_chunk *chunk;
	u32 length = xdr->len;

	pcl_for_each_chunk(chunk, &rctxt->rc_write_pcl) {
		if (!chunk->ch_payload_length)
			break;
		length -= pcl_chunk_end_offset(chunk) - chunk->ch_position;
	}
	return length;
}

/**
 * svc_rdma2_chunks_length - space that chunks take in a header
 * @pcl: Write chunks, or a Reply chunk
 *
 * The header of a Call that fit this end's Receives has room for what comes
 * back of its lists.
 *
 * Return: a length in bytes, without the word that ends the list
 */
static u32 svc_rdma2_chunks_length(const struct svc_rdma_pcl *pcl)
{
	const struct svc_rdma_chunk *chunk;
	u32 length = 0;

	pcl_for_each_chunk(chunk, pcl)
		length += 2 * XDR_UNIT + chunk->ch_segcount *
			  rpcrdma_segment_maxsz * XDR_UNIT;
	return length;
}

/**
 * svc_rdma2_choose - decide how a reply is to go
 * @rdma: connection
 * @rctxt: received Call; an unused Reply chunk is removed, and what makes the
 *	reply impossible is noted
 * @body: length of the body, in bytes
 *
 * Serves.
 *
 * Return: false if the reply cannot be conveyed
 */
static bool svc_rdma2_choose(struct svcxprt_rdma *rdma,
			     struct svc_rdma_recv_ctxt *rctxt, u32 body)
{
	const struct svc_rdma_chunk *chunk = pcl_first_chunk(&rctxt->rc_reply_pcl);
	u32 rbsiz = rpcrdma2_conn_send_limit(&rdma->sc_v2->sv_conn);
	u32 hdrlen;

	if (rctxt->rc_v2->rv_cant_reply.code)
		return false;

	hdrlen = RPCRDMA2_HDRLEN_MIN +
		 svc_rdma2_chunks_length(&rctxt->rc_write_pcl);
	if (hdrlen <= rbsiz && body <= rbsiz - hdrlen) {
		if (chunk)
			rpcrdma2_count(&rdma->sc_v2->sv_conn,
				       RPCRDMA2_CNT_REPLY_CHUNKS_UNUSED);
		pcl_free(&rctxt->rc_reply_pcl);
		return true;
	}

	hdrlen += svc_rdma2_chunks_length(&rctxt->rc_reply_pcl) - XDR_UNIT;
	if (chunk && body > chunk->ch_length)
		svc_rdma2_cant_reply(rctxt, chunk, body);
	else if (!chunk || hdrlen > rbsiz)
		svc_rdma2_cant_reply(rctxt, NULL, body);
	return !rctxt->rc_v2->rv_cant_reply.code;
}

/*
 * Section: sending
 */

/**
 * svc_rdma2_encode_header - write the transport header of a reply
 * @rdma: connection
 * @rctxt: received Call
 * @sctxt: Send context for the reply
 * @body: length of the body, in bytes
 *
 * The Write list comes back whole. rdma_inv_handle comes back whatever
 * is done with it (B-35).
 *
 * Return: 0, or -EMSGSIZE if the Send context's buffer is too small
 */
static int svc_rdma2_encode_header(struct svcxprt_rdma *rdma,
				   struct svc_rdma_recv_ctxt *rctxt,
				   struct svc_rdma_send_ctxt *sctxt, u32 body)
{
	const struct rpcrdma2_msg *msg = &rctxt->rc_v2->rv_msg;
	const struct rpcrdma2_hdr hdr = {
		.xid	= msg->xid,
		.credit	= svc_rdma2_grant(rdma),
		.dir	= RDMA2_REPLY,
	};
	__be32 *p;

	p = xdr_reserve_space(&sctxt->sc_stream, RPCRDMA2_PREFIX_SIZE);
	if (!p)
		return -EMSGSIZE;
	rpcrdma2_encode_prefix(p, &hdr,
			       pcl_is_empty(&rctxt->rc_reply_pcl) ?
			       RDMA2_MSG : RDMA2_NOMSG,
			       msg->lists.inv_handle);
	if (xdr_stream_encode_item_absent(&sctxt->sc_stream) < 0 ||
	    svc_rdma_encode_write_list(rctxt, sctxt) < 0 ||
	    svc_rdma_encode_reply_chunk(rctxt, sctxt, body) < 0)
		return -EMSGSIZE;
	return 0;
}

/**
 * svc_rdma2_copy - copy a part of a reply
 * @xdr: the part
 * @data: where it goes to; moved behind the copy
 *
 * Return: 0 or a negative errno
 */
static int svc_rdma2_copy(const struct xdr_buf *xdr, void *data)
{
	void **dst = data;
	int ret;

	ret = read_bytes_from_xdr_buf(xdr, 0, *dst, xdr->len);
	if (ret)
		return ret;
	*dst += xdr->len;
	return 0;
}

/**
 * svc_rdma2_bounce - send the body of a reply from one piece of memory
 * @rdma: connection
 * @sctxt: Send context that begins with the transport header
 * @rctxt: received Call
 * @rqstp: request with its reply; gets the memory
 * @body: length of the body, in bytes
 *
 * For a body in more pieces than the device can gather, and longer than what
 * fits behind the header.
 *
 * Return: 0, -E2BIG if there is no such memory, or the reply has too many pages
 * of its own, or another negative errno
 */
static int svc_rdma2_bounce(struct svcxprt_rdma *rdma,
			    struct svc_rdma_send_ctxt *sctxt,
			    const struct svc_rdma_recv_ctxt *rctxt,
			    struct svc_rqst *rqstp, u32 body)
{
	struct ib_device *device = rdma->sc_cm_id->device;
	int ret = -E2BIG;
	struct page *page;
	void *dst;
	u64 addr;

	if (rqstp->rq_next_page >= rqstp->rq_page_end)
		return ret;
	page = alloc_pages_node(ibdev_to_node(device),
				GFP_KERNEL | __GFP_COMP | __GFP_NOWARN,
				get_order(body));
	if (!page)
		return ret;
	dst = page_address(page);
	if (pcl_process_nonpayloads(&rctxt->rc_write_pcl, &rqstp->rq_res,
				    svc_rdma2_copy, &dst) < 0)
		goto out;
	if (!svc_rqst_replace_page(rqstp, page))
		goto out;

	ret = -EIO;
	addr = ib_dma_map_page(device, page, 0, body, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(device, addr))
		goto out;
	sctxt->sc_sges[1].addr = addr;
	sctxt->sc_sges[1].length = body;
	sctxt->sc_send_wr.num_sge = 2;
	ret = 0;
out:
	put_page(page);
	return ret;
}

/**
 * svc_rdma2_prepare - get all parts of a reply ready to be sent
 * @rdma: connection
 * @rctxt: received Call
 * @sctxt: Send context for the reply
 * @rqstp: request with its reply
 * @body: length of the body, in bytes
 *
 * Return: 0, -E2BIG or -EINVAL if the reply cannot be conveyed as it is, or
 * another negative errno if resources are exhausted
 */
static int svc_rdma2_prepare(struct svcxprt_rdma *rdma,
			     struct svc_rdma_recv_ctxt *rctxt,
			     struct svc_rdma_send_ctxt *sctxt,
			     struct svc_rqst *rqstp, u32 body)
{
	const struct svc_rdma_pcl *write_pcl = &rctxt->rc_write_pcl;
	const struct svc_rdma_pcl *reply_pcl = &rctxt->rc_reply_pcl;
	const struct xdr_buf *xdr = &rqstp->rq_res;
	int ret;

	ret = svc_rdma_prepare_write_list(rdma, rctxt, sctxt, xdr);
	if (ret < 0)
		return ret;
	if (!pcl_is_empty(reply_pcl)) {
		ret = svc_rdma_prepare_reply_chunk(rdma, write_pcl, reply_pcl,
						   sctxt, xdr);
		if (ret < 0)
			return ret;
	}
	ret = svc_rdma2_encode_header(rdma, rctxt, sctxt, body);
	if (ret < 0)
		return ret;
	ret = svc_rdma_map_reply_msg(rdma, sctxt, write_pcl, reply_pcl, xdr);
	if (ret == -E2BIG)
		ret = svc_rdma2_bounce(rdma, sctxt, rctxt, rqstp, body);
	return min(ret, 0);
}

/**
 * svc_rdma2_set_opcode - choose between Send and Send With Invalidate
 * @rdma: connection
 * @rctxt: received Call
 * @wr: Send of its reply
 *
 * Only a handle that the peer has nominated and that is one of this Call's,
 * only if the peer said that it accepts that and the device is able to
 * (A-22, A-23, B-36..B-39, N-28, X-80). What was said in CM private data makes
 * no difference.
 */
static void svc_rdma2_set_opcode(struct svcxprt_rdma *rdma,
				 const struct svc_rdma_recv_ctxt *rctxt,
				 struct ib_send_wr *wr)
{
	const struct rpcrdma2_lists *lists = &rctxt->rc_v2->rv_msg.lists;
	const struct ib_device *device = rdma->sc_cm_id->device;
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;

	wr->opcode = IB_WR_SEND;
	if (!lists->inv_handle)
		return;
	if (!lists->inv_listed) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_FOREIGN_INV);
		return;
	}
	if (!(device->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS))
		return;
	if (!rpcrdma2_conn_peer_value(conn, RPCRDMA2_REQREMINV))
		return;
	wr->opcode = IB_WR_SEND_WITH_INV;
	wr->ex.invalidate_rkey = lists->inv_handle;
	rpcrdma2_count(conn, RPCRDMA2_CNT_REMOTE_INVALIDATIONS);
}

/**
 * svc_rdma2_send_reply - send a reply
 * @rdma: connection
 * @rctxt: received Call
 * @sctxt: Send context for the reply
 * @rqstp: request with its reply; pages under I/O go to the Send completion
 * @body: length of the body, in bytes
 *
 * Return: 0, -E2BIG or -EINVAL if the reply cannot be conveyed as it is, or
 * another negative errno; @sctxt stays with the caller unless 0 is returned
 */
static int svc_rdma2_send_reply(struct svcxprt_rdma *rdma,
				struct svc_rdma_recv_ctxt *rctxt,
				struct svc_rdma_send_ctxt *sctxt,
				struct svc_rqst *rqstp, u32 body)
{
	int ret;

	ret = svc_rdma2_prepare(rdma, rctxt, sctxt, rqstp, body);
	svc_rdma_save_io_pages(rqstp, sctxt);
	if (ret < 0)
		return ret;
	svc_rdma2_set_opcode(rdma, rctxt, &sctxt->sc_send_wr);
	ret = svc_rdma_post_send(rdma, sctxt);
	if (ret < 0)
		return ret;
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_REPLIES_SENT);
	return 0;
}

/**
 * svc_rdma2_send_msg - send the reply to a Call that came by RDMA2_MSG or NOMSG
 * @rdma: connection
 * @rctxt: received Call; if its reply cannot be conveyed, the reason is noted
 * @sctxt: Send context for the reply
 * @rqstp: request with its reply; pages under I/O go to the Send completion
 *
 * Return: 0, -E2BIG or -EINVAL if the reply cannot be conveyed as it is, or
 * another negative errno; @sctxt stays with the caller unless 0 is returned
 */
static int svc_rdma2_send_msg(struct svcxprt_rdma *rdma,
			      struct svc_rdma_recv_ctxt *rctxt,
			      struct svc_rdma_send_ctxt *sctxt,
			      struct svc_rqst *rqstp)
{
	int ret = -E2BIG;
	u32 body;

	svc_rdma2_check_payloads(rqstp, rctxt);
	body = svc_rdma2_body_length(rctxt, &rqstp->rq_res);
	if (svc_rdma2_choose(rdma, rctxt, body))
		ret = svc_rdma2_send_reply(rdma, rctxt, sctxt, rqstp, body);
	if (ret == -E2BIG || ret == -EINVAL)
		svc_rdma2_cant_reply(rctxt, NULL, body);
	return ret;
}

/**
 * svc_rdma2_sendto - send the reply to a Call of version 2
 * @rqstp: processed request, its reply in rq_res
 *
 * Context: service thread, may sleep
 *
 * Return: 0 if the peer gets a reply or is told that it cannot have one,
 * otherwise a negative errno, and the connection has to be closed
 */
int svc_rdma2_sendto(struct svc_rqst *rqstp)
{
	struct svc_rdma_recv_ctxt *rctxt = rqstp->rq_xprt_ctxt;
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct svc_rdma2_recv *rv = rctxt->rc_v2;
	struct svc_rdma_send_ctxt *sctxt;
	int ret;

	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (!sctxt)
		return -ENOMEM;

	if (rv->rv_xmt)
		ret = svc_rdma2_send_xmtresp(rdma, rctxt, sctxt, rqstp);
	else
		ret = svc_rdma2_send_msg(rdma, rctxt, sctxt, rqstp);
	if (!ret)
		return 0;
	if (ret != -E2BIG && ret != -EINVAL) {
		svc_rdma_send_ctxt_put(rdma, sctxt);
		return ret;
	}
	svc_rdma2_cant_reply(rctxt, NULL, rqstp->rq_res.len);
	return svc_rdma2_post_error(rdma, sctxt, &rv->rv_msg,
				    &rv->rv_cant_reply);
}
