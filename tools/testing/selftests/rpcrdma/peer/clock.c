// SPDX-License-Identifier: GPL-2.0
/* Time, for both kinds of connections. */
#include <time.h>

#include "conn.h"

#define NAP_NS		200000
#define NAPS		16	/* of a length, in a row */
#define NAP_DOUBLED	4	/* times, at most */

/* Naps since something came, as long as it matters */
static unsigned int naps;

/**
 * now_ms - a clock that never goes back
 *
 * Return: milliseconds.
 */
u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

/**
 * nap - let others run between two polls
 *
 * A poll may cost a slow machine more than a short nap leaves to others: naps get
 * longer the longer nothing comes.
 */
void nap(void)
{
	struct timespec ts = { .tv_nsec = NAP_NS << naps / NAPS };

	if (naps < NAPS * NAP_DOUBLED)
		naps++;
	nanosleep(&ts, NULL);
}

/**
 * nap_short - begin with short naps again, as something has come
 */
void nap_short(void)
{
	naps = 0;
}
