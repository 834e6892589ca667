#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "make install" puts the module where modprobe prefers it, "make uninstall"
# brings the kernel's own back, and both say clearly what is wrong.
#
# bed: host
# timeout: 3600
# skips: 1..0

cd "$(dirname "$0")/../../../.." || exit 1
# shellcheck source=tools/testing/selftests/rpcrdma/host_lib.sh
. tools/testing/selftests/rpcrdma/host_lib.sh
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

# chosen: prints the file that modprobe would load.
chosen()
{
	modinfo -b "$root" -k "$release" -F filename rpcrdma
}

# stock: modprobe would load the kernel's own.
stock()
{
	chosen
	[[ $(chosen) == */kernel/net/sunrpc/xprtrdma/rpcrdma.ko* ]]
}

# ours: modprobe would load ours, and it is made for that kernel.
ours()
{
	chosen
	[[ $(chosen) == */updates/rpcrdma.ko ]] && [[ $(modinfo -F vermagic "$(chosen)") == "$release "* ]]
}

# refused PATTERN ARGUMENT...: make fails with a message that has PATTERN.
refused()
{
	local pattern=$1 out

	shift
	! out=$(make "$@" 2>&1) && echo "$out" && grep -q "$pattern" <<< "$out"
}

# switches CLIENT SERVER: modprobe would have these versions spoken.
switches()
{
	cat "$root/etc/modprobe.d/rpcrdma2.conf"
	[ "$(modprobe -C "$root/etc/modprobe.d" -c | grep '^options rpcrdma ')" = "options rpcrdma client_max_version=$1 server_max_version=$2" ]
}

# edited: the person in charge has a client offer version 2; another "make install" and
# "make uninstall" leave that alone.
edited()
{
	make install DESTDIR="$root" K="$release" &&
		sed -i 's/client_max_version=1/client_max_version=2/' "$root/etc/modprobe.d/rpcrdma2.conf" &&
		make install DESTDIR="$root" K="$release" && switches 2 2 &&
		make uninstall DESTDIR="$root" K="$release" && switches 2 2
}

# a kernel's modules with a stock rpcrdma.ko among them
mkdir -p "$root/lib/modules/$release/kernel/net/sunrpc/xprtrdma"
image=${RPCRDMA2_CACHE:-/var/cache/rpcrdma2}/image-$release/lib/modules/$release
if ! cp "$image"/kernel/net/sunrpc/xprtrdma/rpcrdma.ko* "$root/lib/modules/$release/kernel/net/sunrpc/xprtrdma/" ||
	! cp "$image"/modules.{order,builtin,builtin.modinfo} "$root/lib/modules/$release/"; then
	echo "1..0 # SKIP the kernel image is not unpacked yet: testbed/kernel.sh stock"
	exit 4
fi
depmod -b "$root" "$release"

echo 'TAP version 13'
echo '1..14'
t "the kernel's own is used first" stock
t "make install works" make install DESTDIR="$root" K="$release"
t "ours is used then" ours
t "a server accepts version 2, a client does not offer it" switches 1 2
t "make uninstall works" make uninstall DESTDIR="$root" K="$release"
t "the kernel's own is used again" stock
t "what each end speaks is gone with it" test ! -e "$root/etc/modprobe.d/rpcrdma2.conf"
t "a second uninstall says that nothing is there" refused 'nothing to remove' uninstall DESTDIR="$root" K="$release"
t "without headers, install says what to do" refused 'apt-get install linux-headers-6.12.199+deb13-amd64' install DESTDIR="$root" K=6.12.199+deb13-amd64
t "a kernel that is not supported is refused, and which are is said" \
	refused "kernel 6.1.0-40-amd64 is not supported. Supported: Debian 12's .*; Debian 13's .*(7.3)" install DESTDIR="$root" K=6.1.0-40-amd64
t "a kernel that is none is named" refused 'no kernel 9.9: there are 6.12 ' install DESTDIR="$root" K=9.9
t "what a person has changed stays" edited
mkdir -p "$root/lib/modules/$release/updates/dkms"
touch "$root/lib/modules/$release/updates/dkms/rpcrdma.ko.xz"
t "make install leaves a package's module alone" refused 'apt-get remove rpcrdma2-dkms' install DESTDIR="$root" K="$release"
t "... and installs nothing" test ! -e "$root/lib/modules/$release/updates/rpcrdma.ko"
exit "$bad"
