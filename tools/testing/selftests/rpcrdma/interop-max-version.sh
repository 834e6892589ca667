#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each end goes back to version 1 by its switch alone, and forth again.
#
# bed: pair
# kernels: stock debug
# devices: rxe
# except: debug-rxe stock-rxe
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"

rpcrdma_begin 12
for want in "1 1 1" "1 2 1" "2 1 1" "2 2 2"; do
	read -r client server version <<< "$want"
	rpcrdma_max_version "$client" "$server"
	rpcrdma_t "client $client, server $server: mounts" rpcrdma_mount 4.1
	rpcrdma_t "client $client, server $server: speaks version $version" rpcrdma_version "$version" client
	rpcrdma_t "client $client, server $server: a tree survives" rpcrdma_roundtrip "tree-$client$server"
	rpcrdma_umount
done
rpcrdma_end
