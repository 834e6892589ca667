// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: messages of the transport itself.
 *
 * INITXCH and RDMA2_ERROR are sent from where messages are received, without
 * the transport's send lock, and therefore cannot take part in the ring of
 * send contexts that this lock protects. They have a few buffers and Send
 * Queue entries of their own. Where none is free, the message is not sent:
 * nothing waits.
 */

#include <linux/slab.h>
#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include <trace/events/rpcrdma2.h>

/* A Send of the transport itself is finished. Returns the buffer. What a completion
 * handler has sent may be flushed when the transport has no connection any more, so
 * that it is not asked for it. Context: work item of the send completion queue.
 */
static void xprt_rdma2_wc_ctrl(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xprt_rdma2_ctrl *ct = container_of(wc->wr_cqe,
						  struct xprt_rdma2_ctrl,
						  ct_cqe);
	struct xprt_rdma2_ep *ve = ct->ct_ep;

	clear_bit_unlock(ct - ve->ve_ctrl, &ve->ve_ctrl_busy);
	if (wc->status != IB_WC_SUCCESS)
		rpcrdma_force_disconnect(ve->ve_ep);
}

/**
 * xprt_rdma2_ctrl_create - allocate the buffers
 * @ve: connection that is being prepared
 *
 * Return: 0 or -ENOMEM; xprt_rdma2_ctrl_destroy() cleans up either way
 */
int xprt_rdma2_ctrl_create(struct xprt_rdma2_ep *ve)
{
	unsigned int i;

	for (i = 0; i < XPRT_RDMA2_CTRL_SENDS; i++) {
		struct xprt_rdma2_ctrl *ct = &ve->ve_ctrl[i];

		ct->ct_buf = kmalloc(RPCRDMA2_MAX_CTRL, XPRT_RDMA2_GFP);
		if (!ct->ct_buf)
			return -ENOMEM;
		ct->ct_ep = ve;
		ct->ct_cqe.done = xprt_rdma2_wc_ctrl;
		ct->ct_wr.wr_cqe = &ct->ct_cqe;
		ct->ct_wr.sg_list = &ct->ct_sge;
		ct->ct_wr.num_sge = 1;
		ct->ct_wr.opcode = IB_WR_SEND;
		ct->ct_wr.send_flags = IB_SEND_SIGNALED;
	}
	return 0;
}

/* DMA-map one buffer unless it is mapped. Returns true if the device can read the
 * buffer.
 */
static bool xprt_rdma2_ctrl_map(struct xprt_rdma2_ctrl *ct)
{
	struct rpcrdma_ep *ep = ct->ct_ep->ve_ep;
	struct ib_device *device = ep->re_id->device;
	u64 addr;

	if (ct->ct_mapped)
		return true;
	addr = ib_dma_map_single(device, ct->ct_buf, RPCRDMA2_MAX_CTRL,
				 DMA_TO_DEVICE);
	if (ib_dma_mapping_error(device, addr))
		return false;
	ct->ct_sge.addr = addr;
	ct->ct_sge.lkey = ep->re_pd->local_dma_lkey;
	ct->ct_mapped = true;
	return true;
}

/**
 * xprt_rdma2_ctrl_destroy - release the buffers
 * @ve: connection whose queue pair is gone
 */
void xprt_rdma2_ctrl_destroy(struct xprt_rdma2_ep *ve)
{
	struct ib_device *device = ve->ve_ep->re_id->device;
	unsigned int i;

	for (i = 0; i < XPRT_RDMA2_CTRL_SENDS; i++) {
		struct xprt_rdma2_ctrl *ct = &ve->ve_ctrl[i];

		if (ct->ct_mapped)
			ib_dma_unmap_single(device, ct->ct_sge.addr,
					    RPCRDMA2_MAX_CTRL,
					    DMA_TO_DEVICE);
		kfree(ct->ct_buf);
	}
}

/* Find a free buffer. Returns a buffer that belongs to the caller until it is posted
 * or put back, or NULL.
 */
static struct xprt_rdma2_ctrl *xprt_rdma2_ctrl_get(struct xprt_rdma2_ep *ve)
{
	unsigned int i;

	for (i = 0; i < XPRT_RDMA2_CTRL_SENDS; i++) {
		if (test_and_set_bit_lock(i, &ve->ve_ctrl_busy))
			continue;
		if (xprt_rdma2_ctrl_map(&ve->ve_ctrl[i]))
			return &ve->ve_ctrl[i];
		clear_bit_unlock(i, &ve->ve_ctrl_busy);
	}
	return NULL;
}

/**
 * xprt_rdma2_begin_send - something is going to be prepared and sent
 * @r_xprt: transport
 *
 * Context: the transport's send lock is held
 */
void xprt_rdma2_begin_send(struct rpcrdma_xprt *r_xprt)
{
	WRITE_ONCE(r_xprt->rx_ep->re_v2->ve_marshalling, true);
	/* ORDER: ve_marshalling before thresholds are looked at. Pairs with
	 * xprt_rdma2_post_ctrl() and xprt_rdma2_may_lower().
	 */
	smp_mb();
}

/**
 * xprt_rdma2_end_send - what was prepared is posted, or never will be
 * @ep: connection on which version 2 was offered
 *
 * Context: the transport's send lock is held
 */
void xprt_rdma2_end_send(struct rpcrdma_ep *ep)
{
	/* The Send was posted before. Pairs with the acquire in
	 * xprt_rdma2_post_ctrl().
	 */
	smp_store_release(&ep->re_v2->ve_marshalling, false);
}

/**
 * xprt_rdma2_post_send - send a Call, or the reply to a reverse Call
 * @r_xprt: transport with a connection on which version 2 was offered
 * @req: the Call or reply
 * @wr: Work Requests, the Sends last
 *
 * The last Send of a Call by ROPT_XMTREQ has a completion of its own, as those
 * before it have: it is known to be complete should the Call be sent again.
 *
 * Context: the transport's send lock is held
 * Return: 0 or a negative errno
 */
int xprt_rdma2_post_send(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req,
			 const struct ib_send_wr *wr)
{
	struct rpcrdma_ep *ep = r_xprt->rx_ep;
	int rc;

	if (req->rl_v2.vq_by_xmtreq) {
		req->rl_wr.send_flags |= IB_SEND_SIGNALED;
		ep->re_send_count = ep->re_send_batch;
	}
	spin_lock(&ep->re_v2->ve_post_lock);
	/* A reply may come from now on. Pairs with xprt_rdma2_awaited(). One
	 * that comes before ib_post_send() is done with the Work Requests waits
	 * for the lock in xprt_rdma2_posted().
	 */
	smp_store_release(&req->rl_v2.vq_posted, true);
	rc = ib_post_send(ep->re_id->qp, wr, NULL);
	/* The next Send of the request may be one that is prepared by version 1. */
	req->rl_wr.next = NULL;
	spin_unlock(&ep->re_v2->ve_post_lock);
	xprt_rdma2_end_send(ep);
	return rc;
}

/**
 * xprt_rdma2_posted - wait until a Call is posted whose reply has come
 * @ep: connection on which version 2 was offered
 *
 * A server may answer a Call that it has not seen. The Work Requests that
 * register memory become those that invalidate it, and the driver may still be
 * reading them.
 *
 * Context: receive handler, xprt_rdma2_awaited() has said that the Call was
 * posted
 */
void xprt_rdma2_posted(struct rpcrdma_ep *ep)
{
	spin_lock(&ep->re_v2->ve_post_lock);
	spin_unlock(&ep->re_v2->ve_post_lock);
}

/* Send a message of the transport itself. @ct: buffer with the message; goes to the
 * completion handler. @len: length of the message, in bytes, or a negative errno of
 * the encoder. Returns 0 or a negative errno, with nothing sent.
 */
static int xprt_rdma2_ctrl_post(struct xprt_rdma2_ctrl *ct, int len)
{
	struct xprt_rdma2_ep *ve = ct->ct_ep;
	struct rdma_cm_id *id = ve->ve_ep->re_id;
	int rc = len;

	if (len < 0)
		goto out_put;
	ct->ct_sge.length = len;
	ib_dma_sync_single_for_device(id->device, ct->ct_sge.addr, len,
				      DMA_TO_DEVICE);
	/* with no other Send among those of a group (A-71, C-02, C-23) */
	spin_lock(&ve->ve_post_lock);
	rc = ib_post_send(id->qp, &ct->ct_wr, NULL);
	spin_unlock(&ve->ve_post_lock);
	if (!rc)
		return 0;
out_put:
	clear_bit_unlock(ct - ve->ve_ctrl, &ve->ve_ctrl_busy);
	return rc;
}

/**
 * xprt_rdma2_queue - have a work item of a connection run later
 * @ve: connection; nothing happens if it is about to be torn down
 * @work: the work item
 * @delay: when, in jiffies
 *
 * Context: process context
 */
void xprt_rdma2_queue(struct xprt_rdma2_ep *ve, struct delayed_work *work,
		      unsigned long delay)
{
	spin_lock(&ve->ve_conn->cn_lock);
	if (!ve->ve_closing)
		queue_delayed_work(xprtiod_workqueue, work, delay);
	spin_unlock(&ve->ve_conn->cn_lock);
}

/**
 * xprt_rdma2_next_xid - take an xid of the transport's own
 * @xprt: transport
 *
 * Return: an xid that no RPC will use
 */
__be32 xprt_rdma2_next_xid(struct rpc_xprt *xprt)
{
	__be32 xid;

	spin_lock(&xprt->reserve_lock);
	xid = (__force __be32)xprt->xid++;
	spin_unlock(&xprt->reserve_lock);
	return xid;
}

/**
 * xprt_rdma2_send_initxch - state this end's characteristics
 * @r_xprt: transport
 * @xid: rdma_xid
 * @dir: RDMA2_CALL for the probe, RDMA2_REPLY for an answer
 * @credit: request or grant, after @dir
 *
 * Context: connect worker before anything was received, or receive handler
 * Return: 0 or a negative errno, with nothing sent
 */
int xprt_rdma2_send_initxch(struct rpcrdma_xprt *r_xprt, __be32 xid, u32 dir,
			    u32 credit)
{
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;
	struct rpcrdma2_hdr hdr = {
		.xid	= xid,
		.credit	= credit,
		.dir	= dir,
	};
	struct rpcrdma2_xchars local;
	struct xprt_rdma2_ctrl *ct;
	int rc;

	ct = xprt_rdma2_ctrl_get(ve);
	if (!ct)
		return -ENOBUFS;
	rpcrdma2_conn_local(ve->ve_conn, &local);
	rc = rpcrdma2_encode_initxch(ct->ct_buf, RPCRDMA2_MAX_CTRL, &hdr, &local);
	rc = xprt_rdma2_ctrl_post(ct, rc);
	if (!rc)
		rpcrdma2_count(ve->ve_conn, RPCRDMA2_CNT_CONTROL_SENT);
	return rc;
}

/**
 * xprt_rdma2_send_respxch - tell the server what became of its request
 * @r_xprt: transport
 * @xid: rdma_xid of the request
 * @resp: what became of it
 *
 * Context: receive handler
 * Return: true if it was posted
 */
bool xprt_rdma2_send_respxch(struct rpcrdma_xprt *r_xprt, __be32 xid,
			     const struct rpcrdma2_respxch *resp)
{
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;
	struct rpcrdma2_hdr hdr = {
		.xid	= xid,
		.credit	= xprt_rdma2_reverse_grant(r_xprt),
		.dir	= RDMA2_REPLY,
	};
	struct xprt_rdma2_ctrl *ct;
	int len;

	ct = xprt_rdma2_ctrl_get(ve);
	if (!ct)
		return false;
	len = rpcrdma2_encode_respxch(ct->ct_buf, RPCRDMA2_MAX_CTRL, &hdr, resp);
	if (xprt_rdma2_ctrl_post(ct, len))
		return false;
	rpcrdma2_count(ve->ve_conn, RPCRDMA2_CNT_CONTROL_SENT);
	return true;
}

/**
 * xprt_rdma2_send_xch - send a request or an announcement
 * @r_xprt: transport
 * @ctrl: the message
 *
 * Context: process context, ve_ctrl_lock is held
 * Return: true if it was posted
 */
bool xprt_rdma2_send_xch(struct rpcrdma_xprt *r_xprt,
			 const struct rpcrdma2_ctrl *ctrl)
{
	struct xprt_rdma2_ctrl *ct;
	int len;

	ct = xprt_rdma2_ctrl_get(r_xprt->rx_ep->re_v2);
	if (!ct)
		return false;
	len = rpcrdma2_xch_encode(ctrl,
				  be32_to_cpu(r_xprt->rx_buf.rb_max_requests),
				  ct->ct_buf, RPCRDMA2_MAX_CTRL);
	return !xprt_rdma2_ctrl_post(ct, len);
}

/**
 * xprt_rdma2_post_error - answer a message with RDMA2_ERROR
 * @rep: the message; stays with the caller
 * @err: what is wrong
 *
 * Context: process context
 */
void xprt_rdma2_post_error(struct rpcrdma_rep *rep,
			   const struct rpcrdma2_error *err)
{
	struct rpcrdma_xprt *r_xprt = rep->rr_rxprt;
	struct xprt_rdma2_ep *ve = r_xprt->rx_ep->re_v2;
	struct rpcrdma2_hdr hdr = {
		.xid	= rep->rr_v2.vr_msg.xid,
		.credit	= xprt_rdma2_reverse_grant(r_xprt),
	};
	struct xprt_rdma2_ctrl *ct;
	u32 len;

	ct = xprt_rdma2_ctrl_get(ve);
	if (!ct)
		goto out_unsent;
	len = rpcrdma2_encode_error(ct->ct_buf, &hdr, rep->rr_v2.vr_msg.vers, err);
	if (xprt_rdma2_ctrl_post(ct, len))
		goto out_unsent;
	rpcrdma2_count_error(ve->ve_conn, err->code, true);
	trace_rpcrdma2_error_sent(ve->ve_conn, hdr.xid, err);
	return;

out_unsent:
	rpcrdma2_count(ve->ve_conn, RPCRDMA2_CNT_ERRORS_UNSENT);
}

/* Send a report. @fault: what it says. @hdr: first fields. Returns true if it was
 * posted.
 */
static bool xprt_rdma2_post_repterr(struct rpcrdma_xprt *r_xprt,
				    const struct rpcrdma2_repterr *fault,
				    const struct rpcrdma2_hdr *hdr)
{
	struct xprt_rdma2_ctrl *ct;
	int len;

	ct = xprt_rdma2_ctrl_get(r_xprt->rx_ep->re_v2);
	if (!ct)
		return false;
	len = rpcrdma2_encode_repterr(ct->ct_buf, RPCRDMA2_MAX_CTRL, hdr, fault);
	return !xprt_rdma2_ctrl_post(ct, len);
}

/**
 * xprt_rdma2_send_repterr - report a bad transmission
 * @r_xprt: transport
 * @fault: what is wrong with it
 *
 * Context: receive handler, or a work item that completes a Call
 */
void xprt_rdma2_send_repterr(struct rpcrdma_xprt *r_xprt,
			     const struct rpcrdma2_repterr *fault)
{
	struct rpcrdma2_conn *conn = &r_xprt->rx_v2.vx_conn;
	bool call = fault->bad.dir == RDMA2_CALL;
	const struct rpcrdma2_hdr hdr = {
		.xid	= fault->bad.xid,
		.credit	= call ? xprt_rdma2_reverse_grant(r_xprt) :
				 be32_to_cpu(r_xprt->rx_buf.rb_max_requests),
		.dir	= call ? RDMA2_REPLY : RDMA2_CALL,
	};

	if (rpcrdma2_conn_report_begin(conn, fault))
		rpcrdma2_conn_report_end(conn, fault,
					 xprt_rdma2_post_repterr(r_xprt, fault,
								 &hdr));
}
