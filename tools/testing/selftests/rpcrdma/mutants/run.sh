#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [GLOB...]: builds the module with all mutants in it, and sees whether the
# tests notice those whose name or one of whose ids matches. By environment:
#
#   DRY=1        builds, tries what unit tests should notice, and prints the plan
#   JOBS=2       how many pairs of virtual machines at a time
#   MINUTES=58   when to end, counted from when it was started
#
# What came of each is printed as it comes, which survived at the end; logs are below
# build/mutants/<time>. The exit status is 1 if one survived.

. "$(dirname "$0")/../../../../../scripts/lib.sh"

here=$TOP/tools/testing/selftests/rpcrdma
results=$BUILD/mutants/$(date +%Y%m%d-%H%M%S)
until=$((STARTED + ${MINUTES:-58} * 60))
trap end_jobs EXIT
trap 'exit 130' INT TERM

# mutants COMMAND ARGUMENT...: the tool that knows them.
mutants()
{
	PYTHONDONTWRITEBYTECODE=1 python3 "$here/mutants/mutants.py" "$@"
}

# in_time COMMAND...: does what has to be built in front, for as long as there is time.
in_time()
{
	local rc=124 left=$((until - $(date +%s)))

	# in the background, so that this shell can be ended meanwhile; a limit of 0 is none
	if [ "$left" -gt 0 ]; then
		timeout "$left" "$@" &
		rc=0
		wait $! || rc=$?
	fi
	[ "$rc" != 124 ] || die "building took all of the time"
	return "$rc"
}

# build_unit: builds the unit tests around the sources with the mutants in them.
build_unit()
{
	in_time make -s -C "$here/unit" OUT="$BUILD/mutants-unit" XPRT="$BUILD/mutants-stock/net/sunrpc/xprtrdma/v2" \
		CC="gcc -DMUTANT_UNIT -include $here/mutants/rpcrdma_mutant.h" "$BUILD/mutants-unit/unit" > "$results/unit.log" ||
		die "the unit tests do not build: $results/unit.log"
}

# boot LANE NR: goes through what is left of a plan in one boot.
boot()
{
	local out=$results/$1-$2 left=$((until - $(date +%s)))

	[ "$left" -gt 120 ] || return 1
	mkdir -p "$out"
	cp "$results/$1.plan" "$out/plan"
	OUT=$out KERNEL=stock DEV=${1#*-} MODULE=mutants TIMEOUT=$left \
		"$TOP/testbed/pair.sh" tools/testing/selftests/rpcrdma/mutants/kill.sh /out/plan \
		2> "$out/pair.log" | mutants follow "$results/$1.plan" "$out/progress" || true
	mutants rest "$results/$1.plan" "$out/progress"
}

# lane LANE: goes through a plan, in as many boots as it takes.
lane()
{
	local n=1

	while boot "$1" "$n"; do
		n=$((n + 1))
	done
}

# lanes: goes through all plans, JOBS at a time, the longest first.
lanes()
{
	local name pids

	while read -r _ name; do
		while mapfile -t pids < <(jobs -rp); [ ${#pids[@]} -ge "${JOBS:-2}" ]; do
			wait -n || true
		done
		lane "$name" &
	done < <(cd "$results" && wc -l -- *.plan 2> /dev/null | awk '$2 != "total" { sub(".plan", "", $2); print }' | sort -rn)
	wait
}

[ -n "${DRY:-}" ] || in_time "$TOP/testbed/prepare.sh" stock
in_time "$TOP/scripts/build.sh" mutants
in_time make -s -C "$here/peer" OUT="$BUILD/peer"
mkdir -p "$results"
mutants plan "$results" "$BUILD/peer/peer" "$@"
build_unit
mutants unit "$results" "$BUILD/mutants-unit/unit" || true
if [ -n "${DRY:-}" ]; then
	exit 0
fi
lanes
step "logs in $results"
mutants judge "$results"
