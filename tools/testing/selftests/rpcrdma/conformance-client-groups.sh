#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# As conformance-client.sh, with Receives that are so short that replies to the
# READs of the peer's cases take several: what is good and bad about groups, reverse
# Calls by such included.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# module: test
# except: debug-rxe debug-siw stock-siw
# timeout: 1200

. "$(dirname "$0")/rpcrdma_lib.sh"
# shellcheck source=tools/testing/selftests/rpcrdma/place_lib.sh
. "$(dirname "$0")/place_lib.sh"

[ -x /out/bin/peer ] || rpcrdma_skip_all "the peer is not built: make programs"
modprobe -q -a rdma_ucm ib_uverbs nfsv3
mkdir -p "$RPCRDMA_MNT"
place_defaults
rpcrdma_set client eager 1
place_set pages 1
wait=15000
part=0/1
[ "$TB_KERNEL" = stock ] || wait=60000
rpcrdma_whole || part=0/4
/out/bin/peer server --host 10.9.0.2 --dir "$RPCRDMA_MNT" \
	--csv "/out/$(basename "$0" .sh).csv" --device "$TB_DEV" \
	--timeout "$wait" --part "$part" --case 'cont_*,reverse_group*'
rc=$?
place_restore
exit "$rc"
