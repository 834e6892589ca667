// SPDX-License-Identifier: GPL-2.0
/*
 * Server role: takes the client's messages, holds each against the protocol,
 * and answers honestly or as the case says.
 */
#include <stdlib.h>
#include <string.h>

#include "rpc.h"
#include "srv_place.h"
#include "tmpl.h"
#include "want.h"
#include "want_place.h"

#define HOLD_MS		400
#define PAUSE_MS	1500
#define BREATHE_MS	60
#define MAX_REQUEST	0x4000
#define MAX_UNCONFIRMED	2
#define PULL_MEM	1
#define PUSH_MEM	2

/**
 * srv_fault - the client did what it must not
 * @s: the server
 * @m: the message, or NULL
 * @what: what is wrong
 */
void srv_fault(struct srv *s, const struct rmsg *m, const char *what)
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
 * srv_call_open - note that a call, or a transmission of it, awaits a reply
 * @sc: its connection
 * @xid: its xid
 *
 * Return: what is wrong with that, or NULL.
 */
const char *srv_call_open(struct sconn *sc, u32 xid)
{
	unsigned int i;

	for (i = 0; i < sc->nr_open && !sc->open_group; i++)
		if (sc->open[i] == xid)
			return "two calls with the same xid";
	if (sc->nr_open + sc->owed >= sc->grant)
		return "more calls than granted";
	if (sc->nr_open < MAX_OPEN) {
		sc->order[sc->nr_open] = sc->nr_call_sent++;
		sc->open[sc->nr_open++] = xid;
	}
	return NULL;
}

/**
 * credits_back - note which credits a message of ours returns
 * @sc: the connection
 * @xid: xid of the call that it ends
 * @refused: it is no reply
 *
 * What is left of a group that was refused may still be coming.
 */
static void credits_back(struct sconn *sc, u32 xid, bool refused)
{
	unsigned int i, n = 0;

	for (i = 0; i < sc->nr_open; ) {
		if (sc->open[i] != xid) {
			i++;
			continue;
		}
		if (!refused && sc->order[i] >= sc->owed_order)
			sc->owed = 0;
		sc->nr_open--;
		sc->open[i] = sc->open[sc->nr_open];
		sc->order[i] = sc->order[sc->nr_open];
		sc->unconfirmed = 0;
		n++;
	}
	if (refused && n > 1) {
		sc->owed += n - 1;
		sc->owed_order = sc->nr_call_sent;
	}
}

/**
 * call_close - note what a message of ours answers and grants
 * @sc: the connection
 * @b: the message
 *
 * A grant counts even in a message with other faults, as long as its
 * direction is certain.
 */
static void call_close(struct sconn *sc, const struct buf *b)
{
	u32 proc, credit;

	if (b->len < 20)
		return;
	proc = get_u32(b->p + 12);
	credit = get_u32(b->p + 8);
	if (proc == P_OPTIONAL && get_u32(b->p + 16) == DIR_CALL)
		return;
	credits_back(sc, get_u32(b->p), proc == P_ERROR ||
		     (proc == P_OPTIONAL && b->len >= 24 &&
		      get_u32(b->p + 20) == O_REPTERR));
	if (proc == P_ERROR || (get_u32(b->p + 4) == 2 &&
				get_u32(b->p + 16) != DIR_REPLY))
		return;
	if (credit > sc->grant)
		sc->grant = credit;
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
	return srv_call_open(sc, h->xid);
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
	if (h->credit > MAX_REQUEST)
		return "absurd credits";
	if (m->inval)
		return "Send With Invalidate from a client";
	if (m->len > (h->vers == 2 ? sc->own_limit : V1_INLINE))
		return "Send above our RBSIZ";
	if (sc->probing)
		return "second message before an answer";
	if (h->vers == 2 && sc->nr_msg == 1 &&
	    (h->proc != P_OPTIONAL || h->opttype != O_INITXCH || h->dir))
		return "first message is no INITXCH";
	if (h->proc == P_OPTIONAL && sc->nr_msg == 1 && m->len > V1_INLINE)
		return "INITXCH above 1024 bytes";
	if (h->proc <= P_NOMSG && (h->vers == 1 || h->dir == DIR_CALL))
		return check_call(sc, m, h);
	return NULL;
}

/**
 * note_update - note what an UPDXCH of ours says of our receives
 * @s: the server
 * @sc: the connection
 * @b: the message
 *
 * A higher limit holds at once; a lower one from when the client has had time
 * to learn of it.
 */
static void note_update(struct srv *s, struct sconn *sc,
			const struct buf *b)
{
	static struct hdr h;
	struct upd u;

	if (b->len < 28 || (wire_decode(&h, b->p, b->len) && !h.excess) ||
	    h.vers != 2 || h.proc != P_OPTIONAL || h.opttype != O_UPDXCH)
		return;
	s->stained = true;
	if (wire_upd(&u, &h))
		return;
	if (u.which != XC_RBSIZ || u.value < V1_INLINE)
		return;
	sc->next_limit = u.value;
	if (u.value > sc->own_limit)
		sc->own_limit = u.value;
}

/**
 * note_request - note what a REQXCH of ours asks for
 * @s: the server
 * @b: the message
 */
static void note_request(struct srv *s, const struct buf *b)
{
	static struct hdr h;

	if (b->len >= 28 && (!wire_decode(&h, b->p, b->len) || h.excess) &&
	    h.vers == 2 && h.proc == P_OPTIONAL && h.opttype == O_REQXCH &&
	    wire_req(&s->asked, &h))
		memset(&s->asked, 0, sizeof(s->asked));
}

/**
 * note_sent - note what an answer to a message of ours has to repeat
 * @s: the server
 * @b: the message
 */
static void note_sent(struct srv *s, const struct buf *b)
{
	struct sent *sent = &s->sent[s->nr_sent % MAX_SENT];

	if (b->len < 8)
		return;
	s->nr_sent++;
	sent->xid = get_u32(b->p);
	sent->vers = get_u32(b->p + 4);
	sent->call = b->len >= 24 && get_u32(b->p + 12) <= P_NOMSG &&
		     get_u32(b->p + 16) == DIR_CALL;
	sent->inv = sent->call ? get_u32(b->p + 20) : 0;
}

/**
 * srv_send - send what was built
 * @s: the server
 * @sc: the connection
 * @b: the message
 */
void srv_send(struct srv *s, struct sconn *sc, const struct buf *b)
{
	if (cfg.verbose)
		printf("#   > %s\n", wire_brief(b->p, b->len));
	note_sent(s, b);
	if (s->k->flags & S_CONT ||
	    (b->len >= 28 && get_u32(b->p + 12) == P_OPTIONAL &&
	     get_u32(b->p + 20) >= O_XMTREQ))
		want_sent(b->p, b->len, &sc->peer_lay, &sc->peer);
	call_close(sc, b);
	note_update(s, sc, b);
	note_request(s, b);
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
	unsigned long before = sc->c->rx_count;

	while (now_ms() < end && !sc->c->gone) {
		conn_poll(sc->c);
		if (sc->probing && sc->c->rx)
			srv_fault(s, sc->c->rx, "second message before an answer");
		nap();
	}
	if (sc->c->rx_count - before + sc->nr_open > sc->grant)
		srv_fault(s, sc->c->rx, "more calls than granted");
}

/**
 * srv_answered - send what was kept back, and wait for as many answers
 * @s: the server
 * @sc: the connection
 *
 * A client that closes the connection instead has answered, too.
 */
static void srv_answered(struct srv *s, struct sconn *sc)
{
	unsigned long before = sc->c->rx_count, nr = sc->c->kept;
	u64 end = now_ms() + cfg.timeout;

	conn_uncork(sc->c);
	while (now_ms() < end && !sc->c->gone &&
	       sc->c->rx_count - before < nr) {
		conn_poll(sc->c);
		nap();
	}
	if (!sc->c->gone && sc->c->rx_count - before < nr)
		result_fail(s->r, "%lu of %lu answers", sc->c->rx_count - before,
			    nr);
}

/**
 * wants_reply - is this a reverse Call that the client has to answer?
 * @s: the server
 * @b: the message
 *
 * Return: true if it is sound, has no chunks, and there is who serves it.
 */
static bool wants_reply(const struct srv *s, const struct buf *b)
{
	static struct hdr h;

	return s->k->flags & S_V41 && !wire_decode(&h, b->p, b->len) &&
	       h.vers == 2 && h.proc == P_MSG && h.dir == DIR_CALL &&
	       !h.nreads && !h.nwrites && !h.has_reply &&
	       b->len >= h.hlen + 8 && get_u32(b->p + h.hlen) == h.xid;
}

/**
 * srv_breathe - give the client time to take a message and to answer it
 * @sc: the connection
 * @ms: how long at most
 *
 * Nothing says how many receives a client keeps for messages out of turn
 * beyond two, nor that it takes more than one reverse Call at a time: they are
 * sent one by one.
 */
static void srv_breathe(struct sconn *sc, int ms)
{
	unsigned long before = sc->c->rx_count;
	u64 end = now_ms() + ms;

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
	sc->shut = true;
	conn_wait_sent(sc->c, 2000);
	conn_disconnect(sc->c);
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
void srv_list(struct srv *s, struct sconn *sc, const char *list,
	      const struct tmpl_env *env,
	      void (*sent)(struct sconn *sc, const struct buf *b))
{
	unsigned int round = 1;
	const char *all = list;
	char one[4096];
	int breath = 0;

	while (tmpl_next(&list, one, sizeof(one))) {
		if (!strncmp(one, "pause", 5)) {
			conn_uncork(sc->c);
			srv_pause(s, sc);
			breath = 0;
			continue;
		}
		if (!strncmp(one, "together", 8)) {
			sc->c->cork = true;
			continue;
		}
		if (!strncmp(one, "answered", 8)) {
			srv_answered(s, sc);
			continue;
		}
		if (!strncmp(one, "repeat ", 7)) {
			if (!sc->c->gone && !s->r->v &&
			    round++ < strtoul(one + 7, NULL, 10))
				list = all;
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
			s->tmp.len = s->t.cut;
		if (breath && !sc->c->cork)
			srv_breathe(sc, breath);
		if (s->tmp.has_swi && !s->tmp.swi)
			s->tmp.swi = env->call && env->call->inv ?
				     env->call->inv : s->t.old_handle;
		srv_send(s, sc, &s->tmp);
		breath = wants_reply(s, &s->tmp) ? cfg.timeout : BREATHE_MS;
		if (sent)
			sent(sc, &s->tmp);
	}
}

/**
 * alternative - choose among lists parted by bars
 * @lists: the lists
 * @i: which
 * @out: gets that list, or the last one
 * @size: size of @out
 *
 * Return: true if more follow.
 */
static bool alternative(const char *lists, unsigned int i, char *out,
			size_t size)
{
	const char *bar;

	while ((bar = strchr(lists, '|')) && i--)
		lists = bar + 1;
	snprintf(out, size, "%.*s",
		 (int)(bar ? bar - lists : (long)strlen(lists)), lists);
	return bar;
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
	struct hdr *h = calloc(1, sizeof(*h));
	struct chars own;
	bool bad = wire_decode(h, b->p, b->len) && !h->excess;

	bool ours = !bad && (h->xid == sc->probe_xid || h->proc != P_ERROR);

	if (ours && !sc->vers && h->proc == P_ERROR && h->err == E_VERS)
		sc->vers = 1;
	else if (ours && !sc->vers && h->vers == 2)
		sc->vers = 2;
	if (ours && h->proc == P_ERROR)
		sc->peer_limit = DEFAULT_INLINE;
	if (sc->vers)
		sc->probing = false;
	if (!bad && h->proc == P_OPTIONAL && h->opttype == O_INITXCH &&
	    !sc->told) {
		sc->told = !wire_chars(&own, h);
		if (sc->told && own.have_rbsiz && own.rbsiz >= V1_INLINE)
			sc->own_limit = sc->next_limit = own.rbsiz;
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
	sc->peer_limit = sc->peer.rbsiz;
	sc->probing = true;
	sc->probe_at = now_ms();
	sc->probe_xid = h->xid;
	if (s->k->probe)
		probe = s->k->probe;
	alternative(probe ? probe : HONEST_PROBE, sc - s->sc,
		    list, sizeof(list));
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

	memcpy(o, h, sizeof(*o));
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
	bool more = alternative(s->k->reply, s->t.spoiled, list, sizeof(list));

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
	if (s->t.spoiled && h->xid == s->t.spoiled_xid)
		s->t.repeats++;
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
static void srv_answer(struct srv *s, struct sconn *sc, const struct rmsg *m,
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
 * find_sent - find the message of ours that another one answers
 * @s: the server
 * @h: the other one
 * @call: only reverse Calls count
 *
 * Return: the last one with that xid and version, or NULL.
 */
static const struct sent *find_sent(struct srv *s, const struct hdr *h,
				    bool call)
{
	unsigned int i;

	for (i = 1; i <= s->nr_sent && i <= MAX_SENT; i++) {
		const struct sent *sent = &s->sent[(s->nr_sent - i) % MAX_SENT];

		if (sent->xid == h->xid && sent->vers == h->vers &&
		    sent->call >= call)
			return sent;
	}
	return NULL;
}

/**
 * answers_us - does a message carry xid and version of one of ours?
 * @s: the server
 * @h: the message
 *
 * Return: true if so.
 */
static bool answers_us(struct srv *s, const struct hdr *h)
{
	return find_sent(s, h, false);
}

/**
 * srv_wanted - hold an answer of the client against the next WANT
 * @s: the server
 * @m: the answer
 * @h: the same taken apart
 */
void srv_wanted(struct srv *s, const struct rmsg *m, const struct hdr *h)
{
	char all[256], *alt, *w, *save, *save2;
	bool ok;

	if (!tmpl_next(&s->answers, all, sizeof(all))) {
		srv_fault(s, m, "nothing was wanted any more");
		return;
	}
	for (alt = strtok_r(all, "|", &save); alt;
	     alt = strtok_r(NULL, "|", &save)) {
		ok = true;
		for (w = strtok_r(alt, " ", &save2); w;
		     w = strtok_r(NULL, " ", &save2))
			ok &= want_known(w, h) == 1;
		if (ok)
			return;
	}
	srv_fault(s, m, "not what is wanted");
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
	if (!(s->k->flags & S_ANYBACK) && !answers_us(s, h))
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
	const struct sent *call = find_sent(s, h, true);
	const u8 *rpc = m->data + h->hlen;

	if (h->proc != P_MSG || h->nreads || h->nwrites || h->has_reply)
		return "chunks in a reverse reply";
	if (!call)
		return "a reply to nothing";
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
 * case has steps. One that asks for nothing just has to be answered.
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
		snprintf(t, sizeof(t), "x 2 20 5 1 3 [ 0 1 %x 0 ]",
			 (1u << req.count) - 1);
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
	if (u.which == XC_RBSIZ)
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

	if (!answers_us(s, h) || wire_resp(&x, h) || !resp_once(&x)) {
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
		srv_report(s, m, h);
	} else if (h->opttype == O_INITXCH && h->dir == DIR_CALL) {
		srv_probe(s, sc, h);
	} else if (h->opttype == O_INITXCH) {
		s->t.nr_answers++;
		if (!answers_us(s, h))
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
static bool srv_message(struct srv *s, struct sconn *sc, struct rmsg *m)
{
	static struct hdr h;
	bool intruded, kept = false;
	const char *bad;

	if (!s->first.len)
		buf_bytes(&s->first, m->data, m->len < 4096 ? m->len : 4096);
	sc->nr_msg++;
	if (sc->vers == 2 && m->len > s->t.longest)
		s->t.longest = m->len;
	bad = check_message(sc, m, &h);
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
	if (h.proc == P_ERROR) {
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

/**
 * srv_accept - take a new connection if there is one
 * @s: the server
 */
void srv_accept(struct srv *s)
{
	struct conn_opts o = { .recv_size = 65536, .nr_recv = 64 };
	struct sconn *sc = &s->sc[s->nr_sc];
	const char *why = NULL;
	char own[2200];

	if (s->nr_sc == MAX_SCONN)
		return;
	memset(sc, 0, sizeof(*sc));
	if (srv_layout(s, sc, own, sizeof(own)))
		o.lay = &sc->lay;
	sc->c = listen_accept(s->l, &o, &why);
	if (why)
		result_fail(s->r, "accept: %s", why);
	if (!sc->c)
		return;
	chars_default(&sc->peer);
	sc->peer_limit = DEFAULT_INLINE;
	sc->own_limit = sc->next_limit = DEFAULT_INLINE;
	sc->grant = 1;
	sc->vers = s->serving ? 2 : 0;
	sc->nr_msg = s->serving;
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
		if (sc->shut || !srv_message(s, sc, m))
			free(m);
	if (s->k->flags & S_HOLD && sc->nr_held &&
	    now_ms() > sc->held_at + HOLD_MS)
		srv_release(s, sc);
	if (sc->c->gone) {
		if (cfg.verbose)
			printf("#   connection ends: %s\n", sc->c->why);
		conn_disconnect(sc->c);
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
 * sconn_close - end a connection
 * @sc: the connection
 */
void sconn_close(struct sconn *sc)
{
	unsigned int i;

	conn_close(sc->c);
	for (i = 0; i < sc->nr_held; i++) {
		free(sc->held[i]);
		if (sc->held_grp[i])
			group_free(sc->held_grp[i]);
		free(sc->held_grp[i]);
	}
	if (sc->grp)
		group_free(sc->grp);
	free(sc->grp);
}

/**
 * srv_close - end every connection
 * @s: the server
 */
void srv_close(struct srv *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_sc; i++)
		sconn_close(&s->sc[i]);
	listen_close(s->l);
	mountd_close(s);
}
