// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the server role: reverse Calls by XMTREQ, in one transmission and in
 * several, and what is wrong with such (A-89, D.5, D.7).
 *
 * The kernel mounts by NFSv4.1. Its first COMPOUND is followed by two NULL calls,
 * which tell what it grants, and by the messages of the case; then it is told to
 * send that COMPOUND again. The second one, which has to come over the same
 * connection, is followed by a good Call in two transmissions and one by MSG;
 * then it is refused, so that the mount ends.
 *
 * A client with BRS INLINE takes no item and no target, whatever is wrong with it.
 */
#include <errno.h>

#include "srv_place.h"

#define LAY		"7:4096 2*4096p"
#define FLAGS		S_V41 | S_NOMNT | S_RT | S_CONT

/* What comes before the messages of a case, and after them; "again" is the
 * status STALE_CLIENTID
 */
#define LEARN		"x+1 2 20 0 0 0 0 0 0 cbnull+1; await; " \
			"x+2 2 20 0 0 0 0 0 0 cbnull+2; await; "
#define AGAIN		"honest @60=2726 "
#define GOOD		"x+5 2 20 5 0 5 [ 0 0 2 1 ps ] { cbtag+5:300:0:60 }; " \
			"x+5 2 20 5 0 7 [ 1 5 ps ] { cbtag+5:300:60 }; await; " \
			"x+6 2 20 0 0 0 0 0 0 cbnull+6; await; honest"
#define REV(list, wants) \
	.proc = NFS4_COMPOUND, .flags = FLAGS, .lay = LAY, \
	.want = EPROTONOSUPPORT, .reply = LEARN list AGAIN "|" GOOD, \
	.answers = "cbok; cbok grant:4; " wants "cbtag:300; cbok", \
	.check = check_one_conn

/* XMTREQ and XMTCONT of the Call x+N, the first as the start of COUNT, and the
 * rest of the Call in one
 */
#define REQ(n)		"x+" n " 2 20 5 0 5 "
#define CONT(n)		"x+" n " 2 20 5 0 7 "
#define START(n, count)	REQ(n) "[ 0 0 " count " 1 ps ] { cbtag+" n ":300:0:60 }; "
#define REST(n)		"{ cbtag+" n ":300:60 }; "
#define END(n)		CONT(n) "[ 1 5 ps ] " REST(n)
#define NULL9		"{ cbnull+9 }; "
#define MSG10		"x+10 2 20 0 0 0 0 0 0 cbnull+10; "

/* A Call whose optinfo begins like this, and one with just these items, or with
 * just these targets
 */
#define INFO(words)	REQ("9") "[ " words " ] cbnull+9; await; "
#define ITEMS(words)	INFO(words " 0 1 1 28")
#define TARGETS(words)	INFO("0 " words " 1 1 28")
#define EXRW(disp, len)	disp " " len " 1 1 12345678 28 0 1000 "
#define TBSN(words)	"28 4 2 " words

#define FOUR(x)		x x x x
#define EIGHT(x)	FOUR(x) FOUR(x)
#define THREE(x)	x x x

/* Three transmissions that belong to a group which has ended */
#define LATE		THREE(CONT("9") "[ 1 5 ps ] { 0 }; ")

/* Transmissions N to N+2 of a long Call, in hex */
#define MORE(a, b, c)	CONT("9") "[ " a " 5 ps ] { zero:4000 }; " \
			CONT("9") "[ " b " 5 ps ] { zero:4000 }; " \
			CONT("9") "[ " c " 5 ps ] { zero:4000 }; "

/**
 * check_one_conn - all came over one connection
 * @s: the server
 */
static void check_one_conn(struct srv *s)
{
	if (s->nr_sc != 1)
		result_fail(s->r, "the client closed the connection");
	if (s->t.spoiled != 2)
		result_fail(s->r, "%u COMPOUNDs", s->t.spoiled);
}

/**
 * check_two_conns - the client closed the connection once, and came again
 * @s: the server
 */
static void check_two_conns(struct srv *s)
{
	if (s->nr_sc != 2)
		result_fail(s->r, "%u connections", s->nr_sc);
}

const struct srv_case cases_srv_rev_group[] = {
	{ "reverse_group_of_one", "A-89 A-72 B-42 C-06 C-10 B-05 D-03 D-24 N-122",
	  REV(REQ("9") "[ 0 0 1 1 ps ] " NULL9 "await; "
	      REQ("10") "[ 0 0 1 1 ps ] { cbtag+10:300 }; await; ",
	      "cbok; cbtag:300; ") },
	{ "reverse_group", "A-89 C-01 C-03 C-04 C-07 C-08 C-11 C-24 C-26 A-65 A-66 "
	  "C.7-OPEN", REV(START("9", "2") END("9") "await; ", "cbtag:300; ") },
	{ "reverse_group_words", "C-03 C-04 C-10",
	  REV(REQ("9") "[ 0 0 4 1 ps ] { cbtag+9:300:0:8 }; "
	      CONT("9") "[ 1 5 ps ] { cbtag+9:300:8:12 }; "
	      CONT("9") "[ 2 5 ps ] { cbtag+9:300:12:64 }; "
	      CONT("9") "[ 3 5 ps ] { cbtag+9:300:64 }; await; ",
	      "cbtag:300; ") },
	{ "reverse_group_empty", "C-05 C-09",
	  REV(START("9", "3") CONT("9") "[ 1 5 ps ] { }; "
	      CONT("9") "[ 2 5 ps ] " REST("9") "await; "
	      REQ("9") "[ 0 0 2 1 ps ] { cbtag+9:300 }; "
	      CONT("9") "[ 1 5 ps ] { }; await; ",
	      "cbtag:300; cbtag:300; ") },
	{ "reverse_group_longest", "X-88 C-06 N-128 D-07",
	  REV(REQ("9") "[ 0 0 reqlim 1 ps ] " NULL9
	      MORE("1", "2", "3") MORE("4", "5", "6") MORE("7", "8", "9")
	      MORE("a", "b", "c") MORE("d", "e", "f") "await; ",
	      "cbok; ") },
	{ "reverse_group_full_receives", "X-71 D-16 P-41 C-04",
	  REV(REQ("9") "[ 0 0 2 1 ps ] { cbnull+9 to:rbsiz }; "
	      CONT("9") "[ 1 5 ps ] { to:rbsiz }; await; ", "cbok; ") },
	{ "reverse_group_bytes_behind", "A-16 C-03 C-04",
	  REV(REQ("9") "[ 0 0 2 1 ps ] { cbtag+9:300:0:60 } ff:100; "
	      CONT("9") "[ 1 5 ps ] { cbtag+9:300:60 } ff:100; await; ",
	      "cbtag:300; ") },
	{ "reverse_group_rsbuf", "N-150 A-68",
	  REV(REQ("9") "[ 0 0 1 0 ps ] " NULL9 "await; "
	      REQ("9") "[ 0 0 1 ffffffff ps ] " NULL9 "await; ",
	      "cbok; cbok; ") },
	{ "reverse_group_credit", "N-07 A-27 D-14 D-09 D-10",
	  REV("x+9 2 0 5 0 5 [ 0 0 1 1 ps ] " NULL9 "await; "
	      "x+9 2 5 5 0 5 [ 0 0 1 1 ps ] " NULL9 "await; "
	      "x+9 2 ffffffff 5 0 5 [ 0 0 1 1 ps ] " NULL9 "await; ",
	      "cbok credit:1; cbok credit:5; cbok grant:4; ") },
	{ "reverse_group_forward_xid", "D-04 B-11 D-06",
	  REV("x 2 20 5 0 5 [ 0 0 2 1 ps ] { cbtag:300:0:60 }; "
	      "x 2 20 5 0 7 [ 1 5 ps ] { cbtag:300:60 }; await; ",
	      "cbtag:300; ") },
	{ "reverse_group_four_at_once", "D-07 D-18 C-17 C-22 C-25",
	  REV("together; " START("9", "2") END("9") START("10", "2") END("10")
	      "answered 2; ", "cbtag:300; cbtag:300; ") },
	{ "reverse_group_overrun", "D-15 A-28 N-10 D-12",
	  .proc = NFS4_COMPOUND, .flags = FLAGS | S_DISC, .lay = LAY,
	  .want = EPROTONOSUPPORT,
	  .reply = START("9", "2") END("9") "await|" LEARN GOOD,
	  .answers = "cbok; cbok grant:4; cbtag:300; cbok",
	  .check = check_two_conns },
	{ "reverse_group_credits_return", "A-70 C-22 C-25 S-12",
	  REV(EIGHT(START("9", "4") CONT("9") "[ 3 5 ps ] { }; await; "
		    START("10", "2") END("10") "await; "),
	      EIGHT("lrept:badseq:1:3; cbtag:300; ")) },
	{ "reverse_group_garbled", "N-35 N-152 B-72",
	  REV(REQ("9") "[ 0 0 1 1 ps ] { null+9 }; await; "
	      REQ("9") "[ 0 0 2 1 ps ] { cbtag+9:300:0:60 }; "
	      CONT("9") "[ 1 5 ps ] { cbtag+9:300:60:100 }; await; ",
	      "cberr:1; cberr:4; ") },

	{ "reverse_group_counts", "N-123 S-11 E-05",
	  REV(INFO("ffffffff 0 1 1 28") INFO("0 ffffffff 1 1 28")
	      ITEMS("1 28 4 1 ffffffff") ITEMS("1 28 4 2 0 ffffffff")
	      TARGETS("1 0 28 ffffffff") TARGETS("1 0 28 1 0 1 ffffffff"),
	      "xdr; xdr; xdr; xdr; xdr; xdr; ") },
	{ "reverse_group_cut", "N-63 N-66 N-61",
	  REV(REQ("9") "[ 0 0 1 1 28 ] cbnull+9 cut=44; await; "
	      INFO("0 0 1 1") INFO("0 0 1 1 28 0")
	      "x+9 2 20 5 0 5; await; ", "xdr; xdr; xdr; xdr; ") },
	{ "reverse_group_item_types", "N-124 P-14",
	  REV(ITEMS("1 28 4 0") ITEMS("1 28 4 3 0") ITEMS("1 28 4 4 0 0")
	      ITEMS("1 28 4 7"), "xdr; xdr; xdr; xdr; ") },
	{ "reverse_group_target_types", "N-126 P-14",
	  REV(TARGETS("1 0 28 1 0 0") TARGETS("1 0 28 1 0 5")
	      TARGETS("1 0 28 1 0 6") TARGETS("1 0 28 1 0 7"),
	      "xdr; xdr; xdr; xdr; ") },
	{ "reverse_group_payload", "N-132 N-18 B-18",
	  REV(REQ("9") "[ 0 0 1 1 ps ] { cbnull+8 }; await; "
	      REQ("9") "[ 0 0 1 1 ps ] { x+9 1 0 0 0 0 }; await; "
	      REQ("9") "[ 0 0 2 1 ps ] { cbnull+8 }; await; " LATE,
	      "xdr; xdr; xdr; ") },
	{ "reverse_group_count_0", "N-127 A-91 E-10",
	  REV(INFO("0 0 0 1 28"), "rept:badseq:1:0; ") },
	{ "reverse_group_count_too_high", "N-128 A-91 E-03 C.7-DRAIN",
	  REV(INFO("0 0 reqlim+1 1 28") LATE INFO("0 0 ffffffff 1 28") LATE,
	      "rept:badseq:reqlim:reqlim+1; rept:badseq:reqlim:0xffffffff; ") },
	{ "reverse_group_pslen", "N-129 E-14 E-15 A-78 S-11",
	  REV(INFO("0 0 1 1 2c") INFO("0 0 1 1 26") INFO("0 0 1 1 fffffffc"),
	      "rept:badpl:44:0:left; rept:badpl:38:0:left; "
	      "rept:badpl:0xfffffffc:0:left; ") },
	{ "reverse_group_pslen_below_8", "N-131 E-14",
	  REV(INFO("0 0 1 1 0") INFO("0 0 1 1 4"),
	      "rept:badpl:0:8:left; rept:badpl:4:8:left; ") },
	{ "reverse_group_faults", "N-153 A-18 E-05",
	  REV(INFO("1 28 4 0 0 0 1 26") INFO("0 0 0 1 26")
	      INFO("0 0 reqlim+1 1 26"),
	      "xdr; rept:badseq:1:0; rept:badseq:reqlim:reqlim+1; ") },
	{ "reverse_group_wrong_way", "N-121 A-87 C.7-DRAIN",
	  REV("x+9 2 20 5 1 5 [ 0 0 1 1 ps ] { x+9 1 0 0 0 0 }; "
	      "x+9 2 20 5 1 5 [ 0 0 2 1 ps ] { x+9 1 0 0 0 0 }; "
	      "x+9 2 20 5 1 7 [ 1 5 ps ] { 0 }; ", "") },

	{ "reverse_group_result_types", "N-125 N-122 A-89",
	  REV(ITEMS("1 28 4 5") ITEMS("1 28 4 6"), "opt; opt; ") },
	{ "reverse_group_items", "N-122 N-147 N-142 A-89 D-37 P-02",
	  REV(ITEMS("1 28 0 2 0 0") ITEMS("1 28 0 2 0 1 0")
	      ITEMS("1 " EXRW("28", "28"))
	      REQ("9") "[ 1 28 4 2 0 1 0 0 2 1 ps ] " NULL9 "await; " LATE,
	      "opt; opt; opt; opt; ") },
	{ "reverse_group_item_places", "N-133 N-134 N-135 A-89",
	  REV(ITEMS("1 " EXRW("2", "4")) ITEMS("2 " EXRW("28", "4") EXRW("0", "4"))
	      ITEMS("2 " EXRW("0", "28") EXRW("8", "4"))
	      ITEMS("1 " EXRW("7000", "4")) ITEMS("1 " EXRW("28", "fffffffc")),
	      "opt; opt; opt; opt; opt; ") },
	{ "reverse_group_item_memory", "N-136 N-137 A-89",
	  REV(ITEMS("1 " EXRW("28", "29")) ITEMS("1 " EXRW("0", "28")),
	      "opt; opt; ") },
	{ "reverse_group_item_segments", "N-138 N-139 N-140 N-141 N-143 N-144 N-146",
	  REV(ITEMS("1 " TBSN("0 1 ffffffff")) ITEMS("1 " TBSN("0 1 pnum"))
	      ITEMS("1 " TBSN("0 1 0")) ITEMS("1 " TBSN("0 0"))
	      ITEMS("1 28 8 2 0 2 0 0") ITEMS("1 " TBSN("2 1 0"))
	      ITEMS("1 " TBSN("plen 1 0"))
	      REQ("9") "[ 1 28 4 2 0 1 0 0 1 1 ps ] { cbnull+9 to:rbsiz }; "
	      "await; ", EIGHT("opt; ")) },
	{ "reverse_group_targets", "N-122 N-148 N-151 A-89 D-37",
	  REV(TARGETS("1 0 28 1 0 2") TARGETS("1 28 0 1 0 2")
	      TARGETS("2 0 20 1 0 2 10 28 1 0 2") TARGETS("1 0 7000 1 0 2")
	      TARGETS("1 0 28 1 0 1 1 12345678 4 0 1000")
	      TARGETS("1 0 28 0"), "opt; opt; opt; opt; opt; opt; ") },

	{ "reverse_group_none", "N-181 E-09 C.7-IDLE",
	  REV(END("9") "await; " LATE START("9", "2") END("9") "await; "
	      CONT("9") "[ 2 5 ps ] { 0 }; await; ",
	      "rept:badcont; cbtag:300; rept:badcont; ") },
	{ "reverse_group_after_end", "N-195 E-09 C.7-IDLE",
	  REV(START("9", "2") END("9") "await; " END("9") "await; " LATE,
	      "cbtag:300; rept:badcont; ") },
	{ "reverse_group_other_xid", "N-182 E-11 E-16 A-94 C.7-DRAIN",
	  REV(START("9", "2") "x+10 2 20 5 0 7 [ 1 5 ps ] " REST("9") "await; "
	      LATE, "lrept:badxid:xid-1:xid; ") },
	{ "reverse_group_other_direction", "N-183 A-92 E-11",
	  REV(START("9", "2") "x+9 2 20 5 1 7 [ 1 5 ps ] " REST("9") "await; "
	      LATE, "lrept:badxid:xid:xid; ") },
	{ "reverse_group_numbers", "N-184 E-10 E-03 E-16 S-11 C-24",
	  REV(START("9", "3") CONT("9") "[ 2 5 ps ] { }; await; " LATE
	      START("9", "3") CONT("9") "[ 1 5 ps ] { }; "
	      CONT("9") "[ 1 5 ps ] { }; await; " LATE
	      START("9", "2") CONT("9") "[ 0 5 ps ] { }; await; " LATE
	      START("9", "2") CONT("9") "[ ffffffff 5 ps ] { }; await; " LATE,
	      "lrept:badseq:1:2; lrept:badseq:2:1; lrept:badseq:1:0; "
	      "lrept:badseq:1:0xffffffff; ") },
	{ "reverse_group_itypes", "N-185 E-07 A-67",
	  REV(START("9", "2") CONT("9") "[ 1 0 ps ] { }; await; " LATE
	      START("9", "2") CONT("9") "[ 1 6 ps ] { }; await; " LATE
	      START("9", "2") CONT("9") "[ 1 7 ps ] { }; await; " LATE,
	      "lrept:badomt:5:0; lrept:badomt:5:6; lrept:badomt:5:7; ") },
	{ "reverse_group_later_pslen", "N-186 E-14 E-15 A-78 S-11",
	  REV(START("9", "2") CONT("9") "[ 1 5 c ] 0 0; await; " LATE
	      START("9", "2") CONT("9") "[ 1 5 6 ] 0 0; await; " LATE
	      START("9", "2") CONT("9") "[ 1 5 fffffffc ] 0 0; await; " LATE,
	      "lrept:badpl:12:0:8; lrept:badpl:6:0:8; "
	      "lrept:badpl:0xfffffffc:0:8; ") },
	{ "reverse_group_later_optinfo", "N-187 N-66",
	  REV(START("9", "2") CONT("9") "[ 1 5 ] 0 0; await; " LATE
	      START("9", "2") CONT("9") "[ 1 5 8 0 ] 0 0; await; " LATE
	      START("9", "2") CONT("9") "[ ] 0 0; await; " LATE,
	      "xdr; xdr; xdr; ") },
	{ "reverse_group_msg_inside", "N-188 E-06 A-93 A-94 C.7-OPEN",
	  REV(START("9", "2") MSG10 "await 2; " LATE,
	      "lrept:badhmt:5:0; cbok; ") },
	{ "reverse_group_reply_inside", "N-188 E-06 B-11",
	  REV(START("9", "2"), "lrept:badhmt:5:0; ") },
	{ "reverse_group_nomsg_inside", "N-188 E-06 N-23",
	  REV(START("9", "2") "x+10 2 20 1 0 0 0 0 0; await 2; " LATE,
	      "lrept:badhmt:5:1; xdr; ") },
	{ "reverse_group_error_inside", "N-188 E-06 A-13 N-43",
	  REV(START("9", "2") "x+10 2 20 4 2; await; " LATE,
	      "lrept:badhmt:5:4; ") },
	{ "reverse_group_unknown_proc_inside", "N-188 E-06 E-05",
	  REV(START("9", "2") "x+10 2 20 9 0 0 0; await 2; " LATE,
	      "lrept:badhmt:5:9; proc; ") },
	{ "reverse_group_control_inside", "N-189 E-07 A-93",
	  REV(START("9", "2") "x+10 2 20 5 0 4 [ 1 4 3000 0 ]; await; " LATE,
	      "lrept:badomt:7:4; ") },
	{ "reverse_group_report_inside", "N-189 E-07 N-212",
	  REV(START("9", "2") "x+10 2 20 5 1 8 [ x+10 0 0 0 3 ]; await; " LATE,
	      "lrept:badomt:7:8; ") },
	{ "reverse_group_unknown_option_inside", "N-189 E-07 E-05 B-51",
	  REV(START("9", "2") "x+10 2 20 5 0 9 [ ]; await 2; " LATE,
	      "lrept:badomt:7:9; opt; ") },
	{ "reverse_group_call_inside", "N-189 E-07 A-93",
	  REV(START("9", "2") REQ("10") "[ 0 0 1 1 ps ] { cbnull+10 }; await 2; "
	      LATE, "lrept:badomt:7:5; cbok; ") },
	{ "reverse_group_group_inside", "N-189 C.7-OPEN A-93",
	  REV(START("9", "2") START("10", "2") "await; " END("10") "await; ",
	      "lrept:badomt:7:5; cbtag:300; ") },
	{ "reverse_groups_mixed", "N-193 N-182 N-189 S-12",
	  REV(START("9", "2") START("10", "2") "await; " END("9") "await; "
	      END("10"), "lrept:badomt:7:5; lrept:badxid:xid+1:xid; ") },
	{ "reverse_group_version_inside", "N-197 N-03",
	  REV(START("9", "2") "x+9 3 20 5 0 7 [ 1 5 8 ] 0 0; " END("9") "await; ",
	      "cbtag:300; ") },
	{ "reverse_group_after_report", "N-196 A-93 E-20",
	  REV(START("9", "4") CONT("9") "[ 3 5 ps ] { }; await; " LATE
	      CONT("9") "[ 3 5 ps ] { }; " START("10", "2") END("10") "await; ",
	      "lrept:badseq:1:3; cbtag:300; ") },

	{ "reverse_group_unserved", "N-34 D-34 D-02", .op = "statfs",
	  .proc = NFS3_FSSTAT, .flags = S_RT | S_CONT, .lay = LAY,
	  .reply = REQ("9") "[ 0 0 1 1 ps ] " NULL9 START("10", "2") END("10")
	  "x+11 2 20 0 0 0 0 0 0 cbnull+11; honest" },
	{ "reverse_group_in_reply", "N-193 N-189 E-07", .op = "read8192",
	  .proc = NFS3_READ, .need = T_TOOSHORT, .how = HOW_INLINE,
	  .knobs.most = 1000, .flags = S_RT | S_CONT | S_ROOM, .lay = LAY,
	  .reply = "x 2 20 5 1 6 [ 1 0 0 6 2 ps ] { part:0:400 }; "
	  START("9", "2") "x 2 20 5 1 7 [ 1 6 ps ] { part:400 }", .want = EIO,
	  .answers = "lrept:badomt:7:5", .check = check_failed },
};

const unsigned int nr_cases_srv_rev_group = ARRAY_SIZE(cases_srv_rev_group);
