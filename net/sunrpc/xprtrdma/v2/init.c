// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: what is set up once for the module.
 */

#include <linux/module.h>

#include "conn.h"
#include "svc.h"
#include "clnt_place.h"

/**
 * rpcrdma2_init - set up what both ends share
 */
void rpcrdma2_init(void)
{
	rpcrdma2_settings_init(rpcrdma2_debugfs_init());
	xprt_rdma2_clnt_init();
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
	xprt_rdma2_clnt_cleanup();
	rpcrdma2_debugfs_cleanup();
	rpcrdma2_settings_cleanup();
}
