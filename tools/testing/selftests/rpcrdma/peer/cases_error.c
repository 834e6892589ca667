// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the client role: ERROR headers. No Call of the server's is
 * outstanding here, so that each of them must be dropped in silence.
 */
#include "client.h"

#define ERR	"x 2 20 4 "

const struct cli_case cases_error[] = {
	{ "error_cut", "N-41 B-74 A-13",
	  ERR "cut=16..16 => drop;" ERR "3 1 1 4000 cut=16..31 => drop" },
	{ "error_vers_cut", "N-41 B-74",
	  ERR "1 1 2 cut=20..27 => drop" },
	{ "error_code_unknown", "N-41 B-74",
	  ERR "0 => drop;" ERR "6 => drop;" ERR "ffffffff => drop" },
	{ "error_xid_unknown", "N-43 B-74 B-75 B-10 D-02",
	  ERR "2 => drop;" ERR "3 1 1 4000 => drop;" ERR "4 => drop" },
	{ "error_inval_option_unmatched", "N-43 N-49 A-12 B-75",
	  ERR "5 => drop;" ERR "5 => drop" },
	{ "error_vers_late", "N-43 N-45 B-74",
	  ERR "1 1 2 => drop;" ERR "1 3 1 => drop;"
	  "x 1 20 4 1 1 1 => drop; x 3 20 4 1 1 1 => drop" },
	{ "error_other_version", "B-74 A-13 N-41",
	  "x 1 20 4 2 => drop; x 3 20 4 2 => drop; x 0 20 4 5 => drop;"
	  "x 3 20 4 cut=16..16 => drop; x ffffffff 20 4 3 1 1 4000 => drop" },
	{ "error_other_version_first", "B-74 A-13",
	  "x 3 20 4 2 => drop", C_RAW },
	{ "error_cant_reply_odd", "N-47 B-74",
	  ERR "3 2 0 0 => drop;" ERR "3 1 ffffffff ffffffff => drop" },
	{ "error_trailing_bytes", "N-51 A-16 B-74",
	  ERR "2 ff:100 => drop;" ERR "1 1 2 null => drop" },
	{ "error_first", "N-43 B-74 A-13",
	  ERR "2 => drop", C_RAW },
	{ "error_credit_ignored", "A-14 D-11",
	  "x 2 0 4 2 => drop; x 2 ffffffff 4 4 => drop" },
};

const unsigned int nr_cases_error = ARRAY_SIZE(cases_error);
