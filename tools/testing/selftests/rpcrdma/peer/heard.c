// SPDX-License-Identifier: GPL-2.0
/* Messages of the other end's own accord, for the steps of both roles. */
#include <stdlib.h>
#include <string.h>

#include "heard.h"

/**
 * heard_add - keep a message
 * @q: where
 * @m: the message; copied
 *
 * Return: false if there are too many.
 */
bool heard_add(struct heard *q, const struct rmsg *m)
{
	struct rmsg *copy;

	if (q->nr == MAX_HEARD)
		return false;
	copy = malloc(sizeof(*m) + m->len);
	if (!copy)
		abort();
	memcpy(copy, m, sizeof(*m) + m->len);
	q->m[q->nr++] = copy;
	return true;
}

/**
 * heard_take - take the oldest message
 * @q: from where; it has some
 *
 * Return: the message, the caller's to free.
 */
struct rmsg *heard_take(struct heard *q)
{
	struct rmsg *m = q->m[0];

	q->nr--;
	memmove(q->m, q->m + 1, q->nr * sizeof(q->m[0]));
	return m;
}

/**
 * heard_drop - forget all messages
 * @q: where they are
 */
void heard_drop(struct heard *q)
{
	while (q->nr)
		free(heard_take(q));
}
