#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fetch.sh KERNEL WHAT: gets that of a kernel which is not installed here, unless the
# cache has it, and prints where it is. scripts/kernels lists the kernels.
#
#   release   its newest release, as 7.3.4+deb13-amd64; nothing is fetched
#   source    the source as Debian builds it
#   vanilla   the source as released upstream, where the mirror has it
#   image     its image and modules, unpacked
#   tree      a file system of its suite with compiler and headers, for scripts/inside.sh
#   headers   the folder of its headers in that tree, for KDIR=
#
# Nothing is installed on this machine. What there is at first is kept: "fetch.sh KERNEL renew"
# looks for a newer release.

export K=${1:-}
. "$(dirname "$0")/suite.sh"

# What the tree of the suite has besides headers: for modules, and for kernels of our own
tools=make,gcc,kmod,sparse,patch,bc,bison,flex,cpio,zstd,xz-utils,rsync,python3-minimal,perl,libelf-dev,libssl-dev

[ $# = 2 ] || die "usage: fetch.sh KERNEL release|source|vanilla|image|tree|headers|renew"
name=$1
[ "$name" = "$KERNEL_NAME" ] || die "no kernel $name: there are $(awk '!/^#/ { print $1 }' "$TOP/scripts/kernels" | xargs)"
[ "$KERNEL_SUITE" != - ] || die "kernel $name is the one whose packages 'make deps' installs here"
known=$CACHE/$name-known

# known KEY: prints what is noted of this kernel under that key.
known()
{
	sed -n "s/^$1 //p" "$known"
}

# note: writes down which versions of its packages are current.
note()
{
	local release source

	suite_update
	release=$(suite_release "$KERNEL_VERSION" "$KERNEL_SUITE")
	# of the suite, of its updates or its backports: that which the headers are of
	source=$(suite_version "linux-headers-$release")
	printf '%s\n' "release $release" "source $source" "upstream ${source%%-*}" > "$known.$$"
	mv "$known.$$" "$known"
}

# cached NAME COMMAND: prints the folder of that name in the cache; if there is none, it is
# what COMMAND makes in a new folder.
cached()
{
	local dir=$CACHE/$1

	if [ ! -d "$dir" ]; then
		step "fetching $1"
		suite_update
		scratch=$(mktemp -d "$CACHE/tmp.XXXXXX")
		trap 'rm -rf "$scratch"' EXIT
		trap 'exit 130' INT TERM
		"$2" "$scratch"
		chmod 755 "$scratch"
		publish "$scratch" "$dir"
		prune "$name-${2#make_}-" "$dir"
	fi
	printf '%s\n' "$dir"
}

# make_source DIR: the source out of Debian's package of it.
make_source()
{
	suite_unpack "$1/.deb" "linux-source-$KERNEL_VERSION=$(known source)"
	tar -xf "$1/.deb/usr/src/linux-source-$KERNEL_VERSION.tar.xz" -C "$1" --strip-components=1
	rm -rf "$1/.deb"
}

# make_vanilla DIR: the original tarball of the source package of Debian's kernel.
make_vanilla()
{
	(cd "$1" && suite_apt apt-get -qq --download-only --tar-only source "linux=$(known source)") ||
		die "the mirror has not the original tarball of linux $(known source); name an unpacked one with KSRC="
	tar -xf "$1"/linux_*.orig.tar.xz -C "$1" --strip-components=1
	rm -f "$1"/linux_*.orig.tar.xz
}

# make_image DIR: the kernel and its modules, which newer kernels have in packages of their own.
make_image()
{
	local release p packages=()

	release=$(known release)
	for p in image base binary modules; do
		[ -z "$(suite_version "linux-$p-$release")" ] || packages+=("linux-$p-$release")
	done
	suite_unpack "$1" "${packages[@]}"
	# newer kernels have theirs below /usr
	[ -d "$1/lib/modules" ] || ln -s usr/lib "$1/lib"
}

# make_tree DIR: a minimal file system of the suite, and the headers, which would bring the
# whole kernel with them if they were installed there.
make_tree()
{
	local sources short valid

	need mmdebstrap mmdebstrap
	[ "$(id -u)" = 0 ] || die "the file system of $SUITE is not built yet: run this once as root"
	sources=$(suite_sources_file)
	sed '/^deb-src /d; s/^Types:.*/Types: deb/' "$sources" > "$SUITE_APT/binary.${sources##*.}"
	mmdebstrap --quiet --mode=root --variant=minbase --include="$tools" --aptopt='APT::Sandbox::User "root"' \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		"$SUITE" "$1/.root" "$SUITE_APT/binary.${sources##*.}" > "$SUITE_APT/tree.log" 2>&1 ||
		{ tail -20 "$SUITE_APT/tree.log" >&2; die "mmdebstrap failed: see $SUITE_APT/tree.log"; }
	mv "$1"/.root/* "$1/"
	rm -rf "$1"/.root "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/*
	short=${headers#linux-headers-}
	short=${short%-amd64}
	suite_unpack "$1/.deb" "$headers" "linux-headers-$short-common" "linux-kbuild-$short"
	cp -a "$1"/.deb/usr/src "$1"/.deb/usr/lib "$1/usr/"
	# without it make C=1 of 7.3 finds no sparse, and the package has not got it; 6.12 does without
	valid=$("$0" "$name" source)/scripts/checker-valid.sh
	[ ! -f "$valid" ] || cp "$valid" "$1/usr/src/linux-headers-$short-common/scripts/"
	rm -rf "$1/.deb"
}

need_cache
[ "$2" != renew ] || rm -f "$known" "$SUITE_APT/updated"
[ -s "$known" ] || note
headers=linux-headers-$(known release)
case $2 in
renew | release) known release ;;
source) cached "$name-source-$(known source)" make_source ;;
vanilla) cached "$name-vanilla-$(known upstream)" make_vanilla ;;
image) cached "$name-image-$(known release)" make_image ;;
tree) cached "$name-tree-$(key "$headers" "$tools")" make_tree ;;
headers) printf '%s\n' "$("$0" "$name" tree)/usr/src/$headers" ;;
*) die "no such part of a kernel: $2" ;;
esac
