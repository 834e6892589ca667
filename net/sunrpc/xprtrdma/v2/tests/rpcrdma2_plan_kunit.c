// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of how a message is sent.
 *
 * tools/testing/selftests/rpcrdma/unit builds the same file in user space. What
 * is planned goes through the receiver's checks and is put together again.
 */

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "../plan.h"
#include "rpcrdma2_codec_examples.h"

enum {
	PN_PAGE		= 4096,
};

/**
 * struct pn_msg - a message on its way
 * @to: where it goes
 * @rb: structure of the Receives there
 * @plan: how it is sent
 * @req: its header
 * @parts: what arrived
 * @arr: all that
 * @fault: what is wrong with it
 */
struct pn_msg {
	struct rpcrdma2_dest		to;
	struct rpcrdma2_rbstruct	rb;
	struct rpcrdma2_plan		plan;
	struct rpcrdma2_xmtreq		req;
	struct rpcrdma2_part		parts[RPCRDMA2_MAX_XMTS];
	struct rpcrdma2_arrival		arr;
	struct rpcrdma2_repterr		fault;
};

/**
 * pn_msg_new - make a message to Receives like ours
 * @test: running test
 * @head: length of their head segment, in bytes
 * @pages: how many pages they have
 *
 * Return: the message
 */
static struct pn_msg *pn_msg_new(struct kunit *test, u32 head, u32 pages)
{
	struct pn_msg *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	memset(&m->plan, 0xff, sizeof(m->plan));
	rpcrdma2_rbstruct_make(&m->rb, head, pages, PN_PAGE);
	m->to.rb = &m->rb;
	m->to.limit = m->rb.length;
	m->to.max_xmts = RPCRDMA2_MAX_XMTS;
	return m;
}

/**
 * pn_plan - plan a message that has one item
 * @m: message
 * @front: header and payload, in bytes, 80 of them payload
 * @length: length of the item, in bytes
 *
 * Return: transmissions that it takes; 0 if it does not fit
 */
static u32 pn_plan(struct pn_msg *m, u32 front, u32 length)
{
	return rpcrdma2_plan(&m->plan, &m->to, front - 80, 80, &length, 1) ?
	       m->plan.nxmts : 0;
}

/* How many transmissions data takes, by hand */
static void pn_plan_items(struct kunit *test)
{
	struct pn_msg *m = pn_msg_new(test, 768, 16);

	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 65536), 1U);
	KUNIT_EXPECT_EQ(test, m->plan.nruns, 1U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].hdrlen, 320 + 16 * 4U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].pslen, 80U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].length, 768 + 65536U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 0), 768 - 464U);

	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 65537), 2U);
	KUNIT_EXPECT_EQ(test, m->plan.nruns, 2U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].from, 65536U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].tbsn, 16U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].count, 1U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[1].hdrlen, RPCRDMA2_CONT_SIZE);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[1].pslen, 0U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[1].length, 768 + 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 1), 768 - 40U);

	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 262144), 4U);
	/* 256 numbers push the payload over the end of the head segment */
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 1048576), 17U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[0].tbsn, 1U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[16].length, 768 + 4096U);
	/* and more than that there cannot be */
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 1048577), 0U);
}

/* How many transmissions a payload takes, by hand */
static void pn_plan_payload(struct kunit *test)
{
	struct pn_msg *m = pn_msg_new(test, 4096, 0);

	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 48, 65536,
					      NULL, 0));
	/* 4048 + 15 * 4056 = 64888 */
	KUNIT_EXPECT_EQ(test, m->plan.nxmts, 17U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_payload_xmts(4096, 48, 65536), 17U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].pslen, 4048U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[1].payload, 4048U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[15].length, 4096U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[16].payload, 64888U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[16].length, 40 + 648U);
	/* parts are whole words, whatever the limit is */
	m->to.limit = 4095;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 48, 8000,
					      NULL, 0));
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].pslen, 4044U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_plan(&m->plan, &m->to, 48, 8002,
					       NULL, 0));
}

/* What does not fit is not planned, at each of the limits */
static void pn_plan_limits(struct kunit *test)
{
	struct pn_msg *m = pn_msg_new(test, 768, 2);

	/* transmissions */
	m->to.max_xmts = 3;
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 3 * 8192), 3U);
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 3 * 8192 + 1), 0U);
	m->to.max_xmts = 1000;
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 32 * 8192), 32U);
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 32 * 8192 + 1), 0U);
	m->to.max_xmts = 1;
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 8192), 1U);
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 8193), 0U);
	m->to.max_xmts = 0;
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 1), 0U);
	/* the beginning of the payload goes with the header */
	m->to.max_xmts = 4;
	KUNIT_EXPECT_EQ(test, pn_plan(m, m->to.limit + 80 - 8, 0), 2U);
	KUNIT_EXPECT_EQ(test, pn_plan(m, m->to.limit + 80 - 4, 0), 0U);
	KUNIT_EXPECT_EQ(test, pn_plan(m, m->to.limit + 80 + 4, 0), 0U);
	/* Receives too short for a ROPT_XMTCONT */
	m->to.limit = 40;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 20, 20, NULL, 0));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_plan(&m->plan, &m->to, 20, 24, NULL,
					       0));
	/* nothing that can be aimed at */
	m->to.limit = m->rb.length;
	m->rb.groups[1].flags = 0;
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 4), 0U);
}

/* where the peer's Receives end within a segment */
static void pn_plan_cut(struct kunit *test)
{
	struct pn_msg *m = pn_msg_new(test, 768, 2);

	m->to.limit = 768 + 4096 + 100;
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 4096 + 100), 1U);
	/* the second segment cannot be filled */
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 4096 + 101), 2U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].tbsn, 2U);
	m->to.limit = 768 + 100;
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 100), 1U);
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 101), 0U);
}

/* Segments with something between them */
static void pn_plan_split(struct kunit *test)
{
	struct pn_msg *m = pn_msg_new(test, 768, 2);

	m->rb.ngroups = 4;
	m->rb.groups[2] = m->rb.groups[0];
	m->rb.groups[3] = m->rb.groups[1];
	m->to.limit = 2 * m->rb.length;
	KUNIT_EXPECT_EQ(test, pn_plan(m, 400, 5 * 4096), 2U);
	KUNIT_EXPECT_EQ(test, m->plan.nruns, 3U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].tbsn, 2U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].xnum, 0U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 1), 768U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[2].tbsn, 4U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[2].from, 4 * 4096U);
}

/* Items that fill their segments are kept apart */
static void pn_plan_neighbours(struct kunit *test)
{
	struct pn_msg *m = pn_msg_new(test, 768, 4);
	u32 lengths[RPCRDMA2_MAX_MITEMS + 1] = { PN_PAGE, 0, PN_PAGE };

	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 300, 80,
					      lengths, 3));
	KUNIT_EXPECT_EQ(test, m->plan.nruns, 2U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].item, 2U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].from, 0U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].tbsn, 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 1), 0U);
	rpcrdma2_plan_item(&m->plan, 1, &m->req.items[0], &m->req.pool);
	KUNIT_EXPECT_EQ(test, m->req.items[0].count, 0U);
	/* as many as a header may have, and one more */
	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 300, 80, lengths,
					      RPCRDMA2_MAX_MITEMS));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_plan(&m->plan, &m->to, 300, 80, lengths,
					       RPCRDMA2_MAX_MITEMS + 1));
}

/* Numbers that push an item to where it takes fewer of them */
static void pn_plan_shrinks(struct kunit *test)
{
	struct pn_msg *m = pn_msg_new(test, 400, 2);

	m->rb.ngroups = 3;
	m->rb.groups[2] = m->rb.groups[1];
	m->rb.groups[1].count = 1;
	m->rb.groups[1].length = 256;
	m->to.limit = 400 + 256 + 2 * PN_PAGE;
	KUNIT_EXPECT_EQ(test, pn_plan(m, 392, PN_PAGE), 1U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].hdrlen, 392 - 80 + 2 * 4U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[0].tbsn, 0U);
	KUNIT_EXPECT_EQ(test, pn_plan(m, 396, PN_PAGE), 1U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].hdrlen, 396 - 80 + 4U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[0].tbsn, 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 0), 256U);
}

/* The number without the plan */
static void pn_payload_xmts(struct kunit *test)
{
	struct pn_msg *m = pn_msg_new(test, 4096, 0);
	u32 payload, limit, count;
	bool fits;

	for (limit = 40; limit < 120; limit++) {
		for (payload = 8; payload < 400; payload += 3) {
			m->to.limit = limit;
			fits = rpcrdma2_plan(&m->plan, &m->to, 48, payload,
					     NULL, 0);
			count = rpcrdma2_payload_xmts(limit, 48, payload);
			if (fits)
				KUNIT_EXPECT_EQ(test, count, m->plan.nxmts);
			else
				KUNIT_EXPECT_GT(test, count,
						(u32)RPCRDMA2_MAX_XMTS);
		}
	}
}

/*
 * Section: a single Send
 */

/**
 * pn_one - make a message that has to go by a single Send
 * @test: running test
 * @head: length of the head segment, in bytes
 * @pages: how many pages there are
 * @limit: longest Send, in bytes
 *
 * Return: the message
 */
static struct pn_msg *pn_one(struct kunit *test, u32 head, u32 pages, u32 limit)
{
	struct pn_msg *m = pn_msg_new(test, head, pages);

	m->to.limit = limit;
	m->to.max_xmts = 1;
	return m;
}

/* The bytes of E5 and E7b are where the examples have them */
static void pn_examples(struct kunit *test)
{
	struct pn_msg *m = pn_one(test, 4096, 2, 12288);
	const u32 length = 8192;

	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 76 - 8, 80, &length, 1));
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].hdrlen, rpcrdma2_examples[EX_E5].hdrlen);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].length, rpcrdma2_examples[EX_E5].length);
	KUNIT_EXPECT_EQ(test, m->plan.runs[0].span.offset, 4096U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 0), 4096 - 156U);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 68 - 8, 44, &length, 1));
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].hdrlen, rpcrdma2_examples[EX_E7B].hdrlen);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].length, rpcrdma2_examples[EX_E7B].length);
}

/* An item of no bytes does not count, neither itself nor as what is before */
static void pn_empty(struct kunit *test)
{
	struct pn_msg *m = pn_one(test, 768, 4, 1 << 16);
	const u32 lengths[3] = { 100, 0, 4097 };

	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 220, 80, lengths, 3));
	KUNIT_EXPECT_EQ(test, m->plan.nruns, 2U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].hdrlen, 220 + 3 * 4U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 0), 768 - 312U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].item, 2U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 1), 4096 - 100U);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 220, 80, &lengths[1], 2));
	KUNIT_EXPECT_EQ(test, m->plan.nruns, 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 0), 768 - 308U);
	/* nothing but such items: as if there were none */
	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 220, 80, &lengths[1], 1));
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].length, 300U);
}

/* What does not fit a single Send is not planned, at each of the limits */
static void pn_one_limits(struct kunit *test)
{
	struct pn_msg *m = pn_one(test, 768, 4, 768 + 3 * 4096 + 4096);
	const u32 lengths[3] = { 4096, 1, 4097 };

	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 220, 80, lengths, 3));
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].tbsn, 1U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[2].tbsn, 2U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[2].count, 2U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].length, 768 + 3 * 4096 + 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 1), 0U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 2), 4095U);
	/* RBSIZ */
	m->to.limit = 768 + 3 * 4096;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_plan(&m->plan, &m->to, 220, 80, lengths, 3));
	/* the numbers push the payload over the end of the head segment */
	m->to.limit = 1 << 16;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 672, 80, lengths, 3));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_plan(&m->plan, &m->to, 676, 80, lengths, 3));
	/* without the last item there is still room */
	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 684, 80, lengths, 2));
	KUNIT_EXPECT_EQ(test, m->plan.runs[0].tbsn, 1U);
	/* nothing that can be aimed at */
	m->rb.groups[1].flags = 0;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_plan(&m->plan, &m->to, 220, 80, lengths, 1));
	m->to.limit = 300;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 220, 80, NULL, 0));
	m->to.limit = 299;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_plan(&m->plan, &m->to, 220, 80, NULL, 0));
}

/* Groups of segments between which there is nothing are as good as one */
static void pn_joined(struct kunit *test)
{
	struct pn_msg *m = pn_one(test, 512, 1, 1 << 16);

	m->rb.ngroups = 3;
	m->rb.groups[2] = m->rb.groups[1];
	m->rb.groups[2].count = 3;
	KUNIT_EXPECT_EQ(test, pn_plan(m, 300, 3 * 4096 - 4), 1U);
	KUNIT_EXPECT_EQ(test, m->plan.nruns, 1U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[0].tbsn, 0U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[0].count, 3U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].length, 512 + 3 * 4096 - 4U);
	/* as many as there may be, and one more */
	m->rb.groups[0].length = 2048;
	m->rb.groups[2].count = 400;
	m->rb.groups[2].length = 4;
	m->to.limit = 1 << 17;
	KUNIT_EXPECT_EQ(test, pn_plan(m, 300, 4096 + 255 * 4), 1U);
	KUNIT_EXPECT_EQ(test, pn_plan(m, 300, 4096 + 255 * 4 + 1), 0U);
}

/* What says nothing of data takes one Send; nothing is left of another plan */
static void pn_plan_msg(struct kunit *test)
{
	struct pn_msg *m = pn_msg_new(test, 768, 16);

	memset(&m->plan, 0xff, sizeof(m->plan));
	rpcrdma2_plan_msg(&m->plan, 28, 1000);
	KUNIT_EXPECT_EQ(test, m->plan.nxmts, 1U);
	KUNIT_EXPECT_EQ(test, m->plan.nruns, 0U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].hdrlen, 28U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].pslen, 1000U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].length, 1028U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].payload + m->plan.xmts[0].run +
			m->plan.xmts[0].nruns, 0U);
}

/*
 * Section: there and back
 */

static u32 pn_seed;

/**
 * pn_random - take a number by chance
 * @n: how many there are to choose from
 *
 * Return: a number less than @n
 */
static u32 pn_random(u32 n)
{
	pn_seed = pn_seed * 1664525 + 1013904223;
	return (pn_seed >> 8) % n;
}

/**
 * pn_receives - make up how Receives are made
 * @m: message; gets what it goes to
 */
static void pn_receives(struct pn_msg *m)
{
	rpcrdma2_rbstruct_make(&m->rb, 512 + 4 * pn_random(900), pn_random(9),
			       PN_PAGE);
	m->to.limit = m->rb.length;
	if (!pn_random(3)) {
		m->rb.ngroups = 4;
		m->rb.groups[2] = m->rb.groups[0];
		m->rb.groups[3] = m->rb.groups[1];
		m->rb.groups[3].length = 1024;
		m->to.limit *= 2;
	}
	if (!pn_random(3))
		m->to.limit = 512 + pn_random(m->to.limit - 511);
}

/**
 * pn_send - split a message and describe its arrival
 * @m: message that knows what it goes to
 * @payload: length of its payload stream, in bytes
 * @lengths: lengths of its items, in bytes
 * @nitems: how many
 *
 * Return: %false if it does not fit
 */
static bool pn_send(struct pn_msg *m, u32 payload, const u32 *lengths,
		    u32 nitems)
{
	struct rpcrdma2_xmtreq *req = &m->req;
	u32 i, disp = 0;

	if (!rpcrdma2_plan(&m->plan, &m->to, 60 + 20 * nitems, payload, lengths,
			   nitems))
		return false;
	req->nitems = nitems;
	req->count = m->plan.nxmts;
	req->pslen = m->plan.xmts[0].pslen;
	req->pool.ntbsns = 0;
	for (i = 0; i < nitems; i++) {
		req->items[i].disp = disp + 4 * pn_random(payload / nitems / 4);
		req->items[i].length = lengths[i];
		rpcrdma2_plan_item(&m->plan, i, &req->items[i], &req->pool);
		disp = req->items[i].disp +
		       max_t(u32, (lengths[i] + 3) & ~3U, 4);
	}
	for (i = 0; i < m->plan.nxmts; i++) {
		m->parts[i].length = m->plan.xmts[i].length;
		m->parts[i].hdrlen = m->plan.xmts[i].hdrlen;
		m->parts[i].pslen = m->plan.xmts[i].pslen;
	}
	m->arr = (struct rpcrdma2_arrival){
		.rb = &m->rb, .max_message = 1 << 21,
		.limit = RPCRDMA2_MAX_XMTS, .dir = RDMA2_CALL,
		.count = req->count, .nitems = nitems, .items = req->items,
		.pool = &req->pool, .nparts = 1, .parts = m->parts,
	};
	return true;
}

/**
 * pn_expect_sends - see that each Send is sound by itself
 * @test: running test
 * @m: message that was split
 */
static void pn_expect_sends(struct kunit *test, const struct pn_msg *m)
{
	const struct rpcrdma2_plan_send *xmt;
	u32 i, r, end, payload = 0, run = 0;

	for (i = 0; i < m->plan.nxmts; i++) {
		xmt = &m->plan.xmts[i];
		KUNIT_EXPECT_LE(test, xmt->length, m->to.limit);
		KUNIT_EXPECT_EQ(test, xmt->payload, payload);
		KUNIT_EXPECT_EQ(test, xmt->run, run);
		payload += xmt->pslen;
		end = xmt->hdrlen + xmt->pslen;
		for (r = run; r < run + xmt->nruns; r++) {
			KUNIT_EXPECT_EQ(test, m->plan.runs[r].xnum, i);
			end += rpcrdma2_run_gap(&m->plan, r) +
			       m->plan.runs[r].span.length;
		}
		KUNIT_EXPECT_EQ(test, end, xmt->length);
		run += xmt->nruns;
	}
	KUNIT_EXPECT_EQ(test, run, m->plan.nruns);
}

/**
 * pn_find - find where a byte of an item was sent
 * @m: message that was split
 * @item: the item
 * @from: the byte, from the start of the item
 *
 * Return: the run that it is in, or NULL
 */
static const struct rpcrdma2_run *pn_find(const struct pn_msg *m, u32 item,
					  u32 from)
{
	u32 r;

	for (r = 0; r < m->plan.nruns; r++)
		if (m->plan.runs[r].item == item &&
		    from - m->plan.runs[r].from < m->plan.runs[r].span.length)
			return &m->plan.runs[r];
	return NULL;
}

/**
 * pn_expect_walk - see that a walk finds each byte where it was sent
 * @test: running test
 * @m: message that was received, and found sound
 * @payload: length of its payload stream, in bytes
 */
static void pn_expect_walk(struct kunit *test, const struct pn_msg *m,
			   u32 payload)
{
	const struct rpcrdma2_run *run;
	const struct rpcrdma2_plan_send *xmt;
	struct rpcrdma2_piece piece;
	struct rpcrdma2_walk walk;
	u32 from, stream = 0;
	u64 disp = 0;

	rpcrdma2_walk_begin(&walk, &m->arr);
	while (rpcrdma2_walk_next(&walk, &piece)) {
		KUNIT_EXPECT_EQ(test, piece.disp, disp);
		disp += piece.length;
		xmt = &m->plan.xmts[piece.xnum];
		if (piece.kind == RPCRDMA2_PIECE_PAYLOAD) {
			KUNIT_EXPECT_EQ(test, piece.offset - xmt->hdrlen,
					stream - xmt->payload);
			stream += piece.length;
		} else if (piece.kind == RPCRDMA2_PIECE_PLACED) {
			from = piece.disp - m->req.items[piece.item].disp;
			run = pn_find(m, piece.item, from);
			KUNIT_EXPECT_TRUE(test, run);
			if (!run)
				continue;
			KUNIT_EXPECT_EQ(test, run->xnum, piece.xnum);
			KUNIT_EXPECT_EQ(test, run->span.offset + from - run->from,
					piece.offset);
		}
	}
	KUNIT_EXPECT_EQ(test, stream, payload);
	KUNIT_EXPECT_EQ(test, disp, rpcrdma2_virtual_length(&m->arr));
}

/* What one end splits, the other one finds sound, and finds all of it */
static void pn_there_and_back(struct kunit *test)
{
	struct pn_msg *m = pn_msg_new(test, 768, 16);
	u32 lengths[4], i, n, round, payload, sent = 0, groups = 0;

	pn_seed = 1;
	for (round = 0; round < 6000; round++) {
		pn_receives(m);
		m->to.max_xmts = 1 + pn_random(RPCRDMA2_MAX_XMTS);
		n = pn_random(5);
		for (i = 0; i < n; i++)
			lengths[i] = pn_random(40000) >> pn_random(12);
		payload = 40 + 4 * (pn_random(6000) >> pn_random(8));
		if (!pn_send(m, payload, lengths, n))
			continue;
		sent++;
		groups += m->plan.nxmts > 1;
		KUNIT_EXPECT_LE(test, m->plan.nxmts, m->to.max_xmts);
		pn_expect_sends(test, m);
		KUNIT_EXPECT_TRUE_MSG(test, rpcrdma2_check_lead(&m->arr, &m->req,
								&m->fault),
				      "round %u", round);
		m->arr.nparts = m->arr.count;
		KUNIT_EXPECT_TRUE_MSG(test, rpcrdma2_check_whole(&m->arr, &m->req,
								 &m->fault),
				      "round %u: %u (%u, %u, %u)", round,
				      m->fault.which, m->fault.args[0],
				      m->fault.args[1], m->fault.args[2]);
		pn_expect_walk(test, m, payload);
	}
	KUNIT_EXPECT_GT(test, sent, 3000U);
	KUNIT_EXPECT_GT(test, groups, 1000U);
}

/* Whether data of READs is placed: by the device, unless it has been set */
static void pn_read_max(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rpcrdma2_read_max(0, true), 1048576U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_read_max(0, false), 0U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_read_max(1, true), 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_read_max(65536, true), 65536U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_read_max(65536, false), 65536U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_read_max(U32_MAX, false), 1048576U);
}

static struct kunit_case rpcrdma2_plan_cases[] = {
	KUNIT_CASE(pn_plan_items),
	KUNIT_CASE(pn_plan_payload),
	KUNIT_CASE(pn_plan_limits),
	KUNIT_CASE(pn_plan_cut),
	KUNIT_CASE(pn_plan_split),
	KUNIT_CASE(pn_plan_neighbours),
	KUNIT_CASE(pn_plan_shrinks),
	KUNIT_CASE(pn_payload_xmts),
	KUNIT_CASE(pn_examples),
	KUNIT_CASE(pn_empty),
	KUNIT_CASE(pn_one_limits),
	KUNIT_CASE(pn_joined),
	KUNIT_CASE(pn_plan_msg),
	KUNIT_CASE(pn_read_max),
	KUNIT_CASE(pn_there_and_back),
	{ }
};

static struct kunit_suite rpcrdma2_plan_suite = {
	.name		= "rpcrdma2_plan",
	.test_cases	= rpcrdma2_plan_cases,
};

kunit_test_suite(rpcrdma2_plan_suite);

MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests of how RPC-over-RDMA version 2 messages are sent");
MODULE_LICENSE("GPL");
