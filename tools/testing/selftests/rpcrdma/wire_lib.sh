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

# capture: does the work and keeps what went over eth0.
capture()
{
	local rc=0

	rpcrdma_capture "$pcap" 0 'udp port 4791 or tcp port 20049' work || rc=1
	cat "$RPCRDMA_WORK/tcpdump"
	cp "$pcap" "/out/$(basename "$0" .sh).pcap"
	grep -q '^0 packets dropped by kernel' "$RPCRDMA_WORK/tcpdump" || rc=1
	return "$rc"
}

# dissect: makes one table of it all, because tshark takes its time to start. What soft-RoCE
# has sent again, as it does where a host is busy, is no second message.
dissect()
{
	local fields once=$RPCRDMA_WORK/once.pcap

	python3 "$(dirname "$0")/rpcrdma_pcap.py" "$pcap" "$once" || return 1
	read -ra fields < <(python3 "$dissector/judge.py" fields)
	tshark -X "lua_script:$dissector/rpcrdma2.lua" -n -r "$once" \
		-Y 'rpcrdma2 || rpcordma || infiniband.reth || iwarp_rdma || _ws.lua.error' \
		-T fields -E separator='|' "${fields[@]}" > "$table" && wc -l < "$table"
}

# judge CHECK: one check of dissector/judge.py.
judge()
{
	python3 "$dissector/judge.py" "$1" "$table" "$state"
}
