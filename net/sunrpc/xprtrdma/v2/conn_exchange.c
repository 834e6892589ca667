// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: control messages of a connection.
 *
 * Decodes what arrives, lets it take effect under the lock of the connection,
 * and traces it. What is the same for client and server is here; each of them
 * knows how to send.
 */

#include <linux/kernel.h>
#include <linux/string.h>

#include "conn.h"
#include <trace/events/rpcrdma2.h>

/**
 * rpcrdma2_conn_local - look up what this end has to say of itself
 * @conn: connection
 * @local: OUT: the values, for ROPT_INITXCH
 *
 * From here on this end may have more to say. The caller sees to it that it is
 * said later.
 *
 * Context: process context
 */
void rpcrdma2_conn_local(struct rpcrdma2_conn *conn, struct rpcrdma2_xchars *local)
{
	spin_lock(&conn->cn_lock);
	*local = conn->cn_xch.xc_local;
	conn->cn_xch.xc_stated = true;
	spin_unlock(&conn->cn_lock);
	trace_rpcrdma2_xchars(conn, local, true);
}

/**
 * rpcrdma2_conn_initxch - take ROPT_INITXCH
 * @conn: connection
 * @buf: the received bytes
 * @msg: message decoded from them
 *
 * Each has to parse, but only the first one counts. One that does
 * not parse has no effect (X-11, N-92).
 *
 * Context: receive handler
 * Return: %false if the message did not parse
 */
bool rpcrdma2_conn_initxch(struct rpcrdma2_conn *conn, const void *buf,
			   struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_xchars peer;
	bool first;

	rpcrdma2_xchars_default(&peer);
	if (rpcrdma2_decode_initxch(buf, msg, &peer))
		return false;
	rpcrdma2_conn_change_begin(conn);
	first = rpcrdma2_xch_initxch(&conn->cn_xch, &peer);
	rpcrdma2_conn_change_end(conn);
	if (first)
		trace_rpcrdma2_xchars(conn, &peer, false);
	return true;
}

/**
 * rpcrdma2_conn_reqxch - decide about ROPT_REQXCH
 * @conn: connection
 * @buf: the received bytes
 * @msg: message decoded from them
 * @resp: OUT: the answer, after which rpcrdma2_conn_answered() has to follow
 *
 * Context: receive handler
 * Return: %false if the message did not parse
 */
bool rpcrdma2_conn_reqxch(struct rpcrdma2_conn *conn, const void *buf,
			  struct rpcrdma2_msg *msg,
			  struct rpcrdma2_respxch *resp)
{
	struct rpcrdma2_reqxch req;

	if (rpcrdma2_decode_reqxch(buf, msg, &req))
		return false;
	rpcrdma2_conn_change_begin(conn);
	rpcrdma2_xch_reqxch(&conn->cn_xch, &req, resp);
	rpcrdma2_conn_change_end(conn);
	trace_rpcrdma2_reqxch(conn, msg->xid, &req.want, false);
	trace_rpcrdma2_respxch(conn, msg->xid, resp, true);
	return true;
}

/**
 * rpcrdma2_conn_answered - ROPT_RESPXCH was sent, or cannot be
 * @conn: connection
 *
 * From here on ROPT_UPDXCH may follow.
 *
 * Context: process context
 */
void rpcrdma2_conn_answered(struct rpcrdma2_conn *conn)
{
	rpcrdma2_conn_change_begin(conn);
	rpcrdma2_xch_answered(&conn->cn_xch);
	rpcrdma2_conn_change_end(conn);
}

/**
 * rpcrdma2_conn_respxch - take ROPT_RESPXCH
 * @conn: connection
 * @buf: the received bytes
 * @msg: message decoded from them; if its verdict is bad, the whole request
 *	counts as rejected (N-104)
 *
 * Context: receive handler
 * Return: %false if it answers nothing (N-103)
 */
bool rpcrdma2_conn_respxch(struct rpcrdma2_conn *conn, const void *buf,
			   struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_respxch resp;
	bool sound, matched;

	sound = msg->verdict == RPCRDMA2_OK &&
		!rpcrdma2_decode_respxch(buf, msg, &resp);
	rpcrdma2_conn_change_begin(conn);
	matched = rpcrdma2_xch_respxch(&conn->cn_xch, msg->xid,
				       sound ? &resp : NULL);
	rpcrdma2_conn_change_end(conn);
	if (sound)
		trace_rpcrdma2_respxch(conn, msg->xid, &resp, false);
	return matched;
}

/**
 * rpcrdma2_conn_updxch - take ROPT_UPDXCH
 * @conn: connection
 * @buf: the received bytes
 * @msg: message decoded from them
 *
 * Context: receive handler
 * Return: %false if the message did not parse
 */
bool rpcrdma2_conn_updxch(struct rpcrdma2_conn *conn, const void *buf,
			  struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_updxch upd;

	if (rpcrdma2_decode_updxch(buf, msg, &upd))
		return false;
	rpcrdma2_conn_change_begin(conn);
	rpcrdma2_xch_updxch(&conn->cn_xch, &upd);
	rpcrdma2_conn_change_end(conn);
	trace_rpcrdma2_updxch(conn, msg->xid, &upd.now, upd.pendclr, false);
	return true;
}

/**
 * rpcrdma2_conn_error - see whether RDMA2_ERROR is about a control message
 * @conn: connection
 * @msg: received RDMA2_ERROR, header sound
 *
 * Context: receive handler
 * Return: ROPT_REQXCH or ROPT_UPDXCH, or 0 if it is not
 */
u32 rpcrdma2_conn_error(struct rpcrdma2_conn *conn, const struct rpcrdma2_msg *msg)
{
	u32 matched;

	rpcrdma2_conn_change_begin(conn);
	matched = rpcrdma2_xch_error(&conn->cn_xch, msg->xid, msg->error.code);
	rpcrdma2_conn_change_end(conn);
	return matched;
}

/* Let go on what is under way at this end. True if there is a message to send. */
static noinline bool rpcrdma2_conn_go_on(struct rpcrdma2_conn *conn, u32 own_recv)
{
	bool due;

	rpcrdma2_conn_change_begin(conn);
	rpcrdma2_xch_own_recv(&conn->cn_xch, own_recv);
	rpcrdma2_xch_progress(&conn->cn_xch);
	due = rpcrdma2_xch_due(&conn->cn_xch);
	rpcrdma2_conn_change_end(conn);
	return due;
}

/**
 * rpcrdma2_conn_progress - see what has changed at this end
 * @conn: connection
 * @own_recv: length that Receives are to have by the administrator's will
 *
 * Mostly nothing is under way. Whoever has something done that this does not see yet,
 * sees to it.
 *
 * Context: receive handler, once for each message
 * Return: %true if there is a message to send
 */
bool rpcrdma2_conn_progress(struct rpcrdma2_conn *conn, u32 own_recv)
{
	const struct rpcrdma2_xch *xch = &conn->cn_xch;
	unsigned int seq;
	bool quiet;

	do {
		seq = read_seqcount_begin(&conn->cn_seq);
		quiet = xch->xc_own_seen == own_recv &&
			!rpcrdma2_xch_active(xch);
	} while (read_seqcount_retry(&conn->cn_seq, seq));
	return !quiet && rpcrdma2_conn_go_on(conn, own_recv);
}

/**
 * rpcrdma2_conn_report_begin - a report is about to be sent
 * @conn: connection
 * @fault: what it says
 *
 * One about a reply, which goes in CALL direction, uses a Receive that is kept
 * for it, and no more than the peer is sure to have. One about a Call takes the
 * place of its reply.
 *
 * Context: process context; if it may be sent, rpcrdma2_conn_report_end() has
 * to follow
 * Return: false if it has to be left out
 */
bool rpcrdma2_conn_report_begin(struct rpcrdma2_conn *conn,
				const struct rpcrdma2_repterr *fault)
{
	bool may;

	rpcrdma2_conn_reported(conn, fault, true);
	if (fault->bad.dir == RDMA2_CALL)
		return true;
	rpcrdma2_conn_change_begin(conn);
	may = rpcrdma2_xch_report_begin(&conn->cn_xch);
	rpcrdma2_conn_change_end(conn);
	if (!may)
		rpcrdma2_count(conn, RPCRDMA2_CNT_ERRORS_UNSENT);
	return may;
}

/**
 * rpcrdma2_conn_report_end - a report was posted, or could not be
 * @conn: connection
 * @fault: what it says
 * @sent: it was posted
 *
 * Context: process context
 */
void rpcrdma2_conn_report_end(struct rpcrdma2_conn *conn,
			      const struct rpcrdma2_repterr *fault, bool sent)
{
	if (fault->bad.dir != RDMA2_CALL) {
		rpcrdma2_conn_change_begin(conn);
		rpcrdma2_xch_report_end(&conn->cn_xch, sent);
		rpcrdma2_conn_change_end(conn);
	}
	rpcrdma2_count(conn, sent ? RPCRDMA2_CNT_REPTERR_SENT :
				    RPCRDMA2_CNT_ERRORS_UNSENT);
}

/**
 * rpcrdma2_conn_send_limit - the longest Send that the peer can take
 * @conn: connection
 *
 * Context: Any context.
 * Return: a length in bytes, transport header included
 */
u32 rpcrdma2_conn_send_limit(const struct rpcrdma2_conn *conn)
{
	unsigned int seq;
	u32 limit;

	do {
		seq = read_seqcount_begin(&conn->cn_seq);
		limit = rpcrdma2_xch_send_limit(&conn->cn_xch);
	} while (read_seqcount_retry(&conn->cn_seq, seq));
	return min_t(u32, limit, RPCRDMA2_MAX_INLINE);
}

/**
 * rpcrdma2_conn_peer_value - look up a characteristic of the peer
 * @conn: connection
 * @n: which one; RBSTRUCT is too large for this
 *
 * Context: Any context.
 * Return: the value in force, or the default
 */
u32 rpcrdma2_conn_peer_value(const struct rpcrdma2_conn *conn, u32 n)
{
	unsigned int seq;
	u32 value;

	do {
		seq = read_seqcount_begin(&conn->cn_seq);
		value = rpcrdma2_xchar_value(&conn->cn_xch.xc_peer, n);
	} while (read_seqcount_retry(&conn->cn_seq, seq));
	return value;
}

/**
 * rpcrdma2_conn_peer_struct - look up how the peer's Receives are made
 * @conn: connection
 * @rb: OUT: their structure
 *
 * What is behind the length that is returned cannot be reached, whatever the
 * structure says.
 *
 * Context: Any context.
 * Return: the longest Send that the peer can take, in bytes
 */
u32 rpcrdma2_conn_peer_struct(const struct rpcrdma2_conn *conn,
			      struct rpcrdma2_rbstruct *rb)
{
	unsigned int seq;
	u32 limit;

	do {
		seq = read_seqcount_begin(&conn->cn_seq);
		*rb = conn->cn_xch.xc_peer.rbstruct;
		limit = rpcrdma2_xch_send_limit(&conn->cn_xch);
	} while (read_seqcount_retry(&conn->cn_seq, seq));
	return min_t(u32, limit, RPCRDMA2_MAX_INLINE);
}

/**
 * rpcrdma2_conn_due - is there a control message to send?
 * @conn: connection
 *
 * Context: Any context.
 * Return: %true if there is
 */
bool rpcrdma2_conn_due(const struct rpcrdma2_conn *conn)
{
	unsigned int seq;
	bool due;

	do {
		seq = read_seqcount_begin(&conn->cn_seq);
		due = rpcrdma2_xch_due(&conn->cn_xch);
	} while (read_seqcount_retry(&conn->cn_seq, seq));
	return due;
}

/**
 * rpcrdma2_conn_next - take the next control message that is due
 * @conn: connection
 * @xid: rdma_xid for it
 * @ctrl: OUT: the message
 *
 * Context: process context; the caller holds a lock until rpcrdma2_conn_sent()
 * under which answers are sent, too
 * Return: %false if there is none
 */
bool rpcrdma2_conn_next(struct rpcrdma2_conn *conn, __be32 xid,
			struct rpcrdma2_ctrl *ctrl)
{
	bool due;

	rpcrdma2_conn_change_begin(conn);
	due = rpcrdma2_xch_next(&conn->cn_xch, xid, ctrl);
	rpcrdma2_conn_change_end(conn);
	return due;
}

/**
 * rpcrdma2_conn_sent - say what became of a control message
 * @conn: connection
 * @ctrl: message that rpcrdma2_conn_next() gave
 * @sent: it was posted; otherwise it stays due
 *
 * Context: process context
 */
void rpcrdma2_conn_sent(struct rpcrdma2_conn *conn,
			const struct rpcrdma2_ctrl *ctrl, bool sent)
{
	rpcrdma2_conn_change_begin(conn);
	if (sent)
		rpcrdma2_xch_sent(&conn->cn_xch, ctrl);
	else
		rpcrdma2_xch_unsent(&conn->cn_xch, ctrl);
	rpcrdma2_conn_change_end(conn);
	if (!sent)
		return;
	rpcrdma2_count(conn, RPCRDMA2_CNT_CONTROL_SENT);
	if (ctrl->opttype == ROPT_REQXCH)
		trace_rpcrdma2_reqxch(conn, ctrl->xid, &ctrl->values, true);
	else
		trace_rpcrdma2_updxch(conn, ctrl->xid, &ctrl->values,
				      ctrl->pendclr, true);
}
