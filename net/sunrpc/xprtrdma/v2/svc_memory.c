// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: memory follows use.
 *
 * A connection begins with as few Receives as its peer needs to say who it is, all of
 * them of the length of version 1. Messages show what it has use for; the pool decides
 * what it gets; a work item allocates that. Blocks are posted behind what is there,
 * and RBSIZ is raised when the last shorter Receive is used up. The structure of
 * Receives is stated from the beginning.
 *
 * A reply returns its credit only if a posted Receive stands behind it. Buffers whose
 * messages have been answered are on a list, which is looked at when a message
 * arrives, and before a grant is settled: what is posted there, the grant counts on.
 * The buffer of a message that returns no credit is posted when it is released.
 *
 * Invariants:
 *
 * Y1. @me_posted, the Receive Queue, the list of buffers, and the lengths of what is
 *     posted belong together: cn_lock protects them as long as @me_on is set.
 * Y2. Whoever holds credits gives them back once: with the grant of its answer, or
 *     when it is released without one.
 * Y3. Nothing waits here for the peer. What has to be asked of it is asked by the
 *     work item for control messages, and what is not answered is asked again with
 *     the next interval at most.
 */

#include <linux/llist.h>
#include <linux/sunrpc/svc.h>

#include "svc.h"

/* Is the peer going to place anything? Who sends ROPT_XMTREQ has to take
 * ROPT_XMTRESP. Returns false if there is no sign of it.
 */
static bool svc_rdma2_place_useful(const struct svc_rdma2 *v2)
{
	const struct rpcrdma2_xch *xch = &v2->sv_conn.cn_xch;

	return v2->sv_conn.cn_version == RPCRDMA2_VERSION && xch->xc_heard &&
	       xch->xc_peer.rtrsupp & RDMA2_RTRSUPP_XRESP;
}

/* Could blocks be of use? The peer has to be able to place data, and to hear of
 * longer Receives.
 */
static bool svc_rdma2_blocks_useful(const struct svc_rdma2 *v2)
{
	const struct rpcrdma2_xch *xch = &v2->sv_conn.cn_xch;

	return svc_rdma2_place_useful(v2) &&
	       !(xch->xc_refused & BIT(ROPT_UPDXCH));
}

/* Allocate a buffer. Returns one that is not in use, or NULL. */
static struct llist_node *svc_rdma2_allocate(struct rpcrdma2_memory *me, u32 kind)
{
	struct svcxprt_rdma *rdma = svc_rdma2_of(me)->sv_rdma;
	bool block = kind == RPCRDMA2_POOL_BLOCK;
	struct svc_rdma_recv_ctxt *ctxt = svc_rdma2_recv_alloc(rdma, !block);

	if (!ctxt)
		return NULL;
	if (svc_rdma2_recv_fill(rdma, ctxt, block ? me->me_block : RPCRDMA2_DEF_INLINE,
				block, SVC_RDMA2_GFP))
		return &ctxt->rc_node;
	svc_rdma2_recv_free(rdma, ctxt);
	return NULL;
}

/* Take a new buffer into use. Context: cn_lock is held. */
static void svc_rdma2_add(struct rpcrdma2_memory *me, struct llist_node *buf)
{
	struct svc_rdma_recv_ctxt *ctxt =
		llist_entry(buf, struct svc_rdma_recv_ctxt, rc_node);

	me->me_conn->cn_xch.xc_recvq.rq_buffers += ctxt->rc_recv_sge.length;
	llist_add(buf, &svc_rdma2_of(me)->sv_rdma->sc_recv_ctxts);
}

/* Say whether data is placed, and why not. What the peer has reported stays. */
static void svc_rdma2_show_place(struct svc_rdma2 *v2)
{
	const struct rpcrdma2_xch *xch = &v2->sv_conn.cn_xch;
	const char *why = SVC_RDMA2_NO_DATA;

	if (READ_ONCE(v2->sv_place.pl_off))
		return;
	if (xch->xc_local.rbsiz > RPCRDMA2_DEF_INLINE)
		why = "on";
	else if (!svc_rdma2_place_useful(v2))
		why = SVC_RDMA2_NO_USE;
	else if (v2->sv_memory.me_posted.po_m.kind == RPCRDMA2_POOL_BLOCK)
		why = "off: about to begin";
	else if (v2->sv_memory.me_posted.po_m.denied)
		why = "off: over the budget";
	WRITE_ONCE(v2->sv_conn.cn_place, why);
}

/* The work item is done. */
static void svc_rdma2_memory_worked(struct rpcrdma2_memory *me)
{
	spin_lock(&me->me_conn->cn_lock);
	svc_rdma2_show_place(svc_rdma2_of(me));
	spin_unlock(&me->me_conn->cn_lock);
}

/* An interval is over. A connection that rests is not looked after until something happens
 * to it. Context: system_dfl_wq; over when svc_rdma2_closing() returns.
 */
static void svc_rdma2_memory_tick(struct work_struct *work)
{
	struct rpcrdma2_memory *me =
		container_of(to_delayed_work(work), struct rpcrdma2_memory,
			     me_tick);
	struct rpcrdma2_posted *po = &me->me_posted;
	struct svc_rdma2 *v2 = svc_rdma2_of(me);
	enum rpcrdma2_pool_turn turn;
	struct rpcrdma2_gone gone = { };

	rpcrdma2_conn_change_begin(&v2->sv_conn);
	po->po_m.needed = READ_ONCE(v2->sv_rdma->sc_xprt.xpt_bc_xprt);
	turn = rpcrdma2_memory_turn(me, po->po_unanswered);
	svc_rdma2_refill(me, &gone);
	rpcrdma2_memory_tell(me);
	svc_rdma2_show_place(v2);
	if (turn != RPCRDMA2_POOL_CLOSE && !rpcrdma2_memory_rests(me))
		rpcrdma2_memory_watch(me);
	rpcrdma2_conn_change_end(&v2->sv_conn);
	if (rpcrdma2_gone_any(&gone))
		svc_rdma2_forget(me, &gone);
	if (turn == RPCRDMA2_POOL_CLOSE)
		svc_rdma2_close(v2->sv_rdma);
}

const struct rpcrdma2_memory_ops svc_rdma2_memory_ops = {
	.allocate	= svc_rdma2_allocate,
	.add		= svc_rdma2_add,
	.refill		= svc_rdma2_refill,
	.forget		= svc_rdma2_forget,
	.worked		= svc_rdma2_memory_worked,
	.tick		= svc_rdma2_memory_tick,
};

/* Does a message hold a credit? Requests of the peer do, and each transmission of a
 * Call. Returns false if that is not certain: more Receives do no harm.
 */
static bool svc_rdma2_holds_credit(const struct rpcrdma2_msg *msg)
{
	if (msg->verdict != RPCRDMA2_OK || msg->dir != RDMA2_CALL)
		return false;
	switch (rpcrdma2_msg_kind(msg)) {
	case RPCRDMA2_K_MSG:
	case RPCRDMA2_K_NOMSG:
	case RPCRDMA2_K_INITXCH:
	case RPCRDMA2_K_REQXCH:
	case RPCRDMA2_K_XMTREQ:
	case RPCRDMA2_K_XMTCONT:
		return true;
	default:
		return false;
	}
}

/**
 * svc_rdma2_memory_consumed - a posted Receive is finished
 * @rdma: connection
 * @ctxt: its context
 *
 * Context: receive handler
 */
void svc_rdma2_memory_consumed(struct svcxprt_rdma *rdma,
			       const struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_recvq *rq = &v2->sv_conn.cn_xch.xc_recvq;

	if (!svc_rdma2_on_demand(v2)) {
		rpcrdma2_recvq_consume(rq, ctxt->rc_recv_sge.length);
		return;
	}
	/* It stays beyond what svc_rdma_wc_receive() would post others for. */
	rdma->sc_pending_recvs++;
	spin_lock(&v2->sv_conn.cn_lock);
	rpcrdma2_recvq_consume(rq, ctxt->rc_recv_sge.length);
	rpcrdma2_posted_arrived(&v2->sv_memory.me_posted);
	spin_unlock(&v2->sv_conn.cn_lock);
}

/**
 * svc_rdma2_memory_arrived - a message has taken effect
 * @rdma: connection that has settled on version 2, or on none
 * @ctxt: decoded message
 *
 * Buffers that are not in use are posted before anything is done about it, unless
 * there are enough. If no Receive is left then, the peer has sent more than it may, and
 * nobody would post another one.
 *
 * Context: receive handler
 */
void svc_rdma2_memory_arrived(struct svcxprt_rdma *rdma,
			      struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_posted *po = &v2->sv_memory.me_posted;
	const struct rpcrdma2_xch *xch = &v2->sv_conn.cn_xch;
	struct rpcrdma2_gone gone = { };
	bool data, dry;

	if (!svc_rdma2_on_demand(v2))
		return;
	ctxt->rc_v2->rv_credits = svc_rdma2_holds_credit(&ctxt->rc_v2->rv_msg);
	ctxt->rc_v2->rv_due = true;
	spin_lock(&v2->sv_conn.cn_lock);
	data = xch->xc_awaited || ctxt->rc_byte_len > RPCRDMA2_DEF_INLINE;
	if (ctxt->rc_v2->rv_credits)
		rpcrdma2_posted_holds(po, rpcrdma2_msg_kind(&ctxt->rc_v2->rv_msg) ==
					  RPCRDMA2_K_REQXCH);
	if (rpcrdma2_posted_used(po, data && svc_rdma2_blocks_useful(v2)))
		rpcrdma2_memory_grow(&v2->sv_memory);
	rpcrdma2_memory_asked(&v2->sv_memory);
	if (rpcrdma2_posted_lags_grant(po, 0))
		svc_rdma2_refill(&v2->sv_memory, &gone);
	dry = !po->po_count && !test_bit(XPT_CLOSE, &rdma->sc_xprt.xpt_flags);
	if (dry)
		rpcrdma2_memory_dry(&v2->sv_memory);
	spin_unlock(&v2->sv_conn.cn_lock);
	if (rpcrdma2_gone_any(&gone))
		svc_rdma2_forget(&v2->sv_memory, &gone);
	if (dry)
		svc_rdma2_close(rdma);
}

/**
 * svc_rdma2_memory_explicit - a part of a Call comes by RDMA Read
 * @rdma: connection
 * @ctxt: the Call
 * @length: how much, in bytes
 *
 * It might have been placed, in so many Receives more. The credits are counted until
 * the Call is answered or dropped.
 *
 * Context: service thread
 */
void svc_rdma2_memory_explicit(struct svcxprt_rdma *rdma,
			       struct svc_rdma_recv_ctxt *ctxt, u32 length)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	u32 credits;

	if (!svc_rdma2_on_demand(v2))
		return;
	credits = min_t(u32, length / RPCRDMA2_MAX_RECV, RPCRDMA2_MAX_XMTS);
	spin_lock(&v2->sv_conn.cn_lock);
	if (svc_rdma2_blocks_useful(v2)) {
		ctxt->rc_v2->rv_missing = credits;
		rpcrdma2_posted_explicit(&v2->sv_memory.me_posted, credits);
		rpcrdma2_posted_used(&v2->sv_memory.me_posted, true);
		/* It would have been placed, had the peer had credits: there are Receives
		 * that it fits in, and several were used for a Call before.
		 */
		if (v2->sv_conn.cn_xch.xc_local.rbsiz > RPCRDMA2_DEF_INLINE &&
		    atomic_long_read(&v2->sv_conn.cn_counts[RPCRDMA2_CNT_GROUPS_RECEIVED]))
			rpcrdma2_pool_lacked(&v2->sv_memory.me_posted.po_m,
					     credits);
		rpcrdma2_memory_grow(&v2->sv_memory);
	}
	spin_unlock(&v2->sv_conn.cn_lock);
}

/* Take back what a message holds (Y2). Context: cn_lock is held. Returns credits. */
static u32 svc_rdma2_take_credits(struct svc_rdma2_recv *rv)
{
	u32 credits = rv->rv_credits;

	if (credits)
		rv->rv_due = false;
	rv->rv_credits = 0;
	return credits;
}

/* The same for all transmissions of a Call. @rv: the first one */
static u32 svc_rdma2_take_all_credits(struct svc_rdma2_recv *rv)
{
	const struct svc_rdma2_call *xmt = rv->rv_call;
	u32 i, credits = svc_rdma2_take_credits(rv);

	for (i = 1; xmt && i < xmt->xm_arr.nparts; i++)
		credits += svc_rdma2_take_credits(xmt->xm_ctxts[i]->rc_v2);
	return credits;
}

/**
 * svc_rdma2_memory_grant - settle a grant
 * @rdma: connection
 * @rv: the message that is answered
 * @gone: gets buffers that are not needed any more
 *
 * Context: process context; sv_grant_lock is held until the answer is posted, or
 * cannot be
 * Return: the value for rdma_credit; 0 if memory does not follow use
 */
u32 svc_rdma2_memory_grant(struct svcxprt_rdma *rdma, struct svc_rdma2_recv *rv,
			   struct rpcrdma2_gone *gone)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_posted *po = &v2->sv_memory.me_posted;
	u32 returned, value = 0;

	if (!svc_rdma2_on_demand(v2))
		return 0;
	spin_lock(&v2->sv_conn.cn_lock);
	if (svc_rdma2_on_demand(v2)) {
		returned = svc_rdma2_take_all_credits(rv);
		if (rpcrdma2_posted_lags_grant(po, returned))
			svc_rdma2_refill(&v2->sv_memory, gone);
		rpcrdma2_posted_answered(po, rv->rv_missing);
		rv->rv_missing = 0;
		/* Whether memory is scarce may be out of date. */
		value = data_race(rpcrdma2_posted_grant(&svc_rdma2_budget.bu_pool, po,
							returned));
		if (po->po_m.recall)
			rpcrdma2_memory_watch(&v2->sv_memory);
	}
	spin_unlock(&v2->sv_conn.cn_lock);
	return value;
}

/**
 * svc_rdma2_memory_ask - the peer is about to be asked something
 * @v2: connection
 *
 * Every grant that was settled is posted by then.
 *
 * Context: sv_ctrl_mutex is held
 */
void svc_rdma2_memory_ask(struct svc_rdma2 *v2)
{
	if (!svc_rdma2_on_demand(v2))
		return;
	spin_lock(&v2->sv_grant_lock);
	spin_lock(&v2->sv_conn.cn_lock);
	rpcrdma2_posted_ask(&v2->sv_memory.me_posted);
	spin_unlock(&v2->sv_conn.cn_lock);
	spin_unlock(&v2->sv_grant_lock);
}

/**
 * svc_rdma2_memory_confirm - the peer has answered that
 * @v2: connection
 *
 * Context: receive handler
 */
void svc_rdma2_memory_confirm(struct svc_rdma2 *v2)
{
	if (!svc_rdma2_on_demand(v2))
		return;
	spin_lock(&v2->sv_conn.cn_lock);
	rpcrdma2_posted_confirm(&v2->sv_memory.me_posted);
	spin_unlock(&v2->sv_conn.cn_lock);
}

/**
 * svc_rdma2_memory_admit - a Call was authenticated
 * @rdma: connection
 *
 * Context: service thread
 */
void svc_rdma2_memory_admit(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_posted *po = &v2->sv_memory.me_posted;

	/* Set once; whoever comes late finds out with the locks held. */
	if (!svc_rdma2_on_demand(v2) || data_race(po->po_m.authentic))
		return;
	spin_lock(&v2->sv_conn.cn_lock);
	rpcrdma2_memory_admit(&v2->sv_memory);
	spin_unlock(&v2->sv_conn.cn_lock);
}

/**
 * svc_rdma2_memory_put - a message has been dealt with
 * @rdma: connection
 * @ctxt: its context, of either version
 *
 * Nobody counts on another Receive in its place, unless an answer has returned its
 * credit.
 *
 * Context: process context
 */
void svc_rdma2_memory_put(struct svcxprt_rdma *rdma,
			  struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_posted *po = &v2->sv_memory.me_posted;
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	struct rpcrdma2_gone gone = { };

	svc_rdma2_recv_put(rdma, ctxt);
	if (!rv || !rv->rv_due) {
		llist_add(&ctxt->rc_node, &rdma->sc_recv_ctxts);
		return;
	}
	spin_lock(&v2->sv_conn.cn_lock);
	rpcrdma2_posted_dropped(po, svc_rdma2_take_credits(rv));
	rpcrdma2_posted_answered(po, rv->rv_missing);
	rv->rv_missing = 0;
	rv->rv_due = false;
	llist_add(&ctxt->rc_node, &rdma->sc_recv_ctxts);
	if (svc_rdma2_on_demand(v2))
		svc_rdma2_refill(&v2->sv_memory, &gone);
	spin_unlock(&v2->sv_conn.cn_lock);
	if (rpcrdma2_gone_any(&gone))
		svc_rdma2_forget(&v2->sv_memory, &gone);
}

/**
 * svc_rdma2_memory_off - let a connection have all of its Receives, and none from the pool
 * @rdma: connection
 */
void svc_rdma2_memory_off(struct svcxprt_rdma *rdma)
{
	rpcrdma2_memory_off(&rdma->sc_v2->sv_memory);
	rdma->sc_recv_extra = RPCRDMA2_CTRL_RECVS;
}

/* Post all Receives that the grant needs. Context: receive handler. Returns false
 * if they could not all be posted.
 */
static bool svc_rdma2_place_fill(struct svcxprt_rdma *rdma)
{
	u32 needed = svc_rdma_recvs_needed(rdma);

	return (rdma->sc_pending_recvs >= needed ||
		svc_rdma_refresh_recvs(rdma, needed - rdma->sc_pending_recvs)) &&
	       rdma->sc_pending_recvs >= needed;
}

/* Allocate contexts. @plain: with buffers. Returns false if there is no memory for
 * all of them.
 */
static bool svc_rdma2_stock(struct svcxprt_rdma *rdma, u32 count, bool plain)
{
	struct svc_rdma_recv_ctxt *ctxt;

	while (count--) {
		ctxt = svc_rdma2_recv_alloc(rdma, plain);
		if (!ctxt)
			return false;
		llist_add(&ctxt->rc_node, &rdma->sc_recv_ctxts);
	}
	return true;
}

/* How many contexts does a connection have? For each credit there is one that is
 * posted, and one with a message that is being dealt with.
 */
static u32 svc_rdma2_stock_size(const struct svcxprt_rdma *rdma)
{
	return 2 * svc_rdma_recvs_needed(rdma) + rdma->sc_recv_batch;
}

/**
 * svc_rdma2_memory_post - post the first Receives
 * @rdma: connection being accepted
 *
 * Where memory follows use, svc_rdma_wc_receive() is not to post others.
 *
 * Context: may sleep
 * Return: false if there is no memory for them
 */
bool svc_rdma2_memory_post(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	u32 kind = v2->sv_memory.me_posted.po_m.kind;

	if (!svc_rdma2_on_demand(v2))
		return svc_rdma2_stock(rdma, svc_rdma2_stock_size(rdma), false) &&
		       svc_rdma2_place_fill(rdma);
	if (!svc_rdma2_stock(rdma, v2->sv_first, kind == RPCRDMA2_POOL_PLAIN) ||
	    !svc_rdma_refresh_recvs(rdma, v2->sv_first) ||
	    rdma->sc_pending_recvs != v2->sv_first)
		return false;
	rdma->sc_pending_recvs = INT_MAX;
	return true;
}

/* Allocate and post what a connection of version 1 needs. Context: receive handler.
 * Returns false if there is no memory for it.
 */
static bool svc_rdma2_memory_version_1(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_member *m = &v2->sv_memory.me_posted.po_m;
	u32 first = m->bufs[m->kind];

	rpcrdma2_memory_closing(&v2->sv_memory);
	svc_rdma2_memory_off(rdma);
	rdma->sc_pending_recvs = v2->sv_memory.me_posted.po_count;
	svc_rdma2_place_leave(rdma);
	return svc_rdma2_stock(rdma, svc_rdma2_stock_size(rdma) - first, false) &&
	       svc_rdma2_place_fill(rdma);
}

/**
 * svc_rdma2_memory_decide - decide what the Receives are going to be like
 * @rdma: connection whose first message has arrived
 *
 * Context: receive handler, before the message is queued
 * Return: false if there is no memory for Receives at all
 */
bool svc_rdma2_memory_decide(struct svcxprt_rdma *rdma)
{
	return !svc_rdma2_on_demand(rdma->sc_v2) ||
	       rdma->sc_v2->sv_conn.cn_version == RPCRDMA2_VERSION ||
	       svc_rdma2_memory_version_1(rdma);
}
