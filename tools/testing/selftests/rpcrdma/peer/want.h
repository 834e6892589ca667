/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a message of the other end may be wanted to be, in both roles:
 *
 *  xdr proc opt    ERROR with that code
 *  rpc             MSG in REPLY direction
 *  credit:N        it grants N credits
 *  init            INITXCH
 *  respxch         RESPXCH, no element in two of its subsets
 *  all:N           RESPXCH; together they hold the first N elements
 *  done:W rej:W pend:W   RESPXCH; that subset is W, in hex, further words
 *                  behind dots
 *  req:I=V,I=V     REQXCH that asks for just these characteristics I, with
 *                  values V in hex
 *  upd:I=V:N       UPDXCH that says that I is V now; N is its pendclr
 *
 * and those of want_place.h.
 */
#ifndef PEER_WANT_H
#define PEER_WANT_H

#include "wire.h"

int want_known(const char *w, const struct hdr *h);
bool want_words(const char *want, const struct hdr *h);

#endif /* PEER_WANT_H */
