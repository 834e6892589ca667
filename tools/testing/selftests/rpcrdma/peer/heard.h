/* SPDX-License-Identifier: GPL-2.0 */
/* Messages of the other end's own accord, until a step awaits them. */
#ifndef PEER_HEARD_H
#define PEER_HEARD_H

#include "conn.h"

#define MAX_HEARD	8

/**
 * struct heard - messages that no step has awaited yet
 * @m: the messages, oldest first
 * @nr: how many
 */
struct heard {
	struct rmsg *m[MAX_HEARD];
	unsigned int nr;
};

bool heard_add(struct heard *q, const struct rmsg *m);
struct rmsg *heard_take(struct heard *q);
void heard_drop(struct heard *q);

#endif /* PEER_HEARD_H */
