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

static int rpcrdma_v1_post_send(struct rpcrdma_xprt *r_xprt,
				struct rpcrdma_req *req,
				const struct ib_send_wr *wr)
{
	return ib_post_send(r_xprt->rx_ep->re_id->qp, wr, NULL);
}

/**
 * rpcrdma_v1_decode_reply - fail a Call whose reply is of no known kind
 * @rep: the reply
 *
 * Return: -EIO
 */
int rpcrdma_v1_decode_reply(struct rpcrdma_rep *rep)
{
	return -EIO;
}

static void rpcrdma_v1_no_rep(struct rpcrdma_rep *rep)
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
	.hdr_size		= rpcrdma_v1_hdr_size,
	.rep_prepare		= rpcrdma_rep_resize,
	.receive		= rpcrdma_reply_handler,
	.marshal_req		= rpcrdma_marshal_req,
	.post_send		= rpcrdma_v1_post_send,
	.decode_reply		= rpcrdma_v1_decode_reply,
	.reply_done		= rpcrdma_v1_no_rep,
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

static bool rpcrdma_v1_recvs_prepare(struct rpcrdma_xprt *r_xprt)
{
	return true;
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
	.recvs_prepare		= rpcrdma_v1_recvs_prepare,
	.release		= rpcrdma_v1_no_rqst,
	.no_credit		= rpcrdma_v1_no_rqst,
	.bc_done		= rpcrdma_v1_no_bc,
	.rep_free		= rpcrdma_v1_no_rep,
};

const struct rpcrdma_offer_ops *rpcrdma_offer = &rpcrdma_v1_offer;
