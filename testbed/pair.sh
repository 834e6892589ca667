#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# pair.sh COMMAND...: boots a server and a client, runs COMMAND with bash in
# the client (a script of the repository is found below /repo), shows its
# output and returns its exit status. What can be chosen, by environment:
#
#   KERNEL=stock|debug|kcsan|lockstat
#                                which kernel both run; or NAME of scripts/kernels,
#                                or NAME-debug
#   ONLY=server|client           that one alone runs it; the other one has Debian's, which
#                                is faster, and a module with what only tests use
#   DEV=rxe|siw                  which RDMA device; rxe+copy is DEV=rxe MODULE=copy
#   SMP=1                        how many processors each machine has
#   SERVER=ours|stock|before     which rpcrdma.ko the server loads
#   CLIENT=ours|stock|before     which rpcrdma.ko the client loads
#   MODULE=plain|ledger|copy     ours is that of the ledger (MODULE=copy: which also gives
#                                the device copies of what is mapped)
#   MODULE=mutants               ours is the one with the mutants in it
#   MODULE=test                  ours has what only tests use, as on other kernels than
#                                stock it always has
#   SERVER_PARAMS= CLIENT_PARAMS=  parameters of these modules
#   MTU=9000                     of the network that is tested
#   TIMEOUT=1800                 seconds after which all is ended
#   OUT=DIR                      where consoles and results go
#   DATA=FILE                    a squashfs that the client sees as /data
#   EVERY_CASE=yes               what the tests leave out for lack of time, too
#              every             and all cases of conformance, whatever the kernel
#   SEED=N                       what tests draw from that draw at random
#   EAGER=0|1                    our module's client_eager and server_eager are that: with 1 a
#                                connection keeps all Receives. MODULE=plain is MODULE=test then
#   SOAK_SECONDS=N               how long the test "soak" goes on
#   ALONE=1                      one virtual machine without a peer
#   ICOUNT=yes                   time is counted in instructions; for one machine, as
#                                two would each have a time of their own
#
# The run fails too if one of the kernels complained about anything.

. "$(dirname "$0")/../scripts/lib.sh"

export KERNEL=${KERNEL:-stock}
! other_kernel "$KERNEL" || exec env K="${KERNEL%-debug}" KERNEL="$(kind_of "$KERNEL")" BUILD="$BUILD/${KERNEL%-debug}" "$0" "$@"
OUT=${OUT:-$BUILD/pair/$(date +%Y%m%d-%H%M%S)-$$}
[[ ${DEV:-} != *+* ]] || export MODULE=${DEV#*+} DEV=${DEV%+*}
[ -z "${EAGER:-}" ] || [ "${MODULE:-plain}" != plain ] || export MODULE=test
pids=()

# stop: ends the virtual machines that this run started.
# shellcheck disable=SC2317 # called by the trap
stop()
{
	[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2> /dev/null || true
	wait 2> /dev/null || true
	rm -rf "$OUT"/*.sock "$OUT"/{repo,disk}
}

# nic N SERVER-ON: arguments of the Nth network device.
nic()
{
	printf '%s\n' -netdev "stream,id=n$1,server=$2,addr.type=unix,addr.path=$OUT/net$1.sock" \
		-device "virtio-net-pci,netdev=n$1,mac=52:54:00:09:0$1:0$([ "$2" = on ] && echo 1 || echo 2),host_mtu=${MTU:-9000}"
}

# start ROLE [ON|OFF]: starts one virtual machine in the background.
start()
{
	local nics=() kernel=$KERNEL

	[ $# = 1 ] || mapfile -t nics < <(nic 0 "$2"; nic 1 "$2")
	[ "$1" != "$other" ] || kernel=stock
	KERNEL=$kernel timeout "${TIMEOUT:-1800}" "$TOP/testbed/vm.sh" "$1" "$OUT" "${nics[@]}" < /dev/null 2> "$OUT/qemu.$1" &
	pids+=($!)
}

# module KERNEL MODULE: prints the folder that this rpcrdma.ko was built in.
module()
{
	case $2 in
	plain) echo "$BUILD/$1" ;;
	mutants) echo "$BUILD/mutants-$1" ;;
	test) echo "$BUILD/${1/stock/test}" ;;
	*) echo "$BUILD/ledger-$1" ;;
	esac
}

# fill DIR KERNEL MODULE: puts modules and programs into it.
fill()
{
	local dir f

	dir=$(module "$2" "$3")
	[ -f "$dir/net/sunrpc/xprtrdma/rpcrdma.ko" ] ||
		die "no such module for the $2 kernel yet: run 'make' or scripts/build.sh ${3/copy/ledger} first"
	rm -rf "$1"
	mkdir "$1"
	for f in "$dir/net/sunrpc/xprtrdma/rpcrdma.ko" "$BUILD/$2/net/sunrpc/xprtrdma/v2/tests"/*_kunit.ko "$BUILD/ledger-$2.ko"/*.ko \
		"$BUILD/siw/$2/siw.ko" "$BUILD/rxe/$2/rdma_rxe.ko" "$BUILD/modules/$2"/*.ko "$BUILD/peer/peer" "$BUILD"/programs/*; do
		[ ! -f "$f" ] || cp -f "$f" "$1/"
	done
	[ ! -f "$BUILD/before/$2/rpcrdma.ko" ] || cp -f "$BUILD/before/$2/rpcrdma.ko" "$1/before.ko"
}

# both_sockets: the server's qemu listens.
both_sockets()
{
	[ -S "$OUT/net0.sock" ] && [ -S "$OUT/net1.sock" ]
}

[ $# -gt 0 ] || die "usage: pair.sh COMMAND... (see the head of this file)"
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
rm -f "$OUT"/{fatal,finished,status,splats,output,booted,reboot,disk}*
case ${ONLY:-} in
server) other=client ;;
client) other=server ;;
*) other= ;;
esac
"$TOP/testbed/kernel.sh" "$KERNEL" > /dev/null
"$TOP/testbed/rootfs.sh" > /dev/null
ACCEL=${ACCEL:-$("$TOP/testbed/accel.sh")}
export ACCEL
"$TOP/scripts/build.sh" "${DEV:-rxe}"
# The run keeps what it was started with, whatever is built or edited meanwhile.
rm -rf "${OUT:?}"/{repo,bin.*}
mkdir -p "$OUT/repo"
tar -C "$TOP" -c --exclude=./build --exclude=./.git . | tar -C "$OUT/repo" -x
fill "$OUT/bin" "$KERNEL" "${MODULE:-plain}"
if [ -n "$other" ]; then
	"$TOP/testbed/kernel.sh" stock > /dev/null
	KERNEL=stock "$TOP/scripts/build.sh" "${DEV:-rxe}"
	fill "$OUT/bin.$other" stock test
fi
for v in KERNEL DEV SMP SERVER CLIENT SERVER_PARAMS CLIENT_PARAMS MODULE MTU SHELL_VM EVERY_CASE ICOUNT SEED EAGER SOAK_SECONDS; do
	case $v in
	DEV) d=rxe ;;
	SMP) d=1 ;;
	SERVER | CLIENT) d=ours ;;
	MODULE) d=plain ;;
	MTU) d=9000 ;;
	*) d= ;;
	esac
	n=TB_$v
	[ "$v" != SHELL_VM ] || n=TB_SHELL
	printf "%s='%s'\n" "$n" "${!v:-$d}"
done > "$OUT/bed"
run=$*
case $1 in
/*) ;;
*) [ ! -e "$TOP/$1" ] || run="/repo/$*" ;;
esac
printf "TB_RUN='%s'\n" "$run" >> "$OUT/bed"
: > "$OUT/output"

trap stop EXIT
trap 'exit 130' INT TERM
if [ -n "${ALONE:-}" ]; then
	start alone
else
	truncate -s 1G "$OUT/disk"
	TB_DISK=$OUT/disk start server on
	for ((i = 0; i < 300; i++)); do
		! both_sockets || break
		kill -0 "${pids[0]}" 2> /dev/null || die "the server's qemu ended: $(cat "$OUT/qemu.server")"
		sleep 0.1
	done
	TB_DATA=${DATA:-} start client off
fi
tail -n +1 -s 0.3 -f --pid="${pids[-1]}" "$OUT/output" 2> /dev/null &
wait "${pids[-1]}" || true
wait $! || true

if [ -f "$OUT/fatal" ]; then
	cat "$OUT/fatal" >&2
	die "the test bed did not come up: see $OUT"
fi
if [ ! -f "$OUT/finished" ]; then
	for r in server client alone; do
		[ ! -s "$OUT/console.$r" ] || { echo "--- console of the $r"; tail -30 "$OUT/console.$r"; } >&2
	done
	die "a virtual machine died or ran out of time: see $OUT"
fi
if grep -q . "$OUT/splats"; then
	echo "--- the kernel complained:" >&2
	cat "$OUT/splats" >&2
	die "failed: kernel complaints: see $OUT"
fi
exit "$(cat "$OUT/status")"
