// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: all connections, and /sys/kernel/debug/rpcrdma2/.
 *
 * client/N/state and server/N/state describe one transport each, a line a
 * fact: "name: value". N has no meaning but to tell them apart. What is written
 * to client/N/ask or server/N/ask, as "rbsiz 16384", the peer is asked for.
 */

#include <linux/debugfs.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "conn.h"

static struct dentry *rpcrdma2_topdir;
static struct dentry *rpcrdma2_dirs[2];
static atomic_t rpcrdma2_next_id;

static void rpcrdma2_show_value(struct seq_file *seq,
				const struct rpcrdma2_xchars *xc, u32 n)
{
	const struct rpcrdma2_xchar *row = &rpcrdma2_xchar_table[n];
	u32 i, value = rpcrdma2_xchar_value(xc, n);

	switch (row->type) {
	case RPCRDMA2_XT_BOOL:
		seq_puts(seq, value ? "true" : "false");
		break;
	case RPCRDMA2_XT_FLAGS:
		seq_printf(seq, "0x%x", value);
		break;
	case RPCRDMA2_XT_RBSTRUCT:
		seq_printf(seq, "%u", value);
		for (i = 0; i < xc->rbstruct.ngroups; i++)
			seq_printf(seq, " %ux%u/%u%s",
				   xc->rbstruct.groups[i].count,
				   xc->rbstruct.groups[i].length,
				   xc->rbstruct.groups[i].align,
				   xc->rbstruct.groups[i].flags &
				   RDMA2_XMRSFLAG_PLT ? "p" : "");
		break;
	case RPCRDMA2_XT_WORD:
		if (row->names)
			seq_puts(seq, row->names[value]);
		else
			seq_printf(seq, "%u", value);
		break;
	}
}

static void rpcrdma2_show_xchars(struct seq_file *seq, const char *name,
				 const struct rpcrdma2_xchars *xc, u32 end)
{
	u32 n;

	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++) {
		if (!(rpcrdma2_xchar_table[n].ends & end))
			continue;
		seq_printf(seq, "%s_%s: ", name, rpcrdma2_xchar_table[n].name);
		rpcrdma2_show_value(seq, xc, n);
		seq_puts(seq, xc->present & BIT(n) ? "\n" : " (default)\n");
	}
}

/* Show which characteristics something is true of. */
static void rpcrdma2_show_set(struct seq_file *seq, const char *name, u32 bits)
{
	u32 n;

	seq_printf(seq, "%s:", name);
	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++)
		if (bits & BIT(n))
			seq_printf(seq, " %s", rpcrdma2_xchar_table[n].name);
	seq_putc(seq, '\n');
}

static void rpcrdma2_show_xch(struct seq_file *seq, const struct rpcrdma2_xch *xch)
{
	struct rpcrdma2_recvq rq;
	u32 end = xch->xc_ops->end;

	/* The receive handler may post without the lock; this is for people. */
	rq = data_race(xch->xc_recvq);
	rpcrdma2_show_xchars(seq, "local", &xch->xc_local, end);
	rpcrdma2_show_xchars(seq, "peer", &xch->xc_peer,
			     RPCRDMA2_STATED_BY_BOTH & ~end);
	rpcrdma2_show_set(seq, "asking", xch->xc_wish | xch->xc_requested);
	rpcrdma2_show_set(seq, "pending", xch->xc_pending);
	rpcrdma2_show_set(seq, "changing", xch->xc_own | xch->xc_busy);
	rpcrdma2_show_set(seq, "unannounced", xch->xc_announce);
	seq_printf(seq, "unconfirmed: %u\n", xch->xc_nr_announced);
	seq_printf(seq, "send_limit: %u\n", rpcrdma2_xch_send_limit(xch));
	seq_printf(seq, "recv_limit: %u\n", rpcrdma2_xch_recv_limit(xch));
	seq_printf(seq, "recv_size: %u\n", rq.rq_size);
	seq_printf(seq, "recv_posted: %u\n", rq.rq_posted);
	seq_printf(seq, "recv_posted_bytes: %u\n", rq.rq_bytes);
	seq_printf(seq, "recv_posted_bytes_before: %u\n", rq.rq_before);
	seq_printf(seq, "recv_posted_behind: %u\n", rq.rq_behind);
	seq_printf(seq, "recv_buffer_bytes: %u\n", rq.rq_buffers);
}

/* The lock of @conn is held. */
static void rpcrdma2_show_report(struct seq_file *seq,
				 const struct rpcrdma2_conn *conn)
{
	const struct rpcrdma2_repterr *rep = &conn->cn_report;

	if (!conn->cn_reported)
		return;
	seq_printf(seq, "report: %s %s xid 0x%08x number %u (%u, %u, %u)\n",
		   conn->cn_report_sent ? "sent" : "received",
		   rpcrdma2_opterr_name(rep->which), be32_to_cpu(rep->bad.xid),
		   rep->bad.seq, rep->args[0], rep->args[1], rep->args[2]);
}

static void rpcrdma2_show_state(struct seq_file *seq, struct rpcrdma2_conn *conn)
{
	const char *place = READ_ONCE(conn->cn_place);
	const char *cont = READ_ONCE(conn->cn_cont);

	spin_lock(&conn->cn_lock);
	seq_printf(seq, "peer: %s\n", conn->cn_name);
	seq_printf(seq, "version: %u\n", conn->cn_version);
	seq_printf(seq, "why: %s\n", rpcrdma2_why_names[conn->cn_why]);
	if (READ_ONCE(conn->cn_high))
		seq_printf(seq, "peer_versions: %u..%u\n",
			   READ_ONCE(conn->cn_low), READ_ONCE(conn->cn_high));
	if (conn->cn_version == RPCRDMA2_VERSION) {
		seq_printf(seq, "forward_credits: %u\n",
			   READ_ONCE(conn->cn_grant));
		seq_printf(seq, "reverse_credits: %u\n",
			   READ_ONCE(conn->cn_reverse_grant));
		seq_printf(seq, "reverse_in_use: %u\n",
			   READ_ONCE(conn->cn_reverse_used));
		seq_printf(seq, "reverse_in_use_most: %u\n",
			   READ_ONCE(conn->cn_reverse_most));
		seq_printf(seq, "given_up: %u\n",
			   READ_ONCE(conn->cn_given_up));
		if (place)
			seq_printf(seq, "placement: %s\n", place);
		if (cont)
			seq_printf(seq, "continuation: %s\n", cont);
		seq_printf(seq, "placement_kb: %u\n",
			   READ_ONCE(conn->cn_place_kb));
		if (conn->cn_show)
			conn->cn_show(conn, seq);
		rpcrdma2_show_report(seq, conn);
		rpcrdma2_show_xch(seq, &conn->cn_xch);
	}
	spin_unlock(&conn->cn_lock);
}

static int state_show(struct seq_file *seq, void *unused)
{
	struct rpcrdma2_conn *conn = seq->private;
	unsigned int i;

	rpcrdma2_show_state(seq, conn);
	for (i = 0; i < RPCRDMA2_NR_COUNTERS; i++)
		seq_printf(seq, "%s: %ld\n", rpcrdma2_counter_names[i],
			   atomic_long_read(&conn->cn_counts[i]));
	spin_lock(&conn->cn_lock);
	for (i = 0; i < RPCRDMA2_XE_NR; i++)
		seq_printf(seq, "%s: %u\n", rpcrdma2_xch_event_names[i],
			   conn->cn_xch.xc_counts[i]);
	spin_unlock(&conn->cn_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

/* Parse what was written to "ask". @text: modified. @value: the value, a number or
 * one of the names it can have. Returns 0 or -EINVAL.
 */
static int rpcrdma2_parse_wish(char *text, u32 *n, u32 *value)
{
	const struct rpcrdma2_xchar *row = rpcrdma2_xchar_table;
	char *name = strsep(&text, " ");
	int i;

	if (!text)
		return -EINVAL;
	for (*n = 0; *n < RPCRDMA2_NUM_XCHARS; (*n)++, row++)
		if (!strcmp(row->name, name))
			break;
	if (*n == RPCRDMA2_NUM_XCHARS || row->type == RPCRDMA2_XT_RBSTRUCT)
		return -EINVAL;
	i = row->names ? match_string(row->names, -1, text) : -1;
	if (i >= 0) {
		*value = i;
		return 0;
	}
	return kstrtou32(text, 0, value) ? -EINVAL : 0;
}

/* Ask the peer for another value. @conn: connection; the caller keeps it from
 * going away. @n: which characteristic; not RBSTRUCT. @value: the value. Context:
 * process context. Returns 0, -ENOTCONN if there is no connection of version 2,
 * -EINVAL if the value is none or of no use, -EALREADY if a change of it is under
 * way or in force, or the peer said that there is no use in asking.
 */
static int rpcrdma2_conn_ask(struct rpcrdma2_conn *conn, u32 n, u32 value)
{
	const struct rpcrdma2_xchar *row = &rpcrdma2_xchar_table[n];
	struct rpcrdma2_xchars want;
	int rc = -ENOTCONN;

	if (row->type != RPCRDMA2_XT_BOOL &&
	    (value > row->max || value < max(row->min, row->usable)))
		return -EINVAL;
	rpcrdma2_xchars_default(&want);
	rpcrdma2_xchar_set(&want, n, value);
	rpcrdma2_conn_change_begin(conn);
	if (conn->cn_kick && conn->cn_xch.xc_heard)
		rc = rpcrdma2_xch_ask(&conn->cn_xch, &want) ? 0 : -EALREADY;
	if (!rc)
		conn->cn_kick(conn);
	rpcrdma2_conn_change_end(conn);
	return rc;
}

/* The file "ask". Has the peer be asked for another value of one of its
 * characteristics. Returns @len or a negative errno.
 */
static ssize_t ask_write(struct file *file, const char __user *buf, size_t len,
			 loff_t *pos)
{
	struct rpcrdma2_conn *conn = file->private_data;
	char text[32];
	u32 n, value;
	ssize_t ret;

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, len))
		return -EFAULT;
	text[len] = '\0';
	ret = rpcrdma2_parse_wish(strim(text), &n, &value);
	if (!ret)
		ret = rpcrdma2_conn_ask(conn, n, value);
	return ret ? ret : len;
}

static const struct file_operations ask_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= ask_write,
	.llseek	= noop_llseek,
};

/**
 * rpcrdma2_debugfs_init - make the folders
 *
 * Return: the one that all others are in
 */
struct dentry *rpcrdma2_debugfs_init(void)
{
	rpcrdma2_topdir = debugfs_create_dir("rpcrdma2", NULL);
	rpcrdma2_dirs[RPCRDMA2_CLIENT] = debugfs_create_dir("client",
							    rpcrdma2_topdir);
	rpcrdma2_dirs[RPCRDMA2_SERVER] = debugfs_create_dir("server",
							    rpcrdma2_topdir);
	return rpcrdma2_topdir;
}

/**
 * rpcrdma2_debugfs_file - show something of an end
 * @name: name of the file
 * @data: what it shows; stays until rpcrdma2_debugfs_cleanup()
 * @fops: how
 */
void rpcrdma2_debugfs_file(const char *name, void *data,
			   const struct file_operations *fops)
{
	debugfs_create_file(name, 0400, rpcrdma2_topdir, data, fops);
}

/**
 * rpcrdma2_debugfs_cleanup - remove the folders
 */
void rpcrdma2_debugfs_cleanup(void)
{
	debugfs_remove_recursive(rpcrdma2_topdir);
}

/* Section: all connections, since what people set is of interest to all of them */

/* Protects the lists below; taken before cn_lock */
static DEFINE_SPINLOCK(rpcrdma2_conns_lock);

/* The records of each end */
static struct list_head rpcrdma2_conns[] = {
	[RPCRDMA2_CLIENT] = LIST_HEAD_INIT(rpcrdma2_conns[RPCRDMA2_CLIENT]),
	[RPCRDMA2_SERVER] = LIST_HEAD_INIT(rpcrdma2_conns[RPCRDMA2_SERVER]),
};

/**
 * rpcrdma2_conn_add - let people see a connection, and have it see what they set
 * @conn: record; must live until rpcrdma2_conn_remove() returns
 * @end: which end it is seen from
 *
 * Nothing depends on success: without debugfs there is nothing to see.
 *
 * Context: process context, may sleep
 */
void rpcrdma2_conn_add(struct rpcrdma2_conn *conn, enum rpcrdma2_end end)
{
	char name[16];

	spin_lock(&rpcrdma2_conns_lock);
	list_add_tail(&conn->cn_list, &rpcrdma2_conns[end]);
	spin_unlock(&rpcrdma2_conns_lock);
	snprintf(name, sizeof(name), "%d", atomic_inc_return(&rpcrdma2_next_id));
	conn->cn_dir = debugfs_create_dir(name, rpcrdma2_dirs[end]);
	debugfs_create_file("state", 0400, conn->cn_dir, conn, &state_fops);
	if (IS_ENABLED(CONFIG_SUNRPC_XPRT_RDMA_V2_TEST))
		debugfs_create_file("ask", 0200, conn->cn_dir, conn, &ask_fops);
}

/**
 * rpcrdma2_conn_remove - undo rpcrdma2_conn_add()
 * @conn: record
 *
 * Context: may sleep; waits for readers and writers of debugfs
 */
void rpcrdma2_conn_remove(struct rpcrdma2_conn *conn)
{
	debugfs_remove_recursive(conn->cn_dir);
	conn->cn_dir = NULL;
	spin_lock(&rpcrdma2_conns_lock);
	list_del(&conn->cn_list);
	spin_unlock(&rpcrdma2_conns_lock);
}

/**
 * rpcrdma2_conns_stir - the administrator has set something about Receives
 * @end: at which end
 * @own_recv: length that Receives are to have by his will
 *
 * Context: process context
 */
void rpcrdma2_conns_stir(enum rpcrdma2_end end, u32 own_recv)
{
	struct rpcrdma2_conn *conn;

	spin_lock(&rpcrdma2_conns_lock);
	list_for_each_entry(conn, &rpcrdma2_conns[end], cn_list) {
		rpcrdma2_conn_change_begin(conn);
		/* A transport may be without a connection. */
		if (conn->cn_kick && conn->cn_xch.xc_heard) {
			rpcrdma2_xch_stir(&conn->cn_xch, own_recv);
			conn->cn_kick(conn);
		}
		rpcrdma2_conn_change_end(conn);
	}
	spin_unlock(&rpcrdma2_conns_lock);
}
