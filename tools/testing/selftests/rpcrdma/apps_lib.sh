# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Applications that others wrote, at work on the mount: fio, stress-ng, dbench, git and
# a compiler. Each function takes a name of its own for what it leaves in the mount, and
# compares that with what there should be, here and on the server's own file system.
# Sourced behind rpcrdma_lib.sh and fault_lib.sh.

APPS_TREE=$RPCRDMA_WORK/sources

# apps_same DIR: what the server has of DIR is what the mount shows when it is read
# afresh.
apps_same()
{
	rpcrdma_drop_caches
	[ "$(rpcrdma_sum "$RPCRDMA_MNT/$1")" = "$(tb_server "$(declare -f rpcrdma_sum); rpcrdma_sum /export/$1")" ] ||
		{ echo "the server's own copy of $1 differs"; return 1; }
}

# apps_gone DIR: removes it.
apps_gone()
{
	rm -rf "${RPCRDMA_MNT:?}/$1"
}

# apps_fio DIR HOW BYTES DEPTH: fio writes and reads at random places, in pieces of that
# many bytes ("512-1m": of any size), and verifies each of them. HOW is buffered,
# direct or mmap.
apps_fio()
{
	local dir=$1 how=$2 bytes=$3 depth=$4 engine=libaio

	[[ $bytes = *-* ]] || bytes=$bytes-$bytes
	mkdir -p "$RPCRDMA_MNT/$dir"
	[ "$how" != mmap ] || engine=mmap
	fio --name="$how" --directory="$RPCRDMA_MNT/$dir" --ioengine="$engine" --iodepth="$depth" \
		--direct="$([ "$how" = direct ] && echo 1 || echo 0)" --rw=randrw --bsrange="$bytes" --bs_unaligned=1 \
		--size="$(rpcrdma_share 4096)k" --numjobs=2 --randseed="$FAULT_SEED" --verify=crc32c --verify_fatal=1 --do_verify=1 \
		--verify_state_save=0 --end_fsync=1 --output-format=terse > "$RPCRDMA_WORK/fio" 2>&1 ||
		{ echo "fio $how $bytes, depth $depth: $(tail -5 "$RPCRDMA_WORK/fio")"; return 1; }
	apps_same "$dir" && apps_gone "$dir"
}

# apps_fio_all DIR: all ways, sizes and depths, or some of them for lack of time.
apps_fio_all()
{
	local how bytes depth n=0 every

	every=$(rpcrdma_everything && echo 1 || echo 9)
	for how in buffered direct mmap; do
		for bytes in 512 4k 64k 1m 512-1m; do
			for depth in 1 8 32; do
				n=$((n + 1))
				[ $(((n + FAULT_SEED) % every)) = 0 ] || continue
				echo "fio: $how, $bytes, depth $depth"
				apps_fio "$1" "$how" "$bytes" "$depth" || return 1
			done
		done
	done
}

# What of stress-ng's file system stressors works on any NFS. Those that are left out
# need a local file system (fiemap, file-ioctl, verity, fanotify, inotify of others),
# leases or mounts of their own, or more names than a small machine can make in time.
APPS_STRESSORS=(access chmod dentry dir dirdeep dup fallocate fcntl filename flock fpunch fsize fstat getdent hdd
	iomix link lockf lockofd mknod open readahead rename seek symlink sync-file touch utime)

# apps_stress DIR SECONDS: these for so many seconds each, verified; some of them for
# lack of time.
apps_stress()
{
	local dir=$RPCRDMA_MNT/$1 n rc every=7 what

	! rpcrdma_everything || every=1
	mkdir -p "$dir"
	chmod 777 "$dir"
	for ((n = FAULT_SEED % every; n < ${#APPS_STRESSORS[@]}; n += every)); do
		what=${APPS_STRESSORS[n]}
		rc=0
		stress-ng --temp-path "$dir" --"$what" 2 --timeout "$2" --verify --hdd-bytes 4m --iomix-bytes 4m --fallocate-bytes 4m \
			--readahead-bytes 4m --oomable > "$RPCRDMA_WORK/stress" 2>&1 || rc=$?
		echo "stress-ng $what: $rc"
		# 3: not the resources, 4: not implemented here
		[[ $rc = [034] ]] || { tail -8 "$RPCRDMA_WORK/stress"; return 1; }
	done
	apps_gone "$1"
}

# apps_dbench DIR SECONDS: dbench with its own record of what clients do. It complains
# of whatever does not go as it went there.
apps_dbench()
{
	mkdir -p "$RPCRDMA_MNT/$1"
	timeout 300 dbench -c /usr/share/dbench/client.txt -D "$RPCRDMA_MNT/$1" -t "$2" 2 > "$RPCRDMA_WORK/dbench" 2>&1 ||
		{ tail -5 "$RPCRDMA_WORK/dbench"; return 1; }
	grep Throughput "$RPCRDMA_WORK/dbench"
	# its processes wait for each other without SysV semaphores, too
	! grep -v 'barrier semaphore' "$RPCRDMA_WORK/dbench" | grep -iE 'failed|error' || return 1
	apps_gone "$1"
}

# apps_sources: a tree of sources, once; and a repository of it, with two commits.
apps_sources()
{
	[ ! -d "$APPS_TREE" ] || return 0
	mkdir -p "$APPS_TREE"
	cp -r /repo/net /repo/include /repo/patches /repo/tools "$APPS_TREE/"
	export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@test GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@test
	git -c init.defaultBranch=main init -q "$APPS_TREE" && git -C "$APPS_TREE" add net include &&
		git -C "$APPS_TREE" commit -q -m one && git -C "$APPS_TREE" add . && git -C "$APPS_TREE" commit -q -m two
}

# apps_git DIR: a clone of it into the mount, which is checked, packed and cloned back.
apps_git()
{
	local dir=$RPCRDMA_MNT/$1 back=$RPCRDMA_WORK/back

	apps_sources || return 1
	rm -rf "$back"
	git clone -q --no-local "file://$APPS_TREE" "$dir" || return 1
	git -C "$dir" fsck --full --strict 2>&1 | grep -v '^dangling' | grep . && return 1
	[ -z "$(git -C "$dir" status --porcelain)" ] || { echo "git status differs"; return 1; }
	git -C "$dir" gc -q || return 1
	rpcrdma_drop_caches
	git clone -q --no-local "file://$dir" "$back" && diff -r --exclude=.git "$APPS_TREE" "$back" || return 1
	apps_same "$1" && apps_gone "$1"
}

# apps_makefile: prints how the unit tests are built with a compiler that is small and
# quick, one object a source.
apps_makefile()
{
	cat << 'END'
X := net/sunrpc/xprtrdma/v2
U := tools/testing/selftests/rpcrdma/unit
TOP := .
include tools/testing/selftests/rpcrdma/pure.mk
SRCS := $(PURE) $(wildcard $X/tests/*_kunit.c) $U/harness.c
unit: $(SRCS:.c=.o)
	tcc -o $@ $^
%.o: %.c
	tcc -include shim.h -I$U/include -Iinclude -c -o $@ $<
END
}

# apps_shim: prints what that compiler lacks of gcc's builtins.
apps_shim()
{
	cat << 'END'
typedef unsigned long long shim;
#define __ATOMIC_RELAXED 0
#define __ATOMIC_SEQ_CST 5
#define __atomic_load_n(p, o) (*(p))
#define __atomic_store_n(p, v, o) (*(p) = (v))
#define __atomic_fetch_add(p, v, o) ((*(p) += (v)) - (v))
#define __atomic_compare_exchange_n(p, old, v, weak, o, f) \
	(*(p) == *(old) ? (*(p) = (v), 1) : (*(old) = *(p), 0))
#define __builtin_bswap16(x) ((unsigned short)((x) << 8 | (unsigned short)(x) >> 8))
static inline unsigned int __builtin_bswap32(unsigned int x)
{ return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24; }
static inline shim __builtin_bswap64(shim x)
{ return (shim)__builtin_bswap32(x) << 32 | __builtin_bswap32(x >> 32); }
static inline int __builtin_popcount(unsigned int x)
{ int n = 0; for (; x; x &= x - 1) n++; return n; }
#define __builtin_add_overflow(a, b, r) \
	({ shim a_ = (a), s_ = a_ + (b); *(r) = s_; s_ < a_ || *(r) != s_; })
#define __builtin_mul_overflow(a, b, r) \
	({ shim a_ = (a), b_ = (b), s_ = a_ * b_; *(r) = s_; (a_ && s_ / a_ != b_) || *(r) != s_; })
END
}

# apps_build DIR: tcc and make build a program in the mount, four files at a time; all
# objects are what a build on the local file system makes, and the program starts. It
# has no cases, for tcc has no constructors.
apps_build()
{
	local dir=$RPCRDMA_MNT/$1 d

	apps_sources || return 1
	rm -rf "$RPCRDMA_WORK/local"
	for d in "$RPCRDMA_WORK/local" "$dir"; do
		mkdir -p "$d"
		cp -r "$APPS_TREE"/{net,include,tools} "$d/"
		apps_shim > "$d/shim.h"
		apps_makefile > "$d/Makefile"
		make -s -C "$d" -j4 || return 1
	done
	"$dir/unit" | grep '^# Totals' || return 1
	rpcrdma_drop_caches
	rpcrdma_same "$RPCRDMA_WORK/local" "$dir" && apps_same "$1" && apps_gone "$1"
}
