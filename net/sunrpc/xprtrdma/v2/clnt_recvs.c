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
 * Blocks are large, and Receives are posted where nobody can wait for memory.
 * So there are as many of them as there ever will be before the server is told
 * that data can be placed in them, and each is free again as soon as its message
 * has been looked at.
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
 * xprt_rdma2_recv_size - how much memory to begin a new buffer with
 * @ep: connection on which version 2 was offered
 *
 * One that data can be placed in gets other memory before it is posted.
 *
 * Return: length in bytes
 */
static u32 xprt_rdma2_recv_size(const struct rpcrdma_ep *ep)
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
 * xprt_rdma2_rep_set_block - replace the memory of a buffer
 * @rep: buffer that is not in use
 * @block: its new memory, which belongs to @rep from now on
 */
static void xprt_rdma2_rep_set_block(struct rpcrdma_rep *rep,
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
 * xprt_rdma2_rep_renew - give a buffer other memory
 * @r_xprt: transport
 * @rep: buffer that is not in use
 * @size: its length, in bytes
 * @gfp: how to allocate it where data can be placed
 *
 * Return: false if there is none, and the buffer is what it was
 */
static bool xprt_rdma2_rep_renew(struct rpcrdma_xprt *r_xprt,
				 struct rpcrdma_rep *rep, u32 size, gfp_t gfp)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	u32 head = xprt_rdma2_place_head(ep);
	struct rpcrdma2_recvblock *block;

	if (!head)
		return rpcrdma_rep_realloc(r_xprt, rep, size);
	block = rpcrdma2_recvblock_alloc(size, head,
					 ep->re_attr.cap.max_recv_sge,
					 ibdev_to_node(ep->re_id->device), gfp);
	if (!block)
		return false;
	xprt_rdma2_rep_set_block(rep, block);
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
 * xprt_rdma2_rep_count - account for the memory of a buffer
 * @r_xprt: transport
 * @rep: buffer
 * @bytes: how much it takes from now on
 */
static void xprt_rdma2_rep_count(struct rpcrdma_xprt *r_xprt,
				 struct rpcrdma_rep *rep, u32 bytes)
{
	struct rpcrdma2_recvq *rq = &r_xprt->rx_v2.vx_conn.cn_xch.xc_recvq;

	rq->rq_buffers += bytes - rep->rr_v2_counted;
	rep->rr_v2_counted = bytes;
}

/*
 * Section: how many buffers there are
 */

/**
 * xprt_rdma2_recv_place - does memory limit the number of buffers?
 * @ep: connection
 *
 * Return: placement, with the limit; NULL if there is none
 */
static struct xprt_rdma2_placement *
xprt_rdma2_recv_place(const struct rpcrdma_ep *ep)
{
	if (!ep->re_v2 || !xprt_rdma2_place_head(ep))
		return NULL;
	return ep->re_v2->ve_place;
}

/**
 * xprt_rdma2_rep_create - make another buffer, if there is to be one
 * @r_xprt: transport
 *
 * Context: as xprt_rdma2_rep_prepare()
 *
 * Return: the buffer, or NULL if there is no memory, or if there are as many
 * as have been reserved
 */
static struct rpcrdma_rep *
xprt_rdma2_rep_create(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_placement *vp = xprt_rdma2_recv_place(r_xprt->rx_ep);
	struct rpcrdma_rep *rep;

	if (vp && vp->vp_buffers >= vp->vp_buffers_max)
		return NULL;
	rep = rpcrdma_rep_create(r_xprt, xprt_rdma2_recv_size(r_xprt->rx_ep));
	if (rep && vp)
		vp->vp_buffers++;
	return rep;
}

/**
 * xprt_rdma2_rep_wanted - is a buffer of use to this connection?
 * @r_xprt: transport
 * @rep: buffer that is not in use; is freed if it is not wanted
 *
 * Context: as xprt_rdma2_rep_prepare()
 *
 * Return: true if it can be posted, perhaps with other memory
 */
static bool xprt_rdma2_rep_wanted(struct rpcrdma_xprt *r_xprt,
				  struct rpcrdma_rep *rep)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_placement *vp = xprt_rdma2_recv_place(ep);

	if (!vp && !xprt_rdma2_rep_block(rep))
		return true;
	if (vp && xprt_rdma2_rep_made(ep, rep) &&
	    rdmab_length(rep->rr_rdmabuf) >= xprt_rdma2_xch(ep)->xc_local.rbsiz &&
	    vp->vp_buffers <= vp->vp_buffers_max)
		return true;
	xprt_rdma2_rep_count(r_xprt, rep, 0);
	if (vp)
		vp->vp_buffers--;
	return false;
}

/**
 * xprt_rdma2_rep_get - find or make a buffer for a Receive
 * @r_xprt: transport
 *
 * A buffer that was in use when xprt_rdma2_recvs_prune() was called might be of
 * no use any more when it comes back.
 *
 * Context: as xprt_rdma2_rep_prepare()
 *
 * Return: the buffer, or NULL if there is none, and no memory for another
 */
struct rpcrdma_rep *xprt_rdma2_rep_get(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma_buffer *buf = &r_xprt->rx_buf;
	struct rpcrdma_rep *rep;

	while ((rep = rpcrdma_rep_get_locked(buf)) != NULL) {
		if (xprt_rdma2_rep_wanted(r_xprt, rep))
			return rep;
		rpcrdma_rep_destroy(buf, rep);
	}
	return xprt_rdma2_rep_create(r_xprt);
}

/**
 * xprt_rdma2_recvs_prune - free buffers that are of no use to this connection
 * @r_xprt: transport
 *
 * Context: as xprt_rdma2_rep_prepare(): nobody else takes buffers off
 * rb_free_reps
 */
void xprt_rdma2_recvs_prune(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma_buffer *buf = &r_xprt->rx_buf;
	struct llist_node *all = llist_del_all(&buf->rb_free_reps);
	struct rpcrdma_rep *rep, *next;

	llist_for_each_entry_safe(rep, next, all, rr_node) {
		if (xprt_rdma2_rep_wanted(r_xprt, rep))
			llist_add(&rep->rr_node, &buf->rb_free_reps);
		else
			rpcrdma_rep_destroy(buf, rep);
	}
}

/**
 * xprt_rdma2_recvs_fill - make all buffers that there may be
 * @r_xprt: transport
 * @vp: placement
 *
 * Context: connect worker
 *
 * Return: how many are missing for want of memory
 */
static u32 xprt_rdma2_recvs_fill(struct rpcrdma_xprt *r_xprt,
				 const struct xprt_rdma2_placement *vp)
{
	u32 size = xprt_rdma2_xch(r_xprt->rx_ep)->xc_recvq.rq_size;
	struct rpcrdma_rep *rep;
	bool done = true;

	while (done && vp->vp_buffers < vp->vp_buffers_max) {
		rep = xprt_rdma2_rep_create(r_xprt);
		if (!rep)
			break;
		done = xprt_rdma2_rep_renew(r_xprt, rep, size, XPRT_RDMA2_GFP);
		xprt_rdma2_rep_count(r_xprt, rep, xprt_rdma2_rep_bytes(rep));
		rpcrdma_rep_put(&r_xprt->rx_buf, rep);
	}
	if (!done)
		xprt_rdma2_recvs_prune(r_xprt);
	return vp->vp_buffers_max - vp->vp_buffers;
}

/**
 * xprt_rdma2_recvs_prepare - get buffers ready for a connection
 * @r_xprt: transport that is about to connect
 *
 * Buffers of the connection before it that are of no use to this one are
 * freed. If there is not enough memory, data is not placed, or at least no reply
 * takes several Receives.
 *
 * Context: connect worker; waits for memory, but not for long
 */
void xprt_rdma2_recvs_prepare(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_placement *vp = xprt_rdma2_recv_place(r_xprt->rx_ep);
	bool placed = true;

	if (vp)
		vp->vp_buffers = list_count_nodes(&r_xprt->rx_buf.rb_all_reps);
	xprt_rdma2_recvs_prune(r_xprt);
	if (vp)
		placed = xprt_rdma2_place_limit(r_xprt,
						xprt_rdma2_recvs_fill(r_xprt, vp));
	if (!placed)
		xprt_rdma2_recvs_prune(r_xprt);
}

/*
 * Section: Receives
 */

/**
 * xprt_rdma2_rep_resize - give a buffer the memory that is wanted
 * @r_xprt: transport
 * @rep: buffer that is not in use
 *
 * Without memory the old one will do if it is as long as the server may rely
 * on it to be, and made as it was told; a raise under way then takes a little
 * longer.
 *
 * Return: false if the buffer cannot be posted now
 */
static bool xprt_rdma2_rep_resize(struct rpcrdma_xprt *r_xprt,
				  struct rpcrdma_rep *rep)
{
	struct rpcrdma2_xch *xch = xprt_rdma2_xch(r_xprt->rx_ep);
	bool made = xprt_rdma2_rep_made(r_xprt->rx_ep, rep);
	u32 size = xch->xc_recvq.rq_size;

	if ((!made || rdmab_length(rep->rr_rdmabuf) != size) &&
	    !xprt_rdma2_rep_renew(r_xprt, rep, size, XPRT_RDMA2_GFP_NOWAIT) &&
	    (!made || rdmab_length(rep->rr_rdmabuf) < xch->xc_local.rbsiz))
		return false;
	xprt_rdma2_rep_count(r_xprt, rep, xprt_rdma2_rep_bytes(rep));
	return true;
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
static bool xprt_rdma2_rep_map(struct rpcrdma_xprt *r_xprt,
			       struct rpcrdma_rep *rep)
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
	    !xprt_rdma2_rep_map(r_xprt, rep))
		return false;
	rpcrdma2_recvq_post(&xprt_rdma2_xch(r_xprt->rx_ep)->xc_recvq,
			    rdmab_length(rep->rr_rdmabuf));
	return true;
}

/**
 * xprt_rdma2_recv_consume - a posted Receive has brought a message
 * @rep: its buffer
 *
 * One that brings none, or cannot be posted, ends the connection, and the count
 * of posted Receives with it.
 *
 * Context: receive handler
 */
void xprt_rdma2_recv_consume(struct rpcrdma_rep *rep)
{
	rpcrdma2_recvq_consume(&xprt_rdma2_xch(rep->rr_rxprt->rx_ep)->xc_recvq,
			       rdmab_length(rep->rr_rdmabuf));
	if (xprt_rdma2_rep_block(rep))
		rpcrdma2_recvblock_for_cpu(xprt_rdma2_rep_block(rep),
					   rep->rr_hdrbuf.len);
}

/**
 * xprt_rdma2_recv_move - move a part of a reply out of the Receive
 * @rep: the Receive
 * @part: the part; nothing happens if it is elsewhere
 * @own: where to
 */
static void xprt_rdma2_recv_move(const struct rpcrdma_rep *rep,
				 struct kvec *part, void *own)
{
	const void *begin = rdmab_data(rep->rr_rdmabuf);
	const void *end = begin + rep->rr_hdrbuf.len;

	if (part->iov_base < begin || part->iov_base > end)
		return;
	memcpy(own, part->iov_base,
	       min_t(size_t, part->iov_len, end - part->iov_base));
	part->iov_base = own;
}

/**
 * xprt_rdma2_recv_release - release the Receive of a reply if it is a block
 * @rep: reply whose content its Call has got
 *
 * What is left of it there moves to memory of the Call, which brings some for
 * the head and the tail of its reply, one behind the other. RPCSEC_GSS can look
 * up the page of that.
 *
 * Context: receive handler, or the work item that has invalidated memory; the
 * Call is pinned
 */
void xprt_rdma2_recv_release(struct rpcrdma_rep *rep)
{
	struct rpc_rqst *rqst = rep->rr_rqst;
	struct xdr_buf *buf = &rqst->rq_rcv_buf;
	void *own = rqst->rq_rbuffer;

	if (!xprt_rdma2_rep_block(rep))
		return;
	xprt_rdma2_recv_move(rep, &buf->head[0], own);
	xprt_rdma2_recv_move(rep, &buf->tail[0], own + buf->head[0].iov_len);
	rqst->rq_private_buf.head[0] = buf->head[0];
	rqst->rq_private_buf.tail[0] = buf->tail[0];
	rpcrdma_reply_put(&rep->rr_rxprt->rx_buf, rpcr_to_rdmar(rqst));
}
