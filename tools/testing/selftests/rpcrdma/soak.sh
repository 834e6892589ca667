#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Applications work on mounts for hours, while the network drops packets and loses
# connections now and then: every byte is right, no kernel complains, nothing leaks and
# memory does not grow. "make soak HOURS=" runs it; no other target does, since it names
# no bed here.

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/fault_lib.sh"
. "$(dirname "$0")/apps_lib.sh"

END=$((SECONDS + ${TB_SOAK_SECONDS:-600}))
GROWTH=32768	# KiB that the kernel may have more of in the end
TB_EVERY_CASE=yes
round=0

# kernel_kib: prints how much memory the kernel of this end holds on to.
kernel_kib()
{
	sync
	echo 3 > /proc/sys/vm/drop_caches
	awk '$1 ~ /^(SUnreclaim|KernelStack|PageTables|VmallocUsed|Percpu):/ { s += $2 } END { print s }' /proc/meminfo
}

# kernels_kib: the same for client and server.
kernels_kib()
{
	echo "$(kernel_kib) $(tb_server "$(declare -f kernel_kib); kernel_kib")"
}

# trouble: something happens to the connection; what, is drawn.
trouble()
{
	case $((RANDOM % 4)) in
	0) fault_netem loss 0.5% duplicate 0.5% ;;
	1) fault_netem ;;
	2) tb_server 'tb_nfsd_stop && tb_nfsd_start grace' ;;
	3) tb_cut && sleep 3 && tb_heal ;;
	esac
}

# troubles: for as long as an application works.
troubles()
{
	while [ -e "$RPCRDMA_WORK/troubles" ]; do
		sleep $((5 + RANDOM % 20))
		trouble > /dev/null 2>&1
	done
}

# app N: one of the applications.
app()
{
	local how=(buffered direct mmap) bytes=(512 4k 64k 1m 512-1m) depth=(1 8 32)

	case $(($1 % 5)) in
	0) apps_fio fio "${how[RANDOM % 3]}" "${bytes[RANDOM % 5]}" "${depth[RANDOM % 3]}" ;;
	1) apps_stress stress 2 ;;
	2) apps_dbench dbench 30 ;;
	3) apps_git git ;;
	4) apps_build build ;;
	esac
}

# one_round: a mount, an application, and fault_io beside it, while there is trouble.
one_round()
{
	local rc=0 pid vers=(3 4.1 4.2) options=("" nconnect=4)

	rpcrdma_mount "${vers[RANDOM % 3]}" "${options[RANDOM % 2]}" || return 1
	touch "$RPCRDMA_WORK/troubles"
	troubles &
	pid=$!
	app "$round" || rc=1
	fault_start -l -w 2 && fault_goes_on 50 300 || rc=1
	rm -f "$RPCRDMA_WORK/troubles"
	wait "$pid"
	fault_netem
	fault_stop || { fault_kill; rc=1; }
	rpcrdma_umount || rc=1
	tb_server 'rm -rf /export/*'
	{ tb_splats; tb_server tb_splats; } > "$RPCRDMA_WORK/splats"
	[ ! -s "$RPCRDMA_WORK/splats" ] || { cat "$RPCRDMA_WORK/splats"; rc=1; }
	return "$rc"
}

# grown BEFORE AFTER: no kernel holds on to much more than it did after all applications
# had worked once.
grown()
{
	local -a was is
	local n rc=0

	read -ra was <<< "$1"
	read -ra is <<< "$2"
	for n in 0 1; do
		echo "KiB: ${was[n]} before, ${is[n]} after"
		[ "${is[n]}" -lt $((was[n] + GROWTH)) ] || rc=1
	done
	return "$rc"
}

# rounds: until the time is up, and as often as there are applications.
rounds()
{
	local rc=0 before=

	while [ "$SECONDS" -lt "$END" ] || [ "$round" -lt 5 ]; do
		one_round > "$RPCRDMA_WORK/round" 2>&1 || rc=1
		sed "s/^/# $round: /" "$RPCRDMA_WORK/round"
		[ "$rc" = 0 ] || return 1
		round=$((round + 1))
		[ "$round" != 5 ] || before=$(kernels_kib)
	done
	grown "$before" "$(kernels_kib)"
}

RANDOM=$((FAULT_SEED % 32768))
rpcrdma_begin 1
fault_seed
rpcrdma_nr=1
if rounds; then
	echo "ok 1 $round rounds"
else
	echo "not ok 1 round $round"
	rpcrdma_bad=1
fi
rpcrdma_forget
rpcrdma_end
