// SPDX-License-Identifier: GPL-2.0
/* Client role: runs the cases. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "fuzz.h"
#include "xmt.h"

/**
 * end_same - the connection must have survived
 * @s: the client
 * @k: the case
 */
static void end_same(struct cli *s, const struct cli_case *k)
{
	struct rmsg *m;

	if (k->flags & C_NOEND)
		return;
	if (cli_null(s, k->flags & C_V1 ? 1 : 2)) {
		result_fail(s->r, "NULL on the same connection");
		return;
	}
	m = cli_wait(s, s->hushed ? QUIET_MS : 0);
	if (m)
		cli_fail(s, "one message too many", m);
	free(m);
}

/**
 * end_new - a new connection must work
 * @r: result of the case
 */
static void end_new(struct result *r)
{
	struct cli s;

	if (!cli_open(&s, r, C_RAW))
		cli_null(&s, cfg.server_max);
	if (r->v == FAIL && strncmp(r->why, "after:", 6)) {
		char why[sizeof(r->why)];

		snprintf(why, sizeof(why), "after: %.900s", r->why);
		strcpy(r->why, why);
	}
	cli_close(&s);
}

/**
 * commands - does a case need a command on the server?
 * @k: the case
 *
 * Return: true if so.
 */
static bool commands(const struct cli_case *k)
{
	return k->flags & C_HAND ||
	       (k->script && (strstr(k->script, "set ") || strstr(k->script, "ask ")));
}

/**
 * unfit - can a case not be tried, whatever the server says?
 * @k: the case
 * @r: its result
 *
 * Found out before there is a connection, so that it costs nothing.
 *
 * Return: true if the case is skipped.
 */
static bool unfit(const struct cli_case *k, struct result *r)
{
	if (!(k->flags & C_ANY) && cfg.server_max != (k->flags & C_SRV1 ? 1 : 2))
		result_skip(r, k->flags & C_SRV1 ? "version 2 is on" : "version 2 is off");
	else if (k->flags & (C_HAND | C_OWN) && !cfg.on_server)
		result_skip(r, commands(k) ? "needs a command on the server (--on-server)" :
			    "expects what a server may do, and the kernel's does (--on-server)");
	return r->v == SKIP;
}

/**
 * unmet - does a case lack what it needs of the server?
 * @s: the client
 * @k: the case
 *
 * Return: true if the case is skipped.
 */
static bool unmet(struct cli *s, const struct cli_case *k)
{
	if (k->flags & C_RT && !s->peer.rtrsupp)
		result_skip(s->r, "RTRSUPP is not advertised");
	else if (k->flags & C_CONT && !(s->peer.rtrsupp & RTRS_XCONT))
		result_skip(s->r, "XCONT is not advertised");
	else if (k->flags & C_NORT && s->peer.rtrsupp)
		result_skip(s->r, "RTRSUPP is advertised");
	else if (k->flags & C_NOCONT && s->peer.rtrsupp & RTRS_XCONT)
		result_skip(s->r, "XCONT is advertised");
	return s->r->v == SKIP;
}

/**
 * fill_mem - give memory 0 the contents that a case asks for
 * @s: the client
 * @k: the case
 *
 * Return: 0, or -1.
 */
static int fill_mem(struct cli *s, const struct cli_case *k)
{
	struct tmpl_env env = { .c = s->c, .xid = s->xid };
	struct mem *m;
	struct buf b;

	if (!k->mem || k->flags & (C_REV | C_LONG))
		return 0;
	m = conn_mem(s->c, 0);
	buf_init(&b, MEM_SIZE);
	if (!m || tmpl_build(&b, k->mem, &env)) {
		result_fail(s->r, "no memory for chunks");
		return -1;
	}
	memcpy(m->p, b.p, b.len);
	buf_free(&b);
	return 0;
}

/* A connection that the last case left behind, and how it was made */
static struct cli kept;
static unsigned int kept_flags;
static const char *kept_lay;

/**
 * cli_reuse - go on with the connection of the last case
 * @s: the client
 * @r: where failures go
 */
static void cli_reuse(struct cli *s, struct result *r)
{
	int i;

	s->r = r;
	s->hushed = false;
	for (i = 0; i < NR_MEM; i++)
		if (s->c->mem[i].p)
			memset(s->c->mem[i].p, 0, MEM_SIZE);
}

/**
 * cli_start - the connection of a case
 * @k: the case
 * @r: its result
 *
 * Return: 0, or -1.
 */
static int cli_start(const struct cli_case *k, struct result *r)
{
	unsigned int how = k->flags & (C_RAW | C_BIG | C_PRIV | C_INV | C_REV);

	if (kept.c)
		conn_poll(kept.c);
	if (kept.c && !kept.c->gone && !kept.stained && how == kept_flags &&
	    kept_lay == k->lay && !(how & (C_RAW | C_REV))) {
		cli_reuse(&kept, r);
		return 0;
	}
	cli_close(&kept);
	kept_flags = how;
	kept_lay = k->lay;
	if (cli_open_lay(&kept, r, k->flags, k->lay))
		return -1;
	kept.v1 = k->flags & C_V1;
	return 0;
}

/**
 * leave_cases - the worker ends
 */
static void leave_cases(void)
{
	cli_close(&kept);
}

/**
 * places - have the server place data from now on, or not
 * @yes: it does
 *
 * Where it does, its receives are long from the beginning, or become so when there is
 * data: they cannot be made longer by anybody.
 */
static void places(bool yes)
{
	cli_close(&kept);
	own_set("placement_mem_kb", yes ? INT_MAX : 0);
}

/**
 * try_case - run a case of the client role
 * @k: the case
 * @r: its result
 */
static void try_case(const struct cli_case *k, struct result *r)
{
	struct cli *s = &kept;

	if (unfit(k, r) || cli_start(k, r) || unmet(s, k) || fill_mem(s, k))
		return;
	if (k->flags & C_REV ? run_reverse(s, k) :
	    k->flags & C_LONG ? run_rev_long(s, k) :
	    k->flags & C_OWN ? cli_own_script(s, k->script) :
	    k->script && cli_script(s, k->script))
		return;
	if (k->run)
		k->run(s);
	s->stained |= k->flags & C_NOEND;
	if (!r->v && !s->c->gone)
		end_same(s, k);
	else if (!r->v)
		end_new(r);
}

/**
 * run_case - run a case of the client role on a server that fits
 * @what: the case
 * @r: its result
 */
static void run_case(const void *what, struct result *r)
{
	const struct cli_case *k = what;
	bool other = k->flags & C_SHORT && cfg.on_server;

	if (other)
		places(false);
	try_case(k, r);
	if (other)
		places(true);
}

/**
 * after_case - the witness must still be served
 * @what: unused
 * @r: result of the case
 */
static void after_case(const void *what, struct result *r)
{
	if (r->v == PASS)
		witness_ask(r);
}

static const struct case_table tables[] = {
	{ cases_base, &nr_cases_base },
	{ cases_fixed, &nr_cases_fixed },
	{ cases_chunks, &nr_cases_chunks },
	{ cases_error, &nr_cases_error },
	{ cases_optional, &nr_cases_optional },
	{ cases_chars, &nr_cases_chars },
	{ cases_xchg, &nr_cases_xchg },
	{ cases_ask, &nr_cases_ask },
	{ cases_inval, &nr_cases_inval },
	{ cases_reverse, &nr_cases_reverse },
	{ cases_rev_cont, &nr_cases_rev_cont },
	{ cases_rev_resp, &nr_cases_rev_resp },
	{ cases_credit, &nr_cases_credit },
	{ cases_cli_place, &nr_cases_cli_place },
	{ cases_cli_cont, &nr_cases_cli_cont },
	{ cases_mixed, &nr_cases_mixed },
	{ cases_later, &nr_cases_later },
	{ cases_queue, &nr_cases_queue },
};

/**
 * start_cases - prepare for the first case
 */
static void start_cases(void)
{
	witness_start();
	advert_server();
}

/**
 * client_main - the client role
 *
 * Return: exit status.
 */
int client_main(void)
{
	static const struct role role = {
		.end = "server", .tables = tables,
		.nr_tables = ARRAY_SIZE(tables),
		.case_size = sizeof(struct cli_case), .start = start_cases,
		.run = run_case,
		.leave = leave_cases, .after = after_case,
		.stop = witness_stop, .explain = explain_cli,
	};

	if (cfg.fuzz)
		return fuzz_client();
	if (cfg.deaf)
		return deaf_main();
	if (cfg.many)
		return many_main();
	return cfg.flood ? flood_main() : ktap_main(&role);
}
