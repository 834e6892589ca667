// SPDX-License-Identifier: GPL-2.0
/*
 * sim [-f] [-s SEED] [-n COUNT] [-m MIB] [LOAD [POLICY]]: a table of what each policy comes to under each load;
 * then, as KTAP, whether the chosen one meets all aims, and whether each other one misses
 * some, without which the aims would say nothing. -f takes longer times. -n and -m have
 * another number of connections, and a machine with so much memory.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim.h"

enum {
	MAX_POLICIES	= 16,
	MAX_LOADS	= 16,
};

/**
 * struct options - what is asked for
 * @brief: the short form
 * @seed: where chance begins
 * @conns: number of connections, or 0 for what each load has
 * @machine_mb: memory of the machine in MiB, likewise
 * @load: only this one, or NULL
 * @policy: likewise
 */
struct options {
	bool		brief;
	u64		seed;
	u32		conns;
	u32		machine_mb;
	const char	*load;
	const char	*policy;
};

static struct result results[MAX_LOADS][MAX_POLICIES];

static double ms(u64 ns)
{
	return ns / (double)MSEC;
}

static double percent(u64 part, u64 whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void print_head(const struct options *o)
{
	u32 i;

	printf("# seed %llu, %s form\n", (unsigned long long)o->seed, o->brief ? "short" : "long");
	for (i = 0; i < npolicies; i++)
		printf("# %-9s %s\n", policies[i].name, policies[i].what);
	for (i = 0; i < nscenarios; i++)
		printf("# %-9s %s\n", scenarios[i].name, scenarios[i].what);
	printf("# memory in MiB, times in ms; of all data: placed; refused for want of memory, and\n"
	       "# how much of that late, a second after its connection became busy or more; early:\n"
	       "# its connection was still growing. Waits for credits, and until the first data is\n"
	       "# placed. Changes a second, messages for each. Messages without a Receive\n");
	printf("# %-9s %-8s %7s %7s %6s %6s %6s %6s %7s %7s %7s %7s %6s %6s %5s\n", "load", "policy",
	       "mean", "peak", "placed", "refus.", "late", "early", "wait50", "wait99", "longest",
	       "place", "chg/s", "msgs", "lost");
}

static void print_row(const struct scenario *sc, const struct policy *p, bool brief,
		      const struct result *r)
{
	u64 all = r->placed + r->refused + r->early + r->shy;

	printf("# %-9s %-8s %7.1f %7.1f ", sc->name, p->name, r->mem_sum / 1024,
	       r->mem_peak / 1024.0);
	printf("%5.1f%% %5.1f%% %5.1f%% %5.1f%% ", percent(r->placed, all),
	       percent(r->refused, all), percent(r->late, all), percent(r->early, all));
	printf("%7.2f %7.2f %7.1f %7.1f ", ms(histogram_part(&r->wait, 0.5)),
	       ms(histogram_part(&r->wait, 0.99)), ms(r->wait.most), ms(r->place.most));
	printf("%6.1f %6.1f %5llu\n", r->changes / (double)(brief ? sc->brief : sc->full),
	       r->changes ? r->messages / (double)r->changes : 0.0, (unsigned long long)r->dry);
}

/* A few more numbers, for who looks at one run */
static void print_rest(const struct result *r)
{
	printf("# not placed in time %u, idle %u KiB, stranger %u KiB, at most %u credits\n",
	       r->unplaced, r->idle_kb, r->stranger_kb, r->credits);
	printf("# first address %llu KiB of %llu, closed %u, given back in %.2f s, taken in %.2f s\n",
	       (unsigned long long)r->greedy_kb, (unsigned long long)r->budget_kb, r->closed,
	       ms(r->given_back) / 1000, ms(r->taken_again) / 1000);
}

static bool chosen(const char *only, const char *name)
{
	return !only || !strcmp(only, name);
}

static void run_all(const struct options *o)
{
	struct scenario sc;
	u32 i, j;

	for (i = 0; i < nscenarios; i++) {
		for (j = 0; j < npolicies; j++) {
			if (!chosen(o->load, scenarios[i].name) ||
			    !chosen(o->policy, policies[j].name))
				continue;
			sc = scenarios[i];
			sc.conns = o->conns ?: sc.conns;
			sc.machine_mb = o->machine_mb ?: sc.machine_mb;
			run(&sc, &policies[j], o->brief, o->seed, &results[i][j]);
			print_row(&scenarios[i], &policies[j], o->brief, &results[i][j]);
			if (o->policy)
				print_rest(&results[i][j]);
		}
	}
}

/* Returns how many aims a policy misses, under all loads */
static u32 judge(const struct options *o, u32 j, u32 *nr)
{
	u32 i, missed = 0;

	for (i = 0; i < nscenarios; i++) {
		if (!chosen(o->load, scenarios[i].name))
			continue;
		missed += aims_check(&scenarios[i], &results[i][j], nr);
		if (!nr && o->policy)
			aims_missed(&scenarios[i], &results[i][j]);
	}
	return missed;
}

static u32 judge_all(const struct options *o)
{
	u32 j, missed, bad = 0, nr = 0;

	for (j = 0; j < npolicies; j++) {
		if (!chosen(o->policy, policies[j].name))
			continue;
		missed = judge(o, j, policies[j].aims ? &nr : NULL);
		if (policies[j].aims) {
			bad += missed;
		} else if (!o->load && !o->policy) {
			bad += !missed;
			printf("%sok %u - %s misses some aim (%u)\n", missed ? "" : "not ", ++nr,
			       policies[j].name, missed);
		}
	}
	printf("1..%u\n", nr);
	return bad;
}

int main(int argc, char **argv)
{
	struct options o = { .brief = true, .seed = 20260101 };
	int opt;

	while ((opt = getopt(argc, argv, "fs:n:m:")) != -1) {
		if (opt == 'f')
			o.brief = false;
		else if (opt == 's')
			o.seed = strtoull(optarg, NULL, 0) ?: 1;
		else if (opt == 'n')
			o.conns = strtoul(optarg, NULL, 0);
		else if (opt == 'm')
			o.machine_mb = strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	o.load = optind < argc ? argv[optind] : NULL;
	o.policy = optind + 1 < argc ? argv[optind + 1] : NULL;
	printf("TAP version 13\n");
	print_head(&o);
	run_all(&o);
	return judge_all(&o) ? 1 : 0;
}
