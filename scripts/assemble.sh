#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# assemble.sh DIR [PATCHES]: puts together the tree that is built.
#
# DIR gets Debian's net/sunrpc/xprtrdma and the headers that the series
# touches, the series of patches/ applied without fuzz (or only its first
# PATCHES ones), and our own files, in the kernel's layout. K= names a kernel of
# scripts/kernels with a series of its own.

. "$(dirname "$0")/lib.sh"

[ $# -ge 1 ] || die "usage: assemble.sh DIR [PATCHES]"
dir=$1
count=${2:-all}
src=$(kernel_source)
need quilt quilt

# upstream_files: the files of the kernel that the tree starts from.
upstream_files()
{
	(cd "$src" && ls net/sunrpc/xprtrdma/*.[ch] net/sunrpc/xprtrdma/Makefile net/sunrpc/Kconfig)
	{ cat "$PATCHES"/*.patch 2> /dev/null || true; } | sed -n 's,^--- a/\(include/[^[:space:]]*\).*,\1,p' | sort -u
}

# own_files: what of this repository goes into the tree.
own_files()
{
	(cd "$TOP" && find net include -name '*.[ch]' -o -name Makefile -o -name .kunitconfig)
}

# push: applies the series, or its first $count patches.
push()
{
	local log=$dir/.quilt.log

	cd "$dir"
	export QUILT_PATCHES=$PATCHES QUILT_NO_DIFF_INDEX=1
	if [ "$count" = all ]; then
		[ ! -s "$PATCHES/series" ] || quilt --quiltrc=- push -a --fuzz=0 > "$log" 2>&1
	else
		[ "$count" = 0 ] || quilt --quiltrc=- push --fuzz=0 "$count" > "$log" 2>&1
	fi
}

# Only what differs is copied over an older tree, so that make rebuilds little.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
final=$dir
dir=$tmp/tree
mkdir -p "$dir"
(cd "$src" && upstream_files | xargs cp --parents -t "$dir")
chmod -R u+w "$dir"
if ! (push); then
	cat "$dir/.quilt.log" >&2
	die "the series does not apply to $src ($(make -s -C "$src" kernelversion 2> /dev/null)):" \
		"it was made for $(cat "$PATCHES/BASE")"
fi
(cd "$TOP" && own_files | xargs cp --parents -t "$dir")
cp "$TOP/Kbuild" "$dir/"
rm -rf "$dir/.pc" "$dir/.quilt.log"
mkdir -p "$final"
rsync -rlc --delete --include=.kunitconfig --exclude='*.o' --exclude='*.ko' --exclude='.*' --exclude='*.mod' \
	--exclude='*.mod.c' --exclude=modules.order --exclude=Module.symvers "$dir/" "$final/"
