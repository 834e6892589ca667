# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# What the tests of faults share; sourced behind rpcrdma_lib.sh. Processes work on
# the mount (programs/fault_io.c) while something breaks, must get on afterwards,
# and every byte is compared at both ends in the end.

FAULT_SEED=${TB_SEED:-$((RANDOM * 32768 + RANDOM))}
FAULT_MIRROR=$RPCRDMA_WORK/mirror
FAULT_CONTROL=$RPCRDMA_WORK/control
fault_pid=

# fault_seed: what the workers and the network draw from; "make check SEED=N T=NAME"
# has the same again.
fault_seed()
{
	echo "# seed $FAULT_SEED"
}

# fault_start [OPTION...]: has fault_io work on the mount, with these options.
fault_start()
{
	rm -rf "$FAULT_MIRROR" "$FAULT_CONTROL"
	mkdir -p "$FAULT_MIRROR" "$FAULT_CONTROL"
	/out/bin/fault_io -s "$FAULT_SEED" "$@" "$RPCRDMA_MNT" "$FAULT_MIRROR" "$FAULT_CONTROL" \
		> "$FAULT_CONTROL/said" 2>&1 &
	fault_pid=$!
	fault_goes_on 5
}

# fault_count: prints how many operations the slowest worker has done.
fault_count()
{
	cat "$FAULT_CONTROL/count" 2> /dev/null || echo 0
}

# fault_runs: fault_io works, and has found nothing wrong.
fault_runs()
{
	kill -0 "$fault_pid" 2> /dev/null && [ ! -s "$FAULT_CONTROL/said" ]
}

# fault_beyond COUNT: the slowest worker is that far; also if it has given up, which
# fault_goes_on tells.
fault_beyond()
{
	[ "$(fault_count)" -gt "$1" ] || ! fault_runs
}

# fault_goes_on COUNT [SECONDS]: each worker does that many operations more in time.
fault_goes_on()
{
	local from s=$SECONDS

	from=$(fault_count)
	tb_wait "${2:-150}" fault_beyond $((from + $1)) ||
		{ echo "stalled: $(fault_count) operations after $from in $((SECONDS - s)) s"; return 1; }
	fault_runs || { echo "the workers failed: $(cat "$FAULT_CONTROL/said")"; return 1; }
	echo "$(($(fault_count) - from)) operations more, $((SECONDS - s)) s"
}

# fault_counter: the number that all workers have added to under a lock is what
# they have added; it goes into the mirror.
fault_counter()
{
	local want

	want=$(cat "$FAULT_CONTROL"/counted.* | awk '{ s += $1 } END { print s + 0 }')
	[ "$want" = 0 ] || echo "$want" > "$FAULT_MIRROR/counter"
}

# fault_compare: compares every byte: the mirror, the mount read afresh, and the
# server's own file system.
fault_compare()
{
	local rc=0

	rpcrdma_drop_caches
	rpcrdma_same "$FAULT_MIRROR" "$RPCRDMA_MNT" || rc=1
	[ "$(rpcrdma_sum "$FAULT_MIRROR")" = "$(tb_server "$(declare -f rpcrdma_sum); rpcrdma_sum /export")" ] ||
		{ echo "the server's own files differ"; rc=1; }
	echo "$(du -sk "$FAULT_MIRROR" | cut -f1) KiB compared, seed $FAULT_SEED"
	return "$rc"
}

# fault_stop: ends fault_io, and compares.
fault_stop()
{
	local rc=0

	touch "$FAULT_CONTROL/stop"
	tb_wait 150 eval "! kill -0 $fault_pid" || { echo "the workers do not end"; kill -KILL "$fault_pid"; return 1; }
	wait "$fault_pid" || { echo "the workers failed: $(cat "$FAULT_CONTROL/said")"; rc=1; }
	fault_counter
	fault_compare || rc=1
	return "$rc"
}

# fault_kill: ends the workers after a failure, before the mount goes.
fault_kill()
{
	[ -z "$fault_pid" ] || kill -KILL -- "$fault_pid" 2> /dev/null || true
	pkill -KILL -P "$$" -x fault_io 2> /dev/null || true
}

# fault_both COMMANDS: has both ends do that.
fault_both()
{
	local rc=0

	(eval "$1") || rc=1
	tb_server "$1" || rc=1
	return "$rc"
}

# fault_netem [WHAT...]: both ends treat what they send that way; without WHAT, as usual,
# and they print what went through.
fault_netem()
{
	if [ $# -gt 0 ]; then
		fault_both "modprobe -q sch_netem; tc qdisc replace dev eth0 root netem $* limit 20000"
	else
		fault_both '! tc -s qdisc show dev eth0 | grep -A1 netem | grep Sent || tc qdisc del dev eth0 root'
	fi
}

# fault_clean: the server has no files any more.
fault_clean()
{
	rpcrdma_umount && tb_server 'rm -rf /export/*'
}

# fault_lock COMMAND...: runs fault_lock.py on the server, below /export.
fault_lock()
{
	local what=$1 file=$2

	shift 2
	tb_server "timeout 120 python3 /repo/tools/testing/selftests/rpcrdma/fault_lock.py $what /export/$file $*"
}

# fault_locked FILE: a process on the server cannot have a lock on FILE, since a
# client has it. With a file of fault_start -l, that is so all the time.
fault_locked()
{
	local is

	is=$(fault_lock look "$1")
	[ "$is" = locked ] || { echo "the lock on $1 at the server: $is"; return 1; }
}

# fault_states TYPE [NAME]: prints how many of these (open, lock, deleg) the server knows
# of, of files whose names begin so.
fault_states()
{
	tb_server "cat /proc/fs/nfsd/clients/*/states 2> /dev/null | grep -c 'type: $1.*${2:+/$2}'"
}

# fault_held: prints what the server says that clients have.
fault_held()
{
	echo "opens $(fault_states open), locks $(fault_states lock), delegations $(fault_states deleg)"
}

# fault_recall: a process on the server writes to what fault_delegated has left, which
# nothing but the client's DELEGRETURN, or the end of its lease, makes possible; prints
# how many milliseconds that took.
fault_recall()
{
	# shellcheck disable=SC2016
	tb_server 's=$(date +%s%N); for f in /export/deleg-*; do echo more >> $f; done; echo $((($(date +%s%N) - s) / 1000000))'
}

# fault_delegated: makes a file that the client reads and gets a delegation of.
# nfsd gives none while it thinks that the client cannot be called back.
fault_delegated()
{
	local n name

	for ((n = 0; n < 10; n++)); do
		name=deleg-$n
		tb_server "echo hello > /export/$name"
		cat "$RPCRDMA_MNT/$name" > /dev/null
		exec 7< "$RPCRDMA_MNT/$name"
		cat <&7 > /dev/null
		exec 7<&-
		[ "$(fault_states deleg deleg-)" -gt 0 ] && return
	done
	echo "no delegation: $(fault_held)"
	return 1
}

# fault_called_back: a callback reaches the client: a delegation is returned at once.
fault_called_back()
{
	local took

	fault_delegated && took=$(fault_recall) && echo "took $took ms" && [ "$took" -lt 8000 ] && [ "$(fault_states deleg deleg-)" = 0 ]
}

# fault_listener ADDRESS: prints the number of nfsd's listener at that one of the server, if
# there is one.
fault_listener()
{
	tb_server "rdma resource show cm_id" | sed -n "s/.*cm-idn \([0-9]*\) .*LISTEN.* $1:20049.*/\1/p"
}
