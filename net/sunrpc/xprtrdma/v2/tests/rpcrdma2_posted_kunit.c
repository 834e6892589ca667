// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of Receives and credits of a server's connection: a peer that sends
 * whatever its grant allows, and messages that take their time.
 *
 * tools/testing/selftests/rpcrdma/unit builds the same file in user space.
 */

#include <kunit/test.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "../posted.h"

enum {
	PD_EXTRA	= 7,
	PD_DEPTH	= 400,
	PD_CONNS	= 4,
	PD_QUEUE	= 1024,
	PD_ASK		= 1 << 16,
};

static const struct rpcrdma2_pool_rules pd_rules = {
	.kb		= { 4, 68 },
	.first		= 1,
	.rest		= 8,
	.few		= 1,
	.pause		= 21,
	.most		= 256,
	.hold		= 4,
	.still		= 1 << 30,
	.idle		= 20,
	.gone		= 1 << 30,
	.silent		= 4,
};

/**
 * struct pd_line - messages on their way in one direction
 * @words: each is a grant, or PD_ASK
 * @head: those received
 * @tail: those sent
 */
struct pd_line {
	u32	words[PD_QUEUE];
	u32	head;
	u32	tail;
};

/**
 * struct pd_conn - a connection and its peer
 * @po: what is tested
 * @free: buffers of each kind that are not in use
 * @kinds: of posted Receives, in order
 * @first: the oldest of them
 * @held: buffers with Calls, by kind
 * @up: messages to the server
 * @down: messages to the peer
 * @known: grant that the peer has
 * @out: its Calls that are not answered
 * @asked: a request of the server's is not answered
 * @unsent: a reply is settled, and not posted
 * @value: its grant
 */
struct pd_conn {
	struct rpcrdma2_posted	po;
	u32			free[RPCRDMA2_POOL_KINDS];
	u8			kinds[PD_QUEUE];
	u32			first;
	u32			held[RPCRDMA2_POOL_KINDS];
	struct pd_line		up;
	struct pd_line		down;
	u32			known;
	u32			out;
	bool			asked;
	bool			unsent;
	u32			value;
};

struct pd_books {
	struct rpcrdma2_pool	pool;
	struct rpcrdma2_share	shares[PD_CONNS];
	struct pd_conn		conns[PD_CONNS];
	u32			dry;
};

static void pd_push(struct pd_line *line, u32 word)
{
	line->words[line->tail++ % PD_QUEUE] = word;
}

static void pd_post(struct pd_conn *c, u32 kind)
{
	c->kinds[(c->first + c->po.po_count) % PD_QUEUE] = kind;
	rpcrdma2_posted_add(&c->po);
	c->free[kind]--;
}

/* So many buffers find their fate. Returns how many are spare. */
static u32 pd_fates(struct pd_conn *c, u32 kind, u32 n, bool again)
{
	enum rpcrdma2_buffer_fate fate;
	u32 spare = 0;

	while (n--) {
		fate = rpcrdma2_posted_fate(&c->po, kind, again);
		if (fate == RPCRDMA2_BUFFER_POST)
			pd_post(c, kind);
		spare += fate == RPCRDMA2_BUFFER_SPARE;
	}
	return spare;
}

/* Every buffer that is not in use finds its fate, as a server has it */
static void pd_refill(struct pd_books *b, struct pd_conn *c)
{
	u32 kind, spare[RPCRDMA2_POOL_KINDS];

	for (kind = 0; kind < RPCRDMA2_POOL_KINDS; kind++)
		spare[kind] = pd_fates(c, kind, c->free[kind], false);
	for (kind = 0; kind < RPCRDMA2_POOL_KINDS; kind++)
		spare[kind] = pd_fates(c, kind, spare[kind], true);
	rpcrdma2_posted_looked(&c->po);
	for (kind = 0; kind < RPCRDMA2_POOL_KINDS; kind++) {
		c->free[kind] -= spare[kind];
		rpcrdma2_pool_drop(&b->pool, &c->po.po_m, kind, spare[kind]);
	}
}

/* What the pool has given is allocated, or some of it */
static void pd_allocate(struct pd_books *b, struct pd_conn *c, u32 fail)
{
	u32 kind, count, bad;

	for (kind = 0; kind < RPCRDMA2_POOL_KINDS; kind++) {
		count = rpcrdma2_posted_take(&c->po, kind);
		bad = min_t(u32, fail, count);
		if (bad)
			rpcrdma2_posted_failed(&b->pool, &c->po, kind, bad);
		rpcrdma2_pool_posted(&c->po.po_m, kind, count - bad);
		c->free[kind] += count - bad;
		pd_refill(b, c);
	}
}

static struct pd_conn *pd_connect(struct pd_books *b, u32 i)
{
	struct pd_conn *c = &b->conns[i];
	u32 count = rpcrdma2_pool_join(&b->pool, &b->shares[i / 2], &c->po.po_m,
				       PD_EXTRA);

	rpcrdma2_posted_begin(&c->po, PD_DEPTH);
	rpcrdma2_pool_posted(&c->po.po_m, RPCRDMA2_POOL_PLAIN, count);
	c->free[RPCRDMA2_POOL_PLAIN] += count;
	pd_refill(b, c);
	c->known = 1;
	return c;
}

static struct pd_books *pd_books(struct kunit *test, u32 budget_kb)
{
	struct pd_books *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	u32 i;

	rpcrdma2_pool_init(&b->pool, &pd_rules, budget_kb);
	for (i = 0; i < PD_CONNS; i++)
		pd_connect(b, i);
	return b;
}

/* The peer sends a Call if it may */
static void pd_call(struct pd_conn *c)
{
	if (c->out >= c->known)
		return;
	c->out++;
	pd_push(&c->up, 0);
}

/* The server receives a message, if one is on its way */
static void pd_receive(struct pd_books *b, struct pd_conn *c, bool data)
{
	u32 kind = c->kinds[c->first % PD_QUEUE], word;

	if (c->up.head == c->up.tail)
		return;
	if (!c->po.po_count) {
		b->dry++;
		return;
	}
	word = c->up.words[c->up.head++ % PD_QUEUE];
	rpcrdma2_posted_arrived(&c->po);
	c->first++;
	if (word == PD_ASK) {
		c->asked = false;
		rpcrdma2_posted_confirm(&c->po);
		c->free[kind]++;
	} else {
		/* every other one may be a request that asks for the grant */
		rpcrdma2_posted_holds(&c->po, (c - b->conns) % 2 && !(c->first % 7));
		c->held[kind]++;
		rpcrdma2_posted_used(&c->po, data);
	}
	if (rpcrdma2_pool_short(&b->pool, &c->po.po_m))
		rpcrdma2_posted_grow(&b->pool, &c->po);
	if (rpcrdma2_posted_lags_grant(&c->po, 0))
		pd_refill(b, c);
}

static void pd_flush(struct pd_conn *c)
{
	if (!c->unsent)
		return;
	c->unsent = false;
	pd_push(&c->down, c->value);
}

/* A Call is answered; its reply may be posted later */
static void pd_reply(struct pd_books *b, struct pd_conn *c, bool late)
{
	u32 kind = c->held[0] ? 0 : 1;

	pd_flush(c);
	if (!c->held[kind])
		return;
	if (rpcrdma2_posted_lags_grant(&c->po, 1))
		pd_refill(b, c);
	c->value = rpcrdma2_posted_grant(&b->pool, &c->po, 1);
	c->unsent = true;
	if (!late)
		pd_flush(c);
	c->held[kind]--;
	c->free[kind]++;
}

/* A Call is dropped. The peer goes on without the credit. */
static void pd_drop(struct pd_books *b, struct pd_conn *c)
{
	u32 kind = c->held[0] ? 0 : 1;

	if (!c->held[kind])
		return;
	rpcrdma2_posted_dropped(&c->po, 1);
	c->held[kind]--;
	c->free[kind]++;
	pd_refill(b, c);
}

/* The peer receives something */
static void pd_peer(struct pd_conn *c)
{
	u32 word;

	if (c->down.head == c->down.tail)
		return;
	word = c->down.words[c->down.head++ % PD_QUEUE];
	if (word == PD_ASK) {
		pd_push(&c->up, PD_ASK);
		return;
	}
	c->known = word;
	c->out--;
}

static void pd_tick(struct pd_books *b, struct pd_conn *c)
{
	enum rpcrdma2_pool_turn turn;

	turn = rpcrdma2_pool_tick(&b->pool, &c->po.po_m, c->po.po_count,
				  c->po.po_unanswered);
	if (c->asked || c->unsent ||
	    (turn != RPCRDMA2_POOL_RECALL && turn != RPCRDMA2_POOL_FLUSH))
		return;
	rpcrdma2_posted_ask(&c->po);
	c->asked = true;
	pd_push(&c->down, PD_ASK);
}

static void pd_step(struct pd_books *b, struct pd_conn *c, u32 random)
{
	u32 i;

	switch (random & 15) {
	case 0 ... 3:
		for (i = 0; i < 8; i++)
			pd_call(c);
		break;
	case 4 ... 6:
		for (i = 0; i < (random >> 9 & 7); i++)
			pd_receive(b, c, random >> 8 & 1);
		break;
	case 7 ... 9:
		pd_reply(b, c, random >> 8 & 1);
		break;
	case 10 ... 12:
		pd_peer(c);
		break;
	case 13:
		pd_allocate(b, c, (random >> 8 & 7) == 7 ? 3 : 0);
		break;
	case 14:
		if ((random >> 8 & 15) == 15)
			pd_tick(b, c);
		break;
	case 15:
		if ((random >> 8 & 31) == 31 && c->out < 3)
			pd_drop(b, c);
		else if ((random >> 8 & 31) == 30)
			rpcrdma2_posted_admit(&b->pool, &c->po);
		else if (random >> 13 & 1)
			rpcrdma2_pool_squeeze(&b->pool, 1000);
		else
			rpcrdma2_pool_relax(&b->pool);
		break;
	}
}

static void pd_check(struct kunit *test, const struct pd_conn *c)
{
	const struct rpcrdma2_member *m = &c->po.po_m;

	KUNIT_EXPECT_EQ(test, m->bufs[0] + m->bufs[1],
			c->po.po_count + c->held[0] + c->held[1] + c->free[0] +
			c->free[1] + m->coming[0] + m->coming[1]);
	KUNIT_EXPECT_LE(test, c->po.po_count, (u32)PD_DEPTH);
	/* whatever may still come: what is on its way, and what the peer may send */
	KUNIT_EXPECT_GE(test, c->po.po_count,
			c->up.tail - c->up.head +
			(c->known > c->out ? c->known - c->out : 0));
	KUNIT_EXPECT_GE(test, c->po.po_count + c->free[0] + c->free[1],
			rpcrdma2_posted_needed(&c->po));
}

/* V1 to V3: whatever happens, in whatever order, no message finds no Receive */
static void pd_ledger(struct kunit *test)
{
	struct pd_books *b = pd_books(test, 64 * 1024);
	u32 i, j, most = 0, x = 1;

	for (i = 0; i < 200000; i++) {
		x = x * 1664525 + 1013904223;
		j = x >> 30;
		pd_step(b, &b->conns[j], x >> 8);
		if (i % 16 == 0)
			pd_check(test, &b->conns[j]);
		most = max_t(u32, most, b->conns[j].known);
		KUNIT_EXPECT_LE(test, b->pool.used_kb, 64U * 1024);
	}
	KUNIT_EXPECT_EQ(test, b->dry, 0U);
	KUNIT_EXPECT_GT(test, b->pool.grown, 20U);
	KUNIT_EXPECT_GT(test, b->pool.shrunk, 20U);
	KUNIT_EXPECT_GT(test, most, 30U);
}

static void pd_send_all(struct pd_books *b, struct pd_conn *c, bool data)
{
	u32 i;

	for (i = 0; i < 256; i++)
		pd_call(c);
	while (c->up.head != c->up.tail && c->po.po_count)
		pd_receive(b, c, data);
}

static void pd_reply_all(struct pd_books *b, struct pd_conn *c)
{
	while (c->held[0] + c->held[1])
		pd_reply(b, c, false);
	while (c->down.head != c->down.tail)
		pd_peer(c);
	pd_refill(b, c);
}

/* The peer has as many Calls under way as it may, and then stops */
static void pd_busy(struct pd_books *b, struct pd_conn *c, u32 replies, bool data)
{
	while (replies--) {
		pd_send_all(b, c, data);
		pd_allocate(b, c, 0);
		pd_reply(b, c, false);
		pd_peer(c);
	}
	pd_reply_all(b, c);
}

/* Whoever has not authenticated gets nothing, whatever he sends */
static void pd_stranger(struct kunit *test)
{
	struct pd_books *b = pd_books(test, 256 * 1024);
	struct pd_conn *c = &b->conns[0];

	pd_busy(b, c, 50, true);
	KUNIT_EXPECT_EQ(test, c->known, 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_charged(&b->pool, &c->po.po_m),
			4 * (1 + 1 + PD_EXTRA + 0U));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_posted_rests(&b->pool, &c->po));
}

/* It becomes large, then small again when it has nothing to do, and rests */
static void pd_life(struct kunit *test)
{
	struct pd_books *b = pd_books(test, 256 * 1024);
	struct pd_conn *c = &b->conns[0];
	u32 i, ticks;

	rpcrdma2_posted_admit(&b->pool, &c->po);
	pd_allocate(b, c, 0);
	pd_busy(b, c, 100, false);
	KUNIT_EXPECT_GT(test, c->known, 7U);
	pd_busy(b, c, 2000, true);
	KUNIT_EXPECT_EQ(test, c->po.po_m.kind, (u32)RPCRDMA2_POOL_BLOCK);
	KUNIT_EXPECT_EQ(test, c->po.po_m.target, 256U);
	KUNIT_EXPECT_EQ(test, c->po.po_m.bufs[RPCRDMA2_POOL_PLAIN], 0U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_posted_rests(&b->pool, &c->po));
	/* it does nothing; then its peer asks for a lower RBSIZ */
	for (ticks = 0; ticks < 1000; ticks++) {
		pd_tick(b, c);
		pd_peer(c);
		for (i = 0; i < 4; i++)
			pd_receive(b, c, false);
	}
	KUNIT_EXPECT_EQ(test, c->po.po_m.target, 1U);
	KUNIT_EXPECT_LE(test, c->po.po_count, 21U + 2 + 1 + PD_EXTRA);
	rpcrdma2_posted_plain(&b->pool, &c->po);
	pd_allocate(b, c, 0);
	pd_busy(b, c, 30, false);
	for (ticks = 0; ticks < 400; ticks++) {
		pd_tick(b, c);
		pd_peer(c);
		pd_receive(b, c, false);
	}
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_charged(&b->pool, &c->po.po_m),
			4 * (8 + 7 + (u32)PD_EXTRA));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_posted_rests(&b->pool, &c->po));
	/* not as long as a buffer more is charged, wherever it is */
	c->po.po_m.bufs[RPCRDMA2_POOL_PLAIN]++;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_posted_rests(&b->pool, &c->po));
}

/* Blocks that are still there when the peer has asked for less are told of again */
static void pd_raised(struct kunit *test)
{
	struct pd_books *b = pd_books(test, 256 * 1024);
	struct pd_conn *c = &b->conns[0];

	rpcrdma2_posted_admit(&b->pool, &c->po);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_posted_raise(&c->po));
	pd_allocate(b, c, 0);
	rpcrdma2_posted_used(&c->po, true);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_posted_grow(&b->pool, &c->po));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_posted_raise(&c->po));
	pd_allocate(b, c, 0);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_posted_raise(&c->po));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_posted_raise(&c->po));
	rpcrdma2_posted_plain(&b->pool, &c->po);
	pd_allocate(b, c, 0);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_posted_raise(&c->po));
	/* there is nothing to allocate, and something to do */
	rpcrdma2_posted_used(&c->po, true);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_posted_grow(&b->pool, &c->po));
	KUNIT_EXPECT_EQ(test, rpcrdma2_posted_take(&c->po, RPCRDMA2_POOL_BLOCK), 0U);
	KUNIT_EXPECT_TRUE(test, c->po.po_raise);
	/* it comes to nothing if there is no memory after all */
	rpcrdma2_posted_plain(&b->pool, &c->po);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_posted_raise(&c->po));
}

/*
 * What it gets when somebody has authenticated is not there yet, nor are blocks: its
 * plain buffers are all it has
 */
static void pd_early(struct kunit *test)
{
	struct pd_books *b = pd_books(test, 256 * 1024);
	struct pd_conn *c = &b->conns[0];

	rpcrdma2_posted_admit(&b->pool, &c->po);
	pd_call(c);
	pd_receive(b, c, true);
	KUNIT_EXPECT_EQ(test, c->po.po_m.kind, (u32)RPCRDMA2_POOL_BLOCK);
	c->asked = true;
	pd_push(&c->up, PD_ASK);
	pd_receive(b, c, false);
	pd_reply(b, c, false);
	KUNIT_EXPECT_GE(test, c->po.po_count, rpcrdma2_posted_needed(&c->po));
	KUNIT_EXPECT_EQ(test, c->po.po_count, 1U + PD_EXTRA);
}

/* V2: a Call that is dropped leaves its Receive to others */
static void pd_dropped(struct kunit *test)
{
	struct pd_books *b = pd_books(test, 256 * 1024);
	struct pd_conn *c = &b->conns[0];
	u32 i;

	rpcrdma2_posted_admit(&b->pool, &c->po);
	pd_allocate(b, c, 0);
	pd_busy(b, c, 20, false);
	for (i = 0; i < 4; i++) {
		pd_call(c);
		pd_receive(b, c, false);
		pd_drop(b, c);
		KUNIT_EXPECT_GE(test, c->po.po_count, rpcrdma2_posted_needed(&c->po));
		KUNIT_EXPECT_EQ(test, c->po.po_unanswered, 0U);
	}
	KUNIT_EXPECT_EQ(test, c->out, 4U);
	KUNIT_EXPECT_GE(test, c->po.po_count, c->known + PD_EXTRA);
}

/* V3: an answer to what was asked before the last grant confirms nothing */
static void pd_confirmed(struct kunit *test)
{
	struct pd_books *b = pd_books(test, 256 * 1024);
	struct rpcrdma2_posted *po = &b->conns[0].po;
	struct pd_conn *c = &b->conns[0];

	rpcrdma2_posted_admit(&b->pool, po);
	pd_allocate(b, c, 0);
	pd_busy(b, c, 2000, true);
	KUNIT_EXPECT_GT(test, po->po_m.grant, 250U);
	KUNIT_EXPECT_EQ(test, po->po_m.recall, 21U);
	rpcrdma2_posted_ask(po);
	pd_call(c);
	pd_receive(b, c, true);
	pd_reply(b, c, false);
	rpcrdma2_posted_confirm(po);
	KUNIT_EXPECT_GT(test, po->po_m.grant, 250U);
	rpcrdma2_posted_ask(po);
	rpcrdma2_posted_confirm(po);
	KUNIT_EXPECT_EQ(test, po->po_m.grant, 21U);
	/* nor the same answer twice */
	po->po_m.recall = 5;
	rpcrdma2_posted_confirm(po);
	KUNIT_EXPECT_EQ(test, po->po_m.grant, 21U);
}

/* Buffers wait for others as long as there are enough Receives, and memory neither comes
 * nor goes
 */
static void pd_lags(struct kunit *test)
{
	struct pd_books *b = pd_books(test, 256 * 1024);
	struct rpcrdma2_posted *po = &b->conns[0].po;
	u32 i;

	rpcrdma2_posted_admit(&b->pool, po);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_posted_lags_grant(po, 0));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_posted_lags_split(po));
	pd_allocate(b, &b->conns[0], 0);
	po->po_m.grant = 8;
	KUNIT_EXPECT_EQ(test, po->po_m.target, 8U);
	KUNIT_EXPECT_EQ(test, po->po_count, 8 + 7U + PD_EXTRA);
	for (i = 0; i < 9; i++) {
		KUNIT_EXPECT_FALSE(test, rpcrdma2_posted_lags_grant(po, 0));
		KUNIT_EXPECT_EQ(test, rpcrdma2_posted_lags_split(po), i > 7);
		rpcrdma2_posted_arrived(po);
		rpcrdma2_posted_holds(po, false);
	}
	KUNIT_EXPECT_FALSE(test, rpcrdma2_posted_lags_grant(po, 7));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_posted_lags_grant(po, 8));
	po->po_m.grant = 9;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_posted_lags_grant(po, 0));
	po->po_m.grant = 8;
	po->po_m.bufs[RPCRDMA2_POOL_PLAIN]++;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_posted_lags_grant(po, 0));
	po->po_m.bufs[RPCRDMA2_POOL_PLAIN]--;
	po->po_m.bufs[RPCRDMA2_POOL_BLOCK]++;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_posted_lags_grant(po, 0));
}

/* A short queue: fewer credits, and nothing is posted beyond it */
static void pd_short_queue(struct kunit *test)
{
	struct pd_books *b = pd_books(test, 256 * 1024);
	struct pd_conn *c = &b->conns[0];

	rpcrdma2_posted_begin(&c->po, 40);
	rpcrdma2_posted_admit(&b->pool, &c->po);
	pd_allocate(b, c, 0);
	pd_busy(b, c, 600, true);
	KUNIT_EXPECT_EQ(test, c->po.po_m.target, 30U);
	KUNIT_EXPECT_EQ(test, c->po.po_count, 40U);
	KUNIT_EXPECT_EQ(test, b->dry, 0U);
	KUNIT_EXPECT_LE(test, c->known, 40U - PD_EXTRA);
}

/* Data by explicit RDMA shows how many credits it would have taken */
static void pd_missing(struct kunit *test)
{
	struct pd_books *b = pd_books(test, 256 * 1024);
	struct pd_conn *c = &b->conns[0];

	rpcrdma2_posted_admit(&b->pool, &c->po);
	pd_allocate(b, c, 0);
	pd_call(c);
	pd_receive(b, c, false);
	rpcrdma2_posted_explicit(&c->po, 16);
	rpcrdma2_posted_used(&c->po, true);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_pool_short(&b->pool, &c->po.po_m));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_posted_grow(&b->pool, &c->po));
	KUNIT_EXPECT_GT(test, c->po.po_m.target, 16U);
	rpcrdma2_posted_answered(&c->po, 16);
	KUNIT_EXPECT_EQ(test, c->po.po_missing, 0U);
	/* there is no memory at all: it stays as it was */
	pd_allocate(b, c, 1000);
	KUNIT_EXPECT_EQ(test, c->po.po_m.kind, (u32)RPCRDMA2_POOL_PLAIN);
	KUNIT_EXPECT_EQ(test, c->po.po_m.bufs[RPCRDMA2_POOL_BLOCK], 0U);
	KUNIT_EXPECT_TRUE(test, c->po.po_m.denied);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_posted_rests(&b->pool, &c->po));
}

/* A client that has a given number of buffers, as many of them as its target needs */
static void pd_client(struct pd_conn *c, u32 target, u32 buffers)
{
	c->po.po_m.target = target;
	c->po.po_m.bufs[RPCRDMA2_POOL_PLAIN] = buffers;
	c->po.po_m.coming[RPCRDMA2_POOL_PLAIN] = 0;
}

/* V4: what a client has Receives for, it uses for what there is most use for */
static void pd_split(struct kunit *test)
{
	struct pd_books *b = pd_books(test, 256 * 1024);
	struct rpcrdma2_split want = { .credits = 64 }, held = { }, now = { .credits = 1 };
	struct pd_conn *c = &b->conns[0];
	struct rpcrdma2_posted *po = &c->po;

	pd_client(c, 8, 8 + 2 + PD_EXTRA);
	KUNIT_EXPECT_EQ(test, rpcrdma2_posted_there(po, false), 10U + PD_EXTRA);
	KUNIT_EXPECT_EQ(test, rpcrdma2_posted_there(po, true), 0U);
	rpcrdma2_posted_split(po, rpcrdma2_posted_there(po, false), &want, &held, &now);
	KUNIT_EXPECT_EQ(test, now.credits, 8U);
	KUNIT_EXPECT_EQ(test, now.recvs + now.reverse, 0U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_posted_needed(po), 8U + PD_EXTRA);

	/* long replies get most of it, but not all */
	want.recvs = 40;
	pd_client(c, 20, 23 + PD_EXTRA);
	rpcrdma2_posted_split(po, 23 + PD_EXTRA, &want, &held, &now);
	KUNIT_EXPECT_EQ(test, now.credits, 5U);
	KUNIT_EXPECT_EQ(test, now.recvs, 15U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_posted_for_replies(po, 23 + PD_EXTRA), 15U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_posted_for_replies(po, 4 + PD_EXTRA), 3U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_posted_for_replies(po, 1 + PD_EXTRA), 0U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_posted_for_replies(po, 1), 0U);
	/* the credits of before may be in use: they count until that is seen */
	KUNIT_EXPECT_EQ(test, rpcrdma2_posted_needed(po), 23U + PD_EXTRA);
	held.credits = 7;
	rpcrdma2_posted_split(po, 23 + PD_EXTRA, &want, &held, &now);
	KUNIT_EXPECT_EQ(test, now.recvs, 13U);
	held.credits = 2;
	rpcrdma2_posted_split(po, 23 + PD_EXTRA, &want, &held, &now);
	KUNIT_EXPECT_EQ(test, now.recvs, 15U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_posted_needed(po), 20U + PD_EXTRA);

	/* what the server does not grant is theirs, too */
	want.credits = 2;
	want.recvs = 0;
	rpcrdma2_posted_split(po, 23 + PD_EXTRA, &want, &held, &now);
	KUNIT_EXPECT_EQ(test, now.credits, 2U);
	KUNIT_EXPECT_EQ(test, now.recvs, 18U);
}

/* Of many buffers that come back at once as many are freed as there are too many */
static void pd_batch(struct kunit *test)
{
	struct pd_books *b = pd_books(test, 1024 * 1024);
	struct pd_conn *c = &b->conns[0];
	struct rpcrdma2_member *m = &c->po.po_m;

	rpcrdma2_posted_admit(&b->pool, &c->po);
	rpcrdma2_pool_used(m, 50, true);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_posted_grow(&b->pool, &c->po));
	pd_allocate(b, c, 0);
	KUNIT_EXPECT_EQ(test, m->bufs[RPCRDMA2_POOL_BLOCK],
			rpcrdma2_pool_buffers(m, m->target));
	while (c->po.po_count > 5) {
		c->free[c->kinds[c->first++ % PD_QUEUE]]++;
		rpcrdma2_posted_arrived(&c->po);
	}
	m->target /= 2;
	pd_refill(b, c);
	KUNIT_EXPECT_EQ(test, m->bufs[RPCRDMA2_POOL_BLOCK],
			rpcrdma2_pool_buffers(m, m->target));
}

/* Who has fewer buffers than it should have shows by what it uses that it needs more */
static void pd_too_few(struct kunit *test)
{
	struct pd_books *b = pd_books(test, 1024 * 1024);
	struct pd_conn *c = &b->conns[0];
	struct rpcrdma2_member *m = &c->po.po_m;

	rpcrdma2_posted_admit(&b->pool, &c->po);
	rpcrdma2_pool_used(m, 50, true);
	rpcrdma2_posted_grow(&b->pool, &c->po);
	pd_allocate(b, c, 0);
	rpcrdma2_pool_drop(&b->pool, m, RPCRDMA2_POOL_BLOCK,
			   m->bufs[RPCRDMA2_POOL_BLOCK] - rpcrdma2_pool_buffers(m, m->target / 2));
	rpcrdma2_pool_tick(&b->pool, m, c->po.po_count, 0);
	rpcrdma2_pool_used(m, m->target / 2 - 1, true);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_pool_short(&b->pool, m));
}

/* D-18: the least that there can be, and reverse credits, which are not taken back */
static void pd_split_reverse(struct kunit *test)
{
	struct rpcrdma2_split want = { .credits = 64, .reverse = 14 };
	struct rpcrdma2_split held = { }, now = { .credits = 1 };
	struct pd_books *b = pd_books(test, 256 * 1024);
	struct pd_conn *c = &b->conns[0];
	struct rpcrdma2_posted *po = &c->po;

	pd_client(c, 1, 2 + PD_EXTRA);
	rpcrdma2_posted_split(po, 2 + PD_EXTRA, &want, &held, &now);
	KUNIT_EXPECT_EQ(test, now.credits, 1U);
	KUNIT_EXPECT_EQ(test, now.reverse, 1U);
	pd_client(c, 40, 46 + PD_EXTRA);
	rpcrdma2_posted_split(po, 46 + PD_EXTRA, &want, &held, &now);
	KUNIT_EXPECT_EQ(test, now.reverse, 14U);
	KUNIT_EXPECT_EQ(test, now.credits, 32U);
	held.reverse = 14;
	want.reverse = 0;
	pd_client(c, 1, 46 + PD_EXTRA);
	rpcrdma2_posted_split(po, 46 + PD_EXTRA, &want, &held, &now);
	rpcrdma2_posted_split(po, 46 + PD_EXTRA, &want, &held, &now);
	KUNIT_EXPECT_EQ(test, now.credits, 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_posted_needed(po), 15U + PD_EXTRA);
	/* even without any buffer at all one RPC at a time can do */
	rpcrdma2_posted_split(po, 0, &want, &held, &now);
	KUNIT_EXPECT_EQ(test, now.credits, 1U);
	KUNIT_EXPECT_EQ(test, now.recvs, 0U);
}

static struct kunit_case rpcrdma2_posted_cases[] = {
	KUNIT_CASE(pd_batch),
	KUNIT_CASE(pd_too_few),
	KUNIT_CASE(pd_split),
	KUNIT_CASE(pd_split_reverse),
	KUNIT_CASE(pd_ledger),
	KUNIT_CASE(pd_stranger),
	KUNIT_CASE(pd_life),
	KUNIT_CASE(pd_raised),
	KUNIT_CASE(pd_early),
	KUNIT_CASE(pd_dropped),
	KUNIT_CASE(pd_confirmed),
	KUNIT_CASE(pd_lags),
	KUNIT_CASE(pd_short_queue),
	KUNIT_CASE(pd_missing),
	{ }
};

static struct kunit_suite rpcrdma2_posted_suite = {
	.name		= "rpcrdma2_posted",
	.test_cases	= rpcrdma2_posted_cases,
};

kunit_test_suite(rpcrdma2_posted_suite);

MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests of Receives and credits of a server's connection of RPC-over-RDMA version 2");
MODULE_LICENSE("GPL");
