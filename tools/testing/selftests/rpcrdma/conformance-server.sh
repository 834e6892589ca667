#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Our server answers everything the conformance peer sends it, good and bad, as
# the specification says; peer/ has the cases. The debug kernel gets only as
# many of them as name each id once.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# except: debug-siw
# timeout: 600

. "$(dirname "$0")/rpcrdma_lib.sh"

[ -x /out/bin/peer ] || rpcrdma_skip_all "the peer is not built: make programs"
modprobe -q -a rdma_ucm ib_uverbs
tb_server '/out/bin/peer file /export/conformance 262144'
few=(--timeout 15000)
[ "$TB_KERNEL" = stock ] || few=(--timeout 60000 --subset)
/out/bin/peer client --host "$TB_SERVER_IP" --path conformance \
	--csv "/out/$(basename "$0" .sh).csv" --device "$TB_DEV" \
	"${few[@]}"
rc=$?
tb_server 'rm -f /export/conformance'
exit "$rc"
