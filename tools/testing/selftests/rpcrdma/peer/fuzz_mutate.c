// SPDX-License-Identifier: GPL-2.0
/* Spoils a sequence, knowing what its words are. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "peer.h"

#define FLIP_BYTES	24	/* of the payload, at most: its RPC header */

/**
 * tagged - choose a word of some kinds
 * @m: the message
 * @c: whom it is for
 * @set: a bit for each TG_*
 *
 * Return: the word, or NULL if there is none.
 */
static struct fword *tagged(struct fmsg *m, struct fuzz_ctx *c, u32 set)
{
	struct fword *found = NULL;
	u32 n = 0, i;

	for (i = 0; i < m->n; i++)
		if (set & 1u << m->w[i].tag && !rng_below(&c->r, ++n))
			found = &m->w[i];
	return found;
}

#define ONE(t)		(1u << TG_##t)
#define PLAIN		(ONE(VERS) | ONE(CREDIT) | ONE(PROC) | ONE(DIR) | \
			 ONE(TYPE) | ONE(BOOL) | ONE(COUNT) | ONE(LEN) | \
			 ONE(VALUE) | ONE(XID))
#define FRAME		(ONE(OPEN) | ONE(CLOSE) | ONE(PAYLOAD) | ONE(PLACE))

/**
 * put - change a word to a number
 * @w: the word
 * @v: the number
 */
static void put(struct fword *w, u32 v)
{
	snprintf(w->t, sizeof(w->t), "%x", v);
}

/**
 * place_of - find where a word is in the message
 * @m: the message
 * @w: the word
 * @c: whom it is for
 * @b: gets the bytes in front of it
 *
 * Return: 0, or -1.
 */
static int place_of(const struct fmsg *m, const struct fword *w,
		    const struct fuzz_ctx *c, struct buf *b)
{
	static struct fmsg head;
	static char text[FUZZ_TEXT];

	memcpy(&head, m, sizeof(head));
	head.n = w - m->w;
	head.tail[0] = '\0';
	if (fz_text(&head, c, text, sizeof(text)))
		return -1;
	tmpl_build(b, text, &c->env);
	return 0;
}

/**
 * whole - build a message as it is so far
 * @m: the message
 * @c: whom it is for
 *
 * Return: its bytes, valid until the next call, or NULL.
 */
static struct buf *whole(const struct fmsg *m, const struct fuzz_ctx *c)
{
	static struct buf b;

	if (!b.p)
		buf_init(&b, FUZZ_ROOM + 8192);
	return fz_build(&b, m, c) ? NULL : &b;
}

/**
 * tail - append what is done to a message in the end
 * @m: the message
 * @fmt: "%u" and "%x" take the numbers
 * @a: the first
 * @b: the second
 */
static void tail(struct fmsg *m, const char *fmt, u32 a, u32 b)
{
	size_t at = strlen(m->tail);

	if (at + 40 > sizeof(m->tail) || strstr(m->tail, "cut="))
		return;
	if (at)
		m->tail[at++] = ' ';
	snprintf(m->tail + at, sizeof(m->tail) - at, fmt, a, b);
}

static bool mu_boundary(struct fseq *q, struct fmsg *m, struct fuzz_ctx *c)
{
	struct fword *w = tagged(m, c, PLAIN);

	if (w)
		put(w, fz_odd(&c->r));
	return w;
}

/**
 * span - choose an item, or a word that is in none
 * @m: the message
 * @c: whom it is for
 * @from: gets its first word
 * @n: gets how many it has
 *
 * Return: true if there is one.
 */
static bool span(struct fmsg *m, struct fuzz_ctx *c, u32 *from, u32 *n)
{
	struct fword *w = tagged(m, c, ~(u32)FRAME);
	u32 i, j;

	if (!w)
		return false;
	i = w - m->w;
	j = i + 1;
	if (w->item && rng_below(&c->r, 4)) {
		while (i && m->w[i - 1].item == w->item)
			i--;
		while (j < m->n && m->w[j].item == w->item)
			j++;
	}
	*from = i;
	*n = j - i;
	return true;
}

static bool mu_drop(struct fseq *q, struct fmsg *m, struct fuzz_ctx *c)
{
	u32 from, n;

	if (!span(m, c, &from, &n))
		return false;
	memmove(&m->w[from], &m->w[from + n],
		(m->n - from - n) * sizeof(m->w[0]));
	m->n -= n;
	return true;
}

static bool mu_double(struct fseq *q, struct fmsg *m, struct fuzz_ctx *c)
{
	u32 from, n;

	if (!span(m, c, &from, &n) || m->n + n > FUZZ_WORDS)
		return false;
	memmove(&m->w[from + n], &m->w[from],
		(m->n - from) * sizeof(m->w[0]));
	m->n += n;
	return true;
}

static bool mu_swap(struct fseq *q, struct fmsg *m, struct fuzz_ctx *c)
{
	struct fword *a = tagged(m, c, ~(u32)FRAME);
	struct fword *b = tagged(m, c, ~(u32)FRAME), t;

	if (!a || a == b)
		return false;
	t = *a;
	*a = *b;
	*b = t;
	return true;
}

static bool mu_length(struct fseq *q, struct fmsg *m, struct fuzz_ctx *c)
{
	static const int by[] = { 1, -1, 4, -4, 2, -2, 8, 3 };
	struct fword *w = tagged(m, c, ONE(COUNT) | ONE(LEN) | ONE(OPEN));
	static struct buf before;
	struct buf *b = whole(m, c);
	u32 v;

	if (!before.p)
		buf_init(&before, FUZZ_ROOM + 8192);
	if (!w || !b || place_of(m, w, c, &before) || before.len + 4 > b->len)
		return false;
	v = get_u32(b->p + before.len) + by[rng_below(&c->r, ARRAY_SIZE(by))];
	tail(m, "@%u=%x", before.len, v);
	return true;
}

static bool mu_cut(struct fseq *q, struct fmsg *m, struct fuzz_ctx *c)
{
	struct buf *b = whole(m, c);
	u32 len, least = rng_below(&c->r, 64) ? 16 : 0;

	if (!b || b->len <= least)
		return false;
	len = least + rng_below(&c->r, b->len - least);
	if (rng_below(&c->r, 2))
		len = least + rng_below(&c->r, b->len < 200 ? b->len - least : 200 - least);
	tail(m, "cut=%u", len, 0);
	return true;
}

static bool mu_extend(struct fseq *q, struct fmsg *m, struct fuzz_ctx *c)
{
	tail(m, rng_below(&c->r, 2) ? "ff:%u" : "zero:%u",
	     1 + rng_below(&c->r, rng_below(&c->r, 8) ? 16 : 2000), 0);
	return true;
}

static bool mu_dir(struct fseq *q, struct fmsg *m, struct fuzz_ctx *c)
{
	struct fword *w = tagged(m, c, ONE(DIR));

	if (w)
		put(w, !atoi(w->t));
	return w;
}

static bool mu_order(struct fseq *q, struct fmsg *m, struct fuzz_ctx *c)
{
	u32 a = rng_below(&c->r, q->n), b = rng_below(&c->r, q->n);
	static struct fmsg t;

	if (q->n > 1 && a != b && rng_below(&c->r, 2)) {
		t = q->m[a];
		q->m[a] = q->m[b];
		q->m[b] = t;
	} else if (q->n > 1 && rng_below(&c->r, 2)) {
		memmove(&q->m[a], &q->m[a + 1],
			(q->n - a - 1) * sizeof(q->m[0]));
		q->n--;
	} else if (q->n < FUZZ_MSGS) {
		q->m[q->n++] = q->m[a];
	} else {
		return false;
	}
	return true;
}

static bool mu_xid(struct fseq *q, struct fmsg *m, struct fuzz_ctx *c)
{
	static const char * const xid[] = {
		"x", "x-8", "x+8", "x-1", "x+1", "0", "ffffffff", "x-16",
	};
	struct fword *w = tagged(m, c, ONE(XID));

	if (w)
		strcpy(w->t, xid[rng_below(&c->r, ARRAY_SIZE(xid))]);
	return w;
}

static bool mu_credit(struct fseq *q, struct fmsg *m, struct fuzz_ctx *c)
{
	static const u32 credit[] = {
		0, 0, 1, 0x4000, 0x4001, 0x10000, 0x7fffffff, 0xffffffff,
	};
	struct fword *w = tagged(m, c, ONE(CREDIT));

	if (w)
		put(w, credit[rng_below(&c->r, ARRAY_SIZE(credit))]);
	return w;
}

/* A false handle, or a length above that of the memory, ends the connection, so
 * that most have some length else
 */
static bool mu_segment(struct fseq *q, struct fmsg *m, struct fuzz_ctx *c)
{
	struct fword *w = tagged(m, c, ONE(SEG));
	u32 len = rng_below(&c->r, 2) ? rng_below(&c->r, 64) :
		  rng_below(&c->r, 65536);

	if (!w)
		return false;
	if (strncmp(w->t, "seg", 3))
		snprintf(w->t, sizeof(w->t), "wseg0=%u", len);
	else if (rng_below(&c->r, 16))
		snprintf(w->t + 4, sizeof(w->t) - 4, ":%u:%u", len,
			 rng_below(&c->r, 8));
	else if (rng_below(&c->r, 2))
		snprintf(w->t + 4, sizeof(w->t) - 4, ":%u", fz_odd(&c->r));
	else
		strcpy(w->t, "deadbeef");
	return true;
}

static bool mu_flip(struct fseq *q, struct fmsg *m, struct fuzz_ctx *c)
{
	static struct hdr h;
	struct buf *b = whole(m, c);
	u32 at, most, v;

	if (!b || b->len < 8)
		return false;
	wire_decode(&h, b->p, b->len);
	most = h.hlen + FLIP_BYTES < b->len - 4 ? h.hlen + FLIP_BYTES :
	       b->len - 4;
	at = rng_below(&c->r, most + 1) & ~3u;
	v = get_u32(b->p + at);
	if (rng_below(&c->r, 2))
		v ^= 1u << rng_below(&c->r, 32);
	else
		v ^= (1 + rng_below(&c->r, 255)) << 8 * rng_below(&c->r, 4);
	tail(m, "@%u=%x", at, v);
	return true;
}

typedef bool (*mu_fn)(struct fseq *q, struct fmsg *m, struct fuzz_ctx *c);

static const struct {
	mu_fn fn;
	u32 weight;
} mutations[NR_MU] = {
	[MU_BOUNDARY] = { mu_boundary, 20 }, [MU_DROP] = { mu_drop, 6 },
	[MU_DOUBLE] = { mu_double, 6 }, [MU_SWAP] = { mu_swap, 5 },
	[MU_LENGTH] = { mu_length, 12 }, [MU_CUT] = { mu_cut, 6 },
	[MU_EXTEND] = { mu_extend, 5 }, [MU_DIR] = { mu_dir, 4 },
	[MU_ORDER] = { mu_order, 10 }, [MU_XID] = { mu_xid, 6 },
	[MU_CREDIT] = { mu_credit, 5 }, [MU_SEGMENT] = { mu_segment, 20 },
	[MU_FLIP] = { mu_flip, 10 },
};

/**
 * pick - choose how to spoil
 * @c: whom it is for
 *
 * Return: MU_*.
 */
static enum mutation pick(struct fuzz_ctx *c)
{
	u32 sum = 0, n, i;

	for (i = 0; i < NR_MU; i++)
		sum += mutations[i].weight;
	n = rng_below(&c->r, sum);
	for (i = 0; n >= mutations[i].weight; i++)
		n -= mutations[i].weight;
	return i;
}

/**
 * moves_words - does this move words, so that places in the tail are no more?
 * @how: MU_*
 *
 * Return: true if so.
 */
static bool moves_words(enum mutation how)
{
	return how == MU_DROP || how == MU_DOUBLE || how == MU_SWAP ||
	       how == MU_BOUNDARY || how == MU_SEGMENT;
}

/**
 * fuzz_mutate - spoil a sequence, or leave one of eight as it is
 * @q: the sequence
 * @c: whom it is for
 */
void fuzz_mutate(struct fseq *q, struct fuzz_ctx *c)
{
	u32 n = !rng_below(&c->r, 8) ? 0 : rng_below(&c->r, 4) ? 1 :
		2 + rng_below(&c->r, 2);
	enum mutation how;
	struct fmsg *m;
	int tries = 20;

	while (n && tries--) {
		how = pick(c);
		m = &q->m[rng_below(&c->r, q->n)];
		if ((m->tail[0] && moves_words(how)) ||
		    !mutations[how].fn(q, m, c))
			continue;
		q->how |= 1u << how;
		n--;
	}
}
