#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Our client mounts from the conformance peer and bears whatever that answers,
# good and bad, as the specification says; peer/ has the cases, and sets what they
# need otherwise than it is by default.
#
# bed: pair
# kernels: stock debug kcsan 7.3
# devices: rxe siw
# module: test
# also: rxe+copy siw+ledger
# smp: 1 2
# except: debug-siw debug-rxe-2 stock-rxe-1 stock-siw
# timeout: 1800

. "$(dirname "$0")/rpcrdma_lib.sh"
# shellcheck source=tools/testing/selftests/rpcrdma/place_lib.sh
. "$(dirname "$0")/place_lib.sh"

trap place_restore EXIT
place_restore
rpcrdma_set client eager 1
rpcrdma_peer_ready
mkdir -p "$RPCRDMA_MNT"
# shellcheck disable=SC2046 # an option or none
rpcrdma_peer server --host 10.9.0.2 --dir "$RPCRDMA_MNT" $(rpcrdma_few)
