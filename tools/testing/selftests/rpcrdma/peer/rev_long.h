/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Client role: reverse Calls that are longer than a Send, and what the server
 * makes of odd answers to them.
 *
 * rpcrdma_flood has the server call back with much to say. A script is
 *
 *   ANSWERS => WANTS => OUTCOME
 *
 * ANSWERS are messages, parted by semicolons, that are sent when a Call is there:
 * x is its xid, "honest" the MSG that is due, and "rpc" the RPC message in it.
 * WANTS are those of want.h for the messages that must come in answer, one after
 * the other, and no others. OUTCOME is
 *
 *  ok     the Call has been answered
 *  fail   it has failed, and at once
 *  off    likewise, and no other is sent that is as long
 *  wait   it is still waiting for its reply, and gets it now
 *
 * In the end, unless it is "off", long Calls must be answered by XMTRESP and by
 * MSG, and short ones in any case.
 */
#ifndef PEER_REV_LONG_H
#define PEER_REV_LONG_H

#include "group.h"
#include "session.h"

#define LONG		65536
#define REV_GRANT	16

/**
 * struct rev_long - the Calls of a case
 * @g: the one that is coming
 * @whole: how many have come
 * @count: transmissions of the last one
 * @out: transmissions of those that are not answered
 * @grant: credits that we give
 * @least: bytes that a Call has at least
 * @keep: they are not answered
 * @short_too: Calls by MSG are kept, too
 * @kept: xids of these
 * @nr_kept: how many there are
 * @ends: the server has to close the connection
 */
struct rev_long {
	struct group g;
	unsigned int whole;
	u32 count;
	u32 out;
	u32 grant;
	u32 least;
	bool keep;
	bool short_too;
	u32 kept[REV_GRANT];
	u32 nr_kept;
	bool ends;
};

extern struct rev_long rev;

/* On the server: N Calls that are SIZE bytes longer than they had to be, PARALLEL
 * at a time and with MS milliseconds each; fails unless the result has a line WHAT
 */
#define FLOOD(n, parallel, size, ms, what) \
	"f=/sys/kernel/debug/rpcrdma_flood; " \
	"echo " n " " parallel " " size " " ms " > $f; grep -qx '" what "' $f"

/* Short ones, which are answered */
#define SHORT		FLOOD("20", "4", "0", "20000", "answered: 20")

void rev_answer(struct cli *s, u32 xid, bool xmt);
void rev_call_back(struct cli *s, const char *text);
int rev_begin(struct cli *s, struct session *x);
void rev_credits_left(struct cli *s, u32 n);

#endif /* PEER_REV_LONG_H */
