// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: how a message is sent.
 *
 * A message is split over as few transmissions as the receiver's buffers allow;
 * one that takes a single Send is a plan of one. Invariants:
 *
 * Q1. Each byte of the payload stream and of every item is in one transmission,
 *     in order; what is between runs is zeros.
 * Q2. No transmission is longer than @limit, and none begins what it cannot hold.
 * Q3. A plan does not depend on what was in @plan before.
 */

#include "codec_priv.h"
#include "plan.h"

/**
 * struct rpcrdma2_planner - a message that is being split
 * @plan: what came of it so far
 * @to: what it is sent to
 * @payload: length of the payload stream, in bytes
 * @next: first segment of the last transmission that no item is in
 * @start: first byte of the last transmission behind header and payload
 */
struct rpcrdma2_planner {
	struct rpcrdma2_plan		*plan;
	const struct rpcrdma2_dest	*to;
	u32				payload;
	u32				next;
	u32				start;
};

/* Add a transmission. Parts of the payload stream are whole words. Returns
 * how much of the payload fits into it, or a negative errno if there can be no more
 * of them.
 */
static int rpcrdma2_planner_add(struct rpcrdma2_planner *pl, u32 hdrlen, u32 done)
{
	struct rpcrdma2_plan *plan = pl->plan;
	struct rpcrdma2_plan_send *xmt;
	u32 room;

	if (plan->nxmts == min_t(u32, pl->to->max_xmts, RPCRDMA2_MAX_XMTS) ||
	    hdrlen > pl->to->limit)
		return -EMSGSIZE;
	room = (pl->to->limit - hdrlen) & ~(RPCRDMA2_WORD - 1);
	xmt = &plan->xmts[plan->nxmts++];
	xmt->hdrlen = hdrlen;
	xmt->payload = done;
	xmt->pslen = min_t(u32, pl->payload - done, room);
	xmt->length = hdrlen + xmt->pslen;
	xmt->run = plan->nruns;
	xmt->nruns = 0;
	pl->next = 0;
	pl->start = xmt->length;
	return xmt->pslen;
}

/* Split the payload stream. @pl: message that is being split, without transmissions.
 * The initial transmission has to hold its beginning (C-10). False if it does not
 * fit.
 */
static bool rpcrdma2_planner_payload(struct rpcrdma2_planner *pl, u32 hdrlen)
{
	u32 done;
	int len;

	len = rpcrdma2_planner_add(pl, hdrlen, 0);
	if (len < 0 || (u32)len < min_t(u32, pl->payload, RPCRDMA2_PAYLOAD_MIN))
		return false;
	for (done = len; done < pl->payload; done += len) {
		len = rpcrdma2_planner_add(pl, RPCRDMA2_CONT_SIZE, done);
		if (len <= 0)
			return false;
	}
	return true;
}

/* Find free segments in the last transmission. An item leaves a segment only at its
 * end, so that one which the peer's Receives do not cover is of use to the last
 * bytes of an item at most. Returns how much of the item fits there, in
 * bytes; 0 if there are none.
 */
static u32 rpcrdma2_planner_find(struct rpcrdma2_planner *pl, u32 left,
				 struct rpcrdma2_row *row)
{
	u32 room, limit = pl->to->limit;

	for (; rpcrdma2_plt_row(pl->to->rb, pl->next, row); pl->next++) {
		if (row->offset < pl->start)
			continue;
		if (row->offset > limit)
			return 0;
		room = limit - row->offset;
		left = min_t(u64, left, (u64)row->count * row->size);
		if (left > room)
			left = room - room % row->size;
		row->count = DIV_ROUND_UP(left, row->size);
		return left;
	}
	return 0;
}

/* Place the next bytes of an item. @pl: @next is the first of the segments.
 * @from: first byte, from the start of the item. @length: how many bytes, up to
 * the end of these. Pieces that are neighbours in a Send are one. False if
 * there are too many pieces.
 */
static bool rpcrdma2_planner_place(struct rpcrdma2_planner *pl, u32 item,
				   u32 from, const struct rpcrdma2_row *row,
				   u32 length)
{
	struct rpcrdma2_plan *plan = pl->plan;
	struct rpcrdma2_plan_send *xmt = &plan->xmts[plan->nxmts - 1];
	struct rpcrdma2_run *run = NULL;

	if (xmt->nruns)
		run = &plan->runs[plan->nruns - 1];
	if (run && run->item == item &&
	    run->span.offset + run->span.length == row->offset) {
		run->span.length += length;
		run->count += row->count;
	} else {
		if (plan->nruns == RPCRDMA2_MAX_RUNS)
			return false;
		run = &plan->runs[plan->nruns++];
		run->xnum = plan->nxmts - 1;
		run->item = item;
		run->from = from;
		run->span.offset = row->offset;
		run->span.length = length;
		run->tbsn = run->xnum * rpcrdma2_plt_count(pl->to->rb) +
			    pl->next;
		run->count = row->count;
		xmt->nruns++;
	}
	xmt->length = row->offset + length;
	pl->next += row->count;
	return true;
}

/* Place an item. @pl: message that is being split, its payload done. Where a
 * transmission has no segment left, another one brings more (C-05). If it brings
 * none, there will soon be too many. So there will if the peer's segments are as
 * short as a byte. Returns how many segments it reaches into, or a negative errno if
 * it does not fit.
 */
static int rpcrdma2_planner_item(struct rpcrdma2_planner *pl, u32 item, u32 length)
{
	u32 from, fits, count = 0;
	struct rpcrdma2_row row;

	for (from = 0; from < length; from += fits) {
		while (!(fits = rpcrdma2_planner_find(pl, length - from, &row)))
			if (rpcrdma2_planner_add(pl, RPCRDMA2_CONT_SIZE,
						 pl->payload) < 0)
				return -EMSGSIZE;
		if (row.count > RPCRDMA2_MAX_TBSNS - count ||
		    !rpcrdma2_planner_place(pl, item, from, &row, fits))
			return -EMSGSIZE;
		count += row.count;
	}
	return count;
}

/* Split a message whose header has a certain length. Returns how many segments the
 * items reach into, or a negative errno if the message does not fit.
 */
static int rpcrdma2_plan_once(struct rpcrdma2_plan *plan,
			      const struct rpcrdma2_dest *to, u32 hdrlen,
			      u32 payload, const u32 *lengths, u32 nitems)
{
	struct rpcrdma2_planner pl = {
		.plan		= plan,
		.to		= to,
		.payload	= payload,
	};
	int count, words = 0;
	u32 i;

	plan->nxmts = 0;
	plan->nruns = 0;
	if (!rpcrdma2_planner_payload(&pl, hdrlen))
		return -EMSGSIZE;
	for (i = 0; i < nitems; i++) {
		count = rpcrdma2_planner_item(&pl, i, lengths[i]);
		if (count < 0)
			return count;
		words += count;
	}
	return words <= RPCRDMA2_MAX_TBSNS ? words : -EMSGSIZE;
}

/**
 * rpcrdma2_payload_xmts - how many transmissions does a payload take?
 * @limit: longest Send that the peer can take, in bytes
 * @hdrlen: header of the initial transmission, in bytes
 * @payload: length of the payload stream, in bytes
 *
 * Return: the number that rpcrdma2_plan() would find for a message without
 * items; more than RPCRDMA2_MAX_XMTS if there is no such message
 */
u32 rpcrdma2_payload_xmts(u32 limit, u32 hdrlen, u32 payload)
{
	u32 lead, cont;

	if (limit < hdrlen + RPCRDMA2_PAYLOAD_MIN ||
	    limit < RPCRDMA2_CONT_SIZE + RPCRDMA2_WORD ||
	    payload % RPCRDMA2_WORD)
		return U32_MAX;
	lead = (limit - hdrlen) & ~(RPCRDMA2_WORD - 1);
	cont = (limit - RPCRDMA2_CONT_SIZE) & ~(RPCRDMA2_WORD - 1);
	if (payload <= lead)
		return 1;
	return 1 + (payload - lead - 1) / cont + 1;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_payload_xmts);

/* How many numbers of segments will there be? If all segments that can be aimed at
 * are alike, the number does not depend on where the items come to lie: each begins
 * with a segment, and leaves the last one of a Send only at its end. Returns the
 * number; 0 if the segments are not alike, for a first guess; a negative errno if
 * there are too many.
 */
static int rpcrdma2_plan_words(const struct rpcrdma2_rbstruct *rb,
			       const u32 *lengths, u32 nitems)
{
	u32 i, size = 0;
	u64 words = 0;

	for (i = 0; i < rb->ngroups; i++) {
		if (!(rb->groups[i].flags & RDMA2_XMRSFLAG_PLT))
			continue;
		if (size && size != rb->groups[i].length)
			return 0;
		size = rb->groups[i].length;
	}
	for (i = 0; size && i < nitems; i++)
		words += lengths[i] / size + !!(lengths[i] % size);
	return words <= RPCRDMA2_MAX_TBSNS ? (int)words : -EMSGSIZE;
}

/**
 * rpcrdma2_plan - split a message over transmissions
 * @plan: OUT: how it is sent
 * @to: what it is sent to
 * @hdrlen: header of the initial transmission in bytes, with the items but
 *	without numbers of segments
 * @payload: length of the payload stream in bytes, a multiple of 4
 * @lengths: lengths of the items that are placed, in bytes
 * @nitems: how many there are, up to RPCRDMA2_MAX_MITEMS
 *
 * The payload stream comes first, the items behind it, in segments of the same
 * transmission as far as there are any. Numbers of segments are part of the
 * header, so that a longer list of them may move what follows. Each
 * transmission takes a credit of the peer's, so the caller compares
 * @plan->nxmts with what it has, and uses explicit RDMA if that is less.
 *
 * Return: %false if the message does not fit, and has to go by explicit RDMA
 */
bool rpcrdma2_plan(struct rpcrdma2_plan *plan, const struct rpcrdma2_dest *to,
		   u32 hdrlen, u32 payload, const u32 *lengths, u32 nitems)
{
	struct rpcrdma2_plan_send *lead = &plan->xmts[0];
	int words, room;

	if (nitems > RPCRDMA2_MAX_MITEMS || payload % RPCRDMA2_WORD)
		return false;
	room = rpcrdma2_plan_words(to->rb, lengths, nitems);
	if (room < 0)
		return false;
	for (;;) {
		words = rpcrdma2_plan_once(plan, to,
					   hdrlen + room * RPCRDMA2_WORD,
					   payload, lengths, nitems);
		if (words < 0)
			return false;
		if (words <= room)
			break;
		room = words;
	}
	lead->hdrlen = hdrlen + words * RPCRDMA2_WORD;
	if (!lead->nruns)
		lead->length = lead->hdrlen + lead->pslen;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_plan);

/**
 * rpcrdma2_plan_msg - let a message go by a single Send, and say nothing of data
 * @plan: OUT: how it is sent
 * @hdrlen: its header, in bytes
 * @pslen: what follows that in the same Send, in bytes
 *
 * This is how RDMA2_MSG and RDMA2_NOMSG go.
 */
void rpcrdma2_plan_msg(struct rpcrdma2_plan *plan, u32 hdrlen, u32 pslen)
{
	plan->nxmts = 1;
	plan->nruns = 0;
	plan->xmts[0] = (struct rpcrdma2_plan_send) {
		.hdrlen	= hdrlen,
		.pslen	= pslen,
		.length	= hdrlen + pslen,
	};
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_plan_msg);

/**
 * rpcrdma2_plan_item - let an item say where it is placed
 * @plan: how its message is sent
 * @n: which item
 * @item: OUT: the item; position and length were set by the caller
 * @pool: gets the numbers
 *
 * Return: %false if there is no room for them in @pool
 */
bool rpcrdma2_plan_item(const struct rpcrdma2_plan *plan, u32 n,
			struct rpcrdma2_mitem *item,
			struct rpcrdma2_segpool *pool)
{
	const struct rpcrdma2_run *run;
	u32 i;

	item->type = XMPTYPE_TBSN;
	item->offset = 0;
	item->first = pool->ntbsns;
	for (run = plan->runs; run < plan->runs + plan->nruns; run++) {
		if (run->item != n)
			continue;
		if (run->count > RPCRDMA2_MAX_TBSNS - pool->ntbsns)
			return false;
		for (i = 0; i < run->count; i++)
			pool->tbsns[pool->ntbsns++] = run->tbsn + i;
	}
	item->count = pool->ntbsns - item->first;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_plan_item);

/**
 * rpcrdma2_run_gap - what is between a run and what is before it in its Send
 * @plan: how a message is sent
 * @n: the run
 *
 * Return: how many bytes of zeros to send in front of the run
 */
u32 rpcrdma2_run_gap(const struct rpcrdma2_plan *plan, u32 n)
{
	const struct rpcrdma2_run *run = &plan->runs[n];
	const struct rpcrdma2_plan_send *xmt = &plan->xmts[run->xnum];

	if (n > xmt->run)
		return run->span.offset -
		       (run[-1].span.offset + run[-1].span.length);
	return run->span.offset - (xmt->hdrlen + xmt->pslen);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_run_gap);

/**
 * rpcrdma2_read_max - up to which length may a client have data of READs placed?
 * @set: what an administrator has set, in bytes; 0: nothing
 * @software: the device is software
 *
 * Data that comes in Receives is copied to where it belongs. Software has the processors
 * copy all data as it is, and register memory, too. Hardware puts data where it belongs
 * while the processors do something else.
 *
 * Return: length in bytes; 0: the server is to write all of it by RDMA Write
 */
u32 rpcrdma2_read_max(u32 set, bool software)
{
	if (set)
		return min_t(u32, set, RPCRDMA2_MAX_READ);
	return software ? RPCRDMA2_MAX_READ : 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_read_max);
