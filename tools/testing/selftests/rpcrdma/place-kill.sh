#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Pages that a Send reads from stay what they are until the Send is complete:
# processes are killed in the middle of O_DIRECT writes, RPCs are killed by a
# forced unmount, and what they leave is put to another use at once. The server's
# file never has a block that was not meant for it.
#
# bed: pair
# kernels: stock debug kcsan
# devices: rxe siw
# module: test
# smp: 2
# except: debug-siw stock-siw stock-rxe
# timeout: 500

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"

# foreign NAME: the server's file is made of blocks that were meant for it.
foreign()
{
	tb_server "python3 $PLACE_IO check /export/$1"
}

# killed: so many processes were killed, and data was placed.
killed()
{
	rpcrdma_ready || return 1
	place_note
	"$RPCRDMA_BIN/kill_writers" "$RPCRDMA_MNT/killed" "$(rpcrdma_share 1000)" &&
		place_grew xmtreqs "$(rpcrdma_share 1000)" && foreign killed
}

# under_way: data has been placed.
under_way()
{
	[ "$(place_sum client xmtreqs)" -gt 0 ]
}

# forced: RPCs that are under way are killed with the mount, some times over.
forced()
{
	local n pid

	for ((n = 0; n < $(rpcrdma_share 40); n++)); do
		rpcrdma_mount 4.2 soft,timeo=300,retrans=1 || return 1
		"$RPCRDMA_BIN/kill_writers" "$RPCRDMA_MNT/forced" 3 > /dev/null 2>&1 &
		pid=$!
		tb_wait 5 under_way
		umount -f "$RPCRDMA_MNT" 2> /dev/null
		umount -l "$RPCRDMA_MNT" 2> /dev/null
		kill -KILL "$pid" 2> /dev/null
		wait "$pid" 2> /dev/null
	done
	foreign forced
}

rpcrdma_begin 5
place_single
rpcrdma_t "mounts" rpcrdma_mount 4.2 || rpcrdma_end
rpcrdma_t "data is placed" place_is on
rpcrdma_t "processes are killed" killed
rpcrdma_t "unmounts" rpcrdma_umount
rpcrdma_t "mounts are forced away" forced
rpcrdma_end
