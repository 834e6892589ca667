/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: memory of Receives that data may be placed in, and
 * who gets how much of it: an end, and its connections.
 */

#ifndef _RPCRDMA2_MEMORY_H
#define _RPCRDMA2_MEMORY_H

#include <linux/types.h>
#include <linux/hashtable.h>
#include <linux/llist.h>
#include <linux/shrinker.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "conn.h"
#include "posted.h"

struct sockaddr;

/* memory.c */

enum {
	/* Order of the largest of them, unless a test has set another one */
	RPCRDMA2_BLOCK_ORDER	= 5,
	/* Pieces of memory that one Receive is made of at most */
	RPCRDMA2_BLOCK_SGES	= 8,
	/* Head segment of our own Receives, in bytes: header and payload of a
	 * WRITE or of the reply to a READ are shorter, and what is left of it
	 * goes over the wire as zeros. With 8 KiB of data behind it, it still
	 * fits one TCP segment below an MTU of 9000, as soft-iWARP sends it.
	 */
	RPCRDMA2_BLOCK_HEAD	= 704,
};

/**
 * struct rpcrdma2_recvblock - memory of one Receive
 * @rb_buf: its first byte; all of it is contiguous for the CPU
 * @rb_length: its length, in bytes
 * @rb_head: length of the head segment; a page begins behind it
 * @rb_npages: pages it consists of, the one with the head segment included
 * @rb_vmapped: they are contiguous by virtual address only
 * @rb_device: device it is mapped for; NULL if it is not
 * @rb_nsges: entries of @rb_sges
 * @rb_sges: for the Receive; addresses are valid while it is mapped
 */
struct rpcrdma2_recvblock {
	void			*rb_buf;
	u32			rb_length;
	u32			rb_head;
	u32			rb_npages;
	bool			rb_vmapped;
	struct ib_device	*rb_device;
	u32			rb_nsges;
	struct ib_sge		rb_sges[RPCRDMA2_BLOCK_SGES];
};

extern unsigned int rpcrdma2_block_order;

u32 rpcrdma2_recvblock_pages(u32 length, u32 head);
struct rpcrdma2_recvblock *
rpcrdma2_recvblock_alloc(u32 length, u32 head, u32 max_sges, int node, gfp_t gfp);
bool rpcrdma2_recvblock_map(struct rpcrdma2_recvblock *block, struct ib_pd *pd);
void rpcrdma2_recvblock_unmap(struct rpcrdma2_recvblock *block);
void rpcrdma2_recvblock_free(struct rpcrdma2_recvblock *block);
void rpcrdma2_recvblock_for_cpu(struct rpcrdma2_recvblock *block, u32 length);
void rpcrdma2_recvblock_for_device(struct rpcrdma2_recvblock *block, u32 length);
struct page *rpcrdma2_recvblock_page(const struct rpcrdma2_recvblock *block,
				     u32 offset);

/* conn_memory.c */

enum {
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
 * @bu_plain: how long Receives are that no data is placed in, in bytes, if blocks are
 *	longer
 * @bu_shrinker: is told when the kernel is short of memory; NULL if there is none
 * @bu_relax: gives the pool back what the kernel wanted
 */
struct rpcrdma2_budget {
	spinlock_t		bu_lock;	/* see above */
	struct rpcrdma2_pool	bu_pool;
	DECLARE_HASHTABLE(bu_addresses, RPCRDMA2_BUDGET_BITS);
	const unsigned int	*bu_setting;
	u32			bu_plain;
	struct shrinker		*bu_shrinker;
	struct delayed_work	bu_relax;
};

struct rpcrdma2_memory;

/* What is left to do about buffers */
struct rpcrdma2_gone {
	struct llist_node	*go_bufs;	/* those that are to be freed */
	bool			go_broken;	/* the connection has to be closed */
};

/* Is there anything left to do? Mostly there is not, and then nobody need be called. */
static inline bool rpcrdma2_gone_any(const struct rpcrdma2_gone *gone)
{
	return gone->go_bufs || gone->go_broken;
}

/**
 * struct rpcrdma2_memory_ops - what only an end knows of its buffers
 * @allocate: allocate one of a kind; NULL without memory. May sleep
 * @add: account for one, and put it to those that are not in use
 * @refill: find the fate of all that are not in use
 * @forget: do what @refill has left to do, if it has. Context: process context
 * @worked: the work item has allocated what there was to allocate. Context: likewise
 * @tick: the work item that has the pool look at a connection
 *
 * The work items use these. Where messages arrive and leave, an end calls its own
 * functions.
 */
struct rpcrdma2_memory_ops {
	struct llist_node	*(*allocate)(struct rpcrdma2_memory *me, u32 kind);
	void			(*add)(struct rpcrdma2_memory *me,
				       struct llist_node *buf);
	void			(*refill)(struct rpcrdma2_memory *me,
					  struct rpcrdma2_gone *gone);
	void			(*forget)(struct rpcrdma2_memory *me,
					  struct rpcrdma2_gone *gone);
	void			(*worked)(struct rpcrdma2_memory *me);
	work_func_t		tick;
};

/**
 * struct rpcrdma2_memory - memory that follows the use of a connection
 * @me_on: it does; set before the connection is in use, cleared with cn_lock held
 *	if it turns out to speak version 1
 * @me_ops: its end
 * @me_conn: its record
 * @me_budget: the memory of its end
 * @me_block: how long blocks are, in bytes
 * @me_plain: how long other Receives are, in bytes; blocks are longer
 * @me_posted: what it has; cn_lock protects it
 * @me_work: allocates what the pool has given
 * @me_tick: has the pool look at the connection
 */
struct rpcrdma2_memory {
	bool				me_on;
	const struct rpcrdma2_memory_ops	*me_ops;
	struct rpcrdma2_conn		*me_conn;
	struct rpcrdma2_budget		*me_budget;
	u32				me_block;
	u32				me_plain;
	struct rpcrdma2_posted		me_posted;
	struct work_struct		me_work;
	struct delayed_work		me_tick;
};

void rpcrdma2_budget_init(struct rpcrdma2_budget *budget, const char *name,
			  const unsigned int *setting, u32 plain,
			  u32 head, size_t overhead, u32 few);
void rpcrdma2_budget_cleanup(struct rpcrdma2_budget *budget);

void rpcrdma2_memory_init(struct rpcrdma2_memory *me,
			  struct rpcrdma2_conn *conn,
			  struct rpcrdma2_budget *budget,
			  const struct rpcrdma2_memory_ops *ops);
int rpcrdma2_memory_join(struct rpcrdma2_memory *me,
			 const struct sockaddr *addr, u32 extra, u32 fixed);
void rpcrdma2_memory_admit(struct rpcrdma2_memory *me);
void rpcrdma2_memory_off(struct rpcrdma2_memory *me);
void rpcrdma2_memory_leave(struct rpcrdma2_memory *me);

void rpcrdma2_memory_count(struct rpcrdma2_memory *me);
void rpcrdma2_memory_grow(struct rpcrdma2_memory *me);
void rpcrdma2_memory_asked(struct rpcrdma2_memory *me);
void rpcrdma2_memory_dry(struct rpcrdma2_memory *me);
void rpcrdma2_memory_fetch(struct rpcrdma2_memory *me, u32 kind, u32 count);
void rpcrdma2_memory_dropped(struct rpcrdma2_memory *me, const u32 *count);
void rpcrdma2_memory_tell(struct rpcrdma2_memory *me);
enum rpcrdma2_pool_turn rpcrdma2_memory_turn(struct rpcrdma2_memory *me, u32 busy);
void rpcrdma2_memory_show(const struct rpcrdma2_memory *me, struct seq_file *seq);

/* An interval of the pool, in jiffies */
static inline unsigned long rpcrdma2_memory_pause(void)
{
	return msecs_to_jiffies(READ_ONCE(rpcrdma2_memory_interval));
}

/* Look after a connection from time to time, until it rests. */
static inline void rpcrdma2_memory_watch(struct rpcrdma2_memory *me)
{
	queue_delayed_work(system_dfl_wq, &me->me_tick, rpcrdma2_memory_pause());
}

/* Is there nothing that the pool has to look at in the next interval? Context: cn_lock */
static inline bool rpcrdma2_memory_rests(const struct rpcrdma2_memory *me)
{
	return rpcrdma2_posted_rests(&me->me_budget->bu_pool, &me->me_posted);
}

/* Look after a connection no more, which is about to lose its queues. Context: may sleep;
 * waits for work items, which wait for nobody.
 */
static inline void rpcrdma2_memory_closing(struct rpcrdma2_memory *me)
{
	disable_work_sync(&me->me_work);
	disable_delayed_work_sync(&me->me_tick);
}

#endif /* _RPCRDMA2_MEMORY_H */
