// SPDX-License-Identifier: GPL-2.0
/*
 * What the ledger says of those who break the rules, and its end: when
 * rpcrdma.ko is removed, what is still mapped is a leak.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "ledger_priv.h"

DEFINE_SPINLOCK(ledger_lock);

bool ledger_copy;
module_param_named(copy, ledger_copy, bool, 0444);
MODULE_PARM_DESC(copy, "give the device copies of what is mapped");
EXPORT_SYMBOL_GPL(ledger_copy);

static const char *const ledger_crimes[LEDGER_CRIMES] = {
	[LEDGER_UNMAP_UNKNOWN]		= "unmaps what is not mapped",
	[LEDGER_UNMAP_TWICE]		= "unmaps a second time",
	[LEDGER_UNMAP_LENGTH]		= "unmaps another length than was mapped",
	[LEDGER_UNMAP_DIRECTION]	= "unmaps for another direction than was mapped",
	[LEDGER_UNMAP_BUSY]		= "unmaps what a posted request uses",
	[LEDGER_UNMAP_REGISTERED]	= "unmaps what the other end may still use",
	[LEDGER_SYNC_UNKNOWN]		= "syncs what is not mapped",
	[LEDGER_SYNC_DIRECTION]		= "syncs for another direction than was mapped",
	[LEDGER_POST_UNKNOWN]		= "posts what is not mapped",
	[LEDGER_POST_DIRECTION]		= "posts against the direction of the mapping",
	[LEDGER_POST_UNCHECKED]		= "posts a mapping without ib_dma_mapping_error()",
	[LEDGER_POST_UNSYNCED]		= "posts bytes that were not synced for the device",
	[LEDGER_POST_CHANGED]		= "posts bytes that were changed after they were synced",
	[LEDGER_POST_CPU]		= "posts what belongs to the CPU",
	[LEDGER_POST_REUSED]		= "uses a request again that is being posted",
	[LEDGER_RECV_UNREAD]		= "posts a Receive whose bytes were not synced for the CPU",
	[LEDGER_RECV_WRITTEN]		= "posts a Receive the CPU wrote to, without a sync",
	[LEDGER_REG_UNKNOWN]		= "registers what is not mapped",
	[LEDGER_CTX_UNKNOWN]		= "uses an rdma_rw_ctx that is not set up",
	[LEDGER_CTX_TWICE]		= "sets up an rdma_rw_ctx a second time",
	[LEDGER_CTX_DIFFERS]		= "destroys an rdma_rw_ctx as it was not set up",
	[LEDGER_CTX_BUSY]		= "destroys an rdma_rw_ctx that is posted",
	[LEDGER_LEAK]			= "has mapped what is never unmapped",
};

/* Each is counted, and said a few times. */
#define LEDGER_SAID	5
static unsigned int ledger_count[LEDGER_CRIMES];

static struct ib_device *ledger_heard_dev;
static void (*ledger_heard)(enum ledger_crime what);

/**
 * ledger_accuse - says that a rule was broken
 * @dev: on which device
 * @what: the rule
 * @site: by whom
 * @other: who else has to do with it, or NULL
 * @addr: where
 * @len: how much
 *
 * Context: under ledger_lock.
 */
void ledger_accuse(struct ib_device *dev, enum ledger_crime what,
		   const struct ledger_site *site,
		   const struct ledger_site *other, u64 addr, size_t len)
{
	lockdep_assert_held(&ledger_lock);
	if (ledger_heard && dev == ledger_heard_dev) {
		ledger_heard(what);
		return;
	}
	if (ledger_count[what]++ >= LEDGER_SAID)
		return;
	pr_warn("WARNING: %s:%u %s: %zu at %#llx, of %s:%u\n", site->func,
		site->line, ledger_crimes[what], len, addr,
		other ? other->func : "nobody", other ? other->line : 0);
	dump_stack();
}

/**
 * ledger_listen - a test wants to hear what else goes to the log
 * @dev: what is about this device
 * @heard: is told
 */
void ledger_listen(struct ib_device *dev, void (*heard)(enum ledger_crime what))
{
	unsigned long flags;

	spin_lock_irqsave(&ledger_lock, flags);
	ledger_heard_dev = dev;
	ledger_heard = heard;
	spin_unlock_irqrestore(&ledger_lock, flags);
}
EXPORT_SYMBOL_GPL(ledger_listen);

/**
 * ledger_close - judges what is left of a device, and forgets it
 * @dev: the device, or NULL for all
 */
void ledger_close(struct ib_device *dev)
{
	unsigned long flags;

	spin_lock_irqsave(&ledger_lock, flags);
	ledger_maps_end(dev);
	ledger_regs_end(dev);
	spin_unlock_irqrestore(&ledger_lock, flags);
}
EXPORT_SYMBOL_GPL(ledger_close);

/* Nothing can complete any more. */
static void ledger_end(void)
{
	unsigned long flags;

	spin_lock_irqsave(&ledger_lock, flags);
	ledger_wrs_end();
	spin_unlock_irqrestore(&ledger_lock, flags);
	ledger_close(NULL);
}

/* rpcrdma.ko is still there, with the names of its functions. */
static int ledger_going(struct notifier_block *nb, unsigned long state,
			void *data)
{
	struct module *mod = data;

	if (state != MODULE_STATE_GOING || strcmp(mod->name, "rpcrdma"))
		return NOTIFY_DONE;
	ledger_end();
	pr_info("rpcrdma is gone\n");
	return NOTIFY_DONE;
}

static struct notifier_block ledger_nb = {
	.notifier_call	= ledger_going,
};

static int mappings_show(struct seq_file *m, void *v)
{
	unsigned long flags;

	spin_lock_irqsave(&ledger_lock, flags);
	ledger_maps_show(m);
	spin_unlock_irqrestore(&ledger_lock, flags);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(mappings);

static int broken_show(struct seq_file *m, void *v)
{
	int i;

	for (i = 0; i < LEDGER_CRIMES; i++)
		if (ledger_count[i])
			seq_printf(m, "%s: %u\n", ledger_crimes[i],
				   ledger_count[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(broken);

static struct dentry *ledger_dir;

static int __init ledger_init(void)
{
	ledger_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("mappings", 0400, ledger_dir, NULL, &mappings_fops);
	debugfs_create_file("broken", 0400, ledger_dir, NULL, &broken_fops);
	ledger_faults_create(ledger_dir);
	return register_module_notifier(&ledger_nb);
}

static void __exit ledger_exit(void)
{
	unregister_module_notifier(&ledger_nb);
	debugfs_remove_recursive(ledger_dir);
	ledger_end();
}

module_init(ledger_init);
module_exit(ledger_exit);
MODULE_DESCRIPTION("A ledger of what rpcrdma maps, registers and posts");
MODULE_LICENSE("GPL");
