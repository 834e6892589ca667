/* SPDX-License-Identifier: GPL-2.0 */
/* As much of NFSv4.1 as session.c asks for, when one peer serves another. */
#ifndef PEER_NFS41_H
#define PEER_NFS41_H

#include "rd.h"

#define NFS41_OTHER	~0u	/* an operation that is none of these */

const u8 *rd_skip(struct rd *r, u64 n);
bool nfs41_there(struct rd *r);
u32 nfs41_op(struct buf *b, u32 op, struct rd *r);

#endif /* PEER_NFS41_H */
