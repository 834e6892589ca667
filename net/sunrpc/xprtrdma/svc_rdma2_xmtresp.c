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
 * is for svc_rdma2_xmtsend.c.
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc.h>

#include "svc_rdma2.h"
#include <trace/events/rpcrdma2.h>

/**
 * struct svc_rdma2_reply - a reply that is being prepared
 * @rp_rdma: connection
 * @rp_rctxt: received Call
 * @rp_sctxt: Send context for the reply, or for the error instead
 * @rp_rqstp: request with the reply
 * @rp_to: what the peer can take
 * @rp_rb: structure of the peer's Receives
 * @rp_nresults: items of the reply that can be told apart
 * @rp_hdrlen: length of the header, in bytes, without numbers of segments
 * @rp_nplaced: items that are placed
 * @rp_placed: which these are
 * @rp_lengths: their lengths, in bytes
 * @rp_pslen: length of the payload stream, in bytes
 * @rp_send: the transmissions
 * @rp_resp: header of the reply
 */
struct svc_rdma2_reply {
	struct svcxprt_rdma		*rp_rdma;
	struct svc_rdma_recv_ctxt	*rp_rctxt;
	struct svc_rdma_send_ctxt	*rp_sctxt;
	struct svc_rqst			*rp_rqstp;
	struct rpcrdma2_dest		rp_to;
	struct rpcrdma2_rbstruct	rp_rb;
	u32				rp_nresults;
	u32				rp_hdrlen;
	u32				rp_nplaced;
	u32				rp_placed[RPCRDMA2_MAX_MITEMS];
	u32				rp_lengths[RPCRDMA2_MAX_MITEMS];
	u32				rp_pslen;
	struct svc_rdma2_sending	rp_send;
	struct rpcrdma2_xmtresp		rp_resp;
};

/**
 * svc_rdma2_reply_cache - have memory for replies
 * @ctor: what constructs a piece of it
 *
 * Return: the cache, or NULL if memory is exhausted
 */
struct kmem_cache *svc_rdma2_reply_cache(void (*ctor)(void *))
{
	return kmem_cache_create("svc_rdma2_reply",
				 sizeof(struct svc_rdma2_reply), 0, 0, ctor);
}

/* Sizes of parts of optxmt_resp, in bytes */
enum {
	SVC_RDMA2_RESP_FIXED	= 3 * XDR_UNIT,	/* count of items, count, pslen */
	SVC_RDMA2_MITEM_FIXED	= 3 * XDR_UNIT,	/* disp, length, type */
	SVC_RDMA2_TBSN_FIXED	= 2 * XDR_UNIT,	/* offset, count of numbers */
	SVC_RDMA2_EXRW_FIXED	= XDR_UNIT,	/* count of segments */
	SVC_RDMA2_SEGMENT_SIZE	= 4 * XDR_UNIT,
};

/*
 * Section: items of the reply
 */

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
	struct svc_rdma2_xmt *xmt = rctxt->rc_v2->rv_xmt;

	if (xmt->xm_nresults == ARRAY_SIZE(xmt->xm_results))
		return;
	xmt->xm_results[xmt->xm_nresults].position = position;
	xmt->xm_results[xmt->xm_nresults].length = length;
	xmt->xm_nresults++;
}

/**
 * svc_rdma2_sort_results - find out which items can be told apart
 * @rp: reply; gets their number
 *
 * An item that is not where it was announced, because the reply was truncated,
 * makes all that follow doubtful. In a reply that is wrapped for integrity or
 * privacy there are none (A-88, P-40).
 */
static void svc_rdma2_sort_results(struct svc_rdma2_reply *rp)
{
	struct svc_rdma2_xmt *xmt = rp->rp_rctxt->rc_v2->rv_xmt;
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

/*
 * Section: how each of them is to go
 */

/**
 * svc_rdma2_short_target - note that memory offered for an item is too small
 * @rp: reply
 * @want: its direction
 * @length: its length, in bytes
 *
 * Serves N-151.
 */
static void svc_rdma2_short_target(struct svc_rdma2_reply *rp,
				   const struct rpcrdma2_rsditem *want,
				   u32 length)
{
	struct rpcrdma2_error *err = &rp->rp_rctxt->rc_v2->rv_cant_reply;
	const struct rpcrdma2_xmtreq *req = &rp->rp_rctxt->rc_v2->rv_xmt->xm_req;

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

/**
 * svc_rdma2_set_written - let an item be written by RDMA
 * @rp: reply
 * @want: its direction, which offers enough memory
 * @item: OUT: the item; its length is set
 *
 * What is not used comes back with a length of zero.
 */
static void svc_rdma2_set_written(struct svc_rdma2_reply *rp,
				  const struct rpcrdma2_rsditem *want,
				  struct rpcrdma2_mitem *item)
{
	const struct rpcrdma2_pool *from =
		&rp->rp_rctxt->rc_v2->rv_xmt->xm_req.pool;
	struct rpcrdma2_pool *pool = &rp->rp_resp.pool;
	u32 left = item->length, i;

	item->first = pool->nsegs;
	item->count = want->count;
	for (i = 0; i < want->count; i++) {
		struct rpcrdma2_segment *seg = &pool->segs[pool->nsegs++];

		*seg = from->segs[want->first + i];
		seg->length = min(seg->length, left);
		left -= seg->length;
	}
	rp->rp_hdrlen += SVC_RDMA2_EXRW_FIXED +
			 want->count * SVC_RDMA2_SEGMENT_SIZE;
}

/**
 * svc_rdma2_set_item - say how an item is to go
 * @rp: reply
 * @n: which one
 * @want: its direction
 * @place: placement may be used
 *
 * Return: false if the reply cannot be conveyed
 */
static bool svc_rdma2_set_item(struct svc_rdma2_reply *rp, u32 n,
			       const struct rpcrdma2_rsditem *want, bool place)
{
	const struct svc_rdma2_xmt *xmt = rp->rp_rctxt->rc_v2->rv_xmt;
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
		rp->rp_hdrlen += SVC_RDMA2_TBSN_FIXED;
	} else if (want->type == XMPTYPE_EXRW && item->length &&
		   item->length >= want->minlen) {
		svc_rdma2_short_target(rp, want, item->length);
		return false;
	}
	return true;
}

/**
 * svc_rdma2_set_items - say how all items are to go
 * @rp: reply
 * @barred: items from this one on are not to be placed
 *
 * Serves P-28..P-30.
 *
 * Return: false if the reply cannot be conveyed
 */
static bool svc_rdma2_set_items(struct svc_rdma2_reply *rp, u32 barred)
{
	const struct rpcrdma2_xmtreq *req = &rp->rp_rctxt->rc_v2->rv_xmt->xm_req;
	u32 i;

	rp->rp_nplaced = 0;
	rp->rp_resp.pool.nsegs = 0;
	rp->rp_resp.nitems = req->nrsditems;
	rp->rp_send.se_nitems = req->nrsditems;
	rp->rp_hdrlen = RPCRDMA2_OPT_SIZE + SVC_RDMA2_RESP_FIXED +
			req->nrsditems * SVC_RDMA2_MITEM_FIXED;
	for (i = 0; i < req->nrsditems; i++)
		if (!svc_rdma2_set_item(rp, i, &req->rsditems[i], i < barred))
			return false;
	return true;
}

/**
 * svc_rdma2_set_pslen - add up what stays in the payload stream
 * @rp: reply whose items are set
 */
static void svc_rdma2_set_pslen(struct svc_rdma2_reply *rp)
{
	const struct rpcrdma2_xmtresp *resp = &rp->rp_resp;
	u32 i;

	rp->rp_pslen = rp->rp_rqstp->rq_res.len;
	for (i = 0; i < resp->nitems; i++)
		if (rpcrdma2_is_excised(&resp->items[i]))
			rp->rp_pslen -= xdr_align_size(resp->items[i].length);
}

/**
 * svc_rdma2_plan_reply - decide how the reply is to go
 * @rp: reply
 *
 * As many items are placed as fit, from the first one on; what is not placed
 * may make the payload longer, which leaves less room. Serves A-83, P-38, X-72.
 *
 * Return: false if the reply cannot be conveyed, and the reason is noted
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

/*
 * Section: RDMA Writes
 */

/**
 * svc_rdma2_add_write - have an item written by RDMA
 * @rp: reply
 * @item: the item, XMPTYPE_EXRW
 *
 * Return: false if memory is exhausted
 */
static bool svc_rdma2_add_write(struct svc_rdma2_reply *rp,
				const struct rpcrdma2_mitem *item)
{
	struct svc_rdma_pcl *pcl = &rp->rp_rctxt->rc_write_pcl;
	const struct rpcrdma2_segment *seg;
	struct svc_rdma_chunk *chunk;
	u32 i;

	chunk = kzalloc(struct_size(chunk, ch_segments, item->count),
			GFP_KERNEL);
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

/**
 * svc_rdma2_prepare_writes - prepare all RDMA Writes of a reply
 * @rp: reply that is planned
 *
 * Return: 0 or a negative errno
 */
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

/*
 * Section: sending
 */

/**
 * svc_rdma2_encode_resp - write the header of a reply
 * @rp: reply that is planned
 * @hdr: first fields
 *
 * Return: 0 or -EMSGSIZE
 */
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

/**
 * svc_rdma2_note_reply - count a reply, before it can be answered
 * @rp: reply that is put together
 */
static void svc_rdma2_note_reply(struct svc_rdma2_reply *rp)
{
	struct svc_rdma2 *v2 = rp->rp_rdma->sc_v2;
	struct rpcrdma2_conn *conn = &v2->sv_conn;
	__be32 xid = rp->rp_rctxt->rc_v2->rv_msg.xid;

	rpcrdma2_recent_add(&v2->sv_place.pl_recent, xid);
	trace_rpcrdma2_xmtresp(conn, xid, &rp->rp_resp, true);
}

/**
 * svc_rdma2_post_reply - send a reply that is put together
 * @rp: reply
 * @hdr: first fields of its headers
 *
 * No handle is nominated by ROPT_XMTREQ, so there is nothing to invalidate
 * (A-24, B-42).
 *
 * Return: 0 or a negative errno
 */
static int svc_rdma2_post_reply(struct svc_rdma2_reply *rp,
				const struct rpcrdma2_hdr *hdr)
{
	struct rpcrdma2_conn *conn = &rp->rp_rdma->sc_v2->sv_conn;
	u32 i, placed = 0;
	int ret;

	for (i = 0; i < rp->rp_nplaced; i++)
		placed += rp->rp_lengths[i];
	svc_rdma2_note_reply(rp);
	ret = svc_rdma2_sending_post(&rp->rp_send, hdr);
	if (ret < 0)
		return ret;
	rpcrdma2_count(conn, RPCRDMA2_CNT_REPLIES_SENT);
	rpcrdma2_count(conn, RPCRDMA2_CNT_XMTRESPS);
	rpcrdma2_count_bytes(conn, RPCRDMA2_CNT_PLACED_SENT, placed);
	return 0;
}

/**
 * svc_rdma2_set_dest - find out what the peer can take
 * @rp: reply
 *
 * It has reserved Receives for the reply (A-68, C-14, N-150).
 */
static void svc_rdma2_set_dest(struct svc_rdma2_reply *rp)
{
	const struct svc_rdma2_xmt *xmt = rp->rp_rctxt->rc_v2->rv_xmt;
	struct svc_rdma2 *v2 = rp->rp_rdma->sc_v2;

	rp->rp_to.rb = &rp->rp_rb;
	rp->rp_to.limit = rpcrdma2_conn_peer_struct(&v2->sv_conn, &rp->rp_rb);
	rp->rp_to.max_xmts = clamp(xmt->xm_req.rsbuf, 1U,
				   v2->sv_groups.ra_replies);
}

/**
 * svc_rdma2_prepare_resp - get all parts of a reply ready to be sent
 * @rp: reply
 * @hdr: first fields of its headers
 *
 * Return: 0, -E2BIG if the reply cannot be conveyed, or another negative errno
 */
static int svc_rdma2_prepare_resp(struct svc_rdma2_reply *rp,
				  const struct rpcrdma2_hdr *hdr)
{
	int ret;

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
 * svc_rdma2_reply_init - begin to prepare a reply
 * @rp: OUT: the reply
 * @rdma: connection
 * @rctxt: received Call
 * @sctxt: Send context for the reply
 * @rqstp: request with its reply
 */
static void svc_rdma2_reply_init(struct svc_rdma2_reply *rp,
				 struct svcxprt_rdma *rdma,
				 struct svc_rdma_recv_ctxt *rctxt,
				 struct svc_rdma_send_ctxt *sctxt,
				 struct svc_rqst *rqstp)
{
	rp->rp_rdma = rdma;
	rp->rp_rctxt = rctxt;
	rp->rp_sctxt = sctxt;
	rp->rp_rqstp = rqstp;
	rp->rp_send.se_rdma = rdma;
	rp->rp_send.se_rqstp = rqstp;
	rp->rp_send.se_xdr = &rqstp->rq_res;
	rp->rp_send.se_items = rp->rp_resp.items;
	rp->rp_send.se_placed = rp->rp_placed;
	rp->rp_send.se_copy = false;
	rp->rp_send.se_gfp = GFP_KERNEL;
	rp->rp_send.se_held = 0;
}

/**
 * svc_rdma2_send_xmtresp - send the reply to a Call that came by ROPT_XMTREQ
 * @rdma: connection
 * @rctxt: received Call; if its reply cannot be conveyed, the reason is noted
 * @sctxt: Send context for the reply
 * @rqstp: request with its reply; pages under I/O go to the Send completion
 *
 * Serves A-72, C-14, P-20, P-26..P-31, P-38..P-40.
 *
 * Context: service thread, may sleep
 *
 * Return: 0, -E2BIG or -EINVAL if the reply cannot be conveyed as it is, or
 * another negative errno; @sctxt stays with the caller unless 0 is returned
 */
int svc_rdma2_send_xmtresp(struct svcxprt_rdma *rdma,
			   struct svc_rdma_recv_ctxt *rctxt,
			   struct svc_rdma_send_ctxt *sctxt,
			   struct svc_rqst *rqstp)
{
	struct svc_rdma2_reply *rp;
	const struct rpcrdma2_hdr hdr = {
		.xid	= rctxt->rc_v2->rv_msg.xid,
		.credit	= svc_rdma2_grant(rdma),
		.dir	= RDMA2_REPLY,
	};
	int ret;

	rp = kmem_cache_alloc(svc_rdma2_replies, GFP_KERNEL);
	if (!rp)
		return -ENOMEM;
	svc_rdma2_reply_init(rp, rdma, rctxt, sctxt, rqstp);
	ret = svc_rdma2_prepare_resp(rp, &hdr);
	svc_rdma_save_io_pages(rqstp, sctxt);
	if (!ret)
		ret = svc_rdma2_post_reply(rp, &hdr);
	svc_rdma2_sending_put(&rp->rp_send);
	kmem_cache_free(svc_rdma2_replies, rp);
	return ret;
}
