// SPDX-License-Identifier: GPL-2.0
/*
 * Client role of the fuzzer: sends sequences to a server, many before it waits
 * for the answer to an honest call behind them, and judges all that comes.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz_client.h"
#include "rpc.h"

#define BURST		20	/* messages before a fence */
#define WITNESS_EVERY	512	/* sequences */
#define FENCE_XID	0xfe000000
#define XID(nr)		(0x10000000 + 16 * (nr))
#define OPENS		5
#define SCRATCH		"fuzz"	/* what WRITEs go to, beside the witness's file */
#define CALLS_MEM	2	/* memory that NOMSGs have their calls in */

/* Which kinds of connections take turns, and what each is made with */
static const u8 turns[] = {
	FK_PLACE, FK_CONT, FK_XCHG, FK_PLAIN, FK_CONT, FK_REVERSE, FK_PLACE,
	FK_RAW, FK_CONT, FK_XCHG, FK_PLACE, FK_PLAIN, FK_CONT, FK_XCHG,
	FK_REVERSE, FK_RAW,
};

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
 * kind_of - what kind of a connection a sequence goes over
 * @nr: its number
 *
 * Reverse Calls are made by a helper on the server.
 *
 * Return: FK_*.
 */
static enum fuzz_kind kind_of(u32 nr)
{
	enum fuzz_kind kind = turns[nr / FUZZ_BLOCK % ARRAY_SIZE(turns)];

	return kind == FK_REVERSE && !cfg.on_server ? FK_CONT : kind;
}

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
	fuzz_forget();
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
		if (h.dir == DIR_REPLY || h.opttype == O_REPTERR)
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
 * fence - see to it that the server reads what was sent, and goes on
 * @f: the fuzzer
 *
 * A connection that ends has been read, too.
 */
static void fence(struct fcli *f)
{
	u64 end = now_ms() + cfg.timeout;
	struct tmpl_env env = { .xid = ++f->fence };

	if (!f->s.c)
		return;
	f->seen = false;
	tmpl_build(&f->b, f->kind == FK_RAW ? NULLV1 : NULLMSG, &env);
	fcli_log_send(f, ~0u, &f->b);
	while (f->s.c && !f->seen && !f->r.v && now_ms() < end) {
		fcli_poll(f);
		if (!f->seen)
			nap();
	}
	if (f->s.c && !f->seen)
		result_fail(&f->r, "no answer to a NULL call behind sequences %u to %u",
			    f->fenced, f->nr - 1);
	if (f->r.v)
		return;
	f->fenced = f->nr;
	f->burst = 0;
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

/**
 * call_in_memory - put a call where a NOMSG may have it fetched from
 * @f: the fuzzer
 */
static void call_in_memory(struct fcli *f)
{
	struct mem *m = conn_mem(f->s.c, CALLS_MEM);
	struct buf b;

	buf_init(&b, 64);
	rpc_null(&b, f->c.env.xid, DIR_CALL);
	if (m)
		memcpy(m->p + 64 * (f->nr % 64), b.p, b.len);
	buf_free(&b);
}

/**
 * one - send the next sequence
 * @f: the fuzzer
 */
static void one(struct fcli *f)
{
	unsigned int i;

	f->c.env.xid = XID(f->nr);
	call_in_memory(f);
	fcli_make(f);
	for (i = 0; i < f->q.n && f->s.c && !f->r.v; i++) {
		fcli_put(f, &f->q.m[i]);
		fcli_poll(f);
	}
}

/**
 * block - send the sequences of a block
 * @f: the fuzzer
 * @until: the one behind the last
 *
 * What a new connection speaks is settled by its first sequence.
 */
static void block(struct fcli *f, u32 until)
{
	enum fuzz_kind kind = kind_of(f->nr);
	bool new;

	while (f->nr < until && !f->r.v) {
		new = !f->s.c;
		if (new && fcli_open(f, kind))
			return;
		one(f);
		if (f->burst >= BURST || (new && kind == FK_RAW) ||
		    f->nr == until)
			fence(f);
	}
	fcli_end(f);
}

/**
 * run - send all sequences
 * @f: the fuzzer
 * @until: the one behind the last
 */
static void run(struct fcli *f, u32 until)
{
	u32 asked = f->nr, end;

	while (f->nr < until && !f->r.v) {
		end = (f->nr / FUZZ_BLOCK + 1) * FUZZ_BLOCK;
		if (end > until)
			end = until;
		if (kind_of(f->nr) == FK_REVERSE)
			fuzz_reverse(f, end);
		else
			block(f, end);
		if (!f->r.v && (f->nr - asked >= WITNESS_EVERY || f->nr == until)) {
			witness_ask(&f->r);
			asked = f->nr;
		}
	}
}

/**
 * scratch_path - have WRITEs go to a file of their own
 *
 * It is in the folder of the one that the witness reads.
 */
static void scratch_path(void)
{
	static char path[512];
	const char *slash = strrchr(nfs_path, '/');

	snprintf(path, sizeof(path), "%.*s" SCRATCH,
		 slash ? (int)(slash + 1 - nfs_path) : 0, nfs_path);
	nfs_path = path;
}

/**
 * fuzz_client - send cfg.fuzz sequences to a server
 *
 * Return: exit status.
 */
int fuzz_client(void)
{
	struct fcli *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		abort();
	witness_start();
	scratch_path();
	buf_init(&f->b, FUZZ_ROOM + 8192);
	f->nr = cfg.from;
	f->fenced = cfg.from;
	f->fence = FENCE_XID;
	setvbuf(stdout, NULL, _IOLBF, 0);
	tally_start(&f->t, cfg.from, cfg.fuzz);
	run(f, cfg.from + cfg.fuzz);
	if (f->r.v) {
		printf("%s\n", f->r.why);
		tally_show(&f->t, f->fenced, f->nr);
	}
	fcli_end(f);
	witness_stop();
	rc = tally_end(&f->t, f->nr - cfg.from, "server", f->r.why);
	buf_free(&f->b);
	free(f);
	return rc;
}
