// SPDX-License-Identifier: GPL-2.0
/* What holds of every message with placed data that was found sound. */

#include <string.h>

#include "fuzz.h"
#include "whole.h"

enum {
	WHOLE_XMTS	= 32,
	/* Longest Send that a target receives */
	WHOLE_SEND	= 8192,
};

/**
 * whole_claim - a piece of a message is in a Send
 * @arr: the message
 * @piece: the piece
 * @seen: which bytes are used already
 */
static void whole_claim(const struct rpcrdma2_arrival *arr, const struct rpcrdma2_piece *piece,
			u8 (*seen)[WHOLE_SEND])
{
	const struct rpcrdma2_part *part;
	u32 i;

	require(piece->xnum < arr->nparts, "pieces are of this message");
	part = &arr->parts[piece->xnum];
	require(piece->offset >= part->hdrlen && piece->offset <= part->length &&
		piece->length <= part->length - piece->offset, "pieces were received");
	for (i = 0; i < piece->length; i++)
		require(!seen[piece->xnum][piece->offset + i]++, "bytes are used once");
}

/**
 * whole_walk - go through a message
 * @arr: the message, found sound
 *
 * What is in Sends was received, none of it is header, and no byte is used twice;
 * the pieces are the whole message, without gaps.
 */
void whole_walk(const struct rpcrdma2_arrival *arr)
{
	static u8 seen[WHOLE_XMTS][WHOLE_SEND];
	struct rpcrdma2_piece piece;
	struct rpcrdma2_walk walk;
	u64 disp = 0;
	u32 i;

	for (i = 0; i < arr->nparts; i++)
		memset(seen[i], 0, arr->parts[i].length);
	rpcrdma2_walk_begin(&walk, arr);
	while (rpcrdma2_walk_next(&walk, &piece)) {
		require(piece.length && piece.disp == disp, "pieces follow each other");
		disp += piece.length;
		if (piece.kind == RPCRDMA2_PIECE_PAYLOAD || piece.kind == RPCRDMA2_PIECE_PLACED)
			whole_claim(arr, &piece, seen);
	}
	require(disp == rpcrdma2_virtual_length(arr), "pieces are the whole message");
	require(disp <= arr->max_message, "the message is not too long");
}

/**
 * whole_check - look at a message that is complete
 * @arr: the message, its lead and parts found sound
 * @req: the request, or NULL if it is a response
 */
void whole_check(const struct rpcrdma2_arrival *arr, const struct rpcrdma2_xmtreq *req)
{
	struct rpcrdma2_repterr fault = { };

	if (rpcrdma2_check_whole(arr, req, &fault))
		whole_walk(arr);
	else
		require(fault.which && fault.nargs, "a fault has a code");
}
