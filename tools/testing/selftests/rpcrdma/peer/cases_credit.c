// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the client role: the server makes as many reverse Calls as it was
 * granted, and no more.
 *
 * rpcrdma_flood has the server call back as fast as it can. The peer keeps all
 * these Calls until no more come, counts them, and answers them with another
 * grant.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "rpc.h"
#include "session.h"

#define MAX_KEPT	64

/* On the server: how many Calls, how many at a time, how much longer than they
 * would have to be, how many milliseconds for each
 */
#define FLOOD		"f=/sys/kernel/debug/rpcrdma_flood; " \
			"echo 300 16 0 20000 > $f && grep -qx 'answered: 300' $f"

/* Reverse Calls that have not been answered */
static struct {
	u32 xid[MAX_KEPT];
	unsigned int nr;
	u32 asked;
} kept;

/**
 * keep_call - take a reverse Call
 * @s: the client
 * @m: the message
 * @h: the same taken apart
 *
 * Return: what is wrong with it, or NULL.
 */
static const char *keep_call(struct cli *s, const struct rmsg *m,
			     const struct hdr *h)
{
	const u8 *p = m->data + h->hlen;
	unsigned int i;

	if (h->nreads || h->nwrites || h->has_reply || h->inv)
		return "chunks in a reverse Call";
	if (m->len < h->hlen + 8 || get_u32(p) != h->xid ||
	    get_u32(p + 4) != DIR_CALL)
		return "payload of a reverse Call";
	for (i = 0; i < kept.nr; i++)
		if (kept.xid[i] == h->xid)
			return "two reverse Calls with one xid";
	if (kept.nr == MAX_KEPT)
		return "reverse Calls without end";
	kept.xid[kept.nr++] = h->xid;
	kept.asked = h->credit;
	return NULL;
}

/**
 * put_answer - build the answer to a Call
 * @b: gets it
 * @xid: xid of the Call
 * @credit: what to grant
 * @err: code of an ERROR, or 0 for a reply
 */
static void put_answer(struct buf *b, u32 xid, u32 credit, u32 err)
{
	buf_reset(b);
	wire_fixed(b, xid, 2, credit, err ? P_ERROR : P_MSG);
	if (err) {
		buf_u32(b, err);
		return;
	}
	buf_u32(b, DIR_REPLY);
	buf_fill(b, 0, 16);
	buf_u32(b, xid);
	buf_u32(b, DIR_REPLY);
	buf_fill(b, 0, 16);	/* accepted, no verifier, success */
}

/**
 * answer_all - answer all Calls that are being kept
 * @s: the client
 * @credit: what to grant
 * @err: code of an ERROR, or 0 for a reply
 */
static void answer_all(struct cli *s, u32 credit, u32 err)
{
	unsigned int n = kept.nr, i;
	u32 xid[MAX_KEPT];
	struct buf b;

	memcpy(xid, kept.xid, sizeof(xid));
	kept.nr = 0;
	buf_init(&b, 256);
	for (i = 0; i < n; i++) {
		put_answer(&b, xid[i], credit, err);
		conn_send(s->c, b.p, b.len, NULL);
	}
	buf_free(&b);
}

/**
 * expect_kept - as many Calls come as were granted
 * @s: the client
 * @grant: the grant
 */
static void expect_kept(struct cli *s, u32 grant)
{
	u64 end = now_ms() + cfg.timeout, quiet = 0;
	unsigned int nr = 0, want;

	while (!s->r->v && !s->c->gone && now_ms() < end) {
		struct rmsg *m = cli_wait(s, 20);

		if (m)
			cli_fail(s, "not a reverse Call", m);
		free(m);
		if (kept.nr != nr || !nr)
			quiet = now_ms() + cfg.timeout / 60;
		nr = kept.nr;
		if (nr && now_ms() > quiet)
			break;
	}
	want = grant < kept.asked ? grant : kept.asked;
	if (!s->r->v && nr != (want ? want : 1))
		result_fail(s->r, "%u reverse Calls; %u granted, %u asked for%s%s",
			    nr, grant, kept.asked, s->c->gone ? ": " : "",
			    s->c->gone ? s->c->why : "");
}

/**
 * both_ways - use up the credits of both directions at once
 * @s: the client
 *
 * The server must have a receive for each Call, and for each answer to its own.
 */
static void both_ways(struct cli *s)
{
	u32 n = s->grant < 48 ? s->grant : 48, i;
	struct rmsg *m;

	cli_nulls(s, n);
	answer_all(s, 16, 0);
	for (i = 0; i < n && !s->r->v; i++) {
		m = cli_wait(s, cfg.timeout);
		if (!m)
			result_fail(s->r, "%u of %u calls answered: %s", i, n,
				    s->c->gone ? s->c->why : "timeout");
		free(m);
	}
}

/**
 * call_back - have the server call back
 *
 * Return: the process that does, or -1.
 */
static pid_t call_back(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl(cfg.on_server, cfg.on_server, FLOOD, NULL);
		_exit(127);
	}
	return pid;
}

/**
 * answer_until - answer Calls until no more are made
 * @s: the client
 * @pid: the process that has them made
 * @credit: what to grant
 * @err: code of an ERROR, or 0 for replies
 *
 * Return: how that process has ended, or -1 if it has not.
 */
static int answer_until(struct cli *s, pid_t pid, u32 credit, u32 err)
{
	u64 end = now_ms() + 2 * cfg.timeout;
	int status = 0;
	pid_t got;

	do {
		struct rmsg *m = cli_wait(s, 2);

		if (m)
			cli_fail(s, "not a reverse Call", m);
		free(m);
		answer_all(s, credit, err);
		got = waitpid(pid, &status, WNOHANG);
	} while (!got && !s->r->v && now_ms() < end);
	return got == pid ? status : -1;
}

/**
 * answer_rest - answer Calls until no more are made, all of them
 * @s: the client
 * @pid: the process that has them made
 */
static void answer_rest(struct cli *s, pid_t pid)
{
	int status = answer_until(s, pid, 16, 0);

	if (!s->r->v && status)
		result_fail(s->r, "Calls were lost: status %x", status);
}

/**
 * begin - have the server call back, the first time
 * @s: the client
 * @x: gets a session
 *
 * Return: the process that has it call back, or -1.
 */
static pid_t begin(struct cli *s, struct session *x)
{
	struct deleg d;
	pid_t pid;

	memset(&kept, 0, sizeof(kept));
	s->stained = true;
	s->reverse = keep_call;
	/* There is a back channel once nfsd has delegated something. */
	if (session_open(x, s) || session_delegate(x, &d) || session_return(x, &d))
		return -1;
	pid = call_back();
	expect_kept(s, 1);
	return pid;
}

/**
 * run_grants - grant this and that, and count what comes
 * @s: the client
 */
static void run_grants(struct cli *s)
{
	static const u32 grants[] = { 3, 16, 1, 5, 0, 0xffffffff, 2 };
	struct session x;
	unsigned int i;
	pid_t pid = begin(s, &x);

	if (pid < 0)
		return;
	for (i = 0; i < ARRAY_SIZE(grants) && !s->r->v; i++) {
		answer_all(s, grants[i], 0);
		expect_kept(s, grants[i]);
	}
	if (!s->r->v)
		both_ways(s);
	answer_rest(s, pid);
	if (!s->r->v)
		session_close(&x);
}

/**
 * run_error_grants - grant less in errors, and count what comes then
 * @s: the client
 *
 * Once a Call has failed, the server begins anew.
 */
static void run_error_grants(struct cli *s)
{
	struct session x;
	pid_t pid = begin(s, &x);

	if (pid < 0)
		return;
	answer_all(s, 16, 0);
	expect_kept(s, 16);
	if (answer_until(s, pid, 3, E_XDR) <= 0)
		result_fail(s->r, "Calls that ERRORs are about do not fail");
	pid = call_back();
	expect_kept(s, 3);
	answer_rest(s, pid);
	if (!s->r->v)
		session_close(&x);
}

const struct cli_case cases_credit[] = {
	{ "reverse_grants", "D-03 D-06 D-07 D-10 D-12 D-13 D-14 D-19 D-21 A-27",
	  NULL, C_HAND, NULL, run_grants },
	{ "reverse_grants_in_errors", "B-76 A-14 D-12",
	  NULL, C_HAND, NULL, run_error_grants },
};

const unsigned int nr_cases_credit = ARRAY_SIZE(cases_credit);
