// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that fail on request: /sys/kernel/debug/rpcrdma_ledger/faults/NAME has
 *
 *   one_in  of so many calls about one fails; 0: none
 *   space   so many calls are let through first
 *   times   so many calls fail at most
 *   seed    which ones: the same seed fails the same ones
 *   calls   were made since the seed was set
 *   failed  of these
 *
 * Those of send_held do not fail, but return late: calls of ib_post_send() whose last
 * request is a Send. For other_held it is none: LOCAL_INV or RDMA Read.
 *
 * The kernel's own fault attributes have no seed, and Debian's kernel has none of
 * them at all.
 */

#include <linux/debugfs.h>
#include <linux/jhash.h>

#include "ledger_priv.h"

static struct ledger_faulty {
	const char	*name;
	u32		one_in;
	u32		space;
	u32		times;
	u32		seed;
	u32		calls;
	u32		failed;
} ledger_faulties[LEDGER_FAULTS] = {
	[LEDGER_FAULT_POST_SEND]	= { "post_send" },
	[LEDGER_FAULT_POST_RECV]	= { "post_recv" },
	[LEDGER_FAULT_SEND_HELD]	= { "send_held" },
	[LEDGER_FAULT_OTHER_HELD]	= { "other_held" },
	[LEDGER_FAULT_MAP]		= { "map" },
	[LEDGER_FAULT_MAP_SG]		= { "map_sg" },
	[LEDGER_FAULT_ALLOC_MR]		= { "alloc_mr" },
	[LEDGER_FAULT_MAP_MR]		= { "map_mr" },
	[LEDGER_FAULT_RW_INIT]		= { "rw_init" },
	[LEDGER_FAULT_CREATE_QP]	= { "create_qp" },
	[LEDGER_FAULT_ALLOC_CQ]		= { "alloc_cq" },
	[LEDGER_FAULT_ALLOC_PD]		= { "alloc_pd" },
	[LEDGER_FAULT_CREATE_ID]	= { "create_id" },
	[LEDGER_FAULT_RESOLVE_ADDR]	= { "resolve_addr" },
	[LEDGER_FAULT_RESOLVE_ROUTE]	= { "resolve_route" },
	[LEDGER_FAULT_CONNECT]		= { "connect" },
	[LEDGER_FAULT_ACCEPT]		= { "accept" },
};

/* The counters have a lock of their own: calls fail inside and outside of others. */
static DEFINE_SPINLOCK(ledger_fault_lock);

static bool ledger_drawn(struct ledger_faulty *f)
{
	f->calls++;
	if (!f->one_in || !f->times)
		return false;
	if (f->space) {
		f->space--;
		return false;
	}
	if (jhash_2words(f->seed, f->calls, 0) % f->one_in)
		return false;
	f->times--;
	f->failed++;
	return true;
}

/**
 * ledger_fault - shall a call fail?
 * @what: the kind of call
 * @site: the caller
 *
 * Return: true if it shall.
 */
bool ledger_fault(enum ledger_fault what, const struct ledger_site *site)
{
	struct ledger_faulty *f = &ledger_faulties[what];
	unsigned long flags;
	u32 calls;
	bool rc;

	if (!READ_ONCE(f->one_in))
		return false;
	spin_lock_irqsave(&ledger_fault_lock, flags);
	rc = ledger_drawn(f);
	calls = f->calls;
	spin_unlock_irqrestore(&ledger_fault_lock, flags);
	if (rc)
		pr_info("rpcrdma_ledger: %s strikes in %s:%u, call %u\n",
			f->name, site->func, site->line, calls);
	return rc;
}
EXPORT_SYMBOL_GPL(ledger_fault);

/**
 * ledger_fault_part - how much of a chain is posted before one fails
 * @what: the kind of call that failed
 * @count: the length of the chain
 *
 * Return: less than @count; the same for the same seed.
 */
size_t ledger_fault_part(enum ledger_fault what, size_t count)
{
	struct ledger_faulty *f = &ledger_faulties[what];

	return jhash_2words(f->seed, f->failed, 1) % count;
}

static int ledger_seed_get(void *data, u64 *val)
{
	struct ledger_faulty *f = data;

	*val = f->seed;
	return 0;
}

static int ledger_seed_set(void *data, u64 val)
{
	struct ledger_faulty *f = data;
	unsigned long flags;

	spin_lock_irqsave(&ledger_fault_lock, flags);
	f->seed = val;
	f->calls = 0;
	f->failed = 0;
	spin_unlock_irqrestore(&ledger_fault_lock, flags);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(ledger_seed, ledger_seed_get, ledger_seed_set, "%llu\n");

/**
 * ledger_faults_create - makes the files
 * @dir: where
 */
void ledger_faults_create(struct dentry *dir)
{
	struct dentry *all = debugfs_create_dir("faults", dir), *one;
	struct ledger_faulty *f;

	for (f = ledger_faulties; f < ledger_faulties + LEDGER_FAULTS; f++) {
		f->times = U32_MAX;
		one = debugfs_create_dir(f->name, all);
		debugfs_create_u32("one_in", 0600, one, &f->one_in);
		debugfs_create_u32("space", 0600, one, &f->space);
		debugfs_create_u32("times", 0600, one, &f->times);
		debugfs_create_u32("calls", 0400, one, &f->calls);
		debugfs_create_u32("failed", 0400, one, &f->failed);
		debugfs_create_file_unsafe("seed", 0600, one, f, &ledger_seed);
	}
}
