#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The link goes away and comes back: often and shortly; for longer than the lease
# lasts, with locks held, which a server that nobody asked for them keeps; and while
# somebody else takes the lock, which the client has to notice.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# without: debug-siw
# except: debug-rxe debug-siw stock-siw
# timeout: 900

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/fault_lib.sh"

LEASE=10
LOCK=$(dirname "$0")/fault_lock.py

# cut END: what that end sends reaches nobody.
cut_end()
{
	if [ "$1" = client ]; then tb_cut; else tb_server tb_cut; fi
}

# heal_end END: undoes it.
heal_end()
{
	if [ "$1" = client ]; then tb_heal; else tb_server tb_heal; fi
}

# flap SECONDS END...: these ends are cut off so long.
flap()
{
	local seconds=$1 end rc=0

	shift
	for end; do cut_end "$end" || rc=1; done
	sleep "$seconds"
	for end; do heal_end "$end" || rc=1; done
	fault_goes_on 5 || rc=1
	return "$rc"
}

# down SECONDS: the client's Ethernet device is down so long, and its RDMA device with it.
down()
{
	ip link set eth0 down && sleep "$1" && ip link set eth0 up && fault_goes_on 5
}

# flaps: short ones, of either end and of both.
flaps()
{
	local n seconds

	for ((n = 0; n < $(rpcrdma_share 4); n++)); do
		for seconds in 0.2 2; do
			flap "$seconds" client && flap "$seconds" server && flap "$seconds" client server || return 1
		done
	done
}

# real_flaps: the client's devices know of these.
real_flaps()
{
	local n

	for ((n = 0; n < $(rpcrdma_share 4); n++)); do
		down 0.2 && down 3 || return 1
	done
}

# partition: longer than the lease, and than nfsd takes to notice.
partition()
{
	flap $((LEASE * 5 / 2)) client server && fault_locked w0/f-0 && fault_locked w3/f-2
}

# contended: the client is cut off while it has a lock; a process on the server waits
# for that and gets it when the lease is over. The client may write no more then.
contended()
{
	local pid rc=0 s=$SECONDS dir=$RPCRDMA_WORK

	python3 "$LOCK" hold "$RPCRDMA_MNT/contended" client "$dir/ready" "$dir/go" again > "$dir/held" 2>&1 &
	pid=$!
	tb_wait 60 test -e "$dir/ready" || { echo "no lock"; return 1; }
	fault_locked contended || rc=1
	cut_end client && cut_end server || rc=1
	fault_lock take contended server || { echo "the server's own process did not get the lock"; rc=1; }
	echo "the lock was had after $((SECONDS - s)) s"
	heal_end client && heal_end server || rc=1
	# the client has to find out first
	tb_wait 60 test -e "$RPCRDMA_MNT/contended"
	touch "$dir/go"
	wait "$pid" || rc=1
	echo "the client's write: $(cat "$dir/held")"
	[ "$(cat "$dir/held")" = lost ] || rc=1
	# the next sync is told of that write once more
	sync -f "$RPCRDMA_MNT" 2> /dev/null
	[ "$(tb_server 'cat /export/contended')" = server ] || { echo "the lock did not protect the file"; rc=1; }
	return "$rc"
}

# usual: nothing is cut any more.
usual()
{
	fault_both 'tb_heal; ip link set eth0 up' 2> /dev/null
	rpcrdma_cleanup
	rpcrdma_forget
}

rpcrdma_begin 9
trap usual EXIT
fault_seed
rpcrdma_t "mounts" rpcrdma_mount 4.1 || rpcrdma_end
rpcrdma_t "files are worked on, with locks" fault_start -l
rpcrdma_t "short flaps" flaps
rpcrdma_t "the Ethernet device is down" real_flaps
rpcrdma_t "a partition longer than the lease" partition
rpcrdma_t "every byte is right at both ends" fault_stop || fault_kill
rpcrdma_t "a lock that somebody else got meanwhile" contended
rpcrdma_t "a tree survives" rpcrdma_roundtrip
rpcrdma_t "over version 2" rpcrdma_version 2
rpcrdma_end
