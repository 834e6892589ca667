# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# What the tests of placement share; sourced behind rpcrdma_lib.sh.

# columns of the transport in mountstats
PLACE_READ_CHUNKS=11
PLACE_WRITE_CHUNKS=12
PLACE_REPLY_CHUNKS=13

PLACE_IO=$(dirname "${BASH_SOURCE[0]}")/place_io.py
PLACE_SYSCTL=/proc/sys/sunrpc

# place_set NAME VALUE: sets a switch of the client's.
place_set()
{
	echo "$2" > "$PLACE_SYSCTL/rdma_placement_$1"
}

# place_groups MOST: sets how many transmissions a message of the client may take.
place_groups()
{
	echo "$1" > "$PLACE_SYSCTL/rdma_continuation_requests"
	echo "$1" > "$PLACE_SYSCTL/rdma_continuation_replies"
}

# place_defaults: sets all switches of the client's to what they are by default.
place_defaults()
{
	place_groups 20
	place_set pages 16
	place_set mem_kb 131072
	place_set write_min 2048
	place_set write_max 1048576
	place_set read_min 16384
	place_set read_max 1048576
	place_set write_type 0
	place_set read_type 0
	place_set minlen 1024
	place_set dsdov 16384
	place_set ranges 0
}

# place_single: the same, but that a message takes one Send, and longer data goes by
# RDMA Read and Write.
place_single()
{
	place_defaults
	place_groups 1
	place_set read_min 4096
	place_set write_max 69632
	place_set read_max 69632
}

# place_sum END KEY: prints the sum of a counter over all connections of END.
place_sum()
{
	rpcrdma_state "$1" "$2" | awk '{ s += $1 } END { print s + 0 }'
}

# place_chunks: prints how many chunks of any kind the client has offered.
place_chunks()
{
	echo $(($(rpcrdma_xprt $PLACE_READ_CHUNKS) + $(rpcrdma_xprt $PLACE_WRITE_CHUNKS) + $(rpcrdma_xprt $PLACE_REPLY_CHUNKS)))
}

# place_note KEY...: remembers what the client's counters are, and chunks.
place_note()
{
	local key

	declare -gA place_noted=([chunks]=$(place_chunks))
	for key; do
		place_noted[$key]=$(place_sum client "$key")
	done
}

# place_since KEY: prints by how much a counter has grown.
place_since()
{
	if [ "$1" = chunks ]; then
		echo $(($(place_chunks) - place_noted[chunks]))
	else
		echo $(($(place_sum client "$1") - place_noted[$1]))
	fi
}

# place_grew KEY LEAST: a counter has grown by at least so much; says by how
# much.
place_grew()
{
	local by

	by=$(place_since "$1")
	echo "$1: $by"
	[ "$by" -ge "$2" ]
}

# place_still KEY...: none of these counters has grown.
place_still()
{
	local key by rc=0

	for key; do
		by=$(place_since "$key")
		[ "$by" = 0 ] || { echo "$key: $by, expected 0"; rc=1; }
	done
	return "$rc"
}

# place_write HOW NAME [SIZE...]: writes a file in all sorts of pieces, and
# compares what the server has of it.
place_write()
{
	local how=$1 name=$2

	shift 2
	python3 "$PLACE_IO" write "$how" "$RPCRDMA_MNT/$name" "$RPCRDMA_WORK/$name" "$@" || return 1
	sync -f "$RPCRDMA_MNT"
	[ "$(tb_server "sha256sum < /export/$name")" = "$(sha256sum < "$RPCRDMA_WORK/$name")" ] ||
		{ echo "the server's file differs"; return 1; }
}

# place_read HOW NAME [SIZE...]: reads that file in all sorts of pieces, and
# compares them.
place_read()
{
	local how=$1 name=$2

	shift 2
	python3 "$PLACE_IO" read "$how" "$RPCRDMA_MNT/$name" "$RPCRDMA_WORK/$name" "$@"
}

# place_is TEXT: the client says of all its connections that placement is TEXT.
place_is()
{
	tb_wait 10 rpcrdma_is client placement "$1" || { rpcrdma_keys client placement why; return 1; }
}
