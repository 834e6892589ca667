/* SPDX-License-Identifier: GPL-2.0 */
/* What the two roles of the conformance peer have in common. */
#ifndef PEER_PEER_H
#define PEER_PEER_H

#include <stdio.h>

#include "wire.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/**
 * struct config - what the command line said
 * @host: server to connect to, or own address that the kernel mounts from
 * @port: its RDMA port
 * @glob: names or ids of the cases to run, parted by commas
 * @device: name of the RDMA device, for @csv
 * @csv: file to write results to, or NULL
 * @timeout: milliseconds that an answer may take
 * @server_max: highest version the server under test may speak
 * @list: name the cases, run none
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
	bool list;
	const char *dir;
	bool verbose;
};

extern struct config cfg;

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

void result_fail(struct result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void result_skip(struct result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void ktap_start(const char *end, int count);
void ktap_case(const char *name, const char *ids, case_fn fn,
	       const void *what, void (*after)(struct result *r));
int ktap_end(void);
bool ktap_chosen(const char *name, const char *ids);

int client_main(void);
int server_main(void);

#endif /* PEER_PEER_H */
