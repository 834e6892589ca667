/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Client role: a case is a script of messages and the answers they must get.
 *
 *   TEMPLATE => WANT ; TEMPLATE => WANT ; ...
 *
 * TEMPLATE is in the language of tmpl.h. WANT is one or more alternatives
 * parted by "|", each a list of words that must all hold:
 *
 *  reply           MSG, the RPC succeeded; sent without invalidation
 *  long            NOMSG, the reply is in the Reply chunk
 *  swiN            the reply came by Send With Invalidate of memory N
 *  data:OFF:LEN    memory 0 holds this part of the test file
 *  rpcerr:N        MSG, accept_stat N
 *  denied          MSG, the RPC was denied
 *  nfserr          MSG, the compound failed
 *  vers:LOW:HIGH   ERROR VERS
 *  cant:P:I:N      ERROR CANT_REPLY; N may be rLEN[+N], the length of the
 *                  reply to a READ of LEN bytes
 *  drop            nothing
 *  disc            the server closes the connection
 *  more            not waited for: what is sent next has the same xid
 *
 * and those of want.h and cli_place.h. The template "also" sends nothing: the
 * message before it gets one more answer.
 *
 * Unless told otherwise a case starts on a new connection after an honest
 * INITXCH, and ends with a NULL call on the same connection (or on a new one
 * after disc) and one on a second connection.
 */
#ifndef PEER_CLIENT_H
#define PEER_CLIENT_H

#include "conn.h"
#include "heard.h"
#include "peer.h"
#include "tmpl.h"

/* How a case starts and ends, and what it needs */
enum {
	C_RAW		= 1 << 0,	/* no INITXCH at the start */
	C_V1		= 1 << 1,	/* the NULL at the end is version 1 */
	C_BIG		= 1 << 2,	/* post receives of 64 KiB */
	C_PRIV		= 1 << 3,	/* send version 1's CM private data */
	C_INV		= 1 << 4,	/* INITXCH says REQREMINV TRUE */
	C_RT		= 1 << 5,	/* only where RTRSUPP is advertised */
	C_HAND		= 1 << 6,	/* with commands on the server */
	C_SRV1		= 1 << 7,	/* only with version 2 off */
	C_NOEND		= 1 << 8,	/* no NULL at the end */
	C_REV		= 1 << 10,	/* a reverse Call, see reverse.c */
	C_NORT		= 1 << 11,	/* only where RTRSUPP is not advertised */
	C_CONT		= 1 << 12,	/* only where RTRSUPP has XCONT */
	C_NOCONT	= 1 << 13,	/* only where it has not */
	C_ANY		= 1 << 9,	/* with version 2 on or off */
	C_OWN		= 1 << 14,	/* knows the kernel's server: steps of own.c */
	C_DEAF		= 1 << 15,	/* the server waits for our receives */
	C_FEW		= 1 << 17,	/* hardly any receives, as there are many of it */
	C_SHORT		= 1 << 18,	/* the server places nothing: its receives are short */
	C_LONG		= 1 << 16,	/* a long reverse Call, see rev_long.h */
	C_ONLY1		= C_RAW | C_V1 | C_ANY,	/* version 1 throughout */
};

#define MAX_GRANT	0x4000	/* credits above are absurd */

struct cli;

/**
 * struct cli_case - a case of the client role
 * @name: its name
 * @ids: the ids it covers
 * @script: see above
 * @flags: C_*
 * @mem: template of what memory 0 holds, with the xid of the next message;
 *	with C_REV a script to begin with, instead of an INITXCH; with C_LONG
 *	set where the Call is a short one
 * @run: for what no script can say; comes after the script
 * @lay: receives and INITXCH of a client that takes placed data, as text, see
 *	layout_init()
 */
struct cli_case {
	const char *name;
	const char *ids;
	const char *script;
	unsigned int flags;
	const char *mem;
	void (*run)(struct cli *s);
	const char *lay;
};

/**
 * struct cli - a client with its connection
 * @c: the connection
 * @r: result of the case
 * @xid: xid of the next message
 * @xid_step: what to add for the one after it
 * @peer: what the server's INITXCH said
 * @peer_lay: layout of its receives, empty if it did not say
 * @lay: layout of our receives, empty if there is none
 * @grant: credits last granted
 * @limit: longest Send the server may use
 * @negotiated: an INITXCH of ours was answered
 * @hushed: something was sent that must stay unanswered
 * @v1: the case ends in version 1
 * @stained: the next case needs a new connection
 * @told: an INITXCH of ours has left
 * @upd: last UPDXCH of the server
 * @nr_upd: how many came
 * @listening: REQXCH and UPDXCH of the server are kept for the script
 * @hears_all: even those that ask for nothing, which else are answered at once
 * @unconfirmed: UPDXCHs since we have last answered anything
 * @heard: those that it has not awaited yet
 * @heard_xid: xid of the last one that it has awaited
 * @asked: what the last REQXCH of the server's asked for
 * @reverse: takes the server's reverse Calls, or NULL where none may come;
 *	returns what is wrong, or NULL
 * @got: last answer that was as wanted, taken apart
 * @got_opt: its optinfo
 * @sent: last message sent
 * @sent_hdr: the same taken apart
 * @sent_ok: it could be taken apart
 */
struct cli {
	struct conn *c;
	struct result *r;
	u32 xid;
	u32 xid_step;
	struct chars peer;
	struct layout peer_lay;
	struct layout lay;
	u32 grant;
	u32 limit;
	bool negotiated;
	bool hushed;
	bool v1;
	bool stained;
	bool told;
	struct upd upd;
	unsigned int nr_upd;
	bool listening;
	bool hears_all;
	unsigned int unconfirmed;
	struct heard heard;
	u32 heard_xid;
	struct req asked;
	const char *(*reverse)(struct cli *s, const struct rmsg *m,
			       const struct hdr *h);
	struct hdr got;
	u8 got_opt[256];
	struct buf sent;
	struct hdr sent_hdr;
	bool sent_ok;
};

int cli_open(struct cli *s, struct result *r, unsigned int flags);
int cli_open_lay(struct cli *s, struct result *r, unsigned int flags,
		 const char *lay);
void cli_close(struct cli *s);
struct rmsg *cli_wait(struct cli *s, int ms);
void cli_fail(struct cli *s, const char *what, const struct rmsg *got);
int cli_step(struct cli *s, const char *tmpl, const char *want);
int cli_null(struct cli *s, u32 vers);
void cli_nulls(struct cli *s, u32 n);
void cli_hear(struct cli *s, const struct rmsg *m);

int cli_judge(struct cli *s, struct rmsg *m, u32 xid, const char *want);
bool cli_word(struct cli *s, const char *w, const struct rmsg *m,
	      const struct hdr *h);
bool cli_matches(struct cli *s, const char *want, const struct rmsg *m);
bool cli_holds(struct cli *s, const char *want);

int cli_script(struct cli *s, const char *script);
int cli_own_script(struct cli *s, const char *script);
bool cli_own(struct cli *s, const char *what, const char *want);
int on_server(const char *text);
int own_set(const char *name, int value);

int run_reverse(struct cli *s, const struct cli_case *k);
int run_rev_long(struct cli *s, const struct cli_case *k);
void run_unanswered(struct cli *s);
void run_beside_reqxch(struct cli *s);
void run_no_back_channel(struct cli *s);
void run_brs_none_between(struct cli *s);
int explain_cli(const void *what);
int flood_main(void);
int deaf_main(void);
int many_main(void);

void witness_start(void);
void witness_stop(void);
void witness_ask(struct result *r);

extern const struct cli_case cases_base[], cases_fixed[], cases_chunks[],
	cases_error[], cases_optional[], cases_chars[], cases_xchg[],
	cases_ask[], cases_inval[], cases_reverse[], cases_credit[],
	cases_cli_place[], cases_cli_cont[], cases_rev_cont[],
	cases_later[], cases_queue[], cases_rev_resp[], cases_mixed[];
extern const unsigned int nr_cases_rev_cont, nr_cases_base, nr_cases_fixed, nr_cases_chunks,
	nr_cases_error, nr_cases_optional, nr_cases_chars, nr_cases_xchg,
	nr_cases_ask, nr_cases_inval, nr_cases_reverse, nr_cases_credit,
	nr_cases_cli_place, nr_cases_cli_cont, nr_cases_later, nr_cases_queue,
	nr_cases_rev_resp, nr_cases_mixed;

/*
 * Pieces of messages. MSG and NOMSG end before rdma_inv_handle, OPT before
 * rdma_optdir, OPTR before rdma_opttype, INIT before
 * the optinfo.
 */
#define MSG	"x 2 20 0 0 "
#define NOMSG	"x 2 20 1 0 "
#define LISTS	"0 0 0 "
#define NULLMSG	MSG "0 " LISTS "null "
#define MSGV1	"x 1 20 0 "
#define NULLV1	MSGV1 LISTS "null "
#define INIT	"x 2 20 5 0 1 "
#define OPT	"x 2 20 5 "
#define OPTR	"x 2 20 5 1 "

#endif /* PEER_CLIENT_H */
