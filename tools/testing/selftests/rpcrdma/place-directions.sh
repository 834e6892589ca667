#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every kind of directions that the protocol has for the data of a reply, and
# every kind of place for the data of a Call, gives the right bytes.
#
# bed: pair
# alone: yes
# kernels: stock debug
# devices: rxe
# module: test
# except: debug-rxe stock-rxe
# timeout: 240

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"

SIZES=(1 100 1023 1024 4095 4096 10000 16384 16385 65533 65536)

# directed TYPE: READs with that kind of directions are right; all of them went
# by XMTREQ.
directed()
{
	place_set read_type "$1"
	place_note
	place_read direct file "${SIZES[@]}" || return 1
	place_still rpcs_failed && place_grew xmtreqs $((5 * ${#SIZES[@]})) && place_grew xmtresps $((5 * ${#SIZES[@]}))
}

# exrw: nothing is placed, everything is registered.
exrw()
{
	directed 1 && place_still placed_bytes_received && place_grew chunks 20
}

# tbsn: nothing is registered, when both ends have Receives that take all of it.
tbsn()
{
	place_set read_type 0
	rpcrdma_ready || return 1
	directed 2 && place_still chunks && place_grew placed_bytes_received 100000
}

# choice: memory is registered for nothing, for the server places the data.
choice()
{
	directed 3 && place_grew placed_bytes_received 100000 && place_grew chunks 20
}

# bysize: what is longer than 16 KiB goes by RDMA Write, what is not is placed.
bysize()
{
	place_set dsdov 16384
	directed 4 && place_grew placed_bytes_received 50000 && place_grew chunks 20 &&
		[ "$(place_since placed_bytes_received)" = $((5 * (1024 + 4095 + 4096 + 10000 + 16384))) ]
}

# minlen: items that are too short stay inline.
minlen()
{
	place_set minlen 5000
	directed 2 && place_grew items_inline 30 &&
		[ "$(place_since placed_bytes_received)" = $((5 * (10000 + 16384 + 16385 + 65533 + 65536))) ]
}

# ranges HOW: directions that cannot be told apart are not obeyed.
ranges()
{
	place_set ranges "$1"
	directed 2 || return 1
	place_still placed_bytes_received && place_grew items_inline 55
}

# written TYPE: so are WRITEs with that kind of place. A device that cannot gather
# the longest ones copies them, but only when the send buffers have grown.
written()
{
	local spared=0

	place_set write_type "$1"
	rpcrdma_ready || return 1
	place_note
	place_write direct "written-$1" "${SIZES[@]}" || return 1
	[ "$TB_DEV" = rxe ] || spared=10
	place_still rpcs_failed && place_grew xmtreqs $((5 * ${#SIZES[@]} - spared))
}

rpcrdma_begin 12
place_single
rpcrdma_t "mounts" rpcrdma_mount 4.1 || rpcrdma_end
rpcrdma_t "both ends agree to place data" place_is on
rpcrdma_t "a file to read from" place_write direct file "${SIZES[@]}"
rpcrdma_t "explicit RDMA" exrw
place_set minlen 1024
rpcrdma_t "placement" tbsn
rpcrdma_t "as the server likes" choice
rpcrdma_t "as the length says" bysize
rpcrdma_t "not if it is too short" minlen
place_set minlen 1024
rpcrdma_t "directions for two halves" ranges 1
rpcrdma_t "directions for nothing" ranges 2
place_single
rpcrdma_t "Calls with explicit RDMA" written 1
rpcrdma_t "Calls with placement, however short" written 2
place_single
rpcrdma_end
