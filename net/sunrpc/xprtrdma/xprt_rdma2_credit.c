// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: credits and posted Receives.
 *
 * Forward credits are the transport's congestion window: sunrpc lets as many
 * Calls out as the server has granted. What must be ready to be received is
 * a reply to each of these, as many reverse Calls as this end has granted,
 * and the control messages that need no credit (D-18).
 */

#include <linux/sunrpc/svc_rdma.h>

#include "xprt_rdma.h"

/**
 * xprt_rdma2_reverse_grant - how many reverse Calls the server may send
 * @r_xprt: transport
 *
 * Return: the value for rdma_credit in what is sent in REPLY direction; never
 * zero
 */
u32 xprt_rdma2_reverse_grant(struct rpcrdma_xprt *r_xprt)
{
	u32 grant = max_t(u32, r_xprt->rx_buf.rb_bc_srv_max_requests, 1);

	WRITE_ONCE(r_xprt->rx_v2.vx_conn.cn_reverse_grant, grant);
	return grant;
}

/**
 * xprt_rdma2_recvs_needed - how many Receives have to be posted
 * @r_xprt: transport
 * @credits: forward credits in force, or about to be
 *
 * A grant that was lowered does not call back the Calls under way. Twice the
 * reverse grant is what version 1 keeps, too: a reverse Call that waits for
 * the upper layer holds its buffer.
 *
 * Return: a number of Receives (D-18)
 */
static int xprt_rdma2_recvs_needed(struct rpcrdma_xprt *r_xprt, u32 credits)
{
	u32 outstanding = READ_ONCE(r_xprt->rx_xprt.cong) >> RPC_CWNDSHIFT;

	return max(credits, outstanding) +
	       (xprt_rdma2_reverse_grant(r_xprt) << 1) +
	       RPCRDMA2_CTRL_RECVS;
}

/**
 * xprt_rdma2_post_recvs - replace consumed Receives
 * @r_xprt: transport
 *
 * Context: receive handler; every message ends with this, whatever its
 * direction
 */
void xprt_rdma2_post_recvs(struct rpcrdma_xprt *r_xprt)
{
	rpcrdma_post_recvs(r_xprt,
			   xprt_rdma2_recvs_needed(r_xprt,
						   r_xprt->rx_buf.rb_credits));
}

/**
 * xprt_rdma2_take_grant - obey a credit grant
 * @r_xprt: transport
 * @credit: rdma_credit of a message in REPLY direction, as received
 *
 * The Receives for the replies are posted before the first Call can leave
 * that makes use of the grant.
 *
 * Context: receive handler
 */
void xprt_rdma2_take_grant(struct rpcrdma_xprt *r_xprt, u32 credit)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	u32 grant;

	grant = rpcrdma2_clamp_credit(conn, credit,
				      r_xprt->rx_ep->re_max_requests);
	if (grant == r_xprt->rx_buf.rb_credits)
		return;
	rpcrdma_post_recvs(r_xprt, xprt_rdma2_recvs_needed(r_xprt, grant));
	rpcrdma_update_cwnd(r_xprt, grant);
	WRITE_ONCE(conn->cn_grant, grant);
}
