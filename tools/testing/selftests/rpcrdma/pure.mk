# SPDX-License-Identifier: GPL-2.0
#
# The module's files that call no verbs, and so build in user space, too: for the unit
# tests, the fuzzer and xdr/. TOP is set by who includes this; TREE may name other
# sources.

TREE ?= $(TOP)
XPRT := $(TREE)/net/sunrpc/xprtrdma
PURE := $(wildcard $(XPRT)/rpcrdma2_codec*.c $(XPRT)/rpcrdma2_xchar*.c \
	$(XPRT)/rpcrdma2_place*.c) $(XPRT)/rpcrdma2_group.c \
	$(XPRT)/rpcrdma2_repterr.c $(XPRT)/rpcrdma2_loan.c \
	$(XPRT)/rpcrdma2_calls.c $(XPRT)/rpcrdma2_pool.c
PURE_HDRS := $(wildcard $(XPRT)/rpcrdma2_codec*.h $(XPRT)/rpcrdma2_xchar.h \
	$(XPRT)/rpcrdma2_place.h $(XPRT)/rpcrdma2_group.h \
	$(XPRT)/rpcrdma2_repterr.h $(XPRT)/rpcrdma2_loan.h \
	$(XPRT)/rpcrdma2_calls.h $(XPRT)/rpcrdma2_pool.h \
	$(XPRT)/tests/*.h \
	$(TOP)/tools/testing/selftests/rpcrdma/unit/include/*/*.h \
	$(TREE)/include/linux/sunrpc/*.h)
