#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh stock|test|debug|kcsan|lockstat|ledger|mutants|siw|rxe|before|NAME: builds kernel modules into build/<that name>.
#
#   stock  the assembled tree against Debian's headers (KDIR= overrides)
#   test   the same with SUNRPC_XPRT_RDMA_V2_TEST, as all others have it that only
#          tests use; for KERNEL=
#   NAME   stock, for that kernel of scripts/kernels, into build/NAME, and NAME-debug
#          debug. KERNEL= may have such names, too
#   debug  the assembled tree against the debug kernel, and the KUnit suites
#   kcsan  the assembled tree against the KCSAN kernel, which then sets its watchpoints
#          where this module accesses memory (testbed/kcsan_look.c)
#   lockstat the assembled tree against the kernel that counts who waits for locks
#   ledger the assembled tree, its verbs led through a ledger, into
#          build/ledger-stock and build/ledger-debug, or for KERNEL= only
#   mutants the assembled tree with all mutants in it (see the tests' folder mutants), into
#          build/mutants-stock, or that of KERNEL=
#   siw, rxe  that driver, soft-iWARP or soft-RoCE, for the stock and the debug kernel,
#          or for KERNEL= only, mended by testbed/siw.patch or rxe.patch
#   before the module as it was at the commit that testbed/before names, for each
#          kernel or for KERNEL= only; kept in the cache
#
# Extra arguments go to make, as in: build.sh stock W=1 C=2

. "$(dirname "$0")/lib.sh"

# kbuild KDIR DIR [ARGUMENT...]: builds the external module in DIR; its
# output is shown only where it fails or warns.
kbuild()
{
	local kdir=$1 dir=$2 log=$2/.build.log

	shift 2
	if ! kmake "$kdir" -s M="$dir" -j"$(nproc)" CONFIG_MODULE_SRCVERSION_ALL=y CONFIG_DEBUG_INFO_BTF_MODULES= \
		"$@" modules > "$log" 2>&1; then
		cat "$log" >&2
		die "the build of $dir failed"
	fi
	grep -v -e '^warning: the compiler differs' -e '^  The kernel was built \(by\|with\)' -e '^  You are using' \
		-e '^warning: pahole version differs' "$log" >&2 || true
}

# add_look DIR KDIR: has testbed/kcsan_look.c compiled into the module in DIR,
# itself not instrumented, nor with anything that its last call could not be a jump for.
add_look()
{
	local skip

	skip=$(awk '$3 == "kcsan_skip" { print $1 }' "$2/System.map")
	[ -n "$skip" ] || die "the kernel of $2 has no kcsan_skip: is this still how KCSAN counts?"
	cp "$TOP/testbed/kcsan_look.c" "$1/"
	cat >> "$1/Makefile" <<-END

		rpcrdma-y += kcsan_look.o
		KCSAN_SANITIZE_kcsan_look.o := n
		CFLAGS_REMOVE_kcsan_look.o := \$(CC_FLAGS_FTRACE) -fno-optimize-sibling-calls
		CFLAGS_kcsan_look.o := -foptimize-sibling-calls -DKCSAN_SKIP=0x$skip
	END
}

# assemble DIR: assembles the tree in DIR.
assemble()
{
	if [[ $(basename "$1") = mutants-* ]]; then
		assemble_mutants "$1"
	else
		"$TOP/scripts/assemble.sh" "$1"
	fi
}

# assemble_mutants DIR: the same, and has all mutants compiled into the module. What is the
# same as before stays as old as it was.
assemble_mutants()
{
	local mutants=$TOP/tools/testing/selftests/rpcrdma/mutants src=$1.src

	"$TOP/scripts/assemble.sh" "$src"
	PYTHONDONTWRITEBYTECODE=1 python3 "$mutants/mutants.py" apply "$src" || die "a mutant does not fit the sources"
	cp "$mutants"/rpcrdma_mutant.[ch] "$src/net/sunrpc/xprtrdma/"
	printf '\nrpcrdma-y += rpcrdma_mutant.o\n' >> "$src/net/sunrpc/xprtrdma/Makefile"
	rsync -rlc "$src/" "$1/"
}

# build_rpcrdma NAME KDIR [ARGUMENT...]: assembles and builds build/NAME.
build_rpcrdma()
{
	local kdir=$2 dir=$BUILD/$1 ko options=(CONFIG_SUNRPC_XPRT_RDMA_V2_TEST=y)

	[ "$1" != stock ] || options=()
	shift 2
	mkdir -p "$dir"
	# objects that were made for another kernel are of no use
	if [ "$(cat "$dir/.kdir" 2> /dev/null)" != "$kdir" ]; then
		rm -rf "$dir"
		mkdir -p "$dir"
	fi
	assemble "$dir"
	[ "$(basename "$dir")" != kcsan ] || add_look "$dir/net/sunrpc/xprtrdma" "$kdir"
	printf '%s\n' "$kdir" > "$dir/.kdir"
	kbuild "$kdir" "$dir" "${options[@]}" "$@"
	ko=$dir/net/sunrpc/xprtrdma/rpcrdma.ko
	[ -f "$ko" ] || die "the build left no $ko"
	step "built $ko for $(modinfo -F vermagic "$ko" | cut -d' ' -f1), srcversion $(modinfo -F srcversion "$ko")"
}

# build_test_modules NAME KDIR: builds the modules that the tests use into
# build/modules/NAME.
build_test_modules()
{
	local dir=$BUILD/modules/$1

	mkdir -p "$dir"
	rsync -c "$TOP"/tools/testing/selftests/rpcrdma/modules/{Kbuild,*.c} "$dir/"
	kbuild "$2" "$dir"
}

# build_ledger NAME KDIR: builds build/ledger-NAME: a rpcrdma.ko whose calls of
# verbs go through the ledger, and the ledger.
build_ledger()
{
	local dir=$BUILD/ledger-$1 ledger=$TOP/tools/testing/selftests/rpcrdma/ledger

	mkdir -p "$dir.ko"
	rsync -rc --exclude='.*' "$ledger"/{Kbuild,*.[ch]} "$dir.ko/"
	kbuild "$2" "$dir.ko"
	build_rpcrdma "ledger-$1" "$2" KBUILD_EXTRA_SYMBOLS="$dir.ko/Module.symvers" \
		KCFLAGS="-I$dir.ko -include $dir.ko/ledger_wrap.h"
	build_test_modules "$1" "$2"
}

# build_mutants NAME KDIR: builds build/mutants-NAME.
build_mutants()
{
	build_rpcrdma "mutants-$1" "$2" \
		KCFLAGS="-include $BUILD/mutants-$1/net/sunrpc/xprtrdma/rpcrdma_mutant.h"
	build_test_modules "$1" "$2"
}

# build_test stock KDIR [ARGUMENT...]: builds build/test.
build_test()
{
	build_rpcrdma test "${@:2}"
}

# build_driver siw|rxe NAME KDIR: builds that driver into build/siw/NAME or build/rxe/NAME,
# from the kernel source.
build_driver()
{
	local driver=$1 kdir=$3 dir=$BUILD/$1/$2 patch=$TOP/testbed/$1.patch src made

	src=$(kernel_source)
	made=$(key "$kdir" "$src" "$patch")
	[ "$(cat "$dir/.made" 2> /dev/null)" != "$made" ] || return 0
	rm -rf "$dir"
	mkdir -p "$dir"
	cp "$src/drivers/infiniband/sw/$driver"/{*.[ch],Makefile} "$dir/"
	patch -s -d "$dir" -p5 < "$patch" || die "$patch does not apply"
	kbuild "$kdir" "$dir" "CONFIG_RDMA_${driver^^}=m"
	printf '%s\n' "$made" > "$dir/.made"
	step "built $driver in $dir"
}

# build_before NAME KDIR: puts the module of an older commit into
# build/before/NAME/rpcrdma.ko: built by that commit's own scripts, once.
build_before()
{
	local dir=$BUILD/before/$1 commit cached tmp

	commit=$(head -1 "$TOP/testbed/before")
	cached=$CACHE/before-$1-$(key "$commit" "$2" "$(stat -c %Y "$2/Module.symvers")" "$(kernel_source)").ko
	if [ ! -f "$cached" ]; then
		step "building the module of $commit for the $1 kernel"
		need_cache
		tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
		mkdir "$tmp/top"
		git -C "$TOP" archive "$commit" | tar -C "$tmp/top" -x ||
			die "no commit $commit here: this needs the history of the project ('git fetch --unshallow')"
		"$tmp/top/scripts/assemble.sh" "$tmp/tree"
		kbuild "$2" "$tmp/tree"
		publish "$tmp/tree/net/sunrpc/xprtrdma/rpcrdma.ko" "$cached"
		rm -rf "$tmp"
		prune "before-$1-" "$cached"
	fi
	mkdir -p "$dir"
	cp "$cached" "$dir/rpcrdma.ko"
}

what=${1:-stock}
[ $# = 0 ] || shift
need gcc gcc
case $what in
stock)
	build_rpcrdma stock "$(stock_kdir)" "$@"
	build_test_modules stock "$(stock_kdir)"
	;;
debug | kcsan | lockstat)
	kdir=$("$TOP/testbed/debug-kernel.sh" "$what")/build
	build_rpcrdma "$what" "$kdir" "$@"
	build_test_modules "$what" "$kdir"
	;;
test | ledger | mutants | siw | rxe | before)
	build=("build_$what")
	[[ $what != [sr]* ]] || build=(build_driver "$what")
	[[ $what != [tm]* ]] || KERNEL=${KERNEL:-stock}
	for kernel in ${KERNEL:-stock debug}; do
		if other_kernel "$kernel"; then
			for_kernel "$kernel" "$0" "$what" "$@"
		elif [ "$kernel" = stock ]; then
			"${build[@]}" stock "$(stock_kdir)" "$@"
		else
			"${build[@]}" "$kernel" "$("$TOP/testbed/debug-kernel.sh" "$kernel")/build"
		fi
	done
	;;
*)
	other_kernel "$what" || die "usage: build.sh stock|test|debug|kcsan|lockstat|ledger|mutants|siw|rxe|before|NAME [ARGUMENT...]"
	for_kernel "$what" "$0" "$(kind_of "$what")" "$@"
	;;
esac
