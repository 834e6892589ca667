# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# How one result of a test is told and kept. Sourced by check.sh and lane.sh,
# behind scripts/lib.sh; $results is the folder of this run. The file verdicts
# in it has a line for each result, from whatever process, and failures some for
# each test that failed.

: "${results:?}"

# gist NAME LOG WHY: prints a failure in some lines, for the end of the run.
gist()
{
	printf 'FAILED %s%s\n' "$1" "${3:+ - $3}"
	{ grep -B 3 '^not ok' "$2" || tail -3 "$2"; } 2> /dev/null | sed -e '/^ok /d' -e 's/^/    /' | tail -8 | cut -c -150 || true
}

# evidence STATUS LOG: prints what a person wants to see of a failed test.
evidence()
{
	(grep -B 12 '^not ok' "$2" || tail -40 "$2") 2> /dev/null | sed '/^ok /d' | tail -40
	[ "$1" != 98 ] || sed -n '/^A kernel complained/,$p' "$2" | head -60
	[ "$1" != 97 ] || sed -n '/^Left in disorder/,$p' "$2"
	[ "$1" != 124 ] || sed -n '/^# time is up/,$p' "$2" | grep -v '^# [a-z]*: .*\(sysrq\|audit\)' | head -80
	echo "see $2"
}

# report NAME STATUS SECONDS LOG: prints and keeps one result.
report()
{
	local v why

	IFS=$'\t' read -r v why < <(python3 "$TOP/testbed/verdict.py" "$2" "$4" "$1") || v=FAILED why='no verdict'
	printf '%s %s\n' "$v" "$1" >> "$results/verdicts"
	printf '%s\t%s\n' "$3" "$1" >> "$results/seconds"
	[ "$v" != FAILED ] || gist "$1" "$4" "$why" >> "$results/failures"
	# one write, so that what runs at the same time does not get in between
	printf '%s\n' "$(
		printf '[%5s] %-7s %-40s %4ss%s\n' "$(elapsed)" "$v" "$1" "$3" "${why:+ - $why}"
		[ "$v" != FAILED ] || evidence "$2" "$4" | sed 's/^/          | /'
	)"
}
