// SPDX-License-Identifier: GPL-2.0
/*
 * The policies that are compared, each with one more idea than the one above it; and
 * two of another kind.
 */

#include "sim.h"

const struct policy policies[] = {
	{
		.name	= "today",
		.what	= "64 credits of 68 KiB while the budget lasts, first come, first served",
		.fixed	= true,
	}, {
		.name	= "demand",
		.what	= "credits follow demand, all Receives are long",
	}, {
		.name	= "lengths",
		.what	= "and Receives are short until there is data to place",
		.sizes	= true,
	}, {
		.name	= "return",
		.what	= "and connections without data become small again",
		.sizes	= true,
		.small	= true,
	}, {
		.name	= "pool",
		.what	= "and addresses have shares, strangers the least, single pages will do",
		.sizes	= true,
		.small	= true,
		.share	= true,
		.pieces	= true,
		.aims	= true,
	}, {
		.name	= "asks",
		.what	= "and clients ask for their grant when they have nothing to do",
		.sizes	= true,
		.small	= true,
		.share	= true,
		.pieces	= true,
		.asks	= true,
		.aims	= true,
	}, {
		.name	= "srq",
		.what	= "demand, shares; Receives are shared, and there is one for each credit",
		.share	= true,
		.pieces	= true,
		.srq	= true,
	}, {
		.name	= "srq-over",
		.what	= "64 credits each; Receives are shared, and follow what is in use",
		.share	= true,
		.pieces	= true,
		.srq	= true,
		.over	= true,
	},
};

const u32 npolicies = ARRAY_SIZE(policies);
