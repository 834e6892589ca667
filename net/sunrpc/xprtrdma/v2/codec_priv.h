/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: reading and writing words, for the codec only.
 */

#ifndef _RPCRDMA2_CODEC_PRIV_H
#define _RPCRDMA2_CODEC_PRIV_H

#include <asm/barrier.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unaligned.h>
#include <kunit/visibility.h>

#include "codec.h"

/* Smallest encoded size of each counted element, in bytes */
enum {
	RPCRDMA2_WORD		= 4,
	RPCRDMA2_SEGMENT_SIZE	= 16,
	RPCRDMA2_XCHARVAL_MIN	= 8,
	RPCRDMA2_RBGROUP_SIZE	= 16,
	RPCRDMA2_MITEM_MIN	= 12,
	/* Disp, length and type of an item */
	RPCRDMA2_MITEM_WORDS	= 3,
	RPCRDMA2_RSDSET_MIN	= 12,
	RPCRDMA2_RSDITEM_MIN	= 8,
	/* xid and msg_type */
	RPCRDMA2_PAYLOAD_MIN	= 8,
};

/* A place in received bytes. Invariant: @pos <= @end. */
struct rpcrdma2_cur {
	const u8	*base;	/* first byte of the message */
	u32		pos;	/* offset of the next byte to read */
	u32		end;	/* offset behind the last byte that may be read */
};

/* How many bytes there are still to read */
static inline u32 rpcrdma2_left(const struct rpcrdma2_cur *cur)
{
	return cur->end - cur->pos;
}

/* Read one word. @cur: place in the received bytes, moved behind the word. @val:
 * OUT: the word in host order; untouched on failure. Returns false if there is no
 * whole word left.
 */
static inline bool rpcrdma2_get(struct rpcrdma2_cur *cur, u32 *val)
{
	if (rpcrdma2_left(cur) < RPCRDMA2_WORD)
		return false;
	*val = get_unaligned_be32(cur->base + cur->pos);
	cur->pos += RPCRDMA2_WORD;
	return true;
}

/* Read an XDR bool, optional word or msg_type. @cur: place in the received bytes,
 * moved behind the word. @val: OUT: the value; untouched on failure. Returns
 * false if no whole word is left or it is not 0 or 1.
 */
static inline bool rpcrdma2_get_bool(struct rpcrdma2_cur *cur, bool *val)
{
	u32 word;

	if (!rpcrdma2_get(cur, &word) || word > 1)
		return false;
	*val = word;
	return true;
}

/* Read rdma_direction or rdma_optdir. @msg: OUT: @dir, left unknown if the word
 * is cut or garbled. Returns false if the direction is not known.
 */
static inline bool rpcrdma2_decode_dir(struct rpcrdma2_cur *cur,
				       struct rpcrdma2_msg *msg)
{
	bool reply;

	if (!rpcrdma2_get_bool(cur, &reply))
		return false;
	msg->dir = reply ? RDMA2_REPLY : RDMA2_CALL;
	return true;
}

/* Read how many elements follow. @cur: place in the received bytes, moved behind
 * the word. @size: smallest encoded size of an element, in bytes. @count: OUT:
 * number of elements. What is left is checked before anything is done with the
 * count (S-11). Returns false if so many elements cannot be in what is left.
 */
static inline bool rpcrdma2_get_count(struct rpcrdma2_cur *cur, u32 size,
				      u32 *count)
{
	return rpcrdma2_get(cur, count) && *count <= rpcrdma2_left(cur) / size;
}

/* Read an rpcrdma2_segment. @cur: place in the received bytes, moved behind the
 * segment. @seg: OUT: the segment; untouched on failure. Returns false if there
 * is no whole segment left.
 */
static inline bool rpcrdma2_get_segment(struct rpcrdma2_cur *cur,
					struct rpcrdma2_segment *seg)
{
	const u8 *p = cur->base + cur->pos;

	if (rpcrdma2_left(cur) < RPCRDMA2_SEGMENT_SIZE)
		return false;
	seg->handle = get_unaligned_be32(p);
	seg->length = get_unaligned_be32(p + 4);
	seg->offset = get_unaligned_be64(p + 8);
	cur->pos += RPCRDMA2_SEGMENT_SIZE;
	return true;
}

/* Is an RPC message the one that a header names? @payload: its first
 * RPCRDMA2_PAYLOAD_MIN bytes. @xid: rdma_xid. @dir: rdma_direction or
 * rdma_optdir. Returns false if its xid or msg_type is another one.
 */
static inline bool rpcrdma2_payload_matches(const void *payload, __be32 xid,
					    u32 dir)
{
	return get_unaligned_be32(payload) == be32_to_cpu(xid) &&
	       get_unaligned_be32(payload + RPCRDMA2_WORD) == dir;
}

/* Begin to read rdma_optinfo. @cur: OUT: place in the received bytes. @msg:
 * RDMA2_OPTIONAL message decoded from them.
 */
static inline void rpcrdma2_option_cur(struct rpcrdma2_cur *cur, const void *buf,
				       const struct rpcrdma2_msg *msg)
{
	cur->base = buf;
	cur->pos = msg->opt.info_off;
	cur->end = msg->opt.info_off + msg->opt.info_len;
}

/* A header that is being written */
struct rpcrdma2_out {
	u8	*base;	/* first byte */
	u32	pos;	/* bytes written */
	u32	size;	/* bytes that may be written */
	bool	full;	/* something did not fit; nothing more is written */
};

/* Write one word. @out: where to write; marked full if the word does not fit.
 * @val: the word, in host order.
 */
static inline void rpcrdma2_put(struct rpcrdma2_out *out, u32 val)
{
	if (out->size - out->pos < RPCRDMA2_WORD)
		out->full = true;
	if (out->full)
		return;
	put_unaligned_be32(val, out->base + out->pos);
	out->pos += RPCRDMA2_WORD;
}

/* Write the four words common to all versions. @p: where RPCRDMA2_FIXED_SIZE
 * bytes go. @hdr: xid and credit. @vers: rdma_vers. @proc: rdma_proc. A credit
 * value of zero would stop the peer for ever (A-27, D-13).
 */
static inline void rpcrdma2_write_fixed(u8 *p, const struct rpcrdma2_hdr *hdr,
					u32 vers, u32 proc)
{
	put_unaligned_be32(be32_to_cpu(hdr->xid), p);
	put_unaligned_be32(vers, p + RPCRDMA2_WORD);
	put_unaligned_be32(max_t(u32, hdr->credit, 1), p + 2 * RPCRDMA2_WORD);
	put_unaligned_be32(proc, p + 3 * RPCRDMA2_WORD);
}

/* Where the value of a characteristic is kept. Returns its place, of the type that the
 * table says.
 */
static inline void *rpcrdma2_xchar_field(const struct rpcrdma2_xchars *xc, u32 n)
{
	return (u8 *)xc + rpcrdma2_xchar_table[n].offset;
}

/* Add an element to a subset, if that has room for it. */
static inline void rpcrdma2_subset_set(struct rpcrdma2_subset *set, u32 element)
{
	if (element / 32 < RPCRDMA2_SUBSET_WORDS)
		set->words[element / 32] |= BIT(element % 32);
}

static inline bool rpcrdma2_subset_test(const struct rpcrdma2_subset *set, u32 element)
{
	return element / 32 < RPCRDMA2_SUBSET_WORDS &&
	       set->words[element / 32] & BIT(element % 32);
}

/* The room that an item takes in an XDR stream. @length: length of the item, in
 * bytes. Returns @length and what pads it to a whole word.
 */
static inline u64 rpcrdma2_roundup(u64 length)
{
	return (length + RPCRDMA2_WORD - 1) & ~(u64)(RPCRDMA2_WORD - 1);
}

enum rpcrdma2_verdict rpcrdma2_decode_lists(struct rpcrdma2_cur *cur,
					    const struct rpcrdma2_limits *lim,
					    struct rpcrdma2_msg *msg);

void rpcrdma2_put_segments(struct rpcrdma2_out *out,
			   const struct rpcrdma2_segment *segs, u32 count);
void rpcrdma2_begin_option(struct rpcrdma2_out *out, void *buf, u32 size,
			   const struct rpcrdma2_hdr *hdr, u32 type);
int rpcrdma2_end_option(struct rpcrdma2_out *out);

#endif /* _RPCRDMA2_CODEC_PRIV_H */
