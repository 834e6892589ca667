/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: the credits of a connection, as one end has them.
 *
 * Every RPC that sunrpc lets out has one credit of the window, and one Receive
 * for its reply. What else there is to say of credits is here: how many the
 * peer has granted, what Calls hold beyond the first one, what those have left
 * behind that were given up or refused, what our own ROPT_REQXCH holds, and what
 * the peer may use in the other direction. No locks and no allocation, so that
 * the same source also builds in user space.
 *
 * The functions are described where they are defined.
 */

#ifndef _RPCRDMA2_LEDGER_H
#define _RPCRDMA2_LEDGER_H

#include "codec.h"

/* Calls that hold credits */

enum {
	/* Calls that are remembered at once */
	RPCRDMA2_MAX_OUTSTANDING	= 128,
	/* Messages about no Call that are remembered */
	RPCRDMA2_MAX_MISSED	= 32,
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
 * struct rpcrdma2_outstanding_call - a Call, and what it holds
 * @xid: its xid
 * @opt: it went by RDMA2_OPTIONAL
 * @given_up: nobody waits for it
 * @order: its place among all Calls, from rpcrdma2_outstanding_next()
 * @credits: its credits, one for each transmission
 * @recvs: Receives for its reply beyond the first one, if these are counted
 * @again: how often it was sent since the first time
 */
struct rpcrdma2_outstanding_call {
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
 * struct rpcrdma2_outstanding - Calls that hold credits
 * @order: Calls that there have been
 * @count: how many are known
 * @given_up: credits of those that nobody waits for, known or not
 * @debt: credits of Calls that were refused, and may still be arriving
 * @debt_order: an answer to this Call, or a later one, says that they are not
 * @nmissed: how many of @missed there are
 * @calls: the first @count are in use
 * @missed: the last messages that were about no Call, in their order
 */
struct rpcrdma2_outstanding {
	u32			order;
	u32			count;
	u32			given_up;
	u32			debt;
	u32			debt_order;
	u32			nmissed;
	struct rpcrdma2_outstanding_call	calls[RPCRDMA2_MAX_OUTSTANDING];
	struct rpcrdma2_ending	missed[RPCRDMA2_MAX_MISSED];
};

/* What there is */

/**
 * struct rpcrdma2_reservation - what a Call has reserved
 * @cookie: the connection it did so on
 * @order: place of the Call among all
 * @credits: credits beyond the first one
 * @recvs: Receives beyond the first one
 */
struct rpcrdma2_reservation {
	u32	cookie;
	u32	order;
	u32	credits;
	u32	recvs;
};

/**
 * struct rpcrdma2_ledger - credits of both directions
 * @cookie: the connection; what belongs to another one counts for nothing
 * @granted: credits that the peer has granted, clamped
 * @missing: Receives that these call for, and that are not posted
 * @reserved_credits: credits beyond the first one of each Call: reserved by one,
 *	left behind with one, or owed
 * @recvs: Receives that are posted beyond one for each credit
 * @reserved_recvs: how many of them are reserved
 * @behind: Receives, reserved, that the rest of a reply uses up which is being
 *	discarded
 * @control: our ROPT_REQXCH holds a credit
 * @control_wanted: it waits for one
 * @out: Calls that hold credits
 * @peer_wanted: credits that the peer has asked for, clamped
 * @peer_posted: credits that Receives are posted for
 * @peer_granted: most that was ever granted of both
 * @peer_used: credits that Calls of the peer hold
 *
 * Protected by the transport_lock of the RPC transport that sends the Calls,
 * which is also what changes the congestion value of that transport.
 */
struct rpcrdma2_ledger {
	u32				cookie;
	u32				granted;
	u32				missing;
	u32				reserved_credits;
	u32				recvs;
	u32				reserved_recvs;
	u32				behind;
	bool				control;
	bool				control_wanted;
	u32				peer_wanted;
	u32				peer_posted;
	u32				peer_granted;
	u32				peer_used;
	struct rpcrdma2_outstanding	out;
};

/**
 * enum rpcrdma2_refusal - why nothing is reserved
 * @RPCRDMA2_RESERVED: it is
 * @RPCRDMA2_NO_CREDITS: too few credits are free
 * @RPCRDMA2_NO_RECVS: too few Receives are free
 */
enum rpcrdma2_refusal {
	RPCRDMA2_RESERVED = 0,
	RPCRDMA2_NO_CREDITS,
	RPCRDMA2_NO_RECVS,
};

void rpcrdma2_ledger_reset(struct rpcrdma2_ledger *l, u32 cookie);
u32 rpcrdma2_ledger_limit(const struct rpcrdma2_ledger *l);
u32 rpcrdma2_ledger_window(const struct rpcrdma2_ledger *l);
u32 rpcrdma2_ledger_share(u32 window);
bool rpcrdma2_ledger_stuck(const struct rpcrdma2_ledger *l, u32 needed);

enum rpcrdma2_refusal rpcrdma2_reserve(struct rpcrdma2_ledger *l, u32 in_use,
				       u32 credits, u32 recvs,
				       struct rpcrdma2_reservation *res);
void rpcrdma2_reservation_begin(u32 cookie, u32 order,
				struct rpcrdma2_reservation *res);
bool rpcrdma2_reservation_leave(const struct rpcrdma2_ledger *l,
				struct rpcrdma2_reservation *res,
				struct rpcrdma2_reservation *left);
void rpcrdma2_unreserve(struct rpcrdma2_ledger *l, u32 credits, u32 recvs);
void rpcrdma2_reserve_behind(struct rpcrdma2_ledger *l, u32 recvs);
void rpcrdma2_reserve_drained(struct rpcrdma2_ledger *l);
u32 rpcrdma2_ledger_repay(struct rpcrdma2_ledger *l,
			  const struct rpcrdma2_reservation *left,
			  bool refused, bool behind);

bool rpcrdma2_ledger_control_get(struct rpcrdma2_ledger *l, u32 in_use,
				 bool insist);
bool rpcrdma2_ledger_control_forget(struct rpcrdma2_ledger *l);
u32 rpcrdma2_ledger_control_put(struct rpcrdma2_ledger *l);

bool rpcrdma2_ledger_peer_begin(struct rpcrdma2_ledger *l, u32 wanted, u32 count);
void rpcrdma2_ledger_peer_end(struct rpcrdma2_ledger *l, u32 cookie, u32 count);
u32 rpcrdma2_ledger_peer_grant(struct rpcrdma2_ledger *l);

u32 rpcrdma2_outstanding_next(struct rpcrdma2_outstanding *calls);
u32 rpcrdma2_outstanding_more(struct rpcrdma2_outstanding *calls, __be32 xid, u32 credits);
bool rpcrdma2_outstanding_sent(struct rpcrdma2_outstanding *calls,
			       const struct rpcrdma2_outstanding_call *call);
u32 rpcrdma2_outstanding_unsent(struct rpcrdma2_outstanding *calls, __be32 xid);
bool rpcrdma2_outstanding_known(struct rpcrdma2_outstanding *calls, __be32 xid,
				bool only_opt);
bool rpcrdma2_outstanding_give_up(struct rpcrdma2_outstanding *calls, __be32 xid);
void rpcrdma2_outstanding_leave(struct rpcrdma2_outstanding *calls,
				const struct rpcrdma2_outstanding_call *call);
enum rpcrdma2_call_was rpcrdma2_outstanding_ended(struct rpcrdma2_outstanding *calls,
						  const struct rpcrdma2_ending *end,
						  struct rpcrdma2_outstanding_call *call);
u32 rpcrdma2_outstanding_repay(struct rpcrdma2_outstanding *calls, u32 order, u32 extra,
			       bool refused);
void rpcrdma2_outstanding_miss(struct rpcrdma2_outstanding *calls,
			       const struct rpcrdma2_ending *end);
void rpcrdma2_outstanding_begin(struct rpcrdma2_outstanding *calls, __be32 xid);
const struct rpcrdma2_ending *
rpcrdma2_outstanding_missed(const struct rpcrdma2_outstanding *calls, __be32 xid, bool opt);
bool rpcrdma2_outstanding_stuck(const struct rpcrdma2_outstanding *calls, u32 more,
				u32 needed, u32 credits);

#endif /* _RPCRDMA2_LEDGER_H */
