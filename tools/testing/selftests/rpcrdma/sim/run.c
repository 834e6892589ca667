// SPDX-License-Identifier: GPL-2.0
/*
 * A run: a load, with a policy.
 */

#include <stdlib.h>

#include "sim.h"

enum {
	/* Of the placement before memory became short, in percent */
	RECOVERED	= 90,
};

static void *zeroed(size_t count, size_t size)
{
	void *p = calloc(count, size);

	if (!p)
		abort();
	return p;
}

static void squeeze_tick(struct sim *s)
{
	if (!s->squeezed_at) {
		s->rate_before = s->busy_units;
		return;
	}
	if (!s->relaxed_at)
		return;
	rpcrdma2_pool_relax(&s->pool);
	if (!s->r.taken_again && s->busy_units >= s->rate_before * RECOVERED / 100)
		s->r.taken_again = s->now - s->relaxed_at;
}

static void tick(struct sim *s)
{
	struct event next = { .at = s->now + INTERVAL, .type = EV_TICK };
	u32 i;

	squeeze_tick(s);
	s->busy_units = 0;
	for (i = 0; i < s->nconns; i++)
		conn_tick(s, &s->conns[i]);
	queue_put(&s->queue, next);
}

static void work(struct sim *s, struct conn *c)
{
	if (!c->busy_at)
		conn_beat(s, c);
	conn_later(s, c, EV_WORK, 20 * SEC, 0);
}

/* What was meant for a connection that is gone is over */
static bool stale(const struct conn *c, const struct event *ev)
{
	return (ev->type == EV_POST || ev->type == EV_NUDGE) && ev->life != c->life;
}

static void happen(struct sim *s, const struct event *ev)
{
	struct conn *c = &s->conns[ev->conn];

	if (stale(c, ev))
		return;
	switch (ev->type) {
	case EV_SEND:
		traffic_send(s, c);
		break;
	case EV_REPLY:
		traffic_reply(s, c, ev->arg);
		break;
	case EV_POST:
		conn_posted(s, c, ev->arg >> 16, ev->arg & 0xffff);
		break;
	case EV_NUDGE:
		conn_nudge(s, c);
		break;
	case EV_WORK:
		work(s, c);
		break;
	case EV_TICK:
		tick(s);
		break;
	case EV_LOAD:
		s->scenario->load(s, c, ev->arg);
		break;
	}
}

void run(const struct scenario *sc, const struct policy *p, bool brief, u64 seed, struct result *r)
{
	struct event first = { .at = INTERVAL, .type = EV_TICK }, ev;
	struct sim s = {
		.scenario	= sc,
		.policy		= p,
		.nconns		= sc->conns,
		.chance		= { .state = seed },
		.end		= (brief ? sc->brief : sc->full) * SEC,
	};

	s.conns = zeroed(s.nconns, sizeof(*s.conns));
	s.shares = zeroed(s.nconns + 1, sizeof(*s.shares));
	/* 0 stands for never */
	s.now = USEC;
	memory_begin(&s);
	sc->begin(&s);
	queue_put(&s.queue, first);
	while (queue_get(&s.queue, &ev) && ev.at <= s.end) {
		s.now = ev.at;
		memory_look(&s);
		happen(&s, &ev);
	}
	s.now = s.end;
	memory_look(&s);
	s.r.mem_sum /= s.end;
	s.r.budget_kb = s.pool.budget_kb;
	s.r.closed = s.pool.closed;
	*r = s.r;
	queue_free(&s.queue);
	free(s.conns);
	free(s.shares);
}
