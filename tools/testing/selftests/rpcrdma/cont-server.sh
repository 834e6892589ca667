#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How many Sends a message may take is for the server's administrator to say: it
# takes Calls that long and no longer, and without any it refuses ROPT_XMTCONT.
# The numbers can be read and written, and nonsense is refused.
#
# bed: pair
# kernels: stock debug
# devices: rxe
# module: test
# except: debug-rxe
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"

MS=15000
[ "$TB_KERNEL" = stock ] || MS=60000

# switch NAME VALUE: sets one of the server's numbers.
switch()
{
	rpcrdma_server_set "$1" "$2"
}

# cleanup: the server's numbers are what they were.
cleanup()
{
	switch continuation 20
	switch continuation_timeout 30
	tb_server 'rm -f /export/conformance'
	rpcrdma_cleanup
}

# number NAME: prints one of the server's numbers.
number()
{
	tb_server "$(declare -f rpcrdma_knob); cat \$(rpcrdma_knob server $1)"
}

# both N: so many is what Calls and replies may take.
both()
{
	switch continuation "$1" && [ "$(number continuation_requests) $(number continuation_replies)" = "$1 $1" ]
}

# refuses NAME VALUE...: the server takes none of these, and keeps its number.
refuses()
{
	local name=$1 before v

	shift
	before=$(number "$name")
	for v; do
		! switch "$name" "$v" 2> /dev/null || { echo "$name took '$v'"; return 1; }
	done
	[ "$(number "$name")" = "$before" ]
}

# peer CASES: these apply, and pass.
peer()
{
	local out

	out=$(/out/bin/peer client --host "$TB_SERVER_IP" --path conformance --device "$TB_DEV" --timeout "$MS" --case "$1")
	printf '%s\n' "$out"
	grep -q '^# Totals: .* fail:0 .* skip:0 ' <<< "$out"
}

# limited REQUESTS REPLIES CASES: with these numbers the cases pass.
limited()
{
	switch continuation_requests "$1" && switch continuation_replies "$2" && peer "$3"
}

rpcrdma_peer_ready
rpcrdma_eager
rpcrdma_begin 9
trap cleanup EXIT
tb_server '/out/bin/peer file /export/conformance 262144'
for name in continuation continuation_requests continuation_replies; do
	rpcrdma_t "$name: 1 to 32" eval "switch $name 1 && switch $name 32 && refuses $name 0 33 -1 4294967297 two"
done
rpcrdma_t "one number is for Calls and replies" eval 'both 7 && both 20'
name=continuation_timeout
rpcrdma_t "$name: 1 to 3600 seconds" eval "switch $name 3600 && switch $name 1 && refuses $name 0 3601 soon"
switch $name 30
rpcrdma_t "the longest Call has 2 Sends" limited 2 20 'cont_null,cont_longest,cont_count_too_high,cont_reply'
rpcrdma_t "the longest Call has 32 Sends" limited 32 32 'cont_longest,cont_count_too_high,cont_reply'
rpcrdma_t "replies are one Send, Calls are not" limited 20 1 'cont_null,cont_reply'
rpcrdma_t "all messages are one Send" limited 1 1 'xmt_cont_not_offered,xmt_null*'
rpcrdma_end
