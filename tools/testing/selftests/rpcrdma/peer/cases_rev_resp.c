// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the client role: answers to reverse Calls that came in several
 * transmissions, in the language of rev_long.h (D.6).
 *
 * Such a Call has no targets, and asks for one transmission. An RPC reply has 24
 * bytes.
 */
#include "rev_long.h"

#define RESP		.flags = C_CONT | C_LONG | C_HAND, .lay = "7:4096 2*4096p"
#define TO_MSG		.mem = "", RESP
#define XRESP		"x 2 20 5 1 6 "
#define CONT		"x 2 20 5 1 7 [ 1 6 ps ] { 0 }"
#define PLAIN		XRESP "[ 0 1 ps ] { rpc }"
#define ITEM(words)	XRESP "[ 1 " words " 1 ps ] { x 1 0 0 0 0 } "
#define INFO(words)	XRESP "[ " words " ] rpc "
#define FORWARD		"x+1000 2 20 5 0 5 [ 0 0 2 1 ps ] { x+1000 0 2 186a3 4 0 };"
#define FORWARD_END	"x+1000 2 20 5 0 7 [ 1 5 ps ] { 0 0 0 0 }"
#define EXRW(len, seg)	"18 " len " 1 1 12345678 " seg " 0 1000"
#define ERR		"x 2 20 4 "

const struct cli_case cases_rev_resp[] = {
	{ "reverse_resp", "A-72 C-17 B-42 N-172", PLAIN " => => ok", RESP },
	{ "reverse_resp_msg", "A-72", "honest => => ok", RESP },
	{ "reverse_resp_bytes_behind", "A-16 P-41",
	  XRESP "[ 0 1 ps ] { rpc } ff:40 => => ok", RESP },
	{ "reverse_resp_wrong_way", "N-161 A-87",
	  "x 2 20 5 0 6 [ 0 1 ps ] { rpc } => xdr => wait", RESP },
	{ "reverse_resp_wrong_way_group", "N-161 A-87 C.7-DRAIN",
	  "x 2 20 5 0 6 [ 0 2 ps ] { rpc }; x 2 20 5 0 7 [ 1 6 ps ] { 0 } "
	  "=> xdr => wait", RESP },
	{ "reverse_resp_unknown_xid", "N-162 D-02 C.7-DRAIN",
	  "x+1000 2 20 5 1 6 [ 0 1 ps ] { x+1000 1 0 0 0 0 };"
	  "x+1000 2 20 5 1 6 [ 0 2 ps ] { x+1000 1 0 0 0 0 };"
	  "x+1000 2 20 5 1 7 [ 1 6 ps ] { 0 } => => wait", RESP },
	{ "reverse_resp_to_msg", "N-163 A-72", PLAIN " => => fail", TO_MSG },
	{ "reverse_resp_cut", "N-63 A-11",
	  "x 2 20 5 1 6 ff 0 1 18 rpc => => wait", RESP },
	{ "reverse_resp_info_short", "N-66 N-164", INFO("0 1") "=> => fail", RESP },
	{ "reverse_resp_info_long", "N-66 N-164", INFO("0 1 18 0") "=> => fail",
	  RESP },
	{ "reverse_resp_count_of_items", "N-164 S-11",
	  INFO("ffffffff 1 18") "=> => fail", RESP },
	{ "reverse_resp_type_0", "N-164 P-14 E-05",
	  INFO("1 18 4 0 1 18") "=> => fail", RESP },
	{ "reverse_resp_type_choice", "N-164 P-14",
	  INFO("1 18 4 3 0 1 18") "=> => fail", RESP },
	{ "reverse_resp_type_bysize", "N-164 P-14",
	  INFO("1 18 4 4 0 0 1 18") "=> => fail", RESP },
	{ "reverse_resp_type_7", "N-164 P-14",
	  INFO("1 18 4 7 1 18") "=> => fail", RESP },
	{ "reverse_resp_count_of_tbsns", "N-164 S-11",
	  INFO("1 18 4 2 0 ffffffff 1 18") "=> => fail", RESP },
	{ "reverse_resp_count_of_segments", "N-164 S-11",
	  INFO("1 18 4 1 ffffffff 1 18") "=> => fail", RESP },
	{ "reverse_resp_noitem", "N-165 P-28 N-170",
	  ITEM("0 0 6") "=> => fail", RESP },
	{ "reverse_resp_noitem_odd", "N-165 N-170",
	  ITEM("fffffffc ffffffff 6") "=> => fail", RESP },
	{ "reverse_resp_tooshort", "N-165 N-170 A-86",
	  ITEM("14 4 5") "=> => fail", RESP },
	{ "reverse_resp_tbsn", "N-166 N-165 P-27",
	  ITEM("18 1000 2 0 tbsns:0:4096") "plt:0 zero:4096 => => fail", RESP },
	{ "reverse_resp_exrw", "N-166 N-169 A-75",
	  ITEM(EXRW("4", "4")) "=> => fail", RESP },
	{ "reverse_resp_exrw_sum", "N-169 A-75",
	  ITEM(EXRW("8", "4")) "=> => fail", RESP },
	{ "reverse_resp_count_0", "N-167 A-91 E-04 E-10",
	  INFO("0 0 18") "=> rept:badseq:1:0 => fail", RESP },
	{ "reverse_resp_count_2", "N-167 A-91 E-04 E-03 C.7-DRAIN",
	  XRESP "[ 0 2 ps ] { rpc };" CONT ";" CONT
	  "=> rept:badseq:1:2 => fail", RESP },
	{ "reverse_resp_count_max", "N-167 A-91 E-04 S-11",
	  INFO("0 ffffffff 18") "=> rept:badseq:1:0xffffffff => fail", RESP },
	{ "reverse_resp_pslen_too_long", "N-168 E-04 E-14",
	  INFO("0 1 1c") "=> rept:badpl:28:0:left => fail", RESP },
	{ "reverse_resp_pslen_odd", "N-168 E-04 E-15 A-78",
	  INFO("0 1 16") "=> rept:badpl:22:0:left => fail", RESP },
	{ "reverse_resp_pslen_max", "N-168 E-14 S-11",
	  INFO("0 1 fffffffc") "=> rept:badpl:0xfffffffc:0:left => fail", RESP },
	{ "reverse_resp_pslen_4", "N-168 E-14 C-10",
	  INFO("0 1 4") "=> rept:badpl:4:8:left => fail", RESP },
	{ "reverse_resp_pslen_0", "N-168 E-14 C-10",
	  INFO("0 1 0") "=> rept:badpl:0:8:left => fail", RESP },
	{ "reverse_resp_disp_odd", "N-168 E-04 E-13 E-15 A-80",
	  ITEM("16 4 2 0 1 0") "plt:0 zero:4096 => rept:badoff:22:0:pslen => fail",
	  RESP },
	{ "reverse_resp_offset_odd", "N-168 E-04 E-13",
	  ITEM("18 4 2 2 1 0") "plt:0 zero:4096 => rept:badoff:2:0:plen-4 => fail",
	  RESP },
	{ "reverse_resp_offset_beyond", "N-168 E-04 E-13",
	  ITEM("18 4 2 plen 1 0") "plt:0 zero:4096 "
	  "=> rept:badoff:plen:0:plen-4 => fail", RESP },
	{ "reverse_resp_tbsn_too_high", "N-168 E-02 E-04 E-12 E-16",
	  ITEM("18 4 2 0 1 pnum") "=> rept:badtbsn:pnum:0:pnum-1 => fail", RESP },
	{ "reverse_resp_tbsn_none", "N-168 E-04 E-12",
	  ITEM("18 4 2 0 0") "=> rept:badtbsn:0xffffffff:0:pnum-1 => fail",
	  RESP },
	{ "reverse_resp_tbsn_not_received", "N-168 E-04 E-12 S-14",
	  ITEM("18 4 2 0 1 0") "=> rept:badtbsn:0:1:0 => fail", RESP },
	{ "reverse_resp_twice", "N-172 D-02 N-30",
	  PLAIN ";" PLAIN "; honest => => ok", RESP },
	{ "reverse_resp_then_bad", "N-172 N-162 D-02",
	  PLAIN ";" INFO("0 0 18") ";" INFO("0 1") ";" ERR "2 => => ok", RESP },
	{ "reverse_resp_no_group", "N-181 E-09 C.7-IDLE",
	  CONT "; " CONT " => rept:badcont => wait", RESP },
	{ "reverse_resp_goes_on", "N-195 E-09",
	  PLAIN ";" CONT "; " CONT " => rept:badcont => ok", RESP },
	{ "reverse_resp_in_group", "N-193 N-189 E-07 A-93",
	  FORWARD PLAIN ";" FORWARD_END "=> lrept:badomt:7:6 => ok", RESP },
	{ "reverse_resp_group_in_group", "N-193 N-167 E-07 A-93",
	  FORWARD XRESP "[ 0 2 ps ] { rpc };" FORWARD_END ";" CONT
	  "=> lrept:badomt:7:6|rept:badseq:1:2; "
	  "lrept:badomt:7:6|rept:badseq:1:2 => fail", RESP },
	{ "reverse_long_reported", "N-213 E-17 E-20 A-70 A-96",
	  "x 2 20 5 1 8 [ x 0 0 0 4 1 2 ] => => off", RESP },
	{ "reverse_long_reported_later", "N-213 N-215 E-17 E-20",
	  "x 2 20 5 1 8 [ x 0 3 1 x 0 0 8 5 9 1 ] => => off", RESP },
	{ "reverse_long_reported_twice", "N-212 E-17",
	  "x 2 20 5 1 8 [ x 0 0 0 3 ]; x 2 20 5 1 8 [ x 0 0 0 3 ] => => off",
	  RESP },
	{ "reverse_long_report_odd", "N-211 N-212 E-19 A-13",
	  "x 2 20 5 1 8 [ x 0 0 0 9 ]; x 2 20 5 1 8 [ x 0 0 2 3 ];"
	  "x 2 20 5 1 8 [ x 0 0 0 7 1 2 ]; x 2 20 5 1 8 [ ];"
	  "x+1000 2 20 5 1 8 [ x+1000 0 0 0 3 ];"
	  "x 2 20 5 1 8 [ x 1 0 0 3 ] => => wait", RESP },
	{ "reverse_long_refused", "A-69 A-70 E-20",
	  ERR "5 => => off", RESP },
	{ "reverse_long_refused_twice", "N-50 A-69",
	  ERR "5;" ERR "5;" ERR "5 => => off", RESP },
	{ "reverse_long_error", "B-78 B-75 A-70", ERR "2 => => fail", RESP },
	{ "reverse_long_error_other_xid", "N-43 B-75",
	  "x+1000 2 20 4 2; x+1000 2 20 4 5 => => wait", RESP },
};

const unsigned int nr_cases_rev_resp = ARRAY_SIZE(cases_rev_resp);
