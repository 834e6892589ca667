// SPDX-License-Identifier: GPL-2.0
/* Turns a template, see tmpl.h, into the bytes of a message. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "rpc.h"
#include "tmpl.h"
#include "tmpl_words.h"

/**
 * w_xid - the words x, x+N and x-N
 * @s: the state
 * @arg: what follows the x
 *
 * Return: 0.
 */
static int w_xid(struct tmpl_state *s, const char *arg)
{
	buf_u32(s->out, s->env->xid + strtol(*arg ? arg : "0", NULL, 10));
	return 0;
}

/**
 * w_next - the word next
 * @s: the state
 * @arg: unused
 *
 * Return: 0.
 */
static int w_next(struct tmpl_state *s, const char *arg)
{
	buf_u32(s->out, rpc_next_xid(s->env->xid));
	return 0;
}

/**
 * w_told - the words q and q+N
 * @s: the state
 * @arg: what follows the q
 *
 * Return: 0.
 */
static int w_told(struct tmpl_state *s, const char *arg)
{
	buf_u32(s->out, s->env->told + strtol(*arg ? arg : "0", NULL, 10));
	return 0;
}

/**
 * w_null - the words null and null+N
 * @s: the state
 * @arg: what follows
 *
 * Return: 0.
 */
static int w_null(struct tmpl_state *s, const char *arg)
{
	rpc_null(s->out, s->env->xid + strtol(*arg ? arg : "0", NULL, 10),
		 DIR_CALL);
	return 0;
}

/**
 * w_cbnull - the words cbnull and cbnull+N
 * @s: the state
 * @arg: what follows
 *
 * Return: 0.
 */
static int w_cbnull(struct tmpl_state *s, const char *arg)
{
	rpc_callback(s->out, s->env->xid + strtol(*arg ? arg : "0", NULL, 10));
	return 0;
}

/**
 * w_cbtag - the words cbtag+N:LEN and cbtag+N:LEN:A[:B]
 * @s: the state
 * @arg: what follows cbtag
 *
 * Return: 0, or -1.
 */
static int w_cbtag(struct tmpl_state *s, const char *arg)
{
	u32 n[3] = { 0 }, xid;
	struct buf all;
	char *e;
	int bad;

	xid = s->env->xid + strtol(arg, &e, 10);
	if (*e != ':' || !tmpl_numbers(e + 1, n, 3))
		return -1;
	buf_init(&all, n[0] + 128);
	rpc_callback_tag(&all, xid, n[0]);
	if (!n[2])
		n[2] = all.len;
	bad = n[1] > n[2] || n[2] > all.len;
	if (!bad)
		buf_bytes(s->out, all.p + n[1], n[2] - n[1]);
	buf_free(&all);
	return bad ? -1 : 0;
}

/**
 * w_nullreply - the word nullreply
 * @s: the state
 * @arg: unused
 *
 * Return: 0.
 */
static int w_nullreply(struct tmpl_state *s, const char *arg)
{
	rpc_null(s->out, s->env->xid, DIR_REPLY);
	return 0;
}

/**
 * w_read - the word read:
 * @s: the state
 * @arg: offsets and lengths
 *
 * Return: 0, or -1.
 */
static int w_read(struct tmpl_state *s, const char *arg)
{
	u32 n[8];
	int nr = tmpl_numbers(arg, n, 8);

	if (nr < 2)
		return -1;
	rpc_read(s->out, s->env->xid, nr / 2, n);
	return 0;
}

/**
 * w_write - the word write:
 * @s: the state
 * @arg: offset and length
 *
 * Return: 0, or -1.
 */
static int w_write(struct tmpl_state *s, const char *arg)
{
	u32 n[2];

	if (tmpl_numbers(arg, n, 2) != 2)
		return -1;
	rpc_write(s->out, s->env->xid, n[0], n[1], true);
	return 0;
}

/**
 * w_wcall - the word wcall:
 * @s: the state
 * @arg: offset and length
 *
 * Return: 0, or -1.
 */
static int w_wcall(struct tmpl_state *s, const char *arg)
{
	u32 n[2];

	if (tmpl_numbers(arg, n, 2) != 2)
		return -1;
	rpc_write(s->out, s->env->xid, n[0], n[1], false);
	return 0;
}

/**
 * w_wpos - the words wpos and wpos+N
 * @s: the state
 * @arg: what follows
 *
 * Return: 0.
 */
static int w_wpos(struct tmpl_state *s, const char *arg)
{
	buf_u32(s->out, rpc_write_pos() + strtol(*arg ? arg : "0", NULL, 10));
	return 0;
}

/**
 * w_bad - the word bad:
 * @s: the state
 * @arg: what is garbled
 *
 * Return: 0.
 */
static int w_bad(struct tmpl_state *s, const char *arg)
{
	rpc_bad(s->out, s->env->xid, arg);
	return 0;
}

/**
 * put_seg - append a segment
 * @b: the message
 * @handle: its handle
 * @len: its length
 * @off: its address
 */
static void put_seg(struct buf *b, u32 handle, u32 len, u64 off)
{
	buf_u32(b, handle);
	buf_u32(b, len);
	buf_u64(b, off);
}

/**
 * w_seg - the word segN:LEN[:OFF]
 * @s: the state
 * @arg: what follows seg
 *
 * Return: 0, or -1.
 */
static int w_seg(struct tmpl_state *s, const char *arg)
{
	u32 n[3] = { 0 };
	struct mem *m;

	if (tmpl_numbers(arg, n, 3) < 2 || n[0] >= NR_MEM)
		return -1;
	m = conn_mem(s->env->c, n[0]);
	if (!m)
		return -1;
	put_seg(s->out, m->rkey, n[1], (uintptr_t)m->p + n[2]);
	return 0;
}

/**
 * w_handle - the word hN
 * @s: the state
 * @arg: the number
 *
 * Return: 0, or -1.
 */
static int w_handle(struct tmpl_state *s, const char *arg)
{
	u32 n;
	struct mem *m;

	if (tmpl_numbers(arg, &n, 1) != 1 || n >= NR_MEM)
		return -1;
	m = conn_mem(s->env->c, n);
	if (!m)
		return -1;
	buf_u32(s->out, m->rkey);
	return 0;
}

/**
 * w_zero - the word zero:
 * @s: the state
 * @arg: how many bytes
 *
 * Return: 0.
 */
static int w_zero(struct tmpl_state *s, const char *arg)
{
	buf_fill(s->out, 0, strtoul(arg, NULL, 10));
	return 0;
}

/**
 * w_ff - the word ff:
 * @s: the state
 * @arg: how many bytes
 *
 * Return: 0.
 */
static int w_ff(struct tmpl_state *s, const char *arg)
{
	buf_fill(s->out, 0xff, strtoul(arg, NULL, 10));
	return 0;
}

/**
 * w_to - the word to:
 * @s: the state
 * @arg: length wanted
 *
 * Return: 0.
 */
static int w_to(struct tmpl_state *s, const char *arg)
{
	size_t n = strtoul(arg, NULL, 10);

	if (n > s->out->len)
		buf_fill(s->out, 0, n - s->out->len);
	return 0;
}

/**
 * w_to_rbsiz - the word to:rbsiz
 * @s: the state
 * @arg: unused
 *
 * Return: 0, or -1.
 */
static int w_to_rbsiz(struct tmpl_state *s, const char *arg)
{
	if (!s->env->peer)
		return -1;
	if (s->env->peer->rbsiz > s->out->len)
		buf_fill(s->out, 0, s->env->peer->rbsiz - s->out->len);
	return 0;
}

/**
 * w_open - the word [
 * @s: the state
 * @arg: unused
 *
 * Return: 0, or -1.
 */
static int w_open(struct tmpl_state *s, const char *arg)
{
	if (s->depth == MAX_NEST)
		return -1;
	s->open[s->depth++] = s->out->len;
	buf_u32(s->out, 0);
	return 0;
}

/**
 * w_close - the word ]
 * @s: the state
 * @arg: unused
 *
 * Return: 0, or -1.
 */
static int w_close(struct tmpl_state *s, const char *arg)
{
	size_t at;

	if (!s->depth)
		return -1;
	at = s->open[--s->depth];
	buf_put_u32(s->out, at, s->out->len - at - 4);
	return 0;
}

/**
 * w_edit - the word @OFF=VAL
 * @s: the state
 * @arg: what follows the @
 *
 * Return: 0, or -1.
 */
static int w_edit(struct tmpl_state *s, const char *arg)
{
	char *e;
	u32 at = strtoul(arg, &e, 10);

	if (*e != '=' || at + 4 > s->out->len)
		return -1;
	buf_put_u32(s->out, at, strtoul(e + 1, NULL, 16));
	return 0;
}

/**
 * w_cut - the words cut=N and cut=A..B
 * @s: the state
 * @arg: what follows the =
 *
 * Return: 0, or -1.
 */
static int w_cut(struct tmpl_state *s, const char *arg)
{
	char *e;
	size_t n = strtoul(arg, &e, 10);

	if (n > s->out->len)
		return -1;
	if (!strncmp(e, "..", 2)) {
		s->out->has_cut = true;
		s->out->cut_lo = n;
		s->out->cut_hi = strtoul(e + 2, NULL, 10);
		return s->out->cut_hi > s->out->len ? -1 : 0;
	}
	s->out->len = n;
	return 0;
}

/**
 * w_swi - the word swi=
 * @s: the state
 * @arg: the handle
 *
 * Return: 0.
 */
static int w_swi(struct tmpl_state *s, const char *arg)
{
	s->out->has_swi = true;
	s->out->swi = strtoul(arg, NULL, 16);
	return 0;
}

/**
 * w_honest - the word honest
 * @s: the state
 * @arg: unused
 *
 * Return: 0, or -1.
 */
static int w_honest(struct tmpl_state *s, const char *arg)
{
	const struct buf *h = s->env->honest;

	if (!h)
		return -1;
	buf_bytes(s->out, h->p, h->len);
	return 0;
}

/**
 * w_rpc - the word rpc
 * @s: the state
 * @arg: unused
 *
 * Return: 0, or -1.
 */
static int w_rpc(struct tmpl_state *s, const char *arg)
{
	const struct buf *h = s->env->honest;
	size_t at = s->env->honest_hlen;

	if (!h)
		return -1;
	buf_bytes(s->out, h->p + at, h->len - at);
	return 0;
}

/**
 * w_inv - the word inv
 * @s: the state
 * @arg: unused
 *
 * Return: 0, or -1.
 */
static int w_inv(struct tmpl_state *s, const char *arg)
{
	if (!s->env->call)
		return -1;
	buf_u32(s->out, s->env->call->inv);
	return 0;
}

/**
 * offered_seg - append a segment that the client offered
 * @s: the state
 * @ch: its chunk
 * @arg: number, and what to add to the length
 *
 * Return: 0, or -1.
 */
static int offered_seg(struct tmpl_state *s, const struct chunk *ch,
		       const char *arg)
{
	char *e;
	u32 i = strtoul(arg, &e, 10);
	const struct seg *g = &ch->seg[i];
	u32 len = g->len;

	if (i >= ch->nsegs)
		return -1;
	if (*e == '=')
		len = strtoul(e + 1, NULL, 10);
	else if (*e)
		len += strtol(e, NULL, 10);
	put_seg(s->out, g->handle, len, g->off);
	return 0;
}

/**
 * w_wseg - the word wsegN
 * @s: the state
 * @arg: the number
 *
 * Return: 0, or -1.
 */
static int w_wseg(struct tmpl_state *s, const char *arg)
{
	if (!s->env->call || !s->env->call->nwrites)
		return -1;
	return offered_seg(s, &s->env->call->writes[0], arg);
}

/**
 * w_rseg - the word rsegN
 * @s: the state
 * @arg: the number
 *
 * Return: 0, or -1.
 */
static int w_rseg(struct tmpl_state *s, const char *arg)
{
	if (!s->env->call || !s->env->call->has_reply)
		return -1;
	return offered_seg(s, &s->env->call->reply, arg);
}

static const struct tmpl_word words[] = {
	{ "nullreply", w_nullreply, "an RPC NULL message that says it is a reply" },
	{ "null", w_null, "an RPC NULL call$x" },
	{ "cbnull", w_cbnull, "an RPC NULL call to the callback service$x" },
	{ "cbtag", w_cbtag, "a CB_COMPOUND to it with nothing but a tag$b" },
	{ "read:", w_read, "an NFS compound that READs $p" },
	{ "write:", w_write, "an NFS compound that WRITEs $p, with the data behind it" },
	{ "wcall:", w_wcall, "an NFS compound that WRITEs $p, without the data" },
	{ "wpos", w_wpos, "the position of that data$d" },
	{ "bad:", w_bad, "an RPC call with a wrong $r" },
	{ "wseg", w_wseg, "segment $0 of the Write chunk that the client offered$l" },
	{ "rseg", w_rseg, "segment $0 of the Reply chunk that the client offered$l" },
	{ "seg", w_seg, "$1 bytes of our memory $0$o" },
	{ "zero:", w_zero, "$0 bytes of zeros" },
	{ "ff:", w_ff, "$0 bytes of ff" },
	{ "to:rbsiz", w_to_rbsiz, "zeros up to the length of a whole receive" },
	{ "to:", w_to, "zeros up to a length of $0" },
	{ "cut=", w_cut, "!$c" },
	{ "swi=", w_swi, "!It is sent by Send With Invalidate of $h." },
	{ "honest", w_honest, "the reply that is due" },
	{ "rpc", w_rpc, "the RPC message of the reply that is due" },
	{ "inv", w_inv, "the handle that the Call nominated" },
	{ "x", w_xid, "its own xid$d" },
	{ "next", w_next, "the xid that the client gives its next Call" },
	{ "q", w_told, "the xid that was awaited$d" },
	{ "h", w_handle, "the handle of our memory $0" },
	{ "[", w_open, "" },
	{ "]", w_close, "" },
	{ "@", w_edit, "!$e" },
	{ }
};

/**
 * find_word - find a word in a table
 * @all: the table
 * @w: the word
 *
 * Return: its row, or NULL.
 */
static const struct tmpl_word *find_word(const struct tmpl_word *all,
					 const char *w)
{
	while (all->word && strncmp(w, all->word, strlen(all->word)))
		all++;
	return all->word ? all : NULL;
}

/**
 * mark - note which bytes a word has become
 * @s: the state
 * @w: the word
 * @k: its row, or NULL for a number
 * @from: where its bytes start
 */
static void mark(struct tmpl_state *s, const char *w,
		 const struct tmpl_word *k, size_t from)
{
	struct tmpl_marks *all = s->env->marks;
	struct tmpl_mark *m;

	if (!all || all->nr == MAX_MARKS)
		return;
	m = &all->m[all->nr++];
	snprintf(m->word, sizeof(m->word), "%s", w);
	m->says = k ? k->says : NULL;
	m->arg = k ? strlen(k->word) : 0;
	m->from = from;
	m->to = s->out->len;
}

/**
 * one_word - carry out a word
 * @s: the state
 * @w: the word
 *
 * Return: 0, or -1.
 */
static int one_word(struct tmpl_state *s, const char *w)
{
	const struct tmpl_word *k = NULL;
	size_t from = s->out->len;
	char *e;
	u32 v = strtoul(w, &e, 16);

	if (!*e && isxdigit((u8)*w)) {
		buf_u32(s->out, v);
	} else {
		k = find_word(words, w) ?: find_word(tmpl_place_words, w);
		if (!k || k->fn(s, w + strlen(k->word)))
			return -1;
	}
	mark(s, w, k, from);
	return 0;
}

/**
 * next_word - take a word off a template
 * @t: the template, moved on
 * @w: gets the word, of WORD_LEN bytes
 *
 * Return: true if there was one.
 */
static bool next_word(const char **t, char *w)
{
	size_t n;

	*t += strspn(*t, " \t\n");
	n = strcspn(*t, " \t\n");
	if (!n || n >= WORD_LEN)
		return false;
	memcpy(w, *t, n);
	w[n] = '\0';
	*t += n;
	return true;
}

/**
 * tmpl_build - make a message
 * @out: the message, emptied first
 * @t: the template
 * @env: what its words stand for
 *
 * Return: 0, or -1 with a note on standard error.
 */
int tmpl_build(struct buf *out, const char *t, const struct tmpl_env *env)
{
	struct tmpl_state s = { .out = out, .env = env };
	const char *again = NULL;
	char w[WORD_LEN];
	u32 times = 0;

	buf_reset(out);
	while (next_word(&t, w)) {
		if (!strncmp(w, "rep:", 4)) {
			times = strtoul(w + 4, NULL, 10);
			again = t;
		} else if (!strcmp(w, "end")) {
			if (again && times > 1) {
				times--;
				t = again;
			}
		} else if (one_word(&s, w)) {
			fprintf(stderr, "# template word '%s' fails\n", w);
			return -1;
		}
	}
	return s.depth ? -1 : 0;
}

/**
 * tmpl_next - take one message off a list parted by semicolons
 * @t: the list, moved on
 * @one: gets the message's template
 * @size: size of @one
 *
 * Return: its length, 0 at the end of the list.
 */
size_t tmpl_next(const char **t, char *one, size_t size)
{
	size_t n;

	*t += strspn(*t, " \t\n;");
	n = strcspn(*t, ";");
	if (n >= size)
		n = size - 1;
	memcpy(one, *t, n);
	one[n] = '\0';
	*t += n;
	return n;
}
