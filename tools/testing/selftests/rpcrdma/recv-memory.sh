#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Receives that data is placed in take much memory. Where the kernel has no large pieces of
# memory at hand, the client has such Receives none the less; where it cannot have any, it
# works with short ones. Nor do its Receives take more than was charged for them.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# except: debug-rxe debug-siw stock-siw
# timeout: 300
# skips: memory that cannot be had*

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"
. "$(dirname "$0")/memory_lib.sh"

FAULTS=/sys/kernel/debug/fail_page_alloc
# How often a fault may be injected at most: more than it ever will be
TIMES=1000000000

# fault NAME VALUE: sets one thing about injected faults.
fault()
{
	echo "$2" > "$FAULTS/$1"
}

# faults WAIT: from now on there are no two pages in a row for the memory of Receives
# unless it is waited for; with WAIT=N, not even then.
faults()
{
	local range

	read -ra range < <("$(dirname "$0")/module_text.py" "$(tb_ko "$TB_CLIENT")" rpcrdma2_recvblock_alloc)
	[ ${#range[@]} = 2 ] || return 1
	fault stacktrace-depth 32
	fault require-start "${range[0]}"
	fault require-end "${range[1]}"
	fault verbose 0
	fault min-order 1
	fault ignore-gfp-wait "$1"
	fault times "$TIMES"
	fault probability 100
}

# no_faults: all is as it was.
no_faults()
{
	fault probability 0
	fault require-start 0
	fault require-end 0xffffffffffffffff
	fault ignore-gfp-wait Y
}

# injected: faults have been injected; says how many.
injected()
{
	local n

	n=$((TIMES - $(cat "$FAULTS/times")))
	echo "$n allocations failed"
	[ "$n" -gt 0 ]
}

# cleanup: no faults, and the usual things.
cleanup()
{
	no_faults 2> /dev/null
	rpcrdma_cleanup
}

# large: data can be placed in the client's Receives.
large()
{
	[ "$(rpcrdma_least client local_rbsiz)" -gt 8192 ]
}

# failed: there was no memory for Receives.
failed()
{
	[ "$(memory_total client failed)" -gt 0 ]
}

# short: what is read does not make them longer, for want of memory, which is counted.
short()
{
	head -c 4194304 /dev/urandom > "$RPCRDMA_MNT/short"
	sync
	dd if="$RPCRDMA_MNT/short" of=/dev/null bs=1M iflag=direct status=none || return 1
	tb_wait 5 failed && rpcrdma_is client local_rbsiz 8192
}

# kept: the client's Receives take no more memory than was charged for them.
kept()
{
	local bytes kb

	bytes=$(rpcrdma_state client recv_buffer_bytes)
	kb=$(rpcrdma_state client placement_kb)
	echo "$bytes bytes, $kb kB charged"
	[ "$bytes" -gt 0 ] && [ "$bytes" -le $((kb * 1024)) ]
}

# busy: what is read in 32 pieces at a time is right, and does not take more Receives.
busy()
{
	local n

	head -c 4194304 /dev/urandom > "$RPCRDMA_WORK/busy"
	cp "$RPCRDMA_WORK/busy" "$RPCRDMA_MNT/busy"
	for n in {1..32}; do
		dd if="$RPCRDMA_MNT/busy" of="$RPCRDMA_WORK/busy-$n" bs=128k count=1 skip=$((n - 1)) iflag=direct status=none &
	done
	wait
	cat "$RPCRDMA_WORK"/busy-{1..32} | cmp - "$RPCRDMA_WORK/busy" && kept
}

# scarce: with memory that cannot be had.
scarce()
{
	rpcrdma_t "large pieces are not at hand" faults Y
	rpcrdma_t "mounts" rpcrdma_mount 4.1
	rpcrdma_t "data is placed all the same" rpcrdma_ready
	rpcrdma_t "in Receives that are charged" kept
	rpcrdma_t "a tree survives" rpcrdma_roundtrip
	rpcrdma_t "they are as long as before" large
	no_faults
	rpcrdma_t "allocations have failed" injected
	rpcrdma_umount
	rpcrdma_interval 250
	rpcrdma_t "the kernel wants no memory back" tb_wait 60 memory_total_is client squeezed_kb 0
	rpcrdma_t "there are none at all" faults N
	rpcrdma_t "mounts" rpcrdma_mount 4.1
	rpcrdma_t "Receives stay short" short
	no_faults
	rpcrdma_t "allocations have failed" injected
	rpcrdma_t "and no Receive is missing" rpcrdma_is client receives_missing 0
	rpcrdma_t "a tree survives that, too" rpcrdma_roundtrip without
	rpcrdma_t "unmounts" rpcrdma_umount
}

rpcrdma_begin 18
trap cleanup EXIT
rpcrdma_t "mounts" rpcrdma_mount 4.1
rpcrdma_t "Receives take what was charged" kept
rpcrdma_t "under load, too" busy
rpcrdma_umount
# the debug kernel can: if it could not, that is a failure
if [ -d "$FAULTS" ] || [ "$TB_KERNEL" != stock ]; then
	scarce
else
	for n in {1..15}; do
		rpcrdma_skip "memory that cannot be had, $n" "this kernel injects no faults"
	done
fi
rpcrdma_end
