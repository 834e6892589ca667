/* SPDX-License-Identifier: GPL-2.0 */
/* Server role of the fuzzer: what its files share. */
#ifndef PEER_FUZZ_SERVER_H
#define PEER_FUZZ_SERVER_H

#include "fuzz.h"
#include "server.h"

#define FUZZ_WORKERS	8
#define FUZZ_CALLS	16

/* What a mount is like */
enum fuzz_mount { FM_PLACE, FM_PARTS, FM_XCHG, FM_PLAIN, FM_V41, NR_FM };

/**
 * struct fcall - a Call of the client's that waits for its reply
 * @c: the connection it has come by
 * @h: its header
 * @honest: transmissions of the honest reply
 * @nr_honest: how many
 * @hlen: length of the header of the first
 * @full: the RPC message in it
 * @used: sequences that were sent in answer
 * @since: when it came
 */
struct fcall {
	struct conn *c;
	struct hdr *h;
	struct buf honest[MAX_MORE + 1];
	unsigned int nr_honest;
	size_t hlen;
	struct buf full;
	unsigned int used;
	u64 since;
};

/**
 * struct fmount - a mount of the kernel's from us, and who works on it
 * @s: the server that it is mounted from
 * @kind: FM_*
 * @r: what the server found wrong with what the client sends
 * @loose: the client may know something else of our receives than the server
 *	does, so that this need not be true
 * @up: it is mounted
 * @served: connection whose reverse Calls are answered, or NULL
 * @asked: connections in a row on which that was tried in vain
 * @app: operations on it; the mount itself with FM_V41
 * @busy: for each of these, it is under way
 * @calls: Calls that wait
 * @nr_calls: how many
 * @late: Calls that were answered last
 * @nr_late: how many
 */
struct fmount {
	struct srv *s;
	enum fuzz_mount kind;
	struct result r;
	bool loose;
	bool up;
	const struct conn *served;
	unsigned int asked;
	struct app app[FUZZ_WORKERS];
	bool busy[FUZZ_WORKERS];
	struct fcall *calls[FUZZ_CALLS];
	unsigned int nr_calls;
	struct fcall *late[FUZZ_CALLS];
	unsigned int nr_late;
};

/**
 * struct fsrv - the fuzzer as a server
 * @m: the mounts
 * @r: what went wrong
 * @t: what became of the sequences
 * @q: the sequence under way
 * @c: whom it is for
 * @b: a message of it
 * @nr: number of the next sequence
 * @seq: the one that a message belongs to, ~0 if to none
 * @fenced: all before this one have been read by the client
 * @burst: messages sent since then
 * @mark: xid of the last message that has to be answered
 * @seen: it was
 * @without: sequences in a row that had no Call to answer
 * @remounts: mounts that were made anew
 */
struct fsrv {
	struct fmount m[NR_FM];
	struct result r;
	struct ftally t;
	struct fseq q;
	struct fuzz_ctx c;
	struct buf b;
	u32 nr, seq, fenced;
	unsigned int burst;
	u32 mark;
	bool seen;
	unsigned int without;
	unsigned int remounts;
};

extern struct fsrv *fuzz_srv;

/* fuzz_mount.c */
void fmount_open(struct fmount *m, enum fuzz_mount kind);
void fmount_close(struct fmount *m);
void fmount_work(struct fmount *m, bool more);
void fmount_poll(struct fmount *m);
struct sconn *fmount_conn(struct fmount *m, const struct conn *c);
struct fcall *fmount_call(struct fmount *m, struct rng *r);
bool fmount_waits(const struct fmount *m, const struct conn *c);
void fmount_settle(struct fmount *m, struct fcall *k);
void fmount_settle_all(struct fmount *m);
void fmount_again(struct fmount *m);

/* fuzz_witness.c */
void fuzz_witness_start(struct result *r);
void fuzz_witness_ask(struct result *r);
void fuzz_witness_stop(void);

#endif /* PEER_FUZZ_SERVER_H */
