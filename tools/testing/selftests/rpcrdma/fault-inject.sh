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
# except: stock-rxe+copy stock-siw+ledger debug-rxe+copy debug-siw+ledger
# timeout: 400

. "$(dirname "$0")/rpcrdma_lib.sh"
. "$(dirname "$0")/place_lib.sh"

FAULTS=/sys/kernel/debug/rpcrdma_ledger/faults
SEED=${TB_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
SIZES=(1 511 1023 4096 20001 65536 200000)
# so many calls shall fail in each round, or so long shall it take
WANT=$(rpcrdma_share 400)
SECS=$(rpcrdma_share 120)

# at END COMMANDS: has END run them.
at()
{
	if [ "$1" = server ]; then tb_server "$2"; else bash -c "$2"; fi
}

# set_faults END KIND:ONE-IN...: has these calls of END fail from now on.
set_faults()
{
	local end=$1 do="cd $FAULTS || exit" f

	shift
	for f; do
		SEED=$(((SEED * 1103515245 + 12345) % 4294967296))
		echo "$end: of ${f#*:} calls of ${f%:*} one fails, seed $SEED"
		do+="; echo $SEED > ${f%:*}/seed; echo ${f#*:} > ${f%:*}/one_in"
	done
	at "$end" "$do"
}

# no_faults END: has no call of END fail any more.
no_faults()
{
	at "$1" "for f in $FAULTS/*/one_in; do echo 0 > \$f; done"
}

# failed END: prints how many calls of END have failed since the seeds were set.
failed()
{
	at "$1" "cat $FAULTS/*/failed | paste -sd+ | { read -r n; echo \$((n)); }"
}

# one: writes and reads once, in all ways, and compares with what was meant.
one()
{
	local how op

	for how in direct buffered; do
		for op in write read; do
			timeout 240 python3 "$PLACE_IO" "$op" "$how" "$RPCRDMA_MNT/file" "$RPCRDMA_WORK/image" "${SIZES[@]}" \
				> /dev/null || { echo "$op $how: failed or stalled ($?)"; return 1; }
		done
	done
	timeout 240 ls -l "$RPCRDMA_MNT" > /dev/null
}

# begin: works on a new file from now on.
begin()
{
	rm -f "$RPCRDMA_WORK/image" "$RPCRDMA_MNT/file"
}

# same: without faults all is well at once, and both ends have the bytes that
# were meant.
same()
{
	timeout 60 dd if=/dev/zero of="$RPCRDMA_MNT/after" bs=4096 count=1 conv=fsync 2> /dev/null || { echo "does not recover"; return 1; }
	rpcrdma_drop_caches
	cmp "$RPCRDMA_WORK/image" "$RPCRDMA_MNT/file" || return 1
	[ "$(sha256sum < "$RPCRDMA_WORK/image")" = "$(tb_server "sha256sum < /export/file")" ] ||
		{ echo "the server's own copy differs"; return 1; }
}

# under END KIND:ONE-IN...: works while calls of END fail.
under()
{
	local end=$1 until=$(($(date +%s) + SECS)) n=0 rc=0

	begin
	set_faults "$@"
	while [ "$rc" = 0 ] && [ "$(date +%s)" -lt "$until" ] && [ "$n" -lt "$WANT" ]; do
		one || rc=1
		n=$(failed "$end")
	done
	no_faults "$end"
	echo "$n calls failed"
	at "$end" "grep -H . $FAULTS/*/failed" | sed 's,.*faults/,,; s,/failed,,' | grep -v ':0$'
	[ "$n" -gt 0 ] || { echo "no call failed"; rc=1; }
	[ "$rc" = 0 ] && same
}

# text: prints where the code of rpcrdma begins and ends.
text()
{
	awk '$4 == "[rpcrdma]" && $2 ~ /[tT]/ { print $1 }' /proc/kallsyms | sort | sed -n '1p;$p' | sed 's/^/0x/'
}

# slab_on FILE-SET PROBABILITY INTERVAL: has allocations below rpcrdma fail here.
slab_on()
{
	local d=/sys/kernel/debug/$1 range

	mapfile -t range < <(text)
	cd "$d" || return
	echo N > task-filter
	echo 0 > verbose
	echo '-1' > ./times
	echo 32 > stacktrace-depth
	echo "${range[0]}" > require-start
	echo "${range[1]}" > require-end
	[ ! -e ignore-gfp-wait ] || echo N > ignore-gfp-wait
	[ ! -e min-order ] || echo 0 > min-order
	echo "$3" > interval
	echo "$2" > probability
}

# slab_off: ends that.
slab_off()
{
	local d

	for d in /sys/kernel/debug/{failslab,fail_page_alloc,fail_sunrpc}; do
		[ ! -e "$d" ] || echo 0 > "$d/probability"
	done
}

# under_slab END WHAT PROBABILITY INTERVAL: works while allocations fail.
under_slab()
{
	local fns n rc=0

	fns=$(declare -f text slab_on slab_off)
	begin
	at "$1" "$fns; slab_on $2 $3 $4" || return 1
	for ((n = 0; n < 3 && rc == 0; n++)); do
		one || rc=1
	done
	at "$1" "$fns; slab_off"
	[ "$rc" = 0 ] && same
}

# under_disconnects END: works while sunrpc drops connections.
under_disconnects()
{
	local d=/sys/kernel/debug/fail_sunrpc n rc=0

	begin
	at "$1" "cd $d && echo '-1' > ./times && echo 0 > verbose && echo 100 > interval && echo 100 > probability"
	for ((n = 0; n < 2 && rc == 0; n++)); do
		one || rc=1
	done
	at "$1" "echo 0 > $d/probability"
	[ "$rc" = 0 ] && same
}

# sound: nothing else is mapped at either end than for connections that live.
sound()
{
	local end rc=0

	for end in client server; do
		at "$end" "! grep . /sys/kernel/debug/rpcrdma_ledger/broken" || rc=1
	done
	return "$rc"
}

# unload: the module can be removed at both ends, and leaves nothing mapped.
unload()
{
	rpcrdma_modules ours ours && rpcrdma_changed= && sound
}

VERSIONS=(2)
[ -z "${TB_EVERY_CASE:-}" ] || VERSIONS=(2 1)
DEBUG=0
[ ! -e /sys/kernel/debug/failslab ] || DEBUG=6

rpcrdma_begin $((${#VERSIONS[@]} * (7 + DEBUG) + 2))
for v in "${VERSIONS[@]}"; do
	rpcrdma_max_version "$v" 2
	rpcrdma_t "version $v: mounts" rpcrdma_mount 4.1
	place_defaults
	rpcrdma_t "version $v: the client cannot map or register" under client map:30 map_sg:10 map_mr:10 alloc_mr:3
	rpcrdma_t "version $v: the client cannot post" under client post_send:100 post_recv:20
	rpcrdma_t "version $v: the client cannot connect" under client post_send:60 create_id:6 resolve_addr:6 \
		resolve_route:6 alloc_pd:6 alloc_cq:6 create_qp:6 connect:6 alloc_mr:6
	rpcrdma_t "version $v: the server cannot map" under server map:30 rw_init:10
	rpcrdma_t "version $v: the server cannot post" under server post_send:60 post_recv:60
	rpcrdma_t "version $v: the server cannot accept" under server post_send:60 alloc_pd:4 alloc_cq:4 create_qp:4 accept:4 map:200
	if [ $DEBUG != 0 ]; then
		for end in client server; do
			rpcrdma_t "version $v: the $end cannot allocate" under_slab $end failslab 100 40
			rpcrdma_t "version $v: the $end has no pages" under_slab $end fail_page_alloc 100 10
			rpcrdma_t "version $v: the $end disconnects" under_disconnects $end
		done
	fi
	rpcrdma_umount
done
rpcrdma_t "no rule of DMA was broken" sound
rpcrdma_t "the module can be removed" unload
rpcrdma_end
