#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the connection manager tells, and when, does no harm: a neighbour entry that
# changes under a connection, events that come before a connection is half made, and a
# connection that is lost at this end in the middle of the opening exchange. And a
# device whose queues are just long enough for version 1 has room for version 2.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# except: debug-rxe debug-siw stock-siw
# timeout: 400

. "$(dirname "$0")/rpcrdma_lib.sh"
# shellcheck source=tools/testing/selftests/rpcrdma/place_lib.sh
. "$(dirname "$0")/place_lib.sh"

UNREACHABLE=7
ADDR_CHANGE=14
CONNECTS=3

# fault NAME VALUE: see modules/rpcrdma_cmfault.c.
fault()
{
	echo "$2" > "/sys/module/rpcrdma_cmfault/parameters/$1"
}

# slow MILLISECONDS: what the server sends takes that long; 0 for no time.
slow()
{
	tb_server "tc qdisc del dev eth0 root 2> /dev/null; [ $1 = 0 ] || tc qdisc add dev eth0 root netem delay ${1}ms"
}

# cleanup: leaves device, network and module as they were.
cleanup()
{
	slow 0
	tc qdisc del dev eth0 root 2> /dev/null
	fault max_qp_wr 0
	fault early 0
	fault hide 0
	[ -e "/sys/class/infiniband/${TB_DEV}0" ] || tb_device
	rpcrdma_cleanup
}

# reconnect: has the mount's connection closed, and made anew when it is needed.
reconnect()
{
	local f

	for f in /sys/kernel/sunrpc/xprt-switches/switch-*/xprt-*-rdma/dstaddr; do
		echo "$TB_SERVER_IP" > "$f" || return 1
	done
}

# works: an operation on the mount comes back.
works()
{
	timeout 120 stat -f "$RPCRDMA_MNT" > /dev/null || { echo "the mount hangs"; return 1; }
}

# parallel: READs of 1 MiB, many at a time, which take more memory regions than
# a connection begins with.
parallel()
{
	local n

	for n in 1 2 3 4 5 6 7 8; do
		timeout 60 dd if="$RPCRDMA_MNT/f" of=/dev/null bs=1M iflag=direct status=none &
	done
	for n in 1 2 3 4 5 6 7 8; do
		wait -n || { echo "a READ does not come back"; return 1; }
	done
}

# moved: the server's neighbour entry becomes another one, and the right one again.
moved()
{
	local connects

	connects=$(rpcrdma_xprt "$CONNECTS")
	tb_cut && tb_heal && parallel || return 1
	[ "$(rpcrdma_xprt "$CONNECTS")" = "$connects" ] || { echo "the connection was made anew"; return 1; }
}

# early EVENT: a connection is told of EVENT while its route is being resolved.
early()
{
	fault early "$1" && reconnect && works && [ "$(cat /sys/module/rpcrdma_cmfault/parameters/early)" = 0 ]
}

# probing THAN: the client has sent another message of its own, and knows no version.
probing()
{
	rpcrdma_is client version 0 && [ "$(place_sum client control_sent)" -gt "$1" ]
}

# lost_probing COMMAND...: does COMMAND while the client waits for the answer to its
# INITXCH.
lost_probing()
{
	local sent rc=0

	sent=$(place_sum client control_sent)
	slow 2500
	reconnect || rc=1
	works &
	tb_wait 60 probing "$sent" || { echo "no probe was sent"; rc=1; }
	"$@" || rc=1
	slow 0
	wait $! || rc=1
	return "$rc"
}

# unplug: takes the device away, and gives it back.
unplug()
{
	timeout 60 rdma link delete "${TB_DEV}0" || { echo "the device does not go"; return 1; }
	tb_device
}

# unplug_soon: the same, and nothing waits for CM, which asks an end that does not answer for
# more than a minute. Most of what it may take is a slow kernel's, which has to make the device again.
unplug_soon()
{
	local s=$SECONDS

	unplug || return 1
	[ $((SECONDS - s)) -lt 30 ] || { echo "the device was held for $((SECONDS - s)) s"; return 1; }
}

# silent: a device goes while the server of a connection does not answer any more.
silent()
{
	local rc=0

	works && tb_server tb_cut || return 1
	unplug_soon || rc=1
	tb_server tb_heal
	works && return "$rc"
}

# lose: the connection is lost at this end. It may be about to be established.
lose()
{
	tb_wait 10 fault now "$ADDR_CHANGE"
}

# lost_twice EVENT...: the connection is lost at this end during two probes, which says
# nothing about the server.
lost_twice()
{
	lost_probing lose && lost_probing "$@" && works && rpcrdma_version 2 client
}

# connecting: the client has a connection, or is making one.
connecting()
{
	rdma resource show cm_id 2> /dev/null | grep -q 'state CONNECT .*rpcrdma'
}

# unanswered: a device goes while a connection to a server is being made that cannot
# answer.
unanswered()
{
	local rc=0

	tb_server tb_cut
	rpcrdma_mount 4.1 soft,retry=0,timeo=100,retrans=1 &
	tb_wait 20 connecting || { echo "nothing is being connected"; rc=1; }
	unplug_soon || rc=1
	tb_server tb_heal
	# it may come to an end either way now
	wait $!
	rpcrdma_umount_all
	return "$rc"
}

# half_made: the server gives a connection up that its client asked for and then went.
half_made()
{
	local s rc=0

	tb_server tb_cut
	rpcrdma_mount 4.1 soft,retry=0,timeo=100,retrans=1 &
	tb_wait 60 eval '! tb_server tb_unconnected' || { echo "the server has no connection"; rc=1; }
	tb_cut
	s=$SECONDS
	tb_wait 150 tb_server tb_unconnected || { echo "it still has it"; rc=1; }
	echo "it had it for $((SECONDS - s)) s"
	tb_heal
	tb_server tb_heal
	wait $!
	rpcrdma_umount_all
	return "$rc"
}

# established_since COUNT: more connections have been established than these.
established_since()
{
	[ "$(cat /sys/module/rpcrdma_cmfault/parameters/established)" -gt "$1" ]
}

# untold: the client is not told that its server does not answer, as where the server says again
# and again that it takes long. It gives up by itself.
untold()
{
	local s=$SECONDS rc=0

	tb_server tb_cut
	fault hide "$UNREACHABLE"
	rpcrdma_mount 4.1 soft,retry=0,timeo=100,retrans=1 && rc=1
	rpcrdma_umount_all
	tb_wait 180 rpcrdma_unused || { echo "it is still connecting"; rc=1; }
	echo "it gave up after $((SECONDS - s)) s"
	[ $((SECONDS - s)) -gt 90 ] || { echo "it was told"; rc=1; }
	fault hide 0
	tb_server tb_heal
	return "$rc"
}

# taken_back: the server goes before it has seen the RTU, so it rejects what it had
# accepted. The client releases the connection and makes another one. With version 2 it
# would probe with version 1 next.
taken_back()
{
	local n rc=0

	rpcrdma_max_version 1 2
	# neither end has to ask for the other's address below
	rpcrdma_mount 4.1 && rpcrdma_umount || return 1
	n=$(cat /sys/module/rpcrdma_cmfault/parameters/established)
	slow 5000
	rpcrdma_mount 4.1 &
	tb_wait 60 eval '! tb_server tb_unconnected' || { echo "the server has no connection"; rc=1; }
	# CMA would be told of a neighbour entry that changes
	tc qdisc add dev eth0 root netem loss 100% || rc=1
	tb_wait 60 established_since "$n" || { echo "the client is not connected"; rc=1; }
	slow 0
	tb_server tb_nfsd_stop || rc=1
	tc qdisc del dev eth0 root
	tb_server tb_nfsd_start || rc=1
	wait $! || rc=1
	rpcrdma_umount || rc=1
	tb_wait 30 rpcrdma_unused || { echo "$(cat /sys/module/rpcrdma/refcnt) references are left"; rc=1; }
	rpcrdma_max_version 2 2
	return "$rc"
}

# small: a device with queues that version 1 takes up takes all kinds of messages of
# version 2, too.
small()
{
	fault max_qp_wr 2000
	rpcrdma_mount 4.1 && rpcrdma_version 2 client && rpcrdma_roundtrip small && parallel
}

# What soft-iWARP has to say of these, TCP does, and after minutes. Of a connection
# that is half made, CM says so after one, and the client without CM after two, for which only
# check-all has time.
count=9
[ "$TB_DEV" != rxe ] || count=12
[ "$TB_DEV" != rxe ] || ! rpcrdma_everything || count=14
rpcrdma_begin "$count"
trap cleanup EXIT
[ -d /sys/module/rpcrdma_cmfault ] || insmod /out/bin/rpcrdma_cmfault.ko || rpcrdma_end
tb_server 'head -c 4M /dev/urandom > /export/f'
rpcrdma_max_version 1 2
rpcrdma_t "mounts with version 1" rpcrdma_mount 4.1
rpcrdma_t "version 1 outlives a neighbour entry that changes" moved
rpcrdma_umount
rpcrdma_max_version 2 2
rpcrdma_t "mounts with version 2" rpcrdma_mount 4.1
rpcrdma_t "version 2 outlives a neighbour entry that changes" moved
rpcrdma_t "connects in spite of an early UNREACHABLE" early $UNREACHABLE
rpcrdma_t "connects in spite of an early ADDR_CHANGE" early $ADDR_CHANGE
rpcrdma_t "an address that moves during the probe is not the server's fault" lost_twice lose
rpcrdma_t "nor is a device that goes" lost_twice unplug
[ "$TB_DEV" != rxe ] || rpcrdma_t "a device goes while the server answers no more" silent
rpcrdma_umount
[ "$TB_DEV" != rxe ] || rpcrdma_t "a device goes while it connects to such a server" unanswered
[ "$count" != 14 ] || rpcrdma_t "a client goes while it connects" half_made
[ "$count" != 14 ] || rpcrdma_t "a client gives up a server that is not found unreachable" untold
[ "$TB_DEV" != rxe ] || rpcrdma_t "a server takes back that it has accepted" taken_back
rpcrdma_t "version 2 fits a device with short queues" small
rpcrdma_end
