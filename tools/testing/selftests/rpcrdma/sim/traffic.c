// SPDX-License-Identifier: GPL-2.0
/*
 * What connections send. A request has data of 64 KiB, or of 1 MiB; the latter takes
 * a group of Sends if there are credits for it, and goes by explicit RDMA otherwise: it
 * never waits for credits.
 */

#include <linux/math.h>

#include "sim.h"

/* Data that the network takes in a second, in units of 64 KiB: 42 Gb/s */
#define RATE		80000ULL
#define RTT		(200ULL * USEC)
#define CONNECTING	(5ULL * MSEC)

static void issue(struct sim *s, struct conn *c, u32 shorts, u32 longs)
{
	struct batch *b = &c->batches[c->nbatches - 1];

	if (!shorts && !longs)
		return;
	if (c->nbatches < MAX_BATCHES) {
		b = &c->batches[c->nbatches++];
		*b = (struct batch){ .at = s->now };
	}
	b->shorts += shorts;
	b->longs += longs;
}

static void send_soon(struct sim *s, struct conn *c, u64 ns)
{
	if (!c->sending)
		conn_later(s, c, EV_SEND, ns, 0);
	c->sending = true;
}

static void begin(struct sim *s, struct conn *c)
{
	u64 time = 0;

	if (!c->up) {
		conn_up(s, c);
		conn_admit(s, c);
		s->r.messages += 2;
		time = CONNECTING;
	}
	send_soon(s, c, time);
	if (!c->busy_at) {
		c->busy_at = s->now;
		c->placed_at = 0;
	}
}

/* Requests that come at once; when they are answered there is nothing to do */
void traffic_burst(struct sim *s, struct conn *c, u32 shorts, u32 longs)
{
	issue(s, c, shorts, longs);
	begin(s, c);
}

/* So many callers have a request under way at any time */
void traffic_busy(struct sim *s, struct conn *c, u64 until, u32 shorts, u32 longs)
{
	c->keep = true;
	c->stop_at = until;
	traffic_burst(s, c, shorts, longs);
}

/* Why was data not placed? */
static void refused(struct sim *s, const struct conn *c, u64 units)
{
	bool pool = !s->policy->fixed && !s->policy->over;

	if (c->stranger || (pool && c->m.target == s->pool.rules.most) ||
	    (!pool && conn_places(s, c))) {
		s->r.shy += units;
		return;
	}
	if (pool && !c->m.denied && (!s->scenario->single || s->policy->pieces)) {
		s->r.early += units;
		return;
	}
	s->r.refused += units;
	if (s->now - c->busy_at > SEC)
		s->r.late += units;
}

/* Did a connection wait too long? Those that crowd out others do not count */
static void late(struct sim *s, const struct conn *c)
{
	if (s->now - c->busy_at > SEC && !c->stranger && c - s->conns >= s->scenario->crowd)
		s->r.unplaced++;
}

static void placed(struct sim *s, struct conn *c, u64 units)
{
	if (!units)
		return;
	s->r.placed += units;
	s->busy_units += units;
	if (c->busy_at && !c->placed_at) {
		c->placed_at = s->now;
		histogram_add(&s->r.place, s->now - c->busy_at, 1);
		late(s, c);
	}
}

/**
 * struct room - what a flight may take
 * @credits: how many
 * @lent: how many of those may be lent to groups
 * @requests: how many requests
 */
struct room {
	u32	credits;
	u32	lent;
	u32	requests;
};

static void send_batch(struct sim *s, struct conn *c, struct batch *b, struct room *r,
		       struct flight *f)
{
	u32 longs = min_t(u32, b->longs, r->requests), groups = 0, explicits, shorts;

	if (conn_places(s, c))
		groups = min_t(u32, longs, min_t(u32, r->lent / (GROUP - 1), r->credits / GROUP));
	r->lent -= groups * (GROUP - 1);
	r->credits -= groups * GROUP;
	explicits = min_t(u32, longs - groups, r->credits);
	r->credits -= explicits;
	r->requests -= groups + explicits;
	shorts = min_t(u32, min_t(u32, b->shorts, r->requests), r->credits);
	r->credits -= shorts;
	r->requests -= shorts;
	b->longs -= groups + explicits;
	b->shorts -= shorts;
	f->groups += groups;
	f->explicits += explicits;
	f->shorts += shorts;
	histogram_add(&s->r.wait, s->now - b->at, groups + explicits + shorts);
}

/* Returns credits that a flight holds */
static u32 flight_credits(const struct flight *f)
{
	return f->shorts + f->groups * GROUP + f->explicits;
}

/* Returns the data of a flight, in units of 64 KiB */
static u64 flight_units(const struct flight *f)
{
	return f->shorts + (f->groups + f->explicits) * (u64)GROUP_UNITS;
}

/* Returns credits that may be lent to one more flight: rpcrdma2_ledger_share() */
static u32 lendable(const struct conn *c)
{
	u32 share = min_t(u32, c->window - c->window / 4, max_t(u32, c->window, 1) - 1);
	u32 i, lent = 0;

	for (i = 0; i < FLIGHTS; i++)
		lent += c->flights[i].groups * (GROUP - 1);
	return share > lent ? share - lent : 0;
}

static void fill_flight(struct sim *s, struct conn *c, struct flight *f)
{
	struct room r = {
		.credits = c->window > c->out ? c->window - c->out : 0,
		.lent = lendable(c),
	};
	u32 i, n = 0;

	/* what waits is spread out, so that something is answered now and then */
	for (i = 0; i < c->nbatches; i++)
		r.requests += c->batches[i].shorts + c->batches[i].longs;
	r.requests = DIV_ROUND_UP(r.requests, FLIGHTS - c->flying);
	for (i = 0; i < c->nbatches; i++) {
		send_batch(s, c, &c->batches[i], &r, f);
		if (c->batches[i].shorts || c->batches[i].longs)
			c->batches[n++] = c->batches[i];
	}
	c->nbatches = n;
}

/* Returns credits that would be of use beyond those that are in use */
static u32 missing(const struct sim *s, const struct conn *c)
{
	u32 i, n = 0;

	for (i = 0; i < FLIGHTS; i++)
		n += c->flights[i].explicits * (GROUP - 1);
	for (i = 0; i < c->nbatches && s->scenario->client; i++)
		n += c->batches[i].shorts + c->batches[i].longs * GROUP;
	return n;
}

static void account(struct sim *s, struct conn *c, const struct flight *f)
{
	if (conn_places(s, c)) {
		placed(s, c, f->shorts + f->groups * (u64)GROUP_UNITS);
		refused(s, c, f->explicits * (u64)GROUP_UNITS);
	} else {
		refused(s, c, flight_units(f));
	}
}

/* Returns false if nothing more can be sent */
static bool send_flight(struct sim *s, struct conn *c, u32 nr)
{
	struct flight *f = &c->flights[nr];
	u64 units, time = RTT;

	fill_flight(s, c, f);
	if (!flight_credits(f))
		return false;
	account(s, c, f);
	units = flight_units(f);
	s->flying += units;
	c->out += flight_credits(f);
	c->flying++;
	conn_arrived(s, c, flight_credits(f), missing(s, c), true);
	if (f->explicits)
		time += RTT;
	conn_later(s, c, EV_REPLY, time + s->flying * SEC / RATE, nr);
	return true;
}

void traffic_send(struct sim *s, struct conn *c)
{
	u32 i;

	c->sending = false;
	if (c->rude && s->policy->srq)
		s->r.dry += 4 * c->window;
	for (i = 0; i < FLIGHTS && c->nbatches; i++)
		if (!flight_credits(&c->flights[i]) && !send_flight(s, c, i))
			break;
}

/* A connection has nothing to do any more */
static void rest(struct sim *s, struct conn *c)
{
	if (!c->placed_at)
		late(s, c);
	c->busy_at = 0;
	c->calm_at = s->now;
	c->keep = false;
}

void traffic_reply(struct sim *s, struct conn *c, u32 nr)
{
	struct flight f = c->flights[nr];
	u32 i;

	s->flying -= flight_units(&f);
	c->out -= flight_credits(&f);
	c->flying--;
	c->flights[nr] = (struct flight){ };
	for (i = 0; i < f.shorts + f.explicits; i++)
		conn_replied(s, c, 1);
	for (i = 0; i < f.groups; i++)
		conn_replied(s, c, GROUP);
	if (c->keep && s->now < c->stop_at)
		issue(s, c, f.shorts, f.groups + f.explicits);
	if (c->nbatches)
		send_soon(s, c, 0);
	else if (!c->flying)
		rest(s, c);
}
