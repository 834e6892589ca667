// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the server role: the client asks us to change, and changes of its
 * own accord. See steps.c for the steps. How long its Sends may be is read off
 * SETACLs, which are too long for 4096 bytes, or for 1024; nothing in them may go
 * by a chunk of its own.
 */
#include "server.h"

/* Nothing is said to stay as it is, so that anything may be asked for */
#define HELLO		.probe = "x 2 20 5 1 1 [ 2 1 4 1000 2 4 0 0 ]"
#define ASK		"ask rbsiz 16384; await req:1=4000; "
#define ASK_AGAIN	"ask rbsiz 8192; await req:1=2000; " DONE FITS(8192)
#define REQ		"x 2 20 5 0 2 "
#define UPD		"x 2 20 5 0 4 "
#define RESP		"q 2 20 5 1 3 "
#define DONE		RESP "[ 1 1 0 0 ]; "
#define REJECTED	RESP "[ 0 1 1 0 ]; "
#define PENDING		RESP "[ 0 0 1 1 ]; "
#define LONG		"do acl400 => long; "
#define FITS(n)		"do acl400 => 4097.." #n "; "
#define SMALL_LONG	"do acl100 => long; "
#define SMALL_FITS	"do acl100 => 1100..4096; "
#define FULL(n)		"x 2 20 5 0 9 [ ff:" #n " ] => opt; "

const struct srv_case cases_srv_ask[] = {
	{ "ask_done", "X-23 X-27 X-41 X-46 B-06 B-08 B-09 X-28 X-73", HELLO,
	  .steps = ASK LONG DONE FITS(16384) },
	{ "ask_rejected", "X-43 X-47 C.7-REQUESTED", HELLO,
	  .steps = ASK REJECTED LONG ASK_AGAIN },
	{ "ask_pending_complete", "B-54 X-48 X-64 X-66 C.7-PENDING", HELLO,
	  .steps = ASK PENDING LONG UPD "[ 1 4 4000 1 ]; " FITS(16384)
	  "ask rbsiz 32768; await req:1=8000; " REJECTED FITS(16384) },
	{ "ask_pending_partly", "X-64 X-66", HELLO,
	  .steps = ASK PENDING UPD "[ 1 4 2000 1 ]; " FITS(8192)
	  "ask rbsiz 16384; await req:1=4000; " DONE FITS(16384) },
	{ "ask_pending_unchanged", "X-64 X-66", HELLO,
	  .steps = ASK PENDING UPD "[ 1 4 1000 1 ]; " LONG ASK_AGAIN },
	{ "ask_pending_not_yet", "X-48 X-67", HELLO,
	  .steps = ASK PENDING UPD "[ 1 4 2000 0 ]; " FITS(8192)
	  "ask rbsiz 32768 => no; " UPD "[ 1 4 4000 1 ]; " FITS(16384)
	  "ask rbsiz 32768; await req:1=8000; " DONE },
	{ "ask_pending_for_long", "X-52", HELLO,
	  .steps = ASK PENDING "minutes; " LONG
	  "ask rbsiz 8192 => no; quiet; " UPD "[ 1 4 4000 1 ]; " FITS(16384) },
	{ "ask_while_pending", "X-53 A-49", HELLO,
	  .steps = ASK "ask rbsiz 8192 => no; " PENDING "ask rbsiz 8192 => no; "
	  "quiet; " UPD "[ 1 4 1000 1 ]; " LONG },
	{ "ask_one_at_a_time", "X-28 A-41", HELLO,
	  .steps = ASK "ask reqreminv 1; quiet; " DONE "await req:2=1; "
	  REJECTED FITS(16384) },
	{ "ask_at_one_credit", "X-28 A-41 D-12 D-18",
	  .probe = "x 2 1 5 1 1 [ 1 1 4 1000 0 ]", .grant = 1,
	  .steps = ASK DONE "do read131072; " FITS(16384) },
	{ "ask_update_first", "X-68 A-51", HELLO,
	  .steps = ASK UPD "[ 1 4 4000 1 ]; " FITS(16384) DONE FITS(16384) },
	{ "ask_update_then_rejected", "X-61 X-68", HELLO,
	  .steps = ASK UPD "[ 1 4 2000 0 ]; " FITS(8192) REJECTED FITS(8192) },
	{ "ask_inval_option", "X-29 X-44 B-52 X-21", HELLO,
	  .steps = ASK "q 2 20 4 5; " LONG "ask rbsiz 8192 => no; quiet; "
	  UPD "[ 1 4 2000 0 ]; " FITS(8192) },
	{ "ask_bad_xdr", "X-44 B-75 C.7-REQUESTED", HELLO,
	  .steps = ASK "q 2 20 4 2; " LONG ASK_AGAIN },
	{ "ask_overlap", "N-105 X-50 A-50", HELLO,
	  .steps = ASK RESP "[ 1 1 1 1 0 ]; " LONG ASK_AGAIN },
	{ "ask_overlap_pending", "N-105 X-50", HELLO,
	  .steps = ASK RESP "[ 1 1 0 1 1 ]; " LONG ASK_AGAIN },
	{ "ask_gap", "N-105 X-50", HELLO,
	  .steps = ASK RESP "[ 0 0 0 ]; " LONG ASK_AGAIN },
	{ "ask_excess", "N-88 X-10 X-09", HELLO,
	  .steps = ASK RESP "[ 3 ffffffff 1 2 1 fffffffe 0 ]; " FITS(16384) },
	{ "ask_unparsable", "N-104 N-89", HELLO,
	  .steps = ASK RESP "[ 1 1 0 ffffffff ]; " LONG ASK_AGAIN },
	{ "ask_left_over", "N-104 N-66", HELLO,
	  .steps = ASK RESP "[ 1 1 0 0 0 ]; " LONG ASK_AGAIN },
	{ "ask_answered_twice", "N-103", HELLO,
	  .steps = ASK REJECTED DONE LONG ASK_AGAIN },
	{ "ask_wrong_xid", "N-103 X-45 A-39", HELLO,
	  .steps = ASK "q+1 2 20 5 1 3 [ 1 1 0 0 ]; " LONG DONE FITS(16384) },
	{ "ask_wrong_way", "N-106", HELLO,
	  .steps = ASK "q 2 20 5 0 3 [ 1 1 0 0 ] => xdr; " LONG DONE
	  FITS(16384) },
	{ "ask_crossing", "X-27 A-12 A-39 A-49", HELLO,
	  .flags = S_CHUNKS, .steps = ASK REQ "[ 2 1 4 1000 63 0 ] => all:2 done:1 rej:2; "
	  "q 2 20 5 0 2 [ 0 ] => all:0; " LONG DONE FITS(16384) },
	{ "ask_crossing_raise", "X-27 X-53 A-49", HELLO,
	  .flags = S_CHUNKS, .steps = ASK REQ "[ 1 1 4 2000 ] => all:1 pend:1; " PENDING LONG
	  "await upd:1=2000:1; " FULL(8164) FULL(8164) UPD "[ 1 4 4000 1 ]; "
	  FITS(16384) },
	{ "ask_lower_done", "X-77 X-72", HELLO,
	  .steps = SMALL_FITS "ask rbsiz 1024; await req:1=400; " SMALL_LONG DONE
	  SMALL_LONG UPD "[ 1 4 1000 0 ]; " SMALL_FITS },
	{ "ask_lower_rejected", "X-77", HELLO,
	  .steps = "ask rbsiz 1024; await req:1=400; " SMALL_LONG REJECTED
	  SMALL_FITS },
	{ "ask_lower_inval_option", "X-77 X-44 X-29", HELLO,
	  .steps = "ask rbsiz 1024; await req:1=400; " SMALL_LONG "q 2 20 4 5; "
	  SMALL_FITS },
	{ "ask_lower_pending", "X-77 X-67", HELLO,
	  .steps = "ask rbsiz 1024; await req:1=400; " PENDING SMALL_LONG
	  UPD "[ 1 4 1000 0 ]; " SMALL_LONG UPD "[ 1 4 1000 1 ]; " SMALL_FITS },
	{ "ask_lower_update_first", "X-77 X-68", HELLO,
	  .steps = "ask rbsiz 1024; await req:1=400; " UPD "[ 1 4 1000 0 ]; "
	  SMALL_LONG REJECTED SMALL_FITS },
	{ "ask_then_disconnect", "X-15 A-56 D-20", HELLO, .flags = S_DISC,
	  .steps = ASK DONE FITS(16384) "close; " LONG ASK PENDING "close; "
	  LONG ASK "close; " LONG ASK_AGAIN },
	{ "ask_nochg", "X-54 X-33",
	  .probe = "x 2 20 5 1 1 [ 2 1 4 1000 2 4 0 1 1 ]",
	  .steps = "ask rbsiz 16384 => no; quiet; ask reqreminv 1; "
	  "await req:2=1; " REJECTED },
	{ "ask_without_initxch", "A-31 X-24", .probe = "x 2 20 4 5",
	  .steps = "ask rbsiz 16384 => no; quiet; " LONG },
	{ "ask_by_itself", "X-41 X-73 X-66", HELLO,
	  .steps = "set rdma_ask_recv_size 16384; " LONG "await req:1=2000; "
	  PENDING LONG "quiet; " UPD "[ 1 4 2000 1 ]; " FITS(8192) "quiet" },
	{ "ask_by_itself_once", "X-41 X-43 X-47", HELLO,
	  .steps = "set rdma_ask_recv_size 16384; " LONG "await req:1=2000; "
	  REJECTED LONG "quiet; " LONG "quiet" },
	{ "ask_by_itself_refused", "X-29 X-44", HELLO,
	  .steps = "set rdma_ask_recv_size 16384; " LONG "await req:1=2000; "
	  "q 2 20 4 5; " LONG "quiet" },
	{ "ask_by_itself_nochg", "X-54",
	  .steps = "set rdma_ask_recv_size 16384; " LONG "quiet" },
	{ "own_raise", "B-06 X-61 X-62 X-65 X-69 X-71 X-75", HELLO,
	  .flags = S_CHUNKS, .steps = "set rdma_recv_size 8192; await upd:1=2000:0; " FULL(8164)
	  FULL(8164) "do read8192" },
	{ "own_raise_used", "X-73 A-41", HELLO,
	  .flags = S_CHUNKS, .steps = "do write1000; do ls => chunk; set rdma_recv_size 16384; "
	  "await upd:1=4000:0; do read8192; do write1000; do ls => nochunk" },
	{ "own_raise_refused", "X-29 X-32 X-73 B-52 X-21", HELLO,
	  .flags = S_CHUNKS, .steps = "set rdma_recv_size 16384; await upd:1=4000:0; q 2 20 4 5; "
	  "do write1000; do ls => chunk; set rdma_recv_size 20480; "
	  "do read131072; quiet; " FULL(4068) },
	{ "own_raise_while_busy", "X-53 X-64 X-75", HELLO,
	  .flags = S_CHUNKS, .steps = REQ "[ 1 1 4 3000 ] => pend:1; set rdma_recv_size 8192; "
	  "await upd:1=3000:1; quiet; " FULL(12260) },
	{ "own_raise_thrice", "X-28 X-61 X-75 A-41 D-18", HELLO,
	  .flags = S_CHUNKS, .steps = "set rdma_recv_size 8192; await upd:1=2000:0; "
	  "set rdma_recv_size 12288; await upd:1=3000:0; "
	  "set rdma_recv_size 16384; await upd:1=4000:0; " FULL(16356)
	  FULL(16356) },
	{ "own_lower", "X-76 X-69", HELLO,
	  .flags = S_CHUNKS, .steps = "set rdma_recv_size 8192; await upd:1=2000:0; "
	  "set rdma_recv_size 4096; quiet; do read131072; quiet; " FULL(8164) },
	{ "asked_then_lower", "X-46 X-76", HELLO,
	  .flags = S_CHUNKS, .steps = REQ "[ 1 1 4 4000 ] => pend:1; await upd:1=4000:1; "
	  FULL(16356) REQ "[ 1 1 4 1000 ] => done:1; " FULL(4068) FULL(4068)
	  "quiet; " REQ "[ 1 1 4 2000 ] => pend:1; await upd:1=2000:1; "
	  FULL(8164) },
};

const unsigned int nr_cases_srv_ask = ARRAY_SIZE(cases_srv_ask);
