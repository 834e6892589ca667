// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the server role: as many reverse Calls as the client has granted,
 * and more than that. As in cases_srv_reverse.c, they come before the answer to
 * the first COMPOUND of a mount, or behind it, when the client gives up what would
 * serve them. And forward Calls that nobody waits for any more, which keep their
 * credits: see steps.c.
 */
#include <errno.h>

#include "server.h"

#define NOMNT(err)	.proc = NFS4_COMPOUND, .flags = S_V41 | S_NOMNT, \
			.want = err
#define V41		NOMNT(EPROTONOSUPPORT)
#define V41_EIO		NOMNT(EIO)
#define CREDITS(c)	.probe = "x 2 " #c " 5 1 1 [ 2 1 4 1000 2 4 0 0 ]", \
			.grant = c
#define GROUPS		.lay = "7:4096", .flags = S_RT | S_CONT
#define ASK(c)		"x+9 2 " c " 0 0 0 0 0 0 cbnull+9; "
#define ONE(n, c)	"x+" n " 2 " c " 0 0 0 0 0 0 cbnull+" n "; "
#define EIGHT(c)	ONE("10", c) ONE("11", c) ONE("12", c) ONE("13", c) \
			ONE("14", c) ONE("15", c) ONE("16", c) ONE("17", c)
#define EIGHT_MORE(c)	ONE("18", c) ONE("19", c) ONE("20", c) ONE("21", c) \
			ONE("22", c) ONE("23", c) ONE("24", c) ONE("25", c)
#define SIXTEEN(c)	EIGHT(c) EIGHT_MORE(c)

/**
 * check_kept - all of them were answered, over the connection they came by
 * @s: the server
 */
static void check_kept(struct srv *s)
{
	if (s->t.nr_reverse != 17)
		result_fail(s->r, "%u of 17 reverse Calls answered",
			    s->t.nr_reverse);
	if (s->nr_sc != 1)
		result_fail(s->r, "the client closed the connection");
}

/**
 * check_overrun - the client has had enough
 * @s: the server
 *
 * One that answers each Call before the next is there sees no overrun. It is
 * not that quick every time, and is never asked for more than one credit.
 */
static void check_overrun(struct srv *s)
{
	if (s->nr_sc < 2)
		result_fail(s->r, "the client bears %u Calls, sixteen at a time",
			    s->t.nr_reverse);
}

/**
 * all_ended - is no connection of the client's left?
 * @s: the server
 *
 * Return: true if so.
 */
static bool all_ended(const struct srv *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_sc; i++)
		if (!s->sc[i].dead)
			return false;
	return true;
}

/**
 * check_ended - the connection has ended with the mount
 * @s: the server
 *
 * Reverse Calls that the client has not come to by then must not keep it.
 */
static void check_ended(struct srv *s)
{
	u64 end = now_ms() + cfg.timeout;

	while (!all_ended(s) && now_ms() < end) {
		srv_poll(s);
		nap();
	}
	if (!all_ended(s))
		result_fail(s->r, "the mount has ended, its connection has not");
}

const struct srv_case cases_srv_credit[] = {
	{ "reverse_grant_is_what_was_asked", "D-07 D-09 D-13 D-14 D-21 A-27", V41,
	  .reply = ASK("5") ASK("1") ASK("0") ASK("2") "honest",
	  .answers = "rpc credit:5; rpc credit:1; rpc credit:1; rpc credit:2" },
	{ "reverse_grant_used_up", "D-06 D-07 D-12 D-17 D-18", V41,
	  .reply = ASK("10") "await; together; " SIXTEEN("10") "answered; honest",
	  .check = check_kept },
	{ "reverse_overrun", "D-15 A-28 N-10", V41,
	  .reply = "together; " SIXTEEN("1") "answered; repeat 64; pause; honest",
	  .check = check_overrun },
	{ "reverse_behind_refusal", "D-34 N-34 D-02", V41,
	  .reply = ASK("10") "together; honest; " SIXTEEN("10") "answered 1",
	  .check = check_ended },
	{ "reverse_around_refusal", "D-34 N-34 D-02", V41,
	  .reply = ASK("10") "together; " EIGHT("10") "honest; " EIGHT_MORE("10")
	  "answered 1", .check = check_ended },
	{ "reverse_behind_error", "D-34 N-34 D-02 B-78", V41_EIO,
	  .reply = ASK("10") "together; x 2 20 4 2; " SIXTEEN("10") "answered 1",
	  .check = check_ended },
	{ "killed_calls_keep_credits", "A-70 D-12 D-18 N-30", CREDITS(2),
	  .steps = "kill statfs; kill statfs; kill statfs => none; "
	  "kill statfs => none; late; do stat; kill statfs; do stat; "
	  "kill statfs; kill statfs => none; late; do read131072" },
	{ "killed_calls_error_grants", "B-76 A-14 D-12", CREDITS(1),
	  .steps = "kill statfs; kill statfs => none; answer x 2 3 4 2; "
	  "kill statfs; kill statfs; kill statfs; kill statfs => none; "
	  "answer x 2 4 4 3 1 0 0; kill statfs; kill statfs; kill statfs => none; "
	  "answer x 2 1 4 4; kill statfs => none; late; do stat" },
	{ "ask_error_grants", "B-76 A-14 X-28", CREDITS(1),
	  .steps = "ask rbsiz 16384; await req:1=4000; kill statfs => none; "
	  "answer q 2 3 4 5; kill statfs; kill statfs; kill statfs; "
	  "kill statfs => none; late; do stat" },
	{ "killed_calls_never_answered", "A-70 D-12", CREDITS(1),
	  .flags = S_DISC, .steps = "kill statfs; do stat; do read131072" },
	{ "group_killed", "A-70 C-22 D-12 N-30", GROUPS, .grant = 5,
	  .steps = "kill group acl800; kill statfs; kill statfs; "
	  "kill statfs => none; late; do acl800 => group; kill group acl800; "
	  "kill statfs; kill statfs; kill statfs => none; late; do stat" },
	{ "group_killed_and_reported", "A-70 E-20 N-213", GROUPS, .grant = 5,
	  .steps = "kill group acl800; kill statfs; kill statfs; "
	  "q 2 20 5 1 8 [ q 0 1 1 q 0 0 4 1 2 ]; "
	  "kill statfs; kill statfs; kill statfs; kill statfs => none; late; "
	  "do acl800 => long" },
	{ "group_killed_and_refused", "A-70", GROUPS, .grant = 5,
	  .steps = "kill group acl800; kill statfs; kill statfs; q 2 20 4 2; "
	  "kill statfs; kill statfs; kill statfs; kill statfs => none; late; "
	  "do acl800 => group" },
	{ "group_killed_never_answered", "A-70 D-12", GROUPS | S_DISC, .grant = 3,
	  .steps = "kill group acl800; do stat; do acl800 => group; "
	  "kill statfs; kill statfs; kill statfs; kill statfs => none; late" },
	{ "ask_never_answered", "A-41 A-70 X-28", CREDITS(1), .flags = S_DISC,
	  .steps = "ask rbsiz 16384; await req:1=4000; do stat; do read131072" },
};

const unsigned int nr_cases_srv_credit = ARRAY_SIZE(cases_srv_credit);
