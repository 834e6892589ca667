// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the server role: reverse Calls to a client that takes them. The
 * kernel mounts by NFSv4.1; its first COMPOUND is answered by NULL calls to
 * the callback service and the like, and then refused, so that the mount ends.
 */
#include <errno.h>

#include "server.h"

#define V41		.proc = NFS4_COMPOUND, .flags = S_V41 | S_NOMNT, \
			.want = EPROTONOSUPPORT
#define REV		"x+9 2 1 0 0 0 0 0 0 cbnull+9; "
#define SEG		"12345678 40 0 1000 "
#define EIGHT(x)	x x x x x x x x

/**
 * check_all - every reverse Call was answered
 * @s: the server
 * @nr: how many there were
 */
static void check_all(struct srv *s, unsigned int nr)
{
	if (s->t.nr_reverse != nr)
		result_fail(s->r, "%u of %u reverse Calls answered",
			    s->t.nr_reverse, nr);
}

/**
 * check_64 - as many as sixty-four
 * @s: the server
 */
static void check_64(struct srv *s)
{
	check_all(s, 64);
}

const struct srv_case cases_srv_reverse[] = {
	{ "reverse_null",
	  "B-13 B-04 B-92 B-36 D-03 D-13 D-21 D-24 D-32 D-37 X-83",
	  V41, .reply = REV "honest", .answers = "rpc" },
	{ "reverse_null_with_forward_xid", "D-04 B-10 B-11 D-06", V41,
	  .reply = "x 2 1 0 0 0 0 0 0 cbnull; honest", .answers = "rpc" },
	{ "reverse_many", "D-18 D-07 D-06", V41,
	  .reply = EIGHT(EIGHT(REV)) "honest", .check = check_64 },
	{ "reverse_credit_0", "D-14 A-27 N-07 D-09", V41,
	  .reply = "x+9 2 0 0 0 0 0 0 0 cbnull+9; honest", .answers = "rpc" },
	{ "reverse_credit_max", "N-07 D-10", V41,
	  .reply = "x+9 2 ffffffff 0 0 0 0 0 0 cbnull+9; honest",
	  .answers = "rpc" },
	{ "reverse_full_size", "D-16 B-21 X-71", V41,
	  .reply = "x+9 2 1 0 0 0 0 0 0 cbnull+9 to:4096; honest",
	  .answers = "rpc" },
	{ "reverse_handle_nominated", "B-35 B-38 B-43 N-28 X-80", V41,
	  .reply = "x+9 2 1 0 0 12345678 0 0 0 cbnull+9; "
	  "x+10 2 1 0 0 ffffffff 0 0 0 cbnull+10; "
	  "x+11 2 1 0 0 0 0 0 0 cbnull+11; honest",
	  .answers = "rpc; rpc; rpc" },
	{ "reverse_handle_nominated_reqreminv", "B-39 B-35 B-38 B-43 N-28", V41,
	  .probe = "x 2 20 5 1 1 [ 2 1 4 1000 2 4 1 1 3 ]",
	  .reply = "x+9 2 1 0 0 12345678 0 0 0 cbnull+9; "
	  "x+10 2 1 0 0 0 0 0 0 cbnull+10; honest",
	  .answers = "rpc; rpc" },
	{ "reverse_rpc_garbled", "N-35 B-72", V41,
	  .reply = "x+9 2 1 0 0 0 0 0 0 null+9; honest", .answers = "rpc" },
	{ "reverse_lists", "N-33 D-28 A-21 D-26", V41,
	  .reply = "x+9 2 1 0 0 0 1 40 " SEG "0 0 0 cbnull+9; "
	  "x+9 2 1 0 0 0 0 1 1 " SEG "0 0 cbnull+9; "
	  "x+9 2 1 0 0 0 0 0 1 1 " SEG "cbnull+9; "
	  "x+9 2 1 1 0 0 1 0 " SEG "0 0 0; " REV "honest",
	  .answers = "xdr; xdr; xdr; xdr; rpc" },
	{ "reverse_bad", "N-02 N-11 N-12 N-17 N-18 N-23 B-64", V41,
	  .reply = "x+9 2 1 0 0 0 0 0; x+9 2 1 0 2 0 0 0 0 cbnull+9; "
	  "x+9 2 1 0 0 0 2 0 0 cbnull+9; x+9 2 1 0 0 0 0 0 0; "
	  "x+9 2 1 0 0 0 0 0 0 cbnull+8; x+9 2 1 1 0 0 0 0 0; " REV "honest",
	  .answers = "xdr; xdr; xdr; xdr; xdr; xdr; rpc" },
	{ "reverse_versions", "N-03 N-04 B-93", V41,
	  .reply = "x+9 1 1 0 0 0 0 cbnull+9; x+9 3 1 0 0 0 0 0 0 cbnull+9; "
	  REV "honest", .answers = "rpc" },
	{ "reverse_proc", "N-06 B-63", V41,
	  .reply = "x+9 2 1 9 0 0 0 0 0 cbnull+9; " REV "honest",
	  .answers = "proc; rpc" },
	{ "reverse_then_error", "B-10 B-74 B-75 N-43", V41,
	  .reply = REV "x+9 2 20 4 2; x+9 2 20 4 5; honest", .answers = "rpc" },
	{ "reverse_then_reply", "D-02 N-30 B-11", V41,
	  .reply = REV "x+9 2 20 0 1 0 0 0 0 rpc @0=1234 @36=1234; honest",
	  .answers = "rpc" },
	{ "reverse_with_control", "X-28 A-39 A-12", V41,
	  .reply = "x+9 2 1 0 0 0 0 0 0 cbnull+9; x+9 2 20 5 0 9 [ ]; " REV
	  "honest", .answers = "rpc; opt; rpc" },
};

const unsigned int nr_cases_srv_reverse = ARRAY_SIZE(cases_srv_reverse);
