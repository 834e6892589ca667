// SPDX-License-Identifier: GPL-2.0
/*
 * "peer client-check": the cases of the server role, tried on a client that is not
 * ours, without a hand on its machine. It mounts, and goes on doing what an endless
 * loop of a shell does; a case waits for the call it is about, and is judged by what
 * comes over the wire.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "rpc.h"
#include "srv_place.h"

#define CALL_SECONDS	90	/* for a call of some kind to come */
#define COME_SECONDS	90	/* for a client to connect again */
#define MOUNT_SECONDS	600	/* for the first mount */
#define SETTLE_MS	300
#define MAX_OPS		64
#define IO		8192

static struct srv *serving;

/* The client has mounted; all processes that run cases know it */
static bool *mounted_once;

/**
 * split_op - split an operation into its name and its number
 * @op: the operation
 * @len: gets the number, 0 if there is none
 *
 * Return: the procedure it comes to, 0 for any.
 */
static u32 split_op(const char *op, u32 *len)
{
	static const struct {
		const char *name;
		u32 proc;
	} all[] = {
		{ "statfs", NFS3_FSSTAT }, { "stat", NFS3_NULL },
		{ "ls", NFS3_READDIR }, { "read", NFS3_READ },
		{ "write", NFS3_WRITE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		size_t n = strlen(all[i].name);

		if (strncmp(op, all[i].name, n))
			continue;
		*len = strtoul(op + n, NULL, 10);
		return all[i].proc;
	}
	*len = 0;
	return ~0u;
}

/**
 * calls_of - how many calls have come that are of an operation
 * @s: the server
 * @proc: its procedure, 0 for any
 *
 * Return: how many.
 */
static unsigned int calls_of(struct srv *s, u32 proc)
{
	unsigned int n = 0, i;

	for (i = 1; i < NFS3_PROCS; i++)
		if (!proc || i == proc)
			n += s->came[i];
	return n;
}

/**
 * poll_for - go on serving for some time
 * @s: the server
 * @ms: how long
 */
static void poll_for(struct srv *s, int ms)
{
	u64 end = now_ms() + ms;

	while (now_ms() < end && !s->r->v) {
		srv_poll(s);
		nap();
	}
}

/**
 * owes - has the client yet to send what a spoiled reply demands?
 * @s: the server
 * @conns: connections before it
 *
 * Return: true if so.
 */
static bool owes(struct srv *s, unsigned int conns)
{
	const char *left = s->answers;
	char one[256];

	if (!s->t.spoiled)
		return false;
	return (s->k->back && !s->t.nr_back) || tmpl_next(&left, one, sizeof(one)) ||
	       (s->k->flags & S_DISC && s->nr_sc == conns);
}

/**
 * is_long - is the last call of the length that is waited for?
 * @s: the server
 * @len: that length, 0 for any
 *
 * The one that came is that of the data, which the file server may have cut.
 *
 * Return: true if so.
 */
static bool is_long(struct srv *s, u32 len)
{
	return !len || s->came_len == (len > IO ? IO : len) || s->k->knobs.most ||
	       s->k->knobs.fail_read;
}

/**
 * await_op - wait until an operation has come
 * @s: the server
 * @op: the operation
 *
 * What was seen is that of the one call, unless its reply is spoiled: others come
 * before and behind it.
 *
 * Return: true if it came.
 */
static bool await_op(struct srv *s, const char *op)
{
	u64 end = now_ms() + CALL_SECONDS * 1000ull;
	bool spoils = s->t.armed && s->k->reply;
	u32 len, proc = split_op(op, &len);
	unsigned int before;

	while (now_ms() < end && !s->r->v) {
		before = calls_of(s, proc);
		if (!spoils)
			memset(&s->t.seen, 0, sizeof(s->t.seen));
		srv_poll(s);
		if (spoils ? s->t.spoiled : calls_of(s, proc) > before && is_long(s, len))
			return true;
		nap();
	}
	return false;
}

/**
 * watch - wait until an operation has come and was answered
 * @s: the server
 * @op: the operation
 *
 * Return: 0, or -1 if it did not come.
 */
static int watch(struct srv *s, const char *op)
{
	struct seen before = s->t.seen, one;
	unsigned int conns = s->nr_sc;
	u64 end;

	if (!await_op(s, op) && !s->r->v)
		result_skip(s->r, "no call came within %d seconds that is: %s", CALL_SECONDS, op);
	/* "stat" just shows that there are calls */
	one = strcmp(op, "stat") ? s->t.seen : before;
	end = now_ms() + cfg.timeout;
	while (!s->r->v && owes(s, conns) && now_ms() < end) {
		srv_poll(s);
		nap();
	}
	poll_for(s, SETTLE_MS);
	if (!s->t.spoiled)
		s->t.seen = one;
	return s->r->v ? -1 : 0;
}

/**
 * drop_conns - close what connections there are
 * @s: the server
 */
static void drop_conns(struct srv *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_sc; i++) {
		if (!s->sc[i].dead)
			conn_disconnect(s->sc[i].c);
		sconn_close(&s->sc[i]);
	}
	s->nr_sc = 0;
}

/**
 * await_client - wait for the client to connect, and to have made a call
 * @s: the server
 *
 * Return: 0, or -1.
 */
static int await_client(struct srv *s)
{
	int seconds = *mounted_once ? COME_SECONDS : MOUNT_SECONDS;
	u64 end = now_ms() + seconds * 1000ull;
	unsigned int before = calls_of(s, 0);

	while (now_ms() < end && !s->r->v &&
	       (!s->nr_sc || srv_current(s)->dead || calls_of(s, 0) == before)) {
		srv_poll(s);
		nap();
	}
	if (s->nr_sc && calls_of(s, 0) > before) {
		*mounted_once = true;
		return s->r->v ? -1 : 0;
	}
	result_skip(s->r, "no client came within %d seconds", seconds);
	return -1;
}

/**
 * usable - can a case go on with the connection of the last one?
 * @s: the server
 * @k: the case
 *
 * Return: true if so.
 */
static bool usable(struct srv *s, const struct srv_case *k)
{
	return s->nr_sc && !srv_current(s)->dead && !s->stained &&
	       srv_sharable(s->k) && srv_sharable(k) && s->k->lay == k->lay;
}

/**
 * begin - make the server ready for a case
 * @k: the case
 * @r: its result
 *
 * Return: 0, or -1.
 */
static int begin(const struct srv_case *k, struct result *r)
{
	if (!serving) {
		serving = calloc(1, sizeof(*serving));
		if (!serving)
			abort();
		next_port = cfg.port;
		if (srv_open(serving, k, r))
			return -1;
	}
	srv_poll(serving);
	if (!usable(serving, k))
		drop_conns(serving);
	serving->stained = false;
	srv_begin(serving, k, r);
	return serving->nr_sc ? 0 : await_client(serving);
}

/**
 * run_case - try a case, if what it takes can be seen from here
 * @what: the case
 * @r: its result
 */
static void run_case(const void *what, struct result *r)
{
	const char *why = check_unrun(what);

	srv_watch = watch;
	if (why)
		result_skip(r, "%s", why);
	else if (!begin(what, r))
		srv_mounted(serving);
	if (r->v && serving)
		serving->stained = true;
}

/**
 * after_case - nothing is left to be done
 * @what: unused
 * @r: unused
 */
static void after_case(const void *what, struct result *r)
{
}

/**
 * steps_need - what a hand on the client would do in a case with steps
 * @steps: the steps
 *
 * Return: what.
 */
static const char *steps_need(const char *steps)
{
	if (strstr(steps, "ask "))
		return "needs debugfs of our client";
	if (strstr(steps, "set "))
		return "needs a sysctl of our client";
	if (strstr(steps, "kill "))
		return "needs an application that is killed";
	return "needs system calls of an application, one at a time";
}

/**
 * shows - does a case demand anything that the wire shows?
 * @k: the case
 *
 * Return: true if so.
 */
static bool shows(const struct srv_case *k)
{
	return k->back || k->answers || k->check || k->flags & (S_DISC | S_BACK);
}

/**
 * check_unrun - why a case cannot be tried without a hand on the client
 * @what: the case
 *
 * Return: the reason, or NULL if it can.
 */
const char *check_unrun(const void *what)
{
	const struct srv_case *k = what;
	const char *op = k->op ? k->op : "";

	if (k->flags & S_V41)
		return "needs an NFSv4.1 mount of its own";
	if (k->flags & S_NOMNT)
		return "needs a mount of its own, which must fail";
	if (k->steps)
		return steps_need(k->steps);
	if (strstr(op, "acl") || k->flags & S_ACL)
		return "needs an application to set access control lists";
	if (k->flags & S_HOLD)
		return "needs an application that reads much at once";
	if (k->reads)
		return "needs a setting of our client (placement_read_type)";
	if (k->patience)
		return "needs a sysctl of our client, for how long a group may take";
	if (k->io)
		return "needs a mount with another rsize and wsize";
	if (k->want && !shows(k))
		return "shows only in what a system call returns";
	return NULL;
}

/**
 * add_op - add an operation, unless it is there
 * @all: the operations
 * @n: how many there are
 * @max: room for them
 * @op: the operation
 *
 * Return: how many there are then.
 */
static unsigned int add_op(struct check_op *all, unsigned int n, unsigned int max,
			   const char *op)
{
	unsigned int i;
	u32 len, proc = split_op(op, &len);

	for (i = 0; i < n; i++)
		if (!strcmp(all[i].op, op))
			return n;
	if (n == max || proc == ~0u)
		return n;
	snprintf(all[n].op, sizeof(all[n].op), "%s", op);
	all[n].proc = proc;
	return n + 1;
}

/**
 * check_ops - the operations of all cases that can be tried
 * @all: gets them
 * @max: room for them
 *
 * Those of functions of cases are among them: other cases have these, too, but for
 * two.
 *
 * Return: how many there are.
 */
unsigned int check_ops(struct check_op *all, unsigned int max)
{
	const struct role *role = server_role();
	unsigned int i, j, n = 0;
	char ops[256], *w, *save;

	n = add_op(all, n, max, "write1500");
	n = add_op(all, n, max, "read131072");
	for (i = 0; i < role->nr_tables; i++) {
		const struct srv_case *k = role->tables[i].cases;

		for (j = 0; j < *role->tables[i].nr; j++, k++) {
			if (check_unrun(k))
				continue;
			snprintf(ops, sizeof(ops), "%s", k->op ? k->op : "stat");
			for (w = strtok_r(ops, " ", &save); w; w = strtok_r(NULL, " ", &save))
				n = add_op(all, n, max, w);
		}
	}
	return n;
}

/**
 * print_op - print what a shell does for an operation
 * @k: the operation
 */
static void print_op(const struct check_op *k)
{
	u32 len;

	split_op(k->op, &len);
	if (!strcmp(k->op, "stat"))
		printf(" stat $M/f;");
	else if (!strcmp(k->op, "statfs"))
		printf(" stat -f $M;");
	else if (!strcmp(k->op, "ls"))
		printf(" ls $M;");
	else if (k->proc == NFS3_READ)
		printf(" dd if=$M/f of=/dev/null bs=%u count=1 iflag=direct;", len);
	else
		printf(" dd if=/dev/zero of=$M/f bs=%u count=1 oflag=direct conv=notrunc;", len);
}

/**
 * say_what - say what has to be typed on the client
 */
static void say_what(void)
{
	struct check_op all[MAX_OPS];
	unsigned int n = check_ops(all, MAX_OPS), i;

	printf("# The peer serves the export /peer, with the file f, on port %d (MOUNT on TCP port %d).\n",
	       cfg.port, mountd_port);
	printf("# On the client, as root (Linux; any client that mounts by NFSv3 will do):\n#\n");
	printf("#   M=/mnt; mount -t nfs -o vers=3,proto=rdma,port=%d,mountproto=tcp,mountvers=3,mountport=%d,nolock,noacl,soft,timeo=100,retrans=1,noac,nordirplus,rsize=%d,wsize=%d,sec=sys %s:/peer $M\n",
	       cfg.port, mountd_port, IO, IO, cfg.host);
	printf("#   while :; do");
	for (i = 0; i < n; i++)
		print_op(&all[i]);
	printf(" done > /dev/null 2>&1\n#\n");
	puts("# Errors that the loop meets are part of it. Nothing of the client's own is read or");
	puts("# written but through that mount. What needs more of a hand on it is skipped, and says so.");
	puts("# What its applications are told is not seen from here, and not judged.");
	fflush(stdout);
}

/**
 * run_all - run the cases
 *
 * Return: exit status.
 */
static int run_all(void)
{
	struct role role = *server_role();

	role.start = NULL;
	role.run = run_case;
	role.leave = NULL;
	role.after = after_case;
	role.stop = NULL;
	return ktap_main(&role);
}

/**
 * client_check - try a client, and print the table of ids
 *
 * Return: exit status.
 */
int client_check(void)
{
	mountd_port = cfg.port + 1;
	mounted_once = mmap(NULL, sizeof(*mounted_once), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (mounted_once == MAP_FAILED || check_begin())
		return FAIL;
	say_what();
	return check_run(run_all, "client");
}
