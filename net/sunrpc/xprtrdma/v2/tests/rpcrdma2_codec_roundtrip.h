/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: all of the codec behind two functions, for tests.
 *
 * Used by the tests of the codec in the kernel and in user space, and by the
 * fuzzer.
 */

#ifndef _RPCRDMA2_CODEC_ROUNDTRIP_H
#define _RPCRDMA2_CODEC_ROUNDTRIP_H

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "../codec.h"
#include "rpcrdma2_codec_lists.h"

static const struct rpcrdma2_limits codec_limits = {
	.max_message		= 1 << 20,
	.max_read_segs		= 8,
	.max_write_chunks	= 4,
	.max_segs		= 8,
	.opttypes		= GENMASK(ROPT_REPTERR, ROPT_INITXCH),
};

/**
 * struct codec_decoded - everything that can be got out of a message
 * @msg: its header
 * @rc: what the decoder of the opttype says, if there is one
 * @initxch: valid for ROPT_INITXCH
 * @reqxch: valid for ROPT_REQXCH
 * @respxch: valid for ROPT_RESPXCH
 * @updxch: valid for ROPT_UPDXCH
 * @xmtreq: valid for ROPT_XMTREQ
 * @xmtresp: valid for ROPT_XMTRESP
 * @xmtcont: valid for ROPT_XMTCONT
 * @repterr: valid for ROPT_REPTERR
 */
struct codec_decoded {
	struct rpcrdma2_msg	msg;
	int			rc;
	union {
		struct rpcrdma2_xchars		initxch;
		struct rpcrdma2_reqxch		reqxch;
		struct rpcrdma2_respxch		respxch;
		struct rpcrdma2_updxch		updxch;
		struct rpcrdma2_xmtreq		xmtreq;
		struct rpcrdma2_xmtresp		xmtresp;
		struct rpcrdma2_xmtcont		xmtcont;
		struct rpcrdma2_repterr		repterr;
	};
};

/**
 * codec_decode_option - decode rdma_optinfo
 * @buf: the received bytes
 * @d: sound RDMA2_OPTIONAL; OUT: what is in it
 *
 * Return: 0 or a negative errno.
 */
static inline int codec_decode_option(const void *buf, struct codec_decoded *d)
{
	switch (d->msg.opt.type) {
	case ROPT_INITXCH:
		rpcrdma2_xchars_default(&d->initxch);
		return rpcrdma2_decode_initxch(buf, &d->msg, &d->initxch);
	case ROPT_REQXCH:
		return rpcrdma2_decode_reqxch(buf, &d->msg, &d->reqxch);
	case ROPT_RESPXCH:
		return rpcrdma2_decode_respxch(buf, &d->msg, &d->respxch);
	case ROPT_UPDXCH:
		return rpcrdma2_decode_updxch(buf, &d->msg, &d->updxch);
	case ROPT_XMTREQ:
		return rpcrdma2_decode_xmtreq(buf, &d->msg, &d->xmtreq);
	case ROPT_XMTRESP:
		return rpcrdma2_decode_xmtresp(buf, &d->msg, &d->xmtresp);
	case ROPT_XMTCONT:
		return rpcrdma2_decode_xmtcont(buf, &d->msg, &d->xmtcont);
	case ROPT_REPTERR:
		return rpcrdma2_decode_repterr(buf, &d->msg, &d->repterr);
	}
	return -EINVAL;
}

/**
 * codec_decode - decode a message with whatever is in it
 * @buf: the received bytes
 * @len: how many there are
 * @lim: what the receiver is able to take
 * @d: OUT: everything
 *
 * Return: %true if all of it is sound.
 */
static inline bool codec_decode(const void *buf, u32 len,
				const struct rpcrdma2_limits *lim,
				struct codec_decoded *d)
{
	memset(d, 0, sizeof(*d));
	if (rpcrdma2_decode(buf, len, lim, &d->msg))
		return false;
	if (d->msg.proc == RDMA2_OPTIONAL)
		d->rc = codec_decode_option(buf, d);
	return !d->rc;
}

/**
 * codec_put_segs - write the rest of a chunk that is being walked
 * @out: where to write
 * @it: the walk
 * @count: segments in the chunk, 8 at most
 */
static inline void codec_put_segs(struct rpcrdma2_out *out, struct rpcrdma2_iter *it,
				  u32 count)
{
	struct rpcrdma2_segment segs[8];
	u32 i;

	for (i = 0; i < count; i++)
		rpcrdma2_segment_next(it, &segs[i]);
	rpcrdma2_put_chunk(out, segs, count);
}

/**
 * codec_encode_lists - encode what was decoded from RDMA2_MSG or RDMA2_NOMSG
 * @to: where the header goes
 * @size: room there, in bytes
 * @hdr: first fields
 * @buf: the received bytes
 * @msg: message decoded from them
 *
 * Return: length of the header in bytes, or a negative errno.
 */
static inline int codec_encode_lists(void *to, u32 size, const struct rpcrdma2_hdr *hdr,
				     const void *buf, const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_segment seg;
	struct rpcrdma2_iter it;
	struct rpcrdma2_out out;
	u32 position, count;

	rpcrdma2_begin_lists(&out, to, size, hdr, msg->proc, msg->lists.inv_handle);
	rpcrdma2_read_begin(&it, buf, msg);
	while (rpcrdma2_read_next(&it, &position, &seg))
		rpcrdma2_put_read(&out, position, &seg);
	rpcrdma2_put_end(&out);

	rpcrdma2_write_begin(&it, buf, msg);
	while (rpcrdma2_write_next(&it, &count))
		codec_put_segs(&out, &it, count);
	rpcrdma2_put_end(&out);

	if (msg->lists.reply_present) {
		rpcrdma2_reply_begin(&it, buf, msg);
		codec_put_segs(&out, &it, msg->lists.reply_segs);
	} else {
		rpcrdma2_put_end(&out);
	}
	return rpcrdma2_out_length(&out);
}

/**
 * codec_encode_option - encode what was decoded from RDMA2_OPTIONAL
 * @to: where the header goes
 * @size: room there, in bytes
 * @hdr: first fields
 * @d: what was decoded
 *
 * Return: length of the header in bytes, or a negative errno.
 */
static inline int codec_encode_option(void *to, u32 size, const struct rpcrdma2_hdr *hdr,
				      const struct codec_decoded *d)
{
	switch (d->msg.opt.type) {
	case ROPT_INITXCH:
		return rpcrdma2_encode_initxch(to, size, hdr, &d->initxch);
	case ROPT_REQXCH:
		return rpcrdma2_encode_reqxch(to, size, hdr, &d->reqxch.want);
	case ROPT_RESPXCH:
		return rpcrdma2_encode_respxch(to, size, hdr, &d->respxch);
	case ROPT_UPDXCH:
		return rpcrdma2_encode_updxch(to, size, hdr, &d->updxch.now,
					      d->updxch.pendclr);
	case ROPT_XMTREQ:
		return rpcrdma2_encode_xmtreq(to, size, hdr, &d->xmtreq);
	case ROPT_XMTRESP:
		return rpcrdma2_encode_xmtresp(to, size, hdr, &d->xmtresp);
	case ROPT_XMTCONT:
		return rpcrdma2_encode_xmtcont(to, size, hdr, &d->xmtcont);
	case ROPT_REPTERR:
		return rpcrdma2_encode_repterr(to, size, hdr, &d->repterr);
	}
	return -EINVAL;
}

/**
 * codec_encode - encode what was decoded
 * @to: where the header goes
 * @size: room there, in bytes; RPCRDMA2_ERRLEN_MAX at least
 * @buf: the received bytes
 * @d: what was decoded from them and found sound
 *
 * Return: length of the header in bytes, or a negative errno.
 */
static inline int codec_encode(void *to, u32 size, const void *buf,
			       const struct codec_decoded *d)
{
	struct rpcrdma2_hdr hdr = {
		.xid	= d->msg.xid,
		.credit	= d->msg.credit,
		.dir	= d->msg.dir,
	};

	switch (d->msg.proc) {
	case RDMA2_ERROR:
		return rpcrdma2_encode_error(to, &hdr, d->msg.vers, &d->msg.error);
	case RDMA2_OPTIONAL:
		return codec_encode_option(to, size, &hdr, d);
	}
	return codec_encode_lists(to, size, &hdr, buf, &d->msg);
}

/**
 * codec_one_encoding - has what was decoded only one encoding?
 * @d: what was decoded and found sound
 *
 * Characteristics may come in any order, and with elements and bits that mean
 * nothing here; a credit of zero is never sent.
 *
 * Return: %true if encoding it again has to yield the same bytes.
 */
static inline bool codec_one_encoding(const struct codec_decoded *d)
{
	if (!d->msg.credit)
		return false;
	return d->msg.proc != RDMA2_OPTIONAL || d->msg.opt.type > ROPT_UPDXCH;
}

/**
 * codec_in_bounds - is first to first + count inside of a pool?
 * @first: index
 * @count: how many
 * @used: how many are in the pool
 *
 * Return: %true if so.
 */
static inline bool codec_in_bounds(u32 first, u32 count, u32 used)
{
	return first <= used && count <= used - first;
}

/**
 * codec_items_sound - do items point into their pool?
 * @items: the items
 * @nitems: how many there are
 * @pool: the pool
 *
 * Return: %true if so.
 */
static inline bool codec_items_sound(const struct rpcrdma2_mitem *items, u32 nitems,
				     const struct rpcrdma2_segpool *pool)
{
	u32 i, used;

	if (nitems > RPCRDMA2_MAX_MITEMS || pool->nsegs > RPCRDMA2_MAX_XMTSEGS ||
	    pool->ntbsns > RPCRDMA2_MAX_TBSNS)
		return false;
	for (i = 0; i < nitems; i++) {
		used = items[i].type == XMPTYPE_TBSN ? pool->ntbsns : pool->nsegs;
		if (!codec_in_bounds(items[i].first, items[i].count, used))
			return false;
	}
	return true;
}

/**
 * codec_req_sound - can a decoded XMTREQ be indexed without checks?
 * @req: the request
 *
 * Return: %true if so.
 */
static inline bool codec_req_sound(const struct rpcrdma2_xmtreq *req)
{
	u32 i;

	if (req->nsets > RPCRDMA2_MAX_RSDSETS || req->nrsditems > RPCRDMA2_MAX_RSDITEMS)
		return false;
	for (i = 0; i < req->nsets; i++)
		if (!codec_in_bounds(req->sets[i].first, req->sets[i].count, req->nrsditems))
			return false;
	for (i = 0; i < req->nrsditems; i++)
		if (!codec_in_bounds(req->rsditems[i].first, req->rsditems[i].count,
				     req->pool.nsegs))
			return false;
	return codec_items_sound(req->items, req->nitems, &req->pool);
}

/**
 * codec_result_sound - does what was decoded keep the codec's promises?
 * @len: bytes received
 * @lim: limits that were given
 * @d: what was decoded from them and found sound
 *
 * Return: %true if so.
 */
static inline bool codec_result_sound(u32 len, const struct rpcrdma2_limits *lim,
				      const struct codec_decoded *d)
{
	const struct rpcrdma2_msg *msg = &d->msg;

	if (msg->hdrlen > len || msg->length != len || msg->dir > RDMA2_REPLY)
		return false;
	if (msg->proc <= RDMA2_NOMSG)
		return msg->lists.read_segs <= lim->max_read_segs &&
		       msg->lists.write_chunks <= lim->max_write_chunks &&
		       msg->lists.reply_segs <= lim->max_segs &&
		       msg->lists.read_bytes <= lim->max_message &&
		       msg->lists.reply_off < msg->hdrlen;
	if (msg->proc != RDMA2_OPTIONAL)
		return true;
	if (msg->opt.info_off + msg->opt.info_len != msg->hdrlen)
		return false;
	if (msg->opt.type == ROPT_XMTREQ)
		return codec_req_sound(&d->xmtreq);
	if (msg->opt.type == ROPT_XMTRESP)
		return codec_items_sound(d->xmtresp.items, d->xmtresp.nitems,
					 &d->xmtresp.pool);
	return true;
}

#endif /* _RPCRDMA2_CODEC_ROUNDTRIP_H */
