// SPDX-License-Identifier: GPL-2.0
/* The client in the place of a kernel's: NFS operations. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "fake.h"
#include "nfs3.h"
#include "rpc.h"

#define NFS4ERR_STALE_CLIENTID	10022
#define READ_AT		(4 + 88 + 4 + 4 + 4)	/* data behind the attributes */

/**
 * begin - start a call
 * @proc: its procedure
 */
static void begin(u32 proc)
{
	fake.len = fake.want = 0;
	fake.xid += 8;
	buf_reset(&fake.call);
	rpc_head(&fake.call, fake.xid, DIR_CALL, 3, proc, true);
	buf_u32(&fake.call, 4);
	buf_u32(&fake.call, proc == NFS3_READ || proc == NFS3_WRITE ? 2 : 1);
}

/**
 * results - find the results in the reply
 * @len: gets their length
 *
 * Return: them, or NULL if the call failed.
 */
static const u8 *results(size_t *len)
{
	size_t at;

	if (rpc_result(fake.msg.p, fake.msg.len, fake.xid, &at) || fake.msg.len < at + 4 ||
	    get_u32(fake.msg.p + at))
		return NULL;
	*len = fake.msg.len - at;
	return fake.msg.p + at;
}

/**
 * simple - make a call that has no more arguments
 * @proc: its procedure
 *
 * Return: 0 or an errno.
 */
static int simple(u32 proc)
{
	size_t len;
	int err;

	begin(proc);
	if (proc == NFS3_READDIR) {
		buf_u64(&fake.call, 0);
		buf_u64(&fake.call, 0);
		buf_u32(&fake.call, 512);
	}
	err = fake_call();
	return err ? err : results(&len) ? 0 : EIO;
}

/**
 * exchange_id - what a mount by NFSv4.1 begins with, again if it is told to
 *
 * Return: an errno; nothing more of it is there.
 */
static int exchange_id(void)
{
	int err;

	do {
		fake.len = fake.want = 0;
		fake.xid += 8;
		buf_reset(&fake.call);
		rpc_head(&fake.call, fake.xid, DIR_CALL, 4, 1, true);
		buf_u64(&fake.call, 1);		/* no tag, minor version */
		buf_u32(&fake.call, 0);
		err = fake_call();
	} while (!err && rpc_compound_status(fake.msg.p, fake.msg.len,
					     fake.xid) == NFS4ERR_STALE_CLIENTID);
	return err ? err : EPROTONOSUPPORT;
}

/**
 * read_some - READ
 * @off: where
 * @len: how much; gets how much came
 *
 * Return: 0 or an errno.
 */
static int read_some(u32 off, u32 *len)
{
	const u8 *p;
	size_t n;
	u32 i;
	int err;

	begin(NFS3_READ);
	buf_u64(&fake.call, off);
	buf_u32(&fake.call, *len);
	fake.want = *len;
	err = fake_call();
	if (err)
		return err;
	p = results(&n);
	if (!p || n < READ_AT || get_u32(p + READ_AT - 4) > n - READ_AT)
		return EIO;
	*len = get_u32(p + READ_AT - 4);
	for (i = 0; i < *len; i++)
		if (p[READ_AT + i] != rpc_pattern(off + i))
			return APP_WRONG_DATA;
	return 0;
}

/**
 * write_some - WRITE
 * @off: where
 * @len: how much
 *
 * Return: 0 or an errno.
 */
static int write_some(u32 off, u32 *len)
{
	u32 i;
	size_t n;
	int err;

	begin(NFS3_WRITE);
	buf_u64(&fake.call, off);
	buf_u32(&fake.call, *len);
	buf_u32(&fake.call, 2);
	buf_u32(&fake.call, *len);
	fake.len = *len;
	for (i = 0; i < *len; i++)
		fake.data[i] = rpc_pattern(off + i);
	err = fake_call();
	return err ? err : results(&n) ? 0 : EIO;
}

/**
 * move - read or write
 * @fn: how
 * @total: how much
 *
 * Return: 0 or an errno.
 */
static int move(int (*fn)(u32 off, u32 *len), u32 total)
{
	u32 off = 0, len;
	int err;

	while (off < total) {
		len = total - off < fake.io ? total - off : fake.io;
		err = fn(off, &len);
		if (err || !len)
			return err ? err : EIO;
		off += len;
	}
	return 0;
}

/**
 * one_op - carry out one operation of many
 * @op: see fake_do()
 * @arg: unused
 *
 * Return: see fake_do().
 */
static int one_op(const char *op, const char *arg)
{
	return fake_do(op);
}

/**
 * fake_do - carry out an operation
 * @op: see app_do() in app.c
 *
 * Return: 0 or an errno.
 */
int fake_do(const char *op)
{
	if (!strcmp(op, "mount") && fake_open())
		return EIO;
	if (!strcmp(op, "mount"))
		return fake.back.served ? exchange_id() : simple(NFS3_FSINFO);
	if (!strcmp(op, "umount"))
		return 0;
	if (!strcmp(op, "stat"))
		return simple(NFS3_GETATTR);
	if (!strcmp(op, "idle"))
		return 0;
	if (!strcmp(op, "statfs"))
		return simple(NFS3_FSSTAT);
	if (!strcmp(op, "ls"))
		return simple(NFS3_READDIR);
	if (!strncmp(op, "mix:", 4))
		return app_mix(op, one_op, NULL);
	if (!strncmp(op, "read", 4))
		return move(read_some, strtoul(op + 4, NULL, 10));
	if (!strncmp(op, "write", 5))
		return move(write_some, strtoul(op + 5, NULL, 10));
	return APP_NO_OP;
}
