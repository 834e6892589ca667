// SPDX-License-Identifier: GPL-2.0
/*
 * "peer serve": serves peers in the client role, to try their cases on
 * something that is not a kernel's.
 *
 * Placement by Send is answered in full, good messages and bad, and so are answers to
 * reverse Calls; of what the other cases send only good messages are.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "rpc.h"
#include "serve_back.h"

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
 * serve_main - serve until a signal comes
 *
 * Return: exit status.
 */
int serve_main(void)
{
	static const struct srv_case k = {
		.name = "serve", .lay = "7:4096 2*4096p", .knobs.v4 = true,
	};
	struct srv *s = malloc(sizeof(*s));
	struct result r = { .v = PASS };

	if (!s)
		abort();
	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	next_port = cfg.port;
	if (srv_open(s, &k, &r)) {
		fprintf(stderr, "%s\n", r.why);
		return 1;
	}
	s->serving = true;
	while (!stopped) {
		srv_poll(s);
		back_poll(s);
		srv_forget_dead(s);
		if (r.v && cfg.verbose)
			printf("# %s\n", r.why);
		r.v = PASS;
		fflush(stdout);
		nap();
	}
	srv_free(s);
	return 0;
}
