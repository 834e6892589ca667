/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words of a WANT about REPTERR:
 *
 *  rept:CODE:V...   REPTERR of that code (badhmt, badomt, badcont, badseq,
 *                   badxid, badoff, badtbsn, badpl) with those values, about
 *                   one of the last messages sent, and about no other
 *  lrept:CODE:V...  the same with the first transmission of its group as what
 *                   led to it
 *
 * A value is a number, or one of these with +N or -N behind it, and with N* in
 * front: plen pnum (see tmpl.h), left (bytes behind the header of what was sent),
 * pslen (what it says of its payload), xid (its xid), reqlim, wpos, rsbuf (of the
 * request that it answers), maxmsg (the longest message that the other end takes,
 * which it says once and must then hold to).
 */
#ifndef PEER_WANT_PLACE_H
#define PEER_WANT_PLACE_H

#include "layout.h"

void want_sent(const u8 *p, size_t len, const struct layout *lay,
	       const struct chars *chars);
void want_asked(u32 rsbuf);
void want_forget(void);
int want_report(const char *w, const struct hdr *h);
bool want_xid(u32 *xid, const char *want);

#endif /* PEER_WANT_PLACE_H */
