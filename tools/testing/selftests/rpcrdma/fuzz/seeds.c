// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the examples of the codec's tests, the messages of its table of faults,
 * and messages of several transmissions to the folder named on the command line:
 * what the fuzzer starts from.
 */

#include <stdio.h>
#include <stdlib.h>
#include <linux/kernel.h>
#include <linux/unaligned.h>

#include "fuzz.h"
#include "tests/rpcrdma2_codec_examples.h"
#include "tests/rpcrdma2_codec_faults.h"

/* Longer ones teach the fuzzer nothing but make it slow */
#define MAX_SEED	512

/**
 * write_seed - write a message to a file of its own
 * @dir: folder
 * @name: beginning of the name of the file
 * @nr: end of it
 * @buf: the message
 * @len: its length, in bytes
 */
static void write_seed(const char *dir, const char *name, unsigned int nr,
		       const u8 *buf, u32 len)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s-%03u", dir, name, nr);
	f = fopen(path, "wb");
	if (!f || fwrite(buf, 1, len, f) != len || fclose(f)) {
		perror(path);
		exit(1);
	}
}

/**
 * put_words - write words into a message
 * @buf: the message
 * @words: the words
 * @nwords: how many
 * @len: length of the message, in bytes
 *
 * Return: length of the seed, in bytes.
 */
static u32 put_words(u8 *buf, const u32 *words, u32 nwords, u32 len)
{
	u32 i;

	memset(buf, 0, MAX_SEED);
	for (i = 0; i < nwords && i < MAX_SEED / 4; i++)
		put_unaligned_be32(words[i], buf + i * 4);
	return len < MAX_SEED ? len : MAX_SEED;
}

/* Requests of several transmissions, each of which is zeros behind its words: one
 * that is all payload, one with an item in the segments of two of them, and one
 * that another message breaks
 */
static const u32 groups[][4][32] = {
	{ { 7, 2, 32, 5, 0, 5, 20, 0, 0, 3, 1, 8, 7, 0 },
	  { 7, 2, 32, 5, 0, 7, 12, 1, 5, 16 },
	  { 7, 2, 32, 5, 0, 7, 12, 2, 5, 0 } },
	{ { 7, 2, 32, 5, 0, 5, 56, 1, 8, 64, 2, 0, 4, 0, 1, 2, 3, 0, 2, 1, 8, 7, 0 },
	  { 7, 2, 32, 5, 0, 7, 12, 1, 5, 8 } },
	{ { 7, 2, 32, 5, 0, 5, 20, 0, 0, 3, 1, 8, 7, 0 },
	  { 8, 2, 32, 0, 0, 0, 0, 0, 0, 8, 0 },
	  { 7, 2, 32, 5, 0, 7, 12, 2, 5, 0 },
	  { 9, 2, 32, 5, 1, 6, 12, 0, 1, 8, 9, 1 } },
};

/**
 * put_group - write a row of Sends
 * @buf: gets them
 * @sends: their words; one that begins with 0 is behind the last
 *
 * Return: length of the seed, in bytes.
 */
static u32 put_group(u8 *buf, const u32 (*sends)[32])
{
	u32 i, n;

	memset(buf, 0, MAX_SEED);
	for (n = 0; n < 4 && sends[n][0]; n++)
		for (i = 0; i < FUZZ_XMT / 4; i++)
			put_unaligned_be32(sends[n][i], buf + n * FUZZ_XMT + i * 4);
	return n * FUZZ_XMT;
}

int main(int argc, char **argv)
{
	const struct rpcrdma2_example *ex;
	const struct codec_fault *fault;
	const struct codec_patch *patch;
	u8 buf[MAX_SEED];
	u32 i, len;

	if (argc != 2)
		return 1;
	for (i = 0; i < NR_EXAMPLES; i++) {
		ex = &rpcrdma2_examples[i];
		len = put_words(buf, ex->words, ex->nwords, ex->length);
		write_seed(argv[1], ex->id, i, buf, len);
	}
	for (i = 0; i < ARRAY_SIZE(codec_faults); i++) {
		fault = &codec_faults[i];
		ex = &rpcrdma2_examples[fault->base];
		if (fault->words)
			len = put_words(buf, fault->words, fault->nwords, fault->nwords * 4);
		else
			len = put_words(buf, ex->words, ex->nwords, ex->length);
		for (patch = fault->patch; patch->at; patch++)
			put_unaligned_be32(patch->val, buf + patch->at);
		write_seed(argv[1], "fault", i, buf, fault->length ? fault->length : len);
	}
	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		len = put_group(buf, groups[i]);
		write_seed(argv[1], "group", i, buf, len);
	}
	return 0;
}
