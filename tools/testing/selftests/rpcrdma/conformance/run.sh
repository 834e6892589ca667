#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh: runs all cases of the conformance peer against both ends, on both
# devices, and writes Documentation/conformance.rst. By environment:
#
#   KERNEL=stock|debug    which kernel both ends run
#   JOBS=2                how many pairs of virtual machines at a time
#   CONFORMANCE_OUT=DIR   a folder for conformance.csv; none if it is empty
#
# Logs are below build/results/conformance-<time>. The exit status is 1 if
# anything failed, after everything is written.

. "$(dirname "$0")/../../../../../scripts/lib.sh"

kernel=${KERNEL:-stock}
here=$TOP/tools/testing/selftests/rpcrdma
results=$BUILD/results/conformance-$(date +%Y%m%d-%H%M%S)
out=${CONFORMANCE_OUT:-}
export EVERY_CASE=yes
trap 'mapfile -t pids < <(jobs -rp); [ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2> /dev/null || true; wait' EXIT
trap 'exit 130' INT TERM

# runs: prints NAME:SECONDS of the tests that run the peer; a busy machine or
# the debug kernel takes its time.
runs()
{
	local f t

	for f in "$here"/conformance-*.sh; do
		t=$(sed -n 's/^# timeout: //p' "$f")
		echo "$(basename "$f" .sh):$((t * 4))"
	done
}

# count DIR: prints how many cases have come to a result in one boot.
count()
{
	cat "$1"/conformance-*.log 2> /dev/null | grep -cE '^(not )?ok ' || true
}

# progress: says now and then how far each boot has got.
progress()
{
	local dir n
	local -A before

	while sleep 30; do
		for dir in "$results"/*/; do
			n=$(count "$dir")
			[ "${before[$dir]:-0}" = "$n" ] || step "$(basename "$dir"): $n cases"
			before[$dir]=$n
		done
	done
}

# lane DEVICE: queues the tests for that device.
lane()
{
	local tests pids

	while mapfile -t pids < <(jobs -rp); [ ${#pids[@]} -gt "${JOBS:-2}" ]; do
		wait -n || true
	done
	mapfile -t tests < <(runs)
	KERNEL=$kernel DEV=$1 "$TOP/testbed/lane.sh" "$results" "$kernel" "$kernel $1" "${tests[@]}" &
	lanes+=($!)
}

sources=$(python3 "$here/conformance/sources.py")
"$TOP/testbed/prepare.sh" "$kernel"
mkdir -p "$results"
: > "$results/verdicts"
lanes=()
progress &
for dev in rxe siw; do
	lane "$dev"
done
wait "${lanes[@]}" || true

rc=0
python3 "$here/conformance/conformance.py" merge "$results" --sources "$sources" \
	--rst "$TOP/Documentation/conformance.rst" ${out:+--csv "$out/conformance.csv"} || rc=1
! grep '^FAILED' "$results/verdicts" || rc=1
step "written: Documentation/conformance.rst${out:+, $out/conformance.csv}; logs in $results"
exit "$rc"
