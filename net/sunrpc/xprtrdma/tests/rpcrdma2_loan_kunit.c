// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what long messages borrow.
 *
 * tools/testing/selftests/rpcrdma/unit builds the same file in user space.
 */

#include <kunit/test.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "../rpcrdma2_calls.h"
#include "../rpcrdma2_loan.h"

enum {
	LO_COOKIE	= 5,
	LO_RECVS	= 20,
};

/**
 * lo_lender - begin a connection
 * @test: test
 *
 * Return: what can be borrowed on it
 */
static struct rpcrdma2_lender *lo_lender(struct kunit *test)
{
	struct rpcrdma2_lender *len;

	len = kunit_kzalloc(test, sizeof(*len), GFP_KERNEL);
	memset(len, 0xff, sizeof(*len));
	rpcrdma2_lender_reset(len, LO_COOKIE);
	len->recvs = LO_RECVS;
	return len;
}

/* A Call ends; what it has borrowed is back. Returns its credits */
static u32 lo_end(struct rpcrdma2_lender *len, struct rpcrdma2_loan *loan)
{
	struct rpcrdma2_loan left;

	rpcrdma2_loan_leave(len, loan, &left);
	rpcrdma2_lend_back(len, left.credits, left.recvs);
	return left.credits;
}

/* B2, C-18, C-25: one credit is never lent, nor a quarter of many */
static void lo_share(struct kunit *test)
{
	static const u32 shares[][2] = {
		{ 0, 0 }, { 1, 0 }, { 2, 1 }, { 3, 2 }, { 4, 3 }, { 8, 6 },
		{ 64, 48 }, { 128, 96 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(shares); i++)
		KUNIT_EXPECT_EQ(test, rpcrdma2_lender_share(shares[i][0]),
				shares[i][1]);
}

/* C-18, C-22: all or nothing */
static void lo_credits(struct kunit *test)
{
	struct rpcrdma2_lender *len = lo_lender(test);
	struct rpcrdma2_loan one, two;

	rpcrdma2_loan_begin(LO_COOKIE, 0, &one);
	rpcrdma2_loan_begin(LO_COOKIE, 0, &two);
	/* grant 1, 2, 3 */
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 1, 1, 1, 0, &one),
			(u32)RPCRDMA2_NO_CREDITS);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 2, 2, 1, 0, &one),
			(u32)RPCRDMA2_NO_CREDITS);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 3, 1, 3, 0, &one),
			(u32)RPCRDMA2_NO_CREDITS);
	KUNIT_EXPECT_EQ(test, one.credits, 0U);
	KUNIT_EXPECT_EQ(test, len->credits_lent, 0U);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 3, 1, 2, 0, &one),
			(u32)RPCRDMA2_LENT);
	KUNIT_EXPECT_EQ(test, one.credits, 2U);

	/* credits are free, but the share is not */
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 8, 3, 5, 0, &two),
			(u32)RPCRDMA2_NO_CREDITS);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 8, 3, 4, 0, &two),
			(u32)RPCRDMA2_LENT);
	KUNIT_EXPECT_EQ(test, len->credits_lent, 6U);
	KUNIT_EXPECT_EQ(test, lo_end(len, &one), 2U);
	KUNIT_EXPECT_EQ(test, lo_end(len, &one), 0U);
	KUNIT_EXPECT_EQ(test, len->credits_lent, 4U);

	/* a grant that was lowered below what is in use */
	lo_end(len, &two);
	rpcrdma2_loan_begin(LO_COOKIE, 0, &one);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 4, 9, 1, 0, &one),
			(u32)RPCRDMA2_NO_CREDITS);
	/* one that needs none gets by */
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 4, 9, 0, 0, &one),
			(u32)RPCRDMA2_LENT);
}

/* C-17, C-19: Receives; nothing is lent if one of the two is short */
static void lo_recvs(struct kunit *test)
{
	struct rpcrdma2_lender *len = lo_lender(test);
	struct rpcrdma2_loan one, two;

	rpcrdma2_loan_begin(LO_COOKIE, 0, &one);
	rpcrdma2_loan_begin(LO_COOKIE, 0, &two);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 9, 1, 1, LO_RECVS + 1,
						 &one),
			(u32)RPCRDMA2_NO_RECVS);
	KUNIT_EXPECT_EQ(test, len->credits_lent, 0U);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 9, 1, 1, LO_RECVS - 3,
						 &one),
			(u32)RPCRDMA2_LENT);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 9, 1, 0, 4, &two),
			(u32)RPCRDMA2_NO_RECVS);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 9, 1, 0, 3, &two),
			(u32)RPCRDMA2_LENT);
	lo_end(len, &two);
	lo_end(len, &two);
	KUNIT_EXPECT_EQ(test, len->recvs_lent, LO_RECVS - 3U);
	/* fewer are posted than were */
	len->recvs = 4;
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 9, 1, 0, 1, &two),
			(u32)RPCRDMA2_NO_RECVS);
	lo_end(len, &one);
	KUNIT_EXPECT_EQ(test, len->recvs_lent, 0U);
}

/* A-56, B3: what another connection lent is forgotten */
static void lo_reconnect(struct kunit *test)
{
	struct rpcrdma2_lender *len = lo_lender(test);
	struct rpcrdma2_loan one, left;

	rpcrdma2_loan_begin(LO_COOKIE, 0, &one);
	rpcrdma2_lend(len, 9, 1, 2, 3, &one);
	rpcrdma2_lender_reset(len, LO_COOKIE + 1);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_loan_leave(len, &one, &left));
	KUNIT_EXPECT_EQ(test, one.credits + one.recvs, 0U);
	KUNIT_EXPECT_EQ(test, left.credits + left.recvs, 0U);
	KUNIT_EXPECT_EQ(test, len->credits_lent + len->recvs_lent, 0U);
	/* and one that was begun before borrows nothing */
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 9, 1, 1, 0, &one),
			(u32)RPCRDMA2_NO_CREDITS);
}

/* Receives of a reply that is being discarded are lent until that is over */
static void lo_behind(struct kunit *test)
{
	struct rpcrdma2_lender *len = lo_lender(test);
	struct rpcrdma2_loan one, two, left;

	rpcrdma2_loan_begin(LO_COOKIE, 0, &one);
	rpcrdma2_loan_begin(LO_COOKIE, 1, &two);
	rpcrdma2_lend(len, 9, 1, 0, 3, &one);
	rpcrdma2_lend(len, 9, 1, 0, LO_RECVS - 3, &two);
	rpcrdma2_loan_leave(len, &one, &left);
	rpcrdma2_lend_behind(len, left.recvs);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 9, 1, 0, 1, &one),
			(u32)RPCRDMA2_NO_RECVS);
	rpcrdma2_lend_drained(len);
	KUNIT_EXPECT_EQ(test, len->recvs_lent, LO_RECVS - 3U);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_lend(len, 9, 1, 0, 3, &one),
			(u32)RPCRDMA2_LENT);
	rpcrdma2_lend_drained(len);
	KUNIT_EXPECT_EQ(test, len->recvs_lent, (u32)LO_RECVS);
}

/**
 * struct lo_books - a connection on which Calls come and go
 * @len: what it lends
 * @calls: Calls that were given up, and what is owed
 * @xid: xid of the last one that was
 * @held: credits that are lent, counted here
 */
struct lo_books {
	struct rpcrdma2_lender	len;
	struct rpcrdma2_calls	calls;
	u32			xid;
	u32			held;
};

/* A message ends a Call that has borrowed @loan */
static void lo_settle(struct lo_books *b, const struct rpcrdma2_loan *loan,
		      bool refused)
{
	u32 credits = rpcrdma2_calls_settle(&b->calls, loan->order,
					    loan->credits, refused);

	rpcrdma2_lend_back(&b->len, credits, loan->recvs);
	b->held -= credits;
}

/* The Call that was given up last is answered */
static void lo_late(struct lo_books *b, bool refused)
{
	const struct rpcrdma2_ending end = {
		.xid		= cpu_to_be32(b->xid),
		.refused	= refused,
	};
	struct rpcrdma2_loan loan = { };
	struct rpcrdma2_call call;

	if (!rpcrdma2_calls_ended(&b->calls, &end, &call))
		return;
	loan.order = call.order;
	loan.credits = call.credits - 1;
	loan.recvs = call.recvs;
	lo_settle(b, &loan, refused);
}

/* A Call is sent; then one of four things happens to it */
static void lo_call(struct lo_books *b, u32 xid, u32 random)
{
	struct rpcrdma2_call call = { .xid = cpu_to_be32(xid) };
	struct rpcrdma2_loan loan, left;

	rpcrdma2_loan_begin(LO_COOKIE, rpcrdma2_calls_next(&b->calls), &loan);
	if (rpcrdma2_lend(&b->len, 16, 1 + b->held, random & 3, random >> 2 & 7,
			  &loan) == RPCRDMA2_LENT)
		b->held += loan.credits;
	rpcrdma2_loan_leave(&b->len, &loan, &left);
	if ((random >> 5 & 3) == 0) {
		call.order = left.order;
		call.credits = 1 + left.credits;
		call.recvs = left.recvs;
		rpcrdma2_calls_leave(&b->calls, &call);
		b->xid = xid;
	} else {
		lo_settle(b, &left, (random >> 5 & 3) == 1);
	}
}

/* A-70, B1: whatever becomes of Calls, nothing is lent twice or lost */
static void lo_ledger(struct kunit *test)
{
	struct lo_books *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	u32 i, x = 1;

	rpcrdma2_lender_reset(&b->len, LO_COOKIE);
	b->len.recvs = LO_RECVS;
	for (i = 0; i < 2000; i++) {
		x = x * 1664525 + 1013904223;
		lo_call(b, i + 1, x >> 8);
		if (x >> 30)
			lo_late(b, x >> 28 & 1);
		KUNIT_EXPECT_EQ(test, b->len.credits_lent, b->held);
		KUNIT_EXPECT_LE(test, b->held, rpcrdma2_lender_share(16));
	}
	while (b->calls.count) {
		b->xid = be32_to_cpu(b->calls.calls[0].xid);
		lo_late(b, false);
	}
	/* an answer: nothing is owed any more */
	lo_call(b, i + 1, 3 << 5);
	KUNIT_EXPECT_EQ(test, b->held + b->len.credits_lent, 0U);
	KUNIT_EXPECT_EQ(test, b->len.recvs_lent + b->calls.given_up +
			b->calls.debt, 0U);
}

static struct kunit_case rpcrdma2_loan_cases[] = {
	KUNIT_CASE(lo_share),
	KUNIT_CASE(lo_credits),
	KUNIT_CASE(lo_recvs),
	KUNIT_CASE(lo_reconnect),
	KUNIT_CASE(lo_behind),
	KUNIT_CASE(lo_ledger),
	{ }
};

static struct kunit_suite rpcrdma2_loan_suite = {
	.name		= "rpcrdma2_loan",
	.test_cases	= rpcrdma2_loan_cases,
};

kunit_test_suite(rpcrdma2_loan_suite);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("KUnit tests of what long messages of RPC-over-RDMA version 2 borrow");
MODULE_LICENSE("GPL");
