// SPDX-License-Identifier: GPL-2.0
/* Client role: holds answers against the protocol and against a WANT, see client.h. */
#include <stdlib.h>
#include <string.h>

#include "cli_place.h"
#include "rpc.h"
#include "want.h"

/**
 * cli_fail - fail the case, with the message that was sent
 * @s: the client
 * @what: what went wrong
 * @got: what came instead, or NULL
 */
void cli_fail(struct cli *s, const char *what, const struct rmsg *got)
{
	char *sent = wire_hex(s->sent.p, s->sent.len, 128);
	char *back = got ? wire_hex(got->data, got->len, 64) : strdup("-");

	result_fail(s->r, "%s%s%s; sent %s; got %s", what, got ? ": " : "",
		    got ? wire_brief(got->data, got->len) : "", sent, back);
	free(sent);
	free(back);
}

/**
 * check_chunks - hold a reply's chunks against the offer
 * @s: the client
 * @h: the reply
 *
 * Return: what is wrong, or NULL.
 */
static const char *check_chunks(struct cli *s, const struct hdr *h)
{
	const struct hdr *o = &s->sent_hdr;
	u32 i, j;

	if (h->nreads)
		return "Read list in a reply";
	if (!s->sent_ok)
		return NULL;
	if (h->nwrites != o->nwrites)
		return "Write list not returned whole";
	for (i = 0; i < h->nwrites; i++) {
		if (h->writes[i].nsegs != o->writes[i].nsegs)
			return "Write chunk with other segments";
		for (j = 0; j < h->writes[i].nsegs; j++)
			if (h->writes[i].seg[j].handle !=
			    o->writes[i].seg[j].handle ||
			    h->writes[i].seg[j].len > o->writes[i].seg[j].len)
				return "Write segment not as offered";
	}
	if (h->has_reply && !o->has_reply)
		return "Reply chunk not offered";
	if (h->vers == 2 && h->proc == P_MSG && h->has_reply)
		return "unused Reply chunk returned";
	return NULL;
}

/**
 * check_always - hold any message of a server against what always applies
 * @s: the client
 * @m: the message
 * @h: the same taken apart
 *
 * Return: what is wrong, or NULL.
 */
static const char *check_always(struct cli *s, const struct rmsg *m,
				struct hdr *h)
{
	if (wire_decode(h, m->data, m->len))
		return h->why;
	if (!h->credit)
		return "zero credits";
	if (h->credit > MAX_GRANT)
		return "absurd grant";
	if (h->proc == P_ERROR && s->sent.len >= 8 &&
	    h->vers != get_u32(s->sent.p + 4))
		return "rdma_vers of the ERROR is not copied";
	if (h->proc == P_ERROR && m->inval)
		return "ERROR by Send With Invalidate";
	if (h->proc == P_ERROR || h->vers == 1)
		return NULL;
	if (h->proc == P_OPTIONAL && h->opttype == O_REPTERR)
		return NULL;
	if (h->dir != DIR_REPLY)
		return "direction is not REPLY";
	if (m->len > s->limit)
		return "Send above the receiver's RBSIZ";
	if (h->proc == P_OPTIONAL && h->opttype == O_XMTRESP)
		return place_check(s, m, h);
	if (h->proc == P_OPTIONAL)
		return m->len > V1_INLINE ? "control message too long" : NULL;
	if (s->sent_ok && h->inv != s->sent_hdr.inv)
		return "rdma_inv_handle not copied";
	return check_chunks(s, h);
}

/**
 * number - read a number of a WANT
 * @p: the text, moved behind it
 *
 * Return: its value.
 */
static u32 number(const char **p)
{
	bool reply = **p == 'r';
	char *e;
	u32 v = strtoul(*p + reply, &e, 0);

	if (reply)
		v = rpc_read_reply_len(v);
	if (*e == '+' || (*e == '-' && reply))
		v += strtol(e, &e, 10);
	*p = *e == ':' ? e + 1 : e;
	return v;
}

/**
 * want_cant - does an ERROR say CANT_REPLY with the values wanted?
 * @h: the message
 * @arg: the values
 *
 * Return: true if so.
 */
static bool want_cant(const struct hdr *h, const char *arg)
{
	u32 p = number(&arg), i = number(&arg), n = number(&arg);

	return h->proc == P_ERROR && h->err == E_CANT && h->processed == p &&
	       h->index == i && h->needed == n;
}

/**
 * want_vers - does an ERROR say VERS with the range wanted?
 * @h: the message
 * @arg: the range
 *
 * Return: true if so.
 */
static bool want_vers(const struct hdr *h, const char *arg)
{
	u32 low = number(&arg), high = number(&arg);

	return h->proc == P_ERROR && h->err == E_VERS && h->low == low &&
	       h->high == high;
}

/**
 * want_data - does memory 0 hold the right part of the test file?
 * @s: the client
 * @arg: offset and length
 *
 * Return: true if so.
 */
static bool want_data(struct cli *s, const char *arg)
{
	u32 off = number(&arg), len = number(&arg), i;
	struct mem *m = conn_mem(s->c, 0);

	for (i = 0; m && i < len; i++)
		if (m->p[i] != rpc_pattern(off + i))
			return false;
	return m;
}

/**
 * rpc_verdict - look at the RPC message in a reply
 * @s: the client
 * @m: the reply
 * @h: the same taken apart
 *
 * Return: accept_stat, RPC_DENIED, RPC_UNDECODABLE, or 200 plus the status
 * of a compound that failed.
 */
static int rpc_verdict(struct cli *s, const struct rmsg *m,
		       const struct hdr *h)
{
	const u8 *p = m->data + h->hlen;
	size_t len = m->len - h->hlen, at;
	int v;

	if (h->proc == P_NOMSG) {
		struct mem *mem = conn_mem(s->c, 0);
		u32 i;

		len = 0;
		for (i = 0; i < h->reply.nsegs; i++)
			len += h->reply.seg[i].len;
		p = mem->p;
	}
	v = rpc_result(p, len, h->xid, &at);
	if (v == RPC_SUCCESS && len >= at + 4 && get_u32(p + at))
		return 200;
	return v;
}

/**
 * want_swi - did a message invalidate a handle?
 * @s: the client
 * @m: the message
 * @rkey: the handle
 *
 * The user-space driver of siw says nothing about it. There the cases find
 * out by using the handle once more.
 *
 * Return: true if so, or if the device cannot tell.
 */
static bool want_swi(struct cli *s, const struct rmsg *m, u32 rkey)
{
	if (conn_is_iwarp(s->c) && !m->inval)
		return true;
	return m->inval && m->inval_rkey == rkey;
}

/**
 * cli_word - does one word of a WANT hold?
 * @s: the client
 * @w: the word
 * @m: the message
 * @h: the same taken apart
 *
 * Return: true if so.
 */
bool cli_word(struct cli *s, const char *w, const struct rmsg *m,
		      const struct hdr *h)
{
	bool msg = h->proc == P_MSG;
	int known = want_known(w, h);

	if (known >= 0)
		return known;
	if (!strcmp(w, "reply"))
		return msg && rpc_verdict(s, m, h) == RPC_SUCCESS;
	if (!strcmp(w, "long"))
		return h->proc == P_NOMSG && h->has_reply &&
		       rpc_verdict(s, m, h) == RPC_SUCCESS;
	if (!strncmp(w, "rpcerr:", 7))
		return msg && rpc_verdict(s, m, h) == atoi(w + 7);
	if (!strcmp(w, "denied"))
		return msg && rpc_verdict(s, m, h) == RPC_DENIED;
	if (!strcmp(w, "nfserr"))
		return msg && rpc_verdict(s, m, h) == 200;
	if (!strncmp(w, "cant:", 5))
		return want_cant(h, w + 5);
	if (!strncmp(w, "vers:", 5))
		return want_vers(h, w + 5);
	if (!strncmp(w, "data:", 5))
		return want_data(s, w + 5);
	if (!strncmp(w, "swi", 3))
		return want_swi(s, m, conn_mem(s->c, atoi(w + 3))->rkey);
	return place_want(s, w, m, h) == 1;
}

/**
 * want_all - does one alternative of a WANT hold?
 * @s: the client
 * @want: the alternative
 * @m: the message
 * @h: the same taken apart
 *
 * A message that came with an invalidation only does if that was wanted.
 *
 * Return: true if so.
 */
static bool want_all(struct cli *s, char *want, const struct rmsg *m,
		     const struct hdr *h)
{
	bool swi = strstr(want, "swi");
	char *w, *save;

	s->stained |= swi;
	if (m->inval && !swi)
		return false;
	for (w = strtok_r(want, " ", &save); w; w = strtok_r(NULL, " ", &save))
		if (!cli_word(s, w, m, h))
			return false;
	return true;
}

/**
 * want_any - does any alternative of a WANT hold?
 * @s: the client
 * @want: the alternatives
 * @m: the message
 * @h: the same taken apart
 *
 * Return: true if so.
 */
static bool want_any(struct cli *s, const char *want, const struct rmsg *m,
		     const struct hdr *h)
{
	char all[256], *w, *save;

	snprintf(all, sizeof(all), "%s", want);
	for (w = strtok_r(all, "|", &save); w; w = strtok_r(NULL, "|", &save))
		if (want_all(s, w, m, h))
			return true;
	return false;
}

/**
 * cli_matches - is a message in REPLY direction what is wanted?
 * @s: the client
 * @want: the alternatives
 * @m: the message
 *
 * Return: true if so.
 */
bool cli_matches(struct cli *s, const char *want, const struct rmsg *m)
{
	static struct hdr h;

	return !wire_decode(&h, m->data, m->len) && want_any(s, want, m, &h);
}

/**
 * cli_holds - is the last answer this, too?
 * @s: the client
 * @want: a word of want.h
 *
 * Return: true if so.
 */
bool cli_holds(struct cli *s, const char *want)
{
	return want_known(want, &s->got) == 1;
}

/**
 * learn - take credits and characteristics from an answer
 * @s: the client
 * @h: the answer
 */
static void learn(struct cli *s, const struct hdr *h)
{
	struct chars own;
	const char *bad;

	if (h->proc != P_ERROR)
		s->grant = h->credit;
	if (h->proc != P_OPTIONAL || h->opttype != O_INITXCH)
		return;
	if (wire_chars(&s->peer, h))
		result_fail(s->r, "INITXCH of the server: %s", h->why);
	bad = layout_told(&s->peer_lay, &s->peer);
	if (bad)
		result_fail(s->r, "INITXCH of the server: %s", bad);
	if (s->peer.rbsiz < DEFAULT_INLINE)
		result_fail(s->r, "RBSIZ %u of the server", s->peer.rbsiz);
	if (s->negotiated || !s->sent_ok)
		return;
	s->negotiated = true;
	if (!wire_chars(&own, &s->sent_hdr) && own.have_rbsiz && own.rbsiz >= V1_INLINE)
		s->limit = own.rbsiz;
}

/**
 * cli_judge - hold a message against what is wanted
 * @s: the client
 * @m: the message, freed here
 * @xid: the xid it must have
 * @want: what is wanted
 *
 * Return: 0, or -1.
 */
int cli_judge(struct cli *s, struct rmsg *m, u32 xid, const char *want)
{
	struct hdr h;
	const char *bad = check_always(s, m, &h);

	if (cfg.verbose)
		printf("#   < %s%s\n", wire_brief(m->data, m->len),
		       m->inval ? " SWI" : "");
	if (!bad && h.xid != xid)
		bad = "answer to something else";
	if (!bad && !want_any(s, want, m, &h))
		bad = want;
	if (bad)
		cli_fail(s, bad == want ? "not what is wanted" : bad, m);
	else
		learn(s, &h);
	hdr_copy(&s->got, &h);
	if (h.optlen > sizeof(s->got_opt))
		s->got.optlen = 0;
	if (s->got.optlen)
		memcpy(s->got_opt, h.optinfo, h.optlen);
	s->got.optinfo = s->got_opt;
	free(m);
	return bad ? -1 : 0;
}
