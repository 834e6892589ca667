// SPDX-License-Identifier: GPL-2.0
/*
 * Connections that make calls and take no replies: their receives are used up
 * and not posted again, and the server was told to try for ever. It must not
 * lose threads over that.
 */
#include <stdio.h>
#include <stdlib.h>

#include "deaf.h"

#define BATCH		16
#define BATCH_MS	150

/**
 * deaf_wait - wait for replies as long as there are receives, then just wait
 * @s: the client
 * @until: how many messages must have come
 */
static void deaf_wait(struct cli *s, unsigned long until)
{
	u64 end = now_ms() + BATCH_MS;
	struct rmsg *m;

	if (until <= s->c->o.nr_recv)
		end += cfg.timeout;
	while (!s->c->gone && now_ms() < end) {
		conn_poll(s->c);
		while ((m = conn_take(s->c)))
			free(m);
		if (until <= s->c->o.nr_recv && s->c->rx_count >= until)
			break;
		nap();
	}
}

/**
 * deaf_fill - make NULL calls and take no more replies than there are receives
 * @s: the client
 * @vers: in which version
 * @n: how many calls
 *
 * Not too fast: the server posts a receive for a call whose reply is on its way,
 * and most of them when it has seen the first message.
 *
 * Return: 0, or -1 if the connection was lost.
 */
int deaf_fill(struct cli *s, u32 vers, u32 n)
{
	unsigned long before = s->c->rx_count;
	struct buf b;
	u32 i;

	s->c->deaf = true;
	buf_init(&b, 256);
	for (i = 1; i <= n && !s->c->gone; i++) {
		struct tmpl_env env = { .c = s->c, .xid = s->xid++ };

		buf_reset(&b);
		tmpl_build(&b, vers == 1 ? NULLV1 : NULLMSG, &env);
		conn_send(s->c, b.p, b.len, NULL);
		if (i == 1 || i % BATCH == 0)
			deaf_wait(s, before + i);
	}
	buf_free(&b);
	if (s->c->gone)
		result_fail(s->r, "lost after %u calls: %s", i, s->c->why);
	return s->c->gone ? -1 : 0;
}

/**
 * deaf_open - open as many as there are, of either version, and fill them
 * @d: NR_DEAF clients
 * @r: where failures go
 *
 * Return: 0, or -1.
 */
int deaf_open(struct cli *d, struct result *r)
{
	u32 i, vers;

	for (i = 0; i < NR_DEAF; i++) {
		vers = i % 2 ? 1 : cfg.server_max;
		if (cli_open(&d[i], r, C_DEAF | (vers == 1 ? C_RAW : 0)) ||
		    deaf_fill(&d[i], vers, DEAF_CALLS))
			return -1;
	}
	return 0;
}

/**
 * deaf_close - close them
 * @d: the clients
 */
void deaf_close(struct cli *d)
{
	u32 i;

	for (i = 0; i < NR_DEAF; i++)
		cli_close(&d[i]);
}

/**
 * deaf_up - count those that the server has not closed
 * @d: the clients
 *
 * Return: how many there are.
 */
unsigned int deaf_up(struct cli *d)
{
	unsigned int i, n = 0;

	for (i = 0; i < NR_DEAF; i++) {
		if (!d[i].c)
			continue;
		conn_poll(d[i].c);
		n += !d[i].c->gone;
	}
	return n;
}

/**
 * deaf_wait_gone - wait for the server to close all of them
 * @d: the clients
 * @ms: how long at most
 *
 * Return: 0, or -1.
 */
int deaf_wait_gone(struct cli *d, int ms)
{
	u64 end = now_ms() + ms;

	while (deaf_up(d)) {
		if (now_ms() > end)
			return -1;
		nap();
	}
	return 0;
}

/**
 * deaf_main - fill connections, say so, and wait for their end
 *
 * Return: exit status.
 */
int deaf_main(void)
{
	static struct cli d[NR_DEAF];
	struct result r = { .v = PASS };

	if (!deaf_open(d, &r)) {
		puts("full");
		fflush(stdout);
		if (deaf_wait_gone(d, cfg.deaf * 1000))
			result_fail(&r, "%u connections are left", deaf_up(d));
	}
	deaf_close(d);
	if (r.v)
		printf("%s\n", r.why);
	return r.v;
}
