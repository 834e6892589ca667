// SPDX-License-Identifier: GPL-2.0
/* From the drafts' structures to a message of the model. */
#include <string.h>

#include "draft_priv.h"

bool draft_too_much;

/* Notes that there is more of something than the model can hold */
static bool too_much(void)
{
	draft_too_much = true;
	return false;
}

/**
 * exactly - decode what an opaque holds
 * @val: the bytes
 * @len: how many
 * @fn: decoder of the structure
 * @x: OUT: the structure
 *
 * Return: false if it does not parse, or leaves bytes over.
 */
bool exactly(const char *val, u_int len, xdrproc_t fn, void *x)
{
	XDR xdrs;

	xdrmem_create(&xdrs, (char *)val, len, XDR_DECODE);
	return fn(&xdrs, x) && xdr_getpos(&xdrs) == len;
}

/* rpcgen's code takes any word for an enum; this is one that no union depends on */
bool from_dir(u32 *dir, msg_type x)
{
	*dir = x;
	return x == CALL || x == REPLY;
}

static void from_seg(struct m_seg *s, const rpcrdma2_segment *x)
{
	s->handle = x->rdma_handle;
	s->length = x->rdma_length;
	s->offset = x->rdma_offset;
}

static bool from_segs(struct m_chunk *c, u_int n, const rpcrdma2_segment *x)
{
	u32 i;

	if (n > M_SEGS)
		return too_much();
	c->n = n;
	for (i = 0; i < n; i++)
		from_seg(&c->seg[i], &x[i]);
	return true;
}

static bool from_chunk(struct m_chunk *c, const rpcrdma2_write_chunk *x)
{
	return from_segs(c, x->rdma_target.rdma_target_len, x->rdma_target.rdma_target_val);
}

bool from_lists(struct m_msg *m, const rpcrdma2_chunk_lists *x)
{
	const rpcrdma2_write_list *w;
	const rpcrdma2_read_list *r;

	m->inv = x->rdma_inv_handle;
	if (!from_dir(&m->dir, x->rdma_direction))
		return false;
	for (r = x->rdma_reads; r; r = r->rdma_next) {
		if (m->nreads == M_READS)
			return too_much();
		m->reads[m->nreads].position = r->rdma_entry.rdma_position;
		from_seg(&m->reads[m->nreads++].seg, &r->rdma_entry.rdma_target);
	}
	for (w = x->rdma_writes; w; w = w->rdma_next) {
		if (m->nwrites == M_CHUNKS)
			return too_much();
		if (!from_chunk(&m->writes[m->nwrites++], &w->rdma_entry))
			return false;
	}
	m->has_reply = !!x->rdma_reply;
	return !x->rdma_reply || from_chunk(&m->reply, x->rdma_reply);
}

bool from_error(struct m_msg *m, const rpcrdma2_error *x)
{
	const rpcrdma2_err_reply *reply = &x->rpcrdma2_error_u.rdma_reply;

	m->err = x->rdma_err;
	if (m->err == RDMA2_ERR_VERS) {
		m->low = x->rpcrdma2_error_u.rdma_vrange.rdma_vers_low;
		m->high = x->rpcrdma2_error_u.rdma_vrange.rdma_vers_high;
	} else if (m->err == RDMA2_ERR_CANT_REPLY) {
		m->processed = reply->rdma_processed;
		m->index = reply->rdma_segment_index;
		m->needed = reply->rdma_length_needed;
	}
	return true;
}

bool from_foreign(struct m_msg *m, const char *val, u_int len)
{
	m->info_len = len;
	if (len > M_DATA)
		return too_much();
	memcpy(m->info, val, len);
	return true;
}

static bool from_rbs(struct m_rbs *r, const xmrbs_buf *x)
{
	const xmrbs_group *g = x->xmrbuf_groups.xmrbuf_groups_val;
	u32 i;

	r->length = x->xmrbuf_length;
	r->n = x->xmrbuf_groups.xmrbuf_groups_len;
	if (r->n > M_GROUPS)
		return too_much();
	for (i = 0; i < r->n; i++) {
		r->group[i].count = g[i].xmrgrp_count;
		r->group[i].length = g[i].xmrgrp_info.xmrseg_length;
		r->group[i].align = g[i].xmrgrp_info.xmrseg_align;
		r->group[i].flags = g[i].xmrgrp_info.xmrseg_flags;
	}
	return true;
}

/* The other enum of that sort */
static bool level(u32 brs)
{
	return brs == BKREQSUP_NONE || brs == BKREQSUP_INLINE || brs == BKREQSUP_GENL;
}

static bool from_value(struct m_char *c, const char *val, u_int len)
{
	xmrbs_buf rbs;
	bool ok;

	if (c->id != XPROP_RBSTRUCT)
		return exactly(val, len, value_type(c->id), &c->word) &&
		       (c->id != XCHAR_BRS || level(c->word));
	memset(&rbs, 0, sizeof(rbs));
	ok = exactly(val, len, value_type(c->id), &rbs) && from_rbs(&c->rbs, &rbs);
	draft_free(value_type(c->id), &rbs);
	return ok;
}

static bool from_char(struct m_msg *m, const xcharval *x)
{
	struct m_char *c = &m->chars[m->nchars];
	const char *val = x->xchv_data.xchv_data_val;
	u_int len = x->xchv_data.xchv_data_len;

	if (m->nchars == M_CHARS)
		return too_much();
	c->nr = m->nchars++;
	c->id = x->xchv_which;
	if (draft_known_char(c->id))
		return from_value(c, val, len);
	if (len > M_DATA)
		return too_much();
	c->len = len;
	memcpy(c->data, val, len);
	return true;
}

static bool from_spec(struct m_msg *m, const xcharspec *x)
{
	u32 i;

	for (i = 0; i < x->xcharspec_len; i++)
		if (!from_char(m, &x->xcharspec_val[i]))
			return false;
	return true;
}

/* All subsets of a message have the same number of words of nothing behind them */
static bool from_subset(struct m_msg *m, u32 *words, const xcharsubset *x)
{
	u32 i, n = x->xcharsubset_len;

	for (i = 0; i < n; i++) {
		if (i < M_WORDS)
			words[i] = x->xcharsubset_val[i];
		else if (x->xcharsubset_val[i])
			return too_much();
	}
	for (m->slack = 0; n && !x->xcharsubset_val[n - 1]; n--)
		m->slack++;
	return true;
}

static bool from_nochg(struct m_msg *m, const xcharsubset *x)
{
	u32 words[M_WORDS] = { 0 }, i;

	if (!from_subset(m, words, x))
		return false;
	for (i = 0; i < m->nchars; i++)
		m->chars[i].nochg = words[i / 32] >> i % 32 & 1;
	return true;
}

bool from_initxch(struct m_msg *m, const union info *x)
{
	return from_spec(m, &x->initxch.optixch_start) &&
	       from_nochg(m, &x->initxch.optixch_nochg);
}

bool from_reqxch(struct m_msg *m, const union info *x)
{
	return from_spec(m, &x->reqxch.optreqxch_want);
}

bool from_respxch(struct m_msg *m, const union info *x)
{
	return from_subset(m, m->done, &x->respxch.optrespxch_done) &&
	       from_subset(m, m->rej, &x->respxch.optrespxch_rej) &&
	       from_subset(m, m->pend, &x->respxch.optrespxch_pend);
}

bool from_updxch(struct m_msg *m, const union info *x)
{
	m->pendclr = x->updxch.optupdxch_pendclr;
	return from_char(m, &x->updxch.optupdxch_now);
}

static bool from_loc(struct m_loc *l, const xmdp_loc *x)
{
	const xmdp_loc_XMPTYPE_TBSN *t = &x->xmdp_loc_u.arm_XMPTYPE_TBSN;

	l->type = x->type;
	if (l->type == XMPTYPE_EXRW)
		return from_segs(&l->ex, x->xmdp_loc_u.xmdl_ex.xmdl_ex_len,
				 x->xmdp_loc_u.xmdl_ex.xmdl_ex_val);
	if (l->type != XMPTYPE_TBSN)
		return true;
	l->offset = t->xmdl_offset;
	l->n = t->xmdl_bsnum.xmdl_bsnum_len;
	if (l->n > M_TBSNS)
		return too_much();
	memcpy(l->tbsn, t->xmdl_bsnum.xmdl_bsnum_val, l->n * sizeof(u32));
	return true;
}

static bool from_items(struct m_msg *m, const xmdp_grpinfo *x)
{
	const xmdp_mitem *it = x->xmdp_grpinfo_val;
	u32 i;

	m->nitems = x->xmdp_grpinfo_len;
	if (m->nitems > M_ITEMS)
		return too_much();
	for (i = 0; i < m->nitems; i++) {
		m->items[i].disp = it[i].xmdmi_disp;
		m->items[i].length = it[i].xmdmi_length;
		if (!from_loc(&m->items[i].loc, &it[i].xmdmi_where))
			return false;
	}
	return true;
}

static bool from_rsdloc(struct m_loc *l, const xmdp_rsdloc *x)
{
	const xmdp_rsdloc_XMPTYPE_BYSIZE *b = &x->xmdp_rsdloc_u.arm_XMPTYPE_BYSIZE;

	l->type = x->type;
	if (l->type == XMPTYPE_TBSN)
		return true;
	if (l->type != XMPTYPE_BYSIZE)
		return from_segs(&l->ex, x->xmdp_rsdloc_u.xmdrsdl_ex.xmdrsdl_ex_len,
				 x->xmdp_rsdloc_u.xmdrsdl_ex.xmdrsdl_ex_val);
	l->offset = b->xmdrsdl_dsdov;
	return from_segs(&l->ex, b->xmdrsdl_bsex.xmdrsdl_bsex_len,
			 b->xmdrsdl_bsex.xmdrsdl_bsex_val);
}

static bool from_target(struct m_msg *m, const xmdp_rsditem *x)
{
	struct m_target *t = &m->targets[m->ntargets];

	if (m->ntargets++ == M_TARGETS)
		return too_much();
	t->minlen = x->xmdrsdi_minlen;
	return from_rsdloc(&t->loc, &x->xmdrsdi_loc);
}

static bool from_set(struct m_msg *m, struct m_set *s, const xmdp_rsdset *x)
{
	u32 i;

	s->begin = x->xmdrsds_range.xmdrsdr_begin;
	s->end = x->xmdrsds_range.xmdrsdr_end;
	s->n = x->xmdrsds_items.xmdrsds_items_len;
	for (i = 0; i < s->n; i++)
		if (!from_target(m, &x->xmdrsds_items.xmdrsds_items_val[i]))
			return false;
	return true;
}

static bool from_sets(struct m_msg *m, const xmdp_rsdgroup *x)
{
	u32 i;

	m->nsets = x->xmdp_rsdgroup_len;
	if (m->nsets > M_SETS)
		return too_much();
	for (i = 0; i < m->nsets; i++)
		if (!from_set(m, &m->sets[i], &x->xmdp_rsdgroup_val[i]))
			return false;
	return true;
}

bool from_req(struct m_msg *m, const union info *x)
{
	m->count = x->req.optxrq_count;
	m->rsbuf = x->req.optxrq_rsbuf;
	m->pslen = x->req.optxrq_pslen;
	return from_items(m, &x->req.optxrq_dp) && from_sets(m, &x->req.optxrq_rsd);
}

bool from_resp(struct m_msg *m, const union info *x)
{
	m->count = x->resp.optxrs_count;
	m->pslen = x->resp.optxrs_pslen;
	return from_items(m, &x->resp.optxrs_dp);
}

bool from_cont(struct m_msg *m, const union info *x)
{
	m->xnum = x->cont.optxc_xnum;
	m->itype = x->cont.optxc_itype;
	m->pslen = x->cont.optxc_pslen;
	return true;
}

static bool from_id(struct m_id *to, const xms_id *x)
{
	to->xid = x->xmsi_xid;
	to->seq = x->xmsi_seq;
	return from_dir(&to->dir, x->xmsi_dir);
}

static void from_info(struct m_msg *m, const optr_info *x)
{
	m->which = x->optre_which;
	switch (x->optre_which) {
	case OPTRERR_BADCONT:
		break;
	case OPTRERR_BADOFF:
	case OPTRERR_BADTBSN:
	case OPTRERR_BADPL:
		m->nargs = 3;
		m->args[0] = x->optr_info_u.arm_OPTRERR_BADTBSN.optri_value;
		m->args[1] = x->optr_info_u.arm_OPTRERR_BADTBSN.optri_min;
		m->args[2] = x->optr_info_u.arm_OPTRERR_BADTBSN.optri_max;
		break;
	default:
		m->nargs = 2;
		m->args[0] = x->optr_info_u.arm_OPTRERR_BADHMT.optri_expect;
		m->args[1] = x->optr_info_u.arm_OPTRERR_BADHMT.optri_current;
	}
}

bool from_rept(struct m_msg *m, const union info *x)
{
	from_info(m, &x->rept.optre_info);
	m->has_lead = !!x->rept.optre_lead;
	return from_id(&m->bad, &x->rept.optre_bad) &&
	       (!m->has_lead || from_id(&m->lead, x->rept.optre_lead));
}
