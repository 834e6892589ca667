// SPDX-License-Identifier: GPL-2.0
/* The kernel's codec, put to the test. */
#include "codec.h"
#include "tests/rpcrdma2_codec_examples.h"
#include "tests/rpcrdma2_codec_lists.h"

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "model.h"

static const struct rpcrdma2_limits limits = {
	.max_message		= ~0u,
	.max_read_segs		= M_READS,
	.max_write_chunks	= M_CHUNKS,
	.max_segs		= M_SEGS,
	.opttypes		= GENMASK(ROPT_REPTERR, ROPT_INITXCH),
};

/*
 * Section: encoding
 */

static void put_segs(struct rpcrdma2_segment *to, const struct m_chunk *c)
{
	u32 i;

	for (i = 0; i < c->n; i++) {
		to[i].handle = c->seg[i].handle;
		to[i].length = c->seg[i].length;
		to[i].offset = c->seg[i].offset;
	}
}

static void put_chunk(struct rpcrdma2_out *out, const struct m_chunk *c)
{
	struct rpcrdma2_segment segs[M_SEGS];

	put_segs(segs, c);
	rpcrdma2_put_chunk(out, segs, c->n);
}

static void put_reads(struct rpcrdma2_out *out, const struct m_msg *m)
{
	struct rpcrdma2_segment seg;
	u32 i;

	for (i = 0; i < m->nreads; i++) {
		seg.handle = m->reads[i].seg.handle;
		seg.length = m->reads[i].seg.length;
		seg.offset = m->reads[i].seg.offset;
		rpcrdma2_put_read(out, m->reads[i].position, &seg);
	}
	rpcrdma2_put_end(out);
}

/* There are three ways to write the words in front of the lists */
static int put_lists(const struct m_msg *m, const struct rpcrdma2_hdr *hdr, u8 *buf, size_t size)
{
	struct rpcrdma2_out out;
	u32 i;

	rpcrdma2_begin_lists(&out, buf, size, hdr, m->proc, m->inv);
	put_reads(&out, m);
	for (i = 0; i < m->nwrites; i++)
		put_chunk(&out, &m->writes[i]);
	rpcrdma2_put_end(&out);
	if (m->has_reply)
		put_chunk(&out, &m->reply);
	else
		rpcrdma2_put_end(&out);
	if (m->xid & 1) {
		rpcrdma2_encode_prefix(buf, hdr, m->proc, ~m->inv);
		rpcrdma2_set_inv_handle(buf, m->inv);
	} else if (m->proc == RDMA2_MSG && !m->inv && !m->nreads && !m->nwrites && !m->has_reply) {
		memset(buf, 0xff, out.pos);
		rpcrdma2_encode_bare_msg(buf, hdr);
	}
	return rpcrdma2_out_length(&out);
}

static int put_error(const struct m_msg *m, const struct rpcrdma2_hdr *hdr, u8 *buf)
{
	const struct rpcrdma2_error err = {
		.code		= m->err,
		.vers_low	= m->low,
		.vers_high	= m->high,
		.processed	= m->processed,
		.segment_index	= m->index,
		.length_needed	= m->needed,
	};

	return rpcrdma2_encode_error(buf, hdr, m->vers, &err);
}

static void put_rbs(struct rpcrdma2_rbstruct *to, const struct m_rbs *r)
{
	u32 i;

	to->length = r->length;
	to->ngroups = r->n;
	for (i = 0; i < r->n; i++) {
		to->groups[i].count = r->group[i].count;
		to->groups[i].length = r->group[i].length;
		to->groups[i].align = r->group[i].align;
		to->groups[i].flags = r->group[i].flags;
	}
}

static void put_chars(struct rpcrdma2_xchars *to, const struct m_msg *m)
{
	const struct m_char *c;
	u32 i, n;

	memset(to, 0, sizeof(*to));
	for (i = 0; i < m->nchars; i++) {
		c = &m->chars[i];
		n = rpcrdma2_xchar_find(c->id);
		if (n == RPCRDMA2_RBSTRUCT)
			put_rbs(&to->rbstruct, &c->rbs);
		else if (n < RPCRDMA2_NUM_XCHARS)
			rpcrdma2_xchar_set(to, n, c->word);
		to->present |= BIT(n);
		to->nochg |= c->nochg << n;
	}
}

static void put_subset(struct rpcrdma2_subset *to, const u32 *words)
{
	u32 i;

	memset(to, 0, sizeof(*to));
	for (i = 0; i < 32 * M_WORDS; i++)
		if (words[i / 32] >> i % 32 & 1)
			rpcrdma2_subset_set(to, i);
}

static int put_respxch(const struct m_msg *m, const struct rpcrdma2_hdr *hdr, u8 *buf, size_t size)
{
	struct rpcrdma2_respxch resp;

	put_subset(&resp.done, m->done);
	put_subset(&resp.rej, m->rej);
	put_subset(&resp.pend, m->pend);
	return rpcrdma2_encode_respxch(buf, size, hdr, &resp);
}

static void put_pooled(struct rpcrdma2_segpool *pool, const struct m_chunk *c, u32 *first, u32 *count)
{
	*first = pool->nsegs;
	*count = c->n;
	put_segs(&pool->segs[pool->nsegs], c);
	pool->nsegs += c->n;
}

static void put_item(struct rpcrdma2_mitem *to, struct rpcrdma2_segpool *pool, const struct m_item *it)
{
	to->disp = it->disp;
	to->length = it->length;
	to->type = it->loc.type;
	to->offset = it->loc.offset;
	if (to->type != XMPTYPE_TBSN) {
		put_pooled(pool, &it->loc.ex, &to->first, &to->count);
		return;
	}
	to->first = pool->ntbsns;
	to->count = it->loc.n;
	memcpy(&pool->tbsns[pool->ntbsns], it->loc.tbsn, it->loc.n * sizeof(u32));
	pool->ntbsns += it->loc.n;
}

static void put_target(struct rpcrdma2_xmtreq *req, const struct m_target *t)
{
	struct rpcrdma2_rsditem *to = &req->rsditems[req->nrsditems++];

	to->minlen = t->minlen;
	to->type = t->loc.type;
	to->dsdov = t->loc.offset;
	put_pooled(&req->pool, &t->loc.ex, &to->first, &to->count);
}

static int put_xmtreq(const struct m_msg *m, const struct rpcrdma2_hdr *hdr, u8 *buf, size_t size)
{
	static struct rpcrdma2_xmtreq req;
	u32 i, j, t = 0;

	memset(&req, 0, sizeof(req));
	for (; req.nitems < m->nitems; req.nitems++)
		put_item(&req.items[req.nitems], &req.pool, &m->items[req.nitems]);
	for (i = 0; i < m->nsets; i++) {
		req.sets[i].begin = m->sets[i].begin;
		req.sets[i].end = m->sets[i].end;
		req.sets[i].first = req.nrsditems;
		req.sets[i].count = m->sets[i].n;
		for (j = 0; j < m->sets[i].n; j++)
			put_target(&req, &m->targets[t++]);
	}
	req.nsets = m->nsets;
	req.count = m->count;
	req.rsbuf = m->rsbuf;
	req.pslen = m->pslen;
	return rpcrdma2_encode_xmtreq(buf, size, hdr, &req);
}

static int put_xmtresp(const struct m_msg *m, const struct rpcrdma2_hdr *hdr, u8 *buf, size_t size)
{
	static struct rpcrdma2_xmtresp resp;

	memset(&resp, 0, sizeof(resp));
	for (; resp.nitems < m->nitems; resp.nitems++)
		put_item(&resp.items[resp.nitems], &resp.pool, &m->items[resp.nitems]);
	resp.count = m->count;
	resp.pslen = m->pslen;
	return rpcrdma2_encode_xmtresp(buf, size, hdr, &resp);
}

static int put_xmtcont(const struct m_msg *m, const struct rpcrdma2_hdr *hdr, u8 *buf, size_t size)
{
	const struct rpcrdma2_xmtcont cont = {
		.xnum = m->xnum, .itype = m->itype, .pslen = m->pslen,
	};

	return rpcrdma2_encode_xmtcont(buf, size, hdr, &cont);
}

static int put_repterr(const struct m_msg *m, const struct rpcrdma2_hdr *hdr, u8 *buf, size_t size)
{
	struct rpcrdma2_repterr rep = {
		.bad		= { cpu_to_be32(m->bad.xid), m->bad.dir, m->bad.seq },
		.has_lead	= m->has_lead,
		.lead		= { cpu_to_be32(m->lead.xid), m->lead.dir, m->lead.seq },
		.which		= m->which,
		.args		= { m->args[0], m->args[1], m->args[2] },
	};

	return rpcrdma2_encode_repterr(buf, size, hdr, &rep);
}

static int codec_encode(const struct m_msg *m, u8 *buf, size_t size)
{
	const struct rpcrdma2_hdr hdr = { cpu_to_be32(m->xid), m->credit, m->dir };
	struct rpcrdma2_xchars xc;

	put_chars(&xc, m);
	switch (m->kind) {
	case M_MSG:
	case M_NOMSG:
		return put_lists(m, &hdr, buf, size);
	case M_ERROR:
		return put_error(m, &hdr, buf);
	case M_INITXCH:
		return rpcrdma2_encode_initxch(buf, size, &hdr, &xc);
	case M_REQXCH:
		return rpcrdma2_encode_reqxch(buf, size, &hdr, &xc);
	case M_RESPXCH:
		return put_respxch(m, &hdr, buf, size);
	case M_UPDXCH:
		return rpcrdma2_encode_updxch(buf, size, &hdr, &xc, m->pendclr);
	case M_XMTREQ:
		return put_xmtreq(m, &hdr, buf, size);
	case M_XMTRESP:
		return put_xmtresp(m, &hdr, buf, size);
	case M_XMTCONT:
		return put_xmtcont(m, &hdr, buf, size);
	case M_REPTERR:
		return put_repterr(m, &hdr, buf, size);
	}
	return -1;
}

/*
 * Section: decoding
 */

static void get_seg(struct m_seg *s, const struct rpcrdma2_segment *x)
{
	s->handle = x->handle;
	s->length = x->length;
	s->offset = x->offset;
}

static void get_chunk(struct m_chunk *c, struct rpcrdma2_iter *it, u32 segs)
{
	struct rpcrdma2_segment seg;

	for (c->n = 0; c->n < segs && rpcrdma2_segment_next(it, &seg); c->n++)
		get_seg(&c->seg[c->n], &seg);
}

static void get_lists(struct m_msg *m, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_segment seg;
	struct rpcrdma2_iter it;
	u32 segs;

	m->inv = msg->lists.inv_handle;
	rpcrdma2_read_begin(&it, buf, msg);
	while (rpcrdma2_read_next(&it, &m->reads[m->nreads].position, &seg))
		get_seg(&m->reads[m->nreads++].seg, &seg);
	rpcrdma2_write_begin(&it, buf, msg);
	while (rpcrdma2_write_next(&it, &segs))
		get_chunk(&m->writes[m->nwrites++], &it, segs);
	m->has_reply = msg->lists.reply_present;
	rpcrdma2_reply_begin(&it, buf, msg);
	get_chunk(&m->reply, &it, msg->lists.reply_segs);
}

static void get_error(struct m_msg *m, const struct rpcrdma2_error *err)
{
	m->err = err->code;
	m->low = err->vers_low;
	m->high = err->vers_high;
	m->processed = err->processed;
	m->index = err->segment_index;
	m->needed = err->length_needed;
}

static void get_rbs(struct m_rbs *r, const struct rpcrdma2_rbstruct *x)
{
	u32 i;

	r->length = x->length;
	r->n = x->ngroups;
	for (i = 0; i < r->n; i++) {
		r->group[i].count = x->groups[i].count;
		r->group[i].length = x->groups[i].length;
		r->group[i].align = x->groups[i].align;
		r->group[i].flags = x->groups[i].flags;
	}
}

static void get_chars(struct m_msg *m, const struct rpcrdma2_xchars *xc, const u32 *element)
{
	struct m_char *c;
	u32 n;

	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++) {
		if (!(xc->present & BIT(n)))
			continue;
		c = &m->chars[m->nchars++];
		c->id = rpcrdma2_xchar_table[n].id;
		c->nr = element ? element[n] : 0;
		c->nochg = xc->nochg >> n & 1;
		if (n == RPCRDMA2_RBSTRUCT)
			get_rbs(&c->rbs, &xc->rbstruct);
		else
			c->word = rpcrdma2_xchar_value(xc, n);
	}
	m->foreign = xc->unknown;
}

static int get_initxch(struct m_msg *m, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_xchars xc;

	rpcrdma2_xchars_default(&xc);
	if (rpcrdma2_decode_initxch(buf, msg, &xc))
		return -1;
	get_chars(m, &xc, NULL);
	return 0;
}

static int get_reqxch(struct m_msg *m, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_reqxch req;

	if (rpcrdma2_decode_reqxch(buf, msg, &req))
		return -1;
	get_chars(m, &req.want, req.element);
	return 0;
}

static void get_subset(u32 *words, const struct rpcrdma2_subset *set)
{
	u32 i;

	for (i = 0; i < 32 * M_WORDS; i++)
		words[i / 32] |= (u32)rpcrdma2_subset_test(set, i) << i % 32;
}

static int get_respxch(struct m_msg *m, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_respxch resp;

	if (rpcrdma2_decode_respxch(buf, msg, &resp))
		return -1;
	get_subset(m->done, &resp.done);
	get_subset(m->rej, &resp.rej);
	get_subset(m->pend, &resp.pend);
	return 0;
}

/* Of what it does not know the codec keeps only the id */
static int get_updxch(struct m_msg *m, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_updxch upd;

	if (rpcrdma2_decode_updxch(buf, msg, &upd))
		return -1;
	get_chars(m, &upd.now, NULL);
	if (!m->nchars)
		m->chars[m->nchars++].id = upd.which;
	m->foreign = 0;
	m->pendclr = upd.pendclr;
	return m->chars[0].id == upd.which ? 0 : -1;
}

static int get_pooled(struct m_chunk *c, const struct rpcrdma2_segpool *pool, u32 first, u32 count)
{
	if (count > M_SEGS)
		return -1;
	for (; c->n < count; c->n++)
		get_seg(&c->seg[c->n], &pool->segs[first + c->n]);
	return 0;
}

static int get_item(struct m_item *it, const struct rpcrdma2_mitem *x,
		    const struct rpcrdma2_segpool *pool)
{
	it->disp = x->disp;
	it->length = x->length;
	it->loc.type = x->type;
	it->loc.offset = x->offset;
	if (x->type != XMPTYPE_TBSN)
		return get_pooled(&it->loc.ex, pool, x->first, x->count);
	it->loc.n = x->count;
	if (x->count > M_TBSNS)
		return -1;
	memcpy(it->loc.tbsn, &pool->tbsns[x->first], x->count * sizeof(u32));
	return 0;
}

static int get_items(struct m_msg *m, const struct rpcrdma2_mitem *items, u32 n,
		     const struct rpcrdma2_segpool *pool)
{
	if (n > M_ITEMS)
		return -1;
	for (; m->nitems < n; m->nitems++)
		if (get_item(&m->items[m->nitems], &items[m->nitems], pool))
			return -1;
	return 0;
}

static int get_targets(struct m_msg *m, const struct rpcrdma2_xmtreq *req)
{
	const struct rpcrdma2_rsditem *x = req->rsditems;
	struct m_target *t = m->targets;
	u32 i;

	if (req->nrsditems > M_TARGETS)
		return -1;
	for (i = 0; i < req->nrsditems; i++, x++, t++) {
		t->minlen = x->minlen;
		t->loc.type = x->type;
		t->loc.offset = x->dsdov;
		if (get_pooled(&t->loc.ex, &req->pool, x->first, x->count))
			return -1;
	}
	m->ntargets = req->nrsditems;
	return 0;
}

static int get_sets(struct m_msg *m, const struct rpcrdma2_xmtreq *req)
{
	u32 i;

	if (req->nsets > M_SETS)
		return -1;
	for (i = 0; i < req->nsets; i++) {
		m->sets[i].begin = req->sets[i].begin;
		m->sets[i].end = req->sets[i].end;
		m->sets[i].n = req->sets[i].count;
	}
	m->nsets = req->nsets;
	return get_targets(m, req);
}

static int get_xmtreq(struct m_msg *m, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	static struct rpcrdma2_xmtreq req;

	if (rpcrdma2_decode_xmtreq(buf, msg, &req))
		return -1;
	m->count = req.count;
	m->rsbuf = req.rsbuf;
	m->pslen = req.pslen;
	return get_items(m, req.items, req.nitems, &req.pool) || get_sets(m, &req) ? -1 : 0;
}

static int get_xmtresp(struct m_msg *m, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	static struct rpcrdma2_xmtresp resp;

	if (rpcrdma2_decode_xmtresp(buf, msg, &resp))
		return -1;
	m->count = resp.count;
	m->pslen = resp.pslen;
	return get_items(m, resp.items, resp.nitems, &resp.pool);
}

static int get_xmtcont(struct m_msg *m, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_xmtcont cont;

	if (rpcrdma2_decode_xmtcont(buf, msg, &cont))
		return -1;
	m->xnum = cont.xnum;
	m->itype = cont.itype;
	m->pslen = cont.pslen;
	return 0;
}

static int get_repterr(struct m_msg *m, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	struct rpcrdma2_repterr rep;

	if (rpcrdma2_decode_repterr(buf, msg, &rep))
		return -1;
	m->bad = (struct m_id){ be32_to_cpu(rep.bad.xid), rep.bad.dir, rep.bad.seq };
	m->has_lead = rep.has_lead;
	m->lead = (struct m_id){ be32_to_cpu(rep.lead.xid), rep.lead.dir, rep.lead.seq };
	m->which = rep.which;
	m->nargs = rep.nargs;
	memcpy(m->args, rep.args, sizeof(m->args));
	return 0;
}

/* What the types of rdma_opttype are decoded by */
static const struct {
	u32 kind;
	int (*get)(struct m_msg *m, const u8 *buf, const struct rpcrdma2_msg *msg);
} options[] = {
	[ROPT_INITXCH] = { M_INITXCH, get_initxch },
	[ROPT_REQXCH] = { M_REQXCH, get_reqxch },
	[ROPT_RESPXCH] = { M_RESPXCH, get_respxch },
	[ROPT_UPDXCH] = { M_UPDXCH, get_updxch },
	[ROPT_XMTREQ] = { M_XMTREQ, get_xmtreq },
	[ROPT_XMTRESP] = { M_XMTRESP, get_xmtresp },
	[ROPT_XMTCONT] = { M_XMTCONT, get_xmtcont },
	[ROPT_REPTERR] = { M_REPTERR, get_repterr },
};

static int get_option(struct m_msg *m, const u8 *buf, const struct rpcrdma2_msg *msg)
{
	m->opttype = msg->opt.type;
	if (msg->verdict == RPCRDMA2_OK) {
		m->kind = options[msg->opt.type].kind;
		return options[msg->opt.type].get(m, buf, msg);
	}
	m->kind = M_FOREIGN;
	m->info_len = msg->opt.info_len;
	if (m->info_len > M_DATA)
		return -1;
	memcpy(m->info, buf + msg->opt.info_off, m->info_len);
	return 0;
}

static int codec_decode(struct m_msg *m, const u8 *buf, size_t len)
{
	enum rpcrdma2_verdict verdict;
	struct rpcrdma2_msg msg;

	memset(m, 0, sizeof(*m));
	verdict = rpcrdma2_decode(buf, len, &limits, &msg);
	if (verdict != RPCRDMA2_OK && verdict != RPCRDMA2_BAD_OPTION)
		return -1;
	m->xid = be32_to_cpu(msg.xid);
	m->vers = msg.vers;
	m->credit = msg.credit;
	m->proc = msg.proc;
	m->dir = msg.dir;
	m->hlen = msg.hdrlen;
	if (msg.proc == RDMA2_OPTIONAL)
		return get_option(m, buf, &msg);
	m->kind = msg.proc == RDMA2_MSG ? M_MSG : msg.proc == RDMA2_NOMSG ? M_NOMSG : M_ERROR;
	if (m->kind == M_ERROR)
		get_error(m, &msg.error);
	else
		get_lists(m, buf, &msg);
	return 0;
}

/* Leaves the characteristics that are known, in the order in which they are sent */
static void shape_chars(struct m_msg *m)
{
	static struct m_char known[RPCRDMA2_NUM_XCHARS + 1];
	u32 i, n;

	memset(known, 0, sizeof(known));
	for (i = 0; i < m->nchars; i++)
		known[rpcrdma2_xchar_find(m->chars[i].id)] = m->chars[i];
	memset(m->chars, 0, sizeof(m->chars));
	m->nchars = 0;
	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++) {
		if (!known[n].id)
			continue;
		m->chars[m->nchars] = known[n];
		m->chars[m->nchars].nr = m->nchars;
		m->nchars++;
	}
}

/* What is sent never has credits of zero, nor anything that is not known */
static void codec_shape(struct m_msg *m, bool encode)
{
	if (!encode)
		return;
	m->credit += !m->credit;
	shape_chars(m);
	if (m->kind == M_UPDXCH && !m->nchars) {
		m->nchars = 1;
		m->chars[0].id = RDMA2_XCHAR_RBSIZ;
		m->chars[0].word = rnd_word();
	}
}

static void codec_keep(struct m_msg *m)
{
	(void)m;
}

#define SAME(c)		{ #c, c }

static const struct m_const consts[] = {
	{ "CALL", RDMA2_CALL }, { "REPLY", RDMA2_REPLY },
	SAME(RDMA2_MSG), SAME(RDMA2_NOMSG), SAME(RDMA2_ERROR), SAME(RDMA2_OPTIONAL),
	SAME(RDMA2_ERR_VERS), SAME(RDMA2_ERR_BAD_XDR), SAME(RDMA2_ERR_CANT_REPLY),
	SAME(RDMA2_ERR_INVAL_PROC), SAME(RDMA2_ERR_INVAL_OPTION),
	SAME(ROPT_INITXCH), SAME(ROPT_REQXCH), SAME(ROPT_RESPXCH), SAME(ROPT_UPDXCH),
	SAME(ROPT_XMTREQ), SAME(ROPT_XMTRESP), SAME(ROPT_XMTCONT), SAME(ROPT_REPTERR),
	{ "XCHAR_RBSIZ", RDMA2_XCHAR_RBSIZ }, { "XCHAR_REQREMINV", RDMA2_XCHAR_REQREMINV },
	{ "XCHAR_BRS", RDMA2_XCHAR_BRS }, { "XPROP_RTRSUPP", RDMA2_XCHAR_RTRSUPP },
	{ "XPROP_RBSTRUCT", RDMA2_XCHAR_RBSTRUCT }, { "XPROP_REQRXLIM", RDMA2_XCHAR_REQRXLIM },
	{ "XPROP_RESPSXLIM", RDMA2_XCHAR_RESPSXLIM },
	{ "BKREQSUP_NONE", RDMA2_BRS_NONE }, { "BKREQSUP_INLINE", RDMA2_BRS_INLINE },
	{ "BKREQSUP_GENL", RDMA2_BRS_GENL },
	{ "RTRS_XREQ", RDMA2_RTRSUPP_XREQ }, { "RTRS_XRESP", RDMA2_RTRSUPP_XRESP },
	{ "RTRS_XCONT", RDMA2_RTRSUPP_XCONT }, { "XMRSFLAG_PLT", RDMA2_XMRSFLAG_PLT },
	SAME(XMPTYPE_EXRW), SAME(XMPTYPE_TBSN), SAME(XMPTYPE_CHOICE), SAME(XMPTYPE_BYSIZE),
	SAME(XMPTYPE_TOOSHORT), SAME(XMPTYPE_NOITEM),
	SAME(OPTRERR_BADHMT), SAME(OPTRERR_BADOMT), SAME(OPTRERR_BADCONT), SAME(OPTRERR_BADSEQ),
	SAME(OPTRERR_BADXID), SAME(OPTRERR_BADOFF), SAME(OPTRERR_BADTBSN), SAME(OPTRERR_BADPL),
	{ NULL, 0 }
};

static const struct m_gap gaps[] = {
	{ "does not encode", "OPTIONAL of no known type", "it is never sent" },
	{ NULL, NULL, NULL }
};

const struct party codec_party = {
	.name		= "codec",
	.encode		= codec_encode,
	.decode		= codec_decode,
	.shape		= codec_shape,
	.keep		= codec_keep,
	.consts		= consts,
	.gaps		= gaps,
};

/**
 * codec_example - get a message whose bytes are known
 * @i: its number
 * @ex: OUT: the message; its bytes stay until the next one
 *
 * Return: false if there is none of that number.
 */
bool codec_example(size_t i, struct m_example *ex)
{
	const struct rpcrdma2_example *e = &rpcrdma2_examples[i];
	static u8 bytes[M_BUF];
	u32 j;

	if (i >= NR_EXAMPLES)
		return false;
	for (j = 0; j < e->nwords; j++)
		put_unaligned_be32(e->words[j], bytes + 4 * j);
	*ex = (struct m_example){ e->id, e->hdrlen, e->nwords * 4, bytes };
	return true;
}
