// SPDX-License-Identifier: GPL-2.0
/*
 * "peer apps --host HOST": what client-check wants of a client's machine, where the
 * peer is there, too: mounts, and does all operations of cases in an endless loop.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "app.h"
#include "check.h"
#include "conn.h"
#include "peer.h"

#define MAX_OPS		64
#define MOUNT_MS	60000	/* the peer may be started later */

static volatile sig_atomic_t stopped;

/**
 * stop - a signal to end
 * @sig: which
 */
static void stop(int sig)
{
	stopped = 1;
}

/**
 * do_op - carry out an operation
 * @op: the operation
 * @opts: its options
 *
 * Return: 0, an errno, or one of APP_*.
 */
static int do_op(const char *op, const char *opts)
{
	struct app a;

	app_start(&a, op, cfg.dir, opts);
	nap_short();
	while (!app_poll(&a)) {
		if (stopped && strcmp(op, "umount")) {
			app_kill(&a);
			break;
		}
		nap();
	}
	return a.err;
}

/**
 * apps_main - mount, and work until a signal comes
 *
 * Return: exit status.
 */
int apps_main(void)
{
	struct check_op all[MAX_OPS];
	unsigned int n = check_ops(all, MAX_OPS), i;
	u64 until = now_ms() + MOUNT_MS;
	char opts[512];
	int err;

	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	mkdir(cfg.dir, 0755);
	snprintf(opts, sizeof(opts),
		 "%s:/peer vers=3,proto=rdma,port=%d,mountproto=tcp,mountvers=3,mountport=%d,nolock,noacl,soft,timeo=100,retrans=1,noac,nordirplus,rsize=8192,wsize=8192,sec=sys,addr=%s,mountaddr=%s",
		 cfg.host, cfg.port, cfg.port + 1, cfg.host, cfg.host);
	while ((err = do_op("mount", opts)) && !stopped && now_ms() < until)
		nap();
	if (err) {
		fprintf(stderr, "mount: %s\n", err < APP_WRONG_DATA ? strerror(err) : "failed");
		return FAIL;
	}
	while (!stopped)
		for (i = 0; i < n && !stopped; i++)
			do_op(all[i].op, NULL);
	do_op("umount", NULL);
	return PASS;
}
