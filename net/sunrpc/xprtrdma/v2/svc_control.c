// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: messages about the connection, and reports.
 *
 * What the peer says takes effect in the receive handler, so that it holds for
 * everything that arrives later. Answers are left to service threads, and what
 * this end has to say unasked to a work item of the connection. They post one
 * at a time: were ROPT_RESPXCH about a lower RBSIZ to overtake ROPT_UPDXCH about
 * an earlier and higher one, the peer would take the wrong one for the last.
 */

#include <linux/sunrpc/svc.h>

#include "svc.h"
#include <trace/events/rpcrdma2.h>

/* Section: what the peer says of itself, and asks for, in the receive handler */

/**
 * svc_rdma2_take_control - receive what is not answered
 * @rdma: connection
 * @ctxt: received ROPT_UPDXCH, or ROPT_INITXCH in REPLY direction, sound
 *
 * That INITXCH answers nothing of ours (N-91).
 *
 * Context: receive handler, or service thread
 * Return: SVC_RDMA2_O_DONE
 */
enum svc_rdma2_outcome svc_rdma2_take_control(struct svcxprt_rdma *rdma,
					      struct svc_rdma_recv_ctxt *ctxt)
{
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_CONTROL_RECEIVED);
	svc_rdma2_take_credit(rdma, &ctxt->rc_v2->rv_msg);
	return SVC_RDMA2_O_DONE;
}

/**
 * svc_rdma2_bad_initxch - receive ROPT_INITXCH that does not parse
 * @rdma: connection
 * @ctxt: the message, in REPLY direction
 *
 * Its header still counts (N-92).
 *
 * Return: SVC_RDMA2_O_BAD_XDR
 */
enum svc_rdma2_outcome svc_rdma2_bad_initxch(struct svcxprt_rdma *rdma,
					     struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;

	if (msg->opt.info_off)
		svc_rdma2_take_credit(rdma, msg);
	return SVC_RDMA2_O_BAD_XDR;
}

/* Section: what comes back of our own, in the receive handler */

/* Take the answer to a request of this end. @ctxt: received ROPT_RESPXCH in REPLY
 * direction, perhaps not sound (N-104). Returns false if it answers nothing.
 */
static bool svc_rdma2_end_request(struct svc_rdma2 *v2,
				  struct svc_rdma_recv_ctxt *ctxt)
{
	if (!rpcrdma2_conn_respxch(&v2->sv_conn, ctxt->rc_recv_buf,
				   &ctxt->rc_v2->rv_msg))
		return false;
	svc_rdma2_memory_confirm(v2);
	svc_rdma2_ctrl_put_credit(v2);
	return true;
}

/**
 * svc_rdma2_take_respxch - receive ROPT_RESPXCH
 * @rdma: connection
 * @ctxt: the message, header sound
 *
 * Return: what becomes of it
 */
enum svc_rdma2_outcome svc_rdma2_take_respxch(struct svcxprt_rdma *rdma,
					      struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	if (svc_rdma2_end_request(v2, ctxt))
		return svc_rdma2_take_control(rdma, ctxt);
	rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_CONTROL_RECEIVED);
	return SVC_RDMA2_O_DROP;
}

/**
 * svc_rdma2_bad_respxch - receive ROPT_RESPXCH that does not parse
 * @rdma: connection
 * @ctxt: the message
 *
 * Return: SVC_RDMA2_O_BAD_XDR
 */
enum svc_rdma2_outcome svc_rdma2_bad_respxch(struct svcxprt_rdma *rdma,
					     struct svc_rdma_recv_ctxt *ctxt)
{
	svc_rdma2_end_request(rdma->sc_v2, ctxt);
	return SVC_RDMA2_O_BAD_XDR;
}

/* See whether an error is about a message of ours. @msg: received RDMA2_ERROR,
 * header sound. Returns false if it is not about a control message.
 */
static bool svc_rdma2_is_our_control(struct svc_rdma2 *v2,
				     const struct rpcrdma2_msg *msg)
{
	u32 about = rpcrdma2_conn_error(&v2->sv_conn, msg);

	if (about == ROPT_REQXCH) {
		svc_rdma2_memory_confirm(v2);
		svc_rdma2_ctrl_put_credit(v2);
	}
	return about;
}

/**
 * svc_rdma2_take_error - receive RDMA2_ERROR
 * @rdma: connection
 * @ctxt: the message, header sound
 *
 * INVAL_OPTION is about a message of RDMA2_OPTIONAL, and about a reverse Call
 * only if that went by ROPT_XMTREQ (A-12, N-49). A peer that does not know the
 * version that was agreed is beyond help (N-45).
 *
 * Return: what becomes of it
 */
enum svc_rdma2_outcome svc_rdma2_take_error(struct svcxprt_rdma *rdma,
					    struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	bool matched;

	rpcrdma2_count_error(conn, msg->error.code, false);
	trace_rpcrdma2_error_received(conn, msg->xid, &msg->error);
	matched = svc_rdma2_is_our_control(rdma->sc_v2, msg);
	if (matched)
		svc_rdma2_take_credit(rdma, msg);
	if (!matched && msg->error.code == RDMA2_ERR_INVAL_OPTION)
		matched = svc_rdma2_bc_refused(rdma, msg, msg->xid);
	else if (!matched)
		matched = svc_rdma2_bc_fail(rdma, msg);
	if (!matched)
		return SVC_RDMA2_O_DROP;
	if (msg->error.code == RDMA2_ERR_VERS)
		svc_rdma2_close(rdma);
	return SVC_RDMA2_O_DONE;
}

/**
 * svc_rdma2_take_report - receive ROPT_REPTERR
 * @rdma: connection
 * @ctxt: the message, header sound; the peer got a bad response, or a bad
 *	reverse Call
 *
 * What it waited for is lost: it was told so when it looked at the response.
 * From here on nothing is placed in its Receives. One that is about nothing
 * that was sent, or that does not parse, is of no consequence (N-211, N-212). A
 * report is never answered.
 *
 * Return: what becomes of it
 */
enum svc_rdma2_outcome svc_rdma2_take_report(struct svcxprt_rdma *rdma,
					     struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_xmsid about;
	struct rpcrdma2_repterr rep;

	if (rpcrdma2_decode_repterr(ctxt->rc_recv_buf, msg, &rep))
		return SVC_RDMA2_O_DROP;
	rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_REPTERR_RECEIVED);
	rpcrdma2_conn_reported(&v2->sv_conn, &rep, false);
	if (!rpcrdma2_repterr_about(msg, &rep, &about))
		return SVC_RDMA2_O_DROP;
	if (about.dir == RDMA2_CALL)
		return svc_rdma2_bc_refused(rdma, msg, about.xid) ?
			       SVC_RDMA2_O_DONE : SVC_RDMA2_O_DROP;
	if (!rpcrdma2_recent_take(&v2->sv_place.pl_recent, about.xid))
		return SVC_RDMA2_O_DROP;
	WRITE_ONCE(v2->sv_place.pl_off, true);
	WRITE_ONCE(v2->sv_conn.cn_place, "off: the peer reported an error");
	return SVC_RDMA2_O_DONE;
}

/* Section: answers, by service threads */

/**
 * svc_rdma2_answer_initxch - answer the peer's INITXCH with our own
 * @rqstp: request being received
 * @ctxt: received INITXCH in CALL direction, sound
 *
 * The answer completes negotiation and carries the forward grant (A-30, X-37,
 * If it cannot be sent, the peer will take its silence for what it is.
 *
 * Context: service thread, may sleep
 * Return: SVC_RDMA2_O_DONE
 */
enum svc_rdma2_outcome svc_rdma2_answer_initxch(struct svc_rqst *rqstp,
						struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct svc_rdma2 *v2 = rdma->sc_v2;

	svc_rdma2_take_control(rdma, ctxt);
	mutex_lock(&v2->sv_ctrl_mutex);
	svc_rdma2_send_initxch(rdma, ctxt->rc_v2);
	mutex_unlock(&v2->sv_ctrl_mutex);
	svc_rdma2_control_kick(v2);
	return SVC_RDMA2_O_DONE;
}

/**
 * svc_rdma2_answer_reqxch - answer the peer's request
 * @rqstp: request being received
 * @ctxt: received REQXCH in CALL direction, decided about
 *
 * Context: service thread, may sleep
 * Return: SVC_RDMA2_O_DONE
 */
enum svc_rdma2_outcome svc_rdma2_answer_reqxch(struct svc_rqst *rqstp,
					       struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	struct svc_rdma2 *v2 = rdma->sc_v2;

	svc_rdma2_take_control(rdma, ctxt);
	mutex_lock(&v2->sv_ctrl_mutex);
	svc_rdma2_send_respxch(rdma, rv);
	mutex_unlock(&v2->sv_ctrl_mutex);
	rpcrdma2_conn_answered(&v2->sv_conn);
	svc_rdma2_control_kick(v2);
	return SVC_RDMA2_O_DONE;
}

/* Section: what this end has to say unasked, by a work item */

/**
 * svc_rdma2_progress - see whether there is anything to tell the peer
 * @v2: connection
 *
 * Context: receive handler, after each message
 */
void svc_rdma2_progress(struct svc_rdma2 *v2)
{
	/* Changes in the work item alone, which lets RPCs have the credit that is
	 * kept if nothing is due any more.
	 */
	bool wanted = data_race(READ_ONCE(v2->sv_ledger.control_wanted));
	u32 size = svc_rdma2_on_demand(v2) ? RPCRDMA2_DEF_INLINE :
					     READ_ONCE(rpcrdma2_server_recv_size);

	if (rpcrdma2_conn_progress(&v2->sv_conn, size) || wanted)
		queue_work(system_dfl_wq, &v2->sv_ctrl_work);
}

/* Take an xid for a message of the transport's own. Returns an xid that no
 * reverse Call will use.
 */
static __be32 svc_rdma2_next_xid(struct svcxprt_rdma *rdma)
{
	struct rpc_xprt *xprt = READ_ONCE(rdma->sc_xprt.xpt_bc_xprt);
	__be32 xid;

	if (!xprt)
		return cpu_to_be32(++rdma->sc_v2->sv_ctrl_xid);
	spin_lock(&xprt->reserve_lock);
	xid = (__force __be32)xprt->xid++;
	spin_unlock(&xprt->reserve_lock);
	return xid;
}

/* Send the next control message that is due. ROPT_REQXCH holds a reverse credit
 * until it is answered. An empty one does not insist: where there are reverse
 * Calls, there are replies. Context: sv_ctrl_mutex is held. Returns true if there
 * may be another one.
 */
static bool svc_rdma2_send_ctrl(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_ctrl ctrl;
	bool request, sent;

	if (!rpcrdma2_conn_due(&v2->sv_conn) ||
	    !rpcrdma2_conn_next(&v2->sv_conn, svc_rdma2_next_xid(rdma), &ctrl)) {
		svc_rdma2_ctrl_unwanted(v2);
		return false;
	}
	request = ctrl.opttype == ROPT_REQXCH;
	sent = !request || svc_rdma2_ctrl_get_credit(rdma, ctrl.values.present);
	if (sent) {
		if (request)
			svc_rdma2_memory_ask(v2);
		sent = svc_rdma2_send_control(rdma, &ctrl);
		if (!sent && request)
			svc_rdma2_ctrl_put_credit(v2);
	}
	rpcrdma2_conn_sent(&v2->sv_conn, &ctrl, sent);
	return sent;
}

/**
 * svc_rdma2_ctrl_worker - send what is due
 * @work: work item of a connection
 *
 * What cannot be sent now is tried again when the next message arrives, or a
 * reverse Call returns its credit. While the Send Queue is full nothing is added
 * to what waits for room there; svc_rdma_sq_resume() queues this again. It must
 * not wait itself: svc_rdma2_closing() waits for it.
 *
 * Context: system_dfl_wq; over when svc_rdma2_closing() returns
 */
void svc_rdma2_ctrl_worker(struct work_struct *work)
{
	struct svc_rdma2 *v2 = container_of(work, struct svc_rdma2, sv_ctrl_work);

	mutex_lock(&v2->sv_ctrl_mutex);
	while (!svc_rdma_sq_full(v2->sv_rdma) && svc_rdma2_send_ctrl(v2->sv_rdma))
		;
	mutex_unlock(&v2->sv_ctrl_mutex);
}

/**
 * svc_rdma2_kick - have the work item run
 * @conn: record of a connection
 *
 * Context: cn_lock is held
 */
void svc_rdma2_kick(struct rpcrdma2_conn *conn)
{
	struct svc_rdma2 *v2 = container_of(conn, struct svc_rdma2, sv_conn);

	queue_work(system_dfl_wq, &v2->sv_ctrl_work);
}
