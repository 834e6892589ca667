/* SPDX-License-Identifier: GPL-2.0 */
/*
 * XMTREQ, XMTRESP, XMTCONT and REPTERR: placement of data by Send, messages
 * that continue, and reports about them, as the conformance peer reads them.
 */
#ifndef PEER_XMT_H
#define PEER_XMT_H

#include "layout.h"

/* Where an item is, or may go (XMPTYPE_*) */
enum {
	T_EXRW = 1, T_TBSN = 2, T_CHOICE = 3, T_BYSIZE = 4, T_TOOSHORT = 5,
	T_NOITEM = 6,
};

/* What a REPTERR is about (OPTRERR_*) */
enum {
	R_BADHMT = 1, R_BADOMT = 2, R_BADCONT = 3, R_BADSEQ = 4, R_BADXID = 5,
	R_BADOFF = 6, R_BADTBSN = 7, R_BADPL = 8,
};

/* Bits of RTRSUPP */
enum { RTRS_XREQ = 1, RTRS_XRESP = 2, RTRS_XCONT = 4 };

#define MAX_ITEMS	8
#define MAX_SETS	8
#define MAX_TBSN	128
#define MAX_PARTS	16

/**
 * struct loc - where an item is, or may go
 * @type: T_*
 * @ex: its segments, where it has any
 * @off: xmdl_offset, or xmdrsdl_dsdov
 * @n: numbers in @tbsn
 * @tbsn: receive segments, by number
 */
struct loc {
	u32 type;
	struct chunk ex;
	u32 off;
	u32 n;
	u32 tbsn[MAX_TBSN];
};

/**
 * struct item - an item that is, or was to be, out of the payload stream
 * @disp: where it belongs in the whole message
 * @len: its length without round-up
 * @loc: where it is
 */
struct item {
	u32 disp, len;
	struct loc loc;
};

/**
 * struct target - where an item of the response may go
 * @begin: the part of the request that it is the answer to starts here
 * @end: and ends here
 * @minlen: shorter items stay inline
 * @loc: where it may go
 */
struct target {
	u32 begin, end;
	u32 minlen;
	struct loc loc;
};

/**
 * struct set - a part of the request, and how many targets it has
 * @begin: where it starts
 * @end: where it ends
 * @n: targets
 */
struct set {
	u32 begin, end, n;
};

/**
 * struct xmt - XMTREQ, XMTRESP or XMTCONT
 * @type: which of them
 * @nitems: items of optx*_dp
 * @item: those items
 * @nsets: sets of optxrq_rsd
 * @set: those sets
 * @ntargets: targets of all sets
 * @target: those targets
 * @count: transmissions of the group
 * @rsbuf: transmissions that the response may have
 * @pslen: length of the payload part
 * @xnum: number of an XMTCONT
 * @itype: type of its group
 */
struct xmt {
	u32 type;
	u32 nitems;
	struct item item[MAX_ITEMS];
	u32 nsets;
	struct set set[MAX_SETS];
	u32 ntargets;
	struct target target[MAX_ITEMS];
	u32 count, rsbuf, pslen;
	u32 xnum, itype;
};

/**
 * struct xms - names a transmission
 * @xid: its xid
 * @dir: its direction
 * @seq: its number in its group
 */
struct xms {
	u32 xid, dir, seq;
};

/**
 * struct rept - what a REPTERR says
 * @bad: the transmission that is wrong
 * @has_lead: there is another one
 * @lead: the one that led to it
 * @which: R_*
 * @v: two or three values
 */
struct rept {
	struct xms bad;
	bool has_lead;
	struct xms lead;
	u32 which;
	u32 v[3];
};

int xmt_decode(struct xmt *x, const struct hdr *h, const char **why);
int rept_decode(struct rept *x, const struct hdr *h);
void xmt_put(struct buf *b, u32 xid, u32 credit, u32 dir, const struct xmt *x);
void rept_put(struct buf *b, const struct rept *x);
u32 rept_values(u32 which);
const char *loc_name(u32 type);

/* Length of an item in the message */
static inline u64 rounded(u32 len)
{
	return ((u64)len + 3) & ~3ull;
}

#endif /* PEER_XMT_H */
