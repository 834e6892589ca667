// SPDX-License-Identifier: GPL-2.0
/*
 * Client role: takes XMTRESPs apart, puts the messages in them together and
 * holds them against what was asked for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_place.h"
#include "group.h"
#include "rpc.h"
#include "want_place.h"

#define OP_HEAD		8	/* number and status of an operation */

/* The last XMTREQ, and the last XMTRESP with the message in it */
static struct xmt req;
static bool has_req;
static struct group resp;
static struct buf msg;
static struct buf fetched;

/**
 * place_init - make receives and INITXCH of a client that takes placed data
 * @s: the client; gets the layout
 * @lay: the same as text, see layout_init()
 * @init: gets the INITXCH
 * @size: size of @init
 *
 * Return: 0, or -1 with the reason in the result of the case.
 */
int place_init(struct cli *s, const char *lay, char *init, size_t size)
{
	char info[2048];

	if (layout_init(&s->lay, info, sizeof(info), lay, false)) {
		result_fail(s->r, "bad layout: %s", lay);
		return -1;
	}
	snprintf(init, size, INIT "%s", info);
	return 0;
}

/**
 * place_sent - remember what was sent, for what may come back
 * @s: the client
 */
void place_sent(struct cli *s)
{
	const char *why;

	want_sent(s->sent.p, s->sent.len, &s->peer_lay, &s->peer);
	if (s->sent_ok && s->sent_hdr.proc <= P_NOMSG)
		has_req = false;
	else if (s->sent_ok && s->sent_hdr.proc == P_OPTIONAL &&
		 s->sent_hdr.opttype == O_XMTREQ)
		has_req = !xmt_decode(&req, &s->sent_hdr, &why);
}

/**
 * own_bytes - find memory of ours by its address
 * @s: the client
 * @g: a segment that came back
 *
 * Return: the memory, or NULL.
 */
static const u8 *own_bytes(struct cli *s, const struct seg *g)
{
	int i;

	for (i = 0; i < NR_MEM; i++) {
		const struct mem *m = &s->c->mem[i];
		u64 at = g->off - (uintptr_t)m->p;

		if (m->p && at < MEM_SIZE && g->len <= MEM_SIZE - at)
			return m->p + at;
	}
	return NULL;
}

/**
 * fetch_own - take an item that was written into our memory
 * @ctx: the client
 * @it: the item
 *
 * Return: its bytes, or NULL.
 */
static const u8 *fetch_own(void *ctx, const struct item *it)
{
	const u8 *p;
	u32 i;

	if (!fetched.p)
		buf_init(&fetched, GROUP_MAX_MSG);
	buf_reset(&fetched);
	for (i = 0; i < it->loc.ex.nsegs; i++) {
		p = own_bytes(ctx, &it->loc.ex.seg[i]);
		if (!p)
			return NULL;
		buf_bytes(&fetched, p, it->loc.ex.seg[i].len);
	}
	return fetched.p;
}

/**
 * take_rest - take what follows the first transmission of a response
 * @s: the client
 * @f: gets the fault
 *
 * Return: true if there is a fault.
 */
static bool take_rest(struct cli *s, struct fault *f)
{
	static struct hdr h;
	struct rmsg *m;
	bool bad = false;

	while (!bad && resp.n < resp.x.count) {
		m = conn_wait(s->c, cfg.timeout);
		bad = !m || wire_decode(&h, m->data, m->len) ||
		      h.proc != P_OPTIONAL || h.opttype != O_XMTCONT ||
		      m->len > s->limit;
		if (bad)
			f->what = "no proper XMTCONT";
		else
			bad = group_next(&resp, &h, m->data, m->len, f);
		free(m);
	}
	return bad;
}

/**
 * place_check - hold an XMTRESP against the protocol
 * @s: the client
 * @m: the message; XMTCONTs that follow it are taken, too
 * @h: the same taken apart
 *
 * Return: what is wrong, or NULL.
 */
const char *place_check(struct cli *s, const struct rmsg *m,
			const struct hdr *h)
{
	const char *bad;
	struct fault f;

	if (!has_req)
		return "XMTRESP to something else than XMTREQ";
	if (!msg.p)
		buf_init(&msg, GROUP_MAX_MSG);
	group_free(&resp);
	if (group_first(&resp, h, m->data, m->len, &s->lay,
			req.rsbuf ? req.rsbuf : 1, &f) ||
	    take_rest(s, &f) || group_whole(&resp, &s->lay, &f))
		return f.what;
	bad = resp_allowed(&req, &resp.x);
	if (!bad)
		bad = resp_manners(&req, &resp.x);
	if (!bad)
		bad = group_manners(&resp, &s->lay);
	if (!bad && group_message(&resp, &s->lay, fetch_own, s, &msg))
		bad = "message cannot be put together";
	return bad;
}

/**
 * answer - find the RPC message of an answer
 * @m: the answer
 * @h: the same taken apart
 * @len: gets its length
 *
 * Return: the message, or NULL if there is none.
 */
static const u8 *answer(const struct rmsg *m, const struct hdr *h, size_t *len)
{
	if (h->proc == P_MSG && h->dir == DIR_REPLY) {
		*len = m->len - h->hlen;
		return m->data + h->hlen;
	}
	if (h->proc != P_OPTIONAL || h->opttype != O_XMTRESP)
		return NULL;
	*len = msg.len;
	return msg.p;
}

/**
 * verdict - what an answer says of RPC and compound
 * @m: the answer
 * @h: the same taken apart
 *
 * Return: accept_stat, RPC_DENIED, RPC_UNDECODABLE, or 200 plus the status
 * of a compound that failed.
 */
static int verdict(const struct rmsg *m, const struct hdr *h)
{
	size_t len = 0, at;
	const u8 *p = answer(m, h, &len);
	int v = p ? rpc_result(p, len, h->xid, &at) : RPC_UNDECODABLE;

	if (v == RPC_SUCCESS && len >= at + 4 && get_u32(p + at))
		return 200 + get_u32(p + at);
	return v;
}

/**
 * types_are - are the items of the response of these types?
 * @arg: the types, parted by dots
 *
 * Return: true if so.
 */
static bool types_are(const char *arg)
{
	char got[256] = "";
	size_t at = 0;
	u32 i;

	for (i = 0; i < resp.x.nitems; i++)
		at += snprintf(got + at, sizeof(got) - at, "%s%s", i ? "." : "",
			       loc_name(resp.x.item[i].loc.type));
	return !strcmp(got, arg);
}

/**
 * has_pattern - do bytes hold a part of the test file?
 * @p: the bytes
 * @off: where the part starts in the file
 * @len: its length
 * @key: what each byte is XORed with
 *
 * Return: true if so.
 */
static bool has_pattern(const u8 *p, u32 off, u32 len, u8 key)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (p[i] != (rpc_pattern(off + i) ^ key))
			return false;
	return true;
}

/**
 * skip_path - step over the results of what comes before the READs
 * @p: results of the compound
 * @len: their length
 *
 * Return: how many bytes that is, or 0.
 */
static size_t skip_path(const u8 *p, size_t len)
{
	u32 n = len >= 12 ? get_u32(p + 8) : 0;
	size_t at = 12;

	while (n-- && at + OP_HEAD + 8 <= len && get_u32(p + at) != 25)
		at += OP_HEAD;
	return at;
}

/**
 * reads_are - did the READs come to these parts of the test file?
 * @m: the answer
 * @h: the same taken apart
 * @arg: offset and length of each
 *
 * Return: true if so.
 */
static bool reads_are(const struct rmsg *m, const struct hdr *h,
		      const char *arg)
{
	size_t len = 0, at;
	const u8 *p = answer(m, h, &len);
	u32 off, want;
	char *e;

	if (!p || verdict(m, h) || rpc_result(p, len, h->xid, &at))
		return false;
	at += skip_path(p + at, len - at);
	do {
		off = strtoul(arg, &e, 10);
		want = strtoul(e + 1, &e, 10);
		arg = e + 1;
		if (at + OP_HEAD + 8 + rounded(want) > len ||
		    get_u32(p + at + OP_HEAD + 4) != want ||
		    !has_pattern(p + at + OP_HEAD + 8, off, want, 0)) {
			printf("# READ at %zu of %zu is not %u bytes from %u\n",
			       at, len, want, off);
			return false;
		}
		at += OP_HEAD + 8 + rounded(want);
	} while (*e);
	return at == len;
}

/**
 * memory_is - does memory 0 hold this part of the test file?
 * @s: the client
 * @arg: key, offset and length
 *
 * Return: true if so.
 */
static bool memory_is(struct cli *s, const char *arg)
{
	char *e;
	u32 key = strtoul(arg, &e, 16);
	u32 off = strtoul(e + 1, &e, 10), len = strtoul(e + 1, &e, 10);
	struct mem *m = conn_mem(s->c, 0);

	return m && len <= MEM_SIZE && has_pattern(m->p, off, len, key);
}

/**
 * memory_blank - is memory as it was?
 * @s: the client
 * @arg: its number, and how much of it
 *
 * Return: true if so.
 */
static bool memory_blank(struct cli *s, const char *arg)
{
	char *e;
	u32 nr = strtoul(arg, &e, 10), len = strtoul(e + 1, &e, 10), i;
	struct mem *m = conn_mem(s->c, nr % NR_MEM);

	for (i = 0; m && i < len && i < MEM_SIZE; i++)
		if (m->p[i])
			return false;
	return m;
}

/**
 * place_want - does a word of a WANT hold?
 * @s: the client
 * @w: the word
 * @m: the message
 * @h: the same taken apart
 *
 * Return: 1 or 0, -1 if the word means something else.
 */
int place_want(struct cli *s, const char *w, const struct rmsg *m,
	       const struct hdr *h)
{
	bool plain = h->proc == P_MSG || !resp.x.nitems;

	if (!strcmp(w, "xreply"))
		return plain && verdict(m, h) == RPC_SUCCESS;
	if (!strncmp(w, "xresp:", 6))
		return h->proc == P_OPTIONAL && verdict(m, h) == RPC_SUCCESS &&
		       types_are(w + 6);
	if (!strncmp(w, "vread:", 6))
		return reads_are(m, h, w + 6);
	if (!strncmp(w, "xrpcerr:", 8))
		return verdict(m, h) == atoi(w + 8);
	if (!strncmp(w, "types:", 6))
		return h->proc == P_OPTIONAL && types_are(w + 6);
	if (!strcmp(w, "xnfserr"))
		return verdict(m, h) > 200;
	if (!strncmp(w, "kdata:", 6))
		return memory_is(s, w + 6);
	if (!strncmp(w, "blank:", 6))
		return memory_blank(s, w + 6);
	return -1;
}
