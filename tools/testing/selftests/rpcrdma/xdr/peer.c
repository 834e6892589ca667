// SPDX-License-Identifier: GPL-2.0
/*
 * The conformance peer's encoder and decoder, put to the test. What the peer has only
 * in the templates of its cases, word by word, is such a template here, too: then the
 * order of the words is this file's, and the rest the peer's.
 */
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "tmpl.h"
#include "xmt.h"
#include "model.h"

#define TEXT		16384

/* Templates that ask for memory of a connection are not used here */
struct mem *conn_mem(struct conn *c, int i)
{
	(void)c;
	(void)i;
	return NULL;
}

/* A template in the making */
struct text {
	char s[TEXT];
	size_t len;
};

static void say(struct text *t, const char *format, u32 word)
{
	t->len += snprintf(t->s + t->len, sizeof(t->s) - t->len, format, word);
}

static void say_bytes(struct text *t, const u8 *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i += 4)
		say(t, " %x", get_u32(p + i));
}

/*
 * Section: encoding
 */

static void put_seg(struct seg *to, const struct m_seg *s)
{
	*to = (struct seg){ s->handle, s->length, s->offset };
}

static void put_chunk(struct chunk *to, const struct m_chunk *c)
{
	u32 i;

	to->nsegs = c->n;
	for (i = 0; i < c->n; i++)
		put_seg(&to->seg[i], &c->seg[i]);
}

static void put_lists(struct buf *b, const struct m_msg *m)
{
	static struct hdr h;
	u32 i;

	h.xid = m->xid;
	h.vers = m->vers;
	h.credit = m->credit;
	h.proc = m->proc;
	h.dir = m->dir;
	h.inv = m->inv;
	h.nreads = m->nreads;
	for (i = 0; i < m->nreads; i++) {
		h.pos[i] = m->reads[i].position;
		put_seg(&h.reads[i], &m->reads[i].seg);
	}
	h.nwrites = m->nwrites;
	for (i = 0; i < m->nwrites; i++)
		put_chunk(&h.writes[i], &m->writes[i]);
	h.has_reply = m->has_reply;
	put_chunk(&h.reply, &m->reply);
	wire_header(b, &h);
}

static void put_loc(struct loc *to, const struct m_loc *l)
{
	to->type = l->type;
	to->off = l->offset;
	to->n = l->n;
	memcpy(to->tbsn, l->tbsn, l->n * sizeof(u32));
	put_chunk(&to->ex, &l->ex);
}

static void put_xmt(struct buf *b, const struct m_msg *m)
{
	static struct xmt x;
	u32 i;

	x.type = m->opttype;
	x.nitems = m->nitems;
	for (i = 0; i < m->nitems; i++) {
		x.item[i].disp = m->items[i].disp;
		x.item[i].len = m->items[i].length;
		put_loc(&x.item[i].loc, &m->items[i].loc);
	}
	x.nsets = m->nsets;
	for (i = 0; i < m->nsets; i++)
		x.set[i] = (struct set){ m->sets[i].begin, m->sets[i].end, m->sets[i].n };
	for (i = 0; i < m->ntargets; i++) {
		x.target[i].minlen = m->targets[i].minlen;
		put_loc(&x.target[i].loc, &m->targets[i].loc);
	}
	x.count = m->count;
	x.rsbuf = m->rsbuf;
	x.pslen = m->pslen;
	x.xnum = m->xnum;
	x.itype = m->itype;
	xmt_put(b, m->xid, m->credit, m->dir, &x);
}

static void put_report(struct buf *b, const struct m_msg *m)
{
	struct rept x = {
		.bad = { m->bad.xid, m->bad.dir, m->bad.seq },
		.has_lead = m->has_lead,
		.lead = { m->lead.xid, m->lead.dir, m->lead.seq },
		.which = m->which,
	};

	memcpy(x.v, m->args, sizeof(x.v));
	rept_put(b, &x);
}

static void say_error(struct text *t, const struct m_msg *m)
{
	say(t, " 4 %x", m->err);
	if (m->err == E_VERS) {
		say(t, " %x", m->low);
		say(t, " %x", m->high);
	}
	if (m->err != E_CANT)
		return;
	say(t, " %x", m->processed);
	say(t, " %x", m->index);
	say(t, " %x", m->needed);
}

static void say_rbs(struct text *t, const struct m_rbs *r)
{
	u32 i;

	say(t, " [ %x", r->length);
	say(t, " %x", r->n);
	for (i = 0; i < r->n; i++) {
		say(t, " %x", r->group[i].count);
		say(t, " %x", r->group[i].length);
		say(t, " %x", r->group[i].align);
		say(t, " %x", r->group[i].flags);
	}
	say(t, " ]", 0);
}

static void say_chars(struct text *t, const struct m_msg *m)
{
	const struct m_char *c;

	for (c = m->chars; c < m->chars + m->nchars; c++) {
		say(t, " %x", c->id);
		if (c->id == XC_RBSTRUCT) {
			say_rbs(t, &c->rbs);
		} else if (draft_known_char(c->id)) {
			say(t, " 4 %x", c->word);
		} else {
			say(t, " [", 0);
			say_bytes(t, c->data, c->len);
			say(t, " ]", 0);
		}
	}
}

static void say_subset(struct text *t, const u32 *words)
{
	u32 n = M_WORDS, i;

	while (n && !words[n - 1])
		n--;
	say(t, " %x", n);
	for (i = 0; i < n; i++)
		say(t, " %x", words[i]);
}

/* The peer tells of a layout, which peer_shape() has made of the message */
static void say_init(struct text *t, const struct m_msg *m)
{
	char layout[1024], info[2048];
	const struct m_char *c = m->chars;
	bool server = m->dir == DIR_REPLY;
	const struct m_char *rbs = &c[server ? 2 : 3];
	struct layout lay;
	size_t at;
	u32 i;

	at = sprintf(layout, "%x/%u:", c[m->nchars - 1].word, c[m->nchars - 2].word);
	for (i = 0; i < rbs->rbs.n; i++)
		at += sprintf(layout + at, " %u%s", rbs->rbs.group[i].length,
			      rbs->rbs.group[i].flags ? "p" : "");
	if (!layout_init(&lay, info, sizeof(info), layout, server))
		t->len += snprintf(t->s + t->len, sizeof(t->s) - t->len, " %s", info);
}

static void say_info(struct text *t, struct buf *info, const struct m_msg *m)
{
	switch (m->kind) {
	case M_FOREIGN:
		return say_bytes(t, m->info, m->info_len);
	case M_REQXCH:
		say(t, " %x", m->nchars);
		return say_chars(t, m);
	case M_UPDXCH:
		say_chars(t, m);
		return say(t, " %x", m->pendclr);
	case M_RESPXCH:
		say_subset(t, m->done);
		say_subset(t, m->rej);
		return say_subset(t, m->pend);
	default:
		put_report(info, m);
		return say_bytes(t, info->p, info->len);
	}
}

static void say_message(struct text *t, struct buf *info, const struct m_msg *m)
{
	say(t, "x %x", m->vers);
	say(t, " %x", m->credit);
	if (m->kind == M_ERROR)
		return say_error(t, m);
	say(t, " 5 %x", m->dir);
	say(t, " %x", m->opttype);
	if (m->kind == M_INITXCH)
		return say_init(t, m);
	say(t, " [", 0);
	say_info(t, info, m);
	say(t, " ]", 0);
}

static int peer_encode(const struct m_msg *m, u8 *buf, size_t size)
{
	const struct tmpl_env env = { .xid = m->xid };
	static struct text t;
	static struct buf b, info;

	if (!b.p) {
		buf_init(&b, M_BUF);
		buf_init(&info, M_BUF);
	}
	buf_reset(&b);
	buf_reset(&info);
	t.len = 0;
	if (m->kind <= M_NOMSG) {
		put_lists(&b, m);
	} else if (m->kind >= M_XMTREQ && m->kind <= M_XMTCONT) {
		put_xmt(&b, m);
	} else {
		say_message(&t, &info, m);
		if (tmpl_build(&b, t.s, &env))
			return -1;
	}
	if (b.len > size)
		return -1;
	memcpy(buf, b.p, b.len);
	return b.len;
}

/*
 * Section: decoding
 */

static void get_seg(struct m_seg *to, const struct seg *s)
{
	to->handle = s->handle;
	to->length = s->len;
	to->offset = s->off;
}

static int get_chunk(struct m_chunk *to, const struct chunk *c)
{
	if (c->nsegs > M_SEGS)
		return -1;
	for (; to->n < c->nsegs; to->n++)
		get_seg(&to->seg[to->n], &c->seg[to->n]);
	return 0;
}

static int get_lists(struct m_msg *m, const struct hdr *h)
{
	u32 i;

	if (h->nreads > M_READS || h->nwrites > M_CHUNKS)
		return -1;
	m->inv = h->inv;
	m->nreads = h->nreads;
	for (i = 0; i < h->nreads; i++) {
		m->reads[i].position = h->pos[i];
		get_seg(&m->reads[i].seg, &h->reads[i]);
	}
	m->nwrites = h->nwrites;
	for (i = 0; i < h->nwrites; i++)
		if (get_chunk(&m->writes[i], &h->writes[i]))
			return -1;
	m->has_reply = h->has_reply;
	return h->has_reply ? get_chunk(&m->reply, &h->reply) : 0;
}

static void get_error(struct m_msg *m, const struct hdr *h)
{
	m->err = h->err;
	m->low = h->low;
	m->high = h->high;
	m->processed = h->processed;
	m->index = h->index;
	m->needed = h->needed;
}

static struct m_char *add_char(struct m_msg *m, u32 id, u32 word)
{
	struct m_char *c = &m->chars[m->nchars++];

	c->id = id;
	c->word = word;
	return c;
}

/* One group for each segment; the peer does not keep what they are aligned to */
static int get_layout(struct m_msg *m, const struct chars *x)
{
	struct m_rbs *r = &add_char(m, XC_RBSTRUCT, 0)->rbs;
	struct layout lay;

	if (layout_told(&lay, x))
		return -1;
	r->length = lay.total;
	for (; r->n < lay.nsegs; r->n++)
		r->group[r->n] = (struct m_group){ 1, lay.seg[r->n].len, 0, lay.seg[r->n].flags };
	return 0;
}

static int get_init(struct m_msg *m, const struct hdr *h)
{
	static struct chars x;

	if (wire_chars(&x, h))
		return -1;
	if (x.have_rbsiz)
		add_char(m, XC_RBSIZ, x.rbsiz);
	if (x.seen >> XC_REQREMINV & 1)
		add_char(m, XC_REQREMINV, x.reqreminv);
	if (x.have_brs)
		add_char(m, XC_BRS, x.brs);
	if (x.have_rtrsupp)
		add_char(m, XC_RTRSUPP, x.rtrsupp);
	if (x.seen >> XC_REQRXLIM & 1)
		add_char(m, XC_REQRXLIM, x.reqrxlim);
	if (x.seen >> XC_RESPSXLIM & 1)
		add_char(m, XC_RESPSXLIM, x.respsxlim);
	m->foreign = x.foreign;
	m->nochg_word = x.nochg;
	return x.rbstruct_len ? get_layout(m, &x) : 0;
}

static int get_req(struct m_msg *m, const struct hdr *h)
{
	struct req x;
	u32 i;

	if (wire_req(&x, h) || x.count > M_CHARS)
		return -1;
	for (i = 0; i < x.count; i++)
		add_char(m, x.which[i], x.value[i])->nr = i;
	return 0;
}

static int get_resp(struct m_msg *m, const struct hdr *h)
{
	struct resp x;

	_Static_assert(sizeof(x.done) == sizeof(m->done), "subsets have as many words");
	if (wire_resp(&x, h))
		return -1;
	memcpy(m->done, &x.done, sizeof(x.done));
	memcpy(m->rej, &x.rej, sizeof(x.rej));
	memcpy(m->pend, &x.pend, sizeof(x.pend));
	return 0;
}

static int get_upd(struct m_msg *m, const struct hdr *h)
{
	struct upd x;

	if (wire_upd(&x, h))
		return -1;
	add_char(m, x.which, x.value);
	m->pendclr = x.pendclr;
	return 0;
}

static int get_loc(struct m_loc *to, const struct loc *l)
{
	to->type = l->type;
	to->offset = l->off;
	to->n = l->n;
	if (l->n > M_TBSNS)
		return -1;
	memcpy(to->tbsn, l->tbsn, l->n * sizeof(u32));
	return get_chunk(&to->ex, &l->ex);
}

static int get_items(struct m_msg *m, const struct xmt *x)
{
	if (x->nitems > M_ITEMS || x->ntargets > M_TARGETS)
		return -1;
	for (; m->nitems < x->nitems; m->nitems++) {
		m->items[m->nitems].disp = x->item[m->nitems].disp;
		m->items[m->nitems].length = x->item[m->nitems].len;
		if (get_loc(&m->items[m->nitems].loc, &x->item[m->nitems].loc))
			return -1;
	}
	for (; m->ntargets < x->ntargets; m->ntargets++) {
		m->targets[m->ntargets].minlen = x->target[m->ntargets].minlen;
		if (get_loc(&m->targets[m->ntargets].loc, &x->target[m->ntargets].loc))
			return -1;
	}
	return 0;
}

static int get_xmt(struct m_msg *m, const struct hdr *h)
{
	static struct xmt x;
	const char *why;

	if (xmt_decode(&x, h, &why) || x.nsets > M_SETS)
		return -1;
	for (; m->nsets < x.nsets; m->nsets++)
		m->sets[m->nsets] = (struct m_set){
			x.set[m->nsets].begin, x.set[m->nsets].end, x.set[m->nsets].n,
		};
	m->count = x.count;
	m->rsbuf = x.rsbuf;
	m->pslen = x.pslen;
	m->xnum = x.xnum;
	m->itype = x.itype;
	return get_items(m, &x);
}

static int get_rept(struct m_msg *m, const struct hdr *h)
{
	struct rept x;

	if (rept_decode(&x, h))
		return -1;
	m->bad = (struct m_id){ x.bad.xid, x.bad.dir, x.bad.seq };
	m->has_lead = x.has_lead;
	m->lead = (struct m_id){ x.lead.xid, x.lead.dir, x.lead.seq };
	m->which = x.which;
	m->nargs = rept_values(x.which);
	memcpy(m->args, x.v, sizeof(m->args));
	return 0;
}

static int get_foreign(struct m_msg *m, const struct hdr *h)
{
	m->info_len = h->optlen;
	if (h->optlen > M_DATA)
		return -1;
	memcpy(m->info, h->optinfo, h->optlen);
	return 0;
}

/* What the types of rdma_opttype are decoded by */
static const struct {
	u32 kind;
	int (*get)(struct m_msg *m, const struct hdr *h);
} options[] = {
	[0] = { M_FOREIGN, get_foreign },
	[O_INITXCH] = { M_INITXCH, get_init },
	[O_REQXCH] = { M_REQXCH, get_req },
	[O_RESPXCH] = { M_RESPXCH, get_resp },
	[O_UPDXCH] = { M_UPDXCH, get_upd },
	[O_XMTREQ] = { M_XMTREQ, get_xmt },
	[O_XMTRESP] = { M_XMTRESP, get_xmt },
	[O_XMTCONT] = { M_XMTCONT, get_xmt },
	[O_REPTERR] = { M_REPTERR, get_rept },
};

static int get_option(struct m_msg *m, const struct hdr *h)
{
	u32 i = h->opttype <= O_REPTERR ? h->opttype : 0;

	m->opttype = h->opttype;
	m->kind = options[i].kind;
	return options[i].get(m, h);
}

static int peer_decode(struct m_msg *m, const u8 *buf, size_t len)
{
	static struct hdr h;

	memset(m, 0, sizeof(*m));
	if (wire_decode(&h, buf, len))
		return -1;
	m->xid = h.xid;
	m->vers = h.vers;
	m->credit = h.credit;
	m->proc = h.proc;
	m->dir = h.dir;
	m->hlen = h.hlen;
	if (h.proc == P_OPTIONAL)
		return get_option(m, &h);
	m->kind = h.proc == P_MSG ? M_MSG : h.proc == P_NOMSG ? M_NOMSG : M_ERROR;
	if (m->kind == M_ERROR)
		get_error(m, &h);
	return m->kind == M_ERROR ? 0 : get_lists(m, &h);
}

static struct m_char *next_char(struct m_msg *m, u32 id, u32 word)
{
	struct m_char *c = add_char(m, id, word);

	c->nr = m->nchars - 1;
	c->nochg = !!c->nr;
	return c;
}

/* What the peer tells of itself: as many segments as it can have, each a group */
static void shape_init(struct m_msg *m)
{
	u32 limit = rnd_word(), total = 0, i, n = 1 + rnd(MAX_LAY);
	struct m_rbs *r;

	memset(m->chars, 0, sizeof(m->chars));
	m->nchars = 0;
	next_char(m, XC_RBSIZ, 0);
	next_char(m, XC_REQREMINV, 0);
	if (m->dir == DIR_CALL)
		next_char(m, XC_BRS, 1);
	r = &next_char(m, XC_RBSTRUCT, 0)->rbs;
	for (r->n = n, i = 0; i < n; i++) {
		u32 plt = rnd(2), len = 1 + rnd(n == 1 ? ~0u : ~0u / MAX_LAY);

		r->group[i] = (struct m_group){ 1, len, plt ? PLT_ALIGN : 1, plt * PLT_FLAG };
		total += len;
	}
	r->length = total;
	m->chars[0].word = total;
	next_char(m, XC_REQRXLIM, limit);
	next_char(m, XC_RESPSXLIM, limit);
	next_char(m, XC_RTRSUPP, rnd(8));
}

/* Leaves whole words of bytes that mean nothing */
static void whole_words(u8 *data, u32 *len)
{
	memset(data + (*len & ~3u), 0, *len & 3);
	*len &= ~3u;
}

/* Templates are made of words; rdma_optinfo of another length is refused */
static void peer_shape(struct m_msg *m, bool encode)
{
	u32 i;

	whole_words(m->info, &m->info_len);
	if (!encode)
		return;
	for (i = 0; i < m->nchars; i++)
		whole_words(m->chars[i].data, &m->chars[i].len);
	if (m->kind == M_INITXCH)
		shape_init(m);
}

/* Of RBSTRUCT segments are kept, and that only of INITXCH */
static void flatten(struct m_rbs *r, bool drop)
{
	struct m_rbs flat = { .length = drop ? 0 : r->length };
	u32 i, j;

	for (i = 0; i < r->n && !drop; i++)
		for (j = 0; j < r->group[i].count && flat.n < M_GROUPS; j++)
			flat.group[flat.n++] = (struct m_group){
				1, r->group[i].length, 0, r->group[i].flags,
			};
	*r = flat;
}

static void peer_keep(struct m_msg *m)
{
	u32 i;

	for (i = 0; i < m->nchars; i++) {
		m->nochg_word |= m->chars[i].nochg << m->chars[i].nr;
		m->chars[i].nochg = 0;
		flatten(&m->chars[i].rbs, m->kind != M_INITXCH);
	}
}

static const struct m_const consts[] = {
	{ "CALL", DIR_CALL }, { "REPLY", DIR_REPLY },
	{ "RDMA2_MSG", P_MSG }, { "RDMA2_NOMSG", P_NOMSG },
	{ "RDMA2_ERROR", P_ERROR }, { "RDMA2_OPTIONAL", P_OPTIONAL },
	{ "RDMA2_ERR_VERS", E_VERS }, { "RDMA2_ERR_BAD_XDR", E_XDR },
	{ "RDMA2_ERR_CANT_REPLY", E_CANT }, { "RDMA2_ERR_INVAL_PROC", E_PROC },
	{ "RDMA2_ERR_INVAL_OPTION", E_OPT },
	{ "ROPT_INITXCH", O_INITXCH }, { "ROPT_REQXCH", O_REQXCH },
	{ "ROPT_RESPXCH", O_RESPXCH }, { "ROPT_UPDXCH", O_UPDXCH },
	{ "ROPT_XMTREQ", O_XMTREQ }, { "ROPT_XMTRESP", O_XMTRESP },
	{ "ROPT_XMTCONT", O_XMTCONT }, { "ROPT_REPTERR", O_REPTERR },
	{ "XCHAR_RBSIZ", XC_RBSIZ }, { "XCHAR_REQREMINV", XC_REQREMINV },
	{ "XCHAR_BRS", XC_BRS }, { "XPROP_RTRSUPP", XC_RTRSUPP },
	{ "XPROP_RBSTRUCT", XC_RBSTRUCT }, { "XPROP_REQRXLIM", XC_REQRXLIM },
	{ "XPROP_RESPSXLIM", XC_RESPSXLIM },
	{ "RTRS_XREQ", RTRS_XREQ }, { "RTRS_XRESP", RTRS_XRESP },
	{ "RTRS_XCONT", RTRS_XCONT }, { "XMRSFLAG_PLT", PLT_FLAG },
	{ "XMPTYPE_EXRW", T_EXRW }, { "XMPTYPE_TBSN", T_TBSN },
	{ "XMPTYPE_CHOICE", T_CHOICE }, { "XMPTYPE_BYSIZE", T_BYSIZE },
	{ "XMPTYPE_TOOSHORT", T_TOOSHORT }, { "XMPTYPE_NOITEM", T_NOITEM },
	{ "OPTRERR_BADHMT", R_BADHMT }, { "OPTRERR_BADOMT", R_BADOMT },
	{ "OPTRERR_BADCONT", R_BADCONT }, { "OPTRERR_BADSEQ", R_BADSEQ },
	{ "OPTRERR_BADXID", R_BADXID }, { "OPTRERR_BADOFF", R_BADOFF },
	{ "OPTRERR_BADTBSN", R_BADTBSN }, { "OPTRERR_BADPL", R_BADPL },
	{ NULL, 0 }
};

#define IN_TEMPLATES	"has no order of its own for"
#define CASES_HAVE_IT	"each case has its words in a template"
#define LITERAL		"cases have the number"

static const struct m_gap gaps[] = {
	{ "has no", "BKREQSUP_NONE", LITERAL },
	{ "has no", "BKREQSUP_INLINE", LITERAL },
	{ "has no", "BKREQSUP_GENL", LITERAL },
	{ IN_TEMPLATES, "ERROR", CASES_HAVE_IT },
	{ IN_TEMPLATES, "REQXCH", CASES_HAVE_IT },
	{ IN_TEMPLATES, "RESPXCH", CASES_HAVE_IT },
	{ IN_TEMPLATES, "UPDXCH", CASES_HAVE_IT },
	{ NULL, NULL, NULL }
};

const struct party peer_party = {
	.name		= "peer",
	.encode		= peer_encode,
	.decode		= peer_decode,
	.shape		= peer_shape,
	.keep		= peer_keep,
	.consts		= consts,
	.gaps		= gaps,
};
