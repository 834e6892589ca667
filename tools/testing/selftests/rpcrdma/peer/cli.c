// SPDX-License-Identifier: GPL-2.0
/* Client role: a connection, the messages sent on it and the answers to them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_place.h"
#include "rpc.h"
#include "want.h"
#include "want_place.h"

#define MAX_UNCONFIRMED	2
#define FEW_RECVS	24
#define FEW_SENDS	2

#define INIT_PLAIN	INIT "[ 3 1 4 1000 2 4 0 3 4 1 1 7 ]"
#define INIT_BIG	INIT "[ 3 1 4 4000 2 4 0 3 4 1 1 7 ]"
#define INIT_INV	INIT "[ 3 1 4 1000 2 4 1 3 4 1 1 7 ]"

/* Version 1's private data: magic, version 1, remote invalidation, 4 KiB */
static const u8 priv_v1[] = { 0xf6, 0xab, 0x0e, 0x18, 0x01, 0x01, 0x03, 0x03 };

/**
 * cli_updated - note what an UPDXCH of ours says of our receives
 * @s: the client
 */
static void cli_updated(struct cli *s)
{
	struct upd u;

	s->stained = true;
	if (!wire_upd(&u, &s->sent_hdr) && u.which == XC_RBSIZ &&
	    u.value >= V1_INLINE)
		s->limit = u.value;
}

/**
 * cli_answered - note what a RESPXCH of ours says of our receives
 * @s: the client
 */
static void cli_answered(struct cli *s)
{
	struct resp x;
	u32 i;

	if (wire_resp(&x, &s->sent_hdr))
		return;
	for (i = 0; i < s->asked.count; i++)
		if (s->asked.which[i] == XC_RBSIZ && resp_done(&x, i))
			s->limit = s->asked.value[i];
}

/**
 * cli_send - send the message in @s->sent
 * @s: the client
 * @len: how many of its bytes
 *
 * Return: 0, or -1 if it cannot be sent, so that there is nothing to wait for.
 */
static int cli_send(struct cli *s, size_t len)
{
	s->sent.len = len;
	s->sent_ok = !wire_decode(&s->sent_hdr, s->sent.p, len);
	if (s->sent_ok && s->sent_hdr.proc == P_OPTIONAL &&
	    s->sent_hdr.opttype == O_INITXCH)
		s->told = true;
	if (s->sent_ok && s->sent_hdr.proc == P_OPTIONAL &&
	    s->sent_hdr.opttype == O_UPDXCH)
		cli_updated(s);
	if (s->sent_ok && s->sent_hdr.proc == P_OPTIONAL &&
	    s->sent_hdr.opttype == O_RESPXCH)
		cli_answered(s);
	if (s->sent_ok && s->sent_hdr.dir == DIR_REPLY)
		s->unconfirmed = 0;
	s->stained |= s->sent.has_swi;
	place_sent(s);
	if (cfg.verbose)
		printf("#   > %s\n", wire_brief(s->sent.p, len));
	if (!conn_send(s->c, s->sent.p, len,
		       s->sent.has_swi ? &s->sent.swi : NULL) || s->c->gone)
		return 0;
	result_fail(s->r, "Send cannot be posted");
	return -1;
}

/**
 * cli_hear - keep a message that came of the server's own accord
 * @s: the client
 * @m: the message; copied
 */
void cli_hear(struct cli *s, const struct rmsg *m)
{
	if (!heard_add(&s->heard, m))
		cli_fail(s, "too many messages unasked", m);
}

/**
 * cli_reqxch - take a REQXCH of the server
 * @s: the client
 * @m: the message
 * @h: the same taken apart
 *
 * Everything is rejected, unless the script does something about it. A REQXCH
 * that asks for nothing just has to be answered.
 *
 * Return: what is wrong with it, or NULL.
 */
static const char *cli_reqxch(struct cli *s, const struct rmsg *m,
			      const struct hdr *h)
{
	struct req req;
	struct buf b;
	u32 i;

	if (wire_req(&req, h))
		return "REQXCH of the server";
	if (s->listening && (req.count || s->hears_all)) {
		s->asked = req;
		cli_hear(s, m);
		return NULL;
	}
	buf_init(&b, 256);
	wire_fixed(&b, h->xid, 2, 32, P_OPTIONAL);
	buf_u32(&b, DIR_REPLY);
	buf_u32(&b, O_RESPXCH);
	buf_u32(&b, 16);
	for (i = 0; i < 4; i++)
		buf_u32(&b, i == 1 ? 1 : i == 2 ? (1u << req.count) - 1 : 0);
	conn_send(s->c, b.p, b.len, NULL);
	buf_free(&b);
	s->unconfirmed = 0;
	return NULL;
}

/**
 * cli_call - take a message that the server sends of its own accord
 * @s: the client
 * @m: the message
 * @h: the same taken apart
 *
 * Return: what is wrong with it, or NULL.
 */
static const char *cli_call(struct cli *s, const struct rmsg *m,
			    const struct hdr *h)
{
	if (!h->credit || h->credit > MAX_GRANT)
		return "absurd credits";
	if (m->inval)
		return "Send With Invalidate in a Call";
	if (s->reverse && (h->proc == P_MSG || (h->proc == P_OPTIONAL &&
	    (h->opttype == O_XMTREQ || h->opttype == O_XMTCONT))))
		return s->reverse(s, m, h);
	if (h->proc != P_OPTIONAL || !s->told)
		return "Call of the server out of place";
	if (h->opttype == O_REQXCH)
		return cli_reqxch(s, m, h);
	if (h->opttype != O_UPDXCH || wire_upd(&s->upd, h))
		return "OPTIONAL of the server out of place";
	s->nr_upd++;
	if (++s->unconfirmed > MAX_UNCONFIRMED)
		return "too many UPDXCH before any answer";
	if (s->listening)
		cli_hear(s, m);
	return NULL;
}

/**
 * cli_wait - wait for a message in REPLY direction
 * @s: the client
 * @ms: how long at most
 *
 * What the server sends of its own accord is dealt with.
 *
 * Return: the message, the caller's to free, or NULL.
 */
struct rmsg *cli_wait(struct cli *s, int ms)
{
	static struct hdr h;
	struct rmsg *m;
	const char *bad;

	while ((m = conn_wait(s->c, ms))) {
		if (wire_decode(&h, m->data, m->len) || h.vers != 2 ||
		    h.proc == P_ERROR || h.dir != DIR_CALL ||
		    (h.proc == P_OPTIONAL && h.opttype == O_REPTERR))
			return m;
		if (cfg.verbose)
			printf("#   < %s\n", wire_brief(m->data, m->len));
		bad = cli_call(s, m, &h);
		if (bad)
			cli_fail(s, bad, m);
		free(m);
	}
	return NULL;
}

/**
 * await - wait for the answer to the last message
 * @s: the client
 * @xid: its xid
 * @want: what is wanted
 *
 * Return: 0, or -1.
 */
static int await(struct cli *s, u32 xid, const char *want)
{
	struct rmsg *m = cli_wait(s, cfg.timeout);

	if (m)
		return cli_judge(s, m, xid, want);
	if (s->c->gone && strstr(want, "disc"))
		return 0;
	cli_fail(s, s->c->gone ? s->c->why :
		 s->c->send_done < s->c->sent ? "Send never completes" :
						"no answer", NULL);
	return -1;
}

/**
 * is_witness - is this the reply to a NULL call sent to part two messages?
 * @s: the client
 * @m: the message
 * @xid: xid of that call
 *
 * Return: true if so.
 */
static bool is_witness(struct cli *s, const struct rmsg *m, u32 xid)
{
	static struct hdr h;

	return !wire_decode(&h, m->data, m->len) && h.xid == xid &&
	       h.credit && cli_word(s, "reply", m, &h);
}

/**
 * await_nothing - see to it that a message gets no answer
 * @s: the client
 * @xid: its xid
 * @want: what is wanted if there is an answer
 *
 * A NULL call is sent behind it, and its reply must be all that comes. The
 * server may work on several messages at a time: some time must pass in
 * silence, too, but once is enough, at the end of the case.
 *
 * Return: 0, or -1.
 */
static int await_nothing(struct cli *s, u32 xid, const char *want)
{
	struct tmpl_env env = { .c = s->c, .xid = s->xid };
	bool seen = false, answered = !strchr(want, '|');
	struct rmsg *m;
	struct buf b;

	s->xid += s->xid_step;
	s->hushed = true;
	buf_init(&b, 256);
	tmpl_build(&b, s->v1 ? NULLV1 : NULLMSG, &env);
	conn_send(s->c, b.p, b.len, NULL);
	buf_free(&b);
	while (!seen || !answered) {
		m = cli_wait(s, seen ? QUIET_MS : cfg.timeout);
		if (!m)
			break;
		if (!seen && is_witness(s, m, env.xid)) {
			seen = true;
			free(m);
		} else if (cli_judge(s, m, xid, want)) {
			return -1;
		} else {
			answered = true;
		}
	}
	if (seen || (s->c->gone && strstr(want, "disc")))
		return 0;
	cli_fail(s, s->c->gone ? s->c->why : "no NULL after it", NULL);
	return -1;
}

/**
 * cli_one - send a message and see what comes back
 * @s: the client
 * @len: how many bytes of it
 * @xid: its xid
 * @want: what is wanted
 *
 * Return: 0, or -1.
 */
static int cli_one(struct cli *s, size_t len, u32 xid, const char *want)
{
	if (cli_send(s, len))
		return -1;
	if (strstr(want, "more"))
		return 0;
	s->stained |= want_xid(&xid, want);
	if (strstr(want, "drop"))
		return await_nothing(s, xid, want);
	return await(s, xid, want);
}

/**
 * xid_shift - what a template that begins with x+N or x-N adds to the xid
 * @tmpl: the template
 *
 * Return: that number.
 */
static int xid_shift(const char *tmpl)
{
	tmpl += strspn(tmpl, " \t\n");
	return *tmpl == 'x' && strchr("+-", tmpl[1]) ? atoi(tmpl + 1) : 0;
}

/**
 * cli_step - build and send a message, or a series of shortened ones
 * @s: the client
 * @tmpl: its template
 * @want: what is wanted in return
 *
 * Return: 0, or -1.
 */
int cli_step(struct cli *s, const char *tmpl, const char *want)
{
	struct tmpl_env env = {
		.c = s->c, .xid = s->xid, .told = s->heard_xid,
		.lay = &s->peer_lay, .peer = &s->peer,
	};
	size_t n, hi;
	u32 xid;

	if (strstr(tmpl, "also"))
		return await(s, get_u32(s->sent.p), want);
	if (!strstr(want, "more"))
		s->xid += s->xid_step;
	xid = env.xid + xid_shift(tmpl);
	if (tmpl_build(&s->sent, tmpl, &env)) {
		result_fail(s->r, "bad template: %s", tmpl);
		return -1;
	}
	if (s->listening && s->sent.len >= 4)
		xid = get_u32(s->sent.p);
	if (!s->sent.has_cut)
		return cli_one(s, s->sent.len, xid, want);
	hi = s->sent.cut_hi;
	for (n = s->sent.cut_lo; n <= hi; n++)
		if (cli_one(s, n, xid, want))
			return -1;
	return 0;
}

/**
 * cli_null - make a NULL call
 * @s: the client
 * @vers: in which version
 *
 * Return: 0, or -1.
 */
int cli_null(struct cli *s, u32 vers)
{
	return cli_step(s, vers == 1 ? NULLV1 : NULLMSG, "reply");
}

/**
 * cli_nulls - send NULL calls without waiting for answers
 * @s: the client
 * @n: how many
 *
 * Their xids begin with that of @s.
 */
void cli_nulls(struct cli *s, u32 n)
{
	struct buf b;
	u32 end = s->xid + n;

	buf_init(&b, 256);
	for (; s->xid != end; s->xid++) {
		buf_reset(&b);
		wire_fixed(&b, s->xid, 2, 64, P_MSG);
		buf_fill(&b, 0, 20);
		rpc_null(&b, s->xid, DIR_CALL);
		conn_send(s->c, b.p, b.len, NULL);
	}
	buf_free(&b);
}

/**
 * cli_open - connect, and negotiate unless told otherwise
 * @s: the client
 * @r: where failures go
 * @flags: C_*
 *
 * Return: 0, or -1.
 */
int cli_open(struct cli *s, struct result *r, unsigned int flags)
{
	return cli_open_lay(s, r, flags, NULL);
}

/**
 * cli_open_lay - the same for a client that takes placed data
 * @s: the client
 * @r: where failures go
 * @flags: C_*
 * @lay: see struct cli_case, or NULL
 *
 * Return: 0, or -1.
 */
int cli_open_lay(struct cli *s, struct result *r, unsigned int flags,
		 const char *lay)
{
	struct conn_opts o = {
		.recv_size = flags & C_BIG ? 65536 : 4096,
		.nr_recv = flags & C_FEW ? FEW_RECVS : 64,
		.nr_send = flags & C_FEW ? FEW_SENDS : NR_SEND,
		.priv = priv_v1, .priv_len = flags & C_PRIV ? 8 : 0,
		.rnr_retry = flags & C_DEAF ? 7 : 0,
	};
	const char *why, *init = INIT_PLAIN;
	char placing[2048];

	memset(s, 0, sizeof(*s));
	want_forget();
	s->r = r;
	s->xid = 0xc0de0000 + (getpid() & 0xff) * 256;
	s->xid_step = 8;
	s->grant = 1;
	s->limit = DEFAULT_INLINE;
	chars_default(&s->peer);
	if (lay && place_init(s, lay, placing, sizeof(placing)))
		return -1;
	if (lay)
		o.lay = &s->lay;
	buf_init(&s->sent, SEND_SIZE);
	s->c = conn_open(cfg.host, cfg.port, &o, &why);
	if (!s->c) {
		result_fail(r, "cannot connect: %s", why);
		return -1;
	}
	if (flags & C_RAW)
		return 0;
	if (lay)
		init = placing;
	else if (flags & C_INV)
		init = INIT_INV;
	else if (flags & C_BIG)
		init = INIT_BIG;
	return cli_step(s, init, "init");
}

/**
 * cli_close - end a client
 * @s: the client
 */
void cli_close(struct cli *s)
{
	conn_close(s->c);
	buf_free(&s->sent);
	s->c = NULL;
}
