// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: replies to Calls with placed data.
 *
 * A Call that came by ROPT_XMTREQ says how each item of its reply is to go:
 * placed in the peer's Receive, written by RDMA, or either. nfsd announces the
 * items of a reply in order, but does not say to which operation each of them
 * belongs; so directions are obeyed only if they hold for the whole Call (P-31).
 * What cannot go as it should stays in the payload stream, if it fits there.
 *
 * The Send is header, payload stream, zeros up to the first segment that is
 * used, the first item, and so on. Header and payload are in the Send context's
 * own buffer. Items are sent from the pages that the upper layer filled, which
 * the Send context keeps until the Send completes. If that takes more SGEs than
 * there are, the items are copied.
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc.h>

#include "svc_rdma2.h"
#include <trace/events/rpcrdma2.h>

/**
 * struct svc_rdma2_reply - a reply that is being prepared
 * @rp_rdma: connection
 * @rp_rctxt: received Call
 * @rp_sctxt: Send context for the reply
 * @rp_rqstp: request with the reply
 * @rp_limit: longest Send that the peer can take, in bytes
 * @rp_rb: structure of the peer's Receives
 * @rp_nresults: items of the reply that can be told apart
 * @rp_hdrlen: length of the header, in bytes, without numbers of segments
 * @rp_nplaced: items that are placed
 * @rp_placed: which these are
 * @rp_lengths: their lengths, in bytes
 * @rp_lay: where they are in the Send
 * @rp_resp: header of the reply
 */
struct svc_rdma2_reply {
	struct svcxprt_rdma		*rp_rdma;
	struct svc_rdma_recv_ctxt	*rp_rctxt;
	struct svc_rdma_send_ctxt	*rp_sctxt;
	struct svc_rqst			*rp_rqstp;
	u32				rp_limit;
	struct rpcrdma2_rbstruct	rp_rb;
	u32				rp_nresults;
	u32				rp_hdrlen;
	u32				rp_nplaced;
	u32				rp_placed[RPCRDMA2_MAX_MITEMS];
	u32				rp_lengths[RPCRDMA2_MAX_MITEMS];
	struct rpcrdma2_layout		rp_lay;
	struct rpcrdma2_xmtresp		rp_resp;
};

/* Sizes of parts of optxmt_resp, in bytes */
enum {
	SVC_RDMA2_RESP_FIXED	= 3 * XDR_UNIT,	/* count of items, count, pslen */
	SVC_RDMA2_MITEM_FIXED	= 3 * XDR_UNIT,	/* disp, length, type */
	SVC_RDMA2_TBSN_FIXED	= 2 * XDR_UNIT,	/* offset, count of numbers */
	SVC_RDMA2_EXRW_FIXED	= XDR_UNIT,	/* count of segments */
	SVC_RDMA2_SEGMENT_SIZE	= 4 * XDR_UNIT,
};

/*
 * Section: items of the reply
 */

/**
 * svc_rdma2_add_result - note an item of the reply
 * @rctxt: received Call that came by ROPT_XMTREQ
 * @position: where the item is, in bytes
 * @length: its length, in bytes; an item of no bytes counts, too
 *
 * Items for which there can be no direction are not looked at.
 */
void svc_rdma2_add_result(struct svc_rdma_recv_ctxt *rctxt, u32 position,
			  u32 length)
{
	struct svc_rdma2_xmt *xmt = rctxt->rc_v2->rv_xmt;

	if (xmt->xm_nresults == ARRAY_SIZE(xmt->xm_results))
		return;
	xmt->xm_results[xmt->xm_nresults].position = position;
	xmt->xm_results[xmt->xm_nresults].length = length;
	xmt->xm_nresults++;
}

/**
 * svc_rdma2_sort_results - find out which items can be told apart
 * @rp: reply; gets their number
 *
 * An item that is not where it was announced, because the reply was truncated,
 * makes all that follow doubtful. In a reply that is wrapped for integrity or
 * privacy there are none (A-88, P-40).
 */
static void svc_rdma2_sort_results(struct svc_rdma2_reply *rp)
{
	struct svc_rdma2_xmt *xmt = rp->rp_rctxt->rc_v2->rv_xmt;
	struct svc_rdma2_result *result;
	u32 behind = 0, i;

	rp->rp_nresults = 0;
	if (svc_rdma2_reply_wrapped(rp->rp_rqstp) ||
	    !rpcrdma2_rsd_sole(&xmt->xm_req, xmt->xm_length))
		return;
	for (i = 0; i < xmt->xm_nresults; i++) {
		result = &xmt->xm_results[i];
		if (!svc_rdma2_locate(&rp->rp_rqstp->rq_res, &result->position,
				      result->length) ||
		    result->position < behind)
			return;
		behind = result->position + xdr_align_size(result->length);
		rp->rp_nresults++;
	}
}

/*
 * Section: how each of them is to go
 */

/**
 * svc_rdma2_short_target - note that memory offered for an item is too small
 * @rp: reply
 * @want: its direction
 * @length: its length, in bytes
 *
 * Serves N-151.
 */
static void svc_rdma2_short_target(struct svc_rdma2_reply *rp,
				   const struct rpcrdma2_rsditem *want,
				   u32 length)
{
	struct rpcrdma2_error *err = &rp->rp_rctxt->rc_v2->rv_cant_reply;
	const struct rpcrdma2_xmtreq *req = &rp->rp_rctxt->rc_v2->rv_xmt->xm_req;

	err->code = RDMA2_ERR_CANT_REPLY;
	err->processed = true;
	err->segment_index = 0;
	err->length_needed = rp->rp_rqstp->rq_res.len;
	if (!want->count)
		return;
	err->segment_index = rpcrdma2_rsd_segment(req, want);
	err->length_needed = length - rpcrdma2_segs_length(&req->pool,
							   want->first,
							   want->count - 1);
}

/**
 * svc_rdma2_set_written - let an item be written by RDMA
 * @rp: reply
 * @want: its direction, which offers enough memory
 * @item: OUT: the item; its length is set
 *
 * What is not used comes back with a length of zero.
 */
static void svc_rdma2_set_written(struct svc_rdma2_reply *rp,
				  const struct rpcrdma2_rsditem *want,
				  struct rpcrdma2_mitem *item)
{
	const struct rpcrdma2_pool *from =
		&rp->rp_rctxt->rc_v2->rv_xmt->xm_req.pool;
	struct rpcrdma2_pool *pool = &rp->rp_resp.pool;
	u32 left = item->length, i;

	item->first = pool->nsegs;
	item->count = want->count;
	for (i = 0; i < want->count; i++) {
		struct rpcrdma2_segment *seg = &pool->segs[pool->nsegs++];

		*seg = from->segs[want->first + i];
		seg->length = min(seg->length, left);
		left -= seg->length;
	}
	rp->rp_hdrlen += SVC_RDMA2_EXRW_FIXED +
			 want->count * SVC_RDMA2_SEGMENT_SIZE;
}

/**
 * svc_rdma2_set_item - say how an item is to go
 * @rp: reply
 * @n: which one
 * @want: its direction
 * @place: placement may be used
 *
 * Return: false if the reply cannot be conveyed
 */
static bool svc_rdma2_set_item(struct svc_rdma2_reply *rp, u32 n,
			       const struct rpcrdma2_rsditem *want, bool place)
{
	const struct svc_rdma2_xmt *xmt = rp->rp_rctxt->rc_v2->rv_xmt;
	const struct svc_rdma2_result *result = &xmt->xm_results[n];
	struct rpcrdma2_mitem *item = &rp->rp_resp.items[n];
	bool fits;

	memset(item, 0, sizeof(*item));
	item->type = XMPTYPE_NOITEM;
	if (n >= rp->rp_nresults)
		return true;

	fits = rpcrdma2_segs_length(&xmt->xm_req.pool, want->first,
				    want->count) >= result->length;
	item->disp = result->position;
	item->length = result->length;
	item->type = rpcrdma2_rsd_result(want, result->length, place, fits);
	if (item->type == XMPTYPE_EXRW) {
		svc_rdma2_set_written(rp, want, item);
	} else if (item->type == XMPTYPE_TBSN) {
		rp->rp_placed[rp->rp_nplaced] = n;
		rp->rp_lengths[rp->rp_nplaced++] = item->length;
		rp->rp_hdrlen += SVC_RDMA2_TBSN_FIXED;
	} else if (want->type == XMPTYPE_EXRW && item->length &&
		   item->length >= want->minlen) {
		svc_rdma2_short_target(rp, want, item->length);
		return false;
	}
	return true;
}

/**
 * svc_rdma2_set_items - say how all items are to go
 * @rp: reply
 * @barred: items from this one on are not to be placed
 *
 * Serves P-28..P-30.
 *
 * Return: false if the reply cannot be conveyed
 */
static bool svc_rdma2_set_items(struct svc_rdma2_reply *rp, u32 barred)
{
	const struct rpcrdma2_xmtreq *req = &rp->rp_rctxt->rc_v2->rv_xmt->xm_req;
	u32 i;

	rp->rp_nplaced = 0;
	rp->rp_resp.pool.nsegs = 0;
	rp->rp_resp.nitems = req->nrsditems;
	rp->rp_hdrlen = RPCRDMA2_OPT_SIZE + SVC_RDMA2_RESP_FIXED +
			req->nrsditems * SVC_RDMA2_MITEM_FIXED;
	for (i = 0; i < req->nrsditems; i++)
		if (!svc_rdma2_set_item(rp, i, &req->rsditems[i], i < barred))
			return false;
	return true;
}

/**
 * svc_rdma2_set_pslen - add up what stays in the payload stream
 * @rp: reply whose items are set
 */
static void svc_rdma2_set_pslen(struct svc_rdma2_reply *rp)
{
	struct rpcrdma2_xmtresp *resp = &rp->rp_resp;
	u32 i;

	resp->pslen = rp->rp_rqstp->rq_res.len;
	for (i = 0; i < resp->nitems; i++)
		if (rpcrdma2_is_excised(&resp->items[i]))
			resp->pslen -= xdr_align_size(resp->items[i].length);
}

/**
 * svc_rdma2_plan - decide how the reply is to go
 * @rp: reply
 *
 * As many items are placed as fit, from the first one on; what is not placed
 * may make the payload longer, which leaves less room. Serves A-83, P-38, X-72.
 *
 * Return: false if the reply cannot be conveyed, and the reason is noted
 */
static bool svc_rdma2_plan(struct svc_rdma2_reply *rp)
{
	u32 barred = rpcrdma2_plt_count(&rp->rp_rb) ? RPCRDMA2_MAX_MITEMS : 0;
	struct rpcrdma2_conn *conn = &rp->rp_rdma->sc_v2->sv_conn;

	for (;;) {
		if (!svc_rdma2_set_items(rp, barred))
			return false;
		svc_rdma2_set_pslen(rp);
		if (rpcrdma2_layout(&rp->rp_lay, &rp->rp_rb, rp->rp_limit,
				    rp->rp_hdrlen + rp->rp_resp.pslen,
				    rp->rp_lengths, rp->rp_nplaced))
			return true;
		if (!rp->rp_nplaced)
			break;
		barred = rp->rp_placed[rp->rp_nplaced - 1];
		rpcrdma2_count(conn, RPCRDMA2_CNT_PLACE_FALLBACKS);
	}
	svc_rdma2_cant_reply(rp->rp_rctxt, NULL, rp->rp_rqstp->rq_res.len);
	return false;
}

/*
 * Section: RDMA Writes
 */

/**
 * svc_rdma2_add_write - have an item written by RDMA
 * @rp: reply
 * @item: the item, XMPTYPE_EXRW
 *
 * Return: false if memory is exhausted
 */
static bool svc_rdma2_add_write(struct svc_rdma2_reply *rp,
				const struct rpcrdma2_mitem *item)
{
	struct svc_rdma_pcl *pcl = &rp->rp_rctxt->rc_write_pcl;
	const struct rpcrdma2_segment *seg;
	struct svc_rdma_chunk *chunk;
	u32 i;

	chunk = kzalloc(struct_size(chunk, ch_segments, item->count),
			GFP_KERNEL);
	if (!chunk)
		return false;
	chunk->ch_position = item->disp;
	chunk->ch_payload_length = item->length;
	chunk->ch_length = item->length;
	chunk->ch_segcount = item->count;
	for (i = 0; i < item->count; i++) {
		seg = &rp->rp_resp.pool.segs[item->first + i];
		chunk->ch_segments[i].rs_handle = seg->handle;
		chunk->ch_segments[i].rs_length = seg->length;
		chunk->ch_segments[i].rs_offset = seg->offset;
	}
	list_add_tail(&chunk->ch_list, &pcl->cl_chunks);
	pcl->cl_count++;
	return true;
}

/**
 * svc_rdma2_prepare_writes - prepare all RDMA Writes of a reply
 * @rp: reply that is planned
 *
 * Return: 0 or a negative errno
 */
static int svc_rdma2_prepare_writes(struct svc_rdma2_reply *rp)
{
	u32 i;

	for (i = 0; i < rp->rp_resp.nitems; i++)
		if (rp->rp_resp.items[i].type == XMPTYPE_EXRW &&
		    !svc_rdma2_add_write(rp, &rp->rp_resp.items[i]))
			return -ENOMEM;
	return svc_rdma_prepare_write_list(rp->rp_rdma, rp->rp_rctxt,
					   rp->rp_sctxt, &rp->rp_rqstp->rq_res);
}

/*
 * Section: where the bytes of a Send come from
 */

/**
 * struct svc_rdma2_sink - takes the bytes of a Send, one piece after the other
 * @add: takes a piece of memory that is contiguous
 * @rp: reply that is being sent
 * @max: SGEs that the Send may have
 * @page: beginning of the run of memory that is not mapped yet
 * @offset: its first byte, from the start of @page
 * @length: its length, in bytes
 * @chunks: memory that is copied to
 * @order: order of each of them
 * @filled: bytes that have been copied
 */
struct svc_rdma2_sink {
	int			(*add)(struct svc_rdma2_sink *sink,
				       struct page *page, u32 offset,
				       u32 length);
	struct svc_rdma2_reply	*rp;
	u32			max;
	struct page		*page;
	u32			offset;
	u32			length;
	struct page		**chunks;
	u32			order;
	u32			filled;
};

/**
 * svc_rdma2_map - add memory to a Send
 * @sink: Send
 * @page: the memory
 * @offset: its first byte, from the start of @page
 * @length: its length, in bytes
 *
 * Return: 0, -E2BIG if there is no SGE left, or -EIO
 */
static int svc_rdma2_map(struct svc_rdma2_sink *sink, struct page *page,
			 u32 offset, u32 length)
{
	struct svc_rdma_send_ctxt *sctxt = sink->rp->rp_sctxt;
	struct ib_device *device = sink->rp->rp_rdma->sc_cm_id->device;
	struct ib_sge *sge;

	if (sctxt->sc_send_wr.num_sge >= sink->max)
		return -E2BIG;
	sge = &sctxt->sc_sges[sctxt->sc_send_wr.num_sge];
	sge->addr = ib_dma_map_page(device, page, offset, length,
				    DMA_TO_DEVICE);
	if (ib_dma_mapping_error(device, sge->addr))
		return -EIO;
	sge->length = length;
	sctxt->sc_send_wr.num_sge++;
	return 0;
}

/**
 * svc_rdma2_unmap - take all but the header out of a Send
 * @rp: reply
 */
static void svc_rdma2_unmap(struct svc_rdma2_reply *rp)
{
	struct svc_rdma_send_ctxt *sctxt = rp->rp_sctxt;
	struct ib_device *device = rp->rp_rdma->sc_cm_id->device;
	struct ib_sge *sge;

	while (sctxt->sc_send_wr.num_sge > 1) {
		sge = &sctxt->sc_sges[--sctxt->sc_send_wr.num_sge];
		ib_dma_unmap_page(device, sge->addr, sge->length,
				  DMA_TO_DEVICE);
	}
}

/**
 * svc_rdma2_gather_end - map what is not mapped yet
 * @sink: Send
 *
 * Return: 0, -E2BIG if there is no SGE left, or -EIO
 */
static int svc_rdma2_gather_end(struct svc_rdma2_sink *sink)
{
	u32 length = sink->length;

	sink->length = 0;
	return length ? svc_rdma2_map(sink, sink->page, sink->offset, length) :
			0;
}

/**
 * svc_rdma2_gather - send memory from where it is
 * @sink: Send
 * @page: the memory
 * @offset: its first byte, from the start of @page
 * @length: its length, in bytes
 *
 * Pieces that follow each other in memory share an SGE.
 *
 * Return: 0, -E2BIG if there is no SGE left, or -EIO
 */
static int svc_rdma2_gather(struct svc_rdma2_sink *sink, struct page *page,
			    u32 offset, u32 length)
{
	int ret;

	if (sink->length &&
	    page_to_phys(page) + offset ==
	    page_to_phys(sink->page) + sink->offset + sink->length) {
		sink->length += length;
		return 0;
	}
	ret = svc_rdma2_gather_end(sink);
	sink->page = page;
	sink->offset = offset;
	sink->length = length;
	return ret;
}

/**
 * svc_rdma2_copy_in - send a copy of memory
 * @sink: Send
 * @page: the memory
 * @offset: its first byte, from the start of @page
 * @length: its length, in bytes
 *
 * Return: 0
 */
static int svc_rdma2_copy_in(struct svc_rdma2_sink *sink, struct page *page,
			     u32 offset, u32 length)
{
	u32 size = PAGE_SIZE << sink->order, at, n;
	const void *src = page_address(page) + offset;

	for (; length; length -= n, src += n, sink->filled += n) {
		at = sink->filled % size;
		n = min(length, size - at);
		memcpy(page_address(sink->chunks[sink->filled / size]) + at,
		       src, n);
	}
	return 0;
}

/**
 * svc_rdma2_emit_zeros - let a Send go on with zeros
 * @sink: Send
 * @length: how many
 *
 * Serves S-01.
 *
 * Return: 0 or a negative errno
 */
static int svc_rdma2_emit_zeros(struct svc_rdma2_sink *sink, u32 length)
{
	int ret = 0;
	u32 n;

	for (; length && !ret; length -= n) {
		n = min_t(u32, length, PAGE_SIZE);
		ret = sink->add(sink, ZERO_PAGE(0), 0, n);
	}
	return ret;
}

/**
 * svc_rdma2_emit_kvec - let a Send go on with a piece of memory
 * @sink: Send
 * @vec: the memory
 *
 * Return: 0 or a negative errno
 */
static int svc_rdma2_emit_kvec(struct svc_rdma2_sink *sink,
			       const struct kvec *vec)
{
	if (!vec->iov_len)
		return 0;
	return sink->add(sink, virt_to_page(vec->iov_base),
			 offset_in_page(vec->iov_base), vec->iov_len);
}

/**
 * svc_rdma2_emit - let a Send go on with a part of the reply
 * @sink: Send
 * @position: where the part is in the reply, in bytes
 * @length: its length, in bytes
 *
 * Return: 0 or a negative errno
 */
static int svc_rdma2_emit(struct svc_rdma2_sink *sink, u32 position, u32 length)
{
	struct xdr_buf part;
	u32 offset, left, n;
	int ret;

	if (!length)
		return 0;
	if (xdr_buf_subsegment(&sink->rp->rp_rqstp->rq_res, &part, position,
			       length))
		return -EINVAL;
	ret = svc_rdma2_emit_kvec(sink, &part.head[0]);
	offset = part.page_base;
	for (left = part.page_len; left && !ret; left -= n, offset += n) {
		n = min_t(u32, left, PAGE_SIZE - offset_in_page(offset));
		ret = sink->add(sink, part.pages[offset >> PAGE_SHIFT],
				offset_in_page(offset), n);
	}
	return ret ?: svc_rdma2_emit_kvec(sink, &part.tail[0]);
}

/**
 * svc_rdma2_emit_payload - let a Send go on with the payload stream
 * @sink: Send
 *
 * Return: 0 or a negative errno
 */
static int svc_rdma2_emit_payload(struct svc_rdma2_sink *sink)
{
	const struct rpcrdma2_xmtresp *resp = &sink->rp->rp_resp;
	u32 i, start = 0;
	int ret;

	for (i = 0; i < resp->nitems; i++) {
		const struct rpcrdma2_mitem *item = &resp->items[i];

		if (!rpcrdma2_is_excised(item))
			continue;
		ret = svc_rdma2_emit(sink, start, item->disp - start);
		if (ret)
			return ret;
		start = item->disp + xdr_align_size(item->length);
	}
	return svc_rdma2_emit(sink, start,
			      sink->rp->rp_rqstp->rq_res.len - start);
}

/**
 * svc_rdma2_emit_rest - let a Send go on with what is not in its first SGE
 * @sink: Send
 * @payload: the payload stream is not
 * @gap: zeros in front of the first item that are not, in bytes
 *
 * Return: 0 or a negative errno
 */
static int svc_rdma2_emit_rest(struct svc_rdma2_sink *sink, bool payload,
			       u32 gap)
{
	struct svc_rdma2_reply *rp = sink->rp;
	u32 i;
	int ret;

	ret = payload ? svc_rdma2_emit_payload(sink) : 0;
	for (i = 0; i < rp->rp_nplaced && !ret; i++) {
		const struct rpcrdma2_mitem *item =
			&rp->rp_resp.items[rp->rp_placed[i]];

		if (i)
			gap = rpcrdma2_layout_gap(&rp->rp_lay, i);
		ret = svc_rdma2_emit_zeros(sink, gap) ?:
		      svc_rdma2_emit(sink, item->disp, item->length);
	}
	return ret;
}

/*
 * Section: putting the Send together
 */

/**
 * svc_rdma2_bounce_alloc - allocate memory to copy a Send to
 * @sink: Send; gets the memory
 * @length: its length, in bytes
 *
 * The pieces are as small as the number of SGEs allows. They go with the pages
 * of the reply, of which a Send context keeps no more than a request can have.
 *
 * Return: 0, -E2BIG if the reply has too many pages of its own, or -ENOMEM
 */
static int svc_rdma2_bounce_alloc(struct svc_rdma2_sink *sink, u32 length)
{
	struct svc_rqst *rqstp = sink->rp->rp_rqstp;
	int node = ibdev_to_node(sink->rp->rp_rdma->sc_cm_id->device);
	u32 i, count = max(sink->max, 2U) - 1;
	struct page *page;

	sink->order = get_order(DIV_ROUND_UP(length, count));
	count = DIV_ROUND_UP(length, PAGE_SIZE << sink->order);
	if (count > rqstp->rq_page_end - rqstp->rq_next_page)
		return -E2BIG;
	sink->chunks = rqstp->rq_next_page;
	for (i = 0; i < count; i++) {
		page = alloc_pages_node(node, GFP_KERNEL | __GFP_COMP |
					      __GFP_NOWARN, sink->order);
		if (!page)
			return -ENOMEM;
		if (!svc_rqst_replace_page(rqstp, page)) {
			put_page(page);
			return -ENOMEM;
		}
		put_page(page);
	}
	return 0;
}

/**
 * svc_rdma2_bounce_send - copy what is not in the first SGE of a Send
 * @rp: reply
 * @payload: the payload stream is not
 * @gap: zeros in front of the first item that are not, in bytes
 *
 * Return: 0 or a negative errno
 */
static int svc_rdma2_bounce_send(struct svc_rdma2_reply *rp, bool payload,
				 u32 gap)
{
	u32 length = rp->rp_lay.length - rp->rp_sctxt->sc_sges[0].length;
	struct svc_rdma2_sink sink = {
		.add	= svc_rdma2_copy_in,
		.rp	= rp,
		.max	= rp->rp_rdma->sc_v2->sv_place.pl_send_sges,
	};
	u32 done, n;
	int ret;

	ret = svc_rdma2_bounce_alloc(&sink, length);
	if (!ret)
		ret = svc_rdma2_emit_rest(&sink, payload, gap);
	for (done = 0; done < length && !ret; done += n) {
		n = min_t(u32, length - done, PAGE_SIZE << sink.order);
		ret = svc_rdma2_map(&sink,
				    sink.chunks[done / (PAGE_SIZE << sink.order)],
				    0, n);
	}
	rpcrdma2_count_bytes(&rp->rp_rdma->sc_v2->sv_conn,
			     RPCRDMA2_CNT_BOUNCED, length);
	return ret;
}

/**
 * svc_rdma2_gather_send - send from where it is what is not in the first SGE
 * @rp: reply
 * @payload: the payload stream is not
 * @gap: zeros in front of the first item that are not, in bytes
 *
 * Return: 0 or a negative errno
 */
static int svc_rdma2_gather_send(struct svc_rdma2_reply *rp, bool payload,
				 u32 gap)
{
	struct svc_rdma2_sink sink = {
		.add	= svc_rdma2_gather,
		.rp	= rp,
		.max	= rp->rp_rdma->sc_v2->sv_place.pl_send_sges,
	};
	int ret;

	ret = svc_rdma2_emit_rest(&sink, payload, gap) ?:
	      svc_rdma2_gather_end(&sink);
	if (ret)
		svc_rdma2_unmap(rp);
	if (ret == -E2BIG)
		ret = svc_rdma2_bounce_send(rp, payload, gap);
	return ret;
}

/**
 * svc_rdma2_pull_payload - copy the payload stream behind the header
 * @rp: reply, header encoded
 *
 * Return: 0 or a negative errno
 */
static int svc_rdma2_pull_payload(struct svc_rdma2_reply *rp)
{
	void *pos = rp->rp_sctxt->sc_xprt_buf + rp->rp_sctxt->sc_sges[0].length;
	const struct rpcrdma2_xmtresp *resp = &rp->rp_resp;
	u32 i, end, start = 0;

	for (i = 0; i <= resp->nitems; i++) {
		const struct rpcrdma2_mitem *item = &resp->items[i];

		if (i < resp->nitems && !rpcrdma2_is_excised(item))
			continue;
		end = i < resp->nitems ? item->disp : rp->rp_rqstp->rq_res.len;
		if (read_bytes_from_xdr_buf(&rp->rp_rqstp->rq_res, start, pos,
					    end - start))
			return -EINVAL;
		pos += end - start;
		if (i < resp->nitems)
			start = end + xdr_align_size(item->length);
	}
	rp->rp_sctxt->sc_sges[0].length += resp->pslen;
	return 0;
}

/**
 * svc_rdma2_build_send - put a Send together
 * @rp: reply, header encoded
 * @room: size of the Send context's buffer, in bytes
 *
 * What fits into that buffer is copied there, if it is short or something is
 * placed behind it: zeros then need no SGE.
 *
 * Return: 0 or a negative errno
 */
static int svc_rdma2_build_send(struct svc_rdma2_reply *rp, u32 room)
{
	struct ib_sge *first = &rp->rp_sctxt->sc_sges[0];
	u32 gap = 0;
	int ret;

	rp->rp_sctxt->sc_send_wr.num_sge = 1;
	if (rp->rp_nplaced)
		gap = rpcrdma2_layout_gap(&rp->rp_lay, 0);
	if (rp->rp_lay.front > room ||
	    (!rp->rp_nplaced && rp->rp_lay.front > RPCRDMA_PULLUP_THRESH))
		return svc_rdma2_gather_send(rp, true, gap);

	ret = svc_rdma2_pull_payload(rp);
	if (ret)
		return ret;
	if (gap <= room - first->length) {
		memset(rp->rp_sctxt->sc_xprt_buf + first->length, 0, gap);
		first->length += gap;
		gap = 0;
	}
	return svc_rdma2_gather_send(rp, false, gap);
}

/**
 * svc_rdma2_encode_resp - write the header of a reply
 * @rp: reply that is planned
 * @room: size of the Send context's buffer, in bytes
 *
 * Return: 0 or -EMSGSIZE
 */
static int svc_rdma2_encode_resp(struct svc_rdma2_reply *rp, u32 room)
{
	const struct rpcrdma2_hdr hdr = {
		.xid	= rp->rp_rctxt->rc_v2->rv_msg.xid,
		.credit	= svc_rdma2_grant(rp->rp_rdma),
		.dir	= RDMA2_REPLY,
	};
	struct rpcrdma2_xmtresp *resp = &rp->rp_resp;
	int len;
	u32 i;

	resp->count = 1;
	resp->pool.ntbsns = 0;
	for (i = 0; i < rp->rp_nplaced; i++)
		if (!rpcrdma2_spot_item(&rp->rp_lay.spots[i],
					&resp->items[rp->rp_placed[i]],
					&resp->pool))
			return -EMSGSIZE;
	len = rpcrdma2_encode_xmtresp(rp->rp_sctxt->sc_xprt_buf, room, &hdr,
				      resp);
	if (len < 0)
		return len;
	/* Items would not be where the header says */
	if (WARN_ON_ONCE(len + resp->pslen != rp->rp_lay.front))
		return -EIO;
	rp->rp_sctxt->sc_sges[0].length = len;
	return 0;
}

/**
 * svc_rdma2_post_reply - send a reply that is put together
 * @rp: reply
 *
 * No handle is nominated by ROPT_XMTREQ, so there is nothing to invalidate
 * (A-24, B-42).
 *
 * Return: 0 or a negative errno
 */
static int svc_rdma2_post_reply(struct svc_rdma2_reply *rp)
{
	struct rpcrdma2_conn *conn = &rp->rp_rdma->sc_v2->sv_conn;
	u32 i, placed = 0;
	int ret;

	for (i = 0; i < rp->rp_nplaced; i++)
		placed += rp->rp_lengths[i];
	rp->rp_sctxt->sc_send_wr.opcode = IB_WR_SEND;
	trace_rpcrdma2_xmtresp(conn, rp->rp_rctxt->rc_v2->rv_msg.xid,
			       &rp->rp_resp, true);
	ret = svc_rdma_post_send(rp->rp_rdma, rp->rp_sctxt);
	if (ret < 0)
		return ret;
	rpcrdma2_count(conn, RPCRDMA2_CNT_REPLIES_SENT);
	rpcrdma2_count(conn, RPCRDMA2_CNT_XMTRESPS);
	rpcrdma2_count_bytes(conn, RPCRDMA2_CNT_PLACED_SENT, placed);
	return 0;
}

/**
 * svc_rdma2_prepare_resp - get all parts of a reply ready to be sent
 * @rp: reply
 *
 * Return: 0, -E2BIG if the reply cannot be conveyed, or another negative errno
 */
static int svc_rdma2_prepare_resp(struct svc_rdma2_reply *rp)
{
	u32 room = rp->rp_rdma->sc_max_req_size;
	int ret;

	rp->rp_limit = rpcrdma2_conn_peer_struct(&rp->rp_rdma->sc_v2->sv_conn,
						 &rp->rp_rb);
	svc_rdma2_sort_results(rp);
	if (!svc_rdma2_plan(rp))
		return -E2BIG;
	ret = svc_rdma2_prepare_writes(rp);
	if (ret < 0)
		return ret;
	ret = svc_rdma2_encode_resp(rp, room);
	if (ret < 0)
		return ret == -EMSGSIZE ? -E2BIG : ret;
	return svc_rdma2_build_send(rp, room);
}

/**
 * svc_rdma2_send_xmtresp - send the reply to a Call that came by ROPT_XMTREQ
 * @rdma: connection
 * @rctxt: received Call; if its reply cannot be conveyed, the reason is noted
 * @sctxt: Send context for the reply
 * @rqstp: request with its reply; pages under I/O go to the Send completion
 *
 * Serves A-72, P-20, P-26..P-31, P-38..P-40.
 *
 * Context: service thread, may sleep
 *
 * Return: 0, -E2BIG or -EINVAL if the reply cannot be conveyed as it is, or
 * another negative errno; @sctxt stays with the caller unless 0 is returned
 */
int svc_rdma2_send_xmtresp(struct svcxprt_rdma *rdma,
			   struct svc_rdma_recv_ctxt *rctxt,
			   struct svc_rdma_send_ctxt *sctxt,
			   struct svc_rqst *rqstp)
{
	struct svc_rdma2_reply *rp = kmalloc(sizeof(*rp), GFP_KERNEL);
	int ret;

	if (!rp)
		return -ENOMEM;
	rp->rp_rdma = rdma;
	rp->rp_rctxt = rctxt;
	rp->rp_sctxt = sctxt;
	rp->rp_rqstp = rqstp;
	ret = svc_rdma2_prepare_resp(rp);
	svc_rdma_save_io_pages(rqstp, sctxt);
	if (!ret)
		ret = svc_rdma2_post_reply(rp);
	kfree(rp);
	return ret;
}
