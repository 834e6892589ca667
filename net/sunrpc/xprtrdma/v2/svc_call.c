// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: Calls.
 *
 * The receive handler has decoded the header. The chunk lists of RDMA2_MSG and
 * RDMA2_NOMSG, now known to be sound, go to the parsed chunk lists of version 1.
 *
 * A Call that comes by ROPT_XMTREQ is in pieces: the payload stream, items in
 * the pages of Receives, and items that are still in the peer's memory. If there
 * is one placed item, and it is the data of what looks like a WRITE, the upper
 * layer takes it from these pages, however many Receives they are of. Otherwise
 * what was received is copied into one piece. So is the payload stream if it
 * came in several transmissions.
 *
 * nfsd takes the data of a WRITE from whole pages, and goes on with the next
 * page where an item ends (S-14). So pages are handed out only if the count in
 * front of the item is its length, what follows it in the message is too short
 * for another WRITE, and what is behind it in memory is zeros, as far as a count
 * of some other item could make nfsd go.
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/unaligned.h>
#include <linux/sunrpc/auth_gss.h>
#include <linux/sunrpc/svc.h>

#include "svc.h"
#include <trace/events/rpcrdma2.h>

/* opcode, stateid, offset, stable_how, count, and the least there can be of
 * data, in bytes
 */
enum {
	SVC_RDMA2_WRITE_MIN	= XDR_UNIT + 4 * XDR_UNIT + 2 * XDR_UNIT +
				  XDR_UNIT + XDR_UNIT + XDR_UNIT,
};

/* Section: the first transmission, in the order of arrival */

/* Describe what was received, whose header is decoded. */
static void svc_rdma2_arrival(struct svc_rdma2 *v2,
			      const struct svc_rdma_recv_ctxt *ctxt,
			      struct svc_rdma2_call *xmt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	const struct rpcrdma2_xmtreq *req = &xmt->xm_req;
	struct rpcrdma2_arrival *arr = &xmt->xm_arr;

	xmt->xm_parts[0].length = msg->length;
	xmt->xm_parts[0].hdrlen = msg->hdrlen;
	xmt->xm_parts[0].pslen = req->pslen;
	arr->rb = &v2->sv_place.pl_rb;
	arr->max_message = v2->sv_limits.max_message;
	arr->limit = v2->sv_assembly.ra_requests;
	arr->dir = RDMA2_CALL;
	arr->count = req->count;
	arr->nitems = req->nitems;
	arr->items = req->items;
	arr->pool = &req->pool;
	arr->nparts = 1;
	arr->parts = xmt->xm_parts;
	xmt->xm_remote = req->nitems && req->items[0].type == XMPTYPE_EXRW &&
			 req->items[0].length && !req->items[0].disp;
}

/* Is a payload about what its header says? @ctxt: received ROPT_XMTREQ, described by
 * svc_rdma2_arrival(). What begins in the peer's memory is looked at later, and what
 * is too short is not a matter of XDR (N-131, N-132). Returns false if it is about
 * something else.
 */
static bool svc_rdma2_payload_matches(const struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	const struct svc_rdma2_call *xmt = ctxt->rc_v2->rv_call;
	u32 left = msg->length - msg->hdrlen;

	if (xmt->xm_remote || left < 2 * XDR_UNIT ||
	    xmt->xm_parts[0].pslen < 2 * XDR_UNIT)
		return true;
	return rpcrdma2_payload_sound(ctxt->rc_recv_buf + msg->hdrlen, left,
				      msg->xid, msg->dir);
}

/* An initial transmission cannot be taken. @count: 0 if that cannot be read. Returns
 * SVC_RDMA2_O_BAD_XDR.
 */
static enum svc_rdma2_outcome svc_rdma2_refuse_lead(struct svc_rdma2 *v2, u32 count)
{
	rpcrdma2_assembly_refuse(&v2->sv_assembly.ra_asm, count);
	return SVC_RDMA2_O_BAD_XDR;
}

/**
 * svc_rdma2_lead_call - receive the initial transmission of a Call
 * @rdma: connection
 * @ctxt: received ROPT_XMTREQ, perhaps not sound
 *
 * Context: receive handler
 * Return: what becomes of it
 */
enum svc_rdma2_outcome svc_rdma2_lead_call(struct svcxprt_rdma *rdma,
					   struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	struct rpcrdma2_msg *msg = &rv->rv_msg;
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct svc_rdma2_call *xmt;

	if (!msg->opt.info_off)
		return svc_rdma2_refuse_lead(v2, 0);
	xmt = kmem_cache_alloc(svc_rdma2_calls, SVC_RDMA2_GFP);
	if (!xmt)
		return SVC_RDMA2_O_CLOSE;
	xmt->xm_linear = NULL;
	xmt->xm_joined = NULL;
	xmt->xm_nresults = 0;
	xmt->xm_arr.nparts = 1;
	xmt->xm_ctxts[0] = ctxt;
	rv->rv_call = xmt;
	if (rpcrdma2_decode_xmtreq(ctxt->rc_recv_buf, msg, &xmt->xm_req) ||
	    msg->verdict != RPCRDMA2_OK)
		return svc_rdma2_refuse_lead(v2, xmt->xm_req.count);
	svc_rdma2_arrival(v2, ctxt, xmt);
	if (!svc_rdma2_payload_matches(ctxt))
		return svc_rdma2_refuse_lead(v2, xmt->xm_req.count);
	if (rpcrdma2_assembly_lead(&v2->sv_assembly.ra_asm, msg, &xmt->xm_arr,
				   &xmt->xm_req, xmt->xm_parts,
				   &rv->rv_fault) != RPCRDMA2_STEP_HELD)
		return SVC_RDMA2_O_QUEUE;
	return SVC_RDMA2_O_HELD;
}

/* Find the item of a Call that has one. @xmt: sound Call. Returns the item, or NULL
 * if there is none or there are several.
 */
static const struct rpcrdma2_mitem *
svc_rdma2_only_item(const struct svc_rdma2_call *xmt)
{
	const struct rpcrdma2_mitem *item, *only = NULL;

	for (item = xmt->xm_req.items;
	     item < xmt->xm_req.items + xmt->xm_req.nitems; item++) {
		if (!item->length)
			continue;
		if (only)
			return NULL;
		only = item;
	}
	return only;
}

/* Is an item preceded by its length? @item: the only item of it. Returns false if it
 * is not, and may not be what it seems to be.
 */
static bool svc_rdma2_counted(const void *payload,
			      const struct rpcrdma2_mitem *item)
{
	return item->disp >= XDR_UNIT &&
	       get_unaligned_be32(payload + item->disp - XDR_UNIT) ==
	       item->length;
}

/* Can the items of a Call be pulled? One that is neither preceded by its length nor
 * the whole message is pulled in two parts, which takes more than a word. Returns
 * false if the Call cannot be taken as it is.
 */
static bool svc_rdma2_pullable(const struct svc_rdma2_call *xmt)
{
	const struct rpcrdma2_mitem *item = svc_rdma2_only_item(xmt);

	return !item || item->type != XMPTYPE_EXRW ||
	       item->length > XDR_UNIT || !xmt->xm_pslen ||
	       svc_rdma2_counted(xmt->xm_payload, item);
}

/* Find out whether a Call is sound. @rv: the receive handler found nothing wrong
 * with its transmissions. What shows when it is complete was seen when the last one
 * arrived. Returns false if it is not, and has to be reported.
 */
static bool svc_rdma2_check_call(struct svc_rdma2_recv *rv)
{
	struct svc_rdma2_call *xmt = rv->rv_call;
	u32 count = xmt->xm_req.count;
	struct rpcrdma2_repterr fault = { };

	if (!rpcrdma2_check_whole(&xmt->xm_arr, &xmt->xm_req, &fault)) {
		rv->rv_fault = fault;
		rpcrdma2_blame(&rv->rv_fault, &rv->rv_msg, count - 1, count > 1);
		rv->rv_fault.lead.xid = rv->rv_msg.xid;
		rv->rv_fault.lead.dir = RDMA2_CALL;
		return false;
	}
	xmt->xm_length = rpcrdma2_virtual_length(&xmt->xm_arr);
	xmt->xm_pslen = rpcrdma2_payload_length(&xmt->xm_arr);
	return true;
}

/* Section: the payload stream */

/* Find a byte of a transmission. @offset: the byte, from the start of the Send.
 * Returns where it is.
 */
static void *svc_rdma2_received(const struct svc_rdma2_call *xmt, u32 xnum,
				u32 offset)
{
	return xmt->xm_ctxts[xnum]->rc_recv_buf + offset;
}

/* Have the payload stream in one piece (C-03, C-04). It often is: the transmissions
 * that follow bring nothing but data. Returns false if memory is exhausted.
 */
static bool svc_rdma2_join_payload(struct svc_rdma2_call *xmt)
{
	const struct rpcrdma2_part *part = xmt->xm_parts;
	void *dst;
	u32 i;

	xmt->xm_payload = svc_rdma2_received(xmt, 0, part->hdrlen);
	if (xmt->xm_pslen == part->pslen)
		return true;
	dst = kvmalloc(xmt->xm_pslen, GFP_KERNEL);
	xmt->xm_joined = dst;
	if (!dst)
		return false;
	xmt->xm_payload = dst;
	for (i = 0; i < xmt->xm_arr.nparts; i++, part++) {
		memcpy(dst, svc_rdma2_received(xmt, i, part->hdrlen), part->pslen);
		dst += part->pslen;
	}
	return true;
}

/* Section: data in the pages of Receives */

/* Is a Call going to be unwrapped in place? A peer must not place data of such a
 * Call. If it does, the pages of its Receive are not for others to write to.
 */
static bool svc_rdma2_wrapped(const void *payload, u32 length)
{
	const __be32 *p = payload;

	if (length < SVC_RDMA2_CRED_WORDS * XDR_UNIT)
		return true;
	return get_unaligned_be32(p + SVC_RDMA2_CRED_FLAVOR) == RPC_AUTH_GSS &&
	       get_unaligned_be32(p + SVC_RDMA2_GSS_SERVICE) !=
	       RPC_GSS_SVC_NONE;
}

/* Did all transmissions of a Call come in blocks? Others may still be posted. */
static bool svc_rdma2_in_blocks(const struct svc_rdma2_call *xmt)
{
	u32 i;

	for (i = 0; i < xmt->xm_arr.nparts; i++)
		if (!xmt->xm_ctxts[i]->rc_block)
			return false;
	return true;
}

/* Can an item be taken from the pages that it is in? @item: its only item. It has to
 * begin with a page, and to be behind the credential. There is one page of zeros behind it,
 * which is more than what follows it in the message. Returns false if it has to be copied.
 */
static bool svc_rdma2_in_pages(const struct svc_rdma_recv_ctxt *ctxt,
			       const struct rpcrdma2_mitem *item)
{
	const struct svc_rdma2_call *xmt = ctxt->rc_v2->rv_call;

	return item->type == XMPTYPE_TBSN && !item->offset &&
	       svc_rdma2_in_blocks(xmt) &&
	       svc_rdma_cred_is_whole(xmt->xm_payload, item->disp) &&
	       xmt->xm_pslen - item->disp < SVC_RDMA2_WRITE_MIN &&
	       svc_rdma2_counted(xmt->xm_payload, item) &&
	       !svc_rdma2_wrapped(xmt->xm_payload, item->disp);
}

/* Clear what is behind an item in its last page: that may be left over from another
 * message (S-14). @end: where the item ends, from the start of the Receive.
 */
static void svc_rdma2_clear_behind(struct svc_rdma_recv_ctxt *ctxt, u32 end)
{
	void *pos = ctxt->rc_recv_buf + end;
	u32 rest = PAGE_ALIGN((unsigned long)pos) - (unsigned long)pos;

	rest = min(rest, ctxt->rc_block->rb_length - end);
	memset(pos, 0, rest);
	ctxt->rc_v2->rv_written = end + rest;
}

/* Let rq_arg refer to an item where it is (P-16, P-23, P-25). @item: its only item.
 * The pages stay the receive contexts', which live as long as the request.
 */
static void svc_rdma2_build_pages(struct svc_rqst *rqstp,
				  struct svc_rdma_recv_ctxt *ctxt,
				  const struct rpcrdma2_mitem *item)
{
	struct svc_rdma2_call *xmt = ctxt->rc_v2->rv_call;
	struct xdr_buf *arg = &rqstp->rq_arg;
	struct svc_rdma_recv_ctxt *member;
	struct rpcrdma2_piece piece;
	struct rpcrdma2_walk walk;
	u32 pos, n = 0;

	rpcrdma2_walk_begin(&walk, &xmt->xm_arr);
	while (rpcrdma2_walk_next(&walk, &piece)) {
		if (piece.kind != RPCRDMA2_PIECE_PLACED)
			continue;
		member = xmt->xm_ctxts[piece.xnum];
		for (pos = 0; pos < piece.length; pos += PAGE_SIZE)
			xmt->xm_pages[n++] =
				rpcrdma2_recvblock_page(member->rc_block,
							piece.offset + pos);
		if (piece.length % PAGE_SIZE)
			svc_rdma2_clear_behind(member, piece.offset + piece.length);
	}
	xmt->xm_pages[n] = ZERO_PAGE(0);

	arg->head[0].iov_base = xmt->xm_payload;
	arg->head[0].iov_len = item->disp;
	arg->pages = xmt->xm_pages;
	arg->page_base = 0;
	arg->page_len = xdr_align_size(item->length);
	arg->tail[0].iov_base = arg->head[0].iov_base + item->disp;
	arg->tail[0].iov_len = xmt->xm_pslen - item->disp;
	arg->len = xmt->xm_length;
	arg->buflen = arg->len;
}

/* Section: messages that are copied, or pulled */

/* Let rq_arg be what is in one piece. */
static void svc_rdma2_build_head(struct xdr_buf *arg, void *base, u32 length)
{
	arg->head[0].iov_base = base;
	arg->head[0].iov_len = length;
	arg->len = length;
	arg->buflen = length;
}

/* Copy what was received of an RPC message. @pads: with the round-up of items that
 * are not here. Returns how much that is, in bytes.
 */
static u32 svc_rdma2_copy_pieces(struct svc_rdma_recv_ctxt *ctxt, void *dst,
				 bool pads)
{
	const struct svc_rdma2_call *xmt = ctxt->rc_v2->rv_call;
	struct rpcrdma2_piece piece;
	struct rpcrdma2_walk walk;
	u32 length = 0;

	rpcrdma2_walk_begin(&walk, &xmt->xm_arr);
	while (rpcrdma2_walk_next(&walk, &piece)) {
		switch (piece.kind) {
		case RPCRDMA2_PIECE_REMOTE:
			continue;
		case RPCRDMA2_PIECE_ZEROS:
			if (!pads && xmt->xm_req.items[piece.item].type ==
				     XMPTYPE_EXRW)
				continue;
			memset(dst + length, 0, piece.length);
			break;
		default:
			memcpy(dst + length,
			       svc_rdma2_received(xmt, piece.xnum, piece.offset),
			       piece.length);
		}
		length += piece.length;
	}
	return length;
}

/* Let rq_arg be a copy of what was received. @pads: with the round-up of items that
 * are not here. Returns false if memory is exhausted.
 */
static bool svc_rdma2_build_copy(struct svc_rqst *rqstp,
				 struct svc_rdma_recv_ctxt *ctxt, bool pads)
{
	struct svc_rdma2_call *xmt = ctxt->rc_v2->rv_call;
	u32 length = xmt->xm_pslen;
	u32 i;

	for (i = 0; i < xmt->xm_req.nitems; i++)
		length += xmt->xm_req.items[i].type == XMPTYPE_TBSN ?
			  xdr_align_size(xmt->xm_req.items[i].length) :
			  XDR_UNIT;
	xmt->xm_linear = kvmalloc(length, GFP_KERNEL);
	if (!xmt->xm_linear)
		return false;
	length = svc_rdma2_copy_pieces(ctxt, xmt->xm_linear, pads);
	svc_rdma2_build_head(&rqstp->rq_arg, xmt->xm_linear, length);
	return true;
}

/* Have a part of an item pulled by RDMA Read. @item: item of it, XMPTYPE_EXRW.
 * @length: not zero. @pcl: chunks to add it to, as the last one. Of the memory
 * that is offered, only what the item is long is touched. Returns false
 * if memory is exhausted.
 */
static bool svc_rdma2_add_read(struct svc_rdma_recv_ctxt *ctxt,
			       const struct rpcrdma2_mitem *item, u32 from,
			       u32 length, struct svc_rdma_pcl *pcl)
{
	const struct rpcrdma2_segment *seg =
		&ctxt->rc_v2->rv_call->xm_req.pool.segs[item->first];
	struct svc_rdma_segment *dst;
	struct svc_rdma_chunk *chunk;
	u32 skip = from, n;

	chunk = kzalloc(struct_size(chunk, ch_segments, item->count), GFP_KERNEL);
	if (!chunk)
		return false;
	chunk->ch_position = item->disp + from;
	for (; chunk->ch_length < length; seg++) {
		n = min(skip, seg->length);
		skip -= n;
		if (n == seg->length)
			continue;
		dst = &chunk->ch_segments[chunk->ch_segcount++];
		dst->rs_handle = seg->handle;
		dst->rs_offset = seg->offset + n;
		dst->rs_length = min(length - chunk->ch_length, seg->length - n);
		chunk->ch_length += dst->rs_length;
	}
	list_add_tail(&chunk->ch_list, &pcl->cl_chunks);
	pcl->cl_count++;
	return true;
}

/* Have a Call pulled that has one item, in the peer's memory. If its length is in
 * front of it, it is like a Read chunk of RDMA2_MSG. One that is the whole message
 * is like a position-zero chunk. Otherwise the pieces are put together in a row of
 * pages, which takes two chunks at least: also where crypto would not find the pages
 * of a long head, unless the item is too short for two. svc_rdma2_recv_flatten()
 * copies a head that stays. Returns false if memory is exhausted.
 */
static bool svc_rdma2_pull_only(struct svc_rqst *rqstp,
				struct svc_rdma_recv_ctxt *ctxt,
				const struct rpcrdma2_mitem *item)
{
	const struct svc_rdma2_call *xmt = ctxt->rc_v2->rv_call;
	u32 first = XDR_UNIT;

	if (!xmt->xm_pslen ||
	    (svc_rdma2_counted(xmt->xm_payload, item) &&
	     (item->length <= first || xmt->xm_pslen <= PAGE_SIZE ||
	      !is_vmalloc_addr(xmt->xm_payload)))) {
		svc_rdma2_build_head(&rqstp->rq_arg, xmt->xm_payload, xmt->xm_pslen);
		return svc_rdma2_add_read(ctxt, item, 0, item->length,
					  xmt->xm_pslen ? &ctxt->rc_read_pcl :
							  &ctxt->rc_call_pcl);
	}
	return svc_rdma2_build_copy(rqstp, ctxt, true) &&
	       svc_rdma2_add_read(ctxt, item, 0, first, &ctxt->rc_read_pcl) &&
	       svc_rdma2_add_read(ctxt, item, first, item->length - first,
				  &ctxt->rc_read_pcl);
}

/* Have items of a Call pulled that are in the peer's memory (P-19, P-22). Returns
 * false if memory is exhausted.
 */
static bool svc_rdma2_pull(struct svc_rqst *rqstp, struct svc_rdma_recv_ctxt *ctxt)
{
	const struct svc_rdma2_call *xmt = ctxt->rc_v2->rv_call;
	const struct rpcrdma2_mitem *item = svc_rdma2_only_item(xmt);
	u32 i, pulled = 0;

	if (item)
		return svc_rdma2_pull_only(rqstp, ctxt, item);
	for (i = 0; i < xmt->xm_req.nitems; i++) {
		item = &xmt->xm_req.items[i];
		if (item->type != XMPTYPE_EXRW || !item->length)
			continue;
		pulled++;
		if (!svc_rdma2_add_read(ctxt, item, 0, item->length,
					&ctxt->rc_read_pcl))
			return false;
	}
	return svc_rdma2_build_copy(rqstp, ctxt, pulled > 1);
}

/* Add up the items of a Call that are of one type. Returns their length, in bytes.
 */
static u32 svc_rdma2_count_items(const struct svc_rdma2_call *xmt, u32 type)
{
	u32 i, length = 0;

	for (i = 0; i < xmt->xm_req.nitems; i++)
		if (xmt->xm_req.items[i].type == type)
			length += xmt->xm_req.items[i].length;
	return length;
}

/* Put a Call together as far as it is here. @ctxt: received Call, sound. Returns
 * false if memory is exhausted.
 */
static bool svc_rdma2_build_call(struct svc_rqst *rqstp,
				 struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	const struct svc_rdma2_call *xmt = ctxt->rc_v2->rv_call;
	const struct rpcrdma2_mitem *item = svc_rdma2_only_item(xmt);
	u32 placed = svc_rdma2_count_items(xmt, XMPTYPE_TBSN);

	rpcrdma2_count_bytes(conn, RPCRDMA2_CNT_PLACED_RECEIVED, placed);
	if (item && svc_rdma2_in_pages(ctxt, item)) {
		svc_rdma2_build_pages(rqstp, ctxt, item);
		return true;
	}
	rpcrdma2_count_bytes(conn, RPCRDMA2_CNT_PLACED_COPIED, placed);
	if (svc_rdma2_count_items(xmt, XMPTYPE_EXRW))
		return svc_rdma2_pull(rqstp, ctxt);
	if (!placed)
		svc_rdma2_build_head(&rqstp->rq_arg, xmt->xm_payload, xmt->xm_pslen);
	return !placed || svc_rdma2_build_copy(rqstp, ctxt, false);
}

/**
 * svc_rdma2_take_xmtreq - receive a Call that came by ROPT_XMTREQ
 * @rqstp: request being received
 * @ctxt: its first transmission, which holds the others
 *
 * Context: service thread, may sleep
 * Return: what is left to do
 */
enum svc_rdma2_outcome svc_rdma2_take_xmtreq(struct svc_rqst *rqstp,
					     struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	struct svc_rdma2_call *xmt = rv->rv_call;

	if (!svc_rdma2_check_call(rv))
		return SVC_RDMA2_O_REPORT;
	if (!svc_rdma2_join_payload(xmt))
		return SVC_RDMA2_O_CLOSE;
	if (!svc_rdma2_pullable(xmt))
		return SVC_RDMA2_O_BAD_XDR;

	rpcrdma2_count(conn, RPCRDMA2_CNT_CALLS_RECEIVED);
	rpcrdma2_count(conn, RPCRDMA2_CNT_XMTREQS);
	trace_rpcrdma2_xmtreq(conn, rv->rv_msg.xid, &xmt->xm_req, false);
	svc_rdma2_take_credit(rdma, &rv->rv_msg);
	/* The context may have been used before, and pcl_free() leaves these. */
	ctxt->rc_call_pcl.cl_count = 0;
	ctxt->rc_read_pcl.cl_count = 0;
	ctxt->rc_write_pcl.cl_count = 0;
	ctxt->rc_reply_pcl.cl_count = 0;
	if (!svc_rdma2_build_call(rqstp, ctxt))
		return SVC_RDMA2_O_CLOSE;
	return svc_rdma2_has_reads(ctxt) ? SVC_RDMA2_O_READLIST : SVC_RDMA2_O_CALL;
}

/* Section: Calls by RDMA2_MSG or RDMA2_NOMSG */

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

/* Let rq_arg be what came inline of an RPC message. @rqstp: its rq_arg is all that was
 * received. @ctxt: its buffer is referred to as long as rq_arg is used. What follows the
 * header of RDMA2_NOMSG is not part of the message (N-25).
 */
static void svc_rdma2_build_arg(struct svc_rqst *rqstp,
				struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	struct xdr_buf *arg = &rqstp->rq_arg;
	u32 payload = 0;

	if (msg->proc == RDMA2_MSG)
		payload = msg->length - msg->hdrlen;
	svc_rdma2_build_head(arg, arg->head[0].iov_base + msg->hdrlen, payload);
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
