/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Server role: the kernel mounts from the peer. A case says how the client's
 * INITXCH is answered, and which later reply is replaced by something else.
 *
 * @probe and @reply are lists of messages in the language of tmpl.h, parted
 * by semicolons; x is the xid of the message they answer. "pause" in such a
 * list sends nothing for a second, "close" closes the connection.
 */
#ifndef PEER_SERVER_H
#define PEER_SERVER_H

#include "app.h"
#include "conn.h"
#include "nfs3.h"
#include "peer.h"

/* What a case expects beside errno and error code */
enum {
	S_V1	 = 1 << 0,	/* calls come in version 1 in the end */
	S_DISC	 = 1 << 1,	/* the client closes, and comes again */
	S_NOMNT	 = 1 << 2,	/* the mount must fail */
	S_ONCE	 = 1 << 3,	/* @probe is for the first connection only */
	S_BACK	 = 1 << 4,	/* the client must answer a CALL INITXCH */
	S_ANYERR = 1 << 5,	/* the operation may end well or by EIO */
	S_HOLD	 = 1 << 6,	/* let READs pile up before answering */
	S_ALWAYS = 1 << 7,	/* spoil every reply while @op runs */
	S_MAYDISC = 1 << 8,	/* the connection may end */
	S_SERIES = 1 << 9,	/* a series: repeat @op for every length */
};

struct srv;

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
};

#define MAX_SCONN	16
#define MAX_HELD	128

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
 * @peer: characteristics of the client
 * @peer_limit: longest Send it takes
 * @own_limit: longest Send it may use
 * @held: calls not yet answered
 * @nr_held: how many
 * @held_at: when the last of them came
 * @dead: its end was noticed
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
	struct chars peer;
	u32 peer_limit;
	u32 own_limit;
	struct rmsg *held[MAX_HELD];
	unsigned int nr_held;
	u64 held_at;
	bool dead;
};

/**
 * struct srv - the peer as a server, for one case
 * @k: the case
 * @r: its result
 * @l: where RDMA connections arrive
 * @mount_fd: where TCP connections for MOUNT arrive
 * @mount_conn: such connections
 * @port: port of @l
 * @mount_port: port of @mount_fd
 * @sc: connections
 * @nr_sc: how many there ever were
 * @armed: the next matching reply is spoiled
 * @spoiled: how many were
 * @spoiled_xid: xid of the last call of them
 * @repeats: later calls with that xid
 * @cut: length to cut the spoiled reply to, 0 for none
 * @grant: credits given in honest replies
 * @back: code of the last ERROR from the client
 * @nr_back: how many ERRORs came
 * @nr_answers: INITXCHs in REPLY direction that came
 * @old_handle: a handle the client used and has done with
 * @first: first message that the client ever sent
 * @req: an RPC call made whole
 * @rep: the reply to it
 * @out: message being built
 * @tmp: another one
 * @dir: mount point
 */
struct srv {
	const struct srv_case *k;
	struct result *r;
	struct listener *l;
	int mount_fd;
	int mount_conn[8];
	int port;
	int mount_port;
	struct sconn sc[MAX_SCONN];
	unsigned int nr_sc;
	bool armed;
	unsigned int spoiled;
	u32 spoiled_xid;
	unsigned int repeats;
	size_t cut;
	u32 grant;
	u32 back;
	unsigned int nr_back;
	unsigned int nr_answers;
	u32 old_handle;
	struct buf first;
	struct buf req;
	struct nfs3_reply rep;
	struct buf out;
	struct buf tmp;
	char dir[128];
};

int mountd_open(struct srv *s);
void mountd_poll(struct srv *s);
void mountd_close(struct srv *s);

void srv_accept(struct srv *s);
void srv_poll(struct srv *s);
void srv_close(struct srv *s);
struct sconn *srv_current(struct srv *s);

extern const struct srv_case cases_negotiation[], cases_reply[],
	cases_srv_error[], cases_srv_optional[];
extern const unsigned int nr_cases_negotiation, nr_cases_reply,
	nr_cases_srv_error, nr_cases_srv_optional;

#define HONEST_PROBE	"x 2 20 5 1 1 [ 2 1 4 1000 2 4 0 1 3 ]"

#endif /* PEER_SERVER_H */
