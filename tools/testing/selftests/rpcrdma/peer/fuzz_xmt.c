// SPDX-License-Identifier: GPL-2.0
/* What sequences are made of: requests by XMTREQ, groups of them, reports. */
#include "fuzz.h"
#include "peer.h"
#include "xmt.h"

#define AT		131072u
#define PAGE		4096u
#define MAX_PLACED	8192u
#define MAX_TARGET	16384u

/**
 * begin - begin an XMTREQ
 * @q: the sequence
 * @c: whom it is for
 *
 * Return: the message.
 */
static struct fmsg *begin(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = fz_msg(q);

	fz_optional(m, c, DIR_CALL, O_XMTREQ);
	fz_word(m, TG_OPEN, "[");
	return m;
}

/**
 * finish - write the end of an XMTREQ's optinfo
 * @m: the message
 * @c: whom it is for
 * @count: transmissions of the group
 */
static void finish(struct fmsg *m, struct fuzz_ctx *c, u32 count)
{
	fz_word(m, TG_COUNT, "%x", count);
	fz_word(m, TG_COUNT, "%x", 1 + rng_below(&c->r, 3));
	fz_word(m, TG_LEN, "ps");
	fz_word(m, TG_CLOSE, "]");
}

/**
 * payload - write the payload
 * @m: the message
 * @fmt: the words of it
 * @a: a number in it
 * @b: another one
 */
static void payload(struct fmsg *m, const char *fmt, u32 a, u32 b)
{
	char t[FUZZ_WORD];

	snprintf(t, sizeof(t), fmt, a, b);
	fz_word(m, TG_PAYLOAD, "{");
	if (t[0])
		fz_word(m, TG_PAYLOAD, "%s", t);
	fz_word(m, TG_PAYLOAD, "}");
}

/**
 * put_exrw - append a place in our memory
 * @m: the message
 * @c: whom it is for
 * @len: bytes of it
 */
static void put_exrw(struct fmsg *m, struct fuzz_ctx *c, u32 len)
{
	u32 n = 1 + rng_below(&c->r, 2), part = len / n & ~3u, i;

	fz_word(m, TG_COUNT, "%x", n);
	for (i = 0; i < n; i++)
		fz_word(m, TG_SEG, "seg%u:%u:%u", i, i + 1 == n ?
			len - part * i : part, part * i);
}

void gen_xmt_plain(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = begin(q, c);

	fz_word(m, TG_COUNT, "0");
	fz_word(m, TG_COUNT, "0");
	finish(m, c, 1);
	payload(m, c->server ? "cbnull+%u" : rng_below(&c->r, 2) ? "null" :
		"read:%u:2000", c->own, 0);
}

void gen_xmt_write(struct fseq *q, struct fuzz_ctx *c)
{
	bool placed = c->env.lay && c->env.lay->nplt && rng_below(&c->r, 4);
	u32 len = 4 + 4 * rng_below(&c->r, MAX_PLACED / 4 - 1);
	struct fmsg *m = begin(q, c);

	fz_word(m, TG_COUNT, "1");
	fz_item(m);
	fz_word(m, TG_LEN, "wpos");
	fz_word(m, TG_LEN, "%x", len);
	fz_word(m, TG_TYPE, placed ? "2" : "1");
	if (placed) {
		fz_word(m, TG_VALUE, "0");
		fz_word(m, TG_COUNT, "%x", (len + PAGE - 1) / PAGE);
		fz_word(m, TG_VALUE, "0");
		if (len > PAGE)
			fz_word(m, TG_VALUE, "1");
	} else {
		put_exrw(m, c, len);
	}
	fz_item_end(m);
	fz_word(m, TG_COUNT, "0");
	finish(m, c, 1);
	payload(m, "wcall:%u:%u", AT, len);
	if (placed)
		fz_word(m, TG_PLACE, "place:0:%u:%u", AT, len);
}

/**
 * put_target - append where the answer to a READ may go
 * @m: the message
 * @c: whom it is for
 */
static void put_target(struct fmsg *m, struct fuzz_ctx *c)
{
	u32 type = T_EXRW + rng_below(&c->r, 4);

	fz_item(m);
	fz_word(m, TG_VALUE, rng_below(&c->r, 3) ? "0" : "400");
	fz_word(m, TG_TYPE, "%x", type);
	if (type == T_BYSIZE)
		fz_word(m, TG_VALUE, "%x", rng_below(&c->r, 8192));
	if (type != T_TBSN)
		put_exrw(m, c, MAX_TARGET);
	fz_item_end(m);
}

void gen_xmt_read(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = begin(q, c);
	u32 n = 1 + !rng_below(&c->r, 4), i;

	fz_word(m, TG_COUNT, "0");
	fz_word(m, TG_COUNT, "1");
	fz_item(m);
	fz_word(m, TG_LEN, "0");
	fz_word(m, TG_LEN, "ve");
	fz_word(m, TG_COUNT, "%x", n);
	fz_item_end(m);
	for (i = 0; i < n; i++)
		put_target(m, c);
	finish(m, c, 1);
	if (n == 1)
		payload(m, "read:%u:%u", rng_below(&c->r, 65536),
			1 + rng_below(&c->r, 12000));
	else
		payload(m, "read:%u:4080:8192:%u", rng_below(&c->r, 65536), 1000);
}

/**
 * put_cont - append an XMTCONT
 * @q: the sequence
 * @c: whom it is for
 * @dir: its direction
 * @num: its number
 *
 * Return: the message, without its payload.
 */
static struct fmsg *put_cont(struct fseq *q, struct fuzz_ctx *c, u32 dir,
			     u32 num)
{
	struct fmsg *m = fz_msg(q);

	fz_optional(m, c, dir, O_XMTCONT);
	fz_word(m, TG_OPEN, "[");
	fz_word(m, TG_COUNT, "%x", num);
	fz_word(m, TG_TYPE, "%x", dir == DIR_CALL ? O_XMTREQ : O_XMTRESP);
	fz_word(m, TG_LEN, "ps");
	fz_word(m, TG_CLOSE, "]");
	return m;
}

/**
 * put_call - append the first words of a call that does nothing, or the rest
 * @m: the message
 * @c: whom it is for
 * @rest: the rest
 */
static void put_call(struct fmsg *m, const struct fuzz_ctx *c, bool rest)
{
	fz_word(m, TG_PAYLOAD, "{");
	if (rest) {
		fz_word(m, TG_PAYLOAD, "zero:16");
	} else {
		fz_word(m, TG_PAYLOAD, c->own ? "x+%u" : "x", c->own);
		fz_word(m, TG_PAYLOAD, "0");
		fz_word(m, TG_PAYLOAD, "2");
		fz_word(m, TG_PAYLOAD, c->server ? "40000000" : "186a3");
		fz_word(m, TG_PAYLOAD, c->server ? "1" : "4");
		fz_word(m, TG_PAYLOAD, "0");
	}
	fz_word(m, TG_PAYLOAD, "}");
}

/* A call in two to four pieces, those in the middle without payload */
void gen_xmt_group(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = begin(q, c);
	u32 n = 2 + (rng_below(&c->r, 4) ? 0 : rng_below(&c->r, 3)), i;

	fz_word(m, TG_COUNT, "0");
	fz_word(m, TG_COUNT, "0");
	finish(m, c, n);
	put_call(m, c, false);
	for (i = 1; i < n; i++) {
		m = put_cont(q, c, DIR_CALL, i);
		if (i + 1 == n)
			put_call(m, c, true);
		else
			payload(m, "", 0, 0);
	}
}

/* A WRITE whose data is placed in the second transmission */
void gen_xmt_group_write(struct fseq *q, struct fuzz_ctx *c)
{
	u32 len = 4 + 4 * rng_below(&c->r, PAGE / 4 - 1);
	struct fmsg *m = begin(q, c);

	fz_word(m, TG_COUNT, "1");
	fz_item(m);
	fz_word(m, TG_LEN, "wpos");
	fz_word(m, TG_LEN, "%x", len);
	fz_word(m, TG_TYPE, "2");
	fz_word(m, TG_VALUE, "0");
	fz_word(m, TG_COUNT, "1");
	fz_word(m, TG_VALUE, "pnum");
	fz_item_end(m);
	fz_word(m, TG_COUNT, "0");
	finish(m, c, 2);
	payload(m, "wcall:%u:%u", AT, len);
	m = put_cont(q, c, DIR_CALL, 1);
	payload(m, "", 0, 0);
	fz_word(m, TG_PLACE, "place:0:%u:%u", AT, len);
}

/* Transmissions that belong to nothing, or never come to an end */
void gen_xmt_stray(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m;

	if (rng_below(&c->r, 2)) {
		m = put_cont(q, c, rng_below(&c->r, 2), rng_below(&c->r, 4));
		payload(m, "zero:16", 0, 0);
		return;
	}
	m = fz_msg(q);
	fz_optional(m, c, rng_below(&c->r, 2),
		    O_XMTREQ + rng_below(&c->r, 2));
	fz_word(m, TG_OPEN, "[");
	fz_word(m, TG_COUNT, "0");
	fz_word(m, TG_COUNT, "0");
	fz_word(m, TG_COUNT, "%x", fz_odd(&c->r));
	fz_word(m, TG_COUNT, "1");
	fz_word(m, TG_LEN, "ps");
	fz_word(m, TG_CLOSE, "]");
	payload(m, "zero:16", 0, 0);
}

/**
 * put_xms - append the name of a transmission
 * @m: the message
 * @c: whom it is for
 */
static void put_xms(struct fmsg *m, struct fuzz_ctx *c)
{
	fz_item(m);
	fz_word(m, TG_XID, rng_below(&c->r, 4) ? "x" : "x-8");
	fz_word(m, TG_DIR, "%x", !c->server);
	fz_word(m, TG_COUNT, "%x", rng_below(&c->r, 2));
	fz_item_end(m);
}

void gen_repterr(struct fseq *q, struct fuzz_ctx *c)
{
	struct fmsg *m = fz_msg(q);
	u32 which = R_BADHMT + rng_below(&c->r, 8), n = rept_values(which);
	bool lead = rng_below(&c->r, 2);

	fz_optional(m, c, rng_below(&c->r, 8) ? DIR_REPLY : DIR_CALL,
		    O_REPTERR);
	fz_word(m, TG_OPEN, "[");
	put_xms(m, c);
	fz_word(m, TG_BOOL, lead ? "1" : "0");
	if (lead)
		put_xms(m, c);
	fz_word(m, TG_TYPE, "%x", which);
	while (n--)
		fz_word(m, TG_VALUE, "%x", rng_below(&c->r, 16));
	fz_word(m, TG_CLOSE, "]");
}
