/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2, server.
 */

#ifndef _RPCRDMA2_SVC_H
#define _RPCRDMA2_SVC_H

#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/sunrpc/svc_rdma.h>
#include <linux/sunrpc/xprt.h>

#include "conn.h"
#include "assembly.h"
#include "plan.h"
#include "memory.h"
#include "ops.h"

struct rpc_rqst;
struct rpc_task;

enum {
	/* The longest reverse Call, in bytes, if it may take several
	 * transmissions
	 */
	SVC_RDMA2_LONG_REVERSE	= 2 * 65536,
	/* Who holds the context of a Send: its completion, and who posts it */
	SVC_RDMA2_HELD		= 2,
};

/**
 * struct svc_rdma2_placement - placement of data on a connection
 * @pl_offered: this end knows about ROPT_XMTREQ and its kin; constant
 * @pl_pages: pages behind the head segment of each Receive, 0 if there are none
 * @pl_rb: structure of Receives as it was told to the peer
 * @pl_recv_sges: SGEs that a Receive may have
 * @pl_plain: capacities of the queues that do without placement
 * @pl_off: the peer reported a bad response: nothing is placed any more
 * @pl_recent: responses that it may report
 *
 * Written while the connection is accepted, and by the receive handler if it turns out
 * to speak version 1; the last two by service threads.
 */
struct svc_rdma2_placement {
	bool				pl_offered;
	u32				pl_pages;
	struct rpcrdma2_rbstruct	pl_rb;
	u32				pl_recv_sges;
	struct ib_qp_cap		pl_plain;
	bool				pl_off;
	struct rpcrdma2_recent		pl_recent;
};

/**
 * struct svc_rdma2_assembly - Calls that take several transmissions
 * @ra_requests: transmissions of the longest Call, 1 if there are no groups;
 *	constant as soon as there are queues, like the next two
 * @ra_replies: likewise of the longest reply
 * @ra_timeout: how long a Call may be incomplete, in jiffies
 * @ra_asm: the Call that is not complete; belongs to the receive handler
 * @ra_lead: its first transmission, which holds the others; likewise
 * @ra_expires: jiffies when it has to be complete; 0 if there is none
 * @ra_work: ends the connection if it is not
 */
struct svc_rdma2_assembly {
	u32				ra_requests;
	u32				ra_replies;
	unsigned long			ra_timeout;
	struct rpcrdma2_assembly		ra_asm;
	struct svc_rdma_recv_ctxt	*ra_lead;
	unsigned long			ra_expires;
	struct delayed_work		ra_work;
};

/* Receiving must not wait for memory that writing to a client could free, nor
 * must the posting of Receives
 */
#define SVC_RDMA2_GFP	(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)

/* Why data is not placed */
#define SVC_RDMA2_NO_DATA	"off: no data yet"
#define SVC_RDMA2_NO_USE	"off: the peer does not place data"

/* Memory of Calls by ROPT_XMTREQ, and of all replies; NULL without version 2.
 * They have constructors, so that kernels which clear what they allocate leave
 * these alone: two pages for each that are about to be overwritten.
 */
extern struct kmem_cache *svc_rdma2_calls;
extern struct kmem_cache *svc_rdma2_replies;

/**
 * struct svc_rdma2 - state of a connection that may speak version 2
 * @sv_conn: version, characteristics of both ends, counters
 * @sv_limits: what a received header may ask of this connection; constant
 * @sv_rdma: the connection
 * @sv_place: placement of data
 * @sv_memory: memory for Receives
 * @sv_first: how many there are to begin with, where memory follows use
 * @sv_assembly: messages of several transmissions
 * @sv_ctrl_mutex: what is said of this end goes out in the order in which it
 *	came to be true; taken before everything else
 * @sv_ctrl_work: sends control messages that are due
 * @sv_grant_lock: grants go out in the order in which they are settled; held from
 *	there until the message is posted. Taken before cn_lock and after
 *	@sv_ctrl_mutex
 * @sv_ctrl_xid: xid of the last one, as long as there is no reverse transport
 * @sv_bc_short: the peer has refused a reverse Call by ROPT_XMTREQ
 * @sv_ledger: reverse credits; protected by the transport_lock of the reverse
 *	transport
 * @sv_stuck_since: jiffies when a Call has last left credits behind, or a request
 *	has taken one
 * @sv_reply: what a reply was put together in, for the next one; NULL while it is in
 *	use, or there is none
 *
 * A connection has this from svc_rdma_accept() until svc_rdma_free(), unless
 * version 2 was disabled when it was accepted.
 */
struct svc_rdma2 {
	struct rpcrdma2_conn	sv_conn;
	struct rpcrdma2_limits	sv_limits;
	struct svcxprt_rdma	*sv_rdma;
	struct svc_rdma2_placement sv_place;
	struct rpcrdma2_memory	sv_memory;
	u32			sv_first;
	struct svc_rdma2_assembly sv_assembly;
	struct mutex		sv_ctrl_mutex;	/* see above */
	struct work_struct	sv_ctrl_work;
	spinlock_t		sv_grant_lock;	/* see above */
	u32			sv_ctrl_xid;
	bool			sv_bc_short;

	struct rpcrdma2_ledger	sv_ledger;
	unsigned long		sv_stuck_since;
	struct svc_rdma2_reply	*sv_reply;
};

/* An item of a reply */
struct svc_rdma2_result {
	u32	position;	/* where it is in the reply, in bytes */
	u32	length;		/* its length, in bytes */
};

/**
 * struct svc_rdma2_call - a Call that came by ROPT_XMTREQ
 * @xm_arr: where its RPC message is
 * @xm_parts: its transmissions, the first @xm_arr.nparts of them
 * @xm_ctxts: the Receives that these are in; all but the first, which this
 *	belongs to, are put with it
 * @xm_length: length of its RPC message, in bytes
 * @xm_pslen: length of its payload stream, in bytes
 * @xm_payload: the payload stream
 * @xm_joined: memory that it is in, if it came in several transmissions
 * @xm_remote: its first words have to be pulled from the peer
 * @xm_linear: its RPC message less what is to be pulled, if it could not be
 *	left where it was
 * @xm_pages: pages of Receives that the upper layer takes data from
 * @xm_nresults: items of the reply that have been announced
 * @xm_results: these
 * @xm_req: what was received
 */
struct svc_rdma2_call {
	struct rpcrdma2_arrival	xm_arr;
	struct rpcrdma2_part	xm_parts[RPCRDMA2_MAX_XMTS];
	struct svc_rdma_recv_ctxt *xm_ctxts[RPCRDMA2_MAX_XMTS];
	u32			xm_length;
	u32			xm_pslen;
	void			*xm_payload;
	void			*xm_joined;
	bool			xm_remote;
	void			*xm_linear;
	struct page		*xm_pages[RPCRDMA2_MAX_TBSNS + 1];
	u32			xm_nresults;
	struct svc_rdma2_result	xm_results[RPCRDMA2_MAX_RSDITEMS];
	struct rpcrdma2_xmtreq	xm_req;
};

/**
 * struct svc_rdma2_sending - a reply or a reverse Call on its way to be sent
 * @se_rdma: connection
 * @se_rqstp: request whose reply it is, or NULL
 * @se_rv: message that it answers, or NULL; the grant is settled when it is posted
 * @se_xdr: the RPC message
 * @se_items: items in its header
 * @se_nitems: how many there are
 * @se_placed: which of them are placed
 * @se_written: Write chunks whose results stay out of the payload stream, or NULL;
 *	there are no items then
 * @se_copy: it is sent from copies of its memory
 * @se_lead: bytes of the payload stream that are copied behind the first header
 *	though the rest is not
 * @se_uses_kvecs: a Send reads from where head or tail of the message are
 * @se_gfp: how to allocate these
 * @se_plan: how it is split
 * @se_held: how many of @se_ctxts are to be released if it is not sent
 * @se_ctxts: a Send context for each transmission
 */
struct svc_rdma2_sending {
	struct svcxprt_rdma		*se_rdma;
	struct svc_rqst			*se_rqstp;
	struct svc_rdma2_recv		*se_rv;
	const struct xdr_buf		*se_xdr;
	const struct rpcrdma2_mitem	*se_items;
	u32				se_nitems;
	const u32			*se_placed;
	const struct svc_rdma_pcl	*se_written;
	bool				se_copy;
	u32				se_lead;
	bool				se_uses_kvecs;
	gfp_t				se_gfp;
	struct rpcrdma2_plan		se_plan;
	u32				se_held;
	struct svc_rdma_send_ctxt	*se_ctxts[RPCRDMA2_MAX_XMTS];
};

/**
 * struct svc_rdma2_reply - a reply that is being prepared
 * @rp_rdma: connection
 * @rp_rctxt: received Call
 * @rp_sctxt: Send context for the reply, or for the error instead
 * @rp_rqstp: request with the reply
 * @rp_hdrlen: length of the header, in bytes, without numbers of segments
 * @rp_pslen: length of the payload stream, in bytes
 * @rp_send: the transmissions
 * @rp_to: what the peer can take; like all that follows, of ROPT_XMTRESP only
 * @rp_rb: structure of the peer's Receives
 * @rp_nresults: items of the reply that can be told apart
 * @rp_nwritten: items that are written by RDMA
 * @rp_nplaced: items that are placed
 * @rp_placed: which these are
 * @rp_lengths: their lengths, in bytes
 * @rp_resp: header of the reply
 */
struct svc_rdma2_reply {
	struct svcxprt_rdma		*rp_rdma;
	struct svc_rdma_recv_ctxt	*rp_rctxt;
	struct svc_rdma_send_ctxt	*rp_sctxt;
	struct svc_rqst			*rp_rqstp;
	u32				rp_hdrlen;
	u32				rp_pslen;
	struct svc_rdma2_sending	rp_send;
	struct rpcrdma2_dest		rp_to;
	struct rpcrdma2_rbstruct	rp_rb;
	u32				rp_nresults;
	u32				rp_nwritten;
	u32				rp_nplaced;
	u32				rp_placed[RPCRDMA2_MAX_MITEMS];
	u32				rp_lengths[RPCRDMA2_MAX_MITEMS];
	struct rpcrdma2_xmtresp		rp_resp;
};

/**
 * struct svc_rdma2_recv - a message that is not known to be of version 1
 * @rv_msg: its header
 * @rv_version: version of the connection when it arrived, 0 if not settled
 * @rv_answer: what ROPT_RESPXCH is going to say
 * @rv_cant_reply: why its Call cannot be replied to; code 0 if it can
 * @rv_fault: report that is due instead of anything else; code 0 if there is
 *	none
 * @rv_call: what came by ROPT_XMTREQ, or NULL
 * @rv_written: bytes of its Receive that may have been written to by the CPU
 * @rv_credits: credits that it holds, 0 or 1; set by the receive handler, and then
 *	changed with cn_lock held
 * @rv_due: no answer has returned a credit of its, so that its buffer is due to be
 *	posted when it is released; likewise
 * @rv_missing: credits that its data would have taken had it been placed
 *
 * Belongs to a svc_rdma_recv_ctxt and is written by the receive handler; from
 * there on whoever owns the context owns this.
 */
struct svc_rdma2_recv {
	struct rpcrdma2_msg	rv_msg;
	u32			rv_version;
	struct rpcrdma2_respxch	rv_answer;
	struct rpcrdma2_error	rv_cant_reply;
	struct rpcrdma2_repterr	rv_fault;
	struct svc_rdma2_call	*rv_call;
	u32			rv_written;
	u32			rv_credits;
	bool			rv_due;
	u32			rv_missing;
};

/* What is left to do with a message. Who deals with a message returns this, and neither
 * answers nor drops it. In the receive handler all but CALL, READLIST and REPORT may be
 * returned, in a service thread CALL, READLIST, DONE, DROP, REPORT, BAD_XDR and CLOSE.
 */
enum svc_rdma2_outcome {
	SVC_RDMA2_O_OTHER,	/* everything: it belongs to no group */
	SVC_RDMA2_O_QUEUE,	/* a service thread takes it */
	SVC_RDMA2_O_CALL,	/* the upper layer gets the Call in rq_arg */
	SVC_RDMA2_O_READLIST,	/* Read chunks of the Call have to be pulled first */
	SVC_RDMA2_O_DONE,	/* release it */
	SVC_RDMA2_O_DROP,	/* count it, and release it */
	SVC_RDMA2_O_HELD,	/* it waits for other transmissions */
	SVC_RDMA2_O_REPORT,	/* send its @rv_fault */
	SVC_RDMA2_O_BAD_XDR,	/* deal with it like a header that does not parse */
	SVC_RDMA2_O_CLOSE,	/* close the connection */
};

/* Words of a Call, up to the service of an RPCSEC_GSS credential */
enum {
	SVC_RDMA2_CRED_FLAVOR	= 6,
	SVC_RDMA2_GSS_SERVICE	= 11,
	SVC_RDMA2_CRED_WORDS	= 12,
};

/* Has a connection settled on version 2? Returns true once the peer's first
 * message of a supported version was one of version 2.
 */
static inline bool svc_rdma2_active(const struct svcxprt_rdma *rdma)
{
	return rdma->sc_v2 &&
	       READ_ONCE(rdma->sc_v2->sv_conn.cn_version) == RPCRDMA2_VERSION;
}

static inline struct svc_rdma2 *svc_rdma2_of(struct rpcrdma2_memory *me)
{
	return container_of(me, struct svc_rdma2, sv_memory);
}

/* Does memory for Receives follow use? Returns false if it has all Receives that
 * it may ever need.
 */
static inline bool svc_rdma2_on_demand(const struct svc_rdma2 *v2)
{
	return READ_ONCE(v2->sv_memory.me_on);
}

/* How long are the Receives that a connection begins with? @v2: connection being
 * accepted, whose memory follows use. Returns their length, in bytes; longer than
 * usual only if a test wants that.
 */
static inline u32 svc_rdma2_first_recv(const struct svc_rdma2 *v2)
{
	return v2->sv_memory.me_posted.po_m.kind == RPCRDMA2_POOL_BLOCK ?
	       v2->sv_place.pl_rb.length : RPCRDMA2_DEF_INLINE;
}

/* May Calls or replies take several transmissions? */
static inline bool svc_rdma2_takes_groups(const struct svc_rdma2 *v2)
{
	return v2->sv_assembly.ra_requests > 1 || v2->sv_assembly.ra_replies > 1;
}

/* Are there Read chunks to be pulled? @ctxt: received Call, its chunk lists parsed. */
static inline bool svc_rdma2_has_reads(const struct svc_rdma_recv_ctxt *ctxt)
{
	return !pcl_is_empty(&ctxt->rc_read_pcl) ||
	       !pcl_is_empty(&ctxt->rc_call_pcl);
}

/* One of those who hold a Send context is done with it. @sctxt: context of a Send
 * that was posted, or of one of version 1. Its completion is one, and who posts
 * its chain is the other. Context: any. Returns true if nobody holds it any more.
 */
static inline bool svc_rdma2_unhold(struct svc_rdma_send_ctxt *sctxt)
{
	return !atomic_read(&sctxt->sc_refs) ||
	       atomic_dec_and_test(&sctxt->sc_refs);
}

/**
 * svc_rdma2_sending_init - begin to send a message
 * @se: OUT: the message, not yet planned; has no items, and nothing of it is
 *	written by RDMA
 * @rdma: connection
 * @xdr: the RPC message
 */
static inline void svc_rdma2_sending_init(struct svc_rdma2_sending *se,
					  struct svcxprt_rdma *rdma,
					  const struct xdr_buf *xdr)
{
	se->se_rdma = rdma;
	se->se_rqstp = NULL;
	se->se_rv = NULL;
	se->se_xdr = xdr;
	se->se_items = NULL;
	se->se_nitems = 0;
	se->se_placed = NULL;
	se->se_written = NULL;
	se->se_copy = false;
	se->se_uses_kvecs = false;
	se->se_gfp = GFP_KERNEL;
	se->se_held = 0;
}

/* svc_place.c */
void svc_rdma2_close(struct svcxprt_rdma *rdma);
void svc_rdma2_state(struct svcxprt_rdma *rdma);
void svc_rdma2_place_init(struct svcxprt_rdma *rdma, u32 pages);
void svc_rdma2_groups_init(struct svcxprt_rdma *rdma);
void svc_rdma2_place_leave(struct svcxprt_rdma *rdma);
bool svc_rdma2_caps(struct svcxprt_rdma *rdma, struct ib_qp_cap *cap,
		    enum svc_rdma_caps when);

/* svc_recvs.c */
struct svc_rdma_recv_ctxt *svc_rdma2_recv_alloc(struct svcxprt_rdma *rdma,
						bool plain);
void svc_rdma2_recv_free(struct svcxprt_rdma *rdma,
			 struct svc_rdma_recv_ctxt *ctxt);
void svc_rdma2_recvs_free(struct svcxprt_rdma *rdma);
bool svc_rdma2_recv_fill(struct svcxprt_rdma *rdma,
			 struct svc_rdma_recv_ctxt *ctxt, u32 size, bool block,
			 gfp_t gfp);
bool svc_rdma2_recv_prepare(struct svcxprt_rdma *rdma,
			    struct svc_rdma_recv_ctxt *ctxt);
void svc_rdma2_recv_for_cpu(struct svcxprt_rdma *rdma,
			    struct svc_rdma_recv_ctxt *ctxt);
void svc_rdma2_recv_put(struct svcxprt_rdma *rdma, struct svc_rdma_recv_ctxt *ctxt);
bool svc_rdma2_recv_flatten(struct svc_rqst *rqstp,
			    struct svc_rdma_recv_ctxt *ctxt);
extern struct rpcrdma2_budget svc_rdma2_budget;

void svc_rdma2_refill(struct rpcrdma2_memory *me, struct rpcrdma2_gone *gone);
void svc_rdma2_forget(struct rpcrdma2_memory *me, struct rpcrdma2_gone *gone);

/* svc_memory.c */
extern const struct rpcrdma2_memory_ops svc_rdma2_memory_ops;
void svc_rdma2_memory_consumed(struct svcxprt_rdma *rdma,
			       const struct svc_rdma_recv_ctxt *ctxt);
void svc_rdma2_memory_arrived(struct svcxprt_rdma *rdma,
			      struct svc_rdma_recv_ctxt *ctxt);
void svc_rdma2_memory_explicit(struct svcxprt_rdma *rdma,
			       struct svc_rdma_recv_ctxt *ctxt, u32 length);
u32 svc_rdma2_memory_grant(struct svcxprt_rdma *rdma, struct svc_rdma2_recv *rv,
			   struct rpcrdma2_gone *gone);
void svc_rdma2_memory_ask(struct svc_rdma2 *v2);
void svc_rdma2_memory_confirm(struct svc_rdma2 *v2);
void svc_rdma2_memory_admit(struct svcxprt_rdma *rdma);
void svc_rdma2_memory_put(struct svcxprt_rdma *rdma,
			  struct svc_rdma_recv_ctxt *ctxt);
void svc_rdma2_memory_off(struct svcxprt_rdma *rdma);
bool svc_rdma2_memory_post(struct svcxprt_rdma *rdma);
bool svc_rdma2_memory_decide(struct svcxprt_rdma *rdma);

/* svc_credit.c */
u32 svc_rdma2_grant_begin(struct svcxprt_rdma *rdma, struct svc_rdma2_recv *rv,
			  struct rpcrdma2_gone *gone);
void svc_rdma2_grant_end(struct svcxprt_rdma *rdma, struct rpcrdma2_gone *gone);
void svc_rdma2_take_credit(struct svcxprt_rdma *rdma,
			   const struct rpcrdma2_msg *msg);
bool svc_rdma2_ctrl_get_credit(struct svcxprt_rdma *rdma, bool insist);
void svc_rdma2_ctrl_unwanted(struct svc_rdma2 *v2);
void svc_rdma2_ctrl_put_credit(struct svc_rdma2 *v2);

/* svc_send.c */
int svc_rdma2_post(struct svcxprt_rdma *rdma, struct svc_rdma_send_ctxt *sctxt);
int svc_rdma2_sending_get(struct svc_rdma2_sending *se,
			  struct svc_rdma_send_ctxt *last);
void svc_rdma2_sending_put(struct svc_rdma2_sending *se);
int svc_rdma2_sending_build(struct svc_rdma2_sending *se,
			    const struct rpcrdma2_hdr *hdr, u32 itype);
int svc_rdma2_sending_post(struct svc_rdma2_sending *se,
			   const struct rpcrdma2_hdr *hdr);

/* svc_post.c */
int svc_rdma2_post_error(struct svcxprt_rdma *rdma,
			 struct svc_rdma_send_ctxt *sctxt,
			 struct svc_rdma2_recv *rv,
			 const struct rpcrdma2_error *err);
void svc_rdma2_send_error(struct svcxprt_rdma *rdma,
			  struct svc_rdma2_recv *rv,
			  enum rpcrdma2_errcode code);
void svc_rdma2_send_report(struct svcxprt_rdma *rdma, struct svc_rdma2_recv *rv);
void svc_rdma2_send_initxch(struct svcxprt_rdma *rdma, struct svc_rdma2_recv *rv);
void svc_rdma2_send_respxch(struct svcxprt_rdma *rdma, struct svc_rdma2_recv *rv);
bool svc_rdma2_send_control(struct svcxprt_rdma *rdma,
			    const struct rpcrdma2_ctrl *ctrl);
void svc_rdma2_control_kick(struct svc_rdma2 *v2);

/* svc_call.c */
enum svc_rdma2_outcome svc_rdma2_take_msg(struct svc_rqst *rqstp,
					  struct svc_rdma_recv_ctxt *ctxt);
enum svc_rdma2_outcome svc_rdma2_lead_call(struct svcxprt_rdma *rdma,
					   struct svc_rdma_recv_ctxt *ctxt);
enum svc_rdma2_outcome svc_rdma2_take_xmtreq(struct svc_rqst *rqstp,
					     struct svc_rdma_recv_ctxt *ctxt);

/* svc_reply_xmt.c */
void svc_rdma2_cant_reply(struct svc_rdma_recv_ctxt *rctxt,
			  const struct svc_rdma_chunk *chunk, u32 length);
bool svc_rdma2_locate(const struct xdr_buf *xdr, u32 *position, u32 length);
bool svc_rdma2_reply_wrapped(const struct svc_rqst *rqstp);
void svc_rdma2_add_result(struct svc_rdma_recv_ctxt *rctxt, u32 position,
			  u32 length);
void svc_rdma2_leave_pages(struct svc_rdma2_reply *rp, bool built);
int svc_rdma2_send_xmtresp(struct svc_rdma2_reply *rp,
			   const struct rpcrdma2_hdr *hdr);

/* svc_reply.c */
int svc_rdma2_result_payload(struct svc_rqst *rqstp, unsigned int offset,
			     unsigned int length);
int svc_rdma2_sendto(struct svc_rqst *rqstp);

/* svc_backchannel.c */
size_t svc_rdma2_bc_maxmsg(struct svcxprt_rdma *rdma);
int svc_rdma2_bc_send(struct rpc_rqst *rqst);
bool svc_rdma2_bc_fail(struct svcxprt_rdma *rdma, const struct rpcrdma2_msg *msg);
enum svc_rdma2_outcome svc_rdma2_bc_reply(struct svcxprt_rdma *rdma,
					  struct svc_rdma_recv_ctxt *ctxt);
enum svc_rdma2_outcome svc_rdma2_bc_bad_reply(struct svcxprt_rdma *rdma,
					      struct svc_rdma_recv_ctxt *ctxt);
void svc_rdma2_bc_release(struct rpc_task *task);
bool svc_rdma2_bc_refused(struct svcxprt_rdma *rdma,
			  const struct rpcrdma2_msg *msg, __be32 xid);
enum svc_rdma2_outcome svc_rdma2_bc_xmtresp(struct svcxprt_rdma *rdma,
					    struct svc_rdma_recv_ctxt *ctxt);

/* svc_group.c */
void svc_rdma2_group_init(struct svcxprt_rdma *rdma);
void svc_rdma2_group_flush(struct svcxprt_rdma *rdma);
void svc_rdma2_group_open(struct svc_rdma2 *v2, struct svc_rdma_recv_ctxt *ctxt);
enum svc_rdma2_outcome svc_rdma2_assemble(struct svcxprt_rdma *rdma,
					  struct svc_rdma_recv_ctxt **pctxt);

/* svc_receive.c */
void svc_rdma2_ctrl_worker(struct work_struct *work);
void svc_rdma2_kick(struct rpcrdma2_conn *conn);
enum svc_rdma2_outcome svc_rdma2_receive(struct svcxprt_rdma *rdma,
					 struct svc_rdma_recv_ctxt **pctxt);
int svc_rdma2_recvfrom(struct xdr_buf *arg, struct svc_rdma_recv_ctxt *ctxt);
bool svc_rdma2_reads_refused(struct svcxprt_rdma *rdma,
			     struct svc_rdma_recv_ctxt *ctxt);
bool svc_rdma2_reads_done(struct svc_rqst *rqstp, struct svc_rdma_recv_ctxt *ctxt);

/* svc_ops.c */
void svc_rdma2_init(void);
void svc_rdma2_cleanup(void);

#endif /* _RPCRDMA2_SVC_H */
