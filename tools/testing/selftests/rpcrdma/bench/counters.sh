#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# counters.sh on rxe|siw|off|show: what this end has cost its device and its
# processor, counted from outside, so that any rpcrdma.ko can be asked.
#
#   registrations   calls of ib_map_mr_sg(), which every fast registration makes
#   invalidations   calls of the device's own function, whoever wanted them
#   copied_bytes    what mountstats (client) and the trace point of the server's
#                   pull-up say, and what version 2 counts besides: what it has to
#                   copy to send it, and what its server moves after it came
#
# "show" prints a line for each. Probes slow a kernel down; they are on only
# while something is counted.

trace=/sys/kernel/tracing
pullup=$trace/events/rpcrdma/svcrdma_send_pullup
v2=/sys/kernel/debug/rpcrdma2
hist='hist:keys=cq_id:vals=msglen'

# on DEVICE: begins to count.
on()
{
	local f=rxe_invalidate_mr

	[ "$1" = rxe ] || f=siw_invalidate_stag
	if [ ! -d $trace/events/bench ]; then
		echo "p:bench/registrations ib_map_mr_sg" >> $trace/kprobe_events &&
			echo "p:bench/invalidations $f" >> $trace/kprobe_events || return
	fi
	echo 1 > $trace/events/bench/enable || return
	[ ! -d $pullup ] || echo "$hist" > $pullup/trigger
}

# off: ends it, so that rpcrdma can be unloaded.
off()
{
	[ ! -d $pullup ] || echo "!$hist" > $pullup/trigger
	echo 0 > $trace/events/bench/enable
}

# copied: prints how many bytes have been copied.
copied()
{
	{
		awk '$1 == "xprt:" && $2 == "rdma" { print $18 + $19 }' /proc/self/mountstats
		sed -n 's/.*msglen: *//p' $pullup/hist 2> /dev/null
		cat $v2/client/*/state 2> /dev/null | sed -n 's/^bounced_bytes: //p'
		cat $v2/server/*/state 2> /dev/null | sed -n 's/^\(bounced_bytes\|placed_bytes_copied\): //p'
	} | awk '{ n += $1 } END { print "copied_bytes", n + 0 }'
}

case ${1:-} in
on) on "$2" ;;
off) off ;;
show)
	awk '$1 ~ /^(registrations|invalidations)$/ { print $1, $2 }' $trace/kprobe_profile
	copied
	;;
*) exit 2 ;;
esac
