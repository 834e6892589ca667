/* SPDX-License-Identifier: GPL-2.0 */
/* A little NFSv3 server: one folder, one file, no disk. */
#ifndef PEER_NFS3_H
#define PEER_NFS3_H

#include "wire.h"

enum {
	NFS3_NULL = 0, NFS3_GETATTR = 1, NFS3_SETATTR = 2, NFS3_LOOKUP = 3,
	NFS3_ACCESS = 4, NFS3_READ = 6, NFS3_WRITE = 7, NFS3_READDIR = 16,
	NFS3_FSSTAT = 18, NFS3_FSINFO = 19, NFS3_PATHCONF = 20,
	NFS3_COMMIT = 21, NFS4_COMPOUND = 1001,
};

enum { NFSACL_GETACL = 1, NFSACL_SETACL = 2 };

#define NFS3_FILE_SIZE		(256u << 10)
#define NFS3_MAX_MSG		(128u << 10)
#define NFS3_DIR_ENTRIES	200

/**
 * struct nfs3_reply - what an RPC call led to
 * @b: the RPC reply
 * @prog: program called
 * @proc: procedure called
 * @data_at: where the data of a READ starts in @b, 0 if there is none
 * @data_len: its length without padding
 */
struct nfs3_reply {
	struct buf b;
	u32 prog;
	u32 proc;
	size_t data_at;
	u32 data_len;
};

int nfs3_call(struct nfs3_reply *out, const u8 *p, size_t len);

extern u8 nfs3_file[NFS3_FILE_SIZE];

#endif /* PEER_NFS3_H */
