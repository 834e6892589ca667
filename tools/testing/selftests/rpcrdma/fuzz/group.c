// SPDX-License-Identifier: GPL-2.0
/*
 * Reassembly of messages of several transmissions: whatever arrives, and in
 * whatever order, the state machine holds on to no more than it says, reports what
 * it refuses, once, and of a message that is complete each byte was received, and is
 * used once. Sends are made of fields, or are bytes as they come; between them groups
 * are given up, and connections made anew.
 */

#include <stdlib.h>
#include <string.h>
#include <linux/unaligned.h>

#include "fuzz.h"
#include "assembly.h"
#include "whole.h"

enum {
	GR_LIMIT	= 4,
	GR_MAX_SEND	= 255,
};

static const struct rpcrdma2_limits limits = {
	.max_message = 200, .max_read_segs = 8, .max_write_chunks = 8,
	.max_segs = 8, .opttypes = 0x1fe,
};

/**
 * struct end - an end that receives
 * @grp: what is tested
 * @rb: structure of its Receives
 * @discards: more of something that was refused may come, and is no news
 * @xid: xid of the group that is open
 * @dir: its direction
 * @held: transmissions of it that are here
 * @parts: these
 * @arr: the message
 * @req: its header, if it is a request
 * @resp: likewise, if it is a response
 */
struct end {
	struct rpcrdma2_assembly		grp;
	struct rpcrdma2_rbstruct	rb;
	bool				discards;
	u32				xid;
	u32				dir;
	u32				held;
	struct rpcrdma2_part		parts[GR_LIMIT];
	struct rpcrdma2_arrival		arr;
	struct rpcrdma2_xmtreq		req;
	struct rpcrdma2_xmtresp		resp;
};

/**
 * check_report - a report can be sent, and read
 * @fault: the report
 */
static void check_report(const struct rpcrdma2_repterr *fault)
{
	const struct rpcrdma2_hdr hdr = { .xid = fault->bad.xid };
	struct rpcrdma2_repterr again;
	struct rpcrdma2_msg msg;
	u8 buf[256];
	int len;

	trace("  report %u, has lead %u", fault->which, fault->has_lead);
	len = rpcrdma2_encode_repterr(buf, sizeof(buf), &hdr, fault);
	require(len > 0, "a report can be written");
	require(rpcrdma2_decode(buf, len, &limits, &msg) == RPCRDMA2_OK &&
		!rpcrdma2_decode_repterr(buf, &msg, &again), "a report parses");
	require(!memcmp(&again, fault, sizeof(again)), "a report says what was meant");
}

/**
 * is_lead - does a message begin something?
 * @msg: the message
 *
 * Return: %true if so, and it parses as far as that
 */
static bool is_lead(const struct rpcrdma2_msg *msg)
{
	return msg->vers == RPCRDMA2_VERSION && msg->proc == RDMA2_OPTIONAL &&
	       msg->opt.info_off &&
	       (msg->opt.type == ROPT_XMTREQ || msg->opt.type == ROPT_XMTRESP);
}

/**
 * is_cont - is a message meant to continue something?
 * @msg: the message
 *
 * Return: %true if so
 */
static bool is_cont(const struct rpcrdma2_msg *msg)
{
	return msg->vers == RPCRDMA2_VERSION && msg->proc == RDMA2_OPTIONAL &&
	       msg->opt.typed && msg->opt.type == ROPT_XMTCONT;
}

/**
 * judge - look at an initial transmission
 * @end: end that receives
 * @buf: the Send
 * @msg: what was decoded of it
 *
 * Return: what it is
 */
static enum rpcrdma2_step judge(struct end *end, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	bool call = msg->opt.type == ROPT_XMTREQ;
	struct rpcrdma2_repterr fault = { };
	enum rpcrdma2_step step;
	u32 count;
	int ret;

	ret = call ? rpcrdma2_decode_xmtreq(buf, msg, &end->req) :
		     rpcrdma2_decode_xmtresp(buf, msg, &end->resp);
	count = call ? end->req.count : end->resp.count;
	if (ret || msg->verdict != RPCRDMA2_OK) {
		rpcrdma2_assembly_refuse(&end->grp, count);
		end->discards |= count != 1;
		return RPCRDMA2_STEP_OTHER;
	}
	end->parts[0] = (struct rpcrdma2_part){
		msg->length, msg->hdrlen, call ? end->req.pslen : end->resp.pslen,
	};
	end->arr = (struct rpcrdma2_arrival){
		.rb = &end->rb, .max_message = limits.max_message,
		.limit = GR_LIMIT, .dir = msg->dir, .count = count,
		.nitems = call ? end->req.nitems : end->resp.nitems,
		.items = call ? end->req.items : end->resp.items,
		.pool = call ? &end->req.pool : &end->resp.pool,
		.nparts = 1, .parts = end->parts,
	};
	step = rpcrdma2_assembly_lead(&end->grp, msg, &end->arr, call ? &end->req : NULL,
				      end->parts, &fault);
	if (step == RPCRDMA2_STEP_REPORT) {
		check_report(&fault);
		require(!fault.has_lead && fault.bad.xid == msg->xid, "a lead is blamed itself");
		end->discards |= count > 1;
	}
	return step;
}

/**
 * check_cont - see what was made of a ROPT_XMTCONT
 * @end: end that received it
 * @open: a group was open before
 * @step: what it was found to be
 *
 * Without a group it is reported, unless it is more of what was refused.
 */
static void check_cont(struct end *end, bool open, enum rpcrdma2_step step)
{
	if (!open) {
		require((step == RPCRDMA2_STEP_DISCARD) == end->discards,
			"more of what was refused is no news, all else is");
		require(step == RPCRDMA2_STEP_DISCARD || step == RPCRDMA2_STEP_REPORT ||
			step == RPCRDMA2_STEP_BAD_XDR, "nothing continues nothing");
	}
	if (step == RPCRDMA2_STEP_REPORT || step == RPCRDMA2_STEP_BAD_XDR)
		end->discards = true;
}

/**
 * check_held - a transmission belongs to the group
 * @end: end that received it
 * @buf: the Send
 * @msg: its header
 */
static void check_held(struct end *end, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	require(get_unaligned_be32(buf) == end->xid && msg->dir == end->dir,
		"a group is of one message");
	require(get_unaligned_be32(buf + RPCRDMA2_OPT_SIZE) == end->held,
		"a group is in order");
	end->held++;
}

/**
 * check_state - what is held is bounded, and of one group
 * @end: end that has received something
 */
static void check_state(const struct end *end)
{
	const struct rpcrdma2_assembly *grp = &end->grp;

	if (!rpcrdma2_assembly_is_open(grp)) {
		require((grp->state == RPCRDMA2_ASSEMBLY_DRAIN) == end->discards,
			"it is known what is discarded");
		return;
	}
	require(grp->next == end->held && grp->next && grp->next < grp->count &&
		grp->count <= GR_LIMIT, "a group is bounded");
	require(grp->length <= limits.max_message + (grp->next == 1 ? GR_MAX_SEND : 0),
		"nothing is added to a message that is too long");
}

/**
 * complete - a message is complete
 * @end: end that has received it
 * @held: transmissions it consists of
 */
static void complete(struct end *end, u32 held)
{
	require(held == end->arr.count, "a message is complete with its last transmission");
	end->arr.nparts = held;
	whole_check(&end->arr, end->arr.dir == RDMA2_CALL ? &end->req : NULL);
}

/**
 * lead - a Send that was nothing to the group may begin something
 * @end: end that receives
 * @buf: the Send
 * @msg: its header
 */
static void lead(struct end *end, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	enum rpcrdma2_step step;

	if (!is_lead(msg))
		return;
	step = judge(end, buf, msg);
	trace("  lead: step %u", step);
	require((step == RPCRDMA2_STEP_HELD) == rpcrdma2_assembly_is_open(&end->grp),
		"a group is open from its beginning");
	if (step == RPCRDMA2_STEP_HELD) {
		end->xid = be32_to_cpu(msg->xid);
		end->dir = msg->dir;
		end->held = 1;
		end->discards = false;
	} else if (step == RPCRDMA2_STEP_WHOLE) {
		complete(end, 1);
	}
}

/**
 * receive - receive a Send
 * @end: end that receives
 * @buf: the Send
 * @len: its length, in bytes
 */
static void receive(struct end *end, const u8 *buf, u32 len)
{
	bool open = rpcrdma2_assembly_is_open(&end->grp);
	struct rpcrdma2_repterr fault;
	struct rpcrdma2_msg msg;
	enum rpcrdma2_step step;

	if (rpcrdma2_decode(buf, len, &limits, &msg) == RPCRDMA2_SHORT)
		return;
	step = rpcrdma2_assembly_step(&end->grp, buf, &msg, &fault);
	trace("send of %u: proc %u, type %u, step %u", len, msg.proc, msg.opt.type, step);
	require(!fault.which || step == RPCRDMA2_STEP_REPORT ||
		(step == RPCRDMA2_STEP_OTHER && open), "a report has a reason");
	require(step != RPCRDMA2_STEP_REPORT || fault.which, "a fault has a code");
	if (fault.which) {
		check_report(&fault);
		require(fault.has_lead == open &&
			(!open || be32_to_cpu(fault.lead.xid) == end->xid),
			"the group that is broken is named");
	}
	if (is_cont(&msg)) {
		check_cont(end, open, step);
	} else if (msg.vers == RPCRDMA2_VERSION) {
		require(step == (open && !fault.which ? RPCRDMA2_STEP_BAD_XDR :
			RPCRDMA2_STEP_OTHER), "what continues nothing is processed");
		end->discards = open;
	}
	if (step == RPCRDMA2_STEP_HELD || step == RPCRDMA2_STEP_WHOLE)
		check_held(end, buf, &msg);
	if (step == RPCRDMA2_STEP_WHOLE) {
		end->discards = false;
		complete(end, end->held);
	} else if (step == RPCRDMA2_STEP_OTHER) {
		lead(end, buf, &msg);
	}
	check_state(end);
}

/**
 * make_items - make up what is placed
 * @in: input
 * @items: OUT: the items
 * @pool: OUT: what they point into
 *
 * Return: how many there are
 */
static u32 make_items(struct input *in, struct rpcrdma2_mitem *items,
		      struct rpcrdma2_segpool *pool)
{
	u32 i, n, nitems = input_below(in, 4);

	for (i = 0; i < nitems; i++) {
		items[i] = (struct rpcrdma2_mitem){
			.disp	= input_odd(in) * 4,
			.length	= input_odd(in),
			.type	= input_flag(in) ? XMPTYPE_EXRW + input_below(in, 6) :
						   XMPTYPE_TBSN,
			.offset	= input_flag(in) ? input_odd(in) : 0,
		};
		n = input_below(in, 5);
		if (items[i].type == XMPTYPE_TBSN) {
			items[i].first = pool->ntbsns;
			items[i].count = n;
			while (n--)
				pool->tbsns[pool->ntbsns++] = input_odd(in);
		} else if (items[i].type == XMPTYPE_EXRW) {
			items[i].first = pool->nsegs;
			items[i].count = n;
			while (n--)
				pool->segs[pool->nsegs++].length = input_odd(in);
		}
	}
	return nitems;
}

/**
 * make_sets - make up directions
 * @in: input
 * @req: OUT: request, which has none
 */
static void make_sets(struct input *in, struct rpcrdma2_xmtreq *req)
{
	u32 i;

	req->nsets = input_below(in, 3);
	for (i = 0; i < req->nsets; i++) {
		req->sets[i].begin = input_odd(in);
		req->sets[i].end = input_odd(in);
	}
}

/**
 * make_lead - make up the beginning of a message
 * @in: input
 * @hdr: first fields
 * @buf: OUT: the header
 *
 * Return: its length in bytes, or a negative errno
 */
static int make_lead(struct input *in, const struct rpcrdma2_hdr *hdr, u8 *buf)
{
	static struct rpcrdma2_xmtresp resp;
	static struct rpcrdma2_xmtreq req;
	u32 count = input_flag(in) ? input_odd(in) : 1 + input_below(in, GR_LIMIT);
	u32 pslen = input_flag(in) ? input_odd(in) : 8 + 4 * input_below(in, 16);

	if (hdr->dir == RDMA2_REPLY) {
		memset(&resp, 0, offsetof(struct rpcrdma2_xmtresp, items));
		memset(&resp.pool, 0, sizeof(resp.pool));
		resp.nitems = make_items(in, resp.items, &resp.pool);
		resp.count = count;
		resp.pslen = pslen;
		return rpcrdma2_encode_xmtresp(buf, GR_MAX_SEND, hdr, &resp);
	}
	memset(&req, 0, offsetof(struct rpcrdma2_xmtreq, items));
	memset(&req.pool, 0, sizeof(req.pool));
	req.nitems = make_items(in, req.items, &req.pool);
	make_sets(in, &req);
	req.count = count;
	req.pslen = pslen;
	return rpcrdma2_encode_xmtreq(buf, GR_MAX_SEND, hdr, &req);
}

/**
 * make_cont - make up what may come next
 * @end: end that is going to receive it
 * @in: input
 * @hdr: first fields; xid and direction mostly become those of the group
 * @buf: OUT: the header
 *
 * Return: its length in bytes
 */
static int make_cont(const struct end *end, struct input *in, struct rpcrdma2_hdr *hdr, u8 *buf)
{
	u32 lead = end->dir == RDMA2_CALL ? ROPT_XMTREQ : ROPT_XMTRESP;
	struct rpcrdma2_xmtcont cont = {
		.xnum	= input_flag(in) ? input_odd(in) : end->held,
		.itype	= input_flag(in) ? input_odd(in) : lead,
		.pslen	= input_flag(in) ? input_odd(in) : 4 * input_below(in, 16),
	};

	if (!input_flag(in)) {
		hdr->xid = cpu_to_be32(end->xid);
		hdr->dir = end->dir;
	}
	return rpcrdma2_encode_xmtcont(buf, GR_MAX_SEND, hdr, &cont);
}

/**
 * make_send - make up a Send
 * @end: end that is going to receive it
 * @in: input
 * @buf: OUT: the Send
 *
 * Return: its length in bytes
 */
static u32 make_send(const struct end *end, struct input *in, u8 *buf)
{
	struct rpcrdma2_hdr hdr = {
		.xid = cpu_to_be32(1 + input_below(in, 3)), .credit = 1,
		.dir = input_below(in, 2),
	};
	u32 kind = input_below(in, 8), at;
	int len;

	memset(buf, 0, GR_MAX_SEND);
	if (kind == 0) {
		len = input_byte(in);
		input_bytes(in, buf, len);
		return len;
	}
	if (kind == 1) {
		rpcrdma2_encode_bare_msg(buf, &hdr);
		return RPCRDMA2_HDRLEN_MIN + 8;
	}
	len = kind < 5 ? make_lead(in, &hdr, buf) : make_cont(end, in, &hdr, buf);
	if (len < 0)
		return 0;
	if (input_flag(in)) {
		at = input_below(in, len / 4) * 4;
		put_unaligned_be32(input_odd(in), buf + at);
	}
	return len + input_below(in, GR_MAX_SEND + 1 - len);
}

/**
 * step - something happens
 * @end: end that it happens to
 * @in: input
 *
 * A Send is copied to memory of just its length, so that it is seen if more is read.
 */
static void step(struct end *end, struct input *in)
{
	u32 len, what = input_byte(in) % 16;
	u8 *buf, *copy;

	if (what == 15) {
		trace("reconnect");
		memset(&end->grp, 0, sizeof(end->grp));
		end->discards = false;
		return;
	}
	if (what == 14) {
		trace("time is up");
		end->discards |= rpcrdma2_assembly_is_open(&end->grp);
		rpcrdma2_assembly_drop(&end->grp);
		check_state(end);
		return;
	}
	buf = malloc(GR_MAX_SEND);
	len = make_send(end, in, buf);
	copy = malloc(len);
	memcpy(copy, buf, len);
	free(buf);
	receive(end, copy, len);
	free(copy);
}

/**
 * receives - make up how the Receives are made
 * @in: input
 * @rb: OUT: their structure
 */
static void receives(struct input *in, struct rpcrdma2_rbstruct *rb)
{
	rpcrdma2_rbstruct_make(rb, 96, input_below(in, 5), 16);
	if (input_flag(in)) {
		/* a gap between segments, and others behind it */
		rb->ngroups = 4;
		rb->groups[2] = rb->groups[0];
		rb->groups[2].length = 8;
		rb->groups[3] = rb->groups[1];
		rb->groups[3].length = 24;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct end end;
	struct input in;

	input_begin(&in, data, size);
	memset(&end, 0, sizeof(end));
	receives(&in, &end.rb);
	while (input_left(&in))
		step(&end, &in);
	return 0;
}
