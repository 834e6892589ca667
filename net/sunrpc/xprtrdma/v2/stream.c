// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: the way through an RPC message that was received.
 *
 * It was found right: claims.c has the invariants that this relies on.
 */

#include "codec_priv.h"
#include "plan.h"

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

/* Enter the item that is next, if we are there. @walk: place in the virtual stream,
 * not in an item. Returns how many bytes of payload are before it; U64_MAX if there
 * is none.
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

/* Take the next piece of an item. */
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

/* Take the next piece of the payload stream. @walk: place in the virtual stream, not
 * in an item. False if there is none.
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

/* Section: directions and results */

/**
 * rpcrdma2_rsd_segment - number of a direction's last segment
 * @req: the request
 * @want: direction of it
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

/* Could explicit RDMA have written this (A-75, N-169)? The segments that were
 * offered come back, in their order, with the lengths that were written.
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
 * Which result a direction allows is by Table 2 (P-27).
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
