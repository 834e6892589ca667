#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Messages that are longer than a Receive take several: data of every length up
# to 1 MiB, written and read from any place in memory; the entries of a large
# directory; extended attributes. No memory is registered, nothing is read or
# written by explicit RDMA, and the bytes are right.
#
# bed: pair
# alone: yes
# commands: setfattr
# kernels: stock debug
# devices: rxe siw
# module: test
# without: stock-siw
# also: rxe+ledger siw+copy
# except: debug-rxe debug-siw stock-siw
# asked: 7.3
# timeout: 600

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"

SIZES=(65536 65540 66300 66305 69633 131072 200001 262144 524287 1048575 1048576)
VERSIONS=(4.2 3)
# what carries the other version's messages is the same
rpcrdma_everything || { SIZES=(65540 200001 1048575); VERSIONS=(4.2); }
rpcrdma_whole || SIZES=(65540 1048575)
# all of them are enough for the longest reply that a READDIR may have
ENTRIES=$(rpcrdma_size "$(rpcrdma_share 25000)")

# learnt: since it was noted, all messages had the Receives that they took, and nothing has
# been registered, but for buffers that were new to long Calls. For a device that gathers
# few pieces data is copied into the buffer of the Call, which is made as long as that takes
# when it is next used.
learnt()
{
	local most=0 n

	[ "$TB_DEV" = rxe ] || most=2
	n=$(place_since chunks)
	[ "$n" -le "$most" ] || { echo "chunks: $n, expected $most at most"; return 1; }
	place_still groups_no_credits groups_no_receives
}

# grown COMMAND...: it succeeds, nothing is bad, and all is learnt once it has been done often
# enough: memory follows use.
grown()
{
	local n

	for n in 1 2 3; do
		place_note
		"$@" && place_still rpcs_failed dropped groups_broken repterr_sent repterr_received || return 1
		! learnt || return 0
	done
	return 1
}

# writes VERS: data of Calls takes several Sends.
writes()
{
	rpcrdma_ready || return 1
	grown place_write direct "direct-$1" "${SIZES[@]}" && place_grew groups_sent 5 && place_grew xmtconts_sent 30
}

# replies VERS: both ends are ready, and a READ of 1 MiB finds Receives for all of its reply.
replies()
{
	local n s=$SECONDS

	rpcrdma_ready || return 1
	while [ $((SECONDS - s)) -lt 60 ]; do
		place_note
		dd if="$RPCRDMA_MNT/direct-$1" of=/dev/null bs=1M count=1 iflag=direct status=none || return 1
		n=$(place_since chunks)
		[ "$n" != 0 ] || return 0
	done
	echo "chunks: $n"
	return 1
}

# reads VERS: data of replies comes in several Receives.
reads()
{
	replies "$1" || return 1
	grown place_read direct "direct-$1" "${SIZES[@]}" && place_grew groups_received 5 && place_grew xmtconts_received 30
}

# cached VERS: so does data of the page cache.
cached()
{
	rpcrdma_ready || return 1
	place_note
	place_write buffered "buffered-$1" 65536 1048576 && place_read buffered "buffered-$1" 65536 1048576 || return 1
	place_still rpcs_failed dropped groups_broken repterr_sent && place_grew groups_sent 1
}

# entries VERS: a large directory is listed. Who drops caches asks for memory for Receives, too.
entries()
{
	echo 3 > /proc/sys/vm/drop_caches
	replies "$1" || return 1
	place_note
	[ "$(find "$RPCRDMA_MNT/many" -type f -printf '%f\n' | sort | sha256sum)" = \
		"$(tb_server "find /export/many -type f -printf '%f\n' | sort | sha256sum")" ] || return 1
	place_still chunks rpcs_failed dropped groups_broken
}

# stored TEXT: a long extended attribute goes there and back.
stored()
{
	: > "$RPCRDMA_MNT/xattr"
	setfattr -n user.long -v "$1" "$RPCRDMA_MNT/xattr" || return 1
	echo 3 > /proc/sys/vm/drop_caches
	[ "$(getfattr --absolute-names --only-values -n user.long "$RPCRDMA_MNT/xattr")" = "$1" ]
}

# xattr: so it does without chunks. Where a device gathers few pieces, the first
# Call of a length has the send buffers of those behind it made longer.
xattr()
{
	local text

	text=$(head -c 40000 /dev/zero | tr '\0' x)
	stored "$text" && rpcrdma_ready || return 1
	place_note
	stored "$text" || return 1
	place_still chunks rpcs_failed dropped groups_broken
}

rpcrdma_begin $((${#VERSIONS[@]} * 8 + 1))
place_defaults
tb_server "mkdir -p /export/many && cd /export/many && seq -f 'an-entry-with-a-long-name-%06g' $ENTRIES | xargs touch"
for vers in "${VERSIONS[@]}"; do
	rpcrdma_t "NFSv$vers mounts" rpcrdma_mount "$vers" rsize=1048576,wsize=1048576 || continue
	rpcrdma_t "NFSv$vers: both ends agree to place data" place_is on
	rpcrdma_t "NFSv$vers: and to let messages take several transmissions" rpcrdma_is client continuation on
	rpcrdma_t "NFSv$vers: WRITE of every length goes in Sends" writes "$vers"
	rpcrdma_t "NFSv$vers: READ of every length comes in Sends" reads "$vers"
	rpcrdma_t "NFSv$vers: so does what the page cache writes and reads" cached "$vers"
	rpcrdma_t "NFSv$vers: a directory of $ENTRIES entries is listed" entries "$vers"
	[ "$vers" = 3 ] || rpcrdma_t "NFSv$vers: a long extended attribute is stored and read" xattr
	rpcrdma_t "NFSv$vers unmounts" rpcrdma_umount
done
rpcrdma_end
