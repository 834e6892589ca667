// SPDX-License-Identifier: GPL-2.0
/* Server role: takes the client's messages, each according to its kind. */
#include <stdlib.h>
#include <string.h>

#include "serve_back.h"
#include "want_back.h"

#define MAX_UNCONFIRMED	2

/**
 * srv_release - answer the calls put aside
 * @s: the server
 * @sc: the connection
 */
void srv_release(struct srv *s, struct sconn *sc)
{
	static struct hdr h;
	unsigned int i, n = sc->nr_held;

	sc->nr_held = 0;
	for (i = 0; i < n; i++) {
		wire_decode(&h, sc->held[i]->data, sc->held[i]->len);
		if (sc->held_grp[i])
			srv_late_group(s, sc, sc->held[i], &h, sc->held_grp[i]);
		else
			srv_answer(s, sc, sc->held[i], &h);
		free(sc->held[i]);
	}
	s->t.armed = false;
}

/**
 * srv_hear - keep a message that came of the client's own accord
 * @s: the server
 * @m: the message; copied
 */
static void srv_hear(struct srv *s, const struct rmsg *m)
{
	if (!heard_add(&s->heard, m))
		srv_fault(s, m, "too many messages unasked");
}

/**
 * probe_sent - note what an answer to INITXCH means
 * @sc: the connection
 * @b: the answer
 *
 * Who answers by ERROR has not understood how long Sends to the client may be.
 */
static void probe_sent(struct sconn *sc, const struct buf *b)
{
	static struct hdr h;
	struct chars own;
	bool bad = wire_decode(&h, b->p, b->len) && !h.excess;
	bool ours = !bad && (h.xid == sc->probe_xid || h.proc != P_ERROR);

	if (ours && !sc->vers && h.proc == P_ERROR && h.err == E_VERS)
		sc->vers = 1;
	else if (ours && !sc->vers && h.vers == 2)
		sc->vers = 2;
	if (ours && h.proc == P_ERROR)
		sc->peer_limit = DEFAULT_INLINE;
	if (sc->vers)
		sc->probing = false;
	if (!bad && h.proc == P_OPTIONAL && h.opttype == O_INITXCH &&
	    !sc->told) {
		sc->told = !wire_chars(&own, &h);
		if (sc->told && own.have_rbsiz && own.rbsiz >= V1_INLINE)
			sc->own_limit = sc->next_limit = own.rbsiz;
	}
}

/**
 * srv_probe - answer the client's INITXCH
 * @s: the server
 * @sc: the connection
 * @h: the INITXCH
 */
static void srv_probe(struct srv *s, struct sconn *sc, struct hdr *h)
{
	struct tmpl_env env = {
		.c = sc->c, .xid = h->xid, .told = s->t.spoiled_xid,
	};
	char list[4096], own[2200];
	const char *probe = srv_layout(s, sc, own, sizeof(own)), *bad;

	if (wire_chars(&sc->peer, h))
		result_fail(s->r, "client's INITXCH: %s", h->why);
	bad = layout_told(&sc->peer_lay, &sc->peer);
	if (bad)
		result_fail(s->r, "client's INITXCH: %s", bad);
	if (sc->peer.rbsiz >= V1_INLINE)
		sc->peer_limit = sc->peer.rbsiz;
	sc->probing = true;
	sc->probe_at = now_ms();
	sc->probe_xid = h->xid;
	if (s->k->probe)
		probe = s->k->probe;
	srv_alternative(probe ? probe : HONEST_PROBE, sc - s->sc,
		    list, sizeof(list));
	srv_list(s, sc, list, &env, probe_sent);
}

/**
 * srv_error - the client sent an ERROR
 * @s: the server
 * @m: the message
 * @h: the same taken apart
 */
static void srv_error(struct srv *s, const struct rmsg *m,
		      const struct hdr *h)
{
	s->t.back = h->err;
	s->t.back_xid = h->xid;
	s->t.nr_back++;
	if (!(s->k->flags & S_ANYBACK) && !srv_answers_us(s, h))
		srv_fault(s, m, "xid or version of the ERROR is not copied");
	if (h->err == E_VERS)
		srv_fault(s, m, "a client never sends VERS");
	if (s->k->answers || s->k->steps)
		srv_wanted(s, m, h);
	else if (s->k->flags & S_ANYBACK)
		return;
	else if (!s->k->back)
		srv_fault(s, m, "ERROR where none belongs");
	else if (h->err != s->k->back)
		srv_fault(s, m, "wrong error code");
}

/**
 * xmt_reply_fault - hold a reverse reply by XMTRESP against the protocol
 * @m: the reply
 * @h: the same taken apart
 *
 * There was no target, and no more than one transmission was asked for.
 *
 * Return: what is wrong, or NULL.
 */
static const char *xmt_reply_fault(const struct rmsg *m, const struct hdr *h)
{
	const char *why;
	struct xmt x;

	if (xmt_decode(&x, h, &why))
		return why;
	if (x.nitems || x.count != 1 || x.pslen != m->len - h->hlen)
		return "more than a payload in a reverse reply";
	return NULL;
}

/**
 * reply_fault - hold a reverse reply against the protocol
 * @s: the server
 * @m: the reply
 * @h: the same taken apart
 *
 * Return: what is wrong, or NULL.
 */
static const char *reply_fault(struct srv *s, const struct rmsg *m,
			       const struct hdr *h)
{
	const struct sent *call = srv_find_sent(s, h, true);
	const u8 *rpc = m->data + h->hlen;

	if (!call)
		return "a reply to nothing";
	if (h->proc == P_OPTIONAL)
		return call->xmt ? xmt_reply_fault(m, h) :
				   "XMTRESP to a Call by MSG";
	if (h->proc != P_MSG || h->nreads || h->nwrites || h->has_reply)
		return "chunks in a reverse reply";
	if (h->inv != call->inv)
		return "rdma_inv_handle not copied";
	if (s->k->flags & S_V41 && !srv_current(s)->peer.brs)
		return "a reverse reply, though BRS is NONE";
	if (m->len < h->hlen + 24 || get_u32(rpc) != h->xid ||
	    get_u32(rpc + 4) != DIR_REPLY)
		return "payload of a reverse reply";
	return NULL;
}

/**
 * srv_reverse - the client answers a reverse Call
 * @s: the server
 * @m: the reply
 * @h: the same taken apart
 */
static void srv_reverse(struct srv *s, const struct rmsg *m,
			const struct hdr *h)
{
	const char *bad = reply_fault(s, m, h);

	s->t.nr_reverse++;
	if (bad)
		srv_fault(s, m, bad);
	else if (s->k->answers)
		srv_wanted(s, m, h);
	else if (!(s->k->flags & S_V41))
		srv_fault(s, m, "a reverse reply out of place");
}

/**
 * srv_reqxch - take a REQXCH of the client
 * @s: the server
 * @sc: the connection
 * @m: the message
 * @h: the same taken apart
 *
 * It holds a credit until it is answered. Everything is rejected unless the
 * case has steps. One that asks for nothing just has to be answered. The answer grants
 * what the message before it did: only the case changes a grant.
 */
static void srv_reqxch(struct srv *s, struct sconn *sc, const struct rmsg *m,
		       const struct hdr *h)
{
	struct tmpl_env env = { .c = sc->c, .xid = h->xid };
	const char *bad = srv_call_open(sc, h->xid);
	struct req req;
	char t[64];

	if (!sc->told || wire_req(&req, h))
		bad = "REQXCH out of place";
	if (bad) {
		srv_fault(s, m, bad);
	} else if (s->k->steps && (req.count || s->hears_all)) {
		srv_hear(s, m);
	} else {
		snprintf(t, sizeof(t), "x 2 %x 5 1 3 [ 0 1 %x 0 ]",
			 sc->last_grant, (1u << req.count) - 1);
		srv_list(s, sc, t, &env, NULL);
	}
}

/**
 * srv_updxch - take an UPDXCH of the client
 * @s: the server
 * @sc: the connection
 * @m: the message
 * @h: the same taken apart
 */
static void srv_updxch(struct srv *s, struct sconn *sc, const struct rmsg *m,
		       const struct hdr *h)
{
	struct upd u;

	s->t.nr_upd++;
	if (++sc->unconfirmed > MAX_UNCONFIRMED)
		srv_fault(s, m, "too many UPDXCH before any answer");
	if (!sc->told || wire_upd(&u, h)) {
		srv_fault(s, m, "UPDXCH out of place");
		return;
	}
	if (u.pendclr && !s->t.pending)
		srv_fault(s, m, "pendclr with nothing pending");
	if (u.which == XC_RBSIZ && u.value < sc->peer_limit)
		srv_fault(s, m, "RBSIZ lowered unasked");
	s->t.pending -= u.pendclr && s->t.pending;
	if (u.which == XC_RBSIZ && u.value >= V1_INLINE)
		sc->peer_limit = u.value;
	if (u.which == XC_BRS)
		sc->peer.brs = u.value;
	if (s->k->steps)
		srv_hear(s, m);
}

/**
 * note_done - note what a RESPXCH says of the client's receives
 * @s: the server
 * @sc: the connection
 * @x: the RESPXCH
 */
static void note_done(struct srv *s, struct sconn *sc, const struct resp *x)
{
	u32 i;

	for (i = 0; i < s->asked.count; i++)
		if (s->asked.which[i] == XC_RBSIZ && resp_done(x, i))
			sc->peer_limit = s->asked.value[i];
}

/**
 * srv_respxch - take a RESPXCH of the client
 * @s: the server
 * @sc: the connection
 * @m: the message
 * @h: the same taken apart
 */
static void srv_respxch(struct srv *s, struct sconn *sc, const struct rmsg *m,
			const struct hdr *h)
{
	struct resp x;
	int i;

	if (!srv_answers_us(s, h) || wire_resp(&x, h) || !resp_once(&x)) {
		srv_fault(s, m, "RESPXCH out of place");
		return;
	}
	for (i = 0; i < SUBSET_WORDS; i++)
		s->t.pending += __builtin_popcount(x.pend.w[i]);
	note_done(s, sc, &x);
	srv_wanted(s, m, h);
}

/**
 * srv_optional - the client sent an OPTIONAL
 * @s: the server
 * @sc: the connection
 * @m: the message
 * @h: the same taken apart
 *
 * Return: true if it must not be freed yet.
 */
static bool srv_optional(struct srv *s, struct sconn *sc, struct rmsg *m,
			 struct hdr *h)
{
	if (h->opttype == O_XMTREQ || h->opttype == O_XMTCONT) {
		return srv_xmt(s, sc, m, h);
	} else if (h->opttype == O_REPTERR) {
		srv_report(s, sc, m, h);
	} else if (h->opttype == O_INITXCH && h->dir == DIR_CALL) {
		srv_probe(s, sc, h);
	} else if (h->opttype == O_INITXCH) {
		s->t.nr_answers++;
		if (!srv_answers_us(s, h))
			srv_fault(s, m, "xid of the answer is not copied");
		if (s->k->answers || s->k->steps)
			srv_wanted(s, m, h);
		else if (!(s->k->flags & S_BACK))
			srv_fault(s, m, "INITXCH in REPLY direction unasked");
	} else if (h->opttype == O_RESPXCH && h->dir == DIR_REPLY) {
		srv_respxch(s, sc, m, h);
	} else if (h->opttype == O_REQXCH && h->dir == DIR_CALL) {
		srv_reqxch(s, sc, m, h);
	} else if (h->opttype == O_UPDXCH) {
		srv_updxch(s, sc, m, h);
	} else if (s->serving) {
		srv_bad(s, sc, m, h);
	} else if (back_reply(h)) {
		srv_reverse(s, m, h);
	} else {
		srv_fault(s, m, "OPTIONAL we never offered to take");
	}
	return false;
}

/**
 * srv_message - take one message
 * @s: the server
 * @sc: its connection
 * @m: the message
 *
 * Return: true if it must not be freed yet.
 */
bool srv_message(struct srv *s, struct sconn *sc, struct rmsg *m)
{
	static struct hdr h;
	bool intruded, kept = false;
	const char *bad;

	if (!s->first.len)
		buf_bytes(&s->first, m->data, m->len < 4096 ? m->len : 4096);
	sc->nr_msg++;
	if (sc->vers == 2 && m->len > s->t.longest)
		s->t.longest = m->len;
	bad = srv_check(sc, m, &h);
	if (cfg.verbose)
		printf("#   < %s\n", wire_brief(m->data, m->len));
	if (bad && s->serving) {
		if (h.vers == 2)
			srv_intruder(s, sc, m, &h);
		srv_bad(s, sc, m, &h);
		return false;
	}
	if (bad) {
		srv_fault(s, m, bad);
		return false;
	}
	intruded = srv_intruder(s, sc, m, &h);
	if (s->take && s->take(s, sc, m, &h)) {
		kept = false;
	} else if (s->serving && back_takes(s, sc, m, &h)) {
		kept = false;
	} else if (h.proc == P_ERROR) {
		srv_error(s, m, &h);
	} else if (h.proc <= P_NOMSG && h.dir == DIR_REPLY) {
		srv_reverse(s, m, &h);
	} else if (h.proc <= P_NOMSG) {
		sc->nr_call++;
		s->t.nr_long += h.proc == P_NOMSG;
		s->t.nr_offers += h.has_reply;
		if (h.vers == 1)
			sc->vers = 1;
		if (srv_hold(s, sc, m, NULL))
			return true;
		srv_answer(s, sc, m, &h);
	} else {
		kept = srv_optional(s, sc, m, &h);
	}
	if (intruded)
		sc->drain = !sc->open_group;
	return kept;
}
