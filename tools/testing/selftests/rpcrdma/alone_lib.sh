# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# Both ends on this machine, for tests that say "alone: yes". Where there is no test bed,
# rpcrdma_lib.sh sources this. It has what such tests know of testbed/lib.sh; tb_server
# runs its commands here.
#
# A test is run by itself: alone_run makes a soft-RoCE (or soft-iWARP: TB_DEV=siw)
# device on a dummy one, exports a tmpfs with nfsd, runs the test once more in that, and
# undoes all of it afterwards, whatever came of the test. Mounts are seen by nobody else.
# nfsd, rxe and siw are those of the machine: rxe knows no other namespace of networks.

export PATH=$PATH:/usr/sbin:/sbin
ALONE_HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ALONE_NET=rpcrdma0
ALONE_COMMANDS="unshare ip rdma modprobe rpcbind exportfs rpc.nfsd rpc.mountd mount.nfs python3"

TB_ROLE=${TB_ROLE:-alone}
TB_KERNEL=stock
[ ! -e /proc/lockdep_stats ] || TB_KERNEL=debug
TB_SMP=$(nproc)
# of those that are for tests
TB_SERVER_IP=198.18.0.1

# tb_header FILE KEY: prints what the header of a test says, one value a line.
tb_header()
{
	sed -n "/^\$/q; s/^# $2: //p" "$1"
}

# tb_wait SECONDS COMMAND...: waits until COMMAND succeeds; fails if it does not within
# SECONDS, nor within a minute more if it was hardly tried: time goes on while a host
# pauses.
tb_wait()
{
	local until=$((SECONDS + $1 + 1)) looks=$(($1 < 10 ? 2 * $1 : 20))

	shift
	until "$@" > /dev/null 2>&1; do
		[ "$SECONDS" -lt "$until" ] || { [ "$looks" -gt 0 ] && [ "$SECONDS" -lt $((until + 60)) ]; } || return 1
		looks=$((looks - 1))
		sleep 0.1
	done
}

# tb_server COMMANDS: runs them, and prints their output; returns their exit status.
tb_server()
{
	local TB_ROLE=server

	(eval "$1") < /dev/null 2>&1
}

# tb_nfsd_start: starts nfsd on RDMA and TCP, without a grace period.
tb_nfsd_start()
{
	echo '+3 +4 +4.1 +4.2' > /proc/fs/nfsd/versions
	rpc.nfsd --rdma=20049 --tcp 8 || return 1
	grep -q '^rdma 20049' /proc/fs/nfsd/portlist || return 1
	echo Y > /proc/fs/nfsd/v4_end_grace 2> /dev/null || grep -q Y /proc/fs/nfsd/v4_end_grace
}

# tb_nfsd_stop: stops all threads of nfsd and closes its listeners.
tb_nfsd_stop()
{
	rpc.nfsd 0
	tb_wait 60 grep -qx 0 /proc/fs/nfsd/threads
}

# alone_skip REASON...: this test cannot run here.
alone_skip()
{
	echo "1..0 # SKIP $*"
	exit 4
}

# alone_idle: there is no connection.
alone_idle()
{
	! grep -qs . /sys/kernel/debug/rpcrdma2/{client,server}/*/state
}

# alone_used: something here uses what the test would change.
alone_used()
{
	pgrep -x 'nfsd|rpc.mountd' > /dev/null || ! alone_idle
}

# alone_has MODULE: the kernel has it, or has no modules at all.
alone_has()
{
	[ -d "/sys/module/$1" ] || modprobe -q "$1" || [ ! -d "/lib/modules/$(uname -r)" ]
}

# alone_needs: skips the test unless all is there that it needs.
alone_needs()
{
	local it

	[ "$(tb_header "$0" alone)" = yes ] || alone_skip "needs two machines: see Documentation/developer.rst"
	[ "$(id -u)" = 0 ] || alone_skip "needs root"
	for it in $ALONE_COMMANDS $(tb_header "$0" commands); do
		command -v "$it" > /dev/null || alone_skip "needs $it"
	done
	modprobe -q rpcrdma
	[ -e /proc/sys/sunrpc/rdma_pad_optimize ] || alone_skip "needs rpcrdma (CONFIG_SUNRPC_XPRT_RDMA)"
	[ -e /proc/sys/sunrpc/rdma_max_version ] ||
		alone_skip "the rpcrdma that is loaded has no version 2 (CONFIG_SUNRPC_XPRT_RDMA_V2)"
	[ -d /sys/kernel/debug/rpcrdma2 ] || alone_skip "needs debugfs at /sys/kernel/debug"
	[ "$(tb_header "$0" module)" != test ] || [ -d /sys/kernel/debug/rpcrdma2/settings ] ||
		alone_skip "needs CONFIG_SUNRPC_XPRT_RDMA_V2_TEST"
	for it in lockd nfsd nfsv3 nfsv4; do
		alone_has "$it" || alone_skip "needs $it"
	done
	! alone_used || alone_skip "NFS over RDMA or an NFS server is in use on this machine"
	for it in $(tb_header "$0" devices); do
		[ "${TB_DEV:-$it}" != "$it" ] || ! alone_has "${it/rxe/rdma_rxe}" || break
		it=
	done
	[ -n "$it" ] || alone_skip "needs another RDMA device than there is: $(tb_header "$0" devices)"
	export TB_DEV=$it
}

# alone_mounts: mounts what nobody else sees.
alone_mounts()
{
	mount -t tmpfs tmpfs "$ALONE_DIR" && mkdir -p /export && mount -t tmpfs -o size=25% tmpfs /export && chmod 777 /export &&
		mount -t tmpfs tmpfs /var/lib/nfs && mkdir /var/lib/nfs/{v4recovery,sm,sm.bak} &&
		touch /var/lib/nfs/{etab,rmtab,state} || return 1
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
}

# alone_settings: prints the files of all settings that tests change.
alone_settings()
{
	find /proc/sys/sunrpc/ -path '*rdma_stat_*' -prune -o \( -path '*/rdma_*' -o -path '*/svc_rdma/*' \) -type f -print
	find /sys/kernel/debug/rpcrdma2/settings -type f 2> /dev/null
	ls /proc/fs/nfsd/nfsv4{grace,lease}time /proc/sys/fs/nfs/nlm_{timeout,grace_period} 2> /dev/null
}

# alone_save, alone_restore: keep what these are, and set them to that.
alone_save()
{
	local f

	alone_settings | while read -r f; do
		echo "$f $(< "$f")"
	done > "$ALONE_DIR/settings" 2> /dev/null
}

alone_restore()
{
	local f value

	[ -f "$ALONE_DIR/settings" ] || return 0
	while read -r f value; do
		[ "$(< "$f")" = "$value" ] || echo "$value" > "$f"
	done < "$ALONE_DIR/settings"
}

# alone_device: makes the RDMA device.
alone_device()
{
	modprobe -q dummy numdummies=0
	ip link add "$ALONE_NET" mtu 9000 type dummy && ip link set "$ALONE_NET" up &&
		ip addr add "$TB_SERVER_IP/24" dev "$ALONE_NET" &&
		rdma link add "rpcrdma_$TB_DEV" type "$TB_DEV" netdev "$ALONE_NET"
}

# alone_listens PORT: somebody listens there.
alone_listens()
{
	: 2> /dev/null < "/dev/tcp/127.0.0.1/$1"
}

# alone_exports: exports /export, and starts what nfsd needs; keeps their processes in
# alone_pids.
alone_exports()
{
	if ! alone_listens 111; then
		rpcbind -f > /dev/null 2>&1 &
		alone_pids+=($!)
		tb_wait 10 alone_listens 111 || return 1
	fi
	exportfs -i -o rw,fsid=0,no_root_squash,no_subtree_check,insecure,sec=sys,async '*:/export' || return 1
	rpc.mountd -F -p 20048 > /dev/null 2>&1 &
	alone_pids+=($!)
	tb_wait 10 alone_listens 20048
}

# alone_set: what the tests begin with, as on the test bed.
alone_set()
{
	echo 10 > /proc/fs/nfsd/nfsv4gracetime
	echo 10 > /proc/fs/nfsd/nfsv4leasetime
	echo 3 > /proc/sys/fs/nfs/nlm_timeout
	echo 3 > /proc/sys/fs/nfs/nlm_grace_period
	rpcrdma_client_defaults
	rpcrdma_server_defaults
}

# alone_end: undoes all of it, in the opposite order; says what is left.
alone_end()
{
	local left=

	trap '' INT TERM
	rpcrdma_umount_all > "$ALONE_DIR/end" 2>&1
	# the client may have to recover from Calls that were killed: that needs the server
	tb_wait 30 alone_idle || left=yes
	{ tb_nfsd_stop && exportfs -u '*:/export' && exportfs -f; } >> "$ALONE_DIR/end" 2>&1
	[ ${#alone_pids[@]} = 0 ] || kill "${alone_pids[@]}"
	wait
	rdma link del "rpcrdma_$TB_DEV"
	ip link del "$ALONE_NET"
	alone_restore
	umount /export
	[ "$ALONE_MADE" = no ] || rmdir /export
	umount "$ALONE_DIR"
	rmdir "$ALONE_DIR"
	[ -z "$left" ] || { echo "# connections are left"; exit 1; }
}

# alone_run: runs the test in what it needs, and exits as it does.
alone_run()
{
	local rc=0 e

	if [ -z "$ALONE_STAGE" ]; then
		alone_needs
		ALONE_DIR=$(mktemp -d) ALONE_STAGE=ends exec unshare --mount --propagation private bash "$0"
	fi
	alone_pids=()
	ALONE_MADE=no
	[ -d /export ] || ALONE_MADE=yes
	trap alone_end EXIT
	trap 'exit 143' INT TERM
	if e=$(alone_mounts 2>&1) && alone_save && e=$(alone_device 2>&1) && alone_exports > "$ALONE_DIR/exports" 2>&1 && alone_set && e=$(tb_nfsd_start 2>&1); then
		ALONE_STAGE='test' bash "$0" || rc=$?
	else
		echo "Bail out! the two ends do not come up: $e $(cat "$ALONE_DIR/exports" 2> /dev/null)"
		rc=1
	fi
	[ ! -s "$ALONE_DIR/disorder" ] || { sed 's/^/# /' "$ALONE_DIR/disorder"; rc=1; }
	exit "$rc"
}

ALONE_STAGE=${ALONE_STAGE:-}
ALONE_DIR=${ALONE_DIR:-}
TB_DISORDER=$ALONE_DIR/disorder
RPCRDMA_MNT=$ALONE_DIR/mnt
RPCRDMA_WORK=$ALONE_DIR/work
RPCRDMA_OUT=$ALONE_DIR
RPCRDMA_BIN=$ALONE_HERE/bin
RPCRDMA_KO=$ALONE_HERE/modules
RPCRDMA_FROM=198.18.0.
