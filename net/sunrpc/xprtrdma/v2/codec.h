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

/* What the decoder has to say of a header. In the order in which the checks are made
 * the first failure counts.
 */
enum rpcrdma2_verdict {
	RPCRDMA2_OK = 0,	/* sound */
	RPCRDMA2_SHORT,		/* not even the fixed part arrived; close the connection */
	RPCRDMA2_BAD_VERS,	/* rdma_vers is not 2 */
	RPCRDMA2_BAD_PROC,	/* no such header type */
	RPCRDMA2_BAD_XDR,	/* the header does not parse, or cannot mean anything */
	RPCRDMA2_BAD_OPTION,	/* rdma_opttype is unknown or not supported here */
};

/* What the receiver is able to take */
struct rpcrdma2_limits {
	u32	max_message;		/* longest RPC message, in bytes */
	u32	max_read_segs;		/* most segments in a Read list */
	u32	max_write_chunks;	/* most chunks in a Write list */
	u32	max_segs;		/* most segments in a Write chunk or Reply chunk */
	u32	opttypes;		/* bit N set: rdma_opttype N is supported */
};

/* A registered piece of the peer's memory */
struct rpcrdma2_segment {
	u32	handle;	/* rdma_handle */
	u32	length;	/* rdma_length, in bytes */
	u64	offset;	/* rdma_offset */
};

/* The body of RDMA2_MSG and RDMA2_NOMSG. The lists themselves stay in the received
 * bytes: offsets point at words that the decoder has walked, so that they can be walked
 * again unchecked.
 */
struct rpcrdma2_lists {
	u32	inv_handle;	/* rdma_inv_handle */
	bool	inv_listed;	/* @inv_handle is not zero and names a segment of these lists */
	bool	reply_present;	/* there is a Reply chunk */
	/* where the Read list begins, in bytes from the start of the Send */
	u32	read_off;
	u32	read_segs;	/* segments in the Read list, those at position zero included */
	u32	pzrc_segs;	/* segments at position zero */
	u32	pzrc_bytes;	/* length of the position-zero Read chunk */
	u32	read_bytes;	/* sum of the lengths of all Read segments */
	u32	write_off;	/* where the Write list begins */
	u32	write_chunks;	/* chunks in the Write list */
	u32	write_bytes;	/* sum of the lengths of all Write segments */
	u32	reply_off;	/* where the Reply chunk's discriminator is */
	u32	reply_segs;	/* segments in the Reply chunk */
	u32	reply_bytes;	/* sum of their lengths */
};

/* The body of RDMA2_ERROR */
struct rpcrdma2_error {
	u32	code;		/* enum rpcrdma2_errcode */
	u32	vers_low;	/* lowest version supported (VERS) */
	u32	vers_high;	/* highest version supported (VERS) */
	bool	processed;	/* the upper layer has executed the Call (CANT_REPLY) */
	u32	segment_index;	/* first segment that is too short, from 1; 0 unknown */
	u32	length_needed;	/* bytes needed in that segment */
};

/* The body of RDMA2_OPTIONAL, type not yet looked at */
struct rpcrdma2_option {
	bool	typed;		/* @type was received; set also if what follows it is bad */
	u32	type;		/* rdma_opttype */
	/* where rdma_optinfo's content begins; 0 if the body did not parse */
	u32	info_off;
	u32	info_len;	/* its length, in bytes */
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

/* What a message is, as far as its header can be read. Those of RDMA2_OPTIONAL are in the
 * order of their numbers.
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
	RPCRDMA2_NR_KINDS		/* none of these */
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

/* A place in chunk lists that were found sound */
struct rpcrdma2_iter {
	const u8	*pos;	/* next word */
	u32		chunks;	/* chunks, or in the Read list segments, not yet reached */
	u32		segs;	/* segments of the present chunk not yet reached */
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

/* What all headers begin with */
struct rpcrdma2_hdr {
	__be32	xid;	/* rdma_xid */
	u32	credit;	/* rdma_credit; zero is sent as one (D-13) */
	u32	dir;	/* rdma_direction or rdma_optdir; not sent in RDMA2_ERROR */
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

/* Some equal segments of a receive buffer */
struct rpcrdma2_rbgroup {
	u32	count;	/* xmrgrp_count */
	u32	length;	/* xmrseg_length, in bytes */
	u32	align;	/* xmrseg_align */
	u32	flags;	/* xmrseg_flags */
};

/* xmrbs_buf */
struct rpcrdma2_rbstruct {
	u32			length;				/* xmrbuf_length, in bytes */
	u32			ngroups;			/* groups used */
	struct rpcrdma2_rbgroup	groups[RPCRDMA2_MAX_RBGROUPS];	/* the groups */
};

/* Segments of a Receive that follow each other */
struct rpcrdma2_row {
	u32	offset;	/* first byte of the first one, from the start of the Receive */
	u32	size;	/* length of each, in bytes */
	u32	count;	/* how many there are */
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

/* How a characteristic is encoded */
enum rpcrdma2_xchar_type {
	RPCRDMA2_XT_WORD,	/* uint32 or enum */
	RPCRDMA2_XT_FLAGS,	/* uint32, unknown bits are cleared */
	RPCRDMA2_XT_BOOL,	/* bool */
	RPCRDMA2_XT_RBSTRUCT,	/* xmrbs_buf */
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

/* Characteristics of one end of a connection */
struct rpcrdma2_xchars {
	u32			present;	/* which values were given and are usable */
	u32			nochg;		/* which of them will not change */
	/* which values were given, but were to be disregarded */
	u32			unusable;
	/* how many values of unknown type were skipped */
	u32			unknown;
	/* how many values of known type were unusable but harmless */
	u32			disregarded;
	u32			rbsiz;		/* RBSIZ, in bytes */
	bool			reqreminv;	/* REQREMINV */
	u32			brs;		/* BRS */
	u32			rtrsupp;	/* RTRSUPP */
	u32			reqrxlim;	/* REQRXLIM, in transmissions */
	u32			respsxlim;	/* RESPSXLIM, in transmissions */
	struct rpcrdma2_rbstruct rbstruct;	/* RBSTRUCT */
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

/* What became of the elements of a ROPT_REQXCH */
struct rpcrdma2_respxch {
	struct rpcrdma2_subset	done;	/* optrespxch_done */
	struct rpcrdma2_subset	rej;	/* optrespxch_rej */
	struct rpcrdma2_subset	pend;	/* optrespxch_pend */
};

/* What became of one element of a ROPT_REQXCH */
enum rpcrdma2_element_fate {
	RPCRDMA2_REJECTED = 0,	/* the old value stays */
	RPCRDMA2_DONE,		/* the new value is in force */
	RPCRDMA2_PENDING,	/* ROPT_UPDXCH will tell */
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

/* An item that was excised from the payload stream */
struct rpcrdma2_mitem {
	u32	disp;	/* xmdmi_disp, in bytes of the virtual stream */
	u32	length;	/* xmdmi_length, in bytes, without XDR round-up */
	u32	type;	/* enum rpcrdma2_xmptype: EXRW, TBSN, TOOSHORT or NOITEM */
	u32	offset;	/* xmdl_offset, in bytes (TBSN) */
	u32	first;	/* its first one in the pool of segments (EXRW) or numbers (TBSN) */
	u32	count;	/* how many of them it has */
	bool	in_row;	/* these are numbers that follow each other; if false, they need not */
};

/* Where an item of the reply is wanted */
struct rpcrdma2_rsditem {
	u32	minlen;	/* xmdrsdi_minlen, in bytes; a shorter item stays inline */
	u32	type;	/* enum rpcrdma2_xmptype: EXRW, TBSN, CHOICE or BYSIZE */
	u32	dsdov;	/* xmdrsdl_dsdov, in bytes: longer items go by explicit RDMA (BYSIZE) */
	u32	first;	/* its first one in the pool of segments */
	u32	count;	/* how many of them it has */
};

/* The reply items caused by a part of the request */
struct rpcrdma2_rsdset {
	u32	begin;	/* xmdrsdr_begin, in bytes of the request's virtual stream */
	u32	end;	/* xmdrsdr_end, the first byte behind that part */
	u32	first;	/* its first one in the pool of rsditems */
	u32	count;	/* how many of them it has */
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

/* ROPT_XMTRESP */
struct rpcrdma2_xmtresp {
	u32			nitems;				/* items in optxrs_dp */
	u32			count;				/* optxrs_count, as received */
	u32			pslen;				/* optxrs_pslen, in bytes */
	struct rpcrdma2_mitem	items[RPCRDMA2_MAX_MITEMS];	/* optxrs_dp */
	struct rpcrdma2_segpool	pool;				/* what @items point into */
};

/* ROPT_XMTCONT */
struct rpcrdma2_xmtcont {
	u32	xnum;	/* optxc_xnum */
	u32	itype;	/* optxc_itype, as received */
	u32	pslen;	/* optxc_pslen, in bytes */
};

/* Which transmission is meant */
struct rpcrdma2_xmsid {
	__be32	xid;	/* xmsi_xid */
	u32	dir;	/* xmsi_dir */
	u32	seq;	/* xmsi_seq */
};

/* ROPT_REPTERR */
struct rpcrdma2_repterr {
	struct rpcrdma2_xmsid	bad;		/* optre_bad, where the fault was seen */
	bool			has_lead;	/* there is an optre_lead */
	struct rpcrdma2_xmsid	lead;		/* optre_lead, what led to it */
	u32			which;		/* enum rpcrdma2_opterr */
	u32			nargs;		/* how many of @args the code has */
	u32			args[3];	/* expect, current; or value, min, max */
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
