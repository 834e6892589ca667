/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: Receives and credits of a connection.
 *
 * What the pool of all connections has given to one: how many Receives are posted,
 * which credits are out, and what becomes of a buffer that is not in use any more.
 * No verbs, no locks, no time, so that the same source also builds in user space:
 * the caller serializes.
 *
 * The functions are described where they are defined.
 */

#ifndef _RPCRDMA2_POSTED_H
#define _RPCRDMA2_POSTED_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "pool.h"

/**
 * enum rpcrdma2_buffer_fate - what becomes of a buffer that is not in use
 * @RPCRDMA2_BUFFER_POST: it is posted
 * @RPCRDMA2_BUFFER_SPARE: it is freed, unless another look finds it missing
 * @RPCRDMA2_BUFFER_WAIT: the queue is full
 */
enum rpcrdma2_buffer_fate {
	RPCRDMA2_BUFFER_POST,
	RPCRDMA2_BUFFER_SPARE,
	RPCRDMA2_BUFFER_WAIT,
};

/**
 * struct rpcrdma2_posted - Receives and credits of a connection
 * @po_m: its part of the pool
 * @po_depth: how many Receives its queue has room for
 * @po_count: how many are posted
 * @po_unanswered: credits that received messages hold whose grant is not settled; a
 *	client grants nothing of these, and has none
 * @po_missing: credits that messages would have taken which went by explicit RDMA,
 *	and are not answered
 * @po_grants: grants that were settled
 * @po_asked: the peer was asked something behind all grants
 * @po_asked_at: @po_grants at that time
 * @po_fetch: buffers that the pool has given, and that nobody allocates yet
 * @po_spare: buffers of each kind that a look at those not in use has found spare
 * @po_raise: it has got blocks, and a raise of RBSIZ has not begun
 */
struct rpcrdma2_posted {
	struct rpcrdma2_member	po_m;
	u32			po_depth;
	u32			po_count;
	u32			po_unanswered;
	u32			po_missing;
	u32			po_grants;
	bool			po_asked;
	u32			po_asked_at;
	u32			po_fetch[RPCRDMA2_POOL_KINDS];
	u32			po_spare[RPCRDMA2_POOL_KINDS];
	bool			po_raise;
};

/**
 * struct rpcrdma2_split - what the Receives of a client are for
 * @credits: replies, one for each forward credit
 * @recvs: the rest of replies that take several
 * @reverse: reverse Calls, beyond those that there always are Receives for
 */
struct rpcrdma2_split {
	u32	credits;
	u32	recvs;
	u32	reverse;
};

/**
 * rpcrdma2_posted_add - a buffer is posted
 * @po: connection
 */
static inline void rpcrdma2_posted_add(struct rpcrdma2_posted *po)
{
	po->po_count++;
}

/**
 * rpcrdma2_posted_arrived - a message has used up a Receive
 * @po: connection
 */
static inline void rpcrdma2_posted_arrived(struct rpcrdma2_posted *po)
{
	po->po_count--;
}

/**
 * rpcrdma2_posted_holds - a received message holds a credit
 * @po: connection
 * @asks: it is a request of the peer itself, and no Call
 */
static inline void rpcrdma2_posted_holds(struct rpcrdma2_posted *po, bool asks)
{
	po->po_m.asks |= asks;
	po->po_m.idle = asks && !po->po_unanswered;
	po->po_unanswered++;
}

/**
 * rpcrdma2_posted_used - see what messages show
 * @po: connection
 * @data: there was data that could have been placed
 *
 * Return: as rpcrdma2_pool_used()
 */
static inline bool rpcrdma2_posted_used(struct rpcrdma2_posted *po, bool data)
{
	return rpcrdma2_pool_used(&po->po_m, po->po_unanswered + po->po_missing,
				  data);
}

/**
 * rpcrdma2_posted_explicit - data has come by explicit RDMA
 * @po: connection
 * @credits: how many more its message would have taken with it
 */
static inline void rpcrdma2_posted_explicit(struct rpcrdma2_posted *po, u32 credits)
{
	po->po_missing += credits;
}

/**
 * rpcrdma2_posted_answered - a message with such data is dealt with
 * @po: connection
 * @credits: what rpcrdma2_posted_explicit() was told
 */
static inline void rpcrdma2_posted_answered(struct rpcrdma2_posted *po, u32 credits)
{
	po->po_missing -= min_t(u32, po->po_missing, credits);
}

void rpcrdma2_posted_begin(struct rpcrdma2_posted *po, u32 depth);
u32 rpcrdma2_posted_needed(const struct rpcrdma2_posted *po);
void rpcrdma2_posted_dropped(struct rpcrdma2_posted *po, u32 credits);
enum rpcrdma2_buffer_fate
rpcrdma2_posted_fate(struct rpcrdma2_posted *po, u32 kind, bool again);
bool rpcrdma2_posted_lags_grant(const struct rpcrdma2_posted *po, u32 returned);
bool rpcrdma2_posted_lags_split(const struct rpcrdma2_posted *po);
void rpcrdma2_posted_spare(struct rpcrdma2_posted *po, u32 kind);
void rpcrdma2_posted_looked(struct rpcrdma2_posted *po);

bool rpcrdma2_posted_grow(struct rpcrdma2_pool *pool, struct rpcrdma2_posted *po);
bool rpcrdma2_posted_raise(struct rpcrdma2_posted *po);
void rpcrdma2_posted_admit(struct rpcrdma2_pool *pool, struct rpcrdma2_posted *po);
void rpcrdma2_posted_plain(struct rpcrdma2_pool *pool, struct rpcrdma2_posted *po);
u32 rpcrdma2_posted_take(struct rpcrdma2_posted *po, u32 kind);
void rpcrdma2_posted_failed(struct rpcrdma2_pool *pool,
			    struct rpcrdma2_posted *po, u32 kind, u32 count);

u32 rpcrdma2_posted_grant(const struct rpcrdma2_pool *pool,
			  struct rpcrdma2_posted *po, u32 returned);
void rpcrdma2_posted_ask(struct rpcrdma2_posted *po);
void rpcrdma2_posted_confirm(struct rpcrdma2_posted *po);

u32 rpcrdma2_posted_there(const struct rpcrdma2_posted *po, bool large);
u32 rpcrdma2_posted_for_replies(const struct rpcrdma2_posted *po, u32 there);
void rpcrdma2_posted_split(struct rpcrdma2_posted *po, u32 there,
			   const struct rpcrdma2_split *wanted,
			   const struct rpcrdma2_split *held,
			   struct rpcrdma2_split *split);

u32 rpcrdma2_posted_surplus(const struct rpcrdma2_posted *po);
bool rpcrdma2_posted_rests(const struct rpcrdma2_pool *pool,
			   const struct rpcrdma2_posted *po);

#endif /* _RPCRDMA2_POSTED_H */
