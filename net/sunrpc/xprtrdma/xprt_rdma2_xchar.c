// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: characteristics that change, and how they
 * are asked for.
 *
 * What the server says takes effect in the receive handler. What this end has
 * to say goes out from wherever it is noticed: from the receive handler, from a
 * task that is about to send a Call, or from a work item of the connection.
 * Thresholds and the message that they go with change under ve_ctrl_lock. A
 * task that prepares a Call reads thresholds without it, and holds
 * ve_marshalling until the Call is posted.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "xprt_rdma.h"
#include "xprt_rdma2_place.h"
#include <trace/events/rpcrdma.h>
#include <trace/events/rpcrdma2.h>

/* How soon to try again what could not be sent */
#define XPRT_RDMA2_CTRL_RETRY	(max_t(unsigned long, HZ / 50, 1))

/**
 * xprt_rdma2_conn_xprt - the transport that a record belongs to
 * @conn: record of a client's connection
 *
 * Return: the transport
 */
static struct rpcrdma_xprt *xprt_rdma2_conn_xprt(const struct rpcrdma2_conn *conn)
{
	return container_of(conn, struct rpcrdma_xprt, rx_v2.vx_conn);
}

/*
 * Section: thresholds
 */

/**
 * xprt_rdma2_use_sizes - let Calls use other thresholds
 * @ep: connection on which version 2 is spoken
 * @send: longest Send, in bytes
 * @recv: longest Receive that can be relied on, in bytes
 *
 * rpcrdma_set_max_header_sizes() reckons with headers of version 1. Whoever
 * looks at a threshold in between sees one that is too low: senders read them
 * without the lock, by READ_ONCE().
 */
static void xprt_rdma2_use_sizes(struct rpcrdma_ep *ep, u32 send, u32 recv)
{
	unsigned int extra = RPCRDMA2_HDRLEN_MIN - RPCRDMA_HDRLEN_MIN;

	WRITE_ONCE(ep->re_inline_send, send - extra);
	WRITE_ONCE(ep->re_inline_recv, recv - extra);
	rpcrdma_set_max_header_sizes(ep);
	WRITE_ONCE(ep->re_inline_send, send);
	WRITE_ONCE(ep->re_inline_recv, recv);
}

/**
 * __xprt_rdma2_set_sizes - work out how long inline messages may be
 * @ep: connection on which version 2 is spoken, ve_ctrl_lock held
 *
 * What is sent is limited by the peer's RBSIZ (B-23, X-72, N-95). What is
 * received is limited by this end's RBSIZ, as far as the peer is sure to know
 * it.
 */
static void __xprt_rdma2_set_sizes(struct rpcrdma_ep *ep)
{
	struct rpcrdma2_conn *conn = ep->re_v2->ve_conn;
	unsigned int seen;
	u32 send, recv;

	seen = rpcrdma2_conn_limits(conn, &send, &recv);
	WRITE_ONCE(ep->re_v2->ve_seen, seen);
	if (ep->re_inline_send == send && ep->re_inline_recv == recv)
		return;
	xprt_rdma2_use_sizes(ep, send, recv);
	trace_xprtrdma_inline_thresh(ep);
}

/**
 * xprt_rdma2_set_sizes - work out how long inline messages may be
 * @ep: connection on which version 2 is spoken
 *
 * Context: process context
 */
void xprt_rdma2_set_sizes(struct rpcrdma_ep *ep)
{
	spin_lock(&ep->re_v2->ve_ctrl_lock);
	__xprt_rdma2_set_sizes(ep);
	spin_unlock(&ep->re_v2->ve_ctrl_lock);
}

/*
 * Section: what this end is like
 */

/**
 * xprt_rdma2_max_recv - how long Receives may become
 * @xch: characteristics of a connection
 *
 * Return: a length in bytes
 */
static u32 xprt_rdma2_max_recv(const struct rpcrdma2_xch *xch)
{
	return max(READ_ONCE(rpcrdma2_client_max_recv_size),
		   READ_ONCE(rpcrdma2_client_recv_size));
}

/**
 * xprt_rdma2_may_lower - can Receives be shorter from now on?
 * @xch: characteristics of a connection
 * @size: the length, in bytes
 *
 * Not if there are Calls without a reply, which may be a long one. New
 * ones must not rely on the old length before that is decided.
 *
 * Context: receive handler, ve_ctrl_lock and cn_lock held
 *
 * Return: true if they can
 */
static bool xprt_rdma2_may_lower(const struct rpcrdma2_xch *xch, u32 size)
{
	struct rpcrdma_xprt *r_xprt =
		container_of(xch, struct rpcrdma_xprt, rx_v2.vx_conn.cn_xch);
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	u32 recv = ep->re_inline_recv;
	unsigned long cong;

	xprt_rdma2_use_sizes(ep, ep->re_inline_send, min(recv, size));
	/* ORDER: thresholds before ve_marshalling and cong. Pairs with the barrier in
	 * xprt_rdma2_begin_send(), before which a Call gets its credit: it
	 * sees the new threshold, or is seen here.
	 */
	smp_mb();
	/* sunrpc changes it under the transport_lock. */
	cong = data_race(READ_ONCE(r_xprt->rx_xprt.cong));
	if (!READ_ONCE(ep->re_v2->ve_marshalling) && !cong)
		return true;
	xprt_rdma2_use_sizes(ep, ep->re_inline_send, recv);
	return false;
}

static const struct rpcrdma2_xch_ops xprt_rdma2_xch_ops = {
	.max_recv	= xprt_rdma2_max_recv,
	.may_lower	= xprt_rdma2_may_lower,
	.end		= RPCRDMA2_STATED_BY_CLIENT,
	.asks_lower	= true,
};

/**
 * xprt_rdma2_own_brs - which reverse Calls this end takes
 * @xprt: transport
 *
 * Return: none as long as nobody serves them
 */
static u32 xprt_rdma2_own_brs(const struct rpc_xprt *xprt)
{
#if IS_ENABLED(CONFIG_SUNRPC_BACKCHANNEL)
	if (READ_ONCE(xprt->bc_serv))
		return RDMA2_BRS_INLINE;
#endif
	return RDMA2_BRS_NONE;
}

/**
 * xprt_rdma2_own_size - how long Receives are without placement
 * @ep: connection on which version 2 was offered
 *
 * Return: length in bytes (B-21)
 */
u32 xprt_rdma2_own_size(const struct rpcrdma_ep *ep)
{
	return max3(ep->re_inline_recv, (unsigned int)RPCRDMA2_DEF_INLINE,
		    READ_ONCE(rpcrdma2_client_recv_size));
}

/**
 * xprt_rdma2_xchar_state - set what this end is going to say of itself
 * @ep: connection that is being prepared
 *
 * Every device that the client accepts registers memory by Work Request, and
 * so can have it invalidated by the server.
 */
void xprt_rdma2_xchar_state(struct rpcrdma_ep *ep)
{
	struct xprt_rdma2_ep *ve = ep->re_v2;
	struct rpcrdma2_xchars local;

	rpcrdma2_xchars_default(&local);
	rpcrdma2_xchar_set(&local, RPCRDMA2_RBSIZ, xprt_rdma2_own_size(ep));
	rpcrdma2_xchar_set(&local, RPCRDMA2_REQREMINV, true);
	rpcrdma2_xchar_set(&local, RPCRDMA2_BRS,
			   xprt_rdma2_own_brs(ep->re_xprt));
	local.nochg = RPCRDMA2_HAS_REQREMINV;
	xprt_rdma2_place_state(ve, &local);
	rpcrdma2_conn_state(ve->ve_conn, &xprt_rdma2_xch_ops, &local);
}

/* Context: work item of a connection */
static void xprt_rdma2_ctrl_worker(struct work_struct *work);

/**
 * xprt_rdma2_xchar_init - get a connection ready for characteristics
 * @ep: connection that is being prepared, its re_v2 set
 */
void xprt_rdma2_xchar_init(struct rpcrdma_ep *ep)
{
	struct xprt_rdma2_ep *ve = ep->re_v2;

	spin_lock_init(&ve->ve_ctrl_lock);
	spin_lock_init(&ve->ve_post_lock);
	INIT_DELAYED_WORK(&ve->ve_ctrl_work, xprt_rdma2_ctrl_worker);
	xprt_rdma2_xchar_state(ep);
}

/*
 * Section: what this end has to say
 */

/**
 * xprt_rdma2_again - try again soon
 * @ve: connection
 * @delay: when, in jiffies
 */
static void xprt_rdma2_again(struct xprt_rdma2_ep *ve, unsigned long delay)
{
	spin_lock(&ve->ve_conn->cn_lock);
	if (!ve->ve_closing)
		queue_delayed_work(xprtiod_workqueue, &ve->ve_ctrl_work, delay);
	spin_unlock(&ve->ve_conn->cn_lock);
}

/**
 * xprt_rdma2_post_ctrl - send a control message, if it can be sent now
 * @r_xprt: transport
 * @ctrl: the message; its consequences hold
 *
 * ROPT_REQXCH holds a forward credit until it is answered. An empty one
 * does not insist: where there are Calls, there are replies. One that asks for
 * shorter Receives must not overtake a Call that was prepared with the longer
 * ones in mind.
 *
 * Return: true if it was posted
 */
static bool xprt_rdma2_post_ctrl(struct rpcrdma_xprt *r_xprt,
				 const struct rpcrdma2_ctrl *ctrl)
{
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;
	bool marshalling;

	if (ctrl->opttype == ROPT_UPDXCH)
		return xprt_rdma2_send_xch(r_xprt, ctrl);
	/* ORDER: thresholds before ve_marshalling. Pairs with the barrier in
	 * xprt_rdma2_begin_send(): a Call sees the new threshold, or is seen
	 * here.
	 */
	smp_mb();
	/* Pairs with the release in xprt_rdma2_end_send(): what was prepared with
	 * the old threshold is posted before this request.
	 */
	marshalling = smp_load_acquire(&ve->ve_marshalling);
	if (marshalling && ctrl->values.present & RPCRDMA2_HAS_RBSIZ)
		return false;
	if (!rpcrdma2_credit_get(&r_xprt->rx_v2.vx_credit, &r_xprt->rx_xprt,
				 &r_xprt->rx_buf.rb_credits,
				 ctrl->values.present))
		return false;
	if (xprt_rdma2_send_xch(r_xprt, ctrl))
		return true;
	xprt_rdma2_credit_put(r_xprt);
	return false;
}

/**
 * xprt_rdma2_flush - send the control messages that are due
 * @r_xprt: transport
 *
 * Context: process context
 */
static void xprt_rdma2_flush(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_ep *ve = ep->re_v2;
	struct rpcrdma2_ctrl ctrl;
	bool sent = true;

	spin_lock(&ve->ve_ctrl_lock);
	while (sent && rpcrdma2_conn_due(ve->ve_conn) &&
	       rpcrdma2_conn_next(ve->ve_conn,
				  xprt_rdma2_next_xid(&r_xprt->rx_xprt),
				  &ctrl)) {
		__xprt_rdma2_set_sizes(ep);
		sent = xprt_rdma2_post_ctrl(r_xprt, &ctrl);
		rpcrdma2_conn_sent(ve->ve_conn, &ctrl, sent);
	}
	__xprt_rdma2_set_sizes(ep);
	WRITE_ONCE(ve->ve_due, !sent);
	spin_unlock(&ve->ve_ctrl_lock);
	if (!sent)
		xprt_rdma2_again(ve, XPRT_RDMA2_CTRL_RETRY);
}

/**
 * xprt_rdma2_ctrl_worker - send control messages when nobody else comes by
 * @work: work item of a connection
 */
static void xprt_rdma2_ctrl_worker(struct work_struct *work)
{
	struct xprt_rdma2_ep *ve = container_of(work, struct xprt_rdma2_ep,
						ve_ctrl_work.work);

	xprt_rdma2_flush(xprt_rdma2_conn_xprt(ve->ve_conn));
}

/**
 * xprt_rdma2_kick - have the work item run
 * @conn: record of a connection
 *
 * Context: cn_lock is held
 */
void xprt_rdma2_kick(struct rpcrdma2_conn *conn)
{
	struct xprt_rdma2_ep *ve = xprt_rdma2_conn_xprt(conn)->rx_ep->re_v2;

	mod_delayed_work(xprtiod_workqueue, &ve->ve_ctrl_work, 0);
}

/**
 * xprt_rdma2_progress - see whether there is anything to tell the server
 * @r_xprt: transport
 *
 * Context: receive handler, after each message
 */
void xprt_rdma2_progress(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;

	if (rpcrdma2_conn_progress(conn, READ_ONCE(rpcrdma2_client_recv_size)))
		xprt_rdma2_flush(r_xprt);
	else if (!rpcrdma2_conn_unchanged(conn,
					  READ_ONCE(r_xprt->rx_ep->re_v2->ve_seen)))
		xprt_rdma2_set_sizes(r_xprt->rx_ep);
}

/**
 * xprt_rdma2_begin_send - something is going to be prepared and sent
 * @r_xprt: transport
 *
 * That the callback service is there has to be known to the server before the
 * Call that makes use of it (X-83, D-32).
 *
 * Context: the transport's send lock is held
 */
void xprt_rdma2_begin_send(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;
	u32 brs = xprt_rdma2_own_brs(&r_xprt->rx_xprt);
	bool due = READ_ONCE(ve->ve_due);

	if (READ_ONCE(conn->cn_xch.xc_local.brs) != brs) {
		rpcrdma2_conn_own_value(conn, RPCRDMA2_BRS, brs);
		due = true;
	}
	if (due)
		xprt_rdma2_flush(r_xprt);
	WRITE_ONCE(ve->ve_marshalling, true);
	/* ORDER: ve_marshalling before thresholds are looked at. Pairs with
	 * xprt_rdma2_post_ctrl() and xprt_rdma2_may_lower().
	 */
	smp_mb();
}

/**
 * xprt_rdma2_end_send - what was prepared is posted, or never will be
 * @ep: connection on which version 2 was offered
 *
 * Context: the transport's send lock is held
 */
void xprt_rdma2_end_send(struct rpcrdma_ep *ep)
{
	/* The Send was posted before. Pairs with the acquire in
	 * xprt_rdma2_post_ctrl().
	 */
	smp_store_release(&ep->re_v2->ve_marshalling, false);
}

/**
 * xprt_rdma2_want_inline - a Call had to go by RDMA Read for its length
 * @r_xprt: transport
 * @len: length of the RPC message, in bytes
 *
 * The server is asked for Receives that are long enough, within reason. One
 * that came down to less than 4096 bytes would have to refuse a request for so
 * little.
 *
 * Context: the transport's send lock is held
 */
void xprt_rdma2_want_inline(struct rpcrdma_xprt *r_xprt, u32 len)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	u32 max_send = READ_ONCE(ep->re_max_inline_send);
	u32 need = len + READ_ONCE(ep->re_inline_send) - max_send;

	if (len <= max_send || len > RPCRDMA2_MAX_INLINE)
		return;
	need = roundup_pow_of_two(need);
	if (need > RPCRDMA2_DEF_INLINE &&
	    need <= READ_ONCE(rpcrdma2_client_ask_size))
		rpcrdma2_conn_suggest(ep->re_v2->ve_conn, need);
}

/*
 * Section: what the server has to say
 */

/**
 * xprt_rdma2_reqxch - process ROPT_REQXCH
 * @rep: received message in CALL direction, header sound
 *
 * The answer goes out before anything else can be announced.
 *
 * Return: false if its content does not parse
 */
static bool xprt_rdma2_reqxch(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;
	struct rpcrdma2_respxch resp;
	bool sound;

	xprt_rdma2_post_recvs(r_xprt);
	spin_lock(&ve->ve_ctrl_lock);
	sound = rpcrdma2_conn_reqxch(ve->ve_conn, rdmab_data(rep->rr_rdmabuf),
				     &rep->rr_v2, &resp);
	if (sound) {
		if (!xprt_rdma2_send_respxch(r_xprt, rep->rr_v2.xid, &resp))
			rpcrdma2_count(ve->ve_conn, RPCRDMA2_CNT_ERRORS_UNSENT);
		rpcrdma2_conn_answered(ve->ve_conn);
	}
	spin_unlock(&ve->ve_ctrl_lock);
	return sound;
}

/**
 * xprt_rdma2_respxch - process ROPT_RESPXCH
 * @rep: received message in REPLY direction, perhaps not sound (N-104)
 *
 * Context: receive handler
 *
 * Return: false if it answers nothing (N-103)
 */
bool xprt_rdma2_respxch(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;

	if (!rpcrdma2_conn_respxch(ve->ve_conn, rdmab_data(rep->rr_rdmabuf),
				   &rep->rr_v2))
		return false;
	xprt_rdma2_credit_put(r_xprt);
	xprt_rdma2_take_grant(r_xprt, rep->rr_v2.credit);
	return true;
}

/**
 * xprt_rdma2_ctrl_error - see whether RDMA2_ERROR is about a control message
 * @rep: received RDMA2_ERROR, header sound; stays with the caller
 *
 * Context: receive handler
 *
 * Return: false if it is not
 */
bool xprt_rdma2_ctrl_error(struct rpcrdma_rep *rep)
{
	struct xprt_rdma2_ep *ve = rep->rr_rxprt->rx_ep->re_v2;
	u32 about;

	about = rpcrdma2_conn_error(ve->ve_conn, &rep->rr_v2);
	if (about == ROPT_REQXCH)
		xprt_rdma2_credit_put(rep->rr_rxprt);
	return about;
}

/**
 * xprt_rdma2_take_ctrl - process a control message
 * @rep: received RDMA2_OPTIONAL, header sound; stays with the caller
 *
 * Return: false if its content does not parse, it answers nothing (N-103), or
 * is none that goes in this direction (N-106, N-107)
 */
static bool xprt_rdma2_take_ctrl(struct rpcrdma_rep *rep)
{
	struct rpcrdma2_conn *conn = &rep->rr_rxprt->rx_v2.vx_conn;
	bool call = rep->rr_v2.dir == RDMA2_CALL;

	rpcrdma2_count(conn, RPCRDMA2_CNT_CONTROL_RECEIVED);
	switch (rep->rr_v2.opt.type) {
	case ROPT_INITXCH:
		return xprt_rdma2_initxch(rep);
	case ROPT_REQXCH:
		return call && xprt_rdma2_reqxch(rep);
	case ROPT_RESPXCH:
		return !call && xprt_rdma2_respxch(rep);
	case ROPT_UPDXCH:
		return rpcrdma2_conn_updxch(conn, rdmab_data(rep->rr_rdmabuf),
					    &rep->rr_v2);
	}
	return false;
}

/**
 * xprt_rdma2_option - process RDMA2_OPTIONAL
 * @rep: received message, header sound; goes with a Call, or is released
 *
 * A control message that is not sound is answered if it is a Call, and dropped
 * if it is a reply (N-101).
 *
 * Context: receive handler; thresholds follow in xprt_rdma2_progress()
 */
void xprt_rdma2_option(struct rpcrdma_rep *rep)
{
	switch (rep->rr_v2.opt.type) {
	case ROPT_XMTRESP:
		xprt_rdma2_xmtresp(rep);
		return;
	case ROPT_XMTREQ:
		xprt_rdma2_xmtreq(rep);
		return;
	case ROPT_REPTERR:
		if (!xprt_rdma2_repterr(rep))
			xprt_rdma2_drop(rep);
		return;
	}
	if (xprt_rdma2_take_ctrl(rep)) {
		rpcrdma_rep_put(&rep->rr_rxprt->rx_buf, rep);
	} else if (rep->rr_v2.dir == RDMA2_CALL) {
		rpcrdma2_count(&rep->rr_rxprt->rx_v2.vx_conn,
			       RPCRDMA2_CNT_BAD_HEADERS);
		xprt_rdma2_answer(rep, RDMA2_ERR_BAD_XDR);
	} else {
		xprt_rdma2_drop(rep);
	}
}
