// SPDX-License-Identifier: GPL-2.0
/*
 * In the place of app.c and of a kernel's mount: a process that is the client of a
 * server of the peer's own, see fake.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app.h"
#include "fake.h"
#include "peer.h"

#define MOUNTS		64

const unsigned int app_workers = 1;
const bool app_nfs4 = false;

/**
 * next_op - wait for an operation, and see to the connection meanwhile
 * @fd: where it comes from
 * @op: gets the operation
 * @size: size of @op
 *
 * Return: its length, 0 at the end.
 */
static ssize_t next_op(int fd, char *op, size_t size)
{
	ssize_t n;

	while ((n = recv(fd, op, size, MSG_DONTWAIT)) < 0 && errno == EAGAIN) {
		if (fake.c)
			conn_poll(fake.c);
		nap();
	}
	nap_short();
	return n;
}

/**
 * fake_main - the process of the client
 * @fd: where operations come from
 * @opts: options of the mount
 */
static void fake_main(int fd, const char *opts)
{
	char op[64] = "";
	ssize_t n;
	int err;

	fake.port = atoi(strstr(opts, "port=") + 5);
	fake.back.served = strstr(opts, "vers=4.1");
	if (!fake.back.served)
		fake.io = atoi(strstr(opts, "rsize=") + 6);
	fake.xid = 0xfa000000;
	fake.fd = fd;
	buf_init(&fake.call, MAX_CALL);
	buf_init(&fake.msg, GROUP_MAX_MSG);
	while ((n = next_op(fd, op, sizeof(op) - 1)) > 0) {
		op[n] = '\0';
		fake.killed = !strcmp(op, KILL);
		err = fake.killed ? EINTR : fake_do(op);
		if (fake.killed)
			continue;
		send(fd, &err, sizeof(err), 0);
		if (!strcmp(op, "umount"))
			break;
	}
	conn_close(fake.c);
	_exit(0);
}

/* What is mounted: where, and how to reach its process */
static struct {
	char dir[128];
	int fd;
} mounts[MOUNTS];

/**
 * find - find a mount
 * @dir: where
 *
 * Return: its number, or a free one.
 */
static int find(const char *dir)
{
	int i, none = 0;

	for (i = 0; i < MOUNTS; i++) {
		if (mounts[i].fd && !strcmp(mounts[i].dir, dir))
			return i;
		if (!mounts[i].fd)
			none = i;
	}
	return none;
}

/**
 * start_client - start the process of a mount
 * @i: number of the mount
 * @dir: where it is
 * @opts: its options
 */
static void start_client(int i, const char *dir, const char *opts)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd))
		abort();
	fflush(stdout);
	if (!fork()) {
		close(fd[0]);
		fake_main(fd[1], opts);
	}
	close(fd[1]);
	mounts[i].fd = fd[0];
	snprintf(mounts[i].dir, sizeof(mounts[i].dir), "%s", dir);
}

/**
 * app_start - start an operation
 * @a: the operation
 * @op: see app_do() in app.c
 * @dir: the mount point
 * @opts: mount options
 */
void app_start(struct app *a, const char *op, const char *dir,
	       const char *opts)
{
	int i = find(dir);

	memset(a, 0, sizeof(*a));
	if (!strcmp(op, "mount"))
		start_client(i, dir, opts);
	a->pid = mounts[i].fd;
	send(a->pid, op, strlen(op), MSG_NOSIGNAL);
	if (!strcmp(op, "umount"))
		mounts[i].fd = 0;
}

/**
 * app_poll - look whether an operation has ended
 * @a: the operation, with the way to its process for a pid
 *
 * Return: true if so; then @a->err holds.
 */
bool app_poll(struct app *a)
{
	ssize_t n;

	if (a->done)
		return true;
	n = recv(a->pid, &a->err, sizeof(a->err), MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n <= 0)
		a->err = APP_CRASHED;
	a->done = true;
	return true;
}

/**
 * app_kill - give up on an operation
 * @a: the operation
 */
void app_kill(struct app *a)
{
	if (a->done)
		return;
	send(a->pid, KILL, sizeof(KILL) - 1, MSG_NOSIGNAL);
	a->done = true;
	a->err = APP_HUNG;
}
