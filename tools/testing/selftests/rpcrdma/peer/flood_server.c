// SPDX-License-Identifier: GPL-2.0
/* Server role: floods the client that has mounted from the peer. */
#include <stdlib.h>
#include <string.h>

#include "flood.h"
#include "server.h"

/* Fewer than a client has Receives for that has 8 credits, and posts several at a time */
#define WINDOW		12
#define CLOSE_EVERY	5000
#define MARK_MS		50

static const struct srv_case flood_case = {
	.name = "flood", .flags = S_ANYBACK,
};

/**
 * progress - learn from the client's answers how far it has read
 * @s: the server
 * @f: the flood
 * @seen: messages known to have been read; more of them afterwards
 *
 * The client reads in order, and each message has an xid of its own.
 *
 * Return: true if it has read any.
 */
static bool progress(struct srv *s, struct flood *f, unsigned int *seen)
{
	unsigned int n = s->t.back_xid - FLOOD_XID + 1;

	srv_poll(s);
	if (n <= *seen || n > f->sent)
		return false;
	*seen = n;
	return true;
}

/**
 * mark - send what has to be answered, where all before it may be unanswered
 * @f: the flood
 * @s: the server
 */
static void mark(struct flood *f, struct srv *s)
{
	struct conn *c = srv_current(s)->c;
	struct tmpl_env env = { .c = c, .xid = FLOOD_XID + f->sent++ };

	srv_list(s, srv_current(s), "x 2 20 5 0 9 [ ]", &env, NULL);
}

/**
 * stream - send bad messages as fast as the client reads them
 * @f: the flood
 * @s: the server
 * @until: how many messages in all
 *
 * A client may leave out an answer when it has no buffer for one: after some
 * silence another mark is sent.
 *
 * Return: 0, or -1 if the client does not read them.
 */
static int stream(struct flood *f, struct srv *s, unsigned int until)
{
	u64 last = now_ms(), marked = last;
	unsigned int seen = f->sent;

	while (seen < until && !srv_current(s)->c->gone) {
		u64 now = now_ms();

		if (progress(s, f, &seen)) {
			last = marked = now;
		} else if (now - last > (u64)cfg.timeout) {
			break;
		} else if (now - marked > MARK_MS) {
			mark(f, s);
			marked = now;
		} else if (f->sent >= until || f->sent - seen >= WINDOW) {
			nap();
		} else {
			flood_batch(f, srv_current(s)->c, 1);
		}
	}
	if (seen >= until)
		return 0;
	result_fail(s->r, "no answer: %s", srv_current(s)->c->gone ?
		    srv_current(s)->c->why : "timeout");
	return -1;
}

/**
 * reopen - have the client close the connection, and make it come again
 * @f: the flood
 * @s: the server
 *
 * Return: 0, or -1.
 */
static int reopen(struct flood *f, struct srv *s)
{
	struct sconn *sc = srv_current(s);
	u64 end = now_ms() + cfg.timeout;

	flood_closer(f, sc->c);
	while (!sc->dead && now_ms() < end) {
		srv_poll(s);
		nap();
	}
	if (!sc->dead) {
		result_fail(s->r, "the connection was kept");
		return -1;
	}
	conn_close(sc->c);
	s->nr_sc = 0;
	return srv_op(s, "stat", 0);
}

/**
 * flood_mounted - flood a client that has mounted
 * @f: the flood
 * @s: the server
 */
static void flood_mounted(struct flood *f, struct srv *s)
{
	int bad = srv_op(s, "stat", 0);

	flood_start(f, srv_current(s)->c);
	while (!bad && f->sent < cfg.flood) {
		unsigned int until = (f->sent / CLOSE_EVERY + 1) * CLOSE_EVERY;

		bad = stream(f, s, until < cfg.flood ? until : cfg.flood) ||
		      reopen(f, s);
	}
	if (!bad)
		srv_op(s, "stat", 0);
}

/**
 * flood_server - flood this kernel's client with cfg.flood bad messages
 *
 * Return: exit status.
 */
int flood_server(void)
{
	struct result r = { .v = PASS };
	struct flood f = { 0 };
	struct srv *s = calloc(1, sizeof(*s));
	int err;

	if (!s || srv_open(s, &flood_case, &r))
		abort();
	err = srv_mount(s);
	if (err)
		result_fail(&r, "mount: %s", strerror(err));
	else
		flood_mounted(&f, s);
	if (!err && srv_app(s, "umount", NULL))
		result_fail(&r, "umount");
	srv_close(s);
	free(s);
	return flood_end(&f, "client", r.why);
}
