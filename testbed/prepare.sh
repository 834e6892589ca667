#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prepare.sh [GLOB]: builds what "make check" needs, unless GLOB names only
# tests that do without.

. "$(dirname "$0")/../scripts/lib.sh"

"$TOP/scripts/deps.sh"
case ${1:-} in
unit | dissector | accounting | fuzz | style | series) exit 0 ;;
esac
"$TOP/scripts/build.sh" stock
"$TOP/scripts/build.sh" siw
make -s -C "$TOP/tools/testing/selftests/rpcrdma/peer" OUT="$BUILD/peer"
[[ " ${KERNELS:-debug} " != *" debug "* ]] || "$TOP/scripts/build.sh" debug
