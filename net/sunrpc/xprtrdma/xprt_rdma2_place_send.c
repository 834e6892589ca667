// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: ROPT_XMTREQ, and its Send.
 *
 *	SGE 0				SGE 1		SGE 2 ...
 *	header, payload, zeros		zeros		data
 *
 * A Call whose data is placed has little else to say. That is copied behind
 * the header, and so are the zeros behind it if there is room, so that all the
 * device's other SGEs are for data. Nothing is registered.
 *
 * What the device reads from stays what it is until the Send is complete,
 * whatever becomes of the RPC: header and send buffer belong to the request,
 * which the Send keeps; of pages with data the Send has a reference each.
 */

#include <linux/mm.h>

#include "xprt_rdma2_place.h"
#include <trace/events/rpcrdma.h>
#include <trace/events/rpcrdma2.h>

/*
 * Section: pages
 */

/**
 * xprt_rdma2_hold_page - keep a page until a Send is complete
 * @hold: where to note it
 * @page: the page
 *
 * A page of the slab allocator belongs to whoever allocated it, and a
 * reference does not change that; there are none among file data.
 */
static void xprt_rdma2_hold_page(struct xprt_rdma2_hold *hold,
				 struct page *page)
{
	if (PageSlab(page) || hold->ho_count == XPRT_RDMA2_MAX_HELD)
		return;
	get_page(page);
	hold->ho_pages[hold->ho_count++] = page;
}

/**
 * xprt_rdma2_hold_pages - keep pages until a Send is complete
 * @req: Call whose Send is prepared
 * @xdr: its pages
 *
 * The tail of a Call that is wrapped for privacy has a page of its own, which
 * goes with the RPC.
 */
static void xprt_rdma2_hold_pages(struct rpcrdma_req *req,
				  const struct xdr_buf *xdr)
{
	struct page **page = xdr->pages + (xdr->page_base >> PAGE_SHIFT);
	struct xprt_rdma2_hold *hold = req->rl_sendctx->sc_hold;
	unsigned int count;

	count = PAGE_ALIGN(offset_in_page(xdr->page_base) + xdr->page_len) >>
		PAGE_SHIFT;
	for (; count--; page++)
		xprt_rdma2_hold_page(hold, *page);
	if (xdr->tail[0].iov_len)
		xprt_rdma2_hold_page(hold, virt_to_page(xdr->tail[0].iov_base));
}

/**
 * xprt_rdma2_drop_pages - a Send is complete, or will not be posted
 * @hold: the pages it read from
 */
void xprt_rdma2_drop_pages(struct xprt_rdma2_hold *hold)
{
	while (hold->ho_count)
		put_page(hold->ho_pages[--hold->ho_count]);
}

/**
 * xprt_rdma2_hold_create - allocate what a send context notes its pages in
 *
 * Return: nothing held, or NULL if there is no memory
 */
struct xprt_rdma2_hold *xprt_rdma2_hold_create(void)
{
	return kzalloc(sizeof(struct xprt_rdma2_hold), XPRT_RDMA2_GFP);
}

/*
 * Section: the header
 */

/**
 * xprt_rdma2_header_size - how long buffers for headers have to be
 * @ep: connection on which version 2 was offered
 * @size: what version 1 needs, in bytes
 *
 * Return: length in bytes
 */
u32 xprt_rdma2_header_size(const struct rpcrdma_ep *ep, u32 size)
{
	const struct xprt_rdma2_place *vp = ep->re_v2->ve_place;

	size += RPCRDMA2_HDRLEN_MIN - RPCRDMA_HDRLEN_MIN;
	if (!vp)
		return size;
	size = max_t(u32, size, XPRT_RDMA2_FRONT);
	if (vp->vp_cont)
		size = max_t(u32, size, XPRT_RDMA2_FRONT +
			     (RPCRDMA2_MAX_XMTS - 1) * RPCRDMA2_CONT_SIZE);
	return size;
}

/**
 * xprt_rdma2_register - register data for explicit RDMA
 * @r_xprt: transport
 * @rqst: Call
 * @writing: the server is going to write to it
 * @pool: gets the segments
 *
 * Return: how many segments there are, or a negative errno
 */
static int xprt_rdma2_register(struct rpcrdma_xprt *r_xprt,
			       struct rpc_rqst *rqst, bool writing,
			       struct rpcrdma2_pool *pool)
{
	struct xdr_buf *xdr = writing ? &rqst->rq_rcv_buf : &rqst->rq_snd_buf;
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	struct rpcrdma_mr_seg *seg = req->rl_segments;
	struct rpcrdma_mr *mr;
	int nsegs, count = 0;

	nsegs = rpcrdma_convert_iovs(r_xprt, xdr, xdr->head[0].iov_len,
				     writing ? rpcrdma_writech : rpcrdma_readch,
				     seg);
	if (nsegs < 0)
		return nsegs;
	for (; nsegs; nsegs -= mr->mr_nents, count++) {
		if (pool->nsegs == RPCRDMA2_MAX_XMTSEGS)
			return -EMSGSIZE;
		seg = rpcrdma_mr_prepare(r_xprt, req, seg, nsegs, writing, &mr);
		if (IS_ERR(seg))
			return PTR_ERR(seg);
		pool->segs[pool->nsegs].handle = mr->mr_handle;
		pool->segs[pool->nsegs].length = mr->mr_length;
		pool->segs[pool->nsegs].offset = mr->mr_offset;
		pool->nsegs++;
	}
	return count;
}

/**
 * xprt_rdma2_put_write - describe the data of a Call
 * @r_xprt: transport
 * @rqst: Call
 * @vp: placement; its vp_xmt says how the data goes
 *
 * Return: 0 or a negative errno
 */
static int xprt_rdma2_put_write(struct rpcrdma_xprt *r_xprt,
				struct rpc_rqst *rqst,
				struct xprt_rdma2_place *vp)
{
	struct rpcrdma2_xmtreq *call = &vp->vp_call;
	struct rpcrdma2_mitem *item = &call->items[0];
	int count;

	item->disp = rqst->rq_snd_buf.head[0].iov_len;
	item->length = rqst->rq_snd_buf.page_len;
	item->type = vp->vp_xmt.write;
	call->nitems = 1;
	if (vp->vp_xmt.group)
		return rpcrdma2_plan_item(&vp->vp_xmt.plan, 0, item,
					  &call->pool) ? 0 : -EMSGSIZE;
	if (vp->vp_xmt.write == XMPTYPE_TBSN)
		return rpcrdma2_spot_item(&vp->vp_xmt.layout.spots[0], item,
					  &call->pool) ? 0 : -EMSGSIZE;

	item->first = call->pool.nsegs;
	count = xprt_rdma2_register(r_xprt, rqst, false, &call->pool);
	if (count < 0)
		return count;
	item->count = count;
	r_xprt->rx_stats.read_chunk_count += count;
	return 0;
}

/**
 * xprt_rdma2_put_set - add a set of directions with one item
 * @call: the Call's header
 * @begin: first byte of the request that it is about
 * @end: the byte behind the last one
 * @item: the item
 */
static void xprt_rdma2_put_set(struct rpcrdma2_xmtreq *call, u32 begin, u32 end,
			       const struct rpcrdma2_rsditem *item)
{
	struct rpcrdma2_rsdset *set = &call->sets[call->nsets++];

	set->begin = begin;
	set->end = end;
	set->first = call->nrsditems;
	set->count = 1;
	call->rsditems[call->nrsditems++] = *item;
}

/**
 * xprt_rdma2_put_ranges - say what part of the Call directions are about
 * @call: the Call's header
 * @item: the directions
 * @length: length of the RPC message, in bytes
 *
 * There is one data item in the reply, so that there is one set, and it is
 * about everything. The rest is for tests: sets may share memory that is
 * offered, since no server can use more than one of them for one item.
 * Serves P-32.
 */
static void xprt_rdma2_put_ranges(struct rpcrdma2_xmtreq *call,
				  const struct rpcrdma2_rsditem *item,
				  u32 length)
{
	u32 middle = round_down(length / 2, XDR_UNIT);

	switch (READ_ONCE(xprt_rdma2_read_ranges)) {
	case XPRT_RDMA2_RANGE_SPLIT:
		xprt_rdma2_put_set(call, 0, middle, item);
		xprt_rdma2_put_set(call, middle, length, item);
		break;
	case XPRT_RDMA2_RANGE_EMPTY:
		xprt_rdma2_put_set(call, middle, middle, item);
		break;
	default:
		xprt_rdma2_put_set(call, 0, length, item);
	}
}

/**
 * xprt_rdma2_put_read - describe how the data of the reply is to come
 * @r_xprt: transport
 * @rqst: Call
 * @vp: placement; its vp_xmt says which directions to give
 *
 * Return: 0 or a negative errno
 */
static int xprt_rdma2_put_read(struct rpcrdma_xprt *r_xprt,
			       struct rpc_rqst *rqst,
			       struct xprt_rdma2_place *vp)
{
	struct rpcrdma2_xmtreq *call = &vp->vp_call;
	struct rpcrdma2_rsditem item = {
		.minlen	= READ_ONCE(xprt_rdma2_read_minlen),
		.type	= vp->vp_xmt.read,
		.dsdov	= READ_ONCE(xprt_rdma2_read_dsdov),
		.first	= call->pool.nsegs,
	};
	u32 length = vp->vp_xmt.pslen;
	int count;

	if (vp->vp_xmt.write)
		length += xdr_align_size(rqst->rq_snd_buf.page_len);
	if (item.type != XMPTYPE_TBSN) {
		count = xprt_rdma2_register(r_xprt, rqst, true, &call->pool);
		if (count < 0)
			return count;
		item.count = count;
		r_xprt->rx_stats.write_chunk_count += count;
		r_xprt->rx_stats.total_rdma_request += rqst->rq_rcv_buf.page_len;
	}
	xprt_rdma2_put_ranges(call, &item, length);
	return 0;
}

/**
 * xprt_rdma2_encode_xmtreq - write the header of a Call
 * @r_xprt: transport
 * @rqst: Call
 * @vp: placement; its vp_xmt says how the Call goes
 *
 * Serves C-06, C-14, C-16.
 *
 * Return: length of the header in bytes, or a negative errno; memory may have
 * been registered either way
 */
static int xprt_rdma2_encode_xmtreq(struct rpcrdma_xprt *r_xprt,
				    struct rpc_rqst *rqst,
				    struct xprt_rdma2_place *vp)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	struct rpcrdma2_xmtreq *call = &vp->vp_call;
	struct rpcrdma2_hdr hdr = {
		.xid	= rqst->rq_xid,
		.credit	= be32_to_cpu(r_xprt->rx_buf.rb_max_requests),
		.dir	= RDMA2_CALL,
	};
	int ret = 0;

	call->nitems = 0;
	call->nsets = 0;
	call->nrsditems = 0;
	call->pool.nsegs = 0;
	call->pool.ntbsns = 0;
	call->count = vp->vp_xmt.group ? vp->vp_xmt.plan.nxmts : 1;
	call->rsbuf = vp->vp_xmt.rsbuf;
	call->pslen = vp->vp_xmt.group ? vp->vp_xmt.plan.xmts[0].pslen :
					 vp->vp_xmt.pslen;
	if (vp->vp_xmt.write)
		ret = xprt_rdma2_put_write(r_xprt, rqst, vp);
	if (!ret && vp->vp_xmt.read)
		ret = xprt_rdma2_put_read(r_xprt, rqst, vp);
	if (ret)
		return ret;
	return rpcrdma2_encode_xmtreq(rdmab_data(req->rl_rdmabuf),
				      rdmab_length(req->rl_rdmabuf), &hdr,
				      call);
}

/*
 * Section: a Send with placed data
 */

/**
 * xprt_rdma2_add_header - let a Send begin with what is in the header buffer
 * @req: Call
 * @length: how much of it, in bytes
 */
static void xprt_rdma2_add_header(struct rpcrdma_req *req, u32 length)
{
	struct ib_sge *sge = &req->rl_sendctx->sc_sges[req->rl_wr.num_sge++];
	struct rpcrdma_regbuf *rb = req->rl_rdmabuf;

	sge->addr = rdmab_addr(rb);
	sge->length = length;
	sge->lkey = rdmab_lkey(rb);
	ib_dma_sync_single_for_device(rdmab_device(rb), sge->addr, length,
				      DMA_TO_DEVICE);
}

/**
 * xprt_rdma2_add_front - let a Send begin with header, payload and zeros
 * @req: Call
 * @xdr: its RPC message
 * @start: where its data begins in the Send, in bytes
 *
 * Return: bytes of zeros that did not fit (S-01)
 */
static u32 xprt_rdma2_add_front(struct rpcrdma_req *req,
				const struct xdr_buf *xdr, u32 start)
{
	u32 tail = xprt_rdma2_tail_length(xdr);
	u32 length = min_t(u32, start, XPRT_RDMA2_FRONT);
	void *base = rdmab_data(req->rl_rdmabuf), *p;

	p = base + req->rl_hdrbuf.len;
	memcpy(p, xdr->head[0].iov_base, xdr->head[0].iov_len);
	p += xdr->head[0].iov_len;
	if (tail)
		memcpy(p, xdr->tail[0].iov_base + xdr->tail[0].iov_len - tail,
		       tail);
	p += tail;
	memset(p, 0, base + length - p);
	xprt_rdma2_add_header(req, length);
	return start - length;
}

/**
 * xprt_rdma2_add_zeros - go on with zeros
 * @req: Call
 * @vp: placement
 * @length: how many bytes, at most a page
 */
static void xprt_rdma2_add_zeros(struct rpcrdma_req *req,
				 const struct xprt_rdma2_place *vp, u32 length)
{
	struct ib_sge *sge;

	if (!length)
		return;
	sge = &req->rl_sendctx->sc_sges[req->rl_wr.num_sge++];
	sge->addr = vp->vp_zeros;
	sge->length = length;
	sge->lkey = rdmab_lkey(req->rl_rdmabuf);
}

/**
 * xprt_rdma2_add_piece - go on with pages that are neighbours in memory
 * @req: Call
 * @page: the first page
 * @offset: first byte
 * @length: how many bytes
 *
 * Return: false if the device cannot read from there
 */
static bool xprt_rdma2_add_piece(struct rpcrdma_req *req, struct page *page,
				 u32 offset, u32 length)
{
	struct ib_device *device = rdmab_device(req->rl_rdmabuf);
	struct rpcrdma_sendctx *sc = req->rl_sendctx;
	struct ib_sge *sge = &sc->sc_sges[req->rl_wr.num_sge];

	sge->addr = ib_dma_map_page(device, page, offset, length,
				    DMA_TO_DEVICE);
	if (ib_dma_mapping_error(device, sge->addr)) {
		trace_xprtrdma_dma_maperr(sge->addr);
		return false;
	}
	sge->length = length;
	sge->lkey = rdmab_lkey(req->rl_rdmabuf);
	req->rl_wr.num_sge++;
	sc->sc_unmap_count++;
	return true;
}

/**
 * xprt_rdma2_add_pages - go on with data as it is
 * @req: Call
 * @xdr: its RPC message; pieces were counted as in xprt_rdma2_fragments()
 *
 * Return: false if the device cannot read from there
 */
static bool xprt_rdma2_add_pages(struct rpcrdma_req *req,
				 const struct xdr_buf *xdr)
{
	struct page **page = xdr->pages + (xdr->page_base >> PAGE_SHIFT);
	u32 offset = offset_in_page(xdr->page_base), left = xdr->page_len;

	req->rl_sendctx->sc_unmap_first = req->rl_wr.num_sge;
	while (left) {
		struct page **first = page++;
		u32 length = min_t(u32, left, PAGE_SIZE - offset);

		for (; length < left && xprt_rdma2_adjacent(page - 1); page++)
			length += min_t(u32, left - length, PAGE_SIZE);
		if (!xprt_rdma2_add_piece(req, *first, offset, length))
			return false;
		left -= length;
		offset = 0;
	}
	xprt_rdma2_hold_pages(req, xdr);
	return true;
}

/**
 * xprt_rdma2_prepare_placed - prepare the Send of a Call whose data is placed
 * @r_xprt: transport
 * @req: Call, its header encoded
 * @xdr: its RPC message
 *
 * Return: 0 or a negative errno
 */
static int xprt_rdma2_prepare_placed(struct rpcrdma_xprt *r_xprt,
				     struct rpcrdma_req *req,
				     const struct xdr_buf *xdr)
{
	struct xprt_rdma2_place *vp = r_xprt->rx_ep->re_v2->ve_place;
	struct rpcrdma_sendctx *sc;
	u32 left;
	bool done;

	sc = rpcrdma_sendctx_begin(r_xprt, req);
	if (!sc)
		return -EAGAIN;
	left = xprt_rdma2_add_front(req, xdr,
				    vp->vp_xmt.layout.spots[0].span.offset);
	xprt_rdma2_add_zeros(req, vp, left);
	if (vp->vp_xmt.copy)
		done = xprt_rdma2_bounce(r_xprt, req, xdr, xdr->head[0].iov_len,
					 xdr->page_len, &vp->vp_xmt.copy);
	else
		done = xprt_rdma2_add_pages(req, xdr);
	if (!done) {
		rpcrdma_sendctx_cancel(sc);
		rpcrdma_sendctx_unget_locked(r_xprt, sc);
		return -ENOBUFS;
	}
	kref_get(&req->rl_kref);
	return 0;
}

/*
 * Section: any Send
 */

/**
 * xprt_rdma2_prepare_copy - prepare the Send of a Call that is copied
 * @r_xprt: transport
 * @req: Call, its header encoded
 * @xdr: its RPC message
 * @copy: what it is copied to; taken over
 *
 * Return: 0 or a negative errno
 */
static int xprt_rdma2_prepare_copy(struct rpcrdma_xprt *r_xprt,
				   struct rpcrdma_req *req,
				   const struct xdr_buf *xdr,
				   struct page **copy)
{
	struct rpcrdma_sendctx *sc = rpcrdma_sendctx_begin(r_xprt, req);

	if (!sc)
		return -EAGAIN;
	xprt_rdma2_add_header(req, req->rl_hdrbuf.len);
	if (!xprt_rdma2_bounce(r_xprt, req, xdr, 0, xdr->len, copy)) {
		rpcrdma_sendctx_cancel(sc);
		rpcrdma_sendctx_unget_locked(r_xprt, sc);
		return -EIO;
	}
	kref_get(&req->rl_kref);
	return 0;
}

/**
 * xprt_rdma2_prepare - prepare the Send of a Call whose data is not placed
 * @r_xprt: transport
 * @req: Call, its header encoded
 * @xdr: its RPC message
 * @rtype: what becomes of the arguments
 * @copy: what they are copied to, which is taken over; or NULL
 *
 * Context: the transport's send lock is held
 *
 * Return: 0 or a negative errno
 */
int xprt_rdma2_prepare(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req,
		       struct xdr_buf *xdr, enum rpcrdma_chunktype rtype,
		       struct page **copy)
{
	int ret;

	if (*copy)
		return xprt_rdma2_prepare_copy(r_xprt, req, xdr, copy);
	ret = rpcrdma_prepare_send_sges(r_xprt, req, req->rl_hdrbuf.len, xdr,
					rtype);
	if (!ret && rtype == rpcrdma_noch_mapped)
		xprt_rdma2_hold_pages(req, xdr);
	return ret;
}

/**
 * xprt_rdma2_count_xmtreq - count what a Call saved
 * @r_xprt: transport
 * @rqst: Call
 * @xmt: how it goes
 */
static void xprt_rdma2_count_xmtreq(struct rpcrdma_xprt *r_xprt,
				    const struct rpc_rqst *rqst,
				    const struct xprt_rdma2_xmt *xmt)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;

	rpcrdma2_count(conn, RPCRDMA2_CNT_XMTREQS);
	if (xmt->group && !xmt->write)
		rpcrdma2_count(conn, RPCRDMA2_CNT_REGS_AVOIDED);
	if (xmt->rsbuf > 1 && !xmt->read)
		rpcrdma2_count(conn, RPCRDMA2_CNT_REGS_AVOIDED);
	if (xmt->write == XMPTYPE_TBSN) {
		rpcrdma2_count_bytes(conn, RPCRDMA2_CNT_PLACED_SENT,
				     rqst->rq_snd_buf.page_len);
		rpcrdma2_count(conn, RPCRDMA2_CNT_REGS_AVOIDED);
	}
	if (xmt->read == XMPTYPE_TBSN)
		rpcrdma2_count(conn, RPCRDMA2_CNT_REGS_AVOIDED);
}

/**
 * xprt_rdma2_place_marshal - prepare the Send of a Call by ROPT_XMTREQ
 * @r_xprt: transport
 * @rqst: Call that xprt_rdma2_place_plan() was asked about
 *
 * The Send is signaled, so that it is known to be complete should the Call have
 * to be sent again.
 *
 * Context: the transport's send lock is held
 *
 * Return: 0, or a negative errno with the meaning it has for
 * rpcrdma_marshal_req(); memory may have been registered either way
 */
int xprt_rdma2_place_marshal(struct rpcrdma_xprt *r_xprt,
			     struct rpc_rqst *rqst)
{
	struct xprt_rdma2_place *vp = r_xprt->rx_ep->re_v2->ve_place;
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	struct xprt_rdma2_xmt *xmt = &vp->vp_xmt;
	int ret;

	ret = xprt_rdma2_encode_xmtreq(r_xprt, rqst, vp);
	if (ret < 0)
		goto out;
	rpcrdma_set_xdrlen(&req->rl_hdrbuf, ret);
	if (xmt->group)
		ret = xprt_rdma2_group_prepare(r_xprt, req, &rqst->rq_snd_buf);
	else if (xmt->write == XMPTYPE_TBSN)
		ret = xprt_rdma2_prepare_placed(r_xprt, req, &rqst->rq_snd_buf);
	else
		ret = xprt_rdma2_prepare(r_xprt, req, &rqst->rq_snd_buf,
					 xmt->rtype, &xmt->copy);
	if (ret)
		goto out;
	req->rl_sendctx->sc_signal = true;
	trace_xprtrdma_marshal(req, xmt->rtype, rpcrdma_noch);
	trace_rpcrdma2_xmtreq(&r_xprt->rx_v2.vx_conn, rqst->rq_xid,
			      &vp->vp_call, true);
	xprt_rdma2_count_xmtreq(r_xprt, rqst, xmt);
out:
	xprt_rdma2_bounce_put(&xmt->copy);
	if (xmt->group)
		xprt_rdma2_group_drop_copies(xmt);
	return ret;
}
