// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the client role: characteristics that change while the connection
 * is in use. What holds for the server's Sends is read off READs, as in
 * cases_chars.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "rpc.h"

#define REQ		"x 2 20 5 0 2 "
#define UPD		"x 2 20 5 0 4 "
#define READ2000	MSG "0 " LISTS "read:0:2000 "
#define READ8000	MSG "0 " LISTS "read:0:8000 "
#define FITS		"=> reply;"
#define SHORT		"=> cant:1:0:r2000;"
#define SHORT8		"=> cant:1:0:r8000;"
#define INTO_0		"0 1 1 seg0:8000 0 0 read:0:8000 "

#define UPD_CALLS	500
#define FLOOD		200

/**
 * full_send - a Send of exactly some size is taken
 * @s: the client
 * @size: the size
 */
static void full_send(struct cli *s, u32 size)
{
	char t[128];

	snprintf(t, sizeof(t), MSG "0 " LISTS "write:8192:%u",
		 (size - 36 - rpc_write_pos()) & ~3u);
	cli_step(s, t, "reply");
}

/**
 * await_upd - wait for the server to end what is pending
 * @s: the client
 *
 * Receives are replaced as they are used up: there must be some traffic.
 *
 * Return: true if it did.
 */
static bool await_upd(struct cli *s)
{
	int i;

	for (i = 0; i < UPD_CALLS && !s->c->gone; i++) {
		if (s->nr_upd && s->upd.pendclr)
			return true;
		if (cli_null(s, 2))
			return false;
	}
	result_fail(s->r, "what is pending never ends");
	return false;
}

/**
 * run_raise - ask for larger receives, and use what was agreed
 * @s: the client
 *
 * The server may do it now, later, or not at all.
 */
static void run_raise(struct cli *s)
{
	u32 want = 2 * s->peer.rbsiz, got = s->peer.rbsiz;
	char t[128];

	snprintf(t, sizeof(t), REQ "[ 1 1 4 %x ]", want);
	if (cli_step(s, t, "all:1"))
		return;
	if (!cli_holds(s, "pend:0")) {
		if (cli_step(s, t, "rej:1") || !await_upd(s))
			return;
		got = s->upd.value;
	} else if (cli_holds(s, "done:1")) {
		got = want;
	}
	if (got < s->peer.rbsiz || got > want)
		result_fail(s->r, "RBSIZ %u instead of %u", got, want);
	full_send(s, got);
}

/**
 * run_many - forty elements, and a bit for each
 * @s: the client
 */
static void run_many(struct cli *s)
{
	cli_step(s, REQ "[ 28 rep:40 63 0 end ]", "all:40 rej:ffffffff.ff");
}

/**
 * run_nochg - what the server says will not change is not changed
 * @s: the client
 */
static void run_nochg(struct cli *s)
{
	if (s->peer.nochg & 1)
		cli_step(s, REQ "[ 1 1 4 1000 ]", "all:1 rej:1");
	if (s->peer.nochg & 2)
		cli_step(s, REQ "[ 1 2 4 1 ]", "all:1 rej:1");
	if (!(s->peer.nochg & 3))
		result_skip(s->r, "the server's INITXCH lists nothing");
}

/**
 * run_refuse - refuse every OPTIONAL of the server's by INVAL_OPTION
 * @s: the client
 *
 * Whatever is pending, the refusal must be borne.
 */
static void run_refuse(struct cli *s)
{
	char t[128];

	snprintf(t, sizeof(t), REQ "[ 1 1 4 %x ]", 2 * s->peer.rbsiz);
	if (cli_step(s, t, "all:1"))
		return;
	if (!cli_holds(s, "pend:0") && await_upd(s))
		cli_step(s, "x 2 20 4 5 @0=0", "drop");
	cli_step(s, REQ "[ 0 ]", "all:0");
}

/**
 * run_flood - many updates and requests, one after the other
 * @s: the client
 */
static void run_flood(struct cli *s)
{
	int i;

	for (i = 0; i < FLOOD; i++)
		if (cli_step(s, UPD "[ 1 4 400 0 ]", "drop") ||
		    cli_step(s, UPD "[ 1 4 1000 1 ]", "drop") ||
		    cli_step(s, REQ "[ 2 63 4 0 1 4 400 ]", "all:2 rej:3"))
			return;
	cli_script(s, READ2000 FITS);
}

const struct cli_case cases_xchg[] = {
	{ "reqxch_empty_all", "N-87 X-42 X-45 X-49 X-27 X-28",
	  REQ "[ 0 ] => all:0;" REQ "[ 0 ] => all:0" },
	{ "reqxch_before_initxch", "X-42 A-31 X-27",
	  REQ "[ 0 ] => all:0|opt;" NULLMSG "=> reply", C_RAW },
	{ "reqxch_unknown", "X-47 N-85 X-07 X-01 X-49",
	  REQ "[ 1 63 4 0 ] => all:1 rej:1;"
	  REQ "[ 2 63 0 ffffff7f 3 aabbcc00 ] => all:2 rej:3" },
	{ "reqxch_many", "X-09 A-46 X-49", NULL, .run = run_many },
	{ "reqxch_rbsiz_low", "N-102 X-78 A-52",
	  REQ "[ 1 1 4 0 ] => all:1 rej:1;" REQ "[ 1 1 4 3ff ] => all:1 rej:1;"
	  REQ "[ 1 1 4 400 ] => all:1 rej:1;"
	  REQ "[ 1 1 4 fff ] => all:1 rej:1" },
	{ "reqxch_rbsiz_same", "X-43 X-46 X-49 X-66",
	  REQ "[ 1 1 4 1000 ] => all:1 pend:0" },
	{ "reqxch_rbsiz_raise", "X-43 X-48 X-53 X-75 X-71 X-62 X-64 X-66",
	  NULL, .run = run_raise },
	{ "reqxch_mixed", "X-41 X-43 X-49 X-47 X-08",
	  REQ "[ 3 63 4 1 1 4 1000 ffffff22 0 ] => all:3" },
	{ "reqxch_nochg", "N-102 X-54 X-33", NULL, .run = run_nochg },
	{ "reqxch_not_the_servers", "X-43 X-47 A-54 X-82",
	  REQ "[ 1 3 4 0 ] => all:1 rej:1;" REQ "[ 1 2 4 1 ] => all:1 rej:1" },
	{ "reqxch_placement", "X-43 X-47 A-61",
	  REQ "[ 1 4 [ 1000 1 1 1000 1 0 ] ] => all:1 rej:1;"
	  REQ "[ 3 5 4 8 6 4 8 ffffff03 4 7 ] => all:3" },
	{ "reqxch_bad_count", "N-81 S-11",
	  REQ "[ ffffffff ] => xdr;" REQ "[ 2 1 4 1000 ] => xdr;"
	  REQ "[ 15555556 0 ] => xdr" },
	{ "reqxch_bad_data", "N-82 N-83 N-84 X-03 X-04 X-05 X-06 X-11",
	  REQ "[ 1 1 8 1000 ] => xdr;" REQ "[ 1 63 fffffffd 1 ] => xdr;"
	  REQ "[ 1 1 3 0 ] => xdr;" REQ "[ 1 1 8 1000 0 ] => xdr;"
	  REQ "[ 2 1 4 1000 2 4 2 ] => xdr;" REQ "[ 1 3 4 3 ] => xdr" },
	{ "reqxch_twice", "N-86 X-12 A-45",
	  REQ "[ 2 1 4 1000 1 4 1000 ] => xdr;"
	  REQ "[ 2 63 0 63 0 ] => all:2 rej:3" },
	{ "reqxch_left_over", "N-66 A-17",
	  REQ "[ 0 0 ] => xdr;" REQ "[ 1 1 4 1000 0 ] => xdr;" REQ "[ ] => xdr" },
	{ "reqxch_payload", "N-70 A-16", REQ "[ 0 ] null => all:0" },
	{ "reqxch_wrong_way", "N-101", OPTR "2 [ 0 ] => drop" },
	{ "reqxch_refused_update", "X-29 X-44 B-52",
	  NULL, .run = run_refuse },
	{ "respxch_unknown_xid", "N-103 X-45 A-39",
	  OPTR "3 [ 0 0 0 ] => drop;" OPTR "3 [ 1 1 0 0 ] => drop" },
	{ "respxch_bad", "N-104 N-89",
	  OPTR "3 [ ] => drop;" OPTR "3 [ 0 0 ] => drop;"
	  OPTR "3 [ 0 0 ffffffff ] => drop;" OPTR "3 [ 0 0 0 0 ] => drop" },
	{ "respxch_overlap", "N-105 N-88 X-50",
	  OPTR "3 [ 1 1 1 1 1 1 ] => drop;"
	  OPTR "3 [ 2 ffffffff ffffffff 0 0 ] => drop" },
	{ "respxch_wrong_way", "N-106",
	  "x 2 20 5 0 3 [ 0 0 0 ] => xdr" },
	{ "updxch_raise", "X-61 X-65 X-67 A-48",
	  INIT "[ 1 1 4 1000 0 ] => init;" READ8000 SHORT8
	  UPD "[ 1 4 4000 0 ] => drop;" READ8000 "=> reply|cant:1:0:r8000;"
	  READ2000 FITS, C_RAW | C_BIG },
	{ "updxch_lower", "N-110 X-61 X-72",
	  READ2000 FITS UPD "[ 1 4 400 0 ] => drop;" READ2000 SHORT
	  MSG "0 0 0 1 1 seg0:8000 read:0:2000 => long;"
	  UPD "[ 1 4 1000 0 ] => drop;" READ2000 FITS },
	{ "updxch_pendclr", "N-109 A-51 X-68",
	  UPD "[ 1 4 400 1 ] => drop;" READ2000 SHORT },
	{ "updxch_nochg", "N-109 A-51",
	  INIT "[ 1 1 4 1000 1 1 ] => init;" UPD "[ 1 4 400 0 ] => drop;"
	  READ2000 SHORT, C_RAW },
	{ "updxch_left_out_before", "A-48 X-61",
	  INIT "[ 0 0 ] => init;" UPD "[ 1 4 400 0 ] => drop;" READ2000 SHORT,
	  C_RAW },
	{ "updxch_rbsiz_below_1024", "N-93 A-52",
	  UPD "[ 1 4 3ff 0 ] => drop;" READ2000 FITS },
	{ "updxch_rbsiz_max", "N-95",
	  UPD "[ 1 4 ffffffff 0 ] => drop;" READ2000 FITS, C_BIG },
	{ "updxch_bad_pendclr", "N-107",
	  UPD "[ 1 4 400 2 ] => xdr;" UPD "[ 1 4 400 ffffffff ] => xdr;"
	  OPTR "4 [ 1 4 400 2 ] => drop;" READ2000 FITS },
	{ "updxch_bad_value", "N-108 X-04 X-05 X-06 X-11",
	  UPD "[ 2 4 2 0 ] => xdr;" UPD "[ 3 4 3 0 ] => xdr;"
	  UPD "[ 1 3 400 0 ] => xdr;" UPD "[ 1 8 400 0 0 ] => xdr;"
	  OPTR "4 [ 2 4 2 0 ] => drop;" READ2000 FITS },
	{ "updxch_cut", "N-66 N-82 X-03",
	  UPD "[ ] => xdr;" UPD "[ 1 4 400 ] => xdr;" UPD "[ 1 4 400 0 0 ] => xdr;"
	  UPD "[ 1 ffffffff 400 0 ] => xdr;" UPD "[ 63 8 0 0 ] => xdr;"
	  OPTR "4 [ 1 4 400 ] => drop;" READ2000 FITS },
	{ "updxch_unknown", "N-85 X-07 X-36",
	  UPD "[ 63 4 400 0 ] => drop;" UPD "[ ffffff7f 0 1 ] => drop;"
	  UPD "[ 63 5 1 2 0 ] => drop" },
	{ "updxch_reply", "A-40 X-61",
	  OPTR "4 [ 1 4 400 0 ] => drop;" READ2000 SHORT },
	{ "updxch_payload", "N-70 A-16",
	  UPD "[ 1 4 400 0 ] ff:40 => drop;" READ2000 SHORT },
	{ "updxch_reqreminv", "X-61 X-79 X-81",
	  MSG "h0 " INTO_0 "=> reply data:0:8000;"
	  UPD "[ 2 4 1 0 ] => drop;" MSG "h0 " INTO_0 "=> reply swi0;"
	  MSG "0 " INTO_0 "=> disc" },
	{ "updxch_reqreminv_off", "X-61 X-80",
	  UPD "[ 2 4 0 0 ] => drop;" MSG "h0 " INTO_0 "=> reply data:0:8000;"
	  MSG "h0 " INTO_0 "=> reply data:0:8000", C_INV },
	{ "updxch_brs", "X-61 X-84",
	  UPD "[ 3 4 0 0 ] => drop;" UPD "[ 3 4 2 0 ] => drop;"
	  UPD "[ 3 4 1 0 ] => drop" },
	{ "updxch_many", "N-112 A-41",
	  UPD "[ 1 4 400 0 ] => drop;" UPD "[ 1 4 1000 0 ] => drop;"
	  UPD "[ 1 4 400 0 ] => drop;" UPD "[ 1 4 1000 1 ] => drop;"
	  UPD "[ 1 4 400 0 ] => drop;" REQ "[ 0 ] => all:0;" READ2000 SHORT },
	{ "xch_flood", "N-112 S-04", NULL, .run = run_flood },
	{ "xch_interleaved", "X-28 A-39 A-12",
	  REQ "[ 0 ] => all:0;" NULLMSG "=> reply;" UPD "[ 1 4 1000 0 ] => drop;"
	  REQ "[ 1 63 0 ] => rej:1;" "x 2 20 4 5 => drop;" NULLMSG "=> reply" },
};

const unsigned int nr_cases_xchg = ARRAY_SIZE(cases_xchg);
