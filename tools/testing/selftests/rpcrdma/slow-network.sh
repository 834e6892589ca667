#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Over a slow network memory follows use, too: WRITEs of 1 MiB, one after the other, come to
# have credits and keep them. A round trip takes longer than the interval in which use is
# counted, and the credits of a Call are back whenever a reply has come.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# except: debug-rxe debug-siw stock-rxe stock-siw
# timeout: 180

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/memory_lib.sh"

# In milliseconds. Twenty intervals without use are too short on a slow kernel, on which a
# WRITE takes two seconds by itself; no round trip may take longer than soft-RoCE waits.
INTERVAL=250
[ "$TB_KERNEL" = stock ] || INTERVAL=1000
TRIP=300

# slow MILLISECONDS: what the server sends takes so long; 0: no time.
slow()
{
	tb_server "modprobe -q sch_netem; tc qdisc del dev eth0 root 2> /dev/null; [ $1 = 0 ] || tc qdisc add dev eth0 root netem delay ${1}ms limit 20000"
}

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	slow 0
	rpcrdma_umount_all
	[ -z "$was" ] || rpcrdma_block_size "$was" > /dev/null
	rpcrdma_cleanup
}

# counted: prints how many Calls had no credits to go as groups.
counted()
{
	rpcrdma_state client groups_no_credits
}

# writes COUNT: writes so many times 1 MiB.
writes()
{
	dd if=/dev/zero of="$RPCRDMA_MNT/file" bs=1M count="$1" oflag=direct conv=notrunc status=none
}

# large: both ends have long Receives after some WRITEs.
large()
{
	local n

	for ((n = 0; n < 30; n++)); do
		writes 1 || return 1
		[ "$(rpcrdma_state client send_limit)" -le 4096 ] || return 0
	done
	rpcrdma_keys client send_limit memory_why
	return 1
}

# others COUNT MOST: of so many WRITEs up to MOST go another way than in Sends.
others()
{
	local before after groups

	before=$(counted)
	groups=$(rpcrdma_state client groups_sent)
	writes "$1" || return 1
	after=$(counted)
	groups=$(($(rpcrdma_state client groups_sent) - groups))
	echo "$groups groups, $((after - before)) without credits"
	[ $((after - before)) -le "$2" ] && [ "$groups" -ge $(($1 - $2)) ]
}

was=
rpcrdma_begin 6
trap cleanup EXIT
was=$(rpcrdma_block_size 1048576)
rpcrdma_interval "$INTERVAL"
rpcrdma_t "mounts" rpcrdma_mount 4.1
rpcrdma_t "a round trip takes $TRIP ms" slow $TRIP
rpcrdma_t "Receives become long" large
# the first finds few at the server, and the next at the client
rpcrdma_t "WRITEs come to have credits" others 8 3
shrunk=$(memory_total client shrunk)
# the server takes some back every 20 intervals, and gives them again
rpcrdma_t "and go on" others 20 5
# what is not used for so long is taken back
rpcrdma_t "the client keeps what it uses" memory_total_is client shrunk "$shrunk"
rpcrdma_end
