#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# After use the module can be removed on both ends, leaves nothing behind, and
# works again when it is loaded again; three times, or once for lack of time.
#
# bed: pair
# kernels: stock debug kcsan
# devices: rxe siw
# also: rxe+copy siw+ledger
# smp: 1 2
# except: debug-siw debug-rxe-1 stock-siw-2 stock-rxe
# timeout: 240

. "$(dirname "$0")/rpcrdma_lib.sh"

# gone: nothing of the module is left on this end.
gone()
{
	local f rc=0

	for f in /sys/module/rpcrdma /sys/kernel/debug/rpcrdma2 /proc/sys/sunrpc/rdma_max_version \
		/proc/sys/sunrpc/svc_rdma/max_version /sys/kernel/tracing/events/rpcrdma2; do
		[ ! -e "$f" ] || { echo "$TB_ROLE: $f is still there"; rc=1; }
	done
	return "$rc"
}

# at_most COUNT: there are no more transports than that.
at_most()
{
	[ "$(tb_transports | wc -l)" -le "$1" ]
}

# all_freed: transports are freed on both ends, soon after the unmount. nfsd may
# keep those of clients that went without a word before.
all_freed()
{
	tb_wait 20 at_most 0 || { echo "client: $(tb_transports | wc -l) transports are left"; return 1; }
	tb_server "$(declare -f at_most); tb_wait 20 at_most $before || { echo \"server: \$(tb_transports | wc -l) transports are left\"; exit 1; }"
}

# unload: removes the module on both ends.
unload()
{
	rpcrdma_changed=yes
	tb_unload && tb_server 'tb_nfsd_stop && tb_unload'
}

# both_gone: nothing is left on either end.
both_gone()
{
	gone && tb_server "$(declare -f gone); gone"
}

# reload: brings both ends back.
reload()
{
	tb_load ours && tb_server 'tb_load ours && tb_nfsd_start'
}

# use N: mounts and moves data, over a transport that all_freed() would see.
use()
{
	before=$(tb_server 'tb_transports | wc -l')
	rpcrdma_mount 4.1 && rpcrdma_roundtrip "tree-$1" && ! at_most 0
}

ROUNDS=$(rpcrdma_share 3)

rpcrdma_begin $((ROUNDS * 6))
for ((n = 1; n <= ROUNDS; n++)); do
	rpcrdma_t "round $n: mounts and moves data" use "$n"
	rpcrdma_t "round $n: unmounts" rpcrdma_umount
	rpcrdma_t "round $n: transports are freed" all_freed
	rpcrdma_t "round $n: the module can be removed" unload
	rpcrdma_t "round $n: nothing is left" both_gone
	rpcrdma_t "round $n: the module can be loaded again" reload && rpcrdma_changed=
done
rpcrdma_end
