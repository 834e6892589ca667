// SPDX-License-Identifier: GPL-2.0
/* Words of a template that have to do with placement by Send. */
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "rpc.h"
#include "tmpl_words.h"

/**
 * p_ps - the word ps
 * @s: the state
 * @arg: unused
 *
 * Return: 0.
 */
static int p_ps(struct tmpl_state *s, const char *arg)
{
	s->ps = s->out->len;
	buf_u32(s->out, 0);
	return 0;
}

/**
 * p_body - the word {
 * @s: the state
 * @arg: unused
 *
 * Return: 0.
 */
static int p_body(struct tmpl_state *s, const char *arg)
{
	s->body = s->out->len;
	return 0;
}

/**
 * p_body_end - the word }
 * @s: the state
 * @arg: unused
 *
 * Return: 0, or -1 without a ps and a {.
 */
static int p_body_end(struct tmpl_state *s, const char *arg)
{
	size_t len;
	int i;

	if (!s->ps || !s->body)
		return -1;
	len = s->out->len - s->body;
	buf_put_u32(s->out, s->ps, len);
	for (i = 0; i < s->nr_ve; i++)
		buf_put_u32(s->out, s->ve[i],
			    len + get_u32(s->out->p + s->ve[i]));
	return 0;
}

/**
 * p_ve - the words ve, ve+N and ve-N
 * @s: the state
 * @arg: what is added
 *
 * Return: 0, or -1 if there are too many.
 */
static int p_ve(struct tmpl_state *s, const char *arg)
{
	if (s->nr_ve == MAX_VE)
		return -1;
	s->ve[s->nr_ve++] = s->out->len;
	buf_u32(s->out, strtol(*arg ? arg : "0", NULL, 10));
	return 0;
}

/**
 * p_key - the word key:
 * @s: the state
 * @arg: the key
 *
 * Return: 0.
 */
static int p_key(struct tmpl_state *s, const char *arg)
{
	s->key = strtoul(arg, NULL, 16);
	return 0;
}

/**
 * file_data - append bytes of the file
 * @s: the state
 * @off: where they are in it
 * @len: how many
 */
static void file_data(struct tmpl_state *s, u32 off, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		buf_fill(s->out, rpc_pattern(off + i) ^ s->key, 1);
}

/**
 * p_pdata - the word pdata:
 * @s: the state
 * @arg: offset and length
 *
 * Return: 0, or -1.
 */
static int p_pdata(struct tmpl_state *s, const char *arg)
{
	u32 n[2];

	if (tmpl_numbers(arg, n, 2) != 2)
		return -1;
	file_data(s, n[0], n[1]);
	return 0;
}

/**
 * go_to - append zeros up to a segment
 * @s: the state
 * @tbsn: its number
 * @into: how far into it
 *
 * Return: the segment, or NULL if there is none or it lies behind.
 */
static const struct lay_seg *go_to(struct tmpl_state *s, u32 tbsn, u32 into)
{
	const struct lay_seg *g;

	if (!s->env->lay || tbsn >= s->env->lay->nplt)
		return NULL;
	g = layout_plt(s->env->lay, tbsn);
	if (s->out->len > g->at + into)
		return NULL;
	buf_fill(s->out, 0, g->at + into - s->out->len);
	return g;
}

/**
 * p_plt - the word plt:
 * @s: the state
 * @arg: number of the segment, and how far into it
 *
 * Return: 0, or -1.
 */
static int p_plt(struct tmpl_state *s, const char *arg)
{
	u32 n[2] = { 0 };

	if (!tmpl_numbers(arg, n, 2))
		return -1;
	return go_to(s, n[0], n[1]) ? 0 : -1;
}

/**
 * p_place - the word place:
 * @s: the state
 * @arg: first segment, offset in the file, length
 *
 * Return: 0, or -1.
 */
static int p_place(struct tmpl_state *s, const char *arg)
{
	const struct lay_seg *g;
	u32 n[3], len;

	if (tmpl_numbers(arg, n, 3) != 3)
		return -1;
	while (n[2]) {
		g = go_to(s, n[0]++, 0);
		if (!g)
			return -1;
		len = n[2] < g->len ? n[2] : g->len;
		file_data(s, n[1], len);
		n[1] += len;
		n[2] -= len;
	}
	return 0;
}

/**
 * p_tbsns - the word tbsns:
 * @s: the state
 * @arg: first segment, length of the data
 *
 * Return: 0, or -1.
 */
static int p_tbsns(struct tmpl_state *s, const char *arg)
{
	size_t at = s->out->len;
	u32 n[2], count = 0, len;

	if (tmpl_numbers(arg, n, 2) != 2 || !s->env->lay || !s->env->lay->nplt)
		return -1;
	buf_u32(s->out, 0);
	while (n[1]) {
		len = layout_plt(s->env->lay, n[0])->len;
		buf_u32(s->out, n[0]++);
		count++;
		n[1] -= n[1] < len ? n[1] : len;
	}
	buf_put_u32(s->out, at, count);
	return 0;
}

/**
 * put_value - append a value of the other end's, and what is added to it
 * @s: the state
 * @v: the value
 * @arg: *N, and then +N, -N or nothing
 *
 * Return: 0.
 */
static int put_value(struct tmpl_state *s, u32 v, const char *arg)
{
	char *e = (char *)arg;

	if (*arg == '*')
		v *= strtoul(arg + 1, &e, 10);
	arg = e;
	buf_u32(s->out, v + strtol(*arg ? arg : "0", NULL, 10));
	return 0;
}

/**
 * p_plen - the word plen
 * @s: the state
 * @arg: what is added to it
 *
 * Return: 0, or -1.
 */
static int p_plen(struct tmpl_state *s, const char *arg)
{
	if (!s->env->lay || !s->env->lay->nplt)
		return -1;
	return put_value(s, layout_plt(s->env->lay, 0)->len, arg);
}

/**
 * p_pnum - the word pnum
 * @s: the state
 * @arg: what is added to it
 *
 * Return: 0, or -1.
 */
static int p_pnum(struct tmpl_state *s, const char *arg)
{
	return s->env->lay ? put_value(s, s->env->lay->nplt, arg) : -1;
}

/**
 * p_rbsiz - the word rbsiz
 * @s: the state
 * @arg: what is added to it
 *
 * Return: 0, or -1.
 */
static int p_rbsiz(struct tmpl_state *s, const char *arg)
{
	return s->env->peer ? put_value(s, s->env->peer->rbsiz, arg) : -1;
}

/**
 * p_reqlim - the word reqlim
 * @s: the state
 * @arg: what is added to it
 *
 * Return: 0, or -1.
 */
static int p_reqlim(struct tmpl_state *s, const char *arg)
{
	return s->env->peer ? put_value(s, s->env->peer->reqrxlim, arg) : -1;
}

/**
 * p_resplim - the word resplim
 * @s: the state
 * @arg: what is added to it
 *
 * Return: 0, or -1.
 */
static int p_resplim(struct tmpl_state *s, const char *arg)
{
	return s->env->peer ? put_value(s, s->env->peer->respsxlim, arg) : -1;
}

/**
 * p_wg - the word wg:
 * @s: the state
 * @arg: offset and length
 *
 * Return: 0, or -1.
 */
static int p_wg(struct tmpl_state *s, const char *arg)
{
	u32 n[2];

	if (tmpl_numbers(arg, n, 2) != 2)
		return -1;
	rpc_write_getattr(s->out, s->env->xid, n[0], n[1]);
	return 0;
}

/**
 * p_ww - the word ww:
 * @s: the state
 * @arg: offsets and lengths
 *
 * Return: 0, or -1.
 */
static int p_ww(struct tmpl_state *s, const char *arg)
{
	u32 n[4];

	if (tmpl_numbers(arg, n, 4) != 4)
		return -1;
	rpc_write_twice(s->out, s->env->xid, n);
	return 0;
}

/**
 * p_part - the word part:
 * @s: the state
 * @arg: where the part of the RPC message starts and ends
 *
 * Return: 0, or -1.
 */
static int p_part(struct tmpl_state *s, const char *arg)
{
	const struct buf *b = s->env->full;
	u32 n[2] = { 0 };

	if (!b || !tmpl_numbers(arg, n, 2))
		return -1;
	if (!n[1] || n[1] > b->len)
		n[1] = b->len;
	if (n[0] > n[1])
		return -1;
	buf_bytes(s->out, b->p + n[0], n[1] - n[0]);
	return 0;
}

/**
 * p_full - the word full
 * @s: the state
 * @arg: unused
 *
 * Return: 0, or -1.
 */
static int p_full(struct tmpl_state *s, const char *arg)
{
	if (!s->env->full)
		return -1;
	buf_bytes(s->out, s->env->full->p, s->env->full->len);
	return 0;
}

const struct tmpl_word tmpl_place_words[] = {
	{ "ps", p_ps, "as long as it is" },
	{ "{", p_body, "" },
	{ "}", p_body_end, "" },
	{ "key:", p_key, "!From there on each byte of the file is XORed with $r." },
	{ "pdata:", p_pdata, "$1 bytes of the file, from $0 on" },
	{ "plt:", p_plt, "zeros up to segment $0 for data$i" },
	{ "place:", p_place,
	  "$2 bytes of the file from $1 on, in the segments for data from number $0 on" },
	{ "tbsns:", p_tbsns, "the numbers of segments for $1 bytes, from $0 on" },
	{ "plen", p_plen, "the length of a segment for data$m" },
	{ "pnum", p_pnum, "the number of segments for data in a receive$m" },
	{ "rbsiz", p_rbsiz, "RBSIZ of the other end$m" },
	{ "reqlim", p_reqlim, "REQRXLIM of the other end$m" },
	{ "resplim", p_resplim, "RESPSXLIM of the other end$m" },
	{ "ve", p_ve, "the length of the payload$d" },
	{ "wg:", p_wg, "an NFS compound that WRITEs $p and asks for the size then, without the data" },
	{ "ww:", p_ww, "an NFS compound that WRITEs $p, without the data" },
	{ "full", p_full, "the RPC message of the reply, with nothing out of line" },
	{ "part:", p_part, "that RPC message from byte $0 $t" },
	{ }
};
