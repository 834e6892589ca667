// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the client role: what goes through the server's Send Queue. A call
 * may ask for as many RDMA Reads or Writes as that has entries, or more; and
 * replies stay in it for as long as the client takes none.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "deaf.h"
#include "rpc.h"

#define KNOBS		"/proc/sys/sunrpc/svc_rdma/"
/* Where memory for Receives follows use, queues are deeper, and RBSIZ is raised only for
 * data: servers of these cases place none.
 */
#define PAGES		"/sys/kernel/debug/rpcrdma2/settings/server_placement_pages"
#define SOME_PAGES	16
#define TCP_PORT	2049
#define SHORT_CALLS	12

/* Bytes of the position-zero Read chunk: no other may begin beyond them */
#define CALL_CHUNK	4096

/* With so many credits, a Send Queue over soft-RoCE has 126 entries or more if nfsd takes 256 KiB
 * at once, and about 223 if it takes 512 KiB. A Call may have few Reads, but not as many as that.
 */
#define READS_CREDITS	16
#define FEW_READS	32
#define LEAST_READS	118
#define MOST_READS	130
#define TOO_MANY_READS	300

/* With so few, it has not as many as these segments take Writes */
#define WRITES_CREDITS	4
#define WRITES_SEGS	"3e rep:62 seg0:84 end"

/**
 * knob - set a switch of the server's, if it has that
 * @s: the client
 * @name: the switch, a file
 * @value: its value
 */
static void knob(struct cli *s, const char *name, u32 value)
{
	char t[256];

	snprintf(t, sizeof(t), "f=%s; [ ! -e $f ] || echo %u > $f", name, value);
	if (on_server(t))
		result_fail(s->r, "cannot set %s", name);
}

/**
 * few_credits - have the server grant so many credits, so that its Send Queue is short
 * @s: the client
 * @credits: how many; with those for callbacks, of which there are two, they settle its depth
 */
static void few_credits(struct cli *s, u32 credits)
{
	char t[256];

	knob(s, PAGES, 0);
	snprintf(t, sizeof(t),
		 "cd " KNOBS " 2> /dev/null || exit 0; cat max_requests max_bc_requests > /run/tb/credits; "
		 "echo %u > max_requests; echo 2 > max_bc_requests", credits);
	if (on_server(t))
		result_fail(s->r, "cannot set the credits");
}

/**
 * usual_credits - undo few_credits()
 * @s: the client
 */
static void usual_credits(struct cli *s)
{
	if (on_server("cd " KNOBS " 2> /dev/null || exit 0; { read -r n; read -r bc; } < /run/tb/credits; "
		      "echo $n > max_requests; echo $bc > max_bc_requests"))
		result_fail(s->r, "cannot set the credits");
	knob(s, PAGES, SOME_PAGES);
}

/**
 * no_rnr - skip a case on a device on which a receive must be there in time
 * @s: the client
 *
 * Return: true if so.
 */
static bool no_rnr(struct cli *s)
{
	if (conn_is_iwarp(s->c))
		result_skip(s->r, "iWARP does not wait for receives");
	return conn_is_iwarp(s->c);
}

/**
 * no_short_queue - skip a case on a device whose Send Queue is never short
 * @s: the client
 *
 * An RDMA operation may take three entries over iWARP. All are given three, so that
 * there is room for all Writes that one Call can ask for.
 *
 * Return: true if so.
 */
static bool no_short_queue(struct cli *s)
{
	if (conn_is_iwarp(s->c))
		result_skip(s->r, "iWARP's Send Queue has room for all Writes");
	return conn_is_iwarp(s->c);
}

/*
 * Reads and Writes
 */

/**
 * spread_null - have every other word of a NULL call in another memory
 * @s: the client
 *
 * Return: 0, or -1.
 */
static int spread_null(struct cli *s)
{
	struct mem *even = conn_mem(s->c, 0), *odd = conn_mem(s->c, 1);
	struct buf b;
	u32 i;

	if (!even || !odd) {
		result_fail(s->r, "no memory for chunks");
		return -1;
	}
	buf_init(&b, 256);
	rpc_null(&b, s->xid, DIR_CALL);
	for (i = 0; i < b.len; i += 4)
		memcpy((i % 8 ? odd : even)->p + i / 8 * 4, b.p + i, 4);
	buf_free(&b);
	return 0;
}

/**
 * reads_text - a Long Call that takes so many Reads
 * @t: where the template goes
 * @size: its size
 * @vers: which version
 * @reads: how many
 *
 * Read chunks of a word lie between words of the call chunk, each of which is
 * a Read, too, like the rest behind them; that may be in two segments.
 */
static void reads_text(char *t, size_t size, u32 vers, u32 reads)
{
	u32 n = (reads - 1) / 2, first = CALL_CHUNK, i;
	size_t at;

	if (reads % 2 == 0)
		first = 4 * n + 8;
	at = snprintf(t, size, "%s1 0 seg0:%u ",
		      vers == 1 ? "x 1 20 1 " : NOMSG "0 ", first);
	if (first != CALL_CHUNK)
		at += snprintf(t + at, size - at, "1 0 seg0:%u:%u ",
			       CALL_CHUNK - first, first);
	for (i = 0; i < n; i++)
		at += snprintf(t + at, size - at, "1 %x seg1:4:%u ", 4 + 8 * i,
			       4 * i);
	snprintf(t + at, size - at, "0 0 0");
}

/**
 * ask_reads - make a call that takes so many Reads
 * @s: the client; connected again if the server has closed the connection
 * @vers: in which version
 * @reads: how many
 * @want: what is wanted
 *
 * Return: 0, or -1.
 */
static int ask_reads(struct cli *s, u32 vers, u32 reads, const char *want)
{
	struct result *r = s->r;
	char t[8192];

	if (s->c->gone) {
		cli_close(s);
		if (cli_open(s, r, vers == 1 ? C_RAW : 0))
			return -1;
	}
	s->v1 = vers == 1;
	reads_text(t, sizeof(t), vers, reads);
	if (!spread_null(s) && !cli_step(s, t, want))
		return 0;
	result_fail(r, "%u Reads", reads);
	return -1;
}

/**
 * leaves_little - is a Call refused that has fewer Reads than the Send Queue entries?
 * @s: the client
 *
 * 6.12 leaves a quarter of the Send Queue to replies, 7.3 nothing. Over iWARP a Read takes
 * three entries.
 *
 * Return: true if so, by far.
 */
static bool leaves_little(struct cli *s)
{
	return conn_is_iwarp(s->c) || !on_server("uname -r | grep -q '^6[.]'");
}

/**
 * leave - end the connection, so that the next Call has one of its own
 * @s: the client
 */
static void leave(struct cli *s)
{
	conn_disconnect(s->c);
	conn_wait_gone(s->c, cfg.timeout);
}

/**
 * ask_all_reads - as many Reads as the Send Queue holds, and more
 * @s: the client
 * @vers: in which version
 * @refused: what is wanted of those that are too many
 *
 * Over version 1, and for want of memory regions, the refusal may get lost with
 * the connection, which the server closes.
 */
static void ask_all_reads(struct cli *s, u32 vers, const char *refused)
{
	char about[32];
	u32 reads;

	snprintf(about, sizeof(about), "%s%s", leaves_little(s) ? "" : "reply|", refused);
	few_credits(s, READS_CREDITS);
	leave(s);
	if (!ask_reads(s, vers, FEW_READS, "reply")) {
		for (reads = LEAST_READS; reads <= MOST_READS; reads++)
			if (ask_reads(s, vers, reads, about))
				break;
		if (reads > MOST_READS)
			ask_reads(s, vers, TOO_MANY_READS, refused);
	}
	if (vers == 1)
		leave(s);
	s->stained = true;
	usual_credits(s);
}

/**
 * run_reads - calls that take more and more RDMA Reads, up to more than the Send Queue has entries
 * @s: the client
 */
static void run_reads(struct cli *s)
{
	ask_all_reads(s, 2, conn_is_iwarp(s->c) ? "xdr|disc" : "xdr");
}

/**
 * run_reads_v1 - the same in version 1
 * @s: the client
 */
static void run_reads_v1(struct cli *s)
{
	ask_all_reads(s, 1, "xdr|disc");
}

/**
 * ask_writes - a Reply chunk of more segments than the Send Queue has entries
 * @s: the client; connects anew
 * @vers: in which version
 * @want: what is wanted
 */
static void ask_writes(struct cli *s, u32 vers, const char *want)
{
	struct result *r = s->r;
	char t[256];

	if (no_short_queue(s))
		return;
	few_credits(s, WRITES_CREDITS);
	cli_close(s);
	if (!cli_open(s, r, vers == 1 ? C_RAW : 0)) {
		snprintf(t, sizeof(t), "%s0 0 1 " WRITES_SEGS " read:0:5000",
			 vers == 1 ? MSGV1 : MSG "0 ");
		cli_step(s, t, want);
		s->stained = true;
	}
	usual_credits(s);
}

/**
 * run_writes - a Reply chunk of more segments than a short Send Queue has entries
 * @s: the client
 */
static void run_writes(struct cli *s)
{
	ask_writes(s, 2, "cant:1:0:r5000");
}

/**
 * run_writes_v1 - the same in version 1
 * @s: the client
 */
static void run_writes_v1(struct cli *s)
{
	ask_writes(s, 1, "xdr");
}

/*
 * Replies that are not taken
 */

/**
 * tcp_null - a NULL call by way of TCP must be answered
 * @r: where a failure goes
 */
static void tcp_null(struct result *r)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(TCP_PORT),
	};
	struct timeval tv = { .tv_sec = cfg.timeout / 1000 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct buf b;
	u8 got[28];

	inet_pton(AF_INET, cfg.host, &to.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	buf_init(&b, 256);
	buf_u32(&b, 0x80000028);	/* the last fragment, 40 bytes */
	rpc_null(&b, 1, DIR_CALL);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    write(fd, b.p, b.len) != (ssize_t)b.len ||
	    recv(fd, got, sizeof(got), MSG_WAITALL) != sizeof(got))
		result_fail(r, "no reply over TCP");
	buf_free(&b);
	close(fd);
}

/**
 * served - other clients must be served, new ones, too
 * @r: where a failure goes
 */
static void served(struct result *r)
{
	struct cli other;
	int i;

	for (i = 0; i < SHORT_CALLS && !r->v; i++) {
		if (!cli_open(&other, r, cfg.server_max == 1 ? C_RAW : 0))
			cli_null(&other, cfg.server_max);
		cli_close(&other);
	}
	if (!r->v)
		tcp_null(r);
}

/**
 * closed_in_time - the server must close what makes no progress
 * @s: the client
 * @d: others, or NULL
 */
static void closed_in_time(struct cli *s, struct cli *d)
{
	int ms = 6 * cfg.timeout;

	if (d ? deaf_wait_gone(d, ms) : !conn_wait_gone(s->c, ms))
		result_fail(s->r, "not closed within %d ms", ms);
	else if (on_server("[ $(cat " KNOBS "rdma_stat_sq_stuck) -gt 0 ]"))
		result_fail(s->r, "closed for some other reason");
}

/**
 * run_deaf - clients that take no replies stop none but themselves
 * @s: the client
 */
static void run_deaf(struct cli *s)
{
	static struct cli d[NR_DEAF];

	if (no_rnr(s))
		return;
	knob(s, KNOBS "send_timeout", cfg.timeout / 500);
	if (!deaf_open(d, s->r)) {
		served(s->r);
		if (!s->r->v && !deaf_up(d))
			result_fail(s->r, "all were closed before that");
		if (!s->r->v)
			closed_in_time(s, d);
	}
	deaf_close(d);
	knob(s, KNOBS "send_timeout", 30);
}

#define WAITS_FOR_US	INIT "[ 3 1 4 1000 2 4 0 3 4 1 0 ] => init; hear =>;" \
			"x 2 20 5 0 2 [ 1 1 4 4000 ] => pend:1; await => req:"

/**
 * run_deaf_control - the same while the server has something else to say
 * @s: the client; the server waits for its answer to a REQXCH
 *
 * When that comes there is a control message due. Whoever sends it must not
 * stand in the way of connections that end.
 */
static void run_deaf_control(struct cli *s)
{
	struct tmpl_env env = { 0 };
	struct buf b;

	if (no_rnr(s))
		return;
	knob(s, PAGES, 0);
	knob(s, KNOBS "send_timeout", cfg.timeout / 3000);
	cli_close(s);
	if (!cli_open(s, s->r, C_RAW | C_BIG | C_DEAF) &&
	    !cli_own_script(s, WAITS_FOR_US) && !deaf_fill(s, 2, DEAF_CALLS)) {
		env.c = s->c;
		env.told = s->heard_xid;
		buf_init(&b, 256);
		tmpl_build(&b, "q 2 20 5 1 3 [ 0 0 0 ]", &env);
		conn_send(s->c, b.p, b.len, NULL);
		buf_free(&b);
		served(s->r);
		if (!s->r->v)
			closed_in_time(s, NULL);
	}
	knob(s, KNOBS "send_timeout", 30);
	knob(s, PAGES, SOME_PAGES);
}

/**
 * take_all - every call gets its reply, and no other one does
 * @s: the client
 * @first: xid of the first call
 * @left: replies that have not come
 */
static void take_all(struct cli *s, u32 first, u32 left)
{
	bool seen[DEAF_CALLS] = { false };
	struct rmsg *m;
	u32 i;

	for (; left && !s->r->v; left--) {
		m = conn_wait(s->c, cfg.timeout);
		if (!m) {
			result_fail(s->r, "%u replies missing: %s", left,
				    s->c->gone ? s->c->why : "timeout");
			return;
		}
		i = get_u32(m->data) - first;
		if (i >= DEAF_CALLS || seen[i])
			cli_fail(s, "not a reply, or the second one", m);
		else
			seen[i] = true;
		free(m);
	}
}

/**
 * run_hears_again - replies that had to wait come when they are taken
 * @s: the client
 *
 * Calls that came meanwhile are answered, too, without another one to remind
 * the server of them.
 */
static void run_hears_again(struct cli *s)
{
	u32 first = s->xid;

	s->stained = true;
	if (no_rnr(s) || deaf_fill(s, 2, DEAF_CALLS))
		return;
	conn_hear(s->c);
	take_all(s, first, DEAF_CALLS - s->c->o.nr_recv);
}

/*
 * The length of a call
 */

/**
 * two_chunks - send a WRITE with two of its words in Read chunks
 * @s: the client
 * @vers: in which version
 *
 * Return: 0, or -1.
 */
static int two_chunks(struct cli *s, u32 vers)
{
	struct mem *m = conn_mem(s->c, 0);
	u32 at[2] = { 48, 64 }, i;
	struct buf rpc, b;
	int ret;

	buf_init(&rpc, 4096);
	buf_init(&b, 4096);
	rpc_write(&rpc, s->xid, 0, 512, true);
	wire_fixed(&b, s->xid, vers, 32, P_MSG);
	if (vers == 2)
		buf_u64(&b, 0);
	for (i = 0; m && i < 2; i++) {
		memcpy(m->p + 4 * i, rpc.p + at[i], 4);
		buf_u32(&b, 1);
		buf_u32(&b, at[i]);
		buf_u32(&b, m->rkey);
		buf_u32(&b, 4);
		buf_u64(&b, (uintptr_t)m->p + 4 * i);
	}
	buf_fill(&b, 0, 12);
	buf_bytes(&b, rpc.p, at[0]);
	buf_bytes(&b, rpc.p + at[0] + 4, at[1] - at[0] - 4);
	buf_bytes(&b, rpc.p + at[1] + 4, rpc.len - at[1] - 4);
	ret = conn_send(s->c, b.p, b.len, NULL);
	buf_free(&b);
	buf_free(&rpc);
	return ret;
}

/**
 * run_retransmit - a call that comes again in other chunks is the same call
 * @s: the client
 *
 * nfsd remembers what it did, and for which call. A server that has the length
 * of the first one wrong warns of it in its log.
 */
static void run_retransmit(struct cli *s)
{
	u32 vers = s->v1 ? 1 : 2;
	struct rmsg *m;

	if (on_server("cat /proc/net/rpc/nfsd > /run/rc") ||
	    two_chunks(s, vers)) {
		result_fail(s->r, "cannot send");
		return;
	}
	m = conn_wait(s->c, cfg.timeout);
	if (!m || cli_step(s, vers == 1 ? MSGV1 LISTS "write:0:512" :
			   MSG "0 " LISTS "write:0:512", "reply"))
		result_fail(s->r, "no reply");
	free(m);
	if (!s->r->v &&
	    on_server("hits() { awk '/^rc/ { print $2 }' $1; }; "
		      "[ $(hits /proc/net/rpc/nfsd) = $(($(hits /run/rc) + 1)) ]"))
		result_fail(s->r, "taken for another call");
}

const struct cli_case cases_queue[] = {
	{ "queue_reads", "A-20", NULL, C_HAND, NULL, run_reads },
	{ "queue_reads_v1", "A-20", NULL, C_ONLY1 | C_HAND, NULL, run_reads_v1 },
	{ "queue_writes", "N-32 A-26", NULL, C_HAND, NULL, run_writes },
	{ "queue_writes_v1", "A-26", NULL, C_ONLY1 | C_HAND, NULL, run_writes_v1 },
	{ "queue_deaf", "S-06", NULL, C_HAND, NULL, run_deaf },
	{ "queue_deaf_control", "S-06", NULL,
	  C_HAND | C_RAW | C_BIG | C_DEAF | C_NOEND, NULL, run_deaf_control },
	{ "queue_hears_again", "S-06", NULL, C_DEAF, NULL, run_hears_again },
	{ "queue_retransmit", "A-20", NULL, C_HAND, NULL, run_retransmit },
	{ "queue_retransmit_v1", "A-20", NULL, C_ONLY1 | C_HAND, NULL, run_retransmit },
};

const unsigned int nr_cases_queue = ARRAY_SIZE(cases_queue);
