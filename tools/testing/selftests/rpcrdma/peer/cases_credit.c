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
 * answer_all - answer all Calls that are being kept
 * @s: the client
 * @credit: what to grant
 */
static void answer_all(struct cli *s, u32 credit)
{
	unsigned int n = kept.nr, i;
	u32 xid[MAX_KEPT];
	struct buf b;

	memcpy(xid, kept.xid, sizeof(xid));
	kept.nr = 0;
	buf_init(&b, 256);
	for (i = 0; i < n; i++) {
		buf_reset(&b);
		wire_fixed(&b, xid[i], 2, credit, P_MSG);
		buf_u32(&b, DIR_REPLY);
		buf_fill(&b, 0, 16);
		buf_u32(&b, xid[i]);
		buf_u32(&b, DIR_REPLY);
		buf_fill(&b, 0, 16);	/* accepted, no verifier, success */
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
	answer_all(s, 16);
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
 * answer_rest - answer Calls until no more are made
 * @s: the client
 * @pid: the process that has them made
 */
static void answer_rest(struct cli *s, pid_t pid)
{
	u64 end = now_ms() + 2 * cfg.timeout;
	int status = 0;
	pid_t got;

	do {
		struct rmsg *m = cli_wait(s, 2);

		if (m)
			cli_fail(s, "not a reverse Call", m);
		free(m);
		answer_all(s, 16);
		got = waitpid(pid, &status, WNOHANG);
	} while (!got && !s->r->v && now_ms() < end);
	if (!s->r->v && (got != pid || status))
		result_fail(s->r, "Calls were lost: status %x", status);
}

/**
 * run_grants - grant this and that, and count what comes
 * @s: the client
 */
static void run_grants(struct cli *s)
{
	static const u32 grants[] = { 3, 16, 1, 5, 0, 0xffffffff, 2 };
	struct session x;
	struct deleg d;
	unsigned int i;
	pid_t pid;

	if (!cfg.on_server) {
		result_skip(s->r, "no --on-server");
		return;
	}
	memset(&kept, 0, sizeof(kept));
	s->stained = true;
	s->reverse = keep_call;
	/* There is a back channel once nfsd has delegated something. */
	if (session_open(&x, s) || session_delegate(&x, &d) ||
	    session_return(&x, &d))
		return;
	pid = call_back();
	expect_kept(s, 1);
	for (i = 0; i < ARRAY_SIZE(grants) && !s->r->v; i++) {
		answer_all(s, grants[i]);
		expect_kept(s, grants[i]);
	}
	if (!s->r->v)
		both_ways(s);
	answer_rest(s, pid);
	if (!s->r->v)
		session_close(&x);
}

const struct cli_case cases_credit[] = {
	{ "reverse_grants", "D-03 D-06 D-07 D-10 D-12 D-13 D-14 D-19 D-21 A-27",
	  NULL, 0, NULL, run_grants },
};

const unsigned int nr_cases_credit = ARRAY_SIZE(cases_credit);
