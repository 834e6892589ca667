// SPDX-License-Identifier: GPL-2.0
/* Puts the arguments of words into texts, see says.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "says.h"
#include "tmpl_words.h"

/* What the first words of a message are */
static const char * const places[] = {
	"its xid", "its version", "its credits", "its procedure", "its direction",
};

/**
 * say_pairs - "LEN bytes at OFF" for each pair
 * @out: where to
 * @arg: offsets and lengths
 */
static void say_pairs(FILE *out, const char *arg)
{
	u32 n[8];
	int nr = tmpl_numbers(arg, n, 8), i;

	for (i = 0; i + 1 < nr; i += 2)
		fprintf(out, "%s%u bytes at %u", i ? " and " : "", n[i + 1], n[i]);
}

/**
 * say_sum - "plus N", "minus N", or nothing
 * @out: where to
 * @arg: the sum
 */
static void say_sum(FILE *out, const char *arg)
{
	long v = strtol(arg, NULL, 10);

	if (v)
		fprintf(out, " %s %ld", v < 0 ? "minus" : "plus", labs(v));
}

/**
 * say_xid - the same for an xid
 * @out: where to
 * @arg: the sum
 */
static void say_xid(FILE *out, const char *arg)
{
	fputs(" with the xid", out);
	say_sum(out, arg);
}

/**
 * say_product - "times N" and a sum
 * @out: where to
 * @arg: both
 */
static void say_product(FILE *out, const char *arg)
{
	char *e = (char *)arg;

	if (*arg == '*')
		fprintf(out, " times %lu", strtoul(arg + 1, &e, 10));
	say_sum(out, e);
}

/**
 * say_length - how a length differs from the one that was offered
 * @out: where to
 * @arg: behind the number of the segment
 */
static void say_length(FILE *out, const char *arg)
{
	arg += strspn(arg, "0123456789");
	if (*arg == '=')
		fprintf(out, ", with a length of %s", arg + 1);
	else if (*arg)
		fprintf(out, ", %ld bytes %s", labs(atol(arg)),
			*arg == '-' ? "shorter" : "longer");
}

/**
 * say_part - xid and length of a message, and which part of it is meant
 * @out: where to
 * @arg: all of these
 */
static void say_part(FILE *out, const char *arg)
{
	u32 n[3];
	char *e;
	int nr;

	strtol(arg, &e, 10);
	nr = tmpl_numbers(e + (*e == ':'), n, 3);
	fprintf(out, " of %u bytes", n[0]);
	if (atol(arg))
		say_xid(out, arg);
	if (nr > 2)
		fprintf(out, ", the bytes from %u to %u", n[1], n[2]);
	else if (nr > 1)
		fprintf(out, ", the bytes from %u on", n[1]);
}

/**
 * say_cut - where a message is cut
 * @out: where to
 * @arg: the length, or the first and the last of a series
 */
static void say_cut(FILE *out, const char *arg)
{
	const char *to = strstr(arg, "..");

	if (to)
		fprintf(out, "It is sent many times, cut at every length from %lu to %s bytes.",
			strtoul(arg, NULL, 10), to + 2);
	else
		fprintf(out, "It is cut off after %s bytes.", arg);
}

/**
 * say_edit - which word of a message is changed
 * @out: where to
 * @arg: offset and value
 */
static void say_edit(FILE *out, const char *arg)
{
	char *e;
	u32 at = strtoul(arg, &e, 10), v = strtoul(e + 1, NULL, 16);

	if (at / 4 < ARRAY_SIZE(places))
		fprintf(out, "Then %s", places[at / 4]);
	else
		fprintf(out, "Then the word at byte %u", at);
	fprintf(out, v > 0xffff ? " is changed to 0x%x." : " is changed to %u.", v);
}

/**
 * say_parts - the parts of an argument
 * @out: where to
 * @arg: the argument
 */
static void say_parts(FILE *out, const char *arg)
{
	for (; *arg; arg++) {
		if (*arg == ':')
			fputs(", ", out);
		else if (*arg == '*' && (!arg[1] || arg[1] == ':'))
			fputs("any", out);
		else if (*arg == '/')
			fputs(" or ", out);
		else
			fputc(*arg, out);
	}
}

/**
 * say_one - put in one part of an argument
 * @out: where to
 * @what: the letter that names the part
 * @arg: the argument
 */
static void say_one(FILE *out, char what, const char *arg)
{
	u32 n[8] = { 0 };
	int nr = tmpl_numbers(arg, n, 8);

	if (isdigit((u8)what))
		fprintf(out, "%u", n[what - '0']);
	else if (what == 'r')
		fputs(arg, out);
	else if (what == 'p')
		say_pairs(out, arg);
	else if (what == 'd')
		say_sum(out, arg);
	else if (what == 'x' && atol(arg))
		say_xid(out, arg);
	else if (what == 'm')
		say_product(out, arg);
	else if (what == 'o' && nr > 2)
		fprintf(out, " at %u", n[2]);
	else if (what == 'i' && nr > 1)
		fprintf(out, ", and %u bytes into it", n[1]);
	else if (what == 't' && nr > 1)
		fprintf(out, "to byte %u", n[1]);
	else if (what == 't')
		fputs("to its end", out);
	else if (what == 'b')
		say_part(out, arg);
	else if (what == 'l')
		say_length(out, arg);
	else if (what == 'h' && !strtoul(arg, NULL, 16))
		fputs("the handle that the Call nominated, or of one that an earlier Call did", out);
	else if (what == 'h')
		fprintf(out, "handle 0x%s", arg);
	else if (what == 'c')
		say_cut(out, arg);
	else if (what == 'e')
		say_edit(out, arg);
	else if (what == 'v')
		say_parts(out, arg);
}

/**
 * says - put an argument into a text
 * @out: where to
 * @text: the text
 * @arg: the argument
 */
void says(FILE *out, const char *text, const char *arg)
{
	for (; *text; text++)
		if (*text == '$' && text[1])
			say_one(out, *++text, arg);
		else
			fputc(*text, out);
}

/**
 * says_word - say what a word of a table means
 * @out: where to
 * @all: the table
 * @w: the word
 *
 * Return: 0, or -1 if it is not there.
 */
int says_word(FILE *out, const struct saying *all, const char *w)
{
	size_t n;

	for (; all->word; all++) {
		n = strlen(all->word);
		if (strncmp(w, all->word, n) || (w[n] && !strchr(all->says, '$')))
			continue;
		says(out, all->says, w + n);
		return 0;
	}
	return -1;
}
