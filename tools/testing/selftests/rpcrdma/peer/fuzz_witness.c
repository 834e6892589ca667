// SPDX-License-Identifier: GPL-2.0
/*
 * Server role of the fuzzer: the witness, a mount from an honest server in a
 * process of its own. Whatever goes on at the others, it has to work, and data has
 * to be right.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz_server.h"

#define FAR_PORT	500	/* beyond those of the other mounts */
#define MOUNT_MS	120000
#define QUIT		'q'	/* processes of other mounts hold our end open, too */

static const char * const ops[] = { "stat", "read40000", "write20000" };

static int witness_fd = -1;
static pid_t witness_pid;

/**
 * serve - do what is asked, and serve the mount meanwhile
 * @s: the server
 * @fd: where it is asked
 */
static void serve(struct srv *s, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct result r;
	size_t i;
	char c;

	for (;;) {
		srv_poll(s);
		if (!poll(&p, 1, 10))
			continue;
		if (read(fd, &c, 1) != 1 || c == QUIT)
			return;
		memset(&r, 0, sizeof(r));
		s->r = &r;
		for (i = 0; i < ARRAY_SIZE(ops) && !r.v; i++)
			srv_op(s, ops[i], 0);
		if (write(fd, &r, sizeof(r)) != sizeof(r))
			return;
	}
}

/**
 * witness_main - the process of the witness
 * @fd: where it is asked
 */
static void witness_main(int fd)
{
	static const struct srv_case k = { .name = "fuzz witness" };
	struct srv *s = malloc(sizeof(*s));
	struct result r = { .v = PASS };
	int err = -1;

	next_port += FAR_PORT;
	if (s && !srv_open(s, &k, &r))
		err = srv_mount(s);
	if (err)
		result_fail(&r, "mount: %d", err);
	if (write(fd, &r, sizeof(r)) == sizeof(r) && !err)
		serve(s, fd);
	if (!err)
		srv_app(s, "umount", NULL);
	rmdir(s->dir);
	_exit(0);
}

/**
 * answer - wait for what the witness says
 * @r: fails if the witness does
 * @ms: how long it may take
 */
static void answer(struct result *r, int ms)
{
	struct pollfd p = { .fd = witness_fd, .events = POLLIN };
	struct result got;

	if (poll(&p, 1, ms) != 1 ||
	    read(witness_fd, &got, sizeof(got)) != sizeof(got))
		result_fail(r, "the witness does not answer");
	else if (got.v)
		result_fail(r, "the witness: %.900s", got.why);
}

/**
 * fuzz_witness_start - start the witness, and let it mount
 * @r: fails if that does
 */
void fuzz_witness_start(struct result *r)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		abort();
	fflush(stdout);
	witness_pid = fork();
	if (!witness_pid) {
		close(fd[0]);
		witness_main(fd[1]);
	}
	close(fd[1]);
	witness_fd = fd[0];
	answer(r, MOUNT_MS);
}

/**
 * fuzz_witness_ask - have the witness use its mount
 * @r: fails if that does
 */
void fuzz_witness_ask(struct result *r)
{
	if (write(witness_fd, "", 1) != 1)
		result_fail(r, "the witness is gone");
	else
		answer(r, 4 * cfg.timeout);
}

/**
 * fuzz_witness_stop - end the witness
 */
void fuzz_witness_stop(void)
{
	char c = QUIT;

	if (write(witness_fd, &c, 1) != 1)
		kill(witness_pid, SIGKILL);
	waitpid(witness_pid, NULL, 0);
	close(witness_fd);
}
