// SPDX-License-Identifier: GPL-2.0
/*
 * RPC-over-RDMA version 2: all connections, since what people set is of interest to
 * all of them.
 */

#include <linux/list.h>
#include <linux/spinlock.h>

#include "conn.h"

/* Protects the lists below; taken before cn_lock */
static DEFINE_SPINLOCK(rpcrdma2_conns_lock);

/* The records of each end */
static struct list_head rpcrdma2_conns[] = {
	[RPCRDMA2_CLIENT] = LIST_HEAD_INIT(rpcrdma2_conns[RPCRDMA2_CLIENT]),
	[RPCRDMA2_SERVER] = LIST_HEAD_INIT(rpcrdma2_conns[RPCRDMA2_SERVER]),
};

/**
 * rpcrdma2_conn_add - let people see a connection, and have it see what they set
 * @conn: record; must live until rpcrdma2_conn_remove() returns
 * @end: which end it is seen from
 *
 * Context: process context, may sleep
 */
void rpcrdma2_conn_add(struct rpcrdma2_conn *conn, enum rpcrdma2_end end)
{
	spin_lock(&rpcrdma2_conns_lock);
	list_add_tail(&conn->cn_list, &rpcrdma2_conns[end]);
	spin_unlock(&rpcrdma2_conns_lock);
	rpcrdma2_debugfs_add(conn, end);
}

/**
 * rpcrdma2_conn_remove - undo rpcrdma2_conn_add()
 * @conn: record
 *
 * Context: may sleep; waits for readers and writers of debugfs
 */
void rpcrdma2_conn_remove(struct rpcrdma2_conn *conn)
{
	rpcrdma2_debugfs_remove(conn);
	spin_lock(&rpcrdma2_conns_lock);
	list_del(&conn->cn_list);
	spin_unlock(&rpcrdma2_conns_lock);
}

/**
 * rpcrdma2_conns_stir - the administrator has set something about Receives
 * @end: at which end
 * @own_recv: length that Receives are to have by his will
 *
 * Context: process context
 */
void rpcrdma2_conns_stir(enum rpcrdma2_end end, u32 own_recv)
{
	struct rpcrdma2_conn *conn;

	spin_lock(&rpcrdma2_conns_lock);
	list_for_each_entry(conn, &rpcrdma2_conns[end], cn_list)
		rpcrdma2_conn_stir(conn, own_recv);
	spin_unlock(&rpcrdma2_conns_lock);
}
