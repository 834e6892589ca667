// SPDX-License-Identifier: GPL-2.0
/*
 * The loads that policies are tried with.
 */

#include "sim.h"

enum {
	BUSY		= 32,
	/* Callers of a connection that is busy, with 64 KiB and with 1 MiB */
	SHORTS		= 16,
	LONGS		= 8,
	STRANGERS	= 5000,
};

#define BEAT	(20 * SEC)

/* A connection that does nothing else renews its lease; a quarter of them do not */
static void make(struct sim *s, struct conn *c)
{
	u32 i = c - s->conns;

	c->silent = i % 4 == 3;
	conn_up(s, c);
	conn_admit(s, c);
	if (!c->silent)
		conn_later(s, c, EV_WORK, chance_part(&s->chance) * BEAT, 0);
}

static void make_all(struct sim *s)
{
	u32 i;

	for (i = 0; i < s->nconns; i++)
		make(s, &s->conns[i]);
}

/* Some that are not busy become so, wherever they are */
static void some_busy(struct sim *s, u32 first, u32 count, u64 until)
{
	struct conn *c;

	while (count) {
		c = &s->conns[first + chance_below(&s->chance, s->nconns - first)];
		if (c->busy_at || c->stranger)
			continue;
		traffic_busy(s, c, until, SHORTS, LONGS);
		count--;
	}
}

/*
 * Section: any 32 of many are busy, then others, and in the end none
 */

static void rotate_load(struct sim *s, struct conn *c, u32 left)
{
	u64 period = s->end / 60;

	some_busy(s, 0, BUSY, s->now + period);
	if (left > 1)
		conn_later(s, c, EV_LOAD, period + period / 4, left - 1);
}

static void rotate_begin(struct sim *s)
{
	make_all(s);
	conn_later(s, s->conns, EV_LOAD, SEC, 10);
}

/*
 * Section: one has the machine for itself
 */

static void lone_begin(struct sim *s)
{
	make_all(s);
	traffic_busy(s, &s->conns[1], s->end, SHORTS, LONGS);
}

/* One caller, one request at a time */
static void serial_begin(struct sim *s)
{
	make_all(s);
	traffic_busy(s, &s->conns[1], s->end, 0, 1);
}

/*
 * Section: bursts
 */

static void burst_load(struct sim *s, struct conn *c, u32 arg)
{
	u32 size = chance_pareto(&s->chance, 1.2, 3, 4000);

	if (!c->busy_at)
		traffic_burst(s, c, size - size / 8, size / 8);
	conn_later(s, c, EV_LOAD, chance_gap(&s->chance, 30.0 * SEC), arg);
}

static void burst_begin(struct sim *s)
{
	u32 i;

	make_all(s);
	for (i = 0; i < s->nconns; i++)
		conn_later(s, &s->conns[i], EV_LOAD, chance_gap(&s->chance, 30.0 * SEC), 0);
}

/*
 * Section: one address has most connections, and all of these are busy
 */

static void greedy_load(struct sim *s, struct conn *c, u32 arg)
{
	u64 period = s->end / 5;

	some_busy(s, s->scenario->crowd, BUSY, s->now + period);
	if (arg)
		conn_later(s, c, EV_LOAD, period + period / 4, arg - 1);
}

static void greedy_begin(struct sim *s)
{
	u32 i;

	make_all(s);
	for (i = 0; i < s->scenario->crowd; i++)
		traffic_busy(s, &s->conns[i], s->end, SHORTS / 4, 1);
	conn_later(s, s->conns, EV_LOAD, 2 * SEC, 2);
}

/*
 * Section: a client with many mounts: all of them at once, then one after the other
 */

static void client_load(struct sim *s, struct conn *c, u32 left)
{
	u32 each = s->nconns / s->scenario->addresses, i;
	u64 period = s->end / 6;

	for (i = 0; i < each; i++)
		traffic_busy(s, &s->conns[left + i * s->scenario->addresses], s->now + period,
			     SHORTS, LONGS);
	if (left)
		conn_later(s, c, EV_LOAD, period + period / 4, left - 1);
}

static void client_begin(struct sim *s)
{
	u32 i;

	make_all(s);
	for (i = 0; i < s->nconns; i++)
		traffic_busy(s, &s->conns[i], s->end / 3, SHORTS, LONGS);
	conn_later(s, s->conns, EV_LOAD, s->end / 2, 2);
}

/*
 * Section: the kernel wants three quarters of the memory, and gives it back
 */

static void pressure_load(struct sim *s, struct conn *c, u32 step)
{
	if (step == 0) {
		s->squeezed_at = s->now;
		rpcrdma2_pool_squeeze(&s->pool, s->pool.budget_kb / 4 * 3);
		conn_later(s, c, EV_LOAD, s->end / 4, 1);
	} else {
		s->relaxed_at = s->now;
	}
}

static void pressure_begin(struct sim *s)
{
	make_all(s);
	some_busy(s, 0, BUSY, s->end);
	conn_later(s, s->conns, EV_LOAD, s->end / 4, 0);
}

/*
 * Section: most have not said who they are
 */

static void stranger_load(struct sim *s, struct conn *c, u32 arg)
{
	if (!c->stranger)
		traffic_busy(s, c, s->end, SHORTS, LONGS);
	else if (!c->busy_at)
		traffic_burst(s, c, 8, 0);
	if (c->stranger)
		conn_later(s, c, EV_LOAD, 2 * SEC, arg);
}

static void stranger_begin(struct sim *s)
{
	struct conn *c;
	u32 i;

	for (i = 0; i < s->nconns; i++) {
		c = &s->conns[i];
		if (i < STRANGERS) {
			c->stranger = true;
			c->rude = i % 16 == 0;
			conn_up(s, c);
		} else {
			make(s, c);
		}
		conn_later(s, c, EV_LOAD, SEC + chance_part(&s->chance) * SEC, 0);
	}
}

const struct scenario scenarios[] = {
	{
		.name = "any32", .what = "any 32 of 500 connections are busy; 10 GiB",
		.conns = 500, .addresses = 500, .machine_mb = 10240, .page_kb = 4,
		.full = 240, .brief = 120, .begin = rotate_begin, .load = rotate_load,
	}, {
		.name = "small", .what = "the same from one address; 1.5 GiB",
		.conns = 500, .addresses = 1, .machine_mb = 1536, .page_kb = 4,
		.full = 240, .brief = 120, .begin = rotate_begin, .load = rotate_load,
	}, {
		.name = "lone", .what = "one of 500 is busy; 1.5 GiB",
		.conns = 500, .addresses = 500, .machine_mb = 1536, .page_kb = 4,
		.full = 30, .brief = 5, .begin = lone_begin,
	}, {
		.name = "serial", .what = "one of 500 writes 1 MiB after the other; 1.5 GiB",
		.conns = 500, .addresses = 500, .machine_mb = 1536, .page_kb = 4,
		.full = 10, .brief = 3, .begin = serial_begin,
	}, {
		.name = "bursts", .what = "Pareto bursts on 10,000 from 1,000 addresses; 64 GiB",
		.conns = 10000, .addresses = 1000, .machine_mb = 65536, .page_kb = 4,
		.full = 200, .brief = 20, .begin = burst_begin, .load = burst_load,
	}, {
		.name = "greedy", .what = "1,000 busy ones of one address, 99 others; 8 GiB",
		.conns = 1099, .addresses = 100, .crowd = 1000,
		.machine_mb = 8192, .page_kb = 4,
		.full = 60, .brief = 10, .begin = greedy_begin, .load = greedy_load,
	}, {
		.name = "client", .what = "16 mounts with nconnect=16 at a client; 4 GiB",
		.client = true,
		.conns = 256, .addresses = 16, .machine_mb = 4096, .page_kb = 4,
		.full = 60, .brief = 15, .begin = client_begin, .load = client_load,
	}, {
		.name = "pressure", .what = "3/4 of the memory is wanted elsewhere; 8 GiB",
		.conns = 500, .addresses = 500, .machine_mb = 8192, .page_kb = 4,
		.full = 160, .brief = 100, .begin = pressure_begin, .load = pressure_load,
	}, {
		.name = "pieces", .what = "any 32 of 500, memory has no two pages in a row; 10 GiB",
		.conns = 500, .addresses = 500, .machine_mb = 10240, .page_kb = 4,
		.single = true,
		.full = 240, .brief = 120, .begin = rotate_begin, .load = rotate_load,
	}, {
		.name = "page64k", .what = "any 32 of 500, pages of 64 KiB; 16 GiB",
		.conns = 500, .addresses = 500, .machine_mb = 16384, .page_kb = 64,
		.full = 240, .brief = 120, .begin = rotate_begin, .load = rotate_load,
	}, {
		.name = "strangers", .what = "5,000 that do not authenticate, 32 that do; 12 GiB",
		.conns = STRANGERS + BUSY, .addresses = 50 + BUSY,
		.machine_mb = 12288, .page_kb = 4,
		.full = 40, .brief = 6, .begin = stranger_begin, .load = stranger_load,
	},
};

const u32 nscenarios = ARRAY_SIZE(scenarios);
