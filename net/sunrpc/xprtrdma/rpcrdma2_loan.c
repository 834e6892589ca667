// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2, client: what long messages borrow.
 *
 * Invariants:
 *
 * B1. What is lent is in one place: with a Call, with one that was given up, or
 *     owed until a later Call is answered (both: rpcrdma2_calls.c), or with the
 *     rest of a reply that is being discarded.
 * B2. At least one credit is never lent, and a quarter of four or more: Calls
 *     that need only one do not wait for long ones.
 * B3. A loan of another connection counts for nothing.
 */

#include "rpcrdma2_codec_priv.h"
#include "rpcrdma2_loan.h"

/**
 * rpcrdma2_lender_reset - begin a connection
 * @len: OUT: nothing is lent, and there is nothing to lend but credits
 * @cookie: the connection
 */
void rpcrdma2_lender_reset(struct rpcrdma2_lender *len, u32 cookie)
{
	memset(len, 0, sizeof(*len));
	len->cookie = cookie;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_lender_reset);

/**
 * rpcrdma2_lender_share - how many credits may be lent at all
 * @grant: credits there are
 *
 * Return: the number (B2)
 */
u32 rpcrdma2_lender_share(u32 grant)
{
	return min_t(u32, grant - grant / 4, max_t(u32, grant, 1) - 1);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_lender_share);

/**
 * rpcrdma2_loan_begin - a Call is being prepared, perhaps not for the first time
 * @cookie: connection that the Call is going to be sent over
 * @order: its place among all Calls of that
 * @loan: OUT: nothing is borrowed yet
 */
void rpcrdma2_loan_begin(u32 cookie, u32 order, struct rpcrdma2_loan *loan)
{
	loan->cookie = cookie;
	loan->order = order;
	loan->credits = 0;
	loan->recvs = 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_loan_begin);

/**
 * rpcrdma2_lend - lend all that a Call needs, or nothing
 * @len: what there is
 * @grant: credits there are
 * @in_use: credits that are in use, that of this Call and lent ones included
 * @credits: how many more it needs
 * @recvs: how many Receives more than one
 * @loan: what it has borrowed; it begins with nothing
 *
 * Serves C-17, C-18, C-22, C-25.
 *
 * Return: RPCRDMA2_LENT, or why not
 */
enum rpcrdma2_refusal rpcrdma2_lend(struct rpcrdma2_lender *len, u32 grant,
				    u32 in_use, u32 credits, u32 recvs,
				    struct rpcrdma2_loan *loan)
{
	if (loan->cookie != len->cookie)
		return RPCRDMA2_NO_CREDITS;
	if (credits && (in_use > grant || credits > grant - in_use ||
			credits + len->credits_lent >
			rpcrdma2_lender_share(grant)))
		return RPCRDMA2_NO_CREDITS;
	if (recvs > len->recvs - min_t(u32, len->recvs, len->recvs_lent))
		return RPCRDMA2_NO_RECVS;
	len->credits_lent += credits;
	len->recvs_lent += recvs;
	loan->credits = credits;
	loan->recvs = recvs;
	return RPCRDMA2_LENT;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_lend);

/**
 * rpcrdma2_loan_leave - what a Call has borrowed is not its own any more
 * @len: what there is
 * @loan: what the Call has borrowed; nothing any more
 * @left: OUT: what that was; nothing if another connection has lent it
 *
 * It goes to where it is kept after the Call, or back by rpcrdma2_lend_back().
 *
 * Return: %true if @left comes from this connection
 */
bool rpcrdma2_loan_leave(const struct rpcrdma2_lender *len,
			 struct rpcrdma2_loan *loan, struct rpcrdma2_loan *left)
{
	bool ours = loan->cookie == len->cookie;

	*left = *loan;
	loan->credits = 0;
	loan->recvs = 0;
	if (!ours) {
		left->credits = 0;
		left->recvs = 0;
	}
	return ours;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_loan_leave);

/**
 * rpcrdma2_lend_back - what was lent is back
 * @len: what there is
 * @credits: how many credits; they are the caller's to release
 * @recvs: how many Receives
 */
void rpcrdma2_lend_back(struct rpcrdma2_lender *len, u32 credits, u32 recvs)
{
	len->credits_lent -= credits;
	len->recvs_lent -= recvs;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_lend_back);

/**
 * rpcrdma2_lend_behind - the Call is over, but its reply is still coming
 * @len: what there is
 * @recvs: how many Receives it had borrowed
 */
void rpcrdma2_lend_behind(struct rpcrdma2_lender *len, u32 recvs)
{
	len->behind += recvs;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_lend_behind);

/**
 * rpcrdma2_lend_drained - there is no more of such a reply
 * @len: what there is
 */
void rpcrdma2_lend_drained(struct rpcrdma2_lender *len)
{
	rpcrdma2_lend_back(len, 0, len->behind);
	len->behind = 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_lend_drained);
