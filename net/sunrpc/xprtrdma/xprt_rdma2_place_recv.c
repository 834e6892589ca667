// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: ROPT_XMTRESP, and reports.
 *
 * A response is looked at when no memory of its Call is accessible any more.
 * The Call's header is still there, as it was sent, and says what was asked
 * for. Data that was placed in the Receive is copied once, to the pages that
 * the file system has chosen; the rest of the reply stays where it is.
 */

#include <linux/sched.h>

#include "xprt_rdma2_place.h"
#include <trace/events/rpcrdma.h>
#include <trace/events/rpcrdma2.h>

/* All that the Call was, or could have been */
static const struct rpcrdma2_limits xprt_rdma2_sent_limits = {
	.opttypes	= BIT(ROPT_XMTREQ),
};

/*
 * Section: the content of a response
 */

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

/**
 * xprt_rdma2_keep_head - let the head of a reply be what is in the Receive
 * @sc: the reply
 * @piece: first piece of the RPC message, payload
 * @more: something follows it
 *
 * The file system has estimated how long the head may be at most. Data that
 * begins earlier goes to the first page all the same, so the head becomes as
 * long as it is.
 */
static void xprt_rdma2_keep_head(struct xprt_rdma2_scatter *sc,
				 const struct rpcrdma2_piece *piece, bool more)
{
	struct xdr_buf *buf = &sc->sc_rqst->rq_rcv_buf;
	u32 spare = 0;

	sc->sc_kept = min_t(u32, piece->length, buf->head[0].iov_len);
	if (more)
		spare = buf->head[0].iov_len - sc->sc_kept;
	buf->head[0].iov_base = sc->sc_data[0] + piece->offset;
	buf->head[0].iov_len -= spare;
	buf->buflen -= spare;
	sc->sc_rqst->rq_private_buf.head[0] = buf->head[0];
	sc->sc_rqst->rq_private_buf.buflen = buf->buflen;
}

/**
 * xprt_rdma2_put_piece - put a piece of a reply where it belongs
 * @sc: the reply, its head done
 * @piece: the piece
 *
 * What was written by explicit RDMA is where the Call's pages begin. Bytes that
 * only pad the end of the message may have no place.
 *
 * Return: false if it has no place
 */
static bool xprt_rdma2_put_piece(struct xprt_rdma2_scatter *sc,
				 const struct rpcrdma2_piece *piece)
{
	static u8 zeros[XDR_UNIT];
	const struct xdr_buf *buf = &sc->sc_rqst->rq_rcv_buf;
	u32 disp = piece->disp, offset = piece->offset, length = piece->length;

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
	return !length ||
	       !write_bytes_to_xdr_buf(buf, disp, sc->sc_data[piece->xnum] +
				       offset, length);
}

/**
 * xprt_rdma2_first_length - how much of a reply is in front of its items
 * @arr: the reply's pieces, found sound
 *
 * Return: a length in bytes
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

/**
 * xprt_rdma2_make_head - let the head of a reply be in the Call's own buffer
 * @sc: the reply
 * @length: how much of it is in front of its items, in bytes
 * @more: something follows that
 *
 * That is where it is put together if the Receive has only a part of it.
 */
static void xprt_rdma2_make_head(struct xprt_rdma2_scatter *sc, u32 length,
				 bool more)
{
	struct xdr_buf *buf = &sc->sc_rqst->rq_rcv_buf;
	u32 spare = 0;

	sc->sc_kept = 0;
	if (more && length < buf->head[0].iov_len)
		spare = buf->head[0].iov_len - length;
	buf->head[0].iov_len -= spare;
	buf->buflen -= spare;
	sc->sc_rqst->rq_private_buf.head[0] = buf->head[0];
	sc->sc_rqst->rq_private_buf.buflen = buf->buflen;
}

/**
 * xprt_rdma2_scatter - hand the pieces of a reply to its Call
 * @sc: the reply
 * @arr: its pieces, found sound
 *
 * Serves C-03, C-04.
 *
 * Return: false if the reply is longer than the Call allows
 */
static bool xprt_rdma2_scatter(struct xprt_rdma2_scatter *sc,
			       const struct rpcrdma2_arrival *arr)
{
	u32 first = xprt_rdma2_first_length(arr);
	bool more = first < rpcrdma2_virtual_length(arr);
	struct rpcrdma2_piece piece;
	struct rpcrdma2_walk walk;

	rpcrdma2_walk_begin(&walk, arr);
	if (!rpcrdma2_walk_next(&walk, &piece) ||
	    piece.kind != RPCRDMA2_PIECE_PAYLOAD)
		return false;
	if (piece.xnum || (piece.length < first &&
			   piece.length < sc->sc_rqst->rq_rcv_buf.head[0].iov_len))
		xprt_rdma2_make_head(sc, first, more);
	else
		xprt_rdma2_keep_head(sc, &piece, more);
	do {
		if (!xprt_rdma2_put_piece(sc, &piece))
			return false;
	} while (rpcrdma2_walk_next(&walk, &piece));
	return true;
}

/**
 * xprt_rdma2_count_items - count what became of the directions
 * @conn: connection
 * @resp: the response
 *
 * Return: bytes that explicit RDMA has written
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

/**
 * xprt_rdma2_deliver - hand the content of a response to its Call
 * @r_xprt: transport
 * @rep: the response
 * @rqst: the Call
 * @look: what is known of the response
 * @arr: the response's parts, found sound
 *
 * That may be a megabyte, with the next one behind it.
 *
 * Return: length of the RPC message, in bytes, or -EIO
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
					     rep->rr_v2.hdrlen, length, 0);
		return length;
	}
	if (!xprt_rdma2_scatter(&sc, arr))
		return -EIO;
	r_xprt->rx_stats.fixup_copy_count += sc.sc_copied;
	rpcrdma2_count_bytes(conn, RPCRDMA2_CNT_PLACED_COPIED, sc.sc_copied);
	return length;
}

/*
 * Section: checks of a response
 */

/**
 * xprt_rdma2_fault - report what is wrong with a response
 * @r_xprt: transport
 * @rep: the response
 * @fault: what is wrong: code and arguments
 *
 * Of a group it is found out when the last transmission is here. Serves E-02,
 * E-04, E-16, E-20, N-167, N-168, A-94.
 */
static void xprt_rdma2_fault(struct rpcrdma_xprt *r_xprt,
			     const struct rpcrdma_rep *rep,
			     struct rpcrdma2_repterr *fault)
{
	bool group = rep->rr_v2_xmts > 1;

	rpcrdma2_blame(fault, &rep->rr_v2, rep->rr_v2_xmts - 1, group);
	if (group) {
		fault->lead.xid = rep->rr_v2.xid;
		fault->lead.dir = rep->rr_v2.dir;
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

/**
 * xprt_rdma2_collect - look up the transmissions of a response
 * @look: what is known of the response, its content included; gets them
 * @rep: the response
 *
 * Return: how many there are
 */
static u32 xprt_rdma2_collect(struct xprt_rdma2_look *look,
			      const struct rpcrdma_rep *rep)
{
	u32 n = 1;

	look->lk_data[0] = rdmab_data(rep->rr_rdmabuf);
	look->lk_parts[0].length = rep->rr_v2.length;
	look->lk_parts[0].hdrlen = rep->rr_v2.hdrlen;
	look->lk_parts[0].pslen = look->lk_resp.pslen;
	for (rep = rep->rr_v2_next; rep && n < RPCRDMA2_MAX_XMTS;
	     rep = rep->rr_v2_next, n++) {
		look->lk_data[n] = rdmab_data(rep->rr_rdmabuf);
		look->lk_parts[n] = rep->rr_v2_part;
	}
	return n;
}

/**
 * xprt_rdma2_recall - look up what a Call has asked for
 * @look: gets the Call
 * @req: the Call, as it was sent
 *
 * Return: false if it does not parse, which cannot be
 */
static bool xprt_rdma2_recall(struct xprt_rdma2_look *look,
			      const struct rpcrdma_req *req)
{
	const void *header = rdmab_data(req->rl_rdmabuf);
	struct rpcrdma2_msg msg;

	return rpcrdma2_decode(header, req->rl_hdrbuf.len,
			       &xprt_rdma2_sent_limits, &msg) == RPCRDMA2_OK &&
	       !rpcrdma2_decode_xmtreq(header, &msg, &look->lk_sent);
}

/**
 * xprt_rdma2_check_reply - check a response, and hand on its content
 * @r_xprt: transport
 * @rep: the response
 * @rqst: the Call
 * @look: belongs to the caller
 *
 * A group that began before its Call had been posted was not kept (N-162), but
 * the Call may have been posted since. Serves N-164..N-169, P-28, S-14.
 *
 * Return: length of the RPC message, in bytes, or -EIO
 */
static int xprt_rdma2_check_reply(struct rpcrdma_xprt *r_xprt,
				  struct rpcrdma_rep *rep,
				  struct rpc_rqst *rqst,
				  struct xprt_rdma2_look *look)
{
	const struct rpcrdma2_msg *msg = &rep->rr_v2;
	const void *data = rdmab_data(rep->rr_rdmabuf);
	struct rpcrdma2_xmtresp *resp = &look->lk_resp;
	struct rpcrdma2_repterr fault = { };
	struct rpcrdma2_arrival arr;

	if (rpcrdma2_decode_xmtresp(data, msg, resp) ||
	    !xprt_rdma2_recall(look, rpcr_to_rdmar(rqst)))
		return -EIO;
	trace_rpcrdma2_xmtresp(&r_xprt->rx_v2.vx_conn, msg->xid, resp, false);
	xprt_rdma2_arrival(r_xprt, resp, look->lk_parts, &arr);
	arr.limit = max(look->lk_sent.rsbuf, 1U);
	arr.nparts = xprt_rdma2_collect(look, rep);
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

/**
 * xprt_rdma2_place_reply - decode a response
 * @r_xprt: transport
 * @rep: ROPT_XMTRESP that belongs to a Call sent by ROPT_XMTREQ
 * @rqst: the Call, pinned, its memory not accessible to the server any more
 *
 * Context: receive handler, or the work item that has invalidated memory
 *
 * Return: length of the RPC message, in bytes, or -EIO
 */
int xprt_rdma2_place_reply(struct rpcrdma_xprt *r_xprt,
			   struct rpcrdma_rep *rep, struct rpc_rqst *rqst)
{
	struct xprt_rdma2_place *vp = r_xprt->rx_ep->re_v2->ve_place;
	int ret;

	ret = xprt_rdma2_check_reply(r_xprt, rep, rqst,
				     &vp->vp_look[rep->rr_v2_inv ?
						  XPRT_RDMA2_LOOK_INV :
						  XPRT_RDMA2_LOOK_RECV]);
	xprt_rdma2_put_conts(rep);
	if (ret < 0)
		rpcrdma2_count(&r_xprt->rx_v2.vx_conn,
			       RPCRDMA2_CNT_RPCS_FAILED);
	return ret;
}

/*
 * Section: messages
 */

/**
 * xprt_rdma2_resp_whole - process a response that is complete
 * @rep: its initial transmission, the others chained to it; goes with the Call,
 *	or is released
 *
 * Serves N-162, N-163, N-172.
 *
 * Context: receive handler
 */
void xprt_rdma2_resp_whole(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;

	if (xprt_rdma2_pin_rqst(rep, false) != RPCRDMA2_CALL_AWAITED) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_UNMATCHED);
		trace_xprtrdma_reply_rqst_err(rep);
		xprt_rdma2_drop(rep);
		return;
	}
	xprt_rdma2_granted(r_xprt, &rep->rr_v2);
	trace_xprtrdma_reply(rep->rr_rqst->rq_task, rep,
			     r_xprt->rx_buf.rb_credits);
	rpcrdma2_count(conn, RPCRDMA2_CNT_REPLIES_RECEIVED);
	rpcrdma2_count(conn, RPCRDMA2_CNT_XMTRESPS);
	if (!rpcr_to_rdmar(rep->rr_rqst)->rl_v2_xmt) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_RPCS_FAILED);
		rep->rr_v2_failed = true;
	}
	xprt_rdma2_complete(rep);
}

/**
 * xprt_rdma2_xmtresp - process ROPT_XMTRESP
 * @rep: received message in REPLY direction, header sound; goes with the Call,
 *	is held, or is released
 *
 * Context: receive handler
 */
void xprt_rdma2_xmtresp(struct rpcrdma_rep *rep)
{
	if (xprt_rdma2_resp_lead(rep))
		xprt_rdma2_resp_whole(rep);
}

/**
 * xprt_rdma2_msg_will_do - may a Call be answered by RDMA2_MSG?
 * @r_xprt: transport
 * @req: the Call
 *
 * Not if there were directions, each of which needs its answer.
 *
 * Context: receive handler
 *
 * Return: true if it may
 */
bool xprt_rdma2_msg_will_do(struct rpcrdma_xprt *r_xprt,
			    const struct rpcrdma_req *req)
{
	struct xprt_rdma2_place *vp = r_xprt->rx_ep->re_v2->ve_place;
	struct xprt_rdma2_look *look = &vp->vp_look[XPRT_RDMA2_LOOK_RECV];

	return !req->rl_v2_xmt ||
	       (xprt_rdma2_recall(look, req) && !look->lk_sent.nrsditems);
}

/**
 * xprt_rdma2_send_again - send a Call again by other means
 * @rep: message that says it cannot be processed, rr_xid being that of the
 *	Call; goes with the Call
 * @why: what that says of placement
 *
 * One that nobody waits for any more is not sent again, but what was said is true
 * all the same. Serves E-17, E-20, A-69, A-96.
 *
 * Return: false if it is not about a Call that went by ROPT_XMTREQ and waits
 * for an answer; @rep stays with the caller then
 */
static bool xprt_rdma2_send_again(struct rpcrdma_rep *rep, const char *why)
{
	enum rpcrdma2_call_was was = xprt_rdma2_pin_rqst(rep, true);
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;

	if (was != RPCRDMA2_CALL_UNKNOWN)
		xprt_rdma2_place_off(r_xprt, why);
	if (was != RPCRDMA2_CALL_AWAITED)
		return false;
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_XMTREQS_RESENT);
	rep->rr_v2_again = true;
	xprt_rdma2_complete(rep);
	return true;
}

/**
 * xprt_rdma2_repterr - process ROPT_REPTERR
 * @rep: received message, header sound; goes with the Call it is about
 *
 * One about a response is about none of ours: reverse Calls are answered by
 * plain messages. One that names the beginning of a group is about the group.
 * Serves N-211..N-213, N-215, E-20.
 *
 * Context: receive handler
 *
 * Return: false if it is about nothing; @rep stays with the caller then
 */
bool xprt_rdma2_repterr(struct rpcrdma_rep *rep)
{
	struct rpcrdma2_conn *conn = &rep->rr_rxprt->rx_v2.vx_conn;
	const struct rpcrdma2_msg *msg = &rep->rr_v2;
	struct rpcrdma2_repterr report;
	struct rpcrdma2_xmsid about;

	if (rpcrdma2_decode_repterr(rdmab_data(rep->rr_rdmabuf), msg, &report))
		return false;
	rpcrdma2_count(conn, RPCRDMA2_CNT_REPTERR_RECEIVED);
	rpcrdma2_conn_reported(conn, &report, false);
	if (!rpcrdma2_repterr_about(msg, &report, &about) ||
	    about.dir != RDMA2_CALL)
		return false;
	rep->rr_xid = about.xid;
	return xprt_rdma2_send_again(rep, "off: server reported an error");
}

/**
 * xprt_rdma2_xmt_refused - process INVAL_OPTION
 * @rep: received RDMA2_ERROR; goes with the Call it is about
 *
 * Serves, N-49.
 *
 * Context: receive handler
 *
 * Return: false if it is about no ROPT_XMTREQ; @rep stays with the caller then
 */
bool xprt_rdma2_xmt_refused(struct rpcrdma_rep *rep)
{
	return xprt_rdma2_send_again(rep, "off: server refused it");
}
