// SPDX-License-Identifier: GPL-2.0
/*
 * Takes the transmissions of a message, finds what is wrong with them, and
 * puts the message together.
 *
 * The faults that group_first() finds can be told from the first transmission
 * alone, those of group_whole() when all are there.
 */
#include <stdlib.h>
#include <string.h>

#include "group.h"

/**
 * word - a value as it goes into a REPTERR
 * @v: the value
 *
 * Return: the same, or the highest word.
 */
static u32 word(u64 v)
{
	return v < ~0u ? v : ~0u;
}

/**
 * report - note that a REPTERR is due
 * @f: gets the fault
 * @what: the fault in words
 * @which: R_*
 * @a: first value
 * @b: second value
 * @c: third value
 *
 * Return: true.
 */
static bool report(struct fault *f, const char *what, u32 which, u64 a, u64 b,
		   u64 c)
{
	*f = (struct fault){
		.what = what, .which = which, .v = { word(a), word(b), word(c) },
	};
	return true;
}

/**
 * refuse - note that an ERROR is due
 * @f: gets the fault
 * @what: the fault in words
 * @err: its code
 *
 * Return: true.
 */
static bool refuse(struct fault *f, const char *what, u32 err)
{
	*f = (struct fault){ .what = what, .err = err };
	return true;
}

/**
 * group_free - forget all transmissions
 * @g: the group
 */
void group_free(struct group *g)
{
	u32 i;

	for (i = 0; i < g->n; i++)
		free(g->part[i].p);
	g->n = 0;
}

/**
 * add_part - keep a transmission
 * @g: the group
 * @h: its header
 * @p: its bytes
 * @len: how many
 * @pslen: length of its payload
 */
static void add_part(struct group *g, const struct hdr *h, const u8 *p,
		     size_t len, u32 pslen)
{
	struct part *t = &g->part[g->n++];

	t->p = malloc(len + !len);
	if (!t->p)
		abort();
	memcpy(t->p, p, len);
	t->len = len;
	t->hlen = h->hlen;
	t->pslen = pslen;
}

/**
 * seg_sum - bytes that segments have room for
 * @c: the segments
 *
 * Return: the sum.
 */
static u64 seg_sum(const struct chunk *c)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < c->nsegs; i++)
		sum += c->seg[i].len;
	return sum;
}

/**
 * item_spans - find where in the receives an item lies
 * @lay: how they are made up
 * @it: the item
 * @out: gets up to MAX_TBSN spans
 *
 * Return: how many, or -1 if the list of segments is too short.
 */
int item_spans(const struct layout *lay, const struct item *it,
	       struct span *out)
{
	u32 left = it->len, from = it->loc.off, i, room;

	for (i = 0; i < it->loc.n && left; i++) {
		const struct lay_seg *g = layout_plt(lay, it->loc.tbsn[i]);

		room = from < g->len ? g->len - from : 0;
		out[i].tbsn = it->loc.tbsn[i];
		out[i].from = from;
		out[i].len = left < room ? left : room;
		left -= out[i].len;
		from = 0;
	}
	return left ? -1 : (int)i;
}

/**
 * claimed_twice - does an item lie where an earlier one does, or itself?
 * @g: the group
 * @lay: how receives are made up
 * @nr: number of the item
 * @tbsn: gets the segment
 *
 * Return: true if so.
 */
static bool claimed_twice(const struct group *g, const struct layout *lay,
			  u32 nr, u32 *tbsn)
{
	static struct span all[MAX_ITEMS * MAX_TBSN];
	int n = 0, i, j, k;
	u32 m;

	for (m = 0; m <= nr; m++) {
		if (g->x.item[m].loc.type != T_TBSN)
			continue;
		k = item_spans(lay, &g->x.item[m], all + n);
		n += k > 0 ? k : 0;
	}
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			if (all[i].tbsn == all[j].tbsn &&
			    all[i].from < all[j].from + all[j].len &&
			    all[j].from < all[i].from + all[i].len) {
				*tbsn = all[i].tbsn;
				return true;
			}
	return false;
}

/**
 * bad_tbsn - is something wrong with an item that is placed in receives?
 * @g: the group
 * @lay: how receives are made up
 * @nr: number of the item
 * @f: gets the fault
 *
 * Return: true if so.
 */
static bool bad_tbsn(const struct group *g, const struct layout *lay, u32 nr,
		     struct fault *f)
{
	const struct item *it = &g->x.item[nr];
	static struct span out[MAX_TBSN];
	const struct loc *l = &it->loc;
	u64 all = (u64)(g->x.count + !g->x.count) * lay->nplt;
	u32 last = l->n ? l->tbsn[l->n - 1] : ~0u, twice, len, i;
	int n;

	if (!lay->nplt)
		return report(f, "no segment to place data in", R_BADTBSN,
			      l->n ? l->tbsn[0] : ~0u, 1, 0);
	len = layout_plt(lay, l->n ? l->tbsn[0] : 0)->len;
	if (l->off % 4 || (l->n && l->off >= len))
		return report(f, "xmdl_offset", R_BADOFF, l->off, 0, len - 4);
	n = item_spans(lay, it, out);
	for (i = 0; i < (n < 0 ? l->n : (u32)n); i++)
		if (l->tbsn[i] >= all)
			return report(f, "segment beyond the group", R_BADTBSN,
				      l->tbsn[i], 0, all - 1);
	if (n < 0)
		return report(f, "too few segments", R_BADTBSN, last, 0,
			      all - 1);
	if (claimed_twice(g, lay, nr, &twice))
		return report(f, "bytes claimed twice", R_BADTBSN, twice, 0,
			      all - 1);
	return false;
}

/**
 * payload_sum - bytes of all payload parts
 * @g: the group
 *
 * Return: the sum.
 */
static u64 payload_sum(const struct group *g)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < g->n; i++)
		sum += g->part[i].pslen;
	return sum;
}

/**
 * struct reach - what the items of a message leave to those behind them
 * @low: lowest displacement of the next one
 * @used: bytes of all, rounded up
 */
struct reach {
	u64 low, used;
};

/**
 * highest - how far along an item may be
 * @g: the group
 * @r: what is before it
 *
 * Return: the highest displacement; while transmissions are missing, any of a message.
 */
static u64 highest(const struct group *g, const struct reach *r)
{
	return g->n < g->x.count ? GROUP_MAX_MSG : payload_sum(g) + r->used;
}

/**
 * bad_item - is something wrong with an item?
 * @g: the group
 * @lay: how receives are made up
 * @nr: its number
 * @r: what is before it, moved behind it
 * @f: gets the fault
 *
 * Return: true if so.
 */
static bool bad_item(const struct group *g, const struct layout *lay, u32 nr,
		     struct reach *r, struct fault *f)
{
	const struct item *it = &g->x.item[nr];
	u64 sum = seg_sum(&it->loc.ex), len = rounded(it->len);

	if (!excised(it)) {
		if (g->x.type == O_XMTREQ)
			return report(f, "result type in a request", R_BADTBSN,
				      it->loc.type, T_EXRW, T_TBSN);
		return false;
	}
	if (it->disp % 4 || it->disp < r->low)
		return report(f, "xmdmi_disp", R_BADOFF, it->disp, r->low,
			      highest(g, r));
	if (len > GROUP_MAX_MSG - r->used)
		return report(f, "message too long", R_BADOFF, it->len, 0,
			      GROUP_MAX_MSG - r->used);
	r->used += len;
	r->low = it->disp + (len ? len : 4);
	if (it->loc.type == T_TBSN)
		return bad_tbsn(g, lay, nr, f);
	if (g->x.type == O_XMTREQ && sum < it->len)
		return report(f, "segments shorter than the item", R_BADOFF,
			      it->len, 0, sum);
	return false;
}

/**
 * bad_sets - are the ranges of targets out of order, or beyond the message?
 * @x: the request
 * @len: length of its message, as far as it is there
 * @whole: all of it is there
 * @f: gets the fault
 *
 * Return: true if so.
 */
static bool bad_sets(const struct xmt *x, u64 len, bool whole, struct fault *f)
{
	u32 low = 0, i;

	for (i = 0; i < x->nsets; i++) {
		const struct set *s = &x->set[i];

		if (s->begin < low || (whole && s->begin > len))
			return report(f, "xmdrsdr_begin", R_BADOFF, s->begin,
				      low, len);
		if (s->end < s->begin || (whole && s->end > len))
			return report(f, "xmdrsdr_end", R_BADOFF, s->end,
				      s->begin, len);
		low = s->end;
	}
	return false;
}

/**
 * bad_pslen - does a payload part not fit its transmission?
 * @g: the group, with the transmission as its last part
 * @f: gets the fault
 *
 * Return: true if so.
 */
static bool bad_pslen(const struct group *g, struct fault *f)
{
	const struct part *t = &g->part[g->n - 1];
	const struct item *it = &g->x.item[0];
	u32 left = t->len - t->hlen, min = 0;
	bool whole = g->x.nitems && it->loc.type == T_EXRW && !it->disp;

	if (t->pslen > left || t->pslen % 4)
		return report(f, "pslen", R_BADPL, t->pslen, 0, left);
	if (g->n == 1 && !whole)
		min = 8;
	if (t->pslen < min)
		return report(f, "pslen below 8", R_BADPL, t->pslen, min, left);
	return false;
}

/**
 * bad_payload - is the start of the payload not what the header says?
 * @g: the group, its first transmission
 *
 * Return: true if so.
 */
static bool bad_payload(const struct group *g)
{
	const struct part *t = &g->part[0];

	return t->pslen >= 8 && (get_u32(t->p + t->hlen) != g->xid ||
				 get_u32(t->p + t->hlen + 4) != g->dir);
}

/**
 * group_first - begin with a first transmission
 * @g: the group, empty
 * @h: its decoded header
 * @p: its bytes
 * @len: how many
 * @lay: how our receives are made up
 * @limit: transmissions that a group may have
 * @f: gets the fault
 *
 * Return: true if there is a fault; the transmission is kept in any case.
 */
bool group_first(struct group *g, const struct hdr *h, const u8 *p, size_t len,
		 const struct layout *lay, u32 limit, struct fault *f)
{
	struct reach r = { };
	const char *why;
	u32 i;

	memset(f, 0, sizeof(*f));
	g->xid = h->xid;
	g->dir = h->dir;
	g->credit = h->credit;
	if (xmt_decode(&g->x, h, &why))
		return refuse(f, why, E_XDR);
	add_part(g, h, p, len, g->x.pslen);
	for (i = 0; i < g->x.nitems; i++)
		if (bad_item(g, lay, i, &r, f))
			return true;
	if (bad_sets(&g->x, payload_sum(g) + r.used, false, f))
		return true;
	if (!g->x.count)
		return report(f, "count 0", R_BADSEQ, 1, 0, 0);
	if (g->x.count > limit || g->x.count > MAX_PARTS)
		return report(f, "count", R_BADSEQ, limit, g->x.count, 0);
	if (bad_pslen(g, f))
		return true;
	return bad_payload(g) && refuse(f, "payload of something else", E_XDR);
}

/**
 * group_next - go on with an XMTCONT
 * @g: the group
 * @h: its decoded header
 * @p: its bytes
 * @len: how many
 * @f: gets the fault
 *
 * Return: true if there is a fault.
 */
bool group_next(struct group *g, const struct hdr *h, const u8 *p, size_t len,
		struct fault *f)
{
	static struct xmt x;
	const char *why;

	memset(f, 0, sizeof(*f));
	if (xmt_decode(&x, h, &why))
		return refuse(f, why, E_XDR);
	if (!g->n)
		return report(f, "XMTCONT without a group", R_BADCONT, 0, 0, 0);
	if (h->xid != g->xid || h->dir != g->dir)
		return report(f, "XMTCONT of something else", R_BADXID, g->xid,
			      h->xid, 0);
	if (x.itype != g->x.type)
		return report(f, "optxc_itype", R_BADOMT, g->x.type, x.itype,
			      0);
	if (x.xnum != g->n)
		return report(f, "optxc_xnum", R_BADSEQ, g->n, x.xnum, 0);
	add_part(g, h, p, len, x.pslen);
	return bad_pslen(g, f);
}

/**
 * last_plt - find the last segment before another one that was received whole
 * @g: the group
 * @lay: how receives are made up
 * @i: the other one
 *
 * Return: its number, ~0 if there is none.
 */
static u32 last_plt(const struct group *g, const struct layout *lay, u32 i)
{
	while (i--) {
		const struct lay_seg *seg = layout_plt(lay, i);

		if (g->part[i / lay->nplt].len >= (u64)seg->at + seg->len)
			return i;
	}
	return ~0u;
}

/**
 * bad_span - are bytes of an item not there, or something else?
 * @g: the group
 * @lay: how receives are made up
 * @s: the bytes
 * @f: gets the fault
 *
 * Return: true if so.
 */
static bool bad_span(const struct group *g, const struct layout *lay,
		     const struct span *s, struct fault *f)
{
	const struct lay_seg *seg = layout_plt(lay, s->tbsn);
	const struct part *t = &g->part[s->tbsn / lay->nplt];
	u64 head = t->hlen + t->pslen;
	u32 last = last_plt(g, lay, s->tbsn);

	if (seg->at + (u64)s->from + s->len > t->len)
		return report(f, "segment was not received", R_BADTBSN,
			      s->tbsn, last == ~0u, last == ~0u ? 0 : last);
	if (s->len && seg->at + s->from < head)
		return report(f, "item overlaps the payload", R_BADOFF,
			      s->from, head > seg->at ? head - seg->at : 0,
			      seg->len - 4);
	return false;
}

/**
 * group_whole - find what is wrong with a group that is complete
 * @g: the group
 * @lay: how receives are made up
 * @f: gets the fault
 *
 * Return: true if there is a fault.
 */
bool group_whole(const struct group *g, const struct layout *lay,
		 struct fault *f)
{
	static struct span out[MAX_TBSN];
	u64 reach = payload_sum(g), low = 0;
	u32 i;
	int n, j;

	memset(f, 0, sizeof(*f));
	for (i = 0; i < g->x.nitems; i++) {
		const struct item *it = &g->x.item[i];

		if (!excised(it))
			continue;
		if (it->disp > reach)
			return report(f, "xmdmi_disp beyond the payload",
				      R_BADOFF, it->disp, low, reach);
		reach += rounded(it->len);
		low = it->disp + rounded(it->len);
		n = it->loc.type == T_TBSN ? item_spans(lay, it, out) : 0;
		for (j = 0; j < n; j++)
			if (bad_span(g, lay, &out[j], f))
				return true;
	}
	return bad_sets(&g->x, reach, true, f);
}

/**
 * put_placed - append an item that lies in receives
 * @g: the group
 * @lay: how they are made up
 * @it: the item
 * @out: the message
 */
static void put_placed(const struct group *g, const struct layout *lay,
		       const struct item *it, struct buf *out)
{
	static struct span s[MAX_TBSN];
	int n = item_spans(lay, it, s), i;

	for (i = 0; i < n; i++)
		buf_bytes(out, g->part[s[i].tbsn / lay->nplt].p +
			  layout_plt(lay, s[i].tbsn)->at + s[i].from, s[i].len);
}

/**
 * group_message - put the message together
 * @g: a group without faults
 * @lay: how receives are made up
 * @fetch: gives what RDMA moves
 * @ctx: for @fetch
 * @out: gets the message
 *
 * Return: 0, or -1 if something could not be fetched or is too long.
 */
int group_message(const struct group *g, const struct layout *lay,
		  fetch_fn fetch, void *ctx, struct buf *out)
{
	struct buf all;
	size_t at = 0, n;
	const u8 *p;
	u32 i;

	buf_init(&all, payload_sum(g) + 1);
	for (i = 0; i < g->n; i++)
		buf_bytes(&all, g->part[i].p + g->part[i].hlen,
			  g->part[i].pslen);
	buf_reset(out);
	for (i = 0; i < g->x.nitems; i++) {
		const struct item *it = &g->x.item[i];

		if (!excised(it))
			continue;
		n = it->disp - out->len;
		p = it->loc.type == T_EXRW && it->len ? fetch(ctx, it) : NULL;
		if ((it->loc.type == T_EXRW && it->len && !p) ||
		    out->len + n + rounded(it->len) > out->cap)
			goto fail;
		buf_bytes(out, all.p + at, n);
		at += n;
		if (it->loc.type == T_TBSN)
			put_placed(g, lay, it, out);
		else if (p)
			buf_bytes(out, p, it->len);
		buf_fill(out, 0, -it->len & 3);
	}
	if (out->len + all.len - at > out->cap)
		goto fail;
	buf_bytes(out, all.p + at, all.len - at);
	buf_free(&all);
	return 0;
fail:
	buf_free(&all);
	return -1;
}

/**
 * blank_placed - blank what items lie in
 * @g: the group
 * @lay: how receives are made up
 * @nr: which transmission
 * @copy: its bytes
 */
static void blank_placed(const struct group *g, const struct layout *lay,
			 u32 nr, u8 *copy)
{
	static struct span s[MAX_TBSN];
	int n, j;
	u32 i;

	for (i = 0; i < g->x.nitems; i++) {
		if (g->x.item[i].loc.type != T_TBSN)
			continue;
		n = item_spans(lay, &g->x.item[i], s);
		for (j = 0; j < n; j++)
			if (s[j].tbsn / lay->nplt == nr)
				memset(copy + layout_plt(lay, s[j].tbsn)->at +
				       s[j].from, 0, s[j].len);
	}
}

/**
 * padding_is_zero - is there nothing but zeros beside payload and items?
 * @g: the group
 * @lay: how receives are made up
 * @nr: which transmission
 *
 * Return: true if so.
 */
static bool padding_is_zero(const struct group *g, const struct layout *lay,
			    u32 nr)
{
	const struct part *t = &g->part[nr];
	u8 *copy = malloc(t->len);
	size_t i;
	bool zero = true;

	if (!copy)
		abort();
	memcpy(copy, t->p, t->len);
	blank_placed(g, lay, nr, copy);
	for (i = t->hlen + t->pslen; i < t->len; i++)
		zero &= !copy[i];
	free(copy);
	return zero;
}

/**
 * group_manners - hold a sender to what it must do where a receiver takes more
 * @g: a group without faults
 * @lay: how the receives are made up
 *
 * Return: what is wrong, or NULL.
 */
const char *group_manners(const struct group *g, const struct layout *lay)
{
	u64 free_from = 0;
	u32 i, j;

	for (i = 0; i < g->x.nitems; i++) {
		const struct loc *l = &g->x.item[i].loc;

		if (l->type != T_TBSN)
			continue;
		if (l->off)
			return "an item starts within a segment";
		for (j = 0; j < l->n; j++) {
			if (l->tbsn[j] < free_from)
				return "segments of items do not ascend";
			free_from = (u64)l->tbsn[j] + 1;
		}
	}
	for (i = 0; i < g->n; i++)
		if (!padding_is_zero(g, lay, i))
			return "padding is not zero";
	return NULL;
}

/**
 * type_allowed - may an item be where it is?
 * @want: type of its target
 * @got: its own type
 *
 * Return: true if so.
 */
static bool type_allowed(u32 want, u32 got)
{
	if (got == T_TOOSHORT || got == T_NOITEM)
		return true;
	if (want == T_EXRW || want == T_TBSN)
		return got == want;
	return true;
}

/**
 * exrw_as_offered - do segments come back as they were offered?
 * @t: the target
 * @it: the item
 *
 * Return: true if so.
 */
static bool exrw_as_offered(const struct target *t, const struct item *it)
{
	u32 i;

	if (t->loc.ex.nsegs != it->loc.ex.nsegs)
		return false;
	for (i = 0; i < it->loc.ex.nsegs; i++) {
		const struct seg *a = &t->loc.ex.seg[i];
		const struct seg *b = &it->loc.ex.seg[i];

		if (a->handle != b->handle || a->off != b->off ||
		    b->len > a->len)
			return false;
	}
	return seg_sum(&it->loc.ex) == it->len;
}

/**
 * resp_allowed - may the items of a response be as they are?
 * @req: the request
 * @resp: the response
 *
 * Return: what is wrong, or NULL.
 */
const char *resp_allowed(const struct xmt *req, const struct xmt *resp)
{
	u32 i;

	if (resp->nitems != req->ntargets)
		return "number of items is not that of targets";
	for (i = 0; i < resp->nitems; i++) {
		const struct target *t = &req->target[i];
		const struct item *it = &resp->item[i];

		if (!type_allowed(t->loc.type, it->loc.type))
			return "type of an item is not that of its target";
		if (it->loc.type == T_EXRW && !exrw_as_offered(t, it))
			return "segments not as offered";
	}
	return NULL;
}

/**
 * resp_manners - hold a responder to what a requester does not insist on
 * @req: the request
 * @resp: the response, as allowed
 *
 * Return: what is wrong, or NULL.
 */
const char *resp_manners(const struct xmt *req, const struct xmt *resp)
{
	u32 i;

	for (i = 0; i < resp->nitems; i++) {
		const struct item *it = &resp->item[i];

		if (excised(it) && it->len < req->target[i].minlen)
			return "item shorter than minlen is out of line";
		if (it->loc.type == T_NOITEM && (it->disp || it->len))
			return "NOITEM with values";
		if (it->loc.type == T_TOOSHORT && it->disp % 4)
			return "TOOSHORT with an odd displacement";
	}
	return NULL;
}
