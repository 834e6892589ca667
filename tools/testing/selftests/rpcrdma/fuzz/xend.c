// SPDX-License-Identifier: GPL-2.0
/*
 * One end of a connection: what it does by itself, and what always holds of its
 * characteristics (C1 to C8 of exchange.c).
 */

#include <string.h>

#include "codec_priv.h"
#include "xend.h"

const struct rpcrdma2_limits xend_limits = {
	.max_message = 1 << 20, .max_read_segs = 8, .max_write_chunks = 8,
	.max_segs = 8, .opttypes = 0x1fe,
};

static u32 xend_max_recv(const struct rpcrdma2_xch *xch)
{
	return ((const struct xend *)xch)->max_recv;
}

static bool xend_may_lower(const struct rpcrdma2_xch *xch, u32 size)
{
	(void)size;
	return !((const struct xend *)xch)->calls;
}

static bool xend_may_tell(const struct rpcrdma2_xch *xch)
{
	return ((const struct xend *)xch)->nposted >= XEND_NEEDED;
}

static const struct rpcrdma2_xch_ops xend_client = {
	.max_recv	= xend_max_recv,
	.may_lower	= xend_may_lower,
	.end		= RPCRDMA2_STATED_BY_CLIENT,
	.asks_lower	= true,
};

static const struct rpcrdma2_xch_ops xend_server = {
	.max_recv	= xend_max_recv,
	.end		= RPCRDMA2_STATED_BY_SERVER,
};

static const struct rpcrdma2_xch_ops xend_provider = {
	.max_recv	= xend_max_recv,
	.may_tell	= xend_may_tell,
	.end		= RPCRDMA2_STATED_BY_SERVER,
	.provides	= true,
};

/**
 * xend_forget - begin anew
 * @end: one end
 *
 * Nothing survives but what was counted.
 */
static void xend_forget(struct xend *end)
{
	static struct rpcrdma2_xch fresh;

	memset(&fresh, 0, sizeof(fresh));
	memcpy(fresh.xc_counts, end->xch.xc_counts, sizeof(fresh.xc_counts));
	fresh.xc_recvq.rq_buffers = end->xch.xc_recvq.rq_buffers;
	rpcrdma2_xch_reset(&fresh);
	rpcrdma2_xch_reset(&end->xch);
	require(!memcmp(&fresh, &end->xch, sizeof(fresh)), "nothing survives a connection");
	require(!rpcrdma2_xch_due(&end->xch) && !rpcrdma2_xch_active(&end->xch),
		"at first there is nothing to say");
	require(rpcrdma2_xch_send_limit(&end->xch) == RPCRDMA2_DEF_INLINE &&
		rpcrdma2_xch_recv_limit(&end->xch) == RPCRDMA2_DEF_INLINE,
		"at first sizes are those that everybody has");
}

/**
 * xend_begin - get ready for a connection
 * @end: one end, perhaps of an earlier connection
 * @client: it is the client
 * @xid: where its xids begin
 * @in: input
 */
void xend_begin(struct xend *end, bool client, u32 xid, struct input *in)
{
	struct rpcrdma2_xchars local;
	u32 size = input_byte(in);

	xend_forget(end);
	end->nposted = 0;
	end->scarce = false;
	end->longer = false;
	end->outdone = false;
	end->max_recv = XEND_MAX;
	end->provides = !client && size & 4;
	end->calls = 0;
	end->unanswered = 0;
	end->taken = false;
	end->reporting = false;
	end->xid = xid;
	end->wished = 0;

	rpcrdma2_xchars_default(&local);
	rpcrdma2_xchar_set(&local, RPCRDMA2_RBSIZ,
			   RPCRDMA2_DEF_INLINE + size % 4 * 4096);
	rpcrdma2_xchar_set(&local, RPCRDMA2_REQREMINV, true);
	rpcrdma2_xchar_set(&local, RPCRDMA2_RTRSUPP, input_below(in, RDMA2_RTRSUPP_ALL + 1));
	local.nochg = input_byte(in) & local.present;
	rpcrdma2_xch_begin(&end->xch, client ? &xend_client :
			   end->provides ? &xend_provider : &xend_server, &local);
	end->before = end->xch.xc_local;
	xend_post(end, NULL);
}

/*
 * Section: Receives
 */

/**
 * xend_length - how long is a Receive that is to be posted?
 * @end: one end
 * @in: input, or NULL if memory is not short
 *
 * Return: a length in bytes; where there is no memory for another one, that of an
 * old one that will do
 */
static u32 xend_length(const struct xend *end, struct input *in)
{
	u32 size = end->xch.xc_recvq.rq_size, least = end->xch.xc_local.rbsiz;

	if (!in || !input_flag(in))
		return size;
	return input_near(in, least, least > size ? least : size);
}

/**
 * xend_post - keep Receives posted
 * @end: one end
 * @in: input, or NULL if nothing goes wrong
 *
 * They are a batch, of which the device takes the first one last. Where memory has
 * to be provided there may be buffers for some of them only.
 */
void xend_post(struct xend *end, struct input *in)
{
	struct rpcrdma2_recvq *rq = &end->xch.xc_recvq;
	u32 lengths[XEND_RECVS], n = XEND_RECVS - end->nposted, i;

	/* Inputs that are kept have a byte or two for Receives that were refused */
	if (in && n && input_flag(in)) {
		i = input_below(in, n + 1);
		n -= end->provides ? i : 0;
	}
	for (i = 0; i < n; i++) {
		lengths[i] = xend_length(end, in);
		end->scarce |= lengths[i] < rq->rq_size;
		rpcrdma2_recvq_post(rq, lengths[i]);
	}
	for (i = n; i > 0; i--)
		end->posted[end->nposted++] = lengths[i - 1];
}

/**
 * xend_consume - a message has arrived
 * @end: one end
 * @length: length of the message, in bytes
 */
void xend_consume(struct xend *end, u32 length)
{
	u32 size = end->posted[0];

	require(end->nposted, "a Receive is posted");
	require(length <= size, "no message is longer than its Receive");
	end->nposted--;
	memmove(&end->posted[0], &end->posted[1], end->nposted * sizeof(end->posted[0]));
	rpcrdma2_recvq_consume(&end->xch.xc_recvq, size);
}

/*
 * Section: what an end does by itself
 */

/**
 * xend_ask - wish for other values of the peer's, once these are known
 * @end: one end
 * @in: input
 */
void xend_ask(struct xend *end, struct input *in)
{
	const struct rpcrdma2_xch *xch = &end->xch;
	u32 bits, busy = xch->xc_requested | xch->xc_pending;
	struct rpcrdma2_xchars want;

	if (!xch->xc_heard)
		return;
	rpcrdma2_xchars_default(&want);
	want.present = input_below(in, 1 << RPCRDMA2_NUM_XCHARS);
	want.rbsiz = input_near(in, RPCRDMA2_DEF_INLINE, XEND_MAX);
	want.brs = input_below(in, RDMA2_BRS_GENL + 1);
	want.rtrsupp = input_below(in, RDMA2_RTRSUPP_ALL + 1);
	want.reqreminv = input_flag(in);
	bits = rpcrdma2_xch_ask(&end->xch, &want);
	trace("  ask for %x, size %u: %x", want.present, want.rbsiz, bits);
	require(!(bits & ~want.present) && !(bits & busy) && !(bits & xch->xc_peer.nochg),
		"what is under way, or will not change, is not asked for");
	require(!bits || !(xch->xc_refused & BIT(ROPT_REQXCH)),
		"who does not know requests is not asked");
	end->wished |= bits;
	if (bits & RPCRDMA2_HAS_RBSIZ)
		end->longer = want.rbsiz > xch->xc_peer.rbsiz;
}

/**
 * xend_provide - there is memory for longer Receives
 * @end: one end
 * @size: their length, in bytes
 *
 * Return: %false if the peer does not learn of it
 */
static bool xend_provide(struct xend *end, u32 size)
{
	const struct rpcrdma2_xch *xch = &end->xch;
	u32 before = xch->xc_recvq.rq_size;
	bool begun = rpcrdma2_xch_provide(&end->xch, size);

	require(begun == (size > before && !(xch->xc_refused & BIT(ROPT_UPDXCH)) &&
			  !(xch->xc_local.nochg & RPCRDMA2_HAS_RBSIZ)),
		"what is there is used, if the peer can hear of it");
	require(!begun || (!xch->xc_awaited && xch->xc_recvq.rq_size == size),
		"who waits for memory does so until it is there (C8)");
	return begun;
}

/**
 * xend_own - the administrator, or memory, has something happen
 * @end: one end
 * @in: input
 */
void xend_own(struct xend *end, struct input *in)
{
	u32 size = input_near(in, RPCRDMA2_DEF_INLINE, XEND_MAX);

	switch (input_below(in, end->provides ? 8 : 5)) {
	case 0:
		if (end->provides)
			break;
		trace("  own size %u", size);
		rpcrdma2_xch_own_recv(&end->xch, size);
		break;
	case 1:
		trace("  own brs %u", size % 3);
		rpcrdma2_xch_own_value(&end->xch, RPCRDMA2_BRS, size % 3);
		break;
	case 2:
		trace("  own rtrsupp %u", size % 8);
		rpcrdma2_xch_own_value(&end->xch, RPCRDMA2_RTRSUPP, size % 8);
		break;
	case 3:
		trace("  stir, size %u", size);
		rpcrdma2_xch_stir(&end->xch, size);
		break;
	case 4:
		trace("  bound %u", size);
		end->max_recv = size;
		break;
	case 5:
		trace("  provide %u", size);
		xend_provide(end, size);
		break;
	case 6:
		trace("  withhold");
		rpcrdma2_xch_withhold(&end->xch);
		break;
	case 7:
		trace("  flush %u", size % XEND_RECVS);
		rpcrdma2_xch_flush(&end->xch, size % XEND_RECVS);
		break;
	}
}

/**
 * xend_supply - tell a peer that waits for memory what there is of it
 * @end: one end
 */
void xend_supply(struct xend *end)
{
	u32 size = end->xch.xc_awaited;

	if (size && !xend_provide(end, size))
		rpcrdma2_xch_withhold(&end->xch);
}

/**
 * xend_take - take a message that is due
 * @end: one end
 *
 * It tells no value that is not in force, and not before the peer was told that
 * it was going to change (C2, C4).
 *
 * Return: %false if there is none
 */
bool xend_take(struct xend *end)
{
	const struct rpcrdma2_xch *xch = &end->xch;
	bool due = rpcrdma2_xch_due(xch);

	if (end->taken)
		return false;
	end->taken = rpcrdma2_xch_next(&end->xch, cpu_to_be32(end->xid + 1), &end->ctrl);
	require(end->taken == due, "what is due can be taken");
	if (!due)
		return false;
	end->xid++;
	trace("  take %u, xid %u, %x, size %u, pendclr %u", end->ctrl.opttype, end->xid,
	      end->ctrl.values.present, end->ctrl.values.rbsiz, end->ctrl.pendclr);
	require(xch->xc_heard && xch->xc_stated, "nothing is said before both ends are known");
	if (end->ctrl.opttype == ROPT_REQXCH) {
		end->outdone = false;
		require(end->ctrl.values.present == xch->xc_requested && xch->xc_req_open,
			"a request is one for what it asks");
		require(!(xch->xc_refused & BIT(ROPT_REQXCH)), "who knows no requests gets none");
		require(!(end->ctrl.values.present & RPCRDMA2_HAS_RBSIZ) ||
			end->ctrl.values.rbsiz > xch->xc_peer.rbsiz ||
			(xch->xc_ops->asks_lower && !end->longer),
			"who wishes for longer Receives asks for longer ones (C7)");
		return true;
	}
	require(end->ctrl.opttype == ROPT_UPDXCH && hweight32(end->ctrl.values.present) == 1,
		"one value is announced");
	require(!end->unanswered, "an answer goes first (C4)");
	require(!(xch->xc_refused & BIT(ROPT_UPDXCH)), "who knows no announcements gets none");
	require(end->ctrl.values.rbsiz == xch->xc_local.rbsiz, "what is announced is in force");
	return true;
}

/**
 * xend_encode - write the message that was taken
 * @end: one end
 * @buf: OUT: gets it
 *
 * Return: its length, in bytes
 */
int xend_encode(const struct xend *end, u8 *buf)
{
	int len = rpcrdma2_xch_encode(&end->ctrl, 1, buf, XEND_BUF);

	require(len > 0 && len <= RPCRDMA2_FIRST_MSG_MAX, "what is due can be written");
	return len;
}

/**
 * xend_posted - say what became of the message that was taken
 * @end: one end
 * @sent: it was posted
 */
void xend_posted(struct xend *end, bool sent)
{
	if (!end->taken)
		return;
	end->taken = false;
	if (sent) {
		rpcrdma2_xch_sent(&end->xch, &end->ctrl);
		return;
	}
	trace("  not posted");
	end->outdone = false;
	rpcrdma2_xch_unsent(&end->xch, &end->ctrl);
}

/**
 * xend_report - begin a report, or say what became of it
 * @end: one end
 * @in: input
 */
void xend_report(struct xend *end, struct input *in)
{
	u32 before = end->xch.xc_nr_announced;

	if (end->reporting) {
		rpcrdma2_xch_report_end(&end->xch, !input_flag(in));
		end->reporting = false;
		return;
	}
	end->reporting = rpcrdma2_xch_report_begin(&end->xch);
	require(end->reporting == (before < RPCRDMA2_MAX_UNCONFIRMED),
		"a report is sent if not too many are unconfirmed");
}

/*
 * Section: what the peer says and asks for
 */

/**
 * xend_told - the peer announces something
 * @end: one end
 * @upd: what
 */
void xend_told(struct xend *end, const struct rpcrdma2_updxch *upd)
{
	rpcrdma2_xch_updxch(&end->xch, upd);
	end->outdone |= end->taken && end->ctrl.opttype == ROPT_REQXCH &&
			end->ctrl.values.present & RPCRDMA2_HAS_RBSIZ &&
			end->ctrl.values.rbsiz < end->xch.xc_peer.rbsiz;
}

/**
 * xend_asked - an end is asked
 * @end: one end
 * @req: what for
 * @resp: OUT: its answer
 */
void xend_asked(struct xend *end, const struct rpcrdma2_reqxch *req,
		struct rpcrdma2_respxch *resp)
{
	u32 i, pended, busy = end->xch.xc_busy, now = end->xch.xc_local.rbsiz;

	rpcrdma2_xch_reqxch(&end->xch, req, resp);
	pended = end->xch.xc_busy & ~busy;
	require(!(pended & ~req->want.present) && !(busy & ~end->xch.xc_busy),
		"one change is under way at a time");
	for (i = 0; i < RPCRDMA2_SUBSET_WORDS * 32; i++)
		require(rpcrdma2_subset_test(&resp->done, i) + rpcrdma2_subset_test(&resp->rej, i) +
			rpcrdma2_subset_test(&resp->pend, i) == (i < req->count),
			"each element has one fate");
	if (end->xch.xc_local.rbsiz < now) {
		require(req->want.present & RPCRDMA2_HAS_RBSIZ &&
			end->xch.xc_local.rbsiz == req->want.rbsiz &&
			end->xch.xc_local.rbsiz >= RPCRDMA2_DEF_INLINE,
			"Receives become as short as was asked for");
		require(!end->xch.xc_ops->may_lower || !end->calls,
			"nobody waits for a long reply");
		end->before.rbsiz = end->xch.xc_local.rbsiz;
	}
	end->unanswered++;
	trace("  asked for %x, size %u: pended %x, done %x", req->want.present, req->want.rbsiz,
	      pended, resp->done.words[0]);
}

/**
 * xend_answered - the answer was sent
 * @end: one end
 */
void xend_answered(struct xend *end)
{
	rpcrdma2_xch_answered(&end->xch);
	end->unanswered--;
}

/*
 * Section: what always holds
 */

/**
 * xend_check_recvs - it is known what is posted
 * @end: one end
 */
static void xend_check_recvs(const struct xend *end)
{
	const struct rpcrdma2_recvq *rq = &end->xch.xc_recvq;
	u32 i, bytes = 0;

	for (i = 0; i < end->nposted; i++) {
		bytes += end->posted[i];
		require(end->posted[i] >= end->xch.xc_local.rbsiz,
			"no Receive is shorter than was said (C2)");
		require(end->posted[i] >= rq->rq_size || rq->rq_behind > i,
			"Receives that are too short are behind us when that is said");
	}
	require(rq->rq_posted == end->nposted && rq->rq_bytes == bytes, "Receives are counted");
	require(rq->rq_behind <= rq->rq_posted, "what is not posted is not waited for");
	require(end->xch.xc_local.rbsiz <= rq->rq_size, "what was said is posted again");
}

/**
 * xend_check_peer - values of the peer's can be obeyed
 * @xc: the values
 */
static void xend_check_peer(const struct rpcrdma2_xchars *xc)
{
	const struct rpcrdma2_rbstruct *rb = &xc->rbstruct;
	u32 i, n, value, bytes = 0, segs = 0;

	for (n = 0; n < RPCRDMA2_NUM_XCHARS; n++) {
		value = rpcrdma2_xchar_value(xc, n);
		if (n == RPCRDMA2_RBSTRUCT || n == RPCRDMA2_REQREMINV)
			continue;
		require(value >= rpcrdma2_xchar_table[n].usable &&
			value >= rpcrdma2_xchar_table[n].min &&
			value <= rpcrdma2_xchar_table[n].max, "a value is within limits");
	}
	require(rb->ngroups && rb->ngroups <= RPCRDMA2_MAX_RBGROUPS, "groups of segments fit");
	for (i = 0; i < rb->ngroups; i++) {
		require(rb->groups[i].count && rb->groups[i].length &&
			is_power_of_2(rb->groups[i].align), "segments are somewhere");
		bytes += rb->groups[i].count * rb->groups[i].length;
		segs += rb->groups[i].count;
	}
	require(bytes == rb->length && segs <= RPCRDMA2_MAX_RBSEGS, "segments are the buffer");
	require(!(xc->nochg & ~xc->present), "what will not change was given");
}

/**
 * xend_check - what always holds of an end
 * @end: one end
 */
void xend_check(struct xend *end)
{
	const struct rpcrdma2_xch *xch = &end->xch;

	xend_check_recvs(end);
	xend_check_peer(&xch->xc_peer);
	require(!(xch->xc_wish & xch->xc_requested) && !(xch->xc_wish & xch->xc_pending) &&
		!(xch->xc_requested & xch->xc_pending), "one request is under way at a time (C1)");
	require(!((xch->xc_wish | xch->xc_requested | xch->xc_pending) & ~end->wished),
		"nothing is asked for that nobody wanted");
	require(!xch->xc_requested || xch->xc_req_open, "a request is open until it is answered");
	require(!(xch->xc_finished & ~xch->xc_busy), "what comes to an end was under way");
	require(!xch->xc_awaited || (end->provides && xch->xc_busy & RPCRDMA2_HAS_RBSIZ &&
		xch->xc_awaited > xch->xc_recvq.rq_size), "only who asked waits for memory (C8)");
	require(xch->xc_unanswered == end->unanswered, "it is known what the peer is owed");
	require(xch->xc_nr_announced <= RPCRDMA2_MAX_UNCONFIRMED, "two are unconfirmed (C5)");
	require(xch->xc_usable <= xch->xc_local.rbsiz, "what is relied on is in force");
	require(xch->xc_local.rbsiz >= end->before.rbsiz, "Receives become shorter on request (C3)");
	require(rpcrdma2_xch_active(xch) || !rpcrdma2_xch_due(xch),
		"who has nothing to look at has nothing to say");
	require(rpcrdma2_xch_send_limit(xch) <= xch->xc_peer.rbsiz, "no Send is too long");
	require(rpcrdma2_xch_recv_limit(xch) <= xch->xc_local.rbsiz ||
		rpcrdma2_xch_recv_limit(xch) == RPCRDMA2_DEF_INLINE, "no Receive is too short");
	end->before = xch->xc_local;
}
