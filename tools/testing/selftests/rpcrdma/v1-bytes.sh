#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# With max_version=1 our modules put the same transport headers on the wire as
# Debian's: the same work is done by both pairs, captured, decoded by
# rpcrdma_decode.py and compared, message by message. What has to differ from
# run to run is masked there by name.
#
# bed: pair
# kernels: stock debug
# devices: rxe
# except: debug-rxe
# timeout: 360

. "$(dirname "$0")/rpcrdma_lib.sh"

# work: NFSv3, one request at a time, that takes messages of all kinds.
work()
{
	local m=$RPCRDMA_MNT

	rpcrdma_mount 3 actimeo=3600,noacl || return 1
	rpcrdma_exercise /dev/zero || return 1
	rm -rf "${m:?}"/*
	rpcrdma_umount
}

# capture NAME: does the work and keeps what went over eth0, decoded.
capture()
{
	local rc=0 pcap=$RPCRDMA_WORK/$1.pcap

	rpcrdma_capture "$pcap" 0 'udp port 4791' work || rc=1
	cat "$RPCRDMA_WORK/tcpdump"
	python3 "$(dirname "$0")/rpcrdma_decode.py" "$pcap" > "/out/v1-bytes.$1" || rc=1
	cp "$pcap" "/out/v1-bytes.$1.pcap"
	return "$rc"
}

# enough: the capture has all kinds of messages in it.
enough()
{
	local k

	for k in 'call .*MSG.*read\[\].*write\[\].*reply\[\]' 'read\[[^]]' 'write\[[^]]' 'reply\[[^]]' NOMSG private; do
		grep -q "$k" /out/v1-bytes.stock || { echo "no '$k' among the messages"; return 1; }
	done
	wc -l < /out/v1-bytes.stock
}

# same: both captures decode to the same.
same()
{
	diff -u /out/v1-bytes.stock /out/v1-bytes.ours
}

rpcrdma_begin 7
rpcrdma_t "Debian's module runs on both ends" rpcrdma_modules stock stock || rpcrdma_end
rpcrdma_t "the work is captured" capture stock
rpcrdma_t "it takes every kind of message" enough
rpcrdma_t "our module runs on both ends" rpcrdma_modules ours ours || rpcrdma_end
rpcrdma_changed=
rpcrdma_max_version 1 1
rpcrdma_t "the same work is captured" capture ours
rpcrdma_t "all transport headers are the same" same
rpcrdma_max_version 2 2
rpcrdma_t "version 2 is back" eval 'rpcrdma_mount 4.1 && rpcrdma_version 2 client'
rpcrdma_end
