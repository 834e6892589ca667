// SPDX-License-Identifier: GPL-2.0
/*
 * System calls on the mount, each in a process of its own: they block until
 * the peer has answered, and may hang where a case goes wrong.
 */
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "app.h"
#include "rpc.h"

#define MAX_ACL		1000
#define IDLE_SECONDS	6

const unsigned int app_workers = 6;
const bool app_nfs4 = true;

/**
 * app_mount - mount
 * @dir: where
 * @opts: "SOURCE OPTIONS"
 *
 * Return: 0 or an errno.
 */
static int app_mount(const char *dir, const char *opts)
{
	char src[256];
	size_t n = strcspn(opts, " ");

	snprintf(src, sizeof(src), "%.*s", (int)n, opts);
	mkdir(dir, 0755);
	return mount(src, dir, "nfs", 0, opts + n + 1) ? errno : 0;
}

/**
 * app_umount - unmount
 * @dir: what
 *
 * Return: 0 or an errno.
 */
static int app_umount(const char *dir)
{
	return umount2(dir, 0) && umount2(dir, MNT_FORCE) ? errno : 0;
}

/**
 * app_io - read or write past all caches
 * @file: the file
 * @op: "read" or "write", with a size behind it
 *
 * Return: 0, an errno, or APP_WRONG_DATA.
 */
static int app_io(const char *file, const char *op)
{
	bool write = *op == 'w';
	size_t len = strtoul(op + (write ? 5 : 4), NULL, 10), i;
	int fd = open(file, O_DIRECT | (write ? O_WRONLY : O_RDONLY));
	u8 *p;
	ssize_t n;
	int err = 0;

	if (fd < 0)
		return errno;
	if (posix_memalign((void **)&p, 4096, len))
		return ENOMEM;
	for (i = 0; i < len; i++)
		p[i] = write ? rpc_pattern(i) : 0;
	n = write ? pwrite(fd, p, len, 0) : pread(fd, p, len, 0);
	if (n < 0)
		err = errno;
	else if ((size_t)n != len)
		err = EIO;
	for (i = 0; !err && !write && i < len; i++)
		if (p[i] != rpc_pattern(i))
			err = APP_WRONG_DATA;
	close(fd);
	return err;
}

/**
 * app_ls - list the folder
 * @dir: the folder
 *
 * Return: 0, an errno, or APP_WRONG_DATA.
 */
static int app_ls(const char *dir)
{
	DIR *d = opendir(dir);
	int n = 0;

	if (!d)
		return errno;
	errno = 0;
	while (readdir(d))
		n++;
	if (errno)
		return errno;
	closedir(d);
	return n < 100 ? APP_WRONG_DATA : 0;
}

/**
 * app_acl - give a file an access control list
 * @file: the file
 * @op: "acl", with a number of users behind it
 *
 * Return: 0 or an errno.
 */
static int app_acl(const char *file, const char *op)
{
	static struct {
		u32 version;
		struct { uint16_t tag, perm; u32 id; } e[MAX_ACL + 4];
	} acl;
	static const uint16_t last[] = { 0x04, 0x10, 0x20 };
	size_t n = strtoul(op + 3, NULL, 10), i;

	if (n > MAX_ACL)
		return APP_NO_OP;
	acl.version = htole32(2);
	for (i = 0; i < n + 4; i++) {
		acl.e[i].tag = htole16(!i ? 1 : i <= n ? 2 : last[i - n - 1]);
		acl.e[i].perm = htole16(6);
		acl.e[i].id = htole32(i && i <= n ? 1000 + i : ~0u);
	}
	return setxattr(file, "system.posix_acl_access", &acl,
			4 + 8 * (n + 4), 0) ? errno : 0;
}

static int app_do(const char *op, const char *dir, const char *opts);

/**
 * app_one - carry out one operation of many
 * @op: see app_do()
 * @dir: the mount point
 *
 * Return: see app_do().
 */
static int app_one(const char *op, const char *dir)
{
	return app_do(op, dir, NULL);
}

/**
 * app_do - carry out an operation
 * @op: mount, umount, stat, statfs, ls, idle, readN, writeN, aclN, or mix: for many
 *	of these
 * @dir: the mount point
 * @opts: mount options
 *
 * Return: 0, an errno, or one of APP_*.
 */
static int app_do(const char *op, const char *dir, const char *opts)
{
	char file[256];
	struct statfs sf;
	struct stat st;

	snprintf(file, sizeof(file), "%s/f", dir);
	if (!strcmp(op, "mount"))
		return app_mount(dir, opts);
	if (!strcmp(op, "umount"))
		return app_umount(dir);
	if (!strcmp(op, "stat"))
		return stat(file, &st) ? errno : 0;
	if (!strcmp(op, "idle"))
		return sleep(IDLE_SECONDS) ? EINTR : 0;
	if (!strcmp(op, "statfs"))
		return statfs(dir, &sf) ? errno : 0;
	if (!strcmp(op, "ls"))
		return app_ls(dir);
	if (!strncmp(op, "acl", 3))
		return app_acl(file, op);
	if (!strncmp(op, "mix:", 4))
		return app_mix(op, app_one, dir);
	if (!strncmp(op, "read", 4) || !strncmp(op, "write", 5))
		return app_io(file, op);
	return APP_NO_OP;
}

/**
 * app_start - start an operation
 * @a: the operation
 * @op: see app_do()
 * @dir: the mount point
 * @opts: mount options
 */
void app_start(struct app *a, const char *op, const char *dir,
	       const char *opts)
{
	memset(a, 0, sizeof(*a));
	fflush(stdout);
	a->pid = fork();
	if (!a->pid)
		_exit(app_do(op, dir, opts));
}

/**
 * app_poll - look whether an operation has ended
 * @a: the operation
 *
 * Return: true if so; then @a->err holds.
 */
bool app_poll(struct app *a)
{
	int status;

	if (a->done || waitpid(a->pid, &status, WNOHANG) != a->pid)
		return a->done;
	a->done = true;
	a->err = WIFEXITED(status) ? WEXITSTATUS(status) : APP_CRASHED;
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
	kill(a->pid, SIGKILL);
	a->done = true;
	a->err = APP_HUNG;
}
