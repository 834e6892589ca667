#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# smp.sh locks|iops ROUNDS SECONDS [TRANSPORT...]: has fio write and read at depth 32 over
# one and over four connections of these transports, in a virtual machine that is both
# ends and has several processors. Each round takes all transports in turn, another one
# first each time, so that none has the quiet times of the host for itself. Each turn
# begins with rpcrdma loaded anew.
#
# /out/smp/<transport>.<nconnect>.<op>.<bytes>.<round> is what was found:
#
#   .json    fio's report
#   .locks   /proc/lock_stat of that time alone, if it is about locks
#
# and /out/smp/facts name=value. The transports are those of bed.sh.

# shellcheck source=/dev/null
. /repo/testbed/lib.sh
# shellcheck source=tools/testing/selftests/rpcrdma/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"

out=/out/smp
mnt=/mnt/smp
mode=$1
rounds=$2
seconds=$3
shift 3
transports=("$@")
[ $# -gt 0 ] || transports=(v1 v1-inline64k v2)
connections="1 4"
sizes="8192 65536"
stat=/proc/lock_stat

# modules stock|ours: has that rpcrdma run, loaded anew, and nfsd with it.
modules()
{
	tb_nfsd_stop && tb_unload && tb_load "$1" || return
	# as on a machine of a common size, whatever the memory of this one
	echo 1048576 > /proc/fs/nfsd/max_block_size && tb_nfsd_start || return
	[ -z "$(sed -n "/^srcversion.$1=/p" $out/facts)" ] || return 0
	fact "srcversion.$1" "$(tb_srcversion)"
}

# inline: raises version 1's thresholds on both ends for connections to come.
inline()
{
	echo 65536 | tee /proc/sys/sunrpc/{rdma_max_inline_read,rdma_max_inline_write,svc_rdma/max_req_size} > /dev/null
}

# prepare TRANSPORT: makes the machine what its name says.
prepare()
{
	case $1 in
	v1) modules stock ;;
	v1-inline64k) modules stock && inline ;;
	v2) modules ours ;;
	*) return 1 ;;
	esac
}

# connected TRANSPORT NUMBER: there are so many connections, and they are what they are
# taken for.
connected()
{
	local states line

	[ "$(grep -c '^[[:space:]]*xprt:[[:space:]]*rdma ' /proc/self/mountstats)" = "$2" ] || return
	[ "$1" = v2 ] || return 0
	states=$(cat /sys/kernel/debug/rpcrdma2/client/*/state)
	for line in "version: 2" "placement: on" "continuation: on"; do
		[ "$(grep -cx "$line" <<< "$states")" = "$2" ] || return
	done
}

# attach TRANSPORT NUMBER: mounts with so many connections. They connect when they are used.
attach()
{
	timeout 600 mount -t nfs -o "vers=4.1,proto=rdma,port=20049,sec=sys,nconnect=$2" "$TB_SERVER_IP:/" $mnt &&
		dd if=$mnt/file of=/dev/null bs=8192 count=32 iflag=direct status=none || return
	tb_wait 15 connected "$1" "$2" || { echo "$1: the mount is not what it should be: $(cat /proc/self/mountstats)"; return 1; }
}

# detach: unmounts.
detach()
{
	! grep -q " $mnt nfs4 " /proc/self/mounts || timeout 300 umount $mnt || umount -f -l $mnt
}

# cell NAME OP BYTES: measures that.
cell()
{
	local said=$out/$1.json ramp=300ms

	if [ "$mode" = locks ]; then
		# all that is done is counted, so all locks have to be
		ramp=0
		echo 0 > $stat
	fi
	timeout 600 fio --output-format=json --output="$said" --eta=never --name=smp --thread=1 --filename=$mnt/file \
		--size=32m --direct=1 --ioengine=libaio --iodepth=32 --overwrite=1 --fallocate=none --invalidate=0 \
		--time_based=1 --ramp_time=$ramp --runtime="$seconds" --rw="$2" --bs="$3" || { cat "$said"; return 1; }
	[ "$mode" != locks ] || cat $stat > "$out/$1.locks"
}

# turn TRANSPORT ROUND: all that is measured of it in this round.
turn()
{
	local n op bytes rc=0

	prepare "$1" || return
	for n in $connections; do
		attach "$1" "$n" || rc=1
		for op in write read; do
			for bytes in $sizes; do
				[ $rc = 0 ] && cell "$1.$n.$op.$bytes.$2" "$op" "$bytes" || rc=1
			done
		done
		detach
	done
	return $rc
}

rm -rf $out
mkdir -p $out $mnt
fact mode "$mode"
fact device "$TB_DEV"
fact kernel "$(uname -r)"
fact preempt "$(dmesg | sed -n 's/.*Dynamic Preempt: //p')"
fact cpus "$(nproc)"
fact rounds "$rounds"
fact seconds "$seconds"
if [ "$mode" = locks ]; then
	[ -e $stat ] || { echo "this kernel has no $stat"; exit 1; }
	echo 1 > /proc/sys/kernel/lock_stat
fi
lone_device || exit 1
# TCP below soft-iWARP is not to take a slow processor for a full network
echo 0 > /sys/module/tcp_cubic/parameters/hystart
head -c 32M /dev/urandom > /export/file && chmod 666 /export/file || exit 1
rc=0
for ((round = 1; round <= rounds; round++)); do
	for ((i = 0; i < ${#transports[@]}; i++)); do
		t=${transports[(i + round - 1) % ${#transports[@]}]}
		echo "round $round of $rounds: $t"
		turn "$t" "$round" || { echo "FAILED: $t, round $round"; rc=1; }
	done
done
exit $rc
