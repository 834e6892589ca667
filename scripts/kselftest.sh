#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kselftest.sh: installs our tests with kselftest's own Makefile, as in a kernel tree that has
# them, into build/kselftest: "run_kselftest.sh -c rpcrdma" there runs them, on another machine,
# too. Modules of tests are for Debian's kernel, or KDIR=.

. "$(dirname "$0")/lib.sh"

src=$(kernel_source)
tree=$BUILD/kselftest-tree
log=$BUILD/kselftest.log
tests=$tree/tools/testing/selftests

# Of the tree there is what that Makefile looks at.
mkdir -p "$tests" "$tree/scripts"
cp "$src/scripts/subarch.include" "$tree/scripts/"
cp -r "$src"/tools/testing/selftests/{Makefile,lib.mk,run_kselftest.sh,kselftest} "$tests/"
rsync -a --delete --exclude=/rpcrdma/{bin,obj} --exclude='*.o' --exclude='*.ko' --exclude='.*.cmd' --exclude='*.mod*' \
	--exclude=modules.order --exclude=Module.symvers "$TOP/tools/testing/selftests/rpcrdma" "$tests/"
rm -rf "$BUILD/kselftest"
make -C "$tests" TARGETS=rpcrdma FORCE_TARGETS=1 KDIR="$(stock_kdir)" KSFT_INSTALL_PATH="$BUILD/kselftest" install \
	> "$log" 2>&1 || { tail -20 "$log" >&2; die "kselftest does not install our tests: see $log"; }
step "kselftest is in $BUILD/kselftest"
