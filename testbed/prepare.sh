#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prepare.sh [KERNEL...]: installs what the tests need, and builds all that they
# need in virtual machines with these kernels: stock, debug, kcsan, lockstat, or
# names of scripts/kernels, with -debug behind them or without.

. "$(dirname "$0")/../scripts/lib.sh"

# build_programs DIR: what runs in virtual machines and is no kernel module.
build_programs()
{
	local d

	for d in peer programs; do
		make -s -C "$TOP/tools/testing/selftests/rpcrdma/$d" OUT="$1/$d"
	done
}

"$TOP/scripts/deps.sh"
[ $# -gt 0 ] || exit 0
for kernel; do
	"$TOP/scripts/build.sh" "$kernel"
	"$TOP/testbed/kernel.sh" "$kernel" > /dev/null
	! other_kernel "$kernel" || build_programs "$BUILD/${kernel%-debug}"
done
KERNEL="$*" "$TOP/scripts/build.sh" siw
KERNEL="$*" "$TOP/scripts/build.sh" rxe
# for skew, which "make check" leaves out on slow kernels unless they are asked for
for kernel; do
	case $kernel${EVERY_CASE:-}${KERNELS:-} in
	debug | kcsan* | lockstat) ;;
	*) other_kernel "$kernel" || KERNEL=$kernel "$TOP/scripts/build.sh" before ;;
	esac
done
build_programs "$BUILD"
