#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Data of READs is placed where the device is software, and goes by RDMA Write where it
# is hardware, as which it poses here, unless an administrator decides. Data of WRITEs
# is placed in either case.
#
# bed: pair
# kernels: stock
# devices: rxe siw
# except: stock-siw
# module: test
# timeout: 240

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"

SIZES=(4096 65536 262144 1048576)
# How often place_io.py does each
TIMES=5

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	rpcrdma_umount_all
	[ -z "$block" ] || rpcrdma_block_size "$block" > /dev/null
	rpcrdma_cleanup
}

# begin HARDWARE READ_MAX: mounts with the defaults but for these.
begin()
{
	place_restore
	place_set hardware "$1"
	place_set read_max "$2"
	rpcrdma_mount 4.1 rsize=1048576,wsize=1048576 && grep -q " $RPCRDMA_MNT .*,rsize=1048576,wsize=1048576," /proc/self/mounts || return 1
	# memory is kept for 40 s without data, which a slow host needs between two rounds
	rpcrdma_interval 2000
}

# writes: data of WRITEs is placed, but for the shortest, when the connection has got the
# memory and the credits for that. Nothing has memory registered, not even for the reply to OPEN.
writes()
{
	local n by sent

	for n in {1..10}; do
		place_note
		place_write direct file "${SIZES[@]}" || return 1
		place_look
		place_by placed_bytes_sent && sent=$by && place_by chunks || return 1
		echo "$sent bytes placed, $by chunks"
		[ "$sent" != $((TIMES * (65536 + 262144 + 1048576))) ] || break
		[ "$n" != 10 ] || { place_ends; return 1; }
	done
	[ "$by" = 0 ] && place_still rpcs_failed dropped groups_broken
}

# reads PLACED WRITTEN: READs are right. Of their data so many bytes of each round are placed,
# and so many go by RDMA Write. A connection comes to have Receives for what is placed by
# and by.
reads()
{
	local n placed written by

	for n in 1 2 3 4 5 6; do
		place_note
		place_read direct file "${SIZES[@]}" || return 1
		place_look
		place_by placed_bytes_received && placed=$by && place_by written && written=$by || return 1
		echo "$placed bytes placed, $written by RDMA Write"
		[ "$placed $written" != "$((TIMES * $1)) $((TIMES * $2))" ] || break
		[ "$n" != 6 ] || { echo "expected: $((TIMES * $1)), $((TIMES * $2))"; return 1; }
	done
	[ "$written" != 0 ] || place_still chunks || return 1
	place_still rpcs_failed dropped groups_broken repterr_sent repterr_received
}

# case_of NAME HARDWARE READ_MAX TEXT RECEIVES PLACED WRITTEN: all that holds with these
# settings. RECEIVES is how long the client's Receives get.
case_of()
{
	rpcrdma_t "$1: mounts" begin "$2" "$3"
	rpcrdma_t "$1: the client says what it places" place_is "$4"
	rpcrdma_t "$1: data of WRITEs is placed" writes
	rpcrdma_t "$1: data of READs goes its way" reads "${@:6}"
	rpcrdma_t "$1: Receives are as long as that takes" rpcrdma_is client local_rbsiz "$5"
	rpcrdma_t "$1: unmounts" rpcrdma_umount
}

block=
rpcrdma_begin 30
trap cleanup EXIT
block=$(rpcrdma_block_size 1048576)
short=8192
long=66048
case_of "software" 0 0 on $long $((65536 + 262144 + 1048576)) 0
case_of "hardware" 1 0 "on: for Calls only" $short 0 $((65536 + 262144 + 1048576))
case_of "hardware, but placed" 1 1048576 on $long $((65536 + 262144 + 1048576)) 0
case_of "software, but not placed" 0 1 "on: for Calls only" $short 0 $((65536 + 262144 + 1048576))
case_of "up to 256 KiB" 1 262144 on $long $((65536 + 262144)) 1048576
rpcrdma_end
