#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Kerberos with version 2: with krb5 data is placed as ever; what krb5i and
# krb5p protect stays in one piece, and nothing of it is in a chunk of its own
# or placed. GSS gets at all of it also where Receives are in several pieces of
# memory, on either end and in either version.
#
# bed: pair
# kernels: stock debug
# smp: 1 2
# devices: rxe siw
# without: debug-siw
# module: test
# also: rxe+ledger siw+copy
# except: stock-siw debug-rxe debug-siw stock-rxe-2
# timeout: 900

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"
. "$(dirname "$0")/krb5_lib.sh"

FLAVORS=(krb5 krb5i krb5p)
VERSIONS=(3 4.2)
SIZES=(1 1023 4097 20001 65536 1048575)
SMALL=(1 4097 20001 65536)
NAMES=1000
# where cryptography takes its time
rpcrdma_everything || VERSIONS=(4.2)
[ "$TB_KERNEL" = stock ] || { VERSIONS=(4.2) SIZES=(1 4097 20001 65536 262145) SMALL=(4097 65536) NAMES=200; }
TRACE=/sys/kernel/tracing
MARK=what-nobody-is-to-read

# secure FLAVOR VERS [VERSION]: mounts with that flavor, over that version of
# the transport.
secure()
{
	RPCRDMA_SEC=$1 rpcrdma_mount "$2" || { krb5_logs; return 1; }
	grep -q " $RPCRDMA_MNT nfs.*[ ,]sec=$1[ ,]" /proc/mounts || { grep " $RPCRDMA_MNT " /proc/mounts; return 1; }
	rpcrdma_version "${3:-2}" client
}

# watch: begins to look for chunks that single items of a message are in.
watch()
{
	echo 0 > "$TRACE/tracing_on"
	echo > "$TRACE/trace"
	echo 'pos != 0' > "$TRACE/events/rpcrdma/xprtrdma_chunk_read/filter"
	echo 1 > "$TRACE/events/rpcrdma/xprtrdma_chunk_read/enable"
	echo 1 > "$TRACE/events/rpcrdma/xprtrdma_chunk_write/enable"
	echo 1 > "$TRACE/tracing_on"
}

# unwatch: ends that.
unwatch()
{
	echo 0 > "$TRACE/events/rpcrdma/enable"
	echo 0 > "$TRACE/events/rpcrdma/xprtrdma_chunk_read/filter"
}

# chunks read|write: prints how many such chunks of single items there were.
chunks()
{
	grep -c " xprtrdma_chunk_$1: " "$TRACE/trace"
}

# transfer NAME SIZE...: data is right, there and back, by the application's
# own pages and through the page cache.
transfer()
{
	local name=$1

	shift
	place_write direct "$name-direct" "$@" && place_read direct "$name-direct" "$@" &&
		place_write buffered "$name-cached" "${SMALL[@]}" && place_read buffered "$name-cached" "${SMALL[@]}"
}

# excised FLAVOR: which way single items have gone since it was noted is what
# FLAVOR allows.
excised()
{
	local rc=0

	echo "items in chunks: $(chunks read) of Calls, $(chunks write) of replies"
	place_still rpcs_failed dropped || return 1
	if [ "$1" = krb5 ]; then
		place_grew placed_bytes_sent 100000 || rc=1
		place_grew placed_bytes_received 100000 || rc=1
		return "$rc"
	else
		place_still placed_bytes_sent placed_bytes_received &&
			[ "$(chunks read)" = 0 ] && [ "$(chunks write)" = 0 ]
	fi
}

# data FLAVOR NAME: data of all sizes is right, and goes no way it must not.
data()
{
	local rc=0

	[ "$1" != krb5 ] || rpcrdma_ready || return 1
	place_note
	watch
	transfer "$2" "${SIZES[@]}" && excised "$1" || rc=1
	unwatch
	return "$rc"
}

# make_names: has the server make a folder with a long listing.
make_names()
{
	local name

	name=a-long-name-$(printf 'x%.0s' {1..150})
	tb_server "mkdir /export/long; for ((n = 0; n < $NAMES; n++)); do : > /export/long/$name-\$n; done"
}

# names DIR: one checksum over all names in it.
names()
{
	find "$1" -type f | sed 's,.*/,,' | sort | sha256sum
}

# list: a listing that takes long replies is right.
list()
{
	[ "$(names "$RPCRDMA_MNT/long")" = "$(tb_server "$(declare -f names); names /export/long")" ] && return
	krb5_logs
	return 1
}

# bigger FILE BYTES: it is.
bigger()
{
	[ "$(stat -c %s "$1")" -gt "$2" ]
}

# visible FLAVOR: the text that is written and read over eth0 meanwhile can be
# read there.
visible()
{
	local pcap=$RPCRDMA_WORK/$1.pcap log=$RPCRDMA_WORK/$1.log pid rc=0

	: > "$log"
	tcpdump -i eth0 -s 0 -B 16384 -U -w "$pcap" 'udp port 4791 or tcp port 20049' 2> "$log" &
	pid=$!
	tb_wait 30 grep -q 'listening on' "$log" || return 1
	yes "$MARK" | dd of="$RPCRDMA_MNT/$1-text" bs=4096 count=1 iflag=fullblock oflag=direct status=none || rc=2
	dd if="$RPCRDMA_MNT/$1-text" of=/dev/null bs=4096 iflag=direct status=none || rc=2
	# what is written, and what is read
	tb_wait 30 bigger "$pcap" 8192 || rc=2
	kill "$pid"
	wait "$pid"
	echo "captured $(stat -c %s "$pcap") bytes"
	[ "$rc" = 0 ] || return 2
	grep -q "$MARK" "$pcap"
}

# hidden FLAVOR: it cannot.
hidden()
{
	local rc=0

	visible "$1" || rc=$?
	[ "$rc" = 1 ]
}

# pieces ORDER: sets of how large pieces of memory both ends make Receives.
pieces()
{
	echo "$1" > /sys/kernel/debug/rpcrdma2/settings/placement_order
	tb_server "echo $1 > /sys/kernel/debug/rpcrdma2/settings/placement_order"
}

# in_pieces FLAVOR NAME [VERSION]: data and a listing are right where Receives
# are in pieces.
in_pieces()
{
	local rc=0

	secure "$1" 4.2 "${3:-2}" || return 1
	place_note
	transfer "$2" "${SMALL[@]}" && list && place_still rpcs_failed dropped || rc=1
	rpcrdma_umount && return "$rc"
}

# by_chunk FLAVOR: where the device is hardware, as which it poses, what is protected of a READ
# is right, too, and comes by a Reply chunk rather than in several Receives.
by_chunk()
{
	local rc=0

	place_set read_max 0
	place_set hardware 1
	secure "$1" 4.2 || rc=1
	place_defaults
	[ "$rc" = 0 ] || return 1
	place_note
	transfer "chunk-$1" "${SMALL[@]}" && place_still rpcs_failed dropped placed_bytes_received groups_received &&
		place_grew written 300000 || rc=1
	rpcrdma_umount && return "$rc"
}

# readers VERSION: several programs at a time read whole pages of a long file right. The
# checksum of such a reply has a page of its own.
readers()
{
	local n pids=() rc=0

	secure krb5i 4.1 "$1" || return 1
	place_write direct readers 1048575 || rc=1
	for n in 1 2 3 4; do
		place_read direct readers 1048575 & pids[n]=$!
	done
	for n in "${pids[@]}"; do
		wait "$n" || rc=1
	done
	rpcrdma_umount && return "$rc"
}

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	unwatch
	pieces 5
	rpcrdma_cleanup
	krb5_stop
}

rpcrdma_begin $((1 + ${#FLAVORS[@]} * ${#VERSIONS[@]} * 4 + 2 + 1 + ${#FLAVORS[@]} + 6))
trap cleanup EXIT
place_defaults
rpcrdma_t "there is a realm" krb5_start || exit 1
make_names
for flavor in "${FLAVORS[@]}"; do
	for vers in "${VERSIONS[@]}"; do
		rpcrdma_t "$flavor, NFSv$vers mounts by version 2" secure "$flavor" "$vers" || exit 1
		rpcrdma_t "$flavor, NFSv$vers: data is right, and placed if it may be" data "$flavor" "$flavor-$vers"
		rpcrdma_t "$flavor, NFSv$vers: a listing that takes long replies is right" list
		[ "$flavor" != krb5 ] || [ "$vers" != 4.2 ] || rpcrdma_t "$flavor shows what is written" visible "$flavor"
		[ "$flavor" != krb5p ] || [ "$vers" != 4.2 ] || rpcrdma_t "$flavor hides what is written" hidden "$flavor"
		rpcrdma_t "$flavor, NFSv$vers unmounts" rpcrdma_umount
	done
done

rpcrdma_t "krb5i, on hardware: data is right, and by a Reply chunk" by_chunk krb5i
pieces 0
for flavor in "${FLAVORS[@]}"; do
	rpcrdma_t "$flavor works with Receives in pieces" in_pieces "$flavor" "pieces-$flavor"
done
rpcrdma_t "krb5i: what several programs read is right" readers 2
rpcrdma_max_version 1 2
rpcrdma_t "krb5i: what several programs read by version 1 is right" readers 1
for flavor in krb5 krb5p; do
	rpcrdma_t "$flavor works if the client speaks version 1" in_pieces "$flavor" "one-two-$flavor" 1
done
rpcrdma_max_version 2 1
for flavor in krb5 krb5p; do
	rpcrdma_t "$flavor works if the server speaks version 1" in_pieces "$flavor" "two-one-$flavor" 1
done
rpcrdma_end
