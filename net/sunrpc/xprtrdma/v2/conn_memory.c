// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: the memory for Receives of an end, and of its connections.
 *
 * The pool decides who gets how much. Here it gets a lock, its rules, the shares of
 * addresses, and a shrinker. /sys/kernel/debug/rpcrdma2/NAME shows its totals.
 *
 * Messages show what a connection has use for, the pool of its end decides what it
 * gets, and a work item allocates that. Blocks are posted behind what is there, and
 * RBSIZ is raised when the last shorter Receive is used up. What is the same at both
 * ends is here. An end knows its buffers: how they are allocated, posted and freed, and
 * what its messages show.
 *
 * Of what is done for a connection, cn_lock is held where nothing else is said.
 */

#include <linux/debugfs.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <net/ipv6.h>

#include "conn.h"
#include "memory.h"
#include <trace/events/rpcrdma2.h>

/* An address that connections come from */
struct rpcrdma2_address {
	struct hlist_node	ad_node;	/* in the table of its budget */
	struct rpcrdma2_share	ad_share;	/* what they have */
	struct in6_addr		ad_key;		/* what stands for the address */
};

/* What holds for each connection. Times are for intervals of 250 ms. */
static const struct rpcrdma2_pool_rules rpcrdma2_budget_rules = {
	.first		= 1,
	.rest		= 8,
	.pause		= 21,	/* a group of 1 MiB, with what may be lent to groups */
	.most		= 640,	/* a client: 32 replies of 1 MiB, 17 for each */
	.hold		= 20,	/* 5 s */
	.still		= 12,	/* 3 s */
	.idle		= 20,	/* 5 s */
	.gone		= 240,	/* 60 s */
	.silent		= 4,	/* 1 s */
};

/* How much there may be. Returns kB. */
static u32 rpcrdma2_budget_kb(const struct rpcrdma2_budget *budget)
{
	u64 eighth = (u64)totalram_pages() << (PAGE_SHIFT - 10) >> 3;

	return min_t(u64, min_t(u64, eighth, U32_MAX / 4),
		     READ_ONCE(*budget->bu_setting));
}

/* See how much there may be. @budget: memory of an end. Somebody may have changed
 * the setting. Who has more than that gives it back little by little. Context:
 * bu_lock is held.
 */
static void rpcrdma2_budget_refresh(struct rpcrdma2_budget *budget)
{
	rpcrdma2_pool_resize(&budget->bu_pool, rpcrdma2_budget_kb(budget));
}

/* Section: addresses */

/* What stands for an address. A peer has as many addresses of IPv6 as it likes, but
 * they begin alike. So do link-local ones, of all peers. @key: OUT: as of IPv6.
 */
static void rpcrdma2_address_key(const struct sockaddr *addr, struct in6_addr *key)
{
	if (addr->sa_family != AF_INET6) {
		ipv6_addr_set_v4mapped(((const struct sockaddr_in *)addr)->sin_addr.s_addr,
				       key);
		return;
	}
	*key = ((const struct sockaddr_in6 *)addr)->sin6_addr;
	if (!(ipv6_addr_type(key) & (IPV6_ADDR_LINKLOCAL | IPV6_ADDR_MAPPED)))
		memset(&key->s6_addr[8], 0, 8);
}

static u32 rpcrdma2_address_hash(const struct in6_addr *key)
{
	return jhash(key, sizeof(*key), 0);
}

/* Find an address. Context: bu_lock is held. Returns NULL if it is not known. */
static struct rpcrdma2_address *
rpcrdma2_address_find(struct rpcrdma2_budget *budget, const struct in6_addr *key)
{
	struct rpcrdma2_address *ad;

	hash_for_each_possible(budget->bu_addresses, ad, ad_node,
			       rpcrdma2_address_hash(key))
		if (ipv6_addr_equal(&ad->ad_key, key))
			return ad;
	return NULL;
}

/* A connection is being made. @budget: memory of its end. @addr: where it comes
 * from. @m: OUT: its part of the pool. @extra: Receives that no credit accounts
 * for. Context: may sleep. Returns how many plain buffers to allocate and post,
 * or a negative errno.
 */
static int rpcrdma2_budget_join(struct rpcrdma2_budget *budget,
				const struct sockaddr *addr,
				struct rpcrdma2_member *m, u32 extra)
{
	struct rpcrdma2_address *ad, *fresh;
	u32 count;

	/* The connection may be what memory is reclaimed by. */
	fresh = kzalloc_obj(*fresh, GFP_NOIO);
	if (!fresh)
		return -ENOMEM;
	rpcrdma2_address_key(addr, &fresh->ad_key);

	spin_lock(&budget->bu_lock);
	rpcrdma2_budget_refresh(budget);
	ad = rpcrdma2_address_find(budget, &fresh->ad_key);
	if (!ad) {
		ad = fresh;
		fresh = NULL;
		hash_add(budget->bu_addresses, &ad->ad_node,
			 rpcrdma2_address_hash(&ad->ad_key));
	}
	count = rpcrdma2_pool_join(&budget->bu_pool, &ad->ad_share, m, extra);
	spin_unlock(&budget->bu_lock);
	kfree(fresh);
	return count;
}

/* A connection is gone, or is not charged any more. @budget: memory of its end.
 * @m: its part of the pool.
 */
static void rpcrdma2_budget_leave(struct rpcrdma2_budget *budget,
				  struct rpcrdma2_member *m)
{
	struct rpcrdma2_address *ad =
		container_of(m->share, struct rpcrdma2_address, ad_share);

	spin_lock(&budget->bu_lock);
	rpcrdma2_pool_leave(&budget->bu_pool, m);
	if (ad->ad_share.members)
		ad = NULL;
	else
		hash_del(&ad->ad_node);
	spin_unlock(&budget->bu_lock);
	kfree(ad);
}

/* Section: the kernel is short of memory */

/* Let the pool have back what the kernel wanted, little by little. */
static void rpcrdma2_budget_relax(struct work_struct *work)
{
	struct rpcrdma2_budget *budget =
		container_of(to_delayed_work(work), struct rpcrdma2_budget,
			     bu_relax);
	bool squeezed;

	spin_lock(&budget->bu_lock);
	rpcrdma2_pool_relax(&budget->bu_pool);
	squeezed = budget->bu_pool.squeezed_kb;
	spin_unlock(&budget->bu_lock);
	if (squeezed)
		queue_delayed_work(system_dfl_wq, &budget->bu_relax,
				   rpcrdma2_memory_pause());
}

static unsigned long rpcrdma2_budget_count(struct shrinker *shrinker,
					   struct shrink_control *sc)
{
	const struct rpcrdma2_budget *budget = shrinker->private_data;
	const struct rpcrdma2_pool *pool = &budget->bu_pool;
	u32 all, squeezed;

	/* A guess that is out of date is as good as any. */
	all = data_race(READ_ONCE(pool->budget_kb));
	/* So is this one. */
	squeezed = data_race(READ_ONCE(pool->squeezed_kb));
	return (all - min(all, squeezed)) >> (PAGE_SHIFT - 10);
}

/* Take from the budget. Memory comes as Receives are used up, a little later than
 * anybody could wait for here: nothing is free yet, and that is what is said. A
 * server reclaims pages of files most of the time. Then the kernel asks for the same
 * small part of whatever there is, and what it takes is soon given back. Where it is
 * in need it asks for all. Reclaim may be under way anywhere: nothing is waited for.
 */
static unsigned long rpcrdma2_budget_scan(struct shrinker *shrinker,
					  struct shrink_control *sc)
{
	struct rpcrdma2_budget *budget = shrinker->private_data;

	if (spin_trylock(&budget->bu_lock)) {
		rpcrdma2_pool_squeeze(&budget->bu_pool,
				      sc->nr_to_scan << (PAGE_SHIFT - 10));
		spin_unlock(&budget->bu_lock);
	}
	queue_delayed_work(system_dfl_wq, &budget->bu_relax, rpcrdma2_memory_pause());
	return 0;
}

static int budget_show(struct seq_file *seq, void *unused)
{
	struct rpcrdma2_budget *budget = seq->private;
	struct rpcrdma2_pool pool;

	spin_lock(&budget->bu_lock);
	rpcrdma2_budget_refresh(budget);
	pool = budget->bu_pool;
	spin_unlock(&budget->bu_lock);
	seq_printf(seq, "budget_kb: %u\n", pool.budget_kb);
	seq_printf(seq, "squeezed_kb: %u\n", pool.squeezed_kb);
	seq_printf(seq, "used_kb: %u\n", pool.used_kb);
	seq_printf(seq, "closing_kb: %u\n", pool.going_kb);
	seq_printf(seq, "connections: %u\n", pool.members);
	seq_printf(seq, "grown: %u\n", pool.grown);
	seq_printf(seq, "denied: %u\n", pool.denied);
	seq_printf(seq, "shrunk: %u\n", pool.shrunk);
	seq_printf(seq, "closed: %u\n", pool.closed);
	seq_printf(seq, "failed: %u\n", pool.failed);
	seq_printf(seq, "dry: %u\n", pool.dry);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(budget);

/**
 * rpcrdma2_budget_init - begin without connections
 * @budget: OUT: memory of an end
 * @name: file of debugfs that shows its totals; its name is that of the shrinker,
 *	too
 * @setting: how much memory there may be, in kB, but for an eighth of the machine's
 * @plain: how long Receives are that no data is placed in, in bytes, if blocks are longer
 * @head: how long head segments are, in bytes
 * @overhead: memory that a buffer takes besides what is received in it, in bytes
 * @few: credits of a connection that has blocks and no data for them
 *
 * Nothing depends on the file and the shrinker.
 */
void rpcrdma2_budget_init(struct rpcrdma2_budget *budget, const char *name,
			  const unsigned int *setting, u32 plain,
			  u32 head, size_t overhead, u32 few)
{
	u32 length = head + RPCRDMA2_MAX_PLT_PAGES * PAGE_SIZE;
	struct rpcrdma2_pool_rules rules = rpcrdma2_budget_rules;
	u32 pages = rpcrdma2_recvblock_pages(length, head);

	rules.kb[RPCRDMA2_POOL_PLAIN] = DIV_ROUND_UP(plain + overhead, SZ_1K);
	rules.kb[RPCRDMA2_POOL_BLOCK] =
		DIV_ROUND_UP(pages * PAGE_SIZE + overhead +
			     sizeof(struct rpcrdma2_recvblock), SZ_1K);
	rules.few = few;
	spin_lock_init(&budget->bu_lock);
	hash_init(budget->bu_addresses);
	budget->bu_setting = setting;
	budget->bu_plain = plain;
	rpcrdma2_pool_init(&budget->bu_pool, &rules, rpcrdma2_budget_kb(budget));
	INIT_DELAYED_WORK(&budget->bu_relax, rpcrdma2_budget_relax);
	rpcrdma2_debugfs_file(name, budget, &budget_fops);
	budget->bu_shrinker = shrinker_alloc(0, "rpcrdma2-%s", name);
	if (!budget->bu_shrinker)
		return;
	budget->bu_shrinker->count_objects = rpcrdma2_budget_count;
	budget->bu_shrinker->scan_objects = rpcrdma2_budget_scan;
	budget->bu_shrinker->private_data = budget;
	shrinker_register(budget->bu_shrinker);
}

/**
 * rpcrdma2_budget_cleanup - undo rpcrdma2_budget_init()
 * @budget: memory of an end that no connection has a part of; its file goes with
 *	its folder
 *
 * Context: may sleep
 */
void rpcrdma2_budget_cleanup(struct rpcrdma2_budget *budget)
{
	if (budget->bu_shrinker)
		shrinker_free(budget->bu_shrinker);
	cancel_delayed_work_sync(&budget->bu_relax);
}

static struct rpcrdma2_pool *rpcrdma2_memory_pool(const struct rpcrdma2_memory *me)
{
	return &me->me_budget->bu_pool;
}

/* Section: connections come and go */

/* Say what a connection is charged. Context: cn_lock is held, or nobody else knows
 * the connection yet
 */
void rpcrdma2_memory_count(struct rpcrdma2_memory *me)
{
	WRITE_ONCE(me->me_conn->cn_place_kb,
		   rpcrdma2_pool_charged(rpcrdma2_memory_pool(me),
					 &me->me_posted.po_m));
}

/**
 * rpcrdma2_memory_join - have memory follow the use of a connection
 * @me: its memory
 * @addr: address of the peer
 * @extra: Receives that no credit accounts for
 * @fixed: credits that it is to have blocks for from the beginning, and keep; 0: none
 *
 * Context: connection that nobody else knows yet; may sleep
 * Return: how many buffers to allocate and post, or a negative errno
 */
int rpcrdma2_memory_join(struct rpcrdma2_memory *me,
			 const struct sockaddr *addr, u32 extra, u32 fixed)
{
	struct rpcrdma2_member *m = &me->me_posted.po_m;
	int count;

	me->me_plain = me->me_budget->bu_plain < me->me_block ?
		       me->me_budget->bu_plain : RPCRDMA2_DEF_INLINE;
	count = rpcrdma2_budget_join(me->me_budget, addr, m, extra);
	if (count < 0)
		return count;
	if (fixed) {
		spin_lock(&me->me_budget->bu_lock);
		count = rpcrdma2_pool_fix(rpcrdma2_memory_pool(me), m, fixed);
		spin_unlock(&me->me_budget->bu_lock);
	}
	me->me_on = true;
	return count;
}

/**
 * rpcrdma2_memory_off - a connection gets nothing from the pool any more
 * @me: its memory
 *
 * Context: cn_lock is not held
 */
void rpcrdma2_memory_off(struct rpcrdma2_memory *me)
{
	spin_lock(&me->me_conn->cn_lock);
	WRITE_ONCE(me->me_on, false);
	spin_unlock(&me->me_conn->cn_lock);
	rpcrdma2_budget_leave(me->me_budget, &me->me_posted.po_m);
	WRITE_ONCE(me->me_conn->cn_place_kb, 0);
}

/**
 * rpcrdma2_memory_leave - a connection is gone
 * @me: its memory; its Receives are gone, too
 */
void rpcrdma2_memory_leave(struct rpcrdma2_memory *me)
{
	if (me->me_on)
		rpcrdma2_budget_leave(me->me_budget, &me->me_posted.po_m);
	me->me_on = false;
}

/* Section: a connection gets more */

static void rpcrdma2_memory_trace(const struct rpcrdma2_memory *me,
				  enum rpcrdma2_memory_event event)
{
	const struct rpcrdma2_member *m = &me->me_posted.po_m;

	trace_rpcrdma2_memory(me->me_conn, me->me_conn->cn_place_kb, m->target,
			      m->bufs[RPCRDMA2_POOL_BLOCK], event);
}

/* Say what a connection has now, and have it looked after. @event: what has
 * happened.
 */
static void rpcrdma2_memory_changed(struct rpcrdma2_memory *me,
				    enum rpcrdma2_memory_event event)
{
	rpcrdma2_memory_count(me);
	rpcrdma2_memory_trace(me, event);
	rpcrdma2_memory_watch(me);
}

/**
 * rpcrdma2_memory_admit - somebody has authenticated on a connection
 * @me: its memory
 */
void rpcrdma2_memory_admit(struct rpcrdma2_memory *me)
{
	spin_lock(&me->me_budget->bu_lock);
	rpcrdma2_posted_admit(rpcrdma2_memory_pool(me), &me->me_posted);
	spin_unlock(&me->me_budget->bu_lock);
	rpcrdma2_memory_changed(me, RPCRDMA2_MEMORY_ADMITTED);
	queue_work(system_dfl_wq, &me->me_work);
}

/**
 * rpcrdma2_memory_grow - get more memory for a connection if it has a use for it
 * @me: its memory
 */
void rpcrdma2_memory_grow(struct rpcrdma2_memory *me)
{
	struct rpcrdma2_posted *po = &me->me_posted;
	bool more;

	/* What the pool has left may be out of date; it is looked at again. */
	if (!data_race(rpcrdma2_pool_short(rpcrdma2_memory_pool(me), &po->po_m)))
		return;
	spin_lock(&me->me_budget->bu_lock);
	more = rpcrdma2_posted_grow(rpcrdma2_memory_pool(me), po);
	/* Who begins to have blocks has a use for some more than of plain buffers. */
	if (rpcrdma2_pool_short(rpcrdma2_memory_pool(me), &po->po_m))
		more |= rpcrdma2_posted_grow(rpcrdma2_memory_pool(me), po);
	spin_unlock(&me->me_budget->bu_lock);
	if (po->po_m.denied)
		rpcrdma2_count(me->me_conn, RPCRDMA2_CNT_OVER_BUDGET);
	rpcrdma2_memory_changed(me, RPCRDMA2_MEMORY_GROWN);
	if (more)
		queue_work(system_dfl_wq, &me->me_work);
}

/**
 * rpcrdma2_memory_asked - see what the peer has asked for
 * @me: memory of a connection
 */
void rpcrdma2_memory_asked(struct rpcrdma2_memory *me)
{
	const struct rpcrdma2_xch *xch = &me->me_conn->cn_xch;
	struct rpcrdma2_posted *po = &me->me_posted;

	if (po->po_m.kind == RPCRDMA2_POOL_BLOCK && !po->po_raise &&
	    !po->po_m.coming[RPCRDMA2_POOL_BLOCK] &&
	    xch->xc_recvq.rq_size <= me->me_plain) {
		/* It has asked for a lower RBSIZ, and counts on no blocks any more. */
		spin_lock(&me->me_budget->bu_lock);
		rpcrdma2_posted_plain(rpcrdma2_memory_pool(me), po);
		spin_unlock(&me->me_budget->bu_lock);
		rpcrdma2_memory_changed(me, RPCRDMA2_MEMORY_LOWERED);
		queue_work(system_dfl_wq, &me->me_work);
	} else if (xch->xc_awaited) {
		queue_work(system_dfl_wq, &me->me_work);
	}
}

/**
 * rpcrdma2_memory_dry - note that a peer has used up all Receives
 * @me: memory of a connection, which is going to be closed
 */
void rpcrdma2_memory_dry(struct rpcrdma2_memory *me)
{
	spin_lock(&me->me_budget->bu_lock);
	rpcrdma2_memory_pool(me)->dry++;
	spin_unlock(&me->me_budget->bu_lock);
	rpcrdma2_memory_trace(me, RPCRDMA2_MEMORY_DRY);
}

/* Take new buffers into use. @got: how many there are, which are about to be posted.
 * @missing: how many there was no memory for. The raise begins before blocks are posted,
 * so that only what is posted before them counts as short. Context: cn_lock is held for
 * a change.
 */
static void rpcrdma2_memory_taken(struct rpcrdma2_memory *me, u32 kind, u32 got,
				  u32 missing)
{
	struct rpcrdma2_posted *po = &me->me_posted;

	spin_lock(&me->me_budget->bu_lock);
	if (missing)
		rpcrdma2_posted_failed(rpcrdma2_memory_pool(me), po, kind, missing);
	rpcrdma2_pool_posted(&po->po_m, kind, got);
	spin_unlock(&me->me_budget->bu_lock);
	if (got && kind == RPCRDMA2_POOL_BLOCK && rpcrdma2_posted_raise(po))
		rpcrdma2_xch_provide(&me->me_conn->cn_xch, me->me_block);
	if (missing)
		rpcrdma2_memory_changed(me, RPCRDMA2_MEMORY_FAILED);
}

/**
 * rpcrdma2_memory_fetch - allocate and post what the pool has given
 * @me: memory of a connection
 * @kind: kind of the buffers
 * @count: how many
 *
 * Context: process context that can wait, but not for the peer; cn_lock is not held
 */
void rpcrdma2_memory_fetch(struct rpcrdma2_memory *me, u32 kind, u32 count)
{
	struct llist_node *buf, *next, *list = NULL;
	struct rpcrdma2_gone gone = { };
	u32 got;

	for (got = 0; got < count; got++) {
		buf = me->me_ops->allocate(me, kind);
		if (!buf)
			break;
		buf->next = list;
		list = buf;
	}
	rpcrdma2_conn_change_begin(me->me_conn);
	rpcrdma2_memory_taken(me, kind, got, count - got);
	llist_for_each_safe(buf, next, list)
		me->me_ops->add(me, buf);
	me->me_ops->refill(me, &gone);
	rpcrdma2_conn_change_end(me->me_conn);
	if (rpcrdma2_gone_any(&gone))
		me->me_ops->forget(me, &gone);
}

/* Answer a peer that waits for longer Receives, unless buffers are on their way.
 * Some may be there already, if it once asked for a lower RBSIZ that was not as low
 * as can be.
 */
static void rpcrdma2_memory_answer(struct rpcrdma2_memory *me)
{
	const struct rpcrdma2_member *m = &me->me_posted.po_m;
	struct rpcrdma2_xch *xch = &me->me_conn->cn_xch;
	bool blocks = m->kind == RPCRDMA2_POOL_BLOCK;

	if (!xch->xc_awaited || (blocks && m->coming[RPCRDMA2_POOL_BLOCK]))
		return;
	if (!blocks || !rpcrdma2_xch_provide(xch, me->me_block))
		rpcrdma2_xch_withhold(xch);
}

/**
 * rpcrdma2_memory_tell - see what there is to say to the peer
 * @me: memory of a connection
 *
 * Context: cn_lock is held for a change
 */
void rpcrdma2_memory_tell(struct rpcrdma2_memory *me)
{
	struct rpcrdma2_conn *conn = me->me_conn;

	rpcrdma2_xch_progress(&conn->cn_xch);
	if (conn->cn_kick && rpcrdma2_xch_due(&conn->cn_xch))
		conn->cn_kick(conn);
}

/* Get what the pool has given, and have the peer told. Without memory for blocks there is
 * something plain to get instead. Context: system_dfl_wq; over when
 * rpcrdma2_memory_closing() returns.
 */
static void rpcrdma2_memory_worker(struct work_struct *work)
{
	struct rpcrdma2_memory *me =
		container_of(work, struct rpcrdma2_memory, me_work);
	u32 count, kind = RPCRDMA2_POOL_KINDS;
	struct rpcrdma2_gone gone = { };

	while (kind--) {
		spin_lock(&me->me_conn->cn_lock);
		count = rpcrdma2_posted_take(&me->me_posted, kind);
		spin_unlock(&me->me_conn->cn_lock);
		if (count)
			rpcrdma2_memory_fetch(me, kind, count);
	}
	rpcrdma2_conn_change_begin(me->me_conn);
	if (rpcrdma2_posted_raise(&me->me_posted))
		rpcrdma2_xch_provide(&me->me_conn->cn_xch, me->me_block);
	rpcrdma2_memory_answer(me);
	me->me_ops->refill(me, &gone);
	rpcrdma2_memory_tell(me);
	rpcrdma2_conn_change_end(me->me_conn);
	if (rpcrdma2_gone_any(&gone))
		me->me_ops->forget(me, &gone);
	me->me_ops->worked(me);
}

/**
 * rpcrdma2_memory_init - prepare a connection
 * @me: OUT: its memory, which does not follow use yet
 * @conn: its record
 * @budget: memory of its end
 * @ops: its end
 */
void rpcrdma2_memory_init(struct rpcrdma2_memory *me,
			  struct rpcrdma2_conn *conn,
			  struct rpcrdma2_budget *budget,
			  const struct rpcrdma2_memory_ops *ops)
{
	me->me_on = false;
	me->me_conn = conn;
	me->me_budget = budget;
	me->me_ops = ops;
	INIT_WORK(&me->me_work, rpcrdma2_memory_worker);
	INIT_DELAYED_WORK(&me->me_tick, ops->tick);
}

/* Section: giving back */

/**
 * rpcrdma2_memory_dropped - buffers are about to be freed
 * @me: memory of a connection
 * @count: how many of each kind
 */
void rpcrdma2_memory_dropped(struct rpcrdma2_memory *me, const u32 *count)
{
	u32 kind;

	spin_lock(&me->me_budget->bu_lock);
	for (kind = 0; kind < RPCRDMA2_POOL_KINDS; kind++)
		rpcrdma2_pool_drop(rpcrdma2_memory_pool(me),
				   &me->me_posted.po_m, kind, count[kind]);
	spin_unlock(&me->me_budget->bu_lock);
	rpcrdma2_memory_count(me);
}

/**
 * rpcrdma2_memory_turn - have the pool look at a connection
 * @me: its memory
 * @busy: messages that are not answered, or anything else that keeps it in use
 *
 * Context: cn_lock is held for a change
 * Return: what is to be done, beside asking the peer
 */
enum rpcrdma2_pool_turn rpcrdma2_memory_turn(struct rpcrdma2_memory *me, u32 busy)
{
	struct rpcrdma2_xch *xch = &me->me_conn->cn_xch;
	struct rpcrdma2_posted *po = &me->me_posted;
	u32 before = po->po_m.target;
	enum rpcrdma2_pool_turn turn;

	spin_lock(&me->me_budget->bu_lock);
	rpcrdma2_budget_refresh(me->me_budget);
	turn = rpcrdma2_pool_tick(rpcrdma2_memory_pool(me), &po->po_m,
				  po->po_count, busy);
	spin_unlock(&me->me_budget->bu_lock);
	if (po->po_m.target < before)
		rpcrdma2_memory_trace(me, RPCRDMA2_MEMORY_SHRUNK);
	if (turn == RPCRDMA2_POOL_CLOSE)
		rpcrdma2_memory_trace(me, RPCRDMA2_MEMORY_CLOSED);
	if (turn == RPCRDMA2_POOL_RECALL)
		rpcrdma2_xch_flush(xch, 1);
	else if (turn == RPCRDMA2_POOL_FLUSH)
		rpcrdma2_xch_flush(xch, rpcrdma2_posted_surplus(po));
	return turn;
}

/**
 * rpcrdma2_memory_show - show what a connection has
 * @me: its memory
 * @seq: where to
 */
void rpcrdma2_memory_show(const struct rpcrdma2_memory *me, struct seq_file *seq)
{
	const struct rpcrdma2_posted *po = &me->me_posted;
	const struct rpcrdma2_member *m = &po->po_m;

	if (!me->me_on)
		return;
	seq_printf(seq, "memory_kb: %u\n", READ_ONCE(me->me_conn->cn_place_kb));
	seq_printf(seq, "memory_authentic: %u\n", m->authentic);
	seq_printf(seq, "memory_buffers: %u plain, %u blocks, %u coming\n",
		   m->bufs[RPCRDMA2_POOL_PLAIN], m->bufs[RPCRDMA2_POOL_BLOCK],
		   m->coming[RPCRDMA2_POOL_PLAIN] +
		   m->coming[RPCRDMA2_POOL_BLOCK]);
	seq_printf(seq, "memory_credits: %u wanted, %u out, %u recalled, %u held, %u of use\n",
		   m->target, m->grant, m->recall, po->po_unanswered, m->peak);
	seq_printf(seq, "memory_posted: %u of %u\n", po->po_count, po->po_depth);
	seq_printf(seq, "memory_why: %s%s\n",
		   m->kind == RPCRDMA2_POOL_BLOCK ? "data" : "no data",
		   m->denied ? ", not all that is of use" : "");
}
