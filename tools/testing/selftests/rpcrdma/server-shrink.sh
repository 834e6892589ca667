#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Where a server is short of memory, its Receives take less within seconds, and more again
# when that is over. Meanwhile all data is right, and no message comes that no Receive is
# posted for.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# module: test
# except: debug-rxe debug-siw stock-rxe stock-siw
# without: debug-rxe debug-siw stock-siw
# asked: 7.3
# smp: 2
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/memory_lib.sh"

# writer N: writes until it is told to stop, and compares.
writer()
{
	while [ ! -e "$RPCRDMA_WORK/stop" ]; do
		dd if="$RPCRDMA_WORK/data" "of=$RPCRDMA_MNT/file-$1" bs=1M oflag=direct status=none &&
			dd "if=$RPCRDMA_MNT/file-$1" bs=1M iflag=direct status=none | cmp - "$RPCRDMA_WORK/data" || return 1
	done
}

# more_than KB: more than that is used.
more_than()
{
	[ "$(memory_total server used_kb)" -gt "$1" ]
}

# squeezed: the kernel wants some of the memory.
squeezed()
{
	[ "$(memory_total server squeezed_kb)" -gt 0 ]
}

# wanted SECONDS: the kernel asks for all memory that can be had, again and again.
wanted()
{
	tb_server "for ((n = 0; n < $1 * 5; n++)); do echo 2 > /proc/sys/vm/drop_caches; sleep 0.2; done"
}

# half: not more than half is used while some is wanted.
half()
{
	squeezed && ! more_than $((before / 2))
}

# less: while the kernel asks they come to have half. They get it back soon after.
less()
{
	local rc asks

	wanted 8 &
	asks=$!
	tb_wait 8 half
	rc=$?
	echo "$before kB before, $(memory_total server used_kb) kB after"
	wait "$asks"
	return "$rc"
}

# hogged: the same with somebody who takes nearly all of it.
hogged()
{
	tb_server "timeout 60 stress-ng --vm 1 --vm-bytes 90% --vm-populate --timeout 10 --quiet" &
	wait $!
	echo "squeezed $(memory_total server squeezed_kb) kB, used $(memory_total server used_kb) kB"
}

rpcrdma_begin 10
rpcrdma_server_set eager 0
rnr=$(memory_unposted server)
head -c 8M /dev/urandom > "$RPCRDMA_WORK/data"
rpcrdma_t "mounts 4 connections" rpcrdma_mount 4.2 nconnect=4
for n in {1..8}; do
	writer "$n" &
	pids+=($!)
done
rpcrdma_t "all of them place data" rpcrdma_becomes 30 server placement on
rpcrdma_t "and have much memory" tb_wait 30 more_than 5000
before=$(memory_total server used_kb)
rpcrdma_t "when the kernel wants it they have less within seconds" less
rpcrdma_t "and much again when it does not" tb_wait 60 more_than 5000
rpcrdma_t "nothing is withheld any more" tb_wait 30 memory_total_is server squeezed_kb 0
rpcrdma_t "memory is taken" hogged
rpcrdma_t "all data is right" memory_stopped
rpcrdma_t "no message came that no Receive was there for" test "$rnr" = "$(memory_unposted server)"
rpcrdma_umount
rpcrdma_t "all memory is given back" tb_wait 60 memory_total_is server used_kb 0
rpcrdma_end
