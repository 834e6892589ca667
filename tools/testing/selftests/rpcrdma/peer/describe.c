// SPDX-License-Identifier: GPL-2.0
/*
 * A message in plain English: its header field by field, its chunk lists, and
 * what its payload is. Where a word of the template stands for a value, that is
 * said instead of it.
 */
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "says.h"
#include "xmt.h"

#define MAX_WORDS	8	/* numbers of a payload that are shown */
#define MAX_ELEMENTS	8	/* elements of a list that are shown */

/**
 * struct walk - a message that is being described
 * @out: where to
 * @p: its bytes
 * @at: up to which byte it was described
 * @end: up to which it goes, or the optinfo that is described
 * @over: it ended too early
 * @marks: the words of its template
 */
struct walk {
	FILE *out;
	const u8 *p;
	size_t at, end;
	bool over;
	const struct tmpl_marks *marks;
};

static const char * const procs[] = {
	"MSG", "NOMSG", NULL, NULL, "ERROR", "OPTIONAL",
};

static const char * const errors[] = {
	NULL, "VERS", "BAD_XDR", "CANT_REPLY", "INVAL_PROC", "INVAL_OPTION",
};

static const char * const options[] = {
	NULL, "INITXCH", "REQXCH", "RESPXCH", "UPDXCH", "XMTREQ", "XMTRESP",
	"XMTCONT", "REPTERR",
};

static const char * const chars[] = {
	NULL, "RBSIZ", "REQREMINV", "BRS", "RBSTRUCT", "REQRXLIM", "RESPSXLIM",
};

static const char * const where[] = {
	NULL, "EXRW (by RDMA)", "TBSN (by Send)", "CHOICE (by RDMA or by Send)",
	"BYSIZE", "TOOSHORT (inline)", "NOITEM",
};

static const char * const reports[] = {
	NULL, "BADHMT", "BADOMT", "BADCONT", "BADSEQ", "BADXID", "BADOFF",
	"BADTBSN", "BADPL",
};

static const char * const dirs[] = { "CALL", "REPLY" };

#define NAME(table, v) name_of(table, ARRAY_SIZE(table), v)

/**
 * name_of - what a number is called
 * @table: the names
 * @n: how many
 * @v: the number
 *
 * Return: its name, or a text that there is none.
 */
static const char *name_of(const char * const *table, size_t n, u32 v)
{
	return v < n && table[v] ? table[v] : "which there is not";
}

/**
 * mark_at - the word whose bytes start at a place
 * @w: the message
 *
 * Return: the word, or NULL.
 */
static const struct tmpl_mark *mark_at(const struct walk *w)
{
	unsigned int i;

	for (i = 0; i < w->marks->nr; i++)
		if (w->marks->m[i].from == w->at && w->marks->m[i].to > w->at)
			return &w->marks->m[i];
	return NULL;
}

/**
 * ended - does the message end before this field?
 * @w: the message
 * @size: size of the field
 * @what: its name
 *
 * Return: true if so.
 */
static bool ended(struct walk *w, size_t size, const char *what)
{
	if (w->over)
		return true;
	if (w->at + size <= w->end)
		return false;
	w->over = true;
	fprintf(w->out, "; it ends before the end of %s", what);
	return true;
}

/**
 * number - print a number as it is read best
 * @out: where to
 * @v: the number
 */
static void number(FILE *out, u32 v)
{
	fprintf(out, v > 0xfffff ? "0x%x" : "%u", v);
}

/**
 * value - print a word, or what stands for it, and step over it
 * @w: the message; the word is there
 *
 * Return: the word.
 */
static u32 value(struct walk *w)
{
	const struct tmpl_mark *m = mark_at(w);
	u32 v = get_u32(w->p + w->at);

	if (m && m->says && *m->says && m->to == w->at + 4)
		says(w->out, m->says, m->word + m->arg);
	else
		number(w->out, v);
	w->at += 4;
	return v;
}

/**
 * field - describe a word
 * @w: the message
 * @what: its name
 *
 * Return: its value, 0 past the end.
 */
static u32 field(struct walk *w, const char *what)
{
	if (ended(w, 4, what))
		return 0;
	fprintf(w->out, "; %s ", what);
	return value(w);
}

/**
 * xid - describe an xid
 * @w: the message
 * @what: whose it is
 */
static void xid(struct walk *w, const char *what)
{
	const struct tmpl_mark *m;

	if (ended(w, 4, "an xid"))
		return;
	m = mark_at(w);
	fprintf(w->out, "%s%s", what, m && m->says ? "" : "xid ");
	value(w);
}

/**
 * named - describe a word whose values have names
 * @w: the message
 * @what: its name
 * @table: the names
 * @n: how many
 *
 * Return: its value, 0 past the end.
 */
static u32 named(struct walk *w, const char *what, const char * const *table,
		 size_t n)
{
	u32 v = field(w, what);

	if (!w->over)
		fprintf(w->out, ", %s", name_of(table, n, v));
	return v;
}

#define NAMED(w, what, table) named(w, what, table, ARRAY_SIZE(table))

/**
 * quiet - take a word without saying more of it than that it is missing
 * @w: the message
 * @what: its name
 *
 * Return: its value, 0 past the end.
 */
static u32 quiet(struct walk *w, const char *what)
{
	if (ended(w, 4, what))
		return 0;
	w->at += 4;
	return get_u32(w->p + w->at - 4);
}

/**
 * more - does a list go on?
 * @w: the message
 * @what: name of the list
 *
 * Return: true if so.
 */
static bool more(struct walk *w, const char *what)
{
	u32 v = quiet(w, what);

	if (w->over || v < 2)
		return !w->over && v;
	fprintf(w->out, "; the word that says whether %s goes on is ", what);
	number(w->out, v);
	fprintf(w->out, ", with %zu bytes behind it", w->end - w->at);
	w->over = true;
	return false;
}

/**
 * segment - describe a segment
 * @w: the message
 */
static void segment(struct walk *w)
{
	const struct tmpl_mark *m;

	if (ended(w, 16, "a segment"))
		return;
	m = mark_at(w);
	if (m && m->says && m->to == w->at + 16) {
		says(w->out, m->says, m->word + m->arg);
		w->at += 16;
		return;
	}
	fputs("handle ", w->out);
	value(w);
	fputs(", ", w->out);
	value(w);
	fprintf(w->out, " bytes at address 0x%x%08x", get_u32(w->p + w->at),
		get_u32(w->p + w->at + 4));
	w->at += 8;
}

/**
 * chunk - describe counted segments
 * @w: the message
 */
static void chunk(struct walk *w)
{
	u32 n = quiet(w, "the count of segments"), i;

	if (w->over)
		return;
	number(w->out, n);
	fprintf(w->out, " segment%s", n == 1 ? "" : "s");
	for (i = 0; i < n && !w->over; i++) {
		if (i < MAX_ELEMENTS && w->at + 16 <= w->end)
			fputs(i ? ", " : ": ", w->out);
		if (i == MAX_ELEMENTS && w->at + 16 * (n - i) <= w->end) {
			fputs(" and so on", w->out);
			w->at += 16 * (n - i);
			return;
		}
		segment(w);
	}
}

/**
 * read_list - describe the Read list
 * @w: the message
 */
static void read_list(struct walk *w)
{
	u32 n = 0;

	while (more(w, "the Read list")) {
		fputs(n++ ? ", then at position " : "; Read list: at position ", w->out);
		if (ended(w, 4, "the position of a segment"))
			return;
		value(w);
		fputs(" ", w->out);
		segment(w);
		if (w->over)
			return;
	}
	if (!n && !w->over)
		fputs("; Read list empty", w->out);
}

/**
 * write_list - describe the Write list
 * @w: the message
 */
static void write_list(struct walk *w)
{
	u32 n = 0;

	while (more(w, "the Write list")) {
		fputs(n++ ? ", then a chunk of " : "; Write list: a chunk of ", w->out);
		chunk(w);
		if (w->over)
			return;
	}
	if (!n && !w->over)
		fputs("; Write list empty", w->out);
}

/**
 * lists - describe the three chunk lists
 * @w: the message
 */
static void lists(struct walk *w)
{
	read_list(w);
	if (!w->over)
		write_list(w);
	if (w->over)
		return;
	if (more(w, "the Reply chunk")) {
		fputs("; a Reply chunk of ", w->out);
		chunk(w);
	} else if (!w->over) {
		fputs("; no Reply chunk", w->out);
	}
}

/**
 * characteristic - describe one of them
 * @w: the message
 */
static void characteristic(struct walk *w)
{
	u32 which = field(w, "characteristic"), len;

	if (w->over)
		return;
	fprintf(w->out, ", %s", which == XC_RTRSUPP ? "RTRSUPP" : NAME(chars, which));
	len = quiet(w, "the length of its value");
	if (w->over)
		return;
	fputs(", of ", w->out);
	number(w->out, len);
	fprintf(w->out, " bytes");
	if (len > w->end - w->at) {
		fputs(", more than there are", w->out);
		w->over = true;
	} else if (len == 4) {
		fputs(": ", w->out);
		value(w);
	} else {
		w->at += (len + 3) & ~3u;
		if (w->at > w->end)
			w->at = w->end;
	}
}

/**
 * characteristics - describe an array of them
 * @w: the message
 */
static void characteristics(struct walk *w)
{
	u32 n = field(w, "count of characteristics"), i;

	for (i = 0; i < n && i < MAX_ELEMENTS && !w->over; i++)
		characteristic(w);
	for (; i < n && !w->over && w->at < w->end; i++) {
		quiet(w, "a characteristic");
		w->at += (quiet(w, "the length of its value") + 3) & ~3u;
	}
}

/**
 * subset - describe a subset of the characteristics
 * @w: the message
 * @what: which one
 */
static void subset(struct walk *w, const char *what)
{
	u32 n = quiet(w, what), i;

	if (w->over)
		return;
	fprintf(w->out, "; %s ", what);
	if (!n)
		fputs("empty", w->out);
	if (n > (w->end - w->at) / 4) {
		fprintf(w->out, "of more words (%u) than there are", n);
		w->over = true;
	}
	for (i = 0; i < n && !w->over; i++) {
		fputs(i ? ", 0x" : "bits 0x", w->out);
		fprintf(w->out, "%x", quiet(w, what));
	}
}

/**
 * placed - describe which segments an item is in
 * @w: the message
 */
static void placed(struct walk *w)
{
	u32 n;

	field(w, "from offset");
	for (n = field(w, "count of its segments"); n && !w->over; n--)
		field(w, "number");
}

/**
 * data_items - describe the items of XMTREQ or XMTRESP
 * @w: the message
 */
static void data_items(struct walk *w)
{
	u32 n = field(w, "count of items that are out of the payload"), i, type;

	for (i = 0; i < n && !w->over; i++) {
		field(w, "an item that belongs at");
		field(w, "its length");
		type = NAMED(w, "where it is", where);
		if (w->over)
			return;
		if (type == T_EXRW) {
			fputs(", ", w->out);
			chunk(w);
		} else if (type == T_TBSN) {
			placed(w);
		} else if (type != T_TOOSHORT && type != T_NOITEM) {
			return;
		}
	}
}

/**
 * one_target - describe where an item of the reply may go
 * @w: the message
 *
 * Return: true if what follows can be told from it.
 */
static bool one_target(struct walk *w)
{
	u32 type;

	field(w, "from a length of");
	type = NAMED(w, "it may go", where);
	if (type == T_BYSIZE)
		field(w, "up to");
	if (w->over || type == T_TBSN)
		return !w->over;
	if (type != T_EXRW && type != T_CHOICE && type != T_BYSIZE)
		return false;
	fputs(", into ", w->out);
	chunk(w);
	return !w->over;
}

/**
 * targets - describe where data of the reply may go
 * @w: the message
 *
 * Return: true if what follows can be told from it.
 */
static bool targets(struct walk *w)
{
	u32 n = field(w, "count of sets of targets for the reply"), i, j, k;

	for (i = 0; i < n && !w->over; i++) {
		field(w, "a set for what is asked for from byte");
		field(w, "to byte");
		k = field(w, "count of its targets");
		for (j = 0; j < k && !w->over; j++)
			if (!one_target(w))
				return false;
	}
	return !w->over;
}

/**
 * transmission - describe XMTREQ, XMTRESP or XMTCONT
 * @w: the message
 * @type: which of them
 */
static void transmission(struct walk *w, u32 type)
{
	if (type == O_XMTCONT) {
		field(w, "number of the transmission");
		NAMED(w, "type of its group", options);
	} else {
		data_items(w);
		if (type == O_XMTREQ && !w->over && !targets(w))
			return;
		field(w, "count of transmissions");
		if (type == O_XMTREQ)
			field(w, "transmissions that the reply may have");
	}
	field(w, "length of its payload");
}

/**
 * named_transmission - describe the name of a transmission in a report
 * @w: the message
 * @what: which one it is
 */
static void named_transmission(struct walk *w, const char *what)
{
	xid(w, what);
	NAMED(w, "of direction", dirs);
	field(w, "number");
}

/**
 * report - describe a REPTERR
 * @w: the message
 */
static void report(struct walk *w)
{
	u32 which, i;

	named_transmission(w, "; about the transmission with ");
	if (more(w, "what led to it"))
		named_transmission(w, "; led to by that with ");
	which = NAMED(w, "code", reports);
	for (i = 0; !w->over && rept_values(which) != ~0u && i < rept_values(which); i++)
		field(w, "value");
}

/**
 * optinfo - describe the optinfo of an OPTIONAL
 * @w: the message, which ends there
 * @type: type of the OPTIONAL
 */
static void optinfo(struct walk *w, u32 type)
{
	switch (type) {
	case O_INITXCH:
		characteristics(w);
		subset(w, "characteristics that will not change:");
		break;
	case O_REQXCH:
		characteristics(w);
		break;
	case O_RESPXCH:
		subset(w, "done:");
		subset(w, "rejected:");
		subset(w, "pending:");
		break;
	case O_UPDXCH:
		characteristic(w);
		field(w, "nothing is pending any more:");
		break;
	case O_XMTREQ:
	case O_XMTRESP:
	case O_XMTCONT:
		transmission(w, type);
		break;
	case O_REPTERR:
		report(w);
	}
}

/**
 * payload - describe what is behind the header
 * @w: the message
 * @what: what it is
 */
static void payload(struct walk *w, const char *what)
{
	u32 shown = 0, left = 0;
	unsigned int i;

	if (w->at >= w->end)
		return;
	fputs(what, w->out);
	for (i = 0; i < w->marks->nr; i++) {
		const struct tmpl_mark *m = &w->marks->m[i];

		if (m->to <= w->at || m->from >= w->end || m->from == m->to)
			continue;
		if (m->from < w->at) {
			fprintf(w->out, " %zu bytes more", m->to - w->at);
		} else if (m->says && *m->says) {
			fputs(shown + left ? ", then " : *what ? " " : "", w->out);
			says(w->out, m->says, m->word + m->arg);
			shown++;
		} else if (++left <= MAX_WORDS) {
			fputs(left > 1 ? ", " : *what ? " the words " : "the words ", w->out);
			number(w->out, get_u32(w->p + m->from));
		}
	}
	if (left > MAX_WORDS)
		fprintf(w->out, " and %u words more", left - MAX_WORDS);
}

/**
 * optional - describe an OPTIONAL
 * @w: the message
 */
static void optional(struct walk *w)
{
	size_t end = w->end;
	u32 type, len;

	NAMED(w, "direction", dirs);
	type = NAMED(w, "type", options);
	len = quiet(w, "the length of its optinfo");
	if (w->over)
		return;
	fprintf(w->out, "; optinfo of ");
	number(w->out, len);
	fprintf(w->out, " bytes");
	if (len > end - w->at) {
		fputs(", more than there are", w->out);
		return;
	}
	w->end = w->at + len;
	optinfo(w, type);
	if (w->at < w->end)
		fprintf(w->out, "; %zu bytes of optinfo %s", w->end - w->at,
			type && type <= O_REPTERR ? "too many, or not to be read" : "");
	w->at = w->end;
	w->end = end;
	w->over = false;
	payload(w, "; payload:");
}

/**
 * error - describe an ERROR
 * @w: the message
 */
static void error(struct walk *w)
{
	u32 code = NAMED(w, "code", errors);

	if (code == E_VERS) {
		field(w, "lowest version");
		field(w, "highest version");
	} else if (code == E_CANT) {
		field(w, "processed:");
		field(w, "index");
		field(w, "bytes needed:");
	}
	if (!w->over)
		payload(w, "; and behind that");
}

/**
 * body - describe what follows the four words at the beginning
 * @w: the message
 * @vers: its version
 * @proc: its procedure
 */
static void body(struct walk *w, u32 vers, u32 proc)
{
	if (vers > 2 || !vers || (proc > P_NOMSG && proc != P_ERROR &&
				  (proc != P_OPTIONAL || vers == 1))) {
		payload(w, "; and behind that");
	} else if (proc == P_ERROR) {
		error(w);
	} else if (proc == P_OPTIONAL) {
		optional(w);
	} else {
		if (vers == 2) {
			NAMED(w, "direction", dirs);
			field(w, "handle to invalidate:");
		}
		if (!w->over)
			lists(w);
		if (!w->over)
			payload(w, "; payload:");
	}
}

/**
 * asides - the sentences that a template has beside the message
 * @w: the message
 */
static void asides(struct walk *w)
{
	unsigned int i;

	for (i = 0; i < w->marks->nr; i++) {
		const struct tmpl_mark *m = &w->marks->m[i];

		if (m->says && *m->says == '!') {
			fputc(' ', w->out);
			says(w->out, m->says + 1, m->word + m->arg);
		}
	}
}

/**
 * describe_bytes - say what bytes are that no header is in front of
 * @out: where to
 * @b: the bytes
 * @marks: the words of their template
 */
void describe_bytes(FILE *out, const struct buf *b,
		    const struct tmpl_marks *marks)
{
	struct walk w = { .out = out, .p = b->p, .end = b->len, .marks = marks };

	payload(&w, "");
	fputc('.', out);
	asides(&w);
}

/**
 * describe - say what a message is
 * @out: where to
 * @b: the message
 * @marks: the words of its template
 */
void describe(FILE *out, const struct buf *b, const struct tmpl_marks *marks)
{
	struct walk w = { .out = out, .p = b->p, .end = b->len, .marks = marks };
	const struct tmpl_mark *m = mark_at(&w);
	u32 vers, proc;

	if (!b->len) {
		fputs("no bytes at all", out);
	} else if (m && m->says && m->to > 8) {
		payload(&w, "");
	} else {
		fprintf(out, "%zu bytes: ", b->len);
		xid(&w, "");
		vers = field(&w, "version");
		field(&w, "credits");
		proc = field(&w, "procedure");
		if (!w.over)
			fprintf(out, ", %s", NAME(procs, proc));
		if (!w.over)
			body(&w, vers, proc);
	}
	fputc('.', out);
	asides(&w);
}
