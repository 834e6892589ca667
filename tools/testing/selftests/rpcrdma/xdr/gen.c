// SPDX-License-Identifier: GPL-2.0
/*
 * Random messages, with the numbers that the drafts' XDR has for them. They are
 * sound: what stands in them could be meant, since readers look at that, too.
 */
#include <string.h>

#include "draft.h"
#include "model.h"

#define PAYLOAD		64u
#define SMALL_LENGTH	(1u << 27)
#define MIN_RBSIZ	1024u
#define MAX_EX		96u	/* segments of all items of a message */

u64 seed;

/**
 * next - draw a number (splitmix64)
 *
 * Return: the number.
 */
static u64 next(void)
{
	u64 z = seed += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/**
 * rnd - draw a small number
 * @n: what it is less than
 *
 * Return: the number.
 */
u32 rnd(u32 n)
{
	return (next() >> 32) % n;
}

/**
 * rnd_word - draw any word, extremes more often than others
 *
 * Return: the word.
 */
u32 rnd_word(void)
{
	switch (rnd(8)) {
	case 0:
		return rnd(2) ? 0 : ~0u;
	case 1:
		return 1u << rnd(32);
	case 2:
		return rnd(64);
	default:
		return next();
	}
}

/**
 * gen_seg - draw a segment
 * @s: the segment
 * @max: greatest length
 */
static void gen_seg(struct m_seg *s, u32 max)
{
	s->handle = rnd_word();
	s->length = rnd(4) ? rnd(max) : rnd(2) * max;
	s->offset = (u64)rnd_word() << 32 | rnd_word();
}

/**
 * gen_chunk - draw a chunk; its lengths add up to a word
 * @c: the chunk
 * @max: most segments
 */
static void gen_chunk(struct m_chunk *c, u32 max)
{
	u32 i;

	c->n = rnd(max + 1);
	for (i = 0; i < c->n; i++)
		gen_seg(&c->seg[i], c->n == 1 ? ~0u : SMALL_LENGTH);
}

/**
 * gen_reads - draw a Read list whose positions could be true
 * @m: the message, a Call
 *
 * Only NOMSG has reads at position zero, and then as the body that the others
 * were taken from.
 */
static void gen_reads(struct m_msg *m)
{
	u64 end = 0;
	u32 i, at = 0, gap;

	m->nreads = rnd(M_READS + 1);
	if (m->kind == M_NOMSG && !m->nreads)
		m->nreads = 1;
	for (i = 0; i < m->nreads; i++) {
		struct m_read *r = &m->reads[i];

		gen_seg(&r->seg, m->nreads == 1 ? ~0u - 2 * PAYLOAD : SMALL_LENGTH);
		if (m->kind == M_NOMSG && !i && r->seg.length < PAYLOAD)
			r->seg.length += PAYLOAD;
		if ((m->kind == M_MSG && !i) || rnd(2)) {
			gap = 4 * (1 + rnd(PAYLOAD / 4 / M_READS));
			at = at ? end + gap : gap;
			end = at;
		}
		r->position = at;
		end += ((u64)r->seg.length + 3) & ~3ull;
		if (m->kind == M_NOMSG && !i) {
			r->position = at = 0;
			end = 0;
		}
	}
}

/**
 * gen_lists - draw the body of MSG or NOMSG
 * @m: the message
 */
static void gen_lists(struct m_msg *m)
{
	u32 i;

	m->proc = m->kind == M_MSG ? RDMA2_MSG : RDMA2_NOMSG;
	m->inv = rnd_word();
	if (m->dir == CALL)
		gen_reads(m);
	m->nwrites = rnd(M_CHUNKS + 1);
	for (i = 0; i < m->nwrites; i++)
		gen_chunk(&m->writes[i], M_SEGS);
	m->has_reply = rnd(2) || (m->kind == M_NOMSG && m->dir == REPLY);
	if (m->has_reply)
		gen_chunk(&m->reply, M_SEGS);
	if (m->kind != M_NOMSG || m->dir != REPLY)
		return;
	if (!m->reply.n)
		m->reply.n = 1;
	m->reply.seg[0].length |= PAYLOAD;
}

/**
 * gen_error - draw the body of ERROR
 * @m: the message
 */
static void gen_error(struct m_msg *m)
{
	static const u32 codes[] = {
		RDMA2_ERR_VERS, RDMA2_ERR_BAD_XDR, RDMA2_ERR_CANT_REPLY,
		RDMA2_ERR_INVAL_PROC, RDMA2_ERR_INVAL_OPTION,
	};

	m->proc = RDMA2_ERROR;
	m->dir = REPLY;
	m->err = codes[rnd(5)];
	if (m->err == RDMA2_ERR_VERS) {
		m->vers = rnd(2) ? 2 : rnd_word();
		m->low = rnd_word();
		m->high = rnd_word();
	} else if (m->err == RDMA2_ERR_CANT_REPLY) {
		m->processed = rnd(2);
		m->index = rnd_word();
		m->needed = rnd_word();
	}
}

/**
 * gen_foreign - draw an OPTIONAL of a type that nobody has defined
 * @m: the message
 */
static void gen_foreign(struct m_msg *m)
{
	u32 i;

	do {
		m->opttype = rnd_word();
	} while (m->opttype >= ROPT_INITXCH && m->opttype <= ROPT_REPTERR);
	m->info_len = rnd(M_DATA + 1);
	for (i = 0; i < m->info_len; i++)
		m->info[i] = rnd(256);
}

/**
 * gen_rbs - draw a RBSTRUCT that can be used
 * @r: the structure
 */
static void gen_rbs(struct m_rbs *r)
{
	u32 i;

	r->n = 1 + rnd(6);
	for (i = 0; i < r->n; i++) {
		struct m_group *g = &r->group[i];

		g->count = 1 + (r->n == 1 ? 0 : rnd(5));
		g->length = 1 + rnd(r->n == 1 ? ~0u : SMALL_LENGTH);
		g->align = 1u << rnd(32);
		g->flags = rnd(2) * XMRSFLAG_PLT;
		r->length += g->count * g->length;
	}
}

/**
 * gen_value - draw the value of a characteristic
 * @c: the characteristic
 */
static void gen_value(struct m_char *c)
{
	u32 i;

	if (c->id == XPROP_RBSTRUCT) {
		gen_rbs(&c->rbs);
	} else if (c->id == XCHAR_RBSIZ) {
		c->word = rnd_word() | MIN_RBSIZ;
	} else if (c->id == XCHAR_REQREMINV) {
		c->word = rnd(2);
	} else if (c->id == XCHAR_BRS) {
		c->word = (const u32[]){ BKREQSUP_NONE, BKREQSUP_INLINE, BKREQSUP_GENL }[rnd(3)];
	} else if (c->id == XPROP_RTRSUPP) {
		c->word = rnd(2) * RTRS_XREQ | rnd(2) * RTRS_XRESP | rnd(2) * RTRS_XCONT;
	} else if (draft_known_char(c->id)) {
		c->word = rnd_word() | 1;
	} else {
		c->len = rnd(M_DATA + 1);
		for (i = 0; i < c->len; i++)
			c->data[i] = rnd(256);
	}
}

static const u32 ids[] = {
	XCHAR_RBSIZ, XCHAR_REQREMINV, XCHAR_BRS, XPROP_RTRSUPP, XPROP_RBSTRUCT,
	XPROP_REQRXLIM, XPROP_RESPSXLIM,
};

/**
 * gen_id - draw an id that a message does not have yet
 * @m: the message
 *
 * Return: the id.
 */
static u32 gen_id(const struct m_msg *m)
{
	u32 i, id;

again:
	id = rnd(6) ? ids[rnd(sizeof(ids) / sizeof(ids[0]))] : rnd_word();
	for (i = 0; i < m->nchars; i++)
		if (m->chars[i].id == id)
			goto again;
	return id;
}

/**
 * gen_chars - draw characteristics
 * @m: the message
 * @count: how many
 */
static void gen_chars(struct m_msg *m, u32 count)
{
	while (m->nchars < count) {
		struct m_char *c = &m->chars[m->nchars];

		c->id = gen_id(m);
		c->nr = m->nchars++;
		c->nochg = m->kind == M_INITXCH && rnd(2);
		gen_value(c);
	}
}

/**
 * gen_subset - draw an xcharsubset
 * @words: the subset
 */
static void gen_subset(u32 *words)
{
	u32 i, n = rnd(M_WORDS + 1);

	for (i = 0; i < n; i++)
		words[i] = rnd_word();
}

/**
 * gen_tbsns - draw an offset and numbers of segments
 * @l: where to
 */
static void gen_tbsns(struct m_loc *l)
{
	u32 i;

	l->offset = rnd_word();
	l->n = rnd(M_TBSNS + 1);
	for (i = 0; i < l->n; i++)
		l->tbsn[i] = rnd_word();
}

/**
 * gen_items - draw optxrq_dp or optxrs_dp
 * @m: the message
 */
static void gen_items(struct m_msg *m)
{
	static const u32 types[] = {
		XMPTYPE_EXRW, XMPTYPE_TBSN, XMPTYPE_TOOSHORT, XMPTYPE_NOITEM,
	};
	u32 i;

	m->nitems = rnd(M_ITEMS + 1);
	for (i = 0; i < m->nitems; i++) {
		struct m_item *it = &m->items[i];

		it->disp = rnd_word();
		it->length = rnd_word();
		it->loc.type = types[rnd(4)];
		if (it->loc.type == XMPTYPE_EXRW)
			gen_chunk(&it->loc.ex, MAX_EX / (M_ITEMS + M_TARGETS));
		if (it->loc.type == XMPTYPE_TBSN)
			gen_tbsns(&it->loc);
	}
}

/**
 * gen_target - draw an xmdp_rsditem
 * @t: the target
 */
static void gen_target(struct m_target *t)
{
	static const u32 types[] = {
		XMPTYPE_EXRW, XMPTYPE_TBSN, XMPTYPE_CHOICE, XMPTYPE_BYSIZE,
	};

	t->minlen = rnd_word();
	t->loc.type = types[rnd(4)];
	if (t->loc.type == XMPTYPE_BYSIZE)
		t->loc.offset = rnd_word();
	if (t->loc.type != XMPTYPE_TBSN)
		gen_chunk(&t->loc.ex, MAX_EX / (M_ITEMS + M_TARGETS));
}

/**
 * gen_sets - draw optxrq_rsd
 * @m: the message
 */
static void gen_sets(struct m_msg *m)
{
	u32 i, j;

	m->nsets = rnd(M_SETS + 1);
	for (i = 0; i < m->nsets; i++) {
		struct m_set *s = &m->sets[i];

		s->begin = rnd_word();
		s->end = rnd_word();
		s->n = rnd(M_TARGETS / M_SETS + 1);
		for (j = 0; j < s->n; j++)
			gen_target(&m->targets[m->ntargets++]);
	}
}

/**
 * gen_xms - draw an xms_id
 * @x: the id
 */
static void gen_xms(struct m_id *x)
{
	x->xid = rnd_word();
	x->dir = rnd(2) ? REPLY : CALL;
	x->seq = rnd_word();
}

/**
 * gen_report - draw a REPTERR
 * @m: the message
 */
static void gen_report(struct m_msg *m)
{
	static const struct {
		u32 which, nargs;
	} codes[] = {
		{ OPTRERR_BADHMT, 2 }, { OPTRERR_BADOMT, 2 }, { OPTRERR_BADCONT, 0 },
		{ OPTRERR_BADSEQ, 2 }, { OPTRERR_BADXID, 2 }, { OPTRERR_BADOFF, 3 },
		{ OPTRERR_BADTBSN, 3 }, { OPTRERR_BADPL, 3 },
	};
	u32 i = rnd(8);

	gen_xms(&m->bad);
	m->has_lead = rnd(2);
	if (m->has_lead)
		gen_xms(&m->lead);
	m->which = codes[i].which;
	m->nargs = codes[i].nargs;
	for (i = 0; i < m->nargs; i++)
		m->args[i] = rnd_word();
}

/**
 * gen_xmt - draw what XMTREQ, XMTRESP or XMTCONT hold
 * @m: the message
 */
static void gen_xmt(struct m_msg *m)
{
	m->pslen = rnd_word();
	if (m->kind == M_XMTCONT) {
		m->xnum = rnd_word();
		m->itype = rnd_word();
		return;
	}
	gen_items(m);
	m->count = rnd_word();
	if (m->kind != M_XMTREQ)
		return;
	gen_sets(m);
	m->rsbuf = rnd_word();
}

/**
 * gen_optional - draw the body of OPTIONAL
 * @m: the message
 */
static void gen_optional(struct m_msg *m)
{
	static const u32 types[M_KINDS] = {
		[M_INITXCH] = ROPT_INITXCH, [M_REQXCH] = ROPT_REQXCH,
		[M_RESPXCH] = ROPT_RESPXCH, [M_UPDXCH] = ROPT_UPDXCH,
		[M_XMTREQ] = ROPT_XMTREQ, [M_XMTRESP] = ROPT_XMTRESP,
		[M_XMTCONT] = ROPT_XMTCONT, [M_REPTERR] = ROPT_REPTERR,
	};

	m->proc = RDMA2_OPTIONAL;
	m->opttype = types[m->kind];
	if (m->kind == M_REQXCH || m->kind == M_XMTREQ)
		m->dir = CALL;
	if (m->kind == M_RESPXCH || m->kind == M_XMTRESP)
		m->dir = REPLY;
	m->slack = rnd(3);
	switch (m->kind) {
	case M_FOREIGN:
		return gen_foreign(m);
	case M_INITXCH:
	case M_REQXCH:
		return gen_chars(m, rnd(M_CHARS + 1));
	case M_UPDXCH:
		m->pendclr = rnd(2);
		return gen_chars(m, 1);
	case M_RESPXCH:
		gen_subset(m->done);
		gen_subset(m->rej);
		return gen_subset(m->pend);
	case M_REPTERR:
		return gen_report(m);
	default:
		return gen_xmt(m);
	}
}

/**
 * gen - draw a message
 * @m: the message
 * @kind: what it is
 */
void gen(struct m_msg *m, enum m_kind kind)
{
	memset(m, 0, sizeof(*m));
	m->kind = kind;
	m->xid = rnd_word();
	m->vers = 2;
	m->credit = rnd_word();
	m->dir = rnd(2) ? REPLY : CALL;
	if (kind <= M_NOMSG)
		gen_lists(m);
	else if (kind == M_ERROR)
		gen_error(m);
	else
		gen_optional(m);
}

/**
 * gen_payload - write what follows a header: the beginning of an RPC message
 * @m: the message
 * @buf: where it goes
 * @size: room there
 *
 * Return: how many bytes follow; none behind what has no payload.
 */
size_t gen_payload(const struct m_msg *m, u8 *buf, size_t size)
{
	const u32 words[] = { m->xid, m->dir };
	size_t i;

	if (m->kind != M_MSG || size < PAYLOAD)
		return 0;
	memset(buf, 0, PAYLOAD);
	for (i = 0; i < 8; i++)
		buf[i] = words[i / 4] >> (24 - i % 4 * 8);
	return PAYLOAD;
}
