/* SPDX-License-Identifier: GPL-2.0 */
/* Bad messages in a row, and all that a flood of them shares in both roles. */
#ifndef PEER_FLOOD_H
#define PEER_FLOOD_H

#include "conn.h"

/* Messages bear this xid and those that follow */
#define FLOOD_XID	0x01000000

/**
 * struct flood - a flood under way
 * @kinds: what is sent, built once
 * @nr_kinds: how many there are
 * @sent: messages sent so far
 * @closers: how many of them cost the connection
 * @began: when it began
 */
struct flood {
	struct buf *kinds;
	unsigned int nr_kinds;
	unsigned int sent;
	unsigned int closers;
	u64 began;
};

void flood_start(struct flood *f, struct conn *c);
unsigned int flood_batch(struct flood *f, struct conn *c, unsigned int n);
void flood_closer(struct flood *f, struct conn *c);
int flood_end(struct flood *f, const char *end, const char *why);

#endif /* PEER_FLOOD_H */
