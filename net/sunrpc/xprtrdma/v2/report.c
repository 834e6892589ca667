// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: reports about transmissions, as they are obeyed.
 *
 * A report names the transmission in which a fault was seen. If that one broke
 * into a group, the report also names the beginning of the group; then the
 * message that did not arrive is the group, and the intruder was processed for
 * what it is.
 */

#include "codec_priv.h"
#include "report.h"

static const char * const rpcrdma2_opterr_names[] = {
	[OPTRERR_BADHMT]	= "BADHMT",
	[OPTRERR_BADOMT]	= "BADOMT",
	[OPTRERR_BADCONT]	= "BADCONT",
	[OPTRERR_BADSEQ]	= "BADSEQ",
	[OPTRERR_BADXID]	= "BADXID",
	[OPTRERR_BADOFF]	= "BADOFF",
	[OPTRERR_BADTBSN]	= "BADTBSN",
	[OPTRERR_BADPL]		= "BADPL",
};

/**
 * rpcrdma2_opterr_name - the name of a code
 * @which: enum rpcrdma2_opterr, or something else
 *
 * Return: text that never goes away
 */
const char *rpcrdma2_opterr_name(u32 which)
{
	if (which >= ARRAY_SIZE(rpcrdma2_opterr_names) ||
	    !rpcrdma2_opterr_names[which])
		return "?";
	return rpcrdma2_opterr_names[which];
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_opterr_name);

/**
 * rpcrdma2_repterr_about - which message did not arrive?
 * @msg: received ROPT_REPTERR, header sound
 * @rep: its content
 * @about: OUT: xid and direction of the message
 *
 * The direction of a report is opposite to that of the fault, and its xid is
 * the same; one that says otherwise is about nothing. The values
 * of a report are information and are not looked at (N-215).
 *
 * Return: %false if the report contradicts itself
 */
bool rpcrdma2_repterr_about(const struct rpcrdma2_msg *msg,
			    const struct rpcrdma2_repterr *rep,
			    struct rpcrdma2_xmsid *about)
{
	if (rep->bad.xid != msg->xid || rep->bad.dir == msg->dir)
		return false;
	*about = rep->has_lead ? rep->lead : rep->bad;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_repterr_about);

/**
 * rpcrdma2_is_refusal - does a message say that a Call was not processed?
 * @msg: message that ends a Call, perhaps not sound
 *
 * All of a Call has been received that is replied to, however badly.
 *
 * Return: %false if it is meant as a reply
 */
bool rpcrdma2_is_refusal(const struct rpcrdma2_msg *msg)
{
	return msg->proc == RDMA2_ERROR ||
	       (msg->proc == RDMA2_OPTIONAL && msg->opt.typed &&
		msg->opt.type == ROPT_REPTERR);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_is_refusal);

/**
 * rpcrdma2_recent_add - note that a response was sent
 * @recent: where to
 * @xid: its rdma_xid
 *
 * The oldest one is forgotten: the more have been sent after a response, the
 * less likely is a report about it.
 */
void rpcrdma2_recent_add(struct rpcrdma2_recent *recent, __be32 xid)
{
	u32 n = atomic_fetch_inc(&recent->count);

	WRITE_ONCE(recent->xids[n % RPCRDMA2_MAX_RECENT], xid);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_recent_add);

/**
 * rpcrdma2_recent_take - can a report be about a response of ours?
 * @recent: responses that were noted
 * @xid: the xid that the report is about
 *
 * Each response can be reported once (N-212).
 *
 * Return: %false if none with this xid was noted, or it was forgotten
 */
bool rpcrdma2_recent_take(struct rpcrdma2_recent *recent, __be32 xid)
{
	u32 i;

	if (!xid)
		return false;
	for (i = 0; i < RPCRDMA2_MAX_RECENT; i++)
		if (READ_ONCE(recent->xids[i]) == xid &&
		    cmpxchg(&recent->xids[i], xid, 0) == xid)
			return true;
	return false;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_recent_take);
