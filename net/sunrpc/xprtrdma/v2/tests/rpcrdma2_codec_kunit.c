// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the RPC-over-RDMA version 2 codec.
 *
 * tools/testing/selftests/rpcrdma/unit builds the same file in user space.
 * Received bytes are always in a piece of memory of just their length, so that
 * KASAN or the sanitizers see every read behind them.
 */

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "rpcrdma2_codec_examples.h"
#include "rpcrdma2_codec_faults.h"
#include "rpcrdma2_codec_roundtrip.h"

#define CODEC_HDR_MAX	4096

/*
 * Section: messages in memory
 */

/**
 * codec_bytes - put a message in memory
 * @test: test that runs
 * @words: its first words; behind them it is zero
 * @nwords: how many
 * @length: its length, in bytes
 *
 * Return: memory of exactly @length bytes.
 */
static u8 *codec_bytes(struct kunit *test, const u32 *words, u32 nwords, u32 length)
{
	u8 *buf = kunit_kzalloc(test, max_t(u32, length, 1), GFP_KERNEL);
	u8 word[4];
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	for (i = 0; i < nwords && i * 4 < length; i++) {
		put_unaligned_be32(words[i], word);
		memcpy(buf + i * 4, word, min_t(u32, 4, length - i * 4));
	}
	return buf;
}

/**
 * codec_example - put an example in memory
 * @test: test that runs
 * @ex: the example
 *
 * Return: memory of exactly its length.
 */
static u8 *codec_example(struct kunit *test, const struct rpcrdma2_example *ex)
{
	return codec_bytes(test, ex->words, ex->nwords, ex->length);
}

/**
 * codec_alloc - get room for what is decoded, too large for the stack
 * @test: test that runs
 *
 * Return: the room.
 */
static struct codec_decoded *codec_alloc(struct kunit *test)
{
	struct codec_decoded *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, d);
	return d;
}

/**
 * codec_take - decode an example that has to be sound
 * @test: test that runs
 * @nr: which one
 *
 * Return: what was decoded.
 */
static struct codec_decoded *codec_take(struct kunit *test, u32 nr)
{
	const struct rpcrdma2_example *ex = &rpcrdma2_examples[nr];
	struct codec_decoded *d = codec_alloc(test);

	KUNIT_EXPECT_TRUE(test, codec_decode(codec_example(test, ex), ex->length,
					     &codec_limits, d));
	return d;
}

/*
 * Section: the examples
 */

static void codec_example_desc(const struct rpcrdma2_example *ex, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %s", ex->id, ex->desc);
}

KUNIT_ARRAY_PARAM(codec_example, rpcrdma2_examples, codec_example_desc);

/* B-01: what is encoded from what was decoded has the same bytes */
static void codec_example_round_trip(struct kunit *test)
{
	const struct rpcrdma2_example *ex = test->param_value;
	struct codec_decoded *d = codec_alloc(test);
	u8 *buf = codec_example(test, ex);
	u8 *out = kunit_kzalloc(test, CODEC_HDR_MAX, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, out);
	KUNIT_EXPECT_TRUE(test, codec_decode(buf, ex->length, &codec_limits, d));
	KUNIT_EXPECT_EQ(test, d->msg.hdrlen, ex->hdrlen);
	KUNIT_EXPECT_TRUE(test, codec_result_sound(ex->length, &codec_limits, d));
	KUNIT_EXPECT_EQ(test, codec_encode(out, CODEC_HDR_MAX, buf, d), (int)ex->hdrlen);
	KUNIT_EXPECT_MEMEQ(test, out, buf, ex->hdrlen);
}

/* An encoder never writes behind the room that it was given */
static void codec_example_no_room(struct kunit *test)
{
	const struct rpcrdma2_example *ex = test->param_value;
	struct codec_decoded *d = codec_alloc(test);
	u8 *buf = codec_example(test, ex);
	u32 size;

	KUNIT_EXPECT_TRUE(test, codec_decode(buf, ex->length, &codec_limits, d));
	if (d->msg.proc == RDMA2_ERROR)
		return;
	for (size = 0; size < ex->hdrlen; size++) {
		u8 *out = kunit_kzalloc(test, max_t(u32, size, 1), GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, out);
		KUNIT_EXPECT_EQ(test, codec_encode(out, size, buf, d), -EMSGSIZE);
	}
}

/* N-01, N-02, N-17, N-41, N-61: an example that was cut is never taken for more */
static void codec_example_truncated(struct kunit *test)
{
	const struct rpcrdma2_example *ex = test->param_value;
	u32 len, most = min_t(u32, ex->length, ex->hdrlen + 64);
	struct codec_decoded *d = codec_alloc(test);
	enum rpcrdma2_verdict want;
	u8 *buf;

	for (len = 0; len < most; len++) {
		buf = codec_bytes(test, ex->words, ex->nwords, len);
		codec_decode(buf, len, &codec_limits, d);

		want = RPCRDMA2_OK;
		if (len < RPCRDMA2_FIXED_SIZE)
			want = RPCRDMA2_SHORT;
		else if (len < ex->hdrlen || (ex->words[3] == RDMA2_MSG && len < ex->hdrlen + 8))
			want = RPCRDMA2_BAD_XDR;
		KUNIT_EXPECT_EQ_MSG(test, d->msg.verdict, want, "at length %u", len);
		KUNIT_EXPECT_EQ(test, d->rc, 0);
		if (len >= RPCRDMA2_FIXED_SIZE && ex->words[3] == RDMA2_ERROR)
			KUNIT_EXPECT_EQ(test, d->msg.dir, RDMA2_REPLY);
		else if (len >= RPCRDMA2_FIXED_SIZE + 4)
			KUNIT_EXPECT_EQ(test, d->msg.dir, ex->words[4]);
		else
			KUNIT_EXPECT_EQ(test, d->msg.dir, RDMA2_DIR_UNKNOWN);
	}
}

/* A-17, N-66: rdma_optinfo that is a word or more too short or too long */
static void codec_example_optinfo_exact(struct kunit *test)
{
	const struct rpcrdma2_example *ex = test->param_value;
	u32 len, length = ex->hdrlen + 64;
	struct codec_decoded *d = codec_alloc(test);
	u8 *buf;

	if (ex->words[3] != RDMA2_OPTIONAL)
		return;
	buf = codec_bytes(test, ex->words, ex->hdrlen / 4, length);
	for (len = 0; len <= length - RPCRDMA2_OPT_SIZE; len++) {
		if (len == ex->hdrlen - RPCRDMA2_OPT_SIZE)
			continue;
		put_unaligned_be32(len, buf + 24);
		KUNIT_EXPECT_FALSE(test, codec_decode(buf, length, &codec_limits, d));
		if (len % 4)
			KUNIT_EXPECT_EQ(test, d->msg.verdict, RPCRDMA2_BAD_XDR);
		else
			KUNIT_EXPECT_EQ_MSG(test, d->rc, -EBADMSG, "with %u bytes", len);
	}
}

static const u32 codec_odd_words[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 33, 256, 257, 0x7f, 0x10000000, 0x10000001,
	0x15555556, 0x20000001, 0x40000001, 0x7fffffff, 0x80000000, 0xfffffff8, 0xfffffffc,
	0xfffffffd, 0xfffffffe, 0xffffffff,
};

/**
 * codec_probe - decode something that may be anything
 * @test: test that runs
 * @buf: the bytes
 * @len: how many
 * @d: room for what is decoded
 * @out: room for what is encoded
 */
static void codec_probe(struct kunit *test, const u8 *buf, u32 len,
			struct codec_decoded *d, u8 *out)
{
	int rc;

	if (!codec_decode(buf, len, &codec_limits, d))
		return;
	KUNIT_EXPECT_TRUE(test, codec_result_sound(len, &codec_limits, d));
	rc = codec_encode(out, CODEC_HDR_MAX, buf, d);
	if (!codec_one_encoding(d))
		return;
	KUNIT_EXPECT_EQ(test, rc, (int)d->msg.hdrlen);
	KUNIT_EXPECT_MEMEQ(test, out, buf, d->msg.hdrlen);
}

/* S-11: whatever one word says, nothing is read outside of the message */
static void codec_example_mutated(struct kunit *test)
{
	const struct rpcrdma2_example *ex = test->param_value;
	u8 *out = kunit_kzalloc(test, CODEC_HDR_MAX, GFP_KERNEL);
	struct codec_decoded *d = codec_alloc(test);
	u8 *buf = codec_example(test, ex);
	u32 i, at;

	KUNIT_ASSERT_NOT_NULL(test, out);
	for (at = 0; at < ex->hdrlen; at += 4) {
		for (i = 0; i < ARRAY_SIZE(codec_odd_words); i++) {
			put_unaligned_be32(codec_odd_words[i], buf + at);
			codec_probe(test, buf, ex->length, d, out);
		}
		for (i = 0; i < 32; i++) {
			put_unaligned_be32(ex->words[at / 4] ^ BIT(i), buf + at);
			codec_probe(test, buf, ex->length, d, out);
		}
		put_unaligned_be32(ex->words[at / 4], buf + at);
	}
}

static void codec_fields_e1_e11_e12(struct kunit *test)
{
	struct rpcrdma2_msg *msg = &codec_take(test, EX_E1)->msg;

	KUNIT_EXPECT_EQ(test, be32_to_cpu(msg->xid), 0xa1b20001);
	KUNIT_EXPECT_EQ(test, msg->vers, 2);
	KUNIT_EXPECT_EQ(test, msg->credit, 32);
	KUNIT_EXPECT_EQ(test, msg->proc, RDMA2_MSG);
	KUNIT_EXPECT_EQ(test, msg->dir, RDMA2_CALL);
	KUNIT_EXPECT_EQ(test, msg->length, 76);
	KUNIT_EXPECT_EQ(test, msg->hdrlen, RPCRDMA2_HDRLEN_MIN);
	KUNIT_EXPECT_EQ(test, msg->lists.read_segs, 0);
	KUNIT_EXPECT_EQ(test, msg->lists.write_chunks, 0);
	KUNIT_EXPECT_FALSE(test, msg->lists.reply_present);
	KUNIT_EXPECT_FALSE(test, msg->lists.inv_listed);

	msg = &codec_take(test, EX_E11)->msg;
	KUNIT_EXPECT_EQ(test, msg->lists.inv_handle, 0x1234);
	KUNIT_EXPECT_TRUE(test, msg->lists.inv_listed);
	KUNIT_EXPECT_EQ(test, msg->lists.write_chunks, 1);
	KUNIT_EXPECT_EQ(test, msg->lists.write_bytes, 8192);

	msg = &codec_take(test, EX_E12)->msg;
	KUNIT_EXPECT_EQ(test, msg->proc, RDMA2_NOMSG);
	KUNIT_EXPECT_TRUE(test, msg->lists.inv_listed);
	KUNIT_EXPECT_EQ(test, msg->lists.pzrc_segs, 1);
	KUNIT_EXPECT_EQ(test, msg->lists.pzrc_bytes, 9000);
	KUNIT_EXPECT_EQ(test, msg->lists.read_bytes, 9000);
}

static void codec_fields_e2(struct kunit *test)
{
	struct codec_decoded *d = codec_take(test, EX_E2);
	const struct rpcrdma2_xchars *xc = &d->initxch;

	KUNIT_EXPECT_EQ(test, d->msg.opt.type, ROPT_INITXCH);
	KUNIT_EXPECT_EQ(test, d->msg.opt.info_len, 48);
	KUNIT_EXPECT_EQ(test, xc->present, RPCRDMA2_HAS_RBSIZ | RPCRDMA2_HAS_REQREMINV |
					   RPCRDMA2_HAS_BRS);
	KUNIT_EXPECT_EQ(test, xc->nochg, RPCRDMA2_HAS_REQREMINV | RPCRDMA2_HAS_BRS);
	KUNIT_EXPECT_EQ(test, xc->rbsiz, 12288);
	KUNIT_EXPECT_TRUE(test, xc->reqreminv);
	KUNIT_EXPECT_EQ(test, xc->brs, RDMA2_BRS_INLINE);
	KUNIT_EXPECT_EQ(test, xc->rtrsupp, 0);
	KUNIT_EXPECT_EQ(test, xc->reqrxlim, 1);
}

static void codec_fields_e3(struct kunit *test)
{
	struct codec_decoded *d = codec_take(test, EX_E3);
	const struct rpcrdma2_xchars *xc = &d->initxch;

	KUNIT_EXPECT_EQ(test, d->msg.dir, RDMA2_REPLY);
	KUNIT_EXPECT_EQ(test, d->msg.credit, 64);
	KUNIT_EXPECT_EQ(test, xc->present, RPCRDMA2_HAS_RBSIZ | RPCRDMA2_HAS_RTRSUPP |
					   RPCRDMA2_HAS_RBSTRUCT | RPCRDMA2_HAS_REQRXLIM |
					   RPCRDMA2_HAS_RESPSXLIM);
	KUNIT_EXPECT_EQ(test, xc->nochg, xc->present & ~RPCRDMA2_HAS_RBSIZ);
	KUNIT_EXPECT_EQ(test, xc->rtrsupp, 7);
	KUNIT_EXPECT_EQ(test, xc->rbstruct.length, 12288);
	KUNIT_EXPECT_EQ(test, xc->rbstruct.ngroups, 2);
	KUNIT_EXPECT_EQ(test, xc->rbstruct.groups[0].count, 1);
	KUNIT_EXPECT_EQ(test, xc->rbstruct.groups[0].length, 4096);
	KUNIT_EXPECT_EQ(test, xc->rbstruct.groups[0].flags, 0);
	KUNIT_EXPECT_EQ(test, xc->rbstruct.groups[1].count, 2);
	KUNIT_EXPECT_EQ(test, xc->rbstruct.groups[1].align, 4096);
	KUNIT_EXPECT_EQ(test, xc->rbstruct.groups[1].flags, RDMA2_XMRSFLAG_PLT);
	KUNIT_EXPECT_EQ(test, xc->reqrxlim, 8);
	KUNIT_EXPECT_EQ(test, xc->respsxlim, 8);
}

static void codec_fields_e4(struct kunit *test)
{
	struct codec_decoded *d = codec_take(test, EX_E4A);

	KUNIT_EXPECT_EQ(test, d->reqxch.count, 2);
	KUNIT_EXPECT_EQ(test, d->reqxch.want.present, RPCRDMA2_HAS_RBSIZ | RPCRDMA2_HAS_BRS);
	KUNIT_EXPECT_EQ(test, d->reqxch.want.rbsiz, 16384);
	KUNIT_EXPECT_EQ(test, d->reqxch.want.brs, RDMA2_BRS_GENL);
	KUNIT_EXPECT_EQ(test, d->reqxch.element[2], 1);

	d = codec_take(test, EX_E4B);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_subset_test(&d->respxch.done, 0));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_subset_test(&d->respxch.rej, 1));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_subset_test(&d->respxch.pend, 0));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_subset_test(&d->respxch.pend, 1));

	d = codec_take(test, EX_E4C);
	KUNIT_EXPECT_EQ(test, d->updxch.which, RDMA2_XCHAR_RBSIZ);
	KUNIT_EXPECT_EQ(test, d->updxch.now.present, RPCRDMA2_HAS_RBSIZ);
	KUNIT_EXPECT_EQ(test, d->updxch.now.rbsiz, 16384);
	KUNIT_EXPECT_TRUE(test, d->updxch.pendclr);
}

static void codec_fields_e5_e6(struct kunit *test)
{
	struct codec_decoded *d = codec_take(test, EX_E5);
	const struct rpcrdma2_xmtreq *req = &d->xmtreq;

	KUNIT_EXPECT_EQ(test, d->msg.length, 12288);
	KUNIT_EXPECT_EQ(test, req->nitems, 1);
	KUNIT_EXPECT_EQ(test, req->items[0].disp, 80);
	KUNIT_EXPECT_EQ(test, req->items[0].length, 8192);
	KUNIT_EXPECT_EQ(test, req->items[0].type, XMPTYPE_TBSN);
	KUNIT_EXPECT_EQ(test, req->items[0].offset, 0);
	KUNIT_EXPECT_EQ(test, req->items[0].count, 2);
	KUNIT_EXPECT_EQ(test, req->pool.tbsns[req->items[0].first], 0);
	KUNIT_EXPECT_EQ(test, req->pool.tbsns[req->items[0].first + 1], 1);
	KUNIT_EXPECT_EQ(test, req->nsets, 0);
	KUNIT_EXPECT_EQ(test, req->count, 1);
	KUNIT_EXPECT_EQ(test, req->rsbuf, 1);
	KUNIT_EXPECT_EQ(test, req->pslen, 80);

	d = codec_take(test, EX_E6);
	KUNIT_EXPECT_EQ(test, d->xmtresp.nitems, 0);
	KUNIT_EXPECT_EQ(test, d->xmtresp.count, 1);
	KUNIT_EXPECT_EQ(test, d->xmtresp.pslen, 52);
}

static void codec_fields_e7(struct kunit *test)
{
	struct codec_decoded *d = codec_take(test, EX_E7A);
	const struct rpcrdma2_xmtreq *req = &d->xmtreq;

	KUNIT_EXPECT_EQ(test, req->nitems, 0);
	KUNIT_EXPECT_EQ(test, req->nsets, 1);
	KUNIT_EXPECT_EQ(test, req->sets[0].begin, 0);
	KUNIT_EXPECT_EQ(test, req->sets[0].end, 72);
	KUNIT_EXPECT_EQ(test, req->sets[0].count, 1);
	KUNIT_EXPECT_EQ(test, req->rsditems[0].minlen, 4096);
	KUNIT_EXPECT_EQ(test, req->rsditems[0].type, XMPTYPE_CHOICE);
	KUNIT_EXPECT_EQ(test, req->rsditems[0].count, 1);
	KUNIT_EXPECT_EQ(test, req->pool.segs[0].handle, 0x1234);
	KUNIT_EXPECT_EQ(test, req->pool.segs[0].length, 8192);
	KUNIT_EXPECT_TRUE(test, req->pool.segs[0].offset == 0x7f0012345000ULL);
	KUNIT_EXPECT_EQ(test, req->pslen, 72);

	d = codec_take(test, EX_E7B);
	KUNIT_EXPECT_EQ(test, d->xmtresp.items[0].disp, 44);
	KUNIT_EXPECT_EQ(test, d->xmtresp.items[0].type, XMPTYPE_TBSN);
	KUNIT_EXPECT_EQ(test, d->xmtresp.pool.ntbsns, 2);
	KUNIT_EXPECT_EQ(test, d->xmtresp.pslen, 44);
}

static void codec_fields_e8_e9(struct kunit *test)
{
	struct codec_decoded *d = codec_take(test, EX_E8);
	const struct rpcrdma2_repterr *rep;

	KUNIT_EXPECT_EQ(test, d->xmtcont.xnum, 1);
	KUNIT_EXPECT_EQ(test, d->xmtcont.itype, ROPT_XMTREQ);
	KUNIT_EXPECT_EQ(test, d->xmtcont.pslen, 2048);

	rep = &codec_take(test, EX_E9A)->repterr;
	KUNIT_EXPECT_EQ(test, be32_to_cpu(rep->bad.xid), 0xa1b20012);
	KUNIT_EXPECT_EQ(test, rep->bad.dir, RDMA2_CALL);
	KUNIT_EXPECT_EQ(test, rep->bad.seq, 2);
	KUNIT_EXPECT_TRUE(test, rep->has_lead);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(rep->lead.xid), 0xa1b20012);
	KUNIT_EXPECT_EQ(test, rep->which, OPTRERR_BADSEQ);
	KUNIT_EXPECT_EQ(test, rep->nargs, 2);
	KUNIT_EXPECT_EQ(test, rep->args[0], 1);
	KUNIT_EXPECT_EQ(test, rep->args[1], 2);

	rep = &codec_take(test, EX_E9B)->repterr;
	KUNIT_EXPECT_FALSE(test, rep->has_lead);
	KUNIT_EXPECT_EQ(test, rep->which, OPTRERR_BADCONT);
	KUNIT_EXPECT_EQ(test, rep->nargs, 0);
}

static void codec_fields_e10(struct kunit *test)
{
	struct rpcrdma2_msg *msg = &codec_take(test, EX_E10A)->msg;

	KUNIT_EXPECT_EQ(test, msg->dir, RDMA2_REPLY);
	KUNIT_EXPECT_EQ(test, msg->error.code, RDMA2_ERR_VERS);
	KUNIT_EXPECT_EQ(test, msg->error.vers_low, 1);
	KUNIT_EXPECT_EQ(test, msg->error.vers_high, 1);

	msg = &codec_take(test, EX_E10B)->msg;
	KUNIT_EXPECT_EQ(test, msg->error.code, RDMA2_ERR_CANT_REPLY);
	KUNIT_EXPECT_TRUE(test, msg->error.processed);
	KUNIT_EXPECT_EQ(test, msg->error.segment_index, 1);
	KUNIT_EXPECT_EQ(test, msg->error.length_needed, 16384);

	KUNIT_EXPECT_EQ(test, codec_take(test, EX_E10C)->msg.error.code, RDMA2_ERR_INVAL_OPTION);
	KUNIT_EXPECT_EQ(test, codec_take(test, EX_E10D)->msg.error.code, RDMA2_ERR_BAD_XDR);
}

/* B-61, D-13: fixed words that are not simply copied */
static void codec_encode_fixed_words(struct kunit *test)
{
	struct rpcrdma2_error err = { .code = RDMA2_ERR_INVAL_PROC };
	struct rpcrdma2_hdr hdr = { .xid = cpu_to_be32(7) };
	u8 buf[RPCRDMA2_HDRLEN_MIN];

	rpcrdma2_encode_bare_msg(buf, &hdr);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(buf + 8), 1);
	KUNIT_EXPECT_EQ(test, rpcrdma2_encode_error(buf, &hdr, 9, &err), 20);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(buf), 7);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(buf + 4), 9);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(buf + 8), 1);

	rpcrdma2_encode_prefix(buf, &hdr, RDMA2_NOMSG, 0x1234);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(buf + 12), RDMA2_NOMSG);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(buf + 20), 0x1234);
	rpcrdma2_set_inv_handle(buf, 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(buf + 16), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(buf + 20), 0);
}

/*
 * Section: faults
 */

static void codec_fault_desc(const struct codec_fault *fault, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: %s", fault->ids, fault->desc);
}

KUNIT_ARRAY_PARAM(codec_fault, codec_faults, codec_fault_desc);

/**
 * codec_fault_bytes - put the message of a row in memory
 * @test: test that runs
 * @fault: the row
 * @len: OUT: its length, in bytes
 *
 * Return: memory of exactly its length.
 */
static u8 *codec_fault_bytes(struct kunit *test, const struct codec_fault *fault, u32 *len)
{
	const struct rpcrdma2_example *ex = &rpcrdma2_examples[fault->base];
	const u32 *words = fault->words ?: ex->words;
	u32 nwords = fault->words ? fault->nwords : ex->nwords;
	const struct codec_patch *patch;
	u8 *buf;

	*len = fault->words ? fault->nwords * 4 : ex->length;
	if (fault->length)
		*len = fault->length;
	buf = codec_bytes(test, words, nwords, *len);
	for (patch = fault->patch; patch->at; patch++)
		if (patch->at + 4 <= *len)
			put_unaligned_be32(patch->val, buf + patch->at);
	return buf;
}

static void codec_fault_row(struct kunit *test)
{
	const struct codec_fault *fault = test->param_value;
	const struct rpcrdma2_limits *lim = fault->lim ?: &codec_limits;
	struct codec_decoded *d = codec_alloc(test);
	u32 len;
	u8 *buf = codec_fault_bytes(test, fault, &len);

	codec_decode(buf, len, lim, d);
	KUNIT_EXPECT_EQ(test, d->msg.verdict, fault->verdict);
	KUNIT_EXPECT_EQ(test, d->rc, fault->rc);
	KUNIT_EXPECT_EQ(test, d->msg.dir, fault->dir);
	KUNIT_EXPECT_EQ(test, d->msg.payload_mismatch, fault->mismatch);
	if (!d->msg.verdict && !d->rc)
		KUNIT_EXPECT_TRUE(test, codec_result_sound(len, lim, d));
}

static void codec_bad_reply_desc(const struct codec_bad_reply *reply, char *desc)
{
	codec_fault_desc(&reply->fault, desc);
}

KUNIT_ARRAY_PARAM(codec_bad_reply, codec_bad_replies, codec_bad_reply_desc);

/* What fails an RPC, and what is dropped, is the same at both ends */
static void codec_bad_reply_row(struct kunit *test)
{
	const struct codec_bad_reply *row = test->param_value;
	const struct codec_fault *fault = &row->fault;
	struct codec_decoded *d = codec_alloc(test);
	u32 len;
	u8 *buf = codec_fault_bytes(test, fault, &len);

	codec_decode(buf, len, &codec_limits, d);
	KUNIT_EXPECT_EQ(test, d->msg.verdict, fault->verdict);
	KUNIT_EXPECT_EQ(test, d->rc, fault->rc);
	KUNIT_EXPECT_EQ(test, d->msg.dir, RDMA2_REPLY);
	KUNIT_EXPECT_EQ(test, rpcrdma2_ends_rpc(&d->msg), row->ends);
}

/* What a group in progress has to know of a newcomer, sound or not (N-189) */
static void codec_newcomer_type(struct kunit *test)
{
	const struct rpcrdma2_example *ex = &rpcrdma2_examples[EX_E2];
	struct codec_decoded *d = codec_alloc(test);
	u8 *buf = codec_example(test, ex);

	put_unaligned_be32(99, buf + 20);
	codec_decode(buf, ex->length, &codec_limits, d);
	KUNIT_EXPECT_TRUE(test, d->msg.opt.typed);
	KUNIT_EXPECT_EQ(test, d->msg.opt.type, 99);

	put_unaligned_be32(2, buf + 16);
	codec_decode(buf, ex->length, &codec_limits, d);
	KUNIT_EXPECT_TRUE(test, d->msg.opt.typed);
	KUNIT_EXPECT_EQ(test, d->msg.opt.type, 99);
	KUNIT_EXPECT_EQ(test, d->msg.opt.info_off, 0);

	codec_decode(codec_bytes(test, ex->words, 5, 23), 23, &codec_limits, d);
	KUNIT_EXPECT_FALSE(test, d->msg.opt.typed);
}

/* N-20 */
static void codec_payload_sound(struct kunit *test)
{
	static const u32 words[] = { 7, RDMA2_REPLY };
	u8 *buf = codec_bytes(test, words, 2, 8);
	const __be32 xid = cpu_to_be32(7);

	KUNIT_EXPECT_TRUE(test, rpcrdma2_payload_sound(buf, 8, xid, RDMA2_REPLY));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_payload_sound(buf, 7, xid, RDMA2_REPLY));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_payload_sound(buf, 8, xid, RDMA2_CALL));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_payload_sound(buf, 8, cpu_to_be32(8), RDMA2_REPLY));
}

/* Lists are walked as they were written, also by one who leaves segments out */
static void codec_walk_lists(struct kunit *test)
{
	static const u32 words[] = {
		XID, 2, 32, RDMA2_MSG, RDMA2_CALL, 0, RSEG(4, 8), RSEG(4, 12), RSEG(32, 16), 0,
		1, 2, SEG(1), SEG(2), 1, 0, 1, 1, SEG(3), 0,
		1, 2, SEG(4), SEG(5), XID, 0, 0,
	};
	struct codec_decoded *d = codec_alloc(test);
	u8 *buf = codec_bytes(test, words, ARRAY_SIZE(words), sizeof(words));
	struct rpcrdma2_segment seg;
	struct rpcrdma2_iter it;
	u32 position, segs;

	KUNIT_EXPECT_TRUE(test, codec_decode(buf, sizeof(words), &codec_limits, d));
	rpcrdma2_read_begin(&it, buf, &d->msg);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_read_next(&it, &position, &seg));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_read_next(&it, &position, &seg));
	KUNIT_EXPECT_EQ(test, position, 4);
	KUNIT_EXPECT_EQ(test, seg.length, 12);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_read_next(&it, &position, &seg));
	KUNIT_EXPECT_EQ(test, position, 32);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_read_next(&it, &position, &seg));

	rpcrdma2_write_begin(&it, buf, &d->msg);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_write_next(&it, &segs));
	KUNIT_EXPECT_EQ(test, segs, 2);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_segment_next(&it, &seg));
	KUNIT_EXPECT_EQ(test, seg.length, 1);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_write_next(&it, &segs));
	KUNIT_EXPECT_EQ(test, segs, 0);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_segment_next(&it, &seg));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_write_next(&it, &segs));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_segment_next(&it, &seg));
	KUNIT_EXPECT_EQ(test, seg.length, 3);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_write_next(&it, &segs));

	rpcrdma2_reply_begin(&it, buf, &d->msg);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_segment_next(&it, &seg));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_segment_next(&it, &seg));
	KUNIT_EXPECT_EQ(test, seg.length, 5);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_segment_next(&it, &seg));
	KUNIT_EXPECT_EQ(test, d->msg.lists.reply_bytes, 9);
}

/*
 * Section: replies against what was offered
 */

/**
 * struct codec_reply - a reply to the Call of codec_offer
 * @ids: requirements that the row serves
 * @desc: what is special about it
 * @words: the reply
 * @nwords: how many
 * @bad: it does not fit
 */
struct codec_reply {
	const char	*ids;
	const char	*desc;
	const u32	*words;
	u32		nwords;
	bool		bad;
};

/* Two Write chunks, of 4096 + 8192 and of 2048 bytes; Reply chunk of 2 * 1024 */
static const u32 codec_offer[] = {
	XID, 2, 32, RDMA2_NOMSG, RDMA2_CALL, 0, RSEG(0, 100), RSEG(0, 200), 0,
	1, 2, SEG(4096), SEG(8192), 1, 1, SEG(2048), 0,
	1, 2, SEG(1024), SEG(1024),
};

static const struct codec_reply codec_replies[] = {
	{ "N-27", "everything used",
	  NOMSG(1, 0, 1, 2, SEG(4096), SEG(8192), 1, 1, SEG(2048), 0,
		1, 2, SEG(1024), SEG(1024)) },
	{ "A-100", "nothing used",
	  MSG(1, 0, 1, 2, SEG(0), SEG(0), 1, 1, SEG(0), 0, 0, XID, 1) },
	{ "N-27", "segments left out",
	  MSG(1, 0, 1, 1, SEG(4096), 1, 0, 0, 0, XID, 1) },
	{ "N-27", "first segment too long",
	  MSG(1, 0, 1, 2, SEG(4097), SEG(0), 1, 1, SEG(0), 0, 0, XID, 1),
	  true },
	{ "N-27", "last segment too long",
	  MSG(1, 0, 1, 2, SEG(0), SEG(0), 1, 1, SEG(2049), 0, 0, XID, 1),
	  true },
	{ "N-27", "a segment more",
	  MSG(1, 0, 1, 2, SEG(0), SEG(0), 1, 2, SEG(0), SEG(0), 0, 0, XID, 1),
	  true },
	{ "N-27", "a Write chunk less",
	  MSG(1, 0, 1, 2, SEG(0), SEG(0), 0, 0, XID, 1), true },
	{ "N-27", "no Write list",
	  MSG(1, 0, 0, 0, XID, 1), true },
	{ "N-27", "a Write chunk more",
	  MSG(1, 0, 1, 2, SEG(0), SEG(0), 1, 1, SEG(0), 1, 1, SEG(0), 0, 0,
	      XID, 1), true },
	{ "A-100", "MSG with an empty Reply chunk",
	  MSG(1, 0, 1, 2, SEG(0), SEG(0), 1, 1, SEG(0), 0,
	      1, 2, SEG(0), SEG(0), XID, 1) },
	{ "A-100", "MSG with a used Reply chunk",
	  MSG(1, 0, 1, 2, SEG(0), SEG(0), 1, 1, SEG(0), 0,
	      1, 2, SEG(0), SEG(1), XID, 1), true },
	{ "N-27", "Reply chunk too long",
	  NOMSG(1, 0, 1, 2, SEG(0), SEG(0), 1, 1, SEG(0), 0,
		1, 2, SEG(1024), SEG(1025)), true },
	{ "N-27", "Reply chunk with a segment more",
	  NOMSG(1, 0, 1, 2, SEG(0), SEG(0), 1, 1, SEG(0), 0,
		1, 3, SEG(1024), SEG(0), SEG(0)), true },
};

static void codec_reply_desc(const struct codec_reply *reply, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: %s", reply->ids, reply->desc);
}

KUNIT_ARRAY_PARAM(codec_reply, codec_replies, codec_reply_desc);

static void codec_reply_row(struct kunit *test)
{
	const struct codec_reply *row = test->param_value;
	u32 call_len = sizeof(codec_offer), len = row->nwords * 4;
	struct codec_decoded *d = codec_alloc(test);
	u8 *reply = codec_bytes(test, row->words, row->nwords, len);
	u8 *call = codec_bytes(test, codec_offer, ARRAY_SIZE(codec_offer), call_len);

	KUNIT_EXPECT_TRUE(test, codec_decode(reply, len, &codec_limits, d));
	KUNIT_EXPECT_EQ(test, rpcrdma2_reply_fits(call, call_len, reply, &d->msg), !row->bad);
}

/* N-27, A-72: Calls that offer no Reply chunk, or nothing at all */
static void codec_reply_without_offer(struct kunit *test)
{
	static const u32 used[] = { XID, 2, 32, RDMA2_NOMSG, RDMA2_REPLY, 0, 0, 0, 1, 1, SEG(64) };
	static const u32 bare[] = { XID, 2, 32, RDMA2_MSG, RDMA2_REPLY, 0, 0, 0, 0, XID, 1 };
	/* The least that can be offered: a Write chunk without segments */
	static const u32 least[] = { XID, 2, 32, RDMA2_MSG, RDMA2_CALL, 0, 0, 1, 0, 0, 0 };
	const struct rpcrdma2_example *null = &rpcrdma2_examples[EX_E1];
	const struct rpcrdma2_example *xmt = &rpcrdma2_examples[EX_E5];
	u8 *buf = codec_bytes(test, used, ARRAY_SIZE(used), sizeof(used));
	struct codec_decoded *d = codec_alloc(test);
	u8 *null_call = codec_example(test, null);
	u8 *xmt_call = codec_example(test, xmt);

	KUNIT_EXPECT_TRUE(test, codec_decode(buf, sizeof(used), &codec_limits, d));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_reply_fits(null_call, null->hdrlen, buf, &d->msg));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_reply_fits(xmt_call, xmt->hdrlen, buf, &d->msg));

	buf = codec_bytes(test, bare, ARRAY_SIZE(bare), sizeof(bare));
	KUNIT_EXPECT_TRUE(test, codec_decode(buf, sizeof(bare), &codec_limits, d));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_reply_fits(null_call, null->hdrlen, buf, &d->msg));
	KUNIT_EXPECT_TRUE(test, rpcrdma2_reply_fits(xmt_call, xmt->hdrlen, buf, &d->msg));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_reply_fits(codec_bytes(test, least, ARRAY_SIZE(least),
								 sizeof(least)),
						     sizeof(least), buf, &d->msg));
}

/* The Call is ours, but a header that was cut is not read past its end either */
static void codec_reply_to_cut_call(struct kunit *test)
{
	const struct codec_reply *row = &codec_replies[0];
	struct codec_decoded *d = codec_alloc(test);
	u8 *reply = codec_bytes(test, row->words, row->nwords, row->nwords * 4);
	u8 *call;
	u32 len;

	KUNIT_EXPECT_TRUE(test, codec_decode(reply, row->nwords * 4, &codec_limits, d));
	for (len = 0; len < sizeof(codec_offer); len++) {
		call = codec_bytes(test, codec_offer, ARRAY_SIZE(codec_offer), len);
		KUNIT_EXPECT_FALSE(test, rpcrdma2_reply_fits(call, len, reply, &d->msg));
	}
}

/*
 * Section: characteristics
 */

/**
 * codec_initxch - let an INITXCH that is made of words take effect
 * @test: test that runs
 * @xc: characteristics of the peer
 * @words: content of rdma_optinfo
 * @nwords: how many
 *
 * Return: what rpcrdma2_decode_initxch() says.
 */
static int codec_initxch(struct kunit *test, struct rpcrdma2_xchars *xc,
			 const u32 *words, u32 nwords)
{
	const u32 head[] = { XID, 2, 32, RDMA2_OPTIONAL, RDMA2_CALL, ROPT_INITXCH,
		nwords * 4 };
	u32 i, len = sizeof(head) + nwords * 4;
	struct rpcrdma2_msg msg;
	u8 *buf;

	buf = codec_bytes(test, head, ARRAY_SIZE(head), len);
	for (i = 0; i < nwords; i++)
		put_unaligned_be32(words[i], buf + sizeof(head) + i * 4);
	KUNIT_EXPECT_EQ(test, rpcrdma2_decode(buf, len, &codec_limits, &msg), RPCRDMA2_OK);
	return rpcrdma2_decode_initxch(buf, &msg, xc);
}

#define CODEC_INITXCH(test, xc, ...)					\
	codec_initxch(test, xc, (const u32[]){ __VA_ARGS__ },		\
		      sizeof((const u32[]){ __VA_ARGS__ }) / 4)

/* */
static void codec_xchars_defaults(struct kunit *test)
{
	struct rpcrdma2_xchars xc;

	rpcrdma2_xchars_default(&xc);
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, xc.present, 0);
	KUNIT_EXPECT_EQ(test, xc.rbsiz, 4096);
	KUNIT_EXPECT_FALSE(test, xc.reqreminv);
	KUNIT_EXPECT_EQ(test, xc.brs, RDMA2_BRS_INLINE);
	KUNIT_EXPECT_EQ(test, xc.rtrsupp, 0);
	KUNIT_EXPECT_EQ(test, xc.reqrxlim, 1);
	KUNIT_EXPECT_EQ(test, xc.respsxlim, 1);
	KUNIT_EXPECT_EQ(test, xc.rbstruct.ngroups, 1);
	KUNIT_EXPECT_EQ(test, xc.rbstruct.groups[0].flags, 0);
}

/* X-11, N-92: a good RBSIZ in front of a bad BRS */
static void codec_xchars_all_or_nothing(struct kunit *test)
{
	struct rpcrdma2_xchars xc, before;

	rpcrdma2_xchars_default(&xc);
	before = xc;
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 2, 1, 4, 8192, 3, 4, 3, 0), -EBADMSG);
	KUNIT_EXPECT_MEMEQ(test, &xc, &before, sizeof(xc));
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 2, 1, 4, 8192, 3, 4, 2, 9), -EBADMSG);
	KUNIT_EXPECT_MEMEQ(test, &xc, &before, sizeof(xc));
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 2, 1, 4, 8192, 99, 7, 3, 0), -EBADMSG);
	KUNIT_EXPECT_MEMEQ(test, &xc, &before, sizeof(xc));
}

/* N-85: order, and what is not known, do not matter */
static void codec_xchars_any_order(struct kunit *test)
{
	struct rpcrdma2_xchars xc;

	rpcrdma2_xchars_default(&xc);
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 5, 5, 4, 6, 99, 5, 1, 2, 2, 4, 1,
					    0xffffff04, 0, 1, 4, 65536, 1, 0x15), 0);
	KUNIT_EXPECT_EQ(test, xc.present, RPCRDMA2_HAS_RBSIZ | RPCRDMA2_HAS_REQREMINV |
					  RPCRDMA2_HAS_REQRXLIM);
	KUNIT_EXPECT_EQ(test, xc.nochg, xc.present);
	KUNIT_EXPECT_EQ(test, xc.unknown, 2);
	KUNIT_EXPECT_EQ(test, xc.reqrxlim, 6);
	KUNIT_EXPECT_TRUE(test, xc.reqreminv);
	KUNIT_EXPECT_EQ(test, xc.rbsiz, 65536);
}

/* 40 elements, the last of them RBSIZ, and subsets of them */
static void codec_xchars_subset(struct kunit *test)
{
	u32 i, n = 0, words[1 + 39 * 2 + 3 + 3];
	struct rpcrdma2_xchars xc;

	words[n++] = 40;
	for (i = 0; i < 39; i++) {
		words[n++] = 1000 + i;
		words[n++] = 0;
	}
	words[n++] = RDMA2_XCHAR_RBSIZ;
	words[n++] = 4;
	words[n++] = 8192;
	words[n++] = 2;
	words[n++] = 0;
	words[n++] = BIT(39 - 32);

	rpcrdma2_xchars_default(&xc);
	KUNIT_EXPECT_EQ(test, codec_initxch(test, &xc, words, n), 0);
	KUNIT_EXPECT_EQ(test, xc.nochg, RPCRDMA2_HAS_RBSIZ);
	KUNIT_EXPECT_EQ(test, xc.unknown, 39);

	words[n - 3] = 1;
	rpcrdma2_xchars_default(&xc);
	KUNIT_EXPECT_EQ(test, codec_initxch(test, &xc, words, n - 1), 0);
	KUNIT_EXPECT_EQ(test, xc.nochg, 0);
}

/* which bit is whose, and what has no room */
static void codec_subset_bits(struct kunit *test)
{
	struct rpcrdma2_subset set = { };

	rpcrdma2_subset_set(&set, 33);
	rpcrdma2_subset_set(&set, 127);
	rpcrdma2_subset_set(&set, 128);
	rpcrdma2_subset_set(&set, ~0U);
	KUNIT_EXPECT_EQ(test, set.words[0], 0);
	KUNIT_EXPECT_EQ(test, set.words[1], 2);
	KUNIT_EXPECT_EQ(test, set.words[3], 0x80000000);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_subset_test(&set, 33));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_subset_test(&set, 32));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_subset_test(&set, 128));
	KUNIT_EXPECT_FALSE(test, rpcrdma2_subset_test(&set, ~0U));
}

/* N-93, N-94, N-95, A-52 */
static void codec_xchars_rbsiz(struct kunit *test)
{
	struct rpcrdma2_xchars xc;

	rpcrdma2_xchars_default(&xc);
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 2, 1, 4, 1023, 2, 4, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, xc.rbsiz, 4096);
	KUNIT_EXPECT_TRUE(test, xc.reqreminv);
	KUNIT_EXPECT_EQ(test, xc.present, RPCRDMA2_HAS_REQREMINV);
	KUNIT_EXPECT_EQ(test, xc.unusable, RPCRDMA2_HAS_RBSIZ);
	KUNIT_EXPECT_EQ(test, xc.disregarded, 1);

	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 1, 1, 4, 1024, 0), 0);
	KUNIT_EXPECT_EQ(test, xc.rbsiz, 1024);
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 1, 1, 4, ~0U, 0), 0);
	KUNIT_EXPECT_EQ(test, xc.rbsiz, ~0U);
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 1, 1, 4, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, xc.rbsiz, ~0U);
}

/* N-98, N-99, A-57, A-59, A-62, P-17: values that are put right */
static void codec_xchars_put_right(struct kunit *test)
{
	struct rpcrdma2_xchars xc;

	rpcrdma2_xchars_default(&xc);
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 4, 5, 4, 0, 6, 4, 0, 0xffffff03, 4, ~0U,
					    4, 24, 4096, 1, 1, 4096, 0, 0x80000001, 0), 0);
	KUNIT_EXPECT_EQ(test, xc.reqrxlim, 1);
	KUNIT_EXPECT_EQ(test, xc.respsxlim, 1);
	KUNIT_EXPECT_EQ(test, xc.rtrsupp, 7);
	KUNIT_EXPECT_EQ(test, xc.rbstruct.groups[0].flags, RDMA2_XMRSFLAG_PLT);
	KUNIT_EXPECT_EQ(test, xc.rbstruct.groups[0].align, 1);
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 1, 5, 4, ~0U, 0), 0);
	KUNIT_EXPECT_EQ(test, xc.reqrxlim, ~0U);
}

/* one of RBSIZ and RBSTRUCT tells the other */
static void codec_xchars_derived(struct kunit *test)
{
	struct rpcrdma2_xchars xc;

	rpcrdma2_xchars_default(&xc);
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 1, 4, 24, 16384, 1, 4, 4096, 1, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, xc.rbsiz, 16384);
	KUNIT_EXPECT_EQ(test, xc.present, RPCRDMA2_HAS_RBSTRUCT);

	rpcrdma2_xchars_default(&xc);
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 1, 1, 4, 16384, 0), 0);
	KUNIT_EXPECT_EQ(test, xc.rbstruct.length, 16384);
	KUNIT_EXPECT_EQ(test, xc.rbstruct.groups[0].length, 16384);

	rpcrdma2_xchars_default(&xc);
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 2, 1, 4, 8192, 4, 24, 16384, 1, 4, 4096,
					    1, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, xc.rbsiz, 8192);
	KUNIT_EXPECT_EQ(test, xc.rbstruct.length, 16384);

	rpcrdma2_xchars_default(&xc);
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 2, 1, 4, 512, 4, 24, 16384, 1, 4, 4096,
					    1, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, xc.rbsiz, 4096);
}

/* A-50, N-105: overlaps and gaps count as rejected */
static void codec_respxch_fates(struct kunit *test)
{
	struct rpcrdma2_respxch resp = { };

	rpcrdma2_subset_set(&resp.done, 0);
	rpcrdma2_subset_set(&resp.rej, 1);
	rpcrdma2_subset_set(&resp.pend, 2);
	rpcrdma2_subset_set(&resp.done, 4);
	rpcrdma2_subset_set(&resp.pend, 4);
	rpcrdma2_subset_set(&resp.rej, 5);
	rpcrdma2_subset_set(&resp.pend, 5);
	KUNIT_EXPECT_EQ(test, rpcrdma2_respxch_fate(&resp, 0), RPCRDMA2_DONE);
	KUNIT_EXPECT_EQ(test, rpcrdma2_respxch_fate(&resp, 1), RPCRDMA2_REJECTED);
	KUNIT_EXPECT_EQ(test, rpcrdma2_respxch_fate(&resp, 2), RPCRDMA2_PENDING);
	KUNIT_EXPECT_EQ(test, rpcrdma2_respxch_fate(&resp, 3), RPCRDMA2_REJECTED);
	KUNIT_EXPECT_EQ(test, rpcrdma2_respxch_fate(&resp, 4), RPCRDMA2_REJECTED);
	KUNIT_EXPECT_EQ(test, rpcrdma2_respxch_fate(&resp, 5), RPCRDMA2_REJECTED);
	KUNIT_EXPECT_EQ(test, rpcrdma2_respxch_fate(&resp, 128), RPCRDMA2_REJECTED);
}

/**
 * codec_far_request - decode a REQXCH with RBSIZ behind many unknown ids
 * @test: test that runs
 * @unknown: how many
 *
 * Return: what was decoded.
 */
static struct codec_decoded *codec_far_request(struct kunit *test, u32 unknown)
{
	const u32 len = 32 + unknown * 8 + 12;
	const u32 head[] = { XID, 2, 32, RDMA2_OPTIONAL, RDMA2_CALL, ROPT_REQXCH,
			     len - 28, unknown + 1 };
	u8 *buf = codec_bytes(test, head, ARRAY_SIZE(head), len);
	struct codec_decoded *d = codec_alloc(test);
	u32 i;

	for (i = 0; i < unknown; i++)
		put_unaligned_be32(99, buf + 32 + i * 8);
	put_unaligned_be32(RDMA2_XCHAR_RBSIZ, buf + len - 12);
	put_unaligned_be32(4, buf + len - 8);
	put_unaligned_be32(8192, buf + len - 4);
	KUNIT_EXPECT_TRUE(test, codec_decode(buf, len, &codec_limits, d));
	KUNIT_EXPECT_EQ(test, d->reqxch.count, unknown + 1);
	return d;
}

/* what an answer has no bit for is not changed, but rejected */
static void codec_reqxch_far_element(struct kunit *test)
{
	struct codec_decoded *d;

	d = codec_far_request(test, 127);
	KUNIT_EXPECT_EQ(test, d->reqxch.want.present, RPCRDMA2_HAS_RBSIZ);
	KUNIT_EXPECT_EQ(test, d->reqxch.element[0], 127);
	d = codec_far_request(test, 128);
	KUNIT_EXPECT_EQ(test, d->reqxch.want.present, 0);
}

/* an UPDXCH changes its value and nothing else */
static void codec_updxch_applied(struct kunit *test)
{
	struct codec_decoded *d = codec_take(test, EX_E4C);
	struct rpcrdma2_xchars xc = codec_take(test, EX_E3)->initxch;

	rpcrdma2_xchars_apply(&xc, &d->updxch.now);
	KUNIT_EXPECT_EQ(test, xc.rbsiz, 16384);
	KUNIT_EXPECT_EQ(test, xc.rbstruct.length, 12288);
	KUNIT_EXPECT_EQ(test, xc.rtrsupp, 7);
	KUNIT_EXPECT_EQ(test, xc.reqrxlim, 8);
}

/* A value that is announced has to be one value */
static void codec_updxch_one_value(struct kunit *test)
{
	struct rpcrdma2_hdr hdr = { .credit = 1 };
	struct rpcrdma2_xchars xc;
	u8 buf[128];

	rpcrdma2_xchars_default(&xc);
	KUNIT_EXPECT_EQ(test, rpcrdma2_encode_updxch(buf, sizeof(buf), &hdr, &xc, false),
			-EINVAL);
	xc.present = RPCRDMA2_HAS_RBSIZ | RPCRDMA2_HAS_BRS;
	KUNIT_EXPECT_EQ(test, rpcrdma2_encode_updxch(buf, sizeof(buf), &hdr, &xc, false),
			-EINVAL);
	xc.present = RPCRDMA2_HAS_RESPSXLIM;
	KUNIT_EXPECT_EQ(test, rpcrdma2_encode_updxch(buf, sizeof(buf), &hdr, &xc, false), 44);
}

/* everything that can be told fits the opening exchange */
static void codec_initxch_largest(struct kunit *test)
{
	u8 *buf = kunit_kzalloc(test, 2 * RPCRDMA2_FIRST_MSG_MAX, GFP_KERNEL);
	struct rpcrdma2_hdr hdr = { .credit = 1 };
	struct rpcrdma2_xchars xc;
	int len;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	rpcrdma2_xchars_default(&xc);
	xc.present = BIT(RPCRDMA2_NUM_XCHARS) - 1;
	xc.nochg = xc.present;
	xc.rbstruct.ngroups = RPCRDMA2_MAX_RBGROUPS;
	len = rpcrdma2_encode_initxch(buf, 2 * RPCRDMA2_FIRST_MSG_MAX, &hdr, &xc);
	KUNIT_EXPECT_EQ(test, len, 28 + 4 + 6 * 12 + 16 + 8 * 16 + 8);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(buf + 24), (u32)len - 28);
}

/**
 * struct codec_rbstruct - an RBSTRUCT that is of no use
 * @desc: why
 * @words: content of an INITXCH, REQREMINV TRUE in front of it
 * @nwords: how many
 */
struct codec_rbstruct {
	const char	*desc;
	const u32	*words;
	u32		nwords;
};

#define RBSTRUCT(size, ...)						\
	RPCRDMA2_WORDS(2, 2, 4, 1, 4, size, __VA_ARGS__, 0)

static const struct codec_rbstruct codec_rbstructs[] = {
	{ "sum below xmrbuf_length", RBSTRUCT(24, 8192, 1, 1, 4096, 1, 0) },
	{ "sum above xmrbuf_length", RBSTRUCT(24, 4096, 1, 2, 4096, 1, 0) },
	{ "count 0", RBSTRUCT(40, 4096, 2, 1, 4096, 1, 0, 0, 4096, 1, 0) },
	{ "length 0", RBSTRUCT(40, 4096, 2, 1, 4096, 1, 0, 1, 0, 1, 0) },
	{ "align 3", RBSTRUCT(24, 4096, 1, 1, 4096, 3, 0) },
	{ "align 0xffffffff", RBSTRUCT(24, 4096, 1, 1, 4096, ~0U, 0) },
	{ "no groups", RBSTRUCT(8, 4096, 0) },
	{ "no groups, no length", RBSTRUCT(8, 0, 0) },
	{ "product beyond 32 bit", RBSTRUCT(24, 4096, 1, 2, 0x80000800, 1, 0) },
	{ "sum beyond 32 bit",
	  RBSTRUCT(40, 4096, 2, 1, 0x80000000, 1, 0, 1, 0x80001000, 1, 0) },
	{ "513 segments", RBSTRUCT(24, 513 * 4096, 1, 513, 4096, 1, 0) },
	{ "0xffffffff segments", RBSTRUCT(24, ~0U, 1, ~0U, 1, 1, 0) },
	{ "segments beyond 32 bit",
	  RBSTRUCT(40, 0xffffffff, 2, 0xfffffffe, 1, 1, 0, 1, 1, 1, 0) },
	{ "9 groups",
	  RBSTRUCT(152, 9 * 4096, 9, 1, 4096, 1, 0, 1, 4096, 1, 0, 1, 4096, 1, 0,
		   1, 4096, 1, 0, 1, 4096, 1, 0, 1, 4096, 1, 0,
		   1, 4096, 1, 0, 1, 4096, 1, 0, 1, 4096, 1, 0) },
	{ "12 groups",
	  RBSTRUCT(200, 12 * 4096, 12, 1, 4096, 1, 0, 1, 4096, 1, 0, 1, 4096, 1, 0,
		   1, 4096, 1, 0, 1, 4096, 1, 0, 1, 4096, 1, 0,
		   1, 4096, 1, 0, 1, 4096, 1, 0, 1, 4096, 1, 0,
		   1, 4096, 1, 0, 1, 4096, 1, 0, 1, 4096, 1, 0) },
};

static void codec_rbstruct_desc(const struct codec_rbstruct *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "N-96 A-59: RBSTRUCT, %s", row->desc);
}

KUNIT_ARRAY_PARAM(codec_rbstruct, codec_rbstructs, codec_rbstruct_desc);

/* N-96, A-59: disregarded, the rest of the message applies */
static void codec_rbstruct_row(struct kunit *test)
{
	const struct codec_rbstruct *row = test->param_value;
	struct rpcrdma2_xchars xc;

	rpcrdma2_xchars_default(&xc);
	KUNIT_EXPECT_EQ(test, codec_initxch(test, &xc, row->words, row->nwords), 0);
	KUNIT_EXPECT_EQ(test, xc.present, RPCRDMA2_HAS_REQREMINV);
	KUNIT_EXPECT_EQ(test, xc.unusable, RPCRDMA2_HAS_RBSTRUCT);
	KUNIT_EXPECT_EQ(test, xc.rbsiz, 4096);
	KUNIT_EXPECT_EQ(test, xc.rbstruct.length, 4096);
	KUNIT_EXPECT_EQ(test, xc.rbstruct.ngroups, 1);
}

/* RBSTRUCTs at the edge of what is of use */
static void codec_rbstruct_largest(struct kunit *test)
{
	struct rpcrdma2_xchars xc;

	rpcrdma2_xchars_default(&xc);
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 1, 4, 24, 512 * 4096, 1, 512, 4096,
					    0x80000000, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, xc.present, RPCRDMA2_HAS_RBSTRUCT);

	rpcrdma2_xchars_default(&xc);
	KUNIT_EXPECT_EQ(test, CODEC_INITXCH(test, &xc, 1, 4, 24, ~0U, 1, 1, ~0U, 1, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, xc.present, RPCRDMA2_HAS_RBSTRUCT);
	KUNIT_EXPECT_EQ(test, xc.rbsiz, ~0U);
}

/*
 * Section: more than can be held (A-20, S-11)
 */

/**
 * struct codec_words - some words
 * @words: the words
 * @nwords: how many
 */
struct codec_words {
	const u32	*words;
	u32		nwords;
};

#define LIST(...)	((struct codec_words){ RPCRDMA2_WORDS(__VA_ARGS__) })

/**
 * codec_crowd - decode XMTREQ with many of one thing
 * @test: test that runs
 * @head: what is in front of the many
 * @each: one of the many
 * @times: how many of the many there are
 * @tail: what is behind the many
 *
 * Return: what was decoded.
 */
static struct codec_decoded *codec_crowd(struct kunit *test, struct codec_words head,
					 struct codec_words each, u32 times,
					 struct codec_words tail)
{
	const u32 fixed[] = { XID, 2, 32, RDMA2_OPTIONAL, RDMA2_CALL, ROPT_XMTREQ };
	u32 i, n = 7, total = n + head.nwords + each.nwords * times + tail.nwords;
	u32 *words = kunit_kzalloc(test, total * 4, GFP_KERNEL);
	struct codec_decoded *d = codec_alloc(test);

	KUNIT_ASSERT_NOT_NULL(test, words);
	memcpy(words, fixed, sizeof(fixed));
	words[6] = total * 4 - RPCRDMA2_OPT_SIZE;
	memcpy(words + n, head.words, head.nwords * 4);
	for (n += head.nwords, i = 0; i < times; i++, n += each.nwords)
		memcpy(words + n, each.words, each.nwords * 4);
	memcpy(words + n, tail.words, tail.nwords * 4);

	codec_decode(codec_bytes(test, words, total, total * 4), total * 4, &codec_limits, d);
	KUNIT_EXPECT_EQ(test, d->msg.verdict, RPCRDMA2_OK);
	KUNIT_EXPECT_TRUE(test, codec_req_sound(&d->xmtreq));
	return d;
}

static void codec_crowd_items(struct kunit *test)
{
	struct codec_decoded *d;

	d = codec_crowd(test, LIST(32), LIST(0, 0, 6), 32, LIST(0, 3, 1, 8));
	KUNIT_EXPECT_EQ(test, d->rc, 0);
	KUNIT_EXPECT_EQ(test, d->xmtreq.nitems, 32);
	d = codec_crowd(test, LIST(33), LIST(0, 0, 6), 33, LIST(0, 3, 1, 8));
	KUNIT_EXPECT_EQ(test, d->rc, -EBADMSG);
	KUNIT_EXPECT_EQ(test, d->xmtreq.count, 3);
}

static void codec_crowd_sets(struct kunit *test)
{
	struct codec_decoded *d;

	d = codec_crowd(test, LIST(0, 16), LIST(0, 8, 2, 0, 2, 0, 2), 16, LIST(3, 1, 8));
	KUNIT_EXPECT_EQ(test, d->rc, 0);
	KUNIT_EXPECT_EQ(test, d->xmtreq.nsets, 16);
	KUNIT_EXPECT_EQ(test, d->xmtreq.nrsditems, 32);
	KUNIT_EXPECT_EQ(test, d->xmtreq.sets[15].first, 30);
	d = codec_crowd(test, LIST(0, 17), LIST(0, 8, 0), 17, LIST(3, 1, 8));
	KUNIT_EXPECT_EQ(test, d->rc, -EBADMSG);
	KUNIT_EXPECT_EQ(test, d->xmtreq.count, 3);
	d = codec_crowd(test, LIST(0, 1, 0, 8, 33), LIST(0, 2), 33, LIST(3, 1, 8));
	KUNIT_EXPECT_EQ(test, d->rc, -EBADMSG);
	KUNIT_EXPECT_EQ(test, d->xmtreq.count, 3);
}

static void codec_crowd_pool(struct kunit *test)
{
	struct codec_decoded *d;

	d = codec_crowd(test, LIST(1, 0, 96, 1, 96), LIST(SEG(1)), 96, LIST(0, 3, 1, 8));
	KUNIT_EXPECT_EQ(test, d->rc, 0);
	KUNIT_EXPECT_EQ(test, d->xmtreq.items[0].count, 96);
	d = codec_crowd(test, LIST(1, 0, 97, 1, 97), LIST(SEG(1)), 97, LIST(0, 3, 1, 8));
	KUNIT_EXPECT_EQ(test, d->rc, -EBADMSG);
	KUNIT_EXPECT_EQ(test, d->xmtreq.count, 3);

	d = codec_crowd(test, LIST(1, 0, 8, 2, 0, 256), LIST(5), 256, LIST(0, 3, 1, 8));
	KUNIT_EXPECT_EQ(test, d->rc, 0);
	KUNIT_EXPECT_EQ(test, d->xmtreq.items[0].count, 256);
	d = codec_crowd(test, LIST(1, 0, 8, 2, 0, 257), LIST(5), 257, LIST(0, 3, 1, 8));
	KUNIT_EXPECT_EQ(test, d->rc, -EBADMSG);
	KUNIT_EXPECT_EQ(test, d->xmtreq.count, 3);
}

/* C.7: how many transmissions follow is known only if everything parses */
static void codec_count_of_bad_request(struct kunit *test)
{
	struct codec_decoded *d;

	d = codec_crowd(test, LIST(1), LIST(0, 0, 7), 1, LIST(0, 3, 1, 8));
	KUNIT_EXPECT_EQ(test, d->rc, -EBADMSG);
	KUNIT_EXPECT_EQ(test, d->xmtreq.count, 0);
	d = codec_crowd(test, LIST(1), LIST(0, 0, 6), 1, LIST(0, 3, 1, 8, 0));
	KUNIT_EXPECT_EQ(test, d->rc, -EBADMSG);
	KUNIT_EXPECT_EQ(test, d->xmtreq.count, 0);
}

/*
 * Section: what the rest of version 2 asks of the codec
 */

/* The header that was planned is the one that is written */
static void codec_xmt_sizes(struct kunit *test)
{
	const struct rpcrdma2_hdr hdr = { .dir = RDMA2_CALL };
	struct rpcrdma2_xmtreq *req = kunit_kzalloc(test, sizeof(*req), GFP_KERNEL);
	struct rpcrdma2_xmtresp *resp = kunit_kzalloc(test, sizeof(*resp), GFP_KERNEL);
	u8 *buf = kunit_kzalloc(test, CODEC_HDR_MAX, GFP_KERNEL);
	u32 i;

	KUNIT_EXPECT_EQ(test, rpcrdma2_encode_xmtreq(buf, CODEC_HDR_MAX, &hdr, req),
			(int)rpcrdma2_xmtreq_size(0, 0, 0));
	KUNIT_EXPECT_EQ(test, rpcrdma2_encode_xmtresp(buf, CODEC_HDR_MAX, &hdr, resp),
			(int)rpcrdma2_xmtresp_size(0, 0, 0, 0));
	req->nitems = 2;
	req->nsets = 3;
	req->nrsditems = 3;
	for (i = 0; i < 3; i++) {
		req->items[i].type = XMPTYPE_TBSN;
		req->sets[i] = (struct rpcrdma2_rsdset){ 0, 4, i, 1 };
		req->rsditems[i] = (struct rpcrdma2_rsditem){
			.type = XMPTYPE_BYSIZE, .first = 2 * i, .count = 2,
		};
	}
	KUNIT_EXPECT_EQ(test, rpcrdma2_encode_xmtreq(buf, CODEC_HDR_MAX, &hdr, req),
			(int)rpcrdma2_xmtreq_size(2, 3, 6));
	/* other directions are shorter */
	req->rsditems[1].type = XMPTYPE_TBSN;
	req->rsditems[2].type = XMPTYPE_CHOICE;
	KUNIT_EXPECT_GT(test, (int)rpcrdma2_xmtreq_size(2, 3, 6),
			rpcrdma2_encode_xmtreq(buf, CODEC_HDR_MAX, &hdr, req));

	resp->nitems = 4;
	resp->items[0].type = XMPTYPE_TBSN;
	resp->items[1] = (struct rpcrdma2_mitem){ .type = XMPTYPE_EXRW, .count = 3 };
	resp->items[2].type = XMPTYPE_TOOSHORT;
	resp->items[3].type = XMPTYPE_NOITEM;
	KUNIT_EXPECT_EQ(test, rpcrdma2_encode_xmtresp(buf, CODEC_HDR_MAX, &hdr, resp),
			(int)rpcrdma2_xmtresp_size(4, 1, 1, 3));
}

/* Each type of message has a kind of its own; what has no type has none */
static void codec_kinds(struct kunit *test)
{
	static const u32 procs[] = { RDMA2_MSG, RDMA2_NOMSG, RDMA2_ERROR };
	static const u32 opts[] = {
		ROPT_INITXCH, ROPT_REQXCH, ROPT_RESPXCH, ROPT_UPDXCH,
		ROPT_XMTREQ, ROPT_XMTRESP, ROPT_XMTCONT, ROPT_REPTERR,
	};
	struct rpcrdma2_msg msg = { };
	u32 i, kind = 0;

	for (i = 0; i < ARRAY_SIZE(procs); i++) {
		msg.proc = procs[i];
		KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_msg_kind(&msg), kind++);
	}
	msg.proc = RDMA2_OPTIONAL;
	msg.opt.type = ROPT_INITXCH;
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_msg_kind(&msg), (u32)RPCRDMA2_NR_KINDS);
	msg.opt.type = 0;
	msg.opt.typed = true;
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_msg_kind(&msg), (u32)RPCRDMA2_NR_KINDS);
	for (i = 0; i < ARRAY_SIZE(opts); i++) {
		msg.opt.type = opts[i];
		KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_msg_kind(&msg), kind++);
	}
	KUNIT_EXPECT_EQ(test, kind, (u32)RPCRDMA2_NR_KINDS);
	msg.opt.type = U32_MAX;
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_msg_kind(&msg), (u32)RPCRDMA2_NR_KINDS);
	msg.proc = 77;
	KUNIT_EXPECT_EQ(test, (u32)rpcrdma2_msg_kind(&msg), (u32)RPCRDMA2_NR_KINDS);
}

static struct kunit_case rpcrdma2_codec_cases[] = {
	KUNIT_CASE_PARAM(codec_example_round_trip, codec_example_gen_params),
	KUNIT_CASE_PARAM(codec_example_no_room, codec_example_gen_params),
	KUNIT_CASE_PARAM(codec_example_truncated, codec_example_gen_params),
	KUNIT_CASE_PARAM(codec_example_optinfo_exact, codec_example_gen_params),
	KUNIT_CASE_PARAM(codec_example_mutated, codec_example_gen_params),
	KUNIT_CASE(codec_fields_e1_e11_e12),
	KUNIT_CASE(codec_fields_e2),
	KUNIT_CASE(codec_fields_e3),
	KUNIT_CASE(codec_fields_e4),
	KUNIT_CASE(codec_fields_e5_e6),
	KUNIT_CASE(codec_fields_e7),
	KUNIT_CASE(codec_fields_e8_e9),
	KUNIT_CASE(codec_fields_e10),
	KUNIT_CASE(codec_encode_fixed_words),
	KUNIT_CASE_PARAM(codec_fault_row, codec_fault_gen_params),
	KUNIT_CASE_PARAM(codec_bad_reply_row, codec_bad_reply_gen_params),
	KUNIT_CASE(codec_newcomer_type),
	KUNIT_CASE(codec_payload_sound),
	KUNIT_CASE(codec_walk_lists),
	KUNIT_CASE_PARAM(codec_reply_row, codec_reply_gen_params),
	KUNIT_CASE(codec_reply_without_offer),
	KUNIT_CASE(codec_reply_to_cut_call),
	KUNIT_CASE(codec_xchars_defaults),
	KUNIT_CASE(codec_xchars_all_or_nothing),
	KUNIT_CASE(codec_xchars_any_order),
	KUNIT_CASE(codec_xchars_subset),
	KUNIT_CASE(codec_subset_bits),
	KUNIT_CASE(codec_xchars_rbsiz),
	KUNIT_CASE(codec_xchars_put_right),
	KUNIT_CASE(codec_xchars_derived),
	KUNIT_CASE(codec_respxch_fates),
	KUNIT_CASE(codec_reqxch_far_element),
	KUNIT_CASE(codec_updxch_applied),
	KUNIT_CASE(codec_updxch_one_value),
	KUNIT_CASE(codec_initxch_largest),
	KUNIT_CASE_PARAM(codec_rbstruct_row, codec_rbstruct_gen_params),
	KUNIT_CASE(codec_rbstruct_largest),
	KUNIT_CASE(codec_crowd_items),
	KUNIT_CASE(codec_crowd_sets),
	KUNIT_CASE(codec_crowd_pool),
	KUNIT_CASE(codec_count_of_bad_request),
	KUNIT_CASE(codec_xmt_sizes),
	KUNIT_CASE(codec_kinds),
	{ }
};

static struct kunit_suite rpcrdma2_codec_suite = {
	.name		= "rpcrdma2_codec",
	.test_cases	= rpcrdma2_codec_cases,
};

kunit_test_suite(rpcrdma2_codec_suite);

MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests of the RPC-over-RDMA version 2 codec");
MODULE_LICENSE("GPL");
