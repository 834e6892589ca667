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
export EVERY_CASE=every
trap end_jobs EXIT
trap 'exit 130' INT TERM

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

# lane NR BED KERNEL DEVICE PROCESSORS SECONDS NAME:TIMEOUT...: queues one line of the plan.
lane()
{
	local pids

	while mapfile -t pids < <(jobs -rp); [ ${#pids[@]} -gt "${JOBS:-2}" ]; do
		wait -n || true
	done
	KERNEL=$3 DEV=$4 SMP=$5 "$TOP/testbed/lane.sh" "$results" "$1" "$3 $4" "${@:7}" &
	lanes+=($!)
}

sources=$(python3 "$here/conformance/sources.py")
"$TOP/testbed/prepare.sh" "$kernel"
mkdir -p "$results"
: > "$results/verdicts"
KERNELS=$kernel DEVICES="rxe siw" SMP=1 "$TOP/testbed/plan.py" show all 'conformance-*' > "$results/plan"
# what only tests use is in a build of its own for a kernel that people run
! cut -f3 "$results/plan" | grep -q '[+]test$' || KERNEL=$kernel "$TOP/scripts/build.sh" test
lanes=()
progress &
while IFS=$'\t' read -ra fields; do
	lane $((${#lanes[@]} + 1)) "${fields[@]}"
done < "$results/plan"
wait "${lanes[@]}" || true

rc=0
python3 "$here/conformance/conformance.py" merge "$results" --sources "$sources" \
	--rst "$TOP/Documentation/conformance.rst" ${out:+--csv "$out/conformance.csv"} || rc=1
! grep '^FAILED' "$results/verdicts" || rc=1
step "written: Documentation/conformance.rst${out:+, $out/conformance.csv}; logs in $results"
exit "$rc"
