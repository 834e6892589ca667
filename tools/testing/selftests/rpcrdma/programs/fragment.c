// SPDX-License-Identifier: GPL-2.0
/*
 * fragment FILE MIB: takes so many MiB of memory, as FILE on a tmpfs, and gives back
 * every other page: what is free then is single pages. It prints "taken", "ready", and
 * keeps the others where they are until it is killed: they are locked, and with 0 in
 * /proc/sys/vm/compact_unevictable_allowed the kernel does not move them.
 */

#include <err.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	4096

int main(int argc, char **argv)
{
	size_t bytes, at;
	void *all;
	int fd;

	if (argc != 3)
		errx(2, "usage: fragment FILE MIB");
	bytes = strtoul(argv[2], NULL, 0) << 20;
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, bytes) < 0)
		err(1, "%s", argv[1]);
	all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (all == MAP_FAILED || mlock(all, bytes) < 0)
		err(1, "%zu bytes", bytes);
	puts("taken");
	fflush(stdout);
	for (at = 0; at < bytes; at += 2 * PAGE)
		if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, PAGE) < 0)
			err(1, "hole at %zu", at);
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
