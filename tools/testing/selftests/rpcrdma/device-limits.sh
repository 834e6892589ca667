#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Devices that can do less than those of the test bed: one that cannot send with
# invalidation, ones that take 4 SGEs, ones whose queues are short. What goes without
# goes on, over version 2, with placement and with chunks. testbed/siw.patch has siw
# admit to less, and refuse what is beyond that.
#
# bed: pair
# kernels: stock debug
# devices: siw
# except: debug-siw
# timeout: 600

. "$(dirname "$0")/rpcrdma_lib.sh"
# shellcheck source=tools/testing/selftests/rpcrdma/place_lib.sh
. "$(dirname "$0")/place_lib.sh"

# on_end END TEXT: carries that out there.
on_end()
{
	if [ "$1" = client ]; then eval "$2"; else tb_server "$2"; fi
}

# limit END NAME VALUE: the device of END is another one from now on.
limit()
{
	on_end "$1" "echo $3 > /sys/module/siw/parameters/$2 && timeout 60 rdma link del siw0 && tb_device"
}

# cleanup: both ends have what they had before.
cleanup()
{
	local end

	rpcrdma_umount_all
	for end in client server; do
		limit "$end" max_sge 6
		limit "$end" max_qp_wr 32768
		limit "$end" send_inv Y
	done > /dev/null 2>&1
	rpcrdma_cleanup
}

# invalidated: how much memory the server has invalidated remotely.
invalidated()
{
	place_sum server remote_invalidations
}

# works NAME PAGES: a tree, and messages of all kinds, over a new mount whose Receives
# have so many pages for placed data.
works()
{
	local rc=0

	rpcrdma_placement "$2" "$2"
	rpcrdma_mount 4.1 || return 1
	{ rpcrdma_version 2 && rpcrdma_roundtrip "$1" && rpcrdma_exercise "$RPCRDMA_WORK/data"; } || rc=1
	rm -rf "${RPCRDMA_MNT:?}"/{f100,f3000,f9000,f70000,d,long,"$1"}
	inv=$(invalidated)
	echo "remote invalidations: $inv; placement: $(rpcrdma_state client placement | tail -1)"
	rpcrdma_umount
	return "$rc"
}

# invalidates LEAST: with chunks, the server has invalidated so much at least.
invalidates()
{
	works inv 0 && [ "$inv" -ge "$1" ]
}

# never_invalidates: it has not at all, and the client has done it all by itself.
never_invalidates()
{
	works noinv 0 && [ "$inv" = 0 ]
}

# admits END KEY VALUE: its device says so.
admits()
{
	local got

	got=$(on_end "$1" "ibv_devinfo -v -d siw0 | awk '\$1 == \"$2:\" { print \$2 }'")
	echo "$2 of the $1: $got"
	[ "$got" = "$3" ]
}

# goes_on NAME: both ways of moving data.
goes_on()
{
	rpcrdma_t "placement goes on" works "$1" 16
	rpcrdma_t "chunks go on" works "$1-c" 0
}

# both NAME VALUE KEY: with that at one end ("make check-all"), and at both.
both()
{
	local end

	for end in client server; do
		rpcrdma_t "$1=$2 at the $end" limit "$end" "$1" "$2"
		rpcrdma_t "the $end says so" admits "$end" "$3" "$2"
		[ "$end" = server ] || [ -z "${TB_EVERY_CASE:-}" ] || goes_on "$1-$end"
	done
	goes_on "$1"
}

# usual NAME VALUE: both ends have what they had before.
usual()
{
	limit client "$1" "$2" && limit server "$1" "$2"
}

rpcrdma_begin "$([ -n "${TB_EVERY_CASE:-}" ] && echo 22 || echo 11)"
trap cleanup EXIT
head -c 70000 /dev/urandom > "$RPCRDMA_WORK/data"
rpcrdma_t "devices that can invalidate do" invalidates 1
rpcrdma_t "the server's cannot" limit server send_inv N
rpcrdma_t "and does not" never_invalidates
rpcrdma_t "it can again" limit server send_inv Y
both max_sge 4 max_sge
rpcrdma_t "they are as before" usual max_sge 6
if [ -n "${TB_EVERY_CASE:-}" ]; then
	both max_qp_wr 128 max_qp_wr
	rpcrdma_t "they are as before" usual max_qp_wr 32768
fi
rpcrdma_end
