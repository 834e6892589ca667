#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Messages that take several Sends go over the wire as they should: their numbers, their
# lengths, where their data lies, and the credits they take, of WRITEs, of READs, and
# of long Calls of the server. dissector/ rebuilds and judges them; it shares no code
# with the kernel.
#
# bed: pair
# kernels: stock
# devices: rxe siw
# module: test
# except: stock-siw
# timeout: 300

. "$(dirname "$0")/callback_lib.sh"
. "$(dirname "$0")/wire_lib.sh"
. "$(dirname "$0")/place_lib.sh"

# work: data that needs two Receives of the client's and more, and reverse Calls that
# do; the short ones before tell the server what the client grants.
work()
{
	local m=$RPCRDMA_MNT n

	rpcrdma_mount 4.1 && rpcrdma_ready || return 1
	for n in 20001 65540 100000 200001; do
		dd if=/dev/urandom of="$m/f$n" bs="$n" count=2 oflag=direct 2> /dev/null || return 1
		dd if="$m/f$n" of=/dev/null bs="$n" iflag=direct 2> /dev/null || return 1
	done
	cb_answered 10 cb_flood 10 1 0 60000 && cb_answered 20 cb_flood 20 2 40000 60000 || return 1
	cat "$RPCRDMA_DEBUGFS"/client/*/state > "$state"
	rm -rf "${m:?}"/*
	rpcrdma_umount
}

cb_begin 8
trap 'place_defaults; cb_cleanup' EXIT
tb_server 'echo 16 > /proc/sys/sunrpc/svc_rdma/max_bc_requests'
place_defaults
place_set pages 2
rpcrdma_t "the work is captured" capture || rpcrdma_end
rpcrdma_t "tshark dissects it" dissect || rpcrdma_end
rpcrdma_t "no header is malformed, no padding is not zero" judge sound
rpcrdma_t "both ends say INITXCH first, what debugfs says of them" judge opening
rpcrdma_t "every message is version 2 and grants or asks for credits" judge version
rpcrdma_t "every Call has one reply" judge pairs
rpcrdma_t "requests and responses of several Sends are whole" judge groups
rpcrdma_t "so are the server's own Calls" judge reverse
rpcrdma_end
