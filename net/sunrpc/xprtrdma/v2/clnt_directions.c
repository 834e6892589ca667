// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: Calls as only tests want them.
 *
 * A server has to obey whatever directions it is given, and to take data that is
 * pulled although the Call came by ROPT_XMTREQ. This client has no use for that:
 * memory that RDMA2_MSG offers can be invalidated by the server. So that servers
 * can be tried, SUNRPC_XPRT_RDMA_V2_TEST has it built in.
 */

#include <linux/nfs.h>
#include <linux/string.h>

#include "clnt_place.h"

/* Ranges of the directions for a reply (P-31) */
enum xprt_rdma2_ranges {
	XPRT_RDMA2_RANGE_WHOLE	= 0,	/* one that spans the whole request */
	XPRT_RDMA2_RANGE_SPLIT	= 1,	/* two halves, with an item each */
	XPRT_RDMA2_RANGE_EMPTY	= 2,	/* one that nothing is in */
};

/* Register data for explicit RDMA. @rqst: Call, its header not encoded yet.
 * @writing: the server is going to write to it. @pool: gets the segments. Lists
 * of version 1 are encoded where the header is going to be, and then forgotten:
 * the segments are those of the memory regions that the Call has got. Returns
 * how many segments there are, or a negative errno.
 */
static int xprt_rdma2_register(struct rpcrdma_xprt *r_xprt,
			       struct rpc_rqst *rqst, bool writing,
			       struct rpcrdma2_segpool *pool)
{
	struct xdr_buf *xdr = writing ? &rqst->rq_rcv_buf : &rqst->rq_snd_buf;
	struct rpcrdma_req *req = rpcr_to_rdmar(rqst);
	u32 known = pool->nsegs, seen = 0;
	struct rpcrdma_mr *mr;
	int ret;

	if (!xdr->page_len)
		return 0;
	rpcrdma_set_xdrlen(&req->rl_hdrbuf, 0);
	xdr_init_encode(&req->rl_stream, &req->rl_hdrbuf,
			rdmab_data(req->rl_rdmabuf), rqst);
	if (writing)
		ret = rpcrdma_encode_write_list(r_xprt, req, rqst, rpcrdma_writech);
	else
		ret = rpcrdma_encode_read_list(r_xprt, req, rqst, rpcrdma_readch);
	if (ret)
		return ret;
	list_for_each_entry_reverse(mr, &req->rl_registered, mr_list) {
		if (seen++ < known)
			continue;
		if (pool->nsegs == RPCRDMA2_MAX_XMTSEGS)
			return -EMSGSIZE;
		pool->segs[pool->nsegs].handle = mr->mr_handle;
		pool->segs[pool->nsegs].length = mr->mr_length;
		pool->segs[pool->nsegs].offset = mr->mr_offset;
		pool->nsegs++;
	}
	return pool->nsegs - known;
}

/* May a reply have an item that sunrpc says nothing of? The result of READLINK is
 * eligible for placement, but the file system marks the pages of READ only. Returns
 * true if it is a READLINK.
 */
static bool xprt_rdma2_is_readlink(const struct rpc_task *task)
{
	const struct rpc_procinfo *proc = task->tk_msg.rpc_proc;

	return task->tk_client->cl_prog == NFS_PROGRAM && proc->p_name &&
	       !strcmp(proc->p_name, "READLINK");
}

/* Choose directions for the item of a reply. @out: OUT: number of sets.
 * @length: OUT: length of an item that is to have directions whatever that is;
 * a symbolic link is hardly ever long enough for more than the head segment.
 * Returns a type.
 */
static u32 xprt_rdma2_test_read(const struct rpc_rqst *rqst,
				struct xprt_rdma2_out *out, u32 *length)
{
	const struct xdr_buf *buf = &rqst->rq_rcv_buf;
	u32 type = READ_ONCE(xprt_rdma2_read_type);

	if (READ_ONCE(xprt_rdma2_read_ranges) == XPRT_RDMA2_RANGE_SPLIT)
		out->nsets = 2;
	if (!type)
		return XMPTYPE_TBSN;
	if (buf->flags & XDRBUF_READ || xprt_rdma2_is_readlink(rqst->rq_task))
		*length = buf->page_len;
	return type;
}

/* Will a reply fit one of our Receives? @out: how it goes: its item is written, or
 * left inline.
 */
static bool xprt_rdma2_test_fits(const struct rpcrdma_xprt *r_xprt,
				 const struct rpc_rqst *rqst,
				 const struct xprt_rdma2_out *out)
{
	const struct rpcrdma_ep *ep = r_xprt->rx_ep;
	const struct xdr_buf *buf = &rqst->rq_rcv_buf;

	return rpcrdma2_xmtresp_size(out->nsets, 0, out->nsets,
				     out->nsets * ep->re_max_rdma_segs) +
	       buf->head[0].iov_len + buf->tail[0].iov_len <=
	       READ_ONCE(ep->re_inline_recv);
}

/* Choose how the data of a WRITE goes. @out: OUT: how the Call goes, if the server
 * is to pull it. Returns a type; 0 for what costs least, or if the rest of the Call
 * is too long.
 */
static u32 xprt_rdma2_test_write(const struct rpcrdma_xprt *r_xprt,
				 struct xprt_rdma2_out *out)
{
	u32 type = READ_ONCE(xprt_rdma2_write_type);

	if (type != XMPTYPE_EXRW)
		return type;
	if (out->pslen > READ_ONCE(r_xprt->rx_ep->re_max_inline_send))
		return 0;
	out->rtype = rpcrdma_readch;
	rpcrdma2_plan_msg(&out->plan, xprt_rdma2_header(r_xprt, out, 1),
			  out->pslen);
	return type;
}

/* Describe data of a Call that is pulled. @out: how it goes; its item says
 * everything but where the data is. Returns 0 or a negative errno.
 */
static int xprt_rdma2_test_put_write(struct rpcrdma_xprt *r_xprt,
				     struct rpc_rqst *rqst,
				     struct xprt_rdma2_out *out)
{
	struct rpcrdma2_mitem *item = &out->hdr.items[0];
	int count;

	item->first = out->hdr.pool.nsegs;
	count = xprt_rdma2_register(r_xprt, rqst, false, &out->hdr.pool);
	if (count < 0)
		return count;
	item->count = count;
	return 0;
}

/* Say what part of the Call directions are about. @call: the Call's header.
 * @item: the directions. @length: length of the RPC message, in bytes. Sets may
 * share memory that is offered, since no server can use more than one of them
 * for the one item. Serves P-31, P-32.
 */
static void xprt_rdma2_put_ranges(struct rpcrdma2_xmtreq *call,
				  const struct rpcrdma2_rsditem *item,
				  u32 length)
{
	u32 middle = round_down(length / 2, XDR_UNIT);

	switch (READ_ONCE(xprt_rdma2_read_ranges)) {
	case XPRT_RDMA2_RANGE_SPLIT:
		xprt_rdma2_put_set(call, 0, middle, item);
		xprt_rdma2_put_set(call, middle, length, item);
		break;
	case XPRT_RDMA2_RANGE_EMPTY:
		xprt_rdma2_put_set(call, middle, middle, item);
		break;
	default:
		xprt_rdma2_put_set(call, 0, length, item);
	}
}

/* Describe how the data of the reply is to come. @out: which directions to give.
 * Returns 0 or a negative errno.
 */
static int xprt_rdma2_test_put_read(struct rpcrdma_xprt *r_xprt,
				    struct rpc_rqst *rqst,
				    struct xprt_rdma2_out *out)
{
	struct rpcrdma2_xmtreq *call = &out->hdr;
	struct rpcrdma2_rsditem item = {
		.minlen	= READ_ONCE(xprt_rdma2_read_minlen),
		.type	= out->read,
		.dsdov	= READ_ONCE(xprt_rdma2_read_dsdov),
		.first	= call->pool.nsegs,
	};
	int count;

	if (item.type != XMPTYPE_TBSN) {
		count = xprt_rdma2_register(r_xprt, rqst, true, &call->pool);
		if (count < 0)
			return count;
		item.count = count;
	}
	xprt_rdma2_put_ranges(call, &item, xprt_rdma2_length(rqst, out));
	return 0;
}

const struct xprt_rdma2_directions xprt_rdma2_test_directions = {
	.read		= xprt_rdma2_test_read,
	.fits		= xprt_rdma2_test_fits,
	.write		= xprt_rdma2_test_write,
	.put_write	= xprt_rdma2_test_put_write,
	.put_read	= xprt_rdma2_test_put_read,
};
