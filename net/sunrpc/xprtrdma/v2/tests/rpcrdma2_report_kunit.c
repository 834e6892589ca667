// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of reports about transmissions, as they are obeyed.
 *
 * tools/testing/selftests/rpcrdma/unit builds the same file in user space.
 */

#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/string.h>

#include "../assembly.h"

enum {
	RE_SIZE		= 128,
};

/**
 * struct re_report - a report as it arrives
 * @buf: the Send
 * @msg: its header
 * @rep: its content
 * @about: what it is about
 */
struct re_report {
	u8			buf[RE_SIZE];
	struct rpcrdma2_msg	msg;
	struct rpcrdma2_repterr	rep;
	struct rpcrdma2_xmsid	about;
};

/**
 * re_receive - send a report, and receive it
 * @test: test
 * @r: report, its content set; gets what arrives
 * @xid: rdma_xid
 * @dir: rdma_optdir
 *
 * Return: what rpcrdma2_repterr_about() has to say
 */
static bool re_receive(struct kunit *test, struct re_report *r, u32 xid,
		       u32 dir)
{
	const struct rpcrdma2_hdr hdr = {
		.xid	= cpu_to_be32(xid),
		.credit	= 1,
		.dir	= dir,
	};
	const struct rpcrdma2_limits limits = {
		.opttypes	= BIT(ROPT_REPTERR),
	};
	int len = rpcrdma2_encode_repterr(r->buf, RE_SIZE, &hdr, &r->rep);

	KUNIT_ASSERT_GT(test, len, 0);
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_decode(r->buf, len, &limits, &r->msg),
			(u32)RPCRDMA2_OK);
	KUNIT_EXPECT_EQ(test, rpcrdma2_decode_repterr(r->buf, &r->msg, &r->rep),
			0);
	return rpcrdma2_repterr_about(&r->msg, &r->rep, &r->about);
}

/**
 * re_bad - begin a report
 * @test: test
 * @xid: xid of the bad transmission
 * @dir: its direction
 *
 * Return: the report
 */
static struct re_report *re_bad(struct kunit *test, u32 xid, u32 dir)
{
	struct re_report *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	r->rep.which = OPTRERR_BADCONT;
	r->rep.bad.xid = cpu_to_be32(xid);
	r->rep.bad.dir = dir;
	r->rep.bad.seq = 3;
	return r;
}

/* E-16, A-94: without a lead it is about what is bad */
static void re_plain(struct kunit *test)
{
	struct re_report *r = re_bad(test, 7, RDMA2_CALL);

	KUNIT_EXPECT_TRUE(test, re_receive(test, r, 7, RDMA2_REPLY));
	KUNIT_EXPECT_EQ(test, be32_to_cpu(r->about.xid), 7U);
	KUNIT_EXPECT_EQ(test, r->about.dir, (u32)RDMA2_CALL);
	KUNIT_EXPECT_EQ(test, r->about.seq, 3U);

	r = re_bad(test, 7, RDMA2_REPLY);
	KUNIT_EXPECT_TRUE(test, re_receive(test, r, 7, RDMA2_CALL));
	KUNIT_EXPECT_EQ(test, r->about.dir, (u32)RDMA2_REPLY);
}

/* what broke into a group has arrived, the group has not */
static void re_intruder(struct kunit *test)
{
	struct re_report *r = re_bad(test, 9, RDMA2_REPLY);

	r->rep.has_lead = true;
	r->rep.lead.xid = cpu_to_be32(7);
	r->rep.lead.dir = RDMA2_CALL;
	KUNIT_EXPECT_TRUE(test, re_receive(test, r, 9, RDMA2_CALL));
	KUNIT_EXPECT_EQ(test, be32_to_cpu(r->about.xid), 7U);
	KUNIT_EXPECT_EQ(test, r->about.dir, (u32)RDMA2_CALL);
	KUNIT_EXPECT_EQ(test, r->about.seq, 0U);
}

/* N-212: a report that contradicts itself */
static void re_contradiction(struct kunit *test)
{
	struct re_report *r = re_bad(test, 7, RDMA2_CALL);

	KUNIT_EXPECT_FALSE(test, re_receive(test, r, 8, RDMA2_REPLY));
	KUNIT_EXPECT_FALSE(test, re_receive(test, r, 7, RDMA2_CALL));
}

/* N-212: responses that can be reported, each of them once */
static void re_recent(struct kunit *test)
{
	struct rpcrdma2_recent *recent;
	u32 i;

	recent = kunit_kzalloc(test, sizeof(*recent), GFP_KERNEL);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_recent_take(recent, 0));
	rpcrdma2_recent_add(recent, cpu_to_be32(1));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_recent_take(recent, cpu_to_be32(2)));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_recent_take(recent, cpu_to_be32(1)));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_recent_take(recent, cpu_to_be32(1)));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_recent_take(recent, 0));

	for (i = 1; i <= RPCRDMA2_MAX_RECENT + 1; i++)
		rpcrdma2_recent_add(recent, cpu_to_be32(100 + i));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_recent_take(recent,
						      cpu_to_be32(101)));
	for (i = 2; i <= RPCRDMA2_MAX_RECENT + 1; i++)
		KUNIT_EXPECT_TRUE(test,
				  rpcrdma2_recent_take(recent,
						       cpu_to_be32(100 + i)));
}

/* E-21: each code has a name, and what is none has not */
static void re_names(struct kunit *test)
{
	u32 i;

	KUNIT_EXPECT_MEMEQ(test, rpcrdma2_opterr_name(0), "?", 2);
	for (i = OPTRERR_BADHMT; i <= OPTRERR_BADPL; i++)
		KUNIT_EXPECT_EQ(test, strncmp(rpcrdma2_opterr_name(i), "BAD",
					      3), 0);
	KUNIT_EXPECT_MEMEQ(test, rpcrdma2_opterr_name(OPTRERR_BADSEQ),
			   "BADSEQ", 7);
	KUNIT_EXPECT_MEMEQ(test, rpcrdma2_opterr_name(OPTRERR_BADPL + 1), "?",
			   2);
	KUNIT_EXPECT_MEMEQ(test, rpcrdma2_opterr_name(U32_MAX), "?", 2);
}

/* errors and reports refuse a Call, replies do not */
static void re_refusal(struct kunit *test)
{
	struct rpcrdma2_msg *msg = kunit_kzalloc(test, sizeof(*msg),
						 GFP_KERNEL);

	msg->proc = RDMA2_ERROR;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_is_refusal(msg));
	msg->proc = RDMA2_MSG;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_is_refusal(msg));
	msg->opt.type = ROPT_REPTERR;
	msg->opt.typed = true;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_is_refusal(msg));
	msg->proc = RDMA2_OPTIONAL;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_is_refusal(msg));
	msg->opt.typed = false;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_is_refusal(msg));
	msg->opt.typed = true;
	msg->opt.type = ROPT_XMTRESP;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_is_refusal(msg));
}

static struct kunit_case rpcrdma2_repterr_cases[] = {
	KUNIT_CASE(re_plain),
	KUNIT_CASE(re_intruder),
	KUNIT_CASE(re_contradiction),
	KUNIT_CASE(re_recent),
	KUNIT_CASE(re_names),
	KUNIT_CASE(re_refusal),
	{ }
};

static struct kunit_suite rpcrdma2_repterr_suite = {
	.name		= "rpcrdma2_repterr",
	.test_cases	= rpcrdma2_repterr_cases,
};

kunit_test_suite(rpcrdma2_repterr_suite);

MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests of RPC-over-RDMA version 2 reports");
MODULE_LICENSE("GPL");
