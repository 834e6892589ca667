// SPDX-License-Identifier: GPL-2.0
/*
 * Operations of NFSv4.1 when one peer serves another: sessions of which nothing is
 * kept, and names of files that were made. Every file is delegated, unless it is asked
 * not to be.
 */
#include <string.h>

#include "nfs41.h"

enum {
	OP_CLOSE = 4, OP_DELEGRETURN = 8, OP_GETFH = 10, OP_OPEN = 18, OP_PUTFH = 22,
	OP_REMOVE = 28, OP_EXCHANGE_ID = 42, OP_CREATE_SESSION = 43,
	OP_DESTROY_SESSION = 44, OP_SEQUENCE = 53, OP_RECLAIM_COMPLETE = 58,
};

#define SESSIONID	16
#define STATEID		16
#define CHANNEL		28	/* attributes of a channel */
#define CINFO		20
#define DELEGATE_WRITE	2
#define WANT_MASK	0xff00
#define WANT_NO_DELEG	0x400
#define NFS4ERR_NOENT	2

/* Every name is there, but those that begin so only once they were made */
#define MADE_PREFIX	"peer-"
#define MAX_NAME	64
#define MAX_MADE	8

/* The files that were made; "" is a free place */
static char made[MAX_MADE][MAX_NAME];

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
 * name - take a name
 * @r: where
 * @out: gets it
 */
static void name(struct rd *r, char out[MAX_NAME])
{
	u32 len = rd_u32(r, "name");
	const u8 *p = rd_skip(r, (len + 3ull) & ~3ull);

	*out = '\0';
	if (!p || len >= MAX_NAME)
		return;
	memcpy(out, p, len);
	out[len] = '\0';
}

/**
 * find_made - find a file among those that were made
 * @n: its name
 *
 * Return: its place, or NULL.
 */
static char *find_made(const char *n)
{
	int i;

	for (i = 0; i < MAX_MADE; i++)
		if (!strcmp(made[i], n))
			return made[i];
	return NULL;
}

/**
 * nfs41_there - take a name, and look whether it is there
 * @r: where
 *
 * Return: true if so.
 */
bool nfs41_there(struct rd *r)
{
	char n[MAX_NAME];

	name(r, n);
	return strncmp(n, MADE_PREFIX, strlen(MADE_PREFIX)) || find_made(n);
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
	char n[MAX_NAME], *place;
	u32 access;

	rd_skip(r, 4);
	access = rd_u32(r, "share access");
	rd_skip(r, 4 + 8);
	skip_opaque(r);
	rd_skip(r, 4 + 4);
	rd_skip(r, 4ull * rd_u32(r, "words of attributes"));
	skip_opaque(r);
	rd_skip(r, 4);
	name(r, n);
	place = find_made(n) ?: find_made("");
	if (place)
		strcpy(place, n);
	buf_fill(b, 0, STATEID + CINFO + 4 + 4);
	if ((access & WANT_MASK) == WANT_NO_DELEG) {
		buf_u32(b, 0);
		return;
	}
	buf_u32(b, DELEGATE_WRITE);
	buf_fill(b, 0, STATEID + 4 + 12 + 12 + 4);
}

/**
 * remove_file - REMOVE
 * @b: gets the results
 * @r: the arguments
 *
 * Return: its status.
 */
static u32 remove_file(struct buf *b, struct rd *r)
{
	char n[MAX_NAME], *place;

	name(r, n);
	place = *n ? find_made(n) : NULL;
	if (!place)
		return NFS4ERR_NOENT;
	*place = '\0';
	buf_fill(b, 0, CINFO);
	return 0;
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
		return remove_file(b, r);
	case OP_CLOSE:
		rd_skip(r, 4 + STATEID);
		buf_fill(b, 0, STATEID);
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
