// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: is what a message says of placed data right?
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

#include "codec_priv.h"
#include "plan.h"

/**
 * rpcrdma2_arrival_resp - describe a response
 * @arr: OUT: the description; its limit is one transmission
 * @resp: what it says
 * @parts: its transmissions, the first one at least
 * @rb: structure of the buffers it was received in
 * @max_message: longest RPC message that can be taken, in bytes
 */
void rpcrdma2_arrival_resp(struct rpcrdma2_arrival *arr,
			   const struct rpcrdma2_xmtresp *resp,
			   const struct rpcrdma2_part *parts,
			   const struct rpcrdma2_rbstruct *rb, u32 max_message)
{
	*arr = (struct rpcrdma2_arrival){
		.rb		= rb,
		.max_message	= max_message,
		.limit		= 1,
		.dir		= RDMA2_REPLY,
		.count		= resp->count,
		.nitems		= resp->nitems,
		.items		= resp->items,
		.pool		= &resp->pool,
		.nparts		= 1,
		.parts		= parts,
	};
}

/* Section: faults */

/* Report that a value is out of range. @which: BADOFF, BADTBSN or BADPL. No range at
 * all is shown as one to zero. Returns false.
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

/* Report that a group has a length it cannot have (A-91, N-127, N-128). Returns
 * false.
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

/* Highest number of a segment in a message. Returns the number, negative if there is
 * none.
 */
static s64 rpcrdma2_tbsn_max(const struct rpcrdma2_arrival *arr)
{
	return (s64)max_t(u32, arr->count, 1) * rpcrdma2_plt_count(arr->rb) - 1;
}

/* Section: items of a message that was received */

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
	it->each = rpcrdma2_plt_count(arr->rb);
	it->most = U32_MAX;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_claims_begin);

/**
 * rpcrdma2_claims_next - look at the next segments of an item
 * @it: place in an item; the number there was found sound
 * @claim: OUT: what the item has of the segment, and of those which follow it
 *	in the Receive and in the list
 *
 * Numbers that are listed behind the end of the data mean nothing (N-142).
 *
 * Return: %false behind the last one
 */
bool rpcrdma2_claims_next(struct rpcrdma2_claims *it, struct rpcrdma2_claim *claim)
{
	const u32 *tbsns = &it->arr->pool->tbsns[it->item->first + it->n];
	struct rpcrdma2_row row;
	u32 n = 1, most, length;

	if (!it->left || !it->each ||
	    !rpcrdma2_plt_row(it->arr->rb, tbsns[0] % it->each, &row))
		return false;
	claim->tbsn = tbsns[0];
	claim->from = it->n ? 0 : it->item->offset;
	claim->xnum = tbsns[0] / it->each;
	claim->offset = row.offset + claim->from;
	claim->size = row.size;

	most = min_t(u32, row.count, it->item->count - it->n);
	most = min_t(u32, most, it->most);
	length = row.size - claim->from;
	if (it->item->in_row && length < it->left) {
		n += min_t(u32, most - 1, 1 + (it->left - length - 1) / row.size);
		length += (n - 1) * row.size;
	}
	for (; n < most && length < it->left; n++) {
		if (tbsns[n] != tbsns[0] + n)
			break;
		length += row.size;
	}
	claim->length = min_t(u32, it->left, length);
	it->left -= claim->length;
	it->n += n;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_claims_next);

/* Check where in its first segment an item begins (N-144). @item: item of it, not
 * empty, the first number of its list sound. False if it cannot begin there.
 */
static bool rpcrdma2_check_offset(const struct rpcrdma2_arrival *arr,
				  const struct rpcrdma2_mitem *item,
				  struct rpcrdma2_repterr *fault)
{
	u32 tbsn = arr->pool->tbsns[item->first];
	struct rpcrdma2_row row;

	if (rpcrdma2_plt_row(arr->rb, tbsn % rpcrdma2_plt_count(arr->rb),
			     &row) &&
	    !(item->offset % RPCRDMA2_WORD) && item->offset < row.size)
		return true;
	return rpcrdma2_fault(fault, OPTRERR_BADOFF, item->offset, 0,
			      (s64)row.size - RPCRDMA2_WORD);
}

/* Behind the last byte that was claimed, if claims did not ascend */
#define RPCRDMA2_NO_ORDER	U64_MAX

/* Check the list of an item that is placed (N-138..N-142, N-144, N-147). @item: item
 * of it, XMPTYPE_TBSN. @next: the byte behind what items before it claim. False if
 * the item is not sound.
 */
static bool rpcrdma2_check_placed(const struct rpcrdma2_arrival *arr,
				  const struct rpcrdma2_mitem *item, u64 *next,
				  struct rpcrdma2_repterr *fault)
{
	const u32 *tbsns = &arr->pool->tbsns[item->first];
	s64 max = rpcrdma2_tbsn_max(arr);
	struct rpcrdma2_claims it;
	struct rpcrdma2_claim claim;
	u64 pos;

	rpcrdma2_claims_begin(&it, arr, item);
	while (it.left) {
		if (it.n == item->count)
			return rpcrdma2_fault(fault, OPTRERR_BADTBSN,
					      it.n ? tbsns[it.n - 1] : U32_MAX,
					      0, max);
		if (tbsns[it.n] > max)
			return rpcrdma2_fault(fault, OPTRERR_BADTBSN,
					      tbsns[it.n], 0, max);
		if (!it.n && !rpcrdma2_check_offset(arr, item, fault))
			return false;
		rpcrdma2_claims_next(&it, &claim);
		/* Senders place items in ascending order, and then nothing can be
		 * claimed twice.
		 */
		pos = (u64)claim.xnum << 32 | claim.offset;
		*next = pos < *next ? RPCRDMA2_NO_ORDER : pos + claim.length;
	}
	return true;
}

/**
 * struct rpcrdma2_edge - a part of a segment that an item has
 * @tbsn: number of the segment
 * @from: its first byte, from the start of the segment
 * @to: the byte behind it
 */
struct rpcrdma2_edge {
	u32	tbsn;
	u32	from;
	u32	to;
};

/**
 * struct rpcrdma2_claimed - segments that items have
 * @bits: a bit for each of them
 * @nedges: those of which not all is claimed
 * @edges: these; of each item only the first and the last one
 */
struct rpcrdma2_claimed {
	u32			bits[RPCRDMA2_MAX_SEGMENTS / 32];
	u32			nedges;
	struct rpcrdma2_edge	edges[2 * RPCRDMA2_MAX_MITEMS];
};

/* Is what an item has of a segment still free? @done: what is claimed already, some
 * of this segment included. False if an item has one of them.
 */
static bool rpcrdma2_edges_apart(const struct rpcrdma2_claimed *done,
				 const struct rpcrdma2_claim *claim)
{
	const struct rpcrdma2_edge *edge;
	bool shared = false;

	for (edge = done->edges; edge < done->edges + done->nedges; edge++) {
		if (edge->tbsn != claim->tbsn)
			continue;
		if (edge->from < claim->from + claim->length &&
		    claim->from < edge->to)
			return false;
		shared = true;
	}
	return shared;
}

/* Claim what an item has of a segment. False if an item has one of them already, or
 * there can be no such segment.
 */
static bool rpcrdma2_claim_once(struct rpcrdma2_claimed *done,
				const struct rpcrdma2_claim *claim)
{
	u32 *word, bit = BIT(claim->tbsn % 32);
	struct rpcrdma2_edge *edge;

	if (claim->tbsn >= RPCRDMA2_MAX_SEGMENTS)
		return false;
	word = &done->bits[claim->tbsn / 32];
	if (*word & bit && !rpcrdma2_edges_apart(done, claim))
		return false;
	*word |= bit;
	if (claim->length == claim->size)
		return true;
	edge = &done->edges[done->nedges++];
	edge->tbsn = claim->tbsn;
	edge->from = claim->from;
	edge->to = claim->from + claim->length;
	return true;
}

/* Look at the segments of all items one by one: the fault names one. This is where
 * messages arrive: it takes a step for each number, whatever the order. Not inline:
 * what is on the stack is large, and some kernels clear it. False if a byte is
 * claimed twice.
 */
static noinline bool rpcrdma2_each_claim(const struct rpcrdma2_arrival *arr,
					 struct rpcrdma2_repterr *fault)
{
	struct rpcrdma2_claimed done;
	struct rpcrdma2_claims it;
	struct rpcrdma2_claim claim;
	u32 i;

	memset(done.bits, 0, sizeof(done.bits));
	done.nedges = 0;
	for (i = 0; i < arr->nitems; i++) {
		if (arr->items[i].type != XMPTYPE_TBSN)
			continue;
		rpcrdma2_claims_begin(&it, arr, &arr->items[i]);
		it.most = 1;
		while (rpcrdma2_claims_next(&it, &claim))
			if (!rpcrdma2_claim_once(&done, &claim))
				return rpcrdma2_fault(fault, OPTRERR_BADTBSN,
						      claim.tbsn, 0,
						      rpcrdma2_tbsn_max(arr));
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
u32 rpcrdma2_segs_length(const struct rpcrdma2_segpool *pool, u32 first, u32 count)
{
	u64 sum = 0;

	while (count--)
		sum += pool->segs[first++].length;
	return min_t(u64, sum, U32_MAX);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_segs_length);

/* Check where an item is said to be (N-136). Of a response, explicit lengths are
 * compared with what was offered, by rpcrdma2_resp_matches() (N-169). @next: the
 * byte behind what items before it claim. False if it cannot be there.
 */
static bool rpcrdma2_check_location(const struct rpcrdma2_arrival *arr,
				    const struct rpcrdma2_mitem *item,
				    u64 *next, struct rpcrdma2_repterr *fault)
{
	u32 sum;

	if (item->type == XMPTYPE_TBSN)
		return rpcrdma2_check_placed(arr, item, next, fault);
	if (arr->dir == RDMA2_REPLY)
		return true;
	sum = rpcrdma2_segs_length(arr->pool, item->first, item->count);
	if (sum < item->length)
		return rpcrdma2_fault(fault, OPTRERR_BADOFF, item->length, 0, sum);
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

/* How far the payload before an item may reach. Returns the highest position; of a
 * group that is not complete, any that a message may have.
 */
static u64 rpcrdma2_disp_max(const struct rpcrdma2_arrival *arr, u64 used)
{
	if (arr->nparts < arr->count)
		return arr->max_message;
	return rpcrdma2_payload_length(arr) + used;
}

/* Check what a message says of its items (N-125, N-133, N-135). @arr: the message,
 * only its initial transmission being looked at. An item without length is behind
 * the one before it, too: positions ascend. False if an item is not sound.
 */
static bool rpcrdma2_check_items(const struct rpcrdma2_arrival *arr,
				 struct rpcrdma2_repterr *fault)
{
	const struct rpcrdma2_mitem *item;
	u64 low = 0, used = 0, next = 0;

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
		if (!rpcrdma2_check_location(arr, item, &next, fault))
			return false;
		used += rpcrdma2_roundup(item->length);
		low = item->disp +
		      max_t(u64, rpcrdma2_roundup(item->length), RPCRDMA2_WORD);
	}
	/* Each byte is claimed once (N-143). A group that is too long is refused for
	 * that, and may have more segments than there are bits for.
	 */
	return next != RPCRDMA2_NO_ORDER || arr->count > arr->limit ||
	       rpcrdma2_each_claim(arr, fault);
}

/* Check the ranges of a request's directions (A-84, P-32, N-148). @whole: compare
 * with that, too. A range may be empty; then nothing matches it. False if a range is
 * not sound.
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

/* Least payload of an initial transmission. A request may consist of nothing but
 * what is to be pulled (A-64, N-131). Returns a length in bytes.
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
 * .N-144, N-148, N-153, N-167, N-168 as far as they can be told from the
 * initial transmission.
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
	return rpcrdma2_check_part(&arr->parts[0], rpcrdma2_lead_least(arr), fault);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_check_lead);

/**
 * rpcrdma2_check_part - check the payload of a transmission
 * @part: the transmission
 * @least: least length of its payload, in bytes
 * @fault: OUT: what is wrong
 *
 * Return: %false if something is wrong
 */
bool rpcrdma2_check_part(const struct rpcrdma2_part *part, u32 least,
			 struct rpcrdma2_repterr *fault)
{
	u32 left = part->length - part->hdrlen;

	if (part->pslen > left || part->pslen % RPCRDMA2_WORD)
		return rpcrdma2_fault(fault, OPTRERR_BADPL, part->pslen, 0, left);
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
 * Return: %false if it is too long
 */
bool rpcrdma2_check_length(u64 length, u32 max, struct rpcrdma2_repterr *fault)
{
	return length <= max ||
	       rpcrdma2_fault(fault, OPTRERR_BADOFF, length, 0, max);
}

/* The last segment that was received whole. @tbsn: segment that was not. Returns its
 * number, less than @tbsn, or negative if there is none.
 */
static s64 rpcrdma2_last_received(const struct rpcrdma2_arrival *arr, u32 tbsn)
{
	u32 count = rpcrdma2_plt_count(arr->rb);
	struct rpcrdma2_row row;
	s64 n;

	for (n = (s64)tbsn - 1; n >= 0; n--)
		if (rpcrdma2_plt_row(arr->rb, (u32)n % count, &row) &&
		    row.offset + row.size <=
		    arr->parts[(u32)n / count].length)
			break;
	return n;
}

/* Check that placed bytes are there (N-140, N-146). What was not received may be
 * left over from another message (S-14). False if they were not received, or are
 * something else.
 */
static bool rpcrdma2_check_claim(const struct rpcrdma2_arrival *arr,
				 const struct rpcrdma2_claim *claim,
				 struct rpcrdma2_repterr *fault)
{
	const struct rpcrdma2_part *part = &arr->parts[claim->xnum];
	u32 begin = claim->offset, taken = part->hdrlen + part->pslen;

	if (begin < taken)
		return rpcrdma2_fault(fault, OPTRERR_BADOFF, claim->from,
				      (s64)taken - (begin - claim->from),
				      (s64)claim->size - RPCRDMA2_WORD);
	if (begin > part->length || claim->length > part->length - begin)
		return rpcrdma2_fault(fault, OPTRERR_BADTBSN, claim->tbsn, 0,
				      rpcrdma2_last_received(arr, claim->tbsn));
	return true;
}

/* Check that the bytes of an item are there. @item: item of it, XMPTYPE_TBSN.
 * @fault: what is wrong, with the first of such segments. False if something is
 * wrong.
 */
static bool rpcrdma2_check_bytes(const struct rpcrdma2_arrival *arr,
				 const struct rpcrdma2_mitem *item, u32 most,
				 struct rpcrdma2_repterr *fault)
{
	struct rpcrdma2_claims it;
	struct rpcrdma2_claim claim;

	rpcrdma2_claims_begin(&it, arr, item);
	it.most = most;
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
		/* If anything is wrong, segments are looked at one by one, to
		 * tell which.
		 */
		if (item->type == XMPTYPE_TBSN &&
		    !rpcrdma2_check_bytes(arr, item, U32_MAX, fault) &&
		    !rpcrdma2_check_bytes(arr, item, 1, fault))
			return false;
		used += rpcrdma2_roundup(item->length);
		low = item->disp + rpcrdma2_roundup(item->length);
	}
	if (!rpcrdma2_check_length(length, arr->max_message, fault))
		return false;
	return !req || rpcrdma2_check_ranges(req, length, true, fault);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_check_whole);
