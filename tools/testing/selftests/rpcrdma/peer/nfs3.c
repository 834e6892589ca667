// SPDX-License-Identifier: GPL-2.0
/*
 * NFSv3 and MOUNT, as much of them as a mount, stat, read, write and a
 * listing need; and of NFSACL, whose Calls may be long without being chunked.
 */
#include <stdio.h>
#include <string.h>

#include "nfs3.h"
#include "peer.h"
#include "rpc.h"

enum { FH_ROOT = 1, FH_FILE = 2 };

#define NFS3ERR_NOENT	2
#define NFS3ERR_IO	5
#define NFS3ERR_NOTSUPP	10004
#define NFS4ERR_MINOR_VERS_MISMATCH	10021
#define TYPE_REG	1
#define TYPE_DIR	2
#define MAX_IO		65536
#define NAME		"f"

/* What the file holds */
u8 nfs3_file[NFS3_FILE_SIZE];

struct nfs3_knobs nfs3_knobs;

/* Grows with each WRITE, so that no cache stays valid by mistake */
static u32 change = 1;

/**
 * struct args - the arguments of a call
 * @call: where the call starts
 * @p: the next word
 * @left: bytes that follow
 * @bad: something was missing
 */
struct args {
	const u8 *call;
	const u8 *p;
	size_t left;
	bool bad;
};

/**
 * arg_u32 - take a word
 * @a: where from
 *
 * Return: its value.
 */
static u32 arg_u32(struct args *a)
{
	u32 v;

	if (a->left < 4) {
		a->bad = true;
		return 0;
	}
	v = get_u32(a->p);
	a->p += 4;
	a->left -= 4;
	return v;
}

/**
 * arg_u64 - take two words
 * @a: where from
 *
 * Return: their value.
 */
static u64 arg_u64(struct args *a)
{
	u64 hi = arg_u32(a);

	return hi << 32 | arg_u32(a);
}

/**
 * arg_opaque - take counted bytes
 * @a: where from
 * @len: gets the count
 *
 * Return: the bytes.
 */
static const u8 *arg_opaque(struct args *a, u32 *len)
{
	const u8 *p;
	u64 room;

	*len = arg_u32(a);
	room = ((u64)*len + 3) & ~3ull;
	p = a->p;
	if (a->bad || room > a->left) {
		a->bad = true;
		*len = 0;
		return p;
	}
	a->p += room;
	a->left -= room;
	return p;
}

/**
 * arg_fh - take a file handle
 * @a: where from
 *
 * Return: FH_ROOT, FH_FILE or nonsense.
 */
static u32 arg_fh(struct args *a)
{
	u32 len;
	const u8 *p = arg_opaque(a, &len);

	return len == 4 ? get_u32(p) : 0;
}

/**
 * put_attr - append the attributes of a file
 * @b: the reply
 * @fh: which
 */
static void put_attr(struct buf *b, u32 fh)
{
	bool dir = fh == FH_ROOT;
	int i;

	buf_u32(b, dir ? TYPE_DIR : TYPE_REG);
	buf_u32(b, dir ? 0777 : 0666);
	buf_u32(b, dir ? 2 : 1);
	buf_u64(b, 0);
	buf_u64(b, dir ? 4096 : NFS3_FILE_SIZE);
	buf_u64(b, dir ? 4096 : NFS3_FILE_SIZE);
	buf_u64(b, 0);
	buf_u64(b, 0x1234);
	buf_u64(b, fh);
	for (i = 0; i < 3; i++) {
		buf_u32(b, 1000000000 + change);
		buf_u32(b, 0);
	}
}

/**
 * put_post_attr - append optional attributes
 * @b: the reply
 * @fh: which
 */
static void put_post_attr(struct buf *b, u32 fh)
{
	buf_u32(b, 1);
	put_attr(b, fh);
}

/**
 * put_wcc - append attributes after a change
 * @b: the reply
 * @fh: which
 */
static void put_wcc(struct buf *b, u32 fh)
{
	buf_u32(b, 0);
	put_post_attr(b, fh);
}

/**
 * put_fh - append a file handle
 * @b: the reply
 * @fh: which
 */
static void put_fh(struct buf *b, u32 fh)
{
	buf_u32(b, 4);
	buf_u32(b, fh);
}

/**
 * do_getattr - GETATTR
 * @out: the reply
 * @a: the arguments
 */
static void do_getattr(struct nfs3_reply *out, struct args *a)
{
	u32 fh = arg_fh(a);

	buf_u32(&out->b, 0);
	put_attr(&out->b, fh);
}

/**
 * do_setattr - SETATTR, which changes nothing here
 * @out: the reply
 * @a: the arguments
 */
static void do_setattr(struct nfs3_reply *out, struct args *a)
{
	u32 fh = arg_fh(a);

	buf_u32(&out->b, 0);
	put_wcc(&out->b, fh);
}

/**
 * do_lookup - LOOKUP
 * @out: the reply
 * @a: the arguments
 */
static void do_lookup(struct nfs3_reply *out, struct args *a)
{
	u32 fh = arg_fh(a), len;
	const u8 *name = arg_opaque(a, &len);

	if (fh != FH_ROOT || len != strlen(NAME) || memcmp(name, NAME, len)) {
		buf_u32(&out->b, NFS3ERR_NOENT);
		put_post_attr(&out->b, FH_ROOT);
		return;
	}
	buf_u32(&out->b, 0);
	put_fh(&out->b, FH_FILE);
	put_post_attr(&out->b, FH_FILE);
	put_post_attr(&out->b, FH_ROOT);
}

/**
 * do_access - ACCESS, which grants everything
 * @out: the reply
 * @a: the arguments
 */
static void do_access(struct nfs3_reply *out, struct args *a)
{
	u32 fh = arg_fh(a), mask = arg_u32(a);

	buf_u32(&out->b, 0);
	put_post_attr(&out->b, fh);
	buf_u32(&out->b, mask);
}

/**
 * do_read - READ
 * @out: the reply
 * @a: the arguments
 */
static void do_read(struct nfs3_reply *out, struct args *a)
{
	u32 fh = arg_fh(a), n;
	u64 off = arg_u64(a);

	n = arg_u32(a);
	if (off > NFS3_FILE_SIZE)
		off = NFS3_FILE_SIZE;
	if (n > NFS3_FILE_SIZE - off)
		n = NFS3_FILE_SIZE - off;
	if (n > MAX_IO)
		n = MAX_IO;
	if (nfs3_knobs.most && n > nfs3_knobs.most)
		n = nfs3_knobs.most;
	buf_u32(&out->b, nfs3_knobs.fail_read ? NFS3ERR_IO : 0);
	put_post_attr(&out->b, fh);
	if (nfs3_knobs.fail_read)
		return;
	buf_u32(&out->b, n);
	buf_u32(&out->b, off + n == NFS3_FILE_SIZE);
	buf_u32(&out->b, n);
	nfs3_add_data(out, off, n);
}

/**
 * do_write - WRITE
 * @out: the reply
 * @a: the arguments
 */
static void do_write(struct nfs3_reply *out, struct args *a)
{
	u32 fh = arg_fh(a), n, len;
	u64 off = arg_u64(a);
	const u8 *p;

	n = arg_u32(a);
	arg_u32(a);
	p = arg_opaque(a, &len);
	out->arg_at = p - a->call;
	out->arg_len = len;
	if (len != n || off > NFS3_FILE_SIZE || n > NFS3_FILE_SIZE - off) {
		a->bad = true;
		return;
	}
	memcpy(nfs3_file + off, p, n);
	change++;
	buf_u32(&out->b, 0);
	put_wcc(&out->b, fh);
	buf_u32(&out->b, n);
	buf_u32(&out->b, 2);
	buf_u64(&out->b, 0x7065657200000001ull);
}

/**
 * put_entry - append an entry of the folder
 * @b: the reply
 * @i: which
 */
static void put_entry(struct buf *b, u32 i)
{
	char name[32];
	u32 n;

	if (!i)
		strcpy(name, NAME);
	else
		snprintf(name, sizeof(name), "other-file-number-%04u", i);
	n = strlen(name);
	buf_u32(b, 1);
	buf_u64(b, FH_FILE + i);
	buf_u32(b, n);
	buf_bytes(b, name, n);
	buf_fill(b, 0, -n & 3);
	buf_u64(b, i + 1);
}

/**
 * do_readdir - READDIR
 * @out: the reply
 * @a: the arguments
 */
static void do_readdir(struct nfs3_reply *out, struct args *a)
{
	u64 cookie, verf;
	u32 fh = arg_fh(a), count;
	size_t start = out->b.len;

	cookie = arg_u64(a);
	verf = arg_u64(a);
	count = arg_u32(a);
	buf_u32(&out->b, 0);
	put_post_attr(&out->b, fh);
	buf_u64(&out->b, verf);
	for (; cookie < NFS3_DIR_ENTRIES; cookie++) {
		if (out->b.len - start + 64 > count)
			break;
		put_entry(&out->b, cookie);
	}
	buf_u32(&out->b, 0);
	buf_u32(&out->b, cookie >= NFS3_DIR_ENTRIES);
}

/**
 * do_fsstat - FSSTAT
 * @out: the reply
 * @a: the arguments
 */
static void do_fsstat(struct nfs3_reply *out, struct args *a)
{
	u32 fh = arg_fh(a), i;

	buf_u32(&out->b, 0);
	put_post_attr(&out->b, fh);
	for (i = 0; i < 6; i++)
		buf_u64(&out->b, 1 << 20);
	buf_u32(&out->b, 0);
}

/**
 * do_fsinfo - FSINFO
 * @out: the reply
 * @a: the arguments
 */
static void do_fsinfo(struct nfs3_reply *out, struct args *a)
{
	u32 fh = arg_fh(a), i;

	buf_u32(&out->b, 0);
	put_post_attr(&out->b, fh);
	for (i = 0; i < 2; i++) {
		buf_u32(&out->b, MAX_IO);
		buf_u32(&out->b, MAX_IO);
		buf_u32(&out->b, 1024);
	}
	buf_u32(&out->b, 16384);
	buf_u64(&out->b, 1ull << 40);
	buf_u32(&out->b, 1);
	buf_u32(&out->b, 0);
	buf_u32(&out->b, 0x1b);
}

/**
 * do_pathconf - PATHCONF
 * @out: the reply
 * @a: the arguments
 */
static void do_pathconf(struct nfs3_reply *out, struct args *a)
{
	u32 fh = arg_fh(a);

	buf_u32(&out->b, 0);
	put_post_attr(&out->b, fh);
	buf_u32(&out->b, 32);
	buf_u32(&out->b, 255);
	buf_u32(&out->b, 1);
	buf_u32(&out->b, 1);
	buf_u32(&out->b, 0);
	buf_u32(&out->b, 1);
}

/**
 * do_commit - COMMIT
 * @out: the reply
 * @a: the arguments
 */
static void do_commit(struct nfs3_reply *out, struct args *a)
{
	u32 fh = arg_fh(a);

	buf_u32(&out->b, 0);
	put_wcc(&out->b, fh);
	buf_u64(&out->b, 0x7065657200000001ull);
}

/**
 * do_null - NULL
 * @out: the reply
 * @a: the arguments
 */
static void do_null(struct nfs3_reply *out, struct args *a)
{
}

/**
 * do_mnt - MNT of the MOUNT protocol
 * @out: the reply
 * @a: the arguments
 */
static void do_mnt(struct nfs3_reply *out, struct args *a)
{
	buf_u32(&out->b, 0);
	put_fh(&out->b, FH_ROOT);
	buf_u32(&out->b, 1);
	buf_u32(&out->b, 1);
}

/**
 * do_acl - GETACL and SETACL of NFSACL: there are none, and none is kept
 * @out: the reply
 * @a: the arguments
 *
 * A mask of 0 stands for "nothing of this follows".
 */
static void do_acl(struct nfs3_reply *out, struct args *a)
{
	u32 fh = arg_fh(a);

	buf_u32(&out->b, 0);
	put_post_attr(&out->b, fh);
	if (out->proc == NFSACL_GETACL)
		buf_u32(&out->b, 0);
}

typedef void (*nfs3_fn)(struct nfs3_reply *out, struct args *a);

static const nfs3_fn nfs_procs[] = {
	[NFS3_NULL] = do_null, [NFS3_GETATTR] = do_getattr,
	[NFS3_SETATTR] = do_setattr, [NFS3_LOOKUP] = do_lookup,
	[NFS3_ACCESS] = do_access, [NFS3_READ] = do_read,
	[NFS3_WRITE] = do_write, [NFS3_READDIR] = do_readdir,
	[NFS3_FSSTAT] = do_fsstat, [NFS3_FSINFO] = do_fsinfo,
	[NFS3_PATHCONF] = do_pathconf, [NFS3_COMMIT] = do_commit,
};

static const nfs3_fn acl_procs[] = {
	[NFS3_NULL] = do_null, [NFSACL_GETACL] = do_acl,
	[NFSACL_SETACL] = do_acl,
};

static const nfs3_fn mount_procs[] = {
	do_null, do_mnt, NULL, do_null, do_null,
};

/**
 * do_compound - refuse NFSv4.1, of which there is nothing here
 * @out: the reply
 * @a: the arguments
 */
static void do_compound(struct nfs3_reply *out, struct args *a)
{
	if (nfs3_knobs.v4) {
		nfs4_compound(out, a->call, a->p, a->left);
		return;
	}
	buf_u32(&out->b, NFS4ERR_MINOR_VERS_MISMATCH);
	buf_u32(&out->b, 0);
	buf_u32(&out->b, 0);
}

/**
 * find_proc - find what serves a procedure
 * @prog: the program
 * @proc: the procedure
 *
 * Return: the function, or NULL.
 */
static nfs3_fn find_proc(u32 prog, u32 proc)
{
	if (prog == RPC_PROG_NFS && proc == NFS4_COMPOUND)
		return do_compound;
	if (prog == RPC_PROG_NFS && proc < ARRAY_SIZE(nfs_procs))
		return nfs_procs[proc];
	if (prog == RPC_PROG_NFSACL && proc < ARRAY_SIZE(acl_procs))
		return acl_procs[proc];
	if (prog == RPC_PROG_MOUNT && proc < ARRAY_SIZE(mount_procs))
		return mount_procs[proc];
	return NULL;
}

/**
 * put_accepted - start an accepted reply
 * @b: the reply
 * @xid: its xid
 * @stat: the accept_stat
 */
static void put_accepted(struct buf *b, u32 xid, u32 stat)
{
	buf_u32(b, xid);
	buf_u32(b, DIR_REPLY);
	buf_u32(b, 0);
	buf_u64(b, 0);
	buf_u32(b, stat);
}

/**
 * nfs3_call - serve an RPC call
 * @out: the reply; its buffer must hold NFS3_MAX_MSG bytes
 * @p: the call
 * @len: its length
 *
 * Return: 0, or -1 if it is no RPC call.
 */
int nfs3_call(struct nfs3_reply *out, const u8 *p, size_t len)
{
	struct args a = { .call = p, .p = p, .left = len };
	u32 xid = arg_u32(&a), mtype = arg_u32(&a), vers = arg_u32(&a), n, i;
	u32 prog_vers;
	nfs3_fn fn;

	buf_reset(&out->b);
	out->data_at = 0;
	out->data_len = 0;
	out->nr_data = 0;
	out->arg_at = 0;
	out->arg_len = 0;
	out->prog = arg_u32(&a);
	prog_vers = arg_u32(&a);
	out->proc = arg_u32(&a);
	if (out->prog == RPC_PROG_NFS && prog_vers == 4 && out->proc)
		out->proc = NFS4_COMPOUND;
	for (i = 0; i < 2; i++) {
		arg_u32(&a);
		arg_opaque(&a, &n);
	}
	if (a.bad || mtype != DIR_CALL || vers != 2)
		return -1;
	fn = find_proc(out->prog, out->proc);
	put_accepted(&out->b, xid, fn ? RPC_SUCCESS :
		     out->prog == RPC_PROG_NFS ? RPC_PROC_UNAVAIL :
		     RPC_PROG_UNAVAIL);
	if (!fn)
		return 0;
	fn(out, &a);
	if (a.bad) {
		buf_reset(&out->b);
		out->data_len = 0;
		out->nr_data = 0;
		put_accepted(&out->b, xid, RPC_GARBAGE_ARGS);
	}
	return 0;
}
