#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Replies that are dropped because the connection is lost while their memory is being
# invalidated give their Receives back: however often that happens, the client
# needs no more of them.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# without: debug-siw
# except: debug-rxe debug-siw stock-rxe stock-siw
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"

TRACE=/sys/kernel/tracing
ADDR_CHANGE=14
READERS=16
CONNECTIONS=16

# count_begin: counts the Receives that are made from now on. Not every kernel can count at
# a kprobe; all can trace a function.
count_begin()
{
	echo rpcrdma_rep_create > "$TRACE/set_ftrace_filter" && echo function > "$TRACE/current_tracer"
}

# made: prints how many there were.
made()
{
	grep -c ' rpcrdma_rep_create ' "$TRACE/trace"
}

# cleanup: counts no more, and the usual things.
cleanup()
{
	echo 0 > /sys/module/rpcrdma_cmfault/parameters/local_inv
	echo nop > "$TRACE/current_tracer"
	echo > "$TRACE/set_ftrace_filter"
	rpcrdma_cleanup
}

# reader: reads until told to stop.
reader()
{
	while [ ! -e "$RPCRDMA_WORK/stop" ]; do
		dd if="$RPCRDMA_MNT/f" of=/dev/null bs=64k iflag=direct status=none || return 1
	done
}

# more_reads THAN: so many READs were done, and each reader had another one.
more_reads()
{
	[ "$(rpcrdma_op READ)" -ge $(($1 + READERS)) ]
}

# cut_off COUNT: so many times, with READs under way, has the connection closed, as if
# the server's address had moved.
cut_off()
{
	local n

	for ((n = 0; n < $1; n++)); do
		tb_wait 60 more_reads "$(rpcrdma_op READ)" || { echo "READs do not go on"; return 1; }
		echo "$ADDR_CHANGE" > /sys/module/rpcrdma_cmfault/parameters/now || return 1
	done
}

# flushed: all but the first connections make next to no Receives. It may be one now and
# then, for a reply that is still being handled; it was six for each connection.
flushed()
{
	local n pids=() before after rc=0

	for ((n = 0; n < READERS; n++)); do
		reader &
		pids+=($!)
	done
	cut_off 4 || rc=1
	before=$(made)
	cut_off "$CONNECTIONS" || rc=1
	after=$(made)
	touch "$RPCRDMA_WORK/stop"
	for n in "${pids[@]}"; do
		wait "$n" || { echo "a reader failed"; rc=1; }
	done
	echo "Receives made: $before, then $((after - before)) in $CONNECTIONS connections"
	[ "$before" -gt 0 ] && [ $((after - before)) -le $((CONNECTIONS / 2)) ] && [ "$rc" = 0 ]
}

rpcrdma_begin 3
trap cleanup EXIT
[ -d /sys/module/rpcrdma_cmfault ] || insmod /out/bin/rpcrdma_cmfault.ko || rpcrdma_end
count_begin || rpcrdma_end
# memory that the server has invalidated does not need it
echo 1 > /sys/module/rpcrdma_cmfault/parameters/local_inv
tb_server 'head -c 8M /dev/urandom > /export/f'
rpcrdma_max_version 1 2
rpcrdma_t "mounts" rpcrdma_mount 4.1
rpcrdma_t "dropped Replies give back their Receives" flushed
rpcrdma_t "unmounts" rpcrdma_umount
rpcrdma_end
