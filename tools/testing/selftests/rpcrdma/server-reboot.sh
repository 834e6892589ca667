#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The server starts anew as if its power had failed, while files are worked on that
# are open and locked, and one is delegated: the client makes new connections, claims
# what it had, and nothing that was stored is lost.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# without: debug-siw
# except: stock-rxe stock-siw debug-rxe debug-siw
# asked: 7.3
# timeout: 900

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/fault_lib.sh"

# booted: the server answers, and not the one before.
booted()
{
	local id

	id=$(tb_server tb_boot_id) && [ "$id" != "$1" ]
}

# reboot: the server starts anew; what its kernel has complained about until now is
# not lost with it.
reboot()
{
	local id s=$SECONDS

	locked || return 1
	tb_server tb_splats > "$RPCRDMA_WORK/splats"
	[ ! -s "$RPCRDMA_WORK/splats" ] || { cat "$RPCRDMA_WORK/splats"; return 1; }
	id=$(tb_server tb_boot_id)
	tb_server '(sleep 0.2; tb_reboot) > /dev/null 2>&1 &'
	tb_wait 240 booted "$id" || { echo "the server does not come back"; return 1; }
	echo "back after $((SECONDS - s)) s"
	fault_goes_on 10 || return 1
	fault_held
	# with the opens the client has got delegations, too, and keeps locks to itself again
	locked
}

# locked: a file of each worker is locked, as the server sees it. The server's own process
# recalls the delegation that allowed the client to keep the lock to itself; the other
# files stay delegated.
locked()
{
	local n

	for n in 0 1 2 3; do
		fault_locked "w$n/f-0" || return 1
	done
}

# delegated: a file is, and stays open: what is not open the client does not claim. The
# server has made it, and stored it when its power fails.
delegated()
{
	fault_delegated && tb_server sync && exec 8< "$(printf '%s\n' "$RPCRDMA_MNT"/deleg-* | tail -n 1)"
}

# delegations INODE: prints how many there are of that file, of which a server that has
# started anew knows no name.
delegations()
{
	tb_server "cat /proc/fs/nfsd/clients/*/states 2> /dev/null | grep -c 'type: deleg.*:$1\"'"
}

# recalled: the delegation that was claimed can be called back.
recalled()
{
	local before took inode

	inode=$(stat -L -c %i /dev/fd/8)
	before=$(delegations "$inode")
	took=$(fault_recall)
	exec 8<&-
	echo "writing to what was delegated took $took ms; $(fault_held)"
	[ "$before" -gt 0 ] && [ "$took" -lt 8000 ] && [ "$(delegations "$inode")" = 0 ] && [ "$(cat "$RPCRDMA_MNT/deleg-0")" = $'hello\nmore' ]
}

# usual: the export is in memory again.
usual()
{
	rpcrdma_cleanup
	tb_server tb_disk_end
}

rounds=$(rpcrdma_share 4)
rpcrdma_begin $((7 + rounds))
trap usual EXIT
fault_seed
rpcrdma_t "the server exports a disk" tb_server tb_disk_begin || rpcrdma_end
rpcrdma_t "mounts" rpcrdma_mount 4.1 || rpcrdma_end
rpcrdma_t "a file is delegated" delegated
rpcrdma_t "files are worked on, with locks" fault_start -l
for ((n = 1; n <= rounds; n++)); do
	rpcrdma_t "reboot $n: the work goes on, locks are claimed" reboot
done
rpcrdma_t "the delegation was claimed, and is recalled" recalled
tb_server 'rm -f /export/deleg-*'
rpcrdma_t "every byte is right at both ends" fault_stop || fault_kill
rpcrdma_t "over version 2" rpcrdma_version 2
rpcrdma_end
