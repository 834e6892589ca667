// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the server role: characteristics that change while the connection
 * is in use. An operation is answered by control messages and then by its
 * honest reply; what the client makes of them is read off its next Sends.
 */
#include <errno.h>

#include "server.h"

#define REQ		"x+5 2 20 5 0 2 "
#define UPD		"x+6 2 20 5 0 4 "
#define UPDR		"x+6 2 20 5 1 4 "
#define RESP		"x+7 2 20 5 1 3 "
#define RESPC		"x+7 2 20 5 0 3 "
#define STATFS		.op = "statfs", .proc = NFS3_FSSTAT

/* Of a client whose RBSIZ can change */
#define SMALL		STATFS, .flags = S_CHUNKS

#define SETTLE_OPS	40

/**
 * next_write - have the client write, and look at its Sends
 * @s: the server
 * @op: the write
 * @most: longest Send that is right
 * @least: shortest value that the longest Send may have
 */
static void next_write(struct srv *s, const char *op, size_t most,
		       size_t least)
{
	s->t.longest = 0;
	srv_current(s)->own_limit = most;
	if (srv_op(s, op, 0))
		return;
	if (s->t.longest > most || s->t.longest < least)
		result_fail(s->r, "%s: longest Send %zu, not %zu to %zu", op,
			    s->t.longest, least, most);
}

/**
 * check_lower - Sends have 1024 bytes at most
 * @s: the server
 */
static void check_lower(struct srv *s)
{
	next_write(s, "write1500", V1_INLINE, 1);
}

/**
 * check_default - Sends may still have 4096 bytes, and have
 * @s: the server
 */
static void check_default(struct srv *s)
{
	next_write(s, "write3000", DEFAULT_INLINE, 3000);
}

/**
 * check_raised - Sends may have 16384 bytes
 * @s: the server
 *
 * How long the client's own buffers are is its own affair.
 */
static void check_raised(struct srv *s)
{
	next_write(s, "write3000", 16384, 3000);
	next_write(s, "write8192", 16384, 1);
}

/**
 * check_settled - nothing is left pending
 * @s: the server
 *
 * Receives are replaced as they are used up: there must be some traffic.
 */
static void check_settled(struct srv *s)
{
	int i;

	for (i = 0; s->t.pending && i < SETTLE_OPS; i++)
		if (srv_op(s, "read131072", 0))
			return;
	if (s->t.pending)
		result_fail(s->r, "what is pending never ends");
}

const struct srv_case cases_srv_xchg[] = {
	{ "reqxch_empty_all", "N-87 X-24 X-42 X-45 X-49 X-27 X-28", STATFS,
	  .reply = REQ "[ 0 ]; " REQ "[ 0 ]; honest", .answers = "all:0; all:0" },
	{ "reqxch_unknown", "X-47 N-85 X-07 X-01 X-49", STATFS,
	  .reply = REQ "[ 1 63 4 0 ]; " REQ "[ 2 63 0 ffffff7f 3 aabbcc00 ]; "
	  "honest", .answers = "all:1 rej:1; all:2 rej:3" },
	{ "reqxch_many", "X-09 A-46 X-49", STATFS,
	  .reply = REQ "[ 28 rep:40 63 0 end ]; honest",
	  .answers = "all:40 rej:ffffffff.ff" },
	{ "reqxch_rbsiz_low", "N-102 X-78 A-52", STATFS,
	  .reply = REQ "[ 1 1 4 0 ]; " REQ "[ 1 1 4 400 ]; "
	  REQ "[ 1 1 4 fff ]; honest",
	  .answers = "all:1 rej:1; all:1 rej:1; all:1 rej:1" },
	{ "reqxch_rbsiz_same", "X-43 X-46 X-49 X-66", SMALL,
	  .reply = REQ "[ 1 1 4 1000 ]; honest", .answers = "all:1" ,
	  .check = check_settled },
	{ "reqxch_rbsiz_raise", "X-23 X-43 X-48 X-62 X-64 X-65 X-66 X-75 X-76", SMALL,
	  .reply = REQ "[ 1 1 4 4000 ]; honest", .answers = "all:1",
	  .check = check_settled },
	{ "reqxch_again_while_pending", "X-53 N-102 A-49", SMALL,
	  .reply = REQ "[ 1 1 4 4000 ]; x+8 2 20 5 0 2 [ 1 1 4 8000 ]; honest",
	  .answers = "all:1; all:1", .check = check_settled },
	{ "reqxch_mixed", "X-41 X-43 X-47 X-49 X-08", SMALL,
	  .reply = REQ "[ 3 63 4 1 1 4 1000 ffffff22 0 ]; honest",
	  .answers = "all:3", .check = check_settled },
	{ "reqxch_reqreminv", "X-43 X-82 N-102", STATFS,
	  .reply = REQ "[ 1 2 4 0 ]; " REQ "[ 1 2 4 1 ]; honest",
	  .answers = "all:1; all:1" },
	{ "reqxch_brs", "X-43 N-102", STATFS,
	  .reply = REQ "[ 1 3 4 1 ]; " REQ "[ 1 3 4 2 ]; honest",
	  .answers = "all:1; all:1" },
	{ "reqxch_bad_count", "N-81 S-11", STATFS,
	  .reply = REQ "[ ffffffff ]; " REQ "[ 2 1 4 1000 ]; "
	  REQ "[ 15555556 0 ]; honest", .answers = "xdr; xdr; xdr" },
	{ "reqxch_bad_data", "N-82 N-83 N-84 X-03 X-04 X-05 X-06 X-11", STATFS,
	  .reply = REQ "[ 1 1 8 1000 ]; " REQ "[ 1 63 fffffffd 1 ]; "
	  REQ "[ 1 1 3 0 ]; " REQ "[ 2 1 4 1000 2 4 2 ]; honest",
	  .answers = "xdr; xdr; xdr; xdr" },
	{ "reqxch_twice", "N-86 X-12 A-45", STATFS,
	  .reply = REQ "[ 2 1 4 1000 1 4 1000 ]; " REQ "[ 2 63 0 63 0 ]; "
	  "honest", .answers = "xdr; all:2 rej:3" },
	{ "reqxch_left_over", "N-66 A-17", STATFS,
	  .reply = REQ "[ 0 0 ]; " REQ "[ ]; " REQ "[ 1 1 4 1000 0 ]; honest",
	  .answers = "xdr; xdr; xdr" },
	{ "reqxch_payload", "N-70 A-16", STATFS,
	  .reply = REQ "[ 0 ] null; honest", .answers = "all:0" },
	{ "reqxch_wrong_way", "N-101", STATFS,
	  .reply = "x+5 2 20 5 1 2 [ 0 ]; honest" },
	{ "reqxch_same_xid", "A-39 X-45 A-12", STATFS,
	  .reply = "x 2 20 5 0 2 [ 0 ]; honest", .answers = "all:0" },
	{ "reqxch_crossing", "A-49 A-12 X-27", SMALL,
	  .reply = REQ "[ 1 1 4 2000 ]; " UPD "[ 1 4 1000 0 ]; "
	  "x+5 2 20 4 5; honest", .answers = "all:1",
	  .check = check_settled },
	{ "reqxch_refused_update", "X-29 X-44 B-52 A-41", SMALL,
	  .reply = REQ "[ 1 1 4 4000 ]; x+5 2 20 4 5; x+8 2 20 4 5; honest",
	  .answers = "all:1", .check = check_settled },
	{ "reqxch_flood", "N-112 A-41", STATFS,
	  .reply = REQ "[ 0 ]; " REQ "[ 0 ]; " REQ "[ 0 ]; " REQ "[ 0 ]; "
	  REQ "[ 0 ]; " REQ "[ 0 ]; " REQ "[ 0 ]; " REQ "[ 0 ]; honest",
	  .answers = "all:0;all:0;all:0;all:0;all:0;all:0;all:0;all:0" },
	{ "respxch_unknown_xid", "N-103 A-39", STATFS,
	  .reply = RESP "[ 0 0 0 ]; " RESP "[ 1 1 0 0 ]; "
	  "x 2 20 5 1 3 [ 0 0 0 ]; honest" },
	{ "respxch_bad", "N-104 N-89", STATFS,
	  .reply = RESP "[ ]; " RESP "[ 0 0 ]; " RESP "[ 0 0 ffffffff ]; "
	  RESP "[ 0 0 0 0 ]; honest" },
	{ "respxch_overlap", "N-105 N-88 X-50", STATFS,
	  .reply = RESP "[ 1 1 1 1 1 1 ]; "
	  RESP "[ 2 ffffffff ffffffff 0 0 ]; honest" },
	{ "respxch_wrong_way", "N-106", STATFS,
	  .reply = RESPC "[ 0 0 0 ]; honest", .answers = "xdr" },
	{ "updxch_lower", "N-110 X-61 X-69 X-72", STATFS,
	  .reply = UPD "[ 1 4 400 0 ]; honest", .check = check_lower },
	{ "updxch_lower_and_back", "X-61 X-67 X-72", STATFS,
	  .reply = UPD "[ 1 4 400 0 ]; " UPD "[ 1 4 1000 0 ]; honest",
	  .check = check_default },
	{ "updxch_raise", "X-61 X-65 X-72 X-73", STATFS,
	  .reply = UPD "[ 1 4 4000 0 ]; honest", .check = check_raised },
	{ "updxch_pendclr", "N-109 A-51 X-68", STATFS,
	  .reply = UPD "[ 1 4 400 1 ]; honest", .check = check_lower },
	{ "updxch_nochg", "N-109 A-51 X-33", STATFS,
	  .probe = "x 2 20 5 1 1 [ 1 1 4 1000 1 1 ]",
	  .reply = UPD "[ 1 4 400 0 ]; honest", .check = check_lower },
	{ "updxch_left_out_before", "A-48 X-61", STATFS,
	  .probe = "x 2 20 5 1 1 [ 0 0 ]",
	  .reply = UPD "[ 1 4 400 0 ]; honest", .check = check_lower },
	{ "updxch_without_initxch", "A-31 X-61", .op = "statfs",
	  .proc = NFS3_FSSTAT, .probe = "x 2 20 4 5",
	  .reply = UPD "[ 1 4 400 0 ]; honest", .flags = S_ANYBACK },
	{ "updxch_rbsiz_below_1024", "N-93 A-52", STATFS,
	  .reply = UPD "[ 1 4 3ff 0 ]; honest", .check = check_default },
	{ "updxch_rbsiz_max", "N-95", STATFS,
	  .reply = UPD "[ 1 4 ffffffff 0 ]; honest", .check = check_raised },
	{ "updxch_bad_pendclr", "N-107", STATFS,
	  .reply = UPD "[ 1 4 400 2 ]; " UPD "[ 1 4 400 ffffffff ]; "
	  UPDR "[ 1 4 400 2 ]; honest", .answers = "xdr; xdr",
	  .check = check_default },
	{ "updxch_bad_value", "N-108 X-04 X-05 X-06 X-11", STATFS,
	  .reply = UPD "[ 2 4 2 0 ]; " UPD "[ 1 3 400 0 ]; "
	  UPD "[ 1 8 400 0 0 ]; " UPDR "[ 2 4 2 0 ]; honest",
	  .answers = "xdr; xdr; xdr", .check = check_default },
	{ "updxch_cut", "N-66 N-82 X-03", STATFS,
	  .reply = UPD "[ ]; " UPD "[ 1 4 400 ]; " UPD "[ 1 4 400 0 0 ]; "
	  UPD "[ 1 ffffffff 400 0 ]; " UPDR "[ 1 4 400 ]; honest",
	  .answers = "xdr; xdr; xdr; xdr", .check = check_default },
	{ "updxch_unknown", "N-85 X-07 X-36", STATFS,
	  .reply = UPD "[ 63 4 400 0 ]; " UPD "[ ffffff7f 0 1 ]; honest",
	  .check = check_default },
	{ "updxch_reply", "A-40 X-61", STATFS,
	  .reply = UPDR "[ 1 4 400 0 ]; honest", .check = check_lower },
	{ "updxch_payload", "N-70 A-16", STATFS,
	  .reply = UPD "[ 1 4 400 0 ] ff:40; honest", .check = check_lower },
	{ "updxch_many", "N-112 A-41", STATFS,
	  .reply = UPD "[ 1 4 400 0 ]; " UPD "[ 1 4 1000 0 ]; "
	  UPD "[ 1 4 400 0 ]; " UPD "[ 1 4 1000 1 ]; " UPD "[ 1 4 400 0 ]; "
	  REQ "[ 0 ]; honest", .answers = "all:0", .check = check_lower },
};

const unsigned int nr_cases_srv_xchg = ARRAY_SIZE(cases_srv_xchg);
