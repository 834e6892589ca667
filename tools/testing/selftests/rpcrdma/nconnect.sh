#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# With nconnect=4 every transport settles on version 2 by itself, and data
# that is spread over all of them is right.
#
# bed: pair
# alone: yes
# kernels: stock debug kcsan
# devices: rxe siw
# smp: 2
# except: debug-siw stock-siw debug-rxe
# timeout: 240

. "$(dirname "$0")/rpcrdma_lib.sh"

# parallel: four writers, then four readers, of files of their own.
parallel()
{
	local n kib

	kib=$(rpcrdma_size 4096)
	for n in 1 2 3 4; do
		head -c "$((kib * 1024 + n))" /dev/urandom > "$RPCRDMA_WORK/f$n"
		cp "$RPCRDMA_WORK/f$n" "$RPCRDMA_MNT/f$n" &
	done
	wait
	rpcrdma_drop_caches
	for n in 1 2 3 4; do
		cmp "$RPCRDMA_WORK/f$n" "$RPCRDMA_MNT/f$n" &
	done
	for n in 1 2 3 4; do
		wait -n || return 1
	done
}

# four END: four connections, all of version 2.
four()
{
	tb_wait 15 rpcrdma_all_versions "$1" 2 4 || { echo "versions: $(rpcrdma_state "$1" version | tr '\n' ' ')"; return 1; }
}

rpcrdma_begin 6
rpcrdma_t "mounts with nconnect=4" rpcrdma_mount 4.1 nconnect=4
rpcrdma_t "parallel I/O is right" parallel
rpcrdma_t "the client has four transports of version 2" four client
rpcrdma_t "the server has four connections of version 2" four server
rpcrdma_t "a tree survives" rpcrdma_roundtrip
rpcrdma_t "unmounts" rpcrdma_umount
rpcrdma_end
