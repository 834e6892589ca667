#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The module of an older commit (testbed/before) at one end and this one at the
# other: they agree on version 2, place data both ways in one Send and in several,
# and in the versions of NFS that matter trees survive. New defaults and repairs have
# to get on with what is installed elsewhere.
#
# bed: pair
# kernels: stock debug
# without: 7.3 debug-siw
# devices: rxe siw
# except: debug-rxe debug-siw stock-rxe stock-siw
# timeout: 900

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"
. "$(dirname "$0")/fault_lib.sh"

SIZES=(1 1024 4097 16384 65536 65537 262144 1048576)

# placed written|read: of the data of WRITEs or READs most is placed, and no RPC fails.
placed()
{
	rpcrdma_ready || return 1
	place_note
	if [ "$1" = written ]; then
		place_write direct file "${SIZES[@]}" && place_grew placed_bytes_sent 3000000
	else
		place_read direct file "${SIZES[@]}" && place_grew placed_bytes_received 3000000
	fi && place_still rpcs_failed
}

# differ: the two modules are not the same.
differ()
{
	[ "$(modinfo -F srcversion "$TB_BEFORE")" != "$(modinfo -F srcversion "$TB_OURS")" ]
}

rpcrdma_begin 23
rpcrdma_t "the older module is another one" differ
for ends in "before ours" "ours before"; do
	read -r server client <<< "$ends"
	name="server $server, client $client"
	rpcrdma_t "$name: are loaded" rpcrdma_modules "$server" "$client" || rpcrdma_end
	place_defaults
	for vers in 3 4.1; do
		rpcrdma_t "$name: vers=$vers mounts" rpcrdma_mount "$vers" || rpcrdma_end
		rpcrdma_t "$name: vers=$vers speaks version 2" rpcrdma_version 2
		rpcrdma_t "$name: vers=$vers: a tree survives" rpcrdma_roundtrip "tree-$server-$vers"
		[ "$vers" = 3 ] || {
			rpcrdma_t "$name: what is written is placed" placed written
			rpcrdma_t "$name: what is read is placed" placed read
			rpcrdma_t "$name: a delegation is called back" fault_called_back
		}
		rpcrdma_umount
	done
	tb_server 'rm -rf /export/*'
done
rpcrdma_t "this module runs at both ends again" rpcrdma_modules ours ours && rpcrdma_changed=
rpcrdma_t "and places data" eval 'rpcrdma_mount 4.1 && place_is on'
rpcrdma_end
