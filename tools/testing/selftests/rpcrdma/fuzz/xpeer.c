// SPDX-License-Identifier: GPL-2.0
/*
 * Characteristics of one end, and a peer that says whatever it likes: statements,
 * requests, answers, announcements and errors, made of fields or bytes, with xids that
 * fit or do not. What this end is like changes only as its administrator wants or the
 * peer may ask for; what it believes of the peer can be obeyed, and changes only by
 * what says so.
 */

#include <stdlib.h>
#include <string.h>
#include <linux/unaligned.h>

#include "codec_priv.h"
#include "xend.h"

/**
 * put_value - write a value that a characteristic may have, or not
 * @in: input
 * @out: where it goes
 */
static void put_value(struct input *in, struct rpcrdma2_out *out)
{
	u32 i, n = input_below(in, RPCRDMA2_NUM_XCHARS + 1), groups, word = 4;

	if (n == RPCRDMA2_NUM_XCHARS) {
		rpcrdma2_put(out, input_odd(in));
	} else {
		rpcrdma2_put(out, rpcrdma2_xchar_table[n].id);
	}
	if (n != RPCRDMA2_RBSTRUCT) {
		rpcrdma2_put(out, input_flag(in) ? input_odd(in) : word);
		rpcrdma2_put(out, input_odd(in));
		return;
	}
	groups = input_below(in, 10);
	rpcrdma2_put(out, 8 + groups * RPCRDMA2_RBGROUP_SIZE);
	rpcrdma2_put(out, input_odd(in));
	rpcrdma2_put(out, groups);
	for (i = 0; i < groups * RPCRDMA2_RBGROUP_SIZE / RPCRDMA2_WORD; i++)
		rpcrdma2_put(out, input_odd(in));
}

/**
 * put_values - write an xcharspec
 * @in: input
 * @out: where it goes
 */
static void put_values(struct input *in, struct rpcrdma2_out *out)
{
	u32 i, n = input_below(in, 6), unknown = 0;

	if (input_flag(in))
		unknown = input_below(in, 150);
	rpcrdma2_put(out, n + unknown);
	for (i = 0; i < unknown; i++) {
		rpcrdma2_put(out, 0x1000 + i);
		rpcrdma2_put(out, 0);
	}
	for (i = 0; i < n; i++)
		put_value(in, out);
}

/**
 * put_subset - write an xcharsubset
 * @in: input
 * @out: where it goes
 */
static void put_subset(struct input *in, struct rpcrdma2_out *out)
{
	u32 i, n = input_below(in, 8);

	rpcrdma2_put(out, n);
	for (i = 0; i < n; i++)
		rpcrdma2_put(out, input_odd(in));
}

/**
 * put_info - write what a control message says
 * @in: input
 * @out: where it goes
 * @type: its opttype
 */
static void put_info(struct input *in, struct rpcrdma2_out *out, u32 type)
{
	switch (type) {
	case ROPT_INITXCH:
		put_values(in, out);
		put_subset(in, out);
		break;
	case ROPT_REQXCH:
		put_values(in, out);
		break;
	case ROPT_RESPXCH:
		put_subset(in, out);
		put_subset(in, out);
		put_subset(in, out);
		break;
	case ROPT_UPDXCH:
		put_value(in, out);
		rpcrdma2_put(out, input_below(in, 2));
		break;
	}
	if (input_flag(in))
		rpcrdma2_put(out, input_odd(in));
}

/**
 * some_xid - choose what a message of the peer is about
 * @end: the end
 * @in: input
 *
 * Return: an xid, that of an open request more often than another one
 */
static __be32 some_xid(const struct xend *end, struct input *in)
{
	const struct rpcrdma2_xch *xch = &end->xch;
	u32 what = input_below(in, 4);

	if (what == 1 && xch->xc_nr_announced)
		return xch->xc_announced[input_below(in, xch->xc_nr_announced)].xid;
	if (what == 2)
		return cpu_to_be32(input_odd(in));
	return xch->xc_req_xid;
}

/**
 * take_initxch - a statement arrives
 * @xch: characteristics of the end
 * @buf: the bytes
 * @msg: header of the message
 */
static void take_initxch(struct rpcrdma2_xch *xch, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_xchars xc, before = xch->xc_peer;
	bool heard = xch->xc_heard;

	rpcrdma2_xchars_default(&xc);
	if (rpcrdma2_decode_initxch(buf, msg, &xc))
		return;
	require(rpcrdma2_xch_initxch(xch, &xc) == !heard, "the first statement counts");
	require(xch->xc_heard, "a statement is heard");
	require(!memcmp(&xch->xc_peer, heard ? &before : &xc, sizeof(xc)),
		"what is stated first is believed");
}

/**
 * take_reqxch - a request arrives
 * @end: the end
 * @buf: the bytes
 * @msg: header of the message
 *
 * One that comes before the last one is answered is decided, too.
 */
static void take_reqxch(struct xend *end, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_xchars before = end->xch.xc_local;
	struct rpcrdma2_respxch resp;
	struct rpcrdma2_reqxch req;

	if (rpcrdma2_decode_reqxch(buf, msg, &req))
		return;
	xend_asked(end, &req, &resp);
	before.rbsiz = end->xch.xc_local.rbsiz;
	require(!memcmp(&before, &end->xch.xc_local, sizeof(before)),
		"the peer changes nothing here but the size of Receives");
}

/**
 * take_respxch - an answer arrives
 * @end: the end
 * @buf: the bytes
 * @msg: header of the message; if it is bad, the request is rejected
 */
static void take_respxch(struct xend *end, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_xch *xch = &end->xch;
	bool open = xch->xc_req_open && msg->xid == xch->xc_req_xid, sound;
	struct rpcrdma2_xchars before = xch->xc_peer;
	struct rpcrdma2_respxch resp;

	sound = msg->verdict == RPCRDMA2_OK && !rpcrdma2_decode_respxch(buf, msg, &resp);
	require(rpcrdma2_xch_respxch(xch, msg->xid, sound ? &resp : NULL) == open,
		"an answer answers the open request");
	if (!open || !sound)
		require(!memcmp(&before, &xch->xc_peer, sizeof(before)),
			"what is no answer changes nothing");
	require(!open || !xch->xc_req_open, "a request is answered once");
}

/**
 * take_updxch - an announcement arrives
 * @xch: characteristics of the end
 * @buf: the bytes
 * @msg: header of the message
 */
static void take_updxch(struct rpcrdma2_xch *xch, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	u32 n, pending = xch->xc_pending;
	struct rpcrdma2_updxch upd;

	if (rpcrdma2_decode_updxch(buf, msg, &upd))
		return;
	rpcrdma2_xch_updxch(xch, &upd);
	n = rpcrdma2_xchar_find(upd.which);
	if (upd.now.present && n != RPCRDMA2_RBSTRUCT)
		require(rpcrdma2_xchar_value(&xch->xc_peer, n) ==
			rpcrdma2_xchar_value(&upd.now, n), "what is announced is believed");
	if (upd.pendclr && n < RPCRDMA2_NUM_XCHARS)
		pending &= ~BIT(n);
	require(xch->xc_pending == pending, "an announcement ends its own request");
}

/**
 * take_error - RDMA2_ERROR arrives
 * @end: the end
 * @in: input
 */
static void take_error(struct xend *end, struct input *in)
{
	struct rpcrdma2_xch *xch = &end->xch;
	struct rpcrdma2_xchars before = xch->xc_peer;
	u32 code = 1 + input_below(in, RDMA2_ERR_INVAL_OPTION), about;
	__be32 xid = some_xid(end, in);
	bool open = xch->xc_req_open && xid == xch->xc_req_xid;

	about = rpcrdma2_xch_error(xch, xid, code);
	trace("error %u: about %u", code, about);
	require((about == ROPT_REQXCH) == open, "an error ends the open request");
	require(!memcmp(&before, &xch->xc_peer, sizeof(before)), "an error says nothing new");
	if (about && code == RDMA2_ERR_INVAL_OPTION)
		require(xch->xc_refused & BIT(about), "what is not known is not sent again");
}

/**
 * take - a control message arrives
 * @end: the end
 * @buf: the bytes
 * @len: how many
 */
static void take(struct xend *end, const u8 *buf, u32 len)
{
	struct rpcrdma2_msg msg;
	enum rpcrdma2_verdict verdict = rpcrdma2_decode(buf, len, &xend_limits, &msg);

	trace("peer sends %u, verdict %u", msg.opt.type, verdict);
	if (msg.opt.type == ROPT_RESPXCH && msg.dir == RDMA2_REPLY)
		take_respxch(end, buf, &msg);
	if (verdict)
		return;
	switch (msg.opt.type) {
	case ROPT_INITXCH:
		take_initxch(&end->xch, buf, &msg);
		break;
	case ROPT_REQXCH:
		take_reqxch(end, buf, &msg);
		break;
	case ROPT_UPDXCH:
		take_updxch(&end->xch, buf, &msg);
		break;
	}
}

/**
 * arrive - the peer sends something
 * @end: the end
 * @in: input
 *
 * It is copied to memory of just its length, so that it is seen if more is read.
 */
static void arrive(struct xend *end, struct input *in)
{
	u32 len, type = 1 + input_below(in, ROPT_UPDXCH);
	struct rpcrdma2_out out;
	struct rpcrdma2_hdr hdr = {
		.xid = some_xid(end, in), .credit = 1,
		.dir = type == ROPT_RESPXCH ? RDMA2_REPLY : RDMA2_CALL,
	};
	static u8 all[4096];
	u8 *buf;

	rpcrdma2_begin_option(&out, all, sizeof(all), &hdr, type);
	put_info(in, &out, type);
	len = out.pos;
	if (rpcrdma2_end_option(&out) < 0)
		return;
	if (input_flag(in))
		put_unaligned_be32(input_odd(in), all + 4 * input_below(in, len / 4));
	if (input_flag(in))
		len -= input_below(in, len - RPCRDMA2_OPT_SIZE + 1);
	buf = malloc(len);
	memcpy(buf, all, len);
	take(end, buf, len);
	free(buf);
}

/**
 * receive - something arrives
 * @end: the end
 * @in: input
 * @what: 0: an error, 1: nothing of interest, else a control message
 */
static void receive(struct xend *end, struct input *in, u32 what)
{
	if (!end->nposted) {
		xend_post(end, in);
		return;
	}
	xend_consume(end, 0);
	if (!what)
		take_error(end, in);
	else if (what > 1)
		arrive(end, in);
	rpcrdma2_xch_progress(&end->xch);
	xend_post(end, in);
}

/**
 * step - something happens
 * @end: the end
 * @in: input
 */
static void step(struct xend *end, struct input *in)
{
	u32 what = input_byte(in) % 20;
	u8 buf[XEND_BUF];

	switch (what) {
	case 0:
	case 1:
		end->xch.xc_stated = true;
		break;
	case 2:
	case 3:
		xend_ask(end, in);
		break;
	case 4:
	case 5:
		xend_own(end, in);
		break;
	case 6:
	case 7:
		if (xend_take(end))
			xend_encode(end, buf);
		break;
	case 8:
	case 9:
		xend_posted(end, !input_flag(in));
		break;
	case 10:
		xend_report(end, in);
		break;
	case 11:
		if (end->unanswered)
			xend_answered(end);
		break;
	case 12:
		rpcrdma2_xch_confirm(&end->xch, input_below(in, end->xch.xc_epoch + 1));
		break;
	case 13:
		end->calls = input_below(in, 2);
		break;
	default:
		receive(end, in, what - 14);
	}
	xend_check(end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct xend end;
	struct input in;
	u32 n;

	input_begin(&in, data, size);
	memset(&end, 0, sizeof(end));
	xend_begin(&end, input_byte(&in) & 1, 0, &in);
	while (input_left(&in))
		step(&end, &in);
	for (n = 0; n < RPCRDMA2_XE_NR; n++)
		require(rpcrdma2_xch_event_names[n][0], "events have names");
	return 0;
}
