// SPDX-License-Identifier: GPL-2.0
/*
 * Server role: cases in which messages count that the client sends of its own
 * accord. A case is a list of steps, parted by semicolons:
 *
 *  ask NAME VALUE        the client is told to ask us for that
 *  ask NAME VALUE => no  and refuses
 *  set NAME VALUE        a switch of the client's, below /proc/sys/sunrpc
 *  await WANT            this has to come next, see want.h
 *  quiet                 nothing comes
 *  hear                  from now on REQXCHs that ask for nothing count, too
 *  pause                 time passes
 *  minutes               more time than anybody waits, or with --subset some
 *                        seconds; nothing comes
 *  do OP => SEEN         an operation on the mount, see app_do()
 *  kill OP               one that is killed when its Call has come, which is
 *                        not answered
 *  kill OP => none       and none must come
 *  kill group OP         one whose Call takes several transmissions; others are
 *                        answered
 *  late                  all these Calls are answered now
 *  answer TEMPLATE       the first of these Calls, if there are any, is answered
 *                        so, and nothing else follows; x is its xid
 *  TEMPLATE => WANT      a message of ours, and its answer; there must be none
 *                        where nothing is wanted
 *
 * In a TEMPLATE x is an xid of our own, and q that of the message that was
 * awaited last, or of the last group that was not answered. SEEN is what the Calls of the operation were like:
 *
 *  LO..HI   the longest Send had so many bytes
 *  long     there was a Long Call
 *  chunk    a Reply chunk was offered
 *  nochunk  there was none
 *  group    the last request by XMTREQ took several transmissions
 *
 * Requests that the client might make by itself are switched off unless the
 * steps set rdma_ask_recv_size.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "rpc.h"
#include "server.h"
#include "tmpl.h"
#include "want.h"

#define SWITCHES	"/proc/sys/sunrpc/"
#define TEST_SWITCHES	"/sys/kernel/debug/rpcrdma2/settings/"
#define PLACEMENT	"rdma_placement_mem_kb"
#define READ_TYPE	"rdma_placement_read_type"
#define PATIENCE	"continuation_timeout"
#define READ_MIN	"rdma_placement_read_min"
#define WRITE_MIN	"rdma_placement_write_min"
#define SHORT_READ	4096
#define SHORT_WRITE	2048
#define DEBUGFS		"/sys/kernel/debug/rpcrdma2/client/*"
#define STEP_XID	0x7d000000
#define ANSWER_MS	20000
#define IDLE_MS		500
#define UNASKED_MS	3000
#define AWAIT_OPS	60
#define TRAFFIC		"read131072"

/* Switches that cases set, and what they were before the first one */
static struct {
	const char *name;
	int before;
} switches[] = {
	{ "rdma_recv_size", -1 }, { "rdma_max_recv_size", -1 },
	{ "rdma_ask_recv_size", -1 }, { PLACEMENT, -1 }, { READ_TYPE, -1 },
	{ PATIENCE, -1 }, { READ_MIN, -1 }, { WRITE_MIN, -1 },
	{ "rdma_probe_again", -1 },
};

/**
 * open_switch - open a switch of the client's
 * @name: its name: of a sysctl, or of what is in debugfs, since only tests set
 *	it; rdma_NAME in a script is client_NAME there
 * @mode: as for fopen()
 *
 * Return: the file, or NULL.
 */
static FILE *open_switch(const char *name, const char *mode)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), SWITCHES "%s", name);
	f = fopen(path, mode);
	if (f)
		return f;
	if (strncmp(name, "rdma_", 5))
		snprintf(path, sizeof(path), TEST_SWITCHES "%s", name);
	else
		snprintf(path, sizeof(path), TEST_SWITCHES "client_%s", name + 5);
	return fopen(path, mode);
}

/**
 * set_switch - set a switch of the client's
 * @name: its name
 * @value: the value
 *
 * Return: 0, or -1.
 */
static int set_switch(const char *name, int value)
{
	FILE *f = open_switch(name, "w");

	if (!f)
		return -1;
	fprintf(f, "%d\n", value);
	return fclose(f) ? -1 : 0;
}

/**
 * steps_start - note how the switches stand; before that none is touched
 */
void steps_start(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(switches); i++) {
		FILE *f = open_switch(switches[i].name, "r");

		if (!f || fscanf(f, "%d", &switches[i].before) != 1)
			switches[i].before = -1;
		if (f)
			fclose(f);
	}
}

/**
 * steps_reset - put the switches back
 */
void steps_reset(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(switches); i++)
		if (switches[i].before >= 0)
			set_switch(switches[i].name, switches[i].before);
}

/**
 * before - how a switch stood before the first case
 * @name: its name
 *
 * Return: its value, or -1 if there is no such switch.
 */
static int before(const char *name)
{
	size_t i = 0;

	while (strcmp(switches[i].name, name))
		i++;
	return switches[i].before;
}

/**
 * steps_placement - choose whether the client places data by Send
 * @on: as it did before the first case; else it does not
 *
 * This holds for connections that it makes from now on.
 */
void steps_placement(bool on)
{
	int kb = before(PLACEMENT);

	if (kb > 0)
		set_switch(PLACEMENT, on ? kb : 0);
}

/**
 * steps_read_type - choose how READs of the client may have their data
 * @type: T_*, or 0 for what it was before the first case
 *
 * This holds for READs that it begins from now on.
 */
void steps_read_type(u32 type)
{
	int usual = before(READ_TYPE);

	if (usual >= 0)
		set_switch(READ_TYPE, type ? (int)type : usual);
}

/**
 * steps_patience - choose how long the client leaves a message incomplete
 * @seconds: so long, or 0 for what it was before the first case
 *
 * This holds for messages that begin from now on.
 */
void steps_patience(u32 seconds)
{
	int usual = before(PATIENCE);

	if (usual >= 0)
		set_switch(PATIENCE, seconds ? (int)seconds : usual);
}

/**
 * shorten - choose from which length on data of the client may be placed
 * @name: the switch
 * @on: from @most on, or from less if it is so before the first case; else as
 *	it was then
 * @most: the length, in bytes
 */
static void shorten(const char *name, bool on, int most)
{
	int usual = before(name);

	if (usual >= 0)
		set_switch(name, on && usual > most ? most : usual);
}

/**
 * steps_short - choose whether short READs and WRITEs of the client may be placed
 * @on: those of a page, and of half a page; else as it was before the first case
 *
 * This holds for what it begins from now on.
 */
void steps_short(bool on)
{
	shorten(READ_MIN, on, SHORT_READ);
	shorten(WRITE_MIN, on, SHORT_WRITE);
}

/**
 * is_ours - does a folder of the client's belong to our mount?
 * @dir: the folder
 * @port: port of the mount
 *
 * Return: true if so.
 */
static bool is_ours(const char *dir, int port)
{
	char path[256], line[256] = "", end[32];
	FILE *f;

	snprintf(path, sizeof(path), "%s/state", dir);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	snprintf(end, sizeof(end), " port %d\n", port);
	return strlen(line) > strlen(end) &&
	       !strcmp(line + strlen(line) - strlen(end), end);
}

/**
 * tell_client - tell the client to ask for something
 * @s: the server
 * @what: name and value
 *
 * Return: 0, or -1 if it refuses.
 */
static int tell_client(struct srv *s, const char *what)
{
	char path[256];
	glob_t g;
	size_t i;
	FILE *f = NULL;
	int bad = -1;

	if (glob(DEBUGFS, 0, NULL, &g))
		return -1;
	for (i = 0; i < g.gl_pathc && !f; i++) {
		if (!is_ours(g.gl_pathv[i], s->port))
			continue;
		snprintf(path, sizeof(path), "%s/ask", g.gl_pathv[i]);
		f = fopen(path, "w");
	}
	globfree(&g);
	if (f) {
		fputs(what, f);
		bad = fclose(f) ? -1 : 0;
	}
	return bad;
}

/**
 * serve - serve the client for some time
 * @s: the server
 * @ms: how long
 * @until: end when this is set, or NULL
 */
static void serve(struct srv *s, int ms, const unsigned int *until)
{
	u64 end = now_ms() + ms;

	while (now_ms() < end && !s->r->v && !(until && *until)) {
		srv_poll(s);
		nap();
	}
}

/**
 * step_ask - the step "ask"
 * @s: the server
 * @what: name and value
 * @want: "no" or nothing
 */
static void step_ask(struct srv *s, const char *what, const char *want)
{
	bool refused = tell_client(s, what);

	if (refused != !strcmp(want, "no"))
		result_fail(s->r, "ask %s: %s", what,
			    refused ? "refused" : "not refused");
}

/**
 * step_set - the step "set"
 * @s: the server
 * @what: name and value
 * @want: unused
 */
static void step_set(struct srv *s, const char *what, const char *want)
{
	char name[64];
	int value;

	if (sscanf(what, "%63s %d", name, &value) != 2 ||
	    set_switch(name, value))
		result_fail(s->r, "set %s", what);
}

/**
 * step_await - the step "await"
 * @s: the server
 * @what: what is wanted
 * @want: unused
 *
 * Receives are replaced as they are used up: there must be some traffic.
 */
static void step_await(struct srv *s, const char *what, const char *want)
{
	static struct hdr h;
	struct rmsg *m;
	int i;

	/* It may come by itself. Calls behind it that are answered would tell the
	 * client that it was taken, whatever the case answers.
	 */
	serve(s, UNASKED_MS, &s->heard.nr);
	for (i = 0; i < AWAIT_OPS && !s->heard.nr; i++)
		if (srv_op(s, TRAFFIC, 0))
			return;
	if (s->r->v)
		return;
	if (!s->heard.nr) {
		result_fail(s->r, "never came: %s", what);
		return;
	}
	m = heard_take(&s->heard);
	wire_decode(&h, m->data, m->len);
	if (!want_words(what, &h))
		srv_fault(s, m, what);
	s->told = h.xid;
	free(m);
}

/**
 * step_quiet - the step "quiet"
 * @s: the server
 * @what: unused
 * @want: unused
 */
static void step_quiet(struct srv *s, const char *what, const char *want)
{
	srv_op(s, "stat", 0);
	serve(s, QUIET_MS, &s->heard.nr);
	if (s->heard.nr)
		srv_fault(s, s->heard.m[0], "nothing should have come");
}

/**
 * step_hear - the step "hear"
 * @s: the server
 * @what: unused
 * @want: unused
 */
static void step_hear(struct srv *s, const char *what, const char *want)
{
	s->hears_all = true;
}

/**
 * step_pause - the step "pause"
 * @s: the server
 * @what: unused
 * @want: unused
 */
static void step_pause(struct srv *s, const char *what, const char *want)
{
	serve(s, 10 * QUIET_MS, NULL);
}

/**
 * seen - were the Calls of an operation as wanted?
 * @s: the server
 * @want: SEEN
 *
 * Return: true if so.
 */
static bool seen(struct srv *s, const char *want)
{
	size_t lo, hi;

	if (!strcmp(want, "long"))
		return s->t.nr_long;
	if (!strcmp(want, "chunk"))
		return s->t.nr_offers;
	if (!strcmp(want, "group"))
		return s->t.seen.count > 1;
	if (!strcmp(want, "nochunk"))
		return !s->t.nr_offers;
	return sscanf(want, "%zu..%zu", &lo, &hi) == 2 && s->t.longest >= lo &&
	       s->t.longest <= hi;
}

/**
 * step_do - the step "do"
 * @s: the server
 * @what: the operation
 * @want: SEEN, or nothing
 */
static void step_do(struct srv *s, const char *what, const char *want)
{
	const char *hi = strstr(want, "..");

	s->t.longest = 0;
	s->t.nr_long = 0;
	s->t.nr_offers = 0;
	s->t.seen.count = 0;
	if (hi)
		srv_current(s)->own_limit = strtoul(hi + 2, NULL, 10);
	if (!srv_op(s, what, 0) && *want && !seen(s, want))
		result_fail(s->r, "%s: not %s, but %u Long Calls, %u Reply chunks, longest Send %zu",
			    what, want, s->t.nr_long, s->t.nr_offers, s->t.longest);
}

/**
 * step_kill - the step "kill"
 * @s: the server
 * @what: the operation, or "group" and the operation
 * @want: "none" or nothing
 */
static void step_kill(struct srv *s, const char *what, const char *want)
{
	bool none = !strcmp(want, "none");
	struct sconn *sc = srv_current(s);
	unsigned int before = sc->nr_held;
	u64 end = now_ms() + (none ? 2 * IDLE_MS : cfg.timeout);
	struct app a;

	s->keeps = true;
	s->keeps_groups = !strncmp(what, "group ", 6);
	if (s->keeps_groups)
		what += 6;
	app_start(&a, what, s->dir, NULL);
	while (sc->nr_held == before && !s->r->v && now_ms() < end) {
		srv_poll(s);
		nap();
	}
	app_kill(&a);
	serve(s, QUIET_MS, NULL);
	s->keeps = false;
	if (s->keeps_groups && sc->nr_held > before)
		s->told = get_u32(sc->held[before]->data);
	if ((sc->nr_held == before) != none)
		result_fail(s->r, "kill %s: %u Calls came, %u are not answered",
			    what, sc->nr_held - before, sc->nr_held);
}

/**
 * step_late - the step "late"
 * @s: the server
 * @what: unused
 * @want: unused
 */
static void step_late(struct srv *s, const char *what, const char *want)
{
	srv_release(s, srv_current(s));
	serve(s, QUIET_MS, NULL);
}

/**
 * step_answer - the step "answer"
 * @s: the server
 * @what: the template
 * @want: unused
 */
static void step_answer(struct srv *s, const char *what, const char *want)
{
	struct sconn *sc = srv_current(s);
	struct tmpl_env env = { .c = sc->c, .told = s->told };

	if (sc->nr_held) {
		env.xid = get_u32(sc->held[0]->data);
		free(sc->held[0]);
		if (sc->held_grp[0])
			group_free(sc->held_grp[0]);
		free(sc->held_grp[0]);
		sc->nr_held--;
		memmove(sc->held, sc->held + 1, sc->nr_held * sizeof(sc->held[0]));
		memmove(sc->held_grp, sc->held_grp + 1, sc->nr_held * sizeof(sc->held_grp[0]));
	}
	srv_list(s, sc, what, &env, NULL);
	serve(s, QUIET_MS, NULL);
}

/**
 * step_send - the step of a template
 * @s: the server
 * @what: the template
 * @want: WANT of the answer, or nothing
 *
 * The client takes messages in the order in which they come: when it has got
 * the reply to another Call, it has taken ours.
 */
static void step_send(struct srv *s, const char *what, const char *want)
{
	struct sconn *sc = srv_current(s);
	struct tmpl_env env = { .c = sc->c, .told = s->told };
	char left[256];
	u64 end = now_ms() + ANSWER_MS;

	s->step_xid += 16;
	env.xid = STEP_XID + s->step_xid;
	s->answers = want;
	srv_list(s, sc, what, &env, NULL);
	while (s->answers == want && *want && !s->r->v && now_ms() < end) {
		srv_poll(s);
		nap();
	}
	if (!s->r->v)
		srv_op(s, "stat", 0);
	if (tmpl_next(&s->answers, left, sizeof(left)))
		result_fail(s->r, "never came: %s, for %s", left, what);
	s->answers = "";
}

/**
 * step_minutes - the step "minutes"
 * @s: the server
 * @what: unused
 * @want: unused
 */
static void step_minutes(struct srv *s, const char *what, const char *want)
{
	serve(s, MINUTES_MS, &s->heard.nr);
	step_quiet(s, what, want);
}

static const struct {
	const char *word;
	void (*fn)(struct srv *s, const char *what, const char *want);
} steps[] = {
	{ "ask ", step_ask },
	{ "set ", step_set },
	{ "await ", step_await },
	{ "quiet", step_quiet },
	{ "hear", step_hear },
	{ "pause", step_pause },
	{ "minutes", step_minutes },
	{ "do ", step_do },
	{ "kill ", step_kill },
	{ "late", step_late },
	{ "answer ", step_answer },
	{ "", step_send },
};

/**
 * trim - take the blanks off the end of a text
 * @t: the text
 */
static void trim(char *t)
{
	size_t n = strlen(t);

	while (n && t[n - 1] == ' ')
		t[--n] = '\0';
}

/**
 * one_step - carry out a step
 * @s: the server
 * @step: its text
 */
static void one_step(struct srv *s, char *step)
{
	char *want = strstr(step, "=>");
	size_t i = 0;

	if (want) {
		*want = '\0';
		want += 2;
		want += strspn(want, " ");
		trim(want);
	}
	trim(step);
	if (cfg.verbose)
		printf("#   step: %s\n", step);
	while (strncmp(step, steps[i].word, strlen(steps[i].word)))
		i++;
	steps[i].fn(s, step + strlen(steps[i].word), want ? want : "");
}

/**
 * srv_steps - carry out the steps of a case
 * @s: the server
 */
void srv_steps(struct srv *s)
{
	const char *list = s->k->steps;
	char step[2048];

	s->stained = true;
	s->hears_all = false;
	set_switch("rdma_ask_recv_size", DEFAULT_INLINE);
	while (!s->r->v && tmpl_next(&list, step, sizeof(step)))
		one_step(s, step);
	steps_reset();
	if (s->heard.nr)
		srv_fault(s, s->heard.m[0], "nobody waits for this");
	heard_drop(&s->heard);
}
