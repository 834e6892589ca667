/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: what client and server share beyond the wire.
 */

#ifndef _RPCRDMA2_CONN_H
#define _RPCRDMA2_CONN_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/seqlock.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/sunrpc/sched.h>
#include <linux/sunrpc/xprt.h>
#include <linux/sunrpc/rpc_rdma2.h>

#include "ledger.h"
#include "codec.h"
#include "assembly.h"
#include "exchange.h"

struct dentry;
struct file_operations;
struct seq_file;

/* Receives kept for the peer's one-way control messages, for refusals of our
 * own, and for the answer to the one control Call of our own that may
 * be outstanding.
 */
enum {
	RPCRDMA2_CTRL_RECVS	= 2 + RPCRDMA2_MAX_UNCONFIRMED + 1,
	/* The longest Receive that can be asked for, in bytes */
	RPCRDMA2_MAX_RECV	= 65536,
	/* The longest Receive and the longest Send, in bytes */
	RPCRDMA2_MAX_INLINE	= 65536 + 4096,
	/* Pages behind the head segment of a Receive, at most: on large pages there
	 * would be more of them than a message has bytes for
	 */
	RPCRDMA2_MAX_PLT_PAGES	= (RPCRDMA2_MAX_RECV - 1) / PAGE_SIZE + 1,
	/* The longest of our ROPT_REQXCH, RESPXCH and UPDXCH, in bytes */
	RPCRDMA2_MAX_CTRL	= 512,
};

/* Connections: conn.c */

enum rpcrdma2_end { RPCRDMA2_CLIENT, RPCRDMA2_SERVER };

/* What has happened to the memory of a connection */
enum rpcrdma2_memory_event {
	RPCRDMA2_MEMORY_ADMITTED,	/* somebody has authenticated */
	RPCRDMA2_MEMORY_GROWN,		/* it has use for more, and gets what there is */
	RPCRDMA2_MEMORY_FAILED,		/* what it got could not all be allocated */
	RPCRDMA2_MEMORY_SHRUNK,		/* it is to have fewer credits */
	RPCRDMA2_MEMORY_LOWERED,	/* it goes back to short Receives */
	RPCRDMA2_MEMORY_CLOSED,		/* it is closed for the sake of its memory */
	RPCRDMA2_MEMORY_DRY,		/* its peer has used up all Receives; it is closed */
};

/* How a connection came by its version; rpcrdma2_why_names[] has it in words */
enum rpcrdma2_why {
	RPCRDMA2_WHY_UNSETTLED = 0,
	RPCRDMA2_WHY_DISABLED,
	RPCRDMA2_WHY_DEVICE,
	RPCRDMA2_WHY_INITXCH,
	RPCRDMA2_WHY_BASE,
	RPCRDMA2_WHY_ERR_VERS,
	RPCRDMA2_WHY_LOST,
	RPCRDMA2_WHY_SILENT,
	RPCRDMA2_WHY_ASSUMED,
	RPCRDMA2_WHY_PEER,
};

enum rpcrdma2_counter {
#define COUNTER(number, ...)	RPCRDMA2_CNT_##number,
#include "conn_counters.h"
#undef COUNTER
	RPCRDMA2_NR_COUNTERS
};

extern const char * const rpcrdma2_why_names[];
extern const char * const rpcrdma2_counter_names[];

/**
 * struct rpcrdma2_conn - a connection as an administrator sees it
 * @cn_lock: protects @cn_version, @cn_why, @cn_xch and @cn_report, and what it has of
 *	the memory for Receives; process context only. No lock of this
 *	module is taken inside but bu_lock. What else is shown is written without it,
 *	by one context at a time, and by WRITE_ONCE(); so is @cn_version, which the
 *	hot path reads
 * @cn_version: 1 or 2; 0 while not settled
 * @cn_why: how it came by that
 * @cn_low: lowest version the peer named in ERR_VERS
 * @cn_high: highest version the peer named in ERR_VERS
 * @cn_grant: forward credits last granted (server) or received (client)
 * @cn_reverse_grant: reverse credits last received (server) or granted
 * @cn_reverse_used: reverse Calls without a reply
 * @cn_reverse_most: the most there have been at once
 * @cn_given_up: Calls of this end that nobody waits for, and that hold credits
 * @cn_xch: characteristics of both ends, and changes of them under way
 * @cn_seq: lets @cn_xch be read without @cn_lock. What is read so, and all that
 *	rpcrdma2_conn_change_begin() and rpcrdma2_conn_change_end() have between
 *	them, is written nowhere else. Who keeps what he has looked up there keeps
 *	this number with it, and asks rpcrdma2_conn_unchanged(). The barriers are
 *	those of seqcounts: the ones of writers pair with those of readers
 * @cn_place: whether data is placed, in words; NULL if there is nothing to say
 * @cn_cont: whether messages take several transmissions, likewise
 * @cn_place_kb: memory of Receives that is charged to a budget, in kB
 * @cn_reported: a report was sent or received; @cn_report is the last one
 * @cn_report_sent: it was sent
 * @cn_report: what it says
 * @cn_kick: has what @cn_xch wishes for sent by somebody else; called with
 *	@cn_lock held; NULL if there is no connection
 * @cn_show: shows more of it, with @cn_lock held; NULL if there is no more
 * @cn_counts: events
 * @cn_list: in the list of all records of this end
 * @cn_dir: debugfs folder
 * @cn_name: name of the peer
 *
 * The client keeps one for each transport and starts it anew with every
 * connection; the server has one for each connection.
 */
struct rpcrdma2_conn {
	spinlock_t		cn_lock;	/* see above */
	u32			cn_version;
	enum rpcrdma2_why	cn_why;
	u32			cn_low;
	u32			cn_high;
	u32			cn_grant;
	u32			cn_reverse_grant;
	u32			cn_reverse_used;
	u32			cn_reverse_most;
	u32			cn_given_up;
	struct rpcrdma2_xch	cn_xch;
	seqcount_spinlock_t	cn_seq;		/* see above */

	const char		*cn_place;
	const char		*cn_cont;
	u32			cn_place_kb;
	bool			cn_reported;
	bool			cn_report_sent;
	struct rpcrdma2_repterr	cn_report;
	void			(*cn_kick)(struct rpcrdma2_conn *conn);
	void			(*cn_show)(struct rpcrdma2_conn *conn,
					   struct seq_file *seq);
	atomic_long_t		cn_counts[RPCRDMA2_NR_COUNTERS]
					____cacheline_aligned_in_smp;
	struct list_head	cn_list;
	struct dentry		*cn_dir;
	char			cn_name[64];
};

static inline void rpcrdma2_count(struct rpcrdma2_conn *conn,
				  enum rpcrdma2_counter which)
{
	atomic_long_inc(&conn->cn_counts[which]);
}

static inline void rpcrdma2_count_bytes(struct rpcrdma2_conn *conn,
					enum rpcrdma2_counter which,
					unsigned long bytes)
{
	if (bytes)
		atomic_long_add(bytes, &conn->cn_counts[which]);
}

/* Are characteristics what they were? @seen: @cn_seq at the time when they were
 * looked up. Context: Any context. Returns true if nothing has happened to them
 * since.
 */
static inline bool rpcrdma2_conn_unchanged(const struct rpcrdma2_conn *conn,
					   unsigned int seen)
{
	return !read_seqcount_retry(&conn->cn_seq, seen);
}

/* Tell what was announced from what will be. Returns the epoch of a Call that is
 * prepared from now on, for xprt_rdma2_confirm().
 */
static inline u32 rpcrdma2_conn_epoch(const struct rpcrdma2_conn *conn)
{
	/* Pairs with the release in rpcrdma2_xch_sent() */
	return smp_load_acquire(&conn->cn_xch.xc_epoch);
}

void rpcrdma2_conn_init(struct rpcrdma2_conn *conn, const char *name);
void rpcrdma2_conn_add(struct rpcrdma2_conn *conn, enum rpcrdma2_end end);
void rpcrdma2_conn_remove(struct rpcrdma2_conn *conn);
void rpcrdma2_conns_stir(enum rpcrdma2_end end, u32 own_recv);
void rpcrdma2_conn_reset(struct rpcrdma2_conn *conn);
void rpcrdma2_conn_set_version(struct rpcrdma2_conn *conn, u32 version,
			       enum rpcrdma2_why why);
void rpcrdma2_conn_change_begin(struct rpcrdma2_conn *conn);
void rpcrdma2_conn_change_end(struct rpcrdma2_conn *conn);
bool rpcrdma2_conn_initxch(struct rpcrdma2_conn *conn, const void *buf,
			   struct rpcrdma2_msg *msg);
bool rpcrdma2_conn_reqxch(struct rpcrdma2_conn *conn, const void *buf,
			  struct rpcrdma2_msg *msg,
			  struct rpcrdma2_respxch *resp);
void rpcrdma2_conn_answered(struct rpcrdma2_conn *conn);
bool rpcrdma2_conn_respxch(struct rpcrdma2_conn *conn, const void *buf,
			   struct rpcrdma2_msg *msg);
bool rpcrdma2_conn_updxch(struct rpcrdma2_conn *conn, const void *buf,
			  struct rpcrdma2_msg *msg);
u32 rpcrdma2_conn_error(struct rpcrdma2_conn *conn, const struct rpcrdma2_msg *msg);
void rpcrdma2_conn_local(struct rpcrdma2_conn *conn, struct rpcrdma2_xchars *local);
bool rpcrdma2_conn_progress(struct rpcrdma2_conn *conn, u32 own_recv);
bool rpcrdma2_conn_report_begin(struct rpcrdma2_conn *conn,
				const struct rpcrdma2_repterr *fault);
void rpcrdma2_conn_report_end(struct rpcrdma2_conn *conn,
			      const struct rpcrdma2_repterr *fault, bool sent);
u32 rpcrdma2_conn_send_limit(const struct rpcrdma2_conn *conn);
u32 rpcrdma2_conn_peer_value(const struct rpcrdma2_conn *conn, u32 n);
u32 rpcrdma2_conn_peer_struct(const struct rpcrdma2_conn *conn,
			      struct rpcrdma2_rbstruct *rb);
bool rpcrdma2_conn_due(const struct rpcrdma2_conn *conn);
bool rpcrdma2_conn_next(struct rpcrdma2_conn *conn, __be32 xid,
			struct rpcrdma2_ctrl *ctrl);
void rpcrdma2_conn_sent(struct rpcrdma2_conn *conn,
			const struct rpcrdma2_ctrl *ctrl, bool sent);
void rpcrdma2_conn_reverse_used(struct rpcrdma2_conn *conn, u32 used);
void rpcrdma2_count_error(struct rpcrdma2_conn *conn, u32 code, bool sent);
void rpcrdma2_conn_reported(struct rpcrdma2_conn *conn,
			    const struct rpcrdma2_repterr *rep, bool sent);
void rpcrdma2_conn_drop(struct rpcrdma2_conn *conn, const struct rpcrdma2_msg *msg);

/* Make a received credit value usable. @conn: connection it came over. @credit:
 * rdma_credit as received. @max: what this end is able to use. Returns @credit,
 * at least 1 (D-14) and at most @max (N-07).
 */
static inline u32 rpcrdma2_clamp_credit(struct rpcrdma2_conn *conn,
					u32 credit, u32 max)
{
	if (!credit)
		rpcrdma2_count(conn, RPCRDMA2_CNT_ZERO_CREDITS);
	return clamp(credit, 1U, max_t(u32, max, 1));
}

/* Credits */
u32 rpcrdma2_cong_used(const struct rpc_xprt *xprt);
void rpcrdma2_cong_window(struct rpc_xprt *xprt, u32 credits);
bool rpcrdma2_cong_get(struct rpc_xprt *xprt, u32 credits);
void rpcrdma2_cong_put(struct rpc_xprt *xprt, u32 credits);
void rpcrdma2_cong_keep(struct rpc_rqst *rqst);
void rpcrdma2_cong_nudge(struct rpc_xprt *xprt);
void rpcrdma2_cong_unwanted(struct rpc_xprt *xprt, struct rpcrdma2_ledger *l);

/* debugfs: debugfs.c */

struct dentry *rpcrdma2_debugfs_init(void);
void rpcrdma2_debugfs_file(const char *name, void *data,
			   const struct file_operations *fops);
void rpcrdma2_debugfs_cleanup(void);

/* Settings: settings.c says what each means, and between which limits. They are written
 * at any time: read them with READ_ONCE(), once for each use.
 */

/* Client */
extern unsigned int rpcrdma2_client_max_version;
extern unsigned int rpcrdma2_client_probe_again;
extern unsigned int rpcrdma2_client_recv_size;
extern unsigned int rpcrdma2_client_max_recv_size;
extern unsigned int rpcrdma2_client_ask_size;
extern unsigned int xprt_rdma2_place_mem_kb;
extern unsigned int xprt_rdma2_eager;
extern unsigned int xprt_rdma2_write_min;
extern unsigned int xprt_rdma2_write_max;
extern unsigned int xprt_rdma2_read_min;
extern unsigned int xprt_rdma2_read_max;
extern unsigned int xprt_rdma2_hardware;
extern unsigned int xprt_rdma2_write_type;
extern unsigned int xprt_rdma2_read_type;
extern unsigned int xprt_rdma2_read_minlen;
extern unsigned int xprt_rdma2_read_dsdov;
extern unsigned int xprt_rdma2_read_ranges;
extern unsigned int xprt_rdma2_cont_requests;
extern unsigned int xprt_rdma2_cont_replies;
extern unsigned int xprt_rdma2_cont_callbacks;
extern unsigned int xprt_rdma2_cont_recvs;

/* Server */
extern unsigned int rpcrdma2_server_max_version;
extern unsigned int rpcrdma2_server_recv_size;
extern unsigned int rpcrdma2_server_max_recv_size;
extern unsigned int rpcrdma2_server_placement_mem_kb;
extern unsigned int rpcrdma2_server_eager;
extern unsigned int rpcrdma2_server_continuation_requests;
extern unsigned int rpcrdma2_server_continuation_replies;

/* Both */
extern unsigned int rpcrdma2_continuation_timeout;
extern unsigned int rpcrdma2_memory_interval;

unsigned int xprt_rdma2_place_pages(void);
unsigned int rpcrdma2_server_placement_pages(void);
void rpcrdma2_settings_init(struct dentry *dir);
void rpcrdma2_settings_cleanup(void);

/* Module: init.c */

#if IS_ENABLED(CONFIG_SUNRPC_XPRT_RDMA_V2)
void rpcrdma2_init(void);
void rpcrdma2_cleanup(void);
#else
static inline void rpcrdma2_init(void)
{
}

static inline void rpcrdma2_cleanup(void)
{
}
#endif

#endif /* _RPCRDMA2_CONN_H */
