// SPDX-License-Identifier: GPL-2.0
/*
 * Calls the peer makes as a client: NULL, and NFSv4.0 compounds that need no
 * state (root, look up, read or write with the anonymous stateid).
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "rpc.h"

enum { OP_GETATTR = 9, OP_LOOKUP = 15, OP_PUTROOTFH = 24, OP_READ = 25, OP_WRITE = 38 };

/* The file that reads and writes go to, seen from the server's root */
const char *nfs_path = "f";

/**
 * rpc_pattern - the byte that a test file holds at some place
 * @at: the place
 *
 * Return: the byte.
 */
u8 rpc_pattern(u32 at)
{
	return at * 7 + (at >> 8);
}

/**
 * rpc_next_xid - the xid that the Linux client gives its next Call
 * @xid: that of the last one
 *
 * It counts in its own byte order, which is taken to be ours.
 *
 * Return: the xid.
 */
u32 rpc_next_xid(u32 xid)
{
	return be32toh(htobe32(xid) + 1);
}

/**
 * rpc_head - start an RPC message with AUTH_NONE or AUTH_SYS
 * @b: the message
 * @xid: its xid
 * @mtype: CALL or REPLY
 * @vers: program version
 * @proc: procedure
 * @sys: with AUTH_SYS, root
 */
void rpc_head(struct buf *b, u32 xid, u32 mtype, u32 vers, u32 proc,
	      bool sys)
{
	buf_u32(b, xid);
	buf_u32(b, mtype);
	buf_u32(b, 2);
	buf_u32(b, RPC_PROG_NFS);
	buf_u32(b, vers);
	buf_u32(b, proc);
	if (sys) {
		buf_u32(b, 1);
		buf_u32(b, 20);
		buf_fill(b, 0, 20);
	} else {
		buf_u64(b, 0);
	}
	buf_u64(b, 0);
}

/**
 * rpc_null - append an NFSv4 NULL call, 40 bytes
 * @b: the message
 * @xid: its xid
 * @mtype: what the message says it is
 */
void rpc_null(struct buf *b, u32 xid, u32 mtype)
{
	rpc_head(b, xid, mtype, 4, 0, false);
}

/**
 * rpc_callback - append a NULL call to a client's callback service, 40 bytes
 * @b: the message
 * @xid: its xid
 */
void rpc_callback(struct buf *b, u32 xid)
{
	size_t at = b->len;

	rpc_head(b, xid, DIR_CALL, 1, 0, false);
	buf_put_u32(b, at + 12, RPC_PROG_CALLBACK);
}

/**
 * rpc_callback_tag - append a CB_COMPOUND that has a tag and nothing else
 * @b: the message
 * @xid: its xid
 * @len: length of the tag, a multiple of four
 *
 * A client of minor version 1 says OK to it without a session, and repeats the
 * tag, so that its reply tells whether the Call arrived as it was sent.
 */
void rpc_callback_tag(struct buf *b, u32 xid, u32 len)
{
	size_t at = b->len;
	u32 i;

	rpc_head(b, xid, DIR_CALL, 1, 1, true);
	buf_put_u32(b, at + 12, RPC_PROG_CALLBACK);
	buf_u32(b, len);
	for (i = 0; i < len; i++)
		buf_fill(b, rpc_pattern(i), 1);
	buf_u32(b, 1);		/* minor version, ident, no operations */
	buf_u64(b, 0);
}

/**
 * rpc_look_up - count, or append, the look-ups that lead along a path
 * @b: the message, or NULL to count
 * @path: the path
 * @len: how much of it
 *
 * Return: how many.
 */
u32 rpc_look_up(struct buf *b, const char *path, size_t len)
{
	const char *p = path, *end = path + len, *e;
	u32 n = 0;

	for (; p < end; p = e + 1) {
		e = memchr(p, '/', end - p) ?: end;
		if (e == p)
			continue;
		n++;
		if (!b)
			continue;
		buf_u32(b, OP_LOOKUP);
		buf_u32(b, e - p);
		buf_bytes(b, p, e - p);
		buf_fill(b, 0, -(e - p) & 3);
	}
	return n;
}

/**
 * rpc_folder - how much of the test file's path is that of its folder
 *
 * Return: that length.
 */
size_t rpc_folder(void)
{
	const char *slash = strrchr(nfs_path, '/');

	return slash ? slash + 1 - nfs_path : 0;
}

/**
 * path_ops - count, or append, the look-ups that lead to the test file
 * @b: the message, or NULL to count
 *
 * Return: how many.
 */
static u32 path_ops(struct buf *b)
{
	return rpc_look_up(b, nfs_path, strlen(nfs_path));
}

/**
 * rpc_compound - start a compound that has looked up the test file
 * @b: the message
 * @xid: its xid
 * @ops: operations that follow
 */
static void rpc_compound(struct buf *b, u32 xid, u32 ops)
{
	rpc_head(b, xid, DIR_CALL, 4, 1, true);
	buf_u32(b, 0);
	buf_u32(b, 0);
	buf_u32(b, 1 + path_ops(NULL) + ops);
	buf_u32(b, OP_PUTROOTFH);
	path_ops(b);
}

/**
 * rpc_read - append a compound of READs
 * @b: the message
 * @xid: its xid
 * @nr: how many READs
 * @off_len: offset and length of each
 */
void rpc_read(struct buf *b, u32 xid, u32 nr, const u32 *off_len)
{
	u32 i;

	rpc_compound(b, xid, nr);
	for (i = 0; i < nr; i++) {
		buf_u32(b, OP_READ);
		buf_fill(b, 0, 16);
		buf_u64(b, off_len[2 * i]);
		buf_u32(b, off_len[2 * i + 1]);
	}
}

/**
 * rpc_write - append a compound with one WRITE
 * @b: the message
 * @xid: its xid
 * @off: where to write
 * @len: how much
 * @inline_data: put the data in; else it travels as a Read chunk
 */
void rpc_write(struct buf *b, u32 xid, u32 off, u32 len, bool inline_data)
{
	u32 i;

	rpc_compound(b, xid, 1);
	buf_u32(b, OP_WRITE);
	buf_fill(b, 0, 16);
	buf_u64(b, off);
	buf_u32(b, 2);
	buf_u32(b, len);
	for (i = 0; inline_data && i < ((len + 3) & ~3u); i++)
		buf_fill(b, i < len ? rpc_pattern(off + i) : 0, 1);
}

/**
 * rpc_write_getattr - append a compound with a WRITE, and a GETATTR behind it
 * @b: the message
 * @xid: its xid
 * @off: where to write
 * @len: how much; the data is not in the message
 */
void rpc_write_getattr(struct buf *b, u32 xid, u32 off, u32 len)
{
	rpc_compound(b, xid, 2);
	buf_u32(b, OP_WRITE);
	buf_fill(b, 0, 16);
	buf_u64(b, off);
	buf_u32(b, 2);
	buf_u32(b, len);
	buf_u32(b, OP_GETATTR);
	buf_u32(b, 1);
	buf_u32(b, 1 << 4);		/* the size */
}

/**
 * rpc_write_twice - append a compound with two WRITEs
 * @b: the message
 * @xid: its xid
 * @off_len: offset and length of each; the data is not in the message
 */
void rpc_write_twice(struct buf *b, u32 xid, const u32 *off_len)
{
	u32 i;

	rpc_compound(b, xid, 2);
	for (i = 0; i < 2; i++) {
		buf_u32(b, OP_WRITE);
		buf_fill(b, 0, 16);
		buf_u64(b, off_len[2 * i]);
		buf_u32(b, 2);
		buf_u32(b, off_len[2 * i + 1]);
	}
}

/**
 * rpc_write_pos - where the data of a WRITE belongs
 *
 * Return: its position in the RPC message.
 */
u32 rpc_write_pos(void)
{
	struct buf b;
	u32 pos;

	buf_init(&b, 4096);
	rpc_write(&b, 0, 0, 4, false);
	pos = b.len;
	buf_free(&b);
	return pos;
}

/**
 * rpc_bad - append a call whose RPC or NFS part is wrong
 * @b: the message
 * @xid: its xid
 * @how: what is wrong
 */
void rpc_bad(struct buf *b, u32 xid, const char *how)
{
	size_t at = b->len;

	if (!strcmp(how, "args")) {
		rpc_compound(b, xid, 1);
		buf_u32(b, OP_READ);
		return;
	}
	rpc_head(b, xid, DIR_CALL, 4, 0, false);
	if (!strcmp(how, "rpcvers"))
		buf_put_u32(b, at + 8, 3);
	else if (!strcmp(how, "prog"))
		buf_put_u32(b, at + 12, 400000);
	else if (!strcmp(how, "vers"))
		buf_put_u32(b, at + 16, 99);
	else if (!strcmp(how, "proc"))
		buf_put_u32(b, at + 20, 77);
	else if (!strcmp(how, "cred"))
		buf_put_u32(b, at + 28, 0x7fffffff);
}

/**
 * rpc_read_reply_len - length of the whole reply to a compound of one READ
 * @data: bytes read
 *
 * Return: the length.
 */
u32 rpc_read_reply_len(u32 data)
{
	return 24 + 12 + 8 * (1 + path_ops(NULL)) + 16 + ((data + 3) & ~3u);
}

/**
 * rpc_result - look at an RPC reply
 * @p: its bytes
 * @len: how many
 * @xid: the xid it must have
 * @at: gets where the results start, or NULL
 *
 * Return: the accept_stat, RPC_DENIED, or RPC_UNDECODABLE.
 */
int rpc_result(const u8 *p, size_t len, u32 xid, size_t *at)
{
	u32 vlen;

	if (len < 12 || get_u32(p) != xid || get_u32(p + 4) != DIR_REPLY)
		return RPC_UNDECODABLE;
	if (get_u32(p + 8) == 1)
		return RPC_DENIED;
	if (len < 24)
		return RPC_UNDECODABLE;
	vlen = (get_u32(p + 16) + 3) & ~3u;
	if (vlen > 400 || len < 24 + vlen)
		return RPC_UNDECODABLE;
	if (at)
		*at = 24 + vlen;
	return get_u32(p + 20 + vlen);
}

/**
 * rpc_compound_status - look at the reply to a compound
 * @p: its bytes
 * @len: how many
 * @xid: the xid it must have
 *
 * Return: the NFSv4 status, or -1 if there is none.
 */
int rpc_compound_status(const u8 *p, size_t len, u32 xid)
{
	size_t at;

	if (rpc_result(p, len, xid, &at) != RPC_SUCCESS || len < at + 4)
		return -1;
	return get_u32(p + at);
}
