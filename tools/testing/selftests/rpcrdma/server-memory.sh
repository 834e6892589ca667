#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A server's memory follows use: connections begin with few short Receives, get
# more and larger ones when there is data, give them back when there is none, and never
# have more than the budget. Whatever they have, data is right, and no message comes that
# no Receive is posted for.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# module: test
# except: debug-rxe debug-siw stock-siw
# without: debug-siw
# asked: 7.3
# smp: 2
# timeout: 900

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"
. "$(dirname "$0")/memory_lib.sh"

# says TEXT COUNT: so many connections say this of placement.
says()
{
	[ "$(rpcrdma_state server placement | grep -cxF "$1")" -ge "$2" ]
}

# busy NAME COUNT: writes until the server places data on so many connections, or for too
# long. What uses up short Receives is messages, however long.
busy()
{
	local s=$SECONDS

	until says on "$2"; do
		dd if=/dev/zero "of=$RPCRDMA_MNT/$1" bs=128k count=64 oflag=direct status=none || return 1
		[ $((SECONDS - s)) -lt "$LONG" ] || { rpcrdma_state server placement; return 1; }
	done
}

# more_credits: the same until it grants more than at first. Not all blocks are posted as soon
# as it knows of some.
more_credits()
{
	local s=$SECONDS

	until [ "$(rpcrdma_state server forward_credits)" -gt 8 ]; do
		dd if=/dev/zero "of=$RPCRDMA_MNT/large" bs=128k count=16 oflag=direct status=none || return 1
		[ $((SECONDS - s)) -lt "$LONG" ] || return 1
	done
}

# placed NAME: data that is written is placed, and right. Both ends look less often at memory
# meanwhile: where a slow host pauses, a connection would be idle, and give it back.
placed()
{
	local rc=0

	rpcrdma_interval 10000
	place_note
	place_write direct "$1" 65536 1048576 20001 && place_grew placed_bytes_sent 65536 && place_still rpcs_failed || rc=1
	rpcrdma_interval 250
	return "$rc"
}

# remount [OPTIONS]: connections of their own.
remount()
{
	! mountpoint -q "$RPCRDMA_MNT" || rpcrdma_umount
	tb_wait 20 memory_total_is server connections 0 && rpcrdma_mount 4.2 "$@"
}

# in_place: most of what was placed since is used where it is.
in_place()
{
	local copied received

	received=$(place_sum server placed_bytes_received)
	copied=$(place_sum server placed_bytes_copied)
	echo "received $received, copied $copied"
	[ "$received" -gt 1000000 ] && [ $((copied * 10)) -lt "$received" ]
}

# credited COUNT: so many credits are granted.
credited()
{
	[ "$(rpcrdma_state server forward_credits)" -ge "$1" ]
}

# in_groups COUNT: so many groups have been sent since.
in_groups()
{
	local by

	place_look && place_by groups_sent && [ "$by" -ge "$1" ]
}

# grouped: when $WRITERS processes write a megabyte at a time each, there come to be credits
# for it, and then most go as groups. The client hears of them by and by: the first $START
# groups do not count. A reply while nothing is outstanding tells of few credits: the next
# ones before another reply go by explicit RDMA. A slow kernel has fewer Calls in an
# interval: it gets more time for them before memory is taken for idle.
grouped()
{
	local by groups other=0 key rc=0

	rpcrdma_interval "$INTERVAL"
	fio --name=several --directory="$RPCRDMA_MNT" --size=2M --numjobs="$WRITERS" --rw=write --bs=1M --direct=1 \
		--ioengine=psync --time_based --runtime=600 --output="$RPCRDMA_WORK/fio.out" > /dev/null 2>&1 &
	fio_pid=$!
	tb_wait $((3 * LONG)) credited "$CREDITS" || rc=1
	place_note
	tb_wait $((3 * LONG)) in_groups "$START" || rc=1
	place_note
	tb_wait $((3 * LONG)) in_groups 100 || rc=1
	rpcrdma_keys server forward_credits memory_credits
	kill -INT "$fio_pid"
	wait "$fio_pid"
	fio_pid=
	rpcrdma_interval 250
	place_look
	place_by groups_sent
	groups=$by
	for key in groups_no_credits groups_too_long; do
		place_by "$key"
		other=$((other + by))
	done
	echo "$groups groups, $other by explicit RDMA"
	[ $((other * SHARE)) -le "$groups" ] && return "$rc"
}

# answers NAME: READ comes to be placed at the client where WRITE is not at the server.
answers()
{
	local s=$SECONDS by=0

	place_single
	place_note
	place_write direct "$1" 4096 20001 65536 || return 1
	while [ "$by" -lt 50000 ]; do
		[ $((SECONDS - s)) -lt "$LONG" ] || { place_ends; return 1; }
		place_read direct "$1" 4096 20001 65536 && place_look && place_by placed_bytes_received || return 1
	done
	place_still placed_bytes_sent rpcs_failed
}

# order ORDER: sets of how large pieces of memory the server's Receives are made.
order()
{
	rpcrdma_server_set placement_order "$1"
}

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	local p

	for p in $many_pid $fio_pid; do
		kill "$p" 2> /dev/null
	done
	order 5
	rpcrdma_cleanup
}

many_pid='' fio_pid=''
# A megabyte takes 17 credits. The client uses 128 at most: its slots.
MANY=32 WRITERS=7 CREDITS=136 START=60 SHARE=5
# It lets one process have no more queue pairs, and has registrations for so many credits.
[ "$TB_DEV" != siw ] || MANY=16 WRITERS=5 CREDITS=96 SHARE=3
LONG=90 INTERVAL=250
[ "$TB_KERNEL" = stock ] || LONG=120 INTERVAL=$((2000 * TB_SMP))
rpcrdma_peer_ready
rpcrdma_begin 38
trap cleanup EXIT
place_defaults
rpcrdma_server_set eager 0
rnr=$(memory_unposted server)
rpcrdma_t "mounts" remount
rpcrdma_t "Receives are short at first" memory_each server local_rbsiz 4096
rpcrdma_t "and few" memory_each server memory_kb "$MEMORY_IDLE"
rpcrdma_t "a tree survives" rpcrdma_roundtrip small
rpcrdma_t "data makes them large" busy large 1
rpcrdma_t "there are more credits than at first" more_credits
rpcrdma_t "it is placed" placed data
rpcrdma_t "and used where it is" in_place
rpcrdma_t "it all adds up" memory_whole server
rpcrdma_t "idle, it keeps few blocks" tb_wait 30 memory_each server memory_kb 2500
rpcrdma_t "and gets more again" eval 'busy again 1 && placed more'
rpcrdma_t "a tree survives that" rpcrdma_roundtrip larger
rpcrdma_t "$WRITERS WRITEs of 1 MiB at a time go as groups" grouped
rpcrdma_t "unmounts" rpcrdma_umount
rpcrdma_t "all memory is given back" tb_wait 20 memory_total_is server used_kb 0

rpcrdma_t "mounts 16 connections" remount nconnect=16
rpcrdma_t "all of them place data" busy many 16
rpcrdma_t "it all adds up" memory_whole server

rpcrdma_server_set placement_mem_kb 8000
rpcrdma_t "a smaller budget counts for connections there are" tb_wait 60 memory_within server 8000
rpcrdma_t "a tree survives" rpcrdma_roundtrip less
rpcrdma_server_set placement_mem_kb 3000
rpcrdma_t "mounts 4 connections with little memory" remount nconnect=4
rpcrdma_t "a tree survives" rpcrdma_roundtrip little
rpcrdma_t "no more is used than there is" memory_whole server
rpcrdma_server_set placement_mem_kb 1
rpcrdma_t "mounts without memory" remount
rpcrdma_t "it still obeys directions" answers without
rpcrdma_t "the server says why data is not placed" rpcrdma_becomes 10 server placement "off: over the budget"
place_defaults
rpcrdma_server_set placement_mem_kb 2147483647

order 0
rpcrdma_t "mounts with Receives in pieces" remount
rpcrdma_t "data makes them large" busy pieces 1
rpcrdma_t "it is placed" placed in-pieces
rpcrdma_t "a tree survives" rpcrdma_roundtrip pieces-tree
order 5
rpcrdma_t "unmounts" rpcrdma_umount

rpcrdma_max_version 1 2
rpcrdma_t "version 1 works, and is not charged" eval 'remount && rpcrdma_roundtrip one && memory_total_is server used_kb 0'
rpcrdma_max_version 2 2
rpcrdma_t "no message came that no Receive was there for" test "$rnr" = "$(memory_unposted server)"

rpcrdma_umount
many_start $MANY
rpcrdma_t "$MANY peers" many_connected $MANY
rpcrdma_t "cost little as long as nobody has authenticated" many_unknown $MANY
rpcrdma_t "who uses all credits is served, who uses more is closed" many_served
rpcrdma_t "data of all came to be placed soon" many_soon 20000
rpcrdma_t "data of all was placed, and nobody was closed before" test "$(many_said after-placed) $(many_said lost)" = "0 0"
rpcrdma_end
