// SPDX-License-Identifier: GPL-2.0
/* Server role: mounts, disturbs, and looks at what became of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rpc.h"
#include "server.h"

#define OP_SECONDS	90
#define TRIES		3
#define PORT_STEP	1000

static const struct {
	const struct srv_case *k;
	const unsigned int *nr;
} tables[] = {
	{ cases_negotiation, &nr_cases_negotiation },
	{ cases_reply, &nr_cases_reply },
	{ cases_srv_error, &nr_cases_srv_error },
	{ cases_srv_optional, &nr_cases_srv_optional },
};

/* A port of its own for each case, so that no mount meets another's state */
static int next_port;

/**
 * srv_app - carry out an operation on the mount while serving it
 * @s: the server
 * @op: the operation
 * @opts: its options
 *
 * Return: 0, an errno, or one of APP_*.
 */
static int srv_app(struct srv *s, const char *op, const char *opts)
{
	u64 end = now_ms() + OP_SECONDS * 1000ull;
	struct app a;

	if (cfg.verbose)
		printf("#   %s\n", op);
	app_start(&a, op, s->dir, opts);
	while (!app_poll(&a)) {
		srv_poll(s);
		if (now_ms() > end) {
			app_kill(&a);
			break;
		}
		nap();
	}
	if (cfg.verbose)
		printf("#   %s: %d\n", op, a.err);
	return a.err;
}

/**
 * srv_mount - have the kernel mount from us
 * @s: the server
 *
 * Return: 0 or an errno.
 */
static int srv_mount(struct srv *s)
{
	char opts[512];

	snprintf(opts, sizeof(opts),
		 "%s:/peer vers=3,proto=rdma,port=%d,mountproto=tcp,mountvers=3,mountport=%d,nolock,noacl,soft,timeo=100,retrans=1,noac,nordirplus,rsize=8192,wsize=8192,sec=sys,addr=%s,mountaddr=%s",
		 cfg.host, s->port, s->mount_port, cfg.host, cfg.host);
	return srv_app(s, "mount", opts);
}

/**
 * err_text - name the outcome of an operation
 * @err: the outcome
 *
 * Return: a text.
 */
static const char *err_text(int err)
{
	switch (err) {
	case APP_WRONG_DATA:
		return "wrong data";
	case APP_CRASHED:
		return "crashed";
	case APP_NO_OP:
		return "no such operation";
	case APP_HUNG:
		return "hung";
	}
	return err ? strerror(err) : "success";
}

/**
 * expect_op - an operation must end as wanted
 * @s: the server
 * @op: the operation
 * @want: errno wanted
 *
 * Return: 0, or -1.
 */
static int expect_op(struct srv *s, const char *op, int want)
{
	int err = srv_app(s, op, NULL);

	if (err == want || (s->k->flags & S_ANYERR && want && !err))
		return 0;
	result_fail(s->r, "%s: %s instead of %s", op, err_text(err),
		    err_text(want));
	return -1;
}

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
		next = strtok_r(NULL, " ", &save);
		s->armed = !next && (s->k->reply || s->k->flags & S_HOLD);
		if (expect_op(s, op, next ? 0 : s->k->want))
			return -1;
		op = next;
	}
	s->armed = false;
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
 * disturb - carry out a case's operations, once or for each length
 * @s: the server
 */
static void disturb(struct srv *s)
{
	size_t lo = 0, hi = 0;

	if (s->k->flags & S_SERIES)
		hi = series_end(s, &lo);
	for (s->cut = lo; s->cut <= hi; s->cut++)
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

	if (sc->vers != (s->k->flags & S_V1 ? 1 : 2))
		result_fail(s->r, "version %u in the end", sc->vers);
	if (s->k->reply && !s->spoiled)
		result_fail(s->r, "nothing was spoiled");
	if (s->k->back && !s->nr_back)
		result_fail(s->r, "no ERROR came from the client");
	if (s->k->flags & S_BACK && !s->nr_answers)
		result_fail(s->r, "no answer to our INITXCH");
}

/**
 * mounted - the part of a case after a mount that went well
 * @s: the server
 */
static void mounted(struct srv *s)
{
	unsigned int conns;

	if (s->k->flags & S_NOMNT) {
		result_fail(s->r, "the mount went well");
		return;
	}
	if (expect_op(s, "stat", 0))
		return;
	conns = s->k->reply ? s->nr_sc : 1;
	disturb(s);
	if (s->r->v)
		return;
	expect_op(s, "stat", 0);
	expect_conns(s, conns);
	expect_wire(s);
	if (s->k->check)
		s->k->check(s);
}

/**
 * srv_open - make a server
 * @s: the server
 * @k: its case
 * @r: the result
 *
 * Return: 0, or -1.
 */
static int srv_open(struct srv *s, const struct srv_case *k,
		    struct result *r)
{
	const char *why;
	u32 i;

	memset(s, 0, sizeof(*s));
	s->k = k;
	s->r = r;
	s->port = next_port;
	s->grant = k->flags & S_HOLD ? 3 : 32;
	snprintf(s->dir, sizeof(s->dir), "%s/%s", cfg.dir, k->name);
	buf_init(&s->first, 4096);
	buf_init(&s->req, NFS3_MAX_MSG);
	buf_init(&s->rep.b, NFS3_MAX_MSG);
	buf_init(&s->out, NFS3_MAX_MSG);
	buf_init(&s->tmp, NFS3_MAX_MSG);
	for (i = 0; i < NFS3_FILE_SIZE; i++)
		nfs3_file[i] = rpc_pattern(i);
	s->l = listen_open(s->port, &why);
	if (!s->l || mountd_open(s)) {
		result_fail(r, "cannot listen on port %d", s->port);
		return -1;
	}
	return 0;
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

/**
 * try_case - run a case of the server role
 * @s: the server
 * @what: the case
 * @r: its result
 *
 * Return: true if the device spoiled it.
 */
static bool try_case(struct srv *s, const void *what, struct result *r)
{
	bool lost;
	int err;

	if (srv_open(s, what, r))
		return false;
	err = srv_mount(s);
	if (!err)
		mounted(s);
	else if (!(s->k->flags & S_NOMNT))
		result_fail(r, "mount: %s", err_text(err));
	else if (s->k->want && err != s->k->want)
		result_fail(r, "mount: %s instead of %s", err_text(err),
			    err_text(s->k->want));
	if (!err && srv_app(s, "umount", NULL))
		result_fail(r, "umount");
	lost = lost_first(s);
	srv_close(s);
	return lost;
}

/**
 * run_case - run a case, again if the device lost the first message
 * @what: the case
 * @r: its result
 */
static void run_case(const void *what, struct result *r)
{
	struct srv *s = malloc(sizeof(*s));
	int i;

	if (!s)
		abort();
	for (i = 0; i < TRIES; i++) {
		memset(r, 0, sizeof(*r));
		if (!try_case(s, what, r))
			break;
		next_port += PORT_STEP;
	}
}

/**
 * clean_up - take away what a case may have left mounted
 * @k: the case
 */
static void clean_up(const struct srv_case *k)
{
	char dir[256];

	snprintf(dir, sizeof(dir), "%s/%s", cfg.dir, k->name);
	while (!umount2(dir, MNT_FORCE | MNT_DETACH))
		;
	rmdir(dir);
}

/**
 * each_case - do something with every case that was asked for
 * @fn: what to do, or NULL
 *
 * Return: how many there are.
 */
static int each_case(void (*fn)(const struct srv_case *k))
{
	unsigned int i, j;
	int n = 0;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (j = 0; j < *tables[i].nr; j++)
			if (ktap_chosen(tables[i].k[j].name,
					tables[i].k[j].ids)) {
				n++;
				if (fn)
					fn(&tables[i].k[j]);
			}
	return n;
}

/**
 * list_case - name a case
 * @k: the case
 */
static void list_case(const struct srv_case *k)
{
	printf("%-36s %s\n", k->name, k->ids);
}

/**
 * do_case - run and report a case
 * @k: the case
 */
static void do_case(const struct srv_case *k)
{
	ktap_case(k->name, k->ids, run_case, k, NULL);
	clean_up(k);
	next_port++;
}

/**
 * server_main - the server role
 *
 * Return: exit status.
 */
int server_main(void)
{
	if (cfg.list) {
		each_case(list_case);
		return 0;
	}
	next_port = cfg.port;
	mkdir(cfg.dir, 0755);
	ktap_start("client", each_case(NULL));
	each_case(do_case);
	return ktap_end();
}
