// SPDX-License-Identifier: GPL-2.0
/* Words of a WANT about REPTERR, see want_place.h. */
#include <stdlib.h>
#include <string.h>

#include "rpc.h"
#include "want_place.h"
#include "xmt.h"

#define MAX_LAST	64

/* What was sent last, and the one of it that a report is about */
static struct sent {
	u32 xid, dir, seq;
	u32 left, pslen;
	bool cont;
} sent[MAX_LAST], *about = sent;
static unsigned int nr_sent;

/* To whom it was sent */
static const struct layout *peer_lay;
static const struct chars *peer;

/* What the request said of the response that was sent */
static u32 asked_rsbuf;

/* Longest message of the other end, which the first report about one that is too
 * long tells; it is no shorter than what NFS moves at a time by default */
#define LEAST_MAX	(64u << 10)
static u32 max_msg;

/**
 * want_sent - remember what reports may be about
 * @p: the message that is sent
 * @len: its length
 * @lay: layout of the other end's receives, or NULL
 * @chars: its characteristics, or NULL
 */
void want_sent(const u8 *p, size_t len, const struct layout *lay,
	       const struct chars *chars)
{
	struct sent *s = &sent[nr_sent++ % MAX_LAST];
	u32 info;

	memset(s, 0, sizeof(*s));
	about = s;
	peer_lay = lay;
	peer = chars;
	if (len < 20)
		return;
	s->xid = get_u32(p);
	s->dir = get_u32(p + 16);
	if (get_u32(p + 12) == P_ERROR)
		s->dir = DIR_REPLY;
	if (get_u32(p + 12) != P_OPTIONAL || len < 28)
		return;
	info = get_u32(p + 24);
	if (info <= len - 28)
		s->left = len - 28 - info;
	if (info <= len - 28 && info >= 4)
		s->pslen = get_u32(p + 28 + info - 4);
	s->cont = get_u32(p + 20) == O_XMTCONT;
	if (s->cont && len >= 32)
		s->seq = get_u32(p + 28);
}

/**
 * want_forget - what was sent before counts no more
 *
 * Xids begin anew with each connection of a client.
 */
void want_forget(void)
{
	nr_sent = 0;
}

/**
 * want_asked - remember how long the next response may be
 * @rsbuf: transmissions that the request has reserved
 */
void want_asked(u32 rsbuf)
{
	asked_rsbuf = rsbuf ? rsbuf : 1;
}

/**
 * symbol - the value of a name
 * @p: the name, moved behind it
 * @v: gets the value
 *
 * Return: true if it is known.
 */
static bool symbol(const char **p, u32 *v)
{
	const struct layout *l = peer_lay;
	const struct {
		const char *name;
		u32 v;
	} all[] = {
		{ "plen", l && l->nplt ? layout_plt(l, 0)->len : 0 },
		{ "pnum", l ? l->nplt : 0 },
		{ "left", about->left },
		{ "pslen", about->pslen },
		{ "rsbuf", asked_rsbuf },
		{ "maxmsg", max_msg },
		{ "xid", about->xid },
		{ "reqlim", peer ? peer->reqrxlim : 1 },
		{ "wpos", rpc_write_pos() },
	};
	size_t i, n;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		n = strlen(all[i].name);
		if (strncmp(*p, all[i].name, n))
			continue;
		*p += n;
		*v = all[i].v;
		return true;
	}
	return false;
}

/**
 * one_value - read a value of a WANT
 * @p: the text, moved behind it
 *
 * Return: the value.
 */
static u32 one_value(const char **p)
{
	u32 times = 1, v;
	char *e;

	if (!symbol(p, &v)) {
		v = strtoul(*p, &e, 0);
		*p = e;
		if (*e == '*') {
			times = v;
			*p = e + 1;
			symbol(p, &v);
		}
	}
	v *= times;
	if (**p == '+' || **p == '-') {
		v += strtol(*p, &e, 10);
		*p = e;
	}
	return v;
}

/**
 * learn_max - take the longest message of the other end from a report
 * @p: what is wanted there
 * @got: the value
 *
 * It is the same in all that follow.
 */
static void learn_max(const char *p, u32 got)
{
	bool plain = !strncmp(p, "maxmsg", 6) && (!p[6] || p[6] == ':');

	if (plain && !max_msg && got >= LEAST_MAX && !(got % 4))
		max_msg = got;
}

/**
 * value_fits - is a value of a report what is wanted?
 * @p: the text, moved behind what is wanted
 * @got: the value
 *
 * Return: true if so.
 */
static bool value_fits(const char **p, u32 got)
{
	learn_max(*p, got);
	return one_value(p) == got;
}

/**
 * code_of - the code that a WANT names
 * @p: the text, moved behind the name
 *
 * Return: R_*, or 0.
 */
static u32 code_of(const char **p)
{
	static const char * const name[] = {
		[R_BADHMT] = "badhmt", [R_BADOMT] = "badomt",
		[R_BADCONT] = "badcont", [R_BADSEQ] = "badseq",
		[R_BADXID] = "badxid", [R_BADOFF] = "badoff",
		[R_BADTBSN] = "badtbsn", [R_BADPL] = "badpl",
	};
	size_t n = strcspn(*p, ":");
	u32 i;

	for (i = 1; i < sizeof(name) / sizeof(name[0]); i++)
		if (strlen(name[i]) == n && !strncmp(*p, name[i], n)) {
			*p += n;
			return i;
		}
	return 0;
}

/**
 * nth_last - find what was sent before
 * @i: 1 for the last of it, and so on
 *
 * Return: it, or NULL if that is too long ago.
 */
static struct sent *nth_last(unsigned int i)
{
	return i <= nr_sent && i <= MAX_LAST ? &sent[(nr_sent - i) % MAX_LAST] :
					       NULL;
}

/**
 * led - was the first transmission of a group sent before the one that is bad?
 * @x: the report, which names both
 * @i: the bad one, see nth_last()
 *
 * Return: true if so.
 */
static bool led(const struct rept *x, unsigned int i)
{
	const struct sent *s;

	while ((s = nth_last(++i)))
		if (!s->cont && s->xid == x->lead.xid && s->dir == x->lead.dir)
			return true;
	return false;
}

/**
 * about_sent - is a report about something that was sent?
 * @h: its header
 * @x: what it says
 * @lead: it was not the first of its group
 *
 * Return: true if so.
 */
static bool about_sent(const struct hdr *h, const struct rept *x, bool lead)
{
	struct sent *s;
	unsigned int i;

	if (x->has_lead != lead || (lead && x->lead.seq))
		return false;
	for (i = 1; (s = nth_last(i)); i++) {
		about = s;
		if (h->xid == s->xid && h->dir != s->dir && x->bad.xid == s->xid &&
		    x->bad.dir == s->dir && x->bad.seq == s->seq && (!lead || led(x, i)))
			return true;
	}
	return false;
}

/**
 * want_report - does a word of a WANT about REPTERR hold?
 * @w: the word
 * @h: the message
 *
 * Return: 1 or 0, -1 if the word means something else.
 */
int want_report(const char *w, const struct hdr *h)
{
	bool lead = *w == 'l';
	struct rept x;
	u32 which, i;

	w += lead;
	if (strncmp(w, "rept:", 5))
		return -1;
	w += 5;
	which = code_of(&w);
	if (h->proc != P_OPTIONAL || h->opttype != O_REPTERR ||
	    rept_decode(&x, h) || x.which != which || !about_sent(h, &x, lead))
		return 0;
	for (i = 0; i < rept_values(which) && *w == ':'; i++) {
		w++;
		if (!value_fits(&w, x.v[i]))
			return 0;
	}
	return 1;
}

/**
 * want_xid - the xid that an answer to the last message must have
 * @xid: the xid of the step, which gives way to that of a reported message
 * @want: what is wanted
 *
 * Return: true if the answer is a report.
 */
bool want_xid(u32 *xid, const char *want)
{
	if (!strstr(want, "rept:"))
		return false;
	*xid = sent[(nr_sent - 1) % MAX_LAST].xid;
	return true;
}
