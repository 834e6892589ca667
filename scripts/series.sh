#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# series.sh [ends]: does every prefix of the series build? K= names another kernel of
# scripts/kernels than the first.
#
# Applies one patch more in each round and builds the module against KDIR, so
# that a bisection of the series never lands on a tree that does not compile.
# At last it builds the whole series without SUNRPC_XPRT_RDMA_V2, which has to be
# stock plus repairs: no function or variable of version 2 is in it.
# "ends" builds only those prefixes that end with the last patch of a kind (the
# first two digits of its number): what there is time for after each change.
# A tree that has been built before, from the same patches and files against the
# same headers by the same compiler, is not built again; AFRESH=1 builds all.
# KTAP: one line a patch.

. "$(dirname "$0")/lib.sh"

kdir=$(stock_kdir)
tree=$BUILD/series
log=$BUILD/series.log
good=$CACHE/series-good
failed=0
mkdir -p "$BUILD"
mapfile -t patches < <(grep -vE '^(#|$)' "$PATCHES/series")
counts=()
for ((n = 1; n <= ${#patches[@]}; n++)); do
	next=${patches[n]:-}
	[ "${1:-}" = ends ] && [ "${next:0:2}" = "${patches[n - 1]:0:2}" ] || counts+=("$n")
done

# build COUNT [ARGUMENT...]: the tree with the first COUNT patches.
# shellcheck disable=SC2317 # called by try
build()
{
	"$TOP/scripts/assemble.sh" "$tree" "$1" > "$log" 2>&1 &&
		kmake "$kdir" -s -j"$(nproc)" M="$tree" CONFIG_DEBUG_INFO_BTF_MODULES= "${@:2}" modules >> "$log" 2>&1
}

# without: builds all of it without version 2, of which nothing is left then.
# shellcheck disable=SC2317 # likewise
without()
{
	rm -rf "$tree"
	build all CONFIG_SUNRPC_XPRT_RDMA_V2= || return 1
	! nm "$tree/net/sunrpc/xprtrdma/rpcrdma.ko" | grep rdma2_ >> "$log"
}

# inputs COUNT: prints a short name for all that the build of so many patches is
# made from: of the files of version 2 only the headers, until a patch has the others
# compiled.
inputs()
{
	local own used=("${patches[@]:0:$1}") names=(! -path 'net/*/v2/*.c')

	cd "$PATCHES"
	! grep -qs '^+.*v2/codec_lists\.o' "${used[@]}" || names=(-type f)
	cd "$TOP"
	mapfile -t own < <(find net include Kbuild -type f \( "${names[@]}" -o -name Kbuild \) | sort)
	key "$(kernel_source)" "$kdir" "$(gcc --version)" scripts/assemble.sh "${own[*]}" "${own[@]}" "${used[@]/#/$PATCHES/}"
}

# known NAME: that has been built before. With sources or headers of somebody's own
# nothing is, for their name does not tell what is in them.
known()
{
	[ -z "${AFRESH:-}${KDIR:-}${KSRC:-}" ] && grep -qxF "$1" "$good" 2> /dev/null
}

printf 'TAP version 13\n1..%d\n' "$((${#counts[@]} + 1))"
nr=0
# try NAME TITLE COMMAND...: one line of the result.
try()
{
	nr=$((nr + 1))
	if known "$1"; then
		printf 'ok %d %s # built before\n' "$nr" "$2"
	elif "${@:3}"; then
		printf 'ok %d %s\n' "$nr" "$2"
		printf '%s\n' "$1" >> "$good" || true
	else
		printf 'not ok %d %s\n' "$nr" "$2"
		tail -20 "$log" | sed 's/^/# /'
		failed=1
	fi
}

for n in "${counts[@]}"; do
	try "$(inputs "$n")" "${patches[n - 1]}" build "$n"
done
try "$(inputs "${#patches[@]}")-without" "without version 2" without
exit "$failed"
