#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The backchannel works: a delegation that the client holds is recalled when
# the server's own user writes to the file, and the write does not wait for
# the lease to end.
#
# bed: pair
# alone: yes
# kernels: stock debug kcsan
# devices: rxe siw
# smp: 2
# except: debug-siw stock-siw
# timeout: 240

. "$(dirname "$0")/rpcrdma_lib.sh"

# recall_one NAME: reads a file twice, so that it is delegated; has the server
# write to it; and expects the delegation to be returned in time. Fails with 2
# if there was no delegation, and with 3 if the server had to wait. The server
# makes the file: what was written through nfsd stays open for writing there for
# a while, and is not delegated.
recall_one()
{
	local file=deleg-$1 before took

	tb_server "echo hello > /export/$file"
	cat "$RPCRDMA_MNT/$file"
	exec 7< "$RPCRDMA_MNT/$file"
	exec 8< "$RPCRDMA_MNT/$file"
	cat <&7
	before=$(rpcrdma_op DELEGRETURN)
	took=$(tb_server "s=\$(date +%s%N); echo more >> /export/$file; echo \$(((\$(date +%s%N) - s) / 1000000))")
	echo "the server's write took $took ms"
	exec 7<&- 8<&-
	echo "DELEGRETURN: $before before, $(rpcrdma_op DELEGRETURN) after"
	[ "$(cat "$RPCRDMA_MNT/$file")" = $'hello\nmore' ] || return 1
	[ "$took" -lt 8000 ] || return 3
	[ "$(rpcrdma_op DELEGRETURN)" -gt "$before" ] || return 2
}

# recall NAME: whether an open gets a delegation is for nfsd to decide, which refuses while
# lockd is in its grace period, three seconds from its start; of the files made in twenty
# seconds it has to delegate one. A host that pauses may have the server's user wait once.
recall()
{
	local i=0 rc=2 slow=0 s=$SECONDS

	while [ "$rc" = 2 ] && [ $((SECONDS - s)) -lt 20 ]; do
		rc=0
		recall_one "$1-$((i++))" || rc=$?
		[ "$rc" != 3 ] || [ $((slow++)) -gt 0 ] || rc=2
	done
	return "$rc"
}

# backchannel: the server has found the client's callback service to answer.
backchannel()
{
	tb_server 'tb_wait 20 grep -q "^callback state: UP" /proc/fs/nfsd/clients/*/info || { cat /proc/fs/nfsd/clients/*/info; false; }'
}

rpcrdma_begin 10
for vers in 4.1 4.2; do
	rpcrdma_t "vers=$vers mounts" rpcrdma_mount "$vers"
	rpcrdma_t "vers=$vers: the backchannel works" backchannel
	rpcrdma_t "vers=$vers: a delegation is recalled" recall "$vers-a"
	rpcrdma_t "vers=$vers: and another one" recall "$vers-b"
	rpcrdma_t "vers=$vers: over version 2" rpcrdma_version 2
	rpcrdma_umount
done
rpcrdma_end
