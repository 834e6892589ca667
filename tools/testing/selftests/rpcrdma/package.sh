#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# "make deb" makes the packages: always the same, to lintian's content, with all that
# they should have in them; and DKMS builds the module from them for each kernel that
# is supported, puts it where modprobe prefers it, and leaves others alone.
#
# DKMS is unpacked, not installed: its hooks stay away from this machine's kernels. That
# the packages install, upgrade and go again, on Debian 13, too, is for "make check-deb".
#
# bed: host
# except: host
# timeout: 900
# skips: 1..0

cd "$(dirname "$0")/../../../.." || exit 1
# shellcheck source=tools/testing/selftests/rpcrdma/host_lib.sh
. tools/testing/selftests/rpcrdma/host_lib.sh
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
image=${RPCRDMA2_CACHE:-/var/cache/rpcrdma2}/image-$release/lib/modules/$release
root=$tmp/root

# made DIR: builds the packages below DIR.
made()
{
	BUILD=$tmp/$1 scripts/deb.sh && ls "$tmp/$1"/deb/rpcrdma2-{dkms,tools}_*.deb
}

# same: both builds made the same files.
same()
{
	(cd "$tmp/one/deb" && sha256sum ./*.deb) > "$tmp/sums" && (cd "$tmp/two/deb" && sha256sum -c --quiet "$tmp/sums")
}

# content: lintian has nothing to say, not even that something might be better.
content()
{
	local out

	out=$(lintian --allow-root --display-info "$tmp"/one/deb/*.changes) || { echo "$out"; return 1; }
	[ -z "$out" ] || { echo "$out"; return 1; }
}

# has PACKAGE PATH...: all these files are in the package.
has()
{
	local package=$1 path rc=0

	shift
	dpkg-deb -c "$tmp/one/deb/$package"_*.deb > "$tmp/list"
	for path; do
		grep -q " \./$path\( -> .*\)\?$" "$tmp/list" || { echo "no $path in $package"; rc=1; }
	done
	return "$rc"
}

# sources KERNEL [FOLDER]: the module's sources are there, as they are built elsewhere for
# that kernel but for the version, and the tests are not.
sources()
{
	local src=$root/usr/src/rpcrdma2-$version/${2:-$1} tree=$tmp/tree-$1

	K=$1 scripts/assemble.sh "$tree" && find "$tree" -type d -name tests -prune -exec rm -rf {} + &&
		diff -r -I '^MODULE_VERSION' -I '^$' "$tree" "$src" &&
		[ "$(grep -rh '^MODULE_VERSION' "$src")" = "MODULE_VERSION(\"$version\");" ]
}

# dkms COMMAND...: DKMS, with folders of its own for all that it writes.
dkms()
{
	sign_file=/nonexistent bash "$tmp/dkms/usr/sbin/dkms" --dkmstree "$tmp/tree.dkms" --sourcetree "$root/usr/src" \
		--installtree "$root/lib/modules" --no-depmod "$@"
}

# chosen FOLDER: modprobe would load a file from that folder of the modules.
chosen()
{
	depmod -b "$root" "$release"
	modinfo -b "$root" -k "$release" -F filename rpcrdma
	[[ $(modinfo -b "$root" -k "$release" -F filename rpcrdma) == */"$release/$1"/rpcrdma.ko* ]]
}

# built: DKMS builds and installs the module for the supported kernel.
built()
{
	dkms install -m rpcrdma2 -v "$version" -k "$release" > "$tmp/log" 2>&1 || { tail -30 "$tmp/log"; return 1; }
	chosen updates/dkms && [ "$(modinfo -b "$root" -k "$release" -F version rpcrdma)" = "$version" ] && [[ $(modinfo -b "$root" -k "$release" -F parm rpcrdma) == *client_max_version* ]]
}

# refused RELEASE COMMAND...: for that kernel DKMS builds nothing, and one line says which
# kernels are supported: all.
refused()
{
	local kernel=$1 rc=0

	shift
	mkdir -p "$root/lib/modules/$kernel"
	ln -sfn "$headers" "$root/lib/modules/$kernel/build"
	dkms "$@" -k "$kernel" > "$tmp/out" 2>&1 || rc=$?
	cat "$tmp/out"
	rm -rf "${root:?}/lib/modules/$kernel"
	[ "$(grep -cFx "rpcrdma2: kernel $kernel is not supported and keeps its own rpcrdma.ko. Supported: $supported." "$tmp/out")" = 1 ] || return 1
	case $1 in
	build) [ "$rc" = 77 ] ;;
	autoinstall) [ "$rc" = 0 ] ;;
	esac
}

# others: so it is for each kernel that is another one, by its name.
others()
{
	local k rc=0

	for k in 6.1.0-40-amd64 6.12.117+deb12-cloud-amd64 6.12.117+deb12-rt-amd64 6.12.117+deb12-arm64 \
		6.11.2+deb12-amd64 6.12.9 6.12.48+deb13-amd64 6.12.106+deb12-amd64 6.12.117 16.12.117+deb12-amd64 \
		6.12.117+deb12-amd64-unsigned \
		6.12.118+deb13-cloud-amd64 6.12.118+deb14-amd64 7.2.12+deb13-amd64 7.3.4+deb12-amd64 7.3.4+deb13-arm64 7.30.4+deb13-amd64; do
		refused "$k" build -m rpcrdma2 -v "$version" > "$tmp/others" || { cat "$tmp/others"; rc=1; }
	done
	return "$rc"
}

# gone: DKMS takes the module away again.
gone()
{
	dkms remove -m rpcrdma2 -v "$version" --all && chosen kernel/net/sunrpc/xprtrdma
}

[ -d "$image" ] || { echo "1..0 # SKIP the kernel image is not unpacked yet: testbed/kernel.sh stock"; exit 4; }
if ! (cd "$tmp" && apt-get -qq -o APT::Sandbox::User=root download dkms) 2> /dev/null; then
	echo "1..0 # SKIP apt-get cannot download dkms: run apt-get update"
	exit 4
fi
dpkg -x "$tmp"/dkms_*.deb "$tmp/dkms"
mkdir -p "$tmp/tree.dkms" "$root/lib/modules/$release/kernel/net/sunrpc/xprtrdma"
cp "$image"/kernel/net/sunrpc/xprtrdma/rpcrdma.ko* "$root/lib/modules/$release/kernel/net/sunrpc/xprtrdma/"
cp "$image"/modules.{order,builtin,builtin.modinfo} "$root/lib/modules/$release/"
ln -s "$headers" "$root/lib/modules/$release/build"

echo 'TAP version 13'
echo '1..15'
t "the packages can be built" made one
export DEB_BUILD_OPTIONS=nocheck
t "... and elsewhere, too" made two
t "they are the same, wherever they are built" same
t "lintian is content" content
dpkg -x "$tmp"/one/deb/rpcrdma2-dkms_*.deb "$root"
version=$(dpkg-deb -f "$tmp"/one/deb/rpcrdma2-dkms_*.deb Version)
supported="Debian 12's linux-image-6.12-amd64 (6.12.107 or later); Debian 13's linux-image-amd64 (6.12.107 or later); linux-image-amd64 of Debian 13's backports (7.3)"
t "the sources of the module are all there" sources 6.12
t "... and are those for Debian 13's 6.12, too" sources 6.12-deb13 6.12
t "... and those for 7.3" sources 7.3
t "... and its switches, and what DKMS needs" has rpcrdma2-dkms etc/modprobe.d/rpcrdma2.conf \
	"usr/src/rpcrdma2-$version/dkms.conf" "usr/src/rpcrdma2-$version/kernels"
t "the tools and the manual are there" has rpcrdma2-tools usr/bin/rpcrdma2stat usr/bin/rpcrdma2peer \
	usr/share/rpcrdma2/{rpcrdma2stat,exported.py,connections.py,rpcrdma2.lua} usr/share/man/man8/rpcrdma2stat.8.gz \
	usr/share/man/man1/rpcrdma2peer.1.gz usr/share/doc/rpcrdma2-tools/manual/{index,admin,security,protocol}.html
t "DKMS takes them" dkms add -m rpcrdma2 -v "$version"
t "a kernel that is not supported is left alone" others
t "... also when it is installed, which goes on" refused 6.1.0-40-amd64 autoinstall
t "DKMS builds the module, which modprobe prefers" built
t "another kernel may still be installed then" refused 6.1.0-41-amd64 autoinstall
t "without it, modprobe takes the kernel's own" gone
exit "$bad"
