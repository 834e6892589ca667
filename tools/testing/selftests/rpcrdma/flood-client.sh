#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A client bears 100,000 bad messages of all kinds in a row from the server that
# it has mounted (25,000 in "make check", 5,000 where the kernel is slow): its memory stays as it was,
# and its next mount works. --flood N chooses another number.
#
# bed: pair
# kernels: stock debug
# devices: rxe
# except: debug-rxe
# asked: 7.3
# timeout: 600

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/flood_lib.sh"

# used: what this kernel has allocated, in KiB: slab, and all of it.
used()
{
	flood_used
}

# flood COUNT: that many bad messages to this kernel's client.
flood()
{
	rpcrdma_set client eager 1
	rpcrdma_peer server --host 10.9.0.2 --dir "$RPCRDMA_MNT" --flood "$1"
}

flood_run "$@"
