#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A READ or WRITE whose data is placed is one Send each way: there is no RDMA Read
# and no RDMA Write on the wire. And it costs little more bytes than version 1
# takes for the same, zeros included: 1.15 times as many at most.
#
# bed: pair
# kernels: stock
# devices: rxe
# module: test
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"

COUNT=20
SIZES=(4096 8192 16384 32768 65536)
rpcrdma_everything || SIZES=(4096 16384 65536)
declare -A got

# captured VERSION read|write SIZE: does that and counts what goes over eth0 for it,
# headers only.
captured()
{
	local pcap=$RPCRDMA_WORK/wire.pcap since key value rc=0

	rpcrdma_capture "$pcap" 80 'udp port 4791' work "$@" || rc=1
	while IFS=': ' read -r key value; do
		got[$1-$2-$3-$key]=$value
	done < <(python3 "$(dirname "$0")/place_wire.py" "$pcap" "$since")
	return "$rc"
}

# work VERSION read|write SIZE: that operation, COUNT times; nothing else goes over the
# wire since $since. A connection that rests for seconds gives memory back; what gets
# it again belongs to no operation.
work()
{
	local f=$RPCRDMA_MNT/file

	[ "$1" = 1 ] || rpcrdma_ready || return 1
	since=$(date +%s.%N)
	shift
	if [ "$1" = write ]; then
		dd if=/dev/zero of="$f" bs="$2" count="$COUNT" oflag=direct conv=notrunc status=none
	else
		dd if="$f" of=/dev/null bs="$2" count="$COUNT" iflag=direct status=none
	fi
}

# measure VERSION: captures all operations on a connection of that version.
measure()
{
	local op size

	rpcrdma_max_version "$1" 2
	rpcrdma_mount 4.1 || return 1
	rpcrdma_version "$1" || return 1
	work "$1" write 65536 || return 1
	for op in write read; do
		for size in "${SIZES[@]}"; do
			captured "$1" "$op" "$size" || return 1
		done
	done
	rpcrdma_umount
}

# cheap OP SIZE: no explicit RDMA, and few bytes.
cheap()
{
	local one=${got[1-$1-$2-bytes]} two=${got[2-$1-$2-bytes]} key rc=0

	for key in 1 2; do
		[ "${got[$key-$1-$2-send]}" -ge $((2 * COUNT)) ] || { echo "version $key: ${got[$key-$1-$2-send]} Sends are not all"; return 1; }
	done
	for key in write read_request read_response; do
		[ "${got[2-$1-$2-$key]}" = 0 ] || { echo "$key: ${got[2-$1-$2-$key]} packets"; rc=1; }
	done
	echo "version 1: $((one / COUNT)) bytes each, version 2: $((two / COUNT)), $((two * 1000 / one)) per mille"
	[ $((two * 100)) -le $((one * 115)) ] && return "$rc"
}

rpcrdma_begin $((2 + 2 * ${#SIZES[@]}))
place_single
rpcrdma_t "captures version 1" measure 1
rpcrdma_t "captures version 2" measure 2
for op in write read; do
	for size in "${SIZES[@]}"; do
		rpcrdma_t "$op of $size bytes" cheap "$op" "$size"
	done
done
rpcrdma_end
