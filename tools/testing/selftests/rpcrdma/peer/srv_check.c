// SPDX-License-Identifier: GPL-2.0
/*
 * Server role: holds the client's messages against the protocol, and counts which
 * calls and credits are open.
 */
#include <stdlib.h>
#include <string.h>

#include "server.h"
#include "want.h"
#include "want_back.h"

#define MAX_REQUEST	0x4000

/**
 * srv_fault - the client did what it must not
 * @s: the server
 * @m: the message, or NULL
 * @what: what is wrong
 */
void srv_fault(struct srv *s, const struct rmsg *m, const char *what)
{
	char *hex = m ? wire_hex(m->data, m->len, 96) : strdup("");

	result_fail(s->r, "client: %s: %s %s", what,
		    m ? wire_brief(m->data, m->len) : "", hex);
	free(hex);
}

/**
 * handle_known - is a handle among those a call offers?
 * @h: the call
 * @handle: the handle
 *
 * Return: true if so.
 */
static bool handle_known(const struct hdr *h, u32 handle)
{
	u32 i, j;

	for (i = 0; i < h->nreads; i++)
		if (h->reads[i].handle == handle)
			return true;
	for (i = 0; i < h->nwrites; i++)
		for (j = 0; j < h->writes[i].nsegs; j++)
			if (h->writes[i].seg[j].handle == handle)
				return true;
	for (j = 0; h->has_reply && j < h->reply.nsegs; j++)
		if (h->reply.seg[j].handle == handle)
			return true;
	return false;
}

/**
 * srv_call_open - note that a call, or a transmission of it, awaits a reply
 * @sc: its connection
 * @xid: its xid
 *
 * Return: what is wrong with that, or NULL.
 */
const char *srv_call_open(struct sconn *sc, u32 xid)
{
	unsigned int i;

	for (i = 0; i < sc->nr_open && !sc->open_group; i++)
		if (sc->open[i] == xid)
			return "two calls with the same xid";
	if (sc->nr_open + sc->owed >= sc->grant)
		return "more calls than granted";
	if (sc->nr_open < MAX_OPEN) {
		sc->order[sc->nr_open] = sc->nr_call_sent++;
		sc->open[sc->nr_open++] = xid;
	}
	return NULL;
}

/**
 * credits_back - note which credits a message of ours returns
 * @sc: the connection
 * @xid: xid of the call that it ends
 * @refused: it is no reply
 *
 * What is left of a group that was refused may still be coming.
 */
static void credits_back(struct sconn *sc, u32 xid, bool refused)
{
	unsigned int i, n = 0;

	for (i = 0; i < sc->nr_open; ) {
		if (sc->open[i] != xid) {
			i++;
			continue;
		}
		if (!refused && sc->order[i] >= sc->owed_order)
			sc->owed = 0;
		sc->nr_open--;
		sc->open[i] = sc->open[sc->nr_open];
		sc->order[i] = sc->order[sc->nr_open];
		sc->unconfirmed = 0;
		n++;
	}
	if (refused && n > 1) {
		sc->owed += n - 1;
		sc->owed_order = sc->nr_call_sent;
	}
}

/**
 * grants - does a message of ours grant credits?
 * @sc: the connection
 * @b: the message
 *
 * The first grant is in no ERROR, and none in one that says VERS.
 *
 * Return: true if so.
 */
static bool grants(const struct sconn *sc, const struct buf *b)
{
	u32 word = get_u32(b->p + 16);
	bool v2 = get_u32(b->p + 4) == 2;

	if (get_u32(b->p + 12) == P_ERROR)
		return v2 && sc->granted && word != E_VERS;
	return !v2 || word == DIR_REPLY;
}

/**
 * srv_call_close - note what a message of ours answers and grants
 * @sc: the connection
 * @b: the message
 *
 * A grant counts even in a message with other faults, as long as its
 * direction is certain.
 */
void srv_call_close(struct sconn *sc, const struct buf *b)
{
	u32 proc, credit;

	if (b->len < 20)
		return;
	proc = get_u32(b->p + 12);
	credit = get_u32(b->p + 8);
	if (proc == P_OPTIONAL && get_u32(b->p + 16) == DIR_CALL)
		return;
	credits_back(sc, get_u32(b->p), proc == P_ERROR ||
		     (proc == P_OPTIONAL && b->len >= 24 &&
		      get_u32(b->p + 20) == O_REPTERR));
	if (!grants(sc, b))
		return;
	sc->granted = true;
	sc->last_grant = credit;
	if (credit > sc->grant)
		sc->grant = credit;
}

/**
 * note_offer - note whether a call offers memory, and names some of it
 * @sc: its connection
 * @h: the call
 */
static void note_offer(struct sconn *sc, const struct hdr *h)
{
	bool offers = h->nreads || h->has_reply;
	u32 i;

	for (i = 0; i < h->nwrites; i++)
		offers |= h->writes[i].nsegs > 0;
	sc->nr_offers += h->vers == 2 && offers;
	sc->nr_nominated += h->vers == 2 && h->inv;
}

/**
 * check_call - hold an RPC call against the protocol
 * @sc: its connection
 * @m: the call
 * @h: the same taken apart
 *
 * Return: what is wrong, or NULL.
 */
static const char *check_call(struct sconn *sc, const struct rmsg *m,
			      const struct hdr *h)
{
	const u8 *rpc = m->data + h->hlen;
	u32 i;

	if (sc->vers && h->vers != sc->vers)
		return "version changes on a connection";
	if (h->vers == 2 && !sc->vers)
		return "RPC before version 2 is agreed";
	if (h->vers == 2 && h->inv && !handle_known(h, h->inv))
		return "rdma_inv_handle not among the handles";
	if (h->proc == P_MSG && m->len < h->hlen + 8)
		return "MSG without payload";
	if (h->proc == P_MSG && get_u32(rpc) != h->xid)
		return "payload with another xid";
	if (h->proc == P_MSG && get_u32(rpc + 4) != DIR_CALL)
		return "payload with another direction";
	if (h->proc == P_NOMSG && (!h->nreads || h->pos[0]))
		return "NOMSG without position-zero Read chunk";
	for (i = 0; h->proc == P_MSG && i < h->nreads; i++)
		if (!h->pos[i])
			return "MSG with position-zero Read chunk";
	note_offer(sc, h);
	return srv_call_open(sc, h->xid);
}

/**
 * srv_check - hold any message of the client against the protocol
 * @sc: its connection
 * @m: the message
 * @h: gets the same taken apart
 *
 * Return: what is wrong, or NULL.
 */
const char *srv_check(struct sconn *sc, const struct rmsg *m,
				 struct hdr *h)
{
	if (wire_decode(h, m->data, m->len))
		return h->why;
	if (!h->credit)
		return "zero credits";
	if (h->credit > MAX_REQUEST)
		return "absurd credits";
	if (m->inval)
		return "Send With Invalidate from a client";
	if (m->len > (h->vers == 2 ? sc->own_limit : V1_INLINE))
		return "Send above our RBSIZ";
	if (sc->probing)
		return "second message before an answer";
	if (h->vers == 2 && sc->nr_msg == 1 &&
	    (h->proc != P_OPTIONAL || h->opttype != O_INITXCH || h->dir))
		return "first message is no INITXCH";
	if (h->proc == P_OPTIONAL && sc->nr_msg == 1 && m->len > V1_INLINE)
		return "INITXCH above 1024 bytes";
	if (h->proc <= P_NOMSG && (h->vers == 1 || h->dir == DIR_CALL))
		return check_call(sc, m, h);
	return NULL;
}

/**
 * srv_find_sent - find the message of ours that another one answers
 * @s: the server
 * @h: the other one
 * @call: only reverse Calls count
 *
 * Return: the last one with that xid and version, or NULL.
 */
const struct sent *srv_find_sent(struct srv *s, const struct hdr *h,
				    bool call)
{
	unsigned int i;

	for (i = 1; i <= s->nr_sent && i <= MAX_SENT; i++) {
		const struct sent *sent = &s->sent[(s->nr_sent - i) % MAX_SENT];

		if (sent->xid == h->xid && sent->vers == h->vers &&
		    sent->call >= call)
			return sent;
	}
	return NULL;
}

/**
 * srv_answers_us - does a message carry xid and version of one of ours?
 * @s: the server
 * @h: the message
 *
 * Return: true if so.
 */
bool srv_answers_us(struct srv *s, const struct hdr *h)
{
	return srv_find_sent(s, h, false);
}

/**
 * srv_wanted - hold an answer of the client against the next WANT
 * @s: the server
 * @m: the answer
 * @h: the same taken apart
 */
void srv_wanted(struct srv *s, const struct rmsg *m, const struct hdr *h)
{
	char all[256], *alt, *w, *save, *save2;
	bool ok;

	if (!tmpl_next(&s->answers, all, sizeof(all))) {
		srv_fault(s, m, "nothing was wanted any more");
		return;
	}
	for (alt = strtok_r(all, "|", &save); alt;
	     alt = strtok_r(NULL, "|", &save)) {
		ok = true;
		for (w = strtok_r(alt, " ", &save2); w;
		     w = strtok_r(NULL, " ", &save2))
			ok &= want_known(w, h) == 1 || want_back(w, m, h) == 1;
		if (ok)
			return;
	}
	srv_fault(s, m, "not what is wanted");
}
