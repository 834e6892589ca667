#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh all|unit [GLOBS]: runs the tests, or those whose name matches one
# of the GLOBS (in one argument).
#
# "unit" are those that need no virtual machine and little time. Tests that
# want the same virtual machines share one boot of them, a lane; JOBS=2 of
# them run at a time, the longest first. One line is printed for each test as
# it ends; logs are below build/results/<time>. At the end what failed is said
# once more in short, then the count, and the exit status is 1 if anything did.
# KERNELS= and DEVICES= narrow down what the tests ask for; with KERNELS= or
# EVERY_CASE=yes what they leave out for lack of time (except:) runs, too.

. "$(dirname "$0")/../scripts/lib.sh"

what=${1:-all}
read -ra globs <<< "${2:-*}"
tests=$TOP/tools/testing/selftests/rpcrdma
results=$BUILD/results/$(date +%Y%m%d-%H%M%S)
. "$TOP/testbed/report.sh"
trap 'mapfile -t pids < <(jobs -p); [ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2> /dev/null; wait' EXIT
trap 'exit 130' INT TERM
mkdir -p "$results"
: > "$results/verdicts"
: > "$results/expected"
: > "$results/failures"
ln -sfn "$(basename "$results")" "$BUILD/results/latest"

# wanted NAME: the test was asked for.
wanted()
{
	local g

	for g in "${globs[@]}"; do
		# shellcheck disable=SC2053 # a glob
		[[ $1 != $g ]] || return 0
	done
	return 1
}

# queue COMMAND...: runs it in the background once fewer than JOBS others run.
queue()
{
	local pids

	while mapfile -t pids < <(jobs -rp); [ ${#pids[@]} -ge "${JOBS:-2}" ]; do
		wait -n || true
	done
	"$@" &
}

# host NAME COMMAND...: runs a test here.
host()
{
	local name=$1 log=$results/$1.log s rc=0

	shift
	s=$(date +%s)
	"$@" > "$log" 2>&1 < /dev/null || rc=$?
	report "$name" "$rc" $(($(date +%s) - s)) "$log"
}

# here NAME COMMAND...: queues a test that runs here, if it was asked for.
here()
{
	wanted "$1" || return 0
	echo "$1" >> "$results/expected"
	queue host "$@"
}

# head_of FILE KEY: prints what the header of a test says.
head_of()
{
	sed -n "s/^# $2: //p" "$1" | head -1
}

# chosen BED KERNEL [DEVICE]: prints NAME:SECONDS of the tests that want that.
chosen()
{
	local f name t

	for f in "$tests"/*.sh; do
		name=$(basename "$f" .sh)
		[ "$name" != TEMPLATE ] || continue
		[ "$(head_of "$f" bed)" = "$1" ] || continue
		wanted "$name" || continue
		[[ " $(head_of "$f" kernels) " == *" $2 "* ]] || continue
		[ $# -lt 3 ] || [[ " $(head_of "$f" devices) " == *" $3 "* ]] || continue
		[ $# -lt 3 ] || [ -n "${KERNELS:-}${EVERY_CASE:-}" ] || [[ " $(head_of "$f" except) " != *" $2-$3 "* ]] || continue
		t=$(head_of "$f" timeout)
		[ "$2" = stock ] || t=$((t * 3))
		echo "$name:$t"
	done
}

# lane LABEL NAME:SECONDS...: queues tests for the same virtual machines.
lane()
{
	local t

	for t in "${@:2}"; do
		echo "${t%:*} [$1]" >> "$results/expected"
	done
	queue "$TOP/testbed/lane.sh" "$results" "$@"
}

# missing: reports each test that should have come to a result and has not.
missing()
{
	local t

	while read -r t; do
		report "$t" 1 0 /dev/null
	done < <(sort "$results/expected" | comm -23 - <(cut -d' ' -f2- "$results/verdicts" | sort))
}

# pairs KERNEL DEVICE: the tests that want two virtual machines with these.
pairs()
{
	local list

	[[ " ${KERNELS:-stock debug} " == *" $1 "* && " ${DEVICES:-rxe siw} " == *" $2 "* ]] || return 0
	mapfile -t list < <(chosen pair "$1" "$2")
	[ ${#list[@]} = 0 ] || KERNEL=$1 DEV=$2 lane "$1 $2" "${list[@]}"
}

# alone KERNEL: the tests that want one virtual machine.
alone()
{
	local list

	[[ " ${KERNELS:-stock debug} " == *" $1 "* ]] || return 0
	mapfile -t list < <(chosen vm "$1")
	[ ${#list[@]} = 0 ] || ALONE=1 KERNEL=$1 lane "$1 alone" "${list[@]}"
}

here unit make -s -C "$tests/unit" run
here cost make -s -C "$tests/unit" cost
here dissector make -s -C "$tests/dissector" run
here accounting make -s -C "$tests/conformance" run
here testbed make -s -C "$TOP/testbed"
here figures make -s -C "$tests/bench" run
if [ "$what" = all ]; then
	for dev in rxe siw; do
		pairs stock "$dev"
		pairs debug "$dev"
	done
	alone debug
	alone stock
	for f in "$tests"/*.sh; do
		[ "$(head_of "$f" bed)" != host ] || here "$(basename "$f" .sh)" bash "$f"
	done
	here series "$TOP/scripts/series.sh"
	here style "$TOP/scripts/style.sh"
	here fuzz make -s -C "$tests/fuzz" run SECONDS_="${FUZZ_SECONDS:-30}"
fi
wait
missing
[ -s "$results/verdicts" ] ||
	die "no test is called '${2:-}'; there are unit, cost, dissector, accounting, testbed, figures, fuzz, style, series, and those in $tests"
cat "$results/failures"
awk '{ n[$1]++ } END { printf "%d passed, %d failed, %d skipped\n", n["ok"], n["FAILED"], n["skipped"] }' "$results/verdicts"
! grep -q '^FAILED' "$results/verdicts"
