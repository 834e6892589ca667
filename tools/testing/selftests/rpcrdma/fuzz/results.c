// SPDX-License-Identifier: GPL-2.0
/*
 * What a Call offers and what its reply has used, by chunks and by directions: a reply
 * is made of what was offered, with some of it changed, and has to be taken if nothing
 * is used that was not offered, and only then. The result that a direction leads to is
 * that of Table 2.
 */

#include <string.h>
#include <linux/unaligned.h>

#include "fuzz.h"
#include "tests/rpcrdma2_codec_lists.h"
#include "plan.h"

enum {
	RS_CHUNKS	= 3,
	RS_SEGS		= 3,
	RS_SIZE		= 1024,
};

static const struct rpcrdma2_limits limits = {
	.max_message = 1 << 20, .max_read_segs = 8, .max_write_chunks = 8,
	.max_segs = 8, .opttypes = 0x1fe,
};

/**
 * struct chunk - a Write chunk, a Reply chunk, or what a direction offers
 * @count: how many segments
 * @segs: these
 */
struct chunk {
	u32			count;
	struct rpcrdma2_segment	segs[RS_SEGS];
};

/**
 * struct lists - the chunk lists of a message
 * @proc: RDMA2_MSG or RDMA2_NOMSG
 * @reads: segments of the Read list
 * @writes: chunks of the Write list
 * @write: these
 * @replies: there is a Reply chunk
 * @reply: the Reply chunk
 */
struct lists {
	u32		proc;
	u32		reads;
	u32		writes;
	struct chunk	write[RS_CHUNKS];
	bool		replies;
	struct chunk	reply;
};

/**
 * make_chunk - make up memory that is offered
 * @in: input
 * @chunk: OUT: the chunk
 */
static void make_chunk(struct input *in, struct chunk *chunk)
{
	u32 i;

	chunk->count = input_below(in, RS_SEGS + 1);
	for (i = 0; i < chunk->count; i++) {
		chunk->segs[i].handle = 1 + input_byte(in);
		chunk->segs[i].offset = input_odd(in);
		chunk->segs[i].length = input_byte(in) * 4;
	}
}

/**
 * use_chunk - make up what was used of a chunk
 * @in: input
 * @chunk: what was offered; becomes what is said to be used
 */
static void use_chunk(struct input *in, struct chunk *chunk)
{
	u32 i;

	if (input_flag(in))
		chunk->count = input_below(in, RS_SEGS + 1);
	for (i = 0; i < chunk->count; i++) {
		if (input_flag(in))
			chunk->segs[i].length = input_byte(in) * 4;
		if (input_flag(in))
			chunk->segs[i].handle ^= input_byte(in) % 2;
		if (input_flag(in))
			chunk->segs[i].offset ^= input_byte(in) % 2;
	}
}

static u64 chunk_length(const struct chunk *chunk)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < chunk->count; i++)
		sum += chunk->segs[i].length;
	return sum;
}

/**
 * chunk_fits - was a chunk used as it was offered?
 * @used: what was used
 * @offer: what was offered
 *
 * Return: %false if there is more of it
 */
static bool chunk_fits(const struct chunk *used, const struct chunk *offer)
{
	u32 i;

	for (i = 0; i < used->count && i < offer->count; i++)
		if (used->segs[i].length > offer->segs[i].length)
			return false;
	return used->count <= offer->count;
}

/*
 * Section: chunks
 */

/**
 * write_lists - write a message that has chunks
 * @lists: these
 * @dir: rdma_direction
 * @buf: OUT: the message
 *
 * Return: its length, in bytes
 */
static u32 write_lists(const struct lists *lists, u32 dir, u8 *buf)
{
	const struct rpcrdma2_hdr hdr = { .xid = cpu_to_be32(7), .credit = 1, .dir = dir };
	const struct rpcrdma2_segment seg = { 1, 8, 0 };
	struct rpcrdma2_out out;
	u32 i;

	rpcrdma2_begin_lists(&out, buf, RS_SIZE, &hdr, lists->proc, 0);
	for (i = 0; i < lists->reads; i++)
		rpcrdma2_put_read(&out, lists->proc == RDMA2_MSG ? 8 : 0, &seg);
	rpcrdma2_put_end(&out);
	for (i = 0; i < lists->writes; i++)
		rpcrdma2_put_chunk(&out, lists->write[i].segs, lists->write[i].count);
	rpcrdma2_put_end(&out);
	if (lists->replies)
		rpcrdma2_put_chunk(&out, lists->reply.segs, lists->reply.count);
	else
		rpcrdma2_put_end(&out);
	if (lists->proc == RDMA2_MSG) {
		rpcrdma2_put(&out, 7);
		rpcrdma2_put(&out, dir);
	}
	require(rpcrdma2_out_length(&out) > 0, "the target knows its sizes");
	return out.pos;
}

/**
 * make_lists - make up what a Call offers
 * @in: input
 * @lists: OUT: it
 */
static void make_lists(struct input *in, struct lists *lists)
{
	u32 i;

	lists->proc = input_flag(in) ? RDMA2_NOMSG : RDMA2_MSG;
	lists->reads = input_below(in, 3);
	lists->writes = input_below(in, RS_CHUNKS + 1);
	for (i = 0; i < lists->writes; i++)
		make_chunk(in, &lists->write[i]);
	lists->replies = input_byte(in) % 2;
	make_chunk(in, &lists->reply);
}

/**
 * use_lists - make up what a reply has used
 * @in: input
 * @lists: what was offered; becomes what is said to be used
 */
static void use_lists(struct input *in, struct lists *lists)
{
	u32 i;

	lists->proc = input_flag(in) ? RDMA2_NOMSG : RDMA2_MSG;
	lists->reads = 0;
	if (input_flag(in))
		lists->writes = input_below(in, RS_CHUNKS + 1);
	for (i = 0; i < lists->writes; i++)
		use_chunk(in, &lists->write[i]);
	if (input_flag(in))
		lists->replies = !lists->replies;
	use_chunk(in, &lists->reply);
}

/**
 * lists_fit - does a reply use only what was offered?
 * @used: what it uses
 * @offer: what was offered; NULL if nothing was
 *
 * Return: %true if so
 */
static bool lists_fit(const struct lists *used, const struct lists *offer)
{
	u32 i;

	if (!offer)
		return !used->writes && !used->replies;
	if (used->writes != offer->writes)
		return false;
	for (i = 0; i < used->writes; i++)
		if (!chunk_fits(&used->write[i], &offer->write[i]))
			return false;
	if (!used->replies)
		return true;
	return offer->replies && chunk_fits(&used->reply, &offer->reply) &&
	       (used->proc == RDMA2_NOMSG || !chunk_length(&used->reply));
}

/**
 * by_chunks - a reply comes to a Call with chunks, or to one that had none
 * @in: input
 */
static void by_chunks(struct input *in)
{
	static struct lists offer, used;
	u8 call[RS_SIZE], reply[RS_SIZE];
	struct rpcrdma2_msg msg;
	u32 call_len, len;
	bool lists, cut;

	make_lists(in, &offer);
	used = offer;
	use_lists(in, &used);
	lists = !input_flag(in);
	cut = input_flag(in);
	call_len = write_lists(&offer, RDMA2_CALL, call);
	len = write_lists(&used, RDMA2_REPLY, reply);
	if (!lists)
		put_unaligned_be32(RDMA2_OPTIONAL, call + 12);
	if (cut)
		call_len = input_below(in, call_len);
	if (rpcrdma2_decode(reply, len, &limits, &msg) != RPCRDMA2_OK) {
		require(used.proc == RDMA2_NOMSG &&
			(!used.replies || chunk_length(&used.reply) < 8),
			"a reply is sound that holds an RPC message");
		return;
	}
	lists = rpcrdma2_reply_fits(call, call_len, reply, &msg) ==
		lists_fit(&used, lists ? &offer : NULL);
	require(cut || lists, "a reply uses what was offered, and no more");
}

/*
 * Section: directions
 */

/**
 * pool_chunk - put segments into a pool
 * @pool: where
 * @chunk: the segments
 *
 * Return: place of the first one
 */
static u32 pool_chunk(struct rpcrdma2_segpool *pool, const struct chunk *chunk)
{
	u32 first = pool->nsegs;

	memcpy(&pool->segs[first], chunk->segs, chunk->count * sizeof(chunk->segs[0]));
	pool->nsegs += chunk->count;
	return first;
}

/**
 * written - could explicit RDMA have written this?
 * @used: the segments that came back
 * @offer: those that were offered
 * @length: length of the item, in bytes
 *
 * Return: %true if so
 */
static bool written(const struct chunk *used, const struct chunk *offer, u32 length)
{
	u32 i;

	for (i = 0; i < used->count && i < offer->count; i++)
		if (used->segs[i].handle != offer->segs[i].handle ||
		    used->segs[i].offset != offer->segs[i].offset)
			return false;
	return used->count == offer->count && chunk_fits(used, offer) &&
	       chunk_length(used) == length;
}

/**
 * make_result - make up a direction, and what came of it
 * @in: input
 * @req: the request, which gets a direction
 * @resp: the response, which gets an item
 *
 * Return: %true if the one allows the other
 */
static bool make_result(struct input *in, struct rpcrdma2_xmtreq *req,
			struct rpcrdma2_xmtresp *resp)
{
	struct rpcrdma2_rsditem *want = &req->rsditems[req->nrsditems++];
	struct rpcrdma2_mitem *item = &resp->items[resp->nitems++];
	struct chunk offer = { }, used;

	make_chunk(in, &offer);
	used = offer;
	use_chunk(in, &used);
	*want = (struct rpcrdma2_rsditem){
		.type	= XMPTYPE_EXRW + input_below(in, 4),
		.minlen	= input_byte(in),
		.dsdov	= input_byte(in),
	};
	if (want->type == XMPTYPE_TBSN)
		offer.count = 0;
	want->count = offer.count;
	want->first = pool_chunk(&req->pool, &offer);
	*item = (struct rpcrdma2_mitem){
		.type	= input_flag(in) ? XMPTYPE_TBSN + 3 * input_below(in, 2) : XMPTYPE_EXRW,
		.length	= input_flag(in) ? input_odd(in) : chunk_length(&used),
		.count	= used.count,
		.first	= pool_chunk(&resp->pool, &used),
	};
	if (item->type == XMPTYPE_EXRW)
		return want->type != XMPTYPE_TBSN && written(&used, &offer, item->length);
	return item->type != XMPTYPE_TBSN || want->type != XMPTYPE_EXRW;
}

/**
 * check_result - see which way an item of the reply would go
 * @want: its direction
 * @length: its length, in bytes
 * @ways: bit 0: it can be placed; bit 1: it can be written
 *
 * Table 2: one that has to go a certain way goes it or stays inline; one that is
 * long enough and may go a way that there is does not stay.
 */
static void check_result(const struct rpcrdma2_rsditem *want, u32 length, u32 ways)
{
	bool place = ways & 1 && want->type != XMPTYPE_EXRW;
	bool write = ways & 2 && want->type != XMPTYPE_TBSN;
	u32 type = rpcrdma2_rsd_result(want, length, ways & 1, ways & 2);

	require(type != XMPTYPE_TBSN || place, "it can be placed, and may be");
	require(type != XMPTYPE_EXRW || write, "it can be written, and may be");
	require((type == XMPTYPE_TOOSHORT) ==
		(!length || length < want->minlen || !(place || write)),
		"what is too short stays inline, and nothing else");
	if (want->type == XMPTYPE_BYSIZE && place && write && type != XMPTYPE_TOOSHORT)
		require((type == XMPTYPE_EXRW) == (length > want->dsdov), "the length decides");
}

/**
 * by_directions - a response comes to a request that had directions
 * @in: input
 */
static void by_directions(struct input *in)
{
	static struct rpcrdma2_xmtresp resp;
	static struct rpcrdma2_xmtreq req;
	u32 i, ways, segs = 0, n = input_below(in, 4), length = input_byte(in);
	bool fits = true;

	memset(&req, 0, sizeof(req));
	memset(&resp, 0, sizeof(resp));
	for (i = 0; i < n; i++)
		fits &= make_result(in, &req, &resp);
	if (input_flag(in)) {
		resp.nitems++;
		fits = false;
	}
	require(rpcrdma2_resp_matches(&req, &resp) == fits,
		"a response is one to its request, and to no other");
	for (i = 0; i < n; i++) {
		segs += req.rsditems[i].count;
		require(rpcrdma2_rsd_segment(&req, &req.rsditems[i]) == segs,
			"segments are numbered through all directions");
		for (ways = 0; ways < 4; ways++)
			check_result(&req.rsditems[i], length, ways);
	}
	req.nsets = input_below(in, 3);
	req.sets[0].begin = input_below(in, 2);
	req.sets[0].end = input_byte(in);
	require(rpcrdma2_rsd_sole(&req, length) ==
		(req.nsets == 1 && !req.sets[0].begin && req.sets[0].end == length),
		"one set is for the whole request");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in;

	input_begin(&in, data, size);
	while (input_left(&in)) {
		if (input_byte(&in) % 2)
			by_directions(&in);
		else
			by_chunks(&in);
	}
	return 0;
}
