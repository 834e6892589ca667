// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: connections join the pool of memory, and leave it.
 *
 * A connection that turns out to speak version 1 makes its Receives as it needs them, and
 * leaves the pool. One whose Receives are to be of another length has never been in it.
 * Memory goes with the connection: a transport without one has none.
 */

#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "budget.h"
#include "clnt_place.h"
#include "memory.h"

/* Credits of a connection with blocks that has no data. A Call that waits has it get
 * more.
 */
enum {
	XPRT_RDMA2_FEW_CREDITS	= 1,
};

/* Show what a connection has. Context: cn_lock is held */
static void xprt_rdma2_memory_show(struct rpcrdma2_conn *conn,
				   struct seq_file *seq)
{
	struct rpcrdma_xprt *r_xprt = container_of(conn, struct rpcrdma_xprt,
						   rx_v2.vx_conn);
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);

	if (me)
		rpcrdma2_memory_show(me, seq);
}

/* Say whether @conn has anything more to show. */
static void xprt_rdma2_memory_shown(struct rpcrdma2_conn *conn, bool shown)
{
	spin_lock(&conn->cn_lock);
	conn->cn_show = shown ? xprt_rdma2_memory_show : NULL;
	spin_unlock(&conn->cn_lock);
}

/**
 * xprt_rdma2_memory_init - have memory follow the use of a connection
 * @r_xprt: transport
 * @ep: connection that is being prepared for placement, its queues not made yet
 *
 * There are at most as many credits as RPCs, and for replies that take several, as many
 * Receives more as the queue has room for. Without memory even for this, Receives are
 * made as they are needed, and are short.
 */
void xprt_rdma2_memory_init(struct rpcrdma_xprt *r_xprt, struct rpcrdma_ep *ep)
{
	struct xprt_rdma2_placement *vp = ep->re_v2->ve_place;
	/* one entry is for ib_drain_rq() */
	u32 *most, fixed = 0, depth = ep->re_attr.cap.max_recv_wr - 1;
	struct rpcrdma2_memory *me;

	if (!vp)
		return;
	me = &vp->vp_memory;
	vp->vp_life = ++r_xprt->rx_v2.vx_life;
	me->me_block = vp->vp_own.length;
	rpcrdma2_memory_init(me, &r_xprt->rx_v2.vx_conn, &xprt_rdma2_budget,
			     xprt_rdma2_memory_worker, xprt_rdma2_memory_tick);
	if (READ_ONCE(xprt_rdma2_eager))
		fixed = min_t(u32, depth / 2, 2 * ep->re_max_requests);
	if (rpcrdma2_memory_join(me, (struct sockaddr *)&r_xprt->rx_xprt.addr,
				 XPRT_RDMA2_REVERSE + RPCRDMA2_CTRL_RECVS,
				 fixed) < 0)
		return;
	most = me->me_posted.po_m.most;
	most[RPCRDMA2_POOL_PLAIN] = min_t(u32, most[RPCRDMA2_POOL_PLAIN],
					  ep->re_max_requests);
	rpcrdma2_posted_begin(&me->me_posted, depth);
}

/**
 * xprt_rdma2_recvs_prepare - get buffers ready for a connection
 * @r_xprt: transport that is about to connect
 *
 * Those of the connection before it that are of no use to this one are freed. Where
 * memory follows use, the first Receives are posted.
 *
 * Context: connect worker; waits for memory, but not for long
 */
void xprt_rdma2_recvs_prepare(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);
	struct rpcrdma2_member *m;

	xprt_rdma2_recvs_prune(r_xprt);
	if (!me)
		return;
	m = &me->me_posted.po_m;
	spin_lock(&me->me_budget->bu_lock);
	rpcrdma2_pool_admit(&me->me_budget->bu_pool, m);
	spin_unlock(&me->me_budget->bu_lock);
	xprt_rdma2_memory_shown(me->me_conn, true);
	xprt_rdma2_memory_fetch(r_xprt, m->kind, m->coming[m->kind]);
	spin_lock(&me->me_conn->cn_lock);
	rpcrdma2_memory_count(me);
	r_xprt->rx_ep->re_receive_count = me->me_posted.po_count;
	spin_unlock(&me->me_conn->cn_lock);
}

/**
 * xprt_rdma2_memory_decide - decide what the Receives are going to be like
 * @r_xprt: transport whose server has settled on a version
 * @version: the version; 0 if there is none in common
 *
 * Context: receive handler
 */
void xprt_rdma2_memory_decide(struct rpcrdma_xprt *r_xprt, u32 version)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);

	if (!me || version == RPCRDMA2_VERSION)
		return;
	rpcrdma2_memory_closing(me);
	r_xprt->rx_ep->re_receive_count = me->me_posted.po_count;
	rpcrdma2_memory_off(me);
	xprt_rdma2_memory_shown(me->me_conn, false);
}

/**
 * xprt_rdma2_memory_closing - look after a connection no more
 * @r_xprt: transport that is about to lose its connection
 *
 * Context: may sleep; waits for work items, which wait for nobody
 */
void xprt_rdma2_memory_closing(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);

	if (me)
		rpcrdma2_memory_closing(me);
}

/**
 * xprt_rdma2_memory_drained - free what a connection had
 * @r_xprt: transport whose queues are empty
 *
 * Context: nobody takes buffers off rb_free_reps
 */
void xprt_rdma2_memory_drained(struct rpcrdma_xprt *r_xprt)
{
	struct rpcrdma2_memory *me = xprt_rdma2_memory(r_xprt);

	if (!me)
		return;
	xprt_rdma2_memory_shown(me->me_conn, false);
	xprt_rdma2_recvs_prune(r_xprt);
	WRITE_ONCE(me->me_conn->cn_place_kb, 0);
}

/**
 * xprt_rdma2_memory_free - give back what a connection had
 * @ep: connection whose queue pair is gone
 */
void xprt_rdma2_memory_free(struct rpcrdma_ep *ep)
{
	if (ep->re_v2->ve_place)
		rpcrdma2_memory_leave(&ep->re_v2->ve_place->vp_memory);
}

/* Memory that a buffer takes besides what is received in it. */
static size_t xprt_rdma2_recv_overhead(void)
{
	return kmalloc_size_roundup(sizeof(struct rpcrdma_rep)) +
	       kmalloc_size_roundup(sizeof(struct rpcrdma_regbuf));
}

/**
 * xprt_rdma2_memory_begin - begin without connections
 */
void xprt_rdma2_memory_begin(void)
{
	u32 length = XPRT_RDMA2_RECV_HEAD + RPCRDMA2_MAX_PLT_PAGES * PAGE_SIZE;
	u32 pages = rpcrdma2_recvblock_pages(length, XPRT_RDMA2_RECV_HEAD);
	size_t overhead = xprt_rdma2_recv_overhead();

	rpcrdma2_budget_init(&xprt_rdma2_budget, "client_memory",
			     &xprt_rdma2_place_mem_kb,
			     DIV_ROUND_UP(RPCRDMA2_DEF_INLINE + overhead, SZ_1K),
			     DIV_ROUND_UP(pages * PAGE_SIZE + overhead +
					  sizeof(struct rpcrdma2_recvblock),
					  SZ_1K),
			     XPRT_RDMA2_FEW_CREDITS);
}

/**
 * xprt_rdma2_memory_end - undo xprt_rdma2_memory_begin()
 */
void xprt_rdma2_memory_end(void)
{
	rpcrdma2_budget_cleanup(&xprt_rdma2_budget);
}
