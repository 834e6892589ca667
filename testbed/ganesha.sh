#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ganesha.sh: builds nfs-ganesha of Debian 13 with RDMA, which Debian's own package has
# not, unless the cache has it, and puts it where virtual machines see it:
# build/ganesha.tar, a folder to chroot into, with all libraries that it takes.
#
# Sources are those that the release has, without Debian's patches; these are about Debian's
# paths and parts that are left out here. As root: the compiler is in a file system of
# its own, as is what is compiled against.

. "$(dirname "$0")/../scripts/suite.sh"

tools=gcc,g++,make,cmake,bison,flex,pkgconf,libc6-dev,libkrb5-dev,libnsl-dev,liburcu-dev,libibverbs-dev
tools+=,librdmacm-dev,libblkid-dev,uuid-dev,libcap-dev,libacl1-dev,libattr1-dev,ibverbs-providers
tar=$CACHE/ganesha-$(key "$0").tar

# options: prints what cmake is told. What it would not find here is off.
options()
{
	printf -- '-DUSE_%s\n' SYSTEM_NTIRPC=OFF NFS_RDMA=ON FSAL_VFS=ON \
		FSAL_{MEM,NULL,XFS,LUSTRE,CEPH,RGW,GPFS,GLUSTER,KVSFS,PROXY_V3,PROXY_V4,LIZARDFS,SAUNAFS}=OFF \
		{RADOS_RECOV,ADMIN_TOOLS,GUI_ADMIN_TOOLS,DBUS,9P,LTTNG,MAN_PAGE,NLM,RQUOTA,NFSACL3,MONITORING,NFSIDMAP}=OFF
	printf -- '-D%s\n' CMAKE_BUILD_TYPE=Release CMAKE_INSTALL_PREFIX=/usr ENABLE_VFS_POSIX_ACL=ON RADOS_URLS=OFF \
		DISTNAME_HAS_GIT_DATA=OFF
}

# tree DIR: makes the file system that it is built in.
tree()
{
	local from

	from=$(suite_sources_file)
	sed '/^deb-src /d; s/^Types:.*/Types: deb/' "$from" > "$tmp/binary.${from##*.}"
	mmdebstrap --quiet --mode=root --variant=minbase --include="$tools" --aptopt='APT::Sandbox::User "root"' \
		"$SUITE" "$1" "$tmp/binary.${from##*.}" > "$tmp/log" 2>&1
}

# compile TREE: builds and installs it in there, and prints the files of it that run.
compile()
{
	local n

	# tarballs alone: ntirpc's .dsc is not on every mirror, and nothing more is taken
	for n in nfs-ganesha ntirpc; do
		(cd "$tmp" && suite_apt apt-get -qq --download-only --tar-only source "$n/$SUITE") &&
			mkdir "$1/$n" && tar -xf "$tmp/$n"_*.orig.tar.* -C "$1/$n" --strip-components=1 || return 1
	done
	rm -rf "$1/nfs-ganesha/src/libntirpc"
	mv "$1/ntirpc" "$1/nfs-ganesha/src/libntirpc"
	options | "$TOP/scripts/inside.sh" "$1" bash -eu -c "mkdir /o; cd /o
		xargs cmake ../nfs-ganesha/src; make -s -j$(nproc); make -s install" > "$tmp/log" 2>&1
}

# pack TREE: prints the path of a tar of what it takes to run it.
pack()
{
	# shellcheck disable=SC2016 # for that shell
	"$TOP/scripts/inside.sh" "$1" bash -eu -c '
		cd /
		set -- usr/bin/ganesha.nfsd usr/lib/ganesha/*.so usr/lib/*/libibverbs/lib{rxe,siw}-*.so
		strip -s "$@" usr/lib/lib{ganesha,ntirpc}*.so.*
		mkdir -p /packed/{dev,etc,export,proc,run,sys,tmp,var/lib/nfs/ganesha}
		ln -s /run /packed/var/run
		ln -s /proc/self/mounts /packed/etc/mtab
		ldd "$@" | grep -o "[[:blank:]]/[^ ]*" | sort -u |
			xargs cp -aL --parents "$@" etc/{netconfig,nsswitch.conf,passwd,group} etc/libibverbs.d/{rxe,siw}.driver -t /packed
		tar -cf /packed.tar -C /packed .'
	printf '%s\n' "$1/packed.tar"
}

if [ ! -f "$tar" ]; then
	need mmdebstrap mmdebstrap
	[ "$(id -u)" = 0 ] || die "nfs-ganesha is not built yet: run this once as root"
	step "building nfs-ganesha with RDMA (some minutes)"
	suite_update
	tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT TERM
	if ! tree "$tmp/tree" || ! compile "$tmp/tree"; then
		tail -20 "$tmp/log" >&2
		die "nfs-ganesha could not be built"
	fi
	publish "$(pack "$tmp/tree")" "$tar"
	prune ganesha- "$tar"
fi
mkdir -p "$BUILD"
cmp -s "$tar" "$BUILD/ganesha.tar" || cp "$tar" "$BUILD/ganesha.tar"
