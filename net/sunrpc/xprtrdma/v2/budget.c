// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: the memory for Receives of an end.
 *
 * The pool decides who gets how much. Here it gets a lock, its rules, the shares of
 * addresses, and a shrinker. /sys/kernel/debug/rpcrdma2/NAME shows its totals.
 */

#include <linux/debugfs.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <net/ipv6.h>

#include "budget.h"
#include "conn.h"

/**
 * struct rpcrdma2_address - an address that connections come from
 * @ad_node: in the table of its budget
 * @ad_share: what they have
 * @ad_key: what stands for the address
 */
struct rpcrdma2_address {
	struct hlist_node	ad_node;
	struct rpcrdma2_share	ad_share;
	struct in6_addr		ad_key;
};

/* What holds for each connection. An interval has RPCRDMA2_BUDGET_MS. */
static const struct rpcrdma2_pool_rules rpcrdma2_budget_rules = {
	.first		= 1,
	.rest		= 8,
	.pause		= 21,	/* a group of 1 MiB, with what may be lent to groups */
	.most		= 256,
	.hold		= 20,	/* 5 s */
	.still		= 12,	/* 3 s */
	.idle		= 20,	/* 5 s */
	.gone		= 240,	/* 60 s */
};

/* How much there may be. Returns kB. */
static u32 rpcrdma2_budget_kb(const struct rpcrdma2_budget *budget)
{
	u64 eighth = (u64)totalram_pages() << (PAGE_SHIFT - 10) >> 3;

	return min_t(u64, min_t(u64, eighth, U32_MAX / 4),
		     READ_ONCE(*budget->bu_setting));
}

/**
 * rpcrdma2_budget_refresh - see how much there may be
 * @budget: memory of an end
 *
 * Somebody may have changed the setting. Who has more than that gives it back little
 * by little.
 *
 * Context: bu_lock is held
 */
void rpcrdma2_budget_refresh(struct rpcrdma2_budget *budget)
{
	rpcrdma2_pool_resize(&budget->bu_pool, rpcrdma2_budget_kb(budget));
}

/*
 * Section: addresses
 */

/*
 * What stands for an address. A peer has as many addresses of IPv6 as it likes, but
 * they begin alike. So do link-local ones, of all peers. @key: OUT: as of IPv6.
 */
static void rpcrdma2_address_key(const struct sockaddr *addr,
				 struct in6_addr *key)
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
rpcrdma2_address_find(struct rpcrdma2_budget *budget,
		      const struct in6_addr *key)
{
	struct rpcrdma2_address *ad;

	hash_for_each_possible(budget->bu_addresses, ad, ad_node,
			       rpcrdma2_address_hash(key))
		if (ipv6_addr_equal(&ad->ad_key, key))
			return ad;
	return NULL;
}

/**
 * rpcrdma2_budget_join - a connection is being made
 * @budget: memory of its end
 * @addr: where it comes from
 * @m: OUT: its part of the pool
 * @extra: Receives that no credit accounts for
 *
 * Context: may sleep
 *
 * Return: how many plain buffers to allocate and post, or a negative errno
 */
int rpcrdma2_budget_join(struct rpcrdma2_budget *budget,
			 const struct sockaddr *addr,
			 struct rpcrdma2_member *m, u32 extra)
{
	struct rpcrdma2_address *ad, *fresh;
	u32 count;

	/* The connection may be what memory is reclaimed by. */
	fresh = kzalloc(sizeof(*fresh), GFP_NOIO);
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

/**
 * rpcrdma2_budget_leave - a connection is gone, or is not charged any more
 * @budget: memory of its end
 * @m: its part of the pool
 */
void rpcrdma2_budget_leave(struct rpcrdma2_budget *budget,
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

/*
 * Section: the kernel is short of memory
 */

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
				   msecs_to_jiffies(RPCRDMA2_BUDGET_MS));
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

/*
 * Take from the budget. Memory comes as Receives are used up, a little later than
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
	queue_delayed_work(system_dfl_wq, &budget->bu_relax,
			   msecs_to_jiffies(RPCRDMA2_BUDGET_MS));
	return 0;
}

/*
 * Section: the whole
 */

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
 * @plain_kb: memory of a Receive that nothing is placed in, in kB
 * @block_kb: memory of one that data can be placed in, in kB
 * @few: credits of a connection that has blocks and no data for them
 *
 * Nothing depends on the file and the shrinker.
 */
void rpcrdma2_budget_init(struct rpcrdma2_budget *budget, const char *name,
			  const unsigned int *setting, u32 plain_kb,
			  u32 block_kb, u32 few)
{
	struct rpcrdma2_pool_rules rules = rpcrdma2_budget_rules;

	rules.kb[RPCRDMA2_POOL_PLAIN] = plain_kb;
	rules.kb[RPCRDMA2_POOL_BLOCK] = block_kb;
	rules.few = few;
	spin_lock_init(&budget->bu_lock);
	hash_init(budget->bu_addresses);
	budget->bu_setting = setting;
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
