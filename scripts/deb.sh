#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deb.sh: builds the packages of Debian that debian/ describes into build/deb.
#
# They are built in a copy of the repository's files, below build/deb/source, so that
# nothing is left beside these. The same files make the same packages, wherever they are
# built with the same compiler. DEB_BUILD_OPTIONS= is dpkg-buildpackage's.

. "$(dirname "$0")/lib.sh"

need dpkg-buildpackage dpkg-dev
need dh debhelper
need dh_dkms dh-dkms
out=$BUILD/deb
src=$out/source
log=$out/build.log

# files: what of the repository a package can be made from.
files()
{
	git -C "$TOP" ls-files -co --exclude-standard -z 2> /dev/null ||
		(cd "$TOP" && find . -path ./build -prune -o -type f -print0)
}

rm -rf "$out"
mkdir -p "$src"
files | tar -C "$TOP" --null --ignore-failed-read -T - -c 2> /dev/null | tar -C "$src" -x
step "building the packages"
if ! (cd "$src" && dpkg-buildpackage -b -us -uc) > "$log" 2>&1; then
	tail -40 "$log" >&2
	die "the packages could not be built: see $log"
fi
rm -rf "$src"
printf '%s\n' "$out"/*.deb
