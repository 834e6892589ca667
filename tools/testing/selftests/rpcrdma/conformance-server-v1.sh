#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A server whose version 2 is switched off answers the conformance peer as a
# server does that has never heard of it; peer/ has the cases.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# timeout: 180

. "$(dirname "$0")/rpcrdma_lib.sh"

[ -x /out/bin/peer ] || rpcrdma_skip_all "the peer is not built: make programs"
modprobe -q -a rdma_ucm ib_uverbs
trap rpcrdma_cleanup EXIT
rpcrdma_max_version 2 1
tb_server '/out/bin/peer file /export/conformance 262144'
/out/bin/peer client --host "$TB_SERVER_IP" --path conformance --server-max 1 \
	--csv "/out/$(basename "$0" .sh).csv" --device "$TB_DEV" \
	--timeout "$([ "$TB_KERNEL" = stock ] && echo 15000 || echo 60000)"
rc=$?
tb_server 'rm -f /export/conformance'
exit "$rc"
