// SPDX-License-Identifier: GPL-2.0
/*
 * Connections that share memory for Receives, and their peers. Calls, replies and what
 * a server asks to have its peers confirm take time, in both directions: a peer acts on
 * a grant that the server has lowered long ago. Books kept here say what may still come
 * for whatever the peer does next, and there have to be Receives for that.
 */

#include <string.h>

#include <linux/minmax.h>

#include "fuzz.h"
#include "posted.h"

enum {
	PO_CONNS	= 4,
	PO_SHARES	= 2,
	PO_EXTRA	= 7,
	PO_GROUP	= 17,
	/* Messages under way in one direction, or Calls that are served */
	PO_QUEUE	= 64,
	/* Room in a Receive Queue, and in a short one */
	PO_DEPTH	= 400,
	PO_PLAIN_MOST	= 64,
	/* The connection that has blocks from the beginning */
	PO_FIXED	= 2,
	PO_SHORT	= 40,
};

static const struct rpcrdma2_pool_rules po_rules = {
	.kb = { 4, 68 }, .first = 1, .rest = 8, .pause = 21, .few = 4,
	.most = 256, .hold = 2, .still = 4, .idle = 6, .gone = 20, .silent = 3,
};

/**
 * struct po_msg - a message under way
 * @credits: of a Call, those it takes; of a reply, those it ends; 0 for a request of
 *	the server, or the answer to that
 * @missing: of a Call, those it would have taken had its data been placed
 * @grant: what a reply grants
 */
struct po_msg {
	u32	credits;
	u32	missing;
	u32	grant;
};

struct po_fifo {
	struct po_msg	msgs[PO_QUEUE];
	u32		count;
};

/**
 * struct po_conn - a connection
 * @po: its Receives and credits
 * @depth: room in its Receive Queue
 * @ring: kinds of what is posted, the oldest at @first
 * @first: likewise
 * @calls: Calls that are being served
 * @held: buffers that these hold, by kind
 * @idle: buffers that are not in use, by kind
 * @asking: a request of the server is under way
 * @up: to the server
 * @down: to the peer
 * @grant: that the peer knows of
 * @out: credits that its Calls hold
 */
struct po_conn {
	struct rpcrdma2_posted	po;
	u32			depth;
	u8			ring[PO_DEPTH];
	u32			first;
	struct po_fifo		calls;
	u32			held[RPCRDMA2_POOL_KINDS];
	u32			idle[RPCRDMA2_POOL_KINDS];
	bool			asking;
	struct po_fifo		up;
	struct po_fifo		down;
	u32			grant;
	u32			out;
};

struct po_books {
	struct rpcrdma2_pool	pool;
	struct rpcrdma2_share	shares[PO_SHARES];
	struct po_conn		conns[PO_CONNS];
};

static bool po_put(struct po_fifo *f, struct po_msg msg)
{
	if (f->count == PO_QUEUE)
		return false;
	f->msgs[f->count++] = msg;
	return true;
}

/* Takes message @nr out, whose place the others close up to */
static struct po_msg po_take(struct po_fifo *f, u32 nr)
{
	struct po_msg msg = f->msgs[nr];

	memmove(&f->msgs[nr], &f->msgs[nr + 1], (--f->count - nr) * sizeof(msg));
	return msg;
}

/*
 * Receives
 */

static void po_post(struct po_conn *c, u32 kind)
{
	require(c->po.po_count < c->depth, "what is posted fits into the queue");
	c->ring[(c->first + c->po.po_count) % PO_DEPTH] = kind;
	rpcrdma2_posted_add(&c->po);
	c->idle[kind]--;
}

/* A message uses up the oldest Receive */
static u32 po_pop(struct po_conn *c)
{
	u32 kind = c->ring[c->first];

	require(c->po.po_count, "there is a Receive for each message");
	c->first = (c->first + 1) % PO_DEPTH;
	rpcrdma2_posted_arrived(&c->po);
	return kind;
}

/*
 * Buffers of a kind that are not in use find their fate, or those that were found
 * spare. Returns how many are spare.
 */
static u32 po_fates(struct po_conn *c, u32 kind, u32 n, bool again)
{
	enum rpcrdma2_buffer_fate fate;
	u32 spare = 0;

	while (n--) {
		fate = rpcrdma2_posted_fate(&c->po, kind, again);
		if (fate == RPCRDMA2_BUFFER_POST)
			po_post(c, kind);
		spare += fate == RPCRDMA2_BUFFER_SPARE;
	}
	return spare;
}

static void po_refill(struct po_books *b, struct po_conn *c)
{
	u32 kind, spare[RPCRDMA2_POOL_KINDS];

	for (kind = 0; kind < RPCRDMA2_POOL_KINDS; kind++)
		spare[kind] = po_fates(c, kind, c->idle[kind], false);
	for (kind = 0; kind < RPCRDMA2_POOL_KINDS; kind++)
		spare[kind] = po_fates(c, kind, spare[kind], true);
	rpcrdma2_posted_looked(&c->po);
	for (kind = 0; kind < RPCRDMA2_POOL_KINDS; kind++) {
		c->idle[kind] -= spare[kind];
		rpcrdma2_pool_drop(&b->pool, &c->po.po_m, kind, spare[kind]);
	}
}

/* What the pool has given is allocated, but for a few */
static void po_allocate(struct po_books *b, struct po_conn *c, u32 bad)
{
	u32 kind, count, fail;

	for (kind = RPCRDMA2_POOL_BLOCK; kind < RPCRDMA2_POOL_KINDS; kind--) {
		count = rpcrdma2_posted_take(&c->po, kind);
		fail = min_t(u32, bad, count);
		if (fail)
			rpcrdma2_posted_failed(&b->pool, &c->po, kind, fail);
		rpcrdma2_pool_posted(&c->po.po_m, kind, count - fail);
		c->idle[kind] += count - fail;
	}
	if (rpcrdma2_posted_raise(&c->po))
		require(c->po.po_m.kind == RPCRDMA2_POOL_BLOCK, "who has no blocks tells of none");
	po_refill(b, c);
}

/*
 * What always holds
 */

/**
 * po_may_come - how many Receives the peer may still use up
 * @c: connection
 *
 * It can send as soon as it is granted more, and before it learns that it is not.
 */
static u32 po_may_come(const struct po_conn *c)
{
	u32 i, grant = c->grant, out = c->out, coming = 0, most;

	for (i = 0; i < c->up.count; i++)
		coming += c->up.msgs[i].credits;
	most = grant > out ? grant - out : 0;
	for (i = 0; i < c->down.count; i++) {
		if (!c->down.msgs[i].credits)
			continue;
		out -= c->down.msgs[i].credits;
		grant = c->down.msgs[i].grant;
		most = max_t(u32, most, grant > out ? grant - out : 0);
	}
	return coming + most;
}

static void po_check_conn(const struct po_books *b, const struct po_conn *c)
{
	const struct rpcrdma2_member *m = &c->po.po_m;
	u32 kind, all = c->po.po_count;

	for (kind = 0; kind < RPCRDMA2_POOL_KINDS; kind++)
		all += m->coming[kind] + c->held[kind] + c->idle[kind];
	require(m->bufs[0] + m->bufs[1] == all, "each buffer is somewhere");
	require(m->authentic || m->target <= 1, "a stranger has little");
	require(m->target <= m->most[m->kind], "no more credits than there are");
	if (rpcrdma2_posted_rests(&b->pool, &c->po))
		require(!rpcrdma2_posted_surplus(&c->po) && !m->bufs[1] && !m->coming[0],
			"who rests has nothing to give back");
	if (m->going)
		return;
	require(c->po.po_count >= po_may_come(c) + PO_EXTRA - c->asking,
		"Receives are posted for all that may come");
	require(c->po.po_count >= rpcrdma2_posted_needed(&c->po) - c->asking,
		"and so it is known (V1)");
}

static void po_check(const struct po_books *b)
{
	u32 i, sum = 0, going = 0;

	for (i = 0; i < PO_CONNS; i++) {
		po_check_conn(b, &b->conns[i]);
		sum += rpcrdma2_pool_charged(&b->pool, &b->conns[i].po.po_m);
		if (b->conns[i].po.po_m.going)
			going += rpcrdma2_pool_charged(&b->pool, &b->conns[i].po.po_m);
	}
	require(sum == b->pool.used_kb, "what is charged adds up");
	require(sum == b->shares[0].used_kb + b->shares[1].used_kb, "and so it does by address");
	require(going == b->pool.going_kb, "it is known what is going to be free");
	require(b->pool.used_kb <= b->pool.budget_kb, "memory stays within the budget");
}

/*
 * What happens
 */

static void po_begin(struct po_books *b, u32 nr)
{
	struct po_conn *c = &b->conns[nr];
	u32 count;

	memset(c, 0, sizeof(*c));
	c->grant = 1;
	c->depth = nr == 3 ? PO_SHORT : PO_DEPTH;
	count = rpcrdma2_pool_join(&b->pool, &b->shares[nr % PO_SHARES], &c->po.po_m, PO_EXTRA);
	c->po.po_m.most[RPCRDMA2_POOL_PLAIN] = PO_PLAIN_MOST;
	rpcrdma2_posted_begin(&c->po, c->depth);
	if (nr == PO_FIXED)
		count = rpcrdma2_pool_fix(&b->pool, &c->po.po_m, PO_GROUP);
	rpcrdma2_pool_posted(&c->po.po_m, c->po.po_m.kind, count);
	c->idle[c->po.po_m.kind] = count;
	po_refill(b, c);
}

/* The peer sends a Call, if it may */
static void po_call(struct po_conn *c, bool group)
{
	struct po_msg msg = { .credits = group ? PO_GROUP : 1 };

	if (c->out + msg.credits > c->grant || !po_put(&c->up, msg))
		return;
	trace("call of %u", msg.credits);
	c->out += msg.credits;
}

/* A message shows that a connection could use more */
static void po_used(struct po_books *b, struct po_conn *c, bool data)
{
	rpcrdma2_posted_used(&c->po, data);
	if (rpcrdma2_pool_short(&b->pool, &c->po.po_m))
		rpcrdma2_posted_grow(&b->pool, &c->po);
}

/* The answer to a request of the server: the peer knows what it was told before */
static void po_confirm(struct po_books *b, struct po_conn *c)
{
	c->idle[po_pop(c)]++;
	c->asking = false;
	rpcrdma2_posted_confirm(&c->po);
	po_refill(b, c);
}

/* A message arrives at the server */
static void po_arrive(struct po_books *b, struct po_conn *c, struct input *in)
{
	struct po_msg msg;
	u32 i;

	if (!c->up.count || c->calls.count == PO_QUEUE)
		return;
	msg = po_take(&c->up, 0);
	if (!msg.credits) {
		po_confirm(b, c);
		return;
	}
	for (i = 0; i < msg.credits; i++) {
		c->held[po_pop(c)]++;
		rpcrdma2_posted_holds(&c->po, msg.credits == 1 && input_flag(in));
		if (rpcrdma2_posted_lags_grant(&c->po, 0))
			po_refill(b, c);
	}
	msg.missing = input_below(in, 4) * PO_GROUP;
	rpcrdma2_posted_explicit(&c->po, msg.missing);
	if (msg.missing)
		rpcrdma2_pool_lacked(&c->po.po_m, PO_GROUP);
	po_used(b, c, input_flag(in));
	po_put(&c->calls, msg);
}

/* A Call does not hold its buffers any more; of which kind makes no difference */
static void po_unhold(struct po_conn *c, u32 count)
{
	u32 kind;

	while (count--) {
		kind = c->held[RPCRDMA2_POOL_PLAIN] ? RPCRDMA2_POOL_PLAIN : RPCRDMA2_POOL_BLOCK;
		c->held[kind]--;
		c->idle[kind]++;
	}
}

/* The server replies to any of its Calls, or drops it */
static void po_reply(struct po_books *b, struct po_conn *c, struct input *in, bool drop)
{
	struct po_msg msg;

	if (!c->calls.count || c->down.count == PO_QUEUE)
		return;
	msg = po_take(&c->calls, input_below(in, c->calls.count));
	rpcrdma2_posted_answered(&c->po, msg.missing);
	if (drop) {
		trace("drop");
		rpcrdma2_posted_dropped(&c->po, msg.credits);
		po_unhold(c, msg.credits);
		po_refill(b, c);
		return;
	}
	po_unhold(c, msg.credits - 1);
	if (rpcrdma2_posted_lags_grant(&c->po, msg.credits))
		po_refill(b, c);
	msg.grant = rpcrdma2_posted_grant(&b->pool, &c->po, msg.credits);
	trace("reply grants %u", msg.grant);
	require(msg.grant, "no grant is zero");
	po_put(&c->down, msg);
	po_unhold(c, 1);
}

/* A message arrives at the peer */
static void po_learn(struct po_conn *c)
{
	struct po_msg msg;

	if (!c->down.count || c->up.count == PO_QUEUE)
		return;
	msg = po_take(&c->down, 0);
	if (!msg.credits) {
		po_put(&c->up, msg);
		return;
	}
	c->out -= msg.credits;
	c->grant = msg.grant;
}

/* The server asks its peer for nothing */
static void po_ask(struct po_conn *c)
{
	struct po_msg msg = { };

	if (c->asking || !po_put(&c->down, msg))
		return;
	rpcrdma2_posted_ask(&c->po);
	c->asking = true;
}

static void po_tick(struct po_books *b, struct po_conn *c, struct input *in)
{
	struct rpcrdma2_member *m = &c->po.po_m;
	enum rpcrdma2_pool_turn turn;

	m->needed = input_flag(in);
	turn = rpcrdma2_pool_tick(&b->pool, m, c->po.po_count, c->po.po_unanswered);
	trace("turn %u", turn);
	po_refill(b, c);
	if (turn == RPCRDMA2_POOL_RECALL || turn == RPCRDMA2_POOL_FLUSH)
		po_ask(c);
}

/* The kernel wants memory, or gives it back, or there is more of it */
static void po_memory(struct po_books *b, struct input *in)
{
	u32 what = input_below(in, 8);

	if (!what)
		rpcrdma2_pool_resize(&b->pool, b->pool.budget_kb + 64);
	else if (what == 1)
		rpcrdma2_pool_relax(&b->pool);
	else
		rpcrdma2_pool_squeeze(&b->pool, 1 << (what + 6));
}

/* The peer has asked for shorter Receives, or is about to be gone */
static void po_less(struct po_books *b, struct po_conn *c)
{
	struct rpcrdma2_member *m = &c->po.po_m;

	if (m->going) {
		rpcrdma2_pool_leave(&b->pool, m);
		po_begin(b, c - b->conns);
	} else if (!m->coming[RPCRDMA2_POOL_BLOCK] && m->kind == RPCRDMA2_POOL_BLOCK) {
		rpcrdma2_posted_plain(&b->pool, &c->po);
	}
}

static void po_step(struct po_books *b, struct po_conn *c, struct input *in)
{
	u32 what = input_below(in, 20);

	trace("%u: step %u", (u32)(c - b->conns), what);
	switch (what) {
	case 0:
	case 1:
	case 2:
	case 3:
		po_call(c, what == 3);
		break;
	case 4:
	case 5:
		po_arrive(b, c, in);
		break;
	case 6:
	case 7:
	case 16:
		po_reply(b, c, in, what == 16);
		break;
	case 8:
	case 9:
		po_learn(c);
		break;
	case 10:
		po_allocate(b, c, 0);
		break;
	case 11:
		po_allocate(b, c, input_below(in, 64));
		break;
	case 12:
	case 17:
		po_tick(b, c, in);
		break;
	case 13:
		rpcrdma2_posted_admit(&b->pool, &c->po);
		break;
	case 14:
		po_less(b, c);
		break;
	case 15:
		po_ask(c);
		break;
	case 18:
		po_memory(b, in);
		break;
	case 19:
		po_refill(b, c);
		break;
	}
}

/* In the end the kernel wants everything, and has it but for what there is at least */
static void po_end(struct po_books *b)
{
	u32 i;

	rpcrdma2_pool_squeeze(&b->pool, U32_MAX);
	require(b->pool.squeezed_kb == b->pool.budget_kb, "no more is taken than there is");
	for (i = 0; i < 64; i++)
		rpcrdma2_pool_relax(&b->pool);
	require(!b->pool.squeezed_kb, "everything is given back");
	for (i = 0; i < PO_CONNS; i++)
		rpcrdma2_pool_leave(&b->pool, &b->conns[i].po.po_m);
	require(!b->pool.used_kb && !b->pool.going_kb && !b->pool.members, "nothing is left");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct po_books b;
	struct input in;
	u32 i;

	input_begin(&in, data, size);
	memset(&b, 0, sizeof(b));
	rpcrdma2_pool_init(&b.pool, &po_rules, 4096 << input_below(&in, 4));
	for (i = 0; i < PO_CONNS; i++)
		po_begin(&b, i);
	while (input_left(&in)) {
		po_step(&b, &b.conns[input_below(&in, PO_CONNS)], &in);
		po_check(&b);
	}
	po_end(&b);
	return 0;
}
