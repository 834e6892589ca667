# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# What bed.sh and smp.sh share; sourced behind the library of the test bed, with $out set.

# fact NAME VALUE...: keeps what the page tells of this run.
fact()
{
	local name=$1

	shift
	printf '%s=%s\n' "$name" "$*" >> "$out/facts"
}

# lone_device: makes the RDMA device of a virtual machine that has no other. What goes
# through lo is cut as on the network of two.
lone_device()
{
	ip link set lo mtu 9000 && modprobe dummy numdummies=1 && ip link set dummy0 mtu 9000 up &&
		ip addr add "$TB_SERVER_IP/24" dev dummy0 && tb_driver &&
		rdma link add "${TB_DEV}0" type "$TB_DEV" netdev dummy0 && tb_nfsd_prepare
}
