// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: Calls of the server.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "clnt_place.h"
#include <trace/events/rpcrdma.h>

#if IS_ENABLED(CONFIG_SUNRPC_BACKCHANNEL)

/* Does a reverse Call expose memory? @lists: its chunk lists. Returns true if there
 * is anything in them but an empty set of lists.
 */
static bool xprt_rdma2_bc_offers_chunks(const struct rpcrdma2_lists *lists)
{
	return lists->read_segs || lists->write_chunks || lists->reply_present;
}

/**
 * xprt_rdma2_bc_served - does anybody serve reverse Calls?
 * @r_xprt: transport
 *
 * Return: true if so
 */
bool xprt_rdma2_bc_served(struct rpcrdma_xprt *r_xprt)
{
	return r_xprt->rx_xprt.bc_serv && xprt_connected(&r_xprt->rx_xprt);
}

/**
 * xprt_rdma2_bc_deliver - hand a reverse Call to the callback service
 * @rep: ROPT_XMTREQ, its credits accounted for
 * @p: its RPC message, which goes with @rep
 * @length: length of that, in bytes
 *
 * Context: receive handler
 * Return: false if nobody serves it; @rep stays with the caller then
 */
bool xprt_rdma2_bc_deliver(struct rpcrdma_rep *rep, void *p, u32 length)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xdr_buf whole;

	if (!xprt_rdma2_bc_served(r_xprt))
		return false;
	xdr_buf_init(&whole, p, length);
	whole.len = length;
	xdr_init_decode(&rep->rr_stream, &whole, p, NULL);
	rpcrdma_bc_receive_call(r_xprt, rep);
	return true;
}

/**
 * xprt_rdma2_bc_call - hand a reverse Call to the callback service
 * @rep: received RDMA2_MSG or RDMA2_NOMSG in CALL direction, header sound
 *
 * As long as the characteristic BRS says INLINE, chunks are refused (D-28,
 * N-33). Where nobody serves callbacks the Call is dropped and the connection
 * stays (D-34, N-34). A server that does not stick to what it was granted
 * loses it: it would have used up Receives that forward replies need.
 *
 * Context: receive handler
 * Return: what is left to do; if nothing, the callback service has @rep
 */
enum xprt_rdma2_outcome xprt_rdma2_bc_call(struct rpcrdma_rep *rep)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	const struct rpcrdma2_msg *msg = &rep->rr_v2.vr_msg;

	if (xprt_rdma2_bc_offers_chunks(&msg->lists))
		return XPRT_RDMA2_O_REFUSE_XDR;
	if (!xprt_rdma2_bc_served(r_xprt))
		return XPRT_RDMA2_O_DROP;
	xdr_init_decode(&rep->rr_stream, &rep->rr_hdrbuf,
			rep->rr_hdrbuf.head[0].iov_base, NULL);
	if (!xdr_inline_decode(&rep->rr_stream, msg->hdrlen))
		return XPRT_RDMA2_O_DROP;
	if (!xprt_rdma2_bc_begin(r_xprt, msg->credit, 1)) {
		rpcrdma2_count(conn, RPCRDMA2_CNT_REVERSE_OVERRUNS);
		return XPRT_RDMA2_O_CLOSE;
	}
	rpcrdma2_count(conn, RPCRDMA2_CNT_REVERSE_CALLS);
	rpcrdma_bc_receive_call(r_xprt, rep);
	return XPRT_RDMA2_O_TAKEN;
}

/**
 * xprt_rdma2_bc_prepare - prepare the Send of a reverse reply
 * @rqst: reverse Call with its reply in rq_snd_buf
 *
 * The session may have been set up over a connection that took longer
 * messages than this one: the server, which waits for the reply, is told
 * that there can be none. A nominated handle comes back, though nothing
 * is invalidated (B-35, A-23). The server may send its next Call as soon as it
 * has the reply, so the credit is returned before that is posted.
 *
 * Context: the transport's send lock is held
 * Return: 0, -EAGAIN if there is no Send context at the moment, or -EIO if the
 * reply cannot be sent
 */
int xprt_rdma2_bc_prepare(struct rpc_rqst *rqst)
{
	struct rpcrdma_xprt *r_xprt = rpcx_to_rdmax(rqst->rq_xprt);
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	struct rpcrdma2_hdr hdr = {
		.xid	= rqst->rq_xid,
		.credit	= xprt_rdma2_reverse_grant(r_xprt),
		.dir	= RDMA2_REPLY,
	};
	const struct rpcrdma2_msg *msg;
	int rc = -EIO;

	xprt_rdma2_begin_send(r_xprt);
	if (RPCRDMA2_HDRLEN_MIN + rqst->rq_snd_buf.len >
	    READ_ONCE(r_xprt->rx_ep->re_inline_send)) {
		xprt_rdma2_bc_end(r_xprt, req);
		xprt_rdma2_cant_reply(req->rl_reply, rqst->rq_snd_buf.len);
		goto out_end;
	}
	rpcrdma_set_xdrlen(&req->rl_hdrbuf, RPCRDMA2_HDRLEN_MIN);
	rpcrdma2_encode_bare_msg(rdmab_data(req->rl_rdmabuf), &hdr);
	/* ROPT_XMTREQ nominates nothing. */
	msg = &req->rl_reply->rr_v2.vr_msg;
	rpcrdma2_set_inv_handle(rdmab_data(req->rl_rdmabuf),
				msg->proc == RDMA2_OPTIONAL ? 0 :
							      msg->lists.inv_handle);
	rc = rpcrdma_prepare_send_sges(r_xprt, req, RPCRDMA2_HDRLEN_MIN,
				       &rqst->rq_snd_buf, rpcrdma_noch_pullup);
	if (rc)
		goto out_end;

	xprt_rdma2_bc_end(r_xprt, req);
	trace_xprtrdma_cb_reply(r_xprt, rqst);
	rpcrdma2_count(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_REVERSE_REPLIES);
	return 0;

out_end:
	xprt_rdma2_end_send(r_xprt->rx_ep);
	return rc;
}

#else

bool xprt_rdma2_bc_served(struct rpcrdma_xprt *r_xprt)
{
	return false;
}

bool xprt_rdma2_bc_deliver(struct rpcrdma_rep *rep, void *p, u32 length)
{
	return false;
}

enum xprt_rdma2_outcome xprt_rdma2_bc_call(struct rpcrdma_rep *rep)
{
	return XPRT_RDMA2_O_DROP;
}

int xprt_rdma2_bc_prepare(struct rpc_rqst *rqst)
{
	return -EIO;
}

#endif /* CONFIG_SUNRPC_BACKCHANNEL */
