#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Our client mounts from the conformance peer and bears whatever that answers,
# good and bad, as the specification says; peer/ has the cases, and sets what they
# need otherwise than it is by default.
#
# bed: pair
# kernels: stock debug kcsan
# devices: rxe siw
# also: rxe+copy siw+ledger
# smp: 1 2
# except: debug-siw debug-rxe-2 stock-rxe-1 stock-siw-2
# timeout: 1800

. "$(dirname "$0")/rpcrdma_lib.sh"

rpcrdma_peer_ready
mkdir -p "$RPCRDMA_MNT"
# shellcheck disable=SC2046 # an option or none
rpcrdma_peer server --host 10.9.0.2 --dir "$RPCRDMA_MNT" $(rpcrdma_few)
