/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2, client.
 */

#ifndef _RPCRDMA2_CLNT_H
#define _RPCRDMA2_CLNT_H

#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "conn.h"
#include "ops.h"
#include "ledger.h"
#include "plan.h"

struct rpc_rqst;
struct rpc_xprt;
struct rpcrdma2_recvblock;
struct rpcrdma_ep;
struct rpcrdma_rep;
struct rpcrdma_req;
struct rpcrdma_sendctx;
struct rpcrdma_version_ops;
struct rpcrdma_xprt;
struct xprt_rdma2_hold;
struct xprt_rdma2_out;
struct xprt_rdma2_placement;

extern const struct rpcrdma_version_ops xprt_rdma2_probe_ops;

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

/* One Send of the transport itself */
struct xprt_rdma2_ctrl {
	struct ib_cqe		ct_cqe;		/* its completion */
	struct xprt_rdma2_ep	*ct_ep;		/* connection it belongs to */
	struct ib_send_wr	ct_wr;		/* its Work Request */
	struct ib_sge		ct_sge;		/* maps @ct_buf */
	void			*ct_buf;	/* the message, RPCRDMA2_MAX_CTRL bytes */
	bool			ct_mapped;	/* @ct_sge is in force */
};

/* Client's side of version negotiation */
enum xprt_rdma2_state {
	XPRT_RDMA2_CONN = 0,	/* connecting, nothing sent */
	XPRT_RDMA2_PROBE,	/* INITXCH sent, no answer yet */
	XPRT_RDMA2_ONE,		/* version 2, but no credit grant yet: one RPC at a time */
	XPRT_RDMA2_OPEN,	/* version 2 */
	XPRT_RDMA2_V1,		/* version 1 on this connection */
	XPRT_RDMA2_FAIL,	/* no version in common */
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
 * @ve_closing: nothing is to be queued or posted any more; changed under cn_lock
 * @ve_marshalling: a Call or reverse reply is being prepared, and not posted yet
 * @ve_ctrl_lock: control messages go out one after the other, and thresholds
 *	change with them; taken before cn_lock
 * @ve_seen: cn_seq when thresholds were last worked out; changed under
 *	ve_ctrl_lock
 * @ve_ctrl_work: sends control messages when nobody else comes by
 * @ve_answer_due: the answer to a request of the server's waits for a Call to be
 *	posted; changed under ve_ctrl_lock
 * @ve_answer_xid: xid of that request
 * @ve_answer_by: until when, in jiffies
 * @ve_answer: what becomes of it
 * @ve_call_room: bytes of a Send that inline Calls leave to headers; 0 until known
 * @ve_reply_room: likewise of a Receive
 * @ve_post_lock: keeps Sends out of a group that is being posted, and a reply
 *	from the Work Requests of its Call until they are posted; a leaf
 * @ve_out: the Call that is being prepared; belongs to the send lock
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
	bool			ve_answer_due;
	__be32			ve_answer_xid;
	unsigned long		ve_answer_by;
	struct rpcrdma2_respxch	ve_answer;
	u32			ve_call_room;
	u32			ve_reply_room;
	spinlock_t		ve_post_lock;	/* see above */
	struct xprt_rdma2_out	*ve_out;
	struct xprt_rdma2_placement	*ve_place;
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
 * @vx_life: counts connections whose memory follows use
 * @vx_stranger: the server knows the number 2, but not the messages of this
 *	version; set by the receive handler before it ends the connection
 * @vx_refused: the last probe ended with ERR_VERS
 * @vx_refused_recvs: replies received by the transport at that time
 * @vx_ledger: credits of both directions
 * @vx_stuck_work: closes a connection that has no credit left for RPCs
 *
 * Belongs to the connect worker, but for @vx_conn, @vx_no_bounce, and what begins
 * with @vx_ledger, which is protected by the transport_lock.
 */
struct xprt_rdma2 {
	struct rpcrdma2_conn	vx_conn;
	bool			vx_offer;
	bool			vx_spoken;
	unsigned int		vx_losses;
	time64_t		vx_assume_v1;
	unsigned long		vx_no_bounce;
	bool			vx_plain;
	u32			vx_life;
	bool			vx_stranger;
	bool			vx_refused;
	unsigned long		vx_refused_recvs;
	struct rpcrdma2_ledger	vx_ledger;
	struct delayed_work	vx_stuck_work;
};

/**
 * struct xprt_rdma2_rep - what belongs to a received message
 * @vr_msg: its header
 * @vr_failed: it is attached to a Call, which it makes fail
 * @vr_again: likewise; the Call is to be sent again
 * @vr_inv: likewise; memory of the Call is invalidated here
 * @vr_block: memory that the buffer has instead of its regbuf's; NULL if none
 * @vr_life: @vx_life when the buffer was charged; 0 if it was not
 * @vr_counted: bytes of the buffer that are accounted for
 * @vr_xmts: transmissions of the whole message
 * @vr_part: what of the message is in this one
 * @vr_next: the next one of the same message; is released with this one
 * @vr_linear: the message in one piece; likewise
 *
 * Written by the receive handler; from there on whoever owns the rep owns this.
 */
struct xprt_rdma2_rep {
	struct rpcrdma2_msg	vr_msg;
	bool			vr_failed;
	bool			vr_again;
	bool			vr_inv;
	struct rpcrdma2_recvblock *vr_block;
	u32			vr_life;
	u32			vr_counted;
	u32			vr_xmts;
	struct rpcrdma2_part	vr_part;
	struct rpcrdma_rep	*vr_next;
	void			*vr_linear;
};

/**
 * struct xprt_rdma2_req - what belongs to a Call, or to a reverse Call
 * @vq_posted: the Call was posted and has no reply yet
 * @vq_xid: its xid at that time
 * @vq_by_xmtreq: it goes by ROPT_XMTREQ
 * @vq_epoch: what both ends had said of themselves when it was put together
 * @vq_reservation: what it has reserved
 * @vq_bc_credits: credits that the reverse Call holds
 */
struct xprt_rdma2_req {
	bool				vq_posted;
	__be32				vq_xid;
	bool				vq_by_xmtreq;
	u32				vq_epoch;
	struct rpcrdma2_reservation	vq_reservation;
	u32				vq_bc_credits;
};

/* What is left to do with a received message */
enum xprt_rdma2_outcome {
	XPRT_RDMA2_O_OTHER,		/* everything */
	/* nothing: it goes with its Call, is held, or the callback service has it */
	XPRT_RDMA2_O_TAKEN,
	XPRT_RDMA2_O_DONE,		/* release it */
	XPRT_RDMA2_O_DROP,		/* count it, and release it */
	XPRT_RDMA2_O_FAIL,		/* have the RPC fail that it is about */
	/* its content does not parse: answer it if it is a Call, drop it if it is a reply */
	XPRT_RDMA2_O_UNSOUND,
	XPRT_RDMA2_O_BAD_XDR,		/* answer it by this error */
	XPRT_RDMA2_O_INVAL_PROC,	/* likewise */
	XPRT_RDMA2_O_INVAL_OPTION,	/* likewise */
	XPRT_RDMA2_O_REFUSE_XDR,	/* answer a reverse Call by BAD_XDR */
	XPRT_RDMA2_O_REFUSE_OPTION,	/* answer a reverse Call by INVAL_OPTION */
	XPRT_RDMA2_O_CLOSE,		/* drop it, and close the connection */
};

/* clnt_ops.c */
void xprt_rdma2_clnt_init(void);
void xprt_rdma2_clnt_cleanup(void);

/* clnt_control.c */
void xprt_rdma2_xchar_init(struct rpcrdma_ep *ep);
void xprt_rdma2_progress(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_announce(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_kick(struct rpcrdma2_conn *conn);
enum xprt_rdma2_outcome xprt_rdma2_initxch(struct rpcrdma_rep *rep);
enum xprt_rdma2_outcome xprt_rdma2_reqxch(struct rpcrdma_rep *rep);
enum xprt_rdma2_outcome xprt_rdma2_respxch(struct rpcrdma_rep *rep);
void xprt_rdma2_bad_respxch(struct rpcrdma_rep *rep);
enum xprt_rdma2_outcome xprt_rdma2_updxch(struct rpcrdma_rep *rep);
enum xprt_rdma2_outcome xprt_rdma2_repterr(struct rpcrdma_rep *rep);
enum xprt_rdma2_outcome xprt_rdma2_error(struct rpcrdma_rep *rep);

/* clnt_recvs.c */
void xprt_rdma2_rep_free(struct rpcrdma_rep *rep);
bool xprt_rdma2_rep_prepare(struct rpcrdma_xprt *r_xprt, struct rpcrdma_rep *rep);
void xprt_rdma2_recvs_prune(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_recv_consume(struct rpcrdma_rep *rep);
void xprt_rdma2_reply_done(struct rpcrdma_rep *rep);
void xprt_rdma2_recv_returned(struct rpcrdma_xprt *r_xprt);

/* clnt_memory.c */
void xprt_rdma2_memory_called(struct rpcrdma_xprt *r_xprt,
			      const struct rpc_rqst *rqst, bool written);
void xprt_rdma2_memory_credits(struct rpcrdma_xprt *r_xprt, u32 credits);
void xprt_rdma2_memory_replied(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_memory_waiting(struct rpcrdma_xprt *r_xprt);
bool xprt_rdma2_memory_lacking(struct rpcrdma_xprt *r_xprt, u32 count);
void xprt_rdma2_memory_arrived(struct rpcrdma_xprt *r_xprt, u32 granted);
void xprt_rdma2_memory_held(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_memory_shown(struct rpcrdma2_conn *conn, bool shown);
void xprt_rdma2_memory_decide(struct rpcrdma_xprt *r_xprt, u32 version);
void xprt_rdma2_memory_drained(struct rpcrdma_xprt *r_xprt);

/* clnt_reply.c */
void xprt_rdma2_rep_put(struct rpcrdma_rep *rep);

/* clnt_receive.c */
enum rpcrdma2_verdict xprt_rdma2_decode(struct rpcrdma_rep *rep);
void xprt_rdma2_count_bad(struct rpcrdma2_conn *conn, enum rpcrdma2_verdict verdict);
void xprt_rdma2_take_message(struct rpcrdma_rep *rep);
void xprt_rdma2_receive(struct rpcrdma_rep *rep);

/* clnt_probe.c */
int xprt_rdma2_probe(struct rpcrdma_xprt *r_xprt);

/* clnt_call.c */
int xprt_rdma2_call_prepare(struct rpcrdma_xprt *r_xprt, struct rpc_rqst *rqst);

/* clnt_credit.c */
void xprt_rdma2_take_grant(struct rpcrdma_xprt *r_xprt, u32 credit);
u32 xprt_rdma2_reverse_grant(struct rpcrdma_xprt *r_xprt);
bool xprt_rdma2_bc_begin(struct rpcrdma_xprt *r_xprt, u32 wanted, u32 count);
void xprt_rdma2_bc_unused(struct rpcrdma_xprt *r_xprt, u32 count);
void xprt_rdma2_bc_end(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req);
void xprt_rdma2_post_recvs(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_credit_init(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_credit_reset(struct rpcrdma_xprt *r_xprt);
bool xprt_rdma2_credit_get(struct rpcrdma_xprt *r_xprt, bool insist);
void xprt_rdma2_credit_unwanted(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_no_credit(struct rpc_rqst *rqst);
void xprt_rdma2_credit_put(struct rpcrdma_xprt *r_xprt);
bool xprt_rdma2_credits_covered(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_call_ended(const struct rpcrdma_rep *rep, bool granted);
enum rpcrdma2_call_was xprt_rdma2_late_reply(struct rpcrdma_xprt *r_xprt,
					     const struct rpcrdma2_ending *end);
void xprt_rdma2_release(struct rpc_rqst *rqst);

/* clnt_post.c */
void xprt_rdma2_queue(struct xprt_rdma2_ep *ve, struct delayed_work *work,
		      unsigned long delay);
__be32 xprt_rdma2_next_xid(struct rpc_xprt *xprt);
void xprt_rdma2_begin_send(struct rpcrdma_xprt *r_xprt);
void xprt_rdma2_end_send(struct rpcrdma_ep *ep);
int xprt_rdma2_post_send(struct rpcrdma_xprt *r_xprt, struct rpcrdma_req *req,
			 const struct ib_send_wr *wr);
void xprt_rdma2_posted(struct rpcrdma_ep *ep);
int xprt_rdma2_ctrl_create(struct xprt_rdma2_ep *ve);
void xprt_rdma2_ctrl_destroy(struct xprt_rdma2_ep *ve);
int xprt_rdma2_send_initxch(struct rpcrdma_xprt *r_xprt, __be32 xid, u32 dir,
			    u32 credit);
bool xprt_rdma2_send_respxch(struct rpcrdma_xprt *r_xprt, __be32 xid,
			     const struct rpcrdma2_respxch *resp);
bool xprt_rdma2_send_xch(struct rpcrdma_xprt *r_xprt,
			 const struct rpcrdma2_ctrl *ctrl);
void xprt_rdma2_post_error(struct rpcrdma_rep *rep,
			   const struct rpcrdma2_error *err);
void xprt_rdma2_send_repterr(struct rpcrdma_xprt *r_xprt,
			     const struct rpcrdma2_repterr *fault);

/* clnt_group.c */
enum xprt_rdma2_outcome xprt_rdma2_bc_call(struct rpcrdma_rep *rep);
int xprt_rdma2_bc_prepare(struct rpc_rqst *rqst);
void xprt_rdma2_drained(struct rpcrdma_ep *ep);

/* clnt_send.c */
u32 xprt_rdma2_header_size(const struct rpcrdma_ep *ep, u32 size);
void xprt_rdma2_send_unmap(struct rpcrdma_sendctx *sc);

#endif /* _RPCRDMA2_CLNT_H */
