# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# What the tests of placement share; sourced behind rpcrdma_lib.sh.

# columns of the transport in mountstats
PLACE_READ_CHUNKS=11
PLACE_WRITE_CHUNKS=12
PLACE_REPLY_CHUNKS=13
PLACE_WRITTEN=15

PLACE_IO=$(dirname "${BASH_SOURCE[0]}")/place_io.py

# place_set NAME VALUE: sets a switch of the client's.
place_set()
{
	rpcrdma_client_set "placement_$1" "$2"
}

# place_groups MOST: sets how many transmissions a message of the client may take.
place_groups()
{
	rpcrdma_client_set continuation "$1"
}

# place_restore: sets all switches of the client's to what they are by default.
place_restore()
{
	place_defaults
	place_set write_min 65536
	place_set read_min 65536
	place_set read_max 0
	rpcrdma_set client eager "${TB_EAGER:-0}"
}

# place_defaults: sets them to what tests of placement begin with: as they are by default,
# but that short data is placed, too.
place_defaults()
{
	local s

	place_groups 20
	for s in mem_kb=2147483647 write_min=2048 read_min=16384 read_max=1048576 pages=16 write_max=1048576 \
		write_type=0 read_type=0 minlen=1024 dsdov=16384 ranges=0 hardware=0; do
		rpcrdma_set client "placement_${s%=*}" "${s#*=}"
	done
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

# place_look: sets place_now to the client's counters, summed over its connections, to
# the chunks of any kind that it has offered, and to the bytes of replies that servers
# have written by RDMA. It starts no process: under emulation, the
# processes would take longer than the RPCs that are counted.
place_look()
{
	local f lines line words

	declare -gA place_now=([chunks]=0 [written]=0)
	for f in "$RPCRDMA_DEBUGFS"/client/*/state; do
		mapfile -t lines 2> /dev/null < "$f" || continue
		for line in "${lines[@]}"; do
			[[ $line =~ ^([a-z_]+):\ ([0-9]+)$ ]] || continue
			place_now[${BASH_REMATCH[1]}]=$((${place_now[${BASH_REMATCH[1]}]:-0} + BASH_REMATCH[2]))
		done
	done
	mapfile -t lines < /proc/self/mountstats
	for line in "${lines[@]}"; do
		[[ $line =~ ^[[:space:]]*xprt:[[:space:]]*rdma[[:space:]] ]] || continue
		read -ra words <<< "$line"
		place_now[chunks]=$((place_now[chunks] + words[PLACE_READ_CHUNKS + 1] +
			words[PLACE_WRITE_CHUNKS + 1] + words[PLACE_REPLY_CHUNKS + 1]))
		place_now[written]=$((place_now[written] + words[PLACE_WRITTEN + 1]))
	done
}

# place_note: remembers what the client's counters are, and chunks.
place_note()
{
	local key

	place_look
	declare -gA place_noted=()
	for key in "${!place_now[@]}"; do
		place_noted[$key]=${place_now[$key]}
	done
}

# place_by KEY: how much a counter has grown between place_note and place_look goes to $by.
place_by()
{
	[ -n "${place_now[$1]:-}" ] || { echo "no connection counts $1"; return 1; }
	by=$((place_now[$1] - ${place_noted[$1]:-0}))
}

# place_since KEY: prints by how much a counter has grown.
place_since()
{
	local by

	place_look
	place_by "$1" && echo "$by"
}

# place_ends: prints what both ends say of their connections, but for counters of 0.
place_ends()
{
	local state="grep -hv ': 0$' $RPCRDMA_DEBUGFS"

	eval "$state/client/*/state" | sed 's/^/client: /'
	tb_server "$state/server/*/state" | sed 's/^/server: /'
}

# place_grew KEY LEAST: a counter has grown by at least so much; says by how
# much.
place_grew()
{
	local by

	place_look
	place_by "$1" || return 1
	echo "$1: $by"
	[ "$by" -ge "$2" ] || { place_ends; return 1; }
}

# place_still KEY...: none of these counters has grown.
place_still()
{
	local key by rc=0

	place_look
	for key; do
		place_by "$key" || { rc=1; continue; }
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
