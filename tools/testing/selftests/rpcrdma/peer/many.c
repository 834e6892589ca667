// SPDX-License-Identifier: GPL-2.0
/*
 * As many connections as one likes, of which a few are busy at a time: they write, by
 * explicit RDMA as long as the server has no receives that data fits, and by Send from
 * then on. Those that were busy ask for short receives again and rest. How long does it
 * take until data is placed?
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "cli_place.h"
#include "client.h"

#define BUSY		32
#define TURN_MS		8000
#define REST_MS		200
/* Time for others to see what these cost as long as nobody has authenticated, and of
 * how many somebody has tried what does not authenticate
 */
#define LOOK_MS		15000
#define UNKNOWN		4
#define OVER		64
#define LAY		"2:4096 1*4096p"
#define LENGTH		65536

#define EXPLICIT	MSG "0 1 wpos seg0:65536 0 0 0 wcall:0:65536 "
#define PLACED		"x 2 20 5 0 5 [ 1 wpos 10000 2 0 tbsns:0:65536 0 1 1 ps ] " \
			"{ wcall:0:65536 } place:0:0:65536"
#define LOWER		OPT "0 2 [ 1 1 4 1000 ]"

/**
 * struct one - a connection
 * @s: the client
 * @rbsiz: how long the server's receives are
 * @upds: UPDXCHs that are noted in it
 * @xid: of the Call that is not answered
 * @waits: there is one
 * @places: it is one whose data is placed
 * @since: when the connection became busy, or when data was placed for the first time since
 * @explicit: WRITEs since then that went by explicit RDMA
 * @placed: data has been placed since
 */
struct one {
	struct cli s;
	u32 rbsiz;
	unsigned int upds;
	u32 xid;
	bool waits;
	bool places;
	u64 since;
	unsigned int explicit;
	bool placed;
};

/* What has come of it */
static struct {
	unsigned int turns, explicit, placed, late_explicit, most, lost;
	u64 slowest;
} sum;

/**
 * one_open - connect
 * @o: the connection
 * @r: where failures go
 *
 * A server that always has long receives says so at once. It takes a Call for one that it
 * knows already if another connection of this host had the same xid.
 *
 * Return: 0, or -1.
 */
static int one_open(struct one *o, struct result *r)
{
	static u32 opened;

	memset(o, 0, sizeof(*o));
	if (cli_open_lay(&o->s, r, C_FEW, LAY))
		return -1;
	o->s.xid += opened++ << 16;
	o->rbsiz = o->s.peer.rbsiz;
	return 0;
}

/**
 * one_look - take what has come
 * @o: the connection
 *
 * Return: the answer to the Call, or NULL.
 */
static struct rmsg *one_look(struct one *o)
{
	struct rmsg *m = cli_wait(&o->s, 0);

	if (o->s.nr_upd != o->upds && o->s.upd.which == XC_RBSIZ)
		o->rbsiz = o->s.upd.value;
	o->upds = o->s.nr_upd;
	return m;
}

/**
 * one_call - write, in the way there is
 * @o: the connection
 */
static void one_call(struct one *o)
{
	o->places = o->rbsiz > LENGTH;
	o->xid = o->s.xid;
	o->waits = !cli_step(&o->s, o->places ? PLACED : EXPLICIT, "more");
	o->s.xid += o->s.xid_step;
}

/**
 * one_answer - look at the reply to a WRITE, and count it
 * @o: the connection
 * @m: the reply, freed here
 */
static void one_answer(struct one *o, struct rmsg *m)
{
	o->waits = false;
	/* others have sent something since */
	place_sent(&o->s);
	if (cli_judge(&o->s, m, o->xid, o->places ? "xreply" : "reply"))
		return;
	if (!o->places) {
		sum.explicit++;
		o->explicit++;
		sum.late_explicit += o->placed;
		return;
	}
	sum.placed++;
	if (!o->placed) {
		sum.slowest = MAX(sum.slowest, now_ms() - o->since);
		sum.most = MAX(sum.most, o->explicit);
	}
	o->placed = true;
}

/**
 * one_work - go on with a connection that is busy
 * @o: the connection
 * @more: with another WRITE, too
 *
 * Return: true if there is nothing to wait for.
 */
static bool one_work(struct one *o, bool more)
{
	struct rmsg *m = one_look(o);

	if (o->s.c->gone && !o->s.r->v)
		result_fail(o->s.r, "lost while busy: %s", o->s.c->why);
	if (m && o->waits)
		one_answer(o, m);
	else
		free(m);
	if (!o->waits && more && !o->s.r->v)
		one_call(o);
	return !o->waits || o->s.r->v;
}

/**
 * one_rest - have the server have short receives again
 * @o: the connection, all of whose Calls are answered
 */
static void one_rest(struct one *o)
{
	if (o->rbsiz > LENGTH && !cli_step(&o->s, LOWER, "more"))
		o->rbsiz = DEFAULT_INLINE;
	o->s.xid += o->s.xid_step;
}

/**
 * others - look after those that rest
 * @o: all connections
 * @r: where failures go
 *
 * The server may close one that rests and has long receives. It is opened anew.
 */
static void others(struct one *o, struct result *r)
{
	static u64 last;
	unsigned int i;

	if (now_ms() - last < REST_MS)
		return;
	last = now_ms();
	for (i = 0; i < cfg.many && !r->v; i++) {
		if (o[i].waits)
			continue;
		free(one_look(&o[i]));
		if (!o[i].s.c->gone)
			continue;
		sum.lost++;
		cli_close(&o[i].s);
		one_open(&o[i], r);
	}
}

/* Returns how many are busy at a time */
static unsigned int nr_busy(void)
{
	return cfg.many < BUSY ? cfg.many : BUSY;
}

/**
 * turn - some are busy for a while
 * @o: all connections
 * @first: the first of those
 * @r: where failures go
 */
static void turn(struct one *o, unsigned int first, struct result *r)
{
	u64 end = now_ms() + TURN_MS, give_up = end + cfg.timeout;
	unsigned int i, left;

	for (i = first; i < first + nr_busy(); i++) {
		o[i].since = now_ms();
		o[i].explicit = 0;
		o[i].placed = false;
	}
	do {
		others(o, r);
		for (i = first, left = 0; i < first + nr_busy() && !r->v; i++)
			left += !one_work(&o[i], now_ms() < end ||
						 !o[i].placed);
		if (now_ms() > give_up && left)
			result_fail(r, "%u Calls are not answered", left);
	} while (!r->v && now_ms() <= give_up && (left || now_ms() < end));
	for (i = first; i < first + nr_busy() && !r->v; i++) {
		if (!o[i].placed)
			result_fail(r, "connection %u has placed nothing", i);
		one_rest(&o[i]);
	}
	sum.turns++;
}

/**
 * all_credits - send as many Calls at once as there are credits
 * @o: the connection
 *
 * Each is answered.
 */
static void all_credits(struct one *o)
{
	unsigned long want = o->s.c->rx_count + o->s.grant;
	u64 end = now_ms() + cfg.timeout;

	cli_nulls(&o->s, o->s.grant);
	while (o->s.c->rx_count < want && !o->s.c->gone && now_ms() < end)
		free(one_look(o));
	if (o->s.c->rx_count < want)
		result_fail(o->s.r, "%lu Calls within the grant are not answered: %s",
			    want - o->s.c->rx_count,
			    o->s.c->gone ? o->s.c->why : "timeout");
}

/**
 * oversteps - send more Calls than there are credits
 * @o: the connection
 *
 * It is closed, or all are answered if the server has been quicker.
 */
static void oversteps(struct one *o)
{
	unsigned long want = o->s.c->rx_count + OVER;
	u64 end = now_ms() + cfg.timeout;

	cli_nulls(&o->s, OVER);
	while (o->s.c->rx_count < want && !o->s.c->gone) {
		free(one_look(o));
		if (now_ms() < end)
			continue;
		result_fail(o->s.r, "neither served nor closed");
		return;
	}
}

/**
 * unknown - make calls that nobody has to be known for
 * @o: the connection
 *
 * The second one has a credential, but goes to a program that is not served, so that
 * nobody looks at it.
 */
static void unknown(struct one *o)
{
	if (!cli_null(&o->s, 2))
		cli_step(&o->s, MSG "0 " LISTS "x 0 2 61a80 1 1 1 14 zero:20 0 0",
			 "rpcerr:1");
}

/**
 * many_main - have many connections be busy in turn
 *
 * Return: exit status.
 */
int many_main(void)
{
	struct one *o = calloc(cfg.many, sizeof(*o));
	struct result r = { .v = PASS };
	unsigned int i, open;

	if (!o || cfg.many < UNKNOWN)
		return 2;
	for (open = 0; open < cfg.many && !r.v; open++)
		one_open(&o[open], &r);
	for (i = 0; i < UNKNOWN && !r.v; i++)
		unknown(&o[i]);
	printf("connected %u\n", open);
	fflush(stdout);
	for (i = 0; !r.v && i < LOOK_MS / REST_MS; i++) {
		others(o, &r);
		usleep(REST_MS * 1000);
	}
	for (i = 0; i + nr_busy() <= cfg.many && !r.v; i += nr_busy())
		turn(o, i, &r);
	if (!r.v)
		all_credits(&o[0]);
	if (!r.v)
		oversteps(&o[1]);
	for (i = 0; i < open; i++)
		cli_close(&o[i].s);
	free(o);
	printf("turns %u placed %u explicit %u after-placed %u most %u lost %u slowest %llu ms\n",
	       sum.turns, sum.placed, sum.explicit, sum.late_explicit, sum.most, sum.lost,
	       (unsigned long long)sum.slowest);
	if (r.v)
		printf("failed: %s\n", r.why);
	return r.v;
}
