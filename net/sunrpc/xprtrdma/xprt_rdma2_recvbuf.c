// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: buffers for Receives.
 *
 * The length of Receives may change while a connection is in use. Each buffer
 * knows its own; it gets the one that is wanted before it is posted again.
 *
 * A buffer is one piece of memory, page-aligned if it is as long as a page, so
 * that a message is contiguous however long it is.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "xprt_rdma.h"

/**
 * xprt_rdma2_xch - characteristics of a connection
 * @ep: connection on which version 2 was offered
 *
 * Return: them; what they say of Receives is changed only before the
 * connection is made, and by the receive handler
 */
static struct rpcrdma2_xch *xprt_rdma2_xch(const struct rpcrdma_ep *ep)
{
	return &ep->re_v2->ve_conn->cn_xch;
}

/**
 * xprt_rdma2_recv_size - how long a new buffer has to be
 * @ep: connection on which version 2 was offered
 *
 * Return: length in bytes
 */
u32 xprt_rdma2_recv_size(const struct rpcrdma_ep *ep)
{
	return xprt_rdma2_xch(ep)->xc_recvq.rq_size;
}

/**
 * xprt_rdma2_recv_resize - get a buffer ready to be posted
 * @r_xprt: transport
 * @rep: buffer that is not in use
 *
 * Without memory the old one will do if it is as long as the server may rely
 * on it to be; a raise under way then takes a little longer.
 *
 * Context: connect worker before there is a connection, or receive handler
 *
 * Return: false if the buffer cannot be posted now
 */
bool xprt_rdma2_recv_resize(struct rpcrdma_xprt *r_xprt,
			    struct rpcrdma_rep *rep)
{
	struct rpcrdma2_xch *xch = xprt_rdma2_xch(r_xprt->rx_ep);
	u32 size = xch->xc_recvq.rq_size;

	if (rdmab_length(rep->rr_rdmabuf) != size &&
	    !rpcrdma_rep_realloc(r_xprt, rep, size) &&
	    rdmab_length(rep->rr_rdmabuf) < xch->xc_local.rbsiz)
		return false;
	xch->xc_recvq.rq_buffers +=
		rdmab_length(rep->rr_rdmabuf) - rep->rr_v2_counted;
	rep->rr_v2_counted = rdmab_length(rep->rr_rdmabuf);
	return true;
}

/**
 * xprt_rdma2_recv_post - a Receive is about to be posted
 * @ep: connection on which version 2 was offered
 * @rep: its buffer
 *
 * Context: as xprt_rdma2_recv_resize()
 */
void xprt_rdma2_recv_post(struct rpcrdma_ep *ep, struct rpcrdma_rep *rep)
{
	rpcrdma2_recvq_post(&xprt_rdma2_xch(ep)->xc_recvq,
			    rdmab_length(rep->rr_rdmabuf));
}

/**
 * xprt_rdma2_recv_consume - a posted Receive is finished
 * @ep: connection on which version 2 was offered
 * @rep: its buffer
 *
 * Context: receive handler
 */
void xprt_rdma2_recv_consume(struct rpcrdma_ep *ep, struct rpcrdma_rep *rep)
{
	rpcrdma2_recvq_consume(&xprt_rdma2_xch(ep)->xc_recvq,
			       rdmab_length(rep->rr_rdmabuf));
}
