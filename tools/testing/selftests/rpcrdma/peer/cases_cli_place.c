// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the client role: XMTREQ in one transmission, good ones and what is
 * wrong with placement in requests (C.4, C.6, D.5).
 *
 * Data that is written differs from what the file holds in each byte, by a key
 * of the case's own, and is read back by a Write chunk.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "rpc.h"
#include "xmt.h"

#define XREQ		"x 2 20 5 0 5 "
#define RT		C_RT, .lay = LAY
#define RTM(mem)	C_RT, mem, .lay = LAY
#define LAY		"6:4096 2*4096p"

/* The end of optinfo without targets, and with one for the whole request */
#define PLAIN		"0 1 1 ps ] "
#define TARGET(loc)	"0 1 0 ve 1 " loc " 1 1 ps ] "

/* Where data is written, and read back; as numbers of a template and in hex */
#define AT		"131072"
#define BACK(key, len)	MSG "0 0 1 1 seg0:" len " 0 0 read:" AT ":" len \
			" => reply kdata:" key ":" AT ":" len

/* A WRITE whose data is placed, LEN once in hex and once in decimal */
#define PLACED(hex, len, key) \
	XREQ "[ 1 wpos " hex " 2 0 tbsns:0:" len " " PLAIN "{ wcall:" AT ":" \
	len " } key:" key " place:0:" AT ":" len " => xreply;" BACK(key, len)

/* A WRITE with one item, of which only the place is odd */
#define ITEM(loc)	XREQ "[ 1 wpos 1000 " loc " " PLAIN "{ wcall:" AT \
			":4096 } place:0:" AT ":4096 "
#define READ(loc, len)	XREQ "[ " TARGET(loc) "{ read:0:" len " } "

/* Offset and length of each READ */
#define TWO_READS	"0:4080:8192:1000"

#define FUZZ_ROUNDS	300
#define FUZZ_WORDS	24
#define FUZZ_QUIET_MS	300

/* After so much silence the kernel writes ten lines again */
#define LOG_QUIET_US	6000000

/**
 * fuzz_word - an odd word
 * @seed: state of the sequence
 *
 * Return: the word.
 */
static u32 fuzz_word(u32 *seed)
{
	static const u32 odd[] = {
		0, 1, 2, 3, 4, 8, 0x1000, 0x2000, 0x7fffffff, 0x80000000,
		0xfffffffc, 0xffffffff,
	};

	*seed = *seed * 1664525 + 1013904223;
	return odd[(*seed >> 16) % ARRAY_SIZE(odd)];
}

/**
 * fuzz_sync - let whatever comes come, until a NULL call is answered
 * @s: the client
 *
 * Return: 0, or -1.
 */
static int fuzz_sync(struct cli *s)
{
	struct tmpl_env env = { .c = s->c, .xid = s->xid };
	struct rmsg *m;
	struct hdr h;
	struct buf b;
	bool seen = false;

	s->xid += s->xid_step;
	buf_init(&b, 256);
	tmpl_build(&b, NULLMSG, &env);
	conn_send(s->c, b.p, b.len, NULL);
	buf_free(&b);
	while (!seen && (m = cli_wait(s, cfg.timeout))) {
		seen = !wire_decode(&h, m->data, m->len) && h.xid == env.xid;
		free(m);
	}
	if (seen)
		return 0;
	cli_fail(s, s->c->gone ? s->c->why : "no NULL after it", NULL);
	return -1;
}

/**
 * fuzz_end - let come what may still come
 * @s: the client
 *
 * The server works on several messages at a time: an ERROR may be behind the
 * reply to a NULL call that was sent later.
 */
static void fuzz_end(struct cli *s)
{
	struct rmsg *m;

	while ((m = cli_wait(s, FUZZ_QUIET_MS)))
		free(m);
}

/**
 * run_fuzz - odd words all over the header of an XMTREQ
 * @s: the client
 *
 * No item names memory, so that nothing but answers can come of it.
 */
static void run_fuzz(struct cli *s)
{
	static const char t[] =
		XREQ "[ 2 wpos 1000 2 0 tbsns:0:4096 wpos+4096 0 2 0 0 "
		"1 0 ve 1 64 2 1 1 ps ] { wcall:" AT ":4096 } place:0:0:4096";
	struct tmpl_env env = {
		.c = s->c, .lay = &s->peer_lay, .peer = &s->peer,
	};
	u32 seed = 1, i, at, n;

	s->stained = true;
	for (i = 0; i < FUZZ_ROUNDS && !s->r->v; i++) {
		env.xid = s->xid;
		s->xid += s->xid_step;
		if (tmpl_build(&s->sent, t, &env))
			result_fail(s->r, "bad template");
		for (n = 0; n < 1 + i % 3; n++) {
			fuzz_word(&seed);
			at = 20 + 4 * ((seed >> 8) % FUZZ_WORDS);
			buf_put_u32(&s->sent, at, fuzz_word(&seed));
		}
		/* Memory is not named: no item moves by RDMA */
		buf_put_u32(&s->sent, 40, T_TBSN);
		conn_send(s->c, s->sent.p, s->sent.len, NULL);
		if (fuzz_sync(s))
			return;
	}
	fuzz_end(s);
}

/**
 * run_layout - the server's receives are as it says
 * @s: the client
 *
 * layout_told() has looked at the rest.
 */
static void run_layout(struct cli *s)
{
	if (!s->peer_lay.nplt)
		result_skip(s->r, "the server has no place for data");
	else if (!(s->peer.nochg >> s->peer.rbstruct_nr & 1))
		result_fail(s->r, "RBSTRUCT is not in optixch_nochg");
	else if (s->peer_lay.total < s->peer.rbsiz)
		result_fail(s->r, "%u bytes of %u", s->peer_lay.total,
			    s->peer.rbsiz);
}

/**
 * run_no_plt - data is placed where there is no place for it
 * @s: the client
 */
static void run_no_plt(struct cli *s)
{
	if (s->peer_lay.nplt)
		result_skip(s->r, "the server has places for data");
	else
		cli_step(s, XREQ "[ 1 wpos 4 2 0 1 0 " PLAIN "{ wcall:" AT
			 ":4 } zero:4096", "rept:badtbsn:0:1:0");
}

/**
 * run_every_receive - each of the server's receives is laid out as it says
 * @s: the client
 *
 * As many messages as there may be receives, one after the other.
 */
static void run_every_receive(struct cli *s)
{
	u32 i;

	for (i = 0; i < 2 * s->grant && i < 300; i++)
		if (cli_step(s, XREQ "[ 1 wpos 1000 2 0 tbsns:1:4096 " PLAIN
			     "{ wcall:" AT ":4096 } key:9 place:1:" AT ":4096",
			     "xreply"))
			return;
	cli_script(s, BACK("9", "4096"));
}

/**
 * run_exrw_again - each of the server's receives takes the same WRITE twice
 * @s: the client
 *
 * Its data is in the peer's memory, and needs padding: what is behind it has to be
 * found.
 */
static void run_exrw_again(struct cli *s)
{
	u32 i;

	for (i = 0; i < 3 * s->grant && i < 400; i++)
		if (cli_step(s, XREQ "[ 1 wpos 5 1 1 seg0:5 " PLAIN
			     "{ wg:" AT ":5 }", "xreply"))
			return;
	cli_script(s, BACK("5a", "5"));
}

/**
 * run_together - requests with placed data, as many at once as are granted
 * @s: the client
 */
static void run_together(struct cli *s)
{
	u32 n = s->grant < 16 ? s->grant : 16, i, first = s->xid;
	struct tmpl_env env = { .c = s->c, .lay = &s->peer_lay,
				.peer = &s->peer };
	struct rmsg *m;
	struct hdr h;
	char t[256];

	for (i = 0; i < n; i++) {
		env.xid = s->xid;
		s->xid += s->xid_step;
		snprintf(t, sizeof(t), XREQ "[ 1 wpos 1000 2 0 tbsns:0:4096 "
			 PLAIN "{ wcall:%u:4096 } key:%x place:0:%u:4096",
			 131072 + i * 4096, i + 1, 131072 + i * 4096);
		tmpl_build(&s->sent, t, &env);
		conn_send(s->c, s->sent.p, s->sent.len, NULL);
	}
	for (i = 0; i < n; i++) {
		m = cli_wait(s, cfg.timeout);
		if (!m || wire_decode(&h, m->data, m->len) ||
		    h.proc == P_ERROR || h.xid - first >= n * s->xid_step)
			cli_fail(s, "not a reply to each", m);
		free(m);
	}
	for (i = 0; i < n && !s->r->v; i++) {
		snprintf(t, sizeof(t), MSG "0 0 1 1 seg0:4096 0 0 read:%u:4096 "
			 "=> reply kdata:%x:%u:4096", 131072 + i * 4096, i + 1,
			 131072 + i * 4096);
		cli_script(s, t);
	}
}

/**
 * uncounted - a word by RDMA, in the midst of what is written
 * @s: the client
 * @len: its length, four bytes or less
 *
 * What is in front of it is no count, so that a server may not see what it is.
 * It may refuse the call, and then writes nothing of it.
 */
static void uncounted(struct cli *s, u32 len)
{
	struct mem *m = conn_mem(s->c, 0);
	char t[512];
	u32 i;

	if (cli_script(s, PLACED("3e8", "1000", "46")))
		return;
	for (i = 0; i < 4; i++)
		m->p[i] = rpc_pattern(131072 + 500 + i) ^ 0x47;
	snprintf(t, sizeof(t), XREQ "[ 1 wpos+500 %x 1 1 seg0:%u " PLAIN
		 "{ wcall:" AT ":%u key:47 pdata:131072:500 %s} ", len, len,
		 len < 4 ? 500 + len : 1000, len < 4 ? "" : "pdata:131576:496 ");
	if (!cli_step(s, t, "xreply|xdr"))
		cli_script(s, s->got.proc == P_ERROR ? BACK("46", "1000") :
			   len < 4 ? BACK("47", "501") : BACK("47", "1000"));
}

/**
 * run_word_uncounted - a word that is fetched by RDMA into the midst of what is written
 * @s: the client
 */
static void run_word_uncounted(struct cli *s)
{
	uncounted(s, 4);
}

/**
 * run_byte_uncounted - a byte that is fetched by RDMA into the midst of what is written
 * @s: the client
 */
static void run_byte_uncounted(struct cli *s)
{
	uncounted(s, 1);
}

/**
 * run_logged - the first report over a connection has a line in the server's log
 * @s: the client
 *
 * The second one has none. Many lines at once are not written at all, so that
 * it takes some silence before.
 */
static void run_logged(struct cli *s)
{
	u32 first, second;
	char t[256];

	usleep(LOG_QUIET_US);
	if (on_server("dmesg | wc -l > /run/lines")) {
		result_fail(s->r, "no log of the server's");
		return;
	}
	first = s->xid;
	cli_step(s, XREQ "[ 0 0 1 1 26 ] null", "rept:badpl:38:0:left");
	second = s->xid;
	cli_step(s, XREQ "[ 0 0 0 1 ps ] { null }", "rept:badseq:1:0");
	snprintf(t, sizeof(t), "dmesg | tail -n +$(($(cat /run/lines) + 1)) > /run/log; [ $(grep -c 'rpcrdma: .*xid 0x%08x .*"
		 "(38, 0, 40)' /run/log) = 1 ] && ! grep -q 'xid 0x%08x' /run/log",
		 first, second);
	if (!s->r->v && on_server(t))
		result_fail(s->r, "the server's log has not one line about xid %08x, and none about %08x",
			    first, second);
}

const struct cli_case cases_cli_place[] = {
	{ "xmt_layout", "A-61 X-86 P-42 P-16 A-60 X-31 X-87 X-90 P-05", NULL, RT,
	  .run = run_layout },
	{ "xmt_null", "P-04 P-18 B-05 B-16 B-42 A-72 C-10 D-02",
	  XREQ "[ 0 " PLAIN "{ null } => xreply;"
	  XREQ "[ 0 " PLAIN "{ null } => xreply", RT },
	{ "xmt_no_rtrsupp", "A-69 P-05 P-08",
	  XREQ "[ 0 " PLAIN "{ null } => xreply;"
	  XREQ "[ 0 " PLAIN "{ read:0:2000 } => xreply vread:0:2000", C_RT,
	  .lay = "0:-4096" },
	{ "xmt_write_inline", "P-18 P-39",
	  XREQ "[ 0 " PLAIN "{ write:" AT ":1000 } => xreply", RT },
	{ "xmt_write_4", "P-15 P-21 P-36", PLACED("4", "4", "12"), RT },
	{ "xmt_write_1", "A-73 P-36", PLACED("1", "1", "13"), RT },
	{ "xmt_write_100", "P-15 P-21", PLACED("64", "100", "14"), RT },
	{ "xmt_write_4095", "A-73 P-36", PLACED("fff", "4095", "15"), RT },
	{ "xmt_write_4096", "P-16 P-21", PLACED("1000", "4096", "16"), RT },
	{ "xmt_write_4097", "P-21 A-73", PLACED("1001", "4097", "17"), RT },
	{ "xmt_write_8191", "P-36 A-73 A-77", PLACED("1fff", "8191", "18"), RT },
	{ "xmt_write_8192", "P-24 P-03 P-12 P-13 P-15 P-16 P-21 B-05 A-66 A-76",
	  PLACED("2000", "8192", "19") ";" PLACED("2000", "8192", "1a"), RT },
	{ "xmt_write_offset", "P-21 A-77 A-78",
	  XREQ "[ 1 wpos 1388 2 60 2 0 1 " PLAIN "{ wcall:" AT ":5000 } key:1b "
	  "plt:0:96 pdata:131072:4000 plt:1 pdata:135072:1000 => xreply;"
	  BACK("1b", "5000"), RT },
	{ "xmt_write_last_offset", "N-144 A-77",
	  XREQ "[ 1 wpos 8 2 plen-4 2 0 1 " PLAIN "{ wcall:" AT ":8 } key:1c "
	  "plt:0:4092 pdata:131072:8 => xreply;" BACK("1c", "8"), RT },
	{ "xmt_write_descending", "A-77 P-13",
	  XREQ "[ 1 wpos 2000 2 0 2 1 0 " PLAIN "{ wcall:" AT ":8192 } key:1d "
	  "plt:0 pdata:135168:4096 plt:1 pdata:131072:4096 => xreply;"
	  BACK("1d", "8192"), RT },
	{ "xmt_write_second_segment", "P-13 P-15",
	  XREQ "[ 1 wpos 1000 2 0 1 1 " PLAIN "{ wcall:" AT ":4096 } key:1e "
	  "place:1:" AT ":4096 => xreply;" BACK("1e", "4096"), RT },
	{ "xmt_write_excess_tbsn", "N-142 A-76",
	  XREQ "[ 1 wpos 2000 2 0 4 0 1 7fffffff 0 " PLAIN "{ wcall:" AT
	  ":8192 } key:1f place:0:" AT ":8192 => xreply;" BACK("1f", "8192"),
	  RT },
	{ "xmt_write_padding_odd", "P-41 S-04",
	  XREQ "[ 1 wpos 1000 2 0 tbsns:0:4096 " PLAIN "{ wcall:" AT ":4096 } "
	  "ff:400 key:20 place:0:" AT ":4096 => xreply;" BACK("20", "4096"), RT },
	{ "xmt_write_bytes_behind", "S-14 A-16",
	  XREQ "[ 1 wpos 64 2 0 tbsns:0:100 " PLAIN "{ wcall:" AT ":100 } "
	  "key:21 place:0:" AT ":100 ff:2000 => xreply;" BACK("21", "100"), RT },
	{ "xmt_write_item_then_inline", "S-14 P-25",
	  XREQ "[ 1 wpos 258 2 0 tbsns:0:600 " PLAIN "{ wcall:" AT ":1000 "
	  "key:22 pdata:131672:400 } place:0:" AT ":600 ff:300 => xreply;"
	  BACK("22", "1000"), RT },
	{ "xmt_write_inline_then_item", "S-14 P-25",
	  XREQ "[ 1 wpos+100 384 2 0 tbsns:0:900 " PLAIN "{ wcall:" AT ":1000 "
	  "key:23 pdata:131072:100 } place:0:131172:900 => xreply;"
	  BACK("23", "1000"), RT },
	{ "xmt_write_length_0", "N-147",
	  XREQ "[ 1 wpos 0 2 0 0 " PLAIN "{ wcall:" AT ":0 } => xreply;"
	  XREQ "[ 1 wpos 0 2 0 1 0 " PLAIN "{ wcall:" AT ":0 } => xreply", RT },
	{ "xmt_write_getattr", "P-25 P-03 P-12",
	  XREQ "[ 1 wpos 2000 2 0 tbsns:0:8192 " PLAIN "{ wg:" AT ":8192 } "
	  "key:24 place:0:" AT ":8192 => xreply;" BACK("24", "8192"), RT },
	{ "xmt_write_getattr_odd", "P-25 A-73",
	  XREQ "[ 1 wpos 1fff 2 0 tbsns:0:8191 " PLAIN "{ wg:" AT ":8191 } "
	  "key:25 place:0:" AT ":8191 => xreply;" BACK("25", "8191"), RT },
	{ "xmt_write_exrw", "P-07 P-19 P-04 P-14",
	  XREQ "[ 1 wpos 2000 1 1 seg0:8192 " PLAIN "{ wcall:" AT ":8192 } "
	  "=> xreply;" BACK("26", "8192"), RTM("key:26 pdata:" AT ":8192") },
	{ "xmt_write_exrw_segments", "P-19 A-75",
	  XREQ "[ 1 wpos 1fff 1 3 seg0:4000 seg0:192:4000 seg0:4000:4192 " PLAIN
	  "{ wcall:" AT ":8191 } => xreply;" BACK("27", "8191"), RTM("key:27 pdata:" AT ":8192") },
	{ "xmt_write_exrw_empty_segments", "N-15 S-04 P-19",
	  XREQ "[ 1 wpos 2000 1 4 seg0:0 seg0:4096 h0 0 0 0 seg0:4096:4096 "
	  PLAIN "{ wcall:" AT ":8192 } => xreply;" BACK("43", "8192"),
	  RTM("key:43 pdata:" AT ":8192") },
	{ "xmt_write_exrw_nothing", "N-15 N-147 S-04",
	  XREQ "[ 1 wpos 0 1 1 seg0:0 " PLAIN "{ wcall:" AT ":0 } => xreply;"
	  XREQ "[ 1 wpos 0 1 0 " PLAIN "{ wcall:" AT ":0 } => xreply", RT },
	{ "xmt_position_zero_empty_segments", "N-15 S-04 A-64",
	  XREQ "[ 1 0 28 1 4 seg0:0 seg0:24 h0 0 0 0 seg0:16:24 " PLAIN
	  "{ } => xreply", RTM("null") },
	{ "xmt_write_exrw_word", "P-19 A-73",
	  XREQ "[ 1 wpos 4 1 1 seg0:4 " PLAIN "{ wcall:" AT ":4 } => xreply;"
	  BACK("44", "4"), RTM("key:44 pdata:" AT ":8") },
	{ "xmt_write_exrw_byte", "P-19 A-73",
	  XREQ "[ 1 wpos 1 1 1 seg0:1 " PLAIN "{ wcall:" AT ":1 } => xreply;"
	  BACK("45", "1"), RTM("key:45 pdata:" AT ":8") },
	{ "xmt_write_exrw_again", "P-19 A-73", NULL,
	  RTM("key:5a pdata:" AT ":8"), .run = run_exrw_again },
	{ "xmt_exrw_word_uncounted", "P-19 A-20 S-04", NULL, RT,
	  .run = run_word_uncounted },
	{ "xmt_exrw_byte_uncounted", "P-19 A-20 A-73 S-04", NULL, RT,
	  .run = run_byte_uncounted },
	{ "xmt_write_exrw_getattr", "P-19 P-25",
	  XREQ "[ 1 wpos 2000 1 1 seg0:8192 " PLAIN "{ wg:" AT ":8192 } "
	  "=> xreply;" BACK("28", "8192"), RTM("key:28 pdata:" AT ":8192") },
	{ "xmt_write_mixed", "P-22 P-19 P-25 A-74",
	  XREQ "[ 2 wpos 1000 2 0 tbsns:0:4096 wpos+4132 1000 1 1 "
	  "seg0:4096:4096 " PLAIN "{ ww:" AT ":4096:135168:4096 } key:29 "
	  "place:0:" AT ":4096 => xreply;" BACK("29", "8192"), RTM("key:29 pdata:" AT ":8192") },
	{ "xmt_write_then_inline", "P-25 P-03 S-14",
	  XREQ "[ 1 wpos 2000 2 0 tbsns:0:8192 " PLAIN "{ ww:" AT
	  ":8192:139264:200 key:2a pdata:139264:200 } place:0:" AT ":8192 "
	  "=> xreply;" BACK("2a", "8392"), RT },
	{ "xmt_position_zero", "A-64 C-10 N-131",
	  XREQ "[ 1 0 28 1 1 seg0:40 " PLAIN "{ } => xreply", RTM("null") },
	{ "xmt_payload_crosses", "P-41 P-18",
	  XREQ "[ 0 " PLAIN "{ write:" AT ":6000 } => xreply", RT },
	{ "xmt_every_receive", "P-42 P-16 A-61", NULL, RT,
	  .run = run_every_receive },
	{ "xmt_together", "P-11 A-70 P-42", NULL, RT, .run = run_together },
	{ "xmt_read_inline", "P-39 A-86",
	  XREQ "[ 0 " PLAIN "{ read:0:2000 } => xreply vread:0:2000", RT },
	{ "xmt_read_tbsn", "P-24 P-10 P-20 P-26 P-27 P-28 P-15 S-01 P-06 P-14 P-02",
	  READ("0 2", "8192") "=> xresp:tbsn vread:0:8192;"
	  READ("0 2", "8192") "=> xresp:tbsn vread:0:8192", RT },
	{ "xmt_read_tbsn_odd", "P-36 A-73",
	  READ("0 2", "8191") "=> xresp:tbsn vread:0:8191;"
	  READ("0 2", "1") "=> xresp:tbsn vread:0:1", RT },
	{ "xmt_read_tbsn_small", "P-26 P-15",
	  READ("0 2", "100") "=> xresp:tbsn vread:0:100", RT },
	{ "xmt_read_exrw", "P-20 P-26 P-27 P-09",
	  READ("0 1 1 seg0:8192", "8192")
	  "=> xresp:exrw vread:0:8192 kdata:0:0:8192", RT },
	{ "xmt_read_exrw_segments", "P-20 A-75",
	  READ("0 1 3 seg0:4000 seg0:4000:4000 seg0:4000:8000", "5000")
	  "=> xresp:exrw vread:0:5000 kdata:0:0:5000", RT },
	{ "xmt_read_exrw_odd", "P-20 A-73",
	  READ("0 1 1 seg0:8192", "8191")
	  "=> xresp:exrw vread:0:8191 kdata:0:0:8191", RT },
	{ "xmt_read_choice", "P-26 P-27",
	  READ("0 3 1 seg0:8192", "8192")
	  "=> xresp:tbsn vread:0:8192|xresp:exrw vread:0:8192", RT },
	{ "xmt_read_choice_long", "P-26 P-27 P-11",
	  READ("0 3 1 seg0:20000", "20000")
	  "=> xresp:exrw vread:0:20000 kdata:0:0:20000", RT },
	{ "xmt_read_bysize", "P-26 A-82",
	  READ("0 4 1000 1 seg0:8192", "4096") "=> xresp:tbsn vread:0:4096;"
	  READ("0 4 1000 1 seg0:8192", "4100") "=> xresp:exrw vread:0:4100;"
	  READ("0 4 0 1 seg0:8192", "100") "=> xresp:exrw vread:0:100;"
	  READ("0 4 ffffffff 1 seg0:8192", "8192") "=> xresp:tbsn vread:0:8192",
	  RT },
	{ "xmt_read_bysize_infeasible", "A-82 P-26",
	  READ("0 4 ffffffff 1 seg0:20000", "20000")
	  "=> xresp:exrw vread:0:20000 kdata:0:0:20000", RT },
	{ "xmt_read_minlen", "P-29 A-85",
	  READ("1000 2", "100") "=> xresp:tooshort vread:0:100;"
	  READ("1000 1 1 seg0:8192", "100")
	  "=> xresp:tooshort vread:0:100 blank:0:100;"
	  READ("64 2", "100") "=> xresp:tbsn vread:0:100;"
	  READ("65 2", "100") "=> xresp:tooshort vread:0:100", RT },
	{ "xmt_noitem", "P-30 A-85 P-33",
	  XREQ "[ " TARGET("0 2") "{ null } => xresp:noitem;"
	  XREQ "[ " TARGET("0 1 1 seg0:4096") "{ null } "
	  "=> xresp:noitem blank:0:4096", RT },
	{ "xmt_noitem_failed", "P-30 N-35",
	  XREQ "[ " TARGET("0 2") "{ bad:args } "
	  "=> types:noitem xnfserr|types:noitem xrpcerr:4", RT },
	{ "xmt_three_targets", "P-28 A-74",
	  XREQ "[ 0 1 0 ve 3 0 2 0 2 0 2 1 1 ps ] { read:0:4096 } "
	  "=> xresp:tbsn.noitem.noitem vread:0:4096", RT },
	/*
	 * nfsd of 6.12 puts the data of a second READ into the page behind the
	 * one that its result begins in, whatever the transport. So the first
	 * READ ends 16 bytes before a page does: where the second one's data
	 * belongs is where nfsd puts it.
	 */
	{ "xmt_two_reads_by_msg", "P-01 P-39",
	  MSG "0 " LISTS "read:" TWO_READS " => reply vread:" TWO_READS, RT },
	{ "xmt_two_reads", "P-28 P-31 P-39 A-86",
	  XREQ "[ 0 1 0 ve 1 0 1 1 seg0:4096 1 1 ps ] { read:" TWO_READS " } "
	  "=> xresp:exrw vread:" TWO_READS " kdata:0:0:4080"
	  "|xresp:noitem vread:" TWO_READS, RT },
	{ "xmt_range_second", "P-31 A-84",
	  XREQ "[ 0 1 ve-32 ve 1 0 1 1 seg0:4096 1 1 ps ] "
	  "{ read:" TWO_READS " } => xresp:noitem blank:0:4096 "
	  "vread:" TWO_READS "|xresp:exrw kdata:0:8192:1000 "
	  "vread:" TWO_READS, RT },
	{ "xmt_two_ranges", "P-31 P-32 A-84",
	  XREQ "[ 0 2 0 ve-32 1 0 1 1 seg0:4096 ve-32 ve 1 0 1 1 seg1:4096 "
	  "1 1 ps ] { read:" TWO_READS " } "
	  "=> xresp:noitem.noitem vread:" TWO_READS " blank:0:4096 "
	  "blank:1:4096|xresp:exrw.exrw vread:" TWO_READS, RT },
	{ "xmt_tbsn_impossible", "P-38 A-83 P-06 P-08",
	  READ("0 2", "2000") "=> xresp:tooshort vread:0:2000;"
	  READ("0 2", "8000") "=> cant:1:0:r8000", C_RT, .lay = "6:4096" },
	{ "xmt_tbsn_impossible_no_rbstruct", "P-38 P-06 A-58 P-09",
	  READ("0 2", "2000") "=> xresp:tooshort vread:0:2000;"
	  READ("0 3 1 seg0:8192", "8000") "=> xresp:exrw vread:0:8000;"
	  READ("0 2", "8000") "=> cant:1:0:r8000", C_RT, .lay = "6:-4096" },
	{ "xmt_tbsn_too_long", "P-38 A-83",
	  READ("0 2", "9000") "=> xresp:tooshort vread:0:9000;"
	  READ("0 2", "20000") "=> cant:1:0:r20000", RT },
	{ "xmt_reply_too_long", "A-63 A-26 N-32 P-37",
	  XREQ "[ 0 " PLAIN "{ read:0:8000 } => cant:1:0:r8000", C_RT,
	  .lay = "6:-4096" },
	{ "xmt_target_too_small", "N-151 A-26",
	  READ("0 1 1 seg0:4000", "8000") "=> cant:1:1:8000;"
	  READ("0 1 2 seg0:1000 seg0:3000:1000", "8000") "=> cant:1:2:7000", RT },
	{ "xmt_lay_small_head", "P-16 P-15 P-41 A-77",
	  READ("0 2", "8192") "=> xresp:tbsn vread:0:8192;"
	  READ("0 2", "12288") "=> xresp:tbsn vread:0:12288", C_RT,
	  .lay = "6:1024 3*4096p" },
	{ "xmt_lay_one_long", "P-16 P-21",
	  READ("0 2", "20000") "=> xresp:tbsn vread:0:20000", C_RT,
	  .lay = "6:4096 32768p" },
	{ "xmt_lay_pieces", "P-13 P-21 A-77",
	  READ("0 2", "8192") "=> xresp:tbsn vread:0:8192|xresp:tooshort "
	  "vread:0:8192", C_RT, .lay = "6:2048 4096p 2048 4096p" },
	{ "xmt_lay_small_plt", "P-13 P-21",
	  READ("0 2", "4000") "=> xresp:tbsn vread:0:4000", C_RT,
	  .lay = "6:4096 4*1024p" },
	{ "xmt_lay_plt_first", "A-77 A-76 P-15",
	  READ("0 2", "4096") "=> xresp:tbsn vread:0:4096|xresp:tooshort "
	  "vread:0:4096", C_RT, .lay = "6:2*4096p" },
	{ "xmt_lay_odd_flags", "P-17 N-98",
	  READ("0 2", "8192") "=> xresp:tbsn vread:0:8192", C_RT,
	  .lay = "6:4096u 2*4096pu" },
	{ "xmt_rsbuf", "N-150 C-14 A-68",
	  XREQ "[ 0 0 1 0 ps ] { null } => xreply;"
	  XREQ "[ 0 0 1 resplim ps ] { null } => xreply;"
	  XREQ "[ 0 0 1 ffffffff ps ] { null } => xreply", RT },
	{ "xmt_ranges_empty", "N-148 P-32",
	  XREQ "[ 0 1 0 0 1 0 2 1 1 ps ] { read:0:1000 } "
	  "=> xresp:noitem vread:0:1000;"
	  XREQ "[ 0 2 0 0 0 0 ve 0 1 1 ps ] { read:0:1000 } "
	  "=> xreply vread:0:1000", RT },
	{ "xmt_wrong_way", "N-121 A-87",
	  "x 2 20 5 1 5 [ 0 0 1 1 ps ] { nullreply } => drop;"
	  "x 2 20 5 1 5 [ 0 0 1 1 ps ] { null } => drop", RT },
	{ "xmt_optinfo_cut", "N-66 N-123",
	  XREQ "[ ] null => xdr;" XREQ "[ 0 0 1 1 ] null => xdr;"
	  XREQ "[ 0 0 1 1 28 0 ] null => xdr;"
	  XREQ "[ 1 wpos 1000 2 0 1 ] null => xdr", RT },
	{ "xmt_bad_counts", "N-123 S-11",
	  XREQ "[ ffffffff " PLAIN "{ null } => xdr;"
	  XREQ "[ 15555556 " PLAIN "{ null } => xdr;"
	  XREQ "[ 2 wpos 0 2 0 0 " PLAIN "{ null } => xdr;"
	  XREQ "[ 1 wpos 1000 1 ffffffff seg0:4096 " PLAIN "{ null } => xdr;"
	  XREQ "[ 1 wpos 1000 1 10000001 seg0:4096 " PLAIN "{ null } => xdr;"
	  XREQ "[ 1 wpos 1000 2 0 ffffffff 0 " PLAIN "{ null } => xdr;"
	  XREQ "[ 1 wpos 1000 2 0 40000001 0 " PLAIN "{ null } => xdr;"
	  XREQ "[ 0 ffffffff 1 1 ps ] { null } => xdr;"
	  XREQ "[ 0 1 0 ve ffffffff 1 1 ps ] { null } => xdr;"
	  XREQ "[ 0 1 0 ve 1 0 1 ffffffff seg0:4096 1 1 ps ] { null } => xdr",
	  RT },
	{ "xmt_bad_item_type", "N-124 P-14",
	  ITEM("0") "=> xdr;" ITEM("3 1 seg0:4096") "=> xdr;"
	  ITEM("4 0 1 seg0:4096") "=> xdr;" ITEM("7") "=> xdr;"
	  ITEM("ffffffff") "=> xdr", RT },
	{ "xmt_result_type", "N-125 A-79 P-14 E-02 E-12",
	  ITEM("5") "=> rept:badtbsn:5:1:2", RT },
	{ "xmt_result_type_noitem", "N-125 A-79",
	  ITEM("6") "=> rept:badtbsn:6:1:2", RT },
	{ "xmt_bad_target_type", "N-126 P-14",
	  READ("0 0", "100") "=> xdr;" READ("0 5", "100") "=> xdr;"
	  READ("0 6", "100") "=> xdr;" READ("0 7", "100") "=> xdr", RT },
	{ "xmt_count_0", "N-127 A-91 E-10",
	  XREQ "[ 0 0 0 1 ps ] { null } => rept:badseq:1:0", RT },
	{ "xmt_count_too_high", "N-128 A-91 E-10 X-88",
	  XREQ "[ 0 0 reqlim+1 1 ps ] { null } "
	  "=> rept:badseq:reqlim:reqlim+1", RT },
	{ "xmt_count_max", "N-128",
	  XREQ "[ 0 0 ffffffff 1 ps ] { null } "
	  "=> rept:badseq:reqlim:0xffffffff", RT },
	{ "xmt_pslen_too_long", "N-129 E-14",
	  XREQ "[ 0 0 1 1 2c ] null => rept:badpl:0x2c:0:left", RT },
	{ "xmt_pslen_max", "N-129 E-14 S-11",
	  XREQ "[ 0 0 1 1 fffffffc ] null => rept:badpl:0xfffffffc:0:left", RT },
	{ "xmt_pslen_odd", "N-129 A-78 E-14 E-15",
	  XREQ "[ 0 0 1 1 26 ] null => rept:badpl:38:0:left", RT },
	{ "xmt_pslen_6", "N-129 N-131 E-15",
	  XREQ "[ 0 0 1 1 6 ] null => rept:badpl:6:0:left", RT },
	{ "xmt_pslen_0", "N-131 C-10 E-14",
	  XREQ "[ 0 0 1 1 0 ] null => rept:badpl:0:8:left", RT },
	{ "xmt_pslen_4", "N-131",
	  XREQ "[ 0 0 1 1 4 ] null => rept:badpl:4:8:left", RT },
	{ "xmt_pslen_0_item_later", "N-131 A-64",
	  XREQ "[ 1 4 24 1 1 seg0:36 0 1 1 0 ] null => rept:badpl:0:8:left", RT },
	{ "xmt_payload_wrong", "N-132 B-18 B-05 E-05",
	  XREQ "[ 0 " PLAIN "{ null+1 } => xdr;"
	  XREQ "[ 0 " PLAIN "{ nullreply } => xdr", RT },
	{ "xmt_disp_odd", "N-133 E-13 E-15 A-80",
	  XREQ "[ 1 wpos+2 1000 2 0 tbsns:0:4096 " PLAIN "{ wcall:" AT ":4096 } "
	  "place:0:0:4096 => rept:badoff:wpos+2:0:pslen", RT },
	{ "xmt_disp_descending", "N-133 A-74 A-80",
	  XREQ "[ 2 wpos 4 2 0 1 0 40 4 2 0 1 1 " PLAIN "{ wcall:" AT ":4096 } "
	  "place:0:0:4096 plt:1:4 => rept:badoff:64:wpos+4:pslen+4", RT },
	{ "xmt_disp_overlap", "N-133 A-73 A-74",
	  XREQ "[ 2 wpos 5 2 0 1 0 wpos+4 4 2 0 1 1 " PLAIN "{ wcall:" AT
	  ":4096 } place:0:0:4096 plt:1:4 "
	  "=> rept:badoff:wpos+4:wpos+8:pslen+8", RT },
	{ "xmt_disp_beyond", "N-134 A-80",
	  XREQ "[ 1 wpos+100 1000 2 0 tbsns:0:4096 " PLAIN "{ wcall:" AT
	  ":4096 } place:0:0:4096 => rept:badoff:wpos+100:0:wpos", RT },
	{ "xmt_length_huge", "N-135 S-11 A-80",
	  XREQ "[ 1 wpos fffffff0 1 1 h0 ffffffff 0 1000 " PLAIN "{ wcall:" AT
	  ":4096 } => rept:badoff:0xfffffff0:0:maxmsg", RT },
	{ "xmt_length_room", "N-135 E-13",
	  XREQ "[ 1 wpos fffffff0 1 1 h0 ffffffff 0 1000 " PLAIN "{ wcall:" AT
	  ":4096 } => rept:badoff:0xfffffff0:0:maxmsg;"
	  XREQ "[ 2 wpos fff 1 1 h0 1000 0 1000 wpos+4096 fffffff0 1 1 h0 "
	  "ffffffff 0 1000 " PLAIN "{ wcall:" AT ":4096 } "
	  "=> rept:badoff:0xfffffff0:0:maxmsg-4096", RT },
	{ "xmt_length_overflow", "N-135 S-11",
	  XREQ "[ 2 wpos fffffff0 1 1 h0 ffffffff 0 1000 "
	  "wpos fffffff0 1 1 h0 ffffffff 0 1000 " PLAIN "{ wcall:" AT ":4096 } "
	  "=> rept:badoff:0xfffffff0:0:maxmsg", RT },
	{ "xmt_exrw_short", "N-136 A-75 E-13",
	  XREQ "[ 1 wpos 2000 1 2 seg0:4096 seg0:4092:4096 " PLAIN "{ wcall:" AT
	  ":8192 } => rept:badoff:8192:0:8188", RT },
	{ "xmt_exrw_no_segment", "N-136",
	  XREQ "[ 1 wpos 2000 1 0 " PLAIN "{ wcall:" AT ":8192 } "
	  "=> rept:badoff:8192:0:0", RT },
	{ "xmt_exrw_bad_handle", "N-137 N-31",
	  XREQ "[ 1 wpos 2000 1 1 deadbeef 2000 0 1000 " PLAIN "{ wcall:" AT
	  ":8192 } => disc", RT },
	{ "xmt_target_bad_handle", "N-31 N-137",
	  READ("0 1 1 deadbeef 2000 0 1000", "8000") "=> disc", RT },
	{ "xmt_no_plt", "N-138 A-61", NULL, C_RT, .lay = "0:-4096",
	  .run = run_no_plt },
	{ "xmt_tbsn_too_high", "N-139 E-12 A-76",
	  XREQ "[ 1 wpos 4 2 0 1 pnum " PLAIN "{ wcall:" AT ":4 } plt:0 zero:4 "
	  "=> rept:badtbsn:pnum:0:pnum-1", RT },
	{ "xmt_tbsn_max", "N-139 S-11",
	  XREQ "[ 1 wpos 4 2 0 1 ffffffff " PLAIN "{ wcall:" AT ":4 } plt:0 "
	  "zero:4 => rept:badtbsn:0xffffffff:0:pnum-1", RT },
	{ "xmt_tbsn_not_received", "N-140 S-14 E-12",
	  XREQ "[ 1 wpos 2000 2 0 tbsns:0:8192 " PLAIN "{ wcall:" AT ":8192 } "
	  "place:0:0:4096 => rept:badtbsn:1:0:0", RT },
	{ "xmt_tbsn_received_in_part", "N-140 S-14",
	  XREQ "[ 1 wpos 2000 2 0 tbsns:0:8192 " PLAIN "{ wcall:" AT ":8192 } "
	  "place:0:0:8188 => rept:badtbsn:1:0:0", RT },
	{ "xmt_tbsn_none_received", "N-140 S-14",
	  XREQ "[ 1 wpos 1000 2 0 tbsns:0:4096 " PLAIN "{ wcall:" AT ":4096 } "
	  "=> rept:badtbsn:0:1:0", RT },
	{ "xmt_tbsn_list_empty", "N-141 E-12",
	  XREQ "[ 1 wpos 1000 2 0 0 " PLAIN "{ wcall:" AT ":4096 } "
	  "place:0:0:4096 => rept:badtbsn:0xffffffff:0:pnum-1", RT },
	{ "xmt_tbsn_list_short", "N-141",
	  XREQ "[ 1 wpos plen+4 2 0 1 0 " PLAIN "{ wcall:" AT ":4100 } "
	  "place:0:0:4100 => rept:badtbsn:0:0:pnum-1", RT },
	{ "xmt_tbsn_twice", "N-143 A-76",
	  XREQ "[ 1 wpos 2000 2 0 2 0 0 " PLAIN "{ wcall:" AT ":8192 } "
	  "place:0:0:8192 => rept:badtbsn:0:0:pnum-1", RT },
	{ "xmt_tbsn_in_two_items", "N-143",
	  XREQ "[ 2 wpos 8 2 0 1 0 wpos+8 8 2 4 1 0 " PLAIN "{ wcall:" AT
	  ":16 } place:0:0:4096 => rept:badtbsn:0:0:pnum-1", RT },
	{ "xmt_offset_beyond", "N-144 E-13",
	  XREQ "[ 1 wpos 4 2 plen 2 0 1 " PLAIN "{ wcall:" AT ":4 } "
	  "place:0:0:8192 => rept:badoff:plen:0:plen-4", RT },
	{ "xmt_offset_odd", "N-144 A-78 E-15",
	  XREQ "[ 1 wpos 4 2 2 1 0 " PLAIN "{ wcall:" AT ":4 } "
	  "place:0:0:4096 => rept:badoff:2:0:plen-4", RT },
	{ "xmt_offset_max", "N-144 S-11",
	  XREQ "[ 1 wpos 4 2 fffffffc 1 0 " PLAIN "{ wcall:" AT ":4 } "
	  "place:0:0:4096 => rept:badoff:0xfffffffc:0:plen-4", RT },
	{ "xmt_item_over_payload", "N-146 P-41",
	  XREQ "[ 1 wpos 40 2 0 1 0 " PLAIN "{ wcall:" AT ":64 plt:0:8 } "
	  "zero:4088 => rept:badoff:0:8:plen-4", RT },
	{ "xmt_ranges_overlap", "N-148 P-32 A-84",
	  XREQ "[ 0 2 0 20 1 0 2 10 30 1 0 2 1 1 ps ] { read:0:100 } "
	  "=> rept:badoff:16:32:pslen", RT },
	{ "xmt_ranges_decrease", "N-148 A-84",
	  XREQ "[ 0 2 20 30 1 0 2 0 10 1 0 2 1 1 ps ] { read:0:100 } "
	  "=> rept:badoff:0:48:pslen", RT },
	{ "xmt_range_reversed", "N-148 A-84",
	  XREQ "[ 0 1 20 10 1 0 2 1 1 ps ] { read:0:100 } "
	  "=> rept:badoff:16:32:pslen", RT },
	{ "xmt_range_beyond", "N-148 A-84",
	  XREQ "[ 0 1 0 ve+4 1 0 2 1 1 ps ] { null } => rept:badoff:44:0:40;"
	  XREQ "[ 0 1 4 ve+4 1 0 2 1 1 ps ] { null } => rept:badoff:44:4:40;"
	  XREQ "[ 0 1 ve+4 ve+8 1 0 2 1 1 ps ] { null } "
	  "=> rept:badoff:44:0:40", RT },
	/* A NULL call has no arguments; what is behind it is nobody's concern. */
	{ "xmt_item_unexpected", "N-152",
	  PLACED("1000", "4096", "54") ";"
	  XREQ "[ 1 28 1000 2 0 tbsns:0:4096 " PLAIN "{ null } place:0:0:4096 "
	  "=> xreply;" BACK("54", "4096"), RT },
	{ "xmt_item_too_early", "N-152",
	  PLACED("1000", "4096", "58") ";"
	  XREQ "[ 1 wpos-4 1000 2 0 tbsns:0:4096 " PLAIN "{ wcall:" AT ":4096 } "
	  "key:55 place:0:0:4096 => xnfserr;" BACK("58", "4096"), RT },
	{ "xmt_item_too_short", "N-152 S-14",
	  PLACED("1000", "4096", "59") ";"
	  XREQ "[ 1 wpos 190 2 0 tbsns:0:400 " PLAIN "{ wcall:" AT ":4096 } "
	  "key:5a place:0:" AT ":400 => xnfserr;" BACK("59", "4096"), RT },
	{ "xmt_item_too_long", "N-152 S-14",
	  PLACED("1000", "4096", "5b") ";"
	  XREQ "[ 1 wpos 1000 2 0 tbsns:0:4096 " PLAIN "{ wcall:" AT ":400 } "
	  "key:56 place:0:" AT ":4096 => xreply;" BACK("56", "400") ";"
	  MSG "0 0 1 1 seg0:3696 0 0 read:131472:3696 "
	  "=> reply kdata:5b:131472:3696", RT },
	{ "xmt_faults_xdr_first", "N-153 A-18 E-05",
	  XREQ "[ 1 0 4 5 1 0 28 1 0 0 1 1 26 ] null => xdr", RT },
	{ "xmt_faults_in_order", "N-153 A-18",
	  XREQ "[ 1 wpos+2 1000 2 0 tbsns:0:4096 1 30 20 0 0 1 ps ] "
	  "{ wcall:" AT ":4096 } place:0:0:4096 "
	  "=> rept:badoff:wpos+2:0:pslen;"
	  XREQ "[ 1 wpos 1000 2 0 tbsns:0:4096 1 30 20 0 0 1 26 ] wcall:" AT
	  ":4096 place:0:0:4096 => rept:badoff:32:48:pslen+4096;"
	  XREQ "[ 1 wpos 1000 2 0 tbsns:0:4096 0 0 1 26 ] wcall:" AT
	  ":4096 place:0:0:4096 => rept:badseq:1:0", RT },
	{ "report_logged", "E-21 E-16", NULL, C_RT | C_PRIV | C_HAND, .lay = LAY,
	  .run = run_logged },
	{ "xmt_after_report", "A-93 E-20 C.7-IDLE B-77 E-16 E-19",
	  XREQ "[ 0 0 1 1 26 ] null => rept:badpl:38:0:left;"
	  XREQ "[ 0 " PLAIN "{ null } => xreply;"
	  PLACED("2000", "8192", "57"), RT },
	{ "xmt_report_about_reply", "N-212 N-214 N-211 N-215 E-01 E-18 E-20 A-13",
	  READ("0 2", "8192") "=> xresp:tbsn vread:0:8192;"
	  "x-8 2 20 5 0 8 [ x-8 1 0 0 7 5 0 1 ] => drop;"
	  READ("0 2", "2000") "=> xresp:tooshort vread:0:2000;" NULLMSG "=> reply",
	  C_RT | C_NOEND, .lay = LAY },
	{ "xmt_report_odd", "N-211 N-215 E-19 A-95",
	  "x 2 20 5 0 8 [ x 1 0 0 9 ] => drop;"
	  "x 2 20 5 0 8 [ x 1 0 0 0 ] => drop;"
	  "x 2 20 5 0 8 [ x 2 0 0 3 ] => drop;"
	  "x 2 20 5 0 8 [ x 1 0 2 3 ] => drop;"
	  "x 2 20 5 0 8 [ x 1 0 0 7 5 0 ] => drop;"
	  "x 2 20 5 0 8 [ x 1 0 0 3 3 ] => drop;"
	  "x 2 20 5 0 8 [ ] => drop;"
	  "x 2 20 5 0 8 [ x 1 0 0 7 0 9 1 ] => drop", RT },
	{ "xmt_report_about_nothing", "N-212 E-19",
	  "x 2 20 5 0 8 [ x 1 0 0 3 ] => drop;"
	  "x 2 20 5 1 8 [ x 0 0 0 3 ] => drop;"
	  NULLMSG "=> reply; x-8 2 20 5 0 8 [ x-8 1 0 0 3 ] => drop", RT },
	{ "xmt_fuzz", "S-04 S-11 S-06 N-153", NULL, RT, .run = run_fuzz },
};

const unsigned int nr_cases_cli_place = ARRAY_SIZE(cases_cli_place);
