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
# except: debug-siw
# without: debug-siw
# asked: 7.3
# smp: 2
# timeout: 600

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"

# total KEY: prints one of the server's totals.
total()
{
	tb_server "sed -n 's/^$1: //p' $RPCRDMA_DEBUGFS/server_memory"
}

# total_is KEY VALUE: it is this.
total_is()
{
	[ "$(total "$1")" = "$2" ]
}

# each KEY MOST: what the server says of each connection is a number up to MOST, and
# there is one.
each()
{
	local got

	got=$(rpcrdma_state server "$1" | sort -n | tail -1)
	echo "$1: $got"
	[ -n "$got" ] && [ "$got" -le "$2" ]
}

# whole: what all have adds up to the total, which is within the budget.
whole()
{
	local sum

	sum=$(rpcrdma_state server memory_kb | awk '{ s += $1 } END { print s + 0 }')
	echo "connections $sum kB, used $(total used_kb) kB of $(total budget_kb) kB"
	[ "$sum" = "$(total used_kb)" ] && [ "$sum" -le "$(total budget_kb)" ]
}

# says TEXT COUNT: so many connections say this of placement.
says()
{
	[ "$(rpcrdma_state server placement | grep -cxF "$1")" -ge "$2" ]
}

# busy NAME: writes until the server places data on all connections, or for 20 s.
busy()
{
	local s=$SECONDS

	until says on "$2"; do
		dd if=/dev/zero "of=$RPCRDMA_MNT/$1" bs=1M count=32 oflag=direct status=none || return 1
		[ $((SECONDS - s)) -lt 20 ] || { rpcrdma_state server placement; return 1; }
	done
}

# unposted: prints how often something came to the server that no Receive was there for.
unposted()
{
	tb_server "cat /sys/class/infiniband/*/ports/1/hw_counters/*rnr* 2> /dev/null" | awk '{ s += $1 } END { print s + 0 }'
}

# placed: data that is written is placed, and right.
placed()
{
	place_note
	place_write direct "$1" 65536 1048576 20001 && place_grew placed_bytes_sent 65536 && place_still rpcs_failed
}

# remount [OPTIONS]: connections of their own.
remount()
{
	! mountpoint -q "$RPCRDMA_MNT" || rpcrdma_umount
	tb_wait 20 total_is connections 0 && rpcrdma_mount 4.2 "$@"
}

rpcrdma_begin 21
place_defaults
rpcrdma_server_set eager 0
rnr=$(unposted)
rpcrdma_t "mounts" remount
rpcrdma_t "Receives are short at first" each local_rbsiz 4096
rpcrdma_t "and few" each memory_kb 153
rpcrdma_t "a tree survives" rpcrdma_roundtrip small
rpcrdma_t "data makes them large" busy large 1
rpcrdma_t "it is placed" placed data
rpcrdma_t "it all adds up" whole
credits=$(rpcrdma_state server forward_credits)
rpcrdma_t "there are more credits than at first" test "$credits" -gt 8
rpcrdma_t "idle, it keeps few blocks" tb_wait 30 each memory_kb 2500
rpcrdma_t "and gets more again" eval 'busy again 1 && placed more'
rpcrdma_t "a tree survives that" rpcrdma_roundtrip large
rpcrdma_t "unmounts" rpcrdma_umount
rpcrdma_t "all memory is given back" tb_wait 20 total_is used_kb 0

rpcrdma_t "mounts 16 connections" remount nconnect=16
rpcrdma_t "all of them place data" busy many 16
rpcrdma_t "it all adds up" whole

rpcrdma_server_set budget_kb 3000
rpcrdma_t "mounts 4 connections with little memory" remount nconnect=4
rpcrdma_t "a tree survives" rpcrdma_roundtrip little
rpcrdma_t "no more is used than there is" whole
rpcrdma_server_set budget_kb 0

rpcrdma_max_version 1 2
rpcrdma_t "version 1 works, and is not charged" eval 'remount && rpcrdma_roundtrip one && total_is used_kb 0'
rpcrdma_max_version 2 2
rpcrdma_t "no message came that no Receive was there for" test "$rnr" = "$(unposted)"
rpcrdma_end
