/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: who gets how much of the memory for Receives.
 *
 * All connections of an end share a pool. Each has few credits and short Receives
 * at first; both grow when it is seen to need them, and go back when it does not.
 * No locks, no allocation, no clock, so that the same source also builds in user
 * space: tools/testing/selftests/rpcrdma/sim runs it with 10,000 connections.
 */

#ifndef _RPCRDMA2_POOL_H
#define _RPCRDMA2_POOL_H

#include <linux/minmax.h>
#include <linux/types.h>

/* The two kinds of Receives: data can be placed in blocks */
enum {
	RPCRDMA2_POOL_PLAIN	= 0,
	RPCRDMA2_POOL_BLOCK	= 1,
	RPCRDMA2_POOL_KINDS	= 2,
};

/* Receives that are posted with one doorbell: as many as version 1 posts with one, and few
 * where others need the memory
 */
enum {
	RPCRDMA2_POOL_BATCH	= 7,
	RPCRDMA2_POOL_BATCH_FEW	= 2,
};

/**
 * struct rpcrdma2_pool_rules - what holds for all connections of an end
 * @kb: memory of a Receive of each kind, in kB
 * @first: credits of a connection nobody has authenticated on
 * @rest: credits of one that has little to do
 * @pause: the same if it has blocks, so that the next large request finds enough
 * @few: the same if it has blocks, and no data for them
 * @most: credits of one that has much to do
 * @hold: intervals of little use after which credits are taken back
 * @still: intervals without data after which a connection may be closed for its
 *	blocks where memory is scarce
 * @idle: intervals without data after which one needs no blocks
 * @gone: intervals without data after which one is closed that still has some
 * @silent: intervals after which a peer that has not asked for its grant is not
 *	expected to
 */
struct rpcrdma2_pool_rules {
	u32	kb[RPCRDMA2_POOL_KINDS];
	u32	first;
	u32	rest;
	u32	pause;
	u32	few;
	u32	most;
	u32	hold;
	u32	still;
	u32	idle;
	u32	gone;
	u32	silent;
};

/**
 * struct rpcrdma2_pool - memory for Receives of an end
 * @rules: constant
 * @budget_kb: how much there may be, in kB
 * @squeezed_kb: how much of that the kernel wants for other things
 * @used_kb: how much there is
 * @going_kb: how much of that connections have that are being closed
 * @members: connections
 * @grown: how often one got more
 * @denied: how often one did not get all that it could have used
 * @shrunk: how often something was taken back from one
 * @closed: how often one had to be closed
 * @failed: buffers that could not be allocated
 * @dry: connections whose peers have used up all Receives
 */
struct rpcrdma2_pool {
	struct rpcrdma2_pool_rules	rules;
	u32				budget_kb;
	u32				squeezed_kb;
	u32				used_kb;
	u32				going_kb;
	u32				members;
	u32				grown;
	u32				denied;
	u32				shrunk;
	u32				closed;
	u32				failed;
	u32				dry;
};

/* What the connections of one address have */
struct rpcrdma2_share {
	u32	used_kb;	/* their memory, in kB */
	u32	members;	/* how many there are */
};

/**
 * struct rpcrdma2_member - a connection
 * @share: its address
 * @extra: Receives that no credit accounts for; constant
 * @batch: how many Receives are posted with one doorbell, if it has credits enough;
 *	becomes less where memory is scarce
 * @most: credits it can have at most, with Receives of each kind; constant
 * @authentic: somebody has authenticated on it
 * @kind: what all its Receives are going to be; those of the other kind go as they
 *	are used up
 * @target: credits it is to have
 * @bufs: buffers it has, or has been told to allocate, of each kind
 * @coming: how many of these are not posted for the first time yet, of each kind
 * @grant: the most credits that the peer may act on
 * @recall: credits it was told to have from now on, as long as it is not sure to
 *	know; 0 if there is nothing of the kind
 * @peak: credits that it could have used in this interval
 * @data: it could have used blocks in this interval
 * @tried: it was seen in this interval that it cannot get more
 * @denied: it did not get all that it had use for when it asked last
 * @calm: intervals of little use in a row
 * @quiet: intervals without data in a row
 * @needed: it is of use without data, too, and not closed as long as there is memory
 * @going: it is being closed
 * @fixed: it keeps what it has
 * @asks: its peer is expected to ask for its grant when it has nothing to do
 * @idle: the peer has done that, and nothing since
 * @silent: intervals in a row in which it has done nothing at all
 */
struct rpcrdma2_member {
	struct rpcrdma2_share	*share;
	u32			extra;
	u32			batch;
	u32			most[RPCRDMA2_POOL_KINDS];
	bool			authentic;
	u32			kind;
	u32			target;
	u32			bufs[RPCRDMA2_POOL_KINDS];
	u32			coming[RPCRDMA2_POOL_KINDS];
	u32			grant;
	u32			recall;
	u32			peak;
	bool			data;
	bool			tried;
	bool			denied;
	u32			calm;
	u32			quiet;
	bool			needed;
	bool			going;
	bool			fixed;
	bool			asks;
	bool			idle;
	u32			silent;
};

/* What is to be done about a connection after an interval */
enum rpcrdma2_pool_turn {
	RPCRDMA2_POOL_STAY,	/* nothing, or what replies do by themselves */
	/* ask the peer something, which makes sure that it knows its grant, and then call
	 * rpcrdma2_pool_confirmed()
	 */
	RPCRDMA2_POOL_RECALL,
	RPCRDMA2_POOL_FLUSH,	/* have Receives used up that no credit needs */
	RPCRDMA2_POOL_LOWER,	/* a client should ask the server for a lower RBSIZ */
	RPCRDMA2_POOL_CLOSE,	/* close it */
};

/* A message shows what a connection could use. @credits: those in use, and those that
 * messages would have taken which went by explicit RDMA instead. @data: there was data
 * that could have been placed. Context: the caller serializes what is done to @m; no
 * other one is touched. Returns true if that is more than was known in this interval,
 * and so a reason to look at rpcrdma2_pool_short().
 */
static inline bool rpcrdma2_pool_used(struct rpcrdma2_member *m, u32 credits, bool data)
{
	bool more = credits > m->peak || (data && !m->data);

	m->peak = max_t(u32, m->peak, credits);
	if (data) {
		m->data = true;
		m->quiet = 0;
	}
	return more;
}

/* Let there be another amount of memory. @budget_kb: how much there may be, in kB. Who
 * has more than that gives it back little by little.
 */
static inline void rpcrdma2_pool_resize(struct rpcrdma2_pool *pool, u32 budget_kb)
{
	pool->budget_kb = budget_kb;
	pool->squeezed_kb = min_t(u32, pool->squeezed_kb, budget_kb);
}

/* Buffers beyond credits. A reply is on its way before the buffer of its Call is free,
 * and several buffers are posted with one doorbell. Who has little to do has few.
 */
static inline u32 rpcrdma2_pool_spare(const struct rpcrdma2_member *m, u32 credits)
{
	return max_t(u32, credits / 8 + 1,
		     min_t(u32, 2 * max_t(u32, credits, 5) - 9, m->batch));
}

/* How many buffers go with a number of credits. @credits: the number. Returns a number
 * of buffers.
 */
static inline u32 rpcrdma2_pool_buffers(const struct rpcrdma2_member *m, u32 credits)
{
	return credits + rpcrdma2_pool_spare(m, credits) + m->extra;
}

/* Memory that a connection is charged. Returns kB. */
static inline u32 rpcrdma2_pool_charged(const struct rpcrdma2_pool *pool,
					const struct rpcrdma2_member *m)
{
	return m->bufs[RPCRDMA2_POOL_PLAIN] * pool->rules.kb[RPCRDMA2_POOL_PLAIN] +
	       m->bufs[RPCRDMA2_POOL_BLOCK] * pool->rules.kb[RPCRDMA2_POOL_BLOCK];
}

/* A message has gone another way for want of credits. @credits: how many it would have
 * taken. The peer used all that it knew of then, though they may have come one after the
 * other. Where it knew of few, because nothing was outstanding, it wants back what it
 * had, and not more. Context: as rpcrdma2_pool_used().
 */
static inline void rpcrdma2_pool_lacked(struct rpcrdma2_member *m, u32 credits)
{
	credits += m->recall ?: m->grant;
	credits = max_t(u32, credits, m->target - m->target / 4);
	m->peak = max_t(u32, m->peak, credits);
}

/* Buffers that a connection was told to allocate are posted. @kind: their kind. @count:
 * how many.
 */
static inline void rpcrdma2_pool_posted(struct rpcrdma2_member *m, u32 kind, u32 count)
{
	m->coming[kind] -= count;
}

/* Receives that have to be posted. @unanswered: credits that received messages hold
 * whose replies are not posted. Returns the number (M3).
 */
static inline u32 rpcrdma2_pool_needed(const struct rpcrdma2_member *m, u32 unanswered)
{
	return m->grant - min_t(u32, m->grant, unanswered) + m->extra;
}

/* The peer knows what it was told last. @m: connection; the peer has answered a message
 * that was sent after the reply whose grant is in @m->recall, and no reply was sent
 * since.
 */
static inline void rpcrdma2_pool_confirmed(struct rpcrdma2_member *m)
{
	if (m->recall)
		m->grant = min_t(u32, m->grant, m->recall);
	m->recall = 0;
}

/* How many credits a client uses. @posted: Receives that are posted, or are about to be,
 * and are for nothing else. Returns the number, at least 1; less the server may grant.
 */
static inline u32 rpcrdma2_pool_window(struct rpcrdma2_member *m, u32 posted)
{
	u32 covered = posted - min_t(u32, posted, m->extra);

	m->grant = max_t(u32, min_t(u32, m->target, covered), 1);
	return m->grant;
}

/* The kernel is short of memory. @kb: how much it would like to have, in kB. Connections
 * give it back as their Receives are used up.
 */
static inline void rpcrdma2_pool_squeeze(struct rpcrdma2_pool *pool, u32 kb)
{
	pool->squeezed_kb += min_t(u32, kb, pool->budget_kb - pool->squeezed_kb);
}

/* An interval without rpcrdma2_pool_squeeze() is over. The budget comes back little by
 * little, in some 30 intervals.
 */
static inline void rpcrdma2_pool_relax(struct rpcrdma2_pool *pool)
{
	pool->squeezed_kb -= min_t(u32, pool->squeezed_kb,
				   pool->budget_kb / 32 + 1);
}

void rpcrdma2_pool_init(struct rpcrdma2_pool *pool,
			const struct rpcrdma2_pool_rules *rules, u32 budget_kb);

u32 rpcrdma2_pool_join(struct rpcrdma2_pool *pool, struct rpcrdma2_share *share,
		       struct rpcrdma2_member *m, u32 extra);
u32 rpcrdma2_pool_admit(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m);
u32 rpcrdma2_pool_fix(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m,
		      u32 credits);
void rpcrdma2_pool_leave(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m);

bool rpcrdma2_pool_short(const struct rpcrdma2_pool *pool,
			 const struct rpcrdma2_member *m);
u32 rpcrdma2_pool_grow(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m);
u32 rpcrdma2_pool_plain(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m);
bool rpcrdma2_pool_keep(const struct rpcrdma2_member *m, u32 kind,
			const u32 *spare, bool missing);
void rpcrdma2_pool_drop(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m,
			u32 kind, u32 count);
void rpcrdma2_pool_failed(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m,
			  u32 kind, u32 count);

u32 rpcrdma2_pool_grant(const struct rpcrdma2_pool *pool,
			struct rpcrdma2_member *m, u32 posted, u32 unanswered,
			u32 returned);

enum rpcrdma2_pool_turn
rpcrdma2_pool_tick(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m,
		   u32 posted, u32 unanswered);

#endif /* _RPCRDMA2_POOL_H */
