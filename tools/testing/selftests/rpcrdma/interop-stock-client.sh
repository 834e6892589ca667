#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A client that runs Debian's own module mounts from our server and moves data
# over version 1.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# without: debug-siw
# except: debug-rxe debug-siw stock-siw
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"

rpcrdma_begin 8
rpcrdma_t "Debian's module runs on the client" rpcrdma_modules ours stock || rpcrdma_end
for vers in 3 4.1; do
	rpcrdma_t "vers=$vers mounts" rpcrdma_mount "$vers"
	rpcrdma_t "vers=$vers speaks version 1" rpcrdma_version 1 server
	rpcrdma_t "vers=$vers writes, reads and lists a tree" rpcrdma_roundtrip "tree-$vers"
	rpcrdma_umount
done
rpcrdma_t "our module runs on the client again" rpcrdma_modules ours ours && rpcrdma_changed=
rpcrdma_end
