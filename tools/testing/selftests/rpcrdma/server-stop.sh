#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# nfsd stops while clients connect: one of its threads waits for a frozen file system, the
# others are gone, and a connection is asked for that nobody will accept. It is released
# with the listener. The client tries again, and has its mount once nfsd is back.
#
# bed: pair
# kernels: stock debug
# devices: rxe siw
# except: debug-rxe debug-siw stock-siw
# timeout: 240

. "$(dirname "$0")/callback_lib.sh"

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	tb_server 'fsfreeze -u /export/frozen; tb_nfsd_start' > /dev/null 2>&1
	umount -f -l "$other" 2> /dev/null
	wait
	rpcrdma_umount_all
	cb_fs_remove frozen
	rpcrdma_cleanup
}

# ids: prints how many CM IDs the server has at its device.
ids()
{
	tb_server 'rdma resource show cm_id | grep -c "^link "'
}

# more_ids THAN: it has more of them.
more_ids()
{
	[ "$(ids)" -gt "$1" ]
}

# none: it has none.
none()
{
	[ "$(ids)" = 0 ]
}

# threads COUNT: nfsd has so many threads.
threads()
{
	[ "$(tb_server 'pgrep -xc nfsd')" = "$1" ]
}

# stops: nfsd is told to stop, and one thread does not.
stops()
{
	touch "$RPCRDMA_MNT/frozen/file" && tb_server 'fsfreeze -f /export/frozen' || return 1
	dd if=/dev/zero of="$RPCRDMA_MNT/frozen/file" bs=4k count=1 oflag=direct conv=nocreat,notrunc status=none &
	writing=$!
	tb_wait 60 tb_server 'ps -eo stat,comm | grep -q "^D.* nfsd$"' || { echo "no thread waits"; return 1; }
	tb_server 'setsid rpc.nfsd 0 > /dev/null 2>&1 < /dev/null &'
	tb_wait 60 threads 1 || { echo "its threads do not end"; return 1; }
}

# asks: another client asks for a connection now.
asks()
{
	local before

	before=$(ids)
	mkdir -p "$other"
	mount -t nfs -o vers=4.2,proto=rdma,port=20049 "$TB_SERVER_IP:/" "$other" &
	mounting=$!
	tb_wait 60 more_ids "$before" || { echo "the server has still $before CM IDs"; return 1; }
}

# stopped: the last thread ends, and nothing is left of those who were connected, or wanted to be.
stopped()
{
	tb_server 'fsfreeze -u /export/frozen'
	tb_wait 60 threads 0 || { echo "nfsd does not stop"; return 1; }
	tb_wait 60 none || { tb_server 'rdma resource show cm_id'; return 1; }
}

# back: nfsd is back, and both clients go on.
back()
{
	tb_server 'tb_nfsd_start' || return 1
	wait "$mounting" || { echo "the mount failed"; return 1; }
	wait "$writing" || { echo "the WRITE failed"; return 1; }
	touch "$RPCRDMA_MNT/after" && [ -e "$other/after" ] && [ "$(stat -c %s "$other/frozen/file")" = 4096 ] &&
		umount "$other" && rpcrdma_umount
}

other=/run/other
mounting='' writing=''
# without rpcrdma_flood, which cb_begin loads: that keeps a connection
rpcrdma_begin 6
trap cleanup EXIT
rpcrdma_t "a file system that can be frozen" cb_fs_make frozen mkfs.ext4 -q || rpcrdma_end
rpcrdma_t "mounts" rpcrdma_mount 4.1
rpcrdma_t "nfsd stops, but for one thread" stops
rpcrdma_t "somebody connects" asks
rpcrdma_t "nfsd has stopped, and has no connection left" stopped
rpcrdma_t "nfsd starts, and both mounts work" back
rpcrdma_end
