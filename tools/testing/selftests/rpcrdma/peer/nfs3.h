/* SPDX-License-Identifier: GPL-2.0 */
/* A little NFSv3 server: one folder, one file, no disk. */
#ifndef PEER_NFS3_H
#define PEER_NFS3_H

#include "wire.h"

enum {
	NFS3_NULL = 0, NFS3_GETATTR = 1, NFS3_SETATTR = 2, NFS3_LOOKUP = 3,
	NFS3_ACCESS = 4, NFS3_READ = 6, NFS3_WRITE = 7, NFS3_READDIR = 16,
	NFS3_FSSTAT = 18, NFS3_FSINFO = 19, NFS3_PATHCONF = 20,
	NFS3_COMMIT = 21, NFS3_PROCS = 22, NFS4_COMPOUND = 1001,
};

enum { NFSACL_GETACL = 1, NFSACL_SETACL = 2 };

#define NFS3_FILE_SIZE		(256u << 10)
#define NFS3_MAX_MSG		(128u << 10)
#define NFS3_DIR_ENTRIES	200

#define MAX_DATA		8

/**
 * struct nfs3_data - data that may travel beside the reply
 * @at: where it starts in the reply
 * @len: its length without padding
 */
struct nfs3_data {
	size_t at;
	u32 len;
};

/**
 * struct nfs3_knobs - what the server does that an honest one may do as well
 * @fail_read: READ fails
 * @most: bytes that a READ returns at most, 0 for all
 * @v4: NFSv4.0 is there
 */
struct nfs3_knobs {
	bool fail_read;
	u32 most;
	bool v4;
};

/**
 * struct nfs3_reply - what an RPC call led to
 * @b: the RPC reply
 * @prog: program called
 * @proc: procedure called
 * @data_at: where the data of a READ starts in @b, 0 if there is none
 * @data_len: its length without padding
 * @nr_data: how many items of data there are in @data
 * @data: all of them, the one above first
 * @arg_at: where the data of a WRITE starts in the call, 0 if there is none
 * @arg_len: its length
 */
struct nfs3_reply {
	struct buf b;
	u32 prog;
	u32 proc;
	size_t data_at;
	u32 data_len;
	u32 nr_data;
	struct nfs3_data data[MAX_DATA];
	size_t arg_at;
	u32 arg_len;
};

int nfs3_call(struct nfs3_reply *out, const u8 *p, size_t len);

void nfs4_compound(struct nfs3_reply *out, const u8 *call, const u8 *p,
		   size_t left);

extern struct nfs3_knobs nfs3_knobs;
extern u8 nfs3_file[NFS3_FILE_SIZE];

/**
 * nfs3_add_data - append data of the file
 * @out: the reply
 * @off: where it starts in the file
 * @len: its length
 */
static inline void nfs3_add_data(struct nfs3_reply *out, u32 off, u32 len)
{
	if (out->nr_data < MAX_DATA) {
		out->data[out->nr_data].at = out->b.len;
		out->data[out->nr_data++].len = len;
	}
	out->data_at = out->data[0].at;
	out->data_len = out->data[0].len;
	buf_bytes(&out->b, nfs3_file + off, len);
	buf_fill(&out->b, 0, -len & 3);
}

#endif /* PEER_NFS3_H */
