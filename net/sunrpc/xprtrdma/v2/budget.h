/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: the memory for Receives of an end.
 *
 * The functions are described where they are defined.
 */

#ifndef _RPCRDMA2_BUDGET_H
#define _RPCRDMA2_BUDGET_H

#include <linux/hashtable.h>
#include <linux/shrinker.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "pool.h"

struct dentry;
struct sockaddr;

enum {
	/* An interval of the pool, in milliseconds */
	RPCRDMA2_BUDGET_MS	= 250,
	RPCRDMA2_BUDGET_BITS	= 6,
};

/**
 * struct rpcrdma2_budget - memory for Receives of an end
 * @bu_lock: protects @bu_pool and @bu_addresses, and those parts of its members
 *	that pool.c changes together with the pool; taken inside cn_lock
 * @bu_pool: the pool
 * @bu_addresses: the shares of addresses
 * @bu_setting: how much memory there may be, in kB; never more than an eighth of the
 *	machine's
 * @bu_shrinker: is told when the kernel is short of memory; NULL if there is none
 * @bu_relax: gives the pool back what the kernel wanted
 */
struct rpcrdma2_budget {
	spinlock_t		bu_lock;	/* see above */
	struct rpcrdma2_pool	bu_pool;
	DECLARE_HASHTABLE(bu_addresses, RPCRDMA2_BUDGET_BITS);
	const unsigned int	*bu_setting;
	struct shrinker		*bu_shrinker;
	struct delayed_work	bu_relax;
};

void rpcrdma2_budget_init(struct rpcrdma2_budget *budget, const char *name,
			  const unsigned int *setting, u32 plain_kb,
			  u32 block_kb, u32 few);
void rpcrdma2_budget_cleanup(struct rpcrdma2_budget *budget);
void rpcrdma2_budget_refresh(struct rpcrdma2_budget *budget);
int rpcrdma2_budget_join(struct rpcrdma2_budget *budget,
			 const struct sockaddr *addr,
			 struct rpcrdma2_member *m, u32 extra);
void rpcrdma2_budget_leave(struct rpcrdma2_budget *budget,
			   struct rpcrdma2_member *m);

#endif /* _RPCRDMA2_BUDGET_H */
