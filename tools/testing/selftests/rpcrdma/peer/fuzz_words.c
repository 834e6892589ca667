// SPDX-License-Identifier: GPL-2.0
/* Numbers out of a seed, and messages in the making, as words with a meaning. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "peer.h"

/**
 * rng_next - the next number
 * @r: the sequence
 *
 * Return: the number.
 */
u32 rng_next(struct rng *r)
{
	u64 z;

	r->s += 0x9e3779b97f4a7c15ull;
	z = r->s;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return (z ^ (z >> 31)) >> 32;
}

/**
 * rng_below - the next number, below a bound
 * @r: the sequence
 * @n: the bound
 *
 * Return: the number.
 */
u32 rng_below(struct rng *r, u32 n)
{
	return (u64)rng_next(r) * n >> 32;
}

/**
 * rng_start - begin the numbers that one sequence of messages is made of
 * @r: gets them
 * @seed: the seed
 * @nr: number of the sequence
 */
void rng_start(struct rng *r, u32 seed, u32 nr)
{
	r->s = (u64)seed << 32 | nr;
	rng_next(r);
}

/**
 * fz_odd - a value at some boundary
 * @r: numbers
 *
 * Return: the value.
 */
u32 fz_odd(struct rng *r)
{
	static const u32 odd[] = {
		0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xf, 0x10, 0x1f, 0x20,
		0x21, 0x40, 0x41, 0x80, 0xff, 0x100, 0x3fc, 0x400, 0x404,
		0xffc, 0x1000, 0x1004, 0x2000, 0x4000, 0x10000, 0x100000,
		0x1000000, 0x10000000, 0x3fffffff, 0x40000000, 0x7fffffff,
		0x80000000, 0xfffffff0, 0xfffffffc, 0xfffffffd, 0xffffffff,
		0xffffff03,
	};

	return odd[rng_below(r, ARRAY_SIZE(odd))];
}

/**
 * fz_msg - begin a message
 * @q: the sequence
 *
 * Return: the message.
 */
struct fmsg *fz_msg(struct fseq *q)
{
	struct fmsg *m = &q->m[q->n < FUZZ_MSGS ? q->n++ : FUZZ_MSGS - 1];

	memset(m, 0, sizeof(*m));
	return m;
}

/**
 * fz_word - append a word
 * @m: the message; what has no room is left out
 * @tag: what the word is
 * @fmt: the word
 */
void fz_word(struct fmsg *m, enum tag tag, const char *fmt, ...)
{
	struct fword *w = &m->w[m->n];
	va_list ap;

	if (m->n == FUZZ_WORDS)
		return;
	m->n++;
	w->tag = tag;
	w->item = m->item;
	va_start(ap, fmt);
	vsnprintf(w->t, sizeof(w->t), fmt, ap);
	va_end(ap);
}

/**
 * fz_item - the words that follow belong together
 * @m: the message
 */
void fz_item(struct fmsg *m)
{
	m->item = ++m->items;
}

/**
 * fz_item_end - those that follow do not
 * @m: the message
 */
void fz_item_end(struct fmsg *m)
{
	m->item = 0;
}

/**
 * too_late - has a message gone beyond where a word places data?
 * @text: the message before that word
 * @w: the word, "place:J:..."
 * @c: whom it is for
 *
 * Return: true if so, or if there is no such place.
 */
static bool too_late(const char *text, const char *w, const struct fuzz_ctx *c)
{
	static struct buf b;
	const struct layout *lay = c->env.lay;
	u32 j = 0;

	if (!b.p)
		buf_init(&b, FUZZ_ROOM + 8192);
	if (sscanf(w, "place:%u", &j) != 1 || !lay || j >= lay->nplt)
		return true;
	tmpl_build(&b, text, &c->env);
	return b.len > layout_plt(lay, j)->at;
}

/**
 * has_ps - does the length of the payload have its place in a message?
 * @m: the message
 *
 * Return: true if so; without it braces make no sense.
 */
static bool has_ps(const struct fmsg *m)
{
	unsigned int i;

	for (i = 1; i < m->n; i++)
		if (!strcmp(m->w[i].t, "ps"))
			return true;
	return false;
}

/**
 * left_out - can a word not be carried out where it is?
 * @m: the message
 * @w: the word
 * @text: the message before that word
 * @c: whom it is for
 *
 * Return: true if so.
 */
static bool left_out(const struct fmsg *m, const struct fword *w,
		     const char *text, const struct fuzz_ctx *c)
{
	if (w->tag == TG_PLACE)
		return too_late(text, w->t, c);
	return w->tag == TG_PAYLOAD && strchr("{}", w->t[0]) && !has_ps(m);
}

/**
 * fz_text - write a message as a template
 * @m: the message
 * @c: whom it is for
 * @out: gets the template
 * @size: size of @out
 *
 * Return: 0, or -1 if there is no room.
 */
int fz_text(const struct fmsg *m, const struct fuzz_ctx *c, char *out,
	    size_t size)
{
	size_t at = 0;
	unsigned int i;

	out[0] = '\0';
	for (i = 0; i < m->n && at < size; i++) {
		if (left_out(m, &m->w[i], out, c))
			continue;
		at += snprintf(out + at, size - at, "%s%s", at ? " " : "",
			       m->w[i].t);
	}
	if (at < size && m->tail[0])
		at += snprintf(out + at, size - at, " %s", m->tail);
	return at < size ? 0 : -1;
}

/**
 * fz_build - turn a message into bytes
 * @b: gets the bytes
 * @m: the message
 * @c: whom it is for
 *
 * Return: 0, or -1.
 */
int fz_build(struct buf *b, const struct fmsg *m, const struct fuzz_ctx *c)
{
	static char text[FUZZ_TEXT];
	struct tmpl_env env = c->env;

	if (c->honest && m->part < c->nr_honest) {
		env.honest = &c->honest[m->part];
		if (m->part)
			env.honest_hlen = 40;	/* of an XMTCONT */
	}
	return fz_text(m, c, text, sizeof(text)) || tmpl_build(b, text, &env) ?
	       -1 : 0;
}

/**
 * fz_head - the fixed words
 * @m: the message
 * @c: whom it is for
 * @proc: its type
 */
void fz_head(struct fmsg *m, struct fuzz_ctx *c, u32 proc)
{
	if (c->own)
		fz_word(m, TG_XID, "x+%u", c->own);
	else
		fz_word(m, TG_XID, "x");
	fz_word(m, TG_VERS, "2");
	fz_word(m, TG_CREDIT, "20");
	fz_word(m, TG_PROC, "%x", proc);
}

/**
 * fz_optional - the words of an OPTIONAL in front of its optinfo
 * @m: the message
 * @c: whom it is for
 * @dir: its direction
 * @type: its type
 */
void fz_optional(struct fmsg *m, struct fuzz_ctx *c, u32 dir, u32 type)
{
	fz_head(m, c, P_OPTIONAL);
	fz_word(m, TG_DIR, "%x", dir);
	fz_word(m, TG_TYPE, "%x", type);
}
