#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The client is short of memory: more is written than it has free, so that pages have to
# be written back to make room for what writing them back takes; and what is free is in
# single pages, so that buffers of several pages cannot be had. Nothing stalls, every
# byte is right, and connections that are made then do with less.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# without: debug-siw
# except: stock-rxe stock-siw debug-rxe debug-siw
# asked: 7.3
# timeout: 900

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/fault_lib.sh"

LEAVE=96	# MiB that the client keeps
HUGE=/proc/sys/vm/nr_hugepages
HOG=/run/tb/hog
HOLES=/run/tb/holes
fragment_pid=
min_free=

# free_mib: prints how much the client could have. What lies in lists of processors does not
# count as free, and those of a machine with one may have an eighth of its memory.
free_mib()
{
	awk '$1 == "MemAvailable:" { n += $2 / 4 } $1 == "count:" { n += $2 } END { print int(n / 256) }' \
		/proc/meminfo /proc/zoneinfo
}

# hog MIB: takes all of the client's memory but so much: as huge pages, or where there are
# none in a ramfs. Neither is paged out, nor moved to make larger blocks of what is free.
hog()
{
	local take

	echo 3 > /proc/sys/vm/drop_caches
	take=$(($(free_mib) - $1))
	[ "$take" -gt 0 ] || return 1
	if [ -e "$HUGE" ]; then
		echo $((take / 2)) > "$HUGE"
	else
		mkdir -p "$HOG"
		mount -t ramfs hog "$HOG" && head -c "${take}M" /dev/zero > "$HOG/all"
	fi
	echo "$(free_mib) MiB are left"
	[ "$(free_mib)" -lt $(($1 * 3 / 2)) ]
}

# give_back MIB: gives back so much of it that the client could have so much. It is never
# taken again: where memory is in use, that takes long.
give_back()
{
	local more

	echo 3 > /proc/sys/vm/drop_caches
	more=$(($1 - $(free_mib)))
	[ "$more" -gt 0 ] || return 1
	if [ -e "$HUGE" ]; then
		echo $(($(cat "$HUGE") - more / 2)) > "$HUGE"
	else
		truncate -s "-${more}M" "$HOG/all"
	fi
	echo "$(free_mib) MiB are left"
}

# release: gives all of it back.
release()
{
	if [ -e "$HUGE" ]; then
		echo 0 > "$HUGE"
	else
		umount "$HOG" && rmdir "$HOG"
	fi
}

# content BYTES: about so many, of numbers, so that nothing has to be kept here.
content()
{
	seq "$FAULT_SEED" $((FAULT_SEED + $1 / 11))
}

# pressed MIB: writes so much through the page cache; it ends, and the server has it.
pressed()
{
	local bytes=$(($1 * 1048576)) s=$SECONDS want

	want=$(content "$bytes" | sha256sum)
	(content "$bytes" > "$RPCRDMA_MNT/big") && sync -f "$RPCRDMA_MNT" || return 1
	echo "$(stat -c %s "$RPCRDMA_MNT/big") bytes in $((SECONDS - s)) s"
	[ "$(tb_server 'sha256sum < /export/big')" = "$want" ] || { echo "the server's file differs"; return 1; }
	[ "$(sha256sum < "$RPCRDMA_MNT/big")" = "$want" ] || { echo "the file differs"; return 1; }
}

# big_mib: prints how much is free in blocks of 32 pages or more.
big_mib()
{
	awk '{ for (n = 10; n <= NF; n++) s += $n * 2 ^ (n - 5) } END { print int(s / 256) }' /proc/buddyinfo
}

# fragment: most of what the client has is taken, and every other page of it given
# back, so that what is free is single pages, which the kernel cannot join
# (programs/fragment.c). What the kernel keeps for itself stays whole, and is made
# little.
fragment()
{
	local what

	min_free=$(cat /proc/sys/vm/min_free_kbytes)
	echo 4096 > /proc/sys/vm/min_free_kbytes
	echo 0 > /proc/sys/vm/compact_unevictable_allowed
	mkdir -p "$HOLES"
	mount -t tmpfs -o size=100% holes "$HOLES" || return 1
	/out/bin/fragment "$HOLES/all" $(($(free_mib) - LEAVE / 3)) > "$RPCRDMA_WORK/fragment" 2>&1 &
	fragment_pid=$!
	for what in taken ready; do
		tb_wait 300 grep -q "$what" "$RPCRDMA_WORK/fragment" || { echo "not $what"; cat "$RPCRDMA_WORK/fragment"; return 1; }
	done
	echo "$(free_mib) MiB are free, $(big_mib) of them in blocks of 32 pages or more"
	[ "$(big_mib)" -lt $((LEAVE / 2)) ]
}

# settle: the kernel treats memory as usual.
settle()
{
	echo 1 > /proc/sys/vm/compact_unevictable_allowed
	[ -z "$min_free" ] || echo "$min_free" > /proc/sys/vm/min_free_kbytes
}

# whole: gives that memory back.
whole()
{
	kill "$fragment_pid"
	wait "$fragment_pid" 2> /dev/null
	fragment_pid=
	umount "$HOLES" && rmdir "$HOLES" && settle && release
}

# another: so does a new transport.
another()
{
	local RPCRDMA_MNT=$RPCRDMA_WORK/second

	mkdir -p "$RPCRDMA_MNT"
	rpcrdma_mount 3 && rpcrdma_umount
}

# all_written: nothing waits to be written any more.
all_written()
{
	[ "$(awk '/^(Dirty|Writeback):/ { s += $2 } END { print s }' /proc/meminfo)" -lt 1024 ]
}

# stays: I/O goes on, and a new connection comes to be, with or without placement.
stays()
{
	fault_goes_on 10 || return 1
	tb_server 'tb_nfsd_stop && tb_nfsd_start grace'
	fault_goes_on 10 || return 1
	rpcrdma_keys client version why placement
}

# usual: memory is given back after a failure, too.
usual()
{
	[ -z "$fragment_pid" ] || kill "$fragment_pid" 2> /dev/null
	umount "$HOLES" 2> /dev/null
	release 2> /dev/null
	settle
	rpcrdma_cleanup
}

rpcrdma_begin 13
trap usual EXIT
fault_seed
rpcrdma_t "mounts" rpcrdma_mount 4.1 || rpcrdma_end
rpcrdma_t "the client's memory is taken" hog "$LEAVE"
rpcrdma_t "more is written than is free" pressed "$((LEAVE * 2))"
rpcrdma_t "nothing waits to be written" tb_wait 60 all_written
tb_server 'rm -f /export/big'
rpcrdma_t "some memory is given back" give_back $((LEAVE * 3))
rpcrdma_t "files are worked on" fault_start -l
rpcrdma_t "the client's memory is in pieces" fragment
rpcrdma_t "a new connection in spite of it" stays
rpcrdma_t "a mount in spite of it" another
rpcrdma_t "memory is whole again" whole
rpcrdma_t "every byte is right at both ends" fault_stop || fault_kill
rpcrdma_t "over version 2" rpcrdma_version 2
rpcrdma_t "unmounts" rpcrdma_umount
rpcrdma_end
