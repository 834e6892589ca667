// SPDX-License-Identifier: GPL-2.0
/* Words of a WANT, see want.h, that both roles know. */
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "want.h"
#include "want_place.h"

/**
 * want_error - does an ERROR have the code wanted?
 * @w: the word
 * @h: the message
 *
 * Return: 1 or 0, -1 if the word means something else.
 */
static int want_error(const char *w, const struct hdr *h)
{
	static const char * const errors[] = {
		[E_XDR] = "xdr", [E_PROC] = "proc", [E_OPT] = "opt",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(errors); i++)
		if (errors[i] && !strcmp(w, errors[i]))
			return h->proc == P_ERROR && h->err == i;
	return -1;
}

/**
 * is_option - is a message of this OPTIONAL type?
 * @h: the message
 * @type: the type
 *
 * Return: true if so.
 */
static bool is_option(const struct hdr *h, u32 type)
{
	return h->proc == P_OPTIONAL && h->opttype == type;
}

/**
 * same_subset - is a subset the one wanted?
 * @s: the subset
 * @arg: its words in hex, parted by dots
 *
 * Return: true if so.
 */
static bool same_subset(const struct subset *s, const char *arg)
{
	char *e = (char *)arg;
	int i;

	for (i = 0; i < SUBSET_WORDS; i++) {
		u32 want = *arg ? strtoul(arg, &e, 16) : 0;

		if (s->w[i] != want)
			return false;
		arg = *e == '.' ? e + 1 : e;
	}
	return true;
}

/**
 * covers - do the three subsets hold just the first elements?
 * @x: what RESPXCH says
 * @n: how many elements were asked for
 *
 * Return: true if each of them is in one, and nothing else is.
 */
static bool covers(const struct resp *x, u32 n)
{
	u32 i;

	for (i = 0; i < SUBSET_WORDS * 32; i++) {
		u32 w = i / 32;
		u32 all = x->done.w[w] | x->rej.w[w] | x->pend.w[w];

		if ((all >> i % 32 & 1) != (i < n))
			return false;
	}
	return true;
}

/**
 * want_resp - does a RESPXCH say what is wanted?
 * @w: the word
 * @h: the message
 *
 * Return: 1 or 0, -1 if the word means something else.
 */
static int want_resp(const char *w, const struct hdr *h)
{
	struct resp x;
	bool ok = is_option(h, O_RESPXCH) && h->dir == DIR_REPLY &&
		  !wire_resp(&x, h) && resp_once(&x);

	if (!strcmp(w, "respxch"))
		return ok;
	if (!strncmp(w, "all:", 4))
		return ok && covers(&x, strtoul(w + 4, NULL, 10));
	if (!strncmp(w, "done:", 5))
		return ok && same_subset(&x.done, w + 5);
	if (!strncmp(w, "rej:", 4))
		return ok && same_subset(&x.rej, w + 4);
	if (!strncmp(w, "pend:", 5))
		return ok && same_subset(&x.pend, w + 5);
	return -1;
}

/**
 * want_change - is this the REQXCH or UPDXCH wanted?
 * @w: the word
 * @h: the message
 *
 * Return: 1 or 0, -1 if the word means something else.
 */
static int want_change(const char *w, const struct hdr *h)
{
	bool call = h->proc == P_OPTIONAL && h->dir == DIR_CALL;
	char is[REQ_ELEMENTS * 20 + 8] = "req:";
	struct req req;
	struct upd upd;
	u32 i;

	if (!strncmp(w, "upd:", 4)) {
		if (!call || h->opttype != O_UPDXCH || wire_upd(&upd, h))
			return 0;
		sprintf(is, "upd:%x=%x:%u", upd.which, upd.value, upd.pendclr);
		return !strcmp(w, is);
	}
	if (strncmp(w, "req:", 4))
		return -1;
	if (!call || h->opttype != O_REQXCH || wire_req(&req, h))
		return 0;
	for (i = 0; i < req.count; i++)
		sprintf(is + strlen(is), "%s%x=%x", i ? "," : "",
			req.which[i], req.value[i]);
	return !strcmp(w, is);
}

/**
 * want_known - does a word of a WANT hold?
 * @w: the word
 * @h: the message
 *
 * Return: 1 or 0, -1 if it is none of those that both roles know.
 */
int want_known(const char *w, const struct hdr *h)
{
	int got = want_error(w, h);

	if (got < 0)
		got = want_resp(w, h);
	if (got < 0)
		got = want_change(w, h);
	if (got < 0)
		got = want_report(w, h);
	if (got < 0 && !strcmp(w, "rpc"))
		got = h->proc == P_MSG && h->dir == DIR_REPLY;
	if (got < 0 && !strncmp(w, "credit:", 7))
		got = h->credit == strtoul(w + 7, NULL, 10);
	if (got < 0 && !strcmp(w, "init"))
		got = is_option(h, O_INITXCH);
	return got;
}

/**
 * want_words - do all words of a list hold?
 * @want: the words, parted by blanks
 * @h: the message
 *
 * Return: true if so.
 */
bool want_words(const char *want, const struct hdr *h)
{
	char all[256], *w, *save;

	snprintf(all, sizeof(all), "%s", want);
	for (w = strtok_r(all, " ", &save); w; w = strtok_r(NULL, " ", &save))
		if (want_known(w, h) != 1)
			return false;
	return true;
}
