// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: buffers for Receives.
 *
 * A buffer is contiguous, so that a message is, however long it is. One that data can be
 * placed in is a block with a head segment and pages; any other is one piece of memory.
 *
 * Where memory does not follow use, buffers are of the second kind, and made as they are
 * needed. Their length may change while a connection is in use. Each knows its own; it gets
 * the one that is wanted before it is posted again.
 *
 * Where it does, a buffer is posted, holds a message, or is on rb_free_reps, which anybody
 * may add to at any time. From there it is posted again, or freed. That of a reply is,
 * before its RPC goes on: what comes next may count on it.
 *
 * Invariants of that:
 *
 * Z1. cn_lock protects the Receive Queue, what is known of it, and the taking of buffers
 *     off that list. Nothing is posted once @ve_closing is set.
 * Z2. None is posted that is shorter than what the server was told.
 */

#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "clnt_place.h"
#include <trace/events/rpcrdma.h>

/* Let a buffer be a block. @rep: buffer that is new. @block: its new memory, which
 * belongs to @rep from now on. The regbuf says where it is, but knows nothing of the
 * device.
 */
static void xprt_rdma2_rep_set_block(struct rpcrdma_rep *rep,
				     struct rpcrdma2_recvblock *block)
{
	struct rpcrdma_regbuf *rb = rep->rr_rdmabuf;

	kfree(rb->rg_data);
	rep->rr_v2.vr_block = block;
	rb->rg_data = block->rb_buf;
	rb->rg_iov.length = block->rb_length;

	xdr_buf_init(&rep->rr_hdrbuf, rdmab_data(rb), rdmab_length(rb));
	rep->rr_recv_wr.sg_list = block->rb_sges;
	rep->rr_recv_wr.num_sge = block->rb_nsges;
}

/**
 * xprt_rdma2_rep_free - free what version 2 has added to a buffer
 * @rep: buffer that is not in use; one that was a block has no memory then
 *
 * Context: process context
 */
void xprt_rdma2_rep_free(struct rpcrdma_rep *rep)
{
	struct rpcrdma_regbuf *rb = rep->rr_rdmabuf;

	kvfree(rep->rr_v2.vr_linear);
	rep->rr_v2.vr_linear = NULL;
	if (!rep->rr_v2.vr_block)
		return;
	rpcrdma2_recvblock_free(rep->rr_v2.vr_block);
	rep->rr_v2.vr_block = NULL;
	rb->rg_data = NULL;
	rb->rg_iov.length = 0;
	rep->rr_recv_wr.sg_list = &rb->rg_iov;
	rep->rr_recv_wr.num_sge = 1;
}

/* Free a buffer. @rep: buffer that is not in use. Context: process context. */
static void xprt_rdma2_rep_destroy(struct rpcrdma_xprt *r_xprt,
				   struct rpcrdma_rep *rep)
{
	spin_lock(&r_xprt->rx_buf.rb_lock);
	list_del(&rep->rr_all);
	spin_unlock(&r_xprt->rx_buf.rb_lock);
	rpcrdma_rep_free(rep);
}

/**
 * xprt_rdma2_recvs_unmap - have the device forget all blocks
 * @r_xprt: transport whose Receives are complete
 *
 * rpcrdma_reps_unmap() does the same for other buffers.
 */
void xprt_rdma2_recvs_unmap(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma_rep *rep;

	spin_lock(&r_xprt->rx_buf.rb_lock);
	list_for_each_entry(rep, &r_xprt->rx_buf.rb_all_reps, rr_all)
		if (xprt_rdma2_rep_block(rep))
			rpcrdma2_recvblock_unmap(xprt_rdma2_rep_block(rep));
	spin_unlock(&r_xprt->rx_buf.rb_lock);
}

/* How much memory does a buffer take? Returns a length in bytes. */
static u32 xprt_rdma2_rep_bytes(const struct rpcrdma_rep *rep)
{
	const struct rpcrdma2_recvblock *block = xprt_rdma2_rep_block(rep);

	return block ? block->rb_npages << PAGE_SHIFT :
		       rdmab_length(rep->rr_rdmabuf);
}

/* Account for the memory of a buffer. @bytes: how much it takes from now on. Context: as
 * the one who takes buffers off rb_free_reps.
 */
static void xprt_rdma2_rep_count(struct rpcrdma_xprt *r_xprt, struct rpcrdma_rep *rep,
				 u32 bytes)
{
	struct rpcrdma2_recvq *rq = &r_xprt->rx_v2.vx_conn.cn_xch.xc_recvq;

	rq->rq_buffers += bytes - rep->rr_v2.vr_counted;
	rep->rr_v2.vr_counted = bytes;
}

/* Have the device own a buffer. @rep: buffer that is not in use. The CPU writes
 * to no block. Returns false if there is no memory to map it.
 */
static bool xprt_rdma2_rep_map(struct rpcrdma_xprt *r_xprt, struct rpcrdma_rep *rep)
{
	struct rpcrdma2_recvblock *block = xprt_rdma2_rep_block(rep);

	if (!block)
		return rpcrdma_regbuf_dma_map(r_xprt, rep->rr_rdmabuf);
	return block->rb_device ||
	       rpcrdma2_recvblock_map(block, r_xprt->rx_ep->re_pd);
}

/* Free a buffer that is not in use. */
static void xprt_rdma2_rep_discard(struct rpcrdma_xprt *r_xprt,
				   struct rpcrdma_rep *rep)
{
	xprt_rdma2_rep_count(r_xprt, rep, 0);
	xprt_rdma2_rep_destroy(r_xprt, rep);
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

/* Replace the memory of a buffer that is no block. Returns false if there is none;
 * the old one is still there.
 */
static bool xprt_rdma2_rep_realloc(struct rpcrdma_rep *rep, u32 size)
{
	struct rpcrdma_regbuf *rb = rep->rr_rdmabuf;

	if (!rpcrdma_regbuf_realloc(rb, size, XPRTRDMA_GFP_FLAGS))
		return false;
	xdr_buf_init(&rep->rr_hdrbuf, rdmab_data(rb), rdmab_length(rb));
	return true;
}

/* Give a buffer the memory that is wanted. @rep: buffer that is not in use. A block is
 * one of a connection before this. Without memory the old one will do if it is as long
 * as the server may rely on it to be; a raise under way then takes a little longer.
 * Returns false if the buffer cannot be posted now.
 */
static bool xprt_rdma2_rep_resize(struct rpcrdma_xprt *r_xprt,
				  struct rpcrdma_rep *rep)
{
	const struct rpcrdma2_xch *xch = &r_xprt->rx_v2.vx_conn.cn_xch;
	u32 size = xch->xc_recvq.rq_size;

	if (xprt_rdma2_rep_block(rep))
		xprt_rdma2_rep_free(rep);
	if (rdmab_length(rep->rr_rdmabuf) != size)
		xprt_rdma2_rep_realloc(rep, size);
	xprt_rdma2_rep_count(r_xprt, rep, xprt_rdma2_rep_bytes(rep));
	return rdmab_length(rep->rr_rdmabuf) == size ||
	       rdmab_length(rep->rr_rdmabuf) >= xch->xc_local.rbsiz;
}

/**
 * xprt_rdma2_rep_prepare - get a buffer ready to be posted
 * @r_xprt: transport with a connection on which version 2 was offered
 * @rep: buffer that is not in use
 *
 * Where memory follows use, Receives are posted elsewhere.
 *
 * Context: connect worker before there is a connection, or receive handler
 * Return: true if the buffer is going to be posted
 */
bool xprt_rdma2_rep_prepare(struct rpcrdma_xprt *r_xprt, struct rpcrdma_rep *rep)
{
	if (xprt_rdma2_memory(r_xprt) || !xprt_rdma2_rep_resize(r_xprt, rep) ||
	    !xprt_rdma2_rep_map(r_xprt, rep))
		return false;
	rpcrdma2_recvq_post(&r_xprt->rx_v2.vx_conn.cn_xch.xc_recvq,
			    rdmab_length(rep->rr_rdmabuf));
	return true;
}

/* Section: where memory follows use */

struct rpcrdma2_budget xprt_rdma2_budget;

/**
 * xprt_rdma2_allocate - allocate a buffer
 * @me: memory of a connection
 * @kind: its kind
 *
 * Context: process context that can wait, but not for the server
 * Return: a buffer that is not in use, or NULL
 */
struct llist_node *xprt_rdma2_allocate(struct rpcrdma2_memory *me, u32 kind)
{
	struct rpcrdma_xprt *r_xprt = xprt_rdma2_conn_xprt(me->me_conn);
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct rpcrdma2_recvblock *block;
	struct rpcrdma_rep *rep;

	rep = rpcrdma_rep_create(r_xprt, kind == RPCRDMA2_POOL_BLOCK ?
				 XPRT_RDMA2_RECV_HEAD : me->me_plain);
	if (!rep)
		return NULL;
	rep->rr_v2.vr_life = xprt_rdma2_place_of(me)->vp_life;
	if (kind == RPCRDMA2_POOL_PLAIN)
		return &rep->rr_node;
	block = rpcrdma2_recvblock_alloc(me->me_block, XPRT_RDMA2_RECV_HEAD,
					 ep->re_attr.cap.max_recv_sge,
					 ibdev_to_node(ep->re_id->device),
					 XPRT_RDMA2_GFP);
	if (!block) {
		xprt_rdma2_rep_destroy(r_xprt, rep);
		return NULL;
	}
	xprt_rdma2_rep_set_block(rep, block);
	return &rep->rr_node;
}

/**
 * xprt_rdma2_add - take a new buffer into use
 * @me: memory of a connection
 * @buf: the buffer
 *
 * Context: cn_lock is held
 */
void xprt_rdma2_add(struct rpcrdma2_memory *me, struct llist_node *buf)
{
	struct rpcrdma_xprt *r_xprt = xprt_rdma2_conn_xprt(me->me_conn);
	struct rpcrdma_rep *rep = llist_entry(buf, struct rpcrdma_rep, rr_node);

	xprt_rdma2_rep_count(r_xprt, rep, xprt_rdma2_rep_bytes(rep));
	rpcrdma_rep_put(&r_xprt->rx_buf, rep);
}

/* Append a Receive to a chain. @tail: where the next one goes. RPCSEC_GSS may have
 * decrypted a reply in a buffer that is no block. Returns false if it cannot be
 * mapped.
 */
static bool xprt_rdma2_chain(struct rpcrdma_xprt *r_xprt,
			     struct rpcrdma_rep *rep, struct ib_recv_wr ***tail)
{
	struct rpcrdma2_memory *me = &r_xprt->rx_ep->re_v2->ve_place->vp_memory;
	struct rpcrdma_regbuf *rb = rep->rr_rdmabuf;
	struct rpcrdma_ep *ep = r_xprt->rx_ep;

	if (!xprt_rdma2_rep_map(r_xprt, rep))
		return false;
	if (!xprt_rdma2_rep_block(rep) && rep->rr_hdrbuf.len)
		ib_dma_sync_single_for_device(rdmab_device(rb), rdmab_addr(rb),
					      rep->rr_hdrbuf.len,
					      DMA_FROM_DEVICE);
	rep->rr_cid.ci_queue_id = ep->re_attr.recv_cq->res.id;
	trace_xprtrdma_post_recv(&rep->rr_cid);
	rpcrdma2_recvq_post(&me->me_conn->cn_xch.xc_recvq, rdmab_length(rb));
	rpcrdma2_posted_add(&me->me_posted);
	rep->rr_recv_wr.next = NULL;
	**tail = &rep->rr_recv_wr;
	*tail = (struct ib_recv_wr **)&rep->rr_recv_wr.next;
	return true;
}

/* Post a chain. Returns false if the queue does not work, and the connection is lost. */
static bool xprt_rdma2_post_chain(struct rpcrdma_xprt *r_xprt,
				  struct ib_recv_wr *chain)
{
	const struct ib_recv_wr *bad = NULL;
	struct rpcrdma_rep *rep;
	int rc;

	if (!chain)
		return true;
	rc = ib_post_recv(r_xprt->rx_ep->re_id->qp, chain, &bad);
	if (!rc)
		return true;
	trace_xprtrdma_post_recvs_err(r_xprt, rc);
	while (bad) {
		rep = container_of(bad, struct rpcrdma_rep, rr_recv_wr);
		bad = bad->next;
		rpcrdma_rep_put(&r_xprt->rx_buf, rep);
	}
	return false;
}

static u32 xprt_rdma2_kind(const struct rpcrdma_rep *rep)
{
	return xprt_rdma2_rep_block(rep) ? RPCRDMA2_POOL_BLOCK :
					   RPCRDMA2_POOL_PLAIN;
}

/* Post a buffer if there is a use for it. @again: all have been looked at. One that
 * is too short by now held a message when the server was told of longer ones. One of
 * a connection before this has come too late. Nobody may count on one that cannot be
 * mapped (V4). Returns what becomes of it.
 */
static enum rpcrdma2_buffer_fate
xprt_rdma2_fate(struct rpcrdma_xprt *r_xprt, struct rpcrdma_rep *rep,
		bool again, struct ib_recv_wr ***tail)
{
	struct xprt_rdma2_placement *vp = r_xprt->rx_ep->re_v2->ve_place;
	const struct rpcrdma2_xch *xch = &r_xprt->rx_v2.vx_conn.cn_xch;
	struct rpcrdma2_posted *po = &vp->vp_memory.me_posted;
	enum rpcrdma2_buffer_fate fate = RPCRDMA2_BUFFER_SPARE;
	u32 kind = xprt_rdma2_kind(rep);

	if (rep->rr_v2.vr_life != vp->vp_life)
		return RPCRDMA2_BUFFER_SPARE;
	if (rdmab_length(rep->rr_rdmabuf) >= xch->xc_local.rbsiz)
		fate = rpcrdma2_posted_fate(po, kind, again);
	else if (!again)
		rpcrdma2_posted_spare(po, kind);
	if (fate == RPCRDMA2_BUFFER_POST &&
	    !xprt_rdma2_chain(r_xprt, rep, tail)) {
		rpcrdma2_posted_spare(po, kind);
		fate = RPCRDMA2_BUFFER_SPARE;
	}
	if (fate == RPCRDMA2_BUFFER_WAIT)
		rpcrdma_rep_put(&r_xprt->rx_buf, rep);
	return fate;
}

/* Take those off the account that nobody has a use for. */
static void xprt_rdma2_uncharge(struct rpcrdma_xprt *r_xprt,
				struct llist_node *spare,
				struct rpcrdma2_gone *gone)
{
	struct xprt_rdma2_placement *vp = r_xprt->rx_ep->re_v2->ve_place;
	u32 count[RPCRDMA2_POOL_KINDS] = { };
	struct rpcrdma_rep *rep, *next;

	if (!spare)
		return;
	llist_for_each_entry_safe(rep, next, spare, rr_node) {
		if (rep->rr_v2.vr_life == vp->vp_life)
			count[xprt_rdma2_kind(rep)]++;
		xprt_rdma2_rep_count(r_xprt, rep, 0);
		rep->rr_node.next = gone->go_bufs;
		gone->go_bufs = &rep->rr_node;
	}
	rpcrdma2_memory_dropped(&vp->vp_memory, count);
}

/* Find the fate of some buffers. @all: these. @again: as above. Returns those that
 * are spare.
 */
static struct llist_node *xprt_rdma2_fates(struct rpcrdma_xprt *r_xprt,
					   struct llist_node *all, bool again,
					   struct ib_recv_wr ***tail)
{
	struct llist_node *spare = NULL;
	struct rpcrdma_rep *rep, *next;

	llist_for_each_entry_safe(rep, next, all, rr_node) {
		if (xprt_rdma2_fate(r_xprt, rep, again, tail) !=
		    RPCRDMA2_BUFFER_SPARE)
			continue;
		rep->rr_node.next = spare;
		spare = &rep->rr_node;
	}
	return spare;
}

/**
 * xprt_rdma2_refill - find the fate of all buffers that are not in use
 * @me: memory of a connection
 * @gone: gets what is left to do to xprt_rdma2_forget()
 *
 * Context: cn_lock is held
 */
void xprt_rdma2_refill(struct rpcrdma2_memory *me, struct rpcrdma2_gone *gone)
{
	struct rpcrdma_xprt *r_xprt = xprt_rdma2_conn_xprt(me->me_conn);
	struct ib_recv_wr *chain = NULL, **tail = &chain;
	struct llist_node *spare;

	lockdep_assert_held(&me->me_conn->cn_lock);
	if (llist_empty(&r_xprt->rx_buf.rb_free_reps) ||
	    r_xprt->rx_ep->re_v2->ve_closing)
		return;
	spare = llist_del_all(&r_xprt->rx_buf.rb_free_reps);
	spare = xprt_rdma2_fates(r_xprt, spare, false, &tail);
	spare = xprt_rdma2_fates(r_xprt, spare, true, &tail);
	rpcrdma2_posted_looked(&me->me_posted);
	xprt_rdma2_uncharge(r_xprt, spare, gone);
	if (!xprt_rdma2_post_chain(r_xprt, chain))
		gone->go_broken = true;
}

/**
 * xprt_rdma2_refill_lagging - the same unless enough Receives are posted
 * @me: memory of a connection
 * @gone: as xprt_rdma2_refill()
 *
 * Context: cn_lock is held
 */
void xprt_rdma2_refill_lagging(struct rpcrdma2_memory *me, struct rpcrdma2_gone *gone)
{
	if (rpcrdma2_posted_lags_split(&me->me_posted))
		xprt_rdma2_refill(me, gone);
}

/**
 * xprt_rdma2_forget - do what could not be done with cn_lock held
 * @me: memory of a connection
 * @gone: what xprt_rdma2_refill() has left to do
 *
 * Context: process context
 */
void xprt_rdma2_forget(struct rpcrdma2_memory *me, struct rpcrdma2_gone *gone)
{
	struct rpcrdma_xprt *r_xprt = xprt_rdma2_conn_xprt(me->me_conn);
	struct rpcrdma_rep *rep, *next;

	llist_for_each_entry_safe(rep, next, gone->go_bufs, rr_node)
		xprt_rdma2_rep_destroy(r_xprt, rep);
	if (gone->go_broken)
		rpcrdma_force_disconnect(r_xprt->rx_ep);
}

/* Have the buffers that are free find their place, if there are too few Receives. */
static void xprt_rdma2_settle(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);
	struct rpcrdma2_gone gone = { };

	/* Without the lock all that has used up Receives before is seen: whoever does
	 * so meanwhile looks, too.
	 */
	if (!me || !data_race(rpcrdma2_posted_lags_split(&me->me_posted)))
		return;
	spin_lock(&me->me_conn->cn_lock);
	if (me->me_on)
		xprt_rdma2_refill_lagging(me, &gone);
	spin_unlock(&me->me_conn->cn_lock);
	if (rpcrdma2_gone_any(&gone))
		xprt_rdma2_forget(me, &gone);
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
	struct rpcrdma2_memory *me = xprt_rdma2_memory(rep->rr_rxprt);
	struct rpcrdma2_conn *conn = &rep->rr_rxprt->rx_v2.vx_conn;
	struct rpcrdma2_recvq *rq = &conn->cn_xch.xc_recvq;

	if (me) {
		spin_lock(&conn->cn_lock);
		rpcrdma2_recvq_consume(rq, rdmab_length(rep->rr_rdmabuf));
		rpcrdma2_posted_arrived(&me->me_posted);
		if (rep->rr_hdrbuf.len > me->me_plain)
			xprt_rdma2_place_of(me)->vp_use.us_large = true;
		spin_unlock(&conn->cn_lock);
	} else {
		rpcrdma2_recvq_consume(rq, rdmab_length(rep->rr_rdmabuf));
	}
	if (xprt_rdma2_rep_block(rep))
		rpcrdma2_recvblock_for_cpu(xprt_rdma2_rep_block(rep),
					   rep->rr_hdrbuf.len);
}

/* Move the head of a reply out of the Receive. @rep: the Receive. @head: nothing
 * happens if it is elsewhere. @own: where to.
 */
static void xprt_rdma2_recv_move(const struct rpcrdma_rep *rep,
				 struct kvec *head, void *own)
{
	const void *begin = rdmab_data(rep->rr_rdmabuf);
	const void *end = begin + rep->rr_hdrbuf.len;

	if (head->iov_base < begin || head->iov_base > end)
		return;
	memcpy(own, head->iov_base,
	       min_t(size_t, head->iov_len, end - head->iov_base));
	head->iov_base = own;
}

/* Release the Receive of a reply if others count on it. @rep: reply whose content its
 * Call has got. The head is left there: it moves to the memory that the Call brings for
 * it, as far as the tail. RPCSEC_GSS can look up the page of that.
 */
static void xprt_rdma2_recv_release(struct rpcrdma_xprt *r_xprt,
				    struct rpcrdma_rep *rep)
{
	struct rpc_rqst *rqst = rep->rr_rqst;
	struct xdr_buf *buf = &rqst->rq_rcv_buf;

	if (!xprt_rdma2_memory(r_xprt) && !xprt_rdma2_rep_block(rep))
		return;
	xprt_rdma2_recv_move(rep, &buf->head[0], rqst->rq_rbuffer);
	rqst->rq_private_buf.head[0] = buf->head[0];
	rpcrdma_reply_put(&r_xprt->rx_buf, rpcr_to_rdmar(rqst));
	xprt_rdma2_settle(r_xprt);
}

/**
 * xprt_rdma2_reply_done - a Call has got the content of its reply
 * @rep: the reply
 *
 * The Receives that the rest of a long one had reserved are posted again before others
 * may reserve them (V4).
 *
 * Context: receive handler, or the work item that has invalidated memory; the Call is
 * pinned
 */
void xprt_rdma2_reply_done(struct rpcrdma_rep *rep)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rep->rr_rqst);
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpcrdma2_ledger *l = &r_xprt->rx_v2.vx_ledger;
	struct rpcrdma2_reservation left;

	xprt_rdma2_recv_release(r_xprt, rep);
	if (!req->rl_v2.vq_reservation.recvs)
		return;
	spin_lock(&r_xprt->rx_xprt.transport_lock);
	rpcrdma2_reservation_leave(l, &req->rl_v2.vq_reservation, &left);
	rpcrdma2_unreserve(l, 0, left.recvs);
	spin_unlock(&r_xprt->rx_xprt.transport_lock);
}

/**
 * xprt_rdma2_recv_returned - a buffer was released outside of the receive handler
 * @r_xprt: transport, perhaps without a connection
 *
 * Nothing is posted any more on one that is being torn down.
 *
 * Context: process context
 */
void xprt_rdma2_recv_returned(struct rpcrdma_xprt *r_xprt)
{
	if (!down_read_trylock(&r_xprt->rx_teardown))
		return;
	xprt_rdma2_settle(r_xprt);
	up_read(&r_xprt->rx_teardown);
}
