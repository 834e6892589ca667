// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: whatever arrives.
 *
 * One message at a time, in the order of arrival. Each is decoded, looked at as
 * a part of the group that is open, and then goes to whoever deals with its
 * kind, which xprt_rdma2_entries[] says. These neither answer nor drop: they
 * return what is left to do. Whatever that is, the Receive that the message has
 * used up is replaced.
 *
 * That is so once the version is known. Before, the connect worker sends INITXCH and
 * sleeps. What comes back settles the version and wakes the worker. No RPC can be under
 * way before that.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "clnt_place.h"
#include <trace/events/rpcrdma.h>
#include <trace/events/rpcrdma2.h>

/* A server that has not answered by then does not know version 2: so many
 * seconds, of which a machine that was stopped meanwhile misses one.
 */
#define XPRT_RDMA2_PROBE_SECS	5

/**
 * struct xprt_rdma2_entry - who deals with messages of one kind
 * @take: takes a message whose header is sound, by its direction; without one
 *	there can be no such message, or its content is not sound
 * @garbled: lets one that does not parse take effect all the same
 * @payload: something may follow the header
 */
struct xprt_rdma2_entry {
	enum xprt_rdma2_outcome	(*take[2])(struct rpcrdma_rep *rep);
	void			(*garbled[2])(struct rpcrdma_rep *rep);
	bool			payload;
};

/* By direction, RDMA2_CALL first. The last entry is for what is of no known kind. The
 * first transmission of a group is in here, the others are not.
 */
static const struct xprt_rdma2_entry xprt_rdma2_entries[RPCRDMA2_NR_KINDS + 1] = {
	[RPCRDMA2_K_MSG]	= { .take = { xprt_rdma2_bc_call, xprt_rdma2_reply },
				    .payload = true },
	[RPCRDMA2_K_NOMSG]	= { .take = { xprt_rdma2_bc_call, xprt_rdma2_reply } },
	[RPCRDMA2_K_ERROR]	= { .take = { NULL, xprt_rdma2_error } },
	[RPCRDMA2_K_INITXCH]	= { .take = { xprt_rdma2_initxch, xprt_rdma2_initxch } },
	[RPCRDMA2_K_REQXCH]	= { .take = { xprt_rdma2_reqxch, NULL } },
	[RPCRDMA2_K_RESPXCH]	= { .take = { NULL, xprt_rdma2_respxch },
				    .garbled = { NULL, xprt_rdma2_bad_respxch } },
	[RPCRDMA2_K_UPDXCH]	= { .take = { xprt_rdma2_updxch, xprt_rdma2_updxch } },
	[RPCRDMA2_K_XMTREQ]	= { .take = { xprt_rdma2_xmtreq, NULL },
				    .garbled = { xprt_rdma2_group_garbled,
						 xprt_rdma2_group_garbled },
				    .payload = true },
	[RPCRDMA2_K_XMTRESP]	= { .take = { NULL, xprt_rdma2_xmtresp },
				    .garbled = { xprt_rdma2_group_garbled,
						 xprt_rdma2_group_garbled },
				    .payload = true },
	[RPCRDMA2_K_REPTERR]	= { .take = { xprt_rdma2_repterr, xprt_rdma2_repterr } },
};

/* Decode the transport header of a received message. The verdict covers all
 * lengths and counts of the header, measured against what was received; what
 * comes later relies on it. Returns what the codec has to say.
 */
static enum rpcrdma2_verdict xprt_rdma2_decode(struct rpcrdma_rep *rep)
{
	struct rpcrdma2_limits limits = {
		.max_message		= RPCRDMA_MAX_DATA_SEGS << PAGE_SHIFT,
		.max_read_segs		= RPCRDMA_MAX_HDR_SEGS,
		.max_write_chunks	= RPCRDMA_MAX_HDR_SEGS,
		.max_segs		= RPCRDMA_MAX_SEGS,
		.opttypes		= BIT(ROPT_INITXCH) |
					  BIT(ROPT_REQXCH) |
					  BIT(ROPT_RESPXCH) |
					  BIT(ROPT_UPDXCH),
	};
	const struct xprt_rdma2_placement *vp =
		rep->rr_rxprt->rx_ep->re_v2->ve_place;
	struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;
	struct rpcrdma2_conn *conn = &rep->rr_rxprt->rx_v2.vx_conn;

	if (vp)
		limits.opttypes |= BIT(ROPT_XMTRESP) | BIT(ROPT_REPTERR);
	if (vp && vp->vp_cont)
		limits.opttypes |= BIT(ROPT_XMTREQ) | BIT(ROPT_XMTCONT);
	rpcrdma2_decode(rdmab_data(rep->rr_rdmabuf), rep->rr_hdrbuf.len,
			&limits, msg);
	rep->rr_xid = msg->xid;
	rep->rr_vers = cpu_to_be32(msg->vers);
	rep->rr_proc = cpu_to_be32(XPRT_RDMA2_PROC | msg->proc);
	rep->rr_v2.vr_failed = false;
	rep->rr_v2.vr_again = false;
	rep->rr_v2.vr_xmts = 1;
	if (msg->verdict == RPCRDMA2_OK)
		trace_rpcrdma2_receive(conn, msg);
	else
		trace_rpcrdma2_bad_message(conn, msg);
	return msg->verdict;
}

/* What to count of a bad header, and what to do about it. Errors go from responder to
 * requester: what came in REPLY direction, as RDMA2_ERROR always does, is not answered,
 * but ends the RPC it is about (A-11, A-13, N-02, N-41).
 */
static const struct {
	enum rpcrdma2_counter	count;
	enum xprt_rdma2_outcome	outcome;
} xprt_rdma2_verdicts[] = {
	[RPCRDMA2_SHORT]	= { RPCRDMA2_CNT_TOO_SHORT, XPRT_RDMA2_O_CLOSE },
	[RPCRDMA2_BAD_VERS]	= { RPCRDMA2_CNT_BAD_VERSION, XPRT_RDMA2_O_DROP },
	[RPCRDMA2_BAD_PROC]	= { RPCRDMA2_CNT_BAD_HEADERS, XPRT_RDMA2_O_INVAL_PROC },
	[RPCRDMA2_BAD_XDR]	= { RPCRDMA2_CNT_BAD_HEADERS, XPRT_RDMA2_O_BAD_XDR },
	[RPCRDMA2_BAD_OPTION]	= { RPCRDMA2_CNT_BAD_OPTIONS, XPRT_RDMA2_O_INVAL_OPTION },
};

/* Have a message taken that is not part of a group. @rep: received message, decoded.
 * Returns what is left to do.
 */
static enum xprt_rdma2_outcome xprt_rdma2_dispatch(struct rpcrdma_rep *rep)
{
	struct rpcrdma2_conn *conn = &rep->rr_rxprt->rx_v2.vx_conn;
	const struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;
	const struct xprt_rdma2_entry *entry =
		&xprt_rdma2_entries[rpcrdma2_msg_kind(msg)];
	bool reply = msg->dir == RDMA2_REPLY;

	if (msg->verdict != RPCRDMA2_OK)
		rpcrdma2_count(conn, xprt_rdma2_verdicts[msg->verdict].count);
	if (msg->verdict == RPCRDMA2_BAD_XDR) {
		if (entry->garbled[reply])
			entry->garbled[reply](rep);
		if (reply)
			return rpcrdma2_ends_rpc(msg) ? XPRT_RDMA2_O_FAIL :
							XPRT_RDMA2_O_DROP;
	}
	if (msg->verdict != RPCRDMA2_OK)
		return xprt_rdma2_verdicts[msg->verdict].outcome;
	if (msg->length > msg->hdrlen && !entry->payload)
		rpcrdma2_count(conn, RPCRDMA2_CNT_TRAILING_BYTES);
	return entry->take[reply] ? entry->take[reply](rep) :
				    XPRT_RDMA2_O_UNSOUND;
}

/* Answer a message with RDMA2_ERROR. @rep: received message; released. @code:
 * rdma_err.
 */
static void xprt_rdma2_answer(struct rpcrdma_rep *rep, u32 code)
{
	const struct rpcrdma2_error err = { .code = code };

	xprt_rdma2_post_error(rep, &err);
	rpcrdma_rep_put(&rep->rr_rxprt->rx_buf, rep);
}

/* End with a message whose content is not sound. @rep: received message, its header
 * sound; released.
 */
static void xprt_rdma2_unsound(struct rpcrdma_rep *rep)
{
	struct rpcrdma2_conn *conn = &rep->rr_rxprt->rx_v2.vx_conn;

	if (rep->rr_v2.vr_msg.dir == RDMA2_REPLY) {
		xprt_rdma2_drop(rep);
		return;
	}
	rpcrdma2_count(conn, RPCRDMA2_CNT_BAD_HEADERS);
	xprt_rdma2_answer(rep, RDMA2_ERR_BAD_XDR);
}

/* Do what is left to do with a message. @rep: received message; ownership ends here.
 * If it was taken, others may have freed it. @outcome: what that is.
 */
static void xprt_rdma2_finish(struct rpcrdma_xprt *r_xprt,
			      struct rpcrdma_rep *rep,
			      enum xprt_rdma2_outcome outcome)
{
	static const u32 codes[] = {
		[XPRT_RDMA2_O_BAD_XDR]		= RDMA2_ERR_BAD_XDR,
		[XPRT_RDMA2_O_INVAL_PROC]	= RDMA2_ERR_INVAL_PROC,
		[XPRT_RDMA2_O_INVAL_OPTION]	= RDMA2_ERR_INVAL_OPTION,
		[XPRT_RDMA2_O_REFUSE_XDR]	= RDMA2_ERR_BAD_XDR,
		[XPRT_RDMA2_O_REFUSE_OPTION]	= RDMA2_ERR_INVAL_OPTION,
	};

	switch (outcome) {
	case XPRT_RDMA2_O_OTHER:
	case XPRT_RDMA2_O_TAKEN:
		break;
	case XPRT_RDMA2_O_DONE:
		rpcrdma_rep_put(&r_xprt->rx_buf, rep);
		break;
	case XPRT_RDMA2_O_DROP:
		xprt_rdma2_drop(rep);
		break;
	case XPRT_RDMA2_O_FAIL:
		xprt_rdma2_fail(rep);
		break;
	case XPRT_RDMA2_O_UNSOUND:
		xprt_rdma2_unsound(rep);
		break;
	case XPRT_RDMA2_O_REFUSE_XDR:
	case XPRT_RDMA2_O_REFUSE_OPTION:
		rpcrdma2_count(&r_xprt->rx_v2.vx_conn,
			       RPCRDMA2_CNT_REVERSE_REFUSED);
		fallthrough;
	case XPRT_RDMA2_O_BAD_XDR:
	case XPRT_RDMA2_O_INVAL_PROC:
	case XPRT_RDMA2_O_INVAL_OPTION:
		xprt_rdma2_answer(rep, codes[outcome]);
		break;
	case XPRT_RDMA2_O_CLOSE:
		xprt_rdma2_drop(rep);
		rpcrdma_force_disconnect(r_xprt->rx_ep);
	}
}

/* Process a decoded message. @rep: received message; ownership ends here.
 * Context: receive handler.
 */
static void xprt_rdma2_take_message(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	enum xprt_rdma2_outcome outcome = xprt_rdma2_assemble(&rep);

	if (outcome == XPRT_RDMA2_O_OTHER)
		outcome = xprt_rdma2_dispatch(rep);
	xprt_rdma2_finish(r_xprt, rep, outcome);
	xprt_rdma2_post_recvs(r_xprt);
	if (xprt_rdma2_assembling(r_xprt))
		xprt_rdma2_memory_held(r_xprt);
	xprt_rdma2_progress(r_xprt);
}

/**
 * xprt_rdma2_receive - consume a message of a version 2 connection
 * @rep: received message
 *
 * Context: receive handler
 */
void xprt_rdma2_receive(struct rpcrdma_rep *rep)
{
	struct rpc_xprt *xprt = &rep->rr_rxprt->rx_xprt;

	/* The server is alive: the next reconnect need not be delayed. */
	if (xprt->reestablish_timeout)
		xprt->reestablish_timeout = 0;

	xprt_rdma2_recv_consume(rep);
	xprt_rdma2_decode(rep);
	xprt_rdma2_take_message(rep);
}

/* Section: the opening exchange */

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
		rpcrdma2_count(ve->ve_conn, xprt_rdma2_verdicts[verdict].count);
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
 *	%-ENOTCONN if the probe was not sent, or the connection was lost for a
 *	reason at this end: which is no fault of the server's
 */
int xprt_rdma2_probe(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_ep *ve = ep->re_v2;
	int n;

	if (READ_ONCE(ve->ve_lost))
		return -ENOTCONN;
	ve->ve_probe_xid = xprt_rdma2_next_xid(&r_xprt->rx_xprt);
	ve->ve_probe_open = true;
	/* Pairs with the acquire in xprt_rdma2_receive_probe() */
	smp_store_release(&ve->ve_state, XPRT_RDMA2_PROBE);
	if (xprt_rdma2_send_initxch(r_xprt, ve->ve_probe_xid, RDMA2_CALL,
				    be32_to_cpu(r_xprt->rx_buf.rb_max_requests)))
		return -ENOTCONN;

	for (n = 0; n < XPRT_RDMA2_PROBE_SECS && !xprt_rdma2_probe_done(ve); n++)
		wait_event_timeout(ep->re_connect_wait,
				   xprt_rdma2_probe_done(ve), HZ);

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
