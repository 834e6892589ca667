#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh check|all|unit [GLOBS]: builds what is needed and runs the tests, or
# those whose name matches one of the GLOBS (in one argument).
#
# "check" is what there is time for after each change, "all" is everything, and
# "unit" what needs no virtual machine and little time. plan.py says what runs where,
# and in which order: JOBS=2 lanes run at a time, but those with several processors
# alone, since a processor that waits for the host looks like a stall. What needs no
# virtual machine takes the time that these leave (SCHED_IDLE). One line is
# printed for each test as it ends; logs are below build/results/<time>. At the
# end it says where the time went, what failed in short, and the count; the exit
# status is 1 if anything did.
#
# KERNELS=, DEVICES= and SMP= (numbers of processors) narrow down what the tests ask
# for; with KERNELS= "check" runs what it leaves out for lack of time (except:), too.
# K=, a kernel of scripts/kernels, is KERNELS= with that name.
# SLICE=1/10 runs a part; all parts together are everything. LEFT=1 leaves out what has
# passed in runs of that kind, with the same sources of the module, so that what failed or
# was cut can be made up for. EAGER=1 has connections of a server keep all Receives (pair.sh).
# MINUTES=75 begins no test in a virtual machine later than that, counted from the first script
# of the run (STARTED). The run fails if that leaves out more than half of all.

asked=${K:-}
unset K
. "$(dirname "$0")/../scripts/lib.sh"
known_kernel "$asked"
! other_kernel "$asked" || export KERNELS="$asked"

scope=${1:-check}
read -ra globs <<< "${2:-*}"
tests=$TOP/tools/testing/selftests/rpcrdma
results=$BUILD/results/$(date +%Y%m%d-%H%M%S)
. "$TOP/testbed/report.sh"
trap end_jobs EXIT
trap 'exit 130' INT TERM
mkdir -p "$BUILD/results"
# fails if another run began in the same second
mkdir "$results"
: > "$results/verdicts"
: > "$results/expected"
: > "$results/failures"
: > "$results/seconds"
: > "$results/boots"
: > "$results/late"
echo "$scope" > "$results/scope"
sources > "$results/sources"
ln -sfn "$(basename "$results")" "$BUILD/results/latest"
export EVERY_CASE=
UNTIL=${MINUTES:+$((STARTED + 60 * MINUTES))}
export UNTIL
[ "$scope" != all ] || EVERY_CASE=yes

# running LESS: waits until less than so many lanes run, not counting ${aside[*]}.
running()
{
	local pids

	while mapfile -t pids < <(jobs -rp | grep -vxF -f <(printf '%s\n' "${aside[@]:-none}")); [ ${#pids[@]} -ge "$1" ]; do
		wait -n || true
	done
}

# here NAME [SECONDS]: runs a test here, and with this shell all of it ends; only those
# that are scripts have a limit.
here()
{
	local name=$1 log=$results/$1.log s rc=0 command

	case $name in
	unit | dissector | mutants | sim) command=(make -s -C "$tests/$name" run) ;;
	cost) command=(make -s -C "$tests/unit" cost) ;;
	accounting) command=(make -s -C "$tests/conformance" run) ;;
	figures) command=(make -s -C "$tests/bench" run) ;;
	xdr) command=("$tests/xdr/run.sh") ;;
	stat) command=(make -s -C "$TOP/tools/net/sunrpc/rpcrdma2stat" run) ;;
	manual) command=(env -C "$TOP/scripts" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m unittest -q test_manual) ;;
	testbed) command=(make -s -C "$TOP/testbed") ;;
	fuzz) command=(make -s -C "$tests/fuzz" check SECONDS_="${FUZZ_SECONDS:-32}") ;;
	export) command=(bash -eu -c "$tried_export" export "$TOP" "$results/$1" stock "${EVERY_CASE:+check}") ;;
	export-*) command=(env K="${1#*-}" bash -eu -c "$tried_export" export "$TOP" "$results/$1" "${1#*-}" "${EVERY_CASE:+check}") ;;
	series) command=("$TOP/scripts/series.sh" "${EVERY_CASE:-ends}") ;;
	style) command=("$TOP/scripts/style.sh") ;;
	# its ends wait for each other by the clock
	peer-peer) command=(chrt --other 0 nice -n 10 timeout "$2" bash "$tests/$name.sh") ;;
	*) command=(timeout "$2" bash "$tests/$name.sh") ;;
	esac
	s=$(date +%s)
	setsid "${command[@]}" > "$log" 2>&1 < /dev/null &
	trap 'kill -- -$! 2> /dev/null || true' EXIT
	wait $! || rc=$?
	trap - EXIT
	report "$name" "$rc" $(($(date +%s) - s)) "$log"
}

# What "export" runs, which is of the kernel that is installed here, and export-7.3. If each
# patch is built it is mounted with, too, where both ends wait for each other by the clock.
# shellcheck disable=SC2016
tried_export='
	export SOB="Nobody <nobody@localhost.localdomain>"
	trap "rm -rf $2-out" EXIT
	"$1/scripts/export.sh" "$2-out" $4
	[ -n "$4" ] || exit 0
	export KERNEL=$3 DEV=rxe TIMEOUT=14400 OUT=$2-pair
	chrt --other 0 nice -n 10 env -u K "$1/testbed/pair.sh" testbed/each-patch'

# all_here NAME:TIMEOUT...: runs those here.
all_here()
{
	local t aside=()

	trap end_jobs EXIT
	[ "$scope" = unit ] || chrt --idle --pid 0 "$BASHPID"
	for t in "$@"; do
		running "${JOBS:-2}"
		here "${t%:*}" "${t#*:}" &
	done
	wait
}

# beside NAME:TIMEOUT...: does so while lanes run, if there are any.
beside()
{
	[ $# != 0 ] || return 0
	all_here "$@" &
	aside+=($!)
}

# lane NR BED KERNEL DEVICE PROCESSORS SECONDS NAME:TIMEOUT...: queues one line of the
# plan that takes virtual machines.
lane()
{
	local nr=$1 label="$3 ${4/#-/alone}" alone='' only='' t

	case $2 in
	vm) alone=yes ;;
	server | client) only=$2 ;;
	esac
	[ "$5" = 1 ] || label+=" x$5"
	for t in "${@:7}"; do
		echo "${t%:*} [$label]" >> "$results/expected"
	done
	running "$([ "$5" = 1 ] && echo "${JOBS:-2}" || echo 1)"
	ALONE=$alone ONLY=$only KERNEL=$3 DEV=${4#-} SMP=$5 "$TOP/testbed/lane.sh" "$results" "$nr" "$label" "${@:7}" &
	[ "$5" = 1 ] || running 1
}

# earlier: prints the folders of runs like this one, of the same sources, and what was kept
# of such runs, on whatever machine (scripts/seen.py).
earlier()
{
	local dir

	for dir in "$TOP/testbed/passed" "$BUILD"/results/2*; do
		if cmp -s "$dir/scope" "$results/scope" && cmp -s "$dir/sources" "$results/sources"; then
			echo "$dir"
		fi
	done
}

# missing: reports each test that should have come to a result and has not, but for those
# that there was no time for.
missing()
{
	local t

	while read -r t; do
		report "$t" 1 0 /dev/null
	done < <(sort "$results/expected" | comm -23 - <({ cut -d' ' -f2- "$results/verdicts"; cat "$results/late"; } | sort))
}

# minutes SECONDS: prints m:ss.
minutes()
{
	printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

# account: says where the time went.
account()
{
	awk -F '\t' '{ t += $1 } END { printf "%d boots took %d s, ", NR, t }' "$results/boots"
	awk -F '\t' '{ t += $1 } END { printf "%d tests %d s. The slowest:\n", NR, t }' "$results/seconds"
	sort -rn "$results/seconds" | head -10 | awk -F '\t' '{ printf "%7d s  %s\n", $1, $2 }'
	echo "It took $(minutes $(($(date +%s) - began))) to test, and $(minutes "$built") to build."
}

began=$(date +%s)
PASSED=$([ -z "${LEFT:-}" ] || earlier)
export PASSED
"$TOP/testbed/plan.py" show "$scope" "${globs[@]}" > "$results/plan"
[ -s "$results/plan" ] || [ -z "$PASSED" ] || { step "nothing is left: all have passed"; exit 0; }
[ -s "$results/plan" ] || die "no test is called '${2:-}': plan.py show $scope lists them"
# where only one end runs the kernel of the lane
# shellcheck disable=SC2016
debians='$1 == "server" || $1 == "client" { print "stock" }'
if [ "$scope" != unit ]; then
	# shellcheck disable=SC2046 # one word a kernel
	"$TOP/testbed/prepare.sh" $(awk -v all="$EVERY_CASE" "$debians"' $2 != "-" { print $2 }
		all && $6 ~ /^export/ { split($6, name, "[-:]"); print name[2] + 0 ? name[2] : "stock" }' "$results/plan" | sort -u)
	! grep -q "^host.*\bcross:" "$results/plan" || "$TOP/scripts/deps.sh" cross
	options=$(awk "$debians"' $3 ~ /[+]test$/ { print $2 }' "$results/plan" | sort -u)
	[ -z "$options" ] || KERNEL=$options "$TOP/scripts/build.sh" test
	ledgers=$(awk '$3 ~ /[+](ledger|copy)$/ { print $2 }' "$results/plan" | sort -u)
	[ -z "$ledgers" ] || KERNEL=$ledgers "$TOP/scripts/build.sh" ledger
	! grep -q '[[:space:]]kselftest:' "$results/plan" || "$TOP/scripts/kselftest.sh"
	! grep -q interop-ganesha: "$results/plan" || "$TOP/testbed/ganesha.sh"
fi
built=$(($(date +%s) - began))
began=$(date +%s)
# Where exports mount with each patch they have machines of their own: not beside lanes that
# have to run alone.
later=${EVERY_CASE:+^export} aside=()
mapfile -t tests_here < <(awk -v later="${later:-^$}" '$1 == "host" && $6 !~ later { print $6 }' "$results/plan")
mapfile -t exports < <(awk -v later="${later:-^$}" '$1 == "host" && $6 ~ later { print $6 }' "$results/plan")
for t in "${tests_here[@]}" "${exports[@]}"; do
	echo "${t%:*}" >> "$results/expected"
done
beside "${tests_here[@]}"
nr=0
while IFS=$'\t' read -ra fields; do
	if [ "${fields[3]}" = 1 ]; then
		beside "${exports[@]}"
		exports=()
	fi
	nr=$((nr + 1))
	lane "$nr" "${fields[@]}"
done < <(grep -v '^host' "$results/plan")
beside "${exports[@]}"
wait
missing
account
cat "$results/failures"
if [ -s "$results/late" ]; then
	echo "There was no time (MINUTES=$MINUTES) for these $(wc -l < "$results/late"):"
	sed 's/^/  /' "$results/late"
fi
awk '{ n[$1]++ } END { printf "%d passed, %d failed, %d skipped\n", n["ok"], n["FAILED"], n["skipped"] }' "$results/verdicts"
! grep -q '^FAILED' "$results/verdicts" && [ $((2 * $(wc -l < "$results/late"))) -le "$(wc -l < "$results/expected")" ]
