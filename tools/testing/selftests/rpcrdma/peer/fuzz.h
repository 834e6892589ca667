/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fuzzer on the wire, in both roles.
 *
 * What it sends are sequences of messages: sound ones out of a grammar, which
 * are then spoiled in one place or several. A sequence is made of a seed and its
 * number alone. Messages are words of a template (see tmpl.h) until they are sent,
 * so that a sequence that finds something can be put into a case as it is.
 */
#ifndef PEER_FUZZ_H
#define PEER_FUZZ_H

#include "conn.h"
#include "tmpl.h"

#define FUZZ_WORDS	128	/* of a message */
#define FUZZ_WORD	40	/* bytes of a word */
#define FUZZ_MSGS	8	/* messages of a sequence */
#define FUZZ_TEXT	4096	/* bytes of a message as text */
#define FUZZ_ROOM	(72u << 10)

/* Sequences in a row that go over the same kind of connection */
#define FUZZ_BLOCK	128

/* What a word is, so that it is spoiled in a way that makes sense */
enum tag {
	TG_XID = 1, TG_VERS, TG_CREDIT, TG_PROC, TG_DIR, TG_TYPE, TG_BOOL,
	TG_COUNT, TG_LEN, TG_VALUE, TG_SEG, TG_OPEN, TG_CLOSE, TG_PAYLOAD,
	TG_PLACE,
};

/* How a sequence is spoiled; each sequence has a set of these */
enum mutation {
	MU_BOUNDARY, MU_DROP, MU_DOUBLE, MU_SWAP, MU_LENGTH, MU_CUT, MU_EXTEND,
	MU_DIR, MU_ORDER, MU_XID, MU_CREDIT, MU_SEGMENT, MU_FLIP, NR_MU,
	MU_NONE = NR_MU,
};

/* What comes in answer; AN_GROUP is a MSG to what has come in a group */
enum answer {
	AN_REPLY, AN_GROUP, AN_NOMSG, AN_V1, AN_XRESP, AN_INIT, AN_RESP, AN_REPTERR,
	AN_VERS, AN_XDR, AN_CANT, AN_PROC, AN_OPT, NR_AN,
};

/* How far a sequence got: nothing came, its first words were refused, what it
 * is about was, or it was carried out
 */
enum depth { DP_NONE, DP_SHALLOW, DP_DEEP, DP_DONE, NR_DP };

/**
 * struct rng - a sequence of numbers
 * @s: its state
 */
struct rng {
	u64 s;
};

/**
 * struct fword - a word of a message
 * @t: the word
 * @tag: TG_*
 * @item: words with the same number belong together; 0 for none
 */
struct fword {
	char t[FUZZ_WORD];
	u8 tag;
	u8 item;
};

/**
 * struct fmsg - a message
 * @w: its words
 * @n: how many
 * @item: number of the item being made, 0 if none is
 * @items: how many there are
 * @tail: what is done to it when it is complete
 * @part: server role: transmission of the honest reply that its words mean
 */
struct fmsg {
	struct fword w[FUZZ_WORDS];
	unsigned int n;
	u8 item;
	u8 items;
	char tail[256];
	unsigned int part;
};

/**
 * struct fseq - a sequence
 * @nr: its number
 * @shape: name of what it was before it was spoiled
 * @how: set of MU_*
 * @m: its messages
 * @n: how many
 */
struct fseq {
	u32 nr;
	const char *shape;
	u32 how;
	struct fmsg m[FUZZ_MSGS];
	unsigned int n;
};

/**
 * struct fuzz_ctx - whom a sequence is for
 * @server: sent by a server
 * @reverse: client role: an answer to a reverse Call
 * @raw: version 2 has not been agreed
 * @xchg: characteristics may change
 * @rt: XMTREQs, or XMTRESPs, of one transmission may be sent
 * @cont: and of several
 * @call: server role: the Call that may be answered, or NULL
 * @honest: its honest reply, or NULL
 * @nr_honest: transmissions of that
 * @own: server role: what to add to the xid of the Call for one of our own
 * @env: what words mean
 * @r: numbers
 */
struct fuzz_ctx {
	bool server, reverse, raw, xchg, rt, cont;
	const struct hdr *call;
	const struct buf *honest;
	unsigned int nr_honest;
	u32 own;
	struct tmpl_env env;
	struct rng r;
};

/**
 * struct fsent - a message that was sent
 * @seq: number of its sequence
 * @xid: its xid
 * @first: the version that its connection has settled on, with it or before it; 0 if
 *	none
 * @len: its length
 * @kept: bytes of it in @p
 * @p: how it begins
 */
struct fsent {
	u32 seq, xid, first;
	size_t len, kept;
	u8 *p;
};

/**
 * struct ftally - what became of the sequences
 * @first: number of the first
 * @n: how many there are
 * @depth: how far each got
 * @how: how each was spoiled
 * @answers: messages that came in answer
 * @fences: answers to the honest messages between sequences
 * @sent: messages that were sent
 * @closes: connections that the other end has closed
 * @unbuilt: messages that could not be built
 * @began: when the first was sent
 */
struct ftally {
	u32 first, n;
	u8 *depth;
	u32 *how;
	unsigned long answers[NR_AN];
	unsigned long fences, sent, closes, unbuilt;
	u64 began;
};

u32 rng_next(struct rng *r);
u32 rng_below(struct rng *r, u32 n);
void rng_start(struct rng *r, u32 seed, u32 nr);

/* fuzz_words.c */
void fz_word(struct fmsg *m, enum tag tag, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void fz_item(struct fmsg *m);
void fz_item_end(struct fmsg *m);
struct fmsg *fz_msg(struct fseq *q);
u32 fz_odd(struct rng *r);
void fz_head(struct fmsg *m, struct fuzz_ctx *c, u32 proc);
void fz_optional(struct fmsg *m, struct fuzz_ctx *c, u32 dir, u32 type);
int fz_text(const struct fmsg *m, const struct fuzz_ctx *c, char *out,
	    size_t size);
int fz_build(struct buf *b, const struct fmsg *m, const struct fuzz_ctx *c);

/* fuzz_gen.c, fuzz_xmt.c, fuzz_reply.c */
void fuzz_generate(struct fseq *q, struct fuzz_ctx *c);
void gen_xmt_plain(struct fseq *q, struct fuzz_ctx *c);
void gen_xmt_write(struct fseq *q, struct fuzz_ctx *c);
void gen_xmt_read(struct fseq *q, struct fuzz_ctx *c);
void gen_xmt_group(struct fseq *q, struct fuzz_ctx *c);
void gen_xmt_group_write(struct fseq *q, struct fuzz_ctx *c);
void gen_xmt_stray(struct fseq *q, struct fuzz_ctx *c);
void gen_repterr(struct fseq *q, struct fuzz_ctx *c);
void gen_honest(struct fseq *q, struct fuzz_ctx *c);
void gen_resp_plain(struct fseq *q, struct fuzz_ctx *c);
void gen_resp_group(struct fseq *q, struct fuzz_ctx *c);
void gen_refused(struct fseq *q, struct fuzz_ctx *c);

/* fuzz_mutate.c */
void fuzz_mutate(struct fseq *q, struct fuzz_ctx *c);

/* fuzz_judge.c */
void fuzz_log(u32 seq, const struct buf *b);
void fuzz_forget(u32 vers);
const struct fsent *fuzz_sent(u32 xid, unsigned int *at);
const char *fuzz_judge_version(const struct hdr *h);
const char *fuzz_judge_error(const struct hdr *h, bool client);
const char *fuzz_judge_reply(const struct rmsg *m, const struct hdr *h);
const char *fuzz_judge_control(const struct rmsg *m, const struct hdr *h);
bool fuzz_changes(const struct buf *b);

/* fuzz_tally.c */
void tally_start(struct ftally *t, u32 first, u32 n);
void tally_sequence(struct ftally *t, const struct fseq *q,
		    const struct fuzz_ctx *c);
void tally_answer(struct ftally *t, const struct hdr *h);
void tally_show(const struct ftally *t, u32 from, u32 to);
int tally_end(struct ftally *t, u32 sent, const char *end, const char *why);

int fuzz_client(void);
int fuzz_server(void);

#endif /* PEER_FUZZ_H */
