/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2, client: what long messages borrow.
 *
 * Every Call has one credit, and one Receive for its reply. One that takes
 * several transmissions borrows more credits, one whose reply may take several
 * borrows Receives. All or nothing: who does not get enough uses explicit RDMA
 * and waits for nobody. No locks and no allocation, so that the same source
 * also builds in user space.
 *
 * The functions are described where they are defined.
 */

#ifndef _RPCRDMA2_LOAN_H
#define _RPCRDMA2_LOAN_H

#include "rpcrdma2_codec.h"

/**
 * struct rpcrdma2_loan - what a Call has borrowed
 * @cookie: the connection it was borrowed on
 * @order: place of the Call among all, see rpcrdma2_calls.h
 * @credits: credits beyond the first one
 * @recvs: Receives beyond the first one
 */
struct rpcrdma2_loan {
	u32	cookie;
	u32	order;
	u32	credits;
	u32	recvs;
};

/**
 * struct rpcrdma2_lender - what can be borrowed on a connection
 * @cookie: the connection
 * @recvs: Receives that are posted beyond one for each credit
 * @recvs_lent: how many of them are lent
 * @credits_lent: credits that are lent
 * @behind: Receives, lent, that the rest of a reply uses up which is being
 *	discarded
 */
struct rpcrdma2_lender {
	u32	cookie;
	u32	recvs;
	u32	recvs_lent;
	u32	credits_lent;
	u32	behind;
};

/**
 * enum rpcrdma2_refusal - why nothing is lent
 * @RPCRDMA2_LENT: it is
 * @RPCRDMA2_NO_CREDITS: too few credits are free
 * @RPCRDMA2_NO_RECVS: too few Receives are free
 */
enum rpcrdma2_refusal {
	RPCRDMA2_LENT = 0,
	RPCRDMA2_NO_CREDITS,
	RPCRDMA2_NO_RECVS,
};

void rpcrdma2_lender_reset(struct rpcrdma2_lender *len, u32 cookie);
u32 rpcrdma2_lender_share(u32 grant);
enum rpcrdma2_refusal rpcrdma2_lend(struct rpcrdma2_lender *len, u32 grant,
				    u32 in_use, u32 credits, u32 recvs,
				    struct rpcrdma2_loan *loan);
void rpcrdma2_loan_begin(u32 cookie, u32 order, struct rpcrdma2_loan *loan);
bool rpcrdma2_loan_leave(const struct rpcrdma2_lender *len,
			 struct rpcrdma2_loan *loan, struct rpcrdma2_loan *left);
void rpcrdma2_lend_back(struct rpcrdma2_lender *len, u32 credits, u32 recvs);
void rpcrdma2_lend_behind(struct rpcrdma2_lender *len, u32 recvs);
void rpcrdma2_lend_drained(struct rpcrdma2_lender *len);

#endif /* _RPCRDMA2_LOAN_H */
