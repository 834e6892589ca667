// SPDX-License-Identifier: GPL-2.0
/*
 * "peer serve" calls back: what is written to the file rpcrdma_flood in --dir is
 * taken as the module of that name takes it, COUNT PARALLEL SIZE TIMEOUT, and
 * replaced by what came of it. The client that came last is meant.
 *
 * A Call that is too long for a Send goes by XMTREQ, as far as the client takes
 * such and grants credits for it. What is made of answers is what the checklist
 * asks of a server (D.6), and of the credits of Calls that were given up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rpc.h"
#include "serve_back.h"

#define MAX_CALLS	32
#define FIRST_HEAD	48	/* of XMTREQ without items and targets */
#define LATER_HEAD	40	/* of XMTCONT */
#define MSG_HEAD	36

/**
 * struct rcall - a reverse Call
 * @xid: its xid
 * @credits: how many it holds, 0 while it has not been sent
 * @xmt: it went by XMTREQ
 * @nr: how many were sent before it
 * @expires: when it is given up
 * @lost: it was
 */
struct rcall {
	u32 xid, credits;
	bool xmt;
	unsigned int nr;
	u64 expires;
	bool lost;
};

/**
 * struct back_run - Calls of a connection, and a run of them
 * @c: the connection
 * @grant: credits that the client has granted
 * @used: credits of Calls that were sent
 * @owed: what refused groups have left, until a later Call is answered
 * @owed_nr: such a Call
 * @off: no XMTREQ any more
 * @sent: Calls sent
 * @call: Calls that are not answered
 * @nr_call: how many
 * @on: there is a run
 * @count: Calls of it
 * @parallel: how many at a time
 * @size: bytes on top of each
 * @ms: time that each has
 * @begun: Calls begun
 * @answered: Calls answered
 * @failed: Calls that failed
 */
static struct back_run {
	struct conn *c;
	u32 grant, used, owed;
	unsigned int owed_nr;
	bool off;
	unsigned int sent;
	struct rcall call[MAX_CALLS];
	unsigned int nr_call;
	bool on;
	unsigned int count, parallel, size, ms;
	unsigned int begun, answered, failed;
} run;

static u32 next_xid = 0x7e000000;

/**
 * path - the file that runs are written to
 * @suffix: appended to its name
 *
 * Return: its path.
 */
static const char *path(const char *suffix)
{
	static char p[256];

	snprintf(p, sizeof(p), "%s/rpcrdma_flood%s", cfg.dir, suffix);
	return p;
}

/**
 * find_call - find the Call that a message is about
 * @sc: the connection of the message
 * @xid: its xid
 *
 * Return: the Call, which has been sent, or NULL.
 */
static struct rcall *find_call(const struct sconn *sc, u32 xid)
{
	unsigned int i;

	for (i = 0; i < run.nr_call && sc->c == run.c; i++)
		if (run.call[i].xid == xid && run.call[i].credits)
			return &run.call[i];
	return NULL;
}

/**
 * end_call - a Call is over
 * @k: the Call
 * @ok: it was answered well
 * @refused: it was not processed; the rest of a group may still be coming
 */
static void end_call(struct rcall *k, bool ok, bool refused)
{
	run.used -= k->credits;
	if (refused && k->credits > 1) {
		run.owed += k->credits - 1;
		run.owed_nr = run.sent;
	} else if (!refused && k->nr >= run.owed_nr) {
		run.owed = 0;
	}
	if (!k->lost) {
		run.answered += ok;
		run.failed += !ok;
	}
	*k = run.call[--run.nr_call];
}

/**
 * accepted - has a Call been carried out?
 * @h: header of the reply
 * @p: the RPC reply
 * @len: its length
 *
 * Return: true if so.
 */
static bool accepted(const struct hdr *h, const u8 *p, size_t len)
{
	return rpc_result(p, len, h->xid, NULL) == RPC_SUCCESS;
}

/**
 * take_msg - take a reply by MSG or NOMSG
 * @sc: the connection
 * @m: the reply
 * @h: the same taken apart
 */
static void take_msg(struct sconn *sc, const struct rmsg *m, const struct hdr *h)
{
	struct rcall *k = find_call(sc, h->xid);
	const u8 *p = m->data + h->hlen;
	size_t len = m->len - h->hlen;
	bool sound = h->proc == P_MSG && !h->nreads && !h->nwrites &&
		     !h->has_reply && len >= 8;

	if (!k || (sound && (get_u32(p) != h->xid ||
			     get_u32(p + 4) != DIR_REPLY)))
		return;
	if (sound)
		run.grant = h->credit ? h->credit : 1;
	end_call(k, sound && accepted(h, p, len), false);
}

/**
 * resp_fault - find what is wrong with an XMTRESP
 * @g: gets the transmission
 * @sc: the connection
 * @m: the message
 * @h: the same taken apart
 * @f: gets the fault
 *
 * Return: true if something is.
 */
static bool resp_fault(struct group *g, struct sconn *sc, const struct rmsg *m,
		       const struct hdr *h, struct fault *f)
{
	return group_first(g, h, m->data, m->len, &sc->lay, 1, f) ||
	       group_whole(g, &sc->lay, f);
}

/**
 * take_xmtresp - take a reply by XMTRESP
 * @s: the server
 * @sc: the connection
 * @m: the message
 * @h: the same taken apart
 */
static void take_xmtresp(struct srv *s, struct sconn *sc, const struct rmsg *m,
			 const struct hdr *h)
{
	static struct group g;
	struct rcall *k = find_call(sc, h->xid);
	struct fault f, xdr = { .err = E_XDR };
	bool bad = resp_fault(&g, sc, m, h, &f), ok;
	u32 count = g.x.count;

	ok = !bad && !g.x.nitems &&
	     accepted(h, m->data + h->hlen, g.x.pslen);
	group_free(&g);
	sc->drain |= count > 1 || (f.err && count != 1);
	if (h->dir == DIR_CALL) {
		srv_send_fault(s, sc, m, h, &xdr, false);
		return;
	}
	if (!k)
		return;
	if (k->xmt && f.which)
		srv_send_fault(s, sc, m, h, &f, false);
	if (ok)
		run.grant = h->credit ? h->credit : 1;
	end_call(k, ok && k->xmt, false);
}

/**
 * take_error - take an ERROR
 * @sc: the connection
 * @h: the message
 *
 * INVAL_OPTION is never about a MSG.
 */
static void take_error(struct sconn *sc, const struct hdr *h)
{
	struct rcall *k = find_call(sc, h->xid);

	if (!k || (h->err == E_OPT && !k->xmt))
		return;
	run.off |= h->err == E_OPT;
	end_call(k, false, true);
}

/**
 * take_report - take a REPTERR about a Call
 * @sc: the connection
 * @h: the message, in REPLY direction
 */
static void take_report(struct sconn *sc, const struct hdr *h)
{
	struct rcall *k = find_call(sc, h->xid);
	struct rept x;

	if (!k || !k->xmt || rept_decode(&x, h) || x.bad.xid != h->xid ||
	    x.bad.dir != DIR_CALL)
		return;
	run.off = true;
	end_call(k, false, true);
}

/**
 * back_takes - take a message if it may be about a reverse Call
 * @s: the server
 * @sc: the connection
 * @m: the message
 * @h: the same taken apart
 *
 * Return: true if it is nothing else.
 */
bool back_takes(struct srv *s, struct sconn *sc, const struct rmsg *m,
		const struct hdr *h)
{
	if (h->proc == P_ERROR)
		take_error(sc, h);
	else if (h->proc <= P_NOMSG && h->dir == DIR_REPLY)
		take_msg(sc, m, h);
	else if (h->proc == P_OPTIONAL && h->opttype == O_XMTRESP)
		take_xmtresp(s, sc, m, h);
	else if (h->proc == P_OPTIONAL && h->opttype == O_REPTERR &&
		 h->dir == DIR_REPLY)
		take_report(sc, h);
	else
		return false;
	return true;
}

/**
 * transmissions - how many does a Call take?
 * @sc: the connection
 * @len: length of the Call
 *
 * Return: the number, 0 if it cannot be sent at all.
 */
static u32 transmissions(const struct sconn *sc, u32 len)
{
	const u32 both = RTRS_XREQ | RTRS_XCONT;
	u32 limit = sc->peer_limit, n;

	if (!sc->peer.brs)
		return 0;
	if (len <= limit - MSG_HEAD)
		return 1;
	if (run.off || (sc->peer.rtrsupp & both) != both)
		return 0;
	n = 1 + (len - (limit - FIRST_HEAD) + limit - LATER_HEAD - 1) /
	    (limit - LATER_HEAD);
	return n > sc->peer.reqrxlim || n > run.grant ? 0 : n;
}

/**
 * put_transmission - build one transmission of a Call
 * @b: gets it
 * @sc: the connection
 * @all: the Call
 * @at: how much of it is sent; moved on
 * @i: which of them
 * @n: how many there are
 */
static void put_transmission(struct buf *b, const struct sconn *sc,
			     const struct buf *all, size_t *at, u32 i, u32 n)
{
	size_t room = sc->peer_limit - (i ? LATER_HEAD : FIRST_HEAD), len;

	len = all->len - *at < room ? all->len - *at : room;
	buf_reset(b);
	wire_fixed(b, get_u32(all->p), 2, MAX_CALLS, n > 1 ? P_OPTIONAL : P_MSG);
	buf_u32(b, DIR_CALL);
	if (n == 1) {
		buf_fill(b, 0, 16);
	} else {
		buf_u32(b, i ? O_XMTCONT : O_XMTREQ);
		buf_u32(b, i ? 12 : 20);
		if (!i)
			buf_u64(b, 0);
		buf_u32(b, i ? i : n);
		buf_u32(b, i ? O_XMTREQ : 1);
		buf_u32(b, len);
	}
	buf_bytes(b, all->p + *at, len);
	*at += len;
}

/**
 * send_call - send a Call if there are credits for it
 * @sc: the connection
 * @k: the Call
 */
static void send_call(struct sconn *sc, struct rcall *k)
{
	u32 n = transmissions(sc, 40 + run.size), i;
	struct buf all, b;
	size_t at = 0;

	if (!n || run.used + run.owed + n > run.grant)
		return;
	buf_init(&all, 40 + run.size);
	buf_init(&b, NFS3_MAX_MSG);
	rpc_callback(&all, k->xid);
	buf_fill(&all, 0, run.size);
	for (i = 0; i < n; i++) {
		put_transmission(&b, sc, &all, &at, i, n);
		conn_send(sc->c, b.p, b.len, NULL);
	}
	k->credits = n;
	k->xmt = n > 1;
	k->nr = run.sent++;
	run.used += n;
	buf_free(&all);
	buf_free(&b);
}

/**
 * expire - give up a Call
 * @sc: the connection
 * @k: the Call
 *
 * It stays outstanding if it was sent. If nothing but such Calls have kept another
 * one from being sent, the connection is of no use.
 *
 * Return: true if it is gone.
 */
static bool expire(struct sconn *sc, struct rcall *k)
{
	unsigned int i;
	bool stuck = !k->credits && run.used;

	run.failed++;
	k->lost = true;
	if (k->credits)
		return false;
	for (i = 0; i < run.nr_call; i++)
		stuck &= run.call[i].lost;
	if (stuck && transmissions(sc, 40 + run.size))
		conn_disconnect(sc->c);
	*k = run.call[--run.nr_call];
	return true;
}

/**
 * open_calls - how many Calls wait for their end
 *
 * Return: the number.
 */
static unsigned int open_calls(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < run.nr_call; i++)
		n += !run.call[i].lost;
	return n;
}

/**
 * report_run - tell what came of a run
 */
static void report_run(void)
{
	char to[256];
	FILE *f = fopen(path(".new"), "w");

	run.on = false;
	if (!f)
		return;
	fprintf(f, "answered: %u\nfailed: %u\n", run.answered, run.failed);
	fclose(f);
	snprintf(to, sizeof(to), "%s", path(".new"));
	rename(to, path(""));
}

/**
 * read_run - look whether there is another run
 * @sc: the connection that it is for
 *
 * Return: true if so.
 */
static bool read_run(struct sconn *sc)
{
	unsigned int n[4];
	FILE *f = fopen(path(""), "r");
	int got = f ? fscanf(f, "%u %u %u %u", n, n + 1, n + 2, n + 3) : 0;

	if (f)
		fclose(f);
	if (got != 4)
		return false;
	/* Another connection may be where one was that is gone. */
	if (!sc->called_back) {
		sc->called_back = true;
		memset(&run, 0, sizeof(run));
		run.c = sc->c;
		run.grant = 1;
	}
	run.on = true;
	run.count = n[0];
	run.parallel = n[1];
	run.size = n[2];
	run.ms = n[3];
	run.begun = run.answered = run.failed = 0;
	return true;
}

/**
 * begin_call - begin another Call
 */
static void begin_call(void)
{
	struct rcall *k = &run.call[run.nr_call++];

	memset(k, 0, sizeof(*k));
	k->xid = next_xid++;
	k->expires = now_ms() + run.ms;
	run.begun++;
}

/**
 * back_poll - make reverse Calls
 * @s: the server
 *
 * The first failure ends a run.
 */
void back_poll(struct srv *s)
{
	struct sconn *sc = srv_current(s);
	unsigned int i;

	if (run.on && (!sc || sc->c != run.c || sc->c->gone)) {
		run.failed += open_calls();
		run.c = NULL;
		report_run();
	}
	if (!sc || (!run.on && !read_run(sc)))
		return;
	while (run.begun < run.count && !run.failed &&
	       open_calls() < run.parallel && run.nr_call < MAX_CALLS)
		begin_call();
	for (i = 0; i < run.nr_call; i++) {
		struct rcall *k = &run.call[i];

		if (!k->credits)
			send_call(sc, k);
		if (!k->lost && now_ms() > k->expires && expire(sc, k))
			i--;
	}
	if (!open_calls() && (run.begun == run.count || run.failed))
		report_run();
}
