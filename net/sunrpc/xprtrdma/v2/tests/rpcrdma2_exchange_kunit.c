// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the state machines of transport characteristics.
 *
 * tools/testing/selftests/rpcrdma/unit builds the same file in user space. Two
 * ends exchange messages through the codec, as they would over a connection.
 */

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "../exchange.h"

enum {
	XCH_RECVS	= 6,	/* Receives that each end keeps posted */
	XCH_MAX		= 65536,
	XCH_QUEUE	= 64,
};

/**
 * struct xch_end - one end of a connection
 * @xch: what is tested
 * @posted: lengths of posted Receives, oldest first
 * @nposted: how many
 * @xid: of the last control message
 */
struct xch_end {
	struct rpcrdma2_xch	xch;
	u32			posted[XCH_RECVS];
	u32			nposted;
	u32			xid;
};

/**
 * struct xch_pair - both ends
 * @cli: the client
 * @srv: the server
 */
struct xch_pair {
	struct xch_end	cli;
	struct xch_end	srv;
};

static u32 xch_max;
static bool xch_busy;

static u32 xch_max_recv(const struct rpcrdma2_xch *xch)
{
	(void)xch;
	return xch_max;
}

static bool xch_may_lower(const struct rpcrdma2_xch *xch, u32 size)
{
	(void)xch;
	(void)size;
	return !xch_busy;
}

static const struct rpcrdma2_xch_ops xch_client_ops = {
	.max_recv	= xch_max_recv,
	.may_lower	= xch_may_lower,
	.end		= RPCRDMA2_STATED_BY_CLIENT,
	.asks_lower	= true,
};

static const struct rpcrdma2_xch_ops xch_server_ops = {
	.max_recv	= xch_max_recv,
	.end		= RPCRDMA2_STATED_BY_SERVER,
};

/* A posted Receive for each of the peer's messages, as the test has it */
static bool xch_may_tell(const struct rpcrdma2_xch *xch)
{
	return xch->xc_recvq.rq_posted >= XCH_RECVS;
}

static const struct rpcrdma2_xch_ops xch_providing_ops = {
	.max_recv	= xch_max_recv,
	.may_tell	= xch_may_tell,
	.end		= RPCRDMA2_STATED_BY_SERVER,
	.provides	= true,
};

/**
 * xch_post - keep Receives posted, of the length that is wanted
 * @end: one end
 */
static void xch_post(struct xch_end *end)
{
	while (end->nposted < XCH_RECVS) {
		end->posted[end->nposted++] = end->xch.xc_recvq.rq_size;
		rpcrdma2_recvq_post(&end->xch.xc_recvq,
				    end->xch.xc_recvq.rq_size);
	}
}

/**
 * xch_receive - a message arrives
 * @test: test that runs
 * @end: where
 * @length: its length, in bytes
 */
static void xch_receive(struct kunit *test, struct xch_end *end, u32 length)
{
	u32 size = end->posted[0];

	KUNIT_ASSERT_GT(test, end->nposted, 0U);
	KUNIT_EXPECT_LE(test, length, size);
	end->nposted--;
	memmove(&end->posted[0], &end->posted[1],
		end->nposted * sizeof(end->posted[0]));
	rpcrdma2_recvq_consume(&end->xch.xc_recvq, size);
	xch_post(end);
}

/**
 * xch_settle - let everything that is posted be used up once
 * @test: test that runs
 * @end: one end
 */
static void xch_settle(struct kunit *test, struct xch_end *end)
{
	int i;

	for (i = 0; i < XCH_RECVS; i++)
		xch_receive(test, end, 0);
	rpcrdma2_xch_progress(&end->xch);
}

/**
 * xch_begin - prepare one end
 * @end: the end
 * @ops: which one it is
 * @xid: where its xids begin
 */
static void xch_begin(struct xch_end *end, const struct rpcrdma2_xch_ops *ops,
		      u32 xid)
{
	struct rpcrdma2_xchars local;

	rpcrdma2_xch_reset(&end->xch);
	rpcrdma2_xchars_default(&local);
	rpcrdma2_xchar_set(&local, RPCRDMA2_RBSIZ, 4096);
	rpcrdma2_xchar_set(&local, RPCRDMA2_REQREMINV, false);
	local.nochg = RPCRDMA2_HAS_REQREMINV;
	rpcrdma2_xch_begin(&end->xch, ops, &local);
	end->xid = xid;
	xch_post(end);
}

/**
 * xch_connect - two ends that have exchanged ROPT_INITXCH
 * @test: test that runs
 *
 * Return: the ends
 */
static struct xch_pair *xch_connect(struct kunit *test)
{
	struct xch_pair *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	xch_max = XCH_MAX;
	xch_busy = false;
	xch_begin(&p->cli, &xch_client_ops, 1000);
	xch_begin(&p->srv, &xch_server_ops, 2000);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_initxch(&p->srv.xch,
						     &p->cli.xch.xc_local));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_initxch(&p->cli.xch,
						     &p->srv.xch.xc_local));
	p->cli.xch.xc_stated = true;
	p->srv.xch.xc_stated = true;
	return p;
}

/**
 * xch_wish - have an end ask for an RBSIZ
 * @end: the end
 * @size: the size, in bytes
 *
 * Return: bits that will be asked for
 */
static u32 xch_wish(struct xch_end *end, u32 size)
{
	struct rpcrdma2_xchars want;

	rpcrdma2_xchars_default(&want);
	rpcrdma2_xchar_set(&want, RPCRDMA2_RBSIZ, size);
	return rpcrdma2_xch_ask(&end->xch, &want);
}

/**
 * xch_take - take what an end has to send, and send it
 * @end: the end
 * @ctrl: OUT: the message
 *
 * Return: its opttype, or 0 if there is nothing
 */
static u32 xch_take(struct xch_end *end, struct rpcrdma2_ctrl *ctrl)
{
	if (!rpcrdma2_xch_next(&end->xch, cpu_to_be32(++end->xid), ctrl))
		return 0;
	rpcrdma2_xch_sent(&end->xch, ctrl);
	return ctrl->opttype;
}

/**
 * xch_decode - send a message through the codec
 * @test: test that runs
 * @ctrl: the message
 * @buf: OUT: its bytes
 * @msg: OUT: its header
 */
static void xch_decode(struct kunit *test, const struct rpcrdma2_ctrl *ctrl,
		       u8 *buf, struct rpcrdma2_msg *msg)
{
	const struct rpcrdma2_limits lim = { .opttypes = 0x1fe };
	int len = rpcrdma2_xch_encode(ctrl, 8, buf, 512);

	KUNIT_ASSERT_GT(test, len, 0);
	KUNIT_EXPECT_EQ(test, rpcrdma2_decode(buf, len, &lim, msg), RPCRDMA2_OK);
	KUNIT_EXPECT_EQ(test, msg->dir, (u32)RDMA2_CALL);
	KUNIT_EXPECT_EQ(test, msg->opt.type, ctrl->opttype);
}

/**
 * xch_asked - an end receives a request
 * @test: test that runs
 * @end: the end
 * @ctrl: the request
 * @resp: OUT: its answer
 *
 * Return: bits of what is pending
 */
static u32 xch_asked(struct kunit *test, struct xch_end *end,
		     const struct rpcrdma2_ctrl *ctrl,
		     struct rpcrdma2_respxch *resp)
{
	u32 before = end->xch.xc_busy;
	struct rpcrdma2_reqxch req;
	struct rpcrdma2_msg msg;
	u8 buf[512];

	xch_decode(test, ctrl, buf, &msg);
	KUNIT_EXPECT_EQ(test, rpcrdma2_decode_reqxch(buf, &msg, &req), 0);
	rpcrdma2_xch_reqxch(&end->xch, &req, resp);
	return end->xch.xc_busy & ~before;
}

/**
 * xch_ask_answer - an end receives a request, and has answered it
 * @test: test that runs
 * @end: the end
 * @ctrl: the request
 * @resp: OUT: its answer
 *
 * Return: bits of what is pending
 */
static u32 xch_ask_answer(struct kunit *test, struct xch_end *end,
			  const struct rpcrdma2_ctrl *ctrl,
			  struct rpcrdma2_respxch *resp)
{
	u32 pended = xch_asked(test, end, ctrl, resp);

	rpcrdma2_xch_answered(&end->xch);
	return pended;
}

/**
 * xch_told - an end receives an announcement
 * @test: test that runs
 * @end: the end
 * @ctrl: the announcement
 */
static void xch_told(struct kunit *test, struct xch_end *end,
		     const struct rpcrdma2_ctrl *ctrl)
{
	struct rpcrdma2_updxch upd;
	struct rpcrdma2_msg msg;
	u8 buf[512];

	xch_decode(test, ctrl, buf, &msg);
	KUNIT_EXPECT_EQ(test, rpcrdma2_decode_updxch(buf, &msg, &upd), 0);
	rpcrdma2_xch_updxch(&end->xch, &upd);
}

/**
 * xch_announce - make up an announcement of RBSIZ
 * @end: who receives it
 * @size: the size, in bytes
 * @pendclr: optupdxch_pendclr
 */
static void xch_announce(struct xch_end *end, u32 size, bool pendclr)
{
	struct rpcrdma2_updxch upd = {
		.which		= RDMA2_XCHAR_RBSIZ,
		.pendclr	= pendclr,
	};

	rpcrdma2_xchar_set(&upd.now, RPCRDMA2_RBSIZ, size);
	rpcrdma2_xch_updxch(&end->xch, &upd);
}

/**
 * xch_respond - make up an answer
 * @end: who receives it
 * @xid: what it answers
 * @done: first word of optrespxch_done
 * @rej: first word of optrespxch_rej
 * @pend: first word of optrespxch_pend
 *
 * Return: what became of it
 */
static bool xch_respond(struct xch_end *end, __be32 xid, u32 done, u32 rej,
			u32 pend)
{
	struct rpcrdma2_respxch resp = {
		.done.words	= { done },
		.rej.words	= { rej },
		.pend.words	= { pend },
	};

	return rpcrdma2_xch_respxch(&end->xch, xid, &resp);
}

/**
 * xch_requested - a client that has asked for an RBSIZ
 * @test: test that runs
 * @size: the size, in bytes
 * @ctrl: OUT: its request
 *
 * Return: both ends
 */
static struct xch_pair *xch_requested(struct kunit *test, u32 size,
				      struct rpcrdma2_ctrl *ctrl)
{
	struct xch_pair *p = xch_connect(test);

	KUNIT_EXPECT_EQ(test, xch_wish(&p->cli, size), (u32)RPCRDMA2_HAS_RBSIZ);
	KUNIT_EXPECT_EQ(test, xch_take(&p->cli, ctrl), (u32)ROPT_REQXCH);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->cli.xch));
	return p;
}

/**
 * xch_counted - how often an event was counted
 * @end: where
 * @event: which
 *
 * Return: how often
 */
static u32 xch_counted(const struct xch_end *end, enum rpcrdma2_xch_event event)
{
	return end->xch.xc_counts[event];
}

/*
 * Section: the side that asks (C.7)
 */

/* REQUESTED, RESPXCH done: use w */
static void xch_ask_done(struct kunit *test)
{
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_requested(test, 8192, &ctrl);

	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 4096U);
	KUNIT_EXPECT_TRUE(test, xch_respond(&p->cli, ctrl.xid, 1, 0, 0));
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 8192U);
	KUNIT_EXPECT_EQ(test, xch_counted(&p->cli, RPCRDMA2_XE_GOT), 1U);
	/* N-103: the second answer is none */
	KUNIT_EXPECT_FALSE(test, xch_respond(&p->cli, ctrl.xid, 0, 1, 0));
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 8192U);
}

/* REQUESTED, RESPXCH rejected, with a gap, with an overlap, or unparsable */
static void xch_ask_rejected(struct kunit *test)
{
	static const u32 answers[][3] = {
		{ 0, 1, 0 }, { 0, 0, 0 }, { 1, 1, 0 }, { 1, 0, 1 }, { 0, 1, 1 },
	};
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(answers); i++) {
		p = xch_requested(test, 8192, &ctrl);
		xch_respond(&p->cli, ctrl.xid, answers[i][0], answers[i][1],
			    answers[i][2]);
		KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 4096U);
		KUNIT_EXPECT_EQ(test, p->cli.xch.xc_pending, 0U);
		KUNIT_EXPECT_EQ(test, xch_counted(&p->cli, RPCRDMA2_XE_GOT_NOT), 1U);
		KUNIT_EXPECT_EQ(test, p->cli.xch.xc_denied, 8192U);
	}
	p = xch_requested(test, 8192, &ctrl);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_respxch(&p->cli.xch, ctrl.xid, NULL));
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 4096U);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_requested, 0U);
}

/* N-103: an answer to something else */
static void xch_ask_foreign_answer(struct kunit *test)
{
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_requested(test, 8192, &ctrl);

	KUNIT_EXPECT_FALSE(test, xch_respond(&p->cli, cpu_to_be32(1), 1, 0, 0));
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_requested, (u32)RPCRDMA2_HAS_RBSIZ);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_error(&p->cli.xch, cpu_to_be32(1),
						 RDMA2_ERR_INVAL_OPTION), 0U);
}

/* PENDING: values in between, then success, rejection or something else */
static void xch_ask_pending(struct kunit *test)
{
	static const struct {
		u32 last;
		enum rpcrdma2_xch_event event;
	} ends[] = {
		{ 16384, RPCRDMA2_XE_GOT }, { 6000, RPCRDMA2_XE_GOT_NOT },
		{ 8192, RPCRDMA2_XE_GOT_PART },
	};
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		p = xch_requested(test, 16384, &ctrl);
		xch_respond(&p->cli, ctrl.xid, 0, 0, 1);
		KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 4096U);
		/* C1: not again as long as it is pending */
		KUNIT_EXPECT_EQ(test, xch_wish(&p->cli, 32768), 0U);
		xch_announce(&p->cli, 6000, false);
		KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 6000U);
		KUNIT_EXPECT_EQ(test, p->cli.xch.xc_pending,
				(u32)RPCRDMA2_HAS_RBSIZ);
		xch_announce(&p->cli, ends[i].last, true);
		KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch),
				ends[i].last);
		KUNIT_EXPECT_EQ(test, p->cli.xch.xc_pending, 0U);
		KUNIT_EXPECT_EQ(test, xch_counted(&p->cli, ends[i].event), 1U);
		KUNIT_EXPECT_EQ(test, xch_counted(&p->cli, RPCRDMA2_XE_UPDXCH_ODD), 0U);
		KUNIT_EXPECT_NE(test, xch_wish(&p->cli, 32768), 0U);
	}
}

/* a lower size holds as soon as it is asked for */
static void xch_ask_lower(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	struct rpcrdma2_ctrl ctrl;

	xch_announce(&p->cli, 32768, false);
	xch_wish(&p->cli, 8192);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 32768U);
	xch_take(&p->cli, &ctrl);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 8192U);
	xch_respond(&p->cli, ctrl.xid, 0, 1, 0);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 32768U);

	xch_wish(&p->cli, 8192);
	xch_take(&p->cli, &ctrl);
	xch_respond(&p->cli, ctrl.xid, 0, 0, 1);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 8192U);
	xch_announce(&p->cli, 16384, false);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 8192U);
	xch_announce(&p->cli, 8192, true);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 8192U);
	xch_announce(&p->cli, 16384, false);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 16384U);
	/* an end that owes replies does not ask for shorter ones */
	xch_announce(&p->srv, 32768, false);
	KUNIT_EXPECT_EQ(test, xch_wish(&p->srv, 8192), 0U);
	KUNIT_EXPECT_NE(test, xch_wish(&p->srv, 65536), 0U);
}

/* Receives of the peer's as short as at first, if they ever became longer */
static void xch_ask_first(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	u32 first = p->cli.xch.xc_peer.rbsiz;
	struct rpcrdma2_ctrl ctrl;

	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_ask_back(&p->cli.xch));
	xch_announce(&p->cli, 65536, false);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_ask_back(&p->cli.xch));
	KUNIT_EXPECT_EQ(test, xch_take(&p->cli, &ctrl), (u32)ROPT_REQXCH);
	KUNIT_EXPECT_EQ(test, ctrl.values.rbsiz, first);
	/* not twice, and again only if it was in vain */
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_ask_back(&p->cli.xch));
	xch_respond(&p->cli, ctrl.xid, 0, 1, 0);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_ask_back(&p->cli.xch));
	xch_take(&p->cli, &ctrl);
	xch_respond(&p->cli, ctrl.xid, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_peer.rbsiz, first);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_ask_back(&p->cli.xch));
	/* a server does not ask */
	xch_announce(&p->srv, 65536, false);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_ask_back(&p->srv.xch));
}

/* C7, A-99: a wish for longer Receives that longer ones have come before */
static void xch_ask_outdone(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	struct xch_end *ends[] = { &p->cli, &p->srv };
	struct rpcrdma2_ctrl ctrl;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		KUNIT_EXPECT_NE(test, xch_wish(ends[i], 8192), 0U);
		xch_announce(ends[i], 16384, false);
		KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&ends[i]->xch));
		KUNIT_EXPECT_EQ(test, xch_counted(ends[i], RPCRDMA2_XE_GOT), 1U);

		/* one that could not be sent before */
		KUNIT_EXPECT_NE(test, xch_wish(ends[i], 20480), 0U);
		KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_next(&ends[i]->xch,
							  cpu_to_be32(7), &ctrl));
		xch_announce(ends[i], 32768, false);
		rpcrdma2_xch_unsent(&ends[i]->xch, &ctrl);
		KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&ends[i]->xch));
		KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&ends[i]->xch), 32768U);

		/* one for still longer ones stands */
		KUNIT_EXPECT_NE(test, xch_wish(ends[i], 65536), 0U);
		xch_announce(ends[i], 40960, false);
		KUNIT_EXPECT_EQ(test, xch_take(ends[i], &ctrl), (u32)ROPT_REQXCH);
		KUNIT_EXPECT_EQ(test, ctrl.values.rbsiz, 65536U);
		KUNIT_EXPECT_TRUE(test, xch_respond(ends[i], ctrl.xid, 0, 1, 0));
		KUNIT_EXPECT_EQ(test, xch_counted(ends[i], RPCRDMA2_XE_GOT), 2U);
	}
}

/* one for shorter ones stands, until that is what there is */
static void xch_ask_lower_meanwhile(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	struct rpcrdma2_ctrl ctrl;

	xch_announce(&p->cli, 32768, false);
	KUNIT_EXPECT_NE(test, xch_wish(&p->cli, 8192), 0U);
	xch_announce(&p->cli, 65536, false);
	KUNIT_EXPECT_EQ(test, xch_take(&p->cli, &ctrl), (u32)ROPT_REQXCH);
	KUNIT_EXPECT_EQ(test, ctrl.values.rbsiz, 8192U);
	KUNIT_EXPECT_TRUE(test, xch_respond(&p->cli, ctrl.xid, 0, 1, 0));

	KUNIT_EXPECT_NE(test, xch_wish(&p->cli, 8192), 0U);
	xch_announce(&p->cli, 8192, false);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->cli.xch));
}

/* the value counts, whatever else is odd */
static void xch_told_odd(struct kunit *test)
{
	struct rpcrdma2_updxch upd = { .which = 99, .pendclr = true };
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_requested(test, 16384, &ctrl);

	/* before the answer: requested it stays */
	xch_announce(&p->cli, 8192, true);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 8192U);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_requested, (u32)RPCRDMA2_HAS_RBSIZ);
	KUNIT_EXPECT_EQ(test, xch_counted(&p->cli, RPCRDMA2_XE_UPDXCH_ODD), 1U);
	xch_respond(&p->cli, ctrl.xid, 0, 0, 1);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_pending, (u32)RPCRDMA2_HAS_RBSIZ);

	/* an unknown id, a value of no use, one that was not to change */
	rpcrdma2_xch_updxch(&p->cli.xch, &upd);
	upd.which = RDMA2_XCHAR_RBSIZ;
	upd.pendclr = false;
	rpcrdma2_xch_updxch(&p->cli.xch, &upd);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 8192U);
	upd.which = RDMA2_XCHAR_REQREMINV;
	rpcrdma2_xchar_set(&upd.now, RPCRDMA2_REQREMINV, true);
	rpcrdma2_xch_updxch(&p->cli.xch, &upd);
	KUNIT_EXPECT_TRUE(test, p->cli.xch.xc_peer.reqreminv);
	KUNIT_EXPECT_EQ(test, xch_counted(&p->cli, RPCRDMA2_XE_UPDXCH_ODD), 4U);
	/* N-110 */
	xch_announce(&p->srv, 32768, false);
	xch_announce(&p->srv, 1024, false);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->srv.xch), 1024U);
}

/* INVAL_OPTION */
static void xch_ask_refused(struct kunit *test)
{
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_requested(test, 16384, &ctrl);

	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_error(&p->cli.xch, ctrl.xid,
						 RDMA2_ERR_BAD_XDR),
			(u32)ROPT_REQXCH);
	KUNIT_EXPECT_NE(test, xch_wish(&p->cli, 16384), 0U);
	xch_take(&p->cli, &ctrl);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_error(&p->cli.xch, ctrl.xid,
						 RDMA2_ERR_INVAL_OPTION),
			(u32)ROPT_REQXCH);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 4096U);
	KUNIT_EXPECT_EQ(test, xch_wish(&p->cli, 16384), 0U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->cli.xch));

	rpcrdma2_xch_own_value(&p->cli.xch, RPCRDMA2_BRS, RDMA2_BRS_NONE);
	KUNIT_EXPECT_EQ(test, xch_take(&p->cli, &ctrl), (u32)ROPT_UPDXCH);
	rpcrdma2_xch_error(&p->cli.xch, ctrl.xid, RDMA2_ERR_INVAL_OPTION);
	rpcrdma2_xch_own_value(&p->cli.xch, RPCRDMA2_BRS, RDMA2_BRS_INLINE);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->cli.xch));
}

/* what the peer said not to change; what it has; A-31: a silent peer */
static void xch_ask_in_vain(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	struct rpcrdma2_xchars want;

	KUNIT_EXPECT_EQ(test, xch_wish(&p->cli, 4096), 0U);
	rpcrdma2_xchars_default(&want);
	rpcrdma2_xchar_set(&want, RPCRDMA2_REQREMINV, true);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_ask(&p->cli.xch, &want), 0U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->cli.xch));

	/* nothing before this end's own INITXCH */
	p->srv.xch.xc_stated = false;
	KUNIT_EXPECT_NE(test, xch_wish(&p->srv, 16384), 0U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->srv.xch));
	p->srv.xch.xc_stated = true;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_due(&p->srv.xch));

	p->cli.xch.xc_heard = false;
	xch_wish(&p->cli, 16384);
	rpcrdma2_xch_own_value(&p->cli.xch, RPCRDMA2_BRS, RDMA2_BRS_NONE);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->cli.xch));
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_recv_limit(&p->cli.xch), 4096U);
}

/* What could not be sent is as if it had not been tried */
static void xch_not_sent(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	struct rpcrdma2_ctrl ctrl;

	xch_announce(&p->cli, 32768, false);
	xch_wish(&p->cli, 8192);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_next(&p->cli.xch, cpu_to_be32(7), &ctrl));
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 8192U);
	rpcrdma2_xch_unsent(&p->cli.xch, &ctrl);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 32768U);
	KUNIT_EXPECT_FALSE(test, xch_respond(&p->cli, ctrl.xid, 1, 0, 0));
	KUNIT_EXPECT_EQ(test, xch_take(&p->cli, &ctrl), (u32)ROPT_REQXCH);
	KUNIT_EXPECT_EQ(test, ctrl.values.rbsiz, 8192U);

	rpcrdma2_xch_own_value(&p->cli.xch, RPCRDMA2_BRS, RDMA2_BRS_NONE);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_next(&p->cli.xch, cpu_to_be32(8), &ctrl));
	rpcrdma2_xch_unsent(&p->cli.xch, &ctrl);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_nr_announced, 0U);
	KUNIT_EXPECT_EQ(test, xch_take(&p->cli, &ctrl), (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_EQ(test, ctrl.values.brs, (u32)RDMA2_BRS_NONE);
}

/* What was refused while it could not be sent is not on the list any more */
static void xch_refused_unsent(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	struct rpcrdma2_ctrl ctrl;

	rpcrdma2_xch_own_value(&p->cli.xch, RPCRDMA2_BRS, RDMA2_BRS_NONE);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_next(&p->cli.xch, cpu_to_be32(8), &ctrl));
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_error(&p->cli.xch, ctrl.xid,
						 RDMA2_ERR_BAD_XDR),
			(u32)ROPT_UPDXCH);
	rpcrdma2_xch_unsent(&p->cli.xch, &ctrl);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_nr_announced, 0U);
	KUNIT_EXPECT_EQ(test, xch_take(&p->cli, &ctrl), (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_nr_announced, 1U);

	/* Of two, the other one stays */
	rpcrdma2_xch_own_value(&p->cli.xch, RPCRDMA2_BRS, RDMA2_BRS_GENL);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_next(&p->cli.xch, cpu_to_be32(9), &ctrl));
	rpcrdma2_xch_error(&p->cli.xch, ctrl.xid, RDMA2_ERR_BAD_XDR);
	rpcrdma2_xch_unsent(&p->cli.xch, &ctrl);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_nr_announced, 1U);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_announced[0].value,
			(u32)RDMA2_BRS_NONE);
}

/* A denied wish for less does not keep this end from asking for more */
static void xch_denied_less(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	struct rpcrdma2_ctrl ctrl;

	xch_announce(&p->cli, 16384, false);
	KUNIT_EXPECT_NE(test, xch_wish(&p->cli, 8192), 0U);
	KUNIT_EXPECT_EQ(test, xch_take(&p->cli, &ctrl), (u32)ROPT_REQXCH);
	KUNIT_EXPECT_TRUE(test, xch_respond(&p->cli, ctrl.xid, 0, 1, 0));
	KUNIT_EXPECT_EQ(test, xch_counted(&p->cli, RPCRDMA2_XE_GOT_NOT), 1U);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_denied, U32_MAX);
}

/*
 * Section: the side that is asked (C.7)
 */

/**
 * xch_answer - ask a server for several things at once
 * @test: test that runs
 * @p: both ends
 * @req: the request
 *
 * Return: first words of done, rejected and pending, one byte each
 */
static u32 xch_answer(struct kunit *test, struct xch_pair *p,
		      const struct rpcrdma2_reqxch *req)
{
	struct rpcrdma2_respxch resp;

	(void)test;
	rpcrdma2_xch_reqxch(&p->srv.xch, req, &resp);
	rpcrdma2_xch_answered(&p->srv.xch);
	return resp.done.words[0] | resp.rej.words[0] << 8 |
	       resp.pend.words[0] << 16;
}

/* nothing changes before both ends have said what they are like */
static void xch_asked_early(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	struct rpcrdma2_reqxch req = { .count = 1 };

	rpcrdma2_xchars_default(&req.want);
	rpcrdma2_xchar_set(&req.want, RPCRDMA2_RBSIZ, 16384);
	p->srv.xch.xc_heard = false;
	KUNIT_EXPECT_EQ(test, xch_answer(test, p, &req), 0x000100U);
	p->srv.xch.xc_heard = true;
	p->srv.xch.xc_stated = false;
	KUNIT_EXPECT_EQ(test, xch_answer(test, p, &req), 0x000100U);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_recvq.rq_size, 4096U);
	p->srv.xch.xc_stated = true;
	KUNIT_EXPECT_EQ(test, xch_answer(test, p, &req), 0x010000U);
}

/* IDLE: every element is in just one subset */
static void xch_asked_elements(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	struct rpcrdma2_reqxch req = { .count = 6 };

	/* 0 unknown, 1 BRS, 2 RBSIZ, 3 REQREMINV, 4 RTRSUPP, 5 REQRXLIM */
	rpcrdma2_xchars_default(&req.want);
	rpcrdma2_xchar_set(&req.want, RPCRDMA2_BRS, RDMA2_BRS_INLINE);
	rpcrdma2_xchar_set(&req.want, RPCRDMA2_RBSIZ, 16384);
	rpcrdma2_xchar_set(&req.want, RPCRDMA2_REQREMINV, false);
	rpcrdma2_xchar_set(&req.want, RPCRDMA2_RTRSUPP, 7);
	rpcrdma2_xchar_set(&req.want, RPCRDMA2_REQRXLIM, 1);
	req.element[RPCRDMA2_BRS] = 1;
	req.element[RPCRDMA2_RBSIZ] = 2;
	req.element[RPCRDMA2_REQREMINV] = 3;
	req.element[RPCRDMA2_RTRSUPP] = 4;
	req.element[RPCRDMA2_REQRXLIM] = 5;
	KUNIT_EXPECT_EQ(test, xch_answer(test, p, &req), 0x041b20U);
	KUNIT_EXPECT_EQ(test, xch_counted(&p->srv, RPCRDMA2_XE_GAVE_NOT), 4U);

	/* BUSY: not the same one again */
	KUNIT_EXPECT_EQ(test, xch_answer(test, p, &req), 0x001f20U);
	/* N-87 */
	memset(&req, 0, sizeof(req));
	KUNIT_EXPECT_EQ(test, xch_answer(test, p, &req), 0U);
}

/* Sizes: too small, too large, what there is, shorter */
static void xch_asked_sizes(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	struct rpcrdma2_reqxch req = { .count = 1 };
	u32 i;
	static const struct {
		u32 size, answer;
	} rows[] = {
		{ 4095, 0x100 }, { 1024, 0x100 }, { 65537, 0x100 },
		{ 4096, 0x001 }, { 0xffffffff, 0x100 },
	};

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		rpcrdma2_xchar_set(&req.want, RPCRDMA2_RBSIZ, rows[i].size);
		KUNIT_EXPECT_EQ(test, xch_answer(test, p, &req), rows[i].answer);
	}
	rpcrdma2_xchar_set(&req.want, RPCRDMA2_RBSIZ, 32768);
	KUNIT_EXPECT_EQ(test, xch_answer(test, p, &req), 0x10000U);
	xch_settle(test, &p->srv);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_local.rbsiz, 32768U);
	rpcrdma2_xchar_set(&req.want, RPCRDMA2_RBSIZ, 8192);
	/* finished, but the peer does not know: still busy */
	KUNIT_EXPECT_EQ(test, xch_answer(test, p, &req), 0x100U);
}

/* BUSY: UPDXCH comes after RESPXCH and when the last short Receive is gone */
static void xch_asked_raise(struct kunit *test)
{
	struct rpcrdma2_respxch resp;
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_requested(test, 16384, &ctrl);
	u32 pended = xch_asked(test, &p->srv, &ctrl, &resp);
	int i;

	KUNIT_EXPECT_EQ(test, pended, (u32)RPCRDMA2_HAS_RBSIZ);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->srv.xch));
	for (i = 0; i < XCH_RECVS - 1; i++) {
		xch_receive(test, &p->srv, 4096);
		rpcrdma2_xch_progress(&p->srv.xch);
		KUNIT_EXPECT_EQ(test, p->srv.xch.xc_local.rbsiz, 4096U);
	}
	xch_receive(test, &p->srv, 4096);
	rpcrdma2_xch_progress(&p->srv.xch);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_local.rbsiz, 16384U);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_recvq.rq_bytes, XCH_RECVS * 16384U);

	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->srv.xch));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_respxch(&p->cli.xch, ctrl.xid, &resp));
	rpcrdma2_xch_answered(&p->srv.xch);
	KUNIT_EXPECT_EQ(test, xch_take(&p->srv, &ctrl), (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_TRUE(test, ctrl.pendclr);
	KUNIT_EXPECT_EQ(test, ctrl.values.rbsiz, 16384U);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_busy, 0U);
	xch_told(test, &p->cli, &ctrl);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 16384U);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_pending, 0U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->srv.xch));
}

/* A lower size: at once, and the Receives follow; or not, if Calls rely on it */
static void xch_asked_lower(struct kunit *test)
{
	struct rpcrdma2_respxch resp;
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_connect(test);

	rpcrdma2_xch_own_recv(&p->srv.xch, 32768);
	xch_settle(test, &p->srv);
	xch_take(&p->srv, &ctrl);
	KUNIT_EXPECT_FALSE(test, ctrl.pendclr);
	xch_told(test, &p->cli, &ctrl);

	xch_wish(&p->cli, 8192);
	xch_take(&p->cli, &ctrl);
	KUNIT_EXPECT_EQ(test, xch_asked(test, &p->srv, &ctrl, &resp), 0U);
	KUNIT_EXPECT_EQ(test, resp.done.words[0], 1U);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_local.rbsiz, 8192U);
	rpcrdma2_xch_respxch(&p->cli.xch, ctrl.xid, &resp);
	xch_settle(test, &p->srv);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_recvq.rq_bytes, XCH_RECVS * 8192U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->srv.xch));

	/* the administrator's word stands from before: it does not raise again */
	rpcrdma2_xch_own_recv(&p->srv.xch, 32768);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_recvq.rq_size, 8192U);
	/* his lower word means nothing here, a higher one does */
	rpcrdma2_xch_own_recv(&p->srv.xch, 4096);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_recvq.rq_size, 8192U);
	rpcrdma2_xch_own_recv(&p->srv.xch, 16384);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_recvq.rq_size, 16384U);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_local.rbsiz, 8192U);

	/* */
	rpcrdma2_xch_own_recv(&p->cli.xch, 32768);
	xch_settle(test, &p->cli);
	xch_take(&p->cli, &ctrl);
	memset(&ctrl, 0, sizeof(ctrl));
	ctrl.opttype = ROPT_REQXCH;
	rpcrdma2_xchar_set(&ctrl.values, RPCRDMA2_RBSIZ, 8192);
	xch_busy = true;
	xch_asked(test, &p->cli, &ctrl, &resp);
	KUNIT_EXPECT_EQ(test, resp.rej.words[0], 1U);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_local.rbsiz, 32768U);
	xch_busy = false;
	xch_asked(test, &p->cli, &ctrl, &resp);
	KUNIT_EXPECT_EQ(test, resp.done.words[0], 1U);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_usable, 4096U);
}

/* BUSY, given up: UPDXCH(value in force, TRUE) */
static void xch_asked_given_up(struct kunit *test)
{
	struct rpcrdma2_respxch resp;
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_requested(test, 16384, &ctrl);

	xch_ask_answer(test, &p->srv, &ctrl, &resp);
	rpcrdma2_xch_respxch(&p->cli.xch, ctrl.xid, &resp);
	xch_receive(test, &p->srv, 4096);
	xch_max = 8192;
	rpcrdma2_xch_progress(&p->srv.xch);
	KUNIT_EXPECT_EQ(test, xch_take(&p->srv, &ctrl), (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_TRUE(test, ctrl.pendclr);
	KUNIT_EXPECT_EQ(test, ctrl.values.rbsiz, 4096U);
	xch_told(test, &p->cli, &ctrl);
	KUNIT_EXPECT_EQ(test, xch_counted(&p->cli, RPCRDMA2_XE_GOT_NOT), 1U);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_recvq.rq_size, 4096U);
	xch_settle(test, &p->srv);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->srv.xch));
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_local.rbsiz, 4096U);
}

/**
 * xch_nudge - let a server send one request, if any, and have it answered
 * @test: test that runs
 * @p: both ends
 *
 * Return: opttype of what was sent, or 0
 */
static u32 xch_nudge(struct kunit *test, struct xch_pair *p)
{
	struct rpcrdma2_respxch resp;
	struct rpcrdma2_ctrl ctrl;
	u32 opttype = xch_take(&p->srv, &ctrl);

	if (opttype == ROPT_UPDXCH)
		xch_told(test, &p->cli, &ctrl);
	if (opttype != ROPT_REQXCH)
		return opttype;
	KUNIT_EXPECT_EQ(test, ctrl.values.present, 0U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->srv.xch));
	xch_asked(test, &p->cli, &ctrl, &resp);
	xch_receive(test, &p->srv, 64);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_respxch(&p->srv.xch, ctrl.xid, &resp));
	rpcrdma2_xch_progress(&p->srv.xch);
	return opttype;
}

/* C6, X-75: on an idle connection answers use up the shorter Receives */
static void xch_idle_raise(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	u32 i;

	rpcrdma2_xch_stir(&p->srv.xch, 4096);
	KUNIT_EXPECT_EQ(test, xch_nudge(test, p), 0U);
	rpcrdma2_xch_stir(&p->srv.xch, 16384);
	rpcrdma2_xch_stir(&p->srv.xch, 16384);
	KUNIT_EXPECT_EQ(test, xch_nudge(test, p), (u32)ROPT_REQXCH);
	KUNIT_EXPECT_EQ(test, xch_nudge(test, p), 0U);

	rpcrdma2_xch_own_recv(&p->srv.xch, 16384);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_recvq.rq_before, XCH_RECVS * 4096U);
	for (i = 0; i < XCH_RECVS; i++) {
		KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 4096U);
		KUNIT_EXPECT_EQ(test, xch_nudge(test, p), (u32)ROPT_REQXCH);
	}
	KUNIT_EXPECT_EQ(test, xch_nudge(test, p), (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 16384U);
	KUNIT_EXPECT_EQ(test, xch_nudge(test, p), 0U);
}

/* C6: what could not be sent has used up nothing, whatever it asked for */
static void xch_idle_unsent(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	struct rpcrdma2_xch *xch = &p->srv.xch;
	struct rpcrdma2_ctrl ctrl;
	u32 i;

	rpcrdma2_xch_own_recv(xch, 16384);
	xch_wish(&p->srv, 8192);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_next(xch, cpu_to_be32(7), &ctrl));
	KUNIT_EXPECT_EQ(test, ctrl.values.present, (u32)RPCRDMA2_HAS_RBSIZ);
	rpcrdma2_xch_unsent(xch, &ctrl);
	xch->xc_wish = 0;
	for (i = 0; i < XCH_RECVS; i++) {
		KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_next(xch, cpu_to_be32(8), &ctrl));
		rpcrdma2_xch_unsent(xch, &ctrl);
		KUNIT_EXPECT_EQ(test, xch_nudge(test, p), (u32)ROPT_REQXCH);
	}
	KUNIT_EXPECT_EQ(test, xch_nudge(test, p), (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_EQ(test, xch_nudge(test, p), 0U);
}

/* C6: one that is sent for another reason is not in addition */
static void xch_idle_unsent_confirms(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	struct rpcrdma2_xch *xch = &p->cli.xch;
	struct rpcrdma2_ctrl ctrl;
	u32 i;

	for (i = 1; i <= 3; i++) {
		rpcrdma2_xch_own_recv(xch, 4096 + 4096 * i);
		xch_settle(test, &p->cli);
		if (i < 3)
			KUNIT_EXPECT_EQ(test, xch_take(&p->cli, &ctrl), (u32)ROPT_UPDXCH);
	}
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_next(xch, cpu_to_be32(7), &ctrl));
	KUNIT_EXPECT_EQ(test, ctrl.opttype, (u32)ROPT_REQXCH);
	rpcrdma2_xch_unsent(xch, &ctrl);
	rpcrdma2_xch_confirm(xch, xch->xc_epoch);
	KUNIT_EXPECT_EQ(test, xch_take(&p->cli, &ctrl), (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_EQ(test, xch_take(&p->cli, &ctrl), 0U);
}

/* C6: where there is no memory for longer ones, it is tried once for each */
static void xch_idle_no_memory(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	u32 i;

	rpcrdma2_xch_own_recv(&p->srv.xch, 16384);
	p->srv.xch.xc_recvq.rq_behind = 1000;
	for (i = 0; i < XCH_RECVS; i++)
		KUNIT_EXPECT_EQ(test, xch_nudge(test, p), (u32)ROPT_REQXCH);
	KUNIT_EXPECT_EQ(test, xch_nudge(test, p), 0U);
	/* the administrator does something about it */
	rpcrdma2_xch_stir(&p->srv.xch, 4096);
	KUNIT_EXPECT_EQ(test, xch_nudge(test, p), (u32)ROPT_REQXCH);
	KUNIT_EXPECT_EQ(test, xch_nudge(test, p), 0U);
}

/**
 * xch_provided - a client's request for longer Receives waits for memory
 * @test: test that runs
 * @size: the length it asks for, in bytes
 *
 * Return: both ends, the request answered
 */
static struct xch_pair *xch_provided(struct kunit *test, u32 size)
{
	struct rpcrdma2_respxch resp;
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_requested(test, size, &ctrl);

	p->srv.xch.xc_ops = &xch_providing_ops;
	xch_ask_answer(test, &p->srv, &ctrl, &resp);
	rpcrdma2_xch_respxch(&p->cli.xch, ctrl.xid, &resp);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_pending, (u32)RPCRDMA2_HAS_RBSIZ);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_awaited, size);
	return p;
}

/* C8: no raise before there is memory, then one to what there is */
static void xch_wait_memory(struct kunit *test)
{
	struct xch_pair *p = xch_provided(test, 16384);
	struct rpcrdma2_ctrl ctrl;

	xch_settle(test, &p->srv);
	xch_settle(test, &p->srv);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->srv.xch));
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_local.rbsiz, 4096U);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_recvq.rq_size, 4096U);

	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_provide(&p->srv.xch, 4096));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_provide(&p->srv.xch, 32768));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_provide(&p->srv.xch, 32768));
	rpcrdma2_xch_progress(&p->srv.xch);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_local.rbsiz, 4096U);
	xch_settle(test, &p->srv);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_local.rbsiz, 32768U);
	KUNIT_EXPECT_EQ(test, xch_take(&p->srv, &ctrl), (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_TRUE(test, ctrl.pendclr);
	KUNIT_EXPECT_EQ(test, ctrl.values.rbsiz, 32768U);
	xch_told(test, &p->cli, &ctrl);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_pending, 0U);
}

/* C8: there is none, and the peer is told so once */
static void xch_wait_in_vain(struct kunit *test)
{
	struct xch_pair *p = xch_provided(test, 16384);
	struct rpcrdma2_ctrl ctrl;

	rpcrdma2_xch_withhold(&p->srv.xch);
	KUNIT_EXPECT_EQ(test, xch_take(&p->srv, &ctrl), (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_TRUE(test, ctrl.pendclr);
	KUNIT_EXPECT_EQ(test, ctrl.values.rbsiz, 4096U);
	xch_told(test, &p->cli, &ctrl);
	KUNIT_EXPECT_EQ(test, xch_counted(&p->cli, RPCRDMA2_XE_GOT_NOT), 1U);
	rpcrdma2_xch_withhold(&p->srv.xch);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->srv.xch));
}

/* C8: nobody has asked; the peer is told of it without an end of anything */
static void xch_wait_own(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	u32 i;

	p->srv.xch.xc_ops = &xch_providing_ops;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_provide(&p->srv.xch, 16384));
	rpcrdma2_xch_withhold(&p->srv.xch);
	for (i = 0; i < XCH_RECVS; i++)
		KUNIT_EXPECT_EQ(test, xch_nudge(test, p), (u32)ROPT_REQXCH);
	KUNIT_EXPECT_EQ(test, xch_nudge(test, p), (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 16384U);
	KUNIT_EXPECT_EQ(test, xch_nudge(test, p), 0U);
	/* a peer that has no ears for it */
	p->srv.xch.xc_refused = 1U << ROPT_UPDXCH;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_provide(&p->srv.xch, 32768));
}

/* C8: the last short Receive is used up, and not replaced yet */
static void xch_wait_enough(struct kunit *test)
{
	struct xch_pair *p = xch_provided(test, 16384);
	struct rpcrdma2_xch *xch = &p->srv.xch;
	struct rpcrdma2_ctrl ctrl;

	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_provide(xch, 16384));
	while (xch->xc_recvq.rq_posted)
		rpcrdma2_recvq_consume(&xch->xc_recvq, 4096);
	rpcrdma2_xch_progress(xch);
	KUNIT_EXPECT_EQ(test, xch->xc_local.rbsiz, 4096U);
	while (xch->xc_recvq.rq_posted < XCH_RECVS)
		rpcrdma2_recvq_post(&xch->xc_recvq, 16384);
	rpcrdma2_xch_progress(xch);
	KUNIT_EXPECT_EQ(test, xch->xc_local.rbsiz, 16384U);
	KUNIT_EXPECT_EQ(test, xch_take(&p->srv, &ctrl), (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_EQ(test, ctrl.values.rbsiz, 16384U);
}

/* C6: Receives that nobody needs */
static void xch_flushed(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	u32 i;

	rpcrdma2_xch_flush(&p->srv.xch, 3);
	rpcrdma2_xch_flush(&p->srv.xch, 2);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, xch_nudge(test, p), (u32)ROPT_REQXCH);
	KUNIT_EXPECT_EQ(test, xch_nudge(test, p), 0U);
}

/* Another raise while it is still to be announced that the last one is done */
static void xch_raise_unannounced(struct kunit *test)
{
	struct rpcrdma2_respxch resp;
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_requested(test, 16384, &ctrl);

	xch_ask_answer(test, &p->srv, &ctrl, &resp);
	rpcrdma2_xch_respxch(&p->cli.xch, ctrl.xid, &resp);
	xch_settle(test, &p->srv);
	rpcrdma2_xch_own_recv(&p->srv.xch, 32768);
	KUNIT_EXPECT_EQ(test, xch_take(&p->srv, &ctrl), (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_TRUE(test, ctrl.pendclr);
	KUNIT_EXPECT_EQ(test, ctrl.values.rbsiz, 16384U);
	xch_settle(test, &p->srv);
	KUNIT_EXPECT_EQ(test, xch_take(&p->srv, &ctrl), (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_FALSE(test, ctrl.pendclr);
	KUNIT_EXPECT_EQ(test, ctrl.values.rbsiz, 32768U);
}

/* C5, X-73: two unconfirmed, then a request; a raise counts when confirmed */
static void xch_confirmed(struct kunit *test)
{
	struct rpcrdma2_respxch resp;
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_connect(test);
	u32 before = p->cli.xch.xc_epoch;
	u32 i;

	for (i = 1; i <= 3; i++) {
		rpcrdma2_xch_own_recv(&p->cli.xch, 4096 + 4096 * i);
		xch_settle(test, &p->cli);
		if (i < 3)
			KUNIT_EXPECT_EQ(test, xch_take(&p->cli, &ctrl), (u32)ROPT_UPDXCH);
	}
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_recv_limit(&p->cli.xch), 4096U);
	rpcrdma2_xch_confirm(&p->cli.xch, before);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_recv_limit(&p->cli.xch), 4096U);

	KUNIT_EXPECT_EQ(test, xch_take(&p->cli, &ctrl), (u32)ROPT_REQXCH);
	KUNIT_EXPECT_EQ(test, ctrl.values.present, 0U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->cli.xch));
	xch_ask_answer(test, &p->srv, &ctrl, &resp);
	rpcrdma2_xch_respxch(&p->cli.xch, ctrl.xid, &resp);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_recv_limit(&p->cli.xch), 12288U);
	KUNIT_EXPECT_EQ(test, xch_take(&p->cli, &ctrl), (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_EQ(test, ctrl.values.rbsiz, 16384U);
	rpcrdma2_xch_confirm(&p->cli.xch, before + 2);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_recv_limit(&p->cli.xch), 12288U);
	rpcrdma2_xch_confirm(&p->cli.xch, before + 3);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_recv_limit(&p->cli.xch), 16384U);
	/* refused, and so not known */
	rpcrdma2_xch_own_recv(&p->cli.xch, 32768);
	xch_settle(test, &p->cli);
	xch_take(&p->cli, &ctrl);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_error(&p->cli.xch, ctrl.xid,
						 RDMA2_ERR_INVAL_OPTION),
			(u32)ROPT_UPDXCH);
	rpcrdma2_xch_confirm(&p->cli.xch, p->cli.xch.xc_epoch);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_recv_limit(&p->cli.xch), 16384U);
	/* not told again, and so of no use */
	rpcrdma2_xch_stir(&p->cli.xch, 65536);
	rpcrdma2_xch_own_recv(&p->cli.xch, 65536);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_recvq.rq_size, 32768U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->cli.xch));
}

/**
 * xch_ask_client - have the server ask a client for an RBSIZ, out of the blue
 * @test: test that runs
 * @p: both ends
 * @size: the size, in bytes
 *
 * Return: first word of optrespxch_done
 */
static u32 xch_ask_client(struct kunit *test, struct xch_pair *p, u32 size)
{
	struct rpcrdma2_ctrl ctrl = { .opttype = ROPT_REQXCH };
	struct rpcrdma2_respxch resp;

	rpcrdma2_xchar_set(&ctrl.values, RPCRDMA2_RBSIZ, size);
	xch_ask_answer(test, &p->cli, &ctrl, &resp);
	return resp.done.words[0];
}

/* C4: whatever was decided before is said before */
static void xch_answer_first(struct kunit *test)
{
	struct rpcrdma2_respxch resp;
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_requested(test, 8192, &ctrl);

	xch_ask_answer(test, &p->srv, &ctrl, &resp);
	xch_settle(test, &p->srv);
	KUNIT_EXPECT_EQ(test, xch_take(&p->srv, &ctrl), (u32)ROPT_UPDXCH);

	memset(&ctrl, 0, sizeof(ctrl));
	ctrl.opttype = ROPT_REQXCH;
	rpcrdma2_xchar_set(&ctrl.values, RPCRDMA2_RBSIZ, 4096);
	xch_asked(test, &p->srv, &ctrl, &resp);
	xch_asked(test, &p->srv, &ctrl, &resp);
	KUNIT_EXPECT_EQ(test, resp.done.words[0], 1U);
	rpcrdma2_xch_own_recv(&p->srv.xch, 16384);
	xch_settle(test, &p->srv);
	KUNIT_EXPECT_EQ(test, p->srv.xch.xc_local.rbsiz, 16384U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->srv.xch));
	rpcrdma2_xch_answered(&p->srv.xch);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->srv.xch));
	rpcrdma2_xch_answered(&p->srv.xch);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_due(&p->srv.xch));
}

/* A lower size overtakes a raise, whatever has become of that so far */
static void xch_lower_meanwhile(struct kunit *test)
{
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_connect(test);

	/* confirmed */
	rpcrdma2_xch_own_recv(&p->cli.xch, 32768);
	xch_settle(test, &p->cli);
	xch_take(&p->cli, &ctrl);
	rpcrdma2_xch_confirm(&p->cli.xch, p->cli.xch.xc_epoch);
	KUNIT_EXPECT_EQ(test, xch_ask_client(test, p, 16384), 1U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_recv_limit(&p->cli.xch), 16384U);

	/* announced, and confirmed later */
	rpcrdma2_xch_own_recv(&p->cli.xch, 40960);
	xch_settle(test, &p->cli);
	xch_take(&p->cli, &ctrl);
	KUNIT_EXPECT_EQ(test, xch_ask_client(test, p, 8192), 1U);
	rpcrdma2_xch_confirm(&p->cli.xch, p->cli.xch.xc_epoch);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_recv_limit(&p->cli.xch), 8192U);

	/* complete, but not announced */
	rpcrdma2_xch_own_recv(&p->cli.xch, 49152);
	xch_settle(test, &p->cli);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_due(&p->cli.xch));
	KUNIT_EXPECT_EQ(test, xch_ask_client(test, p, 6000), 1U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->cli.xch));

	/* under way */
	rpcrdma2_xch_own_recv(&p->cli.xch, 65536);
	KUNIT_EXPECT_EQ(test, xch_ask_client(test, p, 5000), 1U);
	xch_settle(test, &p->cli);
	KUNIT_EXPECT_EQ(test, p->cli.xch.xc_local.rbsiz, 5000U);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_due(&p->cli.xch));
}

/* What is not posted yet cannot be confirmed */
static void xch_confirm_unsent(struct kunit *test)
{
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_connect(test);

	rpcrdma2_xch_own_recv(&p->cli.xch, 32768);
	xch_settle(test, &p->cli);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_next(&p->cli.xch, cpu_to_be32(5), &ctrl));
	rpcrdma2_xch_confirm(&p->cli.xch, p->cli.xch.xc_epoch);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_recv_limit(&p->cli.xch), 4096U);
	rpcrdma2_xch_sent(&p->cli.xch, &ctrl);
	rpcrdma2_xch_confirm(&p->cli.xch, p->cli.xch.xc_epoch);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_recv_limit(&p->cli.xch), 32768U);
}

/* Requests that cross have nothing to do with each other */
static void xch_crossing(struct kunit *test)
{
	struct rpcrdma2_respxch to_cli, to_srv;
	struct rpcrdma2_ctrl cli, srv;
	struct xch_pair *p = xch_requested(test, 16384, &cli);

	KUNIT_EXPECT_NE(test, xch_wish(&p->srv, 8192), 0U);
	KUNIT_EXPECT_EQ(test, xch_take(&p->srv, &srv), (u32)ROPT_REQXCH);
	xch_ask_answer(test, &p->srv, &cli, &to_cli);
	xch_ask_answer(test, &p->cli, &srv, &to_srv);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_respxch(&p->cli.xch, cli.xid, &to_cli));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_respxch(&p->srv.xch, srv.xid, &to_srv));
	xch_settle(test, &p->srv);
	xch_settle(test, &p->cli);
	xch_take(&p->srv, &srv);
	xch_take(&p->cli, &cli);
	xch_told(test, &p->cli, &srv);
	xch_told(test, &p->srv, &cli);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 16384U);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->srv.xch), 8192U);
}

/* values begin anew, events go on; A-47: a second INITXCH is ignored */
static void xch_reconnect(struct kunit *test)
{
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_requested(test, 16384, &ctrl);

	xch_respond(&p->cli, ctrl.xid, 1, 0, 0);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_initxch(&p->cli.xch,
						      &p->srv.xch.xc_local));
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 16384U);
	rpcrdma2_xch_reset(&p->cli.xch);
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_send_limit(&p->cli.xch), 4096U);
	KUNIT_EXPECT_EQ(test, xch_counted(&p->cli, RPCRDMA2_XE_GOT), 1U);
}

/* Short Receives within a batch: whatever the order, the last one counts */
static void xch_short_recvs(struct kunit *test)
{
	struct rpcrdma2_recvq rq = { .rq_size = 8192 };

	rpcrdma2_recvq_post(&rq, 8192);
	KUNIT_EXPECT_EQ(test, rq.rq_behind, 0U);
	rpcrdma2_recvq_post(&rq, 4096);
	rpcrdma2_recvq_post(&rq, 8192);
	KUNIT_EXPECT_EQ(test, rq.rq_behind, 3U);
	rpcrdma2_recvq_consume(&rq, 8192);
	rpcrdma2_recvq_post(&rq, 8192);
	KUNIT_EXPECT_EQ(test, rq.rq_behind, 2U);
	rpcrdma2_recvq_resize(&rq, 4096);
	KUNIT_EXPECT_EQ(test, rq.rq_behind, 2U);
	rpcrdma2_recvq_resize(&rq, 16384);
	KUNIT_EXPECT_EQ(test, rq.rq_behind, 3U);
	KUNIT_EXPECT_EQ(test, rq.rq_bytes, 20480U);
}

/*
 * Section: everything at once
 */

/**
 * struct xch_flight - a message under way
 * @kind: ROPT_REQXCH, ROPT_RESPXCH or ROPT_UPDXCH, or 0 for anything else
 * @length: its length, in bytes
 * @ctrl: request or announcement
 * @resp: answer
 */
struct xch_flight {
	u32			kind;
	u32			length;
	struct rpcrdma2_ctrl	ctrl;
	struct rpcrdma2_respxch	resp;
};

/**
 * struct xch_link - what is under way in one direction, oldest first
 * @msgs: messages
 * @count: how many
 */
struct xch_link {
	struct xch_flight	msgs[XCH_QUEUE];
	u32			count;
};

static u32 xch_seed;

/**
 * xch_random - the next of a series of numbers
 * @below: bound
 *
 * Return: a number below @below, the same in every run
 */
static u32 xch_random(u32 below)
{
	xch_seed = xch_seed * 1664525 + 1013904223;
	return (xch_seed >> 8) % below;
}

/**
 * xch_put_link - send something
 * @link: direction
 * @kind: opttype, or 0
 * @length: its length, in bytes
 *
 * Return: room for it
 */
static struct xch_flight *xch_put_link(struct xch_link *link, u32 kind, u32 length)
{
	struct xch_flight *fl = &link->msgs[link->count++];

	fl->kind = kind;
	fl->length = length;
	return fl;
}

/**
 * xch_arrive - the oldest message arrives
 * @test: test that runs
 * @end: where
 * @from: how it came
 * @back: where the answer goes
 */
static void xch_arrive(struct kunit *test, struct xch_end *end,
		       struct xch_link *from, struct xch_link *back)
{
	struct xch_flight fl = from->msgs[0], *answer;

	memmove(&from->msgs[0], &from->msgs[1],
		--from->count * sizeof(from->msgs[0]));
	xch_receive(test, end, fl.length);
	switch (fl.kind) {
	case ROPT_REQXCH:
		answer = xch_put_link(back, ROPT_RESPXCH, 64);
		xch_ask_answer(test, end, &fl.ctrl, &answer->resp);
		answer->ctrl.xid = fl.ctrl.xid;
		break;
	case ROPT_RESPXCH:
		KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_respxch(&end->xch, fl.ctrl.xid,
							     &fl.resp));
		break;
	case ROPT_UPDXCH:
		xch_told(test, end, &fl.ctrl);
		break;
	}
	rpcrdma2_xch_progress(&end->xch);
}

/**
 * xch_act - an end does something
 * @end: the end
 * @to: where its messages go
 */
static void xch_act(struct xch_end *end, struct xch_link *to)
{
	struct rpcrdma2_ctrl ctrl;
	u32 kind;

	switch (xch_random(6)) {
	case 0:
		xch_wish(end, 4096 + xch_random(61440));
		break;
	case 1:
		rpcrdma2_xch_own_recv(&end->xch, 4096 + xch_random(61440));
		break;
	case 2:
		kind = xch_take(end, &ctrl);
		if (kind)
			xch_put_link(to, kind, 64)->ctrl = ctrl;
		break;
	default:
		xch_put_link(to, 0, rpcrdma2_xch_send_limit(&end->xch));
	}
}

/* whatever happens, no message is longer than the Receive it meets */
static void xch_random_walk(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	struct xch_link *up = kunit_kzalloc(test, sizeof(*up), GFP_KERNEL);
	struct xch_link *down = kunit_kzalloc(test, sizeof(*down), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, up);
	KUNIT_ASSERT_NOT_NULL(test, down);
	xch_seed = 1;
	for (i = 0; i < 20000; i++) {
		if (xch_random(2) && up->count < XCH_QUEUE - 4)
			xch_act(&p->cli, up);
		if (xch_random(2) && down->count < XCH_QUEUE - 4)
			xch_act(&p->srv, down);
		if (xch_random(2) && up->count)
			xch_arrive(test, &p->srv, up, down);
		if (xch_random(2) && down->count)
			xch_arrive(test, &p->cli, down, up);
		KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_active(&p->cli.xch) ||
				  !rpcrdma2_xch_due(&p->cli.xch));
		KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_active(&p->srv.xch) ||
				  !rpcrdma2_xch_due(&p->srv.xch));
		if (!xch_random(50))
			xch_max = 4096 + xch_random(61440);
		KUNIT_EXPECT_LE(test, p->cli.xch.xc_nr_announced, 2U);
		KUNIT_EXPECT_LE(test, p->srv.xch.xc_nr_announced, 2U);
	}
	/* something did happen */
	KUNIT_EXPECT_GT(test, xch_counted(&p->cli, RPCRDMA2_XE_GOT), 100U);
	KUNIT_EXPECT_GT(test, xch_counted(&p->cli, RPCRDMA2_XE_GOT_NOT), 20U);
	KUNIT_EXPECT_GT(test, xch_counted(&p->srv, RPCRDMA2_XE_UPDXCH_SENT), 100U);
	KUNIT_EXPECT_GT(test, xch_counted(&p->cli, RPCRDMA2_XE_UPDXCH_SENT), 10U);
}

/* reports count among what is unconfirmed; E-02 */
static void xch_reports(struct kunit *test)
{
	struct rpcrdma2_ctrl ctrl;
	struct xch_pair *p = xch_connect(test);
	struct rpcrdma2_xch *xch = &p->cli.xch;
	u32 before = xch->xc_epoch;

	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_report_begin(xch));
	rpcrdma2_xch_report_end(xch, false);
	KUNIT_EXPECT_EQ(test, xch->xc_nr_announced, 0U);
	KUNIT_EXPECT_EQ(test, xch->xc_epoch, before);

	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_report_begin(xch));
	rpcrdma2_xch_report_end(xch, true);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_report_begin(xch));
	/* not posted yet, so that no answer can confirm it */
	rpcrdma2_xch_confirm(xch, before + 2);
	KUNIT_EXPECT_EQ(test, xch->xc_nr_announced, 1U);
	rpcrdma2_xch_report_end(xch, true);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_report_begin(xch));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_xch_report_begin(xch));
	rpcrdma2_xch_report_end(xch, true);

	/* what is to be announced waits, and an empty request helps */
	rpcrdma2_xch_own_recv(xch, 8192);
	xch_settle(test, &p->cli);
	KUNIT_EXPECT_EQ(test, xch_take(&p->cli, &ctrl), (u32)ROPT_REQXCH);
	KUNIT_EXPECT_EQ(test, ctrl.values.present, 0U);

	/* an error with the xid that a report has not is not about it */
	KUNIT_EXPECT_EQ(test, rpcrdma2_xch_error(xch, 0,
						 RDMA2_ERR_INVAL_OPTION), 0U);
	KUNIT_EXPECT_EQ(test, xch->xc_nr_announced, 2U);
	rpcrdma2_xch_confirm(xch, xch->xc_epoch);
	KUNIT_EXPECT_EQ(test, xch->xc_nr_announced, 0U);
}

/* an announcement that is not posted does not take a report with it */
static void xch_report_beside(struct kunit *test)
{
	struct xch_pair *p = xch_connect(test);
	struct rpcrdma2_xch *xch = &p->cli.xch;
	struct rpcrdma2_ctrl ctrl;

	rpcrdma2_xch_own_recv(xch, 8192);
	xch_settle(test, &p->cli);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_next(xch, cpu_to_be32(1), &ctrl));
	KUNIT_EXPECT_EQ(test, ctrl.opttype, (u32)ROPT_UPDXCH);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_report_begin(xch));
	rpcrdma2_xch_unsent(xch, &ctrl);
	KUNIT_EXPECT_EQ(test, xch->xc_nr_announced, 1U);
	rpcrdma2_xch_report_end(xch, true);
	rpcrdma2_xch_confirm(xch, xch->xc_epoch);
	KUNIT_EXPECT_EQ(test, xch->xc_nr_announced, 0U);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_xch_due(xch));
}

static struct kunit_case rpcrdma2_xchar_cases[] = {
	KUNIT_CASE(xch_ask_done),
	KUNIT_CASE(xch_ask_rejected),
	KUNIT_CASE(xch_ask_foreign_answer),
	KUNIT_CASE(xch_ask_pending),
	KUNIT_CASE(xch_ask_lower),
	KUNIT_CASE(xch_ask_first),
	KUNIT_CASE(xch_ask_outdone),
	KUNIT_CASE(xch_ask_lower_meanwhile),
	KUNIT_CASE(xch_told_odd),
	KUNIT_CASE(xch_ask_refused),
	KUNIT_CASE(xch_ask_in_vain),
	KUNIT_CASE(xch_not_sent),
	KUNIT_CASE(xch_refused_unsent),
	KUNIT_CASE(xch_denied_less),
	KUNIT_CASE(xch_asked_early),
	KUNIT_CASE(xch_asked_elements),
	KUNIT_CASE(xch_asked_sizes),
	KUNIT_CASE(xch_asked_raise),
	KUNIT_CASE(xch_asked_lower),
	KUNIT_CASE(xch_asked_given_up),
	KUNIT_CASE(xch_idle_raise),
	KUNIT_CASE(xch_idle_unsent),
	KUNIT_CASE(xch_idle_unsent_confirms),
	KUNIT_CASE(xch_idle_no_memory),
	KUNIT_CASE(xch_wait_memory),
	KUNIT_CASE(xch_wait_in_vain),
	KUNIT_CASE(xch_wait_own),
	KUNIT_CASE(xch_wait_enough),
	KUNIT_CASE(xch_flushed),
	KUNIT_CASE(xch_raise_unannounced),
	KUNIT_CASE(xch_confirmed),
	KUNIT_CASE(xch_reports),
	KUNIT_CASE(xch_report_beside),
	KUNIT_CASE(xch_answer_first),
	KUNIT_CASE(xch_lower_meanwhile),
	KUNIT_CASE(xch_confirm_unsent),
	KUNIT_CASE(xch_crossing),
	KUNIT_CASE(xch_reconnect),
	KUNIT_CASE(xch_short_recvs),
	KUNIT_CASE(xch_random_walk),
	{ }
};

static struct kunit_suite rpcrdma2_xchar_suite = {
	.name		= "rpcrdma2_xchar",
	.test_cases	= rpcrdma2_xchar_cases,
};

kunit_test_suite(rpcrdma2_xchar_suite);

MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests of RPC-over-RDMA version 2 characteristics");
MODULE_LICENSE("GPL");
