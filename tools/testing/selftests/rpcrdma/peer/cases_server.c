// SPDX-License-Identifier: GPL-2.0
/* Cases of the server role: what the kernel's client makes of our answers. */
#include <errno.h>
#include <string.h>

#include "server.h"

#define INITR		"x 2 20 5 1 1 "
#define ERRV(v, lo, hi)	"x " v " 20 4 1 " lo " " hi
#define ALLOPS		"stat read8192 write8192 write1000 ls"
#define ERR		"x 2 20 4 "

/**
 * check_probe - look at the client's INITXCH
 * @s: the server
 */
static void check_probe(struct srv *s)
{
	struct sconn *sc = srv_current(s);

	if (!sc->peer.have_rbsiz || sc->peer.rbsiz < DEFAULT_INLINE)
		result_fail(s->r, "RBSIZ of the client: %u", sc->peer.rbsiz);
	if (!sc->peer.have_brs)
		result_fail(s->r, "no BRS in the client's INITXCH");
	if (sc->peer.count < 32 && sc->peer.nochg >> sc->peer.count)
		result_fail(s->r, "nochg %x for %u elements", sc->peer.nochg,
			    sc->peer.count);
}

/**
 * check_no_repeat - a refused call must not be sent again
 * @s: the server
 */
static void check_no_repeat(struct srv *s)
{
	if (s->repeats)
		result_fail(s->r, "the call was sent %u more times",
			    s->repeats);
}

/**
 * check_one_probe - only the first connection was probed
 * @s: the server
 */
static void check_one_probe(struct srv *s)
{
	unsigned int i;

	for (i = 1; i < s->nr_sc; i++)
		if (s->sc[i].vers == 2 || s->sc[i].probing)
			result_fail(s->r, "connection %u was probed", i + 1);
}

/**
 * check_patience - the client waited for an answer before it gave up
 * @s: the server
 */
static void check_patience(struct srv *s)
{
	check_one_probe(s);
	if (s->nr_sc > 3)
		result_fail(s->r, "%u connections", s->nr_sc);
}

const struct srv_case cases_negotiation[] = {
	{ "neg_initxch",
	  "A-30 A-34 B-01 B-03 B-04 B-06 B-31 B-32 B-33 B-81 B-83 B-95 B-96 "
	  "D-13 X-31 X-33 X-34 X-35",
	  NULL, ALLOPS, .check = check_probe },
	{ "neg_slow_answer", "B-82 B-81",
	  "pause; " HONEST_PROBE, ALLOPS },
	{ "neg_vers_header_2", "A-36 B-86 B-87 B-94 A-32",
	  ERRV("2", "1", "1"), ALLOPS, .flags = S_V1 },
	{ "neg_vers_header_1", "A-36 B-86 B-87 B-94",
	  ERRV("1", "1", "1"), ALLOPS, .flags = S_V1 },
	{ "neg_vers_header_odd", "A-36 B-94",
	  ERRV("7", "1", "1"), ALLOPS, .flags = S_V1 },
	{ "neg_vers_trailing_bytes", "N-51 B-87",
	  ERRV("2", "1", "1") " ff:40", ALLOPS, .flags = S_V1 },
	{ "neg_vers_range_0_9", "N-46 B-87",
	  ERRV("2", "0", "9"), ALLOPS, .flags = S_V1 },
	{ "neg_vers_range_1_2", "N-46",
	  ERRV("2", "1", "2"), ALLOPS, .flags = S_V1 },
	{ "neg_vers_range_2_2", "N-46",
	  ERRV("2", "2", "2"), .flags = S_NOMNT, .want = EPROTONOSUPPORT },
	{ "neg_vers_range_3_4", "N-44",
	  ERRV("2", "3", "4"), .flags = S_NOMNT, .want = EPROTONOSUPPORT },
	{ "neg_vers_low_above_high", "N-44",
	  ERRV("2", "2", "1"), .flags = S_NOMNT, .want = EPROTONOSUPPORT },
	{ "neg_vers_then_close", "B-88 A-38",
	  ERRV("2", "1", "1") "; close", ALLOPS, .flags = S_V1 | S_DISC,
	  .check = check_one_probe },
	{ "neg_close", "B-88 B-89 A-38",
	  "close", ALLOPS, .flags = S_V1 | S_DISC, .check = check_one_probe },
	{ "neg_silence", "B-89 A-38",
	  "", ALLOPS, .flags = S_V1 | S_DISC, .check = check_patience },
	{ "neg_inval_option", "X-29 X-32 A-30 B-52",
	  ERR "5", ALLOPS },
	{ "neg_bad_xdr", "C.7-PROBE", ERR "2", ALLOPS },
	{ "neg_inval_proc", "C.7-PROBE", ERR "4", ALLOPS },
	{ "neg_cant_reply", "C.7-PROBE", ERR "3 0 0 0", ALLOPS },
	{ "neg_junk_first", "C.7-PROBE N-03 N-43",
	  "7 7 7 7; x 3 20 5 1 1 [ 0 0 ]; x+1 2 20 4 1 1 1; zero:400;"
	  "x+1 2 20 4 5; x 1 20 0 0 0 0 nullreply;" HONEST_PROBE, ALLOPS },
	{ "neg_call_initxch", "A-33 N-91 X-37 A-40",
	  "x+9 2 20 5 0 1 [ 2 1 4 1000 2 4 0 0 ]", ALLOPS, .flags = S_BACK },
	{ "neg_call_initxch_same_xid", "A-33 A-39",
	  "x 2 20 5 0 1 [ 1 1 4 1000 0 ]", ALLOPS, .flags = S_BACK },
	{ "neg_call_then_reply_initxch", "A-33 A-47",
	  "x+9 2 20 5 0 1 [ 1 1 4 1000 0 ];" HONEST_PROBE, ALLOPS,
	  .flags = S_BACK },
	{ "neg_reply_twice", "A-47 N-90",
	  HONEST_PROBE ";" INITR "[ 1 1 4 400 0 ]", ALLOPS },
	{ "neg_wrong_xid_first", "A-39 C.7-PROBE",
	  "x+3 2 20 5 1 1 [ 1 1 4 1000 0 ]; " HONEST_PROBE, ALLOPS },
	{ "neg_credit_0", "D-14 A-27 N-07",
	  "x 2 0 5 1 1 [ 1 1 4 1000 0 ]", ALLOPS },
	{ "neg_credit_max", "N-07",
	  "x 2 ffffffff 5 1 1 [ 1 1 4 1000 0 ]", ALLOPS },
	{ "neg_spec_empty", "N-87 X-16 B-23",
	  INITR "[ 0 0 ]", ALLOPS },
	{ "neg_rbsiz_1024", "N-94 A-52 X-72",
	  INITR "[ 1 1 4 400 0 ]", "stat read8192 write8192 write1000 write4000 ls" },
	{ "neg_rbsiz_1023", "N-93 A-52",
	  INITR "[ 1 1 4 3ff 0 ]", ALLOPS },
	{ "neg_rbsiz_16384", "B-27 X-72",
	  INITR "[ 1 1 4 4000 0 ]", "stat write4000 write8192 read8192" },
	{ "neg_rbsiz_max", "N-95",
	  INITR "[ 1 1 4 ffffffff 0 ]", ALLOPS },
	{ "neg_bad_spec_count", "N-92 N-81",
	  INITR "[ ffffffff 1 4 400 0 ]", ALLOPS },
	{ "neg_bad_data_length", "N-92 N-83",
	  INITR "[ 2 1 4 400 2 8 0 0 0 ]", ALLOPS },
	{ "neg_bad_data_beyond", "N-92 N-82",
	  INITR "[ 2 1 4 400 63 ffffffff 0 ]", ALLOPS },
	{ "neg_bad_value", "N-92 N-84",
	  INITR "[ 2 1 4 400 2 4 2 0 ]", ALLOPS },
	{ "neg_bad_twice", "N-92 N-86",
	  INITR "[ 2 1 4 400 1 4 400 0 ]", ALLOPS },
	{ "neg_bad_left_over", "N-92 N-66",
	  INITR "[ 1 1 4 1000 0 0 ]", ALLOPS },
	{ "neg_subset_beyond", "N-89",
	  INITR "[ 0 ffffffff ]", ALLOPS },
	{ "neg_subset_excess", "N-88",
	  INITR "[ 1 1 4 1000 4 ffffffff 1 2 3 ]", ALLOPS },
	{ "neg_unknown_ids", "N-85 N-69 N-70",
	  INITR "[ 3 63 3 aabbccff 1 4 1000 ffffff22 0 0 ] ff:20", ALLOPS },
	{ "neg_rbstruct_odd", "N-96 N-98 N-99",
	  INITR "[ 4 4 [ 9 1 0 0 3 ffffffff ] 5 4 0 6 4 ffffffff "
	  "1 4 1000 0 ]", ALLOPS },
	{ "neg_brs_from_server", "A-54",
	  INITR "[ 2 3 4 2 1 4 1000 0 ]", ALLOPS },
	{ "neg_short_then_close", "N-01 A-19 B-89",
	  "x 2", ALLOPS, .flags = S_V1 | S_DISC },
	{ "grant_obeyed", "D-12 B-82 D-07",
	  "x 2 3 5 1 1 [ 1 1 4 1000 0 ]", "stat read131072", .flags = S_HOLD },
};

const unsigned int nr_cases_negotiation = ARRAY_SIZE(cases_negotiation);

/*
 * An answer that stat() gets may be made good by another call of the client's
 * own; what comes back for FSSTAT is what statfs() reports.
 */
#define STATFS		.op = "statfs", .proc = NFS3_FSSTAT
#define READ		.op = "read8192", .proc = NFS3_READ
#define WRITE		.op = "write8192", .proc = NFS3_WRITE
#define LS		.op = "ls", .proc = NFS3_READDIR

const struct srv_case cases_reply[] = {
	{ "reply_swi_named", "B-37 B-40 X-79", READ,
	  .reply = "honest swi=0", .flags = S_MAYDISC | S_ANYERR,
	  .want = EIO },
	{ "reply_credit_0", "N-07 D-14", STATFS, .reply = "honest @8=0" },
	{ "reply_credit_max", "N-07", STATFS,
	  .reply = "honest @8=ffffffff" },
	{ "reply_short", "N-01 A-19 D-36", STATFS, .reply = "honest cut=15",
	  .flags = S_DISC | S_ANYERR, .want = EIO },
	{ "reply_empty", "N-01 A-19", STATFS, .reply = "honest cut=0",
	  .flags = S_DISC | S_ANYERR, .want = EIO },
	{ "reply_too_long", "N-09 D-36", STATFS,
	  .reply = "honest to:70000", .flags = S_DISC | S_ANYERR,
	  .want = EIO },
	{ "reply_cut_in_header", "N-02 A-11", STATFS,
	  .reply = "honest cut=20..35", .want = EIO, .flags = S_SERIES },
	{ "reply_cut_before_direction", "N-02 A-11", STATFS,
	  .reply = "honest cut=16..19; honest", .back = E_XDR,
	  .flags = S_SERIES },
	{ "reply_without_payload", "N-17", STATFS,
	  .reply = "honest cut=36..43", .want = EIO, .flags = S_SERIES },
	{ "reply_vers_unknown", "N-03 N-05 B-03", STATFS,
	  .reply = "honest @4=0; honest @4=3; honest @4=ffffffff; "
	  "honest @4=3 @12=9; honest" },
	{ "reply_vers_1", "N-04 A-37 B-93", STATFS,
	  .reply = "x 1 20 0 0 0 0 rpc; honest" },
	{ "reply_proc_unknown", "N-06 B-63", STATFS,
	  .reply = "honest @12=2; honest @12=3; honest @12=6; "
	  "honest @12=80000000; honest", .back = E_PROC },
	{ "reply_direction_2", "N-11 B-12", STATFS,
	  .reply = "honest @16=2; honest", .back = E_XDR },
	{ "reply_read_list_word", "N-12", STATFS,
	  .reply = "honest @24=2", .want = EIO },
	{ "reply_write_list_word", "N-12", STATFS,
	  .reply = "honest @28=2", .want = EIO },
	{ "reply_reply_chunk_word", "N-12", STATFS,
	  .reply = "honest @32=2", .want = EIO },
	{ "reply_segment_count_huge", "N-12 S-11", STATFS,
	  .reply = "x 2 20 0 1 0 0 1 ffffffff zero:64 0 0 rpc", .want = EIO },
	{ "reply_xid_differs", "N-18 B-18", STATFS,
	  .reply = "honest @36=1; honest" },
	{ "reply_direction_differs", "N-18 B-04", STATFS,
	  .reply = "honest @40=0; honest" },
	{ "reply_nomsg_without_chunk", "N-23 B-17", STATFS,
	  .reply = "x 2 20 1 1 0 0 0 0", .want = EIO },
	{ "reply_read_list", "N-26", STATFS,
	  .reply = "x 2 20 0 1 0 1 0 zero:16 0 0 0 rpc", .want = EIO },
	{ "reply_write_chunk_not_offered", "N-27", STATFS,
	  .reply = "x 2 20 0 1 0 0 1 1 zero:16 0 0 rpc", .want = EIO },
	{ "reply_reply_chunk_not_offered", "N-27", STATFS,
	  .reply = "x 2 20 1 1 0 0 0 1 1 zero:4 64 zero:8", .want = EIO },
	{ "reply_write_chunk_missing", "N-27", READ,
	  .reply = "x 2 20 0 1 inv 0 0 0 rpc", .want = EIO },
	{ "reply_write_chunk_too_many", "N-27", READ,
	  .reply = "x 2 20 0 1 inv 0 1 1 wseg0 1 1 wseg0 0 0 rpc",
	  .want = EIO },
	{ "reply_write_chunk_too_long", "N-27", READ,
	  .reply = "x 2 20 0 1 inv 0 1 1 wseg0+4 0 0 rpc", .want = EIO },
	{ "reply_write_chunk_huge", "N-27 N-16", READ,
	  .reply = "honest @40=ffffffff", .want = EIO },
	{ "reply_reply_chunk_too_long", "N-27", LS,
	  .reply = "x 2 20 1 1 inv 0 0 1 1 rseg0+4", .want = EIO },
	{ "reply_reply_chunk_huge", "N-27", LS,
	  .reply = "honest @44=fffffff0", .want = EIO },
	{ "reply_reply_chunk_unused", "A-100", LS,
	  .reply = "x 2 20 0 1 inv 0 0 1 1 rseg0=0 rpc", .want = EIO,
	  .flags = S_ANYERR },
	{ "reply_swi_unknown", "N-29 B-40", .op = "read8192 statfs",
	  .proc = NFS3_FSSTAT, .reply = "honest swi=0",
	  .flags = S_MAYDISC | S_ANYERR, .want = EIO },
	{ "reply_swi_bogus", "N-29 S-04", STATFS,
	  .reply = "honest swi=deadbeef", .flags = S_MAYDISC | S_ANYERR,
	  .want = EIO },
	{ "reply_unknown_xid", "N-30 D-02", STATFS,
	  .reply = "honest @0=12345678 @36=12345678; honest" },
	{ "reply_twice", "N-30 D-02", STATFS, .reply = "honest; honest" },
	{ "reply_pad_not_checked", "A-16 N-25", LS, .reply = "honest ff:32" },
	{ "reverse_call_with_read_list", "N-33 D-28", STATFS,
	  .reply = "x+9 2 1 0 0 0 1 40 12345678 64 zero:8 0 0 0 null+9; "
	  "honest", .back = E_XDR },
	{ "reverse_call_with_write_list", "N-33 D-28", STATFS,
	  .reply = "x+9 2 1 0 0 0 0 1 1 12345678 64 zero:8 0 0 null+9; "
	  "honest", .back = E_XDR },
	{ "reverse_call_with_reply_chunk", "N-33 D-28", STATFS,
	  .reply = "x+9 2 1 0 0 0 0 0 1 1 12345678 64 zero:8 null+9; "
	  "honest", .back = E_XDR },
	{ "reverse_call_unexpected", "N-34 D-34", STATFS,
	  .reply = "x+9 2 1 0 0 0 0 0 0 null+9; honest" },
	{ "reverse_call_same_xid", "N-34 D-04", STATFS,
	  .reply = "x 2 1 0 0 0 0 0 0 null; honest" },
	{ "reverse_call_bad", "N-18 N-12 N-17", STATFS,
	  .reply = "x 2 1 0 0 0 0 0 0 null+1; x 2 1 0 0 0 2 0 0 null; "
	  "x 2 1 0 0 0 0 0 0; x 2 1 0 0 0 0 0 0 nullreply; honest",
	  .back = E_XDR },
	{ "reverse_call_cut", "N-02", STATFS,
	  .reply = "x 2 1 0 0 0 0 0 0 null cut=20..43; honest",
	  .back = E_XDR, .flags = S_SERIES },
};

const unsigned int nr_cases_reply = ARRAY_SIZE(cases_reply);

const struct srv_case cases_srv_error[] = {
	{ "error_bad_xdr", "B-78 B-77 B-64", STATFS, .reply = ERR "2",
	  .want = EIO, .check = check_no_repeat },
	{ "error_inval_proc", "B-78 B-77 B-63", STATFS, .reply = ERR "4",
	  .want = EIO, .check = check_no_repeat },
	{ "error_cant_reply", "B-70 B-66", STATFS, .reply = ERR "3 1 0 0",
	  .want = EIO },
	{ "error_cant_reply_not_processed", "B-70 B-66", READ,
	  .reply = ERR "3 0 1 2000", .flags = S_ANYERR, .want = EIO },
	{ "error_cant_reply_always", "B-70", READ, .reply = ERR "3 1 1 4000",
	  .flags = S_ALWAYS, .want = EIO },
	{ "error_cant_reply_odd_bool", "N-47", STATFS,
	  .reply = ERR "3 2 0 0", .want = EIO, .check = check_no_repeat },
	{ "error_cant_reply_odd_index", "N-47", READ,
	  .reply = ERR "3 0 63 4000", .want = EIO,
	  .check = check_no_repeat },
	{ "error_cant_reply_odd_length", "N-47", READ,
	  .reply = ERR "3 0 1 ffffffff", .want = EIO,
	  .check = check_no_repeat },
	{ "error_vers_late", "N-45", STATFS, .reply = ERRV("2", "1", "1"),
	  .want = EIO, .flags = S_DISC },
	{ "error_vers_late_range_2", "N-45", STATFS,
	  .reply = ERRV("2", "2", "2"), .want = EIO, .flags = S_DISC },
	{ "error_code_0", "N-41", STATFS, .reply = ERR "0", .want = EIO },
	{ "error_code_6", "N-41", STATFS, .reply = ERR "6", .want = EIO },
	{ "error_code_max", "N-41", STATFS, .reply = ERR "ffffffff",
	  .want = EIO },
	{ "error_cut", "N-41", STATFS, .reply = ERR "3 1 1 4000 cut=16..31",
	  .want = EIO, .flags = S_SERIES },
	{ "error_cut_vers", "N-41", STATFS, .reply = ERR "1 1 2 cut=20..27",
	  .want = EIO, .flags = S_SERIES | S_MAYDISC },
	{ "error_unknown_xid", "N-43 B-75 B-10", STATFS,
	  .reply = "x+7 2 20 4 2; x+7 2 20 4 3 1 1 4000; x+7 2 20 4 6; "
	  "x+7 2 20 4; honest" },
	{ "error_inval_option_for_msg", "N-49 A-12 B-75", STATFS,
	  .reply = ERR "5; " ERR "5; honest" },
	{ "error_trailing_bytes", "N-51 A-16", STATFS,
	  .reply = ERR "2 ff:100", .want = EIO },
	{ "error_credit_odd", "B-76 A-14 D-11", STATFS,
	  .reply = "x 2 0 4 2", .want = EIO },
	{ "error_then_reply", "D-02 N-30", STATFS, .reply = ERR "2; honest",
	  .want = EIO },
};

const unsigned int nr_cases_srv_error = ARRAY_SIZE(cases_srv_error);

#define OPT		"x+5 2 20 5 0 "
#define OPTR		"x+5 2 20 5 1 "

const struct srv_case cases_srv_optional[] = {
	{ "opt_unknown_call", "N-64 B-51", STATFS,
	  .reply = OPT "0 [ ]; " OPT "9 [ ]; " OPT "ffffffff [ ff:64 ]; honest",
	  .back = E_OPT },
	{ "opt_unknown_reply", "N-64 B-51 A-11", STATFS,
	  .reply = OPTR "0 [ ]; " OPTR "9 [ ]; " OPTR "ffffffff [ ff:64 ]; "
	  "honest", .back = E_OPT },
	{ "opt_unknown_reply_same_xid", "N-64 A-12 A-39", STATFS,
	  .reply = "x 2 20 5 1 9 [ ]; honest", .back = E_OPT },
	{ "opt_cut_call", "N-61", STATFS,
	  .reply = OPT "9 [ ] cut=16..27; honest", .back = E_XDR,
	  .flags = S_SERIES },
	{ "opt_cut_reply", "N-61 A-11", STATFS,
	  .reply = OPTR "9 [ ] cut=20..27; honest", .flags = S_SERIES },
	{ "opt_direction_2", "N-62 B-12", STATFS,
	  .reply = "x+5 2 20 5 2 1 [ 0 0 ]; x+5 2 20 5 2 9 [ ]; honest",
	  .back = E_XDR },
	{ "opt_optinfo_beyond_call", "N-63 S-11", STATFS,
	  .reply = OPT "1 4; " OPT "1 ffffffff 0 0; " OPT "1 fffffffd 0 0; "
	  OPT "9 8 0; honest", .back = E_XDR },
	{ "opt_optinfo_beyond_reply", "N-63 A-11", STATFS,
	  .reply = OPTR "1 4; " OPTR "1 ffffffff 0 0; " OPTR "1 fffffffd; "
	  OPTR "9 8 0; honest" },
	{ "opt_initxch_bad_call", "N-66 N-81 N-82 N-83 N-84 N-86", STATFS,
	  .reply = OPT "1 [ ]; " OPT "1 [ 0 0 0 ]; " OPT "1 [ 1 1 4 1000 ]; "
	  OPT "1 [ ffffffff ]; " OPT "1 [ 1 63 ffffffff 0 0 ]; "
	  OPT "1 [ 1 1 3 0 0 ]; " OPT "1 [ 1 2 4 2 0 ]; "
	  OPT "1 [ 2 2 4 0 2 4 0 0 ]; honest", .back = E_XDR },
	{ "opt_initxch_bad_reply", "N-66 N-92", STATFS,
	  .reply = OPTR "1 [ ]; " OPTR "1 [ 0 0 0 ]; " OPTR "1 [ ffffffff ]; "
	  "honest" },
	{ "opt_initxch_late_call", "A-47 X-38 N-90 N-70", STATFS,
	  .reply = OPT "1 [ 1 1 4 400 0 ] ff:10; honest", .flags = S_BACK },
	{ "opt_initxch_late_reply", "A-47 N-90 N-91", STATFS,
	  .reply = OPTR "1 [ 1 1 4 400 0 ]; honest" },
	{ "opt_xmt_not_offered", "N-65 N-122 B-51", STATFS,
	  .reply = OPT "5 [ 0 0 1 1 28 ] null+5; honest", .back = E_OPT },
	{ "opt_reqxch", "N-87 X-22 X-42", STATFS,
	  .reply = OPT "2 [ 0 ]; honest", .back = E_OPT },
};

const unsigned int nr_cases_srv_optional = ARRAY_SIZE(cases_srv_optional);
