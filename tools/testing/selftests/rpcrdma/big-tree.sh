#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A real tree of many files goes there and back unharmed, with several files
# under way at once.
#
# bed: pair
# alone: yes
# kernels: stock debug
# devices: rxe siw
# without: debug-siw
# except: debug-rxe debug-siw stock-siw stock-rxe
# timeout: 360

. "$(dirname "$0")/rpcrdma_lib.sh"

# make_tree: gathers files of this system into $tree, fewer on the slow debug
# kernel.
make_tree()
{
	local n=500

	[ "$TB_KERNEL" = stock ] || n=80
	mkdir -p "$tree"
	find /usr/lib/python3.11 /etc -type f | sort | head -n $n | xargs cp --parents -t "$tree"
}

# copy_in: makes the folders, then copies with four cp at once.
copy_in()
{
	cd "$tree" || return 1
	find . -mindepth 1 -type d -printf "$RPCRDMA_MNT/%P\\0" | xargs -0 mkdir -p &&
		find . -type f -print0 | xargs -0 -P4 -n25 cp --parents -t "$RPCRDMA_MNT"
}

# compare: reads all of it afresh.
compare()
{
	rpcrdma_drop_caches
	[ "$(rpcrdma_sum "$tree")" = "$(rpcrdma_sum "$RPCRDMA_MNT")" ]
}

tree=$RPCRDMA_WORK/tree
rpcrdma_begin 5
make_tree
rpcrdma_t "mounts" rpcrdma_mount 4.2
rpcrdma_t "$(find "$tree" -type f | wc -l) files, $(du -sk "$tree" | cut -f1) KiB, are written" copy_in
rpcrdma_t "they are read back the same" compare
rpcrdma_t "they are removed" find "$RPCRDMA_MNT" -mindepth 1 -delete
rpcrdma_t "over version 2" rpcrdma_version 2
rpcrdma_end
