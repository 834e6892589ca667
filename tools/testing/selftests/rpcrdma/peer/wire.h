/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of RPC-over-RDMA versions 1 and 2, as the conformance peer
 * writes and reads them. This is a reading of its own of the protocol text;
 * nothing here is shared with the kernel's codec.
 */
#ifndef PEER_WIRE_H
#define PEER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

enum { DIR_CALL = 0, DIR_REPLY = 1 };

/* Header types (rdma_proc) */
enum { P_MSG = 0, P_NOMSG = 1, P_ERROR = 4, P_OPTIONAL = 5 };

/* Codes of an ERROR header (rdma_err) */
enum { E_VERS = 1, E_XDR = 2, E_CANT = 3, E_PROC = 4, E_OPT = 5 };

/* Optional messages (rdma_opttype) */
enum {
	O_INITXCH = 1, O_REQXCH = 2, O_RESPXCH = 3, O_UPDXCH = 4,
	O_XMTREQ = 5, O_XMTRESP = 6, O_XMTCONT = 7, O_REPTERR = 8,
};

/* Transport characteristics (xchv_which) */
enum {
	XC_RBSIZ = 1, XC_REQREMINV = 2, XC_BRS = 3, XC_RBSTRUCT = 4,
	XC_REQRXLIM = 5, XC_RESPSXLIM = 6,
};

#define XC_RTRSUPP		0xffffff03u

#define DEFAULT_INLINE		4096u	/* of version 2 */
#define V1_INLINE		1024u
#define MAX_SEGS		256
#define MAX_CHUNKS		64
#define MAX_READS		64
#define RBSTRUCT_MAX		520	/* 32 groups */

/**
 * struct buf - bytes in the making
 * @p: the bytes
 * @len: how many there are
 * @cap: room behind @p
 * @swi: send the message with this handle to be invalidated
 * @has_swi: @swi holds
 * @cut_lo: first length of a series of shortened messages
 * @cut_hi: last length of that series
 * @has_cut: @cut_lo and @cut_hi hold
 */
struct buf {
	u8 *p;
	size_t len;
	size_t cap;
	u32 swi;
	bool has_swi;
	size_t cut_lo;
	size_t cut_hi;
	bool has_cut;
};

/**
 * struct seg - one piece of the peer's memory
 * @handle: its steering tag
 * @len: its length
 * @off: its address
 */
struct seg {
	u32 handle;
	u32 len;
	u64 off;
};

/**
 * struct chunk - a Write chunk or a Reply chunk
 * @nsegs: count of @seg in use
 * @seg: the segments
 */
struct chunk {
	u32 nsegs;
	struct seg seg[MAX_SEGS];
};

/**
 * struct hdr - a transport header taken apart
 * @xid: as on the wire
 * @vers: as on the wire
 * @credit: as on the wire
 * @proc: as on the wire
 * @dir: direction of a version 2 message; REPLY for ERROR
 * @inv: rdma_inv_handle
 * @nreads: entries in @pos and @reads
 * @nwrites: chunks in @writes
 * @has_reply: there is a Reply chunk
 * @err: code of an ERROR
 * @low: lowest version the sender of VERS takes
 * @high: highest one
 * @processed: of CANT_REPLY
 * @index: of CANT_REPLY
 * @needed: of CANT_REPLY
 * @opttype: of OPTIONAL
 * @optinfo: where its optinfo starts
 * @optlen: length of its optinfo
 * @hlen: length of the header, or where the payload starts
 * @why: what is wrong with the header
 * @excess: nothing but bytes behind it
 * @pos: position of each Read segment
 * @reads: the Read list
 * @reply: the Reply chunk
 * @writes: the Write list
 *
 * The lists come last: of these quarter of a million bytes only what is in use is
 * cleared or copied; see hdr_copy().
 */
struct hdr {
	u32 xid, vers, credit, proc;
	u32 dir, inv;
	u32 nreads, nwrites;
	bool has_reply;
	u32 err, low, high, processed, index, needed;
	u32 opttype;
	const u8 *optinfo;
	u32 optlen;
	size_t hlen;
	const char *why;
	bool excess;
	u32 pos[MAX_READS];
	struct seg reads[MAX_READS];
	struct chunk reply;
	struct chunk writes[MAX_CHUNKS];
};

/**
 * struct chars - the characteristics found in an INITXCH
 * @have_rbsiz: RBSIZ was there
 * @have_rtrsupp: RTRSUPP was there
 * @have_brs: BRS was there
 * @rbsiz: its value, 4096 if it was not there
 * @reqreminv: REQREMINV, 0 if it was not there
 * @brs: BRS, 1 if it was not there
 * @rtrsupp: RTRSUPP, 0 if it was not there
 * @reqrxlim: REQRXLIM, 1 if it was not there
 * @respsxlim: RESPSXLIM, 1 if it was not there
 * @rbstruct: RBSTRUCT as on the wire
 * @rbstruct_len: its length, 0 if it was not there
 * @rbstruct_nr: which element it was
 * @count: elements of the message
 * @nochg: first word of the subset of elements that do not change
 * @seen: a bit for each known id that was there
 * @foreign: ids that are neither known nor of the experimental range in use
 */
struct chars {
	bool have_rbsiz, have_rtrsupp, have_brs;
	u32 rbsiz, reqreminv, brs, rtrsupp;
	u32 reqrxlim, respsxlim;
	u8 rbstruct[RBSTRUCT_MAX];
	u32 rbstruct_len;
	u32 rbstruct_nr;
	u32 count;
	u32 nochg;
	u32 seen;
	u32 foreign;
};

/* Words of an xcharsubset that are looked at */
#define SUBSET_WORDS	4

/**
 * struct subset - some elements of an xcharspec
 * @w: a bit for each of them, element 0 in the lowest bit of the first word
 */
struct subset {
	u32 w[SUBSET_WORDS];
};

/**
 * struct resp - what a RESPXCH says
 * @done: elements changed already
 * @rej: elements rejected
 * @pend: elements that an UPDXCH will settle
 */
struct resp {
	struct subset done, rej, pend;
};

/**
 * struct upd - what an UPDXCH says
 * @which: the characteristic
 * @value: its value, if it is one word
 * @pendclr: nothing is pending any more
 */
struct upd {
	u32 which, value, pendclr;
};

/* Elements of a REQXCH that are looked at */
#define REQ_ELEMENTS	8

/**
 * struct req - what a REQXCH asks for
 * @count: how many characteristics
 * @which: each of them
 * @value: the value wanted, if it is one word
 */
struct req {
	u32 count;
	u32 which[REQ_ELEMENTS], value[REQ_ELEMENTS];
};

void buf_init(struct buf *b, size_t cap);
void buf_free(struct buf *b);
void buf_reset(struct buf *b);
void buf_u32(struct buf *b, u32 v);
void buf_u64(struct buf *b, u64 v);
void buf_bytes(struct buf *b, const void *p, size_t n);
void buf_fill(struct buf *b, u8 c, size_t n);
void buf_put_u32(struct buf *b, size_t at, u32 v);
u32 get_u32(const void *p);

void wire_fixed(struct buf *b, u32 xid, u32 vers, u32 credit, u32 proc);
void wire_seg(struct buf *b, const struct seg *s);
void wire_chunk(struct buf *b, const struct chunk *c);
void wire_lists(struct buf *b, const struct hdr *h);
void wire_header(struct buf *b, const struct hdr *h);
int wire_decode(struct hdr *h, const u8 *p, size_t len);
void hdr_copy(struct hdr *to, const struct hdr *from);
int wire_chars(struct chars *x, const struct hdr *h);
int wire_req(struct req *x, const struct hdr *h);
int wire_resp(struct resp *x, const struct hdr *h);
bool resp_once(const struct resp *x);
bool resp_done(const struct resp *x, u32 i);
int wire_upd(struct upd *x, const struct hdr *h);
void chars_default(struct chars *x);
const char *wire_brief(const u8 *p, size_t len);
char *wire_hex(const u8 *p, size_t len, size_t max);

#endif /* PEER_WIRE_H */
