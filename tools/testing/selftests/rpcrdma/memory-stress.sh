#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What connections have goes up and down, a thousand times if there is time for it, while
# fio writes, reads and verifies: the client asks for short Receives again and again, and
# both ends have a budget that is there one moment and gone the next. No connection may be
# lost, but for those that an end closes for their memory, no message may find no Receive,
# and in the end all memory is given back.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# module: test
# smp: 2
# except: debug-rxe debug-siw stock-siw
# without: debug-siw
# timeout: 600

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/memory_lib.sh"
. "$(dirname "$0")/stress_lib.sh"

CONNECTIONS=4
# In kB: there is no room for blocks on all connections.
LITTLE=1500
ALL=2147483647

# changes: sets n to how often either end has told the other one of another RBSIZ, and to
# how often a connection was let have more or less.
changes()
{
	local sum="2> /dev/null | awk '/^(updxch_sent|changes_done|grown|shrunk): / { s += \$2 } END { print s + 0 }'"

	n=$(eval "cat $RPCRDMA_DEBUGFS/client/*/state $RPCRDMA_DEBUGFS/client_memory $sum")
	n=$((n + $(tb_server "cat $RPCRDMA_DEBUGFS/server/*/state $RPCRDMA_DEBUGFS/server_memory $sum")))
}

# budgets KB: both ends have so much.
budgets()
{
	rpcrdma_server_set placement_mem_kb "$1"
	rpcrdma_client_set placement_mem_kb "$1"
}

# up_and_down COUNT: goes on until there have been COUNT changes.
up_and_down()
{
	local n=0 round begin=$SECONDS

	for ((round = 1; n < $1; round++)); do
		stress_look
		stress_change 4096 || { echo "round $round"; return 1; }
		[ $((round % 4)) != 0 ] || budgets "$LITTLE"
		[ $((round % 4)) != 1 ] || budgets "$ALL"
		changes
		[ $((SECONDS - begin)) -lt 400 ] || { echo "only $n changes"; return 1; }
	done
	echo "$n changes in $((SECONDS - begin)) seconds, $round rounds, $(wc -l < "$RPCRDMA_WORK/runs") runs of fio"
	for n in grown shrunk denied closed failed; do
		echo "$n: server $(memory_total server "$n"), client $(memory_total client "$n")"
	done
}

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	touch "$RPCRDMA_WORK/stop"
	budgets "$ALL"
	rpcrdma_cleanup
}

rpcrdma_begin 9
trap cleanup EXIT
rpcrdma_server_set eager 0
rpcrdma_client_set eager 0
count=$(rpcrdma_share 1000)
[ "$TB_KERNEL" = stock ] || count=100
rnr=$(memory_unposted server)
client_rnr=$(memory_unposted client)
rpcrdma_t "mounts" eval "rpcrdma_mount 4.1 nconnect=$CONNECTIONS && rpcrdma_version 2" || rpcrdma_end
stress_start 256k
rpcrdma_t "all connections are there" stress_connected $CONNECTIONS
rpcrdma_t "$count changes" up_and_down "$count"
rpcrdma_t "fio found all data as it was" stress_went_well
rpcrdma_t "over the same connections, but for those closed" stress_same $(($(memory_total server closed) + $(memory_total client closed)))
rpcrdma_t "no RPC failed" eval 'rpcrdma_is client rpcs_failed 0 && rpcrdma_is server rpcs_failed 0'
rpcrdma_t "no message came that no Receive was there for" test "$rnr/$client_rnr" = "$(memory_unposted server)/$(memory_unposted client)"
rpcrdma_t "unmounts" rpcrdma_umount
rpcrdma_t "all memory is given back" eval 'tb_wait 20 memory_total_is server used_kb 0 && tb_wait 20 memory_total_is client used_kb 0'
rpcrdma_end
