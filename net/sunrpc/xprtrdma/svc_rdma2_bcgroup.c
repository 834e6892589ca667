// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: reverse Calls that are longer than a Send.
 *
 * They go by ROPT_XMTREQ and take several transmissions, each of which holds a
 * reverse credit. Nothing in them is placed, and no memory is exposed.
 * They are sent from a copy: they are rare, and a Send may outlive its Call. The
 * reply is short, and comes by ROPT_XMTRESP or RDMA2_MSG.
 */

#include <linux/slab.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/xprt.h>

#include "svc_rdma2.h"
#include <trace/events/rpcrdma2.h>

enum {
	/* Header of ROPT_XMTREQ without items or directions, in bytes */
	SVC_RDMA2_BARE_XMTREQ	= RPCRDMA2_OPT_SIZE + 5 * XDR_UNIT,
	/* What the peer has to be able to receive */
	SVC_RDMA2_BC_NEEDS	= RDMA2_RTRSUPP_XREQ | RDMA2_RTRSUPP_XCONT,
};

/**
 * struct svc_rdma2_bcgroup - a reverse Call on its way
 * @bg_send: its transmissions
 * @bg_rb: structure of the peer's Receives
 * @bg_req: header of the first one
 */
struct svc_rdma2_bcgroup {
	struct svc_rdma2_sending	bg_send;
	struct rpcrdma2_rbstruct	bg_rb;
	struct rpcrdma2_xmtreq		bg_req;
};

/*
 * Section: sending
 */

/**
 * svc_rdma2_bc_groups - may reverse Calls take several transmissions?
 * @rdma: connection of version 2
 *
 * Return: false if either end cannot do with that, or has had enough of it
 */
bool svc_rdma2_bc_groups(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	u32 rtrsupp = rpcrdma2_conn_peer_value(&v2->sv_conn, RPCRDMA2_RTRSUPP);

	return svc_rdma2_takes_groups(v2) && !READ_ONCE(v2->sv_bc_short) &&
	       (rtrsupp & SVC_RDMA2_BC_NEEDS) == SVC_RDMA2_BC_NEEDS;
}

/**
 * svc_rdma2_bc_xmts - how many transmissions does a reverse Call take?
 * @rdma: connection of version 2
 * @rqst: the Call
 *
 * A Call that needs more credits than there are will not be sent: there is no
 * use in waiting for what the peer does not grant. Sizes that would leave no
 * room for a header are never in force (N-93).
 *
 * Return: the number; 1 if it goes by RDMA2_MSG, 0 if it cannot be sent
 */
u32 svc_rdma2_bc_xmts(struct svcxprt_rdma *rdma, const struct rpc_rqst *rqst)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	u32 limit = rpcrdma2_conn_send_limit(conn);
	u32 count, length = rqst->rq_snd_buf.len;

	if (length <= limit - RPCRDMA2_HDRLEN_MIN)
		return 1;
	if (!svc_rdma2_bc_groups(rdma))
		return 0;
	count = rpcrdma2_payload_xmts(limit, SVC_RDMA2_BARE_XMTREQ, length);
	if (count > rpcrdma2_conn_peer_value(conn, RPCRDMA2_REQRXLIM) ||
	    count > READ_ONCE(conn->cn_reverse_grant))
		return 0;
	return count;
}

/**
 * svc_rdma2_bc_plan - split a reverse Call
 * @bg: OUT: how it goes
 * @rdma: connection
 * @rqst: the Call
 * @xmts: transmissions that there are credits for
 *
 * Return: false if it takes more of them than before
 */
static bool svc_rdma2_bc_plan(struct svc_rdma2_bcgroup *bg,
			      struct svcxprt_rdma *rdma, struct rpc_rqst *rqst,
			      u32 xmts)
{
	struct rpcrdma2_dest to = {
		.rb		= &bg->bg_rb,
		.max_xmts	= xmts,
	};

	to.limit = rpcrdma2_conn_peer_struct(&rdma->sc_v2->sv_conn, &bg->bg_rb);
	bg->bg_send.se_rdma = rdma;
	bg->bg_send.se_xdr = &rqst->rq_snd_buf;
	bg->bg_send.se_copy = true;
	bg->bg_send.se_gfp = GFP_NOIO;
	return rpcrdma2_plan(&bg->bg_send.se_plan, &to, SVC_RDMA2_BARE_XMTREQ,
			     rqst->rq_snd_buf.len, NULL, 0);
}

/**
 * svc_rdma2_bc_build - put the Sends of a reverse Call together
 * @bg: the Call, planned, with its Send contexts
 * @hdr: first fields of its headers
 *
 * Return: 0 or a negative errno
 */
static int svc_rdma2_bc_build(struct svc_rdma2_bcgroup *bg,
			      const struct rpcrdma2_hdr *hdr)
{
	struct svc_rdma2_sending *se = &bg->bg_send;
	int len;

	bg->bg_req.count = se->se_plan.nxmts;
	bg->bg_req.rsbuf = 1;
	bg->bg_req.pslen = se->se_plan.xmts[0].pslen;
	len = rpcrdma2_encode_xmtreq(se->se_ctxts[0]->sc_xprt_buf,
				     se->se_rdma->sc_max_req_size, hdr,
				     &bg->bg_req);
	if (WARN_ON_ONCE(len != SVC_RDMA2_BARE_XMTREQ))
		return -EIO;
	return svc_rdma2_sending_build(se, hdr, ROPT_XMTREQ);
}

/**
 * svc_rdma2_bc_send_group - send a reverse Call in several transmissions
 * @rdma: connection of version 2
 * @rqst: the Call, holding a credit for each of them
 * @sctxt: Send context for the last one
 * @xmts: how many there are
 *
 * Serves A-89, C-02, C-23, D-37.
 *
 * Context: may sleep
 *
 * Return: 0, -ENOTCONN if the connection is lost, or -ENOMEM if the Call is to
 * be tried again; @sctxt stays with the caller unless 0 is returned
 */
int svc_rdma2_bc_send_group(struct svcxprt_rdma *rdma, struct rpc_rqst *rqst,
			    struct svc_rdma_send_ctxt *sctxt, u32 xmts)
{
	const struct rpcrdma2_hdr hdr = {
		.xid	= rqst->rq_xid,
		.credit	= svc_rdma2_reverse_request(rdma),
		.dir	= RDMA2_CALL,
	};
	struct svc_rdma2_bcgroup *bg;
	int ret = -ENOMEM;

	bg = kzalloc(sizeof(*bg), GFP_NOIO | __GFP_NOWARN);
	if (!bg)
		return ret;
	if (svc_rdma2_bc_plan(bg, rdma, rqst, xmts))
		ret = svc_rdma2_sending_get(&bg->bg_send, sctxt);
	if (!ret && svc_rdma2_bc_build(bg, &hdr))
		ret = -ENOMEM;
	if (!ret) {
		trace_rpcrdma2_xmtreq(&rdma->sc_v2->sv_conn, hdr.xid,
				      &bg->bg_req, true);
		ret = svc_rdma2_sending_post(&bg->bg_send, &hdr);
	}
	svc_rdma2_sending_put(&bg->bg_send);
	kfree(bg);
	return ret;
}

/**
 * svc_rdma2_bc_refused - the peer cannot take a reverse Call by ROPT_XMTREQ
 * @rdma: connection
 * @msg: message that says so
 * @xid: xid of the Call
 *
 * There is no other way for it, so it fails; others that are as long will not
 * be sent. Serves, E-17, E-20, N-213.
 *
 * Return: false if there is no such Call
 */
bool svc_rdma2_bc_refused(struct svcxprt_rdma *rdma,
			  const struct rpcrdma2_msg *msg, __be32 xid)
{
	if (xid != msg->xid || !svc_rdma2_bc_by_xmtreq(rdma, xid))
		return false;
	WRITE_ONCE(rdma->sc_v2->sv_bc_short, true);
	return svc_rdma2_bc_fail(rdma, msg);
}

/*
 * Section: replies
 */

/**
 * svc_rdma2_bc_whole - hand a reply by ROPT_XMTRESP to its Call
 * @rdma: connection
 * @ctxt: the message, sound
 * @resp: what was decoded of it
 *
 * Nothing was to be placed, so that nothing can have been (N-165). Serves
 * B-18.
 */
static void svc_rdma2_bc_whole(struct svcxprt_rdma *rdma,
			       struct svc_rdma_recv_ctxt *ctxt,
			       const struct rpcrdma2_xmtresp *resp)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	const void *reply = ctxt->rc_recv_buf + msg->hdrlen;

	trace_rpcrdma2_xmtresp(&rdma->sc_v2->sv_conn, msg->xid, resp, false);
	if (resp->nitems ||
	    !rpcrdma2_payload_sound(reply, resp->pslen, msg->xid, RDMA2_REPLY))
		svc_rdma2_bc_fail(rdma, msg);
	else
		svc_rdma2_bc_complete(rdma, msg, reply, resp->pslen);
}

/**
 * svc_rdma2_bc_judge - look at a reply by ROPT_XMTRESP
 * @rdma: connection
 * @ctxt: the message; it answers a reverse Call that went by ROPT_XMTREQ
 * @resp: what was decoded of it
 *
 * Serves N-167, N-168.
 *
 * Return: what becomes of it
 */
static enum svc_rdma2_fate svc_rdma2_bc_judge(struct svcxprt_rdma *rdma,
					      struct svc_rdma_recv_ctxt *ctxt,
					      const struct rpcrdma2_xmtresp *resp)
{
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	const struct rpcrdma2_msg *msg = &rv->rv_msg;
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_part part = {
		.length		= msg->length,
		.hdrlen		= msg->hdrlen,
		.pslen		= resp->pslen,
	};
	struct rpcrdma2_arrival arr;

	rpcrdma2_arrival_resp(&arr, resp, &part, &v2->sv_place.pl_rb,
			      v2->sv_limits.max_message);
	if (rpcrdma2_group_lead(&v2->sv_groups.ra_group, msg, &arr, NULL, &part,
				&rv->rv_fault) == RPCRDMA2_STEP_WHOLE) {
		if (rpcrdma2_check_whole(&arr, NULL, &rv->rv_fault)) {
			svc_rdma2_bc_whole(rdma, ctxt, resp);
			return SVC_RDMA2_CONSUMED;
		}
		rpcrdma2_blame(&rv->rv_fault, msg, 0, false);
	}
	svc_rdma2_bc_fail(rdma, msg);
	return SVC_RDMA2_QUEUE;
}

/**
 * svc_rdma2_bc_unfit - a reply by ROPT_XMTRESP cannot be taken
 * @rdma: connection
 * @msg: the message
 * @count: transmissions it is said to consist of; 0 if that cannot be read
 * @awaited: a reverse Call is waiting for it
 *
 * Serves A-87, N-63, N-161..N-164.
 *
 * Return: what becomes of it
 */
static enum svc_rdma2_fate svc_rdma2_bc_unfit(struct svcxprt_rdma *rdma,
					      struct rpcrdma2_msg *msg,
					      u32 count, bool awaited)
{
	rpcrdma2_group_refuse(&rdma->sc_v2->sv_groups.ra_group, count);
	if (msg->dir != RDMA2_REPLY) {
		msg->verdict = RPCRDMA2_BAD_XDR;
		return SVC_RDMA2_QUEUE;
	}
	if (!awaited || !rpcrdma2_ends_rpc(msg) ||
	    !svc_rdma2_bc_fail(rdma, msg))
		svc_rdma2_drop(rdma, msg);
	return SVC_RDMA2_CONSUMED;
}

/**
 * svc_rdma2_bc_xmtresp - receive ROPT_XMTRESP
 * @rdma: connection
 * @ctxt: received message, perhaps not sound
 *
 * Not left to a service thread, like other replies to reverse Calls.
 *
 * Context: receive handler
 *
 * Return: what becomes of it
 */
enum svc_rdma2_fate svc_rdma2_bc_xmtresp(struct svcxprt_rdma *rdma,
					 struct svc_rdma_recv_ctxt *ctxt)
{
	struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	bool known = svc_rdma2_bc_known(rdma, msg->xid);
	struct rpcrdma2_xmtresp *resp;
	enum svc_rdma2_fate fate;

	if (!msg->opt.info_off)
		return svc_rdma2_bc_unfit(rdma, msg, 0, known);
	resp = kmalloc(sizeof(*resp), SVC_RDMA2_GFP);
	if (!resp)
		return SVC_RDMA2_BROKEN;
	if (rpcrdma2_decode_xmtresp(ctxt->rc_recv_buf, msg, resp) ||
	    msg->verdict != RPCRDMA2_OK ||
	    !svc_rdma2_bc_by_xmtreq(rdma, msg->xid))
		fate = svc_rdma2_bc_unfit(rdma, msg, resp->count, known);
	else
		fate = svc_rdma2_bc_judge(rdma, ctxt, resp);
	kfree(resp);
	return fate;
}
