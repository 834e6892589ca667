// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: RDMA2_ERROR, and Sends that are all header.
 */

#include <linux/sunrpc/svc.h>

#include "svc_rdma2.h"
#include <trace/events/rpcrdma2.h>

/**
 * svc_rdma2_post_header - send a message without payload
 * @rdma: connection
 * @sctxt: Send context with the message in its transport buffer; goes to the
 *	Send completion, or is released
 * @length: length of the message, in bytes
 *
 * RDMA Writes that were prepared for a reply that is not going to be sent are
 * left out. Remote invalidation is only for replies (A-24, B-42).
 *
 * Context: may sleep
 *
 * Return: 0, or -ENOTCONN if the connection is lost
 */
int svc_rdma2_post_header(struct svcxprt_rdma *rdma,
			  struct svc_rdma_send_ctxt *sctxt, u32 length)
{
	int ret;

	sctxt->sc_send_wr.num_sge = 1;
	sctxt->sc_send_wr.opcode = IB_WR_SEND;
	sctxt->sc_sges[0].length = length;
	sctxt->sc_wr_chain = &sctxt->sc_send_wr;
	sctxt->sc_sqecount = 1;

	ret = svc_rdma_post_send(rdma, sctxt);
	if (ret)
		svc_rdma_send_ctxt_put(rdma, sctxt);
	return ret;
}

/**
 * svc_rdma2_post_error - send RDMA2_ERROR
 * @rdma: connection
 * @sctxt: Send context; goes to the Send completion, or is released
 * @msg: the message it is about
 * @err: what is wrong
 *
 * Serves A-14, B-15, B-61.
 *
 * Context: may sleep
 *
 * Return: 0, or -ENOTCONN if the connection is lost
 */
int svc_rdma2_post_error(struct svcxprt_rdma *rdma,
			 struct svc_rdma_send_ctxt *sctxt,
			 const struct rpcrdma2_msg *msg,
			 const struct rpcrdma2_error *err)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	const struct rpcrdma2_hdr hdr = {
		.xid	= msg->xid,
		.credit	= svc_rdma2_grant(rdma),
	};
	u32 len;
	int ret;

	len = rpcrdma2_encode_error(sctxt->sc_xprt_buf, &hdr, msg->vers, err);
	ret = svc_rdma2_post_header(rdma, sctxt, len);
	if (ret)
		return ret;
	rpcrdma2_count_error(conn, err->code, true);
	trace_rpcrdma2_error_sent(conn, hdr.xid, err);
	return 0;
}

/**
 * svc_rdma2_send_error - answer a bad message
 * @rdma: connection
 * @rv: the message
 * @code: what is wrong: any code but CANT_REPLY
 *
 * The versions offered to a peer are both, as long as its connection is not
 * settled on one (A-37, B-62, N-03, N-04).
 *
 * Context: service thread, may sleep
 */
void svc_rdma2_send_error(struct svcxprt_rdma *rdma,
			  const struct svc_rdma2_recv *rv,
			  enum rpcrdma2_errcode code)
{
	struct rpcrdma2_error err = { .code = code };
	struct svc_rdma_send_ctxt *sctxt;

	if (code == RDMA2_ERR_VERS) {
		err.vers_low = rv->rv_version ?: RPCRDMA_VERSION;
		err.vers_high = rv->rv_version ?: RPCRDMA2_VERSION;
	}
	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (!sctxt || svc_rdma2_post_error(rdma, sctxt, &rv->rv_msg, &err))
		rpcrdma2_count(&rdma->sc_v2->sv_conn,
			       RPCRDMA2_CNT_ERRORS_UNSENT);
}
