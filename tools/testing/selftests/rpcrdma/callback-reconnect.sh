#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Connections come and go under callbacks and forward load: no answer leaves
# over a connection that did not bring the callback, credits start anew, and a
# recall that meets a client without a connection does not keep the server
# waiting for longer than NFS allows. A client that can be called does not end
# an idle connection by itself.
#
# bed: pair
# kernels: stock debug kcsan
# devices: rxe siw
# smp: 2
# except: debug-rxe debug-siw stock-siw
# timeout: 300

. "$(dirname "$0")/callback_lib.sh"

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	{ tb_heal; tb_server tb_heal; } > /dev/null 2>&1
	load_stop
	cb_cleanup
	lease 10
}

# lease SECONDS: how long a client may be silent before nfsd takes back what it has delegated.
lease()
{
	tb_server "tb_nfsd_stop && echo $1 > /proc/fs/nfsd/nfsv4leasetime && tb_nfsd_start"
}

# load_start: keeps the forward direction busy, so that the client comes back.
load_start()
{
	while [ ! -e "$RPCRDMA_WORK/stop" ]; do
		dd if=/dev/zero of="$RPCRDMA_MNT/load" bs=4k count=50 oflag=direct status=none || return 1
		echo >> "$RPCRDMA_WORK/rounds"
	done &
	load=$!
}

# load_stop: and not any more; fails if it had come to an end.
load_stop()
{
	local rc

	[ -n "${load:-}" ] || return 0
	touch "$RPCRDMA_WORK/stop"
	wait "$load"
	rc=$?
	load=
	return "$rc"
}

# path_up: nfsd can call the client back.
path_up()
{
	tb_server 'grep -q "^callback state: UP" /proc/fs/nfsd/clients/*/info'
}

# address FILE: sets the address of a transport. sunrpc waits there for the end
# of whatever is being sent, but only the end of a connect wakes it: it has a
# second for that.
address()
{
	timeout 1 tee "$1" <<< "$TB_SERVER_IP"
}

# reconnect: has the client drop its connection and make another one.
reconnect()
{
	local f

	for f in /sys/kernel/sunrpc/xprt-switches/switch-*/xprt-*-rdma/dstaddr; do
		tb_wait 20 address "$f" || return 1
	done
}

# connected_more THAN: there have been more connections.
connected_more()
{
	[ "$(rpcrdma_xprt 3)" -gt "$1" ]
}

# broken: the connection goes while the server calls back.
broken()
{
	local flood before

	before=$(rpcrdma_xprt 3)
	cb_flood 100000 16 0 1000 3000 > "$RPCRDMA_WORK/flood" 2>&1 &
	flood=$!
	tb_wait 10 more_callbacks "$callbacks" || { echo "no callbacks"; return 1; }
	reconnect || return 1
	wait "$flood"
	tb_wait 30 connected_more "$before" && tb_wait 30 path_up && tb_server "echo > $CB_FLOOD"
}

# more_callbacks THAN: the client has been called more often.
more_callbacks()
{
	[ "$(rpcrdma_state client reverse_calls)" -gt "$1" ]
}

# all_broken COUNT: so many connections go.
all_broken()
{
	local i

	for ((i = 0; i < $1; i++)); do
		callbacks=$(rpcrdma_state client reverse_calls)
		broken || { echo "round $i failed"; cat "$RPCRDMA_WORK/flood"; return 1; }
	done
	echo "answers discarded with their connections: $(rpcrdma_state client reverse_stale)"
}

# sane: no answer met a server that had not asked, and no credit is missing.
sane()
{
	echo "server: unmatched $(rpcrdma_state server unmatched), in use $(rpcrdma_state server reverse_in_use)"
	echo "client: overruns $(rpcrdma_state client reverse_overruns), in use $(rpcrdma_state client reverse_in_use)"
	[ "$(rpcrdma_state server unmatched | sort -u)" = 0 ] && [ "$(rpcrdma_state client reverse_overruns)" = 0 ] &&
		[ "$(rpcrdma_state client reverse_in_use)" = 0 ] && [ "$(rpcrdma_state server reverse_in_use | sort -u)" = 0 ]
}

# again: after all that, callbacks get through as before.
again()
{
	cb_answered 1000 cb_flood 1000 16 0 60000
}

# delegated NAME: one of the files of that name is delegated to the client.
delegated()
{
	cat "$RPCRDMA_MNT/$1"-* > /dev/null
	tb_server "grep -q 'type: deleg.*$1-' /proc/fs/nfsd/clients/*/states"
}

# lost: the client has noticed that its connection is gone.
lost()
{
	! rpcrdma_all_versions client 2
}

# patience N: how often TCP, which siw is on top of, sends again in vain. By
# default that takes it a quarter of an hour.
patience()
{
	sysctl -q "net.ipv4.tcp_retries2=$1" && tb_server "sysctl -q net.ipv4.tcp_retries2=$1"
}

# outage: nothing gets through the network until the connection is lost.
outage()
{
	local rc=0

	tb_wait 60 lost || { echo "the connection outlived it"; rc=1; }
	tb_heal && tb_server tb_heal && patience 15 || rc=1
	return "$rc"
}

# recall NAME [COMMAND]: the server's own user writes to files that are delegated
# to the client, with the network cut if there is a COMMAND that mends it. The client has to
# give back what was delegated: a lease that runs out, a minute here, would let the server's
# user go on, too. nfsd drops the first recall if it notices that the connection is gone before the client
# comes back. Then the client gives back what it does not use, which it looks for every
# two thirds of a lease, or nfsd takes it after one: whichever comes first.
# A file that was recalled is not delegated again for a while.
recall()
{
	local name=$1 rc=0 returned recalls files least

	shift
	tb_server "rm -f /run/wrote; for i in 1 2 3 4; do echo one > /export/$name-\$i; done"
	tb_wait 20 delegated "$name" || { echo "no delegation"; return 1; }
	files=$(tb_server "grep -c 'type: deleg.*$name-' /proc/fs/nfsd/clients/*/states | cut -d: -f2 | sort -n | tail -1")
	returned=$(rpcrdma_op DELEGRETURN)
	cb_trace_start
	[ $# = 0 ] || { patience 3 && tb_cut && tb_server tb_cut; } || rc=1
	tb_server "(for f in /export/$name-*; do echo two >> \$f; done; date > /run/wrote) > /dev/null 2>&1 &"
	[ $# = 0 ] || "$@" || rc=1
	tb_wait 150 tb_server 'test -e /run/wrote' || { echo "the server's user still waits"; rc=1; }
	[ "$(cat "$RPCRDMA_MNT/$name"-* | grep -c two)" = 4 ] || rc=1
	recalls=$(cb_ended CB_RECALL)
	returned=$(($(rpcrdma_op DELEGRETURN) - returned))
	cb_trace_stop
	echo "$files files were delegated, $recalls recalls ended, $returned were returned"
	least=$files
	[ $# = 0 ] || least=1 files=$((files - 1))
	[ "$recalls" -ge "$least" ] && [ "$returned" -ge "$files" ] || rc=1
	return "$rc"
}

# timers VERS: how often the client sets the timer that ends idle connections,
# when it has made a file with that version of NFS.
timers()
{
	local dir=/sys/kernel/tracing

	rpcrdma_mount "$1" || return 1
	echo 'function.function == xprt_init_autodisconnect' > "$dir/events/timer/timer_start/filter"
	echo > "$dir/trace"
	echo 1 > "$dir/events/timer/timer_start/enable"
	touch "$RPCRDMA_MNT/idle-$1" && sync "$RPCRDMA_MNT/idle-$1"
	echo 0 > "$dir/events/timer/timer_start/enable"
	echo 0 > "$dir/events/timer/timer_start/filter"
	rpcrdma_umount
	grep -c xprt_init_autodisconnect "$dir/trace"
}

# keeps: with NFSv4.1 that timer is left alone; with NFSv3, which has no
# callbacks, each RPC sets it.
keeps()
{
	local three four

	four=$(timers 4.1)
	three=$(timers 3)
	echo "set $four times with NFSv4.1, $three times with NFSv3"
	[ "$four" = 0 ] && [ "$three" -gt 0 ]
}

cb_begin 9
trap cleanup EXIT
lease 60 || exit 1
rm -f "$RPCRDMA_WORK/stop"
tb_server 'echo 16 > /proc/sys/sunrpc/svc_rdma/max_bc_requests'
rpcrdma_t "mounts" rpcrdma_mount 4.1 || rpcrdma_end
rpcrdma_t "callbacks get through" cb_answered 100 cb_flood 100 16 0 60000
load_start
rpcrdma_t "connections end while the server calls back" all_broken 3
rpcrdma_t "callbacks get through again" again
rpcrdma_t "nothing crossed over" sane
rpcrdma_t "a recall while the network is away" recall away outage
rpcrdma_t "a recall after that" recall back
rpcrdma_t "the load went on" load_stop
rpcrdma_umount
rpcrdma_t "an idle connection is kept" keeps
rpcrdma_end
