// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: buffers for Receives.
 *
 * A buffer is contiguous, so that a message is, however long it is. One that data can be
 * placed in is a block with a head segment and pages; any other is one piece of memory.
 *
 * Where memory does not follow use (clnt_posted.c), buffers are of the second kind, and
 * made as they are needed. Their length may change while a connection is in use. Each
 * knows its own; it gets the one that is wanted before it is posted again.
 */

#include <linux/mm.h>

#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "clnt_place.h"
#include "memory.h"

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
 * xprt_rdma2_rep_set_block - let a buffer be a block
 * @rep: buffer that is not in use
 * @block: its new memory, which belongs to @rep from now on
 */
void xprt_rdma2_rep_set_block(struct rpcrdma_rep *rep,
			      struct rpcrdma2_recvblock *block)
{
	struct rpcrdma_regbuf *rb = rep->rr_rdmabuf;

	rpcrdma_regbuf_free_data(rb);
	rb->rg_block = block;
	rb->rg_data = block->rb_buf;
	rb->rg_iov.length = block->rb_length;

	xdr_buf_init(&rep->rr_hdrbuf, rdmab_data(rb), rdmab_length(rb));
	rep->rr_recv_wr.sg_list = block->rb_sges;
	rep->rr_recv_wr.num_sge = block->rb_nsges;
}

/**
 * xprt_rdma2_rep_bytes - how much memory a buffer takes
 * @rep: buffer
 *
 * Return: a length in bytes
 */
u32 xprt_rdma2_rep_bytes(const struct rpcrdma_rep *rep)
{
	const struct rpcrdma2_recvblock *block = xprt_rdma2_rep_block(rep);

	return block ? block->rb_npages << PAGE_SHIFT :
		       rdmab_length(rep->rr_rdmabuf);
}

/**
 * xprt_rdma2_rep_count - account for the memory of a buffer
 * @r_xprt: transport
 * @rep: buffer
 * @bytes: how much it takes from now on
 *
 * Context: as the one who takes buffers off rb_free_reps
 */
void xprt_rdma2_rep_count(struct rpcrdma_xprt *r_xprt, struct rpcrdma_rep *rep,
			  u32 bytes)
{
	struct rpcrdma2_recvq *rq = &r_xprt->rx_v2.vx_conn.cn_xch.xc_recvq;

	rq->rq_buffers += bytes - rep->rr_v2_counted;
	rep->rr_v2_counted = bytes;
}

/**
 * xprt_rdma2_rep_map - have the device own a buffer
 * @r_xprt: transport
 * @rep: buffer that is not in use
 *
 * The CPU writes to no block.
 *
 * Return: false if there is no memory to map it
 */
bool xprt_rdma2_rep_map(struct rpcrdma_xprt *r_xprt, struct rpcrdma_rep *rep)
{
	struct rpcrdma2_recvblock *block = xprt_rdma2_rep_block(rep);
	struct rpcrdma_ep *ep = r_xprt->rx_ep;

	if (!block)
		return rpcrdma_rep_map(r_xprt, rep);
	if (!rpcrdma_regbuf_is_mapped(rep->rr_rdmabuf) &&
	    !rpcrdma2_recvblock_map(block, ep->re_pd))
		return false;
	rep->rr_rdmabuf->rg_device = ep->re_id->device;
	return true;
}

/* Free a buffer that is not in use. */
static void xprt_rdma2_rep_discard(struct rpcrdma_xprt *r_xprt,
				   struct rpcrdma_rep *rep)
{
	xprt_rdma2_rep_count(r_xprt, rep, 0);
	rpcrdma_rep_destroy(&r_xprt->rx_buf, rep);
}

/**
 * xprt_rdma2_rep_get - find or make a buffer for a Receive
 * @r_xprt: transport
 *
 * Context: as xprt_rdma2_rep_prepare()
 *
 * Return: the buffer, or NULL if there is none, and no memory for another, or if
 * Receives are posted elsewhere
 */
struct rpcrdma_rep *xprt_rdma2_rep_get(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma_rep *rep;

	if (xprt_rdma2_memory(r_xprt))
		return NULL;
	while ((rep = rpcrdma_rep_get_locked(&r_xprt->rx_buf)) != NULL) {
		if (!xprt_rdma2_rep_block(rep))
			return rep;
		xprt_rdma2_rep_discard(r_xprt, rep);
	}
	return rpcrdma_rep_create(r_xprt,
				  xprt_rdma2_xch(r_xprt->rx_ep)->xc_recvq.rq_size);
}

/**
 * xprt_rdma2_recvs_prune - free buffers that are of no use to another connection
 * @r_xprt: transport without Receives
 *
 * Where memory follows use, it goes with the connection.
 *
 * Context: nobody else takes buffers off rb_free_reps
 */
void xprt_rdma2_recvs_prune(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma_buffer *buf = &r_xprt->rx_buf;
	struct llist_node *all = llist_del_all(&buf->rb_free_reps);
	bool follows = xprt_rdma2_memory(r_xprt);
	struct rpcrdma_rep *rep, *next;

	llist_for_each_entry_safe(rep, next, all, rr_node) {
		if (follows || xprt_rdma2_rep_block(rep))
			xprt_rdma2_rep_discard(r_xprt, rep);
		else
			llist_add(&rep->rr_node, &buf->rb_free_reps);
	}
}

/**
 * xprt_rdma2_rep_resize - give a buffer the memory that is wanted
 * @r_xprt: transport
 * @rep: buffer that is not in use
 *
 * Without memory the old one will do if it is as long as the server may rely
 * on it to be; a raise under way then takes a little longer.
 *
 * Return: false if the buffer cannot be posted now
 */
static bool xprt_rdma2_rep_resize(struct rpcrdma_xprt *r_xprt,
				  struct rpcrdma_rep *rep)
{
	struct rpcrdma2_xch *xch = xprt_rdma2_xch(r_xprt->rx_ep);
	u32 size = xch->xc_recvq.rq_size;

	if (rdmab_length(rep->rr_rdmabuf) != size &&
	    !rpcrdma_rep_realloc(r_xprt, rep, size) &&
	    rdmab_length(rep->rr_rdmabuf) < xch->xc_local.rbsiz)
		return false;
	xprt_rdma2_rep_count(r_xprt, rep, xprt_rdma2_rep_bytes(rep));
	return true;
}

/**
 * xprt_rdma2_rep_prepare - get a buffer ready to be posted
 * @r_xprt: transport with a connection on which version 2 was offered
 * @rep: buffer that is not in use
 *
 * Context: connect worker before there is a connection, or receive handler
 *
 * Return: true if the buffer is going to be posted
 */
bool xprt_rdma2_rep_prepare(struct rpcrdma_xprt *r_xprt,
			    struct rpcrdma_rep *rep)
{
	if (!xprt_rdma2_rep_resize(r_xprt, rep) ||
	    !rpcrdma_rep_map(r_xprt, rep))
		return false;
	rpcrdma2_recvq_post(&xprt_rdma2_xch(r_xprt->rx_ep)->xc_recvq,
			    rdmab_length(rep->rr_rdmabuf));
	return true;
}
