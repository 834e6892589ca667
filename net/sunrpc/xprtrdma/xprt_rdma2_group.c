// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: messages that come in several Receives.
 *
 * The transmissions of a message come one directly after the other, and the
 * receive handler sees them in that order, so that there is one group at most
 * and no lock around it. Its Receives are chained to the first one; the Call
 * that it answers is looked up when the last one is here. A reverse Call is
 * put together in one piece, because that is how the callback service takes it.
 *
 * Whatever breaks a group is reported, and fails the Call that waited for it.
 */

#include <linux/jiffies.h>
#include <linux/sunrpc/svc_rdma.h>

#include "xprt_rdma2_place.h"
#include <trace/events/rpcrdma2.h>

/*
 * Section: what is held
 */

/**
 * xprt_rdma2_reassembly - the group of a connection
 * @r_xprt: transport
 *
 * Return: the group, or NULL if this end takes none
 */
static struct xprt_rdma2_group *
xprt_rdma2_reassembly(const struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_place *vp = r_xprt->rx_ep->re_v2->ve_place;

	return vp && vp->vp_cont ? &vp->vp_group : NULL;
}

/**
 * xprt_rdma2_draining - is the rest of a group being discarded?
 * @r_xprt: transport
 *
 * Context: receive handler
 *
 * Return: true if it is: its Receives are still being used up
 */
bool xprt_rdma2_draining(const struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_group *vg = xprt_rdma2_reassembly(r_xprt);

	return vg && vg->vg_grp.state == RPCRDMA2_GROUP_DRAIN;
}

/**
 * xprt_rdma2_hold - keep a transmission of the open group
 * @vg: the group, which has taken it
 * @rep: the transmission
 */
static void xprt_rdma2_hold(struct xprt_rdma2_group *vg,
			    struct rpcrdma_rep *rep)
{
	if (!vg->vg_lead) {
		vg->vg_lead = rep;
		rep->rr_v2_xmts = vg->vg_grp.count;
	} else {
		vg->vg_last->rr_v2_next = rep;
		rep->rr_v2_part = vg->vg_parts[vg->vg_grp.next - 1];
	}
	vg->vg_last = rep;
}

/**
 * xprt_rdma2_take_lead - take what is held of a group
 * @vg: the group; holds nothing any more
 *
 * Return: its initial transmission, the others chained to it
 */
static struct rpcrdma_rep *xprt_rdma2_take_lead(struct xprt_rdma2_group *vg)
{
	struct rpcrdma_rep *lead = vg->vg_lead;

	vg->vg_lead = NULL;
	vg->vg_last = NULL;
	WRITE_ONCE(vg->vg_deadline, 0);
	return lead;
}

/**
 * xprt_rdma2_put_conts - release all but the first Receive of a message
 * @rep: the first one
 */
void xprt_rdma2_put_conts(struct rpcrdma_rep *rep)
{
	struct rpcrdma_rep *next = rep->rr_v2_next;

	rep->rr_v2_next = NULL;
	rpcrdma_rep_put(&rep->rr_rxprt->rx_buf, next);
}

/**
 * xprt_rdma2_drained - no message will come any more
 * @r_xprt: transport whose connection is being torn down
 *
 * Context: the transport's send lock is held, and the queues are empty
 */
void xprt_rdma2_drained(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_group *vg = xprt_rdma2_reassembly(r_xprt);

	if (!vg)
		return;
	rpcrdma_rep_put(&r_xprt->rx_buf, xprt_rdma2_take_lead(vg));
	memset(&vg->vg_grp, 0, sizeof(vg->vg_grp));
}

/*
 * Section: time
 */

/**
 * xprt_rdma2_group_time - how long may a group take?
 *
 * Return: a time in jiffies
 */
static unsigned long xprt_rdma2_group_time(void)
{
	return max(READ_ONCE(xprt_rdma2_cont_timeout), 1U) * HZ;
}

/**
 * xprt_rdma2_group_watch - look after the open group in a while
 * @ve: connection
 */
static void xprt_rdma2_group_watch(struct xprt_rdma2_ep *ve)
{
	struct xprt_rdma2_group *vg = &ve->ve_place->vp_group;

	spin_lock(&ve->ve_conn->cn_lock);
	if (!ve->ve_closing)
		queue_delayed_work(xprtiod_workqueue, &vg->vg_watch,
				   xprt_rdma2_group_time());
	spin_unlock(&ve->ve_conn->cn_lock);
}

/**
 * xprt_rdma2_group_watcher - has the open group been open for too long?
 * @work: work item of a group
 *
 * The receive handler owns the group; its deadline is all that is looked at here,
 * one word that says both whether there is a group and how long it has. A
 * connection over which nothing comes any more in the midst of a message is of no
 * use to anybody (S-12, N-194).
 */
static void xprt_rdma2_group_watcher(struct work_struct *work)
{
	struct xprt_rdma2_place *vp =
		container_of(work, struct xprt_rdma2_place,
			     vp_group.vg_watch.work);
	unsigned long deadline = READ_ONCE(vp->vp_group.vg_deadline);

	if (!deadline)
		return;
	if (time_before(jiffies, deadline)) {
		xprt_rdma2_group_watch(vp->vp_ve);
		return;
	}
	rpcrdma2_count(vp->vp_ve->ve_conn, RPCRDMA2_CNT_GROUPS_OVERDUE);
	rpcrdma_force_disconnect(vp->vp_ve->ve_ep);
}

/**
 * xprt_rdma2_group_init - prepare to receive groups
 * @vp: placement that is being prepared
 */
void xprt_rdma2_group_init(struct xprt_rdma2_place *vp)
{
	INIT_DELAYED_WORK(&vp->vp_group.vg_watch, xprt_rdma2_group_watcher);
}

/**
 * xprt_rdma2_group_open - is a group open now?
 * @r_xprt: transport
 * @rep: its initial transmission
 * @arr: what that says
 * @req: the request, or NULL if it is a response
 * @fault: OUT: what is wrong with it
 *
 * Return: what it is
 */
static enum rpcrdma2_step
xprt_rdma2_group_open(struct rpcrdma_xprt *r_xprt, struct rpcrdma_rep *rep,
		      const struct rpcrdma2_arrival *arr,
		      const struct rpcrdma2_xmtreq *req,
		      struct rpcrdma2_repterr *fault)
{
	struct xprt_rdma2_group *vg = xprt_rdma2_reassembly(r_xprt);
	enum rpcrdma2_step step;

	vg->vg_parts[0] = arr->parts[0];
	memset(fault, 0, sizeof(*fault));
	step = rpcrdma2_group_lead(&vg->vg_grp, &rep->rr_v2, arr, req,
				   vg->vg_parts, fault);
	if (step == RPCRDMA2_STEP_HELD) {
		xprt_rdma2_hold(vg, rep);
		WRITE_ONCE(vg->vg_deadline,
			   (jiffies + xprt_rdma2_group_time()) | 1);
		xprt_rdma2_group_watch(r_xprt->rx_ep->re_v2);
	}
	return step;
}

/*
 * Section: faults
 */

/**
 * xprt_rdma2_blamed - report what is wrong with a transmission
 * @r_xprt: transport
 * @fault: what is wrong
 *
 * A server whose responses are bad gets no more Calls that ask for such (E-20).
 *
 * Context: receive handler, or a work item that completes a Call
 */
void xprt_rdma2_blamed(struct rpcrdma_xprt *r_xprt,
		       const struct rpcrdma2_repterr *fault)
{
	if (fault->bad.dir == RDMA2_REPLY)
		xprt_rdma2_place_off(r_xprt, "off: server sent a bad response");
	xprt_rdma2_send_repterr(r_xprt, fault);
}

/**
 * xprt_rdma2_group_broken - give up the group that was open
 * @r_xprt: transport
 *
 * If it was a response, its Call fails (C.7). A reverse Call has used up its
 * credits.
 */
static void xprt_rdma2_group_broken(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_group *vg = xprt_rdma2_reassembly(r_xprt);
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	struct rpcrdma_rep *lead = xprt_rdma2_take_lead(vg);

	rpcrdma2_count(conn, RPCRDMA2_CNT_GROUPS_BROKEN);
	trace_rpcrdma2_group_broken(conn, lead->rr_v2.xid, lead->rr_v2.dir,
				    vg->vg_grp.count, vg->vg_grp.next);
	xprt_rdma2_put_conts(lead);
	if (lead->rr_v2.dir == RDMA2_REPLY) {
		xprt_rdma2_fail(lead);
		return;
	}
	xprt_rdma2_bc_unused(r_xprt, lead->rr_v2_xmts);
	xprt_rdma2_drop(lead);
}

/**
 * xprt_rdma2_garbled_count - how many transmissions does a message announce?
 * @vg: reassembly
 * @rep: ROPT_XMTREQ or ROPT_XMTRESP that is refused for its header
 *
 * Return: the number; 0 if it cannot be read
 */
static u32 xprt_rdma2_garbled_count(struct xprt_rdma2_group *vg,
				    const struct rpcrdma_rep *rep)
{
	const void *data = rdmab_data(rep->rr_rdmabuf);

	if (!rep->rr_v2.opt.info_off)
		return 0;
	if (rep->rr_v2.opt.type == ROPT_XMTREQ) {
		rpcrdma2_decode_xmtreq(data, &rep->rr_v2, &vg->vg_req);
		return vg->vg_req.count;
	}
	rpcrdma2_decode_xmtresp(data, &rep->rr_v2, &vg->vg_resp);
	return vg->vg_resp.count;
}

/**
 * xprt_rdma2_group_garbled - a message is refused because it does not parse
 * @rep: the message
 *
 * If it would have begun a group, the rest of that is discarded. Serves N-121,
 * N-161.
 *
 * Context: receive handler
 */
void xprt_rdma2_group_garbled(const struct rpcrdma_rep *rep)
{
	struct xprt_rdma2_group *vg = xprt_rdma2_reassembly(rep->rr_rxprt);
	const struct rpcrdma2_msg *msg = &rep->rr_v2;

	if (vg && msg->proc == RDMA2_OPTIONAL && msg->opt.typed &&
	    (msg->opt.type == ROPT_XMTREQ || msg->opt.type == ROPT_XMTRESP))
		rpcrdma2_group_refuse(&vg->vg_grp,
				      xprt_rdma2_garbled_count(vg, rep));
}

/*
 * Section: a response
 */

/**
 * xprt_rdma2_awaited_xmts - how long may the response to a Call be?
 * @r_xprt: transport
 * @xid: xid of the Call
 *
 * Return: a number of transmissions; 0 if no Call waits for a response
 */
static u32 xprt_rdma2_awaited_xmts(struct rpcrdma_xprt *r_xprt, __be32 xid)
{
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;
	struct rpcrdma_req *req;
	struct rpc_rqst *rqst;
	u32 xmts = 0;

	spin_lock(&xprt->queue_lock);
	rqst = xprt_lookup_rqst(xprt, xid);
	if (rqst && xprt_rdma2_awaited(rqst)) {
		req = rpcr_to_rdmar(rqst);
		if (req->rl_v2_xmt)
			xmts = 1 + req->rl_v2_loan.recvs;
	}
	spin_unlock(&xprt->queue_lock);
	return xmts;
}

/**
 * xprt_rdma2_resp_lead - look at the beginning of a response
 * @rep: ROPT_XMTRESP in REPLY direction, header sound
 *
 * What is one transmission, or is not going to be taken, is looked at when its
 * Call is completed. Serves N-162, N-163, N-167.
 *
 * Context: receive handler
 *
 * Return: true if that is all there is to come; else @rep is held or released
 */
bool xprt_rdma2_resp_lead(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_group *vg = xprt_rdma2_reassembly(r_xprt);
	const struct rpcrdma2_msg *msg = &rep->rr_v2;
	struct rpcrdma2_part part = {
		.length		= msg->length,
		.hdrlen		= msg->hdrlen,
	};
	struct rpcrdma2_arrival arr;
	struct rpcrdma2_repterr fault;
	struct rpcrdma2_xmtresp *resp;
	enum rpcrdma2_step step;

	if (!vg)
		return true;
	resp = &vg->vg_resp;
	resp->count = 0;
	if (rpcrdma2_decode_xmtresp(rdmab_data(rep->rr_rdmabuf), msg, resp)) {
		rpcrdma2_group_refuse(&vg->vg_grp, resp->count);
		return true;
	}
	if (resp->count <= 1)
		return true;
	part.pslen = resp->pslen;
	xprt_rdma2_arrival(r_xprt, resp, &part, &arr);
	arr.limit = xprt_rdma2_awaited_xmts(r_xprt, msg->xid);
	if (!arr.limit) {
		rpcrdma2_group_refuse(&vg->vg_grp, resp->count);
		return true;
	}
	step = xprt_rdma2_group_open(r_xprt, rep, &arr, NULL, &fault);
	if (step == RPCRDMA2_STEP_REPORT) {
		xprt_rdma2_blamed(r_xprt, &fault);
		xprt_rdma2_fail(rep);
	}
	return false;
}

/*
 * Section: a reverse Call
 */

/**
 * xprt_rdma2_call_whole - hand a reverse Call to the callback service
 * @rep: its initial transmission, the others chained to it
 * @pslen: payload of the initial transmission, in bytes
 *
 * Context: receive handler. Ownership of @rep goes to the callback service, or
 * it is released.
 */
static void xprt_rdma2_call_whole(struct rpcrdma_rep *rep, u32 pslen)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	u32 length = pslen, done = pslen;
	struct rpcrdma_rep *next;
	void *p = rdmab_data(rep->rr_rdmabuf) + rep->rr_v2.hdrlen;

	for (next = rep->rr_v2_next; next; next = next->rr_v2_next)
		length += next->rr_v2_part.pslen;
	if (length > pslen) {
		rep->rr_v2_linear = kvmalloc(length, XPRT_RDMA2_GFP_NOWAIT);
		if (!rep->rr_v2_linear)
			goto out_drop;
		memcpy(rep->rr_v2_linear, p, pslen);
		p = rep->rr_v2_linear;
	}
	for (next = rep->rr_v2_next; next; next = next->rr_v2_next) {
		memcpy(p + done, rdmab_data(next->rr_rdmabuf) +
		       next->rr_v2_part.hdrlen, next->rr_v2_part.pslen);
		done += next->rr_v2_part.pslen;
	}
	xprt_rdma2_put_conts(rep);
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_REVERSE_CALLS);
	if (xprt_rdma2_bc_deliver(rep, p, length))
		return;
out_drop:
	xprt_rdma2_bc_unused(r_xprt, rep->rr_v2_xmts);
	xprt_rdma2_drop(rep);
}

/**
 * xprt_rdma2_refuse_call - answer a reverse Call with RDMA2_ERROR
 * @rep: its initial transmission; released
 * @code: rdma_err
 */
static void xprt_rdma2_refuse_call(struct rpcrdma_rep *rep, u32 code)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_group *vg = xprt_rdma2_reassembly(r_xprt);

	rpcrdma2_group_refuse(&vg->vg_grp, vg->vg_req.count);
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_REVERSE_REFUSED);
	xprt_rdma2_send_error(rep, code);
	rpcrdma_rep_put(&r_xprt->rx_buf, rep);
}

/**
 * xprt_rdma2_call_taken - is this end going to take a reverse Call?
 * @rep: ROPT_XMTREQ that parses; released if not
 * @req: what it says
 *
 * With BRS as it is, nothing may be placed or pulled (A-89, N-122). One that
 * nobody serves is dropped (N-34), one that the server has no credits for costs
 * the connection.
 *
 * Return: true if it is
 */
static bool xprt_rdma2_call_taken(struct rpcrdma_rep *rep,
				  const struct rpcrdma2_xmtreq *req)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_group *vg = xprt_rdma2_reassembly(r_xprt);
	const struct rpcrdma2_msg *msg = &rep->rr_v2;

	if (req->nitems || req->nsets) {
		xprt_rdma2_refuse_call(rep, RDMA2_ERR_INVAL_OPTION);
		return false;
	}
	if (req->pslen >= 2 * XDR_UNIT &&
	    msg->length - msg->hdrlen >= 2 * XDR_UNIT &&
	    !rpcrdma2_payload_sound(rdmab_data(rep->rr_rdmabuf) + msg->hdrlen,
				    msg->length - msg->hdrlen, msg->xid,
				    RDMA2_CALL)) {
		xprt_rdma2_refuse_call(rep, RDMA2_ERR_BAD_XDR);
		return false;
	}
	if (!xprt_rdma2_bc_served(r_xprt)) {
		rpcrdma2_group_refuse(&vg->vg_grp, req->count);
		xprt_rdma2_drop(rep);
		return false;
	}
	return true;
}

/**
 * xprt_rdma2_xmtreq - process ROPT_XMTREQ
 * @rep: received message in CALL direction, header sound; goes to the callback
 *	service, is held, or is released
 *
 * Serves D-15, N-127..N-132, A-89.
 *
 * Context: receive handler
 */
void xprt_rdma2_xmtreq(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_group *vg = xprt_rdma2_reassembly(r_xprt);
	const struct rpcrdma2_msg *msg = &rep->rr_v2;
	struct rpcrdma2_xmtreq *req = &vg->vg_req;
	struct rpcrdma2_part part = {
		.length		= msg->length,
		.hdrlen		= msg->hdrlen,
	};
	struct rpcrdma2_arrival arr = {
		.rb		= &ep->re_v2->ve_place->vp_own,
		.max_message	= RPCRDMA_MAX_DATA_SEGS << PAGE_SHIFT,
		.limit		= ep->re_v2->ve_place->vp_callbacks,
		.dir		= RDMA2_CALL,
		.items		= req->items,
		.pool		= &req->pool,
		.nparts		= 1,
		.parts		= &part,
	};
	struct rpcrdma2_repterr fault;
	enum rpcrdma2_step step;

	req->count = 0;
	if (rpcrdma2_decode_xmtreq(rdmab_data(rep->rr_rdmabuf), msg, req)) {
		xprt_rdma2_refuse_call(rep, RDMA2_ERR_BAD_XDR);
		return;
	}
	trace_rpcrdma2_xmtreq(ep->re_v2->ve_conn, msg->xid, req, false);
	if (!xprt_rdma2_call_taken(rep, req))
		return;
	part.pslen = req->pslen;
	arr.count = req->count;
	step = xprt_rdma2_group_open(r_xprt, rep, &arr, req, &fault);
	if (step == RPCRDMA2_STEP_REPORT) {
		xprt_rdma2_send_repterr(r_xprt, &fault);
		rpcrdma_rep_put(&r_xprt->rx_buf, rep);
		return;
	}
	rep->rr_v2_xmts = req->count;
	if (!xprt_rdma2_bc_begin(r_xprt, msg->credit, req->count)) {
		rpcrdma2_count(ep->re_v2->ve_conn,
			       RPCRDMA2_CNT_REVERSE_OVERRUNS);
		rpcrdma_force_disconnect(ep);
		if (step == RPCRDMA2_STEP_HELD)
			xprt_rdma2_take_lead(vg);
		rpcrdma2_group_drop(&vg->vg_grp);
		xprt_rdma2_drop(rep);
		return;
	}
	rpcrdma2_count(ep->re_v2->ve_conn, RPCRDMA2_CNT_XMTREQS);
	if (step == RPCRDMA2_STEP_WHOLE)
		xprt_rdma2_call_whole(rep, req->pslen);
}

/*
 * Section: every message
 */

/**
 * xprt_rdma2_group_whole - all of a message is here
 * @r_xprt: transport
 */
static void xprt_rdma2_group_whole(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_group *vg = xprt_rdma2_reassembly(r_xprt);
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	struct rpcrdma_rep *lead = xprt_rdma2_take_lead(vg);

	rpcrdma2_count(conn, RPCRDMA2_CNT_GROUPS_RECEIVED);
	rpcrdma2_count_bytes(conn, RPCRDMA2_CNT_XMTCONTS_RECEIVED,
			     vg->vg_grp.count - 1);
	trace_rpcrdma2_group_received(conn, lead->rr_v2.xid, lead->rr_v2.dir,
				      vg->vg_grp.count, vg->vg_grp.next);
	if (lead->rr_v2.dir == RDMA2_REPLY)
		xprt_rdma2_resp_whole(lead);
	else
		xprt_rdma2_call_whole(lead, vg->vg_parts[0].pslen);
}

/**
 * xprt_rdma2_not_taken - end with a message that does not go on
 * @rep: the message; released
 * @step: what it is
 */
static void xprt_rdma2_not_taken(struct rpcrdma_rep *rep,
				 enum rpcrdma2_step step)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;

	if (step == RPCRDMA2_STEP_DISCARD)
		rpcrdma2_count(conn, RPCRDMA2_CNT_XMTCONTS_DISCARDED);
	if (step == RPCRDMA2_STEP_BAD_XDR) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_BAD_HEADERS);
		if (rep->rr_v2.dir != RDMA2_REPLY)
			xprt_rdma2_send_error(rep, RDMA2_ERR_BAD_XDR);
	}
	xprt_rdma2_drop(rep);
}

/**
 * xprt_rdma2_group_step - see what a message is to the group that is open
 * @rep: received message, decoded
 *
 * What a message breaks is reported before the message is looked at. Serves
 * C-24, N-181..N-197.
 *
 * Context: receive handler
 *
 * Return: false if it is still to be processed; else ownership of @rep ends
 * here
 */
bool xprt_rdma2_group_step(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_group *vg = xprt_rdma2_reassembly(r_xprt);
	struct rpcrdma2_repterr fault;
	enum rpcrdma2_step step;
	bool was_open;

	if (!vg || rep->rr_v2.verdict == RPCRDMA2_SHORT)
		return false;
	was_open = rpcrdma2_group_is_open(&vg->vg_grp);
	step = rpcrdma2_group_step(&vg->vg_grp, rdmab_data(rep->rr_rdmabuf),
				   &rep->rr_v2, &fault);
	if (step != RPCRDMA2_STEP_DISCARD)
		xprt_rdma2_loan_drained(r_xprt);
	if (fault.which)
		xprt_rdma2_blamed(r_xprt, &fault);
	if (was_open && step != RPCRDMA2_STEP_WHOLE &&
	    !rpcrdma2_group_is_open(&vg->vg_grp))
		xprt_rdma2_group_broken(r_xprt);

	switch (step) {
	case RPCRDMA2_STEP_OTHER:
		return false;
	case RPCRDMA2_STEP_HELD:
		xprt_rdma2_hold(vg, rep);
		break;
	case RPCRDMA2_STEP_WHOLE:
		xprt_rdma2_hold(vg, rep);
		xprt_rdma2_group_whole(r_xprt);
		break;
	default:
		xprt_rdma2_not_taken(rep, step);
	}
	return true;
}
