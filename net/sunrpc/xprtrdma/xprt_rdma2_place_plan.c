// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: which Calls go by ROPT_XMTREQ.
 *
 * The data of a WRITE travels in the Send of the Call if the server has a place
 * for it; whether the device can gather it, and if not, whether it can be
 * copied, is decided here, too. For the data of a READ the server is told to
 * place it in the Send of the reply, if a reply of the longest kind fits one
 * of this end's Receives, with the data placed as well as without. All else
 * goes by RDMA2_MSG and RDMA2_NOMSG, where explicit RDMA costs less: memory
 * that they offer can be invalidated by the server.
 *
 * Nothing here has side effects but for counters.
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
 * xprt_rdma2_plan_read - choose directions for the item of a reply
 * @r_xprt: transport
 * @rqst: Call
 * @rtrsupp: RTRSUPP of the server
 *
 * Serves P-10, C-16, A-69.
 *
 * Return: a type, or 0 for no directions
 */
static u32 xprt_rdma2_plan_read(struct rpcrdma_xprt *r_xprt,
				const struct rpc_rqst *rqst, u32 rtrsupp)
{
	u32 type = READ_ONCE(xprt_rdma2_read_type);
	u32 length = xprt_rdma2_item_length(rqst, type);

	if (!length || !(rtrsupp & RDMA2_RTRSUPP_XRESP))
		return 0;
	if (!type) {
		if (!xprt_rdma2_in_range(length, READ_ONCE(xprt_rdma2_read_min),
					 READ_ONCE(xprt_rdma2_read_max)))
			return 0;
		type = XMPTYPE_TBSN;
	}
	if (!xprt_rdma2_reply_fits(r_xprt, rqst, type, length))
		return xprt_rdma2_decline(r_xprt, RPCRDMA2_CNT_LONG_RESULTS);
	return type;
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
 * xprt_rdma2_can_copy - is there room to copy data?
 * @rqst: Call
 *
 * Return: true if it fits into the send buffer, behind the Call
 */
static bool xprt_rdma2_can_copy(const struct rpc_rqst *rqst)
{
	return rqst->rq_callsize + rqst->rq_snd_buf.page_len <=
	       rdmab_length(rpcr_to_rdmar(rqst)->rl_sendbuf);
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
	xmt->copy = sges > r_xprt->rx_ep->re_attr.cap.max_send_sge;
	if (!xmt->copy || xprt_rdma2_can_copy(rqst))
		return true;
	xprt_rdma2_want_sendbuf(r_xprt, rqst->rq_callsize + xdr->page_len);
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
		return xprt_rdma2_decline(r_xprt, RPCRDMA2_CNT_NOT_LONG_ENOUGH);
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
	const struct xdr_buf *xdr = &rqst->rq_snd_buf;
	u32 type = READ_ONCE(xprt_rdma2_write_type);

	if (!(xdr->flags & XDRBUF_WRITE) || !xdr->page_len)
		return 0;
	if (!type) {
		if (!xprt_rdma2_in_range(xdr->page_len,
					 READ_ONCE(xprt_rdma2_write_min),
					 READ_ONCE(xprt_rdma2_write_max)))
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
 * @xmt: how it goes; there are directions
 *
 * Return: false if the Call is too long for a transmission
 */
static bool xprt_rdma2_plan_rest(struct rpcrdma_xprt *r_xprt,
				 struct rpc_rqst *rqst,
				 struct xprt_rdma2_xmt *xmt)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	u32 header;

	header = XPRT_RDMA2_REQ_FIXED +
		 xprt_rdma2_nr_sets() *
		 (XPRT_RDMA2_SET + XPRT_RDMA2_RSDITEM +
		  ep->re_max_rdma_segs * XPRT_RDMA2_SEGMENT);
	xmt->pslen = rqst->rq_snd_buf.len;
	return header + xmt->pslen <= READ_ONCE(ep->re_inline_send) &&
	       xprt_rdma2_args_inline(r_xprt, rqst, &xmt->rtype);
}

/**
 * xprt_rdma2_place_plan - decide whether a Call goes by ROPT_XMTREQ
 * @r_xprt: transport
 * @rqst: Call
 *
 * What a GSS service protects is never excised (A-88, P-40). A reply without
 * directions has to fit inline (P-37).
 *
 * Context: the transport's send lock is held
 *
 * Return: true if it does; then the connection's vp_xmt says how
 */
bool xprt_rdma2_place_plan(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst)
{
	struct xprt_rdma2_place *vp = r_xprt->rx_ep->re_v2->ve_place;
	struct xprt_rdma2_xmt *xmt;
	u32 rtrsupp;

	if (!vp || READ_ONCE(vp->vp_off) ||
	    !(rqst->rq_snd_buf.page_len || rqst->rq_rcv_buf.page_len) ||
	    test_bit(RPCAUTH_AUTH_DATATOUCH,
		     &rqst->rq_cred->cr_auth->au_flags))
		return false;
	rtrsupp = xprt_rdma2_place_peer(r_xprt, &vp->vp_peer);
	if (!(rtrsupp & RDMA2_RTRSUPP_XREQ))
		return false;

	xmt = &vp->vp_xmt;
	xmt->copy = false;
	xmt->read = xprt_rdma2_plan_read(r_xprt, rqst, rtrsupp);
	xmt->write = xprt_rdma2_plan_write(r_xprt, rqst, xmt);
	if (!xmt->write)
		return xmt->read && xprt_rdma2_plan_rest(r_xprt, rqst, xmt);
	if (xmt->read || rpcrdma_results_inline(r_xprt, rqst))
		return true;
	xprt_rdma2_decline(r_xprt, RPCRDMA2_CNT_LONG_RESULTS);
	return false;
}
