// SPDX-License-Identifier: GPL-2.0
/*
 * messages COUNT: prints so many random messages of each kind, as the drafts' XDR
 * encodes them, with what a dissector is to find in them, in the form of the
 * dissector's examples.txt. SEED= gives the same again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "draft.h"
#include "model.h"

#define MOST_FIELDS	64
#define TEXT		16384

/* A field and its values, parted by commas */
static struct {
	const char *name;
	char values[TEXT];
	size_t len;
} fields[MOST_FIELDS];

static size_t nfields;

/* Adds a value to those of a field */
static void add(const char *name, const char *format, u64 value)
{
	size_t i;

	for (i = 0; i < nfields && strcmp(fields[i].name, name); i++)
		;
	if (i == MOST_FIELDS)
		abort();
	if (i == nfields) {
		fields[nfields].name = name;
		fields[nfields++].len = 0;
	}
	if (fields[i].len)
		fields[i].values[fields[i].len++] = ',';
	fields[i].len += snprintf(fields[i].values + fields[i].len, TEXT - fields[i].len, format,
				  (unsigned long long)value);
}

static void dec(const char *name, u32 value)
{
	add(name, "%llu", value);
}

static void hex(const char *name, u32 value)
{
	add(name, "0x%08llx", value);
}

/* The fields of a segment, by what they are a part of */
struct seg_names {
	const char *handle, *length, *offset;
};

#define SEG(p)	(&(const struct seg_names){ p ".handle", p ".length", p ".offset" })

static void say_seg(const struct seg_names *n, const struct m_seg *s)
{
	hex(n->handle, s->handle);
	dec(n->length, s->length);
	add(n->offset, "0x%016llx", s->offset);
}

static void say_chunk(const char *count, const struct seg_names *n, const struct m_chunk *c)
{
	u32 i;

	dec(count, c->n);
	for (i = 0; i < c->n; i++)
		say_seg(n, &c->seg[i]);
}

static void say_lists(const struct m_msg *m)
{
	u32 i;

	dec("direction", m->dir);
	hex("inv_handle", m->inv);
	dec("reads", m->nreads);
	for (i = 0; i < m->nreads; i++) {
		dec("read.position", m->reads[i].position);
		say_seg(SEG("read"), &m->reads[i].seg);
	}
	dec("writes", m->nwrites);
	for (i = 0; i < m->nwrites; i++)
		say_chunk("write.count", SEG("write"), &m->writes[i]);
	dec("reply", m->has_reply);
	if (m->has_reply)
		say_chunk("reply.count", SEG("reply"), &m->reply);
}

static void say_error(const struct m_msg *m)
{
	dec("err", m->err);
	if (m->err == RDMA2_ERR_VERS) {
		dec("vers_low", m->low);
		dec("vers_high", m->high);
	} else if (m->err == RDMA2_ERR_CANT_REPLY) {
		dec("processed", m->processed);
		dec("segment_index", m->index);
		dec("length_needed", m->needed);
	}
}

static void say_rbs(const struct m_rbs *r)
{
	u32 i;

	dec("xmrbuf_length", r->length);
	dec("xmrbuf_groups", r->n);
	for (i = 0; i < r->n; i++) {
		dec("xmrgrp_count", r->group[i].count);
		dec("xmrseg_length", r->group[i].length);
		dec("xmrseg_align", r->group[i].align);
		hex("xmrseg_flags", r->group[i].flags);
	}
}

static void say_char(const struct m_char *c)
{
	hex("xchv_which", c->id);
	if (c->id == XPROP_RBSTRUCT)
		say_rbs(&c->rbs);
	else if (c->id == XPROP_RTRSUPP)
		hex("rtrsupp", c->word);
	else if (draft_known_char(c->id))
		dec(c->id == XCHAR_RBSIZ ? "rbsiz" : c->id == XCHAR_REQREMINV ? "reqreminv" :
		    c->id == XCHAR_BRS ? "brs" : c->id == XPROP_REQRXLIM ? "reqrxlim" :
		    "respsxlim", c->word);
}

static void say_subset(const char *count, const char *word, const u32 *words, u32 slack)
{
	u32 n = M_WORDS, i;

	while (n && !words[n - 1])
		n--;
	dec(count, n + slack);
	for (i = 0; i < n + slack; i++)
		hex(word, i < n ? words[i] : 0);
}

static void say_chars(const struct m_msg *m)
{
	u32 words[M_WORDS] = { 0 }, i;

	if (m->kind != M_UPDXCH)
		dec(m->kind == M_INITXCH ? "optixch_start" : "optreqxch_want", m->nchars);
	for (i = 0; i < m->nchars; i++) {
		say_char(&m->chars[i]);
		words[0] |= m->chars[i].nochg << i;
	}
	if (m->kind == M_INITXCH)
		say_subset("optixch_nochg", "optixch_nochg.word", words, m->slack);
	if (m->kind == M_UPDXCH)
		dec("optupdxch_pendclr", m->pendclr);
}

static void say_resp(const struct m_msg *m)
{
	say_subset("optrespxch_done", "optrespxch_done.word", m->done, m->slack);
	say_subset("optrespxch_rej", "optrespxch_rej.word", m->rej, m->slack);
	say_subset("optrespxch_pend", "optrespxch_pend.word", m->pend, m->slack);
}

static void say_item(const struct m_item *it)
{
	u32 i;

	dec("xmdmi_disp", it->disp);
	dec("xmdmi_length", it->length);
	dec("xmdmi_where", it->loc.type);
	if (it->loc.type == XMPTYPE_EXRW)
		say_chunk("xmdl_ex", SEG("xmdl_ex"), &it->loc.ex);
	if (it->loc.type != XMPTYPE_TBSN)
		return;
	dec("xmdl_offset", it->loc.offset);
	dec("xmdl_bsnum", it->loc.n);
	for (i = 0; i < it->loc.n; i++)
		dec("xmdl_bsnum.tbsn", it->loc.tbsn[i]);
}

static void say_target(const struct m_target *t)
{
	dec("xmdrsdi_minlen", t->minlen);
	dec("xmdrsdi_loc", t->loc.type);
	if (t->loc.type == XMPTYPE_BYSIZE) {
		dec("xmdrsdl_dsdov", t->loc.offset);
		say_chunk("xmdrsdl_bsex", SEG("xmdrsdl_bsex"), &t->loc.ex);
	} else if (t->loc.type != XMPTYPE_TBSN) {
		say_chunk("xmdrsdl_ex", SEG("xmdrsdl_ex"), &t->loc.ex);
	}
}

static void say_req(const struct m_msg *m)
{
	const struct m_target *t = m->targets;
	u32 i, j;

	dec("optxrq_dp", m->nitems);
	for (i = 0; i < m->nitems; i++)
		say_item(&m->items[i]);
	dec("optxrq_rsd", m->nsets);
	for (i = 0; i < m->nsets; i++) {
		dec("xmdrsdr_begin", m->sets[i].begin);
		dec("xmdrsdr_end", m->sets[i].end);
		dec("xmdrsds_items", m->sets[i].n);
		for (j = 0; j < m->sets[i].n; j++)
			say_target(t++);
	}
	dec("optxrq_count", m->count);
	dec("optxrq_rsbuf", m->rsbuf);
	dec("optxrq_pslen", m->pslen);
}

static void say_xmtresp(const struct m_msg *m)
{
	u32 i;

	dec("optxrs_dp", m->nitems);
	for (i = 0; i < m->nitems; i++)
		say_item(&m->items[i]);
	dec("optxrs_count", m->count);
	dec("optxrs_pslen", m->pslen);
}

static void say_report(const struct m_msg *m)
{
	hex("bad.xmsi_xid", m->bad.xid);
	dec("bad.xmsi_dir", m->bad.dir);
	dec("bad.xmsi_seq", m->bad.seq);
	dec("optre_lead", m->has_lead);
	if (m->has_lead) {
		hex("lead.xmsi_xid", m->lead.xid);
		dec("lead.xmsi_dir", m->lead.dir);
		dec("lead.xmsi_seq", m->lead.seq);
	}
	dec("optre_which", m->which);
	if (m->nargs == 2) {
		dec("optri_expect", m->args[0]);
		dec("optri_current", m->args[1]);
	} else if (m->nargs == 3) {
		dec("optri_value", m->args[0]);
		dec("optri_min", m->args[1]);
		dec("optri_max", m->args[2]);
	}
}

static void say_optional(const struct m_msg *m, const u8 *buf)
{
	dec("optdir", m->dir);
	dec("opttype", m->opttype);
	dec("optinfo_len", buf[26] << 8 | buf[27]);
	switch (m->kind) {
	case M_INITXCH:
	case M_REQXCH:
	case M_UPDXCH:
		return say_chars(m);
	case M_RESPXCH:
		return say_resp(m);
	case M_XMTREQ:
		return say_req(m);
	case M_XMTRESP:
		return say_xmtresp(m);
	case M_XMTCONT:
		dec("optxc_xnum", m->xnum);
		dec("optxc_itype", m->itype);
		return dec("optxc_pslen", m->pslen);
	case M_REPTERR:
		return say_report(m);
	}
}

/* Prints a message, which is of version 2, and what is in it */
static void say(const struct m_msg *m, u32 nr)
{
	u8 buf[M_BUF];
	int len = draft_encode(m, buf, sizeof(buf)), i;

	len += gen_payload(m, buf + len, sizeof(buf) - len);
	printf("%c %s number %u", m->dir == CALL ? '>' : '<', kind_name[m->kind], nr);
	for (i = 0; i < len; i++)
		printf("%s%02x", i % 4 ? "" : i % 32 ? " " : "\n", buf[i]);
	printf("\n");
	nfields = 0;
	hex("xid", m->xid);
	dec("vers", m->vers);
	dec("credit", m->credit);
	dec("proc", m->proc);
	if (m->kind <= M_NOMSG)
		say_lists(m);
	else if (m->kind == M_ERROR)
		say_error(m);
	else
		say_optional(m, buf);
	for (i = 0; i < (int)nfields; i++)
		printf("rpcrdma2.%s = %.*s\n", fields[i].name, (int)fields[i].len, fields[i].values);
}

int main(int argc, char **argv)
{
	u32 n, count = argc > 1 ? strtoul(argv[1], NULL, 0) : 100;
	const char *given = getenv("SEED");
	static struct m_msg m;
	int k;

	seed = given && *given ? strtoull(given, NULL, 0) : (u64)time(NULL);
	printf("# SEED=%llu\n", (unsigned long long)seed);
	for (n = 0; n < count; n++) {
		for (k = 0; k < M_KINDS; k++) {
			do {
				gen(&m, k);
			} while (m.vers != 2);
			say(&m, n);
		}
	}
	return 0;
}
