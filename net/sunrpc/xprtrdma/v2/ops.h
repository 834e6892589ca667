/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables through which RPC-over-RDMA transports reach what depends on the
 * version of the protocol. They name all that version 2 needs to be asked or told.
 *
 * Version 1 sets every member that can be called, to a function that does what it
 * does without version 2, or nothing.
 */

#ifndef _RPCRDMA2_OPS_H
#define _RPCRDMA2_OPS_H

#include <linux/types.h>

struct ib_qp_cap;
struct ib_send_wr;
struct rpc_rqst;
struct rpc_task;
struct rpcrdma_ep;
struct rpcrdma_rep;
struct rpcrdma_req;
struct rpcrdma_sendctx;
struct rpcrdma_xprt;
struct svc_rdma_recv_ctxt;
struct svc_rdma_send_ctxt;
struct svc_rqst;
struct svc_xprt;
struct svcxprt_rdma;
struct xdr_buf;

/**
 * struct rpcrdma_version_ops - what depends on the version of a connection
 * @hdrlen: length of a header with empty chunk lists, in bytes
 * @hold: bytes that a send context has for pages it holds, or 0
 * @hdr_size: how long buffers for headers are, in bytes; @size is what version
 *	1 needs
 * @rep_prepare: get a buffer for a Receive ready; true if it is going to be posted
 * @receive: consume a received message; takes over the rep
 * @marshal_req: prepare the Send of a Call
 * @post_send: post the Send of a Call or of a reply to a reverse Call, and what
 *	is chained to it; 0 or a negative errno
 * @decode_reply: decode a matched reply whose rr_proc is none of version 1's; returns
 *	its length or a negative errno
 * @reply_done: a reply is decoded; its RPC is going to complete. May release the
 *	rep.
 * @bc_marshal_reply: prepare the Send of the reply to a reverse Call
 * @lost: the connection is lost, because of something at this end if @here
 * @quiesce: the connection is about to be torn down
 * @drained: its queues are drained
 * @ep_destroy: its queues are gone
 */
struct rpcrdma_version_ops {
	unsigned int		hdrlen;
	size_t			hold;
	u32			(*hdr_size)(const struct rpcrdma_ep *ep, u32 size);
	bool			(*rep_prepare)(struct rpcrdma_xprt *r_xprt,
					       struct rpcrdma_rep *rep);
	void			(*receive)(struct rpcrdma_rep *rep);
	int			(*marshal_req)(struct rpcrdma_xprt *r_xprt,
					       struct rpc_rqst *rqst);
	int			(*post_send)(struct rpcrdma_xprt *r_xprt,
					     struct rpcrdma_req *req,
					     const struct ib_send_wr *wr);
	int			(*decode_reply)(struct rpcrdma_rep *rep);
	void			(*reply_done)(struct rpcrdma_rep *rep);
	int			(*bc_marshal_reply)(struct rpc_rqst *rqst);
	void			(*lost)(struct rpcrdma_ep *ep, bool here);
	void			(*quiesce)(struct rpcrdma_ep *ep);
	void			(*drained)(struct rpcrdma_ep *ep);
	void			(*ep_destroy)(struct rpcrdma_ep *ep);
};

/* versions.c */
extern const struct rpcrdma_version_ops rpcrdma_v1_ops;

int rpcrdma_v1_decode_reply(struct rpcrdma_rep *rep);

/**
 * struct rpcrdma_offer_ops - what happens whatever version is spoken
 * @init: a transport was made
 * @destroy: its connections and buffers are gone
 * @connect: connect it, and settle the version; 0 or a negative errno
 * @ep_create: a connection is being made; its device has been queried
 * @recvs_prepare: get its first Receives ready; false if it has posted them
 * @release: a task is done with its Call or reverse Call; the transport_lock is
 *	held
 * @no_credit: a Call has to wait for a credit
 * @bc_done: a reverse Call ends; its reply is not sent, for it was for another
 *	connection, if @stale
 * @rep_free: a buffer for Receives is about to be freed, or to get other memory: free
 *	what version 2 has added to it
 * @send_unmap: a Send is complete, or will not be posted, whose context can hold
 *	pages
 * @rep_put: a message is being released that came in several Receives
 *
 * The last two are about what only version 2 makes, and are not called without.
 */
struct rpcrdma_offer_ops {
	void	(*init)(struct rpcrdma_xprt *r_xprt);
	void	(*destroy)(struct rpcrdma_xprt *r_xprt);
	int	(*connect)(struct rpcrdma_xprt *r_xprt);
	void	(*ep_create)(struct rpcrdma_xprt *r_xprt, struct rpcrdma_ep *ep);
	bool	(*recvs_prepare)(struct rpcrdma_xprt *r_xprt);
	void	(*release)(struct rpc_rqst *rqst);
	void	(*no_credit)(struct rpc_rqst *rqst);
	void	(*bc_done)(struct rpcrdma_xprt *r_xprt,
			   struct rpcrdma_req *req, bool stale);
	void	(*rep_free)(struct rpcrdma_rep *rep);
	void	(*send_unmap)(struct rpcrdma_sendctx *sc);
	void	(*rep_put)(struct rpcrdma_rep *rep);
};

/* versions.c; version 2 puts its own there */
extern const struct rpcrdma_offer_ops *rpcrdma_offer;

/* At which point queues are asked about */
enum svc_rdma_caps {
	SVC_RDMA_CAPS_ASK,	/* they are about to be made */
	SVC_RDMA_CAPS_REFUSED,	/* the device could not make them */
	SVC_RDMA_CAPS_GOT,	/* they are made */
};

/**
 * struct svc_rdma_version_ops - what depends on the version of a connection
 * @post_recvs: allocate contexts for Receives, and post the first ones; false without
 *	memory
 * @recv_prepare: get a context ready to be posted; false if it cannot be
 * @received: look at a message in the receive handler. Returns the one that a service
 *	thread is to look at, or NULL if there is none
 * @decode: make a Call of it in a service thread, whose rq_arg is @arg. Positive if it
 *	is one, 0 if there is nothing left to do, negative if version 1 answers with an
 *	error
 * @reads_done: look at a Call whose Read chunks are here; false if it is none
 * @reads_refused: there are too many of them; false if version 1 answers with an
 *	error, and the connection has to end
 * @sendto: send the reply to a Call; 0 or a negative errno
 * @result_payload: note an item of a reply; 0 or a negative errno
 * @sent: release what a Send that has completed was made of; completion handler
 * @recv_put: a message has been dealt with, and its context is not in use any more
 * @bc_maxmsg: length of the longest reverse Call, in bytes, or 0 for none; not
 *	0 once there is a reverse transport
 * @bc_send: send a reverse Call; 0 or a negative errno
 * @bc_release: the upper layer is done with a reverse Call; the transport_lock
 *	is held
 * @sq_room: nothing waits for room in the Send Queue any more
 * @caps: see or change the capacities of queues; true if it is worth to try
 *	again
 * @closing: the connection is about to lose its queues
 * @drained: they are drained, and contexts for Receives are about to be freed
 * @free: they are gone
 *
 * The first message decides for a connection that may speak both. From then on
 * messages have the table of their version.
 */
struct svc_rdma_version_ops {
	bool	(*post_recvs)(struct svcxprt_rdma *rdma);
	bool	(*recv_prepare)(struct svcxprt_rdma *rdma,
				struct svc_rdma_recv_ctxt *ctxt);
	struct svc_rdma_recv_ctxt *(*received)(struct svcxprt_rdma *rdma,
					       struct svc_rdma_recv_ctxt *ctxt);
	int	(*decode)(struct xdr_buf *arg, struct svc_rdma_recv_ctxt *ctxt);
	bool	(*reads_done)(struct svc_rqst *rqstp,
			      struct svc_rdma_recv_ctxt *ctxt);
	bool	(*reads_refused)(struct svcxprt_rdma *rdma,
				 struct svc_rdma_recv_ctxt *ctxt);
	int	(*sendto)(struct svc_rqst *rqstp);
	int	(*result_payload)(struct svc_rqst *rqstp, unsigned int offset,
				  unsigned int length);
	void	(*sent)(struct svcxprt_rdma *rdma, struct svc_rdma_send_ctxt *ctxt);
	void	(*recv_put)(struct svcxprt_rdma *rdma,
			    struct svc_rdma_recv_ctxt *ctxt);
	size_t	(*bc_maxmsg)(struct svcxprt_rdma *rdma);
	int	(*bc_send)(struct rpc_rqst *rqst);
	void	(*bc_release)(struct rpc_task *task);
	void	(*sq_room)(struct svcxprt_rdma *rdma);
	bool	(*caps)(struct svcxprt_rdma *rdma, struct ib_qp_cap *cap,
			enum svc_rdma_caps when);
	void	(*closing)(struct svcxprt_rdma *rdma);
	void	(*drained)(struct svcxprt_rdma *rdma);
	void	(*free)(struct svcxprt_rdma *rdma);
};

/* svc_rdma_versions.c */
extern const struct svc_rdma_version_ops svc_rdma_v1_ops;

/* Gets a connection ready that is being accepted; version 2 puts its own there */
extern void (*svc_rdma_accept_version)(struct svcxprt_rdma *rdma);

bool svc_rdma_v1_reads_refused(struct svcxprt_rdma *rdma,
			       struct svc_rdma_recv_ctxt *ctxt);
int svc_rdma_version_sendto(struct svc_rqst *rqstp);
int svc_rdma_version_result_payload(struct svc_rqst *rqstp, unsigned int offset,
				    unsigned int length);
int svc_rdma_version_bc_send(struct rpc_rqst *rqst);
void svc_rdma_version_bc_release(struct rpc_task *task);
size_t svc_rdma_version_bc_maxmsg(struct svc_xprt *xprt);

#endif /* _RPCRDMA2_OPS_H */
