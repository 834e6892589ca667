// SPDX-License-Identifier: GPL-2.0
/* What mutants share, and the parameter that chooses one; 0 is none. */
#include <linux/delay.h>
#include <linux/module.h>

unsigned int rpcrdma_mutant_chosen;
module_param_named(mutant, rpcrdma_mutant_chosen, uint, 0644);
MODULE_PARM_DESC(mutant, "The mutant that is at work (0: none)");

/* What a mutant keeps from one place to another */
unsigned long rpcrdma_mutant_word[2];

/**
 * rpcrdma_mutant_sleep - where one may sleep
 * @ms: for how long
 */
void rpcrdma_mutant_sleep(unsigned int ms)
{
	msleep(ms);
}

/**
 * rpcrdma_mutant_delay - where one may not
 * @ms: for how long
 */
void rpcrdma_mutant_delay(unsigned int ms)
{
	mdelay(ms);
}
