// SPDX-License-Identifier: GPL-2.0
/*
 * Connections that share memory for Receives, and their peers. Calls, replies and what
 * a server asks to have its peers confirm take time, in both directions: a peer acts on
 * a grant that the server has lowered long ago. Books kept here say what may still come
 * for whatever the peer does next, and there have to be Receives for that.
 */

#include <string.h>

#include <linux/minmax.h>

#include "fuzz.h"
#include "pool.h"

enum {
	PO_CONNS	= 4,
	PO_SHARES	= 2,
	PO_EXTRA	= 7,
	PO_GROUP	= 17,
	/* Messages under way in one direction, or Calls that are served */
	PO_QUEUE	= 64,
	/* Receives of a connection, at most */
	PO_RING		= 4096,
};

static const struct rpcrdma2_pool_rules po_rules = {
	.plain_kb = 4, .block_kb = 68, .extra = PO_EXTRA, .first = 1, .rest = 8, .pause = 21,
	.most = 256, .hold = 2, .still = 4, .idle = 6, .gone = 20,
};

/**
 * struct po_msg - a message under way
 * @credits: of a Call, those it takes; of a reply, those it ends; 0 for a request of
 *	the server, or the answer to that
 * @grant: what a reply grants
 * @replies: how many replies had been posted before a request of the server
 */
struct po_msg {
	u32	credits;
	u32	grant;
	u32	replies;
};

struct po_fifo {
	struct po_msg	msgs[PO_QUEUE];
	u32		count;
};

/**
 * struct po_conn - a connection
 * @m: its membership
 * @ring: kinds of what is posted, the oldest at @first
 * @first: likewise
 * @posted: how many there are
 * @came: buffers that were asked for and are not posted
 * @calls: credits of Calls that are being served; @kinds of buffers they hold
 * @kinds: likewise
 * @unanswered: their sum
 * @replies: that have been posted
 * @asking: a request of the server is under way
 * @up: to the server
 * @down: to the peer
 * @grant: that the peer knows of
 * @out: credits that its Calls hold
 */
struct po_conn {
	struct rpcrdma2_member	m;
	u8			ring[PO_RING];
	u32			first;
	u32			posted;
	u32			came;
	struct po_fifo		calls;
	u32			kinds[RPCRDMA2_POOL_KINDS];
	u32			unanswered;
	u32			replies;
	bool			asking;
	struct po_fifo		up;
	struct po_fifo		down;
	u32			grant;
	u32			out;
};

struct po_books {
	struct rpcrdma2_pool	pool;
	struct rpcrdma2_share	shares[PO_SHARES];
	struct po_conn		conns[PO_CONNS];
};

static bool po_put(struct po_fifo *f, struct po_msg msg)
{
	if (f->count == PO_QUEUE)
		return false;
	f->msgs[f->count++] = msg;
	return true;
}

/* Takes message @nr out, whose place the others close up to */
static struct po_msg po_take(struct po_fifo *f, u32 nr)
{
	struct po_msg msg = f->msgs[nr];

	memmove(&f->msgs[nr], &f->msgs[nr + 1], (--f->count - nr) * sizeof(msg));
	return msg;
}

static void po_push(struct po_conn *c, u32 kind)
{
	require(c->posted < PO_RING, "buffers are bounded");
	c->ring[(c->first + c->posted++) % PO_RING] = kind;
}

static u32 po_pop(struct po_conn *c)
{
	u32 kind = c->ring[c->first];

	require(c->posted, "there is a Receive for each message");
	c->first = (c->first + 1) % PO_RING;
	c->posted--;
	return kind;
}

/**
 * po_may_come - how many Receives the peer may still use up
 * @c: connection
 *
 * It can send as soon as it is granted more, and before it learns that it is not.
 */
static u32 po_may_come(const struct po_conn *c)
{
	u32 i, grant = c->grant, out = c->out, coming = 0, most;

	for (i = 0; i < c->up.count; i++)
		coming += c->up.msgs[i].credits;
	most = grant > out ? grant - out : 0;
	for (i = 0; i < c->down.count; i++) {
		if (!c->down.msgs[i].credits)
			continue;
		out -= c->down.msgs[i].credits;
		grant = c->down.msgs[i].grant;
		most = max_t(u32, most, grant > out ? grant - out : 0);
	}
	return coming + most;
}

static void po_check(const struct po_books *b)
{
	const struct po_conn *c;
	u32 i, sum = 0;

	for (i = 0; i < PO_CONNS; i++) {
		c = &b->conns[i];
		sum += rpcrdma2_pool_charged(&b->pool, &c->m);
		require(c->posted >= po_may_come(c) + PO_EXTRA - c->asking,
			"Receives are posted for all that may come");
		require(c->m.bufs[0] + c->m.bufs[1] == c->posted + c->kinds[0] + c->kinds[1] + c->came,
			"each buffer is somewhere");
		require(c->m.authentic || c->m.target <= 1, "a stranger has little");
		require(c->m.target <= po_rules.most, "no more credits than there are");
	}
	require(sum == b->pool.used_kb, "what is charged adds up");
	require(sum == b->shares[0].used_kb + b->shares[1].used_kb, "and so it does by address");
	require(b->pool.used_kb <= b->pool.budget_kb, "memory stays within the budget");
}

static void po_release(struct po_books *b, struct po_conn *c, u32 kind)
{
	u32 needed = rpcrdma2_pool_needed(&b->pool, &c->m, c->unanswered);

	if (rpcrdma2_pool_keep(&b->pool, &c->m, kind, c->posted < needed))
		po_push(c, kind);
	else
		rpcrdma2_pool_drop(&b->pool, &c->m, kind, 1);
}

static void po_post(struct po_conn *c, u32 kind, u32 count)
{
	rpcrdma2_pool_posted(&c->m, count);
	while (count--)
		po_push(c, kind);
}

static void po_begin(struct po_books *b, u32 nr)
{
	struct po_conn *c = &b->conns[nr];

	memset(c, 0, sizeof(*c));
	c->grant = 1;
	po_post(c, RPCRDMA2_POOL_PLAIN,
		rpcrdma2_pool_join(&b->pool, &b->shares[nr % PO_SHARES], &c->m));
}

/* Buffers are there that were asked for, or they are not */
static void po_come(struct po_books *b, struct po_conn *c, bool failed)
{
	u32 count = c->came, kind = c->m.kind;

	c->came = 0;
	if (!failed) {
		po_post(c, kind, count);
		return;
	}
	rpcrdma2_pool_failed(&b->pool, &c->m, kind, count);
	if (c->m.target < po_rules.first)
		po_post(c, RPCRDMA2_POOL_PLAIN, rpcrdma2_pool_plain(&b->pool, &c->m));
}

/* The peer sends a Call, if it may */
static void po_call(struct po_conn *c, bool group)
{
	struct po_msg msg = { .credits = group ? PO_GROUP : 1 };

	if (c->out + msg.credits > c->grant || !po_put(&c->up, msg))
		return;
	trace("call of %u", msg.credits);
	c->out += msg.credits;
}

/* The answer to a request of the server: the peer knows what it was told before */
static void po_confirm(struct po_books *b, struct po_conn *c, const struct po_msg *msg)
{
	c->asking = false;
	if (msg->replies == c->replies)
		rpcrdma2_pool_confirmed(&c->m);
	po_release(b, c, po_pop(c));
}

/* A message arrives at the server */
static void po_arrive(struct po_books *b, struct po_conn *c, struct input *in)
{
	struct po_msg msg;
	u32 i;

	if (!c->up.count || c->calls.count == PO_QUEUE)
		return;
	msg = po_take(&c->up, 0);
	if (!msg.credits) {
		po_confirm(b, c, &msg);
		return;
	}
	for (i = 0; i < msg.credits; i++)
		c->kinds[po_pop(c)]++;
	c->unanswered += msg.credits;
	po_put(&c->calls, msg);
	rpcrdma2_pool_used(&c->m, c->unanswered + input_below(in, 200), input_flag(in));
	if (!c->came && rpcrdma2_pool_short(&b->pool, &c->m))
		c->came = rpcrdma2_pool_grow(&b->pool, &c->m);
}

/* A Call holds a buffer less; of which kind makes no difference */
static void po_unhold(struct po_books *b, struct po_conn *c)
{
	u32 kind = c->kinds[RPCRDMA2_POOL_PLAIN] ? RPCRDMA2_POOL_PLAIN : RPCRDMA2_POOL_BLOCK;

	c->kinds[kind]--;
	po_release(b, c, kind);
}

/* The server replies to any of its Calls */
static void po_reply(struct po_books *b, struct po_conn *c, struct input *in)
{
	struct po_msg msg;
	u32 i;

	if (!c->calls.count || c->down.count == PO_QUEUE)
		return;
	msg = po_take(&c->calls, input_below(in, c->calls.count));
	for (i = 1; i < msg.credits; i++)
		po_unhold(b, c);
	c->unanswered -= msg.credits;
	msg.grant = rpcrdma2_pool_grant(&b->pool, &c->m, c->posted, c->unanswered, msg.credits);
	trace("reply grants %u", msg.grant);
	require(msg.grant, "no grant is zero");
	c->replies++;
	po_put(&c->down, msg);
	po_unhold(b, c);
}

/* A message arrives at the peer */
static void po_learn(struct po_conn *c)
{
	struct po_msg msg;

	if (!c->down.count || c->up.count == PO_QUEUE)
		return;
	msg = po_take(&c->down, 0);
	if (!msg.credits) {
		po_put(&c->up, msg);
		return;
	}
	c->out -= msg.credits;
	c->grant = msg.grant;
}

/* The server asks its peer for nothing */
static void po_ask(struct po_conn *c)
{
	struct po_msg msg = { .replies = c->replies };

	if (!c->asking && po_put(&c->down, msg))
		c->asking = true;
}

static void po_tick(struct po_books *b, struct po_conn *c)
{
	enum rpcrdma2_pool_turn turn;
	u32 nr = c - b->conns;

	turn = rpcrdma2_pool_tick(&b->pool, &c->m, c->posted, c->unanswered);
	trace("turn %u", turn);
	if (turn == RPCRDMA2_POOL_RECALL || turn == RPCRDMA2_POOL_FLUSH)
		po_ask(c);
	if (turn != RPCRDMA2_POOL_CLOSE)
		return;
	rpcrdma2_pool_leave(&b->pool, &c->m);
	po_begin(b, nr);
}

static void po_step(struct po_books *b, struct po_conn *c, struct input *in)
{
	u32 what = input_below(in, 16);

	trace("%u: step %u", (u32)(c - b->conns), what);
	switch (what) {
	case 0:
	case 1:
	case 2:
	case 3:
		po_call(c, what == 3);
		break;
	case 4:
	case 5:
		po_arrive(b, c, in);
		break;
	case 6:
	case 7:
		po_reply(b, c, in);
		break;
	case 8:
	case 9:
		po_learn(c);
		break;
	case 10:
		po_come(b, c, false);
		break;
	case 11:
		po_come(b, c, input_flag(in));
		break;
	case 12:
		po_tick(b, c);
		break;
	case 13:
		po_post(c, RPCRDMA2_POOL_PLAIN, rpcrdma2_pool_admit(&b->pool, &c->m));
		break;
	case 14:
		if (!c->came)
			po_post(c, RPCRDMA2_POOL_PLAIN, rpcrdma2_pool_plain(&b->pool, &c->m));
		break;
	case 15:
		po_ask(c);
		break;
	}
}

/* In the end the kernel wants everything, and has it but for what there is at least */
static void po_end(struct po_books *b)
{
	u32 i;

	rpcrdma2_pool_squeeze(&b->pool, U32_MAX);
	require(b->pool.squeezed_kb == b->pool.budget_kb, "no more is taken than there is");
	for (i = 0; i < 64; i++)
		rpcrdma2_pool_relax(&b->pool);
	require(!b->pool.squeezed_kb, "everything is given back");
	for (i = 0; i < PO_CONNS; i++)
		rpcrdma2_pool_leave(&b->pool, &b->conns[i].m);
	require(!b->pool.used_kb && !b->pool.going_kb && !b->pool.members, "nothing is left");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct po_books b;
	struct input in;
	u32 i;

	input_begin(&in, data, size);
	memset(&b, 0, sizeof(b));
	rpcrdma2_pool_init(&b.pool, &po_rules, 4096 << input_below(&in, 4));
	for (i = 0; i < PO_CONNS; i++)
		po_begin(&b, i);
	while (input_left(&in)) {
		po_step(&b, &b.conns[input_below(&in, PO_CONNS)], &in);
		po_check(&b);
	}
	po_end(&b);
	return 0;
}
