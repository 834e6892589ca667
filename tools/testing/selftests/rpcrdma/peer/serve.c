// SPDX-License-Identifier: GPL-2.0
/* Server role: the connections from the client. */
#include <stdlib.h>
#include <string.h>

#include "srv_place.h"

#define HOLD_MS		400

/**
 * srv_accept - take a new connection if there is one
 * @s: the server
 */
static void srv_accept(struct srv *s)
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
		sc->dead_at = now_ms();
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
 * srv_forget_dead - give back connections that have ended
 * @s: the server
 */
void srv_forget_dead(struct srv *s)
{
	unsigned int i, n = 0;

	for (i = 0; i < s->nr_sc; i++)
		if (s->sc[i].dead)
			sconn_close(&s->sc[i]);
		else
			s->sc[n++] = s->sc[i];
	s->nr_sc = n;
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

/**
 * srv_free - give back all that a server has
 * @s: the server
 */
void srv_free(struct srv *s)
{
	srv_close(s);
	buf_free(&s->first);
	buf_free(&s->req);
	buf_free(&s->rep.b);
	buf_free(&s->out);
	buf_free(&s->tmp);
	free(s);
}
