// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: transport characteristics.
 *
 * The peer's values take effect in the receive handler, so that they hold for
 * everything that arrives later; the answer is left to a service thread.
 */

#include <linux/sunrpc/svc.h>

#include "svc_rdma2.h"
#include <trace/events/rpcrdma2.h>

/**
 * svc_rdma2_apply_initxch - obey what the peer says of itself
 * @v2: connection
 * @ctxt: received INITXCH, header sound; its verdict becomes BAD_XDR if the
 *	values are not
 *
 * Only the first INITXCH counts, in whichever direction it comes (A-40, A-47,
 * N-90, N-91). There is no use in a size beyond what is ever sent (N-95).
 *
 * Context: receive handler
 */
void svc_rdma2_apply_initxch(struct svc_rdma2 *v2,
			     struct svc_rdma_recv_ctxt *ctxt)
{
	struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	struct rpcrdma2_xchars peer;

	rpcrdma2_xchars_default(&peer);
	if (rpcrdma2_decode_initxch(ctxt->rc_recv_buf, msg, &peer)) {
		msg->verdict = RPCRDMA2_BAD_XDR;
		return;
	}
	if (v2->sv_initxch)
		return;
	peer.rbsiz = min_t(u32, peer.rbsiz, RPCRDMA_MAX_INLINE_THRESH);
	v2->sv_initxch = true;
	rpcrdma2_conn_set_peer(&v2->sv_conn, &peer);
}

/**
 * svc_rdma2_local_xchars - what this end says of itself
 * @rdma: connection
 * @xc: OUT: the values
 *
 * Reverse Calls carry no chunks, so there is never anything of this end's
 * that the peer could invalidate. BRS is for clients to state.
 * Neither value changes as long as the connection lasts.
 */
static void svc_rdma2_local_xchars(const struct svcxprt_rdma *rdma,
				   struct rpcrdma2_xchars *xc)
{
	rpcrdma2_xchars_default(xc);
	xc->present = RPCRDMA2_HAS_RBSIZ | RPCRDMA2_HAS_REQREMINV;
	xc->nochg = xc->present;
	xc->rbsiz = rdma->sc_max_req_size;
	xc->reqreminv = false;
}

/**
 * svc_rdma2_answer_initxch - answer the peer's INITXCH with our own
 * @rdma: connection
 * @msg: received INITXCH in CALL direction
 *
 * The answer completes negotiation and carries the forward grant (A-30, X-37,
 * If it cannot be sent, the peer will take its silence for what it is.
 *
 * Context: service thread, may sleep
 */
void svc_rdma2_answer_initxch(struct svcxprt_rdma *rdma,
			      const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	struct rpcrdma2_hdr hdr = {
		.xid	= msg->xid,
		.credit	= svc_rdma2_grant(rdma),
		.dir	= RDMA2_REPLY,
	};
	struct svc_rdma_send_ctxt *sctxt;
	struct rpcrdma2_xchars local;
	int len;

	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (!sctxt)
		return;
	svc_rdma2_local_xchars(rdma, &local);
	len = rpcrdma2_encode_initxch(sctxt->sc_xprt_buf,
				      RPCRDMA2_FIRST_MSG_MAX, &hdr, &local);
	if (len < 0) {
		svc_rdma_send_ctxt_put(rdma, sctxt);
		return;
	}
	rpcrdma2_conn_set_local(conn, &local);
	if (!svc_rdma2_post_header(rdma, sctxt, len))
		rpcrdma2_count(conn, RPCRDMA2_CNT_CONTROL_SENT);
}

/**
 * svc_rdma2_peer_rbsiz - the longest message that the peer can receive
 * @v2: connection
 *
 * Return: a length in bytes, the transport header included (A-53, B-23)
 */
u32 svc_rdma2_peer_rbsiz(struct svc_rdma2 *v2)
{
	u32 rbsiz;

	spin_lock(&v2->sv_conn.cn_lock);
	rbsiz = v2->sv_conn.cn_peer.rbsiz;
	spin_unlock(&v2->sv_conn.cn_lock);
	return rbsiz;
}

/**
 * svc_rdma2_peer_reqreminv - does the peer accept Send With Invalidate?
 * @v2: connection
 *
 * Return: true if it said so
 */
bool svc_rdma2_peer_reqreminv(struct svc_rdma2 *v2)
{
	bool reqreminv;

	spin_lock(&v2->sv_conn.cn_lock);
	reqreminv = v2->sv_conn.cn_peer.reqreminv;
	spin_unlock(&v2->sv_conn.cn_lock);
	return reqreminv;
}

/**
 * svc_rdma2_peer_brs - how much of reverse operation does the peer support?
 * @v2: connection
 *
 * Return: what it said, or the default
 */
enum rpcrdma2_brs svc_rdma2_peer_brs(struct svc_rdma2 *v2)
{
	enum rpcrdma2_brs brs;

	spin_lock(&v2->sv_conn.cn_lock);
	brs = v2->sv_conn.cn_peer.brs;
	spin_unlock(&v2->sv_conn.cn_lock);
	return brs;
}
