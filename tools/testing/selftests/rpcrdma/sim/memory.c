// SPDX-License-Identifier: GPL-2.0
/*
 * What a policy does about memory: the part of the kernel module that is to call
 * pool.c, in short, and what it has been until now.
 */

#include <stdlib.h>

#include "sim.h"

enum {
	/* Memory for data in a Receive, in kB; the buffer of one without; and what the
	 * context of either takes, at a server and at a client
	 */
	DATA_KB		= 64,
	PLAIN_KB	= 4,
	CLIENT_PLAIN_KB	= 8,
	CONTEXT_KB	= 5,
	CLIENT_CONTEXT_KB	= 1,
	/* Receives without credits: 2 for reverse replies, 5 for control messages */
	EXTRA		= 7,
	/* As it is: credits, Receives posted, and buffers in all */
	OLD_CREDITS	= 64,
	OLD_POSTED	= 71,
	OLD_BUFS	= 149,
	OLD_CLIENT_BUFS	= 303,
	OLD_KB		= 256 * 1024,
	OLD_CLIENT_KB	= 128 * 1024,
	/* Credits of a connection that has little to do; of which a group of 1 MiB can
	 * borrow as many as it takes
	 */
	REST		= 8,
	PAUSE		= 21,
	/* Receives that are shared at first */
	SRQ_FIRST	= 1024,
	NEVER		= 1 << 30,
};

/* Time for a message and its answer, and for buffers to be allocated */
#define RTT		(200ULL * USEC)
#define ALLOCATION	(1ULL * MSEC)

static u32 context_kb(const struct sim *s)
{
	return s->scenario->client ? CLIENT_CONTEXT_KB : CONTEXT_KB;
}

/* Returns the memory of a Receive that nothing is placed in, in kB */
static u32 plain_kb(const struct sim *s)
{
	return (s->scenario->client ? CLIENT_PLAIN_KB : PLAIN_KB) + context_kb(s);
}

/* Returns the memory of a Receive that data can be placed in, in kB */
static u32 block_kb(const struct sim *s)
{
	u32 page = s->scenario->page_kb;

	return page + (DATA_KB + page - 1) / page * page + context_kb(s);
}

void memory_begin(struct sim *s)
{
	const struct policy *p = s->policy;
	struct rpcrdma2_pool_rules rules = {
		.kb		= { p->sizes ? plain_kb(s) : block_kb(s), block_kb(s) },
		.first		= p->share ? 1 : REST,
		.rest		= REST,
		.pause		= PAUSE,
		.few		= s->scenario->client ? 1 : 4,
		.most		= s->scenario->client ? 640 : 256,
		.hold		= 5 * SEC / INTERVAL,
		.still		= p->small ? 3 * SEC / INTERVAL : NEVER,
		.idle		= p->small ? 5 * SEC / INTERVAL : NEVER,
		.gone		= p->small ? 60 * SEC / INTERVAL : NEVER,
		.silent		= 4,
	};

	rpcrdma2_pool_init(&s->pool, &rules, s->scenario->machine_mb * 1024 / 8);
	if (p->over) {
		s->srq = SRQ_FIRST;
		s->pool.used_kb = s->srq * rules.kb[RPCRDMA2_POOL_BLOCK];
	}
}

/* Enters what has been in use since the last look; called before anything happens */
void memory_look(struct sim *s)
{
	struct result *r = &s->r;
	u64 used = s->pool.used_kb, budget = s->pool.budget_kb;

	r->mem_sum += (double)used * (s->now - r->mem_at);
	r->mem_at = s->now;
	r->mem_peak = max_t(u64, r->mem_peak, used);
	if (used > budget)
		r->over_kb = max_t(u64, r->over_kb, used - budget);
	if (s->squeezed_at && !s->relaxed_at && !r->given_back &&
	    used <= budget - s->pool.squeezed_kb)
		r->given_back = s->now - s->squeezed_at;
	r->greedy_kb = max_t(u64, r->greedy_kb, s->shares[0].used_kb);
}

/* Returns the memory of a connection, in kB */
u32 conn_kb(const struct sim *s, const struct conn *c)
{
	if (s->policy->over || !c->up)
		return 0;
	/* as it was, at either end */
	if (s->policy->fixed)
		return c->bufs * (c->placing ? block_kb(s) : PLAIN_KB + context_kb(s));
	return rpcrdma2_pool_charged(&s->pool, &c->m);
}

/* Can data be placed in the Receives of a connection? */
bool conn_places(const struct sim *s, const struct conn *c)
{
	if (s->scenario->single && !s->policy->pieces)
		return false;
	if (s->policy->fixed)
		return c->placing;
	return !s->policy->sizes || c->large;
}

void conn_later(struct sim *s, struct conn *c, enum event_type type, u64 ns, u32 arg)
{
	struct event ev = {
		.at = s->now + ns, .conn = c - s->conns, .life = c->life, .type = type, .arg = arg,
	};

	queue_put(&s->queue, ev);
}

/*
 * Section: all or nothing, whoever comes first
 */

/* A connection under a fixed policy has so many buffers from now on */
static void fixed_bufs(struct sim *s, struct conn *c, u32 bufs)
{
	u32 before = conn_kb(s, c);

	if (bufs <= c->bufs)
		return;
	c->bufs = bufs;
	s->pool.used_kb += conn_kb(s, c) - before;
}

static void fixed_up(struct sim *s, struct conn *c)
{
	bool client = s->scenario->client;
	u32 kb = (client ? OLD_CLIENT_BUFS : OLD_BUFS) * block_kb(s);

	c->placing = s->fixed_kb + kb <= (client ? OLD_CLIENT_KB : OLD_KB) &&
		     (!s->scenario->single || s->policy->pieces);
	if (c->placing)
		s->fixed_kb += kb;
	c->window = OLD_CREDITS;
	fixed_bufs(s, c, client && c->placing ? OLD_CLIENT_BUFS : OLD_POSTED);
}

/*
 * Section: Receives that all share, fewer than were promised
 */

static void over_arrived(struct sim *s, struct conn *c, u32 count)
{
	u32 free = s->srq - s->srq_held;

	if (count > free)
		s->r.dry += count - free;
	s->srq_held += min_t(u32, count, free);
	c->held[0] += min_t(u32, count, free);
	s->srq_peak = max_t(u32, s->srq_peak, s->srq_held);
	if (s->srq - s->srq_held < s->srq / 4 && !s->srq_coming) {
		s->srq_coming = s->srq / 2;
		conn_later(s, &s->conns[0], EV_POST, ALLOCATION, 0);
	}
}

static void over_replied(struct sim *s, struct conn *c, u32 count)
{
	count = min_t(u32, count, c->held[0]);
	c->held[0] -= count;
	s->srq_held -= count;
}

static void over_resize(struct sim *s, u32 count)
{
	s->srq = count;
	s->pool.used_kb = count * s->pool.rules.kb[RPCRDMA2_POOL_BLOCK];
	s->r.changes++;
}

static void over_tick(struct sim *s)
{
	if (s->srq > 4 * s->srq_peak && s->srq > SRQ_FIRST)
		over_resize(s, max_t(u32, s->srq - s->srq / 4, SRQ_FIRST));
	s->srq_peak = s->srq_held;
}

/*
 * Section: Receives of a connection
 */

static void push(struct conn *c, u32 kind, u32 count)
{
	struct run *last = &c->runs[c->nruns - 1];

	if (!c->nruns || last->kind != kind) {
		if (c->nruns == MAX_RUNS)
			abort();
		last = &c->runs[c->nruns++];
		last->kind = kind;
		last->count = 0;
	}
	last->count += count;
	c->posted += count;
}

/* New buffers are posted */
static void add(struct conn *c, u32 kind, u32 count)
{
	rpcrdma2_pool_posted(&c->m, kind, count);
	if (count)
		push(c, kind, count);
}

/* The Receive that was posted first is used up; returns its kind */
static u32 pop(struct conn *c)
{
	u32 i, kind = c->runs[0].kind;

	c->posted--;
	if (--c->runs[0].count)
		return kind;
	for (i = 1; i < c->nruns; i++)
		c->runs[i - 1] = c->runs[i];
	c->nruns--;
	return kind;
}

/* Are Receives posted that are shorter than all are going to be? */
static bool raising(const struct conn *c)
{
	u32 i;

	for (i = 0; i < c->nruns; i++)
		if (c->runs[i].kind != c->m.kind)
			return c->m.kind == RPCRDMA2_POOL_BLOCK;
	return false;
}

/* Receives that there have to be. At a client replies are still to come to what it has sent */
static u32 needed(const struct sim *s, const struct conn *c)
{
	if (s->scenario->client)
		return c->unanswered + c->m.extra;
	return rpcrdma2_pool_needed(&c->m, c->unanswered);
}

/* A buffer is not in use any more */
static void release(struct sim *s, struct conn *c, u32 kind)
{
	static const u32 spare[RPCRDMA2_POOL_KINDS];

	if (rpcrdma2_pool_keep(&c->m, kind, spare, c->posted < needed(s, c)))
		push(c, kind, 1);
	else
		rpcrdma2_pool_drop(&s->pool, &c->m, kind, 1);
}

/* Receives that are there beyond what credits need */
static bool surplus(const struct sim *s, const struct conn *c)
{
	u32 kept = max_t(u32, needed(s, c), rpcrdma2_pool_buffers(&c->m, c->m.target));

	return !c->unanswered && c->posted > kept;
}

/* The other end learns of longer Receives when no shorter one is left */
static void announce(struct sim *s, struct conn *c)
{
	if (c->large || c->m.kind != RPCRDMA2_POOL_BLOCK || raising(c) ||
	    c->m.coming[RPCRDMA2_POOL_BLOCK])
		return;
	c->large = true;
	s->r.messages += 2;
}

/* As few Receives as there must be: those for what may still come (M3) */
static void check(struct sim *s, const struct conn *c)
{
	if (c->posted < needed(s, c))
		s->r.broken++;
}

static void nudge_begin(struct sim *s, struct conn *c)
{
	if (c->nudging || s->policy->srq || !(raising(c) || surplus(s, c)))
		return;
	c->nudging = true;
	conn_later(s, c, EV_NUDGE, RTT, 0);
}

/* An empty request, whose answer uses up a Receive that nothing else does */
void conn_nudge(struct sim *s, struct conn *c)
{
	c->nudging = false;
	if (c->posted > needed(s, c) && (raising(c) || surplus(s, c))) {
		s->r.messages += 2;
		release(s, c, pop(c));
		announce(s, c);
	}
	check(s, c);
	nudge_begin(s, c);
}

/* The client decides itself how much of its grant it uses */
static void client_window(struct conn *c)
{
	c->window = rpcrdma2_pool_window(&c->m, c->posted);
}

/* Buffers that were asked for are there, unless there is no such memory */
void conn_posted(struct sim *s, struct conn *c, u32 kind, u32 count)
{
	u32 more = 0;

	if (s->policy->over) {
		over_resize(s, s->srq + s->srq_coming);
		s->srq_coming = 0;
		return;
	}
	if (kind == RPCRDMA2_POOL_BLOCK && s->scenario->single && !s->policy->pieces) {
		rpcrdma2_pool_failed(&s->pool, &c->m, kind, count);
		if (c->m.target < s->pool.rules.first)
			more = rpcrdma2_pool_plain(&s->pool, &c->m);
		add(c, RPCRDMA2_POOL_PLAIN, more);
		return;
	}
	add(c, kind, count);
	announce(s, c);
	nudge_begin(s, c);
	if (s->scenario->client)
		client_window(c);
}

static void fetch(struct sim *s, struct conn *c, u32 count)
{
	if (!count)
		return;
	s->r.changes++;
	conn_later(s, c, EV_POST, ALLOCATION, c->m.kind << 16 | count);
}

/*
 * Section: what happens to a connection
 */

/* Returns the share that a connection counts for */
static struct rpcrdma2_share *share_of(const struct sim *s, const struct conn *c)
{
	const struct scenario *sc = s->scenario;
	u32 i = c - s->conns;

	if (!s->policy->share)
		return &s->shares[i];
	if (!sc->crowd)
		return &s->shares[i % sc->addresses];
	return &s->shares[i < sc->crowd ? 0 : 1 + (i - sc->crowd) % (sc->addresses - 1)];
}

void conn_up(struct sim *s, struct conn *c)
{
	c->up = true;
	c->life++;
	c->nruns = 0;
	c->posted = 0;
	c->large = false;
	c->nudging = false;
	c->asked = false;
	c->window = 1;
	if (s->policy->fixed)
		fixed_up(s, c);
	else if (s->policy->over)
		c->window = OLD_CREDITS;
	else
		add(c, RPCRDMA2_POOL_PLAIN, rpcrdma2_pool_join(&s->pool, share_of(s, c), &c->m, EXTRA));
	if (s->policy->sizes && !s->scenario->client)
		c->m.most[RPCRDMA2_POOL_PLAIN] = OLD_CREDITS;
	if (!s->policy->share || s->scenario->client)
		conn_admit(s, c);
}

void conn_admit(struct sim *s, struct conn *c)
{
	u32 more;

	if (s->policy->fixed || s->policy->over)
		return;
	more = rpcrdma2_pool_admit(&s->pool, &c->m);
	add(c, RPCRDMA2_POOL_PLAIN, more);
	c->window = rpcrdma2_pool_grant(&s->pool, &c->m, c->posted, 0, 0);
}

/* @count messages come; they would have been @missing more if there were credits */
void conn_arrived(struct sim *s, struct conn *c, u32 count, u32 missing, bool data)
{
	u32 i;

	c->unanswered += count;
	c->asked = false;
	c->m.idle = false;
	if (s->policy->fixed) {
		fixed_bufs(s, c, OLD_POSTED + c->unanswered);
		return;
	}
	if (s->policy->over) {
		over_arrived(s, c, count);
		return;
	}
	for (i = 0; i < count && !s->scenario->client; i++) {
		if (!c->posted) {
			s->r.dry += count - i;
			c->unanswered -= count - i;
			break;
		}
		c->held[pop(c)]++;
	}
	check(s, c);
	announce(s, c);
	rpcrdma2_pool_used(&c->m, c->unanswered + missing, data && s->policy->sizes);
	if (missing && !s->scenario->client && conn_places(s, c))
		rpcrdma2_pool_lacked(&c->m, GROUP - 1);
	if (rpcrdma2_pool_short(&s->pool, &c->m)) {
		fetch(s, c, rpcrdma2_pool_grow(&s->pool, &c->m));
		nudge_begin(s, c);
	}
	s->r.credits = max_t(u32, s->r.credits, c->m.target);
}

/* A buffer with a message that was answered is not in use any more */
static void release_held(struct sim *s, struct conn *c)
{
	u32 kind = c->held[RPCRDMA2_POOL_PLAIN] ? RPCRDMA2_POOL_PLAIN : RPCRDMA2_POOL_BLOCK;

	c->held[kind]--;
	release(s, c, kind);
}

/* At a client a reply uses up Receives, which are free again at once */
static void client_replied(struct sim *s, struct conn *c, u32 count)
{
	while (count--)
		release(s, c, pop(c));
	client_window(c);
}

/*
 * A server posts again what held no more than data, then sends the reply, then it has
 * no more use for the Receive with the Call's header either.
 */
static void server_replied(struct sim *s, struct conn *c, u32 count)
{
	u32 i;

	for (i = 1; i < count; i++)
		release_held(s, c);
	c->window = rpcrdma2_pool_grant(&s->pool, &c->m, c->posted, c->unanswered, count);
	check(s, c);
	release_held(s, c);
}

/* A message is answered that held @returned credits */
void conn_replied(struct sim *s, struct conn *c, u32 returned)
{
	returned = min_t(u32, returned, c->unanswered);
	c->unanswered -= returned;
	if (s->policy->fixed || !returned)
		return;
	if (s->policy->over)
		over_replied(s, c, returned);
	else if (s->scenario->client)
		client_replied(s, c, returned);
	else
		server_replied(s, c, returned);
	if (!s->policy->over) {
		announce(s, c);
		check(s, c);
	}
}

/* A request of this end, and its answer, make sure that the peer knows its grant */
static void conn_recall(struct sim *s, struct conn *c)
{
	s->r.messages += 2;
	rpcrdma2_pool_confirmed(&c->m);
	nudge_begin(s, c);
}

/* A connection with nothing to do has something to say now and then */
void conn_beat(struct sim *s, struct conn *c)
{
	if (!c->up || c->unanswered || c->stranger)
		return;
	conn_arrived(s, c, 1, 0, false);
	conn_replied(s, c, 1);
}

/*
 * A client that has had nothing to do for an interval asks for its grant; for the first
 * time in any case
 */
static void conn_ask(struct sim *s, struct conn *c)
{
	bool idle = !c->unanswered && !c->m.peak;

	if (!s->policy->asks || s->scenario->client || c->stranger || c->asked ||
	    c->unanswered >= c->window ||
	    (c->m.asks && (!idle || c->window <= s->pool.rules.rest)))
		return;
	conn_arrived(s, c, 1, 0, false);
	c->m.asks = true;
	c->m.idle = c->unanswered == 1;
	conn_replied(s, c, 1);
	c->asked = idle;
	s->r.messages += 2;
}

static void conn_close(struct sim *s, struct conn *c)
{
	c->up = false;
	c->life++;
	rpcrdma2_pool_leave(&s->pool, &c->m);
}

/* RBSIZ becomes lower because the client asks for it */
static void conn_lower(struct sim *s, struct conn *c)
{
	u32 more;

	if (c->silent || s->scenario->client)
		return;
	s->r.messages += 2;
	c->large = false;
	more = rpcrdma2_pool_plain(&s->pool, &c->m);
	add(c, RPCRDMA2_POOL_PLAIN, more);
	s->r.changes++;
	conn_beat(s, c);
	conn_recall(s, c);
}

static void conn_turn(struct sim *s, struct conn *c)
{
	u32 target = c->m.target;

	conn_ask(s, c);
	switch (rpcrdma2_pool_tick(&s->pool, &c->m, c->posted, c->unanswered)) {
	case RPCRDMA2_POOL_CLOSE:
		conn_close(s, c);
		return;
	case RPCRDMA2_POOL_LOWER:
		conn_lower(s, c);
		break;
	case RPCRDMA2_POOL_RECALL:
		conn_recall(s, c);
		break;
	case RPCRDMA2_POOL_FLUSH:
		nudge_begin(s, c);
		break;
	case RPCRDMA2_POOL_STAY:
		break;
	}
	while (s->policy->srq && surplus(s, c))
		release(s, c, pop(c));
	if (s->scenario->client && !c->unanswered)
		client_window(c);
	s->r.changes += c->m.target < target;
}

static void conn_idle(struct sim *s, const struct conn *c)
{
	u32 kb = conn_kb(s, c);

	if (c->stranger)
		s->r.stranger_kb = max_t(u32, s->r.stranger_kb, kb);
	else if (!c->busy_at && s->now - c->calm_at >= 75 * SEC)
		s->r.idle_kb = max_t(u32, s->r.idle_kb, kb);
}

void conn_tick(struct sim *s, struct conn *c)
{
	if (s->policy->over && c == s->conns)
		over_tick(s);
	if (!c->up)
		return;
	if (!s->policy->fixed && !s->policy->over)
		conn_turn(s, c);
	conn_idle(s, c);
}
