// SPDX-License-Identifier: GPL-2.0
/* Cases of the client role: honest work, versions, thresholds, credits. */
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "rpc.h"

/**
 * run_answer_size - the answer to INITXCH fits a receiver of any version
 * @s: the client
 */
static void run_answer_size(struct cli *s)
{
	if (s->peer.have_brs)
		result_fail(s->r, "BRS from a server");
	if (!s->peer.have_rbsiz || s->peer.reqreminv || s->peer.foreign)
		result_fail(s->r, "RBSIZ %u REQREMINV %u, %u unknown ids",
			    s->peer.rbsiz, s->peer.reqreminv, s->peer.foreign);
	if (s->peer.count < 32 && s->peer.nochg >> s->peer.count)
		result_fail(s->r, "nochg %x for %u elements", s->peer.nochg,
			    s->peer.count);
}

/**
 * run_full_inline - a Send of exactly 4096 bytes is taken
 * @s: the client
 */
static void run_full_inline(struct cli *s)
{
	char t[256];
	u32 room = DEFAULT_INLINE - 36 - rpc_write_pos();

	snprintf(t, sizeof(t), MSG "0 " LISTS "write:8192:%u", room);
	cli_step(s, t, "reply");
}

/**
 * run_full_rbsiz - a Send of exactly the server's RBSIZ is taken
 * @s: the client
 */
static void run_full_rbsiz(struct cli *s)
{
	char t[256];
	u32 size = s->peer.rbsiz, room;

	if (size > SEND_SIZE)
		size = SEND_SIZE;
	room = (size - 36 - rpc_write_pos()) & ~3u;
	snprintf(t, sizeof(t), MSG "0 " LISTS "write:8192:%u", room);
	cli_step(s, t, "reply");
}

/**
 * run_grant - as many calls at once as were granted
 * @s: the client
 *
 * No receive may be missing, and every call is answered.
 */
static void run_grant(struct cli *s)
{
	u32 n = s->grant < 60 ? s->grant : 60, i, first = s->xid;

	cli_nulls(s, n);
	for (i = 0; i < n; i++) {
		struct rmsg *m = conn_wait(s->c, cfg.timeout);
		struct hdr h;

		if (!m) {
			result_fail(s->r, "%u of %u calls answered: %s", i, n,
				    s->c->gone ? s->c->why : "timeout");
			return;
		}
		if (wire_decode(&h, m->data, m->len) || h.proc != P_MSG ||
		    h.xid - first >= n)
			result_fail(s->r, "odd answer: %s",
				    wire_brief(m->data, m->len));
		free(m);
	}
}

/**
 * run_values_end - nothing is left of a connection when there is the next one
 * @s: the client
 *
 * One that tells of longer receives is followed by one that tells of nothing, and
 * by one of version 1.
 */
static void run_values_end(struct cli *s)
{
	static const struct {
		unsigned int flags;
		const char *script;
	} conns[] = {
		{ C_BIG, MSG "0 " LISTS "read:0:8000 => reply|cant:1:0:r8000" },
		{ C_RAW | C_BIG, MSG "0 " LISTS "read:0:8000 => cant:1:0:r8000" },
		{ C_RAW, NULLV1 "=> reply" },
	};
	struct result r = { .v = PASS };
	struct cli other;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(conns) && !r.v; i++) {
		if (!cli_open(&other, &r, conns[i].flags))
			cli_script(&other, conns[i].script);
		cli_close(&other);
	}
	if (r.v)
		result_fail(s->r, "connection %zu: %.900s", i, r.why);
}

/*
 * A READ whose Write chunk is too short, and what may get the pages of its reply
 * next: the data of a WRITE, which the server pulls, and data that it has copied. The
 * file stays what it is.
 */
#define READ_SHORT	MSGV1 "0 1 1 seg0:4096 0 0 read:0:12286 => xdr|nfserr;"
#define WRITE_ZEROS	MSGV1 "1 wpos seg0:20000 0 0 0 wcall:65536:20000 => reply;"
#define READ_TWICE	MSGV1 "0 0 1 1 seg0:20000 read:32768:8192:40960:8192 => long;"
#define READ_KEPT	MSGV1 "0 1 1 seg0:12288 0 0 read:0:12288 => reply data:0:12288;"

const struct cli_case cases_base[] = {
	{ "null_v2", "B-01 B-03 B-04 B-14 B-84 D-13 D-31 D-33",
	  NULLMSG "=> reply" },
	{ "null_before_initxch", "B-84 B-92 X-16 X-32",
	  NULLMSG "=> reply", C_RAW },
	{ "null_v1", "B-92 B-85",
	  NULLV1 "=> reply;" NULLV1 "=> reply", C_ONLY1 },
	{ "null_v1_private_data", "B-92 A-42",
	  NULLV1 "=> reply", C_ONLY1 | C_PRIV },
	{ "long_call_v1", "B-92",
	  "x 1 20 1 1 0 seg0:40 0 0 0 => reply", C_ONLY1, "null" },
	{ "read_v1", "B-92",
	  MSGV1 LISTS "read:0:600 => reply;"
	  MSGV1 "0 1 2 seg0:3000 seg0:5000:3000 0 0 read:0:8000 => "
	  "reply data:0:8000", C_ONLY1 },
	{ "read_reply_chunk_v1", "B-92",
	  MSGV1 "0 0 1 1 seg0:16000 read:0:8000 => long", C_ONLY1 },
	{ "write_v1", "B-92",
	  MSGV1 LISTS "write:0:500 => reply;"
	  MSGV1 "1 wpos seg0:20000 0 0 0 wcall:65536:20000 => reply",
	  C_ONLY1, "zero:20000" },
	{ "null_long_call", "B-01 B-25 E12",
	  NOMSG "0 1 0 seg0:40 0 0 0 => reply", 0, "null" },
	{ "initxch_answer", "A-30 B-95 X-13 X-25 X-28 X-31 X-35 X-37 X-82 B-07 B-08 B-09",
	  NULL, 0, NULL, run_answer_size },
	{ "initxch_twice", "X-38 A-47 N-90",
	  INIT "[ 1 1 4 1000 0 ] => init;" INIT "[ 1 2 4 1 0 ] => init" },
	{ "initxch_after_null", "A-47 X-34 N-91",
	  NULLMSG "=> reply;" INIT "[ 1 1 4 1000 0 ] => init;"
	  NULLMSG "=> reply", C_RAW },
	{ "initxch_second_ignored", "N-90 X-38 A-47",
	  INIT "[ 1 1 4 400 0 ] => init;" INIT "[ 1 1 4 4000 0 ] => init;"
	  MSG "0 " LISTS "read:0:2000 => cant:1:0:r2000", C_RAW },
	{ "first_message_4096", "B-21 B-91 B-96 A-35",
	  NULL, C_RAW, NULL, run_full_inline },
	{ "message_4096", "B-21 B-85 D-16",
	  NULL, 0, NULL, run_full_inline },
	{ "message_rbsiz", "B-22 X-71 X-39",
	  NULL, 0, NULL, run_full_rbsiz },
	{ "grant_used_up", "D-07 D-17 D-19",
	  NULL, 0, NULL, run_grant },
	{ "read_inline", "B-01 X-72",
	  MSG "0 " LISTS "read:0:2000 => reply" },
	{ "read_write_chunk", "B-01 E11 P-01",
	  MSG "0 0 1 1 seg0:8000 0 0 read:0:8000 => reply data:0:8000" },
	{ "read_write_chunk_segments", "B-01 P-01 A-100",
	  MSG "0 0 1 3 seg0:3000 seg0:3000:3000 seg0:9000:6000 0 0 "
	  "read:4096:8000 => reply data:4096:8000" },
	{ "read_reply_chunk", "B-25 B-17 P-01",
	  MSG "0 0 0 1 1 seg0:16000 read:0:8000 => long" },
	{ "reply_chunk_not_needed", "X-74 A-100",
	  MSG "0 0 0 1 1 seg0:16000 null => reply;"
	  MSG "0 0 0 1 1 seg0:16000 read:0:2000 => reply" },
	{ "write_inline", "B-01",
	  MSG "0 " LISTS "write:0:1000 => reply" },
	{ "write_read_chunk", "B-01 P-01",
	  MSG "0 1 wpos seg0:20000 0 0 0 wcall:65536:20000 => reply",
	  0, "zero:20000" },
	{ "write_read_chunk_unaligned", "B-01 N-21",
	  MSG "0 1 wpos seg0:4999 0 0 0 wcall:65536:4999 => reply",
	  0, "zero:5000" },
	{ "write_read_chunk_segments", "B-01 N-21",
	  MSG "0 1 wpos seg0:4000 1 wpos seg0:8000:4000 0 0 0 "
	  "wcall:65536:12000 => reply", 0, "zero:20000" },
	{ "default_threshold", "B-23 B-24 X-72 X-16",
	  NULLMSG "=> reply;"
	  MSG "0 " LISTS "read:0:3900 => reply;"
	  MSG "0 " LISTS "read:0:8000 => cant:1:0:r8000", C_RAW | C_BIG },
	{ "default_threshold_long_reply", "B-23 X-74",
	  MSG "0 0 0 1 1 seg0:16000 read:0:8000 => long", C_RAW | C_BIG },
	{ "rbsiz_16384_used", "B-27 X-72 X-74",
	  MSG "0 " LISTS "read:0:8000 => reply|cant:1:0:r8000;"
	  MSG "0 0 0 1 1 seg0:32000 read:0:20000 => long", C_BIG },
	{ "values_end_with_connection", "D-20 X-15 A-56 B-23",
	  NULL, 0, NULL, run_values_end },
	{ "credit_0", "N-07 D-14 A-27",
	  "x 2 0 0 0 0 " LISTS "null => reply;"
	  "x 2 0 0 0 0 " LISTS "null => reply" },
	{ "credit_0_initxch", "N-07 D-14 A-27",
	  "x 2 0 5 0 1 [ 0 0 ] => init", C_RAW },
	{ "credit_max", "N-07",
	  "x 2 ffffffff 0 0 0 " LISTS "null => reply" },
	{ "version_1_after_2", "N-04 A-37 B-93 A-36",
	  NULLV1 "=> vers:2:2;" NULLV1 "=> vers:2:2" },
	{ "version_1_after_2_msg", "N-04 A-37 B-93",
	  NULLMSG "=> reply;" NULLV1 "=> vers:2:2", C_RAW },
	{ "version_2_after_1", "N-04 A-37 B-93",
	  NULLV1 "=> reply;" NULLMSG "=> vers:1:1;"
	  INIT "[ 0 0 ] => vers:1:1", C_RAW | C_V1 },
	{ "version_unknown_first", "N-03 B-02 B-62 B-77 D-11",
	  "x 0 20 0 " LISTS "null => vers:1:2;"
	  "x 3 0 0 0 0 " LISTS "null => vers:1:2;"
	  "x ffffffff 20 ffffffff ff:40 => vers:1:2;"
	  "x 7 20 0 => vers:1:2", C_RAW },
	{ "version_unknown_then_1", "N-03 B-62 B-77",
	  "x 3 20 0 0 0 " LISTS "null => vers:1:2;" NULLV1 "=> reply;"
	  "x 3 20 0 0 0 " LISTS "null => vers:1:1", C_RAW | C_V1 },
	{ "version_unknown_then_2", "N-03 B-62 B-77",
	  "x 3 20 0 0 0 " LISTS "null => vers:1:2;"
	  "x 0 20 5 0 1 [ 0 0 ] => vers:1:2;" INIT "[ 0 0 ] => init;"
	  "x 3 20 0 0 0 " LISTS "null => vers:2:2", C_RAW },
	{ "version_1_then_initxch_again", "N-04 A-37 A-32 B-93",
	  NULLV1 "=> reply;" INIT "[ 0 0 ] => vers:1:1;"
	  INIT "[ 1 1 4 400 0 ] => vers:1:1;" NULLV1 "=> reply",
	  C_RAW | C_V1 },
	{ "version_1_proc_unknown", "B-92 A-37",
	  NULLV1 "=> reply; x 1 20 5 0 0 0 null => xdr|vers:1:1|drop;"
	  NULLV1 "=> reply", C_ONLY1 },
	{ "version_error_range_odd", "N-43 B-74 B-10",
	  "x 2 20 4 1 2 1 => drop; x 2 20 4 1 0 ffffffff => drop;"
	  "x 2 20 4 1 3 4 => drop" },
	{ "v1_read_zero", "N-15 S-04 B-92",
	  MSGV1 "1 wpos seg0:0 0 0 0 wcall:65536:20000 => xdr|disc",
	  C_ONLY1 | C_NOEND },
	{ "v1_read_zero_beside", "N-15 S-04 B-92",
	  MSGV1 "1 wpos seg0:0 1 wpos seg0:20000 0 0 0 wcall:65536:20000 => "
	  "xdr|disc", C_ONLY1 | C_NOEND, "zero:20000" },
	{ "v1_read_zero_behind", "N-15 S-04 B-92",
	  MSGV1 "1 wpos seg0:20000 1 wpos seg0:0 0 0 0 wcall:65536:20000 => "
	  "xdr|disc", C_ONLY1 | C_NOEND, "zero:20000" },
	{ "v1_read_position", "N-21 B-92",
	  MSGV1 "1 1c seg0:64 0 0 0 wcall:65536:64 => xdr|disc",
	  C_ONLY1 | C_NOEND },
	/* One segment ends with the last page of a request, another comes
	 * behind it: the server takes WRITEs of 256 KiB, or of 1 MiB.
	 */
	{ "v1_read_pages_256k", "B-92",
	  MSGV1 "1 28 1 43fd8 0 0 1 28 1 4 0 0 1 44004 1 4 0 0 0 0 0 null => "
	  "xdr|disc", C_ONLY1 | C_NOEND },
	{ "v1_read_pages_1m", "B-92",
	  MSGV1 "1 28 1 103fd8 0 0 1 28 1 4 0 0 1 104004 1 4 0 0 0 0 0 null => "
	  "xdr|disc", C_ONLY1 | C_NOEND },
	{ "v1_read_zero_pzrc", "N-15 S-04 B-92",
	  "x 1 20 1 1 0 seg0:0 0 0 0 => xdr|disc",
	  C_ONLY1 | C_NOEND },
	{ "v1_read_zero_pzrc_beside", "N-15 S-04 B-92",
	  "x 1 20 1 1 0 seg0:0 1 0 seg0:40 0 0 0 => xdr|disc",
	  C_ONLY1 | C_NOEND },
	{ "v1_write_segment_length_0", "N-15 B-92",
	  MSGV1 "0 1 2 seg0:0 seg0:12288 0 0 read:0:12288 => reply data:0:12288;"
	  MSGV1 "0 1 3 seg0:4096 seg0:0 seg0:8192:4096 0 0 read:0:12288 => "
	  "reply data:0:12288;"
	  MSGV1 "0 0 1 2 seg0:0 seg0:16000 read:0:8000 => long", C_ONLY1 },
	{ "v1_read_chunk_short", "B-92",
	  MSGV1 "0 1 1 seg0:4096 0 0 read:0:8192 => xdr;"
	  MSGV1 "0 1 2 seg0:3000 seg0:3000:3000 0 0 read:0:8190 => xdr;"
	  MSGV1 "0 1 1 seg0:4096 0 1 1 seg0:8000:8000 read:0:8192 => xdr",
	  C_ONLY1 },
	{ "v1_read_chunk_short_kept", "B-92",
	  READ_SHORT WRITE_ZEROS READ_KEPT READ_SHORT READ_TWICE READ_KEPT,
	  C_ONLY1, "zero:20000" },
	{ "v1_short", "B-92",
	  NULLV1 "=> reply;" NULLV1 "cut=0..7 => drop;"
	  NULLV1 "cut=8..15 => xdr", C_ONLY1 },
	{ "v1_too_long_first", "N-09 D-36 B-92",
	  MSGV1 LISTS "null zero:5000 => disc", C_ONLY1 },
	{ "v1_too_long", "N-09 D-36 B-92",
	  NULLV1 "=> reply;" MSGV1 LISTS "null zero:5000 => disc", C_ONLY1 },
	{ "version_unknown_later", "N-03 B-62 B-77",
	  "x 0 20 0 " LISTS "null => vers:2:2;"
	  "x 3 20 0 0 0 " LISTS "null => vers:2:2;"
	  "x ffffffff 20 5 ff:40 => vers:2:2" },
	{ "version_before_proc", "N-05 B-19 A-18",
	  "x 3 20 9 null => vers:2:2; x 9 20 80000000 => vers:2:2" },
	{ "version_2_off", "B-86 A-32 B-85",
	  INIT "[ 3 1 4 1000 2 4 0 3 4 1 0 ] => vers:1:1;" NULLV1 "=> reply;"
	  INIT "[ 0 0 ] => vers:1:1;" NULLMSG "=> vers:1:1;" NULLV1 "=> reply",
	  C_RAW | C_V1 | C_SRV1 },
	{ "rpc_garbled", "N-35 B-72",
	  MSG "0 " LISTS "bad:rpcvers => denied;"
	  MSG "0 " LISTS "bad:prog => rpcerr:1;"
	  MSG "0 " LISTS "bad:vers => rpcerr:2;"
	  MSG "0 " LISTS "bad:proc => rpcerr:3;"
	  MSG "0 " LISTS "bad:args => rpcerr:4|nfserr;"
	  MSG "0 " LISTS "bad:cred => denied|rpcerr:4|drop" },
};

const unsigned int nr_cases_base = ARRAY_SIZE(cases_base);
