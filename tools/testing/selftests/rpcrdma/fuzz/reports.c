// SPDX-License-Identifier: GPL-2.0
/*
 * Reports about transmissions, from the fault to who obeys it: one end sends
 * messages, some of them as groups, and makes mistakes with them; the other one
 * receives, and reports; the first one reads the report. Of each message that was
 * sent it becomes known at most once that it did not arrive, and never of one that
 * did. Between them are reports that are made up.
 */

#include <string.h>
#include <linux/unaligned.h>

#include "fuzz.h"
#include "assembly.h"

enum {
	RE_LIMIT	= 4,
	RE_MSGS		= 64,
	RE_SIZE		= 128,
};

static const struct rpcrdma2_limits limits = {
	.max_message = 1 << 12, .opttypes = 0x1fe,
};

/**
 * enum re_fate - what became of a message that was sent
 * @RE_SENT: nothing is known
 * @RE_WHOLE: it has arrived
 * @RE_REPORTED: its sender was told that it has not
 */
enum re_fate {
	RE_SENT = 0,
	RE_WHOLE,
	RE_REPORTED,
};

/**
 * struct re_books - both ends
 * @grp: reassembly
 * @rb: structure of the Receives
 * @parts: room for it
 * @lead: message whose group is open, or is made whole by what arrives
 * @drains: more of what was reported may come, and is no news
 * @fates: what became of each message; message N has xid N + 1
 * @dirs: its direction
 * @sent: how many there are
 * @count: transmissions of the last one
 * @next: which of them is to be sent next
 * @recent: responses that were sent, as the sender remembers them
 * @noted: the same in the books, each with how many were noted behind it
 * @nnoted: how many there have been
 */
struct re_books {
	struct rpcrdma2_assembly		grp;
	struct rpcrdma2_rbstruct	rb;
	struct rpcrdma2_part		parts[RE_LIMIT];
	u32				lead;
	bool				drains;
	enum re_fate			fates[RE_MSGS];
	u32				dirs[RE_MSGS];
	u32				sent;
	u32				count;
	u32				next;
	struct rpcrdma2_recent		recent;
	__be32				noted[RPCRDMA2_MAX_RECENT];
	u32				nnoted;
};

/**
 * re_note - a response is sent
 * @b: the books
 * @xid: its xid
 */
static void re_note(struct re_books *b, __be32 xid)
{
	rpcrdma2_recent_add(&b->recent, xid);
	b->noted[b->nnoted++ % RPCRDMA2_MAX_RECENT] = xid;
}

/**
 * re_take - ask whether a report can be about a response
 * @b: the books
 * @xid: xid that it names
 *
 * Return: %true if so
 */
static bool re_take(struct re_books *b, __be32 xid)
{
	bool there = false;
	u32 i;

	for (i = 0; i < RPCRDMA2_MAX_RECENT && !there; i++) {
		there = xid && b->noted[i] == xid;
		if (there)
			b->noted[i] = 0;
	}
	require(rpcrdma2_recent_take(&b->recent, xid) == there,
		"each of the last responses can be reported once");
	return there;
}

/**
 * re_obey - the end that made a mistake reads a report
 * @b: the books
 * @buf: the report
 * @len: its length, in bytes
 *
 * It names a message of this end that was not known to have failed, and has not
 * arrived. Only if something else has come in between, is more of a message that
 * was reported a fault of its own.
 */
static void re_obey(struct re_books *b, const u8 *buf, u32 len)
{
	struct rpcrdma2_repterr rep;
	struct rpcrdma2_xmsid about;
	struct rpcrdma2_msg msg;
	u32 n;

	require(rpcrdma2_decode(buf, len, &limits, &msg) == RPCRDMA2_OK &&
		!rpcrdma2_decode_repterr(buf, &msg, &rep), "a report parses");
	require(rpcrdma2_is_refusal(&msg), "a report is no reply");
	require(rpcrdma2_repterr_about(&msg, &rep, &about), "a report is about something");
	n = be32_to_cpu(about.xid) - 1;
	trace("  report %s: about %u", rpcrdma2_opterr_name(rep.which), n);
	require(n < b->sent && about.dir == b->dirs[n], "it is about a message that was sent");
	require(b->fates[n] == (rep.which == OPTRERR_BADCONT ? RE_REPORTED : RE_SENT),
		"it is about one that has not arrived, once");
	require(rep.which != OPTRERR_BADCONT || !b->drains, "the rest of it is no fault");
	b->fates[n] = RE_REPORTED;
	b->drains = true;
	if (about.dir == RDMA2_REPLY)
		re_take(b, about.xid);
}

/**
 * re_report - the receiving end sends a report
 * @b: the books
 * @fault: what is wrong
 */
static void re_report(struct re_books *b, const struct rpcrdma2_repterr *fault)
{
	const struct rpcrdma2_hdr hdr = {
		.xid	= fault->bad.xid,
		.dir	= fault->bad.dir == RDMA2_CALL ? RDMA2_REPLY : RDMA2_CALL,
	};
	u8 buf[RE_SIZE];
	int len = rpcrdma2_encode_repterr(buf, sizeof(buf), &hdr, fault);

	require(len > 0, "a report can be written");
	re_obey(b, buf, len);
}

/**
 * re_lead - the beginning of a message arrives
 * @b: the books
 * @buf: the Send
 * @msg: its header
 */
static void re_lead(struct re_books *b, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	static struct rpcrdma2_xmtresp resp;
	static struct rpcrdma2_xmtreq req;
	bool call = msg->opt.type == ROPT_XMTREQ;
	struct rpcrdma2_repterr fault = { };
	struct rpcrdma2_arrival arr;
	enum rpcrdma2_step step;

	if (call)
		require(!rpcrdma2_decode_xmtreq(buf, msg, &req), "what was sent parses");
	else
		require(!rpcrdma2_decode_xmtresp(buf, msg, &resp), "what was sent parses");
	b->parts[0] = (struct rpcrdma2_part){
		msg->length, msg->hdrlen, call ? req.pslen : resp.pslen,
	};
	rpcrdma2_arrival_resp(&arr, &resp, b->parts, &b->rb, limits.max_message);
	arr.limit = RE_LIMIT;
	if (call) {
		arr.dir = RDMA2_CALL;
		arr.count = req.count;
		arr.nitems = 0;
	}
	step = rpcrdma2_assembly_lead(&b->grp, msg, &arr, call ? &req : NULL, b->parts, &fault);
	b->lead = be32_to_cpu(msg->xid) - 1;
	if (step == RPCRDMA2_STEP_REPORT)
		re_report(b, &fault);
	else if (step == RPCRDMA2_STEP_WHOLE)
		b->fates[b->lead] = RE_WHOLE;
}

/**
 * re_arrive - a Send arrives
 * @b: the books
 * @buf: the Send
 * @len: its length, in bytes
 */
static void re_arrive(struct re_books *b, const u8 *buf, u32 len)
{
	bool open = rpcrdma2_assembly_is_open(&b->grp);
	struct rpcrdma2_repterr fault;
	enum rpcrdma2_step step;
	struct rpcrdma2_msg msg;
	u32 lead = b->lead;

	rpcrdma2_decode(buf, len, &limits, &msg);
	if (!open && (msg.proc != RDMA2_OPTIONAL || msg.opt.type != ROPT_XMTCONT))
		b->drains = false;
	step = rpcrdma2_assembly_step(&b->grp, buf, &msg, &fault);
	trace("  step %u, state %u", step, b->grp.state);
	if (fault.which)
		re_report(b, &fault);
	if (open && step == RPCRDMA2_STEP_BAD_XDR) {
		b->fates[lead] = RE_REPORTED;
		b->drains = true;
	}
	if (open && !rpcrdma2_assembly_is_open(&b->grp) && step != RPCRDMA2_STEP_WHOLE)
		require(b->fates[lead] == RE_REPORTED, "who broke a group is told");
	if (step == RPCRDMA2_STEP_WHOLE)
		b->fates[lead] = RE_WHOLE;
	if (step == RPCRDMA2_STEP_OTHER && msg.verdict == RPCRDMA2_OK && msg.proc == RDMA2_OPTIONAL &&
	    (msg.opt.type == ROPT_XMTREQ || msg.opt.type == ROPT_XMTRESP))
		re_lead(b, buf, &msg);
}

/**
 * re_hdr - what the next transmission begins with
 * @b: the books
 *
 * Return: it
 */
static struct rpcrdma2_hdr re_hdr(const struct re_books *b)
{
	return (struct rpcrdma2_hdr){
		.xid	= cpu_to_be32(b->sent),
		.credit	= 1,
		.dir	= b->sent ? b->dirs[b->sent - 1] : RDMA2_CALL,
	};
}

/**
 * re_send - send something with a payload
 * @b: the books
 * @in: input
 * @buf: its header
 * @len: length of that, in bytes
 * @pslen: payload that it claims to have, in bytes
 */
static void re_send(struct re_books *b, struct input *in, u8 *buf, int len, u32 pslen)
{
	u32 cut = input_flag(in) ? 4 : 0;

	require(len > 0 && len + pslen <= RE_SIZE, "the target knows its sizes");
	memset(buf + len, 0, RE_SIZE - len);
	re_arrive(b, buf, len + (pslen > cut ? pslen - cut : 0));
}

/**
 * re_send_lead - begin a message
 * @b: the books
 * @in: input
 */
static void re_send_lead(struct re_books *b, struct input *in)
{
	static const struct rpcrdma2_xmtresp no_resp;
	static const struct rpcrdma2_xmtreq no_req;
	static struct rpcrdma2_xmtresp resp;
	static struct rpcrdma2_xmtreq req;
	struct rpcrdma2_hdr hdr;
	u8 buf[RE_SIZE];
	int len;

	if (b->sent == RE_MSGS)
		return;
	b->dirs[b->sent++] = input_flag(in) ? RDMA2_REPLY : RDMA2_CALL;
	b->count = input_below(in, RE_LIMIT + 2);
	b->next = 1;
	hdr = re_hdr(b);
	trace("lead %u: dir %u, %u transmissions", b->sent - 1, hdr.dir, b->count);
	if (hdr.dir == RDMA2_CALL) {
		req = no_req;
		req.count = b->count;
		req.pslen = 8 + input_below(in, 24);
		len = rpcrdma2_encode_xmtreq(buf, sizeof(buf), &hdr, &req);
		re_send(b, in, buf, len, req.pslen);
		return;
	}
	re_note(b, hdr.xid);
	resp = no_resp;
	resp.count = b->count;
	resp.pslen = 8 + input_below(in, 24);
	len = rpcrdma2_encode_xmtresp(buf, sizeof(buf), &hdr, &resp);
	re_send(b, in, buf, len, resp.pslen);
}

/**
 * re_send_cont - send the next transmission of the last message
 * @b: the books
 * @in: input: what is wrong with it
 *
 * A mistake in the xid is one only within a group; else another message is meant.
 */
static void re_send_cont(struct re_books *b, struct input *in)
{
	struct rpcrdma2_hdr hdr = re_hdr(b);
	struct rpcrdma2_xmtcont cont = {
		.xnum	= b->next,
		.itype	= hdr.dir == RDMA2_CALL ? ROPT_XMTREQ : ROPT_XMTRESP,
		.pslen	= input_below(in, 12) * 4,
	};
	u8 buf[RE_SIZE];
	int len;

	if (!b->sent || b->next >= b->count)
		return;
	if (input_flag(in))
		cont.xnum = input_below(in, RE_LIMIT);
	if (input_flag(in))
		cont.itype = input_below(in, 9);
	if (input_flag(in) && b->sent > 1 && rpcrdma2_assembly_is_open(&b->grp))
		hdr.xid = cpu_to_be32(b->sent - 1);
	trace("cont %u of %u, type %u, %u bytes", cont.xnum, be32_to_cpu(hdr.xid) - 1,
	      cont.itype, cont.pslen);
	b->next++;
	len = rpcrdma2_encode_xmtcont(buf, sizeof(buf), &hdr, &cont);
	re_send(b, in, buf, len, cont.pslen);
}

/**
 * re_intrude - send something between transmissions
 * @b: the books
 * @in: input
 *
 * A message that is not the beginning of a group has an xid that no other has.
 */
static void re_intrude(struct re_books *b, struct input *in)
{
	const struct rpcrdma2_hdr hdr = {
		.xid	= cpu_to_be32(1000 + b->sent),
		.credit	= 1,
		.dir	= input_flag(in) ? RDMA2_REPLY : RDMA2_CALL,
	};
	static const struct rpcrdma2_respxch resp;
	const struct rpcrdma2_error err = { .code = RDMA2_ERR_BAD_XDR };
	u8 buf[RE_SIZE] = { };
	int len;

	switch (input_below(in, 3)) {
	case 0:
		rpcrdma2_encode_bare_msg(buf, &hdr);
		len = RPCRDMA2_HDRLEN_MIN;
		break;
	case 1:
		len = rpcrdma2_encode_error(buf, &hdr, RPCRDMA2_VERSION, &err);
		break;
	default:
		len = rpcrdma2_encode_respxch(buf, sizeof(buf), &hdr, &resp);
	}
	if (input_flag(in))
		put_unaligned_be32(2, buf + RPCRDMA2_FIXED_SIZE);
	if (input_flag(in))
		len = RPCRDMA2_FIXED_SIZE + 4 * input_below(in, 3);
	trace("something else, %d bytes", len);
	re_arrive(b, buf, len);
}

/**
 * re_made_up - a report arrives that may be about nothing
 * @b: the books
 * @in: input
 *
 * What a report is about is said here in other words: without contradictions it
 * is what led to the fault, if that is named.
 */
static void re_made_up(struct re_books *b, struct input *in)
{
	const struct rpcrdma2_hdr hdr = {
		.xid	= cpu_to_be32(input_below(in, RE_MSGS)),
		.dir	= input_below(in, 2),
	};
	struct rpcrdma2_repterr rep = {
		.bad		= { cpu_to_be32(input_below(in, RE_MSGS)), input_below(in, 2),
				    input_odd(in) },
		.lead		= { cpu_to_be32(input_below(in, RE_MSGS)), input_below(in, 2),
				    input_odd(in) },
		.has_lead	= input_flag(in),
		.which		= input_odd(in),
	}, got;
	struct rpcrdma2_xmsid about;
	struct rpcrdma2_msg msg;
	u8 buf[RE_SIZE];
	bool ours;
	int len;

	if (input_flag(in))
		rep.bad.xid = hdr.xid;
	len = rpcrdma2_encode_repterr(buf, sizeof(buf), &hdr, &rep);
	require((len > 0) == (rpcrdma2_opterr_name(rep.which)[0] != '?'),
		"codes that have names can be sent");
	if (len < 0)
		return;
	rpcrdma2_decode(buf, len, &limits, &msg);
	require(!rpcrdma2_decode_repterr(buf, &msg, &got), "a report parses");
	ours = rep.bad.xid == hdr.xid && rep.bad.dir != hdr.dir;
	require(rpcrdma2_repterr_about(&msg, &got, &about) == ours,
		"a report that contradicts itself is about nothing");
	if (!ours)
		return;
	require(about.xid == (rep.has_lead ? rep.lead.xid : rep.bad.xid),
		"what led to a fault did not arrive");
	trace("report about %u", be32_to_cpu(about.xid));
	if (about.dir == RDMA2_REPLY)
		re_take(b, about.xid);
}

/**
 * re_step - something happens
 * @b: the books
 * @in: input
 */
static void re_step(struct re_books *b, struct input *in)
{
	u32 n;

	switch (input_byte(in) % 10) {
	case 0:
	case 1:
		re_send_lead(b, in);
		break;
	case 2:
	case 3:
	case 4:
		re_send_cont(b, in);
		break;
	case 5:
		re_intrude(b, in);
		break;
	case 6:
		/* a transmission that is left out */
		b->next++;
		break;
	case 7:
		for (n = input_below(in, RPCRDMA2_MAX_RECENT + 8); n; n--)
			re_note(b, cpu_to_be32(1 << 16 | n));
		break;
	case 8:
		re_take(b, cpu_to_be32(1 << 16 | input_below(in, RPCRDMA2_MAX_RECENT + 8)));
		break;
	case 9:
		/* the sender does not remember any more */
		memset(&b->recent, 0, sizeof(b->recent));
		memset(b->noted, 0, sizeof(b->noted));
		b->nnoted = 0;
		re_made_up(b, in);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct re_books b;
	struct input in;

	input_begin(&in, data, size);
	memset(&b, 0, sizeof(b));
	rpcrdma2_rbstruct_make(&b.rb, RE_SIZE, 0, 16);
	while (input_left(&in))
		re_step(&b, &in);
	return 0;
}
