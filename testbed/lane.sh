#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lane.sh RESULTS NR LABEL NAME:SECONDS...: runs tests one after the other in
# virtual machines (KERNEL=, DEV=, SMP=, ALONE= say which; see pair.sh), in one boot
# or, where a test leaves them unusable, in as many as it takes. Results are
# reported as they come; logs go below RESULTS. NR tells lanes with the same LABEL
# apart. After UNTIL=, seconds since 1970, no test begins: they are added to RESULTS/late.

. "$(dirname "$0")/../scripts/lib.sh"

results=$1 nr=$2 label=$3
shift 3
. "$TOP/testbed/report.sh"
todo=("$@")
pair=
trap '[ -z "$pair" ] || kill "$pair"' EXIT
trap 'exit 130' INT TERM

# seconds NAME:SECONDS...: all that the tests may take together.
seconds()
{
	local t sum=300

	for t in "$@"; do
		sum=$((sum + ${t#*:}))
	done
	echo $sum
}

# late NAME...: notes that there is no time for these.
late()
{
	printf "%s [$label]\n" "$@" >> "$results/late"
}

# follow DIR: reports each test of the boot as it ends, and takes it off the
# array todo; the one that has not ended is left in $started.
follow()
{
	local verb name rc secs

	tested=0
	started=
	while read -r verb name rc secs; do
		case $verb in
		start) started=$name ;;
		end)
			report "$name [$label]" "$rc" "$secs" "$1/$name.log"
			todo=("${todo[@]:1}")
			tested=$((tested + secs))
			started=
			;;
		late)
			late "$name"
			todo=("${todo[@]:1}")
			;;
		esac
	done < <(tail -n +1 -s 0.3 -f --pid="$pair" "$1/progress")
}

# boot DIR: runs what is in todo in one boot; what has not ended stays there.
boot()
{
	local dir=$1 s clean=0 all=${#todo[@]} started tested

	s=$(date +%s)
	mkdir -p "$dir"
	: > "$dir/progress"
	[ -z "${UNTIL:-}" ] || echo "$UNTIL" > "$dir/until"
	OUT=$dir TIMEOUT=$(seconds "${todo[@]}") "$TOP/testbed/pair.sh" testbed/run-tests "${todo[@]}" \
		> "$dir/progress" 2> "$dir/pair.log" &
	pair=$!
	follow "$dir"
	wait "$pair" || clean=$?
	pair=
	printf '%s\t%s\n' $(($(date +%s) - s - tested)) "$label" >> "$results/boots"
	if [ -n "$started" ]; then
		cat "$dir/pair.log" >> "$dir/$started.log"
		report "$started [$label]" 125 $(($(date +%s) - s)) "$dir/$started.log"
		todo=("${todo[@]:1}")
	elif [ ${#todo[@]} = "$all" ]; then
		# nothing ran at all: another boot would not do better
		report "boot [$label]" 1 $(($(date +%s) - s)) "$dir/pair.log"
		todo=()
	elif [ -s "$dir/splats" ]; then
		report "kernel logs at the end [$label]" 98 0 "$dir/splats"
	elif [ "$clean" = 0 ] || [ "$clean" = 99 ]; then
		report "kernel logs at the end [$label]" 0 0 "$dir/pair.log"
	else
		report "boot [$label]" 1 0 "$dir/pair.log"
	fi
}

for ((n = 1; ${#todo[@]} > 0; n++)); do
	if [ -n "${UNTIL:-}" ] && [ "$(date +%s)" -ge "$UNTIL" ]; then
		late "${todo[@]%:*}"
		break
	fi
	step "$label: ${#todo[@]} tests, boot $n"
	boot "$results/$nr-${label// /-}-$n"
done
