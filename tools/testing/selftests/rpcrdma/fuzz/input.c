// SPDX-License-Identifier: GPL-2.0
/* Reading of the input, and telling what happens. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/**
 * input_begin - begin to read
 * @in: OUT: place before the first byte
 * @data: the input
 * @size: its length, in bytes
 */
void input_begin(struct input *in, const u8 *data, size_t size)
{
	in->pos = data;
	in->end = data + size;
}

/**
 * input_left - how much there is still to read
 * @in: place in the input
 *
 * Return: a number of bytes
 */
u32 input_left(const struct input *in)
{
	return in->end - in->pos;
}

/**
 * input_byte - take a byte
 * @in: place in the input
 *
 * Return: the byte; 0 behind the last one
 */
u32 input_byte(struct input *in)
{
	return in->pos < in->end ? *in->pos++ : 0;
}

/**
 * input_flag - take a decision
 * @in: place in the input
 *
 * Return: %false more often than %true where the input was made by chance
 */
bool input_flag(struct input *in)
{
	return input_byte(in) % 4 == 1;
}

/**
 * input_below - take a number
 * @in: place in the input
 * @n: how many there are to choose from, not 0
 *
 * Return: a number less than @n
 */
u32 input_below(struct input *in, u32 n)
{
	u32 value = input_byte(in);

	if (n > 256)
		value |= input_byte(in) << 8;
	if (n > 65536)
		value |= input_byte(in) << 16;
	return value % n;
}

/**
 * input_odd - take a word that a peer may send for no good reason
 * @in: place in the input
 *
 * Most are small, since that is what decides most, or near a power of two.
 *
 * Return: the word
 */
u32 input_odd(struct input *in)
{
	u32 value, byte = input_byte(in);

	if (byte < 160)
		return byte;
	if (byte < 192)
		return (1U << byte % 32) - 1;
	if (byte < 224)
		return 1U << byte % 32;
	if (byte < 240)
		return -(byte % 16);
	value = input_byte(in) << 24;
	value |= input_byte(in) << 16;
	value |= input_byte(in) << 8;
	return value | input_byte(in);
}

/**
 * input_near - take a number of a range whose ends matter most
 * @in: place in the input
 * @low: the lowest one
 * @high: the highest one
 *
 * Return: the number
 */
u32 input_near(struct input *in, u32 low, u32 high)
{
	u32 byte = input_byte(in);

	if (byte < 16)
		return low + byte % (high - low + 1);
	if (byte < 32)
		return high - byte % (high - low + 1);
	return low + input_below(in, high - low + 1);
}

/**
 * input_bytes - take bytes as they are
 * @in: place in the input
 * @to: OUT: gets them, and zeros behind them
 * @len: how many
 */
void input_bytes(struct input *in, u8 *to, u32 len)
{
	u32 have = input_left(in) < len ? input_left(in) : len;

	memcpy(to, in->pos, have);
	memset(to + have, 0, len - have);
	in->pos += have;
}

/**
 * trace - tell what happens, if TRACE is in the environment
 * @fmt: as for printf()
 */
void trace(const char *fmt, ...)
{
	static int wanted = -1;
	va_list ap;

	if (wanted < 0)
		wanted = !!getenv("TRACE");
	if (!wanted)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/**
 * fail - end the process
 * @what: what does not hold
 */
void fail(const char *what)
{
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}
