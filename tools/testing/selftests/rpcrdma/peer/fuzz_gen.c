// SPDX-License-Identifier: GPL-2.0
/* What sequences are made of before they are spoiled: calls, errors, control. */
#include <string.h>

#include "fuzz.h"
#include "peer.h"

/* Fuzzed WRITEs go behind this */
#define AT		131072u

/**
 * head_msg - the words of MSG or NOMSG in front of the lists
 * @q: the sequence
 * @c: whom it is for
 * @proc: its type
 * @dir: its direction
 *
 * Return: the message.
 */
static struct fmsg *head_msg(struct fseq *q, struct fuzz_ctx *c, u32 proc,
			     u32 dir)
{
	struct fmsg *m = fz_msg(q);

	fz_head(m, c, proc);
	if (c->raw && rng_below(&c->r, 4)) {
		strcpy(m->w[1].t, "1");
		return m;
	}
	fz_word(m, TG_DIR, "%x", dir);
	fz_word(m, TG_VALUE, "0");
	return m;
}

/**
 * put_null - append a call that does nothing
 * @m: the message
 * @c: whom it is for
 */
static void put_null(struct fmsg *m, const struct fuzz_ctx *c)
{
	if (c->server)
		fz_word(m, TG_PAYLOAD, "cbnull+%u", c->own);
	else
		fz_word(m, TG_PAYLOAD, "null");
}

/**
 * no_lists - three empty lists
 * @m: the message
 */
static void no_lists(struct fmsg *m)
{
	fz_word(m, TG_BOOL, "0");
	fz_word(m, TG_BOOL, "0");
	fz_word(m, TG_BOOL, "0");
}

/**
 * put_segs - append segments of our memory
 * @m: the message
 * @c: whom it is for
 * @len: bytes of all
 */
static void put_segs(struct fmsg *m, struct fuzz_ctx *c, u32 len)
{
	u32 n = 1 + rng_below(&c->r, 3), i, part = len / n & ~3u, at = 0;

	fz_word(m, TG_COUNT, "%x", n);
	for (i = 0; i < n; i++) {
		if (i + 1 == n)
			part = len - at;
		fz_word(m, TG_SEG, "seg0:%u:%u", part, at);
		at += part;
	}
}

static void gen_null(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = head_msg(q, c, P_MSG, DIR_CALL);

	no_lists(m);
	put_null(m, c);
}

static void gen_read(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = head_msg(q, c, P_MSG, DIR_CALL);

	no_lists(m);
	fz_word(m, TG_PAYLOAD, "read:%u:%u", rng_below(&c->r, 65536),
		rng_below(&c->r, 3000));
}

static void gen_read_chunk(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = head_msg(q, c, P_MSG, DIR_CALL);
	u32 len = 1 + rng_below(&c->r, 32768);

	fz_word(m, TG_BOOL, "0");
	fz_item(m);
	fz_word(m, TG_BOOL, "1");
	put_segs(m, c, len);
	fz_item_end(m);
	fz_word(m, TG_BOOL, "0");
	fz_word(m, TG_BOOL, "0");
	fz_word(m, TG_PAYLOAD, "read:%u:%u", rng_below(&c->r, 65536), len);
}

static void gen_reply_chunk(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = head_msg(q, c, P_MSG, DIR_CALL);
	u32 len = 1 + rng_below(&c->r, 16384);

	fz_word(m, TG_BOOL, "0");
	fz_word(m, TG_BOOL, "0");
	fz_word(m, TG_BOOL, "1");
	put_segs(m, c, len + 512);
	fz_word(m, TG_PAYLOAD, "read:%u:%u", rng_below(&c->r, 65536), len);
}

static void gen_write(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = head_msg(q, c, P_MSG, DIR_CALL);

	no_lists(m);
	fz_word(m, TG_PAYLOAD, "write:%u:%u", AT + rng_below(&c->r, 65536),
		rng_below(&c->r, 700));
}

static void gen_write_chunk(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = head_msg(q, c, P_MSG, DIR_CALL);
	u32 len = 4 + 4 * rng_below(&c->r, 4096), n = 1 + rng_below(&c->r, 3);
	u32 part = len / n & ~3u, i;

	for (i = 0; i < n; i++) {
		fz_item(m);
		fz_word(m, TG_BOOL, "1");
		fz_word(m, TG_LEN, "wpos");
		fz_word(m, TG_SEG, "seg1:%u:%u", i + 1 == n ? len - part * i :
			part, part * i);
		fz_item_end(m);
	}
	no_lists(m);
	fz_word(m, TG_PAYLOAD, "wcall:%u:%u", AT + rng_below(&c->r, 65536), len);
}

/* Memory 2 holds the RPC header of a NULL call without its xid, memory 3 that of
 * all; what the server makes of it does not matter
 */
static void gen_nomsg(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = head_msg(q, c, P_NOMSG, DIR_CALL);

	fz_item(m);
	fz_word(m, TG_BOOL, "1");
	fz_word(m, TG_LEN, "0");
	fz_word(m, TG_SEG, "seg2:40:%u", 64 * (q->nr % 64));
	fz_item_end(m);
	no_lists(m);
}

static void gen_lists(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = head_msg(q, c, rng_below(&c->r, 2), rng_below(&c->r, 2));
	u32 n = rng_below(&c->r, 4);

	while (n--) {
		fz_item(m);
		fz_word(m, TG_BOOL, "1");
		fz_word(m, TG_LEN, "%x", fz_odd(&c->r));
		fz_word(m, TG_SEG, "seg0:0");
		fz_item_end(m);
	}
	fz_word(m, TG_BOOL, "0");
	for (n = rng_below(&c->r, 4); n; n--) {
		fz_item(m);
		fz_word(m, TG_BOOL, "1");
		fz_word(m, TG_COUNT, "1");
		fz_word(m, TG_SEG, "seg0:%u", rng_below(&c->r, 8192));
		fz_item_end(m);
	}
	fz_word(m, TG_BOOL, "0");
	fz_word(m, TG_BOOL, "0");
	put_null(m, c);
}

static void gen_stray_reply(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = head_msg(q, c, P_MSG, DIR_REPLY);

	no_lists(m);
	fz_word(m, TG_PAYLOAD, "nullreply");
}

static void gen_error(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = fz_msg(q);
	u32 code = 1 + rng_below(&c->r, 5);

	fz_head(m, c, P_ERROR);
	fz_word(m, TG_TYPE, "%x", code);
	if (code == E_VERS) {
		fz_word(m, TG_VALUE, "1");
		fz_word(m, TG_VALUE, "2");
	} else if (code == E_CANT) {
		fz_word(m, TG_BOOL, "1");
		fz_word(m, TG_VALUE, "0");
		fz_word(m, TG_VALUE, "1000");
	}
}

/**
 * put_value - append a characteristic
 * @m: the message
 * @c: whom it is for
 *
 * Receives get no shorter than they are.
 */
static void put_value(struct fmsg *m, struct fuzz_ctx *c)
{
	static const u32 which[] = {
		XC_RBSIZ, XC_REQREMINV, XC_BRS, XC_REQRXLIM, XC_RESPSXLIM,
		XC_RTRSUPP, 0x63, 0xffffff10,
	};
	static const u32 value[] = { 0x1000, 0, 2, 8, 8, 7, 5, 6 };
	u32 i = rng_below(&c->r, ARRAY_SIZE(which));

	fz_item(m);
	fz_word(m, TG_TYPE, "%x", which[i]);
	fz_word(m, TG_LEN, "4");
	fz_word(m, TG_VALUE, "%x", rng_below(&c->r, 4) ? value[i] :
		fz_odd(&c->r));
	fz_item_end(m);
}

/**
 * put_layout - append how our receives are made up
 * @m: the message
 * @c: whom it is for
 */
static void put_layout(struct fmsg *m, struct fuzz_ctx *c)
{
	u32 n = 1 + rng_below(&c->r, 4), i;

	fz_item(m);
	fz_word(m, TG_TYPE, "4");
	fz_word(m, TG_OPEN, "[");
	fz_word(m, TG_LEN, "%x", 0x1000 * (1 + n));
	fz_word(m, TG_COUNT, "%x", n + 1);
	for (i = 0; i <= n; i++) {
		fz_word(m, TG_COUNT, "1");
		fz_word(m, TG_LEN, "1000");
		fz_word(m, TG_VALUE, i ? "1000" : "1");
		fz_word(m, TG_VALUE, i ? "1" : "0");
	}
	fz_word(m, TG_CLOSE, "]");
	fz_item_end(m);
}

static void gen_initxch(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = fz_msg(q);
	u32 n = rng_below(&c->r, 5), i, layout = rng_below(&c->r, 3) == 0;

	fz_optional(m, c, c->server && c->raw, O_INITXCH);
	fz_word(m, TG_OPEN, "[");
	fz_word(m, TG_COUNT, "%x", n + layout);
	for (i = 0; i < n; i++)
		put_value(m, c);
	if (layout)
		put_layout(m, c);
	fz_word(m, TG_COUNT, "1");
	fz_word(m, TG_VALUE, "%x", rng_below(&c->r, 64));
	fz_word(m, TG_CLOSE, "]");
}

static void gen_reqxch(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = fz_msg(q);
	u32 n = rng_below(&c->r, 4), i;

	fz_optional(m, c, DIR_CALL, O_REQXCH);
	fz_word(m, TG_OPEN, "[");
	fz_word(m, TG_COUNT, "%x", n);
	for (i = 0; i < n; i++)
		put_value(m, c);
	fz_word(m, TG_CLOSE, "]");
}

static void gen_respxch(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = fz_msg(q);
	u32 i, n;

	fz_optional(m, c, DIR_REPLY, O_RESPXCH);
	fz_word(m, TG_OPEN, "[");
	for (i = 0; i < 3; i++) {
		fz_item(m);
		n = rng_below(&c->r, 3);
		fz_word(m, TG_COUNT, "%x", n);
		while (n--)
			fz_word(m, TG_VALUE, "%x", rng_below(&c->r, 8));
		fz_item_end(m);
	}
	fz_word(m, TG_CLOSE, "]");
}

static void gen_updxch(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = fz_msg(q);

	fz_optional(m, c, DIR_CALL, O_UPDXCH);
	fz_word(m, TG_OPEN, "[");
	put_value(m, c);
	fz_word(m, TG_BOOL, "%x", rng_below(&c->r, 2));
	fz_word(m, TG_CLOSE, "]");
}

static void gen_unknown(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = fz_msg(q);

	fz_optional(m, c, rng_below(&c->r, 2), 9 + rng_below(&c->r, 3));
	fz_word(m, TG_OPEN, "[");
	fz_word(m, TG_PAYLOAD, "ff:%u", 4 * rng_below(&c->r, 64));
	fz_word(m, TG_CLOSE, "]");
}

/* What a shape needs */
enum {
	NEED_RT = 1, NEED_CONT = 2, NEED_XCHG = 4, NEED_CALL = 8,
};

/**
 * struct shape - what a sequence may be
 * @name: its name
 * @gen: makes it
 * @client: how often a client sends it
 * @server: how often a server does
 * @reverse: how often a client answers a reverse Call so
 * @raw: how often it is sent before version 2 is agreed
 * @need: NEED_*
 */
struct shape {
	const char *name;
	void (*gen)(struct fseq *q, struct fuzz_ctx *c);
	u8 client, server, reverse, raw;
	u8 need;
};

static const struct shape shapes[] = {
	{ "null", gen_null, 4, 6, 0, 8 },
	{ "read", gen_read, 6, 0, 0, 6 },
	{ "read_chunk", gen_read_chunk, 4, 0, 0, 3 },
	{ "reply_chunk", gen_reply_chunk, 3, 0, 0, 3 },
	{ "write", gen_write, 4, 0, 0, 4 },
	{ "write_chunk", gen_write_chunk, 4, 0, 0, 2 },
	{ "nomsg", gen_nomsg, 3, 0, 0, 2 },
	{ "lists", gen_lists, 4, 3, 0, 4 },
	{ "stray_reply", gen_stray_reply, 2, 2, 2, 2 },
	{ "error", gen_error, 2, 2, 4, 2 },
	{ "unknown", gen_unknown, 2, 3, 1, 1 },
	{ "repterr", gen_repterr, 4, 4, 4, 1 },
	{ "initxch", gen_initxch, 6, 6, 0, 6, NEED_XCHG },
	{ "reqxch", gen_reqxch, 12, 12, 0, 0, NEED_XCHG },
	{ "respxch", gen_respxch, 4, 4, 0, 0, NEED_XCHG },
	{ "updxch", gen_updxch, 10, 10, 0, 0, NEED_XCHG },
	{ "xmt_plain", gen_xmt_plain, 5, 5, 0, 1, NEED_RT },
	{ "xmt_write", gen_xmt_write, 12, 0, 0, 0, NEED_RT },
	{ "xmt_read", gen_xmt_read, 12, 0, 0, 0, NEED_RT },
	{ "xmt_group", gen_xmt_group, 12, 14, 0, 1, NEED_CONT },
	{ "xmt_group_write", gen_xmt_group_write, 6, 0, 0, 0, NEED_CONT },
	{ "xmt_stray", gen_xmt_stray, 4, 6, 2, 1 },
	{ "honest", gen_honest, 0, 30, 12, 0, NEED_CALL },
	{ "resp_plain", gen_resp_plain, 2, 14, 12, 0, NEED_CALL },
	{ "resp_group", gen_resp_group, 2, 20, 12, 0, NEED_CALL },
	{ "refused", gen_refused, 0, 10, 6, 0, NEED_CALL },
};

/**
 * weight - how often a shape is chosen
 * @s: the shape
 * @c: whom it is for
 *
 * Return: a number, 0 if it cannot be sent.
 */
static u32 weight(const struct shape *s, const struct fuzz_ctx *c)
{
	if ((s->need & NEED_RT && !c->rt) ||
	    (s->need & NEED_CONT && !c->cont) ||
	    (s->need & NEED_XCHG && !c->xchg && !c->raw) ||
	    (s->need & NEED_CALL && c->server && !c->call))
		return 0;
	if (c->reverse)
		return s->reverse;
	if (c->raw && !c->server)
		return s->raw;
	return c->server ? s->server : s->client;
}

/**
 * fuzz_generate - make a sequence, nothing of it spoiled
 * @q: gets the sequence; has its number
 * @c: whom it is for
 */
void fuzz_generate(struct fseq *q, struct fuzz_ctx *c)
{
	u32 sum = 0, pick;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++)
		sum += weight(&shapes[i], c);
	pick = rng_below(&c->r, sum);
	for (i = 0; pick >= weight(&shapes[i], c); i++)
		pick -= weight(&shapes[i], c);
	q->n = 0;
	q->how = 0;
	q->shape = shapes[i].name;
	shapes[i].gen(q, c);
}
