// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: buffers that find their place, where memory follows
 * use.
 *
 * A buffer is posted, holds a message, or is on the list of those that are not in use,
 * which anybody may add to at any time. From there it is posted again, or freed.
 *
 * Invariants:
 *
 * Z1. cn_lock protects the Receive Queue, what is known of it, and the taking of
 *     buffers from that list. So the order in which Receives are posted is the one
 *     in which they were counted.
 * Z2. None is posted that is shorter than what the peer was told.
 */

#include <linux/llist.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc.h>

#include "../xprt_rdma.h"
#include "budget.h"
#include "svc.h"
#include <trace/events/rpcrdma.h>

struct rpcrdma2_budget svc_rdma2_budget;

/* Append a Receive to a chain. @tail: where the next one goes. */
static void svc_rdma2_chain(struct svcxprt_rdma *rdma,
			    struct svc_rdma_recv_ctxt *ctxt,
			    struct ib_recv_wr ***tail)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	svc_rdma2_recv_ready(rdma, ctxt);
	trace_svcrdma_post_recv(&ctxt->rc_cid);
	rpcrdma2_recvq_post(&v2->sv_conn.cn_xch.xc_recvq,
			    ctxt->rc_recv_sge.length);
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

/*
 * Post a buffer if there is a use for it. @again: all have been looked at. One that
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

/* Take those off the account that nobody has a use for. @gone: these. */
static void svc_rdma2_uncharge(struct svc_rdma2 *v2,
			       const struct list_head *gone)
{
	const struct svc_rdma_recv_ctxt *ctxt;
	u32 count[RPCRDMA2_POOL_KINDS] = { };

	if (list_empty(gone))
		return;
	list_for_each_entry(ctxt, gone, rc_list) {
		v2->sv_conn.cn_xch.xc_recvq.rq_buffers -=
			ctxt->rc_recv_sge.length;
		count[svc_rdma2_kind(ctxt)]++;
	}
	rpcrdma2_memory_dropped(&v2->sv_memory, count);
}

/**
 * svc_rdma2_refill - find the fate of all buffers that are not in use
 * @rdma: connection whose memory follows use
 * @gone: gets those that are to be freed by svc_rdma2_forget()
 *
 * Context: cn_lock is held
 */
void svc_rdma2_refill(struct svcxprt_rdma *rdma, struct list_head *gone)
{
	struct ib_recv_wr *chain = NULL, **tail = &chain;
	struct svc_rdma_recv_ctxt *ctxt, *next;
	struct llist_node *all;
	LIST_HEAD(spare);

	lockdep_assert_held(&rdma->sc_v2->sv_conn.cn_lock);
	if (llist_empty(&rdma->sc_recv_ctxts) ||
	    test_bit(XPT_CLOSE, &rdma->sc_xprt.xpt_flags))
		return;
	all = llist_del_all(&rdma->sc_recv_ctxts);
	llist_for_each_entry_safe(ctxt, next, all, rc_node) {
		ctxt->rc_page_count = 0;
		if (svc_rdma2_decide(rdma, ctxt, false, &tail) ==
		    RPCRDMA2_BUFFER_SPARE)
			list_add_tail(&ctxt->rc_list, &spare);
	}
	list_for_each_entry_safe(ctxt, next, &spare, rc_list) {
		list_del(&ctxt->rc_list);
		if (svc_rdma2_decide(rdma, ctxt, true, &tail) ==
		    RPCRDMA2_BUFFER_SPARE)
			list_add(&ctxt->rc_list, &spare);
	}
	rpcrdma2_posted_looked(&rdma->sc_v2->sv_memory.me_posted);
	svc_rdma2_uncharge(rdma->sc_v2, &spare);
	list_splice(&spare, gone);
	svc_rdma2_post_chain(rdma, chain);
}

/**
 * svc_rdma2_forget - free buffers
 * @rdma: connection
 * @gone: those that svc_rdma2_refill() has given
 *
 * Context: process context; cn_lock is not held
 */
void svc_rdma2_forget(struct svcxprt_rdma *rdma, struct list_head *gone)
{
	struct svc_rdma_recv_ctxt *ctxt, *next;

	list_for_each_entry_safe(ctxt, next, gone, rc_list) {
		svc_rdma2_recv_free(rdma, ctxt);
		kfree(ctxt);
	}
}
