// SPDX-License-Identifier: GPL-2.0
/* Server role: sends messages, and notes what follows from them. */
#include <stdlib.h>
#include <string.h>

#include "server.h"
#include "want_place.h"

#define PAUSE_MS	1500
#define BREATHE_MS	60

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
	sent->xmt = b->len >= 28 && get_u32(b->p + 12) == P_OPTIONAL &&
		    get_u32(b->p + 20) == O_XMTREQ;
	sent->call = b->len >= 24 && get_u32(b->p + 16) == DIR_CALL &&
		     (sent->xmt || get_u32(b->p + 12) <= P_NOMSG);
	sent->inv = sent->call && !sent->xmt ? get_u32(b->p + 20) : 0;
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
	if (s->notes)
		s->notes(b);
	if (s->k->flags & S_CONT ||
	    (b->len >= 28 && get_u32(b->p + 12) == P_OPTIONAL &&
	     get_u32(b->p + 20) >= O_XMTREQ))
		want_sent(b->p, b->len, &sc->peer_lay, &sc->peer);
	srv_call_close(sc, b);
	note_update(s, sc, b);
	note_request(s, b);
	conn_send(sc->c, b->p, b->len, b->has_swi ? &b->swi : NULL);
	sc->said_at = now_ms();
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
 * srv_await - wait for answers
 * @s: the server
 * @sc: the connection
 * @before: messages that came before what they answer was sent
 * @nr: how many of them there must be
 *
 * A client that closes the connection instead has answered, too.
 */
static void srv_await(struct srv *s, struct sconn *sc, unsigned long before,
		      unsigned long nr)
{
	u64 end = now_ms() + cfg.timeout;

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
 * srv_answered - send what was kept back, and wait for answers
 * @s: the server
 * @sc: the connection
 * @nr: how many, or 0 for as many as were sent
 */
static void srv_answered(struct srv *s, struct sconn *sc, unsigned long nr)
{
	unsigned long before = sc->c->rx_count;

	nr = nr ? nr : sc->c->kept;
	conn_uncork(sc->c);
	srv_await(s, sc, before, nr);
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
	unsigned long before = sc->c->rx_count;
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
			srv_answered(s, sc, atoi(one + 8));
			breath = 0;
			continue;
		}
		if (!strncmp(one, "await", 5)) {
			srv_await(s, sc, before, atoi(one + 5) ?: 1);
			breath = 0;
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
		before = sc->c->rx_count;
		srv_send(s, sc, &s->tmp);
		breath = wants_reply(s, &s->tmp) ? cfg.timeout : BREATHE_MS;
		if (sent)
			sent(sc, &s->tmp);
	}
	if (sc->c->cork)
		conn_uncork(sc->c);
}

/**
 * srv_alternative - choose among lists parted by bars
 * @lists: the lists
 * @i: which
 * @out: gets that list, or the last one
 * @size: size of @out
 *
 * Return: true if more follow.
 */
bool srv_alternative(const char *lists, unsigned int i, char *out,
			size_t size)
{
	const char *bar;

	while ((bar = strchr(lists, '|')) && i--)
		lists = bar + 1;
	snprintf(out, size, "%.*s",
		 (int)(bar ? bar - lists : (long)strlen(lists)), lists);
	return bar;
}
