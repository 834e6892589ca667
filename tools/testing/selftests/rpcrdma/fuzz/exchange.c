// SPDX-License-Identifier: GPL-2.0
/*
 * Characteristics between two ends that mean well: they state what they are like, ask
 * each other for changes, make and announce them, send Calls, reports and replies
 * meanwhile, cannot post some of it, have no memory, and connect anew. No message is
 * longer than the Receive that it meets, nobody relies on what the other one does not
 * know, and when everything has arrived both know the same.
 */

#include <string.h>

#include "codec_priv.h"
#include "xend.h"

enum {
	/* Messages under way that an end adds to */
	EX_BUSY		= 28,
	/* With the replies to all Calls among them, and to those not answered */
	EX_QUEUE	= 128,
	/* Messages that quiet ends may still have to send, at most */
	EX_REST		= 200,
};

/**
 * struct ex_msg - a message under way
 * @buf: a control message
 * @len: its length, in bytes
 * @control: it is a control message
 * @reply: it answers a Call of the receiver's
 * @epoch: of the Call; of a reply, that of what it answers
 * @relied: how long a reply may be, by the Call
 */
struct ex_msg {
	u8	buf[XEND_BUF];
	u32	len;
	bool	control;
	bool	reply;
	u32	epoch;
	u32	relied;
};

/**
 * struct ex_queue - messages, the oldest first
 * @msgs: these
 * @count: how many
 */
struct ex_queue {
	struct ex_msg	msgs[EX_QUEUE];
	u32		count;
};

/**
 * struct ex_side - an end, and what is on its way to the other one
 * @end: the end
 * @out: messages that were sent
 * @owed: Calls that it has not answered
 * @answer: the answer, if @answers
 * @answers: there is one
 */
struct ex_side {
	struct xend	end;
	struct ex_queue	out;
	struct ex_queue	owed;
	struct ex_msg	answer;
	bool		answers;
};

/**
 * ex_put - put a message into a queue
 * @queue: where
 *
 * Return: the message, all zeros
 */
static struct ex_msg *ex_put(struct ex_queue *queue)
{
	struct ex_msg *msg = &queue->msgs[queue->count++];

	require(queue->count <= EX_QUEUE, "the target knows its sizes");
	memset(msg, 0, sizeof(*msg));
	return msg;
}

/**
 * ex_put_control - put a control message into a queue
 * @queue: where
 *
 * Return: the message, to be written
 */
static struct ex_msg *ex_put_control(struct ex_queue *queue)
{
	struct ex_msg *msg = ex_put(queue);

	msg->control = true;
	return msg;
}

/**
 * ex_get - take the oldest message out of a queue
 * @queue: where
 * @msg: OUT: the message
 */
static void ex_get(struct ex_queue *queue, struct ex_msg *msg)
{
	*msg = queue->msgs[0];
	memmove(&queue->msgs[0], &queue->msgs[1], --queue->count * sizeof(*msg));
}

/**
 * ex_state - an end says what it is like
 * @side: the end
 */
static void ex_state(struct ex_side *side)
{
	const struct rpcrdma2_hdr hdr = { .xid = 1, .credit = 1, .dir = RDMA2_CALL };
	struct ex_msg *msg;

	if (side->end.xch.xc_stated)
		return;
	trace("  state");
	side->end.xch.xc_stated = true;
	msg = ex_put_control(&side->out);
	msg->len = rpcrdma2_encode_initxch(msg->buf, XEND_BUF, &hdr, &side->end.xch.xc_local);
}

/**
 * ex_call - an end sends a Call
 * @side: the end
 *
 * It is as long as can be, and relies on a reply that is. The statement goes first.
 */
static void ex_call(struct ex_side *side)
{
	struct ex_msg *msg;

	if (!side->end.xch.xc_stated)
		return;
	msg = ex_put(&side->out);
	msg->len = rpcrdma2_xch_send_limit(&side->end.xch);
	msg->epoch = side->end.xch.xc_epoch;
	msg->relied = rpcrdma2_xch_recv_limit(&side->end.xch);
	side->end.calls++;
	trace("  call of %u, epoch %u, relies on %u", msg->len, msg->epoch, msg->relied);
}

/**
 * ex_reply - an end answers the oldest Call
 * @side: the end
 *
 * Who does not ask for shorter Receives can always do what a Call relies on.
 */
static void ex_reply(struct ex_side *side)
{
	struct ex_msg call, *msg;

	if (!side->owed.count)
		return;
	ex_get(&side->owed, &call);
	msg = ex_put(&side->out);
	msg->reply = true;
	msg->epoch = call.epoch;
	msg->len = rpcrdma2_xch_send_limit(&side->end.xch);
	trace("  reply of %u", msg->len);
	require(side->end.xch.xc_ops->asks_lower || side->end.outdone ||
		msg->len >= call.relied, "what is relied on can be sent");
}

/**
 * ex_ctrl - an end sends what is due
 * @side: the end
 * @sent: it can be posted
 */
static void ex_ctrl(struct ex_side *side, bool sent)
{
	struct ex_msg *msg;

	if (sent) {
		msg = ex_put_control(&side->out);
		msg->len = xend_encode(&side->end, msg->buf);
	}
	xend_posted(&side->end, sent);
}

/**
 * ex_answer - an end sends the answer that it owes
 * @side: the end
 *
 * Both ends have a lock for that, so that no message is taken and not posted yet.
 */
static void ex_answer(struct ex_side *side)
{
	if (!side->answers || side->end.taken)
		return;
	trace("  answer");
	*ex_put(&side->out) = side->answer;
	xend_answered(&side->end);
	side->answers = false;
}

/**
 * ex_reqxch - a request arrives
 * @side: end that receives it
 * @msg: its header
 * @buf: its bytes
 *
 * The client answers where it receives; a thread of the server does, later.
 */
static void ex_reqxch(struct ex_side *side, const struct rpcrdma2_msg *msg, const u8 *buf)
{
	struct rpcrdma2_hdr hdr = { .xid = msg->xid, .credit = 1, .dir = RDMA2_REPLY };
	struct rpcrdma2_respxch resp;
	struct rpcrdma2_reqxch req;

	require(!rpcrdma2_decode_reqxch(buf, msg, &req), "a request parses");
	require(!side->answers, "one request is open at a time");
	xend_asked(&side->end, &req, &resp);
	side->answer.control = true;
	side->answer.len = rpcrdma2_encode_respxch(side->answer.buf, XEND_BUF, &hdr, &resp);
	side->answers = true;
	if (side->end.xch.xc_ops->end == RPCRDMA2_STATED_BY_CLIENT)
		ex_answer(side);
}

/**
 * ex_control - a control message arrives
 * @side: end that receives it
 * @fl: the message
 */
static void ex_control(struct ex_side *side, const struct ex_msg *fl)
{
	struct rpcrdma2_respxch resp;
	struct rpcrdma2_updxch upd;
	struct rpcrdma2_xchars xc;
	struct rpcrdma2_msg msg;

	require(rpcrdma2_decode(fl->buf, fl->len, &xend_limits, &msg) == RPCRDMA2_OK,
		"what was sent is sound");
	trace("  control %u arrives", msg.opt.type);
	switch (msg.opt.type) {
	case ROPT_INITXCH:
		rpcrdma2_xchars_default(&xc);
		require(!rpcrdma2_decode_initxch(fl->buf, &msg, &xc) &&
			rpcrdma2_xch_initxch(&side->end.xch, &xc), "it is stated once");
		break;
	case ROPT_REQXCH:
		ex_reqxch(side, &msg, fl->buf);
		break;
	case ROPT_RESPXCH:
		require(!rpcrdma2_decode_respxch(fl->buf, &msg, &resp) &&
			rpcrdma2_xch_respxch(&side->end.xch, msg.xid, &resp),
			"an answer answers something");
		break;
	case ROPT_UPDXCH:
		require(!rpcrdma2_decode_updxch(fl->buf, &msg, &upd), "an announcement parses");
		xend_told(&side->end, &upd);
		break;
	}
}

/**
 * ex_arrive - the oldest message arrives
 * @from: end that has sent it
 * @to: end that it is for
 * @in: input, or NULL if nothing goes wrong
 */
static void ex_arrive(struct ex_side *from, struct ex_side *to, struct input *in)
{
	struct ex_msg msg;

	if (!from->out.count || !to->end.nposted)
		return;
	ex_get(&from->out, &msg);
	xend_consume(&to->end, msg.len);
	if (msg.control) {
		ex_control(to, &msg);
	} else if (msg.reply) {
		rpcrdma2_xch_confirm(&to->end.xch, msg.epoch);
		to->end.calls--;
	} else {
		*ex_put(&to->owed) = msg;
	}
	rpcrdma2_xch_progress(&to->end.xch);
	xend_post(&to->end, in);
}

/**
 * ex_connect - both ends begin
 * @side: the ends
 * @in: input
 */
static void ex_connect(struct ex_side *side, struct input *in)
{
	u32 i;

	trace("connect");
	for (i = 0; i < 2; i++) {
		xend_begin(&side[i].end, !i, 0x01000000 * (i + 1), in);
		side[i].out.count = 0;
		side[i].owed.count = 0;
		side[i].answers = false;
	}
}

/**
 * ex_act - an end does something
 * @side: the ends
 * @n: which one
 * @in: input
 */
static void ex_act(struct ex_side *side, u32 n, struct input *in)
{
	struct ex_side *me = &side[n], *peer = &side[!n];
	bool room = me->out.count + me->owed.count < EX_BUSY &&
		    peer->owed.count + me->out.count < EX_BUSY;
	u32 what = input_below(in, 16);

	trace("%s:", n ? "server" : "client");
	switch (what) {
	case 0:
		ex_state(me);
		break;
	case 1:
		xend_ask(&me->end, in);
		break;
	case 2:
	case 3:
		xend_own(&me->end, in);
		break;
	case 4:
	case 5:
		if (room && xend_take(&me->end))
			ex_ctrl(me, true);
		break;
	case 6:
		xend_take(&me->end);
		break;
	case 7:
		if (room && me->end.taken)
			ex_ctrl(me, !input_flag(in));
		break;
	case 8:
		if (room)
			ex_call(me);
		break;
	case 9:
		ex_reply(me);
		break;
	case 10:
		if (room)
			ex_answer(me);
		break;
	case 11:
		xend_report(&me->end, in);
		break;
	default:
		ex_arrive(peer, me, in);
	}
	xend_check(&me->end);
}

/**
 * ex_rest - an end does what is left to do
 * @me: the end
 * @peer: the other one
 *
 * Return: %true if there was something
 */
static bool ex_rest(struct ex_side *me, struct ex_side *peer)
{
	bool some = peer->out.count || me->owed.count || me->answers;

	ex_arrive(peer, me, NULL);
	ex_reply(me);
	xend_supply(&me->end);
	if (me->end.taken || xend_take(&me->end)) {
		ex_ctrl(me, true);
		some = true;
	}
	ex_answer(me);
	rpcrdma2_xch_progress(&me->end.xch);
	xend_check(&me->end);
	return some;
}

/**
 * ex_agree - does an end know what the other one is like?
 * @me: the end
 * @peer: the other one
 */
static void ex_agree(const struct ex_side *me, const struct ex_side *peer)
{
	const struct rpcrdma2_xch *xch = &me->end.xch;
	u32 n;

	require(!xch->xc_req_open && !xch->xc_requested && !me->end.calls,
		"everything is answered");
	require(xch->xc_pending == peer->end.xch.xc_busy, "who was told to wait is waited for");
	require(!xch->xc_counts[RPCRDMA2_XE_UPDXCH_ODD], "nothing odd was announced");
	require(me->end.scarce || !(xch->xc_own | xch->xc_busy),
		"with memory, what was begun needs nothing else to come to an end (C6)");
	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++)
		if (n != RPCRDMA2_RBSTRUCT)
			require(rpcrdma2_xchar_value(&xch->xc_peer, n) ==
				rpcrdma2_xchar_value(&peer->end.xch.xc_local, n),
				"what is so is known");
	require(peer->end.xch.xc_counts[RPCRDMA2_XE_UPDXCH_SENT] >=
		xch->xc_counts[RPCRDMA2_XE_UPDXCH_RECEIVED] &&
		peer->end.xch.xc_counts[RPCRDMA2_XE_REQXCH_SENT] >=
		xch->xc_counts[RPCRDMA2_XE_REQXCH_RECEIVED], "what arrives was sent");
}

/**
 * ex_settle - let everything arrive
 * @side: the ends
 *
 * Reports are posted. After that there is an end to what they have to say (C6).
 */
static void ex_settle(struct ex_side *side)
{
	struct input none = { };
	u32 i, rest = 0;
	bool some = true;

	trace("settle");
	for (i = 0; i < 2; i++) {
		if (side[i].end.reporting)
			xend_report(&side[i].end, &none);
		xend_post(&side[i].end, NULL);
		ex_state(&side[i]);
	}
	while (some) {
		some = ex_rest(&side[0], &side[1]);
		some |= ex_rest(&side[1], &side[0]);
		require(rest++ < EX_REST, "there is an end to what they have to say");
	}
	ex_agree(&side[0], &side[1]);
	ex_agree(&side[1], &side[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ex_side side[2];
	struct input in;
	u32 what;

	input_begin(&in, data, size);
	memset(&side[0].end, 0, sizeof(side[0].end));
	memset(&side[1].end, 0, sizeof(side[1].end));
	ex_connect(side, &in);
	while (input_left(&in)) {
		what = input_byte(&in);
		if (what == 255)
			ex_connect(side, &in);
		else
			ex_act(side, what & 1, &in);
	}
	ex_settle(side);
	return 0;
}
