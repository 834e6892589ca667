#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A server whose version 2 is switched off answers the conformance peer as a
# server does that has never heard of it; peer/ has the cases.
#
# bed: pair
# alone: yes
# kernels: stock debug 7.3
# devices: rxe siw
# module: test
# except: debug-rxe debug-siw stock-siw
# timeout: 180

. "$(dirname "$0")/rpcrdma_lib.sh"

rpcrdma_peer_ready
trap rpcrdma_cleanup EXIT
rpcrdma_max_version 2 1
tb_server "$RPCRDMA_BIN/peer file /export/conformance 262144"
rpcrdma_peer client --host "$TB_SERVER_IP" --path conformance --server-max 1 \
	--case 'null_v1*,long_call_v1,read_v1,read_reply_chunk_v1,write_v1,version_1_proc_unknown,v1_read_*,v1_short,version_2_off'
rc=$?
tb_server 'rm -f /export/conformance'
exit "$rc"
