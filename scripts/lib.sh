# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What every script of the build and of the test bed shares: where things are
# cached, how progress and failures are reported.

set -eu -o pipefail

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
CACHE=${RPCRDMA2_CACHE:-/var/cache/rpcrdma2}
BUILD=${BUILD:-$TOP/build}
STARTED=${STARTED:-$(date +%s)}
export STARTED

# elapsed: seconds since the first script of this run started, as m:ss.
elapsed()
{
	local s=$(($(date +%s) - STARTED))

	printf '%d:%02d' $((s / 60)) $((s % 60))
}

# step TEXT...: tells a person what begins now.
step()
{
	printf '[%5s] %s\n' "$(elapsed)" "$*" >&2
}

# die TEXT...: tells what went wrong and ends the script.
die()
{
	printf '%s: %s\n' "$(basename "$0")" "$*" >&2
	exit 1
}

# need COMMAND PACKAGE: ends the script with advice if COMMAND is missing.
need()
{
	command -v "$1" > /dev/null || die "$1 is missing: 'make deps' as root installs it, or: apt-get install $2"
}

# key FILE-OR-TEXT...: a short name for a set of inputs; a file counts with
# its content, anything else with its text.
key()
{
	local x

	for x in "$@"; do
		if [ -f "$x" ]; then cat "$x"; else printf '%s\n' "$x"; fi
	done | sha256sum | cut -c1-16
}

# publish TMP FINAL: moves a finished result into the cache under its name in
# one step, so that an interrupted run never leaves half of one behind.
publish()
{
	rm -rf "$2"
	mv "$1" "$2"
}

# need_cache: ends the script with advice if nothing can be put into the cache.
need_cache()
{
	if ! mkdir -p "$CACHE" 2> /dev/null || [ ! -w "$CACHE" ]; then
		die "cannot write to $CACHE: run this as root, or name a folder of yours with RPCRDMA2_CACHE="
	fi
}

# prune PREFIX KEEP: removes cached results of a kind that are two days old, but
# KEEP; another checkout may use younger ones.
prune()
{
	find "$CACHE" -maxdepth 1 -name "$1*" ! -path "$2" -mtime +1 -exec rm -rf {} +
}

# kernel_source: prints the directory of the pristine kernel source, which
# KSRC= names or which is unpacked from Debian's linux-source package.
kernel_source()
{
	local ver dir tmp

	if [ -n "${KSRC:-}" ]; then
		[ -d "$KSRC/net/sunrpc/xprtrdma" ] || die "KSRC=$KSRC holds no kernel source"
		printf '%s\n' "$KSRC"
		return
	fi
	[ -f /usr/src/linux-source-6.12.tar.xz ] ||
		die "linux-source-6.12 is missing: run 'make deps' as root, or name a 6.12 source with KSRC="
	ver=$(dpkg-query -W -f '${Version}' linux-source-6.12)
	dir=$CACHE/source-$ver
	if [ ! -d "$dir" ]; then
		step "unpacking the source of Debian's kernel $ver"
		mkdir -p "$CACHE"
		tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
		tar -xf /usr/src/linux-source-6.12.tar.xz -C "$tmp" --strip-components=1
		chmod 755 "$tmp"
		publish "$tmp" "$dir"
		prune source- "$dir"
	fi
	printf '%s\n' "$dir"
}

# stock_kdir: prints the directory of the headers of Debian's kernel that the
# module is built against: KDIR=, or the newest 6.12 that is installed.
stock_kdir()
{
	local d

	d=${KDIR:-$(printf '%s\n' /usr/src/linux-headers-6.12*-amd64 | sort -V | tail -1)}
	[ -f "$d/Makefile" ] || die "no kernel headers in $d: run 'make deps' as root, or name them with KDIR="
	printf '%s\n' "$d"
}

# kernel_release KDIR: prints the release that headers belong to.
kernel_release()
{
	cat "$1/include/config/kernel.release"
}
