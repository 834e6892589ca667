/* SPDX-License-Identifier: GPL-2.0 */
/*
 * In the place of a kernel's mount: the client of a server of the peer's own, over
 * TCP. What it makes of replies is what the checklist asks of a client, placement by
 * Send, continuation, and the credits of calls that were given up included.
 */
#ifndef PEER_FAKE_H
#define PEER_FAKE_H

#include "conn.h"
#include "group.h"

#define OUT_MEM		0	/* data of a WRITE */
#define IN_MEM		1	/* data of a READ */
#define MAX_CALL	(128u << 10)
#define MAX_LOST	64
#define KILL		"kill"

enum { MORE = -1 };	/* the call is not over */

/**
 * struct lost - a call that was given up, and not answered
 * @xid: its xid
 * @credits: how many it holds
 */
struct lost {
	u32 xid, credits;
};

/**
 * struct back - reverse Calls
 * @served: there is who carries them out
 * @wanted: credits last asked for
 * @granted: most credits ever granted, 1 before any grant
 * @used: credits that a Call holds which is not complete
 * @nr: how many came by XMTREQ
 */
struct back {
	bool served;
	u32 wanted, granted, used, nr;
};

/**
 * struct fake - the client
 * @c: its connection
 * @port: where its server is
 * @io: most bytes of a READ or WRITE
 * @xid: xid of the call
 * @grant: credits last granted
 * @credits: how many the call takes
 * @off: no XMTREQ on this connection any more
 * @rt: the call went by XMTREQ
 * @lay: layout of our receives
 * @peer_lay: of the server's
 * @peer: what its INITXCH said
 * @call: the call without data that goes beside it
 * @data: that data
 * @len: its length
 * @want: bytes that a READ asks for
 * @req: XMTREQ taken apart
 * @g: transmissions of a reply, or of a reverse Call
 * @drain: what follows a broken group is thrown away
 * @msg: the reply
 * @fd: where operations come from
 * @killed: the operation is given up
 * @lost: calls that were given up
 * @nr_lost: how many
 * @held: credits that they hold
 * @back: reverse Calls
 */
struct fake {
	struct conn *c;
	int port;
	u32 io, xid, grant, credits;
	bool off, rt, drain;
	struct layout lay, peer_lay;
	struct chars peer;
	struct buf call;
	u8 data[MAX_CALL];
	u32 len, want;
	struct xmt req;
	struct group g;
	struct buf msg;
	int fd;
	bool killed;
	struct lost lost[MAX_LOST];
	u32 nr_lost, held;
	struct back back;
};

extern struct fake fake;

void fake_send_msg(void);
void fake_send(void);
int fake_take(const struct rmsg *m);
void fake_answer(const struct hdr *h, const struct fault *x, bool open);
void fake_refuse(const struct hdr *h, u32 err);
void fake_back_msg(const struct hdr *h, const struct rmsg *m);
void fake_back_first(const struct hdr *h, const struct rmsg *m);
void fake_back_over(void);
void fake_back_whole(const struct hdr *h);
void fake_back_bad(const struct hdr *h);
int fake_open(void);
int fake_call(void);
int fake_do(const char *op);

#endif /* PEER_FAKE_H */
