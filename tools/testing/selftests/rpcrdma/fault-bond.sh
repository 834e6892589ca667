#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A bond fails over whose address nfsd listens at, and has another hardware address then: a
# client can connect again. It is on the server here, where no cable is needed.
#
# bed: pair
# kernels: stock
# devices: rxe
# timeout: 180

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/fault_lib.sh"

LISTEN=$(dirname "$0")/nfsd_listen.py
AT=10.66.0.1

# bonded: the server has a bond with a device of its own, and nfsd listens there.
bonded()
{
	tb_server "modprobe -a bonding dummy && ip link add bond9 type bond mode active-backup fail_over_mac active miimon 100 &&
		for n in 8 9; do ip link add dummy\$n type dummy && ip link set dummy\$n master bond9 && ip link set dummy\$n up || exit; done
		ip address add $AT/24 dev bond9 && ip link set bond9 up && rdma link add bond9 type rxe netdev bond9 &&
		tb_nfsd_stop && python3 $LISTEN rdma $AT 20049 && echo 8 > /proc/fs/nfsd/threads"
}

# mounted: a client there has a file from it.
mounted()
{
	tb_server "mount -t nfs -o vers=4.1,proto=rdma,port=20049,timeo=100,retry=0 $AT:/ /mnt && ls /mnt > /dev/null; rc=\$?
		umount /mnt && exit \$rc"
}

# fails_over NAME: its other half takes over, with another hardware address.
fails_over()
{
	was=$(fault_listener "$AT")
	tb_server "was=\$(cat /sys/class/net/bond9/address); ip link set bond9 type bond active_slave $1 && [ \$was != \$(cat /sys/class/net/bond9/address) ]"
}

# listens_anew: another one does.
listens_anew()
{
	local now

	now=$(fault_listener "$AT")
	[ -n "$now" ] && [ "$now" != "$was" ]
}

# as_before: the server has no bond, and nfsd listens at all addresses.
as_before()
{
	tb_server "tb_nfsd_stop; rdma link del bond9; ip link del bond9; ip link del dummy8; ip link del dummy9; tb_nfsd_start"
}

rpcrdma_begin 8
rpcrdma_t "nfsd listens at the address of a bond" bonded
rpcrdma_t "which can be mounted from" mounted
for other in dummy9 dummy8; do
	rpcrdma_t "the bond fails over to $other" fails_over $other
	rpcrdma_t "nfsd listens there again" tb_wait 10 listens_anew
done
rpcrdma_t "which can be mounted from" mounted
rpcrdma_t "all is as it was" as_before
rpcrdma_end
