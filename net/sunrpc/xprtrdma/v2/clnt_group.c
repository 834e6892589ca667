// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: messages that come in several Receives, and Calls of
 * the server.
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

#include "../xprt_rdma.h"
#include "clnt_place.h"
#include <trace/events/rpcrdma.h>
#include <trace/events/rpcrdma2.h>

/* Section: Calls of the server */

#if IS_ENABLED(CONFIG_SUNRPC_BACKCHANNEL)

/* Does anybody serve reverse Calls? Returns true if so. */
static bool xprt_rdma2_bc_served(struct rpcrdma_xprt *r_xprt)
{
	return r_xprt->rx_xprt.bc_serv && xprt_connected(&r_xprt->rx_xprt);
}

/* Hand a reverse Call to the callback service. @rep: ROPT_XMTREQ, its credits
 * accounted for. @p: its RPC message, which goes with @rep. @length: length of
 * that, in bytes. Context: receive handler. Returns false if nobody serves it;
 * @rep stays with the caller then.
 */
static bool xprt_rdma2_bc_deliver(struct rpcrdma_rep *rep, void *p, u32 length)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xdr_buf whole;

	if (!xprt_rdma2_bc_served(r_xprt))
		return false;
	xdr_buf_init(&whole, p, length);
	whole.len = length;
	xdr_init_decode(&rep->rr_stream, &whole, p, NULL);
	rpcrdma_bc_receive_call(r_xprt, rep);
	return true;
}

/**
 * xprt_rdma2_bc_call - hand a reverse Call to the callback service
 * @rep: received RDMA2_MSG or RDMA2_NOMSG in CALL direction, header sound
 *
 * As long as the characteristic BRS says INLINE, chunks are refused (D-28,
 * N-33). Where nobody serves callbacks the Call is dropped and the connection
 * stays (D-34, N-34). A server that does not stick to what it was granted
 * loses it: it would have used up Receives that forward replies need.
 *
 * Context: receive handler
 * Return: what is left to do; if nothing, the callback service has @rep
 */
enum xprt_rdma2_outcome xprt_rdma2_bc_call(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	const struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;

	if (msg->lists.read_segs || msg->lists.write_chunks || msg->lists.reply_present)
		return XPRT_RDMA2_O_REFUSE_XDR;
	if (!xprt_rdma2_bc_served(r_xprt))
		return XPRT_RDMA2_O_DROP;
	xdr_init_decode(&rep->rr_stream, &rep->rr_hdrbuf,
			rep->rr_hdrbuf.head[0].iov_base, NULL);
	if (!xdr_inline_decode(&rep->rr_stream, msg->hdrlen))
		return XPRT_RDMA2_O_DROP;
	if (!xprt_rdma2_bc_begin(r_xprt, msg->credit, 1)) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_REVERSE_OVERRUNS);
		return XPRT_RDMA2_O_CLOSE;
	}
	rpcrdma2_count(conn, RPCRDMA2_CNT_REVERSE_CALLS);
	rpcrdma_bc_receive_call(r_xprt, rep);
	return XPRT_RDMA2_O_TAKEN;
}

/**
 * xprt_rdma2_bc_prepare - prepare the Send of a reverse reply
 * @rqst: reverse Call with its reply in rq_snd_buf
 *
 * The session may have been set up over a connection that took longer
 * messages than this one: the server, which waits for the reply, is told
 * that there can be none. A nominated handle comes back, though nothing
 * is invalidated (B-35, A-23). The server may send its next Call as soon as it
 * has the reply, so the credit is returned before that is posted.
 *
 * Context: the transport's send lock is held
 * Return: 0, -EAGAIN if there is no Send context at the moment, -ENOBUFS if no memory can
 * be mapped, or -EIO if the reply cannot be sent
 */
int xprt_rdma2_bc_prepare(struct rpc_rqst *rqst)
{
	struct rpcrdma_xprt *r_xprt = rpcx_to_rdmax(rqst->rq_xprt);
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	struct rpcrdma2_hdr hdr = {
		.xid	= rqst->rq_xid,
		.credit	= xprt_rdma2_reverse_grant(r_xprt),
		.dir	= RDMA2_REPLY,
	};
	/* No chunk was offered that could have been longer (A-26, B-65, B-66). */
	const struct rpcrdma2_error err = {
		.code		= RDMA2_ERR_CANT_REPLY,
		.processed	= true,
		.length_needed	= rqst->rq_snd_buf.len,
	};
	const struct rpcrdma2_msg *msg;
	int rc = -EIO;

	xprt_rdma2_begin_send(r_xprt);
	if (RPCRDMA2_HDRLEN_MIN + rqst->rq_snd_buf.len >
	    READ_ONCE(r_xprt->rx_ep->re_inline_send)) {
		xprt_rdma2_bc_end(r_xprt, req);
		xprt_rdma2_post_error(req->rl_reply, &err);
		goto out_end;
	}
	rpcrdma_set_xdrlen(&req->rl_hdrbuf, RPCRDMA2_HDRLEN_MIN);
	rpcrdma2_encode_bare_msg(rdmab_data(req->rl_rdmabuf), &hdr);
	/* ROPT_XMTREQ nominates nothing. */
	msg = &req->rl_reply->rr_v2.vr_msg;
	rpcrdma2_set_inv_handle(rdmab_data(req->rl_rdmabuf),
				msg->proc == RDMA2_OPTIONAL ? 0 :
							      msg->lists.inv_handle);
	rc = rpcrdma_prepare_send_sges(r_xprt, req, RPCRDMA2_HDRLEN_MIN,
				       &rqst->rq_snd_buf, rpcrdma_noch_pullup);
	if (rc)
		goto out_end;

	xprt_rdma2_bc_end(r_xprt, req);
	trace_xprtrdma_cb_reply(r_xprt, rqst);
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_REVERSE_REPLIES);
	return 0;

out_end:
	xprt_rdma2_end_send(r_xprt->rx_ep);
	return rc;
}

#else

static bool xprt_rdma2_bc_served(struct rpcrdma_xprt *r_xprt)
{
	return false;
}

static bool xprt_rdma2_bc_deliver(struct rpcrdma_rep *rep, void *p, u32 length)
{
	return false;
}

enum xprt_rdma2_outcome xprt_rdma2_bc_call(struct rpcrdma_rep *rep)
{
	return XPRT_RDMA2_O_DROP;
}

int xprt_rdma2_bc_prepare(struct rpc_rqst *rqst)
{
	return -EIO;
}

#endif /* CONFIG_SUNRPC_BACKCHANNEL */

/* Section: what is held */

/* Keep a transmission of the open group. @vg: the group, which has taken it.
 * @rep: the transmission.
 */
static void xprt_rdma2_hold(struct xprt_rdma2_assembly *vg, struct rpcrdma_rep *rep)
{
	if (!vg->vg_lead) {
		vg->vg_lead = rep;
		rep->rr_v2.vr_xmts = vg->vg_asm.count;
	} else {
		vg->vg_last->rr_v2.vr_next = rep;
		rep->rr_v2.vr_part = vg->vg_parts[vg->vg_asm.next - 1];
	}
	vg->vg_last = rep;
}

/* Take what is held of a group. @vg: the group; holds nothing any more. Returns its
 * initial transmission, the others chained to it.
 */
static struct rpcrdma_rep *xprt_rdma2_take_lead(struct xprt_rdma2_assembly *vg)
{
	struct rpcrdma_rep *lead = vg->vg_lead;

	vg->vg_lead = NULL;
	vg->vg_last = NULL;
	WRITE_ONCE(vg->vg_deadline, 0);
	return lead;
}

/* Let Calls know that nothing of them is under way any more: credits, and Sends, are
 * those of one connection. Context: the transport's send lock is held
 */
static void xprt_rdma2_reqs_drained(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma_req *req;

	list_for_each_entry(req, &r_xprt->rx_buf.rb_allreqs, rl_all) {
		req->rl_v2.vq_posted = false;
		req->rl_v2.vq_by_xmtreq = false;
		req->rl_wr.next = NULL;
	}
}

/**
 * xprt_rdma2_drained - no message will come any more
 * @ep: connection that is being torn down
 *
 * Context: the transport's send lock is held, and the queues are empty
 */
void xprt_rdma2_drained(struct rpcrdma_ep *ep)
{
	struct rpcrdma_xprt *r_xprt = rpcx_to_rdmax(ep->re_xprt);
	struct xprt_rdma2_assembly *vg = xprt_rdma2_assembly_of(r_xprt);
	struct rpcrdma_rep *lead;

	if (vg) {
		lead = xprt_rdma2_take_lead(vg);
		if (lead)
			rpcrdma_rep_put(&r_xprt->rx_buf, lead);
		memset(&vg->vg_asm, 0, sizeof(vg->vg_asm));
	}
	xprt_rdma2_memory_drained(r_xprt);
	xprt_rdma2_recvs_unmap(r_xprt);
	xprt_rdma2_reqs_drained(r_xprt);
}

/* How long may a group take? Returns a time in jiffies. */
static unsigned long xprt_rdma2_group_time(void)
{
	return (unsigned long)READ_ONCE(rpcrdma2_continuation_timeout) * HZ;
}

/* Look after the open group in a while. */
static void xprt_rdma2_group_watch(struct xprt_rdma2_ep *ve)
{
	xprt_rdma2_queue(ve, &ve->ve_place->vp_assembly.vg_watch,
			 xprt_rdma2_group_time());
}

/* Has the open group been open for too long? The receive handler owns the group; its
 * deadline is all that is looked at here, one word that says both whether there is a
 * group and how long it has. A connection over which nothing comes any more in the
 * midst of a message is of no use to anybody (S-12, N-194).
 */
static void xprt_rdma2_group_watcher(struct work_struct *work)
{
	struct xprt_rdma2_placement *vp =
		container_of(work, struct xprt_rdma2_placement,
			     vp_assembly.vg_watch.work);
	unsigned long deadline = READ_ONCE(vp->vp_assembly.vg_deadline);

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
 * @ve: connection that is being prepared
 */
void xprt_rdma2_group_init(struct xprt_rdma2_ep *ve)
{
	if (ve->ve_place)
		INIT_DELAYED_WORK(&ve->ve_place->vp_assembly.vg_watch,
				  xprt_rdma2_group_watcher);
}

/* Is a group open now? @rep: its initial transmission. @arr: what that says.
 * @req: the request, or NULL if it is a response. @fault: OUT: what is wrong
 * with it. Returns what it is.
 */
static enum rpcrdma2_step
xprt_rdma2_group_open(struct rpcrdma_xprt *r_xprt, struct rpcrdma_rep *rep,
		      const struct rpcrdma2_arrival *arr,
		      const struct rpcrdma2_xmtreq *req,
		      struct rpcrdma2_repterr *fault)
{
	struct xprt_rdma2_assembly *vg = xprt_rdma2_assembly_of(r_xprt);
	enum rpcrdma2_step step;

	vg->vg_parts[0] = arr->parts[0];
	memset(fault, 0, sizeof(*fault));
	step = rpcrdma2_assembly_lead(&vg->vg_asm, &rep->rr_v2.vr_msg, arr, req,
				      vg->vg_parts, fault);
	if (step == RPCRDMA2_STEP_HELD) {
		xprt_rdma2_hold(vg, rep);
		WRITE_ONCE(vg->vg_deadline,
			   (jiffies + xprt_rdma2_group_time()) | 1);
		xprt_rdma2_group_watch(r_xprt->rx_ep->re_v2);
	}
	return step;
}

/* Section: faults */

/* Give up the group that was open. If it was a response, its Call fails (C.7). A
 * reverse Call has used up its credits.
 */
static void xprt_rdma2_group_broken(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_assembly *vg = xprt_rdma2_assembly_of(r_xprt);
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	struct rpcrdma_rep *lead = xprt_rdma2_take_lead(vg);
	const struct rpcrdma2_msg *msg = &lead->rr_v2.vr_msg;

	rpcrdma2_count(conn, RPCRDMA2_CNT_GROUPS_BROKEN);
	trace_rpcrdma2_group_broken(conn, msg->xid, msg->dir, vg->vg_asm.count,
				    vg->vg_asm.next);
	xprt_rdma2_put_conts(lead);
	if (msg->dir == RDMA2_REPLY) {
		xprt_rdma2_fail(lead);
		return;
	}
	xprt_rdma2_bc_unused(r_xprt, lead->rr_v2.vr_xmts);
	xprt_rdma2_drop(lead);
}

/* How many transmissions does a message announce? @rep: ROPT_XMTREQ or ROPT_XMTRESP
 * that is refused for its header. Returns the number; 0 if it cannot be read.
 */
static u32 xprt_rdma2_garbled_count(struct xprt_rdma2_assembly *vg,
				    const struct rpcrdma_rep *rep)
{
	const void *data = rdmab_data(rep->rr_rdmabuf);

	if (!rep->rr_v2.vr_msg.opt.info_off)
		return 0;
	if (rep->rr_v2.vr_msg.opt.type == ROPT_XMTREQ) {
		rpcrdma2_decode_xmtreq(data, &rep->rr_v2.vr_msg, &vg->vg_req);
		return vg->vg_req.count;
	}
	rpcrdma2_decode_xmtresp(data, &rep->rr_v2.vr_msg, &vg->vg_resp);
	return vg->vg_resp.count;
}

/**
 * xprt_rdma2_group_garbled - a message is refused because it does not parse
 * @rep: ROPT_XMTREQ or ROPT_XMTRESP
 *
 * If it would have begun a group, the rest of that is discarded.
 *
 * Context: receive handler
 */
void xprt_rdma2_group_garbled(struct rpcrdma_rep *rep)
{
	struct xprt_rdma2_assembly *vg = xprt_rdma2_assembly_of(rep->rr_rxprt);

	if (vg)
		rpcrdma2_assembly_refuse(&vg->vg_asm,
					 xprt_rdma2_garbled_count(vg, rep));
}

/* How long may the response to a Call be? Returns a number of transmissions; 0 if no
 * Call waits for a response.
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
		if (req->rl_v2.vq_by_xmtreq)
			xmts = 1 + req->rl_v2.vq_reservation.recvs;
	}
	spin_unlock(&xprt->queue_lock);
	return xmts;
}

/**
 * xprt_rdma2_xmtresp - process ROPT_XMTRESP
 * @rep: received message in REPLY direction, header sound; may go with its Call
 *
 * What is one transmission, or is not going to be taken, is looked at when its
 * Call is completed.
 *
 * Context: receive handler
 * Return: what is left to do
 */
enum xprt_rdma2_outcome xprt_rdma2_xmtresp(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_assembly *vg = xprt_rdma2_assembly_of(r_xprt);
	const struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;
	struct rpcrdma2_part part = {
		.length		= msg->length,
		.hdrlen		= msg->hdrlen,
	};
	struct rpcrdma2_arrival arr;
	struct rpcrdma2_repterr fault;
	struct rpcrdma2_xmtresp *resp;
	enum rpcrdma2_step step;

	if (!vg)
		return xprt_rdma2_resp_whole(rep);
	resp = &vg->vg_resp;
	resp->count = 0;
	if (rpcrdma2_decode_xmtresp(rdmab_data(rep->rr_rdmabuf), msg, resp)) {
		rpcrdma2_assembly_refuse(&vg->vg_asm, resp->count);
		return xprt_rdma2_resp_whole(rep);
	}
	if (resp->count <= 1)
		return xprt_rdma2_resp_whole(rep);
	part.pslen = resp->pslen;
	xprt_rdma2_arrival(r_xprt, resp, &part, &arr);
	arr.limit = xprt_rdma2_awaited_xmts(r_xprt, msg->xid);
	if (!arr.limit) {
		rpcrdma2_assembly_refuse(&vg->vg_asm, resp->count);
		return xprt_rdma2_resp_whole(rep);
	}
	step = xprt_rdma2_group_open(r_xprt, rep, &arr, NULL, &fault);
	if (step != RPCRDMA2_STEP_REPORT)
		return XPRT_RDMA2_O_TAKEN;
	xprt_rdma2_blamed(r_xprt, &fault);
	return XPRT_RDMA2_O_FAIL;
}

/* Section: a reverse Call */

/* Hand a reverse Call to the callback service. @rep: its initial transmission, the
 * others chained to it. @pslen: payload of the initial transmission, in bytes.
 * Returns what is left to do; if nothing, the callback service has @rep.
 */
static enum xprt_rdma2_outcome
xprt_rdma2_call_whole(struct rpcrdma_rep *rep, u32 pslen)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	u32 length = pslen, done = pslen;
	struct rpcrdma_rep *next;
	void *p = rdmab_data(rep->rr_rdmabuf) + rep->rr_v2.vr_msg.hdrlen;

	for (next = rep->rr_v2.vr_next; next; next = next->rr_v2.vr_next)
		length += next->rr_v2.vr_part.pslen;
	if (length > pslen) {
		rep->rr_v2.vr_linear = kvmalloc(length, XPRT_RDMA2_GFP_NOWAIT);
		if (!rep->rr_v2.vr_linear) {
			xprt_rdma2_bc_unused(r_xprt, rep->rr_v2.vr_xmts);
			return XPRT_RDMA2_O_CLOSE;
		}
		memcpy(rep->rr_v2.vr_linear, p, pslen);
		p = rep->rr_v2.vr_linear;
	}
	for (next = rep->rr_v2.vr_next; next; next = next->rr_v2.vr_next) {
		memcpy(p + done, rdmab_data(next->rr_rdmabuf) +
		       next->rr_v2.vr_part.hdrlen, next->rr_v2.vr_part.pslen);
		done += next->rr_v2.vr_part.pslen;
	}
	xprt_rdma2_put_conts(rep);
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_REVERSE_CALLS);
	if (xprt_rdma2_bc_deliver(rep, p, length))
		return XPRT_RDMA2_O_TAKEN;
	xprt_rdma2_bc_unused(r_xprt, rep->rr_v2.vr_xmts);
	return XPRT_RDMA2_O_DROP;
}

/* Is this end going to take a reverse Call? @rep: ROPT_XMTREQ that parses.
 * @req: what it says. With BRS as it is, nothing may be placed or pulled (A-89,
 * N-122). One that nobody serves is dropped (N-34). Returns XPRT_RDMA2_O_OTHER
 * if it is, or what becomes of it.
 */
static enum xprt_rdma2_outcome
xprt_rdma2_check_call(const struct rpcrdma_rep *rep,
		      const struct rpcrdma2_xmtreq *req)
{
	const struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;

	if (req->nitems || req->nsets)
		return XPRT_RDMA2_O_REFUSE_OPTION;
	if (req->pslen >= 2 * XDR_UNIT &&
	    msg->length - msg->hdrlen >= 2 * XDR_UNIT &&
	    !rpcrdma2_payload_sound(rdmab_data(rep->rr_rdmabuf) + msg->hdrlen,
				    msg->length - msg->hdrlen, msg->xid,
				    RDMA2_CALL))
		return XPRT_RDMA2_O_REFUSE_XDR;
	if (!xprt_rdma2_bc_served(rep->rr_rxprt))
		return XPRT_RDMA2_O_DROP;
	return XPRT_RDMA2_O_OTHER;
}

/* Account for a reverse Call. @rep: its initial transmission. @req: what that says.
 * @step: what it is to the group. The server is to be without a connection if it has
 * no credits for it. Returns false if it has none; then it is not held any
 * more.
 */
static bool xprt_rdma2_call_credits(struct rpcrdma_rep *rep,
				    const struct rpcrdma2_xmtreq *req,
				    enum rpcrdma2_step step)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_assembly *vg = xprt_rdma2_assembly_of(r_xprt);
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;

	rep->rr_v2.vr_xmts = req->count;
	if (xprt_rdma2_bc_begin(r_xprt, rep->rr_v2.vr_msg.credit, req->count)) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_XMTREQS);
		return true;
	}
	rpcrdma2_count(conn, RPCRDMA2_CNT_REVERSE_OVERRUNS);
	if (step == RPCRDMA2_STEP_HELD)
		xprt_rdma2_take_lead(vg);
	rpcrdma2_assembly_drop(&vg->vg_asm);
	return false;
}

/* Take the beginning of a reverse Call, or all of it. @rep: ROPT_XMTREQ. @vg: the
 * group. Returns what is left to do.
 */
static enum xprt_rdma2_outcome
xprt_rdma2_begin_call(struct xprt_rdma2_assembly *vg, struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	const struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;
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
	enum xprt_rdma2_outcome outcome = XPRT_RDMA2_O_REFUSE_XDR;
	struct rpcrdma2_repterr fault;
	enum rpcrdma2_step step;

	req->count = 0;
	if (rpcrdma2_decode_xmtreq(rdmab_data(rep->rr_rdmabuf), msg, req))
		goto out_refuse;
	trace_rpcrdma2_xmtreq(ep->re_v2->ve_conn, msg->xid, req, false);
	outcome = xprt_rdma2_check_call(rep, req);
	if (outcome != XPRT_RDMA2_O_OTHER)
		goto out_refuse;
	part.pslen = req->pslen;
	arr.count = req->count;
	step = xprt_rdma2_group_open(r_xprt, rep, &arr, req, &fault);
	if (step == RPCRDMA2_STEP_REPORT) {
		xprt_rdma2_send_repterr(r_xprt, &fault);
		return XPRT_RDMA2_O_DONE;
	}
	if (!xprt_rdma2_call_credits(rep, req, step))
		return XPRT_RDMA2_O_CLOSE;
	return step == RPCRDMA2_STEP_WHOLE ?
	       xprt_rdma2_call_whole(rep, req->pslen) : XPRT_RDMA2_O_TAKEN;

out_refuse:
	rpcrdma2_assembly_refuse(&vg->vg_asm, req->count);
	return outcome;
}

/**
 * xprt_rdma2_xmtreq - process ROPT_XMTREQ
 * @rep: received message in CALL direction, header sound
 *
 * The decoder knows no such message where groups are not taken. That may have
 * changed since it looked.
 *
 * Context: receive handler
 * Return: what is left to do; if nothing, @rep is held, or the callback service
 * has it
 */
enum xprt_rdma2_outcome xprt_rdma2_xmtreq(struct rpcrdma_rep *rep)
{
	struct xprt_rdma2_assembly *vg = xprt_rdma2_assembly_of(rep->rr_rxprt);

	if (vg)
		return xprt_rdma2_begin_call(vg, rep);
	rpcrdma2_count(&rep->rr_rxprt->rx_v2.vx_conn, RPCRDMA2_CNT_BAD_OPTIONS);
	return XPRT_RDMA2_O_INVAL_OPTION;
}

/* All of a message is here. @prep: its last transmission; OUT: the first one.
 * Returns what is left to do with that.
 */
static enum xprt_rdma2_outcome xprt_rdma2_group_whole(struct rpcrdma_rep **prep)
{
	struct rpcrdma_xprt *r_xprt = (*prep)->rr_rxprt;
	struct xprt_rdma2_assembly *vg = xprt_rdma2_assembly_of(r_xprt);
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	struct rpcrdma_rep *lead = xprt_rdma2_take_lead(vg);
	const struct rpcrdma2_msg *msg = &lead->rr_v2.vr_msg;

	*prep = lead;
	rpcrdma2_count(conn, RPCRDMA2_CNT_GROUPS_RECEIVED);
	rpcrdma2_count_bytes(conn, RPCRDMA2_CNT_XMTCONTS_RECEIVED,
			     vg->vg_asm.count - 1);
	trace_rpcrdma2_group_received(conn, msg->xid, msg->dir,
				      vg->vg_asm.count, vg->vg_asm.next);
	if (msg->dir == RDMA2_REPLY)
		return xprt_rdma2_resp_whole(lead);
	return xprt_rdma2_call_whole(lead, vg->vg_parts[0].pslen);
}

/* See what a message is to a group that is open, or was, or may be begun by it.
 * @prep: as with xprt_rdma2_assemble(). Returns what is left to do. Not inline:
 * kernels that clear the stack would clear the report for each message.
 */
static noinline enum xprt_rdma2_outcome
xprt_rdma2_group_step(struct xprt_rdma2_assembly *vg, struct rpcrdma_rep **prep)
{
	struct rpcrdma_rep *rep = *prep;
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	bool was_open = rpcrdma2_assembly_is_open(&vg->vg_asm);
	struct rpcrdma2_repterr fault;
	enum rpcrdma2_step step;

	step = rpcrdma2_assembly_step(&vg->vg_asm, rdmab_data(rep->rr_rdmabuf),
				      &rep->rr_v2.vr_msg, &fault);
	if (fault.which)
		xprt_rdma2_blamed(r_xprt, &fault);
	if (was_open && step != RPCRDMA2_STEP_WHOLE &&
	    !rpcrdma2_assembly_is_open(&vg->vg_asm))
		xprt_rdma2_group_broken(r_xprt);

	switch (step) {
	case RPCRDMA2_STEP_OTHER:
		return XPRT_RDMA2_O_OTHER;
	case RPCRDMA2_STEP_HELD:
		xprt_rdma2_hold(vg, rep);
		return XPRT_RDMA2_O_TAKEN;
	case RPCRDMA2_STEP_WHOLE:
		xprt_rdma2_hold(vg, rep);
		return xprt_rdma2_group_whole(prep);
	case RPCRDMA2_STEP_BAD_XDR:
		rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_BAD_HEADERS);
		return rep->rr_v2.vr_msg.dir == RDMA2_REPLY ? XPRT_RDMA2_O_DROP :
						       XPRT_RDMA2_O_BAD_XDR;
	case RPCRDMA2_STEP_DISCARD:
		rpcrdma2_count(&r_xprt->rx_v2.vx_conn,
			       RPCRDMA2_CNT_XMTCONTS_DISCARDED);
		return XPRT_RDMA2_O_DROP;
	default:
		return XPRT_RDMA2_O_DROP;
	}
}

/**
 * xprt_rdma2_assemble - see what a message is to the group that is open
 * @prep: received message, decoded; OUT: the beginning of its group if that is
 *	complete
 *
 * What a message breaks is reported before the message is looked at.
 *
 * Context: receive handler
 * Return: XPRT_RDMA2_O_OTHER if it belongs to no group, or what is left to do
 */
enum xprt_rdma2_outcome xprt_rdma2_assemble(struct rpcrdma_rep **prep)
{
	struct rpcrdma_rep *rep = *prep;
	struct xprt_rdma2_assembly *vg = xprt_rdma2_assembly_of(rep->rr_rxprt);

	if (!vg || rep->rr_v2.vr_msg.verdict == RPCRDMA2_SHORT)
		return XPRT_RDMA2_O_OTHER;
	if (rpcrdma2_assembly_passes(&vg->vg_asm, &rep->rr_v2.vr_msg))
		return XPRT_RDMA2_O_OTHER;
	return xprt_rdma2_group_step(vg, prep);
}
