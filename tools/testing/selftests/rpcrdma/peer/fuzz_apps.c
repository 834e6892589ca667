// SPDX-License-Identifier: GPL-2.0
/*
 * Server role of the fuzzer: operations on a mount, one after the other in one
 * process, which may fail but have to return.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "app.h"
#include "fuzz.h"
#include "peer.h"

static const char * const ops[] = {
	"stat", "statfs", "ls", "read1000", "read8192", "read16384",
	"read40000", "write1000", "write8192", "write16384", "write40000",
};

struct app_beat *app_beats;

/**
 * app_beats_start - make the memory in which workers say how they are
 * @n: how many workers there will be
 */
void app_beats_start(unsigned int n)
{
	app_beats = mmap(NULL, n * sizeof(*app_beats), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (app_beats == MAP_FAILED)
		abort();
}

/**
 * app_mix - carry out operations
 * @op: "mix:SEED:COUNT:WORKER"
 * @one: carries out one of them
 * @arg: for @one
 *
 * Return: 0, or APP_NO_OP.
 */
int app_mix(const char *op, int (*one)(const char *op, const char *arg),
	    const char *arg)
{
	u32 seed, n, worker, i;
	struct app_beat *b;
	struct rng r;
	int err;

	if (sscanf(op, "mix:%u:%u:%u", &seed, &n, &worker) != 3 || !app_beats)
		return APP_NO_OP;
	b = &app_beats[worker];
	rng_start(&r, seed, worker);
	for (i = 0; i < n; i++) {
		b->since = now_ms();
		err = one(ops[rng_below(&r, ARRAY_SIZE(ops))], arg);
		b->ok += !err;
		b->failed += !!err;
	}
	b->since = 0;
	return 0;
}
