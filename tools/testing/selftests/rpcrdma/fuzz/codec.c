// SPDX-License-Identifier: GPL-2.0
/*
 * The codec, and single messages with placed data: whatever is received, nothing
 * outside of it is read, what was decoded keeps its promises, and is encoded again to
 * the same bytes or, where there are several encodings, to the same meaning. What is
 * said of placed data that is found sound was received, all of it and once. A reply
 * uses no more than its Call has offered. What a message is, and what it ends if it is
 * a bad reply, is read off its words here, too.
 *
 * The input is a message as it arrives. Its first half is a Call, too, of which the
 * other half may be the reply.
 */

#include <stdlib.h>
#include <string.h>
#include <linux/unaligned.h>

#include "fuzz.h"
#include "codec_priv.h"
#include "plan.h"
#include "tests/rpcrdma2_codec_roundtrip.h"
#include "whole.h"

/* Longer than any header that is not refused for its length */
#define MAX_LEN		8192

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
 * check_room - see that a message is written only where it fits
 * @buf: the received bytes
 * @d: what was decoded from them
 * @len: length of its encoding, in bytes
 */
static void check_room(const u8 *buf, const struct codec_decoded *d, int len)
{
	u8 *out;

	if (d->msg.proc == RDMA2_ERROR || len <= RPCRDMA2_WORD)
		return;
	out = malloc(len - RPCRDMA2_WORD);
	require(codec_encode(out, len - RPCRDMA2_WORD, buf, d) == -EMSGSIZE,
		"what does not fit is not sent");
	free(out);
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

	if (len > 0)
		check_room(buf, d, len);
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
 * check_bare - write what has no chunks, as those do who are in a hurry
 * @buf: the received bytes
 * @d: what was decoded from them
 */
static void check_bare(const u8 *buf, const struct codec_decoded *d)
{
	const struct rpcrdma2_hdr hdr = {
		.xid = d->msg.xid, .credit = d->msg.credit, .dir = d->msg.dir,
	};
	u8 out[RPCRDMA2_HDRLEN_MIN];

	if (!d->msg.credit)
		return;
	rpcrdma2_encode_prefix(out, &hdr, d->msg.proc, d->msg.lists.inv_handle);
	require(!memcmp(out, buf, RPCRDMA2_PREFIX_SIZE), "same prefix");
	if (d->msg.proc != RDMA2_MSG || d->msg.hdrlen != RPCRDMA2_HDRLEN_MIN)
		return;
	rpcrdma2_encode_bare_msg(out, &hdr);
	rpcrdma2_set_inv_handle(out, d->msg.lists.inv_handle);
	require(!memcmp(out, buf, sizeof(out)), "same header");
}

/**
 * offers - how many Write chunks has a Call?
 * @call: what was decoded of it
 *
 * Return: their number
 */
static u32 offers(const struct codec_decoded *call)
{
	return call->msg.proc <= RDMA2_NOMSG ? call->msg.lists.write_chunks : 0;
}

/**
 * check_reply - compare a reply with a Call
 * @call: the bytes of the Call
 * @call_len: how many
 * @reply: the bytes of the reply
 * @d: what was decoded from them
 *
 * What fits does not return more chunks than there were, nor chunks for none.
 */
static void check_reply(const u8 *call, u32 call_len, const u8 *reply,
			const struct codec_decoded *d)
{
	static struct codec_decoded asked;

	if (d->msg.proc > RDMA2_NOMSG ||
	    !rpcrdma2_reply_fits(call, call_len, reply, &d->msg))
		return;
	require(!d->msg.lists.read_segs, "a reply has no Read list");
	if (!codec_decode(call, call_len, &codec_limits, &asked))
		return;
	require(d->msg.lists.write_chunks == offers(&asked), "the Write list comes back");
	if (!d->msg.lists.reply_present)
		return;
	require(asked.msg.proc <= RDMA2_NOMSG && asked.msg.lists.reply_present,
		"a Reply chunk was offered");
	require(d->msg.lists.reply_segs <= asked.msg.lists.reply_segs &&
		d->msg.lists.reply_bytes <= asked.msg.lists.reply_bytes,
		"no more comes back than was offered");
}

/**
 * check_placement - receive a message with placed data
 * @d: what was decoded
 * @size: bytes received
 */
static void check_placement(const struct codec_decoded *d, size_t size)
{
	const struct rpcrdma2_xmtreq *req = &d->xmtreq;
	bool call = d->msg.opt.type == ROPT_XMTREQ;
	struct rpcrdma2_part part = { .length = size, .hdrlen = d->msg.hdrlen };
	struct rpcrdma2_repterr fault = { };
	struct rpcrdma2_arrival arr;
	struct rpcrdma2_rbstruct rb;

	rpcrdma2_rbstruct_make(&rb, 96, 5, 128);
	if (call) {
		part.pslen = req->pslen;
		arr = (struct rpcrdma2_arrival){
			.rb = &rb, .max_message = 1 << 20, .limit = 1,
			.dir = RDMA2_CALL, .count = req->count, .nitems = req->nitems,
			.items = req->items, .pool = &req->pool,
			.nparts = 1, .parts = &part,
		};
	} else {
		part.pslen = d->xmtresp.pslen;
		rpcrdma2_arrival_resp(&arr, &d->xmtresp, &part, &rb, 1 << 20);
	}
	if (rpcrdma2_check_lead(&arr, call ? req : NULL, &fault))
		whole_check(&arr, call ? req : NULL);
	else
		require(fault.which, "a fault has a code");
}

/**
 * word - read a word
 * @data: the received bytes
 * @at: where it begins
 *
 * Return: the word
 */
static u32 word(const u8 *data, u32 at)
{
	return get_unaligned_be32(data + at);
}

/**
 * kind_of - what is a message?
 * @data: the received bytes
 * @size: how many, the fixed part at least
 *
 * Return: what its procedure and rdma_opttype say, sound or not
 */
static u32 kind_of(const u8 *data, size_t size)
{
	switch (word(data, 12)) {
	case RDMA2_MSG:
		return RPCRDMA2_K_MSG;
	case RDMA2_NOMSG:
		return RPCRDMA2_K_NOMSG;
	case RDMA2_ERROR:
		return RPCRDMA2_K_ERROR;
	case RDMA2_OPTIONAL:
		if (size >= 24 && word(data, 20) - ROPT_INITXCH <= ROPT_REPTERR - ROPT_INITXCH)
			return RPCRDMA2_K_INITXCH + word(data, 20) - ROPT_INITXCH;
	}
	return RPCRDMA2_NR_KINDS;
}

/**
 * check_mismatch - a payload that is another one is all that is wrong
 * @data: the received bytes
 * @size: how many
 * @msg: what was decoded from them
 */
static void check_mismatch(const u8 *data, size_t size, const struct rpcrdma2_msg *msg)
{
	static u8 right[MAX_LEN];
	struct rpcrdma2_msg again;

	require(msg->proc == RDMA2_MSG && msg->verdict == RPCRDMA2_BAD_XDR, "a MSG has a payload");
	memcpy(right, data, size);
	memcpy(right + msg->hdrlen, &msg->xid, sizeof(msg->xid));
	put_unaligned_be32(msg->dir, right + msg->hdrlen + RPCRDMA2_WORD);
	require(memcmp(right, data, size), "another payload is another one");
	require(rpcrdma2_decode(right, size, &codec_limits, &again) == RPCRDMA2_OK,
		"but for its payload the message is sound");
}

/**
 * ends - does a reply that does not parse say which RPC it is about?
 * @data: the received bytes
 * @size: how many, the fixed part at least
 * @msg: what was decoded from them
 *
 * Of RDMA2_OPTIONAL only ROPT_XMTRESP does, once it can be told where it ends.
 *
 * Return: %true if so.
 */
static bool ends(const u8 *data, size_t size, const struct rpcrdma2_msg *msg)
{
	if (word(data, 12) != RDMA2_OPTIONAL)
		return !msg->payload_mismatch;
	if (size < 28 || word(data, 16) > RDMA2_REPLY || word(data, 20) != ROPT_XMTRESP)
		return false;
	if (word(data, 24) <= (size - 28) / 4 * 4)
		return true;
	trace("a reply of %zu bytes goes beyond them", size);
	return false;
}

/**
 * check_header - a header is known for what it is, sound or not
 * @data: the received bytes
 * @size: how many
 * @msg: what was decoded from them
 */
static void check_header(const u8 *data, size_t size, const struct rpcrdma2_msg *msg)
{
	if (msg->verdict == RPCRDMA2_SHORT || msg->verdict == RPCRDMA2_BAD_VERS)
		return;
	require(rpcrdma2_msg_kind(msg) == kind_of(data, size), "the kind of a message is known");
	if (word(data, 12) != RDMA2_MSG)
		require(rpcrdma2_other_kind(msg) == kind_of(data, size),
			"what is no MSG is known, too");
	if (msg->payload_mismatch)
		check_mismatch(data, size, msg);
	require(rpcrdma2_ends_rpc(msg) == ends(data, size, msg),
		"it is known what a bad reply ends");
}

/**
 * check_payload - a payload is compared with its header as far as it goes
 * @data: the received bytes
 * @size: how many
 * @msg: what was decoded from them and found sound
 *
 * It may be as short as it likes, and no byte behind it is read.
 */
static void check_payload(const u8 *data, size_t size, const struct rpcrdma2_msg *msg)
{
	const u8 *payload = data + msg->hdrlen;
	u32 len, left = size - msg->hdrlen;
	bool same;
	u8 *copy;

	for (len = 0; len <= min_t(u32, left, RPCRDMA2_PAYLOAD_MIN + 1); len++) {
		copy = malloc(len);
		if (len)
			memcpy(copy, payload, len);
		same = len >= 8 && !memcmp(payload, &msg->xid, 4) && word(payload, 4) == msg->dir;
		require(rpcrdma2_payload_sound(copy, len, msg->xid, msg->dir) == same,
			"a payload has the xid and the direction of its header");
		require(!same || !rpcrdma2_payload_sound(copy, len, ~msg->xid, msg->dir),
			"it has no other xid");
		require(!same || !rpcrdma2_payload_sound(copy, len, msg->xid, !msg->dir),
			"it has no other direction");
		free(copy);
	}
	if (msg->proc == RDMA2_MSG)
		require(rpcrdma2_payload_sound(payload, left, msg->xid, msg->dir),
			"the payload of a MSG is sound");
}

/**
 * check_size - the length of a header is known before it is written
 * @d: ROPT_XMTREQ or ROPT_XMTRESP
 */
static void check_size(const struct codec_decoded *d)
{
	bool call = d->msg.opt.type == ROPT_XMTREQ;
	const struct rpcrdma2_mitem *items = call ? d->xmtreq.items : d->xmtresp.items;
	const struct rpcrdma2_segpool *pool = call ? &d->xmtreq.pool : &d->xmtresp.pool;
	u32 nitems = call ? d->xmtreq.nitems : d->xmtresp.nitems;
	u32 i, placed = 0, written = 0, size;

	for (i = 0; i < nitems; i++) {
		placed += items[i].type == XMPTYPE_TBSN;
		written += items[i].type == XMPTYPE_EXRW;
	}
	if (call && (placed < nitems || d->xmtreq.nsets))
		return;
	size = call ? rpcrdma2_xmtreq_size(placed, 0, 0) :
		      rpcrdma2_xmtresp_size(nitems, placed, written, pool->nsegs);
	require(d->msg.hdrlen == size + pool->ntbsns * RPCRDMA2_WORD, "a header is as long as planned");
}

/**
 * check_elements - a request holds each characteristic once
 * @req: the request
 *
 * Of elements that no answer could name the values are left out.
 */
static void check_elements(const struct rpcrdma2_reqxch *req)
{
	require(req->count > RPCRDMA2_SUBSET_WORDS * 32 ||
		req->count == hweight32(req->want.present) + req->want.disregarded +
			      req->want.unknown, "each element is counted, once");
}

/**
 * check_message - look at a message that was found sound
 * @data: the received bytes
 * @size: how many
 * @d: what was decoded from them
 */
static void check_message(const u8 *data, size_t size, struct codec_decoded *d)
{
	require(codec_result_sound(size, &codec_limits, d), "result sound");
	check_payload(data, size, &d->msg);
	if (d->msg.proc <= RDMA2_NOMSG)
		check_bare(data, d);
	check_reply(data, size, data, d);
	if (d->msg.proc == RDMA2_OPTIONAL && d->msg.opt.type == ROPT_REQXCH)
		check_elements(&d->reqxch);
	if (d->msg.proc == RDMA2_OPTIONAL &&
	    (d->msg.opt.type == ROPT_XMTREQ || d->msg.opt.type == ROPT_XMTRESP)) {
		check_size(d);
		check_placement(d, size);
	}
	check_again(data, d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct codec_decoded d;
	size_t half = size / 8 * 4;
	bool sound;

	if (size > MAX_LEN)
		return 0;
	sound = codec_decode(data, size, &codec_limits, &d);
	check_header(data, size, &d.msg);
	if (sound)
		check_message(data, size, &d);
	sound = codec_decode(data + half, size - half, &codec_limits, &d);
	check_header(data + half, size - half, &d.msg);
	if (sound)
		check_reply(data, half, data + half, &d);
	return 0;
}
