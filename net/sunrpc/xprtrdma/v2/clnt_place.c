// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: whether data can travel in Sends.
 *
 * This end's Receives consist of a short head segment and of pages that data
 * can be placed in. The server is told when the connection begins, and every
 * Receive is made like that, until the connection ends. What the server can do
 * it says itself; nothing is tried.
 *
 * Memory for that is taken from a budget that all transports share. One that
 * gets none works without placement, in both directions: whoever refuses
 * memory does not want to be bothered with the feature.
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "clnt_place.h"
#include "memory.h"
#include <trace/events/rpcrdma.h>

/* Bytes that transports have reserved for their Receives */
static atomic_long_t xprt_rdma2_place_reserved;

/*
 * Section: thresholds
 */

/*
 * Let Calls use other thresholds. @ep: connection on which version 2 is spoken.
 * @send: longest Send, in bytes. @recv: longest Receive that can be relied on,
 * in bytes. rpcrdma_set_max_header_sizes() reckons with headers of version 1.
 * Whoever looks at a threshold in between sees one that is too low: senders
 * read them without the lock, by READ_ONCE().
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
void __xprt_rdma2_set_sizes(struct rpcrdma_ep *ep)
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
 * Section: memory
 */

/* How long Receives are without placement. Returns a length in bytes (B-21). */
static u32 xprt_rdma2_own_size(const struct rpcrdma_ep *ep)
{
	return max3(ep->re_inline_recv, (unsigned int)RPCRDMA2_DEF_INLINE,
		    READ_ONCE(rpcrdma2_client_recv_size));
}

/*
 * How long Receives with a structure are. @rb: the structure; data is not
 * placed behind it. Returns the length in bytes.
 */
static u32 xprt_rdma2_place_length(const struct rpcrdma_ep *ep,
				   const struct rpcrdma2_rbstruct *rb)
{
	return max(xprt_rdma2_own_size(ep), rb->length);
}

/*
 * How much memory Receives take. @rb: their structure. @recvs: how many.
 * Returns a length in bytes.
 */
static unsigned long xprt_rdma2_place_need(const struct rpcrdma_ep *ep,
					   const struct rpcrdma2_rbstruct *rb,
					   u32 recvs)
{
	return (unsigned long)recvs * PAGE_SIZE *
	       rpcrdma2_recvblock_pages(xprt_rdma2_place_length(ep, rb),
					XPRT_RDMA2_RECV_HEAD);
}

/*
 * Take memory from the budget. @need: how much, in bytes, beside what it has
 * taken before. Buffers outlive the connection, and so does what was taken for
 * them, until the next one is prepared: it makes use of them, or has them
 * replaced. Returns false if there is not enough left.
 */
static bool xprt_rdma2_place_reserve(struct rpcrdma_xprt *r_xprt,
				     unsigned long need)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	unsigned long budget;

	budget = (unsigned long)READ_ONCE(xprt_rdma2_place_mem_kb) << 10;
	if (atomic_long_add_return(need, &xprt_rdma2_place_reserved) > budget) {
		atomic_long_sub(need, &xprt_rdma2_place_reserved);
		return false;
	}
	vx->vx_reserved += need;
	WRITE_ONCE(vx->vx_conn.cn_place_kb, vx->vx_reserved >> 10);
	return true;
}

/* Give some memory back to the budget. @bytes: how much. */
static void xprt_rdma2_place_return(struct rpcrdma_xprt *r_xprt,
				    unsigned long bytes)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;

	atomic_long_sub(bytes, &xprt_rdma2_place_reserved);
	vx->vx_reserved -= bytes;
	WRITE_ONCE(vx->vx_conn.cn_place_kb, vx->vx_reserved >> 10);
}

/**
 * xprt_rdma2_place_release - give all memory back to the budget
 * @r_xprt: transport whose buffers are gone, or about to become short
 */
void xprt_rdma2_place_release(struct rpcrdma_xprt *r_xprt)
{
	xprt_rdma2_place_return(r_xprt, r_xprt->rx_v2.vx_reserved);
}

/*
 * Section: this end
 */

/* Note whether data is placed, for debugfs. @why: text that never goes away. */
static void xprt_rdma2_place_set(struct rpcrdma_xprt *r_xprt, const char *why)
{
	WRITE_ONCE(r_xprt->rx_v2.vx_conn.cn_place, why);
}

/*
 * Note whether there are groups, for debugfs. @why: text that never goes away.
 */
static void xprt_rdma2_cont_set(struct rpcrdma_xprt *r_xprt, const char *why)
{
	WRITE_ONCE(r_xprt->rx_v2.vx_conn.cn_cont, why);
}

/*
 * Allocate what placement keeps for a connection. @ep: connection that is being
 * prepared. @rb: structure of its Receives. Returns false if there is no
 * memory.
 */
static bool xprt_rdma2_place_alloc(struct rpcrdma_ep *ep,
				   const struct rpcrdma2_rbstruct *rb)
{
	struct ib_device *device = ep->re_id->device;
	struct xprt_rdma2_placement *vp;

	vp = kvzalloc(sizeof(*vp), XPRT_RDMA2_GFP);
	if (!vp)
		return false;
	vp->vp_zeros = ib_dma_map_page(device, ZERO_PAGE(0), 0, PAGE_SIZE,
				       DMA_TO_DEVICE);
	if (ib_dma_mapping_error(device, vp->vp_zeros)) {
		kvfree(vp);
		return false;
	}
	vp->vp_own = *rb;
	vp->vp_buffers_max = ep->re_attr.cap.max_recv_wr;
	vp->vp_ve = ep->re_v2;
	ep->re_v2->ve_place = vp;
	return true;
}

/*
 * Prepare a connection for groups. @ep: connection that is prepared for
 * placement. Receives for replies that take several transmissions come on top
 * of the others, as far as the device and the budget of memory go.
 */
static void xprt_rdma2_cont_create(struct rpcrdma_xprt *r_xprt,
				   struct rpcrdma_ep *ep)
{
	u32 max_wr = ep->re_id->device->attrs.max_qp_wr;
	struct xprt_rdma2_placement *vp = ep->re_v2->ve_place;
	struct ib_qp_cap *cap = &ep->re_attr.cap;
	u32 recvs = 0;

	vp->vp_callbacks = clamp_t(u32, READ_ONCE(xprt_rdma2_cont_callbacks), 1,
				   RPCRDMA2_MAX_XMTS);
	vp->vp_cont = vp->vp_callbacks > 1 ||
		      READ_ONCE(xprt_rdma2_cont_requests) > 1 ||
		      READ_ONCE(xprt_rdma2_cont_replies) > 1;
	WRITE_ONCE(r_xprt->rx_v2.vx_conn.cn_cont, vp->vp_cont ?
		   "not settled yet" : "off: disabled here");
	if (READ_ONCE(xprt_rdma2_cont_replies) > 1)
		recvs = min(READ_ONCE(xprt_rdma2_cont_recvs),
			    max_wr - min(max_wr, cap->max_recv_wr));
	if (!xprt_rdma2_place_reserve(r_xprt,
				      xprt_rdma2_place_need(ep, &vp->vp_own,
							    recvs)))
		recvs = 0;
	cap->max_recv_wr += recvs;
	vp->vp_recvs_max = recvs;
	vp->vp_buffers_max += recvs;
}

/**
 * xprt_rdma2_place_create - prepare a connection for placement
 * @r_xprt: transport
 * @ep: connection that is being prepared, its re_v2 set
 *
 * Receives may have to consist of several pieces of memory; a device that
 * claims to be able to do that, but is not, gets a second chance without
 * placement.
 */
void xprt_rdma2_place_create(struct rpcrdma_xprt *r_xprt,
			     struct rpcrdma_ep *ep)
{
	u32 pages = min_t(u32, xprt_rdma2_place_pages(),
			  RPCRDMA2_MAX_PLT_PAGES);
	struct rpcrdma2_rbstruct rb;
	unsigned long need;

	if (!pages || r_xprt->rx_v2.vx_plain) {
		xprt_rdma2_place_set(r_xprt, pages ?
				     "off: too much for the device" :
				     "off: disabled here");
		return;
	}
	rpcrdma2_rbstruct_make(&rb, XPRT_RDMA2_RECV_HEAD, pages, PAGE_SIZE);
	need = xprt_rdma2_place_need(ep, &rb, ep->re_attr.cap.max_recv_wr);
	if (!xprt_rdma2_place_reserve(r_xprt, need)) {
		xprt_rdma2_place_set(r_xprt, "off: over the budget of memory");
		return;
	}
	if (!xprt_rdma2_place_alloc(ep, &rb)) {
		xprt_rdma2_place_release(r_xprt);
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

/**
 * xprt_rdma2_place_head - how the buffers of Receives are made
 * @ep: connection on which version 2 was offered
 *
 * Return: length of their head segment in bytes; 0 if they have none
 */
u32 xprt_rdma2_place_head(const struct rpcrdma_ep *ep)
{
	const struct rpcrdma2_xch *xch = &ep->re_v2->ve_conn->cn_xch;

	/* This bit changes in this context, or before it runs; others change
	 * meanwhile, under cn_lock.
	 */
	return data_race(READ_ONCE(xch->xc_local.present)) &
	       RPCRDMA2_HAS_RBSTRUCT ? XPRT_RDMA2_RECV_HEAD : 0;
}

/*
 * Add placement to what this end is going to say of itself. As responder this
 * end takes plain messages, and groups of them. Serves P-09, X-31, X-86, X-88,
 *
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
	rpcrdma2_xchar_set(local, RPCRDMA2_RBSIZ,
			   xprt_rdma2_place_length(ve->ve_ep, &vp->vp_own));
	rpcrdma2_xchar_set(local, RPCRDMA2_RTRSUPP, RDMA2_RTRSUPP_XRESP |
			   (vp->vp_cont ? RDMA2_RTRSUPP_XREQ |
					  RDMA2_RTRSUPP_XCONT : 0));
	rpcrdma2_xchar_set(local, RPCRDMA2_REQRXLIM, vp->vp_callbacks);
	rpcrdma2_xchar_set(local, RPCRDMA2_RESPSXLIM, 1);
}

/*
 * Section: what this end says of itself
 */

/*
 * How long Receives may become. @xch: characteristics of a connection. Returns
 * a length in bytes.
 */
static u32 xprt_rdma2_max_recv(const struct rpcrdma2_xch *xch)
{
	return max(READ_ONCE(rpcrdma2_client_max_recv_size),
		   READ_ONCE(rpcrdma2_client_recv_size));
}

/*
 * Can Receives be shorter from now on? @xch: characteristics of a connection.
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
u32 xprt_rdma2_own_brs(const struct rpc_xprt *xprt)
{
#if IS_ENABLED(CONFIG_SUNRPC_BACKCHANNEL)
	if (READ_ONCE(xprt->bc_serv))
		return RDMA2_BRS_INLINE;
#endif
	return RDMA2_BRS_NONE;
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

/*
 * Section: the server
 */

/**
 * xprt_rdma2_place_unheard - make Receives as if placement had never been
 * @r_xprt: transport whose server did not understand what it was told
 *
 * That takes an ERROR. A server whose own INITXCH has not come, or cannot be
 * read, may well know how long these Receives are, and rely on it (X-71,
 *
 *
 * Context: receive handler, before the version is settled; the caller frees
 * the buffers that are of no use any more
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
	ep->re_v2->ve_place->vp_recvs_max = 0;
	xprt_rdma2_place_release(r_xprt);
}

/*
 * Do without Receives for replies that take several. @recvs: how many of these
 * not to have.
 */
static void xprt_rdma2_place_short(struct rpcrdma_xprt *r_xprt, u32 recvs)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_placement *vp = ep->re_v2->ve_place;

	vp->vp_recvs_max -= recvs;
	vp->vp_buffers_max -= recvs;
	xprt_rdma2_place_return(r_xprt,
				xprt_rdma2_place_need(ep, &vp->vp_own, recvs));
}

/**
 * xprt_rdma2_place_limit - make do with the memory that there is
 * @r_xprt: transport that is going to offer placement
 * @missing: buffers that there is no memory for
 *
 * Context: connect worker, before there is a connection
 *
 * Return: false if it is not going to, and its buffers are of no use any more
 */
bool xprt_rdma2_place_limit(struct rpcrdma_xprt *r_xprt, u32 missing)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;

	if (missing <= ep->re_v2->ve_place->vp_recvs_max) {
		xprt_rdma2_place_short(r_xprt, missing);
		return true;
	}
	rpcrdma2_count(ep->re_v2->ve_conn, RPCRDMA2_CNT_OVER_BUDGET);
	xprt_rdma2_place_set(r_xprt, "off: no memory");
	xprt_rdma2_cont_set(r_xprt, NULL);
	xprt_rdma2_place_destroy(ep);
	xprt_rdma2_xchar_state(ep);
	xprt_rdma2_place_release(r_xprt);
	return false;
}

/*
 * The server has said whether it takes groups. Receives for long replies are
 * posted if there can be any.
 */
static void xprt_rdma2_cont_agreed(struct rpcrdma_xprt *r_xprt,
				   struct xprt_rdma2_placement *vp)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;

	if (!vp->vp_cont)
		return;
	if (!(conn->cn_xch.xc_peer.rtrsupp & RDMA2_RTRSUPP_XCONT)) {
		xprt_rdma2_cont_set(r_xprt, "off: server does not take it");
		return;
	}
	xprt_rdma2_cont_set(r_xprt, "on");
	if (rpcrdma2_conn_peer_value(conn, RPCRDMA2_RESPSXLIM) > 1)
		vp->vp_recvs = vp->vp_recvs_max;
}

/*
 * Nothing is known of the server. What it was told it may have understood all
 * the same: groups are taken unless that has been taken back.
 */
static void xprt_rdma2_cont_keep(struct rpcrdma_xprt *r_xprt,
				 struct xprt_rdma2_placement *vp)
{
	vp->vp_cont = r_xprt->rx_v2.vx_conn.cn_xch.xc_local.rtrsupp &
		      RDMA2_RTRSUPP_XCONT;
}

/**
 * xprt_rdma2_cont_limits - look up how long groups may be at present
 * @r_xprt: transport; xprt_rdma2_place_peer() has looked up the server
 *
 * Serves C-11, C-12, C-16.
 *
 * Context: the transport's send lock is held
 */
void xprt_rdma2_cont_limits(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_placement *vp = r_xprt->rx_ep->re_v2->ve_place;

	vp->vp_requests = 1;
	vp->vp_replies = 1;
	if (!vp->vp_cont || !(vp->vp_rtrsupp & RDMA2_RTRSUPP_XCONT))
		return;
	vp->vp_requests = clamp(READ_ONCE(xprt_rdma2_cont_requests), 1U,
				vp->vp_reqrxlim);
	vp->vp_replies = clamp(READ_ONCE(xprt_rdma2_cont_replies), 1U,
			       vp->vp_respsxlim);
}

/**
 * xprt_rdma2_place_agreed - the version is known, and what the server says
 * @r_xprt: transport
 *
 * No memory is reserved for long replies if there will be none.
 *
 * Context: receive handler, before the first RPC; the caller frees the buffers
 * that are of no use any more
 */
void xprt_rdma2_place_agreed(struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_placement *vp = r_xprt->rx_ep->re_v2->ve_place;

	if (!vp)
		return;
	if (!r_xprt->rx_v2.vx_conn.cn_xch.xc_heard) {
		xprt_rdma2_place_off(r_xprt, "off: server does not know it");
		xprt_rdma2_cont_keep(r_xprt, vp);
	} else if (!(xprt_rdma2_place_peer(r_xprt) & RDMA2_RTRSUPP_XREQ)) {
		xprt_rdma2_place_off(r_xprt, "off: server does not take it");
	} else {
		xprt_rdma2_place_set(r_xprt, rpcrdma2_plt_count(&vp->vp_peer) ?
				     "on" : "on: for replies only");
		xprt_rdma2_cont_agreed(r_xprt, vp);
	}
	if (!vp->vp_recvs)
		xprt_rdma2_place_short(r_xprt, vp->vp_recvs_max);
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
 *
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
		vp->vp_respsxlim = rpcrdma2_xchar_value(peer,
							RPCRDMA2_RESPSXLIM);
	}
	return vp->vp_rtrsupp;
}
