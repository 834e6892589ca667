// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: whether data can be placed in the Receives
 * of a connection, and what that costs.
 *
 * Receives that data can be placed in are large, and posted only where there is a use
 * for them (svc_memory.c). What is said of their structure is said once. Where
 * there are none, what could have been placed is pulled by RDMA Read.
 */

#include <linux/sunrpc/svc.h>

#include "svc.h"
#include <trace/events/rpcrdma2.h>

/* Header and payload; what is before the data of a page list and behind it;
 * and one for each page, of which there may be one more if data does not begin
 * with a page.
 */
enum {
	SVC_RDMA2_SEND_SGES	= 1 + 2 + RPCRDMA2_MAX_PLT_PAGES + 1,
};

/**
 * svc_rdma2_close - end a connection
 * @rdma: connection
 *
 * Context: any
 */
void svc_rdma2_close(struct svcxprt_rdma *rdma)
{
	svc_rdma_xprt_deferred_close(rdma);
}

/* How long Receives may become. Returns a length in bytes. */
static u32 svc_rdma2_max_recv(const struct rpcrdma2_xch *xch)
{
	return max(READ_ONCE(rpcrdma2_server_max_recv_size),
		   READ_ONCE(rpcrdma2_server_recv_size));
}

/* Are there blocks for all that may come? If not, the next buffer that is free is
 * posted whatever its length, so the peer must not be told yet.
 */
static bool svc_rdma2_blocks_suffice(const struct rpcrdma2_xch *xch)
{
	const struct svc_rdma2 *v2 =
		container_of(xch, struct svc_rdma2, sv_conn.cn_xch);
	const struct rpcrdma2_posted *po = &v2->sv_memory.me_posted;
	const struct rpcrdma2_member *m = &po->po_m;

	/* A Call that is dropped may leave no block behind, but has to be made up
	 * for (V2).
	 */
	return po->po_count >= rpcrdma2_posted_needed(po) &&
	       m->bufs[RPCRDMA2_POOL_BLOCK] - m->coming[RPCRDMA2_POOL_BLOCK] >=
	       m->grant + m->extra;
}

/* Replies to reverse Calls are short, so that any Receive will do for them. A client
 * with Calls under way cannot be asked to take shorter replies.
 */
static const struct rpcrdma2_xch_ops svc_rdma2_demand_ops = {
	.max_recv	= rpcrdma2_xch_block_recv,
	.may_tell	= svc_rdma2_blocks_suffice,
	.end		= RPCRDMA2_STATED_BY_SERVER,
	.provides	= true,
};

static const struct rpcrdma2_xch_ops svc_rdma2_xch_ops = {
	.max_recv	= svc_rdma2_max_recv,
	.end		= RPCRDMA2_STATED_BY_SERVER,
};

/* Set what is to be said of placement. A peer may have been told of the structure of
 * Receives, so that it never changes. Their length may.
 */
static void svc_rdma2_state_placement(const struct svc_rdma2_placement *pl,
				      struct rpcrdma2_xchars *local)
{
	if (!pl->pl_offered)
		return;
	rpcrdma2_xchar_set(local, RPCRDMA2_RTRSUPP,
			   RDMA2_RTRSUPP_XREQ | RDMA2_RTRSUPP_XRESP);
	local->nochg |= RPCRDMA2_HAS_RTRSUPP;
	if (!pl->pl_pages)
		return;
	local->rbstruct = pl->pl_rb;
	local->present |= RPCRDMA2_HAS_RBSTRUCT;
	local->nochg |= RPCRDMA2_HAS_RBSTRUCT;
}

/**
 * svc_rdma2_state - set what this end is going to say of itself
 * @rdma: connection being accepted, its limits set; or one whose first message
 *	has arrived
 *
 * Reverse Calls carry no chunks, so there is never anything of this end's
 * that the peer could invalidate. BRS is for clients to state.
 */
void svc_rdma2_state(struct svcxprt_rdma *rdma)
{
	const struct svc_rdma2_assembly *ra = &rdma->sc_v2->sv_assembly;
	const struct svc_rdma2_placement *pl = &rdma->sc_v2->sv_place;
	struct rpcrdma2_conn *conn = &rdma->sc_v2->sv_conn;
	bool demand = svc_rdma2_on_demand(rdma->sc_v2);
	struct rpcrdma2_xchars local;

	rpcrdma2_xchars_default(&local);
	rpcrdma2_xchar_set(&local, RPCRDMA2_RBSIZ, demand ?
			   svc_rdma2_first_recv(rdma->sc_v2) :
			   max_t(u32, rdma->sc_max_req_size,
				 READ_ONCE(rpcrdma2_server_recv_size)));
	rpcrdma2_xchar_set(&local, RPCRDMA2_REQREMINV, false);
	local.nochg = RPCRDMA2_HAS_REQREMINV;
	svc_rdma2_state_placement(pl, &local);
	if (svc_rdma2_takes_groups(rdma->sc_v2)) {
		/* */
		rpcrdma2_xchar_set(&local, RPCRDMA2_RTRSUPP,
				   local.rtrsupp | RDMA2_RTRSUPP_XCONT);
		rpcrdma2_xchar_set(&local, RPCRDMA2_REQRXLIM, ra->ra_requests);
		rpcrdma2_xchar_set(&local, RPCRDMA2_RESPSXLIM, ra->ra_replies);
		local.nochg |= RPCRDMA2_HAS_REQRXLIM | RPCRDMA2_HAS_RESPSXLIM;
	}
	rpcrdma2_conn_change_begin(conn);
	rpcrdma2_xch_begin(&conn->cn_xch, demand ? &svc_rdma2_demand_ops :
						   &svc_rdma2_xch_ops, &local);
	rpcrdma2_conn_change_end(conn);
}

/* Let Receives have nothing that could be aimed at. @why: why not. */
static void svc_rdma2_place_none(struct svc_rdma2 *v2, const char *why)
{
	struct svc_rdma2_placement *pl = &v2->sv_place;
	struct rpcrdma2_xchars local;

	rpcrdma2_xchars_default(&local);
	pl->pl_rb = local.rbstruct;
	pl->pl_pages = 0;
	WRITE_ONCE(v2->sv_conn.cn_place, why);
}

/**
 * svc_rdma2_place_init - find out whether placement can be offered
 * @rdma: connection being accepted, its limits set
 * @pages: pages of a Receive that data is placed in, or 0
 *
 * What is received for placement, and what is sent, are separate matters: a
 * connection that has no memory for it still obeys the peer's directions (P-08).
 */
void svc_rdma2_place_init(struct svcxprt_rdma *rdma, u32 pages)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct svc_rdma2_placement *pl = &v2->sv_place;

	svc_rdma2_place_none(v2, "off: disabled");
	pl->pl_recv_sges = 1;
	if (!pages)
		return;
	pl->pl_offered = true;
	v2->sv_limits.opttypes |= BIT(ROPT_XMTREQ) | BIT(ROPT_XMTRESP) |
				  BIT(ROPT_REPTERR);

	if (!svc_rdma2_on_demand(v2)) {
		v2->sv_conn.cn_place = "off: Receives are of another length";
		return;
	}
	v2->sv_conn.cn_place = SVC_RDMA2_NO_DATA;
	rpcrdma2_rbstruct_make(&pl->pl_rb, RPCRDMA2_BLOCK_HEAD, pages, PAGE_SIZE);
	v2->sv_memory.me_block = pl->pl_rb.length;
	pl->pl_pages = pages;
	pl->pl_recv_sges = min_t(u32, RPCRDMA2_BLOCK_SGES,
				 rdma->sc_cm_id->device->attrs.max_recv_sge);
}

/**
 * svc_rdma2_groups_init - find out how long Calls and replies may be
 * @rdma: connection being accepted, its placement set
 *
 * Without ROPT_XMTREQ there is nothing to continue.
 */
void svc_rdma2_groups_init(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct svc_rdma2_assembly *ra = &v2->sv_assembly;

	ra->ra_requests = 1;
	ra->ra_replies = 1;
	if (!v2->sv_place.pl_offered)
		return;
	ra->ra_requests = READ_ONCE(rpcrdma2_server_continuation_requests);
	ra->ra_replies = READ_ONCE(rpcrdma2_server_continuation_replies);
	ra->ra_timeout = HZ *
		(unsigned long)READ_ONCE(rpcrdma2_continuation_timeout);
	if (svc_rdma2_takes_groups(v2))
		v2->sv_limits.opttypes |= BIT(ROPT_XMTCONT);
}

/* Let groups be as long as the queues allow. @rdma: connection being accepted, its
 * queues made. A Call takes a credit for each transmission, and there may be fewer
 * of those than were wanted. A reply is posted as a whole, and must not take most of
 * the Send Queue.
 */
static void svc_rdma2_groups_got_queues(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2_assembly *ra = &rdma->sc_v2->sv_assembly;
	u32 requests = min_t(u32, ra->ra_requests, rdma->sc_max_requests);
	u32 replies = min_t(u32, ra->ra_replies, max(rdma->sc_sq_depth / 4, 1U));

	if (requests == ra->ra_requests && replies == ra->ra_replies)
		return;
	ra->ra_requests = requests;
	ra->ra_replies = replies;
	svc_rdma2_state(rdma);
}

/* Ask for as many SGEs as placement needs. @cap: raised. */
static void svc_rdma2_set_caps(struct svcxprt_rdma *rdma, struct ib_qp_cap *cap)
{
	struct svc_rdma2_placement *pl = &rdma->sc_v2->sv_place;

	if (!pl->pl_offered)
		return;
	pl->pl_plain = *cap;
	cap->max_recv_sge = pl->pl_recv_sges;
	cap->max_send_sge =
		max_t(u32, cap->max_send_sge,
		      min_t(u32, SVC_RDMA2_SEND_SGES,
			    rdma->sc_cm_id->device->attrs.max_send_sge));
}

/**
 * svc_rdma2_caps - have queues with as many SGEs as placement needs
 * @rdma: connection being accepted
 * @cap: capacities of its queues
 * @when: what has happened to them
 *
 * Return: true if it may work with what is in @cap now
 */
bool svc_rdma2_caps(struct svcxprt_rdma *rdma, struct ib_qp_cap *cap,
		    enum svc_rdma_caps when)
{
	struct svc_rdma2_placement *pl = &rdma->sc_v2->sv_place;

	switch (when) {
	case SVC_RDMA_CAPS_ASK:
		svc_rdma2_set_caps(rdma, cap);
		break;
	case SVC_RDMA_CAPS_REFUSED:
		if (!pl->pl_offered)
			break;
		svc_rdma2_place_none(rdma->sc_v2, "off: not enough SGEs");
		pl->pl_recv_sges = 1;
		svc_rdma2_state(rdma);
		/* rdma_create_qp() has added to what was asked for. */
		*cap = pl->pl_plain;
		return true;
	case SVC_RDMA_CAPS_GOT:
		/* For version 1 the number of SGEs decides how a reply is sent,
		 * so it stays what it was.
		 */
		rdma->sc_max_send_sges = min_t(int, rdma->sc_max_send_sges,
					       cap->max_send_sge);
		svc_rdma2_groups_got_queues(rdma);
		break;
	}
	return false;
}

/**
 * svc_rdma2_place_leave - let Receives have nothing that could be aimed at
 * @rdma: connection that has turned out to speak version 1
 *
 * Context: receive handler
 */
void svc_rdma2_place_leave(struct svcxprt_rdma *rdma)
{
	svc_rdma2_place_none(rdma->sc_v2, "off: version 1");
	svc_rdma2_state(rdma);
}
