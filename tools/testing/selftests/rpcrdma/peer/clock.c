// SPDX-License-Identifier: GPL-2.0
/* Time, for both kinds of connections. */
#include <time.h>

#include "conn.h"

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
 */
void nap(void)
{
	struct timespec ts = { .tv_nsec = 200000 };

	nanosleep(&ts, NULL);
}
