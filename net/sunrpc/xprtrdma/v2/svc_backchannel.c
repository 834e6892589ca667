// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: reverse Calls and what comes back.
 *
 * Reverse Calls are RDMA2_MSG with empty chunk lists, whatever more the peer
 * would support. One that is too long for that goes by ROPT_XMTREQ and takes
 * several transmissions, each of which holds a reverse credit. Nothing in it is
 * placed, and no memory is exposed. The reply is short: RDMA2_MSG, or
 * ROPT_XMTRESP without items.
 *
 * Invariants:
 *
 * K4. A reverse Call that was sent holds a credit for each of its transmissions
 *     until a message arrives that ends it, even if its caller gives it up
 *     before.
 * K5. A reverse Call holds no credits while it waits for more (C-25).
 */

#include <linux/slab.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/xprt.h>

#include "svc.h"
#include <trace/events/rpcrdma2.h>

enum {
	/* What the peer has to be able to receive */
	SVC_RDMA2_BC_NEEDS	= RDMA2_RTRSUPP_XREQ | RDMA2_RTRSUPP_XCONT,
};

/* Section: what the peer takes */

/**
 * svc_rdma2_bc_maxmsg - how long can a reverse Call be at most?
 * @rdma: connection
 *
 * Where there cannot be any, the upper layer has to know it before it relies on
 * them: nfsd delegates nothing to a client that it cannot call. Once there is a
 * reverse transport, it is too late for that. A Call that found no buffer would
 * fail at once, and nfsd would try again at once, for ever; so each of them gets
 * one, and is withheld when it is to be sent.
 *
 * Return: the size that a buffer may have, in bytes; what fits the peer, which
 * may have changed by then, is looked at when the Call is sent. 0 if the peer has
 * said that it takes none before there was a reverse transport
 */
size_t svc_rdma2_bc_maxmsg(struct svcxprt_rdma *rdma)
{
	if (!svc_rdma2_active(rdma))
		return PAGE_SIZE;
	if (!READ_ONCE(rdma->sc_xprt.xpt_bc_xprt) &&
	    rpcrdma2_conn_peer_value(&rdma->sc_v2->sv_conn, RPCRDMA2_BRS) ==
	    RDMA2_BRS_NONE)
		return 0;
	return SVC_RDMA2_LONG_REVERSE;
}

/* How many transmissions does a reverse Call take? A Call that needs more credits
 * than there are will not be sent: there is no use in waiting for what the peer does
 * not grant. Nor will one be sent that takes several if either end cannot do with that,
 * or has had enough of it. Sizes that would leave no room for a header are never in force
 * (N-93). Returns the number; 1 if it goes by RDMA2_MSG, 0 if it cannot be sent.
 */
static u32 svc_rdma2_bc_xmts(struct svcxprt_rdma *rdma, const struct rpc_rqst *rqst)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	u32 limit = rpcrdma2_conn_send_limit(conn);
	u32 count, length = rqst->rq_snd_buf.len;
	u32 rtrsupp;

	if (length <= limit - RPCRDMA2_HDRLEN_MIN)
		return 1;
	rtrsupp = rpcrdma2_conn_peer_value(conn, RPCRDMA2_RTRSUPP);
	if (!svc_rdma2_takes_groups(rdma->sc_v2) ||
	    READ_ONCE(rdma->sc_v2->sv_bc_short) ||
	    (rtrsupp & SVC_RDMA2_BC_NEEDS) != SVC_RDMA2_BC_NEEDS)
		return 0;
	count = rpcrdma2_payload_xmts(limit, rpcrdma2_xmtreq_size(0, 0, 0), length);
	if (count > rpcrdma2_conn_peer_value(conn, RPCRDMA2_REQRXLIM) ||
	    count > READ_ONCE(conn->cn_reverse_grant))
		return 0;
	return count;
}

/* May this reverse Call be sent to this peer? A Call that may not is withheld: it
 * holds no credit, and fails when it times out. If it failed at once, nfsd would try
 * again at once, and so on for as long as it has something to tell. Returns false if
 * the peer takes none, or if this one is too long for it (D-27, S-13).
 */
static bool svc_rdma2_bc_allowed(struct svcxprt_rdma *rdma,
				 const struct rpc_rqst *rqst)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_conn *conn = &v2->sv_conn;

	if (rpcrdma2_conn_peer_value(conn, RPCRDMA2_BRS) != RDMA2_BRS_NONE &&
	    svc_rdma2_bc_xmts(rdma, rqst))
		return true;
	rpcrdma2_count(conn, RPCRDMA2_CNT_REVERSE_WITHHELD);
	return false;
}

/* Section: credits */

/* Get the credits that a reverse Call needs, which has one. If there are not enough, it
 * gives its own back: two Calls might be waiting for each other's. It is tried again
 * when another Call returns some. Those that only the peer can bring back are not waited
 * for: all other Calls would have to wait, too. Nor is there a wait if none is in use:
 * nobody would end it. There may have been a grant before there was a reverse transport.
 * Context: the sender of the reverse transport. Returns 0, -EBADSLT if it has to wait, or
 * 1 if there is nobody to wait for.
 */
static int svc_rdma2_bc_get_credits(struct svc_rdma2 *v2, struct rpc_rqst *rqst,
				    u32 xmts)
{
	struct rpcrdma2_ledger *l = &v2->sv_ledger;
	struct rpc_xprt *xprt = rqst->rq_xprt;
	int ret = 0;
	u32 more;

	if (xmts == 1)
		return 0;
	spin_lock(&xprt->transport_lock);
	l->granted = READ_ONCE(v2->sv_conn.cn_reverse_grant);
	rpcrdma2_cong_window(xprt, rpcrdma2_ledger_window(l));
	more = rpcrdma2_outstanding_more(&l->out, rqst->rq_xid, xmts);
	if (!more || rpcrdma2_cong_get(xprt, more))
		goto out;
	xprt_release_rqst_cong(rqst->rq_task);
	ret = 1;
	if (rpcrdma2_cong_used(xprt) > l->out.given_up + l->out.debt) {
		set_bit(XPRT_CWND_WAIT, &xprt->state);
		ret = -EBADSLT;
	}
out:
	spin_unlock(&xprt->transport_lock);
	return ret;
}

/* A reverse Call is about to be sent. It goes by ROPT_XMTREQ if it takes several
 * transmissions.
 */
static void svc_rdma2_bc_sent(struct svc_rdma2 *v2, const struct rpc_rqst *rqst,
			      u32 xmts)
{
	struct rpcrdma2_outstanding_call call = {
		.xid		= rqst->rq_xid,
		.opt		= xmts > 1,
		.credits	= xmts,
	};

	spin_lock(&rqst->rq_xprt->transport_lock);
	call.order = rpcrdma2_outstanding_next(&v2->sv_ledger.out);
	rpcrdma2_outstanding_sent(&v2->sv_ledger.out, &call);
	rpcrdma2_conn_reverse_used(&v2->sv_conn, v2->sv_ledger.out.count);
	spin_unlock(&rqst->rq_xprt->transport_lock);
}

/* A reverse Call could not be sent after all. It keeps one credit. */
static void svc_rdma2_bc_unsent(struct svc_rdma2 *v2, const struct rpc_rqst *rqst)
{
	struct rpc_xprt *xprt = rqst->rq_xprt;

	spin_lock(&xprt->transport_lock);
	rpcrdma2_cong_put(xprt, rpcrdma2_outstanding_unsent(&v2->sv_ledger.out,
							    rqst->rq_xid));
	rpcrdma2_conn_reverse_used(&v2->sv_conn, v2->sv_ledger.out.count);
	spin_unlock(&xprt->transport_lock);
}

/* Return what a reverse Call held. @xprt: its reverse transport, transport_lock
 * held. If somebody waits for it, its first credit is returned when it is released.
 */
static void svc_rdma2_bc_repay(struct svc_rdma2 *v2, struct rpc_xprt *xprt,
			       const struct rpcrdma2_outstanding_call *call,
			       bool refused)
{
	struct rpcrdma2_outstanding *out = &v2->sv_ledger.out;
	u32 credits;

	credits = rpcrdma2_outstanding_repay(out, call->order,
					     call->credits - 1, refused);
	if (refused)
		WRITE_ONCE(v2->sv_stuck_since, jiffies);
	if (call->given_up) {
		credits++;
		WRITE_ONCE(v2->sv_conn.cn_given_up, out->given_up);
		rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_REVERSE_LATE);
	}
	rpcrdma2_cong_put(xprt, credits);
}

/* Is there a reverse Call that was not replied to? @only_opt: it has to have gone by
 * ROPT_XMTREQ.
 */
static bool svc_rdma2_bc_known(struct svcxprt_rdma *rdma, __be32 xid, bool only_opt)
{
	struct rpc_xprt *xprt = READ_ONCE(rdma->sc_xprt.xpt_bc_xprt);
	bool known;

	if (!xprt)
		return false;
	spin_lock(&xprt->transport_lock);
	known = rpcrdma2_outstanding_known(&rdma->sc_v2->sv_ledger.out, xid, only_opt);
	spin_unlock(&xprt->transport_lock);
	return known;
}

/* Section: sending */

/* Decide how a reverse Call is split. @se: gets its plan. Returns false if it takes
 * more of them than before.
 */
static bool svc_rdma2_bc_plan(struct svc_rdma2_sending *se, u32 xmts)
{
	struct rpcrdma2_conn *conn = &se->se_rdma->sc_v2->sv_conn;
	u32 length = se->se_xdr->len;
	struct rpcrdma2_rbstruct rb;
	struct rpcrdma2_dest to = {
		.rb		= &rb,
		.max_xmts	= xmts,
	};

	/* As svc_rdma2_bc_xmts() has found */
	if (xmts == 1) {
		rpcrdma2_plan_msg(&se->se_plan, RPCRDMA2_HDRLEN_MIN, length);
		return true;
	}
	to.limit = rpcrdma2_conn_peer_struct(conn, &rb);
	return rpcrdma2_plan(&se->se_plan, &to, rpcrdma2_xmtreq_size(0, 0, 0),
			     length, NULL, 0);
}

/* Write the header of a long reverse Call. @se: the Call, planned. Returns 0 or a
 * negative errno.
 */
static int svc_rdma2_bc_encode_xmtreq(struct svc_rdma2_sending *se,
				      const struct rpcrdma2_hdr *hdr)
{
	struct rpcrdma2_xmtreq *req;
	int len;

	req = kzalloc_obj(*req, GFP_NOIO | __GFP_NOWARN);
	if (!req)
		return -ENOMEM;
	req->count = se->se_plan.nxmts;
	req->rsbuf = 1;
	req->pslen = se->se_plan.xmts[0].pslen;
	len = rpcrdma2_encode_xmtreq(se->se_ctxts[0]->sc_xprt_buf,
				     se->se_rdma->sc_max_req_size, hdr, req);
	trace_rpcrdma2_xmtreq(&se->se_rdma->sc_v2->sv_conn, hdr->xid, req, true);
	kfree(req);
	return WARN_ON_ONCE(len != se->se_plan.xmts[0].hdrlen) ? -EIO : 0;
}

/* Put the Sends of a reverse Call together. @se: the Call, planned, with its Send
 * contexts. Returns 0 or a negative errno.
 */
static int svc_rdma2_bc_build(struct svc_rdma2_sending *se,
			      const struct rpcrdma2_hdr *hdr)
{
	int ret = 0;

	if (se->se_plan.nxmts == 1)
		rpcrdma2_encode_bare_msg(se->se_ctxts[0]->sc_xprt_buf, hdr);
	else
		ret = svc_rdma2_bc_encode_xmtreq(se, hdr);
	return ret ?: svc_rdma2_sending_build(se, hdr, ROPT_XMTREQ);
}

/* Send a reverse Call (A-89, C-02, C-23, D-21, D-22, D-37). @rqst: the Call, holding
 * a credit for each transmission. It is sent from a copy: the Send may outlive the
 * Call, which may also be sent again. Context: may sleep. Returns 0, -ENOTCONN if
 * the connection is lost, or -ENOMEM if the Call is to be tried again; @sctxt stays
 * with the caller unless 0 is returned.
 */
static int svc_rdma2_bc_transmit(struct svcxprt_rdma *rdma,
				 struct rpc_rqst *rqst,
				 struct svc_rdma_send_ctxt *sctxt, u32 xmts)
{
	const struct rpcrdma2_hdr hdr = {
		.xid	= rqst->rq_xid,
		.credit	= rdma->sc_max_bc_requests,
		.dir	= RDMA2_CALL,
	};
	struct svc_rdma2_sending *se;
	int ret = -ENOMEM;

	se = kmalloc_obj(*se, GFP_NOIO | __GFP_NOWARN);
	if (!se)
		return ret;
	svc_rdma2_sending_init(se, rdma, &rqst->rq_snd_buf);
	se->se_copy = true;
	se->se_gfp = GFP_NOIO;
	if (svc_rdma2_bc_plan(se, xmts))
		ret = svc_rdma2_sending_get(se, sctxt);
	if (!ret && svc_rdma2_bc_build(se, &hdr))
		ret = -ENOMEM;
	if (!ret)
		ret = svc_rdma2_sending_post(se, &hdr);
	svc_rdma2_sending_put(se);
	kfree(se);
	return ret;
}

/* Send a reverse Call. @rqst: the Call, encoded, allowed, and holding a credit. Only
 * a lost connection is a reason to close it. Other errors must be such that the Call
 * is tried again: whichever task transmits gets to see them. Context: may sleep.
 * Returns 0, -ENOTCONN if the connection is lost, -EBADSLT if the Call has to wait
 * for more credits, or -ENOMEM if it is to be tried again.
 */
static int svc_rdma2_bc_send_request(struct svcxprt_rdma *rdma,
				     struct rpc_rqst *rqst)
{
	u32 xmts = svc_rdma2_bc_xmts(rdma, rqst);
	struct svc_rdma_send_ctxt *sctxt;
	int ret;

	/* The peer has thought better of it. */
	if (!xmts)
		return 0;
	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (!sctxt)
		return -ENOMEM;
	ret = svc_rdma2_bc_get_credits(rdma->sc_v2, rqst, xmts);
	if (ret > 0) {
		/* It ends like one that has waited. */
		rqst->rq_ntrans = 0;
		rpcrdma2_count(&rdma->sc_v2->sv_conn,
			       RPCRDMA2_CNT_REVERSE_WITHHELD);
		ret = 0;
		goto out_put;
	}
	if (ret)
		goto out_put;

	rqst->rq_xtime = ktime_get();
	svc_rdma2_bc_sent(rdma->sc_v2, rqst, xmts);
	ret = svc_rdma2_bc_transmit(rdma, rqst, sctxt, xmts);
	if (ret)
		goto out_unsent;
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_REVERSE_CALLS);
	return 0;

out_unsent:
	svc_rdma2_bc_unsent(rdma->sc_v2, rqst);
out_put:
	svc_rdma_send_ctxt_put(rdma, sctxt);
	return ret;
}

/**
 * svc_rdma2_bc_send - send a reverse Call in the version of the connection
 * @rqst: the Call
 *
 * One that is withheld takes no credit.
 *
 * Return: 0, -EBADSLT if it has to wait for a credit, or another negative errno
 */
int svc_rdma2_bc_send(struct rpc_rqst *rqst)
{
	struct svc_xprt *xprt = rqst->rq_xprt->bc_xprt;
	struct svcxprt_rdma *rdma =
		container_of(xprt, struct svcxprt_rdma, sc_xprt);
	int ret;

	if (!svc_rdma2_active(rdma))
		return svc_rdma_v1_ops.bc_send(rqst);
	if (test_bit(XPT_DEAD, &xprt->xpt_flags))
		return svc_rdma_bc_lost(rqst);
	if (!svc_rdma2_bc_allowed(rdma, rqst))
		return 0;
	if (!xprt_request_get_cong(rqst->rq_xprt, rqst))
		return -EBADSLT;
	ret = svc_rdma2_bc_send_request(rdma, rqst);
	if (ret == -ENOTCONN) {
		svc_xprt_close(xprt);
		ret = svc_rdma_bc_lost(rqst);
	}
	return ret;
}

/* Section: the Call that a message is about, in the receive handler */

/* Find the reverse Call that a message is about, and return the credits that it holds.
 * @xprt: its reverse transport, queue_lock held. @refused: the message is no reply.
 * sunrpc knows a Call before it is sent, too, but nothing can be about it then (D-02).
 * Returns the Call, or NULL if none was sent, or its caller has given it up.
 */
static struct rpc_rqst *svc_rdma2_bc_lookup(struct svc_rdma2 *v2,
					    struct rpc_xprt *xprt, __be32 xid,
					    bool refused)
{
	const struct rpcrdma2_ending end = {
		.xid		= xid,
		.refused	= refused,
	};
	struct rpcrdma2_outstanding_call call;
	enum rpcrdma2_call_was was;

	spin_lock(&xprt->transport_lock);
	was = rpcrdma2_outstanding_ended(&v2->sv_ledger.out, &end, &call);
	if (was != RPCRDMA2_CALL_UNKNOWN)
		svc_rdma2_bc_repay(v2, xprt, &call, refused);
	rpcrdma2_conn_reverse_used(&v2->sv_conn, v2->sv_ledger.out.count);
	spin_unlock(&xprt->transport_lock);
	return was == RPCRDMA2_CALL_AWAITED ? xprt_lookup_rqst(xprt, xid) : NULL;
}

/* Have a reverse Call fail. @rqst: the reverse transport's queue_lock is held. Its
 * task may still be on its way from sending to sleeping, where tk_status is cleared.
 * If it is, it takes one word for a reply, which cannot be one, and has no other
 * try.
 */
static void svc_rdma2_bc_give_up(struct rpc_rqst *rqst)
{
	struct rpc_task *task = rqst->rq_task;

	lockdep_assert_held(&rqst->rq_xprt->queue_lock);

	rqst->rq_private_buf = rqst->rq_rcv_buf;
	task->tk_status = -EIO;
	task->tk_garb_retry = 0;
	xprt_complete_rqst(task, XDR_UNIT);
}

/**
 * svc_rdma2_bc_fail - end the reverse Call that a message is about
 * @rdma: connection
 * @msg: message with its xid that is no reply, or no good one
 *
 * The grant is in force before the Call returns its own credit.
 *
 * Context: receive handler
 * Return: false if there is no such Call
 */
bool svc_rdma2_bc_fail(struct svcxprt_rdma *rdma, const struct rpcrdma2_msg *msg)
{
	struct rpc_xprt *xprt = READ_ONCE(rdma->sc_xprt.xpt_bc_xprt);
	struct rpc_rqst *rqst = NULL;

	if (xprt) {
		spin_lock(&xprt->queue_lock);
		rqst = svc_rdma2_bc_lookup(rdma->sc_v2, xprt, msg->xid,
					   rpcrdma2_is_refusal(msg));
		if (rqst && msg->verdict == RPCRDMA2_OK)
			svc_rdma2_take_credit(rdma, msg);
		if (rqst)
			svc_rdma2_bc_give_up(rqst);
		spin_unlock(&xprt->queue_lock);
	}
	rpcrdma2_count(&rdma->sc_v2->sv_conn,
		       rqst ? RPCRDMA2_CNT_RPCS_FAILED :
			      RPCRDMA2_CNT_UNMATCHED);
	return rqst;
}

/**
 * svc_rdma2_bc_refused - the peer cannot take a reverse Call by ROPT_XMTREQ
 * @rdma: connection
 * @msg: message that says so
 * @xid: xid of the Call
 *
 * There is no other way for it, so it fails; others that are as long will not
 * be sent.
 *
 * Return: false if there is no such Call
 */
bool svc_rdma2_bc_refused(struct svcxprt_rdma *rdma,
			  const struct rpcrdma2_msg *msg, __be32 xid)
{
	if (xid != msg->xid || !svc_rdma2_bc_known(rdma, xid, true))
		return false;
	WRITE_ONCE(rdma->sc_v2->sv_bc_short, true);
	return svc_rdma2_bc_fail(rdma, msg);
}

/* End the reverse Call that a reply is for. The grant is in force before the Call
 * returns its own credit. A reply that is longer than the Call has room for fails it.
 * Context: receive handler. Returns false if there is no such Call.
 */
static bool svc_rdma2_bc_complete(struct svcxprt_rdma *rdma,
				  const struct rpcrdma2_msg *msg,
				  const void *reply, u32 len)
{
	struct rpc_xprt *xprt = READ_ONCE(rdma->sc_xprt.xpt_bc_xprt);
	struct rpc_rqst *rqst;
	bool filled = false;

	if (!xprt)
		return false;
	spin_lock(&xprt->queue_lock);
	rqst = svc_rdma2_bc_lookup(rdma->sc_v2, xprt, msg->xid, false);
	if (rqst) {
		svc_rdma2_take_credit(rdma, msg);
		rqst->rq_private_buf = rqst->rq_rcv_buf;
		filled = len <= rqst->rq_rcv_buf.head[0].iov_len;
		if (filled) {
			memcpy(rqst->rq_rcv_buf.head[0].iov_base, reply, len);
			xprt_complete_rqst(rqst->rq_task, len);
		} else {
			svc_rdma2_bc_give_up(rqst);
		}
	}
	spin_unlock(&xprt->queue_lock);
	if (rqst)
		rpcrdma2_count(&rdma->sc_v2->sv_conn, filled ?
			       RPCRDMA2_CNT_REVERSE_REPLIES :
			       RPCRDMA2_CNT_RPCS_FAILED);
	return rqst;
}

/**
 * svc_rdma2_bc_reply - deal with the reply to a reverse Call
 * @rdma: connection
 * @ctxt: received RDMA2_MSG or RDMA2_NOMSG in REPLY direction, header sound
 *
 * No chunks were offered, so none can have been used (N-26, N-27). A reply
 * that is too long for its Call fails it; one that belongs to no Call is
 * dropped (D-02, N-30).
 *
 * Context: receive handler
 * Return: what becomes of it
 */
enum svc_rdma2_outcome svc_rdma2_bc_reply(struct svcxprt_rdma *rdma,
					  struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;

	if (msg->proc == RDMA2_MSG && !msg->lists.write_chunks &&
	    !msg->lists.reply_present) {
		if (svc_rdma2_bc_complete(rdma, msg,
					  ctxt->rc_recv_buf + msg->hdrlen,
					  msg->length - msg->hdrlen))
			return SVC_RDMA2_O_DONE;
		rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_UNMATCHED);
	} else if (svc_rdma2_bc_fail(rdma, msg)) {
		return SVC_RDMA2_O_DONE;
	}
	return SVC_RDMA2_O_DROP;
}

/**
 * svc_rdma2_bc_bad_reply - deal with a reply that is bad
 * @rdma: connection
 * @ctxt: received RDMA2_MSG, RDMA2_NOMSG or RDMA2_ERROR in REPLY direction
 *
 * What can be told to belong to a reverse Call ends it (N-02, N-12, N-41),
 * unless its payload is about something else (N-18).
 *
 * Context: receive handler
 * Return: what becomes of it
 */
enum svc_rdma2_outcome svc_rdma2_bc_bad_reply(struct svcxprt_rdma *rdma,
					      struct svc_rdma_recv_ctxt *ctxt)
{
	const struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;

	if (!rpcrdma2_ends_rpc(msg) || !svc_rdma2_bc_fail(rdma, msg))
		return SVC_RDMA2_O_BAD_XDR;
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_BAD_HEADERS);
	return SVC_RDMA2_O_DONE;
}

/* Section: replies by ROPT_XMTRESP */

/* Hand a reply by ROPT_XMTRESP to its Call (B-18). @ctxt: the message, sound.
 * Nothing was to be placed, so that nothing can have been (N-165).
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

/* Look at a reply by ROPT_XMTRESP. @ctxt: the message; it answers a reverse Call
 * that went by ROPT_XMTREQ. @resp: what was decoded of it. Returns what becomes of
 * it.
 */
static enum svc_rdma2_outcome
svc_rdma2_bc_check_xmtresp(struct svcxprt_rdma *rdma,
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
	if (rpcrdma2_assembly_lead(&v2->sv_assembly.ra_asm, msg, &arr, NULL, &part,
				   &rv->rv_fault) == RPCRDMA2_STEP_WHOLE) {
		if (rpcrdma2_check_whole(&arr, NULL, &rv->rv_fault)) {
			svc_rdma2_bc_whole(rdma, ctxt, resp);
			return SVC_RDMA2_O_DONE;
		}
		rpcrdma2_blame(&rv->rv_fault, msg, 0, false);
	}
	svc_rdma2_bc_fail(rdma, msg);
	return SVC_RDMA2_O_QUEUE;
}

/* A reply by ROPT_XMTRESP cannot be taken (A-87, N-63, N-161..N-164). @count: 0 if
 * that cannot be read. Returns what becomes of it.
 */
static enum svc_rdma2_outcome svc_rdma2_bc_unfit(struct svcxprt_rdma *rdma,
						 const struct rpcrdma2_msg *msg,
						 u32 count, bool awaited)
{
	rpcrdma2_assembly_refuse(&rdma->sc_v2->sv_assembly.ra_asm, count);
	if (msg->dir != RDMA2_REPLY)
		return SVC_RDMA2_O_BAD_XDR;
	if (!awaited || !rpcrdma2_ends_rpc(msg) || !svc_rdma2_bc_fail(rdma, msg))
		return SVC_RDMA2_O_DROP;
	return SVC_RDMA2_O_DONE;
}

/**
 * svc_rdma2_bc_xmtresp - receive ROPT_XMTRESP
 * @rdma: connection
 * @ctxt: received message, perhaps not sound
 *
 * Not left to a service thread, like other replies to reverse Calls.
 *
 * Context: receive handler
 * Return: what becomes of it
 */
enum svc_rdma2_outcome svc_rdma2_bc_xmtresp(struct svcxprt_rdma *rdma,
					    struct svc_rdma_recv_ctxt *ctxt)
{
	struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	bool known = svc_rdma2_bc_known(rdma, msg->xid, false);
	struct rpcrdma2_xmtresp *resp;
	enum svc_rdma2_outcome outcome;

	if (!msg->opt.info_off)
		return svc_rdma2_bc_unfit(rdma, msg, 0, known);
	resp = kmalloc_obj(*resp, SVC_RDMA2_GFP);
	if (!resp)
		return SVC_RDMA2_O_CLOSE;
	if (rpcrdma2_decode_xmtresp(ctxt->rc_recv_buf, msg, resp) ||
	    msg->verdict != RPCRDMA2_OK ||
	    !svc_rdma2_bc_known(rdma, msg->xid, true))
		outcome = svc_rdma2_bc_unfit(rdma, msg, resp->count, known);
	else
		outcome = svc_rdma2_bc_check_xmtresp(rdma, ctxt, resp);
	kfree(resp);
	return outcome;
}

/* Does a reverse Call leave its credits behind? @rqst: the Call, which comes to its end.
 * Context: the reverse transport's transport_lock is held. Returns false if it was replied
 * to, or never sent.
 */
static bool svc_rdma2_bc_left(struct svc_rdma2 *v2, struct rpc_rqst *rqst)
{
	if (!rpcrdma2_outstanding_give_up(&v2->sv_ledger.out, rqst->rq_xid))
		return false;
	WRITE_ONCE(v2->sv_conn.cn_given_up, v2->sv_ledger.out.given_up);
	WRITE_ONCE(v2->sv_stuck_since, jiffies);
	rpcrdma2_cong_keep(rqst);
	return true;
}

/* Was a reverse Call never sent, for want of credits? @rqst: the Call, which comes to its
 * end. A request of this end that was not answered holds a credit like a Call that was
 * given up does. Returns true if there will be no credits for others either: the
 * peer has not answered earlier Calls for longer than this one had time.
 */
static bool svc_rdma2_bc_blocked(struct svcxprt_rdma *rdma,
				 const struct rpc_rqst *rqst)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	return !rqst->rq_ntrans && svc_rdma2_active(rdma) &&
	       rpcrdma2_ledger_stuck(&v2->sv_ledger,
				     max(svc_rdma2_bc_xmts(rdma, rqst), 1U)) &&
	       time_after_eq(jiffies, READ_ONCE(v2->sv_stuck_since) +
			      rqst->rq_timeout);
}

/**
 * svc_rdma2_bc_release - the upper layer is done with a reverse Call
 * @task: its task
 *
 * A Call that was not replied to leaves its credits behind. Otherwise a request
 * may have waited for one.
 *
 * Context: the reverse transport's transport_lock is held
 */
void svc_rdma2_bc_release(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;
	struct svcxprt_rdma *rdma = container_of(rqst->rq_xprt->bc_xprt,
						 struct svcxprt_rdma, sc_xprt);
	struct svc_rdma2 *v2 = rdma->sc_v2;

	if (v2 && !svc_rdma2_bc_left(v2, rqst) &&
	    svc_rdma2_bc_blocked(rdma, rqst)) {
		rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_CREDITS_STUCK);
		svc_rdma2_close(rdma);
	}
	if (!rqst->rq_cong && svc_rdma2_active(rdma))
		rpcrdma2_cong_nudge(rqst->rq_xprt);
	xprt_release_rqst_cong(task);
	if (v2)
		svc_rdma2_control_kick(v2);
}
