#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prepare.sh [GLOB]: builds what "make check" needs, unless GLOB names only
# tests that do without.

. "$(dirname "$0")/../scripts/lib.sh"

"$TOP/scripts/deps.sh"
case ${1:-} in
unit | cost | dissector | accounting | testbed | figures | fuzz | style | series) exit 0 ;;
esac
"$TOP/scripts/build.sh" stock
if [[ " ${KERNELS:-debug} " == *" debug "* ]]; then
	env -u KERNEL "$TOP/scripts/build.sh" siw
else
	KERNEL=stock "$TOP/scripts/build.sh" siw
fi
for d in peer programs; do
	make -s -C "$TOP/tools/testing/selftests/rpcrdma/$d" OUT="$BUILD/$d"
done
[[ " ${KERNELS:-debug} " != *" debug "* ]] || "$TOP/scripts/build.sh" debug
