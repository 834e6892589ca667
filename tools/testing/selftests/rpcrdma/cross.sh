#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Other processors: arm64 with pages of 64 KiB, s390x, whose bytes are in the wire's order,
# and ARM with 32 bits. With all its options the module compiles for them, without a word
# of compiler (W=1) or sparse, and calls nothing that no kernel has. The unit tests of what
# calls no verbs pass there as they do here, under QEMU.
#
# bed: host
# except: host
# timeout: 5400

cd "$(dirname "$0")/../../../.." || exit 1
# shellcheck source=tools/testing/selftests/rpcrdma/host_lib.sh
. tools/testing/selftests/rpcrdma/host_lib.sh
# shellcheck source=/dev/null
src=$(. scripts/lib.sh; kernel_source)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# compiles ARCH COMPILER DEFCONFIG [OPTION...]: nothing is wrong with any file, ours
# or one of the kernel's that the series touches. What Module.symvers would tell is not known.
compiles()
{
	local kernel log=$tmp/log

	kernel=$(testbed/cross-kernel.sh "$@") && scripts/assemble.sh "$tmp/$1" || return 1
	make -s -k -C "$src" O="$kernel" ARCH="$1" CROSS_COMPILE="$2" -j"$(nproc)" M="$tmp/$1" W=1 C=2 KBUILD_MODPOST_WARN=1 \
		CONFIG_DEBUG_INFO_BTF_MODULES= CONFIG_SUNRPC_XPRT_RDMA_V2_TEST=y modules > "$log" 2>&1 ||
		{ grep -v -e '^make' -e '^WARNING: modpost: ".*undefined!$' "$log" | tail -20; return 1; }
	! grep -E '(warning|error): |section mismatch' "$log"
}

# complete ARCH: all objects are there that the makefiles can name: nothing was left out.
complete()
{
	local c rc=0

	cd "$tmp/$1/net/sunrpc/xprtrdma" || return 1
	for c in *.c v2/*.c v2/tests/*.c; do
		[ -f "${c%.c}.o" ] || [[ $c == *.mod.c ]] || { echo "no ${c%.c}.o"; rc=1; }
	done
	return "$rc"
}

# loadable ARCH COMPILER: no function of the compiler's own library is called, as for a 64-bit
# division by a processor with 32 bits, but those that the kernel exports.
loadable()
{
	local library

	library=$("$2gcc" -print-libgcc-file-name) || return 1
	"$2nm" --defined-only "$library" 2> /dev/null | awk 'NF == 3 { print $3 }' > "$tmp/library"
	[ -s "$tmp/library" ] || { echo "no functions in $library"; return 1; }
	grep -rahoP 'EXPORT_SYMBOL\(\K\w+' "$src/arch/$1" > "$tmp/exported"
	find "$tmp/$1" -name '*.o' -exec "$2nm" -Au {} + | awk '{ print $3, $1 }' > "$tmp/called"
	! awk 'FILENAME != ARGV[3] { has[$1] = FILENAME; next } has[$1] == ARGV[1]' "$tmp/library" "$tmp/exported" "$tmp/called" | grep .
}

# cases NAME VARIABLE... -- [COMMAND...]: builds the unit tests with these variables
# of make and runs them with that command; the results are in NAME.cases.
cases()
{
	local out=$tmp/$1 vars=()

	shift
	while [ "$1" != -- ]; do
		vars+=("$1")
		shift
	done
	make -s -C tools/testing/selftests/rpcrdma/unit OUT="$out" "${vars[@]}" "$out/unit" || return 1
	ASAN_OPTIONS=detect_leaks=0 "${@:2}" "$out/unit" > "$out.log" 2>&1 || { grep -v '^ok' "$out.log" | tail -20; return 1; }
	grep '^ok ' "$out.log" > "$out.cases"
}

# same NAME: these have the results that there are here, and it is the same ones.
same()
{
	cmp -s "$tmp/here.cases" "$tmp/$1.cases" || { diff "$tmp/here.cases" "$tmp/$1.cases" | head -20; return 1; }
}

# processor NAME ARCH COMPILER SANITIZERS EMULATOR DEFCONFIG [OPTION...]: everything for one of them.
processor()
{
	local name=$1 arch=$2 compiler=$3 sanitizers=$4 emulator=$5

	t "$name: the module compiles without complaints" compiles "$arch" "$compiler" "${@:6}"
	t "... all of it" complete "$arch"
	t "... and calls nothing that no kernel has" loadable "$arch" "$compiler"
	t "... and its unit tests pass under QEMU" cases "$name" CC="${compiler}gcc" SANITIZE="$sanitizers" -- "$emulator" -L "/usr/${compiler%-}"
	t "... as many as here" same "$name"
}

echo 'TAP version 13'
echo '1..16'
t "the unit tests pass here" cases here --
processor arm64 arm64 aarch64-linux-gnu- address,undefined qemu-aarch64 defconfig CONFIG_ARM64_64K_PAGES=y
# QEMU has no room for the shadow memory that ASan wants at its place there
processor s390x s390 s390x-linux-gnu- undefined qemu-s390x defconfig
processor arm arm arm-linux-gnueabihf- address,undefined qemu-arm multi_v7_defconfig
echo "# note: $(wc -l < "$tmp/here.cases") unit tests on each"
exit "$bad"
