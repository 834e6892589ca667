// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: what the headers of all types have in common.
 */

#include "codec_priv.h"

/**
 * rpcrdma2_payload_sound - does an RPC message fit the header around it?
 * @payload: start of the RPC message
 * @len: bytes of it that are there
 * @xid: rdma_xid
 * @dir: rdma_direction or rdma_optdir
 *
 * Serves B-04, B-18, N-17, N-18, N-20, N-132.
 *
 * Return: %false if it is too short, or its xid or msg_type is another one.
 */
bool rpcrdma2_payload_sound(const void *payload, u32 len, __be32 xid, u32 dir)
{
	return len >= RPCRDMA2_PAYLOAD_MIN &&
	       rpcrdma2_payload_matches(payload, xid, dir);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_payload_sound);

/*
 * Section: sending
 */

/**
 * rpcrdma2_put_segment - write an rpcrdma2_segment
 * @out: where to write
 * @seg: the segment
 */
void rpcrdma2_put_segment(struct rpcrdma2_out *out, const struct rpcrdma2_segment *seg)
{
	rpcrdma2_put(out, seg->handle);
	rpcrdma2_put(out, seg->length);
	rpcrdma2_put(out, upper_32_bits(seg->offset));
	rpcrdma2_put(out, lower_32_bits(seg->offset));
}

/**
 * rpcrdma2_put_segments - write an array of segments
 * @out: where to write
 * @segs: the segments
 * @count: how many there are
 */
void rpcrdma2_put_segments(struct rpcrdma2_out *out,
			   const struct rpcrdma2_segment *segs, u32 count)
{
	u32 i;

	rpcrdma2_put(out, count);
	for (i = 0; i < count; i++)
		rpcrdma2_put_segment(out, &segs[i]);
}

/**
 * rpcrdma2_begin_option - begin to write RDMA2_OPTIONAL
 * @out: OUT: where to write on, at the content of rdma_optinfo
 * @buf: where the header goes
 * @size: room there, in bytes
 * @hdr: first fields
 * @type: rdma_opttype
 */
void rpcrdma2_begin_option(struct rpcrdma2_out *out, void *buf, u32 size,
			   const struct rpcrdma2_hdr *hdr, u32 type)
{
	u8 *p = buf;

	out->base = buf;
	out->pos = 0;
	out->size = size;
	out->full = size < RPCRDMA2_OPT_SIZE;
	if (out->full)
		return;
	rpcrdma2_write_fixed(p, hdr, RPCRDMA2_VERSION, RDMA2_OPTIONAL);
	put_unaligned_be32(hdr->dir, p + RPCRDMA2_FIXED_SIZE);
	put_unaligned_be32(type, p + RPCRDMA2_FIXED_SIZE + RPCRDMA2_WORD);
	put_unaligned_be32(0, p + RPCRDMA2_FIXED_SIZE + 2 * RPCRDMA2_WORD);
	out->pos = RPCRDMA2_OPT_SIZE;
}

/**
 * rpcrdma2_end_option - finish RDMA2_OPTIONAL
 * @out: what was written
 *
 * Fills in the length of rdma_optinfo, which is a whole number of words.
 *
 * Return: length of the header in bytes, or %-EMSGSIZE if it did not fit.
 */
int rpcrdma2_end_option(struct rpcrdma2_out *out)
{
	if (out->full)
		return -EMSGSIZE;
	put_unaligned_be32(out->pos - RPCRDMA2_OPT_SIZE,
			   out->base + RPCRDMA2_OPT_SIZE - RPCRDMA2_WORD);
	return out->pos;
}
