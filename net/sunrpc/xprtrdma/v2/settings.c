// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: what can be set.
 *
 * One table has all of it, with limits and defaults. What an administrator may
 * have a reason to touch is a sysctl; the highest versions are parameters of the
 * module, too, since they may be wanted before anything is mounted. The rest is
 * chosen well as it is. With SUNRPC_XPRT_RDMA_V2_TEST tests can set that below
 * /sys/kernel/debug/rpcrdma2/settings/.
 *
 * Documentation/settings.rst is made from the table and its comments by
 * scripts/settings.py.
 */

#include <linux/container_of.h>
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/sysctl.h>
#include <linux/sunrpc/svc_rdma.h>

#include "conn.h"
#include "assembly.h"
#include "memory.h"

/* claims.c keeps a bit for each segment of a message */
static_assert(RPCRDMA2_MAX_PLT_PAGES * RPCRDMA2_MAX_XMTS <= RPCRDMA2_MAX_SEGMENTS);

/* Each is 0 until its default is set, unless a parameter of the module was given */
unsigned int rpcrdma2_client_max_version;
unsigned int rpcrdma2_client_probe_again;
unsigned int rpcrdma2_client_recv_size;
unsigned int rpcrdma2_client_max_recv_size;
unsigned int rpcrdma2_client_ask_size;
unsigned int rpcrdma2_server_max_version;
unsigned int rpcrdma2_server_recv_size;
unsigned int rpcrdma2_server_max_recv_size;
unsigned int rpcrdma2_server_placement_mem_kb;
unsigned int rpcrdma2_server_eager;
unsigned int rpcrdma2_server_continuation_requests;
unsigned int rpcrdma2_server_continuation_replies;
unsigned int rpcrdma2_continuation_timeout;
unsigned int rpcrdma2_memory_interval;
unsigned int xprt_rdma2_place_mem_kb;
unsigned int xprt_rdma2_eager;
unsigned int xprt_rdma2_write_min;
unsigned int xprt_rdma2_write_max;
unsigned int xprt_rdma2_read_min;
unsigned int xprt_rdma2_read_max;
unsigned int xprt_rdma2_hardware;
unsigned int xprt_rdma2_write_type;
unsigned int xprt_rdma2_read_type;
unsigned int xprt_rdma2_read_minlen;
unsigned int xprt_rdma2_read_dsdov;
unsigned int xprt_rdma2_read_ranges;
unsigned int xprt_rdma2_cont_requests;
unsigned int xprt_rdma2_cont_replies;
unsigned int xprt_rdma2_cont_callbacks;
unsigned int xprt_rdma2_cont_recvs;
static unsigned int client_pages;
static unsigned int server_pages;
static unsigned int client_continuation;
static unsigned int server_continuation;

/* A greater length of Receives takes effect on live connections at once; a
 * smaller one counts for new connections, since a peer that relies on the length
 * has to ask for less.
 */
static void client_sizes(unsigned int unused)
{
	rpcrdma2_conns_stir(RPCRDMA2_CLIENT, READ_ONCE(rpcrdma2_client_recv_size));
}

static void server_sizes(unsigned int unused)
{
	rpcrdma2_conns_stir(RPCRDMA2_SERVER, READ_ONCE(rpcrdma2_server_recv_size));
}

static void client_xmts(unsigned int xmts)
{
	WRITE_ONCE(xprt_rdma2_cont_requests, xmts);
	WRITE_ONCE(xprt_rdma2_cont_replies, xmts);
	WRITE_ONCE(xprt_rdma2_cont_callbacks, min(xmts, 16U));
}

static void server_xmts(unsigned int xmts)
{
	WRITE_ONCE(rpcrdma2_server_continuation_requests, xmts);
	WRITE_ONCE(rpcrdma2_server_continuation_replies, xmts);
}

/**
 * struct rpcrdma2_setting - something that can be set
 * @name: its file, below sunrpc/ of the sysctls, or below settings/ of debugfs
 * @value: what was set
 * @min: the least value
 * @max: the greatest value
 * @dflt: the value to begin with
 * @changed: told when it has been set, or NULL
 */
struct rpcrdma2_setting {
	const char	*name;
	unsigned int	*value;
	unsigned int	min;
	unsigned int	max;
	unsigned int	dflt;
	void		(*changed)(unsigned int value);
};

static struct rpcrdma2_setting rpcrdma2_client_settings[] = {
	/* highest version that the client offers */
	{ "rdma_max_version", &rpcrdma2_client_max_version, 1,
	  RPCRDMA2_VERSION, RPCRDMA2_VERSION },
	/* how long the client does without version 2 after a server has died of
	 * the question, or not answered it, in seconds
	 */
	{ "rdma_probe_again", &rpcrdma2_client_probe_again, 1, 24 * 60 * 60,
	  600 },
	/* memory of all connections for Receives, in KiB, up to an eighth of the
	 * machine's; 0: no data is placed. Counts for the connections there are
	 */
	{ "rdma_placement_mem_kb", &xprt_rdma2_place_mem_kb, 0, INT_MAX,
	  INT_MAX },
	/* shortest data of a WRITE that is placed though it would fit a Send
	 * without that, in bytes: nfsd copies it either way
	 */
	{ "rdma_placement_write_min", &xprt_rdma2_write_min, 0, SZ_1M, 65536 },
	/* shortest data of a READ that is placed though it would fit a Receive
	 * without that, in bytes: it is copied either way
	 */
	{ "rdma_placement_read_min", &xprt_rdma2_read_min, 0, SZ_1M, 65536 },
	/* longest data of a READ that is placed, in bytes; what is longer, and does
	 * not fit a Receive inline, goes by RDMA Write. 1: none is placed. 0: the
	 * device decides: 1 MiB where it is software (soft-RoCE, soft-iWARP), none
	 * where it is hardware, so that no processor copies the data. That was
	 * thought out, and NOT measured on hardware
	 */
	{ "rdma_placement_read_max", &xprt_rdma2_read_max, 0, SZ_1M, 0 },
	/* Sends that a message of the client, or the reply to it, may take; 1:
	 * one. They have 64 KiB each: a READ or WRITE of 1 MiB and some to spare
	 */
	{ "rdma_continuation", &client_continuation, 1, RPCRDMA2_MAX_XMTS, 20,
	  client_xmts },
};

static struct rpcrdma2_setting rpcrdma2_server_settings[] = {
	/* highest version that the server accepts */
	{ "max_version", &rpcrdma2_server_max_version, 1, RPCRDMA2_VERSION,
	  RPCRDMA2_VERSION },
	/* memory of all connections for Receives, in KiB, up to an eighth of the
	 * machine's; 0: no data is placed. Counts for the connections there are
	 */
	{ "placement_mem_kb", &rpcrdma2_server_placement_mem_kb, 0, INT_MAX,
	  INT_MAX },
	/* Sends that a Call or its reply may take; 1: one */
	{ "continuation", &server_continuation, 1, RPCRDMA2_MAX_XMTS, 20,
	  server_xmts },
	/* callbacks that may be under way on a connection, in either version:
	 * up to what Linux clients grant
	 */
	{ "max_bc_requests", &svcrdma_max_bc_requests, 1, 16, 2 },
};

static struct rpcrdma2_setting rpcrdma2_test_settings[] = {
	/* length of the client's Receives, in bytes, if not the default: then no data is
	 * placed, nor does memory follow use
	 */
	{ "client_recv_size", &rpcrdma2_client_recv_size,
	  RPCRDMA2_DEF_INLINE, RPCRDMA2_MAX_RECV, RPCRDMA2_DEF_INLINE,
	  client_sizes },
	/* how long they may become when the server asks for it */
	{ "client_max_recv_size", &rpcrdma2_client_max_recv_size,
	  RPCRDMA2_DEF_INLINE, RPCRDMA2_MAX_RECV, 4 * RPCRDMA2_DEF_INLINE,
	  client_sizes },
	/* how long a server's Receives the client asks for */
	{ "client_ask_recv_size", &rpcrdma2_client_ask_size,
	  RPCRDMA2_DEF_INLINE, RPCRDMA2_MAX_RECV, 4 * RPCRDMA2_DEF_INLINE },
	/* pages of a Receive that data can be placed in; 0: no data is placed */
	{ "client_placement_pages", &client_pages, 0,
	  RPCRDMA2_MAX_PLT_PAGES, RPCRDMA2_MAX_PLT_PAGES },
	/* 1: a connection has blocks from the beginning, for its RPCs and a reply of 1 MiB
	 * besides if the device has room, and keeps them
	 */
	{ "client_eager", &xprt_rdma2_eager, 0, 1, 0 },
	/* longest data of a WRITE that is placed, in bytes */
	{ "client_placement_write_max", &xprt_rdma2_write_max, 0, SZ_1M, SZ_1M },
	/* 1: every device counts as hardware where rdma_placement_read_max goes by
	 * that
	 */
	{ "client_placement_hardware", &xprt_rdma2_hardware, 0, 1, 0 },
	/* how data of a WRITE goes, as an XMPTYPE; 0: what costs least */
	{ "client_placement_write_type", &xprt_rdma2_write_type, 0,
	  XMPTYPE_TBSN, 0 },
	/* the same for data of a READ */
	{ "client_placement_read_type", &xprt_rdma2_read_type, 0,
	  XMPTYPE_BYSIZE, 0 },
	/* shortest item that directions are for, in bytes */
	{ "client_placement_minlen", &xprt_rdma2_read_minlen, 0, SZ_1M, 1024 },
	/* with XMPTYPE_BYSIZE: longest item that is placed, in bytes */
	{ "client_placement_dsdov", &xprt_rdma2_read_dsdov, 0, SZ_1M, 16384 },
	/* ranges of directions; 0: one, 1: two halves, 2: for nothing */
	{ "client_placement_ranges", &xprt_rdma2_read_ranges, 0, 2, 0 },
	/* Sends of the longest Call */
	{ "client_continuation_requests", &xprt_rdma2_cont_requests, 1,
	  RPCRDMA2_MAX_XMTS, 20 },
	/* Sends of the longest reply */
	{ "client_continuation_replies", &xprt_rdma2_cont_replies, 1,
	  RPCRDMA2_MAX_XMTS, 20 },
	/* Sends of the longest reverse Call */
	{ "client_continuation_callbacks", &xprt_rdma2_cont_callbacks, 1,
	  RPCRDMA2_MAX_XMTS, 16 },
	/* most Receives of a connection for replies that take several; no more than
	 * 128 on hardware, and on RoCE and InfiniBand
	 */
	{ "client_continuation_recvs", &xprt_rdma2_cont_recvs, 0, 1024, 560 },
	/* length of the server's Receives, in bytes */
	{ "server_recv_size", &rpcrdma2_server_recv_size,
	  RPCRDMA2_DEF_INLINE, RPCRDMA2_MAX_RECV, RPCRDMA2_DEF_INLINE,
	  server_sizes },
	/* how long they may become when a client asks for it */
	{ "server_max_recv_size", &rpcrdma2_server_max_recv_size,
	  RPCRDMA2_DEF_INLINE, RPCRDMA2_MAX_RECV, 4 * RPCRDMA2_DEF_INLINE,
	  server_sizes },
	/* pages of a Receive that data can be placed in; 0: no data is placed */
	{ "server_placement_pages", &server_pages, 0,
	  RPCRDMA2_MAX_PLT_PAGES, RPCRDMA2_MAX_PLT_PAGES },
	/* 1: a connection has blocks for all credits of version 1 from the
	 * beginning, and keeps them
	 */
	{ "server_eager", &rpcrdma2_server_eager, 0, 1, 0 },
	/* Sends of the longest Call */
	{ "server_continuation_requests", &rpcrdma2_server_continuation_requests,
	  1, RPCRDMA2_MAX_XMTS, 20 },
	/* Sends of the longest reply */
	{ "server_continuation_replies", &rpcrdma2_server_continuation_replies,
	  1, RPCRDMA2_MAX_XMTS, 20 },
	/* how long a message may be incomplete, at either end, in seconds */
	{ "continuation_timeout", &rpcrdma2_continuation_timeout, 1, 3600, 30 },
	/* interval in which memory of idle connections is looked at, in milliseconds; one
	 * that is idle for 20 of them gives some back
	 */
	{ "memory_interval", &rpcrdma2_memory_interval, 50, 60000, 250 },
	/* order of the largest piece of memory that Receives are made of */
	{ "placement_order", &rpcrdma2_block_order, 0, 8, RPCRDMA2_BLOCK_ORDER },
};

/* Section: parameters of the module */

static int rpcrdma2_set_version(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 1, RPCRDMA2_VERSION);
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

/* Section: sysctls */

static struct ctl_table rpcrdma2_client_table[ARRAY_SIZE(rpcrdma2_client_settings)];
static struct ctl_table rpcrdma2_server_table[ARRAY_SIZE(rpcrdma2_server_settings)];
static struct ctl_table_header *rpcrdma2_client_header;
static struct ctl_table_header *rpcrdma2_server_header;

static int rpcrdma2_setting_sysctl(const struct ctl_table *table, int write,
				   void *buffer, size_t *lenp, loff_t *ppos)
{
	const struct rpcrdma2_setting *setting =
		container_of(table->extra1, struct rpcrdma2_setting, min);
	int rc = proc_douintvec_minmax(table, write, buffer, lenp, ppos);

	if (write && !rc && setting->changed)
		setting->changed(READ_ONCE(*setting->value));
	return rc;
}

static void rpcrdma2_settings_begin(const struct rpcrdma2_setting *settings,
				    size_t count)
{
	for (; count--; settings++)
		if (!*settings->value)
			*settings->value = settings->dflt;
}

static struct ctl_table_header *
rpcrdma2_settings_sysctls(const char *folder, struct ctl_table *table,
			  struct rpcrdma2_setting *settings, size_t count)
{
	size_t n;

	rpcrdma2_settings_begin(settings, count);
	for (n = 0; n < count; n++)
		table[n] = (struct ctl_table) {
			.procname	= settings[n].name,
			.data		= settings[n].value,
			.maxlen		= sizeof(unsigned int),
			.mode		= 0644,
			.proc_handler	= rpcrdma2_setting_sysctl,
			.extra1		= &settings[n].min,
			.extra2		= &settings[n].max,
		};
	return register_sysctl_sz(folder, table, count);
}

/* Section: debugfs */

static int rpcrdma2_setting_get(void *data, u64 *value)
{
	const struct rpcrdma2_setting *setting = data;

	*value = READ_ONCE(*setting->value);
	return 0;
}

static int rpcrdma2_setting_set(void *data, u64 value)
{
	const struct rpcrdma2_setting *setting = data;

	if (value < setting->min || value > setting->max)
		return -EINVAL;
	WRITE_ONCE(*setting->value, value);
	if (setting->changed)
		setting->changed(value);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(rpcrdma2_setting_fops, rpcrdma2_setting_get,
			 rpcrdma2_setting_set, "%llu\n");

static void rpcrdma2_settings_debugfs(struct dentry *dir)
{
	struct rpcrdma2_setting *setting = rpcrdma2_test_settings;
	size_t n;

	dir = debugfs_create_dir("settings", dir);
	for (n = 0; n < ARRAY_SIZE(rpcrdma2_test_settings); n++, setting++)
		debugfs_create_file_unsafe(setting->name, 0600, dir, setting,
					   &rpcrdma2_setting_fops);
}

/* Section: all of it */

/**
 * xprt_rdma2_place_pages - pages of a client's Receive that data is placed in
 *
 * Return: their number, 0 if there are to be none
 */
unsigned int xprt_rdma2_place_pages(void)
{
	return READ_ONCE(xprt_rdma2_place_mem_kb) ? READ_ONCE(client_pages) : 0;
}

/**
 * rpcrdma2_server_placement_pages - pages of a server's Receive that data is
 *	placed in
 *
 * Return: their number, 0 if there are to be none
 */
unsigned int rpcrdma2_server_placement_pages(void)
{
	return READ_ONCE(rpcrdma2_server_placement_mem_kb) ?
	       READ_ONCE(server_pages) : 0;
}

/**
 * rpcrdma2_settings_init - have everything begin with its default, and be set
 * @dir: folder of debugfs
 *
 * Nothing depends on success: what cannot be set keeps its default.
 */
void rpcrdma2_settings_init(struct dentry *dir)
{
	rpcrdma2_settings_begin(rpcrdma2_test_settings,
				ARRAY_SIZE(rpcrdma2_test_settings));
	rpcrdma2_client_header =
		rpcrdma2_settings_sysctls("sunrpc", rpcrdma2_client_table,
					  rpcrdma2_client_settings,
					  ARRAY_SIZE(rpcrdma2_client_settings));
	rpcrdma2_server_header =
		rpcrdma2_settings_sysctls("sunrpc/svc_rdma",
					  rpcrdma2_server_table,
					  rpcrdma2_server_settings,
					  ARRAY_SIZE(rpcrdma2_server_settings));
	if (IS_ENABLED(CONFIG_SUNRPC_XPRT_RDMA_V2_TEST))
		rpcrdma2_settings_debugfs(dir);
}

/**
 * rpcrdma2_settings_cleanup - undo rpcrdma2_settings_init()
 *
 * The folder of debugfs goes as a whole.
 */
void rpcrdma2_settings_cleanup(void)
{
	unregister_sysctl_table(rpcrdma2_server_header);
	unregister_sysctl_table(rpcrdma2_client_header);
}
