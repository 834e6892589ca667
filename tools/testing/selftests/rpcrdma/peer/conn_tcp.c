// SPDX-License-Identifier: GPL-2.0
/*
 * Connections without RDMA: a TCP connection carries the Sends, and what RDMA
 * Read and Write would move. With it in the place of conn.c the two roles of
 * the peer try each other on any machine.
 *
 * Receives are never missing here, and nothing can be invalidated.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conn.h"

#define ROOM		(1u << 20)

enum { F_SEND = 1, F_READ, F_WRITE, F_DATA, F_DONE };

/**
 * struct frame - what stands in front of bytes on the TCP connection
 * @kind: F_*
 * @len: bytes that follow, or that are asked for
 * @rkey: handle of the memory meant
 * @inv: a message invalidates that
 * @addr: and address in it
 */
struct frame {
	u32 kind, len, rkey, inv;
	u64 addr;
};

/**
 * struct tcp - a connection
 * @c: what the others see
 * @fd: its socket
 * @in: bytes that came
 * @have: how many
 * @into: where the answer to an RDMA Read goes
 */
struct tcp {
	struct conn c;
	int fd;
	u8 *in;
	size_t have;
	u8 *into;
};

/**
 * of - the connection behind what the others see
 * @c: what they see
 *
 * Return: the connection.
 */
static struct tcp *of(struct conn *c)
{
	return (struct tcp *)c;
}

/**
 * ended - note that a connection has ended
 * @c: the connection
 * @why: how
 */
static void ended(struct conn *c, const char *why)
{
	if (!c->gone)
		c->why = why;
	c->gone = true;
	c->up = false;
	shutdown(of(c)->fd, SHUT_RDWR);
}

/**
 * put_bytes - write bytes to the socket
 * @c: the connection
 * @p: the bytes
 * @len: how many
 */
static void put_bytes(struct conn *c, const void *p, size_t len)
{
	struct pollfd pfd = { .fd = of(c)->fd, .events = POLLOUT };
	ssize_t n;

	while (len && !c->gone) {
		n = send(of(c)->fd, p, len, MSG_NOSIGNAL);
		if (n > 0) {
			p = (const u8 *)p + n;
			len -= n;
		} else if (errno != EAGAIN || poll(&pfd, 1, OP_MS) < 1) {
			ended(c, "connection lost");
		}
	}
}

/**
 * put_frame - write a frame and its bytes
 * @c: the connection
 * @f: the frame
 * @p: the bytes, or NULL
 */
static void put_frame(struct conn *c, const struct frame *f, const void *p)
{
	put_bytes(c, f, sizeof(*f));
	if (p)
		put_bytes(c, p, f->len);
}

/**
 * named - find memory that a frame names
 * @c: the connection
 * @f: the frame
 *
 * Return: the memory, or NULL if the connection ended for it.
 */
static u8 *named(struct conn *c, const struct frame *f)
{
	int i;

	for (i = 0; i < NR_MEM; i++) {
		u64 at = f->addr - (uintptr_t)c->mem[i].p;

		if (c->mem[i].p && c->mem[i].rkey == f->rkey &&
		    at <= MEM_SIZE && f->len <= MEM_SIZE - at)
			return c->mem[i].p + at;
	}
	ended(c, "remote access error");
	return NULL;
}

/**
 * invalidated - put memory out of the other end's reach, as that has asked for
 * @c: the connection
 * @rkey: its handle
 *
 * Return: true if there is such memory; else the connection has ended.
 */
static bool invalidated(struct conn *c, u32 rkey)
{
	int i;

	for (i = 0; i < NR_MEM; i++)
		if (c->mem[i].p && c->mem[i].rkey == rkey) {
			c->mem[i].rkey += 0x10000;
			return true;
		}
	ended(c, "no memory to invalidate");
	return false;
}

/**
 * got_message - keep a message that came
 * @c: the connection
 * @f: its frame
 * @p: its bytes
 */
static void got_message(struct conn *c, const struct frame *f, const u8 *p)
{
	u32 len = f->len;
	struct rmsg *m = calloc(1, sizeof(*m) + len);

	if (!m)
		abort();
	if (len > c->own.total) {
		free(m);
		ended(c, "Send longer than the receive");
		return;
	}
	if (f->inv && !invalidated(c, f->rkey)) {
		free(m);
		return;
	}
	m->len = len;
	m->inval = f->inv;
	m->inval_rkey = f->rkey;
	memcpy(m->data, p, len);
	*c->rx_tail = m;
	c->rx_tail = &m->next;
	c->rx_count++;
}

/**
 * got_frame - take a frame
 * @c: the connection
 * @f: the frame
 * @p: the bytes behind it
 */
static void got_frame(struct conn *c, const struct frame *f, const u8 *p)
{
	struct frame back = { .len = f->len };
	u8 *m;

	switch (f->kind) {
	case F_SEND:
		got_message(c, f, p);
		break;
	case F_READ:
		back.kind = F_DATA;
		m = named(c, f);
		if (m)
			put_frame(c, &back, m);
		break;
	case F_WRITE:
		back.kind = F_DONE;
		back.len = 0;
		m = named(c, f);
		if (!m)
			break;
		memcpy(m, p, f->len);
		put_frame(c, &back, NULL);
		break;
	case F_DATA:
		memcpy(of(c)->into, p, f->len);
		/* fall through */
	case F_DONE:
		c->ops_done++;
	}
}

/**
 * take_frames - take all frames that are complete
 * @c: the connection
 */
static void take_frames(struct conn *c)
{
	struct tcp *t = of(c);
	struct frame f;
	size_t size;

	while (t->have >= sizeof(f) && !c->gone) {
		memcpy(&f, t->in, sizeof(f));
		size = sizeof(f) + (f.kind == F_READ ? 0 : f.len);
		if (t->have < size)
			return;
		got_frame(c, &f, t->in + sizeof(f));
		t->have -= size;
		memmove(t->in, t->in + size, t->have);
	}
}

/**
 * conn_poll - take what has happened to a connection
 * @c: the connection
 */
void conn_poll(struct conn *c)
{
	struct tcp *t = of(c);
	ssize_t n;

	while (!c->gone) {
		n = read(t->fd, t->in + t->have, ROOM - t->have);
		if (n < 0 && errno == EAGAIN)
			break;
		if (n <= 0) {
			ended(c, "the other end has closed");
			break;
		}
		nap_short();
		t->have += n;
		take_frames(c);
	}
}

/**
 * make - make a connection of a socket
 * @fd: the socket
 * @o: how
 *
 * Return: the connection.
 */
static struct conn *make(int fd, const struct conn_opts *o)
{
	struct tcp *t = calloc(1, sizeof(*t));
	int one = 1;

	if (!t)
		abort();
	t->fd = fd;
	t->in = malloc(ROOM);
	t->c.o = *o;
	t->c.rx_tail = &t->c.rx;
	if (o->lay)
		t->c.own = *o->lay;
	else
		t->c.own.total = o->recv_size;
	t->c.up = true;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return &t->c;
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
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(port),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*why = "connect";
	if (inet_pton(AF_INET, host, &to.sin_addr) == 1 &&
	    !connect(fd, (struct sockaddr *)&to, sizeof(to))) {
		*why = NULL;
		return make(fd, o);
	}
	close(fd);
	return NULL;
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
	close(of(c)->fd);
	while ((m = conn_take(c)))
		free(m);
	for (i = 0; i < NR_MEM; i++)
		free(c->mem[i].p);
	free(of(c)->in);
	free(c);
}

/**
 * conn_disconnect - end a connection from our side
 * @c: the connection
 */
void conn_disconnect(struct conn *c)
{
	ended(c, "closed");
}

/**
 * conn_send - send a message
 * @c: the connection
 * @p: its bytes
 * @len: how many
 * @inv: the handle that is invalidated, or NULL
 *
 * Return: 0, or -1 if the connection has ended.
 */
int conn_send(struct conn *c, const void *p, size_t len, const u32 *inv)
{
	struct frame f = {
		.kind = F_SEND, .len = len, .inv = !!inv, .rkey = inv ? *inv : 0,
	};

	if (len > SEND_SIZE || c->gone)
		return -1;
	put_frame(c, &f, p);
	c->sent++;
	c->send_done++;
	return c->gone ? -1 : 0;
}

/**
 * conn_uncork - nothing is ever kept back here
 * @c: the connection
 *
 * Return: 0.
 */
int conn_uncork(struct conn *c)
{
	c->cork = false;
	return 0;
}

/**
 * conn_mem - memory for chunks
 * @c: the connection
 * @i: which
 *
 * Return: the memory.
 */
struct mem *conn_mem(struct conn *c, int i)
{
	struct mem *m = &c->mem[i];

	if (m->p)
		return m;
	m->p = calloc(1, MEM_SIZE);
	if (!m->p)
		abort();
	m->rkey = 0x1000 + 0x111 * i;
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
	struct frame f = {
		.kind = write ? F_WRITE : F_READ, .len = len, .rkey = rkey,
		.addr = raddr,
	};
	struct mem *m = conn_mem(c, i);
	unsigned long done = c->ops_done;

	if (!len)
		return 0;
	if (at > MEM_SIZE || len > MEM_SIZE - at)
		return -1;
	of(c)->into = m->p + at;
	put_frame(c, &f, write ? m->p + at : NULL);
	return conn_wait_op(c, done);
}

/**
 * conn_is_iwarp - tell the kind of the device
 * @c: the connection
 *
 * Return: false.
 */
bool conn_is_iwarp(struct conn *c)
{
	return false;
}

/**
 * conn_can_window - tell whether the device has memory windows
 * @c: the connection
 *
 * Return: false.
 */
bool conn_can_window(struct conn *c)
{
	return false;
}

/* Where connections arrive; the fields of struct listener stay unused */
static int listen_fd = -1;

/**
 * listen_open - listen for clients
 * @port: on which port
 * @why: gets the reason of a failure
 *
 * Return: the listener, or NULL.
 */
struct listener *listen_open(int port, const char **why)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int one = 1;

	*why = "cannot listen";
	listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
			   0);
	setsockopt(listen_fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listen_fd, (struct sockaddr *)&at, sizeof(at)) ||
	    listen(listen_fd, 16))
		return NULL;
	*why = NULL;
	return calloc(1, sizeof(struct listener));
}

/**
 * listen_close - stop listening
 * @l: the listener
 */
void listen_close(struct listener *l)
{
	close(listen_fd);
	free(l);
}

/**
 * listen_accept - accept a connection if one is waiting
 * @l: the listener
 * @o: how to accept it
 * @why: untouched
 *
 * Return: the connection, or NULL.
 */
struct conn *listen_accept(struct listener *l, const struct conn_opts *o,
			   const char **why)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);

	return fd < 0 ? NULL : make(fd, o);
}

/**
 * conn_hear - post all receives of a connection that is deaf
 * @c: the connection; over TCP there is always room
 */
void conn_hear(struct conn *c)
{
	c->deaf = false;
}
