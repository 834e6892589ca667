// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: Receives and credits of a connection.
 *
 * Invariants, besides those of the pool:
 *
 * V1. As many Receives are posted as messages may come (M3), as soon as a buffer
 *     that is not in use any more has found its fate. There is always one for
 *     each: a buffer is posted, waits for room in the queue, or holds a message.
 *     Buffers beyond that wait for others, to be posted with one doorbell.
 * V2. A credit counts as held from the time when its message was received until
 *     the grant of the message that returns it is settled. Who drops a message
 *     without an answer drops the credit: the peer keeps it, but nothing relies
 *     on that.
 * V3. A lower grant counts as known when the peer has answered a message that was
 *     posted behind it, and no other grant was settled since.
 * V4. A client uses what is granted as far as it has Receives for the replies. It has
 *     as many posted as it has buffers, but for those with messages that still hold
 *     what they were posted for. What it does not use any more counts until whoever
 *     has taken it before is seen.
 */

#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#include <kunit/visibility.h>

#include "posted.h"

/**
 * rpcrdma2_posted_begin - nothing is posted yet
 * @po: connection, @po->po_m a member of the pool
 * @depth: how many Receives its queue has room for
 */
void rpcrdma2_posted_begin(struct rpcrdma2_posted *po, u32 depth)
{
	u32 kind, most = depth - depth / 4;

	po->po_depth = depth;
	for (kind = 0; kind < RPCRDMA2_POOL_KINDS; kind++)
		po->po_m.most[kind] = min_t(u32, po->po_m.most[kind], most);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_begin);

/**
 * rpcrdma2_posted_needed - how many Receives have to be posted
 * @po: connection
 *
 * Return: the number (V1)
 */
u32 rpcrdma2_posted_needed(const struct rpcrdma2_posted *po)
{
	return rpcrdma2_pool_needed(&po->po_m, po->po_unanswered);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_needed);

/**
 * rpcrdma2_posted_dropped - messages are not going to be answered
 * @po: connection
 * @credits: how many they held (V2)
 */
void rpcrdma2_posted_dropped(struct rpcrdma2_posted *po, u32 credits)
{
	po->po_unanswered -= min_t(u32, po->po_unanswered, credits);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_dropped);

/**
 * rpcrdma2_posted_fate - what becomes of a buffer that is not in use?
 * @po: connection
 * @kind: kind of the buffer
 * @again: all others have been looked at, and this one was found spare
 *
 * One of the right kind is better than one that is just missing, and may be
 * among the others. Those that are spare do not count for the next one: as many are
 * freed as there are too many, however many are looked at.
 *
 * Return: what becomes of it; if it is SPARE once more, rpcrdma2_pool_drop() has to
 * be told, and in the end rpcrdma2_posted_looked()
 */
enum rpcrdma2_buffer_fate
rpcrdma2_posted_fate(struct rpcrdma2_posted *po, u32 kind, bool again)
{
	bool missing = again && po->po_count < rpcrdma2_posted_needed(po);

	if (again)
		po->po_spare[kind]--;
	if (po->po_count >= po->po_depth)
		return RPCRDMA2_BUFFER_WAIT;
	if (rpcrdma2_pool_keep(&po->po_m, kind, po->po_spare, missing))
		return RPCRDMA2_BUFFER_POST;
	po->po_spare[kind]++;
	return RPCRDMA2_BUFFER_SPARE;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_fate);

/* Is it time to look at the buffers that are not in use? @wanted: Receives that are to be
 * posted. As long as there are so many, one doorbell will do for several. While memory
 * comes or goes, nothing is put off.
 */
static bool rpcrdma2_posted_lags(const struct rpcrdma2_posted *po, u32 wanted)
{
	const struct rpcrdma2_member *m = &po->po_m;

	return po->po_count < max_t(u32, wanted, 1) || m->grant > m->target ||
	       m->bufs[!m->kind] || m->coming[m->kind] ||
	       m->bufs[m->kind] != rpcrdma2_pool_buffers(m, m->target);
}

/**
 * rpcrdma2_posted_lags_grant - is it time for a server to post buffers again?
 * @po: connection
 * @returned: credits that are about to go back to the peer
 *
 * Return: %true if too few Receives are posted to grant as many credits as it is to
 * have, or if memory comes or goes
 */
bool rpcrdma2_posted_lags_grant(const struct rpcrdma2_posted *po, u32 returned)
{
	u32 held = po->po_unanswered - min_t(u32, po->po_unanswered, returned);
	u32 wanted = po->po_m.target + po->po_m.extra;

	return rpcrdma2_posted_lags(po, wanted - min_t(u32, wanted, held));
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_lags_grant);

/**
 * rpcrdma2_posted_lags_split - is it time for a client to post buffers again?
 * @po: connection
 *
 * Return: %true if too few Receives are posted for what rpcrdma2_posted_split() has said
 * they are for, or if memory comes or goes
 */
bool rpcrdma2_posted_lags_split(const struct rpcrdma2_posted *po)
{
	return rpcrdma2_posted_lags(po, po->po_m.grant + po->po_m.extra);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_lags_split);

/**
 * rpcrdma2_posted_spare - a buffer that should be posted is spare nevertheless
 * @po: connection
 * @kind: kind of the buffer
 */
void rpcrdma2_posted_spare(struct rpcrdma2_posted *po, u32 kind)
{
	po->po_spare[kind]++;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_spare);

/**
 * rpcrdma2_posted_looked - the fate of all buffers is known
 * @po: connection
 */
void rpcrdma2_posted_looked(struct rpcrdma2_posted *po)
{
	memset(po->po_spare, 0, sizeof(po->po_spare));
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_looked);

/* Section: what a connection has use for */

/**
 * rpcrdma2_posted_grow - let a connection have more
 * @pool: pool
 * @po: connection for which rpcrdma2_pool_short() is true
 *
 * Blocks may be there already, from the time before the peer asked for a lower
 * RBSIZ.
 *
 * Return: %true if there are buffers to be allocated, or RBSIZ is to be raised
 */
bool rpcrdma2_posted_grow(struct rpcrdma2_pool *pool, struct rpcrdma2_posted *po)
{
	u32 kind = po->po_m.kind, count = rpcrdma2_pool_grow(pool, &po->po_m);

	po->po_fetch[po->po_m.kind] += count;
	po->po_raise |= po->po_m.kind != kind;
	return count || po->po_raise;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_grow);

/**
 * rpcrdma2_posted_raise - is it time to raise RBSIZ?
 * @po: connection
 *
 * Return: %true once for each time that it has got blocks, when some are there
 */
bool rpcrdma2_posted_raise(struct rpcrdma2_posted *po)
{
	const struct rpcrdma2_member *m = &po->po_m;

	if (!po->po_raise ||
	    m->bufs[RPCRDMA2_POOL_BLOCK] == m->coming[RPCRDMA2_POOL_BLOCK])
		return false;
	po->po_raise = false;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_raise);

/**
 * rpcrdma2_posted_admit - somebody has authenticated
 * @pool: pool
 * @po: connection
 */
void rpcrdma2_posted_admit(struct rpcrdma2_pool *pool, struct rpcrdma2_posted *po)
{
	po->po_fetch[RPCRDMA2_POOL_PLAIN] +=
		rpcrdma2_pool_admit(pool, &po->po_m);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_admit);

/**
 * rpcrdma2_posted_plain - do without blocks
 * @pool: pool
 * @po: connection, all of its buffers allocated; the peer counts on none
 */
void rpcrdma2_posted_plain(struct rpcrdma2_pool *pool, struct rpcrdma2_posted *po)
{
	po->po_fetch[RPCRDMA2_POOL_PLAIN] +=
		rpcrdma2_pool_plain(pool, &po->po_m);
	po->po_raise = false;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_plain);

/**
 * rpcrdma2_posted_take - begin to allocate what the pool has given
 * @po: connection
 * @kind: kind of the buffers
 *
 * Return: how many; rpcrdma2_pool_posted() or rpcrdma2_posted_failed() has to
 * follow for each
 */
u32 rpcrdma2_posted_take(struct rpcrdma2_posted *po, u32 kind)
{
	u32 count = po->po_fetch[kind];

	po->po_fetch[kind] = 0;
	return count;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_take);

/**
 * rpcrdma2_posted_failed - there was no memory for some
 * @pool: pool
 * @po: connection
 * @kind: kind of the buffers
 * @count: how many there are not
 *
 * With too few blocks for anything it has plain ones instead.
 */
void rpcrdma2_posted_failed(struct rpcrdma2_pool *pool,
			    struct rpcrdma2_posted *po, u32 kind, u32 count)
{
	u32 first = pool->rules.first;

	rpcrdma2_pool_failed(pool, &po->po_m, kind, count);
	if (kind == RPCRDMA2_POOL_BLOCK && po->po_m.kind == kind &&
	    po->po_m.target < first)
		rpcrdma2_posted_plain(pool, po);
	po->po_m.target = max_t(u32, po->po_m.target, first);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_failed);

/* Section: grants */

/**
 * rpcrdma2_posted_grant - settle the grant of a message in REPLY direction
 * @pool: pool
 * @po: connection
 * @returned: credits that the message returns
 *
 * It has to be posted before the next one is settled, or the peer is asked
 * something: who learns of a higher grant after a lower one acts on the higher
 * one.
 *
 * Return: the value for rdma_credit
 */
u32 rpcrdma2_posted_grant(const struct rpcrdma2_pool *pool,
			  struct rpcrdma2_posted *po, u32 returned)
{
	returned = min_t(u32, returned, po->po_unanswered);
	po->po_unanswered -= returned;
	po->po_grants++;
	return rpcrdma2_pool_grant(pool, &po->po_m, po->po_count,
				   po->po_unanswered, returned);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_grant);

/**
 * rpcrdma2_posted_ask - the peer is about to be asked something
 * @po: connection whose grants are all posted
 */
void rpcrdma2_posted_ask(struct rpcrdma2_posted *po)
{
	po->po_asked = true;
	po->po_asked_at = po->po_grants;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_ask);

/**
 * rpcrdma2_posted_confirm - the peer has answered that
 * @po: connection
 *
 * Serves V3.
 */
void rpcrdma2_posted_confirm(struct rpcrdma2_posted *po)
{
	if (po->po_asked && po->po_asked_at == po->po_grants)
		rpcrdma2_pool_confirmed(&po->po_m);
	po->po_asked = false;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_confirm);

/* Section: a client */

/**
 * rpcrdma2_posted_there - how many buffers can be relied on
 * @po: connection
 * @large: the peer has been told of blocks
 *
 * Return: the number
 */
u32 rpcrdma2_posted_there(const struct rpcrdma2_posted *po, bool large)
{
	const struct rpcrdma2_member *m = &po->po_m;
	u32 there = m->bufs[RPCRDMA2_POOL_BLOCK] - m->coming[RPCRDMA2_POOL_BLOCK];

	if (large)
		return there;
	return there + m->bufs[RPCRDMA2_POOL_PLAIN] -
	       m->coming[RPCRDMA2_POOL_PLAIN];
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_there);

static u32 rpcrdma2_most(u32 a, u32 b, u32 c)
{
	return max_t(u32, a, max_t(u32, b, c));
}

/* How many Receives long replies may have. @all: those that are for credits or for them.
 * RPCs that need only one credit do not wait for them. Returns three quarters at most.
 */
static u32 rpcrdma2_posted_share(u32 all)
{
	return all - min_t(u32, all, max_t(u32, all / 4, 1));
}

/**
 * rpcrdma2_posted_for_replies - how many Receives could long replies have?
 * @po: connection
 * @there: buffers that can be relied on, without those for callbacks
 *
 * Return: the number, whatever they are for now
 */
u32 rpcrdma2_posted_for_replies(const struct rpcrdma2_posted *po, u32 there)
{
	u32 covered = there - min_t(u32, there, po->po_m.extra);

	return rpcrdma2_posted_share(min_t(u32, po->po_m.target, covered));
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_for_replies);

/**
 * rpcrdma2_posted_split - settle what the Receives of a client are for
 * @po: connection
 * @there: buffers that can be relied on
 * @wanted: what there is use for; of credits, what the server has granted
 * @held: what is in use; of reverse credits, what the server may act on
 * @split: IN: what is in force; OUT: what is to be, one credit at least
 *
 * What no credit needs long replies may have in any case. Serves V4, D-18.
 */
void rpcrdma2_posted_split(struct rpcrdma2_posted *po, u32 there,
			   const struct rpcrdma2_split *wanted,
			   const struct rpcrdma2_split *held,
			   struct rpcrdma2_split *split)
{
	const struct rpcrdma2_split now = *split;
	struct rpcrdma2_member *m = &po->po_m;
	u32 recvs, all = there - min_t(u32, there, m->extra);

	split->reverse = max_t(u32, held->reverse,
			       min_t(u32, wanted->reverse, all / 2));
	all = rpcrdma2_pool_window(m, there - min_t(u32, there, split->reverse));
	recvs = min_t(u32, wanted->recvs, rpcrdma2_posted_share(all));
	recvs = min_t(u32, all, max_t(u32, recvs, held->recvs));
	split->credits = max_t(u32, min_t(u32, wanted->credits, all - recvs), 1);
	split->recvs = all - min_t(u32, all, max_t(u32, split->credits,
						   held->credits));
	m->grant = rpcrdma2_most(split->credits, now.credits, held->credits) +
		   rpcrdma2_most(split->recvs, now.recvs, held->recvs) +
		   split->reverse;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_split);

/* Section: giving back */

/**
 * rpcrdma2_posted_surplus - Receives that nothing needs
 * @po: connection
 *
 * Return: how many; 0 as long as there is something to answer, which will use up
 * Receives by itself
 */
u32 rpcrdma2_posted_surplus(const struct rpcrdma2_posted *po)
{
	u32 kept = max_t(u32, rpcrdma2_posted_needed(po),
			 rpcrdma2_pool_buffers(&po->po_m, po->po_m.target));

	return po->po_unanswered ? 0 : po->po_count - min_t(u32, kept, po->po_count);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_surplus);

/**
 * rpcrdma2_posted_rests - is there nothing to look after?
 * @pool: pool
 * @po: connection
 *
 * Return: %false if the pool has to look at it in the next interval
 */
bool rpcrdma2_posted_rests(const struct rpcrdma2_pool *pool,
			   const struct rpcrdma2_posted *po)
{
	const struct rpcrdma2_member *m = &po->po_m;
	u32 kept = max_t(u32, rpcrdma2_posted_needed(po),
			 rpcrdma2_pool_buffers(m, m->target));

	return m->kind == RPCRDMA2_POOL_PLAIN &&
	       m->bufs[RPCRDMA2_POOL_PLAIN] <= kept + po->po_unanswered &&
	       !m->bufs[RPCRDMA2_POOL_BLOCK] && !m->coming[RPCRDMA2_POOL_PLAIN] &&
	       !m->tried &&
	       m->target <= pool->rules.rest &&
	       (!m->recall || m->grant <= max_t(u32, m->target, m->recall)) &&
	       !rpcrdma2_posted_surplus(po);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_posted_rests);
