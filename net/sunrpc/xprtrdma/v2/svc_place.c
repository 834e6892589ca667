// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, server: whether data can be placed in the Receives
 * of a connection, and what that costs.
 *
 * Receives that data can be placed in are large, and all of a connection have
 * to be of that kind, before it is known what the peer speaks. So a few
 * of them are posted at first. The first message says whether there is any use
 * in the others being like that; a conforming peer waits for the answer. Their
 * memory is charged to a budget that all connections share. A connection that
 * is over it goes without: what could have been placed is then pulled by RDMA
 * Read.
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

#define SVC_RDMA2_OVER_BUDGET	"off: over the budget"
#define SVC_RDMA2_NO_MEMORY	"off: out of memory"

/* Protects rpcrdma2_server_placement_used_kb, which people read without it */
static DEFINE_SPINLOCK(svc_rdma2_budget_lock);

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

/*
 * Section: what this end is like
 */

/* How long Receives may become. Returns a length in bytes. */
static u32 svc_rdma2_max_recv(const struct rpcrdma2_xch *xch)
{
	return max(READ_ONCE(rpcrdma2_server_max_recv_size),
		   READ_ONCE(rpcrdma2_server_recv_size));
}

/* Replies to reverse Calls are short, so that any Receive will do for them. A
 * client with Calls under way cannot be asked to take shorter replies.
 */
static const struct rpcrdma2_xch_ops svc_rdma2_xch_ops = {
	.max_recv	= svc_rdma2_max_recv,
	.end		= RPCRDMA2_STATED_BY_SERVER,
	.asks_lower	= false,
};

/*
 * Set what is to be said of placement. A peer may have been told of the
 * structure of Receives, so that it never changes. Their length may.
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

/* Set what is to be said of groups. */
static void svc_rdma2_state_groups(const struct svc_rdma2_assembly *ra,
				   struct rpcrdma2_xchars *local)
{
	rpcrdma2_xchar_set(local, RPCRDMA2_RTRSUPP,
			   local->rtrsupp | RDMA2_RTRSUPP_XCONT);
	rpcrdma2_xchar_set(local, RPCRDMA2_REQRXLIM, ra->ra_requests);
	rpcrdma2_xchar_set(local, RPCRDMA2_RESPSXLIM, ra->ra_replies);
	local->nochg |= RPCRDMA2_HAS_REQRXLIM | RPCRDMA2_HAS_RESPSXLIM;
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
	const struct svc_rdma2_placement *pl = &rdma->sc_v2->sv_place;
	u32 length = pl->pl_pages ? pl->pl_rb.length : 0;
	struct rpcrdma2_xchars local;

	rpcrdma2_xchars_default(&local);
	rpcrdma2_xchar_set(&local, RPCRDMA2_RBSIZ,
			   max3(length, (u32)rdma->sc_max_req_size,
				READ_ONCE(rpcrdma2_server_recv_size)));
	rpcrdma2_xchar_set(&local, RPCRDMA2_REQREMINV, false);
	local.nochg = RPCRDMA2_HAS_REQREMINV;
	svc_rdma2_state_placement(pl, &local);
	if (svc_rdma2_takes_groups(rdma->sc_v2))
		svc_rdma2_state_groups(&rdma->sc_v2->sv_assembly, &local);
	rpcrdma2_conn_state(&rdma->sc_v2->sv_conn, &svc_rdma2_xch_ops, &local);
}

/*
 * Section: the budget
 */

/* Memory of a Receive that data can be placed in. Returns its size in kB. */
static u32 svc_rdma2_block_kb(const struct svc_rdma2_placement *pl)
{
	return rpcrdma2_recvblock_pages(pl->pl_rb.length, RPCRDMA2_BLOCK_HEAD) <<
	       (PAGE_SHIFT - 10);
}

/*
 * Take memory from the budget. @recvs: Receives there may be in all, those
 * being charged already included. Returns false if the budget has not that much
 * left.
 */
static bool svc_rdma2_charge(struct svc_rdma2 *v2, u32 recvs)
{
	u32 charged = v2->sv_conn.cn_place_kb;
	u32 more = recvs * svc_rdma2_block_kb(&v2->sv_place) - charged;
	u32 budget = READ_ONCE(rpcrdma2_server_placement_mem_kb);
	bool granted;

	spin_lock(&svc_rdma2_budget_lock);
	granted = more <= budget &&
		  rpcrdma2_server_placement_used_kb <= budget - more;
	if (granted)
		WRITE_ONCE(rpcrdma2_server_placement_used_kb,
			   rpcrdma2_server_placement_used_kb + more);
	spin_unlock(&svc_rdma2_budget_lock);
	if (granted)
		WRITE_ONCE(v2->sv_conn.cn_place_kb, charged + more);
	else
		rpcrdma2_count(&v2->sv_conn, RPCRDMA2_CNT_OVER_BUDGET);
	return granted;
}

/*
 * Give memory back to the budget. @v2: connection that has fewer such Receives
 * from now on, or none. @kept: memory that it still has, in kB.
 */
static void svc_rdma2_discharge(struct svc_rdma2 *v2, u32 kept)
{
	u32 charged = v2->sv_conn.cn_place_kb;

	kept = min(kept, charged);
	spin_lock(&svc_rdma2_budget_lock);
	WRITE_ONCE(rpcrdma2_server_placement_used_kb,
		   rpcrdma2_server_placement_used_kb - (charged - kept));
	spin_unlock(&svc_rdma2_budget_lock);
	WRITE_ONCE(v2->sv_conn.cn_place_kb, kept);
}

/*
 * Section: while a connection is accepted
 */

/*
 * Let Receives have nothing that could be aimed at. @why: why not. Buffers that
 * are there stay charged until the last of them is gone. What they take is known
 * only as long as pl_rb is theirs; there may still be some when this is called again.
 */
static void svc_rdma2_place_none(struct svc_rdma2 *v2, const char *why)
{
	struct svc_rdma2_placement *pl = &v2->sv_place;
	struct rpcrdma2_xchars local;

	if (pl->pl_pages)
		svc_rdma2_discharge(v2, pl->pl_blocks * svc_rdma2_block_kb(pl));
	rpcrdma2_xchars_default(&local);
	pl->pl_rb = local.rbstruct;
	pl->pl_pages = 0;
	pl->pl_probing = false;
	WRITE_ONCE(v2->sv_conn.cn_place, why);
}

/**
 * svc_rdma2_place_init - find out whether placement can be offered
 * @rdma: connection being accepted, its limits set
 *
 * What is received for placement, and what is sent, are separate matters: a
 * connection that is over the budget still obeys the peer's directions (P-08).
 */
void svc_rdma2_place_init(struct svcxprt_rdma *rdma)
{
	u32 pages = rpcrdma2_server_placement_pages();
	struct svc_rdma2 *v2 = rdma->sc_v2;
	struct svc_rdma2_placement *pl = &v2->sv_place;

	svc_rdma2_place_none(v2, "off: disabled");
	pl->pl_recv_sges = 1;
	if (!pages)
		return;
	pl->pl_offered = true;
	v2->sv_limits.opttypes |= BIT(ROPT_XMTREQ) | BIT(ROPT_XMTRESP) |
				  BIT(ROPT_REPTERR);

	rpcrdma2_rbstruct_make(&pl->pl_rb, RPCRDMA2_BLOCK_HEAD, pages,
			       PAGE_SIZE);
	if (!svc_rdma2_charge(v2, SVC_RDMA2_PROBE_RECVS)) {
		svc_rdma2_place_none(v2, SVC_RDMA2_OVER_BUDGET);
		return;
	}
	pl->pl_pages = pages;
	pl->pl_probing = true;
	pl->pl_recv_sges = min_t(u32, RPCRDMA2_BLOCK_SGES,
				 rdma->sc_cm_id->device->attrs.max_recv_sge);
}

/**
 * svc_rdma2_place_covers - is one more buffer charged to the budget?
 * @pl: placement of a connection
 * @block: what it replaces, or NULL
 *
 * A peer that speaks no version known here does not settle the connection, and
 * goes on as if each message were the first.
 *
 * Return: false if there are as many as are charged
 */
bool svc_rdma2_place_covers(const struct svc_rdma2_placement *pl,
			    const struct rpcrdma2_recvblock *block)
{
	return block || !pl->pl_probing ||
	       pl->pl_blocks < SVC_RDMA2_PROBE_RECVS;
}

/**
 * svc_rdma2_place_forgo - do without placement for want of memory
 * @rdma: connection
 *
 * Before the first message nobody has been told of it. Few Receives are posted
 * up to then all the same.
 *
 * Context: before the connection is accepted, or receive handler
 *
 * Return: false if it is too late for that
 */
bool svc_rdma2_place_forgo(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	if (!v2->sv_place.pl_probing)
		return false;
	svc_rdma2_place_none(v2, SVC_RDMA2_NO_MEMORY);
	v2->sv_place.pl_probing = true;
	svc_rdma2_state(rdma);
	return true;
}

/**
 * svc_rdma2_place_released - a buffer that data can be placed in is gone
 * @rdma: connection
 *
 * When the last of those is gone that were posted to find out whether they are
 * of any use, they do not count any more.
 */
void svc_rdma2_place_released(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2_placement *pl = &rdma->sc_v2->sv_place;

	if (!--pl->pl_blocks && !pl->pl_pages)
		svc_rdma2_discharge(rdma->sc_v2, 0);
}

/**
 * svc_rdma2_place_free - return what a connection took from the budget
 * @rdma: connection whose Receives are gone
 */
void svc_rdma2_place_free(struct svcxprt_rdma *rdma)
{
	svc_rdma2_discharge(rdma->sc_v2, 0);
}

/*
 * Section: messages of several transmissions
 */

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

/*
 * Let groups be as long as the queues allow. @rdma: connection being accepted,
 * its queues made. A Call takes a credit for each transmission, and there may
 * be fewer of those than were wanted. A reply is posted as a whole, and must
 * not take most of the Send Queue.
 */
static void svc_rdma2_groups_got_queues(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2_assembly *ra = &rdma->sc_v2->sv_assembly;
	u32 requests = min_t(u32, ra->ra_requests, rdma->sc_max_requests);
	u32 replies = min_t(u32, ra->ra_replies,
			    max(rdma->sc_sq_depth / 4, 1U));

	if (requests == ra->ra_requests && replies == ra->ra_replies)
		return;
	ra->ra_requests = requests;
	ra->ra_replies = replies;
	svc_rdma2_state(rdma);
}

/*
 * Section: what the device can do
 */

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

/*
 * Do without what a device does not have. @rdma: connection whose queues could
 * not be made. Returns true if it may work with the capacities that version 1
 * asks for.
 */
static bool svc_rdma2_retry_plain(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	if (!v2->sv_place.pl_offered)
		return false;
	svc_rdma2_place_none(v2, "off: not enough SGEs");
	v2->sv_place.pl_recv_sges = 1;
	svc_rdma2_state(rdma);
	return true;
}

/*
 * Note how many SGEs there are. For version 1 the number decides how a reply is
 * sent, so it stays what it was.
 */
static void svc_rdma2_got_caps(struct svcxprt_rdma *rdma,
			       const struct ib_qp_cap *cap)
{
	rdma->sc_max_send_sges = min_t(int, rdma->sc_max_send_sges,
				       cap->max_send_sge);
	svc_rdma2_groups_got_queues(rdma);
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
	switch (when) {
	case SVC_RDMA_CAPS_ASK:
		svc_rdma2_set_caps(rdma, cap);
		break;
	case SVC_RDMA_CAPS_REFUSED:
		if (!svc_rdma2_retry_plain(rdma))
			break;
		/* rdma_create_qp() has added to what was asked for. */
		*cap = rdma->sc_v2->sv_place.pl_plain;
		return true;
	case SVC_RDMA_CAPS_GOT:
		svc_rdma2_got_caps(rdma, cap);
		break;
	}
	return false;
}

/**
 * svc_rdma2_recvs_wanted - how many Receives are to be posted
 * @rdma: connection
 * @needed: number that goes with the credits granted
 * @initial: the connection is being accepted
 *
 * While there are only a few, the one that holds the first message is not
 * replaced before it was looked at.
 *
 * Return: the number
 */
u32 svc_rdma2_recvs_wanted(const struct svcxprt_rdma *rdma, u32 needed,
			   bool initial)
{
	if (!rdma->sc_v2->sv_place.pl_probing)
		return needed;
	return initial ? SVC_RDMA2_PROBE_RECVS : SVC_RDMA2_PROBE_RECVS / 2;
}

/*
 * Section: the first message
 */

/*
 * Is the peer going to place anything? Who sends ROPT_XMTREQ has to take
 * ROPT_XMTRESP. Returns false if there is no sign of it.
 */
static bool svc_rdma2_place_useful(const struct svc_rdma2 *v2)
{
	const struct rpcrdma2_xch *xch = &v2->sv_conn.cn_xch;

	return v2->sv_conn.cn_version == RPCRDMA2_VERSION && xch->xc_heard &&
	       xch->xc_peer.rtrsupp & RDMA2_RTRSUPP_XRESP;
}

/*
 * Post all Receives that the grant needs. Returns false if they could not all
 * be posted.
 */
static bool svc_rdma2_place_fill(struct svcxprt_rdma *rdma)
{
	u32 needed = svc_rdma_recvs_needed(rdma);

	return (rdma->sc_pending_recvs >= needed ||
		svc_rdma_refresh_recvs(rdma, needed - rdma->sc_pending_recvs)) &&
	       rdma->sc_pending_recvs >= needed;
}

/*
 * Have Receives that data can be placed in, if possible. Returns NULL if all of
 * them are posted, otherwise why they are not.
 */
static const char *svc_rdma2_place_try(struct svcxprt_rdma *rdma)
{
	if (!rdma->sc_v2->sv_place.pl_pages)
		return SVC_RDMA2_NO_MEMORY;
	if (!svc_rdma2_place_useful(rdma->sc_v2))
		return "off: the peer does not place data";
	if (!svc_rdma2_charge(rdma->sc_v2, svc_rdma_recv_ctxts(rdma)))
		return SVC_RDMA2_OVER_BUDGET;
	return svc_rdma2_place_fill(rdma) ? NULL : SVC_RDMA2_NO_MEMORY;
}

/**
 * svc_rdma2_place_decide - decide what the Receives are going to be like
 * @rdma: connection whose first message has arrived
 *
 * The few that are posted are as good as any others. If data cannot be placed,
 * or memory for that is short, they are replaced as they are used up.
 *
 * Context: receive handler, before the message is queued
 *
 * Return: false if there is no memory for Receives at all
 */
bool svc_rdma2_place_decide(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;
	const char *why;

	if (!v2->sv_place.pl_probing)
		return true;
	v2->sv_place.pl_probing = false;
	why = svc_rdma2_place_try(rdma);
	if (why) {
		svc_rdma2_place_none(v2, why);
		svc_rdma2_state(rdma);
	} else {
		WRITE_ONCE(v2->sv_conn.cn_place, "on");
	}
	trace_rpcrdma2_placement(&v2->sv_conn, v2->sv_place.pl_pages,
				 v2->sv_conn.cn_place_kb);
	return !why || svc_rdma2_place_fill(rdma);
}
