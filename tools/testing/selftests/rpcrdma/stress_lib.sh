# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# What the tests share that change connections while fio writes, reads and verifies;
# sourced behind rpcrdma_lib.sh.

# column of mountstats
CONNECTS=3

# stress BYTES: runs fio, with pieces up to that, until it is told to stop.
stress()
{
	cd "$RPCRDMA_WORK" || return 1
	while [ ! -e stop ]; do
		fio --name=stress --directory="$RPCRDMA_MNT" --size="$(rpcrdma_size 4096)k" --bsrange="512-$1" \
			--rw=randrw --direct=1 --ioengine=libaio --iodepth=8 --verify=crc32c --verify_fatal=1 \
			--verify_backlog=32 --time_based --runtime=8 --output=fio.out > /dev/null 2>&1 || return 1
		echo >> runs
	done
}

# stress_start BYTES: does so beside the test, until it fails.
stress_start()
{
	: > "$RPCRDMA_WORK/runs"
	(stress "$1" || { touch "$RPCRDMA_WORK/failed"; exit 1; }) &
	stress_pid=$!
}

# stress_went_well: fio has found nothing wrong.
stress_went_well()
{
	touch "$RPCRDMA_WORK/stop"
	wait "$stress_pid" || { echo "fio failed:"; tail -20 "$RPCRDMA_WORK/fio.out"; return 1; }
}

# stress_look: finds where the connections show themselves.
stress_look()
{
	stress_states=("$RPCRDMA_DEBUGFS"/client/*/state)
}

# stress_connected COUNT: so many connections are there; remembers how often the mount has
# connected.
stress_connected()
{
	tb_wait 30 rpcrdma_all_versions client 2 "$1" || return 1
	stress_look
	stress_connects=$(rpcrdma_xprt "$CONNECTS")
}

# stress_same [MOST]: there has been no other connection since, or no more than that.
stress_same()
{
	local more=$(($(rpcrdma_xprt "$CONNECTS") - stress_connects))

	echo "$more more connections"
	[ "$more" -le "${1:-0}" ]
}

# stress_done [SIZE]: nothing is under way on any that is still there, and (if it is named)
# the client knows the server's RBSIZ to be SIZE.
stress_done()
{
	local f lines

	for f in "${stress_states[@]}"; do
		mapfile -t lines 2> /dev/null < "$f" || continue
		[[ ${lines[*]} == *" asking: pending: "* ]] || return 1
		[ $# = 0 ] || [[ ${lines[*]} == *" peer_rbsiz: $1 "* ]] || return 1
	done
}

# stress_says: prints what both ends say of characteristics, credits and memory.
stress_says()
{
	local say="grep -HE '^(peer|local_rbsiz|peer_rbsiz|asking|pending|changing|unannounced|forward_credits|placement|given_up|recv_posted|memory_[a-z]*):'"

	eval "$say $RPCRDMA_DEBUGFS/client/*/state" | sed "s,$RPCRDMA_DEBUGFS/,,"
	tb_server "$say $RPCRDMA_DEBUGFS/server/*/state" | sed "s,$RPCRDMA_DEBUGFS/,,"
}

# stress_change SIZE [IS]: the client asks for that RBSIZ on each connection, and has got
# it on all of them; with IS it is that then. Without it some may have it already, or be
# closed meanwhile.
stress_change()
{
	local f until=$((SECONDS + 60))

	for f in "${stress_states[@]}"; do
		{ echo "rbsiz $1" > "${f%state}ask"; } 2> /dev/null || [ $# = 1 ] || return 1
	done
	until stress_done "${@:2}"; do
		if [ "$SECONDS" -ge "$until" ] || [ -e "$RPCRDMA_WORK/failed" ]; then
			echo "no change to $1:"
			stress_says
			return 1
		fi
		read -rt 0.01 -u "$stress_nap" || true
	done
}

exec {stress_nap}<> <(:)
