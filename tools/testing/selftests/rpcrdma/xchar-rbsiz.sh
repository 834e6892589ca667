#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Where both ends have longer Receives, messages go in one Send that needed a
# Reply chunk or a position-zero Read chunk: the listing of a folder, and a
# compound with a long extended attribute.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# module: test
# except: debug-rxe debug-siw stock-siw
# timeout: 240

. "$(dirname "$0")/rpcrdma_lib.sh"

# columns of the transport in mountstats
READ_CHUNKS=11
REPLY_CHUNKS=13
NOMSG_CALLS=21

# With rsize=16384 a listing is asked for in pieces of that length, which fit
# 32768 bytes but not 4096.

# prepare: a folder whose listing takes some kilobytes, and a value that makes a
# Call of some more.
prepare()
{
	tb_server 'mkdir -p /export/dir && cd /export/dir && seq -f "a-name-of-some-length-%g" 60 | xargs touch'
	head -c 4500 /dev/zero | tr '\0' v > "$RPCRDMA_WORK/value"
}

# listing: lists the folder afresh; prints how many Reply chunks were offered.
listing()
{
	local before

	echo 2 > /proc/sys/vm/drop_caches
	before=$(rpcrdma_xprt "$REPLY_CHUNKS")
	[ "$(find "$RPCRDMA_MNT/dir" -type f | wc -l)" = 60 ] || return 1
	echo $(($(rpcrdma_xprt "$REPLY_CHUNKS") - before))
}

# attribute NAME: sets a long attribute, reads it back and compares it; prints
# how many Calls went by RDMA2_NOMSG.
attribute()
{
	local before

	before=$(rpcrdma_xprt "$NOMSG_CALLS")
	setfattr -n "user.$1" -v "$(cat "$RPCRDMA_WORK/value")" "$RPCRDMA_MNT/dir/a-name-of-some-length-1" || return 1
	echo $(($(rpcrdma_xprt "$NOMSG_CALLS") - before))
	[ "$(tb_server "getfattr --absolute-names --only-values -n user.$1 /export/dir/a-name-of-some-length-1 | sha256sum")" = \
		"$(sha256sum < "$RPCRDMA_WORK/value")" ]
}

# write_8k: writes 8 KiB; prints how many Read chunks that took.
write_8k()
{
	local before

	before=$(rpcrdma_xprt "$READ_CHUNKS")
	head -c 8192 /dev/urandom > "$RPCRDMA_WORK/8k"
	dd if="$RPCRDMA_WORK/8k" of="$RPCRDMA_MNT/8k" bs=8192 oflag=direct status=none || return 1
	echo $(($(rpcrdma_xprt "$READ_CHUNKS") - before))
	[ "$(tb_server 'sha256sum < /export/8k')" = "$(sha256sum < "$RPCRDMA_WORK/8k")" ]
}

# counts COMMAND...: COMMAND prints a number, and it is not zero.
counts()
{
	local n

	n=$("$@") || return 1
	echo "$*: $n"
	[ "$n" -gt 0 ]
}

# counts_none COMMAND...: COMMAND prints zero.
counts_none()
{
	local n

	n=$("$@") || return 1
	echo "$*: $n"
	[ "$n" -eq 0 ]
}

# Whether 8 KiB of data go in one Send depends on how many pieces the device gathers.
rpcrdma_begin "$([ "$TB_DEV" = rxe ] && echo 12 || echo 11)"
prepare
rpcrdma_sizes 4096 4096
rpcrdma_t "mounts with Receives of 4096 bytes" eval 'rpcrdma_mount 4.2 rsize=16384 && rpcrdma_version 2' || rpcrdma_end
rpcrdma_t "both ends know" eval 'rpcrdma_is client peer_rbsiz 4096 && rpcrdma_is server peer_rbsiz 4096'
rpcrdma_t "a listing needs a Reply chunk" counts listing
rpcrdma_t "a long attribute needs a position-zero Read chunk" counts attribute one
rpcrdma_t "8 KiB of data need a Read chunk" counts write_8k
rpcrdma_umount
rpcrdma_sizes 32768 32768
rpcrdma_t "mounts with Receives of 32768 bytes" eval 'rpcrdma_mount 4.2 rsize=16384 && rpcrdma_version 2' || rpcrdma_end
rpcrdma_t "both ends know" eval 'rpcrdma_is client peer_rbsiz 32768 && rpcrdma_is server peer_rbsiz 32768'
rpcrdma_t "a listing goes in one Send" counts_none listing
rpcrdma_t "a long attribute goes in one Send" counts_none attribute two
[ "$TB_DEV" != rxe ] || rpcrdma_t "8 KiB of data go in one Send" counts_none write_8k
rpcrdma_t "everything else still works" rpcrdma_roundtrip
rpcrdma_t "over version 2" rpcrdma_version 2
rpcrdma_end
