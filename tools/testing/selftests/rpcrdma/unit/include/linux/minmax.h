/* SPDX-License-Identifier: GPL-2.0 */
/* What the codec needs of the kernel's header of this name, in user space */
#ifndef _SHIM_LINUX_MINMAX_H
#define _SHIM_LINUX_MINMAX_H

#define min_t(type, a, b)						\
	({								\
		type __a = (a), __b = (b);				\
									\
		__a < __b ? __a : __b;					\
	})

#define max_t(type, a, b)						\
	({								\
		type __a = (a), __b = (b);				\
									\
		__a > __b ? __a : __b;					\
	})

#endif
