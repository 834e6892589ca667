/* SPDX-License-Identifier: GPL-2.0 */
/* "peer serve": reverse Calls in any number, as the module rpcrdma_flood makes them. */
#ifndef PEER_SERVE_BACK_H
#define PEER_SERVE_BACK_H

#include "srv_place.h"

void back_poll(struct srv *s);
bool back_takes(struct srv *s, struct sconn *sc, const struct rmsg *m,
		const struct hdr *h);

#endif /* PEER_SERVE_BACK_H */
