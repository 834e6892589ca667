// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: connections join the pool of memory, and leave it.
 *
 * A connection that turns out to speak version 1 gets all of its Receives at once, and
 * leaves the pool. One whose Receives are to be of another length has never been in it.
 */

#include <linux/llist.h>
#include <linux/overflow.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc.h>

#include "budget.h"
#include "svc.h"

/* Reverse credits that there are on any device */
enum {
	SVC_RDMA2_LEAST_REVERSE	= 2,
};

/* Credits of a connection with blocks that has no data. As long as all of them are in
 * use, nothing can tell the peer of more.
 */
enum {
	SVC_RDMA2_FEW_CREDITS	= 4,
};

/**
 * svc_rdma2_memory_prepare - get a receive context ready to be posted
 * @rdma: connection
 * @ctxt: context that is not in use
 *
 * Return: false if the context cannot be posted now
 */
bool svc_rdma2_memory_prepare(struct svcxprt_rdma *rdma,
			      struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_posted *po = &v2->sv_memory.me_posted;
	struct rpcrdma2_recvq *rq = &v2->sv_conn.cn_xch.xc_recvq;

	if (!svc_rdma2_on_demand(v2))
		return svc_rdma2_recv_prepare(rdma, ctxt);
	if (!svc_rdma2_recv_fill(rdma, ctxt, svc_rdma2_first_recv(v2),
				 po->po_m.kind == RPCRDMA2_POOL_BLOCK,
				 GFP_KERNEL | __GFP_NOWARN))
		return false;
	spin_lock(&v2->sv_conn.cn_lock);
	rpcrdma2_recvq_post(rq, ctxt->rc_recv_sge.length);
	rq->rq_buffers += ctxt->rc_recv_sge.length;
	rpcrdma2_posted_add(po);
	rpcrdma2_pool_posted(&po->po_m, po->po_m.kind, 1);
	spin_unlock(&v2->sv_conn.cn_lock);
	return true;
}

/**
 * svc_rdma2_memory_wanted - how many Receives others are to post
 * @rdma: connection
 * @needed: number that goes with the credits that version 1 grants
 * @initial: the connection is being accepted
 *
 * Return: the number; 0 for a connection whose Receives are posted here
 */
u32 svc_rdma2_memory_wanted(const struct svcxprt_rdma *rdma, u32 needed,
			    bool initial)
{
	if (!svc_rdma2_on_demand(rdma->sc_v2))
		return needed;
	return initial ? rdma->sc_recv_first : 0;
}

/*
 * How many Receives a queue is going to have room for, as version 1 needs them.
 * Returns the number, which the device may not have.
 */
static u32 svc_rdma2_depth(const struct svcxprt_rdma *rdma)
{
	return svc_rdma_recvs_needed(rdma) + rdma->sc_recv_batch;
}

/*
 * How many Receives no credit accounts for. On a device that has not so many
 * entries svc_rdma_accept() lowers the number of reverse credits. Returns the
 * number.
 */
static u32 svc_rdma2_memory_extra(const struct svcxprt_rdma *rdma)
{
	u32 reverse = rdma->sc_max_bc_requests;

	if (svc_rdma2_depth(rdma) >= rdma->sc_cm_id->device->attrs.max_qp_wr)
		reverse = min_t(u32, reverse, SVC_RDMA2_LEAST_REVERSE);
	return reverse + rdma->sc_recv_extra;
}

/*
 * Have a connection without blocks get no more credits than with version 1, and one
 * with blocks no more than four times as many, nor than there are memory registrations
 * for. Where each RDMA Read takes some, svc_rdma_accept() provides three for each
 * credit of version 1, and a Call of 1 MiB may take two. A Read that finds none ends
 * the connection.
 */
static void svc_rdma2_bound_credits(const struct svcxprt_rdma *rdma)
{
	u32 *most = rdma->sc_v2->sv_memory.me_posted.po_m.most;
	u32 requests = rdma->sc_max_requests, blocks = 4 * requests;

	if (rdma_protocol_iwarp(rdma->sc_cm_id->device, rdma->sc_port_num))
		blocks = requests + requests / 2;
	most[RPCRDMA2_POOL_PLAIN] = min_t(u32, most[RPCRDMA2_POOL_PLAIN],
					  requests);
	most[RPCRDMA2_POOL_BLOCK] = min_t(u32, most[RPCRDMA2_POOL_BLOCK],
					  blocks);
}

/*
 * How many more Receives than version 1 needs a queue is to have room for. Where
 * the device has not that many, it has none more. Returns the number.
 */
static u32 svc_rdma2_more_depth(const struct svcxprt_rdma *rdma)
{
	const struct rpcrdma2_member *m =
		&rdma->sc_v2->sv_memory.me_posted.po_m;
	u32 now = svc_rdma2_depth(rdma) + 1;
	u32 wanted = rpcrdma2_pool_buffers(m, m->most[RPCRDMA2_POOL_BLOCK]);

	wanted += wanted / 3 + 1;
	if (wanted <= now || wanted > rdma->sc_cm_id->device->attrs.max_qp_wr)
		return 0;
	return wanted - now;
}

/* Let a connection have all of its Receives, and none from the pool. */
static void svc_rdma2_memory_off(struct svcxprt_rdma *rdma)
{
	rpcrdma2_memory_off(&rdma->sc_v2->sv_memory);
	rdma->sc_recv_first = 0;
	rdma->sc_recv_extra = RPCRDMA2_CTRL_RECVS;
}

/**
 * svc_rdma2_memory_caps - have queues that are deep enough
 * @rdma: connection being accepted
 * @cap: capacities of its queues
 * @when: what has happened to them
 *
 * Return: true if it may work with what is in @cap now
 */
bool svc_rdma2_memory_caps(struct svcxprt_rdma *rdma, struct ib_qp_cap *cap,
			   enum svc_rdma_caps when)
{
	bool again = svc_rdma2_caps(rdma, cap, when);
	struct svc_rdma2 *v2 = rdma->sc_v2;

	if (!svc_rdma2_on_demand(v2))
		return again;
	if (when == SVC_RDMA_CAPS_REFUSED && again) {
		svc_rdma2_memory_off(rdma);
		cap->max_recv_wr = min_t(u32, cap->max_recv_wr,
					 svc_rdma2_depth(rdma) + 1);
		svc_rdma2_state(rdma);
	}
	if (when == SVC_RDMA_CAPS_GOT) {
		spin_lock(&v2->sv_conn.cn_lock);
		rpcrdma2_posted_begin(&v2->sv_memory.me_posted,
				      svc_rdma2_depth(rdma));
		spin_unlock(&v2->sv_conn.cn_lock);
		rpcrdma2_memory_count(&v2->sv_memory);
	}
	return again;
}

/*
 * Allocate and post what a connection of version 1 needs. Context: receive handler.
 * Returns false if there is no memory for it.
 */
static bool svc_rdma2_memory_version_1(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct rpcrdma2_member *m = &v2->sv_memory.me_posted.po_m;
	u32 total, first = m->bufs[m->kind];
	struct svc_rdma_recv_ctxt *ctxt;

	rpcrdma2_memory_closing(&v2->sv_memory);
	svc_rdma2_memory_off(rdma);
	rdma->sc_pending_recvs = v2->sv_memory.me_posted.po_count;
	svc_rdma2_place_leave(rdma);
	for (total = svc_rdma_recv_ctxts(rdma) - first; total; total--) {
		ctxt = svc_rdma_recv_ctxt_alloc(rdma);
		if (!ctxt)
			return false;
		llist_add(&ctxt->rc_node, &rdma->sc_recv_ctxts);
	}
	return svc_rdma2_place_fill(rdma);
}

/**
 * svc_rdma2_memory_decide - decide what the Receives are going to be like
 * @rdma: connection whose first message has arrived
 *
 * Context: receive handler, before the message is queued
 *
 * Return: false if there is no memory for Receives at all
 */
bool svc_rdma2_memory_decide(struct svcxprt_rdma *rdma)
{
	return !svc_rdma2_on_demand(rdma->sc_v2) ||
	       rdma->sc_v2->sv_conn.cn_version == RPCRDMA2_VERSION ||
	       svc_rdma2_memory_version_1(rdma);
}

/* Show what a connection has. Context: cn_lock is held */
static void svc_rdma2_memory_show(struct rpcrdma2_conn *conn,
				  struct seq_file *seq)
{
	rpcrdma2_memory_show(&container_of(conn, struct svc_rdma2,
					   sv_conn)->sv_memory, seq);
}

/**
 * svc_rdma2_memory_init - have memory follow the use of a connection
 * @rdma: connection being accepted
 *
 * Not where the administrator wants Receives of another length, or none that data is
 * placed in.
 */
void svc_rdma2_memory_init(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	int count;

	rpcrdma2_memory_init(&v2->sv_memory, &v2->sv_conn, &svc_rdma2_budget,
			     svc_rdma2_memory_worker, svc_rdma2_memory_tick);
	if (!rpcrdma2_server_placement_pages() ||
	    rdma->sc_max_req_size != RPCRDMA2_DEF_INLINE ||
	    READ_ONCE(rpcrdma2_server_recv_size) != RPCRDMA2_DEF_INLINE)
		return;
	count = rpcrdma2_memory_join(&v2->sv_memory,
				     (struct sockaddr *)&rdma->sc_xprt.xpt_remote,
				     svc_rdma2_memory_extra(rdma),
				     READ_ONCE(rpcrdma2_server_eager) ?
				     rdma->sc_max_requests : 0);
	if (count < 0)
		return;
	v2->sv_conn.cn_show = svc_rdma2_memory_show;
	svc_rdma2_bound_credits(rdma);
	rdma->sc_recv_first = count;
	rdma->sc_recv_extra += svc_rdma2_more_depth(rdma);
}

/**
 * svc_rdma2_memory_closing - look after a connection no more
 * @rdma: connection that is about to lose its queues
 *
 * Context: may sleep; waits for work items, which wait for nobody
 */
void svc_rdma2_memory_closing(struct svcxprt_rdma *rdma)
{
	rpcrdma2_memory_closing(&rdma->sc_v2->sv_memory);
}

/**
 * svc_rdma2_memory_free - give back what a connection had
 * @rdma: connection whose Receives are gone
 */
void svc_rdma2_memory_free(struct svcxprt_rdma *rdma)
{
	rpcrdma2_memory_leave(&rdma->sc_v2->sv_memory);
}

/*
 * Memory that a context takes besides its buffer. Most of it is for the pages of a
 * request of 1 MiB. Returns a number of bytes.
 */
static size_t svc_rdma2_recv_overhead(void)
{
	return kmalloc_size_roundup(struct_size_t(struct svc_rdma_recv_ctxt,
						  rc_pages,
						  SZ_1M / PAGE_SIZE + 4)) +
	       kmalloc_size_roundup(sizeof(struct svc_rdma2_recv));
}

/**
 * svc_rdma2_memory_begin - begin without connections
 */
void svc_rdma2_memory_begin(void)
{
	u32 length = RPCRDMA2_BLOCK_HEAD + RPCRDMA2_MAX_PLT_PAGES * PAGE_SIZE;
	u32 pages = rpcrdma2_recvblock_pages(length, RPCRDMA2_BLOCK_HEAD);
	size_t overhead = svc_rdma2_recv_overhead();

	rpcrdma2_budget_init(&svc_rdma2_budget, "server_memory",
			     &rpcrdma2_server_placement_mem_kb,
			     DIV_ROUND_UP(RPCRDMA2_DEF_INLINE + overhead, SZ_1K),
			     DIV_ROUND_UP(pages * PAGE_SIZE + overhead +
					  sizeof(struct rpcrdma2_recvblock),
					  SZ_1K),
			     SVC_RDMA2_FEW_CREDITS);
}

/**
 * svc_rdma2_memory_end - undo svc_rdma2_memory_begin()
 */
void svc_rdma2_memory_end(void)
{
	rpcrdma2_budget_cleanup(&svc_rdma2_budget);
}
