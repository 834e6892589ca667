#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The network loses, doubles and reorders packets, and has a small MTU. soft-RoCE
# sends again from where a packet is missing, and gives a connection up that fails
# too often; TCP below soft-iWARP is slower.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# without: debug-siw
# except: stock-rxe stock-siw debug-rxe debug-siw
# asked: 7.3
# timeout: 600

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/fault_lib.sh"

# What tc netem is asked for, at both ends. What it draws has no seed that tc of Debian 12
# could set. "reorder 99%": the others are late. With many more of them soft-RoCE, which
# sends all again that was behind a late packet, gets no long message across.
BAD=("loss 0.1%" "loss 2%" "duplicate 0.1%" "duplicate 2%" "delay 1ms reorder 99% 50%"
	"loss 0.5% duplicate 0.5% delay 500us 300us reorder 98%")

# mtu BYTES: that of both ends.
mtu()
{
	fault_both "ip link set eth0 mtu $1"
}

# through WHAT...: the workers get on over a network that is so.
through()
{
	local rc=0

	fault_netem "$@" && fault_goes_on "$(rpcrdma_share 80)" 200 || rc=1
	fault_netem || rc=1
	return "$rc"
}

# usual: the network is as other tests expect it.
usual()
{
	fault_netem
	mtu "$TB_MTU"
	rpcrdma_cleanup
	rpcrdma_forget
}

mtus=("$TB_MTU" 1500)
rpcrdma_begin $((${#mtus[@]} * (${#BAD[@]} + 5)))
trap usual EXIT
fault_seed
for m in "${mtus[@]}"; do
	rpcrdma_t "MTU $m: both ends have it" mtu "$m"
	rpcrdma_t "MTU $m: mounts" rpcrdma_mount 4.1 || rpcrdma_end
	rpcrdma_t "MTU $m: files are worked on" fault_start -r -l
	for bad in "${BAD[@]}"; do
		rpcrdma_t "MTU $m: $bad" through "$bad"
	done
	rpcrdma_t "MTU $m: every byte is right at both ends" fault_stop || fault_kill
	rpcrdma_t "MTU $m: unmounts" fault_clean
done
rpcrdma_end
