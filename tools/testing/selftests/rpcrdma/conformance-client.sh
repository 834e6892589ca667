#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Our client mounts from the conformance peer and bears whatever that answers,
# good and bad, as the specification says; peer/ has the cases. The debug kernel
# gets only as many of them as name each id once.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# except: debug-siw
# timeout: 600

. "$(dirname "$0")/rpcrdma_lib.sh"

[ -x /out/bin/peer ] || rpcrdma_skip_all "the peer is not built: make programs"
modprobe -q -a rdma_ucm ib_uverbs nfsv3
mkdir -p "$RPCRDMA_MNT"
few=(--timeout 15000)
[ "$TB_KERNEL" = stock ] || few=(--timeout 60000 --subset)
/out/bin/peer server --host 10.9.0.2 --dir "$RPCRDMA_MNT" \
	--csv "/out/$(basename "$0" .sh).csv" --device "$TB_DEV" \
	"${few[@]}"
