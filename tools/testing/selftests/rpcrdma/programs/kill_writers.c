// SPDX-License-Identifier: GPL-2.0
/*
 * kill_writers FILE COUNT: has processes write to FILE with O_DIRECT, and kills
 * one of them in the middle of its work, COUNT times. The memory that it leaves
 * is filled with what must never reach the server. Every block says what place
 * of the file it is meant for: "place_io.py check" looks through them.
 */

#include <endian.h>
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAGIC	0x706c616365642121ull
#define BLOCK	4096u
#define WRITE	(16 * BLOCK)
#define SPAN	64u
#define WRITERS	8u
#define POISON	0xee

/* A process that writes. */
struct writer {
	pid_t	pid;
	int	ready;
};

/* memory - gets so many bytes of fresh memory */
static void *memory(size_t length)
{
	void *p = mmap(NULL, length, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

/* fill - marks every block of a buffer as meant for its place in the file */
static void fill(unsigned char *buf, uint64_t offset, uint64_t seed)
{
	uint64_t head[3] = { htobe64(MAGIC), 0, htobe64(seed) };
	unsigned int at;

	memset(buf, seed & 0xff, WRITE);
	for (at = 0; at < WRITE; at += BLOCK) {
		head[1] = htobe64(offset + at);
		memcpy(buf + at, head, sizeof(head));
	}
}

/* write_on - writes to places of its own choice until it is killed */
static void write_on(const char *path, unsigned int seed, int ready)
{
	unsigned char *buf = memory(WRITE);
	unsigned int random = seed;
	uint64_t offset;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = open(path, O_RDWR | O_CREAT | O_DIRECT, 0644);
	if (fd < 0)
		err(1, "%s", path);
	for (;;) {
		offset = (uint64_t)(rand_r(&random) % SPAN) * WRITE;
		fill(buf, offset, seed);
		if (write(ready, ".", 1) != 1 ||
		    pwrite(fd, buf, WRITE, offset) != WRITE)
			err(1, "write");
	}
}

/* start - starts a writer */
static void start(struct writer *w, const char *path, unsigned int seed)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		err(1, "pipe");
	w->pid = fork();
	if (w->pid < 0)
		err(1, "fork");
	if (!w->pid)
		write_on(path, seed, fds[1]);
	close(fds[1]);
	w->ready = fds[0];
}

/* poison - takes memory, and fills it */
static void poison(void)
{
	size_t length = 2 * WRITERS * WRITE;
	void *p = memory(length);

	memset(p, POISON, length);
	munmap(p, length);
}

/* stop - kills a writer that has begun to write */
static void stop(struct writer *w)
{
	int status;
	char c;

	if (read(w->ready, &c, 1) != 1)
		errx(1, "a writer does not write");
	usleep(rand() % 5000);
	kill(w->pid, SIGKILL);
	waitpid(w->pid, &status, 0);
	if (!WIFSIGNALED(status))
		errx(1, "a writer came to an end by itself");
	close(w->ready);
}

int main(int argc, char **argv)
{
	struct writer w[WRITERS];
	unsigned int n, count;

	if (argc != 3)
		errx(2, "usage: kill_writers FILE COUNT");
	count = strtoul(argv[2], NULL, 0);
	for (n = 0; n < WRITERS; n++)
		start(&w[n], argv[1], n);
	for (n = 0; n < count; n++) {
		stop(&w[n % WRITERS]);
		poison();
		start(&w[n % WRITERS], argv[1], n + WRITERS);
	}
	for (n = 0; n < WRITERS; n++)
		stop(&w[n]);
	printf("%u killed\n", count + WRITERS);
	return 0;
}
