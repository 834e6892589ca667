#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# export.sh DIR [check]: makes series of patches for the kernel that K= names, which "git am"
# takes: repairs first, then version 2. patches/manifest says what is in which patch.
# SOB="Name <mail>" is who sends them: author, and the one who signs them off.
#
# DIR gets a folder for each series, and tree, a git repository with a commit for each patch
# and the transport's files only. They are made for the source as released
# upstream, or, where the mirror has not got that, as Debian builds it; KSRC= names one.
#
# "git am" is then tried on a fresh repository, and has to come to what assemble.sh makes.
# With "check" each patch is built, with sparse and W=1 and for our files without a warning,
# and shown to checkpatch. KTAP: one line a patch. What is built is left in build/each, for
# testbed/each-patch to mount with, and kept in the cache for a week; AFRESH=1 takes
# nothing from there.

. "$(dirname "$0")/lib.sh"

out=${1:-}
[ -n "$out" ] || die "usage: export.sh DIR [check]"
[[ ${SOB:-} =~ ^[^\<\>]+\ \<[^\ \<\>]+@[^\ \<\>]+\>$ ]] || die "say who sends the patches, as in SOB='Name <name@example.org>'"
need git git
[ ! -e "$out" ] || [ -z "$(ls -A "$out")" ] || die "$out is not empty"
mkdir -p "$out"
out=$(cd "$out" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# source_for: prints the folder of the source that the patches are made for.
source_for()
{
	if [ -z "${KSRC:-}" ] && [ "$KERNEL_SUITE" != - ]; then
		"$TOP/scripts/fetch.sh" "$KERNEL_NAME" vanilla 2> "$tmp/vanilla" && return
		step "there is no source as released upstream here: taking the one that Debian builds"
	fi
	kernel_source
}

# try_am: has git apply all patches to the files that they start from.
try_am()
{
	local git=(git -C "$tmp/am" -c user.name=nobody -c user.email=nobody@localhost -c commit.gpgSign=false)

	git init -q "$tmp/am"
	git -C "$out/tree" archive "$(git -C "$out/tree" rev-list --max-parents=0 HEAD)" | tar -C "$tmp/am" -x
	"${git[@]}" add -A
	"${git[@]}" commit -qm base
	"${git[@]}" am -q "$out"/[0-9]*/*.patch > "$tmp/am.log" 2>&1 || { tail -20 "$tmp/am.log" >&2; die "git am does not take the patches"; }
	git -C "$out/tree" diff --quiet HEAD "$(git -C "$tmp/am" write-tree)" 2> /dev/null ||
		diff -r --exclude=.git "$out/tree" "$tmp/am" >&2 || die "git am comes to something else"
	"$TOP/scripts/assemble.sh" "$tmp/assembled"
	(cd "$tmp/am" && find . -name .git -prune -o -type f -print) | while read -r f; do
		cmp -s "$tmp/am/$f" "$tmp/assembled/$f" || die "git am comes to another $f than assemble.sh"
	done
}

# build COMMIT: builds the tree as it is with that commit.
build()
{
	local tree=$BUILD/export

	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree" "$tree"
	git -C "$out/tree" archive "$1" | tar -C "$tmp/tree" -x
	cp "$TOP/Kbuild" "$tmp/tree/"
	rsync -rlc --delete --exclude='*.o' --exclude='*.ko' --exclude='.*' --exclude='*.mod' --exclude='*.mod.c' \
		--exclude=modules.order --exclude=Module.symvers "$tmp/tree/" "$tree/"
	kmake "$kdir" -s -j"$(nproc)" M="$tree" CONFIG_DEBUG_INFO_BTF_MODULES= CONFIG_SUNRPC_XPRT_RDMA_V2_TEST=y \
		W=1 C=1 modules > "$tmp/log" 2>&1 || return 1
	! grep -E '(xprtrdma/v2/[a-z0-9_/]*|versions|rdma2)\.[ch]:[0-9]+' "$tmp/log"
}

# kept NR PATCH: prints where the module with that patch is left.
kept()
{
	printf '%s/each/%03d-%s.ko\n' "$BUILD" "$1" "$(basename "$2" .patch)"
}

# keep NR PATCH: leaves the one that was built there.
keep()
{
	strip -g -o "$(kept "$1" "$2")" "$BUILD/export/net/sunrpc/xprtrdma/rpcrdma.ko"
}

# look PATCH: shows it to checkpatch, which does not know how trace headers are laid out, nor
# the history that commits come from.
look()
{
	local ignored=FILE_PATH_CHANGES,CONST_STRUCT,MACRO_ARG_REUSE,UNKNOWN_COMMIT_ID

	! grep -q '^+++ b/include/trace/' "$1" || ignored+=,OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT
	"$src/scripts/checkpatch.pl" --no-tree --strict --terse --quiet --no-summary --ignore "$ignored" "$1"
}

# cached COMMIT PATCH: prints where the module with that patch is kept, once it was found
# good. Its date and number do not matter.
cached()
{
	printf '%s/each/%s.ko\n' "$CACHE" "$(key "$(git -C "$out/tree" rev-parse "$1^{tree}")" \
		"$src" "$kdir" "$(gcc --version)" "$TOP/Kbuild" "$TOP/scripts/export.sh" \
		"$(sed -e 1d -e '/^Date: /d' -e 's/^Subject: \[[^]]*\]/Subject:/' "$2")")"
}

# good NR COMMIT PATCH: that one is, or was when it was built before.
good()
{
	local file

	file=$(cached "$2" "$3")
	if [ -z "${AFRESH:-}${KDIR:-}${KSRC:-}" ] && [ -e "$file" ]; then
		touch "$file"
		cp "$file" "$(kept "$1" "$3")"
		return
	fi
	build "$2" > "$tmp/said" && keep "$1" "$3" && look "$3" > "$tmp/log" || return 1
	cp "$(kept "$1" "$3")" "$file.new" && mv "$file.new" "$file"
}

# check: tries each patch.
check()
{
	local n=0 bad=0 p commits

	rm -rf "$BUILD/each"
	mkdir -p "$BUILD/each" "$CACHE/each"
	find "$CACHE/each" -type f -mtime +7 -delete
	mapfile -t commits < <(git -C "$out/tree" rev-list --reverse HEAD | tail -n +2)
	printf 'TAP version 13\n1..%d\n' "${#commits[@]}"
	for p in "$out"/[0-9]*/*.patch; do
		n=$((n + 1))
		if good "$n" "${commits[n - 1]}" "$p"; then
			printf 'ok %d %s\n' "$n" "${p#"$out"/}"
		else
			printf 'not ok %d %s\n' "$n" "${p#"$out"/}"
			cat "$tmp/said" "$tmp/log" | tail -20 | sed 's/^/# /'
			bad=1
		fi
	done
	return "$bad"
}

src=$(source_for)
step "making patches for $src"
PYTHONDONTWRITEBYTECODE=1 python3 "$TOP/scripts/export.py" "$src" "$PATCHES" "$out" "$SOB"
try_am
step "git am takes all of $out/*/*.patch, and comes to what is built"
[ "${2:-}" = check ] || exit 0
kdir=$(stock_kdir)
check
