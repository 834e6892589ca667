#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cross-kernel.sh ARCH COMPILER DEFCONFIG [OPTION...]: configures Debian's kernel for another
# processor, unless the cache has that, as far as modules can be compiled for it.
#
# It is what DEFCONFIG says, cross.config, and the OPTIONs (CONFIG_X=y). COMPILER is what
# the names of the compiler's programs begin with. Prints the folder, which is O= for make.
# Its name is made of everything that the result depends on.

. "$(dirname "$0")/../scripts/lib.sh"

[ $# -ge 3 ] || die "usage: cross-kernel.sh ARCH COMPILER DEFCONFIG [OPTION...]"
arch=$1
compiler=$2
defconfig=$3
options=$TOP/testbed/cross.config
need "${compiler}gcc" "gcc-${compiler%-}"
need flex flex
need bison bison
src=$(kernel_source)
dir=$CACHE/cross-$arch-$(key "$*" "$0" "$options" "$src" "$("${compiler}gcc" --version | head -1)" "$(head -5 "$src/Makefile")")

# build TARGET...: runs make in the kernel.
build()
{
	make -s -C "$src" O="$tmp" ARCH="$arch" CROSS_COMPILE="$compiler" -j"$(nproc)" "$@"
}

# taken: every line must have survived Kconfig.
taken()
{
	! grep -vxFf "$tmp/.config" "$tmp/options"
}

# configure: fills the folder.
configure()
{
	build "$defconfig" && cat "$tmp/options" >> "$tmp/.config" && build olddefconfig && taken && build modules_prepare
}

if [ ! -d "$dir" ]; then
	step "configuring a kernel for $arch"
	need_cache
	tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT TERM
	{ grep '^CONFIG_' "$options"; printf '%s\n' "${@:4}"; } | grep . > "$tmp/options"
	configure > "$tmp/log" 2>&1 || { tail -20 "$tmp/log" >&2; die "no such kernel for $arch"; }
	chmod 755 "$tmp"
	publish "$tmp" "$dir"
	prune "cross-$arch-" "$dir"
fi
printf '%s\n' "$dir"
