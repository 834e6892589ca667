# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# What the tests share of ends whose memory for Receives follows use; sourced behind
# rpcrdma_lib.sh.

# What a connection costs that nobody has authenticated on, in kB
MEMORY_UNKNOWN=81
# and one that has no data
MEMORY_IDLE=153
# The same at a client, before there was any, and with blocks for one Call
MEMORY_CLIENT_FIRST=153
MEMORY_CLIENT_IDLE=640

# How many messages use up the short Receives a connection begins with, at most
MEMORY_RAISE=24

# total KEY: prints one of the server's totals.
total()
{
	tb_server "sed -n 's/^$1: //p' $RPCRDMA_DEBUGFS/server_memory"
}

# total_is KEY VALUE: it is this.
total_is()
{
	[ "$(total "$1")" = "$2" ]
}

# client_total KEY: prints one of the client's totals.
client_total()
{
	sed -n "s/^$1: //p" "$RPCRDMA_DEBUGFS/client_memory"
}

# client_total_is KEY VALUE: it is this.
client_total_is()
{
	[ "$(client_total "$1")" = "$2" ]
}

# client_unposted: prints how often something came to the client that no Receive was there
# for.
client_unposted()
{
	cat /sys/class/infiniband/*/ports/1/hw_counters/*rnr* 2> /dev/null | awk '{ s += $1 } END { print s + 0 }'
}

# unposted: prints how often something came to the server that no Receive was there for.
unposted()
{
	tb_server "cat /sys/class/infiniband/*/ports/1/hw_counters/*rnr* 2> /dev/null" | awk '{ s += $1 } END { print s + 0 }'
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
