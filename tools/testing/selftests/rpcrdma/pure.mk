# SPDX-License-Identifier: GPL-2.0
#
# The module's files that call no verbs, and so build in user space, too: for the unit
# tests, the fuzzer and xdr/. TOP is set by who includes this; TREE may name other
# sources.

TREE ?= $(TOP)
XPRT := $(TREE)/net/sunrpc/xprtrdma/v2
PURE_NAMES := codec codec_lists xchars codec_xchar codec_xmt \
	plan claims stream assembly exchange exchange_due ledger pool posted
PURE := $(PURE_NAMES:%=$(XPRT)/%.c)
PURE_HDRS := $(wildcard $(PURE_NAMES:%=$(XPRT)/%.h) $(XPRT)/codec_priv.h \
	$(XPRT)/tests/*.h \
	$(TOP)/tools/testing/selftests/rpcrdma/unit/include/*/*.h \
	$(TREE)/include/linux/sunrpc/*.h)
