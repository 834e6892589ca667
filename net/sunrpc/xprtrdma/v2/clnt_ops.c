// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: offering it, and falling back.
 *
 * A connection on which version 2 is offered is prepared for both versions:
 * Receives are large enough for either, and the RDMA-CM private data
 * of version 1 is what it always was. The probe then decides, before the
 * transport counts as connected.
 */

#include <linux/slab.h>
#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "clnt_place.h"

/* Credits of a connection with blocks that has no data. A Call that waits has it get
 * more.
 */
enum {
	XPRT_RDMA2_FEW_CREDITS	= 1,
};

/* Section: memory for Receives. A connection joins the pool when it is made. One
 * that turns out to speak version 1 makes its Receives as it needs them, and leaves
 * the pool. One whose Receives are to be of another length has never been in it.
 * Memory goes with the connection: a transport without one has none.
 */

/* Have memory follow the use of a connection. @ep: connection that is being
 * prepared for placement, its queues not made yet. There are at most as many
 * credits as RPCs, and for replies that take several, as many Receives more as
 * the queue has room for. Without memory even for this, Receives are made as they
 * are needed, and are short.
 */
static void xprt_rdma2_memory_init(struct rpcrdma_xprt *r_xprt,
				   struct rpcrdma_ep *ep)
{
	struct xprt_rdma2_placement *vp = ep->re_v2->ve_place;
	/* one entry is for ib_drain_rq() */
	u32 *most, fixed = 0, depth = ep->re_attr.cap.max_recv_wr - 1;
	struct rpcrdma2_memory *me;

	if (!vp)
		return;
	me = &vp->vp_memory;
	vp->vp_life = ++r_xprt->rx_v2.vx_life;
	me->me_block = vp->vp_own.length;
	rpcrdma2_memory_init(me, &r_xprt->rx_v2.vx_conn, &xprt_rdma2_budget,
			     &xprt_rdma2_memory_ops);
	if (READ_ONCE(xprt_rdma2_eager))
		fixed = min_t(u32, depth / 2, ep->re_max_requests +
						READ_ONCE(xprt_rdma2_cont_replies));
	if (rpcrdma2_memory_join(me, (struct sockaddr *)&r_xprt->rx_xprt.addr,
				 XPRT_RDMA2_REVERSE + RPCRDMA2_CTRL_RECVS,
				 fixed) < 0)
		return;
	most = me->me_posted.po_m.most;
	most[RPCRDMA2_POOL_PLAIN] = min_t(u32, most[RPCRDMA2_POOL_PLAIN],
					  ep->re_max_requests);
	rpcrdma2_posted_begin(&me->me_posted, depth);
}

/* Get buffers ready for a connection. @r_xprt: transport that is about to
 * connect. Those of the connection before it that are of no use to this one are
 * freed, while no callback thread gives another one back. Where memory follows use, the
 * first Receives are posted. Returns false then: rpcrdma_post_recvs() would take buffers
 * beside a callback thread that frees them. Context: connect worker; waits for memory,
 * but not for long.
 */
static bool xprt_rdma2_recvs_prepare(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);
	struct rpcrdma2_member *m;

	down_write(&r_xprt->rx_teardown);
	xprt_rdma2_recvs_prune(r_xprt);
	up_write(&r_xprt->rx_teardown);
	if (!me)
		return true;
	m = &me->me_posted.po_m;
	spin_lock(&me->me_budget->bu_lock);
	rpcrdma2_pool_admit(&me->me_budget->bu_pool, m);
	spin_unlock(&me->me_budget->bu_lock);
	xprt_rdma2_memory_shown(me->me_conn, true);
	rpcrdma2_memory_fetch(me, m->kind, m->coming[m->kind]);
	spin_lock(&me->me_conn->cn_lock);
	rpcrdma2_memory_count(me);
	r_xprt->rx_ep->re_receive_count = me->me_posted.po_count;
	spin_unlock(&me->me_conn->cn_lock);
	return false;
}

/* Memory that a buffer takes besides what is received in it. */
static size_t xprt_rdma2_recv_overhead(void)
{
	return kmalloc_size_roundup(sizeof(struct rpcrdma_rep)) +
	       kmalloc_size_roundup(sizeof(struct rpcrdma_regbuf));
}

/* Prepare a transport. @r_xprt: transport that is being set up. */
static void xprt_rdma2_init(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	char name[sizeof(conn->cn_name)];

	snprintf(name, sizeof(name), "%s port %s", rpcrdma_addrstr(r_xprt),
		 rpcrdma_portstr(r_xprt));
	r_xprt->rx_v2.vx_no_bounce = jiffies;
	rpcrdma2_conn_init(conn, name);
	xprt_rdma2_credit_init(r_xprt);
	rpcrdma2_conn_add(conn, RPCRDMA2_CLIENT);
}

/* Undo xprt_rdma2_init(). @r_xprt: transport without a connection. */
static void xprt_rdma2_destroy(struct rpcrdma_xprt *r_xprt)
{
	cancel_delayed_work_sync(&r_xprt->rx_v2.vx_stuck_work);
	rpcrdma2_conn_remove(&r_xprt->rx_v2.vx_conn);
}

/* Make room in the queues of a connection. @ep: connection, its needs for version 1
 * known. Where frwr_query_device() has made the number of requests fit the device,
 * nothing is left: there will be fewer requests. Returns true if the device has room
 * for what version 2 needs in addition.
 */
static bool xprt_rdma2_reserve_wrs(struct rpcrdma_ep *ep)
{
	u32 max_wr = ep->re_id->device->attrs.max_qp_wr;
	struct ib_qp_cap *cap = &ep->re_attr.cap;
	/* The reverse grant is one even where nobody serves callbacks. */
	u32 recvs = cap->max_recv_wr + RPCRDMA2_CTRL_RECVS + 2;
	u32 sends = cap->max_send_wr + XPRT_RDMA2_CTRL_SENDS;
	u32 depth, fewer;

	depth = (cap->max_send_wr - RPCRDMA_BACKWARD_WRS - 1) /
		ep->re_max_requests;
	fewer = max(DIV_ROUND_UP(sends - min(sends, max_wr), depth),
		    recvs - min(recvs, max_wr));
	if (fewer && ep->re_max_requests < fewer + RPCRDMA_MIN_SLOT_TABLE)
		return false;
	cap->max_send_wr = sends - fewer * depth;
	cap->max_recv_wr = recvs - fewer;
	ep->re_max_requests -= fewer;
	return true;
}

/* Prepare a connection for version 2. @ep: connection that is being prepared; its
 * device has been queried, and re_max_requests may become less. Without success, or
 * without the wish to offer version 2, the connection is one of version 1 and has no
 * trace of this. From here on a loss of the connection must not close the transport,
 * but only end the probe: rpcrdma_force_disconnect() is held back until
 * xprt_rdma2_open_gate().
 */
static void xprt_rdma2_ep_create(struct rpcrdma_xprt *r_xprt, struct rpcrdma_ep *ep)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	struct xprt_rdma2_ep *ve;

	if (!r_xprt->rx_v2.vx_offer)
		return;
	ve = kzalloc_obj(*ve, XPRT_RDMA2_GFP);
	if (!ve)
		goto out_none;
	ve->ve_ep = ep;
	ve->ve_conn = conn;
	ve->ve_out = kvzalloc_obj(*ve->ve_out, XPRT_RDMA2_GFP);
	if (!ve->ve_out || xprt_rdma2_ctrl_create(ve) ||
	    !xprt_rdma2_reserve_wrs(ep))
		goto out_free;

	atomic_set(&ep->re_force_disconnect, 1);
	ep->re_v2 = ve;
	/* ORDER: re_v2 before the table that needs it. Pairs with the barrier in
	 * xprt_rdma2_lost(): the device may be removed meanwhile.
	 */
	smp_store_release(&ep->re_vops, &xprt_rdma2_probe_ops);
	xprt_rdma2_place_create(r_xprt, ep);
	xprt_rdma2_memory_init(r_xprt, ep);
	xprt_rdma2_group_init(ve);
	xprt_rdma2_xchar_init(ep);
	return;

out_free:
	xprt_rdma2_ctrl_destroy(ve);
	kvfree(ve->ve_out);
	kfree(ve);
out_none:
	rpcrdma2_conn_set_version(conn, 1, RPCRDMA2_WHY_DEVICE);
}

/* Let a loss of the connection close the transport. @ep: connection whose version is
 * settled. Returns 0, or -ENOTCONN if the connection was lost before.
 */
static int xprt_rdma2_open_gate(struct rpcrdma_ep *ep)
{
	/* ORDER: the gate before ve_lost; xchg is fully ordered. Whoever finds
	 * the gate closed has set ve_lost before.
	 */
	atomic_xchg(&ep->re_force_disconnect, 0);
	if (READ_ONCE(ep->re_v2->ve_lost) || READ_ONCE(ep->re_connect_status) != 1)
		return -ENOTCONN;
	return 0;
}

/* Do without version 2 for some time. */
static void xprt_rdma2_assume_v1(struct xprt_rdma2 *vx)
{
	vx->vx_losses = 0;
	vx->vx_assume_v1 = ktime_get_seconds();
}

/* Is it still too early for another probe? Returns true if version 1 is assumed for
 * this connection, too.
 */
static bool xprt_rdma2_assumes_v1(struct xprt_rdma2 *vx)
{
	time64_t since = ktime_get_seconds() - vx->vx_assume_v1;

	if (vx->vx_assume_v1 && since > READ_ONCE(rpcrdma2_client_probe_again))
		vx->vx_assume_v1 = 0;
	return vx->vx_assume_v1;
}

/* Remember that a probe was not answered. One crash during a probe must not bind a
 * mount to version 1 for long: a server that has spoken version 2 has to fail twice
 * in a row. Returns true if version 1 is to be assumed from now on.
 */
static bool xprt_rdma2_unanswered(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;

	vx->vx_losses++;
	if (vx->vx_spoken && vx->vx_losses < 2)
		return false;
	xprt_rdma2_assume_v1(vx);
	return true;
}

/* Decide whether to offer version 2. @r_xprt: transport about to connect. A
 * connection that was lost between ERR_VERS and the first reply counts against
 * version 2, too (B-88).
 */
static void xprt_rdma2_decide(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	bool assumed;

	rpcrdma2_conn_reset(&vx->vx_conn);
	xprt_rdma2_credit_reset(r_xprt);
	if (vx->vx_refused) {
		if (vx->vx_refused_recvs == r_xprt->rx_xprt.stat.recvs)
			xprt_rdma2_unanswered(r_xprt);
		else
			vx->vx_losses = 0;
		vx->vx_refused = false;
	}

	if (vx->vx_stranger) {
		vx->vx_stranger = false;
		xprt_rdma2_assume_v1(vx);
	}
	assumed = xprt_rdma2_assumes_v1(vx);
	vx->vx_offer = READ_ONCE(rpcrdma2_client_max_version) >=
		       RPCRDMA2_VERSION && !assumed;
	if (!vx->vx_offer)
		rpcrdma2_conn_set_version(&vx->vx_conn, 1, assumed ?
					  RPCRDMA2_WHY_ASSUMED :
					  RPCRDMA2_WHY_DISABLED);
}

/* Remember how a probe ended that was answered. */
static void xprt_rdma2_remember(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;

	/* Of version 2, the first reply may just have opened the window. */
	if (READ_ONCE(r_xprt->rx_ep->re_v2->ve_state) == XPRT_RDMA2_V1) {
		vx->vx_refused = true;
		vx->vx_refused_recvs = r_xprt->rx_xprt.stat.recvs;
		return;
	}
	vx->vx_losses = 0;
	vx->vx_spoken = true;
}

/* Connect once more, without a probe. @r_xprt: transport that did not get as far as
 * an answer to the probe. @why: what happened. Returns 0 or a negative errno.
 */
static int xprt_rdma2_fall_back(struct rpcrdma_xprt *r_xprt, enum rpcrdma2_why why)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;

	/* What failed here may have been no connection at all. */
	rpcrdma_xprt_disconnect(r_xprt);
	vx->vx_offer = false;
	rpcrdma2_conn_reset(&vx->vx_conn);
	rpcrdma2_conn_set_version(&vx->vx_conn, 1, why);
	return rpcrdma_xprt_connect(r_xprt);
}

/* Did a connection fail for what version 2 wants? @r_xprt: transport that tried to
 * connect. @rc: result. Devices state the depth of the deepest queue, but not all of
 * them can make it that deep for every kind of queue pair. Returns true if it may
 * help to ask for as much as version 1 needs.
 */
static bool xprt_rdma2_too_large(const struct rpcrdma_xprt *r_xprt, int rc)
{
	return (rc == -ENOMEM || rc == -EINVAL) && !r_xprt->rx_ep &&
	       r_xprt->rx_v2.vx_offer;
}

/* Connect. Returns 0 or a negative errno; there is no connection to end if it was
 * for want of memory to receive anything.
 */
static int xprt_rdma2_try_connect(struct rpcrdma_xprt *r_xprt)
{
	int rc = rpcrdma_xprt_connect(r_xprt);

	if (rc == -ENOMEM && r_xprt->rx_ep && !r_xprt->rx_ep->re_receive_count)
		rpcrdma_xprt_disconnect(r_xprt);
	return rc;
}

/* Connect, with as much as the device can do. Placement may ask too much of it, and
 * so may version 2. Returns 0 or a negative errno.
 */
static int xprt_rdma2_connect_once(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	int rc;

	vx->vx_plain = false;
	rc = xprt_rdma2_try_connect(r_xprt);
	if (xprt_rdma2_too_large(r_xprt, rc) && xprt_rdma2_place_pages()) {
		vx->vx_plain = true;
		rc = xprt_rdma2_try_connect(r_xprt);
	}
	if (xprt_rdma2_too_large(r_xprt, rc))
		rc = xprt_rdma2_fall_back(r_xprt, RPCRDMA2_WHY_DEVICE);
	return rc;
}

/* Connect a transport and settle the version. Context: connect worker; sleeps.
 * Returns 0 or a negative errno; the caller then disconnects.
 */
static int xprt_rdma2_connect(struct rpcrdma_xprt *r_xprt)
{
	int rc;

	xprt_rdma2_decide(r_xprt);
	rc = xprt_rdma2_connect_once(r_xprt);
	if (rc || !r_xprt->rx_ep->re_v2)
		return rc;

	rc = xprt_rdma2_probe(r_xprt);
	switch (rc) {
	case 0:
		xprt_rdma2_remember(r_xprt);
		return xprt_rdma2_open_gate(r_xprt->rx_ep);
	case -ETIMEDOUT:
		if (!xprt_rdma2_unanswered(r_xprt))
			return rc;
		return xprt_rdma2_fall_back(r_xprt, RPCRDMA2_WHY_SILENT);
	case -ECONNRESET:
		if (!xprt_rdma2_unanswered(r_xprt))
			return -ENOTCONN;
		return xprt_rdma2_fall_back(r_xprt, RPCRDMA2_WHY_LOST);
	default:
		return rc;
	}
}

/* A reverse Call ends. @req: the Call; one of either version. @stale: its reply has
 * outlived the connection it was for. Context: process context.
 */
static void xprt_rdma2_bc_done(struct rpcrdma_xprt *r_xprt,
			       struct rpcrdma_req *req, bool stale)
{
	if (stale)
		rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_REVERSE_STALE);
	else
		xprt_rdma2_bc_end(r_xprt, req);
	xprt_rdma2_recv_returned(r_xprt);
}

static const struct rpcrdma_offer_ops xprt_rdma2_offer = {
	.init			= xprt_rdma2_init,
	.destroy		= xprt_rdma2_destroy,
	.connect		= xprt_rdma2_connect,
	.ep_create		= xprt_rdma2_ep_create,
	.recvs_prepare		= xprt_rdma2_recvs_prepare,
	.release		= xprt_rdma2_release,
	.no_credit		= xprt_rdma2_no_credit,
	.bc_done		= xprt_rdma2_bc_done,
	.rep_free		= xprt_rdma2_rep_free,
	.send_unmap		= xprt_rdma2_send_unmap,
	.rep_put		= xprt_rdma2_rep_put,
};

/**
 * xprt_rdma2_clnt_init - have version 2 offered from now on
 *
 * Context: there are no transports
 */
void xprt_rdma2_clnt_init(void)
{
	if (IS_ENABLED(CONFIG_SUNRPC_XPRT_RDMA_V2_TEST))
		xprt_rdma2_directions = &xprt_rdma2_test_directions;
	rpcrdma2_budget_init(&xprt_rdma2_budget, "client_memory",
			     &xprt_rdma2_place_mem_kb, XPRT_RDMA2_RECV_PLAIN,
			     XPRT_RDMA2_RECV_HEAD, xprt_rdma2_recv_overhead(),
			     XPRT_RDMA2_FEW_CREDITS);
	rpcrdma_offer = &xprt_rdma2_offer;
}

/**
 * xprt_rdma2_clnt_cleanup - undo xprt_rdma2_clnt_init()
 */
void xprt_rdma2_clnt_cleanup(void)
{
	rpcrdma2_budget_cleanup(&xprt_rdma2_budget);
}
