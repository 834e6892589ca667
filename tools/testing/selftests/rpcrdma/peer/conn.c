// SPDX-License-Identifier: GPL-2.0
/*
 * Connections on librdmacm and libibverbs.
 *
 * Nothing blocks but the functions named wait: the caller polls, so that one
 * thread serves every connection and sees each event in order.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conn.h"

#define WR_SEND		(1ull << 32)
#define WR_RECV		(2ull << 32)
#define WR_OP		(3ull << 32)
#define WR_KIND		(3ull << 32)

#define CONNECT_MS	60000

/*
 * The accepting end of siw looks for data only some time after it has said
 * that the connection is up: what comes in between lies there until more does.
 */
#define IWARP_US	50000

/*
 * Some providers hand the kernel's flag word through unchanged, in which
 * "with invalidate" is the bit that user space calls IBV_WC_IP_CSUM_OK.
 * Neither rxe nor siw checks a header sum on a reliable connection.
 */
#define WC_INVALIDATED	(IBV_WC_WITH_INV | IBV_WC_IP_CSUM_OK)

#define MEM_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | \
			 IBV_ACCESS_REMOTE_WRITE)

/**
 * pinned_alloc - memory to be registered
 * @len: how much
 *
 * A fork() would have to copy what is pinned; the processes that the peer
 * starts do without.
 *
 * Return: the memory, or NULL.
 */
static void *pinned_alloc(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, len, MADV_DONTFORK);
	return p;
}

/**
 * pinned_free - undo pinned_alloc()
 * @p: the memory, or NULL
 * @len: how much
 */
static void pinned_free(void *p, size_t len)
{
	if (p)
		munmap(p, len);
}

/**
 * conn_end - note that a connection has ended
 * @c: the connection
 * @why: how
 */
static void conn_end(struct conn *c, const char *why)
{
	if (!c->gone)
		c->why = why;
	c->gone = true;
	c->up = false;
}

/**
 * seg_stride - memory that a segment of a receive takes
 * @lay: the layout
 * @j: which segment
 *
 * A receive in one piece, as most have it, stays as it is.
 *
 * Return: bytes.
 */
static size_t seg_stride(const struct layout *lay, u32 j)
{
	if (lay->nsegs == 1)
		return lay->total;
	return ((lay->seg[j].len + PLT_ALIGN - 1) & -PLT_ALIGN) + PLT_ALIGN;
}

/**
 * recv_seg - find a segment of a receive
 * @c: the connection
 * @i: which receive
 * @j: which segment
 *
 * Return: where it is.
 */
static u8 *recv_seg(struct conn *c, u32 i, u32 j)
{
	u8 *p = c->rbuf + i * c->stride;
	u32 k;

	for (k = 0; k < j; k++)
		p += seg_stride(c->o.lay, k);
	return p;
}

/**
 * conn_layout - find out how much memory the receives take
 * @c: the connection
 */
static void conn_layout(struct conn *c)
{
	u32 j;

	if (c->o.lay) {
		c->own = *c->o.lay;
	} else {
		c->own.nsegs = 1;
		c->own.total = c->o.recv_size;
		c->own.seg[0].len = c->o.recv_size;
	}
	c->o.lay = &c->own;
	for (j = 0; j < c->o.lay->nsegs; j++)
		c->stride += seg_stride(c->o.lay, j);
}

/**
 * conn_post_recv - post one receive
 * @c: the connection
 * @i: which of its buffers
 *
 * Return: 0 or a negative value.
 */
static int conn_post_recv(struct conn *c, u32 i)
{
	struct ibv_sge sge[MAX_LAY];
	struct ibv_recv_wr wr = {
		.wr_id = WR_RECV | i, .sg_list = sge,
		.num_sge = c->o.lay->nsegs,
	}, *bad;
	u32 j;

	for (j = 0; j < c->o.lay->nsegs; j++) {
		sge[j].addr = (uintptr_t)recv_seg(c, i, j);
		sge[j].length = c->o.lay->seg[j].len;
		sge[j].lkey = c->rmr->lkey;
	}
	return ibv_post_recv(c->id->qp, &wr, &bad) ? -1 : 0;
}

/**
 * conn_make_qp - give a CM id its queues, with all receives posted
 * @c: the connection
 *
 * Return: 0, or -1.
 */
static int conn_make_qp(struct conn *c)
{
	struct ibv_qp_init_attr a = {
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.cap = {
			.max_send_wr = NR_SEND + 64,
			.max_recv_wr = c->o.nr_recv + 1,
			.max_send_sge = 1,
			.max_recv_sge = c->o.lay->nsegs,
		},
	};
	size_t rlen = c->o.nr_recv * c->stride;
	u32 i;

	c->pd = ibv_alloc_pd(c->id->verbs);
	c->cq = ibv_create_cq(c->id->verbs, NR_SEND + 128 + c->o.nr_recv,
			      NULL, NULL, 0);
	if (!c->pd || !c->cq)
		return -1;
	a.send_cq = c->cq;
	a.recv_cq = c->cq;
	if (rdma_create_qp(c->id, c->pd, &a))
		return -1;
	c->rbuf = pinned_alloc(rlen);
	c->sbuf = pinned_alloc(c->o.nr_send * SEND_SIZE);
	if (!c->rbuf || !c->sbuf)
		return -1;
	c->rmr = ibv_reg_mr(c->pd, c->rbuf, rlen, IBV_ACCESS_LOCAL_WRITE);
	c->smr = ibv_reg_mr(c->pd, c->sbuf, c->o.nr_send * SEND_SIZE,
			    IBV_ACCESS_LOCAL_WRITE);
	if (!c->rmr || !c->smr)
		return -1;
	for (i = 0; i < c->o.nr_recv; i++)
		if (conn_post_recv(c, i))
			return -1;
	return 0;
}

/**
 * conn_alloc - an empty connection
 * @o: how it is to be made
 *
 * Return: the connection.
 */
static struct conn *conn_alloc(const struct conn_opts *o)
{
	struct conn *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->o = *o;
	if (!c->o.nr_send)
		c->o.nr_send = NR_SEND;
	conn_layout(c);
	c->rx_tail = &c->rx;
	return c;
}

/**
 * conn_param - parameters of connect and accept
 * @c: the connection
 *
 * RNR is not retried unless asked for: a receive that is missing shall be seen.
 *
 * Return: the parameters.
 */
static struct rdma_conn_param conn_param(struct conn *c)
{
	struct rdma_conn_param p = {
		.private_data = c->o.priv,
		.private_data_len = c->o.priv_len,
		.responder_resources = 4,
		.initiator_depth = 4,
		.retry_count = 7,
		.rnr_retry_count = c->o.rnr_retry,
	};

	return p;
}

/**
 * conn_channel - make an event channel that does not block
 *
 * Return: the channel, or NULL.
 */
static struct rdma_event_channel *conn_channel(void)
{
	struct rdma_event_channel *ec = rdma_create_event_channel();

	if (ec)
		fcntl(ec->fd, F_SETFL, fcntl(ec->fd, F_GETFL) | O_NONBLOCK);
	return ec;
}

/**
 * conn_expect - wait for a CM event while connecting
 * @c: the connection
 * @want: the event
 * @why: gets what came instead
 *
 * Return: 0, or -1.
 */
static int conn_expect(struct conn *c, enum rdma_cm_event_type want,
		       const char **why)
{
	u64 end = now_ms() + CONNECT_MS;
	struct rdma_cm_event *ev;
	enum rdma_cm_event_type got;

	while (rdma_get_cm_event(c->ec, &ev)) {
		if (now_ms() > end) {
			*why = "timeout while connecting";
			return -1;
		}
		nap();
	}
	nap_short();
	got = ev->event;
	rdma_ack_cm_event(ev);
	if (got == want)
		return 0;
	*why = rdma_event_str(got);
	return -1;
}

/**
 * conn_is_iwarp - tell the kind of the device
 * @c: the connection
 *
 * Return: true for iWARP, of which siw is the one at hand.
 */
bool conn_is_iwarp(struct conn *c)
{
	return c->id->verbs->device->transport_type == IBV_TRANSPORT_IWARP;
}

/**
 * conn_open - connect to a server
 * @host: its address
 * @port: its port
 * @o: how
 * @why: gets the reason of a failure
 *
 * Return: the connection, or NULL.
 */
struct conn *conn_open(const char *host, int port, const struct conn_opts *o,
		       const char **why)
{
	struct conn *c = conn_alloc(o);
	struct rdma_conn_param p;
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(port),
	};

	*why = "no RDMA device or no route";
	if (inet_pton(AF_INET, host, &to.sin_addr) != 1)
		goto fail;
	c->ec = conn_channel();
	if (!c->ec || rdma_create_id(c->ec, &c->id, c, RDMA_PS_TCP))
		goto fail;
	if (rdma_resolve_addr(c->id, NULL, (struct sockaddr *)&to, 3000) ||
	    conn_expect(c, RDMA_CM_EVENT_ADDR_RESOLVED, why))
		goto fail;
	if (rdma_resolve_route(c->id, 3000) ||
	    conn_expect(c, RDMA_CM_EVENT_ROUTE_RESOLVED, why))
		goto fail;
	*why = "no queue pair";
	if (conn_make_qp(c))
		goto fail;
	p = conn_param(c);
	*why = "rdma_connect";
	if (rdma_connect(c->id, &p) ||
	    conn_expect(c, RDMA_CM_EVENT_ESTABLISHED, why))
		goto fail;
	c->up = true;
	*why = NULL;
	if (conn_is_iwarp(c))
		usleep(IWARP_US);
	return c;
fail:
	conn_close(c);
	return NULL;
}

/**
 * mem_free - undo conn_mem()
 * @m: the memory
 */
static void mem_free(struct mem *m)
{
	if (m->mr)
		ibv_dereg_mr(m->mr);
	pinned_free(m->p, MEM_SIZE);
}

/**
 * conn_close - end a connection and free all of it
 * @c: the connection, or NULL
 */
void conn_close(struct conn *c)
{
	struct rmsg *m;
	int i;

	if (!c)
		return;
	if (c->id && c->id->qp) {
		rdma_disconnect(c->id);
		if (c->up)
			conn_wait_gone(c, 500);
	}
	/* A bound window holds the queue pair; rxe waits for it in vain. */
	for (i = 0; i < NR_MEM; i++)
		if (c->mem[i].mw)
			ibv_dealloc_mw(c->mem[i].mw);
	if (c->id && c->id->qp)
		rdma_destroy_qp(c->id);
	for (i = 0; i < NR_MEM; i++)
		mem_free(&c->mem[i]);
	if (c->rmr)
		ibv_dereg_mr(c->rmr);
	if (c->smr)
		ibv_dereg_mr(c->smr);
	if (c->cq)
		ibv_destroy_cq(c->cq);
	if (c->pd)
		ibv_dealloc_pd(c->pd);
	if (c->id)
		rdma_destroy_id(c->id);
	if (c->ec)
		rdma_destroy_event_channel(c->ec);
	while ((m = conn_take(c)))
		free(m);
	pinned_free(c->rbuf, c->o.nr_recv * c->stride);
	pinned_free(c->sbuf, c->o.nr_send * SEND_SIZE);
	free(c);
}

/**
 * conn_disconnect - end a connection from our side
 * @c: the connection
 */
void conn_disconnect(struct conn *c)
{
	rdma_disconnect(c->id);
}

/**
 * conn_events - take the CM events of a connection
 * @c: the connection
 */
static void conn_events(struct conn *c)
{
	struct rdma_cm_event *ev;

	while (!rdma_get_cm_event(c->ec, &ev)) {
		nap_short();
		switch (ev->event) {
		case RDMA_CM_EVENT_ESTABLISHED:
			c->up = true;
			break;
		case RDMA_CM_EVENT_TIMEWAIT_EXIT:
			break;
		default:
			conn_end(c, rdma_event_str(ev->event));
		}
		rdma_ack_cm_event(ev);
	}
}

/**
 * recv_copy - take the bytes of a receive
 * @c: the connection
 * @i: which receive
 * @to: gets the bytes
 * @len: how many there are
 */
static void recv_copy(struct conn *c, u32 i, u8 *to, size_t len)
{
	const struct lay_seg *g = c->o.lay->seg;
	size_t n;
	u32 j;

	for (j = 0; len && j < c->o.lay->nsegs; j++) {
		n = len < g[j].len ? len : g[j].len;
		memcpy(to, recv_seg(c, i, j), n);
		to += n;
		len -= n;
	}
}

/**
 * conn_got - keep a message that came
 * @c: the connection
 * @wc: its completion
 */
static void conn_got(struct conn *c, const struct ibv_wc *wc)
{
	u32 i = wc->wr_id;
	struct rmsg *m = malloc(sizeof(*m) + wc->byte_len);

	if (!m)
		abort();
	m->next = NULL;
	m->len = wc->byte_len;
	m->inval = wc->wc_flags & WC_INVALIDATED;
	m->inval_rkey = m->inval ? wc->invalidated_rkey : 0;
	recv_copy(c, i, m->data, m->len);
	*c->rx_tail = m;
	c->rx_tail = &m->next;
	c->rx_count++;
	if (!c->gone && !c->deaf)
		conn_post_recv(c, i);
}

/**
 * conn_hear - post all receives of a connection that is deaf
 * @c: the connection; all of its receives have been used
 */
void conn_hear(struct conn *c)
{
	u32 i;

	c->deaf = false;
	for (i = 0; i < c->o.nr_recv; i++)
		conn_post_recv(c, i);
}

/**
 * conn_failed - note a completion that is not a success
 * @c: the connection
 * @wc: the completion
 */
static void conn_failed(struct conn *c, const struct ibv_wc *wc)
{
	if (wc->status != IBV_WC_WR_FLUSH_ERR && !c->bad_status)
		c->bad_status = wc->status;
	conn_end(c, ibv_wc_status_str(wc->status));
}

/**
 * conn_poll - take what has happened to a connection
 * @c: the connection
 */
void conn_poll(struct conn *c)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(c->cq, 1, &wc) > 0) {
		nap_short();
		if (wc.status) {
			conn_failed(c, &wc);
			continue;
		}
		switch (wc.wr_id & WR_KIND) {
		case WR_RECV:
			conn_got(c, &wc);
			break;
		case WR_SEND:
			c->send_done++;
			break;
		case WR_OP:
			c->ops_done++;
		}
	}
	conn_events(c);
}

/**
 * send_slot - wait for room for a message
 * @c: the connection
 *
 * Return: where it goes, or -1.
 */
static int send_slot(struct conn *c)
{
	u64 end = now_ms() + OP_MS;

	while (c->sent - c->send_done >= c->o.nr_send && !c->gone) {
		conn_poll(c);
		if (now_ms() > end)
			return -1;
		nap();
	}
	return c->gone ? -1 : (int)(c->sent % c->o.nr_send);
}

/**
 * conn_send - send a message
 * @c: the connection
 * @p: its bytes
 * @len: how many
 * @inv: handle to invalidate at the other end, or NULL
 *
 * Return: 0, or -1 if it cannot be posted.
 */
int conn_send(struct conn *c, const void *p, size_t len, const u32 *inv)
{
	int i = len > SEND_SIZE ? -1 : send_slot(c);
	struct ibv_send_wr *wr;
	u8 *to;

	if (i < 0)
		return -1;
	wr = &c->wr[i];
	to = c->sbuf + (size_t)i * SEND_SIZE;
	memcpy(to, p, len);
	c->sge[i] = (struct ibv_sge) {
		.addr = (uintptr_t)to, .length = len, .lkey = c->smr->lkey,
	};
	*wr = (struct ibv_send_wr) {
		.wr_id = WR_SEND | i, .sg_list = &c->sge[i],
		.num_sge = len ? 1 : 0,
		.opcode = inv ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	if (inv) {
		wr->invalidate_rkey = *inv;
		/* from where the library of siw takes it */
		wr->wr.rdma.rkey = *inv;
	}
	if (c->kept)
		c->wr[(i + c->o.nr_send - 1) % c->o.nr_send].next = wr;
	c->kept++;
	c->sent++;
	return c->cork ? 0 : conn_uncork(c);
}

/**
 * post_at_once - post Sends so that nothing is handled between them
 * @c: the connection
 * @wr: the first one
 * @bad: where the first one goes that cannot be posted
 *
 * siw sends each on its own, and the kernel's end may be on this machine: its
 * handlers wait for a process that has real-time priority.
 *
 * Return: 0 or an errno.
 */
static int post_at_once(struct conn *c, struct ibv_send_wr *wr,
			struct ibv_send_wr **bad)
{
	static const struct sched_param first = { .sched_priority = 1 };
	static const struct sched_param usual;
	int rc;

	if (wr->next)
		sched_setscheduler(0, SCHED_FIFO, &first);
	rc = ibv_post_send(c->id->qp, wr, bad);
	if (wr->next)
		sched_setscheduler(0, SCHED_OTHER, &usual);
	return rc;
}

/**
 * conn_uncork - send at once what was kept back
 * @c: the connection
 *
 * Return: 0, or -1 if it cannot be posted.
 */
int conn_uncork(struct conn *c)
{
	u32 first = (c->sent - c->kept) % c->o.nr_send;
	struct ibv_send_wr *bad = &c->wr[first];
	unsigned int kept = c->kept;

	c->cork = false;
	c->kept = 0;
	if (!kept || !post_at_once(c, &c->wr[first], &bad))
		return 0;
	for (; bad; bad = bad->next)
		c->sent--;
	return -1;
}

/**
 * conn_can_window - tell whether the device has memory windows
 * @c: the connection
 *
 * Return: true if it has windows of type 2, the only user-space memory some
 * devices let the other end invalidate.
 */
bool conn_can_window(struct conn *c)
{
	struct ibv_device_attr a;

	return !ibv_query_device(c->id->verbs, &a) &&
	       a.device_cap_flags & (IBV_DEVICE_MEM_WINDOW_TYPE_2A |
				     IBV_DEVICE_MEM_WINDOW_TYPE_2B);
}

/**
 * mem_window - put a memory window on registered memory
 * @c: the connection
 * @m: the memory
 *
 * Return: 0, or -1.
 */
static int mem_window(struct conn *c, struct mem *m)
{
	struct ibv_send_wr wr = {
		.wr_id = WR_OP, .opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;
	unsigned long done = c->ops_done;

	m->mw = ibv_alloc_mw(c->pd, IBV_MW_TYPE_2);
	if (!m->mw)
		return -1;
	wr.bind_mw.mw = m->mw;
	wr.bind_mw.rkey = ibv_inc_rkey(m->mw->rkey);
	wr.bind_mw.bind_info.mr = m->mr;
	wr.bind_mw.bind_info.addr = (uintptr_t)m->p;
	wr.bind_mw.bind_info.length = MEM_SIZE;
	wr.bind_mw.bind_info.mw_access_flags =
		IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
	if (ibv_post_send(c->id->qp, &wr, &bad) || conn_wait_op(c, done))
		return -1;
	m->rkey = wr.bind_mw.rkey;
	return 0;
}

/**
 * conn_mem - memory for chunks, registered when first asked for
 * @c: the connection
 * @i: which
 *
 * Return: the memory, or NULL.
 */
struct mem *conn_mem(struct conn *c, int i)
{
	struct mem *m = &c->mem[i];
	bool window;

	if (m->p)
		return m;
	window = conn_can_window(c);
	m->p = pinned_alloc(MEM_SIZE);
	if (!m->p)
		abort();
	m->mr = ibv_reg_mr(c->pd, m->p, MEM_SIZE,
			   MEM_ACCESS | (window ? IBV_ACCESS_MW_BIND : 0));
	if (!m->mr)
		return NULL;
	m->rkey = m->mr->rkey;
	if (window && mem_window(c, m))
		return NULL;
	return m;
}

/**
 * conn_rdma - read or write the other end's memory, and wait for it
 * @c: the connection
 * @write: RDMA Write rather than Read
 * @i: which of our memory
 * @at: where in it
 * @len: how many bytes
 * @rkey: the other end's handle
 * @raddr: the other end's address
 *
 * Return: 0, or -1.
 */
int conn_rdma(struct conn *c, bool write, int i, size_t at, u32 len,
	      u32 rkey, u64 raddr)
{
	struct mem *m = conn_mem(c, i);
	unsigned long done = c->ops_done;
	struct ibv_sge sge;
	struct ibv_send_wr wr = {
		.wr_id = WR_OP, .sg_list = &sge, .num_sge = 1,
		.opcode = write ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;

	if (!len)
		return 0;
	if (!m || at > MEM_SIZE || len > MEM_SIZE - at)
		return -1;
	sge.addr = (uintptr_t)m->p + at;
	sge.length = len;
	sge.lkey = m->mr->lkey;
	wr.wr.rdma.remote_addr = raddr;
	wr.wr.rdma.rkey = rkey;
	if (c->gone || ibv_post_send(c->id->qp, &wr, &bad))
		return -1;
	return conn_wait_op(c, done);
}

/**
 * listen_open - listen for clients
 * @port: on which port
 * @why: gets the reason of a failure
 *
 * Return: the listener, or NULL.
 */
struct listener *listen_open(int port, const char **why)
{
	struct listener *l = calloc(1, sizeof(*l));
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(port),
	};

	if (!l)
		abort();
	*why = "cannot listen";
	l->ec = conn_channel();
	if (!l->ec || rdma_create_id(l->ec, &l->id, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(l->id, (struct sockaddr *)&at) ||
	    rdma_listen(l->id, 16)) {
		listen_close(l);
		return NULL;
	}
	*why = NULL;
	return l;
}

/**
 * listen_close - stop listening
 * @l: the listener
 */
void listen_close(struct listener *l)
{
	if (!l)
		return;
	if (l->id)
		rdma_destroy_id(l->id);
	if (l->ec)
		rdma_destroy_event_channel(l->ec);
	free(l);
}

/**
 * accept_one - accept a connection request
 * @id: its CM id
 * @o: how
 * @why: gets the reason of a failure
 *
 * Return: the connection, or NULL.
 */
static struct conn *accept_one(struct rdma_cm_id *id,
			       const struct conn_opts *o, const char **why)
{
	struct conn *c = conn_alloc(o);
	struct rdma_conn_param p;

	c->id = id;
	c->ec = conn_channel();
	if (!c->ec || rdma_migrate_id(id, c->ec) || conn_make_qp(c)) {
		*why = "no queue pair for a new connection";
		conn_close(c);
		return NULL;
	}
	p = conn_param(c);
	p.responder_resources = RDMA_MAX_RESP_RES;
	p.initiator_depth = RDMA_MAX_INIT_DEPTH;
	if (rdma_accept(id, &p)) {
		*why = "rdma_accept";
		conn_close(c);
		return NULL;
	}
	return c;
}

/**
 * listen_accept - accept a connection if one is waiting
 * @l: the listener
 * @o: how to accept it
 * @why: gets the reason of a failure, else untouched
 *
 * Return: the connection, or NULL.
 */
struct conn *listen_accept(struct listener *l, const struct conn_opts *o,
			   const char **why)
{
	struct rdma_cm_event *ev;
	struct rdma_cm_id *id;
	enum rdma_cm_event_type type;

	if (rdma_get_cm_event(l->ec, &ev))
		return NULL;
	nap_short();
	id = ev->id;
	type = ev->event;
	rdma_ack_cm_event(ev);
	if (type != RDMA_CM_EVENT_CONNECT_REQUEST)
		return NULL;
	return accept_one(id, o, why);
}
