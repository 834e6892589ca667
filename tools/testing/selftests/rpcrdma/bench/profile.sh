#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# profile.sh: prints where the instructions of one operation go, function by function,
# for each transport beside the others. Both ends are on one virtual machine, where time
# is counted in instructions. By environment:
#
#   OP=write SIZE=8K DEPTH=8     the operation
#   DEV=siw                      the device, siw or rxe
#   VERSIONS="v1-inline64k v2"   the transports, which bed.sh has the names of
#   ROWS=40                      how many functions to print

. "$(dirname "$0")/../../../../../scripts/lib.sh"

here=tools/testing/selftests/rpcrdma/bench
results=$BUILD/results/profile-$(date +%Y%m%d-%H%M%S)
op=${OP:-write}
bytes=$(numfmt --from=iec "${SIZE:-8K}")
read -ra transports <<< "${VERSIONS:-v1-inline64k v2}"

"$TOP/testbed/prepare.sh" stock
mkdir -p "$results"
step "profiling $op of $bytes bytes: ${transports[*]} (some minutes)"
OUT=$results KERNEL=stock DEV=${DEV:-siw} TIMEOUT=3600 ALONE=1 ICOUNT=yes "$TOP/testbed/pair.sh" "$here/bed.sh" full \
	"profile:$op:$bytes:${DEPTH:-8}" "${transports[@]}" > "$results/log" 2>&1 ||
	{ tail -20 "$results/log" >&2; die "failed: see $results"; }
python3 "$TOP/$here/profile.py" "$results/bench/profile" "$op" "${transports[@]}" --rows "${ROWS:-40}"
