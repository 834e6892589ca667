#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# package.sh [12] [13]: are the packages safe to install on these releases of Debian?
#
# A file system of the release gets the packages as a person would install them; DKMS
# builds the module in it, for its kernel, and for a newer one that comes later. Both kernels
# are booted, in a virtual machine each, which mounts from itself and has the package removed
# below that mount (testbed/package-guest). What is expected of a kernel says debian/kernels:
# ours, or its own. Which kernels there are says testbed/package-root.sh.
#
# KTAP; all that was printed is in build/package/RELEASE, and verdicts has a line for each
# result, for scripts/seen.py. As root.

# shellcheck disable=SC2317 # t calls the functions

. "$(dirname "$0")/../scripts/lib.sh"

releases=("$@")
[ $# -gt 0 ] || releases=(12 13)
nr=0
bad=0

# t NAME COMMAND...: one result: COMMAND succeeds.
t()
{
	local name="Debian $debian: $1"

	shift
	nr=$((nr + 1))
	if "$@" > "$dir/t" 2>&1; then
		echo "ok $nr $name"
		echo "ok $name" >> "$dir/verdicts"
	else
		tail -15 "$dir/t" | sed 's/^/# /'
		echo "not ok $nr $name"
		echo "FAILED $name" >> "$dir/verdicts"
		bad=1
	fi
	{ echo "--- $name"; cat "$dir/t"; } >> "$dir/log"
}

# inside COMMAND...: runs that in the file system, with its own /proc, as on a machine of its own.
inside()
{
	unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" \
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# expected RELEASE: prints what that kernel should get.
expected()
{
	if supported "$1"; then echo ours; else echo stock; fi
}

# is_right RELEASE: modprobe would load what it should for that kernel, and no line is
# missing where that is the kernel's own.
is_right()
{
	local file folder=kernel/net/sunrpc/xprtrdma

	! supported "$1" || folder=updates/dkms
	file=$(inside modinfo -k "$1" -F filename rpcrdma)
	echo "$file"
	[[ $file == */"$folder"/rpcrdma.ko* ]] || return 1
	supported "$1" || grep -F "rpcrdma2: kernel $1 is not supported" "$dir/log" | grep -F "Supported: $(all_supported)."
}

# installs PACKAGE-FILE...: they are installed, with the hooks of kernels and all.
installs()
{
	cp "$@" "$root/root/" && inside sh -c 'trap "rm /root/*.deb" EXIT; apt-get -qq --yes --no-install-recommends --reinstall install /root/*.deb'
}

# same_initramfs: nobody made that of the old kernel anew.
same_initramfs()
{
	[ "$(sha256sum < "$root/boot/initrd.img-$old")" = "$initramfs" ]
}

# not_in_initramfs: what the old kernel boots from needs no module of ours.
not_in_initramfs()
{
	inside lsinitramfs "/boot/initrd.img-$old" > "$dir/initramfs" && ! grep '/rpcrdma\.ko' "$dir/initramfs"
}

# nothing_left: no file of the packages is there any more.
nothing_left()
{
	! find "$root"/usr/src "$root"/var/lib/dkms "$root"/etc "$root"/usr/bin "$root"/lib/modules/*/updates 2> /dev/null | grep rpcrdma
}

# its_own RELEASE: modprobe would load that kernel's own module.
its_own()
{
	local file

	file=$(inside modinfo -k "$1" -F filename rpcrdma)
	echo "$file"
	[[ $file == */kernel/net/sunrpc/xprtrdma/rpcrdma.ko* ]]
}

# boots RELEASE: boots that kernel; what it reports is numbered and passed on.
boots()
{
	local image=$dir/disk console=$dir/console-$1 verdict

	expected "$1" > "$root/expect"
	rm -f "$image"
	cp "$TOP/testbed/package-guest" "$root/guest"
	truncate -s 6G "$image"
	mke2fs -q -t ext4 -d "$root" "$image"
	timeout 3000 qemu-system-x86_64 -accel "${ACCEL:-$("$TOP/testbed/accel.sh")}" -machine q35 -cpu max,-cx16 -m 2048 -smp 1 \
		-nodefaults -display none -serial "file:$console" -kernel "$root/boot/vmlinuz-$1" -initrd "$root/boot/initrd.img-$1" \
		-append "console=ttyS0 loglevel=4 panic=-1 oops=panic root=/dev/vda rw init=/guest net.ifnames=0 no_timer_check" \
		-drive "file=$image,if=virtio,format=raw,cache=unsafe" -device virtio-rng-pci -no-reboot < /dev/null || true
	rm -f "$image"
	while read -r verdict; do
		case $verdict in
		ok* | "not ok"*) t "$1: ${verdict#*ok }" [ "${verdict%%ok*}" = "" ] ;;
		'#'*) echo "$verdict" ;;
		esac
	done < <(tr -d '\r' < "$console" | sed -n 's/^.*TB //p')
	t "$1: it came to its end" grep -q 'TB done' "$console"
}

# release: tries one release of Debian.
release()
{
	root=$dir/root
	rm -rf "$dir"
	mkdir -p "$dir"
	sources > "$dir/sources"
	"$TOP/testbed/package-root.sh" "$debian" "$root"
	old=$(cat "$root/old")
	new=$(cat "$root/new")
	t "the packages install" installs "$BUILD"/deb/rpcrdma2-{dkms,tools}_*.deb
	t "$old takes the module that it should" is_right "$old"
	t "the module is not in the initramfs" not_in_initramfs
	initramfs=$(sha256sum < "$root/boot/initrd.img-$old")
	boots "$old"
	t "a newer kernel installs" installs "$root"/debs/newer/*.deb
	t "$new takes the module that it should" is_right "$new"
	t "a kernel that is not supported installs" installs "$root"/debs/other/*.deb
	for release in "$root"/lib/modules/*/; do
		release=$(basename "$release")
		t "then $release takes the module that it should" is_right "$release"
	done
	t "the package can be installed again" installs "$BUILD"/deb/rpcrdma2-dkms_*.deb
	t "no initramfs was made anew for it" same_initramfs
	boots "$new"
	t "the package goes" inside dpkg --purge rpcrdma2-dkms rpcrdma2-tools
	t "nothing of it is left" nothing_left
	for release in "$old" "$new"; do
		t "$release has its own module" its_own "$release"
	done
	rm -rf "$root"
}

[ "$(id -u)" = 0 ] || die "this has to make file systems: run it as root"
need qemu-system-x86_64 qemu-system-x86
need mke2fs e2fsprogs
"$TOP/scripts/deb.sh" > /dev/null
echo 'TAP version 13'
for debian in "${releases[@]}"; do
	dir=$BUILD/package/$debian
	release
done
echo "1..$nr"
exit "$bad"
