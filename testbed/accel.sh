#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Prints the accelerator that the virtual machines are to use: kvm where a
# trial boot succeeded, else TCG, which always works. /dev/kvm alone says
# nothing: there are hosts whose KVM answers every ioctl and boots no kernel.
# The answer is kept in the cache; remove the file accel there to ask again.

. "$(dirname "$0")/../scripts/lib.sh"

known=$CACHE/accel

# boots_with_kvm: a kernel gets as far as our initramfs.
boots_with_kvm()
{
	local boot

	boot=$("$TOP/testbed/kernel.sh" stock)
	timeout 20 qemu-system-x86_64 -accel kvm -machine q35 -cpu host -m 512 -nodefaults -no-reboot -display none \
		-serial stdio -kernel "$boot/vmlinuz" -initrd "$boot/initramfs.gz" \
		-append "console=ttyS0 quiet panic=-1 tb.role=probe" < /dev/null 2> /dev/null | grep -q 'testbed: alive'
}

if [ ! -s "$known" ]; then
	accel=tcg,thread=multi
	if [ -w /dev/kvm ]; then
		step "trying whether KVM boots a kernel here"
		! boots_with_kvm || accel=kvm
	fi
	step "virtual machines use $accel"
	printf '%s\n' "$accel" > "$known.tmp"
	mv "$known.tmp" "$known"
fi
cat "$known"
