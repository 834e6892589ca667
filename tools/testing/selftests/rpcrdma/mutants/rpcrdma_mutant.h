/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler includes this ahead of each file of the mutants' build. With
 * MUTANT_UNIT that is for user space, and the environment chooses the mutant.
 */
#ifndef _RPCRDMA_MUTANT_H
#define _RPCRDMA_MUTANT_H

#ifdef MUTANT_UNIT

#include <stdlib.h>

/* Each file has them; one remains */
#pragma weak rpcrdma_mutant_chosen
#pragma weak rpcrdma_mutant_choose

unsigned int rpcrdma_mutant_chosen;

__attribute__((constructor)) void rpcrdma_mutant_choose(void)
{
	const char *nr = getenv("MUTANT");

	rpcrdma_mutant_chosen = nr ? strtoul(nr, NULL, 0) : 0;
}

#define rpcrdma_mutant(nr)	(rpcrdma_mutant_chosen == (nr))

#elif !defined(__ASSEMBLY__)

#include <linux/compiler.h>

extern unsigned int rpcrdma_mutant_chosen;
extern unsigned long rpcrdma_mutant_word[2];

void rpcrdma_mutant_sleep(unsigned int ms);
void rpcrdma_mutant_delay(unsigned int ms);

#define rpcrdma_mutant(nr)	unlikely(READ_ONCE(rpcrdma_mutant_chosen) == (nr))

#endif

#endif
