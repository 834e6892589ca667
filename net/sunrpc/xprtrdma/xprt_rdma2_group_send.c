// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: Calls that take several Sends.
 *
 *	SGE 0				SGE 1		SGE 2 ...
 *	header, payload, zeros		zeros		data		first Send
 *	header				zeros		data		others
 *
 * The headers of all Sends are in the header buffer of the request. What
 * follows is either the data of a WRITE, placed, with the rest of the Call in
 * front of the first part; or the Call as it is, cut into pieces. Either way
 * each Send has one range of the Call, which the device gathers; where that
 * takes more SGEs than there are, it is copied to pages that belong to the
 * Send.
 *
 * The Sends are posted as one chain, so that nothing comes between them. Each
 * keeps the request, and the pages it reads from, until it is complete; each is
 * signaled, for it is the upper layer's pages that it keeps. (soft-iWARP, too,
 * sends what is signaled in fewer pieces: TCP gets a copy, not pages and their
 * CRC apart.)
 */

#include <linux/mm.h>
#include <linux/slab.h>

#include "xprt_rdma2_place.h"
#include <trace/events/rpcrdma.h>
#include <trace/events/rpcrdma2.h>

/*
 * Section: a range of a Call
 */

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

/**
 * xprt_rdma2_chunk_buf - take the next piece of the head or the tail
 * @range: place in the Call
 * @base: where the part begins that it is in
 * @end: where that ends in the Call
 * @chunk: OUT: the piece
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

/**
 * xprt_rdma2_chunk_pages - take the next piece of the pages
 * @range: place in the Call
 * @from: the same, from the start of the pages
 * @chunk: OUT: the piece; pages that are neighbours in memory are one
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

/**
 * xprt_rdma2_next_chunk - take the next piece of a range
 * @range: place in the Call; steps
 * @chunk: OUT: the piece
 *
 * Return: false at the end
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

/**
 * xprt_rdma2_range_chunks - how many pieces a range consists of
 * @xdr: Call
 * @pos: first byte
 * @length: how many
 *
 * Return: SGEs that it takes
 */
static unsigned int xprt_rdma2_range_chunks(const struct xdr_buf *xdr, u32 pos,
					    u32 length)
{
	struct xprt_rdma2_range range = {
		.xdr = xdr, .pos = pos, .left = length,
	};
	struct xprt_rdma2_chunk chunk;
	unsigned int count = 0;

	while (xprt_rdma2_next_chunk(&range, &chunk))
		count++;
	return count;
}

/**
 * xprt_rdma2_hold_chunk - keep the pages of a piece until its Send is complete
 * @hold: where to note them
 * @chunk: the piece
 *
 * What the slab allocator gave out belongs to the request. The tail of a Call
 * that is wrapped for privacy does not: its page is gone with the RPC. A page
 * stands for all of the memory that was allocated together with it.
 *
 * Return: false if there is no room to note them
 */
static bool xprt_rdma2_hold_chunk(struct xprt_rdma2_hold *hold,
				  const struct xprt_rdma2_chunk *chunk)
{
	struct page *page;
	u32 i;

	for (i = 0; i < chunk->npages; i++) {
		page = chunk->pages[i];
		if (PageSlab(page))
			continue;
		if (hold->ho_count == XPRT_RDMA2_MAX_HELD)
			return false;
		get_page(page);
		hold->ho_pages[hold->ho_count++] = page;
	}
	return true;
}

/*
 * Section: planning
 */

/**
 * xprt_rdma2_xmt_range - which part of a Call goes with a transmission
 * @xmt: how the Call goes
 * @xdr: the Call
 * @n: the transmission
 * @pos: OUT: first byte
 *
 * Return: its length, in bytes
 */
static u32 xprt_rdma2_xmt_range(const struct xprt_rdma2_xmt *xmt,
				const struct xdr_buf *xdr, u32 n, u32 *pos)
{
	const struct rpcrdma2_xmt *x = &xmt->plan.xmts[n];

	if (xmt->write) {
		*pos = xdr->head[0].iov_len + xmt->plan.runs[x->run].from;
		return x->nruns ? xmt->plan.runs[x->run].span.length : 0;
	}
	*pos = x->payload;
	return x->pslen;
}

/**
 * xprt_rdma2_group_fits - can the planned Sends be made?
 * @xmt: how a Call goes
 *
 * With placed data the rest of the Call is in the header buffer, and zeros
 * between come from one page.
 *
 * Return: false if they cannot
 */
bool xprt_rdma2_group_fits(const struct xprt_rdma2_xmt *xmt)
{
	const struct rpcrdma2_plan *plan = &xmt->plan;
	u32 i;

	if (!xmt->write)
		return plan->xmts[0].hdrlen <= XPRT_RDMA2_FRONT;
	if (plan->xmts[0].hdrlen + xmt->pslen > XPRT_RDMA2_FRONT ||
	    plan->xmts[0].pslen != xmt->pslen)
		return false;
	for (i = 0; i < plan->nxmts; i++)
		if (plan->xmts[i].nruns > 1)
			return false;
	for (i = 0; i < plan->nruns; i++)
		if (rpcrdma2_run_gap(plan, i) > PAGE_SIZE)
			return false;
	return true;
}

/**
 * xprt_rdma2_group_drop_copies - release pages that nothing was copied to
 * @xmt: how a Call goes
 */
void xprt_rdma2_group_drop_copies(struct xprt_rdma2_xmt *xmt)
{
	u32 i;

	for (i = 0; i < xmt->plan.nxmts; i++)
		xprt_rdma2_bounce_put(&xmt->copies[i]);
}

/**
 * xprt_rdma2_group_copies - get pages for what the device cannot gather
 * @r_xprt: transport
 * @rqst: Call
 * @xmt: how it goes
 *
 * Two SGEs are for headers and zeros. There is no waiting for memory here:
 * explicit RDMA needs none.
 *
 * Return: false if there is not enough
 */
bool xprt_rdma2_group_copies(struct rpcrdma_xprt *r_xprt,
			     const struct rpc_rqst *rqst,
			     struct xprt_rdma2_xmt *xmt)
{
	const struct xdr_buf *xdr = &rqst->rq_snd_buf;
	u32 sges = r_xprt->rx_ep->re_attr.cap.max_send_sge - 2;
	u32 i, pos, length;

	memset(xmt->copies, 0, sizeof(xmt->copies));
	for (i = 0; i < xmt->plan.nxmts; i++) {
		length = xprt_rdma2_xmt_range(xmt, xdr, i, &pos);
		if (xprt_rdma2_range_chunks(xdr, pos, length) <= sges)
			continue;
		xmt->copies[i] = xprt_rdma2_bounce_get(r_xprt, length);
		if (!xmt->copies[i]) {
			xprt_rdma2_group_drop_copies(xmt);
			return false;
		}
	}
	return true;
}

/**
 * xprt_rdma2_group_sendctxs - are there Send contexts for all of a group?
 * @r_xprt: transport
 * @count: how many it takes
 *
 * Those of Sends that are complete do not become fewer while the send lock is
 * held.
 *
 * Return: false if there are not
 */
bool xprt_rdma2_group_sendctxs(const struct rpcrdma_xprt *r_xprt, u32 count)
{
	const struct rpcrdma_buffer *buf = &r_xprt->rx_buf;
	unsigned long size = buf->rb_sc_last + 1;
	unsigned long free;

	free = (READ_ONCE(buf->rb_sc_tail) + size - buf->rb_sc_head - 1) % size;
	return count <= free;
}

/*
 * Section: Sends
 */

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

/**
 * xprt_rdma2_send_begin - begin with a Send of a group
 * @r_xprt: transport
 * @req: the Call
 * @send: OUT: the Send, without SGEs
 * @prev: the one before it, or NULL
 *
 * There are contexts for all of the group.
 */
static void xprt_rdma2_send_begin(struct rpcrdma_xprt *r_xprt,
				  struct rpcrdma_req *req,
				  struct xprt_rdma2_send *send,
				  struct ib_send_wr *prev)
{
	struct rpcrdma_sendctx *sc = rpcrdma_sendctx_get_locked(r_xprt);

	sc->sc_req = req;
	sc->sc_unmap_first = 0;
	sc->sc_unmap_count = 0;
	sc->sc_signal = false;
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
}

/**
 * xprt_rdma2_send_front - let a Send begin with a part of the header buffer
 * @send: the Send
 * @offset: first byte
 * @length: how many bytes
 */
static void xprt_rdma2_send_front(struct xprt_rdma2_send *send, u32 offset,
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

/**
 * xprt_rdma2_send_zeros - go on with zeros
 * @send: the Send
 * @vp: placement
 * @length: how many bytes, at most a page
 */
static void xprt_rdma2_send_zeros(struct xprt_rdma2_send *send,
				  const struct xprt_rdma2_place *vp, u32 length)
{
	struct ib_sge *sge;

	if (!length)
		return;
	sge = &send->sd_sc->sc_sges[send->sd_wr->num_sge++];
	sge->addr = vp->vp_zeros;
	sge->length = length;
	sge->lkey = rdmab_lkey(send->sd_req->rl_rdmabuf);
}

/**
 * xprt_rdma2_send_chunk - go on with a piece of memory
 * @send: the Send
 * @chunk: the piece
 *
 * Return: false if the device cannot read from there
 */
static bool xprt_rdma2_send_chunk(struct xprt_rdma2_send *send,
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

/**
 * xprt_rdma2_send_copy - go on with a copy of a part of the Call
 * @r_xprt: transport
 * @send: the Send
 * @xdr: the Call
 * @pos: first byte
 * @length: how many
 * @copy: page or pages for it; taken over
 *
 * Return: false if the device cannot read from there
 */
static bool xprt_rdma2_send_copy(struct rpcrdma_xprt *r_xprt,
				 struct xprt_rdma2_send *send,
				 const struct xdr_buf *xdr, u32 pos, u32 length,
				 struct page **copy)
{
	struct xprt_rdma2_hold *hold = send->sd_sc->sc_hold;
	struct xprt_rdma2_chunk chunk = {
		.page	= *copy,
		.length	= length,
	};

	*copy = NULL;
	hold->ho_pages[hold->ho_count++] = chunk.page;
	if (read_bytes_from_xdr_buf(xdr, pos, page_address(chunk.page), length))
		return false;
	rpcrdma2_count_bytes(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_BOUNCED,
			     length);
	return xprt_rdma2_send_chunk(send, &chunk);
}

/**
 * xprt_rdma2_send_range - go on with a part of the Call
 * @r_xprt: transport
 * @send: the Send
 * @xdr: the Call
 * @n: which transmission this is
 *
 * Return: false if the device cannot read it
 */
static bool xprt_rdma2_send_range(struct rpcrdma_xprt *r_xprt,
				  struct xprt_rdma2_send *send,
				  const struct xdr_buf *xdr, u32 n)
{
	struct xprt_rdma2_xmt *xmt = &r_xprt->rx_ep->re_v2->ve_place->vp_xmt;
	struct xprt_rdma2_range range = { .xdr = xdr };
	struct xprt_rdma2_chunk chunk;

	range.left = xprt_rdma2_xmt_range(xmt, xdr, n, &range.pos);
	send->sd_sc->sc_unmap_first = send->sd_wr->num_sge;
	if (xmt->copies[n])
		return xprt_rdma2_send_copy(r_xprt, send, xdr, range.pos,
					    range.left, &xmt->copies[n]);
	while (xprt_rdma2_next_chunk(&range, &chunk))
		if (!xprt_rdma2_send_chunk(send, &chunk))
			return false;
	return true;
}

/**
 * xprt_rdma2_lead_front - put what is in front of the data behind the header
 * @req: the Call, its header encoded
 * @xdr: its RPC message
 * @planned: length of header and payload at most, in bytes; the gap in front of
 *	the data was reckoned from there
 *
 * Return: length of header and payload, and of zeros up to @planned
 */
static u32 xprt_rdma2_lead_front(struct rpcrdma_req *req,
				 const struct xdr_buf *xdr, u32 planned)
{
	u32 tail = xprt_rdma2_tail_length(xdr);
	void *p = rdmab_data(req->rl_rdmabuf) + req->rl_hdrbuf.len;
	u32 length;

	memcpy(p, xdr->head[0].iov_base, xdr->head[0].iov_len);
	p += xdr->head[0].iov_len;
	if (tail)
		memcpy(p, xdr->tail[0].iov_base + xdr->tail[0].iov_len - tail,
		       tail);
	p += tail;
	length = p - rdmab_data(req->rl_rdmabuf);
	if (length < planned)
		memset(p, 0, planned - length);
	return max(length, planned);
}

/**
 * xprt_rdma2_send_header - let a Send begin with its header
 * @r_xprt: transport
 * @send: the Send
 * @xdr: the Call
 * @n: which transmission this is
 *
 * Serves C-01, C-07, C-08, C-26.
 */
static void xprt_rdma2_send_header(struct rpcrdma_xprt *r_xprt,
				   struct xprt_rdma2_send *send,
				   const struct xdr_buf *xdr, u32 n)
{
	struct xprt_rdma2_place *vp = r_xprt->rx_ep->re_v2->ve_place;
	const struct rpcrdma2_plan *plan = &vp->vp_xmt.plan;
	const struct rpcrdma2_xmt *x = &plan->xmts[n];
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
	u32 offset = 0, length = req->rl_hdrbuf.len;

	if (n) {
		offset = XPRT_RDMA2_FRONT + (n - 1) * RPCRDMA2_CONT_SIZE;
		length = RPCRDMA2_CONT_SIZE;
		rpcrdma2_encode_xmtcont(rdmab_data(req->rl_rdmabuf) + offset,
					length, &hdr, &cont);
	} else if (vp->vp_xmt.write) {
		length = xprt_rdma2_lead_front(req, xdr, x->hdrlen + x->pslen);
	}
	xprt_rdma2_send_front(send, offset, length);
	if (x->nruns)
		xprt_rdma2_send_zeros(send, vp, rpcrdma2_run_gap(plan, x->run));
}

/**
 * xprt_rdma2_group_cancel - give back the Sends of a group
 * @r_xprt: transport
 * @req: the Call
 * @sends: its Send contexts, in the order in which they were taken
 * @count: how many
 */
static void xprt_rdma2_group_cancel(struct rpcrdma_xprt *r_xprt,
				    struct rpcrdma_req *req,
				    struct rpcrdma_sendctx **sends, u32 count)
{
	while (count--) {
		rpcrdma_sendctx_cancel(sends[count]);
		rpcrdma_sendctx_unget_locked(r_xprt, sends[count]);
	}
	req->rl_wr.next = NULL;
	req->rl_v2_xmts = 1;
}

/**
 * xprt_rdma2_group_prepare - prepare the Sends of a Call
 * @r_xprt: transport
 * @req: Call, its header encoded; the plan is in vp_xmt
 * @xdr: its RPC message
 *
 * Serves C-02, C-23, C-27.
 *
 * Context: the transport's send lock is held
 *
 * Return: 0 or a negative errno
 */
int xprt_rdma2_group_prepare(struct rpcrdma_xprt *r_xprt,
			     struct rpcrdma_req *req, const struct xdr_buf *xdr)
{
	struct xprt_rdma2_place *vp = r_xprt->rx_ep->re_v2->ve_place;
	u32 n, count = vp->vp_xmt.plan.nxmts;
	struct xprt_rdma2_send send = { };

	for (n = 0; n < count; n++) {
		xprt_rdma2_send_begin(r_xprt, req, &send, send.sd_wr);
		vp->vp_sends[n] = send.sd_sc;
		xprt_rdma2_send_header(r_xprt, &send, xdr, n);
		if (!xprt_rdma2_send_range(r_xprt, &send, xdr, n)) {
			xprt_rdma2_group_cancel(r_xprt, req, vp->vp_sends,
						n + 1);
			return -ENOBUFS;
		}
	}
	req->rl_v2_xmts = count;
	/* Each Send keeps the request. */
	for (n = 0; n < count; n++)
		kref_get(&req->rl_kref);
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_GROUPS_SENT);
	rpcrdma2_count_bytes(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_XMTCONTS_SENT,
			     count - 1);
	trace_rpcrdma2_group_sent(&r_xprt->rx_v2.vx_conn,
				  req->rl_slot.rq_xid, RDMA2_CALL, count,
				  count);
	return 0;
}
