// SPDX-License-Identifier: GPL-2.0
/*
 * Operations of NFSv4.1 when one peer serves another: sessions of which nothing is
 * kept, and files that are always delegated and never there.
 */
#include "nfs41.h"

enum {
	OP_DELEGRETURN = 8, OP_GETFH = 10, OP_OPEN = 18, OP_PUTFH = 22,
	OP_REMOVE = 28, OP_EXCHANGE_ID = 42, OP_CREATE_SESSION = 43,
	OP_DESTROY_SESSION = 44, OP_SEQUENCE = 53, OP_RECLAIM_COMPLETE = 58,
};

#define SESSIONID	16
#define STATEID		16
#define CHANNEL		28	/* attributes of a channel */
#define CINFO		20
#define DELEGATE_WRITE	2

/**
 * rd_skip - step over bytes
 * @r: where
 * @n: how many
 *
 * Return: where they are, or NULL if they are not all there.
 */
const u8 *rd_skip(struct rd *r, u64 n)
{
	const u8 *p = r->p;

	if (r->why || n > r->left) {
		r->why = "arguments cut";
		return NULL;
	}
	r->p += n;
	r->left -= n;
	return p;
}

/**
 * skip_opaque - step over counted bytes
 * @r: where
 */
static void skip_opaque(struct rd *r)
{
	rd_skip(r, (rd_u32(r, "length") + 3ull) & ~3ull);
}

/**
 * exchange_id - EXCHANGE_ID
 * @b: the reply
 * @r: the arguments
 */
static void exchange_id(struct buf *b, struct rd *r)
{
	rd_skip(r, 8);
	skip_opaque(r);
	rd_skip(r, 12);
	buf_fill(b, 0, 8 + 4 + 4 + 4);	/* id, sequence, flags, no protection */
	buf_fill(b, 0, 8 + 4 + 4 + 4);	/* nothing of the server */
}

/**
 * create_session - CREATE_SESSION
 * @b: the reply
 * @r: the arguments
 */
static void create_session(struct buf *b, struct rd *r)
{
	rd_skip(r, 8 + 4 + 4 + 2 * CHANNEL + 4 + 4 + 4);
	buf_fill(b, 0, SESSIONID + 4 + 4 + 2 * CHANNEL);
}

/**
 * sequence - SEQUENCE
 * @b: the reply
 * @r: the arguments
 */
static void sequence(struct buf *b, struct rd *r)
{
	rd_skip(r, SESSIONID + 16);
	buf_fill(b, 0, SESSIONID + 20);
}

/**
 * open_file - OPEN, of a file that is made
 * @b: the reply
 * @r: the arguments
 */
static void open_file(struct buf *b, struct rd *r)
{
	rd_skip(r, 4 + 4 + 4 + 8);
	skip_opaque(r);
	rd_skip(r, 4 + 4 + 4 + 4 + 4);
	skip_opaque(r);
	buf_fill(b, 0, STATEID + CINFO + 4 + 4);
	buf_u32(b, DELEGATE_WRITE);
	buf_fill(b, 0, STATEID + 4 + 12 + 12 + 4);
}

/**
 * nfs41_op - carry out an operation
 * @b: the reply, which has the number of the operation
 * @op: the number
 * @r: the arguments
 *
 * Return: 0, or NFS41_OTHER.
 */
u32 nfs41_op(struct buf *b, u32 op, struct rd *r)
{
	buf_u32(b, 0);
	switch (op) {
	case OP_EXCHANGE_ID:
		exchange_id(b, r);
		return 0;
	case OP_CREATE_SESSION:
		create_session(b, r);
		return 0;
	case OP_SEQUENCE:
		sequence(b, r);
		return 0;
	case OP_OPEN:
		open_file(b, r);
		return 0;
	case OP_GETFH:
		buf_u32(b, 0);
		return 0;
	case OP_REMOVE:
		skip_opaque(r);
		buf_fill(b, 0, CINFO);
		return 0;
	case OP_PUTFH:
		skip_opaque(r);
		return 0;
	case OP_RECLAIM_COMPLETE:
		rd_skip(r, 4);
		return 0;
	case OP_DELEGRETURN:
	case OP_DESTROY_SESSION:
		rd_skip(r, STATEID);
		return 0;
	}
	b->len -= 4;
	return NFS41_OTHER;
}
