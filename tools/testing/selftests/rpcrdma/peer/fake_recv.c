// SPDX-License-Identifier: GPL-2.0
/* The client in the place of a kernel's: what it makes of messages. */
#include <errno.h>
#include <string.h>

#include "fake.h"

/**
 * answer - answer a message by ERROR or REPTERR
 * @h: the message
 * @x: what is wrong
 * @open: it came inside a group
 */
static void answer(const struct hdr *h, const struct fault *x, bool open)
{
	struct rept r = {
		.bad = { h->xid, h->dir, 0 }, .has_lead = open,
		.lead = { fake.g.xid, fake.g.dir, 0 }, .which = x->which,
	};
	struct buf b;
	size_t at;

	if (h->proc == P_OPTIONAL && h->opttype == O_XMTCONT && h->optlen >= 4)
		r.bad.seq = get_u32(h->optinfo);
	memcpy(r.v, x->v, sizeof(r.v));
	buf_init(&b, 256);
	wire_fixed(&b, h->xid, 2, 8, x->err ? P_ERROR : P_OPTIONAL);
	buf_u32(&b, x->err ? x->err : !h->dir);
	if (!x->err) {
		buf_u32(&b, O_REPTERR);
		at = b.len;
		buf_u32(&b, 0);
		rept_put(&b, &r);
		buf_put_u32(&b, at, b.len - at - 4);
	}
	conn_send(fake.c, b.p, b.len, NULL);
	buf_free(&b);
}

/**
 * fetch - take what the server has written into our memory
 * @ctx: unused
 * @it: the item
 *
 * Return: its bytes.
 */
static const u8 *fetch(void *ctx, const struct item *it)
{
	return conn_mem(fake.c, IN_MEM)->p;
}

/**
 * whole - all transmissions of the reply are there
 * @h: the last of them
 * @open: it is not the first
 *
 * Return: 0 or an errno.
 */
static int whole(const struct hdr *h, bool open)
{
	struct fault x;
	int err = 0;

	if (group_whole(&fake.g, &fake.lay, &x)) {
		answer(h, &x, open);
		err = EIO;
	} else if (resp_allowed(&fake.req, &fake.g.x) ||
		   group_message(&fake.g, &fake.lay, fetch, NULL, &fake.msg)) {
		err = EIO;
	}
	group_free(&fake.g);
	return err;
}

/**
 * reply_parts - take XMTRESP or XMTCONT
 * @h: the message
 * @m: its bytes
 *
 * Return: 0 or an errno if the call is over, else MORE.
 */
static int reply_parts(const struct hdr *h, const struct rmsg *m)
{
	bool open = fake.g.n, bad;
	struct fault x = { .err = E_XDR };
	u32 limit = fake.req.rsbuf;

	if (h->opttype == O_XMTCONT) {
		if (fake.drain)
			return MORE;
		bad = group_next(&fake.g, h, m->data, m->len, &x);
	} else if (h->dir == DIR_CALL) {
		answer(h, &x, false);
		fake.drain = true;
		return MORE;
	} else if (h->xid != fake.xid) {
		fake.drain = true;
		return MORE;
	} else if (!fake.rt) {
		return EIO;
	} else {
		bad = group_first(&fake.g, h, m->data, m->len, &fake.lay, limit, &x);
	}
	if (bad) {
		if (!x.err)
			answer(h, &x, open);
		fake.drain = open || x.which == R_BADCONT || fake.g.x.count > 1;
		group_free(&fake.g);
		return open || h->xid == fake.xid ? EIO : MORE;
	}
	return fake.g.n < fake.g.x.count ? MORE : whole(h, open);
}

/**
 * again - send the call once more, by MSG, now and for good
 *
 * Return: MORE.
 */
static int again(void)
{
	fake.off = true;
	fake_send_msg();
	return MORE;
}

/**
 * plain_reply - take an MSG reply
 * @h: the message
 * @m: its bytes
 *
 * Return: 0 or an errno.
 */
static int plain_reply(const struct hdr *h, const struct rmsg *m)
{
	u32 moved = h->nwrites ? h->writes[0].seg[0].len : 0, at;

	if (fake.rt && fake.req.ntargets)
		return EIO;
	buf_reset(&fake.msg);
	at = m->len - h->hlen;
	buf_bytes(&fake.msg, m->data + h->hlen, at);
	if (moved) {
		buf_bytes(&fake.msg, conn_mem(fake.c, IN_MEM)->p, moved);
		buf_fill(&fake.msg, 0, -moved & 3);
	}
	return 0;
}

/**
 * optional - take an OPTIONAL
 * @h: the message
 * @m: its bytes
 *
 * Return: 0 or an errno if the call is over, else MORE.
 */
static int optional(const struct hdr *h, const struct rmsg *m)
{
	struct fault x = { .err = E_OPT };
	struct rept r;

	if (h->opttype == O_XMTRESP || h->opttype == O_XMTCONT)
		return reply_parts(h, m);
	if (h->opttype == O_REPTERR) {
		if (!rept_decode(&r, h) && h->dir == DIR_REPLY && fake.rt &&
		    r.bad.xid == fake.xid && !r.bad.dir && h->xid == fake.xid)
			return again();
		return MORE;
	}
	if (h->opttype != O_XMTREQ || h->dir == DIR_CALL)
		if (h->opttype > O_UPDXCH || !h->opttype)
			answer(h, &x, false);
	return MORE;
}

/**
 * intruder - a message breaks into an open group
 * @h: the message
 *
 * Return: true if so.
 */
static bool intruder(const struct hdr *h)
{
	struct fault x = { 0 };
	bool opt = h->proc == P_OPTIONAL;

	if (opt && h->opttype == O_XMTCONT)
		return false;
	if (!fake.g.n) {
		fake.drain = false;
		return false;
	}
	x.which = opt ? R_BADOMT : R_BADHMT;
	x.v[0] = opt ? O_XMTCONT : P_OPTIONAL;
	x.v[1] = opt ? h->opttype : h->proc;
	answer(h, &x, true);
	group_free(&fake.g);
	return true;
}

/**
 * late - the credits of a call that was given up come back
 * @xid: xid of a message
 */
static void late(u32 xid)
{
	u32 i;

	for (i = 0; i < fake.nr_lost; i++)
		if (fake.lost[i].xid == xid) {
			fake.held -= fake.lost[i].credits;
			fake.lost[i] = fake.lost[--fake.nr_lost];
			return;
		}
}

/**
 * fake_take - take a message
 * @m: the message
 *
 * Return: 0 or an errno if the call is over, else MORE.
 */
int fake_take(const struct rmsg *m)
{
	static struct hdr h;
	bool broken, bad = wire_decode(&h, m->data, m->len);
	int err = MORE;

	if (h.vers != 2)
		return MORE;
	if (!bad)
		late(h.xid);
	if (bad && h.proc == P_OPTIONAL && h.opttype == O_XMTCONT && fake.g.n) {
		group_free(&fake.g);
		fake.drain = true;
		return EIO;
	}
	if (!bad && h.dir == DIR_REPLY && h.proc != P_ERROR && h.credit)
		fake.grant = h.credit;
	broken = intruder(&h);
	if (!bad && h.proc == P_OPTIONAL)
		err = optional(&h, m);
	else if (!bad && h.xid == fake.xid && h.proc == P_ERROR)
		err = h.err == E_OPT && fake.rt ? again() :
		      h.err == E_OPT ? MORE : EIO;
	else if (!bad && h.xid == fake.xid && h.proc == P_MSG)
		err = plain_reply(&h, m);
	if (broken && !fake.g.n)
		fake.drain = true;
	return broken ? EIO : err;
}
