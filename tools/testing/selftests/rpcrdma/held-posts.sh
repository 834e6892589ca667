#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A processor is held up in ib_post_send() behind what the device has got already, as a
# virtual one may be. What was posted completes meanwhile. Nothing of it may be used again
# or freed until ib_post_send() returns: drivers look there for what follows.
#
# bed: pair
# kernels: stock debug
# devices: rxe+ledger
# except: debug-rxe+ledger
# smp: 2
# timeout: 600

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/memory_lib.sh"
. "$(dirname "$0")/place_lib.sh"
. "$(dirname "$0")/fault_lib.sh"

HELD=/sys/kernel/debug/rpcrdma_ledger/faults/post_held
BROKEN=/sys/kernel/debug/rpcrdma_ledger/broken
LOCAL_INV=/sys/module/rpcrdma_cmfault/parameters/local_inv
# column of the transport in mountstats
XPRT_LOCAL_INV=25
# So many calls are held up at each end, one of so many
WANT=20 ONE_IN=4
[ -z "${TB_EVERY_CASE:-}" ] || WANT=60

# cleanup: nobody is held up any more, and the usual things.
cleanup()
{
	fault_kill
	for end in client server; do
		memory_at "$end" "echo 0 > $HELD/one_in"
	done
	echo 0 > "$LOCAL_INV"
	rpcrdma_cleanup
}

# held END LEAST: so many calls were held up there.
held()
{
	[ "$(memory_at "$1" "cat $HELD/failed")" -ge "$2" ]
}

# hold END: has calls be held up there until there were enough.
hold()
{
	local rc=0

	memory_at "$1" "echo $FAULT_SEED > $HELD/seed; echo $ONE_IN > $HELD/one_in"
	tb_wait 200 held "$1" "$WANT" || rc=1
	memory_at "$1" "echo 0 > $HELD/one_in"
	echo "$(memory_at "$1" "cat $HELD/failed") calls were held up"
	fault_runs || { echo "the workers failed: $(cat "$FAULT_CONTROL/said")"; rc=1; }
	return "$rc"
}

# works VERSION: the workers do, with memory that is registered, read and written.
works()
{
	rpcrdma_max_version "$1" 2
	rpcrdma_mount 4.1 && rpcrdma_version "$1" client && fault_start -w 4
}

# sound: nothing was used again too early. The client has invalidated memory by itself.
sound()
{
	local end rc=0

	for end in client server; do
		memory_at "$end" "! grep . $BROKEN" || rc=1
	done
	[ "$inv" -gt 0 ] || { echo "the client has invalidated nothing"; rc=1; }
	return "$rc"
}

rpcrdma_begin 11
trap cleanup EXIT
fault_seed
[ -d /sys/module/rpcrdma_cmfault ] || insmod /out/bin/rpcrdma_cmfault.ko || rpcrdma_end
echo 1 > "$LOCAL_INV"
place_single
inv=0
for v in 2 1; do
	rpcrdma_t "version $v: mounts and works" works "$v"
	for end in client server; do
		rpcrdma_t "version $v: the $end is held up" hold $end
	done
	inv=$((inv + $(rpcrdma_xprt "$XPRT_LOCAL_INV")))
	rpcrdma_t "version $v: every byte is right" fault_stop
	rpcrdma_t "version $v: unmounts" fault_clean
done
rpcrdma_t "no request was used again while it was posted" sound
rpcrdma_end
