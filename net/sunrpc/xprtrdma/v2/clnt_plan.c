// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: which Calls go by ROPT_XMTREQ.
 *
 * The data of a WRITE travels in the Send of the Call if the server has a place
 * for it; whether the device can gather it, and if not, whether it can be
 * copied, is decided here, too. For the data of a READ the server is told to
 * place it in the Send of the reply, unless the device is hardware, and if a
 * reply of the longest kind fits one of this end's Receives, with the data
 * placed as well as without. What is longer takes several transmissions, if
 * both ends can do that, and if there are credits, Receives and Send contexts
 * for all of them now. The same goes for long Calls and long replies without
 * such data.
 *
 * All else goes by RDMA2_MSG and RDMA2_NOMSG, where explicit RDMA costs less:
 * memory that they offer can be invalidated by the server.
 */

#include "clnt_place.h"

/* Other directions and other kinds of placement, for tests; NULL without them */
const struct xprt_rdma2_directions *xprt_rdma2_directions;

/**
 * xprt_rdma2_args_inline - choose how the arguments can go inline, in one Send
 * @r_xprt: transport
 * @rqst: Call
 * @hdrlen: length of the header, in bytes
 * @out: OUT: how, if they can
 *
 * What the device cannot gather has to be copied. What is copied to the send
 * buffer anyway is gathered from there.
 *
 * Return: false if they cannot
 */
bool xprt_rdma2_args_inline(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			    u32 hdrlen, struct xprt_rdma2_out *out)
{
	struct rpcrdma_regbuf *sendbuf = rpcr_to_rdmar(rqst)->rl_sendbuf;
	unsigned int len = rqst->rq_snd_buf.len;

	rpcrdma2_plan_msg(&out->plan, hdrlen, len);
	if (len > READ_ONCE(r_xprt->rx_ep->re_max_inline_send))
		return false;
	out->rtype = rpcrdma_noch_pullup;
	if (len < rdmab_length(sendbuf))
		return true;
	out->rtype = rpcrdma_noch_mapped;
	return xprt_rdma2_send_copies(r_xprt, rqst, out);
}

/* The longest data that may be placed. @max: the longest that is wanted, in bytes.
 * @xmts: transmissions that it may take. Returns a length in bytes.
 */
static unsigned int xprt_rdma2_longest(unsigned int max, u32 xmts)
{
	return xmts > 1 ? max : min_t(unsigned int, max, RPCRDMA2_MAX_INLINE);
}

/* Is the data of a reply to be placed? The least length is for replies that fit a
 * Receive without that.
 */
static bool xprt_rdma2_wants_read(struct rpcrdma_xprt *r_xprt,
				  const struct xprt_rdma2_placement *vp,
				  struct rpc_rqst *rqst)
{
	u32 length = rqst->rq_rcv_buf.page_len;

	return rqst->rq_rcv_buf.flags & XDRBUF_READ && length &&
	       length <= xprt_rdma2_longest(vp->vp_read_max, vp->vp_replies) &&
	       (length >= READ_ONCE(xprt_rdma2_read_min) ||
		!xprt_rdma2_results_inline(r_xprt, rqst->rq_rcv_buf.buflen));
}

/* Is the data of a Call to be placed? The least length is for Calls that fit a
 * Receive without that.
 */
static bool xprt_rdma2_wants_write(struct rpcrdma_xprt *r_xprt,
				   const struct xprt_rdma2_placement *vp,
				   const struct rpc_rqst *rqst)
{
	u32 length = rqst->rq_snd_buf.page_len;

	return rqst->rq_snd_buf.flags & XDRBUF_WRITE && length &&
	       length <= xprt_rdma2_longest(xprt_rdma2_write_max,
					    vp->vp_requests) &&
	       (length >= READ_ONCE(xprt_rdma2_write_min) ||
		rqst->rq_snd_buf.len >
			READ_ONCE(r_xprt->rx_ep->re_max_inline_send));
}

/* May data of a Call or its reply be placed now? Returns placement, or NULL if not.
 */
static struct xprt_rdma2_placement *
xprt_rdma2_placing(const struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_placement *vp = r_xprt->rx_ep->re_v2->ve_place;

	return vp && !READ_ONCE(vp->vp_off) ? vp : NULL;
}

/* Is anything of a Call or its reply to be placed, though both are short? */
static bool xprt_rdma2_wants_place(struct rpcrdma_xprt *r_xprt,
				   struct rpc_rqst *rqst)
{
	const struct xprt_rdma2_placement *vp = xprt_rdma2_placing(r_xprt);

	return vp && (xprt_rdma2_directions ||
		      xprt_rdma2_wants_write(r_xprt, vp, rqst) ||
		      xprt_rdma2_wants_read(r_xprt, vp, rqst));
}

/**
 * xprt_rdma2_plan_short - let a Call go by RDMA2_MSG that fits
 * @r_xprt: transport
 * @rqst: Call
 * @out: OUT: how it goes, if it is one
 *
 * It and its reply fit one Send each, and nothing is placed. Most Calls are like
 * that, and there is nothing to plan.
 *
 * Context: the transport's send lock is held
 * Return: false if it is not
 */
bool xprt_rdma2_plan_short(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			   struct xprt_rdma2_out *out)
{
	u32 length = rqst->rq_snd_buf.len;

	if (length > READ_ONCE(r_xprt->rx_ep->re_max_inline_send) ||
	    !xprt_rdma2_results_inline(r_xprt, rqst->rq_rcv_buf.buflen) ||
	    xprt_rdma2_wants_place(r_xprt, rqst))
		return false;
	out->proc = RDMA2_MSG;
	out->wtype = rpcrdma_noch;
	out->write = 0;
	if (length >= rdmab_length(rpcr_to_rdmar(rqst)->rl_sendbuf))
		return xprt_rdma2_args_inline(r_xprt, rqst, RPCRDMA2_HDRLEN_MIN,
					      out);
	out->rtype = rpcrdma_noch_pullup;
	return true;
}

/* Is a Call protected by a GSS service? Returns true if nothing may be excised from
 * it (A-88, P-40).
 */
static bool xprt_rdma2_wrapped(const struct rpc_rqst *rqst)
{
	return test_bit(RPCAUTH_AUTH_DATATOUCH, &rqst->rq_cred->cr_auth->au_flags);
}

/* Count why a Call is not sent by ROPT_XMTREQ. @why: the counter. Returns 0, for no
 * type of placement.
 */
static u32 xprt_rdma2_decline(struct rpcrdma_xprt *r_xprt,
			      enum rpcrdma2_counter why)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;

	rpcrdma2_count(conn, RPCRDMA2_CNT_PLACE_FALLBACKS);
	rpcrdma2_count(conn, why);
	return 0;
}

/* Section: data of replies */

/* Will a reply fit one of our Receives? @out: how it goes; has scratch space.
 * @length: length of the item, in bytes. There is no Reply chunk to put it into
 * . The server may come to leave the item inline.
 */
static bool xprt_rdma2_reply_fits(const struct rpcrdma_xprt *r_xprt,
				  const struct rpc_rqst *rqst,
				  struct xprt_rdma2_out *out, u32 length)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	const struct rpcrdma2_dest to = {
		.rb		= &ep->re_v2->ve_place->vp_own,
		.limit		= READ_ONCE(ep->re_inline_recv),
		.max_xmts	= 1,
	};
	const struct xdr_buf *buf = &rqst->rq_rcv_buf;
	u32 rest = buf->head[0].iov_len + buf->tail[0].iov_len;
	u32 front = rpcrdma2_xmtresp_size(out->nsets, out->nsets, 0, 0);

	return front + rest + xdr_align_size(length) <= to.limit &&
	       rpcrdma2_plan(&out->reply, &to, front, xdr_align_size(rest),
			     &length, 1);
}

/* How many transmissions may a reply take? @out: how the Call goes; has scratch
 * space. @front: header of the first one, in bytes, without numbers of segments.
 * @payload: longest payload stream, in bytes. @length: length of the item that is
 * placed, in bytes; 0 if there is none. Returns the number; 0 if they are more than
 * the server sends, or if Receives are short.
 */
static u32 xprt_rdma2_reply_xmts(const struct rpcrdma_ep *ep,
				 struct xprt_rdma2_out *out, u32 front,
				 u32 payload, u32 length)
{
	const struct xprt_rdma2_placement *vp = ep->re_v2->ve_place;
	u32 limit = READ_ONCE(ep->re_inline_recv);
	const struct rpcrdma2_dest to = {
		.rb		= &vp->vp_own,
		.limit		= limit,
		.max_xmts	= limit > vp->vp_memory.me_plain ? vp->vp_replies : 1,
	};

	if (!rpcrdma2_plan(&out->reply, &to, front,
			   xdr_align_size(payload), &length, !!length))
		return 0;
	return out->reply.nxmts;
}

/* Let the reply to a READ take several transmissions. @length: length of the item,
 * in bytes. The server may come to leave the item inline. Returns false if it
 * cannot.
 */
static bool xprt_rdma2_plan_long_read(struct rpcrdma_xprt *r_xprt,
				      const struct rpc_rqst *rqst,
				      struct xprt_rdma2_out *out, u32 length)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	const struct xdr_buf *buf = &rqst->rq_rcv_buf;
	u32 rest = buf->head[0].iov_len + buf->tail[0].iov_len;
	u32 front = rpcrdma2_xmtresp_size(out->nsets, out->nsets, 0, 0);
	u32 placed, plain;

	if (ep->re_v2->ve_place->vp_replies == 1)
		return false;
	placed = xprt_rdma2_reply_xmts(ep, out, front, rest, length);
	plain = xprt_rdma2_reply_xmts(ep, out, front,
				      rest + xdr_align_size(length), 0);
	if (!placed || !plain)
		return false;
	out->rsbuf = max(placed, plain);
	return true;
}

/* Choose directions for the item of a reply. @rtrsupp: RTRSUPP of the server.
 * Returns a type, or 0 for no directions.
 */
static u32 xprt_rdma2_plan_read(struct rpcrdma_xprt *r_xprt,
				struct rpc_rqst *rqst,
				struct xprt_rdma2_out *out, u32 rtrsupp)
{
	struct xprt_rdma2_placement *vp = r_xprt->rx_ep->re_v2->ve_place;
	u32 type = XMPTYPE_TBSN, length = 0;
	bool fits;

	out->nsets = 1;
	if (!(rtrsupp & RDMA2_RTRSUPP_XRESP))
		return 0;
	if (xprt_rdma2_directions)
		type = xprt_rdma2_directions->read(rqst, out, &length);
	if (!length && xprt_rdma2_wants_read(r_xprt, vp, rqst))
		length = rqst->rq_rcv_buf.page_len;
	if (!length)
		return 0;
	if (type == XMPTYPE_TBSN)
		fits = xprt_rdma2_reply_fits(r_xprt, rqst, out, length) ||
		       xprt_rdma2_plan_long_read(r_xprt, rqst, out, length);
	else
		fits = xprt_rdma2_directions->fits(r_xprt, rqst, out);
	return fits ? type :
		      xprt_rdma2_decline(r_xprt, RPCRDMA2_CNT_LONG_RESULTS);
}

/* Make room for a reply without directions. A READ that is not placed is written by
 * the server, and what a GSS service protects of a READ is not copied out of Receives
 * where data is not. Any other reply that is too long for a Receive may take several
 * (C-21). Returns false if it needs memory that is registered.
 */
static bool xprt_rdma2_plan_results(struct rpcrdma_xprt *r_xprt,
				    struct rpc_rqst *rqst,
				    struct xprt_rdma2_out *out)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_placement *vp = ep->re_v2->ve_place;
	bool wrapped = xprt_rdma2_wrapped(rqst);

	if (xprt_rdma2_results_inline(r_xprt, rqst->rq_rcv_buf.buflen))
		return true;
	if (vp->vp_replies == 1)
		return false;
	if (rqst->rq_rcv_buf.flags & XDRBUF_READ &&
	    (!wrapped || rqst->rq_rcv_buf.page_len > vp->vp_read_max))
		return false;
	out->rsbuf = xprt_rdma2_reply_xmts(ep, out,
					   rpcrdma2_xmtresp_size(0, 0, 0, 0),
					   rqst->rq_rcv_buf.buflen, 0);
	if (out->rsbuf)
		return true;
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_GROUPS_TOO_LONG);
	return false;
}

/* Section: data of Calls */

/**
 * xprt_rdma2_header - how long can the header of a Call be?
 * @r_xprt: transport
 * @out: how the Call goes; its directions are known
 * @nplaced: items that are placed
 *
 * Return: length in bytes, without numbers of segments
 */
u32 xprt_rdma2_header(const struct rpcrdma_xprt *r_xprt,
		      const struct xprt_rdma2_out *out, u32 nplaced)
{
	u32 sets = out->read ? out->nsets : 0;

	return rpcrdma2_xmtreq_size(nplaced, sets,
				    sets * r_xprt->rx_ep->re_max_rdma_segs);
}

/* Plan the Sends of a Call. @out: how it goes; its directions and its payload are
 * known. @nitems: 1 if its data is placed, or 0. Returns false if it does not fit.
 */
static bool xprt_rdma2_plan_sends(struct rpcrdma_xprt *r_xprt,
				  const struct rpc_rqst *rqst,
				  struct xprt_rdma2_out *out, u32 nitems)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_placement *vp = ep->re_v2->ve_place;
	const struct rpcrdma2_dest to = {
		.rb		= &vp->vp_peer,
		.limit		= READ_ONCE(ep->re_inline_send),
		.max_xmts	= vp->vp_requests,
	};
	u32 length = rqst->rq_snd_buf.page_len;

	out->rtype = rpcrdma_noch_mapped;
	if (rpcrdma2_plan(&out->plan, &to,
			  xprt_rdma2_header(r_xprt, out, nitems),
			  xdr_align_size(out->pslen), &length, nitems))
		return true;
	rpcrdma2_plan_msg(&out->plan, 0, 0);
	if (vp->vp_requests > 1)
		rpcrdma2_count(&r_xprt->rx_v2.vx_conn,
			       RPCRDMA2_CNT_GROUPS_TOO_LONG);
	return false;
}

/* Choose how the data of a Call goes. @out: how it goes; its directions are known.
 * Returns a type, or 0 if this is not for ROPT_XMTREQ.
 */
static u32 xprt_rdma2_plan_write(struct rpcrdma_xprt *r_xprt,
				 const struct rpc_rqst *rqst,
				 struct xprt_rdma2_out *out)
{
	struct xprt_rdma2_placement *vp = r_xprt->rx_ep->re_v2->ve_place;
	const struct xdr_buf *xdr = &rqst->rq_snd_buf;
	u32 type = 0;

	if (!(xdr->flags & XDRBUF_WRITE) || !xdr->page_len)
		return 0;
	out->pslen = xdr->head[0].iov_len + xprt_rdma2_tail_length(xdr);
	if (xprt_rdma2_directions)
		type = xprt_rdma2_directions->write(r_xprt, out);
	if (type && type != XMPTYPE_TBSN)
		return type;
	if (!type && !xprt_rdma2_wants_write(r_xprt, vp, rqst))
		return 0;
	if (!xprt_rdma2_plan_sends(r_xprt, rqst, out, 1))
		return xprt_rdma2_decline(r_xprt, RPCRDMA2_CNT_NOT_LONG_ENOUGH);
	return XMPTYPE_TBSN;
}

/* Choose how arguments without data go. Data of a WRITE that is not placed is pulled
 * by the server. Returns false if the Call needs memory that is registered.
 */
static bool xprt_rdma2_plan_rest(struct rpcrdma_xprt *r_xprt,
				 struct rpc_rqst *rqst,
				 struct xprt_rdma2_out *out)
{
	u32 header = xprt_rdma2_header(r_xprt, out, 0);

	out->pslen = rqst->rq_snd_buf.len;
	if (header + out->pslen <= READ_ONCE(r_xprt->rx_ep->re_inline_send) &&
	    xprt_rdma2_args_inline(r_xprt, rqst, header, out))
		return true;
	if ((rqst->rq_snd_buf.flags & XDRBUF_WRITE &&
	     !xprt_rdma2_wrapped(rqst)) || out->pslen % XDR_UNIT ||
	    r_xprt->rx_ep->re_v2->ve_place->vp_requests == 1)
		return false;
	return xprt_rdma2_plan_sends(r_xprt, rqst, out, 0) &&
	       out->plan.nxmts > 1;
}

/* Are there Send contexts for a Call? @count: how many it takes. Those of Sends
 * that are complete do not become fewer while the send lock is held. Returns
 * false if there are not.
 */
static bool xprt_rdma2_sendctxs(const struct rpcrdma_xprt *r_xprt, u32 count)
{
	const struct rpcrdma_buffer *buf = &r_xprt->rx_buf;
	unsigned long size = buf->rb_sc_last + 1;
	unsigned long free;

	free = (READ_ONCE(buf->rb_sc_tail) + size - buf->rb_sc_head - 1) % size;
	return count <= free;
}

/* Reserve credits and Receives beyond the first. Receives may have been set aside for
 * something else. Returns RPCRDMA2_RESERVED, or why not.
 */
static enum rpcrdma2_refusal xprt_rdma2_reserve_all(struct rpcrdma_xprt *r_xprt,
						    struct rpcrdma_req *req,
						    u32 credits, u32 recvs)
{
	enum rpcrdma2_refusal why;

	why = xprt_rdma2_reserve(r_xprt, req, credits, recvs);
	if (why == RPCRDMA2_NO_RECVS && xprt_rdma2_memory_lacking(r_xprt, recvs))
		why = xprt_rdma2_reserve(r_xprt, req, credits, recvs);
	return why;
}

/* Get credits, Receives and Send contexts, or nothing. Returns false if there is not
 * enough.
 */
static bool xprt_rdma2_plan_credits(struct rpcrdma_xprt *r_xprt,
				    struct rpc_rqst *rqst,
				    const struct xprt_rdma2_out *out)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	u32 count = out->plan.nxmts;

	if (count == 1 && out->rsbuf == 1)
		return true;
	if (count > 1 && !xprt_rdma2_sendctxs(r_xprt, count)) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_GROUPS_NO_CREDITS);
		return false;
	}
	switch (xprt_rdma2_reserve_all(r_xprt, req, count - 1, out->rsbuf - 1)) {
	case RPCRDMA2_NO_CREDITS:
		xprt_rdma2_memory_credits(r_xprt, count - 1);
		rpcrdma2_count(conn, RPCRDMA2_CNT_GROUPS_NO_CREDITS);
		return false;
	case RPCRDMA2_NO_RECVS:
		rpcrdma2_count(conn, RPCRDMA2_CNT_GROUPS_NO_RECVS);
		return false;
	default:
		if (count > 1)
			xprt_rdma2_memory_credits(r_xprt, 0);
		return true;
	}
}

/* Get all that a Call takes, or nothing. Returns false if there is not enough;
 * explicit RDMA takes its place.
 */
static bool xprt_rdma2_plan_means(struct rpcrdma_xprt *r_xprt,
				  struct rpc_rqst *rqst,
				  struct xprt_rdma2_out *out)
{
	if (out->rtype != rpcrdma_noch_mapped)
		return xprt_rdma2_plan_credits(r_xprt, rqst, out);
	if (!xprt_rdma2_send_fits(out)) {
		xprt_rdma2_decline(r_xprt, RPCRDMA2_CNT_NO_ROOM_IN_FRONT);
		return false;
	}
	if (!xprt_rdma2_plan_credits(r_xprt, rqst, out))
		return false;
	if (xprt_rdma2_send_copies(r_xprt, rqst, out))
		return true;
	xprt_rdma2_decline(r_xprt, RPCRDMA2_CNT_NOT_ENOUGH_SGES);
	xprt_rdma2_reservation_undo(r_xprt, rpcr_to_rdmar(rqst));
	return false;
}

/* Plan how a Call goes by ROPT_XMTREQ. @rtrsupp: RTRSUPP of the server. What a GSS
 * service protects is never excised (A-88, P-40), but may take several
 * transmissions. There is no Reply chunk (P-37). Returns false if it does not.
 */
static bool xprt_rdma2_plan_xmtreq(struct rpcrdma_xprt *r_xprt,
				   struct rpc_rqst *rqst,
				   struct xprt_rdma2_out *out, u32 rtrsupp)
{
	out->wtype = rpcrdma_noch;
	out->rsbuf = 1;
	out->read = 0;
	out->write = 0;
	if (!xprt_rdma2_wrapped(rqst)) {
		out->read = xprt_rdma2_plan_read(r_xprt, rqst, out, rtrsupp);
		out->write = xprt_rdma2_plan_write(r_xprt, rqst, out);
	}
	if (!out->write && !xprt_rdma2_plan_rest(r_xprt, rqst, out))
		return false;
	if (!out->read && !xprt_rdma2_plan_results(r_xprt, rqst, out)) {
		if (out->write)
			xprt_rdma2_decline(r_xprt, RPCRDMA2_CNT_LONG_RESULTS);
		return false;
	}
	if (!out->read && !out->write && out->plan.nxmts == 1 && out->rsbuf == 1)
		return false;
	return xprt_rdma2_plan_means(r_xprt, rqst, out);
}

/* Look up how long groups may be at present. @r_xprt: transport;
 * xprt_rdma2_place_peer() has looked up the server. Context: the transport's send
 * lock is held.
 */
static void xprt_rdma2_cont_limits(struct rpcrdma_xprt *r_xprt)
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
 * xprt_rdma2_place_plan - decide whether a Call goes by ROPT_XMTREQ
 * @r_xprt: transport
 * @rqst: Call
 * @out: OUT: how it goes, if it does
 *
 * Context: the transport's send lock is held
 * Return: true if it does
 */
bool xprt_rdma2_place_plan(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			   struct xprt_rdma2_out *out)
{
	u32 rtrsupp;

	if (!xprt_rdma2_placing(r_xprt))
		return false;
	rtrsupp = xprt_rdma2_place_peer(r_xprt);
	if (!(rtrsupp & RDMA2_RTRSUPP_XREQ))
		return false;
	xprt_rdma2_cont_limits(r_xprt);
	if (xprt_rdma2_plan_xmtreq(r_xprt, rqst, out, rtrsupp))
		return true;
	xprt_rdma2_send_uncopy(out);
	return false;
}
