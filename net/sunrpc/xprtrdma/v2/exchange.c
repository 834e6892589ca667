// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: characteristics that change while a connection is
 * in use.
 *
 * Two state machines for each characteristic: this end asks for a value of the
 * peer's, and this end is asked for one of its own. Invariants:
 *
 * C1. At most one change of a characteristic is under way in each direction
 *     a bit is in one of xc_wish, xc_requested and xc_pending, and in
 *     xc_busy only once.
 * C2. What the peer is told is in force when it is told, and stays so:
 *     RBSIZ is raised only when no shorter Receive is posted.
 * C3. RBSIZ becomes lower only because the peer asked for it.
 * C4. ROPT_UPDXCH never overtakes ROPT_RESPXCH: the peer knows what is pending
 *     before it is told of the end of that, and takes the later value for
 *     the one that holds.
 * C5. Of ROPT_UPDXCH and ROPT_REPTERR no more than two are unconfirmed.
 * C6. A raise of RBSIZ needs no traffic but its own, and has no more of that
 *     than one empty ROPT_REQXCH at a time and as many as there are Receives to
 *     be used up.
 *     Receives that no credit needs are used up in the same way.
 * C7. A wish for longer Receives never asks for shorter ones, however long the
 *     peer's have become meanwhile. Once rpcrdma2_xch_next() has given the
 *     request it cannot be called back, and is like one that the news crosses.
 * C8. Where memory has to be provided for longer Receives, a raise does not begin
 *     before it is there: the peer waits, and is told of what came of it. Nor
 *     does it end before there is a longer one for whatever may come.
 */

#include "codec_priv.h"
#include "exchange.h"

const char * const rpcrdma2_xch_event_names[RPCRDMA2_XE_NR] = {
	[RPCRDMA2_XE_REQXCH_SENT]	= "reqxch_sent",
	[RPCRDMA2_XE_REQXCH_RECEIVED]	= "reqxch_received",
	[RPCRDMA2_XE_RESPXCH_RECEIVED]	= "respxch_received",
	[RPCRDMA2_XE_UPDXCH_SENT]	= "updxch_sent",
	[RPCRDMA2_XE_UPDXCH_RECEIVED]	= "updxch_received",
	[RPCRDMA2_XE_UPDXCH_ODD]	= "updxch_odd",
	[RPCRDMA2_XE_GAVE]		= "changes_done",
	[RPCRDMA2_XE_GAVE_LATER]	= "changes_pended",
	[RPCRDMA2_XE_GAVE_NOT]		= "changes_rejected",
	[RPCRDMA2_XE_GAVE_UP]		= "changes_given_up",
	[RPCRDMA2_XE_GOT]		= "wishes_fulfilled",
	[RPCRDMA2_XE_GOT_PART]		= "wishes_partly",
	[RPCRDMA2_XE_GOT_NOT]		= "wishes_denied",
};

/**
 * rpcrdma2_recvq_resize - have Receives of another length posted from now on
 * @rq: Receives
 * @size: the length, in bytes
 *
 * What is posted cannot be called back. It counts as shorter until it is used
 * up, unless all of it is known to be long enough.
 */
void rpcrdma2_recvq_resize(struct rpcrdma2_recvq *rq, u32 size)
{
	if (size > rq->rq_size)
		rq->rq_behind = rq->rq_posted;
	if (size != rq->rq_size)
		rq->rq_before = rq->rq_bytes;
	rq->rq_size = size;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_recvq_resize);

/**
 * rpcrdma2_xch_reset - nothing is known yet
 * @xch: characteristics of a connection that is about to be made
 *
 * Values live as long as one connection. Events go on, and so do the
 * client's buffers.
 */
void rpcrdma2_xch_reset(struct rpcrdma2_xch *xch)
{
	u32 buffers = xch->xc_recvq.rq_buffers;
	u32 counts[RPCRDMA2_XE_NR];

	memcpy(counts, xch->xc_counts, sizeof(counts));
	memset(xch, 0, sizeof(*xch));
	memcpy(xch->xc_counts, counts, sizeof(counts));
	xch->xc_recvq.rq_buffers = buffers;
	rpcrdma2_xchars_default(&xch->xc_local);
	rpcrdma2_xchars_default(&xch->xc_peer);
	rpcrdma2_xchars_default(&xch->xc_want);
	xch->xc_usable = RPCRDMA2_DEF_INLINE;
	xch->xc_denied = U32_MAX;
	/* Zero stands for "not known" */
	xch->xc_epoch = 1;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_reset);

/**
 * rpcrdma2_xch_begin - set what this end is going to say of itself
 * @xch: characteristics after a reset
 * @ops: this end
 * @local: what ROPT_INITXCH will say
 */
void rpcrdma2_xch_begin(struct rpcrdma2_xch *xch,
			const struct rpcrdma2_xch_ops *ops,
			const struct rpcrdma2_xchars *local)
{
	xch->xc_ops = ops;
	xch->xc_local = *local;
	xch->xc_usable = local->rbsiz;
	xch->xc_own_seen = local->rbsiz;
	rpcrdma2_recvq_resize(&xch->xc_recvq, local->rbsiz);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_begin);

/**
 * rpcrdma2_xch_initxch - take what the peer says of itself
 * @xch: characteristics
 * @peer: decoded ROPT_INITXCH
 *
 * Return: %false if it is not the first one, and therefore ignored (A-47, N-90)
 */
bool rpcrdma2_xch_initxch(struct rpcrdma2_xch *xch,
			  const struct rpcrdma2_xchars *peer)
{
	if (xch->xc_heard)
		return false;
	xch->xc_heard = true;
	xch->xc_peer = *peer;
	xch->xc_first = peer->rbsiz;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_initxch);

/* Section: this end is asked */

/* Have shorter Receives posted. It holds at once. A raise that was announced but not
 * confirmed is void.
 */
static void rpcrdma2_xch_lower(struct rpcrdma2_xch *xch, u32 size)
{
	u32 i;

	for (i = 0; i < xch->xc_nr_announced; i++)
		if (xch->xc_announced[i].n == RPCRDMA2_RBSIZ)
			xch->xc_announced[i].value = size;
	xch->xc_own &= ~RPCRDMA2_HAS_RBSIZ;
	xch->xc_announce &= ~RPCRDMA2_HAS_RBSIZ;
	xch->xc_nudges = 0;
	xch->xc_local.rbsiz = size;
	xch->xc_usable = min_t(u32, xch->xc_usable, size);
	rpcrdma2_recvq_resize(&xch->xc_recvq, size);
}

/* Have longer Receives posted. @size: longer than up to now. On an idle connection
 * nothing would use up the shorter ones. Answers to requests of this end do: there
 * may be one for each of them, and not more, so that the two ends do not keep each
 * other busy where longer ones cannot be had for lack of memory.
 */
static void rpcrdma2_xch_raise(struct rpcrdma2_xch *xch, u32 size)
{
	rpcrdma2_recvq_resize(&xch->xc_recvq, size);
	xch->xc_nudges = xch->xc_recvq.rq_posted;
}

/* Is the peer waiting for a raise of RBSIZ? False if it is not, or if only
 * ROPT_UPDXCH about it is due.
 */
static bool rpcrdma2_xch_pended(const struct rpcrdma2_xch *xch)
{
	return xch->xc_busy & ~xch->xc_finished & RPCRDMA2_HAS_RBSIZ;
}

/* Is a raise of RBSIZ under way? True if it is, whoever wants it. */
static bool rpcrdma2_xch_raising(const struct rpcrdma2_xch *xch)
{
	return xch->xc_own & RPCRDMA2_HAS_RBSIZ || rpcrdma2_xch_pended(xch);
}

/* The peer wants other Receives here. @want: how long, among others. Returns what
 * becomes of it.
 */
static enum rpcrdma2_element_fate
rpcrdma2_xch_asked_rbsiz(struct rpcrdma2_xch *xch,
			 const struct rpcrdma2_xchars *want)
{
	struct rpcrdma2_recvq *rq = &xch->xc_recvq;
	u32 now = xch->xc_local.rbsiz;

	if (want->rbsiz < RPCRDMA2_DEF_INLINE)
		return RPCRDMA2_REJECTED;
	if (want->rbsiz > now) {
		if (want->rbsiz > xch->xc_ops->max_recv(xch) ||
		    xch->xc_refused & BIT(ROPT_UPDXCH))
			return RPCRDMA2_REJECTED;
		if (want->rbsiz > rq->rq_size && xch->xc_ops->provides)
			xch->xc_awaited = want->rbsiz;
		else if (want->rbsiz > rq->rq_size)
			rpcrdma2_xch_raise(xch, want->rbsiz);
		return RPCRDMA2_PENDING;
	}
	if (want->rbsiz < now) {
		if (xch->xc_ops->may_lower &&
		    !xch->xc_ops->may_lower(xch, want->rbsiz))
			return RPCRDMA2_REJECTED;
		rpcrdma2_xch_lower(xch, want->rbsiz);
	}
	return RPCRDMA2_DONE;
}

/* Decide about one element of a request (X-43, X-47, X-53, N-102). @want: to which
 * value, among others. What this end is like may not be settled before both have
 * said ROPT_INITXCH, nor could the peer be told of a change. Returns what
 * becomes of it.
 */
static enum rpcrdma2_element_fate rpcrdma2_xch_fate(struct rpcrdma2_xch *xch, u32 n,
						    const struct rpcrdma2_xchars *want)
{
	const struct rpcrdma2_xchar *row = &rpcrdma2_xchar_table[n];

	if ((xch->xc_local.nochg | xch->xc_busy) & BIT(n) ||
	    !(row->ends & xch->xc_ops->end) ||
	    !xch->xc_heard || !xch->xc_stated)
		return RPCRDMA2_REJECTED;
	if (n == RPCRDMA2_RBSIZ)
		return rpcrdma2_xch_asked_rbsiz(xch, want);
	if (row->type == RPCRDMA2_XT_RBSTRUCT ||
	    rpcrdma2_xchar_value(want, n) !=
	    rpcrdma2_xchar_value(&xch->xc_local, n))
		return RPCRDMA2_REJECTED;
	return RPCRDMA2_DONE;
}

/* Decide about one element, and take a note. */
static void rpcrdma2_xch_decide(struct rpcrdma2_xch *xch, u32 n,
				const struct rpcrdma2_reqxch *req,
				struct rpcrdma2_respxch *resp)
{
	switch (rpcrdma2_xch_fate(xch, n, &req->want)) {
	case RPCRDMA2_DONE:
		rpcrdma2_subset_set(&resp->done, req->element[n]);
		xch->xc_counts[RPCRDMA2_XE_GAVE]++;
		break;
	case RPCRDMA2_PENDING:
		rpcrdma2_subset_set(&resp->pend, req->element[n]);
		xch->xc_busy |= BIT(n);
		xch->xc_counts[RPCRDMA2_XE_GAVE_LATER]++;
		break;
	case RPCRDMA2_REJECTED:
		break;
	}
}

/**
 * rpcrdma2_xch_reqxch - decide about a request of the peer
 * @xch: characteristics
 * @req: decoded ROPT_REQXCH
 * @resp: OUT: the answer, in which every element is in just one subset
 *
 * rpcrdma2_xch_answered() has to follow.
 */
void rpcrdma2_xch_reqxch(struct rpcrdma2_xch *xch,
			 const struct rpcrdma2_reqxch *req,
			 struct rpcrdma2_respxch *resp)
{
	u32 i, n, last = RPCRDMA2_SUBSET_WORDS * 32;

	memset(resp, 0, sizeof(*resp));
	xch->xc_counts[RPCRDMA2_XE_REQXCH_RECEIVED]++;
	xch->xc_unanswered++;
	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++)
		if (req->want.present & BIT(n))
			rpcrdma2_xch_decide(xch, n, req, resp);
	for (i = 0; i < min_t(u32, req->count, last); i++) {
		if (rpcrdma2_subset_test(&resp->done, i) ||
		    rpcrdma2_subset_test(&resp->pend, i))
			continue;
		rpcrdma2_subset_set(&resp->rej, i);
		xch->xc_counts[RPCRDMA2_XE_GAVE_NOT]++;
	}
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_reqxch);

/* A change of RBSIZ has come to its end. @xch: characteristics, the value in force
 * in @xch->xc_local.
 */
static void rpcrdma2_xch_finish(struct rpcrdma2_xch *xch)
{
	xch->xc_own &= ~RPCRDMA2_HAS_RBSIZ;
	xch->xc_finished |= xch->xc_busy & RPCRDMA2_HAS_RBSIZ;
	xch->xc_announce |= RPCRDMA2_HAS_RBSIZ;
	xch->xc_nudges = 0;
}

/* Let a raise of RBSIZ come to nothing. A peer that was told to wait is told the
 * value that stays.
 */
static void rpcrdma2_xch_give_up(struct rpcrdma2_xch *xch)
{
	rpcrdma2_recvq_resize(&xch->xc_recvq, xch->xc_local.rbsiz);
	if (rpcrdma2_xch_pended(xch)) {
		xch->xc_counts[RPCRDMA2_XE_GAVE_UP]++;
		rpcrdma2_xch_finish(xch);
	}
	xch->xc_own &= ~RPCRDMA2_HAS_RBSIZ;
	xch->xc_nudges = 0;
}

/**
 * rpcrdma2_xch_own_value - change a value that needs no time
 * @xch: characteristics
 * @n: which one; not RBSIZ
 * @value: the value
 */
void rpcrdma2_xch_own_value(struct rpcrdma2_xch *xch, u32 n, u32 value)
{
	if (xch->xc_local.nochg & BIT(n) ||
	    rpcrdma2_xchar_value(&xch->xc_local, n) == value)
		return;
	rpcrdma2_xchar_set(&xch->xc_local, n, value);
	xch->xc_announce |= BIT(n);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_own_value);

/**
 * rpcrdma2_xch_provide - there is memory for longer Receives
 * @xch: characteristics of an end that provides it
 * @size: their length, in bytes; they are going to be posted
 *
 * The raise begins. Serves X-75, C8.
 *
 * Return: %false if the peer cannot be told of it, or is told of as much already
 */
bool rpcrdma2_xch_provide(struct rpcrdma2_xch *xch, u32 size)
{
	if (xch->xc_local.nochg & RPCRDMA2_HAS_RBSIZ ||
	    xch->xc_refused & BIT(ROPT_UPDXCH) ||
	    size <= xch->xc_recvq.rq_size)
		return false;
	xch->xc_awaited = 0;
	rpcrdma2_xch_raise(xch, size);
	if (!rpcrdma2_xch_pended(xch))
		xch->xc_own |= RPCRDMA2_HAS_RBSIZ;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_provide);

/**
 * rpcrdma2_xch_own_recv - the administrator wants Receives of this length
 * @xch: characteristics
 * @size: the length, in bytes
 *
 * Only a change of mind counts, so that it does not undo what the peer has
 * asked for later. Longer ones are posted from now on, unless the peer has no
 * ears for that; for shorter ones the peer would have to ask.
 */
void rpcrdma2_xch_own_recv(struct rpcrdma2_xch *xch, u32 size)
{
	if (size == xch->xc_own_seen)
		return;
	xch->xc_own_seen = size;
	rpcrdma2_xch_provide(xch, size);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_own_recv);

/**
 * rpcrdma2_xch_withhold - there is no memory for longer Receives
 * @xch: characteristics of an end that provides it
 *
 * If the peer has asked for them, it is told the value that stays.
 */
void rpcrdma2_xch_withhold(struct rpcrdma2_xch *xch)
{
	if (!xch->xc_awaited)
		return;
	xch->xc_awaited = 0;
	rpcrdma2_xch_give_up(xch);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_withhold);

/**
 * rpcrdma2_xch_progress - see how far a raise of RBSIZ has come
 * @xch: characteristics
 *
 * It is complete when the last Receive that was shorter is used up, and
 * none has to be posted again. It is given up if the bound was lowered beneath it.
 */
void rpcrdma2_xch_progress(struct rpcrdma2_xch *xch)
{
	struct rpcrdma2_recvq *rq = &xch->xc_recvq;

	if (!rpcrdma2_xch_raising(xch) || xch->xc_awaited)
		return;
	if (!rq->rq_behind) {
		if (xch->xc_ops->may_tell && !xch->xc_ops->may_tell(xch))
			return;
		xch->xc_local.rbsiz = rq->rq_size;
		rpcrdma2_xch_finish(xch);
	} else if (rq->rq_size > xch->xc_ops->max_recv(xch)) {
		rpcrdma2_xch_give_up(xch);
	}
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_progress);

/**
 * rpcrdma2_xch_stir - the administrator has set something about Receives
 * @xch: characteristics
 * @size: length that he wants, in bytes
 *
 * If that makes a difference, it is seen when the next message arrives. A
 * request has one arrive.
 */
void rpcrdma2_xch_stir(struct rpcrdma2_xch *xch, u32 size)
{
	if (xch->xc_refused & BIT(ROPT_UPDXCH))
		return;
	if (size > xch->xc_recvq.rq_size || rpcrdma2_xch_raising(xch))
		xch->xc_nudges = max_t(u32, xch->xc_nudges, 1);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_stir);

/* Section: this end asks */

/* Is there any use in asking for a value? @want: to which
 * value, among others. False if the peer would have to reject it, or has it.
 */
static bool rpcrdma2_xch_may_ask(const struct rpcrdma2_xch *xch, u32 n,
				 const struct rpcrdma2_xchars *want)
{
	u32 under_way = xch->xc_requested | xch->xc_pending;

	if ((xch->xc_peer.nochg | under_way) & BIT(n) ||
	    xch->xc_refused & BIT(ROPT_REQXCH))
		return false;
	if (n == RPCRDMA2_RBSIZ && want->rbsiz < xch->xc_peer.rbsiz &&
	    !xch->xc_ops->asks_lower)
		return false;
	return rpcrdma2_xchar_table[n].type == RPCRDMA2_XT_RBSTRUCT ||
	       rpcrdma2_xchar_value(want, n) !=
	       rpcrdma2_xchar_value(&xch->xc_peer, n);
}

/**
 * rpcrdma2_xch_ask - wish for other values of the peer
 * @xch: characteristics
 * @want: the values, those that are present
 *
 * They are asked for with the next ROPT_REQXCH. An earlier wish that was not
 * asked for yet is replaced.
 *
 * Return: bits of those that will be asked for
 */
u32 rpcrdma2_xch_ask(struct rpcrdma2_xch *xch, const struct rpcrdma2_xchars *want)
{
	struct rpcrdma2_xchars one;
	u32 n, bits = 0;

	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++) {
		if (!(want->present & BIT(n)) ||
		    !rpcrdma2_xch_may_ask(xch, n, want))
			continue;
		rpcrdma2_xchars_one(want, n, &one);
		rpcrdma2_xchars_apply(&xch->xc_want, &one);
		if (n == RPCRDMA2_RBSIZ)
			xch->xc_longer = one.rbsiz > xch->xc_peer.rbsiz;
		bits |= BIT(n);
	}
	xch->xc_wish |= bits;
	return bits;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_ask);

/**
 * rpcrdma2_xch_ask_back - wish for Receives of the peer's as short as at first
 * @xch: characteristics; this end has no use for longer ones
 *
 * A peer that has made them longer meanwhile can do so again.
 *
 * Return: %true if it will be asked
 */
bool rpcrdma2_xch_ask_back(struct rpcrdma2_xch *xch)
{
	struct rpcrdma2_xchars want;

	if (!xch->xc_heard || xch->xc_peer.rbsiz <= xch->xc_first)
		return false;
	rpcrdma2_xchars_default(&want);
	rpcrdma2_xchar_set(&want, RPCRDMA2_RBSIZ,
			   max_t(u32, xch->xc_first, RPCRDMA2_DEF_INLINE));
	return rpcrdma2_xch_ask(xch, &want);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_ask_back);

/**
 * rpcrdma2_xch_review - forget wishes that need not be asked for any more
 * @xch: characteristics; values of the peer's may have changed since
 */
void rpcrdma2_xch_review(struct rpcrdma2_xch *xch)
{
	bool longer;
	u32 n;

	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++) {
		/* as good, and not to be made shorter */
		longer = n == RPCRDMA2_RBSIZ && xch->xc_longer &&
			 xch->xc_want.rbsiz < xch->xc_peer.rbsiz;
		if (!(xch->xc_wish & BIT(n)) ||
		    (!longer && rpcrdma2_xch_may_ask(xch, n, &xch->xc_want)))
			continue;
		xch->xc_wish &= ~BIT(n);
		xch->xc_counts[RPCRDMA2_XE_GOT]++;
	}
}

/* A value was asked for in vain. A peer that does not want to get along with less
 * may still offer more.
 */
static void rpcrdma2_xch_denied(struct rpcrdma2_xch *xch, u32 n)
{
	xch->xc_counts[RPCRDMA2_XE_GOT_NOT]++;
	if (n == RPCRDMA2_RBSIZ && xch->xc_want.rbsiz > xch->xc_peer.rbsiz)
		xch->xc_denied = min_t(u32, xch->xc_denied, xch->xc_want.rbsiz);
}

/* Take what the peer says of one element. */
static void rpcrdma2_xch_outcome(struct rpcrdma2_xch *xch, u32 n,
				 enum rpcrdma2_element_fate fate)
{
	struct rpcrdma2_xchars one;

	switch (fate) {
	case RPCRDMA2_DONE:
		rpcrdma2_xchars_one(&xch->xc_want, n, &one);
		rpcrdma2_xchars_apply(&xch->xc_peer, &one);
		xch->xc_counts[RPCRDMA2_XE_GOT]++;
		break;
	case RPCRDMA2_PENDING:
		xch->xc_pending |= BIT(n);
		break;
	case RPCRDMA2_REJECTED:
		rpcrdma2_xch_denied(xch, n);
		break;
	}
}

/**
 * rpcrdma2_xch_respxch - take the answer to a request
 * @xch: characteristics
 * @xid: its rdma_xid
 * @resp: decoded ROPT_RESPXCH, or NULL if all is rejected (X-44, N-104)
 *
 * It also confirms what was announced before the request was sent.
 *
 * Return: %false if there is no such request (N-103)
 */
bool rpcrdma2_xch_respxch(struct rpcrdma2_xch *xch, __be32 xid,
			  const struct rpcrdma2_respxch *resp)
{
	u32 n, requested = xch->xc_requested;

	if (!xch->xc_req_open || xid != xch->xc_req_xid)
		return false;
	xch->xc_counts[RPCRDMA2_XE_RESPXCH_RECEIVED] += !!resp;
	xch->xc_req_open = false;
	xch->xc_requested = 0;
	rpcrdma2_xch_confirm(xch, xch->xc_req_epoch);
	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++)
		if (requested & BIT(n))
			rpcrdma2_xch_outcome(xch, n, resp ?
				rpcrdma2_respxch_fate(resp, xch->xc_element[n]) :
				RPCRDMA2_REJECTED);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_respxch);

/**
 * rpcrdma2_xch_error - RDMA2_ERROR may be about one of our messages
 * @xch: characteristics
 * @xid: its rdma_xid
 * @code: its rdma_err
 *
 * INVAL_OPTION ends the use of what it is about. A peer that refuses
 * ROPT_UPDXCH does not know what it was told.
 *
 * Return: ROPT_REQXCH or ROPT_UPDXCH, or 0 if it is not about one of them
 */
u32 rpcrdma2_xch_error(struct rpcrdma2_xch *xch, __be32 xid, u32 code)
{
	u32 i;

	if (rpcrdma2_xch_respxch(xch, xid, NULL)) {
		if (code == RDMA2_ERR_INVAL_OPTION) {
			xch->xc_refused |= BIT(ROPT_REQXCH);
			xch->xc_wish = 0;
		}
		return ROPT_REQXCH;
	}
	for (i = 0; i < xch->xc_nr_announced; i++) {
		if (xch->xc_announced[i].n == RPCRDMA2_NUM_XCHARS ||
		    xch->xc_announced[i].xid != xid)
			continue;
		rpcrdma2_xch_forget(xch, i);
		if (code == RDMA2_ERR_INVAL_OPTION) {
			xch->xc_refused |= BIT(ROPT_UPDXCH);
			xch->xc_announce = 0;
		}
		return ROPT_UPDXCH;
	}
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_error);

/* A pending request has come to its end. */
static void rpcrdma2_xch_concluded(struct rpcrdma2_xch *xch, u32 n, u32 before)
{
	u32 now = rpcrdma2_xchar_value(&xch->xc_peer, n);

	xch->xc_pending &= ~BIT(n);
	if (now == rpcrdma2_xchar_value(&xch->xc_want, n))
		xch->xc_counts[RPCRDMA2_XE_GOT]++;
	else if (now == before)
		rpcrdma2_xch_denied(xch, n);
	else
		xch->xc_counts[RPCRDMA2_XE_GOT_PART]++;
}

/**
 * rpcrdma2_xch_updxch - take what the peer announces
 * @xch: characteristics
 * @upd: decoded ROPT_UPDXCH
 *
 * The value counts in any case; what does not fit it is counted.
 */
void rpcrdma2_xch_updxch(struct rpcrdma2_xch *xch,
			 const struct rpcrdma2_updxch *upd)
{
	u32 before, n = rpcrdma2_xchar_find(upd->which);

	xch->xc_counts[RPCRDMA2_XE_UPDXCH_RECEIVED]++;
	if (n == RPCRDMA2_NUM_XCHARS) {
		xch->xc_counts[RPCRDMA2_XE_UPDXCH_ODD]++;
		return;
	}
	before = rpcrdma2_xchar_value(&xch->xc_peer, n);
	rpcrdma2_xchars_apply(&xch->xc_peer, &upd->now);
	rpcrdma2_xch_review(xch);
	if (n == RPCRDMA2_RBSIZ)
		xch->xc_denied = U32_MAX;

	if (!upd->now.present || xch->xc_peer.nochg & BIT(n) ||
	    (upd->pendclr && !(xch->xc_pending & BIT(n))))
		xch->xc_counts[RPCRDMA2_XE_UPDXCH_ODD]++;
	if (upd->pendclr && xch->xc_pending & BIT(n))
		rpcrdma2_xch_concluded(xch, n, before);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_updxch);

/* Section: what the peer is sure to know */

/**
 * rpcrdma2_xch_forget - take an announcement off the list
 * @xch: characteristics
 * @i: which one
 */
void rpcrdma2_xch_forget(struct rpcrdma2_xch *xch, u32 i)
{
	xch->xc_nr_announced--;
	for (; i < xch->xc_nr_announced; i++)
		xch->xc_announced[i] = xch->xc_announced[i + 1];
}

/**
 * rpcrdma2_xch_confirm - an answer to one of our Calls came
 * @xch: characteristics
 * @epoch: @xch->xc_epoch at the time when the Call was sent
 *
 * Whatever was announced before that has been received.
 */
void rpcrdma2_xch_confirm(struct rpcrdma2_xch *xch, u32 epoch)
{
	const struct rpcrdma2_announced *first = &xch->xc_announced[0];

	while (xch->xc_nr_announced && first->epoch && first->epoch <= epoch) {
		if (first->n == RPCRDMA2_RBSIZ)
			xch->xc_usable = first->value;
		rpcrdma2_xch_forget(xch, 0);
	}
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_confirm);
