// SPDX-License-Identifier: GPL-2.0
/*
 * The client in the place of a kernel's: reverse Calls, by MSG and by XMTREQ.
 *
 * BRS is INLINE: no chunks, no items, no targets. As many transmissions are taken
 * as were granted, and there is room for.
 */
#include <string.h>

#include "fake.h"
#include "nfs41.h"
#include "rpc.h"

#define MOST		16	/* credits */
#define MAX_TAG		512

/**
 * compound - CB_COMPOUND without operations: its tag is repeated
 * @b: the reply
 * @r: the arguments
 *
 * Return: accept_stat.
 */
static u32 compound(struct buf *b, struct rd *r)
{
	u32 len = rd_u32(r, "length of the tag");
	const u8 *tag = rd_skip(r, rounded(len));
	u32 minor = rd_u32(r, "minor version"), ops;

	rd_u32(r, "callback_ident");
	ops = rd_u32(r, "operations");
	if (r->why || len > MAX_TAG || minor != 1 || ops)
		return RPC_GARBAGE_ARGS;
	buf_u32(b, 0);
	buf_u32(b, len);
	buf_bytes(b, tag, rounded(len));
	buf_u32(b, 0);
	return RPC_SUCCESS;
}

/**
 * serve_call - carry out a Call
 * @b: gets the RPC reply
 * @p: the RPC call
 * @len: its length
 */
static void serve_call(struct buf *b, const u8 *p, size_t len)
{
	struct rd r = { .p = p, .left = len };
	u32 prog, proc, stat = RPC_PROG_UNAVAIL, i;
	size_t at = b->len;

	buf_u32(b, rd_u32(&r, "xid"));
	buf_u32(b, DIR_REPLY);
	buf_fill(b, 0, 16);
	rd_skip(&r, 8);
	prog = rd_u32(&r, "program");
	rd_u32(&r, "version");
	proc = rd_u32(&r, "procedure");
	for (i = 0; i < 2; i++) {
		rd_u32(&r, "flavor");
		rd_skip(&r, rounded(rd_u32(&r, "length")));
	}
	if (r.why)
		stat = RPC_GARBAGE_ARGS;
	else if (prog == RPC_PROG_CALLBACK)
		stat = proc ? compound(b, &r) : RPC_SUCCESS;
	buf_put_u32(b, at + 20, stat);
}

/**
 * grant - what may be under way from now on
 *
 * Return: what was asked for, as far as there is room.
 */
static u32 grant(void)
{
	u32 n = fake.back.wanted < MOST ? fake.back.wanted : MOST;

	n += !n;
	if (n > fake.back.granted)
		fake.back.granted = n;
	return n;
}

/**
 * deliver - carry out a Call, and answer it
 * @h: its header, or that of its last transmission
 * @p: the RPC call
 * @len: its length
 *
 * One that came by XMTREQ is answered by MSG and by XMTRESP in turn.
 */
static void deliver(const struct hdr *h, const u8 *p, size_t len)
{
	bool xmt = h->proc == P_OPTIONAL && fake.back.nr++ % 2;
	struct buf rpc, b;

	buf_init(&rpc, MAX_TAG + 64);
	buf_init(&b, MAX_TAG + 128);
	serve_call(&rpc, p, len);
	wire_fixed(&b, h->xid, 2, grant(), xmt ? P_OPTIONAL : P_MSG);
	buf_u32(&b, DIR_REPLY);
	if (xmt) {
		buf_u32(&b, O_XMTRESP);
		buf_u32(&b, 12);
		buf_u32(&b, 0);
		buf_u32(&b, 1);
		buf_u32(&b, rpc.len);
	} else {
		buf_u32(&b, h->inv);
		buf_fill(&b, 0, 12);
	}
	buf_bytes(&b, rpc.p, rpc.len);
	conn_send(fake.c, b.p, b.len, NULL);
	buf_free(&b);
	buf_free(&rpc);
}

/**
 * begin - take credits for a Call
 * @h: its header
 * @count: how many
 *
 * Return: false if the server has not so many left, which costs the connection.
 */
static bool begin(const struct hdr *h, u32 count)
{
	fake.back.wanted = h->credit;
	if (count > fake.back.granted - fake.back.used) {
		conn_disconnect(fake.c);
		return false;
	}
	fake.back.used += count;
	return true;
}

/**
 * fake_back_msg - take a reverse Call by MSG or NOMSG
 * @h: its header
 * @m: the message
 */
void fake_back_msg(const struct hdr *h, const struct rmsg *m)
{
	const u8 *p = m->data + h->hlen;
	size_t len = m->len - h->hlen;

	if (h->proc == P_NOMSG || h->nreads || h->nwrites || h->has_reply ||
	    len < 8 || get_u32(p) != h->xid || get_u32(p + 4) != DIR_CALL) {
		fake_refuse(h, E_XDR);
		return;
	}
	if (!fake.back.served || !begin(h, 1))
		return;
	deliver(h, p, len);
	fake.back.used--;
}

/**
 * fake_back_first - take the first transmission of a reverse Call
 * @h: its header
 * @m: the message
 */
void fake_back_first(const struct hdr *h, const struct rmsg *m)
{
	struct group *g = &fake.g;
	struct fault x;
	bool bad;

	if (h->dir == DIR_REPLY) {
		fake.drain = true;
		return;
	}
	bad = group_first(g, h, m->data, m->len, &fake.lay, MOST, &x);
	if (x.err != E_XDR && (g->x.nitems || g->x.nsets))
		x = (struct fault){ .err = E_OPT };
	else if (!bad && !fake.back.served)
		x = (struct fault){ .what = "nobody serves it" };
	else if (!bad && begin(h, g->x.count))
		goto taken;
	if (x.err || x.which)
		fake_answer(h, &x, false);
	fake.drain = x.err == E_XDR ? g->x.count != 1 : g->x.count > 1;
	group_free(g);
	return;
taken:
	if (g->n == g->x.count)
		fake_back_whole(h);
}

/**
 * fake_back_over - the open reverse Call is over, and its credits are free
 */
void fake_back_over(void)
{
	fake.back.used -= fake.g.x.count;
	group_free(&fake.g);
}

/**
 * fake_back_whole - all transmissions of a reverse Call are there
 * @h: header of the last one
 */
void fake_back_whole(const struct hdr *h)
{
	struct buf b;

	buf_init(&b, GROUP_MAX_MSG);
	if (!group_message(&fake.g, &fake.lay, NULL, NULL, &b))
		deliver(h, b.p, b.len);
	buf_free(&b);
	fake_back_over();
}

/**
 * fake_back_bad - answer a message that does not parse
 * @h: as much of its header as could be read
 */
void fake_back_bad(const struct hdr *h)
{
	if (h->dir == DIR_REPLY || h->proc == P_ERROR)
		return;
	fake_refuse(h, h->proc > P_NOMSG && h->proc != P_OPTIONAL ? E_PROC :
								    E_XDR);
	if (h->proc == P_OPTIONAL && h->opttype == O_XMTREQ)
		fake.drain = true;
}
