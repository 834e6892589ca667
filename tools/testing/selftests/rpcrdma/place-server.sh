#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What placement costs the server: memory for Receives is stated, bounded, and
# given back; a connection that is over the budget works without; so does one
# of version 1, and one whose Receives are in several pieces of memory.
#
# bed: pair
# kernels: stock debug
# devices: rxe
# module: test
# except: debug-rxe
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"

SIZES=(1 4096 8191 20001 65536)

# server_order ORDER: sets of how large pieces of memory Receives are made.
server_order()
{
	tb_server "echo $1 > /sys/kernel/debug/rpcrdma2/settings/placement_order"
}

# used: prints how much memory is charged to the budget, in kB.
used()
{
	tb_server "cat /sys/kernel/debug/rpcrdma2/placement_used_kb"
}

# used_is KB: so much is charged.
used_is()
{
	[ "$(used)" = "$1" ]
}

# nothing_used: all memory has been given back; says how much has not.
nothing_used()
{
	tb_wait 20 used_is 0 || { echo "$(used) kB are still charged"; return 1; }
}

# remount VERS [OPTIONS]: connections of their own.
remount()
{
	! mountpoint -q "$RPCRDMA_MNT" || rpcrdma_umount
	nothing_used && rpcrdma_mount "$@"
}

# server_is TEXT...: what the server says of placement on its connections is
# one of these.
server_is()
{
	local got

	got=$(rpcrdma_state server placement | sort -u | paste -sd '|')
	[ "$got" = "$(printf '%s\n' "$@" | sort -u | paste -sd '|')" ] || { echo "the server says '$got'"; return 1; }
}

# charged: what is stated of each connection adds up to what is charged; not
# less than what Receives have got.
charged()
{
	local buffers kb

	kb=$(rpcrdma_state server placement_kb | awk '{ s += $1 } END { print s + 0 }')
	buffers=$(rpcrdma_state server recv_buffer_bytes | awk '{ s += $1 } END { print s + 0 }')
	echo "charged $(used) kB, stated $kb kB, buffers $((buffers / 1024)) kB"
	[ "$kb" -gt 0 ] && [ "$kb" = "$(used)" ] && [ $((buffers / 1024)) -le "$kb" ]
}

# placed NAME: data is right, and is placed both ways.
placed()
{
	place_note
	place_write direct "$1" "${SIZES[@]}" && place_read direct "$1" "${SIZES[@]}" &&
		place_grew placed_bytes_sent 50000 && place_grew placed_bytes_received 50000 && place_still rpcs_failed
}

# in_pages: most of what was placed is used where it is.
in_pages()
{
	local copied received

	received=$(place_sum server placed_bytes_received)
	copied=$(place_sum server placed_bytes_copied)
	echo "received $received, copied $copied"
	[ "$received" -gt 50000 ] && [ "$copied" = 0 ]
}

# answers: READ is still placed at the client where WRITE is not at the server.
answers()
{
	place_note
	place_write direct "$1" "${SIZES[@]}" && place_read direct "$1" "${SIZES[@]}" &&
		place_still placed_bytes_sent rpcs_failed && place_grew placed_bytes_received 50000
}

# over: one of four connections has memory, and no more is used than allowed.
over()
{
	rpcrdma_roundtrip over || return 1
	echo "charged $(used) kB of $1"
	[ "$(used)" -le "$1" ] && [ "$(rpcrdma_state server placement | grep -c '^on$')" = 1 ] &&
		[ "$(rpcrdma_state server placement | grep -c '^off: over the budget$')" = 3 ]
}

rpcrdma_begin 21
place_single
rpcrdma_t "mounts" remount 4.2
rpcrdma_t "the server places data" server_is on
rpcrdma_t "data is placed" placed all
rpcrdma_t "it is not copied on the way to the file system" in_pages
rpcrdma_t "memory is stated" charged
cost=$(used)
rpcrdma_t "unmounts" rpcrdma_umount
rpcrdma_t "memory is given back" nothing_used

rpcrdma_server_set placement_mem_kb $((cost + cost / 2))
rpcrdma_t "mounts four connections with memory for one" remount 4.2 nconnect=4
rpcrdma_t "one has it, and all work" over $((cost + cost / 2))
rpcrdma_server_set placement_mem_kb 1
rpcrdma_t "mounts without memory" remount 4.2
rpcrdma_t "the server says why" server_is "off: over the budget"
rpcrdma_t "it still obeys directions" answers without
rpcrdma_server_set placement_mem_kb 262144

rpcrdma_max_version 1 2
rpcrdma_t "mounts by version 1" remount 4.2
rpcrdma_t "a tree survives" rpcrdma_roundtrip one
rpcrdma_t "memory that was set aside is given back" nothing_used
rpcrdma_max_version 2 2

server_order 2
rpcrdma_t "mounts with Receives in pieces" remount 4.2
rpcrdma_t "the server places data" server_is on
rpcrdma_t "data is placed" placed pieces
rpcrdma_t "a tree survives" rpcrdma_roundtrip in-pieces
server_order 5
rpcrdma_t "unmounts" rpcrdma_umount
rpcrdma_t "memory is given back" nothing_used
rpcrdma_end
