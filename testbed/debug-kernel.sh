#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# debug-kernel.sh [debug|kcsan|lockstat]: builds that kernel of the test bed, unless the
# cache has it. debug is what debug.config says; any other is that with the
# lines of its own KIND.config in the place of those for the same symbol. Faults of the
# kernel that the tests meet outside of what this project builds are mended by kernel-*.patch.
# For K=NAME the folder NAME may have more lines for debug.config, and patches that take
# the place of those called the same. It is built with the programs of that suite.
#
# Prints the directory that holds bzImage, the installed modules below
# lib/modules, and build/, against which modules can be built (KDIR).
# The name of that directory is made of everything the result depends on.

. "$(dirname "$0")/../scripts/lib.sh"

kind=${1:-debug}
configs=("$TOP/testbed/debug.config")
[ "$kind" = debug ] || configs+=("$TOP/testbed/$kind.config")
[ -f "${configs[-1]}" ] || die "usage: debug-kernel.sh [debug|kcsan|lockstat]"
own=$TOP/testbed/$KERNEL_NAME
[ ! -f "$own/debug.config" ] || configs+=("$own/debug.config")
src=$(kernel_source)
patches=()
for p in "$TOP"/testbed/kernel-*.patch; do
	[ ! -f "$own/$(basename "$p")" ] || p=$own/$(basename "$p")
	patches+=("$p")
done
name=$kind
[ "$KERNEL_SUITE" = - ] || name=$KERNEL_NAME-$kind
dir=$CACHE/$name-$(key "${configs[@]}" "$0" "${patches[@]}" "$src" "$(gcc --version | head -1)" "$(head -5 "$src/Makefile")")

# merged: prints one line for each symbol, the last that names it.
merged()
{
	awk -F= '/^CONFIG_/ { if (!($1 in last)) names[n++] = $1; last[$1] = $0 }
		END { for (i = 0; i < n; i++) print last[names[i]] }' "${configs[@]}"
}

# mend BUILD: puts what the patches change into that folder, where make looks first.
mend()
{
	local f p

	while read -r f; do
		install -D -m 644 "$src/$f" "$1/$f"
	done < <(sed -n 's,^--- a/,,p' "${patches[@]}")
	for p in "${patches[@]}"; do
		patch -s -d "$1" -p1 --fuzz=0 < "$p" || die "$p does not apply"
	done
}

# check_config WANTED CONFIG: every line must have survived Kconfig.
check_config()
{
	local line

	while read -r line; do
		case $line in
		*=n) ! grep -q "^${line%=n}=" "$2" || die "${configs[-1]}: $line was not taken" ;;
		*) grep -qxF "$line" "$2" || die "${configs[-1]}: $line was not taken" ;;
		esac
	done < "$1"
}

if [ ! -f "$dir/bzImage" ]; then
	need bc bc
	need flex flex
	need bison bison
	step "building the $name kernel (about 12 minutes on two cores, then cached in $dir)"
	tmp=$CACHE/$name-tmp
	rm -rf "$tmp"
	mkdir -p "$tmp/build"
	log=$tmp/log
	merged > "$tmp/config"
	kmake "$src" -s O="$tmp/build" KCONFIG_ALLCONFIG="$tmp/config" allnoconfig > "$log" 2>&1
	check_config "$tmp/config" "$tmp/build/.config"
	mend "$tmp/build"
	kmake "$src" -s O="$tmp/build" -j"$(nproc)" bzImage modules >> "$log" 2>&1 ||
		{ tail -20 "$log" >&2; die "the $name kernel does not build: see $log"; }
	kmake "$src" -s O="$tmp/build" INSTALL_MOD_PATH="$tmp" modules_install >> "$log" 2>&1
	cp "$tmp/build/arch/x86/boot/bzImage" "$tmp/bzImage.new"
	# What external modules need stays: headers, tools, symbol versions.
	find "$tmp/build" -name tools -prune -o -path '*/scripts' -prune -o \
		\( -name '*.o' -o -name '*.a' -o -name '*.cmd' -o -name '*.ko' -o -name 'vmlinux*' \) -type f -exec rm -f {} +
	rm -f "$tmp"/lib/modules/*/build "$tmp"/lib/modules/*/source
	kmake "$src" -s O="$tmp/build" kernelrelease > "$tmp/release"
	# newer kernels note where it was built
	sed -i "s,$tmp,$dir,g" "$tmp/build/Makefile"
	mv "$tmp/bzImage.new" "$tmp/bzImage"
	publish "$tmp" "$dir"
	prune "$name-" "$dir"
	step "$name kernel built: $(du -sh "$dir" | cut -f1)"
fi
printf '%s\n' "$dir"
