#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dkms.sh DIR VERSION: puts the sources of the package rpcrdma2-dkms into DIR: a folder for
# each name in the first column of debian/kernels, assembled from that kernel's source,
# and the table. K= says which kernel to assemble.sh, so each is one of scripts/kernels.

. "$(dirname "$0")/lib.sh"

[ $# = 2 ] || die "usage: dkms.sh DIR VERSION"
dir=$1
version=$2
table=$TOP/debian/kernels
mapfile -t names < <(awk '!/^#/ && NF { print $1 }' "$table" | sort -u)

# of_kernel NAME: what would be assembled is the source of that kernel.
of_kernel()
{
	local found

	found=$(K=$1 bash -c '. "$0" && make -s --no-print-directory -C "$(kernel_source)" kernelversion' "$TOP/scripts/lib.sh")
	[[ $found == "${1%%-*}" || $found == "${1%%-*}".* ]] || die "the sources for $1 would be those of $found"
}

# give_version TREE: modinfo tells the package's version. DKMS 3.0.10 replaces no module that has
# as little of a version as the one it built.
give_version()
{
	local file

	file=$(find "$1" -path "*/v2/init.c")
	[ -f "$file" ] || die "no v2/init.c, or several: $file"
	printf '\nMODULE_VERSION("%s");\n' "$version" >> "$file"
}

mkdir -p "$dir"
for name in "${names[@]}"; do
	of_kernel "$name"
	K=$name "$TOP/scripts/assemble.sh" "$dir/$name"
	# unit tests are no part of the module
	find "$dir/$name" -type d -name tests -prune -exec rm -rf {} +
	give_version "$dir/$name"
done
cp "$table" "$dir/kernels"
