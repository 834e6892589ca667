// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: what the characteristics are, and what they mean.
 *
 * How they are written and read is in codec_xchar.c.
 */

#include "codec_priv.h"

/* Section: the table of known characteristics, in encoding order: entry N has bit N
 * of struct rpcrdma2_xchars.present
 */

static const char * const rpcrdma2_brs_names[] = {
	[RDMA2_BRS_NONE]	= "none",
	[RDMA2_BRS_INLINE]	= "inline",
	[RDMA2_BRS_GENL]	= "general",
	NULL
};

const struct rpcrdma2_xchar rpcrdma2_xchar_table[RPCRDMA2_NUM_XCHARS] = {
	[RPCRDMA2_RBSIZ] = {
		.id	= RDMA2_XCHAR_RBSIZ,
		.name	= "rbsiz",
		.type	= RPCRDMA2_XT_WORD,
		.offset	= offsetof(struct rpcrdma2_xchars, rbsiz),
		.dflt	= RPCRDMA2_DEF_INLINE,
		.max	= U32_MAX,
		.usable	= RPCRDMA2_FIRST_MSG_MAX,	/* */
		.ends	= RPCRDMA2_STATED_BY_BOTH,
	},
	[RPCRDMA2_REQREMINV] = {
		.id	= RDMA2_XCHAR_REQREMINV,
		.name	= "reqreminv",
		.type	= RPCRDMA2_XT_BOOL,
		.offset	= offsetof(struct rpcrdma2_xchars, reqreminv),
		.ends	= RPCRDMA2_STATED_BY_BOTH,
	},
	[RPCRDMA2_BRS] = {
		.id	= RDMA2_XCHAR_BRS,
		.name	= "brs",
		.type	= RPCRDMA2_XT_WORD,
		.offset	= offsetof(struct rpcrdma2_xchars, brs),
		.dflt	= RDMA2_BRS_INLINE,
		.max	= RDMA2_BRS_GENL,
		.ends	= RPCRDMA2_STATED_BY_CLIENT,	/* */
		.names	= rpcrdma2_brs_names,
	},
	[RPCRDMA2_RTRSUPP] = {
		.id	= RDMA2_XCHAR_RTRSUPP,
		.name	= "rtrsupp",
		.type	= RPCRDMA2_XT_FLAGS,
		.offset	= offsetof(struct rpcrdma2_xchars, rtrsupp),
		.max	= RDMA2_RTRSUPP_ALL,		/* N-98 */
		.ends	= RPCRDMA2_STATED_BY_BOTH,
	},
	[RPCRDMA2_RBSTRUCT] = {
		.id	= RDMA2_XCHAR_RBSTRUCT,
		.name	= "rbstruct",
		.type	= RPCRDMA2_XT_RBSTRUCT,
		.offset	= offsetof(struct rpcrdma2_xchars, rbstruct),
		.ends	= RPCRDMA2_STATED_BY_BOTH,
	},
	[RPCRDMA2_REQRXLIM] = {
		.id	= RDMA2_XCHAR_REQRXLIM,
		.name	= "reqrxlim",
		.type	= RPCRDMA2_XT_WORD,
		.offset	= offsetof(struct rpcrdma2_xchars, reqrxlim),
		.dflt	= 1,
		.min	= 1,				/* */
		.max	= U32_MAX,
		.ends	= RPCRDMA2_STATED_BY_BOTH,
	},
	[RPCRDMA2_RESPSXLIM] = {
		.id	= RDMA2_XCHAR_RESPSXLIM,
		.name	= "respsxlim",
		.type	= RPCRDMA2_XT_WORD,
		.offset	= offsetof(struct rpcrdma2_xchars, respsxlim),
		.dflt	= 1,
		.min	= 1,				/* */
		.max	= U32_MAX,
		.ends	= RPCRDMA2_STATED_BY_BOTH,
	},
};
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xchar_table);

/**
 * rpcrdma2_xchar_find - look a characteristic up
 * @which: xchv_which
 *
 * Return: its number in the table, or RPCRDMA2_NUM_XCHARS if it is not known.
 */
u32 rpcrdma2_xchar_find(u32 which)
{
	u32 n;

	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++)
		if (rpcrdma2_xchar_table[n].id == which)
			break;
	return n;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xchar_find);

/**
 * rpcrdma2_xchar_value - get a value that fits a word
 * @xc: characteristics
 * @n: which one
 *
 * Return: the value; of RBSTRUCT the length.
 */
u32 rpcrdma2_xchar_value(const struct rpcrdma2_xchars *xc, u32 n)
{
	const void *field = rpcrdma2_xchar_field(xc, n);

	switch (rpcrdma2_xchar_table[n].type) {
	case RPCRDMA2_XT_BOOL:
		return *(const bool *)field;
	case RPCRDMA2_XT_RBSTRUCT:
		return ((const struct rpcrdma2_rbstruct *)field)->length;
	default:
		return *(const u32 *)field;
	}
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xchar_value);

/**
 * rpcrdma2_xchar_set - set a value that fits a word
 * @xc: characteristics
 * @n: which one; not RBSTRUCT
 * @value: the value, valid for it
 *
 * It becomes present.
 */
void rpcrdma2_xchar_set(struct rpcrdma2_xchars *xc, u32 n, u32 value)
{
	void *field = rpcrdma2_xchar_field(xc, n);

	if (rpcrdma2_xchar_table[n].type == RPCRDMA2_XT_BOOL)
		*(bool *)field = value;
	else
		*(u32 *)field = value;
	xc->present |= BIT(n);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xchar_set);

/**
 * rpcrdma2_xchars_default - what holds before anything was received
 * @xc: OUT: defaults, none of them present
 */
void rpcrdma2_xchars_default(struct rpcrdma2_xchars *xc)
{
	u32 n;

	memset(xc, 0, sizeof(*xc));
	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++)
		if (rpcrdma2_xchar_table[n].type != RPCRDMA2_XT_RBSTRUCT)
			rpcrdma2_xchar_set(xc, n, rpcrdma2_xchar_table[n].dflt);
	xc->present = 0;
	xc->rbstruct.length = RPCRDMA2_DEF_INLINE;
	xc->rbstruct.ngroups = 1;
	xc->rbstruct.groups[0].count = 1;
	xc->rbstruct.groups[0].length = RPCRDMA2_DEF_INLINE;
	xc->rbstruct.groups[0].align = 1;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xchars_default);

/* Let one of RBSIZ and RBSTRUCT follow the other. As long as the
 * peer gave only one of them, it says what the other is, unless the other was given,
 * too, but is of no use.
 */
static void rpcrdma2_xchars_derive(struct rpcrdma2_xchars *xc)
{
	const u32 both = RPCRDMA2_HAS_RBSIZ | RPCRDMA2_HAS_RBSTRUCT;

	switch (xc->present & both) {
	case RPCRDMA2_HAS_RBSIZ:
		xc->rbstruct.length = xc->rbsiz;
		xc->rbstruct.groups[0].length = xc->rbsiz;
		break;
	case RPCRDMA2_HAS_RBSTRUCT:
		if (!(xc->unusable & RPCRDMA2_HAS_RBSIZ) &&
		    xc->rbstruct.length >= RPCRDMA2_FIRST_MSG_MAX)
			xc->rbsiz = xc->rbstruct.length;
		break;
	}
}

/**
 * rpcrdma2_xchars_apply - let values that were received take effect
 * @xc: what held so far
 * @from: what was received; only what is present counts
 */
void rpcrdma2_xchars_apply(struct rpcrdma2_xchars *xc,
			   const struct rpcrdma2_xchars *from)
{
	u32 n;

	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++) {
		if (!(from->present & BIT(n)))
			continue;
		if (rpcrdma2_xchar_table[n].type == RPCRDMA2_XT_RBSTRUCT)
			xc->rbstruct = from->rbstruct;
		else
			rpcrdma2_xchar_set(xc, n, rpcrdma2_xchar_value(from, n));
	}
	xc->present |= from->present;
	xc->nochg |= from->nochg;
	xc->unusable |= from->unusable;
	xc->unknown += from->unknown;
	xc->disregarded += from->disregarded;
	rpcrdma2_xchars_derive(xc);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xchars_apply);

/**
 * rpcrdma2_xchars_one - pick one value
 * @from: values
 * @n: which one
 * @one: OUT: a set with nothing else present
 */
void rpcrdma2_xchars_one(const struct rpcrdma2_xchars *from, u32 n,
			 struct rpcrdma2_xchars *one)
{
	*one = *from;
	one->present = BIT(n);
	one->nochg = 0;
	one->unusable = 0;
	one->unknown = 0;
	one->disregarded = 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xchars_one);

/* Section: the structure of a receive buffer */

/**
 * rpcrdma2_rbstruct_make - describe the Receives of this project
 * @rb: OUT: a short head segment, and pages that can be aimed at
 * @head: length of the head segment, in bytes
 * @pages: how many pages
 * @page_size: length of a page, in bytes
 */
void rpcrdma2_rbstruct_make(struct rpcrdma2_rbstruct *rb, u32 head, u32 pages,
			    u32 page_size)
{
	memset(rb, 0, sizeof(*rb));
	rb->length = head + pages * page_size;
	rb->ngroups = 2;
	rb->groups[0].count = 1;
	rb->groups[0].length = head;
	rb->groups[0].align = 1;
	rb->groups[1].count = pages;
	rb->groups[1].length = page_size;
	rb->groups[1].align = page_size;
	rb->groups[1].flags = RDMA2_XMRSFLAG_PLT;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_rbstruct_make);

/**
 * rpcrdma2_plt_count - how many segments can be aimed at
 * @rb: sound structure
 *
 * Return: segments of one Receive that have a number
 */
u32 rpcrdma2_plt_count(const struct rpcrdma2_rbstruct *rb)
{
	u32 i, count = 0;

	for (i = 0; i < rb->ngroups; i++)
		if (rb->groups[i].flags & RDMA2_XMRSFLAG_PLT)
			count += rb->groups[i].count;
	return count;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_plt_count);

/**
 * rpcrdma2_plt_row - find a segment that can be aimed at
 * @rb: sound structure
 * @n: its number, from zero in each Receive
 * @row: OUT: the segment, and those of its kind behind it
 *
 * Return: %false if there is no such segment
 */
bool rpcrdma2_plt_row(const struct rpcrdma2_rbstruct *rb, u32 n,
		      struct rpcrdma2_row *row)
{
	const struct rpcrdma2_rbgroup *grp;
	u32 offset = 0;

	for (grp = rb->groups; grp < rb->groups + rb->ngroups; grp++) {
		if (grp->flags & RDMA2_XMRSFLAG_PLT) {
			if (n < grp->count) {
				row->offset = offset + n * grp->length;
				row->size = grp->length;
				row->count = grp->count - n;
				return true;
			}
			n -= grp->count;
		}
		offset += grp->count * grp->length;
	}
	return false;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_plt_row);
