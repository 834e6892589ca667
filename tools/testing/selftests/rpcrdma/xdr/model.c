// SPDX-License-Identifier: GPL-2.0
/* Compares messages. */
#include <string.h>

#include "model.h"

const char *const kind_name[M_KINDS] = {
	[M_MSG] = "MSG", [M_NOMSG] = "NOMSG", [M_ERROR] = "ERROR",
	[M_FOREIGN] = "OPTIONAL of no known type",
	[M_INITXCH] = "INITXCH", [M_REQXCH] = "REQXCH",
	[M_RESPXCH] = "RESPXCH", [M_UPDXCH] = "UPDXCH",
	[M_XMTREQ] = "XMTREQ", [M_XMTRESP] = "XMTRESP",
	[M_XMTCONT] = "XMTCONT", [M_REPTERR] = "REPTERR",
};

/**
 * drop_foreign - leave only the number of characteristics that mean nothing
 * @m: the message
 */
static void drop_foreign(struct m_msg *m)
{
	u32 i, n = 0;

	for (i = 0; i < m->nchars; i++) {
		if (draft_known_char(m->chars[i].id))
			m->chars[n++] = m->chars[i];
		else
			m->foreign++;
	}
	memset(&m->chars[n], 0, (m->nchars - n) * sizeof(m->chars[0]));
	m->nchars = n;
}

/**
 * sort_chars - bring characteristics into the order of their ids
 * @m: the message
 */
static void sort_chars(struct m_msg *m)
{
	struct m_char c;
	u32 i, j;

	for (i = 1; i < m->nchars; i++) {
		c = m->chars[i];
		for (j = i; j && m->chars[j - 1].id > c.id; j--)
			m->chars[j] = m->chars[j - 1];
		m->chars[j] = c;
	}
}

/**
 * m_normal - clear what makes no difference in what a message says
 * @m: the message
 *
 * An xcharspec has no order, but in a REQXCH its elements have numbers. Of
 * characteristics that mean nothing only the number counts; UPDXCH has but one.
 */
void m_normal(struct m_msg *m)
{
	u32 i;

	if (m->kind == M_UPDXCH)
		m->which_char = m->chars[0].id;
	for (i = 0; i < m->nchars; i++)
		m->chars[i].nr *= m->kind == M_REQXCH;
	drop_foreign(m);
	sort_chars(m);
	m->slack = 0;
}

#define FIELD(f)	{ #f, offsetof(struct m_msg, f), sizeof(((struct m_msg *)0)->f) }

/* In the order in which they are looked at */
static const struct {
	const char *name;
	size_t at, size;
} fields[] = {
	FIELD(kind), FIELD(hlen), FIELD(xid), FIELD(vers), FIELD(credit),
	FIELD(proc), FIELD(dir), FIELD(inv), FIELD(nreads), FIELD(nwrites),
	FIELD(has_reply), FIELD(reads), FIELD(writes), FIELD(reply), FIELD(err),
	FIELD(low), FIELD(high), FIELD(processed), FIELD(index), FIELD(needed),
	FIELD(opttype), FIELD(info_len), FIELD(info), FIELD(foreign),
	FIELD(nchars), FIELD(which_char), FIELD(nochg_word), FIELD(chars),
	FIELD(done), FIELD(rej), FIELD(pend), FIELD(pendclr), FIELD(nitems),
	FIELD(nsets), FIELD(ntargets), FIELD(items), FIELD(sets),
	FIELD(targets), FIELD(count), FIELD(rsbuf), FIELD(pslen), FIELD(xnum),
	FIELD(itype), FIELD(bad), FIELD(lead), FIELD(has_lead), FIELD(which),
	FIELD(nargs), FIELD(args),
};

/**
 * m_differ - compare two messages
 * @a: one of them
 * @b: the other one
 *
 * Return: NULL if they say the same, or the first field that differs.
 */
const char *m_differ(const struct m_msg *a, const struct m_msg *b)
{
	size_t i;

	if (!memcmp(a, b, sizeof(*a)))
		return NULL;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (memcmp((const char *)a + fields[i].at, (const char *)b + fields[i].at,
			   fields[i].size))
			return fields[i].name;
	return "padding";
}
