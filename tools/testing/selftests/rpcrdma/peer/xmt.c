// SPDX-License-Identifier: GPL-2.0
/*
 * Encoder and strict decoder of transmissions.
 *
 * What is decoded here is as long as its optinfo, to the word, and holds no
 * discriminant that its place does not allow; whether it makes sense is a
 * matter of xcheck.c.
 */
#include <string.h>

#include "rd.h"
#include "xmt.h"

/**
 * loc_name - name a place or a target
 * @type: T_*
 *
 * Return: the name.
 */
const char *loc_name(u32 type)
{
	static const char * const name[] = {
		[T_EXRW] = "exrw", [T_TBSN] = "tbsn", [T_CHOICE] = "choice",
		[T_BYSIZE] = "bysize", [T_TOOSHORT] = "tooshort",
		[T_NOITEM] = "noitem",
	};

	return type >= T_EXRW && type <= T_NOITEM ? name[type] : "odd";
}

/**
 * rd_fault - note a fault unless there is one
 * @r: where
 * @why: the fault
 */
static void rd_fault(struct rd *r, const char *why)
{
	if (!r->why)
		r->why = why;
}

/**
 * rd_count - take a count of things
 * @r: where from
 * @max: how many can be kept
 * @size: the least bytes that each has
 * @what: its name, for the fault
 *
 * Return: the count.
 */
static u32 rd_count(struct rd *r, u32 max, u32 size, const char *what)
{
	u32 n = rd_u32(r, what);

	if (n > max || n > r->left / size)
		rd_fault(r, what);
	return r->why ? 0 : n;
}

/**
 * rd_where - take where data are, as far as its type goes
 * @r: where from
 * @l: where to
 * @what: the name of its type, for the fault
 *
 * Of its arrays nothing is in use.
 */
static void rd_where(struct rd *r, struct loc *l, const char *what)
{
	l->type = rd_u32(r, what);
	l->ex.nsegs = 0;
	l->off = 0;
	l->n = 0;
}

/**
 * rd_tbsn - take an offset and numbers of segments
 * @r: where from
 * @l: where to
 */
static void rd_tbsn(struct rd *r, struct loc *l)
{
	u32 i;

	l->off = rd_u32(r, "xmdl_offset");
	l->n = rd_count(r, MAX_TBSN, 4, "xmdl_bsnum");
	for (i = 0; i < l->n; i++)
		l->tbsn[i] = rd_u32(r, "tbsn");
}

/**
 * rd_item - take an item
 * @r: where from
 * @it: where to
 */
static void rd_item(struct rd *r, struct item *it)
{
	it->disp = rd_u32(r, "xmdmi_disp");
	it->len = rd_u32(r, "xmdmi_length");
	rd_where(r, &it->loc, "xmdmi_where");
	switch (it->loc.type) {
	case T_EXRW:
		rd_chunk(r, &it->loc.ex);
		break;
	case T_TBSN:
		rd_tbsn(r, &it->loc);
		break;
	case T_TOOSHORT:
	case T_NOITEM:
		break;
	default:
		rd_fault(r, "type of an item");
	}
}

/**
 * rd_items - take optxrq_dp or optxrs_dp
 * @r: where from
 * @x: where to
 */
static void rd_items(struct rd *r, struct xmt *x)
{
	u32 i;

	x->nitems = rd_count(r, MAX_ITEMS, 12, "count of items");
	for (i = 0; i < x->nitems && !r->why; i++)
		rd_item(r, &x->item[i]);
}

/**
 * rd_target - take a target
 * @r: where from
 * @t: where to
 */
static void rd_target(struct rd *r, struct target *t)
{
	t->minlen = rd_u32(r, "xmdrsdi_minlen");
	rd_where(r, &t->loc, "xmdrsdi_loc");
	switch (t->loc.type) {
	case T_BYSIZE:
		t->loc.off = rd_u32(r, "xmdrsdl_dsdov");
		rd_chunk(r, &t->loc.ex);
		break;
	case T_EXRW:
	case T_CHOICE:
		rd_chunk(r, &t->loc.ex);
		break;
	case T_TBSN:
		break;
	default:
		rd_fault(r, "type of a target");
	}
}

/**
 * rd_set - take a set of targets
 * @r: where from
 * @x: where to
 * @s: the set
 */
static void rd_set(struct rd *r, struct xmt *x, struct set *s)
{
	struct target *t;
	u32 i;

	s->begin = rd_u32(r, "xmdrsdr_begin");
	s->end = rd_u32(r, "xmdrsdr_end");
	s->n = rd_count(r, MAX_ITEMS - x->ntargets, 8, "count of targets");
	for (i = 0; i < s->n && !r->why; i++) {
		t = &x->target[x->ntargets++];
		t->begin = s->begin;
		t->end = s->end;
		rd_target(r, t);
	}
}

/**
 * rd_sets - take optxrq_rsd
 * @r: where from
 * @x: where to
 */
static void rd_sets(struct rd *r, struct xmt *x)
{
	u32 i;

	x->nsets = rd_count(r, MAX_SETS, 12, "count of sets");
	for (i = 0; i < x->nsets && !r->why; i++)
		rd_set(r, x, &x->set[i]);
}

/**
 * rd_cont - take the fields of XMTCONT
 * @r: where from
 * @x: where to
 */
static void rd_cont(struct rd *r, struct xmt *x)
{
	x->xnum = rd_u32(r, "optxc_xnum");
	x->itype = rd_u32(r, "optxc_itype");
}

/**
 * xmt_decode - take a transmission apart
 * @x: what it says
 * @h: its decoded header
 * @why: gets the fault
 *
 * Return: 0, or -1 if it is malformed.
 */
int xmt_decode(struct xmt *x, const struct hdr *h, const char **why)
{
	struct rd r = { .p = h->optinfo, .left = h->optlen };

	/* Its arrays are large, and mostly not in use. */
	x->type = h->opttype;
	x->nitems = 0;
	x->nsets = 0;
	x->ntargets = 0;
	x->count = 0;
	x->rsbuf = 0;
	x->xnum = 0;
	x->itype = 0;
	if (x->type == O_XMTCONT) {
		rd_cont(&r, x);
	} else {
		rd_items(&r, x);
		if (x->type == O_XMTREQ)
			rd_sets(&r, x);
		x->count = rd_u32(&r, "count of transmissions");
		if (x->type == O_XMTREQ)
			x->rsbuf = rd_u32(&r, "optxrq_rsbuf");
	}
	x->pslen = rd_u32(&r, "pslen");
	if (r.left)
		rd_fault(&r, "words left over in optinfo");
	*why = r.why;
	return r.why ? -1 : 0;
}

/**
 * rd_xms - take the name of a transmission
 * @r: where from
 * @m: where to
 */
static void rd_xms(struct rd *r, struct xms *m)
{
	m->xid = rd_u32(r, "xmsi_xid");
	m->dir = rd_bool(r, "xmsi_dir");
	m->seq = rd_u32(r, "xmsi_seq");
}

/**
 * rept_values - how many values a report has
 * @which: what it is about
 *
 * Return: the number, or ~0 if there is no such report.
 */
u32 rept_values(u32 which)
{
	switch (which) {
	case R_BADHMT:
	case R_BADOMT:
	case R_BADSEQ:
	case R_BADXID:
		return 2;
	case R_BADCONT:
		return 0;
	case R_BADOFF:
	case R_BADTBSN:
	case R_BADPL:
		return 3;
	}
	return ~0u;
}

/**
 * rept_decode - take a REPTERR apart
 * @x: what it says
 * @h: its decoded header
 *
 * Return: 0, or -1 if it is malformed.
 */
int rept_decode(struct rept *x, const struct hdr *h)
{
	struct rd r = { .p = h->optinfo, .left = h->optlen };
	u32 n, i;

	memset(x, 0, sizeof(*x));
	rd_xms(&r, &x->bad);
	x->has_lead = rd_bool(&r, "optre_lead") == 1;
	if (x->has_lead)
		rd_xms(&r, &x->lead);
	x->which = rd_u32(&r, "optre_which");
	n = rept_values(x->which);
	if (r.why || n > 3)
		return -1;
	for (i = 0; i < n; i++)
		x->v[i] = rd_u32(&r, "value of a report");
	return r.why || r.left ? -1 : 0;
}

/**
 * put_item - append an item
 * @b: the message
 * @it: the item
 */
static void put_item(struct buf *b, const struct item *it)
{
	u32 i;

	buf_u32(b, it->disp);
	buf_u32(b, it->len);
	buf_u32(b, it->loc.type);
	if (it->loc.type == T_EXRW)
		wire_chunk(b, &it->loc.ex);
	if (it->loc.type != T_TBSN)
		return;
	buf_u32(b, it->loc.off);
	buf_u32(b, it->loc.n);
	for (i = 0; i < it->loc.n; i++)
		buf_u32(b, it->loc.tbsn[i]);
}

/**
 * put_target - append a target
 * @b: the message
 * @t: the target
 */
static void put_target(struct buf *b, const struct target *t)
{
	buf_u32(b, t->minlen);
	buf_u32(b, t->loc.type);
	if (t->loc.type == T_BYSIZE)
		buf_u32(b, t->loc.off);
	if (t->loc.type != T_TBSN)
		wire_chunk(b, &t->loc.ex);
}

/**
 * put_sets - append optxrq_rsd
 * @b: the message
 * @x: where it is taken from
 */
static void put_sets(struct buf *b, const struct xmt *x)
{
	const struct target *t = x->target;
	u32 i, j;

	buf_u32(b, x->nsets);
	for (i = 0; i < x->nsets; i++) {
		buf_u32(b, x->set[i].begin);
		buf_u32(b, x->set[i].end);
		buf_u32(b, x->set[i].n);
		for (j = 0; j < x->set[i].n; j++)
			put_target(b, t++);
	}
}

/**
 * put_info - append the optinfo of a transmission
 * @b: the message
 * @x: what it says
 */
static void put_info(struct buf *b, const struct xmt *x)
{
	u32 i;

	if (x->type == O_XMTCONT) {
		buf_u32(b, x->xnum);
		buf_u32(b, x->itype);
		buf_u32(b, x->pslen);
		return;
	}
	buf_u32(b, x->nitems);
	for (i = 0; i < x->nitems; i++)
		put_item(b, &x->item[i]);
	if (x->type == O_XMTREQ)
		put_sets(b, x);
	buf_u32(b, x->count);
	if (x->type == O_XMTREQ)
		buf_u32(b, x->rsbuf);
	buf_u32(b, x->pslen);
}

/**
 * xmt_put - append the header of a transmission
 * @b: the message
 * @xid: its xid
 * @credit: its credits
 * @dir: its direction
 * @x: what it says
 */
void xmt_put(struct buf *b, u32 xid, u32 credit, u32 dir, const struct xmt *x)
{
	size_t at;

	wire_fixed(b, xid, 2, credit, P_OPTIONAL);
	buf_u32(b, dir);
	buf_u32(b, x->type);
	at = b->len;
	buf_u32(b, 0);
	put_info(b, x);
	buf_put_u32(b, at, b->len - at - 4);
}

/**
 * put_xms - append the name of a transmission
 * @b: the message
 * @m: the name
 */
static void put_xms(struct buf *b, const struct xms *m)
{
	buf_u32(b, m->xid);
	buf_u32(b, m->dir);
	buf_u32(b, m->seq);
}

/**
 * rept_put - append what a REPTERR says
 * @b: the message
 * @x: the report
 */
void rept_put(struct buf *b, const struct rept *x)
{
	u32 n = rept_values(x->which), i;

	put_xms(b, &x->bad);
	buf_u32(b, x->has_lead);
	if (x->has_lead)
		put_xms(b, &x->lead);
	buf_u32(b, x->which);
	for (i = 0; i < n; i++)
		buf_u32(b, x->v[i]);
}
