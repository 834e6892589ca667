/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Has the verbs that a file calls go through the ledger (ledger.h). The build of
 * rpcrdma.ko for tests includes this ahead of each file.
 */

#ifndef RPCRDMA_LEDGER_WRAP_H
#define RPCRDMA_LEDGER_WRAP_H

#include "ledger.h"

#define ib_dma_map_single(dev, cpu, len, dir) \
	ledger_map(dev, cpu, len, dir, true, LEDGER_HERE)
#define ib_dma_map_page(dev, page, off, len, dir) \
	ledger_map(dev, page_address(page) + (off), len, dir, false, LEDGER_HERE)
#define ib_dma_mapping_error(dev, addr)	ledger_mapping_error(dev, addr)
#define ib_dma_unmap_single(dev, addr, len, dir) \
	ledger_unmap(dev, addr, len, dir, LEDGER_HERE)
#define ib_dma_unmap_page(dev, addr, len, dir) \
	ledger_unmap(dev, addr, len, dir, LEDGER_HERE)
#define ib_dma_sync_single_for_cpu(dev, addr, len, dir) \
	ledger_sync_for_cpu(dev, addr, len, dir, LEDGER_HERE)
#define ib_dma_sync_single_for_device(dev, addr, len, dir) \
	ledger_sync_for_device(dev, addr, len, dir, LEDGER_HERE)
#define ib_dma_map_sg(dev, sg, nents, dir) \
	ledger_map_sg(dev, sg, nents, dir, LEDGER_HERE)
#define ib_dma_unmap_sg(dev, sg, nents, dir) \
	ledger_unmap_sg(dev, sg, nents, dir, LEDGER_HERE)

#define ib_map_mr_sg(mr, sg, nents, off, size) \
	ledger_map_mr_sg(mr, sg, nents, off, size, LEDGER_HERE)
#define ib_dereg_mr(mr)	ledger_dereg_mr(mr)

#define rdma_rw_ctx_init(ctx, qp, port, sg, nents, off, remote, rkey, dir) \
	ledger_rw_init(ctx, qp, port, sg, nents, off, remote, rkey, dir, LEDGER_HERE)
#define rdma_rw_ctx_wrs(ctx, qp, port, cqe, chain) \
	ledger_rw_wrs(ctx, qp, port, cqe, chain, LEDGER_HERE)
#define rdma_rw_ctx_destroy(ctx, qp, port, sg, nents, dir) \
	ledger_rw_destroy(ctx, qp, port, sg, nents, dir, LEDGER_HERE)
#define rdma_rw_ctx_init_bvec(ctx, qp, port, bvec, nents, iter, remote, rkey, dir) \
	ledger_rw_init_bvec(ctx, qp, port, bvec, nents, iter, remote, rkey, dir, LEDGER_HERE)
#define rdma_rw_ctx_destroy_bvec(ctx, qp, port, bvec, nents, dir) \
	ledger_rw_destroy_bvec(ctx, qp, port, bvec, nents, dir, LEDGER_HERE)

#define ib_post_send(qp, wr, bad)	ledger_post_send(qp, wr, bad, LEDGER_HERE)
#define ib_post_recv(qp, wr, bad)	ledger_post_recv(qp, wr, bad, LEDGER_HERE)

/* These only fail sooner than they would. */
#define LEDGER_FAIL(what)	ledger_fault(LEDGER_FAULT_##what, LEDGER_HERE)

#define ib_alloc_mr(pd, type, max) \
	(LEDGER_FAIL(ALLOC_MR) ? ERR_PTR(-ENOMEM) : (ib_alloc_mr)(pd, type, max))
#define ib_alloc_cq_any(dev, priv, nr, ctx) \
	(LEDGER_FAIL(ALLOC_CQ) ? ERR_PTR(-ENOMEM) : (ib_alloc_cq_any)(dev, priv, nr, ctx))
#undef ib_alloc_pd
#define ib_alloc_pd(dev, flags) \
	(LEDGER_FAIL(ALLOC_PD) ? ERR_PTR(-ENOMEM) : __ib_alloc_pd(dev, flags, KBUILD_MODNAME))
#undef rdma_create_id
#define rdma_create_id(net, handler, ctx, ps, type) \
	(LEDGER_FAIL(CREATE_ID) ? ERR_PTR(-ENOMEM) : \
	 __rdma_create_kernel_id(net, handler, ctx, ps, type, KBUILD_MODNAME))
#define rdma_create_qp(id, pd, attr) \
	(LEDGER_FAIL(CREATE_QP) ? -ENOMEM : (rdma_create_qp)(id, pd, attr))
#define rdma_resolve_addr(id, src, dst, ms) \
	(LEDGER_FAIL(RESOLVE_ADDR) ? -ENETUNREACH : (rdma_resolve_addr)(id, src, dst, ms))
#define rdma_resolve_route(id, ms) \
	(LEDGER_FAIL(RESOLVE_ROUTE) ? -ENETUNREACH : (rdma_resolve_route)(id, ms))
#define rdma_connect(id, param) \
	(LEDGER_FAIL(CONNECT) ? -ENOMEM : (rdma_connect)(id, param))
#define rdma_accept(id, param) \
	(LEDGER_FAIL(ACCEPT) ? -ENOMEM : (rdma_accept)(id, param))

/* What is flushed may be unmapped and stays registered in name only. */
#define rdma_disconnect(id) ({						\
	struct rdma_cm_id *id__ = (id);					\
	ledger_qp_closing(id__->qp);					\
	(rdma_disconnect)(id__); })
/* Nothing that was posted before is with the device after that. */
#define LEDGER_DRAIN(how, qp, sq, rq) ({				\
	struct ib_qp *qp__ = (qp);					\
	(how)(qp__);							\
	ledger_drained(qp__, sq, rq); })
#define ib_drain_sq(qp)	LEDGER_DRAIN(ib_drain_sq, qp, true, false)
#define ib_drain_rq(qp)	LEDGER_DRAIN(ib_drain_rq, qp, false, true)
#define ib_drain_qp(qp)	LEDGER_DRAIN(ib_drain_qp, qp, true, true)
#define rdma_destroy_qp(id) ({						\
	struct rdma_cm_id *id__ = (id);					\
	ledger_qp_gone(id__->qp);					\
	(rdma_destroy_qp)(id__); })
#define ib_destroy_qp(qp) ({						\
	struct ib_qp *qp__ = (qp);					\
	ledger_qp_gone(qp__);						\
	(ib_destroy_qp)(qp__); })

#endif /* RPCRDMA_LEDGER_WRAP_H */
