// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: copies of what the device cannot gather.
 *
 * A Call gets memory for its copy when it is about to be sent, and its Send
 * keeps that until it is complete. There is no waiting for memory here, nor
 * trying again and again: explicit RDMA needs none.
 */

#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/mm.h>

#include "xprt_rdma2_place.h"
#include <trace/events/rpcrdma.h>

/* For how long not to look for memory if there was none */
#define XPRT_RDMA2_NO_BOUNCE	(HZ / 4)

/**
 * xprt_rdma2_bounce_get - get memory for a copy
 * @r_xprt: transport
 * @length: how much, in bytes
 *
 * Context: the transport's send lock is held
 *
 * Return: pages that are contiguous, or NULL if there are none
 */
struct page *xprt_rdma2_bounce_get(struct rpcrdma_xprt *r_xprt, u32 length)
{
	struct xprt_rdma2 *vx = &r_xprt->rx_v2;
	struct page *page;

	if (time_before(jiffies, vx->vx_no_bounce))
		return NULL;
	page = alloc_pages(XPRT_RDMA2_GFP_NOWAIT | __GFP_COMP,
			   get_order(length));
	if (!page)
		vx->vx_no_bounce = jiffies + XPRT_RDMA2_NO_BOUNCE;
	return page;
}

/**
 * xprt_rdma2_bounce_put - release memory that nothing was copied to
 * @copy: it, or NULL; becomes NULL
 */
void xprt_rdma2_bounce_put(struct page **copy)
{
	if (*copy)
		put_page(*copy);
	*copy = NULL;
}

/**
 * xprt_rdma2_bounce - let a Send go on with a copy
 * @r_xprt: transport
 * @req: Call whose Send is being prepared
 * @xdr: its RPC message
 * @pos: first byte
 * @length: how many
 * @copy: memory for them; taken over
 *
 * Return: false if the device cannot read from there
 */
bool xprt_rdma2_bounce(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req,
		       const struct xdr_buf *xdr, u32 pos, u32 length,
		       struct page **copy)
{
	struct ib_device *device = rdmab_device(req->rl_rdmabuf);
	struct rpcrdma_sendctx *sc = req->rl_sendctx;
	struct ib_sge *sge = &sc->sc_sges[req->rl_wr.num_sge];
	struct page *page = *copy;

	*copy = NULL;
	sc->sc_hold->ho_pages[sc->sc_hold->ho_count++] = page;
	if (read_bytes_from_xdr_buf(xdr, pos, page_address(page), length))
		return false;
	sge->addr = ib_dma_map_page(device, page, 0, length, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(device, sge->addr)) {
		trace_xprtrdma_dma_maperr(sge->addr);
		return false;
	}
	sge->length = length;
	sge->lkey = rdmab_lkey(req->rl_rdmabuf);
	sc->sc_unmap_first = req->rl_wr.num_sge++;
	sc->sc_unmap_count = 1;
	rpcrdma2_count_bytes(&r_xprt->rx_v2.vx_conn, RPCRDMA2_CNT_BOUNCED,
			     length);
	return true;
}
