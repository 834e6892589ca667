// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: buffers for Receives.
 *
 * The length of Receives may change while a connection is in use. Each buffer
 * knows its own; it gets the one that is wanted before it is posted again, and
 * the first one when it is posted for the first time.
 *
 * A buffer is one piece of memory as far as the CPU can see, so that a message
 * is contiguous however long it is. If data is placed in it, it is a block
 * whose pages can be handed to the upper layer; otherwise it is page-aligned if
 * it is as long as a page.
 *
 * RPCSEC_GSS looks for the page of what it checks or unwraps, which an address
 * of a block in several pieces does not tell. It gets a copy.
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc.h>
#include <linux/unaligned.h>
#include <rdma/ib_verbs.h>

#include "svc.h"

struct kmem_cache *svc_rdma2_calls;
struct kmem_cache *svc_rdma2_replies;

/*
 * Posted Receives of a connection. Returns what is known of them; changed only
 * before the connection is accepted, and by the receive handler, or with cn_lock
 * held if memory follows use.
 */
static struct rpcrdma2_recvq *svc_rdma2_recvq(struct svcxprt_rdma *rdma)
{
	return &rdma->sc_v2->sv_conn.cn_xch.xc_recvq;
}

/**
 * svc_rdma2_recv_alloc - complete a receive context
 * @rdma: connection being accepted
 * @ctxt: context that is being allocated; has no buffer yet
 *
 * Return: false if memory is exhausted
 */
bool svc_rdma2_recv_alloc(struct svcxprt_rdma *rdma,
			  struct svc_rdma_recv_ctxt *ctxt)
{
	ctxt->rc_v2 = kzalloc_node(sizeof(*ctxt->rc_v2), GFP_KERNEL,
				   ibdev_to_node(rdma->sc_cm_id->device));
	return ctxt->rc_v2;
}

/*
 * Release the buffer of a receive context. @ctxt: context that is not in use.
 */
static void svc_rdma2_recv_drop(struct svcxprt_rdma *rdma,
				struct svc_rdma_recv_ctxt *ctxt)
{
	if (!svc_rdma2_on_demand(rdma->sc_v2))
		svc_rdma2_recvq(rdma)->rq_buffers -= ctxt->rc_recv_sge.length;
	if (ctxt->rc_block) {
		rpcrdma2_recvblock_free(ctxt->rc_block);
	} else if (ctxt->rc_recv_buf) {
		ib_dma_unmap_single(rdma->sc_pd->device,
				    ctxt->rc_recv_sge.addr,
				    ctxt->rc_recv_sge.length, DMA_FROM_DEVICE);
		kfree(ctxt->rc_recv_buf);
	}
	ctxt->rc_block = NULL;
	ctxt->rc_recv_buf = NULL;
	ctxt->rc_recv_sge.length = 0;
	ctxt->rc_byte_len = 0;
}

/**
 * svc_rdma2_recv_free - undo svc_rdma2_recv_alloc()
 * @rdma: connection
 * @ctxt: context that is not in use
 */
void svc_rdma2_recv_free(struct svcxprt_rdma *rdma,
			 struct svc_rdma_recv_ctxt *ctxt)
{
	svc_rdma2_recv_drop(rdma, ctxt);
	kfree(ctxt->rc_v2);
}

/*
 * Give a receive context its buffer. @addr: where it, or its first piece, is
 * for the device.
 */
static void svc_rdma2_recv_set(struct svcxprt_rdma *rdma,
			       struct svc_rdma_recv_ctxt *ctxt, u64 addr,
			       void *buffer, u32 size)
{
	if (!svc_rdma2_on_demand(rdma->sc_v2))
		svc_rdma2_recvq(rdma)->rq_buffers += size;
	ctxt->rc_recv_buf = buffer;
	ctxt->rc_recv_sge.addr = addr;
	ctxt->rc_recv_sge.length = size;
	ctxt->rc_recv_wr.sg_list = &ctxt->rc_recv_sge;
	ctxt->rc_recv_wr.num_sge = 1;
}

/*
 * Replace a buffer by one that nothing is placed in. @ctxt: context that is not
 * in use. Returns false if memory is exhausted; the old buffer is still there.
 */
static bool svc_rdma2_recv_plain(struct svcxprt_rdma *rdma,
				 struct svc_rdma_recv_ctxt *ctxt, u32 size,
				 gfp_t gfp)
{
	struct ib_device *device = rdma->sc_pd->device;
	void *buffer;
	u64 addr;

	buffer = kmalloc_node(size, gfp, ibdev_to_node(device));
	if (!buffer)
		return false;
	addr = ib_dma_map_single(device, buffer, size, DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(device, addr)) {
		kfree(buffer);
		return false;
	}
	svc_rdma2_recv_drop(rdma, ctxt);
	svc_rdma2_recv_set(rdma, ctxt, addr, buffer, size);
	return true;
}

/*
 * Replace a buffer by one that data can be placed in. @ctxt: context that is
 * not in use. Returns false if memory is exhausted; the old buffer is still
 * there.
 */
static bool svc_rdma2_recv_block(struct svcxprt_rdma *rdma,
				 struct svc_rdma_recv_ctxt *ctxt, u32 size,
				 gfp_t gfp)
{
	struct rpcrdma2_recvblock *block;

	block = rpcrdma2_recvblock_alloc(size, RPCRDMA2_BLOCK_HEAD,
					 rdma->sc_v2->sv_place.pl_recv_sges,
					 ibdev_to_node(rdma->sc_pd->device),
					 gfp);
	if (!block)
		return false;
	if (!rpcrdma2_recvblock_map(block, rdma->sc_pd)) {
		rpcrdma2_recvblock_free(block);
		return false;
	}
	svc_rdma2_recv_drop(rdma, ctxt);
	svc_rdma2_recv_set(rdma, ctxt, block->rb_sges[0].addr, block->rb_buf,
			   size);
	ctxt->rc_block = block;
	ctxt->rc_recv_wr.sg_list = block->rb_sges;
	ctxt->rc_recv_wr.num_sge = block->rb_nsges;
	return true;
}

/*
 * Have a receive context hold the buffer that is wanted. @ctxt: context that is
 * not in use. The first buffer of a context is allocated when the connection is
 * new, and there is nothing to fall back to. One that has turned out to speak
 * version 1 may have blocks. Returns false if memory is exhausted; the old buffer is
 * still there.
 */
static bool svc_rdma2_recv_renew(struct svcxprt_rdma *rdma,
				 struct svc_rdma_recv_ctxt *ctxt)
{
	gfp_t gfp = ctxt->rc_recv_buf ? SVC_RDMA2_GFP :
					GFP_KERNEL | __GFP_NOWARN;
	u32 size = svc_rdma2_recvq(rdma)->rq_size;

	return (ctxt->rc_recv_sge.length == size && !ctxt->rc_block) ||
	       svc_rdma2_recv_plain(rdma, ctxt, size, gfp);
}

/*
 * Can a buffer be posted although it is not the best? @ctxt: context that is
 * not in use. It has to be as long as the peer may rely on it to be. One that is
 * longer, or has a structure, will do.
 */
static bool svc_rdma2_recv_usable(struct svcxprt_rdma *rdma,
				  const struct svc_rdma_recv_ctxt *ctxt)
{
	return ctxt->rc_recv_sge.length >=
	       rdma->sc_v2->sv_conn.cn_xch.xc_local.rbsiz;
}

/*
 * Have the CPU done with a block. @ctxt: context that is not in use. RPCSEC_GSS
 * may have decrypted what was received, and what is behind an item may have
 * been cleared.
 */
static void svc_rdma2_recv_for_device(struct svc_rdma_recv_ctxt *ctxt)
{
	u32 written = ctxt->rc_byte_len;

	if (ctxt->rc_v2) {
		written = max(written, ctxt->rc_v2->rv_written);
		ctxt->rc_v2->rv_written = 0;
	}
	if (written)
		rpcrdma2_recvblock_for_device(ctxt->rc_block, written);
	ctxt->rc_byte_len = 0;
}

/**
 * svc_rdma2_recv_fill - give a receive context its first buffer
 * @rdma: connection whose memory follows use
 * @ctxt: context that has none
 * @size: its length, in bytes
 * @block: data can be placed in it
 * @gfp: how to allocate
 *
 * Context: may sleep as far as @gfp says
 *
 * Return: false if memory is exhausted
 */
bool svc_rdma2_recv_fill(struct svcxprt_rdma *rdma,
			 struct svc_rdma_recv_ctxt *ctxt, u32 size, bool block,
			 gfp_t gfp)
{
	return block ? svc_rdma2_recv_block(rdma, ctxt, size, gfp) :
		       svc_rdma2_recv_plain(rdma, ctxt, size, gfp);
}

/**
 * svc_rdma2_recv_ready - have the CPU done with a buffer
 * @rdma: connection
 * @ctxt: context that is not in use
 */
void svc_rdma2_recv_ready(struct svcxprt_rdma *rdma,
			  struct svc_rdma_recv_ctxt *ctxt)
{
	if (ctxt->rc_block)
		svc_rdma2_recv_for_device(ctxt);
	svc_rdma_recv_prepare(rdma, ctxt);
}

/**
 * svc_rdma2_recv_prepare - get a receive context ready to be posted
 * @rdma: connection
 * @ctxt: context that is not in use
 *
 * Without memory the old buffer may do; a raise under way then takes a little
 * longer.
 *
 * Context: before the connection is accepted, or receive handler
 *
 * Return: false if the context cannot be posted now
 */
bool svc_rdma2_recv_prepare(struct svcxprt_rdma *rdma,
			    struct svc_rdma_recv_ctxt *ctxt)
{
	if (!svc_rdma2_recv_renew(rdma, ctxt) &&
	    !svc_rdma2_recv_usable(rdma, ctxt))
		return false;
	rpcrdma2_recvq_post(svc_rdma2_recvq(rdma), ctxt->rc_recv_sge.length);
	svc_rdma2_recv_ready(rdma, ctxt);
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
	rpcrdma2_recvq_consume(svc_rdma2_recvq(rdma), ctxt->rc_recv_sge.length);
}

/**
 * svc_rdma2_recv_for_cpu - look at a message
 * @rdma: connection
 * @ctxt: received message
 */
void svc_rdma2_recv_for_cpu(struct svcxprt_rdma *rdma,
			    struct svc_rdma_recv_ctxt *ctxt)
{
	if (ctxt->rc_block)
		rpcrdma2_recvblock_for_cpu(ctxt->rc_block, ctxt->rc_byte_len);
	else
		ib_dma_sync_single_for_cpu(rdma->sc_pd->device,
					   ctxt->rc_recv_sge.addr,
					   ctxt->rc_byte_len, DMA_FROM_DEVICE);
}

/* Release the transmissions that the first one holds. */
static void svc_rdma2_group_put(struct svcxprt_rdma *rdma,
				const struct svc_rdma2_call *xmt)
{
	u32 i;

	for (i = 1; i < xmt->xm_arr.nparts; i++)
		svc_rdma_recv_ctxt_put(rdma, xmt->xm_ctxts[i]);
}

/*
 * Release what a Call by ROPT_XMTREQ holds. @xmt: Call that has been dealt
 * with, or NULL.
 */
static void svc_rdma2_call_put(struct svcxprt_rdma *rdma,
			       struct svc_rdma2_call *xmt)
{
	if (!xmt)
		return;
	svc_rdma2_group_put(rdma, xmt);
	kvfree(xmt->xm_joined);
	kvfree(xmt->xm_linear);
	kmem_cache_free(svc_rdma2_calls, xmt);
}

/**
 * svc_rdma2_recv_put - release what a message left behind in its context
 * @rdma: connection
 * @ctxt: context whose message has been dealt with, of either version
 */
void svc_rdma2_recv_put(struct svcxprt_rdma *rdma,
			struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2_call *xmt;

	kfree(ctxt->rc_flat);
	ctxt->rc_flat = NULL;
	if (!ctxt->rc_v2)
		return;
	xmt = ctxt->rc_v2->rv_call;
	ctxt->rc_v2->rv_call = NULL;
	svc_rdma2_call_put(rdma, xmt);
}

/*
 * May RPCSEC_GSS have to look at a Call? Returns false if its credential is of
 * another flavor.
 */
static bool svc_rdma2_is_gss(const struct kvec *head)
{
	const __be32 *p = head->iov_base;

	return head->iov_len < (SVC_RDMA2_CRED_FLAVOR + 1) * XDR_UNIT ||
	       get_unaligned_be32(p + SVC_RDMA2_CRED_FLAVOR) == RPC_AUTH_GSS;
}

/**
 * svc_rdma2_recv_flatten - have a Call be where RPCSEC_GSS can look at it
 * @rqstp: request with the whole Call in rq_arg
 * @ctxt: received message that conveyed it, of either version; the copy goes
 *	with it
 *
 * Pages stay what they are.
 *
 * Context: service thread, may sleep. @ctxt stays with the caller.
 *
 * Return: false if memory is exhausted; the connection is being closed, and the
 * peer sends the Call again when it has reconnected
 */
bool svc_rdma2_recv_flatten(struct svc_rqst *rqstp,
			    struct svc_rdma_recv_ctxt *ctxt)
{
	struct kvec *head = &rqstp->rq_arg.head[0];
	struct kvec *tail = &rqstp->rq_arg.tail[0];

	if (likely(!is_vmalloc_addr(head->iov_base)) || !svc_rdma2_is_gss(head))
		return true;
	ctxt->rc_flat = kmalloc(head->iov_len + tail->iov_len,
				GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!ctxt->rc_flat) {
		svc_rdma2_close(svc_rdma_rqst_rdma(rqstp));
		return false;
	}
	memcpy(ctxt->rc_flat, head->iov_base, head->iov_len);
	head->iov_base = ctxt->rc_flat;
	memcpy(ctxt->rc_flat + head->iov_len, tail->iov_base, tail->iov_len);
	tail->iov_base = ctxt->rc_flat + head->iov_len;
	return true;
}
