// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: messages of the transport's own.
 *
 * They are all header: RDMA2_ERROR, ROPT_REPTERR, and characteristics.
 */

#include <linux/sunrpc/svc.h>

#include "svc.h"
#include <trace/events/rpcrdma2.h>

/* Send a message without payload. @sctxt: goes to the Send completion, or is
 * released. @length: in bytes, or a negative errno of the encoder. @rv: message that
 * it answers, and gets its grant for; NULL if it has one. RDMA Writes that were
 * prepared for a reply that is not going to be sent are left out. Remote
 * invalidation is only for replies (A-24, B-42). Context: may sleep. Returns 0,
 * -ENOTCONN if the connection is lost, or that errno.
 */
static int svc_rdma2_post_header(struct svcxprt_rdma *rdma,
				 struct svc_rdma_send_ctxt *sctxt, int length,
				 struct svc_rdma2_recv *rv)
{
	int ret = length;
	struct rpcrdma2_gone gone = { };

	if (length < 0)
		goto out_put;
	sctxt->sc_send_wr.num_sge = 1;
	sctxt->sc_send_wr.opcode = IB_WR_SEND;
	sctxt->sc_sges[0].length = length;
	sctxt->sc_wr_chain = &sctxt->sc_send_wr;
	sctxt->sc_sqecount = 1;

	if (rv)
		rpcrdma2_set_credit(sctxt->sc_xprt_buf,
				    svc_rdma2_grant_begin(rdma, rv, &gone));
	ret = svc_rdma2_post(rdma, sctxt);
	if (rv)
		svc_rdma2_grant_end(rdma, &gone);
	if (!ret)
		return 0;
out_put:
	svc_rdma_send_ctxt_put(rdma, sctxt);
	return ret;
}

/**
 * svc_rdma2_post_error - send RDMA2_ERROR
 * @rdma: connection
 * @sctxt: Send context; goes to the Send completion, or is released
 * @rv: the message it is about
 * @err: what is wrong
 *
 * Context: may sleep
 * Return: 0, or -ENOTCONN if the connection is lost
 */
int svc_rdma2_post_error(struct svcxprt_rdma *rdma,
			 struct svc_rdma_send_ctxt *sctxt,
			 struct svc_rdma2_recv *rv,
			 const struct rpcrdma2_error *err)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	const struct rpcrdma2_hdr hdr = {
		.xid	= rv->rv_msg.xid,
	};
	u32 len;
	int ret;

	len = rpcrdma2_encode_error(sctxt->sc_xprt_buf, &hdr, rv->rv_msg.vers, err);
	ret = svc_rdma2_post_header(rdma, sctxt, len, rv);
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
 * settled on one (A-37, B-62, N-03, N-04). Without memory for the answer the
 * connection is closed: the peer waits for one, and keeps a credit for it.
 *
 * Context: service thread, may sleep
 */
void svc_rdma2_send_error(struct svcxprt_rdma *rdma,
			  struct svc_rdma2_recv *rv,
			  enum rpcrdma2_errcode code)
{
	struct rpcrdma2_error err = { .code = code };
	struct svc_rdma_send_ctxt *sctxt;

	if (code == RDMA2_ERR_VERS) {
		err.vers_low = rv->rv_version ?: RPCRDMA_VERSION;
		err.vers_high = rv->rv_version ?: RPCRDMA2_VERSION;
	}
	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (sctxt && !svc_rdma2_post_error(rdma, sctxt, rv, &err))
		return;
	rpcrdma2_count(&rdma->sc_v2->sv_conn, RPCRDMA2_CNT_ERRORS_UNSENT);
	svc_rdma2_close(rdma);
}

/* Send ROPT_REPTERR. @rv: message that it answers, or NULL. Returns false if it
 * could not be sent.
 */
static bool svc_rdma2_post_report(struct svcxprt_rdma *rdma,
				  const struct rpcrdma2_hdr *hdr,
				  const struct rpcrdma2_repterr *rep,
				  struct svc_rdma2_recv *rv)
{
	struct svc_rdma_send_ctxt *sctxt = svc_rdma_send_ctxt_get(rdma);
	int len;

	if (!sctxt)
		return false;
	len = rpcrdma2_encode_repterr(sctxt->sc_xprt_buf, RPCRDMA2_MAX_CTRL,
				      hdr, rep);
	return !svc_rdma2_post_header(rdma, sctxt, len, rv);
}

/**
 * svc_rdma2_send_report - report a bad transmission
 * @rdma: connection
 * @rv: the message that is bad; of a group, its first one
 *
 * Context: service thread, may sleep
 */
void svc_rdma2_send_report(struct svcxprt_rdma *rdma, struct svc_rdma2_recv *rv)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	const struct rpcrdma2_repterr *rep = &rv->rv_fault;
	bool call = rep->bad.dir == RDMA2_CALL;
	const struct rpcrdma2_hdr hdr = {
		.xid	= rep->bad.xid,
		.credit	= call ? 0 : rdma->sc_max_bc_requests,
		.dir	= call ? RDMA2_REPLY : RDMA2_CALL,
	};
	bool sent;

	if (!rpcrdma2_conn_report_begin(conn, rep))
		return;
	sent = svc_rdma2_post_report(rdma, &hdr, rep, call ? rv : NULL);
	rpcrdma2_conn_report_end(conn, rep, sent);
	/* Nobody else would tell the client that its Call has failed */
	if (call && !sent)
		svc_rdma2_close(rdma);
}

/* Section: characteristics */

/**
 * svc_rdma2_send_initxch - state this end's characteristics
 * @rdma: connection
 * @rv: received INITXCH in CALL direction
 *
 * A client waits for the answer. Without memory for one the connection is closed, so
 * that it need not wait for what does not come.
 *
 * Context: service thread, may sleep; sv_ctrl_mutex is held
 */
void svc_rdma2_send_initxch(struct svcxprt_rdma *rdma, struct svc_rdma2_recv *rv)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	struct svc_rdma_send_ctxt *sctxt = svc_rdma_send_ctxt_get(rdma);
	const struct rpcrdma2_hdr hdr = {
		.xid	= rv->rv_msg.xid,
		.dir	= RDMA2_REPLY,
	};
	struct rpcrdma2_xchars local;
	int len;

	if (!sctxt) {
		svc_rdma2_close(rdma);
		return;
	}
	rpcrdma2_conn_local(conn, &local);
	len = rpcrdma2_encode_initxch(sctxt->sc_xprt_buf,
				      RPCRDMA2_FIRST_MSG_MAX, &hdr, &local);
	if (!svc_rdma2_post_header(rdma, sctxt, len, rv))
		rpcrdma2_count(conn, RPCRDMA2_CNT_CONTROL_SENT);
}

/**
 * svc_rdma2_send_respxch - tell the peer what became of its request
 * @rdma: connection
 * @rv: received REQXCH in CALL direction, decided about
 *
 * The peer keeps a credit for the answer. Without memory for one it gets that
 * back with the next connection.
 *
 * Context: service thread, may sleep; sv_ctrl_mutex is held
 */
void svc_rdma2_send_respxch(struct svcxprt_rdma *rdma, struct svc_rdma2_recv *rv)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	struct svc_rdma_send_ctxt *sctxt = svc_rdma_send_ctxt_get(rdma);
	const struct rpcrdma2_hdr hdr = {
		.xid	= rv->rv_msg.xid,
		.dir	= RDMA2_REPLY,
	};
	int len;

	if (!sctxt) {
		svc_rdma2_close(rdma);
		return;
	}
	len = rpcrdma2_encode_respxch(sctxt->sc_xprt_buf, RPCRDMA2_MAX_CTRL,
				      &hdr, &rv->rv_answer);
	if (!svc_rdma2_post_header(rdma, sctxt, len, rv))
		rpcrdma2_count(conn, RPCRDMA2_CNT_CONTROL_SENT);
}

/**
 * svc_rdma2_send_control - send a control message
 * @rdma: connection
 * @ctrl: the message
 *
 * Return: true if it was posted
 */
bool svc_rdma2_send_control(struct svcxprt_rdma *rdma,
			    const struct rpcrdma2_ctrl *ctrl)
{
	struct svc_rdma_send_ctxt *sctxt;
	int len;

	sctxt = svc_rdma_send_ctxt_get(rdma);
	if (!sctxt)
		return false;
	len = rpcrdma2_xch_encode(ctrl, rdma->sc_max_bc_requests,
				  sctxt->sc_xprt_buf, RPCRDMA2_MAX_CTRL);
	return !svc_rdma2_post_header(rdma, sctxt, len, NULL);
}

/**
 * svc_rdma2_control_kick - have sent what there may be to tell the peer
 * @v2: connection
 *
 * Context: process context
 */
void svc_rdma2_control_kick(struct svc_rdma2 *v2)
{
	if (rpcrdma2_conn_due(&v2->sv_conn))
		queue_work(system_dfl_wq, &v2->sv_ctrl_work);
}
