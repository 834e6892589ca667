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
# except: debug-rxe
# timeout: 300

. "$(dirname "$0")/rpcrdma_lib.sh"

DIR=/proc/sys/sunrpc/svc_rdma
MS=15000
[ "$TB_KERNEL" = stock ] || MS=60000

# switch NAME VALUE: sets one of the server's numbers.
switch()
{
	tb_server "echo $2 > $DIR/continuation_$1"
}

# cleanup: the server's numbers are what they were.
cleanup()
{
	switch requests 20
	switch replies 20
	switch timeout 30
	tb_server 'rm -f /export/conformance'
	rpcrdma_cleanup
}

# refuses NAME VALUE...: the server takes none of these, and keeps its number.
refuses()
{
	local name=$1 before v

	shift
	before=$(tb_server "cat $DIR/continuation_$name")
	for v; do
		! switch "$name" "$v" 2> /dev/null || { echo "$name took '$v'"; return 1; }
	done
	[ "$(tb_server "cat $DIR/continuation_$name")" = "$before" ]
}

# parameter NAME: the module parameter shows what the sysctl does.
parameter()
{
	tb_server "[ \$(cat $DIR/continuation_$1) = \$(cat /sys/module/rpcrdma/parameters/server_continuation_$1) ]"
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
	switch requests "$1" && switch replies "$2" && peer "$3"
}

[ -x /out/bin/peer ] || rpcrdma_skip_all "the peer is not built: make programs"
modprobe -q -a rdma_ucm ib_uverbs
rpcrdma_begin 10
trap cleanup EXIT
tb_server '/out/bin/peer file /export/conformance 262144'
for name in requests replies timeout; do
	rpcrdma_t "$name: the parameter shows the same" parameter $name
done
for name in requests replies; do
	rpcrdma_t "$name: 1 to 32" eval "switch $name 1 && switch $name 32 && refuses $name 0 33 -1 4294967297 two"
done
rpcrdma_t "timeout: 1 to 3600 seconds" eval "switch timeout 3600 && switch timeout 1 && refuses timeout 0 3601 soon"
switch timeout 30
rpcrdma_t "the longest Call has 2 Sends" limited 2 20 'cont_null,cont_longest,cont_count_too_high,cont_reply'
rpcrdma_t "the longest Call has 32 Sends" limited 32 32 'cont_longest,cont_count_too_high,cont_reply'
rpcrdma_t "replies are one Send, Calls are not" limited 20 1 'cont_null,cont_reply'
rpcrdma_t "all messages are one Send" limited 1 1 'xmt_cont_not_offered,xmt_null*'
rpcrdma_end
