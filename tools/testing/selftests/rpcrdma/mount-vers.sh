#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# NFSv3, 4.0, 4.1 and 4.2 mount over version 2 and move data of all sizes.
#
# bed: pair
# alone: yes
# kernels: stock debug kcsan 7.3
# devices: rxe siw
# also: rxe+copy siw+ledger
# except: debug-rxe debug-siw stock-siw
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"

VERSIONS=(3 4.0 4.1 4.2)
rpcrdma_everything || [ "$TB_KERNEL-$TB_DEV" = stock-rxe ] || VERSIONS=(3 4.2)

rpcrdma_begin $((${#VERSIONS[@]} * 4))
for vers in "${VERSIONS[@]}"; do
	rpcrdma_t "vers=$vers mounts" rpcrdma_mount "$vers"
	rpcrdma_t "vers=$vers speaks version 2" rpcrdma_version 2
	rpcrdma_t "vers=$vers writes, reads and lists a tree" rpcrdma_roundtrip "tree-$vers"
	rpcrdma_t "vers=$vers unmounts" rpcrdma_umount
done
rpcrdma_end
