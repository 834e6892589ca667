#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# No client can stop a server by way of its Send Queue: not with Calls that ask
# for as many RDMA Reads or Writes as that has entries, and not by taking no
# replies. Afterwards nfsd can be stopped, and the module removed.
#
# bed: pair
# kernels: stock debug
# devices: rxe
# module: test
# except: debug-rxe
# timeout: 540

. "$(dirname "$0")/rpcrdma_lib.sh"

KNOBS=/proc/sys/sunrpc/svc_rdma
CASES=(queue_retransmit queue_retransmit_v1 queue_reads queue_reads_v1 queue_writes queue_writes_v1)
DEAF=(queue_hears_again queue_deaf_control queue_deaf)

# try CASE: the peer tries one of its cases on the server. Where nothing is placed, there
# are Receives for more Calls than it has credits for, and a queue that they can fill.
try()
{
	rpcrdma_placement 1 0 && rpcrdma_peer client --host "$TB_SERVER_IP" --path conformance --on-server /run/tb/on-server --case "$1"
}

# try_deaf CASE: the same with a Send Queue so short that the case fills it.
try_deaf()
{
	tb_server "echo 16 > $KNOBS/max_requests" && try "$1" && filled
}

# filled: replies have waited for room since the server's module was loaded.
filled()
{
	local n

	n=$(tb_server "cat $KNOBS/rdma_stat_sq_starve")
	echo "$n waited for room in the Send Queue"
	[ "$n" -gt 0 ]
}

# ends: nfsd can be stopped, and the module removed and loaded again.
ends()
{
	rpcrdma_changed=yes
	tb_server 'tb_nfsd_stop && tb_unload && tb_load ours && tb_nfsd_start' && rpcrdma_changed=
}

# ends_while_deaf: the same while connections are full of replies, and no clock
# will close them in time.
ends_while_deaf()
{
	local pid rc=0 seconds=100

	[ "$TB_KERNEL" = stock ] || seconds=400
	tb_server "echo 16 > $KNOBS/max_requests; f=$KNOBS/send_timeout; [ ! -e \$f ] || echo 3600 > \$f"
	rpcrdma_placement 1 0
	/out/bin/peer client --host "$TB_SERVER_IP" --deaf "$seconds" > "$RPCRDMA_WORK/deaf" 2>&1 &
	pid=$!
	tb_wait 300 grep -q full "$RPCRDMA_WORK/deaf" || rc=1
	filled || rc=1
	ends || rc=1
	wait "$pid" || rc=1
	cat "$RPCRDMA_WORK/deaf"
	return "$rc"
}

rpcrdma_peer_ready
# after which nfsd is stopped: each if there is time, or else the last
STOPS=("${CASES[-1]}")
! rpcrdma_everything || STOPS=("${CASES[@]}")
rpcrdma_begin $((${#CASES[@]} + ${#STOPS[@]} + 2 * ${#DEAF[@]} + 1))
tb_server '/out/bin/peer file /export/conformance 262144'
cat > /run/tb/on-server << 'END'
#!/bin/bash
. /repo/testbed/lib.sh
tb_server "$1"
END
chmod +x /run/tb/on-server
# what the cases count with
before=$(rpcrdma_block_size 262144) || { echo "Bail out! nfsd takes no block size: $before"; exit 1; }
for c in "${CASES[@]}"; do
	rpcrdma_t "$c" try "$c"
	[[ " ${STOPS[*]} " != *" $c "* ]] || rpcrdma_t "$c: nfsd ends, and the module" ends
done
for c in "${DEAF[@]}"; do
	rpcrdma_t "$c" try_deaf "$c"
	rpcrdma_t "$c: nfsd ends, and the module" ends
done
rpcrdma_t "nfsd ends while replies wait" ends_while_deaf
rpcrdma_block_size "$before" > /dev/null
rpcrdma_end
