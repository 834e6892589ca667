// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: credits that no RPC holds.
 *
 * ROPT_REQXCH is answered, and so takes one of the credits that sunrpc gives to
 * RPCs. A Call keeps its credit until the peer is done with it, even if
 * its caller gives it up. To sunrpc both look like one more RPC.
 */

#include <linux/sunrpc/xprt.h>

#include "rpcrdma2.h"

/**
 * rpcrdma2_credit_get - take a credit, if there is one
 * @credit: where to note it
 * @xprt: transport whose credits are meant, or NULL if no RPC can take any
 * @granted: credits there are; changes under the transport_lock
 * @insist: the caller is going to try again until there is one
 *
 * If there is none, RPCs get one less until there is: they would take every one
 * that becomes free. One that is the only one is left to them.
 *
 * Context: process context
 *
 * Return: %false if all are in use, or @credit holds one
 */
bool rpcrdma2_credit_get(struct rpcrdma2_credit *credit, struct rpc_xprt *xprt,
			 const u32 *granted, bool insist)
{
	struct rpc_rqst *rqst = &credit->cr_rqst;
	bool taken;
	u32 grant;

	if (!xprt)
		return true;
	spin_lock(&xprt->transport_lock);
	grant = READ_ONCE(*granted);
	taken = !rqst->rq_cong &&
		xprt->cong + RPC_CWNDSCALE <= grant << RPC_CWNDSHIFT;
	if (taken) {
		WRITE_ONCE(rqst->rq_xprt, xprt);
		rqst->rq_cong = 1;
		xprt->cong += RPC_CWNDSCALE;
		xprt->cwnd = grant << RPC_CWNDSHIFT;
		credit->cr_wanted = false;
	} else if (insist && !rqst->rq_cong && grant > 1) {
		xprt->cwnd = (grant - 1) << RPC_CWNDSHIFT;
		credit->cr_wanted = true;
	}
	spin_unlock(&xprt->transport_lock);
	return taken;
}

/**
 * rpcrdma2_credit_put - give a credit back
 * @credit: one that may have been taken
 *
 * Wakes whoever waits for it.
 *
 * Context: process context
 */
void rpcrdma2_credit_put(struct rpcrdma2_credit *credit)
{
	struct rpc_xprt *xprt = READ_ONCE(credit->cr_rqst.rq_xprt);

	/* Set once, with the first credit. An answer that comes before that is to
	 * a request that has taken none.
	 */
	if (!xprt)
		return;
	credit->cr_task.tk_rqstp = &credit->cr_rqst;
	spin_lock(&xprt->transport_lock);
	xprt_release_rqst_cong(&credit->cr_task);
	spin_unlock(&xprt->transport_lock);
}

/**
 * rpcrdma2_credit_return - give back a credit whose RPC is gone
 * @credit: stands in for the RPC
 * @xprt: transport whose credit it is
 *
 * Wakes whoever waits for it.
 *
 * Context: the transport_lock is held
 */
void rpcrdma2_credit_return(struct rpcrdma2_credit *credit,
			    struct rpc_xprt *xprt)
{
	lockdep_assert_held(&xprt->transport_lock);

	credit->cr_rqst.rq_xprt = xprt;
	credit->cr_rqst.rq_cong = 1;
	credit->cr_task.tk_rqstp = &credit->cr_rqst;
	xprt_release_rqst_cong(&credit->cr_task);
}
