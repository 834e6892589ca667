#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fuzz.sh run OUT SECONDS TARGET...: fuzzes for so many seconds altogether, or for a
# minute each in turn until stopped, if SECONDS is 0. An input that breaks something stays
# in OUT/crash, and the other targets have their turn all the same.
#
# fuzz.sh minimise OUT TARGET...: chooses as few inputs as reach all that is reached by
# what is kept and what was found; they are in OUT/minimal then.

set -eu

what=$1 out=$2
shift 2
trap 'exit 130' INT TERM

# inputs TARGET: prints the folders that have inputs for it.
inputs()
{
	local d

	for d in "$out/corpus/$1" "$out/kept/$1" "$out/seeds/$1"; do
		[ ! -d "$d" ] || echo "$d"
	done
}

# fuzz TARGET SECONDS: fuzzes one target. Prints how it went, and what broke.
fuzz()
{
	local t=$1 log=$out/$1.log dirs

	mkdir -p "$out/corpus/$t" "$out/crash"
	mapfile -t dirs < <(inputs "$t")
	if "$out/$t" -max_total_time="$2" -max_len=1024 -timeout=120 -print_final_stats=1 \
		-artifact_prefix="$out/crash/$t-" "${dirs[@]}" > "$log" 2>&1; then
		printf '%-9s %s, %s\n' "$t" "$(grep -m 1 '^Done' "$log")" "$(grep -o 'cov: [0-9]*' "$log" | tail -1)"
		return
	fi
	grep -v -E '^#[0-9]' "$log" | tail -60
	printf '%s: broken. To see it step by step:\n' "$t"
	printf '  TRACE=1 %s %s\n' "$out/$t" "$(sed -n 's/.*Test unit written to //p' "$log")"
	return 1
}

# run SECONDS TARGET...: gives each target its turn.
run()
{
	local seconds=$1 rc=0 t
	shift

	while :; do
		for t in "$@"; do
			fuzz "$t" $((seconds ? (seconds + $# - 1) / $# : 60)) || rc=1
		done
		[ "$seconds" = 0 ] && [ "$rc" = 0 ] || return "$rc"
	done
}

# minimise TARGET...: chooses inputs.
minimise()
{
	local t dirs

	rm -rf "$out/minimal"
	for t in "$@"; do
		mkdir -p "$out/minimal/$t"
		mapfile -t dirs < <(inputs "$t")
		"$out/$t" -set_cover_merge=1 -use_counters=0 -max_len=1024 "$out/minimal/$t" "${dirs[@]}" \
			> "$out/$t.log" 2>&1 || { cat "$out/$t.log"; return 1; }
	done
}

"$what" "$@"
