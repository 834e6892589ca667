#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What goes over the wire is version 2 as it should be: a mount and some work are
# captured, dissected by tshark with dissector/rpcrdma2.lua, and judged by
# dissector/judge.py, message by message and against the RDMA operations beside
# them. Neither shares code with the kernel.
#
# bed: pair
# kernels: stock
# devices: rxe siw
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/wire_lib.sh"

# work: takes messages of all kinds, and says what the client then knows of the
# connection.
work()
{
	local m=$RPCRDMA_MNT

	rpcrdma_mount 4.1 || return 1
	rpcrdma_exercise /dev/urandom || return 1
	cat "$RPCRDMA_DEBUGFS"/client/*/state > "$state"
	rm -rf "${m:?}"/*
	rpcrdma_umount
}

rpcrdma_begin 9
rpcrdma_placement 0 0
rpcrdma_t "the work is captured" capture || rpcrdma_end
rpcrdma_t "tshark dissects it" dissect || rpcrdma_end
rpcrdma_t "no header is malformed or against the protocol" judge sound
rpcrdma_t "both ends say INITXCH first, what debugfs says of them" judge opening
rpcrdma_t "every message is version 2 and grants or asks for credits" judge version
rpcrdma_t "every Call has one reply" judge pairs
rpcrdma_t "RDMA Reads fetch what the Read lists name, no more and no less" judge reads
rpcrdma_t "RDMA Writes stay within what Calls offer" judge writes
rpcrdma_t "replies invalidate the handle that their Call named" judge invalidations
rpcrdma_end
