/* SPDX-License-Identifier: GPL-2.0 */
/* One RDMA connection of the conformance peer, client or server side. */
#ifndef PEER_CONN_H
#define PEER_CONN_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include "layout.h"
#include "wire.h"

#define NR_MEM		8
#define MEM_SIZE	(256u << 10)
#define NR_SEND		16
#define SEND_SIZE	((size_t)80 << 10)
#define OP_MS		60000

/**
 * struct conn_opts - how to connect or accept
 * @recv_size: bytes of each posted receive
 * @lay: segments that a receive is made up of, each on pages of its own with a
 *	free page behind it; NULL for a single one
 * @nr_recv: how many are posted
 * @nr_send: messages there is room for that are being sent; 0 for NR_SEND
 * @rnr_retry: how often the other end tries again where none is, 7 for ever
 * @priv: CM private data
 * @priv_len: its length, 0 for none
 */
struct conn_opts {
	u32 recv_size;
	const struct layout *lay;
	u32 nr_recv;
	u32 nr_send;
	u8 rnr_retry;
	const void *priv;
	u8 priv_len;
};

/**
 * struct rmsg - a message received
 * @next: the one after it
 * @len: its length
 * @inval: it came by Send With Invalidate
 * @inval_rkey: the handle that was invalidated
 * @data: its bytes
 */
struct rmsg {
	struct rmsg *next;
	size_t len;
	bool inval;
	u32 inval_rkey;
	u8 data[];
};

/**
 * struct mem - memory offered to, or used towards, the other end
 * @p: the memory
 * @mr: its registration
 * @mw: a memory window on it, where the device has any
 * @rkey: the handle to put on the wire
 */
struct mem {
	u8 *p;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	u32 rkey;
};

/**
 * struct conn - a connection
 * @ec: its event channel
 * @id: its CM id
 * @pd: protection domain
 * @cq: completions of both queues
 * @o: how it was made
 * @own: layout of a receive
 * @stride: bytes of memory that each receive takes
 * @rbuf: the receives
 * @rmr: their registration
 * @sbuf: room for messages being sent
 * @smr: its registration
 * @sent: Sends posted so far
 * @send_done: Sends completed so far
 * @cork: Sends are kept until conn_uncork()
 * @kept: how many are
 * @wr: the Sends
 * @sge: where their bytes are
 * @ops_done: RDMA Reads, Writes and binds completed so far
 * @rx: first message received and not yet taken
 * @rx_tail: where the next one goes
 * @rx_count: messages received so far
 * @deaf: receives are not posted again
 * @up: established
 * @gone: the connection has ended
 * @why: how it ended
 * @bad_status: first completion status other than success or flush
 * @mem: memory of this connection
 */
struct conn {
	struct rdma_event_channel *ec;
	struct rdma_cm_id *id;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct conn_opts o;
	struct layout own;
	size_t stride;
	u8 *rbuf;
	struct ibv_mr *rmr;
	u8 *sbuf;
	struct ibv_mr *smr;
	unsigned long sent;
	unsigned long send_done;
	bool cork;
	unsigned int kept;
	struct ibv_send_wr wr[NR_SEND];
	struct ibv_sge sge[NR_SEND];
	unsigned long ops_done;
	struct rmsg *rx;
	struct rmsg **rx_tail;
	unsigned long rx_count;
	bool deaf;
	bool up;
	bool gone;
	const char *why;
	enum ibv_wc_status bad_status;
	struct mem mem[NR_MEM];
};

/**
 * struct listener - where connections arrive
 * @ec: its event channel
 * @id: its CM id
 */
struct listener {
	struct rdma_event_channel *ec;
	struct rdma_cm_id *id;
};

struct conn *conn_open(const char *host, int port, const struct conn_opts *o,
		       const char **why);
void conn_close(struct conn *c);
void conn_disconnect(struct conn *c);
void conn_poll(struct conn *c);
int conn_send(struct conn *c, const void *p, size_t len, const u32 *inv);
int conn_uncork(struct conn *c);
void conn_hear(struct conn *c);
struct rmsg *conn_wait(struct conn *c, int ms);
bool conn_wait_gone(struct conn *c, int ms);
bool conn_wait_sent(struct conn *c, int ms);
struct mem *conn_mem(struct conn *c, int i);
int conn_rdma(struct conn *c, bool write, int i, size_t at, u32 len,
	      u32 rkey, u64 raddr);
bool conn_is_iwarp(struct conn *c);
bool conn_can_window(struct conn *c);

struct listener *listen_open(int port, const char **why);
void listen_close(struct listener *l);
struct conn *listen_accept(struct listener *l, const struct conn_opts *o,
			   const char **why);

u64 now_ms(void);
void nap(void);
void nap_short(void);

/**
 * conn_take - take the oldest message received
 * @c: the connection
 *
 * Return: the message, the caller's to free, or NULL.
 */
static inline struct rmsg *conn_take(struct conn *c)
{
	struct rmsg *m = c->rx;

	if (!m)
		return NULL;
	c->rx = m->next;
	if (!c->rx)
		c->rx_tail = &c->rx;
	return m;
}

/**
 * conn_wait_op - wait for one more RDMA operation
 * @c: the connection
 * @done: how many had completed before it
 *
 * Return: 0, or -1 if it failed.
 */
static inline int conn_wait_op(struct conn *c, unsigned long done)
{
	u64 end = now_ms() + OP_MS;

	while (c->ops_done == done && !c->gone && now_ms() < end) {
		conn_poll(c);
		if (c->ops_done == done)
			nap();
	}
	return c->ops_done == done ? -1 : 0;
}

#endif /* PEER_CONN_H */
