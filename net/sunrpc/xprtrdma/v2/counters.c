// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: what counters and reasons are called.
 */

#include <linux/kernel.h>

#include "conn.h"

static const char * const why_names[] = {
	[RPCRDMA2_WHY_UNSETTLED]	= "not settled yet",
	[RPCRDMA2_WHY_DISABLED]		= "max_version is 1 here",
	[RPCRDMA2_WHY_DEVICE]		= "not enough memory or queue entries for version 2",
	[RPCRDMA2_WHY_INITXCH]		= "characteristics were exchanged",
	[RPCRDMA2_WHY_BASE]		= "peer speaks version 2 without characteristics",
	[RPCRDMA2_WHY_ERR_VERS]		= "peer refused version 2",
	[RPCRDMA2_WHY_LOST]		= "connection was lost during the probe",
	[RPCRDMA2_WHY_SILENT]		= "peer did not answer the probe",
	[RPCRDMA2_WHY_ASSUMED]		= "version 1 assumed after an earlier failure",
	[RPCRDMA2_WHY_PEER]		= "peer's first message",
};

static const char * const counter_names[RPCRDMA2_NR_COUNTERS] = {
	[RPCRDMA2_CNT_CALLS_SENT]		= "calls_sent",
	[RPCRDMA2_CNT_CALLS_RECEIVED]		= "calls_received",
	[RPCRDMA2_CNT_REPLIES_SENT]		= "replies_sent",
	[RPCRDMA2_CNT_REPLIES_RECEIVED]		= "replies_received",
	[RPCRDMA2_CNT_REVERSE_CALLS]		= "reverse_calls",
	[RPCRDMA2_CNT_REVERSE_REPLIES]		= "reverse_replies",
	[RPCRDMA2_CNT_REVERSE_REFUSED]		= "reverse_refused",
	[RPCRDMA2_CNT_REVERSE_OVERRUNS]		= "reverse_overruns",
	[RPCRDMA2_CNT_REVERSE_STALE]		= "reverse_stale",
	[RPCRDMA2_CNT_REVERSE_WITHHELD]		= "reverse_withheld",
	[RPCRDMA2_CNT_REVERSE_LATE]		= "reverse_late",
	[RPCRDMA2_CNT_FORWARD_LATE]		= "forward_late",
	[RPCRDMA2_CNT_CREDITS_STUCK]		= "credits_stuck",
	[RPCRDMA2_CNT_RECVS_MISSING]		= "receives_missing",
	[RPCRDMA2_CNT_CONTROL_SENT]		= "control_sent",
	[RPCRDMA2_CNT_CONTROL_RECEIVED]		= "control_received",
	[RPCRDMA2_CNT_REMOTE_INVALIDATIONS]	= "remote_invalidations",
	[RPCRDMA2_CNT_REPLY_CHUNKS_UNUSED]	= "reply_chunks_unused",
	[RPCRDMA2_CNT_ERR_VERS_SENT]		= "err_vers_sent",
	[RPCRDMA2_CNT_BAD_XDR_SENT]		= "bad_xdr_sent",
	[RPCRDMA2_CNT_CANT_REPLY_SENT]		= "cant_reply_sent",
	[RPCRDMA2_CNT_INVAL_PROC_SENT]		= "inval_proc_sent",
	[RPCRDMA2_CNT_INVAL_OPTION_SENT]	= "inval_option_sent",
	[RPCRDMA2_CNT_ERR_VERS_RECEIVED]	= "err_vers_received",
	[RPCRDMA2_CNT_BAD_XDR_RECEIVED]		= "bad_xdr_received",
	[RPCRDMA2_CNT_CANT_REPLY_RECEIVED]	= "cant_reply_received",
	[RPCRDMA2_CNT_INVAL_PROC_RECEIVED]	= "inval_proc_received",
	[RPCRDMA2_CNT_INVAL_OPTION_RECEIVED]	= "inval_option_received",
	[RPCRDMA2_CNT_ERRORS_UNSENT]		= "errors_unsent",
	[RPCRDMA2_CNT_TOO_SHORT]		= "too_short",
	[RPCRDMA2_CNT_BAD_VERSION]		= "bad_version",
	[RPCRDMA2_CNT_BAD_HEADERS]		= "bad_headers",
	[RPCRDMA2_CNT_BAD_OPTIONS]		= "bad_options",
	[RPCRDMA2_CNT_RPCS_FAILED]		= "rpcs_failed",
	[RPCRDMA2_CNT_DROPPED]			= "dropped",
	[RPCRDMA2_CNT_UNMATCHED]		= "unmatched",
	[RPCRDMA2_CNT_TRAILING_BYTES]		= "trailing_bytes",
	[RPCRDMA2_CNT_ZERO_CREDITS]		= "zero_credits",
	[RPCRDMA2_CNT_FOREIGN_INV]		= "foreign_inv_handles",
	[RPCRDMA2_CNT_XMTREQS]			= "xmtreqs",
	[RPCRDMA2_CNT_XMTRESPS]			= "xmtresps",
	[RPCRDMA2_CNT_PLACED_SENT]		= "placed_bytes_sent",
	[RPCRDMA2_CNT_PLACED_RECEIVED]		= "placed_bytes_received",
	[RPCRDMA2_CNT_PLACED_COPIED]		= "placed_bytes_copied",
	[RPCRDMA2_CNT_BOUNCED]			= "bounced_bytes",
	[RPCRDMA2_CNT_PLACE_FALLBACKS]		= "placement_fallbacks",
	[RPCRDMA2_CNT_OVER_BUDGET]		= "placement_over_budget",
	[RPCRDMA2_CNT_REPTERR_SENT]		= "repterr_sent",
	[RPCRDMA2_CNT_REPTERR_RECEIVED]		= "repterr_received",
	[RPCRDMA2_CNT_REGS_AVOIDED]		= "registrations_avoided",
	[RPCRDMA2_CNT_NOT_LONG_ENOUGH]		= "placement_too_long",
	[RPCRDMA2_CNT_NOT_ENOUGH_SGES]		= "placement_too_scattered",
	[RPCRDMA2_CNT_NO_ROOM_IN_FRONT]		= "placement_long_front",
	[RPCRDMA2_CNT_LONG_RESULTS]		= "placement_long_results",
	[RPCRDMA2_CNT_ITEMS_INLINE]		= "items_inline",
	[RPCRDMA2_CNT_XMTREQS_RESENT]		= "xmtreqs_resent",
	[RPCRDMA2_CNT_GROUPS_SENT]		= "groups_sent",
	[RPCRDMA2_CNT_GROUPS_RECEIVED]		= "groups_received",
	[RPCRDMA2_CNT_XMTCONTS_SENT]		= "xmtconts_sent",
	[RPCRDMA2_CNT_XMTCONTS_RECEIVED]	= "xmtconts_received",
	[RPCRDMA2_CNT_XMTCONTS_DISCARDED]	= "xmtconts_discarded",
	[RPCRDMA2_CNT_GROUPS_BROKEN]		= "groups_broken",
	[RPCRDMA2_CNT_GROUPS_OVERDUE]		= "groups_overdue",
	[RPCRDMA2_CNT_GROUPS_TOO_LONG]		= "groups_too_long",
	[RPCRDMA2_CNT_GROUPS_NO_CREDITS]	= "groups_no_credits",
	[RPCRDMA2_CNT_GROUPS_NO_RECVS]		= "groups_no_receives",
	[RPCRDMA2_CNT_GROUPS_GIVEN_UP]		= "groups_given_up",
};

/**
 * rpcrdma2_why_name - a reason in words
 * @why: the reason
 *
 * Return: text that never goes away
 */
const char *rpcrdma2_why_name(enum rpcrdma2_why why)
{
	return why < ARRAY_SIZE(why_names) ? why_names[why] : "?";
}

/**
 * rpcrdma2_counter_name - the name under which a counter is shown
 * @which: the counter
 *
 * Return: text that never goes away
 */
const char *rpcrdma2_counter_name(enum rpcrdma2_counter which)
{
	return counter_names[which];
}
