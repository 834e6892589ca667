#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# series.sh: does every prefix of the series build?
#
# Applies one patch more in each round and builds the module against KDIR, so
# that a bisection of the series never lands on a tree that does not compile.
# KTAP: one line a patch.

. "$(dirname "$0")/lib.sh"

kdir=${KDIR:-$(find /usr/src -maxdepth 1 -name 'linux-headers-6.12*-amd64' | sort -V | tail -1)}
tree=$BUILD/series
log=$BUILD/series.log
failed=0
mkdir -p "$BUILD"
mapfile -t patches < <(grep -vE '^(#|$)' "$TOP/patches/series")

# build COUNT: the tree with the first COUNT patches.
build()
{
	"$TOP/scripts/assemble.sh" "$tree" "$1" > "$log" 2>&1 &&
		make -s -j"$(nproc)" -C "$kdir" M="$tree" modules >> "$log" 2>&1
}

printf 'TAP version 13\n1..%d\n' "${#patches[@]}"
for ((n = 1; n <= ${#patches[@]}; n++)); do
	if build "$n"; then
		printf 'ok %d %s\n' "$n" "${patches[n - 1]}"
	else
		printf 'not ok %d %s\n' "$n" "${patches[n - 1]}"
		tail -20 "$log" | sed 's/^/# /'
		failed=1
	fi
done
exit "$failed"
