// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: the credits of a connection, as one end has them.
 *
 * A Call holds a credit for each of its transmissions from when it is sent until
 * a message arrives that ends it, even if its caller gives it up before.
 * sunrpc forgets such a Call at once, so that its xid has to be kept here. If
 * the message refuses a Call of several transmissions, these may still be on
 * their way: all of its credits but one are owed until a Call is answered that
 * was sent later. The server has all of its Calls in @out, the client those that
 * were given up.
 *
 * Invariants:
 *
 * L1. No credit is taken beyond rpcrdma2_ledger_limit(). The caller says how many
 *     are in use, and counts what it is told to take or to give back.
 * L2. A credit is in one place: first ones with RPCs that sunrpc knows or with
 *     Calls that were given up; the others with a Call, with one that was given
 *     up, or owed; one with our ROPT_REQXCH. Receives likewise, or with the rest
 *     of a reply that is being discarded.
 * L3. At least one credit is never reserved, and a quarter of four or more:
 *     Calls that need only one do not wait for long ones. Who does not get
 *     enough uses explicit RDMA and waits for nobody.
 * L4. The peer is granted no more than Receives are posted for (D-18, D-19), and
 *     never uses more than it was granted once.
 * L5. Nobody holds credits and waits for more (C-25).
 * L6. What was taken on another connection counts for nothing.
 */

#include "codec_priv.h"
#include "ledger.h"

/* Section: Calls that hold credits */

/**
 * rpcrdma2_outstanding_next - number a Call
 * @calls: those that are known
 *
 * Calls are sent in the order of their numbers. Only whoever sends them may call this;
 * others may look at the number meanwhile.
 *
 * Return: the number
 */
u32 rpcrdma2_outstanding_next(struct rpcrdma2_outstanding *calls)
{
	u32 order = calls->order;

	WRITE_ONCE(calls->order, order + 1);
	return order;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_outstanding_next);

/* Find a Call. @calls: those that are known. @xid: its xid. Returns the Call, or
 * NULL.
 */
static struct rpcrdma2_outstanding_call *
rpcrdma2_outstanding_find(struct rpcrdma2_outstanding *calls, __be32 xid)
{
	u32 i;

	for (i = 0; i < calls->count; i++)
		if (calls->calls[i].xid == xid)
			return &calls->calls[i];
	return NULL;
}

/**
 * rpcrdma2_outstanding_more - how many credits a Call has to take before it is sent
 * @calls: those that are known
 * @xid: its xid; the caller has its first credit already
 * @credits: credits it is going to hold, one at least
 *
 * One that is sent again holds what it took the first time.
 *
 * Return: the number
 */
u32 rpcrdma2_outstanding_more(struct rpcrdma2_outstanding *calls, __be32 xid, u32 credits)
{
	const struct rpcrdma2_outstanding_call *call = rpcrdma2_outstanding_find(calls, xid);
	u32 held = call ? call->credits : 1;

	return credits - min_t(u32, credits, held);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_outstanding_more);

/**
 * rpcrdma2_outstanding_sent - a Call takes its credits along
 * @calls: those that are known
 * @call: the Call
 *
 * One that is known already is sent again.
 *
 * Return: %false if there are too many to remember this one
 */
bool rpcrdma2_outstanding_sent(struct rpcrdma2_outstanding *calls,
			       const struct rpcrdma2_outstanding_call *call)
{
	struct rpcrdma2_outstanding_call *known = rpcrdma2_outstanding_find(calls, call->xid);

	if (known) {
		known->credits = max_t(u32, known->credits, call->credits);
		known->again++;
		return true;
	}
	if (calls->count == RPCRDMA2_MAX_OUTSTANDING)
		return false;
	known = &calls->calls[calls->count++];
	*known = *call;
	known->given_up = false;
	known->again = 0;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_outstanding_sent);

static void rpcrdma2_outstanding_forget(struct rpcrdma2_outstanding *calls,
					struct rpcrdma2_outstanding_call *call)
{
	if (call->given_up)
		calls->given_up -= call->credits;
	*call = calls->calls[--calls->count];
}

/**
 * rpcrdma2_outstanding_unsent - a Call could not be sent after all
 * @calls: those that are known
 * @xid: its xid
 *
 * One that was sent before keeps its credits until that is answered.
 *
 * Return: credits beyond the first one, which the caller has to return
 */
u32 rpcrdma2_outstanding_unsent(struct rpcrdma2_outstanding *calls, __be32 xid)
{
	struct rpcrdma2_outstanding_call *call = rpcrdma2_outstanding_find(calls, xid);
	u32 credits;

	if (!call)
		return 0;
	if (call->again) {
		call->again--;
		return 0;
	}
	credits = call->credits - 1;
	rpcrdma2_outstanding_forget(calls, call);
	return credits;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_outstanding_unsent);

/**
 * rpcrdma2_outstanding_known - is there a Call that was not answered?
 * @calls: those that are known
 * @xid: its xid
 * @only_opt: only if it went by RDMA2_OPTIONAL
 *
 * Return: %false if there is none
 */
bool rpcrdma2_outstanding_known(struct rpcrdma2_outstanding *calls, __be32 xid,
				bool only_opt)
{
	const struct rpcrdma2_outstanding_call *call = rpcrdma2_outstanding_find(calls, xid);

	return call && (call->opt || !only_opt);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_outstanding_known);

/**
 * rpcrdma2_outstanding_give_up - nobody waits for a Call any more
 * @calls: those that are known
 * @xid: its xid
 *
 * Return: %true if it leaves its credits behind
 */
bool rpcrdma2_outstanding_give_up(struct rpcrdma2_outstanding *calls, __be32 xid)
{
	struct rpcrdma2_outstanding_call *call = rpcrdma2_outstanding_find(calls, xid);

	if (!call || call->given_up)
		return false;
	call->given_up = true;
	calls->given_up += call->credits;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_outstanding_give_up);

/**
 * rpcrdma2_outstanding_leave - nobody waits for a Call that was not known so far
 * @calls: those that are known
 * @call: the Call, which was sent
 *
 * What ends one too many to be remembered will not be recognized: what it holds
 * is gone until there is another connection.
 */
void rpcrdma2_outstanding_leave(struct rpcrdma2_outstanding *calls,
				const struct rpcrdma2_outstanding_call *call)
{
	if (rpcrdma2_outstanding_sent(calls, call))
		rpcrdma2_outstanding_give_up(calls, call->xid);
	else
		calls->given_up += call->credits;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_outstanding_leave);

/**
 * rpcrdma2_outstanding_ended - a message has come that ends a Call
 * @calls: those that are known
 * @end: the message
 * @call: OUT: the Call, if there is one
 *
 * Return: whether somebody waits for it; if nobody does, its first credit is
 * the caller's to return. For the others there is rpcrdma2_outstanding_repay().
 */
enum rpcrdma2_call_was rpcrdma2_outstanding_ended(struct rpcrdma2_outstanding *calls,
						  const struct rpcrdma2_ending *end,
						  struct rpcrdma2_outstanding_call *call)
{
	struct rpcrdma2_outstanding_call *known = rpcrdma2_outstanding_find(calls, end->xid);

	if (!known || (end->only_opt && !known->opt))
		return RPCRDMA2_CALL_UNKNOWN;
	*call = *known;
	rpcrdma2_outstanding_forget(calls, known);
	return call->given_up ? RPCRDMA2_CALL_GIVEN_UP :
				RPCRDMA2_CALL_AWAITED;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_outstanding_ended);

/**
 * rpcrdma2_outstanding_repay - see what a message brings back that ends a Call
 * @calls: those that are known
 * @order: place of the Call among all
 * @extra: credits it has beyond the first one
 * @refused: the message is no reply
 *
 * Return: how many credits the caller has to return beyond the first one
 */
u32 rpcrdma2_outstanding_repay(struct rpcrdma2_outstanding *calls, u32 order, u32 extra,
			       bool refused)
{
	if (refused) {
		if (extra)
			calls->debt_order = READ_ONCE(calls->order);
		calls->debt += extra;
		return 0;
	}
	if ((s32)(order - calls->debt_order) >= 0) {
		extra += calls->debt;
		calls->debt = 0;
	}
	return extra;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_outstanding_repay);

/* Forget a message that was about no Call. @i: which one. */
static void rpcrdma2_outstanding_unmiss(struct rpcrdma2_outstanding *calls, u32 i)
{
	for (calls->nmissed--; i < calls->nmissed; i++)
		calls->missed[i] = calls->missed[i + 1];
}

/**
 * rpcrdma2_outstanding_miss - a message is about no Call that is known
 * @calls: those that are known
 * @end: the message
 *
 * Between the moment when sunrpc forgets a Call and that when it is given up
 * here, nobody knows it.
 */
void rpcrdma2_outstanding_miss(struct rpcrdma2_outstanding *calls,
			       const struct rpcrdma2_ending *end)
{
	if (calls->nmissed == RPCRDMA2_MAX_MISSED)
		rpcrdma2_outstanding_unmiss(calls, 0);
	calls->missed[calls->nmissed++] = *end;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_outstanding_miss);

/**
 * rpcrdma2_outstanding_begin - a Call is about to be sent
 * @calls: those that are known
 * @xid: its xid
 *
 * What has come about that xid before is not the end of this one.
 */
void rpcrdma2_outstanding_begin(struct rpcrdma2_outstanding *calls, __be32 xid)
{
	u32 i = calls->nmissed;

	while (i--)
		if (calls->missed[i].xid == xid)
			rpcrdma2_outstanding_unmiss(calls, i);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_outstanding_begin);

/**
 * rpcrdma2_outstanding_missed - has the message come already that ends a Call?
 * @calls: those that are known
 * @xid: xid of a Call that is about to be given up
 * @opt: it went by RDMA2_OPTIONAL
 *
 * Return: the message, if it was missed not long ago, or NULL
 */
const struct rpcrdma2_ending *
rpcrdma2_outstanding_missed(const struct rpcrdma2_outstanding *calls, __be32 xid, bool opt)
{
	u32 i;

	for (i = 0; i < calls->nmissed; i++)
		if (calls->missed[i].xid == xid &&
		    (opt || !calls->missed[i].only_opt))
			return &calls->missed[i];
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_outstanding_missed);

/**
 * rpcrdma2_outstanding_stuck - are there too few credits for who waits for them?
 * @calls: those that are known
 * @more: credits that are held by no RPC for another reason
 * @needed: how many are waited for
 * @credits: what the peer has granted
 *
 * Return: %true if only the peer can bring one back, by an answer that no RPC
 * waits for
 */
bool rpcrdma2_outstanding_stuck(const struct rpcrdma2_outstanding *calls, u32 more,
				u32 needed, u32 credits)
{
	u32 held = calls->given_up + calls->debt + more;

	return held && held + needed > credits;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_outstanding_stuck);

/* Section: what there is */

/**
 * rpcrdma2_ledger_reset - begin a connection
 * @l: OUT: each direction starts with one credit, and nothing is held (D-12)
 * @cookie: the connection
 */
void rpcrdma2_ledger_reset(struct rpcrdma2_ledger *l, u32 cookie)
{
	memset(l, 0, sizeof(*l));
	l->cookie = cookie;
	l->granted = 1;
	l->peer_wanted = 1;
	l->peer_posted = 1;
	l->peer_granted = 1;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_ledger_reset);

/**
 * rpcrdma2_ledger_limit - how many credits may be in use?
 * @l: ledger
 *
 * Who uses fewer credits needs fewer Receives.
 *
 * Return: what the peer has granted, as far as Receives are posted for it; at
 * least 1
 */
u32 rpcrdma2_ledger_limit(const struct rpcrdma2_ledger *l)
{
	return l->granted > l->missing ? l->granted - l->missing : 1;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_ledger_limit);

/**
 * rpcrdma2_ledger_window - how many credits may RPCs take?
 * @l: ledger
 *
 * A request of this end that waits for a credit keeps one from them: they would
 * take every one that becomes free. One that is the only one is left to them.
 *
 * Return: the congestion window, in credits
 */
u32 rpcrdma2_ledger_window(const struct rpcrdma2_ledger *l)
{
	u32 limit = rpcrdma2_ledger_limit(l);

	return limit > 1 && l->control_wanted ? limit - 1 : limit;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_ledger_window);

/**
 * rpcrdma2_ledger_share - how many credits may be reserved at all?
 * @window: credits there are
 *
 * Return: the number (L3)
 */
u32 rpcrdma2_ledger_share(u32 window)
{
	return min_t(u32, window - window / 4, max_t(u32, window, 1) - 1);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_ledger_share);

/**
 * rpcrdma2_ledger_stuck - are there too few credits for who waits for them?
 * @l: ledger
 * @needed: how many are waited for
 *
 * Our own request holds a credit like a Call that was given up does.
 *
 * Return: %true if only the peer can bring one back, by an answer that no RPC
 * waits for
 */
bool rpcrdma2_ledger_stuck(const struct rpcrdma2_ledger *l, u32 needed)
{
	return rpcrdma2_outstanding_stuck(&l->out, l->control, needed,
					  rpcrdma2_ledger_window(l));
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_ledger_stuck);

/* Section: what long messages reserve */

/**
 * rpcrdma2_reservation_begin - a Call is being prepared, perhaps not for the first time
 * @cookie: connection that the Call is going to be sent over
 * @order: its place among all Calls of that
 * @res: OUT: nothing is reserved yet
 */
void rpcrdma2_reservation_begin(u32 cookie, u32 order,
				struct rpcrdma2_reservation *res)
{
	res->cookie = cookie;
	res->order = order;
	res->credits = 0;
	res->recvs = 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_reservation_begin);

/**
 * rpcrdma2_reserve - reserve all that a Call needs, or nothing
 * @l: ledger
 * @in_use: credits that are in use, that of this Call and reserved ones included
 * @credits: how many more it needs; the caller takes them if they are reserved
 * @recvs: how many Receives more than one
 * @res: what it has reserved; it begins with nothing
 *
 * Return: RPCRDMA2_RESERVED, or why not
 */
enum rpcrdma2_refusal rpcrdma2_reserve(struct rpcrdma2_ledger *l, u32 in_use,
				       u32 credits, u32 recvs,
				       struct rpcrdma2_reservation *res)
{
	u32 window = rpcrdma2_ledger_window(l);

	if (res->cookie != l->cookie)
		return RPCRDMA2_NO_CREDITS;
	if (credits && (in_use > window || credits > window - in_use ||
			credits + l->reserved_credits >
			rpcrdma2_ledger_share(window)))
		return RPCRDMA2_NO_CREDITS;
	if (recvs > l->recvs - min_t(u32, l->recvs, l->reserved_recvs))
		return RPCRDMA2_NO_RECVS;
	l->reserved_credits += credits;
	l->reserved_recvs += recvs;
	res->credits = credits;
	res->recvs = recvs;
	return RPCRDMA2_RESERVED;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_reserve);

/**
 * rpcrdma2_reservation_leave - what a Call has reserved is not its own any more
 * @l: ledger
 * @res: what the Call has reserved; nothing any more
 * @left: OUT: what that was; nothing if it was on another connection
 *
 * It goes to where it is kept after the Call, or back by rpcrdma2_unreserve() or
 * rpcrdma2_ledger_repay().
 *
 * Return: %true if @left comes from this connection
 */
bool rpcrdma2_reservation_leave(const struct rpcrdma2_ledger *l,
				struct rpcrdma2_reservation *res,
				struct rpcrdma2_reservation *left)
{
	bool ours = res->cookie == l->cookie;

	*left = *res;
	res->credits = 0;
	res->recvs = 0;
	if (!ours) {
		left->credits = 0;
		left->recvs = 0;
	}
	return ours;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_reservation_leave);

/**
 * rpcrdma2_unreserve - what was reserved is back
 * @l: ledger
 * @credits: how many credits; they are the caller's to give back
 * @recvs: how many Receives
 */
void rpcrdma2_unreserve(struct rpcrdma2_ledger *l, u32 credits, u32 recvs)
{
	l->reserved_credits -= credits;
	l->reserved_recvs -= recvs;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_unreserve);

/**
 * rpcrdma2_reserve_behind - the Call is over, but its reply is still coming
 * @l: ledger
 * @recvs: how many Receives it had reserved
 */
void rpcrdma2_reserve_behind(struct rpcrdma2_ledger *l, u32 recvs)
{
	l->behind += recvs;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_reserve_behind);

/**
 * rpcrdma2_reserve_drained - there is no more of such a reply
 * @l: ledger
 */
void rpcrdma2_reserve_drained(struct rpcrdma2_ledger *l)
{
	rpcrdma2_unreserve(l, 0, l->behind);
	l->behind = 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_reserve_drained);

/**
 * rpcrdma2_ledger_repay - a message has ended a Call that had reserved something
 * @l: ledger
 * @left: what the Call has left, from rpcrdma2_reservation_leave()
 * @refused: the message is no reply
 * @behind: more of the reply may be coming, and is going to be discarded
 *
 * As long as it is coming, the Receives that it needs are not for others.
 *
 * Return: how many credits the caller has to give back beyond the first one
 */
u32 rpcrdma2_ledger_repay(struct rpcrdma2_ledger *l,
			  const struct rpcrdma2_reservation *left,
			  bool refused, bool behind)
{
	u32 credits = rpcrdma2_outstanding_repay(&l->out, left->order,
						 left->credits, refused);

	rpcrdma2_unreserve(l, credits, behind ? 0 : left->recvs);
	if (behind)
		rpcrdma2_reserve_behind(l, left->recvs);
	return credits;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_ledger_repay);

/* Section: our own request */

/**
 * rpcrdma2_ledger_control_get - let ROPT_REQXCH take a credit, if there is one
 * @l: ledger
 * @in_use: credits that are in use
 * @insist: the caller is going to try again until there is one
 *
 * Either way rpcrdma2_ledger_window() may be another one behind this.
 *
 * Return: %false if all are in use, or one is held already; if %true, the caller
 * takes it
 */
bool rpcrdma2_ledger_control_get(struct rpcrdma2_ledger *l, u32 in_use, bool insist)
{
	if (l->control)
		return false;
	l->control = in_use < rpcrdma2_ledger_limit(l);
	l->control_wanted = !l->control && (l->control_wanted || insist);
	return l->control;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_ledger_control_get);

/**
 * rpcrdma2_ledger_control_forget - there is no request any more to be sent
 * @l: ledger
 *
 * What the peer says may fulfil a wish that waits for a credit.
 *
 * Return: %true if one was kept for it: rpcrdma2_ledger_window() may be another
 * one behind this
 */
bool rpcrdma2_ledger_control_forget(struct rpcrdma2_ledger *l)
{
	bool wanted = l->control_wanted;

	l->control_wanted = false;
	return wanted;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_ledger_control_forget);

/**
 * rpcrdma2_ledger_control_put - our request is answered, or was not sent
 * @l: ledger
 *
 * Return: how many credits the caller has to give back
 */
u32 rpcrdma2_ledger_control_put(struct rpcrdma2_ledger *l)
{
	u32 credits = l->control;

	l->control = false;
	return credits;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_ledger_control_put);

/* Section: Calls of the peer */

/**
 * rpcrdma2_ledger_peer_begin - account for a Call of the peer
 * @l: ledger
 * @wanted: credits that the peer asks for with it, clamped
 * @count: transmissions that it takes
 *
 * Return: %false if the peer has no credits left for it (A-28, D-15)
 */
bool rpcrdma2_ledger_peer_begin(struct rpcrdma2_ledger *l, u32 wanted, u32 count)
{
	l->peer_wanted = wanted;
	if (count > l->peer_granted - l->peer_used)
		return false;
	l->peer_used += count;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_ledger_peer_begin);

/**
 * rpcrdma2_ledger_peer_end - a Call of the peer does not hold its credits any more
 * @l: ledger
 * @cookie: connection that the Call came from
 * @count: transmissions that it has taken
 */
void rpcrdma2_ledger_peer_end(struct rpcrdma2_ledger *l, u32 cookie, u32 count)
{
	if (cookie == l->cookie)
		l->peer_used -= min_t(u32, l->peer_used, count);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_ledger_peer_end);

/**
 * rpcrdma2_ledger_peer_grant - how many credits may the peer have?
 * @l: ledger
 *
 * The peer may use what it was told once, even if it is told less later.
 *
 * Return: the value for rdma_credit in what is sent in REPLY direction; never
 * zero as long as Receives are posted
 */
u32 rpcrdma2_ledger_peer_grant(struct rpcrdma2_ledger *l)
{
	u32 grant = min_t(u32, l->peer_wanted, l->peer_posted);

	l->peer_granted = max_t(u32, l->peer_granted, grant);
	return grant;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_ledger_peer_grant);
