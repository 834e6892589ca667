// SPDX-License-Identifier: GPL-2.0
/*
 * Server role: takes XMTREQs and their XMTCONTs, holds them against the
 * protocol and has them answered.
 *
 * What a client of the kernel's does wrong is a finding. While another peer is
 * served ("peer serve") it is answered as a server has to.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc.h"
#include "srv_place.h"
#include "want_place.h"

#define PULL_MEM	1

/**
 * srv_layout - how our receives are made up, and the INITXCH that says so
 * @s: the server
 * @sc: the connection
 * @probe: gets a template of the INITXCH
 * @size: size of @probe
 *
 * Return: @probe, or NULL if the case has no layout.
 */
const char *srv_layout(struct srv *s, struct sconn *sc, char *probe,
		       size_t size)
{
	char info[2048];

	if (!s->k->lay)
		return NULL;
	if (layout_init(&sc->lay, info, sizeof(info), s->k->lay, true))
		result_fail(s->r, "bad layout: %s", s->k->lay);
	snprintf(probe, size, "x 2 20 5 1 1 %s", info);
	return probe;
}

/**
 * srv_send_fault - answer a message by ERROR or REPTERR
 * @s: the server
 * @sc: the connection
 * @m: the message
 * @h: the same taken apart
 * @f: what is wrong with it
 * @open: it came while a group was open
 */
void srv_send_fault(struct srv *s, struct sconn *sc, const struct rmsg *m,
		    const struct hdr *h, const struct fault *f, bool open)
{
	struct rept r = {
		.bad = { h->xid, h->dir == DIR_REPLY, 0 }, .has_lead = open,
		.which = f->which,
	};
	struct buf b;
	size_t at;

	if (h->proc == P_OPTIONAL && h->opttype == O_XMTCONT &&
	    h->optinfo + 4 <= m->data + m->len)
		r.bad.seq = get_u32(h->optinfo);
	if (open)
		r.lead = (struct xms){ sc->grp->xid, sc->grp->dir, 0 };
	memcpy(r.v, f->v, sizeof(r.v));
	buf_init(&b, 256);
	wire_fixed(&b, h->xid, 2, s->grant, f->err ? P_ERROR : P_OPTIONAL);
	if (f->err) {
		buf_u32(&b, f->err);
	} else {
		buf_u32(&b, !r.bad.dir);
		buf_u32(&b, O_REPTERR);
		at = b.len;
		buf_u32(&b, 0);
		rept_put(&b, &r);
		buf_put_u32(&b, at, b.len - at - 4);
	}
	conn_send(sc->c, b.p, b.len, NULL);
	buf_free(&b);
}

/**
 * found - something is wrong with a transmission
 * @s: the server
 * @sc: the connection
 * @m: the transmission
 * @h: the same taken apart
 * @f: what is wrong
 * @open: it came while a group was open
 */
static void found(struct srv *s, struct sconn *sc, const struct rmsg *m,
		  const struct hdr *h, const struct fault *f, bool open)
{
	if (!s->serving)
		srv_fault(s, m, f->what);
	else if (h->dir == DIR_CALL || !f->err)
		srv_send_fault(s, sc, m, h, f, open);
	sc->drain = h->opttype == O_XMTCONT || sc->grp->x.count > 1 ||
		    (f->err && sc->grp->x.count != 1);
	group_free(sc->grp);
	sc->open_group = false;
}

/**
 * srv_intruder - does a message break into a group that is open?
 * @s: the server
 * @sc: the connection
 * @m: the message
 * @h: the same taken apart
 *
 * The group is over then; the message itself is taken as any other.
 *
 * Return: true if so.
 */
bool srv_intruder(struct srv *s, struct sconn *sc, const struct rmsg *m,
		  const struct hdr *h)
{
	struct fault f = { .what = "message inside a group" };

	if (h->proc == P_OPTIONAL && h->opttype == O_XMTCONT)
		return false;
	if (!sc->open_group) {
		sc->drain = false;
		return false;
	}
	f.which = h->proc == P_OPTIONAL ? R_BADOMT : R_BADHMT;
	f.v[0] = h->proc == P_OPTIONAL ? O_XMTCONT : P_OPTIONAL;
	f.v[1] = h->proc == P_OPTIONAL ? h->opttype : h->proc;
	found(s, sc, m, h, &f, true);
	sc->drain = true;
	return true;
}

/**
 * srv_bad - answer another peer's message that is wrong in itself
 * @s: the server
 * @sc: the connection
 * @m: the message
 * @h: as much of it as could be read
 */
void srv_bad(struct srv *s, struct sconn *sc, const struct rmsg *m,
	     const struct hdr *h)
{
	struct fault f = { .err = E_XDR };
	struct buf b;

	if (m->len < 16)
		return;
	if (h->vers != 2) {
		buf_init(&b, 28);
		wire_fixed(&b, h->xid, h->vers, s->grant, P_ERROR);
		buf_u32(&b, E_VERS);
		buf_u32(&b, 2);
		buf_u32(&b, 2);
		conn_send(sc->c, b.p, b.len, NULL);
		buf_free(&b);
		return;
	}
	if (h->proc == P_ERROR)
		return;
	if (h->proc > P_NOMSG && h->proc != P_OPTIONAL)
		f.err = E_PROC;
	else if (h->proc == P_OPTIONAL && (h->opttype < O_INITXCH ||
					   h->opttype > O_REPTERR))
		f.err = E_OPT;
	if (f.err != E_XDR || h->dir != DIR_REPLY)
		srv_send_fault(s, sc, m, h, &f, false);
}

/**
 * fetch_call - fetch an item of a request
 * @ctx: the connection
 * @it: the item
 *
 * Return: its bytes, or NULL.
 */
static const u8 *fetch_call(void *ctx, const struct item *it)
{
	struct sconn *sc = ctx;
	struct mem *mem = conn_mem(sc->c, PULL_MEM);
	u32 at = 0, i, n;

	for (i = 0; mem && i < it->loc.ex.nsegs && at < it->len; i++) {
		const struct seg *g = &it->loc.ex.seg[i];

		n = it->len - at < g->len ? it->len - at : g->len;
		if (conn_rdma(sc->c, false, PULL_MEM, at, n, g->handle, g->off))
			return NULL;
		at += n;
	}
	return mem ? mem->p : NULL;
}

/**
 * eligible - are all items of a request data of its WRITE?
 * @s: the server, which has carried out the call
 * @x: the request
 *
 * Return: true if so.
 */
static bool eligible(const struct srv *s, const struct xmt *x)
{
	u32 i;

	for (i = 0; i < x->nitems; i++)
		if (x->item[i].len && (x->item[i].disp != s->rep.arg_at ||
				       x->item[i].len != s->rep.arg_len))
			return false;
	return true;
}

/**
 * count_items - note what a request has in it
 * @s: the server
 * @g: the request
 */
static void count_items(struct srv *s, const struct group *g)
{
	const struct xmt *x = &g->x;
	u32 i;

	s->t.seen.requests++;
	s->t.seen.again += s->t.spoiled && g->xid == s->t.spoiled_xid;
	s->t.seen.count = x->count;
	s->t.seen.rsbuf = x->rsbuf;
	for (i = 0; i < x->nitems; i++) {
		s->t.seen.items[x->item[i].loc.type]++;
		if (!x->item[i].loc.ex.nsegs)
			continue;
		s->t.old_handle = x->item[i].loc.ex.seg[0].handle;
		s->t.old_addr = x->item[i].loc.ex.seg[0].off;
	}
	for (i = 0; i < x->ntargets; i++) {
		s->t.seen.targets[x->target[i].loc.type]++;
		if (!x->target[i].loc.ex.nsegs)
			continue;
		s->t.old_handle = x->target[i].loc.ex.seg[0].handle;
		s->t.old_addr = x->target[i].loc.ex.seg[0].off;
	}
}

/**
 * serve_group - carry out a request that is complete
 * @s: the server
 * @sc: the connection
 * @m: its last transmission
 * @h: the same taken apart
 */
static void serve_group(struct srv *s, struct sconn *sc, const struct rmsg *m,
			const struct hdr *h)
{
	struct tmpl_env env = {
		.c = sc->c, .xid = h->xid, .call = h, .honest = &s->out,
		.full = &s->rep.b, .lay = &sc->peer_lay, .peer = &sc->peer,
	};
	struct group *g = sc->grp;
	struct fault f = { 0 };

	if (group_message(g, &sc->lay, fetch_call, sc, &s->req) ||
	    nfs3_call(&s->rep, s->req.p, s->req.len)) {
		if (!sc->c->gone)
			srv_fault(s, m, "call cannot be read");
		return;
	}
	if (!s->serving && !eligible(s, &g->x))
		srv_fault(s, m, "item is no data of a WRITE");
	count_items(s, g);
	if (place_reply(s, sc, g, &env.honest_hlen, &f) && !sc->c->gone) {
		if (!s->serving)
			srv_fault(s, m, "no room for the reply");
		return;
	}
	srv_finish(s, sc, h, &env);
}

/**
 * manners - hold a request against what a sender must do
 * @s: the server
 * @sc: the connection
 *
 * Return: what is wrong, or NULL.
 */
static const char *manners(struct srv *s, struct sconn *sc)
{
	const struct xmt *x = &sc->grp->x;

	if (s->serving)
		return NULL;
	if (!sc->told || !(sc->lay.rtrsupp & RTRS_XREQ))
		return "XMTREQ we never offered to take";
	if (!x->rsbuf)
		return "rsbuf 0";
	if (x->rsbuf > sc->lay.limit)
		return "rsbuf above our RESPSXLIM";
	return group_manners(sc->grp, &sc->lay);
}

/**
 * take - take a transmission, first or later
 * @s: the server
 * @sc: the connection
 * @m: the transmission
 * @h: the same taken apart
 * @f: gets what is wrong with it
 *
 * Return: true if something is.
 */
static bool take(struct srv *s, struct sconn *sc, const struct rmsg *m,
		 const struct hdr *h, struct fault *f)
{
	if (h->opttype == O_XMTCONT) {
		if (!sc->open_group)
			group_free(sc->grp);
		return group_next(sc->grp, h, m->data, m->len, f);
	}
	group_free(sc->grp);
	return group_first(sc->grp, h, m->data, m->len, &sc->lay,
			   sc->lay.limit, f);
}

/**
 * srv_xmt - the client sent XMTREQ or XMTCONT
 * @s: the server
 * @sc: the connection
 * @m: the transmission
 * @h: the same taken apart
 *
 * Return: true if it must not be freed yet.
 */
bool srv_xmt(struct srv *s, struct sconn *sc, struct rmsg *m,
	     const struct hdr *h)
{
	bool open = sc->open_group;
	const char *bad;
	struct fault f;

	if (!sc->grp)
		sc->grp = calloc(1, sizeof(*sc->grp));
	if (!sc->grp)
		abort();
	if (sc->drain && h->opttype == O_XMTCONT)
		return false;
	if (h->opttype == O_XMTREQ && h->dir == DIR_REPLY && s->serving) {
		sc->drain = true;
		return false;
	}
	if (take(s, sc, m, h, &f) ||
	    (sc->grp->n == sc->grp->x.count &&
	     group_whole(sc->grp, &sc->lay, &f))) {
		found(s, sc, m, h, &f, open);
		return false;
	}
	bad = srv_call_open(sc, h->xid);
	if (bad && !s->serving)
		srv_fault(s, m, bad);
	sc->open_group = sc->grp->n < sc->grp->x.count;
	if (sc->open_group)
		return false;
	bad = manners(s, sc);
	if (!bad && sc->grp->n > 1 && srv_hold(s, sc, m, sc->grp)) {
		sc->grp = NULL;
		return true;
	}
	if (bad)
		srv_fault(s, m, bad);
	else
		serve_group(s, sc, m, h);
	group_free(sc->grp);
	return false;
}

/**
 * srv_late_group - answer a request that was put aside
 * @s: the server
 * @sc: the connection
 * @m: its last transmission
 * @h: the same taken apart
 * @g: the request; freed
 */
void srv_late_group(struct srv *s, struct sconn *sc, const struct rmsg *m,
		    const struct hdr *h, struct group *g)
{
	struct group *now = sc->grp;

	sc->grp = g;
	serve_group(s, sc, m, h);
	sc->grp = now;
	group_free(g);
	free(g);
}

/**
 * srv_report - the client sent REPTERR
 * @s: the server
 * @sc: the connection
 * @m: the message
 * @h: the same taken apart
 *
 * Another peer that reports a response gets nothing placed any more.
 */
void srv_report(struct srv *s, struct sconn *sc, const struct rmsg *m,
		const struct hdr *h)
{
	struct rept x;
	bool bad = rept_decode(&x, h);

	s->t.nr_reports++;
	if (!s->serving && bad)
		srv_fault(s, m, "malformed REPTERR");
	else if (!s->serving)
		srv_wanted(s, m, h);
	else if (!bad && x.bad.dir == DIR_REPLY && srv_answers_us(s, h))
		sc->peer_lay.nplt = 0;
}
