// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: Calls.
 *
 * Of RDMA2_MSG and RDMA2_NOMSG, chunks are chosen, registered and encoded as in
 * version 1; what differs is the fixed part of the header and, through the
 * thresholds of the connection, how much goes inline. Which Calls go by
 * ROPT_XMTREQ, and how, says clnt_plan.c.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "clnt_place.h"
#include <trace/events/rpcrdma.h>
#include <trace/events/rpcrdma2.h>

/* Choose how the results may come. @ddp: single data items may be placed. Returns a
 * kind of chunk, or rpcrdma_noch.
 */
static enum rpcrdma_chunktype
xprt_rdma2_choose_wtype(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			bool ddp)
{
	const struct xdr_buf *res = &rqst->rq_rcv_buf;

	if (xprt_rdma2_results_inline(r_xprt, res->buflen))
		return rpcrdma_noch;
	if (ddp && (res->flags & XDRBUF_READ) &&
	    xprt_rdma2_results_inline(r_xprt, res->head[0].iov_len +
					      res->tail[0].iov_len))
		return rpcrdma_writech;
	return rpcrdma_replych;
}

/* Choose how a Call is conveyed. @out: OUT: how it goes. Placement of single items
 * would show what a GSS service protects, so it is for flavors without such a
 * service only.
 */
static void xprt_rdma2_plan_msg(struct rpcrdma_xprt *r_xprt,
				struct rpc_rqst *rqst,
				struct xprt_rdma2_out *out)
{
	const struct xdr_buf *args = &rqst->rq_snd_buf;
	bool ddp = !test_bit(RPCAUTH_AUTH_DATATOUCH,
			     &rqst->rq_cred->cr_auth->au_flags);

	out->write = 0;
	out->proc = RDMA2_MSG;
	out->wtype = xprt_rdma2_choose_wtype(r_xprt, rqst, ddp);
	if (xprt_rdma2_args_inline(r_xprt, rqst, RPCRDMA2_HDRLEN_MIN, out))
		return;
	if (ddp && (args->flags & XDRBUF_WRITE)) {
		out->rtype = rpcrdma_readch;
	} else {
		xprt_rdma2_want_inline(r_xprt, args->len);
		out->rtype = rpcrdma_areadch;
		out->proc = RDMA2_NOMSG;
		r_xprt->rx_stats.nomsg_call_count++;
	}
}

/* Write the header of a Call with chunks. @hdr: first fields. Returns 0 or a
 * negative errno; memory may have been registered either way.
 */
static int xprt_rdma2_encode_lists(struct rpcrdma_xprt *r_xprt,
				   struct rpc_rqst *rqst,
				   const struct rpcrdma2_hdr *hdr,
				   const struct xprt_rdma2_out *out)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	struct rpcrdma_mr *mr;
	__be32 *prefix;
	int ret;

	rpcrdma_set_xdrlen(&req->rl_hdrbuf, 0);
	xdr_init_encode(&req->rl_stream, &req->rl_hdrbuf,
			rdmab_data(req->rl_rdmabuf), rqst);
	prefix = xdr_reserve_space(&req->rl_stream, RPCRDMA2_PREFIX_SIZE);
	if (!prefix)
		return -EMSGSIZE;

	ret = rpcrdma_encode_read_list(r_xprt, req, rqst, out->rtype);
	if (ret)
		return ret;
	ret = rpcrdma_encode_write_list(r_xprt, req, rqst, out->wtype);
	if (ret)
		return ret;
	ret = rpcrdma_encode_reply_chunk(r_xprt, req, rqst, out->wtype);
	if (ret)
		return ret;

	/* The server may invalidate what is registered for the Call (B-31..B-34). The write
	 * pad's memory region belongs to the connection, and is never on this list.
	 */
	mr = list_first_entry_or_null(&req->rl_registered, struct rpcrdma_mr,
				      mr_list);
	rpcrdma2_encode_prefix(prefix, hdr, out->proc, mr ? mr->mr_handle : 0);
	return 0;
}

/* Are there chunks in the header of a Call? @out: how it goes, which is not by
 * ROPT_XMTREQ. Returns false if all of it is inline, and its results will be, too.
 */
static bool xprt_rdma2_offers_chunks(const struct xprt_rdma2_out *out)
{
	return out->wtype != rpcrdma_noch ||
	       (out->rtype != rpcrdma_noch_pullup &&
		out->rtype != rpcrdma_noch_mapped);
}

/* Write the header of a Call by RDMA2_MSG or NOMSG. Returns 0 or a negative errno;
 * memory may have been registered either way.
 */
static int xprt_rdma2_encode_call(struct rpcrdma_xprt *r_xprt,
				  struct rpc_rqst *rqst,
				  const struct xprt_rdma2_out *out)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	struct rpcrdma2_hdr hdr = {
		.xid	= rqst->rq_xid,
		.credit	= be32_to_cpu(r_xprt->rx_buf.rb_max_requests),
		.dir	= RDMA2_CALL,
	};

	if (xprt_rdma2_offers_chunks(out))
		return xprt_rdma2_encode_lists(r_xprt, rqst, &hdr, out);
	rpcrdma2_encode_bare_msg(rdmab_data(req->rl_rdmabuf), &hdr);
	rpcrdma_set_xdrlen(&req->rl_hdrbuf, RPCRDMA2_HDRLEN_MIN);
	return 0;
}

/* Take a Call back from the receive handler. @rqst: Call about to be marshalled,
 * perhaps not for the first time. From here until the Call is posted no message can
 * be about it. Returns false if the receive handler is busy with it.
 */
static bool xprt_rdma2_take_back(struct rpc_rqst *rqst)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	struct rpc_xprt *xprt = rqst->rq_xprt;
	bool idle;

	/* Only the sender has messages be about a Call. Pairs with the release in
	 * xprt_rdma2_mark_answered(): the last one that was is seen to be pinning it.
	 * xprt_transmit() pins what it sends, too.
	 */
	if (!smp_load_acquire(&req->rl_v2.vq_posted) &&
	    atomic_read(&rqst->rq_pin) <= 1) {
		req->rl_v2.vq_xid = rqst->rq_xid;
		return true;
	}
	spin_lock(&xprt->queue_lock);
	idle = atomic_read(&rqst->rq_pin) <= 1;
	if (idle) {
		req->rl_v2.vq_posted = false;
		req->rl_v2.vq_xid = rqst->rq_xid;
	}
	spin_unlock(&xprt->queue_lock);
	return idle;
}

/* Section: by ROPT_XMTREQ */

/* Describe the data of a Call. @out: how the data goes. Returns 0 or a negative
 * errno.
 */
static int xprt_rdma2_put_write(struct rpcrdma_xprt *r_xprt,
				struct rpc_rqst *rqst,
				struct xprt_rdma2_out *out)
{
	struct rpcrdma2_xmtreq *call = &out->hdr;
	struct rpcrdma2_mitem *item = &call->items[0];

	item->disp = rqst->rq_snd_buf.head[0].iov_len;
	item->length = rqst->rq_snd_buf.page_len;
	item->type = out->write;
	call->nitems = 1;
	if (out->write != XMPTYPE_TBSN)
		return xprt_rdma2_directions->put_write(r_xprt, rqst, out);
	return rpcrdma2_plan_item(&out->plan, 0, item, &call->pool) ? 0 :
								       -EMSGSIZE;
}

/**
 * xprt_rdma2_put_set - add a set of directions with one item
 * @call: the Call's header
 * @begin: first byte of the request that it is about
 * @end: the byte behind the last one
 * @item: the item
 */
void xprt_rdma2_put_set(struct rpcrdma2_xmtreq *call, u32 begin, u32 end,
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
 * xprt_rdma2_length - how long is a Call, with its data?
 * @rqst: Call
 * @out: how it goes
 *
 * Return: length of the RPC message, in bytes
 */
u32 xprt_rdma2_length(const struct rpc_rqst *rqst, const struct xprt_rdma2_out *out)
{
	if (!out->write)
		return out->pslen;
	return out->pslen + xdr_align_size(rqst->rq_snd_buf.page_len);
}

/* Describe how the data of the reply is to come. @out: which directions to give.
 * There is one data item in the reply, so that there is one set, and it is about
 * everything. Returns 0 or a negative errno.
 */
static int xprt_rdma2_put_read(struct rpcrdma_xprt *r_xprt,
			       struct rpc_rqst *rqst,
			       struct xprt_rdma2_out *out)
{
	const struct rpcrdma2_rsditem item = {
		.minlen	= XPRT_RDMA2_MINLEN,
		.type	= XMPTYPE_TBSN,
	};

	if (xprt_rdma2_directions)
		return xprt_rdma2_directions->put_read(r_xprt, rqst, out);
	xprt_rdma2_put_set(&out->hdr, 0, xprt_rdma2_length(rqst, out), &item);
	return 0;
}

/* Write the header of a Call. Returns 0 or a negative errno; memory may have been
 * registered either way.
 */
static int xprt_rdma2_encode_xmtreq(struct rpcrdma_xprt *r_xprt,
				    struct rpc_rqst *rqst,
				    struct xprt_rdma2_out *out)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	struct rpcrdma2_xmtreq *call = &out->hdr;
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
	call->count = out->plan.nxmts;
	call->rsbuf = out->rsbuf;
	call->pslen = out->plan.xmts[0].pslen;
	if (out->write)
		ret = xprt_rdma2_put_write(r_xprt, rqst, out);
	if (!ret && out->read)
		ret = xprt_rdma2_put_read(r_xprt, rqst, out);
	if (ret)
		return ret;
	ret = rpcrdma2_encode_xmtreq(rdmab_data(req->rl_rdmabuf),
				     rdmab_length(req->rl_rdmabuf), &hdr, call);
	if (ret < 0)
		return ret;
	rpcrdma_set_xdrlen(&req->rl_hdrbuf, ret);
	return 0;
}

/* Count what a Call saved. */
static void xprt_rdma2_count_xmtreq(struct rpcrdma_xprt *r_xprt,
				    const struct rpc_rqst *rqst,
				    const struct xprt_rdma2_out *out)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	u32 count = out->plan.nxmts;

	rpcrdma2_count(conn, RPCRDMA2_CNT_XMTREQS);
	if (count > 1) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_GROUPS_SENT);
		rpcrdma2_count_bytes(conn, RPCRDMA2_CNT_XMTCONTS_SENT, count - 1);
		trace_rpcrdma2_group_sent(conn, rqst->rq_xid, RDMA2_CALL, count,
					  count);
	}
	if (count > 1 && !out->write)
		rpcrdma2_count(conn, RPCRDMA2_CNT_REGS_AVOIDED);
	if (out->rsbuf > 1 && !out->read)
		rpcrdma2_count(conn, RPCRDMA2_CNT_REGS_AVOIDED);
	if (out->write == XMPTYPE_TBSN) {
		rpcrdma2_count_bytes(conn, RPCRDMA2_CNT_PLACED_SENT,
				     rqst->rq_snd_buf.page_len);
		rpcrdma2_count(conn, RPCRDMA2_CNT_REGS_AVOIDED);
	}
	if (out->read == XMPTYPE_TBSN)
		rpcrdma2_count(conn, RPCRDMA2_CNT_REGS_AVOIDED);
}

/* Note that a Call is ready to be posted. */
static void xprt_rdma2_prepared(struct rpcrdma_xprt *r_xprt,
				struct rpc_rqst *rqst,
				const struct xprt_rdma2_out *out)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);

	trace_xprtrdma_marshal(req, out->rtype, out->wtype);
	rpcrdma2_count(conn, RPCRDMA2_CNT_CALLS_SENT);
	xprt_rdma2_memory_called(r_xprt, rqst, !req->rl_v2.vq_by_xmtreq &&
				 out->wtype != rpcrdma_noch);
	if (!req->rl_v2.vq_by_xmtreq)
		return;
	trace_rpcrdma2_xmtreq(conn, rqst->rq_xid, &out->hdr, true);
	xprt_rdma2_count_xmtreq(r_xprt, rqst, out);
}

/* Prepare the Sends of a Call. @out: how it goes; its header is encoded. Returns 0 or a
 * negative errno.
 */
static int xprt_rdma2_put_sends(struct rpcrdma_xprt *r_xprt,
				struct rpcrdma_req *req,
				struct xprt_rdma2_out *out)
{
	struct xdr_buf *xdr = &req->rl_slot.rq_snd_buf;
	int ret = -EMSGSIZE;

	if (out->rtype == rpcrdma_noch_mapped)
		return xprt_rdma2_send_prepare(r_xprt, req, out);
	if (out->rtype == rpcrdma_noch_pullup)
		ret = xprt_rdma2_send_short(r_xprt, req, xdr);
	if (ret != -EMSGSIZE)
		return ret;
	return rpcrdma_prepare_send_sges(r_xprt, req, req->rl_hdrbuf.len, xdr,
					 out->rtype);
}

/* Put a Call together. @out: gets how it goes. Returns 0 or a negative errno; memory
 * may have been registered either way.
 */
static int xprt_rdma2_marshal(struct rpcrdma_xprt *r_xprt,
			      struct rpc_rqst *rqst, struct xprt_rdma2_out *out)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	int ret;

	req->rl_v2.vq_by_xmtreq = false;
	if (!xprt_rdma2_plan_short(r_xprt, rqst, out)) {
		req->rl_v2.vq_by_xmtreq = xprt_rdma2_place_plan(r_xprt, rqst, out);
		if (!req->rl_v2.vq_by_xmtreq)
			xprt_rdma2_plan_msg(r_xprt, rqst, out);
	}
	ret = req->rl_v2.vq_by_xmtreq ? xprt_rdma2_encode_xmtreq(r_xprt, rqst, out) :
					xprt_rdma2_encode_call(r_xprt, rqst, out);
	if (!ret)
		ret = xprt_rdma2_put_sends(r_xprt, req, out);
	if (!ret)
		xprt_rdma2_prepared(r_xprt, rqst, out);
	else if (out->rtype == rpcrdma_noch_mapped)
		xprt_rdma2_send_uncopy(out);
	return ret;
}

/* What to do about a Call whose first Send is not complete. @rqst: Call about to be
 * marshalled again. The server has refused it: any other that was sent over this
 * connection has cost the connection. It was signaled, so that it soon will be
 * complete; the queue goes on then. Returns a negative errno with the meaning it has
 * for rpcrdma_marshal_req().
 */
static int xprt_rdma2_still_sending(const struct rpc_rqst *rqst)
{
	struct rpc_xprt *xprt = rqst->rq_xprt;

	xprt_wait_for_buffer_space(xprt);

	/* ORDER: XPRT_WRITE_SPACE before rl_sendctx is looked at. Pairs with
	 * the barrier in rpcrdma_sendctx_put_locked().
	 */
	smp_mb__after_atomic();
	if (!READ_ONCE(rpcr_to_rdmar(rqst)->rl_sendctx))
		xprt_write_space(xprt);
	return -EAGAIN;
}

/**
 * xprt_rdma2_call_prepare - prepare the Send of a Call
 * @r_xprt: transport
 * @rqst: Call
 *
 * Context: the transport's send lock is held
 * Return: 0, or a negative errno with the meaning it has for
 * rpcrdma_marshal_req()
 */
int xprt_rdma2_call_prepare(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	int ret;

	if (!xprt_rdma2_take_back(rqst))
		return -EAGAIN;
	if (unlikely(req->rl_sendctx))
		return xprt_rdma2_still_sending(rqst);
	xprt_rdma2_begin_send(r_xprt);
	req->rl_v2.vq_epoch = rpcrdma2_conn_epoch(&r_xprt->rx_v2.vx_conn);
	if (rqst->rq_rcv_buf.flags & XDRBUF_SPARSE_PAGES) {
		ret = rpcrdma_alloc_sparse_pages(&rqst->rq_rcv_buf);
		if (ret)
			goto out_end;
	}

	xprt_rdma2_reservation_begin(r_xprt, req);
	ret = xprt_rdma2_marshal(r_xprt, rqst, r_xprt->rx_ep->re_v2->ve_out);
	if (!ret)
		return 0;

	trace_xprtrdma_marshal_failed(rqst, ret);
	r_xprt->rx_stats.failed_marshal_count++;
	xprt_rdma2_reservation_undo(r_xprt, req);
	frwr_reset(req);
out_end:
	xprt_rdma2_end_send(r_xprt->rx_ep);
	return ret;
}
