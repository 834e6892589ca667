// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: buffers for Receives.
 *
 * The length of Receives may change while a connection is in use. Each buffer
 * knows its own; it gets the one that is wanted before it is posted again.
 *
 * A buffer is contiguous, so that a message is, however long it is. Where data
 * can be placed, each buffer is a block with a head segment and pages, of which
 * there are as many as the length asks for; elsewhere it is one piece of
 * memory, page-aligned if it is as long as a page.
 *
 * RPCSEC_GSS looks for the page of what it checks or unwraps, which an address
 * of a block in several pieces does not tell. From such a block replies move to
 * memory of their Calls.
 */

#include <linux/mm.h>

#include <linux/sunrpc/svc_rdma.h>

#include "xprt_rdma.h"
#include "xprt_rdma2_place.h"
#include "rpcrdma2_recvblock.h"

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
 * xprt_rdma2_recv_size - how much memory to begin a new buffer with
 * @ep: connection on which version 2 was offered
 *
 * One that data can be placed in gets other memory before it is posted.
 *
 * Return: length in bytes
 */
u32 xprt_rdma2_recv_size(const struct rpcrdma_ep *ep)
{
	if (xprt_rdma2_place_head(ep))
		return XPRT_RDMA2_RECV_HEAD;
	return xprt_rdma2_xch(ep)->xc_recvq.rq_size;
}

/**
 * xprt_rdma2_rep_block - the block that a buffer consists of
 * @rep: buffer
 *
 * Return: the block, or NULL if data cannot be placed in the buffer
 */
static struct rpcrdma2_recvblock *
xprt_rdma2_rep_block(const struct rpcrdma_rep *rep)
{
	return rep->rr_rdmabuf->rg_block;
}

/**
 * xprt_rdma2_rep_made - is a buffer made as all are to be made?
 * @ep: connection on which version 2 was offered
 * @rep: buffer
 *
 * A server that was told where data can be placed must not meet a Receive that
 * is made in another way (A-61, P-42).
 *
 * Return: true if it is, whatever its length
 */
static bool xprt_rdma2_rep_made(const struct rpcrdma_ep *ep,
				const struct rpcrdma_rep *rep)
{
	const struct rpcrdma2_recvblock *block = xprt_rdma2_rep_block(rep);

	return (block ? block->rb_head : 0) == xprt_rdma2_place_head(ep) &&
	       rep->rr_recv_wr.num_sge <= ep->re_attr.cap.max_recv_sge;
}

/**
 * xprt_rdma2_rep_renew - give a buffer other memory
 * @r_xprt: transport
 * @rep: buffer that is not in use
 * @size: its length, in bytes
 *
 * Return: false if there is none, and the buffer is what it was
 */
static bool xprt_rdma2_rep_renew(struct rpcrdma_xprt *r_xprt,
				 struct rpcrdma_rep *rep, u32 size)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	u32 head = xprt_rdma2_place_head(ep);
	struct rpcrdma2_recvblock *block;

	if (!head)
		return rpcrdma_rep_realloc(r_xprt, rep, size);
	block = rpcrdma2_recvblock_alloc(size, head,
					 ep->re_attr.cap.max_recv_sge,
					 ibdev_to_node(ep->re_id->device),
					 XPRTRDMA_GFP_FLAGS);
	if (!block)
		return false;
	rpcrdma_rep_set_block(rep, block);
	return true;
}

/**
 * xprt_rdma2_rep_bytes - how much memory a buffer takes
 * @rep: buffer
 *
 * Return: a length in bytes
 */
static u32 xprt_rdma2_rep_bytes(const struct rpcrdma_rep *rep)
{
	const struct rpcrdma2_recvblock *block = xprt_rdma2_rep_block(rep);

	return block ? block->rb_npages << PAGE_SHIFT :
		       rdmab_length(rep->rr_rdmabuf);
}

/**
 * xprt_rdma2_recv_resize - get a buffer ready to be posted
 * @r_xprt: transport
 * @rep: buffer that is not in use
 *
 * Without memory the old one will do if it is as long as the server may rely
 * on it to be, and made as it was told; a raise under way then takes a little
 * longer.
 *
 * Context: connect worker before there is a connection, or receive handler
 *
 * Return: false if the buffer cannot be posted now
 */
bool xprt_rdma2_recv_resize(struct rpcrdma_xprt *r_xprt,
			    struct rpcrdma_rep *rep)
{
	struct rpcrdma2_xch *xch = xprt_rdma2_xch(r_xprt->rx_ep);
	bool made = xprt_rdma2_rep_made(r_xprt->rx_ep, rep);
	u32 size = xch->xc_recvq.rq_size;

	if ((!made || rdmab_length(rep->rr_rdmabuf) != size) &&
	    !xprt_rdma2_rep_renew(r_xprt, rep, size) &&
	    (!made || rdmab_length(rep->rr_rdmabuf) < xch->xc_local.rbsiz))
		return false;
	xch->xc_recvq.rq_buffers +=
		xprt_rdma2_rep_bytes(rep) - rep->rr_v2_counted;
	rep->rr_v2_counted = xprt_rdma2_rep_bytes(rep);
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

/**
 * xprt_rdma2_recv_move - move a part of a reply out of the Receive
 * @part: the part; nothing happens if it is elsewhere
 * @own: where to
 * @end: end of what was received
 */
static void xprt_rdma2_recv_move(struct kvec *part, void *own, const void *end)
{
	if (!is_vmalloc_addr(part->iov_base))
		return;
	memcpy(own, part->iov_base,
	       min_t(size_t, part->iov_len, end - part->iov_base));
	part->iov_base = own;
}

/**
 * xprt_rdma2_recv_flatten - have a reply be where RPCSEC_GSS can look at it
 * @rep: reply whose content its Call has got, in a block
 *
 * A Call brings memory for the head and the tail of its reply, one behind the
 * other.
 *
 * Context: receive handler, or the work item that has invalidated memory
 */
void xprt_rdma2_recv_flatten(struct rpcrdma_rep *rep)
{
	const void *end = rdmab_data(rep->rr_rdmabuf) + rep->rr_hdrbuf.len;
	struct rpc_rqst *rqst = rep->rr_rqst;
	struct xdr_buf *buf = &rqst->rq_rcv_buf;
	void *own = rqst->rq_rbuffer;

	if (likely(!xprt_rdma2_rep_block(rep)->rb_vmapped))
		return;
	xprt_rdma2_recv_move(&buf->head[0], own, end);
	xprt_rdma2_recv_move(&buf->tail[0], own + buf->head[0].iov_len, end);
	rqst->rq_private_buf.head[0] = buf->head[0];
	rqst->rq_private_buf.tail[0] = buf->tail[0];
}
