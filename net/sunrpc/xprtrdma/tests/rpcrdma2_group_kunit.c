// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of messages that take several transmissions.
 *
 * tools/testing/selftests/rpcrdma/unit builds the same file in user space. The
 * state machine is fed with messages as they are on the wire; rows are named
 * by the checklist. What the planner splits goes through the receiver's checks
 * and is put together again.
 */

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "../rpcrdma2_group.h"

enum {
	GR_PAGE		= 4096,
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
	enum rpcrdma2_group_state	state;
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
	.step = RPCRDMA2_STEP_##_step, .state = RPCRDMA2_GROUP_##_state
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
	struct rpcrdma2_group		group;
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
		rpcrdma2_group_refuse(&end->group, arr.count);
		return RPCRDMA2_STEP_OTHER;
	}
	end->parts[0].length = msg->length;
	end->parts[0].hdrlen = msg->hdrlen;
	end->parts[0].pslen = call ? end->req.pslen : end->resp.pslen;
	step = rpcrdma2_group_lead(&end->group, msg, &arr,
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
	step = rpcrdma2_group_step(&end->group, buf, &msg, &end->fault);
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

	rpcrdma2_group_drop(&end->group);
	KUNIT_EXPECT_EQ(test, gr_receive(end, gr_bytes(test, cont.words,
						       cont.nwords),
					 cont.nwords * 4),
			RPCRDMA2_STEP_DISCARD);
	/* what is not open is not dropped */
	memset(&end->group, 0, sizeof(end->group));
	rpcrdma2_group_drop(&end->group);
	KUNIT_EXPECT_EQ(test, end->group.state, RPCRDMA2_GROUP_IDLE);
}

/*
 * Section: the planner
 */

/**
 * struct gr_msg - a message on its way
 * @to: where it goes
 * @rb: structure of the Receives there
 * @plan: how it is sent
 * @req: its header
 * @parts: what arrived
 * @arr: all that
 * @fault: what is wrong with it
 */
struct gr_msg {
	struct rpcrdma2_dest		to;
	struct rpcrdma2_rbstruct	rb;
	struct rpcrdma2_plan		plan;
	struct rpcrdma2_xmtreq		req;
	struct rpcrdma2_part		parts[RPCRDMA2_MAX_XMTS];
	struct rpcrdma2_arrival		arr;
	struct rpcrdma2_repterr		fault;
};

/**
 * gr_msg_new - make a message to Receives like ours
 * @test: running test
 * @head: length of their head segment, in bytes
 * @pages: how many pages they have
 *
 * Return: the message
 */
static struct gr_msg *gr_msg_new(struct kunit *test, u32 head, u32 pages)
{
	struct gr_msg *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	rpcrdma2_rbstruct_make(&m->rb, head, pages, GR_PAGE);
	m->to.rb = &m->rb;
	m->to.limit = m->rb.length;
	m->to.max_xmts = RPCRDMA2_MAX_XMTS;
	return m;
}

/**
 * gr_plan - plan a message that has one item
 * @m: message
 * @front: header and payload, in bytes, 80 of them payload
 * @length: length of the item, in bytes
 *
 * Return: transmissions that it takes; 0 if it does not fit
 */
static u32 gr_plan(struct gr_msg *m, u32 front, u32 length)
{
	return rpcrdma2_plan(&m->plan, &m->to, front - 80, 80, &length, 1) ?
	       m->plan.nxmts : 0;
}

/* How many transmissions data takes, by hand */
static void gr_plan_items(struct kunit *test)
{
	struct gr_msg *m = gr_msg_new(test, 768, 16);

	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 65536), 1U);
	KUNIT_EXPECT_EQ(test, m->plan.nruns, 1U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].hdrlen, 320 + 16 * 4U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].pslen, 80U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].length, 768 + 65536U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 0), 768 - 464U);

	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 65537), 2U);
	KUNIT_EXPECT_EQ(test, m->plan.nruns, 2U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].from, 65536U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].tbsn, 16U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].count, 1U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[1].hdrlen, RPCRDMA2_CONT_SIZE);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[1].pslen, 0U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[1].length, 768 + 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 1), 768 - 40U);

	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 262144), 4U);
	/* 256 numbers push the payload over the end of the head segment */
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 1048576), 17U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[0].tbsn, 1U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[16].length, 768 + 4096U);
	/* and more than that there cannot be */
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 1048577), 0U);
}

/* How many transmissions a payload takes, by hand */
static void gr_plan_payload(struct kunit *test)
{
	struct gr_msg *m = gr_msg_new(test, 4096, 0);

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
static void gr_plan_limits(struct kunit *test)
{
	struct gr_msg *m = gr_msg_new(test, 768, 2);

	/* transmissions */
	m->to.max_xmts = 3;
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 3 * 8192), 3U);
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 3 * 8192 + 1), 0U);
	m->to.max_xmts = 1000;
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 32 * 8192), 32U);
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 32 * 8192 + 1), 0U);
	m->to.max_xmts = 1;
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 8192), 1U);
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 8193), 0U);
	m->to.max_xmts = 0;
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 1), 0U);
	/* the beginning of the payload goes with the header */
	m->to.max_xmts = 4;
	KUNIT_EXPECT_EQ(test, gr_plan(m, m->to.limit + 80 - 8, 0), 2U);
	KUNIT_EXPECT_EQ(test, gr_plan(m, m->to.limit + 80 - 4, 0), 0U);
	KUNIT_EXPECT_EQ(test, gr_plan(m, m->to.limit + 80 + 4, 0), 0U);
	/* Receives too short for a ROPT_XMTCONT */
	m->to.limit = 40;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_plan(&m->plan, &m->to, 20, 20, NULL, 0));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_plan(&m->plan, &m->to, 20, 24, NULL,
					       0));
	/* nothing that can be aimed at */
	m->to.limit = m->rb.length;
	m->rb.groups[1].flags = 0;
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 4), 0U);
}

/* where the peer's Receives end within a segment */
static void gr_plan_cut(struct kunit *test)
{
	struct gr_msg *m = gr_msg_new(test, 768, 2);

	m->to.limit = 768 + 4096 + 100;
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 4096 + 100), 1U);
	/* the second segment cannot be filled */
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 4096 + 101), 2U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].tbsn, 2U);
	m->to.limit = 768 + 100;
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 100), 1U);
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 101), 0U);
}

/* Segments with something between them */
static void gr_plan_split(struct kunit *test)
{
	struct gr_msg *m = gr_msg_new(test, 768, 2);

	m->rb.ngroups = 4;
	m->rb.groups[2] = m->rb.groups[0];
	m->rb.groups[3] = m->rb.groups[1];
	m->to.limit = 2 * m->rb.length;
	KUNIT_EXPECT_EQ(test, gr_plan(m, 400, 5 * 4096), 2U);
	KUNIT_EXPECT_EQ(test, m->plan.nruns, 3U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].tbsn, 2U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[1].xnum, 0U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 1), 768U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[2].tbsn, 4U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[2].from, 4 * 4096U);
}

/* Items that fill their segments are kept apart */
static void gr_plan_neighbours(struct kunit *test)
{
	struct gr_msg *m = gr_msg_new(test, 768, 4);
	u32 lengths[RPCRDMA2_MAX_MITEMS + 1] = { GR_PAGE, 0, GR_PAGE };

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
static void gr_plan_shrinks(struct kunit *test)
{
	struct gr_msg *m = gr_msg_new(test, 400, 2);

	m->rb.ngroups = 3;
	m->rb.groups[2] = m->rb.groups[1];
	m->rb.groups[1].count = 1;
	m->rb.groups[1].length = 256;
	m->to.limit = 400 + 256 + 2 * GR_PAGE;
	KUNIT_EXPECT_EQ(test, gr_plan(m, 392, GR_PAGE), 1U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].hdrlen, 392 - 80 + 2 * 4U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[0].tbsn, 0U);
	KUNIT_EXPECT_EQ(test, gr_plan(m, 396, GR_PAGE), 1U);
	KUNIT_EXPECT_EQ(test, m->plan.xmts[0].hdrlen, 396 - 80 + 4U);
	KUNIT_EXPECT_EQ(test, m->plan.runs[0].tbsn, 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_run_gap(&m->plan, 0), 256U);
}

/* The number without the plan */
static void gr_payload_xmts(struct kunit *test)
{
	struct gr_msg *m = gr_msg_new(test, 4096, 0);
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

static u32 gr_seed;

/**
 * gr_random - take a number by chance
 * @n: how many there are to choose from
 *
 * Return: a number less than @n
 */
static u32 gr_random(u32 n)
{
	gr_seed = gr_seed * 1664525 + 1013904223;
	return (gr_seed >> 8) % n;
}

/**
 * gr_receives - make up how Receives are made
 * @m: message; gets what it goes to
 */
static void gr_receives(struct gr_msg *m)
{
	rpcrdma2_rbstruct_make(&m->rb, 512 + 4 * gr_random(900), gr_random(9),
			       GR_PAGE);
	m->to.limit = m->rb.length;
	if (!gr_random(3)) {
		m->rb.ngroups = 4;
		m->rb.groups[2] = m->rb.groups[0];
		m->rb.groups[3] = m->rb.groups[1];
		m->rb.groups[3].length = 1024;
		m->to.limit *= 2;
	}
	if (!gr_random(3))
		m->to.limit = 512 + gr_random(m->to.limit - 511);
}

/**
 * gr_send - split a message and describe its arrival
 * @m: message that knows what it goes to
 * @payload: length of its payload stream, in bytes
 * @lengths: lengths of its items, in bytes
 * @nitems: how many
 *
 * Return: %false if it does not fit
 */
static bool gr_send(struct gr_msg *m, u32 payload, const u32 *lengths,
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
		req->items[i].disp = disp + 4 * gr_random(payload / nitems / 4);
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
 * gr_expect_sends - see that each Send is sound by itself
 * @test: running test
 * @m: message that was split
 */
static void gr_expect_sends(struct kunit *test, const struct gr_msg *m)
{
	const struct rpcrdma2_xmt *xmt;
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
 * gr_find - find where a byte of an item was sent
 * @m: message that was split
 * @item: the item
 * @from: the byte, from the start of the item
 *
 * Return: the run that it is in, or NULL
 */
static const struct rpcrdma2_run *gr_find(const struct gr_msg *m, u32 item,
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
 * gr_expect_walk - see that a walk finds each byte where it was sent
 * @test: running test
 * @m: message that was received, and found sound
 * @payload: length of its payload stream, in bytes
 */
static void gr_expect_walk(struct kunit *test, const struct gr_msg *m,
			   u32 payload)
{
	const struct rpcrdma2_run *run;
	const struct rpcrdma2_xmt *xmt;
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
			run = gr_find(m, piece.item, from);
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
static void gr_there_and_back(struct kunit *test)
{
	struct gr_msg *m = gr_msg_new(test, 768, 16);
	u32 lengths[4], i, n, round, payload, sent = 0, groups = 0;

	gr_seed = 1;
	for (round = 0; round < 6000; round++) {
		gr_receives(m);
		m->to.max_xmts = 1 + gr_random(RPCRDMA2_MAX_XMTS);
		n = gr_random(5);
		for (i = 0; i < n; i++)
			lengths[i] = gr_random(40000) >> gr_random(12);
		payload = 40 + 4 * (gr_random(6000) >> gr_random(8));
		if (!gr_send(m, payload, lengths, n))
			continue;
		sent++;
		groups += m->plan.nxmts > 1;
		KUNIT_EXPECT_LE(test, m->plan.nxmts, m->to.max_xmts);
		gr_expect_sends(test, m);
		KUNIT_EXPECT_TRUE_MSG(test, rpcrdma2_check_lead(&m->arr, &m->req,
								&m->fault),
				      "round %u", round);
		m->arr.nparts = m->arr.count;
		KUNIT_EXPECT_TRUE_MSG(test, rpcrdma2_check_whole(&m->arr, &m->req,
								 &m->fault),
				      "round %u: %u (%u, %u, %u)", round,
				      m->fault.which, m->fault.args[0],
				      m->fault.args[1], m->fault.args[2]);
		gr_expect_walk(test, m, payload);
	}
	KUNIT_EXPECT_GT(test, sent, 3000U);
	KUNIT_EXPECT_GT(test, groups, 1000U);
}

static struct kunit_case rpcrdma2_group_cases[] = {
	KUNIT_CASE_PARAM(gr_machine, gr_rows_gen_params),
	KUNIT_CASE(gr_given_up),
	KUNIT_CASE(gr_plan_items),
	KUNIT_CASE(gr_plan_payload),
	KUNIT_CASE(gr_plan_limits),
	KUNIT_CASE(gr_plan_cut),
	KUNIT_CASE(gr_plan_split),
	KUNIT_CASE(gr_plan_neighbours),
	KUNIT_CASE(gr_plan_shrinks),
	KUNIT_CASE(gr_payload_xmts),
	KUNIT_CASE(gr_there_and_back),
	{ }
};

static struct kunit_suite rpcrdma2_group_suite = {
	.name		= "rpcrdma2_group",
	.test_cases	= rpcrdma2_group_cases,
};

kunit_test_suite(rpcrdma2_group_suite);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("KUnit tests of RPC-over-RDMA version 2 groups");
MODULE_LICENSE("GPL");
