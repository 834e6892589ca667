// SPDX-License-Identifier: GPL-2.0
/*
 * Server role: answers RPC calls, honestly or as the case says. Data goes by
 * chunks; srv_reply.c has replies to XMTREQ.
 */
#include <stdlib.h>
#include <string.h>

#include "rpc.h"
#include "srv_place.h"

#define PULL_MEM	1
#define PUSH_MEM	2

/**
 * pull_reads - fetch Read chunks and put them where they belong
 * @s: the server
 * @sc: the connection
 * @m: the call
 * @h: the same taken apart
 *
 * Return: 0, or -1.
 */
static int pull_reads(struct srv *s, struct sconn *sc, const struct rmsg *m,
		      const struct hdr *h)
{
	const u8 *p = m->data + h->hlen;
	size_t left = m->len - h->hlen, n;
	struct mem *mem;
	u32 i, at = 0;

	buf_reset(&s->req);
	if (h->proc == P_NOMSG)
		left = 0;
	for (i = 0; i < h->nreads; i++) {
		if (h->pos[i] > s->req.len && h->pos[i] != at) {
			n = h->pos[i] - s->req.len;
			if (n > left)
				return -1;
			buf_bytes(&s->req, p, n);
			p += n;
			left -= n;
		}
		at = h->pos[i];
		if (s->req.len + (u64)h->reads[i].len + m->len > s->req.cap - 4)
			return -1;
		if (conn_rdma(sc->c, false, PULL_MEM, 0, h->reads[i].len,
			      h->reads[i].handle, h->reads[i].off))
			return -1;
		mem = conn_mem(sc->c, PULL_MEM);
		buf_bytes(&s->req, mem->p, h->reads[i].len);
	}
	buf_fill(&s->req, 0, -s->req.len & 3);
	buf_bytes(&s->req, p, left);
	return 0;
}

/**
 * srv_push - write bytes into a chunk, and note how many went where
 * @sc: the connection
 * @ch: the chunk; its lengths become what was written
 * @p: the bytes
 * @len: how many
 *
 * Return: 0, or -1 if they do not fit.
 */
int srv_push(struct sconn *sc, struct chunk *ch, const u8 *p, u32 len)
{
	struct mem *mem = conn_mem(sc->c, PUSH_MEM);
	u32 i, n, at = 0;

	if (!mem || len > MEM_SIZE)
		return -1;
	memcpy(mem->p, p, len);
	for (i = 0; i < ch->nsegs; i++) {
		n = len - at < ch->seg[i].len ? len - at : ch->seg[i].len;
		ch->seg[i].len = n;
		if (n && conn_rdma(sc->c, true, PUSH_MEM, at, n,
				   ch->seg[i].handle, ch->seg[i].off))
			return -1;
		at += n;
	}
	return at == len ? 0 : -1;
}

/**
 * clear_chunks - say that nothing was written into a call's chunks
 * @h: the reply's header
 * @from: first Write chunk to clear
 */
static void clear_chunks(struct hdr *h, u32 from)
{
	u32 i, j;

	for (i = from; i < h->nwrites; i++)
		for (j = 0; j < h->writes[i].nsegs; j++)
			h->writes[i].seg[j].len = 0;
}

/**
 * honest_reply - build the reply that is due
 * @s: the server
 * @sc: the connection
 * @h: the call
 * @hlen: gets the length of the reply's transport header
 *
 * Return: 0, or -1 if it cannot be conveyed.
 */
static int honest_reply(struct srv *s, struct sconn *sc,
			const struct hdr *h, size_t *hlen)
{
	struct nfs3_reply *rep = &s->rep;
	struct hdr *o = malloc(sizeof(*o));
	u32 limit = h->vers == 2 ? sc->peer_limit : V1_INLINE;
	size_t skip = 0, pad = 0;
	int bad = 0;

	hdr_copy(o, h);
	o->credit = s->grant;
	o->dir = DIR_REPLY;
	o->proc = P_MSG;
	o->nreads = 0;
	o->has_reply = false;
	if (rep->data_len && o->nwrites) {
		skip = rep->data_len;
		pad = -skip & 3;
		bad = srv_push(sc, &o->writes[0], rep->b.p + rep->data_at,
				 skip);
	}
	clear_chunks(o, skip ? 1 : 0);
	buf_reset(&s->out);
	wire_header(&s->out, o);
	buf_bytes(&s->out, rep->b.p, skip ? rep->data_at : rep->b.len);
	if (skip)
		buf_bytes(&s->out, rep->b.p + rep->data_at + skip + pad,
			  rep->b.len - rep->data_at - skip - pad);
	*hlen = s->out.len - (rep->b.len - skip - pad);
	if (s->out.len > limit && h->has_reply) {
		o->proc = P_NOMSG;
		o->has_reply = true;
		bad |= srv_push(sc, &o->reply, s->out.p + *hlen,
				  s->out.len - *hlen);
		buf_reset(&s->out);
		wire_header(&s->out, o);
		*hlen = s->out.len;
	} else if (s->out.len > limit) {
		bad = -1;
	}
	free(o);
	return bad;
}

/**
 * note_handles - remember a handle of a call that is being answered
 * @s: the server
 * @h: the call
 */
static void note_handles(struct srv *s, const struct hdr *h)
{
	const struct seg *g = NULL;

	if (h->nwrites && h->writes[0].nsegs)
		g = &h->writes[0].seg[0];
	else if (h->nreads)
		g = &h->reads[0];
	if (!g)
		return;
	s->t.old_handle = g->handle;
	s->t.old_addr = g->off;
}

/**
 * srv_spoil - send what a case has instead of a reply
 * @s: the server
 * @sc: the connection
 * @env: the call and its honest reply
 */
static void srv_spoil(struct srv *s, struct sconn *sc, struct tmpl_env *env)
{
	char list[4096];
	bool more = srv_alternative(s->k->reply, s->t.spoiled, list, sizeof(list));

	s->t.armed = more || s->k->flags & S_ALWAYS;
	s->t.spoiled++;
	s->t.spoiled_xid = env->xid;
	srv_list(s, sc, list, env, NULL);
}

/**
 * srv_honest - send the honest reply
 * @s: the server
 * @sc: the connection
 */
static void srv_honest(struct srv *s, struct sconn *sc)
{
	u32 i;

	srv_send(s, sc, &s->out);
	for (i = 0; i < s->nr_more; i++)
		srv_send(s, sc, &s->more[i]);
}

/**
 * lacks_item - is an honest reply not what the case needs?
 * @s: the server
 *
 * What a client offers in its requests is its own affair; a case about what it
 * does not offer is skipped.
 *
 * Return: true if so.
 */
static bool lacks_item(struct srv *s)
{
	u32 need = s->k->need, used = s->used;
	bool room = !(s->k->flags & S_ROOM) ||
		    (used != USED_BASE && s->t.seen.rsbuf > 1);

	if (room && (!need || need == used))
		return false;
	if (room && need == USED_ITEM && used != USED_BASE && used != USED_PLAIN)
		return false;
	result_skip(s->r, "the client asks for nothing of the kind");
	return true;
}

/**
 * srv_finish - send the honest reply to a call, or what a case has instead
 * @s: the server
 * @sc: the connection
 * @h: the call
 * @env: the call and its honest reply
 */
void srv_finish(struct srv *s, struct sconn *sc, const struct hdr *h,
		struct tmpl_env *env)
{
	if (s->rep.prog == RPC_PROG_NFS && s->rep.proc < NFS3_PROCS) {
		s->came[s->rep.proc]++;
		s->came_len = s->rep.proc == NFS3_READ ? s->rep.data_len :
							 s->rep.arg_len;
	}
	if (s->finish) {
		s->finish(s, sc, h, env);
		return;
	}
	if (s->t.spoiled && h->xid == s->t.spoiled_xid)
		s->t.repeats++;
	if (s->t.spoiled && h->xid == rpc_next_xid(s->t.spoiled_xid))
		s->t.nexts += s->rep.prog == RPC_PROG_NFS && s->rep.proc == s->k->proc;
	if (!s->t.armed || s->rep.prog != RPC_PROG_NFS ||
	    s->rep.proc != s->k->proc || lacks_item(s))
		srv_honest(s, sc);
	else
		srv_spoil(s, sc, env);
}

/**
 * srv_answer - answer an RPC call, honestly or not
 * @s: the server
 * @sc: the connection
 * @m: the call
 * @h: the same taken apart
 */
void srv_answer(struct srv *s, struct sconn *sc, const struct rmsg *m,
		       const struct hdr *h)
{
	struct tmpl_env env = {
		.c = sc->c, .xid = h->xid, .call = h, .honest = &s->out,
		.full = &s->rep.b, .lay = &sc->peer_lay, .peer = &sc->peer,
	};

	s->t.seen.base++;
	s->used = USED_BASE;
	s->nr_more = 0;
	if (pull_reads(s, sc, m, h) ||
	    nfs3_call(&s->rep, s->req.p, s->req.len)) {
		if (!sc->c->gone)
			srv_fault(s, m, "call cannot be read");
		return;
	}
	if (honest_reply(s, sc, h, &env.honest_hlen)) {
		if (!sc->c->gone)
			srv_fault(s, m, "no room for the reply");
		return;
	}
	note_handles(s, h);
	srv_finish(s, sc, h, &env);
}

/**
 * srv_hold - put a call aside, to see how many come unanswered
 * @s: the server
 * @sc: the connection
 * @m: the call, or its last transmission
 * @g: all of them, or NULL
 *
 * Return: true if it was kept.
 */
bool srv_hold(struct srv *s, struct sconn *sc, struct rmsg *m,
	      struct group *g)
{
	bool hold = s->keeps ? !s->keeps_groups || g :
			       s->k->flags & S_HOLD && s->t.armed && !g;

	if (!hold || sc->nr_held == MAX_HELD)
		return false;
	sc->held_grp[sc->nr_held] = g;
	sc->held[sc->nr_held++] = m;
	sc->held_at = now_ms();
	return true;
}
