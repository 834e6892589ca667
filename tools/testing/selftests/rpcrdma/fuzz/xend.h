/* SPDX-License-Identifier: GPL-2.0 */
/* One end of a connection, as far as its characteristics go. */
#ifndef FUZZ_XEND_H
#define FUZZ_XEND_H

#include "fuzz.h"
#include "exchange.h"

enum {
	XEND_RECVS	= 6,	/* Receives that each end keeps posted */
	XEND_NEEDED	= 4,	/* of these, what may be used up before others are */
	XEND_MAX	= 65536,
	XEND_BUF	= 512,
};

/**
 * struct xend - one end
 * @xch: what is tested; first, for the sake of the callbacks
 * @posted: lengths of posted Receives, oldest first
 * @nposted: how many
 * @scarce: a Receive was posted that is shorter than it should be: what was begun may
 *	need other messages then
 * @longer: the RBSIZ that it wished for last was more than the peer's
 * @outdone: the peer's became longer than that while the request was taken, and not
 *	posted yet
 * @max_recv: longest Receives that may be posted
 * @provides: there has to be memory before longer ones are posted
 * @calls: Calls of this end that are not answered
 * @unanswered: requests whose answers are not sent yet
 * @ctrl: message that was taken, and may be posted or not
 * @taken: there is one
 * @reporting: a report was begun, and may be posted or not
 * @xid: the last one that was used
 * @wished: bits of what the peer was ever to be asked for
 * @before: values of this end before the last step
 */
struct xend {
	struct rpcrdma2_xch	xch;
	u32			posted[XEND_RECVS];
	u32			nposted;
	bool			scarce;
	bool			longer;
	bool			outdone;
	u32			max_recv;
	bool			provides;
	u32			calls;
	u32			unanswered;
	struct rpcrdma2_ctrl	ctrl;
	bool			taken;
	bool			reporting;
	u32			xid;
	u32			wished;
	struct rpcrdma2_xchars	before;
};

extern const struct rpcrdma2_limits xend_limits;

void xend_begin(struct xend *end, bool client, u32 xid, struct input *in);
void xend_post(struct xend *end, struct input *in);
void xend_consume(struct xend *end, u32 length);
void xend_ask(struct xend *end, struct input *in);
void xend_own(struct xend *end, struct input *in);
void xend_supply(struct xend *end);
bool xend_take(struct xend *end);
int xend_encode(const struct xend *end, u8 *buf);
void xend_posted(struct xend *end, bool sent);
void xend_report(struct xend *end, struct input *in);
void xend_told(struct xend *end, const struct rpcrdma2_updxch *upd);
void xend_asked(struct xend *end, const struct rpcrdma2_reqxch *req,
		struct rpcrdma2_respxch *resp);
void xend_answered(struct xend *end);
void xend_check(struct xend *end);

#endif
