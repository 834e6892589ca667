// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: replies, and the Calls that they are to.
 *
 * A response is looked at when no memory of its Call is accessible any more.
 * The Call's header is still there, as it was sent, and says what was asked
 * for. Data that was placed in the Receive is copied once, to the pages that
 * the file system has chosen; the rest of the reply stays where it is.
 */

#include <linux/highmem.h>
#include <linux/sched.h>

#include "clnt_place.h"
#include <trace/events/rpcrdma.h>
#include <trace/events/rpcrdma2.h>

/* All that the Call was, or could have been */
static const struct rpcrdma2_limits xprt_rdma2_sent_limits = {
	.opttypes	= BIT(ROPT_XMTREQ),
};

/* Section: the Call that a message is about */

/**
 * xprt_rdma2_drop - discard a message without an answer
 * @rep: received message; released
 *
 * What is received last is dropped by xprt_rdma2_finish(); this is for what was
 * held.
 *
 * Context: receive handler
 */
void xprt_rdma2_drop(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;

	rpcrdma2_conn_drop(&r_xprt->rx_v2.vx_conn, &rep->rr_v2.vr_msg);
	rpcrdma_rep_put(&r_xprt->rx_buf, rep);
}

/* Have a message be the answer to a Call. @rqst: Call that is known by the message's
 * xid. @only_xmt: the message is about none that was not sent by ROPT_XMTREQ. A
 * server that answers early, or twice, must not get at the memory regions of a Call
 * while they are being registered or invalidated. xprt_rdma2_take_back() cannot take
 * the Call back from here on. Returns true the first time after the Call was posted;
 * it is pinned then.
 */
static bool xprt_rdma2_mark_answered(struct rpc_rqst *rqst, bool only_xmt)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);

	lockdep_assert_held(&rqst->rq_xprt->queue_lock);

	if (!xprt_rdma2_awaited(rqst) || (only_xmt && !req->rl_v2.vq_by_xmtreq))
		return false;
	xprt_pin_rqst(rqst);
	/* Pinned before it can be taken back. Pairs with xprt_rdma2_take_back(). */
	smp_store_release(&req->rl_v2.vq_posted, false);
	return true;
}

/* A message is about no Call that waits for it. @only_xmt: nor about one that was
 * not sent by ROPT_XMTREQ. Returns what the Call was.
 */
static noinline enum rpcrdma2_call_was
xprt_rdma2_not_awaited(const struct rpcrdma_rep *rep, bool only_xmt)
{
	const struct rpcrdma2_ending end = {
		.xid		= rep->rr_xid,
		.only_opt	= only_xmt,
		.refused	= rpcrdma2_is_refusal(&rep->rr_v2.vr_msg),
	};

	return xprt_rdma2_late_reply(rep->rr_rxprt, &end);
}

/* An answer to one of our Calls came. @epoch: epoch that the Call was sent in.
 * Context: receive handler.
 */
static void xprt_rdma2_confirm(struct rpcrdma2_conn *conn, u32 epoch)
{
	/* Changed under the lock. What @epoch confirms was announced before the
	 * Call read it (see rpcrdma2_conn_epoch()), and so is seen here; what is
	 * announced later, this answer does not confirm.
	 */
	if (!data_race(READ_ONCE(conn->cn_xch.xc_nr_announced)))
		return;
	rpcrdma2_conn_change_begin(conn);
	rpcrdma2_xch_confirm(&conn->cn_xch, epoch);
	rpcrdma2_conn_change_end(conn);
}

/* Find the Call that a message is about. @only_xmt: it is about none that was not
 * sent by ROPT_XMTREQ. Context: receive handler. Returns RPCRDMA2_CALL_AWAITED if
 * @rep is attached to one, which stays pinned until rpcrdma_complete_rqst() or
 * rpcrdma_unpin_rqst(), and still holds what it has reserved; or why it is not.
 */
static enum rpcrdma2_call_was xprt_rdma2_pin_rqst(struct rpcrdma_rep *rep,
						  bool only_xmt)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpc_xprt *xprt = &r_xprt->rx_xprt;
	struct rpcrdma_req *req;
	struct rpc_rqst *rqst;

	spin_lock(&xprt->queue_lock);
	rqst = xprt_lookup_rqst(xprt, rep->rr_xid);
	if (rqst && !xprt_rdma2_mark_answered(rqst, only_xmt))
		rqst = NULL;
	spin_unlock(&xprt->queue_lock);
	if (!rqst)
		return xprt_rdma2_not_awaited(rep, only_xmt);

	req = rpcr_to_rdmar(rqst);
	if (req->rl_reply)
		rpcrdma_rep_put(&r_xprt->rx_buf, req->rl_reply);
	req->rl_reply = rep;
	rep->rr_rqst = rqst;
	xprt_rdma2_confirm(&r_xprt->rx_v2.vx_conn, req->rl_v2.vq_epoch);
	return RPCRDMA2_CALL_AWAITED;
}

/* Account for memory that the server invalidated. @rep: received message, attached
 * to its Call. @req: that Call. An rkey that is not of this Call is counted, and all
 * of the Call's own handles are invalidated locally (N-29).
 */
static void xprt_rdma2_remote_inv(struct rpcrdma_rep *rep, struct rpcrdma_req *req)
{
	struct rpcrdma2_conn *conn = &rep->rr_rxprt->rx_v2.vx_conn;
	struct rpcrdma_mr *mr;

	if (!(rep->rr_wc_flags & IB_WC_WITH_INVALIDATE))
		return;
	list_for_each_entry(mr, &req->rl_registered, mr_list) {
		if (mr->mr_handle == rep->rr_inv_rkey) {
			rpcrdma2_count(conn, RPCRDMA2_CNT_REMOTE_INVALIDATIONS);
			frwr_reminv(rep, &req->rl_registered);
			return;
		}
	}
	rpcrdma2_count(conn, RPCRDMA2_CNT_FOREIGN_INV);
}

/* End the Call that a message is attached to. @rep: received message, pinning its
 * Call; goes with it. No memory of the Call is accessible to the server any more
 * when the upper layer sees it (S-02). Context: receive handler.
 */
static void xprt_rdma2_complete(struct rpcrdma_rep *rep)
{
	struct rpcrdma_req *req = rpcr_to_rdmar(rep->rr_rqst);

	if (!list_empty(&req->rl_registered))
		xprt_rdma2_posted(rep->rr_rxprt->rx_ep);
	xprt_rdma2_remote_inv(rep, req);
	rep->rr_v2.vr_inv = !list_empty(&req->rl_registered);
	if (rep->rr_v2.vr_inv)
		frwr_unmap_async(rep->rr_rxprt, req);
	else
		rpcrdma_complete_rqst(rep);
}

/**
 * xprt_rdma2_fail - end the RPC that a bad message belongs to
 * @rep: received message; goes with the Call, or is released
 *
 * Context: receive handler
 */
void xprt_rdma2_fail(struct rpcrdma_rep *rep)
{
	struct rpcrdma2_conn *conn = &rep->rr_rxprt->rx_v2.vx_conn;

	if (xprt_rdma2_pin_rqst(rep, false) != RPCRDMA2_CALL_AWAITED) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_UNMATCHED);
		xprt_rdma2_drop(rep);
		return;
	}
	xprt_rdma2_call_ended(rep, false);
	rpcrdma2_count(conn, RPCRDMA2_CNT_RPCS_FAILED);
	rep->rr_v2.vr_failed = true;
	xprt_rdma2_complete(rep);
}

/**
 * xprt_rdma2_put_conts - release all but the first Receive of a message
 * @rep: the first one
 */
void xprt_rdma2_put_conts(struct rpcrdma_rep *rep)
{
	struct rpcrdma_rep *cont, *next = rep->rr_v2.vr_next;

	rep->rr_v2.vr_next = NULL;
	while (next) {
		cont = next;
		next = cont->rr_v2.vr_next;
		cont->rr_v2.vr_next = NULL;
		rpcrdma_rep_put(&cont->rr_rxprt->rx_buf, cont);
	}
}

/**
 * xprt_rdma2_rep_put - release what a message has beside its first Receive
 * @rep: message of several transmissions that is being released
 */
void xprt_rdma2_rep_put(struct rpcrdma_rep *rep)
{
	xprt_rdma2_put_conts(rep);
	kvfree(rep->rr_v2.vr_linear);
	rep->rr_v2.vr_linear = NULL;
	rep->rr_v2.vr_xmts = 0;
}

/* Section: the content of a response */

/**
 * struct xprt_rdma2_scatter - a reply on its way to its Call
 * @sc_rqst: the Call
 * @sc_data: first bytes of its Receives
 * @sc_kept: bytes of the RPC message that stay in the first Receive
 * @sc_copied: bytes that were copied
 */
struct xprt_rdma2_scatter {
	struct rpc_rqst	*sc_rqst;
	void * const	*sc_data;
	u32		sc_kept;
	unsigned long	sc_copied;
};

/* Let the head of a reply be as long as it is. @length: how much of it is in front
 * of its items, in bytes. @more: something follows that. The file system has
 * estimated how long the head may be at most. Data that begins earlier goes to the
 * first page all the same.
 */
static void xprt_rdma2_cut_head(struct xprt_rdma2_scatter *sc, u32 length,
				bool more)
{
	struct xdr_buf *buf = &sc->sc_rqst->rq_rcv_buf;
	u32 spare = 0;

	if (more && length < buf->head[0].iov_len)
		spare = buf->head[0].iov_len - length;
	buf->head[0].iov_len -= spare;
	buf->buflen -= spare;
	sc->sc_rqst->rq_private_buf.head[0] = buf->head[0];
	sc->sc_rqst->rq_private_buf.buflen = buf->buflen;
}

/* Copy whole pages of a reply. @disp: where the bytes belong in the message. @src: where
 * they are. Placed data begins with a page, and the file system's does, too, unless it
 * is a part of one. Returns how many bytes are copied.
 */
static u32 xprt_rdma2_put_pages(const struct xdr_buf *buf, u32 disp,
				void *src, u32 length)
{
	u32 head = buf->head[0].iov_len, at, done = 0;
	struct page **page;
	void *to;

	if (disp < head || disp - head >= buf->page_len)
		return 0;
	at = buf->page_base + (disp - head);
	if (offset_in_page(at) || offset_in_page(src))
		return 0;
	page = buf->pages + (at >> PAGE_SHIFT);
	length = min(length, buf->page_len - (disp - head));
	for (; length - done >= PAGE_SIZE; done += PAGE_SIZE, page++) {
		to = kmap_local_page(*page);
		copy_page(to, src + done);
		kunmap_local(to);
		flush_dcache_page(*page);
	}
	return done;
}

/* Put a piece of a reply where it belongs. @sc: the reply, its head done. What was
 * written by explicit RDMA is where the Call's pages begin. Bytes that only pad the
 * end of the message may have no place. Returns false if it has no place.
 */
static bool xprt_rdma2_put_piece(struct xprt_rdma2_scatter *sc,
				 const struct rpcrdma2_piece *piece)
{
	static u8 zeros[XDR_UNIT];
	const struct xdr_buf *buf = &sc->sc_rqst->rq_rcv_buf;
	u32 disp = piece->disp, offset = piece->offset, length = piece->length;
	void *src;
	u32 done;

	switch (piece->kind) {
	case RPCRDMA2_PIECE_REMOTE:
		return disp == buf->head[0].iov_len && length <= buf->page_len;
	case RPCRDMA2_PIECE_ZEROS:
		write_bytes_to_xdr_buf(buf, disp, zeros, length);
		return true;
	default:
		break;
	}
	if (disp < sc->sc_kept) {
		offset += sc->sc_kept - disp;
		length -= sc->sc_kept - disp;
		disp = sc->sc_kept;
	}
	sc->sc_copied += length;
	src = sc->sc_data[piece->xnum] + offset;
	done = xprt_rdma2_put_pages(buf, disp, src, length);
	return length == done ||
	       !write_bytes_to_xdr_buf(buf, disp + done, src + done,
				       length - done);
}

/* How much of a reply is in front of its items. @arr: the reply's pieces, found
 * sound. Returns a length in bytes.
 */
static u32 xprt_rdma2_first_length(const struct rpcrdma2_arrival *arr)
{
	struct rpcrdma2_piece piece;
	struct rpcrdma2_walk walk;
	u32 length = 0;

	rpcrdma2_walk_begin(&walk, arr);
	while (rpcrdma2_walk_next(&walk, &piece) &&
	       piece.kind == RPCRDMA2_PIECE_PAYLOAD)
		length += piece.length;
	return length;
}

/* Hand the pieces of a reply to its Call. @arr: its pieces, found sound. Returns
 * false if the reply is longer than the Call allows.
 */
static bool xprt_rdma2_scatter(struct xprt_rdma2_scatter *sc,
			       const struct rpcrdma2_arrival *arr)
{
	struct kvec *head = &sc->sc_rqst->rq_rcv_buf.head[0];
	u32 first = xprt_rdma2_first_length(arr);
	bool more = first < rpcrdma2_virtual_length(arr);
	struct rpcrdma2_piece piece;
	struct rpcrdma2_walk walk;

	rpcrdma2_walk_begin(&walk, arr);
	if (!rpcrdma2_walk_next(&walk, &piece) ||
	    piece.kind != RPCRDMA2_PIECE_PAYLOAD)
		return false;
	/* If the Receive has only a part of the head, that is put together in the
	 * Call's own buffer. Otherwise it stays where it is.
	 */
	sc->sc_kept = 0;
	if (!piece.xnum && (piece.length >= first || piece.length >= head->iov_len)) {
		sc->sc_kept = min_t(u32, piece.length, head->iov_len);
		head->iov_base = sc->sc_data[0] + piece.offset;
		first = sc->sc_kept;
	}
	xprt_rdma2_cut_head(sc, first, more);
	do {
		if (!xprt_rdma2_put_piece(sc, &piece))
			return false;
	} while (rpcrdma2_walk_next(&walk, &piece));
	return true;
}

/* Count what became of the directions. @resp: the response. Returns bytes that
 * explicit RDMA has written.
 */
static u32 xprt_rdma2_count_items(struct rpcrdma2_conn *conn,
				  const struct rpcrdma2_xmtresp *resp)
{
	u32 i, written = 0;

	for (i = 0; i < resp->nitems; i++) {
		switch (resp->items[i].type) {
		case XMPTYPE_TBSN:
			rpcrdma2_count_bytes(conn, RPCRDMA2_CNT_PLACED_RECEIVED,
					     resp->items[i].length);
			break;
		case XMPTYPE_EXRW:
			written += resp->items[i].length;
			break;
		default:
			rpcrdma2_count(conn, RPCRDMA2_CNT_ITEMS_INLINE);
		}
	}
	return written;
}

/* Hand the content of a response to its Call. @rep: the response. @look: what is
 * known of the response. @arr: the response's parts, found sound. That may be a
 * megabyte, with the next one behind it. Returns the length of the RPC message, in
 * bytes, or -EIO.
 */
static int xprt_rdma2_deliver(struct rpcrdma_xprt *r_xprt,
			      struct rpcrdma_rep *rep, struct rpc_rqst *rqst,
			      const struct xprt_rdma2_look *look,
			      const struct rpcrdma2_arrival *arr)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	struct xprt_rdma2_scatter sc = {
		.sc_rqst	= rqst,
		.sc_data	= look->lk_data,
	};
	u32 length = rpcrdma2_virtual_length(arr);

	cond_resched();
	r_xprt->rx_stats.total_rdma_reply +=
		xprt_rdma2_count_items(conn, &look->lk_resp);
	if (length == look->lk_resp.pslen) {
		r_xprt->rx_stats.fixup_copy_count +=
			rpcrdma_inline_fixup(rqst, look->lk_data[0] +
					     rep->rr_v2.vr_msg.hdrlen, length, 0);
		return length;
	}
	if (!xprt_rdma2_scatter(&sc, arr))
		return -EIO;
	r_xprt->rx_stats.fixup_copy_count += sc.sc_copied;
	rpcrdma2_count_bytes(conn, RPCRDMA2_CNT_PLACED_COPIED, sc.sc_copied);
	return length;
}

/* Section: checks of a response */

/**
 * xprt_rdma2_blamed - report what is wrong with a transmission
 * @r_xprt: transport
 * @fault: what is wrong
 *
 * A server whose responses are bad, or broken into, gets no more Calls that ask for
 * such (E-20).
 *
 * Context: receive handler, or a work item that completes a Call
 */
void xprt_rdma2_blamed(struct rpcrdma_xprt *r_xprt,
		       const struct rpcrdma2_repterr *fault)
{
	if ((fault->has_lead ? fault->lead.dir : fault->bad.dir) == RDMA2_REPLY)
		xprt_rdma2_place_off(r_xprt, "off: server sent a bad response");
	xprt_rdma2_send_repterr(r_xprt, fault);
}

/* Report what is wrong with a response. @rep: the response. @fault: what is wrong:
 * code and arguments. Of a group it is found out when the last transmission is here.
 */
static void xprt_rdma2_fault(struct rpcrdma_xprt *r_xprt,
			     const struct rpcrdma_rep *rep,
			     struct rpcrdma2_repterr *fault)
{
	bool group = rep->rr_v2.vr_xmts > 1;

	rpcrdma2_blame(fault, &rep->rr_v2.vr_msg, rep->rr_v2.vr_xmts - 1, group);
	if (group) {
		fault->lead.xid = rep->rr_v2.vr_msg.xid;
		fault->lead.dir = rep->rr_v2.vr_msg.dir;
		fault->lead.seq = 0;
	}
	xprt_rdma2_blamed(r_xprt, fault);
}

/**
 * xprt_rdma2_arrival - describe a response
 * @r_xprt: transport
 * @resp: what it says
 * @parts: its transmissions, the first one at least
 * @arr: OUT: the description; its limit is one transmission
 */
void xprt_rdma2_arrival(struct rpcrdma_xprt *r_xprt,
			const struct rpcrdma2_xmtresp *resp,
			const struct rpcrdma2_part *parts,
			struct rpcrdma2_arrival *arr)
{
	rpcrdma2_arrival_resp(arr, resp, parts,
			      &r_xprt->rx_ep->re_v2->ve_place->vp_own,
			      RPCRDMA_MAX_DATA_SEGS << PAGE_SHIFT);
}

/* Look up the transmissions of a response. @look: what is known of the response, its
 * content included; gets them. @rep: the response. Returns how many there are.
 */
static u32 xprt_rdma2_reply_parts(struct xprt_rdma2_look *look,
				  const struct rpcrdma_rep *rep)
{
	u32 n = 1;

	look->lk_data[0] = rdmab_data(rep->rr_rdmabuf);
	look->lk_parts[0].length = rep->rr_v2.vr_msg.length;
	look->lk_parts[0].hdrlen = rep->rr_v2.vr_msg.hdrlen;
	look->lk_parts[0].pslen = look->lk_resp.pslen;
	for (rep = rep->rr_v2.vr_next; rep && n < RPCRDMA2_MAX_XMTS;
	     rep = rep->rr_v2.vr_next, n++) {
		look->lk_data[n] = rdmab_data(rep->rr_rdmabuf);
		look->lk_parts[n] = rep->rr_v2.vr_part;
	}
	return n;
}

/* Look up what a Call has asked for. @look: gets the Call. @req: the Call, as it was
 * sent. Returns false if it does not parse, which cannot be. Not inline: most
 * replies do not need it, nor room on the stack for it.
 */
static noinline bool
xprt_rdma2_decode_sent(struct xprt_rdma2_look *look, const struct rpcrdma_req *req)
{
	const void *header = rdmab_data(req->rl_rdmabuf);
	struct rpcrdma2_msg msg;

	return rpcrdma2_decode(header, req->rl_hdrbuf.len,
			       &xprt_rdma2_sent_limits, &msg) == RPCRDMA2_OK &&
	       !rpcrdma2_decode_xmtreq(header, &msg, &look->lk_sent);
}

/* Check a response, and hand on its content. @rep: the response. @look: belongs to
 * the caller. A group that began before its Call had been posted was not kept
 * (N-162), but the Call may have been posted since. Returns the length of the RPC
 * message, in bytes, or -EIO.
 */
static int xprt_rdma2_check_reply(struct rpcrdma_xprt *r_xprt,
				  struct rpcrdma_rep *rep,
				  struct rpc_rqst *rqst,
				  struct xprt_rdma2_look *look)
{
	const struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;
	const void *data = rdmab_data(rep->rr_rdmabuf);
	struct rpcrdma2_xmtresp *resp = &look->lk_resp;
	struct rpcrdma2_repterr fault = { };
	struct rpcrdma2_arrival arr;

	if (rpcrdma2_decode_xmtresp(data, msg, resp) ||
	    !xprt_rdma2_decode_sent(look, rpcr_to_rdmar(rqst)))
		return -EIO;
	trace_rpcrdma2_xmtresp(&r_xprt->rx_v2.vx_conn, msg->xid, resp, false);
	xprt_rdma2_arrival(r_xprt, resp, look->lk_parts, &arr);
	arr.limit = max(look->lk_sent.rsbuf, 1U);
	arr.nparts = xprt_rdma2_reply_parts(look, rep);
	if (!rpcrdma2_check_lead(&arr, NULL, &fault)) {
		xprt_rdma2_fault(r_xprt, rep, &fault);
		return -EIO;
	}
	if (arr.nparts != arr.count)
		return -EIO;
	if (!rpcrdma2_check_whole(&arr, NULL, &fault)) {
		xprt_rdma2_fault(r_xprt, rep, &fault);
		return -EIO;
	}
	if (!rpcrdma2_resp_matches(&look->lk_sent, resp) ||
	    !rpcrdma2_payload_sound(data + msg->hdrlen, resp->pslen, msg->xid,
				    RDMA2_REPLY))
		return -EIO;
	return xprt_rdma2_deliver(r_xprt, rep, rqst, look, &arr);
}

/* Decode a response. @rep: ROPT_XMTRESP that belongs to a Call sent by ROPT_XMTREQ.
 * @rqst: the Call, pinned, its memory not accessible to the server any more.
 * Context: receive handler, or the work item that has invalidated memory. Returns
 * the length of the RPC message, in bytes, or -EIO.
 */
static int xprt_rdma2_place_reply(struct rpcrdma_xprt *r_xprt,
				  struct rpcrdma_rep *rep,
				  struct rpc_rqst *rqst)
{
	struct xprt_rdma2_placement *vp = r_xprt->rx_ep->re_v2->ve_place;
	int ret;

	ret = xprt_rdma2_check_reply(r_xprt, rep, rqst,
				     &vp->vp_look[rep->rr_v2.vr_inv ?
						  XPRT_RDMA2_LOOK_INV :
						  XPRT_RDMA2_LOOK_RECV]);
	xprt_rdma2_put_conts(rep);
	if (ret < 0)
		rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_RPCS_FAILED);
	return ret;
}

/* Section: messages */

/* Find the Call that a reply is to, and take its grant. @rep: received reply, header
 * sound. Returns true if @rep is attached to one.
 */
static bool xprt_rdma2_matched(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;

	if (xprt_rdma2_pin_rqst(rep, false) != RPCRDMA2_CALL_AWAITED) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_UNMATCHED);
		trace_xprtrdma_reply_rqst_err(rep);
		return false;
	}
	xprt_rdma2_call_ended(rep, true);
	xprt_rdma2_granted(r_xprt->rx_ep->re_v2);
	trace_xprtrdma_reply(rep->rr_rqst->rq_task, rep, r_xprt->rx_buf.rb_credits);
	rpcrdma2_count(conn, RPCRDMA2_CNT_REPLIES_RECEIVED);
	return true;
}

/**
 * xprt_rdma2_resp_whole - process a response that is complete
 * @rep: its initial transmission, the others chained to it; goes with the Call if
 *	there is one
 *
 * Context: receive handler
 * Return: what is left to do
 */
enum xprt_rdma2_outcome xprt_rdma2_resp_whole(struct rpcrdma_rep *rep)
{
	struct rpcrdma2_conn *conn = &rep->rr_rxprt->rx_v2.vx_conn;

	if (!xprt_rdma2_matched(rep))
		return XPRT_RDMA2_O_DROP;
	rpcrdma2_count(conn, RPCRDMA2_CNT_XMTRESPS);
	if (!rpcr_to_rdmar(rep->rr_rqst)->rl_v2.vq_by_xmtreq) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_RPCS_FAILED);
		rep->rr_v2.vr_failed = true;
	}
	xprt_rdma2_complete(rep);
	return XPRT_RDMA2_O_TAKEN;
}

/* May a Call be answered by RDMA2_MSG? Not if there were directions, each of which
 * needs its answer. Context: receive handler.
 */
static bool xprt_rdma2_msg_will_do(struct rpcrdma_xprt *r_xprt,
				   const struct rpcrdma_req *req)
{
	struct xprt_rdma2_placement *vp = r_xprt->rx_ep->re_v2->ve_place;
	struct xprt_rdma2_look *look = &vp->vp_look[XPRT_RDMA2_LOOK_RECV];

	return !req->rl_v2.vq_by_xmtreq ||
	       (xprt_rdma2_decode_sent(look, req) && !look->lk_sent.nrsditems);
}

/**
 * xprt_rdma2_send_again - send a Call again by other means
 * @rep: message that says it cannot be processed, rr_xid being that of the
 *	Call; goes with the Call if that waits for an answer
 * @why: what that says of placement
 *
 * One that nobody waits for any more is not sent again, but what was said is
 * true all the same.
 *
 * Context: receive handler
 * Return: what is left to do
 */
enum xprt_rdma2_outcome xprt_rdma2_send_again(struct rpcrdma_rep *rep,
					      const char *why)
{
	enum rpcrdma2_call_was was = xprt_rdma2_pin_rqst(rep, true);
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;

	if (was != RPCRDMA2_CALL_UNKNOWN)
		xprt_rdma2_place_off(r_xprt, why);
	if (was != RPCRDMA2_CALL_AWAITED)
		return XPRT_RDMA2_O_DROP;
	xprt_rdma2_call_ended(rep, false);
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_XMTREQS_RESENT);
	rep->rr_v2.vr_again = true;
	xprt_rdma2_complete(rep);
	return XPRT_RDMA2_O_TAKEN;
}

/**
 * xprt_rdma2_reply - process a reply
 * @rep: received RDMA2_MSG or RDMA2_NOMSG in REPLY direction, header sound;
 *	goes with the Call if there is one
 *
 * Context: receive handler
 * Return: what is left to do
 */
enum xprt_rdma2_outcome xprt_rdma2_reply(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;
	struct rpcrdma_req *req;

	if (!xprt_rdma2_matched(rep))
		return XPRT_RDMA2_O_DROP;
	req = rpcr_to_rdmar(rep->rr_rqst);
	if (!xprt_rdma2_msg_will_do(r_xprt, req) ||
	    !rpcrdma2_reply_fits(rdmab_data(req->rl_rdmabuf),
				 req->rl_hdrbuf.len,
				 rdmab_data(rep->rr_rdmabuf), msg)) {
		rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_RPCS_FAILED);
		rep->rr_v2.vr_failed = true;
	}
	xprt_rdma2_complete(rep);
	return XPRT_RDMA2_O_TAKEN;
}

/**
 * xprt_rdma2_decode_reply - hand the content of a reply to its Call
 * @rep: received reply that was found sound and to fit the Call, or marked as
 *	failed, or marked as no reply; or ROPT_XMTRESP. The Call is pinned
 *
 * Return: length of the RPC message, in bytes, -EIO, or -EAGAIN if the Call is
 * to be sent again
 */
int xprt_rdma2_decode_reply(struct rpcrdma_rep *rep)
{
	const struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpc_rqst *rqst = rep->rr_rqst;
	u32 inline_len, placed;
	char *payload;

	if (rep->rr_v2.vr_failed)
		return -EIO;
	if (rep->rr_v2.vr_again)
		return -EAGAIN;
	if (msg->proc == RDMA2_OPTIONAL)
		return xprt_rdma2_place_reply(r_xprt, rep, rqst);
	if (msg->proc == RDMA2_NOMSG) {
		r_xprt->rx_stats.total_rdma_reply += msg->lists.reply_bytes;
		xprt_rdma2_memory_replied(r_xprt);
		return msg->lists.reply_bytes;
	}

	payload = rdmab_data(rep->rr_rdmabuf) + msg->hdrlen;
	inline_len = msg->length - msg->hdrlen;
	placed = msg->lists.write_bytes;
	r_xprt->rx_stats.fixup_copy_count +=
		rpcrdma_inline_fixup(rqst, payload, inline_len, placed);
	r_xprt->rx_stats.total_rdma_reply += placed;
	return inline_len + xdr_align_size(placed);
}
