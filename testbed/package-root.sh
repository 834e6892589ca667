#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# package-root.sh 12|13 DIR: makes a file system of that Debian in DIR, as testbed/package.sh
# needs it: with what a server and a client of NFS have, DKMS, and the older of the two newest
# kernels that the release has. Packages that are installed later lie in DIR/debs:
#
#   newer/   the newer kernel and its headers, if there are two
#   other/   the kernel that a machine has unless told otherwise, and its headers, if that is another
#
# The file system comes from a tar in the cache, unless it is not there yet. DIR/old and
# DIR/new name the kernels.

. "$(dirname "$0")/../scripts/lib.sh"

[ $# = 2 ] || die "usage: package-root.sh 12|13 DIR"
dir=$2
case $1 in
12) suite=bookworm ;;
13) suite=trixie ;;
*) die "no Debian $1 here: 12 or 13" ;;
esac
packages=dkms,initramfs-tools,kmod,iproute2,procps,python3-minimal,rdma-core,nfs-common,nfs-kernel-server,rpcbind,e2fsprogs,apt,gcc,make
tar=$CACHE/package-root-$suite-$(key "$0" "$packages").tar

# sources: this machine's sources of Debian, for that suite.
sources()
{
	local release

	# shellcheck source=/dev/null
	release=$(. /etc/os-release && echo "$VERSION_CODENAME")
	grep -lsE "^(Suites:|deb ).*\b$release\b" /etc/apt/sources.list /etc/apt/sources.list.d/*.{sources,list} | while read -r f; do
		sed "s/\b$release\b/$suite/g" "$f" > "$tmp/$(basename "$f")"
		printf '%s\n' "$tmp/$(basename "$f")"
	done
}

# hook: the script that mmdebstrap runs when the packages are installed, with their folder as
# its argument: apt-get of this machine works on that folder.
hook()
{
	cat <<-'END'
		#!/bin/bash
		set -eu -o pipefail
		export APT_CONFIG=$MMDEBSTRAP_APT_CONFIG
		mapfile -t found < <(apt-cache search --names-only '^linux-image-6\.12\.[0-9]+\+deb[0-9]+-amd64$' |
			sed 's/^linux-image-//; s/ .*//' | sort -V | tail -2)
		old=${found[0]} new=${found[-1]}
		echo "$old" > "$1/old"
		echo "$new" > "$1/new"
		mkdir -p "$1/debs"/{newer,other}
		apt-get -qq --yes --no-install-recommends -o DPkg::Chroot-Directory="$1" install "linux-image-$old" "linux-headers-$old"
		# lacking DIR PACKAGE...: downloads these, and what they need that is not there
		lacking()
		{
			cd "$1"
			apt-get -qq --yes --no-install-recommends --print-uris install "${@:2}" | cut -d' ' -f2 | sed 's/_.*//' |
				xargs -r apt-get -qq -o APT::Sandbox::User=root download
		}
		[ "$old" = "$new" ] || lacking "$1/debs/newer" "linux-image-$new" "linux-headers-$new"
		case $(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: linux-image-//p') in
		"$old" | "$new") ;;
		*) lacking "$1/debs/other" linux-image-amd64 linux-headers-amd64 ;;
		esac
	END
}

if [ ! -f "$tar" ]; then
	need mmdebstrap mmdebstrap
	[ "$(id -u)" = 0 ] || die "the file system is not built yet: run this once as root"
	need_cache
	step "building a file system of $suite with a kernel (some minutes)"
	tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
	hook > "$tmp/hook"
	chmod 755 "$tmp/hook"
	mapfile -t from < <(sources)
	mmdebstrap --quiet --mode=root --variant=minbase --include="$packages" --customize-hook="$tmp/hook" \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
		"$suite" "$tmp/root.tar" "${from[@]}" > "$tmp/log" 2>&1 || { tail -20 "$tmp/log" >&2; die "mmdebstrap failed: see $tmp/log"; }
	publish "$tmp/root.tar" "$tar"
	rm -rf "$tmp"
	prune "package-root-$suite-" "$tar"
fi
mkdir -p "$dir"
tar -xf "$tar" -C "$dir"
