/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: the counters of a connection, and what they are called.
 *
 * Who includes this says what a row is. Different CPUs send and receive, so that a cache
 * line has only counters of one or the other way; each end counts XMTREQS and XMTRESPS in
 * another way.
 */

/* Sent */
COUNTER(CALLS_SENT, "calls_sent")
COUNTER(REPLIES_SENT, "replies_sent")
COUNTER(PLACED_SENT, "placed_bytes_sent")	/* bytes that were placed at the peer */
COUNTER(REGS_AVOIDED, "registrations_avoided")	/* registrations that placement saved */
COUNTER(BOUNCED, "bounced_bytes")	/* bytes copied in order to be sent */
COUNTER(GROUPS_SENT, "groups_sent")	/* messages of several transmissions */
COUNTER(XMTCONTS_SENT, "xmtconts_sent")
COUNTER(PLACE_FALLBACKS, "placement_fallbacks")	/* items that could not be placed */
/* Received */
COUNTER(CALLS_RECEIVED, "calls_received")
COUNTER(REPLIES_RECEIVED, "replies_received")
COUNTER(REMOTE_INVALIDATIONS, "remote_invalidations")
COUNTER(PLACED_RECEIVED, "placed_bytes_received")	/* bytes that were placed here */
COUNTER(PLACED_COPIED, "placed_bytes_copied")	/* of these, bytes that were copied then */
COUNTER(GROUPS_RECEIVED, "groups_received")
COUNTER(XMTCONTS_RECEIVED, "xmtconts_received")
COUNTER(ITEMS_INLINE, "items_inline")	/* TOOSHORT and NOITEM received */
/* Other lines, which are hardly ever written to but for these two */
COUNTER(XMTREQS, "xmtreqs")	/* sent or received */
COUNTER(REVERSE_CALLS, "reverse_calls")
COUNTER(REVERSE_REPLIES, "reverse_replies")
COUNTER(REVERSE_REFUSED, "reverse_refused")	/* with chunks (D-28) */
COUNTER(REVERSE_OVERRUNS, "reverse_overruns")	/* beyond the grant */
COUNTER(REVERSE_STALE, "reverse_stale")	/* replies to a lost connection */
COUNTER(REVERSE_WITHHELD, "reverse_withheld")	/* not for this peer */
COUNTER(REVERSE_LATE, "reverse_late")	/* replies nobody waits for */
COUNTER(FORWARD_LATE, "forward_late")	/* likewise */
COUNTER(CREDITS_STUCK, "credits_stuck")	/* connections closed for want of them */
COUNTER(RECVS_MISSING, "receives_missing")	/* messages after which not all were posted */
COUNTER(CONTROL_SENT, "control_sent")
COUNTER(CONTROL_RECEIVED, "control_received")
COUNTER(REPLY_CHUNKS_UNUSED, "reply_chunks_unused")
COUNTER(ERR_VERS_SENT, "err_vers_sent")
COUNTER(BAD_XDR_SENT, "bad_xdr_sent")
COUNTER(CANT_REPLY_SENT, "cant_reply_sent")
COUNTER(INVAL_PROC_SENT, "inval_proc_sent")
COUNTER(INVAL_OPTION_SENT, "inval_option_sent")
COUNTER(ERR_VERS_RECEIVED, "err_vers_received")
COUNTER(BAD_XDR_RECEIVED, "bad_xdr_received")
COUNTER(CANT_REPLY_RECEIVED, "cant_reply_received")
COUNTER(INVAL_PROC_RECEIVED, "inval_proc_received")
COUNTER(INVAL_OPTION_RECEIVED, "inval_option_received")
COUNTER(ERRORS_UNSENT, "errors_unsent")	/* no resources to answer with */
COUNTER(TOO_SHORT, "too_short")	/* N-01 */
COUNTER(BAD_VERSION, "bad_version")
COUNTER(BAD_HEADERS, "bad_headers")
COUNTER(BAD_OPTIONS, "bad_options")
COUNTER(RPCS_FAILED, "rpcs_failed")	/* matched RPC ended with an error */
COUNTER(DROPPED, "dropped")
COUNTER(UNMATCHED, "unmatched")	/* no Call with this xid */
COUNTER(TRAILING_BYTES, "trailing_bytes")
COUNTER(ZERO_CREDITS, "zero_credits")
COUNTER(FOREIGN_INV, "foreign_inv_handles")	/* inv_handle or rkey not of this RPC */
COUNTER(OVER_BUDGET, "placement_over_budget")	/* no memory for placement */
COUNTER(REPTERR_SENT, "repterr_sent")
COUNTER(REPTERR_RECEIVED, "repterr_received")
COUNTER(NOT_LONG_ENOUGH, "placement_too_long")	/* Calls not placed: peer's Receives */
COUNTER(NOT_ENOUGH_SGES, "placement_too_scattered")	/* Calls not placed: this end's device */
COUNTER(NO_ROOM_IN_FRONT, "placement_long_front")	/* Calls not placed: long header */
COUNTER(LONG_RESULTS, "placement_long_results")	/* Calls not placed: results too long */
COUNTER(XMTREQS_RESENT, "xmtreqs_resent")	/* Calls sent again by RDMA2_MSG */
COUNTER(XMTCONTS_DISCARDED, "xmtconts_discarded")	/* of groups that were broken */
COUNTER(GROUPS_BROKEN, "groups_broken")	/* open groups that ended in a fault */
COUNTER(GROUPS_OVERDUE, "groups_overdue")	/* open groups that took too long */
COUNTER(GROUPS_TOO_LONG, "groups_too_long")	/* explicit RDMA: peer's limits */
COUNTER(GROUPS_NO_CREDITS, "groups_no_credits")	/* explicit RDMA: credits in use */
COUNTER(GROUPS_NO_RECVS, "groups_no_receives")	/* explicit RDMA: Receives in use */
COUNTER(GROUPS_GIVEN_UP, "groups_given_up")	/* Calls with groups that were killed */
COUNTER(XMTRESPS, "xmtresps")
