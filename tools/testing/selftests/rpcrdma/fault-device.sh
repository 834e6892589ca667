#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The RDMA device of an end is removed while files are worked on, and comes back:
# nothing holds on to what is gone, and the work goes on when there is a device.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# except: debug-rxe debug-siw stock-siw
# timeout: 900

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/fault_lib.sh"

REMOVE="timeout 60 rdma link del ${TB_DEV}0"
LISTEN=$(dirname "$0")/nfsd_listen.py

# gone END: the device is removed, and no connection of that end says it is up.
gone()
{
	if [ "$1" = client ]; then $REMOVE; else tb_server "$REMOVE"; fi
}

# back END: there is a device again.
back()
{
	if [ "$1" = client ]; then tb_device; else tb_server tb_device; fi
}

# away SECONDS END...: the devices of these ends are away for so long. The workers
# may end none of their operations meanwhile, and go on afterwards.
away()
{
	local seconds=$1 end

	shift
	for end; do
		gone "$end" || { echo "the device of the $end does not go"; return 1; }
	done
	sleep "$seconds"
	for end; do
		back "$end" || return 1
	done
	fault_goes_on 10
}

# listens_there: nfsd listens at one address, which binds it to the device.
listens_there()
{
	tb_server "tb_nfsd_stop && python3 $LISTEN rdma $TB_SERVER_IP 20049 && echo 8 > /proc/fs/nfsd/threads"
}

# listens: nfsd does, there.
listens()
{
	[ -n "$(fault_listener "$TB_SERVER_IP")" ]
}

# listens_as_before: at all addresses.
listens_as_before()
{
	tb_server "tb_nfsd_stop && tb_nfsd_start"
}

rounds=$(rpcrdma_share 8)
rpcrdma_begin $((10 + rounds * 3))
fault_seed
rpcrdma_t "mounts" rpcrdma_mount 4.1 || rpcrdma_end
rpcrdma_t "files are worked on" fault_start
for ((n = 0; n < rounds; n++)); do
	rpcrdma_t "round $n: the client's device is away" away $((n % 2 * 3)) client || break
	rpcrdma_t "round $n: the server's device is away" away $((n % 2 * 3)) server || break
	rpcrdma_t "round $n: both devices are away" away 1 client server || break
done
rpcrdma_t "every byte is right at both ends" fault_stop || fault_kill
rpcrdma_t "over version 2" rpcrdma_version 2

rpcrdma_umount
rpcrdma_t "nfsd listens at one address" listens_there
rpcrdma_t "which can be mounted from" eval 'rpcrdma_mount 4.1 && rpcrdma_umount'
rpcrdma_t "its device is removed at once" gone server
rpcrdma_t "nfsd listens there again once it is back" eval 'back server && tb_wait 30 listens && rpcrdma_mount 4.1 && rpcrdma_umount'
rpcrdma_t "nfsd listens at all addresses again" listens_as_before
rpcrdma_t "which can be mounted from" eval 'rpcrdma_mount 4.1 && rpcrdma_umount'
rpcrdma_end
