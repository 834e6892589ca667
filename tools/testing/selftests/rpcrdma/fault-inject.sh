#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Calls that fail at either end, thousands of them, while files are written and
# read: posting, mapping, registering, making connections; where the kernel can
# do it, allocations and disconnects of sunrpc, too. RPCs may take longer and
# connections be made again. Nothing may stall, complain, leak, fail for the
# application or come out with another byte.
#
# The seeds are printed; SEED= of a former run makes the same calls fail.
#
# bed: pair
# kernels: stock debug
# devices: rxe+copy siw+ledger
# without: stock-siw+ledger
# module: test
# except: stock-siw+ledger debug-rxe+copy debug-siw+ledger
# asked: 7.3
# timeout: 2700

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"
. "$(dirname "$0")/memory_lib.sh"

FAULTS=/sys/kernel/debug/rpcrdma_ledger/faults
SEED=${TB_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
SIZES=(1 511 1023 4096 20001 65536 200000)
# So many processes work until so many calls have failed, or for so long in each round.
JOBS=2 WANT=200 SECS=6
[ -z "${TB_EVERY_CASE:-}" ] || WANT=500 SECS=25
! rpcrdma_everything || JOBS=8 WANT=1000 SECS=120
# So many of the kernel's own faults strike in each round. A connection that is made needs
# more allocations than there are between two: none is made before they are over.
AT_ONCE=50

# set_faults KIND:ONE-IN...: sets $faults to the commands that have these calls fail from
# now on, and counts begin anew.
set_faults()
{
	local f

	faults="cd $FAULTS || exit; for f in */seed; do echo 0 > \$f; done"
	for f; do
		SEED=$(((SEED * 1103515245 + 12345) % 4294967296))
		echo "of ${f#*:} calls of ${f%:*} one fails, seed $SEED"
		faults+="; echo $SEED > ${f%:*}/seed; echo ${f#*:} > ${f%:*}/one_in"
	done
}

# one NR: all write or read in one of the ways there are, by turns, and compare with what
# was meant.
one()
{
	local ways=(write:direct read:direct write:buffered read:buffered)
	local way=${ways[$1 % 4]} pids=() n rc=0

	for ((n = 0; n < JOBS; n++)); do
		timeout 240 python3 "$PLACE_IO" "${way%:*}" "${way#*:}" "$RPCRDMA_MNT/file$n" "$RPCRDMA_WORK/image$n" "${SIZES[@]}" > /dev/null &
		pids+=($!)
	done
	for n in "${pids[@]}"; do
		wait "$n" || { echo "$way: failed or stalled ($?)"; rc=1; }
	done
	timeout 240 ls -l "$RPCRDMA_MNT" > /dev/null && return "$rc"
}

# same: without faults all is well at once, and both ends have the bytes that
# were meant.
same()
{
	local n

	timeout 60 dd if=/dev/zero of="$RPCRDMA_MNT/after" bs=4096 count=1 conv=fsync 2> /dev/null || { echo "does not recover"; return 1; }
	rpcrdma_drop_caches
	for ((n = 0; n < JOBS; n++)); do
		cmp "$RPCRDMA_WORK/image$n" "$RPCRDMA_MNT/file$n" || return 1
		[ "$(sha256sum < "$RPCRDMA_WORK/image$n")" = "$(tb_server "sha256sum < /export/file$n")" ] ||
			{ echo "the server's own copy differs"; return 1; }
	done
}

# ledger_failed END: sets $n to how many of the ledger's calls have failed.
ledger_failed()
{
	n=$(memory_at "$1" "awk '{ s += \$1 } END { print s + 0 }' $FAULTS/*/failed")
}

# kernel_failed NAME END: the same of the kernel's own faults, and has as many more strike.
kernel_failed()
{
	local times=/sys/kernel/debug/$1/times

	n=$((n + AT_ONCE - $(memory_at "$2" "cat $times; echo $AT_ONCE > $times")))
}

# during END ON OFF COUNT...: has END run ON, works until COUNT... says enough or the
# time is over, has it run OFF, and looks what came of it.
during()
{
	local end=$1 on=$2 off=$3 until=$((SECONDS + SECS)) nr=0 n=0 rc=0

	shift 3
	rm -f "$RPCRDMA_WORK"/image* "$RPCRDMA_MNT"/file*
	memory_at "$end" "$on" || return 1
	while [ "$rc" = 0 ] && [ "$n" -lt "$WANT" ] && { [ "$SECONDS" -lt "$until" ] || { [ "$n" = 0 ] && [ "$nr" -lt 20 ]; }; }; do
		one $((nr++)) || rc=1
		"$@" "$end"
	done
	memory_at "$end" "$off"
	echo "$n calls failed"
	[ "$n" -gt 0 ] || { echo "no call failed"; rc=1; }
	[ "$rc" = 0 ] && same
}

# under END KIND:ONE-IN...: works while calls of END fail.
under()
{
	local end=$1 rc=0

	shift
	set_faults "$@"
	during "$end" "$faults" "for f in $FAULTS/*/one_in; do echo 0 > \$f; done" ledger_failed || rc=1
	memory_at "$end" "grep -H . $FAULTS/*/failed" | sed 's,.*faults/,,; s,/failed,,' | grep -v ':0$'
	return "$rc"
}

# kernel_on NAME INTERVAL [FUNCTION]: has the kernel's own faults strike here, once in so many
# times that they could: in allocations those below rpcrdma, or below one function of it.
# Of all below rpcrdma those of kmemleak, one for each other, do not count. ref_tracker is
# spared: it would complain.
kernel_on()
{
	local range=(0 0xffffffffffffffff) filter=N reject f

	[ "$1" = fail_sunrpc ] ||
		mapfile -t range < <(awk '$4 == "[rpcrdma]" && $2 ~ /[tT]/ { print "0x" $1, $3 }' /proc/kallsyms | sort |
			awk -v only="${3:-}" '!only && NR == 1 || only && was == only || $2 == only { print $1 } { was = $2 }
				END { if (!only) print $1 }')
	mapfile -t reject < <(awk 'hit { print "0x" $1; exit } $3 == "ref_tracker_alloc" { print "0x" $1; hit = 1 }' /proc/kallsyms)
	[ ${#range[@]} = 2 ] && [ ${#reject[@]} = 2 ] || return
	if [ "$1" = failslab ] && [ -z "${3:-}" ]; then
		filter=Y
		for f in /sys/kernel/slab/{kmalloc-*,svc_rdma2_*}/failslab; do echo 1 > "$f" || return; done
	fi
	cd "/sys/kernel/debug/$1" || return
	for f in verbose:0 "cache-filter:$filter" task-filter:N stacktrace-depth:32 "require-start:${range[0]}" "require-end:${range[1]}" \
		"reject-start:${reject[0]}" "reject-end:${reject[1]}" \
		ignore-gfp-wait:N min-order:0 times:100000 "interval:$2" probability:100; do
		[ ! -e "${f%%:*}" ] || echo "${f#*:}" > "${f%%:*}"
	done
}

# under_kernel END NAME INTERVAL [FUNCTION]: works while the kernel's own faults strike
# at END.
under_kernel()
{
	local d=/sys/kernel/debug/$2

	during "$1" "$(declare -f kernel_on); kernel_on $2 $3 ${4:-} && echo $AT_ONCE > $d/times" "echo 0 > $d/probability" \
		kernel_failed "$2"
}

# no_account: a connection has no account of its memory. It works, and the next one has.
no_account()
{
	local rc=0

	rpcrdma_umount && (kernel_on failslab 1 rpcrdma2_memory_join) && rpcrdma_mount 4.1 || rc=1
	[ "$rc" = 0 ] && rpcrdma_version 2 client && [ -z "$(rpcrdma_state client memory_kb)" ] && rpcrdma_roundtrip one || rc=1
	[ "$(cat /sys/kernel/debug/failslab/times)" -lt 100000 ] || { echo "nothing failed"; rc=1; }
	echo 0 > /sys/kernel/debug/failslab/probability
	rpcrdma_umount && rpcrdma_mount 4.1 && [ -n "$(rpcrdma_state client memory_kb)" ] && return "$rc"
}

# cannot_ask: a client that has no memory to tell the server that it goes is rid of its
# connection after two minutes.
cannot_ask()
{
	local s rc=0

	rpcrdma_mount 4.1 && kernel_on failslab 1 rpcrdma_xprt_disconnect || rc=1
	rpcrdma_umount || rc=1
	s=$SECONDS
	tb_wait 200 rpcrdma_unused || { echo "$(cat /sys/module/rpcrdma/refcnt) references are left"; rc=1; }
	echo "it was gone after $((SECONDS - s)) s"
	[ "$(cat /sys/kernel/debug/failslab/times)" -lt 100000 ] || { echo "nothing failed"; rc=1; }
	echo 0 > /sys/kernel/debug/failslab/probability
	return "$rc"
}

# unparsed: a server that has no memory to parse a Call closes the connection, and the Call is
# sent again.
unparsed()
{
	local rc=0

	rpcrdma_max_version 1 2
	rpcrdma_mount 4.1 && under_kernel server failslab 7 pcl_alloc_write || rc=1
	rpcrdma_umount && return "$rc"
}

# once CALL...: the next of each of these calls fails, and none after that.
once()
{
	local f what

	for what; do
		for f in seed:0 times:1 one_in:1; do
			echo "${f#*:}" > "$FAULTS/$what/${f%:*}"
		done
	done
}

# seldom: what waits for MRs, over a connection that has few or one that is made, asks for them
# four times a second.
seldom()
{
	local first pids n rc=0

	rpcrdma_max_version 1 2
	rpcrdma_mount 4.1 || return
	for first in alloc_mr post_send; do
		once "$first" alloc_mr
		echo 4294967295 > "$FAULTS/alloc_mr/times"
		pids=()
		for n in {1..16}; do
			timeout 90 dd if=/dev/zero of="$RPCRDMA_MNT/seldom$n" bs=1M count=2 oflag=direct 2> /dev/null &
			pids+=($!)
		done
		tb_wait 30 failed_once "$first" && tb_wait 30 failed_once alloc_mr || rc=1
		n=$(cat "$FAULTS/alloc_mr/failed")
		sleep 3
		n=$(($(cat "$FAULTS/alloc_mr/failed") - n))
		echo "$n tries in 3 s, the first of $first failed"
		[ "$n" -gt 0 ] && [ "$n" -le 20 ] || rc=1
		echo 0 > "$FAULTS/alloc_mr/one_in"
		for n in "${pids[@]}"; do
			wait "$n" || { echo "dd failed"; rc=1; }
		done
	done
	echo 0 > "$FAULTS/post_send/one_in"
	rpcrdma_umount && return "$rc"
}

# had CALL: one has failed; no more do. Others may call meanwhile.
had()
{
	echo 0 > "$FAULTS/$1/one_in"
	echo 4294967295 > "$FAULTS/$1/times"
	[ "$(cat "$FAULTS/$1/failed")" = 1 ] || { echo "no $1 failed"; return 1; }
}

# written CONDITION...: a file is written, and CONDITION holds behind it. A hard mount bears
# what fails.
written()
{
	timeout 60 dd if=/dev/zero of="$RPCRDMA_MNT/through" bs=4096 count=100 conv=fsync 2> /dev/null && "$@"
}

# failed_once CALL: it has.
failed_once()
{
	[ "$(cat "$FAULTS/$1/failed")" -ge 1 ]
}

# connects_through CALL: the same of a call that makes a connection. No Send can be posted
# until then: one of the transport's own that fails costs no connection, one of an RPC does.
connects_through()
{
	local rc=0

	once "$1" post_send
	echo 4294967295 > "$FAULTS/post_send/times"
	timeout 90 dd if=/dev/zero of="$RPCRDMA_MNT/through" bs=4096 count=100 conv=fsync 2> /dev/null &
	tb_wait 60 failed_once "$1" || rc=1
	echo 0 > "$FAULTS/post_send/one_in"
	wait $! || { echo "dd failed: $1"; rc=1; }
	had "$1" || rc=1
	return "$rc"
}

# connected_since COUNT: more connections have been made than these.
connected_since()
{
	[ "$(rpcrdma_xprt 3)" -gt "$1" ]
}

# closes: a client that cannot post its Receives has a new connection soon. It posts several
# with one call, so that not each file needs one. That may fail behind the last reply; the
# client connects when there is an RPC.
closes()
{
	local n

	n=$(rpcrdma_xprt 3)
	once post_recv
	tb_wait 60 written failed_once post_recv
	had post_recv || return 1
	tb_wait 30 written connected_since "$n" || { echo "the connection is the old one"; return 1; }
}

# short_of: a client connects again though there is no room for the parts of a
# connection at first.
short_of()
{
	local what rc=0

	for what in create_id alloc_pd alloc_cq create_qp connect; do
		connects_through "$what" || rc=1
	done
	return "$rc"
}

# links: symbolic links are made while the first Send of each cannot be posted. Text and name
# are put together in one buffer once more then.
links()
{
	local text n rc=0

	text=$(printf '%03000d' 0 | sed 's,0\{10\},123456789/,g')
	for n in 1 2 3 4 5; do
		once post_send
		timeout 90 ln -s "$text$n" "$RPCRDMA_MNT/link$n" || rc=1
		had post_send || rc=1
		[ "$(tb_server "readlink /export/link$n; rm -f /export/link$n")" = "$text$n" ] || { echo "link$n is not what was meant"; rc=1; }
	done
	return "$rc"
}

# links_of VERSION: the same over that version.
links_of()
{
	local rc=0

	rpcrdma_max_version "$1" 2
	rpcrdma_mount 4.1 && rpcrdma_version "$1" client && links || rc=1
	rpcrdma_umount && return "$rc"
}

# sound: neither end has broken a rule of DMA.
sound()
{
	local end rc=0

	for end in client server; do
		memory_at "$end" "! grep . /sys/kernel/debug/rpcrdma_ledger/broken" || rc=1
	done
	return "$rc"
}

# unload: the module can be removed at both ends, and has left nothing mapped.
unload()
{
	rpcrdma_modules ours ours && rpcrdma_changed= && sound
}

VERSIONS=(2)
[ -z "${TB_EVERY_CASE:-}" ] || VERSIONS=(2 1)
DEBUG=0
[ ! -e /sys/kernel/debug/failslab ] || DEBUG=6

rpcrdma_begin $((${#VERSIONS[@]} * (10 + DEBUG) + 3 * (DEBUG > 0) + 5))
for v in "${VERSIONS[@]}"; do
	rpcrdma_max_version "$v" 2
	# placed and registered by turns
	place_single
	rpcrdma_t "version $v: mounts" rpcrdma_mount 4.1
	rpcrdma_t "version $v: a client without Receives connects again" closes
	rpcrdma_t "version $v: a client that is short of resources connects again" short_of
	rpcrdma_t "version $v: the client cannot map or register" under client map:30 map_sg:10 map_mr:10 alloc_mr:3
	rpcrdma_t "version $v: the server cannot map" under server map:1000 rw_init:60
	place_defaults
	rpcrdma_t "version $v: the client cannot post" under client post_send:200 post_recv:100
	rpcrdma_t "version $v: the client cannot connect" under client post_send:200 create_id:20 resolve_addr:20 \
		resolve_route:20 alloc_pd:20 alloc_cq:20 create_qp:20 connect:20 alloc_mr:20
	rpcrdma_t "version $v: the server cannot post" under server post_send:200 post_recv:200
	rpcrdma_t "version $v: the server cannot accept" under server post_send:200 alloc_pd:20 alloc_cq:20 create_qp:20 accept:20 map:1000
	[ $DEBUG = 0 ] || for end in client server; do
		rpcrdma_t "version $v: the $end cannot allocate" under_kernel $end failslab 41
		rpcrdma_t "version $v: the $end has no pages" under_kernel $end fail_page_alloc 10
		rpcrdma_t "version $v: the $end disconnects" under_kernel $end fail_sunrpc 100
	done
	[ $DEBUG = 0 ] || [ "$v" = 1 ] || rpcrdma_t "version $v: a connection has no account of its memory" no_account
	rpcrdma_umount
	rpcrdma_t "version $v: nothing is left of all these connections" tb_wait 150 rpcrdma_unused
done
[ $DEBUG = 0 ] || rpcrdma_t "a client that cannot ask for an end has one" cannot_ask
[ $DEBUG = 0 ] || rpcrdma_t "version 1: a Call that cannot be parsed is sent again" unparsed
rpcrdma_t "version 1: a client that gets no MR asks four times a second" seldom
for v in 2 1; do
	rpcrdma_t "version $v: links are made though a Send fails" links_of $v
done
rpcrdma_t "no rule of DMA was broken" sound
rpcrdma_t "the module can be removed" unload
rpcrdma_end
