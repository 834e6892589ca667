#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A client bears 5,000 sequences of spoiled messages from servers that it has mounted,
# replies in groups and reverse Calls among them: what it answers is in order, no system
# call hangs, a mount of an honest server works all the while, and its memory stays as it
# was. There are 1,000 in "make check". --fuzz N chooses another number, SEED= another seed
# than one drawn (in "make check" 4711); it is printed.
#
# bed: client
# kernels: stock debug
# devices: rxe
# module: test
# except: debug-rxe
# asked: 7.3
# timeout: 1500

. "$(dirname "$0")/rpcrdma_lib.sh"
# shellcheck source=tools/testing/selftests/rpcrdma/place_lib.sh
. "$(dirname "$0")/place_lib.sh"
# shellcheck source=tools/testing/selftests/rpcrdma/fuzz_lib.sh
. "$(dirname "$0")/fuzz_lib.sh"

# used: what this kernel has allocated, in KiB: slab, and all of it.
used()
{
	flood_used
}

# fuzz ARGUMENTS...: sequences to this kernel's client. Its READs are short, so that
# placement has to begin with shorter ones than by default.
fuzz()
{
	local rc=0

	place_defaults
	rpcrdma_set client eager 1
	place_set read_min 4096
	rpcrdma_peer server --host 10.9.0.2 --dir "$RPCRDMA_MNT" "$@" || rc=$?
	place_restore
	return "$rc"
}

rpcrdma_peer_ready
# Reverse Calls are answered by MSG however they came.
fuzz_run 10 "MSG=5 MSG-to-group=5 RESPXCH REPTERR BAD_XDR INVAL_PROC INVAL_OPTION" "$@"
rpcrdma_end
