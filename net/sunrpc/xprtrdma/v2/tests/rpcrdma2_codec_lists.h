/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: headers with chunk lists, as tests write them. What the
 * module sends of these is written by the helpers of version 1.
 */

#ifndef _RPCRDMA2_CODEC_LISTS_H
#define _RPCRDMA2_CODEC_LISTS_H

#include <linux/errno.h>
#include <linux/unaligned.h>

#include "../codec_priv.h"

/*
 * Begin to write RDMA2_MSG or RDMA2_NOMSG. @out: OUT: where to write on, at the
 * Read list. Then follow that, the Write list and the Reply chunk, each ended by
 * rpcrdma2_put_end(), except for a Reply chunk that is there.
 */
static inline void rpcrdma2_begin_lists(struct rpcrdma2_out *out, void *buf,
					u32 size, const struct rpcrdma2_hdr *hdr,
					u32 proc, u32 inv_handle)
{
	out->base = buf;
	out->pos = RPCRDMA2_PREFIX_SIZE;
	out->size = size;
	out->full = size < RPCRDMA2_PREFIX_SIZE;
	if (!out->full)
		rpcrdma2_encode_prefix(buf, hdr, proc, inv_handle);
}

static inline void rpcrdma2_put_one(struct rpcrdma2_out *out,
				    const struct rpcrdma2_segment *seg)
{
	rpcrdma2_put(out, seg->handle);
	rpcrdma2_put(out, seg->length);
	rpcrdma2_put(out, seg->offset >> 32);
	rpcrdma2_put(out, (u32)seg->offset);
}

/* Write an entry of the Read list. */
static inline void rpcrdma2_put_read(struct rpcrdma2_out *out, u32 position,
				     const struct rpcrdma2_segment *seg)
{
	rpcrdma2_put(out, 1);
	rpcrdma2_put(out, position);
	rpcrdma2_put_one(out, seg);
}

/* Write a Write chunk or the Reply chunk. */
static inline void rpcrdma2_put_chunk(struct rpcrdma2_out *out,
				      const struct rpcrdma2_segment *segs,
				      u32 count)
{
	u32 i;

	rpcrdma2_put(out, 1);
	rpcrdma2_put(out, count);
	for (i = 0; i < count; i++)
		rpcrdma2_put_one(out, &segs[i]);
}

/* End a list, or say that there is no Reply chunk. */
static inline void rpcrdma2_put_end(struct rpcrdma2_out *out)
{
	rpcrdma2_put(out, 0);
}

/* Returns the length of the header in bytes, or -EMSGSIZE if it did not fit. */
static inline int rpcrdma2_out_length(const struct rpcrdma2_out *out)
{
	return out->full ? -EMSGSIZE : (int)out->pos;
}

#endif /* _RPCRDMA2_CODEC_LISTS_H */
