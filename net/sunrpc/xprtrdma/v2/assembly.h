/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: messages that take several transmissions, and reports about
 * them.
 *
 * A group is one ROPT_XMTREQ or ROPT_XMTRESP and the ROPT_XMTCONTs that follow
 * it. The receiver finds out whether a message belongs to the group that is
 * open, and what to report if it does not. plan.h is how they are sent. No
 * verbs and no allocation, so that the same source also builds in user space.
 */

#ifndef _RPCRDMA2_ASSEMBLY_H
#define _RPCRDMA2_ASSEMBLY_H

#include <linux/atomic.h>

#include "plan.h"

/* What a ROPT_XMTCONT would be */
enum rpcrdma2_assembly_state {
	RPCRDMA2_ASSEMBLY_IDLE = 0,	/* a mistake */
	RPCRDMA2_ASSEMBLY_OPEN,		/* the next transmission of the group */
	RPCRDMA2_ASSEMBLY_DRAIN,	/* the rest of something that was reported or refused */
};

/**
 * struct rpcrdma2_assembly - reassembly on one connection
 * @state: what comes next
 * @xid: rdma_xid of the group that is open; like all that follows, valid in
 *	RPCRDMA2_ASSEMBLY_OPEN only
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
struct rpcrdma2_assembly {
	enum rpcrdma2_assembly_state	state;
	__be32				xid;
	u32				dir;
	u32				itype;
	u32				count;
	u32				next;
	u64				length;
	u32				max_message;
	struct rpcrdma2_part		*parts;
};

/* What a message is to the group that is open */
enum rpcrdma2_step {
	RPCRDMA2_STEP_OTHER,	/* nothing; it is processed as if there were no group */
	RPCRDMA2_STEP_HELD,	/* a transmission of it, and not the last one */
	RPCRDMA2_STEP_WHOLE,	/* the last transmission, or the only one */
	RPCRDMA2_STEP_DISCARD,	/* the rest of something; not to be answered */
	RPCRDMA2_STEP_REPORT,	/* a fault that has to be reported */
	RPCRDMA2_STEP_BAD_XDR,	/* a fault that is answered like a bad header */
};

static inline bool rpcrdma2_assembly_is_open(const struct rpcrdma2_assembly *grp)
{
	return grp->state == RPCRDMA2_ASSEMBLY_OPEN;
}

/* An initial transmission is refused for other reasons, behind rpcrdma2_assembly_step().
 * @count: transmissions it is said to consist of; 0 if that cannot be read.
 */
static inline void rpcrdma2_assembly_refuse(struct rpcrdma2_assembly *grp, u32 count)
{
	if (count != 1)
		grp->state = RPCRDMA2_ASSEMBLY_DRAIN;
}

/* Give up the group that is open, if there is one: what is to come of it is discarded. */
static inline void rpcrdma2_assembly_drop(struct rpcrdma2_assembly *grp)
{
	if (!rpcrdma2_assembly_is_open(grp))
		return;
	grp->state = RPCRDMA2_ASSEMBLY_DRAIN;
	grp->parts = NULL;
}

/* Is a message none of a group's business? @grp: reassembly of its connection.
 * @msg: the message, decoded. Returns true if nothing is open, nor to be
 * discarded, and the message cannot begin either: rpcrdma2_assembly_step() would
 * return RPCRDMA2_STEP_OTHER, and change nothing.
 */
static inline bool rpcrdma2_assembly_passes(const struct rpcrdma2_assembly *grp,
					    const struct rpcrdma2_msg *msg)
{
	return grp->state == RPCRDMA2_ASSEMBLY_IDLE &&
	       msg->proc != RDMA2_OPTIONAL;
}

enum {
	/* Responses that a report is believed to be about, at most */
	RPCRDMA2_MAX_RECENT	= 64,
};

/**
 * struct rpcrdma2_recent - responses that were sent not long ago
 * @count: how many were noted, ever
 * @xids: the last ones, bytes as on the wire; zero where one was reported already
 *
 * All zeros is a valid beginning. Threads that send replies note them without a
 * lock: each gets an entry of its own.
 */
struct rpcrdma2_recent {
	atomic_t	count;
	u32		xids[RPCRDMA2_MAX_RECENT];
};

enum rpcrdma2_step rpcrdma2_assembly_step(struct rpcrdma2_assembly *grp,
					  const void *buf,
					  const struct rpcrdma2_msg *msg,
					  struct rpcrdma2_repterr *fault);
enum rpcrdma2_step rpcrdma2_assembly_lead(struct rpcrdma2_assembly *grp,
					  const struct rpcrdma2_msg *msg,
					  const struct rpcrdma2_arrival *arr,
					  const struct rpcrdma2_xmtreq *req,
					  struct rpcrdma2_part *parts,
					  struct rpcrdma2_repterr *fault);
void rpcrdma2_blame(struct rpcrdma2_repterr *fault,
		    const struct rpcrdma2_msg *msg, u32 seq, bool has_lead);

bool rpcrdma2_repterr_about(const struct rpcrdma2_msg *msg,
			    const struct rpcrdma2_repterr *rep,
			    struct rpcrdma2_xmsid *about);
bool rpcrdma2_is_refusal(const struct rpcrdma2_msg *msg);
const char *rpcrdma2_opterr_name(u32 which);
void rpcrdma2_recent_add(struct rpcrdma2_recent *recent, __be32 xid);
bool rpcrdma2_recent_take(struct rpcrdma2_recent *recent, __be32 xid);

#endif /* _RPCRDMA2_ASSEMBLY_H */
