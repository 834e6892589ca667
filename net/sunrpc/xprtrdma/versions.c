// SPDX-License-Identifier: GPL-2.0
/*
 * Client: what depends on the version of RPC-over-RDMA, as version 1 does it.
 *
 * These are the tables of a connection of version 1, and of a module that knows
 * no other. A function that is here does what upstream's files would do in its
 * place, or nothing.
 */

#include "xprt_rdma.h"

/*
 * Section: a connection
 */

static u32 rpcrdma_v1_hdr_size(const struct rpcrdma_ep *ep, u32 size)
{
	return size;
}

static struct rpcrdma_rep *rpcrdma_v1_rep_get(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma_rep *rep = rpcrdma_rep_get_locked(&r_xprt->rx_buf);

	return rep ?: rpcrdma_rep_create(r_xprt, r_xprt->rx_ep->re_inline_recv);
}

static bool rpcrdma_v1_rep_prepare(struct rpcrdma_xprt *r_xprt,
				   struct rpcrdma_rep *rep)
{
	struct rpcrdma_regbuf *rb = rep->rr_rdmabuf;
	size_t size = r_xprt->rx_ep->re_inline_recv;

	/* SGEs of its own may be more than the connection has. */
	if (likely(rdmab_length(rb) >= size &&
		   rep->rr_recv_wr.sg_list == &rb->rg_iov))
		return true;
	return rpcrdma_rep_realloc(r_xprt, rep, size);
}

/**
 * rpcrdma_rep_map - have the device know the buffer of a Receive
 * @r_xprt: transport
 * @rep: a Receive that is not in use, its buffer in one piece
 *
 * Return: true if it does
 */
bool rpcrdma_rep_map(struct rpcrdma_xprt *r_xprt, struct rpcrdma_rep *rep)
{
	return rpcrdma_regbuf_dma_map(r_xprt, rep->rr_rdmabuf);
}

static int rpcrdma_v1_post_send(struct rpcrdma_xprt *r_xprt,
				struct rpcrdma_req *req,
				const struct ib_send_wr *wr)
{
	return ib_post_send(r_xprt->rx_ep->re_id->qp, wr, NULL);
}

static void rpcrdma_v1_reply_done(struct rpcrdma_rep *rep)
{
}

static void rpcrdma_v1_lost(struct rpcrdma_ep *ep, bool here)
{
}

static void rpcrdma_v1_nothing(struct rpcrdma_ep *ep)
{
}

const struct rpcrdma_version_ops rpcrdma_v1_ops = {
	.hdrlen			= RPCRDMA_HDRLEN_MIN,
	.bc_maxmsg		= PAGE_SIZE,
	.hdr_size		= rpcrdma_v1_hdr_size,
	.rep_get		= rpcrdma_v1_rep_get,
	.rep_prepare		= rpcrdma_v1_rep_prepare,
	.receive		= rpcrdma_reply_handler,
	.marshal_req		= rpcrdma_marshal_req,
	.post_send		= rpcrdma_v1_post_send,
	.decode_reply		= rpcrdma_decode_reply,
	.reply_done		= rpcrdma_v1_reply_done,
#if defined(CONFIG_SUNRPC_BACKCHANNEL)
	.bc_marshal_reply	= rpcrdma_bc_marshal_reply,
#endif
	.lost			= rpcrdma_v1_lost,
	.quiesce		= rpcrdma_v1_nothing,
	.drained		= rpcrdma_v1_nothing,
	.ep_destroy		= rpcrdma_v1_nothing,
};

/*
 * Section: before there is a connection, and beside it
 */

static void rpcrdma_v1_no_transport(struct rpcrdma_xprt *r_xprt)
{
}

static void rpcrdma_v1_no_ep(struct rpcrdma_xprt *r_xprt, struct rpcrdma_ep *ep)
{
}

static void rpcrdma_v1_no_rqst(struct rpc_rqst *rqst)
{
}

static void rpcrdma_v1_no_bc(struct rpcrdma_xprt *r_xprt,
			     struct rpcrdma_req *req, bool stale)
{
}

static const struct rpcrdma_offer_ops rpcrdma_v1_offer = {
	.init			= rpcrdma_v1_no_transport,
	.destroy		= rpcrdma_v1_no_transport,
	.connect		= rpcrdma_xprt_connect,
	.ep_create		= rpcrdma_v1_no_ep,
	.recvs_prepare		= rpcrdma_v1_no_transport,
	.release		= rpcrdma_v1_no_rqst,
	.no_credit		= rpcrdma_v1_no_rqst,
	.bc_done		= rpcrdma_v1_no_bc,
};

const struct rpcrdma_offer_ops *rpcrdma_offer = &rpcrdma_v1_offer;
