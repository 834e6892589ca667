// SPDX-License-Identifier: GPL-2.0
/*
 * Runs KUnit suites in user space: prints KTAP, one line a case, and ends with
 * 1 if a case failed. A word on the command line selects the cases whose line
 * contains it.
 */

#include <stdarg.h>
#include <stdlib.h>
#include <kunit/test.h>

#define MAX_SUITES	16

static const struct kunit_suite *suites[MAX_SUITES];
static unsigned int nsuites;

/**
 * struct totals - what came of the cases so far
 * @run: cases run
 * @failed: cases that failed
 */
struct totals {
	unsigned int	run;
	unsigned int	failed;
};

void kunit_register(const struct kunit_suite *suite)
{
	if (nsuites == MAX_SUITES)
		abort();
	suites[nsuites++] = suite;
}

void kunit_fail(struct kunit *test, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	test->failures++;
	printf("# %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

void *kunit_kmalloc(struct kunit *test, size_t size, int gfp)
{
	void *p = malloc(size);

	(void)gfp;
	test->allocs = realloc(test->allocs, (test->nallocs + 1) * sizeof(p));
	if (!p || !test->allocs)
		abort();
	test->allocs[test->nallocs++] = p;
	return p;
}

void *kunit_kzalloc(struct kunit *test, size_t size, int gfp)
{
	return memset(kunit_kmalloc(test, size, gfp), 0, size);
}

/**
 * run_one - run a case once
 * @suite: its suite
 * @kcase: the case
 * @param: what to run it with
 * @name: what to call it
 * @totals: counted up
 */
static void run_one(const struct kunit_suite *suite, const struct kunit_case *kcase,
		    const void *param, const char *name, struct totals *totals)
{
	struct kunit test = { .param_value = param };

	if (suite->init && suite->init(&test))
		abort();
	kcase->run_case(&test);
	while (test.nallocs)
		free(test.allocs[--test.nallocs]);
	free(test.allocs);

	totals->run++;
	totals->failed += !!test.failures;
	printf("%sok %u - %s\n", test.failures ? "not " : "", totals->run, name);
}

/**
 * run_case - run a case with everything it is to be run with
 * @suite: its suite
 * @kcase: the case
 * @only: a part of the names of the cases to run, or NULL
 * @totals: counted up
 */
static void run_case(const struct kunit_suite *suite, const struct kunit_case *kcase,
		     const char *only, struct totals *totals)
{
	char desc[KUNIT_PARAM_DESC_SIZE], name[512];
	const void *param = NULL;

	do {
		snprintf(name, sizeof(name), "%s %s", suite->name, kcase->name);
		if (kcase->generate_params) {
			param = kcase->generate_params(param, desc);
			if (!param)
				return;
			snprintf(name, sizeof(name), "%s [%s %s]", desc, suite->name,
				 kcase->name);
		}
		if (!only || strstr(name, only))
			run_one(suite, kcase, param, name, totals);
	} while (param);
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;
	const struct kunit_case *kcase;
	struct totals totals = { 0 };
	unsigned int i;

	printf("TAP version 13\n");
	for (i = 0; i < nsuites; i++)
		for (kcase = suites[i]->test_cases; kcase->run_case; kcase++)
			run_case(suites[i], kcase, only, &totals);
	printf("1..%u\n# Totals: pass:%u fail:%u\n", totals.run,
	       totals.run - totals.failed, totals.failed);
	return totals.failed || !totals.run;
}
