// SPDX-License-Identifier: GPL-2.0
/*
 * Client role: a reverse Call, and what a server makes of odd answers to it.
 *
 * The peer holds a delegation, and asks for the file once more by an NFSv4.0
 * call, which has the server recall it. The script is
 *
 *   ANSWERS => WANT
 *
 * ANSWERS are messages, parted by semicolons; x is the xid of the reverse
 * Call, "honest" the reply that is due, and "rpc" the RPC message in it. WANT
 * is
 *
 *  ok     the Call has been answered
 *  again  it has ended in failure: the server makes it anew, and at once
 *  each   the same, many times in a row, each of them answered so as soon as
 *         it comes
 *  wait   it is still waiting for its reply, and gets it now
 *  disc   the connection ends
 *  none   no Call comes at all
 *
 * with the WANT of client.h for a message that must come in answer before it,
 * in brackets. In the end a second delegation must be recalled the right way,
 * unless the Call had to be made anew: nfsd delegates nothing then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "rpc.h"
#include "session.h"
#include "tmpl.h"

#define RECALL_MS	30000
#define SILENCE_MS	150
#define NONE_MS		600

/* nfsd gives its Calls a second, and begins anew after that, too */
#define AGAIN_MS	950

/* How often "each" answers: a reply that overtakes the end of its Send is rare */
#define EACH		100

/* On how many connections, and for how long, a client does not answer; nfsd
 * may make one Call a second there.
 */
#define UNANSWERED_CONNS	4
#define UNANSWERED_MS		2500
#define UNANSWERED_CALLS	4

#define MAX_SEEN	(EACH + 16)

enum { OP_CB_RECALL = 4, OP_CB_SEQUENCE = 11 };

/* What is known of the reverse Calls of a case */
static struct {
	unsigned int nr;
	u32 xid;
	u32 seq;
	u64 when;
	u8 session[16];
	u32 seen[MAX_SEEN];
} call;

/**
 * sent_again - has a Call with this xid been here before?
 * @xid: the xid, remembered from now on
 *
 * Return: true if so.
 */
static bool sent_again(u32 xid)
{
	unsigned int i;

	for (i = 0; i < call.nr && i < MAX_SEEN; i++)
		if (call.seen[i] == xid)
			return true;
	if (call.nr < MAX_SEEN)
		call.seen[call.nr] = xid;
	return false;
}

/**
 * reverse_call - look at a reverse Call
 * @s: the client
 * @m: the message
 * @h: the same taken apart
 *
 * Return: what is wrong with it, or NULL.
 */
static const char *reverse_call(struct cli *s, const struct rmsg *m,
				const struct hdr *h)
{
	const u8 *p = m->data + h->hlen;
	size_t len = m->len - h->hlen, at = 40;

	if (h->nreads || h->nwrites || h->has_reply)
		return "chunks in a reverse Call";
	if (h->inv)
		return "rdma_inv_handle in a reverse Call";
	if (len < 80 || get_u32(p) != h->xid || get_u32(p + 4) != DIR_CALL)
		return "payload of a reverse Call";
	if (get_u32(p + 12) != RPC_PROG_CALLBACK)
		return "program of a reverse Call";
	if (sent_again(h->xid))
		return "the same reverse Call once more";
	at = 32 + ((get_u32(p + 28) + 3) & ~3u);	/* credentials */
	at += 8;					/* verifier */
	at += 4 + 8;					/* tag, minor, ident */
	if (len < at + 8 + 16 + 4 || get_u32(p + at + 4) != OP_CB_SEQUENCE)
		return "no CB_SEQUENCE";
	memcpy(call.session, p + at + 8, 16);
	call.seq = get_u32(p + at + 24);
	call.xid = h->xid;
	call.when = now_ms();
	call.nr++;
	return NULL;
}

/**
 * honest - build the reply that is due
 * @b: gets it
 */
static void honest(struct buf *b)
{
	buf_reset(b);
	wire_fixed(b, call.xid, 2, 16, P_MSG);
	buf_u32(b, DIR_REPLY);
	buf_fill(b, 0, 16);
	buf_u32(b, call.xid);
	buf_u32(b, DIR_REPLY);
	buf_fill(b, 0, 16);		/* accepted, no verifier, success */
	buf_fill(b, 0, 8);		/* status, tag */
	buf_u32(b, 2);
	buf_u32(b, OP_CB_SEQUENCE);
	buf_u32(b, 0);
	buf_bytes(b, call.session, 16);
	buf_u32(b, call.seq);
	buf_fill(b, 0, 12);
	buf_u32(b, OP_CB_RECALL);
	buf_u32(b, 0);
}

/**
 * answer - answer the last reverse Call
 * @s: the client
 * @list: templates
 *
 * Return: 0, or -1.
 */
static int answer(struct cli *s, const char *list)
{
	struct tmpl_env env = { .c = s->c, .xid = call.xid, .honest_hlen = 36 };
	struct buf due;
	char one[1024];
	int bad = 0;

	buf_init(&due, 4096);
	honest(&due);
	env.honest = &due;
	while (!bad && tmpl_next(&list, one, sizeof(one))) {
		bad = tmpl_build(&s->sent, one, &env);
		if (bad)
			result_fail(s->r, "bad template: %s", one);
		else
			conn_send(s->c, s->sent.p, s->sent.len,
				  s->sent.has_swi ? &s->sent.swi : NULL);
	}
	buf_free(&due);
	return bad ? -1 : 0;
}

/**
 * spin_call - wait for a reverse Call without a pause
 * @s: the client
 * @nr: how many there were before
 * @ms: how long at most
 *
 * Return: true if it came.
 */
static bool spin_call(struct cli *s, unsigned int nr, int ms)
{
	u64 end = now_ms() + ms;

	while (call.nr == nr && !s->c->gone && !s->r->v && now_ms() < end) {
		struct rmsg *m;

		conn_poll(s->c);
		m = s->c->rx ? cli_wait(s, 0) : NULL;
		if (m)
			cli_fail(s, "not a reverse Call", m);
		free(m);
	}
	return call.nr > nr;
}

/**
 * await_call - wait for a reverse Call
 * @s: the client
 * @nr: how many there were before
 * @ms: how long at most
 *
 * Return: true if it came.
 */
static bool await_call(struct cli *s, unsigned int nr, int ms)
{
	u64 end = now_ms() + ms;

	while (call.nr == nr && !s->c->gone && now_ms() < end) {
		struct rmsg *m = cli_wait(s, 20);

		if (m)
			cli_fail(s, "not a reverse Call", m);
		free(m);
	}
	return call.nr > nr;
}

/**
 * recall - have the server recall a delegation
 * @s: the client
 * @d: the delegation
 * @ms: how long the Call may take
 *
 * Return: true if it came.
 */
static bool recall(struct cli *s, const struct deleg *d, int ms)
{
	const char *path = nfs_path;
	unsigned int before = call.nr;
	char file[512];
	int bad;

	snprintf(file, sizeof(file), "%.*s%s", (int)rpc_folder(), path, d->name);
	nfs_path = file;
	bad = cli_step(s, MSG "0 " LISTS "read:0:8", "nfserr");
	nfs_path = path;
	return !bad && await_call(s, before, ms);
}

/**
 * expect_again - the server must make its Call anew
 * @s: the client
 * @nr: Calls before
 * @since: when the one before came
 */
static void expect_again(struct cli *s, unsigned int nr, u64 since)
{
	if (!await_call(s, nr, RECALL_MS))
		result_fail(s->r, "the Call is not made anew");
	else if (call.when - since > AGAIN_MS)
		result_fail(s->r, "the Call has waited for %llu ms",
			    (unsigned long long)(call.when - since));
	else
		answer(s, "honest");
}

/**
 * expect_each - answer Calls one after the other the same way
 * @s: the client
 * @list: templates of the answer, which the first Call has got
 *
 * None may come twice, and the connection must bear it all.
 */
static void expect_each(struct cli *s, const char *list)
{
	int i;

	for (i = 0; i < EACH; i++) {
		if (!spin_call(s, call.nr, RECALL_MS)) {
			result_fail(s->r, "no new Call after %d: %s", i + 1,
				    s->c->gone ? s->c->why : "timeout");
			return;
		}
		if (answer(s, i + 1 < EACH ? list : "honest"))
			return;
	}
}

/**
 * expect - see what became of a reverse Call
 * @s: the client
 * @want: what is wanted
 * @nr: Calls before
 * @since: when the last of them came
 */
static void expect(struct cli *s, const char *want, unsigned int nr, u64 since)
{
	struct rmsg *m;

	if (strstr(want, "disc") && conn_wait_gone(s->c, 2000))
		return;
	if (strstr(want, "again")) {
		expect_again(s, nr, since);
	} else if (strstr(want, "wait")) {
		m = cli_wait(s, SILENCE_MS);
		if (m)
			cli_fail(s, "an answer to what must be dropped", m);
		free(m);
		if (call.nr > nr)
			result_fail(s->r, "the Call ended too early");
		answer(s, "honest");
	} else if (!strstr(want, "ok")) {
		result_fail(s->r, "the connection was kept");
	}
}

/**
 * expect_message - a message must come in answer
 * @s: the client
 * @want: WANT, with the message in brackets at its start
 *
 * Return: the rest of @want.
 */
static const char *expect_message(struct cli *s, const char *want)
{
	const char *end;
	char what[64];
	struct rmsg *m;

	want += strspn(want, " ");
	end = *want == '[' ? strchr(want, ']') : NULL;
	if (!end)
		return want;
	snprintf(what, sizeof(what), "%.*s", (int)(end - want - 1), want + 1);
	m = cli_wait(s, cfg.timeout);
	s->sent_ok = false;
	if (!m || !cli_matches(s, what, m))
		cli_fail(s, "not what is wanted", m);
	free(m);
	return end + 1;
}

/**
 * one_recall - carry out a script
 * @s: the client
 * @d: the delegation to be recalled
 * @script: the script
 */
static void one_recall(struct cli *s, const struct deleg *d, const char *script)
{
	const char *want = strstr(script, "=>") + 2;
	bool none = strstr(want, "none");
	char list[2048];
	unsigned int nr;
	u64 since;

	if (recall(s, d, none ? NONE_MS : RECALL_MS) == none) {
		result_fail(s->r, none ? "a reverse Call came" :
					 "no reverse Call comes");
		return;
	}
	if (none)
		return;
	nr = call.nr;
	since = call.when;
	snprintf(list, sizeof(list), "%.*s", (int)(want - 2 - script), script);
	if (answer(s, list))
		return;
	want = expect_message(s, want);
	if (s->r->v)
		return;
	if (strstr(want, "each"))
		expect_each(s, list);
	else
		expect(s, want, nr, since);
}

/**
 * recall_again - a second delegation must be recalled the right way
 * @x: the session
 * @seq: sequence id of the Call before
 */
static void recall_again(struct session *x, u32 seq)
{
	struct deleg d;

	if (session_delegate(x, &d))
		return;
	if (!recall(x->s, &d, RECALL_MS))
		result_fail(x->s->r, "no second reverse Call");
	else if (call.seq != seq + 1)
		result_fail(x->s->r, "the reply did not arrive");
	else if (!answer(x->s, "honest"))
		session_return(x, &d);
}

/**
 * expect_none - no reverse Call must come
 * @x: the session
 * @script: the script
 *
 * nfsd does not even delegate what it could not recall.
 */
static void expect_none(struct session *x, const char *script)
{
	struct result ignored = { .v = PASS }, *r = x->s->r;
	struct deleg d;
	int bad;

	x->s->r = &ignored;
	bad = session_delegate(x, &d);
	x->s->r = r;
	if (bad)
		return;
	one_recall(x->s, &d, script);
	session_return(x, &d);
}

/**
 * run_reverse - have a reverse Call made, and answer it as a script says
 * @s: the client
 * @k: the case
 *
 * Return: 0, or -1.
 */
int run_reverse(struct cli *s, const struct cli_case *k)
{
	struct session x;
	struct deleg d;

	memset(&call, 0, sizeof(call));
	s->reverse = reverse_call;
	s->stained = true;
	if (k->mem && cli_script(s, k->mem))
		return -1;
	if (session_open(&x, s))
		return -1;
	if (strstr(k->script, "none")) {
		expect_none(&x, k->script);
	} else if (!session_delegate(&x, &d)) {
		one_recall(s, &d, k->script);
		if (!s->r->v && !s->c->gone && call.nr &&
		    !strstr(k->script, "again") && !strstr(k->script, "each"))
			recall_again(&x, call.seq);
		if (!s->r->v && !s->c->gone)
			session_return(&x, &d);
	}
	if (!s->r->v)
		session_close(&x);
	return s->r->v ? -1 : 0;
}

/**
 * count_calls - see that not too many reverse Calls come
 * @s: the client
 * @ms: for how long to look
 * @most: how many may have come then
 *
 * A server may end a connection whose client does not answer.
 */
static void count_calls(struct cli *s, int ms, unsigned int most)
{
	u64 end = now_ms() + ms;

	while (!s->c->gone && now_ms() < end) {
		struct rmsg *m = cli_wait(s, 20);

		if (m)
			cli_fail(s, "not a reverse Call", m);
		free(m);
	}
	if (call.nr > most)
		result_fail(s->r, "%u reverse Calls without an answer",
			    call.nr);
}

/**
 * leave_unanswered - have a Call made on a connection, and do not answer it
 * @s: the client
 *
 * The file is given back before the end, so that nothing of it is left; the
 * Call is not.
 */
static void leave_unanswered(struct cli *s)
{
	struct session x;
	struct deleg d;

	memset(&call, 0, sizeof(call));
	s->reverse = reverse_call;
	if (!session_open(&x, s) && !session_delegate(&x, &d)) {
		if (!recall(s, &d, RECALL_MS))
			result_fail(s->r, "no reverse Call comes");
		else
			count_calls(s, UNANSWERED_MS, UNANSWERED_CALLS);
		if (!s->c->gone)
			session_return(&x, &d);
	}
	free(x.reply);
}

/**
 * run_unanswered - take reverse Calls on one connection after the other, and
 * answer none
 * @s: a client that has nothing to do with it
 *
 * Each connection ends with a Call unanswered, and the next one, of another
 * session, must not see it. In the end the right answer is as good as ever.
 */
void run_unanswered(struct cli *s)
{
	static const struct cli_case honest = { .script = "honest => ok" };
	struct cli c;
	int i;

	for (i = 0; i <= UNANSWERED_CONNS && !s->r->v; i++) {
		if (cli_open(&c, s->r, 0))
			return;
		if (i < UNANSWERED_CONNS)
			leave_unanswered(&c);
		else
			run_reverse(&c, &honest);
		cli_close(&c);
	}
}

/**
 * beside_reqxch - have a reverse Call made while a REQXCH is not answered
 * @s: the client, which has granted one credit
 * @x: its session
 * @d: the delegation
 *
 * The Call has to wait for the answer.
 */
static void beside_reqxch(struct cli *s, struct session *x, struct deleg *d)
{
	cli_own(s, "ask rbsiz 16384", "req:1=4000");
	if (s->r->v)
		return;
	if (recall(s, d, NONE_MS)) {
		result_fail(s->r, "a reverse Call, with its only credit in use");
		return;
	}
	if (cli_step(s, "q 2 1 5 1 3 [ 0 1 1 0 ]", "drop"))
		return;
	if (!call.nr && !await_call(s, 0, RECALL_MS))
		result_fail(s->r, "no reverse Call comes");
	else if (!answer(s, "honest"))
		session_return(x, d);
}

/**
 * run_beside_reqxch - a REQXCH of the server's holds a reverse credit
 * @s: the client
 */
void run_beside_reqxch(struct cli *s)
{
	struct session x;
	struct deleg d;

	memset(&call, 0, sizeof(call));
	s->reverse = reverse_call;
	s->listening = true;
	if (!session_open(&x, s) && !session_delegate(&x, &d))
		beside_reqxch(s, &x, &d);
	if (!s->r->v)
		session_close(&x);
	s->listening = false;
	s->reverse = NULL;
}

/**
 * expect_silence - the server calls nobody back on a connection
 * @s: the connection, on which a reverse Call is out of place
 */
static void expect_silence(struct cli *s)
{
	struct rmsg *m;

	if (cli_null(s, 2))
		return;
	m = cli_wait(s, QUIET_MS);
	if (m)
		cli_fail(s, "nothing should have come", m);
	free(m);
}

/**
 * recall_elsewhere - a delegation is recalled on a connection that is for that
 * @x: the session, on one that is not
 * @back: the connection
 * @other: one of a client of NFSv4.0
 */
static void recall_elsewhere(struct session *x, struct cli *back,
			     struct cli *other)
{
	const char *path = nfs_path;
	struct deleg d;
	int bad;

	if (session_bind(x, back) || session_delegate(x, &d))
		return;
	nfs_path = d.name;
	bad = cli_step(other, MSG "0 " LISTS "read:0:8", "nfserr");
	nfs_path = path;
	if (bad)
		return;
	if (!await_call(back, 0, RECALL_MS))
		result_fail(x->s->r, "no reverse Call where one may come");
	expect_silence(x->s);
	expect_silence(other);
	if (!answer(back, "honest"))
		session_return(x, &d);
}

/**
 * run_no_back_channel - no reverse Call where nobody has said that one may come
 * @s: the client
 *
 * It has a session whose callbacks may not use its connection, and gets no
 * delegation, nor a Call. On another connection they may; then they come there,
 * and neither here nor at a client that knows no sessions.
 */
void run_no_back_channel(struct cli *s)
{
	struct cli back = { }, other = { };
	struct session x;

	memset(&call, 0, sizeof(call));
	s->stained = true;
	if (session_make(&x, s, false))
		return;
	expect_none(&x, "=> none");
	expect_silence(s);
	if (s->r->v || cli_open(&back, s->r, 0))
		return;
	back.reverse = reverse_call;
	if (!cli_open(&other, s->r, 0))
		recall_elsewhere(&x, &back, &other);
	cli_close(&other);
	cli_close(&back);
	if (!s->r->v)
		session_close(&x);
}

/**
 * withhold - no reverse Call must come while BRS forbids it
 * @s: the client
 * @d: a delegation, made while it did not
 *
 * The server has accepted that it might have to recall this. It may try again
 * once in a while, and the Call comes as soon as it may.
 */
static void withhold(struct cli *s, const struct deleg *d)
{
	unsigned int nr;

	if (cli_step(s, OPT "0 4 [ 3 4 0 0 ]", "drop"))
		return;
	if (recall(s, d, NONE_MS)) {
		result_fail(s->r, "a reverse Call came");
		return;
	}
	nr = call.nr;
	if (s->r->v || cli_null(s, 2) || cli_step(s, OPT "0 4 [ 3 4 1 0 ]", "drop"))
		return;
	if (call.nr == nr && !await_call(s, nr, RECALL_MS))
		result_fail(s->r, "no reverse Call comes once one may");
	else
		answer(s, "honest");
}

/**
 * run_brs_none_between - take no reverse Calls for a while
 * @s: the client
 *
 * Its session has a back channel when it says so, and one Call is due then.
 */
void run_brs_none_between(struct cli *s)
{
	struct session x;
	struct deleg d;

	memset(&call, 0, sizeof(call));
	s->reverse = reverse_call;
	s->stained = true;
	if (!session_open(&x, s) && !session_delegate(&x, &d)) {
		withhold(s, &d);
		if (!s->r->v && !s->c->gone)
			session_return(&x, &d);
	}
	if (!s->r->v)
		session_close(&x);
	s->reverse = NULL;
}
