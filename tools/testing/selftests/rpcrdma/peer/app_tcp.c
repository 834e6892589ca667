// SPDX-License-Identifier: GPL-2.0
/*
 * In the place of app.c and of a kernel's mount: a process that is the client
 * of a server of the peer's own, over TCP. What it makes of replies is what the
 * checklist asks of a client, placement by Send, continuation, and the credits of
 * calls that were given up included.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app.h"
#include "conn.h"
#include "group.h"
#include "nfs3.h"
#include "peer.h"
#include "rpc.h"
#include "tmpl.h"

#define LAY		"6:1024 3*4096p"
#define CALL_MS		3000
#define OUT_MEM		0
#define IN_MEM		1
#define RSBUF		4
#define MOUNTS		64
#define TRIES		3
#define MAX_CALL	(128u << 10)
#define MAX_LOST	64
#define KILL		"kill"

/**
 * struct lost - a call that was given up, and not answered
 * @xid: its xid
 * @credits: how many it holds
 */
struct lost {
	u32 xid, credits;
};

/**
 * struct fake - the client
 * @c: its connection
 * @port: where its server is
 * @io: most bytes of a READ or WRITE
 * @xid: xid of the call
 * @grant: credits last granted
 * @credits: how many the call takes
 * @off: no XMTREQ on this connection any more
 * @rt: the call went by XMTREQ
 * @lay: layout of our receives
 * @peer_lay: of the server's
 * @peer: what its INITXCH said
 * @call: the call without data that goes beside it
 * @data: that data
 * @len: its length
 * @want: bytes that a READ asks for
 * @req: XMTREQ taken apart
 * @g: transmissions of a reply
 * @drain: what follows a broken group is thrown away
 * @msg: the reply
 * @fd: where operations come from
 * @killed: the operation is given up
 * @lost: calls that were given up
 * @nr_lost: how many
 * @held: credits that they hold
 */
struct fake {
	struct conn *c;
	int port;
	u32 io, xid, grant, credits;
	bool off, rt, drain;
	struct layout lay, peer_lay;
	struct chars peer;
	struct buf call;
	u8 data[MAX_CALL];
	u32 len, want;
	struct xmt req;
	struct group g;
	struct buf msg;
	int fd;
	bool killed;
	struct lost lost[MAX_LOST];
	u32 nr_lost, held;
};

static struct fake f;

/**
 * open_it - connect and negotiate
 *
 * Return: 0, or -1.
 */
static int open_it(void)
{
	struct conn_opts o = { .lay = &f.lay };
	char info[2048], t[2200];
	struct tmpl_env env = { 0 };
	struct rmsg *m = NULL;
	static struct hdr h;
	const char *why;
	struct buf b;

	conn_close(f.c);
	f.nr_lost = f.held = 0;
	f.off = f.drain = false;
	group_free(&f.g);
	layout_init(&f.lay, info, sizeof(info), LAY, false);
	snprintf(t, sizeof(t), "x 2 20 5 0 1 %s", info);
	f.c = conn_open("127.0.0.1", f.port, &o, &why);
	if (!f.c)
		return -1;
	buf_init(&b, 1024);
	env.xid = f.xid ^ 0x10000;
	if (!tmpl_build(&b, t, &env) && !conn_send(f.c, b.p, b.len, NULL))
		m = conn_wait(f.c, CALL_MS);
	buf_free(&b);
	memset(&f.peer_lay, 0, sizeof(f.peer_lay));
	if (!m || wire_decode(&h, m->data, m->len) || wire_chars(&f.peer, &h))
		return -1;
	if (layout_told(&f.peer_lay, &f.peer))
		memset(&f.peer_lay, 0, sizeof(f.peer_lay));
	if (f.peer_lay.total > f.peer.rbsiz)
		f.peer_lay.nplt = 0;
	f.grant = h.credit;
	free(m);
	return 0;
}

/**
 * put_mem - append a segment of our memory
 * @b: the message
 * @i: which memory
 * @len: how much of it
 */
static void put_mem(struct buf *b, int i, u32 len)
{
	struct mem *m = conn_mem(f.c, i);

	buf_u32(b, m->rkey);
	buf_u32(b, len);
	buf_u64(b, (uintptr_t)m->p);
}

/**
 * send_msg - send the call by MSG
 */
static void send_msg(void)
{
	bool chunk = f.call.len + f.len + 60 > f.peer.rbsiz;
	struct buf b;

	f.rt = false;
	f.credits = 1;
	buf_init(&b, MAX_CALL);
	wire_fixed(&b, f.xid, 2, 8, P_MSG);
	buf_u32(&b, DIR_CALL);
	buf_u32(&b, 0);
	if (chunk) {
		memcpy(conn_mem(f.c, OUT_MEM)->p, f.data, f.len);
		buf_u32(&b, 1);
		buf_u32(&b, f.call.len);
		put_mem(&b, OUT_MEM, f.len);
	}
	buf_u32(&b, 0);
	if (f.want) {
		buf_u32(&b, 1);
		buf_u32(&b, 1);
		put_mem(&b, IN_MEM, f.want);
	}
	buf_u32(&b, 0);
	buf_u32(&b, 0);
	buf_bytes(&b, f.call.p, f.call.len);
	if (!chunk) {
		buf_bytes(&b, f.data, f.len);
		buf_fill(&b, 0, -f.len & 3);
	}
	conn_send(f.c, b.p, b.len, NULL);
	buf_free(&b);
}

/**
 * plan_item - decide how the data of the call goes
 * @it: gets the item
 * @count: gets the number of transmissions
 */
static void plan_item(struct item *it, u32 *count)
{
	const struct layout *l = &f.peer_lay;
	u32 most = f.grant - f.held;
	u32 left = f.len, n = 0, t;

	if (most > f.peer.reqrxlim)
		most = f.peer.reqrxlim;
	it->disp = f.call.len;
	it->len = f.len;
	*count = 1;
	for (t = 0; left && l->nplt && t < most * l->nplt; t++) {
		const struct lay_seg *g = layout_plt(l, t);

		if (t < l->nplt && g->at < 28 + 44 + 64 + f.call.len)
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
	memcpy(conn_mem(f.c, OUT_MEM)->p, f.data, f.len);
	it->loc.ex.nsegs = 1;
	it->loc.ex.seg[0].handle = conn_mem(f.c, OUT_MEM)->rkey;
	it->loc.ex.seg[0].len = f.len;
	it->loc.ex.seg[0].off = (uintptr_t)conn_mem(f.c, OUT_MEM)->p;
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
	const u8 *p = f.data;
	int n = it->loc.type == T_TBSN ? item_spans(&f.peer_lay, it, s) : 0, i;

	for (i = 0; i < n; i++) {
		g = layout_plt(&f.peer_lay, s[i].tbsn);
		if (s[i].tbsn / f.peer_lay.nplt == nr) {
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
	if (f.want > f.lay.total - f.lay.seg[0].len)
		return T_EXRW;
	return f.want < 4096 ? T_TBSN : T_CHOICE;
}

/**
 * put_target - append where the data of a READ may go
 * @b: the message
 */
static void put_target(struct buf *b)
{
	u32 type = target_type();

	buf_u32(b, f.want ? 1 : 0);
	if (!f.want)
		return;
	buf_u32(b, 0);
	buf_u32(b, f.call.len);
	buf_u32(b, 1);
	buf_u32(b, 0);
	buf_u32(b, type);
	if (type == T_TBSN)
		return;
	buf_u32(b, 1);
	put_mem(b, IN_MEM, f.want);
}

/**
 * put_xmtreq - build the first transmission of the call
 * @b: the message
 * @it: where the data of a WRITE goes
 * @count: transmissions
 */
static void put_xmtreq(struct buf *b, const struct item *it, u32 count)
{
	struct hdr h;
	const char *why;
	size_t at;

	wire_fixed(b, f.xid, 2, 8, P_OPTIONAL);
	buf_u32(b, DIR_CALL);
	buf_u32(b, O_XMTREQ);
	at = b->len;
	buf_u32(b, 0);
	buf_u32(b, f.len ? 1 : 0);
	if (f.len)
		xmt_put_item(b, it);
	put_target(b);
	buf_u32(b, count);
	buf_u32(b, f.peer.respsxlim < RSBUF ? f.peer.respsxlim : RSBUF);
	buf_u32(b, f.call.len);
	buf_put_u32(b, at, b->len - at - 4);
	wire_decode(&h, b->p, b->len);
	xmt_decode(&f.req, &h, &why);
	buf_bytes(b, f.call.p, f.call.len);
	put_part(b, it, 0);
}

/**
 * send_xmt - send the call by XMTREQ, and XMTCONTs where it takes more
 */
static void send_xmt(void)
{
	static struct item it;
	u32 count = 1, i;
	struct buf b;

	memset(&it, 0, sizeof(it));
	f.rt = true;
	buf_init(&b, MAX_CALL);
	if (f.len)
		plan_item(&it, &count);
	f.credits = count;
	put_xmtreq(&b, &it, count);
	conn_send(f.c, b.p, b.len, NULL);
	for (i = 1; i < count; i++) {
		buf_reset(&b);
		wire_fixed(&b, f.xid, 2, 8, P_OPTIONAL);
		buf_u32(&b, DIR_CALL);
		buf_u32(&b, O_XMTCONT);
		buf_u32(&b, 12);
		buf_u32(&b, i);
		buf_u32(&b, O_XMTREQ);
		buf_u32(&b, 0);
		put_part(&b, &it, i);
		conn_send(f.c, b.p, b.len, NULL);
	}
	buf_free(&b);
}

/**
 * send_call - send the call as suits the server
 */
static void send_call(void)
{
	if (!f.off && f.peer.rtrsupp & RTRS_XREQ && (f.len || f.want))
		send_xmt();
	else
		send_msg();
}

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
		.lead = { f.g.xid, f.g.dir, 0 }, .which = x->which,
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
	conn_send(f.c, b.p, b.len, NULL);
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
	return conn_mem(f.c, IN_MEM)->p;
}

enum { MORE = -1 };

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

	if (group_whole(&f.g, &f.lay, &x)) {
		answer(h, &x, open);
		err = EIO;
	} else if (resp_allowed(&f.req, &f.g.x) ||
		   group_message(&f.g, &f.lay, fetch, NULL, &f.msg)) {
		err = EIO;
	}
	group_free(&f.g);
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
	bool open = f.g.n, bad;
	struct fault x = { .err = E_XDR };
	u32 limit = f.req.rsbuf;

	if (h->opttype == O_XMTCONT) {
		if (f.drain)
			return MORE;
		bad = group_next(&f.g, h, m->data, m->len, &x);
	} else if (h->dir == DIR_CALL) {
		answer(h, &x, false);
		f.drain = true;
		return MORE;
	} else if (h->xid != f.xid) {
		f.drain = true;
		return MORE;
	} else if (!f.rt) {
		return EIO;
	} else {
		bad = group_first(&f.g, h, m->data, m->len, &f.lay, limit, &x);
	}
	if (bad) {
		if (!x.err)
			answer(h, &x, open);
		f.drain = open || x.which == R_BADCONT || f.g.x.count > 1;
		group_free(&f.g);
		return open || h->xid == f.xid ? EIO : MORE;
	}
	return f.g.n < f.g.x.count ? MORE : whole(h, open);
}

/**
 * again - send the call once more, by MSG, now and for good
 *
 * Return: MORE.
 */
static int again(void)
{
	f.off = true;
	send_msg();
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

	if (f.rt && f.req.ntargets)
		return EIO;
	buf_reset(&f.msg);
	at = m->len - h->hlen;
	buf_bytes(&f.msg, m->data + h->hlen, at);
	if (moved) {
		buf_bytes(&f.msg, conn_mem(f.c, IN_MEM)->p, moved);
		buf_fill(&f.msg, 0, -moved & 3);
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
		if (!rept_decode(&r, h) && h->dir == DIR_REPLY && f.rt &&
		    r.bad.xid == f.xid && !r.bad.dir && h->xid == f.xid)
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
	if (!f.g.n) {
		f.drain = false;
		return false;
	}
	x.which = opt ? R_BADOMT : R_BADHMT;
	x.v[0] = opt ? O_XMTCONT : P_OPTIONAL;
	x.v[1] = opt ? h->opttype : h->proc;
	answer(h, &x, true);
	group_free(&f.g);
	return true;
}

/**
 * late - the credits of a call that was given up come back
 * @xid: xid of a message
 */
static void late(u32 xid)
{
	u32 i;

	for (i = 0; i < f.nr_lost; i++)
		if (f.lost[i].xid == xid) {
			f.held -= f.lost[i].credits;
			f.lost[i] = f.lost[--f.nr_lost];
			return;
		}
}

/**
 * incoming - take a message
 * @m: the message
 *
 * Return: 0 or an errno if the call is over, else MORE.
 */
static int incoming(const struct rmsg *m)
{
	static struct hdr h;
	bool broken, bad = wire_decode(&h, m->data, m->len);
	int err = MORE;

	if (h.vers != 2)
		return MORE;
	if (!bad)
		late(h.xid);
	if (bad && h.proc == P_OPTIONAL && h.opttype == O_XMTCONT && f.g.n) {
		group_free(&f.g);
		f.drain = true;
		return EIO;
	}
	if (!bad && h.dir == DIR_REPLY && h.proc != P_ERROR && h.credit)
		f.grant = h.credit;
	broken = intruder(&h);
	if (!bad && h.proc == P_OPTIONAL)
		err = optional(&h, m);
	else if (!bad && h.xid == f.xid && h.proc == P_ERROR)
		err = h.err == E_OPT && f.rt ? again() :
		      h.err == E_OPT ? MORE : EIO;
	else if (!bad && h.xid == f.xid && h.proc == P_MSG)
		err = plain_reply(&h, m);
	if (broken && !f.g.n)
		f.drain = true;
	return broken ? EIO : err;
}

/**
 * fence - put memory out of the server's reach
 */
static void fence(void)
{
	int i;

	for (i = 0; i < NR_MEM; i++)
		f.c->mem[i].rkey += 0x10000;
}

/**
 * killed - look whether the operation is given up
 *
 * Return: true if so.
 */
static bool killed(void)
{
	char word[sizeof(KILL)];

	if (recv(f.fd, word, sizeof(word), MSG_DONTWAIT) == sizeof(KILL) - 1)
		f.killed = true;
	return f.killed;
}

/**
 * await - wait for a message
 *
 * Return: the message, or NULL if none came in time, or it is no use to wait.
 */
static struct rmsg *await(void)
{
	u64 end = now_ms() + CALL_MS;
	struct rmsg *m = NULL;

	while (!m && !killed() && !f.c->gone && now_ms() < end) {
		conn_poll(f.c);
		m = conn_take(f.c);
		if (!m)
			nap();
	}
	return m;
}

/**
 * get_credit - wait until a call may be made
 *
 * If only late answers can bring a credit, and they do not come, there has to
 * be another connection.
 *
 * Return: 0 or an errno.
 */
static int get_credit(void)
{
	struct rmsg *m;

	while (f.held >= f.grant) {
		m = await();
		if (m)
			incoming(m);
		free(m);
		if (f.killed)
			return EINTR;
		if (!m && open_it())
			return EIO;
	}
	return 0;
}

/**
 * give_up - leave a call behind, and its credits
 *
 * Return: EINTR.
 */
static int give_up(void)
{
	struct lost *l = &f.lost[f.nr_lost];

	if (f.nr_lost < MAX_LOST) {
		l->xid = f.xid;
		l->credits = f.credits;
		f.held += l->credits;
		f.nr_lost++;
	}
	fence();
	return EINTR;
}

/**
 * call - make the call that was built
 *
 * A call that stays unanswered is sent again, as a soft mount does.
 *
 * Return: 0 or an errno; the reply is in @f.msg.
 */
static int call(void)
{
	u64 end = now_ms() + CALL_MS * TRIES;
	struct rmsg *m;
	int err = get_credit() ?: MORE, tries = 0;

	if (err == MORE)
		send_call();
	while (err == MORE && now_ms() < end) {
		m = await();
		if (m)
			err = incoming(m);
		else if (f.killed)
			return give_up();
		else if (!f.c->gone)
			send_call();
		free(m);
		if (!f.c->gone || err != MORE)
			continue;
		if (tries++ == TRIES || open_it())
			return EIO;
		send_call();
	}
	fence();
	return err == MORE ? EIO : err;
}

/**
 * begin - start a call
 * @proc: its procedure
 */
static void begin(u32 proc)
{
	f.len = f.want = 0;
	f.xid += 8;
	buf_reset(&f.call);
	rpc_head(&f.call, f.xid, DIR_CALL, 3, proc, true);
	buf_u32(&f.call, 4);
	buf_u32(&f.call, proc == NFS3_READ || proc == NFS3_WRITE ? 2 : 1);
}

/**
 * results - find the results in the reply
 * @len: gets their length
 *
 * Return: them, or NULL if the call failed.
 */
static const u8 *results(size_t *len)
{
	size_t at;

	if (rpc_result(f.msg.p, f.msg.len, f.xid, &at) || f.msg.len < at + 4 ||
	    get_u32(f.msg.p + at))
		return NULL;
	*len = f.msg.len - at;
	return f.msg.p + at;
}

/**
 * simple - make a call that has no more arguments
 * @proc: its procedure
 *
 * Return: 0 or an errno.
 */
static int simple(u32 proc)
{
	size_t len;
	int err;

	begin(proc);
	if (proc == NFS3_READDIR) {
		buf_u64(&f.call, 0);
		buf_u64(&f.call, 0);
		buf_u32(&f.call, 512);
	}
	err = call();
	return err ? err : results(&len) ? 0 : EIO;
}

#define READ_AT		(4 + 88 + 4 + 4 + 4)	/* data behind the attributes */

/**
 * read_some - READ
 * @off: where
 * @len: how much; gets how much came
 *
 * Return: 0 or an errno.
 */
static int read_some(u32 off, u32 *len)
{
	const u8 *p;
	size_t n;
	u32 i;
	int err;

	begin(NFS3_READ);
	buf_u64(&f.call, off);
	buf_u32(&f.call, *len);
	f.want = *len;
	err = call();
	if (err)
		return err;
	p = results(&n);
	if (!p || n < READ_AT || get_u32(p + READ_AT - 4) > n - READ_AT)
		return EIO;
	*len = get_u32(p + READ_AT - 4);
	for (i = 0; i < *len; i++)
		if (p[READ_AT + i] != rpc_pattern(off + i))
			return APP_WRONG_DATA;
	return 0;
}

/**
 * write_some - WRITE
 * @off: where
 * @len: how much
 *
 * Return: 0 or an errno.
 */
static int write_some(u32 off, u32 *len)
{
	u32 i;
	size_t n;
	int err;

	begin(NFS3_WRITE);
	buf_u64(&f.call, off);
	buf_u32(&f.call, *len);
	buf_u32(&f.call, 2);
	buf_u32(&f.call, *len);
	f.len = *len;
	for (i = 0; i < *len; i++)
		f.data[i] = rpc_pattern(off + i);
	err = call();
	return err ? err : results(&n) ? 0 : EIO;
}

/**
 * move - read or write
 * @fn: how
 * @total: how much
 *
 * Return: 0 or an errno.
 */
static int move(int (*fn)(u32 off, u32 *len), u32 total)
{
	u32 off = 0, len;
	int err;

	while (off < total) {
		len = total - off < f.io ? total - off : f.io;
		err = fn(off, &len);
		if (err || !len)
			return err ? err : EIO;
		off += len;
	}
	return 0;
}

/**
 * do_op - carry out an operation
 * @op: see app_do() in app.c
 *
 * Return: 0 or an errno.
 */
static int do_op(const char *op)
{
	if (!strcmp(op, "mount"))
		return open_it() ? EIO : simple(NFS3_FSINFO);
	if (!strcmp(op, "umount"))
		return 0;
	if (!strcmp(op, "stat"))
		return simple(NFS3_GETATTR);
	if (!strcmp(op, "statfs"))
		return simple(NFS3_FSSTAT);
	if (!strcmp(op, "ls"))
		return simple(NFS3_READDIR);
	if (!strncmp(op, "read", 4))
		return move(read_some, strtoul(op + 4, NULL, 10));
	if (!strncmp(op, "write", 5))
		return move(write_some, strtoul(op + 5, NULL, 10));
	return APP_NO_OP;
}

/**
 * next_op - wait for an operation, and see to the connection meanwhile
 * @fd: where it comes from
 * @op: gets the operation
 * @size: size of @op
 *
 * Return: its length, 0 at the end.
 */
static ssize_t next_op(int fd, char *op, size_t size)
{
	ssize_t n;

	while ((n = recv(fd, op, size, MSG_DONTWAIT)) < 0 && errno == EAGAIN) {
		if (f.c)
			conn_poll(f.c);
		nap();
	}
	return n;
}

/**
 * fake_main - the process of the client
 * @fd: where operations come from
 * @opts: options of the mount
 */
static void fake_main(int fd, const char *opts)
{
	char op[64] = "";
	ssize_t n;
	int err;

	f.port = atoi(strstr(opts, "port=") + 5);
	f.io = atoi(strstr(opts, "rsize=") + 6);
	f.xid = 0xfa000000;
	f.fd = fd;
	buf_init(&f.call, MAX_CALL);
	buf_init(&f.msg, GROUP_MAX_MSG);
	while ((n = next_op(fd, op, sizeof(op) - 1)) > 0) {
		op[n] = '\0';
		f.killed = !strcmp(op, KILL);
		err = f.killed ? EINTR : do_op(op);
		if (f.killed)
			continue;
		send(fd, &err, sizeof(err), 0);
		if (!strcmp(op, "umount"))
			break;
	}
	conn_close(f.c);
	_exit(0);
}

/* What is mounted: where, and how to reach its process */
static struct {
	char dir[128];
	int fd;
} mounts[MOUNTS];

/**
 * find - find a mount
 * @dir: where
 *
 * Return: its number, or a free one.
 */
static int find(const char *dir)
{
	int i, none = 0;

	for (i = 0; i < MOUNTS; i++) {
		if (mounts[i].fd && !strcmp(mounts[i].dir, dir))
			return i;
		if (!mounts[i].fd)
			none = i;
	}
	return none;
}

/**
 * start_client - start the process of a mount
 * @i: number of the mount
 * @dir: where it is
 * @opts: its options
 */
static void start_client(int i, const char *dir, const char *opts)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd))
		abort();
	fflush(stdout);
	if (!fork()) {
		close(fd[0]);
		fake_main(fd[1], opts);
	}
	close(fd[1]);
	mounts[i].fd = fd[0];
	snprintf(mounts[i].dir, sizeof(mounts[i].dir), "%s", dir);
}

/**
 * app_start - start an operation
 * @a: the operation
 * @op: see app_do() in app.c
 * @dir: the mount point
 * @opts: mount options
 */
void app_start(struct app *a, const char *op, const char *dir,
	       const char *opts)
{
	int i = find(dir);

	memset(a, 0, sizeof(*a));
	if (!strcmp(op, "mount"))
		start_client(i, dir, opts);
	a->pid = mounts[i].fd;
	send(a->pid, op, strlen(op), MSG_NOSIGNAL);
	if (!strcmp(op, "umount"))
		mounts[i].fd = 0;
}

/**
 * app_poll - look whether an operation has ended
 * @a: the operation, with the way to its process for a pid
 *
 * Return: true if so; then @a->err holds.
 */
bool app_poll(struct app *a)
{
	ssize_t n;

	if (a->done)
		return true;
	n = recv(a->pid, &a->err, sizeof(a->err), MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n <= 0)
		a->err = APP_CRASHED;
	a->done = true;
	return true;
}

/**
 * app_kill - give up on an operation
 * @a: the operation
 */
void app_kill(struct app *a)
{
	if (a->done)
		return;
	send(a->pid, KILL, sizeof(KILL) - 1, MSG_NOSIGNAL);
	a->done = true;
	a->err = APP_HUNG;
}
