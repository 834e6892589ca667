// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: which Calls go by ROPT_XMTREQ.
 *
 * The data of a WRITE travels in the Send of the Call if the server has a place
 * for it; whether the device can gather it, and if not, whether it can be
 * copied, is decided here, too. For the data of a READ the server is told to
 * place it in the Send of the reply, if a reply of the longest kind fits one
 * of this end's Receives, with the data placed as well as without. What is
 * longer takes several transmissions, if both ends can do that, and if there
 * are credits, Receives and Send contexts for all of them now. The same goes
 * for long Calls and long replies without such data.
 *
 * All else goes by RDMA2_MSG and RDMA2_NOMSG, where explicit RDMA costs less:
 * memory that they offer can be invalidated by the server.
 */

#include <linux/nfs.h>
#include <linux/string.h>

#include "xprt_rdma2_place.h"

/* Parts of the header of XMTREQ and XMTRESP, in bytes */
enum {
	XPRT_RDMA2_REQ_FIXED	= RPCRDMA2_OPT_SIZE + 5 * 4,
	XPRT_RDMA2_RESP_FIXED	= RPCRDMA2_OPT_SIZE + 3 * 4,
	XPRT_RDMA2_ITEM		= 5 * 4,
	XPRT_RDMA2_SET		= 3 * 4,
	XPRT_RDMA2_RSDITEM	= 4 * 4,
	XPRT_RDMA2_SEGMENT	= 16,
};

/**
 * xprt_rdma2_tail_length - what of a tail is sent behind placed data
 * @xdr: Call with data in its pages
 *
 * If the length of the data is odd, the tail begins with what pads it, and
 * that belongs to the data.
 *
 * Return: a length in bytes, a multiple of 4
 */
u32 xprt_rdma2_tail_length(const struct xdr_buf *xdr)
{
	return round_down(xdr->tail[0].iov_len, XDR_UNIT);
}

/**
 * xprt_rdma2_in_range - does the length of data call for placement?
 * @length: the length, in bytes
 * @min: the least length for which it pays
 * @max: the longest that is wanted
 *
 * Return: true if it does
 */
static bool xprt_rdma2_in_range(u32 length, unsigned int min, unsigned int max)
{
	return length && length >= min && length <= max;
}

/**
 * xprt_rdma2_longest - the longest data that may be placed
 * @max: the longest that is wanted, in bytes
 * @xmts: transmissions that it may take
 *
 * Return: a length in bytes
 */
static unsigned int xprt_rdma2_longest(unsigned int max, u32 xmts)
{
	return xmts > 1 ? max : min_t(unsigned int, max, RPCRDMA2_MAX_INLINE);
}

/**
 * xprt_rdma2_wrapped - is a Call protected by a GSS service?
 * @rqst: Call
 *
 * Return: true if nothing may be excised from it (A-88, P-40)
 */
static bool xprt_rdma2_wrapped(const struct rpc_rqst *rqst)
{
	return test_bit(RPCAUTH_AUTH_DATATOUCH,
			&rqst->rq_cred->cr_auth->au_flags);
}

/**
 * xprt_rdma2_decline - count why a Call is not sent by ROPT_XMTREQ
 * @r_xprt: transport
 * @why: the counter
 *
 * Return: 0, for no type of placement
 */
static u32 xprt_rdma2_decline(struct rpcrdma_xprt *r_xprt,
			      enum rpcrdma2_counter why)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;

	rpcrdma2_count(conn, RPCRDMA2_CNT_PLACE_FALLBACKS);
	rpcrdma2_count(conn, why);
	return 0;
}

/*
 * Section: data of replies
 */

/**
 * xprt_rdma2_is_readlink - may a reply have an item that sunrpc says nothing of?
 * @task: RPC
 *
 * The result of READLINK is eligible for placement, but the file system marks
 * the pages of READ only.
 *
 * Return: true if it is a READLINK
 */
static bool xprt_rdma2_is_readlink(const struct rpc_task *task)
{
	const struct rpc_procinfo *proc = task->tk_msg.rpc_proc;

	return task->tk_client->cl_prog == NFS_PROGRAM && proc->p_name &&
	       !strcmp(proc->p_name, "READLINK");
}

/**
 * xprt_rdma2_item_length - how long an item of the reply may be
 * @rqst: Call
 * @forced: directions are given for whatever can have them
 *
 * A symbolic link is hardly ever long enough for more than the head segment.
 *
 * Return: a length in bytes; 0 if the reply has no item
 */
static u32 xprt_rdma2_item_length(const struct rpc_rqst *rqst, bool forced)
{
	const struct xdr_buf *buf = &rqst->rq_rcv_buf;

	if (buf->flags & XDRBUF_READ)
		return buf->page_len;
	if (forced && buf->page_len && xprt_rdma2_is_readlink(rqst->rq_task))
		return buf->page_len;
	return 0;
}

/**
 * xprt_rdma2_nr_sets - how many sets the directions consist of
 *
 * Return: a number of sets, each with one item
 */
static u32 xprt_rdma2_nr_sets(void)
{
	return READ_ONCE(xprt_rdma2_read_ranges) == XPRT_RDMA2_RANGE_SPLIT ?
	       2 : 1;
}

/**
 * xprt_rdma2_reply_fits - will a reply fit one of our Receives?
 * @r_xprt: transport
 * @rqst: Call
 * @type: what the directions say
 * @length: length of the item, in bytes
 *
 * There is no Reply chunk to put it into. The server may come to leave
 * the item inline.
 *
 * Return: true if it will
 */
static bool xprt_rdma2_reply_fits(const struct rpcrdma_xprt *r_xprt,
				  const struct rpc_rqst *rqst, u32 type,
				  u32 length)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_place *vp = ep->re_v2->ve_place;
	const struct xdr_buf *buf = &rqst->rq_rcv_buf;
	u32 limit = READ_ONCE(ep->re_inline_recv);
	u32 front;

	front = XPRT_RDMA2_RESP_FIXED + xprt_rdma2_nr_sets() * XPRT_RDMA2_ITEM +
		buf->head[0].iov_len + buf->tail[0].iov_len;
	if (type != XMPTYPE_TBSN)
		return front + ep->re_max_rdma_segs * XPRT_RDMA2_SEGMENT *
		       xprt_rdma2_nr_sets() <= limit;
	return front + xdr_align_size(length) <= limit &&
	       rpcrdma2_layout(&vp->vp_xmt.layout, &vp->vp_own, limit, front,
			       &length, 1);
}

/**
 * xprt_rdma2_reply_xmts - how many transmissions may a reply take?
 * @vp: placement
 * @ep: connection
 * @front: header of the first one, in bytes, without numbers of segments
 * @payload: longest payload stream, in bytes
 * @length: length of the item that is placed, in bytes; 0 if there is none
 *
 * Serves C-16, C-21.
 *
 * Return: the number; 0 if they are more than the server sends, or than this
 * end has Receives for
 */
static u32 xprt_rdma2_reply_xmts(struct xprt_rdma2_place *vp,
				 const struct rpcrdma_ep *ep, u32 front,
				 u32 payload, u32 length)
{
	const struct rpcrdma2_dest to = {
		.rb		= &vp->vp_own,
		.limit		= READ_ONCE(ep->re_inline_recv),
		.max_xmts	= min(vp->vp_replies, vp->vp_recvs + 1),
	};

	if (!rpcrdma2_plan(&vp->vp_xmt.reply, &to, front,
			   xdr_align_size(payload), &length, !!length))
		return 0;
	return vp->vp_xmt.reply.nxmts;
}

/**
 * xprt_rdma2_plan_long_read - let the reply to a READ take several transmissions
 * @r_xprt: transport
 * @rqst: Call
 * @xmt: how it goes
 * @length: length of the item, in bytes
 *
 * The server may come to leave the item inline.
 *
 * Return: XMPTYPE_TBSN, or 0 for no directions
 */
static u32 xprt_rdma2_plan_long_read(struct rpcrdma_xprt *r_xprt,
				     const struct rpc_rqst *rqst,
				     struct xprt_rdma2_xmt *xmt, u32 length)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_place *vp = ep->re_v2->ve_place;
	const struct xdr_buf *buf = &rqst->rq_rcv_buf;
	u32 rest = buf->head[0].iov_len + buf->tail[0].iov_len;
	u32 placed, plain;

	if (vp->vp_replies == 1)
		return 0;
	placed = xprt_rdma2_reply_xmts(vp, ep, XPRT_RDMA2_RESP_FIXED +
				       xprt_rdma2_nr_sets() * XPRT_RDMA2_ITEM,
				       rest, length);
	plain = xprt_rdma2_reply_xmts(vp, ep, XPRT_RDMA2_RESP_FIXED +
				      xprt_rdma2_nr_sets() * XPRT_RDMA2_ITEM,
				      rest + xdr_align_size(length), 0);
	if (!placed || !plain)
		return 0;
	xmt->rsbuf = max(placed, plain);
	return XMPTYPE_TBSN;
}

/**
 * xprt_rdma2_plan_read - choose directions for the item of a reply
 * @r_xprt: transport
 * @rqst: Call
 * @xmt: how it goes
 * @rtrsupp: RTRSUPP of the server
 *
 * Serves P-10, C-16, A-69.
 *
 * Return: a type, or 0 for no directions
 */
static u32 xprt_rdma2_plan_read(struct rpcrdma_xprt *r_xprt,
				const struct rpc_rqst *rqst,
				struct xprt_rdma2_xmt *xmt, u32 rtrsupp)
{
	struct xprt_rdma2_place *vp = r_xprt->rx_ep->re_v2->ve_place;
	u32 type = READ_ONCE(xprt_rdma2_read_type);
	u32 length = xprt_rdma2_item_length(rqst, type);

	if (!length || !(rtrsupp & RDMA2_RTRSUPP_XRESP))
		return 0;
	if (!type) {
		if (!xprt_rdma2_in_range(length, READ_ONCE(xprt_rdma2_read_min),
					 xprt_rdma2_longest(xprt_rdma2_read_max,
							    vp->vp_replies)))
			return 0;
		type = XMPTYPE_TBSN;
	}
	if (xprt_rdma2_reply_fits(r_xprt, rqst, type, length))
		return type;
	if (type == XMPTYPE_TBSN &&
	    xprt_rdma2_plan_long_read(r_xprt, rqst, xmt, length))
		return type;
	return xprt_rdma2_decline(r_xprt, RPCRDMA2_CNT_LONG_RESULTS);
}

/**
 * xprt_rdma2_plan_results - make room for a reply without directions
 * @r_xprt: transport
 * @rqst: Call
 * @xmt: how it goes
 *
 * A READ that is not placed is written by the server. Any other reply that is
 * too long for a Receive may take several (C-21).
 *
 * Return: false if it needs memory that is registered
 */
static bool xprt_rdma2_plan_results(struct rpcrdma_xprt *r_xprt,
				    struct rpc_rqst *rqst,
				    struct xprt_rdma2_xmt *xmt)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_place *vp = ep->re_v2->ve_place;
	bool wrapped = xprt_rdma2_wrapped(rqst);

	if (rpcrdma_results_inline(r_xprt, rqst))
		return true;
	if (vp->vp_replies == 1 ||
	    (!wrapped && rqst->rq_rcv_buf.flags & XDRBUF_READ))
		return false;
	xmt->rsbuf = xprt_rdma2_reply_xmts(vp, ep, XPRT_RDMA2_RESP_FIXED,
					   rqst->rq_rcv_buf.buflen, 0);
	if (xmt->rsbuf)
		return true;
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_GROUPS_TOO_LONG);
	return false;
}

/*
 * Section: data of Calls
 */

/**
 * xprt_rdma2_fragments - how many pieces data consists of
 * @xdr: Call
 *
 * Pages that are neighbours in memory are one piece.
 *
 * Return: entries of a scatter/gather list that it takes
 */
static unsigned int xprt_rdma2_fragments(const struct xdr_buf *xdr)
{
	struct page **page = xdr->pages + (xdr->page_base >> PAGE_SHIFT);
	u32 left = offset_in_page(xdr->page_base) + xdr->page_len;
	unsigned int count = 1;

	for (; left > PAGE_SIZE; left -= PAGE_SIZE, page++)
		if (!xprt_rdma2_adjacent(page))
			count++;
	return count;
}

/**
 * xprt_rdma2_plan_gather - choose how the device gets at the data
 * @r_xprt: transport
 * @rqst: Call
 * @xmt: how it goes, layout included
 *
 * One entry is for header, payload and zeros, a second one for zeros that do
 * not fit there.
 *
 * Return: false if the device cannot
 */
static bool xprt_rdma2_plan_gather(struct rpcrdma_xprt *r_xprt,
				   const struct rpc_rqst *rqst,
				   struct xprt_rdma2_xmt *xmt)
{
	const struct xdr_buf *xdr = &rqst->rq_snd_buf;
	u32 start = xmt->layout.spots[0].span.offset;
	unsigned int sges;

	sges = 1 + (start > XPRT_RDMA2_FRONT) + xprt_rdma2_fragments(xdr);
	if (sges <= r_xprt->rx_ep->re_attr.cap.max_send_sge)
		return true;
	xmt->copy = xprt_rdma2_bounce_get(r_xprt, xdr->page_len);
	return xmt->copy;
}

/**
 * xprt_rdma2_plan_group - split a Call over several transmissions
 * @r_xprt: transport
 * @xmt: how it goes; its payload is known
 * @hdrlen: header, in bytes, without numbers of segments
 * @lengths: length of the data that is placed, in bytes
 * @nitems: 1, or 0 if nothing is placed
 *
 * Serves C-12.
 *
 * Return: false if it does not fit
 */
static bool xprt_rdma2_plan_group(struct rpcrdma_xprt *r_xprt,
				  struct xprt_rdma2_xmt *xmt, u32 hdrlen,
				  const u32 *lengths, u32 nitems)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_place *vp = ep->re_v2->ve_place;
	const struct rpcrdma2_dest to = {
		.rb		= &vp->vp_peer,
		.limit		= READ_ONCE(ep->re_inline_send),
		.max_xmts	= vp->vp_requests,
	};

	if (vp->vp_requests == 1)
		return false;
	xmt->group = rpcrdma2_plan(&xmt->plan, &to, hdrlen,
				   xdr_align_size(xmt->pslen), lengths,
				   nitems) &&
		     xmt->plan.nxmts > 1;
	if (xmt->group)
		return true;
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_GROUPS_TOO_LONG);
	return false;
}

/**
 * xprt_rdma2_plan_place - find a place for the data of a Call
 * @r_xprt: transport
 * @rqst: Call
 * @xmt: how it goes; its directions and its payload are known
 *
 * Zeros in front of the data that are more than a page would cost more than
 * they are worth.
 *
 * Return: XMPTYPE_TBSN, or 0 if there is none
 */
static u32 xprt_rdma2_plan_place(struct rpcrdma_xprt *r_xprt,
				 const struct rpc_rqst *rqst,
				 struct xprt_rdma2_xmt *xmt)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	struct xprt_rdma2_place *vp = ep->re_v2->ve_place;
	u32 front, length = rqst->rq_snd_buf.page_len;

	front = XPRT_RDMA2_REQ_FIXED + XPRT_RDMA2_ITEM + xmt->pslen;
	if (xmt->read)
		front += xprt_rdma2_nr_sets() *
			 (XPRT_RDMA2_SET + XPRT_RDMA2_RSDITEM +
			  ep->re_max_rdma_segs * XPRT_RDMA2_SEGMENT);
	if (!rpcrdma2_layout(&xmt->layout, &vp->vp_peer,
			     READ_ONCE(ep->re_inline_send), front, &length, 1))
		return xprt_rdma2_plan_group(r_xprt, xmt, front - xmt->pslen,
					     &length, 1) ? XMPTYPE_TBSN :
		       xprt_rdma2_decline(r_xprt, RPCRDMA2_CNT_NOT_LONG_ENOUGH);
	if (xmt->layout.front > XPRT_RDMA2_FRONT ||
	    xmt->layout.spots[0].span.offset > XPRT_RDMA2_FRONT + PAGE_SIZE)
		return xprt_rdma2_decline(r_xprt,
					  RPCRDMA2_CNT_NO_ROOM_IN_FRONT);
	if (!xprt_rdma2_plan_gather(r_xprt, rqst, xmt))
		return xprt_rdma2_decline(r_xprt,
					  RPCRDMA2_CNT_NOT_ENOUGH_SGES);
	return XMPTYPE_TBSN;
}

/**
 * xprt_rdma2_plan_write - choose how the data of a Call goes
 * @r_xprt: transport
 * @rqst: Call
 * @xmt: how it goes; its directions are known
 *
 * Serves P-06, P-07.
 *
 * Return: a type, or 0 if this is not for ROPT_XMTREQ
 */
static u32 xprt_rdma2_plan_write(struct rpcrdma_xprt *r_xprt,
				 const struct rpc_rqst *rqst,
				 struct xprt_rdma2_xmt *xmt)
{
	struct xprt_rdma2_place *vp = r_xprt->rx_ep->re_v2->ve_place;
	const struct xdr_buf *xdr = &rqst->rq_snd_buf;
	u32 type = READ_ONCE(xprt_rdma2_write_type);

	if (!(xdr->flags & XDRBUF_WRITE) || !xdr->page_len)
		return 0;
	if (!type) {
		if (!xprt_rdma2_in_range(xdr->page_len,
					 READ_ONCE(xprt_rdma2_write_min),
					 xprt_rdma2_longest(xprt_rdma2_write_max,
							    vp->vp_requests)))
			return 0;
		type = XMPTYPE_TBSN;
	}
	xmt->pslen = xdr->head[0].iov_len + xprt_rdma2_tail_length(xdr);
	xmt->rtype = rpcrdma_readch;
	if (type == XMPTYPE_TBSN)
		return xprt_rdma2_plan_place(r_xprt, rqst, xmt);
	if (xmt->pslen > READ_ONCE(r_xprt->rx_ep->re_max_inline_send))
		return 0;
	return type;
}

/**
 * xprt_rdma2_plan_rest - choose how arguments without data go
 * @r_xprt: transport
 * @rqst: Call
 * @xmt: how it goes
 *
 * Data of a WRITE that is not placed is pulled by the server.
 *
 * Return: false if the Call needs memory that is registered
 */
static bool xprt_rdma2_plan_rest(struct rpcrdma_xprt *r_xprt,
				 struct rpc_rqst *rqst,
				 struct xprt_rdma2_xmt *xmt)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	u32 header = XPRT_RDMA2_REQ_FIXED;

	if (xmt->read)
		header += xprt_rdma2_nr_sets() *
			  (XPRT_RDMA2_SET + XPRT_RDMA2_RSDITEM +
			   ep->re_max_rdma_segs * XPRT_RDMA2_SEGMENT);
	xmt->pslen = rqst->rq_snd_buf.len;
	if (header + xmt->pslen <= READ_ONCE(ep->re_inline_send) &&
	    xprt_rdma2_args_inline(r_xprt, rqst, &xmt->rtype, &xmt->copy))
		return true;
	if ((rqst->rq_snd_buf.flags & XDRBUF_WRITE &&
	     !xprt_rdma2_wrapped(rqst)) || xmt->pslen % XDR_UNIT)
		return false;
	xmt->rtype = rpcrdma_noch_mapped;
	return xprt_rdma2_plan_group(r_xprt, xmt, header, NULL, 0);
}

/**
 * xprt_rdma2_plan_means - get all that a Call takes, or nothing
 * @r_xprt: transport
 * @rqst: Call
 * @xmt: how it goes
 *
 * Serves C-17, C-18, C-25.
 *
 * Return: false if there is not enough; explicit RDMA takes its place
 */
static bool xprt_rdma2_plan_means(struct rpcrdma_xprt *r_xprt,
				  struct rpc_rqst *rqst,
				  struct xprt_rdma2_xmt *xmt)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	u32 count = xmt->group ? xmt->plan.nxmts : 1;

	if (count == 1 && xmt->rsbuf == 1)
		return true;
	if (xmt->group && !xprt_rdma2_group_fits(xmt)) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_NO_ROOM_IN_FRONT);
		return false;
	}
	if (xmt->group && !xprt_rdma2_group_sendctxs(r_xprt, count)) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_GROUPS_NO_CREDITS);
		return false;
	}
	switch (xprt_rdma2_lend(r_xprt, req, count - 1, xmt->rsbuf - 1)) {
	case RPCRDMA2_NO_CREDITS:
		rpcrdma2_count(conn, RPCRDMA2_CNT_GROUPS_NO_CREDITS);
		return false;
	case RPCRDMA2_NO_RECVS:
		rpcrdma2_count(conn, RPCRDMA2_CNT_GROUPS_NO_RECVS);
		return false;
	default:
		break;
	}
	if (!xmt->group || xprt_rdma2_group_copies(r_xprt, rqst, xmt))
		return true;
	rpcrdma2_count(conn, RPCRDMA2_CNT_NOT_ENOUGH_SGES);
	xprt_rdma2_loan_undo(r_xprt, req);
	return false;
}

/**
 * xprt_rdma2_plan_xmtreq - plan how a Call goes by ROPT_XMTREQ
 * @r_xprt: transport
 * @rqst: Call
 * @xmt: how it goes
 * @rtrsupp: RTRSUPP of the server
 *
 * What a GSS service protects is never excised (A-88, P-40), but may take
 * several transmissions. There is no Reply chunk (P-37).
 *
 * Return: false if it does not
 */
static bool xprt_rdma2_plan_xmtreq(struct rpcrdma_xprt *r_xprt,
				   struct rpc_rqst *rqst,
				   struct xprt_rdma2_xmt *xmt, u32 rtrsupp)
{
	xmt->copy = NULL;
	xmt->group = false;
	xmt->rsbuf = 1;
	xmt->read = 0;
	xmt->write = 0;
	if (!xprt_rdma2_wrapped(rqst)) {
		xmt->read = xprt_rdma2_plan_read(r_xprt, rqst, xmt, rtrsupp);
		xmt->write = xprt_rdma2_plan_write(r_xprt, rqst, xmt);
	}
	if (!xmt->write && !xprt_rdma2_plan_rest(r_xprt, rqst, xmt))
		return false;
	if (!xmt->read && !xprt_rdma2_plan_results(r_xprt, rqst, xmt)) {
		if (xmt->write)
			xprt_rdma2_decline(r_xprt, RPCRDMA2_CNT_LONG_RESULTS);
		return false;
	}
	if (!xmt->read && !xmt->write && !xmt->group && xmt->rsbuf == 1)
		return false;
	return xprt_rdma2_plan_means(r_xprt, rqst, xmt);
}

/**
 * xprt_rdma2_place_plan - decide whether a Call goes by ROPT_XMTREQ
 * @r_xprt: transport
 * @rqst: Call
 *
 * Context: the transport's send lock is held
 *
 * Return: true if it does; then the connection's vp_xmt says how
 */
bool xprt_rdma2_place_plan(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst)
{
	struct xprt_rdma2_place *vp = r_xprt->rx_ep->re_v2->ve_place;
	u32 rtrsupp;

	if (!vp || READ_ONCE(vp->vp_off))
		return false;
	rtrsupp = xprt_rdma2_place_peer(r_xprt);
	if (!(rtrsupp & RDMA2_RTRSUPP_XREQ))
		return false;
	xprt_rdma2_cont_limits(r_xprt);
	if (xprt_rdma2_plan_xmtreq(r_xprt, rqst, &vp->vp_xmt, rtrsupp))
		return true;
	xprt_rdma2_bounce_put(&vp->vp_xmt.copy);
	return false;
}
