// SPDX-License-Identifier: GPL-2.0
/*
 * Server role: takes the client's messages, holds each against the protocol,
 * and answers honestly or as the case says.
 */
#include <stdlib.h>
#include <string.h>

#include "rpc.h"
#include "server.h"
#include "tmpl.h"

#define HOLD_MS		400
#define PAUSE_MS	1500
#define BREATHE_MS	60
#define PULL_MEM	1
#define PUSH_MEM	2

/**
 * srv_fault - the client did what it must not
 * @s: the server
 * @m: the message, or NULL
 * @what: what is wrong
 */
static void srv_fault(struct srv *s, const struct rmsg *m, const char *what)
{
	char *hex = m ? wire_hex(m->data, m->len, 96) : strdup("");

	result_fail(s->r, "client: %s: %s %s", what,
		    m ? wire_brief(m->data, m->len) : "", hex);
	free(hex);
}

/**
 * handle_known - is a handle among those a call offers?
 * @h: the call
 * @handle: the handle
 *
 * Return: true if so.
 */
static bool handle_known(const struct hdr *h, u32 handle)
{
	u32 i, j;

	for (i = 0; i < h->nreads; i++)
		if (h->reads[i].handle == handle)
			return true;
	for (i = 0; i < h->nwrites; i++)
		for (j = 0; j < h->writes[i].nsegs; j++)
			if (h->writes[i].seg[j].handle == handle)
				return true;
	for (j = 0; h->has_reply && j < h->reply.nsegs; j++)
		if (h->reply.seg[j].handle == handle)
			return true;
	return false;
}

/**
 * check_call - hold an RPC call against the protocol
 * @sc: its connection
 * @m: the call
 * @h: the same taken apart
 *
 * Return: what is wrong, or NULL.
 */
static const char *check_call(struct sconn *sc, const struct rmsg *m,
			      const struct hdr *h)
{
	const u8 *rpc = m->data + h->hlen;
	u32 i;

	if (sc->vers && h->vers != sc->vers)
		return "version changes on a connection";
	if (h->vers == 2 && !sc->vers)
		return "RPC before version 2 is agreed";
	if (h->vers == 2 && h->dir != DIR_CALL)
		return "a reply to nothing";
	if (h->vers == 2 && h->inv && !handle_known(h, h->inv))
		return "rdma_inv_handle not among the handles";
	if (h->proc == P_MSG && m->len < h->hlen + 8)
		return "MSG without payload";
	if (h->proc == P_MSG && get_u32(rpc) != h->xid)
		return "payload with another xid";
	if (h->proc == P_MSG && get_u32(rpc + 4) != DIR_CALL)
		return "payload with another direction";
	if (h->proc == P_NOMSG && (!h->nreads || h->pos[0]))
		return "NOMSG without position-zero Read chunk";
	for (i = 0; h->proc == P_MSG && i < h->nreads; i++)
		if (!h->pos[i])
			return "MSG with position-zero Read chunk";
	return NULL;
}

/**
 * check_message - hold any message of the client against the protocol
 * @sc: its connection
 * @m: the message
 * @h: gets the same taken apart
 *
 * Return: what is wrong, or NULL.
 */
static const char *check_message(struct sconn *sc, const struct rmsg *m,
				 struct hdr *h)
{
	if (wire_decode(h, m->data, m->len))
		return h->why;
	if (!h->credit)
		return "zero credits";
	if (m->len > (h->vers == 2 ? sc->own_limit : V1_INLINE))
		return "Send above our RBSIZ";
	if (sc->probing)
		return "second message before an answer";
	if (h->vers == 2 && sc->nr_msg == 1 &&
	    (h->proc != P_OPTIONAL || h->opttype != O_INITXCH || h->dir))
		return "first message is no INITXCH";
	if (h->proc == P_OPTIONAL && sc->nr_msg == 1 && m->len > V1_INLINE)
		return "INITXCH above 1024 bytes";
	if (h->proc <= P_NOMSG)
		return check_call(sc, m, h);
	return NULL;
}

/**
 * srv_send - send what was built
 * @s: the server
 * @sc: the connection
 * @b: the message
 */
static void srv_send(struct srv *s, struct sconn *sc, const struct buf *b)
{
	if (cfg.verbose)
		printf("#   > %s\n", wire_brief(b->p, b->len));
	conn_send(sc->c, b->p, b->len, b->has_swi ? &b->swi : NULL);
}

/**
 * srv_pause - let time pass and see that the client stays silent
 * @s: the server
 * @sc: the connection
 */
static void srv_pause(struct srv *s, struct sconn *sc)
{
	u64 end = now_ms() + PAUSE_MS;

	while (now_ms() < end && !sc->c->gone) {
		conn_poll(sc->c);
		if (sc->probing && sc->c->rx)
			srv_fault(s, sc->c->rx, "second message before an answer");
		nap();
	}
}

/**
 * srv_breathe - give the client time to take a message and to answer it
 * @sc: the connection
 *
 * Nothing says how many receives a client keeps for messages out of turn
 * beyond two: they are sent one by one.
 */
static void srv_breathe(struct sconn *sc)
{
	unsigned long before = sc->c->rx_count;
	u64 end = now_ms() + BREATHE_MS;

	while (now_ms() < end && !sc->c->gone && sc->c->rx_count == before) {
		conn_poll(sc->c);
		nap();
	}
}

/**
 * srv_shut - close a connection from our side
 * @sc: the connection
 */
static void srv_shut(struct sconn *sc)
{
	conn_wait_sent(sc->c, 2000);
	rdma_disconnect(sc->c->id);
	conn_wait_gone(sc->c, 1000);
}

/**
 * srv_list - send a list of messages
 * @s: the server
 * @sc: the connection
 * @list: their templates
 * @env: what their words stand for
 * @sent: called for each message sent, or NULL
 */
static void srv_list(struct srv *s, struct sconn *sc, const char *list,
		     const struct tmpl_env *env,
		     void (*sent)(struct sconn *sc, const struct buf *b))
{
	char one[4096];
	int n = 0;

	while (tmpl_next(&list, one, sizeof(one))) {
		if (!strncmp(one, "pause", 5)) {
			srv_pause(s, sc);
			continue;
		}
		if (!strncmp(one, "close", 5)) {
			srv_shut(sc);
			return;
		}
		if (tmpl_build(&s->tmp, one, env)) {
			result_fail(s->r, "bad template: %s", one);
			return;
		}
		if (s->tmp.has_cut)
			s->tmp.len = s->cut;
		if (n++)
			srv_breathe(sc);
		if (s->tmp.has_swi && !s->tmp.swi)
			s->tmp.swi = env->call && env->call->inv ?
				     env->call->inv : s->old_handle;
		srv_send(s, sc, &s->tmp);
		if (sent)
			sent(sc, &s->tmp);
	}
}

/**
 * probe_sent - note what an answer to INITXCH means
 * @sc: the connection
 * @b: the answer
 */
static void probe_sent(struct sconn *sc, const struct buf *b)
{
	struct hdr *h = calloc(1, sizeof(*h));
	struct chars own;
	int bad = wire_decode(h, b->p, b->len);

	if (h->proc == P_OPTIONAL && h->vers == 2)
		sc->vers = 2;
	if (h->proc == P_ERROR && h->err != E_VERS && h->vers == 2)
		sc->vers = 2;
	if (h->xid == sc->probe_xid || h->proc == P_OPTIONAL)
		sc->probing = false;
	if (!bad && h->proc == P_ERROR && h->err == E_VERS &&
	    h->xid == sc->probe_xid)
		sc->vers = 1;
	if (!bad && h->proc == P_OPTIONAL && h->opttype == O_INITXCH &&
	    !sc->told) {
		sc->told = !wire_chars(&own, h);
		if (sc->told && own.have_rbsiz && own.rbsiz >= V1_INLINE)
			sc->own_limit = own.rbsiz;
	}
	free(h);
}

/**
 * srv_probe - answer the client's INITXCH
 * @s: the server
 * @sc: the connection
 * @h: the INITXCH
 */
static void srv_probe(struct srv *s, struct sconn *sc, struct hdr *h)
{
	struct tmpl_env env = { .c = sc->c, .xid = h->xid };
	const char *list = s->k->probe ? s->k->probe : HONEST_PROBE;

	if (wire_chars(&sc->peer, h))
		result_fail(s->r, "client's INITXCH: %s", h->why);
	sc->peer_limit = sc->peer.rbsiz;
	sc->probing = true;
	sc->probe_at = now_ms();
	sc->probe_xid = h->xid;
	if (s->k->flags & S_ONCE && s->nr_sc > 1)
		list = HONEST_PROBE;
	srv_list(s, sc, list, &env, probe_sent);
}

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
 * push_chunk - write bytes into a chunk, and note how many went where
 * @sc: the connection
 * @ch: the chunk; its lengths become what was written
 * @p: the bytes
 * @len: how many
 *
 * Return: 0, or -1 if they do not fit.
 */
static int push_chunk(struct sconn *sc, struct chunk *ch, const u8 *p,
		      u32 len)
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

	memcpy(o, h, sizeof(*o));
	o->credit = s->grant;
	o->dir = DIR_REPLY;
	o->proc = P_MSG;
	o->nreads = 0;
	o->has_reply = false;
	if (rep->data_len && o->nwrites) {
		skip = rep->data_len;
		pad = -skip & 3;
		bad = push_chunk(sc, &o->writes[0], rep->b.p + rep->data_at,
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
		bad |= push_chunk(sc, &o->reply, s->out.p + *hlen,
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
	if (h->nwrites && h->writes[0].nsegs)
		s->old_handle = h->writes[0].seg[0].handle;
	else if (h->nreads)
		s->old_handle = h->reads[0].handle;
}

/**
 * srv_answer - answer an RPC call, honestly or not
 * @s: the server
 * @sc: the connection
 * @m: the call
 * @h: the same taken apart
 */
static void srv_answer(struct srv *s, struct sconn *sc, const struct rmsg *m,
		       const struct hdr *h)
{
	struct tmpl_env env = {
		.c = sc->c, .xid = h->xid, .call = h, .honest = &s->out,
	};

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
	if (s->spoiled && h->xid == s->spoiled_xid)
		s->repeats++;
	if (!s->armed || s->rep.prog != RPC_PROG_NFS ||
	    s->rep.proc != s->k->proc) {
		srv_send(s, sc, &s->out);
		note_handles(s, h);
		return;
	}
	s->armed = s->k->flags & S_ALWAYS;
	s->spoiled++;
	s->spoiled_xid = h->xid;
	srv_list(s, sc, s->k->reply, &env, NULL);
}

/**
 * srv_hold - put a call aside, to see how many come unanswered
 * @s: the server
 * @sc: the connection
 * @m: the call
 *
 * Return: true if it was kept.
 */
static bool srv_hold(struct srv *s, struct sconn *sc, struct rmsg *m)
{
	if (!(s->k->flags & S_HOLD) || !s->armed || sc->nr_held == MAX_HELD)
		return false;
	sc->held[sc->nr_held++] = m;
	sc->held_at = now_ms();
	if (sc->nr_held > s->grant)
		srv_fault(s, m, "more calls than granted");
	return true;
}

/**
 * srv_release - answer the calls put aside
 * @s: the server
 * @sc: the connection
 */
static void srv_release(struct srv *s, struct sconn *sc)
{
	static struct hdr h;
	unsigned int i, n = sc->nr_held;

	sc->nr_held = 0;
	for (i = 0; i < n; i++) {
		wire_decode(&h, sc->held[i]->data, sc->held[i]->len);
		srv_answer(s, sc, sc->held[i], &h);
		free(sc->held[i]);
	}
	s->armed = false;
}

/**
 * srv_error - the client sent an ERROR
 * @s: the server
 * @sc: the connection
 * @m: the message
 * @h: the same taken apart
 */
static void srv_error(struct srv *s, struct sconn *sc, const struct rmsg *m,
		      const struct hdr *h)
{
	s->back = h->err;
	s->nr_back++;
	if (!s->k->back)
		srv_fault(s, m, "ERROR where none belongs");
	else if (h->err != s->k->back)
		srv_fault(s, m, "wrong error code");
	if (h->err == E_VERS)
		srv_fault(s, m, "a client never sends VERS");
}

/**
 * srv_message - take one message
 * @s: the server
 * @sc: its connection
 * @m: the message
 *
 * Return: true if it must not be freed yet.
 */
static bool srv_message(struct srv *s, struct sconn *sc, struct rmsg *m)
{
	static struct hdr h;
	const char *bad;

	if (!s->first.len)
		buf_bytes(&s->first, m->data, m->len < 4096 ? m->len : 4096);
	sc->nr_msg++;
	bad = check_message(sc, m, &h);
	if (cfg.verbose)
		printf("#   < %s\n", wire_brief(m->data, m->len));
	if (bad) {
		srv_fault(s, m, bad);
		return false;
	}
	if (h.proc == P_ERROR) {
		srv_error(s, sc, m, &h);
	} else if (h.proc <= P_NOMSG) {
		sc->nr_call++;
		if (h.vers == 1)
			sc->vers = 1;
		if (srv_hold(s, sc, m))
			return true;
		srv_answer(s, sc, m, &h);
	} else if (h.opttype == O_INITXCH && h.dir == DIR_CALL) {
		srv_probe(s, sc, &h);
	} else if (h.opttype == O_INITXCH) {
		s->nr_answers++;
		if (!(s->k->flags & S_BACK))
			srv_fault(s, m, "INITXCH in REPLY direction unasked");
	} else {
		srv_fault(s, m, "OPTIONAL we never offered to take");
	}
	return false;
}

/**
 * srv_accept - take a new connection if there is one
 * @s: the server
 */
void srv_accept(struct srv *s)
{
	struct conn_opts o = { .recv_size = 65536, .nr_recv = 64 };
	struct sconn *sc = &s->sc[s->nr_sc];
	const char *why = NULL;

	if (s->nr_sc == MAX_SCONN)
		return;
	memset(sc, 0, sizeof(*sc));
	sc->c = listen_accept(s->l, &o, &why);
	if (why)
		result_fail(s->r, "accept: %s", why);
	if (!sc->c)
		return;
	chars_default(&sc->peer);
	sc->peer_limit = DEFAULT_INLINE;
	sc->own_limit = DEFAULT_INLINE;
	s->nr_sc++;
	if (cfg.verbose)
		printf("#   connection %u\n", s->nr_sc);
}

/**
 * srv_current - the newest connection
 * @s: the server
 *
 * Return: the connection, or NULL.
 */
struct sconn *srv_current(struct srv *s)
{
	return s->nr_sc ? &s->sc[s->nr_sc - 1] : NULL;
}

/**
 * sconn_poll - take what has happened on one connection
 * @s: the server
 * @sc: the connection
 */
static void sconn_poll(struct srv *s, struct sconn *sc)
{
	struct rmsg *m;

	if (sc->dead)
		return;
	conn_poll(sc->c);
	while ((m = conn_take(sc->c)))
		if (!srv_message(s, sc, m))
			free(m);
	if (sc->nr_held && now_ms() > sc->held_at + HOLD_MS)
		srv_release(s, sc);
	if (sc->c->gone) {
		if (cfg.verbose)
			printf("#   connection ends: %s\n", sc->c->why);
		rdma_disconnect(sc->c->id);
		sc->dead = true;
	}
}

/**
 * srv_poll - take what has happened
 * @s: the server
 */
void srv_poll(struct srv *s)
{
	unsigned int i;

	srv_accept(s);
	for (i = 0; i < s->nr_sc; i++)
		sconn_poll(s, &s->sc[i]);
	mountd_poll(s);
}

/**
 * srv_close - end every connection
 * @s: the server
 */
void srv_close(struct srv *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_sc; i++)
		conn_close(s->sc[i].c);
	listen_close(s->l);
	mountd_close(s);
}
