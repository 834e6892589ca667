/* SPDX-License-Identifier: GPL-2.0 */
/* What the codec needs of the kernel's header of this name, in user space */
#ifndef _SHIM_LINUX_ATOMIC_H
#define _SHIM_LINUX_ATOMIC_H

#include <linux/kernel.h>

typedef struct {
	int counter;
} atomic_t;

#define atomic_fetch_inc(a)	__atomic_fetch_add(&(a)->counter, 1, __ATOMIC_SEQ_CST)
#define cmpxchg(p, old, new)						\
	({								\
		__typeof__(*(p)) _was = (old);				\
									\
		__atomic_compare_exchange_n(p, &_was, new, 0,		\
					    __ATOMIC_SEQ_CST,		\
					    __ATOMIC_SEQ_CST);		\
		_was;							\
	})

#endif
