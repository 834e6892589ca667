// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the client role: reverse Calls that are longer than a Send.
 *
 * rpcrdma_flood has the server call back with much to say. The Calls come by
 * XMTREQ and XMTCONT, are put together, and are answered by XMTRESP and by MSG
 * in turn, or not as they should be, or when nobody waits any more.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "group.h"
#include "rpc.h"
#include "session.h"

#define LAY		"7:4096 2*4096p"
#define LONG		65536
#define GRANT		16

/* On the server: so many Calls of 64 KiB, two at a time; all are answered, or
 * none is
 */
#define FLOOD(n, what)	"f=/sys/kernel/debug/rpcrdma_flood; " \
			"echo " n " 2 65536 20000 > $f; grep -qx '" what ": " n "' $f"

/* Likewise, so many that have three seconds, and are not answered in that time */
#define EXPIRE(n)	"f=/sys/kernel/debug/rpcrdma_flood; " \
			"echo " n " " n " 65536 3000 > $f; grep -qx 'failed: " n "' $f"

/* Likewise, twenty short ones, which are answered */
#define SHORT		"f=/sys/kernel/debug/rpcrdma_flood; " \
			"echo 20 4 0 20000 > $f; grep -qx 'answered: 20' $f"

/**
 * struct rev_cont - the Calls of a case
 * @g: the one that is coming
 * @whole: how many have come
 * @out: transmissions of those that are not answered
 * @sour: template of the answers, or NULL if they are sound
 * @keep: they are not answered
 * @kept: xids of these
 * @nr_kept: how many there are
 * @ends: the server has to close the connection
 */
static struct rev_cont {
	struct group g;
	unsigned int whole;
	u32 out;
	const char *sour;
	bool keep;
	u32 kept[GRANT];
	u32 nr_kept;
	bool ends;
} rc;

/* An RPC reply that says nothing but success */
#define ACCEPTED	"x 1 0 0 0 0 "

/* Answers to a reverse Call: sound ones, and others */
#define BY_MSG		"x 2 10 0 1 0 " LISTS ACCEPTED
#define BY_XMTRESP	"x 2 10 5 1 6 [ 0 1 18 ] " ACCEPTED
#define BY_GROUP	"x 2 10 5 1 6 [ 0 2 18 ] " ACCEPTED
#define BY_REPORT	"x 2 10 5 1 8 [ x 0 0 0 4 1 2 ] "
#define BY_REFUSAL	"x 2 10 4 5 "

/**
 * answer - answer a reverse Call
 * @s: the client
 * @xid: its xid
 * @how: by this template
 */
static void answer(struct cli *s, u32 xid, const char *how)
{
	struct tmpl_env env = { .c = s->c, .xid = xid };
	struct buf b;

	buf_init(&b, 256);
	tmpl_build(&b, how, &env);
	conn_send(s->c, b.p, b.len, NULL);
	buf_free(&b);
}

/**
 * whole_call - a reverse Call is complete
 * @s: the client
 *
 * Return: what is wrong with it, or NULL.
 */
static const char *whole_call(struct cli *s)
{
	u32 n = rc.g.n, xid = rc.g.xid;
	const char *bad;
	struct fault f;
	struct buf b;
	size_t len;

	if (group_whole(&rc.g, &s->lay, &f))
		return f.what;
	bad = group_manners(&rc.g, &s->lay);
	if (bad)
		return bad;
	if (rc.g.x.nitems || rc.g.x.nsets)
		return "placement in a reverse Call";
	buf_init(&b, 2 * LONG);
	if (group_message(&rc.g, &s->lay, NULL, NULL, &b))
		return "a reverse Call that cannot be put together";
	len = b.len;
	buf_free(&b);
	if (len < LONG)
		return "not all of a reverse Call";
	group_free(&rc.g);
	rc.whole++;
	if (rc.keep) {
		rc.kept[rc.nr_kept++] = xid;
		return NULL;
	}
	rc.out -= n;
	answer(s, xid, rc.sour ? rc.sour : rc.whole % 2 ? BY_XMTRESP : BY_MSG);
	return NULL;
}

/**
 * take_call - take a transmission of a reverse Call
 * @s: the client
 * @m: the message
 * @h: the same taken apart
 *
 * Short ones are of nfsd, and just answered.
 *
 * Return: what is wrong with it, or NULL.
 */
static const char *take_call(struct cli *s, const struct rmsg *m,
			     const struct hdr *h)
{
	struct fault f;
	bool bad;

	if (h->proc == P_MSG) {
		if (rc.g.n)
			return "a message inside a group";
		answer(s, h->xid, BY_MSG);
		return NULL;
	}
	if (++rc.out > GRANT)
		return "more transmissions than granted";
	if (!rc.g.n)
		bad = group_first(&rc.g, h, m->data, m->len, &s->lay,
				  s->lay.limit, &f);
	else
		bad = group_next(&rc.g, h, m->data, m->len, &f);
	if (bad)
		return f.what;
	return rc.g.n == rc.g.x.count ? whole_call(s) : NULL;
}

/**
 * call_back - have the server call back, and take what comes
 * @s: the client
 * @text: how it is told to; fails if the outcome is not as it should be
 */
static void call_back(struct cli *s, const char *text)
{
	u64 end = now_ms() + 2 * cfg.timeout;
	int status = 0;
	pid_t pid, got = 0;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		execl(cfg.on_server, cfg.on_server, text, NULL);
		_exit(127);
	}
	while (!got && !s->r->v && !s->c->gone && now_ms() < end) {
		struct rmsg *m = cli_wait(s, 5);
		static struct hdr h;

		if (m && (!rc.sour || wire_decode(&h, m->data, m->len) ||
			  h.opttype != O_REPTERR))
			cli_fail(s, "not a reverse Call", m);
		free(m);
		got = waitpid(pid, &status, WNOHANG);
	}
	if (rc.ends) {
		while (!s->r->v && !s->c->gone && now_ms() < end)
			free(cli_wait(s, 5));
		if (!got)
			waitpid(pid, &status, 0);
		if (!s->r->v && !s->c->gone)
			result_fail(s->r, "the server keeps the connection");
		return;
	}
	if (!s->r->v && (got != pid || status))
		result_fail(s->r, "%u Calls came, and the server says: status %x%s%s",
			    rc.whole, status, s->c->gone ? ", " : "",
			    s->c->gone ? s->c->why : "");
}

/**
 * long_begin - get the server to grant what long Calls take
 * @s: the client
 * @x: gets the session
 *
 * Return: 0, or -1.
 */
static int long_begin(struct cli *s, struct session *x)
{
	struct deleg d;

	if (!cfg.on_server) {
		result_skip(s->r, "no --on-server");
		return -1;
	}
	memset(&rc, 0, sizeof(rc));
	s->stained = true;
	s->reverse = take_call;
	if (session_open(x, s) || session_delegate(x, &d) ||
	    session_return(x, &d))
		return -1;
	/* The server knows our grant once we have answered something. */
	call_back(s, SHORT);
	return s->r->v ? -1 : 0;
}

/**
 * run_long - long Calls, with short ones before and behind them
 * @s: the client
 * @text: how the server is told to make long ones
 * @least: how many have to come
 * @sour: how they are answered, or NULL
 */
static void run_long(struct cli *s, const char *text, unsigned int least,
		     const char *sour)
{
	struct session x;

	if (long_begin(s, &x))
		return;
	rc.sour = sour;
	call_back(s, text);
	if (!s->r->v && rc.whole < least)
		result_fail(s->r, "%u long Calls", rc.whole);
	rc.sour = NULL;
	group_free(&rc.g);
	if (!s->r->v)
		call_back(s, SHORT);
	if (!s->r->v)
		session_close(&x);
}

/**
 * expire - two long Calls, which the server gives up
 * @s: the client
 *
 * Return: 0, or -1.
 */
static int expire(struct cli *s)
{
	rc.keep = true;
	call_back(s, EXPIRE("2"));
	rc.keep = false;
	if (!s->r->v && rc.nr_kept != 2)
		result_fail(s->r, "%u long Calls", rc.nr_kept);
	return s->r->v ? -1 : 0;
}

/**
 * run_late - long Calls that are given up keep their credits, and no others
 * @s: the client
 */
static void run_late(struct cli *s)
{
	struct session x;

	if (long_begin(s, &x) || expire(s))
		return;
	call_back(s, SHORT);
	while (rc.nr_kept)
		answer(s, rc.kept[--rc.nr_kept], BY_MSG);
	rc.out = 0;
	if (!s->r->v)
		call_back(s, FLOOD("20", "answered"));
	if (!s->r->v)
		session_close(&x);
}

/**
 * run_stuck - long Calls that are given up leave no room for another one
 * @s: the client
 *
 * It is not sent, and when its time is up the connection is of no use.
 */
static void run_stuck(struct cli *s)
{
	struct session x;

	if (long_begin(s, &x) || expire(s))
		return;
	rc.ends = true;
	call_back(s, EXPIRE("1"));
}

/**
 * run_sound - twenty long Calls, all of which are answered
 * @s: the client
 */
static void run_sound(struct cli *s)
{
	run_long(s, FLOOD("20", "answered"), 20, NULL);
}

/**
 * run_sour_count - long Calls that are answered by a group, for which there are no receives
 * @s: the client
 */
static void run_sour_count(struct cli *s)
{
	run_long(s, FLOOD("3", "failed"), 3, BY_GROUP);
}

/**
 * run_sour_report - a long Call that is answered by a REPTERR
 * @s: the client
 */
static void run_sour_report(struct cli *s)
{
	run_long(s, FLOOD("1", "failed"), 1, BY_REPORT);
}

/**
 * run_sour_refuse - a long Call that is refused by INVAL_OPTION
 * @s: the client
 */
static void run_sour_refuse(struct cli *s)
{
	run_long(s, FLOOD("1", "failed"), 1, BY_REFUSAL);
}

const struct cli_case cases_rev_cont[] = {
	{ "reverse_long", "A-89 D-37 C-01 C-02 C-06 C-07 C-08 C-23 C-26 D-12 S-13",
	  .flags = C_CONT, .lay = LAY, .run = run_sound },
	{ "reverse_long_reply_group", "N-167 A-91 E-04",
	  .flags = C_CONT, .lay = LAY, .run = run_sour_count },
	{ "reverse_long_reported", "N-213 E-17 E-20 A-70",
	  .flags = C_CONT, .lay = LAY, .run = run_sour_report },
	{ "reverse_long_refused", "A-69 A-70",
	  .flags = C_CONT, .lay = LAY, .run = run_sour_refuse },
	{ "reverse_long_late", "A-70 D-12",
	  .flags = C_CONT, .lay = LAY, .run = run_late },
	{ "reverse_long_stuck", "A-70 D-12",
	  .flags = C_CONT, .lay = LAY, .run = run_stuck },
};

const unsigned int nr_cases_rev_cont = ARRAY_SIZE(cases_rev_cont);
