#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The server's RBSIZ goes up and down, a thousand times if there is time for it,
# while fio writes, reads and verifies. Not one connection may be lost for
# it, and memory stays bounded.
#
# bed: pair
# kernels: stock debug kcsan
# devices: rxe
# module: test
# smp: 1 2
# except: debug-rxe debug-siw stock-rxe-1 stock-siw-2
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/stress_lib.sh"

# A client with four connections asks each of them for another size, and goes on
# when it has it on all four. The server grants few credits, and so has few
# Receives to replace for each change.
CONNECTIONS=4
CREDITS=16

# up_and_down COUNT: COUNT changes on each connection.
up_and_down()
{
	local n size begin=$SECONDS

	for ((n = 0; n < $1; n += 2)); do
		size=$((8192 << (n / 2 % 4)))
		stress_change "$size" "$size" || { echo "change $n"; return 1; }
		[ $((n % 50)) != 0 ] || memory
		stress_change 4096 4096 || { echo "change $((n + 1))"; return 1; }
	done
	echo "$((n * CONNECTIONS)) changes in $((SECONDS - begin)) seconds, $(wc -l < "$RPCRDMA_WORK/runs") runs of fio"
}

# memory: notes how many bytes the server has posted on each connection, and how
# many there are in buffers.
memory()
{
	rpcrdma_state server recv_posted_bytes >> "$RPCRDMA_WORK/posted"
	rpcrdma_state server recv_buffer_bytes >> "$RPCRDMA_WORK/buffers"
}

# bounded: at no time was more memory in use on a connection than two Receives of
# the longest kind for each credit, and some.
bounded()
{
	echo "posted: $(sort -n "$RPCRDMA_WORK/posted" | sed -n '1p;$p' | xargs) bytes"
	echo "all buffers: $(sort -n "$RPCRDMA_WORK/buffers" | sed -n '1p;$p' | xargs) bytes"
	[ "$(sort -n "$RPCRDMA_WORK/buffers" | tail -1)" -le $(((2 * CREDITS + 32) * 65536)) ] &&
		[ "$(sort -n "$RPCRDMA_WORK/posted" | tail -1)" -le $(((CREDITS + 16) * 65536)) ]
}

# counted COUNT: the client got all that it has asked for.
counted()
{
	rpcrdma_keys client reqxch_sent wishes_fulfilled wishes_partly wishes_denied
	rpcrdma_keys server reqxch_received reqxch_sent changes_done changes_pended updxch_sent
	rpcrdma_is client wishes_fulfilled "$1" && rpcrdma_is client wishes_denied 0 && rpcrdma_is client wishes_partly 0
}

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	touch "$RPCRDMA_WORK/stop"
	tb_server 'echo 64 > /proc/sys/sunrpc/svc_rdma/max_requests'
	rpcrdma_cleanup
}

rpcrdma_begin 8
trap cleanup EXIT
changes=$(rpcrdma_share 1000)
[ "$TB_KERNEL" = stock ] || changes=40
changes=$((changes / CONNECTIONS / 2 * 2))
rpcrdma_sizes 4096 4096 65536 65536
tb_server "echo $CREDITS > /proc/sys/sunrpc/svc_rdma/max_requests"
rpcrdma_t "mounts" eval "rpcrdma_mount 4.1 nconnect=$CONNECTIONS && rpcrdma_version 2" || rpcrdma_end
stress_start 32k
rpcrdma_t "all connections are there" stress_connected $CONNECTIONS
rpcrdma_t "$changes changes on each of $CONNECTIONS connections" up_and_down $changes
rpcrdma_t "fio found all data as it was" stress_went_well
rpcrdma_t "none was refused" counted $changes
rpcrdma_t "memory was bounded" bounded
rpcrdma_t "over the same connections" stress_same
rpcrdma_t "over version 2" rpcrdma_version 2
rpcrdma_end
