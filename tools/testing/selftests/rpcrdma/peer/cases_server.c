// SPDX-License-Identifier: GPL-2.0
/* Cases of the server role: what the kernel's client makes of our answers. */
#include <errno.h>
#include <string.h>

#include "server.h"

#define INITR		"x 2 20 5 1 1 "
#define ERRV(v, lo, hi)	"x " v " 20 4 1 " lo " " hi
#define ALLOPS		"stat read8192 write8192 write1000 ls"
#define SOMEOPS		"read8192 write1000"

/* Version 1 is assumed for the next connection, but not for that after a while */
#define AGAIN		"close; do stat; set rdma_probe_again 1; pause; close"

/* A bit for each characteristic that there is */
#define ALL_CHARS	0x7f
#define ERR		"x 2 20 4 "

/*
 * Receives that were posted at the beginning are used up, then comes a listing
 * that is longer than 4096 bytes and goes inline where it may.
 */
#define LONG_REPLY	"read131072 write1000 ls write8192 read8192"

/*
 * An answer that stat() gets may be made good by another call of the client's
 * own; what comes back for FSSTAT is what statfs() reports.
 */
#define STATFS		.op = "statfs", .proc = NFS3_FSSTAT
#define READ		.flags = S_CHUNKS, READ_AND
#define READ_AND	.op = "read8192", .proc = NFS3_READ
#define WRITE		.op = "write8192", .proc = NFS3_WRITE
#define LS		.flags = S_CHUNKS, LS_AND
#define LS_AND		.op = "write1000 ls", .proc = NFS3_READDIR

/**
 * check_probe - look at the client's INITXCH
 * @s: the server
 */
static void check_probe(struct srv *s)
{
	struct sconn *sc = srv_current(s);

	if (!sc->peer.have_rbsiz || sc->peer.rbsiz < DEFAULT_INLINE)
		result_fail(s->r, "RBSIZ of the client: %u", sc->peer.rbsiz);
	if (sc->peer.seen != ALL_CHARS)
		result_fail(s->r, "not all that the client knows: %x", sc->peer.seen);
	if (sc->peer.reqreminv != 1)
		result_fail(s->r, "REQREMINV %u", sc->peer.reqreminv);
	if (sc->peer.foreign)
		result_fail(s->r, "%u unknown ids", sc->peer.foreign);
	if (sc->peer.count < 32 && sc->peer.nochg >> sc->peer.count)
		result_fail(s->r, "nochg %x for %u elements", sc->peer.nochg,
			    sc->peer.count);
}

/**
 * check_nominates - each Call that offers memory names some of it
 * @s: the server
 */
static void check_nominates(struct srv *s)
{
	const struct sconn *sc = srv_current(s);

	if (!sc->nr_offers || sc->nr_nominated != sc->nr_offers)
		result_fail(s->r, "of %u Calls with chunks %u name a handle", sc->nr_offers,
			    sc->nr_nominated);
}

/**
 * check_no_repeat - a refused call must not be sent again
 * @s: the server
 */
static void check_no_repeat(struct srv *s)
{
	if (s->t.repeats)
		result_fail(s->r, "the call was sent %u more times",
			    s->t.repeats);
}

/**
 * check_one_probe - only the first connection was probed
 * @s: the server
 */
static void check_one_probe(struct srv *s)
{
	unsigned int i;

	for (i = 1; i < s->nr_sc; i++)
		if (s->sc[i].vers == 2 || s->sc[i].probing)
			result_fail(s->r, "connection %u was probed", i + 1);
}

/**
 * check_patience - the client waited for an answer before it gave up
 * @s: the server
 */
static void check_patience(struct srv *s)
{
	check_one_probe(s);
	if (s->nr_sc > 3)
		result_fail(s->r, "%u connections", s->nr_sc);
}

/**
 * check_probed_again - the first connection was probed and the last one, but none
 * between
 * @s: the server
 */
static void check_probed_again(struct srv *s)
{
	unsigned int i;

	for (i = 1; i + 1 < s->nr_sc; i++)
		if (s->sc[i].vers != 1)
			result_fail(s->r, "connection %u has version %u", i + 1,
				    s->sc[i].vers);
	if (s->nr_sc < 4)
		result_fail(s->r, "%u connections", s->nr_sc);
}

/**
 * check_small_sends - RBSTRUCT alone says how long a Send may be
 * @s: the server
 */
static void check_small_sends(struct srv *s)
{
	if (s->t.longest > V1_INLINE)
		result_fail(s->r, "Send of %zu bytes", s->t.longest);
}

/**
 * check_inline_write - what fits the default RBSIZ went inline
 * @s: the server
 */
static void check_inline_write(struct srv *s)
{
	if (s->t.longest < 2 * V1_INLINE)
		result_fail(s->r, "longest Send of %zu bytes", s->t.longest);
}

/**
 * check_long_inline - a WRITE of 8192 bytes went inline
 * @s: the server
 */
static void check_long_inline(struct srv *s)
{
	if (s->t.longest <= 8192)
		result_fail(s->r, "longest Send of %zu bytes", s->t.longest);
}

/**
 * srv_late_write - write to memory of the client's by RDMA Write
 * @s: the server
 * @handle: its handle
 *
 * This must cost the connection, over iWARP after the RDMA Write has completed
 * here. What the client holds must not be harmed: the operation after it sees
 * to that.
 */
void srv_late_write(struct srv *s, u32 handle)
{
	struct sconn *sc = srv_current(s);

	if (!s->t.old_handle) {
		result_fail(s->r, "no memory was offered");
		return;
	}
	if (!conn_rdma(sc->c, true, 3, 0, 64, handle, s->t.old_addr) &&
	    !conn_wait_gone(sc->c, 5000))
		result_fail(s->r, "memory can still be written to");
	else if (!sc->c->gone)
		result_fail(s->r, "RDMA Write neither fails nor ends");
	srv_op(s, "read8192", 0);
}

/**
 * check_fenced - memory is out of reach once its RPC is over
 * @s: the server
 */
static void check_fenced(struct srv *s)
{
	srv_late_write(s, s->t.old_handle);
}

/**
 * check_bogus - memory that was never offered is out of reach
 * @s: the server
 */
static void check_bogus(struct srv *s)
{
	srv_late_write(s, s->t.old_handle ^ 0x5a5a5a00);
}

/**
 * check_long_call - a Call came by way of a position-zero Read chunk
 * @s: the server
 */
static void check_long_call(struct srv *s)
{
	if (!s->t.nr_long)
		result_fail(s->r, "no Long Call; longest Send of %zu bytes",
			    s->t.longest);
}

/**
 * check_no_long_call - none did: inline was enough
 * @s: the server
 */
static void check_no_long_call(struct srv *s)
{
	if (s->t.nr_long)
		result_fail(s->r, "%u Long Calls", s->t.nr_long);
}

const struct srv_case cases_negotiation[] = {
	{ "neg_initxch",
	  "A-30 A-34 B-01 B-03 B-04 B-06 B-32 B-33 B-81 B-83 B-95 B-96 "
	  "D-13 X-31 X-33 X-34 X-35 B-09 B-14 D-01 P-01 X-13 X-25 X-27 X-83",
	  NULL, ALLOPS, .check = check_probe },
	{ "neg_nominates", "B-31 B-33", NULL, "read8192 write8192 write1000 ls",
	  .flags = S_CHUNKS, .check = check_nominates },
	{ "neg_slow_answer", "B-82 B-81 X-28",
	  "pause; " HONEST_PROBE, SOMEOPS },
	{ "neg_vers_header_2", "A-36 B-87 B-94 A-32 B-85",
	  ERRV("2", "1", "1"), ALLOPS, .flags = S_V1 },
	{ "neg_vers_header_1", "A-36 B-87 B-94 B-85",
	  ERRV("1", "1", "1"), SOMEOPS, .flags = S_V1 },
	{ "neg_vers_header_odd", "A-36 B-94",
	  ERRV("7", "1", "1"), SOMEOPS, .flags = S_V1 },
	{ "neg_vers_trailing_bytes", "N-51 B-87",
	  ERRV("2", "1", "1") " ff:40", SOMEOPS, .flags = S_V1 },
	{ "neg_vers_range_0_9", "N-46 B-87",
	  ERRV("2", "0", "9"), SOMEOPS, .flags = S_V1 },
	{ "neg_vers_range_1_2", "N-46",
	  ERRV("2", "1", "2"), SOMEOPS, .flags = S_V1 },
	{ "neg_vers_range_2_2", "N-46",
	  ERRV("2", "2", "2"), .flags = S_NOMNT, .want = EPROTONOSUPPORT },
	{ "neg_vers_range_3_4", "N-44",
	  ERRV("2", "3", "4"), .flags = S_NOMNT, .want = EPROTONOSUPPORT },
	{ "neg_vers_range_2_5", "N-46",
	  ERRV("2", "2", "5"), .flags = S_NOMNT, .want = EPROTONOSUPPORT },
	{ "neg_vers_low_above_high", "N-44",
	  ERRV("2", "2", "1"), .flags = S_NOMNT, .want = EPROTONOSUPPORT },
	{ "neg_vers_then_close", "B-88 A-38",
	  ERRV("2", "1", "1") "; close", SOMEOPS, .flags = S_V1 | S_DISC,
	  .check = check_one_probe },
	{ "neg_vers_cut", "N-41 A-38 B-89 C.7-PROBE",
	  "x 2 20 4 1 1", SOMEOPS, .flags = S_V1 | S_DISC,
	  .check = check_patience },
	{ "neg_vers_cut_then_close", "N-41 A-38 B-88",
	  "x 2 20 4 1 1; close", SOMEOPS, .flags = S_V1 | S_DISC,
	  .check = check_one_probe },
	{ "neg_chunk_of_version_1", "A-38 B-89 C.7-PROBE",
	  "x 1 20 4 2", SOMEOPS, .flags = S_V1 | S_DISC,
	  .check = check_patience },
	{ "neg_close", "B-88 B-89 A-38",
	  "close", ALLOPS, .flags = S_V1 | S_DISC, .check = check_one_probe },
	{ "neg_silence", "B-89 A-38",
	  "", SOMEOPS, .flags = S_V1 | S_DISC, .check = check_patience },
	{ "neg_probed_again", "B-88 A-38", "close |" HONEST_PROBE,
	  .steps = AGAIN, .flags = S_DISC, .check = check_probed_again },
	{ "neg_probed_again_silence", "B-89 A-38", " |" HONEST_PROBE,
	  .steps = AGAIN, .flags = S_DISC, .check = check_probed_again },
	{ "neg_inval_option", "X-29 X-32 A-30 B-52 B-24 X-21 X-73",
	  ERR "5", ALLOPS },
	{ "neg_bad_xdr", "C.7-PROBE", ERR "2", SOMEOPS },
	{ "neg_inval_proc", "C.7-PROBE", ERR "4", SOMEOPS },
	{ "neg_cant_reply", "C.7-PROBE", ERR "3 0 0 0", SOMEOPS },
	{ "neg_junk_first", "C.7-PROBE N-03 N-43",
	  "7 7 7 7; x 3 20 5 1 1 [ 0 0 ]; x+1 2 20 4 1 1 1; zero:400;"
	  "x+1 2 20 4 5; x 1 20 0 0 0 0 nullreply;" HONEST_PROBE, SOMEOPS },
	{ "neg_call_initxch", "A-33 N-91 X-37 A-40 B-07 B-08",
	  "x+9 2 20 5 0 1 [ 2 1 4 1000 2 4 0 0 ]", ALLOPS, .flags = S_BACK },
	{ "neg_call_initxch_same_xid", "A-33 A-39 B-07 B-08",
	  "x 2 20 5 0 1 [ 1 1 4 1000 0 ]", SOMEOPS, .flags = S_BACK },
	{ "neg_call_then_reply_initxch", "A-33 A-47",
	  "x+9 2 20 5 0 1 [ 1 1 4 1000 0 ];" HONEST_PROBE, SOMEOPS,
	  .flags = S_BACK },
	{ "neg_reply_twice", "A-47 N-90",
	  HONEST_PROBE ";" INITR "[ 1 1 4 400 0 ]", SOMEOPS },
	{ "neg_wrong_xid_first", "A-39 C.7-PROBE",
	  "x+3 2 20 5 1 1 [ 1 1 4 1000 0 ]; " HONEST_PROBE, SOMEOPS },
	{ "neg_credit_0", "D-14 A-27 N-07",
	  "x 2 0 5 1 1 [ 1 1 4 1000 0 ]", SOMEOPS },
	{ "neg_credit_max", "N-07",
	  "x 2 ffffffff 5 1 1 [ 1 1 4 1000 0 ]", SOMEOPS },
	{ "neg_spec_empty", "N-87 X-16 B-23 X-10",
	  INITR "[ 0 0 ]", ALLOPS },
	{ "neg_rbsiz_1024", "N-94 A-52 X-72 X-73",
	  INITR "[ 1 1 4 400 0 ]", "stat read8192 write8192 write1000 write4000 ls" },
	{ "neg_rbsiz_1024_long_call", "B-25 X-72 X-73",
	  INITR "[ 1 1 4 400 0 ]", "acl100", .flags = S_ACL,
	  .check = check_long_call },
	{ "neg_rbsiz_1023", "N-93 A-52",
	  INITR "[ 1 1 4 3ff 0 ]", SOMEOPS },
	{ "neg_rbsiz_16384", "B-27 X-72",
	  INITR "[ 1 1 4 4000 0 ]", "stat write4000 write8192 read8192",
	  .check = check_long_inline },
	{ "neg_rbsiz_max", "N-95",
	  INITR "[ 1 1 4 ffffffff 0 ]", ALLOPS },
	{ "neg_bad_spec_count", "N-92 N-81",
	  INITR "[ ffffffff 1 4 400 0 ]", SOMEOPS },
	{ "neg_bad_data_length", "N-92 N-83",
	  INITR "[ 2 1 4 400 2 8 0 0 0 ]", SOMEOPS },
	{ "neg_bad_data_beyond", "N-92 N-82 X-03",
	  INITR "[ 2 1 4 400 63 ffffffff 0 ]", SOMEOPS },
	{ "neg_bad_value", "N-92 N-84 X-02 X-04",
	  INITR "[ 2 1 4 400 2 4 2 0 ]", SOMEOPS },
	{ "neg_bad_twice", "N-92 N-86 X-12",
	  INITR "[ 2 1 4 400 1 4 400 0 ]", SOMEOPS },
	{ "neg_bad_left_over", "N-92 N-66",
	  INITR "[ 1 1 4 1000 0 0 ]", SOMEOPS },
	{ "neg_subset_beyond", "N-89",
	  INITR "[ 0 ffffffff ]", SOMEOPS },
	{ "neg_subset_excess", "N-88",
	  INITR "[ 1 1 4 1000 4 ffffffff 1 2 3 ]", SOMEOPS },
	{ "neg_unknown_ids", "N-85 N-69 N-70 X-01 X-07 X-36",
	  INITR "[ 3 63 3 aabbccff 1 4 1000 ffffff22 0 0 ] ff:20", SOMEOPS },
	{ "neg_rbstruct_odd", "N-96 N-98 N-99",
	  INITR "[ 4 4 [ 9 1 0 0 3 ffffffff ] 5 4 0 6 4 ffffffff "
	  "1 4 1000 0 ]", SOMEOPS },
	{ "neg_brs_from_server", "A-54",
	  INITR "[ 2 3 4 2 1 4 1000 0 ]", SOMEOPS },
	{ "neg_vers_range_0_0", "N-44",
	  ERRV("2", "0", "0"), .flags = S_NOMNT, .want = EPROTONOSUPPORT },
	{ "neg_vers_range_max", "N-44",
	  ERRV("2", "ffffffff", "ffffffff"), .flags = S_NOMNT,
	  .want = EPROTONOSUPPORT },
	{ "neg_vers_range_0_1", "N-46 B-87",
	  ERRV("2", "0", "1"), SOMEOPS, .flags = S_V1 },
	{ "neg_vers_range_1_max", "N-46 B-87",
	  ERRV("2", "1", "ffffffff"), SOMEOPS, .flags = S_V1 },
	{ "neg_vers_range_2_max", "N-46",
	  ERRV("2", "2", "ffffffff"), .flags = S_NOMNT,
	  .want = EPROTONOSUPPORT },
	{ "neg_vers_header_1_range_2_2", "N-46 A-36",
	  ERRV("1", "2", "2"), .flags = S_NOMNT, .want = EPROTONOSUPPORT },
	{ "neg_vers_slow", "B-82 B-87",
	  "pause; " ERRV("2", "1", "1"), SOMEOPS, .flags = S_V1 },
	{ "neg_vers_twice", "N-43 N-45 B-87",
	  ERRV("2", "1", "1") "; " ERRV("1", "1", "1"), SOMEOPS, .flags = S_V1 },
	{ "neg_vers_credit_ignored", "A-14 B-76 D-11 D-12 D-20",
	  HONEST_PROBE "| x 2 20 4 1 1 1", "read131072", .proc = NFS3_READ,
	  .reply = "close | pause; honest", .flags = S_V1 | S_DISC },
	{ "neg_vers_then_init", "A-32 A-37 B-93 N-04",
	  ERRV("2", "1", "1") ";" HONEST_PROBE, SOMEOPS, .flags = S_V1 },
	{ "neg_vers_then_v2_reply", "N-04 B-93 A-37",
	  ERRV("2", "1", "1"), STATFS, .reply = "honest @4=2; honest",
	  .flags = S_V1 },
	{ "neg_vers_then_v2_messages", "N-04 B-93 A-32",
	  ERRV("2", "1", "1"), STATFS,
	  .reply = "x 2 20 0 1 0 0 0 0 rpc; x 2 20 5 1 1 [ 0 0 ]; "
	  "x 2 20 4 2; honest", .flags = S_V1 },
	{ "neg_error_unreadable", "N-41 N-02 C.7-PROBE",
	  "x 2 20 4; x 2 20 4 0; x 2 20 4 6; x 2 20 4 1 1; x 2 20 4 3 2 0 0;"
	  HONEST_PROBE, SOMEOPS },
	{ "neg_reply_unreadable", "N-02 C.7-PROBE",
	  "x 2 20 0 1; x 2 20 0 2 0 0 0 0 nullreply; x 2 20 5 1; x 2 20 9;"
	  HONEST_PROBE, SOMEOPS },
	{ "neg_noise_then_silence", "A-38 B-89 C.7-PROBE",
	  "7 7 7 7; x 3 20 5 1 1 [ 0 0 ]; x 2 20 4", SOMEOPS,
	  .flags = S_V1 | S_DISC, .check = check_patience },
	{ "neg_msg_first", "C.7-PROBE B-82 D-02",
	  "x 2 20 0 1 0 0 0 0 nullreply", SOMEOPS },
	{ "neg_unknown_option_first", "C.7-PROBE N-64 B-51",
	  "x+9 2 20 5 0 9 [ ]", SOMEOPS, .back = E_OPT },
	{ "neg_reverse_call_first", "C.7-PROBE D-34 N-34",
	  "x+9 2 20 0 0 0 0 0 0 null+9", SOMEOPS },
	{ "neg_xmtreq_first", "C.7-PROBE A-89 D-34 N-34",
	  "x+9 2 20 5 0 5 [ 0 0 1 1 28 ] null+9", SOMEOPS,
	  .flags = S_RT | S_CONT },
	{ "neg_xmtreq_group_first", "C.7-PROBE A-89 D-34 N-34",
	  "x+9 2 20 5 0 5 [ 0 0 2 1 14 ] x+9 0 2 40000000 1;"
	  "x+9 2 20 5 0 7 [ 1 5 14 ] 0 0 0 0 0", SOMEOPS,
	  .flags = S_RT | S_CONT },
	{ "neg_xmtreq_empty_first", "C.7-PROBE A-89 N-123",
	  "x+9 2 20 5 0 5 [ ]; x+10 2 20 5 0 5 [ ffffffff ]", SOMEOPS,
	  .flags = S_RT | S_CONT, .back = E_XDR },
	{ "neg_inval_option_then_xmtreq", "P-05 X-29 X-32 N-122",
	  ERR "5; x+9 2 20 5 0 5 [ 0 0 1 1 28 ] null+9", SOMEOPS,
	  .flags = S_RT | S_CONT, .back = E_OPT },
	{ "neg_inval_option_twice", "N-49 B-75 X-29",
	  ERR "5; " ERR "5; " ERR "5", SOMEOPS },
	{ "neg_inval_option_then_init", "N-91 X-32 A-30",
	  ERR "5; " HONEST_PROBE, SOMEOPS },
	{ "neg_inval_option_one_call", "B-82 D-12 D-20 C.7-V2-ONE",
	  HONEST_PROBE "|" ERR "5", "read131072", .proc = NFS3_READ,
	  .reply = "close | pause; honest", .flags = S_DISC },
	{ "neg_inval_option_error_reply", "C.7-V2-ONE B-76 B-78",
	  HONEST_PROBE "|" ERR "5", "read131072", .proc = NFS3_READ,
	  .reply = "close | " ERR "2; pause | pause; honest",
	  .flags = S_DISC | S_ANYERR, .want = EIO },
	{ "neg_grant_1_after_32", "D-12 D-20 A-56",
	  HONEST_PROBE "| x 2 1 5 1 1 [ 1 1 4 1000 0 ]", "read131072",
	  .proc = NFS3_READ, .reply = "close | pause; honest @8=1; pause",
	  .flags = S_DISC },
	{ "neg_values_end_with_connection", "X-15 A-56 B-23",
	  INITR "[ 1 1 4 4000 0 ] | " ERR "5", "write8192", .proc = NFS3_WRITE,
	  .reply = "close | honest", .flags = S_DISC },
	{ "neg_lost_once", "A-38 B-88",
	  HONEST_PROBE "| close |" HONEST_PROBE, "read8192", .proc = NFS3_READ,
	  .reply = "close", .flags = S_DISC },
	{ "neg_lost_twice", "A-38 B-88",
	  HONEST_PROBE "| close | close |" HONEST_PROBE, "read8192",
	  .proc = NFS3_READ, .reply = "close", .flags = S_DISC | S_V1 },
	{ "neg_reply_to_lost_call", "N-30 D-02",
	  HONEST_PROBE "| together;" HONEST_PROBE "; q 2 20 0 1 0 0 0 0 q 1 0 0 0 "
	  "3; pause", "read8192", .proc = NFS3_READ,
	  .reply = "close", .flags = S_DISC | S_RACE },
	{ "neg_silent_once", "A-38 B-89",
	  HONEST_PROBE "| |" HONEST_PROBE, "read8192", .proc = NFS3_READ,
	  .reply = "close", .flags = S_DISC },
	{ "neg_version_1_after_2", "A-37 B-87 D-20",
	  HONEST_PROBE "|" ERRV("2", "1", "1"), "read8192 " ALLOPS,
	  .proc = NFS3_READDIR, .reply = "close", .flags = S_DISC | S_V1 },
	{ "neg_version_2_after_1", "A-37 A-38 D-20",
	  ERRV("2", "1", "1") "|" HONEST_PROBE, "read8192 " ALLOPS,
	  .proc = NFS3_READDIR, .reply = "close", .flags = S_DISC },
	{ "neg_order", "X-08 N-94",
	  INITR "[ 3 2 4 0 63 0 1 4 400 0 ]", "write1500 read8192" },
	{ "neg_one_bad_value", "X-11 N-92",
	  INITR "[ 2 1 4 400 3 4 3 0 ]", "write1500 write3000",
	  .check = check_inline_write },
	{ "neg_reqreminv_from_server", "X-82",
	  INITR "[ 2 1 4 1000 2 4 1 0 ]", SOMEOPS },
	{ "neg_rbstruct_alone", "X-87",
	  INITR "[ 1 4 [ 400 1 1 400 1 0 ] 0 ]", "write1500 read8192",
	  .flags = S_ANYERR, .check = check_small_sends },
	{ "neg_rbstruct_cut", "N-97 N-92",
	  INITR "[ 1 4 [ 1000 1 1 1000 1 ] 0 ]", SOMEOPS },
	{ "neg_nochg", "X-33 N-88",
	  INITR "[ 2 1 4 1000 2 4 0 1 3 ]", SOMEOPS },
	{ "neg_placing_inval_option", "P-05 X-29 X-32 X-73 B-52",
	  ERR "5", LONG_REPLY, .flags = S_RT },
	{ "neg_placing_answer_garbled", "N-92 A-33 X-71 X-76",
	  INITR "[ 2 1 4 1000 2 4 2 0 ]", LONG_REPLY, .flags = S_RT },
	{ "neg_placing_call_initxch", "A-33 N-91 X-71 X-76",
	  "x+9 2 20 5 0 1 [ 2 1 4 1000 2 4 0 0 ]", LONG_REPLY,
	  .flags = S_RT | S_BACK },
	{ "neg_full_size", "B-21 B-22 B-91 B-96 X-39 X-71 D-16 D-17 D-18",
	  HONEST_PROBE "; x+9 2 20 5 0 9 [ ff:4068 ]; "
	  "x+9 2 20 5 0 9 [ ff:4068 ]", SOMEOPS, .back = E_OPT },
	{ "neg_short_then_close", "N-01 A-19 B-89",
	  "x 2", SOMEOPS, .flags = S_V1 | S_DISC },
	{ "grant_obeyed", "D-12 B-82 D-07",
	  "x 2 3 5 1 1 [ 1 1 4 1000 0 ]", "stat read131072", .flags = S_HOLD },
};

const unsigned int nr_cases_negotiation = ARRAY_SIZE(cases_negotiation);

const struct srv_case cases_reply[] = {
	{ "reply_swi_named", "B-40 X-79 S-04", READ,
	  .reply = "honest swi=0" },
	{ "reply_swi_named_fenced", "S-02 B-40", READ_AND,
	  .reply = "honest swi=0", .flags = S_CHUNKS | S_MAYDISC,
	  .check = check_fenced },
	{ "reply_credit_0", "N-07 D-14", STATFS, .reply = "honest @8=0" },
	{ "reply_credit_max", "N-07", STATFS,
	  .reply = "honest @8=ffffffff" },
	{ "reply_short", "N-01 A-19 D-36 S-06", STATFS, .reply = "honest cut=15",
	  .flags = S_DISC | S_ANYERR, .want = EIO },
	{ "reply_empty", "N-01 A-19 S-06", STATFS, .reply = "honest cut=0",
	  .flags = S_DISC | S_ANYERR, .want = EIO },
	{ "reply_too_long", "N-09 D-36", STATFS,
	  .reply = "honest to:70000", .flags = S_DISC | S_ANYERR,
	  .want = EIO },
	{ "reply_cut_in_header", "N-02 A-11", STATFS,
	  .reply = "honest cut=20..35", .want = EIO, .flags = S_SERIES },
	{ "reply_cut_before_direction", "N-02 A-11", STATFS,
	  .reply = "honest cut=16..19; honest", .back = E_XDR,
	  .flags = S_SERIES },
	{ "reply_without_payload", "N-17", STATFS,
	  .reply = "honest cut=36..43", .want = EIO, .flags = S_SERIES },
	{ "reply_vers_unknown", "N-03 N-05 B-03 B-02 B-19", STATFS,
	  .reply = "honest @4=0; honest @4=3; honest @4=ffffffff; "
	  "honest @4=3 @12=9; honest" },
	{ "reply_vers_1", "N-04 A-37 B-93", STATFS,
	  .reply = "x 1 20 0 0 0 0 rpc; honest" },
	{ "reply_proc_unknown", "N-06 B-63 B-15 B-42 B-61", STATFS,
	  .reply = "honest @12=2; honest @12=3; honest @12=6; "
	  "honest @12=80000000; honest", .back = E_PROC },
	{ "reply_direction_2", "B-64 N-11 B-12 B-15 B-42 B-61", STATFS,
	  .reply = "honest @16=2; honest", .back = E_XDR },
	{ "reply_read_list_word", "N-12", STATFS,
	  .reply = "honest @24=2", .want = EIO },
	{ "reply_write_list_word", "N-12", STATFS,
	  .reply = "honest @28=2", .want = EIO },
	{ "reply_reply_chunk_word", "N-12", STATFS,
	  .reply = "honest @32=2", .want = EIO },
	{ "reply_segment_count_huge", "N-12 S-11", STATFS,
	  .reply = "x 2 20 0 1 0 0 1 ffffffff zero:64 0 0 rpc", .want = EIO },
	{ "reply_xid_differs", "N-18 B-18", STATFS,
	  .reply = "honest @36=1; honest" },
	{ "reply_direction_differs", "N-18 B-04", STATFS,
	  .reply = "honest @40=0; honest" },
	{ "reply_nomsg_without_chunk", "N-23 B-17", STATFS,
	  .reply = "x 2 20 1 1 0 0 0 0", .want = EIO },
	{ "reply_read_list", "N-26", STATFS,
	  .reply = "x 2 20 0 1 0 1 0 zero:16 0 0 0 rpc", .want = EIO },
	{ "reply_write_chunk_not_offered", "N-27", STATFS,
	  .reply = "x 2 20 0 1 0 0 1 1 zero:16 0 0 rpc", .want = EIO },
	{ "reply_reply_chunk_not_offered", "N-27", STATFS,
	  .reply = "x 2 20 1 1 0 0 0 1 1 zero:4 64 zero:8", .want = EIO },
	{ "reply_write_chunk_missing", "N-27", READ,
	  .reply = "x 2 20 0 1 inv 0 0 0 rpc", .want = EIO },
	{ "reply_write_chunk_too_many", "N-27", READ,
	  .reply = "x 2 20 0 1 inv 0 1 1 wseg0 1 1 wseg0 0 0 rpc",
	  .want = EIO },
	{ "reply_write_chunk_too_long", "N-27", READ,
	  .reply = "x 2 20 0 1 inv 0 1 1 wseg0+4 0 0 rpc", .want = EIO },
	{ "reply_write_chunk_huge", "N-27 N-16", READ,
	  .reply = "honest @40=ffffffff", .want = EIO },
	{ "reply_reply_chunk_too_long", "N-27", LS,
	  .reply = "x 2 20 1 1 inv 0 0 1 1 rseg0+4", .want = EIO },
	{ "reply_reply_chunk_huge", "N-27", LS,
	  .reply = "honest @44=fffffff0", .want = EIO },
	{ "reply_reply_chunk_unused", "A-100", LS_AND,
	  .reply = "x 2 20 0 1 inv 0 0 1 1 rseg0=0 rpc", .want = EIO,
	  .flags = S_CHUNKS | S_ANYERR },
	/* Devices take a handle that is not valid any more, but none that is not
	 * theirs; then they end the connection, and the call is made again.
	 */
	{ "reply_swi_unknown", "N-29 B-40", .op = "read8192 statfs",
	  .proc = NFS3_FSSTAT, .reply = "honest swi=0", .flags = S_CHUNKS },
	{ "reply_swi_bogus", "N-29 S-04 S-06", STATFS,
	  .reply = "honest swi=deadbeef", .flags = S_DISC },
	{ "reply_unknown_xid", "N-30 D-02", STATFS,
	  .reply = "honest @0=12345678 @36=12345678; honest" },
	{ "reply_twice", "N-30 D-02", STATFS, .reply = "honest; honest" },
	{ "reply_pad_not_checked", "A-16 N-25", LS, .reply = "honest ff:32" },
	{ "reply_full_size", "B-21 B-22 X-71", STATFS,
	  .reply = "honest to:4096" },
	{ "reply_segment_length_0", "N-15 A-100", LS_AND,
	  .reply = "x 2 20 0 1 inv 0 0 1 1 rseg0=0 rpc", .want = EIO,
	  .flags = S_CHUNKS | S_ANYERR },
	{ "reply_write_segment_length_0", "N-15", READ,
	  .reply = "x 2 20 0 1 inv 0 1 1 wseg0=0 0 0 rpc", .want = EIO },
	{ "reply_rpc_garbled", "N-35 B-72", STATFS,
	  .reply = "x 2 20 0 1 0 0 0 0 x 1 0 0 0 5 | honest", .want = EIO,
	  .flags = S_ANYERR | S_MAYDISC },
	{ "reply_rpc_cut", "N-35", STATFS,
	  .reply = "x 2 20 0 1 0 0 0 0 x 1 0", .want = EIO,
	  .flags = S_ANYERR | S_MAYDISC },
	{ "reply_read_list_cut", "N-02 N-12", STATFS,
	  .reply = "x 2 20 0 1 0 1 0 zero:16 0 0 0 rpc cut=28..55",
	  .want = EIO, .flags = S_SERIES },
	{ "reply_write_list_cut", "N-02 N-12", READ_AND,
	  .reply = "honest cut=28..63", .want = EIO, .flags = S_CHUNKS | S_SERIES },
	{ "reply_write_chunk_count_0", "N-27 N-12", READ,
	  .reply = "x 2 20 0 1 inv 0 1 0 0 0 rpc", .want = EIO },
	{ "reply_sum_overflow", "N-16 N-27", READ,
	  .reply = "x 2 20 0 1 inv 0 1 2 wseg0 deadbeef fffffff0 0 0 0 0 rpc",
	  .want = EIO },
	{ "reply_nomsg_with_bytes", "N-25 B-17", LS,
	  .reply = "honest ff:100" },
	{ "reply_vers_2_proc_bad_vers", "N-05 B-19", STATFS,
	  .reply = "honest @4=9 @12=7; honest" },
	{ "reply_forged_again_and_again", "S-06", STATFS,
	  .reply = "x 2 | x | x 2 20 0 cut=15 | honest", .flags = S_DISC |
	  S_ANYERR, .want = EIO },
	{ "memory_fenced", "S-02 S-03 B-34 B-40", READ_AND, .reply = "honest",
	  .flags = S_CHUNKS | S_MAYDISC, .check = check_fenced },
	{ "memory_fenced_after_error", "S-02", READ_AND,
	  .reply = ERR "2", .want = EIO, .flags = S_CHUNKS | S_MAYDISC,
	  .check = check_fenced },
	{ "memory_fenced_after_bad_reply", "S-02 N-27", READ_AND,
	  .reply = "x 2 20 0 1 inv 0 0 0 rpc", .want = EIO,
	  .flags = S_CHUNKS | S_MAYDISC, .check = check_fenced },
	{ "memory_write_beyond", "S-03", READ_AND,
	  .reply = "honest", .flags = S_CHUNKS | S_MAYDISC, .check = check_bogus },
	{ "long_reply", "B-25 X-73", LS, .reply = "honest" },
	{ "long_call", "B-17 B-25 X-73 P-01", .op = "acl400",
	  .flags = S_ACL, .check = check_long_call },
	{ "long_call_not_needed", "B-25 X-73", .op = "acl100",
	  .flags = S_ACL, .check = check_no_long_call },
	{ "calls_together", "D-03 D-07 D-12", .op = "read131072",
	  .flags = S_HOLD },
	{ "reverse_credit_ignored", "D-10 D-06",
	  .probe = "x 2 3 5 1 1 [ 1 1 4 1000 0 ]", .op = "statfs read131072",
	  .proc = NFS3_READ, .reply = "x+9 2 4000 0 0 0 0 0 0 null+9; "
	  "x+9 2 4000 5 0 9 [ ]; pause; honest @8=3", .back = E_OPT,
	  .grant = 3 },
	{ "reverse_call_with_read_list", "N-33 D-28", STATFS,
	  .reply = "x+9 2 1 0 0 0 1 40 12345678 64 zero:8 0 0 0 null+9; "
	  "honest", .back = E_XDR },
	{ "reverse_call_with_write_list", "N-33 D-28", STATFS,
	  .reply = "x+9 2 1 0 0 0 0 1 1 12345678 64 zero:8 0 0 null+9; "
	  "honest", .back = E_XDR },
	{ "reverse_call_with_reply_chunk", "N-33 D-28", STATFS,
	  .reply = "x+9 2 1 0 0 0 0 0 1 1 12345678 64 zero:8 null+9; "
	  "honest", .back = E_XDR },
	{ "reverse_call_unexpected", "N-34 D-34", STATFS,
	  .reply = "x+9 2 1 0 0 0 0 0 0 null+9; honest" },
	{ "reverse_call_same_xid", "N-34 D-04 B-11", STATFS,
	  .reply = "x 2 1 0 0 0 0 0 0 null; honest" },
	{ "reverse_call_bad", "N-18 N-12 N-17", STATFS,
	  .reply = "x 2 1 0 0 0 0 0 0 null+1; x 2 1 0 0 0 2 0 0 null; "
	  "x 2 1 0 0 0 0 0 0; x 2 1 0 0 0 0 0 0 nullreply; honest",
	  .back = E_XDR },
	{ "reverse_call_cut", "N-02", STATFS,
	  .reply = "x 2 1 0 0 0 0 0 0 null cut=20..43; honest",
	  .back = E_XDR, .flags = S_SERIES },
};

const unsigned int nr_cases_reply = ARRAY_SIZE(cases_reply);

const struct srv_case cases_srv_error[] = {
	{ "error_bad_xdr", "B-78 B-77", STATFS, .reply = ERR "2",
	  .want = EIO, .check = check_no_repeat },
	{ "error_inval_proc", "B-78 B-77", STATFS, .reply = ERR "4",
	  .want = EIO, .check = check_no_repeat },
	{ "error_cant_reply", "B-70 B-66", STATFS, .reply = ERR "3 1 0 0",
	  .want = EIO },
	{ "error_cant_reply_not_processed", "B-70 B-66", READ_AND,
	  .reply = ERR "3 0 1 2000", .flags = S_CHUNKS | S_ANYERR, .want = EIO },
	{ "error_cant_reply_always", "B-70", READ_AND, .reply = ERR "3 1 1 4000",
	  .flags = S_CHUNKS | S_ALWAYS, .want = EIO },
	{ "error_cant_reply_odd_bool", "N-47", STATFS,
	  .reply = ERR "3 2 0 0", .want = EIO, .check = check_no_repeat },
	{ "error_cant_reply_odd_index", "N-47", READ,
	  .reply = ERR "3 0 63 4000", .want = EIO,
	  .check = check_no_repeat },
	{ "error_cant_reply_odd_length", "N-47", READ,
	  .reply = ERR "3 0 1 ffffffff", .want = EIO,
	  .check = check_no_repeat },
	{ "error_vers_late", "N-45", STATFS, .reply = ERRV("2", "1", "1"),
	  .want = EIO, .flags = S_DISC },
	{ "error_vers_late_range_2", "N-45", STATFS,
	  .reply = ERRV("2", "2", "2"), .want = EIO, .flags = S_DISC },
	{ "error_code_0", "N-41 B-74", STATFS, .reply = ERR "0", .want = EIO },
	{ "error_code_6", "N-41 B-74", STATFS, .reply = ERR "6", .want = EIO },
	{ "error_code_max", "N-41 B-74", STATFS, .reply = ERR "ffffffff",
	  .want = EIO },
	{ "error_cut", "N-41 B-74", STATFS, .reply = ERR "3 1 1 4000 cut=16..31",
	  .want = EIO, .flags = S_SERIES },
	{ "error_cut_vers", "N-41", STATFS, .reply = ERR "1 1 2 cut=20..27",
	  .want = EIO, .flags = S_SERIES | S_MAYDISC },
	{ "error_unknown_xid", "N-43 B-75 B-10 B-74", STATFS,
	  .reply = "x+7 2 20 4 2; x+7 2 20 4 3 1 1 4000; x+7 2 20 4 6; "
	  "x+7 2 20 4; honest" },
	{ "error_inval_option_for_msg", "N-49 A-12 B-75", STATFS,
	  .reply = ERR "5; " ERR "5; honest" },
	{ "error_trailing_bytes", "N-51 A-16 B-74", STATFS,
	  .reply = ERR "2 ff:100", .want = EIO },
	{ "error_credit_odd", "B-76 A-14 D-11", STATFS,
	  .reply = "x 2 0 4 2", .want = EIO },
	{ "error_then_reply", "D-02 N-30", STATFS, .reply = ERR "2; honest",
	  .want = EIO },
};

const unsigned int nr_cases_srv_error = ARRAY_SIZE(cases_srv_error);

#define OPT		"x+5 2 20 5 0 "
#define OPTR		"x+5 2 20 5 1 "

const struct srv_case cases_srv_optional[] = {
	{ "opt_unknown_call", "N-64 B-51 B-53 B-15 B-61", STATFS,
	  .reply = OPT "0 [ ]; " OPT "9 [ ]; " OPT "ffffffff [ ff:64 ]; honest",
	  .back = E_OPT },
	{ "opt_unknown_reply", "N-64 B-51 A-11", STATFS,
	  .reply = OPTR "0 [ ]; " OPTR "9 [ ]; " OPTR "ffffffff [ ff:64 ]; "
	  "honest", .back = E_OPT },
	{ "opt_unknown_reply_same_xid", "N-64 A-12 A-39", STATFS,
	  .reply = "x 2 20 5 1 9 [ ]; honest", .back = E_OPT },
	{ "opt_cut_call", "N-61", STATFS,
	  .reply = OPT "9 [ ] cut=16..27; honest", .back = E_XDR,
	  .flags = S_SERIES },
	{ "opt_cut_reply", "N-61 A-11", STATFS,
	  .reply = OPTR "9 [ ] cut=20..27; honest", .flags = S_SERIES },
	{ "opt_direction_2", "N-62 B-12 B-19", STATFS,
	  .reply = "x+5 2 20 5 2 1 [ 0 0 ]; x+5 2 20 5 2 9 [ ]; honest",
	  .back = E_XDR },
	{ "opt_optinfo_beyond_call", "N-63 S-11", STATFS,
	  .reply = OPT "1 4; " OPT "1 ffffffff 0 0; " OPT "1 fffffffd 0 0; "
	  OPT "9 8 0; honest", .back = E_XDR },
	{ "opt_optinfo_beyond_reply", "N-63 A-11", STATFS,
	  .reply = OPTR "1 4; " OPTR "1 ffffffff 0 0; " OPTR "1 fffffffd; "
	  OPTR "9 8 0; honest" },
	{ "opt_initxch_bad_call", "X-03 X-04 X-05 X-12 N-66 N-81 N-82 N-83 N-84 N-86", STATFS,
	  .reply = OPT "1 [ ]; " OPT "1 [ 0 0 0 ]; " OPT "1 [ 1 1 4 1000 ]; "
	  OPT "1 [ ffffffff ]; " OPT "1 [ 1 63 ffffffff 0 0 ]; "
	  OPT "1 [ 1 1 3 0 0 ]; " OPT "1 [ 1 2 4 2 0 ]; "
	  OPT "1 [ 2 2 4 0 2 4 0 0 ]; honest", .back = E_XDR },
	{ "opt_initxch_bad_reply", "N-66 N-92", STATFS,
	  .reply = OPTR "1 [ ]; " OPTR "1 [ 0 0 0 ]; " OPTR "1 [ ffffffff ]; "
	  "honest" },
	{ "opt_initxch_late_call", "A-47 X-38 N-90 N-70", STATFS,
	  .reply = OPT "1 [ 1 1 4 400 0 ] ff:10; honest", .flags = S_BACK },
	{ "opt_initxch_late_reply", "A-47 N-90 N-91", STATFS,
	  .reply = OPTR "1 [ 1 1 4 400 0 ]; honest" },
	{ "opt_initxch_too_long", "N-83 X-06 N-97", STATFS,
	  .reply = OPT "1 [ 1 1 8 1000 0 0 ]; " OPT "1 [ 1 1 5 1000 0 0 ]; "
	  OPT "1 [ 1 4 [ 1000 1 1 1000 1 ] 0 ]; honest", .back = E_XDR },
	{ "opt_subset_beyond", "N-89", STATFS,
	  .reply = OPT "1 [ 0 1 ]; " OPT "1 [ 0 ffffffff 0 ]; "
	  OPTR "1 [ 0 1 ]; " OPTR "1 [ 0 ffffffff 0 ]; honest",
	  .back = E_XDR },
	{ "opt_odd_length", "N-66 A-17", STATFS,
	  .reply = OPT "1 7 0 0; " OPT "1 5 0 0; " OPTR "1 7 0 0; honest",
	  .back = E_XDR },
	{ "opt_unknown_max_optinfo", "N-64 B-53 D-16", STATFS,
	  .reply = OPT "9 [ ff:4068 ]; " OPT "a [ 1 2 ] null; honest",
	  .back = E_OPT },
	{ "opt_in_order", "A-18 B-19 N-62", STATFS,
	  .reply = "x+5 2 20 5 2 9 ffffffff; x+5 2 20 5 0 9 8 0; honest",
	  .back = E_XDR },
	{ "opt_bad_cont", "N-65 B-51", STATFS,
	  .reply = OPT "7 [ 1 5 0 ]; honest", .back = E_OPT, .flags = S_CHUNKS },
	{ "opt_repterr_not_offered", "N-65 B-51 A-13 B-74", STATFS,
	  .reply = OPTR "8 [ x 0 0 0 3 ]; " OPTR "8 [ x 2 ]; honest",
	  .answers = "opt; opt", .flags = S_CHUNKS },
	{ "opt_repterr", "N-211 N-212 A-13 B-74", STATFS,
	  .reply = OPTR "8 [ x 0 0 0 3 ]; " OPTR "8 [ x 2 ]; honest" },
	{ "opt_xmt_not_offered", "N-65 N-122 B-51 X-22", STATFS,
	  .reply = OPT "5 [ 0 0 1 1 28 ] null+5; honest", .back = E_OPT,
	  .flags = S_CHUNKS },
	{ "opt_reqxch", "N-87 X-42 X-45", STATFS,
	  .reply = OPT "2 [ 0 ]; honest", .answers = "respxch" },
};

const unsigned int nr_cases_srv_optional = ARRAY_SIZE(cases_srv_optional);
