// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: Calls that come in several Receives.
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

#include <linux/sunrpc/svc.h>
#include <linux/workqueue.h>

#include "svc.h"
#include <trace/events/rpcrdma2.h>

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

/**
 * svc_rdma2_group_open - hold the first transmission of a Call
 * @v2: connection
 * @ctxt: the transmission
 */
void svc_rdma2_group_open(struct svc_rdma2 *v2, struct svc_rdma_recv_ctxt *ctxt)
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

/**
 * svc_rdma2_assemble - see whether a message belongs to a group, or breaks one
 * @rdma: connection that has settled on version 2, or on none
 * @pctxt: the message; if it completes a Call, the first transmission of that takes its
 *	place
 *
 * Reports are left to a service thread (N-121..N-132, N-181..N-197).
 *
 * Context: receive handler
 * Return: what becomes of the message, or SVC_RDMA2_O_OTHER
 */
enum svc_rdma2_outcome svc_rdma2_assemble(struct svcxprt_rdma *rdma,
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
