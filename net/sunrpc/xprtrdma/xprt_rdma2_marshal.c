// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: Calls.
 *
 * Chunks are chosen, registered and encoded as in version 1; what differs is
 * the fixed part of the header and, through the thresholds of the connection,
 * how much goes inline.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "xprt_rdma.h"
#include "xprt_rdma2_place.h"
#include <trace/events/rpcrdma.h>

/**
 * struct xprt_rdma2_plan - how a Call is conveyed
 * @proc: RDMA2_MSG or RDMA2_NOMSG
 * @rtype: what becomes of the arguments
 * @wtype: what is provided for the results
 * @copy: what it is to be copied to before, or NULL
 */
struct xprt_rdma2_plan {
	u32			proc;
	enum rpcrdma_chunktype	rtype;
	enum rpcrdma_chunktype	wtype;
	struct page		*copy;
};

/**
 * xprt_rdma2_plan_results - choose how the results may come
 * @r_xprt: transport
 * @rqst: Call
 * @ddp: single data items may be placed
 *
 * Return: a kind of chunk, or rpcrdma_noch
 */
static enum rpcrdma_chunktype
xprt_rdma2_plan_results(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			bool ddp)
{
	if (rpcrdma_results_inline(r_xprt, rqst))
		return rpcrdma_noch;
	if (ddp && (rqst->rq_rcv_buf.flags & XDRBUF_READ) &&
	    rpcrdma_nonpayload_inline(r_xprt, rqst))
		return rpcrdma_writech;
	return rpcrdma_replych;
}

/**
 * xprt_rdma2_args_inline - choose how the arguments can go inline
 * @r_xprt: transport
 * @rqst: Call
 * @rtype: OUT: how, if they can
 * @copy: OUT: what the Call is to be copied to before, or NULL
 *
 * What the device cannot gather has to be copied.
 *
 * Return: false if they cannot
 */
bool xprt_rdma2_args_inline(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			    enum rpcrdma_chunktype *rtype, struct page **copy)
{
	struct rpcrdma_regbuf *sendbuf = rpcr_to_rdmar(rqst)->rl_sendbuf;
	unsigned int len = rqst->rq_snd_buf.len;

	*copy = NULL;
	if (len > READ_ONCE(r_xprt->rx_ep->re_max_inline_send))
		return false;
	*rtype = rpcrdma_noch_pullup;
	if (len < rdmab_length(sendbuf))
		return true;
	*rtype = rpcrdma_noch_mapped;
	if (rpcrdma_args_inline(r_xprt, rqst))
		return true;
	*copy = xprt_rdma2_bounce_get(r_xprt, len);
	return *copy;
}

/**
 * xprt_rdma2_plan_call - choose how a Call is conveyed
 * @r_xprt: transport
 * @rqst: Call
 * @plan: result
 *
 * Placement of single items would show what a GSS service protects, so it is
 * for flavors without such a service only.
 */
static void xprt_rdma2_plan_call(struct rpcrdma_xprt *r_xprt,
				 struct rpc_rqst *rqst,
				 struct xprt_rdma2_plan *plan)
{
	const struct xdr_buf *args = &rqst->rq_snd_buf;
	bool ddp = !test_bit(RPCAUTH_AUTH_DATATOUCH,
			     &rqst->rq_cred->cr_auth->au_flags);

	plan->proc = RDMA2_MSG;
	plan->wtype = xprt_rdma2_plan_results(r_xprt, rqst, ddp);
	if (xprt_rdma2_args_inline(r_xprt, rqst, &plan->rtype, &plan->copy))
		return;
	if (ddp && (args->flags & XDRBUF_WRITE)) {
		plan->rtype = rpcrdma_readch;
	} else {
		xprt_rdma2_want_inline(r_xprt, args->len);
		plan->rtype = rpcrdma_areadch;
		plan->proc = RDMA2_NOMSG;
		r_xprt->rx_stats.nomsg_call_count++;
	}
}

/**
 * xprt_rdma2_inv_handle - choose what the server may invalidate
 * @req: Call with its memory registered
 *
 * The write pad's memory region belongs to the connection, not to the Call,
 * and is never on this list.
 *
 * Return: a handle of the Call, or 0 if it has none (B-31..B-34)
 */
static u32 xprt_rdma2_inv_handle(struct rpcrdma_req *req)
{
	struct rpcrdma_mr *mr;

	mr = list_first_entry_or_null(&req->rl_registered, struct rpcrdma_mr,
				      mr_list);
	return mr ? mr->mr_handle : 0;
}

/**
 * xprt_rdma2_encode_call - encode the transport header of a Call
 * @r_xprt: transport
 * @rqst: Call
 * @plan: how it is conveyed
 *
 * Return: 0 or a negative errno; memory may have been registered either way
 */
static int xprt_rdma2_encode_call(struct rpcrdma_xprt *r_xprt,
				  struct rpc_rqst *rqst,
				  const struct xprt_rdma2_plan *plan)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	struct rpcrdma2_hdr hdr = {
		.xid	= rqst->rq_xid,
		.credit	= be32_to_cpu(r_xprt->rx_buf.rb_max_requests),
		.dir	= RDMA2_CALL,
	};
	__be32 *prefix;
	int ret;

	rpcrdma_set_xdrlen(&req->rl_hdrbuf, 0);
	xdr_init_encode(&req->rl_stream, &req->rl_hdrbuf,
			rdmab_data(req->rl_rdmabuf), rqst);
	prefix = xdr_reserve_space(&req->rl_stream, RPCRDMA2_PREFIX_SIZE);
	if (!prefix)
		return -EMSGSIZE;

	ret = rpcrdma_encode_read_list(r_xprt, req, rqst, plan->rtype);
	if (ret)
		return ret;
	ret = rpcrdma_encode_write_list(r_xprt, req, rqst, plan->wtype);
	if (ret)
		return ret;
	ret = rpcrdma_encode_reply_chunk(r_xprt, req, rqst, plan->wtype);
	if (ret)
		return ret;

	rpcrdma2_encode_prefix(prefix, &hdr, plan->proc,
			       xprt_rdma2_inv_handle(req));
	return 0;
}

/**
 * xprt_rdma2_begin - take a Call back from the receive handler
 * @rqst: Call about to be marshalled, perhaps not for the first time
 *
 * From here until the Call is posted no message can be about it.
 *
 * Return: false if the receive handler is busy with it
 */
static bool xprt_rdma2_begin(struct rpc_rqst *rqst)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	struct rpc_xprt *xprt = rqst->rq_xprt;
	bool idle;

	spin_lock(&xprt->queue_lock);
	/* xprt_transmit() pins what it sends, and so does the handler. */
	idle = atomic_read(&rqst->rq_pin) <= 1;
	if (idle) {
		req->rl_posted = false;
		req->rl_v2_xid = rqst->rq_xid;
	}
	spin_unlock(&xprt->queue_lock);
	return idle;
}

/**
 * xprt_rdma2_marshal_plain - prepare the Send of a Call by RDMA2_MSG or NOMSG
 * @r_xprt: transport
 * @rqst: Call
 *
 * Return: 0 or a negative errno; memory may have been registered either way
 */
static int xprt_rdma2_marshal_plain(struct rpcrdma_xprt *r_xprt,
				    struct rpc_rqst *rqst)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	struct xprt_rdma2_plan plan;
	int ret;

	xprt_rdma2_plan_call(r_xprt, rqst, &plan);
	ret = xprt_rdma2_encode_call(r_xprt, rqst, &plan);
	if (!ret)
		ret = xprt_rdma2_prepare(r_xprt, req, &rqst->rq_snd_buf,
					 plan.rtype, &plan.copy);
	xprt_rdma2_bounce_put(&plan.copy);
	if (ret)
		return ret;
	trace_xprtrdma_marshal(req, plan.rtype, plan.wtype);
	return 0;
}

/**
 * xprt_rdma2_unsent - what to do about a Call whose first Send is not complete
 * @rqst: Call about to be marshalled again
 *
 * One that the server has refused was signaled, so that it soon will be; the
 * queue goes on then. Any other costs the connection, as it does when its Send
 * is complete: it might never be, since nothing is sent as long as this Call is
 * first in the queue.
 *
 * Return: a negative errno with the meaning it has for rpcrdma_marshal_req()
 */
static int xprt_rdma2_unsent(const struct rpc_rqst *rqst)
{
	struct rpc_xprt *xprt = rqst->rq_xprt;

	if (rqst->rq_connect_cookie == xprt->connect_cookie)
		return -ENOTCONN;
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
 * xprt_rdma2_marshal_req - prepare the Send of a Call
 * @r_xprt: transport
 * @rqst: Call
 *
 * Context: the transport's send lock is held
 *
 * Return: 0, or a negative errno with the meaning it has for
 * rpcrdma_marshal_req()
 */
int xprt_rdma2_marshal_req(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	int ret;

	if (!xprt_rdma2_begin(rqst))
		return -EAGAIN;
	if (unlikely(req->rl_sendctx))
		return xprt_rdma2_unsent(rqst);
	xprt_rdma2_begin_send(r_xprt);
	req->rl_v2_epoch = rpcrdma2_conn_epoch(&r_xprt->rx_v2.vx_conn);
	if (rqst->rq_rcv_buf.flags & XDRBUF_SPARSE_PAGES) {
		ret = rpcrdma_alloc_sparse_pages(&rqst->rq_rcv_buf);
		if (ret)
			goto out_end;
	}

	xprt_rdma2_loan_begin(r_xprt, req);
	req->rl_v2_xmt = xprt_rdma2_place_plan(r_xprt, rqst);
	ret = req->rl_v2_xmt ? xprt_rdma2_place_marshal(r_xprt, rqst) :
			       xprt_rdma2_marshal_plain(r_xprt, rqst);
	if (ret)
		goto out_err;
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_CALLS_SENT);
	return 0;

out_err:
	trace_xprtrdma_marshal_failed(rqst, ret);
	r_xprt->rx_stats.failed_marshal_count++;
	xprt_rdma2_loan_undo(r_xprt, req);
	frwr_reset(req);
out_end:
	xprt_rdma2_end_send(r_xprt->rx_ep);
	return ret;
}
