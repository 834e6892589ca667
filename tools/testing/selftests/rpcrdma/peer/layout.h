/* SPDX-License-Identifier: GPL-2.0 */
/* How a posted receive is made up of segments (RBSTRUCT). */
#ifndef PEER_LAYOUT_H
#define PEER_LAYOUT_H

#include "wire.h"

#define MAX_LAY		32
#define PLT_FLAG	1u
#define PLT_ALIGN	4096u

/**
 * struct lay_seg - a segment of a receive
 * @at: where it starts in the Send
 * @len: its length
 * @flags: bit 0: data may be placed in it
 */
struct lay_seg {
	u32 at, len, flags;
};

/**
 * struct layout - the segments of every posted receive
 * @nsegs: how many
 * @total: bytes of all of them
 * @rtrsupp: RTRSUPP that goes with it; of our own layouts
 * @limit: transmissions that a message to us may have; of our own layouts
 * @nplt: how many of them data may be placed in
 * @seg: the segments
 * @plt: those that data may be placed in, as indices of @seg
 */
struct layout {
	u32 nsegs;
	u32 total;
	u32 rtrsupp;
	u32 limit;
	u32 nplt;
	struct lay_seg seg[MAX_LAY];
	u32 plt[MAX_LAY];
};

int layout_text(struct layout *l, const char *text);
const char *layout_told(struct layout *l, const struct chars *x);
int layout_init(struct layout *l, char *out, size_t size, const char *text,
		bool server);
const struct lay_seg *layout_plt(const struct layout *l, u32 tbsn);

#endif /* PEER_LAYOUT_H */
