#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Where data cannot be placed, it goes another way: when it is too long for a
# Receive, when the device cannot gather it, when one end has placement
# switched off, when there is no memory for it.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# without: debug-siw
# module: test
# except: debug-rxe debug-siw stock-siw
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"

SIZES=(1 4097 16384 20001 65536)

# remount [OPTIONS]: a connection of its own.
remount()
{
	! mountpoint -q "$RPCRDMA_MNT" || rpcrdma_umount
	rpcrdma_mount 4.2 "$@"
}

# right NAME [SIZE...]: data is right, there and back.
right()
{
	place_note
	place_write direct "$@" && place_read direct "$@" && place_still rpcs_failed
}

# server_pages N: sets how many pages the server's Receives have.
server_pages()
{
	rpcrdma_server_set placement_pages "$1"
}

# long: 64 KiB do not fit Receives with four pages; 16 KiB do.
long()
{
	rpcrdma_ready && right long "${SIZES[@]}" && place_grew chunks 1 && place_grew placement_too_long 1 &&
		place_grew placement_long_results 1 && place_grew placed_bytes_sent 10000 && place_grew placed_bytes_received 10000
}

# off: nothing is placed.
off()
{
	right off "${SIZES[@]}" && place_still xmtreqs placed_bytes_sent placed_bytes_received && place_grew chunks 1
}

# megabyte: what no Receive can hold goes by RDMA Read and Write.
megabyte()
{
	head -c 3000001 /dev/urandom > "$RPCRDMA_WORK/m"
	place_note
	dd if="$RPCRDMA_WORK/m" of="$RPCRDMA_MNT/m" bs=1M oflag=direct status=none || return 1
	echo 3 > /proc/sys/vm/drop_caches
	cmp "$RPCRDMA_WORK/m" "$RPCRDMA_MNT/m" && place_grew chunks 2
}

# little: four connections have no more memory than there is.
little()
{
	rpcrdma_keys client memory_kb memory_why
	[ "$(rpcrdma_state client memory_kb | awk '{ s += $1 } END { print s + 0 }')" -le "$1" ]
}

rpcrdma_begin 15
place_single
rpcrdma_t "mounts" remount
rpcrdma_t "a megabyte goes by explicit RDMA" megabyte
rpcrdma_t "what the device cannot gather is copied, or goes by explicit RDMA" right gather
rpcrdma_t "a tree survives" rpcrdma_roundtrip
server_pages 4
place_set pages 4
rpcrdma_t "mounts with short Receives" remount
rpcrdma_t "long data goes another way" long
server_pages 16
place_set pages 0
rpcrdma_t "mounts with placement off at the client" remount
rpcrdma_t "the client says so" place_is "off: disabled here"
rpcrdma_t "nothing is placed" off
place_set pages 16
server_pages 0
rpcrdma_t "mounts with placement off at the server" remount
rpcrdma_t "no data of Calls is placed" eval 'right half 20001 && place_still placed_bytes_sent'
server_pages 16
place_set mem_kb 1000
rpcrdma_t "mounts with little memory for four connections" remount nconnect=4
rpcrdma_t "all connections work" rpcrdma_roundtrip nconnect
rpcrdma_t "they have no more than there is" little 1000
place_single
rpcrdma_t "unmounts" rpcrdma_umount
rpcrdma_end
