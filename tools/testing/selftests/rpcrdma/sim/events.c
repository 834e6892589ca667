// SPDX-License-Identifier: GPL-2.0
/*
 * What is going to happen, the next first: a binary heap.
 */

#include <stdlib.h>

#include "sim.h"

static bool event_before(const struct event *a, const struct event *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static void event_swap(struct event *a, struct event *b)
{
	struct event c = *a;

	*a = *b;
	*b = c;
}

void queue_put(struct queue *q, struct event ev)
{
	u32 i = q->count++, up;

	if (q->count > q->room) {
		q->room = 2 * q->room + 64;
		q->heap = realloc(q->heap, q->room * sizeof(*q->heap));
		if (!q->heap)
			abort();
	}
	ev.order = q->order++;
	q->heap[i] = ev;
	for (; i; i = up) {
		up = (i - 1) / 2;
		if (!event_before(&q->heap[i], &q->heap[up]))
			break;
		event_swap(&q->heap[i], &q->heap[up]);
	}
}

static void queue_sink(struct queue *q)
{
	u32 i = 0, down;

	for (;; i = down) {
		down = 2 * i + 1;
		if (down >= q->count)
			break;
		if (down + 1 < q->count && event_before(&q->heap[down + 1], &q->heap[down]))
			down++;
		if (!event_before(&q->heap[down], &q->heap[i]))
			break;
		event_swap(&q->heap[down], &q->heap[i]);
	}
}

/* Returns false if nothing is going to happen */
bool queue_get(struct queue *q, struct event *ev)
{
	if (!q->count)
		return false;
	*ev = q->heap[0];
	q->heap[0] = q->heap[--q->count];
	queue_sink(q);
	return true;
}

void queue_free(struct queue *q)
{
	free(q->heap);
}
