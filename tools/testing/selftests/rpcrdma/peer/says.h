/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words of the cases in plain English. A text of a table may have, for what comes
 * behind the word:
 *
 *  $0 $1 $2  its numbers, parted by colons
 *  $r        the whole of it
 *  $p        offsets and lengths, in pairs
 *  $d        a sum, as in x+1; $x: as part of an xid
 *  $m        a product and a sum, as in plen*2-4
 *  $o $i     the third number, or the second, if it is there: an offset
 *  $t        up to the second number, or to the end
 *  $b        an xid, a length, and a part: +9:300:0:60
 *  $l        a length, as in wseg0+8 or wseg0=8
 *  $h        a handle of Send With Invalidate
 *  $c $e     where a message is cut, or changed
 *  $v        its parts, parted by commas
 *
 * With ! in front it is a sentence of its own.
 */
#ifndef PEER_SAYS_H
#define PEER_SAYS_H

#include <stdio.h>

#include "tmpl.h"

/**
 * struct saying - a word and what it means
 * @word: how it begins; all of it, if nothing can follow
 * @says: the text
 */
struct saying {
	const char *word;
	const char *says;
};

void says(FILE *out, const char *text, const char *arg);
int says_word(FILE *out, const struct saying *all, const char *w);

void describe(FILE *out, const struct buf *b, const struct tmpl_marks *marks);
void describe_bytes(FILE *out, const struct buf *b,
		    const struct tmpl_marks *marks);

#endif /* PEER_SAYS_H */
