// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: buffers for Receives.
 *
 * The length of Receives may change while a connection is in use. Each buffer
 * knows its own; it gets the one that is wanted before it is posted again.
 *
 * A buffer is one piece of memory, page-aligned if it is as long as a page, so
 * that a message is contiguous however long it is.
 */

#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "svc_rdma2.h"

/* Posting must not wait for memory that writing to a client could free */
#define SVC_RDMA2_RECV_GFP	(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)

/**
 * svc_rdma2_recvq - posted Receives of a connection
 * @rdma: connection with sc_v2
 *
 * Return: what is known of them; changed only before the connection is
 * accepted, and by the receive handler
 */
static struct rpcrdma2_recvq *svc_rdma2_recvq(struct svcxprt_rdma *rdma)
{
	return &rdma->sc_v2->sv_conn.cn_xch.xc_recvq;
}

/**
 * svc_rdma2_recv_size - how long a new buffer has to be
 * @rdma: connection
 *
 * Return: length in bytes
 */
u32 svc_rdma2_recv_size(struct svcxprt_rdma *rdma)
{
	return rdma->sc_v2 ? svc_rdma2_recvq(rdma)->rq_size :
			     rdma->sc_max_req_size;
}

/**
 * svc_rdma2_recv_alloc - complete a receive context
 * @rdma: connection being accepted
 * @ctxt: context that is being allocated
 * @size: length of its buffer, in bytes
 *
 * Return: false if memory is exhausted
 */
bool svc_rdma2_recv_alloc(struct svcxprt_rdma *rdma,
			  struct svc_rdma_recv_ctxt *ctxt, u32 size)
{
	if (!rdma->sc_v2)
		return true;
	ctxt->rc_v2 = kzalloc_node(sizeof(*ctxt->rc_v2), GFP_KERNEL,
				   ibdev_to_node(rdma->sc_cm_id->device));
	if (!ctxt->rc_v2)
		return false;
	svc_rdma2_recvq(rdma)->rq_buffers += size;
	return true;
}

/**
 * svc_rdma2_recv_resize - replace a buffer by one of another length
 * @rdma: connection
 * @ctxt: context that is not in use
 * @size: the length, in bytes
 *
 * Return: false if memory is exhausted; the old buffer is still there
 */
static bool svc_rdma2_recv_resize(struct svcxprt_rdma *rdma,
				  struct svc_rdma_recv_ctxt *ctxt, u32 size)
{
	struct ib_device *device = rdma->sc_pd->device;
	void *buffer;
	u64 addr;

	buffer = kmalloc_node(size, SVC_RDMA2_RECV_GFP, ibdev_to_node(device));
	if (!buffer)
		return false;
	addr = ib_dma_map_single(device, buffer, size, DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(device, addr)) {
		kfree(buffer);
		return false;
	}

	ib_dma_unmap_single(device, ctxt->rc_recv_sge.addr,
			    ctxt->rc_recv_sge.length, DMA_FROM_DEVICE);
	kfree(ctxt->rc_recv_buf);
	svc_rdma2_recvq(rdma)->rq_buffers += size - ctxt->rc_recv_sge.length;
	ctxt->rc_recv_buf = buffer;
	ctxt->rc_recv_sge.addr = addr;
	ctxt->rc_recv_sge.length = size;
	return true;
}

/**
 * svc_rdma2_recv_post - get a receive context ready to be posted
 * @rdma: connection
 * @ctxt: context that is not in use
 *
 * Without memory the old buffer will do if it is as long as the peer may rely
 * on it to be; a raise under way then takes a little longer.
 *
 * Context: before the connection is accepted, or receive handler
 *
 * Return: false if the context cannot be posted now
 */
bool svc_rdma2_recv_post(struct svcxprt_rdma *rdma,
			 struct svc_rdma_recv_ctxt *ctxt)
{
	struct rpcrdma2_recvq *rq;

	if (!rdma->sc_v2)
		return true;
	rq = svc_rdma2_recvq(rdma);
	if (ctxt->rc_recv_sge.length != rq->rq_size &&
	    !svc_rdma2_recv_resize(rdma, ctxt, rq->rq_size) &&
	    ctxt->rc_recv_sge.length <
	    rdma->sc_v2->sv_conn.cn_xch.xc_local.rbsiz)
		return false;
	rpcrdma2_recvq_post(rq, ctxt->rc_recv_sge.length);
	return true;
}

/**
 * svc_rdma2_recv_consume - a posted Receive is finished
 * @rdma: connection
 * @ctxt: its context
 *
 * Context: receive handler
 */
void svc_rdma2_recv_consume(struct svcxprt_rdma *rdma,
			    const struct svc_rdma_recv_ctxt *ctxt)
{
	if (rdma->sc_v2)
		rpcrdma2_recvq_consume(svc_rdma2_recvq(rdma),
				       ctxt->rc_recv_sge.length);
}
