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
 * xprt_rdma2_bounce.c		copies of what the device cannot gather
 * xprt_rdma2_group.c		messages that come in several Receives
 * xprt_rdma2_group_send.c	Calls that take several Sends
 * xprt_rdma2_loan.c		the credits and Receives that these take
 */

#ifndef _XPRT_RDMA2_PLACE_H
#define _XPRT_RDMA2_PLACE_H

#include <linux/mm.h>
#include <linux/sunrpc/svc_rdma.h>

#include "xprt_rdma.h"
#include "rpcrdma2_group.h"
#include "rpcrdma2_loan.h"
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
extern unsigned int xprt_rdma2_cont_requests;
extern unsigned int xprt_rdma2_cont_replies;
extern unsigned int xprt_rdma2_cont_callbacks;
extern unsigned int xprt_rdma2_cont_recvs;
extern unsigned int xprt_rdma2_cont_timeout;

enum {
	/* Head segment of this end's Receives, in bytes: header and payload
	 * of the reply to a READ, with as much again to spare
	 */
	XPRT_RDMA2_RECV_HEAD	= 512,
	/* Header and payload of a Call whose data is placed, and zeros behind
	 * them, in bytes
	 */
	XPRT_RDMA2_FRONT	= 2048,
	/* The longest data that is placed, in bytes */
	XPRT_RDMA2_MAX_PLACED	= 1 << 20,
	/* Pages that one Send reads from, at most: with those that head and
	 * tail are in
	 */
	XPRT_RDMA2_MAX_HELD	= RPCRDMA2_MAX_INLINE / PAGE_SIZE + 4,
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
 * @copy: what the device cannot gather, of a Call that is one transmission, is
 *	to be copied there; or NULL
 * @layout: where it is placed, if the Call is one transmission
 * @group: the Call is several transmissions
 * @plan: what they are, then
 * @copies: for each of them, pages that its data is copied to, or NULL
 * @rsbuf: transmissions that the reply may take
 * @reply: scratch for that
 */
struct xprt_rdma2_xmt {
	u32			write;
	u32			read;
	enum rpcrdma_chunktype	rtype;
	u32			pslen;
	struct page		*copy;
	struct rpcrdma2_layout	layout;
	bool			group;
	struct rpcrdma2_plan	plan;
	struct page		*copies[RPCRDMA2_MAX_XMTS];
	u32			rsbuf;
	struct rpcrdma2_plan	reply;
};

/**
 * struct xprt_rdma2_group - reassembly on one connection
 * @vg_grp: the group that is open, in numbers
 * @vg_lead: its initial transmission; the others are chained to it
 * @vg_last: the last one that has come
 * @vg_parts: what its transmissions say
 * @vg_deadline: when it has to be complete, in jiffies; 0 if there is none
 * @vg_resp: scratch for initial transmissions
 * @vg_req: likewise
 * @vg_watch: looks whether it takes too long
 *
 * Belongs to the receive handler.
 */
struct xprt_rdma2_group {
	struct rpcrdma2_group		vg_grp;
	struct rpcrdma_rep		*vg_lead;
	struct rpcrdma_rep		*vg_last;
	struct rpcrdma2_part		vg_parts[RPCRDMA2_MAX_XMTS];
	unsigned long			vg_deadline;
	struct rpcrdma2_xmtresp		vg_resp;
	struct rpcrdma2_xmtreq		vg_req;
	struct delayed_work		vg_watch;
};

/**
 * enum xprt_rdma2_looker - who looks at responses
 * @XPRT_RDMA2_LOOK_RECV: the receive handler
 * @XPRT_RDMA2_LOOK_INV: the handler of Send completions, when the last memory
 *	of a Call has been invalidated
 * @XPRT_RDMA2_LOOKERS: how many there are
 *
 * Each runs in one work item of its completion queue, and so never beside
 * itself. A response goes from the first one to the other, if at all, with the
 * Work Requests that invalidate; @rr_v2_inv says so before they are posted.
 */
enum xprt_rdma2_looker {
	XPRT_RDMA2_LOOK_RECV,
	XPRT_RDMA2_LOOK_INV,
	XPRT_RDMA2_LOOKERS,
};

/**
 * struct xprt_rdma2_look - a response that is being looked at
 * @lk_sent: the Call that it is about
 * @lk_resp: what it says
 * @lk_parts: its transmissions
 * @lk_data: where they are
 */
struct xprt_rdma2_look {
	struct rpcrdma2_xmtreq		lk_sent;
	struct rpcrdma2_xmtresp		lk_resp;
	struct rpcrdma2_part		lk_parts[RPCRDMA2_MAX_XMTS];
	void				*lk_data[RPCRDMA2_MAX_XMTS];
};

/**
 * struct xprt_rdma2_place - placement on one connection
 * @vp_own: structure of this end's Receives, as it was advertised
 * @vp_zeros: the zero page, mapped
 * @vp_ve: the connection
 * @vp_off: no Call goes by ROPT_XMTREQ any more
 * @vp_cont: this end takes ROPT_XMTCONT, and may send it
 * @vp_callbacks: transmissions of a reverse Call, at most
 * @vp_recvs_max: Receives that there may be for replies that take several
 * @vp_recvs: how many are to be posted
 * @vp_buffers_max: buffers for Receives that memory has been reserved for
 * @vp_buffers: how many there are; belongs to the receive handler, or before
 *	there is a connection, to the connect worker
 * @vp_group: reassembly
 * @vp_requests: transmissions of a Call, at most; belongs to the send lock
 * @vp_replies: transmissions of a reply, at most; likewise
 * @vp_sends: Send contexts of the Call that is being prepared; likewise
 * @vp_xmt: the Call that is being prepared; belongs to the send lock
 * @vp_seen: cn_seq when the server was last looked up; likewise
 * @vp_rtrsupp: RTRSUPP of the server; likewise
 * @vp_reqrxlim: REQRXLIM of the server; likewise
 * @vp_respsxlim: RESPSXLIM of the server; likewise
 * @vp_peer: structure of the server's Receives; likewise
 * @vp_call: the Call's header; likewise
 * @vp_look: the response that is being looked at by each of those who do; see
 *	enum xprt_rdma2_looker
 */
struct xprt_rdma2_place {
	struct rpcrdma2_rbstruct	vp_own;
	u64				vp_zeros;
	struct xprt_rdma2_ep		*vp_ve;
	bool				vp_off;
	bool				vp_cont;
	u32				vp_callbacks;
	u32				vp_recvs_max;
	u32				vp_recvs;
	u32				vp_buffers_max;
	u32				vp_buffers;
	struct xprt_rdma2_group		vp_group;

	u32				vp_requests;
	u32				vp_replies;
	struct rpcrdma_sendctx		*vp_sends[RPCRDMA2_MAX_XMTS];
	struct xprt_rdma2_xmt		vp_xmt;
	unsigned int			vp_seen;
	u32				vp_rtrsupp;
	u32				vp_reqrxlim;
	u32				vp_respsxlim;
	struct rpcrdma2_rbstruct	vp_peer;
	struct rpcrdma2_xmtreq		vp_call;

	struct xprt_rdma2_look		vp_look[XPRT_RDMA2_LOOKERS];
};

/**
 * struct xprt_rdma2_hold - pages that the device reads from
 * @ho_count: how many
 * @ho_pages: a reference to each
 * @ho_wr: Work Request of the Send, if it is not the first one of its Call
 *
 * An RPC may end before its Send does: when its task is killed, or its reply
 * overtakes the completion of the Send.
 */
struct xprt_rdma2_hold {
	unsigned int	ho_count;
	struct page	*ho_pages[XPRT_RDMA2_MAX_HELD];
	struct ib_send_wr ho_wr;
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
void xprt_rdma2_place_limit(struct rpcrdma_xprt *r_xprt, u32 missing);
void xprt_rdma2_place_state(const struct xprt_rdma2_ep *ve,
			    struct rpcrdma2_xchars *local);
void xprt_rdma2_place_unheard(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_place_settled(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_place_off(struct rpcrdma_xprt *r_xprt, const char *why);
u32 xprt_rdma2_place_peer(struct rpcrdma_xprt *r_xprt);
u32 xprt_rdma2_place_head(const struct rpcrdma_ep *ep);
void xprt_rdma2_cont_limits(struct rpcrdma_xprt *r_xprt);

/* xprt_rdma2_receive.c */
void xprt_rdma2_fail(struct rpcrdma_rep *rep);

/* xprt_rdma2_backchannel.c */
bool xprt_rdma2_bc_served(struct rpcrdma_xprt *r_xprt);
bool xprt_rdma2_bc_deliver(struct rpcrdma_rep *rep, void *p, u32 length);

/* xprt_rdma2_marshal.c */
bool xprt_rdma2_args_inline(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			    enum rpcrdma_chunktype *rtype, struct page **copy);

/* xprt_rdma2_place_plan.c */
u32 xprt_rdma2_tail_length(const struct xdr_buf *xdr);
bool xprt_rdma2_place_plan(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst);

/* xprt_rdma2_place_send.c */
int xprt_rdma2_place_marshal(struct rpcrdma_xprt *r_xprt,
			     struct rpc_rqst *rqst);
int xprt_rdma2_prepare(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req,
		       struct xdr_buf *xdr, enum rpcrdma_chunktype rtype,
		       struct page **copy);

/* xprt_rdma2_group.c */
bool xprt_rdma2_draining(const struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_group_init(struct xprt_rdma2_place *vp);
void xprt_rdma2_put_conts(struct rpcrdma_rep *rep);
void xprt_rdma2_blamed(struct rpcrdma_xprt *r_xprt,
		       const struct rpcrdma2_repterr *fault);
bool xprt_rdma2_resp_lead(struct rpcrdma_rep *rep);
void xprt_rdma2_xmtreq(struct rpcrdma_rep *rep);
bool xprt_rdma2_group_step(struct rpcrdma_rep *rep);
void xprt_rdma2_group_garbled(const struct rpcrdma_rep *rep);

/* xprt_rdma2_bounce.c */
struct page *xprt_rdma2_bounce_get(struct rpcrdma_xprt *r_xprt, u32 length);
void xprt_rdma2_bounce_put(struct page **copy);
bool xprt_rdma2_bounce(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req,
		       const struct xdr_buf *xdr, u32 pos, u32 length,
		       struct page **copy);

/* xprt_rdma2_group_send.c */
bool xprt_rdma2_group_fits(const struct xprt_rdma2_xmt *xmt);
bool xprt_rdma2_group_copies(struct rpcrdma_xprt *r_xprt,
			     const struct rpc_rqst *rqst,
			     struct xprt_rdma2_xmt *xmt);
void xprt_rdma2_group_drop_copies(struct xprt_rdma2_xmt *xmt);
bool xprt_rdma2_group_sendctxs(const struct rpcrdma_xprt *r_xprt, u32 count);
int xprt_rdma2_group_prepare(struct rpcrdma_xprt *r_xprt,
			     struct rpcrdma_req *req,
			     const struct xdr_buf *xdr);

/* xprt_rdma2_loan.c */
void xprt_rdma2_lender_stock(struct rpcrdma_xprt *r_xprt, u32 recvs);
void xprt_rdma2_loan_begin(struct rpcrdma_xprt *r_xprt,
			   struct rpcrdma_req *req);
enum rpcrdma2_refusal xprt_rdma2_lend(struct rpcrdma_xprt *r_xprt,
				      struct rpcrdma_req *req, u32 credits,
				      u32 recvs);
void __xprt_rdma2_loan_undo(struct rpcrdma_xprt *r_xprt,
			    struct rpcrdma_req *req);
void xprt_rdma2_loan_undo(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req);
void xprt_rdma2_loan_drained(struct rpcrdma_xprt *r_xprt);

/* xprt_rdma2_place_recv.c */
void xprt_rdma2_arrival(struct rpcrdma_xprt *r_xprt,
			const struct rpcrdma2_xmtresp *resp,
			const struct rpcrdma2_part *parts,
			struct rpcrdma2_arrival *arr);
void xprt_rdma2_resp_whole(struct rpcrdma_rep *rep);
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
