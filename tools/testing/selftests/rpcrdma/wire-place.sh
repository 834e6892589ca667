#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What goes over the wire while data is placed by Send is as it should be: padding
# is zero, data is where the receiver has a place for it, and RPC comes of both.
# dissector/ rebuilds and judges it; it shares no code with the kernel.
#
# bed: pair
# kernels: stock
# devices: rxe siw
# module: test
# except: stock-siw
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/wire_lib.sh"
. "$(dirname "$0")/place_lib.sh"

# work: READs and WRITEs of sizes below, at and above a page and what is placed,
# with operations behind the data, and messages that need chunks beside them.
work()
{
	local m=$RPCRDMA_MNT n

	rpcrdma_mount 4.1 && rpcrdma_ready || return 1
	for n in 1 100 4095 4096 4097 8191 8192 20001 65536 200000; do
		dd if=/dev/urandom of="$m/f$n" bs="$n" count=2 oflag=direct 2> /dev/null || return 1
		dd if="$m/f$n" of=/dev/null bs="$n" iflag=direct 2> /dev/null || return 1
	done
	rpcrdma_listing "$m/d"
	cat "$RPCRDMA_DEBUGFS"/client/*/state > "$state"
	rm -rf "${m:?}"/*
	rpcrdma_umount
}

rpcrdma_begin 10
# wire-groups.sh has messages of several Sends
place_single
rpcrdma_t "the work is captured" capture || rpcrdma_end
rpcrdma_t "tshark dissects it" dissect || rpcrdma_end
rpcrdma_t "no header is malformed, no padding is not zero" judge sound
rpcrdma_t "both ends say INITXCH first, what debugfs says of them" judge opening
rpcrdma_t "both ends say that data may be placed, and where" judge offers
rpcrdma_t "every message is version 2 and grants or asks for credits" judge version
rpcrdma_t "every Call has one reply" judge pairs
rpcrdma_t "data is placed both ways, and RPC comes of it" judge placed
rpcrdma_t "every message is one Send, and no byte is two things" judge single
rpcrdma_t "RDMA Writes stay within what Calls offer" judge writes
rpcrdma_end
