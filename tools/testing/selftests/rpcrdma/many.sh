#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many at a time: 16 connections of one mount; 16 mounts with transports of their own,
# every other one of version 1; two clients that want the same locks; and a mount from
# another network namespace, which soft-RoCE and soft-iWARP cannot make, and which has
# to fail like that.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# without: debug-siw
# except: stock-rxe stock-siw debug-rxe debug-siw
# asked: 7.3
# timeout: 900

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/fault_lib.sh"

MANY=16
NET=${TB_SERVER_IP%.*}

# sixteen END: so many connections, all of version 2.
sixteen()
{
	tb_wait 30 rpcrdma_all_versions "$1" 2 "$MANY" || { rpcrdma_keys "$1" version why; return 1; }
}

# addresses add|del: the server has more of them, so that each mount with version 3 of
# NFS has a transport of its own.
addresses()
{
	tb_server "for ((n = 100; n < 100 + $MANY; n++)); do ip addr $1 $NET.\$n/24 dev eth0; done"
}

# mount_all: mounts by all these addresses, every other time with version 1.
mount_all()
{
	local n

	tb_server "cd /export; for ((n = 0; n < $MANY; n++)); do mkdir -p w\$n; chmod 777 w\$n; done"
	for ((n = 0; n < MANY; n++)); do
		echo $((1 + n % 2)) > /proc/sys/sunrpc/rdma_max_version
		mkdir -p "$RPCRDMA_MNT/w$n"
		TB_SERVER_IP=$NET.$((100 + n)) RPCRDMA_BELOW=w$n RPCRDMA_MNT=$RPCRDMA_MNT/w$n rpcrdma_mount 3 || return 1
	done
}

# versions END: half of the connections of END speak version 1, half version 2.
versions()
{
	local got

	got=$(rpcrdma_state "$1" version | sort | uniq -c | awk '{ print $2 "x" $1 }' | tr '\n' ' ')
	echo "$1: $got"
	[ "$got" = "1x$((MANY / 2)) 2x$((MANY / 2)) " ]
}

# umount_all: one after the other.
umount_all()
{
	local m

	for m in "$RPCRDMA_MNT"/w*; do
		rpcrdma_umount "$m" && rmdir "$m" || return 1
	done
}

# two_clients: versions 4.1 and 4.2 of NFS make two clients of one machine.
two_clients()
{
	mkdir -p "$RPCRDMA_WORK/second"
	rpcrdma_mount 4.1 && RPCRDMA_MNT=$RPCRDMA_WORK/second rpcrdma_mount 4.2 &&
		[ "$(tb_server 'ls /proc/fs/nfsd/clients | wc -l')" -ge 2 ]
}

# both_count: processes of both clients work on files of their own, and add to one
# number in turn.
both_count()
{
	local rc=0 one=$RPCRDMA_WORK/one two=$RPCRDMA_WORK/two pid

	rm -rf "$FAULT_MIRROR"
	mkdir -p "$one" "$two" "$FAULT_MIRROR"
	/out/bin/fault_io -l -f 0 -w 3 -s "$FAULT_SEED" "$RPCRDMA_MNT" "$FAULT_MIRROR" "$one" &
	pid=$!
	/out/bin/fault_io -l -f 3 -w 3 -s "$FAULT_SEED" "$RPCRDMA_WORK/second" "$FAULT_MIRROR" "$two" &
	tb_wait 150 counted_to "$(rpcrdma_share 80)" || { echo "counted to $(cat "$RPCRDMA_MNT/counter")"; rc=1; }
	touch "$one/stop" "$two/stop"
	wait "$pid" || rc=1
	wait $! || rc=1
	cat "$one"/counted.* "$two"/counted.* | awk '{ s += $1 } END { print s }' > "$FAULT_MIRROR/counter"
	echo "counted to $(cat "$FAULT_MIRROR/counter")"
	fault_compare || rc=1
	rpcrdma_umount "$RPCRDMA_WORK/second" || rc=1
	return "$rc"
}

# counted_to COUNT: as the server has it.
counted_to()
{
	[ "$(tb_server 'cat /export/counter')" -ge "$1" ]
}

# namespace: the switches and debugfs of another network namespace are those of all.
namespace()
{
	local f

	ip netns add other || return 1
	for f in rdma_max_version svc_rdma/max_version; do
		[ "$(ip netns exec other cat "/proc/sys/sunrpc/$f")" = "$(cat "/proc/sys/sunrpc/$f")" ] || return 1
	done
	echo 1 > /proc/sys/sunrpc/rdma_max_version
	[ "$(ip netns exec other cat /proc/sys/sunrpc/rdma_max_version)" = 1 ] || return 1
	echo 2 > /proc/sys/sunrpc/rdma_max_version
	ip netns exec other sh -c "mount -t debugfs debugfs $RPCRDMA_WORK && ls $RPCRDMA_WORK/rpcrdma2/client"
}

# from_namespace: a mount from there, over a device of its own, ends in time one way
# or the other. If it succeeds, data is right.
from_namespace()
{
	local rc=0

	ip link add veth0 type veth peer name veth1 netns other || return 1
	ip addr add 10.9.2.1/24 dev veth0
	ip link set veth0 up
	echo 1 > /proc/sys/net/ipv4/ip_forward
	tb_server "ip route replace 10.9.2.0/24 via $NET.2"
	ip netns exec other bash -c "ip link set lo up; ip addr add 10.9.2.2/24 dev veth1; ip link set veth1 up
		ip route add default via 10.9.2.1; ping -c 1 -W 10 $TB_SERVER_IP > /dev/null" || return 1
	ip netns exec other rdma link add "${TB_DEV}1" type "$TB_DEV" netdev veth1 || echo "no device there"
	if ip netns exec other timeout 100 mount -t nfs -o vers=4.1,proto=rdma,port=20049,retry=0,soft,timeo=50,retrans=1 \
		"$TB_SERVER_IP:/" "$RPCRDMA_MNT"; then
		rpcrdma_roundtrip other || rc=1
		rpcrdma_umount || rc=1
	else
		rc=$?
		echo "mount ends with $rc"
		[ "$rc" -ge 124 ] || rc=0
	fi
	return "$rc"
}

# namespace_gone: that namespace and its devices are removed.
namespace_gone()
{
	! rdma link show "${TB_DEV}1" > /dev/null 2>&1 || rdma link del "${TB_DEV}1" || return 1
	ip link del veth0 && ip netns del other
}

# usual: nothing of this is left.
usual()
{
	rpcrdma_cleanup
	[ ! -e /run/netns/other ] || namespace_gone
	addresses del 2> /dev/null
}

rpcrdma_begin 19
trap usual EXIT
fault_seed
rpcrdma_t "mounts with nconnect=$MANY" rpcrdma_mount 4.1 nconnect=$MANY || rpcrdma_end
rpcrdma_t "files are worked on" fault_start -l -w 8
rpcrdma_t "all connections are used" fault_goes_on "$(rpcrdma_share 100)"
rpcrdma_t "the client has $MANY transports of version 2" sixteen client
rpcrdma_t "the server has $MANY connections of version 2" sixteen server
rpcrdma_t "every byte is right at both ends" fault_stop || fault_kill
rpcrdma_t "unmounts" fault_clean
addresses add
rpcrdma_t "$MANY mounts" mount_all || rpcrdma_end
rpcrdma_t "files are worked on" fault_start -r -w "$MANY"
rpcrdma_t "on all of them" fault_goes_on "$(rpcrdma_share 100)"
rpcrdma_t "the client speaks both versions" versions client
rpcrdma_t "and so does the server" versions server
rpcrdma_t "every byte is right at both ends" fault_stop || fault_kill
rpcrdma_t "unmounts" umount_all
rpcrdma_max_version 2 2
tb_server 'rm -rf /export/*'
rpcrdma_t "two clients" two_clients
rpcrdma_t "respect each other's locks" both_count
rpcrdma_umount
tb_server 'rm -rf /export/*'
rpcrdma_t "switches and debugfs are those of all namespaces" namespace
rpcrdma_t "a mount from another namespace ends" from_namespace
rpcrdma_t "and the namespace goes with its devices" namespace_gone
rpcrdma_end
