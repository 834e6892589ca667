// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the examples of the codec's tests and the messages of its table of faults to
 * the folder named on the command line: what the codec's target starts from, besides
 * the corpus that is kept.
 */

#include <stdio.h>
#include <stdlib.h>
#include <linux/kernel.h>
#include <linux/unaligned.h>

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
	return 0;
}
