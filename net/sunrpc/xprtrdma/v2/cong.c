// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: the congestion window of a transport, in credits.
 *
 * To sunrpc each RPC that it lets out has one credit. What else holds some is
 * counted beside it: long messages, our own requests, Calls that were given up.
 * The ledger says how many to take and to give back; nothing else touches
 * xprt->cong and xprt->cwnd.
 */

#include <linux/sunrpc/xprt.h>

#include "conn.h"

/**
 * rpcrdma2_cong_used - how many credits are in use?
 * @xprt: transport
 *
 * Context: the transport_lock is held
 * Return: the number
 */
u32 rpcrdma2_cong_used(const struct rpc_xprt *xprt)
{
	lockdep_assert_held(&xprt->transport_lock);

	return xprt->cong >> RPC_CWNDSHIFT;
}

/**
 * rpcrdma2_cong_get - take credits, all or none
 * @xprt: transport
 * @credits: how many
 *
 * Context: the transport_lock is held
 * Return: %false if not as many are free
 */
bool rpcrdma2_cong_get(struct rpc_xprt *xprt, u32 credits)
{
	unsigned long cong = (unsigned long)credits << RPC_CWNDSHIFT;

	lockdep_assert_held(&xprt->transport_lock);

	if (xprt->cong + cong > xprt->cwnd)
		return false;
	xprt->cong += cong;
	return true;
}

/* Give one credit back, and wake whoever waits for it. sunrpc has no other way to do
 * that than to release a request, so the credit goes with a stand-in, of which
 * sunrpc looks at nothing but what is set here. Not inline: kernels that clear the
 * stack would clear both on each way through rpcrdma2_cong_put().
 */
static noinline void rpcrdma2_cong_wake(struct rpc_xprt *xprt)
{
	struct rpc_rqst rqst;
	struct rpc_task task;

	rqst.rq_xprt = xprt;
	rqst.rq_cong = 1;
	rqst.rq_task = NULL;
	task.tk_rqstp = &rqst;
	xprt_release_rqst_cong(&task);
}

/**
 * rpcrdma2_cong_put - give credits back
 * @xprt: transport
 * @credits: how many
 *
 * Wakes whoever waits for them. Who has found none has set XPRT_CWND_WAIT.
 *
 * Context: the transport_lock is held
 */
void rpcrdma2_cong_put(struct rpc_xprt *xprt, u32 credits)
{
	lockdep_assert_held(&xprt->transport_lock);

	xprt->cong -= (unsigned long)credits << RPC_CWNDSHIFT;
	if (!credits || !test_bit(XPRT_CWND_WAIT, &xprt->state))
		return;
	xprt->cong += RPC_CWNDSCALE;
	rpcrdma2_cong_wake(xprt);
}

/**
 * rpcrdma2_cong_keep - let a Call leave its credit behind
 * @rqst: the Call
 *
 * Context: the transport_lock is held
 */
void rpcrdma2_cong_keep(struct rpc_rqst *rqst)
{
	lockdep_assert_held(&rqst->rq_xprt->transport_lock);

	rqst->rq_cong = 0;
}

/**
 * rpcrdma2_cong_nudge - have those who wait for credits look again
 * @xprt: transport
 *
 * They may be waiting for a Call that does not return any now, or behind one
 * that does not wait any more.
 *
 * Context: the transport_lock is held
 */
void rpcrdma2_cong_nudge(struct rpc_xprt *xprt)
{
	xprt->cong += RPC_CWNDSCALE;
	rpcrdma2_cong_put(xprt, 1);
}

/**
 * rpcrdma2_cong_window - set how many credits may be in use
 * @xprt: transport
 * @credits: the number
 *
 * Where it grows, whoever waits for credits looks again: nobody need return
 * one behind this.
 *
 * Context: the transport_lock is held
 */
void rpcrdma2_cong_window(struct rpc_xprt *xprt, u32 credits)
{
	unsigned long cwnd = (unsigned long)credits << RPC_CWNDSHIFT;
	bool grows = cwnd > xprt->cwnd;

	lockdep_assert_held(&xprt->transport_lock);

	xprt->cwnd = cwnd;
	if (grows)
		rpcrdma2_cong_nudge(xprt);
}

/**
 * rpcrdma2_cong_unwanted - no request of this end waits for a credit any more
 * @xprt: transport
 * @l: its ledger
 *
 * RPCs may have the one that was kept from them.
 *
 * Context: process context
 */
void rpcrdma2_cong_unwanted(struct rpc_xprt *xprt, struct rpcrdma2_ledger *l)
{
	spin_lock(&xprt->transport_lock);
	if (rpcrdma2_ledger_control_forget(l))
		rpcrdma2_cong_window(xprt, rpcrdma2_ledger_window(l));
	spin_unlock(&xprt->transport_lock);
}
