// SPDX-License-Identifier: GPL-2.0
/*
 * The witness: a second client, in a process of its own, that stays
 * connected while the cases run. Whatever a case does to its own connection,
 * the calls of the witness must work.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

/* What is read, and compared, while the server is fuzzed */
#define READ_BACK	MSG "0 0 1 1 seg0:16384 0 0 read:20000:16384"
#define READ_WANT	"reply data:20000:16384"

static int witness_fd = -1;
static pid_t witness_pid;

/**
 * witness_call - make a call, on the old connection if there is one
 * @s: the client
 * @r: gets the result
 */
static void witness_call(struct cli *s, struct result *r)
{
	memset(r, 0, sizeof(*r));
	if (!s->c)
		cli_open(s, r, cfg.server_max == 1 ? C_RAW : 0);
	s->r = r;
	if (r->v == PASS)
		cli_null(s, cfg.server_max);
	if (r->v == PASS && cfg.fuzz)
		cli_step(s, READ_BACK, READ_WANT);
	if (r->v != PASS)
		cli_close(s);
}

/**
 * witness_run - the process of the witness
 * @fd: where it is asked
 */
static void witness_run(int fd)
{
	static struct cli s;
	struct result r;
	char c;

	while (read(fd, &c, 1) == 1) {
		witness_call(&s, &r);
		if (write(fd, &r, sizeof(r)) != sizeof(r))
			break;
	}
	cli_close(&s);
	_exit(0);
}

/**
 * witness_start - start the witness and let it connect
 */
void witness_start(void)
{
	struct result r = { .v = PASS };
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		abort();
	fflush(stdout);
	witness_pid = fork();
	if (!witness_pid) {
		close(fd[0]);
		witness_run(fd[1]);
	}
	close(fd[1]);
	witness_fd = fd[0];
	witness_ask(&r);
	if (r.v != PASS)
		printf("# second connection: %s\n", r.why);
}

/**
 * witness_stop - end the witness
 */
void witness_stop(void)
{
	close(witness_fd);
	waitpid(witness_pid, NULL, 0);
}

/**
 * witness_ask - have the witness make a call
 * @r: fails if the call does
 */
void witness_ask(struct result *r)
{
	struct pollfd p = { .fd = witness_fd, .events = POLLIN };
	struct result got;

	if (write(witness_fd, "", 1) != 1 ||
	    poll(&p, 1, 2 * cfg.timeout) != 1 ||
	    read(witness_fd, &got, sizeof(got)) != sizeof(got))
		result_fail(r, "second connection: the witness is gone");
	else if (got.v != PASS)
		result_fail(r, "second connection: %.900s", got.why);
}
