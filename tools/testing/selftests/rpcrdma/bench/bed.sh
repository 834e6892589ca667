#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# bed.sh quick|full PARTS [TRANSPORT...]: measures all or those transports on one bed, in the
# client of a pair or in a virtual machine alone, that is then both ends.
#
#   all     everything
#   costs   everything but operations a second
#   iops    operations a second
#   maps    what is mapped for DMA; for a bed with the ledger
#   window  round trips of large operations, where soft-RoCE's window is large, too
#   profile:OP:BYTES:DEPTH  where the instructions of that operation go, by function
#
#   alone   both ends on one device on dummy0; netem delays lo, which soft-iWARP takes
#   pair    netem delays what the client sends over eth0
#
# Beside the transports that are measured unless some are named there are v2-64k: v2-hw, but
# data of READs comes inline up to 64 KiB; and, for MODULE=test, v2-choice and v2-bysize:
# v2-hw, but the server chooses how data of READs goes, with memory offered for it and
# Receives that can take it; and the same, but that it is to write what is longer than 16 KiB.
#
# Where time is counted in instructions it jumps ahead while the machine waits for its host:
# no time limit here is a tight one.
#
# What was found goes to /out/bench, for bench.py to make sense of:
#
#   counts.tsv                      see count.py
#   long.tsv                        see operations.py
#   rates.tsv                       see operations.py
#   rtt/<transport>.<op>.<bytes>.<ms>_lat.log   fio's log of latencies
#   iops/<transport>.<round>.json   fio's report
#   profile/<transport>.json        the same, of what was profiled, without the profiler
#   profile/<transport>.txt         samples and function, the most frequent first
#   facts                           name=value
#   state.<transport>.<end>         what version 2 says of its connections; those
#                                   with long replies are <transport>-long
#   device.<transport>.server       what soft-RoCE has counted by then

# shellcheck source=/dev/null
. /repo/testbed/lib.sh

here=$(dirname "$0")
# shellcheck source=tools/testing/selftests/rpcrdma/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
out=/out/bench
mnt=/mnt/bench
form=$1
parts=$2
profile_op=
shift 2
kind=
knobs=
# packets of soft-RoCE that are unacknowledged, if not as many as usual
window=

transports=${*:-tcp v1 v1-inline64k v1-ours v2-base v2 v2-hw}
delays="20 100"
sizes="1024 2048 4096 8192 16384 32768 65536 262144 1048576"
iops_sizes=$sizes
meta="getattr openclose readdir100"
count_transports=$transports
iops_transports=${*:-tcp v1 v1-inline64k v1-ours v2 v2-hw}
rtt_transports=${*:-tcp v1 v1-inline64k v2-base v2 v2-hw}
depths="1 8 32"
rounds=2
# of what is larger than 64 KiB there is less in the same time
runtime=120
runtime_large=360
ios=15
# a listing is many round trips, and much else
long_transports="tcp v1 v2"
long_delays="20 180"
long_cells="readdir:3 getacl:5 getxattr:5"
if [ "$form" = quick ]; then
	sizes="4096 8192 65536 262144 1048576"
	iops_sizes="4096 8192 1048576"
	iops_transports=${*:-v1 v1-inline64k v2 v2-hw}
	rtt_transports=${*:-tcp v1 v2 v2-hw}
	long_transports="v1 v2"
	rounds=1
	runtime=100
	runtime_large=200
	delays="20 80"
	long_cells="readdir:2 getacl:3 getxattr:3"
fi
case $parts in
costs)
	iops_transports=
	rounds=1
	;;
maps)
	transports=${*:-v1-ours v2-base v2 v2-hw}
	count_transports=$transports
	rtt_transports=
	iops_transports=
	long_transports=
	rounds=1
	;;
window)
	transports=${*:-tcp v1 v1-inline64k v2}
	count_transports=
	rtt_transports=$transports
	iops_transports=
	long_transports=
	rounds=1
	sizes="262144 1048576"
	delays="20 320"
	ios=31
	window=1024
	;;
profile:*)
	IFS=: read -r _ profile_op profile_bytes profile_depth <<< "$parts"
	count_transports=
	rtt_transports=
	iops_transports=
	long_transports=
	rounds=1
	;;
iops)
	transports=$iops_transports
	count_transports=
	rtt_transports=
	long_transports=
	;;
esac

# server COMMANDS: runs them on the server, with the library of the test bed.
server()
{
	if [ "$TB_ROLE" = alone ]; then (eval "$1"); else tb_server "$1"; fi
}

# say TEXT...: progress.
say()
{
	steps=$((steps + 1))
	printf '%2d of %d: %s\n' $steps $todo "$*"
}

# nfsd_start: as on a machine of a common size, whatever the memory of this one.
nfsd_start()
{
	echo 1048576 > /proc/fs/nfsd/max_block_size && echo 90 > /proc/fs/nfsd/nfsv4leasetime && tb_nfsd_start
}

# modules stock|ours: has that rpcrdma run on both ends.
modules()
{
	[ "$kind" != "$1" ] || return 0
	kind=
	server "$(declare -f nfsd_start); tb_nfsd_stop && { [ $TB_ROLE = alone ] || { tb_unload && tb_load $1 && nfsd_start; }; }" ||
		return
	tb_unload && tb_load "$1" || return
	[ "$TB_ROLE" != alone ] || nfsd_start || return
	kind=$1
	fact "srcversion.$1" "$(tb_srcversion)"
}

# inline: raises version 1's thresholds on both ends for connections to come.
inline()
{
	echo 65536 > /proc/sys/sunrpc/rdma_max_inline_read &&
		echo 65536 > /proc/sys/sunrpc/rdma_max_inline_write &&
		server 'echo 65536 > /proc/sys/sunrpc/svc_rdma/max_req_size'
}

# extras on|off: switches off what version 2 may do without, on both ends: placement
# by Send and messages of several Sends; or back to what it was. Fails if there is
# nothing to switch.
extras()
{
	# shellcheck disable=SC2016 # either end's
	local flip='for f in /proc/sys/sunrpc/{,svc_rdma/}{,rdma_}{placement_mem_kb,continuation}; do
		[ -e "$f" ] || continue
		k=/run/tb/was.${f##*/}; [ -e $k ] || cat $f > $k
		case $way$f in on*) cat $k > $f ;; *_kb) echo 0 > $f ;; *) echo 1 > $f ;; esac || exit 1
		echo $f=$(cat $f); done'

	knobs=$(eval "way=$1; $flip" && server "way=$1; $flip") && [ -n "$knobs" ]
}

# highest VERSION: no connection to come speaks a higher one, at either end.
highest()
{
	echo "$1" > /proc/sys/sunrpc/rdma_max_version && server "echo $1 > /proc/sys/sunrpc/svc_rdma/max_version"
}

# reads LONGEST [XMPTYPE]: which data of READs the client has placed, 0 being what it does by
# itself; and which directions it gives for it.
reads()
{
	local tests=/sys/kernel/debug/rpcrdma2/settings

	echo "$1" > /proc/sys/sunrpc/rdma_placement_read_max || return
	[ -e $tests ] || { [ $# = 1 ]; return; }
	echo "${2:-0}" > $tests/client_placement_read_type && echo $(($# - 1)) > $tests/client_eager
}

# prepare TRANSPORT: makes both ends what its name says.
prepare()
{
	case $1 in
	tcp) [ -n "$kind" ] || modules stock ;;
	v1) modules stock ;;
	v1-inline64k) modules stock && inline ;;
	v1-ours) modules ours && highest 1 ;;
	v2-base) modules ours && highest 2 && extras off ;;
	v2) modules ours && highest 2 && extras on && reads 0 ;;
	v2-hw) modules ours && highest 2 && extras on && reads 1 ;;
	v2-64k) modules ours && highest 2 && extras on && reads 65536 ;;
	v2-choice) modules ours && highest 2 && extras on && reads 1 3 ;;
	v2-bysize) modules ours && highest 2 && extras on && reads 1 4 ;;
	esac
}

# says NAME VALUE: version 2 comes to say so of the mount's connection.
says()
{
	tb_wait 15 grep -q "^$1: $2$" /sys/kernel/debug/rpcrdma2/client/*/state ||
		{ echo "$1 is not $2: $(cat /sys/kernel/debug/rpcrdma2/client/*/state)"; return 1; }
}

# speaks TRANSPORT: the mount is what it is taken for.
speaks()
{
	local n=stock

	case $1 in
	tcp) grep -q ' proto=tcp\|,proto=tcp,' /proc/self/mounts; return ;;
	v1-ours)
		n=ours
		says version 1 || return
		;;
	v2*)
		n=ours
		says version 2 || return
		;;
	esac
	case $1 in
	v2 | v2-64k) says placement on && says continuation on || return ;;
	v2-hw | v2-choice | v2-bysize) says placement "on: for Calls only" && says continuation on || return ;;
	v2-base) ! grep -q '^\(placement\|continuation\): on$' /sys/kernel/debug/rpcrdma2/client/*/state || return ;;
	esac
	grep -q ',proto=rdma,' /proc/self/mounts && tb_is_loaded $n &&
		{ [ "$TB_ROLE" = alone ] || tb_server "tb_is_loaded $n"; }
}

# attach TRANSPORT VERSION: mounts with it, by that version of NFS.
attach()
{
	local how=proto=rdma,port=20049

	[ "$1" != tcp ] || how=proto=tcp,port=2049
	prepare "$1" && timeout 600 mount -t nfs -o "vers=$2,$how,sec=sys" "$TB_SERVER_IP:/" $mnt || return
	speaks "$1" || { echo "$1: the mount is not what it should be"; return 1; }
	fact "mount.$1.$2" "$(sed -n "s,.* $mnt nfs4 \([^ ]*\) .*,\1,p" /proc/self/mounts)"
}

# detach: unmounts; what is left of a transport must not be taken for the next.
detach()
{
	! grep -q " $mnt nfs4 " /proc/self/mounts || timeout 300 umount $mnt || umount -f -l $mnt
}

# delay MILLISECONDS END: has every round trip take so much longer. Of two machines
# what END sends waits: the end that sends no data, because soft-RoCE has 64 packets
# under way, and those that wait count.
delay()
{
	local by="tc qdisc replace dev eth0 root netem delay ${1}ms limit 100000"

	if [ "$TB_ROLE" = alone ]; then
		tc qdisc replace dev lo root netem delay "$(($1 / 2))ms" limit 100000
	elif [ "$2" = server ]; then
		server "$by"
	else
		eval "$by"
	fi
}

# undelay: ends that, at both ends. What is on its way would be lost, and TCP slow for
# a long time. A server that takes memory back from a connection without data asks it
# something some 60 times, one after another.
undelay()
{
	# shellcheck disable=SC2016 # either end's
	local undo='arrived() { tc -s qdisc show dev $d | grep -q "backlog 0b 0p"; }
		for d in eth0 lo; do ! tc qdisc show dev $d 2> /dev/null | grep -q netem || { tb_wait 90 arrived && tc qdisc del dev $d root || exit; }; done'

	(eval "$undo") && server "$undo"
}

# jobs_rtt TRANSPORT MILLISECONDS OP: prints the jobs that measure latency.
jobs_rtt()
{
	local bytes

	printf '[global]\nthread=1\nfilename=%s\nsize=32m\ndirect=1\nioengine=psync\noverwrite=1\n' $mnt/file
	printf 'fallocate=none\ninvalidate=0\nper_job_logs=0\nnumber_ios=%d\n' $ios
	for bytes in $sizes; do
		printf '[%s.%s]\nstonewall\nrw=%s\nbs=%s\nwrite_lat_log=%s/rtt/%s.%s.%s.%s\n' \
			"$3" "$bytes" "$3" "$bytes" $out "$1" "$3" "$bytes" "$2"
	done
}

# jobs_iops: prints the jobs that measure how many operations there are a second.
jobs_iops()
{
	local op bytes depth time

	printf '[global]\nthread=1\nfilename=%s\nsize=32m\ndirect=1\nioengine=libaio\noverwrite=1\n' $mnt/file
	printf 'fallocate=none\ninvalidate=0\ntime_based=1\n'
	for op in write read; do
		for bytes in $iops_sizes; do
			for depth in $depths; do
				time=$((bytes > 65536 ? runtime_large : runtime))
				# some fifty of these are done in that time, and 32 are in flight
				[ $((bytes * depth)) -lt $((32 << 20)) ] || time=$((2 * time))
				printf '[%s.%s.qd%s]\nstonewall\nrw=%s\nbs=%s\niodepth=%s\nruntime=%dms\nramp_time=%dms\n' \
					$op "$bytes" "$depth" $op "$bytes" "$depth" $time $((time / 7))
			done
		done
	done
}

# run_fio JOBS OUTPUT: runs fio; it may not take forever.
run_fio()
{
	timeout 1800 fio --output-format=json --output="$2" --eta=never "$1" || { cat "$2"; return 1; }
}

# rtt TRANSPORT: the latency of each operation, for each delay.
rtt()
{
	local ms rc=0

	for ms in $delays; do
		say "$1: latency with a delay of $ms ms"
		jobs_rtt "$1" "$ms" write > /run/tb/jobs
		delay "$ms" server && run_fio /run/tb/jobs /run/tb/fio.json || rc=1
		undelay || return 1
		jobs_rtt "$1" "$ms" read > /run/tb/jobs
		delay "$ms" client && run_fio /run/tb/jobs /run/tb/fio.json || rc=1
		undelay || return 1
	done
	return $rc
}

# count TRANSPORT CELL...: what each operation costs.
count()
{
	local transport=$1 probe=$here/counters.sh rc=0

	shift
	"$probe" on "$TB_DEV" && server "$probe on $TB_DEV" &&
		TB_ROLE=$TB_ROLE TB_DEV=$TB_DEV TB_MODULE=$TB_MODULE timeout 1800 python3 "$here/count.py" "$transport" $mnt $out/counts.tsv "$@" || rc=1
	# what goes on being counted holds the module
	"$probe" off || rc=1
	server "$probe off" || rc=1
	return $rc
}

# calm TRANSPORT: lets a connection that has had much data give memory back, by messages that
# are of no operation. It does after 5 seconds without data, bit by bit, with calls.
calm()
{
	local n

	for n in 3 3 1 1; do
		sleep $n
		timeout 600 python3 "$here/operations.py" rate "$1" $mnt 0 50 /dev/null getattr:1 || return
	done
}

# counts TRANSPORT: what reading and writing costs, and metadata. Receives are posted in
# batches: only of many operations is there an average.
counts()
{
	local cells=() op bytes

	say "$1: counting"
	for op in write read; do
		cells=()
		for bytes in $sizes; do
			cells+=("$op:$bytes:$((bytes > 65536 ? 16 : 64))")
		done
		count "$1" "${cells[@]}" && calm "$1" || return
	done
	cells=()
	for op in $meta; do
		cells+=("$op:0:64")
	done
	count "$1" "${cells[@]}"
}

# keep_state TRANSPORT: what both ends of version 2 say, and what the device does of
# what was sent again, for whoever wants to know where the time went.
keep_state()
{
	local show='cat /sys/kernel/debug/rpcrdma2/END/*/state 2> /dev/null'

	server 'grep -H . /sys/class/infiniband/*/ports/1/hw_counters/* 2> /dev/null' > "$out/device.$1.server"
	[[ $1 == v2* ]] || return 0
	eval "${show/END/client}" > "$out/state.$1.client"
	server "${show/END/server}" > "$out/state.$1.server"
}

# once TRANSPORT: what need not be measured more than once.
once()
{
	{ [[ " $count_transports " != *" $1 "* ]] || counts "$1"; } &&
		{ [[ " $rtt_transports " != *" $1 "* ]] || rtt "$1"; }
}

# rates TRANSPORT ROUND: operations a second that are none of fio's.
rates()
{
	local cells=() op depth

	for op in $meta; do
		for depth in $depths; do
			cells+=("$op:$depth")
		done
	done
	timeout 1800 python3 "$here/operations.py" rate "$1" $mnt "$2" "$runtime_large" $out/rates.tsv "${cells[@]}"
}

# iops TRANSPORT ROUND: operations a second.
iops()
{
	say "$1: operations a second, round $2 of $rounds"
	jobs_iops > /run/tb/jobs
	run_fio /run/tb/jobs "$out/iops/$1.$2.json" && rates "$1" "$2"
}

# job_profile SECONDS: prints the job that is profiled.
job_profile()
{
	printf '[profile]\nfilename=%s\nsize=32m\ndirect=1\nioengine=libaio\noverwrite=1\n' $mnt/file
	printf 'fallocate=none\ninvalidate=0\ntime_based=1\nramp_time=50ms\nrw=%s\nbs=%s\niodepth=%s\nruntime=%ss\n' \
		"$profile_op" "$profile_bytes" "$profile_depth" "$1"
}

# profile TRANSPORT: where the instructions of one operation go. A sample is taken
# every so many instructions of any processor; what runs with interrupts off is found
# where they are switched on again.
profile()
{
	say "$1: profile of $profile_op, $profile_bytes bytes, depth $profile_depth"
	job_profile 1 > /run/tb/jobs
	run_fio /run/tb/jobs "$out/profile/$1.json" || return
	job_profile 2 > /run/tb/jobs
	echo 0 > /proc/sys/kernel/perf_cpu_time_max_percent
	if ! timeout 1800 perf record -q -a -e cpu-clock -c 50000 -o /run/tb/perf.data -- \
			fio --output-format=json --output=/run/tb/profiled.json --eta=never /run/tb/jobs ||
		! perf report -q -i /run/tb/perf.data --sort sym -F sample,sym --stdio 2> /run/tb/perf.log > "$out/profile/$1.txt"; then
		cat /run/tb/perf.log
		return 1
	fi
	rm -f /run/tb/perf.data
}

# visit TRANSPORT ROUND: all that is measured of it in this round.
visit()
{
	attach "$1" 4.1 && { [ "$2" != 1 ] || once "$1"; } &&
		{ [[ " $iops_transports " != *" $1 "* ]] || iops "$1" "$2"; } &&
		{ [ -z "$profile_op" ] || profile "$1"; } && keep_state "$1"
}

# replies TRANSPORT: long replies, as of NFSv4.2, which has extended attributes.
replies()
{
	local ms rc=0

	attach "$1" 4.2 || return
	say "$1: long replies, counting"
	count "$1" readdir:0:1 getacl:0:4 getxattr:0:4 || rc=1
	for ms in $long_delays; do
		say "$1: long replies with a delay of $ms ms"
		# shellcheck disable=SC2086 # a list
		delay "$ms" client && timeout 1800 python3 "$here/operations.py" time "$1" $mnt "$ms" $out/long.tsv $long_cells || rc=1
		undelay || rc=1
	done
	keep_state "$1-long"
	return $rc
}

# failed TRANSPORT WHAT: it did; the others are measured all the same.
failed()
{
	echo "FAILED: $1, $2"
	fact "note.$1" "failed in $2"
	rc=1
}

# describe: what both ends are.
describe()
{
	fact form "$form"
	fact parts "$parts"
	fact time "$([ "$TB_ICOUNT" = yes ] && echo counted in instructions || echo real)"
	fact device "$TB_DEV"
	fact kernel "$(uname -r)"
	fact memory "$(awk '$1 == "MemTotal:" { print int($2 / 1024) }' /proc/meminfo)"
	fact cpus "$(nproc)"
	fact cpu "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
	fact fio "$(fio --version)"
	fact delays "$delays"
	fact long_delays "$long_delays"
	fact ios "$ios"
	fact runtime "$runtime"
	fact runtime_large "$runtime_large"
	fact rounds "$rounds"
}

todo=$(($(wc -w <<< "$count_transports") + 2 * $(wc -w <<< "$rtt_transports") + rounds * $(wc -w <<< "$iops_transports") + 3 * $(wc -w <<< "$long_transports")))
steps=0
rc=0
rm -rf $out
mkdir -p $out/rtt $out/iops $out/profile $mnt /run/tb
describe
if [ "$TB_ROLE" = alone ]; then
	lone_device || exit 1
fi
# TCP, below soft-iWARP, too, is not to take a slow processor for a full network
for run in eval server; do
	$run 'echo 0 > /sys/module/tcp_cubic/parameters/hystart' || exit 1
done
if [ -n "$window" ]; then
	for run in eval server; do
		$run "echo $window > /sys/module/rdma_rxe/parameters/max_unacked" || exit 1
	done
	fact window "$window"
fi
# A file that is delegated is opened and closed without a word to the server
server 'echo 0 > /proc/sys/fs/leases-enable' || exit 1
furniture=all
[ -n "$long_transports" ] || furniture=short
server "python3 $here/operations.py furnish /export $furniture" || exit 1
for ((round = 1; round <= rounds; round++)); do
	for t in $transports; do
		visit "$t" "$round" || failed "$t" "round $round"
		detach
		[[ $round = 1 && " $long_transports " = *" $t "* ]] || continue
		replies "$t" || failed "$t" "long replies"
		detach
	done
done
exit $rc
