/* SPDX-License-Identifier: GPL-2.0 */
/* Client role of the fuzzer: what its files share. */
#ifndef PEER_FUZZ_CLIENT_H
#define PEER_FUZZ_CLIENT_H

#include "client.h"
#include "fuzz.h"
#include "group.h"

/* What a connection is like */
enum fuzz_kind {
	FK_PLAIN, FK_PLACE, FK_CONT, FK_XCHG, FK_RAW, FK_REVERSE, NR_FK,
};

/**
 * struct fcli - the fuzzer as a client
 * @s: its connection, like any client's
 * @r: what went wrong
 * @t: what became of the sequences
 * @q: the sequence under way
 * @c: whom it is for
 * @b: a message of it
 * @kind: what the connection is like
 * @nr: number of the next sequence
 * @fenced: all before this one have been read by the server
 * @burst: messages sent since then
 * @fence: xid of the last NULL call behind them
 * @seen: it was answered
 * @loose: the server may know something else of our receives than we do
 * @resp: transmissions of a response
 * @reverse: takes a transmission of a reverse Call, or NULL where none may come;
 *	returns what is wrong, or NULL
 */
struct fcli {
	struct cli s;
	struct result r;
	struct ftally t;
	struct fseq q;
	struct fuzz_ctx c;
	struct buf b;
	enum fuzz_kind kind;
	u32 nr, fenced;
	unsigned int burst;
	u32 fence;
	bool seen;
	bool loose;
	struct group resp;
	const char *(*reverse)(struct fcli *f, const struct rmsg *m,
			       const struct hdr *h);
};

int fcli_open(struct fcli *f, enum fuzz_kind kind);
void fcli_end(struct fcli *f);
void fcli_make(struct fcli *f);
void fcli_put(struct fcli *f, const struct fmsg *m);
void fcli_log_send(struct fcli *f, u32 seq, const struct buf *b);
void fcli_poll(struct fcli *f);
const char *fcli_judge(struct fcli *f, const struct rmsg *m,
		       const struct hdr *h);

void fuzz_reverse(struct fcli *f, u32 until);

#endif /* PEER_FUZZ_CLIENT_H */
