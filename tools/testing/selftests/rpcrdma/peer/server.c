// SPDX-License-Identifier: GPL-2.0
/* Server role: mounts, disturbs, and looks at what became of it. */
#include <errno.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rpc.h"
#include "server.h"
#include "xmt.h"

#define TRIES		3
#define RACES		5
#define RACE_MS		2000

/**
 * disturbed - carry out the operations of a case, the last one disturbed
 * @s: the server
 *
 * Return: 0, or -1.
 */
static int disturbed(struct srv *s)
{
	char all[256], *op, *next, *save;

	snprintf(all, sizeof(all), "%s", s->k->op ? s->k->op : "stat");
	op = strtok_r(all, " ", &save);
	while (op) {
		srv_current(s)->own_limit = srv_current(s)->next_limit;
		memset(&s->t.seen, 0, sizeof(s->t.seen));
		next = strtok_r(NULL, " ", &save);
		s->t.armed = !next && (s->k->reply || s->k->flags & S_HOLD);
		if (srv_op(s, op, next ? 0 : s->k->want))
			return -1;
		op = next;
	}
	s->t.armed = false;
	return 0;
}

/**
 * series_end - how far a series of shortened replies goes
 * @s: the server
 * @lo: gets where it starts
 *
 * Return: where it ends.
 */
static size_t series_end(struct srv *s, size_t *lo)
{
	const char *p = strstr(s->k->reply, "cut=");
	char *e;

	*lo = strtoul(p + 4, &e, 10);
	return strtoul(e + 2, NULL, 10);
}

/**
 * race - carry out a case's operations until they end well
 * @s: the server
 *
 * If the client sends its Call again before it looks at a reply that was sent before
 * that, the reply is to this Call, and what comes of it is right. A client that takes
 * the reply without that never sends the Call again.
 */
static void race(struct srv *s)
{
	struct result fresh = *s->r;
	unsigned int n, before;
	u64 end;

	for (n = 0; n < RACES; n++) {
		before = s->t.repeats;
		if (!disturbed(s))
			return;
		end = now_ms() + RACE_MS;
		while (s->t.repeats == before && now_ms() < end) {
			srv_poll(s);
			nap();
		}
		if (s->t.repeats == before)
			return;
		*s->r = fresh;
	}
}

/**
 * disturb - carry out a case's operations, once or for each length
 * @s: the server
 */
static void disturb(struct srv *s)
{
	size_t lo = 0, hi = 0;

	if (s->k->flags & S_RACE) {
		race(s);
		return;
	}
	if (s->k->flags & S_SERIES)
		hi = series_end(s, &lo);
	for (s->t.cut = lo; s->t.cut <= hi; s->t.cut++)
		if (disturbed(s) || s->r->v)
			return;
}

/**
 * expect_conns - look whether the connection was kept or lost, as wanted
 * @s: the server
 * @before: connections before
 */
static void expect_conns(struct srv *s, unsigned int before)
{
	bool lost = s->nr_sc > before;

	if (s->k->flags & S_MAYDISC)
		return;
	if (lost && !(s->k->flags & S_DISC))
		result_fail(s->r, "the client closed the connection");
	if (!lost && s->k->flags & S_DISC)
		result_fail(s->r, "the client kept the connection");
}

/**
 * expect_wire - look at what the client has sent
 * @s: the server
 */
static void expect_wire(struct srv *s)
{
	struct sconn *sc = srv_current(s);
	char left[256];

	if (sc->vers != (s->k->flags & S_V1 ? 1 : 2))
		result_fail(s->r, "version %u in the end", sc->vers);
	if (s->k->reply && !s->t.spoiled)
		result_fail(s->r, "nothing was spoiled");
	if (s->k->back && !s->t.nr_back)
		result_fail(s->r, "no ERROR came from the client");
	if (s->k->flags & S_BACK && !s->t.nr_answers)
		result_fail(s->r, "no answer to our INITXCH");
	if (tmpl_next(&s->answers, left, sizeof(left)))
		result_fail(s->r, "never came: %s", left);
}

/**
 * unmet - does the client not offer what a case needs?
 * @s: the server
 *
 * Reverse Calls by XMTREQ need a client that takes such. Where it does not, what
 * has gone wrong in the case until now does not count.
 *
 * Return: true if the case is skipped.
 */
static bool unmet(struct srv *s)
{
	const struct sconn *sc = srv_current(s);
	u32 rtrsupp = sc ? sc->peer.rtrsupp : 0;
	struct result skip = { .v = PASS };

	if (s->k->flags & S_RT && !rtrsupp)
		result_skip(&skip, "RTRSUPP is not advertised");
	else if (s->k->flags & S_CONT && !(rtrsupp & RTRS_XCONT))
		result_skip(&skip, "XCONT is not advertised");
	else if (s->k->flags & S_RT && s->k->flags & S_V41 &&
		 !(rtrsupp & RTRS_XREQ))
		result_skip(&skip, "XREQ is not advertised");
	if (skip.v == SKIP)
		*s->r = skip;
	return skip.v == SKIP;
}

/**
 * srv_mounted - the part of a case after a mount that went well
 * @s: the server
 */
void srv_mounted(struct srv *s)
{
	unsigned int conns;

	if (s->k->flags & S_NOMNT) {
		result_fail(s->r, "the mount went well");
		return;
	}
	if (unmet(s))
		return;
	s->stained |= s->k->flags & S_RT && s->k->reply;
	steps_read_type(s->k->reads);
	steps_patience(s->k->patience);
	steps_short(s->k->flags & (S_RT | S_CONT));
	if (srv_op(s, "stat", 0))
		return;
	conns = s->k->reply ? s->nr_sc : 1;
	if (s->k->steps)
		srv_steps(s);
	else
		disturb(s);
	if (s->r->v)
		return;
	srv_current(s)->own_limit = srv_current(s)->next_limit;
	srv_op(s, "stat", 0);
	expect_conns(s, conns);
	expect_wire(s);
	if (s->k->check)
		s->k->check(s);
}

/**
 * lost_first - has siw kept a message of the client's from us?
 * @s: the server
 *
 * See IWARP_US in conn.c. The client then gave up, and rightly so.
 *
 * Return: true if a connection ended without a message.
 */
static bool lost_first(struct srv *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_sc; i++)
		if (!s->sc[i].nr_msg && s->sc[i].dead &&
		    conn_is_iwarp(s->sc[i].c))
			return true;
	return false;
}

/* What the last case left mounted, if anything */
static struct srv *kept;

/**
 * srv_drop - unmount what was kept
 * @r: gets the reason if that fails
 */
static void srv_drop(struct result *r)
{
	if (!kept)
		return;
	kept->r = r;
	if (srv_app(kept, "umount", NULL))
		result_fail(r, "umount");
	rmdir(kept->dir);
	srv_free(kept);
	kept = NULL;
}

/**
 * srv_sharable - can a case run on a mount that others use, too?
 * @k: the case
 *
 * Return: true if it needs no more than a connection of version 2.
 */
bool srv_sharable(const struct srv_case *k)
{
	return !k->probe && !k->grant && !k->steps &&
	       !(k->flags & (S_V1 | S_NOMNT | S_V41 | S_HOLD | S_ACL));
}

/**
 * places - does a case meet a client that places data by Send?
 * @k: the case
 *
 * That is what it does by default. One that does not is for cases that need chunks
 * to spoil, or an RBSIZ that begins with 4096 and can change.
 *
 * Return: true if so.
 */
static bool places(const struct srv_case *k)
{
	return !(k->flags & S_CHUNKS);
}

/**
 * srv_reuse - go on with the mount of the last case
 * @k: the case
 * @r: its result
 *
 * Return: the server, or NULL if a new one is needed.
 */
static struct srv *srv_reuse(const struct srv_case *k, struct result *r)
{
	struct sconn *sc;
	unsigned int i;

	if (!kept || !srv_sharable(k))
		return NULL;
	srv_poll(kept);
	sc = srv_current(kept);
	if (sc->dead || kept->k->lay != k->lay || kept->k->io != k->io ||
	    places(kept->k) != places(k))
		return NULL;
	for (i = 0; i + 1 < kept->nr_sc; i++)
		sconn_close(&kept->sc[i]);
	if (sc != kept->sc)
		kept->sc[0] = *sc;
	kept->nr_sc = 1;
	srv_begin(kept, k, r);
	return kept;
}

/**
 * wanted - is that how a mount has to fail?
 * @k: the case
 * @err: how it failed
 *
 * A mount that gets no session says EPROTONOSUPPORT if the state manager of the
 * NFS client has noticed before, and else what that says: EIO for an RPC that failed.
 *
 * Return: true if so.
 */
static bool wanted(const struct srv_case *k, int err)
{
	bool early = k->flags & S_V41 && k->want == EIO && err == EPROTONOSUPPORT;

	return !k->want || err == k->want || early;
}

/**
 * srv_new - have the kernel mount for a case
 * @k: the case
 * @r: its result
 *
 * Return: true if that went well.
 */
static bool srv_new(const struct srv_case *k, struct result *r)
{
	int err;

	srv_drop(r);
	kept = malloc(sizeof(*kept));
	if (!kept)
		abort();
	if (srv_open(kept, k, r))
		return false;
	steps_placement(places(k));
	kept->t.armed = k->flags & S_V41;
	err = srv_mount(kept);
	kept->t.armed = false;
	if (!err)
		return true;
	if (k->flags & S_V41 && unmet(kept))
		return false;
	if (k->flags & S_V41)
		expect_wire(kept);
	if (k->flags & S_V41 && k->check)
		k->check(kept);
	if (!(k->flags & S_NOMNT))
		result_fail(r, "mount: %s", srv_err_text(err));
	else if (!wanted(k, err))
		result_fail(r, "mount: %s instead of %s", srv_err_text(err),
			    srv_err_text(k->want));
	return false;
}

/**
 * try_case - run a case of the server role
 * @k: the case
 * @r: its result
 *
 * Return: true if the device spoiled it.
 */
static bool try_case(const struct srv_case *k, struct result *r)
{
	struct result ignored = { .v = PASS };
	bool up = srv_reuse(k, r) || srv_new(k, r), lost;

	if (up)
		srv_mounted(kept);
	lost = lost_first(kept);
	if (!up) {
		rmdir(kept->dir);
		srv_free(kept);
		kept = NULL;
	} else if (lost || r->v == FAIL || kept->stained || !srv_sharable(k)) {
		srv_drop(r->v ? &ignored : r);
	}
	return lost;
}

/**
 * run_case - run a case, again if the device lost the first message
 * @what: the case
 * @r: its result
 */
static void run_case(const void *what, struct result *r)
{
	static struct result last;
	const struct srv_case *k = what;
	int i;

	for (i = 0; i < TRIES; i++) {
		memset(&last, 0, sizeof(last));
		if (!try_case(k, &last))
			break;
	}
	*r = last;
}

/**
 * leave_cases - the process of the cases ends
 */
static void leave_cases(void)
{
	struct result r = { .v = PASS };

	srv_drop(&r);
}

/**
 * after_case - clean up unless all went well
 * @what: unused
 * @r: result of the case
 */
static void after_case(const void *what, struct result *r)
{
	next_port++;
	if (r->v != FAIL)
		return;
	srv_clean_up();
	steps_reset();
}

static const struct case_table tables[] = {
	{ cases_negotiation, &nr_cases_negotiation },
	{ cases_reply, &nr_cases_reply },
	{ cases_srv_error, &nr_cases_srv_error },
	{ cases_srv_optional, &nr_cases_srv_optional },
	{ cases_srv_xchg, &nr_cases_srv_xchg },
	{ cases_srv_ask, &nr_cases_srv_ask },
	{ cases_srv_reverse, &nr_cases_srv_reverse },
	{ cases_srv_credit, &nr_cases_srv_credit },
	{ cases_srv_place, &nr_cases_srv_place },
	{ cases_srv_cont, &nr_cases_srv_cont },
	{ cases_srv_rev_group, &nr_cases_srv_rev_group },
	{ cases_srv_v1, &nr_cases_srv_v1 },
	{ cases_srv_later, &nr_cases_srv_later },
};

static const struct role role = {
	.end = "client", .tables = tables, .nr_tables = ARRAY_SIZE(tables),
	.case_size = sizeof(struct srv_case), .start = advert_client,
	.run = run_case, .leave = leave_cases, .after = after_case,
	.stop = steps_reset, .explain = explain_srv,
};

/**
 * server_role - the cases of the server role
 *
 * Return: them, and how to run them.
 */
const struct role *server_role(void)
{
	return &role;
}

/**
 * server_main - the server role
 *
 * Return: exit status.
 */
int server_main(void)
{
	next_port = cfg.port;
	steps_start();
	if (!cfg.list && !cfg.explain)
		mkdir(cfg.dir, 0755);
	if (cfg.fuzz)
		return fuzz_server();
	return cfg.flood ? flood_server() : ktap_main(&role);
}
