/* SPDX-License-Identifier: GPL-2.0 */
/* The application that uses the mount while the peer serves it. */
#ifndef PEER_APP_H
#define PEER_APP_H

#include <sys/types.h>

#include "wire.h"

/**
 * struct app - an operation being carried out in a process of its own
 * @pid: the process
 * @done: it has ended
 * @err: errno of the operation, APP_WRONG_DATA, or APP_CRASHED
 */
struct app {
	pid_t pid;
	bool done;
	int err;
};

#define APP_WRONG_DATA	250
#define APP_CRASHED	251
#define APP_NO_OP	252
#define APP_HUNG	253

/**
 * struct app_beat - how a worker is that carries out many operations
 * @since: when it began with the last one, 0 if it is done
 * @ok: how many went well
 * @failed: how many did not
 */
struct app_beat {
	volatile u64 since;
	volatile u32 ok, failed;
};

extern struct app_beat *app_beats;

/* How many operations there may be at once on a mount, and whether it may be of
 * NFSv4.1
 */
extern const unsigned int app_workers;
extern const bool app_nfs4;

void app_beats_start(unsigned int n);
int app_mix(const char *op, int (*one)(const char *op, const char *arg),
	    const char *arg);
void app_start(struct app *a, const char *op, const char *dir,
	       const char *opts);
bool app_poll(struct app *a);
void app_kill(struct app *a);

#endif /* PEER_APP_H */
