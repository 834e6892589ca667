// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: transmissions, and reports about them.
 *
 * Decoded here is what the words say, not whether it can be true: positions,
 * numbers and lengths are compared with each other and with what was received
 * by those who know the group. Invariants:
 *
 * T1. What a decoder leaves behind can be indexed without checks: first and
 *     count of every item stay inside the array that it points into.
 * T2. rdma_optinfo has the size of its structure, neither less nor more.
 * T3. More elements than can be held are bad XDR, but the rest is still
 *     read, so that the number of transmissions to come is known.
 */

#include "codec_priv.h"

/* Section: receiving placement information */

/* Reading of a message that has pooled elements */
struct rpcrdma2_xmtcur {
	struct rpcrdma2_cur	cur;	/* place in the received bytes */
	struct rpcrdma2_segpool	*pool;	/* where segments and numbers go */
	bool			over;	/* there were more of something than can be held */
};

/* Empty a pool. @pool: what its counts do not cover is left as it was. */
static void rpcrdma2_segpool_init(struct rpcrdma2_segpool *pool)
{
	pool->nsegs = 0;
	pool->ntbsns = 0;
}

/* Read a counted array of segments (N-123). False if the array is cut. */
static bool rpcrdma2_get_pooled_segs(struct rpcrdma2_xmtcur *xcur, u32 *first, u32 *count)
{
	struct rpcrdma2_segpool *pool = xcur->pool;
	struct rpcrdma2_segment seg;
	u32 i, n;

	*first = pool->nsegs;
	if (!rpcrdma2_get_count(&xcur->cur, RPCRDMA2_SEGMENT_SIZE, &n))
		return false;
	for (i = 0; i < n; i++) {
		if (!rpcrdma2_get_segment(&xcur->cur, &seg))
			return false;
		if (pool->nsegs < RPCRDMA2_MAX_XMTSEGS)
			pool->segs[pool->nsegs++] = seg;
		else
			xcur->over = true;
	}
	*count = pool->nsegs - *first;
	return true;
}

/* Read the segment numbers of an item (N-123). False if the array is cut. */
static bool rpcrdma2_get_tbsns(struct rpcrdma2_xmtcur *xcur, struct rpcrdma2_mitem *item)
{
	struct rpcrdma2_segpool *pool = xcur->pool;
	u32 *tbsns = &pool->tbsns[pool->ntbsns];
	u32 i, n, strays = 0;
	const u8 *p;

	item->first = pool->ntbsns;
	if (!rpcrdma2_get_count(&xcur->cur, RPCRDMA2_WORD, &n))
		return false;
	p = xcur->cur.base + xcur->cur.pos;
	item->count = min_t(u32, n, RPCRDMA2_MAX_TBSNS - pool->ntbsns);
	if (n > item->count)
		xcur->over = true;
	for (i = 0; i < item->count; i++) {
		tbsns[i] = get_unaligned_be32(p + i * RPCRDMA2_WORD);
		strays |= tbsns[i] - i - tbsns[0];
	}
	item->in_row = !strays;
	pool->ntbsns += item->count;
	xcur->cur.pos += n * RPCRDMA2_WORD;
	return true;
}

/* Read an xmdp_mitem (P-14, N-124). TOOSHORT and NOITEM parse in a request, too;
 * that they mean nothing there is not for XDR to say (A-79, N-125). False if it is
 * cut, or there is no such type.
 */
static bool rpcrdma2_get_mitem(struct rpcrdma2_xmtcur *xcur, struct rpcrdma2_mitem *item)
{
	memset(item, 0, sizeof(*item));
	if (!rpcrdma2_get(&xcur->cur, &item->disp) ||
	    !rpcrdma2_get(&xcur->cur, &item->length) ||
	    !rpcrdma2_get(&xcur->cur, &item->type))
		return false;

	switch (item->type) {
	case XMPTYPE_EXRW:
		return rpcrdma2_get_pooled_segs(xcur, &item->first, &item->count);
	case XMPTYPE_TBSN:
		return rpcrdma2_get(&xcur->cur, &item->offset) &&
		       rpcrdma2_get_tbsns(xcur, item);
	case XMPTYPE_TOOSHORT:
	case XMPTYPE_NOITEM:
		return true;
	}
	return false;
}

/* Read optxrq_dp or optxrs_dp (N-123, N-124). False if the array does not parse. */
static bool rpcrdma2_get_dp(struct rpcrdma2_xmtcur *xcur,
			    struct rpcrdma2_mitem *items, u32 *nitems)
{
	struct rpcrdma2_mitem over;
	u32 i, n;

	if (!rpcrdma2_get_count(&xcur->cur, RPCRDMA2_MITEM_MIN, &n))
		return false;
	for (i = 0; i < n; i++)
		if (!rpcrdma2_get_mitem(xcur, i < RPCRDMA2_MAX_MITEMS ?
						      &items[i] : &over))
			return false;
	*nitems = min_t(u32, n, RPCRDMA2_MAX_MITEMS);
	if (n > *nitems)
		xcur->over = true;
	return true;
}

/* Read an xmdp_rsditem (P-14, P-26, N-126). False if it is cut, or there is no such
 * type.
 */
static bool rpcrdma2_get_rsditem(struct rpcrdma2_xmtcur *xcur,
				 struct rpcrdma2_rsditem *item)
{
	memset(item, 0, sizeof(*item));
	if (!rpcrdma2_get(&xcur->cur, &item->minlen) ||
	    !rpcrdma2_get(&xcur->cur, &item->type))
		return false;

	switch (item->type) {
	case XMPTYPE_TBSN:
		return true;
	case XMPTYPE_BYSIZE:
		if (!rpcrdma2_get(&xcur->cur, &item->dsdov))
			return false;
		fallthrough;
	case XMPTYPE_EXRW:
	case XMPTYPE_CHOICE:
		return rpcrdma2_get_pooled_segs(xcur, &item->first, &item->count);
	}
	return false;
}

/* Read an xmdp_rsdset (N-123, N-126). False if the set does not parse. */
static bool rpcrdma2_get_rsdset(struct rpcrdma2_xmtcur *xcur,
				struct rpcrdma2_xmtreq *req,
				struct rpcrdma2_rsdset *set)
{
	struct rpcrdma2_rsditem item;
	u32 i, n;

	set->first = req->nrsditems;
	if (!rpcrdma2_get(&xcur->cur, &set->begin) ||
	    !rpcrdma2_get(&xcur->cur, &set->end) ||
	    !rpcrdma2_get_count(&xcur->cur, RPCRDMA2_RSDITEM_MIN, &n))
		return false;
	for (i = 0; i < n; i++) {
		if (!rpcrdma2_get_rsditem(xcur, &item))
			return false;
		if (req->nrsditems < RPCRDMA2_MAX_RSDITEMS)
			req->rsditems[req->nrsditems++] = item;
		else
			xcur->over = true;
	}
	set->count = req->nrsditems - set->first;
	return true;
}

/* Read optxrq_rsd (N-123, N-126). False if the array does not parse. */
static bool rpcrdma2_get_rsd(struct rpcrdma2_xmtcur *xcur, struct rpcrdma2_xmtreq *req)
{
	struct rpcrdma2_rsdset set;
	u32 i, n;

	if (!rpcrdma2_get_count(&xcur->cur, RPCRDMA2_RSDSET_MIN, &n))
		return false;
	for (i = 0; i < n; i++) {
		if (!rpcrdma2_get_rsdset(xcur, req, &set))
			return false;
		if (i < RPCRDMA2_MAX_RSDSETS)
			req->sets[i] = set;
	}
	req->nsets = min_t(u32, n, RPCRDMA2_MAX_RSDSETS);
	if (n > req->nsets)
		xcur->over = true;
	return true;
}

/* Read what follows the arrays of optxmt_req. @req: all of them 0 on failure. False
 * if it is cut or something is left over (N-66).
 */
static bool rpcrdma2_get_req_tail(struct rpcrdma2_cur *cur, struct rpcrdma2_xmtreq *req)
{
	u32 count, rsbuf, pslen;

	if (!rpcrdma2_get(cur, &count) || !rpcrdma2_get(cur, &rsbuf) ||
	    !rpcrdma2_get(cur, &pslen) || rpcrdma2_left(cur))
		return false;
	req->count = count;
	req->rsbuf = rsbuf;
	req->pslen = pslen;
	return true;
}

/* Read what follows the array of optxmt_resp. @resp: both 0 on failure. False if it
 * is cut or something is left over (N-66).
 */
static bool rpcrdma2_get_resp_tail(struct rpcrdma2_cur *cur, struct rpcrdma2_xmtresp *resp)
{
	u32 count, pslen;

	if (!rpcrdma2_get(cur, &count) || !rpcrdma2_get(cur, &pslen) ||
	    rpcrdma2_left(cur))
		return false;
	resp->count = count;
	resp->pslen = pslen;
	return true;
}

/**
 * rpcrdma2_decode_xmtreq - read ROPT_XMTREQ
 * @buf: the received bytes
 * @msg: message decoded from them; its payload starts at @hdrlen
 * @req: OUT: the request; on failure only @count is valid: it is 0 if it could
 *	not be read, and otherwise tells how many transmissions to expect
 *
 * Return: 0, or %-EBADMSG if it does not parse or holds too many elements.
 */
int rpcrdma2_decode_xmtreq(const void *buf, const struct rpcrdma2_msg *msg,
			   struct rpcrdma2_xmtreq *req)
{
	struct rpcrdma2_xmtcur xcur = { .pool = &req->pool };

	memset(req, 0, offsetof(struct rpcrdma2_xmtreq, items));
	rpcrdma2_segpool_init(&req->pool);
	rpcrdma2_option_cur(&xcur.cur, buf, msg);
	if (!rpcrdma2_get_dp(&xcur, req->items, &req->nitems) ||
	    !rpcrdma2_get_rsd(&xcur, req) ||
	    !rpcrdma2_get_req_tail(&xcur.cur, req) || xcur.over)
		return -EBADMSG;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_decode_xmtreq);

/**
 * rpcrdma2_decode_xmtresp - read ROPT_XMTRESP
 * @buf: the received bytes
 * @msg: message decoded from them; its payload starts at @hdrlen
 * @resp: OUT: the response; on failure only @count is valid: it is 0 if it
 *	could not be read, and otherwise tells how many transmissions to expect
 *
 * Return: 0, or %-EBADMSG if it does not parse or holds too many elements.
 */
int rpcrdma2_decode_xmtresp(const void *buf, const struct rpcrdma2_msg *msg,
			    struct rpcrdma2_xmtresp *resp)
{
	struct rpcrdma2_xmtcur xcur = { .pool = &resp->pool };

	memset(resp, 0, offsetof(struct rpcrdma2_xmtresp, items));
	rpcrdma2_segpool_init(&resp->pool);
	rpcrdma2_option_cur(&xcur.cur, buf, msg);
	if (!rpcrdma2_get_dp(&xcur, resp->items, &resp->nitems) ||
	    !rpcrdma2_get_resp_tail(&xcur.cur, resp) || xcur.over)
		return -EBADMSG;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_decode_xmtresp);

/* Section: sending placement information */

static void rpcrdma2_put_mitem(struct rpcrdma2_out *out,
			       const struct rpcrdma2_mitem *item,
			       const struct rpcrdma2_segpool *pool)
{
	u32 i;

	rpcrdma2_put(out, item->disp);
	rpcrdma2_put(out, item->length);
	rpcrdma2_put(out, item->type);
	switch (item->type) {
	case XMPTYPE_EXRW:
		rpcrdma2_put_segments(out, &pool->segs[item->first], item->count);
		break;
	case XMPTYPE_TBSN:
		rpcrdma2_put(out, item->offset);
		rpcrdma2_put(out, item->count);
		for (i = 0; i < item->count; i++)
			rpcrdma2_put(out, pool->tbsns[item->first + i]);
		break;
	}
}

/* Write optxrq_dp or optxrs_dp. */
static void rpcrdma2_put_dp(struct rpcrdma2_out *out,
			    const struct rpcrdma2_mitem *items, u32 nitems,
			    const struct rpcrdma2_segpool *pool)
{
	u32 i;

	rpcrdma2_put(out, nitems);
	for (i = 0; i < nitems; i++)
		rpcrdma2_put_mitem(out, &items[i], pool);
}

static void rpcrdma2_put_rsditem(struct rpcrdma2_out *out,
				 const struct rpcrdma2_rsditem *item,
				 const struct rpcrdma2_segpool *pool)
{
	rpcrdma2_put(out, item->minlen);
	rpcrdma2_put(out, item->type);
	if (item->type == XMPTYPE_BYSIZE)
		rpcrdma2_put(out, item->dsdov);
	if (item->type != XMPTYPE_TBSN)
		rpcrdma2_put_segments(out, &pool->segs[item->first], item->count);
}

static void rpcrdma2_put_rsdset(struct rpcrdma2_out *out,
				const struct rpcrdma2_rsdset *set,
				const struct rpcrdma2_xmtreq *req)
{
	u32 i;

	rpcrdma2_put(out, set->begin);
	rpcrdma2_put(out, set->end);
	rpcrdma2_put(out, set->count);
	for (i = 0; i < set->count; i++)
		rpcrdma2_put_rsditem(out, &req->rsditems[set->first + i], &req->pool);
}

/**
 * rpcrdma2_encode_xmtreq - write ROPT_XMTREQ
 * @buf: where the header goes
 * @size: room there, in bytes
 * @hdr: first fields
 * @req: the request; its items have to point into its own arrays
 *
 * Return: length of the header in bytes, or %-EMSGSIZE.
 */
int rpcrdma2_encode_xmtreq(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			   const struct rpcrdma2_xmtreq *req)
{
	struct rpcrdma2_out out;
	u32 i;

	rpcrdma2_begin_option(&out, buf, size, hdr, ROPT_XMTREQ);
	rpcrdma2_put_dp(&out, req->items, req->nitems, &req->pool);
	rpcrdma2_put(&out, req->nsets);
	for (i = 0; i < req->nsets; i++)
		rpcrdma2_put_rsdset(&out, &req->sets[i], req);
	rpcrdma2_put(&out, req->count);
	rpcrdma2_put(&out, req->rsbuf);
	rpcrdma2_put(&out, req->pslen);
	return rpcrdma2_end_option(&out);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_encode_xmtreq);

/**
 * rpcrdma2_encode_xmtresp - write ROPT_XMTRESP
 * @buf: where the header goes
 * @size: room there, in bytes
 * @hdr: first fields
 * @resp: the response; its items have to point into its own arrays
 *
 * Return: length of the header in bytes, or %-EMSGSIZE.
 */
int rpcrdma2_encode_xmtresp(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			    const struct rpcrdma2_xmtresp *resp)
{
	struct rpcrdma2_out out;

	rpcrdma2_begin_option(&out, buf, size, hdr, ROPT_XMTRESP);
	rpcrdma2_put_dp(&out, resp->items, resp->nitems, &resp->pool);
	rpcrdma2_put(&out, resp->count);
	rpcrdma2_put(&out, resp->pslen);
	return rpcrdma2_end_option(&out);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_encode_xmtresp);

/**
 * rpcrdma2_xmtreq_size - how long can the header of ROPT_XMTREQ be?
 * @nplaced: items that are placed
 * @nsets: sets of directions, of one item each
 * @nsegs: segments that these point to, all together
 *
 * Return: length in bytes without numbers of segments; less is written for
 * directions of other types than XMPTYPE_BYSIZE
 */
u32 rpcrdma2_xmtreq_size(u32 nplaced, u32 nsets, u32 nsegs)
{
	return RPCRDMA2_OPT_SIZE +
	       (5 + nplaced * (RPCRDMA2_MITEM_WORDS + 2) +
		nsets * (3 + 4)) * RPCRDMA2_WORD +
	       nsegs * RPCRDMA2_SEGMENT_SIZE;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xmtreq_size);

/**
 * rpcrdma2_xmtresp_size - how long is the header of ROPT_XMTRESP?
 * @nitems: items, one for each direction
 * @nplaced: how many of them are placed
 * @nwritten: how many of them explicit RDMA has written
 * @nsegs: segments that these were written to, all together
 *
 * Return: length in bytes without numbers of segments
 */
u32 rpcrdma2_xmtresp_size(u32 nitems, u32 nplaced, u32 nwritten, u32 nsegs)
{
	return RPCRDMA2_OPT_SIZE +
	       (3 + nitems * RPCRDMA2_MITEM_WORDS + nplaced * 2 + nwritten) *
	       RPCRDMA2_WORD +
	       nsegs * RPCRDMA2_SEGMENT_SIZE;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_xmtresp_size);

/**
 * rpcrdma2_encode_xmtcont - write ROPT_XMTCONT
 * @buf: where the header goes
 * @size: room there, in bytes
 * @hdr: first fields
 * @cont: place in the group
 *
 * Return: length of the header in bytes, or %-EMSGSIZE.
 */
int rpcrdma2_encode_xmtcont(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			    const struct rpcrdma2_xmtcont *cont)
{
	struct rpcrdma2_out out;

	rpcrdma2_begin_option(&out, buf, size, hdr, ROPT_XMTCONT);
	rpcrdma2_put(&out, cont->xnum);
	rpcrdma2_put(&out, cont->itype);
	rpcrdma2_put(&out, cont->pslen);
	return rpcrdma2_end_option(&out);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_encode_xmtcont);

/**
 * rpcrdma2_decode_xmtcont - read ROPT_XMTCONT
 * @buf: the received bytes
 * @msg: message decoded from them; its payload starts at @hdrlen
 * @cont: OUT: place in the group
 *
 * Whether the place is the right one is for the group to say.
 *
 * Return: 0 or %-EBADMSG.
 */
int rpcrdma2_decode_xmtcont(const void *buf, const struct rpcrdma2_msg *msg,
			    struct rpcrdma2_xmtcont *cont)
{
	struct rpcrdma2_cur cur;

	rpcrdma2_option_cur(&cur, buf, msg);
	if (!rpcrdma2_get(&cur, &cont->xnum) || !rpcrdma2_get(&cur, &cont->itype) ||
	    !rpcrdma2_get(&cur, &cont->pslen) || rpcrdma2_left(&cur))
		return -EBADMSG;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_decode_xmtcont);

/* How many words go with a code. Returns number of words, or negative if
 * there is no such code.
 */
static int rpcrdma2_repterr_nargs(u32 which)
{
	switch (which) {
	case OPTRERR_BADCONT:
		return 0;
	case OPTRERR_BADHMT:
	case OPTRERR_BADOMT:
	case OPTRERR_BADSEQ:
	case OPTRERR_BADXID:
		return 2;
	case OPTRERR_BADOFF:
	case OPTRERR_BADTBSN:
	case OPTRERR_BADPL:
		return 3;
	}
	return -EBADMSG;
}

/* Read an xms_id. False if it is cut or its direction is garbled (N-211). */
static bool rpcrdma2_get_xmsid(struct rpcrdma2_cur *cur, struct rpcrdma2_xmsid *id)
{
	bool reply;
	u32 xid;

	if (!rpcrdma2_get(cur, &xid) || !rpcrdma2_get_bool(cur, &reply) ||
	    !rpcrdma2_get(cur, &id->seq))
		return false;
	id->xid = cpu_to_be32(xid);
	id->dir = reply ? RDMA2_REPLY : RDMA2_CALL;
	return true;
}

static void rpcrdma2_put_xmsid(struct rpcrdma2_out *out, const struct rpcrdma2_xmsid *id)
{
	rpcrdma2_put(out, be32_to_cpu(id->xid));
	rpcrdma2_put(out, id->dir);
	rpcrdma2_put(out, id->seq);
}

/* Read an optr_info. False if it is cut or there is no such code (N-211). */
static bool rpcrdma2_get_repterr_info(struct rpcrdma2_cur *cur, struct rpcrdma2_repterr *rep)
{
	int i, nargs;

	if (!rpcrdma2_get(cur, &rep->which))
		return false;
	nargs = rpcrdma2_repterr_nargs(rep->which);
	if (nargs < 0)
		return false;
	for (i = 0; i < nargs; i++)
		if (!rpcrdma2_get(cur, &rep->args[i]))
			return false;
	rep->nargs = nargs;
	return true;
}

/**
 * rpcrdma2_encode_repterr - write ROPT_REPTERR
 * @buf: where the message goes
 * @size: room there, in bytes
 * @hdr: first fields: xid of what is reported, opposite direction
 * @rep: the report; the number of its arguments follows from the code
 *
 * Return: length of the message in bytes, %-EMSGSIZE, or %-EINVAL if there is
 * no such code.
 */
int rpcrdma2_encode_repterr(void *buf, u32 size, const struct rpcrdma2_hdr *hdr,
			    const struct rpcrdma2_repterr *rep)
{
	int i, nargs = rpcrdma2_repterr_nargs(rep->which);
	struct rpcrdma2_out out;

	if (nargs < 0)
		return -EINVAL;
	rpcrdma2_begin_option(&out, buf, size, hdr, ROPT_REPTERR);
	rpcrdma2_put_xmsid(&out, &rep->bad);
	rpcrdma2_put(&out, rep->has_lead);
	if (rep->has_lead)
		rpcrdma2_put_xmsid(&out, &rep->lead);
	rpcrdma2_put(&out, rep->which);
	for (i = 0; i < nargs; i++)
		rpcrdma2_put(&out, rep->args[i]);
	return rpcrdma2_end_option(&out);
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_encode_repterr);

/**
 * rpcrdma2_decode_repterr - read ROPT_REPTERR
 * @buf: the received bytes
 * @msg: message decoded from them
 * @rep: OUT: the report, valid on success only
 *
 * What the arguments say is information only (N-215).
 *
 * Return: 0 or %-EBADMSG.
 */
int rpcrdma2_decode_repterr(const void *buf, const struct rpcrdma2_msg *msg,
			    struct rpcrdma2_repterr *rep)
{
	struct rpcrdma2_cur cur;

	memset(rep, 0, sizeof(*rep));
	rpcrdma2_option_cur(&cur, buf, msg);
	if (!rpcrdma2_get_xmsid(&cur, &rep->bad) ||
	    !rpcrdma2_get_bool(&cur, &rep->has_lead))
		return -EBADMSG;
	if (rep->has_lead && !rpcrdma2_get_xmsid(&cur, &rep->lead))
		return -EBADMSG;
	if (!rpcrdma2_get_repterr_info(&cur, rep) || rpcrdma2_left(&cur))
		return -EBADMSG;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(rpcrdma2_decode_repterr);
