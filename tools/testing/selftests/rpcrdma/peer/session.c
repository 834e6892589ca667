// SPDX-License-Identifier: GPL-2.0
/*
 * As much of NFSv4.1 as it takes to have a server call back: a session, and a
 * file that is opened with a delegation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "rpc.h"
#include "session.h"

enum {
	OP_BIND_CONN_TO_SESSION = 41, OP_CLOSE = 4, OP_CREATE_SESSION = 43,
	OP_DELEGRETURN = 8, OP_DESTROY_SESSION = 44, OP_EXCHANGE_ID = 42,
	OP_GETFH = 10, OP_LOOKUP = 15, OP_OPEN = 18, OP_PUTFH = 22,
	OP_PUTROOTFH = 24, OP_RECLAIM_COMPLETE = 58, OP_REMOVE = 28,
	OP_SEQUENCE = 53,
};

#define SHARE_BOTH		3
#define WANT_WRITE_DELEG	0x200
#define BACK_OR_BOTH	7
#define WANT_NO_DELEG		0x400
#define ATTR_MODE		(1 << 1)	/* 33, in the second word */
#define CONN_BACK_CHAN		2
#define DELEGATE_WRITE		2
#define NO_DELEGATION_EXT	3
#define DELEG_TRIES		20
#define NFS4ERR_NOENT		2

/**
 * opaque - append counted bytes
 * @b: the message
 * @p: the bytes
 * @len: how many
 */
static void opaque(struct buf *b, const void *p, u32 len)
{
	buf_u32(b, len);
	buf_bytes(b, p, len);
	buf_fill(b, 0, -len & 3);
}

/**
 * begin - start a compound
 * @x: the session
 * @ops: operations that follow, SEQUENCE not counted
 * @sequence: begin with SEQUENCE
 *
 * Return: the message being built.
 */
static struct buf *begin(struct session *x, u32 ops, bool sequence)
{
	struct cli *s = x->s;
	struct buf *b = &s->sent;

	buf_reset(b);
	wire_fixed(b, s->xid, 2, 32, P_MSG);
	buf_fill(b, 0, 20);
	rpc_head(b, s->xid, DIR_CALL, 4, 1, true);
	buf_u32(b, 0);
	buf_u32(b, 1);
	buf_u32(b, ops + sequence);
	if (!sequence)
		return b;
	buf_u32(b, OP_SEQUENCE);
	buf_bytes(b, x->id, sizeof(x->id));
	buf_u32(b, x->seq++);
	buf_fill(b, 0, 12);
	return b;
}

/**
 * take - take words of the results
 * @x: the session
 * @len: how many bytes
 *
 * Return: where they are, or a place with zeros past the end.
 */
static const u8 *take(struct session *x, size_t len)
{
	static const u8 zero[FH_SIZE];
	const u8 *p = x->at;

	if (len > x->left) {
		x->left = 0;
		return zero;
	}
	x->at += len;
	x->left -= len;
	return p;
}

/**
 * take_op - take number and status of an operation
 * @x: the session
 * @op: the number it must have
 *
 * Return: its status.
 */
static u32 take_op(struct session *x, u32 op)
{
	const u8 *p = take(x, 8);

	return get_u32(p) == op ? get_u32(p + 4) : ~0u;
}

/**
 * end - send a compound and wait for its results
 * @x: the session
 * @sequence: it began with SEQUENCE
 *
 * Return: status of the compound, or -1.
 */
static int end(struct session *x, bool sequence)
{
	struct cli *s = x->s;
	u32 xid = s->xid, status;
	struct hdr h;
	size_t at;

	s->xid += s->xid_step;
	free(x->reply);
	x->reply = NULL;
	if (conn_send(s->c, s->sent.p, s->sent.len, NULL))
		return -1;
	x->reply = cli_wait(s, cfg.timeout);
	if (!x->reply || wire_decode(&h, x->reply->data, x->reply->len) ||
	    h.proc != P_MSG || h.xid != xid)
		return -1;
	x->at = x->reply->data + h.hlen;
	x->left = x->reply->len - h.hlen;
	if (rpc_result(x->at, x->left, xid, &at) != RPC_SUCCESS)
		return -1;
	take(x, at);
	status = get_u32(take(x, 12));
	if (sequence && !take_op(x, OP_SEQUENCE))
		x->flags = get_u32(take(x, 36) + 32);
	return status;
}

/**
 * channel - append what a channel is wanted to be
 * @b: the message
 * @reqs: how many requests at once
 */
static void channel(struct buf *b, u32 reqs)
{
	buf_u32(b, 0);
	buf_u32(b, 4000);
	buf_u32(b, 4000);
	buf_u32(b, 0);
	buf_u32(b, 16);
	buf_u32(b, reqs);
	buf_u32(b, 0);
}

/**
 * create - create a session
 * @x: the session
 * @client: client id and sequence id from EXCHANGE_ID
 * @back: callbacks may use its connection
 *
 * Return: 0, or -1.
 */
static int create(struct session *x, const u8 *client, bool back)
{
	struct buf *b = begin(x, 1, false);

	buf_u32(b, OP_CREATE_SESSION);
	buf_bytes(b, client, 12);
	buf_u32(b, back ? CONN_BACK_CHAN : 0);
	channel(b, 8);
	channel(b, 1);
	buf_u32(b, RPC_PROG_CALLBACK);
	buf_u32(b, 1);
	buf_u32(b, 0);
	if (end(x, false) || take_op(x, OP_CREATE_SESSION))
		return -1;
	memcpy(x->id, take(x, sizeof(x->id)), sizeof(x->id));
	x->seq = 1;
	return 0;
}

/**
 * lacking - the server has not what a case needs
 * @r: result of the case
 * @what: what it lacks
 *
 * Ours has it; others may do without.
 */
static void lacking(struct result *r, const char *what)
{
	if (check_foreign)
		result_skip(r, "the server gives %s", what);
	else
		result_fail(r, "%s", what);
}

/**
 * session_make - make a session on a connection
 * @x: the session
 * @s: the connection
 * @back: callbacks may use it
 *
 * Return: 0, or -1 with the reason in the result of the case.
 */
int session_make(struct session *x, struct cli *s, bool back)
{
	static unsigned int nr;
	u8 client[12];
	char name[64];
	struct buf *b;

	memset(x, 0, sizeof(*x));
	x->s = s;
	snprintf(name, sizeof(name), "peer %d %u %llu", getpid(), nr++,
		 (unsigned long long)now_ms());
	b = begin(x, 1, false);
	buf_u32(b, OP_EXCHANGE_ID);
	buf_u64(b, now_ms());
	opaque(b, name, strlen(name));
	buf_fill(b, 0, 12);
	if (end(x, false) || take_op(x, OP_EXCHANGE_ID))
		goto fail;
	memcpy(client, take(x, sizeof(client)), sizeof(client));
	if (create(x, client, back))
		goto fail;
	b = begin(x, 1, true);
	buf_u32(b, OP_RECLAIM_COMPLETE);
	buf_u32(b, 0);
	if (!end(x, true))
		return 0;
fail:
	lacking(s->r, "no NFSv4.1 session");
	return -1;
}

/**
 * session_open - make a session whose callbacks use its connection
 * @x: the session
 * @s: the connection
 *
 * Return: 0, or -1 with the reason in the result of the case.
 */
int session_open(struct session *x, struct cli *s)
{
	return session_make(x, s, true);
}

/**
 * session_bind - let callbacks of a session use another connection
 * @x: the session
 * @s: the connection
 *
 * Return: 0, or -1 with the reason in the result of the case.
 */
int session_bind(struct session *x, struct cli *s)
{
	struct cli *own = x->s;
	struct buf *b;
	int bad;

	x->s = s;
	b = begin(x, 1, false);
	buf_u32(b, OP_BIND_CONN_TO_SESSION);
	buf_bytes(b, x->id, sizeof(x->id));
	buf_u32(b, BACK_OR_BOTH);
	buf_u32(b, 0);
	bad = end(x, false) || take_op(x, OP_BIND_CONN_TO_SESSION);
	x->s = own;
	if (bad)
		result_fail(s->r, "BIND_CONN_TO_SESSION fails");
	return bad ? -1 : 0;
}

/**
 * folder - append the way to the folder of the test file
 * @b: the message, or NULL to count
 *
 * Return: how many operations.
 */
static u32 folder(struct buf *b)
{
	if (b)
		buf_u32(b, OP_PUTROOTFH);
	return 1 + rpc_look_up(b, nfs_path, rpc_folder());
}

/**
 * take_folder - take the results of that
 * @x: the session
 *
 * Return: 0, or the status that is not.
 */
static u32 take_folder(struct session *x)
{
	u32 n = folder(NULL), bad = take_op(x, OP_PUTROOTFH);

	while (!bad && --n)
		bad = take_op(x, OP_LOOKUP);
	return bad;
}

/**
 * open_file - create and open a file
 * @x: the session
 * @d: the file
 * @want: delegation that is asked for
 *
 * Return: 0, or -1.
 */
static int open_file(struct session *x, const struct deleg *d, u32 want)
{
	struct buf *b = begin(x, 2 + folder(NULL), true);

	folder(b);
	buf_u32(b, OP_OPEN);
	buf_u32(b, 0);
	buf_u32(b, SHARE_BOTH | want);
	buf_u32(b, 0);
	buf_u64(b, 0);
	opaque(b, d->name, strlen(d->name));
	buf_u32(b, 1);		/* create, unchecked, */
	buf_u32(b, 0);
	buf_u32(b, 2);		/* that who made it may read and write, */
	buf_u32(b, 0);
	buf_u32(b, ATTR_MODE);
	buf_u32(b, 4);
	buf_u32(b, 0644);
	buf_u32(b, 0);		/* by name */
	opaque(b, d->name, strlen(d->name));
	buf_u32(b, OP_GETFH);
	if (end(x, true) || take_folder(x))
		return -1;
	return take_op(x, OP_OPEN) ? -1 : 0;
}

/**
 * remove_file - append the removal of a file
 * @b: the compound
 * @d: the file
 */
static void remove_file(struct buf *b, const struct deleg *d)
{
	folder(b);
	buf_u32(b, OP_REMOVE);
	opaque(b, d->name, strlen(d->name));
}

/**
 * take_deleg - take a write delegation from the results of OPEN
 * @x: the session, behind number and status of OPEN
 * @d: gets the delegation and the file handle
 *
 * Return: the type of delegation.
 */
static u32 take_deleg(struct session *x, struct deleg *d)
{
	u32 type;

	take(x, 16 + 20 + 4);		/* stateid, change, flags */
	take(x, 4 * get_u32(take(x, 4)));
	type = get_u32(take(x, 4));
	if (type != DELEGATE_WRITE)
		return type;
	memcpy(d->stateid, take(x, 16), 16);
	take(x, 4 + 12 + 12);		/* no recall, space limit, an ACE */
	take(x, (get_u32(take(x, 4)) + 3) & ~3u);
	if (take_op(x, OP_GETFH))
		return 0;
	d->fh_len = get_u32(take(x, 4));
	if (d->fh_len > FH_SIZE)
		d->fh_len = 0;
	memcpy(d->fh, take(x, d->fh_len), d->fh_len);
	return type;
}

/**
 * session_delegate - get a delegation
 * @x: the session
 * @d: gets the file
 *
 * nfsd refuses one while it has not quite closed the file after creating it:
 * then there is another try, with another file.
 *
 * Return: 0, or -1 with the reason in the result of the case.
 */
int session_delegate(struct session *x, struct deleg *d)
{
	static unsigned int nr;
	struct buf *b;
	int i;

	for (i = 0; i < DELEG_TRIES; i++) {
		memset(d, 0, sizeof(*d));
		snprintf(d->name, sizeof(d->name), "peer-%d-%u", getpid(),
			 nr++);
		if (open_file(x, d, WANT_WRITE_DELEG))
			break;
		if (take_deleg(x, d) == DELEGATE_WRITE)
			return 0;
		b = begin(x, 1 + folder(NULL), true);
		remove_file(b, d);
		if (end(x, true))
			break;
	}
	lacking(x->s->r, "no delegation");
	return -1;
}

/**
 * session_create - create the test file
 * @x: the session
 * @name: its name in its folder
 *
 * Return: 0, or -1.
 */
int session_create(struct session *x, const char *name)
{
	struct deleg d;
	u8 stateid[16], fh[FH_SIZE];
	struct buf *b;
	u32 len;

	snprintf(d.name, sizeof(d.name), "%s", name);
	if (open_file(x, &d, WANT_NO_DELEG))
		return -1;
	memcpy(stateid, take(x, 16), 16);
	take(x, 20 + 4);			/* change, flags */
	take(x, 4 * get_u32(take(x, 4)));
	if (get_u32(take(x, 4)) == NO_DELEGATION_EXT && get_u32(take(x, 4)) - 1 < 2)
		take(x, 4);			/* whether it may come later */
	if (take_op(x, OP_GETFH))
		return -1;
	len = get_u32(take(x, 4));
	if (len > FH_SIZE)
		return -1;
	memcpy(fh, take(x, len), len);
	b = begin(x, 2, true);
	buf_u32(b, OP_PUTFH);
	opaque(b, fh, len);
	buf_u32(b, OP_CLOSE);
	buf_u32(b, 0);
	buf_bytes(b, stateid, sizeof(stateid));
	return end(x, true) ? -1 : 0;
}

/**
 * session_remove - remove it, if it is there
 * @x: the session
 * @name: its name in its folder
 *
 * Return: 0, or -1.
 */
int session_remove(struct session *x, const char *name)
{
	struct buf *b = begin(x, 1 + folder(NULL), true);
	struct deleg d;
	int status;

	snprintf(d.name, sizeof(d.name), "%s", name);
	remove_file(b, &d);
	status = end(x, true);
	return status && status != NFS4ERR_NOENT ? -1 : 0;
}

/**
 * session_return - return a delegation, and remove the file
 * @x: the session
 * @d: the file
 *
 * Return: 0, or -1 with the reason in the result of the case.
 */
int session_return(struct session *x, struct deleg *d)
{
	struct buf *b = begin(x, 3 + folder(NULL), true);

	buf_u32(b, OP_PUTFH);
	opaque(b, d->fh, d->fh_len);
	buf_u32(b, OP_DELEGRETURN);
	buf_bytes(b, d->stateid, 16);
	remove_file(b, d);
	if (!end(x, true))
		return 0;
	result_fail(x->s->r, "DELEGRETURN fails");
	return -1;
}

/**
 * session_close - give back what a session holds
 * @x: the session
 */
void session_close(struct session *x)
{
	struct buf *b;

	if (x->seq && !x->s->c->gone) {
		b = begin(x, 1, false);
		buf_u32(b, OP_DESTROY_SESSION);
		buf_bytes(b, x->id, sizeof(x->id));
		end(x, false);
	}
	free(x->reply);
	x->reply = NULL;
}
