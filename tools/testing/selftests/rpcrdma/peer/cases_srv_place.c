// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the server role: what the kernel's client sends by XMTREQ, and what
 * it makes of XMTRESPs, good ones and bad (C.4, C.6, D.6).
 *
 * Every XMTREQ is held against the protocol by srv_place.c. What a spoiled
 * XMTRESP looks like before it is spoiled:
 *
 *	28  count of items: 1		TBSN: 44  xmdl_offset
 *	32  xmdmi_disp			      48  count, then numbers
 *	36  xmdmi_length		EXRW: 44  count
 *	40  type			      48  handle, length, offset (8)
 *
 * TOOSHORT is followed by count (44), pslen (48) and the payload (52).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "srv_place.h"

#define LAY		"3:4096 2*4096p"
#define RT		.flags = S_RT, .lay = LAY
#define READ8K		.op = "read8192", .proc = NFS3_READ, .need = USED_ITEM
#define PLACED		.op = "read8192", .proc = NFS3_READ, .need = T_TBSN
#define MOVED		.op = "read8192", .proc = NFS3_READ, .need = T_EXRW, \
			.how = HOW_EXRW, .reads = T_EXRW
#define SHORT		.op = "read8192", .proc = NFS3_READ, \
			.need = T_TOOSHORT, .how = HOW_INLINE, \
			.knobs.most = 1000
#define WRITE8K		.op = "write8192", .proc = NFS3_WRITE, \
			.need = USED_PLAIN
#define XRESP		"x 2 20 5 1 6 "
#define ERR		"x 2 20 4 "

/* A reply of one item, and one of none */
#define ITEM(loc)	XRESP "[ 1 " loc " 1 ps ] "
#define NONE		XRESP "[ 0 1 ps ] "

/**
 * one - has what a case asks for come once?
 * @n: how often it has come
 *
 * A client that is not ours makes several Calls of one length out of a longer
 * operation of its loop, and they may come together.
 *
 * Return: true if so.
 */
static bool one(unsigned int n)
{
	return n == 1 || (check_foreign && n);
}

/**
 * check_placed - a WRITE came by one Send with its data placed
 * @s: the server
 */
static void check_placed(struct srv *s)
{
	if (!one(s->t.seen.items[T_TBSN]) || s->t.seen.items[T_EXRW])
		result_fail(s->r, "%u items by Send, %u by RDMA",
			    s->t.seen.items[T_TBSN], s->t.seen.items[T_EXRW]);
}

/**
 * check_not_placed - no data of a WRITE was placed
 * @s: the server
 */
static void check_not_placed(struct srv *s)
{
	if (s->t.seen.items[T_TBSN])
		result_fail(s->r, "%u items by Send", s->t.seen.items[T_TBSN]);
}

/**
 * check_targets - a READ offered to take its data by Send
 * @s: the server
 */
static void check_targets(struct srv *s)
{
	unsigned int *t = s->t.seen.targets;

	if (!one(t[T_TBSN] + t[T_CHOICE] + t[T_BYSIZE]))
		result_fail(s->r, "targets: exrw %u tbsn %u choice %u bysize %u",
			    t[T_EXRW], t[T_TBSN], t[T_CHOICE], t[T_BYSIZE]);
}

/**
 * check_no_xmt - everything came by MSG and NOMSG
 * @s: the server
 */
static void check_no_xmt(struct srv *s)
{
	if (s->t.seen.requests)
		result_fail(s->r, "%u XMTREQs", s->t.seen.requests);
}

/**
 * check_resent - the call came again by base means, and so do all others
 * @s: the server
 */
static void check_resent(struct srv *s)
{
	if (s->t.repeats != 1 || s->t.seen.again)
		result_fail(s->r, "the call was sent %u more times, %u by XMTREQ",
			    s->t.repeats, s->t.seen.again);
	memset(&s->t.seen, 0, sizeof(s->t.seen));
	srv_op(s, "write8192", 0);
	srv_op(s, "read8192", 0);
	if (s->t.seen.requests)
		result_fail(s->r, "%u XMTREQs after that", s->t.seen.requests);
}

/**
 * check_failed - the call did not come again, and what follows works
 * @s: the server
 *
 * Once the client has reported a response it asks for no more of the kind.
 */
void check_failed(struct srv *s)
{
	if (s->t.repeats)
		result_fail(s->r, "the call was sent %u more times",
			    s->t.repeats);
	memset(&s->t.seen, 0, sizeof(s->t.seen));
	srv_op(s, "read8192", 0);
	srv_op(s, "write8192", 0);
	if (s->t.nr_reports && s->t.seen.requests)
		result_fail(s->r, "%u requests by XMTREQ behind a report", s->t.seen.requests);
}

/**
 * log_lines - lines of this kernel's log about a message
 * @xid: its xid
 *
 * Return: how many, -1 if the log cannot be read.
 */
static int log_lines(u32 xid)
{
	char t[128];
	FILE *f;
	int n;

	snprintf(t, sizeof(t), "dmesg | grep -c 'rpcrdma: .*xid 0x%08x '", xid);
	f = popen(t, "r");
	if (!f || fscanf(f, "%d", &n) != 1)
		n = -1;
	if (f)
		pclose(f);
	return n;
}

/**
 * check_logged - the first report has a line in the log, the second has none
 * @s: the server
 */
static void check_logged(struct srv *s)
{
	u32 last = s->t.spoiled_xid;
	int first = log_lines(last + 9), second = log_lines(last);

	if (first != 1 || second)
		result_fail(s->r, "%d and %d lines in the log", first, second);
}

/**
 * check_fenced - memory that was offered is out of reach afterwards
 * @s: the server
 */
static void check_fenced(struct srv *s)
{
	nfs3_knobs.fail_read = false;
	if (s->t.old_handle)
		srv_late_write(s, s->t.old_handle);
	else
		result_skip(s->r, "the client offers no memory");
}

/**
 * check_exrw - the reply to a READ had something by RDMA Write
 * @s: the server
 */
static void check_exrw(struct srv *s)
{
	if (!s->t.seen.replies[T_EXRW])
		result_skip(s->r, "the client offers no memory");
}

/**
 * check_layout - the client tells how its receives are made up
 * @s: the server
 */
static void check_layout(struct srv *s)
{
	struct sconn *sc = srv_current(s);

	if (sc->peer.rtrsupp & ~7u)
		result_fail(s->r, "RTRSUPP %x", sc->peer.rtrsupp);
	if (!sc->peer_lay.nplt)
		result_skip(s->r, "the client has no place for data");
	else if (!(sc->peer.nochg >> sc->peer.rbstruct_nr & 1))
		result_fail(s->r, "RBSTRUCT is not in optixch_nochg");
	else if (sc->peer_lay.total < sc->peer.rbsiz)
		result_fail(s->r, "%u bytes of %u", sc->peer_lay.total,
			    sc->peer.rbsiz);
}

const struct srv_case cases_srv_place[] = {
	{ "place_layout", "A-61 X-86 P-42 A-60 X-31 X-87 X-90 P-09 P-16",
	  .op = "stat", RT, .check = check_layout },
	{ "place_write", "B-16 P-24 P-02 P-03 P-10 P-12 P-13 P-15 P-18 P-21 P-36 S-01 B-05 "
	  "P-06 P-04 C-10 P-14 B-42", .op = "write8192", RT,
	  .check = check_placed },
	{ "place_write_odd", "P-36 A-73 A-77 S-01", .op = "write8191 write4095 "
	  "write4097 write1000 write1", RT },
	{ "place_write_long", "P-07 P-11 P-19 P-01 P-37",
	  .op = "write20000 write65536 write131072", RT, .io = 65536 },
	{ "place_write_elsewhere", "P-25 P-02 P-18",
	  .op = "stat write3000 read3000 write8192 statfs ls", RT },
	{ "place_read", "P-24 P-10 P-20 P-26 P-28 P-13 P-16 P-14 P-32",
	  .op = "read8192", RT, .check = check_targets },
	{ "place_read_odd", "P-36 A-73",
	  .op = "read8191 read4095 read4097 read1000 read1", RT },
	{ "place_read_exrw", "P-20 P-26 P-27 A-81 P-33", .op = "read8192", RT,
	  .how = HOW_EXRW, .reads = T_CHOICE, .check = check_exrw },
	{ "place_read_inline", "P-29 A-85 N-170 P-33 A-81", .op = "read3000", RT,
	  .how = HOW_INLINE },
	{ "place_read_short", "P-29 P-33", .op = "read8192", RT,
	  .knobs.most = 3000 },
	{ "place_read_short_exrw", "P-29 A-75 P-20", .op = "read8192", RT,
	  .how = HOW_EXRW, .reads = T_EXRW, .check = check_exrw,
	  .knobs.most = 3000 },
	{ "place_read_fails", "P-30 P-33 A-85", .op = "read8192", RT,
	  .knobs.fail_read = true, .want = EIO },
	{ "place_read_long", "P-11 P-20 P-26 P-01 P-37",
	  .op = "read20000 read65536 read131072", RT, .io = 65536 },
	{ "place_read_long_exrw", "P-20 P-26", .op = "read65536", RT,
	  .io = 65536, .how = HOW_EXRW, .reads = T_EXRW, .check = check_exrw },
	{ "place_together", "P-11 A-70 C-22 P-42",
	  .op = "write131072 read131072 write131072 read131072", RT },
	{ "place_one_credit", "P-11 C-25 A-70", .op = "write131072 read131072",
	  RT, .grant = 1 },
	{ "place_fenced", "S-02 S-03 P-33 A-81", MOVED,
	  .reply = "honest", .flags = S_RT | S_MAYDISC, .lay = LAY,
	  .check = check_fenced },
	{ "place_fenced_unused", "S-02 P-33 A-81", READ8K,
	  .reply = "honest", .flags = S_RT | S_MAYDISC, .lay = LAY,
	  .reads = T_CHOICE, .check = check_fenced },
	{ "place_fenced_noitem", "S-02 P-33 A-81 P-30", READ8K,
	  .reply = "honest", .flags = S_RT | S_MAYDISC, .lay = LAY,
	  .reads = T_CHOICE, .knobs.fail_read = true, .want = EIO,
	  .check = check_fenced },
	{ "place_no_rtrsupp", "P-05 P-01 A-69", .op = "write8192 read8192 ls",
	  .flags = S_RT, .lay = "0:4096 2*4096p", .check = check_no_xmt },
	{ "place_no_xreq", "P-05 A-57 A-69", .op = "write8192 read8192 ls",
	  .flags = S_RT, .lay = "4:4096 2*4096p", .check = check_no_xmt },
	{ "place_nothing_told", "P-05 P-01 X-90", .op = "write8192 read8192 ls",
	  .flags = S_RT, .check = check_no_xmt },
	{ "place_no_plt", "P-06 P-07 P-08 P-01", .op = "read8192 write8192",
	  .flags = S_RT, .lay = "3:12288", .check = check_not_placed },
	{ "place_no_rbstruct", "P-06 P-07 P-08 A-58",
	  .op = "read8192 write8192", .flags = S_RT, .lay = "3:-12288",
	  .check = check_not_placed },
	{ "place_lay_pieces", "P-13 P-21 A-77", .op = "write8192 write3000",
	  .flags = S_RT, .lay = "3:2048 4096p 2048 4096p" },
	{ "place_lay_plt_first", "A-76 A-77", .op = "write8192 write4096",
	  .flags = S_RT, .lay = "3:3*4096p" },
	{ "place_lay_small", "P-13 P-21 P-15", .op = "write4096 write8192",
	  .flags = S_RT, .lay = "3:4096 4*1024p" },
	{ "place_lay_one_long", "P-16 P-21", .op = "write8192 write20000",
	  .flags = S_RT, .lay = "3:4096 32768p", .io = 65536 },
	{ "place_lay_many", "P-13 P-16 P-21", .op = "write20000 write8191",
	  .flags = S_RT, .lay = "3:1024 5*4096p", .io = 65536 },
	{ "place_lay_head_small", "P-41 P-15 A-77", .op = "write8192 write100",
	  .flags = S_RT, .lay = "3:256 4*4096p" },
	{ "place_lay_odd_flags", "P-17 N-98", .op = "write8192", .flags = S_RT,
	  .lay = "3:4096u 2*4096pu" },
	{ "place_rbsiz_below", "A-60 X-71 X-72", .op = "read8192 write8192",
	  .flags = S_RT, .lay = "3:4096 2*4096p",
	  .probe = "x 2 20 5 1 1 [ 3 1 4 1000 ffffff03 4 3 4 [ 3000 2 1 1000 1 "
	  "0 2 1000 1000 1 ] 0 ]", .check = check_not_placed },
	{ "place_rbstruct_odd", "N-96 A-59 P-06", .op = "read8192 write8192",
	  .flags = S_RT, .lay = "3:4096 2*4096p",
	  .probe = "x 2 20 5 1 1 [ 3 1 4 3000 ffffff03 4 3 4 [ 2000 2 1 1000 1 "
	  "0 2 1000 1000 1 ] 0 ]", .check = check_not_placed },

	{ "place_refused", "A-69 N-65 B-52 P-05", READ8K,
	  .reply = ERR "5", RT, .check = check_resent },
	{ "place_refused_write", "A-69 B-52 X-29", WRITE8K,
	  .reply = ERR "5", RT, .check = check_resent },
	{ "place_refused_twice", "N-50 A-69", READ8K,
	  .reply = ERR "5; " ERR "5; " ERR "5", RT, .check = check_resent },
	{ "place_error_bad_xdr", "B-78 B-77", READ8K, .reply = ERR "2",
	  .flags = S_RT | S_ANYERR, .lay = LAY, .want = EIO },
	{ "place_error_cant", "A-26 B-70", READ8K, .reply = ERR "3 1 0 4000",
	  .flags = S_RT | S_ANYERR, .lay = LAY, .want = EIO },
	{ "place_error_cant_always", "A-26 B-70", READ8K,
	  .reply = ERR "3 1 0 4000", .flags = S_RT | S_ALWAYS, .lay = LAY,
	  .want = EIO },
	{ "place_reported_call", "N-213 E-17 E-20 E-01 A-96", READ8K,
	  .reply = "x 2 20 5 1 8 [ x 0 0 0 7 5 0 1 ]", RT,
	  .check = check_resent },
	{ "place_reported_write", "N-213 E-17 E-20 S-02", WRITE8K,
	  .reply = "x 2 20 5 1 8 [ x 0 0 0 6 5000 0 1000 ]", RT,
	  .check = check_resent },
	{ "place_reported_twice", "N-212 E-17", READ8K,
	  .reply = "x 2 20 5 1 8 [ x 0 0 0 3 ]; x 2 20 5 1 8 [ x 0 0 0 3 ]", RT,
	  .check = check_resent },
	{ "place_reported_oddly", "N-215 N-213", READ8K,
	  .reply = "x 2 20 5 1 8 [ x 0 63 1 x 0 63 8 5 9 1 ]", RT,
	  .check = check_resent },
	{ "place_report_malformed", "N-211 E-19 A-13", READ8K,
	  .reply = "x 2 20 5 1 8 [ x 0 0 0 9 ]; x 2 20 5 1 8 [ x 0 0 0 0 ]; "
	  "x 2 20 5 1 8 [ x 2 0 0 3 ]; x 2 20 5 1 8 [ x 0 0 2 3 ]; "
	  "x 2 20 5 1 8 [ x 0 0 0 3 3 ]; x 2 20 5 1 8 [ ]; "
	  "x 2 20 5 1 8 [ x 0 0 0 7 1 2 ]; honest", RT },
	{ "place_report_about_nothing", "N-212 E-19 A-12", READ8K,
	  .reply = "x+99 2 20 5 1 8 [ x+99 0 0 0 3 ]; "
	  "x+99 2 20 5 0 8 [ x+99 1 0 0 3 ]; honest", RT },
	{ "place_report_about_msg", "N-212", .op = "read8192",
	  .proc = NFS3_READ, .flags = S_RT,
	  .reply = "x 2 20 5 1 8 [ x 0 0 0 3 ]; honest" },

	{ "resp_msg", "A-72", WRITE8K, .reply = "x 2 20 0 1 0 0 0 0 full", RT },
	{ "resp_msg_with_targets", "A-72 N-165", SHORT,
	  .reply = "x 2 20 0 1 0 0 0 0 full", .flags = S_RT | S_ANYERR,
	  .lay = LAY, .want = EIO },
	{ "resp_wrong_way", "N-161 A-87", SHORT,
	  .reply = "honest @16=0; honest", RT, .answers = "xdr" },
	{ "resp_unknown_xid", "N-162 D-02", READ8K,
	  .reply = "honest @0=12345678; honest", RT },
	{ "resp_to_msg", "N-163 A-72", .op = "statfs", .proc = NFS3_FSSTAT,
	  .reply = NONE "{ full }", .flags = S_RT, .lay = "0:4096 2*4096p",
	  .want = EIO, .check = check_failed },
	{ "resp_cut", "N-63 A-11", READ8K, .reply = "honest cut=44..59; honest",
	  .flags = S_RT | S_SERIES, .lay = LAY },
	{ "resp_count_of_items_max", "N-164 S-11", READ8K,
	  .reply = "honest @28=ffffffff", RT, .want = EIO,
	  .check = check_failed },
	{ "resp_count_of_items_2", "N-164", READ8K,
	  .reply = "honest @28=2", RT, .want = EIO },
	{ "resp_item_type_0", "N-164 P-14 E-05", READ8K, .reply = "honest @40=0", RT,
	  .want = EIO },
	{ "resp_item_type_choice", "N-164 P-14", SHORT,
	  .reply = ITEM("0 0 3 0") "{ full }", RT, .want = EIO },
	{ "resp_item_type_bysize", "N-164 P-14", SHORT,
	  .reply = ITEM("0 0 4 0 0") "{ full }", RT, .want = EIO },
	{ "resp_item_type_7", "N-164 P-14", SHORT,
	  .reply = ITEM("0 0 7") "{ full }", RT, .want = EIO },
	{ "resp_tbsn_count_max", "N-164 S-11", SHORT,
	  .reply = ITEM("2c 2000 2 0 ffffffff") "{ full }", RT, .want = EIO },
	{ "resp_segment_count_max", "N-164 S-11", SHORT,
	  .reply = ITEM("2c 2000 1 ffffffff") "{ full }", RT, .want = EIO },
	{ "resp_left_over", "N-66 N-164", SHORT,
	  .reply = XRESP "[ 1 0 0 6 1 ps 0 ] { full }", RT, .want = EIO },
	{ "resp_no_items", "N-165 P-28", SHORT, .reply = NONE "{ full }", RT,
	  .want = EIO, .check = check_failed },
	{ "resp_items_too_many", "N-165 P-28", SHORT,
	  .reply = XRESP "[ 9 rep:9 0 0 6 end 1 ps ] { full }", RT,
	  .want = EIO },
	{ "resp_items_unasked", "N-165 A-86", WRITE8K,
	  .reply = ITEM("0 0 6") "{ full }", RT, .want = EIO },
	{ "resp_exrw_not_offered", "N-169 N-166 A-75", SHORT,
	  .reply = ITEM("80 2000 1 1 12345678 2000 0 1000") "{ full }", RT,
	  .want = EIO, .check = check_failed },
	{ "resp_tbsn_for_exrw", "N-166 P-27", .op = "read65536",
	  .proc = NFS3_READ, .io = 65536, .need = T_EXRW, .reads = T_EXRW,
	  .knobs.most = 2000,
	  .reply = ITEM("80 4 2 0 1 1") "{ full } plt:1 zero:4096", RT,
	  .want = EIO },
	{ "resp_exrw_for_tbsn", "N-166 P-27", .op = "read3000",
	  .proc = NFS3_READ, .need = T_TBSN,
	  .reply = ITEM("80 bb8 1 1 12345678 bb8 0 1000") "{ full }", RT,
	  .want = EIO, .check = check_failed },
	{ "resp_exrw_too_long", "N-169 A-75", MOVED,
	  .reply = "honest @52=7fffffff", RT, .want = EIO,
	  .check = check_failed },
	{ "resp_exrw_sum_differs", "N-169 A-75", MOVED,
	  .reply = "honest @52=1000", RT, .want = EIO, .check = check_failed },
	{ "resp_exrw_length_differs", "N-169 A-75", MOVED,
	  .reply = "honest @36=1000", RT, .want = EIO, .check = check_failed },
	{ "resp_exrw_other_handle", "N-169 A-75", MOVED,
	  .reply = "honest @48=12345678", RT, .want = EIO,
	  .check = check_failed },
	{ "resp_count_0", "N-167 A-91 E-04 E-10", SHORT,
	  .reply = "honest @44=0", RT, .want = EIO,
	  .answers = "rept:badseq:1:0", .check = check_failed },
	{ "resp_count_too_high", "N-167 A-91 E-04 E-03", SHORT,
	  .reply = "honest @44=ffff", RT, .want = EIO,
	  .answers = "rept:badseq:rsbuf:0xffff", .check = check_failed },
	{ "resp_pslen_too_long", "N-168 E-04 E-14", SHORT,
	  .reply = "honest @48=ffc", RT, .want = EIO,
	  .answers = "rept:badpl:0xffc:0:left", .check = check_failed },
	{ "resp_pslen_max", "N-168 E-04 E-14 S-11", SHORT,
	  .reply = "honest @48=fffffffc", RT, .want = EIO,
	  .answers = "rept:badpl:0xfffffffc:0:left", .check = check_failed },
	{ "resp_pslen_odd", "N-168 E-15", SHORT,
	  .reply = "honest @48=26", RT, .want = EIO,
	  .answers = "rept:badpl:38:0:left", .check = check_failed },
	{ "resp_pslen_0", "N-168 E-14", SHORT,
	  .reply = "honest @48=0", RT, .want = EIO,
	  .answers = "rept:badpl:0:8:left", .check = check_failed },
	{ "resp_payload_xid", "B-18", SHORT,
	  .reply = "honest @52=1; honest", .flags = S_RT | S_ANYERR,
	  .lay = LAY, .want = EIO },
	{ "resp_disp_odd", "N-168 E-13 E-15 A-80", PLACED,
	  .reply = "honest @32=2e", RT, .want = EIO,
	  .answers = "rept:badoff:46:0:pslen", .check = check_failed },
	{ "resp_disp_beyond", "N-168 E-13 A-80", PLACED,
	  .reply = "honest @32=7000", RT, .want = EIO,
	  .answers = "rept:badoff:0x7000:0:pslen", .check = check_failed },
	{ "resp_length_max", "N-168 S-11", PLACED,
	  .reply = "honest @36=fffffffc", RT, .want = EIO,
	  .answers = "rept:badoff:0xfffffffc:0:maxmsg",
	  .check = check_failed },
	{ "resp_tbsn_too_high", "N-168 E-12 E-02 E-16", PLACED,
	  .reply = "honest @52=40", RT, .want = EIO,
	  .answers = "rept:badtbsn:64:0:pnum-1", .check = check_failed },
	{ "resp_tbsn_max", "N-168 S-11", PLACED,
	  .reply = "honest @52=ffffffff", RT, .want = EIO,
	  .answers = "rept:badtbsn:0xffffffff:0:pnum-1",
	  .check = check_failed },
	{ "resp_tbsn_list_empty", "N-168 E-12", PLACED,
	  .reply = ITEM("80 1000 2 0 0") "{ full cut=400 }", RT, .want = EIO,
	  .answers = "rept:badtbsn:0xffffffff:0:pnum-1",
	  .check = check_failed },
	{ "resp_tbsn_not_received", "N-168 E-12 S-14", PLACED,
	  .reply = ITEM("80 2000 2 0 2 0 1") "{ full cut=400 } plt:0 zero:4096", RT,
	  .want = EIO, .answers = "rept:badtbsn:1:0:0",
	  .check = check_failed },
	{ "resp_tbsn_received_in_part", "N-168 S-14", PLACED,
	  .reply = ITEM("80 2000 2 0 2 0 1") "{ full cut=400 } plt:0 zero:8188", RT,
	  .want = EIO, .answers = "rept:badtbsn:1:0:0",
	  .check = check_failed },
	{ "resp_tbsn_none_received", "N-168 E-12 S-14", PLACED,
	  .reply = ITEM("80 2000 2 0 2 0 1") "{ full cut=400 }", RT, .want = EIO,
	  .answers = "rept:badtbsn:0:1:0", .check = check_failed },
	{ "resp_offset_odd", "N-168 E-13 E-15", PLACED,
	  .reply = "honest @44=2", RT, .want = EIO,
	  .answers = "rept:badoff:2:0:plen-4", .check = check_failed },
	{ "resp_offset_beyond", "N-168 E-13", PLACED,
	  .reply = "honest @44=fffffff0", RT, .want = EIO,
	  .answers = "rept:badoff:0xfffffff0:0:plen-4",
	  .check = check_failed },
	{ "resp_item_over_payload", "N-168 E-13 P-41", PLACED,
	  .reply = ITEM("80 28 2 0 1 0") "{ full cut=400 plt:0:8 } zero:4088",
	  RT, .want = EIO, .answers = "rept:badoff:0:8:plen-4",
	  .check = check_failed },
	/* Many lines at once are not written at all. */
	{ "reports_logged", "E-21", .op = "idle read8192", .proc = NFS3_READ,
	  .need = T_TBSN,
	  .reply = "x+9 2 20 5 1 7 [ 1 6 ps ] { 0 }; honest @44=2", RT, .want = EIO,
	  .answers = "rept:badcont; rept:badoff:2:0:plen-4",
	  .check = check_logged },
	{ "resp_noitem_odd", "N-170 A-85 P-30", SHORT,
	  .reply = ITEM("fffffffc ffffffff 6") "{ full }", RT },
	{ "resp_tooshort_long", "N-170 P-29 A-85", SHORT,
	  .reply = "honest @36=7fffffff", RT },
	{ "resp_twice", "N-172 D-02 N-162", READ8K, .reply = "honest; honest",
	  RT },
	{ "resp_twice_other_type", "N-172 D-02", READ8K,
	  .reply = "honest; " ERR "2; x 2 20 0 1 0 0 0 0 nullreply", RT },
	{ "resp_then_request", "N-121 A-87", READ8K,
	  .reply = "x+9 2 20 5 1 5 [ 0 0 1 1 ps ] { x+9 1 0 0 0 0 }; "
	  "x+9 2 20 5 1 5 [ 0 0 2 1 ps ] { x+9 1 0 0 }; "
	  "x+9 2 20 5 1 7 [ 1 5 ps ] { 0 0 }; honest", RT },
	{ "reverse_xmtreq_unserved", "N-34 D-34", READ8K,
	  .reply = "x+9 2 20 5 0 5 [ 0 0 1 1 ps ] { cbnull+9 }; honest", RT },
	{ "reverse_xmtreq_items", "N-122 A-89", READ8K,
	  .reply = "x+9 2 20 5 0 5 [ 0 1 0 28 1 0 2 1 1 ps ] { cbnull+9 }; honest",
	  RT, .answers = "opt" },
	{ "resp_swi", "A-24 B-42 N-29", READ8K, .reply = "honest swi=deadbeef",
	  .flags = S_RT | S_DISC, .lay = LAY },
	{ "resp_credit_0", "N-07 D-14", READ8K, .reply = "honest @8=0", RT },
};

const unsigned int nr_cases_srv_place = ARRAY_SIZE(cases_srv_place);
