// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: memory follows use.
 *
 * A connection begins with few Receives, all of them short. Calls
 * show what there is use for: how many are under way, and data of READs that goes by
 * explicit RDMA for want of longer Receives. The task that sends a Call leaves a note of
 * that; the next message that arrives is the time to get more.
 *
 * What the server grants is used as far as there are Receives for the replies. They are
 * also for the rest of replies that take several, and for callbacks.
 *
 * Only the server may ask for a lower RBSIZ, and would have to leave replies unsent
 * that it owes meanwhile. So a connection that has had data keeps blocks for
 * one Call. They are no more than version 1 has at any time; a connection over which no
 * callbacks come is closed after a while.
 *
 * Invariants:
 *
 * Y1. What a connection has is protected by cn_lock as long as @me_on is set, and what its
 *     Receives are for by the transport_lock, inside which cn_lock is taken.
 * Y2. Nothing waits here for the server, nor for memory that writing to it could free.
 */

#include <linux/seq_file.h>
#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "clnt_place.h"

enum {
	/* After how many intervals without long Calls the server is asked for
	 * Receives as short as they were at first, and without Reply chunks results
	 * of what is not READ are not taken for long: 5 s
	 */
	XPRT_RDMA2_QUIET	= 20,
};

/* Section: what Calls show. The send lock is held. */

/* Are the results of a Call long, and might nevertheless come in Receives? What is not
 * READ often asks for many pages and gets a few bytes, as for an ACL, which is no reason
 * to have long ones. It is one if others have got more of late.
 */
static bool xprt_rdma2_memory_fits(const struct xprt_rdma2_placement *vp,
				   const struct rpc_rqst *rqst)
{
	if (rqst->rq_rcv_buf.flags & XDRBUF_READ)
		return rqst->rq_rcv_buf.page_len <= vp->vp_read_max;
	return READ_ONCE(vp->vp_use.us_replies);
}

/**
 * xprt_rdma2_memory_called - a Call is about to be sent
 * @r_xprt: transport
 * @rqst: the Call
 * @written: its results come by explicit RDMA
 *
 * Data of a READ might have been placed in Receives, and a listing, say, have come in
 * several. Those that a reply has got are of use, too, and stay for the next one.
 *
 * Context: the transport's send lock is held
 */
void xprt_rdma2_memory_called(struct rpcrdma_xprt *r_xprt,
			      const struct rpc_rqst *rqst, bool written)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);
	u32 recvs, length = rqst->rq_rcv_buf.page_len;
	struct xprt_rdma2_use *use;

	if (!me)
		return;
	use = &xprt_rdma2_place_of(me)->vp_use;
	if (rqst->rq_snd_buf.len > RPCRDMA2_DEF_INLINE)
		WRITE_ONCE(use->us_long_calls, true);
	if (READ_ONCE(use->us_asked))
		WRITE_ONCE(use->us_asked, false);
	/* A guess: others may reserve some meanwhile, or return them. */
	recvs = data_race(r_xprt->rx_v2.vx_ledger.reserved_recvs);
	if (written && xprt_rdma2_memory_fits(xprt_rdma2_place_of(me), rqst)) {
		WRITE_ONCE(use->us_data, true);
		if (length > RPCRDMA2_MAX_RECV)
			recvs += DIV_ROUND_UP(length, RPCRDMA2_MAX_RECV);
	}
	if (recvs > READ_ONCE(use->us_recvs))
		WRITE_ONCE(use->us_recvs, recvs);
}

/**
 * xprt_rdma2_memory_replied - a reply has come by a Reply chunk
 * @r_xprt: transport
 *
 * It was too long for a Receive, as that of a listing is.
 *
 * Context: receive handler, or the work item that has invalidated memory
 */
void xprt_rdma2_memory_replied(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);

	if (me)
		WRITE_ONCE(xprt_rdma2_place_of(me)->vp_use.us_replies,
			   XPRT_RDMA2_QUIET);
}

/**
 * xprt_rdma2_memory_credits - a Call takes several credits, or would have
 * @r_xprt: transport
 * @credits: how many it would have taken that it did not get, at most
 *
 * They may be lacking because there are no Receives for them. Those that it got are back
 * when its reply has been dealt with. So this is noted, until a message comes: over a
 * slow network that may take several intervals.
 *
 * Context: the transport's send lock is held
 */
void xprt_rdma2_memory_credits(struct rpcrdma_xprt *r_xprt, u32 credits)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);
	struct xprt_rdma2_use *use;

	if (!me)
		return;
	use = &xprt_rdma2_place_of(me)->vp_use;
	/* A guess, as above. */
	credits += data_race(READ_ONCE(r_xprt->rx_xprt.cong)) >> RPC_CWNDSHIFT;
	if (credits > READ_ONCE(use->us_credits))
		WRITE_ONCE(use->us_credits, credits);
}

/**
 * xprt_rdma2_memory_waiting - a Call has to wait for a credit
 * @r_xprt: transport
 *
 * Where the server grants more than there are Receives for, waiting shows a use for
 * more. Nothing else may show it: as long as all credits are out, no message may come.
 *
 * Context: the transport's send lock is held
 */
void xprt_rdma2_memory_waiting(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);
	u32 credits;

	/* Of what the server grants, only a reply can say that it is more. */
	if (!me || !data_race(READ_ONCE(r_xprt->rx_v2.vx_ledger.missing)))
		return;
	/* A guess, as above. */
	credits = data_race(READ_ONCE(r_xprt->rx_xprt.cong)) >> RPC_CWNDSHIFT;
	spin_lock(&me->me_conn->cn_lock);
	if (me->me_on) {
		rpcrdma2_pool_used(&me->me_posted.po_m, credits + 1, false);
		rpcrdma2_memory_grow(me);
		rpcrdma2_memory_watch(me);
	}
	spin_unlock(&me->me_conn->cn_lock);
}

/* Section: what Receives are for */

/* Reverse credits beyond those that there are always Receives for. */
static u32 xprt_rdma2_more_reverse(u32 credits)
{
	return credits - min_t(u32, credits, XPRT_RDMA2_REVERSE);
}

/* What there is use for. @granted: by the server. The limit to reverse Calls is
 * raised when somebody serves them, which may be long after the connection was made.
 * Context: the transport_lock is held, or what comes out may be out of date. Returns
 * how many Receives that is, but for credits.
 */
static u32 xprt_rdma2_wanted(const struct rpcrdma_xprt *r_xprt, u32 granted,
			     struct rpcrdma2_split *wanted)
{
	const struct xprt_rdma2_use *use =
		&r_xprt->rx_ep->re_v2->ve_place->vp_use;
	const struct rpcrdma2_ledger *l = &r_xprt->rx_v2.vx_ledger;
	u32 reverse = min_t(u32, l->peer_wanted,
			    r_xprt->rx_buf.rb_bc_srv_max_requests);

	wanted->credits = granted;
	wanted->recvs = max3(READ_ONCE(use->us_recvs),
			     READ_ONCE(use->us_recvs_before),
			     l->reserved_recvs);
	wanted->reverse = xprt_rdma2_more_reverse(reverse);
	return wanted->recvs + wanted->reverse;
}

/* Let Receives be used for what there is most use for. @split: what is to be.
 * Context: the transport_lock is held
 */
static void xprt_rdma2_use_split(struct rpcrdma_xprt *r_xprt, u32 granted,
				 const struct rpcrdma2_split *split)
{
	struct rpcrdma2_ledger *l = &r_xprt->rx_v2.vx_ledger;
	u32 reverse = max_t(u32, r_xprt->rx_buf.rb_bc_srv_max_requests, 1);

	/* The receive handler, which alone changes it, reads it without the lock. */
	if (l->granted != granted)
		l->granted = granted;
	l->missing = granted - min_t(u32, granted, split->credits);
	l->recvs = split->recvs;
	l->peer_posted = min_t(u32, reverse, XPRT_RDMA2_REVERSE + split->reverse);
	r_xprt->rx_buf.rb_credits = rpcrdma2_ledger_limit(l);
	rpcrdma2_cong_window(&r_xprt->rx_xprt, rpcrdma2_ledger_window(l));
	WRITE_ONCE(r_xprt->rx_v2.vx_conn.cn_grant, r_xprt->rx_buf.rb_credits);
}

/* Settle what Receives are for, and have them posted before they are counted on.
 * @given: credits that the server grants from now on; 0: as many as before.
 */
static void xprt_rdma2_settle_split(struct rpcrdma_xprt *r_xprt,
				    struct rpcrdma2_memory *me, u32 given)
{
	struct rpcrdma2_ledger *l = &r_xprt->rx_v2.vx_ledger;
	struct rpcrdma2_posted *po = &me->me_posted;
	struct rpcrdma2_split wanted, held, split;
	struct rpcrdma2_gone gone = { };
	u32 granted;
	bool large;

	spin_lock(&r_xprt->rx_xprt.transport_lock);
	granted = given ?: l->granted;
	xprt_rdma2_wanted(r_xprt, granted, &wanted);
	held.credits = rpcrdma2_cong_used(&r_xprt->rx_xprt);
	held.recvs = l->reserved_recvs;
	held.reverse = xprt_rdma2_more_reverse(l->peer_granted);
	split.credits = rpcrdma2_ledger_limit(l);
	split.recvs = l->recvs;
	split.reverse = xprt_rdma2_more_reverse(l->peer_posted);

	spin_lock(&me->me_conn->cn_lock);
	/* The next message looks again. */
	if (!given)
		xprt_rdma2_place_of(me)->vp_use.us_seen.grant = U32_MAX;
	large = me->me_conn->cn_xch.xc_local.rbsiz > me->me_plain;
	if (!large)
		wanted.recvs = 0;
	rpcrdma2_posted_split(po, rpcrdma2_posted_there(po, large), &wanted,
			      &held, &split);
	if (me->me_on)
		xprt_rdma2_refill_lagging(me, &gone);
	spin_unlock(&me->me_conn->cn_lock);

	xprt_rdma2_use_split(r_xprt, granted, &split);
	spin_unlock(&r_xprt->rx_xprt.transport_lock);
	if (rpcrdma2_gone_any(&gone))
		xprt_rdma2_forget(me, &gone);
}

/**
 * xprt_rdma2_memory_lacking - a long reply has not got the Receives that it may take
 * @r_xprt: transport
 * @count: how many its reply may take beyond the first one
 *
 * They may be there for credits that nobody uses. A message would change that, but this
 * Call would be gone by then.
 *
 * Context: the transport's send lock is held
 * Return: true if there may be enough now
 */
bool xprt_rdma2_memory_lacking(struct rpcrdma_xprt *r_xprt, u32 count)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);
	struct rpcrdma2_posted *po;
	struct xprt_rdma2_use *use;
	bool there;

	if (!me)
		return false;
	use = &xprt_rdma2_place_of(me)->vp_use;
	po = &me->me_posted;
	/* A guess, as above. */
	count += data_race(r_xprt->rx_v2.vx_ledger.reserved_recvs);
	spin_lock(&me->me_conn->cn_lock);
	there = count <= rpcrdma2_posted_for_replies(po, rpcrdma2_posted_there(po, true));
	spin_unlock(&me->me_conn->cn_lock);
	if (!there)
		return false;
	if (count > READ_ONCE(use->us_recvs))
		WRITE_ONCE(use->us_recvs, count);
	xprt_rdma2_settle_split(r_xprt, me, 0);
	return true;
}

/* Is what Receives are for still right? Whoever changes something meanwhile comes
 * here again, or the next interval does. Context: cn_lock is held
 */
static bool xprt_rdma2_split_holds(struct rpcrdma_xprt *r_xprt,
				   struct rpcrdma2_memory *me,
				   const struct rpcrdma2_split *wanted)
{
	struct xprt_rdma2_use *use = &xprt_rdma2_place_of(me)->vp_use;
	const struct rpcrdma2_posted *po = &me->me_posted;
	struct xprt_rdma2_seen seen = {
		.wanted		= *wanted,
		.target		= po->po_m.target,
		.buffers	= rpcrdma2_posted_there(po, false),
		.rbsiz		= me->me_conn->cn_xch.xc_local.rbsiz,
		.limit		= r_xprt->rx_buf.rb_bc_srv_max_requests,
		.grant		= po->po_m.grant,
	};

	if (!memcmp(&seen, &use->us_seen, sizeof(seen)))
		return true;
	use->us_seen = seen;
	return false;
}

/* Is the server to be asked for its grant when there is nothing to do? One that has
 * exchanged characteristics can be. It can lower the grant only in an answer, and
 * need not do so in each that might be the last. It has to be asked once to know that.
 * Whoever sends a Call has it asked again. Context: cn_lock is held
 */
static bool xprt_rdma2_may_ask(struct rpcrdma2_memory *me)
{
	const struct xprt_rdma2_use *use = &xprt_rdma2_place_of(me)->vp_use;
	const struct rpcrdma2_ledger *l =
		&xprt_rdma2_conn_xprt(me->me_conn)->rx_v2.vx_ledger;

	/* A guess: the next message looks again. */
	u32 granted = data_race(READ_ONCE(l->granted));

	return me->me_conn->cn_xch.xc_heard && !READ_ONCE(use->us_asked) &&
	       (!use->us_asks || granted > me->me_budget->bu_pool.rules.rest);
}

/* Is there anything to look after in the next interval? Context: cn_lock is held */
static bool xprt_rdma2_memory_rests(struct rpcrdma2_memory *me)
{
	const struct rpcrdma2_xch *xch = &me->me_conn->cn_xch;
	const struct rpcrdma2_member *m = &me->me_posted.po_m;
	const struct rpcrdma2_pool_rules *rules = &me->me_budget->bu_pool.rules;

	if (xch->xc_heard && xch->xc_peer.rbsiz > xch->xc_first)
		return false;
	if (xprt_rdma2_may_ask(me))
		return false;
	/* one with blocks that has given back what it can, and is not to be closed */
	if (m->kind == RPCRDMA2_POOL_BLOCK)
		return m->needed && m->target <= rules->few &&
		       m->quiet > rules->gone &&
		       !rpcrdma2_posted_surplus(&me->me_posted);
	return rpcrdma2_memory_rests(me);
}

/**
 * xprt_rdma2_memory_arrived - a message has been dealt with
 * @r_xprt: transport whose memory follows use
 * @granted: credits that the server grants
 *
 * Context: receive handler
 */
void xprt_rdma2_memory_arrived(struct rpcrdma_xprt *r_xprt, u32 granted)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);
	struct xprt_rdma2_use *use = &xprt_rdma2_place_of(me)->vp_use;
	struct rpcrdma2_xch *xch = &me->me_conn->cn_xch;
	struct rpcrdma2_posted *po = &me->me_posted;
	struct rpcrdma2_gone gone = { };
	struct rpcrdma2_split wanted;
	bool data, again;
	u32 credits, noted, more;

	/* What there is use for is a guess, and counts for a whole interval. */
	more = data_race(xprt_rdma2_wanted(r_xprt, granted, &wanted));
	/* Likewise, as sunrpc changes it. */
	credits = data_race(READ_ONCE(r_xprt->rx_xprt.cong)) >> RPC_CWNDSHIFT;
	noted = READ_ONCE(use->us_credits);
	if (noted)
		WRITE_ONCE(use->us_credits, 0);
	credits = max(credits, noted);
	data = READ_ONCE(use->us_data);
	if (data)
		WRITE_ONCE(use->us_data, false);

	spin_lock(&me->me_conn->cn_lock);
	data |= xch->xc_awaited || use->us_large;
	use->us_large = false;
	/* The server has to hear of longer Receives. */
	data &= xch->xc_heard && !(xch->xc_refused & BIT(ROPT_UPDXCH)) &&
		xch->xc_local.present & RPCRDMA2_HAS_RBSTRUCT;
	if (rpcrdma2_pool_used(&po->po_m, credits + more, data))
		rpcrdma2_memory_grow(me);
	rpcrdma2_memory_asked(me);
	xprt_rdma2_refill_lagging(me, &gone);
	if (!delayed_work_pending(&me->me_tick) && !xprt_rdma2_memory_rests(me))
		rpcrdma2_memory_watch(me);
	again = !xprt_rdma2_split_holds(r_xprt, me, &wanted);
	spin_unlock(&me->me_conn->cn_lock);

	if (again)
		xprt_rdma2_settle_split(r_xprt, me, granted);
	if (rpcrdma2_gone_any(&gone))
		xprt_rdma2_forget(me, &gone);
}

/**
 * xprt_rdma2_memory_held - a message that is not whole holds a Receive
 * @r_xprt: transport
 *
 * If none is posted any more, the server has sent more than it may. The rest cannot come,
 * and what is held is not posted again without it. All else that takes a Receive gives it
 * back, also where there is just one for want of memory.
 *
 * Context: receive handler, when Receives have been posted
 */
void xprt_rdma2_memory_held(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);
	bool dry;

	if (!me)
		return;
	spin_lock(&me->me_conn->cn_lock);
	dry = !me->me_posted.po_count && !r_xprt->rx_ep->re_v2->ve_closing;
	if (dry)
		rpcrdma2_memory_dry(me);
	spin_unlock(&me->me_conn->cn_lock);
	if (dry)
		rpcrdma_force_disconnect(r_xprt->rx_ep);
}

/* Are there callbacks that may come over a connection? It is not to be closed then. */
static bool xprt_rdma2_memory_needed(const struct rpc_xprt *xprt)
{
#if IS_ENABLED(CONFIG_SUNRPC_BACKCHANNEL)
	return READ_ONCE(xprt->bc_serv);
#else
	return false;
#endif
}

/* Ask the server for Receives as short as at first if nothing long was sent for some
 * time. Context: cn_lock is held for a change
 */
static void xprt_rdma2_ask_back(struct rpcrdma2_memory *me)
{
	struct xprt_rdma2_use *use = &xprt_rdma2_place_of(me)->vp_use;

	if (READ_ONCE(use->us_long_calls)) {
		WRITE_ONCE(use->us_long_calls, false);
		use->us_quiet = 0;
	} else if (++use->us_quiet >= XPRT_RDMA2_QUIET) {
		use->us_quiet = 0;
		rpcrdma2_xch_ask_back(&me->me_conn->cn_xch);
	}
}

/* Ask the server for its grant if there has been nothing to do for an interval, or there
 * is nothing now and it has never been asked. An empty request will do. @idle: there has
 * been nothing. Context: nothing is outstanding, and cn_lock is held for a change
 */
static void xprt_rdma2_ask_grant(struct rpcrdma2_memory *me, bool idle)
{
	struct xprt_rdma2_use *use = &xprt_rdma2_place_of(me)->vp_use;

	if (!xprt_rdma2_may_ask(me) || (!idle && use->us_asks))
		return;
	WRITE_ONCE(use->us_asked, idle);
	use->us_asks = true;
	rpcrdma2_xch_flush(&me->me_conn->cn_xch, 1);
}

/* Long replies keep what they took for as long as credits are kept. @hold: intervals */
static void xprt_rdma2_look_back(struct xprt_rdma2_use *use, u32 hold)
{
	u32 recvs = READ_ONCE(use->us_recvs), replies = READ_ONCE(use->us_replies);

	if (recvs >= use->us_recvs_before || ++use->us_fewer >= hold) {
		WRITE_ONCE(use->us_recvs_before, recvs);
		use->us_fewer = 0;
	}
	WRITE_ONCE(use->us_recvs, 0);
	if (replies)
		WRITE_ONCE(use->us_replies, replies - 1);
}

/* An interval is over. A connection that rests is not looked after until something happens
 * to it. What its Receives are for is settled before: what is not used any more can be
 * flushed. Context: system_dfl_wq; over when xprt_rdma2_quiesce() returns.
 */
static void xprt_rdma2_memory_tick(struct work_struct *work)
{
	struct rpcrdma2_memory *me =
		container_of(to_delayed_work(work), struct rpcrdma2_memory,
			     me_tick);
	struct xprt_rdma2_use *use = &xprt_rdma2_place_of(me)->vp_use;
	struct rpcrdma_xprt *r_xprt = xprt_rdma2_conn_xprt(me->me_conn);
	struct rpcrdma2_posted *po = &me->me_posted;
	struct rpcrdma2_gone gone = { };
	enum rpcrdma2_pool_turn turn;
	unsigned long out;
	bool idle;

	xprt_rdma2_look_back(use, me->me_budget->bu_pool.rules.hold);
	xprt_rdma2_settle_split(r_xprt, me, 0);

	/* A Call that is sent meanwhile goes over the next connection, if any. */
	out = data_race(READ_ONCE(r_xprt->rx_xprt.cong)) >> RPC_CWNDSHIFT;
	rpcrdma2_conn_change_begin(me->me_conn);
	idle = !po->po_m.peak;
	po->po_m.needed = xprt_rdma2_memory_needed(&r_xprt->rx_xprt);
	turn = rpcrdma2_memory_turn(me, out ?: po->po_m.needed);
	if (test_bit(XPRT_CWND_WAIT, &r_xprt->rx_xprt.state)) {
		rpcrdma2_pool_used(&po->po_m, out + 1, false);
		rpcrdma2_memory_grow(me);
	}
	if (!out && turn != RPCRDMA2_POOL_CLOSE) {
		rpcrdma2_xch_flush(&me->me_conn->cn_xch,
				   rpcrdma2_posted_surplus(po));
		xprt_rdma2_ask_grant(me, idle);
	}
	xprt_rdma2_ask_back(me);
	rpcrdma2_memory_asked(me);
	xprt_rdma2_refill(me, &gone);
	rpcrdma2_memory_tell(me);
	if (turn != RPCRDMA2_POOL_CLOSE && !xprt_rdma2_memory_rests(me))
		rpcrdma2_memory_watch(me);
	rpcrdma2_conn_change_end(me->me_conn);
	if (rpcrdma2_gone_any(&gone))
		xprt_rdma2_forget(me, &gone);
	if (turn == RPCRDMA2_POOL_CLOSE)
		xprt_force_disconnect(&r_xprt->rx_xprt);
}

/* The work item is done. */
static void xprt_rdma2_memory_worked(struct rpcrdma2_memory *me)
{
	xprt_rdma2_settle_split(xprt_rdma2_conn_xprt(me->me_conn), me, 0);
}

const struct rpcrdma2_memory_ops xprt_rdma2_memory_ops = {
	.allocate	= xprt_rdma2_allocate,
	.add		= xprt_rdma2_add,
	.refill		= xprt_rdma2_refill,
	.forget		= xprt_rdma2_forget,
	.worked		= xprt_rdma2_memory_worked,
	.tick		= xprt_rdma2_memory_tick,
};

/* Show what a connection has. Context: cn_lock is held */
static void xprt_rdma2_memory_show(struct rpcrdma2_conn *conn, struct seq_file *seq)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(xprt_rdma2_conn_xprt(conn));

	if (me)
		rpcrdma2_memory_show(me, seq);
}

/**
 * xprt_rdma2_memory_shown - say whether a connection has anything more to show
 * @conn: its record
 * @shown: it has
 */
void xprt_rdma2_memory_shown(struct rpcrdma2_conn *conn, bool shown)
{
	spin_lock(&conn->cn_lock);
	conn->cn_show = shown ? xprt_rdma2_memory_show : NULL;
	spin_unlock(&conn->cn_lock);
}

/**
 * xprt_rdma2_memory_decide - decide what the Receives are going to be like
 * @r_xprt: transport whose server has settled on a version
 * @version: the version; 0 if there is none in common
 *
 * Context: receive handler
 */
void xprt_rdma2_memory_decide(struct rpcrdma_xprt *r_xprt, u32 version)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);

	if (!me || version == RPCRDMA2_VERSION)
		return;
	rpcrdma2_memory_closing(me);
	r_xprt->rx_ep->re_receive_count = me->me_posted.po_count;
	rpcrdma2_memory_off(me);
	xprt_rdma2_memory_shown(me->me_conn, false);
}

/**
 * xprt_rdma2_memory_drained - free what a connection had
 * @r_xprt: transport whose queues are empty
 *
 * Context: nobody takes buffers off rb_free_reps
 */
void xprt_rdma2_memory_drained(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);

	if (!me)
		return;
	xprt_rdma2_memory_shown(me->me_conn, false);
	xprt_rdma2_recvs_prune(r_xprt);
	WRITE_ONCE(me->me_conn->cn_place_kb, 0);
}
