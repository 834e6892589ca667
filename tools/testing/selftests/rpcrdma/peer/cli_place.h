/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Client role: requests by XMTREQ. What a WANT may say about their answers:
 *
 *  xreply          XMTRESP without items, or MSG; RPC and compound succeeded
 *  xresp:T.T...    XMTRESP with items of these types: exrw tbsn tooshort noitem
 *  vread:OFF:LEN.. the READs in it came to these parts of the test file
 *  types:T.T...    XMTRESP with such items, whatever RPC and compound came to
 *  xrpcerr:N       XMTRESP, or MSG: accept_stat N
 *  xnfserr         XMTRESP, or MSG: the compound failed
 *  kdata:K:OFF:LEN memory 0 holds this part of the test file, XORed by K (hex)
 *  blank:M:LEN     memory M begins with so many zero bytes
 */
#ifndef PEER_CLI_PLACE_H
#define PEER_CLI_PLACE_H

#include "client.h"

int place_init(struct cli *s, const char *lay, char *init, size_t size);
void place_sent(struct cli *s);
const char *place_check(struct cli *s, const struct rmsg *m,
			const struct hdr *h);
int place_want(struct cli *s, const char *w, const struct rmsg *m,
	       const struct hdr *h);

#endif /* PEER_CLI_PLACE_H */
