#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# make demo: shows a newcomer version 2 at work. Installs what is missing,
# builds, boots a server and a client, copies a part of the kernel source to
# the server and back over version 2 and over version 1, and tells both by
# what went over the wire.

. "$(dirname "$0")/../scripts/lib.sh"

# 1,444 files, 106 MB: many small ones, some of several megabytes
parts="fs/nfs fs/nfsd net/sunrpc drivers/infiniband drivers/net/ethernet/mellanox
drivers/gpu/drm/amd/include/asic_reg/gc drivers/gpu/drm/amd/include/asic_reg/mmhub"

"$TOP/scripts/deps.sh"
need_cache
step "building the module"
"$TOP/scripts/build.sh" stock
src=$(kernel_source)
data=$CACHE/demo-$(key "$parts" "$src").sqfs
if [ ! -f "$data" ]; then
	step "packing a part of the kernel source as something to copy"
	# shellcheck disable=SC2086
	(cd "$src" && mksquashfs $parts "$data.tmp" -no-strip -comp zstd -Xcompression-level 3 -quiet -no-progress > /dev/null)
	publish "$data.tmp" "$data"
	prune demo- "$data"
fi
step "booting a server and a client (Debian's kernel, soft-RoCE)"
OUT=${OUT:-$BUILD/demo} DATA=$data TIMEOUT=900 "$TOP/testbed/pair.sh" testbed/demo-client "$STARTED"
step "done; consoles and kernel logs of both are in ${OUT:-$BUILD/demo}"
