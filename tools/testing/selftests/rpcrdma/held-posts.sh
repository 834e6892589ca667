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

HELD=/sys/kernel/debug/rpcrdma_ledger/faults
BROKEN=/sys/kernel/debug/rpcrdma_ledger/broken
LOCAL_INV=/sys/module/rpcrdma_cmfault/parameters/local_inv
# So many calls of each kind are held up; one of so many
WANT=15 ONE_IN=3
[ -z "${TB_EVERY_CASE:-}" ] || WANT=40

# cleanup: nobody is held up any more, and the usual things.
cleanup()
{
	local end

	fault_kill
	for end in client server; do
		memory_at "$end" "for f in $HELD/*_held/one_in; do echo 0 > \$f; done"
	done
	echo 0 > "$LOCAL_INV"
	rpcrdma_cleanup
}

# held END KIND: enough calls were held up there.
held()
{
	[ "$(memory_at "$1" "cat $HELD/$2_held/failed")" -ge "$WANT" ]
}

# hold END KIND: has calls be held up there until there were enough. KIND is send, or other:
# LOCAL_INV at the client, RDMA Reads at the server.
hold()
{
	local f="$HELD/$2_held" rc=0

	memory_at "$1" "echo $FAULT_SEED > $f/seed; echo $ONE_IN > $f/one_in"
	tb_wait 200 held "$1" "$2" || rc=1
	memory_at "$1" "echo 0 > $f/one_in"
	echo "$(memory_at "$1" "cat $f/failed") calls were held up"
	fault_runs || { echo "the workers failed: $(cat "$FAULT_CONTROL/said")"; rc=1; }
	return "$rc"
}

# works VERSION: the workers do, with memory that is registered, read and written. Writes are
# big, since what fits a Receive of version 2 goes by Send.
works()
{
	rpcrdma_max_version "$1" 2
	rpcrdma_mount 4.1 && rpcrdma_version "$1" client && fault_start -b -w 4
}

# sound: nothing was used again too early.
sound()
{
	local end rc=0

	for end in client server; do
		memory_at "$end" "! grep . $BROKEN" || rc=1
	done
	return "$rc"
}

rpcrdma_begin 14
trap cleanup EXIT
fault_seed
[ -d /sys/module/rpcrdma_cmfault ] || insmod /out/bin/rpcrdma_cmfault.ko || rpcrdma_end
# The client invalidates by itself what it registers for version 1. Of version 2 it has the
# server invalidate one memory region of each Call, and seldom has another.
echo 1 > "$LOCAL_INV"
place_single
for v in 2 1; do
	rpcrdma_t "version $v: mounts and works" works "$v"
	rpcrdma_t "version $v: the client is held up as it sends" hold client send
	[ "$v" = 2 ] || rpcrdma_t "version $v: the client is held up as it invalidates memory" hold client other
	rpcrdma_t "version $v: the server is held up as it sends" hold server send
	rpcrdma_t "version $v: the server is held up as it reads" hold server other
	rpcrdma_t "version $v: every byte is right" fault_stop
	rpcrdma_t "version $v: unmounts" fault_clean
done
rpcrdma_t "no request was used again while it was posted" sound
rpcrdma_end
