// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: where data is placed in the buffers of Receives.
 *
 * Layout of what is sent, and the way through what was received and found
 * right: rpcrdma2_place_check.c has the invariants that it relies on.
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
 * rpcrdma2_plt_row - find a segment that can be aimed at
 * @rb: sound structure
 * @n: its number, from zero in each Receive
 * @row: OUT: the segment, and those of its kind behind it
 *
 * Serves.
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
	u32 count, left = spot->span.length;
	struct rpcrdma2_row row;

	if (!rpcrdma2_plt_row(rb, n, &row) || row.offset < start)
		return false;
	spot->span.offset = row.offset;
	spot->tbsn = n;
	spot->count = 0;
	for (;;) {
		count = min_t(u32, row.count, DIV_ROUND_UP(left, row.size));
		spot->count += count;
		if (left <= count * row.size)
			return true;
		left -= count * row.size;
		start = row.offset + count * row.size;
		if (!rpcrdma2_plt_row(rb, n + spot->count, &row) ||
		    row.offset != start)
			return false;
	}
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
	u32 left = walk->claims.left;
	struct rpcrdma2_claim claim;

	piece->item = walk->item;
	if (!left) {
		piece->kind = RPCRDMA2_PIECE_ZEROS;
		piece->length = walk->inside;
	} else if (arr->items[walk->item].type == XMPTYPE_EXRW) {
		piece->kind = RPCRDMA2_PIECE_REMOTE;
		piece->length = left;
		walk->claims.left = 0;
	} else {
		rpcrdma2_claims_next(&walk->claims, &claim);
		piece->kind = RPCRDMA2_PIECE_PLACED;
		piece->length = claim.length;
		piece->xnum = claim.xnum;
		piece->offset = claim.offset;
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
