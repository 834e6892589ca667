// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: Calls that take several transmissions.
 *
 * Transmissions of a Call follow each other directly, so they are put together
 * where messages are seen in the order of arrival. What is held of a Call that
 * is not complete are Receives that were posted for its credits: the first one
 * holds the others, and goes to a service thread when the last one is here. It
 * costs no memory that the connection did not have before.
 *
 * Invariants:
 *
 * R1. @ra_group and @ra_lead belong to the receive handler. @ra_lead is set as
 *     long as a group is open; nobody else knows of these Receives.
 * R2. Whatever ends a group early puts @ra_lead, and with it all others.
 * R3. A group is open until the next message arrives, or the connection ends,
 *     which it does if the group is not complete in time.
 */

#include <linux/slab.h>
#include <linux/workqueue.h>

#include "svc_rdma2.h"
#include <trace/events/rpcrdma2.h>

/*
 * Section: connections
 */

/**
 * svc_rdma2_group_overdue - end a connection whose peer leaves a Call incomplete
 * @work: work item of the connection
 *
 * There may have been other groups since this was queued.
 *
 * Context: cancelled before the connection goes
 */
static void svc_rdma2_group_overdue(struct work_struct *work)
{
	struct svc_rdma2_reassembly *ra =
		container_of(to_delayed_work(work), struct svc_rdma2_reassembly,
			     ra_work);
	struct svc_rdma2 *v2 = container_of(ra, struct svc_rdma2, sv_groups);
	unsigned long expires = READ_ONCE(ra->ra_expires);

	if (!expires)
		return;
	if (time_before(jiffies, expires)) {
		schedule_delayed_work(&ra->ra_work, expires - jiffies);
		return;
	}
	rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_GROUPS_OVERDUE);
	svc_rdma_xprt_deferred_close(v2->sv_rdma);
}

/**
 * svc_rdma2_group_init - find out how long Calls and replies may be
 * @rdma: connection being accepted, its placement set
 *
 * Without ROPT_XMTREQ there is nothing to continue.
 */
void svc_rdma2_group_init(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct svc_rdma2_reassembly *ra = &v2->sv_groups;

	INIT_DELAYED_WORK(&ra->ra_work, svc_rdma2_group_overdue);
	ra->ra_requests = 1;
	ra->ra_replies = 1;
	if (!v2->sv_place.pl_offered)
		return;
	ra->ra_requests = READ_ONCE(rpcrdma2_server_continuation_requests);
	ra->ra_replies = READ_ONCE(rpcrdma2_server_continuation_replies);
	ra->ra_timeout = HZ *
		(unsigned long)READ_ONCE(rpcrdma2_server_continuation_timeout);
	if (svc_rdma2_takes_groups(v2))
		v2->sv_limits.opttypes |= BIT(ROPT_XMTCONT);
}

/**
 * svc_rdma2_group_got_queues - let groups be as long as the queues allow
 * @rdma: connection being accepted, its queues made
 *
 * A Call takes a credit for each transmission, and there may be fewer of those
 * than were wanted. A reply is posted as a whole, and must not take most of the
 * Send Queue.
 */
void svc_rdma2_group_got_queues(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2_reassembly *ra = &rdma->sc_v2->sv_groups;
	u32 requests = min_t(u32, ra->ra_requests, rdma->sc_max_requests);
	u32 replies = min_t(u32, ra->ra_replies,
			    max(rdma->sc_sq_depth / 4, 1U));

	if (requests == ra->ra_requests && replies == ra->ra_replies)
		return;
	ra->ra_requests = requests;
	ra->ra_replies = replies;
	svc_rdma2_state(rdma);
}

/**
 * svc_rdma2_group_flush - forget the Call that is not complete
 * @rdma: connection that nothing arrives over any more
 *
 * Context: may sleep
 */
void svc_rdma2_group_flush(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2_reassembly *ra = &rdma->sc_v2->sv_groups;

	cancel_delayed_work_sync(&ra->ra_work);
	if (ra->ra_lead)
		svc_rdma_recv_ctxt_put(rdma, ra->ra_lead);
	ra->ra_lead = NULL;
}

/*
 * Section: the group that is open
 */

/**
 * svc_rdma2_group_open - hold the first transmission of a Call
 * @v2: connection
 * @ctxt: the transmission
 */
static void svc_rdma2_group_open(struct svc_rdma2 *v2,
				 struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2_reassembly *ra = &v2->sv_groups;

	ra->ra_lead = ctxt;
	WRITE_ONCE(ra->ra_expires, (jiffies + ra->ra_timeout) | 1);
	schedule_delayed_work(&ra->ra_work, ra->ra_timeout);
}

/**
 * svc_rdma2_group_close - hold no transmissions any more
 * @v2: connection
 *
 * Return: the first one, which holds the others
 */
static struct svc_rdma_recv_ctxt *svc_rdma2_group_close(struct svc_rdma2 *v2)
{
	struct svc_rdma_recv_ctxt *lead = v2->sv_groups.ra_lead;

	v2->sv_groups.ra_lead = NULL;
	WRITE_ONCE(v2->sv_groups.ra_expires, 0);
	return lead;
}

/**
 * svc_rdma2_group_add - hold another transmission of the Call
 * @v2: connection
 * @ctxt: the transmission, which @ra_group has taken
 */
static void svc_rdma2_group_add(struct svc_rdma2 *v2,
				struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2_xmt *xmt = v2->sv_groups.ra_lead->rc_v2->rv_xmt;

	xmt->xm_ctxts[xmt->xm_arr.nparts++] = ctxt;
	rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_XMTCONTS_RECEIVED);
}

/**
 * svc_rdma2_group_report - have a service thread report what broke a Call
 * @rdma: connection
 * @lead: first transmission of the Call
 *
 * It is queued before the message that broke it.
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

/**
 * svc_rdma2_group_break - give up a Call that cannot become complete
 * @rdma: connection
 * @fault: report about it; code 0 if there is none
 */
static void svc_rdma2_group_break(struct svcxprt_rdma *rdma,
				  const struct rpcrdma2_repterr *fault)
{
	struct svc_rdma_recv_ctxt *lead = svc_rdma2_group_close(rdma->sc_v2);
	const struct svc_rdma2_xmt *xmt = lead->rc_v2->rv_xmt;
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

/**
 * svc_rdma2_group_whole - hand on a Call that is complete
 * @v2: connection
 *
 * Return: its first transmission, which holds the others
 */
static struct svc_rdma_recv_ctxt *svc_rdma2_group_whole(struct svc_rdma2 *v2)
{
	struct svc_rdma_recv_ctxt *lead = svc_rdma2_group_close(v2);
	const struct svc_rdma2_xmt *xmt = lead->rc_v2->rv_xmt;

	rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_GROUPS_RECEIVED);
	trace_rpcrdma2_group_received(&v2->sv_conn, lead->rc_v2->rv_msg.xid,
				      RDMA2_CALL, xmt->xm_arr.count,
				      xmt->xm_arr.nparts);
	return lead;
}

/*
 * Section: initial transmissions
 */

/**
 * svc_rdma2_refuse_lead - an initial transmission cannot be taken
 * @v2: connection
 * @msg: the transmission; answered like a header that does not parse
 * @count: transmissions it is said to consist of; 0 if that cannot be read
 *
 * Return: SVC_RDMA2_QUEUE
 */
static enum svc_rdma2_fate svc_rdma2_refuse_lead(struct svc_rdma2 *v2,
						 struct rpcrdma2_msg *msg,
						 u32 count)
{
	msg->verdict = RPCRDMA2_BAD_XDR;
	rpcrdma2_group_refuse(&v2->sv_groups.ra_group, count);
	return SVC_RDMA2_QUEUE;
}

/**
 * svc_rdma2_judge_call - look at the initial transmission of a Call
 * @v2: connection
 * @ctxt: received ROPT_XMTREQ in CALL direction
 * @xmt: what was decoded of it
 *
 * Return: what becomes of it
 */
static enum svc_rdma2_fate svc_rdma2_judge_call(struct svc_rdma2 *v2,
						struct svc_rdma_recv_ctxt *ctxt,
						struct svc_rdma2_xmt *xmt)
{
	struct svc_rdma2_recv *rv = ctxt->rc_v2;

	svc_rdma2_arrival(v2, ctxt, xmt);
	if (!svc_rdma2_payload_matches(ctxt))
		return svc_rdma2_refuse_lead(v2, &rv->rv_msg, xmt->xm_req.count);
	if (rpcrdma2_group_lead(&v2->sv_groups.ra_group, &rv->rv_msg,
				&xmt->xm_arr, &xmt->xm_req, xmt->xm_parts,
				&rv->rv_fault) != RPCRDMA2_STEP_HELD)
		return SVC_RDMA2_QUEUE;
	svc_rdma2_group_open(v2, ctxt);
	return SVC_RDMA2_HELD;
}

/**
 * svc_rdma2_lead_call - receive the initial transmission of a Call
 * @v2: connection
 * @ctxt: received ROPT_XMTREQ, perhaps not sound
 *
 * Return: what becomes of it
 */
static enum svc_rdma2_fate svc_rdma2_lead_call(struct svc_rdma2 *v2,
					       struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	struct rpcrdma2_msg *msg = &rv->rv_msg;
	struct svc_rdma2_xmt *xmt;

	if (!msg->opt.info_off)
		return svc_rdma2_refuse_lead(v2, msg, 0);
	xmt = kmem_cache_alloc(svc_rdma2_xmts, SVC_RDMA2_GFP);
	if (!xmt)
		return SVC_RDMA2_BROKEN;
	xmt->xm_linear = NULL;
	xmt->xm_joined = NULL;
	xmt->xm_nresults = 0;
	xmt->xm_arr.nparts = 1;
	xmt->xm_ctxts[0] = ctxt;
	rv->rv_xmt = xmt;
	if (rpcrdma2_decode_xmtreq(ctxt->rc_recv_buf, msg, &xmt->xm_req) ||
	    msg->verdict != RPCRDMA2_OK)
		return svc_rdma2_refuse_lead(v2, msg, xmt->xm_req.count);
	return svc_rdma2_judge_call(v2, ctxt, xmt);
}

/**
 * svc_rdma2_lead - receive what may be an initial transmission
 * @rdma: connection
 * @ctxt: received message that continues nothing
 *
 * Return: what becomes of it
 */
static enum svc_rdma2_fate svc_rdma2_lead(struct svcxprt_rdma *rdma,
					  struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;

	if (msg->proc != RDMA2_OPTIONAL || !msg->opt.typed ||
	    (msg->verdict != RPCRDMA2_OK && msg->verdict != RPCRDMA2_BAD_XDR))
		return SVC_RDMA2_QUEUE;
	switch (msg->opt.type) {
	case ROPT_XMTREQ:
		if (rdma->sc_v2->sv_place.pl_offered)
			return svc_rdma2_lead_call(rdma->sc_v2, ctxt);
		break;
	case ROPT_XMTRESP:
		if (rdma->sc_v2->sv_place.pl_offered)
			return svc_rdma2_bc_xmtresp(rdma, ctxt);
		break;
	}
	return SVC_RDMA2_QUEUE;
}

/*
 * Section: every message
 */

/**
 * svc_rdma2_collect - see whether a message belongs to a group, or breaks one
 * @rdma: connection that has settled on version 2, or on none
 * @pctxt: received message, decoded; if it completes a Call, the first
 *	transmission of that takes its place
 *
 * Reports are left to a service thread. Serves N-121..N-132, N-181..N-197.
 *
 * Context: receive handler
 *
 * Return: what becomes of the message
 */
enum svc_rdma2_fate svc_rdma2_collect(struct svcxprt_rdma *rdma,
				      struct svc_rdma_recv_ctxt **pctxt)
{
	struct svc_rdma_recv_ctxt *ctxt = *pctxt;
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_repterr fault;
	enum rpcrdma2_step step;
	bool broken;

	if (!svc_rdma2_takes_groups(v2))
		return svc_rdma2_lead(rdma, ctxt);

	step = rpcrdma2_group_step(&v2->sv_groups.ra_group, ctxt->rc_recv_buf,
				   &rv->rv_msg, &fault);
	broken = v2->sv_groups.ra_lead && step != RPCRDMA2_STEP_WHOLE &&
		 !rpcrdma2_group_is_open(&v2->sv_groups.ra_group);
	if (broken)
		svc_rdma2_group_break(rdma, &fault);

	switch (step) {
	case RPCRDMA2_STEP_HELD:
		svc_rdma2_group_add(v2, ctxt);
		return SVC_RDMA2_HELD;
	case RPCRDMA2_STEP_WHOLE:
		svc_rdma2_group_add(v2, ctxt);
		*pctxt = svc_rdma2_group_whole(v2);
		return SVC_RDMA2_QUEUE;
	case RPCRDMA2_STEP_DISCARD:
		rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_XMTCONTS_DISCARDED);
		svc_rdma2_drop(rdma, &rv->rv_msg);
		return SVC_RDMA2_CONSUMED;
	case RPCRDMA2_STEP_REPORT:
		rv->rv_fault = fault;
		return broken ? SVC_RDMA2_CONSUMED : SVC_RDMA2_QUEUE;
	case RPCRDMA2_STEP_BAD_XDR:
		rv->rv_msg.verdict = RPCRDMA2_BAD_XDR;
		return SVC_RDMA2_QUEUE;
	default:
		return svc_rdma2_lead(rdma, ctxt);
	}
}

/**
 * svc_rdma2_group_put - release the transmissions that the first one holds
 * @rdma: connection
 * @xmt: Call that has been dealt with
 */
void svc_rdma2_group_put(struct svcxprt_rdma *rdma,
			 const struct svc_rdma2_xmt *xmt)
{
	u32 i;

	for (i = 1; i < xmt->xm_arr.nparts; i++)
		svc_rdma_recv_ctxt_put(rdma, xmt->xm_ctxts[i]);
}
