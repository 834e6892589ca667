// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: credits and posted Receives.
 *
 * Forward credits are the transport's congestion window: sunrpc lets as many
 * Calls out as the server has granted. What must be ready to be received is
 * a reply to each of these, as many reverse Calls as this end has granted,
 * and the control messages that need no credit (D-18). A Call that was given
 * up keeps its share of that window: xprt_rdma2_calls.c.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "xprt_rdma.h"
#include "xprt_rdma2_place.h"

/*
 * Section: reverse credits
 *
 * They have nothing to do with the congestion window. What is granted is what
 * the server has asked for last, as far as Receives have been posted for it.
 */

/**
 * xprt_rdma2_reverse_limit - how many reverse Calls are prepared for
 * @r_xprt: transport
 *
 * Return: a number of Calls, at least 1
 */
static u32 xprt_rdma2_reverse_limit(const struct rpcrdma_xprt *r_xprt)
{
	return max_t(u32, r_xprt->rx_buf.rb_bc_srv_max_requests, 1);
}

/**
 * xprt_rdma2_reverse_grant - how many reverse Calls the server may send
 * @r_xprt: transport
 *
 * Return: the value for rdma_credit in what is sent in REPLY direction; never
 * zero
 */
u32 xprt_rdma2_reverse_grant(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	u32 grant;

	spin_lock(&vx->vx_conn.cn_lock);
	grant = min(vx->vx_bc_wanted, vx->vx_bc_posted);
	vx->vx_bc_granted = max(vx->vx_bc_granted, grant);
	spin_unlock(&vx->vx_conn.cn_lock);

	WRITE_ONCE(vx->vx_conn.cn_reverse_grant, grant);
	return grant;
}

/**
 * xprt_rdma2_bc_reset - start with the reverse credits of a new connection
 * @r_xprt: transport that is about to connect
 *
 * Each direction starts at one (D-12). Reverse Calls of the connection before
 * that are still under way do not count any more.
 *
 * Context: connect worker, which steps the connect cookie when it is done
 */
void xprt_rdma2_bc_reset(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;

	spin_lock(&vx->vx_conn.cn_lock);
	vx->vx_bc_cookie = r_xprt->rx_xprt.connect_cookie + 1;
	vx->vx_bc_wanted = 1;
	vx->vx_bc_posted = 1;
	vx->vx_bc_granted = 1;
	vx->vx_bc_used = 0;
	spin_unlock(&vx->vx_conn.cn_lock);
}

/**
 * xprt_rdma2_bc_begin - account for a reverse Call
 * @r_xprt: transport
 * @wanted: rdma_credit of the Call, as received
 * @count: transmissions that it takes
 *
 * Context: receive handler
 *
 * Return: false if the server has no credit left (A-28, D-15)
 */
bool xprt_rdma2_bc_begin(struct rpcrdma_xprt *r_xprt, u32 wanted, u32 count)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	bool covered;

	wanted = rpcrdma2_clamp_credit(&vx->vx_conn, wanted,
				       xprt_rdma2_reverse_limit(r_xprt));
	spin_lock(&vx->vx_conn.cn_lock);
	vx->vx_bc_wanted = wanted;
	covered = vx->vx_bc_used < vx->vx_bc_granted &&
		  count <= vx->vx_bc_granted - vx->vx_bc_used;
	if (covered) {
		vx->vx_bc_used += count;
		rpcrdma2_conn_reverse_used(&vx->vx_conn, vx->vx_bc_used);
	}
	spin_unlock(&vx->vx_conn.cn_lock);
	return covered;
}

/**
 * __xprt_rdma2_bc_unused - release reverse credits
 * @vx: transport, cn_lock held
 * @count: how many
 */
static void __xprt_rdma2_bc_unused(struct xprt_rdma2 *vx, u32 count)
{
	vx->vx_bc_used -= min(vx->vx_bc_used, count);
	rpcrdma2_conn_reverse_used(&vx->vx_conn, vx->vx_bc_used);
}

/**
 * xprt_rdma2_bc_end - a reverse Call does not hold its credit any more
 * @r_xprt: transport
 * @req: the Call; its reply is about to be posted, or it never will be
 *
 * Context: process context
 */
void xprt_rdma2_bc_end(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;

	spin_lock(&vx->vx_conn.cn_lock);
	if (req->rl_bc_open && req->rl_bc_cookie == vx->vx_bc_cookie)
		__xprt_rdma2_bc_unused(vx, req->rl_bc_credits);
	req->rl_bc_open = false;
	spin_unlock(&vx->vx_conn.cn_lock);
}

/**
 * xprt_rdma2_bc_unused - a reverse Call has come to nothing
 * @r_xprt: transport
 * @count: transmissions that it takes
 *
 * Context: receive handler
 */
void xprt_rdma2_bc_unused(struct rpcrdma_xprt *r_xprt, u32 count)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;

	spin_lock(&vx->vx_conn.cn_lock);
	__xprt_rdma2_bc_unused(vx, count);
	spin_unlock(&vx->vx_conn.cn_lock);
}

/*
 * Section: forward credits and Receives
 */

/**
 * xprt_rdma2_recvs_needed - how many Receives have to be posted
 * @r_xprt: transport
 * @credits: forward credits in force, or about to be
 * @reverse: reverse Calls to prepare for
 *
 * A grant that was lowered does not call back the Calls under way, and one of
 * reverse credits may be raised with the next reply.
 *
 * Return: a number of Receives (D-18)
 */
static int xprt_rdma2_recvs_needed(struct rpcrdma_xprt *r_xprt, u32 credits,
				   u32 reverse)
{
	u32 outstanding;

	/* sunrpc changes it under the transport_lock. It goes beyond @credits
	 * only where a grant was lowered by this very context, and then it only
	 * falls: a look that is late asks for too many Receives.
	 */
	outstanding = data_race(READ_ONCE(r_xprt->rx_xprt.cong)) >>
		      RPC_CWNDSHIFT;
	return max(credits, outstanding) + reverse + RPCRDMA2_CTRL_RECVS;
}

/**
 * xprt_rdma2_long_recvs - how many Receives are for replies that take several
 * @r_xprt: transport
 *
 * Return: a number of Receives beyond one for each credit (C-17)
 */
static u32 xprt_rdma2_long_recvs(const struct rpcrdma_xprt *r_xprt)
{
	const struct xprt_rdma2_place *vp = r_xprt->rx_ep->re_v2->ve_place;

	return vp ? vp->vp_recvs : 0;
}

/**
 * xprt_rdma2_post_for - post Receives
 * @r_xprt: transport
 * @credits: forward credits in force, or about to be
 *
 * The limit to reverse Calls is raised when somebody serves them, which may
 * be long after the connection was made. What is granted follows the Receives,
 * and so does what is lent to replies that take several.
 *
 * Context: receive handler
 *
 * Return: how many Receives are missing, for want of memory
 */
static u32 xprt_rdma2_post_for(struct rpcrdma_xprt *r_xprt, u32 credits)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	u32 reverse = xprt_rdma2_reverse_limit(r_xprt);
	int needed = xprt_rdma2_recvs_needed(r_xprt, credits, reverse);
	u32 extra, spare;
	int missing;

	extra = xprt_rdma2_long_recvs(r_xprt);
	rpcrdma_post_recvs(r_xprt, needed + extra);
	missing = needed - r_xprt->rx_ep->re_receive_count;
	spare = clamp_t(int, -missing, 0, extra);
	if (vx->vx_lender.recvs != spare)
		xprt_rdma2_lender_stock(r_xprt, spare);
	if (missing > 0)
		return missing;
	if (reverse != vx->vx_bc_posted) {
		spin_lock(&vx->vx_conn.cn_lock);
		vx->vx_bc_posted = reverse;
		spin_unlock(&vx->vx_conn.cn_lock);
	}
	return 0;
}

/**
 * xprt_rdma2_covered - how much of a grant Receives are posted for
 * @conn: connection
 * @grant: forward credits
 * @missing: Receives that the grant calls for, and that are not posted
 *
 * Whoever uses fewer credits needs fewer Receives.
 *
 * Return: @grant, or less of it, but at least 1
 */
static u32 xprt_rdma2_covered(struct rpcrdma2_conn *conn, u32 grant,
			      u32 missing)
{
	if (likely(!missing))
		return grant;
	rpcrdma2_count(conn, RPCRDMA2_CNT_RECVS_MISSING);
	return grant > missing ? grant - missing : 1;
}

/**
 * xprt_rdma2_post_recvs - replace consumed Receives, and use what they allow
 * @r_xprt: transport
 *
 * The Receives for the replies are posted before the first Call can leave
 * that makes use of a grant. If some cannot be, that much of the grant is left
 * alone until they can.
 *
 * Context: receive handler; every message ends with this, whatever its
 * direction
 */
void xprt_rdma2_post_recvs(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	u32 grant = r_xprt->rx_v2.vx_grant;

	grant = xprt_rdma2_covered(conn, grant,
				   xprt_rdma2_post_for(r_xprt, grant));
	if (grant == r_xprt->rx_buf.rb_credits)
		return;
	rpcrdma_update_cwnd(r_xprt, grant);
	WRITE_ONCE(conn->cn_grant, grant);
}

/**
 * xprt_rdma2_take_grant - obey a credit grant
 * @r_xprt: transport
 * @credit: rdma_credit of a message in REPLY direction, as received
 *
 * Context: receive handler
 */
void xprt_rdma2_take_grant(struct rpcrdma_xprt *r_xprt, u32 credit)
{
	u32 grant = rpcrdma2_clamp_credit(&r_xprt->rx_v2.vx_conn, credit,
					  r_xprt->rx_ep->re_max_requests);

	if (grant == r_xprt->rx_v2.vx_grant)
		return;
	r_xprt->rx_v2.vx_grant = grant;
	xprt_rdma2_post_recvs(r_xprt);
}
