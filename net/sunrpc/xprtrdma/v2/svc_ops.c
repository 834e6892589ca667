// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: connections and their state.
 */

#include <linux/llist.h>
#include <linux/overflow.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sunrpc/svc.h>

#include "../xprt_rdma.h"
#include "svc.h"

/* Credits below which a connection is better left to version 1 */
enum {
	SVC_RDMA2_MIN_REQUESTS	= 4,
};

/* Reverse credits that there are on any device */
enum {
	SVC_RDMA2_LEAST_REVERSE	= 2,
};

/* Credits of a connection with blocks: without data, and at most. As long as all of them
 * are in use, nothing can tell the peer of more.
 */
enum {
	SVC_RDMA2_FEW_CREDITS	= 4,
	SVC_RDMA2_MOST_CREDITS	= 256,	/* 15 WRITEs of 1 MiB, 17 for each */
};

static const struct svc_rdma_version_ops svc_rdma2_ops;
static const struct svc_rdma_version_ops svc_rdma2_v1_ops;

/* Construct a piece of memory of which nothing is used. */
static void svc_rdma2_no_ctor(void *piece)
{
}

/* Section: memory for Receives. A connection joins the pool when it is accepted. One
 * that turns out to speak version 1 gets all of its Receives at once, and leaves the
 * pool. One whose Receives are to be of another length has never been in it.
 */

/* Get a receive context ready to be posted. @ctxt: context that is not in use.
 * Returns false if the context cannot be posted now.
 */
static bool svc_rdma2_memory_prepare(struct svcxprt_rdma *rdma,
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

/* How many Receives a queue is going to have room for, as version 1 needs them.
 * Returns the number, which the device may not have.
 */
static u32 svc_rdma2_depth(const struct svcxprt_rdma *rdma)
{
	return svc_rdma_recvs_needed(rdma) + rdma->sc_recv_batch;
}

/* How many Receives no credit accounts for. On a device that has not so many entries
 * svc_rdma_accept() lowers the number of reverse credits. Returns the number.
 */
static u32 svc_rdma2_memory_extra(const struct svcxprt_rdma *rdma)
{
	u32 reverse = rdma->sc_max_bc_requests;

	if (svc_rdma2_depth(rdma) >= rdma->sc_cm_id->device->attrs.max_qp_wr)
		reverse = min_t(u32, reverse, SVC_RDMA2_LEAST_REVERSE);
	return reverse + rdma->sc_recv_extra;
}

/* Have a connection without blocks get no more credits than with version 1, and one
 * with blocks no more than four times as many, nor than SVC_RDMA2_MOST_CREDITS if that is
 * more than version 1 gets, nor than there are memory registrations for. Where each RDMA
 * Read takes some, svc_rdma_accept() provides three for each credit of version 1, and a
 * Call of 1 MiB may take two. A Read that finds none ends the connection.
 */
static void svc_rdma2_bound_credits(const struct svcxprt_rdma *rdma)
{
	u32 *most = rdma->sc_v2->sv_memory.me_posted.po_m.most;
	u32 requests = rdma->sc_max_requests;
	u32 blocks = min_t(u32, 4 * requests,
			   max_t(u32, requests, SVC_RDMA2_MOST_CREDITS));

	if (rdma_protocol_iwarp(rdma->sc_cm_id->device, rdma->sc_port_num))
		blocks = min(blocks, requests + requests / 2);
	most[RPCRDMA2_POOL_PLAIN] = min_t(u32, most[RPCRDMA2_POOL_PLAIN], requests);
	most[RPCRDMA2_POOL_BLOCK] = min_t(u32, most[RPCRDMA2_POOL_BLOCK], blocks);
}

/* How many more Receives than version 1 needs a queue is to have room for. Where the
 * device has not that many, it has none more. Returns the number.
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

/* Have queues that are deep enough. @rdma: connection being accepted. @cap:
 * capacities of its queues. @when: what has happened to them. Returns true if it
 * may work with what is in @cap now.
 */
static bool svc_rdma2_memory_caps(struct svcxprt_rdma *rdma,
				  struct ib_qp_cap *cap,
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

/* Show what a connection has. Context: cn_lock is held */
static void svc_rdma2_memory_show(struct rpcrdma2_conn *conn, struct seq_file *seq)
{
	rpcrdma2_memory_show(&container_of(conn, struct svc_rdma2,
					   sv_conn)->sv_memory, seq);
}

/* Have memory follow the use of a connection. @rdma: connection being accepted.
 * @pages: pages of a Receive that data is placed in, or 0.
 * Not where the administrator wants Receives of another length, or none that data
 * is placed in.
 */
static void svc_rdma2_memory_init(struct svcxprt_rdma *rdma, u32 pages)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	int count;

	rpcrdma2_memory_init(&v2->sv_memory, &v2->sv_conn, &svc_rdma2_budget,
			     &svc_rdma2_memory_ops);
	if (!pages ||
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
	v2->sv_first = count;
	rdma->sc_recv_extra += svc_rdma2_more_depth(rdma);
}

/* Memory that a context takes besides its buffer. Most of it is for the pages of a
 * request of 1 MiB. Returns a number of bytes.
 */
static size_t svc_rdma2_recv_overhead(void)
{
	return kmalloc_size_roundup(struct_size_t(struct svc_rdma_recv_ctxt,
						  rc_pages,
						  SZ_1M / PAGE_SIZE + 4)) +
	       kmalloc_size_roundup(sizeof(struct svc_rdma2_recv));
}

/* Is the Receive Queue deep enough for version 2? Where the queue cannot have the
 * wanted depth, svc_rdma_accept() makes do with what is left after two entries of
 * its own, two for reverse replies and the extra ones of version 2. Returns false if
 * that would leave next to nothing for Calls.
 */
static bool svc_rdma2_fits_device(const struct svcxprt_rdma *rdma)
{
	const struct ib_device *dev = rdma->sc_cm_id->device;

	return dev->attrs.max_qp_wr >= 2 + 2 + RPCRDMA2_CTRL_RECVS +
				       SVC_RDMA2_MIN_REQUESTS;
}

/* Set what received headers may ask for. A request has two pages more than the
 * longest message takes, which are kept for the start of its reply. Segments are
 * bounded by the pages they could fill, as in version 1.
 */
static void svc_rdma2_init_limits(const struct svcxprt_rdma *rdma,
				  struct rpcrdma2_limits *lim)
{
	const struct svc_serv *serv = rdma->sc_xprt.xpt_server;
	u32 pages = svc_serv_maxpages(serv);

	lim->max_message = round_down(serv->sv_max_mesg, PAGE_SIZE);
	lim->max_read_segs = pages;
	lim->max_write_chunks = pages;
	lim->max_segs = pages;
	lim->opttypes = BIT(ROPT_INITXCH) | BIT(ROPT_REQXCH) |
			BIT(ROPT_RESPXCH) | BIT(ROPT_UPDXCH);
}

/* Get a new connection ready for version 2. @rdma: its credits are set, its queues
 * not yet made. The limit on versions is looked at here, once. Whether the peer
 * speaks version 2 is for its first message to say; Receives large and numerous
 * enough for either version are posted before that (A-35, B-96). Without memory, or
 * on a device with small queues, the connection is left to version 1. Context:
 * process context, may sleep.
 */
static void svc_rdma2_accept(struct svcxprt_rdma *rdma)
{
	u32 pages = rpcrdma2_server_placement_pages();
	struct svc_rdma2 *v2;

	if (READ_ONCE(rpcrdma2_server_max_version) < RPCRDMA2_VERSION)
		return;
	if (!svc_rdma2_calls || !svc_rdma2_fits_device(rdma))
		return;
	v2 = kzalloc_node(sizeof(*v2), GFP_KERNEL,
			  ibdev_to_node(rdma->sc_cm_id->device));
	if (!v2)
		return;

	rpcrdma2_conn_init(&v2->sv_conn, rdma->sc_xprt.xpt_remotebuf);
	svc_rdma2_init_limits(rdma, &v2->sv_limits);
	rpcrdma2_ledger_reset(&v2->sv_ledger, 0);
	INIT_WORK(&v2->sv_ctrl_work, svc_rdma2_ctrl_worker);
	mutex_init(&v2->sv_ctrl_mutex);
	spin_lock_init(&v2->sv_grant_lock);
	v2->sv_rdma = rdma;
	v2->sv_conn.cn_kick = svc_rdma2_kick;
	rdma->sc_recv_extra = RPCRDMA2_CTRL_RECVS;
	rdma->sc_v2 = v2;
	rdma->sc_vops = &svc_rdma2_ops;
	svc_rdma2_group_init(rdma);
	svc_rdma2_memory_init(rdma, pages);
	svc_rdma2_place_init(rdma, pages);
	svc_rdma2_groups_init(rdma);
	svc_rdma2_state(rdma);
	rpcrdma2_conn_add(&v2->sv_conn, RPCRDMA2_SERVER);
}

/* Nobody may ask anything of a connection any more. From here on no control messages
 * are sent: a Send must not be posted behind the last one. The receive handler may
 * still ask for them. Context: may sleep; waits for readers and writers of debugfs,
 * and for the work item, which waits for nobody.
 */
static void svc_rdma2_closing(struct svcxprt_rdma *rdma)
{
	rpcrdma2_conn_remove(&rdma->sc_v2->sv_conn);
	rpcrdma2_memory_closing(&rdma->sc_v2->sv_memory);
	disable_work_sync(&rdma->sc_v2->sv_ctrl_work);
}

/* Forget what was received, and is not complete, and free all contexts. Those may have
 * buffers that upstream knows nothing of.
 */
static void svc_rdma2_drained(struct svcxprt_rdma *rdma)
{
	svc_rdma2_group_flush(rdma);
	svc_rdma2_recvs_free(rdma);
}

/* Release what svc_rdma2_accept() allocated. Context: nothing else refers to
 * @rdma any more.
 */
static void svc_rdma2_free(struct svcxprt_rdma *rdma)
{
	rpcrdma2_memory_leave(&rdma->sc_v2->sv_memory);
	if (rdma->sc_v2->sv_reply)
		kmem_cache_free(svc_rdma2_replies, rdma->sc_v2->sv_reply);
	kfree(rdma->sc_v2);
}

/* Look at a message before it is queued. Receives are posted when one completes: if
 * none is left, nobody will post others. Context: receive handler. Returns the message
 * to be queued, which may be another one, or NULL if there is none.
 */
static struct svc_rdma_recv_ctxt *
svc_rdma2_received(struct svcxprt_rdma *rdma, struct svc_rdma_recv_ctxt *ctxt)
{
	enum svc_rdma2_outcome outcome = SVC_RDMA2_O_CLOSE;

	svc_rdma2_memory_consumed(rdma, ctxt);
	if (rdma->sc_pending_recvs && !ctxt->rc_v2)
		return ctxt;
	if (rdma->sc_pending_recvs)
		outcome = svc_rdma2_receive(rdma, &ctxt);
	if (!ctxt->rc_v2)
		ctxt->rc_vops = &svc_rdma2_v1_ops;
	switch (outcome) {
	case SVC_RDMA2_O_QUEUE:
		return ctxt;
	case SVC_RDMA2_O_HELD:
		return NULL;
	case SVC_RDMA2_O_CLOSE:
		svc_rdma2_close(rdma);
		break;
	default:
		break;
	}
	svc_rdma_recv_ctxt_put(rdma, ctxt);
	return NULL;
}

/* Make a Call of a message of version 1. @arg: rq_arg of a request. @ctxt: its buffer
 * may be one that data can be placed in. Returns positive if it is one, 0 if there is
 * nothing left to do, or a negative errno if it is answered with an error.
 */
static int svc_rdma2_recvfrom_v1(struct xdr_buf *arg,
				 struct svc_rdma_recv_ctxt *ctxt)
{
	struct svc_rqst *rqstp = container_of(arg, struct svc_rqst, rq_arg);
	int ret;

	if (ctxt->rc_block)
		svc_rdma2_recv_for_cpu(svc_rdma_rqst_rdma(rqstp), ctxt);
	ret = svc_rdma_xdr_decode_req(arg, ctxt);
	if (ret <= 0 || svc_rdma2_has_reads(ctxt))
		return ret;
	return svc_rdma2_recv_flatten(rqstp, ctxt);
}

/* Release what a Send was made of. @sctxt: its context. It has completed, or was flushed.
 * Who posts it may do so instead, if it is not done with the chain yet. Sends complete on a
 * work queue, so that this needs no work item of its own. Connections that speak version 1 go
 * on as they do without version 2. Context: completion handler, on a work queue.
 */
static void svc_rdma2_sent(struct svcxprt_rdma *rdma,
			   struct svc_rdma_send_ctxt *sctxt)
{
	if (!svc_rdma2_unhold(sctxt))
		return;
	if (svc_rdma2_active(rdma))
		svc_rdma_send_ctxt_release(rdma, sctxt);
	else
		svc_rdma_send_ctxt_put(rdma, sctxt);
}

/* Nothing waits for room in the Send Queue any more. Control messages are not added
 * to what waits: the peer could have any number of them made.
 */
static void svc_rdma2_sq_room(struct svcxprt_rdma *rdma)
{
	svc_rdma2_control_kick(rdma->sc_v2);
}

static const struct svc_rdma_version_ops svc_rdma2_ops = {
	.post_recvs		= svc_rdma2_memory_post,
	.recv_prepare		= svc_rdma2_memory_prepare,
	.received		= svc_rdma2_received,
	.decode			= svc_rdma2_recvfrom,
	.reads_done		= svc_rdma2_reads_done,
	.reads_refused		= svc_rdma2_reads_refused,
	.sendto			= svc_rdma2_sendto,
	.result_payload		= svc_rdma2_result_payload,
	.sent			= svc_rdma2_sent,
	.recv_put		= svc_rdma2_memory_put,
	.bc_maxmsg		= svc_rdma2_bc_maxmsg,
	.bc_send		= svc_rdma2_bc_send,
	.bc_release		= svc_rdma2_bc_release,
	.sq_room		= svc_rdma2_sq_room,
	.caps			= svc_rdma2_memory_caps,
	.closing		= svc_rdma2_closing,
	.drained		= svc_rdma2_drained,
	.free			= svc_rdma2_free,
};

/* A message of version 1 on a connection that was made for either */
static const struct svc_rdma_version_ops svc_rdma2_v1_ops = {
	.decode			= svc_rdma2_recvfrom_v1,
	.reads_done		= svc_rdma2_recv_flatten,
	.reads_refused		= svc_rdma_v1_reads_refused,
	.sendto			= svc_rdma_sendto,
	.result_payload		= svc_rdma_result_payload,
	.recv_put		= svc_rdma2_memory_put,
};

/**
 * svc_rdma2_init - get ready to accept connections
 *
 * Without memory they are all left to version 1.
 */
void svc_rdma2_init(void)
{
	rpcrdma2_budget_init(&svc_rdma2_budget, "server_memory",
			     &rpcrdma2_server_placement_mem_kb, RPCRDMA2_DEF_INLINE,
			     RPCRDMA2_BLOCK_HEAD, svc_rdma2_recv_overhead(),
			     SVC_RDMA2_FEW_CREDITS);
	svc_rdma2_replies = kmem_cache_create("svc_rdma2_reply",
					      sizeof(struct svc_rdma2_reply), 0,
					      0, svc_rdma2_no_ctor);
	if (!svc_rdma2_replies)
		return;
	svc_rdma2_calls = kmem_cache_create("svc_rdma2_call",
					    sizeof(struct svc_rdma2_call), 0, 0,
					    svc_rdma2_no_ctor);
	svc_rdma_accept_version = svc_rdma2_accept;
}

/**
 * svc_rdma2_cleanup - undo svc_rdma2_init()
 *
 * Context: no connection is left
 */
void svc_rdma2_cleanup(void)
{
	kmem_cache_destroy(svc_rdma2_calls);
	kmem_cache_destroy(svc_rdma2_replies);
	rpcrdma2_budget_cleanup(&svc_rdma2_budget);
}
