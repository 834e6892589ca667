// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that hold credits, as the server has them: Calls are sent, sent again, not
 * sent after all, given up, answered, refused, and all of that in any order. Books
 * kept here say of every credit where it is: with a Call, owed, gone or free.
 */

#include <string.h>

#include "fuzz.h"
#include "ledger.h"

enum {
	/* More than are remembered at once */
	CA_XIDS		= RPCRDMA2_MAX_OUTSTANDING + 8,
	CA_CREDITS	= 8,
};

/**
 * struct ca_entry - a Call, in the books
 * @sent: how often it was sent
 * @opt: it went by RDMA2_OPTIONAL
 * @given_up: nobody waits for it
 * @order: its place among all
 * @credits: credits it holds
 * @recvs: Receives it holds
 */
struct ca_entry {
	u32	sent;
	bool	opt;
	bool	given_up;
	u32	order;
	u32	credits;
	u32	recvs;
};

/**
 * struct ca_books - everything
 * @calls: what is tested
 * @entries: by xid
 * @count: how many of them hold credits
 * @held: credits that they hold
 * @left: those of them that were given up, and gone ones
 * @gone: credits of Calls that there was no room for
 * @owed: credits that a refused Call has left
 * @owed_order: Calls that had been when that was
 * @missed: messages about no Call, the last ones, the oldest first
 * @nmissed: how many there are
 */
struct ca_books {
	struct rpcrdma2_outstanding	calls;
	struct ca_entry		entries[CA_XIDS];
	u32			count;
	u32			held;
	u32			left;
	u32			gone;
	u32			owed;
	u32			owed_order;
	struct rpcrdma2_ending	missed[RPCRDMA2_MAX_MISSED];
	u32			nmissed;
};

static __be32 ca_xid(u32 n)
{
	return cpu_to_be32(n + 1000);
}

/**
 * ca_check - everything is where the books say
 * @b: the books
 */
static void ca_check(const struct ca_books *b)
{
	const struct rpcrdma2_outstanding *calls = &b->calls;
	bool seen[CA_XIDS] = { };
	u32 i, n, credits = 0;

	require(calls->count == b->count && b->count <= RPCRDMA2_MAX_OUTSTANDING,
		"as many Calls are known as were sent");
	for (i = 0; i < calls->count; i++) {
		n = be32_to_cpu(calls->calls[i].xid) - 1000;
		require(n < CA_XIDS && b->entries[n].sent && !seen[n], "Calls are known once");
		seen[n] = true;
		require(calls->calls[i].credits == b->entries[n].credits,
			"a Call holds what it took");
		require(calls->calls[i].given_up == b->entries[n].given_up,
			"it is known who waits for a Call");
		credits += calls->calls[i].credits;
	}
	require(credits == b->held, "credits that are held are with Calls");
	require(calls->given_up == b->left, "credits left behind are counted");
	require(calls->debt == b->owed, "credits that are owed are counted");
	require(calls->nmissed == b->nmissed, "the last messages are counted");
}

/**
 * ca_unmiss - forget a message that was about no Call
 * @b: the books
 * @i: which one
 */
static void ca_unmiss(struct ca_books *b, u32 i)
{
	b->nmissed--;
	memmove(&b->missed[i], &b->missed[i + 1], (b->nmissed - i) * sizeof(b->missed[0]));
}

/**
 * ca_begin - a Call is about to be sent for the first time
 * @b: the books
 * @xid: its xid
 */
static void ca_begin(struct ca_books *b, __be32 xid)
{
	u32 i = 0;

	rpcrdma2_outstanding_begin(&b->calls, xid);
	while (i < b->nmissed)
		if (b->missed[i].xid == xid)
			ca_unmiss(b, i);
		else
			i++;
	require(!rpcrdma2_outstanding_missed(&b->calls, xid, true),
		"what came before a Call is not its end");
}

/**
 * ca_send - a Call is sent, perhaps not for the first time
 * @b: the books
 * @in: input
 * @n: which one; nobody has given it up
 */
static void ca_send(struct ca_books *b, struct input *in, u32 n)
{
	struct ca_entry *e = &b->entries[n];
	struct rpcrdma2_outstanding_call call = {
		.xid		= ca_xid(n),
		.opt		= input_flag(in),
		.credits	= 1 + input_below(in, CA_CREDITS),
		.recvs		= input_below(in, 4),
	};
	u32 held = e->sent ? e->credits : 1, more;
	bool room = b->count < RPCRDMA2_MAX_OUTSTANDING;

	trace("send %u: %u credits", n, call.credits);
	if (!e->sent)
		ca_begin(b, call.xid);
	more = rpcrdma2_outstanding_more(&b->calls, call.xid, call.credits);
	require(more == (call.credits > held ? call.credits - held : 0),
		"a Call takes what it does not hold");
	call.order = rpcrdma2_outstanding_next(&b->calls);
	require(rpcrdma2_outstanding_sent(&b->calls, &call) == (e->sent || room),
		"a Call is remembered while there is room");
	if (!e->sent && !room)
		return;
	if (!e->sent) {
		*e = (struct ca_entry){
			.opt = call.opt, .order = call.order, .recvs = call.recvs,
		};
		b->count++;
		b->held++;
		e->credits = 1;
	}
	e->sent++;
	e->credits += more;
	b->held += more;
}

/**
 * ca_forget - a Call holds nothing any more
 * @b: the books
 * @e: the Call
 */
static void ca_forget(struct ca_books *b, struct ca_entry *e)
{
	b->count--;
	b->held -= e->credits;
	if (e->given_up)
		b->left -= e->credits;
	e->sent = 0;
}

/**
 * ca_unsend - a Call could not be sent after all
 * @b: the books
 * @n: which one
 */
static void ca_unsend(struct ca_books *b, u32 n)
{
	struct ca_entry *e = &b->entries[n];
	u32 back = rpcrdma2_outstanding_unsent(&b->calls, ca_xid(n));

	trace("unsend %u: %u back", n, back);
	if (e->sent != 1) {
		require(!back, "what was sent before keeps its credits");
		e->sent -= !!e->sent;
		return;
	}
	require(back == e->credits - 1, "what was not sent holds nothing");
	ca_forget(b, e);
}

/**
 * ca_give_up - nobody waits for a Call any more
 * @b: the books
 * @n: which one
 */
static void ca_give_up(struct ca_books *b, u32 n)
{
	struct ca_entry *e = &b->entries[n];
	bool left = rpcrdma2_outstanding_give_up(&b->calls, ca_xid(n));

	trace("give up %u: %u", n, left);
	require(left == (e->sent && !e->given_up), "a Call is given up once");
	if (!left)
		return;
	e->given_up = true;
	b->left += e->credits;
}

/**
 * ca_leave - nobody waits for a Call that only its sender has known
 * @b: the books
 * @in: input
 * @n: which one
 */
static void ca_leave(struct ca_books *b, struct input *in, u32 n)
{
	struct ca_entry *e = &b->entries[n];
	struct rpcrdma2_outstanding_call call = {
		.xid		= ca_xid(n),
		.opt		= input_flag(in),
		.credits	= 1 + input_below(in, CA_CREDITS),
		.recvs		= input_below(in, 4),
	};

	if (e->sent)
		return;
	trace("leave %u: %u credits", n, call.credits);
	call.order = rpcrdma2_outstanding_next(&b->calls);
	rpcrdma2_outstanding_leave(&b->calls, &call);
	b->left += call.credits;
	if (b->count == RPCRDMA2_MAX_OUTSTANDING) {
		b->gone += call.credits;
		return;
	}
	*e = (struct ca_entry){
		.sent = 1, .opt = call.opt, .given_up = true, .order = call.order,
		.credits = call.credits, .recvs = call.recvs,
	};
	b->count++;
	b->held += call.credits;
}

/**
 * ca_settle - see what comes back with the end of a Call
 * @b: the books
 * @call: the Call, which holds nothing any more
 * @refused: it may not have arrived whole
 *
 * Only the answer to a Call that was sent behind all that is owed for brings
 * that back.
 */
static void ca_settle(struct ca_books *b, const struct rpcrdma2_outstanding_call *call,
		      bool refused)
{
	u32 extra = call->credits - 1;
	u32 back = rpcrdma2_outstanding_repay(&b->calls, call->order, extra, refused);

	if (refused) {
		require(!back, "a refused Call owes its credits");
		if (extra)
			b->owed_order = b->calls.order;
		b->owed += extra;
	} else if ((s32)(call->order - b->owed_order) < 0) {
		require(back == extra, "an earlier Call does not settle a debt");
	} else {
		require(back == extra + b->owed, "a later Call settles a debt");
		b->owed = 0;
	}
	trace("  %u back, %u owed", back, b->owed);
}

/**
 * ca_end - a message comes that may end a Call
 * @b: the books
 * @in: input
 * @n: which one
 */
static void ca_end(struct ca_books *b, struct input *in, u32 n)
{
	struct ca_entry *e = &b->entries[n];
	const struct rpcrdma2_ending end = {
		.xid		= ca_xid(n),
		.only_opt	= input_flag(in),
		.refused	= input_flag(in),
	};
	bool known = e->sent && (e->opt || !end.only_opt);
	enum rpcrdma2_call_was was;
	struct rpcrdma2_outstanding_call call;

	require(rpcrdma2_outstanding_known(&b->calls, end.xid, end.only_opt) == known,
		"a Call is known from when it is sent until it ends");
	was = rpcrdma2_outstanding_ended(&b->calls, &end, &call);
	trace("end %u: was %u, refused %u", n, was, end.refused);
	require((was != RPCRDMA2_CALL_UNKNOWN) == known, "a Call ends once");
	if (!known)
		return;
	require((was == RPCRDMA2_CALL_GIVEN_UP) == e->given_up, "who waits gets the answer");
	require(call.xid == end.xid && call.credits == e->credits && call.recvs == e->recvs &&
		call.order == e->order, "a Call gives back what it held");
	ca_forget(b, e);
	ca_settle(b, &call, end.refused);
}

/**
 * ca_miss - a message is about no Call
 * @b: the books
 * @in: input
 */
static void ca_miss(struct ca_books *b, struct input *in)
{
	const struct rpcrdma2_ending end = {
		.xid		= ca_xid(input_below(in, 16)),
		.only_opt	= input_flag(in),
		.refused	= input_flag(in),
	};

	trace("miss %u", be32_to_cpu(end.xid) - 1000);
	rpcrdma2_outstanding_miss(&b->calls, &end);
	if (b->nmissed == RPCRDMA2_MAX_MISSED)
		ca_unmiss(b, 0);
	b->missed[b->nmissed++] = end;
}

/**
 * ca_missed - look for a message that came too early
 * @b: the books
 * @in: input
 */
static void ca_missed(const struct ca_books *b, struct input *in)
{
	__be32 xid = ca_xid(input_below(in, 16));
	const struct rpcrdma2_ending *end, *first = NULL;
	bool opt = input_flag(in);
	u32 i;

	for (i = 0; i < b->nmissed && !first; i++)
		if (b->missed[i].xid == xid && (opt || !b->missed[i].only_opt))
			first = &b->missed[i];
	end = rpcrdma2_outstanding_missed(&b->calls, xid, opt);
	require(!end == !first, "the last messages are remembered");
	if (end)
		require(end->xid == xid && end->only_opt == first->only_opt &&
			end->refused == first->refused, "the first one is the end of a Call");
}

/**
 * ca_stuck - is nothing left that an RPC could bring back?
 * @b: the books
 * @in: input
 */
static void ca_stuck(const struct ca_books *b, struct input *in)
{
	u32 more = input_below(in, 2), needed = 1 + input_below(in, CA_CREDITS);
	u32 credits = input_below(in, 64), lost = b->left + b->owed + more;

	require(rpcrdma2_outstanding_stuck(&b->calls, more, needed, credits) ==
		(lost && lost + needed > credits), "it is known when others are blocked");
}

/**
 * ca_reset - another connection begins
 * @b: the books
 * @order: Calls that it has seen
 */
static void ca_reset(struct ca_books *b, u32 order)
{
	trace("reset: order %u", order);
	memset(&b->calls, 0, sizeof(b->calls));
	memset(b->entries, 0, sizeof(b->entries));
	b->count = 0;
	b->held = 0;
	b->left = 0;
	b->gone = 0;
	b->owed = 0;
	b->owed_order = order;
	b->nmissed = 0;
	b->calls.order = order;
	b->calls.debt_order = order;
}

/**
 * ca_many - fill the memory
 * @b: the books
 * @in: input
 */
static void ca_many(struct ca_books *b, struct input *in)
{
	u32 n, until = input_below(in, CA_XIDS + 1);

	for (n = 16; n < until; n++)
		if (!b->entries[n].given_up)
			ca_send(b, in, n);
}

/**
 * ca_step - something happens
 * @b: the books
 * @in: input
 */
static void ca_step(struct ca_books *b, struct input *in)
{
	u32 what = input_byte(in) % 10, n = input_below(in, 24);

	if (n >= 16)
		n += CA_XIDS - 24;
	switch (what) {
	case 0:
	case 1:
		if (!b->entries[n].given_up)
			ca_send(b, in, n);
		break;
	case 2:
		ca_unsend(b, n);
		break;
	case 3:
		ca_give_up(b, n);
		break;
	case 4:
		ca_leave(b, in, n);
		break;
	case 5:
		ca_end(b, in, n);
		break;
	case 6:
		ca_miss(b, in);
		break;
	case 7:
		ca_missed(b, in);
		ca_stuck(b, in);
		break;
	case 8:
		ca_many(b, in);
		break;
	case 9:
		ca_reset(b, input_odd(in));
		break;
	}
}

/**
 * ca_drain - let every Call be answered, and one that is sent then
 * @b: the books
 */
static void ca_drain(struct ca_books *b)
{
	struct input none = { };
	u32 n;

	for (n = 0; n < CA_XIDS; n++)
		ca_end(b, &none, n);
	ca_send(b, &none, 0);
	ca_end(b, &none, 0);
	ca_check(b);
	require(!b->held && !b->owed && b->left == b->gone,
		"nothing is left but what there was no room for");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ca_books b;
	struct input in;

	input_begin(&in, data, size);
	ca_reset(&b, input_odd(&in));
	while (input_left(&in)) {
		ca_step(&b, &in);
		ca_check(&b);
	}
	ca_drain(&b);
	return 0;
}
