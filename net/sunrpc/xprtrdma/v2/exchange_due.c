// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: messages about characteristics that are due.
 *
 * What the state machines of exchange.c want to say is taken from here
 * one message at a time, and what has been said is remembered until the peer
 * has confirmed it.
 */

#include "codec_priv.h"
#include "exchange.h"

/**
 * rpcrdma2_xch_report_begin - a ROPT_REPTERR in CALL direction is due
 * @xch: characteristics
 *
 * If it may be sent, rpcrdma2_xch_report_end() has to follow.
 *
 * Return: %false if it has to be left out
 */
bool rpcrdma2_xch_report_begin(struct rpcrdma2_xch *xch)
{
	struct rpcrdma2_announced *ann;

	if (xch->xc_nr_announced == RPCRDMA2_MAX_UNCONFIRMED)
		return false;
	ann = &xch->xc_announced[xch->xc_nr_announced++];
	memset(ann, 0, sizeof(*ann));
	ann->n = RPCRDMA2_NUM_XCHARS;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_report_begin);

/**
 * rpcrdma2_xch_report_end - a report was posted, or could not be
 * @xch: characteristics
 * @sent: it was posted
 *
 * A Call that reads the new epoch is posted behind it.
 */
void rpcrdma2_xch_report_end(struct rpcrdma2_xch *xch, bool sent)
{
	struct rpcrdma2_announced *ann;
	u32 i;

	for (i = 0; i < xch->xc_nr_announced; i++) {
		ann = &xch->xc_announced[i];
		if (ann->n != RPCRDMA2_NUM_XCHARS || ann->epoch)
			continue;
		if (!sent) {
			rpcrdma2_xch_forget(xch, i);
			return;
		}
		ann->epoch = xch->xc_epoch + 1;
		/* Pairs with rpcrdma2_conn_epoch() */
		smp_store_release(&xch->xc_epoch, xch->xc_epoch + 1);
		return;
	}
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_report_end);

/* Returns bits of what may be announced now. What was decided before is said before
 * (C4).
 */
static u32 rpcrdma2_xch_may_announce(const struct rpcrdma2_xch *xch)
{
	if (xch->xc_nr_announced == RPCRDMA2_MAX_UNCONFIRMED ||
	    xch->xc_refused & BIT(ROPT_UPDXCH) || xch->xc_unanswered)
		return 0;
	return xch->xc_announce;
}

/* Is there a reason and leave to send ROPT_REQXCH? Announcements that wait for
 * earlier ones to be confirmed are a reason, too: an empty request has them
 * confirmed. So are Receives that wait to be used up. ROPT_RESPXCH about them
 * goes first.
 */
static bool rpcrdma2_xch_may_request(const struct rpcrdma2_xch *xch)
{
	if (xch->xc_req_open || xch->xc_refused & BIT(ROPT_REQXCH))
		return false;
	if (xch->xc_announce && xch->xc_nr_announced == RPCRDMA2_MAX_UNCONFIRMED)
		return true;
	return xch->xc_wish || (xch->xc_nudges && !xch->xc_unanswered);
}

/**
 * rpcrdma2_xch_due - is there anything to send?
 * @xch: characteristics
 *
 * Nothing of this is sent to a peer that did not send ROPT_INITXCH, nor
 * before this end's own.
 *
 * Return: %true if rpcrdma2_xch_next() would give a message
 */
bool rpcrdma2_xch_due(const struct rpcrdma2_xch *xch)
{
	return xch->xc_heard && xch->xc_stated &&
	       (rpcrdma2_xch_may_announce(xch) || rpcrdma2_xch_may_request(xch));
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_due);

/* Make a ROPT_UPDXCH. @ctrl: the message, its xid set. */
static void rpcrdma2_xch_announce(struct rpcrdma2_xch *xch, u32 n,
				  struct rpcrdma2_ctrl *ctrl)
{
	struct rpcrdma2_announced *ann;

	ctrl->opttype = ROPT_UPDXCH;
	ctrl->pendclr = xch->xc_finished & BIT(n);
	rpcrdma2_xchars_one(&xch->xc_local, n, &ctrl->values);

	ann = &xch->xc_announced[xch->xc_nr_announced++];
	ann->xid = ctrl->xid;
	ann->n = n;
	ann->value = rpcrdma2_xchar_value(&xch->xc_local, n);
	ann->epoch = 0;
	xch->xc_announce &= ~BIT(n);
	if (ctrl->pendclr) {
		xch->xc_finished &= ~BIT(n);
		xch->xc_busy &= ~BIT(n);
	}
}

/* Make a ROPT_REQXCH. @ctrl: the message, its xid set. */
static void rpcrdma2_xch_request(struct rpcrdma2_xch *xch,
				 struct rpcrdma2_ctrl *ctrl)
{
	u32 n, element = 0;

	ctrl->opttype = ROPT_REQXCH;
	ctrl->pendclr = false;
	ctrl->values = xch->xc_want;
	ctrl->values.present = xch->xc_wish;
	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++)
		if (xch->xc_wish & BIT(n))
			xch->xc_element[n] = element++;
	xch->xc_requested = xch->xc_wish;
	xch->xc_wish = 0;
	ctrl->nudge = xch->xc_nudges;
	xch->xc_nudges -= ctrl->nudge;
	xch->xc_req_open = true;
	xch->xc_req_xid = ctrl->xid;
	xch->xc_req_epoch = xch->xc_epoch;
}

/**
 * rpcrdma2_xch_next - take the next message that is due
 * @xch: characteristics
 * @xid: rdma_xid for it
 * @ctrl: OUT: the message
 *
 * Its consequences hold from here on; the caller sends it, and says whether
 * that went well with rpcrdma2_xch_sent() or rpcrdma2_xch_unsent(), before it
 * takes another one or sends an answer. A ROPT_RESPXCH about a lower RBSIZ that
 * overtook ROPT_UPDXCH about a higher one would leave the peer with the latter.
 *
 * Return: %false if there is none
 */
bool rpcrdma2_xch_next(struct rpcrdma2_xch *xch, __be32 xid,
		       struct rpcrdma2_ctrl *ctrl)
{
	u32 announce = rpcrdma2_xch_may_announce(xch);

	if (!rpcrdma2_xch_due(xch))
		return false;
	ctrl->xid = xid;
	if (announce)
		rpcrdma2_xch_announce(xch, ffs(announce) - 1, ctrl);
	else
		rpcrdma2_xch_request(xch, ctrl);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_next);

/**
 * rpcrdma2_xch_encode - write a message that is due
 * @ctrl: the message
 * @credit: credits asked for
 * @buf: where it goes
 * @size: room there, in bytes
 *
 * Return: its length in bytes, or a negative errno
 */
int rpcrdma2_xch_encode(const struct rpcrdma2_ctrl *ctrl, u32 credit,
			void *buf, u32 size)
{
	const struct rpcrdma2_hdr hdr = {
		.xid	= ctrl->xid,
		.credit	= credit,
		.dir	= RDMA2_CALL,
	};

	if (ctrl->opttype == ROPT_REQXCH)
		return rpcrdma2_encode_reqxch(buf, size, &hdr, &ctrl->values);
	return rpcrdma2_encode_updxch(buf, size, &hdr, &ctrl->values,
				      ctrl->pendclr);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_encode);

/**
 * rpcrdma2_xch_sent - a message was posted
 * @xch: characteristics
 * @ctrl: the message
 *
 * A Call that reads the new epoch is posted behind it.
 */
void rpcrdma2_xch_sent(struct rpcrdma2_xch *xch, const struct rpcrdma2_ctrl *ctrl)
{
	u32 i;

	if (ctrl->opttype == ROPT_REQXCH) {
		xch->xc_counts[RPCRDMA2_XE_REQXCH_SENT]++;
		return;
	}
	xch->xc_counts[RPCRDMA2_XE_UPDXCH_SENT]++;
	for (i = 0; i < xch->xc_nr_announced; i++)
		if (xch->xc_announced[i].xid == ctrl->xid)
			xch->xc_announced[i].epoch = xch->xc_epoch + 1;
	/* The message was posted before. Pairs with rpcrdma2_conn_epoch(). */
	smp_store_release(&xch->xc_epoch, xch->xc_epoch + 1);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_sent);

/**
 * rpcrdma2_xch_unsent - a message could not be posted
 * @xch: characteristics
 * @ctrl: the message
 *
 * It stays due, as far as it is still of use. A peer that guesses xids may have
 * refused it already.
 */
void rpcrdma2_xch_unsent(struct rpcrdma2_xch *xch, const struct rpcrdma2_ctrl *ctrl)
{
	u32 i;

	if (ctrl->opttype == ROPT_REQXCH) {
		xch->xc_wish |= xch->xc_requested;
		xch->xc_nudges += ctrl->nudge;
		xch->xc_requested = 0;
		xch->xc_req_open = false;
		rpcrdma2_xch_review(xch);
		return;
	}
	for (i = 0; i < xch->xc_nr_announced; i++) {
		if (xch->xc_announced[i].n == RPCRDMA2_NUM_XCHARS ||
		    xch->xc_announced[i].xid != ctrl->xid)
			continue;
		rpcrdma2_xch_forget(xch, i);
		break;
	}
	xch->xc_announce |= ctrl->values.present;
	if (ctrl->pendclr) {
		xch->xc_busy |= ctrl->values.present;
		xch->xc_finished |= ctrl->values.present;
	}
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xch_unsent);
