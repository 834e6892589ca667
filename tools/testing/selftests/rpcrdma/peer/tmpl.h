/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages as text: the language the test cases are written in.
 *
 * A template is a list of words, parted by blanks:
 *
 *  1a2b            a 32-bit word, in hex
 *  x x+1 x-1       the xid of the message, or one beside it
 *  next            the xid that the Linux client gives its next Call
 *  q q+1           that of the last message that the other end has sent of its
 *                  own accord, and that was waited for; in an answer to INITXCH
 *                  that of the last Call whose reply was spoiled
 *  null null+1     an RPC NULL call with that xid (40 bytes)
 *  cbnull cbnull+N the same for a client's callback service
 *  cbtag+N:LEN[:A[:B]]   a CB_COMPOUND to it with a tag of LEN bytes, or the bytes
 *                  of that from A to B, or to its end
 *  nullreply       the same bytes, but said to be a reply
 *  read:OFF:LEN[:OFF:LEN]   a compound of READs (numbers in decimal)
 *  write:OFF:LEN   a compound with a WRITE and its data
 *  wcall:OFF:LEN   the same without the data, which is in a Read chunk
 *  wpos wpos+N     position of that data
 *  bad:HOW         a garbled call: rpcvers prog vers proc cred args
 *  segN:LEN[:OFF]  a segment of our memory N (handle, length, address)
 *  hN              the handle of our memory N
 *  zero:N ff:N     N bytes
 *  to:N to:rbsiz   zero bytes up to a length of N, or of a whole receive
 *  [ ... ]         the number of bytes between the brackets, then those
 *  rep:N ... end   what stands between, N times
 *  @OFF=VAL        change the word at offset OFF (decimal) to VAL (hex)
 *  cut=N           stop after N bytes
 *  cut=A..B        a series: the message is sent at every length A..B
 *  swi=VAL         send with this handle to be invalidated (hex); in a
 *                  reply 0 stands for the one that the client named, or for
 *                  one of an earlier call if it named none
 *
 * For placement by Send, where the layout is that of the other end's receives:
 *
 *  { ... } ps      what stands between the braces is the payload; ps, in front
 *                  of it, its length
 *  key:K           from here on data is that of the file, each byte XORed (hex)
 *  pdata:OFF:LEN   such data
 *  plt:J[:N]       zero bytes up to segment J to place data in, N bytes into it
 *  place:J:OFF:LEN data, from the start of segment J on
 *  tbsns:J:LEN     numbers of the segments for LEN bytes, from J on: the count,
 *                  then they
 *  plen pnum rbsiz their length, their number, bytes of a whole receive; all
 *  reqlim resplim  may have *N, and then +N or -N, behind them
 *  ve ve-N         in front of the payload: its length, or less
 *  ww:OFF:LEN:OFF:LEN   a compound with two WRITEs without their data; 36
 *                  bytes lie between one and the other
 *  wg:OFF:LEN      wcall with a GETATTR behind the data
 *
 * and in a server's reply
 *
 *  full            the RPC message that an honest server would send, as it is
 *                  before anything goes out of line
 *  part:A:B part:A the bytes of that from A to B, or to its end
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

#define WORD_LEN	64
#define MAX_MARKS	2048

/**
 * struct tmpl_mark - which bytes a word has become
 * @word: the word
 * @says: what it is, in words, see says.h; NULL for a number
 * @arg: where its argument starts in @word
 * @from: where its bytes start
 * @to: and end
 */
struct tmpl_mark {
	char word[WORD_LEN];
	const char *says;
	size_t arg;
	size_t from, to;
};

/**
 * struct tmpl_marks - the words of a template
 * @nr: how many
 * @m: the words
 */
struct tmpl_marks {
	unsigned int nr;
	struct tmpl_mark m[MAX_MARKS];
};

/**
 * struct tmpl_env - what the words of a template stand for
 * @c: the connection whose memory is meant
 * @xid: x
 * @told: q
 * @call: server role: the call that is answered
 * @honest: server role: the honest answer
 * @honest_hlen: where the RPC message starts in it
 * @full: server role: the RPC message itself
 * @lay: layout of the other end's receives, or NULL
 * @peer: its characteristics, or NULL
 * @marks: gets the words, or NULL
 */
struct tmpl_env {
	struct conn *c;
	u32 xid;
	u32 told;
	const struct hdr *call;
	const struct buf *honest;
	size_t honest_hlen;
	const struct buf *full;
	const struct layout *lay;
	const struct chars *peer;
	struct tmpl_marks *marks;
};

int tmpl_build(struct buf *out, const char *t, const struct tmpl_env *env);
size_t tmpl_next(const char **t, char *one, size_t size);

#endif /* PEER_TMPL_H */
