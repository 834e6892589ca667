// SPDX-License-Identifier: GPL-2.0
/*
 * Credits and Receives, as the client has them: requests reserve some, are sent,
 * answered, refused, killed, answered late, prepared anew, and survive their
 * connection; our own request takes a credit; the peer sends Calls, too. Books kept
 * here count every credit and Receive: what is taken comes back exactly once, and
 * never to another connection.
 */

#include <string.h>

#include "fuzz.h"
#include "ledger.h"

enum {
	LO_REQS		= 6,
	LO_GIVEN_UP	= 8,
	LO_GRANT	= 72,
	LO_RECVS	= 40,
	LO_PEER		= 12,
	/* Steps are counted by bytes below this, others are the ones that came later */
	LO_MORE		= 234,
};

/**
 * struct lo_req - a request
 * @sent: it has its first credit, and waits for an answer
 * @res: what is tested
 * @xid: its xid; 0 if it is not prepared
 * @credits: credits it has reserved on this connection
 * @recvs: likewise Receives
 */
struct lo_req {
	bool			sent;
	struct rpcrdma2_reservation	res;
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
 * @l: what is tested
 * @reqs: requests
 * @left: Calls that were given up
 * @xid: the last one that was used
 * @grant: credits that the peer has granted
 * @missing: Receives that are missing for them
 * @control: our own request holds a credit
 * @waits: it waits for one
 * @cong: credits in use
 * @owed: credits that refused Calls have left
 * @behind: Receives that are being drained
 * @draining: a reply is being discarded
 * @told: most credits that the peer was told of
 * @peer: credits that Calls of the peer hold
 */
struct lo_books {
	struct rpcrdma2_ledger	l;
	struct lo_req		reqs[LO_REQS];
	struct lo_left		left[LO_GIVEN_UP];
	u32			xid;
	u32			grant;
	u32			missing;
	bool			control;
	bool			waits;
	u32			cong;
	u32			owed;
	u32			behind;
	bool			draining;
	u32			told;
	u32			peer;
};

/* Credits that may be in use */
static u32 lo_limit(const struct lo_books *b)
{
	return b->missing + 1 < b->grant ? b->grant - b->missing : 1;
}

/* Those of them that are for RPCs */
static u32 lo_window(const struct lo_books *b)
{
	u32 limit = lo_limit(b);

	return b->waits && limit > 1 ? limit - 1 : limit;
}

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
	require(b->l.reserved_credits == credits, "credits that are reserved are somewhere");
	require(b->l.reserved_recvs == recvs, "Receives that are reserved are somewhere");
	require(b->l.behind == b->behind, "Receives of a rest are counted");
	require(b->cong == first + credits + b->control, "credits in use are somewhere");
	require(rpcrdma2_ledger_limit(&b->l) == lo_limit(b) &&
		rpcrdma2_ledger_window(&b->l) == lo_window(b),
		"one credit at most is kept from RPCs, and never the only one");
	left += b->owed + b->control;
	require(rpcrdma2_ledger_stuck(&b->l, 1) == (left && left >= lo_window(b)),
		"it is known when nobody but the peer can bring a credit");
	left -= b->owed + b->control;
	require(b->l.peer_used == b->peer && b->peer <= b->told,
		"the peer uses no more than it was told of");
	require(b->l.out.debt == b->owed && b->l.out.given_up == left,
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
	const struct rpcrdma2_reservation left = {
		.order		= order,
		.credits	= credits,
		.recvs		= recvs,
	};
	u32 back = rpcrdma2_ledger_repay(&b->l, &left, refused, behind);

	require(back <= credits + b->owed, "no more comes back than was lent");
	require(refused ? !back : back >= credits, "an answered Call owes nothing");
	b->owed += credits - back;
	b->behind += behind ? recvs : 0;
	b->cong -= back;
	trace("  %u credits back, %u owed", back, b->owed);
}

/**
 * lo_leave - what a request has reserved is not its own any more
 * @b: the books
 * @req: the request
 * @left: OUT: what that was
 */
static void lo_leave(struct lo_books *b, struct lo_req *req, struct rpcrdma2_reservation *left)
{
	bool ours = req->res.cookie == b->l.cookie;

	require(rpcrdma2_reservation_leave(&b->l, &req->res, left) == ours,
		"what is reserved is of one connection");
	require(left->credits == req->credits && left->recvs == req->recvs,
		"what was lent is what comes back");
	require(!(req->res.credits + req->res.recvs), "what has left is gone");
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
	struct rpcrdma2_reservation left;

	lo_leave(b, req, &left);
	rpcrdma2_unreserve(&b->l, left.credits, left.recvs);
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
	rpcrdma2_reservation_begin(b->l.cookie, rpcrdma2_outstanding_next(&b->l.out), &req->res);
	req->xid = ++b->xid;
	trace("begin: xid %u, order %u", req->xid, req->res.order);
}

/**
 * lo_lend - a request has its first credit, and borrows more
 * @b: the books
 * @req: the request, not sent
 * @in: input
 *
 * Without a res it goes by explicit RDMA.
 */
static void lo_lend(struct lo_books *b, struct lo_req *req, struct input *in)
{
	u32 credits = input_below(in, 33), recvs = input_below(in, LO_RECVS);
	bool ours = req->res.cookie == b->l.cookie;
	u32 window = lo_window(b), share = window - window / 4;
	enum rpcrdma2_refusal why;

	if (req->sent || !req->xid || req->credits || req->recvs || b->cong >= window)
		return;
	b->cong++;
	why = rpcrdma2_reserve(&b->l, b->cong, credits, recvs, &req->res);
	trace("lend %u credits of %u, %u recvs: %u", credits, window, recvs, why);
	if (why == RPCRDMA2_RESERVED) {
		require(ours, "nothing is lent to another connection");
		req->credits = credits;
		req->recvs = recvs;
		b->cong += credits;
		require(!credits || (b->cong <= window && b->l.reserved_credits <= share &&
				     b->l.reserved_credits < window),
			"a part of the credits is never lent");
		require(!recvs || b->l.reserved_recvs <= b->l.recvs,
			"no more Receives are lent than there are");
	} else {
		require(!ours || !(req->res.credits + req->res.recvs), "all or nothing");
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
	struct rpcrdma2_reservation left;

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
	struct rpcrdma2_outstanding_call call = { };
	struct rpcrdma2_reservation left;

	if (!req->sent || !room)
		return;
	lo_leave(b, req, &left);
	end = rpcrdma2_outstanding_missed(&b->l.out, cpu_to_be32(req->xid), true);
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
		rpcrdma2_outstanding_leave(&b->l.out, &call);
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
	struct rpcrdma2_outstanding_call call;
	u32 i;

	for (i = 0; i < LO_GIVEN_UP; i++)
		if (xid && b->left[i].xid == xid)
			left = &b->left[i];
	was = rpcrdma2_outstanding_ended(&b->l.out, &end, &call);
	trace("late xid %u: %u", xid, was);
	require(was == (left ? RPCRDMA2_CALL_GIVEN_UP : RPCRDMA2_CALL_UNKNOWN),
		"a Call that was given up ends once");
	if (!left) {
		rpcrdma2_outstanding_miss(&b->l.out, &end);
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
	rpcrdma2_reserve_drained(&b->l);
	b->behind = 0;
	b->draining = false;
}

/**
 * lo_grant - the peer grants credits, or some are not covered any more
 * @b: the books
 * @grant: how many there are
 * @missing: Receives that are missing for them
 */
static void lo_grant(struct lo_books *b, u32 grant, u32 missing)
{
	trace("grant: %u, %u missing", grant, missing);
	b->grant = grant;
	b->missing = missing;
	b->l.granted = grant;
	b->l.missing = missing;
}

/**
 * lo_control_get - our own request takes a credit, if there is one
 * @b: the books
 * @insist: it waits if there is none
 */
static void lo_control_get(struct lo_books *b, bool insist)
{
	bool taken = rpcrdma2_ledger_control_get(&b->l, b->cong, insist);

	trace("control %u: %u", insist, taken);
	require(taken == (!b->control && b->cong < lo_limit(b)), "a free credit is taken, and one only");
	b->waits = !b->control && !taken && (b->waits || insist);
	b->control |= taken;
	b->cong += taken;
}

/**
 * lo_control_put - our own request is answered
 * @b: the books
 */
static void lo_control_put(struct lo_books *b)
{
	u32 back = rpcrdma2_ledger_control_put(&b->l);

	trace("control put: %u", back);
	require(back == b->control, "what was taken comes back once");
	b->control = false;
	b->cong -= back;
}

/**
 * lo_control_forget - there is no request of our own any more
 * @b: the books
 */
static void lo_control_forget(struct lo_books *b)
{
	bool waited = rpcrdma2_ledger_control_forget(&b->l);

	require(waited == b->waits, "it is known what waits");
	if (waited)
		trace("control forget");
	b->waits = false;
}

/**
 * lo_peer_grant - the peer is told how many credits it has
 * @b: the books
 * @posted: Receives there are for its Calls
 */
static void lo_peer_grant(struct lo_books *b, u32 posted)
{
	u32 grant;

	b->l.peer_posted = posted;
	grant = rpcrdma2_ledger_peer_grant(&b->l);
	trace("peer: %u posted, %u granted", posted, grant);
	require(grant && grant <= posted && grant <= b->l.peer_wanted,
		"the peer gets what it wants, and there are Receives for");
	if (grant > b->told)
		b->told = grant;
}

/**
 * lo_peer_begin - the peer sends a Call
 * @b: the books
 * @in: input
 */
static void lo_peer_begin(struct lo_books *b, struct input *in)
{
	u32 wanted = 1 + input_below(in, LO_PEER), count = 1 + input_below(in, 4);
	bool taken = rpcrdma2_ledger_peer_begin(&b->l, wanted, count);

	trace("peer: %u of %u used, %u more: %u", b->peer, b->told, count, taken);
	require(taken == (b->peer + count <= b->told), "the peer may use what it was told of");
	b->peer += taken ? count : 0;
}

/**
 * lo_peer_end - a Call of the peer is answered
 * @b: the books
 * @in: input
 */
static void lo_peer_end(struct lo_books *b, struct input *in)
{
	u32 old = input_flag(in), count = input_below(in, b->peer + 1);

	trace("peer: %u back, old %u", count, old);
	rpcrdma2_ledger_peer_end(&b->l, b->l.cookie - old, count);
	b->peer -= old ? 0 : count;
}

/**
 * lo_reconnect - another connection begins
 * @b: the books
 *
 * Requests are kept, to be sent over the new one.
 */
static void lo_reconnect(struct lo_books *b)
{
	u32 i, cookie = b->l.cookie + 1;

	trace("reconnect");
	memset(&b->l, 0xff, sizeof(b->l));
	rpcrdma2_ledger_reset(&b->l, cookie);
	b->l.recvs = LO_RECVS / 2;
	lo_grant(b, b->grant, 0);
	b->control = false;
	b->waits = false;
	b->told = 1;
	b->peer = 0;
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
 * lo_more - something else happens
 * @b: the books
 * @in: input
 * @what: which
 */
static void lo_more(struct lo_books *b, struct input *in, u32 what)
{
	switch (what) {
	case 0:
		lo_control_get(b, input_flag(in));
		break;
	case 1:
		if (b->control)
			lo_control_put(b);
		else
			lo_control_forget(b);
		break;
	case 2:
		lo_grant(b, b->grant, input_below(in, LO_GRANT));
		break;
	case 3:
		lo_peer_begin(b, in);
		break;
	case 4:
		lo_peer_end(b, in);
		break;
	case 5:
		lo_peer_grant(b, 1 + input_below(in, LO_PEER));
		break;
	}
}

/**
 * lo_step - something happens
 * @b: the books
 * @in: input
 */
static void lo_step(struct lo_books *b, struct input *in)
{
	u32 what = input_byte(in);
	struct lo_req *req = &b->reqs[input_below(in, LO_REQS)];

	if (what >= LO_MORE)
		return lo_more(b, in, (what - LO_MORE) % 6);
	switch (what % 13) {
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
		lo_grant(b, input_below(in, LO_GRANT), b->missing);
		b->l.recvs = input_below(in, LO_RECVS);
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
	lo_control_put(b);
	lo_grant(b, LO_GRANT + b->cong, 0);
	lo_begin(b, &b->reqs[0]);
	lo_lend(b, &b->reqs[0], &none);
	lo_ended(b, &b->reqs[0], &none);
	lo_drained(b);
	lo_check(b);
	require(!b->cong && !b->owed && !b->l.reserved_recvs, "everything comes back");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct lo_books b;
	struct input in;

	input_begin(&in, data, size);
	memset(&b, 0, sizeof(b));
	lo_reconnect(&b);
	lo_grant(&b, 1 + input_below(&in, LO_GRANT), 0);
	while (input_left(&in)) {
		lo_step(&b, &in);
		lo_check(&b);
	}
	lo_drain(&b);
	return 0;
}
