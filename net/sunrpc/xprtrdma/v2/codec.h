/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: what the codec offers.
 *
 * All knowledge of version 2 bytes is behind this interface. The codec calls
 * no verbs, allocates nothing and does no I/O, so that the same source also
 * builds in user space for unit tests and fuzzing. All functions, here and in the
 * models above it, run in any context; the caller serializes access to what it
 * passes.
 */

#ifndef _RPCRDMA2_CODEC_H
#define _RPCRDMA2_CODEC_H

#include <linux/types.h>
#include <linux/unaligned.h>
#include <linux/sunrpc/rpc_rdma2.h>

/**
 * enum rpcrdma2_verdict - what the decoder has to say of a header
 * @RPCRDMA2_OK: sound
 * @RPCRDMA2_SHORT: not even the fixed part arrived; close the connection
 * @RPCRDMA2_BAD_VERS: rdma_vers is not 2
 * @RPCRDMA2_BAD_PROC: no such header type
 * @RPCRDMA2_BAD_XDR: the header does not parse, or cannot mean anything
 * @RPCRDMA2_BAD_OPTION: rdma_opttype is unknown or not supported here
 *
 * In the order in which the checks are made; the first failure counts.
 */
enum rpcrdma2_verdict {
	RPCRDMA2_OK = 0,
	RPCRDMA2_SHORT,
	RPCRDMA2_BAD_VERS,
	RPCRDMA2_BAD_PROC,
	RPCRDMA2_BAD_XDR,
	RPCRDMA2_BAD_OPTION,
};

/**
 * struct rpcrdma2_limits - what the receiver is able to take
 * @max_message: longest RPC message, in bytes
 * @max_read_segs: most segments in a Read list
 * @max_write_chunks: most chunks in a Write list
 * @max_segs: most segments in a Write chunk or Reply chunk
 * @opttypes: bit N set: rdma_opttype N is supported
 */
struct rpcrdma2_limits {
	u32	max_message;
	u32	max_read_segs;
	u32	max_write_chunks;
	u32	max_segs;
	u32	opttypes;
};

/**
 * struct rpcrdma2_segment - a registered piece of the peer's memory
 * @handle: rdma_handle
 * @length: rdma_length, in bytes
 * @offset: rdma_offset
 */
struct rpcrdma2_segment {
	u32	handle;
	u32	length;
	u64	offset;
};

/**
 * struct rpcrdma2_lists - the body of RDMA2_MSG and RDMA2_NOMSG
 * @inv_handle: rdma_inv_handle
 * @inv_listed: @inv_handle is not zero and names a segment of these lists
 * @read_off: where the Read list begins, in bytes from the start of the Send
 * @read_segs: segments in the Read list, those at position zero included
 * @pzrc_segs: segments at position zero
 * @pzrc_bytes: length of the position-zero Read chunk
 * @read_bytes: sum of the lengths of all Read segments
 * @write_off: where the Write list begins
 * @write_chunks: chunks in the Write list
 * @write_bytes: sum of the lengths of all Write segments
 * @reply_off: where the Reply chunk's discriminator is
 * @reply_segs: segments in the Reply chunk
 * @reply_bytes: sum of their lengths
 * @reply_present: there is a Reply chunk
 *
 * The lists themselves stay in the received bytes: offsets point at words
 * that the decoder has walked, so that they can be walked again unchecked.
 */
struct rpcrdma2_lists {
	u32	inv_handle;
	bool	inv_listed;
	bool	reply_present;
	u32	read_off;
	u32	read_segs;
	u32	pzrc_segs;
	u32	pzrc_bytes;
	u32	read_bytes;
	u32	write_off;
	u32	write_chunks;
	u32	write_bytes;
	u32	reply_off;
	u32	reply_segs;
	u32	reply_bytes;
};

/**
 * struct rpcrdma2_error - the body of RDMA2_ERROR
 * @code: enum rpcrdma2_errcode
 * @vers_low: lowest version supported (VERS)
 * @vers_high: highest version supported (VERS)
 * @processed: the upper layer has executed the Call (CANT_REPLY)
 * @segment_index: first segment that is too short, from 1; 0 unknown
 * @length_needed: bytes needed in that segment
 */
struct rpcrdma2_error {
	u32	code;
	u32	vers_low;
	u32	vers_high;
	bool	processed;
	u32	segment_index;
	u32	length_needed;
};

/**
 * struct rpcrdma2_option - the body of RDMA2_OPTIONAL, type not yet looked at
 * @typed: @type was received; set also if what follows it is bad
 * @type: rdma_opttype
 * @info_off: where rdma_optinfo's content begins; 0 if the body did not parse
 * @info_len: its length, in bytes
 */
struct rpcrdma2_option {
	bool	typed;
	u32	type;
	u32	info_off;
	u32	info_len;
};

/**
 * struct rpcrdma2_msg - a decoded transport header
 * @xid: rdma_xid, as on the wire
 * @vers: rdma_vers
 * @credit: rdma_credit as received, zero included
 * @proc: rdma_proc
 * @dir: whose Call this belongs to; RDMA2_DIR_UNKNOWN if that was not readable
 * @length: bytes received
 * @hdrlen: bytes of header; the payload, if any, begins there
 * @payload_mismatch: RPCRDMA2_BAD_XDR for the one reason that the payload's xid
 *	or msg_type is not the header's: a Call is answered, a reply is not for
 *	us to fail (N-18)
 * @verdict: what was found; fields behind a failed check are not valid
 * @lists: valid for RDMA2_MSG and RDMA2_NOMSG
 * @error: valid for RDMA2_ERROR
 * @opt: valid for RDMA2_OPTIONAL
 */
struct rpcrdma2_msg {
	__be32			xid;
	u32			vers;
	u32			credit;
	u32			proc;
	u32			dir;
	u32			length;
	u32			hdrlen;
	bool			payload_mismatch;
	enum rpcrdma2_verdict	verdict;
	union {
		struct rpcrdma2_lists	lists;
		struct rpcrdma2_error	error;
		struct rpcrdma2_option	opt;
	};
};

/**
 * enum rpcrdma2_kind - what a message is, as far as its header can be read
 * @RPCRDMA2_K_MSG: RDMA2_MSG
 * @RPCRDMA2_K_NOMSG: RDMA2_NOMSG
 * @RPCRDMA2_K_ERROR: RDMA2_ERROR
 * @RPCRDMA2_K_INITXCH: ROPT_INITXCH; like all that follow, in RDMA2_OPTIONAL, and in
 *	the order of their numbers
 * @RPCRDMA2_K_REQXCH: ROPT_REQXCH
 * @RPCRDMA2_K_RESPXCH: ROPT_RESPXCH
 * @RPCRDMA2_K_UPDXCH: ROPT_UPDXCH
 * @RPCRDMA2_K_XMTREQ: ROPT_XMTREQ
 * @RPCRDMA2_K_XMTRESP: ROPT_XMTRESP
 * @RPCRDMA2_K_XMTCONT: ROPT_XMTCONT
 * @RPCRDMA2_K_REPTERR: ROPT_REPTERR
 * @RPCRDMA2_NR_KINDS: none of these
 */
enum rpcrdma2_kind {
	RPCRDMA2_K_MSG,
	RPCRDMA2_K_NOMSG,
	RPCRDMA2_K_ERROR,
	RPCRDMA2_K_INITXCH,
	RPCRDMA2_K_REQXCH,
	RPCRDMA2_K_RESPXCH,
	RPCRDMA2_K_UPDXCH,
	RPCRDMA2_K_XMTREQ,
	RPCRDMA2_K_XMTRESP,
	RPCRDMA2_K_XMTCONT,
	RPCRDMA2_K_REPTERR,
	RPCRDMA2_NR_KINDS
};

enum rpcrdma2_verdict rpcrdma2_decode(const void *buf, u32 len,
				      const struct rpcrdma2_limits *lim,
				      struct rpcrdma2_msg *msg);
bool rpcrdma2_payload_sound(const void *payload, u32 len, __be32 xid, u32 dir);
enum rpcrdma2_kind rpcrdma2_other_kind(const struct rpcrdma2_msg *msg);
bool rpcrdma2_ends_rpc(const struct rpcrdma2_msg *msg);
bool rpcrdma2_reply_fits(const void *call, u32 call_len,
			 const void *reply, const struct rpcrdma2_msg *msg);

/* What is a message? @msg: message of version 2, decoded as far as that was
 * possible. Both ends find in a table by this who deals with the message, several
 * times for each. Returns its kind, or RPCRDMA2_NR_KINDS if that is unknown or
 * cannot be read.
 */
static inline enum rpcrdma2_kind
rpcrdma2_msg_kind(const struct rpcrdma2_msg *msg)
{
	return msg->proc == RDMA2_MSG ? RPCRDMA2_K_MSG :
					rpcrdma2_other_kind(msg);
}

/**
 * struct rpcrdma2_iter - a place in chunk lists that were found sound
 * @pos: next word
 * @chunks: chunks, or in the Read list segments, not yet reached
 * @segs: segments of the present chunk not yet reached
 */
struct rpcrdma2_iter {
	const u8	*pos;
	u32		chunks;
	u32		segs;
};

void rpcrdma2_read_begin(struct rpcrdma2_iter *it, const void *buf,
			 const struct rpcrdma2_msg *msg);
bool rpcrdma2_read_next(struct rpcrdma2_iter *it, u32 *position,
			struct rpcrdma2_segment *seg);
void rpcrdma2_write_begin(struct rpcrdma2_iter *it, const void *buf,
			  const struct rpcrdma2_msg *msg);
bool rpcrdma2_write_next(struct rpcrdma2_iter *it, u32 *segs);
void rpcrdma2_reply_begin(struct rpcrdma2_iter *it, const void *buf,
			  const struct rpcrdma2_msg *msg);
bool rpcrdma2_segment_next(struct rpcrdma2_iter *it, struct rpcrdma2_segment *seg);

/**
 * struct rpcrdma2_hdr - what all headers begin with
 * @xid: rdma_xid
 * @credit: rdma_credit; zero is sent as one (D-13)
 * @dir: rdma_direction or rdma_optdir; not sent in RDMA2_ERROR
 */
struct rpcrdma2_hdr {
	__be32	xid;
	u32	credit;
	u32	dir;
};

void rpcrdma2_encode_prefix(void *buf, const struct rpcrdma2_hdr *hdr,
			    u32 proc, u32 inv_handle);
void rpcrdma2_encode_bare_msg(void *buf, const struct rpcrdma2_hdr *hdr);
u32 rpcrdma2_encode_error(void *buf, const struct rpcrdma2_hdr *hdr, u32 vers,
			  const struct rpcrdma2_error *err);

/* Change rdma_credit. @buf: header of an encoded message, of any version.
 * @credit: the new value, not zero (A-27, D-13).
 */
static inline void rpcrdma2_set_credit(void *buf, u32 credit)
{
	put_unaligned_be32(credit, buf + 8);
}

/* Change rdma_inv_handle. @buf: header of an encoded RDMA2_MSG or RDMA2_NOMSG.
 * @inv_handle: the new value.
 */
static inline void rpcrdma2_set_inv_handle(void *buf, u32 inv_handle)
{
	put_unaligned_be32(inv_handle, buf + RPCRDMA2_PREFIX_SIZE - 4);
}

enum {
	RPCRDMA2_MAX_RBGROUPS	= 8,
	/* Segments of a peer's receive buffer, all groups together */
	RPCRDMA2_MAX_RBSEGS	= 512,
	/* Words kept of an xcharsubset; elements behind them count as rejected */
	RPCRDMA2_SUBSET_WORDS	= 4,
};

/**
 * struct rpcrdma2_rbgroup - some equal segments of a receive buffer
 * @count: xmrgrp_count
 * @length: xmrseg_length, in bytes
 * @align: xmrseg_align
 * @flags: xmrseg_flags
 */
struct rpcrdma2_rbgroup {
	u32	count;
	u32	length;
	u32	align;
	u32	flags;
};

/**
 * struct rpcrdma2_rbstruct - xmrbs_buf
 * @length: xmrbuf_length, in bytes
 * @ngroups: groups used
 * @groups: the groups
 */
struct rpcrdma2_rbstruct {
	u32			length;
	u32			ngroups;
	struct rpcrdma2_rbgroup	groups[RPCRDMA2_MAX_RBGROUPS];
};

/**
 * struct rpcrdma2_row - segments of a Receive that follow each other
 * @offset: first byte of the first one, from the start of the Receive
 * @size: length of each, in bytes
 * @count: how many there are
 */
struct rpcrdma2_row {
	u32	offset;
	u32	size;
	u32	count;
};

/* Characteristics that are known here, in encoding order */
enum {
	RPCRDMA2_RBSIZ = 0,
	RPCRDMA2_REQREMINV,
	RPCRDMA2_BRS,
	RPCRDMA2_RTRSUPP,
	RPCRDMA2_RBSTRUCT,
	RPCRDMA2_REQRXLIM,
	RPCRDMA2_RESPSXLIM,
	RPCRDMA2_NUM_XCHARS
};

/* Bits of struct rpcrdma2_xchars.present, .nochg and .unusable */
enum {
	RPCRDMA2_HAS_RBSIZ	= 1U << RPCRDMA2_RBSIZ,
	RPCRDMA2_HAS_REQREMINV	= 1U << RPCRDMA2_REQREMINV,
	RPCRDMA2_HAS_BRS	= 1U << RPCRDMA2_BRS,
	RPCRDMA2_HAS_RTRSUPP	= 1U << RPCRDMA2_RTRSUPP,
	RPCRDMA2_HAS_RBSTRUCT	= 1U << RPCRDMA2_RBSTRUCT,
	RPCRDMA2_HAS_REQRXLIM	= 1U << RPCRDMA2_REQRXLIM,
	RPCRDMA2_HAS_RESPSXLIM	= 1U << RPCRDMA2_RESPSXLIM,
};

/**
 * enum rpcrdma2_xchar_type - how a characteristic is encoded
 * @RPCRDMA2_XT_WORD: uint32 or enum
 * @RPCRDMA2_XT_FLAGS: uint32, unknown bits are cleared
 * @RPCRDMA2_XT_BOOL: bool
 * @RPCRDMA2_XT_RBSTRUCT: xmrbs_buf
 */
enum rpcrdma2_xchar_type {
	RPCRDMA2_XT_WORD,
	RPCRDMA2_XT_FLAGS,
	RPCRDMA2_XT_BOOL,
	RPCRDMA2_XT_RBSTRUCT,
};

/* Which end has something to say with a characteristic */
enum {
	RPCRDMA2_STATED_BY_CLIENT = 1,
	RPCRDMA2_STATED_BY_SERVER = 2,
	RPCRDMA2_STATED_BY_BOTH	= 3,
};

/**
 * struct rpcrdma2_xchar - a characteristic
 * @id: xchv_which
 * @name: for people
 * @type: how it is encoded
 * @offset: of its value in struct rpcrdma2_xchars
 * @dflt: value where none was given; not of RBSTRUCT
 * @min: smaller words are read as this
 * @max: greater words are no value at all; of flags, those that are known
 * @usable: smaller words are disregarded
 * @ends: which end states it; from the other one it is taken, but means nothing
 * @names: what the values are called, if they have names, with NULL at the end
 */
struct rpcrdma2_xchar {
	u32				id;
	const char			*name;
	enum rpcrdma2_xchar_type	type;
	u32				offset;
	u32				dflt;
	u32				min;
	u32				max;
	u32				usable;
	u32				ends;
	const char * const		*names;
};

/**
 * struct rpcrdma2_xchars - characteristics of one end of a connection
 * @present: which values were given and are usable
 * @nochg: which of them will not change
 * @unusable: which values were given, but were to be disregarded
 * @unknown: how many values of unknown type were skipped
 * @disregarded: how many values of known type were unusable but harmless
 * @rbsiz: RBSIZ, in bytes
 * @reqreminv: REQREMINV
 * @brs: BRS
 * @rtrsupp: RTRSUPP
 * @reqrxlim: REQRXLIM, in transmissions
 * @respsxlim: RESPSXLIM, in transmissions
 * @rbstruct: RBSTRUCT
 */
struct rpcrdma2_xchars {
	u32			present;
	u32			nochg;
	u32			unusable;
	u32			unknown;
	u32			disregarded;
	u32			rbsiz;
	bool			reqreminv;
	u32			brs;
	u32			rtrsupp;
	u32			reqrxlim;
	u32			respsxlim;
	struct rpcrdma2_rbstruct rbstruct;
};

/**
 * struct rpcrdma2_subset - an xcharsubset
 * @words: bit N % 32 of word N / 32 stands for element N of an xcharspec
 */
struct rpcrdma2_subset {
	u32	words[RPCRDMA2_SUBSET_WORDS];
};

/**
 * struct rpcrdma2_reqxch - what ROPT_REQXCH asks for
 * @count: elements in optreqxch_want, unknown ones included
 * @want: values wanted; those that are not present are to be rejected
 * @element: for bit N of @want.present, which element of the request it was
 */
struct rpcrdma2_reqxch {
	u32			count;
	struct rpcrdma2_xchars	want;
	u32			element[RPCRDMA2_NUM_XCHARS];
};

/**
 * struct rpcrdma2_respxch - what became of the elements of a ROPT_REQXCH
 * @done: optrespxch_done
 * @rej: optrespxch_rej
 * @pend: optrespxch_pend
 */
struct rpcrdma2_respxch {
	struct rpcrdma2_subset	done;
	struct rpcrdma2_subset	rej;
	struct rpcrdma2_subset	pend;
};

/**
 * enum rpcrdma2_element_fate - what became of one element of a ROPT_REQXCH
 * @RPCRDMA2_REJECTED: the old value stays
 * @RPCRDMA2_DONE: the new value is in force
 * @RPCRDMA2_PENDING: ROPT_UPDXCH will tell
 */
enum rpcrdma2_element_fate {
	RPCRDMA2_REJECTED = 0,
	RPCRDMA2_DONE,
	RPCRDMA2_PENDING,
};

/**
 * struct rpcrdma2_updxch - the announcement of one value
 * @which: xchv_which
 * @now: the value; nothing is present if it is unknown or to be disregarded
 * @pendclr: the request for it is finished
 */
struct rpcrdma2_updxch {
	u32			which;
	struct rpcrdma2_xchars	now;
	bool			pendclr;
};

extern const struct rpcrdma2_xchar rpcrdma2_xchar_table[RPCRDMA2_NUM_XCHARS];

u32 rpcrdma2_xchar_find(u32 which);
u32 rpcrdma2_xchar_value(const struct rpcrdma2_xchars *xc, u32 n);
void rpcrdma2_xchar_set(struct rpcrdma2_xchars *xc, u32 n, u32 value);
void rpcrdma2_xchars_default(struct rpcrdma2_xchars *xc);
void rpcrdma2_xchars_apply(struct rpcrdma2_xchars *xc,
			   const struct rpcrdma2_xchars *from);
void rpcrdma2_xchars_one(const struct rpcrdma2_xchars *from, u32 n,
			 struct rpcrdma2_xchars *one);
void rpcrdma2_subset_set(struct rpcrdma2_subset *set, u32 element);
bool rpcrdma2_subset_test(const struct rpcrdma2_subset *set, u32 element);
void rpcrdma2_rbstruct_make(struct rpcrdma2_rbstruct *rb, u32 head, u32 pages,
			    u32 page_size);
u32 rpcrdma2_plt_count(const struct rpcrdma2_rbstruct *rb);
bool rpcrdma2_plt_row(const struct rpcrdma2_rbstruct *rb, u32 n,
		      struct rpcrdma2_row *row);
int rpcrdma2_encode_initxch(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			    const struct rpcrdma2_xchars *xc);
int rpcrdma2_decode_initxch(const void *buf, const struct rpcrdma2_msg *msg,
			    struct rpcrdma2_xchars *xc);
int rpcrdma2_encode_reqxch(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			   const struct rpcrdma2_xchars *want);
int rpcrdma2_decode_reqxch(const void *buf, const struct rpcrdma2_msg *msg,
			   struct rpcrdma2_reqxch *req);
int rpcrdma2_encode_respxch(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			    const struct rpcrdma2_respxch *resp);
int rpcrdma2_decode_respxch(const void *buf, const struct rpcrdma2_msg *msg,
			    struct rpcrdma2_respxch *resp);
enum rpcrdma2_element_fate rpcrdma2_respxch_fate(const struct rpcrdma2_respxch *resp,
						 u32 element);
int rpcrdma2_encode_updxch(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			   const struct rpcrdma2_xchars *now, bool pendclr);
int rpcrdma2_decode_updxch(const void *buf, const struct rpcrdma2_msg *msg,
			   struct rpcrdma2_updxch *upd);

/* What one XMTREQ or XMTRESP may hold; more is answered as bad XDR */
enum {
	RPCRDMA2_MAX_MITEMS	= 32,
	RPCRDMA2_MAX_RSDSETS	= 16,
	RPCRDMA2_MAX_RSDITEMS	= 32,
	RPCRDMA2_MAX_XMTSEGS	= 96,
	RPCRDMA2_MAX_TBSNS	= 256,
	/* Transmissions of a group, at most, whatever an administrator sets */
	RPCRDMA2_MAX_XMTS	= 32,
	/* Header of ROPT_XMTCONT, in bytes */
	RPCRDMA2_CONT_SIZE	= RPCRDMA2_OPT_SIZE + 12,
};

/**
 * struct rpcrdma2_mitem - an item that was excised from the payload stream
 * @disp: xmdmi_disp, in bytes of the virtual stream
 * @length: xmdmi_length, in bytes, without XDR round-up
 * @type: enum rpcrdma2_xmptype: EXRW, TBSN, TOOSHORT or NOITEM
 * @offset: xmdl_offset, in bytes (TBSN)
 * @first: its first one in the pool of segments (EXRW) or numbers (TBSN)
 * @count: how many of them it has
 * @in_row: these are numbers that follow each other, as they mostly do; if false, they
 *	need not
 */
struct rpcrdma2_mitem {
	u32	disp;
	u32	length;
	u32	type;
	u32	offset;
	u32	first;
	u32	count;
	bool	in_row;
};

/**
 * struct rpcrdma2_rsditem - where an item of the reply is wanted
 * @minlen: xmdrsdi_minlen, in bytes; a shorter item stays inline
 * @type: enum rpcrdma2_xmptype: EXRW, TBSN, CHOICE or BYSIZE
 * @dsdov: xmdrsdl_dsdov, in bytes: longer items go by explicit RDMA (BYSIZE)
 * @first: its first one in the pool of segments
 * @count: how many of them it has
 */
struct rpcrdma2_rsditem {
	u32	minlen;
	u32	type;
	u32	dsdov;
	u32	first;
	u32	count;
};

/**
 * struct rpcrdma2_rsdset - the reply items caused by a part of the request
 * @begin: xmdrsdr_begin, in bytes of the request's virtual stream
 * @end: xmdrsdr_end, the first byte behind that part
 * @first: its first one in the pool of rsditems
 * @count: how many of them it has
 */
struct rpcrdma2_rsdset {
	u32	begin;
	u32	end;
	u32	first;
	u32	count;
};

/**
 * struct rpcrdma2_segpool - what the items of a message point into
 * @nsegs: segments used
 * @ntbsns: numbers used
 * @segs: segments, in the order of the message
 * @tbsns: numbers of placement-targetable segments, likewise
 */
struct rpcrdma2_segpool {
	u32			nsegs;
	u32			ntbsns;
	struct rpcrdma2_segment	segs[RPCRDMA2_MAX_XMTSEGS];
	u32			tbsns[RPCRDMA2_MAX_TBSNS];
};

/**
 * struct rpcrdma2_xmtreq - ROPT_XMTREQ
 * @nitems: items in optxrq_dp
 * @nsets: sets in optxrq_rsd
 * @nrsditems: items of all sets together
 * @count: optxrq_count, as received
 * @rsbuf: optxrq_rsbuf, as received: 0 means 1
 * @pslen: optxrq_pslen, in bytes
 * @items: optxrq_dp
 * @sets: optxrq_rsd
 * @rsditems: items of the sets
 * @pool: what @items and @rsditems point into
 */
struct rpcrdma2_xmtreq {
	u32			nitems;
	u32			nsets;
	u32			nrsditems;
	u32			count;
	u32			rsbuf;
	u32			pslen;
	struct rpcrdma2_mitem	items[RPCRDMA2_MAX_MITEMS];
	struct rpcrdma2_rsdset	sets[RPCRDMA2_MAX_RSDSETS];
	struct rpcrdma2_rsditem	rsditems[RPCRDMA2_MAX_RSDITEMS];
	struct rpcrdma2_segpool	pool;
};

/**
 * struct rpcrdma2_xmtresp - ROPT_XMTRESP
 * @nitems: items in optxrs_dp
 * @count: optxrs_count, as received
 * @pslen: optxrs_pslen, in bytes
 * @items: optxrs_dp
 * @pool: what @items point into
 */
struct rpcrdma2_xmtresp {
	u32			nitems;
	u32			count;
	u32			pslen;
	struct rpcrdma2_mitem	items[RPCRDMA2_MAX_MITEMS];
	struct rpcrdma2_segpool	pool;
};

/**
 * struct rpcrdma2_xmtcont - ROPT_XMTCONT
 * @xnum: optxc_xnum
 * @itype: optxc_itype, as received
 * @pslen: optxc_pslen, in bytes
 */
struct rpcrdma2_xmtcont {
	u32	xnum;
	u32	itype;
	u32	pslen;
};

/**
 * struct rpcrdma2_xmsid - which transmission is meant
 * @xid: xmsi_xid
 * @dir: xmsi_dir
 * @seq: xmsi_seq
 */
struct rpcrdma2_xmsid {
	__be32	xid;
	u32	dir;
	u32	seq;
};

/**
 * struct rpcrdma2_repterr - ROPT_REPTERR
 * @bad: optre_bad, where the fault was seen
 * @has_lead: there is an optre_lead
 * @lead: optre_lead, what led to it
 * @which: enum rpcrdma2_opterr
 * @nargs: how many of @args the code has
 * @args: expect, current; or value, min, max
 */
struct rpcrdma2_repterr {
	struct rpcrdma2_xmsid	bad;
	bool			has_lead;
	struct rpcrdma2_xmsid	lead;
	u32			which;
	u32			nargs;
	u32			args[3];
};

int rpcrdma2_encode_xmtreq(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			   const struct rpcrdma2_xmtreq *req);
int rpcrdma2_decode_xmtreq(const void *buf, const struct rpcrdma2_msg *msg,
			   struct rpcrdma2_xmtreq *req);
int rpcrdma2_encode_xmtresp(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			    const struct rpcrdma2_xmtresp *resp);
int rpcrdma2_decode_xmtresp(const void *buf, const struct rpcrdma2_msg *msg,
			    struct rpcrdma2_xmtresp *resp);
u32 rpcrdma2_xmtreq_size(u32 nplaced, u32 nsets, u32 nsegs);
u32 rpcrdma2_xmtresp_size(u32 nitems, u32 nplaced, u32 nwritten, u32 nsegs);
int rpcrdma2_encode_xmtcont(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			    const struct rpcrdma2_xmtcont *cont);
int rpcrdma2_decode_xmtcont(const void *buf, const struct rpcrdma2_msg *msg,
			    struct rpcrdma2_xmtcont *cont);
int rpcrdma2_encode_repterr(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			    const struct rpcrdma2_repterr *rep);
int rpcrdma2_decode_repterr(const void *buf, const struct rpcrdma2_msg *msg,
			    struct rpcrdma2_repterr *rep);

#endif /* _RPCRDMA2_CODEC_H */
