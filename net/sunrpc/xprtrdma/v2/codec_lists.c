// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: what the headers of all types have in common, and chunk lists,
 * the body of RDMA2_MSG and RDMA2_NOMSG.
 *
 * Decoding leaves the lists where they are and counts what is in them; then
 * comes a look at what they mean together. The invariants are those of
 * codec.c.
 */

#include "codec_priv.h"

/**
 * rpcrdma2_payload_sound - does an RPC message fit the header around it?
 * @payload: start of the RPC message
 * @len: bytes of it that are there
 * @xid: rdma_xid
 * @dir: rdma_direction or rdma_optdir
 *
 * Return: %false if it is too short, or its xid or msg_type is another one.
 */
bool rpcrdma2_payload_sound(const void *payload, u32 len, __be32 xid, u32 dir)
{
	return len >= RPCRDMA2_PAYLOAD_MIN &&
	       rpcrdma2_payload_matches(payload, xid, dir);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_payload_sound);

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
	for (i = 0; i < count; i++) {
		rpcrdma2_put(out, segs[i].handle);
		rpcrdma2_put(out, segs[i].length);
		rpcrdma2_put(out, upper_32_bits(segs[i].offset));
		rpcrdma2_put(out, lower_32_bits(segs[i].offset));
	}
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

/* Section: receiving lists */

/* Find out whether the nominated handle was offered (A-23, B-43). */
static void rpcrdma2_note_handle(struct rpcrdma2_lists *lists,
				 const struct rpcrdma2_segment *seg)
{
	if (lists->inv_handle && seg->handle == lists->inv_handle)
		lists->inv_listed = true;
}

/* Read one entry of the Read list. False if the entry is cut or lengths add up to
 * too much (N-16).
 */
static bool rpcrdma2_decode_read(struct rpcrdma2_cur *cur, struct rpcrdma2_lists *lists)
{
	struct rpcrdma2_segment seg;
	u32 position;

	if (!rpcrdma2_get(cur, &position) || !rpcrdma2_get_segment(cur, &seg))
		return false;
	if (check_add_overflow(lists->read_bytes, seg.length, &lists->read_bytes))
		return false;
	rpcrdma2_note_handle(lists, &seg);
	lists->read_segs++;
	if (position)
		return true;
	/* Cannot overflow, being a part of the sum above */
	lists->pzrc_bytes += seg.length;
	lists->pzrc_segs++;
	return true;
}

/* Read rdma_reads (N-12, N-16). False if the list does not parse or is too long. */
static bool rpcrdma2_decode_read_list(struct rpcrdma2_cur *cur,
				      const struct rpcrdma2_limits *lim,
				      struct rpcrdma2_lists *lists)
{
	bool more;

	lists->read_off = cur->pos;
	while (rpcrdma2_get_bool(cur, &more)) {
		if (!more)
			return true;
		if (lists->read_segs >= lim->max_read_segs)
			return false;
		if (!rpcrdma2_decode_read(cur, lists))
			return false;
	}
	return false;
}

/* Read a Write chunk or Reply chunk (N-12, N-16). False if the chunk does not parse
 * or is too long.
 */
static bool rpcrdma2_decode_chunk(struct rpcrdma2_cur *cur,
				  const struct rpcrdma2_limits *lim,
				  struct rpcrdma2_lists *lists, u32 *segs, u32 *bytes)
{
	struct rpcrdma2_segment seg;
	u32 i;

	*bytes = 0;
	if (!rpcrdma2_get_count(cur, RPCRDMA2_SEGMENT_SIZE, segs) || *segs > lim->max_segs)
		return false;
	for (i = 0; i < *segs; i++) {
		if (!rpcrdma2_get_segment(cur, &seg))
			return false;
		if (check_add_overflow(*bytes, seg.length, bytes))
			return false;
		rpcrdma2_note_handle(lists, &seg);
	}
	return true;
}

/* Read rdma_writes (N-12, N-16). Only a chunk has a length that must fit 32 bits;
 * the sum kept for the list stops at U32_MAX. False if the list does not parse or is
 * too long.
 */
static bool rpcrdma2_decode_write_list(struct rpcrdma2_cur *cur,
				       const struct rpcrdma2_limits *lim,
				       struct rpcrdma2_lists *lists)
{
	u32 segs, bytes;
	bool more;

	lists->write_off = cur->pos;
	while (rpcrdma2_get_bool(cur, &more)) {
		if (!more)
			return true;
		if (lists->write_chunks >= lim->max_write_chunks)
			return false;
		if (!rpcrdma2_decode_chunk(cur, lim, lists, &segs, &bytes))
			return false;
		lists->write_chunks++;
		if (check_add_overflow(lists->write_bytes, bytes, &lists->write_bytes))
			lists->write_bytes = U32_MAX;
	}
	return false;
}

/* Read rdma_reply (N-12, N-16). False if the chunk does not parse or is too long. */
static bool rpcrdma2_decode_reply_chunk(struct rpcrdma2_cur *cur,
					const struct rpcrdma2_limits *lim,
					struct rpcrdma2_lists *lists)
{
	lists->reply_off = cur->pos;
	if (!rpcrdma2_get_bool(cur, &lists->reply_present))
		return false;
	if (!lists->reply_present)
		return true;
	return rpcrdma2_decode_chunk(cur, lim, lists, &lists->reply_segs,
				     &lists->reply_bytes);
}

/* Do the Read chunks form an RPC message (N-16, N-21)? Positions count in the
 * message as it was before anything was taken out: chunks follow each other
 * without overlap, and what remains in front of each is in the body. Segments
 * of one chunk stand together. The position-zero chunk is itself the body.
 * @msg: has Read segments. False if the lists cannot mean anything.
 */
static bool rpcrdma2_reads_sound(const void *buf, const struct rpcrdma2_msg *msg,
				 const struct rpcrdma2_limits *lim, u32 body)
{
	u64 taken = 0, sum = 0, end = 0;
	u32 position, last = 0;
	struct rpcrdma2_segment seg;
	struct rpcrdma2_iter it;

	rpcrdma2_read_begin(&it, buf, msg);
	while (rpcrdma2_read_next(&it, &position, &seg)) {
		if (position % RPCRDMA2_WORD)
			return false;
		if (position != last) {
			if (last) {
				taken += rpcrdma2_roundup(sum);
				end = last + rpcrdma2_roundup(sum);
			}
			if (position < end || position - taken > body)
				return false;
			last = position;
			sum = 0;
		}
		sum += seg.length;
	}
	if (last)
		taken += rpcrdma2_roundup(sum);
	return body + taken <= lim->max_message;
}

/* Look at the payload of RDMA2_MSG (B-14, B-18, N-17, N-18, N-21, N-22). */
static enum rpcrdma2_verdict rpcrdma2_check_msg(const void *buf,
						const struct rpcrdma2_limits *lim,
						struct rpcrdma2_msg *msg)
{
	u32 payload = msg->length - msg->hdrlen;

	if (msg->lists.pzrc_segs || payload < RPCRDMA2_PAYLOAD_MIN)
		return RPCRDMA2_BAD_XDR;
	if (msg->lists.read_segs && !rpcrdma2_reads_sound(buf, msg, lim, payload))
		return RPCRDMA2_BAD_XDR;
	if (rpcrdma2_payload_matches(buf + msg->hdrlen, msg->xid, msg->dir))
		return RPCRDMA2_OK;
	msg->payload_mismatch = true;
	return RPCRDMA2_BAD_XDR;
}

/* Is there something that RDMA2_NOMSG stands for? A chunk too short for an xid and a
 * msg_type holds no RPC message either. Serves B-17, N-21, N-23; bytes behind the
 * header are of no interest (N-25).
 */
static enum rpcrdma2_verdict rpcrdma2_check_nomsg(const void *buf,
						  const struct rpcrdma2_limits *lim,
						  struct rpcrdma2_msg *msg)
{
	const struct rpcrdma2_lists *lists = &msg->lists;
	u32 body = msg->dir == RDMA2_CALL ? lists->pzrc_bytes : lists->reply_bytes;

	if (body < RPCRDMA2_PAYLOAD_MIN)
		return RPCRDMA2_BAD_XDR;
	if (lists->read_segs && !rpcrdma2_reads_sound(buf, msg, lim, body))
		return RPCRDMA2_BAD_XDR;
	return RPCRDMA2_OK;
}

/* Are all three lists empty, as they mostly are? @cur: a word for each of them is
 * left; behind them if so. Returns false if they have to be read one by one.
 */
static bool rpcrdma2_no_lists(struct rpcrdma2_cur *cur, struct rpcrdma2_lists *lists)
{
	u32 pos = cur->pos;
	const u8 *p = cur->base + pos;

	if (get_unaligned_be64(p) || get_unaligned_be32(p + 2 * RPCRDMA2_WORD))
		return false;
	lists->read_off = pos;
	lists->write_off = pos + RPCRDMA2_WORD;
	lists->reply_off = pos + 2 * RPCRDMA2_WORD;
	cur->pos = pos + 3 * RPCRDMA2_WORD;
	return true;
}

/* Read the three lists. False if they do not parse. Not inline: most messages need
 * nothing of this, nor the registers for it.
 */
static noinline bool rpcrdma2_read_lists(struct rpcrdma2_cur *cur,
					 const struct rpcrdma2_limits *lim,
					 struct rpcrdma2_lists *lists)
{
	return rpcrdma2_decode_read_list(cur, lim, lists) &&
	       rpcrdma2_decode_write_list(cur, lim, lists) &&
	       rpcrdma2_decode_reply_chunk(cur, lim, lists);
}

/**
 * rpcrdma2_decode_lists - read the body of RDMA2_MSG or RDMA2_NOMSG
 * @cur: place in the received bytes
 * @lim: what the receiver is able to take
 * @msg: OUT: @dir, @hdrlen and @lists
 *
 * Return: a verdict.
 */
enum rpcrdma2_verdict rpcrdma2_decode_lists(struct rpcrdma2_cur *cur,
					    const struct rpcrdma2_limits *lim,
					    struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_lists *lists = &msg->lists;

	/* The handle, and each list has a word at least */
	if (!rpcrdma2_decode_dir(cur, msg) ||
	    rpcrdma2_left(cur) < 4 * RPCRDMA2_WORD)
		return RPCRDMA2_BAD_XDR;
	rpcrdma2_get(cur, &lists->inv_handle);
	if (!rpcrdma2_no_lists(cur, lists) && !rpcrdma2_read_lists(cur, lim, lists))
		return RPCRDMA2_BAD_XDR;
	msg->hdrlen = cur->pos;

	if (msg->dir == RDMA2_REPLY && lists->read_segs)
		return RPCRDMA2_BAD_XDR;
	if (msg->proc == RDMA2_MSG)
		return rpcrdma2_check_msg(cur->base, lim, msg);
	return rpcrdma2_check_nomsg(cur->base, lim, msg);
}

/* Section: walking chunk lists that were found sound (invariant D4) */

static void rpcrdma2_next_segment(struct rpcrdma2_iter *it, struct rpcrdma2_segment *seg)
{
	seg->handle = get_unaligned_be32(it->pos);
	seg->length = get_unaligned_be32(it->pos + 4);
	seg->offset = get_unaligned_be64(it->pos + 8);
	it->pos += RPCRDMA2_SEGMENT_SIZE;
}

/**
 * rpcrdma2_read_begin - begin to walk the Read list
 * @it: OUT: place in the lists
 * @buf: the bytes that @msg was decoded from
 * @msg: RDMA2_MSG or RDMA2_NOMSG with sound lists
 */
void rpcrdma2_read_begin(struct rpcrdma2_iter *it, const void *buf,
			 const struct rpcrdma2_msg *msg)
{
	it->pos = buf + msg->lists.read_off;
	it->chunks = msg->lists.read_segs;
	it->segs = 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_read_begin);

/**
 * rpcrdma2_read_next - take an entry of the Read list
 * @it: place in the list, moved behind the entry
 * @position: OUT: rdma_position, in bytes
 * @seg: OUT: the segment
 *
 * Return: %false at the end of the list.
 */
bool rpcrdma2_read_next(struct rpcrdma2_iter *it, u32 *position,
			struct rpcrdma2_segment *seg)
{
	if (!it->chunks)
		return false;
	it->chunks--;
	*position = get_unaligned_be32(it->pos + RPCRDMA2_WORD);
	it->pos += 2 * RPCRDMA2_WORD;
	rpcrdma2_next_segment(it, seg);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_read_next);

/**
 * rpcrdma2_write_begin - begin to walk the Write list
 * @it: OUT: place in the lists
 * @buf: the bytes that @msg was decoded from
 * @msg: RDMA2_MSG or RDMA2_NOMSG with sound lists
 */
void rpcrdma2_write_begin(struct rpcrdma2_iter *it, const void *buf,
			  const struct rpcrdma2_msg *msg)
{
	it->pos = buf + msg->lists.write_off;
	it->chunks = msg->lists.write_chunks;
	it->segs = 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_write_begin);

/**
 * rpcrdma2_write_next - go to the next Write chunk
 * @it: place in the list
 * @segs: OUT: segments in the chunk, which rpcrdma2_segment_next() yields
 *
 * What was not taken of the chunk before is passed over.
 *
 * Return: %false at the end of the list.
 */
bool rpcrdma2_write_next(struct rpcrdma2_iter *it, u32 *segs)
{
	it->pos += (size_t)it->segs * RPCRDMA2_SEGMENT_SIZE;
	it->segs = 0;
	if (!it->chunks)
		return false;
	it->chunks--;
	*segs = get_unaligned_be32(it->pos + RPCRDMA2_WORD);
	it->pos += 2 * RPCRDMA2_WORD;
	it->segs = *segs;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_write_next);

/**
 * rpcrdma2_reply_begin - begin to walk the Reply chunk
 * @it: OUT: place in the chunk; rpcrdma2_segment_next() yields its segments
 * @buf: the bytes that @msg was decoded from
 * @msg: RDMA2_MSG or RDMA2_NOMSG with sound lists
 */
void rpcrdma2_reply_begin(struct rpcrdma2_iter *it, const void *buf,
			  const struct rpcrdma2_msg *msg)
{
	it->pos = buf + msg->lists.reply_off + 2 * RPCRDMA2_WORD;
	it->chunks = 0;
	it->segs = msg->lists.reply_segs;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_reply_begin);

/**
 * rpcrdma2_segment_next - take a segment of the present chunk
 * @it: place in the chunk, moved behind the segment
 * @seg: OUT: the segment
 *
 * Return: %false at the end of the chunk.
 */
bool rpcrdma2_segment_next(struct rpcrdma2_iter *it, struct rpcrdma2_segment *seg)
{
	if (!it->segs)
		return false;
	it->segs--;
	rpcrdma2_next_segment(it, seg);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_segment_next);

/* Section: comparing a reply with what was offered to it */

/* Find the Write list of a Call. @cur: the Call as it was sent, moved to its Write
 * list. False if the Call has no chunk lists.
 */
static bool rpcrdma2_find_offer(struct rpcrdma2_cur *cur)
{
	struct rpcrdma2_segment seg;
	u32 position;
	bool more;

	if (cur->end < RPCRDMA2_PREFIX_SIZE ||
	    get_unaligned_be32(cur->base + 12) > RDMA2_NOMSG)
		return false;
	cur->pos = RPCRDMA2_PREFIX_SIZE;
	while (rpcrdma2_get_bool(cur, &more)) {
		if (!more)
			return true;
		if (!rpcrdma2_get(cur, &position) || !rpcrdma2_get_segment(cur, &seg))
			return false;
	}
	return false;
}

/* Is a returned chunk within the one offered? @cur: the Call, at an offered chunk's
 * segment count. @it: the reply, at the first segment of the returned chunk.
 * Segments that do not come back were not used. False if there are more segments or
 * a longer one.
 */
static bool rpcrdma2_chunk_fits(struct rpcrdma2_cur *cur, struct rpcrdma2_iter *it)
{
	struct rpcrdma2_segment offered, used;
	u32 i, segs;

	if (!rpcrdma2_get_count(cur, RPCRDMA2_SEGMENT_SIZE, &segs))
		return false;
	if (it->segs > segs)
		return false;
	for (i = 0; i < segs; i++) {
		if (!rpcrdma2_get_segment(cur, &offered))
			return false;
		if (rpcrdma2_segment_next(it, &used) && used.length > offered.length)
			return false;
	}
	return true;
}

/* Is the returned Write list within the one offered? @cur: the Call, at its Write
 * list. @msg: the reply, decoded from them. The list comes back whole, so
 * there must be as many chunks.
 */
static bool rpcrdma2_writes_fit(struct rpcrdma2_cur *cur, const void *reply,
				const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_iter it;
	bool more;
	u32 segs;

	rpcrdma2_write_begin(&it, reply, msg);
	while (rpcrdma2_get_bool(cur, &more)) {
		if (more != rpcrdma2_write_next(&it, &segs))
			return false;
		if (!more)
			return true;
		if (!rpcrdma2_chunk_fits(cur, &it))
			return false;
	}
	return false;
}

/* Is a returned Reply chunk within the one offered? @cur: the Call, at its Reply
 * chunk. @msg: the reply, decoded from them. An inline reply leaves an unused Reply
 * chunk out or says that nothing was written to it.
 */
static bool rpcrdma2_reply_chunk_fits(struct rpcrdma2_cur *cur, const void *reply,
				      const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_iter it;
	bool offered;

	if (!msg->lists.reply_present)
		return true;
	if (!rpcrdma2_get_bool(cur, &offered) || !offered)
		return false;
	if (msg->proc == RDMA2_MSG && msg->lists.reply_bytes)
		return false;
	rpcrdma2_reply_begin(&it, reply, msg);
	return rpcrdma2_chunk_fits(cur, &it);
}

/**
 * rpcrdma2_reply_fits - does a reply use only what its Call offered?
 * @call: header of the Call, as it was sent
 * @call_len: its length, in bytes
 * @reply: the received bytes
 * @msg: the reply, decoded from them and found sound
 *
 * Only RDMA2_MSG and RDMA2_NOMSG offer chunks that such a reply can use, and
 * only if they are longer than without; one to XMTREQ must have none.
 *
 * Return: %false if the reply is to be treated as a failure of its RPC.
 */
bool rpcrdma2_reply_fits(const void *call, u32 call_len,
			 const void *reply, const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_cur cur = {
		.base	= call,
		.end	= call_len,
	};

	if (msg->lists.read_segs)
		return false;
	if (call_len <= RPCRDMA2_HDRLEN_MIN || !rpcrdma2_find_offer(&cur))
		return !msg->lists.write_chunks && !msg->lists.reply_present;
	return rpcrdma2_writes_fit(&cur, reply, msg) &&
	       rpcrdma2_reply_chunk_fits(&cur, reply, msg);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_reply_fits);

/**
 * rpcrdma2_encode_prefix - write RDMA2_MSG or RDMA2_NOMSG up to the Read list
 * @buf: where RPCRDMA2_PREFIX_SIZE bytes go
 * @hdr: first fields
 * @proc: RDMA2_MSG or RDMA2_NOMSG
 * @inv_handle: rdma_inv_handle, 0 if none (B-32)
 */
void rpcrdma2_encode_prefix(void *buf, const struct rpcrdma2_hdr *hdr,
			    u32 proc, u32 inv_handle)
{
	u8 *p = buf;

	rpcrdma2_write_fixed(p, hdr, RPCRDMA2_VERSION, proc);
	put_unaligned_be32(hdr->dir, p + RPCRDMA2_FIXED_SIZE);
	put_unaligned_be32(inv_handle, p + RPCRDMA2_FIXED_SIZE + RPCRDMA2_WORD);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_encode_prefix);

/**
 * rpcrdma2_encode_bare_msg - write RDMA2_MSG with three empty lists
 * @buf: where RPCRDMA2_HDRLEN_MIN bytes go
 * @hdr: first fields
 */
void rpcrdma2_encode_bare_msg(void *buf, const struct rpcrdma2_hdr *hdr)
{
	rpcrdma2_encode_prefix(buf, hdr, RDMA2_MSG, 0);
	memset(buf + RPCRDMA2_PREFIX_SIZE, 0,
	       RPCRDMA2_HDRLEN_MIN - RPCRDMA2_PREFIX_SIZE);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_encode_bare_msg);
