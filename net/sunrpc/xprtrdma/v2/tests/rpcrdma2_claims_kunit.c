// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of where placed data goes, and of what is told of it.
 *
 * tools/testing/selftests/rpcrdma/unit builds the same file in user space.
 * Faults are named by their rows in the checklist: each is one change of a
 * message that is sound.
 */

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "../plan.h"

enum {
	PL_PAGE		= 4096,
	PL_HDRLEN	= 76,
	PL_PSLEN	= 80,
	PL_MAX		= 1 << 20,
};

/**
 * struct pl_msg - a message that is said to have been received
 * @rb: structure of the Receive
 * @req: what it says, if it is a request
 * @part: its only transmission
 * @arr: all that
 * @fault: what is wrong with it
 */
struct pl_msg {
	struct rpcrdma2_rbstruct	rb;
	struct rpcrdma2_xmtreq		req;
	struct rpcrdma2_part		part;
	struct rpcrdma2_arrival		arr;
	struct rpcrdma2_repterr		fault;
};

/**
 * pl_connect - let a message consist of its parts
 * @m: message
 */
static void pl_connect(struct pl_msg *m)
{
	m->part.pslen = m->req.pslen;
	m->arr = (struct rpcrdma2_arrival){
		.rb = &m->rb, .max_message = PL_MAX, .limit = 1,
		.dir = m->arr.dir, .count = m->req.count,
		.nitems = m->req.nitems, .items = m->req.items,
		.pool = &m->req.pool, .nparts = 1, .parts = &m->part,
	};
}

/**
 * pl_check - look for faults in the way of a receiver
 * @m: message; gets the fault
 *
 * Return: %false if there is one
 */
static bool pl_check(struct pl_msg *m)
{
	const struct rpcrdma2_xmtreq *req = m->arr.dir == RDMA2_CALL ?
					    &m->req : NULL;

	pl_connect(m);
	memset(&m->fault, 0, sizeof(m->fault));
	return rpcrdma2_check_lead(&m->arr, req, &m->fault) &&
	       rpcrdma2_check_whole(&m->arr, req, &m->fault);
}

/**
 * pl_e5 - make the message of example E5, with directions
 * @test: running test
 *
 * One item of 8192 bytes at displacement 80, in both pages that there are.
 *
 * Return: the message
 */
static struct pl_msg *pl_e5(struct kunit *test)
{
	struct pl_msg *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct rpcrdma2_xmtreq *req = &m->req;

	rpcrdma2_rbstruct_make(&m->rb, PL_PAGE, 2, PL_PAGE);
	m->part.length = 3 * PL_PAGE;
	m->part.hdrlen = PL_HDRLEN;
	req->nitems = 1;
	req->items[0].disp = 80;
	req->items[0].length = 2 * PL_PAGE;
	req->items[0].type = XMPTYPE_TBSN;
	req->items[0].count = 2;
	req->pool.ntbsns = 2;
	req->pool.tbsns[1] = 1;
	req->nsets = 1;
	req->sets[0].end = PL_PSLEN + 2 * PL_PAGE;
	req->count = 1;
	req->rsbuf = 1;
	req->pslen = PL_PSLEN;
	pl_connect(m);
	return m;
}

/*
 * Section: faults
 */

/**
 * struct pl_fault - a change, and what has to come of it
 * @id: rows of the checklist
 * @change: makes it
 * @which: code of the report, 0 if the message is still sound
 * @args: its arguments
 */
struct pl_fault {
	const char	*id;
	void		(*change)(struct pl_msg *m);
	u32		which;
	u32		args[3];
};

/**
 * pl_add_item - add an item behind the one there is
 * @m: message
 * @tbsn: where it is
 * @offset: its first byte there
 * @length: its length, in bytes
 */
static void pl_add_item(struct pl_msg *m, u32 tbsn, u32 offset, u32 length)
{
	struct rpcrdma2_mitem *item = &m->req.items[m->req.nitems++];

	item->type = XMPTYPE_TBSN;
	item->disp = item[-1].disp + item[-1].length;
	item->length = length;
	item->offset = offset;
	item->first = m->req.pool.ntbsns;
	item->count = 1;
	m->req.pool.tbsns[m->req.pool.ntbsns++] = tbsn;
}

/**
 * pl_make_exrw - let the item be in the peer's memory
 * @m: message
 * @length: length of the one segment
 */
static void pl_make_exrw(struct pl_msg *m, u32 length)
{
	m->req.items[0].type = XMPTYPE_EXRW;
	m->req.items[0].count = 1;
	m->req.pool.nsegs = 1;
	m->req.pool.segs[0].length = length;
}

static void pl_same(struct pl_msg *m)
{
	(void)m;
}

static void pl_tooshort(struct pl_msg *m)
{
	m->req.items[0].type = XMPTYPE_TOOSHORT;
}

static void pl_noitem(struct pl_msg *m)
{
	m->req.items[0].type = XMPTYPE_NOITEM;
}

static void pl_count_0(struct pl_msg *m)
{
	m->req.count = 0;
}

static void pl_count_2(struct pl_msg *m)
{
	m->req.count = 2;
}

static void pl_pslen_long(struct pl_msg *m)
{
	m->req.pslen = 3 * PL_PAGE - PL_HDRLEN + 4;
}

static void pl_pslen_odd(struct pl_msg *m)
{
	m->req.pslen = 78;
}

static void pl_pslen_max(struct pl_msg *m)
{
	m->req.pslen = 0xfffffffc;
}

static void pl_pslen_4(struct pl_msg *m)
{
	m->req.pslen = 4;
}

static void pl_pslen_0_exrw(struct pl_msg *m)
{
	pl_make_exrw(m, 2 * PL_PAGE);
	m->req.items[0].disp = 0;
	m->req.pslen = 0;
	m->req.sets[0].end = 2 * PL_PAGE;
}

static void pl_disp_odd(struct pl_msg *m)
{
	m->req.items[0].disp = 78;
}

static void pl_disp_descends(struct pl_msg *m)
{
	m->req.items[0].length = PL_PAGE;
	pl_add_item(m, 1, 0, PL_PAGE);
	m->req.items[1].disp = 76;
}

static void pl_disp_overlaps(struct pl_msg *m)
{
	m->req.items[0].length = 100;
	pl_add_item(m, 1, 0, 8);
	m->req.items[1].disp = 176;
}

static void pl_disp_far(struct pl_msg *m)
{
	m->req.items[0].disp = 84;
}

static void pl_disp_max(struct pl_msg *m)
{
	m->req.items[0].disp = 0xfffffffc;
}

static void pl_length_max(struct pl_msg *m)
{
	m->req.items[0].length = 0xffffffff;
}

static void pl_length_room(struct pl_msg *m)
{
	pl_make_exrw(m, 0xffffffff);
	m->req.items[0].length = PL_MAX - 80 + 4;
}

static void pl_exrw_short(struct pl_msg *m)
{
	pl_make_exrw(m, 8000);
}

static void pl_exrw_long(struct pl_msg *m)
{
	pl_make_exrw(m, 9000);
}

static void pl_exrw_wraps(struct pl_msg *m)
{
	pl_make_exrw(m, 0xffffffff);
	m->req.items[0].count = 2;
	m->req.pool.nsegs = 2;
	m->req.pool.segs[1].length = 0xffffffff;
}

static void pl_no_plt(struct pl_msg *m)
{
	m->rb.groups[1].flags = 0;
}

static void pl_odd_flags(struct pl_msg *m)
{
	m->rb.groups[1].flags = 0x80000001;
}

static void pl_tbsn_2(struct pl_msg *m)
{
	m->req.pool.tbsns[1] = 2;
}

static void pl_tbsn_max(struct pl_msg *m)
{
	m->req.pool.tbsns[0] = 0xffffffff;
}

static void pl_short_send(struct pl_msg *m)
{
	m->part.length = 2 * PL_PAGE;
}

static void pl_cut_send(struct pl_msg *m)
{
	m->part.length = 3 * PL_PAGE - 1;
}

static void pl_bare_send(struct pl_msg *m)
{
	m->part.length = PL_HDRLEN + PL_PSLEN;
}

static void pl_list_empty(struct pl_msg *m)
{
	m->req.items[0].count = 0;
}

static void pl_list_short(struct pl_msg *m)
{
	m->req.items[0].count = 1;
}

static void pl_list_long(struct pl_msg *m)
{
	m->req.items[0].length = 4000;
	m->req.pool.tbsns[1] = 77;
	m->req.sets[0].end = 0;
}

static void pl_twice_in_item(struct pl_msg *m)
{
	m->req.pool.tbsns[1] = 0;
}

static void pl_twice_in_two(struct pl_msg *m)
{
	m->req.items[0].length = 4100;
	pl_add_item(m, 1, 0, 8);
}

static void pl_once_in_two(struct pl_msg *m)
{
	m->req.items[0].length = 4100;
	pl_add_item(m, 1, 4, 8);
	m->req.sets[0].end = 0;
}

static void pl_backwards(struct pl_msg *m)
{
	m->req.pool.tbsns[0] = 1;
	m->req.pool.tbsns[1] = 0;
}

static void pl_offset_end(struct pl_msg *m)
{
	m->req.items[0].length = 100;
	m->req.items[0].offset = PL_PAGE;
}

static void pl_offset_max(struct pl_msg *m)
{
	m->req.items[0].length = 100;
	m->req.items[0].offset = 0xfffffffc;
}

static void pl_offset_odd(struct pl_msg *m)
{
	m->req.items[0].length = 100;
	m->req.items[0].offset = 2;
}

static void pl_overlap(struct pl_msg *m)
{
	m->req.pslen = PL_PAGE;
	m->req.sets[0].end = 0;
}

static void pl_overlap_all(struct pl_msg *m)
{
	m->req.pslen = 2 * PL_PAGE - PL_HDRLEN;
	m->req.sets[0].end = 0;
}

static void pl_empty_item(struct pl_msg *m)
{
	m->req.items[0].length = 0;
	m->req.items[0].count = 0;
	m->req.sets[0].end = 0;
}

static void pl_range_far(struct pl_msg *m)
{
	m->req.sets[0].end += 4;
}

static void pl_range_back(struct pl_msg *m)
{
	m->req.sets[0].begin = 8;
	m->req.sets[0].end = 4;
}

static void pl_range_overlap(struct pl_msg *m)
{
	m->req.nsets = 2;
	m->req.sets[0].end = 80;
	m->req.sets[1].begin = 76;
	m->req.sets[1].end = 100;
}

static void pl_range_empty(struct pl_msg *m)
{
	m->req.sets[0].begin = 80;
	m->req.sets[0].end = 80;
}

static void pl_two_faults(struct pl_msg *m)
{
	m->req.pslen = 78;
	m->req.items[0].offset = 2;
}

static const struct pl_fault pl_faults[] = {
	{ "E5", pl_same, 0, { 0 } },
	{ "N-125 TOOSHORT", pl_tooshort, OPTRERR_BADTBSN, { 5, 1, 2 } },
	{ "N-125 NOITEM", pl_noitem, OPTRERR_BADTBSN, { 6, 1, 2 } },
	{ "N-127", pl_count_0, OPTRERR_BADSEQ, { 1, 0 } },
	{ "N-128", pl_count_2, OPTRERR_BADSEQ, { 1, 2 } },
	{ "N-129 beyond", pl_pslen_long, OPTRERR_BADPL, { 12216, 0, 12212 } },
	{ "N-129 misaligned", pl_pslen_odd, OPTRERR_BADPL, { 78, 0, 12212 } },
	{ "N-129 wraps", pl_pslen_max, OPTRERR_BADPL, { 0xfffffffc, 0, 12212 } },
	{ "N-131", pl_pslen_4, OPTRERR_BADPL, { 4, 8, 12212 } },
	{ "N-131 A-64", pl_pslen_0_exrw, 0, { 0 } },
	{ "N-133 misaligned", pl_disp_odd, OPTRERR_BADOFF, { 78, 0, 80 } },
	{ "N-133 descending", pl_disp_descends, OPTRERR_BADOFF, { 76, 4176, 4176 } },
	{ "N-133 overlapping", pl_disp_overlaps, OPTRERR_BADOFF, { 176, 180, 180 } },
	{ "N-134", pl_disp_far, OPTRERR_BADOFF, { 84, 0, 80 } },
	{ "N-134 wraps", pl_disp_max, OPTRERR_BADOFF, { 0xfffffffc, 0, 80 } },
	{ "N-135 wraps", pl_length_max, OPTRERR_BADOFF, { 0xffffffff, 0, PL_MAX } },
	{ "N-135", pl_length_room, OPTRERR_BADOFF, { PL_MAX + 4, 0, PL_MAX } },
	{ "N-136", pl_exrw_short, OPTRERR_BADOFF, { 8192, 0, 8000 } },
	{ "A-75", pl_exrw_long, 0, { 0 } },
	{ "N-136 wraps", pl_exrw_wraps, 0, { 0 } },
	{ "N-138", pl_no_plt, OPTRERR_BADTBSN, { 0, 1, 0 } },
	{ "P-17", pl_odd_flags, 0, { 0 } },
	{ "N-139", pl_tbsn_2, OPTRERR_BADTBSN, { 2, 0, 1 } },
	{ "N-139 wraps", pl_tbsn_max, OPTRERR_BADTBSN, { 0xffffffff, 0, 1 } },
	{ "N-140", pl_short_send, OPTRERR_BADTBSN, { 1, 0, 0 } },
	{ "N-140 one byte", pl_cut_send, OPTRERR_BADTBSN, { 1, 0, 0 } },
	{ "N-140 none", pl_bare_send, OPTRERR_BADTBSN, { 0, 1, 0 } },
	{ "N-141 empty", pl_list_empty, OPTRERR_BADTBSN, { 0xffffffff, 0, 1 } },
	{ "N-141 exhausted", pl_list_short, OPTRERR_BADTBSN, { 0, 0, 1 } },
	{ "N-142", pl_list_long, 0, { 0 } },
	{ "N-143 one item", pl_twice_in_item, OPTRERR_BADTBSN, { 0, 0, 1 } },
	{ "N-143 two items", pl_twice_in_two, OPTRERR_BADTBSN, { 1, 0, 1 } },
	{ "A-77 shared segment", pl_once_in_two, 0, { 0 } },
	{ "A-77 any order", pl_backwards, 0, { 0 } },
	{ "N-144 beyond", pl_offset_end, OPTRERR_BADOFF, { 4096, 0, 4092 } },
	{ "N-144 wraps", pl_offset_max, OPTRERR_BADOFF, { 0xfffffffc, 0, 4092 } },
	{ "N-144 misaligned", pl_offset_odd, OPTRERR_BADOFF, { 2, 0, 4092 } },
	{ "N-146", pl_overlap, OPTRERR_BADOFF, { 0, 76, 4092 } },
	{ "N-146 nothing free", pl_overlap_all, OPTRERR_BADOFF, { 0, 1, 0 } },
	{ "N-147", pl_empty_item, 0, { 0 } },
	{ "N-148 beyond", pl_range_far, OPTRERR_BADOFF, { 8276, 0, 8272 } },
	{ "N-148 begin > end", pl_range_back, OPTRERR_BADOFF, { 4, 8, 8272 } },
	{ "N-148 overlapping", pl_range_overlap, OPTRERR_BADOFF, { 76, 80, 8272 } },
	{ "N-148 empty", pl_range_empty, 0, { 0 } },
	{ "N-153", pl_two_faults, OPTRERR_BADOFF, { 2, 0, 4092 } },
};

static void pl_fault_desc(const struct pl_fault *f, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", f->id);
}

KUNIT_ARRAY_PARAM(pl_faults, pl_faults, pl_fault_desc);

static void pl_reports(struct kunit *test)
{
	const struct pl_fault *f = test->param_value;
	struct pl_msg *m = pl_e5(test);
	u32 i;

	f->change(m);
	KUNIT_EXPECT_EQ(test, pl_check(m), !f->which);
	KUNIT_EXPECT_EQ(test, m->fault.which, f->which);
	for (i = 0; i < m->fault.nargs; i++)
		KUNIT_EXPECT_EQ(test, m->fault.args[i], f->args[i]);
}

/* Of a response, items that stay inline are passed over (N-168, A-74) */
static void pl_response(struct kunit *test)
{
	struct pl_msg *m = pl_e5(test);

	m->arr.dir = RDMA2_REPLY;
	m->req.items[1] = m->req.items[0];
	m->req.items[0].type = XMPTYPE_TOOSHORT;
	m->req.items[0].disp = 400;
	m->req.nitems = 2;
	KUNIT_EXPECT_TRUE(test, pl_check(m));
	m->req.items[1].offset = 2;
	KUNIT_EXPECT_FALSE(test, pl_check(m));
	KUNIT_EXPECT_EQ(test, m->fault.which, OPTRERR_BADOFF);
	pl_make_exrw(m, 4);
	m->req.items[1] = m->req.items[0];
	m->req.items[1].disp = 80;
	m->req.nitems = 2;
	m->req.items[0].type = XMPTYPE_NOITEM;
	/* how much was written is not for this to judge */
	KUNIT_EXPECT_TRUE(test, pl_check(m));
}

/* Segments are counted through a group (A-76, P-13) */
static void pl_group(struct kunit *test)
{
	static const u32 tbsns[4] = { 5, 0, 2, 1 };
	struct pl_msg *m = pl_e5(test);
	struct rpcrdma2_part parts[3] = {
		{ 3 * PL_PAGE, PL_HDRLEN, PL_PSLEN },
		{ 2 * PL_PAGE, 40, 0 },
		{ 3 * PL_PAGE, 40, 8 },
	};
	struct rpcrdma2_repterr fault;
	struct rpcrdma2_walk walk;
	struct rpcrdma2_piece piece;

	m->req.count = 3;
	m->req.items[0].length = 4 * PL_PAGE;
	m->req.items[0].count = 4;
	memcpy(m->req.pool.tbsns, tbsns, sizeof(tbsns));
	pl_connect(m);
	m->arr.limit = 3;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_check_lead(&m->arr, &m->req, &fault));
	m->arr.nparts = 3;
	m->arr.parts = parts;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_check_whole(&m->arr, NULL, &fault));
	rpcrdma2_walk_begin(&walk, &m->arr);
	rpcrdma2_walk_next(&walk, &piece);
	KUNIT_EXPECT_EQ(test, piece.length, PL_PSLEN);
	rpcrdma2_walk_next(&walk, &piece);
	KUNIT_EXPECT_EQ(test, piece.xnum, 2);
	KUNIT_EXPECT_EQ(test, piece.offset, 2 * PL_PAGE);

	/* the second segment of the second transmission did not come */
	m->req.pool.tbsns[3] = 3;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_check_whole(&m->arr, NULL, &fault));
	KUNIT_EXPECT_EQ(test, fault.which, OPTRERR_BADTBSN);
	KUNIT_EXPECT_EQ(test, fault.args[0], 3);
	KUNIT_EXPECT_EQ(test, fault.args[2], 2);
}

enum {
	PL_QUARTER	= PL_PAGE / 4,
	PL_PAGES	= 6,
};

static u32 pl_seed;

/**
 * pl_random - take a number by chance
 * @n: how many there are to choose from
 *
 * Return: a number less than @n
 */
static u32 pl_random(u32 n)
{
	pl_seed = pl_seed * 1664525 + 1013904223;
	return (pl_seed >> 8) % n;
}

/**
 * pl_random_item - add an item that is anywhere
 * @m: message
 * @taken: how often each quarter of a segment is claimed; counted up
 *
 * Return: %true if none is claimed twice so far
 */
static bool pl_random_item(struct pl_msg *m, u8 *taken)
{
	u32 i, q, from = pl_random(4), count = 1 + pl_random(3);
	u32 to = count * 4 - pl_random(4);
	u32 *tbsns = &m->req.pool.tbsns[m->req.pool.ntbsns];
	bool once = true;

	if (from >= to)
		return true;
	for (i = 0; i < count; i++)
		tbsns[i] = pl_random(PL_PAGES);
	for (q = from; q < to; q++)
		once &= !taken[tbsns[q / 4] * 4 + q % 4]++;
	pl_add_item(m, tbsns[0], from * PL_QUARTER, (to - from) * PL_QUARTER);
	m->req.items[m->req.nitems - 1].count = count;
	m->req.items[m->req.nitems - 1].disp += 4;
	m->req.pool.ntbsns += count - 1;
	return once;
}

/* N-143, A-77: what is claimed twice is found, whatever the order, and nothing else */
static void pl_claimed_twice(struct kunit *test)
{
	u32 i, n, sound = 0;
	u8 taken[4 * PL_PAGES];
	struct pl_msg *m;
	bool once;

	pl_seed = 1;
	m = pl_e5(test);
	rpcrdma2_rbstruct_make(&m->rb, PL_PAGE, PL_PAGES, PL_PAGE);
	for (i = 0; i < 20000; i++) {
		memset(taken, 0, sizeof(taken));
		m->req.nitems = 1;
		m->req.items[0].length = 0;
		m->req.pool.ntbsns = 0;
		once = true;
		for (n = 1 + pl_random(6); n; n--)
			once &= pl_random_item(m, taken);
		pl_connect(m);
		sound += once;
		KUNIT_EXPECT_EQ(test, once,
				rpcrdma2_check_lead(&m->arr, NULL, &m->fault));
		if (!once) {
			KUNIT_EXPECT_EQ(test, m->fault.which, OPTRERR_BADTBSN);
			KUNIT_EXPECT_EQ(test, m->fault.args[2], PL_PAGES - 1);
		}
	}
	KUNIT_EXPECT_GT(test, sound, 1000);
	KUNIT_EXPECT_GT(test, 19000, sound);
}

/* N-128: of a group that is too long nothing else is said, whatever it claims */
static void pl_claims_beyond(struct kunit *test)
{
	struct pl_msg *m = pl_e5(test);

	m->req.count = U32_MAX;
	m->req.pool.tbsns[0] = 512;
	m->req.pool.tbsns[1] = 512;
	KUNIT_EXPECT_FALSE(test, pl_check(m));
	KUNIT_EXPECT_EQ(test, m->fault.which, OPTRERR_BADSEQ);
	/* more segments than there can be are refused, not remembered */
	m->req.pool.tbsns[1] = 3;
	pl_connect(m);
	m->arr.limit = U32_MAX;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_check_lead(&m->arr, NULL, &m->fault));
	KUNIT_EXPECT_EQ(test, m->fault.which, OPTRERR_BADTBSN);
	KUNIT_EXPECT_EQ(test, m->fault.args[0], 512);
}

/*
 * Section: sending and receiving
 */

static void pl_structure(struct kunit *test)
{
	struct rpcrdma2_rbstruct rb = {
		.ngroups = 4,
		.groups = {
			{ 1, 512, 1, 0 },
			{ 2, 4096, 4096, RDMA2_XMRSFLAG_PLT },
			{ 3, 64, 1, 0 },
			{ 1, 8192, 8192, RDMA2_XMRSFLAG_PLT },
		},
	};
	struct rpcrdma2_row row;

	KUNIT_EXPECT_EQ(test, rpcrdma2_plt_count(&rb), 3);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_plt_row(&rb, 0, &row));
	KUNIT_EXPECT_EQ(test, row.count, 2);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_plt_row(&rb, 1, &row));
	KUNIT_EXPECT_EQ(test, row.offset, 512 + 4096);
	KUNIT_EXPECT_EQ(test, row.count, 1);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_plt_row(&rb, 2, &row));
	KUNIT_EXPECT_EQ(test, row.offset, 512 + 2 * 4096 + 3 * 64);
	KUNIT_EXPECT_EQ(test, row.size, 8192);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_plt_row(&rb, 3, &row));
}

/**
 * pl_send - plan a message of one Send and describe its arrival
 * @m: message with a structure; gets items
 * @lengths: lengths of its items, in bytes
 * @nitems: how many
 *
 * Return: %false if it does not fit
 */
static bool pl_send(struct pl_msg *m, const u32 *lengths, u32 nitems)
{
	const struct rpcrdma2_dest to = {
		.rb		= &m->rb,
		.limit		= m->rb.length,
		.max_xmts	= 1,
	};
	static struct rpcrdma2_plan plan;
	u32 i, disp = 0;

	m->req.pslen = 40 + 4 * pl_random(100);
	m->req.count = 1;
	m->req.nsets = 0;
	m->req.nitems = nitems;
	m->req.pool.ntbsns = 0;
	if (!rpcrdma2_plan(&plan, &to, 60 + 20 * nitems, m->req.pslen, lengths,
			   nitems))
		return false;
	m->part.hdrlen = plan.xmts[0].hdrlen;
	m->part.length = plan.xmts[0].length;
	for (i = 0; i < nitems; i++) {
		struct rpcrdma2_mitem *item = &m->req.items[i];

		item->disp = disp + 4 * pl_random(2);
		item->length = lengths[i];
		rpcrdma2_plan_item(&plan, i, item, &m->req.pool);
		disp = item->disp + max_t(u32, (lengths[i] + 3) & ~3U, 4);
	}
	return true;
}

/**
 * pl_expect_walk - see that a walk finds all of a message
 * @test: running test
 * @m: sound message
 */
static void pl_expect_walk(struct kunit *test, struct pl_msg *m)
{
	u64 placed = 0, payload = 0, disp = 0, want = 0;
	struct rpcrdma2_piece piece;
	struct rpcrdma2_walk walk;
	u32 i;

	for (i = 0; i < m->req.nitems; i++)
		want += m->req.items[i].length;
	rpcrdma2_walk_begin(&walk, &m->arr);
	while (rpcrdma2_walk_next(&walk, &piece)) {
		KUNIT_EXPECT_EQ(test, piece.disp, disp);
		KUNIT_EXPECT_LE(test, piece.offset + piece.length, m->part.length);
		disp += piece.length;
		if (piece.kind == RPCRDMA2_PIECE_PLACED)
			placed += piece.length;
		else if (piece.kind == RPCRDMA2_PIECE_PAYLOAD)
			payload += piece.length;
		else
			KUNIT_EXPECT_LE(test, piece.length, 3U);
	}
	KUNIT_EXPECT_EQ(test, disp, rpcrdma2_virtual_length(&m->arr));
	KUNIT_EXPECT_EQ(test, placed, want);
	KUNIT_EXPECT_EQ(test, payload, m->req.pslen);
}

/* Segments that follow each other are looked at together */
static void pl_row(struct kunit *test)
{
	struct pl_msg *m = pl_e5(test);
	struct rpcrdma2_piece piece;
	struct rpcrdma2_walk walk;

	KUNIT_EXPECT_TRUE(test, pl_check(m));
	rpcrdma2_walk_begin(&walk, &m->arr);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_walk_next(&walk, &piece));
	KUNIT_EXPECT_EQ(test, piece.kind, RPCRDMA2_PIECE_PAYLOAD);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_walk_next(&walk, &piece));
	KUNIT_EXPECT_EQ(test, piece.kind, RPCRDMA2_PIECE_PLACED);
	KUNIT_EXPECT_EQ(test, piece.length, 2 * PL_PAGE);
	KUNIT_EXPECT_FALSE(test, rpcrdma2_walk_next(&walk, &piece));
}

/* What one end plans, the other one finds sound, and finds all of it */
static void pl_there_and_back(struct kunit *test)
{
	struct pl_msg *m = pl_e5(test);
	u32 lengths[4], i, n, round, sent = 0;

	pl_seed = 1;
	for (round = 0; round < 4000; round++) {
		rpcrdma2_rbstruct_make(&m->rb, 512 + 4 * pl_random(900),
				       pl_random(17), PL_PAGE);
		n = pl_random(5);
		for (i = 0; i < n; i++)
			lengths[i] = pl_random(4) ? pl_random(20000) :
						    PL_PAGE * pl_random(4);
		if (!pl_send(m, lengths, n))
			continue;
		sent++;
		KUNIT_EXPECT_TRUE(test, pl_check(m));
		pl_expect_walk(test, m);
		/* a byte less is a byte that did not come */
		if (n && lengths[n - 1]) {
			m->part.length--;
			KUNIT_EXPECT_FALSE(test, pl_check(m));
		}
	}
	KUNIT_EXPECT_GT(test, sent, 1000);
}

/*
 * Section: directions and results
 */

static void pl_results(struct kunit *test)
{
	struct rpcrdma2_rsditem want = { .minlen = 100, .type = XMPTYPE_CHOICE };

	/* P-29 */
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_result(&want, 99, true, true), XMPTYPE_TOOSHORT);
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_result(&want, 100, true, true), XMPTYPE_TBSN);
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_result(&want, 100, false, true), XMPTYPE_EXRW);
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_result(&want, 100, false, false), XMPTYPE_TOOSHORT);
	want.type = XMPTYPE_EXRW;
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_result(&want, 100, true, true), XMPTYPE_EXRW);
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_result(&want, 100, true, false), XMPTYPE_TOOSHORT);
	want.type = XMPTYPE_TBSN;
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_result(&want, 100, true, true), XMPTYPE_TBSN);
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_result(&want, 100, false, true), XMPTYPE_TOOSHORT);
	/* */
	want.type = XMPTYPE_BYSIZE;
	want.dsdov = 200;
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_result(&want, 200, true, true), XMPTYPE_TBSN);
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_result(&want, 201, true, true), XMPTYPE_EXRW);
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_result(&want, 201, true, false), XMPTYPE_TBSN);
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_result(&want, 200, false, true), XMPTYPE_EXRW);
	want.minlen = 0;
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_result(&want, 0, true, true), XMPTYPE_TOOSHORT);
}

/* Table 2, row by row (P-27, N-166) */
static void pl_table_2(struct kunit *test)
{
	static const struct {
		u32 type;
		bool exrw, tbsn;
	} rows[] = {
		{ XMPTYPE_EXRW, true, false },
		{ XMPTYPE_TBSN, false, true },
		{ XMPTYPE_CHOICE, true, true },
		{ XMPTYPE_BYSIZE, true, true },
	};
	struct rpcrdma2_xmtreq *req = kunit_kzalloc(test, sizeof(*req), GFP_KERNEL);
	struct rpcrdma2_xmtresp *resp = kunit_kzalloc(test, sizeof(*resp), GFP_KERNEL);
	u32 i;

	req->nrsditems = 1;
	resp->nitems = 1;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		req->rsditems[0].type = rows[i].type;
		resp->items[0].type = XMPTYPE_EXRW;
		KUNIT_EXPECT_EQ(test, rpcrdma2_resp_matches(req, resp), rows[i].exrw);
		resp->items[0].type = XMPTYPE_TBSN;
		KUNIT_EXPECT_EQ(test, rpcrdma2_resp_matches(req, resp), rows[i].tbsn);
		resp->items[0].type = XMPTYPE_TOOSHORT;
		KUNIT_EXPECT_TRUE(test, rpcrdma2_resp_matches(req, resp));
		resp->items[0].type = XMPTYPE_NOITEM;
		KUNIT_EXPECT_TRUE(test, rpcrdma2_resp_matches(req, resp));
	}
	/* N-165 */
	resp->nitems = 0;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_resp_matches(req, resp));
}

/* N-169 */
static void pl_written(struct kunit *test)
{
	struct rpcrdma2_xmtreq *req = kunit_kzalloc(test, sizeof(*req), GFP_KERNEL);
	struct rpcrdma2_xmtresp *resp = kunit_kzalloc(test, sizeof(*resp), GFP_KERNEL);

	req->nrsditems = 1;
	req->rsditems[0].type = XMPTYPE_EXRW;
	req->rsditems[0].count = 2;
	req->pool.segs[0].length = 100;
	req->pool.segs[1].length = 50;
	resp->nitems = 1;
	resp->items[0].type = XMPTYPE_EXRW;
	resp->items[0].count = 2;
	resp->items[0].length = 120;
	resp->pool.segs[0].length = 100;
	resp->pool.segs[1].length = 20;
	KUNIT_EXPECT_TRUE(test, rpcrdma2_resp_matches(req, resp));
	resp->pool.segs[1].length = 19;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_resp_matches(req, resp));
	resp->pool.segs[0].length = 101;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_resp_matches(req, resp));
	resp->pool.segs[0].length = 100;
	resp->pool.segs[1].length = 20;
	resp->items[0].count = 1;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_resp_matches(req, resp));
}

/* P-31 */
static void pl_sole(struct kunit *test)
{
	struct pl_msg *m = pl_e5(test);
	u64 length = rpcrdma2_virtual_length(&m->arr);

	KUNIT_EXPECT_EQ(test, length, PL_PSLEN + 2 * PL_PAGE);
	KUNIT_EXPECT_TRUE(test, rpcrdma2_rsd_sole(&m->req, length));
	m->req.sets[0].begin = 4;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_rsd_sole(&m->req, length));
	m->req.sets[0].begin = 0;
	m->req.sets[0].end -= 4;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_rsd_sole(&m->req, length));
	m->req.sets[0].end += 4;
	m->req.nsets = 2;
	KUNIT_EXPECT_FALSE(test, rpcrdma2_rsd_sole(&m->req, length));
}

/* Segments are counted through the directions, whatever else the request has */
static void pl_segments(struct kunit *test)
{
	struct rpcrdma2_xmtreq *req = kunit_kzalloc(test, sizeof(*req),
						    GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, req);
	/* behind three of an item, and a direction without any */
	req->nrsditems = 3;
	req->rsditems[1].first = 3;
	req->rsditems[1].count = 2;
	req->rsditems[2].first = 5;
	req->rsditems[2].count = 1;
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_segment(req, &req->rsditems[0]), 0);
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_segment(req, &req->rsditems[1]), 2);
	KUNIT_EXPECT_EQ(test, rpcrdma2_rsd_segment(req, &req->rsditems[2]), 3);
}

/* Numbers that follow each other are the same claims, whether that is known or not */
static void pl_in_row(struct kunit *test)
{
	struct pl_msg *m = pl_e5(test);
	struct rpcrdma2_mitem *item = &m->req.items[0];
	struct rpcrdma2_claims row, one;
	struct rpcrdma2_claim a, b;
	u32 i, n, longest = 0;

	pl_seed = 2;
	rpcrdma2_rbstruct_make(&m->rb, PL_PAGE, PL_PAGES, PL_PAGE);
	for (i = 0; i < 5000; i++) {
		item->count = 1 + pl_random(3 * PL_PAGES);
		item->offset = 4 * pl_random(PL_PAGE / 4);
		item->length = pl_random(item->count * PL_PAGE + 4) + 1;
		m->req.pool.tbsns[0] = pl_random(PL_PAGES);
		for (n = 1; n < item->count; n++)
			m->req.pool.tbsns[n] = m->req.pool.tbsns[0] + n;
		item->in_row = false;
		rpcrdma2_claims_begin(&one, &m->arr, item);
		rpcrdma2_claims_begin(&row, &m->arr, item);
		one.most = 1 + pl_random(2 * PL_PAGES);
		row.most = one.most;
		/* what is behind the list is the caller's to see */
		while (one.left && one.n < item->count) {
			item->in_row = false;
			KUNIT_EXPECT_TRUE(test, rpcrdma2_claims_next(&one, &a));
			item->in_row = true;
			KUNIT_EXPECT_TRUE(test, rpcrdma2_claims_next(&row, &b));
			KUNIT_EXPECT_MEMEQ(test, &a, &b, sizeof(a));
			KUNIT_EXPECT_EQ(test, one.n, row.n);
			longest = max_t(u32, longest, b.length);
		}
		KUNIT_EXPECT_EQ(test, one.left, row.left);
	}
	KUNIT_EXPECT_EQ(test, longest, PL_PAGES * PL_PAGE);
}

static struct kunit_case rpcrdma2_place_cases[] = {
	KUNIT_CASE_PARAM(pl_reports, pl_faults_gen_params),
	KUNIT_CASE(pl_response),
	KUNIT_CASE(pl_group),
	KUNIT_CASE(pl_claimed_twice),
	KUNIT_CASE(pl_claims_beyond),
	KUNIT_CASE(pl_structure),
	KUNIT_CASE(pl_row),
	KUNIT_CASE(pl_in_row),
	KUNIT_CASE(pl_there_and_back),
	KUNIT_CASE(pl_results),
	KUNIT_CASE(pl_table_2),
	KUNIT_CASE(pl_written),
	KUNIT_CASE(pl_sole),
	KUNIT_CASE(pl_segments),
	{ }
};

static struct kunit_suite rpcrdma2_place_suite = {
	.name		= "rpcrdma2_place",
	.test_cases	= rpcrdma2_place_cases,
};

kunit_test_suite(rpcrdma2_place_suite);

MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests of RPC-over-RDMA version 2 placement of data");
MODULE_LICENSE("GPL");
