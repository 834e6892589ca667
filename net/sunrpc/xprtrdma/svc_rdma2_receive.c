// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: every message, in the order of arrival.
 *
 * Receive completions of a connection are handled one after the other, while
 * the service threads that take the messages from there run in parallel. What
 * has to hold for all later messages is therefore decided here: whether the
 * connection speaks version 1 or 2, and what the peer is able to receive.
 * Nothing is sent from here, since sending may have to wait. But what ends a
 * reverse Call needs no thread, and must not wait for one.
 */

#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "svc_rdma2.h"
#include <trace/events/rpcrdma2.h>

/**
 * svc_rdma2_settle - let a message decide the version of its connection
 * @rdma: connection that is not settled
 * @msg: the message
 *
 * The first message of a version that is spoken here decides, whatever else
 * is wrong with it (A-37, N-71). It also decides what Receives are going to be
 * like.
 *
 * Return: false if there is no memory for them
 */
static bool svc_rdma2_settle(struct svcxprt_rdma *rdma,
			     const struct rpcrdma2_msg *msg)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	if (msg->vers != RPCRDMA_VERSION && msg->vers != RPCRDMA2_VERSION)
		return true;
	rpcrdma2_conn_settle(&v2->sv_conn, msg->vers,
			     v2->sv_conn.cn_xch.xc_heard ?
			     RPCRDMA2_WHY_INITXCH : RPCRDMA2_WHY_PEER);
	return svc_rdma2_place_settle(rdma);
}

/**
 * svc_rdma2_decode - decode a message and let it take effect
 * @rdma: connection that has not settled on version 1
 * @ctxt: received message
 *
 * Everything that is used of the header later on was checked here against the
 * number of bytes that were received.
 *
 * Return: false if there is no header that could be answered (A-19, N-01), or
 * the connection cannot go on
 */
static bool svc_rdma2_decode(struct svcxprt_rdma *rdma,
			     struct svc_rdma_recv_ctxt *ctxt)
{
	struct rpcrdma2_msg *msg = &ctxt->rc_v2->rv_msg;
	struct svc_rdma2 *v2 = rdma->sc_v2;

	svc_rdma2_recv_for_cpu(rdma, ctxt);
	if (rpcrdma2_decode(ctxt->rc_recv_buf, ctxt->rc_byte_len,
			    &v2->sv_limits, msg) == RPCRDMA2_SHORT) {
		rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_TOO_SHORT);
		trace_rpcrdma2_bad_message(&v2->sv_conn, msg);
		return false;
	}

	svc_rdma2_apply(v2, ctxt);
	return v2->sv_conn.cn_version || svc_rdma2_settle(rdma, msg);
}

/**
 * svc_rdma2_receive - look at a message before it is queued
 * @rdma: connection
 * @pctxt: received message with rc_v2; the first transmission of the Call takes
 *	its place if it completes one
 *
 * Once a connection speaks version 1, its messages lose their rc_v2, and no
 * code of version 2 sees them again. One that is longer than version 1 allows
 * may still have found a Receive that is long enough.
 *
 * Context: receive handler, serialized for each connection. The message stays
 * with the caller unless it is SVC_RDMA2_HELD.
 *
 * Return: what becomes of the message
 */
enum svc_rdma2_fate svc_rdma2_receive(struct svcxprt_rdma *rdma,
				      struct svc_rdma_recv_ctxt **pctxt)
{
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	struct svc_rdma_recv_ctxt *ctxt = *pctxt;
	struct svc_rdma2_recv *rv = ctxt->rc_v2;
	enum svc_rdma2_fate fate;

	if (conn->cn_version != RPCRDMA_VERSION &&
	    !svc_rdma2_decode(rdma, ctxt))
		return SVC_RDMA2_BROKEN;
	if (conn->cn_version == RPCRDMA_VERSION) {
		ctxt->rc_v2 = NULL;
		kfree(rv);
		if (ctxt->rc_block && ctxt->rc_byte_len > rdma->sc_max_req_size)
			return SVC_RDMA2_BROKEN;
		return SVC_RDMA2_QUEUE;
	}

	if (rv->rv_msg.verdict == RPCRDMA2_OK)
		trace_rpcrdma2_receive(conn, &rv->rv_msg);
	else
		trace_rpcrdma2_bad_message(conn, &rv->rv_msg);
	rv->rv_version = conn->cn_version;
	rv->rv_cant_reply.code = 0;
	rv->rv_fault.which = 0;
	svc_rdma2_progress(rdma->sc_v2);
	fate = svc_rdma2_collect(rdma, pctxt);
	if (fate == SVC_RDMA2_QUEUE && ctxt == *pctxt &&
	    svc_rdma2_bc_receive(rdma, ctxt))
		fate = SVC_RDMA2_CONSUMED;
	return fate;
}
