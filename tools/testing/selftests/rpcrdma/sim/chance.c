// SPDX-License-Identifier: GPL-2.0
/*
 * Chance, and what is made of many times.
 */

#include <math.h>

#include "sim.h"

/* xorshift64*, by Vigna */
static u64 chance_next(struct chance *c)
{
	c->state ^= c->state >> 12;
	c->state ^= c->state << 25;
	c->state ^= c->state >> 27;
	return c->state * 2685821657736338717ULL;
}

/* Returns a number below @n */
u32 chance_below(struct chance *c, u32 n)
{
	return (chance_next(c) >> 32) * n >> 32;
}

/* Returns a number above 0, at most 1 */
double chance_part(struct chance *c)
{
	return ((chance_next(c) >> 11) + 1) / 9007199254740992.0;
}

/* Returns the time to the next event of many that come independently */
double chance_gap(struct chance *c, double mean)
{
	return -mean * log(chance_part(c));
}

/* Returns a size of those of which few are large, and hold most of all */
u32 chance_pareto(struct chance *c, double alpha, double least, double most)
{
	double size = least * pow(chance_part(c), -1 / alpha);

	return size < most ? size : most;
}

/* Buckets divide each power of two into eight */
static u32 histogram_bucket(u64 ns)
{
	u32 power;

	if (ns < 8)
		return ns;
	power = 63 - __builtin_clzll(ns);
	return (power - 2) * 8 + (ns >> (power - 3) & 7);
}

/* Returns the longest time of a bucket */
static u64 histogram_bound(u32 bucket)
{
	u32 power = bucket / 8 + 2;

	return bucket < 8 ? bucket : ((8ULL + bucket % 8 + 1) << (power - 3)) - 1;
}

void histogram_add(struct histogram *h, u64 ns, u64 count)
{
	h->count[min_t(u32, histogram_bucket(ns), BUCKETS - 1)] += count;
	h->total += count;
	h->most = max_t(u64, h->most, count ? ns : 0);
}

/* Returns a time that @part of all are not longer than */
u64 histogram_part(const struct histogram *h, double part)
{
	u64 left = h->total * part;
	u32 i;

	for (i = 0; i < BUCKETS; i++) {
		if (h->count[i] > left)
			return min_t(u64, histogram_bound(i), h->most);
		left -= h->count[i];
	}
	return h->most;
}
