// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: credits and Receives of long messages.
 *
 * To sunrpc every Call has one credit. What a group takes in addition is
 * counted in the congestion value of the transport beside it, and given back
 * one by one, so that whoever waits is woken. How that comes about is in
 * xprt_rdma2_calls.c. All of this is protected by the transport_lock.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "xprt_rdma.h"
#include "xprt_rdma2_place.h"

/**
 * xprt_rdma2_lender_stock - Receives for long replies are posted
 * @r_xprt: transport
 * @recvs: how many
 *
 * Context: receive handler
 */
void xprt_rdma2_lender_stock(struct rpcrdma_xprt *r_xprt, u32 recvs)
{
	spin_lock(&r_xprt->rx_xprt.transport_lock);
	r_xprt->rx_v2.vx_lender.recvs = recvs;
	spin_unlock(&r_xprt->rx_xprt.transport_lock);
}

/**
 * __xprt_rdma2_loan_undo - a Call was not sent, or is not going to be
 * @r_xprt: transport, transport_lock held
 * @req: the Call
 */
void __xprt_rdma2_loan_undo(struct rpcrdma_xprt *r_xprt,
			    struct rpcrdma_req *req)
{
	struct rpcrdma2_lender *lender = &r_xprt->rx_v2.vx_lender;
	struct rpcrdma2_loan loan;

	rpcrdma2_loan_leave(lender, &req->rl_v2_loan, &loan);
	rpcrdma2_lend_back(lender, loan.credits, loan.recvs);
	xprt_rdma2_release_credits(r_xprt, loan.credits);
}

/**
 * xprt_rdma2_loan_begin - a Call is about to be prepared
 * @r_xprt: transport
 * @req: the Call
 *
 * Context: the transport's send lock is held: Calls are sent in the order in
 * which this is called
 */
void xprt_rdma2_loan_begin(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req)
{
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;

	spin_lock(&xprt->transport_lock);
	__xprt_rdma2_loan_undo(r_xprt, req);
	rpcrdma2_loan_begin(xprt->connect_cookie,
			    rpcrdma2_calls_next(&r_xprt->rx_v2.vx_calls),
			    &req->rl_v2_loan);
	spin_unlock(&xprt->transport_lock);
}

/**
 * xprt_rdma2_lend - lend all that a Call needs, or nothing
 * @r_xprt: transport
 * @req: the Call, which holds a credit
 * @credits: how many more it needs
 * @recvs: how many Receives more than one its reply may take
 *
 * Context: the transport's send lock is held
 *
 * Return: RPCRDMA2_LENT, or why not
 */
enum rpcrdma2_refusal xprt_rdma2_lend(struct rpcrdma_xprt *r_xprt,
				      struct rpcrdma_req *req, u32 credits,
				      u32 recvs)
{
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;
	enum rpcrdma2_refusal why;

	spin_lock(&xprt->transport_lock);
	why = rpcrdma2_lend(&r_xprt->rx_v2.vx_lender,
			    xprt->cwnd >> RPC_CWNDSHIFT,
			    xprt->cong >> RPC_CWNDSHIFT, credits, recvs,
			    &req->rl_v2_loan);
	if (why == RPCRDMA2_LENT)
		xprt->cong += credits << RPC_CWNDSHIFT;
	spin_unlock(&xprt->transport_lock);
	return why;
}

/**
 * xprt_rdma2_loan_undo - a Call is not going to be sent as it was planned
 * @r_xprt: transport
 * @req: the Call
 *
 * Context: the transport's send lock is held
 */
void xprt_rdma2_loan_undo(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req)
{
	spin_lock(&r_xprt->rx_xprt.transport_lock);
	__xprt_rdma2_loan_undo(r_xprt, req);
	spin_unlock(&r_xprt->rx_xprt.transport_lock);
}

/**
 * xprt_rdma2_loan_drained - no more of a reply comes that was to be discarded
 * @r_xprt: transport
 *
 * Context: receive handler
 */
void xprt_rdma2_loan_drained(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_lender *lender = &r_xprt->rx_v2.vx_lender;

	/* Changes under the lock, mostly in this context. What a task leaves
	 * behind meanwhile the next message takes care of.
	 */
	if (!data_race(READ_ONCE(lender->behind)))
		return;
	spin_lock(&r_xprt->rx_xprt.transport_lock);
	rpcrdma2_lend_drained(lender);
	spin_unlock(&r_xprt->rx_xprt.transport_lock);
}
