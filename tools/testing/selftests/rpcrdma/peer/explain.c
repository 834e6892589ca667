// SPDX-License-Identifier: GPL-2.0
/*
 * What the explanations of both roles have in common: sentences, messages, WANTs,
 * layouts, and what a case stands on.
 *
 * Messages are built as they would be sent, with memory, receives, a call and its
 * reply that stand for those of a connection.
 */
#include <stdlib.h>
#include <string.h>

#include "checklist.h"
#include "explain.h"
#include "rpc.h"

#define WIDTH		92
#define STUB_XID	0xc0de0000
#define STUB_HANDLE	0x1000
#define STUB_LAYOUT	"1024 16*4096p"
#define STUB_LIMIT	16
#define STUB_REPLY	4000

/* Words of want.h and want_place.h */
const struct saying want_sayings[] = {
	{ "xdr", "ERROR with BAD_XDR" },
	{ "proc", "ERROR with INVAL_PROC" },
	{ "opt", "ERROR with INVAL_OPTION" },
	{ "rpc", "an MSG in REPLY direction" },
	{ "cbok", "the reply to a reverse Call, which succeeded and has no results" },
	{ "cbtag:", "the reply to a CB_COMPOUND, which succeeded and repeats its tag of $0 bytes" },
	{ "cberr:", "the reply to a reverse Call, with the RPC's accept_stat $0" },
	{ "grant:", "it grants $0 credits at least" },
	{ "credit:", "it grants $0 credits" },
	{ "init", "INITXCH" },
	{ "respxch", "RESPXCH, with no element in two of its subsets" },
	{ "all:", "RESPXCH, whose subsets together hold just the first $0 elements" },
	{ "done:", "RESPXCH that has the elements with bits $r as done" },
	{ "rej:", "RESPXCH that has the elements with bits $r as rejected" },
	{ "pend:", "RESPXCH that has the elements with bits $r as pending" },
	{ "req:", "REQXCH that asks for just $r (characteristic=value, in hex)" },
	{ "upd:", "UPDXCH that says $r (characteristic=value:pendclr, in hex)" },
	{ "rept:", "REPTERR about that message: $v" },
	{ "lrept:", "REPTERR about that message, and about the first of its group as what led to it: $v" },
	{ }
};

/* Operations on the mount */
static const struct saying op_sayings[] = {
	{ "mount", "mounts" },
	{ "umount", "unmounts" },
	{ "idle", "does nothing for six seconds" },
	{ "statfs", "asks for the size of the file system" },
	{ "stat", "asks for the attributes of the file" },
	{ "ls", "lists the folder" },
	{ "read", "reads $0 bytes" },
	{ "write", "writes $0 bytes" },
	{ "acl", "sets an access control list of $0 users" },
	{ }
};

/* What stands for a connection, and for a call and its reply */
static struct {
	struct conn c;
	u8 memory[1];
	struct layout lay;
	struct chars peer;
	struct hdr call;
	struct buf honest, full;
} stub;

/**
 * stub_call - a call that offers chunks of four segments
 */
static void stub_call(void)
{
	struct hdr *h = &stub.call;
	u32 i;

	h->vers = 2;
	h->inv = STUB_HANDLE;
	h->nwrites = 1;
	h->has_reply = true;
	h->writes[0].nsegs = h->reply.nsegs = 4;
	for (i = 0; i < 4; i++) {
		h->writes[0].seg[i] = (struct seg){ STUB_HANDLE + i, 4096 };
		h->reply.seg[i] = (struct seg){ STUB_HANDLE + 8 + i, 4096 };
	}
}

/**
 * stub_start - make all that stands for something else
 */
static void stub_start(void)
{
	int i;

	for (i = 0; i < NR_MEM; i++) {
		stub.c.mem[i].p = stub.memory;
		stub.c.mem[i].rkey = STUB_HANDLE + i;
	}
	layout_text(&stub.lay, STUB_LAYOUT);
	chars_default(&stub.peer);
	stub.peer.rbsiz = stub.lay.total;
	stub.peer.reqrxlim = stub.peer.respsxlim = STUB_LIMIT;
	stub_call();
	buf_init(&stub.full, STUB_REPLY);
	buf_fill(&stub.full, 0, STUB_REPLY);
	buf_init(&stub.honest, STUB_REPLY + 64);
	wire_fixed(&stub.honest, STUB_XID, 2, 32, P_MSG);
	buf_u32(&stub.honest, DIR_REPLY);
	buf_fill(&stub.honest, 0, 16 + STUB_REPLY);
}

/**
 * explain_bad - something cannot be explained
 * @x: the explanation
 * @what: what
 */
void explain_bad(struct explainer *x, const char *what)
{
	if (!*x->bad)
		snprintf(x->bad, sizeof(x->bad), "%s", what);
}

/**
 * wrap - print a text in lines
 * @t: the text
 * @indent: blanks in front of each line but the first, which has two less
 */
static void wrap(const char *t, int indent)
{
	int at = indent - 2, n;

	printf("%*s", at, "");
	for (; *t; t += n, t += *t == ' ') {
		n = strcspn(t, " ");
		if (at + 1 + n > WIDTH) {
			printf("\n%*s", indent, "");
			at = indent;
		} else if (at > indent - 2) {
			putchar(' ');
			at++;
		}
		printf("%.*s", n, t);
		at += n;
	}
	putchar('\n');
}

/**
 * new_sentence - begin a sentence
 * @x: the explanation
 */
static void new_sentence(struct explainer *x)
{
	x->out = open_memstream(&x->text, &x->size);
	if (!x->out)
		abort();
}

/**
 * explain_line - print the sentence in the making
 * @x: the explanation
 * @indent: how far it stands to the right
 */
void explain_line(struct explainer *x, int indent)
{
	fclose(x->out);
	wrap(x->text, indent + 2);
	free(x->text);
	new_sentence(x);
}

/**
 * explain_say - print a sentence
 * @x: the explanation
 * @indent: how far it stands to the right
 * @fmt: the sentence
 */
void explain_say(struct explainer *x, int indent, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(x->out, fmt, ap);
	va_end(ap);
	explain_line(x, indent);
}

/**
 * explain_step - print a sentence with a number
 * @x: the explanation
 * @fmt: the sentence
 */
void explain_step(struct explainer *x, const char *fmt, ...)
{
	va_list ap;

	fprintf(x->out, "%u. ", ++x->step);
	va_start(ap, fmt);
	vfprintf(x->out, fmt, ap);
	va_end(ap);
	explain_line(x, 2);
}

/**
 * explain_flags - print a sentence for each flag that is set
 * @x: the explanation
 * @f: the flags; ends with one that has no text
 * @flags: those that are set
 */
void explain_flags(struct explainer *x, const struct flag *f, unsigned int flags)
{
	for (; f->says; f++)
		if (flags & f->bit)
			explain_say(x, 2, "%s", f->says);
}

/**
 * explain_docs - print what the functions do that a case names
 * @x: the explanation
 * @k: the case
 * @needed: it names one
 */
void explain_docs(struct explainer *x, const struct case_head *k, bool needed)
{
	const struct case_doc *d;

	for (d = case_docs; d->name; d++) {
		if (strcmp(d->name, k->name))
			continue;
		explain_say(x, 2, "Beside that: %s.", d->text);
		needed = false;
	}
	if (needed)
		explain_bad(x, "a function without a comment");
}

/**
 * build - build a template, and say what it is
 * @x: the explanation
 * @t: the template
 * @header: it begins with a transport header
 */
static void build(struct explainer *x, const char *t, bool header)
{
	static struct tmpl_marks marks;
	struct buf b;

	marks.nr = 0;
	x->env.marks = &marks;
	buf_init(&b, NR_MEM * MEM_SIZE);
	if (tmpl_build(&b, t, &x->env))
		explain_bad(x, t);
	else if (header)
		describe(x->out, &b, &marks);
	else
		describe_bytes(x->out, &b, &marks);
	buf_free(&b);
}

/**
 * explain_message - say what a message is
 * @x: the explanation
 * @who: what is done with it
 * @t: its template
 */
void explain_message(struct explainer *x, const char *who, const char *t)
{
	fprintf(x->out, "%u. %s ", ++x->step, who);
	build(x, t, true);
	explain_line(x, 2);
}

/**
 * explain_bytes - say what bytes are that no header is in front of
 * @x: the explanation
 * @who: what is done with them
 * @t: their template
 */
void explain_bytes(struct explainer *x, const char *who, const char *t)
{
	fputs(who, x->out);
	build(x, t, false);
	explain_line(x, 2);
}

/**
 * one_want - say what one alternative of a WANT is
 * @x: the explanation
 * @want: the alternative
 */
static void one_want(struct explainer *x, char *want)
{
	const char *sep = "";
	char *w, *save;

	for (w = strtok_r(want, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		fputs(sep, x->out);
		if (says_word(x->out, want_sayings, w) &&
		    (!x->wants || says_word(x->out, x->wants, w)))
			explain_bad(x, w);
		sep = ", and ";
	}
}

/**
 * explain_want - add to a sentence what is wanted
 * @x: the explanation
 * @want: its alternatives
 */
void explain_want(struct explainer *x, const char *want)
{
	char all[512], *w, *save;
	const char *sep = "";

	snprintf(all, sizeof(all), "%s", want);
	for (w = strtok_r(all, "|", &save); w; w = strtok_r(NULL, "|", &save)) {
		fputs(sep, x->out);
		one_want(x, w);
		sep = "; or ";
	}
}

/**
 * explain_layout - say how receives are made up
 * @x: the explanation
 * @lay: their layout, see layout_init()
 */
void explain_layout(struct explainer *x, const char *lay)
{
	char *e, words[2048];
	u32 rtr = strtoul(lay, &e, 16), i;
	struct layout l;

	if (layout_init(&l, words, sizeof(words), lay, false)) {
		explain_bad(x, lay);
		return;
	}
	fprintf(x->out, "The peer's receives have %u bytes:", l.total);
	for (i = 0; i < l.nsegs; i++)
		fprintf(x->out, "%s %u%s", i ? "," : "", l.seg[i].len,
			l.seg[i].flags & PLT_FLAG ? " for data" : "");
	fprintf(x->out, "; its INITXCH says %sRTRSUPP %u, and that a message may have %u transmission%s.",
		strstr(lay, ":-") ? "nothing of that, but " : "so, ", rtr,
		l.limit, l.limit == 1 ? "" : "s");
	explain_line(x, 2);
}

/**
 * explain_op - add to a sentence what an application does
 * @x: the explanation
 * @op: its operations, see app_do()
 */
void explain_op(struct explainer *x, const char *op)
{
	char all[256], *w, *save;
	const char *sep = "";

	snprintf(all, sizeof(all), "%s", op);
	for (w = strtok_r(all, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		fputs(sep, x->out);
		if (says_word(x->out, op_sayings, w))
			explain_bad(x, w);
		sep = ", then ";
	}
}

/**
 * explain_is_step - is a step this one?
 * @step: the step
 * @word: how it begins
 * @arg: gets what is behind that
 *
 * Return: true if so.
 */
bool explain_is_step(const char *step, const char *word, const char **arg)
{
	size_t n = strlen(word);

	step += strspn(step, " ");
	*arg = step + n;
	*arg += strspn(*arg, " ");
	return !strncmp(step, word, n) && (!step[n] || step[n] == ' ');
}

/**
 * explain_begin - begin an explanation
 * @x: the explanation
 * @k: the case
 */
void explain_begin(struct explainer *x, const struct case_head *k)
{
	if (!stub.full.p)
		stub_start();
	memset(x, 0, sizeof(*x));
	x->env = (struct tmpl_env){
		.c = &stub.c, .xid = STUB_XID, .told = STUB_XID + 64,
		.call = &stub.call, .honest = &stub.honest, .honest_hlen = 36,
		.full = &stub.full, .lay = &stub.lay, .peer = &stub.peer,
	};
	new_sentence(x);
	printf("%s\n", k->name);
}

/**
 * explain_end - say what a case stands on
 * @x: the explanation
 * @k: the case
 *
 * Return: 0, or -1 if something of it could not be explained.
 */
int explain_end(struct explainer *x, const struct case_head *k)
{
	char all[512], *id, *save;

	explain_say(x, 2, "It stands on:");
	snprintf(all, sizeof(all), "%s", k->ids);
	for (id = strtok_r(all, " ", &save); id; id = strtok_r(NULL, " ", &save)) {
		if (checklist_say(x->out, id))
			explain_bad(x, id);
		explain_line(x, 4);
	}
	fclose(x->out);
	free(x->text);
	if (*x->bad)
		printf("  No words for: %s\n", x->bad);
	putchar('\n');
	return *x->bad ? -1 : 0;
}
