/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Server role: the kernel mounts from the peer. A case says how the client's
 * INITXCH is answered, and which later reply is replaced by something else.
 *
 * @probe and @reply are lists of messages in the language of tmpl.h, parted
 * by semicolons; x is the xid of the message they answer. "pause" in such a
 * list sends nothing for a second, "close" closes the connection, and what is
 * between "together" and "pause", or the end, leaves in one go; with "answered"
 * instead of "pause" as many messages are waited for, or with "answered N" so many, and with
 * "await" or "await N" one, or N, since the message before was sent. "repeat N" has
 * all before it sent N times, unless the client closes the connection. Where a bar
 * parts several lists, the first is for the first connection, or reply, and so on;
 * the last one of @probe is for all that follow.
 */
#ifndef PEER_SERVER_H
#define PEER_SERVER_H

#include "app.h"
#include "conn.h"
#include "heard.h"
#include "nfs3.h"
#include "peer.h"
#include "tmpl.h"

/* What a case expects beside errno and error code */
enum {
	S_V1	 = 1 << 0,	/* calls come in version 1 in the end */
	S_DISC	 = 1 << 1,	/* the client closes, and comes again */
	S_NOMNT	 = 1 << 2,	/* the mount must fail */
	S_BACK	 = 1 << 4,	/* the client must answer a CALL INITXCH */
	S_ANYERR = 1 << 5,	/* the operation may end well or by EIO */
	S_HOLD	 = 1 << 6,	/* let READs pile up before answering */
	S_ALWAYS = 1 << 7,	/* spoil every reply while @op runs */
	S_MAYDISC = 1 << 8,	/* the connection may end */
	S_SERIES = 1 << 9,	/* a series: repeat @op for every length */
	S_V41	 = 1 << 11,	/* NFSv4.1: its callback service is there */
	S_ANYBACK = 1 << 10,	/* the client may send any ERROR */
	S_RT	 = 1 << 12,	/* with placement, where RTRSUPP is advertised */
	S_CONT	 = 1 << 13,	/* likewise, where it has XCONT */
	S_ROOM	 = 1 << 14,	/* only for calls that leave replies two Sends */
	S_ACL	 = 1 << 15,	/* the mount knows NFSACL */
	S_RACE	 = 1 << 16,	/* @op may fail if its Call is sent again */
	S_CHUNKS = 1 << 17,	/* the client places nothing: its data goes by chunks */
};

struct srv;
struct group;

/**
 * struct srv_case - a case of the server role
 * @name: its name
 * @ids: the ids it covers
 * @probe: answer to INITXCH, NULL for the honest one, "" for none
 * @op: operations on the mount (see app_do()), parted by blanks
 * @proc: NFSv3 procedure whose reply is spoiled
 * @reply: what is sent for it; NULL spoils nothing
 * @want: errno of the last of @op
 * @back: code of the ERROR the client must send, 0 if none
 * @flags: S_*
 * @check: more to look at when the rest is done
 * @answers: WANTs, see want.h, of all messages the client must send beside
 *	calls, parted by semicolons; instead of @back
 * @grant: credits given in honest replies, 0 for the usual
 * @steps: see steps.c; instead of @op, @reply and @answers
 * @lay: our receives and INITXCH if placed data is taken, as text, see
 *	layout_init()
 * @how: HOW_* of honest replies
 * @need: USED_* that an honest reply must be, or the case is skipped
 * @reads: T_* of the targets in the client's READs, 0 for what it chooses
 * @io: rsize and wsize of the mount, 0 for the usual
 * @patience: seconds that a group may take, 0 for the usual
 * @knobs: what the file server does
 */
struct srv_case {
	const char *name;
	const char *ids;
	const char *probe;
	const char *op;
	u32 proc;
	const char *reply;
	int want;
	u32 back;
	unsigned int flags;
	void (*check)(struct srv *s);
	const char *answers;
	u32 grant;
	const char *steps;
	const char *lay;
	u32 how;
	u32 need;
	u32 reads;
	u32 io;
	u32 patience;
	struct nfs3_knobs knobs;
};

/**
 * struct seen - what came by XMTREQ since the last operation began
 * @requests: XMTREQs
 * @base: calls by MSG and NOMSG
 * @items: their items, by T_*
 * @targets: their targets, by T_*
 * @replies: items of honest replies, by T_*
 * @again: XMTREQs with the xid of one whose reply was spoiled
 * @count: transmissions of the last one
 * @rsbuf: what the last one said of replies
 */
struct seen {
	unsigned int requests, base;
	unsigned int items[8], targets[8], replies[8];
	unsigned int again;
	u32 count, rsbuf;
};

#define MAX_SCONN	16
#define MAX_HELD	128
#define MAX_OPEN	256
#define MAX_SENT	64
#define MAX_MORE	8

/**
 * struct sconn - a connection from the client
 * @c: the connection
 * @vers: version that was agreed, 0 before
 * @probing: an INITXCH waits for its answer
 * @told: we have sent a sound INITXCH
 * @probe_at: when it came
 * @probe_xid: its xid
 * @nr_msg: messages received on it
 * @nr_call: RPC calls among them
 * @nr_offers: calls of version 2 among these that offer memory
 * @nr_nominated: those of them that name some of it for invalidation
 * @peer: characteristics of the client
 * @peer_limit: longest Send it takes
 * @own_limit: longest Send it may use
 * @next_limit: the same from the next operation on
 * @open: xids of the calls that were not answered yet
 * @order: for each of these, how many calls came before it
 * @nr_open: how many
 * @nr_call_sent: calls, and transmissions of them, that have come
 * @owed: credits of groups that we refused, until a later call is answered
 * @owed_order: such a call
 * @grant: most credits ever granted, 1 before any grant
 * @granted: there was a grant
 * @last_grant: the last one
 * @unconfirmed: UPDXCHs since we have last answered anything
 * @held: calls kept back on purpose, or the last transmissions of such
 * @held_grp: these, where there are several
 * @nr_held: how many
 * @held_at: when the last of them came
 * @lay: layout of our receives, empty if we told of none
 * @peer_lay: layout of the client's, empty likewise
 * @grp: transmissions of a message that is not complete
 * @open_group: there are some
 * @called_back: reverse Calls were made by it
 * @drain: what a broken group has left is thrown away
 * @shut: we closed it
 * @dead: its end was noticed
 * @said_at: when we last sent anything
 * @dead_at: when its end was noticed
 */
struct sconn {
	struct conn *c;
	u32 vers;
	bool probing;
	bool told;
	u64 probe_at;
	u32 probe_xid;
	unsigned int nr_msg;
	unsigned int nr_call;
	unsigned int nr_offers;
	unsigned int nr_nominated;
	struct chars peer;
	u32 peer_limit;
	u32 own_limit;
	u32 next_limit;
	u32 open[MAX_OPEN];
	unsigned int order[MAX_OPEN];
	unsigned int nr_open;
	unsigned int nr_call_sent;
	unsigned int owed;
	unsigned int owed_order;
	u32 grant;
	bool granted;
	u32 last_grant;
	unsigned int unconfirmed;
	struct rmsg *held[MAX_HELD];
	struct group *held_grp[MAX_HELD];
	unsigned int nr_held;
	u64 held_at;
	struct layout lay;
	struct layout peer_lay;
	struct group *grp;
	bool open_group;
	bool called_back;
	bool drain;
	bool shut;
	bool dead;
	u64 said_at;
	u64 dead_at;
};

/**
 * struct sent - what an answer to a message of ours has to repeat
 * @xid: its xid
 * @vers: its version
 * @inv: the handle that a reverse Call nominates, or 0
 * @call: it is a reverse Call
 * @xmt: by XMTREQ
 */
struct sent {
	u32 xid, vers, inv;
	bool call, xmt;
};

/**
 * struct tally - what has come about in a case so far
 * @armed: the next matching reply is spoiled
 * @spoiled: how many were
 * @spoiled_xid: xid of the last call of them
 * @repeats: later calls with that xid
 * @nexts: later calls of that procedure with the xid that comes next
 * @cut: length to cut the spoiled reply to, 0 for none
 * @nr_back: how many ERRORs came
 * @back: code of the last ERROR from the client
 * @back_xid: its xid
 * @nr_answers: INITXCHs in REPLY direction that came
 * @nr_reverse: reverse replies that came
 * @nr_long: Long Calls that came
 * @nr_offers: Calls that came with a Reply chunk
 * @pending: changes that the client's RESPXCHs have left pending
 * @nr_upd: UPDXCHs that came
 * @longest: longest Send of the client's in version 2
 * @old_handle: a handle the client used and has done with
 * @old_addr: the address that went with it
 * @nr_reports: REPTERRs that came
 * @seen: what came by XMTREQ
 */
struct tally {
	bool armed;
	unsigned int spoiled;
	u32 spoiled_xid;
	unsigned int repeats;
	unsigned int nexts;
	size_t cut;
	unsigned int nr_back;
	u32 back;
	u32 back_xid;
	unsigned int nr_answers;
	unsigned int nr_reverse;
	unsigned int nr_long;
	unsigned int nr_offers;
	unsigned int pending;
	unsigned int nr_upd;
	size_t longest;
	u32 old_handle;
	u64 old_addr;
	unsigned int nr_reports;
	struct seen seen;
};

/**
 * struct srv - the peer as a server, for one case
 * @k: the case
 * @r: its result
 * @t: what has come about in it
 * @l: where RDMA connections arrive
 * @mount_fd: where TCP connections for MOUNT arrive
 * @mount_conn: such connections
 * @port: port of @l
 * @mount_port: port of @mount_fd
 * @sc: connections
 * @nr_sc: how many there ever were
 * @grant: credits given in honest replies
 * @sent: the messages last sent
 * @nr_sent: how many there ever were
 * @answers: WANTs not yet met
 * @asked: what our last REQXCH asked for
 * @keeps: calls are put aside, until a step has them answered
 * @keeps_groups: but only those of several transmissions
 * @hears_all: REQXCHs that ask for nothing are kept for the steps, too
 * @heard: messages of the client's own accord that no step has awaited yet
 * @told: xid of the last one that was awaited
 * @step_xid: for xids of our own in steps
 * @used: what the last honest reply is, USED_*, or T_* of its first item
 * @take: takes messages that are no Calls before all others do, or NULL; returns
 *	true for those that it has dealt with
 * @finish: answers Calls instead of srv_finish(), or NULL
 * @notes: is told of each message before it is sent, or NULL
 * @serving: another peer is served
 * @stained: what was sent rules out to go on with this mount
 * @first: first message that the client ever sent
 * @req: an RPC call made whole
 * @rep: the reply to it
 * @out: message being built
 * @more: transmissions that follow it
 * @nr_more: how many
 * @tmp: another one
 * @dir: mount point
 * @timeo: tenths of a second until the client repeats a Call; an operation that gets no
 *	answer fails after twice that
 * @came: calls of each procedure of NFSv3 that came
 * @came_len: length of the last READ or WRITE
 */
struct srv {
	const struct srv_case *k;
	struct result *r;
	struct tally t;
	struct listener *l;
	int mount_fd;
	int mount_conn[8];
	int port;
	int mount_port;
	struct sconn sc[MAX_SCONN];
	unsigned int nr_sc;
	u32 grant;
	struct sent sent[MAX_SENT];
	unsigned int nr_sent;
	const char *answers;
	struct req asked;
	bool keeps;
	bool keeps_groups;
	bool hears_all;
	struct heard heard;
	u32 told;
	u32 step_xid;
	u32 used;
	bool (*take)(struct srv *s, struct sconn *sc, const struct rmsg *m,
		     const struct hdr *h);
	void (*finish)(struct srv *s, struct sconn *sc, const struct hdr *h,
		       struct tmpl_env *env);
	void (*notes)(const struct buf *b);
	bool serving;
	bool stained;
	struct buf first;
	struct buf req;
	struct nfs3_reply rep;
	struct buf out;
	struct buf more[MAX_MORE];
	u32 nr_more;
	struct buf tmp;
	char dir[128];
	unsigned int timeo;
	unsigned int came[NFS3_PROCS];
	u32 came_len;
};

void srv_fault(struct srv *s, const struct rmsg *m, const char *what);
const char *srv_check(struct sconn *sc, const struct rmsg *m, struct hdr *h);
const char *srv_call_open(struct sconn *sc, u32 xid);
void srv_call_close(struct sconn *sc, const struct buf *b);
const struct sent *srv_find_sent(struct srv *s, const struct hdr *h, bool call);
bool srv_answers_us(struct srv *s, const struct hdr *h);
void srv_wanted(struct srv *s, const struct rmsg *m, const struct hdr *h);

void srv_send(struct srv *s, struct sconn *sc, const struct buf *b);
void srv_list(struct srv *s, struct sconn *sc, const char *list,
	      const struct tmpl_env *env,
	      void (*sent)(struct sconn *sc, const struct buf *b));
bool srv_alternative(const char *lists, unsigned int i, char *out, size_t size);

int srv_push(struct sconn *sc, struct chunk *ch, const u8 *p, u32 len);
void srv_answer(struct srv *s, struct sconn *sc, const struct rmsg *m,
		const struct hdr *h);
void srv_finish(struct srv *s, struct sconn *sc, const struct hdr *h,
		struct tmpl_env *env);
bool srv_hold(struct srv *s, struct sconn *sc, struct rmsg *m,
	      struct group *g);
void srv_release(struct srv *s, struct sconn *sc);
bool srv_message(struct srv *s, struct sconn *sc, struct rmsg *m);

int mountd_open(struct srv *s);
void mountd_poll(struct srv *s);
void mountd_close(struct srv *s);

void srv_poll(struct srv *s);
void srv_close(struct srv *s);
void sconn_close(struct sconn *sc);
int serve_main(void);
void srv_late_write(struct srv *s, u32 handle);

extern int next_port;
extern int mountd_port;

/* Instead of srv_op(), where there is no hand on the client; or NULL */
extern int (*srv_watch)(struct srv *s, const char *op);

void srv_mounted(struct srv *s);
bool srv_sharable(const struct srv_case *k);
void srv_begin(struct srv *s, const struct srv_case *k, struct result *r);
int srv_open(struct srv *s, const struct srv_case *k, struct result *r);
int srv_mount(struct srv *s);
void srv_mount_options(const struct srv *s, char *opts, size_t size);
void srv_forget_dead(struct srv *s);
void srv_free(struct srv *s);
int srv_app(struct srv *s, const char *op, const char *opts);
int srv_op(struct srv *s, const char *op, int want);
const char *srv_err_text(int err);
void srv_clean_up(void);
int explain_srv(const void *what);
const struct role *server_role(void);
int flood_server(void);
int fuzz_server(void);

void srv_steps(struct srv *s);
void steps_start(void);
void steps_reset(void);
void steps_placement(bool on);
void steps_read_type(u32 type);
void steps_patience(u32 seconds);
void steps_short(bool on);

/* The newest connection, or NULL */
static inline struct sconn *srv_current(struct srv *s)
{
	return s->nr_sc ? &s->sc[s->nr_sc - 1] : NULL;
}

extern const struct srv_case cases_negotiation[], cases_reply[],
	cases_srv_error[], cases_srv_optional[], cases_srv_xchg[],
	cases_srv_ask[], cases_srv_reverse[], cases_srv_credit[],
	cases_srv_place[], cases_srv_cont[], cases_srv_later[],
	cases_srv_rev_group[], cases_srv_v1[];
extern const unsigned int nr_cases_negotiation, nr_cases_reply,
	nr_cases_srv_error, nr_cases_srv_optional, nr_cases_srv_xchg,
	nr_cases_srv_ask, nr_cases_srv_reverse, nr_cases_srv_credit,
	nr_cases_srv_place, nr_cases_srv_cont, nr_cases_srv_later,
	nr_cases_srv_rev_group, nr_cases_srv_v1;

#define HONEST_PROBE	"x 2 20 5 1 1 [ 2 1 4 1000 2 4 0 1 3 ]"

#endif /* PEER_SERVER_H */
