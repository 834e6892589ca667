// SPDX-License-Identifier: GPL-2.0
/*
 * What sequences are made of: replies. The honest one is taken apart into words
 * with a meaning, so that it can be spoiled as any other message.
 */
#include "fuzz.h"
#include "peer.h"
#include "xmt.h"

/* What a reply is about in a message that is short enough anywhere */
#define PART		400

/**
 * put_chunk - append the segments of a chunk that was offered
 * @m: the message
 * @ch: the chunk
 * @word: word for a segment of it, or NULL
 */
static void put_chunk(struct fmsg *m, const struct chunk *ch, const char *word)
{
	u32 i;

	fz_word(m, TG_COUNT, "%x", ch->nsegs);
	for (i = 0; i < ch->nsegs; i++) {
		const struct seg *g = &ch->seg[i];

		if (word) {
			fz_word(m, TG_SEG, "%s%u=%u", word, i, g->len);
			continue;
		}
		fz_word(m, TG_VALUE, "%x", g->handle);
		fz_word(m, TG_LEN, "%x", g->len);
		fz_word(m, TG_VALUE, "%x", (u32)(g->off >> 32));
		fz_word(m, TG_VALUE, "%x", (u32)g->off);
	}
}

/**
 * apart_msg - take MSG or NOMSG apart
 * @m: gets the words
 * @h: the message
 * @c: whom it is for
 */
static void apart_msg(struct fmsg *m, const struct hdr *h,
		      const struct fuzz_ctx *c)
{
	u32 i;

	fz_word(m, TG_DIR, "%x", h->dir);
	if (c->env.call)
		fz_word(m, TG_VALUE, "inv");
	else
		fz_word(m, TG_VALUE, "%x", h->inv);
	fz_word(m, TG_BOOL, "0");
	for (i = 0; i < h->nwrites; i++) {
		fz_item(m);
		fz_word(m, TG_BOOL, "1");
		put_chunk(m, &h->writes[i], i ? NULL : "wseg");
		fz_item_end(m);
	}
	fz_word(m, TG_BOOL, "0");
	fz_word(m, TG_BOOL, "%x", h->has_reply);
	if (h->has_reply)
		put_chunk(m, &h->reply, "rseg");
}

/**
 * apart_item - take an item apart
 * @m: gets the words
 * @it: the item
 */
static void apart_item(struct fmsg *m, const struct item *it)
{
	u32 i;

	fz_item(m);
	fz_word(m, TG_LEN, "%x", it->disp);
	fz_word(m, TG_LEN, "%x", it->len);
	fz_word(m, TG_TYPE, "%x", it->loc.type);
	if (it->loc.type == T_EXRW)
		put_chunk(m, &it->loc.ex, NULL);
	if (it->loc.type == T_TBSN) {
		fz_word(m, TG_VALUE, "%x", it->loc.off);
		fz_word(m, TG_COUNT, "%x", it->loc.n);
		for (i = 0; i < it->loc.n; i++)
			fz_word(m, TG_VALUE, "%x", it->loc.tbsn[i]);
	}
	fz_item_end(m);
}

/**
 * apart_xmt - take XMTRESP or XMTCONT apart
 * @m: gets the words
 * @h: the message
 */
static void apart_xmt(struct fmsg *m, const struct hdr *h)
{
	static struct xmt x;
	const char *why;
	u32 i;

	xmt_decode(&x, h, &why);
	fz_word(m, TG_DIR, "%x", h->dir);
	fz_word(m, TG_TYPE, "%x", h->opttype);
	fz_word(m, TG_OPEN, "[");
	if (x.type == O_XMTCONT) {
		fz_word(m, TG_COUNT, "%x", x.xnum);
		fz_word(m, TG_TYPE, "%x", x.itype);
	} else {
		fz_word(m, TG_COUNT, "%x", x.nitems);
		for (i = 0; i < x.nitems; i++)
			apart_item(m, &x.item[i]);
		fz_word(m, TG_COUNT, "%x", x.count);
	}
	fz_word(m, TG_LEN, "%x", x.pslen);
	fz_word(m, TG_CLOSE, "]");
}

/**
 * apart - take one transmission of the honest reply apart
 * @q: gets it
 * @c: whom it is for
 * @part: which transmission
 */
static void apart(struct fseq *q, struct fuzz_ctx *c, unsigned int part)
{
	const struct buf *b = &c->honest[part];
	struct fmsg *m = fz_msg(q);
	static struct hdr h;

	if (wire_decode(&h, b->p, b->len))
		return;
	m->part = part;
	fz_word(m, TG_XID, "x");
	fz_word(m, TG_VERS, "%x", h.vers);
	fz_word(m, TG_CREDIT, "%x", h.credit);
	fz_word(m, TG_PROC, "%x", h.proc);
	if (h.proc == P_OPTIONAL)
		apart_xmt(m, &h);
	else if (h.vers == 2)
		apart_msg(m, &h, c);
	if (h.proc != P_NOMSG)
		fz_word(m, TG_PAYLOAD, "rpc");
}

void gen_honest(struct fseq *q, struct fuzz_ctx *c)
{
	unsigned int i;

	for (i = 0; i < c->nr_honest && i < FUZZ_MSGS; i++)
		apart(q, c, i);
}

/**
 * put_reply - append a piece of the RPC reply
 * @m: the message
 * @c: whom it is for
 * @word: word for the piece where there is one
 */
static void put_reply(struct fmsg *m, const struct fuzz_ctx *c,
		      const char *word)
{
	fz_word(m, TG_PAYLOAD, "{");
	fz_word(m, TG_PAYLOAD, "%s", c->env.full ? word : "nullreply");
	fz_word(m, TG_PAYLOAD, "}");
}

/**
 * put_resp - begin an XMTRESP
 * @q: the sequence
 * @c: whom it is for
 * @count: transmissions of the group
 *
 * Return: the message, without its payload.
 */
static struct fmsg *put_resp(struct fseq *q, struct fuzz_ctx *c, u32 count)
{
	struct fmsg *m = fz_msg(q);
	u32 n = rng_below(&c->r, 2), i;

	fz_word(m, TG_XID, "x");
	fz_word(m, TG_VERS, "2");
	fz_word(m, TG_CREDIT, "20");
	fz_word(m, TG_PROC, "5");
	fz_word(m, TG_DIR, "1");
	fz_word(m, TG_TYPE, "%x", O_XMTRESP);
	fz_word(m, TG_OPEN, "[");
	fz_word(m, TG_COUNT, "%x", n);
	for (i = 0; i < n; i++) {
		fz_item(m);
		fz_word(m, TG_LEN, "0");
		fz_word(m, TG_LEN, "0");
		fz_word(m, TG_TYPE, "%x", T_TOOSHORT + rng_below(&c->r, 2));
		fz_item_end(m);
	}
	fz_word(m, TG_COUNT, "%x", count);
	fz_word(m, TG_LEN, "ps");
	fz_word(m, TG_CLOSE, "]");
	return m;
}

void gen_resp_plain(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = put_resp(q, c, 1);
	char word[FUZZ_WORD];

	snprintf(word, sizeof(word), "part:0:%u", PART);
	put_reply(m, c, word);
}

void gen_resp_group(struct fseq *q, struct fuzz_ctx *c)
{
	u32 n = 2 + !rng_below(&c->r, 3), i;
	char word[FUZZ_WORD];
	struct fmsg *m = put_resp(q, c, n);

	snprintf(word, sizeof(word), "part:0:%u", PART / n);
	put_reply(m, c, word);
	for (i = 1; i < n; i++) {
		m = fz_msg(q);
		fz_word(m, TG_XID, "x");
		fz_word(m, TG_VERS, "2");
		fz_word(m, TG_CREDIT, "20");
		fz_word(m, TG_PROC, "5");
		fz_word(m, TG_DIR, "1");
		fz_word(m, TG_TYPE, "%x", O_XMTCONT);
		fz_word(m, TG_OPEN, "[");
		fz_word(m, TG_COUNT, "%x", i);
		fz_word(m, TG_TYPE, "%x", O_XMTRESP);
		fz_word(m, TG_LEN, "ps");
		fz_word(m, TG_CLOSE, "]");
		snprintf(word, sizeof(word), "zero:%u", 4 * i);
		put_reply(m, c, word);
	}
}

/* The Call is refused, as a whole or as an option */
void gen_refused(struct fseq *q, struct fuzz_ctx *c)
{
	static const u32 code[] = { E_XDR, E_PROC, E_OPT, E_OPT, E_CANT };
	u32 err = code[rng_below(&c->r, ARRAY_SIZE(code))];
	struct fmsg *m = fz_msg(q);

	fz_word(m, TG_XID, "x");
	fz_word(m, TG_VERS, "2");
	fz_word(m, TG_CREDIT, "20");
	fz_word(m, TG_PROC, "4");
	fz_word(m, TG_TYPE, "%x", err);
	if (err != E_CANT)
		return;
	fz_word(m, TG_BOOL, "1");
	fz_word(m, TG_VALUE, "0");
	fz_word(m, TG_VALUE, "10000");
}
