/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: the memory for Receives of an end, and of its connections.
 *
 * The functions are described where they are defined.
 */

#ifndef _RPCRDMA2_CONN_MEMORY_H
#define _RPCRDMA2_CONN_MEMORY_H

#include <linux/hashtable.h>
#include <linux/shrinker.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "conn.h"
#include "posted.h"

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

/**
 * struct rpcrdma2_memory - memory that follows the use of a connection
 * @me_on: it does; set before the connection is in use, cleared with cn_lock held
 *	if it turns out to speak version 1
 * @me_conn: its record
 * @me_budget: the memory of its end
 * @me_block: how long blocks are, in bytes
 * @me_posted: what it has; cn_lock protects it
 * @me_work: allocates what the pool has given
 * @me_tick: has the pool look at the connection
 */
struct rpcrdma2_memory {
	bool				me_on;
	struct rpcrdma2_conn		*me_conn;
	struct rpcrdma2_budget		*me_budget;
	u32				me_block;
	struct rpcrdma2_posted		me_posted;
	struct work_struct		me_work;
	struct delayed_work		me_tick;
};

void rpcrdma2_budget_init(struct rpcrdma2_budget *budget, const char *name,
			  const unsigned int *setting, u32 head,
			  size_t overhead, u32 few);
void rpcrdma2_budget_cleanup(struct rpcrdma2_budget *budget);

void rpcrdma2_memory_init(struct rpcrdma2_memory *me,
			  struct rpcrdma2_conn *conn,
			  struct rpcrdma2_budget *budget, work_func_t worker,
			  work_func_t tick);
int rpcrdma2_memory_join(struct rpcrdma2_memory *me,
			 const struct sockaddr *addr, u32 extra, u32 fixed);
void rpcrdma2_memory_admit(struct rpcrdma2_memory *me);
void rpcrdma2_memory_off(struct rpcrdma2_memory *me);
void rpcrdma2_memory_closing(struct rpcrdma2_memory *me);
void rpcrdma2_memory_leave(struct rpcrdma2_memory *me);

void rpcrdma2_memory_watch(struct rpcrdma2_memory *me);
void rpcrdma2_memory_count(struct rpcrdma2_memory *me);
void rpcrdma2_memory_grow(struct rpcrdma2_memory *me);
void rpcrdma2_memory_asked(struct rpcrdma2_memory *me);
void rpcrdma2_memory_dry(struct rpcrdma2_memory *me);
u32 rpcrdma2_memory_take(struct rpcrdma2_memory *me, u32 kind);
void rpcrdma2_memory_taken(struct rpcrdma2_memory *me, u32 kind, u32 got,
			   u32 missing);
void rpcrdma2_memory_dropped(struct rpcrdma2_memory *me, const u32 *count);
void rpcrdma2_memory_raise(struct rpcrdma2_memory *me);
void rpcrdma2_memory_tell(struct rpcrdma2_memory *me);
enum rpcrdma2_pool_turn rpcrdma2_memory_turn(struct rpcrdma2_memory *me, u32 busy);
bool rpcrdma2_memory_rests(const struct rpcrdma2_memory *me);
void rpcrdma2_memory_show(const struct rpcrdma2_memory *me, struct seq_file *seq);

#endif /* _RPCRDMA2_CONN_MEMORY_H */
