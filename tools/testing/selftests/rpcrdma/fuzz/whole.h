/* SPDX-License-Identifier: GPL-2.0 */
/* What holds of every message with placed data that was found sound. */
#ifndef FUZZ_WHOLE_H
#define FUZZ_WHOLE_H

#include "plan.h"

void whole_check(const struct rpcrdma2_arrival *arr, const struct rpcrdma2_xmtreq *req);
void whole_walk(const struct rpcrdma2_arrival *arr);

#endif
