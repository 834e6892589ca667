// SPDX-License-Identifier: GPL-2.0
/*
 * A flood of bad messages, of all kinds in turn. Every so often comes one that
 * the other end closes the connection for.
 */
#include <stdlib.h>
#include <string.h>

#include "flood.h"
#include "peer.h"
#include "tmpl.h"

#define SEG	"deadbeef 40 0 1000 "

/* What is wrong with each, and whether a server has to answer it */
static const struct {
	const char *t;
	bool answered;
} kinds[] = {
	/* fixed words */
	{ "x 3 20 0 0 0 0 0 0 null", true },
	{ "x ffffffff 20 ffffffff ff:40", true },
	{ "x 2 20 2 0 0 0 0 0 null", true },
	{ "x 2 20 6", true },
	{ "x 2 20 80000000 ff:400", true },
	/* MSG and NOMSG */
	{ "x 2 20 0", true },
	{ "x 2 20 0 0 0 0 0", true },
	{ "x 2 20 0 2 0 0 0 0 null", true },
	{ "x 2 20 0 0 0 2 0 0 null", true },
	{ "x 2 20 0 0 0 0 1 ffffffff " SEG "0 0 null", true },
	{ "x 2 20 0 0 0 0 0 1 10000000 " SEG "null", true },
	{ "x 2 20 0 0 0 0 1 f0 rep:200 " SEG "end 0 0 null", true },
	{ "x 2 20 0 0 0 1 2 " SEG "0 0 0 null", true },
	{ "x 2 20 0 0 0 0 0 0", true },
	{ "x 2 20 0 0 0 0 0 0 null+1", true },
	{ "x 2 20 0 0 0 0 0 0 nullreply", true },
	{ "x 2 20 1 0 0 0 0 0 ff:3000", true },
	{ "x 2 20 0 1 0 0 0 0 nullreply", false },
	{ "x 2 20 0 1 0 1 0 " SEG "0 0 0 nullreply", false },
	{ "x 2 20 1 1 0 0 0 1 1 " SEG, false },
	{ "x 2 20 0 1 0 0 0", false },
	/* ERROR */
	{ "x 2 20 4", false },
	{ "x 2 20 4 0", false },
	{ "x 2 20 4 2", false },
	{ "x 2 20 4 3 2 ffffffff ffffffff", false },
	{ "x 2 20 4 5 ff:2000", false },
	/* OPTIONAL */
	{ "x 2 20 5 0", true },
	{ "x 2 20 5 2 1 [ 0 0 ]", true },
	{ "x 2 20 5 0 9 [ ff:4000 ]", true },
	{ "x 2 20 5 0 1 ffffffff 0 0", true },
	{ "x 2 20 5 0 1 7 0 0", true },
	{ "x 2 20 5 0 1 [ ffffffff ]", true },
	{ "x 2 20 5 0 1 [ 1 63 ffffffff 1 0 ]", true },
	{ "x 2 20 5 0 1 [ 2 1 4 1000 1 4 1000 0 ]", true },
	{ "x 2 20 5 0 1 [ 1 2 4 2 0 ]", true },
	{ "x 2 20 5 0 1 [ 1 4 [ 1000 ffffffff 1 1000 1 0 ] 0 ]", true },
	{ "x 2 20 5 0 2 [ 1 1 8 0 ]", true },
	{ "x 2 20 5 0 4 [ 1 4 1000 2 ]", true },
	{ "x 2 20 5 0 7 [ 1 5 ]", true },
	{ "x 2 20 5 1 1 [ 0 0 0 ]", false },
	{ "x 2 20 5 1 1 4", false },
};

/* Each of these costs the connection. */
static const char * const closers[] = { "", "x", "x 2 20", "x 2 20 0 cut=15" };

/**
 * flood_start - build the messages
 * @f: the flood
 * @c: a connection
 */
void flood_start(struct flood *f, struct conn *c)
{
	struct tmpl_env env = { .c = c };
	unsigned int i;

	memset(f, 0, sizeof(*f));
	f->began = now_ms();
	f->nr_kinds = ARRAY_SIZE(kinds);
	f->kinds = calloc(f->nr_kinds, sizeof(*f->kinds));
	if (!f->kinds)
		abort();
	for (i = 0; i < f->nr_kinds; i++) {
		buf_init(&f->kinds[i], 8192);
		env.xid = FLOOD_XID;
		if (tmpl_build(&f->kinds[i], kinds[i].t, &env))
			abort();
	}
}

/**
 * flood_batch - send some bad messages
 * @f: the flood
 * @c: the connection
 * @n: how many
 *
 * Return: how many of them a server has to answer.
 */
unsigned int flood_batch(struct flood *f, struct conn *c, unsigned int n)
{
	unsigned int answers = 0;

	for (; n; n--, f->sent++) {
		unsigned int i = f->sent % f->nr_kinds;

		buf_put_u32(&f->kinds[i], 0, FLOOD_XID + f->sent);
		if (conn_send(c, f->kinds[i].p, f->kinds[i].len, NULL))
			break;
		answers += kinds[i].answered;
	}
	return answers;
}

/**
 * flood_closer - send what the other end closes the connection for
 * @f: the flood
 * @c: the connection
 */
void flood_closer(struct flood *f, struct conn *c)
{
	struct tmpl_env env = { .c = c, .xid = FLOOD_XID };
	struct buf b;

	buf_init(&b, 64);
	if (tmpl_build(&b, closers[f->closers++ % ARRAY_SIZE(closers)], &env))
		abort();
	conn_send(c, b.p, b.len, NULL);
	buf_free(&b);
	f->sent++;
}

/**
 * flood_end - say how a flood went, and free what it needed
 * @f: the flood
 * @end: who was flooded
 * @why: what went wrong, or ""
 *
 * Return: exit status.
 */
int flood_end(struct flood *f, const char *end, const char *why)
{
	unsigned int i;
	u64 ms = now_ms() - f->began;

	printf("%u bad messages to the %s, %u of them at the end of a connection, in %llu.%llu s\n",
	       f->sent, end, f->closers, (unsigned long long)ms / 1000,
	       (unsigned long long)ms / 100 % 10);
	if (*why)
		printf("%s\n", why);
	for (i = 0; i < f->nr_kinds; i++)
		buf_free(&f->kinds[i]);
	free(f->kinds);
	return *why ? FAIL : PASS;
}
