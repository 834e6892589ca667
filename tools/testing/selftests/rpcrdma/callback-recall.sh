#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# nfsd's own callbacks, under more forward load than there are credits for: many
# delegations recalled at once, clients that take files from each other, a server
# that wants delegations back, locks that become free. All of them get through,
# and the client is never told that they do not.
#
# CB_OFFLOAD is not among them: nfsd of 6.12 makes every COPY a synchronous one,
# and refuses those between servers. It notifies of locks on those file systems
# only whose locks it may wait for: GFS2 is one.
#
# bed: pair
# kernels: stock debug
# devices: rxe
# smp: 2
# except: debug-rxe
# timeout: 300

. "$(dirname "$0")/callback_lib.sh"

RPCRDMA_OTHER=/mnt/other
# How many delegations are recalled at once; elsewhere less will do.
files=48
few=8
fds=()

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	load_stop
	release
	[ -z "${waiter:-}" ] || kill "$waiter" 2> /dev/null
	cb_trace_stop 2> /dev/null
	rpcrdma_umount_all
	cb_fs_remove locks
	tb_server 'echo 64 > /proc/sys/sunrpc/svc_rdma/max_requests'
	cb_cleanup
}

# load_start: keeps the forward direction busy.
load_start()
{
	fio --name=load --directory="$RPCRDMA_MNT" --filename=load --size=4m --rw=randrw --bs=4k --direct=1 \
		--ioengine=libaio --iodepth=12 --time_based --runtime=600 > "$RPCRDMA_WORK/fio" 2>&1 &
	load=$!
	tb_wait 30 test -s "$RPCRDMA_MNT/load"
}

# load_stop: and not any more; fails if it had come to an end.
load_stop()
{
	local rc=0

	[ -n "${load:-}" ] || return 0
	kill -INT "$load" 2> /dev/null || { cat "$RPCRDMA_WORK/fio"; rc=1; }
	wait "$load" 2> /dev/null
	load=
	rm -f "$RPCRDMA_MNT/load"
	return "$rc"
}

# delegations NAME: how many such files the server has delegated.
delegations()
{
	tb_server "cat /proc/fs/nfsd/clients/*/states 2> /dev/null | grep -c 'type: deleg.*$1-' || true"
}

# release: closes the files.
release()
{
	local fd

	for fd in "${fds[@]}"; do
		exec {fd}<&-
	done
	fds=()
}

# hold NAME COUNT: has the server make files, and the client keep them open:
# delegations of others are returned within a lease, and on 7.3 also those of files that
# were closed once and are open again. Whether nfsd delegates a file is for it to decide.
hold()
{
	local i fd

	release
	tb_server "rm -f /export/$1-*; for ((i = 0; i < $2; i++)); do echo one > /export/$1-\$i; done"
	for ((i = 0; i < $2; i++)); do
		exec {fd}< "$RPCRDMA_MNT/$1-$i"
		cat <&"$fd" > /dev/null
		fds+=("$fd")
	done
	echo "$(delegations "$1") delegations for $2 files"
	[ "$(delegations "$1")" -ge $(($2 / 2)) ]
}

# recall_all: the server's own users write to all the files at once, and none of
# them waits for a lease to end (10 s), or for a callback that nfsd has to send again. The client lets
# one callback in at a time, each of which takes a third of a second on the debug kernel with
# several processors.
recall_all()
{
	local had before took slowest

	hold recall "$files" && load_start || return 1
	had=$(delegations recall)
	before=$(cb_ended CB_RECALL)
	took=$(tb_server "s=\$(date +%s%N); for ((i = 0; i < $files; i++)); do echo two >> /export/recall-\$i & done; wait
		echo \$(((\$(date +%s%N) - s) / 1000000))")
	slowest=$(cb_slowest CB_RECALL)
	echo "$((files)) writes took $took ms; CB_RECALL: $(($(cb_ended CB_RECALL) - before)), the slowest took ${slowest:-0} ms"
	[ "$took" -lt 60000 ] && [ "${slowest:-0}" -lt 8000 ] && [ $(($(cb_ended CB_RECALL) - before)) -ge "$had" ] &&
		[ "$(cat "$RPCRDMA_MNT"/recall-* | grep -c two)" = "$files" ]
}

# conflict: another client writes what this one has delegated to it.
conflict()
{
	local i before

	hold conflict "$few" || return 1
	before=$(cb_ended CB_RECALL)
	for ((i = 0; i < few; i++)); do
		echo three >> "$RPCRDMA_OTHER/conflict-$i" || return 1
	done
	echo "CB_RECALL: $(($(cb_ended CB_RECALL) - before))"
	[ $(($(cb_ended CB_RECALL) - before)) -gt 0 ] && [ "$(cat "$RPCRDMA_MNT"/conflict-* | grep -c three)" = "$few" ]
}

# recall_any_seen: nfsd has asked for some delegations.
recall_any_seen()
{
	tb_server 'echo 2 > /proc/sys/vm/drop_caches'
	[ "$(cb_ended CB_RECALL_ANY)" -gt 0 ]
}

# recall_any: short of memory, the server wants delegations back.
recall_any()
{
	hold any "$few" && tb_wait 20 recall_any_seen && echo "CB_RECALL_ANY: $(cb_ended CB_RECALL_ANY)"
}

# lock_waiter: the other client waits for a lock.
lock_waiter()
{
	exec flock "$RPCRDMA_OTHER/locks/lock" true
}

# notify_lock: a lock that another client waits for becomes free, and it is told
# so.
notify_lock()
{
	local before

	before=$(cb_ended CB_NOTIFY_LOCK)
	exec 9> "$RPCRDMA_MNT/locks/lock"
	flock 9 || return 1
	lock_waiter 9>&- &
	waiter=$!
	tb_wait 20 tb_server 'cat /proc/locks | grep -q -- "->"' || { echo "nobody waits"; exec 9>&-; return 1; }
	flock -u 9
	exec 9>&-
	wait "$waiter" || return 1
	waiter=
	echo "CB_NOTIFY_LOCK: $(($(cb_ended CB_NOTIFY_LOCK) - before))"
	[ $(($(cb_ended CB_NOTIFY_LOCK) - before)) -gt 0 ]
}

# mount_both: two clients: one of NFSv4.1 and one of NFSv4.2.
mount_both()
{
	mkdir -p "$RPCRDMA_OTHER"
	rpcrdma_mount 4.2 && RPCRDMA_MNT=$RPCRDMA_OTHER rpcrdma_mount 4.1
}

cb_begin 8
trap cleanup EXIT
tb_server 'echo 8 > /proc/sys/sunrpc/svc_rdma/max_requests'
rpcrdma_t "a file system with locks to wait for" cb_fs_make locks mkfs.gfs2 -q -O -p lock_nolock -j 1 -J 8 || rpcrdma_end
rpcrdma_t "two clients mount" mount_both || rpcrdma_end
cb_trace_start
rpcrdma_t "delegations recalled at once" recall_all
rpcrdma_t "conflicting opens of two clients" conflict
rpcrdma_t "CB_RECALL_ANY" recall_any
rpcrdma_t "CB_NOTIFY_LOCK" notify_lock
rpcrdma_t "the load went on" load_stop
release
rpcrdma_t "the callback path was never down" cb_path_up
rpcrdma_end
