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
#   page_maps       pieces that version 1 has mapped for DMA, one call each, by the trace
#                   points of the server's, and of the client's Sends: those have a header
#                   and a call that are always mapped, and what comes beyond these is not
#   send_calls and others, as the module rpcrdma_verbs says: see its head
#
# and at the client besides, of its mounts:
#
#   rpcs, call_bytes, reply_bytes            by mountstats
#   read_chunks, write_chunks, reply_chunks  chunks that were offered, likewise
#   groups, xmtconts                         what version 2 says of messages of
#                                            several Sends, in both directions
#
# "show" prints a line for each. Probes slow a kernel down; they are on only
# while something is counted. BENCH_ROOT= is for tests: where /proc and /sys are.

stats=${BENCH_ROOT:-}/proc/self/mountstats
trace=${BENCH_ROOT:-}/sys/kernel/tracing
v2=${BENCH_ROOT:-}/sys/kernel/debug/rpcrdma2
verbs=${BENCH_ROOT:-}/sys/kernel/debug/rpcrdma_verbs

# hists on|off: counts at the trace points of rpcrdma, or no more.
hists()
{
	local event how no=

	[ "$1" = on ] || no=!
	while read -r event how; do
		event=$trace/events/rpcrdma/$event
		[ ! -d "$event" ] || echo "${no}hist:keys=$how" > "$event/trigger" || return
	done <<- end
		svcrdma_send_pullup cq_id:vals=msglen
		svcrdma_dma_map_page cq_id
		xprtrdma_post_send num_sge
	end
}

# on DEVICE: begins to count.
on()
{
	local f=rxe_invalidate_mr

	[ "$1" = rxe ] || f=siw_invalidate_stag
	if [ ! -d "$trace/events/bench" ]; then
		echo "p:bench/registrations ib_map_mr_sg" >> "$trace/kprobe_events" &&
			echo "p:bench/invalidations $f" >> "$trace/kprobe_events" || return
	fi
	echo 1 > "$trace/events/bench/enable" || return
	[ -d /sys/module/rpcrdma_verbs ] || insmod /out/bin/rpcrdma_verbs.ko || return
	hists on
}

# off: ends it, so that rpcrdma can be unloaded.
off()
{
	hists off
	echo 0 > "$trace/events/bench/enable"
	[ ! -d /sys/module/rpcrdma_verbs ] || rmmod rpcrdma_verbs
}

# show: prints them. One process reads it all: this is done often, on slow machines.
show()
{
	shopt -s nullglob
	awk 'FNR == 1 { end = FILENAME ~ /server/ ? "server" : "client"; ops = 0 }
		$1 ~ /^(registrations|invalidations)$/ { print $1, $2 }
		FILENAME ~ /rpcrdma_verbs$/ { print $1, $2 }
		# { num_sge: 4 } hitcount: 7
		FILENAME ~ /post_send/ && $1 == "{" && $3 > 2 { maps += ($3 - 2) * $6 }
		FILENAME ~ /dma_map_page/ && $1 == "{" { maps += $6 }
		match($0, /msglen: *[0-9]+/) { copied += substr($0, RSTART + 7, RLENGTH - 7) }
		$1 == "bounced_bytes:" || (end == "server" && $1 == "placed_bytes_copied:") { copied += $2 }
		end == "client" && $1 ~ /^groups_(sent|received):$/ { n["groups"] += $2 }
		end == "client" && $1 ~ /^xmtconts_(sent|received):$/ { n["xmtconts"] += $2 }
		$1 == "xprt:" { n["rpcs"] += $8 }
		$1 == "xprt:" && $2 == "rdma" {
			n["read_chunks"] += $13; n["write_chunks"] += $14; n["reply_chunks"] += $15; copied += $18 + $19
		}
		$1 == "per-op" { ops = 1 }
		$1 == "device" { ops = 0 }
		ops { n["call_bytes"] += $5; n["reply_bytes"] += $6 }
		END {
			print "copied_bytes", copied + 0
			print "page_maps", maps + 0
			m = split("rpcs call_bytes reply_bytes read_chunks write_chunks reply_chunks groups xmtconts", names)
			for (i = 1; i <= m; i++)
				print names[i], n[names[i]] + 0
		}' "$trace/kprobe_profile" "$stats" "$trace"/events/rpcrdma/{svcrdma_send_pullup,svcrdma_dma_map_page,xprtrdma_post_send}/hi[s]t \
		"$v2"/{client,server}/*/state "$verbs"*
}

case ${1:-} in
on) on "$2" ;;
off) off ;;
show) show ;;
*) exit 2 ;;
esac
