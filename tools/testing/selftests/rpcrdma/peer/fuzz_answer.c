// SPDX-License-Identifier: GPL-2.0
/* Client role of the fuzzer: judges what a server sends. */
#include <string.h>

#include "fuzz_client.h"

#define MAX_GRANT	0x4000

/**
 * request_of - find the XMTREQ that a response may be the answer to
 * @h: the response
 * @at: where to go on
 * @x: gets the XMTREQ
 *
 * Return: true if there is one.
 */
static bool request_of(const struct hdr *h, unsigned int *at, struct xmt *x)
{
	static struct hdr o;
	const struct fsent *s;
	const char *why;

	while ((s = fuzz_sent(h->xid, at)))
		if (!wire_decode(&o, s->p, s->kept) && o.vers == 2 &&
		    o.proc == P_OPTIONAL && o.opttype == O_XMTREQ &&
		    o.dir == DIR_CALL && !xmt_decode(x, &o, &why))
			return true;
	return false;
}

/**
 * whole - judge a response that is complete
 * @f: the fuzzer
 * @h: its last transmission
 *
 * Return: what is wrong, or NULL.
 */
static const char *whole(struct fcli *f, const struct hdr *h)
{
	static struct xmt req;
	const char *bad = "XMTRESP to something else than XMTREQ";
	unsigned int at = 0;
	struct fault x;

	if (group_whole(&f->resp, &f->s.lay, &x))
		return x.what;
	while (bad && request_of(h, &at, &req))
		bad = resp_allowed(&req, &f->resp.x);
	if (!bad)
		bad = group_manners(&f->resp, &f->s.lay);
	group_free(&f->resp);
	return bad;
}

/**
 * judge_response - judge XMTRESP or XMTCONT
 * @f: the fuzzer
 * @m: the message
 * @h: the same taken apart
 *
 * Return: what is wrong, or NULL.
 */
static const char *judge_response(struct fcli *f, const struct rmsg *m,
				  const struct hdr *h)
{
	static struct xmt req;
	unsigned int at = 0;
	u32 most = 0;
	struct fault x;
	bool bad;

	if (f->loose)
		return fuzz_sent(h->xid, &at) ? NULL : "XMTRESP to nothing";
	if (h->opttype == O_XMTCONT) {
		if (!f->resp.n)
			return "XMTCONT without a group";
		bad = group_next(&f->resp, h, m->data, m->len, &x);
	} else {
		while (request_of(h, &at, &req))
			most = req.rsbuf > most ? req.rsbuf : most;
		bad = group_first(&f->resp, h, m->data, m->len, &f->s.lay,
				  most ? most : 1, &x);
	}
	if (bad)
		return x.what;
	return f->resp.n < f->resp.x.count ? NULL : whole(f, h);
}

/**
 * judge_call - judge what the server sends of its own accord
 * @f: the fuzzer
 * @m: the message
 * @h: the same taken apart
 *
 * A REQXCH is answered: it holds a credit. The answer may come inside a group that is left
 * open, and be reported.
 *
 * Return: what is wrong, or NULL.
 */
static const char *judge_call(struct fcli *f, const struct rmsg *m,
			      const struct hdr *h)
{
	struct tmpl_env env = { .xid = h->xid };
	struct req req;
	struct upd upd;
	char t[64];

	if (h->proc != P_OPTIONAL || h->opttype == O_XMTREQ ||
	    h->opttype == O_XMTCONT)
		return f->reverse ? f->reverse(f, m, h) :
		       "Call of the server out of place";
	if (m->len > V1_INLINE)
		return "control message too long";
	if (h->opttype == O_UPDXCH)
		return wire_upd(&upd, h) ? "malformed UPDXCH" : NULL;
	if (h->opttype != O_REQXCH)
		return "OPTIONAL of the server out of place";
	if (wire_req(&req, h))
		return "malformed REQXCH";
	snprintf(t, sizeof(t), "x 2 20 5 1 3 [ 0 1 %x 0 ]",
		 (1u << req.count) - 1);
	tmpl_build(&f->b, t, &env);
	fuzz_log(~0u, &f->b);
	conn_send(f->s.c, f->b.p, f->b.len, NULL);
	return NULL;
}

/**
 * is_response - is a message a transmission of a response?
 * @h: the message
 *
 * Return: true if so.
 */
static bool is_response(const struct hdr *h)
{
	return h->vers == 2 && h->proc == P_OPTIONAL && h->dir == DIR_REPLY &&
	       (h->opttype == O_XMTRESP || h->opttype == O_XMTCONT);
}

/**
 * fcli_judge - judge a message of the server's
 * @f: the fuzzer
 * @m: the message
 * @h: the same taken apart
 *
 * Return: what is wrong, or NULL.
 */
const char *fcli_judge(struct fcli *f, const struct rmsg *m,
		       const struct hdr *h)
{
	const char *bad;

	if (!h->credit)
		return "zero credits";
	if (h->credit > MAX_GRANT)
		return "absurd grant";
	if (f->resp.n && (!is_response(h) || h->opttype != O_XMTCONT))
		return "a message inside a group";
	if (h->proc == P_ERROR)
		return m->inval ? "ERROR by Send With Invalidate" :
		       fuzz_judge_error(h, false);
	bad = fuzz_judge_version(h);
	if (bad)
		return bad;
	if (!f->loose && m->len > f->s.limit)
		return "Send above the receiver's RBSIZ";
	if (is_response(h))
		return judge_response(f, m, h);
	if (h->vers == 2 && h->proc == P_OPTIONAL && h->opttype == O_REPTERR)
		return fuzz_judge_control(m, h);
	if (h->vers == 2 && h->dir == DIR_CALL)
		return judge_call(f, m, h);
	if (h->proc == P_OPTIONAL)
		return fuzz_judge_control(m, h);
	return fuzz_judge_reply(m, h);
}
