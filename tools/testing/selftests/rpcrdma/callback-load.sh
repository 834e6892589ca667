#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What callbacks and forward Calls cost each other, in numbers: the stock
# modules and version 1 beside ours and version 2. More Calls are made than the
# server has granted credits for; meanwhile it calls back as fast as it can.
# And what it costs forward Calls that a client can be called at all.
#
# bed: pair
# kernels: stock debug
# devices: rxe
# smp: 2
# except: debug-rxe stock-rxe
# timeout: 400

. "$(dirname "$0")/callback_lib.sh"

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	cb_unload
	tb_server 'echo 64 > /proc/sys/sunrpc/svc_rdma/max_requests'
	cb_cleanup
}

# forward [SECONDS]: reads 4 KiB, 64 at a time, for so long, or six seconds; prints the IOPS.
forward()
{
	fio --name=load --directory="$RPCRDMA_MNT" --filename=load --size=8m --rw=randread --bs=4k --direct=1 \
		--ioengine=libaio --iodepth=64 --time_based --runtime="${1:-6}" --minimal | cut -d';' -f8
}

# ready NAME: prints the forward IOPS where the client is ready to be called over its
# connection (NFSv4.1) and where it is not (NFSv4.0); leaves in the work folder how many per
# cent the first are of the second. The two take turns, and the median of five counts.
ready()
{
	local vers

	for _ in 1 2 3 4 5; do
		for vers in 4.0 4.1; do
			rpcrdma_mount "$vers" || return 1
			forward 3 >> "$RPCRDMA_WORK/ready-$1-$vers"
			rpcrdma_umount
		done
	done
	paste <(sort -n "$RPCRDMA_WORK/ready-$1-4.0") <(sort -n "$RPCRDMA_WORK/ready-$1-4.1") |
		awk 'NR == 3 && $1 > 0 { printf "%d\n", $2 * 100 / $1 }' > "$RPCRDMA_WORK/ready-$1"
	for vers in 4.0 4.1; do
		echo "$1, NFSv$vers: forward IOPS $(sort -n "$RPCRDMA_WORK/ready-$1-$vers" | tr "\n" " ")"
	done
}

# figures NAME: prints what the last flood was like.
figures()
{
	echo "$1: $(cb_per_second "$2") callbacks/s, p50 $(cb_value p50_us "$2") us, p99 $(cb_value p99_us "$2") us," \
		"$(cb_value failed "$2") failed"
}

# median FILE: prints the one in the middle of three figures.
median()
{
	sort -n "$RPCRDMA_WORK/$1" | sed -n 2p
}

# measure NAME: prints all figures; leaves what counts in the work folder. Reads with and without
# callbacks take turns, since what a busy machine does in six seconds changes threefold.
measure()
{
	local got

	tb_server 'echo 16 > /proc/sys/sunrpc/svc_rdma/max_requests'
	rpcrdma_mount 4.1 || return 1
	dd if=/dev/zero of="$RPCRDMA_MNT/load" bs=1M count=8 status=none
	got=$(cb_flood 30 1 0 8000)
	figures "$1, no forward load" "$got"
	for _ in 1 2 3; do
		forward 3 >> "$RPCRDMA_WORK/alone-$1"
		cb_flood 100000 1 0 8000 6000 > "$RPCRDMA_WORK/flood" &
		sleep 1
		forward 3 >> "$RPCRDMA_WORK/both-$1"
		wait
		got=$(cat "$RPCRDMA_WORK/flood")
		figures "$1, forward queues full" "$got"
		cb_per_second "$got" >> "$RPCRDMA_WORK/rates-$1"
		cb_value failed "$got" >> "$RPCRDMA_WORK/failures-$1"
	done
	median "rates-$1" > "$RPCRDMA_WORK/rate-$1"
	awk '{ n += $1 } END { print n }' "$RPCRDMA_WORK/failures-$1" > "$RPCRDMA_WORK/failed-$1"
	echo "$(median "alone-$1") $(median "both-$1")" > "$RPCRDMA_WORK/forward-$1"
	rpcrdma_umount
}

# with KIND: measures with those modules on both ends.
with()
{
	cb_unload
	rpcrdma_modules "$1" "$1" && cb_load && measure "$1" && ready "$1"
}

# unhurt: with ours no callback fails under load, and they come through at no
# less than half the rate of the stock ones: on a machine that does other work,
# two runs of the same differ by up to that. Of the stock ones some wait in vain,
# which neither the rate nor the percentiles of the answered ones tell.
unhurt()
{
	local stock ours

	stock=$(cat "$RPCRDMA_WORK/rate-stock")
	ours=$(cat "$RPCRDMA_WORK/rate-ours")
	echo "under load: stock $stock callbacks/s, $(cat "$RPCRDMA_WORK/failed-stock") failed;" \
		"ours $ours callbacks/s, $(cat "$RPCRDMA_WORK/failed-ours") failed"
	[ "$(cat "$RPCRDMA_WORK/failed-ours")" = 0 ] && [ $((ours * 2)) -ge "$stock" ]
}

# unslowed: nor do forward Calls wait for callbacks: half of them at least are left
# beside as many callbacks as come through.
unslowed()
{
	local alone both

	read -r alone both < "$RPCRDMA_WORK/forward-ours"
	echo "ours: $alone forward IOPS without callbacks, $both with"
	[ "${both%.*}" -gt 0 ] && [ $((${both%.*} * 2)) -ge "${alone%.*}" ]
}

# costs_nothing: to be ready for callbacks costs no more than it costs the stock modules.
# Two such runs differ by up to a third where four processors share two, so a half has to be
# left; with one processor ten rounds of each left 96 %.
costs_nothing()
{
	local stock ours

	stock=$(cat "$RPCRDMA_WORK/ready-stock")
	ours=$(cat "$RPCRDMA_WORK/ready-ours")
	echo "stock $stock %, ours $ours %"
	[ "$((${ours:-0} * 2))" -ge "${stock:-1000}" ]
}

cb_begin 5
trap cleanup EXIT
rpcrdma_t "stock, version 1" with stock
rpcrdma_t "ours, version 2" with ours
rpcrdma_t "callbacks do not wait for forward credits" unhurt
rpcrdma_t "forward Calls do not wait for callbacks" unslowed
rpcrdma_t "readiness for callbacks costs no speed" costs_nothing
rpcrdma_end
