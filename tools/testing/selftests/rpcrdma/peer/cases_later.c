// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of both roles: a peer that speaks the later version 2.
 *
 * draft-ietf-nfsv4-rpcrdma-version-two (-07) has the same four words at the
 * beginning, and 2 in the second one. In the fourth it has
 *
 *	4 ERROR  5 GRANT  6, 7 CONNPROP  8..10 CALL  11..13 REPLY
 *
 * so that its GRANT, which is no longer than these words, looks like an OPTIONAL,
 * and that our INITXCH looks like a GRANT to it, which is not answered. Of its
 * errors 1, 2 and 4 say what ours do; 3 is BAD_PROPVAL, 11 VERS_MISMATCH, 100
 * SYSTEM. Neither end can talk to it in version 2; both have to end up with
 * version 1, and go on serving others.
 */
#include <errno.h>

#include "client.h"
#include "server.h"

/* SBSIZ 4096, RBSIZ 4096, RSSIZ 8, RCSIZ 8, BRS simple */
#define PROPS		"5 1 4 1000 2 4 1000 3 4 8 4 4 8 5 4 1 "
#define CONNPROP_MIDDLE	"x 2 20 6 " PROPS
#define CONNPROP_FINAL	"x 2 20 7 " PROPS
#define ERR		"x 2 20 4 "
#define SOMEOPS		"read8192 write1000"

const struct cli_case cases_later[] = {
	{ "later_connprop_first", "N-06 A-37 B-63",
	  CONNPROP_FINAL "=> proc", C_RAW },
	{ "later_connprop_twice", "N-06 A-37 B-63",
	  CONNPROP_MIDDLE "=> proc;" CONNPROP_FINAL "=> proc;"
	  CONNPROP_FINAL "=> proc", C_RAW },
	{ "later_connprop_no_properties", "N-06 B-63",
	  "x 2 20 7 0 => proc; x 2 20 7 => proc", C_RAW },
	{ "later_connprop_hostauth", "N-06 B-63",
	  "x 2 20 7 1 6 7 61626364 65666700 => proc", C_RAW },
	{ "later_call_inline", "N-06 B-63",
	  "x 2 20 a 0 " LISTS "null => proc;"
	  "x 2 20 a 0 " LISTS "read:0:2000 => proc", C_RAW },
	{ "later_call_inline_chunks", "N-06 B-63",
	  "x 2 20 a h0 1 0 seg0:40 0 0 0 null => proc;"
	  "x 2 20 a 0 0 1 1 seg0:8000 0 0 read:0:8000 => proc", C_RAW, "null" },
	{ "later_call_external", "N-06 B-63",
	  "x 2 20 8 0 1 0 seg0:40 0 0 0 0 => proc", C_RAW, "null" },
	{ "later_call_middle", "N-06 B-63",
	  "x 2 20 9 28 null => proc; x 2 20 a 0 " LISTS "null => proc", C_RAW },
	{ "later_reply", "N-06 B-63",
	  "x 2 20 d 0 nullreply => proc; x 2 20 c 28 nullreply => proc;"
	  "x 2 20 b 0 0 => proc" },
	{ "later_grant", "N-02 N-61",
	  "x 2 40 5 => xdr", C_RAW },
	{ "later_errors", "N-41 N-43 A-13",
	  ERR "1 1 2 => drop;" ERR "2 => drop;" ERR "3 => drop;"
	  ERR "4 => drop;" ERR "5 => drop;" ERR "6 1 => drop;"
	  ERR "7 1 => drop;" ERR "8 1 => drop;" ERR "9 1 100 => drop;"
	  ERR "a 100 => drop;" ERR "b => drop;" ERR "64 => drop" },
	{ "later_then_version_1", "N-04 A-37 B-93",
	  CONNPROP_FINAL "=> proc;" NULLV1 "=> vers:2:2", C_RAW },
	{ "later_comes_back_in_version_1", "B-92 A-37",
	  NULLV1 "=> reply;" CONNPROP_FINAL "=> vers:1:1;" NULLV1 "=> reply",
	  C_RAW | C_V1 },
};

const unsigned int nr_cases_later = ARRAY_SIZE(cases_later);

const struct srv_case cases_srv_later[] = {
	{ "later_takes_probe_for_grant", "A-38 B-89",
	  "x+5 2 20 7 " PROPS, SOMEOPS, .flags = S_V1 | S_DISC },
	{ "later_answers_by_connprop", "A-38 B-89 C.7-PROBE",
	  CONNPROP_MIDDLE ";" CONNPROP_FINAL, SOMEOPS,
	  .flags = S_V1 | S_DISC },
	{ "later_answers_by_grant", "A-38 B-89 N-02 C.7-PROBE",
	  "x 2 20 5", SOMEOPS, .flags = S_V1 | S_DISC },
	{ "later_bad_propval", "A-38 N-41 C.7-PROBE",
	  ERR "3", SOMEOPS, .flags = S_V1 | S_DISC },
	{ "later_other_errors", "A-38 N-41 C.7-PROBE",
	  ERR "b;" ERR "64;" ERR "6 1", SOMEOPS, .flags = S_V1 | S_DISC },
	{ "later_vers_1", "B-87 A-32",
	  CONNPROP_FINAL ";" ERR "1 1 1", SOMEOPS, .flags = S_V1 },
	{ "later_inval_htype", "C.7-V2-ONE A-38",
	  HONEST_PROBE "|" ERR "4", "read131072", .proc = NFS3_READ,
	  .reply = "close | " ERR "4", .flags = S_V1 | S_DISC },
	{ "later_inval_htype_for_others", "C.7-V2-ONE N-43",
	  HONEST_PROBE "|" ERR "4", "read131072", .proc = NFS3_READ,
	  .reply = "close | x+9 2 20 4 4; honest", .flags = S_DISC },
};

const unsigned int nr_cases_srv_later = ARRAY_SIZE(cases_srv_later);
