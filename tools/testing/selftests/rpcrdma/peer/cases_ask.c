// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the client role: the server asks us to change, and changes of its
 * own accord. See own.c for the steps; what holds for its Sends is read off
 * READs, as in cases_chars.c.
 */
#include "client.h"

#define OWN		C_OWN | C_RAW | C_BIG
#define OWN_SHORT	OWN | C_SHORT

/* Nothing is said to stay as it is, so that anything may be asked for */
#define HELLO		INIT "[ 3 1 4 1000 2 4 0 3 4 1 0 ] => init;"
#define ASK		HELLO "ask rbsiz 16384 => req:1=4000;"
#define ASK_AGAIN	"ask rbsiz 8192 => req:1=2000;" DONE "=> drop;" FITS6
#define REQ		"x 2 20 5 0 2 "
#define UPD		"x 2 20 5 0 4 "
#define RESP		"q 2 20 5 1 3 "
#define DONE		RESP "[ 1 1 0 0 ] "
#define REJECTED	RESP "[ 0 1 1 0 ] "
#define PENDING		RESP "[ 0 0 1 1 ] "
#define READ(n)		MSG "0 " LISTS "read:0:" #n " "
#define FITS6		READ(6000) "=> reply;"
#define FITS12		READ(12000) "=> reply;"
#define SHORT6		READ(6000) "=> cant:1:0:r6000;"
#define SHORT12		READ(12000) "=> cant:1:0:r12000;"
#define FULL(n)		"x 2 20 5 0 9 [ ff:" #n " ] => opt;"
#define INTO_0		"0 1 1 seg0:8000 0 0 read:0:8000 "

const struct cli_case cases_ask[] = {
	{ "ask_done", "X-23 X-27 X-41 X-46 B-06 B-08 B-09 X-28",
	  ASK SHORT6 DONE "=> drop;" FITS12, OWN },
	{ "ask_rejected", "X-43 X-47 C.7-REQUESTED",
	  ASK REJECTED "=> drop;" SHORT6 ASK_AGAIN, OWN },
	{ "ask_pending_complete", "B-54 X-48 X-64 X-66 C.7-PENDING",
	  ASK PENDING "=> drop;" SHORT6 UPD "[ 1 4 4000 1 ] => drop;" FITS12
	  "ask rbsiz 32768 => req:1=8000;" REJECTED "=> drop;" FITS12, OWN },
	{ "ask_pending_partly", "X-64 X-66",
	  ASK PENDING "=> drop;" UPD "[ 1 4 2000 1 ] => drop;" FITS6 SHORT12
	  "ask rbsiz 16384 => req:1=4000;" DONE "=> drop;" FITS12, OWN },
	{ "ask_pending_unchanged", "X-64 X-66",
	  ASK PENDING "=> drop;" UPD "[ 1 4 1000 1 ] => drop;" SHORT6 ASK_AGAIN,
	  OWN },
	{ "ask_pending_not_yet", "X-48 X-67",
	  ASK PENDING "=> drop;" UPD "[ 1 4 2000 0 ] => drop;" FITS6 SHORT12
	  "ask rbsiz 32768 => no;" UPD "[ 1 4 4000 1 ] => drop;" FITS12
	  "ask rbsiz 32768 => req:1=8000;" DONE "=> drop", OWN },
	{ "ask_pending_for_long", "X-52",
	  ASK PENDING "=> drop; minutes =>;" SHORT6
	  "ask rbsiz 8192 => no; quiet =>;" UPD "[ 1 4 4000 1 ] => drop;" FITS12,
	  OWN },
	{ "ask_while_pending", "X-53 A-49",
	  ASK "ask rbsiz 8192 => no;" PENDING "=> drop; ask rbsiz 8192 => no;"
	  "quiet =>;" UPD "[ 1 4 1000 1 ] => drop;" SHORT6, OWN },
	{ "ask_one_at_a_time", "X-28 A-41 X-54",
	  ASK "ask reqreminv 1 => ; quiet =>;" DONE "=> drop;"
	  "await => req:2=1;" REJECTED "=> drop;" FITS12, OWN },
	{ "ask_update_first", "X-68 A-51",
	  ASK UPD "[ 1 4 4000 1 ] => drop;" FITS12 DONE "=> drop;" FITS12, OWN },
	{ "ask_update_then_rejected", "X-61 X-68",
	  ASK UPD "[ 1 4 2000 0 ] => drop;" FITS6 REJECTED "=> drop;" FITS6
	  SHORT12, OWN },
	{ "ask_inval_option", "X-29 X-44 B-52 X-21",
	  ASK "q 2 20 4 5 => drop;" SHORT6 "ask rbsiz 8192 => no; quiet =>;"
	  UPD "[ 1 4 2000 0 ] => drop;" FITS6, OWN },
	{ "ask_bad_xdr", "X-44 B-75 C.7-REQUESTED",
	  ASK "q 2 20 4 2 => drop;" SHORT6 ASK_AGAIN, OWN },
	{ "ask_overlap", "N-105 X-50 A-50",
	  ASK RESP "[ 1 1 1 1 0 ] => drop;" SHORT6 ASK_AGAIN, OWN },
	{ "ask_overlap_pending", "N-105 X-50",
	  ASK RESP "[ 1 1 0 1 1 ] => drop;" SHORT6 ASK_AGAIN, OWN },
	{ "ask_gap", "N-105 X-50",
	  ASK RESP "[ 0 0 0 ] => drop;" SHORT6 ASK_AGAIN, OWN },
	{ "ask_excess", "N-88 X-10 X-09",
	  ASK RESP "[ 3 ffffffff 1 2 1 fffffffe 0 ] => drop;" FITS12, OWN },
	{ "ask_unparsable", "N-104 N-89",
	  ASK RESP "[ 1 1 0 ffffffff ] => drop;" SHORT6 ASK_AGAIN, OWN },
	{ "ask_left_over", "N-104 N-66",
	  ASK RESP "[ 1 1 0 0 0 ] => drop;" SHORT6 ASK_AGAIN, OWN },
	{ "ask_answered_twice", "N-103",
	  ASK REJECTED "=> drop;" DONE "=> drop;" SHORT6 ASK_AGAIN, OWN },
	{ "ask_wrong_xid", "N-103 X-45 A-39",
	  ASK "q+1 2 20 5 1 3 [ 1 1 0 0 ] => drop;" SHORT6 DONE "=> drop;" FITS12,
	  OWN },
	{ "ask_wrong_way", "N-106",
	  ASK "q 2 20 5 0 3 [ 1 1 0 0 ] => xdr;" SHORT6 DONE "=> drop;"
	  FITS12, OWN },
	{ "ask_crossing", "X-27 A-12 A-39 A-49",
	  ASK REQ "[ 2 1 4 1000 63 0 ] => all:2 done:1 rej:2;" SHORT6
	  DONE "=> drop;" FITS12, OWN },
	{ "ask_crossing_raise", "X-27 X-53 A-49",
	  ASK REQ "[ 1 1 4 2000 ] => all:1 pend:1;" PENDING "=> drop;" SHORT6
	  "await => upd:1=2000:1;" FULL(8164) FULL(8164)
	  UPD "[ 1 4 4000 1 ] => drop;" FITS12, OWN_SHORT },
	{ "ask_lower", "X-76 X-77 A-99",
	  HELLO "ask rbsiz 2048 => no; quiet =>;" UPD "[ 1 4 4000 0 ] => drop;"
	  "ask rbsiz 4096 => no; quiet =>;" FITS12, OWN },
	{ "ask_never_answered", "X-52 X-15 S-06",
	  ASK SHORT6 FULL(4068), OWN | C_NOEND },
	{ "ask_nochg", "X-54 X-33",
	  INIT "[ 2 1 4 1000 2 4 0 1 1 ] => init; ask rbsiz 16384 => no;"
	  "quiet =>; ask reqreminv 1 => req:2=1;" DONE "=> drop", OWN },
	{ "ask_without_initxch", "A-31 X-24",
	  NULLMSG "=> reply; ask rbsiz 16384 => no; quiet =>;"
	  INIT "[ 1 1 4 1000 0 ] => init; ask rbsiz 16384 => req:1=4000;"
	  DONE "=> drop", OWN },
	{ "ask_reqreminv", "X-46 X-79 X-81",
	  HELLO MSG "h0 " INTO_0 "=> reply data:0:8000;"
	  "ask reqreminv 1 => req:2=1;" DONE "=> drop;"
	  MSG "h0 " INTO_0 "=> reply swi0;" MSG "0 " INTO_0 "=> disc", OWN },
	{ "ask_reqreminv_rejected", "X-47 X-80",
	  HELLO "ask reqreminv 1 => req:2=1;" REJECTED "=> drop;"
	  MSG "h0 " INTO_0 "=> reply data:0:8000;"
	  MSG "h0 " INTO_0 "=> reply data:0:8000", OWN },
	{ "ask_brs", "X-41 X-43 X-84",
	  HELLO "ask brs general => req:3=2;" REJECTED "=> drop", OWN },
	{ "own_raise", "B-06 X-61 X-62 X-65 X-69 X-71 X-75",
	  HELLO "set recv_size 8192 => upd:1=2000:0;" FULL(8164) FULL(8164)
	  FULL(8164) NULLMSG "=> reply", OWN_SHORT },
	{ "own_raise_refused", "X-29 X-32 B-52 X-21",
	  HELLO "set recv_size 8192 => upd:1=2000:0; q 2 20 4 5 => drop;"
	  "set recv_size 12288 => ;" NULLMSG "=> reply; quiet =>;" FULL(4068),
	  OWN_SHORT },
	{ "own_raise_while_busy", "X-53 X-64 X-75",
	  HELLO REQ "[ 1 1 4 3000 ] => pend:1; set recv_size 8192 =>;"
	  "await => upd:1=3000:1; quiet =>;" FULL(12260), OWN_SHORT },
	{ "own_raise_thrice", "X-28 X-61 X-75 A-41 D-19",
	  HELLO "set recv_size 8192 => upd:1=2000:0;"
	  "set recv_size 12288 => upd:1=3000:0;"
	  "set recv_size 16384 => upd:1=4000:0;" FULL(16356) FULL(16356), OWN_SHORT },
	{ "own_raise_no_reqxch", "X-29 X-75 B-52",
	  HELLO "hear =>; set recv_size 8192 => req:; q 2 20 4 5 => drop;"
	  "await => upd:1=2000:0;" FULL(8164) FULL(8164), OWN_SHORT },
	{ "own_raise_unheard", "X-75 X-71",
	  HELLO "hear =>; set recv_size 8192 => req:;" FULL(4068)
	  "await => upd:1=2000:0;" FULL(8164), OWN_SHORT },
	{ "own_lower", "X-76 X-69",
	  HELLO "set recv_size 8192 => upd:1=2000:0; set recv_size 4096 =>;"
	  "quiet =>;" FULL(8164) FULL(8164), OWN_SHORT },
	{ "asked_given_up", "X-64 X-66 X-48",
	  HELLO "hear =>;" REQ "[ 1 1 4 4000 ] => pend:1; await => req:;"
	  "set max_recv_size 8192 =>; await => upd:1=1000:1;" FULL(4068)
	  REQ "[ 1 1 4 4000 ] => rej:1;" REQ "[ 1 1 4 2000 ] => pend:1;"
	  "await => upd:1=2000:1;" FULL(8164), OWN_SHORT },
	{ "asked_then_lower", "X-46 X-76 X-77",
	  HELLO REQ "[ 1 1 4 4000 ] => pend:1; await => upd:1=4000:1;"
	  FULL(16356) REQ "[ 1 1 4 1000 ] => done:1;" FULL(4068) FULL(4068)
	  "quiet =>;" REQ "[ 1 1 4 2000 ] => pend:1; await => upd:1=2000:1;"
	  FULL(8164), OWN_SHORT },
	{ "asked_while_busy", "X-53 N-102 A-49",
	  HELLO "hear =>;" REQ "[ 1 1 4 4000 ] => pend:1; await => req:;"
	  REQ "[ 1 1 4 8000 ] => rej:1;" REQ "[ 1 1 4 1000 ] => rej:1;"
	  RESP "[ 0 0 0 ] => drop; await => req:;" RESP "[ 0 0 0 ] => drop;"
	  "await => req:; await => upd:1=4000:1; quiet =>;"
	  FULL(16356), OWN_SHORT },
};

const unsigned int nr_cases_ask = ARRAY_SIZE(cases_ask);
