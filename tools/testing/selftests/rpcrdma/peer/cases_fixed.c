// SPDX-License-Identifier: GPL-2.0
/* Cases of the client role: fixed words and bodies of MSG and NOMSG. */
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "rpc.h"

#define LONG_SEND	65536
#define FIRST		32
#define OVERRUN		1000

/**
 * run_too_long - a Send longer than the server's receives
 * @s: the client
 *
 * Receives may be larger than what was advertised: the first ones are posted
 * before the server knows what the client can do. They are used up before.
 */
static void run_too_long(struct cli *s)
{
	u32 size = s->peer.rbsiz > LONG_SEND / 2 ? SEND_SIZE : LONG_SEND, i;
	char t[128];

	if (size <= s->peer.rbsiz) {
		result_fail(s->r, "RBSIZ %u", s->peer.rbsiz);
		return;
	}
	for (i = 0; i < FIRST && !s->r->v; i++)
		cli_null(s, 2);
	snprintf(t, sizeof(t), OPT "0 9 [ zero:%u ]", size - 28);
	cli_step(s, t, "disc");
}

/**
 * take_nulls - take the replies to NULL calls, in whatever order
 * @s: the client
 * @first: xid of the first call
 * @n: how many there were
 *
 * Return: how many of them were answered, each once.
 */
static u32 take_nulls(struct cli *s, u32 first, u32 n)
{
	static bool seen[OVERRUN];
	static struct hdr h;
	struct rmsg *m;
	u32 got = 0;

	memset(seen, 0, sizeof(seen));
	while (got < n && (m = cli_wait(s, cfg.timeout))) {
		if (wire_decode(&h, m->data, m->len) || h.proc != P_MSG || h.dir != DIR_REPLY ||
		    h.xid - first >= n || seen[h.xid - first])
			cli_fail(s, "no reply to a call that waits for one", m);
		else
			seen[h.xid - first] = true;
		free(m);
		got++;
	}
	return got;
}

/**
 * run_overrun - many more calls at once than were granted
 * @s: the client
 *
 * The server may find a receive for each. Then it has to answer each, once. Else
 * the connection ends, and nothing else does.
 */
static void run_overrun(struct cli *s)
{
	u32 first = s->xid, got, i;

	for (i = 0; i < OVERRUN && !s->c->gone; i++) {
		cli_nulls(s, 1);
		conn_poll(s->c);
	}
	got = take_nulls(s, first, OVERRUN);
	if (got < OVERRUN && !s->c->gone)
		result_fail(s->r, "%u of %u calls answered", got, OVERRUN);
}

/**
 * run_many_bad - a long row of bad messages, then an honest one
 * @s: the client
 */
static void run_many_bad(struct cli *s)
{
	int i;

	for (i = 0; i < 200; i++)
		if (cli_step(s, MSG "0 2", "xdr") ||
		    cli_step(s, "x 2 20 6", "proc") ||
		    cli_step(s, OPT "0 9 [ ]", "opt"))
			return;
}

const struct cli_case cases_fixed[] = {
	{ "send_0_bytes", "N-01 A-19 D-36 S-06", "cut=0 => disc" },
	{ "send_4_bytes", "N-01 A-19 D-36 S-06", "x => disc" },
	{ "send_12_bytes", "N-01 A-19 D-36", "x 2 20 => disc" },
	{ "send_15_bytes", "N-01 A-19 D-36", "x 2 20 0 cut=15 => disc" },
	{ "send_8_bytes_first", "N-01 A-19 D-36", "x 2 => disc", C_RAW },
	{ "msg_cut", "B-15 N-02 N-17 A-19 B-64 B-77",
	  MSG "0 " LISTS "null cut=16..36 => xdr" },
	{ "msg_cut_first", "N-02 A-19 B-64 B-77",
	  MSG "0 " LISTS "null cut=16..19 => xdr", C_RAW },
	{ "msg_cut_in_read_list", "N-02 B-64",
	  MSG "0 1 wpos seg0:64 0 0 0 wcall:0:64 cut=24..60 => xdr" },
	{ "msg_cut_in_write_list", "N-02 B-64",
	  MSG "0 0 1 2 seg0:64 seg0:64:64 0 0 null cut=28..75 => xdr" },
	{ "msg_cut_in_reply_chunk", "N-02 B-64",
	  MSG "0 0 0 1 1 seg0:64 null cut=32..56 => xdr" },
	{ "nomsg_cut", "N-02 B-64",
	  NOMSG "0 1 0 seg0:40 0 0 0 cut=16..59 => xdr", 0, "null" },
	{ "msg_reply_cut", "N-02 A-11 D-02",
	  "x 2 20 0 1 0 0 0 0 nullreply cut=20..36 => drop" },
	{ "nomsg_reply_cut", "N-02 A-11",
	  "x 2 20 1 1 0 0 0 1 1 seg0:64 cut=20..52 => drop" },
	{ "proc_unknown", "N-06 B-63 B-61 B-77",
	  "x 2 20 2 0 0 " LISTS "null => proc;"
	  "x 2 20 3 0 0 " LISTS "null => proc;"
	  "x 2 20 6 0 0 " LISTS "null => proc;"
	  "x 2 20 80000000 0 0 " LISTS "null => proc;"
	  "x 2 20 ffffffff => proc; x 2 20 2 => proc" },
	{ "proc_unknown_first", "N-06 B-63 A-37",
	  "x 2 20 3 0 0 " LISTS "null => proc;" NULLV1 "=> vers:2:2", C_RAW },
	{ "proc_unknown_before_body", "N-06 B-19 A-18",
	  "x 2 20 6 ff:40 => proc; x 2 20 6 2 => proc" },
	{ "direction_2", "N-11 B-12",
	  "x 2 20 0 2 0 " LISTS "null => xdr;"
	  "x 2 20 0 ffffffff 0 " LISTS "null => xdr;"
	  "x 2 20 1 2 0 1 0 seg0:40 0 0 0 => xdr", 0, "null" },
	{ "read_list_word_2", "N-12 B-12 A-08",
	  MSG "0 2 0 0 null => xdr; " MSG "0 ffffffff 0 0 null => xdr;"
	  MSG "0 2 wpos seg0:64 0 0 0 wcall:0:64 => xdr" },
	{ "write_list_word_2", "N-12 B-12 A-08",
	  MSG "0 0 2 0 null => xdr;"
	  MSG "0 0 2 1 seg0:64 0 0 null => xdr;"
	  MSG "0 0 1 1 seg0:64 2 0 null => xdr" },
	{ "reply_chunk_word_2", "N-12 B-12 A-08",
	  MSG "0 0 0 2 null => xdr;"
	  MSG "0 0 0 80000000 1 seg0:64 null => xdr" },
	{ "segment_count_huge", "N-12 S-11",
	  MSG "0 0 1 ffffffff seg0:64 0 0 null => xdr;"
	  MSG "0 0 0 1 ffffffff seg0:64 null => xdr;"
	  MSG "0 0 1 10000001 seg0:64 0 0 null => xdr;"
	  MSG "0 0 0 1 10000000 seg0:64 null => xdr;"
	  MSG "0 0 1 40000000 seg0:64 0 0 null => xdr" },
	{ "segment_count_beyond", "N-12 S-11",
	  MSG "0 0 1 7 seg0:64 0 0 null => xdr;"
	  MSG "0 0 0 1 5 seg0:64 null => xdr" },
	{ "many_write_chunks", "N-12 A-20",
	  MSG "0 0 rep:60 1 1 seg0:64 end 0 0 null => xdr|reply" },
	{ "many_write_segments", "N-12 A-20",
	  MSG "0 0 1 f0 rep:240 seg0:64 end 0 0 null => xdr|reply" },
	{ "msg_without_payload", "N-17 B-14",
	  MSG "0 " LISTS "null cut=36..43 => xdr" },
	{ "msg_short_rpc", "N-17 N-35",
	  MSG "0 " LISTS "null cut=44..60 => rpcerr:4|denied|xdr|drop" },
	{ "payload_xid_differs", "N-18 B-18",
	  MSG "0 " LISTS "null+1 => xdr;" NULLMSG "@36=0 => xdr" },
	{ "payload_direction_differs", "N-18 B-04",
	  MSG "0 " LISTS "nullreply => xdr;" NULLMSG "@40=2 => xdr" },
	{ "reply_payload_differs", "N-18 A-11",
	  "x 2 20 0 1 0 " LISTS "null => drop;"
	  "x 2 20 0 1 0 " LISTS "nullreply @36=1 => drop" },
	{ "reply_unknown_xid", "N-30 D-02",
	  "x 2 20 0 1 0 " LISTS "nullreply => drop;"
	  "x 2 20 1 1 0 0 0 1 1 seg0:64 => drop" },
	{ "reply_with_lists", "N-26 N-27 D-02 N-30",
	  "x 2 20 0 1 0 1 0 seg0:64 0 0 0 nullreply => drop;"
	  "x 2 20 0 1 0 0 1 1 seg0:64 0 0 nullreply => drop;"
	  "x 2 20 0 1 0 0 0 1 1 seg0:64 nullreply => drop" },
	{ "reply_swi_unknown", "N-29 N-30",
	  "x 2 20 0 1 0 " LISTS "nullreply swi=deadbeef => drop|disc" },
	{ "reply_first", "N-30 D-02 B-11",
	  "x 2 20 0 1 0 " LISTS "nullreply => drop", C_RAW },
	{ "nomsg_trailing_bytes", "N-25 B-17 A-15",
	  NOMSG "0 1 0 seg0:40 0 0 0 ff:100 => reply", 0, "null" },
	{ "nomsg_without_pzrc", "N-23 B-17 A-15",
	  NOMSG "0 " LISTS "=> xdr;" NOMSG "0 " LISTS "null => xdr;"
	  NOMSG "0 1 28 seg0:40 0 0 0 => xdr" },
	{ "nomsg_reply_without_chunk", "N-23 A-11",
	  "x 2 20 1 1 0 " LISTS "=> drop" },
	{ "send_64k", "N-09 D-36", NULL, 0, NULL, run_too_long },
	{ "calls_above_grant", "N-10 D-17", NULL, 0, NULL, run_overrun },
	{ "many_bad_messages", "N-02 N-06 N-64", NULL, 0, NULL, run_many_bad },
};

const unsigned int nr_cases_fixed = ARRAY_SIZE(cases_fixed);
