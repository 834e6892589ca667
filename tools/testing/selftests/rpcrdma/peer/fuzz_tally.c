// SPDX-License-Identifier: GPL-2.0
/* What became of the sequences, in numbers; and the last of them, in words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "peer.h"

#define NR_KEPT		256
#define KEPT_TEXT	(FUZZ_MSGS * FUZZ_TEXT)

static const char * const how_name[NR_MU + 1] = {
	[MU_BOUNDARY] = "boundary", [MU_DROP] = "drop", [MU_DOUBLE] = "double",
	[MU_SWAP] = "swap", [MU_LENGTH] = "length", [MU_CUT] = "cut",
	[MU_EXTEND] = "extend", [MU_DIR] = "direction", [MU_ORDER] = "order",
	[MU_XID] = "xid", [MU_CREDIT] = "credit", [MU_SEGMENT] = "segment",
	[MU_FLIP] = "flip", [MU_NONE] = "none",
};

static const char * const answer_name[NR_AN] = {
	[AN_REPLY] = "MSG", [AN_GROUP] = "MSG-to-group",
	[AN_NOMSG] = "NOMSG", [AN_V1] = "version-1",
	[AN_XRESP] = "XMTRESP", [AN_INIT] = "INITXCH", [AN_RESP] = "RESPXCH",
	[AN_REPTERR] = "REPTERR", [AN_VERS] = "VERS", [AN_XDR] = "BAD_XDR",
	[AN_CANT] = "CANT_REPLY", [AN_PROC] = "INVAL_PROC",
	[AN_OPT] = "INVAL_OPTION",
};

/* How far a sequence got that has such an answer */
static const u8 answer_depth[NR_AN] = {
	[AN_REPLY] = DP_DONE, [AN_GROUP] = DP_DONE,
	[AN_NOMSG] = DP_DONE, [AN_V1] = DP_DONE,
	[AN_XRESP] = DP_DONE, [AN_INIT] = DP_DONE, [AN_RESP] = DP_DONE,
	[AN_REPTERR] = DP_DEEP, [AN_VERS] = DP_SHALLOW, [AN_XDR] = DP_SHALLOW,
	[AN_CANT] = DP_DEEP, [AN_PROC] = DP_SHALLOW, [AN_OPT] = DP_DEEP,
};

/* The last sequences as text */
static struct {
	u32 nr;
	char *text;
} kept[NR_KEPT];

/**
 * tally_start - begin to count
 * @t: the numbers
 * @first: number of the first sequence
 * @n: how many there will be
 */
void tally_start(struct ftally *t, u32 first, u32 n)
{
	memset(t, 0, sizeof(*t));
	t->first = first;
	t->n = n;
	t->depth = calloc(n, 1);
	t->how = calloc(n, sizeof(*t->how));
	if (!t->depth || !t->how)
		abort();
	t->began = now_ms();
}

/**
 * how_text - name the ways in which a sequence was spoiled
 * @how: the ways
 * @out: gets their names
 * @size: size of @out
 */
static void how_text(u32 how, char *out, size_t size)
{
	size_t at = 0;
	int i;

	snprintf(out, size, "none");
	for (i = 0; i < NR_MU; i++)
		if (how & 1u << i && at < size)
			at += snprintf(out + at, size - at, "%s%s",
				       at ? "+" : "", how_name[i]);
}

/**
 * keep - keep a sequence as text
 * @q: the sequence
 * @c: whom it is for
 */
static void keep(const struct fseq *q, const struct fuzz_ctx *c)
{
	static char text[KEPT_TEXT];
	char how[128];
	unsigned int i;
	size_t at;

	how_text(q->how, how, sizeof(how));
	at = snprintf(text, sizeof(text), "%s, %s: ", q->shape, how);
	for (i = 0; i < q->n && at + FUZZ_TEXT < sizeof(text); i++) {
		if (i)
			at += snprintf(text + at, sizeof(text) - at, "; ");
		fz_text(&q->m[i], c, text + at, FUZZ_TEXT - 8);
		at += strlen(text + at);
	}
	free(kept[q->nr % NR_KEPT].text);
	kept[q->nr % NR_KEPT].text = strdup(text);
	kept[q->nr % NR_KEPT].nr = q->nr;
}

/**
 * show_time - print how far it is
 * @t: the numbers
 * @done: sequences so far
 */
static void show_time(const struct ftally *t, u32 done)
{
	u64 ms = now_ms() - t->began;

	printf("%u of %u sequences took %llu.%llu s\n", done, t->n,
	       (unsigned long long)ms / 1000,
	       (unsigned long long)ms / 100 % 10);
}

/**
 * tally_sequence - note a sequence that is sent
 * @t: the numbers
 * @q: the sequence
 * @c: whom it is for
 */
void tally_sequence(struct ftally *t, const struct fseq *q,
		    const struct fuzz_ctx *c)
{
	u32 done = q->nr - t->first, tenth = t->n / 10;

	t->how[done] = q->how;
	keep(q, c);
	if (done && tenth && done % tenth == 0)
		show_time(t, done);
	if (cfg.verbose)
		tally_show(t, q->nr, q->nr + 1);
}

/**
 * ends_group - is a message one that is not the first of a group?
 * @s: the message, or NULL
 *
 * Return: true if so.
 */
static bool ends_group(const struct fsent *s)
{
	return s && s->kept >= 24 && get_u32(s->p + 12) == P_OPTIONAL &&
	       get_u32(s->p + 20) == O_XMTCONT;
}

/**
 * answer_kind - what kind of an answer a message is
 * @h: the message
 * @s: what it is the answer to, or NULL
 *
 * Return: AN_*.
 */
static enum answer answer_kind(const struct hdr *h, const struct fsent *s)
{
	static const u8 err[] = {
		[E_VERS] = AN_VERS, [E_XDR] = AN_XDR, [E_CANT] = AN_CANT,
		[E_PROC] = AN_PROC, [E_OPT] = AN_OPT,
	};

	if (h->proc == P_ERROR)
		return err[h->err];
	if (h->vers == 1)
		return AN_V1;
	if (h->proc == P_NOMSG)
		return AN_NOMSG;
	if (h->proc == P_MSG)
		return ends_group(s) ? AN_GROUP : AN_REPLY;
	return h->opttype == O_INITXCH ? AN_INIT :
	       h->opttype == O_RESPXCH ? AN_RESP :
	       h->opttype == O_REPTERR ? AN_REPTERR : AN_XRESP;
}

/**
 * tally_answer - note an answer, which is sound
 * @t: the numbers
 * @h: the answer
 */
void tally_answer(struct ftally *t, const struct hdr *h)
{
	unsigned int at = 0;
	const struct fsent *s = fuzz_sent(h->xid, &at);
	enum answer kind = answer_kind(h, s);
	u8 *depth;

	if (s && s->seq == ~0u) {
		t->fences++;
		return;
	}
	t->answers[kind]++;
	if (!s || s->seq < t->first || s->seq - t->first >= t->n)
		return;
	depth = &t->depth[s->seq - t->first];
	if (*depth < answer_depth[kind])
		*depth = answer_depth[kind];
}

/**
 * tally_show - print sequences in the words of a template
 * @t: the numbers
 * @from: the first
 * @to: the one behind the last
 */
void tally_show(const struct ftally *t, u32 from, u32 to)
{
	if (to - from > NR_KEPT)
		from = to - NR_KEPT;
	for (; from != to; from++)
		if (kept[from % NR_KEPT].text && kept[from % NR_KEPT].nr == from)
			printf("# sequence %u: %s\n", from,
			       kept[from % NR_KEPT].text);
}

/**
 * show_depths - print how far the sequences of one kind got
 * @t: the numbers
 * @how: MU_*
 */
static void show_depths(const struct ftally *t, int how)
{
	unsigned long n = 0, depth[NR_DP] = { 0 };
	u32 i;

	for (i = 0; i < t->n; i++) {
		if (how == MU_NONE ? t->how[i] : !(t->how[i] & 1u << how))
			continue;
		n++;
		depth[t->depth[i]]++;
	}
	printf("%-10s %6lu sequences: %6lu carried out, %6lu refused for what they say, %6lu for how, %6lu no answer\n",
	       how_name[how], n, depth[DP_DONE], depth[DP_DEEP],
	       depth[DP_SHALLOW], depth[DP_NONE]);
}

/**
 * percent_deep - how many of a hundred sequences got beyond the first words
 * @t: the numbers
 *
 * Return: that number.
 */
static unsigned int percent_deep(const struct ftally *t)
{
	unsigned long n = 0;
	u32 i;

	for (i = 0; i < t->n; i++)
		n += t->depth[i] >= DP_DEEP;
	return t->n ? n * 100 / t->n : 0;
}

/**
 * tally_end - print the numbers
 * @t: the numbers
 * @sent: how many sequences there were in the end
 * @end: who was fuzzed
 * @why: what went wrong, or ""
 *
 * Return: exit status.
 */
int tally_end(struct ftally *t, u32 sent, const char *end, const char *why)
{
	u64 ms = now_ms() - t->began;
	int i;

	t->n = sent;
	printf("%u sequences to the %s, %lu messages, seed %u, from %u on, in %llu.%llu s\n",
	       t->n, end, t->sent, cfg.seed, t->first,
	       (unsigned long long)ms / 1000,
	       (unsigned long long)ms / 100 % 10);
	printf("answers:");
	for (i = 0; i < NR_AN; i++)
		printf(" %s %lu", answer_name[i], t->answers[i]);
	printf("\nbeside these, answers to honest messages between sequences: %lu\n",
	       t->fences);
	printf("connections closed by the %s: %lu; messages not built: %lu\n",
	       end, t->closes, t->unbuilt);
	for (i = 0; i <= NR_MU; i++)
		show_depths(t, i);
	printf("deep: %u of 100\n", percent_deep(t));
	if (*why)
		printf("%s\n", why);
	free(t->depth);
	free(t->how);
	return *why ? FAIL : PASS;
}
