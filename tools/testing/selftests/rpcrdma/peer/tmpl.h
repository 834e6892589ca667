/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages as text: the language the test cases are written in.
 *
 * A template is a list of words, parted by blanks:
 *
 *  1a2b            a 32-bit word, in hex
 *  x x+1 x-1       the xid of the message, or one beside it
 *  null null+1     an RPC NULL call with that xid (40 bytes)
 *  cbnull cbnull+N the same for a client's callback service
 *  nullreply       the same bytes, but said to be a reply
 *  read:OFF:LEN[:OFF:LEN]   a compound of READs (numbers in decimal)
 *  write:OFF:LEN   a compound with a WRITE and its data
 *  wcall:OFF:LEN   the same without the data, which is in a Read chunk
 *  wpos wpos+N     position of that data
 *  bad:HOW         a garbled call: rpcvers prog vers proc cred args
 *  segN:LEN[:OFF]  a segment of our memory N (handle, length, address)
 *  hN              the handle of our memory N
 *  zero:N ff:N     N bytes
 *  to:N            zero bytes up to a length of N
 *  [ ... ]         the number of bytes between the brackets, then those
 *  rep:N ... end   what stands between, N times
 *  @OFF=VAL        change the word at offset OFF (decimal) to VAL (hex)
 *  cut=N           stop after N bytes
 *  cut=A..B        a series: the message is sent at every length A..B
 *  swi=VAL         send with this handle to be invalidated (hex); in a
 *                  reply 0 stands for the one that the client named, or for
 *                  one of an earlier call if it named none
 *
 * and in a server's reply
 *
 *  honest          the whole message that an honest server would send
 *  rpc             only the RPC message in it
 *  inv             the handle that the client named
 *  wsegN rsegN     segment N of the client's first Write chunk, or of its
 *                  Reply chunk; wsegN+L makes its length L
 *                  larger, wsegN=L makes it L
 */
#ifndef PEER_TMPL_H
#define PEER_TMPL_H

#include "conn.h"

/**
 * struct tmpl_env - what the words of a template stand for
 * @c: the connection whose memory is meant
 * @xid: x
 * @call: server role: the call that is answered
 * @honest: server role: the honest answer
 * @honest_hlen: where the RPC message starts in it
 */
struct tmpl_env {
	struct conn *c;
	u32 xid;
	const struct hdr *call;
	const struct buf *honest;
	size_t honest_hlen;
};

int tmpl_build(struct buf *out, const char *t, const struct tmpl_env *env);
size_t tmpl_next(const char **t, char *one, size_t size);

#endif /* PEER_TMPL_H */
