/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: reports about transmissions, as they are obeyed.
 *
 * What a report is about, and whether it can be about anything. No verbs and
 * no allocation, so that the same source also builds in user space.
 *
 * The functions are described where they are defined.
 */

#ifndef _RPCRDMA2_REPORT_H
#define _RPCRDMA2_REPORT_H

#include <linux/atomic.h>

#include "codec.h"

enum {
	/* Responses that a report is believed to be about, at most */
	RPCRDMA2_MAX_RECENT	= 64,
};

/**
 * struct rpcrdma2_recent - responses that were sent not long ago
 * @count: how many were noted, ever
 * @xids: the last ones; zero where one was reported already
 *
 * All zeros is a valid beginning. Threads that send replies note them without a
 * lock: each gets an entry of its own.
 */
struct rpcrdma2_recent {
	atomic_t	count;
	__be32		xids[RPCRDMA2_MAX_RECENT];
};

bool rpcrdma2_repterr_about(const struct rpcrdma2_msg *msg,
			    const struct rpcrdma2_repterr *rep,
			    struct rpcrdma2_xmsid *about);
bool rpcrdma2_is_refusal(const struct rpcrdma2_msg *msg);
const char *rpcrdma2_opterr_name(u32 which);
void rpcrdma2_recent_add(struct rpcrdma2_recent *recent, __be32 xid);
bool rpcrdma2_recent_take(struct rpcrdma2_recent *recent, __be32 xid);

#endif /* _RPCRDMA2_REPORT_H */
