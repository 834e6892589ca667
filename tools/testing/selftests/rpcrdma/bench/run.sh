#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh: measures TCP, version 1 and version 2 beside each other, on one virtual
# machine with soft-iWARP and on two with soft-RoCE, and writes the table and the
# picture. By environment:
#
#   QUICK=1         fewer sizes and one round
#   BENCH_OUT=DIR   the folder for results.csv, results.svg and results.rst
#   BEDS="siw rxe"  where to measure
#
# Documentation/bench.rst and bench.svg are written, too. Logs are below
# build/results/bench-<time>. The exit status is 1 if a bed or a transport failed,
# after everything is written.

. "$(dirname "$0")/../../../../../scripts/lib.sh"

here=tools/testing/selftests/rpcrdma/bench
results=$BUILD/results/bench-$(date +%Y%m%d-%H%M%S)
out=${BENCH_OUT:-$BUILD/bench}
form=full
[ -z "${QUICK:-}" ] || form=quick
pair=
trap '[ -z "$pair" ] || kill "$pair" 2> /dev/null' EXIT
trap 'exit 130' INT TERM

# bed NAME ALONE: measures on one bed and says how far it has got. One after the other:
# they would take processors from each other.
bed()
{
	local dir=$results/$1 line rc=0

	step "$1: booting"
	mkdir -p "$dir"
	: > "$dir/progress"
	OUT=$dir KERNEL=stock DEV=$1 ALONE=$2 TIMEOUT=7200 "$TOP/testbed/pair.sh" "$here/bed.sh" "$form" \
		> "$dir/progress" 2> "$dir/pair.log" &
	pair=$!
	while read -r line; do
		step "$1: $line"
	done < <(tail -n +1 -s 0.3 -f --pid="$pair" "$dir/progress")
	wait "$pair" || rc=$?
	pair=
	if [ $rc != 0 ]; then
		step "$1: failed"
		tail -20 "$dir/pair.log" >&2
	fi
	return $rc
}

KERNELS=stock "$TOP/testbed/prepare.sh" bench
ACCEL=$("$TOP/testbed/accel.sh")
export ACCEL
failed=0
for dev in ${BEDS:-siw rxe}; do
	alone=
	[ "$dev" != siw ] || alone=1
	bed "$dev" "$alone" || failed=1
done
mkdir -p "$out"
python3 "$TOP/$here/bench.py" "$results" --out "$out" \
	--rst "$TOP/Documentation/bench.rst" --svg "$TOP/Documentation/bench.svg" || failed=1
step "written: $out/results.{csv,svg,rst}, Documentation/bench.{rst,svg}; logs in $results"
exit $failed
