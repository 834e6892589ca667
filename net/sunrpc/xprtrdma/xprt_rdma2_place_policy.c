// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: what an administrator can set about data
 * that travels in Sends.
 *
 * Memory is looked at when a connection is made, everything else for each
 * Call. Kinds of placement, and where they hold, are chosen well as they are;
 * that they can be set is for tests.
 */

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sysctl.h>

#include "xprt_rdma2_place.h"

/* Pages of each Receive that data can be placed in; 0: no placement */
unsigned int xprt_rdma2_place_pages = RPCRDMA2_MAX_PLT_PAGES;
/* Memory that all connections together may take for that */
unsigned int xprt_rdma2_place_mem_kb = 128 * 1024;

/* Lengths of data, in bytes. Shorter data goes inline: the zeros in front of
 * placed data are worth nothing, and data of READs is copied either way, so that
 * it takes more of it to make up for the work of placing. Longer data goes by
 * RDMA Read and Write.
 */
unsigned int xprt_rdma2_write_min = 2048;
unsigned int xprt_rdma2_write_max = XPRT_RDMA2_MAX_PLACED;
unsigned int xprt_rdma2_read_min = 16384;
unsigned int xprt_rdma2_read_max = XPRT_RDMA2_MAX_PLACED;

/* For tests: enum rpcrdma2_xmptype, or 0 for what costs least */
unsigned int xprt_rdma2_write_type;
unsigned int xprt_rdma2_read_type;
/* For tests: fields of the directions */
unsigned int xprt_rdma2_read_minlen = 1024;
unsigned int xprt_rdma2_read_dsdov = 16384;
unsigned int xprt_rdma2_read_ranges = XPRT_RDMA2_RANGE_WHOLE;

/* Transmissions of a Call, of a reply, and of a reverse Call, at most; 1: none
 * takes several
 */
unsigned int xprt_rdma2_cont_requests = 20;
unsigned int xprt_rdma2_cont_replies = 20;
unsigned int xprt_rdma2_cont_callbacks = 16;
/* Receives of each connection for replies that take several */
unsigned int xprt_rdma2_cont_recvs = 128;
/* How long a message may take to come, in seconds */
unsigned int xprt_rdma2_cont_timeout = 30;

module_param_named(client_placement_pages, xprt_rdma2_place_pages, uint, 0644);
MODULE_PARM_DESC(client_placement_pages,
		 "Pages of a client's Receive that data can be placed in (0: no placement)");
module_param_named(client_placement_mem_kb, xprt_rdma2_place_mem_kb, uint, 0644);
MODULE_PARM_DESC(client_placement_mem_kb,
		 "KiB that all client connections together may take for placement");

module_param_named(client_continuation_requests, xprt_rdma2_cont_requests, uint,
		   0644);
MODULE_PARM_DESC(client_continuation_requests,
		 "Transmissions that a client's request may take (1: no groups)");
module_param_named(client_continuation_replies, xprt_rdma2_cont_replies, uint,
		   0644);
MODULE_PARM_DESC(client_continuation_replies,
		 "Transmissions that the reply to a client may take (1: no groups)");

static unsigned int max_xmts = RPCRDMA2_MAX_XMTS;
static unsigned int max_recvs = 1024;
static unsigned int max_seconds = 3600;
static unsigned int max_pages = RPCRDMA2_MAX_PLT_PAGES;
static unsigned int max_kb = INT_MAX / 1024;
static unsigned int max_length = XPRT_RDMA2_MAX_PLACED;
static unsigned int max_write_type = XMPTYPE_TBSN;
static unsigned int max_read_type = XMPTYPE_BYSIZE;
static unsigned int max_ranges = XPRT_RDMA2_RANGE_EMPTY;

#define XPRT_RDMA2_KNOB(name, variable, most)		\
	{						\
		.procname	= name,			\
		.data		= &(variable),		\
		.maxlen		= sizeof(unsigned int),	\
		.mode		= 0644,			\
		.proc_handler	= proc_douintvec_minmax,\
		.extra1		= SYSCTL_ZERO,		\
		.extra2		= &(most),		\
	}

static struct ctl_table xprt_rdma2_place_table[] = {
	XPRT_RDMA2_KNOB("rdma_placement_pages", xprt_rdma2_place_pages, max_pages),
	XPRT_RDMA2_KNOB("rdma_placement_mem_kb", xprt_rdma2_place_mem_kb, max_kb),
	XPRT_RDMA2_KNOB("rdma_placement_write_min", xprt_rdma2_write_min,
			max_length),
	XPRT_RDMA2_KNOB("rdma_placement_write_max", xprt_rdma2_write_max,
			max_length),
	XPRT_RDMA2_KNOB("rdma_placement_read_min", xprt_rdma2_read_min, max_length),
	XPRT_RDMA2_KNOB("rdma_placement_read_max", xprt_rdma2_read_max, max_length),
	XPRT_RDMA2_KNOB("rdma_placement_write_type", xprt_rdma2_write_type,
			max_write_type),
	XPRT_RDMA2_KNOB("rdma_placement_read_type", xprt_rdma2_read_type,
			max_read_type),
	XPRT_RDMA2_KNOB("rdma_placement_minlen", xprt_rdma2_read_minlen,
			max_length),
	XPRT_RDMA2_KNOB("rdma_placement_dsdov", xprt_rdma2_read_dsdov, max_length),
	XPRT_RDMA2_KNOB("rdma_placement_ranges", xprt_rdma2_read_ranges,
			max_ranges),
	XPRT_RDMA2_KNOB("rdma_continuation_requests", xprt_rdma2_cont_requests,
			max_xmts),
	XPRT_RDMA2_KNOB("rdma_continuation_replies", xprt_rdma2_cont_replies,
			max_xmts),
	XPRT_RDMA2_KNOB("rdma_continuation_callbacks",
			xprt_rdma2_cont_callbacks, max_xmts),
	XPRT_RDMA2_KNOB("rdma_continuation_recvs", xprt_rdma2_cont_recvs,
			max_recvs),
	XPRT_RDMA2_KNOB("rdma_continuation_timeout", xprt_rdma2_cont_timeout,
			max_seconds),
};

static struct ctl_table_header *xprt_rdma2_place_header;

/**
 * xprt_rdma2_place_policy_init - make what can be set visible under /proc/sys
 */
void xprt_rdma2_place_policy_init(void)
{
	xprt_rdma2_place_header = register_sysctl("sunrpc",
						  xprt_rdma2_place_table);
}

/**
 * xprt_rdma2_place_policy_cleanup - undo xprt_rdma2_place_policy_init()
 */
void xprt_rdma2_place_policy_cleanup(void)
{
	unregister_sysctl_table(xprt_rdma2_place_header);
}
