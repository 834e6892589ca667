#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Ten thousand reverse Calls in a row without any forward traffic, with as many
# credits as a client grants, and some as large as it takes them: nothing is
# lost, the connection stays, no memory leaks. Stock clients run out of Receives
# after some fifty, and a stock server loses a page with each. In "make
# check" it is a quarter of that, and two hundred and fifty where the kernel is slow.
#
# bed: pair
# alone: yes
# kernels: stock debug kcsan
# devices: rxe siw
# also: rxe+copy siw+ledger
# smp: 2
# except: debug-siw stock-siw stock-rxe
# timeout: 120

. "$(dirname "$0")/callback_lib.sh"

count=$(rpcrdma_share 10000)
[ "$TB_KERNEL" = stock ] || count=250
some=$((count / 5))

# connections: how often the mount has connected.
connections()
{
	rpcrdma_xprt 3
}

# free_kib: memory that the server could give away.
free_kib()
{
	tb_server "awk '\$1 == \"MemAvailable:\" { print \$2 }' /proc/meminfo"
}

# flood COUNT PARALLEL SIZE: all are answered, over one connection; what a page
# for each would be is not lost.
flood()
{
	local before free lost

	before=$(connections)
	free=$(free_kib)
	cb_answered "$1" cb_flood "$1" "$2" "$3" 60000 || return 1
	lost=$((free - $(free_kib)))
	echo "connections: $(connections), before: $before; the server lost $lost KiB"
	[ "$(connections)" = "$before" ] && [ "$lost" -lt $((4096 + $1 * 2)) ]
}

# highest END KEY: prints the highest value of that counter; the server may not have noticed
# yet that a client of an earlier test is gone, whose connection has none.
highest()
{
	rpcrdma_state "$1" "$2" | sort -n | tail -1
}

# too_long: a Call that the client has no room for is not sent, nor does it cost
# anything but its own time.
too_long()
{
	local got before

	before=$(connections)
	got=$(cb_flood 1 1 8000 1000)
	printf '%s\n' "$got"
	[ "$(cb_value failed "$got")" = 1 ] && [ "$(highest server reverse_withheld)" = 1 ] &&
		[ "$(connections)" = "$before" ] && cb_answered 100 cb_flood 100 16 0 60000
}

# large: a client with larger buffers takes longer Calls.
large()
{
	local rc=0

	echo 16384 > /proc/sys/sunrpc/rdma_max_inline_read
	{ rpcrdma_mount 4.1 && cb_answered "$some" cb_flood "$some" 16 16308 60000; } || rc=1
	echo 4096 > /proc/sys/sunrpc/rdma_max_inline_read
	rpcrdma_umount
	return "$rc"
}

# credits END VALUE: that end has had so many reverse Calls under way, within
# what was granted.
credits()
{
	local most grant

	most=$(highest "$1" reverse_in_use_most)
	grant=$(highest "$1" reverse_credits)
	echo "$1: $most at once, $grant granted, $(highest "$1" reverse_in_use) now"
	[ "$most" -gt 1 ] && [ "$most" -le "$grant" ] && [ "$grant" = "$2" ] && [ "$(highest "$1" reverse_in_use)" = 0 ]
}

cb_begin 10
# Receives that have room for placement have room for long Calls, too
rpcrdma_placement 0 0
tb_server 'echo 16 > /proc/sys/sunrpc/svc_rdma/max_bc_requests'
rpcrdma_t "mounts" rpcrdma_mount 4.1 || rpcrdma_end
rpcrdma_t "version 2: $count Calls, 16 at a time" flood "$count" 16 0
rpcrdma_t "version 2: $some Calls one after the other" flood "$some" 1 0
rpcrdma_t "version 2: $some Calls of 4096 bytes" flood "$some" 16 4020
rpcrdma_t "version 2: a Call that is too long" too_long
rpcrdma_t "version 2: the client counts credits" credits client 16
rpcrdma_t "version 2: the server counts credits" credits server 16
rpcrdma_umount
rpcrdma_t "version 2: $some Calls of 16384 bytes" large
rpcrdma_max_version 1 1
rpcrdma_t "mounts" rpcrdma_mount 4.1 || rpcrdma_end
rpcrdma_t "version 1: $some Calls, 16 at a time" flood "$some" 16 0
rpcrdma_end
