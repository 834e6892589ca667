# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # rpcrdma_lib.sh comes first
#
# What the tests share that capture what goes over the wire and have it judged
# by dissector/judge.py. Such a test has a function "work" that mounts, works,
# keeps the state of the connection in $state, and unmounts.

dissector=$(dirname "$0")/dissector
pcap=$RPCRDMA_WORK/wire.pcap
table=/out/$(basename "$0" .sh).table
# shellcheck disable=SC2034 # read by work
state=/out/$(basename "$0" .sh).state

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
	cp "$pcap" "/out/$(basename "$0" .sh).pcap"
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
