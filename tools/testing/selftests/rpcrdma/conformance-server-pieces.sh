#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A server whose Receives are put together from single pages takes long messages, also
# where they are longer than its longest READ or WRITE; peer/ has the cases.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# module: test
# except: debug-rxe debug-siw stock-siw
# timeout: 240

. "$(dirname "$0")/rpcrdma_lib.sh"

rpcrdma_peer_ready
rpcrdma_eager
rpcrdma_server_set placement_order 0
trap 'rpcrdma_server_set placement_order 5; rpcrdma_block_size "$before" > /dev/null
	tb_server "rm -f /export/conformance"; rpcrdma_cleanup' EXIT
before=$(rpcrdma_block_size 32768) || { echo "Bail out! nfsd takes no block size: $before"; exit 1; }
tb_server "$RPCRDMA_BIN/peer file /export/conformance 262144"
rpcrdma_peer client --host "$TB_SERVER_IP" --path conformance --case message_rbsiz
