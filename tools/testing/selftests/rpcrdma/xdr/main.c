// SPDX-License-Identifier: GPL-2.0
/*
 * xdr [COUNT]: holds the kernel's codec and the conformance peer against the
 * drafts' own XDR, with COUNT random messages of each kind and more, until each
 * type of the XDR has come up COUNT times in each direction. SEED= repeats a run.
 * Prints KTAP, and which type was tried how often.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"

#define COUNT		100000
#define MOST		20	/* times COUNT messages of a kind */

/* The columns of the table */
enum { CODEC_OUT, CODEC_IN, PEER_OUT, PEER_IN, WAYS };

static const char *const ways[WAYS] = {
	"codec>xdr", "xdr>codec", "peer>xdr", "xdr>peer",
};

static u64 *counts[WAYS];
static u32 count = COUNT;
static u32 nr, failed;

/* Prints a result */
static void result(bool ok, const char *who, const char *what, const char *which)
{
	failed += !ok;
	printf("%sok %u - %s %s %s\n", ok ? "" : "not ", ++nr, who, what, which);
}

/* Shows a message, as words */
static void show(const char *what, const u8 *p, int len)
{
	int i;

	printf("# %s:", what);
	for (i = 0; i < len; i++)
		printf("%s%02x", i % 4 ? "" : " ", p[i]);
	printf(" (%d bytes)\n", len);
}

/* Says the same, as far as the party keeps it? Shows where it does not. */
static bool same(const struct party *p, const struct m_msg *is, const struct m_msg *was)
{
	static struct m_msg a, b;
	const char *field;

	a = *is;
	b = *was;
	p->keep(&a);
	p->keep(&b);
	m_normal(&a);
	m_normal(&b);
	field = m_differ(&a, &b);
	if (field)
		printf("# another value of: %s\n", field);
	return !field;
}

/* The party encodes, the drafts' XDR decodes, and encodes again */
static bool out(const struct party *p, enum m_kind kind, u64 *counted)
{
	static struct m_msg m, got;
	u8 buf[M_BUF], again[M_BUF];
	int len, rc;

	gen(&m, kind);
	p->shape(&m, true);
	len = p->encode(&m, buf, sizeof(buf));
	if (len < 0) {
		printf("# is not encoded\n");
		return false;
	}
	m.hlen = len;
	draft_count = counted;
	rc = draft_decode(&got, buf, len);
	draft_count = NULL;
	if (!rc && same(p, &got, &m) &&
	    draft_encode(&got, again, sizeof(again)) == len && !memcmp(again, buf, len))
		return true;
	if (rc)
		printf("# is not decoded: %d\n", rc);
	show("encoded", buf, len);
	rc = draft_encode(&m, again, sizeof(again));
	show("by the drafts", again, rc);
	return false;
}

/* The drafts' XDR encodes, the party decodes */
static bool in(const struct party *p, enum m_kind kind, u64 *counted)
{
	static struct m_msg m, got;
	u8 buf[M_BUF];
	int len;

	gen(&m, kind);
	p->shape(&m, false);
	draft_count = counted;
	len = draft_encode(&m, buf, sizeof(buf));
	draft_count = NULL;
	m.hlen = len;
	if (p->decode(&got, buf, len + gen_payload(&m, buf + len, sizeof(buf) - len)))
		printf("# is not decoded\n");
	else if (same(p, &got, &m))
		return true;
	show("encoded", buf, len);
	return false;
}

/* Makes rdma_optinfo some words longer or shorter */
static int stretch(u8 *buf, int len)
{
	int by = 4 * (1 + (int)rnd(3)) * (rnd(2) ? 1 : -1);
	int info = buf[26] << 8 | buf[27];

	if (info + by < 0)
		return len;
	buf[26] = (info + by) >> 8;
	buf[27] = info + by;
	return len + by;
}

/* Changes bytes here and there, those of small numbers above all, and the length */
static int garble(enum m_kind kind, u8 *buf, int len)
{
	u32 i, n = 1 + rnd(3);

	if (kind > M_ERROR && !rnd(4))
		return stretch(buf, len);
	for (i = 0; i < n; i++)
		buf[(16 + rnd(len - 16)) | (rnd(2) ? 3 : 0)] ^= rnd(2) ? 1u << rnd(8) : rnd(256);
	if (rnd(4))
		return len;
	return rnd(2) ? 16 + 4 * (int)rnd((len - 16) / 4) : len + 4 * (int)rnd(4);
}

static bool has_chars(const struct m_msg *m)
{
	return m->kind == M_INITXCH || m->kind == M_REQXCH || m->kind == M_UPDXCH;
}

/*
 * What is garbled may be refused by the party, but if it is taken, then the drafts'
 * XDR takes it, too, and it says the same. Of characteristics a party does not keep
 * what cannot be obeyed, so that these are not compared.
 */
static bool garbled(const struct party *p, enum m_kind kind, u64 *taken)
{
	static struct m_msg m, got, drafts;
	u8 buf[M_BUF];
	int len, rc;

	gen(&m, kind);
	memset(buf, 0, sizeof(buf));
	len = draft_encode(&m, buf, sizeof(buf));
	len = garble(kind, buf, len + gen_payload(&m, buf + len, sizeof(buf) - len));
	if (p->decode(&got, buf, len))
		return true;
	++*taken;
	rc = draft_decode(&drafts, buf, len);
	if (rc == -2)
		return true;
	if (!rc && (has_chars(&drafts) || same(p, &got, &drafts)))
		return true;
	printf("# %s\n", rc ? "is decoded, but is nothing" : "says something else");
	show("garbled", buf, len);
	return false;
}

/* The least that a type has come up which this kind of message has */
static u64 least(const u64 *now, const u64 *before)
{
	u64 min = ~0ull;
	size_t i;

	for (i = 0; i < draft_ntypes; i++)
		if (now[i] != before[i] && now[i] < min)
			min = now[i];
	return min;
}

/* Tries a kind of message in one direction */
static void try(const struct party *p, enum m_kind kind, int way,
		bool (*fn)(const struct party *p, enum m_kind kind, u64 *counted))
{
	u64 *before = malloc(draft_ntypes * sizeof(*before)), n;
	bool ok = true;

	memcpy(before, counts[way], draft_ntypes * sizeof(*before));
	for (n = 0; ok && n < (u64)count * MOST; n++) {
		ok = fn(p, kind, counts[way]);
		if (n % count == count - 1 && least(counts[way], before) >= count)
			break;
	}
	if (!ok)
		printf("# message %llu\n", (unsigned long long)n);
	result(ok, p->name, fn == out ? "encodes" : "decodes", kind_name[kind]);
	free(before);
}

/* Tries garbled messages, fewer than sound ones, but enough for some to be taken */
static void try_garbled(const struct party *p, enum m_kind kind)
{
	u32 n, most = 1000 + count / 4;
	u64 taken = 0;
	bool ok = true;

	for (n = 0; ok && n < most; n++)
		ok = garbled(p, kind, &taken);
	printf("# %llu of %u taken\n", (unsigned long long)taken, n);
	result(ok && taken, p->name, "takes nothing that is not", kind_name[kind]);
}

static bool gap(const struct party *p, const char *way, const char *name)
{
	const struct m_gap *g;

	for (g = p->gaps; g->name; g++)
		if (!strcmp(g->way, way) && !strcmp(g->name, name))
			return true;
	return false;
}

/* Finds a constant; returns NULL if there is none of that name */
static const struct m_const *find(const struct m_const *c, const char *name)
{
	while (c->name && strcmp(c->name, name))
		c++;
	return c->name ? c : NULL;
}

/* Compares every constant of the drafts */
static void try_consts(const struct party *p)
{
	const struct m_const *c, *own;
	u32 n = 0, bad = 0;

	for (c = draft_consts; c->name; c++) {
		own = find(p->consts, c->name);
		if (!own && gap(p, "has no", c->name))
			continue;
		n++;
		if (own && own->value == c->value)
			continue;
		bad++;
		printf("# %s is %#x\n", c->name, c->value);
	}
	printf("# %u constants\n", n);
	result(!bad, p->name, "has the drafts'", "numbers");
}

/* Tries everything with a party, and says what there is not to be tried */
static void try_party(const struct party *p, int way)
{
	const struct m_gap *g;
	int k;

	for (g = p->gaps; g->name; g++)
		printf("# The %s %s %s: %s\n", p->name, g->way, g->name, g->why);
	try_consts(p);
	for (k = 0; k < M_KINDS; k++) {
		if (!gap(p, "does not encode", kind_name[k]))
			try(p, k, way, out);
		try(p, k, way + 1, in);
		try_garbled(p, k);
	}
}

/* Messages whose bytes are known have to be what the drafts' XDR makes of them */
static void try_examples(void)
{
	static struct m_msg m;
	struct m_example ex;
	u8 again[M_BUF];
	u32 bad = 0;
	size_t i;

	for (i = 0; codec_example(i, &ex); i++) {
		if (!draft_decode(&m, ex.bytes, ex.length) && m.hlen == ex.hlen &&
		    draft_encode(&m, again, sizeof(again)) == (int)ex.hlen &&
		    !memcmp(again, ex.bytes, ex.hlen))
			continue;
		bad++;
		printf("# %s\n", ex.name);
		show("is", ex.bytes, ex.hlen);
	}
	printf("# %zu examples\n", i);
	result(!bad && i, "worked", "examples", "are the drafts'");
}

/* Prints the table; a type that was not tried often enough, in one direction, fails */
static void try_table(void)
{
	bool ok = true;
	size_t i;
	int w;

	printf("# %-28s", "type of the XDR");
	for (w = 0; w < WAYS; w++)
		printf("%12s", ways[w]);
	printf("\n");
	for (i = 0; i < draft_ntypes; i++) {
		printf("# %-28s", draft_types[i]);
		for (w = 0; w < WAYS; w++) {
			printf("%12llu", (unsigned long long)counts[w][i]);
			ok = ok && counts[w][i] >= count;
		}
		printf("\n");
	}
	result(ok, "every type", "was tried", "in every direction");
}

int main(int argc, char **argv)
{
	const char *given = getenv("SEED");
	int w;

	setvbuf(stdout, NULL, _IOLBF, 0);
	seed = given && *given ? strtoull(given, NULL, 0) : (u64)time(NULL);
	if (argc > 1)
		count = strtoul(argv[1], NULL, 0);
	for (w = 0; w < WAYS; w++)
		counts[w] = calloc(draft_ntypes, sizeof(u64));
	printf("TAP version 13\n# SEED=%llu, %u of each type\n", (unsigned long long)seed, count);
	try_examples();
	try_party(&codec_party, CODEC_OUT);
	try_party(&peer_party, PEER_OUT);
	try_table();
	printf("1..%u\n# Totals: pass:%u fail:%u\n", nr, nr - failed, failed);
	return !!failed;
}
