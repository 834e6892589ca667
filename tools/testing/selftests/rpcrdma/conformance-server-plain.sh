#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A server whose placement by Send is switched off refuses it as a server does
# that has never heard of it; peer/ has the cases.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# except: debug-rxe debug-siw stock-siw
# timeout: 240

. "$(dirname "$0")/rpcrdma_lib.sh"

PAGES=/proc/sys/sunrpc/svc_rdma/placement_pages

rpcrdma_peer_ready
before=$(tb_server "[ ! -e $PAGES ] || cat $PAGES")
trap 'tb_server "[ ! -e $PAGES ] || echo $before > $PAGES"; rpcrdma_cleanup' EXIT
tb_server "[ ! -e $PAGES ] || echo 0 > $PAGES"
rpcrdma_peer client --host "$TB_SERVER_IP" --path conformance --case 'xmt_not_offered,xmt_cont_not_offered,opt*'
