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
 * Transmissions of a Call follow each other directly. What is held of a Call
 * that is not complete are Receives that were posted for its credits: the first
 * one holds the others, and goes to a service thread when the last one is here.
 * It costs no memory that the connection did not have before.
 *
 * Invariants:
 *
 * R1. @ra_asm and @ra_lead belong to the receive handler. @ra_lead is set as
 *     long as a group is open; nobody else knows of these Receives.
 * R2. Whatever ends a group early puts @ra_lead, and with it all others.
 * R3. A group is open until the next message arrives, or the connection ends,
 *     which it does if the group is not complete in time.
 */

#include <linux/slab.h>
#include <linux/sunrpc/svc.h>
#include <linux/workqueue.h>

#include "svc.h"
#include <trace/events/rpcrdma2.h>

/* xid, msg_type, rpcvers, prog, vers, proc */
enum {
	SVC_RDMA2_CALL_MIN	= 6 * XDR_UNIT,
};

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

/* Section: the group that is open */

/* End a connection whose peer leaves a Call incomplete. There may have been other
 * groups since this was queued. Context: cancelled before the connection goes.
 */
static void svc_rdma2_group_overdue(struct work_struct *work)
{
	struct svc_rdma2_assembly *ra =
		container_of(to_delayed_work(work), struct svc_rdma2_assembly,
			     ra_work);
	struct svc_rdma2 *v2 = container_of(ra, struct svc_rdma2, sv_assembly);
	unsigned long expires = READ_ONCE(ra->ra_expires);

	if (!expires)
		return;
	if (time_before(jiffies, expires)) {
		schedule_delayed_work(&ra->ra_work, expires - jiffies);
		return;
	}
	rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_GROUPS_OVERDUE);
	svc_rdma2_close(v2->sv_rdma);
}

/**
 * svc_rdma2_group_init - begin to watch over groups
 * @rdma: connection being accepted
 */
void svc_rdma2_group_init(struct svcxprt_rdma *rdma)
{
	INIT_DELAYED_WORK(&rdma->sc_v2->sv_assembly.ra_work,
			  svc_rdma2_group_overdue);
}

/**
 * svc_rdma2_group_flush - forget the Call that is not complete
 * @rdma: connection that nothing arrives over any more
 *
 * Context: may sleep
 */
void svc_rdma2_group_flush(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2_assembly *ra = &rdma->sc_v2->sv_assembly;

	cancel_delayed_work_sync(&ra->ra_work);
	if (ra->ra_lead)
		svc_rdma_recv_ctxt_put(rdma, ra->ra_lead);
	ra->ra_lead = NULL;
}

/* Hold the first transmission of a Call. */
static void svc_rdma2_group_open(struct svc_rdma2 *v2,
				 struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2_assembly *ra = &v2->sv_assembly;

	ra->ra_lead = ctxt;
	WRITE_ONCE(ra->ra_expires, (jiffies + ra->ra_timeout) | 1);
	schedule_delayed_work(&ra->ra_work, ra->ra_timeout);
}

/* Hold no transmissions any more. Returns the first one, which holds the others. */
static struct svc_rdma_recv_ctxt *svc_rdma2_group_close(struct svc_rdma2 *v2)
{
	struct svc_rdma_recv_ctxt *lead = v2->sv_assembly.ra_lead;

	v2->sv_assembly.ra_lead = NULL;
	WRITE_ONCE(v2->sv_assembly.ra_expires, 0);
	return lead;
}

/* Hold another transmission of the Call, which @ra_asm has taken. */
static void svc_rdma2_group_add(struct svc_rdma2 *v2,
				struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2_call *xmt = v2->sv_assembly.ra_lead->rc_v2->rv_call;

	xmt->xm_ctxts[xmt->xm_arr.nparts++] = ctxt;
	rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_XMTCONTS_RECEIVED);
}

/* Have a service thread report what broke a Call. It is queued before the message
 * that broke it.
 */
static void svc_rdma2_group_report(struct svcxprt_rdma *rdma,
				   struct svc_rdma_recv_ctxt *lead)
{
	spin_lock(&rdma->sc_rq_dto_lock);
	list_add_tail(&lead->rc_list, &rdma->sc_rq_dto_q);
	/* The unlock pairs with the smp_rmb in svc_xprt_ready() */
	set_bit(XPT_DATA, &rdma->sc_xprt.xpt_flags);
	spin_unlock(&rdma->sc_rq_dto_lock);
	if (!test_bit(RDMAXPRT_CONN_PENDING, &rdma->sc_flags))
		svc_xprt_enqueue(&rdma->sc_xprt);
}

/* Give up a Call that cannot become complete. @fault: code 0 if there is none. */
static void svc_rdma2_group_break(struct svcxprt_rdma *rdma,
				  const struct rpcrdma2_repterr *fault)
{
	struct svc_rdma_recv_ctxt *lead = svc_rdma2_group_close(rdma->sc_v2);
	const struct svc_rdma2_call *xmt = lead->rc_v2->rv_call;
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;

	rpcrdma2_count(conn, RPCRDMA2_CNT_GROUPS_BROKEN);
	trace_rpcrdma2_group_broken(conn, lead->rc_v2->rv_msg.xid, RDMA2_CALL,
				    xmt->xm_arr.count, xmt->xm_arr.nparts);
	lead->rc_v2->rv_fault = *fault;
	if (fault->which)
		svc_rdma2_group_report(rdma, lead);
	else
		svc_rdma_recv_ctxt_put(rdma, lead);
}

/* Hand on a Call that is complete. Returns its first transmission, which holds the
 * others.
 */
static struct svc_rdma_recv_ctxt *svc_rdma2_group_whole(struct svc_rdma2 *v2)
{
	struct svc_rdma_recv_ctxt *lead = svc_rdma2_group_close(v2);
	const struct svc_rdma2_call *xmt = lead->rc_v2->rv_call;

	rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_GROUPS_RECEIVED);
	trace_rpcrdma2_group_received(&v2->sv_conn, lead->rc_v2->rv_msg.xid,
				      RDMA2_CALL, xmt->xm_arr.count,
				      xmt->xm_arr.nparts);
	return lead;
}

/* See whether a message belongs to a group, or breaks one (N-121..N-132,
 * N-181..N-197). @rdma: connection that has settled on version 2, or on none.
 * @pctxt: if it completes a Call, the first transmission of that takes its
 * place. Reports are left to a service thread. Returns what becomes of the
 * message, or SVC_RDMA2_O_OTHER.
 */
static enum svc_rdma2_outcome svc_rdma2_assemble(struct svcxprt_rdma *rdma,
						 struct svc_rdma_recv_ctxt **pctxt)
{
	struct svc_rdma_recv_ctxt *ctxt = *pctxt;
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	struct svc_rdma2 *v2 = rdma->sc_v2;
	enum rpcrdma2_step step;
	bool broken;

	if (rpcrdma2_assembly_passes(&v2->sv_assembly.ra_asm, &rv->rv_msg) ||
	    !svc_rdma2_takes_groups(v2))
		return SVC_RDMA2_O_OTHER;

	step = rpcrdma2_assembly_step(&v2->sv_assembly.ra_asm, ctxt->rc_recv_buf,
				      &rv->rv_msg, &rv->rv_fault);
	broken = v2->sv_assembly.ra_lead && step != RPCRDMA2_STEP_WHOLE &&
		 !rpcrdma2_assembly_is_open(&v2->sv_assembly.ra_asm);
	if (broken)
		svc_rdma2_group_break(rdma, &rv->rv_fault);

	switch (step) {
	case RPCRDMA2_STEP_HELD:
		svc_rdma2_group_add(v2, ctxt);
		return SVC_RDMA2_O_HELD;
	case RPCRDMA2_STEP_WHOLE:
		svc_rdma2_group_add(v2, ctxt);
		*pctxt = svc_rdma2_group_whole(v2);
		return SVC_RDMA2_O_QUEUE;
	case RPCRDMA2_STEP_DISCARD:
		rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_XMTCONTS_DISCARDED);
		return SVC_RDMA2_O_DROP;
	case RPCRDMA2_STEP_REPORT:
		return broken ? SVC_RDMA2_O_DONE : SVC_RDMA2_O_QUEUE;
	case RPCRDMA2_STEP_BAD_XDR:
		return SVC_RDMA2_O_BAD_XDR;
	default:
		/* What is wrong with the group is reported with that. */
		rv->rv_fault.which = 0;
		return SVC_RDMA2_O_OTHER;
	}
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

/* A message does not parse. A reply is not answered: errors go from responder to
 * requester. Returns what becomes of it.
 */
static enum svc_rdma2_outcome svc_rdma2_bad_xdr(struct rpcrdma2_conn *conn,
						struct rpcrdma2_msg *msg)
{
	msg->verdict = RPCRDMA2_BAD_XDR;
	if (msg->dir != RDMA2_REPLY)
		return SVC_RDMA2_O_QUEUE;
	rpcrdma2_count(conn, RPCRDMA2_CNT_BAD_HEADERS);
	return SVC_RDMA2_O_DROP;
}

/* Find out what becomes of a decoded message. @rdma: has settled on version 2, or on
 * none.
 */
static enum svc_rdma_fate svc_rdma2_process(struct svcxprt_rdma *rdma,
					    struct svc_rdma_recv_ctxt **pctxt)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	struct rpcrdma2_msg *msg = &(*pctxt)->rc_v2->rv_msg;
	enum svc_rdma2_outcome outcome;

	outcome = svc_rdma2_assemble(rdma, pctxt);
	if (outcome == SVC_RDMA2_O_OTHER)
		outcome = svc_rdma2_arrived(rdma, *pctxt);
	if (outcome == SVC_RDMA2_O_BAD_XDR)
		outcome = svc_rdma2_bad_xdr(conn, msg);

	switch (outcome) {
	case SVC_RDMA2_O_QUEUE:
		return SVC_RDMA_QUEUE;
	case SVC_RDMA2_O_HELD:
		return SVC_RDMA_HELD;
	case SVC_RDMA2_O_CLOSE:
		return SVC_RDMA_BROKEN;
	case SVC_RDMA2_O_DROP:
		rpcrdma2_conn_drop(conn, msg);
		break;
	default:
		break;
	}
	percpu_counter_inc(&svcrdma_stat_recv);
	return SVC_RDMA_CONSUMED;
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
 * with the caller unless it is SVC_RDMA_HELD.
 * Return: what becomes of the message
 */
enum svc_rdma_fate svc_rdma2_receive(struct svcxprt_rdma *rdma,
				     struct svc_rdma_recv_ctxt **pctxt)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	struct svc_rdma_recv_ctxt *ctxt = *pctxt;
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	enum svc_rdma_fate fate;

	if (conn->cn_version != RPCRDMA_VERSION && !svc_rdma2_decode(rdma, ctxt))
		return SVC_RDMA_BROKEN;
	if (conn->cn_version == RPCRDMA_VERSION) {
		ctxt->rc_v2 = NULL;
		kfree(rv);
		if (ctxt->rc_block && ctxt->rc_byte_len > rdma->sc_max_req_size)
			return SVC_RDMA_BROKEN;
		return SVC_RDMA_QUEUE;
	}

	if (rv->rv_msg.verdict == RPCRDMA2_OK)
		trace_rpcrdma2_receive(conn, &rv->rv_msg);
	else
		trace_rpcrdma2_bad_message(conn, &rv->rv_msg);
	rv->rv_version = conn->cn_version;
	rv->rv_cant_reply.code = 0;
	rv->rv_fault.which = 0;
	svc_rdma2_memory_arrived(rdma, ctxt);
	fate = svc_rdma2_process(rdma, pctxt);
	svc_rdma2_progress(rdma->sc_v2);
	return fate;
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
 * @rqstp: request being received
 * @ctxt: message that has been through svc_rdma2_receive()
 *
 * Without memory for a Call, the connection is closed: the peer sends the Call
 * again when it has reconnected.
 *
 * Context: service thread, may sleep. @ctxt stays with the caller, who puts it
 * unless it carries a Call.
 * Return: 1 if it is a Call, perhaps with Read chunks to be pulled; 0 if there
 * is nothing left to do
 */
int svc_rdma2_recvfrom(struct svc_rqst *rqstp, struct svc_rdma_recv_ctxt *ctxt)
{
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	struct rpcrdma2_msg *msg = &rv->rv_msg;
	const struct svc_rdma2_entry *entry;

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
