// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: connections and their state.
 */

#include <linux/slab.h>
#include <linux/sunrpc/svc.h>

#include "../xprt_rdma.h"
#include "svc.h"

/* Credits below which a connection is better left to version 1 */
enum {
	SVC_RDMA2_MIN_REQUESTS	= 4,
};

static const struct svc_rdma_version_ops svc_rdma2_ops;
static const struct svc_rdma_version_ops svc_rdma2_v1_ops;

/* Construct a piece of memory of which nothing is used. */
static void svc_rdma2_no_ctor(void *piece)
{
}

/*
 * Is the Receive Queue deep enough for version 2? Where the queue cannot have
 * the wanted depth, svc_rdma_accept() makes do with what is left after two
 * entries of its own, two for reverse replies and the extra ones of version 2.
 * Returns false if that would leave next to nothing for Calls.
 */
static bool svc_rdma2_fits_device(const struct svcxprt_rdma *rdma)
{
	const struct ib_device *dev = rdma->sc_cm_id->device;

	return dev->attrs.max_qp_wr >= 2 + 2 + svc_rdma2_recv_extra(rdma) +
				       SVC_RDMA2_MIN_REQUESTS;
}

/*
 * Set what received headers may ask for. A request has two pages more than the
 * longest message takes, which are kept for the start of its reply. Segments
 * are bounded by the pages they could fill, as in version 1.
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

/*
 * Get a new connection ready for version 2. @rdma: its credits are set, its
 * queues not yet made. The limit on versions is looked at here, once. Whether
 * the peer speaks version 2 is for its first message to say; Receives large and
 * numerous enough for either version are posted before that (A-35, B-96).
 * Without memory, or on a device with small queues, the connection is left to
 * version 1. Context: process context, may sleep.
 */
static void svc_rdma2_accept(struct svcxprt_rdma *rdma)
{
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
	mutex_init(&v2->sv_grant_mutex);
	v2->sv_rdma = rdma;
	v2->sv_conn.cn_kick = svc_rdma2_kick;
	rdma->sc_recv_extra = svc_rdma2_recv_extra(rdma);
	rdma->sc_v2 = v2;
	rdma->sc_vops = &svc_rdma2_ops;
	svc_rdma2_group_init(rdma);
	svc_rdma2_memory_init(rdma);
	svc_rdma2_place_init(rdma);
	svc_rdma2_groups_init(rdma);
	svc_rdma2_state(rdma);
	rpcrdma2_conn_add(&v2->sv_conn, RPCRDMA2_SERVER);
}

/*
 * Nobody may ask anything of a connection any more. From here on no control
 * messages are sent: a Send must not be posted behind the last one. The receive
 * handler may still ask for them. Context: may sleep; waits for readers and
 * writers of debugfs, and for the work item, which waits for nobody.
 */
static void svc_rdma2_closing(struct svcxprt_rdma *rdma)
{
	rpcrdma2_conn_remove(&rdma->sc_v2->sv_conn);
	svc_rdma2_memory_closing(rdma);
	disable_work_sync(&rdma->sc_v2->sv_ctrl_work);
}

/* End what a connection may still have to do. Context: may sleep. */
static void svc_rdma2_drained(struct svcxprt_rdma *rdma)
{
	svc_rdma2_group_flush(rdma);
}

/*
 * Release what svc_rdma2_accept() allocated. Context: nothing else refers to
 * @rdma any more.
 */
static void svc_rdma2_free(struct svcxprt_rdma *rdma)
{
	svc_rdma2_memory_free(rdma);
	if (rdma->sc_v2->sv_reply)
		kmem_cache_free(svc_rdma2_replies, rdma->sc_v2->sv_reply);
	kfree(rdma->sc_v2);
}

/*
 * Section: messages
 */

/*
 * Look at a message before it is queued. @pctxt: another may take its place.
 * Context: receive handler. Returns what becomes of it.
 */
static enum svc_rdma_fate svc_rdma2_received(struct svcxprt_rdma *rdma,
					     struct svc_rdma_recv_ctxt **pctxt)
{
	enum svc_rdma_fate fate;

	svc_rdma2_memory_consumed(rdma, *pctxt);
	if (!(*pctxt)->rc_v2)
		return SVC_RDMA_QUEUE;
	fate = svc_rdma2_receive(rdma, pctxt);
	if (!(*pctxt)->rc_v2)
		(*pctxt)->rc_vops = &svc_rdma2_v1_ops;
	return fate;
}

/*
 * Is a part of a Call still at the client? Returns true if there are Read
 * chunks to be pulled.
 */
static bool svc_rdma2_has_reads(const struct svc_rdma_recv_ctxt *ctxt)
{
	return !pcl_is_empty(&ctxt->rc_read_pcl) ||
	       !pcl_is_empty(&ctxt->rc_call_pcl);
}

/*
 * Make a Call of a message of version 1. @ctxt: its buffer may be one that data
 * can be placed in. Returns positive if it is one, 0 if there is nothing left
 * to do, or a negative errno if it is answered with an error.
 */
static int svc_rdma2_recvfrom_v1(struct svc_rqst *rqstp,
				 struct svc_rdma_recv_ctxt *ctxt)
{
	int ret;

	svc_rdma2_recv_for_cpu(svc_rdma_rqst_rdma(rqstp), ctxt);
	ret = svc_rdma_decode_call(rqstp, ctxt);
	if (ret <= 0 || svc_rdma2_has_reads(ctxt))
		return ret;
	return svc_rdma2_recv_flatten(rqstp, ctxt);
}

/*
 * Section: the tables
 */

/*
 * Nothing waits for room in the Send Queue any more. Control messages are not
 * added to what waits: the peer could have any number of them made.
 */
static void svc_rdma2_sq_room(struct svcxprt_rdma *rdma)
{
	svc_rdma2_control_kick(rdma->sc_v2);
}

static const struct svc_rdma_version_ops svc_rdma2_ops = {
	.recv_alloc		= svc_rdma2_recv_alloc,
	.recv_free		= svc_rdma2_recv_free,
	.recv_prepare		= svc_rdma2_memory_prepare,
	.recvs_wanted		= svc_rdma2_memory_wanted,
	.received		= svc_rdma2_received,
	.recvfrom		= svc_rdma2_recvfrom,
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
	.recvfrom		= svc_rdma2_recvfrom_v1,
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
	svc_rdma2_memory_begin();
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
	svc_rdma2_memory_end();
}
