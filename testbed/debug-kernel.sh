#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the debug kernel of the test bed, unless the cache has it.
#
# Prints the directory that holds bzImage, the installed modules below
# lib/modules, and build/, against which modules can be built (KDIR).
# The name of that directory is made of everything the result depends on.

. "$(dirname "$0")/../scripts/lib.sh"

config=$TOP/testbed/debug.config
src=$(kernel_source)
dir=$CACHE/debug-$(key "$config" "$0" "$src" "$(gcc --version | head -1)" "$(head -5 "$src/Makefile")")

# check_config: every line of debug.config must have survived Kconfig.
check_config()
{
	local line

	grep '^CONFIG_' "$config" | while read -r line; do
		case $line in
		*=n) ! grep -q "^${line%=n}=" "$1" || die "debug.config: $line was not taken" ;;
		*) grep -qxF "$line" "$1" || die "debug.config: $line was not taken" ;;
		esac
	done
}

if [ ! -f "$dir/bzImage" ]; then
	need bc bc
	need flex flex
	need bison bison
	step "building the debug kernel (about 10 minutes on two cores, then cached in $dir)"
	tmp=$CACHE/debug-tmp
	rm -rf "$tmp"
	mkdir -p "$tmp/build"
	log=$tmp/log
	make -s -C "$src" O="$tmp/build" KCONFIG_ALLCONFIG="$config" allnoconfig > "$log" 2>&1
	check_config "$tmp/build/.config"
	make -s -C "$src" O="$tmp/build" -j"$(nproc)" bzImage modules >> "$log" 2>&1 ||
		{ tail -20 "$log" >&2; die "the debug kernel does not build: see $log"; }
	make -s -C "$src" O="$tmp/build" INSTALL_MOD_PATH="$tmp" modules_install >> "$log" 2>&1
	cp "$tmp/build/arch/x86/boot/bzImage" "$tmp/bzImage.new"
	# What external modules need stays: headers, tools, symbol versions.
	find "$tmp/build" -name tools -prune -o -path '*/scripts' -prune -o \
		\( -name '*.o' -o -name '*.a' -o -name '*.cmd' -o -name '*.ko' -o -name 'vmlinux*' \) -type f -exec rm -f {} +
	rm -f "$tmp"/lib/modules/*/build "$tmp"/lib/modules/*/source
	make -s -C "$src" O="$tmp/build" kernelrelease > "$tmp/release"
	mv "$tmp/bzImage.new" "$tmp/bzImage"
	publish "$tmp" "$dir"
	prune debug- "$dir"
	step "debug kernel built: $(du -sh "$dir" | cut -f1)"
fi
printf '%s\n' "$dir"
