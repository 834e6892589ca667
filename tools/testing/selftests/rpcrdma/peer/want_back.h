/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words of a WANT about the answer to a reverse Call, which comes by MSG, or by
 * XMTRESP in one transmission if the Call came by XMTREQ:
 *
 *  cbok            the Call has been carried out, and has no results
 *  cbtag:LEN       that of the word cbtag of tmpl.h: OK, with the tag it had
 *  cberr:N         accept_stat N, and no results
 *  grant:N         it grants N credits at least
 */
#ifndef PEER_WANT_BACK_H
#define PEER_WANT_BACK_H

#include "conn.h"

bool back_reply(const struct hdr *h);
int want_back(const char *w, const struct rmsg *m, const struct hdr *h);

#endif /* PEER_WANT_BACK_H */
