// SPDX-License-Identifier: GPL-2.0
/*
 * What long messages borrow, as the client does it: requests borrow credits and
 * Receives, are sent, answered, refused, killed, answered late, prepared anew, and
 * survive their connection. Books kept here count every credit and Receive: what is
 * taken comes back exactly once, and never to another connection.
 */

#include <string.h>

#include "fuzz.h"
#include "rpcrdma2_calls.h"
#include "rpcrdma2_loan.h"

enum {
	LO_REQS		= 6,
	LO_GIVEN_UP	= 8,
	LO_GRANT	= 72,
	LO_RECVS	= 40,
};

/**
 * struct lo_req - a request
 * @sent: it has its first credit, and waits for an answer
 * @loan: what is tested
 * @xid: its xid; 0 if it is not prepared
 * @credits: credits it has borrowed on this connection
 * @recvs: likewise Receives
 */
struct lo_req {
	bool			sent;
	struct rpcrdma2_loan	loan;
	u32			xid;
	u32			credits;
	u32			recvs;
};

/**
 * struct lo_left - a Call that was given up
 * @xid: its xid; 0 if there is none
 * @credits: credits it left behind, the first one included
 * @recvs: Receives
 */
struct lo_left {
	u32	xid;
	u32	credits;
	u32	recvs;
};

/**
 * struct lo_books - everything
 * @len: what is tested
 * @calls: likewise
 * @reqs: requests
 * @left: Calls that were given up
 * @xid: the last one that was used
 * @grant: credits there are
 * @cong: credits in use
 * @owed: credits that refused Calls have left
 * @behind: Receives that are being drained
 * @draining: a reply is being discarded
 */
struct lo_books {
	struct rpcrdma2_lender	len;
	struct rpcrdma2_calls	calls;
	struct lo_req		reqs[LO_REQS];
	struct lo_left		left[LO_GIVEN_UP];
	u32			xid;
	u32			grant;
	u32			cong;
	u32			owed;
	u32			behind;
	bool			draining;
};

/**
 * lo_check - all is where the books say
 * @b: the books
 */
static void lo_check(const struct lo_books *b)
{
	u32 i, first = 0, credits = b->owed, recvs = b->behind, left = 0;

	for (i = 0; i < LO_REQS; i++) {
		first += b->reqs[i].sent;
		credits += b->reqs[i].credits;
		recvs += b->reqs[i].recvs;
	}
	for (i = 0; i < LO_GIVEN_UP; i++) {
		if (!b->left[i].xid)
			continue;
		first++;
		left += b->left[i].credits;
		credits += b->left[i].credits - 1;
		recvs += b->left[i].recvs;
	}
	require(b->len.credits_lent == credits, "credits that are lent are somewhere");
	require(b->len.recvs_lent == recvs, "Receives that are lent are somewhere");
	require(b->len.behind == b->behind, "Receives of a rest are counted");
	require(b->cong == first + credits, "credits in use are somewhere");
	require(b->calls.debt == b->owed && b->calls.given_up == left,
		"what is left behind is counted");
}

/**
 * lo_settle - a message has ended a Call that has left this
 * @b: the books
 * @order: its place among all
 * @credits: credits beyond the first one
 * @recvs: Receives
 * @refused: it may not have arrived whole
 * @behind: its reply may still be coming
 */
static void lo_settle(struct lo_books *b, u32 order, u32 credits, u32 recvs,
		      bool refused, bool behind)
{
	u32 back = rpcrdma2_calls_settle(&b->calls, order, credits, refused);

	require(back <= credits + b->owed, "no more comes back than was lent");
	require(refused ? !back : back >= credits, "an answered Call owes nothing");
	rpcrdma2_lend_back(&b->len, back, behind ? 0 : recvs);
	if (behind)
		rpcrdma2_lend_behind(&b->len, recvs);
	b->owed += credits - back;
	b->behind += behind ? recvs : 0;
	b->cong -= back;
	trace("  %u credits back, %u owed", back, b->owed);
}

/**
 * lo_leave - what a request has borrowed is not its own any more
 * @b: the books
 * @req: the request
 * @left: OUT: what that was
 */
static void lo_leave(struct lo_books *b, struct lo_req *req, struct rpcrdma2_loan *left)
{
	bool ours = req->loan.cookie == b->len.cookie;

	require(rpcrdma2_loan_leave(&b->len, &req->loan, left) == ours,
		"a loan is of one connection");
	require(left->credits == req->credits && left->recvs == req->recvs,
		"what was lent is what comes back");
	require(!(req->loan.credits + req->loan.recvs), "what has left is gone");
	req->credits = 0;
	req->recvs = 0;
}

/**
 * lo_undo - a request needs nothing any more
 * @b: the books
 * @req: the request
 */
static void lo_undo(struct lo_books *b, struct lo_req *req)
{
	struct rpcrdma2_loan left;

	lo_leave(b, req, &left);
	rpcrdma2_lend_back(&b->len, left.credits, left.recvs);
	b->cong -= left.credits;
}

/**
 * lo_begin - a request is prepared, perhaps anew
 * @b: the books
 * @req: the request, not sent
 */
static void lo_begin(struct lo_books *b, struct lo_req *req)
{
	if (req->sent)
		return;
	lo_undo(b, req);
	rpcrdma2_loan_begin(b->len.cookie, rpcrdma2_calls_next(&b->calls), &req->loan);
	req->xid = ++b->xid;
	trace("begin: xid %u, order %u", req->xid, req->loan.order);
}

/**
 * lo_lend - a request has its first credit, and borrows more
 * @b: the books
 * @req: the request, not sent
 * @in: input
 *
 * Without a loan it goes by explicit RDMA.
 */
static void lo_lend(struct lo_books *b, struct lo_req *req, struct input *in)
{
	u32 credits = input_below(in, 33), recvs = input_below(in, LO_RECVS);
	bool ours = req->loan.cookie == b->len.cookie;
	u32 share = b->grant - b->grant / 4;
	enum rpcrdma2_refusal why;

	if (req->sent || !req->xid || req->credits || req->recvs || b->cong >= b->grant)
		return;
	b->cong++;
	why = rpcrdma2_lend(&b->len, b->grant, b->cong, credits, recvs, &req->loan);
	trace("lend %u credits of %u, %u recvs: %u", credits, b->grant, recvs, why);
	if (why == RPCRDMA2_LENT) {
		require(ours, "nothing is lent to another connection");
		req->credits = credits;
		req->recvs = recvs;
		b->cong += credits;
		require(!credits || (b->cong <= b->grant && b->len.credits_lent <= share &&
				     b->len.credits_lent < b->grant),
			"a part of the credits is never lent");
		require(!recvs || b->len.recvs_lent <= b->len.recvs,
			"no more Receives are lent than there are");
	} else {
		require(!ours || !(req->loan.credits + req->loan.recvs), "all or nothing");
		require(!ours || credits + recvs, "nothing can be lent always");
	}
	req->sent = ours;
	b->cong -= !ours;
}

/**
 * lo_ended - a sent request is answered, or refused
 * @b: the books
 * @req: the request
 * @in: input
 */
static void lo_ended(struct lo_books *b, struct lo_req *req, struct input *in)
{
	bool refused = input_flag(in);
	struct rpcrdma2_loan left;

	if (!req->sent)
		return;
	trace("xid %u ended, refused %u", req->xid, refused);
	lo_leave(b, req, &left);
	lo_settle(b, left.order, left.credits, left.recvs, refused, b->draining);
	req->sent = false;
	req->xid = 0;
	b->cong--;
}

/**
 * lo_room - find room for a Call that is given up
 * @b: the books
 *
 * Return: the room, or NULL
 */
static struct lo_left *lo_room(struct lo_books *b)
{
	u32 i;

	for (i = 0; i < LO_GIVEN_UP; i++)
		if (!b->left[i].xid)
			return &b->left[i];
	return NULL;
}

/**
 * lo_kill - nobody waits for a sent request any more
 * @b: the books
 * @req: the request
 *
 * Its answer may have come just before, and have been missed.
 */
static void lo_kill(struct lo_books *b, struct lo_req *req)
{
	const struct rpcrdma2_ending *end;
	struct lo_left *room = lo_room(b);
	struct rpcrdma2_call call = { };
	struct rpcrdma2_loan left;

	if (!req->sent || !room)
		return;
	lo_leave(b, req, &left);
	end = rpcrdma2_calls_missed(&b->calls, cpu_to_be32(req->xid), true);
	trace("kill xid %u, missed %u", req->xid, !!end);
	if (end) {
		lo_settle(b, left.order, left.credits, left.recvs, end->refused, true);
		b->cong--;
	} else {
		call.xid = cpu_to_be32(req->xid);
		call.opt = true;
		call.order = left.order;
		call.credits = 1 + left.credits;
		call.recvs = left.recvs;
		rpcrdma2_calls_leave(&b->calls, &call);
		*room = (struct lo_left){ req->xid, call.credits, call.recvs };
	}
	req->sent = false;
	req->xid = 0;
}

/**
 * lo_late - a message ends no request; perhaps one that was given up
 * @b: the books
 * @in: input
 * @xid: its xid
 */
static void lo_late(struct lo_books *b, struct input *in, u32 xid)
{
	const struct rpcrdma2_ending end = {
		.xid		= cpu_to_be32(xid),
		.refused	= input_flag(in),
	};
	struct lo_left *left = NULL;
	enum rpcrdma2_call_was was;
	struct rpcrdma2_call call;
	u32 i;

	for (i = 0; i < LO_GIVEN_UP; i++)
		if (xid && b->left[i].xid == xid)
			left = &b->left[i];
	was = rpcrdma2_calls_ended(&b->calls, &end, &call);
	trace("late xid %u: %u", xid, was);
	require(was == (left ? RPCRDMA2_CALL_GIVEN_UP : RPCRDMA2_CALL_UNKNOWN),
		"a Call that was given up ends once");
	if (!left) {
		rpcrdma2_calls_miss(&b->calls, &end);
		return;
	}
	require(call.credits == left->credits && call.recvs == left->recvs,
		"it gives back what it has left");
	lo_settle(b, call.order, call.credits - 1, call.recvs, end.refused, b->draining);
	b->cong--;
	left->xid = 0;
}

/**
 * lo_some_xid - choose a Call
 * @b: the books
 * @in: input
 *
 * Return: an xid, of a request or of a Call that was given up
 */
static u32 lo_some_xid(const struct lo_books *b, struct input *in)
{
	u32 n = input_below(in, LO_REQS + LO_GIVEN_UP);

	return n < LO_REQS ? b->reqs[n].xid : b->left[n - LO_REQS].xid;
}

/**
 * lo_drained - there is no more of a reply that is being discarded
 * @b: the books
 */
static void lo_drained(struct lo_books *b)
{
	trace("drained");
	rpcrdma2_lend_drained(&b->len);
	b->behind = 0;
	b->draining = false;
}

/**
 * lo_reconnect - another connection begins
 * @b: the books
 *
 * Requests are kept, to be sent over the new one.
 */
static void lo_reconnect(struct lo_books *b)
{
	u32 i, cookie = b->len.cookie + 1;

	trace("reconnect");
	memset(&b->len, 0xff, sizeof(b->len));
	rpcrdma2_lender_reset(&b->len, cookie);
	rpcrdma2_calls_reset(&b->calls);
	b->len.recvs = LO_RECVS / 2;
	b->cong = 0;
	b->owed = 0;
	b->behind = 0;
	b->draining = false;
	memset(b->left, 0, sizeof(b->left));
	for (i = 0; i < LO_REQS; i++) {
		b->reqs[i].sent = false;
		b->reqs[i].credits = 0;
		b->reqs[i].recvs = 0;
	}
}

/**
 * lo_step - something happens
 * @b: the books
 * @in: input
 */
static void lo_step(struct lo_books *b, struct input *in)
{
	u32 what = input_byte(in) % 13;
	struct lo_req *req = &b->reqs[input_below(in, LO_REQS)];

	switch (what) {
	case 0:
	case 1:
		lo_begin(b, req);
		break;
	case 2:
	case 3:
		lo_lend(b, req, in);
		break;
	case 4:
		lo_ended(b, req, in);
		break;
	case 5:
		lo_kill(b, req);
		break;
	case 6:
	case 7:
		lo_late(b, in, lo_some_xid(b, in));
		break;
	case 8:
		if (!req->sent)
			lo_undo(b, req);
		break;
	case 9:
		b->draining = true;
		break;
	case 10:
		lo_drained(b);
		break;
	case 11:
		b->grant = input_below(in, LO_GRANT);
		b->len.recvs = input_below(in, LO_RECVS);
		break;
	case 12:
		lo_reconnect(b);
		break;
	}
}

/**
 * lo_drain - let everything be answered; nothing is lent then
 * @b: the books
 */
static void lo_drain(struct lo_books *b)
{
	struct input none = { };
	u32 i;

	for (i = 0; i < LO_REQS; i++) {
		lo_ended(b, &b->reqs[i], &none);
		lo_undo(b, &b->reqs[i]);
	}
	for (i = 0; i < LO_GIVEN_UP; i++)
		lo_late(b, &none, b->left[i].xid);
	b->grant = LO_GRANT + b->cong;
	lo_begin(b, &b->reqs[0]);
	lo_lend(b, &b->reqs[0], &none);
	lo_ended(b, &b->reqs[0], &none);
	lo_drained(b);
	lo_check(b);
	require(!b->cong && !b->owed && !b->len.recvs_lent, "everything comes back");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct lo_books b;
	struct input in;

	input_begin(&in, data, size);
	memset(&b, 0, sizeof(b));
	lo_reconnect(&b);
	b.grant = 1 + input_below(&in, LO_GRANT);
	while (input_left(&in)) {
		lo_step(&b, &in);
		lo_check(&b);
	}
	lo_drain(&b);
	return 0;
}
