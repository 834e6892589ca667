// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the credits of both directions.
 *
 * tools/testing/selftests/rpcrdma/unit builds the same file in user space.
 */

#include <kunit/test.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "../ledger.h"

enum {
	LO_COOKIE	= 5,
	LO_RECVS	= 20,
};

/**
 * lo_ledger_new - begin a connection
 * @test: test
 *
 * Return: its credits
 */
static struct rpcrdma2_ledger *lo_ledger_new(struct kunit *test)
{
	struct rpcrdma2_ledger *l;

	l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	memset(l, 0xff, sizeof(*l));
	rpcrdma2_ledger_reset(l, LO_COOKIE);
	l->recvs = LO_RECVS;
	return l;
}

/* Some credits are granted, all of them covered by Receives */
static enum rpcrdma2_refusal lo_reserve(struct rpcrdma2_ledger *l, u32 granted,
					u32 in_use, u32 credits, u32 recvs,
					struct rpcrdma2_reservation *res)
{
	l->granted = granted;
	return rpcrdma2_reserve(l, in_use, credits, recvs, res);
}

/* A Call ends; what it has reserved is back. Returns its credits */
static u32 lo_end(struct rpcrdma2_ledger *l, struct rpcrdma2_reservation *res)
{
	struct rpcrdma2_reservation left;

	rpcrdma2_reservation_leave(l, res, &left);
	rpcrdma2_unreserve(l, left.credits, left.recvs);
	return left.credits;
}

/* L3, C-18, C-25: one credit is never reserved, nor a quarter of many */
static void lo_share(struct kunit *test)
{
	static const u32 shares[][2] = {
		{ 0, 0 }, { 1, 0 }, { 2, 1 }, { 3, 2 }, { 4, 3 }, { 8, 6 },
		{ 64, 48 }, { 128, 96 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(shares); i++)
		KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_share(shares[i][0]),
				shares[i][1]);
}

/* C-18, C-22: all or nothing */
static void lo_credits(struct kunit *test)
{
	struct rpcrdma2_ledger *l = lo_ledger_new(test);
	struct rpcrdma2_reservation one, two;

	rpcrdma2_reservation_begin(LO_COOKIE, 0, &one);
	rpcrdma2_reservation_begin(LO_COOKIE, 0, &two);
	/* grant 1, 2, 3 */
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 1, 1, 1, 0, &one),
			(u32)RPCRDMA2_NO_CREDITS);
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 2, 2, 1, 0, &one),
			(u32)RPCRDMA2_NO_CREDITS);
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 3, 1, 3, 0, &one),
			(u32)RPCRDMA2_NO_CREDITS);
	KUNIT_EXPECT_EQ(test, one.credits, 0U);
	KUNIT_EXPECT_EQ(test, l->reserved_credits, 0U);
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 3, 1, 2, 0, &one),
			(u32)RPCRDMA2_RESERVED);
	KUNIT_EXPECT_EQ(test, one.credits, 2U);

	/* credits are free, but the share is not */
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 8, 3, 5, 0, &two),
			(u32)RPCRDMA2_NO_CREDITS);
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 8, 3, 4, 0, &two),
			(u32)RPCRDMA2_RESERVED);
	KUNIT_EXPECT_EQ(test, l->reserved_credits, 6U);
	KUNIT_EXPECT_EQ(test, lo_end(l, &one), 2U);
	KUNIT_EXPECT_EQ(test, lo_end(l, &one), 0U);
	KUNIT_EXPECT_EQ(test, l->reserved_credits, 4U);

	/* a grant that was lowered below what is in use */
	lo_end(l, &two);
	rpcrdma2_reservation_begin(LO_COOKIE, 0, &one);
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 4, 9, 1, 0, &one),
			(u32)RPCRDMA2_NO_CREDITS);
	/* one that needs none gets by */
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 4, 9, 0, 0, &one),
			(u32)RPCRDMA2_RESERVED);
}

/* C-17, C-19: Receives; nothing is reserved if one of the two is short */
static void lo_recvs(struct kunit *test)
{
	struct rpcrdma2_ledger *l = lo_ledger_new(test);
	struct rpcrdma2_reservation one, two;

	rpcrdma2_reservation_begin(LO_COOKIE, 0, &one);
	rpcrdma2_reservation_begin(LO_COOKIE, 0, &two);
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 9, 1, 1, LO_RECVS + 1, &one),
			(u32)RPCRDMA2_NO_RECVS);
	KUNIT_EXPECT_EQ(test, l->reserved_credits, 0U);
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 9, 1, 1, LO_RECVS - 3, &one),
			(u32)RPCRDMA2_RESERVED);
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 9, 1, 0, 4, &two),
			(u32)RPCRDMA2_NO_RECVS);
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 9, 1, 0, 3, &two),
			(u32)RPCRDMA2_RESERVED);
	lo_end(l, &two);
	lo_end(l, &two);
	KUNIT_EXPECT_EQ(test, l->reserved_recvs, LO_RECVS - 3U);
	/* fewer are posted than were */
	l->recvs = 4;
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 9, 1, 0, 1, &two),
			(u32)RPCRDMA2_NO_RECVS);
	lo_end(l, &one);
	KUNIT_EXPECT_EQ(test, l->reserved_recvs, 0U);
}

/* A-56, L6: what was reserved on another connection is forgotten */
static void lo_reconnect(struct kunit *test)
{
	struct rpcrdma2_ledger *l = lo_ledger_new(test);
	struct rpcrdma2_reservation one, left;

	rpcrdma2_reservation_begin(LO_COOKIE, 0, &one);
	lo_reserve(l, 9, 1, 2, 3, &one);
	rpcrdma2_ledger_reset(l, LO_COOKIE + 1);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_reservation_leave(l, &one, &left));
	KUNIT_EXPECT_EQ(test, one.credits + one.recvs, 0U);
	KUNIT_EXPECT_EQ(test, left.credits + left.recvs, 0U);
	KUNIT_EXPECT_EQ(test, l->reserved_credits + l->reserved_recvs, 0U);
	/* and one that was begun before reserves nothing */
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 9, 1, 1, 0, &one),
			(u32)RPCRDMA2_NO_CREDITS);
}

/* Receives of a reply that is being discarded are reserved until that is over */
static void lo_behind(struct kunit *test)
{
	struct rpcrdma2_ledger *l = lo_ledger_new(test);
	struct rpcrdma2_reservation one, two, left;

	rpcrdma2_reservation_begin(LO_COOKIE, 0, &one);
	rpcrdma2_reservation_begin(LO_COOKIE, 1, &two);
	lo_reserve(l, 9, 1, 0, 3, &one);
	lo_reserve(l, 9, 1, 0, LO_RECVS - 3, &two);
	rpcrdma2_reservation_leave(l, &one, &left);
	rpcrdma2_reserve_behind(l, left.recvs);
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 9, 1, 0, 1, &one),
			(u32)RPCRDMA2_NO_RECVS);
	rpcrdma2_reserve_drained(l);
	KUNIT_EXPECT_EQ(test, l->reserved_recvs, LO_RECVS - 3U);
	KUNIT_EXPECT_EQ(test, (u32)lo_reserve(l, 9, 1, 0, 3, &one),
			(u32)RPCRDMA2_RESERVED);
	rpcrdma2_reserve_drained(l);
	KUNIT_EXPECT_EQ(test, l->reserved_recvs, (u32)LO_RECVS);
}

/**
 * struct lo_books - a connection on which Calls come and go
 * @l: its credits
 * @xid: xid of the last one that was
 * @held: credits that are reserved, counted here
 */
struct lo_books {
	struct rpcrdma2_ledger	l;
	u32			xid;
	u32			held;
};

/* A message ends a Call that has reserved @res */
static void lo_settle(struct lo_books *b, const struct rpcrdma2_reservation *res,
		      bool refused)
{
	b->held -= rpcrdma2_ledger_repay(&b->l, res, refused, false);
}

/* The Call that was given up last is answered */
static void lo_late(struct lo_books *b, bool refused)
{
	const struct rpcrdma2_ending end = {
		.xid		= cpu_to_be32(b->xid),
		.refused	= refused,
	};
	struct rpcrdma2_reservation res = { };
	struct rpcrdma2_outstanding_call call;

	if (!rpcrdma2_outstanding_ended(&b->l.out, &end, &call))
		return;
	res.order = call.order;
	res.credits = call.credits - 1;
	res.recvs = call.recvs;
	lo_settle(b, &res, refused);
}

/* A Call is sent; then one of four things happens to it */
static void lo_call(struct lo_books *b, u32 xid, u32 random)
{
	struct rpcrdma2_outstanding_call call = { .xid = cpu_to_be32(xid) };
	struct rpcrdma2_reservation res, left;

	rpcrdma2_reservation_begin(LO_COOKIE, rpcrdma2_outstanding_next(&b->l.out), &res);
	if (lo_reserve(&b->l, 16, 1 + b->held, random & 3, random >> 2 & 7,
		       &res) == RPCRDMA2_RESERVED)
		b->held += res.credits;
	rpcrdma2_reservation_leave(&b->l, &res, &left);
	if ((random >> 5 & 3) == 0) {
		call.order = left.order;
		call.credits = 1 + left.credits;
		call.recvs = left.recvs;
		rpcrdma2_outstanding_leave(&b->l.out, &call);
		b->xid = xid;
	} else {
		lo_settle(b, &left, (random >> 5 & 3) == 1);
	}
}

/* A-70, L2: whatever becomes of Calls, nothing is reserved twice or lost */
static void lo_ledger(struct kunit *test)
{
	struct lo_books *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	u32 i, x = 1;

	rpcrdma2_ledger_reset(&b->l, LO_COOKIE);
	b->l.recvs = LO_RECVS;
	for (i = 0; i < 2000; i++) {
		x = x * 1664525 + 1013904223;
		lo_call(b, i + 1, x >> 8);
		if (x >> 30)
			lo_late(b, x >> 28 & 1);
		KUNIT_EXPECT_EQ(test, b->l.reserved_credits, b->held);
		KUNIT_EXPECT_LE(test, b->held, rpcrdma2_ledger_share(16));
	}
	while (b->l.out.count) {
		b->xid = be32_to_cpu(b->l.out.calls[0].xid);
		lo_late(b, false);
	}
	/* an answer: nothing is owed any more */
	lo_call(b, i + 1, 3 << 5);
	KUNIT_EXPECT_EQ(test, b->held + b->l.reserved_credits, 0U);
	KUNIT_EXPECT_EQ(test, b->l.reserved_recvs + b->l.out.given_up +
			b->l.out.debt, 0U);
}

/* A reply that is still coming keeps its Receives, a refused Call its credits */
static void lo_repay(struct kunit *test)
{
	struct rpcrdma2_ledger *l = lo_ledger_new(test);
	struct rpcrdma2_reservation one, two, left;

	rpcrdma2_reservation_begin(LO_COOKIE, rpcrdma2_outstanding_next(&l->out), &one);
	lo_reserve(l, 16, 1, 4, 5, &one);
	rpcrdma2_reservation_leave(l, &one, &left);
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_repay(l, &left, true, true), 0U);
	KUNIT_EXPECT_EQ(test, l->out.debt, 4U);
	KUNIT_EXPECT_EQ(test, l->reserved_credits, 4U);
	KUNIT_EXPECT_EQ(test, l->reserved_recvs, 5U);
	KUNIT_EXPECT_EQ(test, l->behind, 5U);
	rpcrdma2_reserve_drained(l);
	KUNIT_EXPECT_EQ(test, l->reserved_recvs, 0U);

	/* a later answer: what was owed comes back with it */
	rpcrdma2_reservation_begin(LO_COOKIE, rpcrdma2_outstanding_next(&l->out), &two);
	lo_reserve(l, 16, 6, 2, 3, &two);
	rpcrdma2_reservation_leave(l, &two, &left);
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_repay(l, &left, false, false), 6U);
	KUNIT_EXPECT_EQ(test, l->out.debt + l->reserved_credits +
			l->reserved_recvs + l->behind, 0U);
}

/* What Receives are missing for is not used; one credit always is */
static void lo_missing(struct kunit *test)
{
	struct rpcrdma2_ledger *l = lo_ledger_new(test);

	KUNIT_EXPECT_EQ(test, l->granted, 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_limit(l), 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_window(l), 1U);
	l->granted = 8;
	l->missing = 3;
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_limit(l), 5U);
	l->missing = 8;
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_limit(l), 1U);
	l->missing = 9;
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_limit(l), 1U);
	l->granted = 0;
	l->missing = 0;
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_limit(l), 1U);
}

/* our own request holds a credit, and keeps one free that it waits for */
static void lo_control(struct kunit *test)
{
	struct rpcrdma2_ledger *l = lo_ledger_new(test);
	struct rpcrdma2_reservation res;

	l->granted = 4;
	/* in use to the last; one that does not insist changes nothing */
	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_control_get(l, 4, false));
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_window(l), 4U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_control_get(l, 4, true));
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_window(l), 3U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_limit(l), 4U);
	/* what it waits for stays while it tries again, and through a grant */
	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_control_get(l, 4, false));
	l->granted = 6;
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_window(l), 5U);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_ledger_control_get(l, 5, true));
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_window(l), 6U);
	/* it holds one at most */
	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_control_get(l, 1, true));
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_window(l), 6U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_control_put(l), 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_control_put(l), 0U);
	/* what it waits for is not reserved by others */
	l->granted = 4;
	rpcrdma2_reservation_begin(LO_COOKIE, 0, &res);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_control_get(l, 4, true));
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_reserve(l, 2, 2, 0, &res),
			(u32)RPCRDMA2_NO_CREDITS);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_reserve(l, 2, 1, 0, &res),
			(u32)RPCRDMA2_RESERVED);
	/* an only credit is left to RPCs */
	l->granted = 1;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_control_get(l, 1, true));
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_window(l), 1U);
	/* and so is one beyond what Receives are posted for */
	l->granted = 4;
	l->missing = 2;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_control_get(l, 2, true));
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_window(l), 1U);
	/* what need not be sent any more keeps nothing from them */
	KUNIT_EXPECT_TRUE(test, rpcrdma2_ledger_control_forget(l));
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_window(l), 2U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_control_forget(l));
}

/* a request that is not answered blocks others like a lost Call */
static void lo_stuck(struct kunit *test)
{
	struct rpcrdma2_ledger *l = lo_ledger_new(test);

	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_stuck(l, 2));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_ledger_control_get(l, 0, true));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_ledger_stuck(l, 1));
	l->granted = 3;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_stuck(l, 2));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_ledger_stuck(l, 3));
	l->missing = 1;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_ledger_stuck(l, 2));
	rpcrdma2_ledger_control_put(l);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_stuck(l, 2));
}

/* L4, A-28, D-12, D-15: what the peer may use */
static void lo_peer(struct kunit *test)
{
	struct rpcrdma2_ledger *l = lo_ledger_new(test);

	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_peer_grant(l), 1U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_peer_begin(l, 8, 2));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_ledger_peer_begin(l, 8, 1));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_peer_begin(l, 8, 1));
	KUNIT_EXPECT_EQ(test, l->peer_used, 1U);
	/* no more than Receives are posted for, no more than was asked for */
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_peer_grant(l), 1U);
	l->peer_posted = 5;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_peer_begin(l, 8, 1));
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_peer_grant(l), 5U);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_ledger_peer_begin(l, 3, 4));
	KUNIT_EXPECT_EQ(test, rpcrdma2_ledger_peer_grant(l), 3U);
	/* it may not have heard of less yet */
	rpcrdma2_ledger_peer_end(l, LO_COOKIE, 1);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_ledger_peer_begin(l, 3, 1));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_ledger_peer_begin(l, 3, U32_MAX));
	/* Calls of another connection do not count, and nothing is below zero */
	rpcrdma2_ledger_peer_end(l, LO_COOKIE - 1, 5);
	KUNIT_EXPECT_EQ(test, l->peer_used, 5U);
	rpcrdma2_ledger_peer_end(l, LO_COOKIE, 9);
	KUNIT_EXPECT_EQ(test, l->peer_used, 0U);
}

static struct kunit_case rpcrdma2_ledger_cases[] = {
	KUNIT_CASE(lo_share),
	KUNIT_CASE(lo_credits),
	KUNIT_CASE(lo_recvs),
	KUNIT_CASE(lo_reconnect),
	KUNIT_CASE(lo_behind),
	KUNIT_CASE(lo_ledger),
	KUNIT_CASE(lo_repay),
	KUNIT_CASE(lo_missing),
	KUNIT_CASE(lo_control),
	KUNIT_CASE(lo_stuck),
	KUNIT_CASE(lo_peer),
	{ }
};

static struct kunit_suite rpcrdma2_ledger_suite = {
	.name		= "rpcrdma2_ledger",
	.test_cases	= rpcrdma2_ledger_cases,
};

kunit_test_suite(rpcrdma2_ledger_suite);

MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests of the credits of RPC-over-RDMA version 2");
MODULE_LICENSE("GPL");
