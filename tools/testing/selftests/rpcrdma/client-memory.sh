#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A client's Receives take memory by what there is use for: 16 connections of one mount, and
# 16 mounts, all have data placed within a second of becoming busy, and give memory back
# when they are idle, when there is less of it, and when the kernel wants it. All bytes are
# compared, and no message finds no Receive.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# module: test
# except: debug-rxe debug-siw stock-rxe stock-siw
# without: debug-rxe debug-siw stock-siw
# asked: 7.3
# smp: 2
# timeout: 600

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/memory_lib.sh"

MANY=16
NET=${TB_SERVER_IP%.*}
# In milliseconds. Two emulated processors take that long for the READs that use up short
# Receives, with 16 mounts and as many processes that read and compare.
SOON=8000
[ "$TB_KERNEL" = stock ] || SOON=60000

# large COUNT: so many connections have Receives that data is placed in.
large()
{
	[ "$(rpcrdma_state client local_rbsiz | awk '$1 > 8192' | wc -l)" -ge "$1" ]
}

# reader DIR N BYTES: reads so many at a time and compares until it is told to stop.
reader()
{
	while [ ! -e "$RPCRDMA_WORK/stop" ]; do
		dd if="$1/data-$2" bs="$3" iflag=direct status=none | cmp - "$RPCRDMA_WORK/data" || return 1
	done
}

# start COUNT BYTES DIR...: that many readers in each folder.
start()
{
	local count=$1 bytes=$2 n d

	shift 2
	rm -f "$RPCRDMA_WORK/stop"
	pids=()
	for d in "$@"; do
		for ((n = 0; n < count; n++)); do
			cp "$RPCRDMA_WORK/data" "$d/data-$n" || return 1
		done
	done
	sync
	long=$(rpcrdma_state client placement_long_results | awk '{ s += $1 } END { print s + 0 }')
	watched &
	pids+=($!)
	for d in "$@"; do
		for ((n = 0; n < count; n++)); do
			reader "$d" "$n" "$bytes" &
			pids+=($!)
		done
	done
}

# watched: looks at all connections until the readers are told to stop, and prints for each
# how many milliseconds it took from the first READ whose data found no long Receives to
# Receives that are long, and how many such READs there were. A READ may have come just behind the look before: so it counts
# from there. It goes before all readers, who leave no time to others.
watched()
{
	chrt -f 1 awk -v stop="$RPCRDMA_WORK/stop" '
	function now(	line)
	{
		getline line < "/proc/uptime"
		close("/proc/uptime")
		return line * 1000
	}
	function look(file, t, before,	line, fallbacks, rbsiz)
	{
		while ((getline line < file) > 0) {
			if (line ~ /^placement_long_results: /)
				fallbacks = substr(line, 25) + 0
			else if (line ~ /^local_rbsiz: /)
				rbsiz = substr(line, 14) + 0
		}
		close(file)
		if (!(file in first))
			first[file] = fallbacks
		if (fallbacks > first[file] && !(file in busy))
			busy[file] = before
		if (rbsiz > 8192 && file in busy && !(file in large)) {
			large[file] = t
			print t - busy[file], fallbacks - first[file]
			fflush()
		}
	}
	BEGIN {
		t = now()
		do {
			before = t
			t = now()
			for (n = 1; n < ARGC; n++)
				look(ARGV[n], t, before)
		} while (system("sleep 0.1; test -e " stop))
	}' "$RPCRDMA_DEBUGFS"/client/*/state > "$RPCRDMA_WORK/watched"
}

# soon COUNT: on so many connections data came to be placed. That takes some 17 round trips,
# in which short Receives are used up: no more READs than that go another way.
soon()
{
	tb_wait 90 large "$1" || { rpcrdma_keys client local_rbsiz memory_why memory_credits; return 1; }
	sleep 0.5
	sort -n "$RPCRDMA_WORK/watched" | awk -v least="$1" -v most="$SOON" -v reads="$MEMORY_RAISE" '
		{ took[NR] = $1 }
		$2 > max { max = $2 }
		END {
			print NR " connections, half of them within " took[int((NR + 1) / 2)] + 0 " ms, all within " took[NR] + 0 ", READs that went another way: " max + 0 " at most"
			exit !(NR >= least && took[NR] <= most && max <= reads)
		}'
}

# placed: with all these connections every READ has its data placed from the beginning.
placed()
{
	local n

	n=$(rpcrdma_state client placement_long_results | awk '{ s += $1 } END { print s + 0 }')
	echo "$((n - long)) went another way"
	[ "$n" = "$long" ]
}

# connected COUNT: there are so many connections.
connected()
{
	local n

	for ((n = 0; n < 4 * $1; n++)); do
		stat "$RPCRDMA_MNT/none-$n" > /dev/null 2>&1
	done
	tb_wait 30 rpcrdma_all_versions client 2 "$1"
}

# addresses add|del: the server has more of them, so that each mount with version 3 of
# NFS has a transport of its own.
addresses()
{
	added=$1
	tb_server "for ((n = 100; n < 100 + $MANY; n++)); do ip addr $1 $NET.\$n/24 dev eth0; done"
}

# mount_all: mounts by all these addresses.
mount_all()
{
	local n

	tb_server "cd /export; for ((n = 0; n < $MANY; n++)); do mkdir -p w\$n; chmod 777 w\$n; done"
	for ((n = 0; n < MANY; n++)); do
		mkdir -p "$RPCRDMA_MNT/w$n"
		TB_SERVER_IP=$NET.$((100 + n)) RPCRDMA_BELOW=w$n RPCRDMA_MNT=$RPCRDMA_MNT/w$n rpcrdma_mount 3 || return 1
	done
}

# works_idle: a mount works whose connection was closed.
works_idle()
{
	RPCRDMA_BELOW=w3 RPCRDMA_MNT=$RPCRDMA_MNT/w3 rpcrdma_roundtrip idle
}

# umount_all: one after the other.
umount_all()
{
	local m

	for m in "$RPCRDMA_MNT"/w*; do
		rpcrdma_umount "$m" && rmdir "$m" || return 1
	done
}

# wanted KB: the kernel asks for all memory that can be had; then it wants some of this,
# until half of what there was is left. What it has wanted is given back while it does not:
# on a slow machine it takes more attempts.
wanted()
{
	local n used squeezed

	for n in {1..50}; do
		echo 2 > /proc/sys/vm/drop_caches
		used=$(memory_total client used_kb)
		squeezed=$(memory_total client squeezed_kb)
		[ "$squeezed" -eq 0 ] || [ "$used" -gt $(($1 / 2)) ] || break
		sleep 0.1
	done
	echo "$1 kB before, $used kB after, $squeezed kB wanted elsewhere, $n times"
	[ "$squeezed" -gt 0 ] && [ "$used" -le $(($1 / 2)) ]
}

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	touch "$RPCRDMA_WORK/stop"
	rpcrdma_umount_all
	[ "$added" != add ] || addresses del
	rpcrdma_cleanup
}

# long_reply: data of a long READ comes at once. Receives are there for it, though they are
# for credits up to now.
long_reply()
{
	local chunks

	chunks=$(rpcrdma_xprt 12)
	dd if="$RPCRDMA_MNT/data-1" of=/dev/null bs=1M count=1 iflag=direct status=none || return 1
	echo "$(($(rpcrdma_xprt 12) - chunks)) Write chunks"
	[ "$(rpcrdma_xprt 12)" = "$chunks" ]
}

pids=()
long=0
added=
rpcrdma_begin 34
trap cleanup EXIT
rpcrdma_server_set eager 0
rpcrdma_client_set eager 0
head -c 4M /dev/urandom > "$RPCRDMA_WORK/data"
rnr=$(memory_unposted server)
client_rnr=$(memory_unposted client)

rpcrdma_t "mounts with nconnect=$MANY" rpcrdma_mount 4.2 nconnect=$MANY
rpcrdma_t "$MANY connections" connected $MANY
rpcrdma_t "Receives are short at first" memory_each client local_rbsiz 8192
rpcrdma_t "and few" memory_each client memory_kb $MEMORY_CLIENT_FIRST
rpcrdma_t "it all adds up" memory_whole client
start 3 128k "$RPCRDMA_MNT"
rpcrdma_t "all of them have data placed soon" soon $MANY
rpcrdma_t "all data is right" memory_stopped
rpcrdma_t "it all adds up" memory_whole client
rpcrdma_t "idle, they keep what one Call needs" tb_wait 40 memory_each client memory_kb $MEMORY_CLIENT_IDLE
rpcrdma_t "and the server has short Receives again" tb_wait 40 memory_each server local_rbsiz 4096
start 8 1M "$RPCRDMA_MNT"
rpcrdma_t "busy again, they have data placed at once" eval 'sleep 5; placed'
rpcrdma_client_set placement_mem_kb 16000
rpcrdma_t "a smaller budget counts for connections there are" tb_wait 60 memory_within client 16000
rpcrdma_t "all data is right" memory_stopped
rpcrdma_t "a tree survives" rpcrdma_roundtrip less
rpcrdma_t "unmounts" rpcrdma_umount
rpcrdma_t "all memory is given back" tb_wait 20 memory_total_is client used_kb 0
rpcrdma_client_set placement_mem_kb 2147483647

addresses add
rpcrdma_t "mounts $MANY times" mount_all
start 1 128k "$RPCRDMA_MNT"/w*
rpcrdma_t "all of them have data placed soon" soon $MANY
rpcrdma_t "all data is right" memory_stopped
rpcrdma_t "it all adds up" memory_whole client
rpcrdma_t "without callbacks they have nothing after a minute" tb_wait 100 memory_total_is client used_kb 0
rpcrdma_t "and still work" works_idle
rpcrdma_t "unmounts" umount_all
addresses del

rpcrdma_t "mounts 4 connections" rpcrdma_mount 4.2 nconnect=4
start 8 1M "$RPCRDMA_MNT"
rpcrdma_t "they have much memory" tb_wait 30 eval '! memory_within client 8000'
rpcrdma_t "when the kernel wants it they have less within seconds" wanted "$(memory_total client used_kb)"
rpcrdma_t "and much again when it does not" tb_wait 60 eval '! memory_within client 8000'
rpcrdma_t "all data is right" memory_stopped
rpcrdma_t "the kernel had all memory that the budget had" memory_total_is client failed 0
rpcrdma_umount

rpcrdma_t "mounts one connection" rpcrdma_mount 4.2
start 32 64k "$RPCRDMA_MNT"
# for longer than long replies are remembered
rpcrdma_t "it is busy for a while, with short replies" eval 'sleep 7; memory_stopped'
rpcrdma_t "a long reply takes Receives that no credit needs" long_reply
rpcrdma_umount

rpcrdma_max_version 1 2
rpcrdma_t "version 1 works, and is not charged" eval 'rpcrdma_mount 4.2 && rpcrdma_roundtrip one && memory_total_is client used_kb 0'
rpcrdma_umount
rpcrdma_max_version 2 2
rpcrdma_t "no message came that no Receive was there for" test "$rnr/$client_rnr" = "$(memory_unposted server)/$(memory_unposted client)"
rpcrdma_end
