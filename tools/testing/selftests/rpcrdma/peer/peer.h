/* SPDX-License-Identifier: GPL-2.0 */
/* What the two roles of the conformance peer have in common. */
#ifndef PEER_PEER_H
#define PEER_PEER_H

#include <stdio.h>

#include "wire.h"

#define QUIET_MS	300	/* silence that shows that nothing comes */
#define MINUTES_MS	(cfg.subset ? 5000 : 125000)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* How long an answer may take where the command line says nothing */
#define TIMEOUT_MS	15000

/**
 * struct config - what the command line said
 * @host: server to connect to, or own address that the kernel mounts from
 * @port: its RDMA port
 * @glob: names or ids of the cases to run, parted by commas
 * @device: name of the RDMA device, for @csv
 * @csv: file to write results to, or NULL
 * @timeout: milliseconds that an answer may take
 * @server_max: highest version the server under test may speak
 * @on_server: program that carries out text for a shell on the server under
 *	test, or NULL
 * @list: name the cases, run none
 * @explain: say in words what they are, run none
 * @subset: leave out cases whose ids earlier ones cover
 * @first_failure: a case that fails is the last one
 * @part: which part of them to run
 * @parts: of how many; none if it is not more than one
 * @flood: send so many bad messages instead of running the cases
 * @fuzz: send so many sequences of spoiled messages instead of running the cases
 * @seed: what they are made of
 * @from: number of the first
 * @deaf: instead of running the cases, make calls whose replies are not taken,
 *	and wait so many seconds for the connections to be closed
 * @many: have so many connections be busy in turn instead of running the cases
 * @dir: where the kernel mounts
 * @verbose: show every message
 */
struct config {
	const char *host;
	int port;
	const char *glob;
	const char *csv;
	const char *device;
	int timeout;
	int server_max;
	const char *on_server;
	bool list;
	bool explain;
	bool subset;
	bool first_failure;
	unsigned int part, parts;
	unsigned int flood;
	unsigned int fuzz;
	u32 seed, from;
	unsigned int deaf;
	unsigned int many;
	const char *dir;
	bool verbose;
};

extern struct config cfg;

/**
 * patient - stretch a time limit for a slow machine
 * @ms: the limit for others, milliseconds
 *
 * Return: milliseconds.
 */
static inline int patient(int ms)
{
	return cfg.timeout > TIMEOUT_MS ? (long long)ms * cfg.timeout / TIMEOUT_MS : ms;
}

enum verdict { PASS = 0, FAIL = 1, SKIP = 4 };

/**
 * struct result - how a case ended
 * @v: the verdict
 * @why: reason of a failure or a skip
 */
struct result {
	enum verdict v;
	char why[1000];
};

typedef void (*case_fn)(const void *what, struct result *r);

/**
 * struct case_head - what every case of either role begins with
 * @name: its name
 * @ids: the ids it covers
 */
struct case_head {
	const char *name;
	const char *ids;
};

/**
 * struct case_table - a table of cases
 * @cases: the first of them
 * @nr: how many there are
 */
struct case_table {
	const void *cases;
	const unsigned int *nr;
};

/**
 * struct role - what a role of the peer brings along
 * @end: which end of the kernel is under test, "server" or "client"
 * @tables: its cases
 * @nr_tables: how many tables
 * @case_size: size of a case
 * @start: called before the first case, or NULL
 * @run: runs a case, in a process beside the one that reports
 * @leave: called in that process when it ends, or NULL
 * @after: called after a case with its result
 * @stop: called after the last case, or NULL
 * @explain: says in words what a case is; returns 0, or -1
 */
struct role {
	const char *end;
	const struct case_table *tables;
	unsigned int nr_tables;
	size_t case_size;
	void (*start)(void);
	case_fn run;
	void (*leave)(void);
	case_fn after;
	void (*stop)(void);
	int (*explain)(const void *what);
};

void result_fail(struct result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void result_skip(struct result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

int ktap_main(const struct role *role);
void ktap_aside(const char *name, case_fn fn);
void ktap_advertised(const char *what, int value);

void advert_server(void);
void advert_client(void);

int client_main(void);
int server_main(void);

#endif /* PEER_PEER_H */
