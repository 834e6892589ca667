// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the client role: many messages at once. Responses of several
 * transmissions beside other answers, and beside what the server sends of its own
 * accord; requests that use up all credits; groups that are never finished, and
 * what they cost the server.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "rpc.h"
#include "session.h"

#define KNOBS		"/proc/sys/sunrpc/svc_rdma/"
#define USED		"$(sed -n 's/^used_kb: //p' /sys/kernel/debug/rpcrdma2/server_memory)"
#define XREQ		"x 2 20 5 0 5 "
#define CONT		"x 2 20 5 0 7 "
#define LAY		"6:4096 2*4096p"
#define RT		C_CONT, .lay = LAY
#define MAX_DUE		256
#define ROUNDS		8
#define FEW		4
#define USUAL		64
#define UNFINISHED	8

/* Memory of a server changes for other reasons, too */
#define SLACK_KB	4096
#define AVAILABLE	"$1 == \"MemAvailable:\" { print $2 }"

/* For a while the server calls back, and asks for this and that */
#define CALLS_BACK \
	"( d=/sys/kernel/debug/rpcrdma2/server; f=$d/$(ls $d | sort -n | tail -1)/ask;" \
	" for i in $(seq 40); do echo reqreminv $((i % 2)) > $f; sleep 0.05; done ) 2> /dev/null &" \
	" f=/sys/kernel/debug/rpcrdma_flood; echo 300 4 0 20000 > $f;" \
	" wait; grep -qx 'answered: 300' $f"

/* Answers that are due */
static struct {
	u32 xid;
	const char *want;
} due[MAX_DUE];
static unsigned int nr_due;

/* Reverse Calls that have come */
static unsigned int nr_back;

/**
 * send_on - send a message whose answer is not waited for
 * @s: the client
 * @tmpl: the message
 */
static void send_on(struct cli *s, const char *tmpl)
{
	if (!s->r->v && !s->c->gone)
		cli_step(s, tmpl, "more");
}

/**
 * owe - the message that is complete now has to be answered
 * @s: the client
 * @want: the answer
 */
static void owe(struct cli *s, const char *want)
{
	due[nr_due].xid = s->xid;
	due[nr_due++].want = want;
	s->xid += s->xid_step;
}

/**
 * take_one - take an answer, in whatever order they come
 * @s: the client
 * @m: the answer, freed here
 *
 * The transmissions of a response are taken with the first of them, and nothing may be
 * in between: see place_check().
 *
 * Return: 0, or -1.
 */
static int take_one(struct cli *s, struct rmsg *m)
{
	unsigned int i = 0;
	const char *want;
	u32 xid = get_u32(m->data);

	while (i < nr_due && due[i].xid != xid)
		i++;
	if (i == nr_due) {
		cli_fail(s, "an answer to nothing", m);
		free(m);
		return -1;
	}
	want = due[i].want;
	due[i] = due[--nr_due];
	return cli_judge(s, m, xid, want);
}

/**
 * take_due - take all answers that are due
 * @s: the client
 */
static void take_due(struct cli *s)
{
	unsigned int all = nr_due;
	struct rmsg *m;

	while (nr_due && !s->r->v) {
		m = cli_wait(s, cfg.timeout);
		if (!m)
			result_fail(s->r, "%u of %u answers never came: %s", nr_due, all,
				    s->c->gone ? s->c->why : "timeout");
		else if (take_one(s, m))
			return;
	}
}

/**
 * send_mix - send READs whose replies take several Sends, among other things
 * @s: the client
 *
 * What has no reply, but an ERROR or a control message, is made by other means
 * of the server's than replies are. A READ comes last: responses are held against
 * the last request.
 */
static void send_mix(struct cli *s)
{
	u32 n = s->grant / 5 < ROUNDS ? s->grant / 5 : ROUNDS, i;

	for (i = 0; i < n; i++) {
		send_on(s, "x 2 20 6");
		owe(s, "proc");
		send_on(s, OPT "0 9 [ ]");
		owe(s, "opt");
		send_on(s, OPT "0 2 [ 0 ]");
		owe(s, "respxch all:0");
		send_on(s, NULLMSG);
		owe(s, "reply");
		send_on(s, XREQ "[ 0 0 1 3 ps ] { read:0:20000 }");
		owe(s, "xreply vread:0:20000");
	}
}

/**
 * no_parts - skip a case if the server's responses have one transmission only
 * @s: the client
 *
 * Return: true if so.
 */
static bool no_parts(struct cli *s)
{
	if (s->peer.respsxlim < 2)
		result_skip(s->r, "RESPSXLIM is 1");
	return s->peer.respsxlim < 2;
}

/**
 * run_mixed - responses of several transmissions beside other answers
 * @s: the client
 */
static void run_mixed(struct cli *s)
{
	int i;

	for (i = 0; i < ROUNDS && !no_parts(s) && !s->r->v; i++) {
		send_mix(s);
		take_due(s);
	}
}

/**
 * call_back - answer a reverse Call
 * @s: the client
 * @m: the message
 * @h: the same taken apart
 *
 * Return: what is wrong with it, or NULL.
 */
static const char *call_back(struct cli *s, const struct rmsg *m,
			     const struct hdr *h)
{
	struct tmpl_env env = { .c = s->c, .xid = h->xid };
	struct buf b;

	if (h->proc != P_MSG || h->nreads || h->nwrites || h->has_reply || h->inv)
		return "a reverse Call that is no short one";
	nr_back++;
	buf_init(&b, 256);
	tmpl_build(&b, "x 2 10 0 1 0 " LISTS "x 1 0 0 0 0", &env);
	conn_send(s->c, b.p, b.len, NULL);
	buf_free(&b);
	return NULL;
}

/**
 * mix_until - send and take until a process has ended
 * @s: the client
 * @pid: the process
 */
static void mix_until(struct cli *s, pid_t pid)
{
	u64 end = now_ms() + 4 * cfg.timeout;
	unsigned int beside = 0, before;
	int status = -1;
	pid_t got;

	do {
		before = nr_back;
		send_mix(s);
		take_due(s);
		beside += nr_back > before;
		got = waitpid(pid, &status, WNOHANG);
	} while (!got && !s->r->v && now_ms() < end);
	if (s->r->v)
		return;
	if (got != pid || status)
		result_fail(s->r, "Calls were lost: status %x", status);
	else if (!beside)
		result_fail(s->r, "no reverse Call came beside a response");
}

/**
 * run_beside_calls - the same beside reverse Calls and REQXCHs
 * @s: the client
 */
static void run_beside_calls(struct cli *s)
{
	struct session x;
	struct deleg d;
	pid_t pid;

	if (no_parts(s))
		return;
	s->stained = true;
	s->reverse = call_back;
	nr_back = 0;
	/* There is a back channel once nfsd has delegated something. */
	if (session_open(&x, s) || session_delegate(&x, &d) ||
	    session_return(&x, &d))
		return;
	pid = fork();
	if (!pid) {
		execl(cfg.on_server, cfg.on_server, CALLS_BACK, NULL);
		_exit(127);
	}
	mix_until(s, pid);
	if (!s->r->v)
		session_close(&x);
}

/**
 * send_group - send a NULL call in so many transmissions
 * @s: the client
 * @n: how many
 */
static void send_group(struct cli *s, u32 n)
{
	char t[128];
	u32 i;

	snprintf(t, sizeof(t), XREQ "[ 0 0 %x 1 ps ] { x 0 2 186a3 4 0 %s}", n,
		 n > 1 ? "" : "0 0 0 0 ");
	send_on(s, t);
	for (i = 1; i < n; i++) {
		snprintf(t, sizeof(t), CONT "[ %x 5 ps ] { %s}", i,
			 i + 1 < n ? "" : "0 0 0 0 ");
		send_on(s, t);
	}
	owe(s, "xreply");
}

/**
 * use_credits - send as many transmissions at once as there are credits
 * @s: the client
 * @len: transmissions of each request
 *
 * The server has a receive for each, and no more may be needed: a group neither
 * waits for another, nor for a receive that another one holds.
 */
static void use_credits(struct cli *s, u32 len)
{
	u32 left, n;
	int i;

	for (i = 0; i < ROUNDS && !s->r->v; i++) {
		for (left = s->grant; left; left -= n) {
			n = left < len ? left : len;
			send_group(s, n);
		}
		take_due(s);
	}
}

/**
 * run_all_credits - groups of several lengths, each time with all credits
 * @s: the client
 */
static void run_all_credits(struct cli *s)
{
	use_credits(s, 3 < s->peer.reqrxlim ? 3 : s->peer.reqrxlim);
	use_credits(s, s->peer.reqrxlim);
}

/**
 * set_credits - have the server grant so many on new connections
 * @s: the client
 * @n: how many
 */
static void set_credits(struct cli *s, u32 n)
{
	char t[128];

	snprintf(t, sizeof(t), "echo %u > " KNOBS "max_requests", n);
	if (on_server(t))
		result_fail(s->r, "cannot set max_requests");
}

/**
 * run_few_credits - the same where one group takes all there is
 * @s: the client
 */
static void run_few_credits(struct cli *s)
{
	struct result r = { .v = PASS };
	struct cli few;

	set_credits(s, FEW);
	if (!cli_open_lay(&few, &r, 0, LAY)) {
		if (few.grant != FEW || few.peer.reqrxlim > FEW)
			result_fail(&r, "%u credits, REQRXLIM %u", few.grant,
				    few.peer.reqrxlim);
		use_credits(&few, few.peer.reqrxlim);
		use_credits(&few, 1);
	}
	cli_close(&few);
	set_credits(s, USUAL);
	if (r.v)
		result_fail(s->r, "%.900s", r.why);
}

/**
 * note - have the server note how much memory there is
 * @name: a name for that
 */
static void note(const char *name)
{
	char t[256];

	snprintf(t, sizeof(t), "{ echo " USED "; awk '" AVAILABLE
		 "' /proc/meminfo; } > /run/peer-%s", name);
	on_server(t);
}

/**
 * charged_as - does placement have as much memory as it had then?
 * @name: when that was noted
 *
 * Return: true if so.
 */
static bool charged_as(const char *name)
{
	char t[256];

	snprintf(t, sizeof(t), "[ " USED " = $(head -1 /run/peer-%s) ]",
		 name);
	return !on_server(t);
}

/**
 * taken - has more memory gone since then, and stays away?
 * @name: when that was noted
 * @kb: than so much
 *
 * Others take and give back some, too: what groups take stays until they end.
 *
 * Return: true if so.
 */
static bool taken(const char *name, u32 kb)
{
	u64 end = now_ms() + cfg.timeout / 3;
	char t[256];

	snprintf(t, sizeof(t), "d=$(($(tail -1 /run/peer-%s) - $(awk '" AVAILABLE
		 "' /proc/meminfo))); [ $d -gt %u ] && echo \"# $d kB\"", name,
		 kb);
	while (!on_server(t))
		if (now_ms() > end)
			return true;
	return false;
}

/**
 * longest - transmissions of the longest request that a server takes
 * @s: the client
 *
 * Return: how many.
 */
static u32 longest(const struct cli *s)
{
	return s->peer.reqrxlim < s->grant ? s->peer.reqrxlim : s->grant;
}

/**
 * leave_open - begin with a group that is as long as can be, and do not end it
 * @s: the client
 */
static void leave_open(struct cli *s)
{
	char t[128];
	u32 i;

	snprintf(t, sizeof(t), XREQ "[ 0 0 %x 1 ps ] { null }", longest(s));
	send_on(s, t);
	for (i = 1; i + 1 < longest(s); i++) {
		snprintf(t, sizeof(t), CONT "[ %x 5 ps ] { } plt:0 zero:4096", i);
		send_on(s, t);
	}
	conn_wait_sent(s->c, cfg.timeout);
}

/**
 * hold_open - groups that are not finished take no more than their receives
 * @o: the clients
 * @r: gets the result
 */
static void hold_open(struct cli *o, struct result *r)
{
	u32 kb = 0, i;

	note("open");
	for (i = 0; i < UNFINISHED; i++) {
		leave_open(&o[i]);
		kb += longest(&o[i]) * (o[i].peer.rbsiz >> 10);
	}
	if (!charged_as("open"))
		result_fail(r, "groups are charged to placement");
	if (taken("open", kb + SLACK_KB))
		result_fail(r, "open groups take more than %u kB", kb + SLACK_KB);
}

/**
 * run_open_memory - what groups that are never finished cost the server
 * @s: the client
 *
 * All of it goes with their connections.
 */
static void run_open_memory(struct cli *s)
{
	struct result r = { .v = PASS };
	static struct cli o[UNFINISHED];
	u64 end;
	int i;

	note("before");
	for (i = 0; i < UNFINISHED && !r.v; i++)
		cli_open_lay(&o[i], &r, 0, LAY);
	if (!r.v && charged_as("before"))
		result_fail(&r, "connections are not charged to placement");
	if (!r.v)
		hold_open(o, &r);
	while (i--)
		cli_close(&o[i]);
	end = now_ms() + cfg.timeout;
	while (!r.v && !charged_as("before"))
		if (now_ms() > end)
			result_fail(&r, "memory stays with closed connections");
	if (r.v)
		result_fail(s->r, "%.900s", r.why);
}

const struct cli_case cases_mixed[] = {
	{ "cont_replies_mixed", "C-02 C-23 C-27 C-25", NULL, RT, .run = run_mixed },
	{ "cont_replies_beside_calls", "C-02 C-23 C-27 X-28", NULL, C_HAND | RT,
	  .run = run_beside_calls },
	{ "cont_all_credits", "C-22 C-25 D-07 D-19 A-70", NULL, RT,
	  .run = run_all_credits },
	{ "cont_few_credits", "C-22 C-25 D-12 D-19", NULL, C_HAND | RT,
	  .run = run_few_credits },
	{ "cont_open_memory", "S-12 N-194", NULL, C_HAND | RT, .run = run_open_memory },
};

const unsigned int nr_cases_mixed = ARRAY_SIZE(cases_mixed);
