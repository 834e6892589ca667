#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# soak.sh HOURS: applications on mounts for so long, over a network that is not always
# there, in one pair of virtual machines (KERNEL=, DEV=, SMP=, SEED=: see pair.sh). The
# run fails for a wrong byte, a complaint of a kernel, a leak (KERNEL=debug), or memory
# that grows.

. "$(dirname "$0")/../scripts/lib.sh"

[ $# = 1 ] || die "usage: soak.sh HOURS"
seconds=$(awk -v h="$1" 'BEGIN { print int(h * 3600) }')
[ "$seconds" -gt 0 ] || die "HOURS=$1: for how long?"
export OUT=${OUT:-$BUILD/soak/$(date +%Y%m%d-%H%M%S)}
"$TOP/testbed/prepare.sh" "${KERNEL:-stock}"
mkdir -p "$OUT"
step "soaking for $1 hours: follow $OUT/soak.log"
rc=0
SOAK_SECONDS=$seconds TIMEOUT=$((seconds + 7200)) "$TOP/testbed/pair.sh" testbed/run-tests "soak:$((seconds + 3600))" || rc=$?
grep -qs '^end soak 0 ' "$OUT/output" || rc=1
tail -5 "$OUT/soak.log"
step "soak: $([ "$rc" = 0 ] && echo passed || echo FAILED), see $OUT"
exit "$rc"
