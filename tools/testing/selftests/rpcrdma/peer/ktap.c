// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the cases, each in a process of its own, and reports them in KTAP.
 *
 * A case that crashes or hangs is one failed line, no more.
 */
#include <fnmatch.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conn.h"
#include "peer.h"

#define CASE_SECONDS	240

static int nr_case, nr_pass, nr_fail, nr_skip;
static const char *this_end;

/**
 * result_set - set a result unless there is a worse one
 * @r: the result
 * @v: the verdict
 * @fmt: reason
 * @ap: its arguments
 */
static void result_set(struct result *r, enum verdict v, const char *fmt,
		       va_list ap)
{
	if (r->v != PASS)
		return;
	r->v = v;
	vsnprintf(r->why, sizeof(r->why), fmt, ap);
}

/**
 * result_fail - a case has failed; the first reason stands
 * @r: its result
 * @fmt: the reason
 */
void result_fail(struct result *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	result_set(r, FAIL, fmt, ap);
	va_end(ap);
}

/**
 * result_skip - a case cannot be tried
 * @r: its result
 * @fmt: the reason
 */
void result_skip(struct result *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	result_set(r, SKIP, fmt, ap);
	va_end(ap);
}

/**
 * matches - does a word match one of the patterns asked for?
 * @word: a name or an id
 *
 * Return: true if so.
 */
static bool matches(const char *word)
{
	char all[1024], *g, *save;

	snprintf(all, sizeof(all), "%s", cfg.glob);
	for (g = strtok_r(all, ",", &save); g; g = strtok_r(NULL, ",", &save))
		if (!fnmatch(g, word, 0))
			return true;
	return false;
}

/**
 * ktap_chosen - was a case asked for?
 * @name: its name
 * @ids: the ids it covers
 *
 * Return: true if its name, or one of its ids, matches.
 */
bool ktap_chosen(const char *name, const char *ids)
{
	char all[512], *id, *save;

	if (matches(name))
		return true;
	snprintf(all, sizeof(all), "%s", ids);
	for (id = strtok_r(all, " ", &save); id;
	     id = strtok_r(NULL, " ", &save))
		if (matches(id))
			return true;
	return false;
}

/**
 * ktap_start - print the head of a report
 * @end: which end is under test, "server" or "client"
 * @count: how many cases the report will have
 */
void ktap_start(const char *end, int count)
{
	this_end = end;
	printf("KTAP version 1\n1..%d\n", count);
	fflush(stdout);
}

/**
 * csv_case - add a case to the table of results
 * @name: its name
 * @ids: what it covers
 * @r: how it ended
 */
static void csv_case(const char *name, const char *ids,
		     const struct result *r)
{
	static const char * const word[] = {
		[PASS] = "pass", [FAIL] = "fail", [SKIP] = "skip",
	};
	char all[512], *id, *save;
	FILE *f;

	if (!cfg.csv)
		return;
	f = fopen(cfg.csv, "a");
	if (!f)
		return;
	snprintf(all, sizeof(all), "%s", ids);
	for (id = strtok_r(all, " ", &save); id;
	     id = strtok_r(NULL, " ", &save))
		fprintf(f, "%s,%s,%s,%s,%s,\"%s\"\n", id, this_end,
			cfg.device, word[r->v], name,
			r->v == PASS ? "" : r->why);
	fclose(f);
}

/**
 * ktap_line - print the line of a case
 * @name: its name
 * @ids: what it covers
 * @r: how it ended
 */
static void ktap_line(const char *name, const char *ids,
		      const struct result *r)
{
	nr_case++;
	switch (r->v) {
	case PASS:
		nr_pass++;
		printf("ok %d %s # %s\n", nr_case, name, ids);
		break;
	case SKIP:
		nr_skip++;
		printf("ok %d %s # SKIP %s (%s)\n", nr_case, name, r->why,
		       ids);
		break;
	default:
		nr_fail++;
		printf("# %s: %s\n", name, r->why);
		printf("not ok %d %s # %s\n", nr_case, name, ids);
	}
	fflush(stdout);
	csv_case(name, ids, r);
}

/**
 * case_child - the process of one case
 * @fd: where its result goes
 * @fn: the case
 * @what: its argument
 */
static void case_child(int fd, case_fn fn, const void *what)
{
	struct result r = { .v = PASS };

	fn(what, &r);
	fflush(stdout);
	if (write(fd, &r, sizeof(r)) != sizeof(r))
		_exit(2);
	_exit(0);
}

/**
 * case_reap - wait for the process of a case, but not for ever
 * @pid: the process
 * @r: gets the reason if it ended badly
 */
static void case_reap(pid_t pid, struct result *r)
{
	u64 end = now_ms() + CASE_SECONDS * 1000ull;
	int status;

	while (!waitpid(pid, &status, WNOHANG)) {
		if (now_ms() > end) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			result_fail(r, "hung for %d seconds", CASE_SECONDS);
			return;
		}
		nap();
	}
	if (WIFSIGNALED(status))
		result_fail(r, "killed by signal %d", WTERMSIG(status));
}

/**
 * ktap_case - run a case and report it
 * @name: its name
 * @ids: what it covers
 * @fn: what to run
 * @what: argument of @fn
 * @after: run in this process if @fn passed, or NULL
 */
void ktap_case(const char *name, const char *ids, case_fn fn,
	       const void *what, void (*after)(struct result *r))
{
	struct result r = { .v = PASS }, got;
	int fd[2];
	pid_t pid;

	fflush(stdout);
	if (pipe(fd))
		abort();
	pid = fork();
	if (!pid) {
		close(fd[0]);
		case_child(fd[1], fn, what);
	}
	close(fd[1]);
	case_reap(pid, &r);
	if (r.v == PASS && read(fd[0], &got, sizeof(got)) == sizeof(got))
		r = got;
	else
		result_fail(&r, "ended without a result");
	close(fd[0]);
	if (after && r.v == PASS)
		after(&r);
	ktap_line(name, ids, &r);
}

/**
 * ktap_end - print the totals
 *
 * Return: exit status for the run.
 */
int ktap_end(void)
{
	printf("# Totals: pass:%d fail:%d xfail:0 xpass:0 skip:%d error:0\n",
	       nr_pass, nr_fail, nr_skip);
	return nr_fail ? FAIL : PASS;
}
