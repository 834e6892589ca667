#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A mount by an IPv6 address: the connection, its name in debugfs, callbacks and
# data of all sizes; and again after the connection was lost.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# except: debug-rxe debug-siw stock-rxe stock-siw
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/fault_lib.sh"

V6=fd09::
# addresses ADD|DEL: both ends have, or have not, an address of IPv6 on eth0.
addresses()
{
	ip -6 addr "$1" "${V6}2/64" dev eth0 nodad && tb_server "ip -6 addr $1 ${V6}1/64 dev eth0 nodad"
}

# mount6 VERS: mounts by that address.
mount6()
{
	local TB_SERVER_IP="[${V6}1]"

	rpcrdma_mount "$1" proto=rdma6
}

# by_v6: both ends say that the other one has an address of IPv6.
by_v6()
{
	rpcrdma_keys client peer
	rpcrdma_keys server peer
	rpcrdma_state client peer | grep -q "${V6}1" && rpcrdma_state server peer | grep -q "${V6}2"
}

# restart: the server closes all connections.
restart()
{
	tb_server 'tb_nfsd_stop && tb_nfsd_start grace' && fault_goes_on 10
}

# usual: as other tests expect the network.
usual()
{
	rpcrdma_cleanup
	addresses del 2> /dev/null
}

rpcrdma_begin 10
trap usual EXIT
fault_seed
rpcrdma_t "both ends have addresses of IPv6" addresses add || rpcrdma_end
rpcrdma_t "mounts" mount6 4.1 || rpcrdma_end
rpcrdma_t "speaks version 2" rpcrdma_version 2
rpcrdma_t "debugfs has the addresses" by_v6
rpcrdma_t "a tree survives the way there and back" rpcrdma_roundtrip
rpcrdma_t "a delegation is called back by that address" fault_called_back
tb_server 'rm -rf /export/*'
rpcrdma_t "files are worked on" fault_start -l
rpcrdma_t "a new connection is made" restart
rpcrdma_t "every byte is right at both ends" fault_stop || fault_kill
rpcrdma_t "speaks version 2 again" rpcrdma_version 2
rpcrdma_end
