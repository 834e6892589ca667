// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the cases, in a process beside this one, and reports them in KTAP.
 *
 * A case that crashes or hangs is one failed line, no more: another process
 * goes on with the next.
 */
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "checklist.h"
#include "conn.h"
#include "peer.h"

#define CASE_MS		240000
#define LEAVE_SECONDS	30
#define MAX_CASES	1024
#define MAX_IDS		1024
#define MAX_GLOBS	8192

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
 * matches - does a case match a pattern?
 * @k: the case
 * @glob: the pattern
 *
 * Return: true if its name, or one of its ids, does.
 */
static bool matches(const struct case_head *k, const char *glob)
{
	char all[512], *id, *save;

	if (!fnmatch(glob, k->name, 0))
		return true;
	snprintf(all, sizeof(all), "%s", k->ids);
	for (id = strtok_r(all, " ", &save); id;
	     id = strtok_r(NULL, " ", &save))
		if (!fnmatch(glob, id, 0))
			return true;
	return false;
}

/**
 * asked_for - was a case asked for?
 * @k: the case
 *
 * Return: true if it matches one of the patterns.
 */
static bool asked_for(const struct case_head *k)
{
	char all[MAX_GLOBS], *g, *save;

	snprintf(all, sizeof(all), "%s", cfg.glob);
	for (g = strtok_r(all, ",", &save); g; g = strtok_r(NULL, ",", &save))
		if (matches(k, g))
			return true;
	return false;
}

/**
 * any_matches - does any case match a pattern?
 * @role: where the cases come from
 * @glob: the pattern
 *
 * Return: true if so.
 */
static bool any_matches(const struct role *role, const char *glob)
{
	unsigned int i, j;

	for (i = 0; i < role->nr_tables; i++) {
		const char *k = role->tables[i].cases;

		for (j = 0; j < *role->tables[i].nr; j++, k += role->case_size)
			if (matches((const void *)k, glob))
				return true;
	}
	return false;
}

/**
 * idle_pattern - find a pattern that asks for nothing
 * @role: where the cases come from
 *
 * What a test names and nobody tries would look as if it had passed.
 *
 * Return: the pattern, valid until the next call, or NULL.
 */
static const char *idle_pattern(const struct role *role)
{
	static char all[MAX_GLOBS];
	char *g, *save;

	snprintf(all, sizeof(all), "%s", cfg.glob);
	for (g = strtok_r(all, ",", &save); g; g = strtok_r(NULL, ",", &save))
		if (!any_matches(role, g))
			return g;
	return NULL;
}

/**
 * new_id - is this the first case with an id?
 * @id: the id, remembered from now on
 *
 * Return: true if so.
 */
static bool new_id(const char *id)
{
	static char seen[MAX_IDS][16];
	static unsigned int nr_seen;
	unsigned int i;

	for (i = 0; i < nr_seen; i++)
		if (!strcmp(seen[i], id))
			return false;
	if (nr_seen < MAX_IDS)
		snprintf(seen[nr_seen++], sizeof(seen[0]), "%s", id);
	return true;
}

/**
 * needed - does a case cover anything that no earlier one does?
 * @k: the case
 *
 * Return: true if so.
 */
static bool needed(const struct case_head *k)
{
	char all[512], *id, *save;
	bool any = false;

	snprintf(all, sizeof(all), "%s", k->ids);
	for (id = strtok_r(all, " ", &save); id;
	     id = strtok_r(NULL, " ", &save))
		any |= new_id(id);
	return any;
}

/**
 * in_part - is a case in the part that was asked for?
 * @nr: its number among those that were asked for otherwise
 *
 * Return: true if so.
 */
static bool in_part(unsigned int nr)
{
	return cfg.parts < 2 || nr % cfg.parts == cfg.part % cfg.parts;
}

/**
 * choose - list the cases that are to run
 * @role: where they come from
 * @out: gets them
 * @max: room in @out
 *
 * Return: how many there are.
 */
static int choose(const struct role *role, const struct case_head **out,
		  int max)
{
	unsigned int i, j, nr = 0;
	int n = 0;

	for (i = 0; i < role->nr_tables; i++) {
		const char *k = role->tables[i].cases;

		for (j = 0; j < *role->tables[i].nr; j++, k += role->case_size)
			if (n < max && asked_for((const void *)k) &&
			    (!cfg.subset || needed((const void *)k)) &&
			    in_part(nr++))
				out[n++] = (const void *)k;
	}
	return n;
}

/**
 * ktap_start - print the head of a report
 * @end: which end is under test, "server" or "client"
 * @count: how many cases the report will have
 */
static void ktap_start(const char *end, int count)
{
	this_end = end;
	printf("KTAP version 1\n1..%d\n", count);
	fflush(stdout);
}

/**
 * csv_open - open the table of results
 *
 * Return: the file, or NULL if none is wanted.
 */
static FILE *csv_open(void)
{
	return cfg.csv ? fopen(cfg.csv, "a") : NULL;
}

/**
 * csv_text - write a text as a field, in quotes
 * @f: the table
 * @text: the text
 */
static void csv_text(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text == '\n' ? ' ' : *text, f);
	}
	fputs("\"\n", f);
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
	FILE *f = csv_open();

	if (!f)
		return;
	snprintf(all, sizeof(all), "%s", ids);
	for (id = strtok_r(all, " ", &save); id;
	     id = strtok_r(NULL, " ", &save)) {
		fprintf(f, "%s,%s,%s,%s,%s,", id, this_end, cfg.device,
			word[r->v], name);
		csv_text(f, r->v == PASS ? "" : r->why);
	}
	fclose(f);
}

/**
 * ktap_advertised - add to the table of results what the other end advertises
 * @what: name of a characteristic or a feature
 * @value: its value
 */
void ktap_advertised(const char *what, int value)
{
	FILE *f = csv_open();

	if (!f)
		return;
	fprintf(f, "advertised,%s,%s,%d,%s,\"\"\n", this_end, cfg.device,
		value, what);
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
 * worker_main - the process that runs cases, one after the other
 * @role: whose cases they are
 * @in: where the cases come from
 * @out: where the results go
 */
static void worker_main(const struct role *role, int in, int out)
{
	const void *k;

	while (read(in, &k, sizeof(k)) == sizeof(k)) {
		struct result r = { .v = PASS };

		role->run(k, &r);
		fflush(stdout);
		if (write(out, &r, sizeof(r)) != sizeof(r))
			_exit(2);
	}
	if (role->leave)
		role->leave();
	_exit(0);
}

/* The process that runs cases */
static struct {
	pid_t pid;
	int in, out;
} worker;

/**
 * worker_start - start a process that runs cases
 * @role: whose cases they are
 */
static void worker_start(const struct role *role)
{
	int in[2], out[2];

	fflush(stdout);
	if (pipe(in) || pipe(out))
		abort();
	worker.pid = fork();
	if (!worker.pid) {
		close(in[1]);
		close(out[0]);
		worker_main(role, in[0], out[1]);
	}
	close(in[0]);
	close(out[1]);
	worker.in = in[1];
	worker.out = out[0];
}

/**
 * worker_stop - end that process
 * @r: gets the reason if it has crashed or hangs
 */
static void worker_stop(struct result *r)
{
	u64 end = now_ms() + LEAVE_SECONDS * 1000ull;
	int status;

	if (!worker.pid)
		return;
	close(worker.in);
	while (!waitpid(worker.pid, &status, WNOHANG)) {
		if (now_ms() > end)
			kill(worker.pid, SIGKILL);
		nap();
	}
	if (WIFSIGNALED(status))
		result_fail(r, "killed by signal %d", WTERMSIG(status));
	close(worker.out);
	worker.pid = 0;
}

/**
 * worker_run - have a case run
 * @role: whose case it is
 * @k: the case
 * @r: gets its result
 *
 * What one case leaves behind is there for the next one to use, as long as
 * all goes well. After a failure everything begins anew.
 */
static void worker_run(const struct role *role, const void *k,
		       struct result *r)
{
	struct pollfd p = { .events = POLLIN };

	if (!worker.pid)
		worker_start(role);
	p.fd = worker.out;
	if (write(worker.in, &k, sizeof(k)) != sizeof(k) ||
	    poll(&p, 1, patient(CASE_MS)) < 1) {
		kill(worker.pid, SIGKILL);
		result_fail(r, "hung for %d seconds", patient(CASE_MS) / 1000);
	} else if (read(worker.out, r, sizeof(*r)) != sizeof(*r)) {
		r->v = PASS;
		worker_stop(r);
		result_fail(r, "ended without a result");
	}
	if (r->v == FAIL)
		worker_stop(r);
}

/**
 * ktap_case - run a case and report it
 * @role: whose case it is
 * @k: the case
 */
static void ktap_case(const struct role *role, const struct case_head *k)
{
	struct result r = { .v = PASS };

	worker_run(role, k, &r);
	role->after(k, &r);
	ktap_line(k->name, k->ids, &r);
}

/**
 * ktap_aside - run something that is no case
 * @name: what to call it if it fails
 * @fn: what to run
 */
void ktap_aside(const char *name, case_fn fn)
{
	const struct role aside = { .run = fn };
	struct result r = { .v = PASS };

	worker_run(&aside, NULL, &r);
	worker_stop(&r);
	if (r.v != PASS)
		printf("# %s: %s\n", name, r.why);
	fflush(stdout);
}

/**
 * ktap_end - print the totals
 *
 * Return: exit status for the run.
 */
static int ktap_end(void)
{
	printf("# Totals: pass:%d fail:%d xfail:0 xpass:0 skip:%d error:0\n",
	       nr_pass, nr_fail, nr_skip);
	return nr_fail ? FAIL : PASS;
}

/**
 * explain_all - explain cases
 * @role: where they come from
 * @k: the cases
 * @n: how many
 *
 * Return: exit status; FAIL if there are no words for something.
 */
static int explain_all(const struct role *role, const struct case_head **k, int n)
{
	int i, bad = 0;

	for (i = 0; i < n; i++)
		bad |= role->explain(k[i]);
	puts("The texts:");
	checklist_texts(stdout);
	return bad ? FAIL : PASS;
}

/**
 * ktap_main - run, explain or list, the cases that were asked for
 * @role: where they come from
 *
 * Return: exit status for the run.
 */
int ktap_main(const struct role *role)
{
	const struct case_head *k[MAX_CASES];
	int n = choose(role, k, MAX_CASES), i;
	const char *idle = idle_pattern(role);
	struct result r = { .v = PASS };

	if (idle) {
		printf("Bail out! no case matches '%s'\n", idle);
		return FAIL;
	}
	for (i = 0; cfg.list && i < n; i++)
		printf("%-36s %s\n", k[i]->name, k[i]->ids);
	if (cfg.list)
		return 0;
	if (cfg.explain)
		return explain_all(role, k, n);
	ktap_start(role->end, n);
	if (role->start)
		role->start();
	for (i = 0; i < n && !(cfg.first_failure && nr_fail); i++)
		ktap_case(role, k[i]);
	worker_stop(&r);
	if (r.v != PASS)
		printf("# at the end: %s\n", r.why);
	if (role->stop)
		role->stop();
	return ktap_end();
}
