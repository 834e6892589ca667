// SPDX-License-Identifier: GPL-2.0
/*
 * Server role: the honest reply to an XMTREQ. Each target gets an item, and
 * each item goes as the target, the case and the client's receives allow.
 */
#include <string.h>

#include "srv_place.h"
#include "want_place.h"

#define RESP_HEAD	28	/* what comes before optinfo */

/**
 * struct plan - a reply in the making
 * @s: the server
 * @sc: the connection
 * @req: the request
 * @resp: items of the reply
 * @data: which data each item is, or NULL
 * @next: next segment to place data in
 * @first: no data is placed before this one
 * @cap: nor from this one on
 * @count: transmissions of the reply
 * @per: bytes of payload in each of them, less in the last that has any
 */
struct plan {
	struct srv *s;
	struct sconn *sc;
	const struct xmt *req;
	struct xmt resp;
	const struct nfs3_data *data[MAX_ITEMS];
	u32 next;
	u32 first;
	u32 cap;
	u32 count;
	u32 per;
};

/**
 * place_tbsn - place an item in receives if there is room
 * @p: the plan
 * @it: the item, which has its length
 *
 * Return: true if so.
 */
static bool place_tbsn(struct plan *p, struct item *it)
{
	const struct layout *lay = &p->sc->peer_lay;
	u32 left = it->len, n = 0, len;

	while (left && p->next + n < p->cap && n < MAX_TBSN) {
		len = layout_plt(lay, p->next + n)->len;
		it->loc.tbsn[n] = p->next + n;
		left -= left < len ? left : len;
		n++;
	}
	if (left)
		return false;
	it->loc.type = T_TBSN;
	it->loc.off = 0;
	it->loc.n = n;
	p->next += n;
	return true;
}

/**
 * wants_exrw - is RDMA Write the first choice for an item?
 * @p: the plan
 * @t: its target
 * @len: its length
 *
 * Return: true if so.
 */
static bool wants_exrw(const struct plan *p, const struct target *t, u32 len)
{
	if (t->loc.type == T_TBSN)
		return false;
	return t->loc.type == T_EXRW || p->s->k->how == HOW_EXRW ||
	       (t->loc.type == T_BYSIZE && len > t->loc.off);
}

/**
 * settle - decide where the data of a target goes
 * @p: the plan
 * @i: which target
 */
static void settle(struct plan *p, u32 i)
{
	const struct target *t = &p->req->target[i];
	struct item *it = &p->resp.item[i];

	if (!p->data[i]) {
		it->loc.type = T_NOITEM;
		return;
	}
	it->len = p->data[i]->len;
	it->disp = p->data[i]->at;
	it->loc.type = T_TOOSHORT;
	if (it->len < t->minlen || p->s->k->how == HOW_INLINE)
		return;
	if (!wants_exrw(p, t, it->len) && place_tbsn(p, it))
		return;
	if (t->loc.type == T_TBSN)
		return;
	it->loc.type = T_EXRW;
	it->loc.ex = t->loc.ex;
}

/**
 * settle_all - decide where all data goes
 * @p: the plan
 *
 * With several sets, or one for a part of the request, it is not known which
 * READ is meant.
 */
static void settle_all(struct plan *p)
{
	const struct nfs3_reply *rep = &p->s->rep;
	bool sole = p->req->nsets == 1 && !p->req->set[0].begin &&
		    p->req->set[0].end >= p->s->req.len;
	u32 i;

	memset(&p->resp, 0, sizeof(p->resp));
	p->resp.nitems = p->req->ntargets;
	p->next = p->first;
	for (i = 0; i < p->req->ntargets; i++) {
		p->data[i] = sole && i < rep->nr_data ? &rep->data[i] : NULL;
		settle(p, i);
	}
}

/**
 * payload_len - length of what stays in the payload
 * @p: the plan
 *
 * Return: the length.
 */
static u32 payload_len(const struct plan *p)
{
	u32 len = p->s->rep.b.len, i;

	for (i = 0; i < p->resp.nitems; i++)
		if (excised(&p->resp.item[i]))
			len -= rounded(p->resp.item[i].len);
	return len;
}

/**
 * put_head - build the header
 * @p: the plan
 * @b: the message
 * @xid: its xid
 */
static void put_head(struct plan *p, struct buf *b, u32 xid)
{
	p->resp.type = O_XMTRESP;
	p->resp.count = p->count;
	p->resp.pslen = p->per;
	buf_reset(b);
	xmt_put(b, xid, p->s->grant, DIR_REPLY, &p->resp);
}

/**
 * put_cont - build the header of an XMTCONT
 * @p: the plan
 * @b: the message
 * @xid: its xid
 * @xnum: its number
 * @pslen: bytes of payload in it
 */
static void put_cont(struct plan *p, struct buf *b, u32 xid, u32 xnum,
		     u32 pslen)
{
	static struct xmt cont = { .type = O_XMTCONT, .itype = O_XMTRESP };

	cont.xnum = xnum;
	cont.pslen = pslen;
	buf_reset(b);
	xmt_put(b, xid, p->s->grant, DIR_REPLY, &cont);
}

/**
 * put_payload - append the message less what goes elsewhere
 * @p: the plan
 * @b: the message
 */
static void put_payload(struct plan *p, struct buf *b)
{
	const struct buf *rep = &p->s->rep.b;
	size_t at = 0;
	u32 i;

	for (i = 0; i < p->resp.nitems; i++) {
		const struct item *it = &p->resp.item[i];

		if (!excised(it))
			continue;
		buf_bytes(b, rep->p + at, it->disp - at);
		at = it->disp + rounded(it->len);
	}
	buf_bytes(b, rep->p + at, rep->len - at);
}

/**
 * put_placed - append data where the client's receives have a place for it
 * @p: the plan
 * @b: the message
 */
static void put_placed(struct plan *p, struct buf *b)
{
	static struct span out[MAX_TBSN];
	const struct layout *lay = &p->sc->peer_lay;
	const u8 *from;
	u32 i;
	int n, j;

	for (i = 0; i < p->resp.nitems; i++) {
		const struct item *it = &p->resp.item[i];

		if (it->loc.type != T_TBSN)
			continue;
		from = p->s->rep.b.p + it->disp;
		n = item_spans(lay, it, out);
		for (j = 0; j < n; j++) {
			buf_fill(b, 0, layout_plt(lay, out[j].tbsn)->at -
				 b->len);
			buf_bytes(b, from, out[j].len);
			from += out[j].len;
		}
	}
}

/**
 * short_target - find the segment that is too short for an item
 * @p: the plan
 * @i: the item
 * @f: gets the CANT_REPLY
 */
static void short_target(const struct plan *p, u32 i, struct fault *f)
{
	const struct chunk *c = &p->req->target[i].loc.ex;
	u32 index = 0, need = p->resp.item[i].len, j;

	for (j = 0; j < i; j++)
		index += p->req->target[j].loc.ex.nsegs;
	for (j = 0; j + 1 < c->nsegs; j++)
		need -= c->seg[j].len;
	f->err = E_CANT;
	f->v[0] = index + c->nsegs;
	f->v[1] = need;
}

/**
 * push_items - write what goes by RDMA
 * @p: the plan
 * @f: gets the fault
 *
 * Return: 0, or -1.
 */
static int push_items(struct plan *p, struct fault *f)
{
	u32 i;

	for (i = 0; i < p->resp.nitems; i++) {
		struct item *it = &p->resp.item[i];

		if (it->loc.type != T_EXRW)
			continue;
		if (srv_push(p->sc, &it->loc.ex, p->s->rep.b.p + it->disp,
			     it->len)) {
			short_target(p, i, f);
			return -1;
		}
	}
	return 0;
}

/**
 * send_cant - say that a reply cannot be conveyed
 * @s: the server
 * @sc: the connection
 * @xid: xid of the call
 * @f: index and length
 */
static void send_cant(struct srv *s, struct sconn *sc, u32 xid,
		      const struct fault *f)
{
	buf_reset(&s->out);
	wire_fixed(&s->out, xid, 2, s->grant, P_ERROR);
	buf_u32(&s->out, E_CANT);
	buf_u32(&s->out, 1);
	buf_u32(&s->out, f->v[0]);
	buf_u32(&s->out, f->v[1]);
	srv_send(s, sc, &s->out);
}

/**
 * fits - is the payload clear of the placed data, and the message in bounds?
 * @p: the plan
 * @xid: its xid
 *
 * Return: true if so.
 */
static bool fits(struct plan *p, u32 xid)
{
	const struct layout *lay = &p->sc->peer_lay;
	u64 end;

	p->count = 1;
	p->per = payload_len(p);
	put_head(p, &p->s->out, xid);
	end = p->s->out.len + (u64)payload_len(p);
	return end <= p->sc->peer_limit &&
	       (p->next == p->first || layout_plt(lay, p->first)->at >= end);
}

/**
 * fits_single - find out whether a single transmission is enough
 * @p: gets the plan
 * @xid: xid of the reply
 *
 * Return: true if so.
 */
static bool fits_single(struct plan *p, u32 xid)
{
	u32 nplt = p->sc->peer_lay.nplt;

	p->cap = nplt;
	for (p->first = 0; p->first <= nplt; p->first++) {
		settle_all(p);
		if (fits(p, xid))
			return true;
	}
	return false;
}

/**
 * fits_parts - find out how many transmissions are enough
 * @p: gets the plan
 * @xid: xid of the reply
 *
 * All have a piece of the payload, but for one more at the end if data is
 * placed.
 *
 * Return: true if that is not too many.
 */
static bool fits_parts(struct plan *p, u32 xid)
{
	u32 nplt = p->sc->peer_lay.nplt, most = p->sc->lay.limit, n;

	if (most > p->req->rsbuf)
		most = p->req->rsbuf;
	if (most > MAX_MORE)
		most = MAX_MORE;
	for (n = 1; n <= most; n++) {
		p->first = n * nplt;
		p->cap = p->first + nplt;
		settle_all(p);
		p->count = n + (p->next > p->first);
		p->per = ((payload_len(p) + n - 1) / n + 3) & ~3u;
		put_head(p, &p->s->out, xid);
		if (p->count > 1 && p->count <= most &&
		    p->s->out.len + p->per <= p->sc->peer_limit)
			return true;
	}
	return false;
}

/**
 * split - make transmissions out of payload and placed data
 * @p: the plan
 * @xid: xid of the reply
 */
static void split(struct plan *p, u32 xid)
{
	struct srv *s = p->s;
	u32 at = p->per, n, i;
	struct buf all;

	buf_init(&all, NFS3_MAX_MSG);
	put_payload(p, &all);
	buf_bytes(&s->out, all.p, p->per < all.len ? p->per : all.len);
	for (i = 0; i + 1 < p->count; i++) {
		if (!s->more[i].p)
			buf_init(&s->more[i], NFS3_MAX_MSG);
		n = at < all.len ? all.len - at : 0;
		if (n > p->per)
			n = p->per;
		put_cont(p, &s->more[i], xid, i + 1, n);
		buf_bytes(&s->more[i], all.p + at, n);
		at += n;
	}
	s->nr_more = i;
	put_placed(p, &s->more[i - 1]);
	buf_free(&all);
}

/**
 * note_reply - note what a reply is
 * @p: the plan
 */
static void note_reply(struct plan *p)
{
	u32 i;

	for (i = 0; i < p->resp.nitems; i++)
		p->s->t.seen.replies[p->resp.item[i].loc.type]++;
	p->s->used = p->resp.nitems ? p->resp.item[0].loc.type : USED_PLAIN;
}

/**
 * place_reply - build the reply that is due to an XMTREQ
 * @s: the server, which has carried out the call
 * @sc: the connection
 * @g: the request
 * @hlen: gets the length of the reply's transport header
 * @f: gets the fault
 *
 * Return: 0, or -1 if it cannot be conveyed; while another peer is served
 * that has been said to it.
 */
int place_reply(struct srv *s, struct sconn *sc, const struct group *g,
		size_t *hlen, struct fault *f)
{
	static struct plan p;
	bool ok;

	p.s = s;
	p.sc = sc;
	p.req = &g->x;
	want_asked(g->x.rsbuf);
	s->nr_more = 0;
	ok = (s->k->how == HOW_PARTS && fits_parts(&p, g->xid)) ||
	     fits_single(&p, g->xid) || fits_parts(&p, g->xid);
	if (!ok)
		f->v[1] = s->rep.b.len;
	if (!ok || push_items(&p, f)) {
		if (s->serving && !sc->c->gone)
			send_cant(s, sc, g->xid, f);
		return -1;
	}
	note_reply(&p);
	put_head(&p, &s->out, g->xid);
	*hlen = s->out.len;
	if (p.count > 1) {
		split(&p, g->xid);
	} else {
		put_payload(&p, &s->out);
		put_placed(&p, &s->out);
	}
	return 0;
}
