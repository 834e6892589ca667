// SPDX-License-Identifier: GPL-2.0
/*
 * Holds what comes in answer to spoiled messages against what always applies: an
 * answer belongs to something that was sent, and repeats of it what it has to.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "peer.h"
#include "xmt.h"

#define NR_SENT		1024	/* messages that answers may still come to */
#define KEPT		4096
#define HEAD		16	/* bytes that any message has to have */
#define DONE_V1		3	/* rdma_proc of version 1 */

static struct fsent sent[NR_SENT];
static unsigned int nr_sent;

/* The version that the first message asks for and the one that answers show, each 0
 * as long as nothing is known of it; a server need not speak version 1 at all
 */
static u32 first = 2, spoken = 2;

/**
 * fuzz_log - note a message that is sent
 * @seq: number of its sequence
 * @b: the message
 */
void fuzz_log(u32 seq, const struct buf *b)
{
	struct fsent *s = &sent[nr_sent++ % NR_SENT];

	free(s->p);
	s->seq = seq;
	s->len = b->len;
	s->xid = b->len >= 4 ? get_u32(b->p) : 0;
	if (!first && b->len >= HEAD && get_u32(b->p + 4) - 1 < 2)
		first = get_u32(b->p + 4);
	s->first = first;
	s->kept = b->len < KEPT ? b->len : KEPT;
	s->p = malloc(s->kept + 1);
	if (!s->p)
		abort();
	memcpy(s->p, b->p, s->kept);
}

/**
 * fuzz_forget - another connection knows nothing of what was sent
 * @vers: the version that it has settled on, 0 if its first message decides
 */
void fuzz_forget(u32 vers)
{
	unsigned int i;

	first = vers;
	spoken = vers;

	for (i = 0; i < NR_SENT; i++) {
		free(sent[i].p);
		sent[i].p = NULL;
	}
	nr_sent = 0;
}

/**
 * fuzz_sent - find messages with an xid, the newest first
 * @xid: the xid
 * @at: where to go on; begin with 0
 *
 * Return: the message, or NULL if there is no more.
 */
const struct fsent *fuzz_sent(u32 xid, unsigned int *at)
{
	while (*at < nr_sent && *at < NR_SENT) {
		const struct fsent *s = &sent[(nr_sent - ++*at) % NR_SENT];

		if (s->p && s->len >= 4 && s->xid == xid)
			return s;
	}
	return NULL;
}

/**
 * word - a word of a message that was sent
 * @s: the message
 * @i: number of the word
 *
 * Return: the word, ~0 if the message ends before it.
 */
static u32 word(const struct fsent *s, u32 i)
{
	return s->kept >= 4 * i + 4 ? get_u32(s->p + 4 * i) : ~0u;
}

/**
 * fits - does an answer belong to the version of its connection?
 * @vers: the version that shows in it
 * @says: it names that as the only one
 *
 * Return: true if so.
 */
static bool fits(u32 vers, bool says)
{
	if (!spoken)
		spoken = says ? vers : first;
	return spoken == vers && (vers != 1 || first == 1);
}

/**
 * fuzz_judge_version - judge the version of what is no ERROR
 * @h: the message
 *
 * Return: what is wrong, or NULL.
 */
const char *fuzz_judge_version(const struct hdr *h)
{
	return fits(h->vers, false) ? NULL : "not the version of the connection";
}

/**
 * may_be_vers - may a message be answered by this VERS?
 * @s: the message
 * @h: the VERS
 *
 * Both versions are offered before one is settled on, and only that one after it.
 * Version 1 says so whatever the message is, even if it is an ERROR.
 *
 * Return: true if so.
 */
static bool may_be_vers(const struct fsent *s, const struct hdr *h)
{
	u32 vers = word(s, 1);

	if (s->len < HEAD || vers == h->low || vers == h->high)
		return false;
	if (h->low == 1 && h->high == 2)
		return !s->first && word(s, 3) != P_ERROR;
	return h->low == h->high && (h->low != 1 || s->first == 1) &&
	       fits(h->low, true);
}

/**
 * refused_v1 - may a message be answered by this ERROR in version 1?
 * @s: the message
 * @h: the ERROR, which is no VERS
 *
 * Return: true if so.
 */
static bool refused_v1(const struct fsent *s, const struct hdr *h)
{
	u32 proc = word(s, 3);

	if (h->err != E_XDR)
		return false;
	return s->len < HEAD || (word(s, 1) == 1 && proc != DONE_V1 &&
				 proc != P_ERROR && fits(1, false));
}

/**
 * may_be_refused - may a message be answered by this ERROR?
 * @s: the message
 * @h: the ERROR
 * @client: it comes from a client
 *
 * ERRORs must not; to a client those of other versions need not be known as such.
 * What is in REPLY direction may only be of a type that is not known.
 *
 * Return: true if so.
 */
static bool may_be_refused(const struct fsent *s, const struct hdr *h,
			   bool client)
{
	u32 vers = word(s, 1), proc = word(s, 3);

	if (h->err == E_VERS)
		return may_be_vers(s, h);
	if (s->first == 1 && spoken != 2)
		return refused_v1(s, h);
	if (vers != 2)
		return client;
	if (proc == P_ERROR || !fits(2, false))
		return false;
	return (proc != P_MSG && proc != P_NOMSG && proc != P_OPTIONAL) ||
	       word(s, 4) != DIR_REPLY || h->err == E_OPT;
}

/**
 * fuzz_judge_error - judge an ERROR
 * @h: the ERROR
 * @client: it comes from a client
 *
 * Return: what is wrong, or NULL.
 */
const char *fuzz_judge_error(const struct hdr *h, bool client)
{
	const struct fsent *s;
	unsigned int at = 0;
	bool known = false, copied = false;

	if (client && h->err == E_VERS)
		return "a client never sends VERS";
	while ((s = fuzz_sent(h->xid, &at))) {
		known = true;
		if (word(s, 1) != h->vers)
			continue;
		copied = true;
		if (may_be_refused(s, h, client))
			return NULL;
	}
	if (!known)
		return "ERROR to nothing that was sent";
	return copied ? "ERROR to what must not be answered by one" :
			"rdma_vers of the ERROR is not copied";
}

/**
 * same_chunks - does a reply return the chunks that a Call offers?
 * @h: the reply
 * @o: the Call
 *
 * Return: what is wrong, or NULL.
 */
static const char *same_chunks(const struct hdr *h, const struct hdr *o)
{
	u32 i, j;

	if (h->nwrites != o->nwrites)
		return "Write list not returned whole";
	for (i = 0; i < h->nwrites; i++) {
		const struct chunk *a = &h->writes[i], *b = &o->writes[i];

		if (a->nsegs != b->nsegs)
			return "Write chunk with other segments";
		for (j = 0; j < a->nsegs; j++)
			if (a->seg[j].handle != b->seg[j].handle ||
			    a->seg[j].len > b->seg[j].len)
				return "Write segment not as offered";
	}
	if (h->has_reply && !o->has_reply)
		return "Reply chunk not offered";
	return NULL;
}

/**
 * answers_call - may a reply be the answer to a message that was sent?
 * @s: the message
 * @h: the reply
 *
 * Return: what is wrong, or NULL.
 */
static const char *answers_call(const struct fsent *s, const struct hdr *h)
{
	static struct hdr o;
	static struct xmt x;
	const char *why;
	bool whole = s->kept == s->len || word(s, 3) <= P_NOMSG;

	if (word(s, 1) != h->vers)
		return "reply in another version";
	if (h->vers == 1)
		return word(s, 3) <= P_NOMSG ? NULL : "reply to no Call";
	if (!whole || wire_decode(&o, s->p, s->kept))
		return "reply to a message that is malformed";
	if (o.dir != DIR_CALL)
		return "reply to no Call";
	if (o.proc == P_OPTIONAL && o.opttype == O_XMTREQ && s->kept == s->len &&
	    xmt_decode(&x, &o, &why))
		return "reply to an XMTREQ that is malformed";
	if (o.proc == P_OPTIONAL && o.opttype == O_XMTREQ)
		return h->nwrites || h->has_reply ? "chunks in the reply to XMTREQ" :
		       NULL;
	if (o.proc > P_NOMSG)
		return "reply to no Call";
	if (h->inv != o.inv)
		return "rdma_inv_handle not copied";
	return same_chunks(h, &o);
}

/**
 * other_xid - does a reply have another xid in its payload?
 * @s: the Call
 * @m: the reply
 * @h: the same taken apart
 *
 * Who is called by something else than a whole MSG need not compare them.
 *
 * Return: true if so.
 */
static bool other_xid(const struct fsent *s, const struct rmsg *m,
		      const struct hdr *h)
{
	return word(s, 3) == P_MSG && h->proc == P_MSG && h->vers == 2 &&
	       get_u32(m->data + h->hlen) != h->xid;
}

/**
 * fuzz_judge_reply - judge MSG or NOMSG in REPLY direction
 * @m: the message
 * @h: the same taken apart
 *
 * Return: what is wrong, or NULL.
 */
const char *fuzz_judge_reply(const struct rmsg *m, const struct hdr *h)
{
	const char *bad = "reply to nothing that was sent", *why;
	const struct fsent *s;
	unsigned int at = 0;

	if (h->nreads)
		return "Read list in a reply";
	if (h->vers == 2 && h->proc == P_MSG && h->has_reply)
		return "unused Reply chunk returned";
	if (h->proc == P_MSG && (m->len < h->hlen + 12 ||
				 get_u32(m->data + h->hlen + 4) != DIR_REPLY))
		return "payload of a reply";
	while ((s = fuzz_sent(h->xid, &at))) {
		why = answers_call(s, h);
		if (!why && other_xid(s, m, h))
			why = "xid in the payload of a reply";
		if (!why)
			return NULL;
		bad = why;
	}
	return bad;
}

/**
 * asked - was an OPTIONAL with this xid sent?
 * @xid: the xid
 * @type: its type
 *
 * Return: true if so, in CALL direction.
 */
static bool asked(u32 xid, u32 type)
{
	const struct fsent *s;
	unsigned int at = 0;

	while ((s = fuzz_sent(xid, &at)))
		if (word(s, 1) == 2 && word(s, 3) == P_OPTIONAL &&
		    word(s, 4) == DIR_CALL && word(s, 5) == type)
			return true;
	return false;
}

/**
 * judge_report - judge a REPTERR
 * @h: the message
 *
 * Return: what is wrong, or NULL.
 */
static const char *judge_report(const struct hdr *h)
{
	unsigned int at = 0, also = 0;
	struct rept x;

	if (rept_decode(&x, h))
		return "malformed REPTERR";
	if (!fuzz_sent(x.bad.xid, &at))
		return "REPTERR about nothing that was sent";
	if (x.has_lead && !fuzz_sent(x.lead.xid, &also))
		return "REPTERR with a lead that was not sent";
	return NULL;
}

/**
 * fuzz_judge_control - judge an OPTIONAL that answers
 * @m: the message
 * @h: the same taken apart
 *
 * Return: what is wrong, or NULL.
 */
const char *fuzz_judge_control(const struct rmsg *m, const struct hdr *h)
{
	struct chars x;
	struct resp r;

	if (m->len > V1_INLINE)
		return "control message too long";
	switch (h->opttype) {
	case O_REPTERR:
		return judge_report(h);
	case O_INITXCH:
		if (wire_chars(&x, h))
			return "malformed INITXCH";
		return asked(h->xid, O_INITXCH) ? NULL : "INITXCH unasked";
	case O_RESPXCH:
		if (wire_resp(&r, h) || !resp_once(&r))
			return "malformed RESPXCH";
		return asked(h->xid, O_REQXCH) ? NULL : "RESPXCH unasked";
	}
	return "OPTIONAL out of place";
}

/**
 * fuzz_changes - may a message change what its receiver knows of our receives?
 * @b: the message
 *
 * Return: true if so.
 */
bool fuzz_changes(const struct buf *b)
{
	u32 type = b->len >= 24 ? get_u32(b->p + 20) : 0;

	return b->len >= 24 && get_u32(b->p + 12) == P_OPTIONAL &&
	       (type == O_INITXCH || type == O_UPDXCH || type == O_RESPXCH);
}
