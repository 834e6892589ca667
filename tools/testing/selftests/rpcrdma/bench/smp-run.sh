#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# smp-run.sh locks|iops: version 1 as it is, the same with 64 KiB inline, and version 2 on
# a virtual machine with two processors, which is both ends. Two machines would be four
# processors that share those of a host with two.
#
#   locks   which locks are waited for, on a kernel that counts that; prints the ten
#           first of each transport, and fails if one of them is ours
#   iops    operations a second in real time, as ratios, into Documentation/bench-smp.rst
#
# By environment:
#
#   ROUNDS=5 SECONDS_=2   how many rounds, and how long each measurement takes; 1 and 5
#                         unless said otherwise where it is about locks
#   SMP=2 DEV=siw         processors and device
#   TB_APPEND=preempt=full  another preemption than Debian's, where it is about locks
#   OUT=DIR               where what was found goes; else below build/results

. "$(dirname "$0")/../../../../../scripts/lib.sh"

here=tools/testing/selftests/rpcrdma/bench
mode=${1:-}
case $mode in
locks)
	kernel=lockstat
	rounds=${ROUNDS:-1}
	seconds=${SECONDS_:-5}
	;;
iops)
	kernel=stock
	rounds=${ROUNDS:-5}
	seconds=${SECONDS_:-2}
	;;
*) die "usage: smp-run.sh locks|iops" ;;
esac
results=${OUT:-$BUILD/results/smp-$mode-$(date +%Y%m%d-%H%M%S)}
pair=
trap '[ -z "$pair" ] || kill "$pair" 2> /dev/null' EXIT
trap 'exit 130' INT TERM

# spent: prints the time, for how many seconds the processors of this host have worked since
# it was booted, and for how many of these for what this script has waited for, as times has
# left it: a subshell would be told of its own.
spent()
{
	date +%s
	awk -v hz="$(getconf CLK_TCK)" '$1 == "cpu" { print ($2 + $3 + $4 + $7 + $8 + $9) / hz }' /proc/stat
	awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += 60 * t[1] + t[2] } print sum }' "$results/times"
}

"$TOP/testbed/prepare.sh" "$kernel"
ACCEL=$("$TOP/testbed/accel.sh")
SOURCES=$(python3 "$TOP/tools/testing/selftests/rpcrdma/conformance/sources.py")
export ACCEL SOURCES
mkdir -p "$results"
: > "$results/progress"
step "$mode: booting"
times > "$results/times"
before=$(spent)
OUT=$results KERNEL=$kernel DEV=${DEV:-siw} SMP=${SMP:-2} TIMEOUT=7200 ALONE=1 \
	"$TOP/testbed/pair.sh" "$here/smp.sh" "$mode" "$rounds" "$seconds" > "$results/progress" 2> "$results/pair.log" &
pair=$!
while read -r line; do
	step "$mode: $line"
done < <(tail -n +1 -s 0.3 -f --pid="$pair" "$results/progress")
rc=0
wait "$pair" || rc=$?
pair=
[ $rc = 0 ] || { tail -20 "$results/pair.log" >&2; die "failed: see $results"; }
times > "$results/times"
after=$(spent)
awk -v RS= '{ printf "others=%.1f\n", ($5 - $2 - $6 + $3) / ($4 - $1) }' <<< "$before $after" >> "$results/smp/facts"
if [ "$mode" = locks ]; then
	python3 "$TOP/$here/smp.py" locks "$results/smp"
else
	python3 "$TOP/$here/smp.py" iops "$results/smp" --rst "$TOP/Documentation/bench-smp.rst"
	step "written: Documentation/bench-smp.rst; logs in $results"
fi
