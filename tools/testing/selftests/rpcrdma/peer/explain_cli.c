// SPDX-License-Identifier: GPL-2.0
/* --explain for the client role: scripts, see client.h, own.c and reverse.c. */
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "explain.h"

#define STEP_SIZE	8192

/* Words of client.h and cli_place.h */
static const struct saying wants[] = {
	{ "reply", "an MSG in which the RPC succeeded, sent without invalidation" },
	{ "long", "a NOMSG whose RPC succeeded and is in the Reply chunk" },
	{ "swi", "it comes by Send With Invalidate of our memory $0" },
	{ "data:", "memory 0 holds $p of the test file" },
	{ "rpcerr:", "an MSG with the RPC's accept_stat $0" },
	{ "denied", "an MSG in which the RPC is denied" },
	{ "nfserr", "an MSG in which the NFS compound fails" },
	{ "vers:", "ERROR with VERS and the versions $v" },
	{ "cant:", "ERROR with CANT_REPLY and the values $v" },
	{ "drop", "nothing, and a NULL call behind it must be answered" },
	{ "disc", "the server closes the connection" },
	{ "more", "nothing yet: what is sent next has the same xid" },
	{ "xreply", "an XMTRESP without items, or an MSG, in which RPC and compound succeeded" },
	{ "xresp:", "an XMTRESP with items of the types $r, in which RPC and compound succeeded" },
	{ "vread:", "the READs in it come to $p of the test file" },
	{ "types:", "an XMTRESP with items of the types $r" },
	{ "xrpcerr:", "an XMTRESP or MSG with the RPC's accept_stat $0" },
	{ "xnfserr", "an XMTRESP or MSG in which the NFS compound fails" },
	{ "kdata:", "memory 0 holds what was written: key, offset and length are $v" },
	{ "blank:", "the first $1 bytes of memory $0 are still zero" },
	{ }
};

/* What becomes of a reverse Call */
static const struct saying reverse_wants[] = {
	{ "ok", "that answers the Call" },
	{ "again", "the Call has failed: the server makes it anew, and at once" },
	{ "each", "the same, many times in a row, each of them answered so as soon as it comes" },
	{ "wait", "the Call still waits for its reply, and gets it now" },
	{ "disc", "the server closes the connection" },
	{ "none", "no reverse Call comes at all" },
	{ }
};

/* What becomes of a long reverse Call */
static const struct saying long_wants[] = {
	{ "ok", "the Call has been answered" },
	{ "fail", "the Call has failed, and at once" },
	{ "off", "the Call has failed, at once, and no other is sent that is as long" },
	{ "wait", "the Call still waits for its reply, and gets it now" },
	{ }
};

static const struct flag flags[] = {
	{ C_V1, "The case ends with a NULL call of version 1." },
	{ C_BIG, "The peer posts receives of 64 KiB." },
	{ C_PRIV, "The connection is made with version 1's private data." },
	{ C_INV, "Its INITXCH says that handles may be invalidated (REQREMINV)." },
	{ C_RT, "Only where the server advertises placement by Send (RTRSUPP)." },
	{ C_SRV1, "Only for a server that has version 2 off." },
	{ C_NOEND, "There is no NULL call at the end." },
	{ C_NORT, "Only where the server does not advertise RTRSUPP." },
	{ C_CONT, "Only where the server's RTRSUPP has continuation." },
	{ C_NOCONT, "Only where the server's RTRSUPP has no continuation." },
	{ C_ANY, "With version 2 on or off." },
	{ C_HAND, "It needs a hand on the server (--on-server)." },
	{ C_OWN, "It knows what the kernel's server does of its own accord (--on-server)." },
	{ C_SHORT, "The server is told to place nothing, so that its receives can become longer (--on-server)." },
	{ C_DEAF, "The server is told to wait for the peer's receives for ever." },
	{ }
};

/**
 * own_step - explain a step of own.c
 * @x: the explanation
 * @step: the step
 * @want: what is wanted
 *
 * Return: true if it is one.
 */
static bool own_step(struct explainer *x, const char *step, const char *want)
{
	const char *arg;
	bool no = !strncmp(want, "no", 2) && !want[2 + strspn(want + 2, " ")];

	if (explain_is_step(step, "ask", &arg))
		fprintf(x->out, "%u. The server is told to ask the peer for \"%s\"", ++x->step, arg);
	else if (explain_is_step(step, "set", &arg))
		fprintf(x->out, "%u. The server's switch is set: \"%s\"", ++x->step, arg);
	else if (explain_is_step(step, "await", &arg))
		fprintf(x->out, "%u. A message of the server's own accord must come", ++x->step);
	else if (explain_is_step(step, "quiet", &arg))
		fprintf(x->out, "%u. Nothing may come for some time", ++x->step);
	else if (explain_is_step(step, "minutes", &arg))
		fprintf(x->out, "%u. Nothing may come for two minutes (with --subset, five seconds)",
			++x->step);
	else if (explain_is_step(step, "hear", &arg))
		fprintf(x->out, "%u. From now on a REQXCH that asks for nothing counts, too", ++x->step);
	else
		return false;
	if (no)
		fputs(", and refuses", x->out);
	else if (*want)
		fputs(": ", x->out), explain_want(x, want);
	fputc('.', x->out);
	explain_line(x, 2);
	return true;
}

/**
 * one_step - explain a step of a script
 * @x: the explanation
 * @step: "TEMPLATE => WANT"
 */
static void one_step(struct explainer *x, char *step)
{
	char *want = strstr(step, "=>");

	if (!want) {
		explain_bad(x, step);
		return;
	}
	*want = '\0';
	want += 2 + strspn(want + 2, " ");
	if (own_step(x, step, want))
		return;
	if (strstr(step, "also"))
		explain_step(x, "One more answer has to come to that.");
	else
		explain_message(x, "The peer sends", step);
	fputs("Wanted: ", x->out);
	explain_want(x, want);
	fputc('.', x->out);
	explain_line(x, 5);
}

/**
 * script - explain a script
 * @x: the explanation
 * @text: the script
 */
static void script(struct explainer *x, const char *text)
{
	char step[STEP_SIZE];

	while (tmpl_next(&text, step, sizeof(step))) {
		one_step(x, step);
		x->env.xid += 8;
	}
}

/**
 * reverse - explain the script of a reverse Call
 * @x: the explanation
 * @text: "ANSWERS => WANT", where a message in answer is in brackets
 */
static void reverse(struct explainer *x, const char *text)
{
	char all[STEP_SIZE], step[STEP_SIZE], *want, *e;
	const char *list = all;

	snprintf(all, sizeof(all), "%s", text);
	want = strstr(all, "=>");
	if (!want) {
		explain_bad(x, text);
		return;
	}
	*want = '\0';
	want += 2 + strspn(want + 2, " ");
	explain_step(x, "The peer holds a delegation and has the server recall it by a reverse Call.");
	while (tmpl_next(&list, step, sizeof(step)))
		if (step[strspn(step, " ")])
			explain_message(x, "It answers the Call by", step);
	fputs("Wanted: ", x->out);
	e = strchr(want, ']');
	if (*want == '[' && e) {
		*e = '\0';
		x->wants = wants;
		explain_want(x, want + 1);
		fputs(", and then: ", x->out);
		want = e + 1;
	}
	x->wants = reverse_wants;
	explain_want(x, want);
	fputc('.', x->out);
	explain_line(x, 5);
}

/**
 * long_call - explain the script of a long reverse Call
 * @x: the explanation
 * @k: the case, with "ANSWERS => WANTS => OUTCOME"
 */
static void long_call(struct explainer *x, const struct cli_case *k)
{
	char all[STEP_SIZE], step[STEP_SIZE], *wanted, *outcome;
	const char *list = all, *next;

	snprintf(all, sizeof(all), "%s", k->script);
	wanted = strstr(all, "=>");
	outcome = wanted ? strstr(wanted + 2, "=>") : NULL;
	if (!outcome) {
		explain_bad(x, k->script);
		return;
	}
	*wanted = *outcome = '\0';
	explain_step(x, k->mem ?
		     "The server is told to make a reverse Call, which goes by MSG." :
		     "The server is told to make a reverse Call that takes several transmissions.");
	while (tmpl_next(&list, step, sizeof(step)))
		if (step[strspn(step, " ")])
			explain_message(x, "The peer answers it by", step);
	next = wanted + 2;
	while (tmpl_next(&next, step, sizeof(step))) {
		if (!step[strspn(step, " ")])
			continue;
		fputs("Wanted: ", x->out);
		explain_want(x, step);
		fputc('.', x->out);
		explain_line(x, 5);
	}
	x->wants = long_wants;
	fputs("Then: ", x->out);
	explain_want(x, outcome + 2);
	fputc('.', x->out);
	explain_line(x, 5);
}

/**
 * start - explain how a case starts
 * @x: the explanation
 * @k: the case
 */
static void start(struct explainer *x, const struct cli_case *k)
{
	explain_say(x, 2, "The peer is a client of the server under test. %s",
		    k->flags & C_RAW ? "The connection is new, and nothing has been sent on it." :
		    "The connection has begun with an honest INITXCH.");
	explain_flags(x, flags, k->flags);
	if (k->lay)
		explain_layout(x, k->lay);
	if (k->mem && k->flags & C_REV)
		script(x, k->mem);
	else if (k->mem && !(k->flags & C_LONG))
		explain_bytes(x, "Memory 0 holds", k->mem);
}

/**
 * explain_cli - explain a case of the client role
 * @what: the case
 *
 * Return: 0, or -1 if there are no words for something in it.
 */
int explain_cli(const void *what)
{
	const struct cli_case *k = what;
	struct explainer x;

	explain_begin(&x, what);
	x.wants = wants;
	start(&x, k);
	if (k->script && k->flags & C_REV)
		reverse(&x, k->script);
	else if (k->script && k->flags & C_LONG)
		long_call(&x, k);
	else if (k->script)
		script(&x, k->script);
	explain_docs(&x, what, k->run);
	explain_say(&x, 2, "In the end %sa NULL call of a second client must be answered.",
		    k->flags & C_NOEND ? "" :
		    "a NULL call must be answered on the same connection (on a new one, if it was closed), and ");
	return explain_end(&x, what);
}
