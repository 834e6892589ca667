# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# What the tests share of ends whose memory for Receives follows use; sourced behind
# rpcrdma_lib.sh.

# What a connection costs that nobody has authenticated on, in kB
MEMORY_UNKNOWN=81
# and one that has no data
MEMORY_IDLE=198
# The same at a client, before there was any, and with blocks for one Call
MEMORY_CLIENT_FIRST=198
MEMORY_CLIENT_IDLE=640

# How many messages use up the short Receives a connection begins with, at most
MEMORY_RAISE=29

# memory_at END COMMAND: has END run it.
memory_at()
{
	if [ "$1" = server ]; then tb_server "$2"; else bash -c "$2"; fi
}

# memory_total END KEY: prints one of its totals.
memory_total()
{
	memory_at "$1" "sed -n 's/^$2: //p' $RPCRDMA_DEBUGFS/$1_memory"
}

# memory_total_is END KEY VALUE: it is this.
memory_total_is()
{
	[ "$(memory_total "$1" "$2")" = "$3" ]
}

# memory_within END KB: no more is used than that.
memory_within()
{
	[ "$(memory_total "$1" used_kb)" -le "$2" ]
}

# memory_whole END: what all have adds up to the total, which is within the budget. Both are
# looked at while they may be changing.
memory_whole()
{
	local budget sum used n

	for ((n = 0; n < 50; n++)); do
		sum=$(rpcrdma_state "$1" memory_kb | awk '{ s += $1 } END { print s + 0 }')
		used=$(memory_total "$1" used_kb)
		[ "$sum" != "$used" ] || break
		sleep 0.2
	done
	budget=$(memory_total "$1" budget_kb)
	echo "connections $sum kB, used $used kB of $budget kB"
	[ "$sum" = "$used" ] && [ "$sum" -le "$budget" ]
}

# memory_each END KEY MOST: each connection shows no more than that.
memory_each()
{
	local got

	got=$(rpcrdma_state "$1" "$2" | sort -n | tail -1)
	echo "$2: $got"
	[ -n "$got" ] && [ "$got" -le "$3" ]
}

# memory_unposted END: prints how often something came to it that no Receive was there for.
memory_unposted()
{
	memory_at "$1" "cat /sys/class/infiniband/*/ports/1/hw_counters/*rnr* 2> /dev/null" | awk '{ s += $1 } END { print s + 0 }'
}

# memory_stopped: the processes $pids, which look for a file to end, have found all data right.
memory_stopped()
{
	local p rc=0

	touch "$RPCRDMA_WORK/stop"
	for p in "${pids[@]}"; do
		wait "$p" || rc=1
	done
	return "$rc"
}

# many_start COUNT: has the peer make so many connections, which are busy in turn.
many_start()
{
	tb_server "/out/bin/peer file /export/many 65536 && chmod 666 /export/many"
	/out/bin/peer client --host "$TB_SERVER_IP" --path many --timeout 30000 --many "$1" > "$RPCRDMA_WORK/many" 2>&1 &
	many_pid=$!
}

# many_connected COUNT: all of them are there.
many_connected()
{
	tb_wait 300 grep -q '^connected' "$RPCRDMA_WORK/many" || return 1
	cat "$RPCRDMA_WORK/many"
	grep -qx "connected $1" "$RPCRDMA_WORK/many"
}

# many_unknown COUNT: nobody has authenticated on any of them, and they cost little.
many_unknown()
{
	tb_server "cat $RPCRDMA_DEBUGFS/server/*/state" | awk -v count="$1" -v most=$MEMORY_UNKNOWN '
		/^memory_kb: / { kb = $2 }
		/^memory_authentic: 0/ { n++; if (kb > max) max = kb }
		END { print n + 0 " not authenticated, " max + 0 " kB at most"; exit !(n >= count && max <= most) }'
}

# many_served: the peer has found nothing wrong.
many_served()
{
	wait "$many_pid" || { cat "$RPCRDMA_WORK/many"; return 1; }
	tail -1 "$RPCRDMA_WORK/many"
}

# many_said KEY: prints a number of what the peer says in the end.
many_said()
{
	awk -v key="$1" '/^turns/ { for (i = 1; i < NF; i += 2) if ($i == key) print $(i + 1) }' "$RPCRDMA_WORK/many"
}

# many_soon MS: on each connection data was placed as soon as that, and after no more WRITEs
# than it takes to use up short Receives.
many_soon()
{
	echo "after $(many_said slowest) ms and $(many_said most) WRITEs at most, in $(many_said turns) turns"
	[ "$(many_said slowest)" -le "$1" ] && [ "$(many_said most)" -le "$MEMORY_RAISE" ]
}
