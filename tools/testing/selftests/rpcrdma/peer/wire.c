// SPDX-License-Identifier: GPL-2.0
/*
 * Encoder and strict decoder of the conformance peer.
 *
 * The decoder takes nothing on trust: a message of the other end that is
 * not exactly what the protocol text allows is a finding.
 */
#include <arpa/inet.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rd.h"
#include "wire.h"

/**
 * buf_init - make an empty buffer
 * @b: the buffer
 * @cap: how many bytes it shall hold
 */
void buf_init(struct buf *b, size_t cap)
{
	memset(b, 0, sizeof(*b));
	b->p = calloc(1, cap);
	if (!b->p)
		abort();
	b->cap = cap;
}

/**
 * buf_free - give a buffer's memory back
 * @b: the buffer
 */
void buf_free(struct buf *b)
{
	free(b->p);
	memset(b, 0, sizeof(*b));
}

/**
 * buf_reset - empty a buffer
 * @b: the buffer
 */
void buf_reset(struct buf *b)
{
	b->len = 0;
	b->has_swi = false;
	b->has_cut = false;
}

/**
 * buf_bytes - append bytes
 * @b: the buffer
 * @p: the bytes
 * @n: how many
 */
void buf_bytes(struct buf *b, const void *p, size_t n)
{
	if (n > b->cap - b->len) {
		fprintf(stderr, "peer: message above %zu bytes\n", b->cap);
		abort();
	}
	memcpy(b->p + b->len, p, n);
	b->len += n;
}

/**
 * buf_fill - append the same byte over and over
 * @b: the buffer
 * @c: the byte
 * @n: how often
 */
void buf_fill(struct buf *b, u8 c, size_t n)
{
	while (n--)
		buf_bytes(b, &c, 1);
}

/**
 * buf_u32 - append a word
 * @b: the buffer
 * @v: its value
 */
void buf_u32(struct buf *b, u32 v)
{
	u32 be = htonl(v);

	buf_bytes(b, &be, 4);
}

/**
 * buf_u64 - append two words
 * @b: the buffer
 * @v: their value
 */
void buf_u64(struct buf *b, u64 v)
{
	buf_u32(b, v >> 32);
	buf_u32(b, v);
}

/**
 * buf_put_u32 - change a word
 * @b: the buffer
 * @at: where the word starts
 * @v: its new value
 */
void buf_put_u32(struct buf *b, size_t at, u32 v)
{
	u32 be = htonl(v);

	if (at + 4 <= b->cap)
		memcpy(b->p + at, &be, 4);
}

/**
 * get_u32 - read a word
 * @p: where it starts
 *
 * Return: its value.
 */
u32 get_u32(const void *p)
{
	u32 be;

	memcpy(&be, p, 4);
	return ntohl(be);
}

/**
 * wire_fixed - append the four fixed words
 * @b: the message
 * @xid: first word
 * @vers: second word
 * @credit: third word
 * @proc: fourth word
 */
void wire_fixed(struct buf *b, u32 xid, u32 vers, u32 credit, u32 proc)
{
	buf_u32(b, xid);
	buf_u32(b, vers);
	buf_u32(b, credit);
	buf_u32(b, proc);
}

/**
 * wire_seg - append a segment
 * @b: the message
 * @s: the segment
 */
void wire_seg(struct buf *b, const struct seg *s)
{
	buf_u32(b, s->handle);
	buf_u32(b, s->len);
	buf_u64(b, s->off);
}

/**
 * wire_chunk - append a counted array of segments
 * @b: the message
 * @c: the chunk
 */
void wire_chunk(struct buf *b, const struct chunk *c)
{
	u32 i;

	buf_u32(b, c->nsegs);
	for (i = 0; i < c->nsegs; i++)
		wire_seg(b, &c->seg[i]);
}

/**
 * wire_lists - append Read list, Write list and Reply chunk
 * @b: the message
 * @h: where they are taken from
 */
void wire_lists(struct buf *b, const struct hdr *h)
{
	u32 i;

	for (i = 0; i < h->nreads; i++) {
		buf_u32(b, 1);
		buf_u32(b, h->pos[i]);
		wire_seg(b, &h->reads[i]);
	}
	buf_u32(b, 0);
	for (i = 0; i < h->nwrites; i++) {
		buf_u32(b, 1);
		wire_chunk(b, &h->writes[i]);
	}
	buf_u32(b, 0);
	buf_u32(b, h->has_reply);
	if (h->has_reply)
		wire_chunk(b, &h->reply);
}

/**
 * wire_header - append the header of MSG or NOMSG in version 1 or 2
 * @b: the message
 * @h: what the header says
 */
void wire_header(struct buf *b, const struct hdr *h)
{
	wire_fixed(b, h->xid, h->vers, h->credit, h->proc);
	if (h->vers == 2) {
		buf_u32(b, h->dir);
		buf_u32(b, h->inv);
	}
	wire_lists(b, h);
}

/**
 * rd_u32 - take a word
 * @r: where from
 * @what: its name, for the fault
 *
 * Return: its value, 0 past the end.
 */
u32 rd_u32(struct rd *r, const char *what)
{
	u32 v;

	if (r->why)
		return 0;
	if (r->left < 4) {
		r->why = what;
		return 0;
	}
	v = get_u32(r->p);
	r->p += 4;
	r->left -= 4;
	return v;
}

/**
 * rd_bool - take a word that is 0 or 1
 * @r: where from
 * @what: its name, for the fault
 *
 * Return: its value.
 */
u32 rd_bool(struct rd *r, const char *what)
{
	u32 v = rd_u32(r, what);

	if (v > 1 && !r->why)
		r->why = what;
	return v;
}

/**
 * rd_seg - take a segment
 * @r: where from
 * @s: where to
 */
static void rd_seg(struct rd *r, struct seg *s)
{
	s->handle = rd_u32(r, "segment");
	s->len = rd_u32(r, "segment");
	s->off = (u64)rd_u32(r, "segment") << 32;
	s->off |= rd_u32(r, "segment");
}

/**
 * rd_chunk - take a counted array of segments
 * @r: where from
 * @c: where to
 */
void rd_chunk(struct rd *r, struct chunk *c)
{
	u32 i;

	c->nsegs = rd_u32(r, "segment count");
	if (c->nsegs > MAX_SEGS && !r->why)
		r->why = "segment count";
	for (i = 0; i < c->nsegs && !r->why; i++)
		rd_seg(r, &c->seg[i]);
}

/**
 * rd_lists - take Read list, Write list and Reply chunk
 * @r: where from
 * @h: where to
 */
static void rd_lists(struct rd *r, struct hdr *h)
{
	while (rd_bool(r, "Read list") == 1 && !r->why) {
		if (h->nreads == MAX_READS) {
			r->why = "Read list too long";
			return;
		}
		h->pos[h->nreads] = rd_u32(r, "Read position");
		rd_seg(r, &h->reads[h->nreads++]);
	}
	while (rd_bool(r, "Write list") == 1 && !r->why) {
		if (h->nwrites == MAX_CHUNKS) {
			r->why = "Write list too long";
			return;
		}
		rd_chunk(r, &h->writes[h->nwrites++]);
	}
	h->has_reply = rd_bool(r, "Reply chunk") == 1;
	if (h->has_reply)
		rd_chunk(r, &h->reply);
}

/**
 * rd_error - take the body of an ERROR
 * @r: where from
 * @h: where to
 */
static void rd_error(struct rd *r, struct hdr *h)
{
	h->dir = DIR_REPLY;
	h->err = rd_u32(r, "rdma_err");
	if (h->err == E_VERS) {
		h->low = rd_u32(r, "rdma_vers_low");
		h->high = rd_u32(r, "rdma_vers_high");
	} else if (h->vers == 2 && h->err == E_CANT) {
		h->processed = rd_bool(r, "rdma_processed");
		h->index = rd_u32(r, "rdma_segment_index");
		h->needed = rd_u32(r, "rdma_length_needed");
	} else if (h->err < E_VERS ||
		   h->err > (h->vers == 2 ? E_OPT : E_XDR)) {
		if (!r->why)
			r->why = "rdma_err unknown";
	}
	h->excess = r->left && !r->why;
	if (h->excess)
		r->why = "bytes after ERROR";
}

/**
 * rd_optional - take the body of an OPTIONAL
 * @r: where from
 * @h: where to
 */
static void rd_optional(struct rd *r, struct hdr *h)
{
	h->dir = rd_bool(r, "rdma_optdir");
	h->opttype = rd_u32(r, "rdma_opttype");
	h->optlen = rd_u32(r, "optinfo length");
	h->optinfo = r->p;
	if (r->why)
		return;
	if (h->optlen > r->left || h->optlen % 4) {
		r->why = "optinfo length";
		return;
	}
	r->p += h->optlen;
	r->left -= h->optlen;
	h->excess = r->left &&
		    (h->opttype <= O_UPDXCH || h->opttype == O_REPTERR);
	if (h->excess)
		r->why = "payload after control message";
}

/**
 * copy_chunk - copy a chunk, as far as there is one
 * @to: gets the copy
 * @from: the chunk
 */
static void copy_chunk(struct chunk *to, const struct chunk *from)
{
	u32 n = from->nsegs < MAX_SEGS ? from->nsegs : MAX_SEGS;

	to->nsegs = from->nsegs;
	memcpy(to->seg, from->seg, n * sizeof(to->seg[0]));
}

/**
 * hdr_copy - copy what is known of a message
 * @to: gets the copy
 * @from: as wire_decode() left it
 */
void hdr_copy(struct hdr *to, const struct hdr *from)
{
	u32 i;

	memcpy(to, from, offsetof(struct hdr, pos));
	memcpy(to->pos, from->pos, from->nreads * sizeof(to->pos[0]));
	memcpy(to->reads, from->reads, from->nreads * sizeof(to->reads[0]));
	copy_chunk(&to->reply, &from->reply);
	for (i = 0; i < from->nwrites; i++)
		copy_chunk(&to->writes[i], &from->writes[i]);
}

/**
 * wire_decode - take a message apart
 * @h: what it says
 * @p: its bytes
 * @len: how many
 *
 * Return: 0, or -1 with the fault in @h->why.
 */
int wire_decode(struct hdr *h, const u8 *p, size_t len)
{
	struct rd r = { .p = p, .left = len };

	memset(h, 0, offsetof(struct hdr, pos));
	h->reply.nsegs = 0;
	h->xid = rd_u32(&r, "xid");
	h->vers = rd_u32(&r, "vers");
	h->credit = rd_u32(&r, "credit");
	h->proc = rd_u32(&r, "proc");
	if (!r.why && h->vers != 1 && h->vers != 2 && h->proc != P_ERROR)
		r.why = "rdma_vers";
	if (r.why)
		goto out;
	switch (h->proc) {
	case P_MSG:
	case P_NOMSG:
		if (h->vers == 2) {
			h->dir = rd_bool(&r, "rdma_direction");
			h->inv = rd_u32(&r, "rdma_inv_handle");
		}
		rd_lists(&r, h);
		break;
	case P_ERROR:
		rd_error(&r, h);
		break;
	case P_OPTIONAL:
		if (h->vers == 2)
			rd_optional(&r, h);
		else
			r.why = "OPTIONAL in version 1";
		break;
	default:
		r.why = "rdma_proc";
	}
out:
	h->hlen = r.p - p;
	h->why = r.why;
	return r.why ? -1 : 0;
}

/**
 * chars_default - what holds before an INITXCH came
 * @x: the characteristics
 */
void chars_default(struct chars *x)
{
	memset(x, 0, sizeof(*x));
	x->rbsiz = DEFAULT_INLINE;
	x->brs = 1;
	x->reqrxlim = 1;
	x->respsxlim = 1;
}

/**
 * char_bit - a bit for each characteristic that is known
 * @which: its id
 *
 * Return: the bit, 0 for an unknown id.
 */
static u32 char_bit(u32 which)
{
	if (which == XC_RTRSUPP)
		return 1;
	return which && which <= XC_RESPSXLIM ? 1u << which : 0;
}

/**
 * one_char - take one characteristic
 * @x: where to
 * @which: its id
 * @p: its data
 * @len: length of @p
 *
 * Return: what is wrong with it, or NULL.
 */
static const char *one_char(struct chars *x, u32 which, const u8 *p, u32 len)
{
	u32 v = len == 4 ? get_u32(p) : 0;

	x->foreign += !char_bit(which);
	if (char_bit(which) && which != XC_RBSTRUCT && len != 4)
		return "data length of a characteristic";
	if (x->seen & char_bit(which))
		return "characteristic twice";
	x->seen |= char_bit(which);
	switch (which) {
	case XC_RBSIZ:
		x->have_rbsiz = true;
		x->rbsiz = v;
		return NULL;
	case XC_REQREMINV:
		x->reqreminv = v;
		return v > 1 ? "REQREMINV above 1" : NULL;
	case XC_BRS:
		x->have_brs = true;
		x->brs = v;
		return v > 2 ? "BRS above 2" : NULL;
	case XC_RTRSUPP:
		x->have_rtrsupp = true;
		x->rtrsupp = v;
		return NULL;
	case XC_RBSTRUCT:
		if (len < 8 || len - 8 != 16ull * get_u32(p + 4))
			return "data length of RBSTRUCT";
		x->rbstruct_len = len;
		memcpy(x->rbstruct, p, len < RBSTRUCT_MAX ? len : RBSTRUCT_MAX);
		return NULL;
	case XC_REQRXLIM:
		x->reqrxlim = v ? v : 1;
		return NULL;
	case XC_RESPSXLIM:
		x->respsxlim = v ? v : 1;
		return NULL;
	}
	return NULL;
}

/**
 * wire_chars - take an INITXCH apart
 * @x: the characteristics in it
 * @h: the decoded header; its why gets the fault
 *
 * Return: 0, or -1 if it is malformed.
 */
int wire_chars(struct chars *x, const struct hdr *h)
{
	struct rd r = { .p = h->optinfo, .left = h->optlen };
	u32 i, words;

	chars_default(x);
	x->count = rd_u32(&r, "count of characteristics");
	for (i = 0; i < x->count && !r.why; i++) {
		u32 which = rd_u32(&r, "xchv_which");
		u32 len = rd_u32(&r, "xchv_data length");
		u64 room = ((u64)len + 3) & ~3ull;

		if (r.why)
			break;
		if (room > r.left) {
			r.why = "xchv_data beyond optinfo";
			break;
		}
		r.why = one_char(x, which, r.p, len);
		if (which == XC_RBSTRUCT)
			x->rbstruct_nr = i;
		r.p += room;
		r.left -= room;
	}
	words = rd_u32(&r, "nochg words");
	for (i = 0; i < words && !r.why; i++) {
		u32 w = rd_u32(&r, "nochg word");

		if (!i)
			x->nochg = w;
	}
	if (r.left && !r.why)
		r.why = "left-over words in INITXCH";
	((struct hdr *)h)->why = r.why;
	return r.why ? -1 : 0;
}

/**
 * rd_value - take an xcharval
 * @r: where from
 * @which: gets the characteristic
 * @value: gets the value, if it is one word
 */
static void rd_value(struct rd *r, u32 *which, u32 *value)
{
	struct chars v;
	u32 len;
	u64 room;

	*which = rd_u32(r, "xchv_which");
	len = rd_u32(r, "xchv_data length");
	room = ((u64)len + 3) & ~3ull;
	if (r->why)
		return;
	if (room > r->left) {
		r->why = "xchv_data beyond optinfo";
		return;
	}
	*value = len == 4 ? get_u32(r->p) : 0;
	chars_default(&v);
	r->why = one_char(&v, *which, r->p, len);
	r->p += room;
	r->left -= room;
}

/**
 * wire_req - take a REQXCH apart
 * @x: what it asks for
 * @h: the decoded header
 *
 * Return: 0, or -1 if it is malformed, or asks for the same thing twice.
 */
int wire_req(struct req *x, const struct hdr *h)
{
	struct rd r = { .p = h->optinfo, .left = h->optlen };
	u32 i, j;

	memset(x, 0, sizeof(*x));
	x->count = rd_u32(&r, "count of characteristics");
	if (x->count > REQ_ELEMENTS)
		return -1;
	for (i = 0; i < x->count && !r.why; i++) {
		rd_value(&r, &x->which[i], &x->value[i]);
		for (j = 0; j < i; j++)
			if (x->which[j] == x->which[i])
				return -1;
	}
	return r.why || r.left ? -1 : 0;
}

/**
 * rd_subset - take an xcharsubset
 * @r: where from
 * @s: where to
 */
static void rd_subset(struct rd *r, struct subset *s)
{
	u32 n = rd_u32(r, "subset words"), i;

	for (i = 0; i < n && !r->why; i++) {
		u32 w = rd_u32(r, "subset word");

		if (i < SUBSET_WORDS)
			s->w[i] = w;
		else if (w)
			r->why = "subset too long";
	}
}

/**
 * wire_resp - take a RESPXCH apart
 * @x: what it says
 * @h: the decoded header
 *
 * Return: 0, or -1 if it is malformed.
 */
int wire_resp(struct resp *x, const struct hdr *h)
{
	struct rd r = { .p = h->optinfo, .left = h->optlen };

	memset(x, 0, sizeof(*x));
	rd_subset(&r, &x->done);
	rd_subset(&r, &x->rej);
	rd_subset(&r, &x->pend);
	return r.why || r.left ? -1 : 0;
}

/**
 * resp_once - is no element in two subsets of a RESPXCH?
 * @x: what it says
 *
 * Return: true if so.
 */
bool resp_once(const struct resp *x)
{
	int i;

	for (i = 0; i < SUBSET_WORDS; i++)
		if ((x->done.w[i] & (x->rej.w[i] | x->pend.w[i])) ||
		    (x->rej.w[i] & x->pend.w[i]))
			return false;
	return true;
}

/**
 * resp_done - is an element changed, by what a RESPXCH says?
 * @x: what it says
 * @i: number of the element
 *
 * What it says of elements that were not asked for has no meaning.
 *
 * Return: true if so; false if it is in another subset, too.
 */
bool resp_done(const struct resp *x, u32 i)
{
	u32 n = i / 32;

	return (x->done.w[n] & ~x->rej.w[n] & ~x->pend.w[n]) >> i % 32 & 1;
}

/**
 * wire_upd - take an UPDXCH apart
 * @x: what it says
 * @h: the decoded header
 *
 * Return: 0, or -1 if it is malformed.
 */
int wire_upd(struct upd *x, const struct hdr *h)
{
	struct rd r = { .p = h->optinfo, .left = h->optlen };

	rd_value(&r, &x->which, &x->value);
	x->pendclr = rd_bool(&r, "pendclr");
	return r.why || r.left ? -1 : 0;
}

/**
 * wire_hex - bytes in the form of the protocol text's examples
 * @p: the bytes
 * @len: how many
 * @max: how many to show
 *
 * Return: a string, the caller's to free.
 */
char *wire_hex(const u8 *p, size_t len, size_t max)
{
	size_t n = len < max ? len : max, i, at = 0;
	char *s = malloc(n * 3 + 32);

	if (!s)
		abort();
	for (i = 0; i < n; i++)
		at += sprintf(s + at, "%s%02x", i && !(i % 4) ? " " : "", p[i]);
	sprintf(s + at, "%s (%zu bytes)", n < len ? " ..." : "", len);
	return s;
}

/**
 * wire_brief - name a message in a few words
 * @p: its bytes
 * @len: how many
 *
 * Return: a static string.
 */
const char *wire_brief(const u8 *p, size_t len)
{
	static char s[256];
	static struct hdr h;
	int bad = wire_decode(&h, p, len);
	int at;

	at = snprintf(s, sizeof(s), "xid %08x vers %u credit %u proc %u",
		      h.xid, h.vers, h.credit, h.proc);
	if (h.proc == P_ERROR)
		at += snprintf(s + at, sizeof(s) - at, " err %u", h.err);
	if (h.proc == P_ERROR && h.err == E_VERS)
		at += snprintf(s + at, sizeof(s) - at, " (%u,%u)", h.low,
			       h.high);
	if (h.proc == P_ERROR && h.err == E_CANT)
		at += snprintf(s + at, sizeof(s) - at, " (%u,%u,%u)",
			       h.processed, h.index, h.needed);
	if (h.proc == P_OPTIONAL)
		at += snprintf(s + at, sizeof(s) - at, " dir %u opttype %u",
			       h.dir, h.opttype);
	if (h.proc <= P_NOMSG)
		at += snprintf(s + at, sizeof(s) - at, " dir %u inv %08x",
			       h.dir, h.inv);
	snprintf(s + at, sizeof(s) - at, " len %zu%s%s", len,
		 bad ? " MALFORMED: " : "", bad ? h.why : "");
	return s;
}
