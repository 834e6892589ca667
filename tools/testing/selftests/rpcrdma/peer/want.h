/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a message of the other end may be wanted to be, in both roles:
 *
 *  xdr proc opt    ERROR with that code
 *  rpc             MSG in REPLY direction
 *  init            INITXCH
 *  respxch         RESPXCH, no element in two of its subsets
 *  all:N           RESPXCH; together they hold the first N elements
 *  done:W rej:W pend:W   RESPXCH; that subset is W, in hex, further words
 *                  behind dots
 */
#ifndef PEER_WANT_H
#define PEER_WANT_H

#include "wire.h"

int want_known(const char *w, const struct hdr *h);

#endif /* PEER_WANT_H */
