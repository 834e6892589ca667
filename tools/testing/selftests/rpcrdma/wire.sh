#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What goes over the wire is version 2 as it should be: a mount and some work are
# captured, dissected by tshark with dissector/rpcrdma2.lua, and judged by
# dissector/judge.py, message by message and against the RDMA operations beside
# them. Neither shares code with the kernel.
#
# bed: pair
# kernels: stock
# devices: rxe siw
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"

dissector=$(dirname "$0")/dissector
pcap=$RPCRDMA_WORK/wire.pcap
table=/out/wire.table
state=/out/wire.state

# work: takes messages of all kinds, and says what the client then knows of the
# connection.
work()
{
	local m=$RPCRDMA_MNT

	rpcrdma_mount 4.1 || return 1
	rpcrdma_exercise /dev/urandom || return 1
	cat "$RPCRDMA_DEBUGFS"/client/*/state > "$state"
	rm -rf "${m:?}"/*
	rpcrdma_umount
}

# quiet: the capture has not grown for a second.
quiet()
{
	local n

	n=$(stat -c %s "$pcap")
	sleep 1
	[ "$n" = "$(stat -c %s "$pcap")" ]
}

# capture: does the work and keeps what went over eth0.
capture()
{
	local pid rc=0

	tcpdump -i eth0 -s 0 -B 65536 -U -w "$pcap" 'udp port 4791 or tcp port 20049' \
		2> "$RPCRDMA_WORK/tcpdump" &
	pid=$!
	tb_wait 20 grep -q 'listening on' "$RPCRDMA_WORK/tcpdump" || return 1
	work || rc=1
	tb_wait 20 quiet
	kill "$pid"
	wait "$pid"
	cat "$RPCRDMA_WORK/tcpdump"
	cp "$pcap" /out/wire.pcap
	grep -q '^0 packets dropped by kernel' "$RPCRDMA_WORK/tcpdump" || rc=1
	return "$rc"
}

# dissect: makes one table of it all, because tshark takes its time to start.
dissect()
{
	local fields

	read -ra fields < <(python3 "$dissector/judge.py" fields)
	tshark -X "lua_script:$dissector/rpcrdma2.lua" -n -r "$pcap" \
		-Y 'rpcrdma2 || rpcordma || infiniband.reth || iwarp_rdma || _ws.lua.error' \
		-T fields -E separator='|' "${fields[@]}" > "$table" && wc -l < "$table"
}

# judge CHECK: one check of dissector/judge.py.
judge()
{
	python3 "$dissector/judge.py" "$1" "$table" "$state"
}

rpcrdma_begin 9
rpcrdma_t "the work is captured" capture || rpcrdma_end
rpcrdma_t "tshark dissects it" dissect || rpcrdma_end
rpcrdma_t "no header is malformed or against the protocol" judge sound
rpcrdma_t "both ends say INITXCH first, what debugfs says of them" judge opening
rpcrdma_t "every message is version 2 and grants or asks for credits" judge version
rpcrdma_t "every Call has one reply" judge pairs
rpcrdma_t "RDMA Reads fetch what the Read lists name, no more and no less" judge reads
rpcrdma_t "RDMA Writes stay within what Calls offer" judge writes
rpcrdma_t "replies invalidate the handle that their Call named" judge invalidations
rpcrdma_end
