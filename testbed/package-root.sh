#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# package-root.sh 12|13 DIR: makes a file system of that Debian in DIR, as testbed/package.sh
# needs it: with what a server and a client of NFS have, DKMS, and the older of two kernels:
# of Debian 12 the two newest 6.12, of Debian 13 the newest 6.12 and the newest 7.3 of its
# backports. Packages that are installed later lie in DIR/debs:
#
#   newer/   the newer kernel and its headers, and what these need
#   other/   the same of a kernel that is not supported: the one that a machine has unless told
#            otherwise, or, if that is one of the two, the same for clouds
#
# The file system comes from a tar in the cache, unless it is not there yet. DIR/old and
# DIR/new name the kernels.

. "$(dirname "$0")/../scripts/suite.sh"

[ $# = 2 ] || die "usage: package-root.sh 12|13 DIR"
dir=$2
case $1 in
12) SUITE=bookworm versions=6.12 each=2 from= ;;
13) SUITE=trixie versions="6.12 7.3" each=1 from="-t trixie-backports" ;;
*) die "no Debian $1 here: 12 or 13" ;;
esac
packages=dkms,initramfs-tools,kmod,iproute2,procps,python3,rdma-core,libibverbs1,librdmacm1,nfs-common,nfs-kernel-server,rpcbind,e2fsprogs,apt,gcc,make,zstd

# hook: the script that mmdebstrap runs when the packages are installed, with their folder as
# its argument: apt-get of this machine works on that folder.
hook()
{
	printf '%s\n' '#!/bin/bash' "versions='$versions' each=$each from='$from'"
	cat <<-'END'
		set -eu -o pipefail
		export APT_CONFIG=$MMDEBSTRAP_APT_CONFIG
		mapfile -t found < <(for v in $versions; do
			apt-cache search --names-only "^linux-headers-${v/./\\.}\.[0-9]+\+deb[0-9]+-amd64\$" |
				sed 's/^linux-headers-//; s/ .*//' | sort -V | tail "-$each"
		done)
		old=${found[0]} new=${found[-1]}
		echo "$old" > "$1/old"
		echo "$new" > "$1/new"
		mkdir -p "$1/debs"/{newer,other}
		apt-get -qq --yes --no-install-recommends -o DPkg::Chroot-Directory="$1" install "linux-image-$old" "linux-headers-$old"
		# lacking DIR OPTIONS PACKAGE...: downloads these, and what they need that is not there
		lacking()
		{
			cd "$1"
			apt-get -qq $2 --yes --no-install-recommends --print-uris install "${@:3}" | cut -d' ' -f2 | sed 's/_.*//' |
				xargs -r apt-get -qq $2 -o APT::Sandbox::User=root download
		}
		lacking "$1/debs/newer" "$from" "linux-image-$new" "linux-headers-$new"
		other=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: linux-image-//p')
		[ "$other" != "$old" ] || other=${old%amd64}cloud-amd64
		lacking "$1/debs/other" "" "linux-image-$other" "linux-headers-$other"
	END
}

tar=$CACHE/package-root-$SUITE-$(key "$packages" "$(hook)").tar

if [ ! -f "$tar" ]; then
	need mmdebstrap mmdebstrap
	[ "$(id -u)" = 0 ] || die "the file system is not built yet: run this once as root"
	need_cache
	step "building a file system of $SUITE with a kernel (some minutes)"
	tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
	hook > "$tmp/hook"
	chmod 755 "$tmp/hook"
	SUITE_APT=$tmp
	sources=$(suite_sources_file)
	sed '/^deb-src /d; s/^Types:.*/Types: deb/' "$sources" > "$tmp/binary.${sources##*.}"
	mmdebstrap --quiet --mode=root --variant=minbase --include="$packages" --customize-hook="$tmp/hook" \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
		"$SUITE" "$tmp/root.tar" "$tmp/binary.${sources##*.}" > "$tmp/log" 2>&1 || { tail -20 "$tmp/log" >&2; die "mmdebstrap failed: see $tmp/log"; }
	publish "$tmp/root.tar" "$tar"
	rm -rf "$tmp"
	prune "package-root-$SUITE-" "$tar"
fi
mkdir -p "$dir"
tar -xf "$tar" -C "$dir"
