#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh all|unit [GLOBS]: runs the tests, or those whose name matches one
# of the GLOBS (in one argument).
#
# "unit" are those that need no virtual machine and little time. Tests that
# want the same virtual machines share one boot of them. One line is printed
# for each test as it ends; logs are below build/results/<time>. The last line
# is the count, and the exit status 1 if anything failed. KERNELS= and DEVICES=
# narrow down what the tests ask for.

. "$(dirname "$0")/../scripts/lib.sh"

lane=${1:-all}
read -ra globs <<< "${2:-*}"
tests=$TOP/tools/testing/selftests/rpcrdma
results=$BUILD/results/$(date +%Y%m%d-%H%M%S)
passed=0 failed=0 skipped=0
pair=
trap '[ -z "$pair" ] || kill "$pair"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$results"
ln -sfn "$(basename "$results")" "$BUILD/results/latest"

# report NAME STATUS SECONDS LOG: prints and counts one result.
report()
{
	local verdict=ok why=

	if [ "$2" != 0 ] && [ "$2" != 4 ]; then
		verdict="FAILED"
	elif [ -f "$4" ] && grep -q '^not ok' "$4"; then
		verdict="FAILED"
	elif [ "$2" = 4 ]; then
		verdict=skipped
		why=$(sed -n 's/.*# SKIP */ - /p' "$4" | head -1)
	fi
	case $verdict in
	ok) passed=$((passed + 1)) ;;
	skipped) skipped=$((skipped + 1)) ;;
	*)
		failed=$((failed + 1))
		case $2 in
		97) why=' - left the machines in disorder' ;;
		98) why=' - a kernel complained' ;;
		124) why=' - time is up' ;;
		125) why=' - a virtual machine died' ;;
		esac
		;;
	esac
	printf '[%5s] %-7s %-40s %4ss%s\n' "$(elapsed)" "$verdict" "$1" "$3" "$why"
	if [ "$verdict" = FAILED ]; then
		(grep -B 12 '^not ok' "$4" || tail -40 "$4") 2> /dev/null | grep -v '^ok ' | tail -40 | sed 's/^/          | /'
		[ "$2" != 98 ] || sed -n '/^A kernel complained/,$p' "$4" | head -60 | sed 's/^/          | /'
		[ "$2" != 97 ] || grep '^Left in' "$4" | sed 's/^/          | /'
		printf '          | see %s\n' "$4"
	fi
}

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

# host NAME COMMAND...: runs a test here.
host()
{
	local name=$1 log=$results/$1.log s rc=0

	shift
	wanted "$name" || return 0
	s=$(date +%s)
	"$@" > "$log" 2>&1 < /dev/null || rc=$?
	report "$name" "$rc" $(($(date +%s) - s)) "$log"
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
		[ $# -lt 3 ] || [[ " $(head_of "$f" except) " != *" $2-$3 "* ]] || continue
		t=$(head_of "$f" timeout)
		[ "$2" = stock ] || t=$((t * 6))
		echo "$name:$t"
	done
}

# seconds NAME:SECONDS...: all that the tests may take together.
seconds()
{
	local t sum=300

	for t in "$@"; do
		sum=$((sum + ${t#*:}))
	done
	echo $sum
}

# boot LABEL DIR NAME:SECONDS...: runs tests in one boot; those that have not
# ended in the end are left in the array todo.
boot()
{
	local label=$1 dir=$2 verb name rc secs started='' s clean=0

	shift 2
	todo=("$@")
	s=$(date +%s)
	mkdir -p "$dir"
	: > "$dir/progress"
	OUT=$dir TIMEOUT=$(seconds "$@") "$TOP/testbed/pair.sh" testbed/run-tests "$@" > "$dir/progress" 2> "$dir/pair.log" &
	pair=$!
	while read -r verb name rc secs; do
		case $verb in
		start) started=$name ;;
		end)
			report "$name [$label]" "$rc" "$secs" "$dir/$name.log"
			todo=("${todo[@]:1}")
			started=
			;;
		esac
	done < <(tail -n +1 -s 0.3 -f --pid="$pair" "$dir/progress")
	wait "$pair" || clean=$?
	pair=
	if [ -n "$started" ]; then
		cat "$dir/pair.log" >> "$dir/$started.log"
		report "$started [$label]" 125 $(($(date +%s) - s)) "$dir/$started.log"
		todo=("${todo[@]:1}")
	elif [ ${#todo[@]} = $# ] && [ $# -gt 0 ]; then
		# nothing ran at all: another boot would not do better
		cat "$dir/pair.log" >&2
		report "boot [$label]" 1 $(($(date +%s) - s)) "$dir/pair.log"
		todo=()
	elif [ "$clean" = 0 ]; then
		report "kernel logs at the end [$label]" 0 0 "$dir/pair.log"
	elif [ "$clean" != 99 ]; then
		report "kernel logs at the end [$label]" 98 0 "$dir/pair.log"
	fi
}

# machines LABEL NAME:SECONDS...: runs tests in as many boots as it takes.
machines()
{
	local label=$1 n=1

	shift
	todo=("$@")
	while [ ${#todo[@]} -gt 0 ]; do
		step "$label: ${#todo[@]} tests, boot $n"
		boot "$label" "$results/${label// /-}-$n" "${todo[@]}"
		n=$((n + 1))
	done
}

# pairs KERNEL: the tests that want two virtual machines with that kernel.
pairs()
{
	local dev list

	[[ " ${KERNELS:-stock debug} " == *" $1 "* ]] || return 0
	for dev in ${DEVICES:-rxe siw}; do
		mapfile -t list < <(chosen pair "$1" "$dev")
		[ ${#list[@]} = 0 ] || KERNEL=$1 DEV=$dev machines "$1 $dev" "${list[@]}"
	done
}

# alone KERNEL: the tests that want one virtual machine.
alone()
{
	local list

	[[ " ${KERNELS:-stock debug} " == *" $1 "* ]] || return 0
	mapfile -t list < <(chosen vm "$1")
	[ ${#list[@]} = 0 ] || ALONE=1 KERNEL=$1 machines "$1 alone" "${list[@]}"
}

host unit make -s -C "$tests/unit" run
if [ "$lane" = all ]; then
	host fuzz make -s -C "$tests/fuzz" run SECONDS_="${FUZZ_SECONDS:-30}"
	for f in "$tests"/*.sh; do
		[ "$(head_of "$f" bed)" != host ] || host "$(basename "$f" .sh)" bash "$f"
	done
	pairs stock
	alone stock
	pairs debug
	alone debug
	host style "$TOP/scripts/style.sh"
	host series "$TOP/scripts/series.sh"
fi
[ $((passed + failed + skipped)) -gt 0 ] ||
	die "no test is called '${2:-}'; there are unit, fuzz, style, series, and those in $tests"
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
