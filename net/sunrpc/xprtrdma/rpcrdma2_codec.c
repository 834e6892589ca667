// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: fixed part, errors and the frame of options.
 *
 * A received header is decoded in one pass over its words. Invariants, for
 * all files of the codec:
 *
 * D1. No byte behind the received ones is read, whatever they say.
 * D2. A count is compared with the bytes left before it is used; nothing is
 *     allocated or stored by count.
 * D3. The first failed check, in the order of A-18, is the one reported.
 * D4. Offsets in a message that was found sound may be walked again without
 *     checks, as long as the bytes have not changed.
 */

#include "rpcrdma2_codec_priv.h"

/*
 * Section: receiving
 */

/**
 * rpcrdma2_decode_fixed - read the four words common to all versions
 * @cur: place in the received bytes
 * @msg: OUT: @xid, @vers, @credit and @proc
 *
 * Serves B-02. ERROR can only be meant for a requester, whatever its
 * version.
 *
 * Return: %false if fewer than 16 bytes arrived (N-01).
 */
static bool rpcrdma2_decode_fixed(struct rpcrdma2_cur *cur, struct rpcrdma2_msg *msg)
{
	u32 xid;

	if (rpcrdma2_left(cur) < RPCRDMA2_FIXED_SIZE)
		return false;
	rpcrdma2_get(cur, &xid);
	rpcrdma2_get(cur, &msg->vers);
	rpcrdma2_get(cur, &msg->credit);
	rpcrdma2_get(cur, &msg->proc);
	msg->xid = cpu_to_be32(xid);
	if (msg->proc == RDMA2_ERROR)
		msg->dir = RDMA2_REPLY;
	return true;
}

/**
 * rpcrdma2_decode_dir - read rdma_direction or rdma_optdir
 * @cur: place in the received bytes
 * @msg: OUT: @dir, left unknown if the word is cut or garbled
 *
 * Serves B-12, N-11, N-62.
 *
 * Return: %false if the direction is not known.
 */
bool rpcrdma2_decode_dir(struct rpcrdma2_cur *cur, struct rpcrdma2_msg *msg)
{
	bool reply;

	if (!rpcrdma2_get_bool(cur, &reply))
		return false;
	msg->dir = reply ? RDMA2_REPLY : RDMA2_CALL;
	return true;
}

/**
 * rpcrdma2_decode_err_arm - read what follows rdma_err
 * @cur: place in the received bytes
 * @err: @code; OUT: the rest
 *
 * Return: %false if it is cut, or the code is unknown (N-41, N-47).
 */
static bool rpcrdma2_decode_err_arm(struct rpcrdma2_cur *cur, struct rpcrdma2_error *err)
{
	switch (err->code) {
	case RDMA2_ERR_VERS:
		return rpcrdma2_get(cur, &err->vers_low) &&
		       rpcrdma2_get(cur, &err->vers_high);
	case RDMA2_ERR_CANT_REPLY:
		return rpcrdma2_get_bool(cur, &err->processed) &&
		       rpcrdma2_get(cur, &err->segment_index) &&
		       rpcrdma2_get(cur, &err->length_needed);
	case RDMA2_ERR_BAD_XDR:
	case RDMA2_ERR_INVAL_PROC:
	case RDMA2_ERR_INVAL_OPTION:
		return true;
	}
	return false;
}

/**
 * rpcrdma2_decode_error - read the body of RDMA2_ERROR
 * @cur: place in the received bytes
 * @msg: OUT: @hdrlen and @error
 *
 * Of another version only VERS can be understood (A-36, B-94). Trailing bytes
 * do not matter (A-16, N-51).
 *
 * Return: a verdict.
 */
static enum rpcrdma2_verdict rpcrdma2_decode_error(struct rpcrdma2_cur *cur,
						   struct rpcrdma2_msg *msg)
{
	bool cut = !rpcrdma2_get(cur, &msg->error.code);

	if (msg->vers != RPCRDMA2_VERSION && msg->error.code != RDMA2_ERR_VERS)
		return RPCRDMA2_BAD_VERS;
	if (cut || !rpcrdma2_decode_err_arm(cur, &msg->error))
		return RPCRDMA2_BAD_XDR;
	msg->hdrlen = cur->pos;
	return RPCRDMA2_OK;
}

/**
 * rpcrdma2_optdir_sound - may a message of this type have this direction?
 * @type: rdma_opttype
 * @dir: rdma_optdir
 *
 * INITXCH and UPDXCH are taken in either direction, XMTCONT and REPTERR
 * have one that depends on other messages. Serves A-87, N-101, N-106, N-121,
 * N-161, whose answers are those of a header that does not parse.
 *
 * Return: %false if it may not.
 */
static bool rpcrdma2_optdir_sound(u32 type, u32 dir)
{
	switch (type) {
	case ROPT_REQXCH:
	case ROPT_XMTREQ:
		return dir == RDMA2_CALL;
	case ROPT_RESPXCH:
	case ROPT_XMTRESP:
		return dir == RDMA2_REPLY;
	}
	return true;
}

/**
 * rpcrdma2_decode_option - read the body of RDMA2_OPTIONAL
 * @cur: place in the received bytes
 * @lim: what the receiver is able to take
 * @msg: OUT: @dir, @hdrlen and @opt
 *
 * rdma_optinfo is only bounded here (B-53). Of an unknown type it may have any
 * length and is then padded as XDR wants it; known types have whole words
 * . Serves B-51, N-61..N-66, N-71.
 *
 * Return: a verdict.
 */
static enum rpcrdma2_verdict rpcrdma2_decode_option(struct rpcrdma2_cur *cur,
						    const struct rpcrdma2_limits *lim,
						    struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_option *opt = &msg->opt;
	bool dir_known = rpcrdma2_decode_dir(cur, msg);
	u64 room;

	if (!dir_known)
		cur->pos = min_t(u32, RPCRDMA2_FIXED_SIZE + RPCRDMA2_WORD, cur->end);
	opt->typed = rpcrdma2_get(cur, &opt->type);
	if (!dir_known || !opt->typed || !rpcrdma2_get(cur, &opt->info_len))
		return RPCRDMA2_BAD_XDR;
	room = rpcrdma2_roundup(opt->info_len);
	if (room > rpcrdma2_left(cur))
		return RPCRDMA2_BAD_XDR;
	opt->info_off = cur->pos;
	msg->hdrlen = cur->pos + room;

	if (opt->type >= BITS_PER_TYPE(lim->opttypes) || !(lim->opttypes & BIT(opt->type)))
		return RPCRDMA2_BAD_OPTION;
	if (room != opt->info_len || !rpcrdma2_optdir_sound(opt->type, msg->dir))
		return RPCRDMA2_BAD_XDR;
	return RPCRDMA2_OK;
}

/**
 * rpcrdma2_decode_body - find out what was received
 * @cur: place in the received bytes, at their beginning
 * @lim: what the receiver is able to take
 * @msg: OUT: everything
 *
 * Serves A-18, B-19: each check presumes that those before it passed.
 *
 * Return: a verdict.
 */
static enum rpcrdma2_verdict rpcrdma2_decode_body(struct rpcrdma2_cur *cur,
						  const struct rpcrdma2_limits *lim,
						  struct rpcrdma2_msg *msg)
{
	if (!rpcrdma2_decode_fixed(cur, msg))
		return RPCRDMA2_SHORT;
	if (msg->proc == RDMA2_ERROR)
		return rpcrdma2_decode_error(cur, msg);
	if (msg->vers != RPCRDMA2_VERSION)
		return RPCRDMA2_BAD_VERS;

	switch (msg->proc) {
	case RDMA2_MSG:
	case RDMA2_NOMSG:
		return rpcrdma2_decode_lists(cur, lim, msg);
	case RDMA2_OPTIONAL:
		return rpcrdma2_decode_option(cur, lim, msg);
	}
	return RPCRDMA2_BAD_PROC;
}

/**
 * rpcrdma2_decode - decode a received message
 * @buf: the received bytes
 * @len: how many there are
 * @lim: what the receiver is able to take
 * @msg: OUT: what was found
 *
 * Looks at the header and the first words of an inline RPC message, but not
 * into rdma_optinfo, which the decoders of the single opttypes do. @msg->dir
 * is valid whenever it could be read, so that the caller can tell whether the
 * peer is owed an ERROR. For RDMA2_OPTIONAL that is BAD_XDR @msg->opt
 * says how far the body could be read.
 *
 * Context: Any context. The bytes must not change under the decoder.
 *
 * Return: @msg->verdict.
 */
enum rpcrdma2_verdict rpcrdma2_decode(const void *buf, u32 len,
				      const struct rpcrdma2_limits *lim,
				      struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_cur cur = {
		.base	= buf,
		.end	= len,
	};

	memset(msg, 0, sizeof(*msg));
	msg->length = len;
	msg->dir = RDMA2_DIR_UNKNOWN;
	msg->verdict = rpcrdma2_decode_body(&cur, lim, msg);
	return msg->verdict;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_decode);

/**
 * rpcrdma2_payload_sound - does an RPC message fit the header around it?
 * @payload: start of the RPC message
 * @len: bytes of it that are there
 * @xid: rdma_xid
 * @dir: rdma_direction or rdma_optdir
 *
 * Serves B-04, B-18, N-17, N-18, N-20, N-132.
 *
 * Context: Any context.
 *
 * Return: %false if it is too short, or its xid or msg_type is another one.
 */
bool rpcrdma2_payload_sound(const void *payload, u32 len, __be32 xid, u32 dir)
{
	if (len < RPCRDMA2_PAYLOAD_MIN)
		return false;
	return get_unaligned_be32(payload) == be32_to_cpu(xid) &&
	       get_unaligned_be32(payload + RPCRDMA2_WORD) == dir;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_payload_sound);

/**
 * rpcrdma2_ends_rpc - does a reply that does not parse end the RPC it names?
 * @msg: message in REPLY direction, decoded as far as that was possible
 *
 * If it does not, it is dropped, and the RPC goes on waiting. Serves N-02, N-12,
 * N-18, N-61, N-63, N-66, N-164.
 *
 * Context: Any context.
 *
 * Return: %true if the RPC fails.
 */
bool rpcrdma2_ends_rpc(const struct rpcrdma2_msg *msg)
{
	if (msg->proc == RDMA2_OPTIONAL)
		return msg->opt.typed && msg->opt.type == ROPT_XMTRESP &&
		       msg->opt.info_off;
	return !msg->payload_mismatch;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_ends_rpc);

/*
 * Section: sending
 */

/**
 * rpcrdma2_put_fixed - write the four words common to all versions
 * @out: where to write
 * @hdr: xid and credit
 * @vers: rdma_vers
 * @proc: rdma_proc
 *
 * A credit value of zero would stop the peer for ever (A-27, D-13).
 *
 * Context: Any context.
 */
void rpcrdma2_put_fixed(struct rpcrdma2_out *out, const struct rpcrdma2_hdr *hdr,
			u32 vers, u32 proc)
{
	rpcrdma2_put(out, be32_to_cpu(hdr->xid));
	rpcrdma2_put(out, vers);
	rpcrdma2_put(out, max_t(u32, hdr->credit, 1));
	rpcrdma2_put(out, proc);
}

/**
 * rpcrdma2_encode_error - write RDMA2_ERROR
 * @buf: where up to RPCRDMA2_ERRLEN_MAX bytes go
 * @hdr: xid of the bad message, and the sender's grant
 * @vers: rdma_vers of the bad message (B-61)
 * @err: code, and what belongs to it
 *
 * Serves B-15, B-61..B-69.
 *
 * Context: Any context.
 *
 * Return: length of the message, in bytes.
 */
u32 rpcrdma2_encode_error(void *buf, const struct rpcrdma2_hdr *hdr, u32 vers,
			  const struct rpcrdma2_error *err)
{
	struct rpcrdma2_out out = {
		.base	= buf,
		.size	= RPCRDMA2_ERRLEN_MAX,
	};

	rpcrdma2_put_fixed(&out, hdr, vers, RDMA2_ERROR);
	rpcrdma2_put(&out, err->code);
	switch (err->code) {
	case RDMA2_ERR_VERS:
		rpcrdma2_put(&out, err->vers_low);
		rpcrdma2_put(&out, err->vers_high);
		break;
	case RDMA2_ERR_CANT_REPLY:
		rpcrdma2_put(&out, err->processed);
		rpcrdma2_put(&out, err->segment_index);
		rpcrdma2_put(&out, err->length_needed);
		break;
	}
	return out.pos;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_encode_error);

/**
 * rpcrdma2_begin_option - begin to write RDMA2_OPTIONAL
 * @out: OUT: where to write on, at the content of rdma_optinfo
 * @buf: where the header goes
 * @size: room there, in bytes
 * @hdr: first fields
 * @type: rdma_opttype
 *
 * Context: Any context.
 */
void rpcrdma2_begin_option(struct rpcrdma2_out *out, void *buf, u32 size,
			   const struct rpcrdma2_hdr *hdr, u32 type)
{
	out->base = buf;
	out->pos = 0;
	out->size = size;
	out->full = false;
	rpcrdma2_put_fixed(out, hdr, RPCRDMA2_VERSION, RDMA2_OPTIONAL);
	rpcrdma2_put(out, hdr->dir);
	rpcrdma2_put(out, type);
	rpcrdma2_put(out, 0);
}

/**
 * rpcrdma2_end_option - finish RDMA2_OPTIONAL
 * @out: what was written
 *
 * Fills in the length of rdma_optinfo, which is a whole number of words.
 *
 * Context: Any context.
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
