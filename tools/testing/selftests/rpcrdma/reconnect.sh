#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Work goes on over a restart of nfsd and over a network that was away for a
# while, and each new connection settles on version 2 again.
#
# bed: pair
# kernels: stock debug kcsan
# devices: rxe siw
# also: rxe+copy siw+ledger
# smp: 1 2
# except: debug-rxe debug-siw stock-rxe-1 stock-siw stock-siw-2
# timeout: 480

. "$(dirname "$0")/rpcrdma_lib.sh"

# writer NAME: writes files until told to stop; says how many.
writer()
{
	local n=0

	while [ ! -e "$RPCRDMA_WORK/stop" ]; do
		cp "$RPCRDMA_WORK/data" "$RPCRDMA_MNT/$1-$n" || return 1
		n=$((n + 1))
		echo "$n" > "$RPCRDMA_WORK/count"
	done
}

# wrote_more THAN: the writer got further.
wrote_more()
{
	[ "$(cat "$RPCRDMA_WORK/count" 2> /dev/null || echo 0)" -gt "$1" ]
}

# during NAME COMMAND...: does COMMAND while the writer writes, and has it go
# on for three files after that; all files must be right in the end.
during()
{
	local name=$1 pid n rc=0 f

	shift
	rm -f "$RPCRDMA_WORK"/{stop,count}
	writer "$name" &
	pid=$!
	tb_wait 60 wrote_more 2 || rc=1
	"$@" || { echo "'$*' failed"; rc=1; }
	n=$(cat "$RPCRDMA_WORK/count")
	tb_wait 150 wrote_more $((n + 3)) || { echo "nothing was written any more after file $n"; rc=1; }
	touch "$RPCRDMA_WORK/stop"
	wait "$pid" || { echo "the writer failed"; rc=1; }
	rpcrdma_drop_caches
	for f in "$RPCRDMA_MNT/$name"-*; do
		cmp "$RPCRDMA_WORK/data" "$f" || rc=1
	done
	rm -f "$RPCRDMA_MNT/$name"-*
	return "$rc"
}

# restart: stops nfsd, and starts it with a grace period to reclaim in.
restart()
{
	tb_server 'tb_nfsd_stop && tb_nfsd_start grace'
}

# restart_unseen: the same while nothing of the client gets through, so that
# RDMA Reads of the server are under way when it closes the connection.
restart_unseen()
{
	local rc=0

	tb_cut || rc=1
	restart || rc=1
	tb_heal || rc=1
	return "$rc"
}

# lost: the client has noticed that its connection is gone.
lost()
{
	! rpcrdma_all_versions client 2
}

# outage: nothing gets through the network until the connection is lost. The server is back
# first: what the client asks for while it cannot answer would be half made, for a minute.
outage()
{
	local rc=0

	tb_cut && tb_server tb_cut || rc=1
	tb_wait 120 lost || { echo "the connection outlived it"; rc=1; }
	tb_server tb_heal && tb_heal || rc=1
	return "$rc"
}

# again: both ends speak version 2. What the client asked for while it could not be answered
# is at the server until CM gives it up, for a minute and more.
again()
{
	[ -z "$away" ] || tb_wait 90 rpcrdma_all_versions server 2
	rpcrdma_version 2
}

rpcrdma_begin 7
head -c "$(($(rpcrdma_size 512) * 1024))" /dev/urandom > "$RPCRDMA_WORK/data"
for vers in 3 4.1; do
	away=
	rpcrdma_t "vers=$vers mounts" rpcrdma_mount "$vers"
	if [ "$vers" = 3 ]; then
		rpcrdma_t "vers=$vers outlives a restart of nfsd" during restart restart
	else
		rpcrdma_t "vers=$vers outlives one that it cannot see" during restart restart_unseen
		rpcrdma_t "vers=$vers outlives a network that is away" during outage outage
		away=yes
	fi
	rpcrdma_t "vers=$vers speaks version 2 again" again
	rpcrdma_umount
done
rpcrdma_forget
rpcrdma_end
