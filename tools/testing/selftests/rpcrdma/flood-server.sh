#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A server bears 100,000 bad messages of all kinds in a row (25,000 in "make check",
# 5,000 where the kernel is slow): its memory stays as it was, and the next client is served.
# --flood N chooses another number.
#
# bed: pair
# kernels: stock debug
# devices: rxe
# module: test
# except: debug-rxe
# asked: 7.3
# timeout: 600

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/flood_lib.sh"

# used: what the server's kernel has allocated, in KiB: slab, and all of it.
used()
{
	tb_server "$(declare -f flood_used); flood_used"
}

# flood COUNT: that many bad messages to the server.
flood()
{
	rpcrdma_peer client --host "$TB_SERVER_IP" --path conformance --flood "$1"
}

rpcrdma_eager
flood_run "$@"
