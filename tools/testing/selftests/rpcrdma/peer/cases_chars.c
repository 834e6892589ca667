// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the client role: characteristics in INITXCH.
 *
 * What took effect is read off a READ of 2000 bytes: it fits a Send of 4096
 * bytes, and not one of 1024 to 2000.
 */
#include "client.h"

#define READ2000	MSG "0 " LISTS "read:0:2000 "
#define FITS		"=> reply;"
#define TOO_LONG	"=> cant:1:0:r2000;"
#define READ8000	MSG "0 " LISTS "read:0:8000 "

const struct cli_case cases_chars[] = {
	{ "spec_count_huge", "N-81 S-11",
	  INIT "[ ffffffff ] => xdr;" INIT "[ ffffffff 1 4 1000 0 ] => xdr;"
	  INIT "[ 2 1 4 1000 0 ] => xdr;" INIT "[ 15555556 0 ] => xdr", C_RAW },
	{ "data_beyond_optinfo", "N-82 X-03",
	  INIT "[ 1 1 8 1000 ] => xdr;" INIT "[ 1 1 ffffffff 1000 0 ] => xdr;"
	  INIT "[ 1 63 10 1 0 ] => xdr;" INIT "[ 1 63 fffffffd 1 0 ] => xdr;"
	  INIT "[ 1 63 ffffffff 1 0 ] => xdr", C_RAW },
	{ "data_too_short", "N-83 X-05 A-44",
	  INIT "[ 1 1 0 0 ] => xdr;" INIT "[ 1 1 1 0 0 ] => xdr;"
	  INIT "[ 1 1 2 0 0 ] => xdr;" INIT "[ 1 1 3 0 0 ] => xdr;"
	  INIT "[ 1 2 0 0 ] => xdr;" INIT "[ 1 3 3 0 0 ] => xdr", C_RAW },
	{ "data_too_long", "N-83 X-06 A-44",
	  INIT "[ 1 1 8 1000 0 0 ] => xdr;" INIT "[ 1 1 5 1000 0 0 ] => xdr;"
	  INIT "[ 1 2 8 1 0 0 ] => xdr;" INIT "[ 1 3 6 1 0 0 ] => xdr", C_RAW },
	{ "value_invalid", "X-02 N-84 X-04",
	  INIT "[ 1 2 4 2 0 ] => xdr;" INIT "[ 1 2 4 ffffffff 0 ] => xdr;"
	  INIT "[ 1 3 4 3 0 ] => xdr;" INIT "[ 1 3 4 80000001 0 ] => xdr",
	  C_RAW },
	{ "id_unknown", "N-85 X-07 X-36 X-01",
	  INIT "[ 4 63 0 1 4 400 63 5 1 2 ffffff7f 4 1 0 ] => init;"
	  READ2000 TOO_LONG, C_RAW },
	{ "id_twice", "N-86 X-12 A-45",
	  INIT "[ 2 1 4 1000 1 4 1000 0 ] => xdr;"
	  INIT "[ 3 2 4 0 63 0 2 4 1 0 ] => xdr;"
	  INIT "[ 2 63 0 63 0 0 ] => init", C_RAW },
	{ "spec_empty", "N-87 X-16",
	  INIT "[ 0 0 ] => init;" READ2000 FITS
	  MSG "0 " LISTS "read:0:8000 => cant:1:0:r8000", C_RAW | C_BIG },
	{ "subset_excess", "N-88 X-10 A-46",
	  INIT "[ 1 1 4 1000 1 ffffffff ] => init;"
	  INIT "[ 1 1 4 1000 5 0 0 ffffffff 1 2 ] => init;"
	  INIT "[ 0 1 1 ] => init", C_RAW },
	{ "subset_count_beyond", "N-89",
	  INIT "[ 0 1 ] => xdr;" INIT "[ 0 ffffffff 0 ] => xdr;"
	  INIT "[ 0 40000000 ] => xdr;" INIT "[ 1 1 4 1000 2 0 ] => xdr",
	  C_RAW },
	{ "order_without_meaning", "X-08",
	  INIT "[ 3 3 4 1 2 4 0 1 4 400 0 ] => init;" READ2000 TOO_LONG,
	  C_RAW },
	{ "one_bad_value_voids_all", "X-11 A-43 N-84",
	  INIT "[ 2 1 4 400 3 4 3 0 ] => xdr;" READ2000 FITS, C_RAW },
	{ "bad_then_good_initxch", "X-11 A-43 N-86",
	  INIT "[ 2 1 4 1000 1 4 1000 0 ] => xdr;"
	  INIT "[ 1 1 4 400 0 ] => init;" READ2000 TOO_LONG, C_RAW },
	{ "rbsiz_below_1024", "N-93 A-52",
	  INIT "[ 1 1 4 3ff 0 ] => init;" READ2000 FITS, C_RAW },
	{ "rbsiz_0", "N-93 A-52",
	  INIT "[ 2 1 4 0 3 4 1 0 ] => init;" READ2000 FITS, C_RAW },
	{ "rbsiz_1024", "N-94 A-52 X-72 X-74",
	  INIT "[ 1 1 4 400 0 ] => init;" READ2000 TOO_LONG
	  MSG "0 0 0 1 1 seg0:8000 read:0:2000 => long;"
	  MSG "0 " LISTS "read:0:600 => reply", C_RAW },
	{ "rbsiz_2048", "N-94 A-52 X-72",
	  INIT "[ 1 1 4 800 0 ] => init;"
	  MSG "0 " LISTS "read:0:1800 => reply;" READ2000 TOO_LONG, C_RAW },
	{ "rbsiz_4095", "N-94 A-52",
	  INIT "[ 1 1 4 fff 0 ] => init;"
	  MSG "0 " LISTS "read:0:3900 => reply", C_RAW },
	{ "rbsiz_max", "N-95",
	  INIT "[ 1 1 4 ffffffff 0 ] => init;" READ2000 FITS
	  READ8000 "=> reply|cant:1:0:r8000", C_RAW | C_BIG },
	/* A server may do without; that of the kernel does not */
	{ "rbsiz_16384_reply", "B-27 X-72",
	  INIT "[ 1 1 4 4000 0 ] => init;" READ8000 "=> reply", C_RAW | C_BIG | C_OWN },
	{ "rbsiz_65536", "X-72 B-27",
	  INIT "[ 1 1 4 10000 0 ] => init;" READ2000 FITS
	  READ8000 "=> reply|cant:1:0:r8000", C_RAW | C_BIG },
	{ "brs_each", "X-84",
	  INIT "[ 1 3 4 0 0 ] => init;" INIT "[ 1 3 4 2 0 ] => init", C_RAW },
	{ "rbstruct_odd", "N-96 A-59",
	  INIT "[ 2 4 [ 3000 1 1 1000 1 0 ] 1 4 400 0 ] => init;"
	  READ2000 TOO_LONG, C_RAW },
	{ "rbstruct_odd_values", "N-96 A-59 S-04",
	  INIT "[ 1 4 [ 1000 1 0 1000 1 0 ] 0 ] => init;"
	  INIT "[ 1 4 [ 0 1 1 0 1 0 ] 0 ] => init;"
	  INIT "[ 1 4 [ 1000 1 1 1000 3 0 ] 0 ] => init;"
	  INIT "[ 1 4 [ 0 0 ] 0 ] => init;"
	  INIT "[ 1 4 [ 0 2 ffffffff ffffffff 1 0 ffffffff ffffffff 1 0 ] 0 ] "
	  "=> init", C_RAW },
	{ "rbstruct_odd_first", "N-96 A-59",
	  INIT "[ 1 4 [ 0 2 ffffffff ffffffff 1 0 1 1000 1 0 ] 0 ] => init;"
	  READ2000 FITS, C_RAW },
	{ "rbstruct_cut", "N-97",
	  INIT "[ 1 4 [ 1000 1 1 1000 1 ] 0 ] => xdr;"
	  INIT "[ 1 4 [ 1000 2 1 1000 1 0 ] 0 ] => xdr;"
	  INIT "[ 1 4 [ 1000 ffffffff 1 1000 1 0 ] 0 ] => xdr;"
	  INIT "[ 1 4 [ 1000 ] 0 ] => xdr", C_RAW },
	{ "rbstruct_alone", "X-87 A-58 A-60",
	  INIT "[ 1 4 [ 400 1 1 400 1 0 ] 0 ] => init;" READ2000 TOO_LONG,
	  C_RAW },
	{ "flags_unknown", "N-98 P-17",
	  INIT "[ 3 4 [ 1000 1 1 1000 1 80000000 ] ffffff03 4 fffffff8 "
	  "1 4 1000 0 ] => init", C_RAW },
	{ "limits_odd", "N-99 A-62",
	  INIT "[ 2 5 4 0 6 4 0 0 ] => init;"
	  INIT "[ 2 5 4 ffffffff 6 4 ffffffff 0 ] => init", C_RAW },
	{ "many_unknown_ids", "X-07 S-04",
	  INIT "[ 14 rep:20 63 4 0 end 1 0 ] => init;"
	  INIT "[ 64 rep:100 ffffff80 0 end 0 ] => init|xdr", C_RAW },
};

const unsigned int nr_cases_chars = ARRAY_SIZE(cases_chars);
