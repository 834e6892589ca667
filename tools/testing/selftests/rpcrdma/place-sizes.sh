#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Data of every length up to 64 KiB, written and read at any offset and from any
# place in memory, travels in Sends: no memory is registered, nothing is read
# or written by explicit RDMA, and the bytes are right.
#
# bed: pair
# kernels: stock debug 7.3
# devices: rxe
# except: debug-rxe
# module: test
# also: rxe+copy
# timeout: 400

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"

VERSIONS=(3 4.0 4.1 4.2)
rpcrdma_everything || VERSIONS=(3 4.2)
rpcrdma_whole || VERSIONS=(4.2)

# sizes VERS: all that there are (none named) for one version of NFS; for the others,
# and where each operation takes a second, the least, the odd and the largest.
sizes()
{
	SIZES=()
	rpcrdma_everything || [ "$TB_KERNEL-$1" = stock-4.2 ] || SIZES=(1 4097 65536)
}

# placed_only: since it was noted, data was placed and nothing else has been.
placed_only()
{
	place_still chunks remote_invalidations placement_fallbacks rpcs_failed dropped &&
		[ "$(place_since xmtreqs)" -ge "$(place_since xmtresps)" ]
}

# writes VERS: data of Calls is placed.
writes()
{
	sizes "$1"
	rpcrdma_ready || return 1
	place_note
	place_write direct "direct-$1" "${SIZES[@]}" || return 1
	placed_only && place_grew placed_bytes_sent 100000 && place_grew registrations_avoided 10 && place_grew xmtresps 10
}

# reads VERS: data of replies is placed.
reads()
{
	sizes "$1"
	place_note
	place_read direct "direct-$1" "${SIZES[@]}" || return 1
	placed_only && place_grew placed_bytes_received 100000 && place_grew registrations_avoided 10 && place_grew xmtresps 10
}

# cached VERS: so is data that goes through the page cache.
cached()
{
	rpcrdma_ready || return 1
	place_note
	place_write buffered "buffered-$1" 1 4095 20001 65536 && place_read buffered "buffered-$1" 1 4095 20001 65536 &&
		place_write mmap "mmap-$1" 1 4097 65536 && place_read mmap "mmap-$1" 1 4097 65536 || return 1
	placed_only && place_grew placed_bytes_sent 100000 && place_grew placed_bytes_received 10000
}

# link VERS: a symbolic link is read, whatever way its text comes.
link()
{
	local type

	ln -s "some-text-for-$1" "$RPCRDMA_MNT/link-$1" || return 1
	for type in 0 2; do
		place_set read_type "$type"
		echo 3 > /proc/sys/vm/drop_caches
		[ "$(readlink "$RPCRDMA_MNT/link-$1")" = "some-text-for-$1" ] || return 1
	done
	place_set read_type 0
}

rpcrdma_begin $((${#VERSIONS[@]} * 7))
place_single
for vers in "${VERSIONS[@]}"; do
	# short reads and writes of the page cache are those of one page or 64 KiB
	rpcrdma_t "NFSv$vers mounts" rpcrdma_mount "$vers" rsize=65536,wsize=65536 || continue
	rpcrdma_t "NFSv$vers: both ends agree to place data" place_is on
	rpcrdma_t "NFSv$vers: WRITE of every length goes in one Send" writes "$vers"
	rpcrdma_t "NFSv$vers: READ of every length comes in one Send" reads "$vers"
	rpcrdma_t "NFSv$vers: so does what the page cache writes and reads" cached "$vers"
	rpcrdma_t "NFSv$vers: a symbolic link is read" link "$vers"
	rpcrdma_t "NFSv$vers unmounts" rpcrdma_umount
done
rpcrdma_end
