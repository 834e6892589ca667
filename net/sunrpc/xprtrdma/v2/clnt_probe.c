// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: the opening exchange.
 *
 * The connect worker sends INITXCH and sleeps. What comes back settles the version,
 * puts the functions of that version in place, and wakes the worker. No RPC can be
 * under way before that.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "clnt_place.h"
#include <trace/events/rpcrdma2.h>

/* A server that has not answered by then does not know version 2: so many
 * seconds, of which a machine that was stopped meanwhile misses one.
 */
#define XPRT_RDMA2_PROBE_SECS	5

/* Section: the functions of each version */

/* Undo xprt_rdma2_ep_create(). @ep: connection whose queue pair is gone. CM events
 * and the removal of the device may still come, and tell that the connection is
 * lost: re_v2 itself goes with @ep.
 */
static void xprt_rdma2_ep_destroy(struct rpcrdma_ep *ep)
{
	if (ep->re_v2->ve_place)
		rpcrdma2_memory_leave(&ep->re_v2->ve_place->vp_memory);
	xprt_rdma2_place_destroy(ep);
	xprt_rdma2_ctrl_destroy(ep->re_v2);
	kvfree(ep->re_v2->ve_out);
	ep->re_v2->ve_out = NULL;
}

/* A connection has come to its end. @ep: connection on which version 2 was offered.
 * @here: its device has been removed, or is not the way to the server any more,
 * which says nothing about the server. Wakes the probe, if it is still under way.
 * Context: any that rpcrdma_force_disconnect() is called in.
 */
static void xprt_rdma2_lost(struct rpcrdma_ep *ep, bool here)
{
	/* ORDER: re_vops, by which this was found, before re_v2. Pairs with the
	 * release in xprt_rdma2_ep_create().
	 */
	smp_rmb();
	if (here)
		WRITE_ONCE(ep->re_v2->ve_lost_here, true);
	/* Pairs with the acquire in xprt_rdma2_probe() */
	smp_store_release(&ep->re_v2->ve_lost, true);
	wake_up_all(&ep->re_connect_wait);

	/* ORDER: ve_lost before the caller's look at the gate. Pairs with
	 * xprt_rdma2_open_gate().
	 */
	smp_mb();
}

/* A connection is about to be torn down. @ep: connection; its receive handler may
 * still run. Context: the transport's send lock is held; waits for the work item.
 */
static void xprt_rdma2_quiesce(struct rpcrdma_ep *ep)
{
	struct rpcrdma_xprt *r_xprt = rpcx_to_rdmax(ep->re_xprt);
	struct xprt_rdma2_ep *ve = ep->re_v2;
	struct rpcrdma2_memory *me;

	if (READ_ONCE(ve->ve_lost_here))
		r_xprt->rx_v2.vx_refused = false;
	spin_lock(&ve->ve_conn->cn_lock);
	ve->ve_conn->cn_kick = NULL;
	ve->ve_closing = true;
	spin_unlock(&ve->ve_conn->cn_lock);
	me = xprt_rdma2_memory(r_xprt);
	if (me)
		rpcrdma2_memory_closing(me);
	cancel_delayed_work_sync(&ve->ve_ctrl_work);
	if (ve->ve_place)
		cancel_delayed_work_sync(&ve->ve_place->vp_assembly.vg_watch);
}

/* Consume a message after falling back to version 1. Context: receive handler. */
static void xprt_rdma2_receive_v1(struct rpcrdma_rep *rep)
{
	xprt_rdma2_recv_consume(rep);
	rpcrdma_v1_ops.receive(rep);
}

/* Prepare the Send of a Call. Context: the transport's send lock is held. Returns 0,
 * or a negative errno with the meaning it has for rpcrdma_marshal_req().
 */
static int xprt_rdma2_marshal_req(struct rpcrdma_xprt *r_xprt,
				  struct rpc_rqst *rqst)
{
	xprt_rdma2_announce(r_xprt);
	return xprt_rdma2_call_prepare(r_xprt, rqst);
}

/* Prepare the Send of the reply to a reverse Call. @rqst: reverse Call with its
 * reply in rq_snd_buf. Context: the transport's send lock is held. Returns 0,
 * or an error as xprt_rdma2_bc_prepare() has it.
 */
static int xprt_rdma2_bc_marshal_reply(struct rpc_rqst *rqst)
{
	xprt_rdma2_announce(rpcx_to_rdmax(rqst->rq_xprt));
	return xprt_rdma2_bc_prepare(rqst);
}

static const struct rpcrdma_version_ops xprt_rdma2_ops = {
	.hdrlen			= RPCRDMA2_HDRLEN_MIN,
	.hold			= sizeof(struct xprt_rdma2_hold),
	.hdr_size		= xprt_rdma2_header_size,
	.rep_prepare		= xprt_rdma2_rep_prepare,
	.receive		= xprt_rdma2_receive,
	.marshal_req		= xprt_rdma2_marshal_req,
	.post_send		= xprt_rdma2_post_send,
	.decode_reply		= xprt_rdma2_decode_reply,
	.reply_done		= xprt_rdma2_reply_done,
	.bc_marshal_reply	= xprt_rdma2_bc_marshal_reply,
	.lost			= xprt_rdma2_lost,
	.quiesce		= xprt_rdma2_quiesce,
	.drained		= xprt_rdma2_drained,
	.ep_destroy		= xprt_rdma2_ep_destroy,
};

/* Version 1 on a connection on which version 2 was offered, and that was made
 * for either
 */
static const struct rpcrdma_version_ops xprt_rdma2_v1_ops = {
	.hdrlen			= RPCRDMA_HDRLEN_MIN,
	.hold			= sizeof(struct xprt_rdma2_hold),
	.hdr_size		= xprt_rdma2_header_size,
	.rep_prepare		= xprt_rdma2_rep_prepare,
	.receive		= xprt_rdma2_receive_v1,
	.marshal_req		= rpcrdma_marshal_req,
	.post_send		= xprt_rdma2_post_send,
	.decode_reply		= rpcrdma_v1_decode_reply,
	.reply_done		= xprt_rdma2_reply_done,
#if defined(CONFIG_SUNRPC_BACKCHANNEL)
	.bc_marshal_reply	= rpcrdma_bc_marshal_reply,
#endif
	.lost			= xprt_rdma2_lost,
	.quiesce		= xprt_rdma2_quiesce,
	.drained		= xprt_rdma2_drained,
	.ep_destroy		= xprt_rdma2_ep_destroy,
};

/* Section: what settles the version */

/* The version of the connection is known. @state: what comes after XPRT_RDMA2_PROBE.
 * @why: what decided. Context: receive handler. Before the worker wakes, all is in
 * place for the first RPC.
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
		/* From now on people can have the server asked. */
		spin_lock(&ve->ve_conn->cn_lock);
		if (!ve->ve_closing)
			ve->ve_conn->cn_kick = xprt_rdma2_kick;
		spin_unlock(&ve->ve_conn->cn_lock);
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

/* The server does not speak version 2. @rep: received ERR_VERS that answers the
 * probe. Version 1 goes on over the same connection if the server's range has it
 * (B-87); otherwise there is nothing to talk in (N-44, N-46).
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

/* Process RDMA2_ERROR while probing. @rep: received RDMA2_ERROR. ERR_VERS counts
 * whatever version it is written in. Any other error of version 2 says that
 * the server speaks it, without characteristics. Returns true if the probe is over.
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

/* Is this the INITXCH that was asked for? @msg: message that is sound, or whose
 * rdma_optinfo is not.
 */
static bool xprt_rdma2_answers_probe(const struct xprt_rdma2_ep *ve,
				     const struct rpcrdma2_msg *msg)
{
	return msg->proc == RDMA2_OPTIONAL && msg->opt.typed &&
	       msg->opt.type == ROPT_INITXCH &&
	       msg->dir == RDMA2_REPLY && msg->xid == ve->ve_probe_xid;
}

/* Take the answer to the probe. @rep: received INITXCH; released. What the answer
 * says of the server may be garbled; that it comes at all settles the version, and
 * its header grants credits (A-33, N-92).
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

/* Consume a message while probing. @rep: received message; released or handed on.
 * Context: receive handler.
 */
static void xprt_rdma2_receive_probe(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;
	const struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;
	enum rpcrdma2_verdict verdict;

	xprt_rdma2_recv_consume(rep);
	/* Pairs with the release in xprt_rdma2_probe(). Nothing that comes before the
	 * probe was sent can be an answer. Behind a refusal that leaves no version in
	 * common nothing counts.
	 */
	if (smp_load_acquire(&ve->ve_state) != XPRT_RDMA2_PROBE)
		goto out_drop;

	verdict = xprt_rdma2_decode(rep);
	if (verdict != RPCRDMA2_OK && verdict != RPCRDMA2_BAD_OPTION &&
	    !(verdict == RPCRDMA2_BAD_XDR && xprt_rdma2_answers_probe(ve, msg))) {
		xprt_rdma2_count_bad(ve->ve_conn, verdict);
		if (verdict == RPCRDMA2_SHORT)
			rpcrdma_force_disconnect(r_xprt->rx_ep);
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

/* Until the probe is answered nothing is sent but the probe. */
const struct rpcrdma_version_ops xprt_rdma2_probe_ops = {
	.hdrlen			= RPCRDMA2_HDRLEN_MIN,
	.hold			= sizeof(struct xprt_rdma2_hold),
	.hdr_size		= xprt_rdma2_header_size,
	.rep_prepare		= xprt_rdma2_rep_prepare,
	.receive		= xprt_rdma2_receive_probe,
	.lost			= xprt_rdma2_lost,
	.quiesce		= xprt_rdma2_quiesce,
	.drained		= xprt_rdma2_drained,
	.ep_destroy		= xprt_rdma2_ep_destroy,
};

/* Is there anything left to wait for? @ve: connection with a probe under way.
 * Returns true if the version is settled, or never will be.
 */
static bool xprt_rdma2_probe_done(const struct xprt_rdma2_ep *ve)
{
	if (READ_ONCE(ve->ve_lost))
		return true;
	/* Pairs with the release in xprt_rdma2_decide_version() */
	return smp_load_acquire(&ve->ve_state) != XPRT_RDMA2_PROBE;
}

/**
 * xprt_rdma2_probe - find out whether the server speaks version 2
 * @r_xprt: transport, connected but not yet open for RPCs
 *
 * Context: connect worker; sleeps
 * Return:
 *	%0 if the version of the connection is settled,
 *	%-EPROTONOSUPPORT if there is no version in common,
 *	%-ETIMEDOUT if the server did not answer,
 *	%-ECONNRESET if the connection was lost while the probe was under way,
 *	%-ENOBUFS or %-ENOMEM if there is no memory for the probe,
 *	%-ENOTCONN if the probe was not sent, or the connection was lost for a
 *	reason at this end: which is no fault of the server's
 */
int xprt_rdma2_probe(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_ep *ve = ep->re_v2;
	int rc, n;

	if (READ_ONCE(ve->ve_lost))
		return -ENOTCONN;
	ve->ve_probe_xid = xprt_rdma2_next_xid(&r_xprt->rx_xprt);
	ve->ve_probe_open = true;
	/* Pairs with the acquire in xprt_rdma2_receive_probe() */
	smp_store_release(&ve->ve_state, XPRT_RDMA2_PROBE);
	rc = xprt_rdma2_send_initxch(r_xprt, ve->ve_probe_xid, RDMA2_CALL,
				     be32_to_cpu(r_xprt->rx_buf.rb_max_requests));
	if (rc)
		return rc == -ENOBUFS || rc == -ENOMEM ? rc : -ENOTCONN;

	for (n = 0; n < XPRT_RDMA2_PROBE_SECS; n++)
		if (wait_event_timeout(ep->re_connect_wait,
				       xprt_rdma2_probe_done(ve), HZ))
			break;

	/* An answer counts, whatever became of the connection after it.
	 * Pairs with the release in xprt_rdma2_decide_version().
	 */
	switch (smp_load_acquire(&ve->ve_state)) {
	case XPRT_RDMA2_PROBE:
		/* Pairs with the release in xprt_rdma2_lost() */
		if (!smp_load_acquire(&ve->ve_lost))
			return -ETIMEDOUT;
		return READ_ONCE(ve->ve_lost_here) ? -ENOTCONN : -ECONNRESET;
	case XPRT_RDMA2_FAIL:
		return -EPROTONOSUPPORT;
	default:
		return 0;
	}
}
