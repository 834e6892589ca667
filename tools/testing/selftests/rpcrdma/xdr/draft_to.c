// SPDX-License-Identifier: GPL-2.0
/* From a message of the model to the drafts' structures. */
#include <stdlib.h>
#include <string.h>

#include "draft_priv.h"

static u8 pool[1 << 16];
static size_t pool_used;

/**
 * to_begin - forget what earlier messages needed
 */
void to_begin(void)
{
	pool_used = 0;
}

/**
 * take - take room that lasts until the next message
 * @size: how much
 *
 * Return: the room, of zeros.
 */
static void *take(size_t size)
{
	void *p = &pool[pool_used];

	pool_used += (size + 15) & ~15ul;
	if (pool_used > sizeof(pool))
		abort();
	return memset(p, 0, size);
}

static void to_seg(rpcrdma2_segment *to, const struct m_seg *s)
{
	to->rdma_handle = s->handle;
	to->rdma_length = s->length;
	to->rdma_offset = s->offset;
}

static rpcrdma2_segment *to_segs(const struct m_chunk *c)
{
	rpcrdma2_segment *to = take(c->n * sizeof(*to));
	u32 i;

	for (i = 0; i < c->n; i++)
		to_seg(&to[i], &c->seg[i]);
	return to;
}

static void to_chunk(rpcrdma2_write_chunk *to, const struct m_chunk *c)
{
	to->rdma_target.rdma_target_len = c->n;
	to->rdma_target.rdma_target_val = to_segs(c);
}

void to_lists(rpcrdma2_chunk_lists *to, const struct m_msg *m)
{
	rpcrdma2_read_list **r = &to->rdma_reads;
	rpcrdma2_write_list **w = &to->rdma_writes;
	u32 i;

	to->rdma_direction = m->dir;
	to->rdma_inv_handle = m->inv;
	for (i = 0; i < m->nreads; i++, r = &(*r)->rdma_next) {
		*r = take(sizeof(**r));
		(*r)->rdma_entry.rdma_position = m->reads[i].position;
		to_seg(&(*r)->rdma_entry.rdma_target, &m->reads[i].seg);
	}
	for (i = 0; i < m->nwrites; i++, w = &(*w)->rdma_next) {
		*w = take(sizeof(**w));
		to_chunk(&(*w)->rdma_entry, &m->writes[i]);
	}
	if (!m->has_reply)
		return;
	to->rdma_reply = take(sizeof(*to->rdma_reply));
	to_chunk(to->rdma_reply, &m->reply);
}

void to_error(rpcrdma2_error *to, const struct m_msg *m)
{
	rpcrdma2_err_vers *vers = &to->rpcrdma2_error_u.rdma_vrange;
	rpcrdma2_err_reply *reply = &to->rpcrdma2_error_u.rdma_reply;

	to->rdma_err = m->err;
	if (m->err == RDMA2_ERR_VERS) {
		vers->rdma_vers_low = m->low;
		vers->rdma_vers_high = m->high;
	} else if (m->err == RDMA2_ERR_CANT_REPLY) {
		reply->rdma_processed = m->processed;
		reply->rdma_segment_index = m->index;
		reply->rdma_length_needed = m->needed;
	}
}

/**
 * overlay - encode what an opaque holds
 * @val: gets the bytes
 * @len: gets their number
 * @fn: encoder of the structure
 * @x: the structure
 */
static void overlay(char **val, u_int *len, xdrproc_t fn, void *x)
{
	XDR xdrs;

	*val = take(M_BUF);
	xdrmem_create(&xdrs, *val, M_BUF, XDR_ENCODE);
	if (!fn(&xdrs, x))
		abort();
	*len = xdr_getpos(&xdrs);
	pool_used -= M_BUF - ((*len + 15) & ~15u);
}

static void to_rbs(xmrbs_buf *to, const struct m_rbs *r)
{
	xmrbs_group *g = take(r->n * sizeof(*g));
	u32 i;

	to->xmrbuf_length = r->length;
	to->xmrbuf_groups.xmrbuf_groups_len = r->n;
	to->xmrbuf_groups.xmrbuf_groups_val = g;
	for (i = 0; i < r->n; i++) {
		g[i].xmrgrp_count = r->group[i].count;
		g[i].xmrgrp_info.xmrseg_length = r->group[i].length;
		g[i].xmrgrp_info.xmrseg_align = r->group[i].align;
		g[i].xmrgrp_info.xmrseg_flags = r->group[i].flags;
	}
}

static void to_char(xcharval *to, const struct m_char *c)
{
	char **val = &to->xchv_data.xchv_data_val;
	u_int *len = &to->xchv_data.xchv_data_len;
	u32 word = c->word;
	xmrbs_buf rbs;

	to->xchv_which = c->id;
	if (c->id == XPROP_RBSTRUCT) {
		to_rbs(&rbs, &c->rbs);
		overlay(val, len, (xdrproc_t)xdr_xpr_rbs, &rbs);
	} else if (draft_known_char(c->id)) {
		overlay(val, len, value_type(c->id), &word);
	} else {
		*val = take(c->len);
		*len = c->len;
		memcpy(*val, c->data, c->len);
	}
}

static void to_spec(xcharspec *to, const struct m_msg *m)
{
	u32 i;

	to->xcharspec_len = m->nchars;
	to->xcharspec_val = take(m->nchars * sizeof(xcharval));
	for (i = 0; i < m->nchars; i++)
		to_char(&to->xcharspec_val[i], &m->chars[i]);
}

static void to_subset(xcharsubset *to, const u32 *words, u32 slack)
{
	u32 n = M_WORDS;

	while (n && !words[n - 1])
		n--;
	to->xcharsubset_len = n + slack;
	to->xcharsubset_val = take((n + slack) * sizeof(u32));
	memcpy(to->xcharsubset_val, words, n * sizeof(u32));
}

static void to_nochg(xcharsubset *to, const struct m_msg *m)
{
	u32 words[M_WORDS] = { 0 }, i;

	for (i = 0; i < m->nchars; i++)
		words[i / 32] |= m->chars[i].nochg << i % 32;
	to_subset(to, words, m->slack);
}

static void to_loc(xmdp_loc *to, const struct m_loc *l)
{
	xmdp_loc_XMPTYPE_TBSN *t = &to->xmdp_loc_u.arm_XMPTYPE_TBSN;

	to->type = l->type;
	if (l->type == XMPTYPE_EXRW) {
		to->xmdp_loc_u.xmdl_ex.xmdl_ex_len = l->ex.n;
		to->xmdp_loc_u.xmdl_ex.xmdl_ex_val = to_segs(&l->ex);
	} else if (l->type == XMPTYPE_TBSN) {
		t->xmdl_offset = l->offset;
		t->xmdl_bsnum.xmdl_bsnum_len = l->n;
		t->xmdl_bsnum.xmdl_bsnum_val = take(l->n * sizeof(u32));
		memcpy(t->xmdl_bsnum.xmdl_bsnum_val, l->tbsn, l->n * sizeof(u32));
	}
}

static void to_items(xmdp_grpinfo *to, const struct m_msg *m)
{
	xmdp_mitem *it = take(m->nitems * sizeof(*it));
	u32 i;

	to->xmdp_grpinfo_len = m->nitems;
	to->xmdp_grpinfo_val = it;
	for (i = 0; i < m->nitems; i++) {
		it[i].xmdmi_disp = m->items[i].disp;
		it[i].xmdmi_length = m->items[i].length;
		to_loc(&it[i].xmdmi_where, &m->items[i].loc);
	}
}

static void to_rsdloc(xmdp_rsdloc *to, const struct m_loc *l)
{
	xmdp_rsdloc_XMPTYPE_BYSIZE *b = &to->xmdp_rsdloc_u.arm_XMPTYPE_BYSIZE;

	to->type = l->type;
	if (l->type == XMPTYPE_BYSIZE) {
		b->xmdrsdl_dsdov = l->offset;
		b->xmdrsdl_bsex.xmdrsdl_bsex_len = l->ex.n;
		b->xmdrsdl_bsex.xmdrsdl_bsex_val = to_segs(&l->ex);
	} else if (l->type != XMPTYPE_TBSN) {
		to->xmdp_rsdloc_u.xmdrsdl_ex.xmdrsdl_ex_len = l->ex.n;
		to->xmdp_rsdloc_u.xmdrsdl_ex.xmdrsdl_ex_val = to_segs(&l->ex);
	}
}

static void to_set(xmdp_rsdset *to, const struct m_set *s, const struct m_target *t)
{
	xmdp_rsditem *it = take(s->n * sizeof(*it));
	u32 i;

	to->xmdrsds_range.xmdrsdr_begin = s->begin;
	to->xmdrsds_range.xmdrsdr_end = s->end;
	to->xmdrsds_items.xmdrsds_items_len = s->n;
	to->xmdrsds_items.xmdrsds_items_val = it;
	for (i = 0; i < s->n; i++) {
		it[i].xmdrsdi_minlen = t[i].minlen;
		to_rsdloc(&it[i].xmdrsdi_loc, &t[i].loc);
	}
}

static void to_sets(xmdp_rsdgroup *to, const struct m_msg *m)
{
	const struct m_target *t = m->targets;
	u32 i;

	to->xmdp_rsdgroup_len = m->nsets;
	to->xmdp_rsdgroup_val = take(m->nsets * sizeof(xmdp_rsdset));
	for (i = 0; i < m->nsets; t += m->sets[i++].n)
		to_set(&to->xmdp_rsdgroup_val[i], &m->sets[i], t);
}

static void to_id(xms_id *to, const struct m_id *x)
{
	to->xmsi_xid = x->xid;
	to->xmsi_dir = x->dir;
	to->xmsi_seq = x->seq;
}

static void to_info(optr_info *to, const struct m_msg *m)
{
	to->optre_which = m->which;
	if (m->nargs == 2) {
		to->optr_info_u.arm_OPTRERR_BADHMT.optri_expect = m->args[0];
		to->optr_info_u.arm_OPTRERR_BADHMT.optri_current = m->args[1];
	} else if (m->nargs == 3) {
		to->optr_info_u.arm_OPTRERR_BADTBSN.optri_value = m->args[0];
		to->optr_info_u.arm_OPTRERR_BADTBSN.optri_min = m->args[1];
		to->optr_info_u.arm_OPTRERR_BADTBSN.optri_max = m->args[2];
	}
}

void to_initxch(union info *to, const struct m_msg *m)
{
	to_spec(&to->initxch.optixch_start, m);
	to_nochg(&to->initxch.optixch_nochg, m);
}

void to_reqxch(union info *to, const struct m_msg *m)
{
	to_spec(&to->reqxch.optreqxch_want, m);
}

void to_respxch(union info *to, const struct m_msg *m)
{
	to_subset(&to->respxch.optrespxch_done, m->done, m->slack);
	to_subset(&to->respxch.optrespxch_rej, m->rej, m->slack);
	to_subset(&to->respxch.optrespxch_pend, m->pend, m->slack);
}

void to_updxch(union info *to, const struct m_msg *m)
{
	to_char(&to->updxch.optupdxch_now, &m->chars[0]);
	to->updxch.optupdxch_pendclr = m->pendclr;
}

void to_req(union info *to, const struct m_msg *m)
{
	to_items(&to->req.optxrq_dp, m);
	to_sets(&to->req.optxrq_rsd, m);
	to->req.optxrq_count = m->count;
	to->req.optxrq_rsbuf = m->rsbuf;
	to->req.optxrq_pslen = m->pslen;
}

void to_resp(union info *to, const struct m_msg *m)
{
	to_items(&to->resp.optxrs_dp, m);
	to->resp.optxrs_count = m->count;
	to->resp.optxrs_pslen = m->pslen;
}

void to_cont(union info *to, const struct m_msg *m)
{
	to->cont.optxc_xnum = m->xnum;
	to->cont.optxc_itype = m->itype;
	to->cont.optxc_pslen = m->pslen;
}

void to_rept(union info *to, const struct m_msg *m)
{
	to_id(&to->rept.optre_bad, &m->bad);
	if (m->has_lead) {
		to->rept.optre_lead = take(sizeof(xms_id));
		to_id(to->rept.optre_lead, &m->lead);
	}
	to_info(&to->rept.optre_info, m);
}

/**
 * to_optinfo - encode what overlays rdma_optinfo
 * @to: OUT: rdma_optinfo
 * @m: the message
 * @fn: encoder of the structure
 * @fill: from the message to that structure; NULL if nobody knows what it is
 */
void to_optinfo(rpcrdma2_optional *to, const struct m_msg *m, xdrproc_t fn,
		void (*fill)(union info *to, const struct m_msg *m))
{
	char **val = &to->rdma_optinfo.rdma_optinfo_val;
	u_int *len = &to->rdma_optinfo.rdma_optinfo_len;
	union info info;

	if (fill) {
		memset(&info, 0, sizeof(info));
		fill(&info, m);
		overlay(val, len, fn, &info);
		return;
	}
	*val = take(m->info_len);
	*len = m->info_len;
	memcpy(*val, m->info, m->info_len);
}
