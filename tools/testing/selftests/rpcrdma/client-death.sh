#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The client dies without a word, with files open, locked and delegated, in the midst
# of its work: the server gives all of that up when somebody wants it, closes the
# connections, and what the client had been told is stored is there. The machine that
# comes back mounts anew.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# without: debug-siw
# module: test
# except: debug-rxe debug-siw stock-rxe stock-siw
# timeout: 420

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/fault_lib.sh"

LEASE=10
PHASE=/out/client-death
STORED=$PHASE/stored

# store: writes what must survive; returns when the server has said that it does.
store()
{
	head -c 300001 /dev/urandom > "$STORED"
	dd if="$STORED" of="$RPCRDMA_MNT/stored" bs=64k conv=fsync 2> /dev/null
}

# server_has KIND: prints how many connections, or transports, the server has.
server_has()
{
	case $1 in
	connections) tb_server "ls -d $RPCRDMA_DEBUGFS/server/*/ 2> /dev/null | wc -l" ;;
	transports) tb_server 'tb_transports | wc -l' ;;
	clients) tb_server 'ls -d /proc/fs/nfsd/clients/*/ 2> /dev/null | wc -l' ;;
	esac
}

# alive: the server knows the client and what it has.
alive()
{
	fault_held
	echo "$(server_has connections) connections, $(server_has clients) clients"
	fault_locked w0/f-0 && [ "$(server_has connections)" -ge 1 ] && [ "$(server_has clients)" = 1 ]
}

# phase_1: a client at work dies.
phase_1()
{
	rpcrdma_begin 11
	rm -rf "$PHASE"
	mkdir -p "$PHASE"
	fault_seed
	rpcrdma_t "mounts" rpcrdma_mount 4.1 || rpcrdma_end
	rpcrdma_t "stores a file" store
	rpcrdma_t "a file is delegated" fault_delegated
	rpcrdma_t "files are worked on, with locks" fault_start -l
	rpcrdma_t "the server knows the client" alive
	tb_splats > "$PHASE/splats"
	echo "$rpcrdma_nr $rpcrdma_bad" > "$PHASE/results"
	tb_reboot
}

# seen: what the kernel of the client that died had complained about.
seen()
{
	cat "$PHASE/splats"
	[ ! -s "$PHASE/splats" ]
}

# courtesy: the server's own process gets the lock that the dead client has, once the
# lease is over. Nothing else has told the server.
courtesy()
{
	local s=$SECONDS

	fault_lock take w0/f-0 mine || { fault_held; return 1; }
	echo "had after $((SECONDS - s)) s; $(fault_held)"
	[ $((SECONDS - s)) -lt $((LEASE * 4)) ]
}

# written: so does a process that writes to what is delegated.
written()
{
	local took

	took=$(fault_recall)
	echo "took $took ms; $(fault_held)"
	[ "$took" -lt 60000 ]
}

# no_more KIND: the server has none of them any more.
no_more()
{
	[ "$(server_has "$1")" = 0 ]
}

# freed: nothing of the dead client is left, neither in NFS nor in RDMA. The server is told
# of that by what it sends; a recall would do, but needs not come: the lease may have
# ended before.
freed()
{
	local kind rc=0

	# more than clients have, or nothing is sent
	rpcrdma_ask server rbsiz 262144 > /dev/null
	[ "$(fault_states lock)$(fault_states deleg)" = 00 ] || { fault_held; rc=1; }
	for kind in connections transports; do
		tb_wait "$1" no_more "$kind" || { echo "$(server_has "$kind") $kind are left: $(tb_server tb_connections)"; rc=1; }
	done
	return "$rc"
}

# stored: what the client had been told is stored is what it wrote.
stored()
{
	[ "$(sha256sum < "$STORED")" = "$(tb_server 'sha256sum < /export/stored')" ] && cmp "$STORED" "$RPCRDMA_MNT/stored"
}

[ -e "$PHASE/results" ] || phase_1
read -r rpcrdma_nr rpcrdma_bad < "$PHASE/results"
rm -f "$PHASE/results"
mkdir -p "$RPCRDMA_WORK" "$RPCRDMA_MNT"
trap rpcrdma_cleanup EXIT
rpcrdma_t "the client's kernel had not complained" seen
rpcrdma_t "its locks can be had" courtesy
rpcrdma_t "its delegation ends" written
rpcrdma_t "the server has freed all" freed 60
rpcrdma_t "the client mounts again" rpcrdma_mount 4.1
rpcrdma_t "what was stored is there" stored
rpcrdma_end
