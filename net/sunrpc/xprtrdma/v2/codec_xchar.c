// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: transport characteristics.
 *
 * A characteristic that is known here is checked strictly: its value has to be
 * of the type that belongs to its id. One that is not known is passed over, so
 * that new ones need no new version. Invariants:
 *
 * X1. A message with one bad value has no effect at all: it is decoded
 *     into a copy, which replaces the original at the very end.
 * X2. Values that are of the right type but of no use leave what was there
 *     before and are counted.
 */

#include "codec_priv.h"

/* Read an xcharsubset (A-05, N-88, N-89). @set: words behind its end are not kept.
 * False if it is cut.
 */
static bool rpcrdma2_get_subset(struct rpcrdma2_cur *cur, struct rpcrdma2_subset *set)
{
	u32 i, count, word;

	memset(set, 0, sizeof(*set));
	if (!rpcrdma2_get_count(cur, RPCRDMA2_WORD, &count))
		return false;
	for (i = 0; i < count; i++) {
		if (!rpcrdma2_get(cur, &word))
			return false;
		if (i < RPCRDMA2_SUBSET_WORDS)
			set->words[i] = word;
	}
	return true;
}

/* Write an xcharsubset. @set: zero words at its end are left out. */
static void rpcrdma2_put_subset(struct rpcrdma2_out *out, const struct rpcrdma2_subset *set)
{
	u32 i, count = RPCRDMA2_SUBSET_WORDS;

	while (count && !set->words[count - 1])
		count--;
	rpcrdma2_put(out, count);
	for (i = 0; i < count; i++)
		rpcrdma2_put(out, set->words[i]);
}

/* Section: single values, received */

/* Can equal segments be used for placement (A-59, N-96)? @group: an alignment
 * of zero is made one. @total: bytes described so far, increased by those of
 * @group. @segs: segments described so far, likewise. False if RBSTRUCT is to
 * be disregarded.
 */
static bool rpcrdma2_rbgroup_usable(struct rpcrdma2_rbgroup *group, u32 *total, u32 *segs)
{
	u32 bytes;

	if (!group->align)
		group->align = 1;
	if (!group->count || !group->length || !is_power_of_2(group->align))
		return false;
	if (check_mul_overflow(group->count, group->length, &bytes) ||
	    check_add_overflow(*total, bytes, total) ||
	    check_add_overflow(*segs, group->count, segs))
		return false;
	return *segs <= RPCRDMA2_MAX_RBSEGS;
}

/* Can a receive buffer's structure be used (A-59, N-96)? False if it is to be
 * disregarded.
 */
static bool rpcrdma2_rbstruct_usable(struct rpcrdma2_rbstruct *rbs)
{
	u32 n, total = 0, segs = 0;

	for (n = 0; n < rbs->ngroups; n++)
		if (!rpcrdma2_rbgroup_usable(&rbs->groups[n], &total, &segs))
			return false;
	return rbs->ngroups && total == rbs->length;
}

/* Read an xmrbs_group. @group: flags that mean nothing here are cleared (N-98).
 * False if it is cut (N-97).
 */
static bool rpcrdma2_get_rbgroup(struct rpcrdma2_cur *cur, struct rpcrdma2_rbgroup *group)
{
	if (!rpcrdma2_get(cur, &group->count) ||
	    !rpcrdma2_get(cur, &group->length) ||
	    !rpcrdma2_get(cur, &group->align) ||
	    !rpcrdma2_get(cur, &group->flags))
		return false;
	group->flags &= RDMA2_XMRSFLAG_PLT;
	return true;
}

/* Read the value of RBSTRUCT (N-96, N-97). False if the value is no xmrbs_buf. */
static bool rpcrdma2_get_rbstruct(struct rpcrdma2_cur *cur,
				  struct rpcrdma2_rbstruct *rbs, bool *usable)
{
	struct rpcrdma2_rbgroup group;
	u32 n, count;

	memset(rbs, 0, sizeof(*rbs));
	if (!rpcrdma2_get(cur, &rbs->length) ||
	    !rpcrdma2_get_count(cur, RPCRDMA2_RBGROUP_SIZE, &count))
		return false;
	for (n = 0; n < count; n++) {
		if (!rpcrdma2_get_rbgroup(cur, &group))
			return false;
		if (n < RPCRDMA2_MAX_RBGROUPS)
			rbs->groups[n] = group;
	}
	rbs->ngroups = min_t(u32, count, RPCRDMA2_MAX_RBGROUPS);
	*usable = count == rbs->ngroups && rpcrdma2_rbstruct_usable(rbs);
	return true;
}

/* Read a value of one word (N-84, N-93, N-98, N-99). False if it is not valid for
 * its type.
 */
static bool rpcrdma2_get_word_value(struct rpcrdma2_cur *cur, u32 n,
				    struct rpcrdma2_xchars *xc, bool *usable)
{
	const struct rpcrdma2_xchar *row = &rpcrdma2_xchar_table[n];
	u32 *field = rpcrdma2_xchar_field(xc, n);
	u32 word;

	if (!rpcrdma2_get(cur, &word))
		return false;
	if (row->type == RPCRDMA2_XT_FLAGS)
		word &= row->max;
	if (word > row->max)
		return false;
	*field = max_t(u32, word, row->min);
	*usable = word >= row->usable;
	return true;
}

/* Read a value of known type. False if it is not valid for its
 * type.
 */
static bool rpcrdma2_get_known(struct rpcrdma2_cur *cur, u32 n,
			       struct rpcrdma2_xchars *xc, bool *usable)
{
	*usable = true;
	switch (rpcrdma2_xchar_table[n].type) {
	case RPCRDMA2_XT_BOOL:
		return rpcrdma2_get_bool(cur, rpcrdma2_xchar_field(xc, n));
	case RPCRDMA2_XT_RBSTRUCT:
		return rpcrdma2_get_rbstruct(cur, &xc->rbstruct, usable);
	default:
		return rpcrdma2_get_word_value(cur, n, xc, usable);
	}
}

/* What is known of an xcharval before its value */
struct rpcrdma2_xcharval {
	u32			which;	/* xchv_which */
	u32			n;	/* its number in the table of known ones */
	struct rpcrdma2_cur	data;	/* the value */
};

/* Read an xcharval up to its value (X-03, N-69, N-82). False if it is cut. */
static bool rpcrdma2_get_xcharval(struct rpcrdma2_cur *cur, struct rpcrdma2_xcharval *val)
{
	u32 length, left;

	if (!rpcrdma2_get(cur, &val->which) || !rpcrdma2_get(cur, &length))
		return false;
	left = rpcrdma2_left(cur);
	if (length > left || -length % RPCRDMA2_WORD > left - length)
		return false;

	val->n = rpcrdma2_xchar_find(val->which);
	val->data.base = cur->base;
	val->data.pos = cur->pos;
	val->data.end = cur->pos + length;
	cur->pos += length + -length % RPCRDMA2_WORD;
	return true;
}

/* Read the value of an xcharval (X-06, X-07, X-36, N-83, N-85). @xc: value, and
 * presence or one of the counters. The value has to fill its place exactly.
 * False if it is not valid for its type.
 */
static bool rpcrdma2_take_xcharval(struct rpcrdma2_xcharval *val,
				   struct rpcrdma2_xchars *xc)
{
	bool usable;

	if (val->n == RPCRDMA2_NUM_XCHARS) {
		xc->unknown++;
		return true;
	}
	if (!rpcrdma2_get_known(&val->data, val->n, xc, &usable))
		return false;
	if (rpcrdma2_left(&val->data))
		return false;
	if (usable) {
		xc->present |= BIT(val->n);
	} else {
		xc->unusable |= BIT(val->n);
		xc->disregarded++;
	}
	return true;
}

/* Read an xcharspec (X-08, X-12, N-81, N-86, N-87). @spec: number of elements,
 * values, and which element each value was. The element of a known id that was
 * disregarded is kept, too, but the id is not present. False if it does not parse, a
 * value is not valid for its type, or a known id comes twice.
 */
static bool rpcrdma2_get_xcharspec(struct rpcrdma2_cur *cur, struct rpcrdma2_reqxch *spec)
{
	struct rpcrdma2_xcharval val;
	u32 i, seen = 0;

	memset(spec, 0, sizeof(*spec));
	if (!rpcrdma2_get_count(cur, RPCRDMA2_XCHARVAL_MIN, &spec->count))
		return false;
	for (i = 0; i < spec->count; i++) {
		if (!rpcrdma2_get_xcharval(cur, &val))
			return false;
		if (!rpcrdma2_take_xcharval(&val, &spec->want))
			return false;
		if (val.n == RPCRDMA2_NUM_XCHARS)
			continue;
		if (seen & BIT(val.n))
			return false;
		seen |= BIT(val.n);
		spec->element[val.n] = i;
	}
	return true;
}

/* Section: single values, sent */

/* Write an xcharval with RBSTRUCT. */
static void rpcrdma2_put_rbstruct(struct rpcrdma2_out *out,
				  const struct rpcrdma2_rbstruct *rbs)
{
	u32 n, groups = min_t(u32, rbs->ngroups, RPCRDMA2_MAX_RBGROUPS);

	rpcrdma2_put(out, RDMA2_XCHAR_RBSTRUCT);
	rpcrdma2_put(out, 2 * RPCRDMA2_WORD + groups * RPCRDMA2_RBGROUP_SIZE);
	rpcrdma2_put(out, rbs->length);
	rpcrdma2_put(out, groups);
	for (n = 0; n < groups; n++) {
		rpcrdma2_put(out, rbs->groups[n].count);
		rpcrdma2_put(out, rbs->groups[n].length);
		rpcrdma2_put(out, rbs->groups[n].align);
		rpcrdma2_put(out, rbs->groups[n].flags);
	}
}

static void rpcrdma2_put_xcharval(struct rpcrdma2_out *out, u32 n,
				  const struct rpcrdma2_xchars *xc)
{
	if (rpcrdma2_xchar_table[n].type == RPCRDMA2_XT_RBSTRUCT) {
		rpcrdma2_put_rbstruct(out, &xc->rbstruct);
		return;
	}
	rpcrdma2_put(out, rpcrdma2_xchar_table[n].id);
	rpcrdma2_put(out, RPCRDMA2_WORD);
	rpcrdma2_put(out, rpcrdma2_xchar_value(xc, n));
}

/* Write an xcharspec. @xc: the values, those that are present. @nochg: which
 * elements will not change.
 */
static void rpcrdma2_put_xcharspec(struct rpcrdma2_out *out,
				   const struct rpcrdma2_xchars *xc,
				   struct rpcrdma2_subset *nochg)
{
	const u32 present = xc->present & GENMASK(RPCRDMA2_NUM_XCHARS - 1, 0);
	u32 n, element = 0;

	memset(nochg, 0, sizeof(*nochg));
	rpcrdma2_put(out, hweight32(present));
	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++) {
		if (!(present & BIT(n)))
			continue;
		rpcrdma2_put_xcharval(out, n, xc);
		if (xc->nochg & BIT(n))
			rpcrdma2_subset_set(nochg, element);
		element++;
	}
}

/**
 * rpcrdma2_encode_initxch - write ROPT_INITXCH
 * @buf: where the message goes
 * @size: room there, in bytes; RPCRDMA2_FIRST_MSG_MAX at most
 * @hdr: first fields
 * @xc: what to tell, as @present and @nochg say
 *
 * Return: length of the message in bytes, or %-EMSGSIZE.
 */
int rpcrdma2_encode_initxch(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			    const struct rpcrdma2_xchars *xc)
{
	struct rpcrdma2_subset nochg;
	struct rpcrdma2_out out;

	rpcrdma2_begin_option(&out, buf, min_t(u32, size, RPCRDMA2_FIRST_MSG_MAX),
			      hdr, ROPT_INITXCH);
	rpcrdma2_put_xcharspec(&out, xc, &nochg);
	rpcrdma2_put_subset(&out, &nochg);
	return rpcrdma2_end_option(&out);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_encode_initxch);

/**
 * rpcrdma2_decode_initxch - read ROPT_INITXCH
 * @buf: the received bytes
 * @msg: message decoded from them
 * @xc: characteristics of the peer: values that are not present, or are to be
 *	disregarded (N-93, N-96), keep what they were
 *
 * If only one of RBSIZ and RBSTRUCT was ever given, the other follows it (A-58,
 *
 *
 * Return: 0, or %-EBADMSG with @xc untouched.
 */
int rpcrdma2_decode_initxch(const void *buf, const struct rpcrdma2_msg *msg,
			    struct rpcrdma2_xchars *xc)
{
	struct rpcrdma2_subset nochg;
	struct rpcrdma2_reqxch spec;
	struct rpcrdma2_cur cur;
	u32 n;

	rpcrdma2_option_cur(&cur, buf, msg);
	if (!rpcrdma2_get_xcharspec(&cur, &spec) ||
	    !rpcrdma2_get_subset(&cur, &nochg) || rpcrdma2_left(&cur))
		return -EBADMSG;
	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++)
		if (spec.want.present & BIT(n) &&
		    rpcrdma2_subset_test(&nochg, spec.element[n]))
			spec.want.nochg |= BIT(n);
	rpcrdma2_xchars_apply(xc, &spec.want);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_decode_initxch);

/**
 * rpcrdma2_encode_reqxch - write ROPT_REQXCH
 * @buf: where the message goes
 * @size: room there, in bytes
 * @hdr: first fields
 * @want: values wanted of the peer, those that are present; they become
 *	elements 0, 1, ... of the request in the order of their bits
 *
 * Return: length of the message in bytes, or %-EMSGSIZE.
 */
int rpcrdma2_encode_reqxch(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			   const struct rpcrdma2_xchars *want)
{
	struct rpcrdma2_subset nochg;
	struct rpcrdma2_out out;

	rpcrdma2_begin_option(&out, buf, size, hdr, ROPT_REQXCH);
	rpcrdma2_put_xcharspec(&out, want, &nochg);
	return rpcrdma2_end_option(&out);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_encode_reqxch);

/**
 * rpcrdma2_decode_reqxch - read ROPT_REQXCH
 * @buf: the received bytes
 * @msg: message decoded from them
 * @req: OUT: the request, valid on success only
 *
 * Elements that are unknown, or whose value cannot be obeyed, are not present
 * in @req->want: they are to be rejected (X-47, N-85). So are those so far back
 * that no subset of an answer could tell that they were done.
 *
 * Return: 0 or %-EBADMSG.
 */
int rpcrdma2_decode_reqxch(const void *buf, const struct rpcrdma2_msg *msg,
			   struct rpcrdma2_reqxch *req)
{
	struct rpcrdma2_cur cur;
	u32 n;

	rpcrdma2_option_cur(&cur, buf, msg);
	if (!rpcrdma2_get_xcharspec(&cur, req) || rpcrdma2_left(&cur))
		return -EBADMSG;
	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++)
		if (req->element[n] >= RPCRDMA2_SUBSET_WORDS * 32)
			req->want.present &= ~BIT(n);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_decode_reqxch);

/**
 * rpcrdma2_encode_respxch - write ROPT_RESPXCH
 * @buf: where the message goes
 * @size: room there, in bytes
 * @hdr: first fields
 * @resp: what became of the elements of the request
 *
 * Return: length of the message in bytes, or %-EMSGSIZE.
 */
int rpcrdma2_encode_respxch(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			    const struct rpcrdma2_respxch *resp)
{
	struct rpcrdma2_out out;

	rpcrdma2_begin_option(&out, buf, size, hdr, ROPT_RESPXCH);
	rpcrdma2_put_subset(&out, &resp->done);
	rpcrdma2_put_subset(&out, &resp->rej);
	rpcrdma2_put_subset(&out, &resp->pend);
	return rpcrdma2_end_option(&out);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_encode_respxch);

/**
 * rpcrdma2_decode_respxch - read ROPT_RESPXCH
 * @buf: the received bytes
 * @msg: message decoded from them
 * @resp: OUT: what became of the elements, valid on success only
 *
 * rpcrdma2_respxch_fate() tells what the subsets mean together.
 *
 * Return: 0 or %-EBADMSG.
 */
int rpcrdma2_decode_respxch(const void *buf, const struct rpcrdma2_msg *msg,
			    struct rpcrdma2_respxch *resp)
{
	struct rpcrdma2_cur cur;

	rpcrdma2_option_cur(&cur, buf, msg);
	if (!rpcrdma2_get_subset(&cur, &resp->done) ||
	    !rpcrdma2_get_subset(&cur, &resp->rej) ||
	    !rpcrdma2_get_subset(&cur, &resp->pend) || rpcrdma2_left(&cur))
		return -EBADMSG;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_decode_respxch);

/**
 * rpcrdma2_respxch_fate - what became of one element of a ROPT_REQXCH
 * @resp: the answer
 * @element: index in the request
 *
 * An element in none of the subsets, or in more than one, was rejected.
 *
 * Return: what became of it.
 */
enum rpcrdma2_element_fate rpcrdma2_respxch_fate(const struct rpcrdma2_respxch *resp,
						 u32 element)
{
	const bool done = rpcrdma2_subset_test(&resp->done, element);
	const bool rej = rpcrdma2_subset_test(&resp->rej, element);
	const bool pend = rpcrdma2_subset_test(&resp->pend, element);

	if (done && !rej && !pend)
		return RPCRDMA2_DONE;
	if (pend && !rej && !done)
		return RPCRDMA2_PENDING;
	return RPCRDMA2_REJECTED;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_respxch_fate);

/**
 * rpcrdma2_encode_updxch - write ROPT_UPDXCH
 * @buf: where the message goes
 * @size: room there, in bytes
 * @hdr: first fields
 * @now: the value in force, the one that is present
 * @pendclr: it ends a pending request
 *
 * Return: length of the message in bytes, %-EMSGSIZE, or %-EINVAL if there is
 * not just one value.
 */
int rpcrdma2_encode_updxch(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			   const struct rpcrdma2_xchars *now, bool pendclr)
{
	struct rpcrdma2_out out;

	if (hweight32(now->present) != 1 || now->present >= BIT(RPCRDMA2_NUM_XCHARS))
		return -EINVAL;
	rpcrdma2_begin_option(&out, buf, size, hdr, ROPT_UPDXCH);
	rpcrdma2_put_xcharval(&out, ffs(now->present) - 1, now);
	rpcrdma2_put(&out, pendclr);
	return rpcrdma2_end_option(&out);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_encode_updxch);

/**
 * rpcrdma2_decode_updxch - read ROPT_UPDXCH
 * @buf: the received bytes
 * @msg: message decoded from them
 * @upd: OUT: the value, valid on success only; rpcrdma2_xchars_apply() makes it
 *	effective
 *
 * Return: 0 or %-EBADMSG.
 */
int rpcrdma2_decode_updxch(const void *buf, const struct rpcrdma2_msg *msg,
			   struct rpcrdma2_updxch *upd)
{
	struct rpcrdma2_xcharval val;
	struct rpcrdma2_cur cur;

	memset(upd, 0, sizeof(*upd));
	rpcrdma2_option_cur(&cur, buf, msg);
	if (!rpcrdma2_get_xcharval(&cur, &val) ||
	    !rpcrdma2_take_xcharval(&val, &upd->now) ||
	    !rpcrdma2_get_bool(&cur, &upd->pendclr) || rpcrdma2_left(&cur))
		return -EBADMSG;
	upd->which = val.which;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_decode_updxch);
