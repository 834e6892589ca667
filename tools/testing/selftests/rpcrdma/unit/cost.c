// SPDX-License-Identifier: GPL-2.0
/*
 * What a peer can make the checks of placed data cost that are made where
 * messages arrive, before anybody has been authenticated. Steps are basic
 * blocks, which the compiler has counted, so that the result is always the same.
 */

#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <stdio.h>

#include "../../../../../net/sunrpc/xprtrdma/v2/plan.h"

enum {
	PAGE		= 4096,
	PAGES		= 16,
	XMTS		= 32,
	/* Steps that a message may take */
	MOST		= 64 * RPCRDMA2_MAX_TBSNS,
};

static struct rpcrdma2_xmtreq req;
static unsigned long steps;

/* Called by the compiler's code at the beginning of each basic block */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	steps++;
}

/**
 * add_item - add an item that is placed
 * @count: segments that it reaches into
 * @offset: its first byte in the first of them
 * @unused: bytes of the last one that are not the item's
 *
 * The caller sets their numbers.
 *
 * Return: where these go
 */
static u32 *add_item(u32 count, u32 offset, u32 unused)
{
	struct rpcrdma2_mitem *item = &req.items[req.nitems++];

	item->type = XMPTYPE_TBSN;
	item->disp = req.nitems > 1 ? item[-1].disp + item[-1].length : 40;
	item->offset = offset;
	item->length = count * PAGE - offset - unused;
	item->first = req.pool.ntbsns;
	item->count = count;
	req.pool.ntbsns += count;
	return &req.pool.tbsns[item->first];
}

/* One item, from the last segment to the first one */
static void descending(void)
{
	u32 i, *tbsns = add_item(RPCRDMA2_MAX_TBSNS, 0, 0);

	for (i = 0; i < RPCRDMA2_MAX_TBSNS; i++)
		tbsns[i] = RPCRDMA2_MAX_TBSNS - 1 - i;
}

/* Each item ends in the segment that the one before it begins in */
static void shared(void)
{
	u32 i, j, n = RPCRDMA2_MAX_TBSNS / RPCRDMA2_MAX_MITEMS;

	for (i = 0; i < RPCRDMA2_MAX_MITEMS; i++) {
		u32 *tbsns = add_item(n, PAGE / 2, PAGE / 2);

		for (j = 0; j < n; j++)
			tbsns[j] = (RPCRDMA2_MAX_MITEMS - 1 - i) * (n - 1) + j;
	}
}

/* All items are in one segment, the last one first */
static void crowded(void)
{
	u32 i;

	for (i = 0; i < RPCRDMA2_MAX_MITEMS; i++)
		*add_item(1, PAGE - 4 * (i + 1), 4 * i) = 0;
}

/* The longest group that there can be says nothing about its numbers */
static void far_apart(void)
{
	u32 i, *tbsns = add_item(RPCRDMA2_MAX_TBSNS, 0, 0);

	for (i = 0; i < RPCRDMA2_MAX_TBSNS; i++)
		tbsns[i] = (RPCRDMA2_MAX_TBSNS - 1 - i) << 10;
	req.count = U32_MAX;
}

/**
 * measure - count the steps that it takes to check a message
 *
 * Return: a number of steps
 */
static unsigned long measure(void)
{
	const struct rpcrdma2_part part = { XMTS * 80, 200, 40 };
	struct rpcrdma2_repterr fault;
	struct rpcrdma2_rbstruct rb;
	struct rpcrdma2_arrival arr = {
		.rb = &rb, .max_message = U32_MAX, .limit = XMTS,
		.dir = RDMA2_CALL, .count = req.count, .nitems = req.nitems,
		.items = req.items, .pool = &req.pool, .nparts = 1,
		.parts = &part,
	};

	rpcrdma2_rbstruct_make(&rb, 512, PAGES, PAGE);
	steps = 0;
	if (rpcrdma2_check_lead(&arr, &req, &fault) != (req.count <= XMTS))
		printf("# not the outcome that was expected: %u\n", fault.which);
	return steps;
}

static const struct {
	const char	*name;
	void		(*make)(void);
} shapes[] = {
	{ "one item, descending", descending },
	{ "items that share segments", shared },
	{ "many items in one segment", crowded },
	{ "numbers far apart", far_apart },
};

int main(void)
{
	unsigned int i, failed = 0;

	printf("TAP version 13\n1..%zu\n", ARRAY_SIZE(shapes));
	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		unsigned long n;

		memset(&req, 0, sizeof(req));
		req.count = XMTS;
		req.pslen = 40;
		shapes[i].make();
		n = measure();
		failed += n > MOST;
		printf("%sok %u - %s: %lu steps for %u numbers, %u at most\n",
		       n > MOST ? "not " : "", i + 1, shapes[i].name, n,
		       req.pool.ntbsns, MOST);
	}
	return !!failed;
}
