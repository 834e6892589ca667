// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: connections and their state.
 */

#include <linux/slab.h>
#include <linux/sunrpc/svc.h>

#include "svc_rdma2.h"

/* Credits below which a connection is better left to version 1 */
enum {
	SVC_RDMA2_MIN_REQUESTS	= 4,
};

struct kmem_cache *svc_rdma2_xmts;
struct kmem_cache *svc_rdma2_replies;

/**
 * svc_rdma2_leave - construct a piece of memory of which nothing is used
 * @piece: the memory
 */
static void svc_rdma2_leave(void *piece)
{
}

/**
 * svc_rdma2_init - get ready to accept connections
 *
 * Without memory they are all left to version 1.
 */
void svc_rdma2_init(void)
{
	svc_rdma2_replies = svc_rdma2_reply_cache(svc_rdma2_leave);
	if (!svc_rdma2_replies)
		return;
	svc_rdma2_xmts = kmem_cache_create("svc_rdma2_xmt",
					   sizeof(struct svc_rdma2_xmt), 0, 0,
					   svc_rdma2_leave);
}

/**
 * svc_rdma2_cleanup - undo svc_rdma2_init()
 *
 * Context: no connection is left
 */
void svc_rdma2_cleanup(void)
{
	kmem_cache_destroy(svc_rdma2_xmts);
	kmem_cache_destroy(svc_rdma2_replies);
}

/**
 * svc_rdma2_fits_device - is the Receive Queue deep enough for version 2?
 * @rdma: connection being accepted
 *
 * Where the queue cannot have the wanted depth, svc_rdma_accept() makes do
 * with what is left after two entries of its own, two for reverse replies and
 * the extra ones of version 2.
 *
 * Return: false if that would leave next to nothing for Calls
 */
static bool svc_rdma2_fits_device(const struct svcxprt_rdma *rdma)
{
	const struct ib_device *dev = rdma->sc_cm_id->device;

	return dev->attrs.max_qp_wr >= 2 + 2 + svc_rdma2_recv_extra(rdma) +
				       SVC_RDMA2_MIN_REQUESTS;
}

/**
 * svc_rdma2_init_limits - set what received headers may ask for
 * @rdma: connection being accepted
 * @lim: OUT: the limits
 *
 * A request has two pages more than the longest message takes, which are kept for
 * the start of its reply. Segments are bounded by the pages they could fill, as
 * in version 1.
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

/**
 * svc_rdma2_accept - get a new connection ready for version 2
 * @rdma: connection being accepted; its credits are set, its queues not yet
 *	made
 *
 * The limit on versions is looked at here, once. Whether the peer speaks
 * version 2 is for its first message to say; Receives large and numerous
 * enough for either version are posted before that (A-35, B-96). Without
 * memory, or on a device with small queues, the connection is left to
 * version 1.
 *
 * Context: process context, may sleep
 */
void svc_rdma2_accept(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2;

	if (READ_ONCE(rpcrdma2_server_max_version) < RPCRDMA2_VERSION)
		return;
	if (!svc_rdma2_xmts || !svc_rdma2_fits_device(rdma))
		return;
	v2 = kzalloc_node(sizeof(*v2), GFP_KERNEL,
			  ibdev_to_node(rdma->sc_cm_id->device));
	if (!v2)
		return;

	rpcrdma2_conn_init(&v2->sv_conn, rdma->sc_xprt.xpt_remotebuf);
	svc_rdma2_init_limits(rdma, &v2->sv_limits);
	INIT_WORK(&v2->sv_ctrl_work, svc_rdma2_ctrl_worker);
	mutex_init(&v2->sv_ctrl_mutex);
	v2->sv_rdma = rdma;
	v2->sv_conn.cn_kick = svc_rdma2_kick;
	rdma->sc_recv_extra = svc_rdma2_recv_extra(rdma);
	rdma->sc_v2 = v2;
	svc_rdma2_place_init(rdma);
	svc_rdma2_group_init(rdma);
	svc_rdma2_state(rdma);
	rpcrdma2_conn_add(&v2->sv_conn, RPCRDMA2_SERVER);
}

/**
 * svc_rdma2_closing - nobody may ask anything of a connection any more
 * @rdma: connection about to lose its queues, or a listener
 *
 * From here on no control messages are sent: a Send must not be posted behind
 * the last one. The receive handler may still ask for them.
 *
 * Context: may sleep; waits for readers and writers of debugfs, and for the
 * work item, which waits for nobody
 */
void svc_rdma2_closing(struct svcxprt_rdma *rdma)
{
	if (!rdma->sc_v2)
		return;
	rpcrdma2_conn_remove(&rdma->sc_v2->sv_conn);
	disable_work_sync(&rdma->sc_v2->sv_ctrl_work);
}

/**
 * svc_rdma2_drained - end what a connection may still have to do
 * @rdma: connection whose queues are drained, or a listener
 *
 * Context: may sleep
 */
void svc_rdma2_drained(struct svcxprt_rdma *rdma)
{
	if (!rdma->sc_v2)
		return;
	svc_rdma2_group_flush(rdma);
}

/**
 * svc_rdma2_free - release what svc_rdma2_accept() allocated
 * @rdma: connection whose queues are gone, or a listener
 *
 * Context: nothing else refers to @rdma any more
 */
void svc_rdma2_free(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	if (!v2)
		return;
	svc_rdma2_place_free(rdma);
	kfree(v2);
}
