// SPDX-License-Identifier: GPL-2.0
/*
 * Server: what depends on the version of RPC-over-RDMA, as version 1 does it.
 *
 * This is the table of a connection of version 1, and the way from sunrpc to the
 * table of a connection or a Call. A function that is here does what upstream's
 * files would do in its place, or nothing.
 */

#include <linux/sunrpc/svc_rdma.h>

#include "xprt_rdma.h"

static struct svcxprt_rdma *svc_rdma_of(struct svc_xprt *xprt)
{
	return container_of(xprt, struct svcxprt_rdma, sc_xprt);
}

/*
 * Section: from sunrpc to the table
 */

/**
 * svc_rdma_version_sendto - send the reply to a Call
 * @rqstp: request with the reply
 *
 * Return: 0 or a negative errno
 */
int svc_rdma_version_sendto(struct svc_rqst *rqstp)
{
	struct svc_rdma_recv_ctxt *rctxt = rqstp->rq_xprt_ctxt;

	return rctxt->rc_vops->sendto(rqstp);
}

/**
 * svc_rdma_version_result_payload - note an item of a reply
 * @rqstp: request with the reply
 * @offset: where the item is in the reply, in bytes
 * @length: its length, in bytes
 *
 * Return: 0 or a negative errno
 */
int svc_rdma_version_result_payload(struct svc_rqst *rqstp, unsigned int offset,
				    unsigned int length)
{
	struct svc_rdma_recv_ctxt *rctxt = rqstp->rq_xprt_ctxt;

	return rctxt->rc_vops->result_payload(rqstp, offset, length);
}

/**
 * svc_rdma_version_bc_send - send a reverse Call
 * @rqst: the Call
 *
 * Return: 0 or a negative errno
 */
int svc_rdma_version_bc_send(struct rpc_rqst *rqst)
{
	return svc_rdma_of(rqst->rq_xprt->bc_xprt)->sc_vops->bc_send(rqst);
}

/**
 * svc_rdma_version_bc_release - the upper layer is done with a reverse Call
 * @task: its task
 *
 * Context: the transport_lock is held
 */
void svc_rdma_version_bc_release(struct rpc_task *task)
{
	struct svc_xprt *xprt = task->tk_rqstp->rq_xprt->bc_xprt;

	svc_rdma_of(xprt)->sc_vops->bc_release(task);
}

/**
 * svc_rdma_version_bc_maxmsg - how long a reverse Call may be
 * @xprt: transport that its connection belongs to
 *
 * Return: length in bytes, or 0 if there can be none
 */
size_t svc_rdma_version_bc_maxmsg(struct svc_xprt *xprt)
{
	struct svcxprt_rdma *rdma = svc_rdma_of(xprt);

	return rdma->sc_vops->bc_maxmsg(rdma);
}

/*
 * Section: version 1
 */

static struct svc_rdma_recv_ctxt *
svc_rdma_v1_received(struct svcxprt_rdma *rdma,
		     struct svc_rdma_recv_ctxt *ctxt)
{
	return ctxt;
}

static bool svc_rdma_v1_reads_done(struct svc_rqst *rqstp,
				   struct svc_rdma_recv_ctxt *ctxt)
{
	return true;
}

static void svc_rdma_v1_recv_put(struct svcxprt_rdma *rdma,
				 struct svc_rdma_recv_ctxt *ctxt)
{
	llist_add(&ctxt->rc_node, &rdma->sc_recv_ctxts);
}

static size_t svc_rdma_v1_bc_maxmsg(struct svcxprt_rdma *rdma)
{
	return PAGE_SIZE;
}

static bool svc_rdma_v1_caps(struct svcxprt_rdma *rdma, struct ib_qp_cap *cap,
			     enum svc_rdma_caps when)
{
	if (when == SVC_RDMA_CAPS_GOT)
		rdma->sc_max_send_sges = cap->max_send_sge;
	return false;
}

static void svc_rdma_v1_nothing(struct svcxprt_rdma *rdma)
{
}

/**
 * svc_rdma_v1_reads_refused - leave a refusal to version 1
 * @rdma: connection
 * @ctxt: Call with too many Read chunks
 *
 * Return: false
 */
bool svc_rdma_v1_reads_refused(struct svcxprt_rdma *rdma,
			       struct svc_rdma_recv_ctxt *ctxt)
{
	return false;
}

const struct svc_rdma_version_ops svc_rdma_v1_ops = {
	.post_recvs		= svc_rdma_post_recvs,
	.recv_prepare		= svc_rdma_recv_prepare,
	.received		= svc_rdma_v1_received,
	.decode			= svc_rdma_xdr_decode_req,
	.reads_done		= svc_rdma_v1_reads_done,
	.reads_refused		= svc_rdma_v1_reads_refused,
	.sendto			= svc_rdma_sendto,
	.result_payload		= svc_rdma_result_payload,
	.sent			= svc_rdma_send_ctxt_put,
	.recv_put		= svc_rdma_v1_recv_put,
	.bc_maxmsg		= svc_rdma_v1_bc_maxmsg,
	.bc_send		= xprt_rdma_bc_send_request,
	.bc_release		= xprt_release_rqst_cong,
	.sq_room		= svc_rdma_v1_nothing,
	.caps			= svc_rdma_v1_caps,
	.closing		= svc_rdma_v1_nothing,
	.drained		= svc_rdma_v1_nothing,
	.free			= svc_rdma_v1_nothing,
};

void (*svc_rdma_accept_version)(struct svcxprt_rdma *rdma) = svc_rdma_v1_nothing;
