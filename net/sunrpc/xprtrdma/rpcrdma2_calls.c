// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: Calls that hold credits.
 *
 * A Call holds a credit for each of its transmissions from when it is sent until
 * a message arrives that ends it, even if its caller gives it up before.
 * sunrpc forgets such a Call at once, so that its xid has to be kept here. If
 * the message refuses a Call of several transmissions, these may still be on
 * their way: all of its credits but one are owed until a Call is answered that
 * was sent later.
 *
 * The server has all of its Calls in here. The client has those that were given
 * up, what they had borrowed included (rpcrdma2_loan.h).
 *
 * No locks and no I/O: whoever owns the credits serializes.
 */

#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "rpcrdma2_calls.h"

/**
 * rpcrdma2_calls_reset - forget all Calls
 * @calls: those of a connection that is gone
 */
void rpcrdma2_calls_reset(struct rpcrdma2_calls *calls)
{
	memset(calls, 0, sizeof(*calls));
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_calls_reset);

/**
 * rpcrdma2_calls_next - number a Call
 * @calls: those that are known
 *
 * Calls are sent in the order of their numbers.
 *
 * Return: the number
 */
u32 rpcrdma2_calls_next(struct rpcrdma2_calls *calls)
{
	return calls->order++;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_calls_next);

/**
 * rpcrdma2_calls_find - find a Call
 * @calls: those that are known
 * @xid: its xid
 *
 * Return: the Call, or NULL
 */
static struct rpcrdma2_call *rpcrdma2_calls_find(struct rpcrdma2_calls *calls,
						 __be32 xid)
{
	u32 i;

	for (i = 0; i < calls->count; i++)
		if (calls->calls[i].xid == xid)
			return &calls->calls[i];
	return NULL;
}

/**
 * rpcrdma2_calls_more - how many credits a Call has to take before it is sent
 * @calls: those that are known
 * @xid: its xid; the caller has its first credit already
 * @credits: credits it is going to hold, one at least
 *
 * One that is sent again holds what it took the first time.
 *
 * Return: the number
 */
u32 rpcrdma2_calls_more(struct rpcrdma2_calls *calls, __be32 xid, u32 credits)
{
	const struct rpcrdma2_call *call = rpcrdma2_calls_find(calls, xid);
	u32 held = call ? call->credits : 1;

	return credits - min_t(u32, credits, held);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_calls_more);

/**
 * rpcrdma2_calls_sent - a Call takes its credits along
 * @calls: those that are known
 * @call: the Call
 *
 * One that is known already is sent again.
 *
 * Return: %false if there are too many to remember this one
 */
bool rpcrdma2_calls_sent(struct rpcrdma2_calls *calls,
			 const struct rpcrdma2_call *call)
{
	struct rpcrdma2_call *known = rpcrdma2_calls_find(calls, call->xid);

	if (known) {
		known->credits = max_t(u32, known->credits, call->credits);
		known->again++;
		return true;
	}
	if (calls->count == RPCRDMA2_MAX_CALLS)
		return false;
	known = &calls->calls[calls->count++];
	*known = *call;
	known->given_up = false;
	known->again = 0;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_calls_sent);

/**
 * rpcrdma2_calls_forget - a Call holds nothing any more
 * @calls: those that are known
 * @call: one of them
 */
static void rpcrdma2_calls_forget(struct rpcrdma2_calls *calls,
				  struct rpcrdma2_call *call)
{
	if (call->given_up)
		calls->given_up -= call->credits;
	*call = calls->calls[--calls->count];
}

/**
 * rpcrdma2_calls_unsent - a Call could not be sent after all
 * @calls: those that are known
 * @xid: its xid
 *
 * One that was sent before keeps its credits until that is answered.
 *
 * Return: credits beyond the first one, which the caller has to return
 */
u32 rpcrdma2_calls_unsent(struct rpcrdma2_calls *calls, __be32 xid)
{
	struct rpcrdma2_call *call = rpcrdma2_calls_find(calls, xid);
	u32 credits;

	if (!call)
		return 0;
	if (call->again) {
		call->again--;
		return 0;
	}
	credits = call->credits - 1;
	rpcrdma2_calls_forget(calls, call);
	return credits;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_calls_unsent);

/**
 * rpcrdma2_calls_known - is there a Call that was not answered?
 * @calls: those that are known
 * @xid: its xid
 * @only_opt: only if it went by RDMA2_OPTIONAL
 *
 * Return: %false if there is none
 */
bool rpcrdma2_calls_known(struct rpcrdma2_calls *calls, __be32 xid,
			  bool only_opt)
{
	const struct rpcrdma2_call *call = rpcrdma2_calls_find(calls, xid);

	return call && (call->opt || !only_opt);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_calls_known);

/**
 * rpcrdma2_calls_give_up - nobody waits for a Call any more
 * @calls: those that are known
 * @xid: its xid
 *
 * Return: %true if it leaves its credits behind
 */
bool rpcrdma2_calls_give_up(struct rpcrdma2_calls *calls, __be32 xid)
{
	struct rpcrdma2_call *call = rpcrdma2_calls_find(calls, xid);

	if (!call || call->given_up)
		return false;
	call->given_up = true;
	calls->given_up += call->credits;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_calls_give_up);

/**
 * rpcrdma2_calls_leave - nobody waits for a Call that was not known so far
 * @calls: those that are known
 * @call: the Call, which was sent
 *
 * What ends one too many to be remembered will not be recognized: what it holds
 * is gone until there is another connection.
 */
void rpcrdma2_calls_leave(struct rpcrdma2_calls *calls,
			  const struct rpcrdma2_call *call)
{
	if (rpcrdma2_calls_sent(calls, call))
		rpcrdma2_calls_give_up(calls, call->xid);
	else
		calls->given_up += call->credits;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_calls_leave);

/**
 * rpcrdma2_calls_ended - a message has come that ends a Call
 * @calls: those that are known
 * @end: the message
 * @call: OUT: the Call, if there is one
 *
 * Return: whether somebody waits for it; if nobody does, its first credit is
 * the caller's to return. For the others there is rpcrdma2_calls_settle().
 */
enum rpcrdma2_call_was rpcrdma2_calls_ended(struct rpcrdma2_calls *calls,
					    const struct rpcrdma2_ending *end,
					    struct rpcrdma2_call *call)
{
	struct rpcrdma2_call *known = rpcrdma2_calls_find(calls, end->xid);

	if (!known || (end->only_opt && !known->opt))
		return RPCRDMA2_CALL_UNKNOWN;
	*call = *known;
	rpcrdma2_calls_forget(calls, known);
	return call->given_up ? RPCRDMA2_CALL_GIVEN_UP :
				RPCRDMA2_CALL_AWAITED;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_calls_ended);

/**
 * rpcrdma2_calls_settle - see what a message brings back that ends a Call
 * @calls: those that are known
 * @order: place of the Call among all
 * @extra: credits it has beyond the first one
 * @refused: the message is no reply
 *
 * Serves A-70.
 *
 * Return: how many credits the caller has to return beyond the first one
 */
u32 rpcrdma2_calls_settle(struct rpcrdma2_calls *calls, u32 order, u32 extra,
			  bool refused)
{
	if (refused) {
		if (extra)
			calls->debt_order = calls->order;
		calls->debt += extra;
		return 0;
	}
	if ((s32)(order - calls->debt_order) >= 0) {
		extra += calls->debt;
		calls->debt = 0;
	}
	return extra;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_calls_settle);

/**
 * rpcrdma2_calls_miss - a message is about no Call that is known
 * @calls: those that are known
 * @end: the message
 *
 * Between the moment when sunrpc forgets a Call and that when it is given up
 * here, nobody knows it.
 */
void rpcrdma2_calls_miss(struct rpcrdma2_calls *calls,
			 const struct rpcrdma2_ending *end)
{
	calls->missed[calls->nmissed++ % RPCRDMA2_MAX_MISSED] = *end;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_calls_miss);

/**
 * rpcrdma2_calls_missed - has the message come already that ends a Call?
 * @calls: those that are known
 * @xid: xid of a Call that is about to be given up
 * @opt: it went by RDMA2_OPTIONAL
 *
 * Return: the message, if it was missed not long ago, or NULL
 */
const struct rpcrdma2_ending *
rpcrdma2_calls_missed(const struct rpcrdma2_calls *calls, __be32 xid, bool opt)
{
	u32 i, n = min_t(u32, calls->nmissed, RPCRDMA2_MAX_MISSED);

	for (i = 0; i < n; i++)
		if (calls->missed[i].xid == xid &&
		    (opt || !calls->missed[i].only_opt))
			return &calls->missed[i];
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_calls_missed);

/**
 * rpcrdma2_calls_stuck - are there too few credits for who waits for them?
 * @calls: those that are known
 * @more: credits that are held by no RPC for another reason
 * @needed: how many are waited for
 * @credits: what the peer has granted
 *
 * Return: %true if only the peer can bring one back, by an answer that no RPC
 * waits for
 */
bool rpcrdma2_calls_stuck(const struct rpcrdma2_calls *calls, u32 more,
			  u32 needed, u32 credits)
{
	u32 held = calls->given_up + calls->debt + more;

	return held && held + needed > credits;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_calls_stuck);
