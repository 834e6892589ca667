#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Makes the root file system of the virtual machines, unless the cache has it,
# and prints its path: a squashfs of a minimal Debian 12 with the NFS, RDMA,
# Kerberos and tracing tools, and applications that tests run. Kernel modules are
# not in it (see kernel.sh).
#
# The packages come from the mirrors that this machine's apt uses.

. "$(dirname "$0")/../scripts/lib.sh"

packages=kmod,iproute2,rdma-core,ibverbs-utils,ibverbs-providers,libibverbs1,librdmacm1,rdmacm-utils,nfs-common,nfs-kernel-server
packages+=,keyutils,fio,iputils-ping,procps,rpcbind,util-linux,e2fsprogs,socat,trace-cmd,tcpdump,attr,acl,strace,ethtool
packages+=,python3-minimal,bash,libc-bin,tshark,gfs2-utils,krb5-kdc,krb5-admin-server
packages+=,stress-ng,dbench,git,tcc,libc6-dev,make,linux-perf
img=$CACHE/rootfs-$(key "$packages").sqfs

# sources: the files that tell apt where Debian is.
sources()
{
	grep -ls bookworm /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list || true
}

if [ ! -f "$img" ]; then
	need mmdebstrap mmdebstrap
	need mksquashfs squashfs-tools
	[ "$(id -u)" = 0 ] || die "the root file system is not built yet: run this once as root"
	step "building the root file system of the virtual machines (about a minute)"
	need_cache
	tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
	mapfile -t from < <(sources)
	mmdebstrap --quiet --mode=root --variant=minbase --include="$packages" \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		bookworm "$tmp/root" "${from[@]}" > "$tmp/log" 2>&1 ||
		{ tail -20 "$tmp/log" >&2; die "mmdebstrap failed: see $tmp/log"; }
	mkdir -p "$tmp/root"/{out,repo,build,data,mnt,export}
	rm -rf "$tmp/root"/var/cache/apt/* "$tmp/root"/var/lib/apt/lists/*
	mksquashfs "$tmp/root" "$tmp/img" -comp zstd -Xcompression-level 3 -quiet -no-progress > /dev/null
	publish "$tmp/img" "$img"
	rm -rf "$tmp"
	prune rootfs- "$img"
fi
printf '%s\n' "$img"
