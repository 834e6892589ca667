/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: characteristics that change while a connection is
 * in use.
 *
 * What each end said of itself, what it was asked to change, and what it has
 * asked the other one to change. No verbs and no locks, so that the same
 * source also builds in user space: the caller serializes.
 */

#ifndef _RPCRDMA2_EXCHANGE_H
#define _RPCRDMA2_EXCHANGE_H

#include "codec.h"

/* Events; names are in exchange.c */
enum rpcrdma2_xch_event {
	RPCRDMA2_XE_REQXCH_SENT,
	RPCRDMA2_XE_REQXCH_RECEIVED,
	RPCRDMA2_XE_RESPXCH_RECEIVED,
	RPCRDMA2_XE_UPDXCH_SENT,
	RPCRDMA2_XE_UPDXCH_RECEIVED,
	RPCRDMA2_XE_UPDXCH_ODD,		/* A-51, N-85, N-93 */
	RPCRDMA2_XE_GAVE,		/* peer asked: done */
	RPCRDMA2_XE_GAVE_LATER,		/* peer asked: pending */
	RPCRDMA2_XE_GAVE_NOT,		/* peer asked: rejected */
	RPCRDMA2_XE_GAVE_UP,		/* said pending, came to nothing */
	RPCRDMA2_XE_GOT,		/* we asked, or were about to: it is so now */
	RPCRDMA2_XE_GOT_PART,		/* we asked: another value came of it */
	RPCRDMA2_XE_GOT_NOT,		/* we asked: rejected in the end */
	RPCRDMA2_XE_NR
};

/**
 * struct rpcrdma2_recvq - lengths of posted Receives
 * @rq_size: length that Receives are to have from now on, in bytes
 * @rq_before: @rq_bytes when that was last changed
 * @rq_posted: how many are posted
 * @rq_bytes: sum of their lengths
 * @rq_behind: the last one that is shorter than @rq_size is this many from the
 *	oldest one; 0 if there is none
 * @rq_short: a Receive of the batch being posted is shorter than @rq_size
 * @rq_buffers: sum of the lengths of all buffers for Receives, posted or not
 *
 * Receives are used up in the order in which they were posted.
 */
struct rpcrdma2_recvq {
	u32	rq_size;
	u32	rq_before;
	u32	rq_posted;
	u32	rq_bytes;
	u32	rq_behind;
	bool	rq_short;
	u32	rq_buffers;
};

void rpcrdma2_recvq_resize(struct rpcrdma2_recvq *rq, u32 size);

/**
 * rpcrdma2_recvq_post - a Receive is posted
 * @rq: Receives
 * @length: its length, in bytes
 *
 * Within a batch the order is not known: behind a short one all may be short.
 */
static inline void rpcrdma2_recvq_post(struct rpcrdma2_recvq *rq, u32 length)
{
	rq->rq_posted++;
	rq->rq_bytes += length;
	if (length < rq->rq_size)
		rq->rq_short = true;
	if (rq->rq_short)
		rq->rq_behind = rq->rq_posted;
}

/**
 * rpcrdma2_recvq_consume - the oldest Receive was used up
 * @rq: Receives
 * @length: its length, in bytes
 */
static inline void rpcrdma2_recvq_consume(struct rpcrdma2_recvq *rq, u32 length)
{
	rq->rq_short = false;
	rq->rq_posted--;
	rq->rq_bytes -= length;
	if (rq->rq_behind)
		rq->rq_behind--;
}

struct rpcrdma2_xch;

/**
 * struct rpcrdma2_xch_ops - what only an end itself knows
 * @max_recv: longest Receives that may be posted, in bytes
 * @may_lower: may Receives become as short as this? NULL: always
 * @may_tell: no shorter Receive is posted; are there enough longer ones? NULL: yes
 * @end: RPCRDMA2_STATED_BY_CLIENT or RPCRDMA2_STATED_BY_SERVER
 * @asks_lower: the peer may be asked for shorter Receives
 * @provides: longer ones have to wait for rpcrdma2_xch_provide()
 */
struct rpcrdma2_xch_ops {
	u32	(*max_recv)(const struct rpcrdma2_xch *xch);
	bool	(*may_lower)(const struct rpcrdma2_xch *xch, u32 size);
	bool	(*may_tell)(const struct rpcrdma2_xch *xch);
	u32	end;
	bool	asks_lower;
	bool	provides;
};

enum {
	/* One-way messages that no answer has confirmed yet */
	RPCRDMA2_MAX_UNCONFIRMED = 2,
};

/* A ROPT_UPDXCH or ROPT_REPTERR that was sent */
struct rpcrdma2_announced {
	__be32	xid;	/* its rdma_xid */
	u32	n;	/* characteristic; RPCRDMA2_NUM_XCHARS if it is a report */
	u32	value;	/* the value that was announced */
	/* Calls of this epoch and later ones were sent after it; 0: not known */
	u32	epoch;
};

/**
 * struct rpcrdma2_xch - characteristics of a connection, seen from one end
 * @xc_ops: the end
 * @xc_local: what the peer knows of this end, or is about to be told
 * @xc_peer: what the peer said of itself, in force
 * @xc_heard: the peer has sent ROPT_INITXCH
 * @xc_first: RBSIZ that it began with
 * @xc_stated: this end has sent ROPT_INITXCH, or is just doing so
 * @xc_refused: BIT(opttype): the peer does not know it
 *
 * @xc_wish: bits of what the peer is to be asked for
 * @xc_requested: bits of what the present ROPT_REQXCH asks for
 * @xc_pending: bits of what the peer said to be pending
 * @xc_want: the values of all these
 * @xc_longer: its RBSIZ was more than the peer's when it was wished for
 * @xc_element: for bit N of @xc_requested, which element of the request it is
 * @xc_denied: least RBSIZ of those that would have been more and were denied;
 *	U32_MAX if none
 * @xc_req_open: a ROPT_REQXCH has not been answered
 * @xc_req_xid: its rdma_xid
 * @xc_req_epoch: when it was sent
 * @xc_nudges: how many empty requests may be sent for the sake of their
 *	answers, each of which uses up a Receive
 *
 * @xc_own: bits of changes under way that nobody asked for
 * @xc_busy: bits of changes that the peer asked for and was told to be pending
 * @xc_finished: of these, the ones that have come to an end
 * @xc_unanswered: requests of the peer's whose ROPT_RESPXCH is not sent yet
 * @xc_awaited: RBSIZ that the peer has asked for, and that there is no memory for
 *	yet, in bytes; 0 if there is none
 * @xc_announce: bits of what ROPT_UPDXCH is due for
 * @xc_recvq: posted Receives
 * @xc_usable: RBSIZ of this end that the peer is sure to know, in bytes
 * @xc_own_seen: the last size that this end was set to by its administrator
 *
 * @xc_epoch: counts ROPT_UPDXCH and ROPT_REPTERR sent; read without lock
 * @xc_nr_announced: entries of @xc_announced
 * @xc_announced: what no answer has confirmed
 * @xc_counts: events; they are all that survives a reset
 */
struct rpcrdma2_xch {
	const struct rpcrdma2_xch_ops	*xc_ops;
	struct rpcrdma2_xchars		xc_local;
	struct rpcrdma2_xchars		xc_peer;
	bool				xc_heard;
	u32				xc_first;
	bool				xc_stated;
	u32				xc_refused;

	u32				xc_wish;
	u32				xc_requested;
	u32				xc_pending;
	struct rpcrdma2_xchars		xc_want;
	bool				xc_longer;
	u32				xc_element[RPCRDMA2_NUM_XCHARS];
	u32				xc_denied;
	bool				xc_req_open;
	__be32				xc_req_xid;
	u32				xc_req_epoch;
	u32				xc_nudges;

	u32				xc_own;
	u32				xc_busy;
	u32				xc_finished;
	u32				xc_unanswered;
	u32				xc_awaited;
	u32				xc_announce;
	struct rpcrdma2_recvq		xc_recvq;
	u32				xc_usable;
	u32				xc_own_seen;

	u32				xc_epoch;
	u32				xc_nr_announced;
	struct rpcrdma2_announced	xc_announced[RPCRDMA2_MAX_UNCONFIRMED];
	u32				xc_counts[RPCRDMA2_XE_NR];
};

/* A message that is due */
struct rpcrdma2_ctrl {
	u32			opttype;	/* ROPT_REQXCH or ROPT_UPDXCH */
	__be32			xid;		/* its rdma_xid */
	struct rpcrdma2_xchars	values;		/* those wanted, or the one that is announced */
	bool			pendclr;	/* optupdxch_pendclr */
	/* its answer is one of those that use up Receives */
	bool			nudge;
};

extern const char * const rpcrdma2_xch_event_names[];

void rpcrdma2_xch_reset(struct rpcrdma2_xch *xch);
void rpcrdma2_xch_begin(struct rpcrdma2_xch *xch,
			const struct rpcrdma2_xch_ops *ops,
			const struct rpcrdma2_xchars *local);
bool rpcrdma2_xch_initxch(struct rpcrdma2_xch *xch,
			  const struct rpcrdma2_xchars *peer);

/* The side that asks */
u32 rpcrdma2_xch_ask(struct rpcrdma2_xch *xch, const struct rpcrdma2_xchars *want);
bool rpcrdma2_xch_ask_back(struct rpcrdma2_xch *xch);
bool rpcrdma2_xch_respxch(struct rpcrdma2_xch *xch, __be32 xid,
			  const struct rpcrdma2_respxch *resp);
u32 rpcrdma2_xch_error(struct rpcrdma2_xch *xch, __be32 xid, u32 code);
void rpcrdma2_xch_updxch(struct rpcrdma2_xch *xch,
			 const struct rpcrdma2_updxch *upd);
void rpcrdma2_xch_review(struct rpcrdma2_xch *xch);

/* The side that is asked */
void rpcrdma2_xch_reqxch(struct rpcrdma2_xch *xch,
			 const struct rpcrdma2_reqxch *req,
			 struct rpcrdma2_respxch *resp);
void rpcrdma2_xch_own_recv(struct rpcrdma2_xch *xch, u32 size);
void rpcrdma2_xch_own_value(struct rpcrdma2_xch *xch, u32 n, u32 value);
bool rpcrdma2_xch_provide(struct rpcrdma2_xch *xch, u32 size);
void rpcrdma2_xch_withhold(struct rpcrdma2_xch *xch);
void rpcrdma2_xch_progress(struct rpcrdma2_xch *xch);
void rpcrdma2_xch_stir(struct rpcrdma2_xch *xch, u32 size);

/* What was said, and whether the peer is sure to know it */
void rpcrdma2_xch_confirm(struct rpcrdma2_xch *xch, u32 epoch);
void rpcrdma2_xch_forget(struct rpcrdma2_xch *xch, u32 i);

/* Messages that are due: exchange_due.c */
bool rpcrdma2_xch_due(const struct rpcrdma2_xch *xch);
bool rpcrdma2_xch_next(struct rpcrdma2_xch *xch, __be32 xid,
		       struct rpcrdma2_ctrl *ctrl);
int rpcrdma2_xch_encode(const struct rpcrdma2_ctrl *ctrl, u32 credit,
			void *buf, u32 size);
void rpcrdma2_xch_sent(struct rpcrdma2_xch *xch, const struct rpcrdma2_ctrl *ctrl);
void rpcrdma2_xch_unsent(struct rpcrdma2_xch *xch,
			 const struct rpcrdma2_ctrl *ctrl);
bool rpcrdma2_xch_report_begin(struct rpcrdma2_xch *xch);
void rpcrdma2_xch_report_end(struct rpcrdma2_xch *xch, bool sent);

/* Is a change under way, or is there something to say? Returns false if neither
 * rpcrdma2_xch_progress() nor rpcrdma2_xch_due() has anything to look at.
 */
static inline bool rpcrdma2_xch_active(const struct rpcrdma2_xch *xch)
{
	return xch->xc_own | xch->xc_busy | xch->xc_announce | xch->xc_wish |
	       xch->xc_nudges;
}

/* The answer to a request of the peer was sent, or cannot be. */
static inline void rpcrdma2_xch_answered(struct rpcrdma2_xch *xch)
{
	xch->xc_unanswered--;
}

/* Have @count Receives used up that nobody needs. There are not less left to be used up by
 * a raise.
 */
static inline void rpcrdma2_xch_flush(struct rpcrdma2_xch *xch, u32 count)
{
	xch->xc_nudges = max_t(u32, xch->xc_nudges, count);
}

/* How long the peer's Sends can be relied on to be, transport header included. A peer that
 * never sent ROPT_INITXCH may not have understood ours.
 */
static inline u32 rpcrdma2_xch_recv_limit(const struct rpcrdma2_xch *xch)
{
	return xch->xc_heard ? xch->xc_usable : RPCRDMA2_DEF_INLINE;
}

/* The longest Send that the peer can take. A size that is lower than the present
 * one holds from the moment it is asked for. Returns a length in bytes,
 * transport header included.
 */
static inline u32 rpcrdma2_xch_send_limit(const struct rpcrdma2_xch *xch)
{
	u32 asked = xch->xc_requested | xch->xc_pending;

	if (asked & RPCRDMA2_HAS_RBSIZ)
		return min_t(u32, xch->xc_peer.rbsiz, xch->xc_want.rbsiz);
	return xch->xc_peer.rbsiz;
}

/* @max_recv of an end that provides memory: blocks have one length, and it was stated. */
static inline u32 rpcrdma2_xch_block_recv(const struct rpcrdma2_xch *xch)
{
	return xch->xc_local.rbstruct.length;
}

#endif /* _RPCRDMA2_EXCHANGE_H */
