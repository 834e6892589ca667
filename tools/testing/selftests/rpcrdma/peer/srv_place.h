/* SPDX-License-Identifier: GPL-2.0 */
/* Server role: requests by XMTREQ, and the replies to them. */
#ifndef PEER_SRV_PLACE_H
#define PEER_SRV_PLACE_H

#include "group.h"
#include "server.h"

/* How an honest reply goes about data that has a target */
enum { HOW_BEST = 0, HOW_EXRW, HOW_INLINE, HOW_PARTS };

/* What an honest reply may be beside T_* of its first item */
enum { USED_BASE = 0, USED_PLAIN = 8, USED_ITEM = 9 };

const char *srv_layout(struct srv *s, struct sconn *sc, char *probe,
		       size_t size);
bool srv_intruder(struct srv *s, struct sconn *sc, const struct rmsg *m,
		  const struct hdr *h);
bool srv_xmt(struct srv *s, struct sconn *sc, struct rmsg *m,
	     const struct hdr *h);
void srv_send_fault(struct srv *s, struct sconn *sc, const struct rmsg *m,
		    const struct hdr *h, const struct fault *f, bool open);
void srv_bad(struct srv *s, struct sconn *sc, const struct rmsg *m,
	     const struct hdr *h);
void srv_late_group(struct srv *s, struct sconn *sc, const struct rmsg *m,
		    const struct hdr *h, struct group *g);
void srv_report(struct srv *s, struct sconn *sc, const struct rmsg *m,
		const struct hdr *h);
int place_reply(struct srv *s, struct sconn *sc, const struct group *g,
		size_t *hlen, struct fault *f);

void check_failed(struct srv *s);

#endif /* PEER_SRV_PLACE_H */
