/* SPDX-License-Identifier: GPL-2.0 */
/* Words being taken off received bytes, one after the other. */
#ifndef PEER_RD_H
#define PEER_RD_H

#include "wire.h"

/**
 * struct rd - a place in received bytes
 * @p: next byte
 * @left: how many follow
 * @why: first fault met; nothing more is taken then
 */
struct rd {
	const u8 *p;
	size_t left;
	const char *why;
};

u32 rd_u32(struct rd *r, const char *what);
u32 rd_bool(struct rd *r, const char *what);
void rd_chunk(struct rd *r, struct chunk *c);

#endif /* PEER_RD_H */
