// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer target: whatever is received, the codec reads nothing outside of
 * it, keeps its promises about what it decoded, and encodes it again to the
 * same bytes or, where there are several encodings, to the same meaning. What is
 * said of placed data that is found sound was received, all of it and once.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "rpcrdma2_place.h"
#include "tests/rpcrdma2_codec_roundtrip.h"

/* Longer than any header that is not refused for its length */
#define MAX_LEN		8192

/**
 * require - end the process if something does not hold
 * @holds: does it?
 * @what: what it is
 */
void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

/**
 * forget_counters - leave out what no encoding can carry
 * @d: what was decoded
 *
 * Elements that were skipped or disregarded are gone from the second encoding,
 * and with them the places of those behind them.
 */
static void forget_counters(struct codec_decoded *d)
{
	switch (d->msg.opt.type) {
	case ROPT_INITXCH:
		d->initxch.unknown = 0;
		d->initxch.disregarded = 0;
		d->initxch.unusable = 0;
		break;
	case ROPT_REQXCH:
		d->reqxch.count = 0;
		memset(d->reqxch.element, 0, sizeof(d->reqxch.element));
		d->reqxch.want.unknown = 0;
		d->reqxch.want.disregarded = 0;
		d->reqxch.want.unusable = 0;
		break;
	}
}

/**
 * forget_unusable - leave out values of which nothing but their type was right
 * @xc: characteristics
 *
 * They stay in the scratch value of a REQXCH although they are not present.
 */
static void forget_unusable(struct rpcrdma2_xchars *xc)
{
	struct rpcrdma2_xchars clean;

	memset(&clean, 0, sizeof(clean));
	rpcrdma2_xchars_apply(&clean, xc);
	*xc = clean;
}

/**
 * same_meaning - were two messages decoded to the same?
 * @a: the one
 * @b: the other
 *
 * Return: %true if so.
 */
static bool same_meaning(struct codec_decoded *a, struct codec_decoded *b)
{
	forget_counters(a);
	forget_counters(b);
	switch (a->msg.opt.type) {
	case ROPT_INITXCH:
		return !memcmp(&a->initxch, &b->initxch, sizeof(a->initxch));
	case ROPT_REQXCH:
		forget_unusable(&a->reqxch.want);
		forget_unusable(&b->reqxch.want);
		return !memcmp(&a->reqxch, &b->reqxch, sizeof(a->reqxch));
	case ROPT_RESPXCH:
		return !memcmp(&a->respxch, &b->respxch, sizeof(a->respxch));
	case ROPT_UPDXCH:
		return !memcmp(&a->updxch, &b->updxch, sizeof(a->updxch));
	}
	return true;
}

/**
 * check_again - encode what was decoded, and decode that
 * @buf: the received bytes
 * @d: what was decoded from them
 */
static void check_again(const u8 *buf, struct codec_decoded *d)
{
	static struct codec_decoded again;
	static u8 out[MAX_LEN];
	int len = codec_encode(out, sizeof(out), buf, d);

	if (codec_one_encoding(d)) {
		require(len == (int)d->msg.hdrlen, "same length");
		require(!memcmp(out, buf, len), "same bytes");
		return;
	}
	if (d->msg.proc != RDMA2_OPTIONAL || d->msg.opt.type > ROPT_UPDXCH)
		return;
	/* An unusable RBSIZ keeps the other from being derived: A-52 */
	if (d->msg.opt.type == ROPT_INITXCH && d->initxch.unusable)
		return;
	if (len == -EINVAL && d->msg.opt.type == ROPT_UPDXCH)
		return;
	require(len > 0, "encodes again");
	require(codec_decode(out, len, &codec_limits, &again), "decodes again");
	require(same_meaning(d, &again), "same meaning");
}

/**
 * check_reply - compare a reply with a Call
 * @call: the bytes of the Call
 * @call_len: how many
 * @reply: the bytes of the reply
 * @d: what was decoded from them
 */
static void check_reply(const u8 *call, u32 call_len, const u8 *reply,
			const struct codec_decoded *d)
{
	if (d->msg.proc <= RDMA2_NOMSG && d->msg.dir == RDMA2_REPLY)
		rpcrdma2_reply_fits(call, call_len, reply, &d->msg);
}

/**
 * check_walk - go through an RPC message that was found sound
 * @arr: the message
 */
static void check_walk(const struct rpcrdma2_arrival *arr)
{
	static u8 seen[MAX_LEN];
	const struct rpcrdma2_part *part = &arr->parts[0];
	struct rpcrdma2_piece piece;
	struct rpcrdma2_walk walk;
	u64 disp = 0;
	u32 i;

	memset(seen, 0, part->length);
	memset(seen, 1, part->hdrlen);
	rpcrdma2_walk_begin(&walk, arr);
	while (rpcrdma2_walk_next(&walk, &piece)) {
		require(piece.length && piece.disp == disp, "pieces follow each other");
		disp += piece.length;
		if (piece.kind != RPCRDMA2_PIECE_PAYLOAD && piece.kind != RPCRDMA2_PIECE_PLACED)
			continue;
		require(!piece.xnum && piece.offset <= part->length &&
			piece.length <= part->length - piece.offset, "pieces were received");
		for (i = 0; i < piece.length; i++)
			require(!seen[piece.offset + i]++, "bytes are used once");
	}
	require(disp == rpcrdma2_virtual_length(arr), "pieces are the whole message");
	require(disp <= arr->max_message, "the message is not too long");
}

/**
 * check_placement - receive a message with placed data
 * @d: what was decoded
 * @size: bytes received
 */
static void check_placement(const struct codec_decoded *d, size_t size)
{
	bool call = d->msg.opt.type == ROPT_XMTREQ;
	struct rpcrdma2_part part = {
		.length	= size,
		.hdrlen	= d->msg.hdrlen,
		.pslen	= call ? d->xmtreq.pslen : d->xmtresp.pslen,
	};
	struct rpcrdma2_rbstruct rb;
	struct rpcrdma2_arrival arr = {
		.rb = &rb, .max_message = 1 << 20, .limit = 1,
		.dir = call ? RDMA2_CALL : RDMA2_REPLY,
		.count = call ? d->xmtreq.count : d->xmtresp.count,
		.nitems = call ? d->xmtreq.nitems : d->xmtresp.nitems,
		.items = call ? d->xmtreq.items : d->xmtresp.items,
		.pool = call ? &d->xmtreq.pool : &d->xmtresp.pool,
		.nparts = 1, .parts = &part,
	};
	struct rpcrdma2_repterr fault = { 0 };

	rpcrdma2_rbstruct_make(&rb, 96, 5, 128);
	if (rpcrdma2_check_lead(&arr, call ? &d->xmtreq : NULL, &fault) &&
	    rpcrdma2_check_whole(&arr, call ? &d->xmtreq : NULL, &fault))
		check_walk(&arr);
	else
		require(fault.which && fault.nargs, "a fault has a code");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct codec_decoded d;
	size_t half = size / 8 * 4;

	if (size > MAX_LEN)
		return 0;
	if (codec_decode(data, size, &codec_limits, &d)) {
		require(codec_result_sound(size, &codec_limits, &d), "result sound");
		check_reply(data, size, data, &d);
		if (d.msg.proc == RDMA2_OPTIONAL &&
		    (d.msg.opt.type == ROPT_XMTREQ || d.msg.opt.type == ROPT_XMTRESP))
			check_placement(&d, size);
		check_again(data, &d);
	}

	if (size >= 2 * FUZZ_XMT && size % FUZZ_XMT == 0)
		fuzz_groups(data, size);

	/* The first half as a Call, of which the second may be the reply */
	if (codec_decode(data + half, size - half, &codec_limits, &d))
		check_reply(data, half, data + half, &d);
	return 0;
}
