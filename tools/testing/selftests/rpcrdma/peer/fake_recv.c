// SPDX-License-Identifier: GPL-2.0
/* The client in the place of a kernel's: what it makes of messages. */
#include <errno.h>
#include <string.h>

#include "fake.h"

/**
 * over - the open group is over
 *
 * Return: EIO if it was the reply to the call, else MORE.
 */
static int over(void)
{
	if (fake.g.dir != DIR_REPLY) {
		fake_back_over();
		return MORE;
	}
	group_free(&fake.g);
	return EIO;
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
		fake_answer(h, &x, open);
		err = EIO;
	} else if (resp_allowed(&fake.req, &fake.g.x) ||
		   group_message(&fake.g, &fake.lay, fetch, NULL, &fake.msg)) {
		err = EIO;
	}
	group_free(&fake.g);
	return err;
}

/**
 * refused - a transmission cannot be taken
 * @h: its header
 * @x: what is wrong
 * @open: it came inside a group
 *
 * Return: an errno if the call is over, else MORE.
 */
static int refused(const struct hdr *h, const struct fault *x, bool open)
{
	if (!x->err || h->dir == DIR_CALL)
		fake_answer(h, x, open);
	fake.drain = open || x->which == R_BADCONT || fake.g.x.count > 1;
	if (open)
		return over();
	group_free(&fake.g);
	return h->opttype == O_XMTRESP && h->xid == fake.xid ? EIO : MORE;
}

/**
 * later - take XMTCONT
 * @h: the message
 * @m: its bytes
 *
 * Return: 0 or an errno if the call is over, else MORE.
 */
static int later(const struct hdr *h, const struct rmsg *m)
{
	bool open = fake.g.n;
	struct fault x;

	if (fake.drain)
		return MORE;
	if (group_next(&fake.g, h, m->data, m->len, &x))
		return refused(h, &x, open);
	if (fake.g.n < fake.g.x.count)
		return MORE;
	if (fake.g.dir == DIR_REPLY)
		return whole(h, open);
	fake_back_whole(h);
	return MORE;
}

/**
 * reply_first - take XMTRESP
 * @h: the message
 * @m: its bytes
 *
 * Return: 0 or an errno if the call is over, else MORE.
 */
static int reply_first(const struct hdr *h, const struct rmsg *m)
{
	struct fault x;

	if (h->dir == DIR_CALL)
		fake_refuse(h, E_XDR);
	if (h->dir == DIR_CALL || h->xid != fake.xid) {
		fake.drain = true;
		return MORE;
	}
	if (!fake.rt)
		return EIO;
	if (group_first(&fake.g, h, m->data, m->len, &fake.lay,
			fake.req.rsbuf, &x))
		return refused(h, &x, false);
	return fake.g.n < fake.g.x.count ? MORE : whole(h, false);
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
	bool offered = h->nwrites && h->writes[0].nsegs;
	u32 moved = offered ? h->writes[0].seg[0].len : 0, at;

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
	struct rept r;

	if (h->opttype == O_XMTRESP)
		return reply_first(h, m);
	if (h->opttype == O_XMTCONT)
		return later(h, m);
	if (h->opttype == O_REPTERR) {
		if (!rept_decode(&r, h) && h->dir == DIR_REPLY && fake.rt &&
		    r.bad.xid == fake.xid && !r.bad.dir && h->xid == fake.xid)
			return again();
		return MORE;
	}
	if (h->opttype == O_XMTREQ)
		fake_back_first(h, m);
	else if (h->opttype > O_UPDXCH || !h->opttype)
		fake_refuse(h, E_OPT);
	return MORE;
}

/**
 * intruder - a message breaks into an open group
 * @h: the message
 * @err: gets an errno if the call is over
 *
 * Return: true if so.
 */
static bool intruder(const struct hdr *h, int *err)
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
	fake_answer(h, &x, true);
	*err = over();
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
 * sound - take a message that parses
 * @h: its header
 * @m: its bytes
 *
 * Return: 0 or an errno if the call is over, else MORE.
 */
static int sound(const struct hdr *h, const struct rmsg *m)
{
	if ((h->proc == P_ERROR ? h->err != E_VERS : h->dir == DIR_REPLY) && h->credit)
		fake.grant = h->credit;
	if (h->proc == P_OPTIONAL)
		return optional(h, m);
	if (h->proc <= P_NOMSG && h->dir == DIR_CALL)
		fake_back_msg(h, m);
	else if (h->xid == fake.xid && h->proc == P_MSG)
		return plain_reply(h, m);
	else if (h->xid == fake.xid && h->proc == P_ERROR)
		return h->err == E_OPT && fake.rt ? again() :
		       h->err == E_OPT ? MORE : EIO;
	return MORE;
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
	bool broken, bad = wire_decode(&h, m->data, m->len) && !h.excess;
	int err = MORE, lost = MORE;

	if (h.vers != 2)
		return MORE;
	if (!bad && h.dir == DIR_REPLY)
		late(h.xid);
	if (bad && h.proc == P_OPTIONAL && h.opttype == O_XMTCONT) {
		if (h.dir == DIR_CALL && !fake.drain)
			fake_refuse(&h, E_XDR);
		fake.drain = true;
		return fake.g.n ? over() : MORE;
	}
	broken = intruder(&h, &lost);
	if (bad)
		fake_back_bad(&h);
	else
		err = sound(&h, m);
	if (broken && !fake.g.n)
		fake.drain = true;
	return lost != MORE ? lost : err;
}
