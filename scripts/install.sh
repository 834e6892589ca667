#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install.sh install|uninstall: puts rpcrdma.ko into updates/ of a kernel's
# modules, where modprobe prefers it to the kernel's own, or removes it again. What
# each end speaks is in /etc/modprobe.d/rpcrdma2.conf, which is left alone if it has
# been changed.
#
#   K=RELEASE     that kernel instead of the running one
#   KSRC=DIR      with this source; a kernel without a line in debian/kernels needs that
#   DESTDIR=DIR   below DIR instead of /, for packagers

K=${K:-$(uname -r)}
. "$(dirname "$0")/lib.sh"

release=$K
root=${DESTDIR:-}
modules=$root/lib/modules/$release
ko=$modules/updates/rpcrdma.ko
conf=$root/etc/modprobe.d/rpcrdma2.conf

# headers: prints the directory of the headers of the kernel.
headers()
{
	local d

	for d in "${KDIR:-}" "/lib/modules/$release/build" "/usr/src/linux-headers-$release"; do
		if [ -f "$d/include/config/kernel.release" ] && [ "$(kernel_release "$d")" = "$release" ]; then
			printf '%s\n' "$d"
			return
		fi
	done
	die "no headers of kernel $release: apt-get install linux-headers-$release," \
		"or name another kernel with K= ($(cd /usr/src && echo linux-headers-6.12*-amd64 | sed 's/linux-headers-//g'))"
}

# writable: the modules can be changed.
writable()
{
	if ! mkdir -p "$modules" 2> /dev/null || [ ! -w "$modules" ]; then
		die "cannot write to $modules: run this as root, or set DESTDIR="
	fi
}

# packaged: prints the module that a package has installed for the kernel, if there is one.
packaged()
{
	find "$modules/updates/dkms" -name 'rpcrdma.ko*' 2> /dev/null || true
}

case ${1:-} in
install)
	[ -z "$(packaged)" ] || die "$(packaged) is there, of the package rpcrdma2-dkms: apt-get remove rpcrdma2-dkms first"
	[ -n "${KSRC:-}" ] || supported "$release" ||
		die "kernel $release is not supported. Supported: $(all_supported). For another one, name its source with KSRC="
	kdir=$(headers)
	writable
	KDIR=$kdir BUILD=$BUILD/install "$TOP/scripts/build.sh" stock
	install -D -m 644 "$BUILD/install/stock/net/sunrpc/xprtrdma/rpcrdma.ko" "$ko"
	depmod -b "${root:-/}" "$release"
	[ -e "$conf" ] || install -D -m 644 "$TOP/scripts/rpcrdma2.conf" "$conf"
	echo "installed $ko; it is used from the next time that rpcrdma is loaded."
	echo "A server accepts version 2, a client does not offer it yet: see $conf"
	;;
uninstall)
	writable
	[ -f "$ko" ] || die "$ko is not there: nothing to remove"
	rm -f "$ko"
	rmdir "$modules/updates" 2> /dev/null || true
	depmod -b "${root:-/}" "$release"
	compgen -G "$root/lib/modules/*/updates/rpcrdma.ko" > /dev/null || ! cmp -s "$TOP/scripts/rpcrdma2.conf" "$conf" || rm -f "$conf"
	echo "removed $ko; the kernel's own is used from the next time that rpcrdma is loaded"
	;;
*) die "usage: install.sh install|uninstall" ;;
esac
