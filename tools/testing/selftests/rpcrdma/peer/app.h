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

void app_start(struct app *a, const char *op, const char *dir,
	       const char *opts);
bool app_poll(struct app *a);
void app_kill(struct app *a);

#endif /* PEER_APP_H */
