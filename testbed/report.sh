# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# How one result of a test is told and kept. Sourced by check.sh and lane.sh,
# behind scripts/lib.sh; $results is the folder of this run. The file verdicts
# in it has a line for each result, from whatever process, and failures some for
# each test that failed.

: "${results:?}"

# verdict STATUS LOG: prints what that amounts to: ok, skipped or FAILED.
verdict()
{
	if [ -f "$2" ] && grep -q '^not ok' "$2"; then
		echo FAILED
		return
	fi
	case $1 in
	0) echo ok ;;
	4) echo skipped ;;
	*) echo FAILED ;;
	esac
}

# reason STATUS LOG: prints what there is to say of a status in a few words.
reason()
{
	case $1 in
	4) sed -n 's/.*# SKIP */ - /p' "$2" | head -1 ;;
	97) echo ' - left the machines in disorder' ;;
	98) echo ' - a kernel complained' ;;
	124) echo ' - time is up' ;;
	125) echo ' - a virtual machine died' ;;
	esac
}

# gist NAME STATUS LOG: prints a failure in some lines, for the end of the run.
gist()
{
	printf 'FAILED %s%s\n' "$1" "$(reason "$2" "$3")"
	{ grep -B 3 '^not ok' "$3" || tail -3 "$3"; } 2> /dev/null | grep -v '^ok ' | tail -8 | cut -c -150 | sed 's/^/    /'
}

# evidence STATUS LOG: prints what a person wants to see of a failed test.
evidence()
{
	(grep -B 12 '^not ok' "$2" || tail -40 "$2") 2> /dev/null | grep -v '^ok ' | tail -40
	[ "$1" != 98 ] || sed -n '/^A kernel complained/,$p' "$2" | head -60
	[ "$1" != 97 ] || grep '^Left in' "$2"
	[ "$1" != 124 ] || sed -n '/^# time is up/,$p' "$2" | grep -v '^# [a-z]*: .*\(sysrq\|audit\)' | head -80
	echo "see $2"
}

# report NAME STATUS SECONDS LOG: prints and keeps one result.
report()
{
	local v

	v=$(verdict "$2" "$4")
	printf '%s %s\n' "$v" "$1" >> "$results/verdicts"
	[ "$v" != FAILED ] || gist "$1" "$2" "$4" >> "$results/failures"
	# one write, so that what runs at the same time does not get in between
	printf '%s\n' "$(
		printf '[%5s] %-7s %-40s %4ss%s\n' "$(elapsed)" "$v" "$1" "$3" "$(reason "$2" "$4")"
		[ "$v" != FAILED ] || evidence "$2" "$4" | sed 's/^/          | /'
	)"
}
