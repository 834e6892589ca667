// SPDX-License-Identifier: GPL-2.0
/* Client role of the fuzzer: a connection, what goes over it and what comes back. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_client.h"

#define OPENS	5

/* What each kind of connection is made with */
static const struct {
	const char *name, *lay;
	unsigned int flags;
} kinds[NR_FK] = {
	[FK_PLAIN] = { "plain", NULL, C_BIG },
	[FK_PLACE] = { "placement", "6:4096 2*4096p", 0 },
	[FK_CONT] = { "groups", "7:4096 2*4096p", 0 },
	[FK_XCHG] = { "characteristics", "7:4096 2*4096p", 0 },
	[FK_RAW] = { "before version 2", NULL, C_RAW },
	[FK_REVERSE] = { "reverse", "7:4096 2*4096p", 0 },
};

/**
 * fcli_end - end the connection
 * @f: the fuzzer
 */
void fcli_end(struct fcli *f)
{
	group_free(&f->resp);
	cli_close(&f->s);
	f->burst = 0;
	if (!f->r.v)
		f->fenced = f->nr;
}

/**
 * open_once - try to connect, and find out what may be sent
 * @f: the fuzzer
 * @r: gets the reason of a failure
 *
 * Return: 0, or -1.
 */
static int open_once(struct fcli *f, struct result *r)
{
	struct cli *s = &f->s;

	memset(r, 0, sizeof(*r));
	if (cli_open_lay(s, r, kinds[f->kind].flags, kinds[f->kind].lay)) {
		cli_close(s);
		return -1;
	}
	s->r = &f->r;
	f->c = (struct fuzz_ctx) {
		.raw = f->kind == FK_RAW, .xchg = f->kind == FK_XCHG,
		.rt = s->lay.nsegs && s->peer.rtrsupp & RTRS_XREQ,
		.cont = s->lay.nsegs && s->peer.rtrsupp & RTRS_XCONT,
		.env = { .c = s->c, .lay = &s->peer_lay, .peer = &s->peer },
	};
	return 0;
}

/**
 * fcli_open - make a connection
 * @f: the fuzzer
 * @kind: what it is to be like
 *
 * Return: 0, or -1.
 */
int fcli_open(struct fcli *f, enum fuzz_kind kind)
{
	struct result r = { .v = PASS };
	int i;

	fcli_end(f);
	f->kind = kind;
	f->loose = kind == FK_RAW;
	f->reverse = NULL;
	fuzz_forget(kind == FK_RAW ? 0 : 2);
	for (i = 0; i < OPENS; i++)
		if (!open_once(f, &r))
			return 0;
	result_fail(&f->r, "no new connection: %.900s", r.why);
	return -1;
}

/**
 * fcli_log_send - send a message
 * @f: the fuzzer
 * @seq: number of its sequence
 * @b: the message
 */
void fcli_log_send(struct fcli *f, u32 seq, const struct buf *b)
{
	f->loose |= fuzz_changes(b);
	fuzz_log(seq, b);
	if (cfg.verbose)
		printf("#   > %s\n", wire_brief(b->p, b->len));
	if (!conn_send(f->s.c, b->p, b->len, NULL))
		f->t.sent++;
	f->burst++;
}

/**
 * fcli_put - send a message of the sequence under way
 * @f: the fuzzer
 * @m: the message
 */
void fcli_put(struct fcli *f, const struct fmsg *m)
{
	if (fz_build(&f->b, m, &f->c)) {
		f->t.unbuilt++;
		return;
	}
	fcli_log_send(f, f->q.nr, &f->b);
}

/**
 * count_close - the server has closed the connection
 * @f: the fuzzer
 */
static void count_close(struct fcli *f)
{
	f->t.closes++;
	if (cfg.verbose)
		printf("#   closed: %s\n", f->s.c->why);
	fcli_end(f);
}

/**
 * take - take a message of the server's
 * @f: the fuzzer
 * @m: the message, freed here
 */
static void take(struct fcli *f, struct rmsg *m)
{
	static struct hdr h;
	const char *bad;

	if (cfg.verbose)
		printf("#   < %s\n", wire_brief(m->data, m->len));
	bad = wire_decode(&h, m->data, m->len) ? h.why : fcli_judge(f, m, &h);
	if (bad) {
		cli_fail(&f->s, bad, m);
	} else {
		f->seen |= h.xid == f->fence;
		if (h.vers == 1 || h.dir == DIR_REPLY ||
		    h.opttype == O_REPTERR)
			tally_answer(&f->t, &h);
	}
	free(m);
}

/**
 * fcli_poll - take what has come
 * @f: the fuzzer
 */
void fcli_poll(struct fcli *f)
{
	struct rmsg *m;

	if (!f->s.c)
		return;
	conn_poll(f->s.c);
	while (!f->r.v && (m = conn_take(f->s.c)))
		take(f, m);
	if (f->s.c->gone)
		count_close(f);
}

/**
 * fcli_make - make the next sequence
 * @f: the fuzzer
 */
void fcli_make(struct fcli *f)
{
	rng_start(&f->c.r, cfg.seed, f->nr);
	f->q.nr = f->nr;
	fuzz_generate(&f->q, &f->c);
	fuzz_mutate(&f->q, &f->c);
	tally_sequence(&f->t, &f->q, &f->c);
	f->nr++;
}
