#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A server that is not Linux's: nfs-ganesha, in user space, with an RPC-over-RDMA of its
# own. Our client offers it version 2, is refused, and gets by version 1 on the same
# connection what Debian's client gets, about as soon.
#
# Writes are left out: over soft-RoCE they hang with Debian's client, too.
#
# bed: pair
# kernels: stock
# devices: rxe
# except: stock-rxe
# without: 7.3
# timeout: 600

. "$(dirname "$0")/rpcrdma_lib.sh"

ROOT=/tmp/ganesha
MOUNTD=20050
LOG=$ROOT/tmp/log
declare -A took

# start: nfs-ganesha serves in the place of nfsd. It exports no tmpfs.
start()
{
	tb_server "tb_nfsd_stop && modprobe -a rdma_ucm ib_uverbs ext4 &&
		mkdir -p $ROOT && tar -xf /build/ganesha.tar -C $ROOT || exit
	mkfs.ext4 -q -F /dev/vdc && mount /dev/vdc $ROOT/export || exit
	for d in dev proc run sys; do mount --bind /\$d $ROOT/\$d || exit; done
	mkdir $ROOT/export/many
	touch $ROOT/export/many/a-name-that-makes-the-listing-long-{1..50}
	for n in 3000 300000; do head -c \$n /dev/urandom > $ROOT/export/f\$n; done
	cat > $ROOT/etc/conf <<-END
		NFS_CORE_PARAM {
			NFS_Protocols = 3, 4, rpcrdma; NFS_RDMA_Protocol_Versions = 3, 4.0;
			MNT_Port = $MOUNTD; Enable_UDP = false;
		}
		NFSV4 { Graceless = true; Minor_Versions = 0; RecoveryBackend = fs; Only_Numeric_Owners = true; }
		EXPORT {
			Export_Id = 1; Path = /export; Pseudo = /export; Access_Type = RW; Squash = None;
			SecType = sys; Protocols = 3, 4; FSAL { Name = VFS; }
		}
	END
	setsid chroot $ROOT /usr/bin/ganesha.nfsd -F -p /tmp/pid -L ${LOG#"$ROOT"} -f /etc/conf -N NIV_EVENT > /dev/null 2>&1 < /dev/null &
	tb_wait 60 grep -q 'NFS SERVER INITIALIZED' $LOG && rdma resource show cm_id | grep 'LISTEN.*ganesha' ||
		{ tail -20 $LOG; exit 1; }"
}

# stop: ends it.
stop()
{
	tb_server "kill \$(cat $ROOT/tmp/pid) && tb_wait 30 eval '! pgrep -x ganesha.nfsd' || pkill -KILL -x ganesha.nfsd
		umount -l $ROOT/{dev,proc,run,sys,export}; rm -rf $ROOT"
}

# client stock|ours: that module runs at this end.
client()
{
	rpcrdma_changed=yes
	tb_unload && tb_load "$1"
}

# mounts CLIENT VERS: notes how long that took.
mounts()
{
	local opts=vers=$2,proto=rdma,port=20049,soft,timeo=100,retrans=1 s=$EPOCHREALTIME

	[ "$2" != 3 ] || opts+=,nolock,mountproto=tcp,mountport=$MOUNTD
	timeout 60 mount -t nfs -o "$opts" "$TB_SERVER_IP:/export" "$RPCRDMA_MNT" || { tb_server "tail -20 $LOG"; return 1; }
	took[$1-$2]=$(((${EPOCHREALTIME/./} - ${s/./}) / 1000))
	echo "in ${took[$1-$2]} ms"
}

# reads: a listing and files are right.
reads()
{
	local sums="sha256sum f3000 f300000; ls many"

	[ "$(cd "$RPCRDMA_MNT" && timeout 60 bash -c "$sums")" = "$(tb_server "cd $ROOT/export && { $sums; }")" ] ||
		{ tb_server "tail -20 $LOG"; return 1; }
}

# refused: version 2 was refused, on the only connection that there was.
refused()
{
	rpcrdma_version 1 client && rpcrdma_is client why "peer refused version 2" && [ "$(rpcrdma_xprt 3)" = 1 ]
}

# in_time VERS: our mount took no two seconds longer. A host that has become busy since
# gets more tries.
in_time()
{
	local n

	for n in 1 2 3; do
		[ "${took[ours-$1]:-99999}" -ge $((${took[stock-$1]:-0} + 2000)) ] || return 0
		rpcrdma_umount && mounts ours "$1" || return 1
	done
	return 1
}

# met COUNT: nfs-ganesha has met so many messages of version 2, or more of them.
met()
{
	local n

	n=$(tb_server "grep -c 'rdma_vers 2?' $LOG")
	echo "$n of them"
	if [ "$1" = 0 ]; then [ "$n" = 0 ]; else [ "$n" -ge "$1" ]; fi
}

[ -e /build/ganesha.tar ] || rpcrdma_skip_all "nfs-ganesha is not built: testbed/ganesha.sh"
rpcrdma_begin 19
trap 'rpcrdma_umount_all; stop; rpcrdma_cleanup' EXIT
rpcrdma_changed=yes
rpcrdma_t "nfs-ganesha serves" start || exit 1
for end in stock ours; do
	rpcrdma_t "$end runs at the client" client "$end" || exit 1
	for vers in 3 4.0; do
		rpcrdma_t "$end, vers=$vers: mounts" mounts "$end" "$vers"
		rpcrdma_t "$end, vers=$vers: lists and reads" reads
		if [ "$end" = ours ]; then
			rpcrdma_t "$end, vers=$vers: is refused version 2, on one connection" refused
			rpcrdma_t "$end, vers=$vers: mounts about as soon" in_time "$vers"
		fi
		rpcrdma_umount
	done
	rpcrdma_t "$end: INITXCH came with ours alone" met "$([ $end = ours ] && echo 2 || echo 0)"
done
rpcrdma_t "it ends" stop
rpcrdma_t "our module runs at both ends again" rpcrdma_modules ours ours && rpcrdma_changed=
trap rpcrdma_cleanup EXIT
rpcrdma_end
