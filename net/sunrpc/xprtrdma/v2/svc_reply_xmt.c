// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: replies to Calls with placed data.
 *
 * A Call that came by ROPT_XMTREQ says how each item of its reply is to go:
 * placed in the peer's Receive, written by RDMA, or either. nfsd announces the
 * items of a reply in order, but does not say to which operation each of them
 * belongs; so directions are obeyed only if they hold for the whole Call (P-31).
 * What cannot go as it should stays in the payload stream, if it fits there.
 *
 * A reply that is longer than the peer's Receives takes several transmissions,
 * up to as many as the Call has reserved Receives for. How they are put together
 * is for svc_send.c.
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc.h>

#include "svc.h"
#include <trace/events/rpcrdma2.h>

/* Section: replies that cannot be conveyed */

/* Number of a chunk's last segment. @chunk: one of its Write chunks, or its Reply
 * chunk. Returns the number, counted from 1 through all Write chunks and then the
 * Reply chunk (B-68).
 */
static u32 svc_rdma2_segment_index(const struct svc_rdma_recv_ctxt *rctxt,
				   const struct svc_rdma_chunk *chunk)
{
	const struct svc_rdma_chunk *pos;
	u32 index = 0;

	pcl_for_each_chunk(pos, &rctxt->rc_write_pcl) {
		index += pos->ch_segcount;
		if (pos == chunk)
			return index;
	}
	return index + chunk->ch_segcount;
}

/**
 * svc_rdma2_cant_reply - note that a reply cannot be conveyed
 * @rctxt: received Call; the first reason is kept
 * @chunk: chunk that is too small, or NULL if there is none to name
 * @length: what would have to fit, in bytes
 *
 * Segments are filled in order, so it is the last one that is too short.
 * Without a segment to name the length is that of the reply.
 */
void svc_rdma2_cant_reply(struct svc_rdma_recv_ctxt *rctxt,
			  const struct svc_rdma_chunk *chunk, u32 length)
{
	struct rpcrdma2_error *err = &rctxt->rc_v2->rv_cant_reply;
	const struct svc_rdma_segment *last;

	if (err->code)
		return;
	err->code = RDMA2_ERR_CANT_REPLY;
	err->processed = true;
	err->segment_index = 0;
	err->length_needed = length;
	if (!chunk || !chunk->ch_segcount)
		return;
	last = &chunk->ch_segments[chunk->ch_segcount - 1];
	err->segment_index = svc_rdma2_segment_index(rctxt, chunk);
	err->length_needed = length - (chunk->ch_length - last->rs_length);
}

/* Section: results */

/* Does the length of a result stand in front of it? Returns false if it does not, or
 * if the reply ends before the result does.
 */
static bool svc_rdma2_is_counted(const struct xdr_buf *xdr, u32 position,
				 u32 length)
{
	u32 count;

	if (position > xdr->len || xdr_align_size(length) > xdr->len - position)
		return false;
	return !xdr_decode_word(xdr, position - XDR_UNIT, &count) &&
	       count == length;
}

/**
 * svc_rdma2_locate - find where a result is in the reply
 * @xdr: the reply
 * @position: where it was announced to be, in bytes; set right
 * @length: its length, in bytes
 *
 * For READLINK of NFSv4 the position is that of the count in front of the
 * result.
 *
 * Return: false if the result is not there
 */
bool svc_rdma2_locate(const struct xdr_buf *xdr, u32 *position, u32 length)
{
	if (svc_rdma2_is_counted(xdr, *position, length))
		return true;
	*position += XDR_UNIT;
	return svc_rdma2_is_counted(xdr, *position, length);
}

/**
 * svc_rdma2_reply_wrapped - was a reply wrapped for integrity or privacy?
 * @rqstp: request with its reply
 *
 * Return: true if results are not where they were, and stay in the message
 * (A-88)
 */
bool svc_rdma2_reply_wrapped(const struct svc_rqst *rqstp)
{
	return rqstp->rq_cred.cr_flavor == RPC_AUTH_GSS_KRB5I ||
	       rqstp->rq_cred.cr_flavor == RPC_AUTH_GSS_KRB5P;
}

/* Section: items of the reply */

/**
 * svc_rdma2_add_result - note an item of the reply
 * @rctxt: received Call that came by ROPT_XMTREQ
 * @position: where the item is, in bytes
 * @length: its length, in bytes; an item of no bytes counts, too
 *
 * Items for which there can be no direction are not looked at.
 */
void svc_rdma2_add_result(struct svc_rdma_recv_ctxt *rctxt, u32 position,
			  u32 length)
{
	struct svc_rdma2_call *xmt = rctxt->rc_v2->rv_call;

	if (xmt->xm_nresults == ARRAY_SIZE(xmt->xm_results))
		return;
	xmt->xm_results[xmt->xm_nresults].position = position;
	xmt->xm_results[xmt->xm_nresults].length = length;
	xmt->xm_nresults++;
}

/* Find out which items can be told apart. @rp: gets their number. An item that is
 * not where it was announced, because the reply was truncated, makes all that follow
 * doubtful. In a reply that is wrapped for integrity or privacy there are none
 * (A-88, P-40).
 */
static void svc_rdma2_sort_results(struct svc_rdma2_reply *rp)
{
	struct svc_rdma2_call *xmt = rp->rp_rctxt->rc_v2->rv_call;
	struct svc_rdma2_result *result;
	u32 behind = 0, i;

	rp->rp_nresults = 0;
	if (svc_rdma2_reply_wrapped(rp->rp_rqstp) ||
	    !rpcrdma2_rsd_sole(&xmt->xm_req, xmt->xm_length))
		return;
	for (i = 0; i < xmt->xm_nresults; i++) {
		result = &xmt->xm_results[i];
		if (!svc_rdma2_locate(&rp->rp_rqstp->rq_res, &result->position,
				      result->length) ||
		    result->position < behind)
			return;
		behind = result->position + xdr_align_size(result->length);
		rp->rp_nresults++;
	}
}

/* Section: how each of them is to go */

/* Note that memory offered for an item is too small (N-151). */
static void svc_rdma2_short_target(struct svc_rdma2_reply *rp,
				   const struct rpcrdma2_rsditem *want,
				   u32 length)
{
	struct rpcrdma2_error *err = &rp->rp_rctxt->rc_v2->rv_cant_reply;
	const struct rpcrdma2_xmtreq *req = &rp->rp_rctxt->rc_v2->rv_call->xm_req;

	err->code = RDMA2_ERR_CANT_REPLY;
	err->processed = true;
	err->segment_index = 0;
	err->length_needed = rp->rp_rqstp->rq_res.len;
	if (!want->count)
		return;
	err->segment_index = rpcrdma2_rsd_segment(req, want);
	err->length_needed = length - rpcrdma2_segs_length(&req->pool,
							   want->first,
							   want->count - 1);
}

/* Let an item be written by RDMA. @want: its direction, which offers enough memory.
 * @item: its length is set. What is not used comes back with a length of zero
 * (A-75).
 */
static void svc_rdma2_set_written(struct svc_rdma2_reply *rp,
				  const struct rpcrdma2_rsditem *want,
				  struct rpcrdma2_mitem *item)
{
	const struct rpcrdma2_segpool *from =
		&rp->rp_rctxt->rc_v2->rv_call->xm_req.pool;
	struct rpcrdma2_segpool *pool = &rp->rp_resp.pool;
	u32 left = item->length, i;

	item->first = pool->nsegs;
	item->count = want->count;
	for (i = 0; i < want->count; i++) {
		struct rpcrdma2_segment *seg = &pool->segs[pool->nsegs++];

		*seg = from->segs[want->first + i];
		seg->length = min(seg->length, left);
		left -= seg->length;
	}
	rp->rp_nwritten++;
}

/* Say how an item is to go. Returns false if the reply cannot be conveyed. */
static bool svc_rdma2_set_item(struct svc_rdma2_reply *rp, u32 n,
			       const struct rpcrdma2_rsditem *want, bool place)
{
	const struct svc_rdma2_call *xmt = rp->rp_rctxt->rc_v2->rv_call;
	const struct svc_rdma2_result *result = &xmt->xm_results[n];
	struct rpcrdma2_mitem *item = &rp->rp_resp.items[n];
	bool fits;

	memset(item, 0, sizeof(*item));
	item->type = XMPTYPE_NOITEM;
	if (n >= rp->rp_nresults)
		return true;

	fits = rpcrdma2_segs_length(&xmt->xm_req.pool, want->first,
				    want->count) >= result->length;
	item->disp = result->position;
	item->length = result->length;
	item->type = rpcrdma2_rsd_result(want, result->length, place, fits);
	if (item->type == XMPTYPE_EXRW) {
		svc_rdma2_set_written(rp, want, item);
	} else if (item->type == XMPTYPE_TBSN) {
		rp->rp_placed[rp->rp_nplaced] = n;
		rp->rp_lengths[rp->rp_nplaced++] = item->length;
	} else if (want->type == XMPTYPE_EXRW && item->length &&
		   item->length >= want->minlen) {
		svc_rdma2_short_target(rp, want, item->length);
		return false;
	}
	return true;
}

/* Say how all items are to go (P-28..P-30). @barred: items from this one on are not
 * to be placed. Returns false if the reply cannot be conveyed.
 */
static bool svc_rdma2_set_items(struct svc_rdma2_reply *rp, u32 barred)
{
	const struct rpcrdma2_xmtreq *req = &rp->rp_rctxt->rc_v2->rv_call->xm_req;
	u32 i;

	rp->rp_nplaced = 0;
	rp->rp_nwritten = 0;
	rp->rp_resp.pool.nsegs = 0;
	rp->rp_resp.nitems = req->nrsditems;
	rp->rp_send.se_nitems = req->nrsditems;
	for (i = 0; i < req->nrsditems; i++)
		if (!svc_rdma2_set_item(rp, i, &req->rsditems[i], i < barred))
			return false;
	rp->rp_hdrlen = rpcrdma2_xmtresp_size(rp->rp_resp.nitems,
					      rp->rp_nplaced, rp->rp_nwritten,
					      rp->rp_resp.pool.nsegs);
	return true;
}

/* Add up what stays in the payload stream. */
static void svc_rdma2_set_pslen(struct svc_rdma2_reply *rp)
{
	const struct rpcrdma2_xmtresp *resp = &rp->rp_resp;
	u32 i;

	rp->rp_pslen = rp->rp_rqstp->rq_res.len;
	for (i = 0; i < resp->nitems; i++)
		if (rpcrdma2_is_excised(&resp->items[i]))
			rp->rp_pslen -= xdr_align_size(resp->items[i].length);
}

/* Decide how the reply is to go (A-83, P-38, X-72). As many items are placed as fit,
 * from the first one on; what is not placed may make the payload longer, which
 * leaves less room. Returns false if the reply cannot be conveyed, and the reason is
 * noted.
 */
static bool svc_rdma2_plan_reply(struct svc_rdma2_reply *rp)
{
	struct rpcrdma2_conn *conn = &rp->rp_rdma->sc_v2->sv_conn;
	u32 barred = 0;

	if (rpcrdma2_plt_count(&rp->rp_rb) &&
	    !READ_ONCE(rp->rp_rdma->sc_v2->sv_place.pl_off))
		barred = RPCRDMA2_MAX_MITEMS;
	for (;;) {
		if (!svc_rdma2_set_items(rp, barred))
			return false;
		svc_rdma2_set_pslen(rp);
		if (rpcrdma2_plan(&rp->rp_send.se_plan, &rp->rp_to,
				  rp->rp_hdrlen, rp->rp_pslen, rp->rp_lengths,
				  rp->rp_nplaced))
			return true;
		if (!rp->rp_nplaced)
			break;
		barred = rp->rp_placed[rp->rp_nplaced - 1];
		rpcrdma2_count(conn, RPCRDMA2_CNT_PLACE_FALLBACKS);
	}
	svc_rdma2_cant_reply(rp->rp_rctxt, NULL, rp->rp_rqstp->rq_res.len);
	return false;
}

/* Section: RDMA Writes */

/* Have an item written by RDMA. @item: the item, XMPTYPE_EXRW. Returns false if
 * memory is exhausted.
 */
static bool svc_rdma2_add_write(struct svc_rdma2_reply *rp,
				const struct rpcrdma2_mitem *item)
{
	struct svc_rdma_pcl *pcl = &rp->rp_rctxt->rc_write_pcl;
	const struct rpcrdma2_segment *seg;
	struct svc_rdma_chunk *chunk;
	u32 i;

	chunk = kzalloc(struct_size(chunk, ch_segments, item->count), GFP_KERNEL);
	if (!chunk)
		return false;
	chunk->ch_position = item->disp;
	chunk->ch_payload_length = item->length;
	chunk->ch_length = item->length;
	chunk->ch_segcount = item->count;
	for (i = 0; i < item->count; i++) {
		seg = &rp->rp_resp.pool.segs[item->first + i];
		chunk->ch_segments[i].rs_handle = seg->handle;
		chunk->ch_segments[i].rs_length = seg->length;
		chunk->ch_segments[i].rs_offset = seg->offset;
	}
	list_add_tail(&chunk->ch_list, &pcl->cl_chunks);
	pcl->cl_count++;
	return true;
}

/* Prepare all RDMA Writes of a reply. Returns 0 or a negative errno. */
static int svc_rdma2_prepare_writes(struct svc_rdma2_reply *rp)
{
	u32 i;

	for (i = 0; i < rp->rp_resp.nitems; i++)
		if (rp->rp_resp.items[i].type == XMPTYPE_EXRW &&
		    !svc_rdma2_add_write(rp, &rp->rp_resp.items[i]))
			return -ENOMEM;
	return svc_rdma_prepare_write_list(rp->rp_rdma, rp->rp_rctxt,
					   rp->rp_sctxt, &rp->rp_rqstp->rq_res);
}

/* Section: sending */

/* Is the page with head and tail of a reply under I/O? It always is the thread's own,
 * and the first one: nfsd puts those of files behind it. Returns false if all that is
 * sent of it is copied.
 */
static bool svc_rdma2_head_in_use(const struct svc_rdma2_reply *rp)
{
	const struct svc_rdma2_sending *se = &rp->rp_send;
	const struct svc_rqst *rqstp = rp->rp_rqstp;

	return se->se_uses_kvecs ||
	       rp->rp_sctxt->sc_wr_chain != &se->se_ctxts[0]->sc_send_wr ||
	       (rqstp->rq_res.page_len &&
		rqstp->rq_res.pages <= rqstp->rq_respages) ||
	       rqstp->rq_next_page <= rqstp->rq_respages;
}

/**
 * svc_rdma2_leave_pages - decide what becomes of a reply's pages
 * @rp: reply, put together or given up
 * @built: all of its Sends are put together
 *
 * Pages under I/O go to the Send completion. The page of the head mostly is not one of
 * them, and stays with the thread for its next reply: to allocate, clear and free one
 * takes longer than to copy the head.
 */
void svc_rdma2_leave_pages(struct svc_rdma2_reply *rp, bool built)
{
	struct svc_rqst *rqstp = rp->rp_rqstp;

	if (built && !svc_rdma2_head_in_use(rp)) {
		rqstp->rq_next_page--;
		swap(*rqstp->rq_respages, *rqstp->rq_next_page);
	}
	svc_rdma_save_io_pages(rqstp, rp->rp_sctxt);
}

/* Write the header of a reply. Returns 0 or -EMSGSIZE. */
static int svc_rdma2_encode_resp(struct svc_rdma2_reply *rp,
				 const struct rpcrdma2_hdr *hdr)
{
	const struct rpcrdma2_plan *plan = &rp->rp_send.se_plan;
	struct rpcrdma2_xmtresp *resp = &rp->rp_resp;
	int len;
	u32 i;

	resp->count = plan->nxmts;
	resp->pslen = plan->xmts[0].pslen;
	resp->pool.ntbsns = 0;
	for (i = 0; i < rp->rp_nplaced; i++)
		if (!rpcrdma2_plan_item(plan, i, &resp->items[rp->rp_placed[i]],
					&resp->pool))
			return -EMSGSIZE;
	len = rpcrdma2_encode_xmtresp(rp->rp_send.se_ctxts[0]->sc_xprt_buf,
				      rp->rp_rdma->sc_max_req_size, hdr, resp);
	if (len < 0)
		return len;
	/* Items would not be where the header says */
	return WARN_ON_ONCE(len != plan->xmts[0].hdrlen) ? -EIO : 0;
}

/* Send a reply that is put together. No handle is nominated by ROPT_XMTREQ, so there
 * is nothing to invalidate (A-24, B-42). Returns 0 or a negative errno.
 */
static int svc_rdma2_post_resp(struct svc_rdma2_reply *rp,
			       const struct rpcrdma2_hdr *hdr)
{
	struct svc_rdma2 *v2 = rp->rp_rdma->sc_v2;
	struct rpcrdma2_conn *conn = &v2->sv_conn;
	u32 i, placed = 0;
	int ret;

	for (i = 0; i < rp->rp_nplaced; i++)
		placed += rp->rp_lengths[i];
	/* before it can be answered */
	rpcrdma2_recent_add(&v2->sv_place.pl_recent, hdr->xid);
	trace_rpcrdma2_xmtresp(conn, hdr->xid, &rp->rp_resp, true);
	ret = svc_rdma2_sending_post(&rp->rp_send, hdr);
	if (ret < 0)
		return ret;
	rpcrdma2_count(conn, RPCRDMA2_CNT_REPLIES_SENT);
	rpcrdma2_count(conn, RPCRDMA2_CNT_XMTRESPS);
	rpcrdma2_count_bytes(conn, RPCRDMA2_CNT_PLACED_SENT, placed);
	return 0;
}

/* Find out what the peer can take. It has reserved Receives for the reply (A-68,
 * C-14, N-150).
 */
static void svc_rdma2_set_dest(struct svc_rdma2_reply *rp)
{
	const struct svc_rdma2_call *xmt = rp->rp_rctxt->rc_v2->rv_call;
	struct svc_rdma2 *v2 = rp->rp_rdma->sc_v2;

	rp->rp_to.rb = &rp->rp_rb;
	rp->rp_to.limit = rpcrdma2_conn_peer_struct(&v2->sv_conn, &rp->rp_rb);
	rp->rp_to.max_xmts = clamp(xmt->xm_req.rsbuf, 1U,
				   v2->sv_assembly.ra_replies);
}

/* Get all parts of a reply ready to be sent. Returns 0, -E2BIG if the reply cannot
 * be conveyed, or another negative errno.
 */
static int svc_rdma2_prepare_resp(struct svc_rdma2_reply *rp,
				  const struct rpcrdma2_hdr *hdr)
{
	int ret;

	rp->rp_send.se_items = rp->rp_resp.items;
	rp->rp_send.se_placed = rp->rp_placed;
	svc_rdma2_set_dest(rp);
	svc_rdma2_sort_results(rp);
	if (!svc_rdma2_plan_reply(rp))
		return -E2BIG;
	ret = svc_rdma2_sending_get(&rp->rp_send, rp->rp_sctxt);
	if (ret < 0)
		return ret;
	ret = svc_rdma2_prepare_writes(rp);
	if (ret < 0)
		return ret;
	ret = svc_rdma2_encode_resp(rp, hdr);
	if (ret < 0)
		return ret == -EMSGSIZE ? -E2BIG : ret;
	return svc_rdma2_sending_build(&rp->rp_send, hdr, ROPT_XMTRESP);
}

/**
 * svc_rdma2_send_xmtresp - send the reply to a Call that came by ROPT_XMTREQ
 * @rp: reply; if it cannot be conveyed, the reason is noted
 * @hdr: first fields of its headers
 *
 * Context: service thread, may sleep
 * Return: 0, -E2BIG or -EINVAL if the reply cannot be conveyed as it is, or
 * another negative errno
 */
int svc_rdma2_send_xmtresp(struct svc_rdma2_reply *rp,
			   const struct rpcrdma2_hdr *hdr)
{
	int ret;

	ret = svc_rdma2_prepare_resp(rp, hdr);
	svc_rdma2_leave_pages(rp, !ret);
	return ret ?: svc_rdma2_post_resp(rp, hdr);
}
