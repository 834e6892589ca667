// SPDX-License-Identifier: GPL-2.0
/* Words of a WANT about the answer to a reverse Call, see want_back.h. */
#include <stdlib.h>
#include <string.h>

#include "rpc.h"
#include "want_back.h"

#define BARE_REPLY	24	/* accepted, no verifier, no results */

/**
 * back_reply - can a message be the answer to a reverse Call?
 * @h: its header
 *
 * Return: true if so.
 */
bool back_reply(const struct hdr *h)
{
	return h->dir == DIR_REPLY &&
	       (h->proc == P_MSG ||
		(h->proc == P_OPTIONAL && h->opttype == O_XMTRESP));
}

/**
 * tag_came_back - are these the results of a Call with a tag and nothing else?
 * @p: the results
 * @left: their length
 * @len: length of the tag
 *
 * Return: true if so.
 */
static bool tag_came_back(const u8 *p, size_t left, u32 len)
{
	u32 i;

	if (left != 12 + (size_t)len || get_u32(p) || get_u32(p + 4) != len ||
	    get_u32(p + 8 + len))
		return false;
	for (i = 0; i < len; i++)
		if (p[8 + i] != rpc_pattern(i))
			return false;
	return true;
}

/**
 * want_back - does a word of a WANT about a reverse reply hold?
 * @w: the word
 * @m: the message
 * @h: the same taken apart
 *
 * Return: 1 or 0, -1 if the word means something else.
 */
int want_back(const char *w, const struct rmsg *m, const struct hdr *h)
{
	const u8 *p = m->data + h->hlen;
	size_t len = m->len - h->hlen, at = 0;
	bool ours = back_reply(h);
	int stat = ours ? rpc_result(p, len, h->xid, &at) : RPC_UNDECODABLE;

	if (!strcmp(w, "cbok"))
		return stat == RPC_SUCCESS && len == BARE_REPLY;
	if (!strncmp(w, "cbtag:", 6))
		return stat == RPC_SUCCESS && at == BARE_REPLY &&
		       tag_came_back(p + at, len - at, atoi(w + 6));
	if (!strncmp(w, "cberr:", 6))
		return stat == atoi(w + 6) && len == BARE_REPLY;
	if (!strncmp(w, "grant:", 6))
		return ours && h->credit >= strtoul(w + 6, NULL, 10);
	return -1;
}
