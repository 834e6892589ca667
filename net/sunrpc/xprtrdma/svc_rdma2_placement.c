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

#include "svc_rdma2.h"
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

/*
 * Section: the budget
 */

/**
 * svc_rdma2_block_kb - memory of a Receive that data can be placed in
 * @pl: placement of a connection
 *
 * Return: its size in kB
 */
static u32 svc_rdma2_block_kb(const struct svc_rdma2_placement *pl)
{
	return rpcrdma2_recvblock_pages(pl->pl_rb.length, RPCRDMA2_BLOCK_HEAD) <<
	       (PAGE_SHIFT - 10);
}

/**
 * svc_rdma2_charge - take memory from the budget
 * @v2: connection
 * @recvs: Receives there may be in all, those being charged already included
 *
 * Return: false if the budget has not that much left
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

/**
 * svc_rdma2_discharge - give memory back to the budget
 * @v2: connection that has fewer such Receives from now on, or none
 * @kept: memory that it still has, in kB
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

/**
 * svc_rdma2_place_none - let Receives have nothing that could be aimed at
 * @v2: connection
 * @why: why not
 *
 * Buffers that are there stay charged until the last of them is gone.
 */
static void svc_rdma2_place_none(struct svc_rdma2 *v2, const char *why)
{
	struct svc_rdma2_placement *pl = &v2->sv_place;
	struct rpcrdma2_xchars local;

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
	u32 pages = READ_ONCE(rpcrdma2_server_placement_pages);
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

/**
 * svc_rdma2_set_caps - ask for as many SGEs as placement needs
 * @rdma: connection being accepted
 * @cap: capacities that version 1 asks for; raised
 */
void svc_rdma2_set_caps(struct svcxprt_rdma *rdma, struct ib_qp_cap *cap)
{
	const struct svc_rdma2_placement *pl;

	if (!rdma->sc_v2 || !rdma->sc_v2->sv_place.pl_offered)
		return;
	pl = &rdma->sc_v2->sv_place;
	cap->max_recv_sge = pl->pl_recv_sges;
	cap->max_send_sge =
		max_t(u32, cap->max_send_sge,
		      min_t(u32, SVC_RDMA2_SEND_SGES,
			    rdma->sc_cm_id->device->attrs.max_send_sge));
}

/**
 * svc_rdma2_yield - do without what a device does not have
 * @rdma: connection whose queues could not be made
 *
 * Return: true if it may work with the capacities that version 1 asks for
 */
bool svc_rdma2_yield(struct svcxprt_rdma *rdma)
{
	struct svc_rdma2 *v2 = rdma->sc_v2;

	if (!v2 || !v2->sv_place.pl_offered)
		return false;
	svc_rdma2_place_none(v2, "off: not enough SGEs");
	v2->sv_place.pl_recv_sges = 1;
	svc_rdma2_state(rdma);
	return true;
}

/**
 * svc_rdma2_got_caps - note how many SGEs there are
 * @rdma: connection being accepted
 * @cap: capacities of its queues
 *
 * For version 1 the number decides how a reply is sent, so it stays what it
 * was.
 */
void svc_rdma2_got_caps(struct svcxprt_rdma *rdma, const struct ib_qp_cap *cap)
{
	if (!rdma->sc_v2) {
		rdma->sc_max_send_sges = cap->max_send_sge;
		return;
	}
	rdma->sc_v2->sv_place.pl_send_sges = cap->max_send_sge;
	rdma->sc_max_send_sges = min_t(int, rdma->sc_max_send_sges,
				       cap->max_send_sge);
	svc_rdma2_group_got_queues(rdma);
}

/**
 * svc_rdma2_send_sges - how many SGEs a Send context needs
 * @rdma: connection
 *
 * Return: the number
 */
u32 svc_rdma2_send_sges(const struct svcxprt_rdma *rdma)
{
	return rdma->sc_v2 ? rdma->sc_v2->sv_place.pl_send_sges :
			     rdma->sc_max_send_sges;
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
	if (!rdma->sc_v2 || !rdma->sc_v2->sv_place.pl_probing)
		return needed;
	return initial ? SVC_RDMA2_PROBE_RECVS : SVC_RDMA2_PROBE_RECVS / 2;
}

/*
 * Section: the first message
 */

/**
 * svc_rdma2_place_useful - is the peer going to place anything?
 * @v2: connection that has settled on a version
 *
 * Who sends ROPT_XMTREQ has to take ROPT_XMTRESP.
 *
 * Return: false if there is no sign of it
 */
static bool svc_rdma2_place_useful(const struct svc_rdma2 *v2)
{
	const struct rpcrdma2_xch *xch = &v2->sv_conn.cn_xch;

	return v2->sv_conn.cn_version == RPCRDMA2_VERSION && xch->xc_heard &&
	       xch->xc_peer.rtrsupp & RDMA2_RTRSUPP_XRESP;
}

/**
 * svc_rdma2_place_fill - post all Receives that the grant needs
 * @rdma: connection
 *
 * Return: false if they could not all be posted
 */
static bool svc_rdma2_place_fill(struct svcxprt_rdma *rdma)
{
	u32 needed = svc_rdma_recvs_needed(rdma);

	return (rdma->sc_pending_recvs >= needed ||
		svc_rdma_refresh_recvs(rdma, needed - rdma->sc_pending_recvs)) &&
	       rdma->sc_pending_recvs >= needed;
}

/**
 * svc_rdma2_place_try - have Receives that data can be placed in, if possible
 * @rdma: connection
 *
 * Return: NULL if all of them are posted, otherwise why they are not
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
 * svc_rdma2_place_settle - decide what the Receives are going to be like
 * @rdma: connection whose first message has arrived
 *
 * The few that are posted are as good as any others. If data cannot be placed,
 * or memory for that is short, they are replaced as they are used up.
 *
 * Context: receive handler, before the message is queued
 *
 * Return: false if there is no memory for Receives at all
 */
bool svc_rdma2_place_settle(struct svcxprt_rdma *rdma)
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
