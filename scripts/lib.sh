# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What every script of the build and of the test bed shares: where things are
# cached, how progress and failures are reported.

set -eu -o pipefail

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
CACHE=${RPCRDMA2_CACHE:-/var/cache/rpcrdma2}
# Which kernel, where Debian has it, and the folder of its series: as K= says by a name
# out of scripts/kernels. A release, which install.sh takes, stands for the first one that its
# version begins with.
# shellcheck disable=SC2034 # KERNEL_VERSION is for fetch.sh
read -r KERNEL_NAME KERNEL_VERSION KERNEL_SUITE PATCHES < <(awk -v name="${K:-}" \
	'!/^#/ && NF { if (!first) first = $0; if ($1 == name || (!line && index(name, $1 ".") == 1)) line = $0 }
	 END { print line ? line : first }' "$TOP/scripts/kernels")
PATCHES=$TOP/$PATCHES
[ "$KERNEL_SUITE" = - ] || BUILD=${BUILD:-$TOP/build/$KERNEL_NAME}
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

# known_kernel NAME: ends the script unless NAME is one of scripts/kernels, or empty, or the
# release of a kernel.
known_kernel()
{
	local names

	[[ ! $1 =~ ^$|^[0-9]+([.][0-9]+){2} ]] || return 0
	names=$(awk '!/^#/ && NF { print $1 }' "$TOP/scripts/kernels" | xargs)
	[[ " $names " == *" $1 "* ]] || die "no kernel $1: there are $names"
}

# need COMMAND PACKAGE: ends the script with advice if COMMAND is missing.
need()
{
	command -v "$1" > /dev/null || die "$1 is missing: 'make deps' as root installs it, or: apt-get install $2"
}

# end_jobs: ends what this shell has started and still runs; for a trap.
end_jobs()
{
	local pids

	mapfile -t pids < <(jobs -rp)
	[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2> /dev/null || true
	wait
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

# sources: prints which commit the module is built from, with a + where it is not as there.
sources()
{
	local dirs=(net include patches) commit

	commit=$(git -C "$TOP" log -1 --format=%h -- "${dirs[@]}" 2> /dev/null) || commit=unknown
	git -C "$TOP" diff --quiet HEAD -- "${dirs[@]}" 2> /dev/null || commit+=+
	echo "$commit"
}

# publish TMP FINAL: moves a finished result into the cache under its name in
# one step, so that an interrupted run never leaves half of one behind. Where another run was
# first, its result stays: the name says what is in it, and somebody may be reading it.
publish()
{
	mv -nT "$1" "$2" || [ -e "$2" ]
	rm -rf "$1"
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

# other_kernel NAME: NAME is one of scripts/kernels, but not the first. In the test bed it
# stands for the stock kernel of that one, and NAME-debug for a debug kernel of its source,
# with what is built for them below $BUILD/NAME.
other_kernel()
{
	awk -v name="${1%-debug}" '!/^#/ && n++ && $1 == name { found = 1 } END { exit !found }' "$TOP/scripts/kernels"
}

# supported RELEASE: the package builds the module for that kernel.
supported()
{
	awk -v k="$1" '!/^#/ && NF && k ~ "^(" $2 ")$" { found = 1 } END { exit !found }' "$TOP/debian/kernels"
}

# all_supported: prints what those kernels are called.
all_supported()
{
	awk '!/^#/ && NF { $1 = $2 = ""; printf "%s%s", sep, substr($0, 3); sep = "; " }' "$TOP/debian/kernels"
}

# kind_of NAME: prints what other_kernel() calls it among the kernels of its source.
kind_of()
{
	if [[ $1 == *-debug ]]; then echo debug; else echo stock; fi
}

# for_kernel NAME COMMAND [ARGUMENT...]: runs that for one that other_kernel() knows.
for_kernel()
{
	env K="${1%-debug}" KERNEL="$(kind_of "$1")" BUILD="$BUILD/${1%-debug}" "${@:2}"
}

known_kernel "${K:-}"

# kernel_source: prints the directory of the pristine kernel source, which
# KSRC= names, or which is that of the kernel that K= names, or is unpacked from
# the linux-source package that is installed.
kernel_source()
{
	local ver dir tmp

	if [ -n "${KSRC:-}" ]; then
		[ -d "$KSRC/net/sunrpc/xprtrdma" ] || die "KSRC=$KSRC holds no kernel source"
		printf '%s\n' "$KSRC"
		return
	fi
	if [ "$KERNEL_SUITE" != - ]; then
		"$TOP/scripts/fetch.sh" "$KERNEL_NAME" source
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
# module is built against: KDIR=, those of K=, or the newest 6.12 that is installed.
stock_kdir()
{
	local d

	if [ -z "${KDIR:-}" ] && [ "$KERNEL_SUITE" != - ]; then
		"$TOP/scripts/fetch.sh" "$KERNEL_NAME" headers
		return
	fi
	d=${KDIR:-$(printf '%s\n' /usr/src/linux-headers-6.12*-amd64 | sort -V | tail -1)}
	[ -f "$d/Makefile" ] || die "no kernel headers in $d: run 'make deps' as root, or name them with KDIR="
	printf '%s\n' "$d"
}

# kmake KDIR ARGUMENT...: runs make there. What is in the cache of another kernel is built
# with the programs of its suite, which fetch.sh has put into a file system.
kmake()
{
	local kdir=$1 tree

	shift
	case $kdir in
	"$CACHE"/*-tree-*/usr/src/*)
		tree=${kdir%/usr/src/*}
		"$TOP/scripts/inside.sh" "$tree" make -C "${kdir#"$tree"}" "$@"
		;;
	"$CACHE/$KERNEL_NAME"-*)
		tree=$("$TOP/scripts/fetch.sh" "$KERNEL_NAME" tree)
		"$TOP/scripts/inside.sh" "$tree" make -C "$kdir" "$@"
		;;
	*) make -C "$kdir" "$@" ;;
	esac
}

# kernel_release KDIR: prints the release that headers belong to.
kernel_release()
{
	cat "$1/include/config/kernel.release"
}
