// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: Calls with placed data.
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
#include <linux/sunrpc/auth_gss.h>
#include <linux/sunrpc/svc.h>
#include <linux/unaligned.h>

#include "svc_rdma2.h"
#include <trace/events/rpcrdma2.h>

/* opcode, stateid, offset, stable_how, count, and the least there can be of
 * data, in bytes
 */
enum {
	SVC_RDMA2_WRITE_MIN	= XDR_UNIT + 4 * XDR_UNIT + 2 * XDR_UNIT +
				  XDR_UNIT + XDR_UNIT + XDR_UNIT,
};

/*
 * Section: reports
 */

/**
 * svc_rdma2_post_report - send ROPT_REPTERR
 * @rdma: connection
 * @hdr: first fields of it
 * @rep: the rest
 *
 * Return: false if it could not be sent
 */
static bool svc_rdma2_post_report(struct svcxprt_rdma *rdma,
				  const struct rpcrdma2_hdr *hdr,
				  const struct rpcrdma2_repterr *rep)
{
	struct svc_rdma_send_ctxt *sctxt = svc_rdma_send_ctxt_get(rdma);
	int len;

	if (!sctxt)
		return false;
	len = rpcrdma2_encode_repterr(sctxt->sc_xprt_buf, RPCRDMA2_MAX_CTRL,
				      hdr, rep);
	return !svc_rdma2_post_header(rdma, sctxt, len);
}

/**
 * svc_rdma2_send_report - report a bad transmission
 * @rdma: connection
 * @rep: what is wrong, and with which one
 *
 * One about a reply is left out if the peer may not have Receives for it
 * . Serves, E-02, E-16, E-19.
 *
 * Context: service thread, may sleep
 */
void svc_rdma2_send_report(struct svcxprt_rdma *rdma,
			   const struct rpcrdma2_repterr *rep)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	bool call = rep->bad.dir == RDMA2_CALL;
	const struct rpcrdma2_hdr hdr = {
		.xid	= rep->bad.xid,
		.credit	= call ? svc_rdma2_grant(rdma) :
				 svc_rdma2_reverse_request(rdma),
		.dir	= call ? RDMA2_REPLY : RDMA2_CALL,
	};
	bool sent;

	rpcrdma2_conn_reported(conn, rep, true);
	if (!call && !rpcrdma2_conn_report_begin(conn)) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_ERRORS_UNSENT);
		return;
	}
	sent = svc_rdma2_post_report(rdma, &hdr, rep);
	if (!call)
		rpcrdma2_conn_report_end(conn, sent);
	rpcrdma2_count(conn, sent ? RPCRDMA2_CNT_REPTERR_SENT :
				    RPCRDMA2_CNT_ERRORS_UNSENT);
}

/**
 * svc_rdma2_refuse_call - answer a Call that does not parse
 * @rdma: connection
 * @rv: received ROPT_XMTREQ in CALL direction
 */
static void svc_rdma2_refuse_call(struct svcxprt_rdma *rdma,
				  const struct svc_rdma2_recv *rv)
{
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_BAD_HEADERS);
	svc_rdma2_send_error(rdma, rv, RDMA2_ERR_BAD_XDR);
}

/*
 * Section: is it sound?
 */

/**
 * svc_rdma2_arrival - describe what was received
 * @v2: connection
 * @ctxt: received ROPT_XMTREQ
 * @xmt: OUT: where its RPC message is; the request was decoded
 *
 * Context: receive handler
 */
void svc_rdma2_arrival(struct svc_rdma2 *v2,
		       const struct svc_rdma_recv_ctxt *ctxt,
		       struct svc_rdma2_xmt *xmt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	const struct rpcrdma2_xmtreq *req = &xmt->xm_req;
	struct rpcrdma2_arrival *arr = &xmt->xm_arr;

	xmt->xm_parts[0].length = msg->length;
	xmt->xm_parts[0].hdrlen = msg->hdrlen;
	xmt->xm_parts[0].pslen = req->pslen;
	arr->rb = &v2->sv_place.pl_rb;
	arr->max_message = v2->sv_limits.max_message;
	arr->limit = v2->sv_groups.ra_requests;
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

/**
 * svc_rdma2_payload_matches - is a payload about what its header says?
 * @ctxt: received ROPT_XMTREQ, described by svc_rdma2_arrival()
 *
 * What begins in the peer's memory is looked at later, and what is too short is
 * not a matter of XDR (N-131, N-132).
 *
 * Context: receive handler
 *
 * Return: false if it is about something else
 */
bool svc_rdma2_payload_matches(const struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	const struct svc_rdma2_xmt *xmt = ctxt->rc_v2->rv_xmt;
	u32 left = msg->length - msg->hdrlen;

	if (xmt->xm_remote || left < 2 * XDR_UNIT ||
	    xmt->xm_parts[0].pslen < 2 * XDR_UNIT)
		return true;
	return rpcrdma2_payload_sound(ctxt->rc_recv_buf + msg->hdrlen, left,
				      msg->xid, msg->dir);
}

/**
 * svc_rdma2_only_item - find the item of a Call that has one
 * @xmt: sound Call
 *
 * Return: the item, or NULL if there is none or there are several
 */
static const struct rpcrdma2_mitem *
svc_rdma2_only_item(const struct svc_rdma2_xmt *xmt)
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

/**
 * svc_rdma2_counted - is an item preceded by its length?
 * @payload: payload stream of its Call
 * @item: the only item of it
 *
 * Return: false if it is not, and may not be what it seems to be
 */
static bool svc_rdma2_counted(const void *payload,
			      const struct rpcrdma2_mitem *item)
{
	return item->disp >= XDR_UNIT &&
	       get_unaligned_be32(payload + item->disp - XDR_UNIT) ==
	       item->length;
}

/**
 * svc_rdma2_pullable - can the items of a Call be pulled?
 * @xmt: sound Call
 *
 * One that is neither preceded by its length nor the whole message is pulled in
 * two parts, which takes more than a word.
 *
 * Return: false if the Call cannot be taken as it is
 */
static bool svc_rdma2_pullable(const struct svc_rdma2_xmt *xmt)
{
	const struct rpcrdma2_mitem *item = svc_rdma2_only_item(xmt);

	return !item || item->type != XMPTYPE_EXRW ||
	       item->length > XDR_UNIT || !xmt->xm_pslen ||
	       svc_rdma2_counted(xmt->xm_payload, item);
}

/**
 * svc_rdma2_report_whole - report what shows when a Call is complete
 * @rdma: connection
 * @rv: received ROPT_XMTREQ
 * @fault: what is wrong: code and arguments
 *
 * It was seen when the last transmission arrived.
 */
static void svc_rdma2_report_whole(struct svcxprt_rdma *rdma,
				   const struct svc_rdma2_recv *rv,
				   struct rpcrdma2_repterr *fault)
{
	u32 count = rv->rv_xmt->xm_req.count;

	rpcrdma2_blame(fault, &rv->rv_msg, count - 1, count > 1);
	fault->lead.xid = rv->rv_msg.xid;
	fault->lead.dir = RDMA2_CALL;
	svc_rdma2_send_report(rdma, fault);
}

/**
 * svc_rdma2_check_call - find out whether a Call is sound
 * @rdma: connection
 * @rv: received ROPT_XMTREQ, complete; the receive handler found nothing wrong
 *	with its transmissions
 *
 * Return: false if it is not, and the peer has been told so
 */
static bool svc_rdma2_check_call(struct svcxprt_rdma *rdma,
				 const struct svc_rdma2_recv *rv)
{
	struct svc_rdma2_xmt *xmt = rv->rv_xmt;
	struct rpcrdma2_repterr fault = { };

	if (!rpcrdma2_check_whole(&xmt->xm_arr, &xmt->xm_req, &fault)) {
		svc_rdma2_report_whole(rdma, rv, &fault);
		return false;
	}
	xmt->xm_length = rpcrdma2_virtual_length(&xmt->xm_arr);
	xmt->xm_pslen = rpcrdma2_payload_length(&xmt->xm_arr);
	return true;
}

/*
 * Section: the payload stream
 */

/**
 * svc_rdma2_received - find a byte of a transmission
 * @xmt: sound Call
 * @xnum: number of the transmission
 * @offset: the byte, from the start of the Send
 *
 * Return: where it is
 */
static void *svc_rdma2_received(const struct svc_rdma2_xmt *xmt, u32 xnum,
				u32 offset)
{
	return xmt->xm_ctxts[xnum]->rc_recv_buf + offset;
}

/**
 * svc_rdma2_copy_payload - put the payload stream together
 * @xmt: sound Call
 */
static void svc_rdma2_copy_payload(struct svc_rdma2_xmt *xmt)
{
	const struct rpcrdma2_part *part = xmt->xm_parts;
	void *dst = xmt->xm_joined;
	u32 i;

	for (i = 0; i < xmt->xm_arr.nparts; i++, part++) {
		memcpy(dst, svc_rdma2_received(xmt, i, part->hdrlen),
		       part->pslen);
		dst += part->pslen;
	}
}

/**
 * svc_rdma2_join_payload - have the payload stream in one piece
 * @xmt: sound Call
 *
 * It often is: the transmissions that follow bring nothing but data. Serves
 * C-03, C-04.
 *
 * Return: false if memory is exhausted
 */
static bool svc_rdma2_join_payload(struct svc_rdma2_xmt *xmt)
{
	const struct rpcrdma2_part *lead = &xmt->xm_parts[0];

	xmt->xm_payload = svc_rdma2_received(xmt, 0, lead->hdrlen);
	if (xmt->xm_pslen == lead->pslen)
		return true;
	xmt->xm_joined = kvmalloc(xmt->xm_pslen, GFP_KERNEL);
	if (!xmt->xm_joined)
		return false;
	xmt->xm_payload = xmt->xm_joined;
	svc_rdma2_copy_payload(xmt);
	return true;
}

/*
 * Section: data in the pages of Receives
 */

/**
 * svc_rdma2_wrapped - is a Call going to be unwrapped in place?
 * @payload: payload stream of the Call
 * @length: how much of it there is before the first item, in bytes
 *
 * A peer must not place data of such a Call. If it does, the pages of
 * its Receive are not for others to write to.
 *
 * Return: false if it is not
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

/**
 * svc_rdma2_in_pages - can an item be taken from the pages that it is in?
 * @ctxt: received Call
 * @item: its only item
 *
 * It has to begin with a page. There is one page of zeros behind it, which is
 * more than what follows it in the message.
 *
 * Return: false if it has to be copied
 */
static bool svc_rdma2_in_pages(const struct svc_rdma_recv_ctxt *ctxt,
			       const struct rpcrdma2_mitem *item)
{
	const struct svc_rdma2_xmt *xmt = ctxt->rc_v2->rv_xmt;

	return item->type == XMPTYPE_TBSN && !item->offset && ctxt->rc_block &&
	       xmt->xm_pslen - item->disp < SVC_RDMA2_WRITE_MIN &&
	       svc_rdma2_counted(xmt->xm_payload, item) &&
	       !svc_rdma2_wrapped(xmt->xm_payload, item->disp);
}

/**
 * svc_rdma2_clear_behind - clear what is behind an item in its last page
 * @ctxt: transmission that it ends in
 * @end: where the item ends, from the start of the Receive
 *
 * That may be left over from another message (S-14).
 */
static void svc_rdma2_clear_behind(struct svc_rdma_recv_ctxt *ctxt, u32 end)
{
	void *pos = ctxt->rc_recv_buf + end;
	u32 rest = PAGE_ALIGN((unsigned long)pos) - (unsigned long)pos;

	rest = min(rest, ctxt->rc_block->rb_length - end);
	memset(pos, 0, rest);
	ctxt->rc_v2->rv_written = end + rest;
}

/**
 * svc_rdma2_build_pages - let rq_arg refer to an item where it is
 * @rqstp: request being received
 * @ctxt: received Call
 * @item: its only item
 *
 * The pages stay the receive contexts', which live as long as the request.
 * Serves P-16, P-23, P-25.
 */
static void svc_rdma2_build_pages(struct svc_rqst *rqstp,
				  struct svc_rdma_recv_ctxt *ctxt,
				  const struct rpcrdma2_mitem *item)
{
	struct svc_rdma2_xmt *xmt = ctxt->rc_v2->rv_xmt;
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
			svc_rdma2_clear_behind(member,
					       piece.offset + piece.length);
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

/*
 * Section: messages that are copied, or pulled
 */

/**
 * svc_rdma2_build_paged - let rq_arg be a copy in pages of the request
 * @rqstp: request being received
 * @src: the RPC message; not longer than what is announced as longest
 * @length: its length, in bytes
 *
 * Crypto finds the pages of a head by its address, and those of memory that was
 * put together from pages it does not find.
 */
static void svc_rdma2_build_paged(struct svc_rqst *rqstp, const void *src,
				  u32 length)
{
	struct xdr_buf *arg = &rqstp->rq_arg;
	struct page **page = rqstp->rq_pages;
	u32 left, n;

	for (left = length; left; left -= n, src += n) {
		n = min_t(u32, left, PAGE_SIZE);
		memcpy(page_address(*page++), src, n);
	}
	rqstp->rq_respages = page;
	rqstp->rq_next_page = rqstp->rq_respages + 1;

	arg->head[0].iov_base = page_address(rqstp->rq_pages[0]);
	arg->head[0].iov_len = min_t(u32, length, PAGE_SIZE);
	arg->pages = &rqstp->rq_pages[1];
	arg->page_len = length - arg->head[0].iov_len;
	arg->len = length;
	arg->buflen = length;
}

/**
 * svc_rdma2_build_inline - let rq_arg be the payload stream
 * @rqstp: request being received
 * @ctxt: received Call
 */
static void svc_rdma2_build_inline(struct svc_rqst *rqstp,
				   struct svc_rdma_recv_ctxt *ctxt)
{
	const struct svc_rdma2_xmt *xmt = ctxt->rc_v2->rv_xmt;
	struct xdr_buf *arg = &rqstp->rq_arg;

	arg->head[0].iov_base = xmt->xm_payload;
	arg->head[0].iov_len = xmt->xm_pslen;
	arg->len = xmt->xm_pslen;
	arg->buflen = xmt->xm_pslen;
}

/**
 * svc_rdma2_copy_pieces - copy what was received of an RPC message
 * @ctxt: received Call
 * @dst: where to
 * @pads: with the round-up of items that are not here
 *
 * Return: how much that is, in bytes
 */
static u32 svc_rdma2_copy_pieces(struct svc_rdma_recv_ctxt *ctxt, void *dst,
				 bool pads)
{
	const struct svc_rdma2_xmt *xmt = ctxt->rc_v2->rv_xmt;
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

/**
 * svc_rdma2_build_copy - let rq_arg be a copy of what was received
 * @rqstp: request being received
 * @ctxt: received Call
 * @pads: with the round-up of items that are not here
 *
 * Return: false if memory is exhausted
 */
static bool svc_rdma2_build_copy(struct svc_rqst *rqstp,
				 struct svc_rdma_recv_ctxt *ctxt, bool pads)
{
	struct svc_rdma2_xmt *xmt = ctxt->rc_v2->rv_xmt;
	struct xdr_buf *arg = &rqstp->rq_arg;
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
	arg->head[0].iov_base = xmt->xm_linear;
	arg->head[0].iov_len = length;
	arg->len = length;
	arg->buflen = length;
	return true;
}

/**
 * svc_rdma2_add_read - have a part of an item pulled by RDMA Read
 * @ctxt: received Call
 * @item: item of it, XMPTYPE_EXRW
 * @from: first byte of the part
 * @length: its length, in bytes; not zero
 * @pcl: chunks to add it to, as the last one
 *
 * Of the memory that is offered, only what the item is long is touched.
 *
 * Return: false if memory is exhausted
 */
static bool svc_rdma2_add_read(struct svc_rdma_recv_ctxt *ctxt,
			       const struct rpcrdma2_mitem *item, u32 from,
			       u32 length, struct svc_rdma_pcl *pcl)
{
	const struct rpcrdma2_segment *seg =
		&ctxt->rc_v2->rv_xmt->xm_req.pool.segs[item->first];
	struct svc_rdma_segment *dst;
	struct svc_rdma_chunk *chunk;
	u32 skip = from, n;

	chunk = kzalloc(struct_size(chunk, ch_segments, item->count),
			GFP_KERNEL);
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
		dst->rs_length = min(length - chunk->ch_length,
				     seg->length - n);
		chunk->ch_length += dst->rs_length;
	}
	list_add_tail(&chunk->ch_list, &pcl->cl_chunks);
	pcl->cl_count++;
	return true;
}

/**
 * svc_rdma2_pull_only - have a Call pulled that has one item, in the peer's
 *	memory
 * @rqstp: request being received
 * @ctxt: received Call
 * @item: the item
 *
 * If its length is in front of it, it is like a Read chunk of RDMA2_MSG. One
 * that is the whole message is like a position-zero chunk. Otherwise the pieces
 * are put together in a row of pages, which takes two chunks at least.
 *
 * Return: false if memory is exhausted
 */
static bool svc_rdma2_pull_only(struct svc_rqst *rqstp,
				struct svc_rdma_recv_ctxt *ctxt,
				const struct rpcrdma2_mitem *item)
{
	const struct svc_rdma2_xmt *xmt = ctxt->rc_v2->rv_xmt;
	u32 first = XDR_UNIT;

	if (svc_rdma2_counted(xmt->xm_payload, item)) {
		svc_rdma2_build_inline(rqstp, ctxt);
		return svc_rdma2_add_read(ctxt, item, 0, item->length,
					  &ctxt->rc_read_pcl);
	}
	if (!xmt->xm_pslen) {
		svc_rdma2_build_inline(rqstp, ctxt);
		return svc_rdma2_add_read(ctxt, item, 0, item->length,
					  &ctxt->rc_call_pcl);
	}
	return svc_rdma2_build_copy(rqstp, ctxt, true) &&
	       svc_rdma2_add_read(ctxt, item, 0, first, &ctxt->rc_read_pcl) &&
	       svc_rdma2_add_read(ctxt, item, first, item->length - first,
				  &ctxt->rc_read_pcl);
}

/**
 * svc_rdma2_pull - have items of a Call pulled that are in the peer's memory
 * @rqstp: request being received
 * @ctxt: received Call
 *
 * Serves P-19, P-22.
 *
 * Return: false if memory is exhausted
 */
static bool svc_rdma2_pull(struct svc_rqst *rqstp,
			   struct svc_rdma_recv_ctxt *ctxt)
{
	const struct svc_rdma2_xmt *xmt = ctxt->rc_v2->rv_xmt;
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

/**
 * svc_rdma2_count_items - add up the items of a Call that are of one type
 * @xmt: sound Call
 * @type: the type
 *
 * Return: their length, in bytes
 */
static u32 svc_rdma2_count_items(const struct svc_rdma2_xmt *xmt, u32 type)
{
	u32 i, length = 0;

	for (i = 0; i < xmt->xm_req.nitems; i++)
		if (xmt->xm_req.items[i].type == type)
			length += xmt->xm_req.items[i].length;
	return length;
}

/**
 * svc_rdma2_build_call - put a Call together as far as it is here
 * @rqstp: request being received
 * @ctxt: received Call, sound
 *
 * Return: false if memory is exhausted
 */
static bool svc_rdma2_build_call(struct svc_rqst *rqstp,
				 struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	const struct svc_rdma2_xmt *xmt = ctxt->rc_v2->rv_xmt;
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
	if (placed)
		return svc_rdma2_build_copy(rqstp, ctxt, false);
	if (is_vmalloc_addr(xmt->xm_joined))
		svc_rdma2_build_paged(rqstp, xmt->xm_joined, xmt->xm_pslen);
	else
		svc_rdma2_build_inline(rqstp, ctxt);
	return true;
}

/*
 * Section: transmissions
 */

/**
 * svc_rdma2_xmtreq - receive a Call that came by ROPT_XMTREQ
 * @rqstp: request being received
 * @ctxt: its first transmission, which holds the others
 *
 * Return: what is left to do
 */
static enum svc_rdma2_next svc_rdma2_xmtreq(struct svc_rqst *rqstp,
					    struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	const struct svc_rdma2_recv *rv = ctxt->rc_v2;
	struct svc_rdma2_xmt *xmt = rv->rv_xmt;

	if (!svc_rdma2_check_call(rdma, rv))
		return SVC_RDMA2_DONE;
	if (!svc_rdma2_join_payload(xmt))
		goto out_close;
	if (!svc_rdma2_pullable(xmt)) {
		svc_rdma2_refuse_call(rdma, rv);
		return SVC_RDMA2_DONE;
	}

	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_CALLS_RECEIVED);
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_XMTREQS);
	trace_rpcrdma2_xmtreq(&rdma->sc_v2->sv_conn, rv->rv_msg.xid,
			      &xmt->xm_req, false);
	svc_rdma2_take_credit(rdma, &rv->rv_msg);
	svc_rdma_build_arg_xdr(rqstp, ctxt);
	if (!svc_rdma2_build_call(rqstp, ctxt))
		goto out_close;
	if (!pcl_is_empty(&ctxt->rc_read_pcl) ||
	    !pcl_is_empty(&ctxt->rc_call_pcl))
		return SVC_RDMA2_READLIST;
	return svc_rdma2_call_whole(rqstp, &rv->rv_msg) ? SVC_RDMA2_CALL :
							  SVC_RDMA2_DONE;

out_close:
	/* The peer sends the Call again when it has reconnected. */
	svc_rdma_xprt_deferred_close(rdma);
	return SVC_RDMA2_DONE;
}

/**
 * svc_rdma2_reported - the peer got a bad response, or a bad reverse Call
 * @rdma: connection
 * @ctxt: received ROPT_REPTERR, header sound
 *
 * What it waited for is lost: it was told so when it looked at the response.
 * From here on nothing is placed in its Receives. One that is about nothing
 * that was sent, or that does not parse, is of no consequence (N-211, N-212). A
 * report is never answered. Serves N-214, E-18, E-20.
 *
 * Context: receive handler
 *
 * Return: false if it is about nothing
 */
bool svc_rdma2_reported(struct svcxprt_rdma *rdma,
			const struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	struct rpcrdma2_xmsid about;
	struct rpcrdma2_repterr rep;

	if (rpcrdma2_decode_repterr(ctxt->rc_recv_buf, msg, &rep))
		return false;
	rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_REPTERR_RECEIVED);
	rpcrdma2_conn_reported(&v2->sv_conn, &rep, false);
	if (!rpcrdma2_repterr_about(msg, &rep, &about))
		return false;
	if (about.dir == RDMA2_CALL)
		return svc_rdma2_bc_refused(rdma, msg, about.xid);
	if (!rpcrdma2_recent_take(&v2->sv_place.pl_recent, about.xid))
		return false;
	WRITE_ONCE(v2->sv_place.pl_off, true);
	WRITE_ONCE(v2->sv_conn.cn_place, "off: the peer reported an error");
	return true;
}

/**
 * svc_rdma2_transmission - deal with ROPT_XMTREQ and its kin
 * @rqstp: request being received
 * @ctxt: received RDMA2_OPTIONAL, header sound
 *
 * What answers a reverse Call does not get here, and neither do reports.
 *
 * Context: service thread, may sleep
 *
 * Return: what is left to do
 */
enum svc_rdma2_next svc_rdma2_transmission(struct svc_rqst *rqstp,
					   struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;

	if (msg->opt.type == ROPT_XMTREQ)
		return svc_rdma2_xmtreq(rqstp, ctxt);
	svc_rdma2_drop(rdma, msg);
	return SVC_RDMA2_DONE;
}
