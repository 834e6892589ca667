/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ledger of what rpcrdma.ko has mapped for DMA, registered and posted.
 *
 * ledger_wrap.h, which is included into every file of rpcrdma.ko ahead of the
 * others, has its calls of verbs come here. A module that is built without that
 * header knows nothing of this one.
 */

#ifndef RPCRDMA_LEDGER_H
#define RPCRDMA_LEDGER_H

#include <linux/bvec.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>
#include <rdma/rw.h>

/**
 * struct ledger_site - where a call was made
 * @func: the function
 * @line: the line in its source
 */
struct ledger_site {
	const char	*func;
	unsigned int	line;
};

#define LEDGER_HERE ({							\
	static const struct ledger_site here__ = { __func__, __LINE__ };\
	&here__; })

/* What can be wrong; ledger_crimes[] says each in words. */
enum ledger_crime {
	LEDGER_UNMAP_UNKNOWN,
	LEDGER_UNMAP_TWICE,
	LEDGER_UNMAP_LENGTH,
	LEDGER_UNMAP_DIRECTION,
	LEDGER_UNMAP_BUSY,
	LEDGER_UNMAP_REGISTERED,
	LEDGER_SYNC_UNKNOWN,
	LEDGER_SYNC_DIRECTION,
	LEDGER_POST_UNKNOWN,
	LEDGER_POST_DIRECTION,
	LEDGER_POST_UNCHECKED,
	LEDGER_POST_UNSYNCED,
	LEDGER_POST_CHANGED,
	LEDGER_POST_CPU,
	LEDGER_POST_REUSED,
	LEDGER_RECV_UNREAD,
	LEDGER_RECV_WRITTEN,
	LEDGER_REG_UNKNOWN,
	LEDGER_CTX_UNKNOWN,
	LEDGER_CTX_TWICE,
	LEDGER_CTX_DIFFERS,
	LEDGER_CTX_BUSY,
	LEDGER_LEAK,
	LEDGER_CRIMES,
};

/* What can be made to fail; ledger_faults[] has the names in debugfs. */
enum ledger_fault {
	LEDGER_FAULT_POST_SEND,
	LEDGER_FAULT_POST_RECV,
	LEDGER_FAULT_SEND_HELD,
	LEDGER_FAULT_OTHER_HELD,
	LEDGER_FAULT_MAP,
	LEDGER_FAULT_MAP_SG,
	LEDGER_FAULT_ALLOC_MR,
	LEDGER_FAULT_MAP_MR,
	LEDGER_FAULT_RW_INIT,
	LEDGER_FAULT_CREATE_QP,
	LEDGER_FAULT_ALLOC_CQ,
	LEDGER_FAULT_ALLOC_PD,
	LEDGER_FAULT_CREATE_ID,
	LEDGER_FAULT_RESOLVE_ADDR,
	LEDGER_FAULT_RESOLVE_ROUTE,
	LEDGER_FAULT_CONNECT,
	LEDGER_FAULT_ACCEPT,
	LEDGER_FAULTS,
};

bool ledger_fault(enum ledger_fault what, const struct ledger_site *site);

u64 ledger_map(struct ib_device *dev, void *cpu, size_t len,
	       enum dma_data_direction dir, bool single,
	       const struct ledger_site *site);
int ledger_mapping_error(struct ib_device *dev, u64 addr);
void ledger_unmap(struct ib_device *dev, u64 addr, size_t len,
		  enum dma_data_direction dir, const struct ledger_site *site);
void ledger_sync_for_cpu(struct ib_device *dev, u64 addr, size_t len,
			 enum dma_data_direction dir,
			 const struct ledger_site *site);
void ledger_sync_for_device(struct ib_device *dev, u64 addr, size_t len,
			    enum dma_data_direction dir,
			    const struct ledger_site *site);

int ledger_map_sg(struct ib_device *dev, struct scatterlist *sg, int nents,
		  enum dma_data_direction dir, const struct ledger_site *site);
void ledger_unmap_sg(struct ib_device *dev, struct scatterlist *sg, int nents,
		     enum dma_data_direction dir,
		     const struct ledger_site *site);
int ledger_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int nents,
		     unsigned int *offset, unsigned int page_size,
		     const struct ledger_site *site);
int ledger_dereg_mr(struct ib_mr *mr);

int ledger_rw_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port,
		   struct scatterlist *sg, u32 nents, u32 offset, u64 remote,
		   u32 rkey, enum dma_data_direction dir,
		   const struct ledger_site *site);
struct ib_send_wr *ledger_rw_wrs(struct rdma_rw_ctx *ctx, struct ib_qp *qp,
				 u32 port, struct ib_cqe *cqe,
				 struct ib_send_wr *chain,
				 const struct ledger_site *site);
void ledger_rw_destroy(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port,
		       struct scatterlist *sg, u32 nents,
		       enum dma_data_direction dir,
		       const struct ledger_site *site);
/* Only where there is rdma_rw_ctx_init_bvec() */
int ledger_rw_init_bvec(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port,
			const struct bio_vec *bvec, u32 nents,
			struct bvec_iter iter, u64 remote, u32 rkey,
			enum dma_data_direction dir,
			const struct ledger_site *site);
void ledger_rw_destroy_bvec(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port,
			    const struct bio_vec *bvec, u32 nents,
			    enum dma_data_direction dir,
			    const struct ledger_site *site);

int ledger_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad,
		     const struct ledger_site *site);
int ledger_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad,
		     const struct ledger_site *site);
void ledger_qp_closing(struct ib_qp *qp);
void ledger_drained(struct ib_qp *qp, bool sq, bool rq);
void ledger_qp_gone(struct ib_qp *qp);

/* For the test of the ledger itself. */
extern bool ledger_copy;
void ledger_listen(struct ib_device *dev, void (*heard)(enum ledger_crime what));
void ledger_close(struct ib_device *dev);

#endif /* RPCRDMA_LEDGER_H */
