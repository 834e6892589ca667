/* SPDX-License-Identifier: GPL-2.0 */
/* What the codec needs of the kernel's header of this name, in user space */
#ifndef _SHIM_LINUX_LOG2_H
#define _SHIM_LINUX_LOG2_H

#include <linux/types.h>

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

#endif
