// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: messages are sent.
 *
 * Every reply and every reverse Call is a plan, most of them of one transmission.
 * Each transmission has a Send context: header and, if it is short, the part of
 * the payload stream in the context's own buffer, or at least the head of the
 * message, then what it places, sent from the pages that the upper layer filled.
 * If that takes more SGEs than there are, it is copied. The last context keeps
 * the pages, and what belongs to RDMA Writes: Sends complete in order, so none of
 * it is in use any more when the last one has. RDMA Writes and all Sends are one
 * chain, posted at once, so that nothing can come between them (A-71, C-23).
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc.h>

#include "svc.h"
#include <trace/events/rpcrdma2.h>

/**
 * struct svc_rdma2_sink - takes the bytes of a Send, one piece after the other
 * @add: takes a piece of memory that is contiguous
 * @se: message that is being sent
 * @sctxt: Send context of the transmission
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
	struct svc_rdma2_sending *se;
	struct svc_rdma_send_ctxt *sctxt;
	struct page		*page;
	u32			offset;
	u32			length;
	struct page		**chunks;
	u32			order;
	u32			filled;
};

/* Section: where the bytes of a Send go to */

/* Add memory to a Send. @offset: its first byte, from the start of @page. Returns 0,
 * -E2BIG if there is no SGE left, or -EIO.
 */
static int svc_rdma2_map(struct svc_rdma2_sink *sink, struct page *page,
			 u32 offset, u32 length)
{
	struct svcxprt_rdma *rdma = sink->se->se_rdma;
	struct ib_device *device = rdma->sc_cm_id->device;
	struct ib_send_wr *wr = &sink->sctxt->sc_send_wr;
	struct ib_sge *sge;

	if (wr->num_sge >= rdma->sc_send_sges)
		return -E2BIG;
	sge = &sink->sctxt->sc_sges[wr->num_sge];
	sge->addr = ib_dma_map_page(device, page, offset, length, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(device, sge->addr))
		return -EIO;
	sge->length = length;
	wr->num_sge++;
	return 0;
}

/* Take all but the header out of a Send. */
static void svc_rdma2_unmap(struct svc_rdma2_sink *sink)
{
	struct ib_device *device = sink->se->se_rdma->sc_cm_id->device;
	struct ib_send_wr *wr = &sink->sctxt->sc_send_wr;
	struct ib_sge *sge;

	while (wr->num_sge > 1) {
		sge = &sink->sctxt->sc_sges[--wr->num_sge];
		ib_dma_unmap_page(device, sge->addr, sge->length, DMA_TO_DEVICE);
	}
}

/* Map what is not mapped yet. Returns 0, -E2BIG if there is no SGE left, or
 * -EIO.
 */
static int svc_rdma2_gather_end(struct svc_rdma2_sink *sink)
{
	u32 length = sink->length;

	sink->length = 0;
	return length ? svc_rdma2_map(sink, sink->page, sink->offset, length) :
			0;
}

/* Send memory from where it is. @offset: its first byte, from the start of
 * @page. Pieces that follow each other in memory share an SGE. Returns 0,
 * -E2BIG if there is no SGE left, or -EIO.
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

/* Send a copy of memory. @offset: its first byte, from the start of @page. Returns
 * 0.
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

/* Section: where the bytes of a Send come from */

/* Let a Send go on with zeros (S-01). Returns 0 or a negative errno. */
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

/* Let a Send go on with head or tail of the message. Returns 0 or a negative errno. */
static int svc_rdma2_emit_kvec(struct svc_rdma2_sink *sink, const struct kvec *vec)
{
	if (!vec->iov_len)
		return 0;
	sink->se->se_uses_kvecs = true;
	return sink->add(sink, virt_to_page(vec->iov_base),
			 offset_in_page(vec->iov_base), vec->iov_len);
}

/* Let a Send go on with all of a message that is behind the head. Returns 0 or a
 * negative errno.
 */
static int svc_rdma2_emit_behind(struct svc_rdma2_sink *sink,
				 const struct xdr_buf *xdr)
{
	u32 offset = xdr->page_base, left, n;
	int ret = 0;

	for (left = xdr->page_len; left && !ret; left -= n, offset += n) {
		n = min_t(u32, left, PAGE_SIZE - offset_in_page(offset));
		ret = sink->add(sink, xdr->pages[offset >> PAGE_SHIFT],
				offset_in_page(offset), n);
	}
	return ret ?: svc_rdma2_emit_kvec(sink, &xdr->tail[0]);
}

/* Let a Send go on with a message. Returns 0 or a negative errno. */
static int svc_rdma2_emit_xdr(struct svc_rdma2_sink *sink,
			      const struct xdr_buf *xdr)
{
	return svc_rdma2_emit_kvec(sink, &xdr->head[0]) ?:
	       svc_rdma2_emit_behind(sink, xdr);
}

/* Let a Send go on with a part of the RPC message. Not inline: kernels that clear
 * the stack would clear @part for those that are sent whole. Returns 0 or a negative
 * errno.
 */
static noinline int svc_rdma2_emit_part(struct svc_rdma2_sink *sink,
					u32 position, u32 length)
{
	struct xdr_buf part;

	if (xdr_buf_subsegment(sink->se->se_xdr, &part, position, length))
		return -EINVAL;
	return svc_rdma2_emit_xdr(sink, &part);
}

/* Let a Send go on with the RPC message, or a part of it. Returns 0 or a negative
 * errno.
 */
static int svc_rdma2_emit(void *data, u32 position, u32 length)
{
	struct svc_rdma2_sink *sink = data;
	const struct xdr_buf *xdr = sink->se->se_xdr;
	u32 head = xdr->head[0].iov_len;
	u32 behind = xdr->page_len + xdr->tail[0].iov_len;

	if (!length)
		return 0;
	if (!position && length == head + behind)
		return svc_rdma2_emit_xdr(sink, xdr);
	if (position == head && length == behind)
		return svc_rdma2_emit_behind(sink, xdr);
	return svc_rdma2_emit_part(sink, position, length);
}

/**
 * struct svc_rdma2_cut - a part of an RPC message that is not in its payload stream
 * @at: where it begins in the message, in bytes
 * @end: where the message goes on
 * @item: next item to look at
 * @chunk: Write chunk that it is written to
 */
struct svc_rdma2_cut {
	u32			at;
	u32			end;
	u32			item;
	struct svc_rdma_chunk	*chunk;
};

/* Find the next item that is not in the payload stream. Returns false if there is
 * none.
 */
static bool svc_rdma2_next_item(const struct svc_rdma2_sending *se,
				struct svc_rdma2_cut *cut)
{
	const struct rpcrdma2_mitem *item;

	while (cut->item < se->se_nitems) {
		item = &se->se_items[cut->item++];
		if (!rpcrdma2_is_excised(item))
			continue;
		cut->at = item->disp;
		cut->end = item->disp + xdr_align_size(item->length);
		return true;
	}
	return false;
}

/* Find the next part that is not in the payload stream. @cut: all zeros to begin
 * with. Results fill Write chunks from the first one on. Returns false if there is
 * none.
 */
static bool svc_rdma2_next_cut(const struct svc_rdma2_sending *se,
			       struct svc_rdma2_cut *cut)
{
	if (!se->se_written)
		return svc_rdma2_next_item(se, cut);
	cut->chunk = cut->chunk ?
		     pcl_next_chunk(se->se_written, cut->chunk) :
		     pcl_first_chunk(se->se_written);
	if (!cut->chunk || !cut->chunk->ch_payload_length)
		return false;
	cut->at = cut->chunk->ch_position;
	cut->end = pcl_chunk_end_offset(cut->chunk);
	return true;
}

/* Find a part of the payload stream in the RPC message. @put: stops at the first
 * error. Where nothing is left out, the one is the other. Returns 0 or what @put has
 * returned.
 */
static int svc_rdma2_each_payload(const struct svc_rdma2_sending *se,
				  const struct rpcrdma2_plan_send *xmt,
				  int (*put)(void *data, u32 position,
					     u32 length),
				  void *data)
{
	u32 end, skip, n, left = xmt->pslen, start = 0, stream = 0;
	struct svc_rdma2_cut cut = { };
	bool more = true;
	int ret = 0;

	if (!se->se_written && !se->se_nitems)
		return put(data, xmt->payload, xmt->pslen);
	while (more && left && !ret) {
		more = svc_rdma2_next_cut(se, &cut);
		end = more ? cut.at : se->se_xdr->len;
		skip = min(end - start, xmt->payload + xmt->pslen - left - stream);
		n = min(end - start - skip, left);
		if (n)
			ret = put(data, start + skip, n);
		left -= n;
		stream += end - start;
		start = cut.end;
	}
	return ret;
}

/* Let a Send go on with what is placed in it. @gap: zeros in front of the first run.
 * Returns 0 or a negative errno.
 */
static int svc_rdma2_emit_runs(struct svc_rdma2_sink *sink,
			       const struct rpcrdma2_plan_send *xmt, u32 gap)
{
	const struct svc_rdma2_sending *se = sink->se;
	const struct rpcrdma2_mitem *item;
	const struct rpcrdma2_run *run;
	u32 i;
	int ret = 0;

	for (i = xmt->run; i < xmt->run + xmt->nruns && !ret; i++) {
		run = &se->se_plan.runs[i];
		item = &se->se_items[se->se_placed[run->item]];
		if (i > xmt->run)
			gap = rpcrdma2_run_gap(&se->se_plan, i);
		ret = svc_rdma2_emit_zeros(sink, gap) ?:
		      svc_rdma2_emit(sink, item->disp + run->from,
				     run->span.length);
	}
	return ret;
}

/* Let a Send go on with what is not in its first SGE. @payload: the part of the
 * payload stream is not. @gap: zeros in front of the first run that are not. Returns
 * 0 or a negative errno.
 */
static int svc_rdma2_emit_rest(struct svc_rdma2_sink *sink, u32 xnum,
			       bool payload, u32 gap)
{
	const struct svc_rdma2_sending *se = sink->se;
	const struct rpcrdma2_plan_send *xmt = &se->se_plan.xmts[xnum];
	int ret = 0;

	if (payload && !xnum && se->se_lead)
		ret = svc_rdma2_emit(sink, se->se_lead, xmt->pslen - se->se_lead);
	else if (payload)
		ret = svc_rdma2_each_payload(se, xmt, svc_rdma2_emit, sink);
	if (ret || !xmt->nruns)
		return ret;
	return svc_rdma2_emit_runs(sink, xmt, gap);
}

/* Section: putting a Send together */

/* Does a Send keep the pages of a reply? Returns true if its context is going to
 * take them over.
 */
static bool svc_rdma2_keeps_reply(const struct svc_rdma2_sink *sink)
{
	const struct svc_rdma2_sending *se = sink->se;

	return se->se_rqstp &&
	       sink->sctxt == se->se_ctxts[se->se_plan.nxmts - 1];
}

/* Let memory go when a message has been sent. With the pages of a reply, if it is
 * the last Send that it is for: that takes them over later, in place of what its
 * context keeps. Otherwise with the Send. Returns false if there is no room to note
 * it; the memory is released then.
 */
static bool svc_rdma2_keep(struct svc_rdma2_sink *sink, struct page *page)
{
	struct svc_rdma_send_ctxt *sctxt = sink->sctxt;
	bool kept;

	if (svc_rdma2_keeps_reply(sink)) {
		kept = svc_rqst_replace_page(sink->se->se_rqstp, page);
		put_page(page);
		return kept;
	}
	sctxt->sc_pages[sctxt->sc_page_count++] = page;
	return true;
}

/* Allocate memory to copy a Send to. @sink: gets the memory. The pieces are as small
 * as the number of SGEs allows. A Send context keeps no more pages than a request
 * can have: behind a reply of the longest kind there is room for hardly more than
 * one piece. Returns 0, -E2BIG if the reply has too many pages of its own, or
 * -ENOMEM.
 */
static int svc_rdma2_bounce_alloc(struct svc_rdma2_sink *sink, u32 length)
{
	struct svc_rdma2_sending *se = sink->se;
	struct svcxprt_rdma *rdma = se->se_rdma;
	int node = ibdev_to_node(rdma->sc_cm_id->device);
	u32 i, count = max(rdma->sc_send_sges, 2U) - 1;
	struct page *page;

	sink->chunks = &sink->sctxt->sc_pages[sink->sctxt->sc_page_count];
	if (svc_rdma2_keeps_reply(sink)) {
		sink->chunks = se->se_rqstp->rq_next_page;
		if (sink->chunks >= se->se_rqstp->rq_page_end)
			return -E2BIG;
		count = min_t(u32, count, se->se_rqstp->rq_page_end - sink->chunks);
	}
	sink->order = get_order(DIV_ROUND_UP(length, count));
	count = DIV_ROUND_UP(length, PAGE_SIZE << sink->order);
	for (i = 0; i < count; i++) {
		page = alloc_pages_node(node, se->se_gfp | __GFP_COMP |
					      __GFP_NOWARN, sink->order);
		if (!page || !svc_rdma2_keep(sink, page))
			return -ENOMEM;
	}
	return 0;
}

/* Copy what is not in the first SGE of a Send. @payload: the part of the payload
 * stream is not. @gap: zeros in front of the first run that are not. Returns 0 or a
 * negative errno.
 */
static int svc_rdma2_bounce_send(struct svc_rdma2_sink *sink, u32 xnum,
				 bool payload, u32 gap)
{
	u32 length = sink->se->se_plan.xmts[xnum].length -
		     sink->sctxt->sc_sges[0].length;
	u32 done, n;
	int ret;

	if (!length)
		return 0;
	sink->add = svc_rdma2_copy_in;
	ret = svc_rdma2_bounce_alloc(sink, length);
	if (!ret)
		ret = svc_rdma2_emit_rest(sink, xnum, payload, gap);
	for (done = 0; done < length && !ret; done += n) {
		n = min_t(u32, length - done, PAGE_SIZE << sink->order);
		ret = svc_rdma2_map(sink,
				    sink->chunks[done / (PAGE_SIZE << sink->order)],
				    0, n);
	}
	rpcrdma2_count_bytes(&sink->se->se_rdma->sc_v2->sv_conn,
			     RPCRDMA2_CNT_BOUNCED, length);
	return ret;
}

/* Send from where it is what is not in the first SGE. @payload: the part of the
 * payload stream is not. @gap: zeros in front of the first run that are not. Returns
 * 0 or a negative errno.
 */
static int svc_rdma2_gather_send(struct svc_rdma2_sending *se, u32 xnum,
				 bool payload, u32 gap)
{
	struct svc_rdma2_sink sink = {
		.add	= svc_rdma2_gather,
		.se	= se,
		.sctxt	= se->se_ctxts[xnum],
	};
	int ret = -E2BIG;

	if (!se->se_copy)
		ret = svc_rdma2_emit_rest(&sink, xnum, payload, gap) ?:
		      svc_rdma2_gather_end(&sink);
	if (ret)
		svc_rdma2_unmap(&sink);
	if (ret == -E2BIG)
		ret = svc_rdma2_bounce_send(&sink, xnum, payload, gap);
	return ret;
}

/**
 * struct svc_rdma2_pull - copies a part of a message
 * @xdr: the message
 * @pos: where the next bytes go to
 */
struct svc_rdma2_pull {
	const struct xdr_buf	*xdr;
	void			*pos;
};

/* Copy a part of a message. Short ones mostly are a head and nothing else. Returns 0
 * or a negative errno.
 */
static int svc_rdma2_pull_part(void *data, u32 position, u32 length)
{
	struct svc_rdma2_pull *pull = data;
	const struct kvec *head = &pull->xdr->head[0];

	if (position <= head->iov_len && length <= head->iov_len - position)
		memcpy(pull->pos, head->iov_base + position, length);
	else if (read_bytes_from_xdr_buf(pull->xdr, position, pull->pos, length))
		return -EINVAL;
	pull->pos += length;
	return 0;
}

/* Copy a part of the payload stream behind the header. @xnum: number of the
 * transmission, its header encoded. Returns 0 or a negative errno.
 */
static int svc_rdma2_pull_payload(struct svc_rdma2_sending *se, u32 xnum)
{
	const struct rpcrdma2_plan_send *xmt = &se->se_plan.xmts[xnum];
	struct svc_rdma_send_ctxt *sctxt = se->se_ctxts[xnum];
	struct svc_rdma2_pull pull = {
		.xdr	= se->se_xdr,
		.pos	= sctxt->sc_xprt_buf + xmt->hdrlen,
	};
	int ret;

	ret = svc_rdma2_each_payload(se, xmt, svc_rdma2_pull_part, &pull);
	sctxt->sc_sges[0].length += xmt->pslen;
	return ret;
}

/* Copy the head of a message behind its header, where there is room and nothing is left
 * out: that takes an SGE less, and the page of the head is not under I/O.
 */
static void svc_rdma2_lead_head(struct svc_rdma2_sending *se, u32 room)
{
	const struct rpcrdma2_plan_send *xmt = &se->se_plan.xmts[0];
	struct svc_rdma_send_ctxt *sctxt = se->se_ctxts[0];
	const struct kvec *head = &se->se_xdr->head[0];

	se->se_lead = 0;
	if (se->se_written || se->se_nitems || head->iov_len > xmt->pslen ||
	    xmt->hdrlen + head->iov_len > room)
		return;
	se->se_lead = head->iov_len;
	memcpy(sctxt->sc_xprt_buf + xmt->hdrlen, head->iov_base, se->se_lead);
	sctxt->sc_sges[0].length += se->se_lead;
}

/* Put a Send together. @xnum: number of the transmission, its header encoded. What
 * fits into the context's buffer is copied there, if it is short, or would be copied
 * anyway, or something is placed behind it: zeros then need no SGE. Returns 0 or a
 * negative errno.
 */
static int svc_rdma2_build_send(struct svc_rdma2_sending *se, u32 xnum)
{
	const struct rpcrdma2_plan_send *xmt = &se->se_plan.xmts[xnum];
	struct svc_rdma_send_ctxt *sctxt = se->se_ctxts[xnum];
	u32 front = xmt->hdrlen + xmt->pslen, gap = 0;
	u32 room = se->se_rdma->sc_max_req_size;
	int ret;

	sctxt->sc_send_wr.num_sge = 1;
	sctxt->sc_sges[0].length = xmt->hdrlen;
	if (xmt->nruns)
		gap = rpcrdma2_run_gap(&se->se_plan, xmt->run);
	if (front > room || (!xmt->nruns && !se->se_copy &&
			     front > RPCRDMA_PULLUP_THRESH)) {
		if (!xnum)
			svc_rdma2_lead_head(se, room);
		return svc_rdma2_gather_send(se, xnum, true, gap);
	}

	ret = svc_rdma2_pull_payload(se, xnum);
	if (ret || !xmt->nruns)
		return ret;
	if (gap <= room - front) {
		memset(sctxt->sc_xprt_buf + front, 0, gap);
		sctxt->sc_sges[0].length += gap;
		gap = 0;
	}
	return svc_rdma2_gather_send(se, xnum, false, gap);
}

/* Section: messages */

/* ib_post_send() is through with @chain, or will not be called. What is signaled are
 * Sends; the last Send keeps what the RDMA Writes are made of, and @chain. Context: any.
 */
static void svc_rdma2_posted(struct svcxprt_rdma *rdma, struct svc_rdma_sq_chain *chain)
{
	const struct ib_send_wr *wr, *next;
	struct svc_rdma_send_ctxt *sctxt;

	for (wr = chain->sq_first; wr; wr = next) {
		next = wr->next;
		if (!(wr->send_flags & IB_SEND_SIGNALED))
			continue;
		sctxt = container_of(wr->wr_cqe, struct svc_rdma_send_ctxt, sc_cqe);
		if (svc_rdma2_unhold(sctxt))
			svc_rdma_send_ctxt_put(rdma, sctxt);
	}
}

/**
 * svc_rdma2_post - post what is put together
 * @rdma: connection
 * @sctxt: context of the last Send, whose chain is complete; goes to the Send
 *	completion unless there is an error
 *
 * If a context were used again while ib_post_send() walks the chain, its Work
 * Request might lead to those of another message. So it is held until that is
 * over, like those of the other Sends.
 *
 * Context: may sleep
 * Return: 0, or -ENOTCONN if the connection is lost
 */
int svc_rdma2_post(struct svcxprt_rdma *rdma, struct svc_rdma_send_ctxt *sctxt)
{
	atomic_set(&sctxt->sc_refs, SVC_RDMA2_HELD);
	sctxt->sc_chain.sq_posted = svc_rdma2_posted;
	return svc_rdma_post_send(rdma, sctxt);
}

/**
 * svc_rdma2_sending_get - get Send contexts for a message
 * @se: message that is planned
 * @last: context for its last transmission; RDMA Writes that are prepared later
 *	come before the first one
 *
 * Return: 0 or -ENOMEM
 */
int svc_rdma2_sending_get(struct svc_rdma2_sending *se,
			  struct svc_rdma_send_ctxt *last)
{
	struct svc_rdma_send_ctxt *sctxt;
	u32 i, n = se->se_plan.nxmts - 1;

	se->se_ctxts[n] = last;
	for (se->se_held = 0; se->se_held < n; se->se_held++) {
		sctxt = svc_rdma_send_ctxt_get(se->se_rdma);
		if (!sctxt)
			return -ENOMEM;
		sctxt->sc_sqecount = 0;
		sctxt->sc_send_wr.opcode = IB_WR_SEND;
		se->se_ctxts[se->se_held] = sctxt;
	}
	for (i = 0; i < n; i++)
		se->se_ctxts[i]->sc_send_wr.next =
			&se->se_ctxts[i + 1]->sc_send_wr;
	last->sc_send_wr.opcode = IB_WR_SEND;
	last->sc_wr_chain = &se->se_ctxts[0]->sc_send_wr;
	last->sc_sqecount = n + 1;
	return 0;
}

/**
 * svc_rdma2_sending_put - release Send contexts of a message that is not sent
 * @se: the message; the last context stays with the caller
 */
void svc_rdma2_sending_put(struct svc_rdma2_sending *se)
{
	while (se->se_held)
		svc_rdma_send_ctxt_put(se->se_rdma, se->se_ctxts[--se->se_held]);
}

/* Write a ROPT_XMTCONT. Returns 0 or -EIO. */
static int svc_rdma2_encode_cont(struct svc_rdma2_sending *se, u32 xnum,
				 const struct rpcrdma2_hdr *hdr, u32 itype)
{
	const struct rpcrdma2_xmtcont cont = {
		.xnum	= xnum,
		.itype	= itype,
		.pslen	= se->se_plan.xmts[xnum].pslen,
	};
	int len;

	len = rpcrdma2_encode_xmtcont(se->se_ctxts[xnum]->sc_xprt_buf,
				      se->se_rdma->sc_max_req_size, hdr, &cont);
	return WARN_ON_ONCE(len != RPCRDMA2_CONT_SIZE) ? -EIO : 0;
}

/**
 * svc_rdma2_sending_build - put all Sends of a message together
 * @se: message whose first header is encoded, in the first context's buffer
 * @hdr: first fields of that
 * @itype: ROPT_XMTREQ or ROPT_XMTRESP; anything if there is only one
 *
 * Return: 0, -E2BIG or -EINVAL if the message cannot be sent as it is, or
 * another negative errno
 */
int svc_rdma2_sending_build(struct svc_rdma2_sending *se,
			    const struct rpcrdma2_hdr *hdr, u32 itype)
{
	u32 xnum;
	int ret;

	for (xnum = 0; xnum < se->se_plan.nxmts; xnum++) {
		ret = xnum ? svc_rdma2_encode_cont(se, xnum, hdr, itype) : 0;
		if (ret)
			return ret;
		ret = svc_rdma2_build_send(se, xnum);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * svc_rdma2_sending_post - send a message
 * @se: message that is put together
 * @hdr: first fields of its headers
 *
 * What answers a message gets its grant here, in each of its headers. The buffer
 * of the last context is made ready by svc_rdma_post_send(). All
 * Sends are signaled, though only the last one returns entries: soft-iWARP sends
 * what is not signaled from the pages themselves, in TCP segments of their own.
 *
 * Context: may sleep
 * Return: 0, and the contexts go to their Send completions, or -ENOTCONN
 */
int svc_rdma2_sending_post(struct svc_rdma2_sending *se,
			   const struct rpcrdma2_hdr *hdr)
{
	struct rpcrdma2_conn *conn = &se->se_rdma->sc_v2->sv_conn;
	u32 i, n = se->se_plan.nxmts - 1;
	u32 credits = 0;
	struct ib_sge *sge;
	struct rpcrdma2_gone gone = { };
	int ret;

	if (se->se_rv)
		credits = svc_rdma2_grant_begin(se->se_rdma, se->se_rv, &gone);
	for (i = 0; i <= n && credits; i++)
		rpcrdma2_set_credit(se->se_ctxts[i]->sc_xprt_buf, credits);
	for (i = 0; i < n; i++) {
		atomic_set(&se->se_ctxts[i]->sc_refs, SVC_RDMA2_HELD);
		sge = &se->se_ctxts[i]->sc_sges[0];
		ib_dma_sync_single_for_device(se->se_rdma->sc_pd->device,
					      sge->addr, sge->length,
					      DMA_TO_DEVICE);
	}
	ret = svc_rdma2_post(se->se_rdma, se->se_ctxts[n]);
	if (se->se_rv)
		svc_rdma2_grant_end(se->se_rdma, &gone);
	if (ret)
		return ret;
	se->se_held = 0;
	if (n) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_GROUPS_SENT);
		rpcrdma2_count_bytes(conn, RPCRDMA2_CNT_XMTCONTS_SENT, n);
		trace_rpcrdma2_group_sent(conn, hdr->xid, hdr->dir, n + 1, n + 1);
	}
	return 0;
}
