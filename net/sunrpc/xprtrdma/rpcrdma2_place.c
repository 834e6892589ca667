// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: where data is placed in the buffers of Receives.
 *
 * Invariants:
 *
 * L1. Sums of received values are made in 64 bits, or of values that were
 *     bounded before.
 * L2. rpcrdma2_check_lead() looks at what the initial transmission says, in
 *     the order of its fields (N-153). What depends on bytes that may be still
 *     to come is looked at by rpcrdma2_check_whole(), after each transmission
 *     went through rpcrdma2_check_part().
 * L3. After these three, the pieces that rpcrdma2_walk_next() finds were
 *     received, do not overlap, and follow each other without gaps in the
 *     virtual stream.
 */

#include "rpcrdma2_codec_priv.h"
#include "rpcrdma2_place.h"

/*
 * Section: the structure of a receive buffer
 */

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
 * Serves A-76, P-13, P-17.
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
 * rpcrdma2_plt_span - find a segment that can be aimed at
 * @rb: sound structure
 * @n: its number, from zero in each Receive
 * @span: OUT: where it is
 *
 * Serves.
 *
 * Return: %false if there is no such segment
 */
bool rpcrdma2_plt_span(const struct rpcrdma2_rbstruct *rb, u32 n,
		       struct rpcrdma2_span *span)
{
	const struct rpcrdma2_rbgroup *grp;
	u32 offset = 0;

	for (grp = rb->groups; grp < rb->groups + rb->ngroups; grp++) {
		if (grp->flags & RDMA2_XMRSFLAG_PLT) {
			if (n < grp->count) {
				span->offset = offset + n * grp->length;
				span->length = grp->length;
				return true;
			}
			n -= grp->count;
		}
		offset += grp->count * grp->length;
	}
	return false;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_plt_span);

/*
 * Section: sending
 */

/**
 * rpcrdma2_spot_try - see whether an item fits from a segment on
 * @rb: structure of the peer's Receives
 * @n: the segment
 * @start: first byte that is free
 * @spot: OUT: the place; its length was set by the caller
 *
 * Segments between which there is something else are not joined: the item has
 * to be one piece of the Send.
 *
 * Return: %false if it does not
 */
static bool rpcrdma2_spot_try(const struct rpcrdma2_rbstruct *rb, u32 n,
			      u32 start, struct rpcrdma2_spot *spot)
{
	struct rpcrdma2_span span;
	u32 end;

	if (!rpcrdma2_plt_span(rb, n, &span) || span.offset < start)
		return false;
	spot->span.offset = span.offset;
	spot->tbsn = n;
	spot->count = 1;
	for (end = span.offset + span.length;
	     end - spot->span.offset < spot->span.length;
	     end += span.length, spot->count++)
		if (!rpcrdma2_plt_span(rb, n + spot->count, &span) ||
		    span.offset != end)
			return false;
	return true;
}

/**
 * rpcrdma2_spot_find - find a place for an item
 * @rb: structure of the peer's Receives
 * @next: first segment that is free
 * @start: first byte that is free
 * @spot: OUT: the place; its length was set by the caller
 *
 * Items begin where a segment does.
 *
 * Return: %false if there is none
 */
static bool rpcrdma2_spot_find(const struct rpcrdma2_rbstruct *rb, u32 next,
			       u32 start, struct rpcrdma2_spot *spot)
{
	u32 n, count = rpcrdma2_plt_count(rb);

	spot->xnum = 0;
	if (!spot->span.length) {
		spot->span.offset = start;
		spot->tbsn = next;
		spot->count = 0;
		return true;
	}
	for (n = next; n < count; n++)
		if (rpcrdma2_spot_try(rb, n, start, spot))
			return true;
	return false;
}

/**
 * rpcrdma2_layout_once - lay out items behind header and payload
 * @lay: OUT: the layout, all but @front
 * @rb: structure of the peer's Receives
 * @front: header and payload, in bytes
 * @lengths: lengths of the items, in bytes
 * @nitems: how many there are
 *
 * Return: how many segments the items reach into, or a negative errno if they
 * do not fit
 */
static int rpcrdma2_layout_once(struct rpcrdma2_layout *lay,
				const struct rpcrdma2_rbstruct *rb, u32 front,
				const u32 *lengths, u32 nitems)
{
	u32 i, next = 0, start = front, words = 0;

	for (i = 0; i < nitems; i++) {
		struct rpcrdma2_spot *spot = &lay->spots[i];

		spot->span.length = lengths[i];
		if (!rpcrdma2_spot_find(rb, next, start, spot))
			return -EMSGSIZE;
		start = spot->span.offset + spot->span.length;
		next = spot->tbsn + spot->count;
		words += spot->count;
	}
	lay->nspots = nitems;
	lay->length = start;
	return words;
}

/**
 * rpcrdma2_layout - find places for the items of a message
 * @lay: OUT: the layout
 * @rb: structure of the peer's Receives
 * @limit: longest Send that the peer can take, in bytes
 * @front: header and payload in bytes, numbers of segments not counted
 * @lengths: lengths of the items, in bytes
 * @nitems: how many there are, up to RPCRDMA2_MAX_MITEMS
 *
 * The numbers are part of the header, so that a longer list of them may move
 * what follows. Serves P-15, A-60, A-77.
 *
 * Return: %false if the items cannot be placed in one transmission
 */
bool rpcrdma2_layout(struct rpcrdma2_layout *lay,
		     const struct rpcrdma2_rbstruct *rb, u32 limit, u32 front,
		     const u32 *lengths, u32 nitems)
{
	int room = 0, words;
	u32 i;

	if (nitems > RPCRDMA2_MAX_MITEMS || front > limit)
		return false;
	for (;;) {
		words = rpcrdma2_layout_once(lay, rb, front + room * RPCRDMA2_WORD,
					     lengths, nitems);
		if (words < 0)
			return false;
		if (words <= room)
			break;
		room = words;
	}

	lay->front = front + words * RPCRDMA2_WORD;
	lay->npads = 0;
	for (i = 0; i < nitems; i++)
		lay->npads += !!rpcrdma2_layout_gap(lay, i);
	return words <= RPCRDMA2_MAX_TBSNS && lay->length <= limit &&
	       lay->front <= limit;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_layout);

/**
 * rpcrdma2_layout_gap - what is between an item and what is before it
 * @lay: a layout
 * @n: the item
 *
 * Serves S-01.
 *
 * Return: how many bytes of zeros to send in front of the item
 */
u32 rpcrdma2_layout_gap(const struct rpcrdma2_layout *lay, u32 n)
{
	const struct rpcrdma2_span *prev, *span = &lay->spots[n].span;

	if (!span->length)
		return 0;
	while (n--) {
		prev = &lay->spots[n].span;
		if (prev->length)
			return span->offset - (prev->offset + prev->length);
	}
	return span->offset - lay->front;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_layout_gap);

/**
 * rpcrdma2_spot_item - let an item say where it is placed
 * @spot: its place
 * @item: OUT: the item; position and length were set by the caller
 * @pool: gets the numbers
 *
 * Return: %false if there is no room for them in @pool
 */
bool rpcrdma2_spot_item(const struct rpcrdma2_spot *spot,
			struct rpcrdma2_mitem *item,
			struct rpcrdma2_pool *pool)
{
	u32 i;

	if (spot->count > RPCRDMA2_MAX_TBSNS - pool->ntbsns)
		return false;
	item->type = XMPTYPE_TBSN;
	item->offset = 0;
	item->first = pool->ntbsns;
	item->count = spot->count;
	for (i = 0; i < spot->count; i++)
		pool->tbsns[pool->ntbsns++] = spot->tbsn + i;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_spot_item);

/*
 * Section: faults
 */

/**
 * rpcrdma2_fault - report that a value is out of range
 * @fault: OUT: the report
 * @which: BADOFF, BADTBSN or BADPL
 * @value: the value
 * @min: the lowest one allowed
 * @max: the highest one allowed
 *
 * No range at all is shown as one to zero.
 *
 * Return: %false
 */
static bool rpcrdma2_fault(struct rpcrdma2_repterr *fault, u32 which,
			   u64 value, s64 min, s64 max)
{
	fault->which = which;
	fault->nargs = 3;
	fault->args[0] = min_t(u64, value, U32_MAX);
	if (min > max) {
		fault->args[1] = 1;
		fault->args[2] = 0;
	} else {
		fault->args[1] = min_t(s64, min, U32_MAX);
		fault->args[2] = min_t(s64, max, U32_MAX);
	}
	return false;
}

/**
 * rpcrdma2_bad_count - report that a group has a length it cannot have
 * @fault: OUT: the report
 * @expect: the length that can be
 * @count: the one it has
 *
 * Serves A-91, N-127, N-128.
 *
 * Return: %false
 */
static bool rpcrdma2_bad_count(struct rpcrdma2_repterr *fault, u32 expect,
			       u32 count)
{
	fault->which = OPTRERR_BADSEQ;
	fault->nargs = 2;
	fault->args[0] = expect;
	fault->args[1] = count;
	return false;
}

/**
 * rpcrdma2_tbsn_max - highest number of a segment in a message
 * @arr: the message
 *
 * Return: the number, negative if there is none
 */
static s64 rpcrdma2_tbsn_max(const struct rpcrdma2_arrival *arr)
{
	return (s64)max_t(u32, arr->count, 1) * rpcrdma2_plt_count(arr->rb) - 1;
}

/*
 * Section: items of a message that was received
 */

/**
 * rpcrdma2_claims_begin - begin to look where an item is placed
 * @it: OUT: the place before its first segment
 * @arr: the message
 * @item: item of it, XMPTYPE_TBSN
 */
void rpcrdma2_claims_begin(struct rpcrdma2_claims *it,
			   const struct rpcrdma2_arrival *arr,
			   const struct rpcrdma2_mitem *item)
{
	it->arr = arr;
	it->item = item;
	it->n = 0;
	it->left = item->length;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_claims_begin);

/**
 * rpcrdma2_claims_next - look at the next segment of an item
 * @it: place in an item whose numbers were found sound
 * @claim: OUT: what the item has of the segment
 *
 * Numbers that are listed behind the end of the data mean nothing (N-142).
 * Serves P-21.
 *
 * Return: %false behind the last one
 */
bool rpcrdma2_claims_next(struct rpcrdma2_claims *it,
			  struct rpcrdma2_claim *claim)
{
	const struct rpcrdma2_rbstruct *rb = it->arr->rb;
	struct rpcrdma2_span span;

	if (!it->left)
		return false;
	claim->tbsn = it->arr->pool->tbsns[it->item->first + it->n];
	claim->from = it->n ? 0 : it->item->offset;
	if (!rpcrdma2_plt_span(rb, claim->tbsn % rpcrdma2_plt_count(rb), &span))
		return false;
	claim->length = min_t(u32, it->left, span.length - claim->from);
	it->left -= claim->length;
	it->n++;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_claims_next);

/**
 * rpcrdma2_check_tbsn - check one number of an item's list
 * @arr: the message
 * @tbsn: the number
 * @fault: OUT: what is wrong
 *
 * Serves N-138, N-139.
 *
 * Return: %false if there is no such segment
 */
static bool rpcrdma2_check_tbsn(const struct rpcrdma2_arrival *arr, u32 tbsn,
				struct rpcrdma2_repterr *fault)
{
	s64 max = rpcrdma2_tbsn_max(arr);

	if (tbsn > max)
		return rpcrdma2_fault(fault, OPTRERR_BADTBSN, tbsn, 0, max);
	return true;
}

/**
 * rpcrdma2_check_offset - check where in its first segment an item begins
 * @arr: the message
 * @item: item of it, not empty, the first number of its list sound
 * @fault: OUT: what is wrong
 *
 * Serves N-144.
 *
 * Return: %false if it cannot begin there
 */
static bool rpcrdma2_check_offset(const struct rpcrdma2_arrival *arr,
				  const struct rpcrdma2_mitem *item,
				  struct rpcrdma2_repterr *fault)
{
	struct rpcrdma2_span span;
	u32 tbsn = arr->pool->tbsns[item->first];

	if (rpcrdma2_plt_span(arr->rb, tbsn % rpcrdma2_plt_count(arr->rb),
			      &span) &&
	    !(item->offset % RPCRDMA2_WORD) && item->offset < span.length)
		return true;
	return rpcrdma2_fault(fault, OPTRERR_BADOFF, item->offset, 0,
			      (s64)span.length - RPCRDMA2_WORD);
}

/**
 * rpcrdma2_check_placed - check the list of an item that is placed
 * @arr: the message
 * @item: item of it, XMPTYPE_TBSN
 * @fault: OUT: what is wrong
 *
 * Serves N-138..N-142, N-144, N-147.
 *
 * Return: %false if the item is not sound
 */
static bool rpcrdma2_check_placed(const struct rpcrdma2_arrival *arr,
				  const struct rpcrdma2_mitem *item,
				  struct rpcrdma2_repterr *fault)
{
	const u32 *tbsns = &arr->pool->tbsns[item->first];
	struct rpcrdma2_claims it;
	struct rpcrdma2_claim claim;

	rpcrdma2_claims_begin(&it, arr, item);
	while (it.left) {
		if (it.n == item->count)
			return rpcrdma2_fault(fault, OPTRERR_BADTBSN,
					      it.n ? tbsns[it.n - 1] : U32_MAX,
					      0, rpcrdma2_tbsn_max(arr));
		if (!rpcrdma2_check_tbsn(arr, tbsns[it.n], fault))
			return false;
		if (!it.n && !rpcrdma2_check_offset(arr, item, fault))
			return false;
		rpcrdma2_claims_next(&it, &claim);
	}
	return true;
}

/**
 * rpcrdma2_claims_apart - do two items, or one, claim no byte twice?
 * @arr: the message
 * @one: item of it
 * @other: the same or another one
 * @fault: OUT: what is wrong
 *
 * Serves N-143.
 *
 * Return: %false if they claim one
 */
static bool rpcrdma2_claims_apart(const struct rpcrdma2_arrival *arr,
				  const struct rpcrdma2_mitem *one,
				  const struct rpcrdma2_mitem *other,
				  struct rpcrdma2_repterr *fault)
{
	struct rpcrdma2_claims i, j;
	struct rpcrdma2_claim a, b;

	rpcrdma2_claims_begin(&i, arr, one);
	while (rpcrdma2_claims_next(&i, &a)) {
		rpcrdma2_claims_begin(&j, arr, other);
		while (rpcrdma2_claims_next(&j, &b)) {
			if (one == other && i.n <= j.n)
				break;
			if (a.tbsn == b.tbsn && a.from < b.from + b.length &&
			    b.from < a.from + a.length)
				return rpcrdma2_fault(fault, OPTRERR_BADTBSN,
						      a.tbsn, 0,
						      rpcrdma2_tbsn_max(arr));
		}
	}
	return true;
}

/**
 * rpcrdma2_claims_ascend - is each byte claimed behind the ones before it?
 * @arr: message whose lists were found sound
 *
 * Senders place items in this order, and then nothing can be claimed twice.
 *
 * Return: %false if it takes a closer look to tell
 */
static bool rpcrdma2_claims_ascend(const struct rpcrdma2_arrival *arr)
{
	struct rpcrdma2_claims it;
	struct rpcrdma2_claim claim;
	u64 pos, next = 0;
	u32 i;

	for (i = 0; i < arr->nitems; i++) {
		if (arr->items[i].type != XMPTYPE_TBSN)
			continue;
		rpcrdma2_claims_begin(&it, arr, &arr->items[i]);
		while (rpcrdma2_claims_next(&it, &claim)) {
			pos = (u64)claim.tbsn << 32 | claim.from;
			if (pos < next)
				return false;
			next = pos + claim.length;
		}
	}
	return true;
}

/**
 * rpcrdma2_check_claims - check that each byte is claimed once
 * @arr: message whose lists were found sound
 * @fault: OUT: what is wrong
 *
 * Serves N-143.
 *
 * Return: %false if one is claimed twice
 */
static bool rpcrdma2_check_claims(const struct rpcrdma2_arrival *arr,
				  struct rpcrdma2_repterr *fault)
{
	u32 i, j;

	if (rpcrdma2_claims_ascend(arr))
		return true;
	for (i = 0; i < arr->nitems; i++) {
		if (arr->items[i].type != XMPTYPE_TBSN)
			continue;
		for (j = 0; j <= i; j++)
			if (arr->items[j].type == XMPTYPE_TBSN &&
			    !rpcrdma2_claims_apart(arr, &arr->items[i],
						   &arr->items[j], fault))
				return false;
	}
	return true;
}

/**
 * rpcrdma2_segs_length - how much segments hold together
 * @pool: what they are in
 * @first: the first one
 * @count: how many
 *
 * Return: a length in bytes; U32_MAX if it is more than that
 */
u32 rpcrdma2_segs_length(const struct rpcrdma2_pool *pool, u32 first, u32 count)
{
	u64 sum = 0;

	while (count--)
		sum += pool->segs[first++].length;
	return min_t(u64, sum, U32_MAX);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_segs_length);

/**
 * rpcrdma2_check_location - check where an item is said to be
 * @arr: the message
 * @item: item of it
 * @fault: OUT: what is wrong
 *
 * Of a response, explicit lengths are compared with what was offered, by
 * rpcrdma2_resp_matches() (N-169). Serves N-136.
 *
 * Return: %false if it cannot be there
 */
static bool rpcrdma2_check_location(const struct rpcrdma2_arrival *arr,
				    const struct rpcrdma2_mitem *item,
				    struct rpcrdma2_repterr *fault)
{
	u32 sum;

	if (item->type == XMPTYPE_TBSN)
		return rpcrdma2_check_placed(arr, item, fault);
	if (arr->dir == RDMA2_REPLY)
		return true;
	sum = rpcrdma2_segs_length(arr->pool, item->first, item->count);
	if (sum < item->length)
		return rpcrdma2_fault(fault, OPTRERR_BADOFF, item->length, 0,
				      sum);
	return true;
}

/**
 * rpcrdma2_payload_length - length of the payload stream
 * @arr: the message
 *
 * Return: the length as far as transmissions are here, in bytes
 */
u64 rpcrdma2_payload_length(const struct rpcrdma2_arrival *arr)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < arr->nparts; i++)
		sum += arr->parts[i].pslen;
	return sum;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_payload_length);

/**
 * rpcrdma2_virtual_length - length of the RPC message
 * @arr: the message
 *
 * Serves A-73.
 *
 * Return: the length as far as transmissions are here, in bytes
 */
u64 rpcrdma2_virtual_length(const struct rpcrdma2_arrival *arr)
{
	u64 sum = rpcrdma2_payload_length(arr);
	u32 i;

	for (i = 0; i < arr->nitems; i++)
		if (rpcrdma2_is_excised(&arr->items[i]))
			sum += rpcrdma2_roundup(arr->items[i].length);
	return sum;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_virtual_length);

/**
 * rpcrdma2_disp_max - how far the payload before an item may reach
 * @arr: the message
 * @used: sum of the items before it, in bytes
 *
 * Return: the highest position; of a group that is not complete, any that a
 * message may have
 */
static u64 rpcrdma2_disp_max(const struct rpcrdma2_arrival *arr, u64 used)
{
	if (arr->nparts < arr->count)
		return arr->max_message;
	return rpcrdma2_payload_length(arr) + used;
}

/**
 * rpcrdma2_check_items - check what a message says of its items
 * @arr: the message, only its initial transmission being looked at
 * @fault: OUT: what is wrong
 *
 * An item without length is behind the one before it, too: positions ascend
 * . Serves N-125, N-133, N-135.
 *
 * Return: %false if an item is not sound
 */
static bool rpcrdma2_check_items(const struct rpcrdma2_arrival *arr,
				 struct rpcrdma2_repterr *fault)
{
	const struct rpcrdma2_mitem *item;
	u64 low = 0, used = 0;

	for (item = arr->items; item < arr->items + arr->nitems; item++) {
		if (!rpcrdma2_is_excised(item)) {
			if (arr->dir == RDMA2_REPLY)
				continue;
			return rpcrdma2_fault(fault, OPTRERR_BADTBSN,
					      item->type, XMPTYPE_EXRW,
					      XMPTYPE_TBSN);
		}
		if (item->disp % RPCRDMA2_WORD || item->disp < low)
			return rpcrdma2_fault(fault, OPTRERR_BADOFF,
					      item->disp, low,
					      rpcrdma2_disp_max(arr, used));
		if (rpcrdma2_roundup(item->length) > arr->max_message - used)
			return rpcrdma2_fault(fault, OPTRERR_BADOFF,
					      item->length, 0,
					      arr->max_message - used);
		if (!rpcrdma2_check_location(arr, item, fault))
			return false;
		used += rpcrdma2_roundup(item->length);
		low = item->disp +
		      max_t(u64, rpcrdma2_roundup(item->length), RPCRDMA2_WORD);
	}
	return rpcrdma2_check_claims(arr, fault);
}

/**
 * rpcrdma2_check_ranges - check the ranges of a request's directions
 * @req: the request
 * @max: length of its virtual stream as far as is known, in bytes
 * @whole: compare with that, too
 * @fault: OUT: what is wrong
 *
 * A range may be empty; then nothing matches it. Serves A-84, P-32, N-148.
 *
 * Return: %false if a range is not sound
 */
static bool rpcrdma2_check_ranges(const struct rpcrdma2_xmtreq *req, u64 max,
				  bool whole, struct rpcrdma2_repterr *fault)
{
	const struct rpcrdma2_rsdset *set;
	u32 low = 0;

	for (set = req->sets; set < req->sets + req->nsets; set++) {
		if (set->begin < low || (whole && set->begin > max))
			return rpcrdma2_fault(fault, OPTRERR_BADOFF,
					      set->begin, low, max);
		if (set->end < set->begin || (whole && set->end > max))
			return rpcrdma2_fault(fault, OPTRERR_BADOFF, set->end,
					      set->begin, max);
		low = set->end;
	}
	return true;
}

/**
 * rpcrdma2_lead_least - least payload of an initial transmission
 * @arr: the message
 *
 * A request may consist of nothing but what is to be pulled (A-64, N-131).
 *
 * Return: a length in bytes
 */
static u32 rpcrdma2_lead_least(const struct rpcrdma2_arrival *arr)
{
	if (arr->dir == RDMA2_CALL && arr->nitems &&
	    arr->items[0].type == XMPTYPE_EXRW && !arr->items[0].disp)
		return 0;
	return RPCRDMA2_PAYLOAD_MIN;
}

/**
 * rpcrdma2_check_lead - check what an initial transmission says
 * @arr: the message; its first part is here
 * @req: the request, or NULL if it is a response
 * @fault: OUT: what is wrong: code and arguments
 *
 * Serves N-125..N-144, N-148, N-153, N-167, N-168 as far as they can be told
 * from the initial transmission.
 *
 * Context: Any context.
 *
 * Return: %false if something is wrong
 */
bool rpcrdma2_check_lead(const struct rpcrdma2_arrival *arr,
			 const struct rpcrdma2_xmtreq *req,
			 struct rpcrdma2_repterr *fault)
{
	if (!rpcrdma2_check_items(arr, fault))
		return false;
	if (req && !rpcrdma2_check_ranges(req, rpcrdma2_virtual_length(arr),
					  false, fault))
		return false;
	if (!arr->count)
		return rpcrdma2_bad_count(fault, 1, 0);
	if (arr->count > arr->limit)
		return rpcrdma2_bad_count(fault, arr->limit, arr->count);
	return rpcrdma2_check_part(&arr->parts[0], rpcrdma2_lead_least(arr),
				   fault);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_check_lead);

/**
 * rpcrdma2_check_part - check the payload of a transmission
 * @part: the transmission
 * @least: least length of its payload, in bytes
 * @fault: OUT: what is wrong
 *
 * Serves A-78, N-129, N-131, N-186.
 *
 * Context: Any context.
 *
 * Return: %false if something is wrong
 */
bool rpcrdma2_check_part(const struct rpcrdma2_part *part, u32 least,
			 struct rpcrdma2_repterr *fault)
{
	u32 left = part->length - part->hdrlen;

	if (part->pslen > left || part->pslen % RPCRDMA2_WORD)
		return rpcrdma2_fault(fault, OPTRERR_BADPL, part->pslen, 0,
				      left);
	if (part->pslen < least)
		return rpcrdma2_fault(fault, OPTRERR_BADPL, part->pslen, least,
				      left);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_check_part);

/**
 * rpcrdma2_check_length - check the length of a message
 * @length: the length, in bytes
 * @max: the longest that can be taken
 * @fault: OUT: what is wrong
 *
 * Serves N-135.
 *
 * Return: %false if it is too long
 */
bool rpcrdma2_check_length(u64 length, u32 max, struct rpcrdma2_repterr *fault)
{
	return length <= max ||
	       rpcrdma2_fault(fault, OPTRERR_BADOFF, length, 0, max);
}

/**
 * rpcrdma2_last_received - the last segment that was received whole
 * @arr: complete message
 * @tbsn: segment that was not
 *
 * Return: its number, less than @tbsn, or negative if there is none
 */
static s64 rpcrdma2_last_received(const struct rpcrdma2_arrival *arr, u32 tbsn)
{
	u32 count = rpcrdma2_plt_count(arr->rb);
	struct rpcrdma2_span span;
	s64 n;

	for (n = (s64)tbsn - 1; n >= 0; n--)
		if (rpcrdma2_plt_span(arr->rb, n % count, &span) &&
		    span.offset + span.length <=
		    arr->parts[(u32)n / count].length)
			break;
	return n;
}

/**
 * rpcrdma2_check_claim - check that placed bytes are there
 * @arr: complete message
 * @claim: bytes of a segment that an item has
 * @fault: OUT: what is wrong
 *
 * What was not received may be left over from another message (S-14). Serves
 * N-140, N-146.
 *
 * Return: %false if they were not received, or are something else
 */
static bool rpcrdma2_check_claim(const struct rpcrdma2_arrival *arr,
				 const struct rpcrdma2_claim *claim,
				 struct rpcrdma2_repterr *fault)
{
	u32 count = rpcrdma2_plt_count(arr->rb);
	const struct rpcrdma2_part *part;
	struct rpcrdma2_span span;
	u32 begin, taken;

	part = &arr->parts[claim->tbsn / count];
	if (!rpcrdma2_plt_span(arr->rb, claim->tbsn % count, &span))
		return false;
	begin = span.offset + claim->from;
	taken = part->hdrlen + part->pslen;
	if (begin < taken)
		return rpcrdma2_fault(fault, OPTRERR_BADOFF, claim->from,
				      (s64)taken - span.offset,
				      (s64)span.length - RPCRDMA2_WORD);
	if (begin > part->length || claim->length > part->length - begin)
		return rpcrdma2_fault(fault, OPTRERR_BADTBSN, claim->tbsn, 0,
				      rpcrdma2_last_received(arr, claim->tbsn));
	return true;
}

/**
 * rpcrdma2_check_received - check that an item is where it is said to be
 * @arr: complete message
 * @item: item of it
 * @fault: OUT: what is wrong
 *
 * Return: %false if something is wrong
 */
static bool rpcrdma2_check_received(const struct rpcrdma2_arrival *arr,
				    const struct rpcrdma2_mitem *item,
				    struct rpcrdma2_repterr *fault)
{
	struct rpcrdma2_claims it;
	struct rpcrdma2_claim claim;

	if (item->type != XMPTYPE_TBSN)
		return true;
	rpcrdma2_claims_begin(&it, arr, item);
	while (rpcrdma2_claims_next(&it, &claim))
		if (!rpcrdma2_check_claim(arr, &claim, fault))
			return false;
	return true;
}

/**
 * rpcrdma2_check_whole - check what takes all of a message to tell
 * @arr: the message, complete; its lead and parts were found sound
 * @req: the request, or NULL if it is a response
 * @fault: OUT: what is wrong
 *
 * Serves N-134, N-135, N-140, N-146, N-148, N-168.
 *
 * Context: Any context.
 *
 * Return: %false if something is wrong
 */
bool rpcrdma2_check_whole(const struct rpcrdma2_arrival *arr,
			  const struct rpcrdma2_xmtreq *req,
			  struct rpcrdma2_repterr *fault)
{
	const struct rpcrdma2_mitem *item;
	u64 low = 0, used = 0, length = rpcrdma2_virtual_length(arr);

	for (item = arr->items; item < arr->items + arr->nitems; item++) {
		if (!rpcrdma2_is_excised(item))
			continue;
		if (item->disp > rpcrdma2_disp_max(arr, used))
			return rpcrdma2_fault(fault, OPTRERR_BADOFF,
					      item->disp, low,
					      rpcrdma2_disp_max(arr, used));
		if (!rpcrdma2_check_received(arr, item, fault))
			return false;
		used += rpcrdma2_roundup(item->length);
		low = item->disp + rpcrdma2_roundup(item->length);
	}
	if (!rpcrdma2_check_length(length, arr->max_message, fault))
		return false;
	return !req || rpcrdma2_check_ranges(req, length, true, fault);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_check_whole);

/*
 * Section: the virtual stream
 */

/**
 * rpcrdma2_walk_begin - begin to look where an RPC message is
 * @walk: OUT: its first byte
 * @arr: complete message that was found sound
 */
void rpcrdma2_walk_begin(struct rpcrdma2_walk *walk,
			 const struct rpcrdma2_arrival *arr)
{
	memset(walk, 0, sizeof(*walk));
	walk->arr = arr;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_walk_begin);

/**
 * rpcrdma2_walk_enter - enter the item that is next, if we are there
 * @walk: place in the virtual stream, not in an item
 *
 * Return: how many bytes of payload are before it; U64_MAX if there is none
 */
static u64 rpcrdma2_walk_enter(struct rpcrdma2_walk *walk)
{
	const struct rpcrdma2_arrival *arr = walk->arr;
	const struct rpcrdma2_mitem *item;

	for (; walk->item < arr->nitems; walk->item++) {
		item = &arr->items[walk->item];
		if (!rpcrdma2_is_excised(item) || !item->length)
			continue;
		if (item->disp > walk->disp)
			return item->disp - walk->disp;
		walk->inside = rpcrdma2_roundup(item->length);
		rpcrdma2_claims_begin(&walk->claims, arr, item);
		return 0;
	}
	return U64_MAX;
}

/**
 * rpcrdma2_walk_item - take the next piece of an item
 * @walk: place in an item
 * @piece: OUT: the piece
 */
static void rpcrdma2_walk_item(struct rpcrdma2_walk *walk,
			       struct rpcrdma2_piece *piece)
{
	const struct rpcrdma2_arrival *arr = walk->arr;
	u32 left = walk->claims.left, count;
	struct rpcrdma2_claim claim;
	struct rpcrdma2_span span;

	piece->item = walk->item;
	if (!left) {
		piece->kind = RPCRDMA2_PIECE_ZEROS;
		piece->length = walk->inside;
	} else if (arr->items[walk->item].type == XMPTYPE_EXRW) {
		piece->kind = RPCRDMA2_PIECE_REMOTE;
		piece->length = left;
		walk->claims.left = 0;
	} else {
		count = rpcrdma2_plt_count(arr->rb);
		rpcrdma2_claims_next(&walk->claims, &claim);
		rpcrdma2_plt_span(arr->rb, claim.tbsn % count, &span);
		piece->kind = RPCRDMA2_PIECE_PLACED;
		piece->length = claim.length;
		piece->xnum = claim.tbsn / count;
		piece->offset = span.offset + claim.from;
	}
	walk->inside -= piece->length;
	if (!walk->inside)
		walk->item++;
}

/**
 * rpcrdma2_walk_payload - take the next piece of the payload stream
 * @walk: place in the virtual stream, not in an item
 * @piece: OUT: the piece
 * @most: how long it may be, in bytes
 *
 * Return: %false if there is none
 */
static bool rpcrdma2_walk_payload(struct rpcrdma2_walk *walk,
				  struct rpcrdma2_piece *piece, u64 most)
{
	const struct rpcrdma2_arrival *arr = walk->arr;
	const struct rpcrdma2_part *part;

	for (; walk->part < arr->nparts; walk->part++, walk->used = 0) {
		part = &arr->parts[walk->part];
		if (walk->used == part->pslen)
			continue;
		piece->kind = RPCRDMA2_PIECE_PAYLOAD;
		piece->xnum = walk->part;
		piece->offset = part->hdrlen + walk->used;
		piece->length = min_t(u64, most, part->pslen - walk->used);
		walk->used += piece->length;
		return true;
	}
	return false;
}

/**
 * rpcrdma2_walk_next - take the next piece of an RPC message
 * @walk: place in its virtual stream
 * @piece: OUT: the piece, not empty
 *
 * Serves P-03, P-12, P-18, P-21..P-25, C-04.
 *
 * Return: %false at its end
 */
bool rpcrdma2_walk_next(struct rpcrdma2_walk *walk, struct rpcrdma2_piece *piece)
{
	u64 before = 0;

	memset(piece, 0, sizeof(*piece));
	piece->disp = walk->disp;
	if (!walk->inside)
		before = rpcrdma2_walk_enter(walk);
	if (walk->inside)
		rpcrdma2_walk_item(walk, piece);
	else if (!rpcrdma2_walk_payload(walk, piece, before))
		return false;
	walk->disp += piece->length;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_walk_next);

/*
 * Section: directions and results
 */

/**
 * rpcrdma2_rsd_sole - do directions hold for the whole request?
 * @req: the request
 * @length: length of its virtual stream, in bytes
 *
 * Serves P-31.
 *
 * Return: %true if there is one set, and it spans everything
 */
bool rpcrdma2_rsd_sole(const struct rpcrdma2_xmtreq *req, u64 length)
{
	return req->nsets == 1 && !req->sets[0].begin &&
	       req->sets[0].end == length;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_rsd_sole);

/**
 * rpcrdma2_rsd_segment - number of a direction's last segment
 * @req: the request
 * @want: direction of it
 *
 * Serves A-26.
 *
 * Return: the number, counted from 1 through all directions
 */
u32 rpcrdma2_rsd_segment(const struct rpcrdma2_xmtreq *req,
			 const struct rpcrdma2_rsditem *want)
{
	const struct rpcrdma2_rsditem *pos;
	u32 index = 0;

	for (pos = req->rsditems; pos <= want; pos++)
		index += pos->count;
	return index;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_rsd_segment);

/**
 * rpcrdma2_rsd_result - choose how an item of the reply goes
 * @want: its direction
 * @length: its length, in bytes
 * @can_place: it can be placed in the peer's Receives
 * @can_write: it fits the memory that was offered
 *
 * Serves P-26, P-27, P-29, A-82, A-83.
 *
 * Return: XMPTYPE_EXRW, XMPTYPE_TBSN, or XMPTYPE_TOOSHORT if the item stays
 * inline
 */
u32 rpcrdma2_rsd_result(const struct rpcrdma2_rsditem *want, u32 length,
			bool can_place, bool can_write)
{
	bool place = can_place, write = can_write;

	if (length < want->minlen || !length)
		return XMPTYPE_TOOSHORT;
	switch (want->type) {
	case XMPTYPE_EXRW:
		place = false;
		break;
	case XMPTYPE_TBSN:
		write = false;
		break;
	case XMPTYPE_BYSIZE:
		if (length > want->dsdov && can_write)
			place = false;
		break;
	}
	if (place)
		return XMPTYPE_TBSN;
	return write ? XMPTYPE_EXRW : XMPTYPE_TOOSHORT;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_rsd_result);

/**
 * rpcrdma2_written_sound - could explicit RDMA have written this?
 * @item: item of a response
 * @resp: the response
 * @want: its direction
 * @req: the request
 *
 * The segments that were offered come back, in their order, with the lengths
 * that were written. Serves A-75, N-169.
 *
 * Return: %false if it could not
 */
static bool rpcrdma2_written_sound(const struct rpcrdma2_mitem *item,
				   const struct rpcrdma2_xmtresp *resp,
				   const struct rpcrdma2_rsditem *want,
				   const struct rpcrdma2_xmtreq *req)
{
	const struct rpcrdma2_segment *wrote = &resp->pool.segs[item->first];
	const struct rpcrdma2_segment *offer = &req->pool.segs[want->first];
	u32 i;

	if (item->count != want->count)
		return false;
	for (i = 0; i < item->count; i++, wrote++, offer++)
		if (wrote->handle != offer->handle ||
		    wrote->offset != offer->offset ||
		    wrote->length > offer->length)
			return false;
	return rpcrdma2_segs_length(&resp->pool, item->first, item->count) ==
	       item->length;
}

/**
 * rpcrdma2_resp_matches - is a response one to this request?
 * @req: the request
 * @resp: the response
 *
 * Which result a direction allows is by Table 2 (P-27). Serves P-28, N-165,
 * N-166, N-169.
 *
 * Context: Any context.
 *
 * Return: %false if the RPC has to fail
 */
bool rpcrdma2_resp_matches(const struct rpcrdma2_xmtreq *req,
			   const struct rpcrdma2_xmtresp *resp)
{
	const struct rpcrdma2_rsditem *want = req->rsditems;
	const struct rpcrdma2_mitem *item = resp->items;
	u32 i;

	if (resp->nitems != req->nrsditems)
		return false;
	for (i = 0; i < resp->nitems; i++, item++, want++) {
		if (item->type == XMPTYPE_TBSN && want->type == XMPTYPE_EXRW)
			return false;
		if (item->type != XMPTYPE_EXRW)
			continue;
		if (want->type == XMPTYPE_TBSN ||
		    !rpcrdma2_written_sound(item, resp, want, req))
			return false;
	}
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_resp_matches);
