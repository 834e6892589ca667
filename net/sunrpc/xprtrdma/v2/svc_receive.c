// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: every message, in the order of arrival.
 *
 * Receive completions of a connection are handled one after the other, while
 * the service threads that take the messages from there run in parallel. What
 * has to hold for all later messages is therefore decided here: whether the
 * connection speaks version 1 or 2, what the peer is able to receive, and which
 * transmissions make one Call. Nothing is sent from the receive handler, since
 * sending may have to wait. But what ends a reverse Call needs no thread, and
 * must not wait for one: all threads may be busy with forward Calls, some even
 * waiting for what a reply says. And of an error and a reply to the same Call,
 * the one that came first counts (D-02, N-30).
 *
 * A message is decoded, looked at as a part of the group that is open, and then
 * goes to whoever deals with its kind, which svc_rdma2_entries[] says. These
 * neither answer nor drop: they return what is left to do.
 *
 * What the peer says of itself takes effect in the receive handler, so that it holds for
 * everything that arrives later. Answers are left to service threads, and what this end has
 * to say unasked to a work item of the connection. They post one at a time: were
 * ROPT_RESPXCH about a lower RBSIZ to overtake ROPT_UPDXCH about an earlier and higher one,
 * the peer would take the wrong one for the last.
 */

#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/sunrpc/svc.h>

#include "svc.h"
#include <trace/events/rpcrdma2.h>

/* xid, msg_type, rpcvers, prog, vers, proc */
enum {
	SVC_RDMA2_CALL_MIN	= 6 * XDR_UNIT,
};

/* Section: what the peer says of itself, and asks for, in the receive handler */

/* Receive what is not answered. @ctxt: received ROPT_UPDXCH, or ROPT_INITXCH in
 * REPLY direction, sound. That INITXCH answers nothing of ours (N-91). Context:
 * receive handler, or service thread. Returns SVC_RDMA2_O_DONE.
 */
static enum svc_rdma2_outcome svc_rdma2_take_control(struct svcxprt_rdma *rdma,
						     struct svc_rdma_recv_ctxt *ctxt)
{
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_CONTROL_RECEIVED);
	svc_rdma2_take_credit(rdma, &ctxt->rc_v2->rv_msg);
	return SVC_RDMA2_O_DONE;
}

/* Receive ROPT_INITXCH that does not parse. @ctxt: the message, in REPLY
 * direction. Its header still counts (N-92). Returns SVC_RDMA2_O_BAD_XDR.
 */
static enum svc_rdma2_outcome svc_rdma2_bad_initxch(struct svcxprt_rdma *rdma,
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

/* Receive ROPT_RESPXCH. @ctxt: the message, header sound. Returns what becomes of
 * it.
 */
static enum svc_rdma2_outcome svc_rdma2_take_respxch(struct svcxprt_rdma *rdma,
						     struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	if (svc_rdma2_end_request(v2, ctxt))
		return svc_rdma2_take_control(rdma, ctxt);
	rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_CONTROL_RECEIVED);
	return SVC_RDMA2_O_DROP;
}

/* Receive ROPT_RESPXCH that does not parse. Returns SVC_RDMA2_O_BAD_XDR. */
static enum svc_rdma2_outcome svc_rdma2_bad_respxch(struct svcxprt_rdma *rdma,
						    struct svc_rdma_recv_ctxt *ctxt)
{
	svc_rdma2_end_request(rdma->sc_v2, ctxt);
	return SVC_RDMA2_O_BAD_XDR;
}

/* Receive RDMA2_ERROR. @ctxt: the message, header sound. INVAL_OPTION is about a
 * message of RDMA2_OPTIONAL, and about a reverse Call only if that went by
 * ROPT_XMTREQ (A-12, N-49). A peer that does not know the version that was agreed
 * is beyond help (N-45). Returns what becomes of it.
 */
static enum svc_rdma2_outcome svc_rdma2_take_error(struct svcxprt_rdma *rdma,
						   struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	bool matched;
	u32 about;

	rpcrdma2_count_error(conn, msg->error.code, false);
	trace_rpcrdma2_error_received(conn, msg->xid, &msg->error);
	about = rpcrdma2_conn_error(conn, msg);
	if (about == ROPT_REQXCH) {
		svc_rdma2_memory_confirm(rdma->sc_v2);
		svc_rdma2_ctrl_put_credit(rdma->sc_v2);
	}
	matched = about;
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

/* Receive ROPT_REPTERR. @ctxt: the message, header sound; the peer got a bad
 * response, or a bad reverse Call. What it waited for is lost: it was told so
 * when it looked at the response. From here on nothing is placed in its Receives.
 * One that is about nothing that was sent, or that does not parse, is of no
 * consequence (N-211, N-212). A report is never answered. Returns what
 * becomes of it.
 */
static enum svc_rdma2_outcome svc_rdma2_take_report(struct svcxprt_rdma *rdma,
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

/* Answer the peer's INITXCH with our own. @ctxt: received INITXCH in CALL
 * direction, sound. The answer completes negotiation and carries the forward
 * grant. Context: service thread, may sleep. Returns
 * SVC_RDMA2_O_DONE.
 */
static enum svc_rdma2_outcome
svc_rdma2_answer_initxch(struct svc_rqst *rqstp,
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

/* Answer the peer's request. @ctxt: received REQXCH in CALL direction, decided
 * about. Context: service thread, may sleep. Returns SVC_RDMA2_O_DONE.
 */
static enum svc_rdma2_outcome
svc_rdma2_answer_reqxch(struct svc_rqst *rqstp, struct svc_rdma_recv_ctxt *ctxt)
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

/* See whether there is anything to tell the peer. Context: receive handler, after
 * each message.
 */
static void svc_rdma2_progress(struct svc_rdma2 *v2)
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

/* Section: who deals with what */

/**
 * struct svc_rdma2_entry - who deals with messages of one kind and direction
 * @effect: lets a sound message take effect before anything is decided by it;
 *	returns false if it is not sound after all
 * @arrived: takes a sound message in the receive handler
 * @unsound: takes one that does not parse there, so that it does not just count
 *	as a bad header
 * @thread: takes a sound message in a service thread
 * @bare: nothing follows its header
 */
struct svc_rdma2_entry {
	bool			(*effect)(struct rpcrdma2_conn *conn,
					  const void *buf,
					  struct rpcrdma2_msg *msg);
	enum svc_rdma2_outcome	(*arrived)(struct svcxprt_rdma *rdma,
					   struct svc_rdma_recv_ctxt *ctxt);
	enum svc_rdma2_outcome	(*unsound)(struct svcxprt_rdma *rdma,
					   struct svc_rdma_recv_ctxt *ctxt);
	enum svc_rdma2_outcome	(*thread)(struct svc_rqst *rqstp,
					  struct svc_rdma_recv_ctxt *ctxt);
	bool			bare;
};

/* Decide about ROPT_REQXCH. @msg: of a struct svc_rdma2_recv, which gets the answer. */
static bool svc_rdma2_hear_reqxch(struct rpcrdma2_conn *conn, const void *buf,
				  struct rpcrdma2_msg *msg)
{
	struct svc_rdma2_recv *rv = container_of(msg, struct svc_rdma2_recv, rv_msg);

	return rpcrdma2_conn_reqxch(conn, buf, msg, &rv->rv_answer);
}

/* The last entry is for what is of no known kind. */
static const struct svc_rdma2_entry svc_rdma2_entries[RPCRDMA2_NR_KINDS + 1][2] = {
	[RPCRDMA2_K_MSG][RDMA2_CALL] = { .thread = svc_rdma2_take_msg },
	[RPCRDMA2_K_MSG][RDMA2_REPLY] = {
		.arrived = svc_rdma2_bc_reply, .unsound = svc_rdma2_bc_bad_reply },
	[RPCRDMA2_K_NOMSG][RDMA2_CALL] = { .thread = svc_rdma2_take_msg, .bare = true },
	[RPCRDMA2_K_NOMSG][RDMA2_REPLY] = {
		.arrived = svc_rdma2_bc_reply, .unsound = svc_rdma2_bc_bad_reply },
	[RPCRDMA2_K_ERROR][RDMA2_REPLY] = {
		.arrived = svc_rdma2_take_error, .unsound = svc_rdma2_bc_bad_reply,
		.bare = true },
	[RPCRDMA2_K_INITXCH][RDMA2_CALL] = {
		.effect = rpcrdma2_conn_initxch, .thread = svc_rdma2_answer_initxch,
		.bare = true },
	[RPCRDMA2_K_INITXCH][RDMA2_REPLY] = {
		.effect = rpcrdma2_conn_initxch, .arrived = svc_rdma2_take_control,
		.unsound = svc_rdma2_bad_initxch, .bare = true },
	[RPCRDMA2_K_REQXCH][RDMA2_CALL] = {
		.effect = svc_rdma2_hear_reqxch, .thread = svc_rdma2_answer_reqxch,
		.bare = true },
	[RPCRDMA2_K_RESPXCH][RDMA2_REPLY] = {
		.arrived = svc_rdma2_take_respxch, .unsound = svc_rdma2_bad_respxch,
		.bare = true },
	[RPCRDMA2_K_UPDXCH][RDMA2_CALL] = {
		.effect = rpcrdma2_conn_updxch, .arrived = svc_rdma2_take_control,
		.bare = true },
	[RPCRDMA2_K_UPDXCH][RDMA2_REPLY] = {
		.effect = rpcrdma2_conn_updxch, .arrived = svc_rdma2_take_control,
		.bare = true },
	[RPCRDMA2_K_XMTREQ][RDMA2_CALL] = {
		.arrived = svc_rdma2_lead_call, .unsound = svc_rdma2_lead_call,
		.thread = svc_rdma2_take_xmtreq },
	[RPCRDMA2_K_XMTREQ][RDMA2_REPLY] = { .unsound = svc_rdma2_lead_call },
	[RPCRDMA2_K_XMTRESP][RDMA2_CALL] = { .unsound = svc_rdma2_bc_xmtresp },
	[RPCRDMA2_K_XMTRESP][RDMA2_REPLY] = {
		.arrived = svc_rdma2_bc_xmtresp, .unsound = svc_rdma2_bc_xmtresp },
	[RPCRDMA2_K_REPTERR][RDMA2_CALL] = { .arrived = svc_rdma2_take_report },
	[RPCRDMA2_K_REPTERR][RDMA2_REPLY] = { .arrived = svc_rdma2_take_report },
};

/* Who deals with a message? @msg: the message; one whose direction cannot be read
 * counts as a Call. Returns its entry.
 */
static const struct svc_rdma2_entry *
svc_rdma2_entry_of(const struct rpcrdma2_msg *msg)
{
	return &svc_rdma2_entries[rpcrdma2_msg_kind(msg)]
				 [msg->dir == RDMA2_REPLY];
}

/* Section: the receive handler */

/* Let a message decide the version of a connection that is not settled. The first
 * message of a version that is spoken here decides, whatever else is wrong with it
 * (A-37, N-71). It also decides what Receives are going to be like. Returns false if
 * there is no memory for them.
 */
static bool svc_rdma2_decide_version(struct svcxprt_rdma *rdma,
				     const struct rpcrdma2_msg *msg)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	if (msg->vers != RPCRDMA_VERSION && msg->vers != RPCRDMA2_VERSION)
		return true;
	rpcrdma2_conn_set_version(&v2->sv_conn, msg->vers,
				  v2->sv_conn.cn_xch.xc_heard ?
				  RPCRDMA2_WHY_INITXCH : RPCRDMA2_WHY_PEER);
	return svc_rdma2_memory_decide(rdma);
}

/* Decode a message and let it take effect. @rdma: connection that has not settled on
 * version 1. Everything that is used of the header later on was checked here against
 * the number of bytes that were received. Returns false if there is no header
 * that could be answered (A-19, N-01), or the connection cannot go on.
 */
static bool svc_rdma2_decode(struct svcxprt_rdma *rdma,
			     struct svc_rdma_recv_ctxt *ctxt)
{
	struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	const struct svc_rdma2_entry *entry;
	struct svc_rdma2 *v2 = rdma->sc_v2;

	svc_rdma2_recv_for_cpu(rdma, ctxt);
	if (rpcrdma2_decode(ctxt->rc_recv_buf, ctxt->rc_byte_len,
			    &v2->sv_limits, msg) == RPCRDMA2_SHORT) {
		rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_TOO_SHORT);
		trace_rpcrdma2_bad_message(&v2->sv_conn, msg);
		return false;
	}

	entry = svc_rdma2_entry_of(msg);
	if (msg->verdict == RPCRDMA2_OK && entry->effect &&
	    !entry->effect(&v2->sv_conn, ctxt->rc_recv_buf, msg))
		msg->verdict = RPCRDMA2_BAD_XDR;
	return v2->sv_conn.cn_version || svc_rdma2_decide_version(rdma, msg);
}

/* Let a message be dealt with by its kind. Returns what becomes of it. */
static enum svc_rdma2_outcome svc_rdma2_arrived(struct svcxprt_rdma *rdma,
						struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	const struct svc_rdma2_entry *entry = svc_rdma2_entry_of(msg);
	struct svc_rdma2 *v2 = rdma->sc_v2;
	enum svc_rdma2_outcome outcome;

	if (msg->verdict == RPCRDMA2_BAD_XDR)
		return entry->unsound ? entry->unsound(rdma, ctxt) :
					SVC_RDMA2_O_BAD_XDR;
	if (msg->verdict != RPCRDMA2_OK)
		return SVC_RDMA2_O_QUEUE;
	if (entry->bare && msg->length > msg->hdrlen)
		rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_TRAILING_BYTES);
	if (!entry->arrived)
		return entry->thread ? SVC_RDMA2_O_QUEUE : SVC_RDMA2_O_DROP;
	outcome = entry->arrived(rdma, ctxt);
	if (outcome == SVC_RDMA2_O_HELD)
		svc_rdma2_group_open(v2, ctxt);
	return outcome;
}

/* Find out what becomes of a decoded message. @rdma: has settled on version 2, or on
 * none.
 */
static enum svc_rdma2_outcome
svc_rdma2_process(struct svcxprt_rdma *rdma, struct svc_rdma_recv_ctxt **pctxt)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	struct rpcrdma2_msg *msg = &(*pctxt)->rc_v2->rv_msg;
	enum svc_rdma2_outcome outcome;

	outcome = svc_rdma2_assemble(rdma, pctxt);
	if (outcome == SVC_RDMA2_O_OTHER)
		outcome = svc_rdma2_arrived(rdma, *pctxt);
	if (outcome == SVC_RDMA2_O_BAD_XDR) {
		/* Errors go from responder to requester. */
		outcome = SVC_RDMA2_O_QUEUE;
		msg->verdict = RPCRDMA2_BAD_XDR;
		if (msg->dir == RDMA2_REPLY) {
			rpcrdma2_count(conn, RPCRDMA2_CNT_BAD_HEADERS);
			outcome = SVC_RDMA2_O_DROP;
		}
	}

	switch (outcome) {
	case SVC_RDMA2_O_QUEUE:
	case SVC_RDMA2_O_HELD:
	case SVC_RDMA2_O_CLOSE:
		return outcome;
	case SVC_RDMA2_O_DROP:
		rpcrdma2_conn_drop(conn, msg);
		break;
	default:
		break;
	}
	percpu_counter_inc(&svcrdma_stat_recv);
	return SVC_RDMA2_O_DONE;
}

/**
 * svc_rdma2_receive - look at a message before it is queued
 * @rdma: connection
 * @pctxt: received message with rc_v2; the first transmission of the Call takes
 *	its place if it completes one
 *
 * Once a connection speaks version 1, its messages lose their rc_v2, and no
 * code of version 2 sees them again. One that is longer than version 1 allows
 * may still have found a Receive that is long enough.
 *
 * Context: receive handler, serialized for each connection. The message stays
 * with the caller unless it is held.
 * Return: SVC_RDMA2_O_QUEUE, _HELD, _DONE or _CLOSE
 */
enum svc_rdma2_outcome svc_rdma2_receive(struct svcxprt_rdma *rdma,
					 struct svc_rdma_recv_ctxt **pctxt)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	struct svc_rdma_recv_ctxt *ctxt = *pctxt;
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	enum svc_rdma2_outcome outcome;

	if (conn->cn_version != RPCRDMA_VERSION && !svc_rdma2_decode(rdma, ctxt))
		return SVC_RDMA2_O_CLOSE;
	if (conn->cn_version == RPCRDMA_VERSION) {
		ctxt->rc_v2 = NULL;
		kfree(rv);
		if (ctxt->rc_block && ctxt->rc_byte_len > rdma->sc_max_req_size)
			return SVC_RDMA2_O_CLOSE;
		return SVC_RDMA2_O_QUEUE;
	}

	if (rv->rv_msg.verdict == RPCRDMA2_OK)
		trace_rpcrdma2_receive(conn, &rv->rv_msg);
	else
		trace_rpcrdma2_bad_message(conn, &rv->rv_msg);
	rv->rv_version = conn->cn_version;
	rv->rv_cant_reply.code = 0;
	rv->rv_fault.which = 0;
	svc_rdma2_memory_arrived(rdma, ctxt);
	outcome = svc_rdma2_process(rdma, pctxt);
	svc_rdma2_progress(rdma->sc_v2);
	return outcome;
}

/* Section: service threads */

/* Is a Call one that the upper layer can look at? For one that ends before it says
 * what is called, the upper layer would close the connection. It is dropped instead
 * (N-35). Returns false if the Call was dropped.
 */
static bool svc_rdma2_call_whole(struct svc_rqst *rqstp,
				 const struct rpcrdma2_msg *msg)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);

	if (rqstp->rq_arg.len >= SVC_RDMA2_CALL_MIN)
		return true;
	rpcrdma2_conn_drop(&rdma->sc_v2->sv_conn, msg);
	return false;
}

/* Answer a message that is bad. rdma_proc is in its place whatever the version;
 * errors are never answered (A-13, B-02, B-74).
 */
static void svc_rdma2_refuse(struct svcxprt_rdma *rdma, struct svc_rdma2_recv *rv)
{
	static const struct {
		enum rpcrdma2_counter	count;
		enum rpcrdma2_errcode	code;
	} refusals[] = {
		[RPCRDMA2_BAD_VERS]	= { RPCRDMA2_CNT_BAD_VERSION, RDMA2_ERR_VERS },
		[RPCRDMA2_BAD_PROC]	= { RPCRDMA2_CNT_BAD_HEADERS, RDMA2_ERR_INVAL_PROC },
		[RPCRDMA2_BAD_XDR]	= { RPCRDMA2_CNT_BAD_HEADERS, RDMA2_ERR_BAD_XDR },
		[RPCRDMA2_BAD_OPTION]	= { RPCRDMA2_CNT_BAD_OPTIONS, RDMA2_ERR_INVAL_OPTION },
	};
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	enum rpcrdma2_verdict verdict = rv->rv_msg.verdict;

	rpcrdma2_count(conn, refusals[verdict].count);
	if (rv->rv_msg.proc == RDMA2_ERROR)
		rpcrdma2_conn_drop(conn, &rv->rv_msg);
	else
		svc_rdma2_send_error(rdma, rv, refusals[verdict].code);
}

/* Refuse a Call that turned out not to parse. */
static void svc_rdma2_refuse_call(struct svcxprt_rdma *rdma,
				  struct svc_rdma2_recv *rv)
{
	rv->rv_msg.verdict = RPCRDMA2_BAD_XDR;
	svc_rdma2_refuse(rdma, rv);
}

/**
 * svc_rdma2_reads_refused - refuse a Call that cannot be pulled
 * @rdma: connection
 * @ctxt: the Call; there are not the pages for its Read chunks, or there would be
 *	more RDMA Reads than one Call may take of the Send Queue
 *
 * Version 1 has no way to say so that keeps the connection.
 *
 * Context: service thread, may sleep
 * Return: true
 */
bool svc_rdma2_reads_refused(struct svcxprt_rdma *rdma,
			     struct svc_rdma_recv_ctxt *ctxt)
{
	svc_rdma2_refuse_call(rdma, ctxt->rc_v2);
	return true;
}

/* How much of a Call is still at the peer? Returns a length in bytes. */
static u32 svc_rdma2_reads(const struct svc_rdma_recv_ctxt *ctxt)
{
	const struct svc_rdma_chunk *chunk;
	u32 length = 0;

	pcl_for_each_chunk(chunk, &ctxt->rc_call_pcl)
		length += chunk->ch_length;
	pcl_for_each_chunk(chunk, &ctxt->rc_read_pcl)
		length += chunk->ch_length;
	return length;
}

/**
 * svc_rdma2_recvfrom - deal with a received message
 * @arg: rq_arg of the request being received
 * @ctxt: message that has been through svc_rdma2_receive()
 *
 * What svc_rdma_recvfrom() looks for next, a reply of version 1 to a reverse Call, it
 * is not.
 *
 * Without memory for a Call, the connection is closed: the peer sends the Call
 * again when it has reconnected.
 *
 * Context: service thread, may sleep. @ctxt stays with the caller, who puts it
 * unless it carries a Call.
 * Return: 1 if it is a Call, perhaps with Read chunks to be pulled; 0 if there
 * is nothing left to do
 */
int svc_rdma2_recvfrom(struct xdr_buf *arg, struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rqst *rqstp = container_of(arg, struct svc_rqst, rq_arg);
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	struct rpcrdma2_msg *msg = &rv->rv_msg;
	const struct svc_rdma2_entry *entry;

	ctxt->rc_msgtype = rdma_done;
	if (rv->rv_fault.which) {
		svc_rdma2_send_report(rdma, rv);
		rpcrdma2_conn_drop(&rdma->sc_v2->sv_conn, msg);
		return 0;
	}
	if (msg->verdict != RPCRDMA2_OK) {
		svc_rdma2_refuse(rdma, rv);
		return 0;
	}
	entry = svc_rdma2_entry_of(msg);
	switch (entry->thread ? entry->thread(rqstp, ctxt) : SVC_RDMA2_O_DROP) {
	case SVC_RDMA2_O_CALL:
		return svc_rdma2_call_whole(rqstp, msg) &&
		       svc_rdma2_recv_flatten(rqstp, ctxt);
	case SVC_RDMA2_O_READLIST:
		svc_rdma2_memory_explicit(rdma, ctxt, svc_rdma2_reads(ctxt));
		return 1;
	case SVC_RDMA2_O_BAD_XDR:
		svc_rdma2_refuse_call(rdma, rv);
		break;
	case SVC_RDMA2_O_REPORT:
		svc_rdma2_send_report(rdma, rv);
		break;
	case SVC_RDMA2_O_CLOSE:
		svc_rdma2_close(rdma);
		break;
	case SVC_RDMA2_O_DROP:
		rpcrdma2_conn_drop(&rdma->sc_v2->sv_conn, msg);
		break;
	default:
		break;
	}
	return 0;
}

/**
 * svc_rdma2_reads_done - look at a Call that was pulled by RDMA Read
 * @rqstp: request with the whole Call in rq_arg
 * @ctxt: received message that offered it
 *
 * What came inline was checked on arrival; of a Call that begins in the peer's
 * memory the first words are here for the first time (N-20).
 *
 * Context: service thread, may sleep. @ctxt stays with the caller.
 * Return: false if the Call was answered with an error, or dropped
 */
bool svc_rdma2_reads_done(struct svc_rqst *rqstp, struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	const struct rpcrdma2_msg *msg = &rv->rv_msg;
	const struct svc_rdma2_call *xmt = rv->rv_call;
	const struct kvec *head = &rqstp->rq_arg.head[0];
	bool remote = msg->proc == RDMA2_NOMSG || (xmt && xmt->xm_remote);

	if (remote &&
	    !rpcrdma2_payload_sound(head->iov_base, head->iov_len, msg->xid,
				    msg->dir)) {
		svc_rdma2_refuse_call(svc_rdma_rqst_rdma(rqstp), rv);
		return false;
	}
	return svc_rdma2_call_whole(rqstp, msg) &&
	       svc_rdma2_recv_flatten(rqstp, ctxt);
}
