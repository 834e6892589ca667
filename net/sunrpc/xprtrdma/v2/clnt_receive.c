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
 * That is so once the version is known (clnt_probe.c).
 */

#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "clnt_place.h"
#include <trace/events/rpcrdma.h>
#include <trace/events/rpcrdma2.h>

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

/**
 * xprt_rdma2_decode - decode the transport header of a message
 * @rep: received message
 *
 * The verdict covers all lengths and counts of the header, measured against
 * what was received; what comes later relies on it.
 *
 * Context: receive handler
 * Return: what the codec has to say
 */
enum rpcrdma2_verdict xprt_rdma2_decode(struct rpcrdma_rep *rep)
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

/**
 * xprt_rdma2_count_bad - count a message that is not sound
 * @conn: connection it came on
 * @verdict: what is wrong; not %RPCRDMA2_OK
 *
 * Context: receive handler
 */
void xprt_rdma2_count_bad(struct rpcrdma2_conn *conn, enum rpcrdma2_verdict verdict)
{
	rpcrdma2_count(conn, xprt_rdma2_verdicts[verdict].count);
}

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
		xprt_rdma2_count_bad(conn, msg->verdict);
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

/**
 * xprt_rdma2_take_message - process a decoded message
 * @rep: received message; ownership ends here
 *
 * Context: receive handler
 */
void xprt_rdma2_take_message(struct rpcrdma_rep *rep)
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
