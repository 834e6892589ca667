// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of who gets how much of the memory for Receives.
 *
 * tools/testing/selftests/rpcrdma/unit builds the same file in user space.
 */

#include <kunit/test.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "../pool.h"

enum {
	PO_PLAIN_KB	= 4,
	PO_BLOCK_KB	= 68,
	PO_EXTRA	= 7,
	PO_BUDGET_KB	= 192 * 1024,
	PO_MEMBERS	= 64,
};

static const struct rpcrdma2_pool_rules po_rules = {
	.kb		= { PO_PLAIN_KB, PO_BLOCK_KB },
	.first		= 1,
	.rest		= 8,
	.few		= 1,
	.pause		= 21,
	.most		= 256,
	.hold		= 4,
	.still		= 12,
	.idle		= 20,
	.gone		= 240,
	.silent		= 4,
};

/**
 * struct po_conn - a connection, as its end has it
 * @m: its membership
 * @posted: Receives that are posted; of which kind makes no difference here
 * @held: buffers with messages that are not answered
 * @seen: the grant that the peer knows of
 */
struct po_conn {
	struct rpcrdma2_member	m;
	u32			posted;
	u32			held;
	u32			seen;
};

/**
 * struct po_books - a pool and its connections
 * @pool: the pool
 * @shares: addresses
 * @conns: connections
 */
struct po_books {
	struct rpcrdma2_pool	pool;
	struct rpcrdma2_share	shares[PO_MEMBERS];
	struct po_conn		conns[PO_MEMBERS];
};

static struct po_books *po_books(struct kunit *test)
{
	struct po_books *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	rpcrdma2_pool_init(&b->pool, &po_rules, PO_BUDGET_KB);
	return b;
}

/* Buffers are allocated, and posted */
static void po_post(struct po_conn *c, u32 kind, u32 count)
{
	rpcrdma2_pool_posted(&c->m, kind, count);
	c->posted += count;
}

/* It gets what it has use for, and posts that */
static void po_more(struct po_books *b, struct po_conn *c)
{
	u32 count = rpcrdma2_pool_grow(&b->pool, &c->m);

	po_post(c, c->m.kind, count);
}

static struct po_conn *po_stranger(struct po_books *b, u32 i, u32 address)
{
	struct po_conn *c = &b->conns[i];

	po_post(c, RPCRDMA2_POOL_PLAIN,
		rpcrdma2_pool_join(&b->pool, &b->shares[address], &c->m,
				   PO_EXTRA));
	c->seen = 1;
	return c;
}

static struct po_conn *po_join(struct po_books *b, u32 i, u32 address)
{
	struct po_conn *c = po_stranger(b, i, address);

	po_post(c, RPCRDMA2_POOL_PLAIN,
		rpcrdma2_pool_admit(&b->pool, &c->m));
	return c;
}

/* As many messages come as may */
static void po_arrive(struct po_conn *c, u32 more, bool data)
{
	u32 n = c->seen - min_t(u32, c->seen, c->held);

	c->posted -= n;
	c->held += n;
	rpcrdma2_pool_used(&c->m, c->held + more, data);
}

static bool po_keep(const struct po_conn *c, u32 kind)
{
	static const u32 spare[RPCRDMA2_POOL_KINDS];
	u32 needed = rpcrdma2_pool_needed(&c->m, c->held);

	return rpcrdma2_pool_keep(&c->m, kind, spare, c->posted < needed);
}

/* A buffer is not in use any more, whatever its kind */
static void po_release(struct po_books *b, struct po_conn *c)
{
	u32 kind = c->m.kind;

	if (c->m.bufs[!kind] && !c->m.coming[kind])
		kind = !kind;
	if (po_keep(c, kind))
		c->posted++;
	else
		rpcrdma2_pool_drop(&b->pool, &c->m, kind, 1);
}

/* The oldest message is answered */
static void po_reply(struct po_books *b, struct po_conn *c)
{
	c->held--;
	c->seen = rpcrdma2_pool_grant(&b->pool, &c->m, c->posted, c->held, 1);
	po_release(b, c);
}

static void po_reply_all(struct po_books *b, struct po_conn *c)
{
	while (c->held)
		po_reply(b, c);
}

/* It gets what it asks for, until it asks for no more */
static void po_grow(struct po_books *b, struct po_conn *c, u32 demand)
{
	u32 i;

	for (i = 0; i < 10; i++) {
		rpcrdma2_pool_used(&c->m, min_t(u32, demand, 2 * c->m.target), true);
		po_more(b, c);
	}
}

static void po_ticks(struct po_books *b, struct po_conn *c, u32 count)
{
	while (count--)
		rpcrdma2_pool_tick(&b->pool, &c->m, c->posted, c->held);
}

/* M4: whoever is not known has little, and gets no more */
static void po_unknown(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_stranger(b, 0, 0);

	KUNIT_EXPECT_EQ(test, c->posted, 1 + 1U + PO_EXTRA);
	rpcrdma2_pool_used(&c->m, 64, true);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_pool_short(&b->pool, &c->m));
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_grow(&b->pool, &c->m), 0U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_charged(&b->pool, &c->m),
			9U * PO_PLAIN_KB);
	po_post(c, RPCRDMA2_POOL_PLAIN,
		rpcrdma2_pool_admit(&b->pool, &c->m));
	KUNIT_EXPECT_EQ(test, c->posted, 8 + 7U + PO_EXTRA);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_admit(&b->pool, &c->m), 0U);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_pool_short(&b->pool, &c->m));
}

/* What has no use for more does not ask; who has gets it, up to all there are */
static void po_demand(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);

	rpcrdma2_pool_used(&c->m, 4, false);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_pool_short(&b->pool, &c->m));
	rpcrdma2_pool_used(&c->m, 8, false);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_pool_short(&b->pool, &c->m));
	po_more(b, c);
	KUNIT_EXPECT_EQ(test, c->m.target, 16U);
	KUNIT_EXPECT_EQ(test, c->m.kind, (u32)RPCRDMA2_POOL_PLAIN);
	po_grow(b, c, 1000);
	KUNIT_EXPECT_EQ(test, c->m.target, 256U);
	KUNIT_EXPECT_EQ(test, c->m.kind, (u32)RPCRDMA2_POOL_BLOCK);
	KUNIT_EXPECT_EQ(test, c->m.bufs[RPCRDMA2_POOL_BLOCK],
			rpcrdma2_pool_buffers(&c->m, 256));
	KUNIT_EXPECT_FALSE(test, c->m.denied);
}

/* M1: it all adds up, and in the end nothing is left */
static void po_charges(struct kunit *test)
{
	struct po_books *b = po_books(test);
	u32 i, sum = 0;

	for (i = 0; i < 8; i++) {
		po_join(b, i, i / 2);
		po_grow(b, &b->conns[i], 10 * i);
		sum += rpcrdma2_pool_charged(&b->pool, &b->conns[i].m);
	}
	KUNIT_EXPECT_EQ(test, b->pool.used_kb, sum);
	KUNIT_EXPECT_EQ(test, b->shares[1].used_kb,
			rpcrdma2_pool_charged(&b->pool, &b->conns[2].m) +
			rpcrdma2_pool_charged(&b->pool, &b->conns[3].m));
	for (i = 0; i < 8; i++)
		rpcrdma2_pool_leave(&b->pool, &b->conns[i].m);
	KUNIT_EXPECT_EQ(test, b->pool.used_kb + b->pool.members, 0U);
	KUNIT_EXPECT_EQ(test, b->shares[1].used_kb + b->shares[1].members, 0U);
}

/* M2, M5: one address does not get everything, nor its first connection */
static void po_shares(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *late;
	u32 i, kb;

	for (i = 0; i < 40; i++)
		po_grow(b, po_join(b, i, 0), 1000);
	KUNIT_EXPECT_LE(test, b->pool.used_kb, PO_BUDGET_KB / 4 * 3);
	kb = rpcrdma2_pool_charged(&b->pool, &b->conns[0].m);
	KUNIT_EXPECT_LE(test, kb, PO_BUDGET_KB / 6);
	KUNIT_EXPECT_TRUE(test, b->conns[39].m.denied);

	late = po_join(b, 40, 1);
	po_grow(b, late, 1000);
	KUNIT_EXPECT_EQ(test, late->m.kind, (u32)RPCRDMA2_POOL_BLOCK);
	KUNIT_EXPECT_GT(test, late->m.target, 4U);
	KUNIT_EXPECT_LE(test, b->pool.used_kb, PO_BUDGET_KB);
}

/* M7: who has much more than others could have gives some back, busy or not */
static void po_fair(struct kunit *test)
{
	struct po_books *b = po_books(test);
	u32 i, first;

	for (i = 0; i < 32; i++)
		po_grow(b, po_join(b, i, i), 1000);
	first = b->conns[0].m.target;
	KUNIT_EXPECT_EQ(test, first, 256U);
	rpcrdma2_pool_used(&b->conns[0].m, 256, true);
	po_ticks(b, &b->conns[0], 1);
	KUNIT_EXPECT_EQ(test, b->conns[0].m.target, first / 2);
}

/* M5: who has grown as far as may be does not have too much the next moment */
static void po_steady(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c;
	u32 target;

	rpcrdma2_pool_init(&b->pool, &po_rules, 24 * 1024);
	c = po_join(b, 0, 0);
	po_grow(b, c, 1000);
	target = c->m.target;
	KUNIT_EXPECT_TRUE(test, c->m.denied);
	rpcrdma2_pool_used(&c->m, target, true);
	po_ticks(b, c, 1);
	KUNIT_EXPECT_EQ(test, c->m.target, target);
}

/* M7: credits are kept for a while, but not from others */
static void po_hold(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);
	u32 i;

	po_grow(b, c, 100);
	po_ticks(b, c, 4);
	KUNIT_EXPECT_EQ(test, c->m.target, 126U);
	po_ticks(b, c, 1);
	KUNIT_EXPECT_EQ(test, c->m.target, 21U);

	po_grow(b, c, 100);
	for (i = 1; i < 7; i++)
		po_grow(b, po_join(b, i, 0), 1000);
	KUNIT_EXPECT_EQ(test, c->m.target, 126U);
	po_ticks(b, c, 2);
	KUNIT_EXPECT_LE(test, c->m.target, 21U);
}

/*
 * Requests that come one after the other, and one that has gone another way: the peer
 * used all that it knew of. What it has without knowing it is not more.
 */
static void po_lacked(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);

	po_grow(b, c, 17);
	c->m.grant = c->m.target;
	rpcrdma2_pool_used(&c->m, 1, true);
	rpcrdma2_pool_lacked(&c->m, 16);
	KUNIT_EXPECT_EQ(test, c->m.peak, c->m.target + 16);
	po_grow(b, c, 0);
	KUNIT_EXPECT_GT(test, c->m.target, 40U);

	po_ticks(b, c, 1);
	c->m.recall = 10;
	rpcrdma2_pool_lacked(&c->m, 16);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_pool_short(&b->pool, &c->m));
	po_ticks(b, c, 1);
	KUNIT_EXPECT_EQ(test, c->m.calm, 0U);
}

/* Buffers that are still to come replace none that is there */
static void po_coming(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);
	u32 none[RPCRDMA2_POOL_KINDS] = { };

	c->m.kind = RPCRDMA2_POOL_BLOCK;
	c->m.bufs[RPCRDMA2_POOL_BLOCK] = 15;
	c->m.coming[RPCRDMA2_POOL_BLOCK] = 15;
	c->m.bufs[RPCRDMA2_POOL_PLAIN] = 17;
	c->m.coming[RPCRDMA2_POOL_PLAIN] = 8;
	c->m.target = 5;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_pool_keep(&c->m, RPCRDMA2_POOL_PLAIN,
						   none, false));
	c->m.coming[RPCRDMA2_POOL_BLOCK] = 14;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_pool_keep(&c->m, RPCRDMA2_POOL_PLAIN,
						    none, false));
}

/* What a control message has used up is replaced, whoever has too many credits */
static void po_control(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);
	u32 i;

	po_grow(b, c, 100);
	c->seen = rpcrdma2_pool_grant(&b->pool, &c->m, c->posted, 1, 0);
	c->m.target = 1;
	for (i = 0; i < 100; i++) {
		c->posted--;
		po_release(b, c);
		KUNIT_EXPECT_TRUE(test, c->posted >=
				  rpcrdma2_pool_needed(&c->m, 0));
	}
}

/* M3: a credit is taken back by the reply that would have returned it */
static void po_edge(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);
	u32 may, was, i;

	po_grow(b, c, 100);
	c->seen = rpcrdma2_pool_grant(&b->pool, &c->m, c->posted, 1, 0);
	KUNIT_EXPECT_EQ(test, c->seen, c->m.target);
	po_arrive(c, 0, true);
	was = c->m.target;
	c->m.target = 10;
	may = c->seen - c->held;
	while (c->held > 1) {
		po_reply(b, c);
		KUNIT_EXPECT_TRUE(test, c->seen - c->held >= may);
		KUNIT_EXPECT_TRUE(test, c->posted >=
				  rpcrdma2_pool_needed(&c->m, c->held));
		may = c->seen - c->held;
	}
	KUNIT_EXPECT_EQ(test, c->seen, 10U);
	KUNIT_EXPECT_GT(test, was, 10U);
	/* what no credit needs goes, with no message but Calls and replies */
	for (i = 0; i < 5; i++) {
		po_reply_all(b, c);
		po_arrive(c, 0, true);
	}
	KUNIT_EXPECT_LE(test, c->posted + c->held,
			rpcrdma2_pool_buffers(&c->m, 10) + 1);
}

/* M3: with nothing outstanding few credits are told of, and none is lost */
static void po_quiet(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);
	u32 full, posted;

	po_grow(b, c, 100);
	full = c->m.target;
	c->seen = rpcrdma2_pool_grant(&b->pool, &c->m, c->posted, 1, 0);
	po_arrive(c, 0, true);
	po_reply_all(b, c);
	KUNIT_EXPECT_EQ(test, c->seen, 21U);
	KUNIT_EXPECT_EQ(test, c->m.recall, 21U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_needed(&c->m, 0),
			full - 1 + PO_EXTRA);
	/* the next reply but one gives them all back */
	po_arrive(c, 0, true);
	po_reply(b, c);
	KUNIT_EXPECT_GT(test, c->seen, full - 4);
	KUNIT_EXPECT_EQ(test, c->m.recall, 0U);
	rpcrdma2_pool_confirmed(&c->m);
	KUNIT_EXPECT_GT(test, c->m.grant, full - 4);

	po_reply_all(b, c);
	posted = c->posted;
	po_ticks(b, c, 4);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_pool_tick(&b->pool, &c->m, posted, 0),
			(u32)RPCRDMA2_POOL_RECALL);
	rpcrdma2_pool_confirmed(&c->m);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_needed(&c->m, 0),
			21U + PO_EXTRA);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_pool_tick(&b->pool, &c->m, posted, 0),
			(u32)RPCRDMA2_POOL_FLUSH);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_pool_tick(&b->pool, &c->m, 31, 0),
			(u32)RPCRDMA2_POOL_STAY);
}

/* A peer that asks when it has nothing to do keeps its credits between bursts, but not
 * where memory is scarce. One that stops asking is no longer expected to.
 */
static void po_asks(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);

	po_grow(b, c, 64);
	KUNIT_ASSERT_GT(test, c->m.target, 63U);
	c->m.asks = true;
	po_arrive(c, 0, true);
	po_reply_all(b, c);
	po_arrive(c, 0, true);
	po_reply_all(b, c);
	KUNIT_EXPECT_EQ(test, c->seen, c->m.target);
	KUNIT_EXPECT_EQ(test, c->m.recall, 0U);
	c->m.idle = true;
	po_arrive(c, 0, true);
	po_reply_all(b, c);
	KUNIT_EXPECT_EQ(test, c->seen, po_rules.pause);
	KUNIT_EXPECT_EQ(test, c->m.recall, po_rules.pause);

	c->m.idle = false;
	po_arrive(c, 0, true);
	po_reply_all(b, c);
	po_arrive(c, 0, true);
	po_reply_all(b, c);
	KUNIT_EXPECT_EQ(test, c->seen, c->m.target);
	rpcrdma2_pool_squeeze(&b->pool, PO_BUDGET_KB);
	po_arrive(c, 0, true);
	po_reply_all(b, c);
	KUNIT_EXPECT_LE(test, c->seen, po_rules.pause);
}

/* Whoever does nothing for some time, and does not ask, is told of few again */
static void po_silent(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);

	c->m.asks = true;
	po_ticks(b, c, po_rules.silent - 1);
	KUNIT_EXPECT_TRUE(test, c->m.asks);
	rpcrdma2_pool_used(&c->m, 1, false);
	po_ticks(b, c, po_rules.silent);
	KUNIT_EXPECT_TRUE(test, c->m.asks);
	c->m.idle = true;
	po_ticks(b, c, 10 * po_rules.silent);
	KUNIT_EXPECT_TRUE(test, c->m.asks);
	c->m.idle = false;
	po_ticks(b, c, po_rules.silent);
	KUNIT_EXPECT_FALSE(test, c->m.asks);
}

/* A-27, D-12: at least one credit, and no more than Receives are there for */
static void po_covered(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);

	c->m.target = 8;
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_grant(&b->pool, &c->m, PO_EXTRA + 3, 1, 0),
			4U);
	c->m.grant = 1;
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_grant(&b->pool, &c->m, PO_EXTRA, 0, 1),
			1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_window(&c->m, 0), 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_window(&c->m, PO_EXTRA + 5), 5U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_window(&c->m, 1000), 8U);
}

/* A request of several transmissions: all but the first are posted before the reply */
static void po_group(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);
	u32 i;

	po_grow(b, c, 17);
	c->seen = rpcrdma2_pool_grant(&b->pool, &c->m, c->posted, 1, 0);
	c->m.bufs[RPCRDMA2_POOL_PLAIN] = 0;
	c->posted = c->m.bufs[RPCRDMA2_POOL_BLOCK];
	KUNIT_EXPECT_GT(test, c->seen, 20U);
	c->posted -= 17;
	for (i = 0; i < 16; i++)
		po_release(b, c);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_grant(&b->pool, &c->m, c->posted, 0, 17),
			21U);
}

/* M7: idle connections become small; peers that do not help are closed in the end */
static void po_idle(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);
	u32 i;

	po_grow(b, c, 100);
	po_ticks(b, c, 1);
	for (i = 1; i < po_rules.idle; i++)
		KUNIT_EXPECT_NE(test, (u32)rpcrdma2_pool_tick(&b->pool, &c->m, 0, 0),
				(u32)RPCRDMA2_POOL_LOWER);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_pool_tick(&b->pool, &c->m, 0, 0),
			(u32)RPCRDMA2_POOL_LOWER);
	for (i = 1; i < po_rules.gone - po_rules.idle; i++)
		KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_pool_tick(&b->pool, &c->m, 0, 0),
				(u32)RPCRDMA2_POOL_STAY);
	KUNIT_EXPECT_EQ(test, c->m.target, 1U);
	/* but not while it waits for an answer */
	KUNIT_EXPECT_NE(test, (u32)rpcrdma2_pool_tick(&b->pool, &c->m, 0, 1),
			(u32)RPCRDMA2_POOL_CLOSE);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_pool_tick(&b->pool, &c->m, 0, 0),
			(u32)RPCRDMA2_POOL_CLOSE);
	KUNIT_EXPECT_GT(test, b->pool.going_kb, 0U);
	KUNIT_EXPECT_FALSE(test, po_keep(c, RPCRDMA2_POOL_BLOCK));
	/* its peer asks for a lower RBSIZ meanwhile */
	rpcrdma2_pool_plain(&b->pool, &c->m);
	KUNIT_EXPECT_EQ(test, b->pool.going_kb, b->pool.used_kb);
	rpcrdma2_pool_leave(&b->pool, &c->m);
	KUNIT_EXPECT_EQ(test, b->pool.going_kb + b->pool.used_kb, 0U);
}

/* The peer has asked for a lower RBSIZ */
static void po_lowered(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);
	u32 n;

	po_grow(b, c, 100);
	for (n = c->m.bufs[RPCRDMA2_POOL_PLAIN]; n; n--)
		po_release(b, c);
	KUNIT_EXPECT_EQ(test, c->m.bufs[RPCRDMA2_POOL_PLAIN], 0U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_plain(&b->pool, &c->m), 8 + 7U + PO_EXTRA);
	/* until one of the others is there, blocks will do, but no more than it needs */
	n = rpcrdma2_pool_buffers(&c->m, c->m.target);
	KUNIT_EXPECT_FALSE(test, po_keep(c, RPCRDMA2_POOL_BLOCK));
	rpcrdma2_pool_drop(&b->pool, &c->m, RPCRDMA2_POOL_BLOCK,
			   c->m.bufs[RPCRDMA2_POOL_BLOCK] - n);
	KUNIT_EXPECT_TRUE(test, po_keep(c, RPCRDMA2_POOL_BLOCK));
	po_post(c, RPCRDMA2_POOL_PLAIN, 1);
	KUNIT_EXPECT_FALSE(test, po_keep(c, RPCRDMA2_POOL_BLOCK));
}

/* That there are not all plain ones makes no difference to blocks */
static void po_failed_other(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_stranger(b, 0, 0);
	u32 n, target;

	n = rpcrdma2_pool_admit(&b->pool, &c->m);
	rpcrdma2_pool_used(&c->m, 20, true);
	po_more(b, c);
	target = c->m.target;
	rpcrdma2_pool_failed(&b->pool, &c->m, RPCRDMA2_POOL_PLAIN, n);
	KUNIT_EXPECT_EQ(test, c->m.target, target);
	KUNIT_EXPECT_GT(test, target, 19U);
}

/* Memory that the budget has room for may not be there all the same */
static void po_failed(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);
	u32 n, used = b->pool.used_kb;

	rpcrdma2_pool_used(&c->m, 20, true);
	n = rpcrdma2_pool_grow(&b->pool, &c->m);
	KUNIT_EXPECT_GT(test, n, 20U);
	rpcrdma2_pool_failed(&b->pool, &c->m, RPCRDMA2_POOL_BLOCK, n);
	KUNIT_EXPECT_EQ(test, b->pool.used_kb, used);
	KUNIT_EXPECT_EQ(test, b->pool.failed, n);
	KUNIT_EXPECT_EQ(test, c->m.target + c->m.coming[RPCRDMA2_POOL_BLOCK], 0U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_plain(&b->pool, &c->m), 0U);
	KUNIT_EXPECT_EQ(test, c->m.target, 8U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_pool_short(&b->pool, &c->m));
	po_ticks(b, c, 1);
	rpcrdma2_pool_used(&c->m, 20, true);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_pool_short(&b->pool, &c->m));
}

/* The kernel is short of memory, and then it is not any more */
static void po_squeeze(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);
	u32 i;

	po_grow(b, c, 1000);
	rpcrdma2_pool_squeeze(&b->pool, 2U * PO_BUDGET_KB);
	KUNIT_EXPECT_EQ(test, b->pool.squeezed_kb, (u32)PO_BUDGET_KB);
	for (i = 0; i < 8; i++) {
		rpcrdma2_pool_used(&c->m, 256, true);
		po_ticks(b, c, 1);
	}
	KUNIT_EXPECT_EQ(test, c->m.target, 1U);
	rpcrdma2_pool_used(&c->m, 256, true);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_grow(&b->pool, &c->m), 0U);
	KUNIT_EXPECT_TRUE(test, c->m.denied);
	for (i = 0; i < 32; i++)
		rpcrdma2_pool_relax(&b->pool);
	KUNIT_EXPECT_EQ(test, b->pool.squeezed_kb, 0U);
	po_ticks(b, c, 1);
	po_grow(b, c, 1000);
	KUNIT_EXPECT_EQ(test, c->m.target, 256U);
}

/* One of many things happens to a connection */
static void po_step(struct po_books *b, struct po_conn *c, u32 random)
{
	switch (random & 7) {
	case 0:
	case 1:
		po_arrive(c, random >> 4 & 63, random >> 3 & 1);
		if (rpcrdma2_pool_short(&b->pool, &c->m))
			po_more(b, c);
		break;
	case 2:
	case 3:
		if (c->held)
			po_reply(b, c);
		break;
	case 4:
		po_reply_all(b, c);
		break;
	case 5:
		rpcrdma2_pool_tick(&b->pool, &c->m, c->posted, c->held);
		c->m.going = false;
		b->pool.going_kb = 0;
		break;
	case 6:
		if (!c->held)
			rpcrdma2_pool_confirmed(&c->m);
		break;
	case 7:
		if (random >> 9 & 1)
			rpcrdma2_pool_squeeze(&b->pool, PO_BUDGET_KB / 2);
		else
			rpcrdma2_pool_relax(&b->pool);
		break;
	}
}

/* Who comes while there is plenty has buffers for a doorbell, and less when memory is scarce */
static void po_batch(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *first = po_join(b, 0, 0), *late;

	KUNIT_EXPECT_EQ(test, first->posted, 8 + 7U + PO_EXTRA);
	po_ticks(b, first, 1);
	KUNIT_EXPECT_EQ(test, first->m.batch, 7U);
	b->pool.used_kb += PO_BUDGET_KB / 4;
	late = po_join(b, 1, 1);
	KUNIT_EXPECT_EQ(test, late->posted, 8 + 2U + PO_EXTRA);
	b->pool.used_kb += PO_BUDGET_KB * 3 / 4;
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_tick(&b->pool, &first->m, first->posted, 0),
			RPCRDMA2_POOL_FLUSH);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_buffers(&first->m, 8), 8 + 2U + PO_EXTRA);
	KUNIT_EXPECT_FALSE(test, po_keep(first, RPCRDMA2_POOL_PLAIN));
	b->pool.used_kb -= PO_BUDGET_KB;
}

/* A device may have short queues, and a connection more reverse Calls than others */
static void po_terms(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = &b->conns[0];

	po_post(c, RPCRDMA2_POOL_PLAIN,
		rpcrdma2_pool_join(&b->pool, &b->shares[0], &c->m, 20));
	c->m.most[RPCRDMA2_POOL_BLOCK] = 30;
	KUNIT_EXPECT_EQ(test, c->posted, 1 + 1 + 20U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_needed(&c->m, 0), 1 + 20U);
	po_post(c, RPCRDMA2_POOL_PLAIN,
		rpcrdma2_pool_admit(&b->pool, &c->m));
	c->seen = rpcrdma2_pool_grant(&b->pool, &c->m, c->posted, 0, 0);
	po_grow(b, c, 1000);
	KUNIT_EXPECT_EQ(test, c->m.target, 30U);
	KUNIT_EXPECT_EQ(test, c->m.bufs[RPCRDMA2_POOL_BLOCK], 30 + 7 + 20U);
}

/* M6: more credits than version 1 grants are only for who has blocks */
static void po_modest(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);
	u32 i;

	c->m.most[RPCRDMA2_POOL_PLAIN] = 64;
	for (i = 0; i < 10; i++) {
		rpcrdma2_pool_used(&c->m, 1000, false);
		po_more(b, c);
		KUNIT_EXPECT_LE(test, c->m.target, 64U);
	}
	KUNIT_EXPECT_EQ(test, c->m.target, 64U);
	KUNIT_EXPECT_LE(test, rpcrdma2_pool_grant(&b->pool, &c->m, 1000, 1, 1), 64U);
	po_grow(b, c, 1000);
	KUNIT_EXPECT_EQ(test, c->m.target, 256U);
	KUNIT_EXPECT_GE(test, c->m.bufs[RPCRDMA2_POOL_BLOCK], 256U);
	rpcrdma2_pool_plain(&b->pool, &c->m);
	po_ticks(b, c, 1);
	for (i = 0; i < 10; i++) {
		rpcrdma2_pool_used(&c->m, 1000, false);
		po_more(b, c);
	}
	KUNIT_EXPECT_EQ(test, c->m.target, 64U);

	/* an administrator may want hardly any */
	c = po_stranger(b, 1, 0);
	c->m.most[RPCRDMA2_POOL_PLAIN] = 4;
	po_post(c, RPCRDMA2_POOL_PLAIN, rpcrdma2_pool_admit(&b->pool, &c->m));
	KUNIT_EXPECT_EQ(test, c->m.target, 4U);
	rpcrdma2_pool_used(&c->m, 4, false);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_pool_short(&b->pool, &c->m));
}

/* M2, M5: short Receives count, too, and take nothing that others are to have */
static void po_modest_share(struct kunit *test)
{
	struct po_books *b = po_books(test);
	u32 i, one = (1 + 1 + PO_EXTRA) * PO_PLAIN_KB;

	/* 30 of one address, and memory for twice as many that do nothing yet */
	rpcrdma2_pool_init(&b->pool, &po_rules, 60 * one);
	for (i = 0; i < 30; i++)
		po_join(b, i, 0);
	KUNIT_EXPECT_LE(test, b->pool.used_kb, 60 * one);
	KUNIT_EXPECT_EQ(test, b->conns[29].m.target, 1U);
	KUNIT_EXPECT_EQ(test, b->conns[29].posted, 1 + 1U + PO_EXTRA);
	KUNIT_EXPECT_TRUE(test, b->conns[29].m.denied);
	/* who comes late from elsewhere has as much as can be */
	po_join(b, 30, 1);
	KUNIT_EXPECT_EQ(test, b->conns[30].m.target, 8U);
	/* and so has the other one when there is room again */
	for (i = 0; i < 20; i++)
		rpcrdma2_pool_leave(&b->pool, &b->conns[i].m);
	rpcrdma2_pool_used(&b->conns[29].m, 1, false);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_pool_short(&b->pool, &b->conns[29].m));
	po_more(b, &b->conns[29]);
	KUNIT_EXPECT_EQ(test, b->conns[29].m.target, 8U);
	KUNIT_EXPECT_FALSE(test, b->conns[29].m.denied);
}

/* A test may want all of it from the beginning, and to stay */
static void po_fix(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = &b->conns[0];

	rpcrdma2_pool_join(&b->pool, &b->shares[0], &c->m, PO_EXTRA);
	po_post(c, RPCRDMA2_POOL_BLOCK, rpcrdma2_pool_fix(&b->pool, &c->m, 64));
	KUNIT_EXPECT_EQ(test, c->posted, 64 + 8 + 1 + (u32)PO_EXTRA);
	KUNIT_EXPECT_EQ(test, b->pool.used_kb, c->posted * PO_BLOCK_KB);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_grant(&b->pool, &c->m, c->posted, 0, 0), 64U);
	po_ticks(b, c, 2 * po_rules.gone);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_grant(&b->pool, &c->m, c->posted, 0, 0), 64U);
	rpcrdma2_pool_used(&c->m, 1000, true);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_pool_short(&b->pool, &c->m));
	rpcrdma2_pool_plain(&b->pool, &c->m);
	rpcrdma2_pool_used(&c->m, 1000, true);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_pool_short(&b->pool, &c->m));
}

/* One that is of use for something else is not closed, unless memory is scarce */
static void po_needed(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);
	u32 i;

	po_grow(b, c, 1000);
	po_reply_all(b, c);
	c->m.needed = true;
	for (i = 0; i < 2 * po_rules.gone; i++)
		KUNIT_EXPECT_NE(test, rpcrdma2_pool_tick(&b->pool, &c->m,
							 c->posted, c->held),
				RPCRDMA2_POOL_CLOSE);
	rpcrdma2_pool_squeeze(&b->pool, PO_BUDGET_KB);
	KUNIT_EXPECT_EQ(test, rpcrdma2_pool_tick(&b->pool, &c->m, c->posted,
						 c->held),
			RPCRDMA2_POOL_CLOSE);
}

/* M7: the administrator wants less, and more again */
static void po_resize(struct kunit *test)
{
	struct po_books *b = po_books(test);
	struct po_conn *c = po_join(b, 0, 0);
	u32 i, was;

	po_grow(b, c, 1000);
	was = rpcrdma2_pool_charged(&b->pool, &c->m);
	rpcrdma2_pool_squeeze(&b->pool, PO_BUDGET_KB);
	rpcrdma2_pool_resize(&b->pool, was / 4);
	KUNIT_EXPECT_EQ(test, b->pool.squeezed_kb, was / 4);
	for (i = 0; i < 40; i++)
		rpcrdma2_pool_relax(&b->pool);
	KUNIT_EXPECT_EQ(test, b->pool.squeezed_kb, 0U);
	for (i = 0; i < 400; i++) {
		rpcrdma2_pool_tick(&b->pool, &c->m, c->posted, c->held);
		po_arrive(c, 0, true);
		po_reply_all(b, c);
	}
	KUNIT_EXPECT_LE(test, rpcrdma2_pool_charged(&b->pool, &c->m), was / 2);
}

/* M1 to M3: whatever happens, in whatever order */
static void po_ledger(struct kunit *test)
{
	struct po_books *b = po_books(test);
	u32 i, j, sum, x = 1;

	for (i = 0; i < 6; i++)
		po_join(b, i, i / 2);
	for (i = 0; i < 30000; i++) {
		x = x * 1664525 + 1013904223;
		po_step(b, &b->conns[(x >> 8) % 6], x >> 16);
		for (j = 0, sum = 0; j < 6; j++) {
			struct po_conn *c = &b->conns[j];

			sum += rpcrdma2_pool_charged(&b->pool, &c->m);
			KUNIT_EXPECT_TRUE(test, c->posted >=
					  rpcrdma2_pool_needed(&c->m,
							       c->held));
			KUNIT_EXPECT_LE(test, c->seen, max_t(u32, c->m.grant, 1));
			KUNIT_EXPECT_EQ(test, c->m.bufs[0] + c->m.bufs[1],
					c->posted + c->held +
					c->m.coming[0] + c->m.coming[1]);
		}
		KUNIT_EXPECT_EQ(test, b->pool.used_kb, sum);
		KUNIT_EXPECT_LE(test, b->pool.used_kb, (u32)PO_BUDGET_KB);
	}
	KUNIT_EXPECT_GT(test, b->pool.grown, 100U);
	KUNIT_EXPECT_GT(test, b->pool.shrunk, 100U);
}

static struct kunit_case rpcrdma2_pool_cases[] = {
	KUNIT_CASE(po_unknown),
	KUNIT_CASE(po_demand),
	KUNIT_CASE(po_charges),
	KUNIT_CASE(po_shares),
	KUNIT_CASE(po_fair),
	KUNIT_CASE(po_steady),
	KUNIT_CASE(po_hold),
	KUNIT_CASE(po_lacked),
	KUNIT_CASE(po_coming),
	KUNIT_CASE(po_control),
	KUNIT_CASE(po_edge),
	KUNIT_CASE(po_quiet),
	KUNIT_CASE(po_asks),
	KUNIT_CASE(po_silent),
	KUNIT_CASE(po_covered),
	KUNIT_CASE(po_group),
	KUNIT_CASE(po_idle),
	KUNIT_CASE(po_lowered),
	KUNIT_CASE(po_failed_other),
	KUNIT_CASE(po_failed),
	KUNIT_CASE(po_squeeze),
	KUNIT_CASE(po_batch),
	KUNIT_CASE(po_terms),
	KUNIT_CASE(po_modest),
	KUNIT_CASE(po_modest_share),
	KUNIT_CASE(po_fix),
	KUNIT_CASE(po_needed),
	KUNIT_CASE(po_resize),
	KUNIT_CASE(po_ledger),
	{ }
};

static struct kunit_suite rpcrdma2_pool_suite = {
	.name		= "rpcrdma2_pool",
	.test_cases	= rpcrdma2_pool_cases,
};

kunit_test_suite(rpcrdma2_pool_suite);

MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests of who gets how much memory for Receives of RPC-over-RDMA version 2");
MODULE_LICENSE("GPL");
