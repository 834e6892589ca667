// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the server role: what the kernel's client makes of replies in version 1.
 * The server refuses version 2. It has no private data in its RDMA-CM messages, so
 * that Sends have up to 1024 bytes and nothing is invalidated from afar.
 */
#include <errno.h>

#include "rpc.h"
#include "server.h"

#define V1		"x 2 20 4 1 1 1", .flags = S_V1
#define V1_ALWAYS	"x 2 20 4 1 1 1", .flags = S_V1 | S_ALWAYS
#define STATFS		.op = "statfs", .proc = NFS3_FSSTAT
#define READ		.op = "read8192", .proc = NFS3_READ
#define READS		.op = "read131072", .proc = NFS3_READ
#define LS		.op = "write1000 ls", .proc = NFS3_READDIR

/**
 * check_next_came - the Call was sent whose reply came before it
 * @s: the server
 *
 * Its xid was guessed.
 */
static void check_next_came(struct srv *s)
{
	if (s->t.nexts)
		return;
	if (srv_watch)
		result_skip(s->r, "the client's xids are in another order");
	else
		result_fail(s->r, "no Call with the xid %08x came",
			    rpc_next_xid(s->t.spoiled_xid));
}

const struct srv_case cases_srv_v1[] = {
	{ "v1_reply_write_list_not_offered", "N-27 S-04", V1, STATFS,
	  .reply = "x 1 20 0 0 1 1 0 64 0 0 0 0 rpc", .want = EIO },
	{ "v1_reply_write_list_too_long", "N-27 S-04", V1, READ,
	  .reply = "x 1 20 0 0 1 1 wseg0+4 0 0 rpc", .want = EIO },
	{ "v1_reply_sum_overflow", "N-16 N-27", V1, READ,
	  .reply = "x 1 20 0 0 1 2 wseg0 deadbeef fffffff0 0 0 0 0 rpc",
	  .want = EIO },
	{ "v1_reply_chunk_too_long", "N-27 S-04", V1, LS,
	  .reply = "x 1 20 1 0 0 1 1 rseg0+65536", .want = EIO },
	/* With one credit READs wait in the client, and have their xids. What the
	 * server says to the next one is NFS3ERR_IO.
	 */
	{ "v1_reply_before_call", "N-30 D-02 D-12", V1, READS, .grant = 1,
	  .reply = "pause; next 1 1 0 0 0 0 next 1 0 0 0 0 5 0; honest",
	  .check = check_next_came },
	/* The second one finds the memory of the Call about to be invalidated */
	{ "v1_reply_twice", "N-30 D-02 S-04", V1_ALWAYS, READS,
	  .reply = "together; honest; honest" },
};

const unsigned int nr_cases_srv_v1 = ARRAY_SIZE(cases_srv_v1);
