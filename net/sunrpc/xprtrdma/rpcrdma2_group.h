/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: messages that take several transmissions.
 *
 * A group is one ROPT_XMTREQ or ROPT_XMTRESP and the ROPT_XMTCONTs that follow
 * it. The receiver finds out whether a message belongs to the group that is
 * open, and what to report if it does not; the sender splits a message over as
 * few transmissions as the receiver's buffers allow. No verbs and no
 * allocation, so that the same source also builds in user space.
 *
 * The functions are described where they are defined.
 */

#ifndef _RPCRDMA2_GROUP_H
#define _RPCRDMA2_GROUP_H

#include "rpcrdma2_place.h"

enum {
	/* Transmissions of a group, at most, whatever an administrator sets */
	RPCRDMA2_MAX_XMTS	= 32,
	/* Pieces that the items of a group are in, at most */
	RPCRDMA2_MAX_RUNS	= RPCRDMA2_MAX_XMTS + RPCRDMA2_MAX_MITEMS,
	/* Header of ROPT_XMTCONT, in bytes */
	RPCRDMA2_CONT_SIZE	= RPCRDMA2_OPT_SIZE + 12,
};

/*
 * Receiving
 */

/**
 * enum rpcrdma2_group_state - what a ROPT_XMTCONT would be
 * @RPCRDMA2_GROUP_IDLE: a mistake
 * @RPCRDMA2_GROUP_OPEN: the next transmission of the group
 * @RPCRDMA2_GROUP_DRAIN: the rest of something that was reported or refused
 */
enum rpcrdma2_group_state {
	RPCRDMA2_GROUP_IDLE = 0,
	RPCRDMA2_GROUP_OPEN,
	RPCRDMA2_GROUP_DRAIN,
};

/**
 * struct rpcrdma2_group - reassembly on one connection
 * @state: what comes next
 * @xid: rdma_xid of the group that is open; like all that follows, valid in
 *	RPCRDMA2_GROUP_OPEN only
 * @dir: rdma_optdir of it
 * @itype: ROPT_XMTREQ or ROPT_XMTRESP
 * @count: transmissions that it consists of
 * @next: how many of them are here
 * @length: length of its RPC message as far as it is here, in bytes
 * @max_message: length that must not exceed
 * @parts: the caller's room for @count transmissions
 *
 * All zeros is a valid beginning.
 */
struct rpcrdma2_group {
	enum rpcrdma2_group_state	state;
	__be32				xid;
	u32				dir;
	u32				itype;
	u32				count;
	u32				next;
	u64				length;
	u32				max_message;
	struct rpcrdma2_part		*parts;
};

/**
 * enum rpcrdma2_step - what a message is to the group that is open
 * @RPCRDMA2_STEP_OTHER: nothing; it is processed as if there were no group
 * @RPCRDMA2_STEP_HELD: a transmission of it, and not the last one
 * @RPCRDMA2_STEP_WHOLE: the last transmission, or the only one
 * @RPCRDMA2_STEP_DISCARD: the rest of something; not to be answered
 * @RPCRDMA2_STEP_REPORT: a fault that has to be reported
 * @RPCRDMA2_STEP_BAD_XDR: a fault that is answered like a bad header
 */
enum rpcrdma2_step {
	RPCRDMA2_STEP_OTHER,
	RPCRDMA2_STEP_HELD,
	RPCRDMA2_STEP_WHOLE,
	RPCRDMA2_STEP_DISCARD,
	RPCRDMA2_STEP_REPORT,
	RPCRDMA2_STEP_BAD_XDR,
};

static inline bool rpcrdma2_group_is_open(const struct rpcrdma2_group *grp)
{
	return grp->state == RPCRDMA2_GROUP_OPEN;
}

enum rpcrdma2_step rpcrdma2_group_step(struct rpcrdma2_group *grp,
				       const void *buf,
				       const struct rpcrdma2_msg *msg,
				       struct rpcrdma2_repterr *fault);
enum rpcrdma2_step rpcrdma2_group_lead(struct rpcrdma2_group *grp,
				       const struct rpcrdma2_msg *msg,
				       const struct rpcrdma2_arrival *arr,
				       const struct rpcrdma2_xmtreq *req,
				       struct rpcrdma2_part *parts,
				       struct rpcrdma2_repterr *fault);
void rpcrdma2_group_refuse(struct rpcrdma2_group *grp, u32 count);
void rpcrdma2_group_drop(struct rpcrdma2_group *grp);
void rpcrdma2_blame(struct rpcrdma2_repterr *fault,
		    const struct rpcrdma2_msg *msg, u32 seq, bool has_lead);

/*
 * Sending
 */

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
 * struct rpcrdma2_xmt - a transmission to send
 * @hdrlen: its header, in bytes
 * @payload: its part of the payload stream: first byte
 * @pslen: length of that part, in bytes
 * @length: whole Send, in bytes
 * @run: its first run
 * @nruns: how many runs it has
 */
struct rpcrdma2_xmt {
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
	struct rpcrdma2_xmt	xmts[RPCRDMA2_MAX_XMTS];
	u32			nruns;
	struct rpcrdma2_run	runs[RPCRDMA2_MAX_RUNS];
};

u32 rpcrdma2_payload_xmts(u32 limit, u32 hdrlen, u32 payload);
bool rpcrdma2_plan(struct rpcrdma2_plan *plan, const struct rpcrdma2_dest *to,
		   u32 hdrlen, u32 payload, const u32 *lengths, u32 nitems);
bool rpcrdma2_plan_item(const struct rpcrdma2_plan *plan, u32 n,
			struct rpcrdma2_mitem *item,
			struct rpcrdma2_pool *pool);
u32 rpcrdma2_run_gap(const struct rpcrdma2_plan *plan, u32 n);

#endif /* _RPCRDMA2_GROUP_H */
