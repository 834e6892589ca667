#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prepare.sh [KERNEL...]: installs what the tests need, and builds all that they
# need in virtual machines with these kernels.

. "$(dirname "$0")/../scripts/lib.sh"

"$TOP/scripts/deps.sh"
[ $# -gt 0 ] || exit 0
for kernel; do
	"$TOP/scripts/build.sh" "$kernel"
	"$TOP/testbed/kernel.sh" "$kernel" > /dev/null
done
KERNEL="$*" "$TOP/scripts/build.sh" siw
KERNEL="$*" "$TOP/scripts/build.sh" rxe
# for skew, which "make check" leaves out on slow kernels unless they are asked for
for kernel; do
	case $kernel${EVERY_CASE:-}${KERNELS:-} in
	debug | kcsan*) ;;
	*) KERNEL=$kernel "$TOP/scripts/build.sh" before ;;
	esac
done
for d in peer programs; do
	make -s -C "$TOP/tools/testing/selftests/rpcrdma/$d" OUT="$BUILD/$d"
done
