#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A server whose Receives have another length by setting obeys directions for what it
# sends, and has no place for data; peer/ has the cases.
#
# bed: pair
# alone: yes
# kernels: stock debug
# devices: rxe siw
# module: test
# except: debug-rxe debug-siw stock-siw
# timeout: 240

. "$(dirname "$0")/rpcrdma_lib.sh"

rpcrdma_peer_ready
trap 'tb_server "rm -f /export/conformance"; rpcrdma_cleanup' EXIT
rpcrdma_server_set recv_size 8192
tb_server "$RPCRDMA_BIN/peer file /export/conformance 262144"
rpcrdma_peer client --host "$TB_SERVER_IP" --path conformance --case 'xmt_no_plt,opt*'
