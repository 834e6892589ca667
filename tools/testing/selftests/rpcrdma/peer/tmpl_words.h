/* SPDX-License-Identifier: GPL-2.0 */
/* What the files that carry out the words of a template share. */
#ifndef PEER_TMPL_WORDS_H
#define PEER_TMPL_WORDS_H

#include <ctype.h>
#include <stdlib.h>

#include "tmpl.h"

#define MAX_NEST	4
#define MAX_VE		8

/**
 * struct tmpl_state - a template being worked on
 * @out: the message
 * @env: what the words stand for
 * @open: places of brackets not yet closed
 * @depth: how many
 * @ps: place of the word ps
 * @ve: places of the words ve
 * @nr_ve: how many
 * @body: where the payload starts
 * @key: what the bytes of a file are XORed with
 */
struct tmpl_state {
	struct buf *out;
	const struct tmpl_env *env;
	size_t open[MAX_NEST];
	int depth;
	size_t ps;
	size_t ve[MAX_VE];
	int nr_ve;
	size_t body;
	u8 key;
};

/**
 * struct tmpl_word - a word of a template
 * @word: how it begins
 * @fn: carries it out; returns 0, or -1
 * @says: what it is, in words, see says.h
 */
struct tmpl_word {
	const char *word;
	int (*fn)(struct tmpl_state *s, const char *arg);
	const char *says;
};

extern const struct tmpl_word tmpl_place_words[];

/**
 * tmpl_numbers - read decimal numbers parted by colons
 * @s: the text
 * @n: gets the numbers
 * @max: how many at most
 *
 * Return: how many there are.
 */
static inline int tmpl_numbers(const char *s, u32 *n, int max)
{
	int i = 0;
	char *e;

	while (i < max && isdigit((u8)*s)) {
		n[i++] = strtoul(s, &e, 10);
		s = *e == ':' ? e + 1 : e;
	}
	return i;
}

#endif /* PEER_TMPL_WORDS_H */
