// SPDX-License-Identifier: GPL-2.0
/*
 * Where KCSAN looks: scripts/build.sh links this into the rpcrdma.ko that it
 * builds for the KCSAN kernel.
 *
 * KCSAN sets a watchpoint at one access in several thousand, whoever makes it,
 * and nearly all are the kernel's. On that kernel's command line is a number so
 * large that it sets none; here the compiler's calls for accesses of rpcrdma.ko
 * have one set for every LOOK of them. All other code still runs into it. Marked
 * accesses are not called for here, and are the other half of a pair only.
 */

#include <linux/kcsan-checks.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/timex.h>

/* One access in so many, drawn anew each time */
#define LOOK 100

/* The kernel's count of accesses to pass over, which it does not export */
#define kernels_skip ((long __percpu *)KCSAN_SKIP)

static DEFINE_PER_CPU(long, own_skip);

/*
 * Being moved to another processor in the middle costs one look. What interrupts
 * may take one, too. The flags of a task are its own, and plain throughout the kernel:
 * interrupts look at those of them that nobody changes.
 */
static __always_inline void look(const void *ptr)
{
	if (raw_cpu_dec_return(own_skip) >= 0 || ptr == &current->flags)
		return;
	raw_cpu_write(own_skip, (long)((get_cycles() >> 3) % (2 * LOOK)));
	raw_cpu_write(*kernels_skip, 0);
}

/* Ends with a jump, so that KCSAN is told of the caller and not of this. */
#define ACCESS(name, size, type)					\
void __tsan_##name(void *ptr);						\
void notrace __tsan_##name(void *ptr)					\
{									\
	look(ptr);							\
	__kcsan_check_access(ptr, size, type);				\
}

#define ACCESSES(prefix, size)						\
	ACCESS(prefix##read##size, size, 0)				\
	ACCESS(prefix##write##size, size, KCSAN_ACCESS_WRITE)		\
	ACCESS(prefix##read_write##size, size,				\
	       KCSAN_ACCESS_COMPOUND | KCSAN_ACCESS_WRITE)

ACCESSES(, 1)
ACCESSES(, 2)
ACCESSES(, 4)
ACCESSES(, 8)
ACCESSES(, 16)
ACCESSES(unaligned_, 2)
ACCESSES(unaligned_, 4)
ACCESSES(unaligned_, 8)
ACCESSES(unaligned_, 16)
