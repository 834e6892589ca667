#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# inside.sh TREE COMMAND [ARGUMENT...]: runs a command with the programs of a file system
# that fetch.sh has made. Repository, build folder, cache and the current folder are
# where they are outside. As root; nobody but the command sees these mounts.

. "$(dirname "$0")/lib.sh"

[ $# -ge 2 ] || die "usage: inside.sh TREE COMMAND [ARGUMENT...]"
export INSIDE_TREE=$1
shift
[ -x "$INSIDE_TREE/usr/bin/bash" ] || die "$INSIDE_TREE is no file system to run something in"
[ "$(id -u)" = 0 ] || die "$INSIDE_TREE can be used by root only"
mkdir -p "$BUILD"
for d in "$TOP" "$BUILD" "$CACHE" "$PWD"; do
	mkdir -p "$INSIDE_TREE$d"
done
# shellcheck disable=SC2016
exec unshare --mount -- bash -eu -c '
	where=$PWD
	for d in /proc /dev "${@:1:4}"; do
		mount --rbind "$d" "$INSIDE_TREE$d"
	done
	shift 4
	exec chroot "$INSIDE_TREE" env -C "$where" PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' \
	inside "$TOP" "$BUILD" "$CACHE" "$PWD" "$@"
