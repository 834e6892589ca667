#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The conformance peer tries our server and our client as it does anybody's, without what
# the test bed knows of them: its tables of ids have no failure, enough ids are judged,
# and the server has no file of the peer's left.
#
# bed: pair
# kernels: stock
# devices: rxe siw
# module: test
# except: stock-rxe stock-siw
# timeout: 900

. "$(dirname "$0")/rpcrdma_lib.sh"
# shellcheck source=tools/testing/selftests/rpcrdma/place_lib.sh
. "$(dirname "$0")/place_lib.sh"

TABLE=$RPCRDMA_WORK/table

# judged STATUS LEAST: what the peer has printed is a table without a failure, in which
# at least so many ids are judged.
judged()
{
	local n

	n=$(grep -cE '^(B|C|D|E|N|P|S|X)-[0-9]+ .* (pass|fail) ' "$TABLE")
	echo "status $1, $n ids judged"
	grep -E -A3 '^not ok|Bail out|broke off|be left' "$TABLE" | sed 's/^not ok/failed:/'
	[ "$1" = 0 ] && [ "$n" -ge "$2" ]
}

# server: tries the kernel's server, on which nobody carries out a command. A section for
# which there is time, and a delegation, which is a file of its own.
server()
{
	local rc=0

	tb_server 'mkdir -p /export/check'
	timeout 300 /out/bin/peer server-check "$TB_SERVER_IP" --path check --device "$TB_DEV" \
		--case 'E-*,reverse_call' > "$TABLE" 2>&1 || rc=$?
	judged "$rc" 40
}

# nothing_left: the folder that the server's peer had is empty.
nothing_left()
{
	tb_server 'ls -A /export/check; rmdir /export/check'
}

# client: tries the kernel's client, which does the operations that it is told to.
client()
{
	local apps rc=0

	# its mount has an rsize and wsize of 8 KiB; rpcrdma_begin has set write_min
	place_set read_min 4096
	/out/bin/peer apps --host 10.9.0.2 --dir "$RPCRDMA_MNT" > "$RPCRDMA_WORK/apps" 2>&1 &
	apps=$!
	timeout 500 /out/bin/peer client-check 10.9.0.2 --device "$TB_DEV" \
		--case 'place_write*,place_read*,resp_count*,resp_wrong_way' > "$TABLE" 2>&1 || rc=$?
	kill "$apps"
	wait "$apps"
	! grep -q " $RPCRDMA_MNT nfs" /proc/mounts || tb_wait 60 umount -i -f "$RPCRDMA_MNT"
	judged "$rc" 15
}

rpcrdma_peer_ready
rpcrdma_eager
rpcrdma_begin 3
rpcrdma_t "server-check finds nothing wrong" server
rpcrdma_t "it leaves nothing behind" nothing_left
rpcrdma_t "client-check finds nothing wrong" client
rpcrdma_end
