// SPDX-License-Identifier: GPL-2.0
/*
 * What memory for Receives has to come to.
 */

#include <stdio.h>
#include <string.h>

#include "sim.h"

enum {
	/* Memory for Receives of a connection of version 1: 139 buffers of 4 KiB, and as
	 * much for the context of each
	 */
	VERSION_1_KB	= 139 * 8,
};

/**
 * struct aim - something that is asked for
 * @name: of it
 * @loads: where it is asked for, each name between blanks; NULL for all
 * @met: was it met?
 */
struct aim {
	const char	*name;
	const char	*loads;
	bool		(*met)(const struct result *r);
};

static bool covered(const struct result *r)
{
	return !r->broken && !r->dry;
}

static bool within(const struct result *r)
{
	return !r->over_kb;
}

static bool in_time(const struct result *r)
{
	return !r->unplaced && r->place.total;
}

static bool never_refused(const struct result *r)
{
	return !r->late;
}

static bool idle_cheap(const struct result *r)
{
	return r->idle_kb && r->idle_kb <= VERSION_1_KB;
}

static bool strangers_cheap(const struct result *r)
{
	return r->stranger_kb && r->stranger_kb <= VERSION_1_KB;
}

/* All but 1 % */
static bool nearly_all(const struct result *r)
{
	return r->placed * 100 >= (r->placed + r->refused + r->early + r->shy) * 99;
}

/* Others are left at least 30 % */
static bool shared(const struct result *r)
{
	return r->greedy_kb * 10 <= r->budget_kb * 7;
}

static bool given_back(const struct result *r)
{
	return r->given_back && r->given_back <= 5 * SEC;
}

static bool taken_again(const struct result *r)
{
	return r->given_back && r->taken_again && r->taken_again <= 40 * SEC;
}

static const struct aim aims[] = {
	{ "no credit without a Receive", NULL, covered },
	{ "memory stays within the budget", NULL, within },
	{ "whoever becomes busy places data within a second", NULL, in_time },
	{ "nobody is refused memory for longer than a second",
	  " any32 lone serial bursts pieces page64k strangers ", never_refused },
	{ "an idle connection costs no more than with version 1", " any32 small ", idle_cheap },
	{ "one without authentication costs no more either", " strangers ", strangers_cheap },
	{ "one that has the machine for itself places nearly all", " lone serial ", nearly_all },
	{ "one address leaves something to others", " greedy ", shared },
	{ "memory is given back within 5 seconds", " pressure ", given_back },
	{ "and taken again within 40", " pressure ", taken_again },
};

static bool asked_for(const struct aim *aim, const struct scenario *sc)
{
	char name[32];

	snprintf(name, sizeof(name), " %s ", sc->name);
	return !aim->loads || strstr(aim->loads, name);
}

/* Returns how many aims were not met; @nr counts those that are printed */
u32 aims_check(const struct scenario *sc, const struct result *r, u32 *nr)
{
	u32 i, missed = 0;
	bool met;

	for (i = 0; i < ARRAY_SIZE(aims); i++) {
		if (!asked_for(&aims[i], sc))
			continue;
		met = aims[i].met(r);
		missed += !met;
		if (nr)
			printf("%sok %u - %s: %s\n", met ? "" : "not ", ++*nr, sc->name,
			       aims[i].name);
	}
	return missed;
}

/* Names the aims that were not met */
void aims_missed(const struct scenario *sc, const struct result *r)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(aims); i++)
		if (asked_for(&aims[i], sc) && !aims[i].met(r))
			printf("# %-9s misses: %s\n", sc->name, aims[i].name);
}
