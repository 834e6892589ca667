#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A server with 500 connections, of which any 32 write at a time, beside a mount: whoever
# becomes busy has its data placed soon, and from then on; memory for Receives
# stays within its budget all the while; no message finds no Receive. A connection nobody
# has authenticated on costs little, and one that uses more credits than it has is closed.
#
# bed: pair
# kernels: stock
# devices: rxe siw
# module: test
# except: stock-rxe stock-siw
# without: stock-siw
# asked: 7.3
# smp: 2
# timeout: 900

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/memory_lib.sh"

MANY=500
# In milliseconds: what two emulated processors take for 32 times the WRITEs that use up
# short Receives. More of them share the same two of the host.
SOON=$((2000 * TB_SMP))
SAMPLES=/run/tb/samples

# sample: the server notes ten times a second what memory for Receives there is and what
# is used, until the file is gone.
sample()
{
	tb_server "touch $SAMPLES; : > $SAMPLES.txt
		(while [ -e $SAMPLES ]; do
			sed -n 's/^\(budget\|squeezed\|used\)_kb: //p' $RPCRDMA_DEBUGFS/server_memory | paste -sd ' ' >> $SAMPLES.txt
			sleep 0.1
		done) > /dev/null 2>&1 &"
}

# within: in none of these moments was more used than there was.
within()
{
	tb_server "rm -f $SAMPLES; awk '\$3 > most { most = \$3 } \$3 > \$1 - \$2 { over++ }
		END { print NR \" moments, used at most \" most \" of \" \$1 \" kB, \" over + 0 \" times beyond\"; exit over > 0 || NR < 50 }' $SAMPLES.txt"
}

# beside: writes and compares on the mount until the peer has done.
beside()
{
	local n=0

	while kill -0 "$many_pid" 2> /dev/null; do
		dd if="$RPCRDMA_WORK/data" of="$RPCRDMA_MNT/beside" bs=1M oflag=direct status=none &&
			dd if="$RPCRDMA_MNT/beside" iflag=direct bs=1M status=none | cmp - "$RPCRDMA_WORK/data" || return 1
		n=$((n + 1))
		sleep 0.2
	done
	echo "$n times"
	[ "$n" -gt 5 ]
}

# limit COUNT: how many connections nfsd may have; 0: as many as is usual.
limit()
{
	tb_server "f=/proc/fs/nfsd/max_connections; [ ! -e \$f ] || echo $1 > \$f"
}

# cleanup: leaves the server as the next test expects it.
cleanup()
{
	[ -z "$many_pid" ] || kill "$many_pid" 2> /dev/null
	tb_server "rm -f $SAMPLES /export/many"
	limit 0
	rpcrdma_cleanup
}

many_pid=
rpcrdma_peer_ready
rpcrdma_begin 12
trap cleanup EXIT
head -c 4M /dev/urandom > "$RPCRDMA_WORK/data"
limit 1000
rpcrdma_server_set eager 0
rnr=$(memory_unposted server)
rpcrdma_t "a mount beside it" rpcrdma_mount 4.2
sample
many_start $MANY
rpcrdma_t "$MANY connections" many_connected $MANY
rpcrdma_t "each costs little as long as nobody has authenticated" many_unknown $MANY
rpcrdma_t "the mount works beside them" beside
rpcrdma_t "all WRITEs are served, and who uses more credits than it has is closed" many_served
rpcrdma_t "data of whoever becomes busy is placed soon" many_soon "$SOON"
rpcrdma_t "and from then on" test "$(many_said after-placed)" = 0
# All have one address. At the height of a turn memory is scarce for it, and a peer that looks at
# a connection five times a second may not have given back its blocks within 3 seconds.
rpcrdma_t "hardly anybody that rests was closed for blocks" test "$(many_said lost)" -le 5
rpcrdma_t "never more memory than there is" within
rpcrdma_t "the kernel had all memory that the budget had" test "$(memory_total server failed)" = 0
rpcrdma_t "no message came that no Receive was there for" test $(($(memory_unposted server) - rnr)) -le 1
rpcrdma_umount
rpcrdma_t "all memory is given back" tb_wait 60 memory_total_is server used_kb 0
rpcrdma_end
