// SPDX-License-Identifier: GPL-2.0
/*
 * There and back: a message is split and laid out for some peer's Receives, sent as
 * bytes, received, and put together again. It has to be the same, whatever the
 * Receives look like, and no Send may be longer than the peer takes. Then one word of
 * it is changed on the way: what is found sound even so was received, and is used once.
 */

#include <stdlib.h>
#include <string.h>
#include <linux/unaligned.h>

#include "fuzz.h"
#include "codec_priv.h"
#include "assembly.h"
#include "plan.h"
#include "whole.h"

enum {
	SE_ITEMS	= 5,
	SE_XMTS		= 32,
	SE_LIMIT	= 2048,
	SE_MESSAGE	= 1 << 14,
};

static const struct rpcrdma2_limits limits = {
	.max_message = 2 * SE_MESSAGE, .opttypes = 0x1fe,
};

/**
 * struct msg - a message on its way
 * @rb: structure of the Receives that it goes to
 * @to: what else is known of these
 * @payload: length of the payload stream, in bytes
 * @nitems: items that are placed
 * @lengths: their lengths, in bytes
 * @req: the request
 * @front: header of its initial transmission without numbers of segments, in bytes
 * @length: length of the RPC message, in bytes
 * @stream: the RPC message
 * @nsends: Sends it takes
 * @sends: these
 * @sizes: their lengths, in bytes
 */
struct msg {
	struct rpcrdma2_rbstruct	rb;
	struct rpcrdma2_dest		to;
	u32				payload;
	u32				nitems;
	u32				lengths[SE_ITEMS];
	struct rpcrdma2_xmtreq		req;
	u32				front;
	u32				length;
	u8				stream[SE_MESSAGE];
	u32				nsends;
	u8				sends[SE_XMTS][SE_LIMIT];
	u32				sizes[SE_XMTS];
};

/**
 * make_receives - make up the peer's Receives
 * @in: input
 * @m: message that goes there
 */
static void make_receives(struct input *in, struct msg *m)
{
	u32 i, groups = 1 + input_below(in, 4);
	struct rpcrdma2_rbgroup *grp;

	memset(&m->rb, 0, sizeof(m->rb));
	m->rb.ngroups = groups;
	for (i = 0; i < groups; i++) {
		grp = &m->rb.groups[i];
		grp->count = 1 + input_below(in, i ? 6 : 2);
		grp->length = i ? 1 + input_below(in, 80) : 64 + input_below(in, 200);
		grp->align = 1;
		grp->flags = input_byte(in) % 2;
		if (grp->flags && !input_flag(in))
			grp->length = 4 * (1 + grp->length / 4);
		m->rb.length += grp->count * grp->length;
	}
	m->to.rb = &m->rb;
	m->to.limit = input_flag(in) ? 40 + input_below(in, SE_LIMIT - 40) : m->rb.length;
	m->to.max_xmts = 1 + input_below(in, SE_XMTS + 2);
}

/**
 * make_message - make up a message
 * @in: input
 * @m: OUT: the message
 *
 * Positions of items leave some of the payload in front of each, or nothing.
 */
static void make_message(struct input *in, struct msg *m)
{
	u32 i, gap, disp = 0, left;

	memset(&m->req, 0, offsetof(struct rpcrdma2_xmtreq, items));
	m->req.pool.ntbsns = 0;
	m->req.pool.nsegs = 0;
	m->payload = 8 + input_below(in, 1000);
	if (!input_flag(in))
		m->payload &= ~3U;
	m->nitems = input_below(in, SE_ITEMS + 1);
	left = m->payload;
	for (i = 0; i < m->nitems; i++) {
		m->lengths[i] = input_below(in, input_flag(in) ? 2000 : 100);
		gap = 4 * input_below(in, left / 4 + 1);
		left -= gap;
		disp += gap;
		/* behind an empty item there is a word of payload */
		if (!m->lengths[i] && left < RPCRDMA2_WORD)
			m->lengths[i] = 1;
		left -= m->lengths[i] ? 0 : RPCRDMA2_WORD;
		m->req.items[i].disp = disp;
		m->req.items[i].length = m->lengths[i];
		disp += max_t(u32, rpcrdma2_roundup(m->lengths[i]), RPCRDMA2_WORD);
	}
	m->req.nitems = m->nitems;
	m->front = RPCRDMA2_OPT_SIZE + 20 + 20 * m->nitems;
	m->length = m->payload;
	for (i = 0; i < m->nitems; i++)
		m->length += rpcrdma2_roundup(m->lengths[i]);
}

/**
 * make_stream - make up the bytes of an RPC message
 * @m: the message
 *
 * Round-up behind items is zeros.
 */
static void make_stream(struct msg *m)
{
	const struct rpcrdma2_mitem *item;
	u32 i;

	for (i = 0; i < m->length; i++)
		m->stream[i] = 1 + (i * 7 + i / 251) % 255;
	for (item = m->req.items; item < m->req.items + m->nitems; item++)
		for (i = item->length; i < rpcrdma2_roundup(item->length); i++)
			m->stream[item->disp + i] = 0;
}

/**
 * put_payload - write a part of the payload stream into a Send
 * @m: the message
 * @buf: where it goes
 * @from: its first byte
 * @len: its length, in bytes
 *
 * The payload stream is the message without its items.
 */
static void put_payload(const struct msg *m, u8 *buf, u32 from, u32 len)
{
	const struct rpcrdma2_mitem *item = m->req.items;
	const struct rpcrdma2_mitem *end = item + m->nitems;
	u32 pos = 0, at = 0;

	while (at < from + len) {
		for (; item < end && (!item->length || item->disp == pos); item++)
			pos += rpcrdma2_roundup(item->length);
		if (at >= from)
			buf[at - from] = m->stream[pos];
		at++;
		pos++;
	}
}

/**
 * put_header - write the header of a Send
 * @m: the message
 * @n: which Send
 * @pslen: its part of the payload stream, in bytes
 *
 * Return: its length, in bytes
 */
static u32 put_header(struct msg *m, u32 n, u32 pslen)
{
	const struct rpcrdma2_hdr hdr = { .xid = 7, .credit = 1, .dir = RDMA2_CALL };
	const struct rpcrdma2_xmtcont cont = {
		.xnum = n, .itype = ROPT_XMTREQ, .pslen = pslen,
	};
	int len;

	if (n) {
		len = rpcrdma2_encode_xmtcont(m->sends[n], SE_LIMIT, &hdr, &cont);
	} else {
		m->req.pslen = pslen;
		len = rpcrdma2_encode_xmtreq(m->sends[n], SE_LIMIT, &hdr, &m->req);
	}
	require(len > 0, "the header fits");
	return len;
}

/**
 * put_run - write a part of an item into a Send
 * @m: the message
 * @run: the part
 * @end: end of what is before it
 * @gap: bytes of zeros between the two
 *
 * Return: end of the part
 */
static u32 put_run(struct msg *m, const struct rpcrdma2_run *run, u32 end, u32 gap)
{
	require(run->span.offset == end + gap && gap < SE_LIMIT, "parts of a Send ascend");
	memset(&m->sends[run->xnum][end], 0, gap);
	memcpy(&m->sends[run->xnum][run->span.offset],
	       &m->stream[m->req.items[run->item].disp + run->from], run->span.length);
	return run->span.offset + run->span.length;
}

/**
 * check_numbers - an item says where it is placed only if there is room for that
 * @plan: how its message is sent
 * @n: which item
 * @item: what it says
 * @pool: has the numbers
 */
static void check_numbers(const struct rpcrdma2_plan *plan, u32 n,
			  const struct rpcrdma2_mitem *item,
			  const struct rpcrdma2_segpool *pool)
{
	static struct rpcrdma2_segpool full;
	struct rpcrdma2_mitem again;

	full.ntbsns = RPCRDMA2_MAX_TBSNS - item->count;
	require(rpcrdma2_plan_item(plan, n, &again, &full) && again.count == item->count &&
		full.ntbsns == RPCRDMA2_MAX_TBSNS, "what just fits is said");
	require(!memcmp(&full.tbsns[again.first], &pool->tbsns[item->first],
			item->count * sizeof(full.tbsns[0])), "it is always the same");
	if (!item->count)
		return;
	full.ntbsns = RPCRDMA2_MAX_TBSNS - item->count + 1;
	require(!rpcrdma2_plan_item(plan, n, &again, &full), "what does not fit is not said");
}

/**
 * check_single - what takes one Send is sent as a message without placed data is
 * @plan: how a message without items is sent
 */
static void check_single(const struct rpcrdma2_plan *plan)
{
	static struct rpcrdma2_plan single;

	memset(&single, 0xff, sizeof(single));
	rpcrdma2_plan_msg(&single, plan->xmts[0].hdrlen, plan->xmts[0].pslen);
	require(single.nxmts == 1 && !single.nruns, "a plan of one Send is one");
	require(!memcmp(&single.xmts[0], &plan->xmts[0], sizeof(single.xmts[0])),
		"one Send is planned in one way");
}

/**
 * send_plan - send a message that was split
 * @m: the message
 * @plan: how it is sent
 */
static void send_plan(struct msg *m, const struct rpcrdma2_plan *plan)
{
	const struct rpcrdma2_plan_send *xmt;
	u32 i, r = 0, end, payload = 0;

	require(plan->nxmts <= m->to.max_xmts && plan->nxmts <= SE_XMTS,
		"a group is not too long");
	m->req.count = plan->nxmts;
	for (i = 0; i < m->nitems; i++) {
		require(rpcrdma2_plan_item(plan, i, &m->req.items[i], &m->req.pool),
			"there is room for the numbers");
		check_numbers(plan, i, &m->req.items[i], &m->req.pool);
	}
	if (plan->nxmts == 1 && !m->nitems)
		check_single(plan);
	for (i = 0; i < plan->nxmts; i++) {
		xmt = &plan->xmts[i];
		require(xmt->payload == payload && xmt->run == r, "Sends follow each other");
		require(xmt->length <= m->to.limit, "no Send is too long");
		require(put_header(m, i, xmt->pslen) == xmt->hdrlen, "headers are as planned");
		put_payload(m, m->sends[i] + xmt->hdrlen, payload, xmt->pslen);
		end = xmt->hdrlen + xmt->pslen;
		for (; r < xmt->run + xmt->nruns; r++)
			end = put_run(m, &plan->runs[r], end, rpcrdma2_run_gap(plan, r));
		require(end == xmt->length, "Sends are as long as planned");
		payload += xmt->pslen;
		m->sizes[i] = end;
	}
	require(r == plan->nruns && payload == m->payload, "all of it is sent");
	m->nsends = plan->nxmts;
}

/**
 * transmit - send a message
 * @m: the message
 * @in: input
 *
 * Return: %false if it has to go by explicit RDMA
 */
static bool transmit(struct msg *m, struct input *in)
{
	static struct rpcrdma2_plan plan;
	u32 xmts = rpcrdma2_payload_xmts(m->to.limit, m->front, m->payload);
	bool fits;

	if (input_flag(in))
		m->to.max_xmts = 1;
	fits = rpcrdma2_plan(&plan, &m->to, m->front, m->payload, m->lengths, m->nitems);
	if (!m->nitems)
		require(fits ? xmts == plan.nxmts :
			       xmts > min_t(u32, m->to.max_xmts, RPCRDMA2_MAX_XMTS),
			"it is known beforehand how many Sends a payload takes");
	if (!fits)
		return false;
	require(!(m->payload % RPCRDMA2_WORD), "the payload is whole words");
	send_plan(m, &plan);
	return true;
}

/**
 * receive - receive a message
 * @m: message whose Sends arrive
 * @req: OUT: its header
 * @parts: OUT: its transmissions
 * @arr: OUT: the message
 *
 * Return: what came of the last Send
 */
static enum rpcrdma2_step receive(const struct msg *m, struct rpcrdma2_xmtreq *req,
				  struct rpcrdma2_part *parts, struct rpcrdma2_arrival *arr)
{
	enum rpcrdma2_step step = RPCRDMA2_STEP_OTHER;
	struct rpcrdma2_repterr fault = { };
	struct rpcrdma2_assembly grp = { };
	struct rpcrdma2_msg msg;
	u32 i;

	for (i = 0; i < m->nsends; i++) {
		rpcrdma2_decode(m->sends[i], m->sizes[i], &limits, &msg);
		step = rpcrdma2_assembly_step(&grp, m->sends[i], &msg, &fault);
		if (!i) {
			if (msg.verdict || msg.proc != RDMA2_OPTIONAL ||
			    msg.opt.type != ROPT_XMTREQ ||
			    rpcrdma2_decode_xmtreq(m->sends[0], &msg, req))
				return RPCRDMA2_STEP_BAD_XDR;
			parts[0] = (struct rpcrdma2_part){ msg.length, msg.hdrlen, req->pslen };
			*arr = (struct rpcrdma2_arrival){
				.rb = &m->rb, .max_message = limits.max_message,
				.limit = SE_XMTS, .dir = RDMA2_CALL, .count = req->count,
				.nitems = req->nitems, .items = req->items,
				.pool = &req->pool, .nparts = 1, .parts = parts,
			};
			step = rpcrdma2_assembly_lead(&grp, &msg, arr, req, parts, &fault);
		}
		trace("  send %u of %u bytes: step %u, fault %u", i, m->sizes[i], step,
		      fault.which);
		arr->nparts = i + 1;
		if (step != RPCRDMA2_STEP_HELD)
			return step;
	}
	return step;
}

/**
 * compare - put a message together, and compare it
 * @m: the message as it was sent
 * @arr: as it was received
 */
static void compare(const struct msg *m, const struct rpcrdma2_arrival *arr)
{
	static const u8 zeros[4];
	struct rpcrdma2_piece piece;
	struct rpcrdma2_walk walk;
	const u8 *bytes;

	require(rpcrdma2_virtual_length(arr) == m->length, "all of it has arrived");
	rpcrdma2_walk_begin(&walk, arr);
	while (rpcrdma2_walk_next(&walk, &piece)) {
		bytes = &m->sends[piece.xnum][piece.offset];
		if (piece.kind == RPCRDMA2_PIECE_ZEROS)
			bytes = zeros;
		require(!memcmp(&m->stream[piece.disp], bytes, piece.length),
			"it is what was sent");
	}
}

/**
 * garble - change a word of a message on its way
 * @m: the message
 * @in: input
 */
static void garble(struct msg *m, struct input *in)
{
	u32 n = input_below(in, m->nsends);
	u32 at = 4 * input_below(in, (n ? RPCRDMA2_CONT_SIZE : m->front) / 4 + 8);

	if (at + 4 > m->sizes[n])
		return;
	put_unaligned_be32(input_odd(in), &m->sends[n][at]);
	trace("garble %u at %u", n, at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rpcrdma2_part parts[SE_XMTS];
	struct rpcrdma2_repterr fault = { };
	static struct rpcrdma2_xmtreq req;
	struct rpcrdma2_arrival arr;
	static struct msg m;
	struct input in;

	input_begin(&in, data, size);
	make_receives(&in, &m);
	make_message(&in, &m);
	make_stream(&m);
	trace("%u bytes of payload, %u items, limit %u of %u", m.payload, m.nitems, m.to.limit,
	      m.rb.length);
	if (!transmit(&m, &in))
		return 0;
	require(receive(&m, &req, parts, &arr) == RPCRDMA2_STEP_WHOLE, "what is sent is sound");
	require(rpcrdma2_check_whole(&arr, &req, &fault), "what is sent is sound as a whole");
	whole_walk(&arr);
	compare(&m, &arr);
	while (input_left(&in)) {
		garble(&m, &in);
		if (receive(&m, &req, parts, &arr) == RPCRDMA2_STEP_WHOLE)
			whole_check(&arr, &req);
	}
	return 0;
}
