// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the client role: reverse Calls that are longer than a Send. They come
 * by XMTREQ and XMTCONT, are put together, and are answered by XMTRESP and by MSG
 * in turn, or when nobody waits any more. What the server makes of bad answers is in
 * cases_rev_resp.c.
 */
#include "rev_long.h"

#define LAY		"7:4096 2*4096p"
#define LONG_CALLS	(C_CONT | C_HAND)

/* Calls of 64 KiB, two at a time, which are answered */
#define ANSWERED	FLOOD("20", "2", "65536", "20000", "answered: 20")

/* Calls that have three seconds, and are not answered in that time */
#define EXPIRE(n, size)	FLOOD(n, n, size, "3000", "failed: " n)

/**
 * run_sound - long Calls, with short ones before and behind them
 * @s: the client
 */
static void run_sound(struct cli *s)
{
	struct session x;

	if (rev_begin(s, &x))
		return;
	rev_call_back(s, ANSWERED);
	if (!s->r->v && rev.whole != 20)
		result_fail(s->r, "%u long Calls", rev.whole);
	if (!s->r->v)
		rev_call_back(s, SHORT);
	if (!s->r->v)
		session_close(&x);
}

/**
 * expire - two long Calls, which the server gives up
 * @s: the client
 *
 * Return: 0, or -1.
 */
static int expire(struct cli *s)
{
	rev.keep = true;
	rev_call_back(s, EXPIRE("2", "65536"));
	rev.keep = false;
	if (!s->r->v && rev.nr_kept != 2)
		result_fail(s->r, "%u long Calls", rev.nr_kept);
	return s->r->v ? -1 : 0;
}

/**
 * run_late - long Calls that are given up keep their credits, and no others
 * @s: the client
 */
static void run_late(struct cli *s)
{
	struct session x;

	if (rev_begin(s, &x) || expire(s))
		return;
	rev_call_back(s, SHORT);
	if (!s->r->v)
		rev_credits_left(s, REV_GRANT - rev.out);
	while (rev.nr_kept)
		rev_answer(s, rev.kept[--rev.nr_kept], false);
	rev.out = 0;
	if (!s->r->v)
		rev_call_back(s, ANSWERED);
	if (!s->r->v)
		session_close(&x);
}

/**
 * run_stuck - long Calls that are given up leave no room for another one
 * @s: the client
 *
 * It is not sent, and when its time is up the connection is of no use.
 */
static void run_stuck(struct cli *s)
{
	struct session x;

	if (rev_begin(s, &x) || expire(s))
		return;
	rev.ends = true;
	rev_call_back(s, EXPIRE("1", "65536"));
}

/**
 * bounded - one Call is too long to be sent, another takes two transmissions
 * @s: the client
 */
static void bounded(struct cli *s)
{
	rev_call_back(s, EXPIRE("1", "65536"));
	if (!s->r->v && rev.whole)
		result_fail(s->r, "%u transmissions of a Call", rev.count);
	rev.least = 16384;
	if (!s->r->v)
		rev_call_back(s, FLOOD("2", "1", "16384", "20000", "answered: 2"));
	if (!s->r->v && (rev.whole != 2 || rev.count != 2))
		result_fail(s->r, "%u Calls, of %u transmissions", rev.whole,
			    rev.count);
	if (!s->r->v)
		rev_call_back(s, SHORT);
}

/**
 * run_bounded - two transmissions are as many as we take
 * @s: the client
 */
static void run_bounded(struct cli *s)
{
	struct session x;

	if (rev_begin(s, &x))
		return;
	bounded(s);
	if (!s->r->v)
		session_close(&x);
}

/**
 * run_few_credits - two transmissions are as many as we grant
 * @s: the client
 */
static void run_few_credits(struct cli *s)
{
	struct session x;

	if (rev_begin(s, &x))
		return;
	rev.grant = 2;
	rev_call_back(s, FLOOD("4", "1", "0", "20000", "answered: 4"));
	if (!s->r->v)
		bounded(s);
	if (!s->r->v)
		session_close(&x);
}

/**
 * run_never - we take no long Calls
 * @s: the client
 */
static void run_never(struct cli *s)
{
	struct session x;

	if (rev_begin(s, &x))
		return;
	rev_call_back(s, EXPIRE("1", "65536"));
	if (!s->r->v && rev.whole)
		result_fail(s->r, "%u transmissions of a Call", rev.count);
	if (!s->r->v)
		rev_call_back(s, SHORT);
	if (!s->r->v)
		session_close(&x);
}

const struct cli_case cases_rev_cont[] = {
	{ "reverse_long", "A-89 D-37 C-01 C-02 C-06 C-07 C-08 C-16 C-17 C-23 C-26 D-12 S-13",
	  .flags = LONG_CALLS, .lay = LAY, .run = run_sound },
	{ "reverse_long_limit_2", "C-12 C-16 X-88 D-27", .flags = LONG_CALLS,
	  .lay = "7/2:4096 2*4096p", .run = run_bounded },
	{ "reverse_long_limit_1", "C-12 C-11 X-88 D-27", .flags = LONG_CALLS,
	  .lay = "7/1:4096 2*4096p", .run = run_never },
	{ "reverse_long_no_xcont", "C-11 C-12 A-57 D-27", .flags = LONG_CALLS,
	  .lay = "3/8:4096 2*4096p", .run = run_never },
	{ "reverse_long_no_xreq", "A-69 C-12 A-57 D-27", .flags = LONG_CALLS,
	  .lay = "6:4096 2*4096p", .run = run_never },
	{ "reverse_long_few_credits", "C-18 C-22 D-12 D-14", .flags = LONG_CALLS,
	  .lay = LAY, .run = run_few_credits },
	{ "reverse_long_late", "A-70 D-12",
	  .flags = LONG_CALLS, .lay = LAY, .run = run_late },
	{ "reverse_long_stuck", "A-70 D-12",
	  .flags = LONG_CALLS, .lay = LAY, .run = run_stuck },
};

const unsigned int nr_cases_rev_cont = ARRAY_SIZE(cases_rev_cont);
