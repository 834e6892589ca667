#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The host test xdr: holds three readers against the drafts' own XDR. SPEC= is the
# folder of their texts, ../shared/spec beside the checkout unless it says so. Where
# that is not, what needs no texts is compiled, and the rest is a skip. Each type is tried
# 20000 times, in "make check-all" 100000 times.

here=$(cd "$(dirname "$0")" && pwd)
beside=$here/../../../../../../shared/spec

make -s -C "$here" readers || exit 1
if [ -z "${SPEC:-}" ] && ! [ -d "$beside" ]; then
	printf 'TAP version 13\n1..0 # SKIP no texts of the drafts: not in ../shared/spec, and SPEC= names no folder\n'
	exit 4
fi
[ -n "${COUNT:-}${EVERY_CASE:-}" ] || export COUNT=20000
exec make -s -C "$here" run SPEC="$(realpath -m "${SPEC:-$beside}")"
