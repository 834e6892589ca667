// SPDX-License-Identifier: GPL-2.0
/*
 * A client whose memory follows use: Calls that take several credits, replies that take
 * several Receives and that may hold the last of them for a while, callbacks, grants of
 * the server's that go up and down. Books kept here say what may still come if everybody
 * uses all that is in force, and there have to be Receives for that.
 */

#include <string.h>

#include <linux/minmax.h>

#include "fuzz.h"
#include "posted.h"

enum {
	SP_EXTRA	= 7,
	SP_DEPTH	= 300,
	SP_MOST		= 128,
	SP_GROUP	= 17,
	SP_CALLS	= 64,
	SP_REVERSE	= 14,
};

static const struct rpcrdma2_pool_rules sp_rules = {
	.kb = { 5, 69 }, .first = 1, .rest = 8, .pause = 21, .few = 1,
	.most = 256, .hold = 2, .still = 4, .idle = 6, .gone = 20, .silent = 3,
};

/**
 * struct sp_call - a Call
 * @credits: those it has
 * @recvs: Receives that are reserved for its reply beyond the first one
 * @held: its reply has come, and holds a buffer of kind @kind
 * @kind: likewise
 */
struct sp_call {
	u32	credits;
	u32	recvs;
	bool	held;
	u32	kind;
};

/**
 * struct sp_books - a client
 * @pool: its pool
 * @share: the server's address
 * @po: its Receives
 * @ring: kinds of what is posted, the oldest at @first
 * @first: likewise
 * @idle: buffers that are not in use, by kind
 * @large: the server counts on blocks
 * @now: what Receives are for
 * @granted: by the server
 * @wanted: Receives that long replies would take
 * @reverse: more reverse credits that the server was granted once
 * @calls: under way
 * @ncalls: how many
 */
struct sp_books {
	struct rpcrdma2_pool	pool;
	struct rpcrdma2_share	share;
	struct rpcrdma2_posted	po;
	u8			ring[SP_DEPTH];
	u32			first;
	u32			idle[RPCRDMA2_POOL_KINDS];
	bool			large;
	struct rpcrdma2_split	now;
	u32			granted;
	u32			wanted;
	u32			reverse;
	struct sp_call		calls[SP_CALLS];
	u32			ncalls;
};

static void sp_held(const struct sp_books *b, struct rpcrdma2_split *held)
{
	u32 i;

	memset(held, 0, sizeof(*held));
	held->reverse = b->reverse;
	for (i = 0; i < b->ncalls; i++) {
		held->credits += b->calls[i].credits;
		held->recvs += b->calls[i].recvs;
	}
}

/*
 * Buffers
 */

static u32 sp_pop(struct sp_books *b)
{
	u32 kind = b->ring[b->first];

	require(b->po.po_count, "there is a Receive for each message");
	require(!b->large || kind == RPCRDMA2_POOL_BLOCK, "none is shorter than was said");
	b->first = (b->first + 1) % SP_DEPTH;
	rpcrdma2_posted_arrived(&b->po);
	return kind;
}

static enum rpcrdma2_buffer_fate sp_fate(struct sp_books *b, u32 kind, bool again)
{
	if (!b->large || kind == RPCRDMA2_POOL_BLOCK)
		return rpcrdma2_posted_fate(&b->po, kind, again);
	if (!again)
		rpcrdma2_posted_spare(&b->po, kind);
	return RPCRDMA2_BUFFER_SPARE;
}

/* Buffers of a kind find their fate. Returns how many are spare. */
static u32 sp_fates(struct sp_books *b, u32 kind, u32 n, bool again)
{
	enum rpcrdma2_buffer_fate fate;
	u32 spare = 0;

	while (n--) {
		fate = sp_fate(b, kind, again);
		if (fate == RPCRDMA2_BUFFER_POST) {
			b->ring[(b->first + b->po.po_count) % SP_DEPTH] = kind;
			rpcrdma2_posted_add(&b->po);
			b->idle[kind]--;
		}
		spare += fate == RPCRDMA2_BUFFER_SPARE;
	}
	return spare;
}

/* The server is told of blocks when there is no shorter Receive, and enough of them */
static void sp_tell(struct sp_books *b)
{
	u32 i;

	for (i = 0; i < b->po.po_count; i++)
		if (b->ring[(b->first + i) % SP_DEPTH] == RPCRDMA2_POOL_PLAIN)
			return;
	if (b->po.po_m.kind == RPCRDMA2_POOL_BLOCK &&
	    b->po.po_count >= rpcrdma2_posted_needed(&b->po))
		b->large = true;
}

static void sp_refill(struct sp_books *b)
{
	u32 kind, spare[RPCRDMA2_POOL_KINDS];

	for (kind = 0; kind < RPCRDMA2_POOL_KINDS; kind++)
		spare[kind] = sp_fates(b, kind, b->idle[kind], false);
	for (kind = 0; kind < RPCRDMA2_POOL_KINDS; kind++)
		spare[kind] = sp_fates(b, kind, spare[kind], true);
	rpcrdma2_posted_looked(&b->po);
	for (kind = 0; kind < RPCRDMA2_POOL_KINDS; kind++) {
		b->idle[kind] -= spare[kind];
		rpcrdma2_pool_drop(&b->pool, &b->po.po_m, kind, spare[kind]);
	}
	sp_tell(b);
}

static void sp_allocate(struct sp_books *b, u32 bad)
{
	u32 kind, count, fail;

	for (kind = RPCRDMA2_POOL_BLOCK; kind < RPCRDMA2_POOL_KINDS; kind--) {
		count = rpcrdma2_posted_take(&b->po, kind);
		fail = min_t(u32, bad, count);
		if (fail)
			rpcrdma2_posted_failed(&b->pool, &b->po, kind, fail);
		rpcrdma2_pool_posted(&b->po.po_m, kind, count - fail);
		b->idle[kind] += count - fail;
	}
	rpcrdma2_posted_raise(&b->po);
	sp_refill(b);
}

/* The same unless there are enough Receives */
static void sp_post(struct sp_books *b)
{
	if (rpcrdma2_posted_lags_split(&b->po))
		sp_refill(b);
}

/*
 * What happens
 */

static void sp_settle(struct sp_books *b)
{
	const struct rpcrdma2_split wanted = {
		.credits = b->granted, .recvs = b->large ? b->wanted : 0, .reverse = SP_REVERSE,
	};
	struct rpcrdma2_split held;

	sp_held(b, &held);
	rpcrdma2_posted_split(&b->po, rpcrdma2_posted_there(&b->po, b->large), &wanted, &held,
			      &b->now);
	sp_post(b);
	require(b->now.credits, "one RPC can always go on");
	require(b->now.credits <= b->granted, "no more than is granted");
}

static void sp_call(struct sp_books *b, u32 credits, u32 recvs)
{
	struct sp_call *call = &b->calls[b->ncalls];
	struct rpcrdma2_split held;

	sp_held(b, &held);
	if (b->ncalls == SP_CALLS || held.credits + credits > b->now.credits ||
	    (recvs && held.recvs + recvs > b->now.recvs))
		return;
	trace("call: %u credits, %u Receives more", credits, recvs);
	memset(call, 0, sizeof(*call));
	call->credits = credits;
	call->recvs = recvs;
	b->ncalls++;
}

/* A Call is over; what it has held is posted again before */
static void sp_over(struct sp_books *b, u32 nr)
{
	sp_post(b);
	b->calls[nr] = b->calls[--b->ncalls];
}

/* A reply comes, or one that has come holds its buffer no more */
static void sp_reply(struct sp_books *b, struct input *in)
{
	struct sp_call *call;
	u32 i, nr;

	if (!b->ncalls)
		return;
	nr = input_below(in, b->ncalls);
	call = &b->calls[nr];
	if (call->held) {
		b->idle[call->kind]++;
		sp_over(b, nr);
		return;
	}
	for (i = input_below(in, call->recvs + 1); i; i--)
		b->idle[sp_pop(b)]++;
	call->kind = sp_pop(b);
	call->held = input_flag(in);
	if (call->held) {
		sp_post(b);
		return;
	}
	b->idle[call->kind]++;
	sp_over(b, nr);
}

/* A callback, or a control message: its buffer is free at once */
static void sp_other(struct sp_books *b)
{
	b->idle[sp_pop(b)]++;
	sp_post(b);
}

static void sp_used(struct sp_books *b, struct input *in)
{
	struct rpcrdma2_split held;

	sp_held(b, &held);
	rpcrdma2_pool_used(&b->po.po_m, held.credits + b->wanted + b->now.reverse, input_flag(in));
	if (rpcrdma2_pool_short(&b->pool, &b->po.po_m))
		rpcrdma2_posted_grow(&b->pool, &b->po);
}

static void sp_tick(struct sp_books *b)
{
	sp_settle(b);
	rpcrdma2_pool_tick(&b->pool, &b->po.po_m, b->po.po_count, b->ncalls + 1);
	sp_refill(b);
}

/* The server has asked for short Receives, which is refused as long as there are Calls */
static void sp_less(struct sp_books *b)
{
	if (b->ncalls || b->po.po_m.kind == RPCRDMA2_POOL_PLAIN ||
	    b->po.po_m.coming[RPCRDMA2_POOL_BLOCK])
		return;
	b->large = false;
	rpcrdma2_posted_plain(&b->pool, &b->po);
}

static void sp_step(struct sp_books *b, struct input *in)
{
	u32 what = input_below(in, 16);

	trace("step %u", what);
	switch (what) {
	case 0:
	case 1:
	case 2:
		sp_call(b, what == 1 ? SP_GROUP : 1, what == 2 ? SP_GROUP - 1 : 0);
		break;
	case 3:
	case 4:
	case 5:
		sp_reply(b, in);
		break;
	case 6:
		sp_other(b);
		break;
	case 7:
		b->granted = 1 + input_below(in, SP_MOST);
		sp_settle(b);
		break;
	case 8:
		b->wanted = input_below(in, 4) * SP_GROUP;
		sp_settle(b);
		break;
	case 9:
		b->reverse = max_t(u32, b->reverse, b->now.reverse);
		break;
	case 10:
	case 11:
		sp_allocate(b, what == 11 ? input_below(in, 64) : 0);
		break;
	case 12:
		sp_tick(b);
		break;
	case 13:
		sp_used(b, in);
		break;
	case 14:
		sp_less(b);
		break;
	case 15:
		if (input_flag(in))
			rpcrdma2_pool_squeeze(&b->pool, 1 << (6 + input_below(in, 10)));
		else
			rpcrdma2_pool_relax(&b->pool);
		break;
	}
}

/* Everybody may use all that is in force, and is not told of less before it is */
static void sp_check(const struct sp_books *b)
{
	const struct rpcrdma2_member *m = &b->po.po_m;
	u32 i, coming = 0, all = b->po.po_count;
	struct rpcrdma2_split held;

	for (i = 0; i < b->ncalls; i++) {
		all += b->calls[i].held;
		if (!b->calls[i].held)
			coming += 1 + b->calls[i].recvs;
	}
	for (i = 0; i < RPCRDMA2_POOL_KINDS; i++)
		all += m->coming[i] + b->idle[i];
	require(all == m->bufs[0] + m->bufs[1], "each buffer is somewhere");
	sp_held(b, &held);
	coming += b->now.credits - min_t(u32, b->now.credits, held.credits);
	coming += b->now.recvs - min_t(u32, b->now.recvs, held.recvs);
	require(b->po.po_count >= coming + b->reverse + SP_EXTRA,
		"Receives are posted for all that may come");
	require(rpcrdma2_pool_charged(&b->pool, m) == b->pool.used_kb, "what is charged adds up");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sp_books b;
	struct input in;

	input_begin(&in, data, size);
	memset(&b, 0, sizeof(b));
	rpcrdma2_pool_init(&b.pool, &sp_rules, 2048 << input_below(&in, 6));
	b.idle[0] = rpcrdma2_pool_join(&b.pool, &b.share, &b.po.po_m, SP_EXTRA);
	b.idle[0] += rpcrdma2_pool_admit(&b.pool, &b.po.po_m);
	b.po.po_m.most[RPCRDMA2_POOL_PLAIN] = SP_MOST;
	rpcrdma2_posted_begin(&b.po, SP_DEPTH);
	rpcrdma2_pool_posted(&b.po.po_m, RPCRDMA2_POOL_PLAIN, b.idle[0]);
	b.now.credits = 1;
	b.granted = 1;
	sp_refill(&b);
	sp_check(&b);
	while (input_left(&in)) {
		sp_step(&b, &in);
		sp_check(&b);
	}
	rpcrdma2_pool_leave(&b.pool, &b.po.po_m);
	require(!b.pool.used_kb && !b.pool.members, "nothing is left");
	return 0;
}
