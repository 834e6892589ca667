// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: who gets how much of the memory for Receives.
 *
 * A credit is a buffer. It is posted, then it holds a message, and when that is
 * answered it is posted again: the reply returns the credit only if there is a
 * Receive behind it. Invariants:
 *
 * M1. Each buffer is charged from the time when a connection is told to allocate
 *     it until it is freed: to the connection, its address, and the pool.
 * M2. Nobody grows beyond the budget. More than that is in use only where all
 *     connections have the least they can do with, or the budget has shrunk.
 * M3. No message may come that no Receive is posted for:
 *     grant - unanswered + extra <= posted (D-18, D-19). A credit that is lent
 *     out is called back by the reply that would have returned it, so that the
 *     number of messages that may still come never falls behind the peer's
 *     back. A peer with nothing outstanding is told to have few, and gets the
 *     others back with the next reply but one; they are not there any more only
 *     if meanwhile it has confirmed that it knows. One that asks for its grant
 *     when it has nothing to do is told then, and before only where memory is
 *     scarce: work that comes in bursts does not wait for credits.
 * M4. Where nobody has authenticated there are as few credits as can be, and no
 *     blocks.
 * M5. An address gets at most twice as much as is left free, and a connection at most
 *     half of what its address might still get. So there is always room for one
 *     that comes late, and the more there are the less each has. A quarter of
 *     the budget is for those who have next to nothing.
 * M6. Each credit may hold the pages of a Call that comes by explicit RDMA, which are
 *     in no budget. So a connection without blocks gets no more credits than with
 *     version 1. Whoever wants more pays for them with blocks.
 * M7. Memory is taken back from those who do not use it, and from those who have
 *     twice what M5 would give them now.
 */

#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#include <kunit/visibility.h>

#include "pool.h"

/**
 * rpcrdma2_pool_init - begin without connections
 * @pool: OUT: pool of an end
 * @rules: what holds for all of them
 * @budget_kb: how much memory there may be, in kB
 */
void rpcrdma2_pool_init(struct rpcrdma2_pool *pool,
			const struct rpcrdma2_pool_rules *rules, u32 budget_kb)
{
	memset(pool, 0, sizeof(*pool));
	pool->rules = *rules;
	pool->budget_kb = budget_kb;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_pool_init);

/* Section: how much there is */

/* How many credits go with a number of buffers. @buffers: the number. Returns the
 * most credits that rpcrdma2_pool_buffers() has so many for.
 */
static u32 rpcrdma2_pool_credits(const struct rpcrdma2_member *m, u32 buffers)
{
	u32 rest = buffers - min_t(u32, buffers, m->extra + 1);
	u32 credits = rest - (rest + 1) / 9;

	while (credits && rpcrdma2_pool_buffers(m, credits) > buffers)
		credits--;
	return credits;
}

/* Memory that nobody has. @pool: pool. Returns kB. */
static u32 rpcrdma2_pool_free(const struct rpcrdma2_pool *pool)
{
	u32 budget = pool->budget_kb - pool->squeezed_kb;

	return budget > pool->used_kb ? budget - pool->used_kb : 0;
}

/* How much a connection may have as things are. @pool: its pool. @reserve: memory
 * that is not for it, in kB. Its address may have twice as much as would be left
 * then (M5). Returns kB.
 */
static u32 rpcrdma2_pool_limit(const struct rpcrdma2_pool *pool,
			       const struct rpcrdma2_member *m, u32 reserve)
{
	u32 free = rpcrdma2_pool_free(pool), used = m->share->used_kb;

	free -= min_t(u32, free, reserve);
	return 2 * free > used ? (2 * free - used) / 3 : 0;
}

/* By how much a connection may grow. @pool: its pool. @reserve: memory that is
 * not for it, in kB. Returns kB.
 */
static u32 rpcrdma2_pool_room(const struct rpcrdma2_pool *pool,
			      const struct rpcrdma2_member *m, u32 reserve)
{
	u32 limit = rpcrdma2_pool_limit(pool, m, reserve);
	u32 charged = rpcrdma2_pool_charged(pool, m);

	return limit > charged ? (limit - charged) / 2 : 0;
}

/* Is memory short for an address? @pool: pool. @m: one of its connections.
 * Returns false if it may get an eighth of the budget, or soon will.
 */
static bool rpcrdma2_pool_scarce(const struct rpcrdma2_pool *pool,
				 const struct rpcrdma2_member *m)
{
	return rpcrdma2_pool_limit(pool, m, 0) + pool->going_kb <
	       pool->budget_kb / 8;
}

/* Credits of a connection that has little to do. @pool: its pool. @kind: kind of
 * its buffers. Returns the number.
 */
static u32 rpcrdma2_pool_pause(const struct rpcrdma2_pool *pool,
			       const struct rpcrdma2_member *m, u32 kind)
{
	if (m->fixed)
		return m->target;
	if (!m->authentic)
		return pool->rules.first;
	if (kind == RPCRDMA2_POOL_PLAIN)
		return min_t(u32, pool->rules.rest, m->most[kind]);
	return pool->rules.pause / (rpcrdma2_pool_scarce(pool, m) ? 4 : 1);
}

/* How many buffers a connection may have. @pool: its pool. @kind: kind of the
 * buffers. What it has and is going to free does not count. Returns the number.
 */
static u32 rpcrdma2_pool_afford(const struct rpcrdma2_pool *pool,
				const struct rpcrdma2_member *m, u32 kind)
{
	u32 kb = pool->rules.kb[kind], have, most, few;

	have = min_t(u32, m->bufs[kind], rpcrdma2_pool_buffers(m, m->target));
	most = have + rpcrdma2_pool_room(pool, m, pool->budget_kb / 4) / kb;
	few = have + rpcrdma2_pool_room(pool, m, 0) / kb;
	few = min_t(u32, few,
		    rpcrdma2_pool_buffers(m, rpcrdma2_pool_pause(pool, m, kind)));
	return max_t(u32, most, few);
}

/* Charge buffers. @pool: pool. @m: connection that is told to allocate them.
 * @kind: their kind. @buffers: how many it is to have in all. Returns how many
 * more than it has.
 */
static u32 rpcrdma2_pool_take(struct rpcrdma2_pool *pool,
			      struct rpcrdma2_member *m, u32 kind, u32 buffers)
{
	u32 more = buffers - min_t(u32, buffers, m->bufs[kind]);
	u32 kb = more * pool->rules.kb[kind];

	m->bufs[kind] += more;
	m->coming[kind] += more;
	m->share->used_kb += kb;
	pool->used_kb += kb;
	if (m->going)
		pool->going_kb += kb;
	return more;
}

/* Let a connection have what one without data rests with. @pool: its pool. @m:
 * connection without blocks. Or what there is room for if that is less, but
 * always enough for one Call. Returns how many plain buffers to allocate and
 * post.
 */
static u32 rpcrdma2_pool_settle(struct rpcrdma2_pool *pool,
				struct rpcrdma2_member *m)
{
	u32 rest = rpcrdma2_pool_pause(pool, m, RPCRDMA2_POOL_PLAIN);
	u32 buffers = min_t(u32, rpcrdma2_pool_buffers(m, rest),
			    rpcrdma2_pool_afford(pool, m, RPCRDMA2_POOL_PLAIN));

	m->target = max_t(u32, rpcrdma2_pool_credits(m, buffers),
			  pool->rules.first);
	if (m->target < rest) {
		m->denied = true;
		pool->denied++;
	}
	return rpcrdma2_pool_take(pool, m, RPCRDMA2_POOL_PLAIN,
				  rpcrdma2_pool_buffers(m, m->target));
}

/**
 * rpcrdma2_pool_drop - buffers of a connection have been freed
 * @pool: its pool
 * @m: connection
 * @kind: their kind
 * @count: how many
 */
void rpcrdma2_pool_drop(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m,
			u32 kind, u32 count)
{
	u32 kb = count * pool->rules.kb[kind];

	m->bufs[kind] -= count;
	m->share->used_kb -= kb;
	pool->used_kb -= kb;
	if (m->going)
		pool->going_kb -= kb;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_pool_drop);

/**
 * rpcrdma2_pool_join - a connection is being made
 * @pool: pool
 * @share: its address
 * @m: OUT: the connection; where there cannot be so many credits, the caller
 *	lowers @m->most of either kind
 * @extra: Receives that no credit accounts for
 *
 * It gets what a peer needs to say who it is, whatever the budget (M4).
 *
 * Return: how many plain buffers to allocate and post
 */
u32 rpcrdma2_pool_join(struct rpcrdma2_pool *pool, struct rpcrdma2_share *share,
		       struct rpcrdma2_member *m, u32 extra)
{
	memset(m, 0, sizeof(*m));
	m->share = share;
	m->extra = extra;
	m->batch = pool->used_kb < pool->budget_kb / 4 ? RPCRDMA2_POOL_BATCH :
							 RPCRDMA2_POOL_BATCH_FEW;
	m->most[RPCRDMA2_POOL_PLAIN] = pool->rules.most;
	m->most[RPCRDMA2_POOL_BLOCK] = pool->rules.most;
	/* each direction starts at one (D-12) */
	m->grant = 1;
	share->members++;
	pool->members++;
	return rpcrdma2_pool_settle(pool, m);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_pool_join);

/**
 * rpcrdma2_pool_admit - somebody has authenticated on a connection
 * @pool: its pool
 * @m: connection
 *
 * It gets more only if there is room, like everybody else.
 *
 * Return: how many plain buffers to allocate and post
 */
u32 rpcrdma2_pool_admit(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m)
{
	if (m->authentic)
		return 0;
	m->authentic = true;
	return rpcrdma2_pool_settle(pool, m);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_pool_admit);

/**
 * rpcrdma2_pool_fix - let a connection have blocks, whatever it does
 * @pool: its pool
 * @m: connection that has just joined
 * @credits: how many it is to have
 *
 * For peers that try what comes of messages, and do nothing to be given more. It ends
 * when one asks for a lower RBSIZ.
 *
 * Return: how many blocks to allocate and post, instead of plain buffers
 */
u32 rpcrdma2_pool_fix(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m,
		      u32 credits)
{
	rpcrdma2_pool_drop(pool, m, RPCRDMA2_POOL_PLAIN,
			   m->bufs[RPCRDMA2_POOL_PLAIN]);
	m->coming[RPCRDMA2_POOL_PLAIN] = 0;
	m->authentic = true;
	m->fixed = true;
	m->kind = RPCRDMA2_POOL_BLOCK;
	m->target = credits;
	return rpcrdma2_pool_take(pool, m, RPCRDMA2_POOL_BLOCK,
				  rpcrdma2_pool_buffers(m, credits));
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_pool_fix);

/**
 * rpcrdma2_pool_leave - a connection is gone
 * @pool: its pool
 * @m: connection, whose buffers have all been freed
 */
void rpcrdma2_pool_leave(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m)
{
	u32 kind;

	for (kind = 0; kind < RPCRDMA2_POOL_KINDS; kind++)
		rpcrdma2_pool_drop(pool, m, kind, m->bufs[kind]);
	m->share->members--;
	pool->members--;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_pool_leave);

/* Section: a connection gets more */

/* Credits that are not taken back. @pool: pool. Blocks are large: who has them
 * and no use for them has few, and who has them while there is no memory as few
 * as can be. Returns the number.
 */
static u32 rpcrdma2_pool_least(const struct rpcrdma2_pool *pool,
			       const struct rpcrdma2_member *m)
{
	if (m->kind == RPCRDMA2_POOL_BLOCK && !rpcrdma2_pool_free(pool))
		return pool->rules.first;
	if (m->kind == RPCRDMA2_POOL_BLOCK && m->quiet >= pool->rules.idle)
		return pool->rules.few;
	return rpcrdma2_pool_pause(pool, m, m->kind);
}

/* The kind of Receives that a connection has use for. Returns the kind. */
static u32 rpcrdma2_pool_kind(const struct rpcrdma2_member *m)
{
	return m->data ? RPCRDMA2_POOL_BLOCK : m->kind;
}

/* Credits that there are buffers for, or soon will be */
static u32 rpcrdma2_pool_have(const struct rpcrdma2_member *m)
{
	return min_t(u32, m->target, rpcrdma2_pool_credits(m, m->bufs[m->kind]));
}

/* How many credits a connection has use for. @pool: its pool. Whoever has nearly
 * all of its credits in use at once might use more than it has. Returns the
 * number.
 */
static u32 rpcrdma2_pool_want(const struct rpcrdma2_pool *pool,
			      const struct rpcrdma2_member *m)
{
	u32 want = m->peak + m->peak / 4 + 1, have = rpcrdma2_pool_have(m);

	if (m->peak >= have - have / 8)
		want = max_t(u32, want, 2 * have);
	want = max_t(u32, want, rpcrdma2_pool_least(pool, m));
	return min_t(u32, want, m->most[rpcrdma2_pool_kind(m)]);
}

/**
 * rpcrdma2_pool_short - is there a reason for rpcrdma2_pool_grow()?
 * @pool: its pool
 * @m: connection
 *
 * Context: as rpcrdma2_pool_used(); of @pool constants are read, and what may be
 * out of date
 * Return: %true if it has use for more, and may get it
 */
bool rpcrdma2_pool_short(const struct rpcrdma2_pool *pool,
			 const struct rpcrdma2_member *m)
{
	if (!m->authentic || m->tried || m->going || m->fixed)
		return false;
	if (m->data && m->kind == RPCRDMA2_POOL_PLAIN)
		return true;
	return rpcrdma2_pool_want(pool, m) > rpcrdma2_pool_have(m);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_pool_short);

/**
 * rpcrdma2_pool_grow - let a connection have more
 * @pool: its pool
 * @m: connection
 *
 * It gets what it has use for, or what there is room for if that is less. With
 * blocks it may have fewer credits than without.
 *
 * Return: how many buffers of @m->kind to allocate and post
 */
u32 rpcrdma2_pool_grow(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m)
{
	u32 want, most, credits, kind = rpcrdma2_pool_kind(m);

	if (!rpcrdma2_pool_short(pool, m))
		return 0;
	want = rpcrdma2_pool_buffers(m, rpcrdma2_pool_want(pool, m));
	most = rpcrdma2_pool_afford(pool, m, kind);
	m->denied = most < want;
	m->tried = m->denied;
	pool->denied += m->denied;
	want = min_t(u32, want, most);
	credits = rpcrdma2_pool_credits(m, want);
	if (credits < (kind == m->kind ? rpcrdma2_pool_have(m) + 1 :
					 pool->rules.first))
		return 0;
	m->kind = kind;
	m->target = credits;
	m->calm = 0;
	pool->grown++;
	return rpcrdma2_pool_take(pool, m, kind, rpcrdma2_pool_buffers(m, credits));
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_pool_grow);

/**
 * rpcrdma2_pool_plain - let a connection do without blocks
 * @pool: its pool
 * @m: connection whose peer has asked for a lower RBSIZ, or for which there were
 *	no blocks; all buffers that it was told to allocate are posted
 *
 * Return: how many plain buffers to allocate and post
 */
u32 rpcrdma2_pool_plain(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m)
{
	m->kind = RPCRDMA2_POOL_PLAIN;
	m->fixed = false;
	return rpcrdma2_pool_settle(pool, m);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_pool_plain);

/**
 * rpcrdma2_pool_failed - buffers could not be allocated
 * @pool: its pool
 * @m: connection
 * @kind: their kind
 * @count: how many
 *
 * It makes do with what it has, and does not try again in this interval. If there
 * are not enough blocks for anything, rpcrdma2_pool_plain() has to follow.
 */
void rpcrdma2_pool_failed(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m,
			  u32 kind, u32 count)
{
	rpcrdma2_pool_drop(pool, m, kind, count);
	m->coming[kind] -= count;
	if (kind == m->kind)
		m->target = rpcrdma2_pool_have(m);
	m->tried = true;
	m->denied = true;
	pool->denied++;
	pool->failed += count;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_pool_failed);

/* Section: credits and posted Receives */

/**
 * rpcrdma2_pool_keep - is a buffer to be posted again?
 * @m: connection
 * @kind: kind of the buffer, which is not in use any more
 * @spare: how many buffers of each kind are about to be freed
 * @missing: fewer Receives are posted than have to be: rpcrdma2_pool_needed() at a
 *	server, one for each outstanding credit and the extra ones at a client
 *
 * Calls have their replies count on Receives that are posted without them; control
 * messages hold no credit, and must be replaced. Buffers of the other kind are of
 * use as long as none of its own is there.
 *
 * Return: %false if it is to be freed, and then rpcrdma2_pool_drop() told
 */
bool rpcrdma2_pool_keep(const struct rpcrdma2_member *m, u32 kind,
			const u32 *spare, bool missing)
{
	u32 most = rpcrdma2_pool_buffers(m, m->target);
	u32 own = m->bufs[m->kind] - m->coming[m->kind] - spare[m->kind];
	u32 there = m->bufs[kind] - m->coming[kind] - spare[kind];

	return !m->going &&
	       (missing || (there <= most && (kind == m->kind || !own)));
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_pool_keep);

/**
 * rpcrdma2_pool_grant - what a reply grants
 * @pool: its pool
 * @m: connection
 * @posted: Receives that are posted
 * @unanswered: credits that received messages hold, without those of this one
 * @returned: credits that this one has held
 *
 * Never so little that fewer messages may come than before (M3), unless nothing
 * is outstanding: then what the peer may act on stays, and is posted for, until
 * rpcrdma2_pool_confirmed(). Whether a peer that asks is told to have few then may
 * depend on a budget that is out of date.
 *
 * Context: what is posted must not fall before the reply is
 * Return: the value for rdma_credit; never 0
 */
u32 rpcrdma2_pool_grant(const struct rpcrdma2_pool *pool,
			struct rpcrdma2_member *m, u32 posted, u32 unanswered,
			u32 returned)
{
	u32 edge = m->grant - min_t(u32, m->grant, returned);
	u32 value, covered = posted + unanswered;

	covered -= min_t(u32, covered, m->extra);
	value = min_t(u32, m->target, covered);
	if (!unanswered &&
	    (m->idle || !m->asks || rpcrdma2_pool_scarce(pool, m)))
		value = min_t(u32, value, rpcrdma2_pool_pause(pool, m, m->kind));
	value = max_t(u32, max_t(u32, value, unanswered ? edge : 0), 1);
	m->grant = max_t(u32, edge, value);
	m->recall = value < edge ? value : 0;
	return value;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_pool_grant);

/* Section: memory is taken back */

/* How many credits a connection is to have from now on. @pool: its pool. @m:
 * connection, an interval over. Returns the number, not more than it has.
 */
static u32 rpcrdma2_pool_target(const struct rpcrdma2_pool *pool,
				const struct rpcrdma2_member *m)
{
	u32 target = m->target, want = rpcrdma2_pool_want(pool, m);
	u32 charged = rpcrdma2_pool_charged(pool, m);
	u32 hold = pool->rules.hold, budget = pool->budget_kb;

	/* others have to wait for these credits */
	if (rpcrdma2_pool_limit(pool, m, budget / 4) < budget / 8)
		hold = 1;
	if (m->calm >= hold)
		target = m->peak ? max_t(u32, want, target / 2) : want;
	if (charged / 2 > rpcrdma2_pool_limit(pool, m, 0))
		target /= 2;
	target = max_t(u32, target, rpcrdma2_pool_least(pool, m));
	return min_t(u32, target, m->target);
}

/* What is to be done about a connection. @pool: its pool. @m: connection, an
 * interval over. @busy: there are messages to be answered. @surplus: it has more
 * Receives posted than its credits need. A Receive Queue gives nothing back, and
 * RBSIZ becomes lower only because the peer asks for it. Returns what is to be
 * done.
 */
static enum rpcrdma2_pool_turn
rpcrdma2_pool_turn(const struct rpcrdma2_pool *pool,
		   const struct rpcrdma2_member *m, bool busy, bool surplus)
{
	const struct rpcrdma2_pool_rules *rules = &pool->rules;

	if (m->kind == RPCRDMA2_POOL_BLOCK && !busy &&
	    ((m->quiet >= rules->gone && !m->needed && !m->peak) ||
	     (m->quiet >= rules->still && rpcrdma2_pool_scarce(pool, m))))
		return RPCRDMA2_POOL_CLOSE;
	if (m->kind == RPCRDMA2_POOL_BLOCK && m->quiet == rules->idle)
		return RPCRDMA2_POOL_LOWER;
	if (m->recall && m->grant > max_t(u32, m->target, m->recall))
		return RPCRDMA2_POOL_RECALL;
	return surplus ? RPCRDMA2_POOL_FLUSH : RPCRDMA2_POOL_STAY;
}

/* Does the peer of a connection do what is expected of it? @pool: its pool. @m:
 * connection, an interval over. @busy: there are messages to be answered.
 */
static void rpcrdma2_pool_expect(const struct rpcrdma2_pool *pool,
				 struct rpcrdma2_member *m, bool busy)
{
	m->silent = busy || m->peak || m->idle ? 0 : m->silent + 1;
	if (m->silent >= pool->rules.silent)
		m->asks = false;
}

/**
 * rpcrdma2_pool_tick - an interval is over
 * @pool: its pool
 * @m: connection
 * @posted: Receives that are posted
 * @unanswered: credits that received messages hold
 *
 * Return: what is to be done about it
 */
enum rpcrdma2_pool_turn
rpcrdma2_pool_tick(struct rpcrdma2_pool *pool, struct rpcrdma2_member *m,
		   u32 posted, u32 unanswered)
{
	u32 kept = rpcrdma2_pool_needed(m, unanswered);
	enum rpcrdma2_pool_turn turn;
	u32 target;

	if (m->going || m->fixed)
		return RPCRDMA2_POOL_STAY;
	m->quiet = m->data ? 0 : m->quiet + 1;
	rpcrdma2_pool_expect(pool, m, unanswered);
	m->calm++;
	if (rpcrdma2_pool_want(pool, m) > m->target - m->target / 4)
		m->calm = 0;
	if (rpcrdma2_pool_scarce(pool, m))
		m->batch = RPCRDMA2_POOL_BATCH_FEW;
	target = rpcrdma2_pool_target(pool, m);
	pool->shrunk += target < m->target;
	m->target = target;
	m->data = false;
	m->tried = false;
	kept = max_t(u32, kept, rpcrdma2_pool_buffers(m, target));
	turn = rpcrdma2_pool_turn(pool, m, unanswered,
				  !unanswered && posted > kept);
	m->peak = 0;
	if (turn == RPCRDMA2_POOL_CLOSE) {
		m->going = true;
		pool->going_kb += rpcrdma2_pool_charged(pool, m);
		pool->closed++;
	}
	return turn;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_pool_tick);

