#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh: measures TCP, version 1 and version 2 beside each other, on one virtual
# machine with soft-iWARP and on two with soft-RoCE, and writes the table and the
# picture. Operations a second are measured on one machine always, where time is
# counted in instructions: in real time they say more of the host than of anything
# else. What our module maps for DMA a build of it says that keeps a ledger. Round trips are
# measured once more where soft-RoCE's window is larger than 1 MiB. By environment:
#
#   QUICK=1         fewer sizes and one round
#   BENCH_OUT=DIR   the folder for results.csv, results.svg and results.rst
#   BEDS="siw rxe rxe-window"  where to measure
#
# Documentation/bench.rst and bench.svg are written, too. Logs are below
# build/results/bench-<time>, in siw, rxe, rxe-alone, rxe-window, siw-ledger and rxe-ledger. The exit
# status is 1 if a bed or a transport failed, or if something is missed that is asked of
# version 2, after everything is written.

. "$(dirname "$0")/../../../../../scripts/lib.sh"

here=tools/testing/selftests/rpcrdma/bench
results=$BUILD/results/bench-$(date +%Y%m%d-%H%M%S)
out=${BENCH_OUT:-$BUILD/bench}
form=full
[ -z "${QUICK:-}" ] || form=quick
running=()
trap '[ ${#running[@]} = 0 ] || { kill "${running[@]}"; wait; } 2> /dev/null' EXIT
trap 'exit 130' INT TERM

# bed NAME DEVICE PARTS: measures on one bed and says how far it has got. ALONE=, ICOUNT=
# and MODULE= are pair.sh's.
bed()
(
	dir=$results/$1
	rc=0
	pair=
	trap '[ -z "$pair" ] || kill "$pair" 2> /dev/null' EXIT
	trap 'exit 130' INT TERM
	step "$1: booting"
	mkdir -p "$dir"
	: > "$dir/progress"
	OUT=$dir KERNEL=stock DEV=$2 TIMEOUT=7200 "$TOP/testbed/pair.sh" "$here/bed.sh" "$form" "$3" \
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
	exit $rc
)

# beds NAME DEVICE PARTS...: measures on one bed after the other.
beds()
(
	rc=0
	bed=
	trap '[ -z "$bed" ] || { kill "$bed"; wait; } 2> /dev/null' EXIT
	trap 'exit 130' INT TERM
	while [ $# -gt 0 ]; do
		MODULE=plain
		[ "$3" != maps ] || MODULE=ledger
		export MODULE
		bed "$1" "$2" "$3" &
		bed=$!
		wait "$bed" || rc=1
		bed=
		shift 3
	done
	exit $rc
)

# begin NAME DEVICE PARTS...: has them measure in the background.
begin()
{
	beds "$@" &
	running+=($!)
}

# finish: waits for all of them.
finish()
{
	local p

	for p in "${running[@]}"; do
		wait "$p" || failed=1
	done
	running=()
}

"$TOP/testbed/prepare.sh" stock
KERNEL=stock "$TOP/scripts/build.sh" ledger
ACCEL=$("$TOP/testbed/accel.sh")
SOURCES=$(python3 "$TOP/tools/testing/selftests/rpcrdma/conformance/sources.py")
export ACCEL SOURCES
failed=0
where=" ${BEDS:-siw rxe rxe-window} "
# Machines that count instructions take none from each other; where time is real
# nothing else runs.
export ALONE=1 ICOUNT=yes
small=()
[[ $where != *" rxe "* ]] || small+=(rxe-alone rxe iops rxe-ledger rxe maps)
if [[ $where = *" siw "* ]]; then
	begin siw siw all
	small+=(siw-ledger siw maps)
fi
begin "${small[@]}"
finish
export ALONE='' ICOUNT=''
real=()
[[ $where != *" rxe "* ]] || real+=(rxe rxe costs)
[[ $where != *" rxe-window "* ]] || real+=(rxe-window rxe window)
begin "${real[@]}"
finish
mkdir -p "$out"
python3 "$TOP/$here/bench.py" "$results" --out "$out" \
	--rst "$TOP/Documentation/bench.rst" --svg "$TOP/Documentation/bench.svg" || failed=1
step "written: $out/results.{csv,svg,rst}, Documentation/bench.{rst,svg}; logs in $results"
exit $failed
