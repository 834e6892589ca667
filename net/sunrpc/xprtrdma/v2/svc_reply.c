// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: replies.
 *
 * A reply goes inline if header and body are not longer than what the peer
 * can receive, whether it offered a Reply chunk or not; otherwise by the Reply
 * chunk; otherwise it cannot be conveyed, and the peer is told so. The body is
 * the RPC message without what goes by Write chunks. Which way a reply takes
 * is known before anything is encoded, mapped or written.
 */

#include <linux/slab.h>
#include <linux/sunrpc/svc.h>

#include "../xprt_rdma.h"
#include "svc.h"
#include <trace/events/rpcrdma.h>

/**
 * svc_rdma2_result_payload - note an item of a reply
 * @rqstp: request
 * @offset: where the item is in the reply, in bytes
 * @length: its length, in bytes
 *
 * If it does not fit its Write chunk, the upper layer goes on, since the peer is
 * told by the transport.
 *
 * Return: 0
 */
int svc_rdma2_result_payload(struct svc_rqst *rqstp, unsigned int offset,
			     unsigned int length)
{
	struct svc_rdma_recv_ctxt *rctxt = rqstp->rq_xprt_ctxt;
	const struct svc_rdma_chunk *chunk = rctxt->rc_cur_result_payload;

	if (rctxt->rc_v2->rv_call) {
		svc_rdma2_add_result(rctxt, offset, length);
		return 0;
	}
	if (chunk && length > chunk->ch_length)
		svc_rdma2_cant_reply(rctxt, chunk, length);
	return svc_rdma_result_payload(rqstp, offset, length);
}

/* Section: how a reply is to go */

/* Withdraw results that are no longer in the reply. A result that was announced may
 * have been truncated since.
 */
static void svc_rdma2_check_payloads(struct svc_rqst *rqstp,
				     struct svc_rdma_recv_ctxt *rctxt)
{
	const struct xdr_buf *xdr = &rqstp->rq_res;
	struct svc_rdma_chunk *chunk;
	bool withdraw;

	if (pcl_is_empty(&rctxt->rc_write_pcl))
		return;
	withdraw = svc_rdma2_reply_wrapped(rqstp);
	pcl_for_each_chunk(chunk, &rctxt->rc_write_pcl) {
		if (!chunk->ch_payload_length)
			break;
		if (withdraw ||
		    !svc_rdma2_locate(xdr, &chunk->ch_position,
				      chunk->ch_payload_length)) {
			withdraw = true;
			chunk->ch_payload_length = 0;
		}
	}
}

/* Length of what does not go by Write chunks. Results fill Write chunks from the
 * first one on. Returns the length, in bytes.
 */
static u32 svc_rdma2_body_length(const struct svc_rdma_recv_ctxt *rctxt,
				 const struct xdr_buf *xdr)
{
	const struct svc_rdma_chunk *chunk;
	u32 length = xdr->len;

	pcl_for_each_chunk(chunk, &rctxt->rc_write_pcl) {
		if (!chunk->ch_payload_length)
			break;
		length -= pcl_chunk_end_offset(chunk) - chunk->ch_position;
	}
	return length;
}

/* Space that chunks take in a header. @pcl: Write chunks, or a Reply chunk. The
 * header of a Call that fit this end's Receives has room for what comes back of its
 * lists. Returns a length in bytes, without the word that ends the list.
 */
static u32 svc_rdma2_chunks_length(const struct svc_rdma_pcl *pcl)
{
	const struct svc_rdma_chunk *chunk;
	u32 length = 0;

	pcl_for_each_chunk(chunk, pcl)
		length += 2 * XDR_UNIT + chunk->ch_segcount *
			  rpcrdma_segment_maxsz * XDR_UNIT;
	return length;
}

/* Decide how a reply is to go. @rp: gets its plan. An unused
 * Reply chunk is removed, and what makes the reply impossible is noted. A header is
 * in one piece, in the buffer of a Send context, which may be smaller than what the
 * peer can receive. Returns false if the reply cannot be conveyed.
 */
static bool svc_rdma2_choose(struct svc_rdma2_reply *rp)
{
	struct rpcrdma2_conn *conn = &rp->rp_rdma->sc_v2->sv_conn;
	struct svc_rdma_recv_ctxt *rctxt = rp->rp_rctxt;
	const struct svc_rdma_chunk *chunk = pcl_first_chunk(&rctxt->rc_reply_pcl);
	u32 rbsiz = rpcrdma2_conn_send_limit(conn), body = rp->rp_pslen;
	u32 room = min_t(u32, rbsiz, rp->rp_rdma->sc_max_req_size);

	if (rctxt->rc_v2->rv_cant_reply.code)
		return false;

	rp->rp_hdrlen = RPCRDMA2_HDRLEN_MIN +
			svc_rdma2_chunks_length(&rctxt->rc_write_pcl);
	if (rp->rp_hdrlen <= room && body <= rbsiz - rp->rp_hdrlen) {
		if (chunk) {
			rpcrdma2_count(conn, RPCRDMA2_CNT_REPLY_CHUNKS_UNUSED);
			pcl_free(&rctxt->rc_reply_pcl);
		}
		rpcrdma2_plan_msg(&rp->rp_send.se_plan, rp->rp_hdrlen, body);
		return true;
	}

	rp->rp_hdrlen += svc_rdma2_chunks_length(&rctxt->rc_reply_pcl) - XDR_UNIT;
	if (chunk && body > chunk->ch_length)
		svc_rdma2_cant_reply(rctxt, chunk, body);
	else if (!chunk || rp->rp_hdrlen > room)
		svc_rdma2_cant_reply(rctxt, NULL, body);
	rpcrdma2_plan_msg(&rp->rp_send.se_plan, rp->rp_hdrlen, 0);
	return !rctxt->rc_v2->rv_cant_reply.code;
}

/* Are there chunks in the header of a reply? @rp: it is known how that goes. */
static bool svc_rdma2_returns_chunks(const struct svc_rdma2_reply *rp)
{
	return rp->rp_hdrlen > RPCRDMA2_HDRLEN_MIN;
}

/* Write the transport header of a reply that returns chunks. The Write list comes
 * back whole. Returns 0, or -EMSGSIZE if the Send context's buffer is too
 * small.
 */
static int svc_rdma2_encode_lists(struct svc_rdma2_reply *rp,
				  const struct rpcrdma2_hdr *hdr)
{
	struct svc_rdma_recv_ctxt *rctxt = rp->rp_rctxt;
	struct svc_rdma_send_ctxt *sctxt = rp->rp_sctxt;
	__be32 *p;

	p = xdr_reserve_space(&sctxt->sc_stream, RPCRDMA2_PREFIX_SIZE);
	if (!p)
		return -EMSGSIZE;
	rpcrdma2_encode_prefix(p, hdr, pcl_is_empty(&rctxt->rc_reply_pcl) ?
				       RDMA2_MSG : RDMA2_NOMSG,
			       rctxt->rc_v2->rv_msg.lists.inv_handle);
	if (xdr_stream_encode_item_absent(&sctxt->sc_stream) < 0 ||
	    svc_rdma_encode_write_list(rctxt, sctxt) < 0 ||
	    svc_rdma_encode_reply_chunk(rctxt, sctxt, rp->rp_pslen) < 0)
		return -EMSGSIZE;
	return WARN_ON_ONCE(sctxt->sc_hdrbuf.len != rp->rp_hdrlen) ? -EIO : 0;
}

/* Write the transport header of a reply. rdma_inv_handle comes back whatever is done
 * with it (B-35). Returns 0 or a negative errno.
 */
static int svc_rdma2_encode_header(struct svc_rdma2_reply *rp,
				   const struct rpcrdma2_hdr *hdr)
{
	u32 handle = rp->rp_rctxt->rc_v2->rv_msg.lists.inv_handle;
	void *buf = rp->rp_sctxt->sc_xprt_buf;

	if (!svc_rdma2_returns_chunks(rp)) {
		rpcrdma2_encode_bare_msg(buf, hdr);
		rpcrdma2_set_inv_handle(buf, handle);
		return 0;
	}
	return svc_rdma2_encode_lists(rp, hdr);
}

/* Prepare all RDMA Writes of a reply. Returns 0 or a negative errno. */
static int svc_rdma2_prepare_msg_writes(struct svc_rdma2_reply *rp)
{
	struct svc_rdma_recv_ctxt *rctxt = rp->rp_rctxt;
	const struct xdr_buf *xdr = &rp->rp_rqstp->rq_res;
	int ret;

	if (!svc_rdma2_returns_chunks(rp))
		return 0;
	ret = svc_rdma_prepare_write_list(rp->rp_rdma, rctxt, rp->rp_sctxt, xdr);
	if (ret < 0 || pcl_is_empty(&rctxt->rc_reply_pcl))
		return min(ret, 0);
	ret = svc_rdma_prepare_reply_chunk(rp->rp_rdma, &rctxt->rc_write_pcl,
					   &rctxt->rc_reply_pcl, rp->rp_sctxt,
					   xdr);
	return min(ret, 0);
}

/* Get all parts of a reply ready to be sent. Returns 0, -E2BIG or -EINVAL if the
 * reply cannot be conveyed as it is, or another negative errno if resources are
 * exhausted.
 */
static int svc_rdma2_prepare_msg(struct svc_rdma2_reply *rp,
				 const struct rpcrdma2_hdr *hdr)
{
	int ret;

	svc_rdma2_check_payloads(rp->rp_rqstp, rp->rp_rctxt);
	rp->rp_pslen = svc_rdma2_body_length(rp->rp_rctxt, &rp->rp_rqstp->rq_res);
	if (!pcl_is_empty(&rp->rp_rctxt->rc_write_pcl))
		rp->rp_send.se_written = &rp->rp_rctxt->rc_write_pcl;
	if (!svc_rdma2_choose(rp))
		return -E2BIG;
	ret = svc_rdma2_sending_get(&rp->rp_send, rp->rp_sctxt) ?:
	      svc_rdma2_prepare_msg_writes(rp) ?:
	      svc_rdma2_encode_header(rp, hdr) ?:
	      svc_rdma2_sending_build(&rp->rp_send, hdr, 0);
	if (ret == -E2BIG || ret == -EINVAL)
		svc_rdma2_cant_reply(rp->rp_rctxt, NULL, rp->rp_pslen);
	return ret;
}

/* Choose between Send and Send With Invalidate. Only a handle that the peer has
 * nominated and that is one of this Call's, only if the peer said that it accepts
 * that and the device is able to (A-22, A-23, B-36..B-39, N-28, X-80). What was said
 * in CM private data makes no difference.
 */
static void svc_rdma2_set_opcode(struct svcxprt_rdma *rdma,
				 const struct svc_rdma_recv_ctxt *rctxt,
				 struct ib_send_wr *wr)
{
	const struct rpcrdma2_lists *lists = &rctxt->rc_v2->rv_msg.lists;
	const struct ib_device *device = rdma->sc_cm_id->device;
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;

	wr->opcode = IB_WR_SEND;
	if (!lists->inv_handle)
		return;
	if (!lists->inv_listed) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_FOREIGN_INV);
		return;
	}
	if (!(device->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS))
		return;
	if (!rpcrdma2_conn_peer_value(conn, RPCRDMA2_REQREMINV))
		return;
	wr->opcode = IB_WR_SEND_WITH_INV;
	wr->ex.invalidate_rkey = lists->inv_handle;
	rpcrdma2_count(conn, RPCRDMA2_CNT_REMOTE_INVALIDATIONS);
}

/* Send the reply to a Call that came by RDMA2_MSG or NOMSG. @rp: if it cannot be
 * conveyed, the reason is noted. Returns 0, -E2BIG or -EINVAL if the reply cannot be
 * conveyed as it is, or another negative errno.
 */
static int svc_rdma2_send_msg(struct svc_rdma2_reply *rp,
			      const struct rpcrdma2_hdr *hdr)
{
	int ret;

	ret = svc_rdma2_prepare_msg(rp, hdr);
	svc_rdma2_leave_pages(rp, !ret);
	if (ret < 0)
		return ret;
	svc_rdma2_set_opcode(rp->rp_rdma, rp->rp_rctxt, &rp->rp_sctxt->sc_send_wr);
	ret = svc_rdma2_sending_post(&rp->rp_send, hdr);
	if (ret < 0)
		return ret;
	rpcrdma2_count(&rp->rp_rdma->sc_v2->sv_conn, RPCRDMA2_CNT_REPLIES_SENT);
	return 0;
}

/* Send a reply, if it can be conveyed. @sctxt: stays with the caller unless 0
 * is returned. @rqstp: pages under I/O go to the Send completion. Returns 0,
 * -E2BIG or -EINVAL if the reply cannot be conveyed as it is, or another
 * negative errno.
 */
static int svc_rdma2_try_reply(struct svcxprt_rdma *rdma,
			       struct svc_rdma_send_ctxt *sctxt,
			       struct svc_rqst *rqstp)
{
	struct svc_rdma_recv_ctxt *rctxt = rqstp->rq_xprt_ctxt;
	const struct rpcrdma2_hdr hdr = {
		.xid	= rctxt->rc_v2->rv_msg.xid,
		.dir	= RDMA2_REPLY,
	};
	struct svc_rdma2_reply *rp;
	int ret;

	/* The last one is used again: a cache would take longer than all else that there
	 * is to do for a short reply.
	 */
	rp = xchg(&rdma->sc_v2->sv_reply, NULL) ?:
	     kmem_cache_alloc(svc_rdma2_replies, GFP_KERNEL);
	if (!rp)
		return -ENOMEM;
	rp->rp_rdma = rdma;
	rp->rp_rctxt = rctxt;
	rp->rp_sctxt = sctxt;
	rp->rp_rqstp = rqstp;
	svc_rdma2_sending_init(&rp->rp_send, rdma, &rqstp->rq_res);
	rp->rp_send.se_rqstp = rqstp;
	rp->rp_send.se_rv = rctxt->rc_v2;
	ret = rctxt->rc_v2->rv_call ? svc_rdma2_send_xmtresp(rp, &hdr) :
				      svc_rdma2_send_msg(rp, &hdr);
	if (ret)
		svc_rdma2_sending_put(&rp->rp_send);
	rp = xchg(&rdma->sc_v2->sv_reply, rp);
	if (rp)
		kmem_cache_free(svc_rdma2_replies, rp);
	return ret;
}

/* Send a reply, or say why there is none. @rqstp: processed request, its reply in
 * rq_res. Returns 0, or a negative errno.
 */
static int svc_rdma2_reply_or_error(struct svc_rqst *rqstp)
{
	struct svc_rdma_recv_ctxt *rctxt = rqstp->rq_xprt_ctxt;
	struct svcxprt_rdma *rdma = svc_rdma_rqst_rdma(rqstp);
	struct svc_rdma2_recv *rv = rctxt->rc_v2;
	struct svc_rdma_send_ctxt *sctxt;
	int ret;

	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (!sctxt)
		return -ENOMEM;

	ret = svc_rdma2_try_reply(rdma, sctxt, rqstp);
	if (!ret)
		return 0;
	if (ret != -E2BIG && ret != -EINVAL) {
		svc_rdma_send_ctxt_put(rdma, sctxt);
		return ret;
	}
	svc_rdma2_cant_reply(rctxt, NULL, rqstp->rq_res.len);
	return svc_rdma2_post_error(rdma, sctxt, rv, &rv->rv_cant_reply);
}

/* Words of a reply: xid, REPLY, MSG_ACCEPTED */
enum {
	SVC_RDMA2_REPLY_STAT	= 2,
};

/* Has somebody said who he is? Returns false for what anybody may ask, and for a
 * Call that was denied, or is not of a service here: nobody looks at its address
 * then.
 */
static bool svc_rdma2_authentic(const struct svc_rqst *rqstp)
{
	const struct kvec *head = &rqstp->rq_res.head[0];
	const __be32 *p = head->iov_base;

	return rqstp->rq_proc && rqstp->rq_cred.cr_flavor != RPC_AUTH_NULL &&
	       head->iov_len > SVC_RDMA2_REPLY_STAT * XDR_UNIT &&
	       p[SVC_RDMA2_REPLY_STAT] == rpc_msg_accepted &&
	       *rqstp->rq_accept_statp == rpc_success;
}

/**
 * svc_rdma2_sendto - send the reply to a Call of version 2
 * @rqstp: processed request, its reply in rq_res
 *
 * Context: service thread, may sleep
 * Return: 0 if the peer gets a reply or is told that it cannot have one,
 * otherwise -ENOTCONN, and the connection is being closed
 */
int svc_rdma2_sendto(struct svc_rqst *rqstp)
{
	int ret = -ENOTCONN;

	svc_rdma_count_pages(rqstp);
	if (svc_rdma2_authentic(rqstp))
		svc_rdma2_memory_admit(svc_rdma_rqst_rdma(rqstp));
	if (!svc_xprt_is_dead(rqstp->rq_xprt))
		ret = svc_rdma2_reply_or_error(rqstp);
	if (ret >= 0)
		return 0;
	trace_svcrdma_send_err(rqstp, ret);
	svc_rdma2_close(svc_rdma_rqst_rdma(rqstp));
	return -ENOTCONN;
}
