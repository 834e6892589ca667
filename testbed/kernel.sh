#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel.sh stock|debug|kcsan|lockstat|NAME: makes what is needed to boot a kernel of the test
# bed, unless the cache has it, and prints its directory:
#
#   vmlinuz        the kernel
#   initramfs.gz   busybox and the modules that find the root file system
#   modules.sqfs   those of its modules that a test can want
#   release        its name
#
# stock is Debian's own image of the headers that the module is built against:
# downloaded with apt-get and unpacked, never installed; K= names one of
# scripts/kernels, and so does NAME. The others are made by debug-kernel.sh, and so is
# NAME-debug, of the source of NAME.

. "$(dirname "$0")/../scripts/lib.sh"

# Modules that the initramfs loads, in this order, where they are modules.
boot_modules="virtio_blk netfs 9pnet 9pnet_virtio 9p squashfs overlay"

# What of Debian's modules goes into modules.sqfs.
wanted="net/sunrpc net/sched net/9p net/ipv4 net/ipv6 net/core net/dns_resolver net/netfilter fs/nfs fs/nfsd
fs/nfs_common fs/lockd fs/netfs fs/9p fs/ext4 fs/jbd2 fs/mbcache.ko.xz fs/squashfs fs/overlayfs fs/configfs fs/exportfs
fs/gfs2 fs/dlm
drivers/infiniband/core drivers/infiniband/sw drivers/infiniband/ulp drivers/block drivers/net/bonding drivers/net/veth.ko.xz
drivers/net/dummy.ko.xz drivers/net/ifb.ko.xz drivers/net/net_failover.ko.xz drivers/net/virtio_net.ko.xz
drivers/net/tun.ko.xz drivers/char/hw_random drivers/char/virtio_console.ko.xz crypto arch/x86/crypto lib security
net/core/failover.ko.xz net/tls"

# unpack_image RELEASE: prints the directory into which Debian's image of the
# kernel was unpacked.
unpack_image()
{
	local dir=$CACHE/image-$1 tmp

	if [ "$KERNEL_SUITE" != - ]; then
		"$TOP/scripts/fetch.sh" "$KERNEL_NAME" image
		return
	fi
	if [ ! -d "$dir" ]; then
		step "downloading and unpacking the kernel image $1"
		need_cache
		tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
		chmod 755 "$tmp"
		# apt drops its privileges for the download and wants to write here
		(cd "$tmp" && apt-get -qq -o APT::Sandbox::User=root download "linux-image-$1") ||
			die "apt-get cannot download linux-image-$1: run 'apt-get update', or install newer headers (make deps)"
		dpkg -x "$tmp"/*.deb "$tmp/x"
		publish "$tmp/x" "$dir"
		rm -rf "$tmp"
	fi
	printf '%s\n' "$dir"
}

# copy_stock DIR: puts Debian's kernel and its modules into DIR.
copy_stock()
{
	local from=$image/lib/modules/$release to=$1/root/$release d

	# newer packages have it beside the modules
	cp "$(find "$image/boot/vmlinuz-$release" "$from/vmlinuz" 2> /dev/null | head -1)" "$1/vmlinuz"
	mkdir -p "$to"
	for d in $wanted; do
		[ ! -e "$from/kernel/$d" ] || (cd "$from" && cp -r --parents "kernel/$d" "$to/")
	done
	find "$to" -name '*.ko.xz' -print0 | xargs -0 -P2 -n32 xz -d
	cp "$from"/modules.{builtin,builtin.modinfo,order} "$to/"
}

# copy_built DIR: puts a kernel that we have built, and its modules, into DIR.
copy_built()
{
	cp "$image/bzImage" "$1/vmlinuz"
	mkdir -p "$1/root"
	cp -r "$image/lib/modules/$release" "$1/root/"
}

# make_initramfs DIR: packs busybox, the modules and initramfs-init.
make_initramfs()
{
	local ird=$1/ird m f

	mkdir -p "$ird/bin" "$ird/mods"
	cp /bin/busybox "$ird/bin/busybox"
	cp "$TOP/testbed/initramfs-init" "$ird/init"
	chmod 755 "$ird/init" "$ird/bin/busybox"
	for m in $boot_modules; do
		# with what it depends on, in the order of insmod
		modprobe -d "$1/mp" -S "$release" --show-depends "$m" 2> /dev/null |
			sed -n 's/^insmod \([^ ]*\).*/\1/p' || true
	done | awk '!seen[$0]++' | while read -r f; do
		cp "$f" "$ird/mods/"
		basename "$f" >> "$ird/mods/order"
	done
	(cd "$ird" && find . | cpio -o -H newc --quiet -R 0:0 | gzip -1) > "$1/initramfs.gz"
}

kind=${1:-stock}
case $kind in
stock)
	release=$(kernel_release "$(stock_kdir)")
	image=$(unpack_image "$release")
	copy=copy_stock
	;;
debug | kcsan | lockstat)
	image=$("$TOP/testbed/debug-kernel.sh" "$kind")
	release=$(cat "$image/release")
	copy=copy_built
	;;
*)
	other_kernel "$kind" || die "usage: kernel.sh stock|debug|kcsan|lockstat|NAME"
	for_kernel "$kind" "$0" "$(kind_of "$kind")"
	exit
	;;
esac
boot=boot-$kind
[ "$KERNEL_SUITE" = - ] || boot=$KERNEL_NAME-boot-$kind
dir=$CACHE/$boot-$(key "$0" "$TOP/testbed/initramfs-init" "$image" "$release" "$(stat -c %Y "$image")")

if [ ! -d "$dir" ]; then
	need mksquashfs squashfs-tools
	need_cache
	[ -x /bin/busybox ] || die "busybox is missing: 'make deps' as root installs it"
	step "packing the modules and the initramfs of $release"
	tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
	"$copy" "$tmp"
	mkdir -p "$tmp/mp/lib"
	ln -s ../../root "$tmp/mp/lib/modules"
	depmod -b "$tmp/mp" "$release"
	make_initramfs "$tmp"
	mksquashfs "$tmp/root/$release" "$tmp/modules.sqfs" -comp zstd -Xcompression-level 3 -quiet -no-progress > /dev/null
	printf '%s\n' "$release" > "$tmp/release"
	rm -rf "$tmp/root" "$tmp/mp" "$tmp/ird"
	chmod 755 "$tmp"
	publish "$tmp" "$dir"
	prune "$boot-" "$dir"
fi
printf '%s\n' "$dir"
