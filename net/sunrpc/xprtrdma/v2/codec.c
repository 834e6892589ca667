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

#include "codec_priv.h"

/* Read the four words common to all versions (B-02). ERROR can only be meant for a
 * requester, whatever its version. False if fewer than 16 bytes arrived
 * (N-01).
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

/* Read what follows rdma_err. False if it is cut, or the code is unknown (N-41,
 * N-47).
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

/* Read the body of RDMA2_ERROR. Of another version only VERS can be understood
 * (A-36, B-94). Trailing bytes do not matter (A-16, N-51).
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

/* May a message of this type have this direction? INITXCH and UPDXCH are taken in
 * either direction, XMTCONT and REPTERR have one that depends on other
 * messages. Serves A-87, N-101, N-106, N-121, N-161, whose answers are those of a
 * header that does not parse.
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

/* Read the body of RDMA2_OPTIONAL (B-51, N-61..N-66, N-71). @msg: @dir, @hdrlen and
 * @opt. rdma_optinfo is only bounded here (B-53). Of an unknown type it may have any
 * length and is then padded as XDR wants it; known types have whole words.
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

/* Find out what was received. Serves A-18, B-19: each check presumes that those
 * before it passed.
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
 * rpcrdma2_other_kind - what is a message that is not RDMA2_MSG?
 * @msg: message of version 2, decoded as far as that was possible
 *
 * Return: as rpcrdma2_msg_kind()
 */
enum rpcrdma2_kind rpcrdma2_other_kind(const struct rpcrdma2_msg *msg)
{
	switch (msg->proc) {
	case RDMA2_NOMSG:
		return RPCRDMA2_K_NOMSG;
	case RDMA2_ERROR:
		return RPCRDMA2_K_ERROR;
	case RDMA2_OPTIONAL:
		if (msg->opt.typed && msg->opt.type >= ROPT_INITXCH &&
		    msg->opt.type <= ROPT_REPTERR)
			return RPCRDMA2_K_INITXCH + msg->opt.type - ROPT_INITXCH;
		break;
	}
	return RPCRDMA2_NR_KINDS;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_other_kind);

/**
 * rpcrdma2_ends_rpc - does a reply that does not parse end the RPC it names?
 * @msg: message in REPLY direction, decoded as far as that was possible
 *
 * If it does not, it is dropped, and the RPC goes on waiting.
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

/**
 * rpcrdma2_encode_error - write RDMA2_ERROR
 * @buf: where up to RPCRDMA2_ERRLEN_MAX bytes go
 * @hdr: xid of the bad message, and the sender's grant
 * @vers: rdma_vers of the bad message (B-61)
 * @err: code, and what belongs to it
 *
 * Return: length of the message, in bytes.
 */
u32 rpcrdma2_encode_error(void *buf, const struct rpcrdma2_hdr *hdr, u32 vers,
			  const struct rpcrdma2_error *err)
{
	struct rpcrdma2_out out = {
		.base	= buf,
		.pos	= RPCRDMA2_FIXED_SIZE,
		.size	= RPCRDMA2_ERRLEN_MAX,
	};

	rpcrdma2_write_fixed(buf, hdr, vers, RDMA2_ERROR);
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
