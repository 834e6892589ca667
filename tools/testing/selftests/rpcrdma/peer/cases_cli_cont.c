// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the client role: requests of several transmissions, responses of
 * several, and what is wrong with them (C.5, D.7).
 */
#include <stdio.h>
#include <stdlib.h>

#include "client.h"
#include "rpc.h"

#define XREQ		"x 2 20 5 0 5 "
#define CONT		"x 2 20 5 0 7 "
#define RT		C_CONT, .lay = LAY
#define LAY		"6:4096 2*4096p"
#define AT		"131072"
#define BACK(key, len)	MSG "0 0 1 1 seg0:" len " 0 0 read:" AT ":" len \
			" => reply kdata:" key ":" AT ":" len

/* A NULL call in two pieces, the first as the start of N transmissions */
#define START(n)	XREQ "[ 0 0 " n " 1 ps ] { x 0 2 186a3 4 0 } => more;"
#define REST		"{ 0 0 0 0 } "
#define END		CONT "[ 1 5 ps ] " REST
#define GOOD		START("2") END "=> xreply;"

/* What belongs to a group that was reported already */
#define LATE		"x-8 2 20 5 0 7 [ 1 5 ps ] " REST "=> drop;"

/**
 * run_longest - a request of as many transmissions as the server takes
 * @s: the client
 */
static void run_longest(struct cli *s)
{
	u32 n = s->peer.reqrxlim, i;
	char t[128];

	if (n > s->grant)
		n = s->grant;
	snprintf(t, sizeof(t), XREQ "[ 0 0 %x 1 ps ] { x 0 2 186a3 4 0 }", n);
	if (n < 2 || cli_step(s, t, "more"))
		return;
	for (i = 1; i + 1 < n; i++) {
		snprintf(t, sizeof(t), CONT "[ %x 5 ps ] { }", i);
		cli_step(s, t, "more");
	}
	snprintf(t, sizeof(t), CONT "[ %x 5 ps ] " REST, i);
	cli_step(s, t, "xreply");
}

/**
 * run_reply - a reply that is too long for one transmission
 * @s: the client
 *
 * Three are enough for it. Where the server sends fewer it says so.
 */
static void run_reply(struct cli *s)
{
	const char *want = s->peer.respsxlim < 2 ? "cant:1:0:r20000" :
			   "xreply vread:0:20000";

	cli_step(s, XREQ "[ 0 0 1 1 ps ] { read:0:20000 }", "cant:1:0:r20000");
	cli_step(s, XREQ "[ 0 0 1 2 ps ] { read:0:20000 }",
		 s->peer.respsxlim < 2 ? "cant:1:0:r20000" :
		 "xreply vread:0:20000|cant:1:0:r20000");
	cli_step(s, XREQ "[ 0 0 1 3 ps ] { read:0:20000 }", want);
}

/**
 * run_unfinished - groups that never end
 * @s: the client
 *
 * Each has a connection of its own, which is closed with the group open.
 */
static void run_unfinished(struct cli *s)
{
	struct result r = { .v = PASS };
	struct cli other;
	int i;

	for (i = 0; i < 8 && !r.v; i++) {
		if (!cli_open_lay(&other, &r, 0, LAY))
			cli_step(&other, XREQ "[ 0 0 2 1 ps ] { null }", "more");
		conn_wait_sent(other.c, cfg.timeout);
		cli_close(&other);
	}
	if (r.v)
		result_fail(s->r, "%.900s", r.why);
	cli_script(s, GOOD);
}

/**
 * run_overdue - a group that is not finished in time
 * @s: the client
 *
 * The server may close the connection, so it is another one.
 */
static void run_overdue(struct cli *s)
{
	struct result r = { .v = PASS };
	struct cli other;
	u64 end;

	cli_own(s, "set continuation_timeout 1", "");
	if (!s->r->v && !cli_open_lay(&other, &r, 0, LAY)) {
		cli_step(&other, XREQ "[ 0 0 2 1 ps ] { null }", "more");
		end = now_ms() + cfg.timeout;
		while (!r.v && !other.c->gone && now_ms() < end)
			free(cli_wait(&other, 50));
		if (!r.v && !other.c->gone)
			result_fail(&r, "the group may stay open for ever");
		cli_close(&other);
	}
	cli_own(s, "set continuation_timeout 30", "");
	if (r.v)
		result_fail(s->r, "%.900s", r.why);
	cli_script(s, GOOD);
}

const struct cli_case cases_cli_cont[] = {
	{ "cont_null", "C-01 C-03 C-04 C-06 C-07 C-08 C-11 C-26 A-65 A-66 C.7-OPEN",
	  GOOD GOOD, RT },
	{ "cont_words", "C-03 C-04 C-27",
	  XREQ "[ 0 0 4 1 ps ] { x 0 2 } => more;"
	  CONT "[ 1 5 ps ] { 186a3 } => more;" CONT "[ 2 5 ps ] { 4 0 } => more;"
	  CONT "[ 3 5 ps ] { 0 0 0 0 } => xreply", RT },
	{ "cont_empty", "C-09 C-05",
	  XREQ "[ 0 0 3 1 ps ] { x 0 2 186a3 4 0 } => more;"
	  CONT "[ 1 5 ps ] { } => more;" CONT "[ 2 5 ps ] " REST "=> xreply;"
	  XREQ "[ 0 0 2 1 ps ] { null } => more;"
	  CONT "[ 1 5 ps ] { } => xreply", RT },
	{ "cont_longest", "X-88 C-06 C-22", NULL, RT, .run = run_longest },
	{ "cont_write_inline", "C-03 C-04 C-25",
	  XREQ "[ 0 0 3 1 ps ] { wcall:" AT ":9000 key:31 pdata:131072:3001 "
	  "pdata:134073:3 } => more;"
	  CONT "[ 1 5 ps ] { key:31 pdata:134076:4000 } => more;"
	  CONT "[ 2 5 ps ] { key:31 pdata:138076:1996 } => xreply;"
	  BACK("31", "9000"), RT },
	{ "cont_write_placed", "P-23 C-05 P-13 A-76 P-12",
	  XREQ "[ 1 wpos 2000 2 0 2 0 pnum 0 2 1 ps ] { wcall:" AT ":8192 } "
	  "key:32 place:0:131072:4096 => more;"
	  CONT "[ 1 5 ps ] { } key:32 place:0:135168:4096 => xreply;"
	  BACK("32", "8192"), RT },
	{ "cont_write_placed_later", "P-23 C-05 C-10",
	  XREQ "[ 1 wpos 2000 2 0 2 pnum pnum+1 0 2 1 ps ] { wcall:" AT
	  ":8192 } => more;"
	  CONT "[ 1 5 ps ] { } key:33 place:0:131072:8192 => xreply;"
	  BACK("33", "8192"), RT },
	{ "cont_write_placed_three", "P-23 P-13 C-05 P-12",
	  XREQ "[ 1 wpos 6000 2 0 6 0 1 pnum pnum+1 pnum*2 pnum*2+1 0 3 1 ps ] "
	  "{ wcall:" AT ":24576 } key:34 place:0:131072:8192 => more;"
	  CONT "[ 1 5 ps ] { } key:34 place:0:139264:8192 => more;"
	  CONT "[ 2 5 ps ] { } key:34 place:0:147456:8192 => xreply;"
	  BACK("34", "24576"), RT },
	{ "cont_write_getattr", "P-23 P-25 C-03",
	  XREQ "[ 1 wpos 2000 2 0 2 pnum pnum+1 0 2 1 ps ] { wg:" AT ":8192 } "
	  "=> more;" CONT "[ 1 5 ps ] { } key:35 place:0:131072:8192 => xreply;"
	  BACK("35", "8192"), RT },
	{ "cont_write_exrw", "P-19 C-01",
	  XREQ "[ 1 wpos 2000 1 1 seg0:8192 0 2 1 ps ] { wcall:" AT ":8192 } "
	  "=> more;" CONT "[ 1 5 ps ] { } => xreply;" BACK("36", "8192"), C_CONT,
	  "key:36 pdata:" AT ":8192", .lay = LAY },
	{ "cont_reply", "C-14 C-02 C-23 C-19 C-21 A-68 N-150", NULL, RT,
	  .run = run_reply },
	{ "cont_reply_placed", "C-14 P-23 C-02 P-26",
	  XREQ "[ 0 1 0 ve 1 0 3 1 seg0:20000 1 3 ps ] { read:0:20000 } "
	  "=> xresp:tbsn vread:0:20000|xresp:exrw vread:0:20000", RT },
	{ "cont_reply_not_granted", "C-14 N-150",
	  XREQ "[ 0 1 0 ve 1 0 2 1 0 ps ] { read:0:20000 } => cant:1:0:r20000",
	  RT },
	{ "cont_no_group", "N-181 E-09 C.7-IDLE",
	  CONT "[ 1 5 ps ] { null } => rept:badcont", RT },
	{ "cont_no_group_twice", "N-181 A-93 C.7-DRAIN",
	  CONT "[ 1 5 ps ] { null } => rept:badcont;" LATE NULLMSG "=> reply;"
	  CONT "[ 1 5 ps ] { null } => rept:badcont", RT },
	{ "cont_other_xid", "N-182 E-11 E-16 A-94 C.7-DRAIN",
	  START("2") "x+1 2 20 5 0 7 [ 1 5 ps ] " REST
	  "=> lrept:badxid:xid-1:xid;" LATE GOOD, RT },
	{ "cont_other_direction", "N-183 A-92 E-11",
	  START("2") "x 2 20 5 1 7 [ 1 5 ps ] " REST "=> lrept:badxid:xid:xid;"
	  LATE GOOD, RT },
	{ "cont_skipped", "N-184 E-10 E-03 E-16 C-24",
	  START("3") CONT "[ 2 5 ps ] " REST "=> lrept:badseq:1:2;" LATE GOOD, RT },
	{ "cont_repeated", "N-184 E-10 E-03",
	  START("3") CONT "[ 1 5 ps ] { } => more;" CONT "[ 1 5 ps ] " REST
	  "=> lrept:badseq:2:1;" LATE GOOD, RT },
	{ "cont_number_0", "N-184 E-10",
	  START("2") CONT "[ 0 5 ps ] " REST "=> lrept:badseq:1:0;" LATE GOOD, RT },
	{ "cont_number_max", "N-184 E-10 S-11",
	  START("2") CONT "[ ffffffff 5 ps ] " REST
	  "=> lrept:badseq:1:0xffffffff;" LATE GOOD, RT },
	{ "cont_itype_0", "N-185 E-07 A-67",
	  START("2") CONT "[ 1 0 ps ] " REST "=> lrept:badomt:5:0;" LATE GOOD, RT },
	{ "cont_itype_response", "N-185 E-07 A-67",
	  START("2") CONT "[ 1 6 ps ] " REST "=> lrept:badomt:5:6;" LATE GOOD, RT },
	{ "cont_itype_cont", "N-185 E-07 A-67",
	  START("2") CONT "[ 1 7 ps ] " REST "=> lrept:badomt:5:7;" LATE GOOD, RT },
	{ "cont_pslen_too_long", "N-186 E-14",
	  START("2") CONT "[ 1 5 14 ] 0 0 0 0 => lrept:badpl:20:0:left;" LATE GOOD,
	  RT },
	{ "cont_pslen_odd", "N-186 E-14 E-15 A-78",
	  START("2") CONT "[ 1 5 e ] 0 0 0 0 => lrept:badpl:14:0:left;" LATE GOOD,
	  RT },
	{ "cont_pslen_max", "N-186 S-11",
	  START("2") CONT "[ 1 5 fffffffc ] 0 0 0 0 "
	  "=> lrept:badpl:0xfffffffc:0:left;" LATE GOOD, RT },
	{ "cont_optinfo_short", "N-187 N-66",
	  START("2") CONT "[ 1 5 ] 0 0 0 0 => xdr;" LATE GOOD, RT },
	{ "cont_optinfo_long", "N-187 N-66",
	  START("2") CONT "[ 1 5 10 0 ] 0 0 0 0 => xdr;" LATE GOOD, RT },
	{ "cont_optinfo_none", "N-187 N-66",
	  START("2") CONT "[ ] 0 0 0 0 => xdr;" LATE GOOD, RT },
	{ "cont_msg_inside", "N-188 E-06 A-93 A-94 C.7-OPEN",
	  START("2") "x+1 2 20 0 0 0 " LISTS "null+1 => lrept:badhmt:5:0|reply;"
	  "also => lrept:badhmt:5:0|reply;" LATE GOOD, RT },
	{ "cont_nomsg_inside", "N-188 E-06",
	  START("2") "x+1 2 20 1 0 0 " LISTS "=> lrept:badhmt:5:1|xdr;"
	  "also => lrept:badhmt:5:1|xdr;" LATE GOOD, RT },
	{ "cont_error_inside", "N-188 E-06 A-13",
	  START("2") "x 2 20 4 2 0 0 0 => lrept:badhmt:5:4;" LATE GOOD, RT },
	{ "cont_unknown_proc_inside", "N-188 E-06 E-05",
	  START("2") "x+1 2 20 9 0 0 0 => lrept:badhmt:5:9|proc;"
	  "also => lrept:badhmt:5:9|proc;" LATE GOOD, RT },
	{ "cont_initxch_inside", "N-189 E-07 A-93",
	  START("2") "x+1 2 20 5 0 1 [ 0 0 ] => lrept:badomt:7:1|init;"
	  "also => lrept:badomt:7:1|init;" LATE GOOD, RT },
	{ "cont_report_inside", "N-189 E-07",
	  START("2") "x 2 20 5 0 8 [ x+9 1 0 0 3 ] => lrept:badomt:7:8;" LATE GOOD,
	  RT },
	{ "cont_unknown_option_inside", "N-189 E-07 E-05",
	  START("2") "x+1 2 20 5 0 9 [ ] => lrept:badomt:7:9|opt;"
	  "also => lrept:badomt:7:9|opt;" LATE GOOD, RT },
	{ "cont_request_inside", "N-189 E-07 A-93",
	  START("2") "x+1 2 20 5 0 5 [ 0 0 1 1 ps ] { null+1 } "
	  "=> lrept:badomt:7:5|xreply; also => lrept:badomt:7:5|xreply;"
	  LATE GOOD, RT },
	{ "cont_group_inside", "N-189 C.7-OPEN A-93",
	  START("2") "x+8 2 20 5 0 5 [ 0 0 2 1 ps ] { x+8 0 2 186a3 4 0 } "
	  "=> lrept:badomt:7:5; x 2 20 5 0 7 [ 1 5 ps ] " REST "=> xreply", RT },
	{ "cont_after_end", "N-195 E-09 C.7-IDLE",
	  GOOD "x-8 2 20 5 0 7 [ 2 5 ps ] " REST "=> rept:badcont;" LATE GOOD, RT },
	{ "cont_wrong_version_inside", "N-197 N-03",
	  START("2") "x 3 20 5 0 7 [ 1 5 10 ] 0 0 0 0 => vers:2:2;"
	  "x-8 2 20 5 0 7 [ 1 5 ps ] " REST "=> xreply", RT },
	{ "cont_unfinished", "N-194 S-12", NULL, RT, .run = run_unfinished },
	{ "cont_overdue", "S-12", NULL, C_HAND | RT, .run = run_overdue },
	{ "cont_cut_short", "N-194 N-188 E-03",
	  START("3") CONT "[ 1 5 ps ] { } => more;"
	  "x+1 2 20 0 0 0 " LISTS "null+1 => lrept:badhmt:5:0|reply;"
	  "also => lrept:badhmt:5:0|reply;" GOOD, RT },
	{ "cont_count_too_high", "N-128 A-91 A-93 C.7-DRAIN",
	  XREQ "[ 0 0 reqlim+1 1 ps ] { null } => rept:badseq:reqlim:reqlim+1;"
	  LATE GOOD, RT },
	{ "cont_wrong_way", "N-121 A-87 C.7-DRAIN",
	  "x 2 20 5 1 5 [ 0 0 2 1 ps ] { nullreply } => drop;"
	  "x-8 2 20 5 1 7 [ 1 5 ps ] " REST "=> drop|rept:badcont;" GOOD, RT },
	{ "cont_of_refused", "N-124 C.7-DRAIN",
	  XREQ "[ 1 0 4 9 0 2 1 28 ] null => xdr;" LATE GOOD, RT },
	{ "cont_of_reported", "N-133 N-196 C.7-DRAIN A-93",
	  XREQ "[ 1 2 4 2 0 1 pnum 0 2 1 ps ] { null } => rept:badoff:2:0:maxmsg;" LATE
	  GOOD, RT },
	{ "cont_tbsn_too_high", "N-139 E-12 P-13",
	  XREQ "[ 1 wpos 4 2 0 1 pnum*2 0 2 1 ps ] { wcall:" AT ":4 } "
	  "=> rept:badtbsn:2*pnum:0:2*pnum-1;" LATE GOOD, RT },
	{ "cont_tbsn_not_received", "N-140 E-12 S-14 E-16",
	  XREQ "[ 1 wpos 1000 2 0 1 pnum 0 2 1 ps ] { wcall:" AT ":4096 } "
	  "=> more;" CONT "[ 1 5 ps ] { } => lrept:badtbsn:pnum:1:0;" GOOD, RT },
	{ "cont_disp_beyond", "N-134 E-16",
	  XREQ "[ 1 wpos+100 1000 2 0 1 pnum 0 2 1 ps ] { wcall:" AT ":4096 } "
	  "=> more;" CONT "[ 1 5 ps ] { } place:0:0:4096 "
	  "=> lrept:badoff:wpos+100:0:wpos;" GOOD, RT },
	{ "cont_over_payload", "N-146 P-41",
	  XREQ "[ 1 wpos 40 2 0 1 pnum 0 2 1 ps ] { wcall:" AT ":64 } => more;"
	  CONT "[ 1 5 ps ] { plt:0:8 } zero:4088 "
	  "=> lrept:badoff:0:8:plen-4;" GOOD, RT },
};

const unsigned int nr_cases_cli_cont = ARRAY_SIZE(cases_cli_cont);
