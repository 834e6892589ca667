// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: what an administrator can set.
 *
 * The highest version, one number for each end, readable and writable both as
 * a module parameter and as a sysctl. It is looked at when a connection is
 * made; live connections keep the version they have. So is how long a client
 * does without version 2 after a server has failed to answer a probe.
 *
 * The length of Receives. A greater number takes effect on live connections at
 * once; a smaller one counts for new connections, since a peer that relies on
 * the length has to ask for less.
 *
 * Placement of data, and messages of several transmissions. The numbers are
 * looked at when a connection is made.
 */

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sysctl.h>

#include "rpcrdma2.h"
#include "rpcrdma2_group.h"
#include "rpcrdma2_recvblock.h"

unsigned int rpcrdma2_client_max_version = RPCRDMA2_VERSION;
unsigned int rpcrdma2_server_max_version = RPCRDMA2_VERSION;

/* How long version 1 is assumed of a server that did not survive, or did not
 * answer, a probe, in seconds
 */
unsigned int rpcrdma2_client_probe_again = 600;

/* Lengths, in bytes, transport header included */
unsigned int rpcrdma2_client_recv_size = RPCRDMA2_DEF_INLINE;
unsigned int rpcrdma2_client_max_recv_size = 4 * RPCRDMA2_DEF_INLINE;
unsigned int rpcrdma2_client_ask_size = 4 * RPCRDMA2_DEF_INLINE;
unsigned int rpcrdma2_server_recv_size = RPCRDMA2_DEF_INLINE;
unsigned int rpcrdma2_server_max_recv_size = 4 * RPCRDMA2_DEF_INLINE;

/* Pages that data can be placed in, of each Receive; 0: no placement */
unsigned int rpcrdma2_server_placement_pages = RPCRDMA2_MAX_PLT_PAGES;

/* Memory for such Receives, in kB: of all connections, and what is in use */
unsigned int rpcrdma2_server_placement_mem_kb = 256 * 1024;
unsigned int rpcrdma2_server_placement_used_kb;

/* Transmissions of the longest Call and of the longest reply; 1: no groups. Of
 * 64 KiB each, as many as a READ or WRITE of 1 MiB takes, and some to spare.
 */
unsigned int rpcrdma2_server_continuation_requests = 20;
unsigned int rpcrdma2_server_continuation_replies = 20;

/* How long a Call may be incomplete, in seconds */
unsigned int rpcrdma2_server_continuation_timeout = 30;

/* rpcrdma2_place_check.c keeps a bit for each segment of a message */
static_assert(RPCRDMA2_MAX_PLT_PAGES * RPCRDMA2_MAX_XMTS <=
	      RPCRDMA2_MAX_SEGMENTS);

static unsigned int max_pages = RPCRDMA2_MAX_PLT_PAGES;
static unsigned int min_xmts = 1;
static unsigned int max_xmts = RPCRDMA2_MAX_XMTS;
static unsigned int min_timeout = 1;
static unsigned int max_timeout = 3600;
static unsigned int min_size = RPCRDMA2_DEF_INLINE;
static unsigned int max_size = RPCRDMA2_MAX_RECV;
static unsigned int min_again = 1;
static unsigned int max_again = 24 * 60 * 60;
static unsigned int min_version = 1;
static unsigned int max_version = RPCRDMA2_VERSION;

/**
 * rpcrdma2_set_version - set a highest version through sysfs
 * @val: what was written
 * @kp: the parameter
 *
 * Return: 0, or a negative errno if @val is no version that is known
 */
static int rpcrdma2_set_version(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, min_version, max_version);
}

static const struct kernel_param_ops rpcrdma2_version_ops = {
	.set	= rpcrdma2_set_version,
	.get	= param_get_uint,
};

module_param_cb(client_max_version, &rpcrdma2_version_ops,
		&rpcrdma2_client_max_version, 0644);
MODULE_PARM_DESC(client_max_version,
		 "Highest RPC-over-RDMA version the client offers (1 or 2)");
module_param_cb(server_max_version, &rpcrdma2_version_ops,
		&rpcrdma2_server_max_version, 0644);
MODULE_PARM_DESC(server_max_version,
		 "Highest RPC-over-RDMA version the server accepts (1 or 2)");

/**
 * rpcrdma2_set_pages - set a number of pages through sysfs
 * @val: what was written
 * @kp: the parameter
 *
 * Return: 0, or a negative errno if @val is no number that can be used
 */
static int rpcrdma2_set_pages(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 0, max_pages);
}

static const struct kernel_param_ops rpcrdma2_pages_ops = {
	.set	= rpcrdma2_set_pages,
	.get	= param_get_uint,
};

module_param_cb(server_placement_pages, &rpcrdma2_pages_ops,
		&rpcrdma2_server_placement_pages, 0644);
MODULE_PARM_DESC(server_placement_pages,
		 "Pages of each Receive that data can be placed in (0: none)");
module_param_named(placement_order, rpcrdma2_block_order, uint, 0644);
MODULE_PARM_DESC(placement_order,
		 "Order of the largest piece of memory that Receives are made of");
module_param_named(server_placement_mem_kb, rpcrdma2_server_placement_mem_kb,
		   uint, 0644);
MODULE_PARM_DESC(server_placement_mem_kb,
		 "Memory for such Receives, of all connections (kB)");

/**
 * rpcrdma2_set_xmts - set a number of transmissions through sysfs
 * @val: what was written
 * @kp: the parameter
 *
 * Return: 0, or a negative errno if @val is no number that can be used
 */
static int rpcrdma2_set_xmts(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, min_xmts, max_xmts);
}

static const struct kernel_param_ops rpcrdma2_xmts_ops = {
	.set	= rpcrdma2_set_xmts,
	.get	= param_get_uint,
};

/**
 * rpcrdma2_set_timeout - set a number of seconds through sysfs
 * @val: what was written
 * @kp: the parameter
 *
 * Return: 0, or a negative errno if @val is no number that can be used
 */
static int rpcrdma2_set_timeout(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, min_timeout, max_timeout);
}

static const struct kernel_param_ops rpcrdma2_timeout_ops = {
	.set	= rpcrdma2_set_timeout,
	.get	= param_get_uint,
};

module_param_cb(server_continuation_requests, &rpcrdma2_xmts_ops,
		&rpcrdma2_server_continuation_requests, 0644);
MODULE_PARM_DESC(server_continuation_requests,
		 "Transmissions of the longest Call (1: no groups)");
module_param_cb(server_continuation_replies, &rpcrdma2_xmts_ops,
		&rpcrdma2_server_continuation_replies, 0644);
MODULE_PARM_DESC(server_continuation_replies,
		 "Transmissions of the longest reply (1: no groups)");
module_param_cb(server_continuation_timeout, &rpcrdma2_timeout_ops,
		&rpcrdma2_server_continuation_timeout, 0644);
MODULE_PARM_DESC(server_continuation_timeout,
		 "How long a Call may be incomplete (seconds)");

/**
 * rpcrdma2_client_sizes - the client's numbers about Receives
 * @table: which one
 * @write: it is written
 * @buffer: text
 * @lenp: its length
 * @ppos: place in it
 *
 * Return: 0 or a negative errno
 */
static int rpcrdma2_client_sizes(const struct ctl_table *table, int write,
				 void *buffer, size_t *lenp, loff_t *ppos)
{
	int rc = proc_douintvec_minmax(table, write, buffer, lenp, ppos);

	if (write && !rc)
		rpcrdma2_conns_stir(RPCRDMA2_CLIENT,
				    READ_ONCE(rpcrdma2_client_recv_size));
	return rc;
}

/**
 * rpcrdma2_server_sizes - the server's numbers about Receives
 * @table: which one
 * @write: it is written
 * @buffer: text
 * @lenp: its length
 * @ppos: place in it
 *
 * Return: 0 or a negative errno
 */
static int rpcrdma2_server_sizes(const struct ctl_table *table, int write,
				 void *buffer, size_t *lenp, loff_t *ppos)
{
	int rc = proc_douintvec_minmax(table, write, buffer, lenp, ppos);

	if (write && !rc)
		rpcrdma2_conns_stir(RPCRDMA2_SERVER,
				    READ_ONCE(rpcrdma2_server_recv_size));
	return rc;
}

static struct ctl_table rpcrdma2_client_table[] = {
	{
		.procname	= "rdma_max_version",
		.data		= &rpcrdma2_client_max_version,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra1		= &min_version,
		.extra2		= &max_version,
	},
	{
		.procname	= "rdma_probe_again",
		.data		= &rpcrdma2_client_probe_again,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra1		= &min_again,
		.extra2		= &max_again,
	},
	{
		.procname	= "rdma_recv_size",
		.data		= &rpcrdma2_client_recv_size,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= rpcrdma2_client_sizes,
		.extra1		= &min_size,
		.extra2		= &max_size,
	},
	{
		.procname	= "rdma_max_recv_size",
		.data		= &rpcrdma2_client_max_recv_size,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= rpcrdma2_client_sizes,
		.extra1		= &min_size,
		.extra2		= &max_size,
	},
	{
		.procname	= "rdma_ask_recv_size",
		.data		= &rpcrdma2_client_ask_size,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra1		= &min_size,
		.extra2		= &max_size,
	},
};

static struct ctl_table rpcrdma2_server_table[] = {
	{
		.procname	= "max_version",
		.data		= &rpcrdma2_server_max_version,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra1		= &min_version,
		.extra2		= &max_version,
	},
	{
		.procname	= "recv_size",
		.data		= &rpcrdma2_server_recv_size,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= rpcrdma2_server_sizes,
		.extra1		= &min_size,
		.extra2		= &max_size,
	},
	{
		.procname	= "max_recv_size",
		.data		= &rpcrdma2_server_max_recv_size,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= rpcrdma2_server_sizes,
		.extra1		= &min_size,
		.extra2		= &max_size,
	},
	{
		.procname	= "placement_pages",
		.data		= &rpcrdma2_server_placement_pages,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra2		= &max_pages,
	},
	{
		.procname	= "placement_mem_kb",
		.data		= &rpcrdma2_server_placement_mem_kb,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= proc_douintvec,
	},
	{
		.procname	= "placement_used_kb",
		.data		= &rpcrdma2_server_placement_used_kb,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0444,
		.proc_handler	= proc_douintvec,
	},
	{
		.procname	= "continuation_requests",
		.data		= &rpcrdma2_server_continuation_requests,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra1		= &min_xmts,
		.extra2		= &max_xmts,
	},
	{
		.procname	= "continuation_replies",
		.data		= &rpcrdma2_server_continuation_replies,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra1		= &min_xmts,
		.extra2		= &max_xmts,
	},
	{
		.procname	= "continuation_timeout",
		.data		= &rpcrdma2_server_continuation_timeout,
		.maxlen		= sizeof(unsigned int),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra1		= &min_timeout,
		.extra2		= &max_timeout,
	},
};

static struct ctl_table_header *rpcrdma2_client_header;
static struct ctl_table_header *rpcrdma2_server_header;

/**
 * rpcrdma2_policy_init - make what can be set visible under /proc/sys
 *
 * The module parameters are there in any case.
 */
void rpcrdma2_policy_init(void)
{
	rpcrdma2_client_header = register_sysctl("sunrpc",
						 rpcrdma2_client_table);
	rpcrdma2_server_header = register_sysctl("sunrpc/svc_rdma",
						 rpcrdma2_server_table);
}

/**
 * rpcrdma2_policy_cleanup - undo rpcrdma2_policy_init()
 */
void rpcrdma2_policy_cleanup(void)
{
	unregister_sysctl_table(rpcrdma2_server_header);
	unregister_sysctl_table(rpcrdma2_client_header);
}
