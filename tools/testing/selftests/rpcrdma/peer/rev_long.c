// SPDX-License-Identifier: GPL-2.0
/* Client role: takes reverse Calls that are longer than a Send, see rev_long.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rev_long.h"
#include "tmpl.h"
#include "want_place.h"

#define SOON_MS		60000
#define QUIET_MS	300

struct rev_long rev;

/**
 * rev_answer - answer a reverse Call
 * @s: the client
 * @xid: its xid
 * @xmt: by XMTRESP
 */
void rev_answer(struct cli *s, u32 xid, bool xmt)
{
	struct buf b;

	buf_init(&b, 256);
	wire_fixed(&b, xid, 2, rev.grant, xmt ? P_OPTIONAL : P_MSG);
	buf_u32(&b, DIR_REPLY);
	if (xmt) {
		buf_u32(&b, O_XMTRESP);
		buf_u32(&b, 12);
		buf_u32(&b, 0);
		buf_u32(&b, 1);
		buf_u32(&b, 24);
	} else {
		buf_fill(&b, 0, 16);
	}
	buf_u32(&b, xid);
	buf_u32(&b, DIR_REPLY);
	buf_fill(&b, 0, 16);	/* accepted, no verifier, success */
	conn_send(s->c, b.p, b.len, NULL);
	buf_free(&b);
}

/**
 * call_fault - hold a reverse Call that is complete against the protocol
 * @s: the client
 *
 * Return: what is wrong with it, or NULL.
 */
static const char *call_fault(struct cli *s)
{
	const char *bad;
	struct fault f;
	struct buf b;

	if (group_whole(&rev.g, &s->lay, &f))
		return f.what;
	bad = group_manners(&rev.g, &s->lay);
	if (bad)
		return bad;
	if (rev.g.x.nitems || rev.g.x.nsets)
		return "placement in a reverse Call";
	if (!rev.g.x.rsbuf || rev.g.x.rsbuf > s->lay.limit)
		return "rsbuf is 0, or above our RESPSXLIM";
	buf_init(&b, 2 * LONG);
	if (group_message(&rev.g, &s->lay, NULL, NULL, &b))
		bad = "a reverse Call that cannot be put together";
	else if (b.len < rev.least)
		bad = "not all of a reverse Call";
	buf_free(&b);
	return bad;
}

/**
 * keep_call - keep a Call for later
 * @xid: its xid
 */
static void keep_call(u32 xid)
{
	if (rev.nr_kept < REV_GRANT)
		rev.kept[rev.nr_kept++] = xid;
}

/**
 * whole_call - a reverse Call is complete
 * @s: the client
 *
 * Return: what is wrong with it, or NULL.
 */
static const char *whole_call(struct cli *s)
{
	const char *bad = call_fault(s);
	u32 xid = rev.g.xid;

	if (bad)
		return bad;
	rev.count = rev.g.n;
	rev.whole++;
	group_free(&rev.g);
	if (rev.keep) {
		keep_call(xid);
		return NULL;
	}
	rev.out -= rev.count;
	rev_answer(s, xid, rev.whole % 2);
	return NULL;
}

/**
 * take_call - take a transmission of a reverse Call
 * @s: the client
 * @m: the message
 * @h: the same taken apart
 *
 * Short ones may be of nfsd.
 *
 * Return: what is wrong with it, or NULL.
 */
static const char *take_call(struct cli *s, const struct rmsg *m,
			     const struct hdr *h)
{
	struct fault f;
	bool bad;

	if (h->proc == P_MSG && rev.g.n)
		return "a message inside a group";
	if (h->proc == P_MSG && rev.short_too) {
		keep_call(h->xid);
		return NULL;
	}
	if (h->proc == P_MSG) {
		rev_answer(s, h->xid, false);
		return NULL;
	}
	if (++rev.out > rev.grant)
		return "more transmissions than granted";
	if (!rev.g.n)
		bad = group_first(&rev.g, h, m->data, m->len, &s->lay,
				  s->lay.limit, &f);
	else
		bad = group_next(&rev.g, h, m->data, m->len, &f);
	if (bad)
		return f.what;
	return rev.g.n == rev.g.x.count ? whole_call(s) : NULL;
}

/**
 * start_calls - tell the server to call back
 * @text: how
 *
 * Return: the process that waits for the end of that.
 */
static pid_t start_calls(const char *text)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		execl(cfg.on_server, cfg.on_server, text, NULL);
		_exit(127);
	}
	return pid;
}

/**
 * running - take what comes, until the server is done
 * @s: the client
 * @pid: the process that waits for it
 * @status: gets how that has ended
 *
 * Return: false if it has.
 */
static bool running(struct cli *s, pid_t pid, int *status)
{
	struct rmsg *m = cli_wait(s, 5);

	if (m)
		cli_fail(s, "not a reverse Call", m);
	free(m);
	return waitpid(pid, status, WNOHANG) != pid;
}

/**
 * await_end - wait until the server is done, and see that all is as it should be
 * @s: the client
 * @pid: the process that waits for it
 * @ms: how long that may take
 */
static void await_end(struct cli *s, pid_t pid, int ms)
{
	u64 end = now_ms() + ms;
	int status = 0;
	bool more = true;

	while (more && !s->r->v && !s->c->gone && now_ms() < end)
		more = running(s, pid, &status);
	if (!s->r->v && (more || status))
		result_fail(s->r, "%u Calls came, and the server says: status %x%s%s",
			    rev.whole, more ? -1 : status,
			    s->c->gone ? ", " : "", s->c->gone ? s->c->why : "");
}

/**
 * rev_call_back - have the server call back, and take what comes
 * @s: the client
 * @text: how it is told to; fails if the outcome is not as it should be
 */
void rev_call_back(struct cli *s, const char *text)
{
	u64 end = now_ms() + 2 * cfg.timeout;
	pid_t pid = start_calls(text);
	int status;

	if (!rev.ends) {
		await_end(s, pid, 2 * cfg.timeout);
		return;
	}
	while (!s->r->v && !s->c->gone && now_ms() < end)
		free(cli_wait(s, 5));
	waitpid(pid, &status, 0);
	if (!s->r->v && !s->c->gone)
		result_fail(s->r, "the server keeps the connection");
}

/**
 * rev_credits_left - as many short Calls come as there are credits left
 * @s: the client
 * @n: how many; the server has eight of them to make
 *
 * The others come when these are answered.
 */
void rev_credits_left(struct cli *s, u32 n)
{
	u64 end = now_ms() + cfg.timeout;
	u32 before = rev.nr_kept;
	pid_t pid = start_calls(FLOOD("8", "8", "0", "20000", "answered: 8"));
	int status;

	rev.short_too = true;
	while (!s->r->v && rev.nr_kept < before + n && now_ms() < end)
		running(s, pid, &status);
	end = now_ms() + QUIET_MS;
	while (!s->r->v && now_ms() < end)
		running(s, pid, &status);
	rev.short_too = false;
	if (!s->r->v && rev.nr_kept != before + n)
		result_fail(s->r, "%u short Calls, where %u credits are left",
			    rev.nr_kept - before, n);
	while (rev.nr_kept > before)
		rev_answer(s, rev.kept[--rev.nr_kept], false);
	await_end(s, pid, 2 * cfg.timeout);
}

/**
 * rev_begin - get the server to grant what long Calls take
 * @s: the client
 * @x: gets the session
 *
 * Return: 0, or -1.
 */
int rev_begin(struct cli *s, struct session *x)
{
	struct deleg d;

	group_free(&rev.g);
	memset(&rev, 0, sizeof(rev));
	rev.grant = REV_GRANT;
	rev.least = LONG;
	s->stained = true;
	s->reverse = take_call;
	if (session_open(x, s) || session_delegate(x, &d) ||
	    session_return(x, &d))
		return -1;
	/* The server knows our grant once we have answered something. */
	rev_call_back(s, SHORT);
	return s->r->v ? -1 : 0;
}

/**
 * send_answers - answer the Call that was kept
 * @s: the client
 * @list: templates
 */
static void send_answers(struct cli *s, const char *list)
{
	struct tmpl_env env = {
		.c = s->c, .xid = rev.kept[0], .honest_hlen = 36,
		.lay = &s->peer_lay, .peer = &s->peer,
	};
	struct buf due;
	char one[1024];

	buf_init(&due, 64);
	wire_fixed(&due, env.xid, 2, rev.grant, P_MSG);
	buf_u32(&due, DIR_REPLY);
	buf_fill(&due, 0, 16);
	buf_u32(&due, env.xid);
	buf_u32(&due, DIR_REPLY);
	buf_fill(&due, 0, 16);
	env.honest = &due;
	while (!s->r->v && tmpl_next(&list, one, sizeof(one))) {
		if (tmpl_build(&s->sent, one, &env)) {
			result_fail(s->r, "bad template: %s", one);
			break;
		}
		want_sent(s->sent.p, s->sent.len, &s->peer_lay, &s->peer);
		conn_send(s->c, s->sent.p, s->sent.len, NULL);
	}
	buf_free(&due);
}

/**
 * expect_messages - these must come, one after the other
 * @s: the client
 * @wants: what they must be, parted by semicolons
 */
static void expect_messages(struct cli *s, const char *wants)
{
	char one[128];
	struct rmsg *m;

	s->sent_ok = false;
	while (!s->r->v && tmpl_next(&wants, one, sizeof(one))) {
		m = cli_wait(s, cfg.timeout);
		if (!m || !cli_matches(s, one, m))
			cli_fail(s, one, m);
		free(m);
	}
}

/**
 * expect_outcome - see what becomes of the Call
 * @s: the client
 * @pid: the process that waits for it
 * @outcome: what must
 */
static void expect_outcome(struct cli *s, pid_t pid, const char *outcome)
{
	u64 end = now_ms() + QUIET_MS;
	bool wait = !strcmp(outcome, "wait");
	int status;

	while (wait && !s->r->v && now_ms() < end)
		if (!running(s, pid, &status))
			result_fail(s->r, "the Call ended too early");
	if (s->r->v)
		return;
	if (wait)
		rev_answer(s, rev.kept[0], true);
	await_end(s, pid, SOON_MS);
}

/**
 * one_call - have a Call made, and answer it as a script says
 * @s: the client
 * @k: the case
 *
 * Return: what must become of it.
 */
static const char *one_call(struct cli *s, const struct cli_case *k)
{
	char text[256], parts[3][2048];
	const char *outcome, *p = k->script, *e;
	u64 end = now_ms() + cfg.timeout;
	pid_t pid;
	int i;

	for (i = 0; i < 3; i++) {
		e = strstr(p, "=>");
		snprintf(parts[i], sizeof(parts[i]), "%.*s",
			 (int)(e ? (size_t)(e - p) : strlen(p)), p);
		p = e ? e + 2 : "";
	}
	outcome = strrchr(k->script, ' ') + 1;
	snprintf(text, sizeof(text), FLOOD("1", "1", "%d", "20000", "%s: 1"),
		 k->mem ? 0 : LONG,
		 strchr("ow", *outcome) && strcmp(outcome, "off") ?
		 "answered" : "failed");
	rev.keep = true;
	rev.short_too = k->mem;
	pid = start_calls(text);
	while (!rev.nr_kept && !s->r->v && !s->c->gone && now_ms() < end)
		free(cli_wait(s, 5));
	if (!rev.nr_kept)
		result_fail(s->r, "no reverse Call comes");
	send_answers(s, parts[0]);
	expect_messages(s, parts[1]);
	expect_outcome(s, pid, outcome);
	rev.keep = rev.short_too = false;
	rev.out = 0;
	return outcome;
}

/**
 * run_rev_long - have a long Call made, and answer it as a script says
 * @s: the client
 * @k: the case; with @mem set the Call is a short one
 *
 * Return: 0, or -1.
 */
int run_rev_long(struct cli *s, const struct cli_case *k)
{
	const char *outcome;
	struct session x;
	unsigned int came;

	if (rev_begin(s, &x))
		return -1;
	outcome = one_call(s, k);
	came = rev.whole;
	if (!s->r->v && !strcmp(outcome, "off")) {
		rev_call_back(s, FLOOD("1", "1", "65536", "1000", "failed: 1"));
		if (rev.whole != came)
			result_fail(s->r, "a long Call came after that");
	} else if (!s->r->v) {
		rev_call_back(s, FLOOD("2", "1", "65536", "20000", "answered: 2"));
	}
	if (!s->r->v)
		rev_call_back(s, SHORT);
	if (!s->r->v)
		session_close(&x);
	return s->r->v ? -1 : 0;
}
