// SPDX-License-Identifier: GPL-2.0
/* Waiting, for both kinds of connections. */
#include "conn.h"

/**
 * conn_wait - wait for a message
 * @c: the connection
 * @ms: how long at most
 *
 * Return: the message, the caller's to free, or NULL if none came or the
 * connection ended first.
 */
struct rmsg *conn_wait(struct conn *c, int ms)
{
	u64 end = now_ms() + ms;

	for (;;) {
		conn_poll(c);
		if (c->rx)
			return conn_take(c);
		if (c->gone || now_ms() >= end)
			return NULL;
		nap();
	}
}

/**
 * conn_wait_gone - wait for the other end to close
 * @c: the connection
 * @ms: how long at most
 *
 * Return: true if the connection ended.
 */
bool conn_wait_gone(struct conn *c, int ms)
{
	u64 end = now_ms() + ms;

	while (!c->gone && now_ms() < end) {
		conn_poll(c);
		nap();
	}
	return c->gone;
}

/**
 * conn_wait_sent - wait until every Send has completed
 * @c: the connection
 * @ms: how long at most
 *
 * Return: true if all completed well.
 */
bool conn_wait_sent(struct conn *c, int ms)
{
	u64 end = now_ms() + ms;

	while (c->send_done < c->sent && !c->gone && now_ms() < end) {
		conn_poll(c);
		nap();
	}
	return c->send_done == c->sent;
}
