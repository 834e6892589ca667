// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of how messages of several transmissions are received.
 *
 * tools/testing/selftests/rpcrdma/unit builds the same file in user space. The
 * state machine is fed with messages as they are on the wire; rows are named
 * by the checklist.
 */

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "../assembly.h"

enum {
	GR_LIMIT	= 4,	/* transmissions of a group that is taken */
	GR_MAX		= 40,	/* longest message that is taken, in bytes */
	GR_EVENTS	= 6,
	GR_WORDS	= 24,
};

static const struct rpcrdma2_limits gr_limits = {
	.max_message		= GR_MAX,
	.max_read_segs		= 4,
	.max_write_chunks	= 4,
	.max_segs		= 4,
	.opttypes		= 0x1fe,
};

/*
 * Section: the state machine
 */

/**
 * struct gr_event - a message, and what has to come of it
 * @words: the message
 * @nwords: how many there are
 * @step: what it is
 * @state: state behind it
 * @which: code of the report, 0 if there is none
 * @args: its arguments
 * @seq: number of the transmission that it is about
 * @lead: xid of the group that was broken, 0 if there was none
 */
struct gr_event {
	u32				words[GR_WORDS];
	u32				nwords;
	enum rpcrdma2_step		step;
	enum rpcrdma2_assembly_state	state;
	u32				which;
	u32				args[3];
	u32				seq;
	u32				lead;
};

/**
 * struct gr_row - messages that arrive one after the other
 * @id: rows of the checklist
 * @events: the messages; one without words is behind the last
 */
struct gr_row {
	const char	*id;
	struct gr_event	events[GR_EVENTS];
};

#define GR_WIRE(...)							\
	.words = { __VA_ARGS__ },					\
	.nwords = sizeof((u32[]){ __VA_ARGS__ }) / sizeof(u32)

/* ROPT_XMTREQ and ROPT_XMTRESP without items; 8 bytes of payload */
#define GR_REQ(xid, count)						\
	GR_WIRE(xid, 2, 32, 5, 0, 5, 20, 0, 0, count, 1, 8, 0, 0)
#define GR_RESP(xid, count)						\
	GR_WIRE(xid, 2, 32, 5, 1, 6, 12, 0, count, 8, 0, 1)
/* ROPT_XMTCONT; 8 bytes of payload */
#define GR_CONT(xid, xnum)						\
	GR_WIRE(xid, 2, 32, 5, 0, 7, 12, xnum, 5, 8, 1, 2)
#define GR_CONT_AS(xid, dir, xnum, itype, pslen)			\
	GR_WIRE(xid, 2, 32, 5, dir, 7, 12, xnum, itype, pslen, 1, 2)

#define GR_IS(_step, _state)						\
	.step = RPCRDMA2_STEP_##_step, .state = RPCRDMA2_ASSEMBLY_##_state
#define GR_SAYS(_which, ...)						\
	.which = OPTRERR_##_which, .args = { __VA_ARGS__ }

#define GR_OPENED(xid, count)	{ GR_REQ(xid, count), GR_IS(HELD, OPEN) }
#define GR_ADDED(xid, xnum)	{ GR_CONT(xid, xnum), GR_IS(HELD, OPEN) }
#define GR_ENDED(xid, xnum)	{ GR_CONT(xid, xnum), GR_IS(WHOLE, IDLE) }
#define GR_IGNORED(xid, xnum)	{ GR_CONT(xid, xnum), GR_IS(DISCARD, DRAIN) }

static const struct gr_row gr_rows[] = {
	{ "C.7 one", { { GR_REQ(7, 1), GR_IS(WHOLE, IDLE) },
		       GR_OPENED(8, 2), GR_ENDED(8, 1) } },
	{ "C.7 four", { GR_OPENED(7, 4), GR_ADDED(7, 1), GR_ADDED(7, 2),
			GR_ENDED(7, 3), GR_OPENED(7, 2), GR_ENDED(7, 1) } },
	{ "C.7 reply", { { GR_RESP(7, 2), GR_IS(HELD, OPEN) },
			 { GR_CONT_AS(7, 1, 1, 6, 8), GR_IS(WHOLE, IDLE) } } },
	{ "C-09 empty", { GR_OPENED(7, 2),
			  { GR_CONT_AS(7, 0, 1, 5, 0), GR_IS(WHOLE, IDLE) } } },
	{ "N-127", { { GR_REQ(7, 0), GR_IS(REPORT, IDLE), GR_SAYS(BADSEQ, 1) },
		     { GR_CONT(7, 1), GR_IS(REPORT, DRAIN), GR_SAYS(BADCONT),
		       .seq = 1 } } },
	{ "N-128", { { GR_REQ(7, 5), GR_IS(REPORT, DRAIN),
		       GR_SAYS(BADSEQ, 4, 5) },
		     GR_IGNORED(7, 1), GR_IGNORED(7, 2),
		     { GR_REQ(8, 1), GR_IS(WHOLE, IDLE) },
		     { GR_CONT(7, 4), GR_IS(REPORT, DRAIN), GR_SAYS(BADCONT),
		       .seq = 4 } } },
	{ "N-131", { { GR_WIRE(7, 2, 32, 5, 0, 5, 20, 0, 0, 2, 1, 4, 7, 0),
		       GR_IS(REPORT, DRAIN), GR_SAYS(BADPL, 4, 8, 8) },
		     GR_IGNORED(7, 1) } },
	{ "N-121", { { GR_WIRE(7, 2, 32, 5, 1, 5, 20, 0, 0, 2, 1, 8, 7, 1),
		       GR_IS(OTHER, DRAIN) },
		     GR_IGNORED(7, 1) } },
	{ "N-121 one", { { GR_WIRE(7, 2, 32, 5, 1, 5, 20, 0, 0, 1, 1, 8, 7, 1),
			   GR_IS(OTHER, IDLE) } } },
	{ "N-123", { { GR_WIRE(7, 2, 32, 5, 0, 5, 20, 9, 0, 1, 1, 8, 7, 0),
		       GR_IS(OTHER, DRAIN) },
		     GR_IGNORED(7, 1) } },
	{ "N-135", { GR_OPENED(7, 4), GR_ADDED(7, 1),
		     { GR_WIRE(7, 2, 32, 5, 0, 7, 12, 2, 5, 28, 0, 0, 0, 0, 0, 0, 0),
		       GR_IS(REPORT, DRAIN), GR_SAYS(BADOFF, 44, 0, 40),
		       .seq = 2, .lead = 7 } } },
	{ "N-181", { { GR_CONT(7, 1), GR_IS(REPORT, DRAIN), GR_SAYS(BADCONT),
		       .seq = 1 },
		     GR_IGNORED(7, 2), GR_IGNORED(9, 1),
		     GR_OPENED(7, 2), GR_ENDED(7, 1) } },
	{ "N-181 cut", { { GR_WIRE(7, 2, 32, 5, 0, 7, 8, 1, 5),
			   GR_IS(BAD_XDR, DRAIN) },
			 GR_IGNORED(7, 2) } },
	{ "N-182", { GR_OPENED(7, 3), GR_ADDED(7, 1),
		     { GR_CONT(8, 2), GR_IS(REPORT, DRAIN),
		       GR_SAYS(BADXID, 7, 8), .seq = 2, .lead = 7 },
		     GR_IGNORED(7, 2) } },
	{ "N-183", { GR_OPENED(7, 2),
		     { GR_CONT_AS(7, 1, 1, 5, 8), GR_IS(REPORT, DRAIN),
		       GR_SAYS(BADXID, 7, 7), .seq = 1, .lead = 7 },
		     GR_IGNORED(7, 1) } },
	{ "N-184 skipped", { GR_OPENED(7, 3),
			     { GR_CONT(7, 2), GR_IS(REPORT, DRAIN),
			       GR_SAYS(BADSEQ, 1, 2), .seq = 2, .lead = 7 } } },
	{ "N-184 repeated", { GR_OPENED(7, 3), GR_ADDED(7, 1),
			      { GR_CONT(7, 1), GR_IS(REPORT, DRAIN),
				GR_SAYS(BADSEQ, 2, 1), .seq = 1, .lead = 7 } } },
	{ "N-184 zero", { GR_OPENED(7, 2),
			  { GR_CONT(7, 0), GR_IS(REPORT, DRAIN),
			    GR_SAYS(BADSEQ, 1, 0), .lead = 7 } } },
	{ "N-184 max", { GR_OPENED(7, 2),
			 { GR_CONT(7, 0xffffffff), GR_IS(REPORT, DRAIN),
			   GR_SAYS(BADSEQ, 1, 0xffffffff), .seq = 0xffffffff,
			   .lead = 7 } } },
	{ "N-185", { GR_OPENED(7, 2),
		     { GR_CONT_AS(7, 0, 1, 6, 8), GR_IS(REPORT, DRAIN),
		       GR_SAYS(BADOMT, 5, 6), .seq = 1, .lead = 7 } } },
	{ "N-185 before BADSEQ", { GR_OPENED(7, 2),
		     { GR_CONT_AS(7, 0, 2, 0, 8), GR_IS(REPORT, DRAIN),
		       GR_SAYS(BADOMT, 5, 0), .seq = 2, .lead = 7 } } },
	{ "N-186 beyond", { GR_OPENED(7, 2),
		     { GR_CONT_AS(7, 0, 1, 5, 12), GR_IS(REPORT, DRAIN),
		       GR_SAYS(BADPL, 12, 0, 8), .seq = 1, .lead = 7 } } },
	{ "N-186 misaligned", { GR_OPENED(7, 2),
		     { GR_CONT_AS(7, 0, 1, 5, 6), GR_IS(REPORT, DRAIN),
		       GR_SAYS(BADPL, 6, 0, 8), .seq = 1, .lead = 7 } } },
	{ "N-186 wraps", { GR_OPENED(7, 2),
		     { GR_CONT_AS(7, 0, 1, 5, 0xfffffffc), GR_IS(REPORT, DRAIN),
		       GR_SAYS(BADPL, 0xfffffffc, 0, 8), .seq = 1, .lead = 7 } } },
	{ "N-187 short", { GR_OPENED(7, 2),
		     { GR_WIRE(7, 2, 32, 5, 0, 7, 8, 1, 5), GR_IS(BAD_XDR, DRAIN) },
		     GR_IGNORED(7, 1) } },
	{ "N-187 long", { GR_OPENED(7, 2),
		     { GR_WIRE(7, 2, 32, 5, 0, 7, 16, 1, 5, 0, 0),
		       GR_IS(BAD_XDR, DRAIN) } } },
	{ "N-187 beyond", { GR_OPENED(7, 2),
		     { GR_WIRE(7, 2, 32, 5, 0, 7, 12, 1, 5),
		       GR_IS(BAD_XDR, DRAIN) } } },
	{ "N-62 direction", { GR_OPENED(7, 2),
		     { GR_CONT_AS(7, 2, 1, 5, 8), GR_IS(BAD_XDR, DRAIN) } } },
	{ "N-61 no type", { GR_OPENED(7, 2),
		     { GR_WIRE(7, 2, 32, 5, 0), GR_IS(BAD_XDR, DRAIN) },
		     GR_IGNORED(7, 1) } },
	{ "N-188 MSG", { GR_OPENED(7, 2),
		     { GR_WIRE(8, 2, 32, 0, 0, 0, 0, 0, 0, 8, 0),
		       GR_IS(OTHER, DRAIN), GR_SAYS(BADHMT, 5, 0), .lead = 7 },
		     GR_IGNORED(7, 1) } },
	{ "N-188 bad MSG", { GR_OPENED(7, 2),
		     { GR_WIRE(8, 2, 32, 0, 2), GR_IS(OTHER, DRAIN),
		       GR_SAYS(BADHMT, 5, 0), .lead = 7 } } },
	{ "N-188 ERROR", { GR_OPENED(7, 2),
		     { GR_WIRE(7, 2, 32, 4, 2), GR_IS(OTHER, DRAIN),
		       GR_SAYS(BADHMT, 5, 4), .lead = 7 } } },
	{ "N-188 unknown", { GR_OPENED(7, 2),
		     { GR_WIRE(8, 2, 32, 9, 0), GR_IS(OTHER, DRAIN),
		       GR_SAYS(BADHMT, 5, 9), .lead = 7 } } },
	{ "N-189 control", { GR_OPENED(7, 2),
		     { GR_WIRE(8, 2, 32, 5, 0, 1, 8, 0, 0), GR_IS(OTHER, DRAIN),
		       GR_SAYS(BADOMT, 7, 1), .lead = 7 },
		     GR_IGNORED(7, 1),
		     { GR_WIRE(8, 2, 32, 5, 0, 1, 8, 0, 0), GR_IS(OTHER, IDLE) } } },
	{ "N-189 unknown", { GR_OPENED(7, 2),
		     { GR_WIRE(8, 2, 32, 5, 0, 99, 0), GR_IS(OTHER, DRAIN),
		       GR_SAYS(BADOMT, 7, 99), .lead = 7 } } },
	{ "N-189 REPTERR", { GR_OPENED(7, 2),
		     { GR_WIRE(8, 2, 32, 5, 0, 8, 20, 8, 1, 0, 0, 3),
		       GR_IS(OTHER, DRAIN), GR_SAYS(BADOMT, 7, 8), .lead = 7 } } },
	{ "N-189 one", { GR_OPENED(7, 2),
		     { GR_REQ(8, 1), GR_IS(WHOLE, DRAIN), GR_SAYS(BADOMT, 7, 5),
		       .lead = 7 },
		     GR_IGNORED(7, 1) } },
	{ "N-189 refused", { GR_OPENED(7, 2),
		     { GR_WIRE(8, 2, 32, 5, 1, 5, 20, 0, 0, 1, 1, 8, 8, 1),
		       GR_IS(OTHER, DRAIN), GR_SAYS(BADOMT, 7, 5), .lead = 7 },
		     GR_IGNORED(7, 1) } },
	{ "N-189 reported", { GR_OPENED(7, 2),
		     { GR_REQ(8, 0), GR_IS(REPORT, DRAIN), GR_SAYS(BADSEQ, 1) },
		     GR_IGNORED(7, 1) } },
	{ "N-193", { GR_OPENED(7, 2),
		     { GR_REQ(8, 2), GR_IS(HELD, OPEN), GR_SAYS(BADOMT, 7, 5),
		       .lead = 7 },
		     { GR_CONT(7, 1), GR_IS(REPORT, DRAIN),
		       GR_SAYS(BADXID, 8, 7), .seq = 1, .lead = 8 },
		     GR_IGNORED(8, 1) } },
	{ "N-195", { GR_OPENED(7, 2), GR_ENDED(7, 1),
		     { GR_CONT(7, 2), GR_IS(REPORT, DRAIN), GR_SAYS(BADCONT),
		       .seq = 2 },
		     GR_IGNORED(7, 3) } },
	{ "N-196", { GR_OPENED(7, 4),
		     { GR_CONT(7, 2), GR_IS(REPORT, DRAIN),
		       GR_SAYS(BADSEQ, 1, 2), .seq = 2, .lead = 7 },
		     GR_IGNORED(7, 2), GR_IGNORED(7, 3), GR_OPENED(7, 2),
		     GR_ENDED(7, 1) } },
	{ "N-197", { GR_OPENED(7, 2),
		     { GR_WIRE(7, 3, 32, 5, 0, 7, 12, 1, 5, 8, 0, 0),
		       GR_IS(OTHER, OPEN) },
		     { GR_WIRE(7, 1, 32, 4, 1, 1, 1), GR_IS(OTHER, OPEN) },
		     GR_ENDED(7, 1) } },
	{ "DRAIN vers", { { GR_CONT(7, 1), GR_IS(REPORT, DRAIN),
			    GR_SAYS(BADCONT), .seq = 1 },
			  { GR_WIRE(7, 3, 32, 5, 0, 7), GR_IS(OTHER, DRAIN) },
			  GR_IGNORED(7, 1) } },
};

static void gr_row_desc(const struct gr_row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", row->id);
}

KUNIT_ARRAY_PARAM(gr_rows, gr_rows, gr_row_desc);

/**
 * struct gr_end - an end of a connection that receives
 * @group: what is tested
 * @rb: structure of its Receives
 * @parts: of the open group
 * @fault: last report
 * @req: last request
 * @resp: last response
 */
struct gr_end {
	struct rpcrdma2_assembly		group;
	struct rpcrdma2_rbstruct	rb;
	struct rpcrdma2_part		parts[RPCRDMA2_MAX_XMTS];
	struct rpcrdma2_repterr		fault;
	struct rpcrdma2_xmtreq		req;
	struct rpcrdma2_xmtresp		resp;
};

/**
 * gr_judge - judge an initial transmission
 * @end: end that receives
 * @buf: received bytes
 * @msg: message decoded from them
 *
 * Return: what it is
 */
static enum rpcrdma2_step gr_judge(struct gr_end *end, const u8 *buf,
				   const struct rpcrdma2_msg *msg)
{
	bool call = msg->opt.type == ROPT_XMTREQ;
	struct rpcrdma2_arrival arr = {
		.rb = &end->rb, .max_message = GR_MAX, .limit = GR_LIMIT,
		.dir = msg->dir, .nparts = 1, .parts = end->parts,
		.items = end->req.items, .pool = &end->req.pool,
	};
	struct rpcrdma2_repterr fault = { };
	enum rpcrdma2_step step;
	int ret;

	ret = call ? rpcrdma2_decode_xmtreq(buf, msg, &end->req) :
		     rpcrdma2_decode_xmtresp(buf, msg, &end->resp);
	arr.count = call ? end->req.count : end->resp.count;
	if (ret || msg->verdict != RPCRDMA2_OK) {
		rpcrdma2_assembly_refuse(&end->group, arr.count);
		return RPCRDMA2_STEP_OTHER;
	}
	end->parts[0].length = msg->length;
	end->parts[0].hdrlen = msg->hdrlen;
	end->parts[0].pslen = call ? end->req.pslen : end->resp.pslen;
	step = rpcrdma2_assembly_lead(&end->group, msg, &arr,
				      call ? &end->req : NULL, end->parts,
				      &fault);
	if (fault.which)
		end->fault = fault;
	return step;
}

/**
 * gr_receive - receive a message
 * @end: end that receives; gets the report
 * @buf: received bytes
 * @length: how many
 *
 * Return: what it is
 */
static enum rpcrdma2_step gr_receive(struct gr_end *end, const u8 *buf,
				     u32 length)
{
	enum rpcrdma2_step step;
	struct rpcrdma2_msg msg;

	rpcrdma2_decode(buf, length, &gr_limits, &msg);
	step = rpcrdma2_assembly_step(&end->group, buf, &msg, &end->fault);
	if (step == RPCRDMA2_STEP_OTHER && msg.proc == RDMA2_OPTIONAL &&
	    msg.vers == RPCRDMA2_VERSION && msg.opt.info_off &&
	    (msg.opt.type == ROPT_XMTREQ || msg.opt.type == ROPT_XMTRESP))
		step = gr_judge(end, buf, &msg);
	return step;
}

/**
 * gr_bytes - put words in memory of just their length
 * @test: running test
 * @words: the words
 * @nwords: how many
 *
 * Return: the memory
 */
static u8 *gr_bytes(struct kunit *test, const u32 *words, u32 nwords)
{
	u8 *buf = kunit_kzalloc(test, nwords * 4, GFP_KERNEL);
	u32 i;

	for (i = 0; i < nwords; i++)
		put_unaligned_be32(words[i], buf + i * 4);
	return buf;
}

/**
 * gr_expect - compare what came of a message
 * @test: running test
 * @id: of its row
 * @end: end that has received it
 * @ev: the message
 */
static void gr_expect(struct kunit *test, const char *id,
		      const struct gr_end *end, const struct gr_event *ev)
{
	const struct rpcrdma2_repterr *fault = &end->fault;

	KUNIT_EXPECT_EQ_MSG(test, end->group.state, ev->state, "%s state", id);
	KUNIT_EXPECT_EQ_MSG(test, fault->which, ev->which, "%s code", id);
	if (!ev->which)
		return;
	KUNIT_EXPECT_EQ_MSG(test, fault->args[0], ev->args[0], "%s", id);
	KUNIT_EXPECT_EQ_MSG(test, fault->args[1], ev->args[1], "%s", id);
	KUNIT_EXPECT_EQ_MSG(test, fault->args[2], ev->args[2], "%s", id);
	KUNIT_EXPECT_EQ_MSG(test, be32_to_cpu(fault->bad.xid), ev->words[0],
			    "%s xid", id);
	KUNIT_EXPECT_EQ_MSG(test, fault->bad.seq, ev->seq, "%s seq", id);
	KUNIT_EXPECT_LE(test, fault->bad.dir, RDMA2_REPLY);
	KUNIT_EXPECT_EQ_MSG(test, fault->has_lead, !!ev->lead, "%s lead", id);
	if (ev->lead)
		KUNIT_EXPECT_EQ_MSG(test, be32_to_cpu(fault->lead.xid),
				    ev->lead, "%s lead", id);
}

/* C.7 and D.7, row by row */
static void gr_machine(struct kunit *test)
{
	struct gr_end *end = kunit_kzalloc(test, sizeof(*end), GFP_KERNEL);
	const struct gr_row *row = test->param_value;
	const struct gr_event *ev;
	enum rpcrdma2_step step;
	u8 *buf;

	for (ev = row->events;
	     ev < row->events + GR_EVENTS && ev->nwords; ev++) {
		buf = gr_bytes(test, ev->words, ev->nwords);
		step = gr_receive(end, buf, ev->nwords * 4);
		KUNIT_EXPECT_EQ_MSG(test, step, ev->step, "%s", row->id);
		gr_expect(test, row->id, end, ev);
	}
}

/**
 * gr_open - open a group of two
 * @test: running test
 *
 * Return: the end that has received its first transmission
 */
static struct gr_end *gr_open(struct kunit *test)
{
	struct gr_end *end = kunit_kzalloc(test, sizeof(*end), GFP_KERNEL);
	const struct gr_event ev = { GR_REQ(7, 2) };

	KUNIT_EXPECT_EQ(test, gr_receive(end, gr_bytes(test, ev.words,
						       ev.nwords),
					 ev.nwords * 4),
			RPCRDMA2_STEP_HELD);
	return end;
}

/* S-12, A-93: a group that is given up */
static void gr_given_up(struct kunit *test)
{
	const struct gr_event cont = { GR_CONT(7, 1) };
	struct gr_end *end = gr_open(test);

	rpcrdma2_assembly_drop(&end->group);
	KUNIT_EXPECT_EQ(test, gr_receive(end, gr_bytes(test, cont.words,
						       cont.nwords),
					 cont.nwords * 4),
			RPCRDMA2_STEP_DISCARD);
	/* what is not open is not dropped */
	memset(&end->group, 0, sizeof(end->group));
	rpcrdma2_assembly_drop(&end->group);
	KUNIT_EXPECT_EQ(test, end->group.state, RPCRDMA2_ASSEMBLY_IDLE);
}

static struct kunit_case rpcrdma2_group_cases[] = {
	KUNIT_CASE_PARAM(gr_machine, gr_rows_gen_params),
	KUNIT_CASE(gr_given_up),
	{ }
};

static struct kunit_suite rpcrdma2_group_suite = {
	.name		= "rpcrdma2_assembly",
	.test_cases	= rpcrdma2_group_cases,
};

kunit_test_suite(rpcrdma2_group_suite);

MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests of RPC-over-RDMA version 2 groups");
MODULE_LICENSE("GPL");
