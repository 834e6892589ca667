/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: what is counted for each connection.
 */

#ifndef _RPCRDMA2_COUNTERS_H
#define _RPCRDMA2_COUNTERS_H

/**
 * enum rpcrdma2_why - how a connection came by its version
 * @RPCRDMA2_WHY_UNSETTLED: no message has said yet
 * @RPCRDMA2_WHY_DISABLED: max_version is 1 at this end
 * @RPCRDMA2_WHY_DEVICE: the device has too few queue entries or no memory
 * @RPCRDMA2_WHY_INITXCH: characteristics were exchanged
 * @RPCRDMA2_WHY_BASE: the peer speaks version 2 without characteristics
 * @RPCRDMA2_WHY_ERR_VERS: the peer refused version 2
 * @RPCRDMA2_WHY_LOST: the connection was lost during the probe
 * @RPCRDMA2_WHY_SILENT: the probe was not answered
 * @RPCRDMA2_WHY_ASSUMED: version 1 is assumed after an earlier failure
 * @RPCRDMA2_WHY_PEER: the peer's first message decided
 */
enum rpcrdma2_why {
	RPCRDMA2_WHY_UNSETTLED = 0,
	RPCRDMA2_WHY_DISABLED,
	RPCRDMA2_WHY_DEVICE,
	RPCRDMA2_WHY_INITXCH,
	RPCRDMA2_WHY_BASE,
	RPCRDMA2_WHY_ERR_VERS,
	RPCRDMA2_WHY_LOST,
	RPCRDMA2_WHY_SILENT,
	RPCRDMA2_WHY_ASSUMED,
	RPCRDMA2_WHY_PEER,
};

/* Counters of a connection; names are in counters.c. Different CPUs send and
 * receive, so that a cache line has only counters of one or the other way; each
 * end counts XMTREQS and XMTRESPS in another way.
 */
enum rpcrdma2_counter {
	/* Sent */
	RPCRDMA2_CNT_CALLS_SENT,
	RPCRDMA2_CNT_REPLIES_SENT,
	RPCRDMA2_CNT_PLACED_SENT,	/* bytes that were placed at the peer */
	RPCRDMA2_CNT_REGS_AVOIDED,	/* registrations that placement saved */
	RPCRDMA2_CNT_BOUNCED,		/* bytes copied in order to be sent */
	RPCRDMA2_CNT_GROUPS_SENT,	/* messages of several transmissions */
	RPCRDMA2_CNT_XMTCONTS_SENT,
	RPCRDMA2_CNT_PLACE_FALLBACKS,	/* items that could not be placed */
	/* Received */
	RPCRDMA2_CNT_CALLS_RECEIVED,
	RPCRDMA2_CNT_REPLIES_RECEIVED,
	RPCRDMA2_CNT_REMOTE_INVALIDATIONS,
	RPCRDMA2_CNT_PLACED_RECEIVED,	/* bytes that were placed here */
	RPCRDMA2_CNT_PLACED_COPIED,	/* of these, bytes that were copied then */
	RPCRDMA2_CNT_GROUPS_RECEIVED,
	RPCRDMA2_CNT_XMTCONTS_RECEIVED,
	RPCRDMA2_CNT_ITEMS_INLINE,	/* TOOSHORT and NOITEM received */
	/* Other lines, which are hardly ever written to but for these two */
	RPCRDMA2_CNT_XMTREQS,		/* sent or received */
	RPCRDMA2_CNT_REVERSE_CALLS,
	RPCRDMA2_CNT_REVERSE_REPLIES,
	RPCRDMA2_CNT_REVERSE_REFUSED,	/* with chunks (D-28) */
	RPCRDMA2_CNT_REVERSE_OVERRUNS,	/* beyond the grant */
	RPCRDMA2_CNT_REVERSE_STALE,	/* replies to a lost connection */
	RPCRDMA2_CNT_REVERSE_WITHHELD,	/* not for this peer */
	RPCRDMA2_CNT_REVERSE_LATE,	/* replies nobody waits for */
	RPCRDMA2_CNT_FORWARD_LATE,	/* likewise */
	RPCRDMA2_CNT_CREDITS_STUCK,	/* connections closed for want of them */
	RPCRDMA2_CNT_RECVS_MISSING,	/* messages after which not all were posted */
	RPCRDMA2_CNT_CONTROL_SENT,
	RPCRDMA2_CNT_CONTROL_RECEIVED,
	RPCRDMA2_CNT_REPLY_CHUNKS_UNUSED,
	RPCRDMA2_CNT_ERR_VERS_SENT,
	RPCRDMA2_CNT_BAD_XDR_SENT,
	RPCRDMA2_CNT_CANT_REPLY_SENT,
	RPCRDMA2_CNT_INVAL_PROC_SENT,
	RPCRDMA2_CNT_INVAL_OPTION_SENT,
	RPCRDMA2_CNT_ERR_VERS_RECEIVED,
	RPCRDMA2_CNT_BAD_XDR_RECEIVED,
	RPCRDMA2_CNT_CANT_REPLY_RECEIVED,
	RPCRDMA2_CNT_INVAL_PROC_RECEIVED,
	RPCRDMA2_CNT_INVAL_OPTION_RECEIVED,
	RPCRDMA2_CNT_ERRORS_UNSENT,	/* no resources to answer with */
	RPCRDMA2_CNT_TOO_SHORT,		/* N-01 */
	RPCRDMA2_CNT_BAD_VERSION,
	RPCRDMA2_CNT_BAD_HEADERS,
	RPCRDMA2_CNT_BAD_OPTIONS,
	RPCRDMA2_CNT_RPCS_FAILED,	/* matched RPC ended with an error */
	RPCRDMA2_CNT_DROPPED,
	RPCRDMA2_CNT_UNMATCHED,		/* no Call with this xid */
	RPCRDMA2_CNT_TRAILING_BYTES,
	RPCRDMA2_CNT_ZERO_CREDITS,
	RPCRDMA2_CNT_FOREIGN_INV,	/* inv_handle or rkey not of this RPC */
	RPCRDMA2_CNT_OVER_BUDGET,	/* no memory for placement */
	RPCRDMA2_CNT_REPTERR_SENT,
	RPCRDMA2_CNT_REPTERR_RECEIVED,
	RPCRDMA2_CNT_NOT_LONG_ENOUGH,	/* Calls not placed: peer's Receives */
	RPCRDMA2_CNT_NOT_ENOUGH_SGES,	/* Calls not placed: this end's device */
	RPCRDMA2_CNT_NO_ROOM_IN_FRONT,	/* Calls not placed: long header */
	RPCRDMA2_CNT_LONG_RESULTS,	/* Calls not placed: results too long */
	RPCRDMA2_CNT_XMTREQS_RESENT,	/* Calls sent again by RDMA2_MSG */
	RPCRDMA2_CNT_XMTCONTS_DISCARDED, /* of groups that were broken */
	RPCRDMA2_CNT_GROUPS_BROKEN,	/* open groups that ended in a fault */
	RPCRDMA2_CNT_GROUPS_OVERDUE,	/* open groups that took too long */
	RPCRDMA2_CNT_GROUPS_TOO_LONG,	/* explicit RDMA: peer's limits */
	RPCRDMA2_CNT_GROUPS_NO_CREDITS,	/* explicit RDMA: credits in use */
	RPCRDMA2_CNT_GROUPS_NO_RECVS,	/* explicit RDMA: Receives in use */
	RPCRDMA2_CNT_GROUPS_GIVEN_UP,	/* Calls with groups that were killed */
	RPCRDMA2_CNT_XMTRESPS,
	RPCRDMA2_NR_COUNTERS
};

const char *rpcrdma2_why_name(enum rpcrdma2_why why);
const char *rpcrdma2_counter_name(enum rpcrdma2_counter which);

#endif /* _RPCRDMA2_COUNTERS_H */
