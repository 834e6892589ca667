/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2, client.
 *
 * xprt_rdma2_connect.c		offering version 2, falling back to version 1
 * xprt_rdma2_probe.c		the opening exchange, seen message by message
 * xprt_rdma2_marshal.c		Calls
 * xprt_rdma2_receive.c		whatever arrives once the version is known
 * xprt_rdma2_credit.c		credits and posted Receives
 * xprt_rdma2_calls.c		credits of Calls, and how they come back
 * xprt_rdma2_ctrl.c		messages of the transport itself
 * xprt_rdma2_xchar.c		characteristics that change, and how they are asked for
 * xprt_rdma2_recvbuf.c		buffers for Receives
 * xprt_rdma2_backchannel.c	Calls of the server
 * xprt_rdma2_place*.c		data that travels in Sends: xprt_rdma2_place.h
 */

#ifndef _XPRT_RDMA2_H
#define _XPRT_RDMA2_H

#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "rpcrdma2.h"
#include "rpcrdma2_loan.h"
#include "rpcrdma2_place.h"

struct rpc_rqst;
struct rpc_xprt;
struct rpcrdma_ep;
struct rpcrdma_rep;
struct rpcrdma_req;
struct rpcrdma_xprt;
struct xprt_rdma2_hold;
struct xprt_rdma2_place;

/**
 * struct rpcrdma_version_ops - what depends on the version of a connection
 * @hdrlen: length of a header with empty chunk lists, in bytes
 * @bc_maxmsg: limit to the length of reverse Calls and replies, in bytes
 * @receive: consume a received message; takes over the rep
 * @marshal_req: prepare the Send of a Call
 * @decode_reply: decode a matched reply; returns its length or a negative errno
 * @bc_marshal_reply: prepare the Send of the reply to a reverse Call
 */
struct rpcrdma_version_ops {
	unsigned int	hdrlen;
	unsigned int	bc_maxmsg;
	void		(*receive)(struct rpcrdma_rep *rep);
	int		(*marshal_req)(struct rpcrdma_xprt *r_xprt,
				       struct rpc_rqst *rqst);
	int		(*decode_reply)(struct rpcrdma_xprt *r_xprt,
					struct rpcrdma_rep *rep,
					struct rpc_rqst *rqst);
	int		(*bc_marshal_reply)(struct rpc_rqst *rqst);
};

extern const struct rpcrdma_version_ops rpcrdma_v1_ops;	/* rpc_rdma.c */
extern const struct rpcrdma_version_ops xprt_rdma2_probe_ops;
extern const struct rpcrdma_version_ops xprt_rdma2_ops;

/* How to allocate what there is a fallback for: in the connect worker, which can
 * wait, but must not get memory by writing to the server; and elsewhere
 */
#define XPRT_RDMA2_GFP		(GFP_NOIO | __GFP_NORETRY | \
				 __GFP_NOMEMALLOC | __GFP_NOWARN)
#define XPRT_RDMA2_GFP_NOWAIT	(GFP_NOWAIT | __GFP_NORETRY | \
				 __GFP_NOMEMALLOC | __GFP_NOWARN)

/* Sends of the transport itself that may be under way at once */
enum {
	/* an answer to each reverse Call that may come, and some of our own */
	XPRT_RDMA2_CTRL_SENDS	= 20,
};

/**
 * struct xprt_rdma2_ctrl - one Send of the transport itself
 * @ct_cqe: its completion
 * @ct_ep: connection it belongs to
 * @ct_wr: its Work Request
 * @ct_sge: maps @ct_buf
 * @ct_buf: the message, RPCRDMA2_MAX_CTRL bytes
 * @ct_mapped: @ct_sge is in force
 */
struct xprt_rdma2_ctrl {
	struct ib_cqe		ct_cqe;
	struct xprt_rdma2_ep	*ct_ep;
	struct ib_send_wr	ct_wr;
	struct ib_sge		ct_sge;
	void			*ct_buf;
	bool			ct_mapped;
};

/**
 * enum xprt_rdma2_state - client's side of version negotiation
 * @XPRT_RDMA2_CONN: connecting, nothing sent
 * @XPRT_RDMA2_PROBE: INITXCH sent, no answer yet
 * @XPRT_RDMA2_ONE: version 2, but no credit grant yet: one RPC at a time
 * @XPRT_RDMA2_OPEN: version 2
 * @XPRT_RDMA2_V1: version 1 on this connection
 * @XPRT_RDMA2_FAIL: no version in common
 */
enum xprt_rdma2_state {
	XPRT_RDMA2_CONN = 0,
	XPRT_RDMA2_PROBE,
	XPRT_RDMA2_ONE,
	XPRT_RDMA2_OPEN,
	XPRT_RDMA2_V1,
	XPRT_RDMA2_FAIL,
};

/**
 * struct xprt_rdma2_ep - a connection on which version 2 was offered
 * @ve_ep: the connection
 * @ve_conn: its public record, kept in the transport
 * @ve_state: written by the connect worker before it sends the probe, and from
 *	then on only by the receive handler
 * @ve_lost: the connection is gone
 * @ve_lost_here: for a reason at this end; written before @ve_lost
 * @ve_probe_xid: xid of our INITXCH
 * @ve_probe_open: our INITXCH has not been answered; receive handler only
 * @ve_due: a control message could not be sent; changed under ve_ctrl_lock
 * @ve_closing: nothing is to be queued any more; changed under cn_lock
 * @ve_marshalling: a Call or reverse reply is being prepared, and not posted yet
 * @ve_ctrl_lock: control messages go out one after the other, and thresholds
 *	change with them; taken before cn_lock
 * @ve_seen: cn_seq when thresholds were last worked out; changed under
 *	ve_ctrl_lock
 * @ve_ctrl_work: sends control messages when nobody else comes by
 * @ve_post_lock: keeps Sends out of a group that is being posted; a leaf
 * @ve_place: placement; NULL if this end has not offered it
 * @ve_ctrl_busy: bit N: @ve_ctrl[N] is under way
 * @ve_ctrl: Sends of the transport itself
 *
 * Exists from rpcrdma_ep_create() to rpcrdma_ep_free(), what it points to until
 * rpcrdma_ep_destroy(). The receive
 * handler runs in one work item per completion queue and so never beside
 * itself.
 */
struct xprt_rdma2_ep {
	struct rpcrdma_ep	*ve_ep;
	struct rpcrdma2_conn	*ve_conn;
	enum xprt_rdma2_state	ve_state;
	bool			ve_lost;
	bool			ve_lost_here;
	__be32			ve_probe_xid;
	bool			ve_probe_open;
	bool			ve_due;
	bool			ve_closing;
	bool			ve_marshalling;
	spinlock_t		ve_ctrl_lock;	/* see above */
	unsigned int		ve_seen;
	struct delayed_work	ve_ctrl_work;
	spinlock_t		ve_post_lock;	/* see above */
	struct xprt_rdma2_place	*ve_place;
	unsigned long		ve_ctrl_busy;
	struct xprt_rdma2_ctrl	ve_ctrl[XPRT_RDMA2_CTRL_SENDS];
};

/**
 * struct xprt_rdma2 - what outlives the connections of a transport
 * @vx_conn: record of the present connection, shown in debugfs
 * @vx_offer: offer version 2 on the connection about to be made
 * @vx_spoken: this server has spoken version 2
 * @vx_losses: probes in a row that ended without any answer
 * @vx_assume_v1: when version 1 began to be assumed, in seconds; 0 if it is not
 * @vx_no_bounce: jiffies until when there is no memory to copy Calls to; written
 *	under the transport's send lock
 * @vx_plain: placement asks too much of the device
 * @vx_reserved: memory that placement has reserved, in bytes
 * @vx_grant: forward credits that the server has granted last; belongs to the
 *	receive handler
 * @vx_stranger: the server knows the number 2, but not the messages of this
 *	version; set by the receive handler before it ends the connection
 * @vx_refused: the last probe ended with ERR_VERS
 * @vx_refused_recvs: replies received by the transport at that time
 * @vx_bc_cookie: connection that the reverse credits are for
 * @vx_bc_wanted: reverse credits that the server has asked for last
 * @vx_bc_posted: reverse Calls that Receives have been posted for
 * @vx_bc_granted: the most that were granted on this connection
 * @vx_bc_used: reverse Calls that have not been replied to
 * @vx_calls: forward Calls that were given up, and not answered yet
 * @vx_lender: what long messages can borrow
 * @vx_credit: forward credit of the request that is not answered
 * @vx_returned: stands for a credit that is given back
 * @vx_stuck_work: closes a connection that has no credit left for RPCs
 *
 * Belongs to the connect worker, but for @vx_conn, @vx_no_bounce, what is named
 * vx_bc_*, which is protected by cn_lock, and what follows these, which is
 * protected by the transport_lock. What is reserved the receive handler may give
 * back, as long as the worker waits for the probe.
 */
struct xprt_rdma2 {
	struct rpcrdma2_conn	vx_conn;
	bool			vx_offer;
	bool			vx_spoken;
	unsigned int		vx_losses;
	time64_t		vx_assume_v1;
	unsigned long		vx_no_bounce;
	bool			vx_plain;
	unsigned long		vx_reserved;
	u32			vx_grant;
	bool			vx_stranger;
	bool			vx_refused;
	unsigned long		vx_refused_recvs;
	unsigned int		vx_bc_cookie;
	u32			vx_bc_wanted;
	u32			vx_bc_posted;
	u32			vx_bc_granted;
	u32			vx_bc_used;
	struct rpcrdma2_calls	vx_calls;
	struct rpcrdma2_lender	vx_lender;
	struct rpcrdma2_credit	vx_credit;
	struct rpcrdma2_credit	vx_returned;
	struct delayed_work	vx_stuck_work;
};

/* xprt_rdma2_connect.c */
void xprt_rdma2_init(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_destroy(struct rpcrdma_xprt *r_xprt);
int xprt_rdma2_connect(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_ep_create(struct rpcrdma_xprt *r_xprt, struct rpcrdma_ep *ep);
void xprt_rdma2_ep_destroy(struct rpcrdma_ep *ep);
void xprt_rdma2_conn_lost(struct rpcrdma_ep *ep);
void xprt_rdma2_local_loss(struct rpcrdma_ep *ep);
void xprt_rdma2_quiesce(struct rpcrdma_ep *ep);

/* xprt_rdma2_probe.c */
int xprt_rdma2_probe(struct rpcrdma_xprt *r_xprt);
bool xprt_rdma2_initxch(struct rpcrdma_rep *rep);
__be32 xprt_rdma2_next_xid(struct rpc_xprt *xprt);

/* xprt_rdma2_xchar.c */
u32 xprt_rdma2_own_size(const struct rpcrdma_ep *ep);
void xprt_rdma2_xchar_state(struct rpcrdma_ep *ep);
void xprt_rdma2_xchar_init(struct rpcrdma_ep *ep);
void xprt_rdma2_set_sizes(struct rpcrdma_ep *ep);
void xprt_rdma2_option(struct rpcrdma_rep *rep);
bool xprt_rdma2_respxch(struct rpcrdma_rep *rep);
bool xprt_rdma2_ctrl_error(struct rpcrdma_rep *rep);
void xprt_rdma2_progress(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_begin_send(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_end_send(struct rpcrdma_ep *ep);
void xprt_rdma2_want_inline(struct rpcrdma_xprt *r_xprt, u32 len);
void xprt_rdma2_kick(struct rpcrdma2_conn *conn);

/* xprt_rdma2_recvbuf.c */
u32 xprt_rdma2_recv_size(const struct rpcrdma_ep *ep);
struct rpcrdma_rep *xprt_rdma2_rep_create(struct rpcrdma_xprt *r_xprt);
bool xprt_rdma2_rep_wanted(struct rpcrdma_xprt *r_xprt, struct rpcrdma_rep *rep);
void xprt_rdma2_recvs_prune(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_recvs_prepare(struct rpcrdma_xprt *r_xprt);
bool xprt_rdma2_recv_resize(struct rpcrdma_xprt *r_xprt,
			    struct rpcrdma_rep *rep);
void xprt_rdma2_recv_post(struct rpcrdma_ep *ep, struct rpcrdma_rep *rep);
void xprt_rdma2_recv_unpost(struct rpcrdma_ep *ep, struct rpcrdma_rep *rep);
void xprt_rdma2_recv_consume(struct rpcrdma_ep *ep, struct rpcrdma_rep *rep);
void xprt_rdma2_recv_release(struct rpcrdma_rep *rep);

/* xprt_rdma2_receive.c */
enum rpcrdma2_verdict xprt_rdma2_decode(struct rpcrdma_rep *rep);
bool xprt_rdma2_awaited(const struct rpc_rqst *rqst);
void xprt_rdma2_process(struct rpcrdma_rep *rep);
void xprt_rdma2_drop(struct rpcrdma_rep *rep);
void xprt_rdma2_answer(struct rpcrdma_rep *rep, u32 code);
enum rpcrdma2_call_was xprt_rdma2_pin_rqst(struct rpcrdma_rep *rep,
					   bool only_xmt);
void xprt_rdma2_granted(struct rpcrdma_xprt *r_xprt,
			const struct rpcrdma2_msg *msg);
void xprt_rdma2_complete(struct rpcrdma_rep *rep);

/* xprt_rdma2_marshal.c */
int xprt_rdma2_marshal_req(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst);

/* xprt_rdma2_credit.c */
void xprt_rdma2_take_grant(struct rpcrdma_xprt *r_xprt, u32 credit);
u32 xprt_rdma2_reverse_grant(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_bc_reset(struct rpcrdma_xprt *r_xprt);
bool xprt_rdma2_bc_begin(struct rpcrdma_xprt *r_xprt, u32 wanted, u32 count);
void xprt_rdma2_bc_unused(struct rpcrdma_xprt *r_xprt, u32 count);
void xprt_rdma2_bc_end(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req);
void xprt_rdma2_post_recvs(struct rpcrdma_xprt *r_xprt);

/* xprt_rdma2_calls.c */
void xprt_rdma2_calls_init(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_calls_destroy(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_calls_reset(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_no_credit(struct rpc_rqst *rqst);
void xprt_rdma2_credit_put(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_release_credits(struct rpcrdma_xprt *r_xprt, u32 credits);
void xprt_rdma2_call_ended(struct rpcrdma_xprt *r_xprt,
			   struct rpcrdma_req *req, bool refused);
enum rpcrdma2_call_was xprt_rdma2_late(struct rpcrdma_xprt *r_xprt,
				       const struct rpcrdma2_ending *end);
void xprt_rdma2_release(struct rpc_rqst *rqst);

/* xprt_rdma2_ctrl.c */
int xprt_rdma2_post_send(struct rpcrdma_ep *ep, const struct ib_send_wr *wr);
int xprt_rdma2_ctrl_create(struct xprt_rdma2_ep *ve);
void xprt_rdma2_ctrl_destroy(struct xprt_rdma2_ep *ve);
int xprt_rdma2_send_initxch(struct rpcrdma_xprt *r_xprt, __be32 xid, u32 dir,
			    u32 credit);
bool xprt_rdma2_send_respxch(struct rpcrdma_xprt *r_xprt, __be32 xid,
			     const struct rpcrdma2_respxch *resp);
bool xprt_rdma2_send_xch(struct rpcrdma_xprt *r_xprt,
			 const struct rpcrdma2_ctrl *ctrl);
void xprt_rdma2_send_error(struct rpcrdma_rep *rep, u32 code);
void xprt_rdma2_cant_reply(struct rpcrdma_rep *rep, u32 length);
void xprt_rdma2_send_repterr(struct rpcrdma_xprt *r_xprt,
			     const struct rpcrdma2_repterr *fault);

/* xprt_rdma2_group.c */
void xprt_rdma2_drained(struct rpcrdma_xprt *r_xprt);

/* xprt_rdma2_place_send.c */
u32 xprt_rdma2_header_size(const struct rpcrdma_ep *ep, u32 size);
struct xprt_rdma2_hold *xprt_rdma2_hold_create(void);
void xprt_rdma2_drop_pages(struct xprt_rdma2_hold *hold);

/* xprt_rdma2_backchannel.c */
void xprt_rdma2_bc_call(struct rpcrdma_rep *rep);
int xprt_rdma2_bc_marshal_reply(struct rpc_rqst *rqst);
void xprt_rdma2_bc_stale(struct rpcrdma_xprt *r_xprt);

#endif /* _XPRT_RDMA2_H */
