#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A Call keeps its credit when its task is killed, until the server answers it:
# a frozen file system lets nfsd answer no SETATTR, and processes that wait for
# one are killed. No more Calls than granted reach the server meanwhile. If no
# credit is left to a task that is alive, the connection is made anew. And a Call of
# several Sends, which a SETXATTR may be, keeps a credit for each of them.
#
# bed: pair
# alone: yes
# commands: fsfreeze mkfs.ext4
# kernels: stock debug kcsan
# devices: rxe siw
# module: test
# smp: 2
# except: stock-siw debug-rxe debug-siw
# timeout: 300

. "$(dirname "$0")/callback_lib.sh"

credits=4
tasks=/sys/kernel/debug/sunrpc/rpc_clnt

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	tb_server 'fsfreeze -u /export/frozen' > /dev/null 2>&1
	wait
	rpcrdma_umount_all
	cb_fs_remove frozen
	rpcrdma_server_set max_requests 64
	rpcrdma_server_set placement_pages 16
	rpcrdma_server_set eager "${TB_EAGER:-0}"
	cb_cleanup
}

# mounted: the frozen file system is mounted, and has files.
mounted()
{
	timeout "$RPCRDMA_LIMIT" mount -t nfs -o "vers=3,proto=rdma,port=20049,sec=sys,nolock,noacl,noac,timeo=200,mountproto=tcp,mountport=20048" \
		"$TB_SERVER_IP:/export/frozen" "$RPCRDMA_MNT" && touch "$RPCRDMA_MNT"/file-{1..8} &&
		rpcrdma_version 2 && rpcrdma_is client forward_credits "$credits"
}

# change: starts a process for each file that has its mode changed.
change()
{
	local i

	pids=()
	for i in {1..8}; do
		chmod 640 "$RPCRDMA_MNT/file-$i" &
		pids+=($!)
	done
}

# killed: kills these processes.
killed()
{
	kill -KILL "${pids[@]}"
	wait "${pids[@]}" 2> /dev/null
	return 0
}

# stuck COUNT: so many threads of nfsd wait for the file system.
stuck()
{
	[ "$(tb_server 'ps -eo stat,comm | grep -c "^D.* nfsd$"')" = "$1" ]
}

# all_stuck: as many are as the server grants; it may grant one less than it could in its last
# reply before that, while other replies are still on their way out. Sets $held.
all_stuck()
{
	held=$(rpcrdma_state client forward_credits)
	[ "$held" -ge 2 ] && stuck "$held" && waiting 1 && rpcrdma_is client forward_credits "$held"
}

# not_stuck: says what nfsd does instead.
not_stuck()
{
	echo "nfsd does not get stuck"
	tb_server 'ps -eo stat,wchan:30,comm | grep " nfsd$"'
	rpcrdma_keys client forward_credits given_up memory_credits calls_sent replies_received
	rpcrdma_keys server forward_credits memory_credits calls_received replies_sent
	cat "$tasks"/*/tasks
}

# waiting COUNT: so many RPCs wait to be sent.
waiting()
{
	[ "$(cat "$tasks"/*/tasks | grep -c 'q:xprt_sending')" -ge "$1" ]
}

# left_behind: Calls of processes that were killed hold all credits.
left_behind()
{
	tb_server 'fsfreeze -f /export/frozen' || return 1
	change
	tb_wait 10 all_stuck || { not_stuck; killed; return 1; }
	killed
	rpcrdma_becomes 5 client given_up "$held"
}

# none_sent: others wait, are killed as well, and have not been sent.
none_sent()
{
	local before rc=0

	before=$(rpcrdma_state client calls_sent)
	change
	tb_wait 10 waiting 1 || { echo "nobody waits for a credit"; rc=1; }
	killed
	rpcrdma_is client calls_sent "$before" || { echo "calls_sent was $before"; rc=1; }
	stuck "$held" || { echo "more Calls than granted are being served"; rc=1; }
	return "$rc"
}

# answered: late answers bring the credits back, over the same connection.
answered()
{
	tb_server 'fsfreeze -u /export/frozen' && rpcrdma_becomes 20 client given_up 0 &&
		rpcrdma_is client forward_late "$held" && rpcrdma_is client credits_stuck 0 &&
		timeout 20 chmod 600 "$RPCRDMA_MNT"/file-*
}

# anew: somebody waits for longer than an RPC has time, and is served over
# another connection.
anew()
{
	timeout 100 stat "$RPCRDMA_MNT/file-1" > /dev/null && rpcrdma_is client credits_stuck 1 &&
		rpcrdma_is client given_up 0 && rpcrdma_version 2 client
}

# thaw: the server is able to answer again.
thaw()
{
	tb_server 'fsfreeze -u /export/frozen' && rpcrdma_umount
}

# in_groups: a mount whose Calls may take several Sends, however long nothing is sent; one of
# its files is known.
in_groups()
{
	rpcrdma_server_set max_requests 16 && rpcrdma_server_set placement_pages 4 && rpcrdma_eager && rpcrdma_umount &&
		rpcrdma_mount 4.2 && touch "$RPCRDMA_MNT/frozen/file-1" && rpcrdma_is client continuation on
}

# continued COUNT: more XMTCONTs than that have been sent.
continued()
{
	[ "$(rpcrdma_state client xmtconts_sent)" -gt "$1" ]
}

# group_left_behind: a process is killed that sets an attribute of 60000 bytes. All
# Sends of its Call keep their credits.
group_left_behind()
{
	local before pid sent

	tb_server 'fsfreeze -f /export/frozen' || return 1
	before=$(rpcrdma_state client xmtconts_sent)
	python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.long", b"x" * 60000)' "$RPCRDMA_MNT/frozen/file-1" &
	pid=$!
	if ! { tb_wait 30 continued "$before" && tb_wait 10 stuck 1; }; then
		grep -hE 'continuation|given_up|groups_|xmt|peer_' /sys/kernel/debug/rpcrdma2/client/*/state
		kill -KILL "$pid"
		return 1
	fi
	sent=$(($(rpcrdma_state client xmtconts_sent) - before + 1))
	kill -KILL "$pid"
	wait "$pid" 2> /dev/null
	echo "the Call took $sent Sends"
	[ "$sent" -gt 1 ] && rpcrdma_becomes 5 client given_up "$sent" && rpcrdma_is client groups_given_up 1
}

# group_answered: one late answer brings all of them back.
group_answered()
{
	tb_server 'fsfreeze -u /export/frozen' && rpcrdma_becomes 20 client given_up 0 &&
		rpcrdma_is client forward_late 1 && rpcrdma_is client credits_stuck 0 &&
		timeout 20 chmod 600 "$RPCRDMA_MNT/frozen/file-1"
}

cb_begin 12
trap cleanup EXIT
rpcrdma_server_set max_requests "$credits"
rpcrdma_t "a file system that can be frozen" cb_fs_make frozen mkfs.ext4 -q || rpcrdma_end
rpcrdma_t "mounts" mounted || rpcrdma_end
rpcrdma_t "killed Calls hold all credits" left_behind
rpcrdma_t "no other Call is sent" none_sent
rpcrdma_t "late answers bring the credits back" answered
rpcrdma_t "killed Calls hold all credits again" left_behind
rpcrdma_t "whoever waits is served over another connection" anew
rpcrdma_t "the server goes on" thaw
rpcrdma_t "mounts again" mounted
rpcrdma_t "mounts with messages of several Sends" in_groups || rpcrdma_end
rpcrdma_t "a killed Call holds a credit for each of its Sends" group_left_behind
rpcrdma_t "its late answer brings all of them back" group_answered
rpcrdma_end
