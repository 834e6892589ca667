/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RPC-over-RDMA version 2: what can be set. settings.c says what each means, and
 * between which limits.
 *
 * Written at any time: read with READ_ONCE(), once for each use.
 */

#ifndef _RPCRDMA2_SETTINGS_H
#define _RPCRDMA2_SETTINGS_H

struct dentry;

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

unsigned int xprt_rdma2_place_pages(void);
unsigned int rpcrdma2_server_placement_pages(void);
void rpcrdma2_settings_init(struct dentry *dir);
void rpcrdma2_settings_cleanup(void);

#endif /* _RPCRDMA2_SETTINGS_H */
