// SPDX-License-Identifier: GPL-2.0
/*
 * As much of NFSv4.0 as the compounds of rpc.c need: they come when one peer
 * serves another. nfs41.c has what session.c needs.
 */
#include <string.h>

#include "nfs3.h"
#include "nfs41.h"

enum {
	OP_GETATTR = 9, OP_LOOKUP = 15, OP_PUTROOTFH = 24, OP_READ = 25,
	OP_WRITE = 38,
};

#define NFS4ERR_NOENT	2
#define NFS4ERR_NOTSUPP	10004
#define NFS4ERR_BADXDR	10036
#define STATEID		16
#define SCRATCH		"fuzz"	/* what is written to it is not kept */

/* The file of the compound is that one */
static bool scratch;

/**
 * op_read - READ
 * @out: the reply
 * @r: the arguments
 */
static void op_read(struct nfs3_reply *out, struct rd *r)
{
	u32 off, n;

	rd_skip(r, STATEID + 4);
	off = rd_u32(r, "offset");
	n = rd_u32(r, "count");
	if (off > NFS3_FILE_SIZE)
		off = NFS3_FILE_SIZE;
	if (n > NFS3_FILE_SIZE - off)
		n = NFS3_FILE_SIZE - off;
	buf_u32(&out->b, 0);
	buf_u32(&out->b, off + n == NFS3_FILE_SIZE);
	buf_u32(&out->b, n);
	nfs3_add_data(out, off, n);
}

/**
 * op_write - WRITE
 * @out: the reply
 * @call: the call
 * @r: the arguments
 */
static void op_write(struct nfs3_reply *out, const u8 *call, struct rd *r)
{
	const u8 *p;
	u32 off, n;

	rd_skip(r, STATEID + 4);
	off = rd_u32(r, "offset");
	rd_u32(r, "stable");
	n = rd_u32(r, "length");
	p = rd_skip(r, ((u64)n + 3) & ~3ull);
	if (!p || off > NFS3_FILE_SIZE || n > NFS3_FILE_SIZE - off) {
		r->why = "data";
		return;
	}
	out->arg_at = p - call;
	out->arg_len = n;
	if (!scratch)
		memcpy(nfs3_file + off, p, n);
	buf_u32(&out->b, 0);
	buf_u32(&out->b, n);
	buf_u32(&out->b, 2);
	buf_u64(&out->b, 0x7065657200000001ull);
}

/**
 * op_getattr - GETATTR, of the size whatever was asked for
 * @out: the reply
 * @r: the arguments
 */
static void op_getattr(struct nfs3_reply *out, struct rd *r)
{
	rd_skip(r, 4 * (u64)rd_u32(r, "words of attributes"));
	buf_u32(&out->b, 0);
	buf_u32(&out->b, 1);
	buf_u32(&out->b, 1 << 4);
	buf_u32(&out->b, 8);
	buf_u64(&out->b, NFS3_FILE_SIZE);
}

/**
 * op_lookup - LOOKUP
 * @r: the arguments
 *
 * Return: true if the file is there.
 */
static bool op_lookup(struct rd *r)
{
	struct rd at = *r;
	u32 n = rd_u32(r, "name");
	const u8 *name = rd_skip(r, (n + 3ull) & ~3ull);

	scratch = name && n == strlen(SCRATCH) && !memcmp(name, SCRATCH, n);
	return scratch || nfs41_there(&at);
}

/**
 * one_op - carry out an operation
 * @out: the reply, which has the number of the operation
 * @call: the call
 * @op: the number
 * @r: the arguments
 *
 * Return: status that ends the compound, or 0.
 */
static u32 one_op(struct nfs3_reply *out, const u8 *call, u32 op,
		  struct rd *r)
{
	size_t at = out->b.len;
	u32 bad = 0;

	switch (op) {
	case OP_LOOKUP:
		if (!op_lookup(r)) {
			bad = NFS4ERR_NOENT;
			break;
		}
		/* fall through */
	case OP_PUTROOTFH:
		buf_u32(&out->b, 0);
		break;
	case OP_READ:
		op_read(out, r);
		break;
	case OP_WRITE:
		op_write(out, call, r);
		break;
	case OP_GETATTR:
		op_getattr(out, r);
		break;
	default:
		bad = nfs41_op(&out->b, op, r);
		if (bad == NFS41_OTHER)
			bad = NFS4ERR_NOTSUPP;
	}
	if (r->why)
		bad = NFS4ERR_BADXDR;
	if (bad) {
		if (op == OP_READ && out->nr_data)
			out->nr_data--;
		out->b.len = at;
		buf_u32(&out->b, bad);
	}
	return bad;
}

/**
 * nfs4_compound - carry out a compound
 * @out: the reply, which has its RPC header
 * @call: the call
 * @p: arguments of the compound
 * @left: their length
 */
void nfs4_compound(struct nfs3_reply *out, const u8 *call, const u8 *p,
		   size_t left)
{
	struct rd r = { .p = p, .left = left };
	size_t status = out->b.len;
	u32 ops, op, bad = 0, i;

	rd_skip(&r, (rd_u32(&r, "tag") + 3ull) & ~3ull);
	rd_u32(&r, "minor version");
	ops = rd_u32(&r, "operations");
	buf_fill(&out->b, 0, 12);
	for (i = 0; i < ops && !bad; i++) {
		op = rd_u32(&r, "operation");
		buf_u32(&out->b, op);
		bad = one_op(out, call, op, &r);
	}
	buf_put_u32(&out->b, status, bad);
	buf_put_u32(&out->b, status + 8, i);
}
