#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A server whose placement by Send is switched off refuses it as a server does
# that has never heard of it; peer/ has the cases.
#
# bed: pair
# alone: yes
# kernels: stock debug
# devices: rxe siw
# except: debug-rxe debug-siw stock-siw
# timeout: 240

. "$(dirname "$0")/rpcrdma_lib.sh"

rpcrdma_peer_ready
trap 'rpcrdma_placement 1 1; rpcrdma_cleanup' EXIT
rpcrdma_placement 1 0
rpcrdma_peer client --host "$TB_SERVER_IP" --path conformance --case 'xmt_not_offered,xmt_cont_not_offered,opt*'
