// SPDX-License-Identifier: GPL-2.0
/*
 * Client role of the fuzzer: answers to reverse Calls. A helper on the server
 * makes Calls, long ones, which come in groups, and short ones; each but the first
 * of a connection gets a sequence for an answer, and behind it the honest one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz_client.h"
#include "session.h"

#define GRANT		16
#define ROUNDS		32	/* helpers for a block, at most */
#define LONG		20000	/* bytes that take a group */

/* A short Call, and four times so many, four at once, the first of some length; each has
 * so many milliseconds. A Call that fails ends its turn. Before a reply grants credits a
 * server has one, and no group can begin.
 */
#define CALL_BACK	"f=/sys/kernel/debug/rpcrdma_flood; echo 1 1 0 %u > $f; " \
			"for s in %u 0 0 0; do echo %u 4 $s %u > $f; done"
#define TURN		32	/* Calls of a turn, at most */
#define WITHIN		750	/* milliseconds */

/* The transmissions of the Call that is coming, whether one of this connection has been
 * answered, how many of the block came in groups, and its end
 */
static struct group coming;
static bool granted;
static u32 groups;
static u32 block_end;

/**
 * put_reply - build the reply that is due to a reverse Call
 * @b: gets it
 * @xid: its xid
 */
static void put_reply(struct buf *b, u32 xid)
{
	buf_reset(b);
	wire_fixed(b, xid, 2, GRANT, P_MSG);
	buf_u32(b, DIR_REPLY);
	buf_fill(b, 0, 16);
	buf_u32(b, xid);
	buf_u32(b, DIR_REPLY);
	buf_fill(b, 0, 16);		/* accepted, no verifier, success */
}

/**
 * answer_nfsd - answer a Call of nfsd's own, while a session is being made
 * @s: the client
 * @m: the Call
 * @h: the same taken apart
 *
 * Return: NULL.
 */
static const char *answer_nfsd(struct cli *s, const struct rmsg *m,
			       const struct hdr *h)
{
	struct buf b;

	buf_init(&b, 64);
	put_reply(&b, h->xid);
	conn_send(s->c, b.p, b.len, NULL);
	buf_free(&b);
	return NULL;
}

/**
 * answer - answer a reverse Call that is complete
 * @f: the fuzzer
 * @xid: its xid
 */
static void answer(struct fcli *f, u32 xid)
{
	struct buf due;
	unsigned int i;

	buf_init(&due, 64);
	put_reply(&due, xid);
	if (granted && f->nr != block_end) {
		f->c.env.xid = xid;
		f->c.env.honest_hlen = 36;
		f->c.honest = &due;
		f->c.nr_honest = 1;
		fcli_make(f);
		for (i = 0; i < f->q.n; i++)
			fcli_put(f, &f->q.m[i]);
		f->c.honest = NULL;
		f->c.nr_honest = 0;
	}
	fcli_log_send(f, ~0u, &due);
	granted = true;
	buf_free(&due);
}

/**
 * take_call - take a transmission of a reverse Call
 * @f: the fuzzer
 * @m: the message
 * @h: the same taken apart
 *
 * Return: what is wrong with it, or NULL.
 */
static const char *take_call(struct fcli *f, const struct rmsg *m,
			     const struct hdr *h)
{
	u32 xid = h->xid;
	struct fault x;
	bool bad;

	if (h->proc != P_OPTIONAL) {
		if (coming.n || h->proc != P_MSG)
			return "a reverse Call out of place";
		answer(f, xid);
		return NULL;
	}
	if (h->opttype == O_XMTCONT)
		bad = !coming.n || group_next(&coming, h, m->data, m->len, &x);
	else
		bad = coming.n || group_first(&coming, h, m->data, m->len,
					      &f->s.lay, f->s.lay.limit, &x);
	if (bad)
		return "transmissions of a reverse Call";
	if (coming.n < coming.x.count)
		return NULL;
	bad = group_whole(&coming, &f->s.lay, &x);
	group_free(&coming);
	if (bad)
		return x.what;
	groups++;
	answer(f, xid);
	return NULL;
}

/**
 * start_calls - have the server call back
 * @n: how often, at most, in a turn
 *
 * Return: the process that has told it to.
 */
static pid_t start_calls(u32 n)
{
	char text[160];
	pid_t pid;

	snprintf(text, sizeof(text), CALL_BACK, WITHIN, LONG,
		 n < TURN ? n : TURN, WITHIN);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		execl(cfg.on_server, cfg.on_server, text, NULL);
		_exit(127);
	}
	return pid;
}

/**
 * ended - wait for a process
 * @pid: the process
 * @ms: how long
 *
 * Return: true if it has ended.
 */
static bool ended(pid_t pid, int ms)
{
	u64 end = now_ms() + ms;

	while (waitpid(pid, NULL, WNOHANG) != pid) {
		if (now_ms() >= end)
			return false;
		nap();
	}
	return true;
}

/**
 * call_back - have the server call back, and answer
 * @f: the fuzzer, with a session
 * @n: how often, at most, in a turn
 *
 * The server makes all its Calls, or the connection ends; its Calls then fail
 * at once.
 */
static void call_back(struct fcli *f, u32 n)
{
	u64 end = now_ms() + 4 * cfg.timeout;
	pid_t pid = start_calls(n);
	bool done = false;

	group_free(&coming);
	while (f->s.c && !done && !f->r.v && now_ms() < end) {
		fcli_poll(f);
		done = ended(pid, 0);
		if (!done)
			nap();
	}
	if (f->s.c)
		fcli_poll(f);
	if (!done && !ended(pid, 4 * cfg.timeout))
		result_fail(&f->r, "the server does not get over reverse Calls up to %u",
			    f->nr);
}

/**
 * open_session - make a connection that is called back
 * @f: the fuzzer
 *
 * Return: 0, or -1.
 */
static int open_session(struct fcli *f)
{
	struct session x;
	struct deleg d;

	if (fcli_open(f, FK_REVERSE))
		return -1;
	f->c.reverse = true;
	f->s.reverse = answer_nfsd;
	if (session_open(&x, &f->s) || session_delegate(&x, &d) ||
	    session_return(&x, &d))
		return -1;
	free(x.reply);
	f->reverse = take_call;
	granted = false;
	return 0;
}

/**
 * fuzz_reverse - send the sequences of a block in answer to reverse Calls
 * @f: the fuzzer
 * @until: the one behind the last
 *
 * A report makes an end to the long Calls of a connection, so that short ones
 * follow, on the same one while it is up.
 */
void fuzz_reverse(struct fcli *f, u32 until)
{
	u32 before = f->nr;
	int i;

	block_end = until;
	groups = 0;
	for (i = 0; i < ROUNDS && f->nr < until && !f->r.v; i++) {
		if (!f->s.c && open_session(f))
			return;
		f->fenced = f->nr;
		call_back(f, until - f->nr);
		if (!f->s.c)
			fcli_end(f);
	}
	fcli_end(f);
	if (f->nr == before && !f->r.v)
		result_fail(&f->r, "no reverse Call comes");
	else if (until - before == FUZZ_BLOCK && !groups && !f->r.v)
		result_fail(&f->r, "no reverse Call comes in a group");
	f->nr = until;
}
