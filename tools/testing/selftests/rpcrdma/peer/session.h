/* SPDX-License-Identifier: GPL-2.0 */
/* An NFSv4.1 session whose back channel is the connection it was made on. */
#ifndef PEER_SESSION_H
#define PEER_SESSION_H

#include "client.h"

#define FH_SIZE		128

/**
 * struct session - a session
 * @s: its connection
 * @id: its id
 * @seq: sequence id of the next compound
 * @flags: status flags of the last SEQUENCE
 * @at: results of the last compound, behind SEQUENCE
 * @left: how many bytes of them
 * @reply: the message they are in
 */
struct session {
	struct cli *s;
	u8 id[16];
	u32 seq;
	u32 flags;
	const u8 *at;
	size_t left;
	struct rmsg *reply;
};

/**
 * struct deleg - a file with a delegation
 * @name: its name
 * @stateid: the delegation
 * @fh: the file handle
 * @fh_len: its length
 */
struct deleg {
	char name[32];
	u8 stateid[16];
	u8 fh[FH_SIZE];
	u32 fh_len;
};

int session_make(struct session *x, struct cli *s, bool back);
int session_create(struct session *x, const char *name);
int session_remove(struct session *x, const char *name);
int session_open(struct session *x, struct cli *s);
int session_bind(struct session *x, struct cli *s);
int session_delegate(struct session *x, struct deleg *d);
int session_return(struct session *x, struct deleg *d);
void session_close(struct session *x);

#endif /* PEER_SESSION_H */
