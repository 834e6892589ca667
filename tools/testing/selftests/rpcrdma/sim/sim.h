/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of many connections that share memory for Receives, to compare policies by:
 * which gets how many credits and what kind of Receives, and what that costs.
 *
 * A connection that is busy sends what it may, waits for the replies, and sends again:
 * a round. What the policy does with each message and each reply is done for each of
 * them, by the very functions that the kernel module has (pool.c). Time is
 * simulated, and chance comes from a seed, so that a run always ends the same.
 */
#ifndef SIM_H
#define SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "pool.h"

enum {
	USEC		= 1000,
	MSEC		= 1000 * USEC,
	/* Credits that a WRITE of 1 MiB takes if it goes by Send */
	GROUP		= 17,
	/* 64 KiB each */
	GROUP_UNITS	= 16,
	MAX_BATCHES	= 32,
	MAX_RUNS	= 8,
	/* Parts of what is under way that are answered at different times */
	FLIGHTS		= 4,
	BUCKETS		= 40 * 8,
};

#define SEC	(1000ULL * MSEC)
/* After which rpcrdma2_pool_tick() is called */
#define INTERVAL	(250ULL * MSEC)

/* chance.c */
struct chance {
	u64	state;
};

u32 chance_below(struct chance *c, u32 n);
double chance_part(struct chance *c);
double chance_gap(struct chance *c, double mean);
u32 chance_pareto(struct chance *c, double alpha, double least, double most);

/**
 * struct histogram - times, in buckets that an eighth divides
 * @count: of each bucket
 * @total: of all
 * @most: the longest, in ns
 */
struct histogram {
	u64	count[BUCKETS];
	u64	total;
	u64	most;
};

void histogram_add(struct histogram *h, u64 ns, u64 count);
u64 histogram_part(const struct histogram *h, double part);

/* events.c */
enum event_type {
	/* a connection sends what it may */
	EV_SEND,
	/* the replies to that */
	EV_REPLY,
	/* buffers that were asked for are there */
	EV_POST,
	/* a message whose only use is that it uses up a Receive */
	EV_NUDGE,
	/* there is something to do */
	EV_WORK,
	/* an interval is over, for all connections */
	EV_TICK,
	/* the load of the scenario changes */
	EV_LOAD,
};

/**
 * struct event - what happens
 * @at: when, in ns
 * @order: what was planned first happens first
 * @conn: to which connection
 * @life: which of its lives is meant
 * @type: what
 * @arg: of that
 */
struct event {
	u64		at;
	u64		order;
	u32		conn;
	u32		life;
	enum event_type	type;
	u32		arg;
};

struct queue {
	struct event	*heap;
	u32		count;
	u32		room;
	u64		order;
};

void queue_put(struct queue *q, struct event ev);
bool queue_get(struct queue *q, struct event *ev);
void queue_free(struct queue *q);

/**
 * struct policy - who gets what
 * @name: of it
 * @what: in a line
 * @fixed: as it is today: every connection has all, or nothing is placed on it; who
 *	comes first is served first
 * @sizes: Receives are short until there is data to place
 * @small: those with blocks and without data are made small again: the client asks, or
 *	the server closes them
 * @share: addresses have shares, and who has not authenticated has the least
 * @pieces: a Receive can be made of single pages
 * @asks: clients ask for their grant when they have nothing to do
 * @srq: Receives are shared by all connections of a device
 * @over: and there are fewer of them than were promised
 * @aims: it has to meet all aims
 */
struct policy {
	const char	*name;
	const char	*what;
	bool		fixed;
	bool		sizes;
	bool		small;
	bool		share;
	bool		pieces;
	bool		asks;
	bool		srq;
	bool		over;
	bool		aims;
};

/* Requests that were issued at one time and wait to be sent */
struct batch {
	u64	at;
	u32	shorts;
	u32	longs;
};

/**
 * struct flight - requests that are sent and answered at the same time
 * @shorts: short ones
 * @groups: long ones that go by Send
 * @explicits: others
 */
struct flight {
	u32	shorts;
	u32	groups;
	u32	explicits;
};

/* Receives of a kind, posted one behind the other */
struct run {
	u32	kind;
	u32	count;
};

/**
 * struct conn - a connection
 * @m: its membership in the pool
 * @life: how often it was made
 * @up: there is one
 * @stranger: nobody ever authenticates on it
 * @rude: it disregards its grant
 * @silent: it sends nothing while it has nothing to do, and asks for nothing
 * @runs: posted Receives, in their order
 * @nruns: how many runs
 * @posted: Receives in them
 * @held: buffers with unanswered messages, of each kind
 * @unanswered: credits of these
 * @window: credits that the other end knows of
 * @large: the other end knows of blocks
 * @placing: under a fixed policy: it was served
 * @bufs: under a fixed policy: buffers it has
 * @nudging: there is an EV_NUDGE
 * @asked: its client has asked for its grant since it had something to do
 * @batches: requests that wait, the oldest first
 * @nbatches: how many
 * @flights: requests that are under way
 * @flying: how many flights
 * @out: credits that they hold
 * @sending: there is an EV_SEND
 * @keep: requests are issued as they are answered
 * @busy_at: when it has become busy; 0 if it is not
 * @stop_at: when it will not be any more
 * @placed_at: when data was placed first since
 * @calm_at: when it was busy last
 */
struct conn {
	struct rpcrdma2_member	m;
	u32			life;
	bool			up;
	bool			stranger;
	bool			rude;
	bool			silent;
	struct run		runs[MAX_RUNS];
	u32			nruns;
	u32			posted;
	u32			held[RPCRDMA2_POOL_KINDS];
	u32			unanswered;
	u32			window;
	bool			large;
	bool			placing;
	u32			bufs;
	bool			nudging;
	bool			asked;
	struct batch		batches[MAX_BATCHES];
	u32			nbatches;
	struct flight		flights[FLIGHTS];
	u32			flying;
	u32			out;
	bool			sending;
	bool			keep;
	u64			busy_at;
	u64			stop_at;
	u64			placed_at;
	u64			calm_at;
};

/**
 * struct result - what came of a run
 * @mem_sum: memory in use, in kB times ns
 * @mem_peak: the most of it, in kB
 * @mem_at: when it was looked at last
 * @over_kb: by how much it was beyond the budget, at most
 * @placed: data, in units of 64 KiB, that went by Send
 * @refused: that did not, for want of memory or of credits that memory was short for
 * @late: of that, what came more than a second after its connection had become busy
 * @early: that did not because the connection was still growing
 * @shy: that did not because the policy does not give more to anyone
 * @wait: how long requests waited for credits
 * @place: how long connections that became busy took to place data
 * @unplaced: how many took longer than a second
 * @messages: that carry no request
 * @changes: how often Receives were added or taken away
 * @dry: messages without a Receive, though their sender had a credit
 * @broken: looks that found fewer Receives than there had to be
 * @idle_kb: most memory of a connection that has been idle for long, in kB
 * @stranger_kb: most memory of one nobody has authenticated on, in kB
 * @credits: the most that a connection had
 * @greedy_kb: the most that the address of most connections had, in kB
 * @budget_kb: how much there may be
 * @closed: connections that were closed for their memory
 * @given_back: time from the squeeze until memory was given back, in ns
 * @taken_again: from its end until data was placed at the old rate again, in ns
 */
struct result {
	double			mem_sum;
	u64			mem_peak;
	u64			mem_at;
	u64			over_kb;
	u64			placed;
	u64			refused;
	u64			late;
	u64			early;
	u64			shy;
	struct histogram	wait;
	struct histogram	place;
	u32			unplaced;
	u64			messages;
	u64			changes;
	u64			dry;
	u64			broken;
	u32			idle_kb;
	u32			stranger_kb;
	u32			credits;
	u64			greedy_kb;
	u64			budget_kb;
	u32			closed;
	u64			given_back;
	u64			taken_again;
};

struct scenario;

/**
 * struct sim - a run
 * @scenario: of which load
 * @policy: with which policy
 * @pool: memory; its used_kb counts under a fixed policy, too
 * @conns: connections
 * @nconns: how many
 * @shares: of addresses, or of connections where addresses have none
 * @queue: what is going to happen
 * @chance: where chance comes from
 * @now: time, in ns
 * @end: when the run is over
 * @flying: units of data under way
 * @fixed_kb: memory that was promised under a fixed policy
 * @srq: Receives that are shared by more than were promised any
 * @srq_held: how many of them are in use
 * @srq_peak: the most of that in this interval
 * @srq_coming: how many are being allocated
 * @busy_units: units of data that were placed in this interval
 * @squeezed_at: when memory became short
 * @relaxed_at: when it was not any more
 * @rate_before: units placed in the interval before that
 * @r: what comes of it
 */
struct sim {
	const struct scenario	*scenario;
	const struct policy	*policy;
	struct rpcrdma2_pool	pool;
	struct conn		*conns;
	u32			nconns;
	struct rpcrdma2_share	*shares;
	struct queue		queue;
	struct chance		chance;
	u64			now;
	u64			end;
	u64			flying;
	u32			fixed_kb;
	u32			srq;
	u32			srq_held;
	u32			srq_peak;
	u32			srq_coming;
	u64			busy_units;
	u64			squeezed_at;
	u64			relaxed_at;
	u64			rate_before;
	struct result		r;
};

/**
 * struct scenario - a load
 * @name: of it
 * @what: in a line
 * @client: it is the memory of a client
 * @conns: connections
 * @addresses: that these are from
 * @crowd: how many of them are from the first address; if none, each has as many
 * @machine_mb: memory of the machine, in MiB
 * @page_kb: size of a page, in kB
 * @single: there are no two pages side by side
 * @full: how long it takes, in seconds
 * @brief: the same in the short form
 * @begin: sets it up
 * @load: changes the load, called by EV_LOAD
 */
struct scenario {
	const char	*name;
	const char	*what;
	bool		client;
	u32		conns;
	u32		addresses;
	u32		crowd;
	u32		machine_mb;
	u32		page_kb;
	bool		single;
	u32		full;
	u32		brief;
	void		(*begin)(struct sim *s);
	void		(*load)(struct sim *s, struct conn *c, u32 arg);
};

/* memory.c: what a policy does about memory */
void memory_begin(struct sim *s);
void memory_look(struct sim *s);
void conn_up(struct sim *s, struct conn *c);
void conn_admit(struct sim *s, struct conn *c);
u32 conn_kb(const struct sim *s, const struct conn *c);
bool conn_places(const struct sim *s, const struct conn *c);
void conn_arrived(struct sim *s, struct conn *c, u32 count, u32 missing, bool data);
void conn_replied(struct sim *s, struct conn *c, u32 returned);
void conn_posted(struct sim *s, struct conn *c, u32 kind, u32 count);
void conn_nudge(struct sim *s, struct conn *c);
void conn_tick(struct sim *s, struct conn *c);
void conn_beat(struct sim *s, struct conn *c);
void conn_later(struct sim *s, struct conn *c, enum event_type type, u64 ns, u32 arg);

/* traffic.c: what connections send */
void traffic_burst(struct sim *s, struct conn *c, u32 shorts, u32 longs);
void traffic_busy(struct sim *s, struct conn *c, u64 until, u32 shorts, u32 longs);
void traffic_send(struct sim *s, struct conn *c);
void traffic_reply(struct sim *s, struct conn *c, u32 nr);

/* loads.c */
extern const struct scenario scenarios[];
extern const u32 nscenarios;

/* policies.c */
extern const struct policy policies[];
extern const u32 npolicies;

/* run.c */
void run(const struct scenario *sc, const struct policy *p, bool brief, u64 seed, struct result *r);

/* aims.c */
u32 aims_check(const struct scenario *sc, const struct result *r, u32 *nr);
void aims_missed(const struct scenario *sc, const struct result *r);

#endif
