/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: Calls that hold credits.
 *
 * The functions are described where they are defined.
 */

#ifndef _RPCRDMA2_CALLS_H
#define _RPCRDMA2_CALLS_H

#include <linux/types.h>

enum {
	/* Calls that are remembered at once */
	RPCRDMA2_MAX_CALLS	= 128,
	/* Messages about no Call that are remembered */
	RPCRDMA2_MAX_MISSED	= 8,
};

/**
 * enum rpcrdma2_call_was - what became of a Call before its answer came
 * @RPCRDMA2_CALL_UNKNOWN: there is none
 * @RPCRDMA2_CALL_AWAITED: nothing, it waits
 * @RPCRDMA2_CALL_GIVEN_UP: nobody waits for the answer
 */
enum rpcrdma2_call_was {
	RPCRDMA2_CALL_UNKNOWN = 0,
	RPCRDMA2_CALL_AWAITED,
	RPCRDMA2_CALL_GIVEN_UP,
};

/**
 * struct rpcrdma2_call - a Call, and what it holds
 * @xid: its xid
 * @opt: it went by RDMA2_OPTIONAL
 * @given_up: nobody waits for it
 * @order: its place among all Calls, from rpcrdma2_calls_next()
 * @credits: its credits, one for each transmission
 * @recvs: Receives for its reply beyond the first one, if these are counted
 * @again: how often it was sent since the first time
 */
struct rpcrdma2_call {
	__be32			xid;
	bool			opt;
	bool			given_up;
	u32			order;
	u32			credits;
	u32			recvs;
	u32			again;
};

/**
 * struct rpcrdma2_ending - a message that ends a Call
 * @xid: xid of the Call
 * @only_opt: it is about no Call that did not go by RDMA2_OPTIONAL
 * @refused: it is no reply: the peer may not have taken all of the Call
 */
struct rpcrdma2_ending {
	__be32			xid;
	bool			only_opt;
	bool			refused;
};

/**
 * struct rpcrdma2_calls - Calls that hold credits
 * @order: Calls that there have been
 * @count: how many are known
 * @given_up: credits of those that nobody waits for, known or not
 * @debt: credits of Calls that were refused, and may still be arriving
 * @debt_order: an answer to this Call, or a later one, says that they are not
 * @nmissed: messages that were about no Call
 * @calls: the first @count are in use
 * @missed: the last ones of @nmissed
 */
struct rpcrdma2_calls {
	u32			order;
	u32			count;
	u32			given_up;
	u32			debt;
	u32			debt_order;
	u32			nmissed;
	struct rpcrdma2_call	calls[RPCRDMA2_MAX_CALLS];
	struct rpcrdma2_ending	missed[RPCRDMA2_MAX_MISSED];
};

void rpcrdma2_calls_reset(struct rpcrdma2_calls *calls);
u32 rpcrdma2_calls_next(struct rpcrdma2_calls *calls);
u32 rpcrdma2_calls_more(struct rpcrdma2_calls *calls, __be32 xid, u32 credits);
bool rpcrdma2_calls_sent(struct rpcrdma2_calls *calls,
			 const struct rpcrdma2_call *call);
u32 rpcrdma2_calls_unsent(struct rpcrdma2_calls *calls, __be32 xid);
bool rpcrdma2_calls_known(struct rpcrdma2_calls *calls, __be32 xid,
			  bool only_opt);
bool rpcrdma2_calls_give_up(struct rpcrdma2_calls *calls, __be32 xid);
void rpcrdma2_calls_leave(struct rpcrdma2_calls *calls,
			  const struct rpcrdma2_call *call);
enum rpcrdma2_call_was rpcrdma2_calls_ended(struct rpcrdma2_calls *calls,
					    const struct rpcrdma2_ending *end,
					    struct rpcrdma2_call *call);
u32 rpcrdma2_calls_settle(struct rpcrdma2_calls *calls, u32 order, u32 extra,
			  bool refused);
void rpcrdma2_calls_miss(struct rpcrdma2_calls *calls,
			 const struct rpcrdma2_ending *end);
const struct rpcrdma2_ending *
rpcrdma2_calls_missed(const struct rpcrdma2_calls *calls, __be32 xid, bool opt);
bool rpcrdma2_calls_stuck(const struct rpcrdma2_calls *calls, u32 more,
			  u32 needed, u32 credits);

#endif /* _RPCRDMA2_CALLS_H */
