// SPDX-License-Identifier: GPL-2.0
/*
 * Server role of the fuzzer: this kernel's client has mounted from the peer, in
 * several ways, and applications work there. Their Calls wait while sequences are
 * sent, some in answer to them and some not, and are answered in the end.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz_server.h"
#include "xmt.h"

#define BURST		10	/* messages before a mark */
#define MARK_XID	0x7e000000
#define MARK_MS		250
#define OWN(nr)		(0x100000 + 16 * (nr))
#define WITNESS_EVERY	512
#define WAIT_MS		300	/* for a Call, before sequences go without */
#define WITHOUT		6	/* sequences that go without before that */
#define AGAIN_MS	50	/* for one, before the last are answered again */
#define GONE_MS		60000	/* for a client that has closed to come back */
#define USES		6	/* sequences that one Call is answered by, at most */
#define V41_MS		4000	/* how long the Call of a mount may wait */
#define REPLIES		16	/* one in so many sequences is an answer to that */
#define ASKED		50	/* connections in vain before reverse Calls must work */

/* What has to be answered: an unknown option, by an ERROR; or reverse Calls, where
 * there is a service for them
 */
enum mark { MARK_OPTION, MARK_CALL, MARK_GROUP };

static const char * const marks[][2] = {
	[MARK_OPTION] = { "x 2 20 5 0 9 [ ]" },
	[MARK_CALL] = { "x 2 20 0 0 0 0 0 0 cbnull" },
	[MARK_GROUP] = { "x 2 20 5 0 5 [ 0 0 2 1 ps ] { x 0 2 40000000 1 0 }",
			 "x 2 20 5 0 7 [ 1 5 ps ] { zero:16 }" },
};

static const u8 turns[] = {
	FM_PARTS, FM_PLACE, FM_V41, FM_PLAIN, FM_PARTS, FM_XCHG, FM_PLAIN,
	FM_PLACE,
};

struct fsrv *fuzz_srv;

/**
 * mount_for - which mount a sequence goes to
 * @nr: its number
 *
 * Return: the mount.
 */
static struct fmount *mount_for(u32 nr)
{
	enum fuzz_mount kind = turns[nr / FUZZ_BLOCK % ARRAY_SIZE(turns)];

	return &fuzz_srv->m[kind == FM_V41 && !app_nfs4 ? FM_PARTS : kind];
}

/**
 * put_message - send a message
 * @m: the mount
 * @sc: the connection
 * @seq: number of its sequence
 *
 * Which Calls a spoiled message ends is not for us to say: they are not counted.
 */
static void put_message(struct fmount *m, struct sconn *sc, u32 seq)
{
	struct fsrv *f = fuzz_srv;

	m->loose |= fuzz_changes(&f->b);
	f->seq = seq;
	srv_send(m->s, sc, &f->b);
	f->seq = ~0u;
	sc->nr_open = 0;
	sc->owed = 0;
	f->t.sent++;
	f->burst++;
}

/**
 * put_mark - send what the client has to answer
 * @m: the mount
 * @sc: the connection
 * @how: MARK_*
 */
static void put_mark(struct fmount *m, struct sconn *sc, enum mark how)
{
	struct tmpl_env env = { .xid = ++fuzz_srv->mark };
	size_t i;

	fuzz_srv->seen = false;
	for (i = 0; i < ARRAY_SIZE(marks[how]) && marks[how][i]; i++) {
		tmpl_build(&fuzz_srv->b, marks[how][i], &env);
		put_message(m, sc, ~0u);
	}
}

/**
 * fence_by - see to it that the client reads what was sent
 * @m: the mount
 * @c: the connection
 * @how: MARK_*
 *
 * A client may leave an ERROR out when it has no buffer for one, but a reverse Call
 * that it has granted a credit for is answered. A connection that ends has been read,
 * too.
 */
static void fence_by(struct fmount *m, const struct conn *c, enum mark how)
{
	struct fsrv *f = fuzz_srv;
	u64 end = now_ms() + cfg.timeout, again = 0;
	struct sconn *sc;

	f->seen = false;
	while ((sc = fmount_conn(m, c)) && !f->seen && !f->r.v &&
	       now_ms() < end) {
		if (now_ms() > again) {
			put_mark(m, sc, how);
			again = how == MARK_OPTION ? now_ms() + MARK_MS : end;
		}
		fmount_poll(m);
		fmount_work(m, true);
		if (!f->seen)
			nap();
	}
	if (sc && !f->seen)
		result_fail(&f->r, "the client does not %s behind sequences %u to %u",
			    how == MARK_OPTION ? "read what is" :
			    "answer a reverse Call", f->fenced, f->nr);
	if (f->r.v)
		return;
	f->burst = 0;
	f->fenced = f->nr;
}

/**
 * takes_calls - has a connection had a callback service?
 * @m: the mount
 * @c: the connection
 *
 * What is sent may end the mount, and its service. The connection has to end then,
 * whatever Calls are left.
 *
 * Return: true if so.
 */
static bool takes_calls(const struct fmount *m, const struct conn *c)
{
	return m->served == c;
}

/**
 * fence - see to it that the client reads what was sent, and goes on
 * @m: the mount
 * @c: the connection
 */
static void fence(struct fmount *m, const struct conn *c)
{
	fence_by(m, c, takes_calls(m, c) ? MARK_CALL : MARK_OPTION);
}

/**
 * ask - have reverse Calls answered on a connection that is new
 * @m: the mount
 * @c: the connection, on which the first COMPOUND waits
 * @group: a Call may take several transmissions, too
 *
 * Until two are answered, the client has granted credits for no more than one.
 */
static void ask(struct fmount *m, const struct conn *c, bool group)
{
	fence_by(m, c, MARK_CALL);
	fence_by(m, c, MARK_CALL);
	if (group)
		fence_by(m, c, MARK_GROUP);
	if (fmount_conn(m, c)) {
		m->served = c;
		m->asked = 0;
	} else if (++m->asked > ASKED) {
		result_fail(&fuzz_srv->r, "the client answers no reverse Call");
	}
}

/**
 * remount - begin anew with a mount
 * @m: the mount
 */
static void remount(struct fmount *m)
{
	fuzz_srv->remounts++;
	fmount_close(m);
	if (!fuzz_srv->r.v)
		fmount_open(m, m->kind);
}

/**
 * ready - can a sequence be sent?
 * @m: the mount
 * @sc: its connection, or NULL
 * @enough: when no Call needs to be waited for any more
 *
 * By NFSv4.1 it cannot before the first COMPOUND, nor after that is answered.
 *
 * Return: true if so.
 */
static bool ready(const struct fmount *m, const struct sconn *sc, u64 enough)
{
	if (!sc || sc->vers != 2)
		return false;
	if (m->kind == FM_V41)
		return fmount_waits(m, sc->c);
	return m->nr_calls || now_ms() >= enough;
}

/**
 * await - wait for a connection of version 2, and if possible for a Call
 * @m: the mount
 *
 * One that has gone back to version 1 for good is of no use any more.
 *
 * Return: the connection, or NULL if something is wrong.
 */
static struct sconn *await(struct fmount *m)
{
	u64 now = now_ms(), end = now + GONE_MS;
	u64 enough = fuzz_srv->without < WITHOUT ? now : now + WAIT_MS;
	struct sconn *sc;

	while (!fuzz_srv->r.v) {
		if (!m->nr_calls && now_ms() > now + AGAIN_MS)
			fmount_again(m);
		fmount_poll(m);
		fmount_work(m, true);
		sc = fmount_conn(m, NULL);
		if (ready(m, sc, enough))
			return sc;
		if (now_ms() > end || (sc && sc->vers == 1)) {
			remount(m);
			end = now_ms() + GONE_MS;
		}
		nap();
	}
	return NULL;
}

/**
 * context - find out what may be sent
 * @m: the mount
 * @sc: the connection
 * @k: a Call that waits on it, or NULL
 */
static void context(struct fmount *m, struct sconn *sc, struct fcall *k)
{
	struct fsrv *f = fuzz_srv;
	struct rng r = f->c.r;

	f->c = (struct fuzz_ctx) {
		.server = true, .xchg = m->kind == FM_XCHG,
		.rt = sc->peer.rtrsupp & RTRS_XREQ,
		.cont = sc->peer.rtrsupp & RTRS_XCONT,
		.own = OWN(f->nr), .r = r,
		.env = { .c = sc->c, .lay = &sc->peer_lay, .peer = &sc->peer },
	};
	if (!k)
		return;
	f->c.call = k->h;
	f->c.honest = k->honest;
	f->c.nr_honest = k->nr_honest;
	f->c.env.xid = k->h->xid;
	f->c.env.call = k->h;
	f->c.env.honest = k->honest;
	f->c.env.honest_hlen = k->hlen;
	f->c.env.full = &k->full;
}

/**
 * send_sequence - send the sequence that was made
 * @m: the mount
 * @c: the connection
 */
static void send_sequence(struct fmount *m, const struct conn *c)
{
	struct fsrv *f = fuzz_srv;
	struct sconn *sc;
	unsigned int i;

	for (i = 0; i < f->q.n && (sc = fmount_conn(m, c)) && !f->r.v; i++) {
		if (fz_build(&f->b, &f->q.m[i], &f->c))
			f->t.unbuilt++;
		else
			put_message(m, sc, f->q.nr);
	}
}

/**
 * used - look whether a Call is to be answered
 * @m: the mount
 * @k: the Call
 *
 * By NFSv4.1 that ends the mount, while reverse Calls may be under way.
 */
static void used(struct fmount *m, struct fcall *k)
{
	bool over = ++k->used >= USES || !rng_below(&fuzz_srv->c.r, 3);

	if (m->kind == FM_V41)
		over = now_ms() > k->since + V41_MS;
	if (over)
		fmount_settle(m, k);
}

/**
 * answers - is a sequence to be an answer to a Call that waits?
 * @m: the mount
 *
 * By NFSv4.1 most are not: an answer ends the mount, reverse Calls do not.
 *
 * Return: true if so.
 */
static bool answers(const struct fmount *m)
{
	return m->kind != FM_V41 || !rng_below(&fuzz_srv->c.r, REPLIES);
}

/**
 * one - send the next sequence
 * @m: the mount
 *
 * What it answers is one of the Calls that wait, or it answers nothing. Behind each
 * that is sent to who takes reverse Calls comes one of these, so that there are credits
 * for the next.
 */
static void one(struct fmount *m)
{
	struct fsrv *f = fuzz_srv;
	struct sconn *sc = await(m);
	struct fcall *k;
	struct conn *c;
	bool answer;

	if (!sc)
		return;
	if (m->kind == FM_V41 && m->served != sc->c) {
		ask(m, sc->c, sc->peer.rtrsupp & RTRS_XCONT);
		return;
	}
	rng_start(&f->c.r, cfg.seed, f->nr);
	k = fmount_call(m, &f->c.r);
	f->without = k ? 0 : f->without + 1;
	if (k)
		sc = fmount_conn(m, k->c);
	c = sc->c;
	answer = k && answers(m);
	context(m, sc, answer ? k : NULL);
	f->q.nr = f->nr;
	fuzz_generate(&f->q, &f->c);
	fuzz_mutate(&f->q, &f->c);
	tally_sequence(&f->t, &f->q, &f->c);
	f->nr++;
	send_sequence(m, c);
	if (k)
		used(m, k);
	fmount_poll(m);
	if (f->burst >= (takes_calls(m, c) ? 1 : BURST))
		fence(m, c);
}

/**
 * leave - end the work on a mount for now
 * @m: the mount
 */
static void leave(struct fmount *m)
{
	struct sconn *sc = fmount_conn(m, NULL);

	if (sc && sc->vers == 2)
		fence(m, sc->c);
	fuzz_srv->burst = 0;
	m->up = false;
	fmount_settle_all(m);
	m->up = true;
}

/**
 * run - send all sequences
 * @until: the one behind the last
 *
 * Mounts that are not in use are served, too.
 */
static void run(u32 until)
{
	struct fsrv *f = fuzz_srv;
	struct fmount *m = NULL, *next;
	u32 asked = f->nr;
	int i;

	while (f->nr < until && !f->r.v) {
		next = mount_for(f->nr);
		if (m && next != m)
			leave(m);
		m = next;
		one(m);
		for (i = 0; i < NR_FM; i++) {
			if (&f->m[i] == m || !f->m[i].s)
				continue;
			fmount_settle_all(&f->m[i]);
			fmount_poll(&f->m[i]);
			fmount_work(&f->m[i], false);
		}
		if (f->nr - asked >= WITNESS_EVERY) {
			fuzz_witness_ask(&f->r);
			asked = f->nr;
		}
	}
	if (m && !f->r.v)
		leave(m);
}

/**
 * show_apps - print how the operations on the mounts ended
 */
static void show_apps(void)
{
	unsigned long ok = 0, failed = 0;
	unsigned int i;

	for (i = 0; i < NR_FM * FUZZ_WORKERS; i++) {
		ok += app_beats[i].ok;
		failed += app_beats[i].failed;
	}
	printf("operations: %lu went well, %lu failed; mounts made anew: %u\n",
	       ok, failed, fuzz_srv->remounts);
}

/**
 * open_all - have the kernel mount in all ways
 */
static void open_all(void)
{
	int i;

	for (i = 0; i < NR_FM && !fuzz_srv->r.v; i++)
		if (i != FM_V41 || app_nfs4)
			fmount_open(&fuzz_srv->m[i], i);
}

/**
 * close_all - unmount
 */
static void close_all(void)
{
	int i;

	for (i = 0; i < NR_FM; i++)
		if (fuzz_srv->m[i].s)
			fmount_close(&fuzz_srv->m[i]);
}

/**
 * fuzz_server - send cfg.fuzz sequences to this kernel's client
 *
 * Return: exit status.
 */
int fuzz_server(void)
{
	struct fsrv *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		abort();
	fuzz_srv = f;
	app_beats_start(NR_FM * FUZZ_WORKERS);
	buf_init(&f->b, FUZZ_ROOM + 8192);
	f->nr = cfg.from;
	f->fenced = cfg.from;
	f->seq = ~0u;
	f->mark = MARK_XID;
	setvbuf(stdout, NULL, _IOLBF, 0);
	tally_start(&f->t, cfg.from, cfg.fuzz);
	fuzz_witness_start(&f->r);
	if (!f->r.v)
		open_all();
	if (!f->r.v)
		run(cfg.from + cfg.fuzz);
	if (!f->r.v)
		fuzz_witness_ask(&f->r);
	if (f->r.v) {
		printf("%s\n", f->r.why);
		tally_show(&f->t, f->fenced, f->nr);
	}
	close_all();
	fuzz_witness_stop();
	show_apps();
	rc = tally_end(&f->t, f->nr - cfg.from, "client", f->r.why);
	buf_free(&f->b);
	free(f);
	return rc;
}
