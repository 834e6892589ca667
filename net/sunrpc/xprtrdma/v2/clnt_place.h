/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2, client: data that travels in Sends.
 *
 * What is needed by none but the client's own files.
 */

#ifndef _RPCRDMA2_CLNT_PLACE_H
#define _RPCRDMA2_CLNT_PLACE_H

#include <linux/mm.h>
#include <linux/sunrpc/svc_rdma.h>

#include "../xprt_rdma.h"
#include "assembly.h"
#include "memory.h"
#include "plan.h"
#include "ledger.h"

enum {
	/* What rr_proc has of a message of version 2 besides the number in its header,
	 * so that it is none of version 1's
	 */
	XPRT_RDMA2_PROC		= 0x200,
	/* Receives that no data is placed in, in bytes: the longest reply to OPEN
	 * fits, and that to a READ of 4 KiB
	 */
	XPRT_RDMA2_RECV_PLAIN	= 2 * RPCRDMA2_DEF_INLINE,
	/* Head segment of this end's Receives, in bytes: header and payload
	 * of the reply to a READ, with as much again to spare
	 */
	XPRT_RDMA2_RECV_HEAD	= 512,
	/* Header and payload of a Call whose data is placed, and zeros behind
	 * them, in bytes
	 */
	XPRT_RDMA2_FRONT	= 2048,
	/* A READ that gets less than that gets it inline, in bytes */
	XPRT_RDMA2_MINLEN	= 1024,
	/* Pages that one Send reads from, at most: with those that head and
	 * tail are in
	 */
	XPRT_RDMA2_MAX_HELD	= RPCRDMA2_MAX_INLINE / PAGE_SIZE + 4,
	/* Reverse credits that there are always Receives for: as many as a Linux
	 * server asks for unless it was told otherwise
	 */
	XPRT_RDMA2_REVERSE	= 2,
};

/**
 * struct xprt_rdma2_out - the Call that is being prepared
 * @proc: RDMA2_MSG, RDMA2_NOMSG or RDMA2_OPTIONAL
 * @rtype: what becomes of the arguments: of rpcrdma_noch_mapped the plan says it
 * @wtype: what is provided for the results, if it does not go by ROPT_XMTREQ
 * @write: XMPTYPE_TBSN or XMPTYPE_EXRW for the data of a WRITE, 0 if there is
 *	none, or it stays inline
 * @read: type of the directions for the data of a READ, 0 if there are none
 * @nsets: sets of directions, if there are any
 * @pslen: length of the payload stream, in bytes
 * @rsbuf: transmissions that the reply may take
 * @plan: its Sends, unless @rtype is rpcrdma_noch_pullup; there is one at least
 * @copies: for each of them, pages that its range is copied to, or NULL; all are
 *	NULL when no Call is being prepared
 * @sends: their contexts
 * @reply: scratch for the Sends of the reply
 * @hdr: header of ROPT_XMTREQ
 *
 * Belongs to the send lock. What is needed when the reply comes is in the
 * request.
 */
struct xprt_rdma2_out {
	u32			proc;
	enum rpcrdma_chunktype	rtype;
	enum rpcrdma_chunktype	wtype;
	u32			write;
	u32			read;
	u32			nsets;
	u32			pslen;
	u32			rsbuf;
	struct rpcrdma2_plan	plan;
	struct page		*copies[RPCRDMA2_MAX_XMTS];
	struct rpcrdma_sendctx	*sends[RPCRDMA2_MAX_XMTS];
	struct rpcrdma2_plan	reply;
	struct rpcrdma2_xmtreq	hdr;
};

/**
 * struct xprt_rdma2_directions - what no Call does but those of tests
 * @read: chooses the type of the directions for the item of a reply, and how
 *	many sets there are; gives the length of an item that is to have
 *	directions however long it is
 * @fits: will a reply fit a Receive, with directions of such a type?
 * @write: chooses how the data of a WRITE goes; 0 for what costs least
 * @put_write: describes data that is not placed
 * @put_read: writes the directions
 *
 * Context: the transport's send lock is held
 */
struct xprt_rdma2_directions {
	u32	(*read)(const struct rpc_rqst *rqst, struct xprt_rdma2_out *out,
			u32 *length);
	bool	(*fits)(const struct rpcrdma_xprt *r_xprt,
			const struct rpc_rqst *rqst,
			const struct xprt_rdma2_out *out);
	u32	(*write)(const struct rpcrdma_xprt *r_xprt,
			 struct xprt_rdma2_out *out);
	int	(*put_write)(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			     struct xprt_rdma2_out *out);
	int	(*put_read)(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			    struct xprt_rdma2_out *out);
};

extern const struct xprt_rdma2_directions *xprt_rdma2_directions;
extern const struct xprt_rdma2_directions xprt_rdma2_test_directions;

/**
 * struct xprt_rdma2_assembly - reassembly on one connection
 * @vg_asm: the group that is open, in numbers
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
struct xprt_rdma2_assembly {
	struct rpcrdma2_assembly		vg_asm;
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
 * @XPRT_RDMA2_LOOK_INV: who completes a Call whose last memory has been
 *	invalidated: the handler of Send completions, or, should ib_post_send()
 *	return later than that, the receive handler that called it
 * @XPRT_RDMA2_LOOKERS: how many there are
 *
 * Each handler runs in one work item of its completion queue, and so never
 * beside itself. Nor do the two that may be XPRT_RDMA2_LOOK_INV run beside each
 * other: the receive handler alone posts what is completed, and has nothing else
 * to be completed while it is still posting. A response goes from the first
 * looker to the other, if at all, with the Work Requests that invalidate;
 * @rr_v2.vr_inv says so before they are posted.
 */
enum xprt_rdma2_looker {
	XPRT_RDMA2_LOOK_RECV,
	XPRT_RDMA2_LOOK_INV,
	XPRT_RDMA2_LOOKERS,
};

/* A response that is being looked at */
struct xprt_rdma2_look {
	/* the Call that it is about */
	struct rpcrdma2_xmtreq		lk_sent;
	struct rpcrdma2_xmtresp		lk_resp;			/* what it says */
	struct rpcrdma2_part		lk_parts[RPCRDMA2_MAX_XMTS];	/* its transmissions */
	void				*lk_data[RPCRDMA2_MAX_XMTS];	/* where they are */
};

/* What it was settled by what Receives are for */
struct xprt_rdma2_seen {
	struct rpcrdma2_split	wanted;		/* what there was use for */
	u32			target;		/* credits of the connection */
	u32			buffers;	/* buffers it had */
	u32			rbsiz;		/* RBSIZ of this end */
	u32			limit;		/* reverse Calls that were prepared for */
	u32			grant;		/* messages that might come */
};

/**
 * struct xprt_rdma2_use - what shows how many Receives a connection has use for
 * @us_data: long results have come by explicit RDMA for want of longer ones; written under
 *	the send lock, and by the receive handler
 * @us_credits: credits that were in use with a long Call, or would have been, since the
 *	last message came; written under the send lock, and by the receive handler
 * @us_recvs: Receives beyond the first one that long replies took in this interval, or
 *	would have taken; written under the send lock, and by the tick
 * @us_recvs_before: the most in the intervals before; the tick's
 * @us_fewer: intervals in a row with fewer; the tick's
 * @us_replies: for how many intervals more results of what is not READ are taken for
 *	long; the tick's, and set whenever a reply comes by a Reply chunk
 * @us_long_calls: a Call was longer than any Receive of version 1; as @us_recvs
 * @us_quiet: intervals in a row without; the tick's
 * @us_asked: the server was asked for its grant since the last Call; as @us_recvs
 * @us_asks: it was asked before; under cn_lock
 * @us_large: a message was longer than Receives are at first; under cn_lock
 * @us_seen: what it was settled by what they are for; likewise
 */
struct xprt_rdma2_use {
	bool			us_data;
	u32			us_credits;
	u32			us_recvs;
	u32			us_recvs_before;
	u32			us_fewer;
	u32			us_replies;
	bool			us_long_calls;
	u32			us_quiet;
	bool			us_asked;
	bool			us_asks;
	bool			us_large;
	struct xprt_rdma2_seen	us_seen;
};

/**
 * struct xprt_rdma2_placement - placement on one connection
 * @vp_own: structure of this end's Receives, as it was advertised
 * @vp_zeros: the zero page, mapped
 * @vp_ve: the connection
 * @vp_off: no Call goes by ROPT_XMTREQ any more
 * @vp_cont: this end takes ROPT_XMTCONT, and may send it
 * @vp_read_max: longest data of a READ that is placed, in bytes; never changes
 * @vp_callbacks: transmissions of a reverse Call, at most
 * @vp_memory: memory for Receives
 * @vp_use: what shows how many of them there is use for
 * @vp_life: @vx_life of the connection
 * @vp_assembly: reassembly
 * @vp_requests: transmissions of a Call, at most; belongs to the send lock
 * @vp_replies: transmissions of a reply, at most; likewise
 * @vp_seen: cn_seq when the server was last looked up; likewise
 * @vp_rtrsupp: RTRSUPP of the server; likewise
 * @vp_reqrxlim: REQRXLIM of the server; likewise
 * @vp_respsxlim: RESPSXLIM of the server; likewise
 * @vp_peer: structure of the server's Receives; likewise
 * @vp_look: the response that is being looked at by each of those who do; see
 *	enum xprt_rdma2_looker
 */
struct xprt_rdma2_placement {
	struct rpcrdma2_rbstruct	vp_own;
	u64				vp_zeros;
	struct xprt_rdma2_ep		*vp_ve;
	bool				vp_off;
	bool				vp_cont;
	u32				vp_read_max;
	u32				vp_callbacks;
	struct rpcrdma2_memory		vp_memory;
	struct xprt_rdma2_use		vp_use;
	u32				vp_life;
	struct xprt_rdma2_assembly		vp_assembly;

	u32				vp_requests;
	u32				vp_replies;
	unsigned int			vp_seen;
	u32				vp_rtrsupp;
	u32				vp_reqrxlim;
	u32				vp_respsxlim;
	struct rpcrdma2_rbstruct	vp_peer;

	struct xprt_rdma2_look		vp_look[XPRT_RDMA2_LOOKERS];
};

/**
 * struct xprt_rdma2_hold - pages that the device reads from
 * @ho_count: how many
 * @ho_pages: a reference to each
 * @ho_wr: Work Request of the Send, if it is not the first one of its Call
 * @ho_first: first SGE that has to be unmapped; 0 if the Send is not one of ours
 *
 * An RPC may end before its Send does: when its task is killed, or its reply
 * overtakes the completion of the Send.
 */
struct xprt_rdma2_hold {
	unsigned int	ho_count;
	struct page	*ho_pages[XPRT_RDMA2_MAX_HELD];
	struct ib_send_wr ho_wr;
	unsigned int	ho_first;
};

/* The transport that the record of a client's connection belongs to */
static inline struct rpcrdma_xprt *
xprt_rdma2_conn_xprt(const struct rpcrdma2_conn *conn)
{
	return container_of(conn, struct rpcrdma_xprt, rx_v2.vx_conn);
}

/* The block that a buffer consists of, or NULL if data cannot be placed in it */
static inline struct rpcrdma2_recvblock *
xprt_rdma2_rep_block(const struct rpcrdma_rep *rep)
{
	return rep->rr_v2.vr_block;
}

static inline struct xprt_rdma2_placement *
xprt_rdma2_place_of(struct rpcrdma2_memory *me)
{
	return container_of(me, struct xprt_rdma2_placement, vp_memory);
}

/* Does memory for Receives follow use? Returns that memory; NULL if Receives are
 * made as they are needed.
 */
static inline struct rpcrdma2_memory *
xprt_rdma2_memory(const struct rpcrdma_xprt *r_xprt)
{
	const struct rpcrdma_ep *ep = READ_ONCE(r_xprt->rx_ep);
	struct xprt_rdma2_placement *vp = ep && ep->re_v2 ?
					  ep->re_v2->ve_place : NULL;

	return vp && READ_ONCE(vp->vp_memory.me_on) ? &vp->vp_memory : NULL;
}

/* Does a reply fit a Receive? @length: the longest that it may be, in bytes. Context: the
 * transport's send lock is held.
 */
static inline bool xprt_rdma2_results_inline(const struct rpcrdma_xprt *r_xprt,
					     size_t length)
{
	return length <= READ_ONCE(r_xprt->rx_ep->re_max_inline_recv);
}

/* Does a Call wait for an answer? sunrpc knows a Call by its xid before it is sent and
 * until it is released. Only once it was posted, and over this connection, can a message
 * be about it (N-30). Context: the Call is not taken back meanwhile: queue_lock is held,
 * or its task is done with it. Returns true until there is an answer; how the Call was
 * sent is known then.
 */
static inline bool xprt_rdma2_awaited(const struct rpc_rqst *rqst)
{
	const struct rpcrdma_req *req = rpcr_to_rdmar(rqst);

	/* Pairs with the release in xprt_rdma2_post_send() */
	return smp_load_acquire(&req->rl_v2.vq_posted) &&
	       req->rl_v2.vq_xid == rqst->rq_xid;
}

/* What a non-error reply grants is in force. The first one ends the time of one RPC at a
 * time (B-82). Context: receive handler.
 */
static inline void xprt_rdma2_granted(struct xprt_rdma2_ep *ve)
{
	if (ve->ve_state == XPRT_RDMA2_ONE)
		WRITE_ONCE(ve->ve_state, XPRT_RDMA2_OPEN);
}

/* Which reverse Calls does this end take? None as long as nobody serves them. */
static inline u32 xprt_rdma2_own_brs(const struct rpc_xprt *xprt)
{
#if IS_ENABLED(CONFIG_SUNRPC_BACKCHANNEL)
	if (READ_ONCE(xprt->bc_serv))
		return RDMA2_BRS_INLINE;
#endif
	return RDMA2_BRS_NONE;
}

/* What of a tail is sent behind placed data? @xdr: Call with data in its pages. If the
 * length of the data is odd, the tail begins with what pads it, and that belongs to the
 * data. Returns a length in bytes, a multiple of 4.
 */
static inline u32 xprt_rdma2_tail_length(const struct xdr_buf *xdr)
{
	return round_down(xdr->tail[0].iov_len, XDR_UNIT);
}

/* Are two pages, which follow each other in an array, neighbours in memory? */
static inline bool xprt_rdma2_adjacent(struct page **page)
{
	return page_to_pfn(page[0]) + 1 == page_to_pfn(page[1]);
}

/* The group of a connection, or NULL if this end takes none */
static inline struct xprt_rdma2_assembly *
xprt_rdma2_assembly_of(const struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_placement *vp = r_xprt->rx_ep->re_v2->ve_place;

	return vp && vp->vp_cont ? &vp->vp_assembly : NULL;
}

/* Is a group open, so that Receives are held until the rest of it comes? Context: receive
 * handler
 */
static inline bool xprt_rdma2_assembling(const struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_assembly *vg = xprt_rdma2_assembly_of(r_xprt);

	return vg && rpcrdma2_assembly_is_open(&vg->vg_asm);
}

/* Is the rest of a group being discarded? Context: receive handler. Returns true
 * if it is: its Receives are still being used up.
 */
static inline bool xprt_rdma2_draining(const struct rpcrdma_xprt *r_xprt)
{
	struct xprt_rdma2_assembly *vg = xprt_rdma2_assembly_of(r_xprt);

	return vg && vg->vg_asm.state == RPCRDMA2_ASSEMBLY_DRAIN;
}

/* clnt_place.c */
void xprt_rdma2_place_create(struct rpcrdma_xprt *r_xprt, struct rpcrdma_ep *ep);
void xprt_rdma2_place_destroy(struct rpcrdma_ep *ep);
void xprt_rdma2_place_unheard(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_place_agreed(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_place_off(struct rpcrdma_xprt *r_xprt, const char *why);
u32 xprt_rdma2_place_peer(struct rpcrdma_xprt *r_xprt);
void __xprt_rdma2_set_sizes(struct rpcrdma_ep *ep);
void xprt_rdma2_set_sizes(struct rpcrdma_ep *ep);
void xprt_rdma2_xchar_state(struct rpcrdma_ep *ep);
void xprt_rdma2_want_inline(struct rpcrdma_xprt *r_xprt, u32 len);

/* clnt_recvs.c */
void xprt_rdma2_recvs_unmap(struct rpcrdma_xprt *r_xprt);
extern struct rpcrdma2_budget xprt_rdma2_budget;

struct llist_node *xprt_rdma2_allocate(struct rpcrdma2_memory *me, u32 kind);
void xprt_rdma2_add(struct rpcrdma2_memory *me, struct llist_node *buf);
void xprt_rdma2_refill(struct rpcrdma2_memory *me, struct rpcrdma2_gone *gone);
void xprt_rdma2_refill_lagging(struct rpcrdma2_memory *me, struct rpcrdma2_gone *gone);
void xprt_rdma2_forget(struct rpcrdma2_memory *me, struct rpcrdma2_gone *gone);

/* clnt_memory.c */
extern const struct rpcrdma2_memory_ops xprt_rdma2_memory_ops;

/* clnt_call.c */
u32 xprt_rdma2_length(const struct rpc_rqst *rqst,
		      const struct xprt_rdma2_out *out);
void xprt_rdma2_put_set(struct rpcrdma2_xmtreq *call, u32 begin, u32 end,
			const struct rpcrdma2_rsditem *item);

/* clnt_plan.c */
bool xprt_rdma2_args_inline(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			    u32 hdrlen, struct xprt_rdma2_out *out);
u32 xprt_rdma2_header(const struct rpcrdma_xprt *r_xprt,
		      const struct xprt_rdma2_out *out, u32 nplaced);
bool xprt_rdma2_plan_short(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			   struct xprt_rdma2_out *out);
bool xprt_rdma2_place_plan(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst,
			   struct xprt_rdma2_out *out);

/* clnt_group.c */
void xprt_rdma2_group_init(struct xprt_rdma2_ep *ve);
enum xprt_rdma2_outcome xprt_rdma2_xmtresp(struct rpcrdma_rep *rep);
enum xprt_rdma2_outcome xprt_rdma2_xmtreq(struct rpcrdma_rep *rep);
enum xprt_rdma2_outcome xprt_rdma2_assemble(struct rpcrdma_rep **prep);
void xprt_rdma2_group_garbled(struct rpcrdma_rep *rep);

/* clnt_send.c */
bool xprt_rdma2_send_fits(const struct xprt_rdma2_out *out);
bool xprt_rdma2_send_copies(struct rpcrdma_xprt *r_xprt,
			    const struct rpc_rqst *rqst,
			    struct xprt_rdma2_out *out);
void xprt_rdma2_send_uncopy(struct xprt_rdma2_out *out);
int xprt_rdma2_send_short(struct rpcrdma_xprt *r_xprt,
			  struct rpcrdma_req *req, const struct xdr_buf *xdr);
int xprt_rdma2_send_prepare(struct rpcrdma_xprt *r_xprt,
			    struct rpcrdma_req *req, struct xprt_rdma2_out *out);

/* clnt_credit.c */
void xprt_rdma2_reservation_begin(struct rpcrdma_xprt *r_xprt,
				  struct rpcrdma_req *req);
enum rpcrdma2_refusal xprt_rdma2_reserve(struct rpcrdma_xprt *r_xprt,
					 struct rpcrdma_req *req, u32 credits,
					 u32 recvs);
void xprt_rdma2_reservation_undo(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req);

/* clnt_reply.c */
void xprt_rdma2_drop(struct rpcrdma_rep *rep);
void xprt_rdma2_fail(struct rpcrdma_rep *rep);
void xprt_rdma2_put_conts(struct rpcrdma_rep *rep);
void xprt_rdma2_blamed(struct rpcrdma_xprt *r_xprt,
		       const struct rpcrdma2_repterr *fault);
void xprt_rdma2_arrival(struct rpcrdma_xprt *r_xprt,
			const struct rpcrdma2_xmtresp *resp,
			const struct rpcrdma2_part *parts,
			struct rpcrdma2_arrival *arr);
enum xprt_rdma2_outcome xprt_rdma2_resp_whole(struct rpcrdma_rep *rep);
enum xprt_rdma2_outcome xprt_rdma2_reply(struct rpcrdma_rep *rep);
enum xprt_rdma2_outcome xprt_rdma2_send_again(struct rpcrdma_rep *rep,
					      const char *why);
int xprt_rdma2_decode_reply(struct rpcrdma_rep *rep);

#endif /* _RPCRDMA2_CLNT_PLACE_H */
