/* SPDX-License-Identifier: GPL-2.0 */
/* Connections that make calls and take no replies. */
#ifndef PEER_DEAF_H
#define PEER_DEAF_H

#include "client.h"

/* One for each thread of nfsd, and two more */
#define NR_DEAF		10

/* More calls than the Send Queue of a server with 16 credits has entries, 127 over
 * soft-RoCE, and than there are receives for the first replies; fewer than it
 * can keep of them
 */
#define DEAF_CALLS	215

int deaf_fill(struct cli *s, u32 vers, u32 n);
int deaf_open(struct cli *d, struct result *r);
void deaf_close(struct cli *d);
unsigned int deaf_up(struct cli *d);
int deaf_wait_gone(struct cli *d, int ms);

#endif /* PEER_DEAF_H */
