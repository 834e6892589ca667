/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2, client: data that travels in Sends.
 *
 * xprt_rdma2_place.c		what this end and the server can do
 * xprt_rdma2_place_policy.c	what an administrator can set
 * xprt_rdma2_place_plan.c	which Calls go by ROPT_XMTREQ, and how
 * xprt_rdma2_place_send.c	their headers and Sends
 * xprt_rdma2_place_recv.c	ROPT_XMTRESP, and reports about either
 *
 * A message is one transmission. Groups of several would share struct
 * xprt_rdma2_xmt, whose layout is made for the first one.
 */

#ifndef _XPRT_RDMA2_PLACE_H
#define _XPRT_RDMA2_PLACE_H

#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/sunrpc/svc_rdma.h>

#include "xprt_rdma.h"
#include "rpcrdma2_place.h"

/* Policy: xprt_rdma2_place_policy.c */
extern unsigned int xprt_rdma2_place_pages;
extern unsigned int xprt_rdma2_place_mem_kb;
extern unsigned int xprt_rdma2_write_min;
extern unsigned int xprt_rdma2_write_max;
extern unsigned int xprt_rdma2_read_min;
extern unsigned int xprt_rdma2_read_max;
extern unsigned int xprt_rdma2_write_type;
extern unsigned int xprt_rdma2_read_type;
extern unsigned int xprt_rdma2_read_minlen;
extern unsigned int xprt_rdma2_read_dsdov;
extern unsigned int xprt_rdma2_read_ranges;

enum {
	/* Head segment of this end's Receives, in bytes: header and payload
	 * of the reply to a READ, with as much again to spare
	 */
	XPRT_RDMA2_RECV_HEAD	= 512,
	/* Header and payload of a Call whose data is placed, and zeros behind
	 * them, in bytes
	 */
	XPRT_RDMA2_FRONT	= 2048,
	/* Pages that one Send reads from, at most */
	XPRT_RDMA2_MAX_HELD	= RPCRDMA2_MAX_INLINE / PAGE_SIZE + 2,
	/* Reports about responses before the server has to do without */
	XPRT_RDMA2_MAX_REPORTS	= RPCRDMA2_MAX_UNCONFIRMED,
};

/* Ranges of the directions for a reply, for tests (P-31) */
enum xprt_rdma2_ranges {
	XPRT_RDMA2_RANGE_WHOLE	= 0,	/* one that spans the whole request */
	XPRT_RDMA2_RANGE_SPLIT	= 1,	/* two halves, with an item each */
	XPRT_RDMA2_RANGE_EMPTY	= 2,	/* one that nothing is in */
};

/**
 * struct xprt_rdma2_xmt - how a Call goes by ROPT_XMTREQ
 * @write: XMPTYPE_TBSN or XMPTYPE_EXRW for the data of a WRITE, 0 if there is
 *	none, or it stays inline
 * @read: type of the directions for the data of a READ, 0 if there are none
 * @rtype: what becomes of the arguments otherwise
 * @pslen: length of the payload stream, in bytes
 * @copy: data that is placed has to be copied first
 * @layout: where it is placed
 */
struct xprt_rdma2_xmt {
	u32			write;
	u32			read;
	enum rpcrdma_chunktype	rtype;
	u32			pslen;
	bool			copy;
	struct rpcrdma2_layout	layout;
};

/**
 * struct xprt_rdma2_place - placement on one connection
 * @vp_own: structure of this end's Receives, as it was advertised
 * @vp_zeros: the zero page, mapped
 * @vp_off: no Call goes by ROPT_XMTREQ any more
 * @vp_reports: reports that were sent
 * @vp_xmt: the Call that is being prepared; belongs to the send lock
 * @vp_peer: structure of the server's Receives; likewise
 * @vp_call: the Call's header; likewise
 * @vp_lock: protects what follows
 * @vp_sent: the Call that a response is about
 * @vp_resp: the response
 */
struct xprt_rdma2_place {
	struct rpcrdma2_rbstruct	vp_own;
	u64				vp_zeros;
	bool				vp_off;
	unsigned int			vp_reports;

	struct xprt_rdma2_xmt		vp_xmt;
	struct rpcrdma2_rbstruct	vp_peer;
	struct rpcrdma2_xmtreq		vp_call;

	spinlock_t			vp_lock;	/* see above */
	struct rpcrdma2_xmtreq		vp_sent;
	struct rpcrdma2_xmtresp		vp_resp;
};

/**
 * struct xprt_rdma2_hold - pages that the device reads from
 * @ho_count: how many
 * @ho_pages: a reference to each
 *
 * An RPC may end before its Send does: when its task is killed, or its reply
 * overtakes the completion of the Send.
 */
struct xprt_rdma2_hold {
	unsigned int	ho_count;
	struct page	*ho_pages[XPRT_RDMA2_MAX_HELD];
};

/**
 * xprt_rdma2_adjacent - are two pages neighbours in memory?
 * @page: the first one, in an array; the second one follows
 *
 * Return: true if they are
 */
static inline bool xprt_rdma2_adjacent(struct page **page)
{
	return page_to_pfn(page[0]) + 1 == page_to_pfn(page[1]);
}

/* xprt_rdma2_place.c */
void xprt_rdma2_place_create(struct rpcrdma_xprt *r_xprt,
			     struct rpcrdma_ep *ep);
void xprt_rdma2_place_destroy(struct rpcrdma_ep *ep);
void xprt_rdma2_place_release(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_place_state(const struct xprt_rdma2_ep *ve,
			    struct rpcrdma2_xchars *local);
void xprt_rdma2_place_unheard(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_place_settled(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_place_off(struct rpcrdma_xprt *r_xprt, const char *why);
u32 xprt_rdma2_place_peer(struct rpcrdma_xprt *r_xprt,
			  struct rpcrdma2_rbstruct *rb);
u32 xprt_rdma2_place_head(const struct rpcrdma_ep *ep);

/* xprt_rdma2_marshal.c */
bool xprt_rdma2_args_inline(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			    enum rpcrdma_chunktype *rtype);

/* xprt_rdma2_place_plan.c */
u32 xprt_rdma2_tail_length(const struct xdr_buf *xdr);
bool xprt_rdma2_place_plan(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst);

/* xprt_rdma2_place_send.c */
int xprt_rdma2_place_marshal(struct rpcrdma_xprt *r_xprt,
			     struct rpc_rqst *rqst);
void xprt_rdma2_hold_pages(struct rpcrdma_req *req, const struct xdr_buf *xdr);

/* xprt_rdma2_place_recv.c */
void xprt_rdma2_xmtresp(struct rpcrdma_rep *rep);
bool xprt_rdma2_msg_will_do(struct rpcrdma_xprt *r_xprt,
			    const struct rpcrdma_req *req);
bool xprt_rdma2_repterr(struct rpcrdma_rep *rep);
bool xprt_rdma2_xmt_refused(struct rpcrdma_rep *rep);
int xprt_rdma2_place_reply(struct rpcrdma_xprt *r_xprt,
			   struct rpcrdma_rep *rep, struct rpc_rqst *rqst);

/* xprt_rdma2_place_policy.c */
void xprt_rdma2_place_policy_init(void);
void xprt_rdma2_place_policy_cleanup(void);

#endif /* _XPRT_RDMA2_PLACE_H */
