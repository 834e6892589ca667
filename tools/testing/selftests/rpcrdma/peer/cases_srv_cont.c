// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the server role: requests and replies of several transmissions
 * (C.5, D.7).
 *
 * Calls are answered in pieces with the data inline, as an item for each target
 * that says nothing: what is spoiled does not depend on what the client offers.
 * The payload of a reply to a READ of 1000 bytes is longer than 400.
 */
#include <errno.h>

#include "srv_place.h"

#define LAY		"7:4096 2*4096p"
#define RT		.flags = S_RT | S_CONT, .lay = LAY
#define ROOM		.flags = S_RT | S_CONT | S_ROOM, .lay = LAY
#define READ8K		.op = "read8192", .proc = NFS3_READ, \
			.need = T_TOOSHORT, .how = HOW_INLINE, \
			.knobs.most = 1000
#define XRESP		"x 2 20 5 1 6 "
#define CONT		"x 2 20 5 1 7 "

/* The start of a reply in N pieces, and what follows in a reply of two */
#define START(n)	XRESP "[ 1 0 0 6 " n " ps ] { part:0:400 };"
#define REST		"{ part:400 }"
#define END		CONT "[ 1 6 ps ] " REST

/**
 * check_group - the last request had several transmissions
 * @s: the server
 */
static void check_group(struct srv *s)
{
	if (s->t.seen.count < 2)
		result_skip(s->r, "the client needs no group");
}

/**
 * check_no_group - no request had more than one transmission
 * @s: the server
 */
static void check_no_group(struct srv *s)
{
	if (s->t.seen.count > 1)
		result_fail(s->r, "%u transmissions", s->t.seen.count);
}

/**
 * check_reserved - a reply of several transmissions was asked for to the end
 * @s: the server
 *
 * There were more such replies before than a client has receives for, had it not
 * taken back what was reserved for each.
 */
static void check_reserved(struct srv *s)
{
	if (srv_current(s)->peer_lay.total > s->k->io)
		result_skip(s->r, "a reply fits the client's receives");
	else if (s->t.seen.rsbuf < 2)
		result_fail(s->r, "%u transmissions reserved", s->t.seen.rsbuf);
}

/**
 * check_overdue - a connection ended when a message was not complete in time
 * @s: the server
 *
 * Where the client does not look at that, its Call gives up after ten seconds.
 */
static void check_overdue(struct srv *s)
{
	const struct sconn *sc = s->sc;
	u64 due = s->k->patience * 1000;

	while (sc < s->sc + s->nr_sc && !sc->dead)
		sc++;
	if (sc == s->sc + s->nr_sc)
		result_fail(s->r, "no connection ended");
	else if (sc->dead_at < sc->said_at + due - 100 ||
		 sc->dead_at > sc->said_at + due + 6000)
		result_fail(s->r, "the connection ended after %llu ms",
			    (unsigned long long)(sc->dead_at - sc->said_at));
}

const struct srv_case cases_srv_cont[] = {
	{ "cont_write", "C-01 C-02 C-03 C-04 C-05 C-06 C-07 C-08 C-22 C-23 C-26 C-27 P-23 "
	  "S-01 C-11", .op = "write20000", RT, .io = 65536,
	  .check = check_group },
	{ "cont_write_odd", "C-05 P-36 A-73", .op = "write19999 write12289", RT,
	  .io = 65536 },
	{ "cont_write_limit_2", "C-12 X-88", .op = "write65536 write20000",
	  .flags = S_RT | S_CONT, .lay = "7/2:4096 2*4096p", .io = 65536 },
	{ "cont_write_limit_1", "C-12 C-11 X-88", .op = "write65536 write20000",
	  .flags = S_RT | S_CONT, .lay = "7/1:4096 2*4096p", .io = 65536,
	  .check = check_no_group },
	{ "cont_no_xcont", "C-11 C-12 A-57", .op = "write65536 read65536",
	  .flags = S_RT | S_CONT, .lay = "3/8:4096 2*4096p", .io = 65536,
	  .check = check_no_group },
	{ "cont_few_credits", "C-18 C-17 C-25 C-22", .op = "write65536 read65536",
	  RT, .io = 65536, .grant = 2 },
	{ "cont_one_credit", "C-18 C-25", .op = "write65536 write20000", RT,
	  .io = 65536, .grant = 1, .check = check_no_group },
	{ "cont_together", "C-02 C-22 C-23 C-25 C-17",
	  .op = "write131072 read131072 write131072", RT, .io = 16384 },
	{ "cont_killed", "A-70 C-22 D-12", RT, .io = 65536, .grant = 5,
	  .steps = "kill group write20000; kill statfs; kill statfs; "
	  "kill statfs => none; late; do write20000 => group; do stat" },
	{ "cont_read", "C-14 C-16 C-17 C-19 C-21 A-68", .op = "read20000", RT,
	  .io = 65536, .how = HOW_PARTS },
	{ "cont_read_small", "C-19 C-14 C-03", .op = "read8192 read3000", RT,
	  .how = HOW_PARTS },
	{ "cont_read_limit_1", "C-16 C-14", .op = "read20000 read8192",
	  .flags = S_RT | S_CONT, .lay = "7/1:4096 2*4096p", .io = 65536 },
	{ "cont_read_limit_2", "C-16 C-14", .op = "read20000 read8192",
	  .flags = S_RT | S_CONT, .lay = "7/2:4096 2*4096p", .io = 65536 },
	{ "cont_read_reserved", "C-21 C-19 C-14", RT, .io = 16384,
	  .op = "read131072 read131072 read131072 read131072 read131072 read131072 read16384",
	  .check = check_reserved },
	{ "cont_read_together", "C-17 C-19 C-25", .op = "read131072", RT,
	  .how = HOW_PARTS },

	{ "cont_reply", "C-03 C-04 C-06 C-14 C.7-OPEN", READ8K,
	  .reply = START("2") END, ROOM },
	{ "cont_reply_empty", "C-09 C-05", READ8K,
	  .reply = XRESP "[ 1 0 0 6 2 ps ] { part:0 };" CONT "[ 1 6 ps ] { }",
	  ROOM },
	{ "cont_reply_no_group", "N-181 E-09", READ8K,
	  .reply = "x+99 2 20 5 1 7 [ 1 6 ps ] { full }; honest", RT,
	  .answers = "rept:badcont" },
	{ "cont_reply_other_xid", "N-182 E-11 E-04", READ8K,
	  .reply = START("2") "x+99 2 20 5 1 7 [ 1 6 ps ] " REST, ROOM,
	  .want = EIO, .answers = "lrept:badxid:xid-99:xid",
	  .check = check_failed },
	{ "cont_reply_other_direction", "N-183 A-92", READ8K,
	  .reply = START("2") "x 2 20 5 0 7 [ 1 6 ps ] " REST, ROOM,
	  .want = EIO, .answers = "lrept:badxid:xid:xid",
	  .check = check_failed },
	{ "cont_reply_skipped", "N-184 E-10 E-03 E-04 E-20 C-24", READ8K,
	  .reply = START("2") CONT "[ 2 6 ps ] " REST, ROOM, .want = EIO,
	  .answers = "lrept:badseq:1:2", .check = check_failed },
	{ "cont_reply_number_0", "N-184 E-10", READ8K,
	  .reply = START("2") CONT "[ 0 6 ps ] " REST, ROOM, .want = EIO,
	  .answers = "lrept:badseq:1:0", .check = check_failed },
	{ "cont_reply_number_max", "N-184 S-11", READ8K,
	  .reply = START("2") CONT "[ ffffffff 6 ps ] " REST, ROOM, .want = EIO,
	  .answers = "lrept:badseq:1:0xffffffff", .check = check_failed },
	{ "cont_reply_itype", "N-185 E-07 A-67", READ8K,
	  .reply = START("2") CONT "[ 1 5 ps ] " REST, ROOM, .want = EIO,
	  .answers = "lrept:badomt:6:5", .check = check_failed },
	{ "cont_reply_itype_0", "N-185 E-07", READ8K,
	  .reply = START("2") CONT "[ 1 0 ps ] " REST, ROOM, .want = EIO,
	  .answers = "lrept:badomt:6:0", .check = check_failed },
	{ "cont_reply_pslen_too_long", "N-186 E-14", READ8K,
	  .reply = START("2") CONT "[ 1 6 100 ] 0 0", ROOM, .want = EIO,
	  .answers = "lrept:badpl:0x100:0:left", .check = check_failed },
	{ "cont_reply_pslen_odd", "N-186 E-15", READ8K,
	  .reply = START("2") CONT "[ 1 6 6 ] 0 0", ROOM, .want = EIO,
	  .answers = "lrept:badpl:6:0:left", .check = check_failed },
	{ "cont_reply_optinfo", "N-187", READ8K,
	  .reply = START("2") CONT "[ 1 6 8 0 ] 0 0", ROOM, .want = EIO,
	  .check = check_failed },
	{ "cont_reply_msg_inside", "N-188 E-06", READ8K,
	  .reply = START("2") "x+99 2 20 0 1 0 0 0 0 x+99 1 0 0 0 0", ROOM,
	  .want = EIO, .answers = "lrept:badhmt:5:0", .check = check_failed },
	{ "cont_reply_error_inside", "N-188 E-06", READ8K,
	  .reply = START("2") "x+99 2 20 4 2", ROOM, .want = EIO,
	  .answers = "lrept:badhmt:5:4", .check = check_failed },
	{ "cont_reply_control_inside", "N-189 E-07", READ8K,
	  .reply = START("2") "x+99 2 20 5 0 4 [ 1 4 3000 0 ]", ROOM,
	  .want = EIO, .answers = "lrept:badomt:7:4", .check = check_failed },
	{ "cont_reply_unknown_inside", "N-189 E-07", READ8K,
	  .reply = START("2") "x+99 2 20 5 1 9 [ ]", ROOM, .want = EIO,
	  .answers = "lrept:badomt:7:9|opt; lrept:badomt:7:9|opt",
	  .check = check_failed },
	{ "cont_reply_again_inside", "N-189 A-93", READ8K,
	  .reply = START("2") XRESP "[ 1 0 0 6 1 ps ] { full }",
	  .flags = S_RT | S_CONT | S_ROOM | S_ANYERR, .lay = LAY, .want = EIO,
	  .answers = "lrept:badomt:7:6" },
	{ "cont_reply_version_inside", "N-197 N-03", READ8K,
	  .reply = START("2") "x 3 20 5 1 7 [ 1 6 8 ] 0 0;" END, ROOM },
	{ "cont_reply_after_end", "N-195 E-09", READ8K,
	  .reply = START("2") END ";" CONT "[ 2 6 ps ] { 0 }", ROOM,
	  .answers = "rept:badcont" },
	{ "cont_reply_after_report", "N-196 A-93", READ8K,
	  .reply = START("2") CONT "[ 2 6 ps ] " REST ";"
	  CONT "[ 1 6 ps ] " REST ";" CONT "[ 2 6 ps ] { }", ROOM, .want = EIO,
	  .answers = "lrept:badseq:1:2",
	  .check = check_failed },
	{ "cont_reply_too_long", "N-167 A-91 C-14", READ8K,
	  .reply = START("ffff"), RT, .want = EIO,
	  .answers = "rept:badseq:rsbuf:0xffff",
	  .check = check_failed },
	{ "cont_reply_unknown", "N-162", READ8K,
	  .reply = "x+99 2 20 5 1 6 [ 1 0 0 6 2 ps ] { x+99 1 0 0 0 0 };"
	  "x+99 2 20 5 1 7 [ 1 6 ps ] { 0 }; honest", RT },
	{ "cont_reply_unfinished", "N-194 S-12", READ8K, .reply = START("2") "close",
	  .flags = S_RT | S_CONT | S_ROOM | S_DISC | S_ANYERR, .lay = LAY,
	  .want = EIO },
	{ "cont_reply_slow", "N-194 C.7-OPEN", READ8K,
	  .reply = START("2") "pause; " END, ROOM },
	{ "cont_reply_overdue", "S-12 N-194 S-06", READ8K,
	  .reply = START("2") "| honest", .patience = 2,
	  .flags = S_RT | S_CONT | S_ROOM | S_DISC, .lay = LAY,
	  .check = check_overdue },
	{ "cont_reply_wrong_way", "N-161", READ8K,
	  .reply = "x 2 20 5 0 6 [ 1 0 0 6 2 ps ] { part:0:400 };"
	  "x 2 20 5 0 7 [ 1 6 ps ] " REST "; honest", ROOM,
	  .answers = "xdr" },
	{ "cont_refused_twice", "N-50 A-69", .op = "write20000",
	  .proc = NFS3_WRITE, .io = 65536, .need = USED_PLAIN,
	  .reply = "x 2 20 4 5; x 2 20 4 5", RT },
	{ "cont_reported", "N-213 E-17 A-96 A-70", .op = "write20000",
	  .proc = NFS3_WRITE, .io = 65536, .need = USED_PLAIN,
	  .reply = "x 2 20 5 1 8 [ x 0 1 1 x 0 0 4 1 2 ]", RT },
};

const unsigned int nr_cases_srv_cont = ARRAY_SIZE(cases_srv_cont);
