// SPDX-License-Identifier: GPL-2.0
/*
 * fault_io [-b] [-r] [-l] [-f FIRST] [-w WORKERS] [-s SEED] MOUNT MIRROR CONTROL: works on
 * files in MOUNT until CONTROL/stop exists, and does the same to a mirror of them on a
 * local file system. What is read must be what the mirror has.
 *
 * Each worker has a folder, w0 or wFIRST for the first, and FILES open files of its
 * own, and draws what it does next from SEED. -b: many writes are big; without it, few
 * are. -r: files are renamed and removed, too, which an NFS server that forgets its
 * clients may do twice. -l: each file is locked as long as it is open, and all workers
 * add to one number under a lock, in MOUNT/counter; CONTROL/counted.N holds how often
 * one has.
 *
 * CONTROL/count holds how many operations the slowest worker has done.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILES	3u
#define SPAN	(256u * 1024)
#define MOST	(160u * 1024)
#define WORKERS	16u

/* A file in the mount and its mirror. */
struct pair {
	char	name[2][256];
	int	fd[2];
	int	direct;
};

/* What the workers share with main(): operations done, for each of them. */
static volatile unsigned long *done;
static const char *root[2], *control;
static unsigned int workers = 4, first;
static int big, locks, names;
static uint64_t seed = 1, state;
static unsigned char *memory, *other;

/* draw - the next number below a bound; xorshift, so that a seed says all */
static uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

/* path - a name below a folder */
static char *path(char *to, const char *folder, const char *format, ...)
{
	int n = snprintf(to, 256, "%s/", folder);
	va_list args;

	va_start(args, format);
	vsnprintf(to + n, 256 - n, format, args);
	va_end(args);
	return to;
}

/* lock - takes or releases a lock on all of a file */
static void lock(int fd, short type)
{
	struct flock fl = { .l_type = type, .l_whence = SEEK_SET };

	if (fcntl(fd, F_SETLKW, &fl) < 0)
		err(1, "fcntl(F_SETLKW, %d)", type);
}

static void open_pair(struct pair *p)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		p->fd[i] = open(p->name[i], O_RDWR | O_CREAT, 0644);
		if (p->fd[i] < 0)
			err(1, "open %s", p->name[i]);
	}
	p->direct = open(p->name[0], O_RDWR | O_DIRECT);
	if (p->direct < 0)
		err(1, "open %s with O_DIRECT", p->name[0]);
	if (locks)
		lock(p->fd[0], F_WRLCK);
}

static void close_pair(struct pair *p)
{
	if (close(p->direct) < 0 || close(p->fd[0]) < 0 || close(p->fd[1]) < 0)
		err(1, "close %s", p->name[0]);
}

/* put - writes all of a buffer */
static void put(int fd, const char *name, const unsigned char *buf, size_t length, off_t at)
{
	ssize_t n;

	for (; length; buf += n, at += n, length -= n) {
		n = pwrite(fd, buf, length, at);
		if (n <= 0)
			err(1, "write of %zu at %jd of %s", length, (intmax_t)at, name);
	}
}

/* get - reads as much as there is */
static size_t get(int fd, const char *name, unsigned char *buf, size_t length, off_t at)
{
	size_t all = 0;
	ssize_t n;

	while (all < length) {
		n = pread(fd, buf + all, length - all, at + all);
		if (n < 0)
			err(1, "read of %zu at %jd of %s", length, (intmax_t)at, name);
		if (!n)
			break;
		all += n;
	}
	return all;
}

/* fill - bytes that differ from one write to the next, and from place to place */
static void fill(unsigned char *buf, size_t length)
{
	uint64_t word = draw(UINT64_MAX);
	size_t i;

	for (i = 0; i + 8 <= length; i += 8) {
		memcpy(buf + i, &word, 8);
		word = word * 6364136223846793005ull + 1442695040888963407ull;
	}
	memset(buf + i, (int)word & 0xff, length - i);
}

/* sync_file - what was written by other ways reaches the server first */
static void sync_file(struct pair *p)
{
	if (fsync(p->fd[0]) < 0)
		err(1, "fsync %s", p->name[0]);
}

static void write_mapped(struct pair *p, const unsigned char *buf, size_t length, off_t at)
{
	unsigned char *area;
	struct stat st;

	if (fstat(p->fd[0], &st) < 0)
		err(1, "fstat %s", p->name[0]);
	if (st.st_size < (off_t)(at + length) && ftruncate(p->fd[0], at + length) < 0)
		err(1, "ftruncate %s", p->name[0]);
	area = mmap(NULL, at + length, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd[0], 0);
	if (area == MAP_FAILED)
		err(1, "mmap %s", p->name[0]);
	memcpy(area + at, buf, length);
	if (msync(area, at + length, MS_SYNC) < 0)
		err(1, "msync %s", p->name[0]);
	munmap(area, at + length);
}

/* do_write - through the page cache, around it, or through a mapping */
static void do_write(struct pair *p, unsigned int how)
{
	size_t length = 1 + draw(1 + draw(big || !draw(8) ? MOST : MOST / 16));
	off_t at = draw(SPAN - length);

	fill(memory, length);
	if (how == 0) {
		put(p->fd[0], p->name[0], memory, length, at);
		if (!draw(4))
			sync_file(p);
	} else if (how == 1) {
		sync_file(p);
		put(p->direct, p->name[0], memory, length, at);
	} else {
		write_mapped(p, memory, length, at);
	}
	put(p->fd[1], p->name[1], memory, length, at);
}

/* do_read - afresh from the server */
static void do_read(struct pair *p, int direct)
{
	size_t length = 1 + draw(MOST), got;
	off_t at = draw(SPAN - length);

	sync_file(p);
	posix_fadvise(p->fd[0], 0, 0, POSIX_FADV_DONTNEED);
	got = get(direct ? p->direct : p->fd[0], p->name[0], memory, length, at);
	if (got != get(p->fd[1], p->name[1], other, length, at))
		errx(1, "read of %zu at %jd of %s: %zu bytes", length, (intmax_t)at, p->name[0], got);
	if (memcmp(memory, other, got))
		errx(1, "read of %zu at %jd of %s: other bytes", length, (intmax_t)at, p->name[0]);
}

static void do_truncate(struct pair *p)
{
	off_t to = draw(SPAN);

	if (ftruncate(p->fd[0], to) < 0 || ftruncate(p->fd[1], to) < 0)
		err(1, "ftruncate %s", p->name[0]);
}

/* do_names - renames the file, or removes it and begins another one */
static void do_names(struct pair *p, unsigned int worker)
{
	char name[256];
	unsigned int i, n = draw(1000000), rename_it = draw(2);

	close_pair(p);
	for (i = 0; i < 2; i++) {
		path(name, root[i], "w%u/%06u-%c", worker, n, p->name[i][strlen(p->name[i]) - 1]);
		if (rename_it ? rename(p->name[i], name) : unlink(p->name[i]))
			err(1, "%s %s", rename_it ? "rename" : "unlink", p->name[i]);
		strcpy(p->name[i], name);
	}
	open_pair(p);
}

/* do_counter - adds one to the number that all workers share */
static void do_counter(void)
{
	char name[256], text[32] = "";
	int fd = open(path(name, root[0], "counter"), O_RDWR | O_CREAT, 0644);
	int n;

	if (fd < 0)
		err(1, "open %s", name);
	lock(fd, F_WRLCK);
	get(fd, name, (unsigned char *)text, sizeof(text) - 1, 0);
	n = snprintf(text, sizeof(text), "%ld\n", atol(text) + 1);
	put(fd, name, (unsigned char *)text, n, 0);
	lock(fd, F_UNLCK);
	if (close(fd) < 0)
		err(1, "close %s", name);
}

static int stopped(void)
{
	char name[256];

	return !access(path(name, control, "stop"), F_OK);
}

/* work - one worker until it is stopped; prints how often it has counted */
static void work(unsigned int worker)
{
	struct pair files[FILES], *p;
	unsigned long counted = 0;
	char name[256];
	FILE *tell;
	unsigned int i, f;

	state = (seed + worker + 1) * 0x9e3779b97f4a7c15ull;
	for (i = 0; i < 2; i++)
		if (mkdir(path(name, root[i], "w%u", worker), 0755) < 0 && errno != EEXIST)
			err(1, "mkdir %s", name);
	for (f = 0; f < FILES; f++) {
		for (i = 0; i < 2; i++)
			path(files[f].name[i], root[i], "w%u/f-%u", worker, f);
		open_pair(&files[f]);
	}
	while (!stopped()) {
		p = &files[draw(FILES)];
		switch (draw(16)) {
		case 0 ... 2:
			do_write(p, 0);
			break;
		case 3 ... 6:
			do_write(p, 1);
			break;
		case 7:
			do_write(p, 2);
			break;
		case 8 ... 12:
			do_read(p, draw(2));
			break;
		case 13:
			do_truncate(p);
			break;
		case 14:
			if (names)
				do_names(p, worker);
			break;
		default:
			if (locks) {
				do_counter();
				counted++;
			}
		}
		done[worker - first]++;
	}
	for (f = 0; f < FILES; f++)
		close_pair(&files[f]);
	tell = fopen(path(name, control, "counted.%u", worker), "w");
	if (!tell || fprintf(tell, "%lu\n", counted) < 0 || fclose(tell))
		err(1, "%s", name);
}

/* tell - leaves in CONTROL/count how far the slowest worker is */
static void tell(void)
{
	unsigned long least = done[0];
	char name[256], temp[256];
	unsigned int i;
	FILE *f;

	for (i = 1; i < workers; i++)
		if (done[i] < least)
			least = done[i];
	f = fopen(path(temp, control, "count.new"), "w");
	if (!f || fprintf(f, "%lu\n", least) < 0 || fclose(f) || rename(temp, path(name, control, "count")))
		err(1, "%s", temp);
}

static void options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "brlf:w:s:")) != -1) {
		switch (c) {
		case 'b':
			big = 1;
			break;
		case 'r':
			names = 1;
			break;
		case 'l':
			locks = 1;
			break;
		case 'f':
			first = strtoul(optarg, NULL, 0);
			break;
		case 'w':
			workers = strtoul(optarg, NULL, 0);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		default:
			exit(2);
		}
	}
	if (argc - optind != 3 || !workers || workers > WORKERS)
		errx(2, "usage: fault_io [-b] [-r] [-l] [-f FIRST] [-w WORKERS] [-s SEED] MOUNT MIRROR CONTROL");
	root[0] = argv[optind];
	root[1] = argv[optind + 1];
	control = argv[optind + 2];
}

int main(int argc, char **argv)
{
	unsigned int left, i;
	int status, rc = 0;

	options(argc, argv);
	done = mmap(NULL, WORKERS * sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memory = aligned_alloc(4096, MOST + 4096);
	other = malloc(MOST);
	if (done == MAP_FAILED || !memory || !other)
		err(1, "memory");
	for (i = 0; i < workers; i++) {
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			work(first + i);
			_exit(0);
		}
	}
	for (left = workers; left;) {
		pid_t pid = waitpid(-1, &status, WNOHANG);

		if (!pid) {
			tell();
			usleep(100000);
			continue;
		}
		left--;
		if (status)
			rc = 1;
	}
	tell();
	return rc;
}
