#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Applications that others wrote get what they expect of a file system: fio verifies
# what it wrote in all sizes and depths, buffered, direct and mapped; stress-ng's file
# system stressors and dbench; a clone with git; a build with a compiler. A share of
# them for lack of time; all of it by "make check-all", and for hours by "make soak".
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# without: debug-siw
# except: stock-rxe stock-siw debug-rxe debug-siw
# asked: 7.3
# timeout: 2400

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/fault_lib.sh"
. "$(dirname "$0")/apps_lib.sh"

rpcrdma_begin 7
fault_seed
rpcrdma_t "mounts" rpcrdma_mount 4.2 || rpcrdma_end
rpcrdma_t "fio" apps_fio_all fio
rpcrdma_t "stress-ng" apps_stress stress 4
rpcrdma_t "dbench" apps_dbench dbench 10
rpcrdma_t "git" apps_git git
rpcrdma_t "a build" apps_build build
rpcrdma_t "over version 2" rpcrdma_version 2
rpcrdma_end
