// SPDX-License-Identifier: GPL-2.0
/* Server role of the fuzzer: mounts, the work on them, and Calls that wait. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_server.h"
#include "srv_place.h"

#define WORK		16	/* operations that a worker is started for */
#define CALL_MS		240000	/* what one may take */
#define TIMEO		200	/* for an answer, at most, in tenths of a second */

#define LAY		"7:4096 2*4096p"
#define USUAL		(S_ANYBACK | S_BACK | S_MAYDISC)

static const struct srv_case kinds[NR_FM] = {
	[FM_PLACE] = { .name = "fuzz placement", .lay = LAY, .flags = USUAL },
	[FM_PARTS] = { .name = "fuzz groups", .lay = LAY, .flags = USUAL,
		       .how = HOW_PARTS, .io = 16384 },
	[FM_XCHG] = { .name = "fuzz characteristics", .lay = LAY,
		      .flags = USUAL },
	[FM_PLAIN] = { .name = "fuzz chunks", .flags = USUAL },
	[FM_V41] = { .name = "fuzz reverse", .lay = LAY,
		     .flags = USUAL | S_V41 },
};

/**
 * call_free - forget a Call
 * @k: the Call
 */
static void call_free(struct fcall *k)
{
	unsigned int i;

	for (i = 0; i < k->nr_honest; i++)
		buf_free(&k->honest[i]);
	buf_free(&k->full);
	free(k->h);
	free(k);
}

/**
 * copy - copy a message
 * @to: gets the copy
 * @from: the message
 */
static void copy(struct buf *to, const struct buf *from)
{
	buf_init(to, from->len + 64);
	buf_bytes(to, from->p, from->len);
}

/**
 * mount_of - find the mount that a server serves
 * @s: the server
 *
 * Return: the mount.
 */
static struct fmount *mount_of(const struct srv *s)
{
	int i = 0;

	while (fuzz_srv->m[i].s != s)
		i++;
	return &fuzz_srv->m[i];
}

/**
 * send_honest - answer a Call as is due
 * @m: its mount
 * @k: the Call
 */
static void send_honest(struct fmount *m, const struct fcall *k)
{
	struct sconn *sc = fmount_conn(m, k->c);
	unsigned int i;

	for (i = 0; sc && i < k->nr_honest; i++)
		srv_send(m->s, sc, &k->honest[i]);
}

/**
 * may_wait - is a Call one for sequences to be sent before it is answered?
 * @m: its mount
 * @sc: the connection
 *
 * By NFSv4.1 only the first COMPOUND is: what comes before it is a NULL call, and
 * there is no callback service until that is answered.
 *
 * Return: true if so.
 */
static bool may_wait(const struct fmount *m, const struct sconn *sc)
{
	return m->up && sc->vers == 2 && m->nr_calls < FUZZ_CALLS &&
	       (m->kind != FM_V41 || m->s->rep.proc == NFS4_COMPOUND);
}

/**
 * wait_call - keep a Call until it is answered; takes the place of srv_finish()
 * @s: the server
 * @sc: the connection
 * @h: the Call
 * @env: its honest reply
 */
static void wait_call(struct srv *s, struct sconn *sc, const struct hdr *h,
		      struct tmpl_env *env)
{
	struct fcall *k = calloc(1, sizeof(*k));
	struct fmount *m = mount_of(s);
	u32 i;

	if (!k)
		abort();
	k->h = malloc(sizeof(*k->h));
	if (!k->h)
		abort();
	hdr_copy(k->h, h);
	k->c = sc->c;
	k->since = now_ms();
	k->hlen = env->honest_hlen;
	copy(&k->full, env->full);
	copy(&k->honest[k->nr_honest++], &s->out);
	for (i = 0; i < s->nr_more; i++)
		copy(&k->honest[k->nr_honest++], &s->more[i]);
	if (may_wait(m, sc)) {
		m->calls[m->nr_calls++] = k;
		return;
	}
	send_honest(m, k);
	call_free(k);
}

/**
 * judge - judge a message of the client's that is no Call
 * @sc: the connection
 * @m: the message
 * @h: the same taken apart
 * @bad: gets what is wrong, or NULL
 *
 * Return: false if it is a Call, or leads to something.
 */
static bool judge(struct sconn *sc, const struct rmsg *m, const struct hdr *h,
		  const char **bad)
{
	unsigned int at = 0;
	struct upd u;

	*bad = NULL;
	if (h->proc == P_ERROR) {
		*bad = fuzz_judge_error(h, true);
	} else if (h->proc <= P_NOMSG && h->vers == 2 && h->dir == DIR_REPLY) {
		*bad = fuzz_judge_reply(m, h);
	} else if (h->proc != P_OPTIONAL) {
		return false;
	} else if (h->opttype == O_UPDXCH) {
		if (wire_upd(&u, h))
			*bad = "malformed UPDXCH";
		else if (u.which == XC_RBSIZ)
			sc->peer_limit = u.value;
	} else if (h->opttype == O_XMTRESP && h->dir == DIR_REPLY) {
		if (!fuzz_sent(h->xid, &at))
			*bad = "XMTRESP to nothing";
	} else if (h->opttype == O_REPTERR || h->dir == DIR_REPLY) {
		*bad = fuzz_judge_control(m, h);
	} else {
		return false;
	}
	return true;
}

/**
 * fault - the client did what it must not, whatever it knows of us
 * @s: the server
 * @m: the message
 * @what: what is wrong
 */
static void fault(struct srv *s, const struct rmsg *m, const char *what)
{
	struct result *r = s->r;

	s->r = &fuzz_srv->r;
	srv_fault(s, m, what);
	s->r = r;
}

/**
 * take_answer - take a message that is no Call; comes before srv_message()
 * @s: the server
 * @sc: the connection
 * @m: the message
 * @h: the same taken apart
 *
 * Return: true if that was all.
 */
static bool take_answer(struct srv *s, struct sconn *sc, const struct rmsg *m,
			const struct hdr *h)
{
	const char *bad;

	if (!judge(sc, m, h, &bad))
		return false;
	if (bad)
		fault(s, m, bad);
	else if (h->proc != P_OPTIONAL || h->opttype != O_UPDXCH)
		tally_answer(&fuzz_srv->t, h);
	fuzz_srv->seen |= h->xid == fuzz_srv->mark;
	return true;
}

/**
 * note - note a message that is sent, also one that no sequence and no Call is behind
 * @b: the message
 *
 * The client may report each that comes inside a group.
 */
static void note(const struct buf *b)
{
	fuzz_log(fuzz_srv->seq, b);
}

/**
 * fmount_open - have the kernel mount
 * @m: the mount
 * @kind: FM_*
 *
 * With FM_V41 a worker does, over and over.
 */
void fmount_open(struct fmount *m, enum fuzz_mount kind)
{
	int err;

	memset(m, 0, sizeof(*m));
	m->kind = kind;
	m->s = malloc(sizeof(*m->s));
	if (!m->s)
		abort();
	if (srv_open(m->s, &kinds[kind], &m->r)) {
		result_fail(&fuzz_srv->r, "%.900s", m->r.why);
		return;
	}
	/* Spoiled replies are the rule: also a slow machine waits for each but so long. */
	if (m->s->timeo > TIMEO)
		m->s->timeo = TIMEO;
	m->s->take = take_answer;
	m->s->finish = wait_call;
	m->s->notes = note;
	err = kind == FM_V41 ? 0 : srv_mount(m->s);
	if (err)
		result_fail(&fuzz_srv->r, "mount: %s", strerror(err));
	m->up = true;
}

/**
 * fmount_conn - find a connection that is up
 * @m: the mount
 * @c: the connection, or NULL for the newest
 *
 * Return: what a server knows of it, or NULL.
 */
struct sconn *fmount_conn(struct fmount *m, const struct conn *c)
{
	unsigned int i;

	for (i = m->s->nr_sc; i--; )
		if (!m->s->sc[i].dead && !m->s->sc[i].c->gone &&
		    (!c || m->s->sc[i].c == c))
			return &m->s->sc[i];
	return NULL;
}

/**
 * fmount_settle - answer a Call as is due, and forget it
 * @m: the mount
 * @k: the Call
 */
void fmount_settle(struct fmount *m, struct fcall *k)
{
	unsigned int i = 0;

	while (m->calls[i] != k)
		i++;
	m->calls[i] = m->calls[--m->nr_calls];
	send_honest(m, k);
	if (m->nr_late == FUZZ_CALLS) {
		call_free(m->late[0]);
		memmove(m->late, m->late + 1,
			--m->nr_late * sizeof(m->late[0]));
	}
	m->late[m->nr_late++] = k;
}

/**
 * fmount_again - answer the last Calls once more, as is due
 * @m: the mount
 *
 * An honest reply that comes inside a group which a spoiled message has begun is
 * lost: its Call would wait until its time is up.
 */
void fmount_again(struct fmount *m)
{
	while (m->nr_late) {
		struct fcall *k = m->late[--m->nr_late];

		send_honest(m, k);
		call_free(k);
	}
}

/**
 * fmount_settle_all - answer all Calls
 * @m: the mount
 */
void fmount_settle_all(struct fmount *m)
{
	while (m->nr_calls)
		fmount_settle(m, m->calls[0]);
}

/**
 * fmount_call - choose a Call to be answered
 * @m: the mount
 * @r: numbers
 *
 * Return: the Call, or NULL if none waits.
 */
struct fcall *fmount_call(struct fmount *m, struct rng *r)
{
	struct fcall *k;

	while (m->nr_calls) {
		k = m->calls[rng_below(r, m->nr_calls)];
		if (fmount_conn(m, k->c))
			return k;
		fmount_settle(m, k);
	}
	return NULL;
}

/**
 * fmount_waits - does a Call wait on a connection?
 * @m: the mount
 * @c: the connection
 *
 * Return: true if so.
 */
bool fmount_waits(const struct fmount *m, const struct conn *c)
{
	unsigned int i;

	for (i = 0; i < m->nr_calls; i++)
		if (m->calls[i]->c == c)
			return true;
	return false;
}

/**
 * start - start a worker
 * @m: the mount
 * @i: which
 */
static void start(struct fmount *m, unsigned int i)
{
	unsigned int nr = m->kind * FUZZ_WORKERS + i;
	char text[512];

	if (m->kind == FM_V41) {
		srv_mount_options(m->s, text, sizeof(text));
		app_beats[nr].since = now_ms();
		app_start(&m->app[i], "mount", m->s->dir, text);
	} else {
		snprintf(text, sizeof(text), "mix:%u:%u:%u", fuzz_srv->nr, WORK,
			 nr);
		app_start(&m->app[i], text, m->s->dir, NULL);
	}
	m->busy[i] = true;
}

/**
 * fmount_work - see to the workers of a mount
 * @m: the mount
 * @more: start those that are done anew
 */
void fmount_work(struct fmount *m, bool more)
{
	unsigned int n = m->kind == FM_V41 ? 1 : app_workers, i;

	for (i = 0; i < n; i++) {
		u64 since = app_beats[m->kind * FUZZ_WORKERS + i].since;

		if (m->busy[i] && app_poll(&m->app[i]))
			m->busy[i] = false;
		else if (m->busy[i] && since && now_ms() > since + CALL_MS)
			result_fail(&fuzz_srv->r, "%s: a system call does not return",
				    kinds[m->kind].name);
		if (!m->busy[i] && more)
			start(m, i);
	}
}

/**
 * working - is there a worker that is not done?
 * @m: the mount
 *
 * Return: true if so.
 */
static bool working(struct fmount *m)
{
	unsigned int i;

	fmount_work(m, false);
	for (i = 0; i < FUZZ_WORKERS; i++)
		if (m->busy[i])
			return true;
	return false;
}

/**
 * stands - is what a server found wrong so, whatever the client knows of it?
 * @m: the mount
 *
 * Lengths, groups and places depend on what spoiled exchanges have told it.
 *
 * Return: true if so.
 */
static bool stands(const struct fmount *m)
{
	static const char * const always[] = {
		"MALFORMED", "credits", "with another", "version", "Invalidate",
		"first message",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(always); i++)
		if (strstr(m->r.why, always[i]))
			return true;
	return !m->loose;
}

/**
 * lost - a connection has ended, and the Calls that waited on it are lost
 * @m: the mount
 * @c: the connection
 */
static void lost(struct fmount *m, const struct conn *c)
{
	unsigned int i;

	fuzz_srv->t.closes++;
	for (i = m->nr_calls; i--; )
		if (m->calls[i]->c == c)
			fmount_settle(m, m->calls[i]);
	if (m->served == c)
		m->served = NULL;
}

/**
 * fmount_poll - take what has come by a mount
 * @m: the mount
 */
void fmount_poll(struct fmount *m)
{
	unsigned int i;

	srv_poll(m->s);
	if (m->r.v && stands(m))
		result_fail(&fuzz_srv->r, "%.900s", m->r.why);
	m->r.v = PASS;
	for (i = 0; i < m->s->nr_sc; i++)
		if (m->s->sc[i].dead)
			lost(m, m->s->sc[i].c);
	srv_forget_dead(m->s);
}

/**
 * fmount_close - let the workers end, and unmount
 * @m: the mount
 */
void fmount_close(struct fmount *m)
{
	unsigned int i;

	m->up = false;
	fmount_settle_all(m);
	fmount_again(m);
	while (working(m) && !fuzz_srv->r.v) {
		fmount_poll(m);
		nap();
	}
	for (i = 0; i < FUZZ_WORKERS; i++)
		if (m->busy[i])
			app_kill(&m->app[i]);
	if (fuzz_srv->r.v)
		srv_clean_up();
	else if (m->kind != FM_V41 && srv_app(m->s, "umount", NULL))
		result_fail(&fuzz_srv->r, "umount");
	rmdir(m->s->dir);
	srv_free(m->s);
	m->s = NULL;
}
