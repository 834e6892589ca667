/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: how a message is sent.
 *
 * No verbs and no allocation, so that the same source also builds in user space.
 *
 * The functions are described where they are defined.
 */

#ifndef _RPCRDMA2_PLAN_H
#define _RPCRDMA2_PLAN_H

#include "codec.h"

enum {
	/* Pieces that the items of a group are in, at most */
	RPCRDMA2_MAX_RUNS	= RPCRDMA2_MAX_XMTS + RPCRDMA2_MAX_MITEMS,
};

/**
 * struct rpcrdma2_span - a part of a Send
 * @offset: its first byte, from the start of the Send
 * @length: its length, in bytes
 */
struct rpcrdma2_span {
	u32	offset;
	u32	length;
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

/**
 * struct rpcrdma2_run - a part of an item that is one piece of a Send
 * @xnum: transmission of the group
 * @item: the item
 * @from: first byte, from the start of the item
 * @span: place in that Send
 * @tbsn: number of the first segment
 * @count: how many segments, of successive numbers, it reaches into
 */
struct rpcrdma2_run {
	u32			xnum;
	u32			item;
	u32			from;
	struct rpcrdma2_span	span;
	u32			tbsn;
	u32			count;
};

/**
 * struct rpcrdma2_plan_send - a transmission to send
 * @hdrlen: its header, in bytes
 * @payload: its part of the payload stream: first byte
 * @pslen: length of that part, in bytes
 * @length: whole Send, in bytes
 * @run: its first run
 * @nruns: how many runs it has
 */
struct rpcrdma2_plan_send {
	u32	hdrlen;
	u32	payload;
	u32	pslen;
	u32	length;
	u32	run;
	u32	nruns;
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

#endif /* _RPCRDMA2_PLAN_H */
