// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: buffers for Receives.
 *
 * The length of Receives may change while a connection is in use. Each buffer
 * knows its own; it gets the one that is wanted before it is posted again, and
 * the first one when it is posted for the first time.
 *
 * A buffer is one piece of memory as far as the CPU can see, so that a message
 * is contiguous however long it is. If data is placed in it, it is a block
 * whose pages can be handed to the upper layer; otherwise it is page-aligned if
 * it is as long as a page.
 *
 * RPCSEC_GSS looks for the page of what it checks or unwraps, which an address
 * of a block in several pieces does not tell. It gets a copy.
 *
 * Where memory follows use, a buffer is posted, holds a message, or is on the list of
 * those that are not in use, which anybody may add to at any time. From there it is
 * posted again, or freed.
 *
 * Invariants of that:
 *
 * Z1. cn_lock protects the Receive Queue, what is known of it, and the taking of
 *     buffers from that list. So the order in which Receives are posted is the one
 *     in which they were counted.
 * Z2. None is posted that is shorter than what the peer was told.
 */

#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc.h>
#include <rdma/ib_verbs.h>

#include "../xprt_rdma.h"
#include "svc.h"
#include <trace/events/rpcrdma.h>

struct kmem_cache *svc_rdma2_calls;
struct kmem_cache *svc_rdma2_replies;

/* Posted Receives of a connection. Returns what is known of them; changed only
 * before the connection is accepted, and by the receive handler, or with cn_lock
 * held if memory follows use.
 */
static struct rpcrdma2_recvq *svc_rdma2_recvq(struct svcxprt_rdma *rdma)
{
	return &rdma->sc_v2->sv_conn.cn_xch.xc_recvq;
}

/* Release the buffer of a receive context. @ctxt: context that is not in use. */
static void svc_rdma2_recv_drop(struct svcxprt_rdma *rdma,
				struct svc_rdma_recv_ctxt *ctxt)
{
	if (!svc_rdma2_on_demand(rdma->sc_v2))
		svc_rdma2_recvq(rdma)->rq_buffers -= ctxt->rc_recv_sge.length;
	if (ctxt->rc_block) {
		rpcrdma2_recvblock_free(ctxt->rc_block);
	} else if (ctxt->rc_recv_buf) {
		ib_dma_unmap_single(rdma->sc_pd->device,
				    ctxt->rc_recv_sge.addr,
				    ctxt->rc_recv_sge.length, DMA_FROM_DEVICE);
		kfree(ctxt->rc_recv_buf);
	}
	ctxt->rc_block = NULL;
	ctxt->rc_recv_buf = NULL;
	ctxt->rc_recv_sge.length = 0;
	ctxt->rc_byte_len = 0;
}

/**
 * svc_rdma2_recv_free - free a receive context
 * @rdma: connection
 * @ctxt: context that is not in use
 */
void svc_rdma2_recv_free(struct svcxprt_rdma *rdma, struct svc_rdma_recv_ctxt *ctxt)
{
	svc_rdma2_recv_drop(rdma, ctxt);
	kfree(ctxt->rc_v2);
	kfree(ctxt);
}

/**
 * svc_rdma2_recvs_free - free all receive contexts
 * @rdma: connection that none is in use of any more
 */
void svc_rdma2_recvs_free(struct svcxprt_rdma *rdma)
{
	struct llist_node *all = llist_del_all(&rdma->sc_recv_ctxts);
	struct svc_rdma_recv_ctxt *ctxt, *next;

	llist_for_each_entry_safe(ctxt, next, all, rc_node)
		svc_rdma2_recv_free(rdma, ctxt);
}

/**
 * svc_rdma2_recv_alloc - allocate a receive context
 * @rdma: connection
 * @plain: let it have a buffer as in version 1; otherwise it gets one before it is
 *	posted, of the length that is wanted then
 *
 * Context: as svc_rdma2_recvq(); may sleep
 * Return: the context, or NULL if memory is exhausted
 */
struct svc_rdma_recv_ctxt *svc_rdma2_recv_alloc(struct svcxprt_rdma *rdma,
						bool plain)
{
	struct svc_rdma_recv_ctxt *ctxt = svc_rdma_recv_ctxt_alloc(rdma);

	if (!ctxt)
		return NULL;
	if (!svc_rdma2_on_demand(rdma->sc_v2))
		svc_rdma2_recvq(rdma)->rq_buffers += ctxt->rc_recv_sge.length;
	ctxt->rc_v2 = kzalloc_node(sizeof(*ctxt->rc_v2), GFP_KERNEL,
				   ibdev_to_node(rdma->sc_cm_id->device));
	if (!ctxt->rc_v2) {
		svc_rdma2_recv_free(rdma, ctxt);
		return NULL;
	}
	if (!plain)
		svc_rdma2_recv_drop(rdma, ctxt);
	return ctxt;
}

/* Give a receive context its buffer. @addr: where it, or its first piece, is for the
 * device.
 */
static void svc_rdma2_recv_set(struct svcxprt_rdma *rdma,
			       struct svc_rdma_recv_ctxt *ctxt, u64 addr,
			       void *buffer, u32 size)
{
	if (!svc_rdma2_on_demand(rdma->sc_v2))
		svc_rdma2_recvq(rdma)->rq_buffers += size;
	ctxt->rc_recv_buf = buffer;
	ctxt->rc_recv_sge.addr = addr;
	ctxt->rc_recv_sge.length = size;
	ctxt->rc_recv_wr.sg_list = &ctxt->rc_recv_sge;
	ctxt->rc_recv_wr.num_sge = 1;
}

/* Replace a buffer by one that nothing is placed in. @ctxt: context that is not in
 * use. Returns false if memory is exhausted; the old buffer is still there.
 */
static bool svc_rdma2_recv_plain(struct svcxprt_rdma *rdma,
				 struct svc_rdma_recv_ctxt *ctxt, u32 size,
				 gfp_t gfp)
{
	struct ib_device *device = rdma->sc_pd->device;
	void *buffer;
	u64 addr;

	buffer = kmalloc_node(size, gfp, ibdev_to_node(device));
	if (!buffer)
		return false;
	addr = ib_dma_map_single(device, buffer, size, DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(device, addr)) {
		kfree(buffer);
		return false;
	}
	svc_rdma2_recv_drop(rdma, ctxt);
	svc_rdma2_recv_set(rdma, ctxt, addr, buffer, size);
	return true;
}

/* Replace a buffer by one that data can be placed in. @ctxt: context that is not in
 * use. Returns false if memory is exhausted; the old buffer is still there.
 */
static bool svc_rdma2_recv_block(struct svcxprt_rdma *rdma,
				 struct svc_rdma_recv_ctxt *ctxt, u32 size,
				 gfp_t gfp)
{
	struct rpcrdma2_recvblock *block;

	block = rpcrdma2_recvblock_alloc(size, RPCRDMA2_BLOCK_HEAD,
					 rdma->sc_v2->sv_place.pl_recv_sges,
					 ibdev_to_node(rdma->sc_pd->device),
					 gfp);
	if (!block)
		return false;
	if (!rpcrdma2_recvblock_map(block, rdma->sc_pd)) {
		rpcrdma2_recvblock_free(block);
		return false;
	}
	svc_rdma2_recv_drop(rdma, ctxt);
	svc_rdma2_recv_set(rdma, ctxt, block->rb_sges[0].addr, block->rb_buf, size);
	ctxt->rc_block = block;
	ctxt->rc_recv_wr.sg_list = block->rb_sges;
	ctxt->rc_recv_wr.num_sge = block->rb_nsges;
	return true;
}

/**
 * svc_rdma2_recv_fill - give a receive context its first buffer
 * @rdma: connection whose memory follows use
 * @ctxt: context that has none, or a plain one, which is of that length
 * @size: its length, in bytes
 * @block: data can be placed in it
 * @gfp: how to allocate
 *
 * Context: may sleep as far as @gfp says
 * Return: false if memory is exhausted
 */
bool svc_rdma2_recv_fill(struct svcxprt_rdma *rdma,
			 struct svc_rdma_recv_ctxt *ctxt, u32 size, bool block,
			 gfp_t gfp)
{
	if (block)
		return svc_rdma2_recv_block(rdma, ctxt, size, gfp);
	return ctxt->rc_recv_buf || svc_rdma2_recv_plain(rdma, ctxt, size, gfp);
}

/* Have the CPU done with a buffer. @ctxt: context that is not in use. RPCSEC_GSS may have
 * decrypted what was received, and what is behind an item may have been cleared.
 */
static void svc_rdma2_recv_ready(struct svcxprt_rdma *rdma,
				 struct svc_rdma_recv_ctxt *ctxt)
{
	u32 written = ctxt->rc_byte_len;

	if (ctxt->rc_block) {
		if (ctxt->rc_v2) {
			written = max(written, ctxt->rc_v2->rv_written);
			ctxt->rc_v2->rv_written = 0;
		}
		if (written)
			rpcrdma2_recvblock_for_device(ctxt->rc_block, written);
		ctxt->rc_byte_len = 0;
	}
	svc_rdma_recv_prepare(rdma, ctxt);
}

/**
 * svc_rdma2_recv_prepare - get a receive context ready to be posted
 * @rdma: connection
 * @ctxt: context that is not in use
 *
 * It gets the buffer that is wanted. One that has turned out to speak version 1 may have
 * blocks. Without memory the old buffer will do if it is as long as the peer may rely on
 * it to be; a raise under way then takes a little longer. For the first one, allocated
 * when the connection is new, there is nothing to fall back to.
 *
 * Context: before the connection is accepted, or receive handler
 * Return: false if the context cannot be posted now
 */
bool svc_rdma2_recv_prepare(struct svcxprt_rdma *rdma,
			    struct svc_rdma_recv_ctxt *ctxt)
{
	gfp_t gfp = ctxt->rc_recv_buf ? SVC_RDMA2_GFP :
					GFP_KERNEL | __GFP_NOWARN;
	u32 size = svc_rdma2_recvq(rdma)->rq_size;

	if ((ctxt->rc_recv_sge.length != size || ctxt->rc_block) &&
	    !svc_rdma2_recv_plain(rdma, ctxt, size, gfp) &&
	    ctxt->rc_recv_sge.length < rdma->sc_v2->sv_conn.cn_xch.xc_local.rbsiz)
		return false;
	rpcrdma2_recvq_post(svc_rdma2_recvq(rdma), ctxt->rc_recv_sge.length);
	svc_rdma2_recv_ready(rdma, ctxt);
	return true;
}

/**
 * svc_rdma2_recv_for_cpu - look at a message
 * @rdma: connection
 * @ctxt: received message
 */
void svc_rdma2_recv_for_cpu(struct svcxprt_rdma *rdma,
			    struct svc_rdma_recv_ctxt *ctxt)
{
	if (ctxt->rc_block)
		rpcrdma2_recvblock_for_cpu(ctxt->rc_block, ctxt->rc_byte_len);
	else
		ib_dma_sync_single_for_cpu(rdma->sc_pd->device,
					   ctxt->rc_recv_sge.addr,
					   ctxt->rc_byte_len, DMA_FROM_DEVICE);
}

/**
 * svc_rdma2_recv_put - release what a message left behind in its context
 * @rdma: connection
 * @ctxt: context whose message has been dealt with, of either version
 *
 * The first transmission of a Call by ROPT_XMTREQ holds the others.
 */
void svc_rdma2_recv_put(struct svcxprt_rdma *rdma, struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	struct svc_rdma2_call *xmt = rv ? rv->rv_call : NULL;
	u32 i;

	kfree(ctxt->rc_flat);
	ctxt->rc_flat = NULL;
	if (!xmt)
		return;
	rv->rv_call = NULL;
	for (i = 1; i < xmt->xm_arr.nparts; i++)
		svc_rdma_recv_ctxt_put(rdma, xmt->xm_ctxts[i]);
	kvfree(xmt->xm_joined);
	kvfree(xmt->xm_linear);
	kmem_cache_free(svc_rdma2_calls, xmt);
}

/* Have what rq_arg has in its head, in one piece, in pages of the request. The Reply goes
 * behind a Call with something in rq_arg.pages only. Two pages are left for that, since the
 * Call is not longer than what is announced as longest.
 */
static void svc_rdma2_move_head(struct svc_rqst *rqstp)
{
	struct xdr_buf *arg = &rqstp->rq_arg;
	const void *src = arg->head[0].iov_base;
	struct page **page = rqstp->rq_pages;
	u32 left, n;

	for (left = arg->len; left; left -= n, src += n) {
		n = min_t(u32, left, PAGE_SIZE);
		memcpy(page_address(*page++), src, n);
	}
	arg->head[0].iov_base = page_address(rqstp->rq_pages[0]);
	arg->head[0].iov_len = PAGE_SIZE;
	arg->pages = &rqstp->rq_pages[1];
	arg->page_len = arg->len - arg->head[0].iov_len;
}

/**
 * svc_rdma2_recv_flatten - have a Call be in memory whose pages can be found
 * @rqstp: request with the whole Call in rq_arg
 * @ctxt: received message that conveyed it, of either version; the copy goes
 *	with it
 *
 * RPCSEC_GSS looks for them, and nfsd of 7.3 does, which writes from pages alone. They do
 * not find those of memory that was put together. sunrpc copies a Call that waits for a
 * cache, whoever sent it, unless there is something in pages: so what is longer than a
 * message of one Receive goes there, too. Other pages stay what they are.
 *
 * Context: service thread, may sleep. @ctxt stays with the caller.
 * Return: false if memory is exhausted; the connection is being closed, and the
 * peer sends the Call again when it has reconnected
 */
bool svc_rdma2_recv_flatten(struct svc_rqst *rqstp, struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct xdr_buf *arg = &rqstp->rq_arg;
	struct kvec *head = &arg->head[0];
	struct kvec *tail = &arg->tail[0];
	bool joined = is_vmalloc_addr(head->iov_base);

	if (likely(!joined && head->iov_len <= RPCRDMA2_MAX_INLINE))
		return true;
	/* Nobody has looked how long RDMA2_MSG is. */
	if (head->iov_len == arg->len && arg->len > PAGE_SIZE &&
	    arg->len <= rdma->sc_v2->sv_limits.max_message) {
		svc_rdma2_move_head(rqstp);
		return true;
	}
	if (!joined)
		return true;

	ctxt->rc_flat = kmalloc(head->iov_len + tail->iov_len,
				GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!ctxt->rc_flat) {
		svc_rdma2_close(rdma);
		return false;
	}
	memcpy(ctxt->rc_flat, head->iov_base, head->iov_len);
	head->iov_base = ctxt->rc_flat;
	memcpy(ctxt->rc_flat + head->iov_len, tail->iov_base, tail->iov_len);
	tail->iov_base = ctxt->rc_flat + head->iov_len;
	return true;
}

/* Section: where memory follows use */

struct rpcrdma2_budget svc_rdma2_budget;

/* Append a Receive to a chain. @tail: where the next one goes. */
static void svc_rdma2_chain(struct svcxprt_rdma *rdma,
			    struct svc_rdma_recv_ctxt *ctxt,
			    struct ib_recv_wr ***tail)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	svc_rdma2_recv_ready(rdma, ctxt);
	trace_svcrdma_post_recv(&ctxt->rc_cid);
	rpcrdma2_recvq_post(&v2->sv_conn.cn_xch.xc_recvq, ctxt->rc_recv_sge.length);
	rpcrdma2_posted_add(&v2->sv_memory.me_posted);
	ctxt->rc_recv_wr.next = NULL;
	**tail = &ctxt->rc_recv_wr;
	*tail = (struct ib_recv_wr **)&ctxt->rc_recv_wr.next;
}

/* Post a chain. Without a working queue the connection is lost. */
static void svc_rdma2_post_chain(struct svcxprt_rdma *rdma,
				 struct ib_recv_wr *chain)
{
	const struct ib_recv_wr *bad = NULL;
	struct svc_rdma_recv_ctxt *ctxt;
	int ret;

	if (!chain)
		return;
	ret = ib_post_recv(rdma->sc_qp, chain, &bad);
	if (!ret)
		return;
	trace_svcrdma_rq_post_err(rdma, ret);
	while (bad) {
		ctxt = container_of(bad, struct svc_rdma_recv_ctxt, rc_recv_wr);
		bad = bad->next;
		llist_add(&ctxt->rc_node, &rdma->sc_recv_ctxts);
	}
	svc_rdma2_close(rdma);
}

static u32 svc_rdma2_kind(const struct svc_rdma_recv_ctxt *ctxt)
{
	return ctxt->rc_block ? RPCRDMA2_POOL_BLOCK : RPCRDMA2_POOL_PLAIN;
}

/* Post a buffer if there is a use for it. @again: all have been looked at. One that
 * is too short by now held a message when the peer was told of longer ones; there
 * were enough of these without it. Returns what becomes of it.
 */
static enum rpcrdma2_buffer_fate
svc_rdma2_decide(struct svcxprt_rdma *rdma, struct svc_rdma_recv_ctxt *ctxt,
		 bool again, struct ib_recv_wr ***tail)
{
	const struct rpcrdma2_xch *xch = &rdma->sc_v2->sv_conn.cn_xch;
	struct rpcrdma2_posted *po = &rdma->sc_v2->sv_memory.me_posted;
	enum rpcrdma2_buffer_fate fate;
	u32 kind = svc_rdma2_kind(ctxt);

	if (ctxt->rc_recv_sge.length < xch->xc_local.rbsiz) {
		if (!again)
			rpcrdma2_posted_spare(po, kind);
		return RPCRDMA2_BUFFER_SPARE;
	}
	fate = rpcrdma2_posted_fate(po, kind, again);
	if (fate == RPCRDMA2_BUFFER_POST)
		svc_rdma2_chain(rdma, ctxt, tail);
	else if (fate == RPCRDMA2_BUFFER_WAIT)
		llist_add(&ctxt->rc_node, &rdma->sc_recv_ctxts);
	return fate;
}

/* Take those off the account that nobody has a use for. */
static void svc_rdma2_uncharge(struct svc_rdma2 *v2, struct llist_node *spare,
			       struct rpcrdma2_gone *gone)
{
	u32 count[RPCRDMA2_POOL_KINDS] = { };
	struct svc_rdma_recv_ctxt *ctxt, *next;

	if (!spare)
		return;
	llist_for_each_entry_safe(ctxt, next, spare, rc_node) {
		v2->sv_conn.cn_xch.xc_recvq.rq_buffers -=
			ctxt->rc_recv_sge.length;
		count[svc_rdma2_kind(ctxt)]++;
		ctxt->rc_node.next = gone->go_bufs;
		gone->go_bufs = &ctxt->rc_node;
	}
	rpcrdma2_memory_dropped(&v2->sv_memory, count);
}

/* Find the fate of some buffers. @all: these. @again: as above. Returns those that
 * are spare.
 */
static struct llist_node *svc_rdma2_fates(struct svcxprt_rdma *rdma,
					  struct llist_node *all, bool again,
					  struct ib_recv_wr ***tail)
{
	struct svc_rdma_recv_ctxt *ctxt, *next;
	struct llist_node *spare = NULL;

	llist_for_each_entry_safe(ctxt, next, all, rc_node) {
		ctxt->rc_page_count = 0;
		if (svc_rdma2_decide(rdma, ctxt, again, tail) != RPCRDMA2_BUFFER_SPARE)
			continue;
		ctxt->rc_node.next = spare;
		spare = &ctxt->rc_node;
	}
	return spare;
}

/**
 * svc_rdma2_refill - find the fate of all buffers that are not in use
 * @me: memory of a connection
 * @gone: gets those that are to be freed by svc_rdma2_forget()
 *
 * Context: cn_lock is held
 */
void svc_rdma2_refill(struct rpcrdma2_memory *me, struct rpcrdma2_gone *gone)
{
	struct svcxprt_rdma *rdma = svc_rdma2_of(me)->sv_rdma;
	struct ib_recv_wr *chain = NULL, **tail = &chain;
	struct llist_node *spare;

	lockdep_assert_held(&me->me_conn->cn_lock);
	if (llist_empty(&rdma->sc_recv_ctxts) ||
	    test_bit(XPT_CLOSE, &rdma->sc_xprt.xpt_flags))
		return;
	spare = llist_del_all(&rdma->sc_recv_ctxts);
	spare = svc_rdma2_fates(rdma, spare, false, &tail);
	spare = svc_rdma2_fates(rdma, spare, true, &tail);
	rpcrdma2_posted_looked(&me->me_posted);
	svc_rdma2_uncharge(rdma->sc_v2, spare, gone);
	svc_rdma2_post_chain(rdma, chain);
}

/**
 * svc_rdma2_forget - free buffers
 * @me: memory of a connection
 * @gone: those that svc_rdma2_refill() has given
 *
 * Context: process context; cn_lock is not held
 */
void svc_rdma2_forget(struct rpcrdma2_memory *me, struct rpcrdma2_gone *gone)
{
	struct svc_rdma_recv_ctxt *ctxt, *next;

	llist_for_each_entry_safe(ctxt, next, gone->go_bufs, rc_node)
		svc_rdma2_recv_free(svc_rdma2_of(me)->sv_rdma, ctxt);
}
