// SPDX-License-Identifier: GPL-2.0
/* Client role: floods a server, and sees to it that every answer comes. */
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "flood.h"

#define BATCH		24
#define CLOSE_EVERY	2000

/**
 * is_error - is a message an ERROR?
 * @m: the message
 *
 * Return: true if so.
 */
static bool is_error(const struct rmsg *m)
{
	return m->len >= 20 && get_u32(m->data + 12) == P_ERROR;
}

/**
 * drain - take the answers to a batch, and the reply to a NULL behind it
 * @s: the client
 * @answers: how many there must be
 *
 * Return: 0, or -1.
 */
static int drain(struct cli *s, unsigned int answers)
{
	unsigned int left = answers + 1;

	while (left) {
		struct rmsg *m = conn_wait(s->c, cfg.timeout);

		if (!m) {
			result_fail(s->r, "%u answers missing: %s", left,
				    s->c->gone ? s->c->why : "timeout");
			return -1;
		}
		answers -= is_error(m);
		left--;
		free(m);
	}
	if (answers)
		result_fail(s->r, "%d answers are no ERROR", (int)answers);
	return answers ? -1 : 0;
}

/**
 * batch - send some bad messages and a NULL call
 * @f: the flood
 * @s: the client
 * @n: how many messages
 *
 * Return: 0, or -1.
 */
static int batch(struct flood *f, struct cli *s, unsigned int n)
{
	unsigned int answers = flood_batch(f, s->c, n);
	struct tmpl_env env = { .c = s->c, .xid = s->xid++ };

	tmpl_build(&s->sent, NULLMSG, &env);
	conn_send(s->c, s->sent.p, s->sent.len, NULL);
	return drain(s, answers);
}

/**
 * reopen - have the server close the connection, and make a new one
 * @f: the flood
 * @s: the client
 * @r: the result
 *
 * Return: 0, or -1.
 */
static int reopen(struct flood *f, struct cli *s, struct result *r)
{
	flood_closer(f, s->c);
	if (!conn_wait_gone(s->c, cfg.timeout)) {
		result_fail(r, "the connection was kept");
		return -1;
	}
	cli_close(s);
	return cli_open(s, r, 0);
}

/**
 * flood_main - flood the server with cfg.flood bad messages
 *
 * Return: exit status.
 */
int flood_main(void)
{
	struct result r = { .v = PASS };
	struct flood f;
	struct cli s;
	int bad = cli_open(&s, &r, 0);

	flood_start(&f, s.c);
	while (!bad && f.sent < cfg.flood) {
		unsigned int left = cfg.flood - f.sent;

		if (f.sent / CLOSE_EVERY > f.closers)
			bad = reopen(&f, &s, &r);
		else
			bad = batch(&f, &s, left < BATCH ? left : BATCH);
	}
	if (!bad)
		cli_null(&s, 2);
	cli_close(&s);
	return flood_end(&f, "server", r.why);
}
