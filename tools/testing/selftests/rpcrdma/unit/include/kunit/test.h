/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of KUnit as our suites use, so that their source also builds in user
 * space. harness.c runs what kunit_test_suite() names.
 */
#ifndef _SHIM_KUNIT_TEST_H
#define _SHIM_KUNIT_TEST_H

#include <stdio.h>
#include <string.h>
#include <linux/kernel.h>
#include <linux/types.h>

#define KUNIT_PARAM_DESC_SIZE	128
#define GFP_KERNEL		0

/**
 * struct kunit - a test that is running
 * @param_value: what it is run with
 * @priv: for the suite
 * @failures: expectations that were not met
 * @allocs: memory to free at its end
 * @nallocs: how many pieces
 */
struct kunit {
	const void	*param_value;
	void		*priv;
	unsigned int	failures;
	void		**allocs;
	size_t		nallocs;
};

struct kunit_case {
	void		(*run_case)(struct kunit *test);
	const char	*name;
	const void	*(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char		*name;
	int			(*init)(struct kunit *test);
	struct kunit_case	*test_cases;
};

void kunit_register(const struct kunit_suite *suite);
void kunit_fail(struct kunit *test, const char *file, int line, const char *fmt, ...);
void *kunit_kmalloc(struct kunit *test, size_t size, int gfp);
void *kunit_kzalloc(struct kunit *test, size_t size, int gfp);

#define kunit_test_suite(suite)						\
	__attribute__((__constructor__))				\
	static void kunit_register_##suite(void)			\
	{								\
		kunit_register(&(suite));				\
	}

#define KUNIT_CASE(fn)		{ .run_case = fn, .name = #fn }
#define KUNIT_CASE_PARAM(fn, gen)					\
	{ .run_case = fn, .name = #fn, .generate_params = gen }

#define KUNIT_ARRAY_PARAM(name, array, get_desc)			\
	static const void *name##_gen_params(const void *prev, char *desc) \
	{								\
		typeof((array)[0]) *next = prev;			\
									\
		next = next ? next + 1 : (array);			\
		if (next >= (array) + ARRAY_SIZE(array))		\
			return NULL;					\
		get_desc(next, desc);					\
		return next;						\
	}

#define KUNIT_BINARY(test, a, op, b, fmt, ...)				\
	do {								\
		long long __a = (a), __b = (b);				\
									\
		if (!(__a op __b))					\
			kunit_fail(test, __FILE__, __LINE__,		\
				   "%s " #op " %s: %#llx, %#llx" fmt,	\
				   #a, #b, __a, __b, ##__VA_ARGS__);	\
	} while (0)

#define KUNIT_EXPECT_EQ(test, a, b)	KUNIT_BINARY(test, a, ==, b, "")
#define KUNIT_EXPECT_NE(test, a, b)	KUNIT_BINARY(test, a, !=, b, "")
#define KUNIT_EXPECT_LE(test, a, b)	KUNIT_BINARY(test, a, <=, b, "")
#define KUNIT_EXPECT_GE(test, a, b)	KUNIT_BINARY(test, a, >=, b, "")
#define KUNIT_EXPECT_GT(test, a, b)	KUNIT_BINARY(test, a, >, b, "")
#define KUNIT_ASSERT_GT(test, a, b)	KUNIT_EXPECT_GT(test, a, b)
#define KUNIT_EXPECT_EQ_MSG(test, a, b, fmt, ...)			\
	KUNIT_BINARY(test, a, ==, b, " " fmt, ##__VA_ARGS__)
#define KUNIT_EXPECT_TRUE(test, c)	KUNIT_BINARY(test, !!(c), ==, true, "")
#define KUNIT_EXPECT_FALSE(test, c)	KUNIT_BINARY(test, !!(c), ==, false, "")
#define KUNIT_EXPECT_TRUE_MSG(test, c, fmt, ...)			\
	KUNIT_BINARY(test, !!(c), ==, true, " " fmt, ##__VA_ARGS__)
#define KUNIT_EXPECT_MEMEQ(test, a, b, size)				\
	KUNIT_BINARY(test, memcmp(a, b, size), ==, 0, "")
#define KUNIT_EXPECT_NULL(test, p)	KUNIT_EXPECT_FALSE(test, p)
#define KUNIT_EXPECT_NOT_NULL(test, p)	KUNIT_EXPECT_TRUE(test, p)
#define KUNIT_ASSERT_NOT_NULL(test, p)	KUNIT_EXPECT_TRUE(test, p)

#define MODULE_LICENSE(text)		_Static_assert(sizeof(text), "")
#define MODULE_DESCRIPTION(text)	_Static_assert(sizeof(text), "")
#define MODULE_INFO(tag, text)		_Static_assert(sizeof(text), "")

#endif
