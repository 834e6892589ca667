// SPDX-License-Identifier: GPL-2.0
/* Cases of the client role: OPTIONAL in general. */
#include "client.h"

const struct cli_case cases_optional[] = {
	{ "opttype_unknown_call", "N-64 B-51 B-61 B-77",
	  OPT "0 0 [ ] => opt;" OPT "0 9 [ ] => opt;"
	  OPT "0 ffffffff [ ] => opt;" OPT "0 9 [ ff:64 ] => opt;"
	  OPT "0 a [ 1 2 3 ] null => opt" },
	{ "opttype_unknown_reply", "N-64 B-51 A-11",
	  OPT "1 0 [ ] => opt;" OPT "1 9 [ ] => opt;"
	  OPT "1 ffffffff [ ] => opt;" OPT "1 9 [ ff:64 ] => opt" },
	{ "opttype_unknown_first", "N-71 N-64 B-51 A-37",
	  OPT "0 9 [ ] => opt;" NULLV1 "=> vers:2:2", C_RAW },
	{ "opttype_unknown_max_optinfo", "N-64 B-53",
	  OPT "0 9 [ ff:4068 ] => opt" },
	{ "optional_cut", "N-61 N-02",
	  OPT "0 9 [ 1 2 ] cut=16..27 => xdr;"
	  INIT "[ 0 0 ] cut=16..27 => xdr" },
	{ "optional_cut_first", "N-61 N-02",
	  INIT "[ 0 0 ] cut=16..27 => xdr;" INIT "[ 0 0 ] => init", C_RAW },
	{ "optional_reply_cut", "N-61 A-11",
	  OPTR "9 [ 1 2 ] cut=20..27 => drop" },
	{ "optdir_2", "N-62 B-12",
	  OPT "2 1 [ 0 0 ] => xdr;" OPT "2 9 [ ] => xdr;"
	  OPT "ffffffff 0 [ ] => xdr" },
	{ "optinfo_beyond", "N-63 S-11",
	  INIT "4 => xdr;" INIT "c 0 0 => xdr;" INIT "ffffffff 0 0 => xdr;"
	  INIT "fffffffd 0 0 => xdr;" INIT "fffffff0 0 0 => xdr" },
	{ "optinfo_beyond_unknown", "N-63 A-18 B-19",
	  OPT "0 9 4 => xdr;" OPT "0 9 ffffffff => xdr;"
	  OPT "0 9 fffffffd => xdr" },
	{ "optinfo_beyond_reply", "N-63 A-11",
	  OPTR "1 4 => drop;" OPTR "1 ffffffff 0 0 => drop;"
	  OPTR "1 fffffffd => drop;" OPTR "9 8 0 => drop" },
	{ "optinfo_odd_length", "N-66 A-17",
	  INIT "7 0 0 => xdr;" INIT "5 0 0 => xdr;" INIT "9 0 0 0 => xdr" },
	{ "optinfo_short", "N-66",
	  INIT "[ ] => xdr;" INIT "[ 0 ] => xdr;" INIT "[ 1 1 4 ] => xdr;"
	  INIT "[ 1 1 4 1000 ] => xdr;" INIT "[ 0 1 ] => xdr" },
	{ "optinfo_left_over", "N-66 A-17",
	  INIT "[ 0 0 0 ] => xdr;" INIT "[ 1 1 4 1000 1 1 1 ] => xdr;"
	  INIT "[ 0 0 zero:400 ] => xdr" },
	{ "optinfo_bad_reply", "N-66 A-11",
	  OPTR "1 [ ] => drop;" OPTR "1 [ 0 0 0 ] => drop;"
	  OPTR "1 7 0 0 => drop" },
	{ "pad_not_zero", "N-69 A-09",
	  INIT "[ 2 63 3 aabbccff 1 4 1000 0 ] => init" },
	{ "payload_after_control", "N-70 A-16",
	  INIT "[ 0 0 ] null => init;" INIT "[ 0 0 ] ff:7 => init" },
	{ "initxch_reply_unasked", "N-91 A-47",
	  OPTR "1 [ 1 1 4 1000 0 ] => drop" },
	{ "initxch_reply_first", "N-91 A-40",
	  OPTR "1 [ 1 1 4 400 0 ] => drop;"
	  MSG "0 " LISTS "read:0:2000 => cant:1:0:r2000", C_RAW },
	{ "initxch_reply_bad", "N-92 N-81 N-82 N-83 N-84 N-86",
	  OPTR "1 [ ffffffff ] => drop;"
	  OPTR "1 [ 2 1 4 400 63 ffffffff 0 ] => drop;"
	  OPTR "1 [ 1 1 8 400 0 0 ] => drop; " OPTR "1 [ 1 1 3 400 0 ] => drop;"
	  OPTR "1 [ 2 1 4 400 3 4 3 0 ] => drop;"
	  OPTR "1 [ 2 1 4 400 1 4 400 0 ] => drop;"
	  MSG "0 " LISTS "read:0:2000 => reply", C_RAW },
	{ "initxch_refused", "B-52 X-21 X-29 A-12",
	  INIT "[ 0 0 ] => init; x-8 2 20 4 5 => drop;"
	  "x-8 2 20 4 2 => drop", C_RAW },
	{ "xmt_not_offered", "N-65 N-122 B-51 X-22",
	  OPT "0 5 [ 0 0 1 1 28 ] null => opt;"
	  OPT "0 7 [ 1 5 0 ] => opt", C_NORT },
	{ "xmt_cont_not_offered", "N-65 B-51 C-11",
	  OPT "0 7 [ 1 5 0 ] => opt", C_NOCONT },
	{ "reqxch_empty", "N-87 X-22 X-42",
	  OPT "0 2 [ 0 ] => respxch" },
	{ "reqxch_unknown_id", "X-47 N-85",
	  OPT "0 2 [ 1 63 4 0 ] => respxch rej:1" },
	{ "reqxch_reply", "N-101",
	  OPTR "2 [ 0 ] => drop" },
	{ "respxch_unasked", "N-103 N-106",
	  OPTR "3 [ 0 0 0 ] => drop;" OPT "0 3 [ 0 0 0 ] => xdr" },
	{ "updxch", "X-61 N-107 N-108 N-109",
	  OPT "0 4 [ 1 4 1000 0 ] => drop;"
	  OPT "0 4 [ 1 4 1000 2 ] => xdr;"
	  OPT "0 4 [ 3 4 7 0 ] => xdr" },
	{ "repterr_unmatched", "N-211 N-212 B-74 A-13",
	  OPTR "8 [ x 0 0 0 3 ] => drop|opt;" OPTR "8 [ x 2 ] => drop|opt" },
};

const unsigned int nr_cases_optional = ARRAY_SIZE(cases_optional);
