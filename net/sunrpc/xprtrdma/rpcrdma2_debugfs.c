// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: /sys/kernel/debug/rpcrdma2/.
 *
 * client/N/state and server/N/state describe one transport each, a line a
 * fact: "name: value". N has no meaning but to tell them apart.
 */

#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "rpcrdma2.h"

static struct dentry *rpcrdma2_topdir;
static struct dentry *rpcrdma2_dirs[2];
static atomic_t rpcrdma2_next_id;

static const char * const brs_names[] = {
	[RDMA2_BRS_NONE]	= "none",
	[RDMA2_BRS_INLINE]	= "inline",
	[RDMA2_BRS_GENL]	= "general",
};

/**
 * rpcrdma2_show_xchars - show the characteristics of one end
 * @seq: where to
 * @end: "local" or "peer"
 * @xc: the values
 */
static void rpcrdma2_show_xchars(struct seq_file *seq, const char *end,
				 const struct rpcrdma2_xchars *xc)
{
	static const char * const said[] = { " (default)", "" };

	seq_printf(seq, "%s_rbsiz: %u%s\n", end, xc->rbsiz,
		   said[!!(xc->present & RPCRDMA2_HAS_RBSIZ)]);
	seq_printf(seq, "%s_reqreminv: %s%s\n", end,
		   xc->reqreminv ? "true" : "false",
		   said[!!(xc->present & RPCRDMA2_HAS_REQREMINV)]);
	seq_printf(seq, "%s_brs: %s%s\n", end,
		   xc->brs < ARRAY_SIZE(brs_names) ? brs_names[xc->brs] : "?",
		   said[!!(xc->present & RPCRDMA2_HAS_BRS)]);
	seq_printf(seq, "%s_rtrsupp: 0x%x%s\n", end, xc->rtrsupp,
		   said[!!(xc->present & RPCRDMA2_HAS_RTRSUPP)]);
}

/**
 * rpcrdma2_show_state - show all that is known of a connection
 * @seq: where to
 * @conn: record
 *
 * Context: process context
 */
static void rpcrdma2_show_state(struct seq_file *seq,
				struct rpcrdma2_conn *conn)
{
	spin_lock(&conn->cn_lock);
	seq_printf(seq, "peer: %s\n", conn->cn_name);
	seq_printf(seq, "version: %u\n", conn->cn_version);
	seq_printf(seq, "why: %s\n", rpcrdma2_why_name(conn->cn_why));
	if (conn->cn_high)
		seq_printf(seq, "peer_versions: %u..%u\n", conn->cn_low,
			   conn->cn_high);
	if (conn->cn_version == RPCRDMA2_VERSION) {
		seq_printf(seq, "forward_credits: %u\n", conn->cn_grant);
		seq_printf(seq, "reverse_credits: %u\n",
			   conn->cn_reverse_grant);
		rpcrdma2_show_xchars(seq, "local", &conn->cn_local);
		rpcrdma2_show_xchars(seq, "peer", &conn->cn_peer);
	}
	spin_unlock(&conn->cn_lock);
}

/**
 * state_show - the file "state"
 * @seq: file being read
 * @unused: only one record
 *
 * Return: 0
 */
static int state_show(struct seq_file *seq, void *unused)
{
	struct rpcrdma2_conn *conn = seq->private;
	unsigned int i;

	rpcrdma2_show_state(seq, conn);
	for (i = 0; i < RPCRDMA2_NR_COUNTERS; i++)
		seq_printf(seq, "%s: %ld\n", rpcrdma2_counter_name(i),
			   atomic_long_read(&conn->cn_counts[i]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

/**
 * rpcrdma2_debugfs_add - show a connection
 * @conn: record; must live until rpcrdma2_debugfs_remove() returns
 * @end: which end it is seen from
 *
 * Nothing depends on success: without debugfs there is nothing to see.
 */
void rpcrdma2_debugfs_add(struct rpcrdma2_conn *conn, enum rpcrdma2_end end)
{
	char name[16];

	snprintf(name, sizeof(name), "%d",
		 atomic_inc_return(&rpcrdma2_next_id));
	conn->cn_dir = debugfs_create_dir(name, rpcrdma2_dirs[end]);
	debugfs_create_file("state", 0400, conn->cn_dir, conn, &state_fops);
}

/**
 * rpcrdma2_debugfs_remove - stop showing a connection
 * @conn: record that was added
 *
 * Context: may sleep; waits for readers
 */
void rpcrdma2_debugfs_remove(struct rpcrdma2_conn *conn)
{
	debugfs_remove_recursive(conn->cn_dir);
	conn->cn_dir = NULL;
}

/**
 * rpcrdma2_debugfs_init - make the folders
 */
void rpcrdma2_debugfs_init(void)
{
	rpcrdma2_topdir = debugfs_create_dir("rpcrdma2", NULL);
	rpcrdma2_dirs[RPCRDMA2_CLIENT] = debugfs_create_dir("client",
							    rpcrdma2_topdir);
	rpcrdma2_dirs[RPCRDMA2_SERVER] = debugfs_create_dir("server",
							    rpcrdma2_topdir);
}

/**
 * rpcrdma2_debugfs_cleanup - remove the folders
 */
void rpcrdma2_debugfs_cleanup(void)
{
	debugfs_remove_recursive(rpcrdma2_topdir);
}
