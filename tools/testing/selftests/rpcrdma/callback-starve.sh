#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Callbacks are answered while not one forward Call is: WRITEs to a frozen file
# system keep all forward credits, and then all threads of nfsd, and more
# WRITEs wait behind them. A stock client has no credit left for the replies,
# and a stock server no thread to look at them.
#
# bed: pair
# kernels: stock debug kcsan
# devices: siw
# smp: 1 2
# except: debug-siw stock-siw-2
# timeout: 150

. "$(dirname "$0")/callback_lib.sh"

# cleanup: leaves both ends as the next test expects them.
cleanup()
{
	tb_server 'fsfreeze -u /export/frozen' > /dev/null 2>&1
	wait
	rpcrdma_umount_all
	cb_fs_remove frozen
	tb_server 'echo 64 > /proc/sys/sunrpc/svc_rdma/max_requests'
	cb_cleanup
}

# files: makes a file for each writer: to make them is what one waits for alone.
files()
{
	local i

	for ((i = 0; i < writers; i++)); do
		touch "$RPCRDMA_MNT/frozen/file-$i" || return 1
	done
}

# writers: starts them.
writers()
{
	local i

	for ((i = 0; i < writers; i++)); do
		dd if=/dev/zero of="$RPCRDMA_MNT/frozen/file-$i" bs=4k count=20 oflag=direct conv=nocreat,notrunc \
			status=none &
	done
}

# stuck COUNT: so many threads of nfsd wait for the file system.
stuck()
{
	[ "$(tb_server 'ps -eo stat,comm | grep -c "^D.* nfsd$"')" -ge "$1" ]
}

# starve CREDITS STUCK CALLS: with that many forward credits, so many WRITEs
# are being served, more wait, and all reverse Calls are answered.
starve()
{
	local rc=0

	tb_server "echo $1 > /proc/sys/sunrpc/svc_rdma/max_requests"
	{ rpcrdma_mount 4.1 && files && tb_server 'fsfreeze -f /export/frozen'; } || return 1
	writers
	tb_wait 20 stuck "$2" || { echo "the WRITEs do not get stuck"; rc=1; }
	cb_answered "$3" cb_flood "$3" 2 0 60000 || rc=1
	stuck "$2" || { echo "the WRITEs did not stay stuck"; rc=1; }
	tb_server 'fsfreeze -u /export/frozen'
	wait
	[ "$(find "$RPCRDMA_MNT/frozen" -name 'file-*' -size 80k | wc -l)" = "$writers" ] || { echo "WRITEs were lost"; rc=1; }
	rm -f "$RPCRDMA_MNT"/frozen/file-*
	rpcrdma_umount
	return "$rc"
}

writers=24
cb_begin 4
trap cleanup EXIT
rpcrdma_t "a file system that can be frozen" cb_fs_make frozen mkfs.ext4 -q || rpcrdma_end
rpcrdma_t "version 2: no forward credit is left" starve 4 4 500
rpcrdma_t "version 2: no thread of nfsd is left" starve 64 8 500
rpcrdma_max_version 1 1
rpcrdma_t "version 1: no forward credit is left" starve 4 4 500
rpcrdma_end
