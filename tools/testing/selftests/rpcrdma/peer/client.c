// SPDX-License-Identifier: GPL-2.0
/* Client role: carries out the scripts of the cases, see client.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_place.h"
#include "rpc.h"
#include "tmpl.h"
#include "want.h"
#include "want_place.h"
#include "xmt.h"

#define QUIET_MS	300
#define MAX_GRANT	0x4000
#define MAX_UNCONFIRMED	2

#define INIT_PLAIN	INIT "[ 3 1 4 1000 2 4 0 3 4 1 1 7 ]"
#define INIT_BIG	INIT "[ 3 1 4 4000 2 4 0 3 4 1 1 7 ]"
#define INIT_INV	INIT "[ 3 1 4 1000 2 4 1 3 4 1 1 7 ]"

/* Version 1's private data: magic, version 1, remote invalidation, 4 KiB */
static const u8 priv_v1[] = { 0xf6, 0xab, 0x0e, 0x18, 0x01, 0x01, 0x03, 0x03 };

/**
 * cli_fail - fail the case, with the message that was sent
 * @s: the client
 * @what: what went wrong
 * @got: what came instead, or NULL
 */
void cli_fail(struct cli *s, const char *what, const struct rmsg *got)
{
	char *sent = wire_hex(s->sent.p, s->sent.len, 128);
	char *back = got ? wire_hex(got->data, got->len, 64) : strdup("-");

	result_fail(s->r, "%s%s%s; sent %s; got %s", what, got ? ": " : "",
		    got ? wire_brief(got->data, got->len) : "", sent, back);
	free(sent);
	free(back);
}

/**
 * check_chunks - hold a reply's chunks against the offer
 * @s: the client
 * @h: the reply
 *
 * Return: what is wrong, or NULL.
 */
static const char *check_chunks(struct cli *s, const struct hdr *h)
{
	const struct hdr *o = &s->sent_hdr;
	u32 i, j;

	if (h->nreads)
		return "Read list in a reply";
	if (!s->sent_ok)
		return NULL;
	if (h->nwrites != o->nwrites)
		return "Write list not returned whole";
	for (i = 0; i < h->nwrites; i++) {
		if (h->writes[i].nsegs != o->writes[i].nsegs)
			return "Write chunk with other segments";
		for (j = 0; j < h->writes[i].nsegs; j++)
			if (h->writes[i].seg[j].handle !=
			    o->writes[i].seg[j].handle ||
			    h->writes[i].seg[j].len > o->writes[i].seg[j].len)
				return "Write segment not as offered";
	}
	if (h->has_reply && !o->has_reply)
		return "Reply chunk not offered";
	if (h->vers == 2 && h->proc == P_MSG && h->has_reply)
		return "unused Reply chunk returned";
	return NULL;
}

/**
 * check_always - hold any message of a server against what always applies
 * @s: the client
 * @m: the message
 * @h: the same taken apart
 *
 * Return: what is wrong, or NULL.
 */
static const char *check_always(struct cli *s, const struct rmsg *m,
				struct hdr *h)
{
	if (wire_decode(h, m->data, m->len))
		return h->why;
	if (!h->credit)
		return "zero credits";
	if (h->credit > MAX_GRANT)
		return "absurd grant";
	if (h->proc == P_ERROR && s->sent.len >= 8 &&
	    h->vers != get_u32(s->sent.p + 4))
		return "rdma_vers of the ERROR is not copied";
	if (h->proc == P_ERROR && m->inval)
		return "ERROR by Send With Invalidate";
	if (h->proc == P_ERROR || h->vers == 1)
		return NULL;
	if (h->proc == P_OPTIONAL && h->opttype == O_REPTERR)
		return NULL;
	if (h->dir != DIR_REPLY)
		return "direction is not REPLY";
	if (m->len > s->limit)
		return "Send above the receiver's RBSIZ";
	if (h->proc == P_OPTIONAL && h->opttype == O_XMTRESP)
		return place_check(s, m, h);
	if (h->proc == P_OPTIONAL)
		return m->len > V1_INLINE ? "control message too long" : NULL;
	if (s->sent_ok && h->inv != s->sent_hdr.inv)
		return "rdma_inv_handle not copied";
	return check_chunks(s, h);
}

/**
 * number - read a number of a WANT
 * @p: the text, moved behind it
 *
 * Return: its value.
 */
static u32 number(const char **p)
{
	bool reply = **p == 'r';
	char *e;
	u32 v = strtoul(*p + reply, &e, 0);

	if (reply)
		v = rpc_read_reply_len(v);
	if (*e == '+' || (*e == '-' && reply))
		v += strtol(e, &e, 10);
	*p = *e == ':' ? e + 1 : e;
	return v;
}

/**
 * want_cant - does an ERROR say CANT_REPLY with the values wanted?
 * @h: the message
 * @arg: the values
 *
 * Return: true if so.
 */
static bool want_cant(const struct hdr *h, const char *arg)
{
	u32 p = number(&arg), i = number(&arg), n = number(&arg);

	return h->proc == P_ERROR && h->err == E_CANT && h->processed == p &&
	       h->index == i && h->needed == n;
}

/**
 * want_vers - does an ERROR say VERS with the range wanted?
 * @h: the message
 * @arg: the range
 *
 * Return: true if so.
 */
static bool want_vers(const struct hdr *h, const char *arg)
{
	u32 low = number(&arg), high = number(&arg);

	return h->proc == P_ERROR && h->err == E_VERS && h->low == low &&
	       h->high == high;
}

/**
 * want_data - does memory 0 hold the right part of the test file?
 * @s: the client
 * @arg: offset and length
 *
 * Return: true if so.
 */
static bool want_data(struct cli *s, const char *arg)
{
	u32 off = number(&arg), len = number(&arg), i;
	struct mem *m = conn_mem(s->c, 0);

	for (i = 0; m && i < len; i++)
		if (m->p[i] != rpc_pattern(off + i))
			return false;
	return m;
}

/**
 * rpc_verdict - look at the RPC message in a reply
 * @s: the client
 * @m: the reply
 * @h: the same taken apart
 *
 * Return: accept_stat, RPC_DENIED, RPC_UNDECODABLE, or 200 plus the status
 * of a compound that failed.
 */
static int rpc_verdict(struct cli *s, const struct rmsg *m,
		       const struct hdr *h)
{
	const u8 *p = m->data + h->hlen;
	size_t len = m->len - h->hlen, at;
	int v;

	if (h->proc == P_NOMSG) {
		struct mem *mem = conn_mem(s->c, 0);
		u32 i;

		len = 0;
		for (i = 0; i < h->reply.nsegs; i++)
			len += h->reply.seg[i].len;
		p = mem->p;
	}
	v = rpc_result(p, len, h->xid, &at);
	if (v == RPC_SUCCESS && len >= at + 4 && get_u32(p + at))
		return 200;
	return v;
}

/**
 * want_swi - did a message invalidate a handle?
 * @s: the client
 * @m: the message
 * @rkey: the handle
 *
 * The user-space driver of siw says nothing about it. There the cases find
 * out by using the handle once more.
 *
 * Return: true if so, or if the device cannot tell.
 */
static bool want_swi(struct cli *s, const struct rmsg *m, u32 rkey)
{
	if (conn_is_iwarp(s->c) && !m->inval)
		return true;
	return m->inval && m->inval_rkey == rkey;
}

/**
 * want_word - does one word of a WANT hold?
 * @s: the client
 * @w: the word
 * @m: the message
 * @h: the same taken apart
 *
 * Return: true if so.
 */
static bool want_word(struct cli *s, const char *w, const struct rmsg *m,
		      const struct hdr *h)
{
	bool msg = h->proc == P_MSG;
	int known = want_known(w, h);

	if (known >= 0)
		return known;
	if (!strcmp(w, "reply"))
		return msg && rpc_verdict(s, m, h) == RPC_SUCCESS;
	if (!strcmp(w, "long"))
		return h->proc == P_NOMSG && h->has_reply &&
		       rpc_verdict(s, m, h) == RPC_SUCCESS;
	if (!strncmp(w, "rpcerr:", 7))
		return msg && rpc_verdict(s, m, h) == atoi(w + 7);
	if (!strcmp(w, "denied"))
		return msg && rpc_verdict(s, m, h) == RPC_DENIED;
	if (!strcmp(w, "nfserr"))
		return msg && rpc_verdict(s, m, h) == 200;
	if (!strncmp(w, "cant:", 5))
		return want_cant(h, w + 5);
	if (!strncmp(w, "vers:", 5))
		return want_vers(h, w + 5);
	if (!strncmp(w, "data:", 5))
		return want_data(s, w + 5);
	if (!strncmp(w, "swi", 3))
		return want_swi(s, m, conn_mem(s->c, atoi(w + 3))->rkey);
	return place_want(s, w, m, h) == 1;
}

/**
 * want_all - does one alternative of a WANT hold?
 * @s: the client
 * @want: the alternative
 * @m: the message
 * @h: the same taken apart
 *
 * A message that came with an invalidation only does if that was wanted.
 *
 * Return: true if so.
 */
static bool want_all(struct cli *s, char *want, const struct rmsg *m,
		     const struct hdr *h)
{
	bool swi = strstr(want, "swi");
	char *w, *save;

	s->stained |= swi;
	if (m->inval && !swi)
		return false;
	for (w = strtok_r(want, " ", &save); w; w = strtok_r(NULL, " ", &save))
		if (!want_word(s, w, m, h))
			return false;
	return true;
}

/**
 * want_any - does any alternative of a WANT hold?
 * @s: the client
 * @want: the alternatives
 * @m: the message
 * @h: the same taken apart
 *
 * Return: true if so.
 */
static bool want_any(struct cli *s, const char *want, const struct rmsg *m,
		     const struct hdr *h)
{
	char all[256], *w, *save;

	snprintf(all, sizeof(all), "%s", want);
	for (w = strtok_r(all, "|", &save); w; w = strtok_r(NULL, "|", &save))
		if (want_all(s, w, m, h))
			return true;
	return false;
}

/**
 * cli_matches - is a message in REPLY direction what is wanted?
 * @s: the client
 * @want: the alternatives
 * @m: the message
 *
 * Return: true if so.
 */
bool cli_matches(struct cli *s, const char *want, const struct rmsg *m)
{
	static struct hdr h;

	return !wire_decode(&h, m->data, m->len) && want_any(s, want, m, &h);
}

/**
 * learn - take credits and characteristics from an answer
 * @s: the client
 * @h: the answer
 */
static void learn(struct cli *s, const struct hdr *h)
{
	struct chars own;
	const char *bad;

	if (h->proc != P_ERROR)
		s->grant = h->credit;
	if (h->proc != P_OPTIONAL || h->opttype != O_INITXCH)
		return;
	if (wire_chars(&s->peer, h))
		result_fail(s->r, "INITXCH of the server: %s", h->why);
	bad = layout_told(&s->peer_lay, &s->peer);
	if (bad)
		result_fail(s->r, "INITXCH of the server: %s", bad);
	if (s->peer.rbsiz < DEFAULT_INLINE)
		result_fail(s->r, "RBSIZ %u of the server", s->peer.rbsiz);
	if (s->negotiated || !s->sent_ok)
		return;
	s->negotiated = true;
	if (!wire_chars(&own, &s->sent_hdr) && own.have_rbsiz && own.rbsiz >= V1_INLINE)
		s->limit = own.rbsiz;
}

/**
 * judge - hold a message against what is wanted
 * @s: the client
 * @m: the message, freed here
 * @xid: the xid it must have
 * @want: what is wanted
 *
 * Return: 0, or -1.
 */
static int judge(struct cli *s, struct rmsg *m, u32 xid, const char *want)
{
	struct hdr h;
	const char *bad = check_always(s, m, &h);

	if (cfg.verbose)
		printf("#   < %s%s\n", wire_brief(m->data, m->len),
		       m->inval ? " SWI" : "");
	if (!bad && h.xid != xid)
		bad = "answer to something else";
	if (!bad && !want_any(s, want, m, &h))
		bad = want;
	if (bad)
		cli_fail(s, bad == want ? "not what is wanted" : bad, m);
	else
		learn(s, &h);
	s->got = h;
	if (h.optlen > sizeof(s->got_opt))
		s->got.optlen = 0;
	if (s->got.optlen)
		memcpy(s->got_opt, h.optinfo, h.optlen);
	s->got.optinfo = s->got_opt;
	free(m);
	return bad ? -1 : 0;
}

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
 */
static void cli_send(struct cli *s, size_t len)
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
	if (conn_send(s->c, s->sent.p, len,
		      s->sent.has_swi ? &s->sent.swi : NULL) && !s->c->gone)
		result_fail(s->r, "Send cannot be posted");
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
		return judge(s, m, xid, want);
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
	       h.credit && want_word(s, "reply", m, &h);
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
		} else if (judge(s, m, xid, want)) {
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
	cli_send(s, len);
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
 * cli_holds - is the last answer this, too?
 * @s: the client
 * @want: a word of want.h
 *
 * Return: true if so.
 */
bool cli_holds(struct cli *s, const char *want)
{
	return want_known(want, &s->got) == 1;
}

/**
 * cli_script - carry out a script
 * @s: the client
 * @script: the script
 *
 * Return: 0, or -1.
 */
int cli_script(struct cli *s, const char *script)
{
	char step[8192], *want;

	while (tmpl_next(&script, step, sizeof(step))) {
		want = strstr(step, "=>");
		if (!want) {
			result_fail(s->r, "script without =>: %s", step);
			return -1;
		}
		*want = '\0';
		want += 2;
		want += strspn(want, " ");
		want[strcspn(want, ";")] = '\0';
		if (cli_own(s, step, want)) {
			if (s->r->v)
				return -1;
		} else if (cli_step(s, step, want)) {
			return -1;
		}
	}
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
		.recv_size = flags & C_BIG ? 65536 : 4096, .nr_recv = 64,
		.priv = priv_v1, .priv_len = flags & C_PRIV ? 8 : 0,
		.rnr_retry = flags & C_DEAF ? 7 : 0,
	};
	const char *why, *init = INIT_PLAIN;
	char placing[2048];

	memset(s, 0, sizeof(*s));
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
	if (!s->c)
		return;
	conn_close(s->c);
	buf_free(&s->sent);
	s->c = NULL;
}

/**
 * end_same - the connection must have survived
 * @s: the client
 * @k: the case
 */
static void end_same(struct cli *s, const struct cli_case *k)
{
	struct rmsg *m;

	if (k->flags & C_NOEND)
		return;
	if (cli_null(s, k->flags & C_V1 ? 1 : 2)) {
		result_fail(s->r, "NULL on the same connection");
		return;
	}
	m = cli_wait(s, s->hushed ? QUIET_MS : 0);
	if (m)
		cli_fail(s, "one message too many", m);
	free(m);
}

/**
 * end_new - a new connection must work
 * @r: result of the case
 */
static void end_new(struct result *r)
{
	struct cli s;

	if (!cli_open(&s, r, C_RAW))
		cli_null(&s, cfg.server_max);
	if (r->v == FAIL && strncmp(r->why, "after:", 6)) {
		char why[sizeof(r->why)];

		snprintf(why, sizeof(why), "after: %.900s", r->why);
		strcpy(r->why, why);
	}
	cli_close(&s);
}

/**
 * unmet - does a case lack what it needs?
 * @s: the client
 * @k: the case
 *
 * Return: true if the case is skipped.
 */
static bool unmet(struct cli *s, const struct cli_case *k)
{
	if (k->flags & C_RT && !s->peer.rtrsupp)
		result_skip(s->r, "unbuilt: RTRSUPP is not advertised");
	else if (k->flags & C_OWN && !cfg.on_server)
		result_skip(s->r, "needs --on-server");
	else if (k->flags & C_CONT && !(s->peer.rtrsupp & RTRS_XCONT))
		result_skip(s->r, "unbuilt: XCONT is not advertised");
	else if (k->flags & C_NORT && s->peer.rtrsupp)
		result_skip(s->r, "RTRSUPP is advertised");
	else if (k->flags & C_NOCONT && s->peer.rtrsupp & RTRS_XCONT)
		result_skip(s->r, "XCONT is advertised");
	return s->r->v == SKIP;
}

/**
 * fill_mem - give memory 0 the contents that a case asks for
 * @s: the client
 * @k: the case
 *
 * Return: 0, or -1.
 */
static int fill_mem(struct cli *s, const struct cli_case *k)
{
	struct tmpl_env env = { .c = s->c, .xid = s->xid };
	struct mem *m;
	struct buf b;

	if (!k->mem || k->flags & C_REV)
		return 0;
	m = conn_mem(s->c, 0);
	buf_init(&b, MEM_SIZE);
	if (!m || tmpl_build(&b, k->mem, &env)) {
		result_fail(s->r, "no memory for chunks");
		return -1;
	}
	memcpy(m->p, b.p, b.len);
	buf_free(&b);
	return 0;
}

/* A connection that the last case left behind, and how it was made */
static struct cli kept;
static unsigned int kept_flags;
static const char *kept_lay;

/**
 * cli_reuse - go on with the connection of the last case
 * @s: the client
 * @r: where failures go
 */
static void cli_reuse(struct cli *s, struct result *r)
{
	int i;

	s->r = r;
	s->hushed = false;
	for (i = 0; i < NR_MEM; i++)
		if (s->c->mem[i].p)
			memset(s->c->mem[i].p, 0, MEM_SIZE);
}

/**
 * cli_start - the connection of a case
 * @k: the case
 * @r: its result
 *
 * Return: 0, or -1.
 */
static int cli_start(const struct cli_case *k, struct result *r)
{
	unsigned int how = k->flags & (C_RAW | C_BIG | C_PRIV | C_INV | C_REV);

	if (kept.c)
		conn_poll(kept.c);
	if (kept.c && !kept.c->gone && !kept.stained && how == kept_flags &&
	    kept_lay == k->lay && !(how & (C_RAW | C_REV))) {
		cli_reuse(&kept, r);
		return 0;
	}
	cli_close(&kept);
	kept_flags = how;
	kept_lay = k->lay;
	if (cli_open_lay(&kept, r, k->flags, k->lay))
		return -1;
	kept.v1 = k->flags & C_V1;
	return 0;
}

/**
 * leave_cases - the worker ends
 */
static void leave_cases(void)
{
	cli_close(&kept);
}

/**
 * run_case - run a case of the client role
 * @what: the case
 * @r: its result
 */
static void run_case(const void *what, struct result *r)
{
	const struct cli_case *k = what;
	struct cli *s = &kept;

	if (!(k->flags & C_ANY) &&
	    cfg.server_max != (k->flags & C_SRV1 ? 1 : 2)) {
		result_skip(r, k->flags & C_SRV1 ? "version 2 is on" :
						   "version 2 is off");
		return;
	}
	if (cli_start(k, r) || unmet(s, k) || fill_mem(s, k))
		return;
	if (k->flags & C_REV ? run_reverse(s, k) :
	    k->flags & C_OWN ? cli_own_script(s, k->script) :
	    k->script && cli_script(s, k->script))
		return;
	if (k->run)
		k->run(s);
	s->stained |= k->flags & C_NOEND;
	if (!r->v && !s->c->gone)
		end_same(s, k);
	else if (!r->v)
		end_new(r);
}

/**
 * after_case - the witness must still be served
 * @what: unused
 * @r: result of the case
 */
static void after_case(const void *what, struct result *r)
{
	if (r->v == PASS)
		witness_ask(r);
}

static const struct case_table tables[] = {
	{ cases_base, &nr_cases_base },
	{ cases_fixed, &nr_cases_fixed },
	{ cases_chunks, &nr_cases_chunks },
	{ cases_error, &nr_cases_error },
	{ cases_optional, &nr_cases_optional },
	{ cases_chars, &nr_cases_chars },
	{ cases_xchg, &nr_cases_xchg },
	{ cases_ask, &nr_cases_ask },
	{ cases_inval, &nr_cases_inval },
	{ cases_reverse, &nr_cases_reverse },
	{ cases_rev_cont, &nr_cases_rev_cont },
	{ cases_credit, &nr_cases_credit },
	{ cases_cli_place, &nr_cases_cli_place },
	{ cases_cli_cont, &nr_cases_cli_cont },
	{ cases_later, &nr_cases_later },
	{ cases_queue, &nr_cases_queue },
};

/**
 * start_cases - prepare for the first case
 */
static void start_cases(void)
{
	witness_start();
	advert_server();
}

/**
 * client_main - the client role
 *
 * Return: exit status.
 */
int client_main(void)
{
	static const struct role role = {
		.end = "server", .tables = tables,
		.nr_tables = ARRAY_SIZE(tables),
		.case_size = sizeof(struct cli_case), .start = start_cases,
		.run = run_case,
		.leave = leave_cases, .after = after_case,
		.stop = witness_stop,
	};

	if (cfg.deaf)
		return deaf_main();
	return cfg.flood ? flood_main() : ktap_main(&role);
}
