// SPDX-License-Identifier: GPL-2.0
/*
 * "peer server-check HOST": the cases of the client role, tried on an NFS server
 * that is not ours. Makes the file that they need, and removes it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "nfs3.h"
#include "rpc.h"
#include "session.h"

#define PIECE		2000	/* goes inline in any case */
#define FILE_SIZE	NFS3_FILE_SIZE

static char file_name[32], file_path[512];

/**
 * say_what - say what will be done to the server
 */
static void say_what(void)
{
	int folder = rpc_folder();

	printf("# NFS server %s, port %d, over version 2 of RPC-over-RDMA.\n", cfg.host, cfg.port);
	printf("# In the folder /%.*s of its NFSv4 root, as user 0 by AUTH_SYS, the peer\n", folder, nfs_path);
	printf("#   makes the file %s of %d bytes, reads and overwrites it, and removes it;\n", file_name, FILE_SIZE);
	puts("#   makes files peer-PID-NUMBER for delegations, and removes each of them.");
	puts("# It reads and writes nothing else. It sends thousands of messages that are wrong on");
	puts("# purpose, on connections of its own: do not try a server that others depend on.");
	puts("# What needs a hand on the server's machine is skipped, and says so.");
	fflush(stdout);
}

/**
 * fill - write the test file
 * @s: a connection
 *
 * Return: 0, or -1.
 */
static int fill(struct cli *s)
{
	char t[128];
	u32 at, n;

	for (at = 0; at < FILE_SIZE; at += n) {
		n = FILE_SIZE - at < PIECE ? FILE_SIZE - at : PIECE;
		snprintf(t, sizeof(t), MSG "0 " LISTS "write:%u:%u", at, n);
		if (cli_step(s, t, "reply"))
			return -1;
	}
	return 0;
}

/**
 * with_session - do something that takes an NFSv4.1 session
 * @fn: what
 * @r: fails if it does
 */
static void with_session(int (*fn)(struct session *x, const char *name),
			 struct result *r)
{
	struct session x = { };
	struct cli s;

	if (!cli_open(&s, r, 0) && !session_open(&x, &s)) {
		if (fn(&x, file_name))
			result_fail(r, "the NFSv4.1 operation on /%s fails", file_path);
		session_close(&x);
	}
	cli_close(&s);
}

/**
 * prepare - make the test file
 *
 * Return: exit status.
 */
static int prepare(void)
{
	struct result r = { .v = PASS };
	struct cli s;

	with_session(session_create, &r);
	if (!r.v) {
		if (!cli_open(&s, &r, 0))
			fill(&s);
		cli_close(&s);
	}
	if (r.v)
		printf("Bail out! the test file cannot be made: %s\n", r.why);
	return r.v;
}

/**
 * clean_up - remove the test file
 */
static void clean_up(void)
{
	struct result r = { .v = PASS };

	with_session(session_remove, &r);
	if (r.v)
		printf("# /%s may be left behind, to be removed by hand: %s\n", file_path, r.why);
}

/**
 * server_check - try a server, and print the table of ids
 *
 * Return: exit status.
 */
int server_check(void)
{
	const char *folder = strcmp(nfs_path, "f") ? nfs_path : "";
	int status;

	snprintf(file_name, sizeof(file_name), "peer-check-%d", getpid());
	folder += strspn(folder, "/");
	snprintf(file_path, sizeof(file_path), "%s%s%s", folder,
		 *folder && folder[strlen(folder) - 1] != '/' ? "/" : "", file_name);
	nfs_path = file_path;
	if (check_begin())
		return FAIL;
	say_what();
	if (check_aside(prepare)) {
		check_end();
		clean_up();
		return FAIL;
	}
	status = check_run(client_main, "server");
	if (check_ended())
		puts("# A case was ended: files peer-PID-NUMBER may be left in that folder.");
	clean_up();
	return status;
}
