// SPDX-License-Identifier: GPL-2.0
/* Layouts of receives: as text, as RBSTRUCT, and segments by number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "rd.h"

/**
 * layout_add - append a segment
 * @l: the layout
 * @len: its length
 * @flags: its flags
 *
 * Return: 0, or -1 if there is no room.
 */
static int layout_add(struct layout *l, u32 len, u32 flags)
{
	struct lay_seg *g = &l->seg[l->nsegs];

	if (l->nsegs == MAX_LAY || !len || l->total + len < len)
		return -1;
	g->at = l->total;
	g->len = len;
	g->flags = flags;
	if (flags & PLT_FLAG)
		l->plt[l->nplt++] = l->nsegs;
	l->nsegs++;
	l->total += len;
	return 0;
}

/**
 * layout_text - read a layout as the cases write it
 * @l: gets the layout
 * @text: lengths parted by blanks; N*L stands for N segments of length L, a
 *	"p" behind one for a segment to place data in, a "u" for flags that
 *	nobody knows
 *
 * Return: 0, or -1 if it makes no sense.
 */
int layout_text(struct layout *l, const char *text)
{
	u32 n, len, flags;
	char *e;

	memset(l, 0, sizeof(*l));
	while (*(text += strspn(text, " "))) {
		n = 1;
		len = strtoul(text, &e, 10);
		if (*e == '*') {
			n = len;
			len = strtoul(e + 1, &e, 10);
		}
		for (flags = 0; *e == 'p' || *e == 'u'; e++)
			flags |= *e == 'p' ? PLT_FLAG : 0x80000000;
		while (n--)
			if (layout_add(l, len, flags))
				return -1;
		text = e;
	}
	return l->nsegs ? 0 : -1;
}

/**
 * layout_group - take a group of equal segments
 * @l: gets the segments
 * @r: where from
 *
 * Return: what is wrong, or NULL.
 */
static const char *layout_group(struct layout *l, struct rd *r)
{
	u32 n = rd_u32(r, "xmrgrp_count");
	u32 len = rd_u32(r, "xmrseg_length");
	u32 align = rd_u32(r, "xmrseg_align");
	u32 flags = rd_u32(r, "xmrseg_flags");

	if (r->why)
		return r->why;
	if (!n || !len)
		return "empty group or segment in RBSTRUCT";
	if (align & (align - 1))
		return "xmrseg_align is no power of two";
	while (n--)
		if (layout_add(l, len, flags))
			return "RBSTRUCT with too many segments";
	return NULL;
}

/**
 * layout_bytes - read a layout as it is on the wire
 * @l: gets the layout
 * @p: RBSTRUCT
 * @len: its length
 *
 * Return: what is wrong with it, or NULL.
 */
static const char *layout_bytes(struct layout *l, const u8 *p, size_t len)
{
	struct rd r = { .p = p, .left = len };
	const char *bad = NULL;
	u32 sum, n;

	memset(l, 0, sizeof(*l));
	sum = rd_u32(&r, "xmrbuf_length");
	n = rd_u32(&r, "xmrbuf_groups");
	if (!n || n > r.left / 16)
		return "groups of RBSTRUCT";
	while (n-- && !bad)
		bad = layout_group(l, &r);
	if (!bad && r.left)
		bad = "bytes left over in RBSTRUCT";
	if (!bad && sum != l->total)
		bad = "xmrbuf_length is not the sum of the groups";
	return bad;
}

/**
 * layout_told - learn how the receives of the other end are made up
 * @l: gets the layout, empty if nothing was told of it
 * @x: characteristics of the other end
 *
 * Return: what is wrong with it, or NULL.
 */
const char *layout_told(struct layout *l, const struct chars *x)
{
	memset(l, 0, sizeof(*l));
	if (!x->rbstruct_len)
		return NULL;
	if (x->rbstruct_len > RBSTRUCT_MAX)
		return "RBSTRUCT with too many groups";
	return layout_bytes(l, x->rbstruct, x->rbstruct_len);
}

/**
 * rbstruct_words - write RBSTRUCT as words of a template
 * @l: the layout
 * @out: gets the words
 * @size: size of @out
 */
static void rbstruct_words(const struct layout *l, char *out, size_t size)
{
	size_t at;
	u32 i;

	at = snprintf(out, size, "4 [ %x %x", l->total, l->nsegs);
	for (i = 0; i < l->nsegs && at < size; i++)
		at += snprintf(out + at, size - at, " 1 %x %x %x",
			       l->seg[i].len,
			       l->seg[i].flags & PLT_FLAG ? PLT_ALIGN : 1,
			       l->seg[i].flags);
	if (at < size)
		snprintf(out + at, size - at, " ]");
}

/**
 * layout_init - read a layout, and write the INITXCH that tells of it
 * @l: gets the layout
 * @out: gets the optinfo of the INITXCH, as words of a template
 * @size: size of @out
 * @text: RTRSUPP in hex, a colon, and a layout; with a "-" in front of that
 *	RBSTRUCT is left out; "/N" in front of the colon makes N of REQRXLIM and
 *	RESPSXLIM, which are 8 with XCONT and else 1
 * @server: the words of a server, which leaves BRS out
 *
 * Return: 0, or -1 if it makes no sense.
 */
int layout_init(struct layout *l, char *out, size_t size, const char *text,
		bool server)
{
	char *e, words[1024] = "";
	u32 rtr = strtoul(text, &e, 16), n, limit = rtr & 4 ? 8 : 1;
	bool mute;

	if (*e == '/')
		limit = strtoul(e + 1, &e, 10);
	mute = e[0] == ':' && e[1] == '-';
	if (*e != ':' || layout_text(l, e + 1 + mute))
		return -1;
	l->limit = limit;
	l->rtrsupp = rtr;
	if (!mute)
		rbstruct_words(l, words, sizeof(words));
	n = 5 + !mute + !server;
	snprintf(out, size,
		 "[ %x 1 4 %x 2 4 0 %s %s 5 4 %x 6 4 %x ffffff03 4 %x 1 %x ]",
		 n, l->total, server ? "" : "3 4 1", words, limit, limit, rtr,
		 (1 << n) - 2);
	return 0;
}

/**
 * layout_plt - find a segment to place data in
 * @l: the layout
 * @tbsn: its number in the group of transmissions
 *
 * Return: the segment, or NULL if there is none.
 */
const struct lay_seg *layout_plt(const struct layout *l, u32 tbsn)
{
	return l->nplt ? &l->seg[l->plt[tbsn % l->nplt]] : NULL;
}
