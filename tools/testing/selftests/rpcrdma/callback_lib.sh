# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the callback tests share: reverse Calls in any number (see
# modules/rpcrdma_flood.c), and a look at what nfsd's own callbacks did.

# shellcheck source=tools/testing/selftests/rpcrdma/rpcrdma_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/rpcrdma_lib.sh"

CB_FLOOD=/sys/kernel/debug/rpcrdma_flood

# cb_begin COUNT: like rpcrdma_begin, with the flood at hand on the server. It
# notices clients that mount from then on.
cb_begin()
{
	rpcrdma_begin "$1"
	trap cb_cleanup EXIT
	cb_load || rpcrdma_skip_all "rpcrdma_flood does not load"
}

# cb_load: loads the flood, once rpcrdma is there.
cb_load()
{
	tb_server "[ -d /sys/module/rpcrdma_flood ] || insmod $RPCRDMA_KO/rpcrdma_flood.ko"
}

# cb_unload: lets go of all connections.
cb_unload()
{
	tb_server '[ ! -d /sys/module/rpcrdma_flood ] || rmmod rpcrdma_flood'
}

# cb_cleanup: leaves both ends as the next test expects them.
cb_cleanup()
{
	cb_unload
	tb_server 'echo 2 > /proc/sys/sunrpc/svc_rdma/max_bc_requests' 2> /dev/null
	rpcrdma_cleanup
}

# cb_fs_make NAME MKFS...: exports a file system of its own, made by that command,
# at NAME below the mount.
cb_fs_make()
{
	local dir=/export/$1

	shift
	tb_server "modprobe brd rd_nr=1 rd_size=65536 && $* /dev/ram0 > /dev/null && mkdir $dir &&
		mount /dev/ram0 $dir && chmod 777 $dir &&
		exportfs -o rw,fsid=7,no_root_squash,no_subtree_check,insecure,sec=sys,async '*:$dir'"
}

# cb_fs_remove NAME: undoes that, whatever came between.
cb_fs_remove()
{
	tb_server "exportfs -u '*:/export/$1'; exportfs -f
		tb_wait 30 umount /export/$1; rmdir /export/$1; tb_wait 10 rmmod brd" 2> /dev/null
}

# cb_flood COUNT PARALLEL SIZE TIMEOUT: has the server call the client that came
# last; shows the results, one "name: value" a line.
cb_flood()
{
	tb_server "echo $* > $CB_FLOOD && cat $CB_FLOOD"
}

# cb_answered COUNT COMMAND...: a flood of which so many Calls were answered,
# and none failed.
cb_answered()
{
	local want=$1 got

	shift
	got=$("$@") || { printf '%s\n' "$got"; return 1; }
	printf '%s\n' "$got"
	[ "$(cb_value answered "$got")" = "$want" ] && [ "$(cb_value failed "$got")" = 0 ]
}

# cb_value NAME TEXT: the value of a name in such lines.
cb_value()
{
	sed -n "s/^$1: //p" <<< "$2"
}

# cb_per_second TEXT: Calls answered per second.
cb_per_second()
{
	awk -F ': ' '{ v[$1] = $2 } END { printf "%d\n", v["answered"] * 1000000 / (v["total_us"] + 1) }' <<< "$1"
}

# cb_trace_start: from now on, both ends note what matters of nfsd's callbacks:
# each one that ended, and each time that the client is told that they do not
# get through (SEQ4_STATUS_CB_PATH_DOWN and the like).
cb_trace_start()
{
	tb_server 'cd /sys/kernel/tracing; echo 0 > tracing_on; echo > trace; echo 16384 > buffer_size_kb
		echo "progname == \"nfs4_cb\"" > events/sunrpc/rpc_stats_latency/filter
		echo 1 > events/sunrpc/rpc_stats_latency/enable; echo 1 > tracing_on'
	echo 0 > /sys/kernel/tracing/tracing_on
	echo > /sys/kernel/tracing/trace
	echo 'status_flags & 0x601' > /sys/kernel/tracing/events/nfs4/nfs4_sequence_done/filter
	echo 1 > /sys/kernel/tracing/events/nfs4/nfs4_sequence_done/enable
	echo 1 > /sys/kernel/tracing/tracing_on
}

# cb_trace_stop: enough of that.
cb_trace_stop()
{
	tb_server 'cd /sys/kernel/tracing; echo 0 > events/enable; echo 0 > events/sunrpc/rpc_stats_latency/filter'
	echo 0 > /sys/kernel/tracing/events/enable
	echo 0 > /sys/kernel/tracing/events/nfs4/nfs4_sequence_done/filter
}

# cb_ended NAME: how many callbacks of that name (CB_RECALL and the like) ended
# since cb_trace_start.
cb_ended()
{
	tb_server "grep -c ' $1 ' /sys/kernel/tracing/trace || true"
}

# cb_slowest NAME: what the slowest of those callbacks took, in milliseconds.
cb_slowest()
{
	tb_server "sed -n 's/.* $1 .* execute=\([0-9]*\).*/\1/p' /sys/kernel/tracing/trace | sort -n | tail -1 | sed 's/...\$//'"
}

# cb_path_up: the client was not told since cb_trace_start that callbacks do
# not get through.
cb_path_up()
{
	! grep nfs4_sequence_done: /sys/kernel/tracing/trace
}
