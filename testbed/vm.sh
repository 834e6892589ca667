#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# vm.sh ROLE OUT [QEMU-ARGUMENT...]: boots one virtual machine and waits for
# its end. KERNEL=stock|debug; its console is kept in OUT/console.ROLE, and is a
# socket besides, OUT/tty.ROLE.sock, with SHELL_VM=yes.
#
# ACCEL= names the accelerator; without it, accel.sh does. ICOUNT=yes: time is
# counted in instructions, by TCG whatever ACCEL is.

. "$(dirname "$0")/../scripts/lib.sh"

role=$1 out=$2
shift 2
KERNEL=${KERNEL:-stock}
need qemu-system-x86_64 qemu-system-x86
boot=$("$TOP/testbed/kernel.sh" "$KERNEL")
root=$("$TOP/testbed/rootfs.sh")
accel=${ACCEL:-$("$TOP/testbed/accel.sh")}

# share TAG PATH [OPTION]: arguments of one folder that the machine sees.
share()
{
	printf '%s\n' -fsdev "local,id=$1,path=$2,security_model=none,multidevs=remap${3:+,$3}" \
		-device "virtio-9p-pci,fsdev=$1,mount_tag=$1"
}

mkdir -p "$BUILD"
mapfile -t shares < <(share repo "$out/repo" readonly=on; share build "$BUILD" readonly=on; share out "$out")
console="file,id=console,path=$out/console.$role"
[ -z "${SHELL_VM:-}" ] || console="socket,id=console,path=$out/tty.$role.sock,server=on,wait=off,logfile=$out/console.$role"
mem=${MEM:-1536}
[ "$KERNEL" = stock ] || mem=${MEM:-2560}
# Before QEMU 8.0, TCG's cmpxchg16b leaves operands in the flags: an interrupt behind
# it then returns to a kernel without interrupts, or to a double fault.
cpu=max,-cx16
clock=()
# Who uses a page that is free finds a pattern, and who has used it is found out. It takes the
# place of init_on_alloc, which Debian's kernel has on, and upstream's code sometimes needs.
poison=1
[ "$KERNEL" != stock ] || poison=0
if [ "${ICOUNT:-}" = yes ]; then
	# One instruction takes a nanosecond, and nobody waits for a timer: what else the host
	# does is not in the guest's time. A copy by rep movsb is an instruction for each
	# byte; without ERMS and FSRM the kernel moves 8 bytes with each.
	accel=tcg,thread=single
	cpu+=,-erms,-fsrm
	clock=(-icount "shift=0,sleep=off")
	# which no kernel does by itself, and which costs thousands of instructions a page
	poison=0
elif [ "$accel" = kvm ]; then
	cpu=host
fi
# TCG translates a program anew for each address that it is put at
tcg=
[ "$accel" = kvm ] || tcg=norandmaps
# Where processors share a host's, a watchpoint that waits for 80 us sees nobody pass.
# What KCSAN says of others, too, has to stay in the log. Where it looks is for
# kcsan_look.c to say: by itself it would at one access in 200 million.
kcsan=
[ "$KERNEL" != kcsan ] || kcsan="log_buf_len=32M kcsan.udelay_task=1000 kcsan.udelay_interrupt=100 kcsan.skip_watch=200000000"
# Without kunit.autorun a kernel of 7.3 that was made of allnoconfig takes note of a module's
# suites and runs none of them. That of 6.12 always runs them, and passes over the parameter.
exec qemu-system-x86_64 -accel "$accel" "${clock[@]}" -machine q35 -cpu "$cpu" -m "$mem" -smp "${SMP:-1}" \
	-nodefaults -display none -chardev "$console" -serial chardev:console -kernel "$boot/vmlinuz" -initrd "$boot/initramfs.gz" \
	-append "console=ttyS0 loglevel=5 panic=-1 oops=panic mitigations=off net.ifnames=0 no_timer_check random.trust_cpu=on \
log_buf_len=4M rcupdate.rcu_cpu_stall_timeout=60 watchdog_thresh=30 workqueue.watchdog_thresh=90 kunit.enable=1 kunit.autorun=1 page_poison=$poison tb.role=$role $tcg $kcsan ${TB_APPEND:-}" \
	-drive "file=$root,if=virtio,format=raw,readonly=on" \
	-drive "file=$boot/modules.sqfs,if=virtio,format=raw,readonly=on" \
	${TB_DATA:+-drive "file=$TB_DATA,if=virtio,format=raw,readonly=on"} \
	${TB_DISK:+-drive "file=$TB_DISK,if=virtio,format=raw,cache=unsafe"} \
	"${shares[@]}" -device virtio-rng-pci "$@"
