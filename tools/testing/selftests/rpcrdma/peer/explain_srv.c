// SPDX-License-Identifier: GPL-2.0
/* --explain for the server role: see server.h and steps.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "srv_place.h"

#define STEP_SIZE	4096

static const struct flag flags[] = {
	{ S_V1, "In the end it has to speak version 1." },
	{ S_DISC, "The client has to close that connection, and to make another one." },
	{ S_NOMNT, "The mount must fail." },
	{ S_BACK, "The client has to answer the INITXCH of the peer's own." },
	{ S_ANYERR, "The operation may also end well." },
	{ S_HOLD, "Calls are left unanswered for a while, to see how many come: no more than were granted may." },
	{ S_ALWAYS, "This is done to every such reply." },
	{ S_MAYDISC, "The client may close the connection." },
	{ S_RACE, "If that reply takes effect, the client must have sent the Call again first. All is done again then, up to five times." },
	{ S_SERIES, "This is done again for each length." },
	{ S_V41, "The mount is NFSv4.1, whose callback service answers reverse Calls." },
	{ S_ANYBACK, "The client may send any ERROR." },
	{ S_RT, "Only where the client advertises placement by Send (RTRSUPP)." },
	{ S_CHUNKS, "The client is told to place nothing: its data goes by chunks." },
	{ S_CONT, "Only where the client's RTRSUPP has continuation." },
	{ S_ROOM, "Only for calls that leave their replies two Sends." },
	{ S_ACL, "The mount knows NFSACL." },
	{ }
};

/* Procedures whose replies are replaced */
static const struct {
	u32 proc;
	const char *name;
} procs[] = {
	{ NFS3_GETATTR, "GETATTR" }, { NFS3_SETATTR, "SETATTR" },
	{ NFS3_LOOKUP, "LOOKUP" }, { NFS3_ACCESS, "ACCESS" },
	{ NFS3_READ, "READ" }, { NFS3_WRITE, "WRITE" },
	{ NFS3_READDIR, "READDIR" }, { NFS3_FSSTAT, "FSSTAT" },
	{ NFS3_FSINFO, "FSINFO" }, { NFS3_PATHCONF, "PATHCONF" },
	{ NFS3_COMMIT, "COMMIT" }, { NFS4_COMPOUND, "COMPOUND" },
};

static const char * const errors[] = {
	[E_VERS] = "VERS", [E_XDR] = "BAD_XDR", [E_CANT] = "CANT_REPLY",
	[E_PROC] = "INVAL_PROC", [E_OPT] = "INVAL_OPTION",
};

/* What an honest reply must be */
static const char * const needs[] = {
	[T_EXRW] = "an item moved by RDMA", [T_TBSN] = "an item placed by Send",
	[T_CHOICE] = "a choice", [T_TOOSHORT] = "an item that is too short to be moved",
	[T_NOITEM] = "no item where there could be one",
	[USED_PLAIN] = "an XMTRESP without items", [USED_ITEM] = "an XMTRESP with an item",
};

static const char * const hows[] = {
	[HOW_EXRW] = "Honest replies move data by RDMA.",
	[HOW_INLINE] = "Honest replies leave data in the payload.",
	[HOW_PARTS] = "Honest replies come in several transmissions.",
};

static const char * const reads[] = {
	[T_EXRW] = "The client is set to offer memory for READs.",
	[T_TBSN] = "The client is set to take READs by Send.",
	[T_CHOICE] = "The client is set to offer memory for READs beside places in its receives.",
	[T_BYSIZE] = "The client is set to have READs go by their size.",
};

/* Words of a list of messages that send nothing */
static const struct saying lists[] = {
	{ "pause", "It sends nothing for one and a half seconds." },
	{ "close", "It closes the connection." },
	{ "together", "What follows is sent in one go." },
	{ "answered ", "Now it is sent, and $0 answers have to come." },
	{ "answered", "Now it is sent, and as many answers have to come." },
	{ "await ", "$0 answers have to come." },
	{ "await", "An answer has to come." },
	{ "repeat ", "All of that is done $0 times, unless the client closes the connection." },
	{ }
};

/* What the Calls of an operation were like */
static const struct saying seen[] = {
	{ "long", "there was a Long Call" },
	{ "chunk", "a Reply chunk was offered" },
	{ "nochunk", "no Reply chunk was offered" },
	{ "group", "the last XMTREQ took several transmissions" },
	{ }
};

/**
 * aside - explain a word of a list that sends nothing
 * @x: the explanation
 * @w: the word
 *
 * Return: true if it is one.
 */
static bool aside(struct explainer *x, const char *w)
{
	const struct saying *s;

	for (s = lists; s->word; s++)
		if (!strncmp(w, s->word, strlen(s->word))) {
			fprintf(x->out, "%u. ", ++x->step);
			says(x->out, s->says, w + strlen(s->word));
			explain_line(x, 2);
			return true;
		}
	return false;
}

/**
 * list - explain a list of messages
 * @x: the explanation
 * @text: the list
 */
static void list(struct explainer *x, const char *text)
{
	char one[STEP_SIZE];
	const char *w;

	if (!*text)
		explain_step(x, "It says nothing at all.");
	while (tmpl_next(&text, one, sizeof(one))) {
		w = one + strspn(one, " ");
		if (!*w)
			continue;
		if (aside(x, w))
			continue;
		explain_message(x, "It sends", one);
	}
}

/**
 * alternatives - explain lists that are parted by bars
 * @x: the explanation
 * @text: the lists
 * @what: what each of them is for
 */
static void alternatives(struct explainer *x, const char *text, const char *what)
{
	bool several = strchr(text, '|');
	char one[STEP_SIZE];
	unsigned int i = 0;
	bool more;

	do {
		more = srv_alternative(text, i++, one, sizeof(one));
		if (several)
			explain_say(x, 2, "To %s number %u%s:", what, i,
				    more ? "" : " and later ones");
		list(x, one);
	} while (more);
}

/**
 * probe - explain the answer to INITXCH
 * @x: the explanation
 * @k: the case
 */
static void probe(struct explainer *x, const struct srv_case *k)
{
	if (k->lay)
		explain_layout(x, k->lay);
	if (!k->probe)
		explain_say(x, 2, "It answers the client's INITXCH by one that is honest.");
	else
		explain_say(x, 2, "It answers the client's INITXCH so:");
	if (k->probe)
		alternatives(x, k->probe, "connection");
}

/**
 * proc_text - name a procedure
 * @proc: its number
 *
 * Return: its name.
 */
static const char *proc_text(u32 proc)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(procs); i++)
		if (procs[i].proc == proc)
			return procs[i].name;
	return "operation";
}

/**
 * conditions - explain under what circumstances a case runs
 * @x: the explanation
 * @k: the case
 */
static void conditions(struct explainer *x, const struct srv_case *k)
{
	if (k->grant)
		explain_say(x, 2, "Honest replies grant %u credit%s.", k->grant, k->grant == 1 ? "" : "s");
	if (k->io)
		explain_say(x, 2, "A READ or WRITE has up to %u bytes.", k->io);
	if (k->how)
		explain_say(x, 2, "%s", hows[k->how]);
	if (k->reads)
		explain_say(x, 2, "%s", reads[k->reads]);
	if (k->need)
		explain_say(x, 2, "Only if the honest reply is %s.", needs[k->need]);
	if (k->knobs.fail_read)
		explain_say(x, 2, "The peer's file server fails READs.");
	if (k->knobs.most)
		explain_say(x, 2, "The peer's file server returns %u bytes of a READ at most.", k->knobs.most);
}

/**
 * disturbance - explain an operation and what is done to it
 * @x: the explanation
 * @k: the case
 */
static void disturbance(struct explainer *x, const struct srv_case *k)
{
	if (k->flags & S_V41)
		fputs("The client mounts", x->out);
	else
		fputs("An application on the mount ", x->out);
	if (!(k->flags & S_V41))
		explain_op(x, k->op ? k->op : "stat");
	fputc('.', x->out);
	explain_line(x, 2);
	if (!k->reply)
		return;
	explain_say(x, 2, "Where %s %s is to be answered, the peer does this instead:",
		    k->op && strchr(k->op, ' ') ? "the last one's" : "its", proc_text(k->proc));
	alternatives(x, k->reply, "such a reply");
}

/**
 * back_text - explain what the client has to send
 * @x: the explanation
 * @k: the case
 */
static void back_text(struct explainer *x, const struct srv_case *k)
{
	const char *answers = k->answers ? k->answers : "";
	char one[256];

	while (tmpl_next(&answers, one, sizeof(one))) {
		fputs("Wanted from the client: ", x->out);
		explain_want(x, one);
		fputc('.', x->out);
		explain_line(x, 2);
	}
	if (k->back)
		explain_say(x, 2, "Wanted from the client: ERROR with %s.", errors[k->back]);
	else if (!k->answers && !k->steps && !(k->flags & (S_BACK | S_ANYBACK)))
		explain_say(x, 2, "Nothing but its Calls may come from the client.");
}

/**
 * outcome - explain how it has to end
 * @x: the explanation
 * @k: the case
 */
static void outcome(struct explainer *x, const struct srv_case *k)
{
	if (k->want)
		explain_say(x, 2, "%s has to fail: %s.", k->flags & S_NOMNT ? "The mount" : "The operation",
			    strerror(k->want));
	else if (!(k->flags & S_NOMNT) && !k->steps)
		explain_say(x, 2, "The operation has to end well.");
	back_text(x, k);
}

/**
 * want_seen - explain what the Calls of an operation have to be like
 * @x: the explanation
 * @want: SEEN of steps.c
 */
static void want_seen(struct explainer *x, const char *want)
{
	unsigned int lo, hi;

	if (sscanf(want, "%u..%u", &lo, &hi) == 2)
		fprintf(x->out, "the longest Send had %u to %u bytes", lo, hi);
	else if (says_word(x->out, seen, want))
		explain_bad(x, want);
}

/**
 * kill_text - explain the step "kill"
 * @x: the explanation
 * @what: what is killed
 * @none: no Call may come
 */
static void kill_text(struct explainer *x, const char *what, bool none)
{
	bool group = !strncmp(what, "group ", 6);

	fputs("An application ", x->out);
	explain_op(x, what + 6 * group);
	fprintf(x->out, ", and is killed when %s. %s",
		group ? "all transmissions of its Call have come" : "its Call has come",
		none ? "But no Call may come." : "The Call is not answered.");
}

/**
 * sent - explain the step of a template
 * @x: the explanation
 * @t: the template
 * @want: the answer that is wanted, or nothing
 */
static void sent(struct explainer *x, const char *t, const char *want)
{
	list(x, t);
	if (*want) {
		fputs("Wanted: ", x->out);
		explain_want(x, want);
	} else {
		fputs("No answer is wanted", x->out);
	}
	fputc('.', x->out);
	explain_line(x, 5);
}

/**
 * one_step - explain a step
 * @x: the explanation
 * @step: its text
 */
static void one_step(struct explainer *x, char *step)
{
	char *want = strstr(step, "=>"), *end;
	const char *arg;

	if (want) {
		*want = '\0';
		want += 2 + strspn(want + 2, " ");
		want[strcspn(want, " ")] = '\0';
	} else {
		want = "";
	}
	for (end = step + strlen(step); end > step && end[-1] == ' '; )
		*--end = '\0';
	if (explain_is_step(step, "ask", &arg))
		explain_step(x, "The client is told to ask for \"%s\"%s.", arg, *want ? ", and refuses" : "");
	else if (explain_is_step(step, "set", &arg))
		explain_step(x, "The client's switch is set: \"%s\".", arg);
	else if (explain_is_step(step, "quiet", &arg))
		explain_step(x, "Nothing may come for some time.");
	else if (explain_is_step(step, "minutes", &arg))
		explain_step(x, "Nothing may come for two minutes (with --subset, five seconds).");
	else if (explain_is_step(step, "hear", &arg))
		explain_step(x, "From now on a REQXCH that asks for nothing counts, too.");
	else if (explain_is_step(step, "pause", &arg))
		explain_step(x, "Three seconds go by.");
	else if (explain_is_step(step, "late", &arg))
		explain_step(x, "All these Calls are answered now.");
	else if (explain_is_step(step, "answer", &arg))
		sent(x, arg, "");
	else if (explain_is_step(step, "await", &arg)) {
		fprintf(x->out, "%u. A message of the client's own accord must come: ", ++x->step);
		explain_want(x, arg);
		explain_say(x, 2, ".");
	} else if (explain_is_step(step, "do", &arg)) {
		fprintf(x->out, "%u. An application ", ++x->step);
		explain_op(x, arg);
		fputs(*want ? "; wanted: " : "", x->out);
		if (*want)
			want_seen(x, want);
		explain_say(x, 2, ".");
	} else if (explain_is_step(step, "kill", &arg)) {
		fprintf(x->out, "%u. ", ++x->step);
		kill_text(x, arg, !strcmp(want, "none"));
		explain_line(x, 2);
	} else {
		sent(x, step, want);
	}
}

/**
 * steps - explain the steps of a case
 * @x: the explanation
 * @text: the steps
 */
static void steps(struct explainer *x, const char *text)
{
	char step[STEP_SIZE];

	while (tmpl_next(&text, step, sizeof(step))) {
		if (step[strspn(step, " ")])
			one_step(x, step);
		x->env.xid += 16;
	}
}

/**
 * explain_srv - explain a case of the server role
 * @what: the case
 *
 * Return: 0, or -1 if there are no words for something in it.
 */
int explain_srv(const void *what)
{
	const struct srv_case *k = what;
	struct explainer x;

	explain_begin(&x, what);
	explain_say(&x, 2, "The peer is the server that the client under test mounts from.");
	probe(&x, k);
	conditions(&x, k);
	if (k->steps)
		steps(&x, k->steps);
	else
		disturbance(&x, k);
	outcome(&x, k);
	explain_flags(&x, flags, k->flags);
	explain_docs(&x, what, k->check);
	if (!(k->flags & S_NOMNT))
		explain_say(&x, 2, "In the end another operation has to work%s.",
			    k->flags & (S_DISC | S_MAYDISC) ? "" : " on the same connection");
	return explain_end(&x, what);
}
