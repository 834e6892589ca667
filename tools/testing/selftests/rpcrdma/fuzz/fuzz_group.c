// SPDX-License-Identifier: GPL-2.0
/*
 * The part of the libFuzzer target that receives messages of several
 * transmissions: whatever arrives, and in whatever order, the state machine
 * holds on to no more than it says, reports what it refuses, and of a message
 * that is complete each byte was received, and is used once.
 *
 * The input is a row of Sends of FUZZ_XMT bytes.
 */

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "rpcrdma2_group.h"

#define LIMIT	4

static const struct rpcrdma2_limits limits = {
	.max_message = 1 << 12, .max_read_segs = 8, .max_write_chunks = 8,
	.max_segs = 8, .opttypes = 0x1fe,
};

/**
 * struct end - an end that receives
 * @grp: what is tested
 * @rb: structure of its Receives
 * @sends: the Sends of the group that is open, or was completed last
 * @parts: the same, described
 * @arr: the message
 * @req: its header, if it is a request
 * @resp: likewise, if it is a response
 */
struct end {
	struct rpcrdma2_group		grp;
	struct rpcrdma2_rbstruct	rb;
	const u8			*sends[LIMIT];
	struct rpcrdma2_part		parts[LIMIT];
	struct rpcrdma2_arrival		arr;
	struct rpcrdma2_xmtreq		req;
	struct rpcrdma2_xmtresp		resp;
};

/**
 * check_report - a report can be sent
 * @fault: the report
 */
static void check_report(const struct rpcrdma2_repterr *fault)
{
	const struct rpcrdma2_hdr hdr = { .xid = fault->bad.xid };
	struct rpcrdma2_repterr again;
	struct rpcrdma2_msg msg;
	u8 buf[256];
	int len;

	len = rpcrdma2_encode_repterr(buf, sizeof(buf), &hdr, fault);
	require(len > 0, "a report can be written");
	require(rpcrdma2_decode(buf, len, &limits, &msg) == RPCRDMA2_OK &&
		!rpcrdma2_decode_repterr(buf, &msg, &again), "a report parses");
	require(again.which == fault->which && again.bad.seq == fault->bad.seq,
		"a report says what was meant");
}

/**
 * check_whole - go through a message that is complete
 * @end: end that has received it
 */
static void check_whole(struct end *end)
{
	static u8 seen[LIMIT][FUZZ_XMT];
	bool call = end->arr.dir == RDMA2_CALL;
	struct rpcrdma2_repterr fault = { 0 };
	const struct rpcrdma2_part *part;
	struct rpcrdma2_piece piece;
	struct rpcrdma2_walk walk;
	u64 disp = 0;
	u32 i;

	end->arr.nparts = end->arr.count;
	if (!rpcrdma2_check_whole(&end->arr, call ? &end->req : NULL, &fault)) {
		require(fault.which && fault.nargs, "a fault has a code");
		return;
	}
	memset(seen, 0, sizeof(seen));
	rpcrdma2_walk_begin(&walk, &end->arr);
	while (rpcrdma2_walk_next(&walk, &piece)) {
		require(piece.length && piece.disp == disp, "pieces follow each other");
		disp += piece.length;
		if (piece.kind != RPCRDMA2_PIECE_PAYLOAD && piece.kind != RPCRDMA2_PIECE_PLACED)
			continue;
		require(piece.xnum < end->arr.count, "pieces are of this message");
		part = &end->parts[piece.xnum];
		require(piece.offset >= part->hdrlen && piece.offset <= part->length &&
			piece.length <= part->length - piece.offset, "pieces were received");
		for (i = 0; i < piece.length; i++)
			require(!seen[piece.xnum][piece.offset + i]++, "bytes are used once");
	}
	require(disp == rpcrdma2_virtual_length(&end->arr), "pieces are the whole message");
	require(disp <= end->arr.max_message, "the message is not too long");
}

/**
 * judge - look at an initial transmission
 * @end: end that receives
 * @buf: the Send
 * @msg: what was decoded of it
 * @fault: gets what is wrong
 *
 * Return: what it is
 */
static enum rpcrdma2_step judge(struct end *end, const u8 *buf,
				const struct rpcrdma2_msg *msg,
				struct rpcrdma2_repterr *fault)
{
	bool call = msg->opt.type == ROPT_XMTREQ;
	u32 count;
	int ret;

	ret = call ? rpcrdma2_decode_xmtreq(buf, msg, &end->req) :
		     rpcrdma2_decode_xmtresp(buf, msg, &end->resp);
	count = call ? end->req.count : end->resp.count;
	if (ret || msg->verdict != RPCRDMA2_OK) {
		rpcrdma2_group_refuse(&end->grp, count);
		return RPCRDMA2_STEP_OTHER;
	}
	end->sends[0] = buf;
	end->parts[0] = (struct rpcrdma2_part){
		.length = msg->length, .hdrlen = msg->hdrlen,
		.pslen = call ? end->req.pslen : end->resp.pslen,
	};
	end->arr = (struct rpcrdma2_arrival){
		.rb = &end->rb, .max_message = limits.max_message,
		.limit = LIMIT, .dir = msg->dir, .count = count,
		.nitems = call ? end->req.nitems : end->resp.nitems,
		.items = call ? end->req.items : end->resp.items,
		.pool = call ? &end->req.pool : &end->resp.pool,
		.nparts = 1, .parts = end->parts,
	};
	return rpcrdma2_group_lead(&end->grp, msg, &end->arr,
				   call ? &end->req : NULL, end->parts, fault);
}

/**
 * receive - receive a Send
 * @end: end that receives
 * @buf: the Send
 */
static void receive(struct end *end, const u8 *buf)
{
	bool was_open = rpcrdma2_group_is_open(&end->grp);
	struct rpcrdma2_repterr fault;
	struct rpcrdma2_msg msg;
	enum rpcrdma2_step step;

	rpcrdma2_decode(buf, FUZZ_XMT, &limits, &msg);
	step = rpcrdma2_group_step(&end->grp, buf, &msg, &fault);
	require(!fault.which || step == RPCRDMA2_STEP_REPORT ||
		(step == RPCRDMA2_STEP_OTHER && was_open), "a report has a reason");
	if (fault.which)
		check_report(&fault);
	if (step == RPCRDMA2_STEP_OTHER && msg.vers == RPCRDMA2_VERSION &&
	    msg.proc == RDMA2_OPTIONAL && msg.opt.info_off &&
	    (msg.opt.type == ROPT_XMTREQ || msg.opt.type == ROPT_XMTRESP)) {
		memset(&fault, 0, sizeof(fault));
		step = judge(end, buf, &msg, &fault);
		if (step == RPCRDMA2_STEP_REPORT)
			check_report(&fault);
	}
	require(step != RPCRDMA2_STEP_REPORT || fault.which, "a fault has a code");
	require((step == RPCRDMA2_STEP_HELD) <= rpcrdma2_group_is_open(&end->grp),
		"what is held is of a group");
	if (rpcrdma2_group_is_open(&end->grp))
		require(end->grp.next && end->grp.next < end->grp.count &&
			end->grp.count <= LIMIT && end->grp.length <= limits.max_message + FUZZ_XMT,
			"a group is bounded");
	if (step == RPCRDMA2_STEP_WHOLE)
		check_whole(end);
}

/**
 * fuzz_groups - receive a row of Sends
 * @data: the Sends
 * @size: how many bytes there are
 */
void fuzz_groups(const u8 *data, size_t size)
{
	static struct end end;
	size_t at;

	memset(&end.grp, 0, sizeof(end.grp));
	rpcrdma2_rbstruct_make(&end.rb, FUZZ_XMT - 32, 2, 16);
	for (at = 0; at + FUZZ_XMT <= size; at += FUZZ_XMT)
		receive(&end, data + at);
}
