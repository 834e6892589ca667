/* SPDX-License-Identifier: GPL-2.0 */
/* What the codec needs of the kernel's header of this name, in user space */
#ifndef _SHIM_LINUX_BITS_H
#define _SHIM_LINUX_BITS_H

#define BIT(n)			(1UL << (n))
#define GENMASK(h, l)		((~0UL << (l)) & (~0UL >> (8 * sizeof(long) - 1 - (h))))
#define BITS_PER_TYPE(type)	(8 * sizeof(type))

#endif
