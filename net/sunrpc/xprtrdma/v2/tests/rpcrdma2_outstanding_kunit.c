// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the Calls that hold credits.
 *
 * tools/testing/selftests/rpcrdma/unit builds the same file in user space.
 */

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "../ledger.h"

/**
 * calls_ledger_new - begin a connection
 * @test: running test
 *
 * Return: its credits
 */
static struct rpcrdma2_ledger *calls_ledger_new(struct kunit *test)
{
	struct rpcrdma2_ledger *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, l);
	rpcrdma2_ledger_reset(l, 1);
	return l;
}

/**
 * calls_new - nothing is known yet
 * @test: running test
 *
 * Return: an empty set
 */
static struct rpcrdma2_outstanding *calls_new(struct kunit *test)
{
	return &calls_ledger_new(test)->out;
}

/* What is tested, with xids that are numbers */

static bool calls_send(struct rpcrdma2_outstanding *calls, u32 xid, bool opt,
		       u32 credits)
{
	const struct rpcrdma2_outstanding_call call = {
		.xid		= (__force __be32)xid,
		.opt		= opt,
		.order		= rpcrdma2_outstanding_next(calls),
		.credits	= credits,
	};

	return rpcrdma2_outstanding_sent(calls, &call);
}

static bool calls_sent(struct rpcrdma2_outstanding *calls, u32 xid, bool opt)
{
	return calls_send(calls, xid, opt, 1);
}

static bool calls_give_up(struct rpcrdma2_outstanding *calls, u32 xid)
{
	return rpcrdma2_outstanding_give_up(calls, (__force __be32)xid);
}

static enum rpcrdma2_call_was calls_end(struct rpcrdma2_outstanding *calls, u32 xid,
					bool only_opt)
{
	const struct rpcrdma2_ending end = {
		.xid		= (__force __be32)xid,
		.only_opt	= only_opt,
	};
	struct rpcrdma2_outstanding_call call;

	return rpcrdma2_outstanding_ended(calls, &end, &call);
}

/* Ends a Call; returns its credits but the first one, as far as they are free */
static u32 calls_back(struct rpcrdma2_outstanding *calls, u32 xid, bool refused)
{
	const struct rpcrdma2_ending end = {
		.xid		= (__force __be32)xid,
		.refused	= refused,
	};
	struct rpcrdma2_outstanding_call call;

	if (!rpcrdma2_outstanding_ended(calls, &end, &call))
		return U32_MAX;
	return rpcrdma2_outstanding_repay(calls, call.order, call.credits - 1,
					  refused);
}

static void calls_miss(struct rpcrdma2_outstanding *calls, u32 xid, bool only_opt)
{
	const struct rpcrdma2_ending end = {
		.xid		= (__force __be32)xid,
		.only_opt	= only_opt,
		.refused	= only_opt,
	};

	rpcrdma2_outstanding_miss(calls, &end);
}

static const struct rpcrdma2_ending *
calls_missed(const struct rpcrdma2_outstanding *calls, u32 xid, bool opt)
{
	return rpcrdma2_outstanding_missed(calls, (__force __be32)xid, opt);
}

static bool calls_stuck(const struct rpcrdma2_outstanding *calls, u32 more,
			u32 credits)
{
	return rpcrdma2_outstanding_stuck(calls, more, 1, credits);
}

/**
 * calls_kill - a Call is sent, and given up
 * @test: running test
 * @calls: the set
 * @xid: its xid
 * @opt: it goes by RDMA2_OPTIONAL
 */
static void calls_kill(struct kunit *test, struct rpcrdma2_outstanding *calls,
		       u32 xid, bool opt)
{
	KUNIT_EXPECT_TRUE(test, calls_sent(calls, xid, opt));
	KUNIT_EXPECT_TRUE(test, calls_give_up(calls, xid));
}

/* A Call that is answered leaves nothing behind */
static void calls_answered(struct kunit *test)
{
	struct rpcrdma2_outstanding *calls = calls_new(test);

	KUNIT_EXPECT_TRUE(test, calls_sent(calls, 1, false));
	KUNIT_EXPECT_TRUE(test, calls_sent(calls, 1, false));
	KUNIT_EXPECT_EQ(test, calls->count, 1);
	KUNIT_EXPECT_EQ(test, calls_end(calls, 1, false),
			RPCRDMA2_CALL_AWAITED);
	KUNIT_EXPECT_EQ(test, calls_end(calls, 1, false),
			RPCRDMA2_CALL_UNKNOWN);
	KUNIT_EXPECT_FALSE(test, calls_give_up(calls, 1));
	KUNIT_EXPECT_EQ(test, calls->count, 0);
	KUNIT_EXPECT_EQ(test, calls->given_up, 0);
}

/* One that is given up keeps its credit until its answer comes, once */
static void calls_late(struct kunit *test)
{
	struct rpcrdma2_outstanding *calls = calls_new(test);
	u32 xid;

	for (xid = 1; xid <= 3; xid++)
		calls_kill(test, calls, xid, false);
	KUNIT_EXPECT_FALSE(test, calls_give_up(calls, 2));
	KUNIT_EXPECT_EQ(test, calls->given_up, 3);
	KUNIT_EXPECT_EQ(test, calls_end(calls, 1, false),
			RPCRDMA2_CALL_GIVEN_UP);
	KUNIT_EXPECT_EQ(test, calls_end(calls, 1, false),
			RPCRDMA2_CALL_UNKNOWN);
	KUNIT_EXPECT_EQ(test, calls->given_up, 2);
	KUNIT_EXPECT_EQ(test, calls_end(calls, 3, false),
			RPCRDMA2_CALL_GIVEN_UP);
	KUNIT_EXPECT_EQ(test, calls_end(calls, 2, false),
			RPCRDMA2_CALL_GIVEN_UP);
	KUNIT_EXPECT_EQ(test, calls->given_up, 0);
	KUNIT_EXPECT_EQ(test, calls->count, 0);
}

/* INVAL_OPTION and REPTERR are about no Call by RDMA2_MSG */
static void calls_options(struct kunit *test)
{
	struct rpcrdma2_outstanding *calls = calls_new(test);

	calls_kill(test, calls, 1, false);
	calls_kill(test, calls, 2, true);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_outstanding_known(calls, (__force __be32)1,
							   false));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_outstanding_known(calls, (__force __be32)1,
							    true));
	KUNIT_EXPECT_EQ(test, calls_end(calls, 1, true),
			RPCRDMA2_CALL_UNKNOWN);
	KUNIT_EXPECT_EQ(test, calls_end(calls, 2, true),
			RPCRDMA2_CALL_GIVEN_UP);
	KUNIT_EXPECT_EQ(test, calls->given_up, 1);
}

/* What cannot be remembered is refused, and one more fits for each that ends */
static void calls_full(struct kunit *test)
{
	struct rpcrdma2_outstanding *calls = calls_new(test);
	struct rpcrdma2_outstanding_call call = { .xid = (__force __be32)1000, .credits = 5 };
	u32 xid;

	for (xid = 0; xid < RPCRDMA2_MAX_OUTSTANDING; xid++)
		calls_kill(test, calls, xid, false);
	KUNIT_EXPECT_FALSE(test, calls_sent(calls, xid, false));
	KUNIT_EXPECT_EQ(test, calls->count, RPCRDMA2_MAX_OUTSTANDING);
	KUNIT_EXPECT_EQ(test, calls_end(calls, 7, false),
			RPCRDMA2_CALL_GIVEN_UP);
	calls_kill(test, calls, xid, false);
	KUNIT_EXPECT_EQ(test, calls->given_up, RPCRDMA2_MAX_OUTSTANDING);

	/* its credits are gone */
	rpcrdma2_outstanding_leave(calls, &call);
	KUNIT_EXPECT_EQ(test, calls->given_up, RPCRDMA2_MAX_OUTSTANDING + 5);
	KUNIT_EXPECT_EQ(test, calls_end(calls, 1000, false),
			RPCRDMA2_CALL_UNKNOWN);
	calls_end(calls, 8, false);
	KUNIT_EXPECT_EQ(test, calls->given_up, RPCRDMA2_MAX_OUTSTANDING + 4);
}

/* A Call that takes several transmissions holds as many credits */
static void calls_groups(struct kunit *test)
{
	struct rpcrdma2_outstanding *calls = calls_new(test);
	struct rpcrdma2_outstanding_call call = {
		.xid = (__force __be32)3, .opt = true, .credits = 4, .recvs = 7,
	};
	const struct rpcrdma2_ending end = { .xid = call.xid };

	KUNIT_EXPECT_TRUE(test, calls_send(calls, 1, true, 5));
	KUNIT_EXPECT_EQ(test, calls_back(calls, 1, false), 4U);
	KUNIT_EXPECT_EQ(test, calls_back(calls, 1, false), U32_MAX);

	/* one that could not be sent: not even one is held */
	KUNIT_EXPECT_TRUE(test, calls_send(calls, 2, true, 5));
	KUNIT_EXPECT_EQ(test, rpcrdma2_outstanding_unsent(calls, (__force __be32)2),
			4U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_outstanding_unsent(calls, (__force __be32)2),
			0U);
	KUNIT_EXPECT_EQ(test, calls->count, 0U);

	/* one that is left behind comes back whole */
	call.order = rpcrdma2_outstanding_next(calls);
	rpcrdma2_outstanding_leave(calls, &call);
	KUNIT_EXPECT_EQ(test, calls->given_up, 4U);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_outstanding_known(calls, call.xid, true));
	memset(&call, 0, sizeof(call));
	KUNIT_EXPECT_EQ(test, rpcrdma2_outstanding_ended(calls, &end, &call),
			RPCRDMA2_CALL_GIVEN_UP);
	KUNIT_EXPECT_EQ(test, call.credits, 4U);
	KUNIT_EXPECT_EQ(test, call.recvs, 7U);
	KUNIT_EXPECT_EQ(test, calls->given_up, 0U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_outstanding_known(calls, end.xid, false));
}

/* what a refused group holds comes back when a later Call is answered */
static void calls_refused(struct kunit *test)
{
	struct rpcrdma2_outstanding *calls = calls_new(test);

	calls_send(calls, 1, false, 1);
	calls_send(calls, 2, true, 5);
	calls_send(calls, 3, false, 1);
	KUNIT_EXPECT_EQ(test, calls_back(calls, 2, true), 0U);
	KUNIT_EXPECT_EQ(test, calls->debt, 4U);
	/* neither answer was sent later than the refusal */
	KUNIT_EXPECT_EQ(test, calls_back(calls, 1, false), 0U);
	KUNIT_EXPECT_EQ(test, calls_back(calls, 3, false), 0U);

	/* a Call that is refused, or not sent, says nothing */
	calls_send(calls, 4, false, 1);
	calls_send(calls, 5, true, 3);
	KUNIT_EXPECT_EQ(test, calls_back(calls, 4, true), 0U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_outstanding_unsent(calls, (__force __be32)5),
			2U);
	KUNIT_EXPECT_EQ(test, calls->debt, 4U);

	/* one that is given up does, when it is answered */
	calls_send(calls, 6, true, 2);
	calls_give_up(calls, 6);
	KUNIT_EXPECT_EQ(test, calls_back(calls, 6, false), 5U);
	KUNIT_EXPECT_EQ(test, calls->debt, 0U);

	/* one that is given up is refused */
	calls_send(calls, 7, true, 5);
	calls_give_up(calls, 7);
	KUNIT_EXPECT_EQ(test, calls_back(calls, 7, true), 0U);
	KUNIT_EXPECT_EQ(test, calls->given_up, 0U);
	KUNIT_EXPECT_EQ(test, calls->debt, 4U);
	calls_send(calls, 8, false, 1);
	KUNIT_EXPECT_EQ(test, calls_back(calls, 8, false), 4U);
}

/* A message that comes while a Call is about to be given up */
static void calls_crossing(struct kunit *test)
{
	struct rpcrdma2_outstanding *calls = calls_new(test);
	u32 xid;

	KUNIT_EXPECT_NULL(test, calls_missed(calls, 0, false));
	calls_miss(calls, 1, false);
	calls_miss(calls, 2, true);
	KUNIT_ASSERT_NOT_NULL(test, calls_missed(calls, 1, false));
	KUNIT_EXPECT_FALSE(test, calls_missed(calls, 1, false)->refused);
	KUNIT_ASSERT_NOT_NULL(test, calls_missed(calls, 2, true));
	KUNIT_EXPECT_TRUE(test, calls_missed(calls, 2, true)->refused);
	KUNIT_EXPECT_NULL(test, calls_missed(calls, 2, false));
	KUNIT_EXPECT_NULL(test, calls_missed(calls, 0, true));
	for (xid = 3; xid < 3 + RPCRDMA2_MAX_MISSED; xid++)
		calls_miss(calls, xid, false);
	KUNIT_EXPECT_NULL(test, calls_missed(calls, 1, false));
	KUNIT_EXPECT_NOT_NULL(test, calls_missed(calls, 3, false));
}

/* What has come before a Call was sent does not end it */
static void calls_missed_before(struct kunit *test)
{
	struct rpcrdma2_outstanding *calls = calls_new(test);
	u32 xid;

	rpcrdma2_outstanding_begin(calls, (__force __be32)1);
	calls_miss(calls, 1, false);
	calls_miss(calls, 2, false);
	calls_miss(calls, 1, true);
	calls_miss(calls, 3, false);
	rpcrdma2_outstanding_begin(calls, (__force __be32)1);
	KUNIT_EXPECT_NULL(test, calls_missed(calls, 1, true));
	KUNIT_EXPECT_NOT_NULL(test, calls_missed(calls, 2, false));
	KUNIT_EXPECT_NOT_NULL(test, calls_missed(calls, 3, false));

	/* what comes behind that does, and what is oldest goes first */
	calls_miss(calls, 1, false);
	KUNIT_EXPECT_NOT_NULL(test, calls_missed(calls, 1, false));
	for (xid = 4; xid < 1 + RPCRDMA2_MAX_MISSED; xid++)
		calls_miss(calls, xid, false);
	KUNIT_EXPECT_NOT_NULL(test, calls_missed(calls, 2, false));
	calls_miss(calls, xid, false);
	KUNIT_EXPECT_NULL(test, calls_missed(calls, 2, false));
	KUNIT_EXPECT_NOT_NULL(test, calls_missed(calls, 3, false));
}

/* Others are blocked if no credit is left that an RPC could return */
static void calls_blocked(struct kunit *test)
{
	struct rpcrdma2_outstanding *calls = calls_new(test);

	KUNIT_EXPECT_FALSE(test, calls_stuck(calls, 0, 0));
	KUNIT_EXPECT_FALSE(test, calls_stuck(calls, 0, 1));
	KUNIT_EXPECT_TRUE(test, calls_stuck(calls, 1, 1));
	calls_sent(calls, 1, false);
	KUNIT_EXPECT_FALSE(test, calls_stuck(calls, 0, 1));
	calls_give_up(calls, 1);
	KUNIT_EXPECT_TRUE(test, calls_stuck(calls, 0, 1));
	KUNIT_EXPECT_FALSE(test, calls_stuck(calls, 0, 2));
	KUNIT_EXPECT_TRUE(test, calls_stuck(calls, 1, 2));
	calls_kill(test, calls, 2, false);
	KUNIT_EXPECT_TRUE(test, calls_stuck(calls, 0, 2));
	KUNIT_EXPECT_TRUE(test, calls_stuck(calls, 0, 1));
	calls_end(calls, 1, false);
	KUNIT_EXPECT_FALSE(test, calls_stuck(calls, 0, 2));

	/* who needs several is blocked earlier, but not by nothing */
	KUNIT_EXPECT_TRUE(test, rpcrdma2_outstanding_stuck(calls, 0, 4, 4));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_outstanding_stuck(calls, 0, 3, 4));
	calls_end(calls, 2, false);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_outstanding_stuck(calls, 0, 5, 4));

	/* what is owed blocks, too */
	calls_send(calls, 3, true, 3);
	KUNIT_EXPECT_FALSE(test, calls_stuck(calls, 0, 2));
	calls_back(calls, 3, true);
	KUNIT_EXPECT_TRUE(test, calls_stuck(calls, 0, 2));
	KUNIT_EXPECT_FALSE(test, calls_stuck(calls, 0, 3));
}

/* A new connection owes nothing for the one before */
static void calls_anew(struct kunit *test)
{
	struct rpcrdma2_ledger *l = calls_ledger_new(test);
	struct rpcrdma2_outstanding *calls = &l->out;

	calls_kill(test, calls, 1, false);
	calls_miss(calls, 2, false);
	rpcrdma2_ledger_reset(l, 2);
	KUNIT_EXPECT_EQ(test, calls_end(calls, 1, false),
			RPCRDMA2_CALL_UNKNOWN);
	KUNIT_EXPECT_NULL(test, calls_missed(calls, 2, false));
	KUNIT_EXPECT_FALSE(test, calls_stuck(calls, 0, 1));
}

/* A Call that is sent again takes no credits twice, and gives none back too early */
static void calls_again(struct kunit *test)
{
	const __be32 xid = (__force __be32)7;
	struct rpcrdma2_outstanding *calls = calls_new(test);

	KUNIT_EXPECT_EQ(test, rpcrdma2_outstanding_more(calls, xid, 1), 0);
	KUNIT_EXPECT_EQ(test, rpcrdma2_outstanding_more(calls, xid, 3), 2);
	KUNIT_EXPECT_TRUE(test, calls_send(calls, 7, true, 3));
	KUNIT_EXPECT_EQ(test, rpcrdma2_outstanding_more(calls, xid, 3), 0);
	KUNIT_EXPECT_EQ(test, rpcrdma2_outstanding_more(calls, xid, 1), 0);
	/* the peer takes less at a time than it did */
	KUNIT_EXPECT_EQ(test, rpcrdma2_outstanding_more(calls, xid, 5), 2);
	KUNIT_EXPECT_TRUE(test, calls_send(calls, 7, true, 5));
	KUNIT_EXPECT_EQ(test, calls->count, 1);
	/* that could not be posted; the first Sends are still unanswered */
	KUNIT_EXPECT_EQ(test, rpcrdma2_outstanding_unsent(calls, xid), 0);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_outstanding_known(calls, xid, true));
	KUNIT_EXPECT_EQ(test, calls_back(calls, 7, false), 4);
	KUNIT_EXPECT_EQ(test, calls->count, 0);
	/* one that was not sent before holds nothing */
	KUNIT_EXPECT_TRUE(test, calls_send(calls, 7, true, 3));
	KUNIT_EXPECT_EQ(test, rpcrdma2_outstanding_unsent(calls, xid), 2);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_outstanding_known(calls, xid, true));
}

static struct kunit_case rpcrdma2_outstanding_cases[] = {
	KUNIT_CASE(calls_answered),
	KUNIT_CASE(calls_late),
	KUNIT_CASE(calls_options),
	KUNIT_CASE(calls_full),
	KUNIT_CASE(calls_groups),
	KUNIT_CASE(calls_again),
	KUNIT_CASE(calls_refused),
	KUNIT_CASE(calls_crossing),
	KUNIT_CASE(calls_missed_before),
	KUNIT_CASE(calls_blocked),
	KUNIT_CASE(calls_anew),
	{ }
};

static struct kunit_suite rpcrdma2_outstanding_suite = {
	.name		= "rpcrdma2_outstanding",
	.test_cases	= rpcrdma2_outstanding_cases,
};

kunit_test_suite(rpcrdma2_outstanding_suite);

MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests of RPC-over-RDMA version 2 credits");
MODULE_LICENSE("GPL");
