// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: the opening exchange.
 *
 * The connect worker sends INITXCH and sleeps. What comes back is looked at
 * by the receive handler, which settles the version and wakes the worker.
 * No RPC can be under way before that.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "clnt_place.h"
#include <trace/events/rpcrdma.h>
#include <trace/events/rpcrdma2.h>

/* A server that has not answered by then does not know version 2 */
#define XPRT_RDMA2_PROBE_TO	(5U * HZ)

/*
 * Let people have the server asked. @ve: connection on which version 2 is
 * spoken.
 */
static void xprt_rdma2_open_kick(struct xprt_rdma2_ep *ve)
{
	spin_lock(&ve->ve_conn->cn_lock);
	if (!ve->ve_closing)
		ve->ve_conn->cn_kick = xprt_rdma2_kick;
	spin_unlock(&ve->ve_conn->cn_lock);
}

/*
 * The version of the connection is known. @state: what comes after
 * XPRT_RDMA2_PROBE. @why: what decided. Context: receive handler. Before the
 * worker wakes, all is in place for the first RPC.
 */
static void xprt_rdma2_decide_version(struct rpcrdma_xprt *r_xprt,
				      enum xprt_rdma2_state state,
				      enum rpcrdma2_why why)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_ep *ve = ep->re_v2;
	u32 version = 0;

	xprt_rdma2_place_agreed(r_xprt);
	switch (state) {
	case XPRT_RDMA2_ONE:
	case XPRT_RDMA2_OPEN:
		version = RPCRDMA2_VERSION;
		xprt_rdma2_set_sizes(ep);
		xprt_rdma2_open_kick(ve);
		WRITE_ONCE(ep->re_vops, &xprt_rdma2_ops);
		break;
	case XPRT_RDMA2_V1:
		version = 1;
		WRITE_ONCE(ep->re_vops, &xprt_rdma2_v1_ops);
		break;
	default:
		break;
	}
	xprt_rdma2_memory_decide(r_xprt, version);
	rpcrdma2_conn_set_version(ve->ve_conn, version, why);
	/* Pairs with the acquire in xprt_rdma2_probe() */
	smp_store_release(&ve->ve_state, state);
	wake_up_all(&ep->re_connect_wait);
}

/*
 * The server does not speak version 2. @rep: received ERR_VERS that answers the
 * probe. Version 1 goes on over the same connection if the server's range has
 * it (B-87); otherwise there is nothing to talk in (N-44, N-46).
 */
static void xprt_rdma2_refused(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	const struct rpcrdma2_error *err = &rep->rr_v2.vr_msg.error;
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	bool usable = err->vers_low <= 1 && err->vers_high >= 1;

	WRITE_ONCE(conn->cn_low, err->vers_low);
	WRITE_ONCE(conn->cn_high, err->vers_high);
	xprt_rdma2_decide_version(r_xprt, usable ? XPRT_RDMA2_V1 : XPRT_RDMA2_FAIL,
				  RPCRDMA2_WHY_ERR_VERS);
}

/*
 * Process RDMA2_ERROR while probing. @rep: received RDMA2_ERROR. ERR_VERS
 * counts whatever version it is written in. Any other error of version 2
 * says that the server speaks it, without characteristics. Returns true if the
 * probe is over.
 */
static bool xprt_rdma2_probe_error(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;
	const struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;

	if (msg->xid != ve->ve_probe_xid)
		return false;
	rpcrdma2_count_error(ve->ve_conn, msg->error.code, false);
	trace_rpcrdma2_error_received(ve->ve_conn, msg->xid, &msg->error);
	ve->ve_probe_open = false;
	xprt_rdma2_place_unheard(r_xprt);
	if (msg->error.code == RDMA2_ERR_VERS)
		xprt_rdma2_refused(rep);
	else
		xprt_rdma2_decide_version(r_xprt, XPRT_RDMA2_ONE, RPCRDMA2_WHY_BASE);
	return true;
}

/*
 * Is this the INITXCH that was asked for? @msg: message that is sound, or whose
 * rdma_optinfo is not.
 */
static bool xprt_rdma2_answers_probe(const struct xprt_rdma2_ep *ve,
				     const struct rpcrdma2_msg *msg)
{
	return msg->proc == RDMA2_OPTIONAL && msg->opt.typed &&
	       msg->opt.type == ROPT_INITXCH &&
	       msg->dir == RDMA2_REPLY && msg->xid == ve->ve_probe_xid;
}

/*
 * Take the answer to the probe. @rep: received INITXCH; released. What the
 * answer says of the server may be garbled; that it comes at all settles the
 * version, and its header grants credits (A-33, N-92).
 */
static void xprt_rdma2_answered(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;

	if (rep->rr_v2.vr_msg.verdict == RPCRDMA2_OK) {
		if (xprt_rdma2_initxch(rep) == XPRT_RDMA2_O_UNSOUND)
			rpcrdma2_count(ve->ve_conn, RPCRDMA2_CNT_DROPPED);
	} else {
		rpcrdma2_count(ve->ve_conn, RPCRDMA2_CNT_BAD_HEADERS);
		ve->ve_probe_open = false;
		xprt_rdma2_take_grant(r_xprt, rep->rr_v2.vr_msg.credit);
	}
	rpcrdma_rep_put(&r_xprt->rx_buf, rep);
	xprt_rdma2_decide_version(r_xprt, XPRT_RDMA2_OPEN,
				  ve->ve_conn->cn_xch.xc_heard ?
				  RPCRDMA2_WHY_INITXCH : RPCRDMA2_WHY_BASE);
}

/**
 * xprt_rdma2_receive_probe - consume a message while probing
 * @rep: received message; released or handed on
 *
 * Context: receive handler
 */
void xprt_rdma2_receive_probe(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;
	const struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;

	xprt_rdma2_recv_consume(rep);
	/* Pairs with the release in xprt_rdma2_probe(). Nothing that comes
	 * before the probe was sent can be an answer.
	 */
	if (smp_load_acquire(&ve->ve_state) == XPRT_RDMA2_CONN)
		goto out_drop;

	switch (xprt_rdma2_decode(rep)) {
	case RPCRDMA2_OK:
	case RPCRDMA2_BAD_OPTION:
		break;
	case RPCRDMA2_BAD_XDR:
		if (xprt_rdma2_answers_probe(ve, msg))
			break;
		rpcrdma2_count(ve->ve_conn, RPCRDMA2_CNT_BAD_HEADERS);
		goto out_drop;
	case RPCRDMA2_SHORT:
		rpcrdma2_count(ve->ve_conn, RPCRDMA2_CNT_TOO_SHORT);
		rpcrdma_force_disconnect(r_xprt->rx_ep);
		goto out_drop;
	case RPCRDMA2_BAD_PROC:
		rpcrdma2_count(ve->ve_conn, RPCRDMA2_CNT_BAD_HEADERS);
		goto out_drop;
	case RPCRDMA2_BAD_VERS:
		rpcrdma2_count(ve->ve_conn, RPCRDMA2_CNT_BAD_VERSION);
		goto out_drop;
	}

	if (msg->proc == RDMA2_ERROR) {
		if (!xprt_rdma2_probe_error(rep))
			goto out_drop;
		rpcrdma_rep_put(&r_xprt->rx_buf, rep);
		goto out_post;
	}
	if (xprt_rdma2_answers_probe(ve, msg)) {
		xprt_rdma2_answered(rep);
		goto out_post;
	}

	/* Any other message of version 2 settles the version. */
	xprt_rdma2_decide_version(r_xprt, XPRT_RDMA2_ONE, RPCRDMA2_WHY_PEER);
	xprt_rdma2_take_message(rep);
	return;

out_drop:
	xprt_rdma2_drop(rep);
out_post:
	xprt_rdma2_post_recvs(r_xprt);
}

/*
 * Is there anything left to wait for? @ve: connection with a probe under way.
 * Returns true if the version is settled, or never will be.
 */
static bool xprt_rdma2_probe_done(const struct xprt_rdma2_ep *ve)
{
	if (READ_ONCE(ve->ve_lost))
		return true;
	/* Pairs with the release in xprt_rdma2_decide_version() */
	return smp_load_acquire(&ve->ve_state) != XPRT_RDMA2_PROBE;
}

/*
 * What does it mean that no answer came? @ve: connection with a probe under
 * way. Returns a negative errno with the meaning it has for xprt_rdma2_probe().
 */
static int xprt_rdma2_probe_failed(const struct xprt_rdma2_ep *ve)
{
	/* Pairs with the release in xprt_rdma2_lost() */
	if (!smp_load_acquire(&ve->ve_lost))
		return -ETIMEDOUT;
	return READ_ONCE(ve->ve_lost_here) ? -ENOTCONN : -ECONNRESET;
}

/**
 * xprt_rdma2_probe - find out whether the server speaks version 2
 * @r_xprt: transport, connected but not yet open for RPCs
 *
 * Context: connect worker; sleeps
 *
 * Return:
 *	%0 if the version of the connection is settled,
 *	%-EPROTONOSUPPORT if there is no version in common,
 *	%-ETIMEDOUT if the server did not answer,
 *	%-ECONNRESET if the connection was lost while the probe was under way,
 *	%-ENOTCONN if the probe was not sent, or the connection was lost for a
 *	reason at this end: which is no fault of the server's
 */
int xprt_rdma2_probe(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_ep *ve = ep->re_v2;

	if (READ_ONCE(ve->ve_lost))
		return -ENOTCONN;
	ve->ve_probe_xid = xprt_rdma2_next_xid(&r_xprt->rx_xprt);
	ve->ve_probe_open = true;
	/* Pairs with the acquire in xprt_rdma2_receive_probe() */
	smp_store_release(&ve->ve_state, XPRT_RDMA2_PROBE);
	if (xprt_rdma2_send_initxch(r_xprt, ve->ve_probe_xid, RDMA2_CALL,
				    be32_to_cpu(r_xprt->rx_buf.rb_max_requests)))
		return -ENOTCONN;

	wait_event_timeout(ep->re_connect_wait, xprt_rdma2_probe_done(ve),
			   XPRT_RDMA2_PROBE_TO);

	/* An answer counts, whatever became of the connection after it.
	 * Pairs with the release in xprt_rdma2_decide_version().
	 */
	switch (smp_load_acquire(&ve->ve_state)) {
	case XPRT_RDMA2_PROBE:
		return xprt_rdma2_probe_failed(ve);
	case XPRT_RDMA2_FAIL:
		return -EPROTONOSUPPORT;
	default:
		return 0;
	}
}
