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
#define RAW_EACH	8	/* sequences of a connection that has to settle */
#define WITNESS_EVERY	512	/* sequences */
#define FENCE_XID	0xfe000000
#define XID(nr)		(0x10000000 + 16 * (nr))
#define SCRATCH		"fuzz"	/* what WRITEs go to, beside the witness's file */
#define CALLS_MEM	2	/* memory that NOMSGs have their calls in */

/* Which kinds of connections take turns */
static const u8 turns[] = {
	FK_PLACE, FK_CONT, FK_XCHG, FK_PLAIN, FK_CONT, FK_REVERSE, FK_PLACE,
	FK_RAW, FK_CONT, FK_XCHG, FK_PLACE, FK_PLAIN, FK_CONT, FK_XCHG,
	FK_CONT, FK_RAW,
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
	bool new, over;

	while (f->nr < until && !f->r.v) {
		new = !f->s.c;
		if (new && fcli_open(f, kind))
			return;
		one(f);
		over = f->nr == until ||
		       (kind == FK_RAW && f->nr % RAW_EACH == 0);
		if (f->burst >= BURST || (new && kind == FK_RAW) || over)
			fence(f);
		if (over)
			fcli_end(f);
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
