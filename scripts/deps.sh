#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh [cross]: installs what the build and the test bed need, if something is missing.
#
# "cross" is what the test of that name needs besides: compilers for other processors, and
# QEMU for their programs. Only "make check-all" asks for that.
#
# As root: apt-get install of the packages below. Not root: one line that
# says what to run. The kernel image that the virtual machines boot is not
# among them: testbed/kernel.sh unpacks it and installs nothing.

. "$(dirname "$0")/lib.sh"

packages=(
	# the module
	linux-source-6.12 linux-headers-6.12-amd64 gcc make quilt rsync xz-utils kmod python3
	# the debug kernel
	bc bison flex libelf-dev libssl-dev cpio zstd
	# the virtual machines
	qemu-system-x86 mmdebstrap squashfs-tools busybox-static socat tmux
	# the tests and the checks
	clang libclang-rt-14-dev llvm sparse shellcheck tshark libibverbs-dev librdmacm-dev
	rpcsvc-proto libtirpc-dev
	# the packages of "make deb"
	debhelper dh-dkms lintian fakeroot python3-docutils
)

case ${1:-} in
'') ;;
cross)
	packages+=(
		gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross
		gcc-arm-linux-gnueabihf libc6-dev-armhf-cross qemu-user
	)
	;;
*) die "usage: deps.sh [cross]" ;;
esac

# missing: prints those of the packages that are not installed.
missing()
{
	local p

	for p in "${packages[@]}"; do
		dpkg-query -W -f '${Status}' "$p" 2> /dev/null | grep -q '^install ok installed' || echo "$p"
	done
}

mapfile -t todo < <(missing)
[ ${#todo[@]} -gt 0 ] || exit 0
[ "$(id -u)" = 0 ] || die "missing: ${todo[*]}. Run 'make deps' as root, or: apt-get install ${todo[*]}"
export DEBIAN_FRONTEND=noninteractive
step "installing: ${todo[*]}"
apt-get -qq update || die "apt-get update failed: see above; this machine needs a Debian 12 mirror"
apt-get -qq install -y --no-install-recommends "${todo[@]}" > /dev/null < /dev/null ||
	die "apt-get could not install: ${todo[*]}"
