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

static const u8 turns[] = {
	FM_PARTS, FM_PLACE, FM_V41, FM_XCHG, FM_PARTS, FM_PLAIN, FM_V41,
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
	fuzz_log(seq, &f->b);
	srv_send(m->s, sc, &f->b);
	sc->nr_open = 0;
	sc->owed = 0;
	f->t.sent++;
	f->burst++;
}

/**
 * put_mark - send what the client has to answer
 * @m: the mount
 * @sc: the connection
 */
static void put_mark(struct fmount *m, struct sconn *sc)
{
	struct tmpl_env env = { .xid = ++fuzz_srv->mark };

	fuzz_srv->seen = false;
	tmpl_build(&fuzz_srv->b, "x 2 20 5 0 9 [ ]", &env);
	put_message(m, sc, ~0u);
}

/**
 * fence - see to it that the client reads what was sent
 * @m: the mount
 * @c: the connection
 *
 * A client may leave an answer out when it has no buffer for one. A connection
 * that ends has been read, too.
 */
static void fence(struct fmount *m, const struct conn *c)
{
	struct fsrv *f = fuzz_srv;
	u64 end = now_ms() + cfg.timeout, again = 0;
	struct sconn *sc;

	f->seen = false;
	while ((sc = fmount_conn(m, c)) && !f->seen && !f->r.v &&
	       now_ms() < end) {
		if (now_ms() > again) {
			put_mark(m, sc);
			again = now_ms() + MARK_MS;
		}
		fmount_poll(m);
		fmount_work(m, true);
		if (!f->seen)
			nap();
	}
	if (sc && !f->seen)
		result_fail(&f->r, "the client does not read what is behind sequences %u to %u",
			    f->fenced, f->nr);
	if (f->r.v)
		return;
	f->burst = 0;
	f->fenced = f->nr;
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
		if (sc && sc->vers == 2 && (m->nr_calls || now_ms() >= enough))
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
 * one - send the next sequence
 * @m: the mount
 *
 * What it answers is one of the Calls that wait, or it answers nothing.
 */
static void one(struct fmount *m)
{
	struct fsrv *f = fuzz_srv;
	struct sconn *sc = await(m);
	struct fcall *k;
	struct conn *c;

	if (!sc)
		return;
	rng_start(&f->c.r, cfg.seed, f->nr);
	k = fmount_call(m, &f->c.r);
	f->without = k ? 0 : f->without + 1;
	if (k)
		sc = fmount_conn(m, k->c);
	c = sc->c;
	context(m, sc, k);
	f->q.nr = f->nr;
	fuzz_generate(&f->q, &f->c);
	fuzz_mutate(&f->q, &f->c);
	tally_sequence(&f->t, &f->q, &f->c);
	f->nr++;
	send_sequence(m, c);
	if (k)
		used(m, k);
	fmount_poll(m);
	if (f->burst >= BURST)
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
