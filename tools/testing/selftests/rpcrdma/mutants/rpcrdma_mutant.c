// SPDX-License-Identifier: GPL-2.0
/* What mutants share, and the parameter that chooses one; 0 is none. */
#include <linux/delay.h>
#include <linux/module.h>

/* What a mutant keeps from one place to another, until the next one is chosen */
unsigned long rpcrdma_mutant_word[2];

unsigned int rpcrdma_mutant_chosen;

static int rpcrdma_mutant_set(const char *text, const struct kernel_param *param)
{
	memset(rpcrdma_mutant_word, 0, sizeof(rpcrdma_mutant_word));
	return param_set_uint(text, param);
}

static const struct kernel_param_ops rpcrdma_mutant_ops = {
	.set	= rpcrdma_mutant_set,
	.get	= param_get_uint,
};

module_param_cb(mutant, &rpcrdma_mutant_ops, &rpcrdma_mutant_chosen, 0644);
MODULE_PARM_DESC(mutant, "The mutant that is at work (0: none)");

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
