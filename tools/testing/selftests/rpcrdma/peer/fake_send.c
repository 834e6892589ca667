// SPDX-License-Identifier: GPL-2.0
/* The client in the place of a kernel's: sends calls. */
#include <string.h>

#include "fake.h"
#include "peer.h"

#define RSBUF		4

/**
 * set_mem - name a part of our memory
 * @s: gets the segment
 * @i: which memory
 * @len: how much of it
 */
static void set_mem(struct seg *s, int i, u32 len)
{
	struct mem *m = conn_mem(fake.c, i);

	*s = (struct seg){ m->rkey, len, (uintptr_t)m->p };
}

/**
 * put_mem - append a segment of our memory
 * @b: the message
 * @i: which memory
 * @len: how much of it
 */
static void put_mem(struct buf *b, int i, u32 len)
{
	struct seg s;

	set_mem(&s, i, len);
	wire_seg(b, &s);
}

/**
 * fake_send_msg - send the call by MSG
 */
void fake_send_msg(void)
{
	bool chunk = fake.call.len + fake.len + 60 > fake.peer.rbsiz;
	struct buf b;

	fake.rt = false;
	fake.credits = 1;
	buf_init(&b, MAX_CALL);
	wire_fixed(&b, fake.xid, 2, 8, P_MSG);
	buf_u32(&b, DIR_CALL);
	buf_u32(&b, 0);
	if (chunk) {
		memcpy(conn_mem(fake.c, OUT_MEM)->p, fake.data, fake.len);
		buf_u32(&b, 1);
		buf_u32(&b, fake.call.len);
		put_mem(&b, OUT_MEM, fake.len);
	}
	buf_u32(&b, 0);
	if (fake.want) {
		buf_u32(&b, 1);
		buf_u32(&b, 1);
		put_mem(&b, IN_MEM, fake.want);
	}
	buf_u32(&b, 0);
	buf_u32(&b, 0);
	buf_bytes(&b, fake.call.p, fake.call.len);
	if (!chunk) {
		buf_bytes(&b, fake.data, fake.len);
		buf_fill(&b, 0, -fake.len & 3);
	}
	conn_send(fake.c, b.p, b.len, NULL);
	buf_free(&b);
}

/**
 * plan_item - decide how the data of the call goes
 * @it: gets the item
 * @count: gets the number of transmissions
 */
static void plan_item(struct item *it, u32 *count)
{
	const struct layout *l = &fake.peer_lay;
	u32 most = fake.grant - fake.held;
	u32 left = fake.len, n = 0, t;

	if (most > fake.peer.reqrxlim)
		most = fake.peer.reqrxlim;
	it->disp = fake.call.len;
	it->len = fake.len;
	*count = 1;
	for (t = 0; left && l->nplt && t < most * l->nplt; t++) {
		const struct lay_seg *g = layout_plt(l, t);

		if (t < l->nplt && g->at < 28 + 44 + 64 + fake.call.len)
			continue;
		it->loc.tbsn[n++] = t;
		left -= left < g->len ? left : g->len;
		*count = t / l->nplt + 1;
	}
	it->loc.type = left ? T_EXRW : T_TBSN;
	it->loc.n = n;
	if (!left)
		return;
	*count = 1;
	memcpy(conn_mem(fake.c, OUT_MEM)->p, fake.data, fake.len);
	it->loc.ex.nsegs = 1;
	set_mem(&it->loc.ex.seg[0], OUT_MEM, fake.len);
}

/**
 * put_part - append what of the data goes in one transmission
 * @b: the message
 * @it: the item
 * @nr: which transmission
 */
static void put_part(struct buf *b, const struct item *it, u32 nr)
{
	static struct span s[MAX_TBSN];
	const struct lay_seg *g;
	const u8 *p = fake.data;
	int n = it->loc.type == T_TBSN ? item_spans(&fake.peer_lay, it, s) : 0, i;

	for (i = 0; i < n; i++) {
		g = layout_plt(&fake.peer_lay, s[i].tbsn);
		if (s[i].tbsn / fake.peer_lay.nplt == nr) {
			buf_fill(b, 0, g->at - b->len);
			buf_bytes(b, p, s[i].len);
		}
		p += s[i].len;
	}
}

/**
 * target_type - where the data of a READ may go
 *
 * Return: T_*.
 */
static u32 target_type(void)
{
	if (fake.want > fake.lay.total - fake.lay.seg[0].len)
		return T_EXRW;
	return fake.want < 4096 ? T_TBSN : T_CHOICE;
}

/**
 * plan_target - say where the data of a READ may go
 * @x: the transmission
 */
static void plan_target(struct xmt *x)
{
	struct target *t = &x->target[0];

	x->nsets = 1;
	x->ntargets = 1;
	x->set[0] = (struct set){ 0, fake.call.len, 1 };
	t->end = fake.call.len;
	t->loc.type = target_type();
	if (t->loc.type == T_TBSN)
		return;
	t->loc.ex.nsegs = 1;
	set_mem(&t->loc.ex.seg[0], IN_MEM, fake.want);
}

/**
 * put_xmtreq - build the first transmission of the call
 * @b: the message
 * @it: where the data of a WRITE goes
 * @count: transmissions
 */
static void put_xmtreq(struct buf *b, const struct item *it, u32 count)
{
	struct xmt *x = &fake.req;

	memset(x, 0, sizeof(*x));
	x->type = O_XMTREQ;
	x->nitems = !!fake.len;
	x->item[0] = *it;
	if (fake.want)
		plan_target(x);
	x->count = count;
	x->rsbuf = fake.peer.respsxlim < RSBUF ? fake.peer.respsxlim : RSBUF;
	x->pslen = fake.call.len;
	xmt_put(b, fake.xid, 8, DIR_CALL, x);
	buf_bytes(b, fake.call.p, fake.call.len);
	put_part(b, it, 0);
}

/**
 * send_xmt - send the call by XMTREQ, and XMTCONTs where it takes more
 */
static void send_xmt(void)
{
	static struct xmt cont = { .type = O_XMTCONT, .itype = O_XMTREQ };
	static struct item it;
	u32 count = 1, i;
	struct buf b;

	memset(&it, 0, sizeof(it));
	fake.rt = true;
	buf_init(&b, MAX_CALL);
	if (fake.len)
		plan_item(&it, &count);
	fake.credits = count;
	put_xmtreq(&b, &it, count);
	conn_send(fake.c, b.p, b.len, NULL);
	for (i = 1; i < count; i++) {
		buf_reset(&b);
		cont.xnum = i;
		xmt_put(&b, fake.xid, 8, DIR_CALL, &cont);
		put_part(&b, &it, i);
		conn_send(fake.c, b.p, b.len, NULL);
	}
	buf_free(&b);
}

/**
 * fake_send - send the call as suits the server
 */
void fake_send(void)
{
	if (!fake.off && fake.peer.rtrsupp & RTRS_XREQ && (fake.len || fake.want))
		send_xmt();
	else
		fake_send_msg();
}

/**
 * fake_answer - answer a message by ERROR or REPTERR
 * @h: the message
 * @x: what is wrong
 * @open: it came inside a group
 *
 * A server whose response is reported is asked for no more of the kind.
 */
void fake_answer(const struct hdr *h, const struct fault *x, bool open)
{
	struct rept r = {
		.bad = { h->xid, h->dir == DIR_REPLY, 0 }, .has_lead = open,
		.lead = { fake.g.xid, fake.g.dir, 0 }, .which = x->which,
	};
	struct buf b;
	size_t at;

	if (h->proc == P_OPTIONAL && h->opttype == O_XMTCONT && h->optlen >= 4)
		r.bad.seq = get_u32(h->optinfo);
	memcpy(r.v, x->v, sizeof(r.v));
	fake.off |= !x->err && (open ? fake.g.dir : r.bad.dir) == DIR_REPLY;
	buf_init(&b, 256);
	wire_fixed(&b, h->xid, 2, 8, x->err ? P_ERROR : P_OPTIONAL);
	buf_u32(&b, x->err ? x->err : !r.bad.dir);
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
 * fake_refuse - answer a Call by ERROR
 * @h: its header
 * @err: the code
 */
void fake_refuse(const struct hdr *h, u32 err)
{
	struct fault x = { .err = err };

	fake_answer(h, &x, false);
}
