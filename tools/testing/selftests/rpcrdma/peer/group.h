/* SPDX-License-Identifier: GPL-2.0 */
/* The transmissions of one message, what is wrong with them, and the message. */
#ifndef PEER_GROUP_H
#define PEER_GROUP_H

#include "xmt.h"

#define GROUP_MAX_MSG	(1u << 20)	/* longest message that is taken */

/**
 * struct fault - what must be said about a message
 * @what: in words, NULL if there is no fault
 * @err: code of an ERROR, or 0
 * @which: R_* of a REPTERR, or 0
 * @v: its values
 */
struct fault {
	const char *what;
	u32 err;
	u32 which;
	u32 v[3];
};

/**
 * struct part - one transmission
 * @p: its bytes
 * @len: how many
 * @hlen: where its payload starts
 * @pslen: length of the payload
 */
struct part {
	u8 *p;
	size_t len;
	size_t hlen;
	u32 pslen;
};

/**
 * struct group - the transmissions of a message
 * @xid: their xid
 * @dir: their direction
 * @credit: of the first
 * @n: how many there are so far
 * @x: what the first one says
 * @part: the transmissions
 */
struct group {
	u32 xid, dir, credit;
	u32 n;
	struct xmt x;
	struct part part[MAX_PARTS];
};

/**
 * struct span - bytes of an item in one segment of a receive
 * @tbsn: the segment
 * @from: where they start in it
 * @len: how many
 */
struct span {
	u32 tbsn, from, len;
};

/* Gives the bytes of an item moved by RDMA, or NULL */
typedef const u8 *(*fetch_fn)(void *ctx, const struct item *it);

void group_free(struct group *g);
bool group_first(struct group *g, const struct hdr *h, const u8 *p, size_t len,
		 const struct layout *lay, u32 limit, struct fault *f);
bool group_next(struct group *g, const struct hdr *h, const u8 *p, size_t len,
		struct fault *f);
bool group_whole(const struct group *g, const struct layout *lay,
		 struct fault *f);
int group_message(const struct group *g, const struct layout *lay,
		  fetch_fn fetch, void *ctx, struct buf *out);
const char *group_manners(const struct group *g, const struct layout *lay);
int item_spans(const struct layout *lay, const struct item *it,
	       struct span *out);
const char *resp_allowed(const struct xmt *req, const struct xmt *resp);
const char *resp_manners(const struct xmt *req, const struct xmt *resp);

static inline bool excised(const struct item *it)
{
	return it->loc.type == T_EXRW || it->loc.type == T_TBSN;
}

#endif /* PEER_GROUP_H */
