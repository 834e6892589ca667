// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: the Sends of a Call.
 *
 *	SGE 0				SGE 1		SGE 2 ...
 *	header, payload, zeros		zeros		data		first Send
 *	header				zeros		data		others
 *
 * A plan says what they are; most have one. The headers of all Sends are in the
 * header buffer of the request. What follows is either the data of a WRITE,
 * placed, with the rest of the Call in front of the first part, and zeros there
 * as far as there is room, so that most SGEs are for data; or the Call as it is,
 * perhaps cut into pieces, its head copied behind the header if there is room.
 * Either way each Send has one range of the Call, which
 * the device gathers; where that takes more SGEs than there are, it is copied to
 * pages that belong to the Send. There is no waiting for these, nor trying again
 * and again: explicit RDMA needs none. Nothing is registered.
 *
 * What the device reads from stays what it is until the Send is complete,
 * whatever becomes of the RPC: header and send buffer belong to the request,
 * which each Send keeps; of pages the Send has a reference each.
 *
 * Several Sends are posted as one chain, so that nothing comes between them, and
 * each is signaled. (soft-iWARP, too, sends what is signaled in fewer pieces: TCP
 * gets a copy, not pages and their CRC apart.)
 *
 * A short Call is copied behind the header, and is one SGE. What has no room there
 * but in the request's send buffer, and what is pulled by the server, goes through
 * rpcrdma_prepare_send_sges().
 */

#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/net.h>

#include "clnt_place.h"
#include <trace/events/rpcrdma.h>
#include <trace/events/rpcrdma2.h>

/* For how long not to look for memory if there was none */
#define XPRT_RDMA2_NO_BOUNCE	(HZ / 4)

/* Section: a range of a Call */

/**
 * struct xprt_rdma2_range - a part of a Call that is being gone through
 * @xdr: the Call
 * @pos: first byte
 * @left: how many bytes
 */
struct xprt_rdma2_range {
	const struct xdr_buf	*xdr;
	u32			pos;
	u32			left;
};

/**
 * struct xprt_rdma2_chunk - memory that is in one piece
 * @page: where it begins
 * @offset: first byte there
 * @length: how many bytes
 * @npages: pages that have to be kept for it; 0 if they are kept already
 * @pages: these
 */
struct xprt_rdma2_chunk {
	struct page	*page;
	u32		offset;
	u32		length;
	u32		npages;
	struct page	**pages;
};

/* Take the next piece of the head or the tail. @range: place in the Call.
 * @base: where the part begins that it is in. @end: where that ends in the
 * Call. @chunk: OUT: the piece.
 */
static void xprt_rdma2_chunk_buf(const struct xprt_rdma2_range *range,
				 void *base, u32 end,
				 struct xprt_rdma2_chunk *chunk)
{
	chunk->page = virt_to_page(base);
	chunk->offset = offset_in_page(base);
	chunk->length = min(range->left, end - range->pos);
	chunk->npages = 1;
	chunk->pages = &chunk->page;
}

/* Take the next piece of the pages. @range: place in the Call. @from: the same, from
 * the start of the pages. @chunk: OUT: the piece; pages that are neighbours in
 * memory are one.
 */
static void xprt_rdma2_chunk_pages(const struct xprt_rdma2_range *range,
				   u32 from, struct xprt_rdma2_chunk *chunk)
{
	const struct xdr_buf *xdr = range->xdr;
	u32 left = min(range->left, xdr->page_len - from);
	u32 base = xdr->page_base + from;
	struct page **page = xdr->pages + (base >> PAGE_SHIFT);

	chunk->pages = page;
	chunk->page = *page;
	chunk->offset = offset_in_page(base);
	chunk->length = min_t(u32, left, PAGE_SIZE - chunk->offset);
	for (; chunk->length < left && xprt_rdma2_adjacent(page); page++)
		chunk->length += min_t(u32, left - chunk->length, PAGE_SIZE);
	chunk->npages = page + 1 - chunk->pages;
}

/* Take the next piece of a range. @range: place in the Call; steps. @chunk: OUT: the
 * piece. Returns false at the end.
 */
static bool xprt_rdma2_next_chunk(struct xprt_rdma2_range *range,
				  struct xprt_rdma2_chunk *chunk)
{
	const struct xdr_buf *xdr = range->xdr;
	u32 head = xdr->head[0].iov_len, pages = head + xdr->page_len;

	if (!range->left)
		return false;
	if (range->pos < head)
		xprt_rdma2_chunk_buf(range, xdr->head[0].iov_base + range->pos,
				     head, chunk);
	else if (range->pos < pages)
		xprt_rdma2_chunk_pages(range, range->pos - head, chunk);
	else
		xprt_rdma2_chunk_buf(range, xdr->tail[0].iov_base +
				     (range->pos - pages), xdr->len, chunk);
	range->pos += chunk->length;
	range->left -= chunk->length;
	return true;
}

/* How many pieces does a range consist of? @range: the range. Returns SGEs that it
 * takes.
 */
static unsigned int xprt_rdma2_range_chunks(struct xprt_rdma2_range range)
{
	struct xprt_rdma2_chunk chunk;
	unsigned int count = 0;

	while (xprt_rdma2_next_chunk(&range, &chunk))
		count++;
	return count;
}

/* Keep the pages of a piece until its Send is complete. @hold: where to note them.
 * What the slab allocator gave out belongs to the request, and is not counted. The
 * tail of a Call that is wrapped for privacy does not: its page is gone with the
 * RPC. A page stands for all of the memory that was allocated together with it.
 * Returns false if there is no room to note them.
 */
static bool xprt_rdma2_hold_chunk(struct xprt_rdma2_hold *hold,
				  const struct xprt_rdma2_chunk *chunk)
{
	struct page *page;
	u32 i;

	for (i = 0; i < chunk->npages; i++) {
		page = chunk->pages[i];
		if (!sendpage_ok(page))
			continue;
		if (hold->ho_count == XPRT_RDMA2_MAX_HELD)
			return false;
		get_page(page);
		hold->ho_pages[hold->ho_count++] = page;
	}
	return true;
}

/**
 * xprt_rdma2_send_unmap - a Send is complete, or will not be posted
 * @sc: its context, which holds the pages it reads from
 *
 * The send buffer need not be part of it, but the buffer for headers is mapped as
 * long as there is a connection. rpcrdma_sendctx_unmap() unmaps what version 1
 * would have mapped.
 */
void xprt_rdma2_send_unmap(struct rpcrdma_sendctx *sc)
{
	struct xprt_rdma2_hold *hold = sc->sc_hold;
	const struct ib_sge *sge;

	while (hold->ho_first && sc->sc_unmap_count) {
		sge = &sc->sc_sges[hold->ho_first + --sc->sc_unmap_count];
		ib_dma_unmap_page(rdmab_device(sc->sc_req->rl_rdmabuf),
				  sge->addr, sge->length, DMA_TO_DEVICE);
	}
	hold->ho_first = 0;
	while (hold->ho_count)
		put_page(hold->ho_pages[--hold->ho_count]);
}

/* Section: planning */

/* How long header and what is copied behind it may be in the first Send. @req: the Call.
 * Returns a length in bytes.
 */
static u32 xprt_rdma2_front(const struct rpcrdma_req *req)
{
	return min_t(u32, rdmab_length(req->rl_rdmabuf), XPRT_RDMA2_FRONT);
}

/**
 * xprt_rdma2_header_size - how long buffers for headers have to be
 * @ep: connection on which version 2 was offered
 * @size: what version 1 needs, in bytes
 *
 * Return: length in bytes
 */
u32 xprt_rdma2_header_size(const struct rpcrdma_ep *ep, u32 size)
{
	const struct xprt_rdma2_placement *vp = ep->re_v2->ve_place;

	size = roundup_pow_of_two(size) + RPCRDMA2_HDRLEN_MIN -
	       RPCRDMA_HDRLEN_MIN;
	if (!vp)
		return size;
	size = max_t(u32, size, XPRT_RDMA2_FRONT);
	if (vp->vp_cont)
		size = max_t(u32, size, XPRT_RDMA2_FRONT +
			     (RPCRDMA2_MAX_XMTS - 1) * RPCRDMA2_CONT_SIZE);
	return size;
}

/* How much of a Call is copied behind the header of a Send: its head, if that has room
 * there, which takes an SGE less. Data that is placed needs more than this, and the lists
 * of a header that has some are not planned. Returns a length in bytes.
 */
static u32 xprt_rdma2_send_lead(const struct xprt_rdma2_out *out,
				const struct rpc_rqst *rqst, u32 n)
{
	const struct rpcrdma2_plan_send *x = &out->plan.xmts[n];
	u32 head = rqst->rq_snd_buf.head[0].iov_len;

	if (n || out->write || out->wtype != rpcrdma_noch || head > x->pslen ||
	    x->hdrlen + head > xprt_rdma2_front(rpcr_to_rdmar(rqst)))
		return 0;
	return head;
}

/* Which part of a Call the device gathers for a Send. Returns the part. */
static struct xprt_rdma2_range
xprt_rdma2_send_range(const struct xprt_rdma2_out *out,
		      const struct rpc_rqst *rqst, u32 n)
{
	const struct rpcrdma2_plan_send *x = &out->plan.xmts[n];
	u32 lead = xprt_rdma2_send_lead(out, rqst, n);
	const struct xdr_buf *xdr = &rqst->rq_snd_buf;
	struct xprt_rdma2_range range = {
		.xdr	= xdr,
		.pos	= x->payload + lead,
		.left	= x->pslen - lead,
	};

	if (out->write) {
		range.pos = xdr->head[0].iov_len + out->plan.runs[x->run].from;
		range.left = x->nruns ? out->plan.runs[x->run].span.length : 0;
	}
	return range;
}

/* How many zeros of a Send do not follow its header. @plan: how a Call goes. The
 * first one has most of them in the header buffer (S-01). Returns a length in bytes.
 */
static u32 xprt_rdma2_send_zeros(const struct rpcrdma2_plan *plan, u32 n)
{
	const struct rpcrdma2_plan_send *x = &plan->xmts[n];
	u32 start;

	if (!x->nruns)
		return 0;
	if (n)
		return rpcrdma2_run_gap(plan, x->run);
	start = plan->runs[x->run].span.offset;
	return start - min_t(u32, start, XPRT_RDMA2_FRONT);
}

/**
 * xprt_rdma2_send_fits - can the planned Sends be made?
 * @out: how a Call goes
 *
 * With placed data the rest of the Call is in the header buffer, and zeros
 * between come from one page: more would cost more than they are worth.
 *
 * Return: false if they cannot
 */
bool xprt_rdma2_send_fits(const struct xprt_rdma2_out *out)
{
	const struct rpcrdma2_plan *plan = &out->plan;
	u32 i;

	if (!out->write)
		return plan->nxmts == 1 ||
		       plan->xmts[0].hdrlen <= XPRT_RDMA2_FRONT;
	if (plan->xmts[0].hdrlen + out->pslen > XPRT_RDMA2_FRONT ||
	    plan->xmts[0].pslen != out->pslen)
		return false;
	for (i = 0; i < plan->nxmts; i++)
		if (plan->xmts[i].nruns > 1 ||
		    xprt_rdma2_send_zeros(plan, i) > PAGE_SIZE)
			return false;
	return true;
}

/* Section: copies */

/* Get memory for a copy. @length: how much, in bytes. Context: the transport's send
 * lock is held. Returns pages that are contiguous, or NULL if there are none.
 */
static struct page *xprt_rdma2_copy_get(struct rpcrdma_xprt *r_xprt, u32 length)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	struct page *page;

	if (time_before(jiffies, vx->vx_no_bounce))
		return NULL;
	page = alloc_pages(XPRT_RDMA2_GFP_NOWAIT | __GFP_COMP, get_order(length));
	if (!page)
		vx->vx_no_bounce = jiffies + XPRT_RDMA2_NO_BOUNCE;
	return page;
}

/**
 * xprt_rdma2_send_uncopy - release memory that nothing was copied to
 * @out: how a Call goes that is not going to be sent like that
 */
void xprt_rdma2_send_uncopy(struct xprt_rdma2_out *out)
{
	u32 i;

	for (i = 0; i < out->plan.nxmts; i++) {
		if (out->copies[i])
			put_page(out->copies[i]);
		out->copies[i] = NULL;
	}
}

/**
 * xprt_rdma2_send_copies - get memory for what the device cannot gather
 * @r_xprt: transport
 * @rqst: Call
 * @out: how it goes; what it has got already stays
 *
 * Return: false if there is not enough; it has got none then
 */
bool xprt_rdma2_send_copies(struct rpcrdma_xprt *r_xprt,
			    const struct rpc_rqst *rqst,
			    struct xprt_rdma2_out *out)
{
	u32 i, sges, max = r_xprt->rx_ep->re_attr.cap.max_send_sge;
	struct xprt_rdma2_range range;

	for (i = 0; i < out->plan.nxmts; i++) {
		range = xprt_rdma2_send_range(out, rqst, i);
		sges = 1 + !!xprt_rdma2_send_zeros(&out->plan, i) +
		       xprt_rdma2_range_chunks(range);
		if (sges <= max || out->copies[i])
			continue;
		out->copies[i] = xprt_rdma2_copy_get(r_xprt, range.left);
		if (!out->copies[i]) {
			xprt_rdma2_send_uncopy(out);
			return false;
		}
	}
	return true;
}

/* Section: Sends */

/**
 * struct xprt_rdma2_send - a Send that is being put together
 * @sd_req: the Call
 * @sd_sc: its Send context
 * @sd_wr: its Work Request
 */
struct xprt_rdma2_send {
	struct rpcrdma_req	*sd_req;
	struct rpcrdma_sendctx	*sd_sc;
	struct ib_send_wr	*sd_wr;
};

/* Begin with a Send. @send: OUT: the Send, without SGEs. @prev: the one before it,
 * or NULL. Returns false if there is no context for it at the moment.
 */
static bool xprt_rdma2_send_begin(struct rpcrdma_xprt *r_xprt,
				  struct rpcrdma_req *req,
				  struct xprt_rdma2_send *send,
				  struct ib_send_wr *prev)
{
	struct rpcrdma_sendctx *sc = rpcrdma_sendctx_get_locked(r_xprt);

	if (!sc)
		return false;
	sc->sc_req = req;
	sc->sc_unmap_count = 0;
	req->rl_sendctx = sc;
	send->sd_req = req;
	send->sd_sc = sc;
	send->sd_wr = prev ? &sc->sc_hold->ho_wr : &req->rl_wr;
	memset(send->sd_wr, 0, sizeof(*send->sd_wr));
	send->sd_wr->wr_cqe = &sc->sc_cqe;
	send->sd_wr->sg_list = sc->sc_sges;
	send->sd_wr->opcode = IB_WR_SEND;
	send->sd_wr->send_flags = IB_SEND_SIGNALED;
	if (prev)
		prev->next = send->sd_wr;
	return true;
}

/* Let a Send begin with a part of the header buffer. @offset: first byte.
 * @length: how many bytes.
 */
static void xprt_rdma2_add_front(struct xprt_rdma2_send *send, u32 offset,
				 u32 length)
{
	struct rpcrdma_regbuf *rb = send->sd_req->rl_rdmabuf;
	struct ib_sge *sge = &send->sd_sc->sc_sges[send->sd_wr->num_sge++];

	sge->addr = rdmab_addr(rb) + offset;
	sge->length = length;
	sge->lkey = rdmab_lkey(rb);
	ib_dma_sync_single_for_device(rdmab_device(rb), sge->addr, length,
				      DMA_TO_DEVICE);
}

/* Go on with zeros. @length: how many bytes, at most a page. */
static void xprt_rdma2_add_zeros(struct xprt_rdma2_send *send,
				 const struct xprt_rdma2_placement *vp,
				 u32 length)
{
	struct ib_sge *sge;

	if (!length)
		return;
	sge = &send->sd_sc->sc_sges[send->sd_wr->num_sge++];
	sge->addr = vp->vp_zeros;
	sge->length = length;
	sge->lkey = rdmab_lkey(send->sd_req->rl_rdmabuf);
}

/* Go on with a piece of memory. Returns false if the device cannot read from there.
 */
static bool xprt_rdma2_add_chunk(struct xprt_rdma2_send *send,
				 const struct xprt_rdma2_chunk *chunk)
{
	struct ib_device *device = rdmab_device(send->sd_req->rl_rdmabuf);
	struct rpcrdma_sendctx *sc = send->sd_sc;
	struct ib_sge *sge = &sc->sc_sges[send->sd_wr->num_sge];

	sge->addr = ib_dma_map_page(device, chunk->page, chunk->offset,
				    chunk->length, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(device, sge->addr)) {
		trace_xprtrdma_dma_maperr(sge->addr);
		return false;
	}
	sge->length = chunk->length;
	sge->lkey = rdmab_lkey(send->sd_req->rl_rdmabuf);
	send->sd_wr->num_sge++;
	sc->sc_unmap_count++;
	return xprt_rdma2_hold_chunk(sc->sc_hold, chunk);
}

/* Go on with a copy of a part of the Call. @range: the part. @copy: memory for it;
 * taken over. Returns false if the device cannot read from there.
 */
static bool xprt_rdma2_add_copy(struct rpcrdma_xprt *r_xprt,
				struct xprt_rdma2_send *send,
				const struct xprt_rdma2_range *range,
				struct page **copy)
{
	struct xprt_rdma2_hold *hold = send->sd_sc->sc_hold;
	struct xprt_rdma2_chunk chunk = {
		.page	= *copy,
		.length	= range->left,
	};

	*copy = NULL;
	hold->ho_pages[hold->ho_count++] = chunk.page;
	if (read_bytes_from_xdr_buf(range->xdr, range->pos,
				    page_address(chunk.page), range->left))
		return false;
	rpcrdma2_count_bytes(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_BOUNCED,
			     range->left);
	return xprt_rdma2_add_chunk(send, &chunk);
}

/* Go on with a part of the Call. @range: the part. @copy: what it is copied to,
 * which is taken over; or NULL. Returns false if the device cannot read it.
 */
static bool xprt_rdma2_add_range(struct rpcrdma_xprt *r_xprt,
				 struct xprt_rdma2_send *send,
				 struct xprt_rdma2_range range,
				 struct page **copy)
{
	struct xprt_rdma2_chunk chunk;

	send->sd_sc->sc_hold->ho_first = send->sd_wr->num_sge;
	if (*copy)
		return xprt_rdma2_add_copy(r_xprt, send, &range, copy);
	while (xprt_rdma2_next_chunk(&range, &chunk))
		if (!xprt_rdma2_add_chunk(send, &chunk))
			return false;
	return true;
}

/* Put what is in front of the data behind the header. @req: the Call, its header
 * encoded. @xdr: its RPC message. @start: where data begins in the Send, or as far
 * as there are zeros. Returns the length of header, payload and zeros.
 */
static u32 xprt_rdma2_lead_front(struct rpcrdma_req *req,
				 const struct xdr_buf *xdr, u32 start)
{
	u32 tail = xprt_rdma2_tail_length(xdr);
	void *p = rdmab_data(req->rl_rdmabuf) + req->rl_hdrbuf.len;
	u32 length = min_t(u32, start, XPRT_RDMA2_FRONT);

	memcpy(p, xdr->head[0].iov_base, xdr->head[0].iov_len);
	p += xdr->head[0].iov_len;
	if (tail)
		memcpy(p, xdr->tail[0].iov_base + xdr->tail[0].iov_len - tail,
		       tail);
	p += tail;
	memset(p, 0, rdmab_data(req->rl_rdmabuf) + length - p);
	return length;
}

/* Let a Send begin with its header, and zeros. @n: which transmission this is. */
static void xprt_rdma2_add_header(struct rpcrdma_xprt *r_xprt,
				  struct xprt_rdma2_send *send,
				  const struct xprt_rdma2_out *out,
				  const struct xdr_buf *xdr, u32 n)
{
	const struct rpcrdma2_plan *plan = &out->plan;
	const struct rpcrdma2_plan_send *x = &plan->xmts[n];
	struct rpcrdma_req *req = send->sd_req;
	struct rpcrdma2_hdr hdr = {
		.xid	= req->rl_slot.rq_xid,
		.credit	= be32_to_cpu(r_xprt->rx_buf.rb_max_requests),
		.dir	= RDMA2_CALL,
	};
	const struct rpcrdma2_xmtcont cont = {
		.xnum	= n,
		.itype	= ROPT_XMTREQ,
		.pslen	= x->pslen,
	};
	u32 offset = 0, length = req->rl_hdrbuf.len, lead;

	if (n) {
		offset = XPRT_RDMA2_FRONT + (n - 1) * RPCRDMA2_CONT_SIZE;
		length = RPCRDMA2_CONT_SIZE;
		rpcrdma2_encode_xmtcont(rdmab_data(req->rl_rdmabuf) + offset,
					length, &hdr, &cont);
	} else if (out->write) {
		length = xprt_rdma2_lead_front(req, xdr, x->nruns ?
					       plan->runs[x->run].span.offset :
					       x->hdrlen + x->pslen);
	} else {
		lead = xprt_rdma2_send_lead(out, &req->rl_slot, 0);
		memcpy(rdmab_data(req->rl_rdmabuf) + length,
		       xdr->head[0].iov_base, lead);
		length += lead;
	}
	xprt_rdma2_add_front(send, offset, length);
	xprt_rdma2_add_zeros(send, r_xprt->rx_ep->re_v2->ve_place,
			     xprt_rdma2_send_zeros(plan, n));
}

/* Give back the Sends of a Call. @sends: its Send contexts, in the order in which
 * they were taken. @count: how many.
 */
static void xprt_rdma2_send_cancel(struct rpcrdma_xprt *r_xprt,
				   struct rpcrdma_req *req,
				   struct rpcrdma_sendctx **sends, u32 count)
{
	while (count--) {
		xprt_rdma2_send_unmap(sends[count]);
		sends[count]->sc_req = NULL;
		rpcrdma_sendctx_unget_locked(r_xprt, sends[count]);
	}
	req->rl_sendctx = NULL;
	req->rl_wr.next = NULL;
}

/**
 * xprt_rdma2_send_short - prepare the one Send of a Call that is copied
 * @r_xprt: transport
 * @req: Call, its header encoded
 * @xdr: its RPC message
 *
 * It all goes behind the header if it has room there. The device gathers one piece
 * then, and not two.
 *
 * Context: the transport's send lock is held
 * Return: 0, -EAGAIN if there is no Send context at the moment, -EMSGSIZE if there is
 * no room, or -EIO
 */
int xprt_rdma2_send_short(struct rpcrdma_xprt *r_xprt,
			  struct rpcrdma_req *req, const struct xdr_buf *xdr)
{
	u32 hdrlen = req->rl_hdrbuf.len;
	void *p = rdmab_data(req->rl_rdmabuf) + hdrlen;
	struct xprt_rdma2_send send = { };

	if (hdrlen + xdr->len > xprt_rdma2_front(req))
		return -EMSGSIZE;
	if (xdr->len == xdr->head[0].iov_len)
		memcpy(p, xdr->head[0].iov_base, xdr->len);
	else if (read_bytes_from_xdr_buf(xdr, 0, p, xdr->len))
		return -EIO;
	if (!xprt_rdma2_send_begin(r_xprt, req, &send, NULL))
		return -EAGAIN;
	r_xprt->rx_stats.pullup_copy_count += xdr->len - xdr->head[0].iov_len;
	xprt_rdma2_add_front(&send, 0, hdrlen + xdr->len);
	kref_get(&req->rl_kref);
	return 0;
}

/**
 * xprt_rdma2_send_prepare - prepare the Sends of a Call
 * @r_xprt: transport
 * @req: Call, its header encoded
 * @out: how it goes; all copies are taken over, unless this fails
 *
 * Context: the transport's send lock is held
 * Return: 0, -EAGAIN if there is no Send context at the moment, or -ENOBUFS
 */
int xprt_rdma2_send_prepare(struct rpcrdma_xprt *r_xprt,
			    struct rpcrdma_req *req, struct xprt_rdma2_out *out)
{
	const struct xdr_buf *xdr = &req->rl_slot.rq_snd_buf;
	u32 n, count = out->plan.nxmts;
	struct xprt_rdma2_send send = { };

	for (n = 0; n < count; n++) {
		if (!xprt_rdma2_send_begin(r_xprt, req, &send, send.sd_wr)) {
			xprt_rdma2_send_cancel(r_xprt, req, out->sends, n);
			return -EAGAIN;
		}
		out->sends[n] = send.sd_sc;
		xprt_rdma2_add_header(r_xprt, &send, out, xdr, n);
		if (!xprt_rdma2_add_range(r_xprt, &send,
					  xprt_rdma2_send_range(out, &req->rl_slot, n),
					  &out->copies[n])) {
			xprt_rdma2_send_cancel(r_xprt, req, out->sends, n + 1);
			return -ENOBUFS;
		}
	}
	/* Each Send keeps the request. */
	for (n = 0; n < count; n++)
		kref_get(&req->rl_kref);
	return 0;
}
