// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: what is set up once for the module.
 */

#include <linux/module.h>

#include "rpcrdma2.h"
#include "svc_rdma2.h"
#include "xprt_rdma2_place.h"

#define CREATE_TRACE_POINTS
#include <trace/events/rpcrdma2.h>

/**
 * rpcrdma2_init - set up what both ends share
 */
void rpcrdma2_init(void)
{
	rpcrdma2_policy_init();
	xprt_rdma2_place_policy_init();
	rpcrdma2_debugfs_init();
	svc_rdma2_init();
}

/**
 * rpcrdma2_cleanup - undo rpcrdma2_init()
 *
 * Context: no transport of either end is left
 */
void rpcrdma2_cleanup(void)
{
	svc_rdma2_cleanup();
	rpcrdma2_debugfs_cleanup();
	xprt_rdma2_place_policy_cleanup();
	rpcrdma2_policy_cleanup();
}
