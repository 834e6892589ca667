// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: what is known of a connection.
 *
 * Kept for people: which version was agreed and why, what both ends said of
 * themselves, what happened so far. And the credits that sunrpc knows of.
 */

#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/sunrpc/xprt.h>

#include "conn.h"

#define CREATE_TRACE_POINTS
#include <trace/events/rpcrdma2.h>

const char * const rpcrdma2_why_names[] = {
	[RPCRDMA2_WHY_UNSETTLED]	= "not settled yet",
	[RPCRDMA2_WHY_DISABLED]		= "max_version is 1 here",
	[RPCRDMA2_WHY_DEVICE]		= "not enough memory or queue entries for version 2",
	[RPCRDMA2_WHY_INITXCH]		= "characteristics were exchanged",
	[RPCRDMA2_WHY_BASE]		= "peer speaks version 2 without characteristics",
	[RPCRDMA2_WHY_ERR_VERS]		= "peer refused version 2",
	[RPCRDMA2_WHY_LOST]		= "connection was lost during the probe",
	[RPCRDMA2_WHY_SILENT]		= "peer did not answer the probe",
	[RPCRDMA2_WHY_ASSUMED]		= "version 1 assumed after an earlier failure",
	[RPCRDMA2_WHY_PEER]		= "peer's first message",
};

const char * const rpcrdma2_counter_names[] = {
#define COUNTER(number, name) \
	[RPCRDMA2_CNT_##number] = name,
#include "conn_counters.h"
#undef COUNTER
};

/**
 * rpcrdma2_conn_init - prepare a record of a connection
 * @conn: zeroed record
 * @name: the peer, for people; copied
 */
void rpcrdma2_conn_init(struct rpcrdma2_conn *conn, const char *name)
{
	spin_lock_init(&conn->cn_lock);
	seqcount_spinlock_init(&conn->cn_seq, &conn->cn_lock);
	strscpy(conn->cn_name, name, sizeof(conn->cn_name));
	rpcrdma2_conn_reset(conn);
}

/**
 * rpcrdma2_conn_change_begin - begin to change characteristics
 * @conn: connection
 *
 * Whoever reads them meanwhile waits: nothing in between may take long, or read
 * them as others do.
 *
 * Context: process context; rpcrdma2_conn_change_end() has to follow
 */
void rpcrdma2_conn_change_begin(struct rpcrdma2_conn *conn)
	__acquires(&conn->cn_lock)
{
	spin_lock(&conn->cn_lock);
	write_seqcount_begin(&conn->cn_seq);
}

/**
 * rpcrdma2_conn_change_end - characteristics are changed
 * @conn: connection
 */
void rpcrdma2_conn_change_end(struct rpcrdma2_conn *conn)
	__releases(&conn->cn_lock)
{
	write_seqcount_end(&conn->cn_seq);
	spin_unlock(&conn->cn_lock);
}

/**
 * rpcrdma2_conn_reset - forget what belonged to the connection before
 * @conn: record to start anew
 *
 * Characteristics, credits and version live as long as one connection;
 * counters go on.
 *
 * Context: process context
 */
void rpcrdma2_conn_reset(struct rpcrdma2_conn *conn)
{
	rpcrdma2_conn_change_begin(conn);
	WRITE_ONCE(conn->cn_version, 0);
	conn->cn_why = RPCRDMA2_WHY_UNSETTLED;
	WRITE_ONCE(conn->cn_low, 0);
	WRITE_ONCE(conn->cn_high, 0);
	WRITE_ONCE(conn->cn_grant, 1);
	WRITE_ONCE(conn->cn_reverse_grant, 1);
	WRITE_ONCE(conn->cn_place, NULL);
	WRITE_ONCE(conn->cn_cont, NULL);
	conn->cn_reported = false;
	WRITE_ONCE(conn->cn_reverse_used, 0);
	WRITE_ONCE(conn->cn_reverse_most, 0);
	WRITE_ONCE(conn->cn_given_up, 0);
	rpcrdma2_xch_reset(&conn->cn_xch);
	rpcrdma2_conn_change_end(conn);
}

/**
 * rpcrdma2_conn_set_version - record the version of a connection
 * @conn: record
 * @version: 1 or 2
 * @why: what decided
 *
 * Context: process context
 */
void rpcrdma2_conn_set_version(struct rpcrdma2_conn *conn, u32 version,
			       enum rpcrdma2_why why)
{
	spin_lock(&conn->cn_lock);
	WRITE_ONCE(conn->cn_version, version);
	conn->cn_why = why;
	spin_unlock(&conn->cn_lock);
	trace_rpcrdma2_settled(conn);
}

/**
 * rpcrdma2_conn_reverse_used - record how many reverse Calls are under way
 * @conn: record
 * @used: their number
 *
 * Context: serialized by the lock that protects the number
 */
void rpcrdma2_conn_reverse_used(struct rpcrdma2_conn *conn, u32 used)
{
	WRITE_ONCE(conn->cn_reverse_used, used);
	if (used > conn->cn_reverse_most)
		WRITE_ONCE(conn->cn_reverse_most, used);
}

/**
 * rpcrdma2_conn_reported - a report about a transmission was sent or received
 * @conn: record
 * @rep: what it says
 * @sent: it was sent, not received
 *
 * The administrator is told of the first one, and can look up the last one
 * (E-21). Who is told that it made a mistake learns the most from it. A peer
 * that connects again and again does not fill the log.
 *
 * Context: process context
 */
void rpcrdma2_conn_reported(struct rpcrdma2_conn *conn,
			    const struct rpcrdma2_repterr *rep, bool sent)
{
	bool first;

	if (sent)
		trace_rpcrdma2_repterr_sent(conn, rep);
	else
		trace_rpcrdma2_repterr_received(conn, rep);
	spin_lock(&conn->cn_lock);
	first = !conn->cn_reported;
	conn->cn_reported = true;
	conn->cn_report_sent = sent;
	conn->cn_report = *rep;
	spin_unlock(&conn->cn_lock);
	if (first)
		pr_notice_ratelimited("rpcrdma: %s %s a bad transmission: xid 0x%08x number %u error %s (%u, %u, %u)\n",
				      conn->cn_name,
				      sent ? "sent" : "says it got",
				      be32_to_cpu(rep->bad.xid), rep->bad.seq,
				      rpcrdma2_opterr_name(rep->which),
				      rep->args[0], rep->args[1], rep->args[2]);
}

/**
 * rpcrdma2_count_error - count an RDMA2_ERROR
 * @conn: record
 * @code: rdma_err; values that are no code are not counted here
 * @sent: it was sent, not received
 */
void rpcrdma2_count_error(struct rpcrdma2_conn *conn, u32 code, bool sent)
{
	BUILD_BUG_ON(RPCRDMA2_CNT_INVAL_OPTION_SENT -
		     RPCRDMA2_CNT_ERR_VERS_SENT !=
		     RDMA2_ERR_INVAL_OPTION - RDMA2_ERR_VERS);

	if (code < RDMA2_ERR_VERS || code > RDMA2_ERR_INVAL_OPTION)
		return;
	code -= RDMA2_ERR_VERS;
	rpcrdma2_count(conn, code + (sent ? RPCRDMA2_CNT_ERR_VERS_SENT :
				     RPCRDMA2_CNT_ERR_VERS_RECEIVED));
}

/**
 * rpcrdma2_conn_drop - note that a message is discarded without an answer
 * @conn: connection
 * @msg: the message
 *
 * Context: Any context.
 */
void rpcrdma2_conn_drop(struct rpcrdma2_conn *conn, const struct rpcrdma2_msg *msg)
{
	trace_rpcrdma2_drop(conn, msg);
	rpcrdma2_count(conn, RPCRDMA2_CNT_DROPPED);
}

/* Section: the congestion window of a transport, in credits
 *
 * To sunrpc each RPC that it lets out has one credit. What else holds some is
 * counted beside it: long messages, our own requests, Calls that were given up.
 * The ledger says how many to take and to give back; nothing else touches
 * xprt->cong and xprt->cwnd.
 */

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
