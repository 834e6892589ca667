/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the libFuzzer target share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Length of each Send in an input that is a row of them */
#define FUZZ_XMT	128

void require(bool holds, const char *what);
void fuzz_groups(const u8 *data, size_t size);

#endif
