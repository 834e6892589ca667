#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Our client falls back to version 1 on the same connection when the server
# runs Debian's own module, and moves data.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# without: debug-siw
# except: debug-rxe debug-siw stock-siw
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"

# connects: how many connections the mount has made; one is right.
connects()
{
	local n

	n=$(rpcrdma_xprt 3)
	echo "connections made: $n"
	[ "$n" = 1 ]
}

# refused: the client says that it was refused.
refused()
{
	rpcrdma_state client why
	[ "$(rpcrdma_state client why | sort -u)" = "peer refused version 2" ]
}

rpcrdma_begin 12
rpcrdma_t "Debian's module runs on the server" rpcrdma_modules stock ours || rpcrdma_end
for vers in 3 4.1; do
	rpcrdma_t "vers=$vers mounts" rpcrdma_mount "$vers"
	rpcrdma_t "vers=$vers speaks version 1" rpcrdma_version 1 client
	rpcrdma_t "vers=$vers was refused version 2" refused
	rpcrdma_t "vers=$vers stayed on the same connection" connects
	rpcrdma_t "vers=$vers writes, reads and lists a tree" rpcrdma_roundtrip "tree-$vers"
	rpcrdma_umount
done
rpcrdma_t "our module runs on the server again" rpcrdma_modules ours ours && rpcrdma_changed=
rpcrdma_end
