/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: how a message is laid out.
 *
 * The sender of a message lays it out so that data begins where the receiver
 * can use it (plan.c); the receiver finds out what is where, and whether that
 * can be true (claims.c, stream.c). No verbs and no allocation, so that the
 * same source also builds in user space. A message consists of one transmission
 * or of a group of them.
 */

#ifndef _RPCRDMA2_PLAN_H
#define _RPCRDMA2_PLAN_H

#include "codec.h"

/* Section: sent */

enum {
	/* Pieces that the items of a group are in, at most */
	RPCRDMA2_MAX_RUNS	= RPCRDMA2_MAX_XMTS + RPCRDMA2_MAX_MITEMS,
	/* Longest data of a READ that a client has placed, in bytes */
	RPCRDMA2_MAX_READ	= 1 << 20,
};

/* A part of a Send */
struct rpcrdma2_span {
	u32	offset;	/* its first byte, from the start of the Send */
	u32	length;	/* its length, in bytes */
};

/**
 * struct rpcrdma2_dest - what a message is sent to
 * @rb: structure of the peer's Receives
 * @limit: longest Send that the peer can take, in bytes
 * @max_xmts: longest group, in transmissions; 1 if there must be none
 */
struct rpcrdma2_dest {
	const struct rpcrdma2_rbstruct	*rb;
	u32				limit;
	u32				max_xmts;
};

/* A part of an item that is one piece of a Send */
struct rpcrdma2_run {
	u32			xnum;	/* transmission of the group */
	u32			item;	/* the item */
	u32			from;	/* first byte, from the start of the item */
	struct rpcrdma2_span	span;	/* place in that Send */
	u32			tbsn;	/* number of the first segment */
	/* how many segments, of successive numbers, it reaches into */
	u32			count;
};

/* A transmission to send */
struct rpcrdma2_plan_send {
	u32	hdrlen;		/* its header, in bytes */
	u32	payload;	/* its part of the payload stream: first byte */
	u32	pslen;		/* length of that part, in bytes */
	u32	length;		/* whole Send, in bytes */
	u32	run;		/* its first run */
	u32	nruns;		/* how many runs it has */
};

/**
 * struct rpcrdma2_plan - how a message is sent
 * @nxmts: transmissions it takes
 * @xmts: these, the initial one first
 * @nruns: runs of all transmissions together
 * @runs: these; what is between them is zeros
 */
struct rpcrdma2_plan {
	u32			nxmts;
	struct rpcrdma2_plan_send	xmts[RPCRDMA2_MAX_XMTS];
	u32			nruns;
	struct rpcrdma2_run	runs[RPCRDMA2_MAX_RUNS];
};

u32 rpcrdma2_payload_xmts(u32 limit, u32 hdrlen, u32 payload);
bool rpcrdma2_plan(struct rpcrdma2_plan *plan, const struct rpcrdma2_dest *to,
		   u32 hdrlen, u32 payload, const u32 *lengths, u32 nitems);
void rpcrdma2_plan_msg(struct rpcrdma2_plan *plan, u32 hdrlen, u32 pslen);
bool rpcrdma2_plan_item(const struct rpcrdma2_plan *plan, u32 n,
			struct rpcrdma2_mitem *item,
			struct rpcrdma2_segpool *pool);
u32 rpcrdma2_run_gap(const struct rpcrdma2_plan *plan, u32 n);
u32 rpcrdma2_read_max(u32 set, bool software);

/* Section: received */

enum {
	/* Segments that can be aimed at in the Receives of a message, at most */
	RPCRDMA2_MAX_SEGMENTS	= 512,
};

/* A transmission that was received */
struct rpcrdma2_part {
	u32	length;	/* bytes received */
	u32	hdrlen;	/* bytes of header; its part of the payload stream begins there */
	u32	pslen;	/* length of that part, in bytes */
};

/**
 * struct rpcrdma2_arrival - a message that was received
 * @rb: structure of the buffers it was received in, which this end has made
 * @max_message: longest RPC message that can be taken, in bytes
 * @limit: longest group that can be taken, in transmissions
 * @dir: RDMA2_CALL or RDMA2_REPLY
 * @count: transmissions it is said to consist of, as received
 * @nitems: items in @items
 * @items: optxrq_dp or optxrs_dp
 * @pool: what the items point into
 * @nparts: transmissions that are here
 * @parts: these, the initial one first
 */
struct rpcrdma2_arrival {
	const struct rpcrdma2_rbstruct	*rb;
	u32				max_message;
	u32				limit;
	u32				dir;
	u32				count;
	u32				nitems;
	const struct rpcrdma2_mitem	*items;
	const struct rpcrdma2_segpool	*pool;
	u32				nparts;
	const struct rpcrdma2_part	*parts;
};

void rpcrdma2_arrival_resp(struct rpcrdma2_arrival *arr,
			   const struct rpcrdma2_xmtresp *resp,
			   const struct rpcrdma2_part *parts,
			   const struct rpcrdma2_rbstruct *rb,
			   u32 max_message);
bool rpcrdma2_check_lead(const struct rpcrdma2_arrival *arr,
			 const struct rpcrdma2_xmtreq *req,
			 struct rpcrdma2_repterr *fault);
bool rpcrdma2_check_part(const struct rpcrdma2_part *part, u32 least,
			 struct rpcrdma2_repterr *fault);
bool rpcrdma2_check_length(u64 length, u32 max, struct rpcrdma2_repterr *fault);
bool rpcrdma2_check_whole(const struct rpcrdma2_arrival *arr,
			  const struct rpcrdma2_xmtreq *req,
			  struct rpcrdma2_repterr *fault);
u64 rpcrdma2_payload_length(const struct rpcrdma2_arrival *arr);
u64 rpcrdma2_virtual_length(const struct rpcrdma2_arrival *arr);

static inline bool rpcrdma2_is_excised(const struct rpcrdma2_mitem *item)
{
	return item->type == XMPTYPE_EXRW || item->type == XMPTYPE_TBSN;
}

/* Bytes in a row of segments that belong to an item */
struct rpcrdma2_claim {
	u32	tbsn;	/* number of the first segment */
	u32	from;	/* first byte, from the start of that segment */
	u32	length;	/* how many */
	u32	xnum;	/* transmission that they are in */
	u32	offset;	/* first byte, from the start of that Send */
	u32	size;	/* length of a segment, in bytes */
};

/* A place in an item */
struct rpcrdma2_claims {
	const struct rpcrdma2_arrival	*arr;	/* message whose numbers were found sound */
	const struct rpcrdma2_mitem	*item;	/* item of it, XMPTYPE_TBSN */
	u32				n;	/* next number in its list */
	u32				left;	/* bytes not yet reached */
	u32				each;	/* segments that one Receive has */
	u32				most;	/* segments to look at together, at most */
};

void rpcrdma2_claims_begin(struct rpcrdma2_claims *it,
			   const struct rpcrdma2_arrival *arr,
			   const struct rpcrdma2_mitem *item);
bool rpcrdma2_claims_next(struct rpcrdma2_claims *it, struct rpcrdma2_claim *claim);

/* Where a part of an RPC message is */
enum rpcrdma2_piece_kind {
	RPCRDMA2_PIECE_PAYLOAD,	/* in the payload stream */
	RPCRDMA2_PIECE_PLACED,	/* in a row of placement-targetable segments */
	RPCRDMA2_PIECE_REMOTE,	/* in the peer's memory, or in what was offered to it */
	RPCRDMA2_PIECE_ZEROS,	/* nowhere; XDR round-up behind an excised item */
};

/**
 * struct rpcrdma2_piece - a part of an RPC message
 * @kind: where it is
 * @disp: its position in the virtual stream
 * @length: its length, in bytes
 * @xnum: transmission that it is in (PAYLOAD, PLACED)
 * @offset: its first byte, from the start of that Send (PAYLOAD, PLACED)
 * @item: item that it belongs to (all but PAYLOAD)
 */
struct rpcrdma2_piece {
	enum rpcrdma2_piece_kind	kind;
	u32				disp;
	u32				length;
	u32				xnum;
	u32				offset;
	u32				item;
};

/* A place in the virtual stream */
struct rpcrdma2_walk {
	const struct rpcrdma2_arrival	*arr;	/* message that was found sound as a whole */
	u32				disp;	/* bytes behind us */
	u32				item;	/* item that is next, or that we are in */
	/* bytes of that item, round-up included, that are ahead; 0 if we are not in one */
	u32				inside;
	struct rpcrdma2_claims		claims;	/* place in that item */
	u32				part;	/* part of the payload stream that we are in */
	u32				used;	/* bytes of that part that are behind us */
};

void rpcrdma2_walk_begin(struct rpcrdma2_walk *walk,
			 const struct rpcrdma2_arrival *arr);
bool rpcrdma2_walk_next(struct rpcrdma2_walk *walk, struct rpcrdma2_piece *piece);

/* Directions and results */

/* Do directions hold for the whole request? @length: length of its virtual stream, in
 * bytes. True if there is one set, and it spans everything.
 */
static inline bool rpcrdma2_rsd_sole(const struct rpcrdma2_xmtreq *req, u64 length)
{
	return req->nsets == 1 && !req->sets[0].begin &&
	       req->sets[0].end == length;
}

u32 rpcrdma2_segs_length(const struct rpcrdma2_segpool *pool, u32 first, u32 count);
u32 rpcrdma2_rsd_segment(const struct rpcrdma2_xmtreq *req,
			 const struct rpcrdma2_rsditem *want);
u32 rpcrdma2_rsd_result(const struct rpcrdma2_rsditem *want, u32 length,
			bool can_place, bool can_write);
bool rpcrdma2_resp_matches(const struct rpcrdma2_xmtreq *req,
			   const struct rpcrdma2_xmtresp *resp);

#endif /* _RPCRDMA2_PLAN_H */
