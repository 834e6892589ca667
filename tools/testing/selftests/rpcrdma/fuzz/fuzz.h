/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the targets share. The input of a state machine is a row of steps: a byte
 * says which, and what the step needs follows. An input that ends early is read
 * as zeros, so that every row of bytes means something, and what is cut off or
 * inserted changes little of the rest.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/kernel.h>
#include <linux/types.h>

/**
 * struct input - a place in the input
 * @pos: next byte
 * @end: the byte behind the last one
 */
struct input {
	const u8	*pos;
	const u8	*end;
};

void input_begin(struct input *in, const u8 *data, size_t size);
u32 input_left(const struct input *in);
u32 input_byte(struct input *in);
bool input_flag(struct input *in);
u32 input_below(struct input *in, u32 n);
u32 input_odd(struct input *in);
u32 input_near(struct input *in, u32 low, u32 high);
void input_bytes(struct input *in, u8 *to, u32 len);

void trace(const char *fmt, ...) __attribute__((__format__(printf, 1, 2)));
void fail(const char *what) __attribute__((__noreturn__));

/**
 * require - end the process if something does not hold
 * @holds: does it?
 * @what: what it is
 */
static inline void require(bool holds, const char *what)
{
	if (!holds)
		fail(what);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
