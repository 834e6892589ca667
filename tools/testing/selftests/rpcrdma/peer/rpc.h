/* SPDX-License-Identifier: GPL-2.0 */
/* ONC RPC and NFS messages that the conformance peer sends as a client. */
#ifndef PEER_RPC_H
#define PEER_RPC_H

#include "wire.h"

#define RPC_PROG_NFS		100003
#define RPC_PROG_MOUNT		100005
#define RPC_PROG_NFSACL		100227
#define RPC_PROG_CALLBACK	0x40000000

/* accept_stat, and what rpc_result() adds to it */
enum {
	RPC_SUCCESS = 0, RPC_PROG_UNAVAIL = 1, RPC_PROG_MISMATCH = 2,
	RPC_PROC_UNAVAIL = 3, RPC_GARBAGE_ARGS = 4, RPC_SYSTEM_ERR = 5,
	RPC_DENIED = 100, RPC_UNDECODABLE = 101,
};

extern const char *nfs_path;

u32 rpc_next_xid(u32 xid);
void rpc_head(struct buf *b, u32 xid, u32 mtype, u32 vers, u32 proc,
	      bool sys);
u32 rpc_look_up(struct buf *b, const char *path, size_t len);
size_t rpc_folder(void);
void rpc_null(struct buf *b, u32 xid, u32 mtype);
void rpc_callback(struct buf *b, u32 xid);
void rpc_callback_tag(struct buf *b, u32 xid, u32 len);
void rpc_read(struct buf *b, u32 xid, u32 nr, const u32 *off_len);
void rpc_write(struct buf *b, u32 xid, u32 off, u32 len, bool inline_data);
void rpc_bad(struct buf *b, u32 xid, const char *how);
void rpc_write_getattr(struct buf *b, u32 xid, u32 off, u32 len);
void rpc_write_twice(struct buf *b, u32 xid, const u32 *off_len);
u32 rpc_write_pos(void);
u32 rpc_read_reply_len(u32 data);
u8 rpc_pattern(u32 at);
int rpc_result(const u8 *p, size_t len, u32 xid, size_t *at);
int rpc_compound_status(const u8 *p, size_t len, u32 xid);

#endif /* PEER_RPC_H */
