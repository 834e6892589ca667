// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: whether data can travel in Sends.
 *
 * This end's Receives consist of a short head segment and of pages that data
 * can be placed in. The server is told when the connection begins, and every
 * Receive is made like that as far as it reaches, until the connection ends. How far it
 * reaches follows use (clnt_memory.c). What the server can do it says itself; nothing is
 * tried.
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "clnt_place.h"
#include <trace/events/rpcrdma.h>

enum {
	/* Receives for long replies, such as listings */
	XPRT_RDMA2_FEW_RECVS	= 128,
};

/* Section: thresholds */

/* Let Calls use other thresholds. @ep: connection on which version 2 is spoken.
 * @send: longest Send, in bytes. @recv: longest Receive that can be relied on,
 * in bytes. What is left to headers is what rpcrdma_set_max_header_sizes() has
 * reckoned with when the connection was made, and what version 2 needs in addition.
 * Senders read thresholds without the lock, by READ_ONCE().
 */
static void xprt_rdma2_use_sizes(struct rpcrdma_ep *ep, u32 send, u32 recv)
{
	unsigned int extra = RPCRDMA2_HDRLEN_MIN - RPCRDMA_HDRLEN_MIN;
	struct xprt_rdma2_ep *ve = ep->re_v2;

	if (!ve->ve_call_room) {
		ve->ve_call_room = ep->re_inline_send + extra -
				   ep->re_max_inline_send;
		ve->ve_reply_room = ep->re_inline_recv + extra -
				    ep->re_max_inline_recv;
	}
	WRITE_ONCE(ep->re_max_inline_send, send - ve->ve_call_room);
	WRITE_ONCE(ep->re_max_inline_recv, recv - ve->ve_reply_room);
	WRITE_ONCE(ep->re_inline_send, send);
	WRITE_ONCE(ep->re_inline_recv, recv);
}

/**
 * __xprt_rdma2_set_sizes - work out how long inline messages may be
 * @ep: connection on which version 2 is spoken, ve_ctrl_lock held
 *
 * What is sent is limited by the peer's RBSIZ (B-23, X-72, N-95). What is
 * received is limited by this end's RBSIZ, as far as the peer is sure to know
 * it. Both include the transport header. There is no use in a size beyond what is
 * ever sent.
 */
void __xprt_rdma2_set_sizes(struct rpcrdma_ep *ep)
{
	struct rpcrdma2_conn *conn = ep->re_v2->ve_conn;
	unsigned int seen;
	u32 send, recv;

	do {
		seen = read_seqcount_begin(&conn->cn_seq);
		send = min_t(u32, rpcrdma2_xch_send_limit(&conn->cn_xch),
			     RPCRDMA2_MAX_INLINE);
		recv = rpcrdma2_xch_recv_limit(&conn->cn_xch);
	} while (read_seqcount_retry(&conn->cn_seq, seen));
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

/* Are the peer's Receives too short, and may be longer? False if the peer has that
 * length, or has denied it.
 */
static bool xprt_rdma2_peer_short(const struct rpcrdma2_xch *xch, u32 size)
{
	return xch->xc_heard && size < xch->xc_denied &&
	       size > xch->xc_peer.rbsiz;
}

/* Ask the peer for longer Receives if it may help. @size: length that would have
 * been of use, in bytes. A size that was denied is not asked for again, unless
 * something has changed since. Context: process context.
 */
static void xprt_rdma2_suggest(struct rpcrdma2_conn *conn, u32 size)
{
	struct rpcrdma2_xch *xch = &conn->cn_xch;
	struct rpcrdma2_xchars want;
	unsigned int seq;
	bool helps;

	do {
		seq = read_seqcount_begin(&conn->cn_seq);
		helps = xprt_rdma2_peer_short(xch, size);
	} while (read_seqcount_retry(&conn->cn_seq, seq));
	if (!helps)
		return;
	rpcrdma2_xchars_default(&want);
	rpcrdma2_xchar_set(&want, RPCRDMA2_RBSIZ, size);
	rpcrdma2_conn_change_begin(conn);
	if (conn->cn_kick && xprt_rdma2_peer_short(xch, size) &&
	    rpcrdma2_xch_ask(xch, &want))
		conn->cn_kick(conn);
	rpcrdma2_conn_change_end(conn);
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
		xprt_rdma2_suggest(ep->re_v2->ve_conn, need);
}

/* How long Receives are without placement. Returns a length in bytes (B-21). */
static u32 xprt_rdma2_own_size(const struct rpcrdma_ep *ep)
{
	return max3(ep->re_inline_recv, (unsigned int)RPCRDMA2_DEF_INLINE,
		    READ_ONCE(rpcrdma2_client_recv_size));
}

/* Section: this end */

/* Note whether data is placed, for debugfs. @why: text that never goes away. */
static void xprt_rdma2_place_set(struct rpcrdma_xprt *r_xprt, const char *why)
{
	WRITE_ONCE(r_xprt->rx_v2.vx_conn.cn_place, why);
}

/* Note whether there are groups, for debugfs. @why: text that never goes away. */
static void xprt_rdma2_cont_set(struct rpcrdma_xprt *r_xprt, const char *why)
{
	WRITE_ONCE(r_xprt->rx_v2.vx_conn.cn_cont, why);
}

/* How long may data of a READ be that is placed? Drivers that take addresses of the
 * kernel are software. Returns a length in bytes.
 */
static u32 xprt_rdma2_own_read_max(struct ib_device *device)
{
	bool software = ib_uses_virt_dma(device) && !READ_ONCE(xprt_rdma2_hardware);

	return rpcrdma2_read_max(READ_ONCE(xprt_rdma2_read_max), software);
}

/* Allocate what placement keeps for a connection. @ep: connection that is being
 * prepared. @rb: structure of its Receives. Returns false if there is no memory.
 */
static bool xprt_rdma2_place_alloc(struct rpcrdma_ep *ep,
				   const struct rpcrdma2_rbstruct *rb)
{
	struct ib_device *device = ep->re_id->device;
	struct xprt_rdma2_placement *vp;

	vp = kvzalloc_obj(*vp, XPRT_RDMA2_GFP);
	if (!vp)
		return false;
	vp->vp_zeros = ib_dma_map_page(device, ZERO_PAGE(0), 0, PAGE_SIZE,
				       DMA_TO_DEVICE);
	if (ib_dma_mapping_error(device, vp->vp_zeros)) {
		kvfree(vp);
		return false;
	}
	vp->vp_own = *rb;
	vp->vp_read_max = xprt_rdma2_own_read_max(device);
	vp->vp_ve = ep->re_v2;
	ep->re_v2->ve_place = vp;
	return true;
}

/* How many Receives are there to be for replies that take several transmissions? An entry
 * of the queue takes memory as long as the connection lasts, and so do Receives while there
 * is use for them. Over iWARP, where a server has to register memory for explicit RDMA, too,
 * they are worth it; otherwise that costs no more than they do. Returns a number.
 */
static u32 xprt_rdma2_cont_wanted(const struct rpcrdma_ep *ep)
{
	u32 recvs = READ_ONCE(xprt_rdma2_cont_recvs);

	if (ep->re_v2->ve_place->vp_read_max > RPCRDMA2_MAX_RECV &&
	    rdma_protocol_iwarp(ep->re_id->device, ep->re_id->port_num))
		return recvs;
	return min_t(u32, recvs, XPRT_RDMA2_FEW_RECVS);
}

/* Prepare a connection for groups. @ep: connection that is prepared for placement.
 * Receives for replies that take several transmissions come on top of the others, as
 * far as the device goes.
 */
static void xprt_rdma2_cont_create(struct rpcrdma_xprt *r_xprt,
				   struct rpcrdma_ep *ep)
{
	u32 max_wr = ep->re_id->device->attrs.max_qp_wr;
	struct xprt_rdma2_placement *vp = ep->re_v2->ve_place;
	struct ib_qp_cap *cap = &ep->re_attr.cap;

	vp->vp_callbacks = clamp_t(u32, READ_ONCE(xprt_rdma2_cont_callbacks), 1,
				   RPCRDMA2_MAX_XMTS);
	vp->vp_cont = vp->vp_callbacks > 1 ||
		      READ_ONCE(xprt_rdma2_cont_requests) > 1 ||
		      READ_ONCE(xprt_rdma2_cont_replies) > 1;
	xprt_rdma2_cont_set(r_xprt, vp->vp_cont ? "not settled yet" :
						  "off: disabled here");
	if (READ_ONCE(xprt_rdma2_cont_replies) > 1)
		cap->max_recv_wr += min(xprt_rdma2_cont_wanted(ep),
					max_wr - min(max_wr, cap->max_recv_wr));
}

/**
 * xprt_rdma2_place_create - prepare a connection for placement
 * @r_xprt: transport
 * @ep: connection that is being prepared, its re_v2 set
 *
 * Receives may have to consist of several pieces of memory; a device that
 * claims to be able to do that, but is not, gets a second chance without
 * placement. Where Receives are to be of another length, they take what there is as it
 * is.
 */
void xprt_rdma2_place_create(struct rpcrdma_xprt *r_xprt, struct rpcrdma_ep *ep)
{
	u32 pages = min_t(u32, xprt_rdma2_place_pages(), RPCRDMA2_MAX_PLT_PAGES);
	struct rpcrdma2_rbstruct rb;

	if (!pages || r_xprt->rx_v2.vx_plain) {
		xprt_rdma2_place_set(r_xprt, pages ?
				     "off: too much for the device" :
				     "off: disabled here");
		return;
	}
	if (xprt_rdma2_own_size(ep) != RPCRDMA2_DEF_INLINE) {
		xprt_rdma2_place_set(r_xprt, "off: Receives are of another length");
		return;
	}
	rpcrdma2_rbstruct_make(&rb, XPRT_RDMA2_RECV_HEAD, pages, PAGE_SIZE);
	if (!xprt_rdma2_place_alloc(ep, &rb)) {
		xprt_rdma2_place_set(r_xprt, "off: no memory");
		return;
	}
	ep->re_attr.cap.max_recv_sge =
		clamp_t(u32, ep->re_id->device->attrs.max_recv_sge, 1,
			RPCRDMA2_BLOCK_SGES);
	xprt_rdma2_place_set(r_xprt, "not settled yet");
	xprt_rdma2_cont_create(r_xprt, ep);
}

/**
 * xprt_rdma2_place_destroy - undo xprt_rdma2_place_create()
 * @ep: connection whose queue pair is gone
 */
void xprt_rdma2_place_destroy(struct rpcrdma_ep *ep)
{
	struct xprt_rdma2_placement *vp = ep->re_v2->ve_place;

	if (!vp)
		return;
	ib_dma_unmap_page(ep->re_id->device, vp->vp_zeros, PAGE_SIZE,
			  DMA_TO_DEVICE);
	kvfree(vp);
	ep->re_v2->ve_place = NULL;
}

/* Add placement to what this end is going to say of itself. As responder this end
 * takes plain messages, and groups of them.
 */
static void xprt_rdma2_place_state(const struct xprt_rdma2_ep *ve,
				   struct rpcrdma2_xchars *local)
{
	const struct xprt_rdma2_placement *vp = ve->ve_place;

	if (!vp)
		return;
	local->rbstruct = vp->vp_own;
	local->present |= RPCRDMA2_HAS_RBSTRUCT;
	local->nochg |= RPCRDMA2_HAS_RBSTRUCT | RPCRDMA2_HAS_RTRSUPP |
			RPCRDMA2_HAS_REQRXLIM | RPCRDMA2_HAS_RESPSXLIM;
	if (vp->vp_memory.me_posted.po_m.kind == RPCRDMA2_POOL_BLOCK)
		rpcrdma2_xchar_set(local, RPCRDMA2_RBSIZ, vp->vp_own.length);
	rpcrdma2_xchar_set(local, RPCRDMA2_RTRSUPP, RDMA2_RTRSUPP_XRESP |
			   (vp->vp_cont ? RDMA2_RTRSUPP_XREQ |
					  RDMA2_RTRSUPP_XCONT : 0));
	rpcrdma2_xchar_set(local, RPCRDMA2_REQRXLIM, vp->vp_callbacks);
	rpcrdma2_xchar_set(local, RPCRDMA2_RESPSXLIM, 1);
}

/* Section: what this end says of itself */

/* How long Receives may become. @xch: characteristics of a connection. Returns a
 * length in bytes.
 */
static u32 xprt_rdma2_max_recv(const struct rpcrdma2_xch *xch)
{
	return max(READ_ONCE(rpcrdma2_client_max_recv_size),
		   READ_ONCE(rpcrdma2_client_recv_size));
}

/* Can Receives be shorter from now on? @xch: characteristics of a connection.
 * @size: the length, in bytes. Not if there are Calls without a reply, which
 * may be a long one. New ones must not rely on the old length before
 * that is decided. Context: receive handler, ve_ctrl_lock and cn_lock held.
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

/* Are there blocks for all that may come? If not, the next buffer that is free is
 * posted whatever its length, so the server must not be told yet.
 */
static bool xprt_rdma2_blocks_suffice(const struct rpcrdma2_xch *xch)
{
	const struct rpcrdma_xprt *r_xprt =
		container_of(xch, struct rpcrdma_xprt, rx_v2.vx_conn.cn_xch);
	const struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);

	return me && me->me_posted.po_count >= rpcrdma2_posted_needed(&me->me_posted);
}

static const struct rpcrdma2_xch_ops xprt_rdma2_demand_ops = {
	.max_recv	= rpcrdma2_xch_block_recv,
	.may_lower	= xprt_rdma2_may_lower,
	.may_tell	= xprt_rdma2_blocks_suffice,
	.end		= RPCRDMA2_STATED_BY_CLIENT,
	.asks_lower	= true,
	.provides	= true,
};

static const struct rpcrdma2_xch_ops xprt_rdma2_xch_ops = {
	.max_recv	= xprt_rdma2_max_recv,
	.may_lower	= xprt_rdma2_may_lower,
	.end		= RPCRDMA2_STATED_BY_CLIENT,
	.asks_lower	= true,
};

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
	rpcrdma2_xchar_set(&local, RPCRDMA2_RBSIZ, ve->ve_place ?
			   ve->ve_place->vp_memory.me_plain :
			   xprt_rdma2_own_size(ep));
	rpcrdma2_xchar_set(&local, RPCRDMA2_REQREMINV, true);
	rpcrdma2_xchar_set(&local, RPCRDMA2_BRS, xprt_rdma2_own_brs(ep->re_xprt));
	local.nochg = RPCRDMA2_HAS_REQREMINV;
	xprt_rdma2_place_state(ve, &local);
	rpcrdma2_conn_change_begin(ve->ve_conn);
	rpcrdma2_xch_begin(&ve->ve_conn->cn_xch, ve->ve_place &&
			   ve->ve_place->vp_memory.me_on ?
			   &xprt_rdma2_demand_ops : &xprt_rdma2_xch_ops, &local);
	rpcrdma2_conn_change_end(ve->ve_conn);
}

/**
 * xprt_rdma2_place_unheard - make Receives as if placement had never been
 * @r_xprt: transport whose server did not understand what it was told
 *
 * That takes an ERROR. A server whose own INITXCH has not come, or cannot be
 * read, may well know how long these Receives are, and rely on it (X-71,
 *
 *
 * Context: receive handler, before the version is settled
 */
void xprt_rdma2_place_unheard(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	struct rpcrdma2_xchars *local = &conn->cn_xch.xc_local;
	u32 size = xprt_rdma2_own_size(ep);

	if (!ep->re_v2->ve_place)
		return;
	rpcrdma2_conn_change_begin(conn);
	local->present &= ~(RPCRDMA2_HAS_RBSTRUCT | RPCRDMA2_HAS_RTRSUPP);
	local->rtrsupp = 0;
	rpcrdma2_xchar_set(local, RPCRDMA2_RBSIZ, size);
	conn->cn_xch.xc_usable = size;
	rpcrdma2_recvq_resize(&conn->cn_xch.xc_recvq, size);
	rpcrdma2_conn_change_end(conn);
}

/* Which data is placed? No directions are for less than XPRT_RDMA2_MINLEN. Returns
 * text that never goes away.
 */
static const char *xprt_rdma2_place_which(const struct xprt_rdma2_placement *vp)
{
	bool reads = vp->vp_read_max >= XPRT_RDMA2_MINLEN;

	if (rpcrdma2_plt_count(&vp->vp_peer))
		return reads ? "on" : "on: for Calls only";
	return reads ? "on: for replies only" : "on: for no data at present";
}

/**
 * xprt_rdma2_place_agreed - the version is known, and what the server says
 * @r_xprt: transport
 *
 * Context: receive handler, before the first RPC
 */
void xprt_rdma2_place_agreed(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_placement *vp = r_xprt->rx_ep->re_v2->ve_place;
	const struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;

	if (!vp)
		return;
	if (!conn->cn_xch.xc_heard) {
		xprt_rdma2_place_off(r_xprt, "off: server does not know it");
		/* What the server was told it may have understood all the same
		 * groups are taken unless that has been taken back.
		 */
		vp->vp_cont = conn->cn_xch.xc_local.rtrsupp & RDMA2_RTRSUPP_XCONT;
	} else if (!(xprt_rdma2_place_peer(r_xprt) & RDMA2_RTRSUPP_XREQ)) {
		xprt_rdma2_place_off(r_xprt, "off: server does not take it");
	} else {
		xprt_rdma2_place_set(r_xprt, xprt_rdma2_place_which(vp));
		if (vp->vp_cont)
			xprt_rdma2_cont_set(r_xprt, conn->cn_xch.xc_peer.rtrsupp &
						    RDMA2_RTRSUPP_XCONT ?
					    "on" : "off: server does not take it");
	}
}

/**
 * xprt_rdma2_place_off - send no more Calls by ROPT_XMTREQ
 * @r_xprt: transport
 * @why: text that never goes away
 *
 * For the rest of the connection (A-96, E-20); responses that are under way
 * are still taken.
 *
 * Context: receive handler, or a work item that completes a Call
 */
void xprt_rdma2_place_off(struct rpcrdma_xprt *r_xprt, const char *why)
{
	struct xprt_rdma2_placement *vp = r_xprt->rx_ep->re_v2->ve_place;

	if (!vp || READ_ONCE(vp->vp_off))
		return;
	WRITE_ONCE(vp->vp_off, true);
	xprt_rdma2_place_set(r_xprt, why);
	if (vp->vp_cont)
		xprt_rdma2_cont_set(r_xprt, why);
}

/**
 * xprt_rdma2_place_peer - look up what the server can do, if that has changed
 * @r_xprt: transport with placement
 *
 * Context: the transport's send lock is held, or receive handler before the
 * first RPC
 * Return: its RTRSUPP; the rest is in the transport's vp_peer and next to it
 */
u32 xprt_rdma2_place_peer(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_placement *vp = r_xprt->rx_ep->re_v2->ve_place;
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	const struct rpcrdma2_xchars *peer = &conn->cn_xch.xc_peer;

	while (!rpcrdma2_conn_unchanged(conn, vp->vp_seen)) {
		vp->vp_seen = read_seqcount_begin(&conn->cn_seq);
		vp->vp_peer = peer->rbstruct;
		vp->vp_rtrsupp = peer->rtrsupp;
		vp->vp_reqrxlim = rpcrdma2_xchar_value(peer, RPCRDMA2_REQRXLIM);
		vp->vp_respsxlim = rpcrdma2_xchar_value(peer, RPCRDMA2_RESPSXLIM);
	}
	return vp->vp_rtrsupp;
}
